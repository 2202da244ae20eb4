// SPDX-License-Identifier: MIT
#include "solid/solid.h"

#include "base/error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void find_bounds(Solid* solid)
{
    Box3d box = tri_mesh_bounds(&solid->mesh);
    solid->bound_centre = vec3d_scale(vec3d_add(box.min, box.max), 0.5);
    solid->bound_half = vec3d_scale(vec3d_sub(box.max, box.min), 0.5);
    for (size_t k = 0; k < solid->mesh.vertex_count; k++)
        solid->bound_radius = fmax(solid->bound_radius, vec3d_distance(solid->mesh.vertex[k], solid->bound_centre));
}

// Whether the solid is on the side of a face that its normal points to, and only there.
static bool looks_inwards(const Solid* solid, Vec3d middle, Vec3d normal)
{
    Vec3d step = vec3d_scale(vec3d_normalise(normal), 1e-6 * solid->bound_radius);
    return inside_contains(solid->test, vec3d_add(middle, step)) && !inside_contains(solid->test, vec3d_sub(middle, step));
}

// A mesh from elsewhere may be turned inside out, as a whole, in one of its parts or in single faces; their particles would then
// lie on the wrong side of the surface.
static void turn_outwards(Solid* solid)
{
    TriMesh* mesh = &solid->mesh;
    const Vec3d* v = mesh->vertex;
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        uint32_t* t = mesh->triangle[k];
        Vec3d middle = vec3d_scale(vec3d_add(v[t[0]], vec3d_add(v[t[1]], v[t[2]])), 1.0 / 3);
        if (!looks_inwards(solid, middle, vec3d_cross(vec3d_sub(v[t[1]], v[t[0]]), vec3d_sub(v[t[2]], v[t[0]]))))
            continue;
        uint32_t second = t[1];
        t[1] = t[2];
        t[2] = second;
    }
    for (size_t k = 0; k < mesh->segment_count && mesh->triangle_count == 0; k++) {
        uint32_t* s = mesh->segment[k];
        Vec3d along = vec3d_sub(v[s[1]], v[s[0]]);
        if (!looks_inwards(solid, vec3d_lerp(v[s[0]], v[s[1]], 0.5), vec3d(along.y, -along.x, 0)))
            continue;
        uint32_t first = s[0];
        s[0] = s[1];
        s[1] = first;
    }
}

mn_Result solid_create(Solid* solid, const mn_SolidDef* def, int dimension, double tolerance, const char* folder, Memory* memory,
                       mn_Error* error)
{
    *solid = (Solid){.type = def->type,
                     .inside = def->inside,
                     .visible = def->visible,
                     .friction = def->friction,
                     .slip = def->slip,
                     .fluid_restitution = def->fluid_restitution,
                     .wall_viscosity = def->wall_viscosity,
                     .adhesion = def->adhesion,
                     .contact_angle = def->contact_angle,
                     .surface_velocity = def->surface_velocity,
                     .spin = def->type == MN_SOLID_KINEMATIC ? def->angular_velocity : vec3d(0, 0, 0),
                     .interpolation = def->interpolation,
                     .oscillation = def->oscillation,
                     .start_position = def->pose.position,
                     .start_rotation = quat_normalise(def->pose.rotation),
                     .kind = def->type == MN_SOLID_KINEMATIC ? &solid_kinematic : &solid_static,
                     .colour = solid_def_colour(def),
                     .shape = def->shape,
                     .pose = {def->pose.position, quat_normalise(def->pose.rotation)}};
    solid->shape.file = NULL;
    mn_Result result = shape_build(&def->shape, dimension, tolerance, folder, &solid->mesh, error);
    if (result != MN_OK)
        return result;
    tri_mesh_scale(&solid->mesh, def->scale);
    if (def->type == MN_SOLID_ELASTIC) { // what deforms has no frame of its own
        tri_mesh_move(&solid->mesh, &solid->pose);
        solid->pose = (mn_Pose){.rotation = quat_identity()};
    }
    TopologyReport report;
    solid->name = strdup(def->name ? def->name : "");
    if (!solid->name || !tri_mesh_topology(&solid->mesh, &report))
        goto out_of_memory;
    solid->closed = report.closed;
    if (def->inside && !solid->closed) {
        solid_free(solid);
        result = error_set(error, MN_BAD_INPUT, "a container (inside: true) needs a closed shape; this one has %zu open edges",
                           report.open_edges);
        error_key(error, "inside");
        return result;
    }
    find_bounds(solid);
    if (!(solid->test = inside_create(&solid->mesh, memory)))
        goto out_of_memory;
    if (solid->closed)
        turn_outwards(solid);
    if (def->motion_count) {
        solid->motion = malloc(def->motion_count * sizeof *solid->motion);
        if (!solid->motion)
            goto out_of_memory;
        memcpy(solid->motion, def->motion, def->motion_count * sizeof *solid->motion);
        solid->motion_count = def->motion_count;
    }
    return MN_OK;
out_of_memory:
    solid_free(solid);
    return error_set(error, MN_OUT_OF_MEMORY, "no memory for a solid");
}

