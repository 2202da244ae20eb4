// SPDX-License-Identifier: MIT
// Whether what an event does between steps is possible: names that are there, and solids that can do it.
#include "world/world_parts.h"

#include "base/error.h"
#include <string.h>

int world_fluid_of(const mn_World* world, const char* name)
{
    if (!name)
        return world->fluids.count > 0 ? 0 : -1;
    for (size_t k = 0; k < world->fluids.count; k++)
        if (!strcmp(world->fluids.name[k], name))
            return (int)k;
    return -1;
}

Emitter* world_emitter_of(const mn_World* world, const char* fluid, int64_t number)
{
    int kind = world_fluid_of(world, fluid);
    for (size_t k = 0; k < world->sources.emitter_count; k++)
        if (world->sources.emitter[k].kind == kind && world->sources.emitter[k].number == number)
            return &world->sources.emitter[k];
    return NULL;
}

typedef struct Check {
    const mn_World* world;
    const mn_EventDef* def;
    bool later; // solids may come with earlier events
    mn_Error* error;
} Check;

static mn_Result bad(const Check* c, const char* list, size_t k, const char* key, const char* message)
{
    error_set(c->error, MN_BAD_INPUT, "%s", message);
    error_key(c->error, "%s.%zu.%s", list, k, key);
    return MN_BAD_INPUT;
}

static const mn_SolidDef* solid_in(const mn_EventDef* event, const char* name)
{
    for (size_t s = 0; name && s < event->solid_count; s++)
        if (event->solids[s].name && !strcmp(event->solids[s].name, name))
            return &event->solids[s];
    return NULL;
}

// The solid of that name that this event brings, or one before; NULL: none.
static const mn_SolidDef* coming(const Check* c, const char* name)
{
    const mn_SolidDef* found = solid_in(c->def, name);
    for (size_t e = 0; !found && c->later && e < c->world->events.count; e++)
        found = solid_in(&c->world->events.event[e].def, name);
    return found;
}

// A solid of that name is there, or will be: then `*out` is NULL.
static mn_Result solid_of(const Check* c, const char* list, size_t k, const char* key, const char* name, const Solid** out)
{
    int number = solid_find(c->world->solids.solid, c->world->solids.count, name);
    *out = number >= 0 ? &c->world->solids.solid[number] : NULL;
    if (number >= 0 || coming(c, name))
        return MN_OK;
    solid_not_found(c->world->solids.solid, c->world->solids.count, key, name, c->error);
    error_key(c->error, "%s.%zu.%s", list, k, key);
    return MN_BAD_INPUT;
}

static mn_Result fluid_is(const Check* c, const char* list, size_t k, const char* name)
{
    if (world_fluid_of(c->world, name) >= 0)
        return MN_OK;
    error_set(c->error, MN_BAD_INPUT, "there is no fluid%s%s%s", name ? " named '" : "", name ? name : "", name ? "'" : "");
    error_key(c->error, "%s.%zu.fluid", list, k);
    return MN_BAD_INPUT;
}

// It is removed by the same event, or by one before.
static bool goes(const Check* c, const char* name)
{
    if (c->def->remove && !strcmp(c->def->remove, name))
        return true;
    for (size_t e = 0; c->later && e < c->world->events.count; e++)
        if (c->world->events.event[e].def.remove && !strcmp(c->world->events.event[e].def.remove, name))
            return true;
    return false;
}

static mn_Result check_new(const Check* c)
{
    const mn_EventDef* def = c->def;
    const Solid* found;
    if (def->remove) {
        int number = solid_find(c->world->solids.solid, c->world->solids.count, def->remove);
        if (number < 0 && !(c->later && solid_of(c, "solids", 0, "remove", def->remove, &found) == MN_OK))
            return solid_not_found(c->world->solids.solid, c->world->solids.count, "remove", def->remove, c->error);
    }
    for (size_t k = 0; k < def->solid_count; k++) {
        const mn_SolidDef* solid = &def->solids[k];
        int there = solid_find(c->world->solids.solid, c->world->solids.count, solid->name);
        if (!solid->name)
            return bad(c, "solids", k, "name", "a solid that comes to a running world needs a name");
        if (world_check_carried(c->world, solid, c->error) != MN_OK) {
            error_key(c->error, "solids.%zu.model", k);
            return MN_BAD_INPUT;
        }
        if (there >= 0 && !goes(c, solid->name))
            return bad(c, "solids", k, "name", "there is a solid of that name already");
        for (size_t j = 0; j < k; j++)
            if (!strcmp(def->solids[j].name, solid->name))
                return bad(c, "solids", k, "name", "two solids have that name");
    }
    for (size_t k = 0; k < def->joint_count; k++) {
        const mn_JointDef* joint = &def->joints[k];
        if (solid_of(c, "joints", k, "solid", joint->solid, &found) != MN_OK)
            return MN_BAD_INPUT;
        if (found ? !solid_is_body(found) : coming(c, joint->solid)->type != MN_SOLID_RIGID)
            return bad(c, "joints", k, "solid", "the first solid of a joint must be rigid");
        if (joint->other && solid_of(c, "joints", k, "other", joint->other, &found) != MN_OK)
            return MN_BAD_INPUT;
        if (joint->other && !strcmp(joint->solid, joint->other))
            return bad(c, "joints", k, "other", "a joint ties two different solids");
    }
    return MN_OK;
}

