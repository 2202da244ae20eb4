// SPDX-License-Identifier: MIT
#include "foam/sides.h"

#include <string.h>

enum { TRIES = 4, PASSES = 16 };

// --- solids

static bool copy_vertices(FoamSides* sides, FoamSolid* s, const TriMesh* mesh)
{
    inside_destroy(s->own);
    memory_give(sides->memory, s->at);
    memory_give(sides->memory, s->from);
    s->own = inside_create(mesh, sides->memory);
    s->test = s->own;
    s->vertices = mesh->vertex_count;
    s->triangle_count = mesh->triangle_count;
    s->at = memory_take(sides->memory, (mesh->vertex_count + 1) * sizeof *s->at);
    s->from = memory_take(sides->memory, (mesh->vertex_count + 1) * sizeof *s->from);
    if (!s->own || !s->at || !s->from)
        return false;
    memcpy(s->at, mesh->vertex, mesh->vertex_count * sizeof *s->at);
    memcpy(s->from, mesh->vertex, mesh->vertex_count * sizeof *s->from);
    return true;
}

static void find_bounds(FoamSolid* s, const TriMesh* mesh)
{
    Box3d box = tri_mesh_bounds(mesh);
    s->box = box;
    s->bound_centre = s->centre = vec3d_lerp(box.min, box.max, 0.5);
    s->bound_radius = 0.5 * vec3d_distance(box.min, box.max);
}

bool foam_sides_deform(FoamSides* sides, size_t solid, const TriMesh* mesh)
{
    FoamSolid* s = &sides->solid[solid];
    if (!s->own)
        return true;
    s->triangle = (const uint32_t(*)[3])mesh->triangle;
    find_bounds(s, mesh);
    if (mesh->triangle_count != s->triangle_count || mesh->vertex_count != s->vertices)
        return copy_vertices(sides, s, mesh);
    memcpy(s->at, mesh->vertex, s->vertices * sizeof *s->at);
    s->travel = 0;
    for (size_t k = 0; k < s->vertices; k++)
        s->travel = fmax(s->travel, vec3d_distance(s->at[k], s->from[k]));
    inside_follow(s->own, mesh, SIZE_MAX, NULL);
    return true;
}

static bool add_solid(FoamSides* sides, const Solid* solid)
{
    FoamSolid* s = &sides->solid[sides->count++];
    bool is_line = sides->dimension == 3 && !solid->mesh.triangle_count;
    *s = (FoamSolid){.test = is_line ? NULL : solid->test,
                     .was = solid->pose,
                     .now = solid->pose,
                     .bound_centre = solid->bound_centre,
                     .centre = pose_to_world(&solid->pose, solid->bound_centre),
                     .box = tri_mesh_bounds(&solid->mesh),
                     .bound_radius = solid->bound_radius,
                     .is_box = solid->shape.type == MN_SHAPE_BOX && !solid->kind->deforms,
                     .half = solid->bound_half,
                     .is_closed = solid->closed,
                     .is_container = solid->inside && solid->closed};
    if (!solid->kind->deforms || is_line)
        return true;
    s->was = s->now = (mn_Pose){.rotation = quat_identity()};
    s->triangle = (const uint32_t(*)[3])solid->mesh.triangle;
    find_bounds(s, &solid->mesh);
    return copy_vertices(sides, s, &solid->mesh);
}

bool foam_sides_create(FoamSides* sides, Memory* memory, const Solid* solid, size_t count, int dimension, double margin)
{
    *sides = (FoamSides){.memory = memory, .dimension = dimension, .margin = margin};
    sides->solid = memory_take(memory, (count + 1) * sizeof *sides->solid);
    if (!sides->solid)
        return false;
    memset(sides->solid, 0, (count + 1) * sizeof *sides->solid);
    for (size_t k = 0; k < count; k++) {
        if (!add_solid(sides, &solid[k]))
            return false;
        sides->has_containers |= sides->solid[k].is_container;
    }
    return true;
}

