// SPDX-License-Identifier: MIT
// Which side of solids fluid is on, by geometry alone: what starts in or too close to a solid is carved away, what gets to
// the wrong side later is brought back, or counted as leaked. The solver has no part in it.
#include "world/world_parts.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN = 1024 };

typedef struct Job {
    const mn_World* world;
    double near; // [m]
    uint8_t* doomed;
} Job;

static bool is_clear_of(const Solid* solid, Vec3d local, double margin)
{
    return vec3d_distance(local, solid->bound_centre) > solid->bound_radius + margin;
}

// In a solid or nearer than `near` to its surface, or in no container although there are some.
static bool must_go(const mn_World* world, Vec3d p, double near)
{
    bool contained = !world->contained;
    for (size_t k = 0; k < world->solid_count; k++) {
        const Solid* solid = &world->solid[k];
        Vec3d local = solid_to_local(solid, p);
        if (is_clear_of(solid, local, near))
            continue;
        if (inside_distance(solid->test, local, near, NULL, NULL) < near)
            return true;
        if (solid->closed && !world_is_sheet(world, k) && inside_contains(solid->test, local)) {
            if (!solid->inside)
                return true;
            contained = true;
        }
    }
    return !contained;
}

static void carve_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    for (size_t i = begin; i < end; i++) {
        Vec4 x = job->world->sph.fluid.position[i];
        job->doomed[i] = must_go(job->world, vec3d((double)x.x, (double)x.y, (double)x.z), job->near);
    }
}

size_t world_carve(mn_World* world)
{
    Fluid* fluid = &world->sph.fluid;
    if (fluid->count == 0 || world->solid_count == 0)
        return 0;
    if (!memory_reserve(&world->memory, &world->gone, &world->gone_capacity, 0, fluid->count, 1))
        return 0;
    // a lattice that starts exactly half a spacing from a wall must survive rounding
    Job job = {world, 0.97 * world->def.particle_radius, world->gone};
    parallel_for(world->pool, fluid->count, GRAIN, carve_block, &job);
    return particle_set_remove(&fluid->set, world->gone);
}

typedef struct OverlapJob {
    const mn_World* world;
    const Vec4* position; // sorted by cell
    double near;          // [m]
    uint8_t* close;       // has any neighbour that near
} OverlapJob;

// Calls `visit` for every particle closer than `near` to particle `at` (sorted numbers), itself included, until it says stop.
typedef bool VisitFn(void* context, uint32_t other);

