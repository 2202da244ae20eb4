// SPDX-License-Identifier: MIT
// The path of one particle and one solid that moves as one. As seen by the solid, whose pose goes from that before the step to that
// after it, the path is straight and the surface at rest. Of solids that a grid carries only the end of the path is looked at.
#include "guard/guard_parts.h"

#include <stdlib.h>

enum { PASSES_MOST = 32 }; // of one path through one surface

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

// [1] of the surface nearest to a point in a body, outwards; 0 if the point is outside.
static Vec3d nearest_normal(const Solid* solid, Vec3d local)
{
    Vec3d closest;
    double depth = depth_of(solid, local, &closest);
    return depth > 0 ? vec3d_scale(vec3d_sub(closest, local), 1 / depth) : vec3d(0, 0, 0);
}

// Whether a path is caught somewhere between two times within a body. Depth changes no faster than the path goes on: so far it is
// safe to go at once.
static bool gets_deep(const Guard* g, const Solid* solid, const Path* path, double begin, double end)
{
    const double least = 0.01 * g->caught; // [m] it may be deeper by this and be overlooked
    Vec3d closest;
    for (double t = begin; t < end;) {
        double depth = depth_of(solid, path_at(path, t), &closest);
        if (depth >= g->caught)
            return true;
        t += fmax(g->caught - depth, least) / fmax(path->length, least);
    }
    return depth_of(solid, path_at(path, end), &closest) >= g->caught;
}

// A stretch of a path within a body: from pass p on, or from its start on if p is -1, to the next pass or the path's end. It is
// wrong if it gets deep enough to be caught, or goes in at one side and on to the other. Cutting an edge is neither.
typedef struct Stretch {
    double begin, end; // [1] times
    bool ends_in;      // the body: there is no next pass
    Vec3d in, out;     // [1] normals of the surface where it goes in and out, or the nearest ones; outwards
} Stretch;

static Stretch stretch_of(const Solid* solid, const Path* path, int p)
{
    bool ends_in = p + 1 >= path->passes;
    return (Stretch){.begin = p < 0 ? 0 : path->pass[p].time,
                     .end = ends_in ? 1 : path->pass[p + 1].time,
                     .ends_in = ends_in,
                     .in = p < 0 ? nearest_normal(solid, path->from) : path->pass[p].normal,
                     .out = ends_in ? nearest_normal(solid, path->to) : vec3d_scale(path->pass[p + 1].normal, -1)};
}

// Who crept in goes out where it is nearest; who came far within the body, where it began.
static void note_exit(Guard* g, size_t k, uint32_t i, const Path* path, int worker)
{
    const Solid* solid = &g->def.solid[k];
    Vec3d closest, origin = path->length > g->caught ? path->from : path->to;
    double depth = depth_of(solid, origin, &closest);
    if (!(depth > 0)) {
        origin = path->to;
        depth = depth_of(solid, origin, &closest);
    }
    if (depth > 0)
        note_place(g, worker, k, i, (Meeting){.reason = REASON_CAUGHT}, closest,
                   vec3d_scale(vec3d_sub(closest, origin), 1 / depth));
}

// --- thin bodies
//
// A body thinner than a particle is deep when it is caught can be crept through: in at one side, and step by step out at the other.
// Where within it a particle is says nothing, since all walls let particles in a little. So who is in a thin body keeps in mind
// where it came in (Guard.entry): the number of the body from 1, and the normal there as the body sees it, a byte each of x and y
// on the octahedron |x| + |y| + |z| = 1 with the lower half folded out. Who comes out at the other side goes back.

enum { ENTRY_STEPS = 127 };

static double folded(double a, double b)
{
    return copysign(1 - fabs(b), a);
}

static uint32_t entry_of(size_t k, Vec3d n)
{
    double sum = fabs(n.x) + fabs(n.y) + fabs(n.z), x = n.x / sum, y = n.y / sum;
    double u = n.z < 0 ? folded(x, y) : x, v = n.z < 0 ? folded(y, x) : y;
    uint32_t a = (uint32_t)lrint(ENTRY_STEPS * (u + 1)), b = (uint32_t)lrint(ENTRY_STEPS * (v + 1));
    return (uint32_t)(k + 1) << 16 | a << 8 | b;
}

