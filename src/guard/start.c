// SPDX-License-Identifier: MIT
// Which fluid a scene starts with: none in or too close to solids, none on top of other fluid, none compressed beside a sheet.
#include "guard/guard_parts.h"

#include "mesh/closest.h"
#include <stdlib.h>
#include <string.h>

enum { GRAIN = 1024 };
static const uint32_t STAYS = UINT32_MAX;

// --- carving

typedef struct CarveJob {
    const Guard* guard;
    double near;     // [m]
    uint32_t* taken; // (particles) the solid for which it goes, or STAYS
} CarveJob;

// [m] from a solid's surface, at most `limit`
static double distance_to(const Solid* solid, GuardSort sort, Vec3d local, double limit)
{
    if (sort != GUARD_LINE)
        return inside_distance(solid->test, local, limit, NULL, NULL);
    for (size_t k = 0; k < solid->mesh.segment_count; k++) {
        const uint32_t* s = solid->mesh.segment[k];
        Vec3d closest = closest_on_segment(local, solid->mesh.vertex[s[0]], solid->mesh.vertex[s[1]]);
        limit = fmin(limit, vec3d_distance(local, closest));
    }
    return limit;
}

// The solid that a point is in or nearer to than `near`, or, unless it may be `anywhere`, the first container if it is in none
// although there are some.
static uint32_t find_taker(const Guard* g, Vec3d p, double near, bool anywhere)
{
    uint32_t outside = STAYS;
    bool contained = anywhere || !g->has_containers;
    for (size_t k = 0; k < g->def.solid_count; k++) {
        const Solid* solid = &g->def.solid[k];
        GuardSort sort = g->solid[k].sort;
        if (sort == GUARD_CONTAINER && outside == STAYS)
            outside = (uint32_t)k;
        Vec3d local = solid_to_local(solid, p);
        if (sort == GUARD_NOTHING || guard_is_clear(solid, local, near))
            continue;
        if (distance_to(solid, sort, local, near) < near)
            return (uint32_t)k;
        bool has_inside =
            sort == GUARD_CONTAINER || sort == GUARD_BODY || ((sort == GUARD_VOLUME || sort == GUARD_CARRIED) && solid->closed);
        if (has_inside && inside_contains(solid->test, local)) {
            if (sort != GUARD_CONTAINER)
                return (uint32_t)k;
            contained = true;
        }
    }
    return contained ? STAYS : outside;
}

bool guard_is_open(const Guard* g, Vec3d p, double near, bool outside)
{
    return find_taker(g, p, near, outside) == STAYS;
}

static void carve_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const CarveJob* job = context;
    for (size_t i = begin; i < end; i++)
        job->taken[i] = find_taker(job->guard, guard_to(job->guard, i), job->near, false);
}

bool guard_carve(Guard* g, size_t* out_removed)
{
    size_t count = moving_count(&g->fluid.particles);
    *out_removed = 0;
    if (count == 0 || g->def.solid_count == 0)
        return true;
    uint32_t* taken = memory_take(NULL, count * sizeof *taken);
    uint8_t* removed = memory_take(NULL, count);
    bool ok = taken && removed;
    if (ok) {
        // a lattice that starts exactly half a spacing from a wall must survive rounding
        CarveJob job = {g, 0.97 * g->def.radius, taken};
        parallel_for(g->def.pool, count, GRAIN, carve_block, &job);
        for (size_t i = 0; i < count; i++) {
            removed[i] = taken[i] != STAYS;
            if (removed[i])
                g->record[taken[i]].count.carved++;
        }
        *out_removed = particle_set_remove(g->fluid.particles.set, removed);
    }
    memory_give(NULL, taken);
    memory_give(NULL, removed);
    return ok;
}

// --- as far away as solids hold it

typedef struct KeepOffJob {
    const Guard* guard;
    double distance; // [m]
} KeepOffJob;

// [m] to the nearest solid, at most `limit`, and the direction away from it.
static double nearest_solid(const Guard* g, Vec3d p, double limit, Vec3d* away)
{
    for (size_t k = 0; k < g->def.solid_count; k++) {
        const Solid* solid = &g->def.solid[k];
        GuardSort sort = g->solid[k].sort;
        Vec3d local = solid_to_local(solid, p), closest;
        if (sort == GUARD_NOTHING || sort == GUARD_LINE || guard_is_clear(solid, local, limit))
            continue;
        double distance = inside_distance(solid->test, local, limit, &closest, NULL);
        if (!(distance < limit && distance > 0))
            continue;
        limit = distance;
        *away = quat_rotate(solid->pose.rotation, vec3d_scale(vec3d_sub(local, closest), 1 / distance));
    }
    return limit;
}

