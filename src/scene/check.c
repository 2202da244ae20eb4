// SPDX-License-Identifier: MIT
#include "scene/check.h"

#include "base/vec.h"
#include "scene/material.h"
#include "scene/read.h"
#include "scene/shapes.h"
#include "scene/template.h"

#include <stdio.h>
#include <string.h>

// Ids of particles have 32 bits; half of them is more than any machine simulates today.
static const double MOST_PARTICLES = 2147483647.0;
static const double MOST_FRAMES = 1e8;

static bool given(json_t* node, const char* key)
{
    return json_object_get(node, key) != NULL;
}

// --- names

// "fluid1", "fluid2", ... for those without a name; the index is that of the list being read.
static bool default_name(Reader* reader, const char* stem, char** name)
{
    if (*name)
        return true;
    char text[32];
    const Path* path = &reader->path;
    snprintf(text, sizeof text, "%s%zu", stem, path->step[path->depth - 1].index + 1);
    *name = strdup(text);
    return *name || reader_no_memory(reader);
}

// The name at `offset` of each item must be its own; compared in order, so that the second of two is named.
static bool names_differ(Reader* reader, const char* list, const void* items, size_t count, size_t size, size_t offset)
{
    for (size_t k = 1; k < count; k++) {
        const char* name = *(char* const*)((const char*)items + k * size + offset);
        for (size_t j = 0; j < k; j++) {
            if (strcmp(name, *(char* const*)((const char*)items + j * size + offset)))
                continue;
            path_push_key(&reader->path, list);
            path_push_index(&reader->path, k);
            return reader_fail_in(reader, "name", "\"%s\" is also the name of %s.%zu; names must be unique", name, list, j);
        }
    }
    return true;
}

// --- fluids

bool fluid_finish(Reader* reader, json_t* node, void* object)
{
    mn_FluidDef* fluid = object;
    if (!default_name(reader, "fluid", &fluid->name))
        return false;
    const Material* material = fluid->material ? material_find(fluid->material) : NULL;
    if (material && !given(node, "density"))
        fluid->density = material->density;
    if (material && !given(node, "viscosity_method"))
        fluid->viscosity_method = material->method;
    if (!given(node, "viscosity")) {
        const double by_method[] = {
            [MN_VISCOSITY_ARTIFICIAL] = mn_default_fluid_def().viscosity,
            [MN_VISCOSITY_LAPLACE] = material ? material->viscosity : material_find("water")->viscosity,
            [MN_VISCOSITY_XSPH] = 0.05,
        };
        fluid->viscosity = by_method[fluid->viscosity_method];
    }
    if (fluid->viscosity_method == MN_VISCOSITY_XSPH && fluid->viscosity > 1)
        return reader_fail_in(reader, "viscosity", "got %g, expected a number from 0 to 1 with xsph", fluid->viscosity);
    return true;
}

bool tension_finish(Reader* reader, json_t* node, void* object)
{
    mn_TensionDef* tension = object;
    if (tension->sigma > 0 && json_is_number(json_object_get(node, "gamma")))
        return reader_fail_name(reader, "sigma", "\"sigma\" and \"gamma\" say the same thing: give one of them");
    if (tension->sigma > 0 && tension->method != MN_TENSION_AKINCI)
        return reader_fail_name(reader, "sigma",
                                "\"sigma\" is only for akinci: other methods have no tension that could be calibrated");
    if (tension->sigma > 0)
        tension->gamma = -1;
    else if (tension->gamma < 0)
        tension->gamma = 0;
    return true;
}

static bool count_particles(Reader* reader, double volume)
{
    double spacing = 2 * reader->scene->world.particle_radius;
    double count = volume / pow(spacing, reader->scene->world.dimension);
    reader->particles += count;
    if (!(count <= MOST_PARTICLES))
        return reader_fail(reader,
                           "would hold %.3g particles of radius %g m, more than the %.0f allowed; use a larger particle_radius",
                           count, spacing / 2, MOST_PARTICLES);
    if (!(reader->particles <= MOST_PARTICLES))
        return reader_fail(reader, "brings the fluids to %.3g particles, more than the %.0f allowed; use a larger particle_radius",
                           reader->particles, MOST_PARTICLES);
    return true;
}

static bool corners_in_order(Reader* reader, mn_Vec3 min, mn_Vec3 max)
{
    const double low[] = {min.x, min.y, min.z}, high[] = {max.x, max.y, max.z};
    for (int k = 0; k < reader->scene->world.dimension; k++) {
        if (!(low[k] < high[k]))
            return reader_fail_in(reader, "max", "%c is %g, but must be above that of min, %g", "xyz"[k], high[k], low[k]);
    }
    return true;
}

bool block_finish(Reader* reader, json_t* node, void* object)
{
    const mn_Block* block = object;
    if (!corners_in_order(reader, block->min, block->max))
        return false;
    mn_Vec3 size = vec3d_sub(block->max, block->min);
    return count_particles(reader, size.x * size.y * (reader->scene->world.dimension == 3 ? size.z : 1));
}

