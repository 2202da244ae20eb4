// SPDX-License-Identifier: MIT
// What about a whole scene is hardly ever meant; rooms judge their own.
#include "world/lint.h"

#include "solid/squeeze.h"
#include "world/world_parts.h"
#include <stdio.h>

static bool has_movers(const mn_World* world)
{
    for (size_t k = 0; k < world->solids.count; k++)
        if (!world->solids.solid[k].kind->is_driven)
            return true;
    return false;
}

// What is there but cannot take part, which is hardly ever meant.
static void warn_of_nothing(const mn_World* world)
{
    if (world->fluids.count == 0 && !has_movers(world))
        world_log(world, MN_LOG_WARNING, "there is no fluid");
    for (size_t k = 0; k < world->fluids.count; k++) {
        const mn_FluidDef* def = &world->fluids.def[k];
        const char* name = world->fluids.name[k];
        if (!world->fluids.unused[k])
            continue;
        if (def->block_count + def->ball_count + def->fill_count + def->shape_count + def->particle_count == 0 && !def->fill.solid)
            world_log(world, MN_LOG_WARNING,
                      "fluid \"%s\" has no blocks, spheres, shapes, meshes or emitters and fills no solid, so it has no particles",
                      name);
        else
            world_log(world, MN_LOG_WARNING,
                      "fluid \"%s\" has no particles: what it starts as is smaller than a spacing (%g m), or was carved away", name,
                      2 * world->def.particle_radius);
    }
    for (size_t k = 0; k < world->solids.count; k++)
        if (world->solids.samples[k] == 0)
            world_log(world, MN_LOG_WARNING, "solid \"%s\" has no boundary particles", world->solids.solid[k].name);
    uint64_t leaked = guard_count_leaks(&world->guard);
    if (leaked)
        world_log(world, MN_LOG_WARNING, "%llu particles start on the wrong side of a solid", (unsigned long long)leaked);
}

// The lighter of two fluids moves as the heavier makes it, by rounding and by what the pressure solve leaves over: energy grows by
// a tenth and more at 1000 : 1.
static void warn_of_contrast(const mn_World* world)
{
    static const double most = 100;
    double contrast = world_density_contrast(world);
    if (contrast * most < 1)
        world_log(world, MN_LOG_WARNING,
                  "densities of the fluids differ by a factor of %.3g: above %g energy grows; leave the lighter fluid out, or make "
                  "it heavier",
                  1 / contrast, most);
}

// [Pa] of a column of the heaviest fluid as high as what the scene lets it fall, and of surfaces curved like a particle
static double expected_pressure(const mn_World* world)
{
    double density = 0, sigma = 0;
    for (int k = 0; k < (int)world->fluids.count; k++)
        if (!world->fluids.unused[k]) {
            density = fmax(density, world_density(world, k));
            sigma = fmax(sigma, world->fluids.def[k].tension.sigma); // MN_AUTO is negative
        }
    return 0.5 * density * world->state.expected_speed * world->state.expected_speed + sigma / world->def.particle_radius;
}

// What awaits the solids. Those that are light are thrown about if they do not give way while pressures are found.
static SolidProspect prospect_of(const mn_World* world)
{
    FluidTraits fluid = world->fluid->traits(world->def.solver.method);
    double fixed = world->def.solver.time_step;
    SolidProspect prospect = {.dt = fixed > 0 ? fixed : world->limits.most_dt,
                              .fixed_dt = fixed > 0,
                              .pressure = expected_pressure(world),
                              .fluid_density = INFINITY};
    for (size_t k = 0; k < world->fluids.count; k++)
        prospect.fluid_density = fmin(prospect.fluid_density, world->fluids.def[k].density);
    if (world->fluids.count > 0 && !(world->def.coupling.strong && fluid.iterates))
        snprintf(prospect.light_remedy, sizeof prospect.light_remedy, "%s%s",
                 fluid.iterates ? "coupling.strong" : "another solver.method than ", fluid.iterates ? "" : fluid.method);
    else if (world->fluids.count > 0 && world->coupling.method && world->coupling.method->throws_light)
        snprintf(prospect.light_remedy, sizeof prospect.light_remedy, "another coupling.method than %s",
                 world->coupling.method->name);
    return prospect;
}

