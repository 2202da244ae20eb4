// SPDX-License-Identifier: MIT
// Whose path of this step leads to the wrong side of a solid that moves as one. As seen by the solid, whose pose goes from that
// before the step to that after it, the path of a particle is straight and the surface at rest.
//
// Few particles can meet anything: those that had boundary particles around before the step, in chunks of eight, and only the
// solids of these. Long paths and fast solids go farther than boundary particles were looked for: such particles are compared with
// all solids, and such solids with all particles in the box around their path.
#include "guard/guard_parts.h"

#include "base/reduce.h"
#include <stdlib.h>
#include <string.h>

void guard_note(Guard* g, int worker, const Meeting* meeting)
{
    MeetingList* list = &g->list[worker];
    if (memory_reserve(g->def.memory, &list->item, &list->capacity, list->count, list->count + 1, sizeof *list->item))
        list->item[list->count++] = *meeting;
    else
        list->failed = true;
}

// --- a path and a surface

typedef struct Path {
    Vec3d from, to;                // [m] as seen by the solid
    double length;                 // [m]
    bool starts_in;                // the closed surface
    SurfacePass pass[PASSES_MOST]; // in order of time; normals point to where the path comes from
    int passes;
} Path;

static int by_pass(const void* a, const void* b)
{
    const SurfacePass *p = a, *q = b;
    if (p->time != q->time)
        return p->time < q->time ? -1 : 1;
    return p->place < q->place ? -1 : p->place > q->place;
}

static void find_ends(const Guard* g, size_t k, uint32_t i, Path* path)
{
    path->from = pose_to_local(&g->solid[k].was, guard_from(g, i));
    path->to = pose_to_local(&g->solid[k].now, guard_to(g, i));
    path->length = vec3d_distance(path->from, path->to);
    path->passes = 0;
}

static void find_passes(const Guard* g, size_t k, Path* path)
{
    const InsideTest* test = g->def.solid[k].test;
    Vec3d along = vec3d_sub(path->to, path->from);
    path->starts_in = inside_contains(test, path->from);
    path->passes = inside_passes(test, path->from, path->to, path->pass, PASSES_MOST);
    qsort(path->pass, (size_t)path->passes, sizeof *path->pass, by_pass);
    for (int p = 0; p < path->passes; p++)
        if (vec3d_dot(path->pass[p].normal, along) > 0)
            path->pass[p].normal = vec3d_scale(path->pass[p].normal, -1);
}

static Vec3d path_at(const Path* path, double time)
{
    return vec3d_lerp(path->from, path->to, time);
}

// The whole path is farther from the solid than the ball around it reaches.
static bool is_path_clear(const Solid* solid, const Path* path)
{
    Vec3d along = vec3d_sub(path->to, path->from), arm = vec3d_sub(solid->bound_centre, path->from);
    double square = vec3d_dot(along, along);
    double t = square > 0 ? fmin(fmax(vec3d_dot(arm, along) / square, 0), 1) : 0;
    return guard_is_clear(solid, path_at(path, t), 0);
}

// Notes that a particle meets the surface of solid k at a point with a normal there, both as seen by the solid.
static void note_place(Guard* g, int worker, size_t k, uint32_t i, Meeting meeting, Vec3d point, Vec3d normal)
{
    const mn_Pose* now = &g->solid[k].now;
    meeting.particle = i;
    meeting.solid = (uint32_t)k;
    meeting.place.point = pose_to_world(now, point);
    meeting.normal = quat_rotate(now->rotation, normal);
    guard_note(g, worker, &meeting);
}

// --- bodies

static bool face_apart(Vec3d a, Vec3d b)
{
    return vec3d_dot(a, b) < -0.5;
}

// How deep in a closed solid a point is, and the nearest point of the surface; 0 outside.
static double depth_of(const Solid* solid, Vec3d local, Vec3d* closest)
{
    *closest = local;
    if (guard_is_clear(solid, local, 0) || !inside_contains(solid->test, local))
        return 0;
    return inside_distance(solid->test, local, 2 * solid->bound_radius, closest, NULL);
}

// A path that begins and ends where it may has gone through the body: deep enough to be caught on its way, or in at one side and
// out at the other. Cutting an edge is neither.
static bool goes_through(const Guard* g, size_t k, const Path* path)
{
    const Solid* solid = &g->def.solid[k];
    Vec3d closest;
    if (path->starts_in) {
        double depth = path->passes ? depth_of(solid, path->from, &closest) : 0;
        return depth > 0 &&
               face_apart(vec3d_scale(vec3d_sub(closest, path->from), 1 / depth), vec3d_scale(path->pass[0].normal, -1));
    }
    if (path->passes < 2)
        return false;
    Vec3d middle = path_at(path, 0.5 * (path->pass[0].time + path->pass[1].time));
    return face_apart(path->pass[0].normal, vec3d_scale(path->pass[1].normal, -1)) ||
           depth_of(solid, middle, &closest) >= g->caught;
}