static Vec3d entry_normal(uint32_t entry)
{
    double u = (double)(entry >> 8 & 255) / ENTRY_STEPS - 1, v = (double)(entry & 255) / ENTRY_STEPS - 1;
    double z = 1 - fabs(u) - fabs(v);
    return vec3d_normalise(z < 0 ? vec3d(folded(u, v), folded(v, u), z) : vec3d(u, v, z));
}

// Back to the side where it came in, straight from where it was.
static void note_return(Guard* g, size_t k, uint32_t i, const Path* path, Vec3d in, int worker)
{
    const Solid* solid = &g->def.solid[k];
    SurfacePass pass[PASSES_MOST];
    Vec3d to = vec3d_mad(path->from, 4 * g->caught, in);
    int count = inside_passes(solid->test, path->from, to, pass, PASSES_MOST), first = -1;
    for (int p = 0; p < count; p++)
        if (first < 0 || pass[p].time < pass[first].time)
            first = p;
    if (first >= 0)
        note_place(g, worker, k, i, (Meeting){.reason = REASON_CAUGHT, .is_thin = true},
                   vec3d_lerp(path->from, to, pass[first].time), in);
    else
        note_exit(g, k, i, path, worker);
}

// The stretch from pass p on leads to a wrong place: back to where the path went in, or to the side `in`, if it is known.
static void note_wrong(Guard* g, size_t k, uint32_t i, const Path* path, int p, const Vec3d* in, int worker)
{
    if (p >= 0)
        note_place(g, worker, k, i, (Meeting){.time = path->pass[p].time, .reason = REASON_CAUGHT, .is_thin = in != NULL},
                   path_at(path, path->pass[p].time), path->pass[p].normal);
    else if (in)
        note_return(g, k, i, path, *in, worker);
    else
        note_exit(g, k, i, path, worker);
}

// --- bodies, thin or not

// On a short path a particle can only creep into a body; into one that is held it may (docs/theory/guard.md). On such a path it is
// no matter which side of a thin body is nearer, but at which it comes out.
static void meet_body(Guard* g, size_t k, uint32_t i, int worker)
{
    const Solid* solid = &g->def.solid[k];
    const GuardSolid* s = &g->solid[k];
    uint32_t* entry = s->is_thin && g->entry ? g->entry + i : NULL;
    Path path;
    Vec3d closest;
    find_ends(g, k, i, &path);
    if (is_path_clear(solid, &path))
        return;
    bool is_shallow = path.length < g->caught && (s->is_held || depth_of(solid, path.to, &closest) < g->caught);
    if (is_shallow && !entry)
        return;
    find_passes(g, k, &path);
    for (int p = path.starts_in ? -1 : 0; p < path.passes; p += 2) {
        Stretch stretch = stretch_of(solid, &path, p);
        if (entry && p < 0 && *entry >> 16 == k + 1)
            stretch.in = entry_normal(*entry);
        bool is_deep = !is_shallow && gets_deep(g, solid, &path, stretch.begin, stretch.end);
        bool is_through = !(is_shallow && stretch.ends_in) && face_apart(stretch.in, stretch.out);
        if (is_deep || is_through) {
            note_wrong(g, k, i, &path, p, is_shallow ? &stretch.in : NULL, worker);
            return;
        }
        if (entry && stretch.ends_in)
            *entry = entry_of(k, stretch.in);
    }
}

// --- shells