void foam_sides_destroy(FoamSides* sides)
{
    for (size_t k = 0; sides->solid && k < sides->count; k++) {
        inside_destroy(sides->solid[k].own);
        memory_give(sides->memory, sides->solid[k].at);
        memory_give(sides->memory, sides->solid[k].from);
    }
    memory_give(sides->memory, sides->solid);
    *sides = (FoamSides){0};
}

void foam_sides_pose(FoamSides* sides, size_t solid, mn_Pose pose)
{
    FoamSolid* s = &sides->solid[solid];
    if (s->own)
        return;
    s->now = pose;
    s->centre = pose_to_world(&pose, s->bound_centre);
    // a turn moves a point by the angle times its distance from the origin at most; |q - p| of quaternions is half the angle
    Quat a = s->was.rotation, b = pose.rotation;
    double same = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
    double turn = 2 * acos(same < 1 ? same : 1);
    s->travel = vec3d_distance(s->was.position, pose.position) + turn * (vec3d_length(s->bound_centre) + s->bound_radius);
}

void foam_sides_end_step(FoamSides* sides)
{
    for (size_t k = 0; k < sides->count; k++) {
        FoamSolid* s = &sides->solid[k];
        s->was = s->now;
        s->travel = 0;
        if (s->own)
            memcpy(s->from, s->at, s->vertices * sizeof *s->from);
    }
}

// --- a point

typedef struct Hit {
    double time;   // [1] of the path
    Vec3d point;   // [m] in the frame of the solid
    Vec3d normal;  // [1] to the side that the point came from, in the frame
    Vec3d rest;    // [m] of the path, behind the surface, in the frame
    Vec3d carried; // [m] how far the surface moved there, in the world
    const FoamSolid* solid;
} Hit;

// Whether a point that ends at `to` after a path of this length [m] is nowhere near.
static bool is_clear(const FoamSolid* s, Vec3d to, double length)
{
    double reach = s->bound_radius + length + s->travel;
    Vec3d apart = vec3d_sub(to, s->centre);
    return vec3d_dot(apart, apart) > reach * reach;
}

// Whether a path in the frame is on one side of the box around the surface.
static bool is_beside(const Box3d* box, Vec3d a, Vec3d b, double margin)
{
    Vec3d low = {box->min.x - margin, box->min.y - margin, box->min.z - margin};
    Vec3d high = {box->max.x + margin, box->max.y + margin, box->max.z + margin};
    return (a.x < low.x && b.x < low.x) || (a.x > high.x && b.x > high.x) || (a.y < low.y && b.y < low.y) ||
           (a.y > high.y && b.y > high.y) || (a.z < low.z && b.z < low.z) || (a.z > high.z && b.z > high.z);
}

static bool in_box(Vec3d local, Vec3d half, int dimension)
{
    return fabs(local.x) < half.x && fabs(local.y) < half.y && (dimension == 2 || fabs(local.z) < half.z);
}

// How far what deforms took a point beside it along: as far as the nearest triangle went.
static Vec3d carried_by(const FoamSolid* s, Vec3d from, double reach)
{
    uint32_t face;
    Vec3d closest;
    if (!(inside_distance(s->own, from, reach, &closest, &face) < reach) || face >= s->triangle_count)
        return vec3d(0, 0, 0);
    Vec3d sum = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        sum = vec3d_add(sum, vec3d_sub(s->at[s->triangle[face][k]], s->from[s->triangle[face][k]]));
    return vec3d_scale(sum, 1.0 / 3);
}

static bool is_contained(const FoamSides* sides, Vec3d point, const FoamSolid* except)
{
    for (size_t k = 0; k < sides->count; k++) {
        const FoamSolid* s = &sides->solid[k];
        if (!s->is_container || s == except || !s->test)
            continue;
        Vec3d local = pose_to_local(&s->now, point);
        if (s->is_box ? in_box(local, s->half, sides->dimension) : inside_contains(s->test, local))
            return true;
    }
    return false;
}

