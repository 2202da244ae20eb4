// SPDX-License-Identifier: MIT
// Kinematic solids go where they are told, whatever is in the way. If they run into a wall, the fluid in between has nowhere to go
// and the run ends with speeds that nobody understands. So their path is looked at before: points of a surface that were clear of
// another solid on the fluid's side, and later are behind that solid's surface, with both faces towards each other.
//
// What is meant must not be complained about. A gate, a piston or a drum may go back into a wall that it overlaps from the start.
// The sides of a piston slide along the wall that it goes through, they neither face it nor come nearer. And what is lifted through
// a ceiling meets no fluid there: faces that look down do not count.
#include "solid/squeeze.h"

#include <stdlib.h>

// Enough to find a solid that is in another one. What two solids only touch between two looks is not found.
enum { KEYS_MOST = 32, LOOKS = 16, TIMES_MOST = 2 * KEYS_MOST * LOOKS, POINTS_MOST = 512 };

typedef struct PathPoint {
    Vec3d position, normal; // in the solid's frame; the normal points away from its material
    bool two_sided;         // an open surface
    bool counts;            // it was clear at the start
    bool was_clear;         // at some time
} PathPoint;

typedef struct Path {
    const SqueezeDef* def;
    size_t self, other; // points of the one against the surface of the other
    PathPoint point[POINTS_MOST];
    size_t point_count;
    double time[TIMES_MOST]; // [s] ascending
    size_t time_count;
} Path;

static bool is_spinning(const Solid* solid)
{
    return vec3d_length(solid->spin) > 0;
}

static bool is_moving(const Solid* s)
{
    return s->kind == &solid_kinematic && (solid_is_moved(s) || is_spinning(s));
}

// --- points of a surface

static void add_point(Path* path, Vec3d position, Vec3d normal)
{
    const Solid* s = &path->def->solid[path->self];
    Vec3d n = vec3d_scale(vec3d_normalise(normal), s->inside ? -1 : 1);
    if (path->point_count < POINTS_MOST)
        path->point[path->point_count++] = (PathPoint){.position = position, .normal = n, .two_sided = !s->closed};
}

// The middles of n x n equal parts.
static void add_triangle(Path* path, const Vec3d v[3], int n)
{
    Vec3d a = vec3d_sub(v[1], v[0]), b = vec3d_sub(v[2], v[0]), normal = vec3d_cross(a, b);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * (n - i) - 1; j++) {
            double s = (i + (j % 2 ? 2.0 / 3 : 1.0 / 3)) / n, t = (j / 2 + (j % 2 ? 2.0 / 3 : 1.0 / 3)) / n;
            add_point(path, vec3d_mad(vec3d_mad(v[0], s, a), t, b), normal);
        }
}

static void add_segment(Path* path, Vec3d a, Vec3d b, int n)
{
    Vec3d along = vec3d_sub(b, a);
    for (int i = 0; i < n; i++)
        add_point(path, vec3d_mad(a, (i + 0.5) / n, along), vec3d(along.y, -along.x, 0));
}

static void find_points(Path* path)
{
    const TriMesh* mesh = &path->def->solid[path->self].mesh;
    bool flat = mesh->triangle_count == 0;
    size_t count = flat ? mesh->segment_count : mesh->triangle_count;
    path->point_count = 0;
    if (count == 0)
        return;
    // a coarse mesh is cut finer, of a fine one some triangles will do
    int cut = (int)fmax(1, fmin(8, flat ? (double)POINTS_MOST / (double)count : sqrt((double)POINTS_MOST / (double)count)));
    size_t stride = (count + POINTS_MOST - 1) / POINTS_MOST;
    for (size_t k = 0; k < count; k += stride) {
        if (flat) {
            add_segment(path, mesh->vertex[mesh->segment[k][0]], mesh->vertex[mesh->segment[k][1]], cut);
        } else {
            const uint32_t* t = mesh->triangle[k];
            add_triangle(path, (Vec3d[3]){mesh->vertex[t[0]], mesh->vertex[t[1]], mesh->vertex[t[2]]}, cut);
        }
    }
}

