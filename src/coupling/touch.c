// SPDX-License-Identifier: MIT
#include "coupling/touch.h"

enum { PASSES_MOST = 8 };

// From this share of the length on, a vector counts as parallel to a normal.
static const double PARALLEL = 0.99999;

TouchSort touch_sort(const Solid* solid, int dimension)
{
    if (solid->kind->deforms || !solid->test ||
        (solid->mesh.triangle_count == 0 && (dimension == 3 || solid->mesh.segment_count == 0)))
        return TOUCH_NONE;
    return !solid->closed ? TOUCH_SHELL : solid->inside ? TOUCH_CONTAINER : TOUCH_BODY;
}

// [1] of a triangle or segment, outwards
static Vec3d face_normal(const TriMesh* mesh, uint32_t face)
{
    if (mesh->triangle_count == 0) {
        const uint32_t* s = mesh->segment[face];
        Vec3d along = vec3d_sub(mesh->vertex[s[1]], mesh->vertex[s[0]]);
        return vec3d_normalise(vec3d(along.y, -along.x, 0));
    }
    const uint32_t* t = mesh->triangle[face];
    Vec3d a = mesh->vertex[t[0]];
    return vec3d_normalise(vec3d_cross(vec3d_sub(mesh->vertex[t[1]], a), vec3d_sub(mesh->vertex[t[2]], a)));
}

// Whether a point is in a closed solid, given the nearest point of its surface. Beside the middle of a face the face tells; who is
// nearest to an edge or a corner may be on either side of each of the faces that meet there.
static bool is_within(const Solid* solid, Vec3d p, Vec3d away, double far, Vec3d normal)
{
    double along = vec3d_dot(away, normal);
    return fabs(along) > PARALLEL * far ? along < 0 : inside_contains(solid->test, p);
}

// Whether a path crosses an open surface, and so ends on the other side.
static bool crosses(const Solid* solid, Vec3d from, Vec3d to)
{
    SurfacePass pass[PASSES_MOST];
    return inside_passes(solid->test, from, to, pass, PASSES_MOST) % 2 == 1;
}

// The nearest point of a surface.
typedef struct Nearest {
    Vec3d point, normal; // [m]; [1] of its face, outwards
    double far;          // [m]
    uint32_t face;
    bool known, within; // whether the point is in the closed solid, if that is known already
    double next;        // [m] from within a box to its next face
} Nearest;

// Boxes need no search: most walls are boxes, and most fluid beside solids is beside walls.
static bool nearest_of_box(const Solid* solid, Vec3d p, double limit, bool flat, Nearest* out)
{
    Vec3d at = vec3d_sub(p, solid->bound_centre), half = solid->bound_half;
    const double q[3] = {at.x, at.y, at.z}, h[3] = {half.x, half.y, half.z};
    double beyond[3] = {0}, square = 0, on[3] = {0, 0, 0}, face[3] = {0};
    int axes = flat ? 2 : 3, most = 0;
    for (int k = 0; k < axes; k++) {
        beyond[k] = fabs(q[k]) - h[k];
        most = beyond[k] > beyond[most] ? k : most;
    }
    bool within = !(beyond[most] > 0);
    if (within && !(-beyond[most] < limit)) // as most of the fluid in a tank is
        return false;
    for (int k = 0; k < axes; k++) {
        square += beyond[k] > 0 ? beyond[k] * beyond[k] : 0;
        on[k] = beyond[k] > 0 ? copysign(h[k], q[k]) : q[k];
    }
    double far = within ? -beyond[most] : sqrt(square);
    if (!(far < limit))
        return false;
    double next = h[most] > limit ? (double)INFINITY : 0; // else the face across is near, too
    for (int k = 0; k < axes; k++)
        next = k != most && -beyond[k] < next ? -beyond[k] : next;
    on[most] = copysign(h[most], q[most]);
    face[most] = copysign(1, q[most]);
    *out = (Nearest){
        vec3d_add(solid->bound_centre, vec3d(on[0], on[1], on[2])), {face[0], face[1], face[2]}, far, 0, true, within, next};
    return true;
}

