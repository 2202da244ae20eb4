// SPDX-License-Identifier: MIT
// Systems of solids: a world does with each of them the same, in the order of the list. Those that step later know where solids of
// the earlier ones go.
#include "world/world_parts.h"

#include "base/clock.h"
#include "base/error.h"
#include "defs/keys.h"

static const SolidSystem* const known[] = {&rigid_system, &elastic_system};

enum { KNOWN = sizeof known / sizeof *known };

bool world_add_system(mn_World* world, const SolidSystem* kind, void* self)
{
    if (world->systems.count == SYSTEMS_MOST)
        return false;
    world->systems.system[world->systems.count++] = (WorldSystem){.kind = kind, .self = self};
    return true;
}

void world_list_systems(mn_World* world)
{
    for (size_t k = 0; k < KNOWN; k++)
        world_add_system(world, known[k], NULL);
}

void* world_system(const mn_World* world, const SolidSystem* kind)
{
    for (size_t k = 0; k < world->systems.count; k++)
        if (world->systems.system[k].kind == kind)
            return world->systems.system[k].self;
    return NULL;
}

// --- a world is made

static SolidSetting setting_of(mn_World* world)
{
    const mn_WorldDef* def = &world->def;
    return (SolidSetting){.memory = &world->memory,
                          .pool = world->pool,
                          .log = {def->log, def->log_user},
                          .folder = world->folder,
                          .dimension = def->dimension,
                          .radius = def->particle_radius,
                          .gravity = def->gravity,
                          .seed = def->seed};
}

// The system that solids of a type belong to, made if there is none yet; `*out` NULL: they stay, or move as told.
static mn_Result system_for(mn_World* world, mn_SolidType type, const WorldSystem** out, mn_Error* error)
{
    *out = NULL;
    for (size_t k = 0; k < world->systems.count; k++) {
        WorldSystem* system = &world->systems.system[k];
        if (!system->kind->add || system->kind->type != type)
            continue;
        SolidSetting setting = setting_of(world);
        if (!system->self && !(system->self = system->kind->create(&setting)))
            return error_set(error, MN_OUT_OF_MEMORY, "no memory for %s", system->kind->name);
        *out = system;
        return MN_OK;
    }
    return MN_OK;
}

mn_Result world_add_to_system(mn_World* world, size_t number, Solid* solid, const mn_SolidDef* def, mn_Error* error)
{
    const WorldSystem* s;
    mn_Result result = system_for(world, def->type, &s, error);
    return result == MN_OK && s ? s->kind->add(s->self, number, solid, def, error) : result;
}

mn_Result world_check_carried(const mn_World* world, const mn_SolidDef* def, mn_Error* error)
{
    for (size_t k = 0; k < world->systems.count && world->fluid->carries_solids; k++) {
        const SolidSystem* kind = world->systems.system[k].kind;
        if (kind->type == def->type && kind->can_immerse && !kind->can_immerse(def))
            return error_bad(error, "model", "solver.method flip carries elastic solids of model reduced alone");
    }
    return MN_OK;
}

mn_Result world_try_in_system(mn_World* world, Solid* solid, const mn_SolidDef* def, mn_Error* error)
{
    const WorldSystem* s;
    SolidList all = {world->solids.solid, world->solids.def, world->solids.count};
    mn_Result result = system_for(world, def->type, &s, error);
    if (result != MN_OK || !s)
        return result;
    result = world_check_carried(world, def, error);
    if (result != MN_OK)
        return result;
    return s->kind->try_add ? s->kind->try_add(s->self, &all, solid, def, error)
                            : s->kind->add(s->self, world->solids.count, solid, def, error);
}

mn_Result world_prepare_systems(mn_World* world, mn_Error* error)
{
    SolidList all = {world->solids.solid, world->solids.def, world->solids.count};
    mn_Result result = MN_OK;
    for (size_t k = 0; k < world->systems.count && result == MN_OK; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (s->self && s->kind->prepare)
            result = s->kind->prepare(s->self, &all, error);
    }
    return result;
}

bool world_register_systems(mn_World* world)
{
    bool ok = true;
    for (size_t k = 0; k < world->systems.count && ok; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (s->self && s->kind->register_state)
            ok = s->kind->register_state(s->self, world->reg);
    }
    return ok;
}

void world_warn_of_systems(const mn_World* world, const SolidProspect* prospect)
{
    for (size_t k = 0; k < world->systems.count; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (s->self && s->kind->warn)
            s->kind->warn(s->self, prospect);
    }
}

void world_free_systems(mn_World* world)
{
    for (size_t k = 0; k < world->systems.count; k++)
        if (world->systems.system[k].self && world->systems.system[k].kind->destroy)
            world->systems.system[k].kind->destroy(world->systems.system[k].self);
}

// --- a step

const char* world_predict_systems(mn_World* world, double dt)
{
    for (size_t k = 0; k < world->systems.count; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (s->self && s->kind->predict && !s->kind->predict(s->self, world->state.time, dt))
            return s->kind->message(s->self);
    }
    return NULL;
}

