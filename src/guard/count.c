// SPDX-License-Identifier: MIT
// Who is on the wrong side, by geometry alone: the solver and the sweep have no part in it.
#include "guard/guard_parts.h"

enum { BLOCKS = 64 };

bool guard_is_in_box(const Solid* solid, Vec3d local)
{
    Vec3d d = vec3d_sub(local, solid->bound_centre), half = solid->bound_half;
    bool box = solid->shape.type == MN_SHAPE_BOX;
    return box && fabs(d.x) < half.x && fabs(d.y) < half.y && fabs(d.z) < fmax(half.z, 1e-300);
}

bool guard_is_contained(const Guard* g, Vec3d point, double margin, size_t except)
{
    for (size_t k = 0; k < g->def.solid_count; k++) {
        const Solid* solid = &g->def.solid[k];
        if (g->solid[k].sort != GUARD_CONTAINER || k == except)
            continue;
        Vec3d local = pose_to_local(&g->solid[k].now, point);
        if (guard_is_clear(solid, local, margin))
            continue;
        if (guard_is_in_box(solid, local) || inside_contains(solid->test, local) ||
            (margin > 0 && inside_distance(solid->test, local, margin, NULL, NULL) < margin))
            return true;
    }
    return false;
}

// In a solid by more than a particle radius, or outside of all containers: the whole particle is where it cannot be.
static bool is_leaked(const Guard* g, Vec3d p, bool check_containers)
{
    double margin = g->def.radius;
    for (size_t k = 0; k < g->def.solid_count; k++) {
        const Solid* solid = &g->def.solid[k];
        const GuardSolid* s = &g->solid[k];
        const InsideTest* test = s->sort == GUARD_BODY ? solid->test : s->test;
        Vec3d local = s->sort == GUARD_BODY ? pose_to_local(&s->now, p) : p;
        if (!test || (s->sort == GUARD_BODY && guard_is_clear(solid, local, margin)))
            continue;
        if (inside_contains(test, local) && inside_distance(test, local, margin, NULL, NULL) >= margin)
            return true;
    }
    return check_containers && !guard_is_contained(g, p, margin, SIZE_MAX);
}

typedef struct LeakJob {
    const Guard* guard;
    bool check_containers;
    uint64_t leaked[BLOCKS];
} LeakJob;

static void leak_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    LeakJob* job = context;
    const int8_t* crossings = job->guard->crossings;
    uint64_t n = 0;
    for (size_t i = begin; i < end; i++) {
        bool crossed = crossings && crossings[i];
        n += crossed || is_leaked(job->guard, guard_to(job->guard, i), job->check_containers);
    }
    job->leaked[block] = n;
}

uint64_t guard_count_leaks(const Guard* g)
{
    size_t count = moving_count(&g->fluid.particles);
    uint64_t sum = g->gone;
    if (count == 0 || g->def.solid_count == 0)
        return sum;
    LeakJob job = {.guard = g, .check_containers = g->has_containers && !guard_is_born_outside(g)};
    size_t grain = block_count(count, BLOCKS);
    parallel_for(g->def.pool, count, grain, leak_block, &job);
    for (size_t b = 0; b < block_count(count, grain); b++)
        sum += job.leaked[b];
    return sum;
}