static mn_Result check_fluids(const Check* c)
{
    const mn_EventDef* def = c->def;
    mn_Result result = MN_OK;
    DefContext context = {c->world->def.dimension, c->world->def.particle_radius};
    double particles = (double)moving_count(&c->world->particles);
    for (size_t k = 0; k < def->pour_count && result == MN_OK; k++) {
        const mn_PourDef* p = &def->pours[k];
        mn_FluidDef more = {.blocks = p->blocks, .block_count = p->block_count, .balls = p->balls, .ball_count = p->ball_count};
        particles += def_particles(&more, &context) + (double)p->particle_count;
        result = fluid_is(c, "pours", k, p->fluid);
        if (result == MN_OK && !(particles <= MOST_PARTICLES))
            result = bad(c, "pours", k, "blocks", "there would be more than 2147483647 particles");
    }
    for (size_t k = 0; k < def->nozzle_count && result == MN_OK; k++) {
        result = fluid_is(c, "nozzles", k, def->nozzles[k].fluid);
        if (result == MN_OK && !world_emitter_of(c->world, def->nozzles[k].fluid, def->nozzles[k].number))
            result = bad(c, "nozzles", k, "number", "the fluid has no emitter of that number");
    }
    for (size_t k = 0; k < def->fluid_change_count && result == MN_OK; k++)
        result = fluid_is(c, "fluid_changes", k, def->fluid_changes[k].fluid);
    return result;
}

static bool gives_way(const Solid* solid)
{
    return !solid || !solid->kind->is_driven;
}

static bool is_zero(Vec3d v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

static mn_Result check_solids(const Check* c)
{
    static const char* const GIVE = "only rigid and elastic solids give way";
    const mn_EventDef* def = c->def;
    const Solid* s;
    for (size_t k = 0; k < def->push_count; k++) {
        const mn_PushDef* push = &def->pushes[k];
        if (solid_of(c, "pushes", k, "solid", push->solid, &s) != MN_OK)
            return MN_BAD_INPUT;
        if (!gives_way(s))
            return bad(c, "pushes", k, "solid", GIVE);
        if (s && s->kind->deforms && !is_zero(push->angular_impulse))
            return bad(c, "pushes", k, "angular_impulse", "is for rigid solids");
    }
    for (size_t k = 0; k < def->force_count; k++) {
        if (solid_of(c, "forces", k, "solid", def->forces[k].solid, &s) != MN_OK)
            return MN_BAD_INPUT;
        if (!gives_way(s))
            return bad(c, "forces", k, "solid", GIVE);
        if (s && s->kind->deforms && !is_zero(def->forces[k].torque))
            return bad(c, "forces", k, "torque", "is for rigid solids");
    }
    for (size_t k = 0; k < def->move_count; k++) {
        if (solid_of(c, "moves", k, "solid", def->moves[k].solid, &s) != MN_OK)
            return MN_BAD_INPUT;
        if (s && s->type != MN_SOLID_KINEMATIC)
            return bad(c, "moves", k, "solid", "only kinematic solids move as they are told");
    }
    for (size_t k = 0; k < def->pull_count; k++) {
        const mn_PullDef* pull = &def->pulls[k];
        if (!pull->name)
            return bad(c, "pulls", k, "name", "a pull needs a name");
        if (pull->solid && !pull->end && solid_of(c, "pulls", k, "solid", pull->solid, &s) != MN_OK)
            return MN_BAD_INPUT;
        if (pull->solid && !pull->end && !gives_way(s))
            return bad(c, "pulls", k, "solid", GIVE);
    }
    for (size_t k = 0; k < def->solid_change_count; k++) {
        const mn_SolidChange* change = &def->solid_changes[k];
        if (solid_of(c, "solid_changes", k, "solid", change->solid, &s) != MN_OK)
            return MN_BAD_INPUT;
        if (s && s->kind->deforms && change->restitution != MN_AUTO)
            return bad(c, "solid_changes", k, "restitution", "elastic solids have none");
        if (s && !s->kind->deforms && (change->young != MN_AUTO || change->poisson != MN_AUTO))
            return bad(c, "solid_changes", k, change->young != MN_AUTO ? "young" : "poisson", "is for elastic solids");
        if (s && !s->kind->deforms && change->density != MN_AUTO)
            return bad(c, "solid_changes", k, "density",
                       "is for elastic solids; that of rigid ones is \"solid\" and \"density\" of the event itself");
    }
    return MN_OK;
}

mn_Result world_check_live(const mn_World* world, const mn_EventDef* def, bool later, mn_Error* error)
{
    Check check = {world, def, later, error};
    mn_Result result = check_new(&check);
    if (result == MN_OK)
        result = check_fluids(&check);
    return result == MN_OK ? check_solids(&check) : result;
}