bool world_predict_system_of(mn_World* world, const Solid* solid, double dt)
{
    for (size_t k = 0; k < world->systems.count; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (s->self && s->self == solid->system && s->kind->predict)
            return s->kind->predict(s->self, world->state.time, dt);
    }
    return true;
}

const char* world_step_systems(mn_World* world, double dt)
{
    for (size_t k = 0; k < world->systems.count; k++) {
        WorldSystem* s = &world->systems.system[k];
        double start = clock_seconds();
        if (s->self && !s->kind->step(s->self, world->state.time, dt))
            return s->kind->message(s->self);
        s->seconds += clock_seconds() - start;
    }
    return NULL;
}

bool world_solids_no_memory(const mn_World* world)
{
    for (size_t k = 0; k < world->systems.count; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (s->self && s->kind->no_memory && s->kind->no_memory(s->self))
            return true;
    }
    return false;
}

void world_place_systems(mn_World* world)
{
    for (size_t k = 0; k < world->systems.count; k++)
        if (world->systems.system[k].self)
            world->systems.system[k].kind->place(world->systems.system[k].self);
}

double world_longest_step_of_systems(const mn_World* world)
{
    double dt = INFINITY;
    for (size_t k = 0; k < world->systems.count; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (s->self && s->kind->longest_step)
            dt = fmin(dt, s->kind->longest_step(s->self));
    }
    return dt;
}

bool world_break_systems(mn_World* world)
{
    bool ok = true;
    for (size_t k = 0; k < world->systems.count && ok; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (s->self && s->kind->fracture)
            ok = s->kind->fracture(s->self, world->state.time);
    }
    return ok;
}

void world_add_totals_of_systems(const mn_World* world, SolidTotals* totals)
{
    for (size_t k = 0; k < world->systems.count; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (s->self && s->kind->add_totals)
            s->kind->add_totals(s->self, totals);
    }
}

// --- joints

static size_t joints_of(const WorldSystem* s)
{
    return s->self && s->kind->joint_count ? s->kind->joint_count(s->self) : 0;
}

// The system that a solid belongs to and that has joints, or NULL.
static const WorldSystem* joining(const mn_World* world, const Solid* solid)
{
    for (size_t k = 0; k < world->systems.count; k++)
        if (world->systems.system[k].self && world->systems.system[k].self == solid->system &&
            world->systems.system[k].kind->add_joint)
            return &world->systems.system[k];
    return NULL;
}

// In a running world it is an event.
static mn_JointId add_live_joint(mn_World* world, const mn_JointDef* def, mn_Error* error)
{
    mn_JointDef copy = *def;
    mn_EventDef event = mn_default_event_def();
    event.joints = &copy;
    event.joint_count = 1;
    return world_do(world, &event, error) == MN_OK ? (mn_JointId)mn_world_joint_count(world) : 0;
}

mn_JointId mn_world_add_joint(mn_World* world, const mn_JointDef* def, mn_Error* error)
{
    if (world->phase.prepared)
        return add_live_joint(world, def, error);
    size_t count = world->solids.count, id = 0;
    int solid = solid_find(world->solids.solid, count, def->solid), other = solid_find(world->solids.solid, count, def->other);
    const WorldSystem* system = solid >= 0 ? joining(world, &world->solids.solid[solid]) : NULL;
    mn_Result result = world_check_def(world, &joint_section, mn_world_joint_count(world), def, error);
    if (result != MN_OK)
        return 0;
    if (solid < 0)
        result = solid_not_found(world->solids.solid, count, "solid", def->solid, error);
    else if (def->other && other < 0)
        result = solid_not_found(world->solids.solid, count, "other", def->other, error);
    else if (!system)
        result = error_bad(error, "solid", "the first solid of a joint must be rigid");
    else if (solid == other)
        result = error_bad(error, "other", "a joint ties two different solids");
    else
        result = system->kind->add_joint(system->self, def, (size_t)solid, other, error);
    if (result == MN_OK && !world_keep_def(world, &joint_section, def))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for a joint");
    for (const WorldSystem* s = world->systems.system; result == MN_OK && s <= system; s++)
        id += joints_of(s);
    return (mn_JointId)id;
}

mn_Result world_tie(mn_World* world, const mn_JointDef* def, const int number[2], const mn_Pose frame[2], mn_Error* error)
{
    const WorldSystem* system = number[0] >= 0 ? joining(world, &world->solids.solid[number[0]]) : NULL;
    if (!system || !system->kind->tie_joint || (def->other && number[1] < 0))
        return error_bad(error, "joints", "the solids of a joint are not there, or the first is not rigid");
    return system->kind->tie_joint(system->self, def, (size_t)number[0], number[1], frame, error);
}

size_t mn_world_joint_count(const mn_World* world)
{
    size_t count = 0;
    for (size_t k = 0; k < world->systems.count; k++)
        count += joints_of(&world->systems.system[k]);
    return count;
}

mn_JointView mn_world_joint(const mn_World* world, mn_JointId id)
{
    size_t joint = (size_t)id - 1;
    for (size_t k = 0; id > 0 && k < world->systems.count; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (joint < joints_of(s))
            return s->kind->joint(s->self, joint);
        joint -= joints_of(s);
    }
    return (mn_JointView){.name = ""};
}