// The first passage through one solid that is earlier than hit->time; leaves `hit` alone if there is none.
static void meet_solid(const FoamSides* sides, const FoamSolid* s, Vec3d from, Vec3d to, bool has_moved, Hit* hit)
{
    Vec3d carried = {0, 0, 0}, a, b = pose_to_local(&s->now, to);
    if (s->own && !has_moved)
        carried = carried_by(s, from, 2 * s->travel + 4 * sides->margin + vec3d_distance(from, to));
    a = s->own ? vec3d_add(from, carried) : pose_to_local(has_moved ? &s->now : &s->was, from);
    if (s->is_box && s->is_container && in_box(a, s->half, sides->dimension) && in_box(b, s->half, sides->dimension))
        return;
    if (sides->dimension == 3 && is_beside(&s->box, a, b, sides->margin))
        return;
    SurfacePass pass[PASSES];
    int count = inside_passes(s->test, a, b, pass, PASSES);
    for (int k = 0; k < count; k++) {
        if (!(pass[k].time < hit->time))
            continue;
        Vec3d point = vec3d_lerp(a, b, pass[k].time);
        // containers that overlap are one room
        if (s->is_container && sides->count > 1 && is_contained(sides, pose_to_world(&s->now, point), s))
            continue;
        *hit =
            (Hit){.time = pass[k].time,
                  .point = point,
                  .normal = vec3d_scale(vec3d_normalise(pass[k].normal), -pass[k].direction),
                  .rest = vec3d_sub(b, point),
                  .carried = s->own ? carried
                                    : vec3d_sub(pose_to_world(&s->now, point), pose_to_world(has_moved ? &s->now : &s->was, point)),
                  .solid = s};
    }
}

static bool meet(const FoamSides* sides, Vec3d from, Vec3d to, bool has_moved, Hit* hit)
{
    *hit = (Hit){.time = INFINITY};
    double length = vec3d_distance(from, to);
    for (size_t k = 0; k < sides->count; k++) {
        const FoamSolid* s = &sides->solid[k];
        if (s->test && ((s->is_box && s->is_container) || !is_clear(s, to, length)))
            meet_solid(sides, s, from, to, has_moved, hit);
    }
    return hit->solid;
}

bool foam_sides_is_wrong(const FoamSides* sides, Vec3d point)
{
    for (size_t k = 0; k < sides->count; k++) {
        const FoamSolid* s = &sides->solid[k];
        if (!s->test || s->is_container || !s->is_closed || is_clear(s, point, 0))
            continue;
        Vec3d local = pose_to_local(&s->now, point);
        bool is_near = sides->dimension == 2 || !is_beside(&s->box, local, local, sides->margin);
        if (is_near && (s->is_box ? in_box(local, s->half, sides->dimension) : inside_contains(s->test, local)))
            return true;
    }
    return sides->has_containers && !is_contained(sides, point, NULL);
}

// The velocity relative to the surface loses what leads into it.
static void stop(const Hit* hit, double dt, Vec3d* velocity)
{
    Vec3d normal = quat_rotate(hit->solid->now.rotation, hit->normal);
    Vec3d relative = vec3d_mad(*velocity, dt > 0 ? -1 / dt : 0, hit->carried);
    double into = vec3d_dot(relative, normal);
    if (into < 0)
        *velocity = vec3d_mad(*velocity, -into, normal);
}

bool foam_sides_move(const FoamSides* sides, double dt, Vec3d from, Vec3d* to, Vec3d* velocity, bool* touched)
{
    Hit hit;
    Vec3d at = from, target = *to;
    *touched = false;
    for (int k = 0; k < TRIES && meet(sides, at, target, k > 0, &hit); k++) {
        *touched = true;
        stop(&hit, dt, velocity);
        Vec3d place = vec3d_mad(hit.point, sides->margin, hit.normal);
        Vec3d slide = vec3d_mad(hit.rest, -vec3d_dot(hit.rest, hit.normal), hit.normal);
        const mn_Pose* pose = &hit.solid->now;
        Vec3d beside = pose_to_world(pose, place);
        Hit other;
        if (k > 0 && meet(sides, at, beside, true, &other)) { // a corner: it stays where it came from
            target = at;
            break;
        }
        at = beside;
        target = k + 1 < TRIES ? pose_to_world(pose, vec3d_add(place, slide)) : at;
    }
    *to = target;
    return !foam_sides_is_wrong(sides, target);
}
