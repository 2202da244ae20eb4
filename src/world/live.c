// SPDX-License-Identifier: MIT
// The calls of meniscus/live.h: each makes an event of one thing that happens now. Ids become names, by which things are recorded.
#include "world/world_parts.h"

#include "base/error.h"
#include <string.h>

// --- looking up

mn_SolidId mn_world_find_solid(const mn_World* world, const char* name)
{
    return name && name[0] ? (mn_SolidId)(solid_find(world->solids.solid, world->solids.count, name) + 1) : 0;
}

mn_FluidId mn_world_find_fluid(const mn_World* world, const char* name)
{
    return name ? (mn_FluidId)(world_fluid_of(world, name) + 1) : 0;
}

mn_JointId mn_world_find_joint(const mn_World* world, const char* name)
{
    for (mn_JointId id = 1; name && id <= mn_world_joint_count(world); id++)
        if (!strcmp(mn_world_joint(world, id).name, name))
            return id;
    return 0;
}

mn_ProbeId mn_world_find_probe(const mn_World* world, const char* name)
{
    for (size_t k = 0; name && k < world->probes.count; k++)
        if (!strcmp(world->probes.probe[k].name, name))
            return (mn_ProbeId)(k + 1);
    return 0;
}

bool mn_world_has_solid(const mn_World* world, mn_SolidId id)
{
    return id > 0 && id <= world->solids.count && !world->solids.solid[id - 1].removed;
}

size_t mn_world_fluid_count(const mn_World* world)
{
    return world->fluids.count;
}

const char* mn_world_fluid_name(const mn_World* world, mn_FluidId id)
{
    return id > 0 && id <= world->fluids.count ? world->fluids.name[id - 1] : "";
}

mn_FluidDef mn_world_fluid(const mn_World* world, mn_FluidId id)
{
    if (id == 0 || id > world->fluids.count)
        return (mn_FluidDef){0};
    const mn_FluidDef* def = &world->fluids.def[id - 1];
    return (mn_FluidDef){.name = world->fluids.name[id - 1],
                         .density = def->density,
                         .viscosity_method = def->viscosity_method,
                         .viscosity = def->viscosity,
                         .tension = def->tension,
                         .adhesion = def->adhesion};
}

mn_Vec3 mn_world_gravity(const mn_World* world)
{
    return world->def.gravity;
}

size_t mn_world_pinned(const mn_World* world, mn_SolidId id, uint32_t* vertex, size_t most)
{
    const Solid* solid = mn_world_has_solid(world, id) ? &world->solids.solid[id - 1] : NULL;
    if (!solid || !solid->kind->deforms)
        return 0;
    size_t n = solid->kind->surface(solid).vertex_count, count = 0;
    double* inverse = memory_take(NULL, (n + 1) * sizeof *inverse);
    if (inverse)
        solid->kind->vertex_mobility(solid, inverse);
    for (size_t v = 0; inverse && v < n; v++)
        if (inverse[v] == 0) {
            if (count < most)
                vertex[count] = (uint32_t)v;
            count++;
        }
    memory_give(NULL, inverse);
    return count;
}

// --- from ids to names. NULL: there is none, and the error says so.

static const char* solid_name(const mn_World* world, mn_SolidId id, mn_Error* error)
{
    if (mn_world_has_solid(world, id)) {
        const char* name = world->solids.solid[id - 1].name;
        if (!def_good_name(name)) {
            error_set(error, MN_BAD_INPUT, "solid %u has no name: what is done to it could not be recorded", id);
            return NULL;
        }
        if (mn_world_find_solid(world, name) == id)
            return name;
        error_set(error, MN_BAD_INPUT,
                  "solid %u shares its name '%.64s' with another one: what is done to it could not be recorded", id, name);
        return NULL;
    }
    bool was = id > 0 && id <= world->solids.count;
    error_set(error, MN_BAD_INPUT, was ? "solid %u was removed" : "there is no solid %u", id);
    return NULL;
}

static const char* fluid_name(const mn_World* world, mn_FluidId id, mn_Error* error)
{
    if (id > 0 && id <= world->fluids.count) {
        const char* name = world->fluids.name[id - 1];
        if (id == 1 && !name[0])
            return ""; // the first
        if (mn_world_find_fluid(world, name) == id && def_good_name(name))
            return name;
        error_set(error, MN_BAD_INPUT, "fluid %u has no name of its own: what is done to it could not be recorded", id);
        return NULL;
    }
    error_set(error, MN_BAD_INPUT, "there is no fluid %u", id);
    return NULL;
}

static const char* or_first(const char* name)
{
    return name[0] ? name : NULL;
}

// --- the world, fluids

mn_Result mn_world_set_gravity(mn_World* world, mn_Vec3 gravity, mn_Error* error)
{
    mn_EventDef event = mn_default_event_def();
    event.has_gravity = true;
    event.gravity = gravity;
    return world_do(world, &event, error);
}

