// SPDX-License-Identifier: MIT
// From definitions to bodies: points with masses, surfaces embedded in them, what may touch something.
#include "elastic/elastic_parts.h"

#include "base/error.h"
#include "elastic/contact/deformables.h"
#include "elastic/contact/surface_tree.h"
#include "elastic/obstacle.h"
#include "mesh/mass.h"
#include "mesh/tet_mesh.h"
#include <string.h>

static const ElasticModel* const MODELS[] = {
    [MN_ELASTIC_MASS_POINTS] = &elastic_mass_points, [MN_ELASTIC_FEM] = &elastic_fem, [MN_ELASTIC_REDUCED] = &elastic_reduced};

void body_free(ElasticSet* set, Body* body)
{
    if (body->state)
        body->model->destroy(set, body);
    void* arrays[] = {body->rest,
                      body->mass,
                      body->load,
                      body->inertia,
                      body->pins.of,
                      body->pins.place,
                      body->tet,
                      body->triangle,
                      body->embedding,
                      body->pins.pin,
                      body->force,
                      body->skin.point,
                      body->skin.face,
                      body->paths.began,
                      body->paths.predicted,
                      body->paths.opened,
                      body->obstacles.hard,
                      body->obstacles.slot,
                      body->obstacles.clear,
                      body->obstacles.seen,
                      body->obstacles.sharp_clear,
                      body->obstacles.sharp,
                      body->split.root,
                      body->split.vertex_parent,
                      body->split.built_face,
                      body->split.built_rest,
                      body->split.piece_of,
                      body->split.piece,
                      body->split.outward,
                      body->bonds.bond};
    surface_tree_destroy(set->memory, body->paths.tree);
    if (body->vertex != body->position) {
        memory_give(set->memory, body->vertex);
        memory_give(set->memory, body->vertex_velocity);
        memory_give(set->memory, body->vertex_rest);
    }
    memory_give(set->memory, body->position);
    memory_give(set->memory, body->velocity);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(set->memory, arrays[k]);
}

void* body_copy_of(ElasticSet* set, const void* from, size_t bytes)
{
    void* to = memory_take(set->memory, bytes ? bytes : 1);
    if (to && bytes)
        memcpy(to, from, bytes);
    return to;
}

static void* zeros(ElasticSet* set, size_t bytes)
{
    void* to = memory_take(set->memory, bytes ? bytes : 1);
    if (to)
        memset(to, 0, bytes);
    return to;
}

static mn_Result bad(mn_Error* error, const char* key, const char* message)
{
    error_set(error, MN_BAD_INPUT, "%s", message);
    error_key(error, "%s", key);
    return MN_BAD_INPUT;
}

static mn_Result check_def(const ElasticBodyDef* def, mn_Error* error)
{
    if (!(def->density > 0) || !isfinite(def->density))
        return bad(error, "density", "must be a number above 0 [kg/m3]");
    if (!(def->young > 0) || !isfinite(def->young))
        return bad(error, "young", "must be a number above 0 [Pa]");
    if (!(def->poisson >= 0 && def->poisson < 0.5))
        return bad(error, "poisson", "must be from 0 to below 0.5");
    if (!(def->thickness > 0) || !isfinite(def->thickness))
        return bad(error, "thickness", "must be a number above 0 [m]");
    if (!(def->damping >= 0) || !(def->drag >= 0))
        return bad(error, "damping", "damping and drag must be 0 or more");
    return MN_OK;
}

static double triangle_area(const Vec3d* x, const uint32_t t[3])
{
    return 0.5 * vec3d_length(vec3d_cross(vec3d_sub(x[t[1]], x[t[0]]), vec3d_sub(x[t[2]], x[t[0]])));
}

static mn_Result weigh_sheet(Body* body, mn_Error* error)
{
    double areal = body->def.density * body->def.thickness;
    for (size_t k = 0; k < body->triangle_count; k++) {
        const uint32_t* t = body->triangle[k];
        double area = triangle_area(body->rest, t);
        for (int c = 0; c < 3; c++)
            body->mass[t[c]] += areal * area / 3;
    }
    for (size_t k = 0; k < body->point_count; k++)
        if (!(body->mass[k] > 0)) {
            error_set(error, MN_BAD_INPUT, "vertex %zu belongs to no triangle with an area, so it has no mass", k);
            error_key(error, "shape");
            return MN_BAD_INPUT;
        }
    return MN_OK;
}

static double mean_edge(const Body* body)
{
    double sum = 0;
    for (size_t k = 0; k < 3 * body->skin.face_count; k++)
        sum += vec3d_distance(body->rest[body->skin.face[k / 3][k % 3]], body->rest[body->skin.face[k / 3][(k + 1) % 3]]);
    return body->skin.face_count ? sum / (3 * (double)body->skin.face_count) : 0;
}