bool solid_set_mesh(Solid* solid, TriMesh* mesh, Memory* memory)
{
    TopologyReport report;
    InsideTest* test = tri_mesh_topology(mesh, &report) ? inside_create(mesh, memory) : NULL;
    if (!test) {
        tri_mesh_free(mesh);
        return false;
    }
    inside_destroy(solid->test);
    tri_mesh_free(&solid->mesh);
    solid->mesh = *mesh;
    solid->test = test;
    solid->closed = report.closed;
    turn_outwards(solid);
    solid->bound_radius = 0;
    find_bounds(solid);
    *mesh = (TriMesh){0};
    return true;
}

void solid_find_bounds(Solid* solid)
{
    solid->bound_radius = 0;
    find_bounds(solid);
}

void solid_free(Solid* solid)
{
    free(solid->name);
    free(solid->motion);
    inside_destroy(solid->test);
    tri_mesh_free(&solid->mesh);
    memset(solid, 0, sizeof *solid);
}

// Key frames and oscillation, without the spin.
static mn_Pose key_pose_at(const Solid* solid, double time)
{
    mn_Pose pose = solid->motion_count ? motion_pose_at(solid->motion, solid->motion_count, solid->interpolation, time)
                                       : (mn_Pose){solid->start_position, solid->start_rotation};
    return motion_swings(&solid->oscillation) ? motion_swing(pose, &solid->oscillation, time) : pose;
}

static mn_Pose driven_pose_at(const SolidDrive* drive, double time)
{
    double t = fmax(0, fmin(time, drive->end) - drive->start);
    mn_Pose pose = {vec3d_mad(drive->from.position, t, drive->velocity), drive->from.rotation};
    if (vec3d_length(drive->spin) > 0)
        pose.rotation = quat_normalise(quat_mul(motion_turn(vec3d_scale(drive->spin, t)), pose.rotation));
    return pose;
}

bool solid_drive_is_good(const Solid* solid)
{
    const SolidDrive* d = &solid->drive;
    Quat q = d->from.rotation;
    double norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return vec3d_finite(solid->push) && vec3d_finite(solid->twist) &&
           (d->on == 0 ||
            (d->on == 1 && solid->type == MN_SOLID_KINEMATIC && isfinite(d->start) && d->end >= d->start &&
             vec3d_finite(d->from.position) && fabs(norm - 1) < 1e-3 && vec3d_finite(d->velocity) && vec3d_finite(d->spin)));
}

mn_Pose solid_pose_at(const Solid* solid, double time)
{
    if (solid->drive.on > 0)
        return driven_pose_at(&solid->drive, time);
    mn_Pose pose = key_pose_at(solid, time);
    if (vec3d_length(solid->spin) > 0)
        pose.rotation = quat_normalise(quat_mul(motion_turn(vec3d_scale(solid->spin, time)), pose.rotation));
    return pose;
}

bool solid_is_moved(const Solid* solid)
{
    return solid->drive.on > 0 || solid->motion_count > 1 || motion_swings(&solid->oscillation);
}