bool ball_finish(Reader* reader, json_t* node, void* object)
{
    double r = ((const mn_Ball*)object)->radius;
    return count_particles(reader, reader->scene->world.dimension == 3 ? 4.0 / 3.0 * M_PI * r * r * r : M_PI * r * r);
}

static bool times_in_order(Reader* reader, double start, double end)
{
    return start < end || reader_fail_in(reader, "end", "got %g, but it must be after start, %g s", end, start);
}

bool emitter_finish(Reader* reader, json_t* node, void* object)
{
    mn_Emitter* emitter = object;
    if (given(node, "rotation") && given(node, "direction"))
        return reader_fail_name(reader, "direction", "\"direction\" and \"rotation\" say the same thing: give one of them");
    if (emitter->type == MN_EMITTER_DISC)
        emitter->size[1] = emitter->size[0];
    double spacing = 2 * reader->scene->world.particle_radius;
    double across = emitter->size[0] * (reader->scene->world.dimension == 3 ? emitter->size[1] / spacing : 1) / spacing;
    if (across > 1e8)
        return reader_fail(reader, "would emit %.3g particles at once, more than the 1e8 allowed", across);
    return times_in_order(reader, emitter->start, emitter->end);
}

bool drain_finish(Reader* reader, json_t* node, void* object)
{
    const mn_Drain* drain = object;
    return corners_in_order(reader, drain->min, drain->max) && times_in_order(reader, drain->start, drain->end);
}

// --- solids

// A key frame that says only one of position and rotation keeps the other.
static void fill_motion(mn_SolidDef* solid, json_t* motion)
{
    mn_Pose last = solid->pose;
    for (size_t k = 0; k < solid->motion_count; k++) {
        json_t* frame = json_array_get(motion, k);
        mn_Pose* pose = &solid->motion[k].pose;
        if (!given(frame, "position"))
            pose->position = last.position;
        if (!given(frame, "rotation"))
            pose->rotation = last.rotation;
        last = *pose;
    }
}

static bool motion_in_order(Reader* reader, const mn_Keyframe* motion, size_t count)
{
    for (size_t k = 1; k < count; k++) {
        double before = motion[k - 1].time, time = motion[k].time;
        if (time > before)
            continue;
        path_push_key(&reader->path, "motion");
        path_push_index(&reader->path, k);
        return reader_fail_in(reader, "time", "got %g, but times must ascend: the key frame before is at %g s", time, before);
    }
    return true;
}

static bool count_boundary(Reader* reader, const mn_SolidDef* solid)
{
    int dimension = reader->scene->world.dimension;
    double spacing = 2 * reader->scene->world.particle_radius;
    double stretch = fmax(fabs(solid->scale.x), fmax(fabs(solid->scale.y), dimension == 3 ? fabs(solid->scale.z) : 0));
    double count = shape_extent(&solid->shape, dimension) * pow(stretch / spacing, dimension - 1);
    return count <= MOST_PARTICLES ||
           reader_fail_in(reader, "shape",
                          "would need about %.3g boundary particles, more than the %.0f allowed; use a larger particle_radius",
                          count, MOST_PARTICLES);
}

bool solid_finish(Reader* reader, json_t* node, void* object)
{
    mn_SolidDef* solid = object;
    if (!default_name(reader, "solid", &solid->name))
        return false;
    const ShapeKind* kind = &shape_kinds[solid->shape.type];
    if (solid->inside && !kind->closed)
        return reader_fail_in(reader, "inside", "a %s is open and cannot hold fluid inside", kind->name);
    if (solid->contact_angle >= 0 && solid->adhesion >= 0)
        return reader_fail_name(reader, "contact_angle", "\"contact_angle\" and \"adhesion\" say the same thing: give one of them");
    fill_motion(solid, json_object_get(node, "motion"));
    return motion_in_order(reader, solid->motion, solid->motion_count) && count_boundary(reader, solid);
}

// --- pins

json_t* pin_shorthand(json_t* value)
{
    if (json_is_string(value))
        return json_pack("{s:O}", "select", value);
    return json_is_integer(value) ? json_pack("{s:s, s:O}", "select", "vertex", "vertex", value) : NULL;
}

// A key frame that says only one of shift and turn keeps the other.
static void fill_pin_motion(mn_PinDef* pin, json_t* motion)
{
    mn_Pose last = {.rotation = quat_identity()};
    for (size_t k = 0; k < pin->motion_count; k++) {
        json_t* frame = json_array_get(motion, k);
        mn_Pose* pose = &pin->motion[k].pose;
        if (!given(frame, "position"))
            pose->position = last.position;
        if (!given(frame, "rotation"))
            pose->rotation = last.rotation;
        last = *pose;
    }
}

bool pin_finish(Reader* reader, json_t* node, void* object)
{
    mn_PinDef* pin = object;
    if (pin->select == MN_PIN_REGION && !corners_in_order(reader, pin->min, pin->max))
        return false;
    if (pin->solid && pin->motion_count)
        return reader_fail_name(reader, "motion", "a pin that is tied to a solid moves with it: give \"solid\" or \"motion\"");
    fill_pin_motion(pin, json_object_get(node, "motion"));
    return motion_in_order(reader, pin->motion, pin->motion_count);
}

