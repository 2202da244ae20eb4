// SPDX-License-Identifier: MIT
// The grid fluid as the fluid of a world: what there is before the first step.
#include "world/flip_parts.h"

#include "base/error.h"
#include "base/random.h"
#include <stdlib.h>
#include <string.h>

_Static_assert((int)MOST_FLUIDS <= (int)FLIP_FLUIDS, "as many as the scene allows");

bool flip_fluid_knows(mn_Pressure type)
{
    return type == MN_PRESSURE_FLIP;
}

FluidTraits flip_fluid_traits(mn_Pressure type)
{
    return (FluidTraits){.method = "flip", .iterates = true};
}

// --- coming and going

static bool add_arrays(FlipFluid* f, bool apic)
{
    const ParticleArray arrays[] = {
        {"flip.position", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &f->position, false, 0},
        {"flip.velocity", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &f->velocity, true, 0},
        {"flip.id", PARTICLE_STATE, STATE_UINT32, sizeof(uint32_t), &f->id, false, 0},
        {"flip.density", PARTICLE_DERIVED, STATE_FLOAT, sizeof(float), &f->density, false, 0},
        {"flip.pressure", PARTICLE_SPARE, STATE_FLOAT, sizeof(float), &f->pressure, false, 0},
        {"flip.kind", PARTICLE_DERIVED, STATE_UINT8, sizeof(uint8_t), &f->kind, false, 0},
        {"flip.affine_x", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &f->affine[0], false, 0},
        {"flip.affine_y", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &f->affine[1], false, 0},
        {"flip.affine_z", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &f->affine[2], false, 0},
    };
    size_t count = sizeof arrays / sizeof *arrays - (apic ? 0 : 3);
    for (size_t k = 0; k < count; k++)
        if (!particle_set_add(&f->set, &arrays[k]))
            return false;
    return true;
}

bool flip_fluid_create(mn_World* world)
{
    const mn_WorldDef* def = &world->def;
    const mn_SolverDef* solver = &def->solver;
    double spacing = 2 * def->particle_radius, size = solver->cell_size > 0 ? solver->cell_size : 2 * spacing;
    FlipFluid* f = world->fluid_data = calloc(1, sizeof(FlipFluid));
    if (!f)
        return false;
    particle_set_init(&f->set, &world->memory);
    grid_init(&f->grid, &world->memory, size, def->dimension);
    f->def = (FlipDef){.memory = &world->memory,
                       .pool = world->pool,
                       .dimension = def->dimension,
                       .cell_size = f->grid.cell,
                       .spacing = spacing,
                       .pic = solver->pic,
                       .apic = solver->transfer == MN_TRANSFER_APIC,
                       .tolerance = solver->tolerance,
                       .most_iterations = solver->max_iterations,
                       .jacobi = solver->iterations};
    world->particles = (MovingParticles){&f->set, &f->position, &f->velocity, &f->id};
    world->grid = &f->grid;
    world->neighbours = NULL;
    world->scale.particle_volume = pow(spacing, def->dimension);
    return add_arrays(f, f->def.apic);
}

void flip_fluid_destroy(mn_World* world)
{
    FlipFluid* f = world_flip(world);
    if (!f)
        return;
    if (f->created)
        flip_free(&f->flip);
    grid_free(&f->grid);
    particle_set_free(&f->set);
    free(f);
    world->fluid_data = NULL;
}

static bool is_physical(const mn_FluidDef* def)
{
    return def->viscosity_method == MN_VISCOSITY_LAPLACE || def->viscosity_method == MN_VISCOSITY_IMPLICIT;
}

void flip_fluid_add(mn_World* world, size_t k, const mn_FluidDef* def)
{
    FlipDef* flip = &world_flip(world)->def;
    flip->density[k] = (float)def->density;
    flip->viscosity[k] = is_physical(def) ? (float)def->viscosity : 0;
    flip->fluid_count = (int)k + 1;
}

void flip_fluid_change(mn_World* world, size_t k, const mn_FluidDef* def)
{
    FlipFluid* f = world_flip(world);
    f->def.viscosity[k] = is_physical(def) ? (float)def->viscosity : 0;
    f->def.density[k] = (float)def->density;
    f->flip.def.viscosity[k] = f->def.viscosity[k];
    f->flip.def.density[k] = f->def.density[k];
}

mn_Result flip_fluid_seed(mn_World* world, mn_Error* error)
{
    for (size_t k = 0; k < world->solids.count; k++)
        if (world->solids.solid[k].kind->deforms && !world->solids.solid[k].kind->immerse) {
            error_set(error, MN_BAD_INPUT, "solver.method flip carries elastic solids of model reduced alone; '%s' is of model %s",
                      world->solids.solid[k].name, world->solids.solid[k].kind->name);
            error_key(error, "solids.%zu.model", k);
            return MN_BAD_INPUT;
        }
    return world_seed(world, error);
}

