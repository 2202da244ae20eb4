// SPDX-License-Identifier: MIT
// Whose path of this step leads to the wrong side of a solid that moves as one or is carried (meet.c says what that is).
//
// Few particles can meet anything: those that had boundary particles around before the step, in chunks of eight, and only the
// solids of these. Long paths and fast solids go farther than boundary particles were looked for: such particles are compared with
// all solids, and such solids with all particles in the box around their path.
#include "guard/guard_parts.h"

#include "base/reduce.h"
#include <stdlib.h>
#include <string.h>

// In 2D normals lie in the plane but for rounding, and for the bytes in which the side where a particle came into a thin body is
// kept: 0.01 across the plane, which took particles to cells in which there are no walls.
static Meeting flattened(Meeting m)
{
    m.place.point.z = 0;
    m.normal = vec3d_normalise(vec3d(m.normal.x, m.normal.y, 0));
    return m;
}

void guard_note(Guard* g, int worker, const Meeting* meeting)
{
    MeetingList* list = &g->list[worker];
    if (memory_reserve(g->def.memory, &list->item, &list->capacity, list->count, list->count + 1, sizeof *list->item))
        list->item[list->count++] = g->def.dimension == 2 ? flattened(*meeting) : *meeting;
    else
        list->failed = true;
}

// --- eight at a time

// Lanes of a chunk whose particles are within a solid's frame after the step.
static unsigned lanes_within(const Guard* g, const GuardFrame* frame, size_t chunk)
{
    unsigned lanes = 0xff;
    F8 x, y, z, unused;
    f8_load4(*g->fluid.particles.position + LANES * chunk, &x, &y, &z, &unused);
    x = f8_sub(x, f8_set(frame->centre[0]));
    y = f8_sub(y, f8_set(frame->centre[1]));
    z = f8_sub(z, f8_set(frame->centre[2]));
    for (int a = 0; a < 3; a++) {
        const float* n = frame->axis[a];
        F8 at = f8_mad(f8_set(n[2]), z, f8_mad(f8_set(n[1]), y, f8_mul(f8_set(n[0]), x)));
        lanes &= f8_mask(f8_less(f8_max(at, f8_sub(f8_zero(), at)), f8_set(frame->half[a])));
    }
    return lanes;
}

// Whether somebody of a chunk is to be compared with carried solids.
static bool lanes_asked(const Guard* g, size_t chunk)
{
    uint64_t bytes = 1;
    if (g->asked.particle)
        memcpy(&bytes, g->asked.particle + LANES * chunk, sizeof bytes);
    return bytes != 0;
}

typedef struct Lanes {
    unsigned all;
    unsigned far; // of these: with paths so long that they may get through a body, or out of a container, within the step
    bool is_turn;
} Lanes;

// Of these lanes, those who may meet solid k; mostly none, and this is all that there is to do.
static unsigned lanes_in_reach(const Guard* g, size_t k, size_t chunk, Lanes lanes)
{
    const GuardSolid* s = &g->solid[k];
    if (s->sort == GUARD_BODY)
        return lanes.all & (lanes.far | lanes_within(g, &s->frame, chunk));
    if (s->sort == GUARD_CONTAINER && g->def.solid[k].shape.type == MN_SHAPE_BOX)
        return lanes.all & ~lanes_within(g, &s->frame, chunk);
    if (s->sort == GUARD_CONTAINER) // to ask is dear: who creeps out waits for its turn
        return lanes.is_turn ? lanes.all : lanes.far;
    if (s->sort == GUARD_CARRIED)
        return lanes_asked(g, chunk) ? lanes.all & lanes_within(g, &s->frame, chunk) : 0;
    return s->sort > GUARD_SHELL ? 0 : lanes.all;
}

// Particle i and all solids that move as one or are carried, but for fast ones unless they are asked for.
static void meet_all(Guard* g, uint32_t i, bool fast_too, int worker)
{
    for (size_t k = 0; k < g->def.solid_count; k++)
        if (fast_too || !g->solid[k].is_fast)
            guard_meet_solid(g, k, i, worker);
    if (g->check_containers)
        guard_meet_containers(g, i, worker);
}