static void meet_shell(Guard* g, size_t k, uint32_t i, int worker)
{
    Path path;
    find_ends(g, k, i, &path);
    path.passes = inside_passes(g->def.solid[k].test, path.from, path.to, path.pass, PASSES_MOST);
    for (int p = 0; p < path.passes; p++) {
        const SurfacePass* pass = &path.pass[p];
        Meeting meeting = {.place.face = pass->place, .time = pass->time, .reason = REASON_CROSSED, .side = pass->direction};
        note_place(g, worker, k, i, meeting, path_at(&path, pass->time), vec3d_scale(pass->normal, -pass->direction));
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

// The nearest place of all containers to the end of a path, or to its start.
static void find_nearest(const Guard* g, uint32_t i, bool to_start, Exit* exit)
{
    double least = INFINITY;
    for (size_t k = 0; k < g->def.solid_count; k++) {
        const Solid* solid = &g->def.solid[k];
        if (g->solid[k].sort != GUARD_CONTAINER)
            continue;
        Path path;
        find_ends(g, k, i, &path);
        Vec3d local = to_start ? path.from : path.to, closest;
        double limit = 4 * g->caught + vec3d_distance(local, solid->bound_centre) + solid->bound_radius;
        double far = inside_distance(solid->test, local, limit, &closest, NULL);
        if (far < least && far < limit && far > 0) {
            least = far;
            *exit = (Exit){k, 0, closest, vec3d_scale(vec3d_sub(closest, local), 1 / far)};
        }
    }
}

void guard_meet_containers(Guard* g, uint32_t i, int worker)
{
    Vec3d to = guard_to(g, i);
    double length = vec3d_distance(guard_from(g, i), to);
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
    // it was a little way out before: back to where it was if it went far, and if it crept out, where it is nearest
    bool is_long = length + g->travel >= g->caught;
    if (!isfinite(exit.time) && !ends_in)
        find_nearest(g, i, is_long, &exit);
    if (isfinite(exit.time))
        note_place(g, worker, exit.solid, i, (Meeting){.time = exit.time, .reason = REASON_BEHIND_WALL}, exit.point, exit.normal);
}

// --- solids that a grid carries

// [1] of the corners of a triangle at a point of it; of the first one alone if the triangle has no area.
static void find_weights(const Vec3d corner[3], Vec3d point, double weight[3])
{
    Vec3d ab = vec3d_sub(corner[1], corner[0]), ac = vec3d_sub(corner[2], corner[0]), ap = vec3d_sub(point, corner[0]);
    Vec3d n = vec3d_cross(ab, ac);
    double square = vec3d_dot(n, n);
    double v = square > 0 ? vec3d_dot(vec3d_cross(ap, ac), n) / square : 0;
    double w = square > 0 ? vec3d_dot(vec3d_cross(ab, ap), n) / square : 0;
    weight[1] = fmin(fmax(v, 0), 1);
    weight[2] = fmin(fmax(w, 0), 1 - weight[1]);
    weight[0] = 1 - weight[1] - weight[2];
}

// The grid moves fluid and solid by one field of velocities and looks at paths itself, by the rest shape as the nearest of the
// solid's particles sees it. Where elements are crushed or stretched that view is wrong by more than a radius, and only the surface
// itself tells who is in it. Who is deep in it goes out where it is nearest.
static void meet_carried(Guard* g, size_t k, uint32_t i, int worker)
{
    const InsideTest* test = g->solid[k].test;
    Vec3d x = guard_to(g, i), closest, corner[3];
    if (g->asked.particle && !g->asked.particle[i] && !g->is_back[i])
        return;
    if (!test || !inside_contains(test, x))
        return;
    Box3d box = inside_bounds(test);
    Meeting m = {.particle = i, .solid = (uint32_t)k, .time = 1, .reason = REASON_CAUGHT};
    double depth = inside_distance(test, x, vec3d_distance(box.min, box.max), &closest, &m.place.face);
    if (!(depth >= g->caught))
        return;
    SolidSurface surface = g->def.solid[k].kind->surface(&g->def.solid[k]);
    for (int c = 0; c < 3; c++)
        corner[c] = surface.position[surface.triangle[m.place.face][c]];
    find_weights(corner, closest, m.place.weight);
    m.place.point = closest;
    m.normal = vec3d_scale(vec3d_sub(closest, x), 1 / depth);
    guard_note(g, worker, &m);
}

void guard_meet_solid(Guard* g, size_t k, uint32_t i, int worker)
{
    GuardSort sort = g->solid[k].sort;
    if (sort == GUARD_BODY)
        meet_body(g, k, i, worker);
    else if (sort == GUARD_SHELL)
        meet_shell(g, k, i, worker);
    else if (sort == GUARD_CARRIED)
        meet_carried(g, k, i, worker);
}
