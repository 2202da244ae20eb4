// SPDX-License-Identifier: MIT
// The bodies of a set: from definitions to points and surfaces, forces from surfaces to points, the step, the state.
#include "elastic/elastic_parts.h"

#include "base/error.h"
#include "elastic/pairs.h"
#include "mesh/mass.h"
#include "mesh/tet_mesh.h"
#include <stdio.h>
#include <string.h>

static const ElasticModel* const MODELS[] = {[MN_ELASTIC_MASS_POINTS] = &elastic_mass_points, [MN_ELASTIC_FEM] = &elastic_fem};

ElasticSet* elastic_create(Memory* memory, Pool* pool, Vec3d gravity, double length)
{
    ElasticSet* set = memory_take(memory, sizeof *set);
    if (set)
        *set = (ElasticSet){.memory = memory, .pool = pool, .gravity = gravity, .length = length};
    return set;
}

void elastic_set_gravity(ElasticSet* set, Vec3d gravity)
{
    set->gravity = gravity;
}

static void free_body(ElasticSet* set, Body* body)
{
    if (body->state)
        body->model->destroy(set, body);
    void* arrays[] = {body->rest, body->mass,     body->load,  body->inertia, body->pin_of, body->pinned,
                      body->tet,  body->triangle, body->hang,  body->pin,     body->force,  body->skin,
                      body->face, body->began,    body->touch, body->slot,    body->clear,  body->seen};
    if (body->hang) {
        memory_give(set->memory, body->vertex);
        memory_give(set->memory, body->vertex_velocity);
    }
    memory_give(set->memory, body->position);
    memory_give(set->memory, body->velocity);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(set->memory, arrays[k]);
}

void elastic_destroy(ElasticSet* set)
{
    if (!set)
        return;
    for (size_t k = 0; k < set->body_count; k++)
        free_body(set, &set->body[k]);
    pairs_free(set);
    memory_give(set->memory, set->body);
    memory_give(set->memory, set->obstacle);
    memory_give(set->memory, set->carrier);
    memory_give(set->memory, set);
}

size_t elastic_count(const ElasticSet* set)
{
    return set->body_count;
}

const char* elastic_message(const ElasticSet* set)
{
    return set->message;
}

static void follow(Body* body);

// --- building

static void* copy_of(ElasticSet* set, const void* from, size_t bytes)
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
        double area = triangle_area(body->position, t);
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
    for (size_t k = 0; k < 3 * body->face_count; k++)
        sum += vec3d_distance(body->rest[body->face[k / 3][k % 3]], body->rest[body->face[k / 3][(k + 1) % 3]]);
    return body->face_count ? sum / (3 * (double)body->face_count) : 0;
}

// Points that may touch something: all of a sheet, those at the surface of a volume. False: out of memory.
static bool find_skin(ElasticSet* set, Body* body, const ElasticBodyDef* def)
{
    uint32_t* point_of = NULL;
    TriMesh surface = {0};
    if (def->tets && !tet_mesh_surface(def->tets, &surface, &point_of))
        return false;
    body->skin_count = def->tets ? surface.vertex_count : body->point_count;
    body->skin = memory_take(set->memory, body->skin_count * sizeof *body->skin);
    body->face_count = def->tets ? surface.triangle_count : body->triangle_count;
    body->face = copy_of(set, def->tets ? surface.triangle : body->triangle, body->face_count * sizeof *body->face);
    bool ok = body->skin && body->face;
    for (size_t k = 0; ok && k < body->skin_count; k++)
        body->skin[k] = point_of ? point_of[k] : (uint32_t)k;
    for (size_t k = 0; ok && point_of && k < 3 * body->face_count; k++)
        body->face[k / 3][k % 3] = point_of[body->face[k / 3][k % 3]];
    body->mean_edge = ok ? mean_edge(body) : 0;
    tri_mesh_free(&surface);
    memory_give(NULL, point_of);
    return ok;
}

static bool take_points(ElasticSet* set, Body* body, const Vec3d* position, size_t count)
{
    body->point_count = count;
    body->position = copy_of(set, position, count * sizeof(Vec3d));
    body->rest = copy_of(set, position, count * sizeof(Vec3d));
    body->velocity = zeros(set, count * sizeof(Vec3d));
    body->mass = zeros(set, count * sizeof(double));
    body->inertia = zeros(set, count * sizeof(double));
    body->load = zeros(set, count * sizeof(Vec3d));
    body->pinned = zeros(set, count * sizeof(Vec3d));
    body->pin_of = memory_take(set->memory, count * sizeof *body->pin_of);
    if (!body->position || !body->rest || !body->velocity || !body->mass || !body->inertia || !body->load || !body->pinned ||
        !body->pin_of)
        return false;
    memset(body->pin_of, 0xff, count * sizeof *body->pin_of);
    return true;
}