// All points, those at the surface of a volume first. False: out of memory.
bool body_find_skin(ElasticSet* set, Body* body, const TetMesh* tets)
{
    uint32_t* point_of = NULL;
    TriMesh surface = {0};
    if (tets && !tet_mesh_surface(tets, &surface, &point_of))
        return false;
    body->skin.count = tets ? surface.vertex_count : body->point_count;
    body->skin.point = memory_take(set->memory, body->point_count * sizeof *body->skin.point);
    body->skin.face_count = tets ? surface.triangle_count : body->triangle_count;
    body->skin.face = body_copy_of(set, tets ? surface.triangle : body->triangle, body->skin.face_count * sizeof *body->skin.face);
    uint8_t* outside = memory_take(NULL, body->point_count);
    bool ok = body->skin.point && body->skin.face && outside;
    if (ok)
        memset(outside, 0, body->point_count);
    for (size_t k = 0; ok && k < body->skin.count; k++) {
        body->skin.point[k] = point_of ? point_of[k] : (uint32_t)k;
        outside[body->skin.point[k]] = 1;
    }
    for (size_t k = 0, to = body->skin.count; ok && k < body->point_count; k++)
        if (!outside[k])
            body->skin.point[to++] = (uint32_t)k;
    memory_give(NULL, outside);
    for (size_t k = 0; ok && point_of && k < 3 * body->skin.face_count; k++)
        body->skin.face[k / 3][k % 3] = point_of[body->skin.face[k / 3][k % 3]];
    body->skin.mean_edge = ok ? mean_edge(body) : 0;
    tri_mesh_free(&surface);
    memory_give(NULL, point_of);
    return ok;
}

bool body_take_points(ElasticSet* set, Body* body, const Vec3d* position, size_t count)
{
    body->point_count = count;
    body->position = body_copy_of(set, position, count * sizeof(Vec3d));
    body->rest = body_copy_of(set, position, count * sizeof(Vec3d));
    body->velocity = zeros(set, count * sizeof(Vec3d));
    body->mass = zeros(set, count * sizeof(double));
    body->inertia = zeros(set, count * sizeof(double));
    body->load = zeros(set, count * sizeof(Vec3d));
    body->pins.place = zeros(set, count * sizeof(Vec3d));
    body->pins.of = memory_take(set->memory, count * sizeof *body->pins.of);
    if (!body->position || !body->rest || !body->velocity || !body->mass || !body->inertia || !body->load || !body->pins.place ||
        !body->pins.of)
        return false;
    memset(body->pins.of, 0xff, count * sizeof *body->pins.of);
    return true;
}

static bool take_surface(ElasticSet* set, Body* body, const TriMesh* mesh)
{
    body->vertex_count = mesh->vertex_count;
    body->triangle_count = mesh->triangle_count;
    body->triangle = body_copy_of(set, mesh->triangle, mesh->triangle_count * sizeof *mesh->triangle);
    body->force = zeros(set, mesh->vertex_count * sizeof(Vec3d));
    return body->triangle && body->force;
}

// Rigid motion at the start.
static void start_moving(Body* body)
{
    Vec3d centre = {0, 0, 0};
    double mass = 0;
    for (size_t k = 0; k < body->point_count; k++) {
        centre = vec3d_mad(centre, body->mass[k], body->position[k]);
        mass += body->mass[k];
    }
    centre = vec3d_scale(centre, 1 / mass);
    for (size_t k = 0; k < body->point_count; k++)
        body->velocity[k] =
            vec3d_add(body->def.velocity, vec3d_cross(body->def.angular_velocity, vec3d_sub(body->position[k], centre)));
}

static mn_Result build_sheet(ElasticSet* set, Body* body, const TriMesh* mesh, mn_Error* error)
{
    if (!body_take_points(set, body, mesh->vertex, mesh->vertex_count) || !take_surface(set, body, mesh))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a sheet of %zu vertices", mesh->vertex_count);
    body->vertex = body->position;
    body->vertex_velocity = body->velocity;
    body->vertex_rest = body->rest;
    body->split.possible = body->model->comes_apart;
    return weigh_sheet(body, error);
}

static mn_Result weigh_volume(Body* body, mn_Error* error)
{
    for (size_t k = 0; k < body->tet_count; k++) {
        const uint32_t* t = body->tet[k];
        double volume = tet_volume(body->rest[t[0]], body->rest[t[1]], body->rest[t[2]], body->rest[t[3]]);
        if (!(volume > 0)) {
            error_set(error, MN_BAD_INPUT, "tetrahedron %zu is flat or inside out", k);
            error_key(error, "shape");
            return MN_BAD_INPUT;
        }
        for (int c = 0; c < 4; c++)
            body->mass[t[c]] += body->def.density * volume / 4;
    }
    for (size_t k = 0; k < body->point_count; k++)
        if (!(body->mass[k] > 0)) {
            error_set(error, MN_BAD_INPUT, "point %zu belongs to no tetrahedron", k);
            error_key(error, "shape");
            return MN_BAD_INPUT;
        }
    return MN_OK;
}

mn_Result body_weigh(Body* body, mn_Error* error)
{
    return body->tet_count ? weigh_volume(body, error) : weigh_sheet(body, error);
}

