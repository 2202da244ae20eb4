// SPDX-License-Identifier: MIT
#include "coupling/akinci.h"

#include "coupling/friction.h"
#include "fluid/pressure/method.h"
#include "fluid/viscosity/implicit.h"

#include <string.h>

static void akinci_destroy(void* coupling)
{
    Akinci* c = coupling;
    body_solids_destroy(&c->bodies);
    vertex_solids_destroy(&c->skins);
    memory_give(c->memory, c->origin);
    memory_give(c->memory, c->wrench);
    memory_give(c->memory, c->is_counted);
    memory_give(c->memory, c);
}

static bool reserve_walls(Akinci* c)
{
    size_t n = c->solid_count + 1;
    c->origin = memory_take(c->memory, n * sizeof *c->origin);
    c->wrench = memory_take(c->memory, n * sizeof *c->wrench);
    c->is_counted = memory_take(c->memory, n * sizeof *c->is_counted);
    return c->origin && c->wrench && c->is_counted;
}

// Solids are where the next step starts.
static void akinci_place(void* coupling)
{
    Akinci* c = coupling;
    body_solids_place(&c->bodies);
    vertex_solids_place(&c->skins);
    for (size_t k = 0; k < c->solid_count; k++) {
        c->is_counted[k] = c->bodies.is_body[k] || c->solid[k].kind->deforms;
        c->origin[k] = c->solid[k].pose.position;
    }
}

static bool akinci_follow(void* coupling)
{
    return vertex_solids_follow(&((Akinci*)coupling)->skins);
}

static void* akinci_create(const CouplingDef* def)
{
    Akinci* c = memory_take(def->memory, sizeof *c);
    if (!c)
        return NULL;
    *c = (Akinci){.memory = def->memory, .sph = def->sph, .solid = def->solid, .solid_count = def->solid_count};
    c->no_weight = def->boundary->volumes != VOLUMES_ALL;
    bool strong = def->strong && pressure_method(c->sph->solver.method)->iterates;
    if (!reserve_walls(c) || !body_solids_create(&c->bodies, def->memory, c->sph, c->solid, c->solid_count, strong) ||
        !vertex_solids_create(&c->skins, def->memory, c->sph, def->boundary, c->solid, strong)) {
        akinci_destroy(c);
        return NULL;
    }
    akinci_place(c);
    return c;
}

// --- a try at a step

static void akinci_begin(void* coupling, double dt)
{
    Akinci* c = coupling;
    body_solids_begin(&c->bodies);
    vertex_solids_begin(&c->skins, dt);
}

static bool akinci_forces(void* coupling, double dt)
{
    Akinci* c = coupling;
    bool ok = body_solids_forces(&c->bodies, dt);
    vertex_solids_forces(&c->skins, dt);
    return ok;
}

static void akinci_settle(void* coupling, double dt)
{
    Akinci* c = coupling;
    if (c->bodies.response.body_count)
        friction_on_fluid(&c->bodies.response, dt);
}

static double akinci_speed(const void* coupling, double path)
{
    const Akinci* c = coupling;
    return vertex_solids_speed(&c->skins, path, false);
}

static double akinci_speed_after(const void* coupling, double path, double dt)
{
    const Akinci* c = coupling;
    return fmax(body_solids_speed_after(&c->bodies, dt), vertex_solids_speed(&c->skins, path, true));
}

// --- the step is accepted

// Solids that do not give way: friction acted on the velocities before the step, to first order.
static bool finish_walls(Akinci* c)
{
    if (c->no_weight && !c->sph->walls.wetting)
        memset(c->wrench, 0, c->solid_count * sizeof *c->wrench);
    else if (!wall_forces(c->sph, implicit_velocity(c->sph), c->origin, c->solid_count, c->is_counted, c->wrench))
        return false;
    for (size_t k = 0; k < c->solid_count; k++) {
        if (c->is_counted[k])
            continue;
        c->solid[k].force = c->wrench[k].force;
        c->solid[k].torque = c->wrench[k].torque;
    }
    return true;
}

static bool akinci_finish(void* coupling, double dt)
{
    Akinci* c = coupling;
    bool ok = finish_walls(c);
    body_solids_finish(&c->bodies, dt);
    vertex_solids_finish(&c->skins, dt);
    return ok;
}

static bool akinci_part_force(void* coupling, WallPart* part)
{
    Akinci* c = coupling;
    part->centre = c->origin[part->solid];
    wall_part_force(c->sph, implicit_velocity(c->sph), part);
    return true;
}

static void akinci_before_solids(void* coupling)
{
    vertex_solids_before(&((Akinci*)coupling)->skins);
}

static void akinci_after_solids(void* coupling, double dt, double usual)
{
    vertex_solids_after(&((Akinci*)coupling)->skins, dt, usual);
}

static bool akinci_register_state(void* coupling, Register* reg)
{
    return vertex_solids_register(&((Akinci*)coupling)->skins, reg);
}

const CouplingMethod coupling_akinci = {.name = "akinci",
                                        .type = MN_COUPLING_AKINCI,
                                        .has_friction = true,
                                        .create = akinci_create,
                                        .destroy = akinci_destroy,
                                        .place = akinci_place,
                                        .follow = akinci_follow,
                                        .begin = akinci_begin,
                                        .forces = akinci_forces,
                                        .settle = akinci_settle,
                                        .speed = akinci_speed,
                                        .speed_after = akinci_speed_after,
                                        .finish = akinci_finish,
                                        .part_force = akinci_part_force,
                                        .before_solids = akinci_before_solids,
                                        .after_solids = akinci_after_solids,
                                        .register_state = akinci_register_state};