// --- times to look at

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static size_t add_keys(const SqueezeDef* def, size_t k, double until, double* key)
{
    const Solid* s = &def->solid[k];
    size_t n = 0, stride = s->motion_count / (KEYS_MOST / 2) + 1;
    for (size_t j = 0; s->kind == &solid_kinematic && j < s->motion_count; j += stride)
        if (s->motion[j].time > 0 && s->motion[j].time < until)
            key[n++] = s->motion[j].time;
    bool swings = s->kind == &solid_kinematic && motion_swings(&s->oscillation);
    double turn = is_spinning(s) ? 2 * M_PI / vec3d_length(s->spin) : swings ? 1 / s->oscillation.frequency : 0;
    for (int j = 1; j <= 4 && turn > 0 && j * turn / 4 < until; j++)
        key[n++] = j * turn / 4;
    return n;
}

static double last_change(const SqueezeDef* def, size_t k) // [s]
{
    const Solid* s = &def->solid[k];
    if (is_spinning(s) || (s->kind == &solid_kinematic && motion_swings(&s->oscillation)))
        return INFINITY;
    return is_moving(s) ? s->motion[s->motion_count - 1].time : 0;
}

static void find_times(Path* path, double until)
{
    until = fmin(until, fmax(last_change(path->def, path->self), last_change(path->def, path->other)));
    double key[KEYS_MOST + 16];
    size_t n = add_keys(path->def, path->self, until, key);
    n += add_keys(path->def, path->other, until, key + n);
    key[n++] = until;
    qsort(key, n, sizeof *key, by_value);
    path->time[0] = 0;
    path->time_count = 1;
    for (size_t k = 0; k < n; k++) {
        double from = k ? key[k - 1] : 0;
        for (int j = 1; j <= LOOKS && key[k] > from && path->time_count < TIMES_MOST; j++)
            path->time[path->time_count++] = from + (key[k] - from) * j / LOOKS;
    }
}

// --- sides

typedef enum Side {
    SIDE_NEAR,   // too close to tell
    SIDE_CLEAR,  // where fluid may be
    SIDE_BEHIND, // in the solid, or outside of the container
} Side;

// Fluid may be where any container is.
static bool is_in_another(const SqueezeDef* def, size_t container, Vec3d p, double time)
{
    for (size_t k = 0; k < def->count; k++) {
        const Solid* s = &def->solid[k];
        mn_Pose pose = solid_pose_at(&def->solid[k], time);
        if (k != container && s->inside && inside_contains(s->test, pose_to_local(&pose, p)))
            return true;
    }
    return false;
}

static Side side_of(const SqueezeDef* def, size_t k, Vec3d local)
{
    const Solid* s = &def->solid[k];
    double r = def->radius, reach = 2 * r;
    if (vec3d_distance(local, s->bound_centre) > s->bound_radius + reach)
        return s->inside ? SIDE_BEHIND : SIDE_CLEAR;
    double distance = inside_distance(s->test, local, reach, NULL, NULL);
    if (inside_contains(s->test, local) == s->inside)
        return distance >= reach ? SIDE_CLEAR : SIDE_NEAR;
    return distance >= 0.5 * r ? SIDE_BEHIND : SIDE_NEAR;
}

// Normal of the surface next to a point, towards the fluid.
static Vec3d wall_normal(const Solid* solid, Vec3d local)
{
    const TriMesh* mesh = &solid->mesh;
    uint32_t k = 0;
    inside_distance(solid->test, local, INFINITY, NULL, &k);
    Vec3d normal;
    if (mesh->triangle_count > 0) {
        const uint32_t* t = mesh->triangle[k];
        Vec3d a = mesh->vertex[t[0]];
        normal = vec3d_cross(vec3d_sub(mesh->vertex[t[1]], a), vec3d_sub(mesh->vertex[t[2]], a));
    } else {
        Vec3d along = vec3d_sub(mesh->vertex[mesh->segment[k][1]], mesh->vertex[mesh->segment[k][0]]);
        normal = vec3d(along.y, -along.x, 0);
    }
    return vec3d_scale(vec3d_normalise(normal), solid->inside ? -1 : 1);
}

// Both solids at one time.
typedef struct Moment {
    mn_Pose self, other;
} Moment;

static Moment moment_at(const Path* path, double time)
{
    return (Moment){solid_pose_at(&path->def->solid[path->self], time), solid_pose_at(&path->def->solid[path->other], time)};
}

static Vec3d in_world(const Moment* moment, Vec3d local)
{
    return vec3d_add(moment->self.position, quat_rotate(moment->self.rotation, local));
}

static Vec3d in_other(const Moment* moment, Vec3d local)
{
    return pose_to_local(&moment->other, in_world(moment, local));
}