// Share of a nozzle's columns that let fluid out where no solid is, and, for those that do not, a solid that is there.
static double open_share(const mn_World* world, const Emitter* e, bool outside, const Solid** out_solid)
{
    double near = 0.5 * world->def.particle_radius, open = 0;
    *out_solid = NULL;
    for (size_t k = 0; k < e->nozzle.column_count; k++) {
        const NozzleColumn* c = &e->nozzle.column[k];
        Vec3d p = pose_to_world(&e->pose, vec3d(c->x, c->y + world->def.particle_radius, c->z));
        uint32_t taker = guard_taker(&world->guard, p, near, outside);
        if (taker == UINT32_MAX)
            open++;
        else
            *out_solid = &world->solids.solid[taker];
    }
    return open / (double)e->nozzle.column_count;
}

// Nozzles in solids let nothing out. One beside a container does, but a container is closed on all sides: a stream from above stays
// on its lid.
static void warn_of_emitters(const mn_World* world)
{
    for (size_t k = 0; k < world->sources.emitter_count; k++) {
        const Emitter* e = &world->sources.emitter[k];
        const Solid* solid;
        double share = open_share(world, e, true, &solid);
        if (share < 0.9 && solid) {
            world_log(world, MN_LOG_WARNING,
                      "fluids.%d.emitters.%d: %.0f %% of the nozzle lie in solid '%s' at the start, and let nothing out", e->kind,
                      e->number, 100 * (1 - share), solid->name);
            continue;
        }
        if (open_share(world, e, false, &solid) == 0 && solid && solid->inside)
            world_log(world, MN_LOG_WARNING,
                      "fluids.%d.emitters.%d is outside of container '%s', which is closed on all sides: its stream cannot get in; "
                      "make the container high enough to hold the nozzle",
                      e->kind, e->number, solid->name);
    }
}

// A tetrahedron that has broken off is a body of its own. Where pressures are not found by iteration none foresees that it gives
// way: one lighter than a fluid particle is thrown.
static void warn_of_pieces(const mn_World* world, const SolidProspect* prospect)
{
    FluidTraits fluid = world->fluid->traits(world->def.solver.method);
    double d = 2 * world->def.particle_radius, particle = prospect->fluid_density * d * d * d;
    for (size_t k = 0; k < world->solids.count && world->fluids.count > 0 && !fluid.iterates; k++) {
        const mn_SolidDef* def = &world->solids.def[k];
        double edge = def->resolution > 0 ? def->resolution : d, piece = def->density * edge * edge * edge / (6 * sqrt(2));
        if (def->type == MN_SOLID_ELASTIC && isfinite(def->strength) && piece < particle)
            world_log(
                world, MN_LOG_WARNING,
                "solid '%s' may break into pieces lighter than a particle of the fluid, which %s throws about; choose another "
                "solver.method, or a coarser resolution",
                world->solids.solid[k].name, fluid.method);
    }
}

void world_warn(const mn_World* world)
{
    SolidProspect prospect = prospect_of(world);
    world_warn_of_systems(world, &prospect);
    world_check_time_step(world);
    warn_of_nothing(world);
    warn_of_contrast(world);
    warn_of_pieces(world, &prospect);
    warn_of_emitters(world);
    world_warn_of_period(world);
}

void world_warn_of_squeezes(const mn_World* world, double until)
{
    SqueezeDef def = {.solid = world->solids.solid,
                      .count = world->solids.count,
                      .radius = world->def.particle_radius,
                      .gravity = world->def.gravity,
                      .log = {world->def.log, world->def.log_user}};
    if (world->fluids.count > 0)
        squeeze_warn(&def, until);
}