static bool nearest_of_mesh(const Solid* solid, Vec3d p, double limit, Nearest* out)
{
    out->far = inside_distance(solid->test, p, limit, &out->point, &out->face);
    if (!(out->far < limit))
        return false;
    out->normal = face_normal(&solid->mesh, out->face);
    out->known = false;
    return true;
}

// Beyond the box around it and the ball around that there is no surface.
static bool is_far_from(const Solid* solid, Vec3d p, double reach)
{
    Vec3d d = vec3d_sub(p, solid->bound_centre), half = solid->bound_half;
    double ball = solid->bound_radius + reach;
    return vec3d_dot(d, d) > ball * ball || fabs(d.x) > half.x + reach || fabs(d.y) > half.y + reach || fabs(d.z) > half.z + reach;
}

void touch_place(TouchSolid* t, mn_Pose now, bool rests)
{
    const Vec3d unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    t->now = now;
    t->rests = rests;
    for (int k = 0; k < 3; k++)
        t->axis[k] = quat_rotate(now.rotation, unit[k]);
}

// [m2] the square of a particle's path to `to`, in the solid's frame to `p`
static double path_square(const TouchSolid* t, Vec3d from, Vec3d to, Vec3d p)
{
    Vec3d path = t->rests ? vec3d_sub(to, from) : vec3d_sub(p, pose_to_local(&t->was, from));
    return vec3d_dot(path, path);
}

// From its frame to the world, at the end.
static Vec3d turned(const TouchSolid* t, Vec3d v)
{
    return vec3d_mad(vec3d_mad(vec3d_scale(t->axis[0], v.x), v.y, t->axis[1]), v.z, t->axis[2]);
}

bool touch_find(const TouchSolid* t, const Vec3d* from, const Vec3d* to, double reach, Touch* out)
{
    const Solid* solid = t->solid;
    bool flat = solid->mesh.triangle_count == 0;
    Vec3d off = vec3d_sub(*to, t->now.position);
    Vec3d p = {vec3d_dot(off, t->axis[0]), vec3d_dot(off, t->axis[1]), vec3d_dot(off, t->axis[2])};
    if (flat)
        p.z = solid->bound_centre.z;
    if (t->sort != TOUCH_CONTAINER && is_far_from(solid, p, reach))
        return false;
    double path2 = path_square(t, *from, *to, p), limit = 1.0001 * (path2 > reach * reach ? sqrt(path2) : reach) + 0.01 * reach;
    Nearest near;
    if (!(solid->shape.type == MN_SHAPE_BOX ? nearest_of_box(solid, p, limit, flat, &near)
                                            : nearest_of_mesh(solid, p, limit, &near)))
        return false;
    Vec3d away = vec3d_sub(p, near.point), normal = near.normal;
    bool wrong;
    Vec3d start = t->sort == TOUCH_SHELL ? pose_to_local(&t->was, *from) : p;
    if (t->sort == TOUCH_SHELL)
        wrong = near.far * near.far < path2 && crosses(solid, start, p);
    else
        wrong = (near.known ? near.within : is_within(solid, p, away, near.far, normal)) == (t->sort == TOUCH_BODY);
    double gap = wrong ? -near.far : near.far;
    if (!(gap < reach))
        return false;
    if (near.far > 1e-6 * reach)
        normal = vec3d_scale(away, 1 / gap);
    else if (t->sort == TOUCH_CONTAINER)
        normal = vec3d_scale(normal, -1);
    else if (t->sort == TOUCH_SHELL && vec3d_dot(normal, vec3d_sub(start, near.point)) < 0)
        normal = vec3d_scale(normal, -1);
    bool alone = near.known && !wrong && (t->sort == TOUCH_BODY || near.next > reach);
    *out = (Touch){gap, turned(t, normal), vec3d_add(t->now.position, turned(t, near.point)), near.face, alone};
    if (flat)
        out->normal.z = out->point.z = 0; // also what rounding leaves
    return true;
}