mn_Result mn_world_change_fluid(mn_World* world, mn_FluidId fluid, const mn_FluidChange* change, mn_Error* error)
{
    const char* name = fluid_name(world, fluid, error);
    if (!name)
        return MN_BAD_INPUT;
    mn_FluidChange copy = *change;
    copy.fluid = or_first(name);
    mn_EventDef event = mn_default_event_def();
    event.fluid_changes = &copy;
    event.fluid_change_count = 1;
    return world_do(world, &event, error);
}

static mn_Result pour(mn_World* world, mn_FluidId fluid, mn_PourDef* pour, mn_Error* error)
{
    const char* name = fluid_name(world, fluid, error);
    if (!name)
        return MN_BAD_INPUT;
    pour->fluid = or_first(name);
    mn_EventDef event = mn_default_event_def();
    event.pours = pour;
    event.pour_count = 1;
    return world_do(world, &event, error);
}

mn_Result mn_world_pour_block(mn_World* world, mn_FluidId fluid, const mn_Block* block, mn_Error* error)
{
    mn_Block copy = *block;
    return pour(world, fluid, &(mn_PourDef){.blocks = &copy, .block_count = 1}, error);
}

mn_Result mn_world_pour_ball(mn_World* world, mn_FluidId fluid, const mn_Ball* ball, mn_Error* error)
{
    mn_Ball copy = *ball;
    return pour(world, fluid, &(mn_PourDef){.balls = &copy, .ball_count = 1}, error);
}

mn_Result mn_world_pour_shape(mn_World* world, mn_FluidId fluid, const mn_FluidShape* shape, mn_Error* error)
{
    mn_FluidShape copy = *shape;
    return pour(world, fluid, &(mn_PourDef){.shapes = &copy, .shape_count = 1}, error);
}

mn_Result mn_world_pour_mesh(mn_World* world, mn_FluidId fluid, const mn_Fill* fill, mn_Error* error)
{
    mn_Fill copy = *fill;
    if (!fill->file)
        return error_bad(error, "file", "the name of a file is missing");
    return pour(world, fluid, &(mn_PourDef){.fills = &copy, .fill_count = 1}, error);
}

mn_Result mn_world_pour_particles(mn_World* world, mn_FluidId fluid, size_t count, const mn_FluidParticle* particles,
                                  mn_Error* error)
{
    if (count == 0)
        return MN_OK;
    return pour(world, fluid, &(mn_PourDef){.particles = (mn_FluidParticle*)(uintptr_t)particles, .particle_count = count}, error);
}

static mn_Result scoop(mn_World* world, mn_ScoopDef* scoop, mn_Error* error)
{
    mn_EventDef event = mn_default_event_def();
    event.scoops = scoop;
    event.scoop_count = 1;
    return world_do(world, &event, error);
}

mn_Result mn_world_scoop_box(mn_World* world, mn_Vec3 min, mn_Vec3 max, mn_Error* error)
{
    return scoop(world, &(mn_ScoopDef){.min = min, .max = max, .radius = MN_AUTO}, error);
}

mn_Result mn_world_scoop_ball(mn_World* world, mn_Vec3 centre, double radius, mn_Error* error)
{
    if (!(radius > 0))
        return error_bad(error, "radius", "must be above 0");
    return scoop(world, &(mn_ScoopDef){.centre = centre, .radius = radius}, error);
}

mn_Result mn_world_set_emitter(mn_World* world, mn_FluidId fluid, size_t number, bool on, double speed, mn_Error* error)
{
    const char* name = fluid_name(world, fluid, error);
    if (!name)
        return MN_BAD_INPUT;
    mn_NozzleDef nozzle = {or_first(name), number < INT64_MAX ? (int64_t)number : INT64_MAX, on, speed};
    mn_EventDef event = mn_default_event_def();
    event.nozzles = &nozzle;
    event.nozzle_count = 1;
    return world_do(world, &event, error);
}

// --- solids

static mn_Result push(mn_World* world, mn_SolidId solid, mn_PushDef* push, mn_Error* error)
{
    push->solid = solid_name(world, solid, error);
    if (!push->solid)
        return MN_BAD_INPUT;
    mn_EventDef event = mn_default_event_def();
    event.pushes = push;
    event.push_count = 1;
    return world_do(world, &event, error);
}

mn_Result mn_world_push(mn_World* world, mn_SolidId solid, mn_Vec3 impulse, const mn_Vec3* point, mn_Error* error)
{
    mn_PushDef def = mn_default_push_def();
    def.impulse = impulse;
    if (point && !vec3d_finite(*point))
        return error_bad(error, "point", "must be finite");
    if (point)
        def.point = *point;
    return push(world, solid, &def, error);
}

mn_Result mn_world_twist(mn_World* world, mn_SolidId solid, mn_Vec3 angular_impulse, mn_Error* error)
{
    mn_PushDef def = mn_default_push_def();
    def.angular_impulse = angular_impulse;
    return push(world, solid, &def, error);
}

mn_Result mn_world_set_force(mn_World* world, mn_SolidId solid, mn_Vec3 force, mn_Vec3 torque, mn_Error* error)
{
    mn_ForceDef def = {solid_name(world, solid, error), force, torque};
    if (!def.solid)
        return MN_BAD_INPUT;
    mn_EventDef event = mn_default_event_def();
    event.forces = &def;
    event.force_count = 1;
    return world_do(world, &event, error);
}