// --- solids

bool flip_fluid_prepare(mn_World* world)
{
    bool ok = true;
    for (size_t k = 0; k < world->solids.count && ok; k++)
        if (world->solids.solid[k].kind->deforms)
            ok = world->solids.solid[k].kind->immerse(&world->solids.solid[k], 2 * world->def.particle_radius);
    return ok;
}

bool flip_fluid_couple(mn_World* world)
{
    FlipFluid* f = world_flip(world);
    world->coupling = (Coupling){coupling_on_grid(), NULL};
    if (f->created) { // solids have come or gone
        f->def.relax_time = f->flip.def.relax_time;
        flip_free(&f->flip);
    }
    f->created = true;
    bool ok = flip_create(&f->flip, &f->def) && walls_add(&f->flip.walls, world->solids.solid, world->solids.count);
    for (size_t k = 0; k < world->solids.count && ok; k++)
        if (world->solids.solid[k].kind->deforms)
            ok = flip_carry(&f->flip, &world->solids.solid[k]);
    return ok;
}

// --- before the first step

// On lattices particles would move in sheets, and show them, since nothing on a grid parts those of one cell. So they start up to a
// quarter of a spacing off in each direction. Fluids that start from files have left lattices already.
static void leave_lattices(mn_World* world)
{
    FlipFluid* f = world_flip(world);
    const double most = 0.25 * 2 * world->def.particle_radius;
    for (size_t i = 0; i < f->set.count; i++) {
        if (world->fluids.def[(int)f->velocity[i].w].particle_count)
            continue;
        Random random = {random_mix(f->id[i])};
        f->position[i].x += (float)random_range(&random, -most, most);
        f->position[i].y += (float)random_range(&random, -most, most);
        if (world->def.dimension == 3)
            f->position[i].z += (float)random_range(&random, -most, most);
    }
}

// Particles are carried by the grid, not by forces between pairs: at rest a step may be longer than in SPH, and in motion the
// fastest may cross a cell.
void flip_fluid_begin(mn_World* world)
{
    FlipFluid* f = world_flip(world);
    double g = vec3d_length(world_strongest_gravity(world)), dx = f->flip.dx;
    leave_lattices(world);
    world_derive_limits(world, 0);
    world->limits.calm_dt = 0;
    double speed = world->state.expected_speed, rest = sqrt(dx / (g > 0 ? g : speed * speed / dx));
    if (!(world->def.solver.max_time_step > 0))
        world->limits.most_dt = 0.25 * rest;
    f->flip.def.relax_time = 0.5 * rest;
    world->state.dt_control = flip_fluid_expected_step(world, speed);
    for (size_t k = 0; k < world->fluids.count; k++)
        if (world->fluids.def[k].tension.sigma > 0 || world->fluids.def[k].tension.gamma > 0)
            world_log(world, MN_LOG_WARNING, "solver.method flip has no surface tension: that of fluid \"%s\" is left out",
                      world->fluids.name[k]);
    if (world->def.coupling.method != mn_default_coupling_def().method && !coupling_method(world->def.coupling.method)->on_grid)
        world_log(world, MN_LOG_WARNING, "solver.method flip couples solids by its own pressure: coupling.method %s is left out",
                  coupling_method(world->def.coupling.method)->name);
}

static bool is_loaded_well(void* owner)
{
    const mn_World* world = owner;
    const FlipFluid* f = world_flip(world);
    for (size_t i = 0; i < f->set.count; i++)
        if (!(f->velocity[i].w >= 0 && f->velocity[i].w < (float)world->fluids.count))
            return false;
    return true;
}

bool flip_fluid_register(mn_World* world, Register* reg)
{
    FlipFluid* f = world_flip(world);
    const StateArray pressure = {.name = "flip.inside_pressure",
                                 .per = PER_OTHER,
                                 .type = STATE_FLOAT,
                                 .size = sizeof(float),
                                 .data = &f->flip.inside.pressure,
                                 .count = &f->flip.inside.count};
    return particle_set_register(&f->set, reg) && (f->flip.inside.count == 0 || register_array(reg, &pressure)) &&
           register_loaded(reg, is_loaded_well, world);
}

// --- in a step

bool flip_fluid_reserve(mn_World* world)
{
    return true;
}

bool flip_fluid_search(mn_World* world)
{
    return moving_sort(&world->particles, world->grid, world->pool);
}

void flip_fluid_forget(mn_World* world)
{
    world_flip(world)->set.borrower = NULL;
}

void flip_fluid_set_gravity(mn_World* world, Vec3d gravity)
{
}
