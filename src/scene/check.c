// SPDX-License-Identifier: MIT
#include "scene/check.h"

#include "base/vec.h"
#include "defs/check.h"
#include "defs/defaults.h"
#include "defs/material.h"
#include "fluid/tension/tension.h"
#include "scene/template.h"

#include <stdio.h>
#include <string.h>

static bool given(json_t* node, const char* key)
{
    return json_object_get(node, key) != NULL;
}

// --- names

// "fluid1", "fluid2", ... for those without a name; the index is that of the list being read.
static bool default_name(Reader* reader, const char* stem, const char** name)
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
        const char* name = *(const char* const*)((const char*)items + k * size + offset);
        for (size_t j = 0; j < k; j++) {
            if (strcmp(name, *(const char* const*)((const char*)items + j * size + offset)))
                continue;
            path_push_key(&reader->path, list);
            path_push_index(&reader->path, k);
            return reader_fail_in(reader, "name", "\"%s\" is also the name of %s.%zu; names must be unique", name, list, j);
        }
    }
    return true;
}

// --- fluids

// A fluid that says nothing of surface tension has that of its material. Where particles are too coarse for it to matter, and for
// fluids without a material that are poured, it is what holds a falling stream together: no pressure below that of the air
// pulls particles along that gain distance, and a stream without tension becomes a rain of them (docs/theory/sources.md). A run's
// own scene shows the number.
static void default_tension(const mn_WorldDef* world, const Material* material, mn_FluidDef* fluid)
{
    const double holding = 0.05; // [m4/(kg s2)] gamma
    double h = def_support_radius(world), k = tension_method(fluid->tension.method)->strength[world->dimension - 2];
    bool poured = material || fluid->emitter_count > 0;
    if (world->solver.method == MN_PRESSURE_FLIP)
        fluid->tension.gamma = 0; // it knows no tension
    else if (material && material->tension > k * holding * fluid->density * h * h && k > 0)
        fluid->tension.sigma = material->tension;
    else
        fluid->tension.gamma = poured ? holding : 0;
}

static bool fluid_finish(Reader* reader, json_t* node, void* object)
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
            [MN_VISCOSITY_IMPLICIT] = material ? material->viscosity : material_find("water")->viscosity,
        };
        fluid->viscosity = by_method[fluid->viscosity_method];
    }
    if (fluid->tension.sigma == MN_AUTO && fluid->tension.gamma == MN_AUTO)
        default_tension(&reader->scene->world, material, fluid);
    return true;
}

static DefContext context_of(const Reader* reader)
{
    return (DefContext){reader->scene->world.dimension, reader->scene->world.particle_radius};
}

// What is too much for one block or ball is found by its own check.
static bool count_particles(Reader* reader, const mn_FluidDef* one)
{
    DefContext context = context_of(reader);
    double count = def_particles(one, &context);
    reader->particles += count;
    return !(count <= MOST_PARTICLES) || reader->particles <= MOST_PARTICLES ||
           reader_fail(reader, "brings the fluids to %.3g particles, more than the %.0f allowed; use a larger particle_radius",
                       reader->particles, MOST_PARTICLES);
}

static bool block_finish(Reader* reader, json_t* node, void* object)
{
    return count_particles(reader, &(mn_FluidDef){.blocks = object, .block_count = 1});
}

static bool ball_finish(Reader* reader, json_t* node, void* object)
{
    return count_particles(reader, &(mn_FluidDef){.balls = object, .ball_count = 1});
}

// A key frame that says only one of position and rotation keeps the other. Those of a file say both.
static void fill_motion(mn_Keyframe* key, size_t count, mn_Pose last, json_t* motion)
{
    for (size_t k = 0; k < count && json_is_array(motion); k++) {
        json_t* frame = json_array_get(motion, k);
        if (!given(frame, "position"))
            key[k].pose.position = last.position;
        if (!given(frame, "rotation"))
            key[k].pose.rotation = last.rotation;
        last = key[k].pose;
    }
}

static bool one_direction(Reader* reader, json_t* node)
{
    if (given(node, "rotation") && given(node, "direction"))
        return reader_fail_name(reader, "direction", "\"direction\" and \"rotation\" say the same thing: give one of them");
    return true;
}

static bool drain_finish(Reader* reader, json_t* node, void* object)
{
    return one_direction(reader, node);
}

static bool emitter_finish(Reader* reader, json_t* node, void* object)
{
    mn_Emitter* emitter = object;
    if (emitter->type == MN_EMITTER_DISC)
        emitter->size[1] = emitter->size[0];
    mn_Pose start = {emitter->position, emitter->rotation};
    fill_motion(emitter->motion, emitter->motion_count, start, json_object_get(node, "motion"));
    return one_direction(reader, node);
}