// Corners take a push by each of their walls. In a gap that is too narrow pushes become shorter and end near its middle; the
// farthest place that was found counts.
static Vec3d keep_off(const KeepOffJob* job, Vec3d p)
{
    enum { WHOLE = 6, PUSHES = 30 };
    Vec3d best = p, away = {0};
    double farthest = nearest_solid(job->guard, p, job->distance, &away), far = farthest;
    for (int k = 0; k < PUSHES && farthest < 0.999 * job->distance; k++) {
        double share = k < WHOLE ? 1 : 1.0 / (k - WHOLE + 2);
        p = vec3d_mad(p, share * (job->distance - far), away);
        far = nearest_solid(job->guard, p, job->distance, &away);
        if (far > farthest) {
            farthest = far;
            best = p;
        }
    }
    return best;
}

static void keep_off_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const KeepOffJob* job = context;
    for (size_t i = begin; i < end; i++) {
        Vec3d p = keep_off(job, guard_to(job->guard, i));
        Vec4* at = &(*job->guard->fluid.particles.position)[i];
        *at = (Vec4){(float)p.x, (float)p.y, (float)p.z, at->w};
    }
}

void guard_keep_off(Guard* g, double distance)
{
    KeepOffJob job = {g, distance};
    if (g->def.solid_count > 0)
        parallel_for(g->def.pool, moving_count(&g->fluid.particles), GRAIN, keep_off_block, &job);
}

// --- fluid on top of fluid

typedef struct OverlapJob {
    const GuardedParticles* fluid; // sorted by cell
    double near;                   // [m]
    uint8_t* close;                // has any neighbour that near
} OverlapJob;

// Calls `visit` for every particle closer than `near` to particle `at` (sorted numbers), itself included, until it says stop.
typedef bool VisitFn(void* context, uint32_t other);

static void visit_near(const OverlapJob* job, uint32_t at, VisitFn* visit, void* context)
{
    const CellGrid* grid = job->fluid->grid;
    const Vec4* position = *job->fluid->particles.position;
    Vec4 p = position[at];
    SegmentKey key = {grid_column(grid, (double)p.x) >> 6, grid_row(grid, p.y), grid_row(grid, p.z)};
    uint32_t around[27];
    if (!grid_around(grid, key, around))
        return;
    int32_t low = grid_column(grid, (double)p.x - job->near), high = grid_column(grid, (double)p.x + job->near);
    for (int row = 0; row < 9; row++) {
        uint32_t begin, end;
        grid_run(grid, key, around, row, low, high, &begin, &end);
        for (uint32_t j = begin; j < end; j++) {
            Vec4 q = position[j];
            double dx = (double)(q.x - p.x), dy = (double)(q.y - p.y), dz = (double)(q.z - p.z);
            if (dx * dx + dy * dy + dz * dz < job->near * job->near && !visit(context, j))
                return;
        }
    }
}

static bool count_visit(void* context, uint32_t other)
{
    return ++*(int*)context < 2;
}

static void close_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const OverlapJob* job = context;
    for (size_t i = begin; i < end; i++) {
        int count = 0;
        visit_near(job, (uint32_t)i, count_visit, &count);
        job->close[i] = count > 1;
    }
}

typedef struct Keep {
    const uint32_t* id;
    const uint8_t* removed;
    uint32_t self;
    bool taken;
} Keep;

// The place is taken if an older particle stays there.
static bool keep_visit(void* context, uint32_t other)
{
    Keep* keep = context;
    keep->taken = other != keep->self && !keep->removed[other] && keep->id[other] < keep->id[keep->self];
    return !keep->taken;
}