static mn_Result move(mn_World* world, mn_MoveDef* move, mn_Error* error)
{
    mn_EventDef event = mn_default_event_def();
    event.moves = move;
    event.move_count = 1;
    return world_do(world, &event, error);
}

mn_Result mn_world_set_velocity(mn_World* world, mn_SolidId solid, mn_Vec3 velocity, mn_Vec3 angular_velocity, mn_Error* error)
{
    const char* name = solid_name(world, solid, error);
    if (!name)
        return MN_BAD_INPUT;
    if (world->solids.solid[solid - 1].type == MN_SOLID_KINEMATIC) {
        mn_MoveDef def = mn_default_move_def();
        def.solid = name;
        def.velocity = velocity;
        def.angular_velocity = angular_velocity;
        return move(world, &def, error);
    }
    mn_EventDef event = mn_default_event_def();
    event.solid = name;
    event.has_velocity = event.has_angular_velocity = true;
    event.velocity = velocity;
    event.angular_velocity = angular_velocity;
    return world_do(world, &event, error);
}

mn_Result mn_world_set_density(mn_World* world, mn_SolidId solid, double density, mn_Error* error)
{
    mn_EventDef event = mn_default_event_def();
    event.solid = solid_name(world, solid, error);
    if (!event.solid)
        return MN_BAD_INPUT;
    if (!(density > 0))
        return error_bad(error, "density", "must be above 0");
    if (world->solids.solid[solid - 1].kind->deforms) {
        mn_SolidChange change = mn_default_solid_change();
        change.density = density;
        return mn_world_change_solid(world, solid, &change, error);
    }
    event.density = density;
    return world_do(world, &event, error);
}

mn_Result mn_world_move(mn_World* world, mn_SolidId solid, const mn_Pose* pose, double seconds, mn_Error* error)
{
    mn_MoveDef def = mn_default_move_def();
    def.solid = solid_name(world, solid, error);
    if (!def.solid)
        return MN_BAD_INPUT;
    if (!vec3d_finite(pose->position))
        return error_bad(error, "position", "must be finite");
    def.position = pose->position;
    def.rotation = pose->rotation;
    def.seconds = seconds;
    return move(world, &def, error);
}

mn_Result mn_world_change_solid(mn_World* world, mn_SolidId solid, const mn_SolidChange* change, mn_Error* error)
{
    mn_SolidChange copy = *change;
    copy.solid = solid_name(world, solid, error);
    if (!copy.solid)
        return MN_BAD_INPUT;
    mn_EventDef event = mn_default_event_def();
    event.solid_changes = &copy;
    event.solid_change_count = 1;
    return world_do(world, &event, error);
}

mn_Result mn_world_release(mn_World* world, const char* name, mn_Error* error)
{
    mn_EventDef event = mn_default_event_def();
    event.release = name;
    return world_do(world, &event, error);
}

mn_Result mn_world_remove_solid(mn_World* world, mn_SolidId solid, mn_Error* error)
{
    mn_EventDef event = mn_default_event_def();
    event.remove = solid_name(world, solid, error);
    return event.remove ? world_do(world, &event, error) : MN_BAD_INPUT;
}

// --- pulls

mn_Result mn_world_pull(mn_World* world, const mn_PullDef* def, mn_Error* error)
{
    mn_PullDef pulls[2] = {mn_default_pull_def(), *def};
    pulls[0].name = def->name; // one of that name ends
    pulls[0].end = true;
    mn_EventDef event = mn_default_event_def();
    event.pulls = pulls;
    event.pull_count = 2;
    return world_do(world, &event, error);
}

static const Pull* pull_named(const mn_World* world, const char* name, mn_Error* error)
{
    for (size_t k = 0; name && name[0] && k < world->pulls.count; k++)
        if (!strcmp(world->pulls.pull[k].name, name))
            return &world->pulls.pull[k];
    error_set(error, MN_BAD_INPUT, "there is no pull named '%.64s'", name ? name : "");
    return NULL;
}

static mn_Result change_pull(mn_World* world, const char* name, const mn_Vec3* target, mn_Error* error)
{
    const Pull* pull = pull_named(world, name, error);
    if (!pull)
        return MN_BAD_INPUT;
    mn_PullDef def = mn_default_pull_def();
    def.name = name;
    def.solid = pull->solid >= 0 ? world->solids.solid[pull->solid].name : NULL;
    def.frequency = pull->frequency;
    def.max_force = pull->max_force;
    def.end = target == NULL;
    if (target)
        def.target = *target;
    mn_EventDef event = mn_default_event_def();
    event.pulls = &def;
    event.pull_count = 1;
    return world_do(world, &event, error);
}

mn_Result mn_world_pull_to(mn_World* world, const char* name, mn_Vec3 target, mn_Error* error)
{
    return change_pull(world, name, &target, error);
}

mn_Result mn_world_pull_end(mn_World* world, const char* name, mn_Error* error)
{
    return change_pull(world, name, NULL, error);
}
