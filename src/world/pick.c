// SPDX-License-Identifier: MIT
// The first thing that a ray meets. Triangles are asked one by one, behind a sphere around each solid: picks come at the rate of a
// mouse, not of particles.
#include "world/world_parts.h"

// [m] along a unit direction to a triangle, infinite if the ray passes it by (Moeller and Trumbore 1997).
static double meet_triangle(Vec3d origin, Vec3d direction, Vec3d a, Vec3d b, Vec3d c)
{
    Vec3d ab = vec3d_sub(b, a), ac = vec3d_sub(c, a), p = vec3d_cross(direction, ac);
    double det = vec3d_dot(ab, p);
    if (det == 0)
        return INFINITY;
    Vec3d to = vec3d_sub(origin, a), q = vec3d_cross(to, ab);
    double u = vec3d_dot(to, p) / det, v = vec3d_dot(direction, q) / det, t = vec3d_dot(ac, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 ? t : (double)INFINITY;
}

// The same for a ball.
static double meet_ball(Vec3d origin, Vec3d direction, Vec3d centre, double radius)
{
    Vec3d to = vec3d_sub(centre, origin);
    double along = vec3d_dot(to, direction), aside = vec3d_dot(to, to) - along * along, r2 = radius * radius;
    if (aside > r2)
        return INFINITY;
    double half = sqrt(r2 - aside), t = along - half;
    return t >= 0 ? t : along + half >= 0 ? 0 : (double)INFINITY;
}

// In 2D a solid is an outline in the plane, and rays come through it from the front or go along it: what is inside is met in the
// plane, the rest by its distance from a segment.
static double meet_outline(const Solid* solid, Vec3d origin, Vec3d direction, double near, uint32_t* element)
{
    double best = INFINITY;
    if (fabs(direction.z) > 1e-9) {
        double t = -origin.z / direction.z;
        Vec3d local = solid_to_local(solid, vec3d_mad(origin, t, direction));
        bool in =
            t >= 0 && solid->closed && !solid->inside && solid->test && inside_contains(solid->test, vec3d(local.x, local.y, 0));
        bool at = t >= 0 && solid->test &&
                  inside_distance(solid->test, vec3d(local.x, local.y, 0), in ? 1e9 : near, NULL, element) < near;
        return in || at ? t : (double)INFINITY;
    }
    Vec3d a0 = solid_to_local(solid, origin), d = quat_unrotate(solid->pose.rotation, direction);
    for (size_t k = 0; k < solid->mesh.segment_count; k++) {
        Vec3d a = solid->mesh.vertex[solid->mesh.segment[k][0]], b = solid->mesh.vertex[solid->mesh.segment[k][1]];
        double ex = b.x - a.x, ey = b.y - a.y, det = d.x * ey - d.y * ex;
        if (det == 0)
            continue;
        double t = ((a.x - a0.x) * ey - (a.y - a0.y) * ex) / det, u = ((a.x - a0.x) * d.y - (a.y - a0.y) * d.x) / det;
        if (t >= 0 && u >= 0 && u <= 1 && t < best) {
            best = t;
            *element = (uint32_t)k;
        }
    }
    return best;
}

static void pick_solid(const mn_World* world, size_t number, Vec3d origin, Vec3d direction, mn_Pick* best)
{
    const Solid* solid = &world->solids.solid[number];
    const TriMesh* mesh = &solid->mesh;
    Vec3d o = solid_to_local(solid, origin), d = quat_unrotate(solid->pose.rotation, direction),
          normal = vec3d_scale(direction, -1);
    double nearest = INFINITY;
    uint32_t element = 0;
    if (mesh->triangle_count == 0) {
        nearest = meet_outline(solid, origin, direction, world->def.particle_radius, &element);
    } else if (isfinite(meet_ball(o, d, solid->bound_centre, 1.001 * solid->bound_radius))) {
        for (size_t t = 0; t < mesh->triangle_count; t++) {
            const uint32_t* v = mesh->triangle[t];
            Vec3d a = mesh->vertex[v[0]], b = mesh->vertex[v[1]], c = mesh->vertex[v[2]];
            double at = meet_triangle(o, d, a, b, c);
            if (!(at < nearest))
                continue;
            nearest = at;
            element = (uint32_t)t;
            normal = quat_rotate(solid->pose.rotation, vec3d_normalise(vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a))));
        }
    }
    if (!(nearest < best->distance))
        return;
    if (vec3d_dot(normal, direction) > 0)
        normal = vec3d_scale(normal, -1);
    *best = (mn_Pick){.what = MN_PICK_SOLID,
                      .solid = (mn_SolidId)(number + 1),
                      .element = element,
                      .distance = nearest,
                      .point = vec3d_mad(origin, nearest, direction),
                      .normal = normal};
}

// Particles are balls that touch each other.
static void pick_fluid(const mn_World* world, Vec3d origin, Vec3d direction, mn_Pick* best)
{
    mn_ParticleView view = mn_world_particles(world);
    double radius = 1.2 * world->def.particle_radius;
    for (size_t i = 0; i < view.count; i++) {
        const float* p = view.position + 4 * i;
        Vec3d centre = {(double)p[0], (double)p[1], (double)p[2]};
        double at = meet_ball(origin, direction, centre, radius);
        if (!(at < best->distance))
            continue;
        Vec3d point = vec3d_mad(origin, at, direction);
        *best = (mn_Pick){.what = MN_PICK_FLUID,
                          .element = (uint32_t)i,
                          .fluid = (mn_FluidId)(view.fluid[i] + 1),
                          .distance = at,
                          .point = point,
                          .normal = vec3d_normalise(vec3d_sub(point, centre))};
    }
}

mn_Pick mn_world_pick(const mn_World* world, mn_Vec3 origin, mn_Vec3 direction, int what)
{
    mn_Pick best = {.what = MN_PICK_NOTHING, .distance = INFINITY};
    direction = vec3d_normalise(direction);
    if (!vec3d_finite(origin) || !(vec3d_length(direction) > 0.5))
        return best;
    for (size_t k = 0; k < world->solids.count; k++) {
        const Solid* solid = &world->solids.solid[k];
        bool wanted = solid->inside ? what & MN_PICK_CONTAINERS : what & MN_PICK_SOLIDS;
        if (wanted && !solid->removed && (solid->visible || what & MN_PICK_HIDDEN))
            pick_solid(world, k, origin, direction, &best);
    }
    if (what & MN_PICK_FLUIDS)
        pick_fluid(world, origin, direction, &best);
    return best;
}