static bool take_surface(ElasticSet* set, Body* body, const TriMesh* mesh)
{
    body->vertex_count = mesh->vertex_count;
    body->triangle_count = mesh->triangle_count;
    body->triangle = copy_of(set, mesh->triangle, mesh->triangle_count * sizeof *mesh->triangle);
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
    if (!take_points(set, body, mesh->vertex, mesh->vertex_count) || !take_surface(set, body, mesh))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a sheet of %zu vertices", mesh->vertex_count);
    body->vertex = body->position;
    body->vertex_velocity = body->velocity;
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

// Surface vertices are points of the tetrahedra, or hang in them.
static bool hang_surface(ElasticSet* set, Body* body, const ElasticBodyDef* def)
{
    size_t count = body->vertex_count;
    body->hang = zeros(set, count * sizeof *body->hang);
    body->vertex = zeros(set, count * sizeof(Vec3d));
    body->vertex_velocity = zeros(set, count * sizeof(Vec3d));
    if (!body->hang || !body->vertex || !body->vertex_velocity)
        return false;
    if (def->point_of) {
        for (size_t k = 0; k < count; k++)
            body->hang[k] = (Hang){.point = {def->point_of[k]}, .weight = {1}};
        return true;
    }
    TetAnchor* anchor = memory_take(NULL, count * sizeof *anchor);
    bool ok = anchor && tet_mesh_embed(def->tets, def->surface->vertex, count, anchor);
    for (size_t k = 0; ok && k < count; k++)
        for (int c = 0; c < 4; c++) {
            body->hang[k].point[c] = def->tets->tet[anchor[k].tet][c];
            body->hang[k].weight[c] = anchor[k].weight[c];
        }
    memory_give(NULL, anchor);
    return ok;
}

// Tetrahedra cut corners of the surface that hangs in them; the body weighs what the surface encloses.
static void fit_mass(Body* body, const ElasticBodyDef* def)
{
    double enclosed = def->density * mass_of_closed(def->surface).volume, sum = 0;
    for (size_t k = 0; k < body->point_count; k++)
        sum += body->mass[k];
    for (size_t k = 0; enclosed > 0 && k < body->point_count; k++)
        body->mass[k] *= enclosed / sum;
}

static mn_Result build_volume(ElasticSet* set, Body* body, const ElasticBodyDef* def, mn_Error* error)
{
    const TetMesh* tets = def->tets;
    body->tet_count = tets->tet_count;
    body->tet = copy_of(set, tets->tet, tets->tet_count * sizeof *tets->tet);
    if (!body->tet || !take_points(set, body, tets->point, tets->point_count) || !take_surface(set, body, def->surface) ||
        !hang_surface(set, body, def))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu tetrahedra", tets->tet_count);
    mn_Result result = weigh_volume(body, error);
    if (result == MN_OK && !def->point_of)
        fit_mass(body, def);
    return result;
}

mn_Result elastic_add_body(ElasticSet* set, const ElasticBodyDef* def, int* out_body, mn_Error* error)
{
    mn_Result result = check_def(def, error);
    if (result != MN_OK)
        return result;
    if (!memory_reserve(set->memory, &set->body, &set->body_capacity, set->body_count, set->body_count + 1, sizeof *set->body))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for an elastic body");
    Body* body = &set->body[set->body_count];
    *body = (Body){.model = MODELS[def->model], .def = *def};
    body->def.surface = NULL;
    body->def.tets = NULL;
    body->def.point_of = NULL;
    result = def->tets ? build_volume(set, body, def, error) : build_sheet(set, body, def->surface, error);
    if (result == MN_OK) {
        start_moving(body);
        follow(body);
        if (!find_skin(set, body, def))
            result = error_set(error, MN_OUT_OF_MEMORY, "no memory for an elastic body");
    }
    if (result == MN_OK) {
        result = body->model->create(set, body, error);
    }
    if (result != MN_OK) {
        free_body(set, body);
        return result;
    }
    *out_body = (int)set->body_count++;
    return MN_OK;
}

// --- surfaces

ElasticSurface elastic_surface(const ElasticSet* set, int body)
{
    const Body* b = &set->body[body];
    return (ElasticSurface){b->vertex_count, b->triangle_count,  (const uint32_t(*)[3])b->triangle,
                            b->vertex,       b->vertex_velocity, b->force};
}

// Where the points put the surface.
static void follow(Body* body)
{
    for (size_t k = 0; body->hang && k < body->vertex_count; k++) {
        const Hang* h = &body->hang[k];
        Vec3d x = {0, 0, 0}, v = {0, 0, 0};
        for (int c = 0; c < 4; c++) {
            x = vec3d_mad(x, h->weight[c], body->position[h->point[c]]);
            v = vec3d_mad(v, h->weight[c], body->velocity[h->point[c]]);
        }
        body->vertex[k] = x;
        body->vertex_velocity[k] = v;
    }
}

// Forces on vertices go to the points they hang on, with the same weights: force and torque stay what they are.
static void spread_forces(const Body* body, const Vec3d* vertex, Vec3d* point)
{
    if (!body->hang) {
        memcpy(point, vertex, body->point_count * sizeof *point);
        return;
    }
    memset(point, 0, body->point_count * sizeof *point);
    for (size_t k = 0; k < body->vertex_count; k++)
        for (int c = 0; c < 4; c++) {
            Vec3d* to = &point[body->hang[k].point[c]];
            *to = vec3d_mad(*to, body->hang[k].weight[c], vertex[k]);
        }
}

static void take_forces(Body* body)
{
    spread_forces(body, body->force, body->load);
    memset(body->force, 0, body->vertex_count * sizeof(Vec3d));
}

double elastic_inverse_mass(const ElasticSet* set, int body, uint32_t vertex)
{
    const Body* b = &set->body[body];
    if (!b->hang)
        return b->pin_of[vertex] >= 0 ? 0 : 1 / b->mass[vertex];
    double sum = 0;
    for (int c = 0; c < 4; c++) {
        double weight = b->hang[vertex].weight[c];
        uint32_t p = b->hang[vertex].point[c];
        sum += b->pin_of[p] >= 0 ? 0 : weight * weight / b->mass[p];
    }
    return sum;
}

void elastic_shared_masses(const ElasticSet* set, int body, double* out_inverse)
{
    const Body* b = &set->body[body];
    if (!b->hang) {
        for (size_t v = 0; v < b->vertex_count; v++)
            out_inverse[v] = b->pin_of[v] >= 0 ? 0 : 1 / b->mass[v];
        return;
    }
    double* hanging = b->inertia; // [1] free during a step only
    memset(hanging, 0, b->point_count * sizeof *hanging);
    for (size_t v = 0; v < b->vertex_count; v++)
        for (int c = 0; c < 4; c++)
            hanging[b->hang[v].point[c]] += b->hang[v].weight[c];
    for (size_t v = 0; v < b->vertex_count; v++) {
        double mass = 0, loose = 0;
        for (int c = 0; c < 4; c++) {
            uint32_t p = b->hang[v].point[c];
            double weight = b->hang[v].weight[c];
            mass += hanging[p] > 0 ? weight * b->mass[p] / hanging[p] : 0;
            loose += b->pin_of[p] >= 0 ? 0 : weight;
        }
        out_inverse[v] = mass > 0 ? loose / mass : 0;
    }
}

double elastic_mass(const ElasticSet* set, int body)
{
    double sum = 0;
    for (size_t k = 0; k < set->body[body].point_count; k++)
        sum += set->body[body].mass[k];
    return sum;
}

// --- pins

int elastic_add_pin(ElasticSet* set, int body)
{
    Body* b = &set->body[body];
    if (!memory_reserve(set->memory, &b->pin, &b->pin_capacity, b->pin_count, b->pin_count + 1, sizeof *b->pin))
        return -1;
    mn_Pose still = {.rotation = quat_identity()};
    b->pin[b->pin_count] = (Pin){.from = still, .to = still, .holds = true, .carrier = -1};
    return (int)b->pin_count++;
}

static Vec3d into_frame(const mn_Pose* frame, Vec3d x)
{
    return quat_unrotate(frame->rotation, vec3d_sub(x, frame->position));
}

static Vec3d out_of_frame(const mn_Pose* frame, Vec3d x)
{
    return vec3d_add(quat_rotate(frame->rotation, x), frame->position);
}

static void pin_point(Body* body, int pin, uint32_t point)
{
    body->pin_of[point] = pin;
    body->pinned[point] = into_frame(&body->pin[pin].to, body->position[point]);
    body->velocity[point] = vec3d(0, 0, 0);
}

bool elastic_pin_vertex(ElasticSet* set, int body, int pin, uint32_t vertex)
{
    Body* b = &set->body[body];
    if (vertex >= b->vertex_count)
        return false;
    if (!b->hang)
        pin_point(b, pin, vertex);
    for (int c = 0; b->hang && c < 4; c++)
        if (b->hang[vertex].weight[c] != 0)
            pin_point(b, pin, b->hang[vertex].point[c]);
    return true;
}

void elastic_release_pin(ElasticSet* set, int body, int pin)
{
    Body* b = &set->body[body];
    b->pin[pin].holds = false;
    b->pin[pin].force = b->pin[pin].torque = vec3d(0, 0, 0);
    for (size_t k = 0; k < b->point_count; k++)
        if (b->pin_of[k] == pin)
            b->pin_of[k] = -1;
}

void elastic_move_pin(ElasticSet* set, int body, int pin, const mn_Pose* from, const mn_Pose* to)
{
    set->body[body].pin[pin].from = *from;
    set->body[body].pin[pin].to = *to;
}

void elastic_pin_force(const ElasticSet* set, int body, int pin, Vec3d* force, Vec3d* torque)
{
    *force = set->body[body].pin[pin].force;
    *torque = set->body[body].pin[pin].torque;
}

size_t elastic_pinned(const ElasticSet* set, int body)
{
    size_t count = 0;
    for (size_t k = 0; k < set->body[body].point_count; k++)
        count += set->body[body].pin_of[k] >= 0;
    return count;
}

Vec3d pin_target(const Body* body, size_t point, double t)
{
    const Pin* pin = &body->pin[body->pin_of[point]];
    Vec3d from = out_of_frame(&pin->from, body->pinned[point]), to = out_of_frame(&pin->to, body->pinned[point]);
    return vec3d_lerp(from, to, t);
}

// --- stepping

static bool is_finite(const Body* body)
{
    for (size_t k = 0; k < body->point_count; k++)
        if (!vec3d_finite(body->position[k]) || !vec3d_finite(body->velocity[k]))
            return false;
    return true;
}

void elastic_carry(ElasticSet* set, int body, const double* carried)
{
    set->body[body].carried = carried;
}

bool elastic_can_answer(const ElasticSet* set, int body)
{
    return set->body[body].model->answer != NULL;
}

// Values of points at the vertices that hang on them.
static void gather(const Body* body, const Vec3d* point, Vec3d* vertex)
{
    for (size_t k = 0; k < body->vertex_count; k++) {
        Vec3d a = body->hang ? vec3d(0, 0, 0) : point[k];
        for (int c = 0; body->hang && c < 4; c++)
            a = vec3d_mad(a, body->hang[k].weight[c], point[body->hang[k].point[c]]);
        vertex[k] = a;
    }
}

void elastic_foretell(ElasticSet* set, int body, double dt, const Vec3d* force, Vec3d* velocity)
{
    Body* b = &set->body[body];
    spread_forces(b, force, b->load); // free between steps
    b->model->foretell(set, b, dt, b->load);
    gather(b, b->load, velocity);
}

void elastic_answer(ElasticSet* set, int body, Vec3d* vertex)
{
    Body* b = &set->body[body];
    spread_forces(b, vertex, b->load);
    b->model->answer(set, b, b->load);
    gather(b, b->load, vertex);
}

// What vertices carry becomes inertia of points, without weight.
static void load_inertia(const ElasticSet* set, Body* body)
{
    memcpy(body->inertia, body->mass, body->point_count * sizeof *body->mass);
    for (size_t v = 0; v < body->vertex_count; v++)
        for (int c = 0; c < (body->hang ? 4 : 1); c++) {
            size_t p = body->hang ? body->hang[v].point[c] : v;
            double carried = body->carried[v] * (body->hang ? body->hang[v].weight[c] : 1);
            body->inertia[p] += carried;
            body->load[p] = vec3d_mad(body->load[p], -carried, set->gravity);
        }
}

// Called again it takes inertia back.
static void swap_inertia(Body* body)
{
    double* mass = body->mass;
    body->mass = body->inertia;
    body->inertia = mass;
}

static bool step_body(ElasticSet* set, Body* body, double dt)
{
    if (!body->carried)
        return body->model->step(set, body, dt);
    load_inertia(set, body);
    swap_inertia(body);
    bool ok = body->model->step(set, body, dt);
    swap_inertia(body);
    return ok;
}

static bool step_bodies(ElasticSet* set, double dt)
{
    bool ok = pairs_begin(set);
    for (size_t k = 0; k < set->body_count && ok; k++) {
        Body* body = &set->body[k];
        take_forces(body);
        ok = step_body(set, body, dt);
    }
    return ok && pairs_resolve(set, dt);
}

// What moved as told is now where it was told to be.
static void end_motion(ElasticSet* set)
{
    for (size_t k = 0; k < set->obstacle_count; k++) {
        set->obstacle[k].seen = set->obstacle[k].from;
        set->obstacle[k].from = set->obstacle[k].to;
    }
    for (size_t k = 0; k < set->body_count; k++)
        for (size_t p = 0; p < set->body[k].pin_count; p++)
            set->body[k].pin[p].from = set->body[k].pin[p].to;
}

bool elastic_step(ElasticSet* set, double dt)
{
    if (!step_bodies(set, dt)) {
        snprintf(set->message, sizeof set->message, "no memory for the step of elastic solids");
        return false;
    }
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        if (!is_finite(body)) {
            snprintf(set->message, sizeof set->message, "positions of elastic body %zu are not finite", k + 1);
            return false;
        }
        if (body->jolted && body->model->jolt)
            body->model->jolt(body);
        follow(body);
    }
    end_motion(set);
    return true;
}