static void meet_body(Guard* g, size_t k, uint32_t i, int worker)
{
    const Solid* solid = &g->def.solid[k];
    Path path;
    find_ends(g, k, i, &path);
    if (is_path_clear(solid, &path))
        return;
    bool is_long = path.length >= g->caught, waits = !g->solid[k].gives_way && (g->solid[k].is_held || !guard_is_turn(g, i));
    if (waits && !is_long && !g->solid[k].is_thin)
        return; // it can only have crept in
    Vec3d closest, origin = path.to;
    double depth = depth_of(solid, path.to, &closest);
    bool is_caught = depth >= g->caught, may_pass = path.length >= 2 * g->caught || g->solid[k].is_thin;
    if (!is_caught && !may_pass)
        return;
    find_passes(g, k, &path);
    if (!is_caught && !goes_through(g, k, &path))
        return;
    Meeting meeting = {.reason = REASON_CAUGHT};
    int entry = path.starts_in ? 1 : 0;
    if (entry < path.passes && (is_caught || !path.starts_in)) {
        meeting.time = path.pass[entry].time;
        note_place(g, worker, k, i, meeting, path_at(&path, meeting.time), path.pass[entry].normal);
        return;
    }
    if (waits && is_caught && !is_long)
        return;
    // it was in already: out where it is nearest, or where it came from
    if (!is_caught || is_long) {
        double before = depth_of(solid, path.from, &closest);
        if (before > 0) {
            origin = path.from;
            depth = before;
        } else {
            depth_of(solid, path.to, &closest);
        }
    }
    if (depth > 0)
        note_place(g, worker, k, i, meeting, closest, vec3d_scale(vec3d_sub(closest, origin), 1 / depth));
}

// --- shells

static void meet_shell(Guard* g, size_t k, uint32_t i, int worker)
{
    Path path;
    find_ends(g, k, i, &path);
    path.passes = inside_passes(g->def.solid[k].test, path.from, path.to, path.pass, PASSES_MOST);
    for (int p = 0; p < path.passes; p++) {
        const SurfacePass* pass = &path.pass[p];
        Meeting meeting = {.place.face = pass->place, .time = pass->time, .reason = REASON_CROSSED, .side = pass->way};
        note_place(g, worker, k, i, meeting, path_at(&path, pass->time), vec3d_scale(pass->normal, -pass->way));
    }
}

// --- containers

typedef struct Exit {
    size_t solid;
    double time;         // [1] infinite: none
    Vec3d point, normal; // as seen by the container
} Exit;

// The first place where a path leaves a container and is in no other; if it ends in one, only if it was clearly out in between.
static void find_exit(const Guard* g, size_t k, const Path* path, bool ends_in, Exit* exit)
{
    const mn_Pose* now = &g->solid[k].now;
    for (int p = path->starts_in ? 0 : 1; p < path->passes; p += 2) {
        Vec3d at = path_at(path, path->pass[p].time);
        if (!(path->pass[p].time < exit->time) || guard_is_contained(g, pose_to_world(now, at), 0, k))
            continue;
        double back = p + 1 < path->passes ? path->pass[p + 1].time : 1;
        Vec3d middle = pose_to_world(now, path_at(path, 0.5 * (path->pass[p].time + back)));
        if (ends_in && guard_is_contained(g, middle, g->caught, SIZE_MAX))
            continue;
        *exit = (Exit){k, path->pass[p].time, at, path->pass[p].normal};
        return;
    }
}

// The nearest place of all containers.
static void find_nearest(const Guard* g, Vec3d x, Exit* exit)
{
    double least = INFINITY;
    for (size_t k = 0; k < g->def.solid_count; k++) {
        const Solid* solid = &g->def.solid[k];
        if (g->solid[k].sort != GUARD_CONTAINER)
            continue;
        Vec3d local = pose_to_local(&g->solid[k].now, x), closest;
        double limit = 4 * g->caught + vec3d_distance(local, solid->bound_centre) + solid->bound_radius;
        double far = inside_distance(solid->test, local, limit, &closest, NULL);
        if (far < least && far < limit && far > 0) {
            least = far;
            *exit = (Exit){k, 0, closest, vec3d_scale(vec3d_sub(closest, local), 1 / far)};
        }
    }
}