// Lanes of a chunk and one solid that is not fast; returns those that may be out of it if it is a container.
static unsigned meet_lanes(Guard* g, size_t k, size_t chunk, Lanes lanes, int worker)
{
    if (g->solid[k].is_fast)
        return 0; // it looks for itself
    unsigned some = lanes_in_reach(g, k, chunk, lanes);
    if (g->solid[k].sort == GUARD_CONTAINER)
        return some;
    for (uint32_t lane = 0; lane < LANES && some; lane++)
        if (some >> lane & 1)
            guard_meet_solid(g, k, (uint32_t)(LANES * chunk) + lane, worker);
    return 0;
}

static void meet_tanks(Guard* g, size_t chunk, unsigned lanes, int worker)
{
    for (uint32_t lane = 0; lane < LANES && lanes && g->check_containers; lane++)
        if (lanes >> lane & 1)
            guard_meet_containers(g, (uint32_t)(LANES * chunk) + lane, worker);
}

// Lanes of a chunk and every solid.
static void meet_every(Guard* g, size_t chunk, Lanes lanes, int worker)
{
    unsigned out = 0;
    for (size_t k = 0; k < g->def.solid_count; k++)
        out |= meet_lanes(g, k, chunk, lanes, worker);
    meet_tanks(g, chunk, out, worker);
}

// With boundary particles around only their solids can be met.
static void meet_near(Guard* g, size_t chunk, Lanes lanes, int worker)
{
    uint32_t solid[NEAR_SOLIDS];
    unsigned out = 0;
    int count = near_solids(g->fluid.neighbours->chunk[chunk].near, g->def.boundary->solid, solid);
    for (int n = 0; n < count; n++)
        out |= meet_lanes(g, solid[n], chunk, lanes, worker);
    if (count < 0)
        meet_every(g, chunk, lanes, worker);
    else
        meet_tanks(g, chunk, out, worker);
}

// --- all of them

typedef struct SweepJob {
    Guard* guard;
    float far; // [m2] square of a path that is long
    float out; // [m2] and of one that may lead out of a container
} SweepJob;

static void sweep_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SweepJob* job = context;
    Guard* g = job->guard;
    const Neighbours* neighbours = g->fluid.neighbours;
    const Vec4 *before = g->fluid.particles.set->scratch, *after = *g->fluid.particles.position;
    size_t count = moving_count(&g->fluid.particles);
    F8 most = f8_zero(), far = f8_set(job->far), out = f8_set(job->out);
    for (size_t c = begin; c < end; c++) {
        F8 x, y, z, u, v, w, unused;
        f8_load4(before + LANES * c, &x, &y, &z, &unused);
        f8_load4(after + LANES * c, &u, &v, &w, &unused);
        u = f8_sub(u, x);
        v = f8_sub(v, y);
        w = f8_sub(w, z);
        F8 square = f8_mad(w, w, f8_mad(v, v, f8_mul(u, u)));
        unsigned there = LANES * (c + 1) <= count ? 0xff : (1u << count % LANES) - 1;
        unsigned all = there & ~f8_mask(f8_less(square, far)), some = there & ~all;
        const NearBoundary* near = neighbours ? neighbours->chunk[c].near : NULL;
        most = f8_max(most, square);
        for (uint32_t lane = 0; lane < LANES && all; lane++)
            if (all >> lane & 1)
                meet_all(g, (uint32_t)(LANES * c) + lane, false, worker);
        Lanes lanes = {some, some & ~f8_mask(f8_less(square, out)), c % GUARD_TURNS == g->turn};
        if (lanes.is_turn || !neighbours) {
            meet_every(g, c, lanes, worker);
        } else if (near && (some & near->lanes)) {
            lanes.all &= near->lanes;
            lanes.far &= near->lanes;
            meet_near(g, c, lanes, worker);
        }
    }
    float square[LANES];
    f8_store(square, most);
    double largest = 0;
    for (int lane = 0; lane < LANES; lane++)
        largest = fmax(largest, (double)square[lane]);
    g->longest[block] = largest;
}

// --- fast solids

typedef struct FastJob {
    Guard* guard;
    size_t solid;
    GuardBox box;
} FastJob;

static void meet_fast(void* context, int worker, uint32_t i)
{
    const FastJob* job = context;
    if (job->guard->solid[job->solid].sort != GUARD_CONTAINER)
        guard_meet_solid(job->guard, job->solid, i, worker);
    else if (job->guard->check_containers)
        guard_meet_containers(job->guard, i, worker);
}

static void fast_layers(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FastJob* job = context;
    GuardBox box = job->box;
    box.layer = job->box.layer + (int32_t)begin;
    box.end = job->box.layer + (int32_t)end;
    guard_visit(job->guard, &box, false, meet_fast, (void*)job, worker);
}

