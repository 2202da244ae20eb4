// SPDX-License-Identifier: MIT
#include "elastic/elastic_system.h"

#include "elastic/elastic_parts.h"
#include <string.h>

static ElasticSet* set_of(const Solid* solid)
{
    return ((const ElasticSystem*)solid->system)->set;
}

static int body_of(const Solid* solid)
{
    return (int)solid->index;
}

// The vertices of a place's triangle.
static const uint32_t* corners(const Solid* solid, const SurfacePlace* place)
{
    return set_of(solid)->body[solid->index].triangle[place->face];
}

static Vec3d elastic_velocity_at(const Solid* solid, const SurfacePlace* place)
{
    const uint32_t* v = corners(solid, place);
    ElasticSurface s = elastic_surface(set_of(solid), body_of(solid));
    Vec3d sum = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        sum = vec3d_mad(sum, place->weight[k], s.velocity[v[k]]);
    return sum;
}

// Corners count as free of each other.
static double elastic_mobility_at(const Solid* solid, const SurfacePlace* place, Vec3d direction)
{
    const uint32_t* v = corners(solid, place);
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += place->weight[k] * place->weight[k] * elastic_inverse_mass(set_of(solid), body_of(solid), v[k]);
    return sum;
}

static void elastic_take_impulse(Solid* solid, const SurfacePlace* place, Vec3d impulse)
{
    const uint32_t* v = corners(solid, place);
    for (int k = 0; k < 3; k++)
        elastic_apply_impulse(set_of(solid), body_of(solid), v[k], vec3d_scale(impulse, place->weight[k]));
}

static mn_Pose elastic_pose_after(const Solid* solid, double time)
{
    return solid->pose; // vertices are in the world's frame
}

static SolidSurface elastic_solid_surface(const Solid* solid)
{
    ElasticSurface s = elastic_surface(set_of(solid), body_of(solid));
    return (SolidSurface){.vertex_count = s.vertex_count,
                          .triangle_count = s.triangle_count,
                          .triangle = s.triangle,
                          .position = s.position,
                          .velocity = s.velocity,
                          .force = s.force,
                          .revision = s.revision,
                          .rest = s.rest,
                          .parent = s.parent};
}

static void elastic_vertex_mobility(const Solid* solid, double* out_inverse)
{
    elastic_shared_masses(set_of(solid), body_of(solid), out_inverse);
}

static double elastic_solid_density(const Solid* solid)
{
    return elastic_density(set_of(solid), body_of(solid));
}

static bool elastic_solid_has_mobility(const Solid* solid)
{
    return elastic_has_mobility(set_of(solid), body_of(solid));
}

static bool elastic_solid_prepare_mobility(Solid* solid)
{
    return elastic_prepare_mobility(set_of(solid), body_of(solid));
}

static void elastic_solid_predict(Solid* solid, double dt, const Vec3d* force, Vec3d* velocity)
{
    elastic_predict(set_of(solid), body_of(solid), dt, force, velocity);
}

static void elastic_solid_mobility(Solid* solid, Vec3d* vertex)
{
    elastic_mobility(set_of(solid), body_of(solid), vertex);
}

static void elastic_uncouple(Solid* solid)
{
    elastic_carry(set_of(solid), body_of(solid), NULL);
    elastic_forget_mobility(set_of(solid), body_of(solid));
}

static void elastic_carry_along(Solid* solid, const double* carried)
{
    elastic_carry(set_of(solid), body_of(solid), carried);
}

static SolidBulk elastic_bulk(const Solid* solid)
{
    SolidBulk bulk = {.mass = elastic_mass(set_of(solid), body_of(solid))};
    bulk.centre = elastic_centre(set_of(solid), body_of(solid), &bulk.velocity);
    return bulk;
}

static void elastic_release(Solid* solid)
{
    pins_release(solid->system, solid);
}

// --- solids that come apart

static bool same_triangles(const TriMesh* mesh, const ElasticSurface* s)
{
    return mesh->vertex_count == s->vertex_count && mesh->triangle_count == s->triangle_count &&
           !memcmp(mesh->triangle, s->triangle, s->triangle_count * sizeof *s->triangle);
}

bool elastic_follow_surface(Solid* solid)
{
    ElasticSurface s = elastic_surface(set_of(solid), body_of(solid));
    if (same_triangles(&solid->mesh, &s))
        return true;
    TriMesh mesh = {0};
    bool ok = true;
    for (size_t k = 0; ok && k < s.vertex_count; k++)
        ok = tri_mesh_add_vertex(&mesh, s.position[k]);
    for (size_t k = 0; ok && k < s.triangle_count; k++)
        ok = tri_mesh_add_triangle(&mesh, s.triangle[k][0], s.triangle[k][1], s.triangle[k][2]);
    if (!ok) {
        tri_mesh_free(&mesh);
        return false;
    }
    mesh.inner_count = s.inner_count;
    tri_mesh_free(&solid->mesh); // its test was for the start, and stays
    solid->mesh = mesh;
    return true;
}

static bool elastic_solid_cut(Solid* solid, Vec3d point, Vec3d normal, size_t* out_opened)
{
    return elastic_cut(set_of(solid), body_of(solid), point, normal, out_opened) && elastic_follow_surface(solid);
}

static bool elastic_solid_immerse(Solid* solid, double spacing)
{
    return elastic_immerse(set_of(solid), body_of(solid), spacing);
}

static SolidInside elastic_solid_inside(const Solid* solid)
{
    return elastic_inside(set_of(solid), body_of(solid));
}

#define ELASTIC_FUNCTIONS                                                                                                          \
    .deforms = true, .velocity_at = elastic_velocity_at, .mobility_at = elastic_mobility_at, .take_impulse = elastic_take_impulse, \
    .pose_after = elastic_pose_after, .surface = elastic_solid_surface, .vertex_mobility = elastic_vertex_mobility,                \
    .density = elastic_solid_density, .has_mobility = elastic_solid_has_mobility,                                                  \
    .prepare_mobility = elastic_solid_prepare_mobility, .predict = elastic_solid_predict, .mobility = elastic_solid_mobility,      \
    .carry = elastic_carry_along, .uncouple = elastic_uncouple, .bulk = elastic_bulk, .release = elastic_release,                  \
    .cut = elastic_solid_cut

const SolidKind solid_mass_points = {.name = "mass_points", ELASTIC_FUNCTIONS};
const SolidKind solid_fem = {.name = "fem", ELASTIC_FUNCTIONS};
const SolidKind solid_reduced = {
    .name = "reduced", ELASTIC_FUNCTIONS, .immerse = elastic_solid_immerse, .inside = elastic_solid_inside};

void elastic_bind_solid(ElasticSystem* system, int body, Solid* solid)
{
    const ElasticModel* model = system->set->body[body].model;
    solid->kind = model == &elastic_fem ? &solid_fem : model == &elastic_reduced ? &solid_reduced : &solid_mass_points;
    solid->system = system;
    solid->index = (size_t)body;
    solid->is_divisible = elastic_is_divisible(system->set, body);
}