// --- joints, events

static bool drive_in_order(Reader* reader, const mn_JointDef* joint)
{
    for (size_t k = 1; k < joint->drive_count; k++) {
        double before = joint->drive[k - 1].time, time = joint->drive[k].time;
        if (time > before)
            continue;
        path_push_key(&reader->path, "drive");
        path_push_index(&reader->path, k);
        return reader_fail_in(reader, "time", "got %g, but times must ascend: the one before is at %g s", time, before);
    }
    return true;
}

bool joint_finish(Reader* reader, json_t* node, void* object)
{
    mn_JointDef* joint = object;
    if (!default_name(reader, "joint", &joint->name))
        return false;
    if (joint->limits[0] > joint->limits[1])
        return reader_fail_in(reader, "limits", "got [%g, %g], but the first must be below the second", joint->limits[0],
                              joint->limits[1]);
    if (!(vec3d_length(joint->axis) > 0))
        return reader_fail_in(reader, "axis", "must not be zero");
    return drive_in_order(reader, joint);
}

bool event_finish(Reader* reader, json_t* node, void* object)
{
    mn_EventDef* event = object;
    event->has_velocity = !isnan(event->velocity.x);
    event->has_angular_velocity = !isnan(event->angular_velocity.x);
    event->has_gravity = !isnan(event->gravity.x);
    if (!event->release && !event->solid && !event->has_gravity)
        return reader_fail(reader, "an event needs \"release\", \"solid\" or \"gravity\"");
    if (!event->solid && (event->has_velocity || event->has_angular_velocity || event->density > 0))
        return reader_fail_name(reader, "solid", "\"solid\" is missing: the name of the rigid solid to change");
    return true;
}

// --- probes

bool probe_finish(Reader* reader, json_t* node, void* object)
{
    return default_name(reader, "probe", &((mn_ProbeDef*)object)->name);
}

static bool probes_find_solids(Reader* reader, const mn_Scene* scene)
{
    bool found = true;
    for (size_t p = 0; p < scene->probe_count && found; p++) {
        path_push_key(&reader->path, "probes");
        path_push_index(&reader->path, p);
        found = !scene->probes[p].solid || solid_exists(reader, "solid", scene->probes[p].solid);
        path_pop(&reader->path);
        path_pop(&reader->path);
    }
    return found;
}

// --- the rest

bool solver_finish(Reader* reader, json_t* node, void* object)
{
    mn_SolverDef* solver = object;
    if (solver->min_iterations > solver->max_iterations) {
        const char* key = given(node, "max_iterations") ? "max_iterations" : "min_iterations";
        return reader_fail_in(reader, key, "min_iterations is %d, but must not be above max_iterations, %d", solver->min_iterations,
                              solver->max_iterations);
    }
    if (solver->min_time_step > 0 && solver->max_time_step > 0 && solver->min_time_step > solver->max_time_step)
        return reader_fail_in(reader, "max_time_step", "got %g, but it must not be below min_time_step, %g s",
                              solver->max_time_step, solver->min_time_step);
    return true;
}

static bool support_fits(Reader* reader, json_t* node, mn_WorldDef* world)
{
    double r = world->particle_radius;
    if (!given(node, "support_radius"))
        world->support_radius = 4 * r;
    double ratio = world->support_radius / r;
    return (ratio > 2.5 - 1e-9 && ratio < 12 + 1e-9) ||
           reader_fail_in(reader, "support_radius", "got %g, expected from 2.5 to 12 times particle_radius: from %g to %g m",
                          world->support_radius, 2.5 * r, 12 * r);
}

bool scene_finish(Reader* reader, json_t* node, void* object)
{
    mn_Scene* scene = object;
    double frames = scene->duration * scene->frame_rate;
    if (frames > MOST_FRAMES)
        return reader_fail_in(reader, given(node, "frame_rate") ? "frame_rate" : "duration",
                              "duration times frame_rate gives %.3g frames, more than the %.0g allowed", frames, MOST_FRAMES);
    if (scene->world.dimension == 2 && scene->output.surface != MN_SURFACE_NONE)
        return reader_fail_in(reader, "output", "surface: a scene of dimension 2 has no surface; expected none");
    return support_fits(reader, node, &scene->world) && expand_templates(reader) &&
           names_differ(reader, "fluids", scene->fluids, scene->fluid_count, sizeof(mn_FluidDef), offsetof(mn_FluidDef, name)) &&
           names_differ(reader, "solids", scene->solids, scene->solid_count, sizeof(mn_SolidDef), offsetof(mn_SolidDef, name)) &&
           names_differ(reader, "joints", scene->joints, scene->joint_count, sizeof(mn_JointDef), offsetof(mn_JointDef, name)) &&
           names_differ(reader, "probes", scene->probes, scene->probe_count, sizeof(mn_ProbeDef), offsetof(mn_ProbeDef, name)) &&
           probes_find_solids(reader, scene);
}
