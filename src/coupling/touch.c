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

// Most fluid of a tank is far from its walls.
static bool is_well_within(const Solid* solid, Vec3d p, double reach, bool flat)
{
    if (solid->shape.type != MN_SHAPE_BOX)
        return false;
    Vec3d d = vec3d_sub(p, solid->bound_centre), half = solid->bound_half;
    return fabs(d.x) + reach < half.x && fabs(d.y) + reach < half.y && (flat || fabs(d.z) + reach < half.z);
}

bool touch_find(const TouchSolid* t, Vec3d from, Vec3d to, double reach, Touch* out)
{
    const Solid* solid = t->solid;
    bool flat = solid->mesh.triangle_count == 0;
    Vec3d p = pose_to_local(&t->now, to);
    if (t->sort == TOUCH_CONTAINER ? is_well_within(solid, p, reach, flat)
                                   : vec3d_distance(p, solid->bound_centre) > solid->bound_radius + reach)
        return false;
    Vec3d start = pose_to_local(&t->was, from), closest;
    double path = vec3d_distance(start, p), limit = 1.0001 * fmax(reach, path) + 0.01 * reach;
    uint32_t face;
    double far = inside_distance(solid->test, p, limit, &closest, &face);
    if (!(far < limit))
        return false;
    Vec3d away = vec3d_sub(p, closest), normal = face_normal(&solid->mesh, face);
    bool wrong;
    if (t->sort == TOUCH_SHELL)
        wrong = far < path && crosses(solid, start, p);
    else
        wrong = is_within(solid, p, away, far, normal) == (t->sort == TOUCH_BODY);
    double gap = wrong ? -far : far;
    if (!(gap < reach))
        return false;
    if (far > 1e-6 * reach)
        normal = vec3d_scale(away, 1 / gap);
    else if (t->sort == TOUCH_CONTAINER)
        normal = vec3d_scale(normal, -1);
    else if (t->sort == TOUCH_SHELL && vec3d_dot(normal, vec3d_sub(start, closest)) < 0)
        normal = vec3d_scale(normal, -1);
    *out = (Touch){gap, quat_rotate(t->now.rotation, normal), pose_to_world(&t->now, closest)};
    if (flat)
        out->normal.z = out->point.z = 0; // also what rounding leaves
    return true;
}
