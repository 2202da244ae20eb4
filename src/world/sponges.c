// SPDX-License-Identifier: MIT
// Sponges: boxes in which velocities decay towards a given one,
//   v <- u + (v - u) exp(-rate s^2 dt),   s from 0 to 1 along the sponge's direction
// before pressures are found. A gentle beginning lets waves in; what is left of them comes back through it once more.
#include "world/world_parts.h"

#include "base/error.h"
#include "defs/keys.h"

mn_Result mn_world_add_sponge(mn_World* world, const mn_Sponge* def, mn_Error* error)
{
    mn_Result result = world_check_def(world, &sponge_section, world->sources.sponge_count, def, error);
    if (result != MN_OK)
        return result;
    if (!memory_reserve(&world->memory, &world->sources.sponge, &world->sources.sponge_capacity, world->sources.sponge_count,
                        world->sources.sponge_count + 1, sizeof *world->sources.sponge) ||
        !world_keep_def(world, &sponge_section, def))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a sponge");
    world->sources.sponge[world->sources.sponge_count++] = *def;
    return MN_OK;
}

typedef struct Damp {
    const mn_World* world;
    const mn_Sponge* sponge;
    Vec3d direction; // of length 1, or zero
    double from, to; // [m] the box along it
    double dt;
} Damp;

static Damp damp_of(const mn_World* world, const mn_Sponge* sponge, double dt)
{
    Damp d = {world, sponge, vec3d_normalise(sponge->direction), INFINITY, -INFINITY, dt};
    bool flat = world->def.dimension == 2;
    for (int corner = 0; corner < 8; corner++) {
        Vec3d x = {corner & 1 ? sponge->max.x : sponge->min.x, corner & 2 ? sponge->max.y : sponge->min.y,
                   flat         ? 0
                   : corner & 4 ? sponge->max.z
                                : sponge->min.z};
        d.from = fmin(d.from, vec3d_dot(d.direction, x));
        d.to = fmax(d.to, vec3d_dot(d.direction, x));
    }
    return d;
}

static bool is_in(const Damp* d, Vec3d x)
{
    const mn_Sponge* s = d->sponge;
    return x.x >= s->min.x && x.x <= s->max.x && x.y >= s->min.y && x.y <= s->max.y &&
           (d->world->def.dimension == 2 || (x.z >= s->min.z && x.z <= s->max.z));
}

static void damp_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Damp* d = context;
    const Vec4* position = *d->world->particles.position;
    Vec4* velocity = *d->world->particles.velocity;
    for (size_t i = begin; i < end; i++) {
        Vec3d x = {(double)position[i].x, (double)position[i].y, (double)position[i].z};
        if (!is_in(d, x))
            continue;
        double s = d->to > d->from ? (vec3d_dot(d->direction, x) - d->from) / (d->to - d->from) : 1;
        float share = (float)(1 - exp(-d->sponge->rate * s * s * d->dt));
        Vec4* v = &velocity[i];
        v->x += share * ((float)d->sponge->velocity.x - v->x);
        v->y += share * ((float)d->sponge->velocity.y - v->y);
        v->z += share * ((float)d->sponge->velocity.z - v->z);
    }
}

void world_damp_fluid(mn_World* world, double dt)
{
    enum { GRAIN = 4096 };
    for (size_t k = 0; k < world->sources.sponge_count; k++) {
        Damp d = damp_of(world, &world->sources.sponge[k], dt);
        parallel_for(world->pool, moving_count(&world->particles), GRAIN, damp_block, &d);
    }
}