static int by_age(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

// Of those that are close to others, the oldest first: they go if an older one stays.
static void choose_overlapping(const OverlapJob* job, uint32_t first_id, uint64_t* order, size_t n, uint8_t* removed)
{
    const uint32_t* id = *job->fluid->particles.id;
    for (size_t i = 0, k = 0; i < moving_count(&job->fluid->particles); i++)
        if (job->close[i])
            order[k++] = (uint64_t)id[i] << 32 | i;
    qsort(order, n, sizeof *order, by_age);
    for (size_t k = 0; k < n; k++) {
        Keep keep = {id, removed, (uint32_t)order[k], false};
        visit_near(job, keep.self, keep_visit, &keep);
        removed[keep.self] = keep.taken && id[keep.self] >= first_id;
    }
}

bool guard_thin_overlaps(Guard* g, uint32_t first_id, size_t* out_removed)
{
    ParticleSet* set = g->fluid.particles.set;
    *out_removed = 0;
    if (set->count == 0)
        return true;
    if (!moving_sort(&g->fluid.particles, g->fluid.grid, g->def.pool))
        return false;
    uint8_t *close = memory_take(NULL, set->count), *removed = memory_take(NULL, set->count);
    uint64_t* order = NULL;
    OverlapJob job = {&g->fluid, 1.4 * g->def.radius, close};
    size_t n = 0;
    if (close && removed) {
        memset(removed, 0, set->count);
        parallel_for(g->def.pool, set->count, GRAIN, close_block, &job);
        for (size_t i = 0; i < set->count; i++)
            n += close[i];
        order = memory_take(NULL, (n + 1) * sizeof *order);
    }
    bool ok = order != NULL;
    if (ok && n) {
        choose_overlapping(&job, first_id, order, n, removed);
        *out_removed = particle_set_remove(set, removed);
    }
    memory_give(NULL, close);
    memory_give(NULL, removed);
    memory_give(NULL, order);
    return ok;
}

// --- beside sheets

// A sheet is one layer of boundary particles, which displaces more than the layer of fluid that is carved away for it, and it may
// start anywhere between two layers of the fluid.
static bool has_two_sides(GuardSort sort)
{
    return sort == GUARD_SHELL || sort == GUARD_SHEET;
}

static bool is_beside_sheet(const Guard* g, Vec3d p, double near)
{
    for (size_t k = 0; k < g->def.solid_count; k++) {
        const Solid* solid = &g->def.solid[k];
        if (!has_two_sides(g->solid[k].sort))
            continue;
        Vec3d local = solid_to_local(solid, p);
        if (!guard_is_clear(solid, local, near) && inside_distance(solid->test, local, near, NULL, NULL) < near)
            return true;
    }
    return false;
}

typedef struct Dense {
    float density; // [1] at first
    uint32_t id, at;
} Dense;

static int by_density(const void* a, const void* b)
{
    const Dense *x = a, *y = b;
    if (x->density != y->density)
        return x->density > y->density ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

typedef struct Lighten {
    const GuardDensity* field;
    const Vec4* position;
    uint32_t self;
} Lighten;

// What particle `self` adds to the density of another goes.
static bool lighten_visit(void* context, uint32_t other)
{
    const Lighten* l = context;
    Vec4 p = l->position[l->self], q = l->position[other];
    double dx = (double)(q.x - p.x), dy = (double)(q.y - p.y), dz = (double)(q.z - p.z);
    l->field->density[other] -= (float)(l->field->volume * kernel_w(l->field->kernel, sqrt(dx * dx + dy * dy + dz * dz)));
    return true;
}

static const float MOST_DENSE = 1.05f; // [1] of the rest density

// The densest first: each one that goes makes those around it lighter.
static void choose_dense(const Guard* g, const GuardDensity* field, Dense* dense, size_t n, uint8_t* removed)
{
    qsort(dense, n, sizeof *dense, by_density);
    OverlapJob job = {.fluid = &g->fluid, .near = (double)field->kernel->h};
    for (size_t k = 0; k < n; k++) {
        Lighten l = {field, *g->fluid.particles.position, dense[k].at};
        removed[l.self] = field->density[l.self] > MOST_DENSE;
        if (removed[l.self])
            visit_near(&job, l.self, lighten_visit, &l);
    }
}

bool guard_thin_dense(Guard* g, const GuardDensity* field, size_t* out_removed)
{
    ParticleSet* set = g->fluid.particles.set;
    const uint32_t* id = *g->fluid.particles.id;
    *out_removed = 0;
    if (set->count == 0 || !g->has_sides)
        return true;
    Dense* dense = memory_take(NULL, set->count * sizeof *dense);
    uint8_t* removed = memory_take(NULL, set->count);
    bool ok = dense && removed;
    size_t n = 0;
    for (size_t i = 0; ok && i < set->count; i++) {
        removed[i] = 0;
        if (field->density[i] > MOST_DENSE && is_beside_sheet(g, guard_to(g, i), 4 * g->def.radius))
            dense[n++] = (Dense){field->density[i], id[i], (uint32_t)i};
    }
    if (ok && n) {
        choose_dense(g, field, dense, n, removed);
        *out_removed = particle_set_remove(set, removed);
    }
    memory_give(NULL, dense);
    memory_give(NULL, removed);
    return ok;
}