static bool take_vertices(ElasticSet* set, Body* body)
{
    size_t count = body->vertex_count;
    body->embedding = zeros(set, count * sizeof *body->embedding);
    body->vertex = zeros(set, count * sizeof(Vec3d));
    body->vertex_velocity = zeros(set, count * sizeof(Vec3d));
    body->vertex_rest = zeros(set, count * sizeof(Vec3d));
    return body->embedding && body->vertex && body->vertex_velocity && body->vertex_rest;
}

bool body_embed(ElasticSet* set, Body* body, const uint32_t* point_of)
{
    if (!take_vertices(set, body))
        return false;
    for (size_t k = 0; k < body->vertex_count; k++) {
        body->embedding[k] = (Embedding){.point = {point_of[k]}, .weight = {1}};
        body->vertex_rest[k] = body->rest[point_of[k]];
    }
    return true;
}

// Surface vertices are points of the tetrahedra, or embedded in them.
static bool embed_surface(ElasticSet* set, Body* body, const ElasticBodyDef* def)
{
    size_t count = body->vertex_count;
    body->split.possible = def->point_of && body->model->comes_apart;
    if (def->point_of)
        return body_embed(set, body, def->point_of);
    if (!take_vertices(set, body))
        return false;
    memcpy(body->vertex_rest, def->surface->vertex, count * sizeof(Vec3d));
    TetAnchor* anchor = memory_take(NULL, count * sizeof *anchor);
    bool ok = anchor && tet_mesh_embed(def->tets, def->surface->vertex, count, anchor);
    for (size_t k = 0; ok && k < count; k++)
        for (int c = 0; c < 4; c++) {
            body->embedding[k].point[c] = def->tets->tet[anchor[k].tet][c];
            body->embedding[k].weight[c] = anchor[k].weight[c];
        }
    memory_give(NULL, anchor);
    return ok;
}

// Tetrahedra cut corners of the surface that is embedded in them; the body weighs what the surface encloses.
static void fit_mass(Body* body, const ElasticBodyDef* def)
{
    double enclosed = def->density * mass_of_closed(def->surface).volume, sum = 0;
    for (size_t k = 0; k < body->point_count; k++)
        sum += body->mass[k];
    if (enclosed > 0)
        body->fit = enclosed / sum;
    for (size_t k = 0; k < body->point_count; k++)
        body->mass[k] *= body->fit;
}

static mn_Result build_volume(ElasticSet* set, Body* body, const ElasticBodyDef* def, mn_Error* error)
{
    const TetMesh* tets = def->tets;
    body->tet_count = tets->tet_count;
    body->tet = body_copy_of(set, tets->tet, tets->tet_count * sizeof *tets->tet);
    if (!body->tet || !body_take_points(set, body, tets->point, tets->point_count) || !take_surface(set, body, def->surface) ||
        !embed_surface(set, body, def))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu tetrahedra", tets->tet_count);
    mn_Result result = weigh_volume(body, error);
    if (result == MN_OK && !def->point_of)
        fit_mass(body, def);
    return result;
}

double body_crossing(const ElasticBodyDef* def)
{
    if (!def->tets)
        return (double)INFINITY;
    const TriMesh* m = def->surface;
    double area = 0, nu = def->poisson, modulus = def->young * (1 - nu) / ((1 + nu) * (1 - 2 * nu));
    for (size_t k = 0; k < m->triangle_count; k++) {
        Vec3d a = m->vertex[m->triangle[k][0]];
        Vec3d n = vec3d_cross(vec3d_sub(m->vertex[m->triangle[k][1]], a), vec3d_sub(m->vertex[m->triangle[k][2]], a));
        area += 0.5 * vec3d_length(n);
    }
    return 3 * mass_of_closed(m).volume / area * sqrt(def->density / modulus);
}

mn_Result elastic_add_body(ElasticSet* set, const ElasticBodyDef* def, int* out_body, mn_Error* error)
{
    mn_Result result = check_def(def, error);
    if (result != MN_OK)
        return result;
    if (!memory_reserve(set->memory, &set->body, &set->body_capacity, set->body_count, set->body_count + 1, sizeof *set->body))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for an elastic body");
    deformables_free(set); // it has places for the bodies there were
    Body* body = &set->body[set->body_count];
    *body = (Body){.model = MODELS[def->model], .def = *def, .fit = 1, .crossing = body_crossing(def)};
    body->def.surface = NULL;
    body->def.tets = NULL;
    body->def.point_of = NULL;
    result = def->tets ? build_volume(set, body, def, error) : build_sheet(set, body, def->surface, error);
    if (result == MN_OK) {
        start_moving(body);
        body_follow(body);
        if (!body_find_skin(set, body, def->tets))
            result = error_set(error, MN_OUT_OF_MEMORY, "no memory for an elastic body");
    }
    body->skin.built_edge = body->skin.mean_edge;
    body->split.built_points = body->point_count;
    body->split.built_vertices = body->vertex_count;
    body->split.built_triangles = body->triangle_count;
    if (result == MN_OK)
        result = body->model->create(set, body, error);
    if (result != MN_OK) {
        body_free(set, body);
        return result;
    }
    *out_body = (int)set->body_count++;
    obstacles_forget_features(set);
    return MN_OK;
}

const ElasticModel* elastic_model(mn_ElasticModel model)
{
    return MODELS[model];
}