// The two faces look at each other and come nearer, and fluid may be between them.
static bool is_squeezing(const Path* path, const PathPoint* point, const Moment* before, const Moment* now)
{
    Vec3d p = in_other(now, point->position), moved = vec3d_sub(p, in_other(before, point->position));
    Vec3d wall = wall_normal(&path->def->solid[path->other], p);
    if (vec3d_dot(moved, wall) > -0.3 * vec3d_length(moved))
        return false;
    Vec3d up = vec3d_scale(vec3d_normalise(path->def->gravity), -1), normal = quat_rotate(now->other.rotation, wall);
    double facing = vec3d_dot(quat_rotate(now->self.rotation, point->normal), normal);
    if (point->two_sided)
        facing = -fabs(facing);
    return facing < -0.5 && vec3d_dot(normal, up) > -0.7;
}

// Solids that overlap at the start are meant to: only what is clear then counts. One that comes from elsewhere counts as a whole.
static void find_start(Path* path, const Moment* start)
{
    size_t clear = 0;
    for (size_t k = 0; k < path->point_count; k++) {
        PathPoint* point = &path->point[k];
        point->counts = side_of(path->def, path->other, in_other(start, point->position)) == SIDE_CLEAR;
        clear += point->counts;
    }
    for (size_t k = 0; k < path->point_count && clear == 0; k++)
        path->point[k].counts = true;
}

// The time at which a gap is closed [s], or -1.
static double find_squeeze(Path* path)
{
    const SqueezeDef* def = path->def;
    Moment before = moment_at(path, 0);
    find_start(path, &before);
    for (size_t j = 0; j < path->time_count; j++) {
        double time = path->time[j];
        Moment now = moment_at(path, time);
        for (size_t k = 0; k < path->point_count; k++) {
            PathPoint* point = &path->point[k];
            if (!point->counts)
                continue;
            Side side = side_of(def, path->other, in_other(&now, point->position));
            if (side == SIDE_BEHIND && point->was_clear && is_squeezing(path, point, &before, &now) &&
                !(def->solid[path->other].inside && is_in_another(def, path->other, in_world(&now, point->position), time)))
                return time;
            point->was_clear |= side == SIDE_CLEAR;
        }
        before = now;
    }
    return -1;
}

// --- saying it

static void say(const Path* path, size_t teller, double time)
{
    const SqueezeDef* def = path->def;
    const Solid* s = &def->solid[teller];
    size_t key = 1;
    while (key < s->motion_count && s->motion[key].time < time)
        key++;
    const char* other = def->solid[teller == path->self ? path->other : path->self].name;
    if (s->motion_count > 1 && key < s->motion_count)
        log_say(def->log, MN_LOG_WARNING,
                "solid '%s' moves through the wall of '%s' at t = %.3g s, on the way to its key frame %zu (time %g): fluid in "
                "between has nowhere to go. The position of a key frame is where the solid's origin is, not how far it is shifted",
                s->name, other, time, key, s->motion[key].time);
    else
        log_say(def->log, MN_LOG_WARNING,
                "solid '%s' %s through the wall of '%s' at t = %.3g s: fluid in between has nowhere to go", s->name,
                motion_swings(&s->oscillation) ? "moves" : "turns", other, time);
}

// Points of either of the two against the other.
static void look_at_pair(Path* path, size_t a, size_t b, double until)
{
    const SqueezeDef* def = path->def;
    double found = -1;
    for (int turn = 0; turn < 2 && found < 0; turn++) {
        path->self = turn ? b : a;
        path->other = turn ? a : b;
        if (!def->solid[path->other].closed)
            continue;
        find_points(path);
        find_times(path, until);
        found = find_squeeze(path);
    }
    if (found >= 0)
        say(path, is_moving(&def->solid[a]) ? a : b, found);
}

void squeeze_warn(const SqueezeDef* def, double until)
{
    if (!def->log.fn)
        return;
    Path* path = NULL;
    for (size_t a = 0; a < def->count; a++)
        for (size_t b = 0; b < def->count; b++) {
            const Solid *one = &def->solid[a], *other = &def->solid[b];
            bool asked = is_moving(one) && (is_moving(other) ? a < b : b != a);
            if (!asked || !other->kind->is_driven)
                continue;
            if (!path && !(path = memory_take(NULL, sizeof *path)))
                return;
            path->def = def;
            look_at_pair(path, a, b, until);
        }
    memory_give(NULL, path);
}