double elastic_longest_step(const ElasticSet* set, int body)
{
    const Body* b = &set->body[body];
    return b->model->longest ? b->model->longest(b) : (double)INFINITY;
}

double elastic_speed(const ElasticSet* set)
{
    double most = 0;
    for (size_t k = 0; k < set->body_count; k++)
        for (size_t i = 0; i < set->body[k].point_count; i++)
            most = fmax(most, vec3d_dot(set->body[k].velocity[i], set->body[k].velocity[i]));
    return sqrt(most);
}

ElasticTotals elastic_totals(const ElasticSet* set)
{
    ElasticTotals t = {0};
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* b = &set->body[k];
        for (size_t i = 0; i < b->point_count; i++) {
            double m = b->mass[i];
            t.kinetic += 0.5 * m * vec3d_dot(b->velocity[i], b->velocity[i]);
            t.gravitational -= m * vec3d_dot(set->gravity, b->position[i]);
            t.momentum = vec3d_mad(t.momentum, m, b->velocity[i]);
            t.angular_momentum = vec3d_mad(t.angular_momentum, m, vec3d_cross(b->position[i], b->velocity[i]));
        }
        t.strain += b->model->strain_energy(b);
    }
    return t;
}

// --- state

static size_t pin_bytes(const Body* body)
{
    return body->pin_count * sizeof(Pin) + body->point_count * (sizeof(int32_t) + sizeof(Vec3d));
}

