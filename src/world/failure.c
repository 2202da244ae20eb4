// SPDX-License-Identifier: MIT
// Why a step failed, in words: what moves impossibly fast, where, and next to which solids.
#include "world/world_parts.h"

#include "base/error.h"
#include <stdio.h>

mn_Result world_fail_invalid(const mn_World* world, mn_Error* error)
{
    const Vec4 *position = *world->particles.position, *velocity = *world->particles.velocity;
    for (size_t i = 0; i < moving_count(&world->particles); i++) {
        Vec4 v = velocity[i], x = position[i];
        if (!(v.x * v.x + v.y * v.y + v.z * v.z < 1e30f))
            return error_set(error, MN_INVALID,
                             "particle %u at (%g, %g, %g) has no finite velocity after the pressure solve of step %llu at t = %g s",
                             (*world->particles.id)[i], (double)x.x, (double)x.y, (double)x.z,
                             (unsigned long long)world->state.steps, world->state.time);
    }
    return error_set(error, MN_INVALID, "velocities are not finite in step %llu at t = %g s",
                     (unsigned long long)world->state.steps, world->state.time);
}

// The solids around a point, as ", next to 'a' and 'b'".
static void name_around(const mn_World* world, Vec3d p, char* text, size_t size)
{
    double near = 3 * world->def.particle_radius;
    size_t used = 0;
    text[0] = 0;
    for (size_t k = 0, named = 0; k < world->solids.count && named < 3; k++) {
        const Solid* s = &world->solids.solid[k];
        Vec3d local = solid_to_local(s, p);
        if (s->type == MN_SOLID_ELASTIC || vec3d_distance(local, s->bound_centre) > s->bound_radius + near)
            continue;
        bool in = s->closed && !s->inside && inside_contains(s->test, local);
        if (in || inside_distance(s->test, local, near, NULL, NULL) < near)
            used += (size_t)snprintf(text + used, size - used, "%s'%.64s'", named++ ? " and " : ", next to ", s->name);
    }
}

// The solid whose particle moves fastest, as " of 'a'".
static void name_fastest_solid(const mn_World* world, char* text, size_t size)
{
    const Boundary* b = &world->boundary;
    float most = -1;
    snprintf(text, size, " of a solid");
    for (size_t i = 0; i < b->count; i++) {
        Vec4 v = b->velocity[i];
        float v2 = v.x * v.x + v.y * v.y + v.z * v.z;
        if (v2 > most) {
            most = v2;
            snprintf(text, size, " of '%.64s'", world->solids.solid[b->solid[i]].name);
        }
    }
}

// The solid that moves as told and that the fluid resists most, if that is far more than the fluid's weight or thrust could cause.
static const Solid* find_squeezer(const mn_World* world)
{
    const Solid* squeezer = NULL;
    double g =
        fmax(vec3d_length(world->def.gravity), world->state.expected_speed * world->state.expected_speed / world->scale.support);
    double most = 10 * g * 1000 * world->scale.particle_volume * (double)moving_count(&world->particles);
    for (size_t k = 0; k < world->solids.count; k++) {
        const Solid* s = &world->solids.solid[k];
        bool moves = vec3d_length(s->velocity) + vec3d_length(s->angular_velocity) > 0;
        if (s->kind == &solid_kinematic && moves && vec3d_length(s->force) > most) {
            most = vec3d_length(s->force);
            squeezer = s;
        }
    }
    return squeezer;
}

mn_Result world_watch_squeeze(mn_World* world, double dt, mn_Error* error)
{
    enum { PATIENCE = 1000 }; // steps; an impact is over after some tens
    bool grinds = !(world->def.solver.time_step > 0) && dt <= 2 * world->limits.least_dt;
    world->state.grinding = grinds ? world->state.grinding + 1 : 0;
    if (world->state.grinding < PATIENCE)
        return MN_OK;
    const Solid* s = find_squeezer(world);
    if (!s) { // what else needs such steps may go on
        world->state.grinding = 0;
        return MN_OK;
    }
    return error_set(
        error, MN_INVALID,
        "solid '%.64s' squeezes fluid that has nowhere to go: %.3g N resist it, and the last %d steps were as short as %.2g s, "
        "in step %llu at t = %g s",
        s->name, vec3d_length(s->force), PATIENCE, dt, (unsigned long long)world->state.steps, world->state.time);
}

mn_Result world_fail_impossible(const mn_World* world, double speed, mn_Error* error)
{
    const Vec4 *position = *world->particles.position, *velocity = *world->particles.velocity;
    size_t fastest = 0;
    float most = -1;
    for (size_t i = 0; i < moving_count(&world->particles); i++) {
        Vec4 v = velocity[i];
        float v2 = v.x * v.x + v.y * v.y + v.z * v.z;
        if (v2 > most) {
            most = v2;
            fastest = i;
        }
    }
    char where[256], around[256] = "";
    if (sqrt((double)most) > 0.99 * speed) {
        Vec4 x = position[fastest];
        name_around(world, vec3d((double)x.x, (double)x.y, (double)x.z), around, sizeof around);
        snprintf(where, sizeof where, " at (%.3g, %.3g, %.3g)%.180s", (double)x.x, (double)x.y, (double)x.z, around);
    } else {
        name_fastest_solid(world, where, sizeof where);
    }
    const Solid* squeezer = find_squeezer(world);
    char why[128] = "";
    if (squeezer)
        snprintf(why, sizeof why, ": solid '%.64s' squeezes fluid that has nowhere to go", squeezer->name);
    return error_set(error, MN_INVALID,
                     "a particle%s%s moves at %.3g m/s in step %llu at t = %g s, far beyond what the scene can cause%s", where,
                     around[0] ? "," : "", speed, (unsigned long long)world->state.steps, world->state.time, why);
}