static void visit_near(const OverlapJob* job, uint32_t at, VisitFn* visit, void* context)
{
    const CellGrid* grid = &job->world->sph.grid;
    Vec4 p = job->position[at];
    SegmentKey key = {grid_column(grid, (double)p.x) >> 6, grid_row(grid, p.y), grid_row(grid, p.z)};
    uint32_t around[27];
    if (!grid_around(grid, key, around))
        return;
    int32_t low = grid_column(grid, (double)p.x - job->near), high = grid_column(grid, (double)p.x + job->near);
    for (int row = 0; row < 9; row++) {
        uint32_t begin, end;
        grid_run(grid, key, around, row, low, high, &begin, &end);
        for (uint32_t j = begin; j < end; j++) {
            Vec4 q = job->position[j];
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
    const Fluid* fluid;
    const uint8_t* doomed;
    uint32_t self;
    bool taken;
} Keep;

// The place is taken if an older particle stays there.
static bool keep_visit(void* context, uint32_t other)
{
    Keep* keep = context;
    keep->taken = other != keep->self && !keep->doomed[other] && keep->fluid->id[other] < keep->fluid->id[keep->self];
    return !keep->taken;
}

static int by_age(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

bool world_thin_overlaps(mn_World* world, size_t* out_removed)
{
    Sph* sph = &world->sph;
    Fluid* fluid = &sph->fluid;
    *out_removed = 0;
    if (fluid->count == 0)
        return true;
    if (!grid_build(&sph->grid, world->pool, fluid->position, fluid->count, fluid->scratch))
        return false;
    particle_set_permute(&fluid->set, world->pool, sph->grid.order);
    uint8_t *close = memory_take(NULL, fluid->count), *doomed = memory_take(NULL, fluid->count);
    uint64_t* order = NULL;
    OverlapJob job = {world, fluid->position, 1.4 * world->def.particle_radius, close};
    size_t n = 0;
    if (close && doomed) {
        memset(doomed, 0, fluid->count);
        parallel_for(world->pool, fluid->count, GRAIN, close_block, &job);
        for (size_t i = 0; i < fluid->count; i++)
            n += close[i];
        order = memory_take(NULL, (n + 1) * sizeof *order);
    }
    bool ok = order != NULL;
    if (ok && n) { // oldest first
        for (size_t i = 0, k = 0; i < fluid->count; i++)
            if (close[i])
                order[k++] = (uint64_t)fluid->id[i] << 32 | i;
        qsort(order, n, sizeof *order, by_age);
        for (size_t k = 0; k < n; k++) {
            Keep keep = {fluid, doomed, (uint32_t)order[k], false};
            visit_near(&job, keep.self, keep_visit, &keep);
            doomed[keep.self] = keep.taken;
        }
        *out_removed = particle_set_remove(&fluid->set, doomed);
    }
    memory_give(NULL, close);
    memory_give(NULL, doomed);
    memory_give(NULL, order);
    return ok;
}

// --- beside sheets

// A sheet is one layer of boundary particles, which displaces more than the layer of fluid that is carved away for it, and it may
// start anywhere between two layers of the fluid.
static bool is_beside_sheet(const mn_World* world, Vec3d p, double near)
{
    for (size_t k = 0; k < world->solid_count; k++) {
        const Solid* solid = &world->solid[k];
        if (solid->closed && !world_is_sheet(world, k))
            continue;
        Vec3d local = solid_to_local(solid, p);
        if (!is_clear_of(solid, local, near) && inside_distance(solid->test, local, near, NULL, NULL) < near)
            return true;
    }
    return false;
}

static bool has_sheets(const mn_World* world)
{
    for (size_t k = 0; k < world->solid_count; k++)
        if (!world->solid[k].closed || world_is_sheet(world, k))
            return true;
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
    Sph* sph;
    uint32_t self;
} Lighten;

// What particle `self` adds to the density of another goes.
static bool lighten_visit(void* context, uint32_t other)
{
    const Lighten* l = context;
    Vec4 p = l->sph->fluid.position[l->self], q = l->sph->fluid.position[other];
    double dx = (double)(q.x - p.x), dy = (double)(q.y - p.y), dz = (double)(q.z - p.z);
    l->sph->fluid.density[other] -= (float)((double)l->sph->volume * kernel_w(&l->sph->kernel, sqrt(dx * dx + dy * dy + dz * dz)));
    return true;
}

bool world_thin_dense(mn_World* world, size_t* out_removed)
{
    const float most = 1.05f; // [1] of the rest density
    Fluid* fluid = &world->sph.fluid;
    *out_removed = 0;
    if (fluid->count == 0 || !has_sheets(world))
        return true;
    Dense* dense = memory_take(NULL, fluid->count * sizeof *dense);
    uint8_t* doomed = memory_take(NULL, fluid->count);
    bool ok = dense && doomed;
    size_t n = 0;
    for (size_t i = 0; ok && i < fluid->count; i++) {
        Vec4 x = fluid->position[i];
        doomed[i] = 0;
        if (fluid->density[i] > most &&
            is_beside_sheet(world, vec3d((double)x.x, (double)x.y, (double)x.z), 4 * world->def.particle_radius))
            dense[n++] = (Dense){fluid->density[i], fluid->id[i], (uint32_t)i};
    }
    if (ok && n)
        qsort(dense, n, sizeof *dense, by_density);
    OverlapJob job = {.world = world, .position = fluid->position, .near = (double)world->sph.kernel.h};
    for (size_t k = 0; ok && k < n; k++) {
        Lighten l = {&world->sph, dense[k].at};
        doomed[l.self] = fluid->density[l.self] > most;
        if (doomed[l.self])
            visit_near(&job, l.self, lighten_visit, &l);
    }
    if (ok && n)
        *out_removed = particle_set_remove(&fluid->set, doomed);
    memory_give(NULL, dense);
    memory_give(NULL, doomed);
    return ok;
}

// --- leaks

// Closed solids as they are now: those of elastic volumes are built for the question, sheets have none. NULL: not asked.
typedef struct LeakJob {
    const mn_World* world;
    bool check_containers;
    const InsideTest** test; // (solids) NULL: only those that are not moved by what they touch
    uint32_t* leaked;        // per block
} LeakJob;

static const InsideTest* test_of(const LeakJob* job, size_t k)
{
    const Solid* solid = &job->world->solid[k];
    bool wall = solid->type == MN_SOLID_STATIC || solid->type == MN_SOLID_KINEMATIC;
    return job->test ? job->test[k] : wall && solid->closed ? solid->test : NULL;
}

// Most containers are boxes, and most particles well within.
static bool is_in_box(const Solid* solid, Vec3d local)
{
    Vec3d d = vec3d_sub(local, solid->bound_centre), half = solid->bound_half;
    bool box = solid->shape.type == MN_SHAPE_BOX && solid->type != MN_SOLID_ELASTIC; // and stays one
    return box && fabs(d.x) < half.x && fabs(d.y) < half.y && fabs(d.z) < fmax(half.z, 1e-300);
}

// On the wrong side by more than a particle radius: the whole particle is where it cannot be.
static bool is_leaked(const LeakJob* job, Vec3d p)
{
    const mn_World* world = job->world;
    double margin = world->def.particle_radius;
    bool contained = !job->check_containers;
    for (size_t k = 0; k < world->solid_count; k++) {
        const Solid* solid = &world->solid[k];
        const InsideTest* test = test_of(job, k);
        if (!test || (solid->inside && contained))
            continue;
        Vec3d local = solid_to_local(solid, p);
        if (is_clear_of(solid, local, margin))
            continue;
        bool in = is_in_box(solid, local) || inside_contains(test, local);
        if (solid->inside)
            contained = in || inside_distance(test, local, margin, NULL, NULL) < margin;
        else if (in && inside_distance(test, local, margin, NULL, NULL) >= margin)
            return true;
    }
    return !contained;
}

static bool is_born_outside(const mn_World* world)
{
    for (size_t e = 0; e < world->emitter_count; e++) {
        bool contained = false;
        for (size_t k = 0; k < world->solid_count && !contained; k++) {
            const Solid* solid = &world->solid[k];
            contained = solid->inside && inside_contains(solid->test, solid_to_local(solid, world->emitter[e].def.position));
        }
        if (!contained)
            return true;
    }
    return false;
}

static void leak_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const LeakJob* job = context;
    uint32_t n = 0;
    for (size_t i = begin; i < end; i++) {
        Vec4 x = job->world->sph.fluid.position[i];
        n += is_leaked(job, vec3d((double)x.x, (double)x.y, (double)x.z));
    }
    job->leaked[block] = n;
}

static bool is_elastic(const mn_World* world, size_t k)
{
    return world->solid[k].type == MN_SOLID_ELASTIC;
}

// Tests of closed solids as they are now. False: out of memory.
static bool find_tests(const mn_World* world, const InsideTest** test)
{
    bool ok = true;
    for (size_t k = 0; k < world->solid_count; k++) {
        const Solid* solid = &world->solid[k];
        test[k] = solid->closed ? solid->test : NULL;
        if (is_elastic(world, k))
            test[k] = solid->closed && !world_is_sheet(world, k) ? inside_create(&solid->mesh, NULL) : NULL;
        ok = ok && (test[k] || !solid->closed || world_is_sheet(world, k));
    }
    return ok;
}

uint64_t world_count_leaks(const mn_World* world)
{
    size_t count = world->sph.fluid.count, blocks = block_count(count, GRAIN);
    if (count == 0 || world->solid_count == 0)
        return 0;
    uint32_t* leaked = memory_take(NULL, blocks * sizeof *leaked);
    const InsideTest** test = memory_take(NULL, world->solid_count * sizeof *test);
    if (!leaked || !test) {
        memory_give(NULL, leaked);
        memory_give(NULL, test);
        return 0;
    }
    LeakJob job = {world, world->contained && !is_born_outside(world), test, leaked};
    uint64_t sum = passages_count(&world->passages);
    if (find_tests(world, test)) {
        parallel_for(world->pool, count, GRAIN, leak_block, &job);
        for (size_t b = 0; b < blocks; b++)
            sum += leaked[b];
    }
    for (size_t k = 0; k < world->solid_count; k++)
        if (is_elastic(world, k))
            inside_destroy((InsideTest*)test[k]);
    memory_give(NULL, leaked);
    memory_give(NULL, test);
    return sum;
}

// --- back to the right side

typedef struct ReturnJob {
    LeakJob leak;
    mn_World* world;
    size_t turn; // of TURNS
} ReturnJob;

// Particles are looked at in turn, each every so many steps.
enum { TURNS = 16 };

// Where a leaked particle came from: the surface of the solid that it is in, or of the nearest container.
static const Solid* find_way_back(const LeakJob* job, Vec3d p, Vec3d* out_closest)
{
    const mn_World* world = job->world;
    const Solid* from = NULL;
    double least = INFINITY, margin = world->def.particle_radius;
    for (size_t k = 0; k < world->solid_count; k++) {
        const Solid* solid = &world->solid[k];
        const InsideTest* test = test_of(job, k);
        Vec3d local = solid_to_local(solid, p), closest = local;
        if (!test || (!solid->inside && !inside_contains(test, local)))
            continue;
        double far = inside_distance(test, local, 4 * margin + vec3d_distance(local, solid->bound_centre) + solid->bound_radius,
                                     &closest, NULL);
        if (solid->inside ? far < least : far >= margin) {
            from = solid;
            least = solid->inside ? far : 0;
            *out_closest = solid_to_world(solid, closest);
        }
    }
    return from;
}

static bool bring_back(const ReturnJob* job, size_t i)
{
    Vec4 *x = &job->world->sph.fluid.position[i], *v = &job->world->sph.fluid.velocity[i];
    Vec3d at = {(double)x->x, (double)x->y, (double)x->z}, closest = at;
    const Solid* solid = is_leaked(&job->leak, at) ? find_way_back(&job->leak, at, &closest) : NULL;
    if (!solid)
        return false;
    Vec3d n = vec3d_normalise(vec3d_sub(closest, at)), to = vec3d_mad(closest, 0.05 * job->world->def.particle_radius, n);
    if (is_leaked(&job->leak, to))
        return false;
    // it goes on with the surface
    Vec3d slip = vec3d_sub(solid_velocity_at(solid, to), vec3d((double)v->x, (double)v->y, (double)v->z));
    double gain = fmax(0, vec3d_dot(slip, n));
    *x = (Vec4){(float)to.x, (float)to.y, (float)to.z, x->w};
    *v = (Vec4){v->x + (float)(gain * n.x), v->y + (float)(gain * n.y), v->z + (float)(gain * n.z), v->w};
    return true;
}

static void return_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ReturnJob* job = context;
    size_t first = (job->turn + block * TURNS) * GRAIN, count = job->world->sph.fluid.count, returned = 0;
    for (size_t i = first; i < count && i < first + GRAIN; i++)
        returned += bring_back(job, i);
    job->world->sph.partial[block] = (double)returned;
}

size_t world_bring_back(mn_World* world)
{
    Sph* sph = &world->sph;
    bool check_containers = world->contained && !is_born_outside(world);
    ReturnJob job = {{.world = world, .check_containers = check_containers}, world, world->state.steps % TURNS};
    size_t blocks = block_count(sph->fluid.count, (size_t)GRAIN * TURNS), returned = 0;
    parallel_for(world->pool, blocks, 1, return_block, &job);
    for (size_t b = 0; b < blocks; b++)
        returned += (size_t)sph->partial[b];
    return returned;
}