size_t elastic_state_bytes(const ElasticSet* set)
{
    size_t bytes = 0;
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* b = &set->body[k];
        bytes += 2 * b->point_count * sizeof(Vec3d) + pin_bytes(b);
        bytes += b->model->state_bytes ? b->model->state_bytes(b) : 0;
    }
    return bytes;
}

static char* put(char* to, const void* from, size_t bytes)
{
    if (bytes)
        memcpy(to, from, bytes);
    return to + bytes;
}

static const char* get(const char* from, void* to, size_t bytes)
{
    if (bytes)
        memcpy(to, from, bytes);
    return from + bytes;
}

void elastic_save(const ElasticSet* set, void* bytes)
{
    char* at = bytes;
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* b = &set->body[k];
        at = put(at, b->position, b->point_count * sizeof(Vec3d));
        at = put(at, b->velocity, b->point_count * sizeof(Vec3d));
        at = put(at, b->pinned, b->point_count * sizeof(Vec3d));
        at = put(at, b->pin, b->pin_count * sizeof(Pin));
        at = put(at, b->pin_of, b->point_count * sizeof(int32_t));
        if (b->model->state_bytes) {
            b->model->save(b, at);
            at += b->model->state_bytes(b);
        }
    }
}

bool elastic_load(ElasticSet* set, const void* bytes)
{
    const char* at = bytes;
    bool ok = true;
    for (size_t k = 0; k < set->body_count; k++) {
        Body* b = &set->body[k];
        at = get(at, b->position, b->point_count * sizeof(Vec3d));
        at = get(at, b->velocity, b->point_count * sizeof(Vec3d));
        at = get(at, b->pinned, b->point_count * sizeof(Vec3d));
        at = get(at, b->pin, b->pin_count * sizeof(Pin));
        at = get(at, b->pin_of, b->point_count * sizeof(int32_t));
        if (b->model->state_bytes) {
            b->model->load(b, at);
            at += b->model->state_bytes(b);
        }
        ok = ok && is_finite(b);
        for (size_t i = 0; i < b->point_count; i++)
            ok = ok && b->pin_of[i] >= -1 && b->pin_of[i] < (int32_t)b->pin_count;
        for (size_t i = 0; i < b->pin_count; i++)
            ok = ok && b->pin[i].carrier >= -1 && b->pin[i].carrier < (int64_t)set->carrier_count;
        follow(b);
    }
    return ok;
}