static void meet_containers(Guard* g, uint32_t i, int worker)
{
    Vec3d to = guard_to(g, i);
    bool is_turn = guard_is_turn(g, i);
    double length = vec3d_distance(guard_from(g, i), to);
    if (!is_turn && length + g->travel < g->caught)
        return; // it can only have crept out
    bool ends_in = guard_is_contained(g, to, g->caught, SIZE_MAX);
    if (ends_in && length < 2 * g->caught)
        return;
    Exit exit = {.time = INFINITY};
    for (size_t k = 0; k < g->def.solid_count; k++) {
        if (g->solid[k].sort != GUARD_CONTAINER)
            continue;
        Path path;
        find_ends(g, k, i, &path);
        find_passes(g, k, &path);
        find_exit(g, k, &path, ends_in, &exit);
    }
    if (!isfinite(exit.time) && !ends_in && is_turn)
        find_nearest(g, to, &exit);
    if (isfinite(exit.time))
        note_place(g, worker, exit.solid, i, (Meeting){.time = exit.time, .reason = REASON_BEHIND_WALL}, exit.point, exit.normal);
}

// --- eight at a time

// Coordinates of a chunk's particles after the step as seen by a solid, from the middle of its bounds, without sign.
static void find_local(const Guard* g, size_t k, size_t chunk, F8 out[3])
{
    static const Vec3d axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const mn_Pose* now = &g->solid[k].now;
    Vec3d o = pose_to_world(now, g->def.solid[k].bound_centre);
    F8 x, y, z, unused;
    f8_load4(g->def.sph->fluid.position + LANES * chunk, &x, &y, &z, &unused);
    x = f8_sub(x, f8_set((float)o.x));
    y = f8_sub(y, f8_set((float)o.y));
    z = f8_sub(z, f8_set((float)o.z));
    for (int a = 0; a < 3; a++) {
        Vec3d n = quat_rotate(now->rotation, axis[a]);
        F8 at = f8_mad(f8_set((float)n.z), z, f8_mad(f8_set((float)n.y), y, f8_mul(f8_set((float)n.x), x)));
        out[a] = f8_max(at, f8_sub(f8_zero(), at));
    }
}

// Lanes whose coordinates after the step are all smaller than half the bounds less `margin` [m].
static unsigned lanes_within(const Guard* g, size_t k, size_t chunk, double margin)
{
    const Solid* solid = &g->def.solid[k];
    const double half[3] = {solid->bound_half.x, solid->bound_half.y, solid->bound_half.z};
    unsigned lanes = 0xff;
    F8 at[3];
    find_local(g, k, chunk, at);
    for (int a = 0; a < g->def.sph->kernel.dimension; a++)
        lanes &= f8_mask(f8_less(at[a], f8_set((float)(half[a] - margin))));
    return lanes;
}

// [m] what coordinates in single precision are off by at most, with some room.
static double rounding_of(const Guard* g, size_t k)
{
    const Solid* solid = &g->def.solid[k];
    return 4e-7 * (vec3d_length(pose_to_world(&g->solid[k].now, solid->bound_centre)) + solid->bound_radius);
}

// Of these lanes, those who may meet solid k; mostly none, and this is all that there is to do.
static unsigned lanes_in_reach(const Guard* g, size_t k, size_t chunk, unsigned lanes)
{
    const GuardSolid* s = &g->solid[k];
    const Solid* solid = &g->def.solid[k];
    double off = rounding_of(g, k);
    if (s->sort == GUARD_BODY && !s->is_thin) // a ball as large as that depth fits into the bounds
        return lanes & lanes_within(g, k, chunk, g->caught - off);
    if (s->sort == GUARD_CONTAINER && solid->shape.type == MN_SHAPE_BOX)
        return lanes & ~lanes_within(g, k, chunk, off - 0.5 * g->caught);
    return s->sort == GUARD_SHEET || s->sort == GUARD_VOLUME || s->sort == GUARD_NOTHING ? 0 : lanes;
}

static void meet_solid(Guard* g, size_t k, uint32_t i, int worker)
{
    GuardSort sort = g->solid[k].sort;
    if (sort == GUARD_BODY)
        meet_body(g, k, i, worker);
    else if (sort == GUARD_SHELL)
        meet_shell(g, k, i, worker);
}

// Particle i and all solids that move as one, but for fast ones unless they are asked for.
static void meet_all(Guard* g, uint32_t i, bool fast_too, int worker)
{
    for (size_t k = 0; k < g->def.solid_count; k++)
        if (fast_too || !g->solid[k].is_fast)
            meet_solid(g, k, i, worker);
    if (g->check_containers)
        meet_containers(g, i, worker);
}