// --- solids

static bool solid_finish(Reader* reader, json_t* node, void* object)
{
    mn_SolidDef* solid = object;
    fill_motion(solid->motion, solid->motion_count, solid->pose, json_object_get(node, "motion"));
    return default_name(reader, "solid", &solid->name);
}

// --- pins

json_t* section_shorthand(const Section* section, json_t* value)
{
    if (section != &pin_section)
        return NULL;
    if (json_is_string(value))
        return json_pack("{s:O}", "select", value);
    return json_is_integer(value) ? json_pack("{s:s, s:O}", "select", "vertex", "vertex", value) : NULL;
}

static bool pin_finish(Reader* reader, json_t* node, void* object)
{
    mn_PinDef* pin = object;
    fill_motion(pin->motion, pin->motion_count, (mn_Pose){.rotation = quat_identity()}, json_object_get(node, "motion"));
    return true;
}

// --- joints, events

static bool joint_finish(Reader* reader, json_t* node, void* object)
{
    return default_name(reader, "joint", &((mn_JointDef*)object)->name);
}

static bool event_finish(Reader* reader, json_t* node, void* object)
{
    mn_EventDef* event = object;
    event->has_velocity = !isnan(event->velocity.x);
    event->has_angular_velocity = !isnan(event->angular_velocity.x);
    event->has_gravity = !isnan(event->gravity.x);
    if (!def_event_does(event))
        return reader_fail(reader, "an event needs something that happens: \"release\", \"solid\", \"gravity\", \"cut\", "
                                   "\"remove\" or one of the lists");
    if (!event->solid && (event->has_velocity || event->has_angular_velocity || event->density != MN_AUTO))
        return reader_fail_name(reader, "solid", "\"solid\" is missing: the name of the rigid solid to change");
    return true;
}

// --- probes

static bool probe_finish(Reader* reader, json_t* node, void* object)
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

// A tension found from the shape of surfaces wants a wider support than the fast solver's.
static void widen_support(mn_Scene* scene)
{
    bool wide = false;
    for (size_t k = 0; k < scene->fluid_count; k++)
        wide |= def_wants_wide_support(&scene->fluids[k].tension);
    if (!wide || scene->world.solver.accuracy == MN_ACCURACY_ACCURATE)
        return;
    if (scene->world.support_radius == MN_AUTO)
        scene->world.support_radius = WIDE_SUPPORT * scene->world.particle_radius;
    if (scene->world.kernel == MN_KERNEL_AUTO)
        scene->world.kernel = MN_KERNEL_WENDLAND;
}

static bool scene_finish(Reader* reader, json_t* node, void* object)
{
    mn_Scene* scene = object;
    widen_support(scene);
    scene->world.support_radius = def_support_radius(&scene->world);
    scene->world.kernel = def_kernel(&scene->world);
    return expand_templates(reader) &&
           names_differ(reader, "fluids", scene->fluids, scene->fluid_count, sizeof(mn_FluidDef), offsetof(mn_FluidDef, name)) &&
           names_differ(reader, "solids", scene->solids, scene->solid_count, sizeof(mn_SolidDef), offsetof(mn_SolidDef, name)) &&
           names_differ(reader, "joints", scene->joints, scene->joint_count, sizeof(mn_JointDef), offsetof(mn_JointDef, name)) &&
           names_differ(reader, "probes", scene->probes, scene->probe_count, sizeof(mn_ProbeDef), offsetof(mn_ProbeDef, name)) &&
           probes_find_solids(reader, scene);
}

bool section_finish(Reader* reader, const Section* section, json_t* node, void* object)
{
    static const struct {
        const Section* section;
        bool (*finish)(Reader* reader, json_t* node, void* object);
    } ALL[] = {
        {&scene_section, scene_finish},           {&fluid_section, fluid_finish},
        {&block_section, block_finish},           {&ball_section, ball_finish},
        {&emitter_section, emitter_finish},       {&drain_section, drain_finish},
        {&solid_section, solid_finish},           {&pin_section, pin_finish},
        {&joint_section, joint_finish},           {&event_section, event_finish},
        {&probe_section, probe_finish},           {&ragdoll_section, ragdoll_finish},
        {&chain_section, chain_finish},           {&view_section, view_finish},
        {&solid_look_section, solid_look_finish}, {&fluid_look_section, fluid_look_finish},
    };
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; k++)
        if (ALL[k].section == section)
            return ALL[k].finish(reader, node, object);
    return true;
}