static void move_by_keys(Solid* solid, double time, double dt)
{
    mn_Pose now = key_pose_at(solid, time), then = key_pose_at(solid, time + dt);
    solid->pose = now;
    solid->velocity = vec3d_scale(vec3d_sub(then.position, now.position), 1 / dt);
    Quat turn = quat_mul(then.rotation, quat_conjugate(now.rotation));
    if (turn.w < 0)
        turn = (Quat){-turn.w, -turn.x, -turn.y, -turn.z};
    Vec3d axis = {turn.x, turn.y, turn.z};
    double s = vec3d_length(axis), angle = 2 * atan2(s, turn.w);
    solid->angular_velocity = s > 0 ? vec3d_scale(axis, angle / (s * dt)) : vec3d(0, 0, 0);
}

void solid_move(Solid* solid, double time, double dt)
{
    bool keyed = solid->motion_count > 0 || motion_swings(&solid->oscillation);
    if (solid->type != MN_SOLID_KINEMATIC || solid->removed)
        return;
    if (solid->drive.on > 0) {
        const SolidDrive* drive = &solid->drive;
        double share = fmin(1, fmax(0, drive->end - time) / dt); // of the step over which it still moves
        solid->pose = driven_pose_at(drive, time);
        solid->velocity = vec3d_scale(drive->velocity, share);
        solid->angular_velocity = vec3d_scale(drive->spin, share);
        return;
    }
    if (keyed)
        move_by_keys(solid, time, dt);
    if (!(vec3d_length(solid->spin) > 0))
        return;
    Quat turn = motion_turn(vec3d_scale(solid->spin, time));
    Vec3d own = keyed ? solid->angular_velocity : vec3d(0, 0, 0);
    solid->pose.rotation = solid_pose_at(solid, time).rotation;
    solid->angular_velocity = vec3d_add(solid->spin, quat_rotate(turn, own));
}

Vec3d solid_velocity_at(const Solid* solid, Vec3d point)
{
    Vec3d arm = vec3d_sub(point, solid->pose.position);
    return vec3d_add(vec3d_add(solid->velocity, vec3d_cross(solid->angular_velocity, arm)), solid->surface_velocity);
}

// --- names

int solid_find(const Solid* solid, size_t count, const char* name)
{
    for (size_t k = 0; name && k < count; k++)
        if (!solid[k].removed && !strcmp(solid[k].name, name))
            return (int)k;
    return -1;
}

mn_Result solid_not_found(const Solid* solid, size_t count, const char* key, const char* name, mn_Error* error)
{
    enum { LISTED = 8 };
    char known[LISTED * 70] = "";
    size_t used = 0;
    for (size_t k = 0; k < count && k < LISTED; k++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s'%.64s'", k ? ", " : "", solid[k].name);
    error_set(error, MN_BAD_INPUT, "there is no solid named '%.64s'; there are %.320s%s", name ? name : "", used ? known : "none",
              count > LISTED ? ", ..." : "");
    error_key(error, "%s", key);
    return MN_BAD_INPUT;
}

// --- static and kinematic solids: nothing moves them

static Vec3d driven_velocity_at(const Solid* solid, const SurfacePlace* place)
{
    return solid_velocity_at(solid, place->point);
}

static double driven_mobility_at(const Solid* solid, const SurfacePlace* place, Vec3d direction)
{
    return 0;
}

static void driven_take_impulse(Solid* solid, const SurfacePlace* place, Vec3d impulse)
{
}

static mn_Pose static_pose_after(const Solid* solid, double time)
{
    return solid->pose;
}

const SolidKind solid_static = {.name = "static",
                                .is_driven = true,
                                .velocity_at = driven_velocity_at,
                                .mobility_at = driven_mobility_at,
                                .take_impulse = driven_take_impulse,
                                .pose_after = static_pose_after};

const SolidKind solid_kinematic = {.name = "kinematic",
                                   .is_driven = true,
                                   .velocity_at = driven_velocity_at,
                                   .mobility_at = driven_mobility_at,
                                   .take_impulse = driven_take_impulse,
                                   .pose_after = solid_pose_at};