// A box around the solid before the step, with room for its own path and the longest one of a particle.
static GuardBox box_around(const Guard* g, size_t k, double reach)
{
    const Solid* solid = &g->def.solid[k];
    const GuardSolid* s = &g->solid[k];
    Vec3d centre = pose_to_world(&s->was, solid->bound_centre), half = {0, 0, 0};
    const Vec3d axis[3] = {{solid->bound_half.x, 0, 0}, {0, solid->bound_half.y, 0}, {0, 0, solid->bound_half.z}};
    for (int a = 0; a < 3; a++) {
        Vec3d n = quat_rotate(s->was.rotation, axis[a]);
        half = vec3d_add(half, vec3d(fabs(n.x), fabs(n.y), fabs(n.z)));
    }
    double room = reach + s->travel + g->caught + 1e-6 * vec3d_length(centre);
    half = vec3d_add(half, vec3d(room, room, room));
    return guard_box(g, vec3d_sub(centre, half), vec3d_add(centre, half));
}

static void sweep_fast(Guard* g, double reach)
{
    bool contained = false; // fast containers are compared with all together
    for (size_t k = 0; k < g->def.solid_count; k++) {
        bool is_container = g->solid[k].sort == GUARD_CONTAINER;
        if (!g->solid[k].is_fast || g->solid[k].sort > GUARD_SHELL || (is_container && contained))
            continue;
        contained |= is_container;
        FastJob job = {g, k, box_around(g, k, reach)};
        parallel_for(g->def.pool, (size_t)(job.box.end - job.box.layer), 1, fast_layers, &job);
    }
}

// --- in order

static int by_time(const void* a, const void* b)
{
    const Meeting *p = a, *q = b;
    if (p->particle != q->particle)
        return p->particle < q->particle ? -1 : 1;
    if (p->time != q->time)
        return p->time < q->time ? -1 : 1;
    if (p->solid != q->solid)
        return p->solid < q->solid ? -1 : 1;
    return p->place.face < q->place.face ? -1 : p->place.face > q->place.face;
}

// All meetings in one order, whoever found them. False: out of memory.
static bool gather(Guard* g, size_t* out_count)
{
    size_t count = 0;
    bool ok = true;
    for (int k = 0; k < g->lists; k++) {
        count += g->list[k].count;
        ok = ok && !g->list[k].failed;
    }
    ok = ok && (!count || memory_reserve(g->def.memory, &g->all, &g->all_capacity, 0, count, sizeof *g->all));
    *out_count = ok ? count : 0;
    count = 0;
    for (int k = 0; k < g->lists; k++) {
        if (ok && g->list[k].count)
            memcpy(g->all + count, g->list[k].item, g->list[k].count * sizeof *g->all);
        count += g->list[k].count;
        g->list[k].count = 0;
        g->list[k].failed = false;
    }
    if (ok && count > 1)
        qsort(g->all, count, sizeof *g->all, by_time);
    return ok;
}

// [m] the longest path of those who were put back
static double reach_again(Guard* g)
{
    double reach = 0;
    for (size_t k = 0; k < g->back_count; k++) {
        reach = fmax(reach, vec3d_distance(guard_from(g, g->back[k]), guard_to(g, g->back[k])));
        meet_all(g, g->back[k], true, 0);
    }
    return reach;
}

bool guard_sweep(Guard* g, bool again, size_t* out_count)
{
    size_t chunks = block_count(moving_count(&g->fluid.particles), LANES);
    double reach, out = fmax(0, g->caught - g->still), seen = fmax(0, guard_seen_path(&g->def) - g->still);
    if (again) {
        reach = reach_again(g);
    } else {
        SweepJob job = {g, (float)(seen * seen), (float)(out * out)};
        parallel_for(g->def.pool, chunks, SWEEP_GRAIN, sweep_block, &job);
        reduce_blocks(g->longest, block_count(chunks, SWEEP_GRAIN), 1, &(ReduceOp){REDUCE_MAX}, &reach);
        reach = sqrt(reach);
    }
    // and a little for what rounding takes from boxes
    reach = 1.0001 * reach + 1e-3 * g->def.radius;
    if (!again)
        sweep_fast(g, reach);
    if (g->vertices)
        guard_sweep_surfaces(g, again, reach);
    return gather(g, out_count);
}