enum { NEAR_SOLIDS = 16 };

// The solids that boundary particles around a chunk belong to; -1: more than there is room for.
static int find_near_solids(const Guard* g, const NearBoundary* near, uint32_t out[NEAR_SOLIDS])
{
    const uint32_t* solid = g->def.sph->boundary_solid;
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    int count = 0;
    if (near->solid >= 0) {
        out[count++] = (uint32_t)near->solid;
        return count;
    }
    for (size_t n = 0; n < (size_t)LANES * near->slots; n++) {
        uint32_t k = solid[near->index[n]];
        int seen = 0;
        if (!(coefficient[n] & 0x7fff))
            continue; // padding
        while (seen < count && out[seen] != k)
            seen++;
        if (seen == NEAR_SOLIDS)
            return -1;
        if (seen == count)
            out[count++] = k;
    }
    return count;
}

// Chunk with boundary particles around: only their solids can be met.
static void meet_near(Guard* g, size_t chunk, unsigned lanes, int worker)
{
    uint32_t solid[NEAR_SOLIDS];
    unsigned out = 0; // lanes that may be out of their container
    int count = find_near_solids(g, g->def.sph->neighbours.chunk[chunk].near, solid);
    for (int n = 0; n < count; n++) {
        if (g->solid[solid[n]].is_fast)
            continue; // they look for themselves
        unsigned some = lanes_in_reach(g, solid[n], chunk, lanes);
        if (g->solid[solid[n]].sort == GUARD_CONTAINER) {
            out |= some;
            continue;
        }
        for (uint32_t lane = 0; lane < LANES && some; lane++)
            if (some >> lane & 1)
                meet_solid(g, solid[n], (uint32_t)(LANES * chunk) + lane, worker);
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t i = (uint32_t)(LANES * chunk) + lane;
        if (count < 0 && lanes >> lane & 1)
            meet_all(g, i, false, worker);
        else if (out >> lane & 1 && g->check_containers)
            meet_containers(g, i, worker);
    }
}

// --- all of them

typedef struct SweepJob {
    Guard* guard;
    float far; // [m2] square of a path that is long
} SweepJob;

static void sweep_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SweepJob* job = context;
    Guard* g = job->guard;
    Sph* sph = g->def.sph;
    F8 most = f8_zero(), far = f8_set(job->far);
    for (size_t c = begin; c < end; c++) {
        F8 x, y, z, u, v, w, unused;
        f8_load4(sph->fluid.scratch + LANES * c, &x, &y, &z, &unused);
        f8_load4(sph->fluid.position + LANES * c, &u, &v, &w, &unused);
        u = f8_sub(u, x);
        v = f8_sub(v, y);
        w = f8_sub(w, z);
        F8 square = f8_mad(w, w, f8_mad(v, v, f8_mul(u, u)));
        unsigned there = LANES * (c + 1) <= sph->fluid.count ? 0xff : (1u << sph->fluid.count % LANES) - 1;
        unsigned all = c % GUARD_TURNS == g->turn ? 0xff : ~f8_mask(f8_less(square, far));
        const NearBoundary* near = sph->neighbours.chunk[c].near;
        unsigned some = near ? near->lanes & ~all & there : 0;
        most = f8_max(most, square);
        all &= there;
        for (uint32_t lane = 0; lane < LANES && all; lane++)
            if (all >> lane & 1)
                meet_all(g, (uint32_t)(LANES * c) + lane, false, worker);
        if (some)
            meet_near(g, c, some, worker);
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
        meet_solid(job->guard, job->solid, i, worker);
    else if (job->guard->check_containers)
        meet_containers(job->guard, i, worker);
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
        parallel_for(g->def.sph->pool, (size_t)(job.box.end - job.box.layer), 1, fast_layers, &job);
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
    Sph* sph = g->def.sph;
    size_t chunks = block_count(sph->fluid.count, LANES);
    double reach, seen = fmax(0, guard_seen_path(sph) - g->still);
    if (again) {
        reach = reach_again(g);
    } else {
        SweepJob job = {g, (float)(seen * seen)};
        parallel_for(sph->pool, chunks, CHUNK_GRAIN, sweep_block, &job);
        reduce_blocks(g->longest, block_count(chunks, CHUNK_GRAIN), 1, &(ReduceOp){REDUCE_MAX}, &reach);
        reach = sqrt(reach);
    }
    // and a little for what rounding takes from boxes
    reach = 1.0001 * reach + 1e-3 * sph->radius;
    if (!again)
        sweep_fast(g, reach);
    if (g->vertices)
        guard_sweep_surfaces(g, again, reach);
    return gather(g, out_count);
}
