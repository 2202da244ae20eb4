// SPDX-License-Identifier: MIT
// SPH as the fluid of a world: what there is before the first step.
#include "world/sph_parts.h"

#include "base/error.h"
#include "defs/defaults.h"
#include "fluid/mirror.h"
#include "fluid/pressure/bulk.h"
#include "fluid/tension/band.h"
#include "fluid/tension/tension.h"
#include "fluid/viscosity/implicit.h"
#include "fluid/viscosity/strain.h"
#include <stdlib.h>
#include <string.h>

bool sph_knows(mn_Pressure type)
{
    return pressure_find(type) != NULL;
}

FluidTraits sph_traits(mn_Pressure type)
{
    const PressureMethod* method = pressure_method(type);
    return (FluidTraits){.method = method->name, .iterates = method->iterates, .has_pairs = true};
}

// --- coming and going

bool sph_create(mn_World* world)
{
    const mn_WorldDef* def = &world->def;
    double spacing = 2 * def->particle_radius;
    world->fluid_data = calloc(1, sizeof(SphFluid));
    if (!world->fluid_data)
        return false;
    Sph* sph = world_sph(world);
    *sph = (Sph){.memory = &world->memory,
                 .pool = world->pool,
                 .kernel = world->scale.kernel,
                 .radius = def->particle_radius,
                 .gravity = def->gravity,
                 .solver = def->solver,
                 .volume = (float)world->scale.rest_volume,
                 .mass_volume = (float)pow(spacing, def->dimension),
                 .walls.drag = (float)boundary_drag(&world->scale.kernel, spacing, world->boundary.layer),
                 .fluid = {.set.memory = &world->memory}};
    WallGrip grip = boundary_grip(&world->scale.kernel, spacing, world->boundary.layer);
    sph->walls.grip = (float)grip.drag;
    sph->walls.share = (float)grip.share;
    grid_init(&sph->grid, &world->memory, world->scale.support, def->dimension);
    sph->grid.period = world->scale.period;
    world->particles = fluid_moving(&sph->fluid);
    world->grid = &sph->grid;
    world->neighbours = &sph->neighbours;
    sph->bulk = bulk_create(&world->memory);
    world->scale.particle_volume = def->dimension == 3 ? spacing * spacing * spacing : spacing * spacing;
    return sph->bulk && fluid_init(&sph->fluid) && neighbours_init(&sph->neighbours, &world->memory, world->pool);
}

void sph_destroy(mn_World* world)
{
    if (!world->fluid_data)
        return;
    Sph* sph = world_sph(world);
    void* arrays[] = {sph->scratch.partial,   sph->scratch.wrench,  sph->responders.owner,
                      sph->scratch.predicted, sph->scratch.normal,  sph->scratch.strain[0],
                      sph->scratch.strain[1], sph->scratch.viscous, world_sph_fluid(world)->wetting};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(&world->memory, arrays[k]);
    if (sph->neighbours.memory)
        neighbours_free(&sph->neighbours);
    bulk_free(sph->bulk);
    band_destroy(sph->band);
    grid_free(&sph->grid);
    fluid_free(&sph->fluid);
    free(world->fluid_data);
    world->fluid_data = NULL;
}

_Static_assert((int)MOST_FLUIDS == (int)FLUIDS_MOST, "as many as the scene allows");

void sph_change(mn_World* world, size_t k, const mn_FluidDef* def)
{
    Sph* sph = world_sph(world);
    double gamma = def->tension.sigma > 0 ? tension_gamma(sph, def->tension.method, def->density, def->tension.sigma)
                                          : fmax(def->tension.gamma, 0);
    sph->material[k] = (FluidMaterial){.density = (float)def->density,
                                       .viscosity_method = def->viscosity_method,
                                       .viscosity = (float)def->viscosity,
                                       .tension = def->tension.method,
                                       .gamma = (float)gamma,
                                       .adhesion = (float)def->adhesion,
                                       .unused = world->fluids.unused[k]};
}

void sph_add(mn_World* world, size_t k, const mn_FluidDef* def)
{
    sph_change(world, k, def);
    world_sph(world)->material_count = (int)k + 1;
}

void sph_use(mn_World* world)
{
    for (size_t k = 0; k < world->fluids.count; k++)
        world_sph(world)->material[k].unused = world->fluids.unused[k];
}

void sph_expect(mn_World* world)
{
    if (!(world->def.solver.speed_of_sound > 0))
        world_sph(world)->solver.speed_of_sound = 10 * world->state.expected_speed;
}

// --- solids

// beta of a solid for a fluid: given, by its contact angle, or the fluid's own gamma.
static double solid_beta(const Sph* sph, const Solid* solid, int kind)
{
    const FluidMaterial* m = &sph->material[kind];
    if (tension_is_geometric(m))
        return 0;
    double beta = solid->contact_angle >= 0 ? (double)m->gamma * tension_wetting(sph, solid->contact_angle)
                  : solid->adhesion >= 0    ? solid->adhesion
                                            : (double)m->gamma;
    return beta * (double)m->adhesion;
}

// [degrees] given, or what the same adhesion makes with akinci
static double contact_angle(const Sph* sph, const Solid* solid, int kind)
{
    const FluidMaterial* m = &sph->material[kind];
    if (solid->contact_angle >= 0)
        return solid->contact_angle;
    double ratio = solid->adhesion >= 0 && m->gamma > 0 ? solid->adhesion / (double)m->gamma : 1;
    return tension_angle(ratio * (double)m->adhesion);
}

static bool any_geometric(const Sph* sph)
{
    for (int k = 0; k < sph->material_count; k++)
        if (tension_is_geometric(&sph->material[k]))
            return true;
    return false;
}

// False: out of memory.
static bool find_wetting(mn_World* world)
{
    Sph* sph = world_sph(world);
    memory_give(&world->memory, world_sph_fluid(world)->wetting); // of solids as they were before
    Wetting* wetting = memory_take(&world->memory, (world->solids.count + 1) * sizeof *wetting);
    world_sph_fluid(world)->wetting = NULL;
    if (!wetting)
        return false;
    world_sph_fluid(world)->wetting = wetting;
    bool any = false;
    memset(wetting, 0, (world->solids.count + 1) * sizeof *wetting);
    for (size_t s = 0; s < world->solids.count; s++) {
        wetting[s].offset = world->solids.solid[s].closed ? (float)world->boundary.layer.offset : 0;
        for (int k = 0; k < sph->material_count; k++) {
            double beta = solid_beta(sph, &world->solids.solid[s], k);
            wetting_set(&wetting[s], &sph->kernel, k, beta, (double)sph->material[k].gamma);
            wetting[s].cosine[k] = (float)cos(contact_angle(sph, &world->solids.solid[s], k) * M_PI / 180);
            any |= beta > 0;
        }
    }
    sph->walls.wetting = any ? wetting : NULL;
    sph->walls.contact = any_geometric(sph) ? wetting : NULL;
    return true;
}

mn_Result sph_seed(mn_World* world, mn_Error* error)
{
    const CouplingMethod* method = coupling_method(world->def.coupling.method);
    for (size_t k = 0; k < world->fluids.count; k++) {
        double r = world->def.particle_radius;
        if (!def_wants_wide_support(&world->fluids.def[k].tension) || world->scale.support >= NARROWEST_SUPPORT * r)
            continue;
        error_set(error, MN_BAD_INPUT, "got %g, expected at least %g particle radii, %g m, for a surface_tension of method %s",
                  world->scale.support, NARROWEST_SUPPORT, NARROWEST_SUPPORT * r,
                  tension_method(world->fluids.def[k].tension.method)->name);
        error_key(error, "support_radius");
        return MN_BAD_INPUT;
    }
    if (!method->on_grid)
        return world_seed(world, error);
    error_set(error, MN_BAD_INPUT, "%s is for solver.method flip: the fluid's grid carries solids along; this fluid has none",
              method->name);
    error_key(error, "coupling.method");
    return MN_BAD_INPUT;
}

bool sph_prepare(mn_World* world)
{
    return find_wetting(world) && sph_reserve(world);
}

static bool predict_again(void* context, const Solid* solid, double dt)
{
    return world_predict_system_of(context, solid, dt);
}

// Walls along the axes: rotations by quarter turns.
static bool is_along_axes(Quat q, Vec3d half, Vec3d* out)
{
    const Vec3d unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double size[3] = {half.x, half.y, half.z};
    *out = vec3d(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        Vec3d a = quat_rotate(q, unit[k]);
        a = vec3d(fabs(a.x), fabs(a.y), fabs(a.z));
        if (fmax(a.x, fmax(a.y, a.z)) < 1 - 1e-9)
            return false;
        *out = vec3d_add(*out, vec3d_scale(a, size[k]));
    }
    return true;
}

// The first box that fluid is in and that rests.
static Mirror find_mirror(const mn_World* world)
{
    for (size_t s = 0; s < world->solids.count; s++) {
        const Solid* solid = &world->solids.solid[s];
        Vec3d half, v = solid->surface_velocity, c;
        if (solid->removed || solid->type != MN_SOLID_STATIC || solid->shape.type != MN_SHAPE_BOX || !solid->inside ||
            vec3d_length(v) > 0 || !is_along_axes(solid->pose.rotation, solid->bound_half, &half))
            continue;
        c = vec3d_add(solid->pose.position, quat_rotate(solid->pose.rotation, solid->bound_centre));
        Mirror mirror = {.any = true,
                         .solid = (uint32_t)s,
                         .low = {(float)(c.x - half.x), (float)(c.y - half.y), (float)(c.z - half.z)},
                         .high = {(float)(c.x + half.x), (float)(c.y + half.y), (float)(c.z + half.z)}};
        for (int k = 0; k < 3; k++)
            if ((k == 2 && world->def.dimension == 2) || world_sph(world)->grid.period.axis[k]) {
                mirror.low[k] = -INFINITY;
                mirror.high[k] = INFINITY;
            }
        return mirror;
    }
    return (Mirror){.any = false};
}

bool sph_couple(mn_World* world)
{
    Sph* sph = world_sph(world);
    bool wanted = sph->solver.accuracy == MN_ACCURACY_ACCURATE || any_geometric(sph);
    bool mirrors = wanted && sph->solver.density == MN_DENSITY_SUMMED && world->boundary.volumes == VOLUMES_ALL;
    sph->mirror = mirrors ? find_mirror(world) : (Mirror){.any = false};
    CouplingDef def = {.memory = &world->memory,
                       .sph = world_sph(world),
                       .boundary = &world->boundary,
                       .solid = world->solids.solid,
                       .solid_count = world->solids.count,
                       .strong = world->def.coupling.strong,
                       .response = world->def.coupling.response,
                       .answer = {predict_again, world},
                       .settings = world->def.coupling,
                       .expected_speed = &world->state.expected_speed};
    world_sph(world)->walls.most_friction = world->boundary.most_friction;
    world_sph(world)->walls.most_viscosity = world->boundary.most_wall_viscosity;
    return coupling_create(&world->coupling, coupling_method(world->def.coupling.method), &def);
}

// --- before the first step

// A tension by the shape of the surface meets contact angles at mirroring walls; at others roughly.
static void warn_of_wetting(const mn_World* world, const FluidMaterial* m, const char* fluid)
{
    for (size_t k = 0; k < world->solids.count && tension_is_geometric(m); k++)
        if (!mirror_is(world_sph(world), k) && (world->solids.solid[k].contact_angle >= 0 || world->solids.solid[k].adhesion > 0))
            world_log(
                world, MN_LOG_WARNING,
                "the surface tension of fluid \"%s\" keeps the contact_angle of solid \"%s\" only roughly: it is right on the "
                "walls of a box along the axes that holds the fluid and rests",
                fluid, world->solids.solid[k].name);
}

void sph_begin(mn_World* world)
{
    Sph* sph = world_sph(world);
    for (int k = 0; k < sph->material_count; k++) {
        sph->material[k].unused = world->fluids.unused[k];
        warn_of_wetting(world, &sph->material[k], world->fluids.name[k]);
    }
    double rest_dt = world_derive_limits(world, tension_pull(sph));
    if (!(sph->solver.speed_of_sound > 0))
        sph->solver.speed_of_sound = 10 * world->state.expected_speed; // density varies by about 1 % then (Monaghan 1994)
    sph->relax_time = 10 * rest_dt;
    pressure_begin(sph);
}

static bool is_loaded_well(void* owner)
{
    const mn_World* world = owner;
    const Fluid* fluid = &world_sph(world)->fluid;
    for (size_t i = 0; i < fluid->set.count; i++)
        if (!(fluid->velocity[i].w >= 0 && fluid->velocity[i].w < (float)world->fluids.count))
            return false;
    return true;
}

static void keep(void* owner)
{
    mn_World* world = owner;
    fluid_keep(&world_sph(world)->fluid, world->pool);
}

static void take_back(void* owner)
{
    mn_World* world = owner;
    fluid_take_back(&world_sph(world)->fluid, world->pool);
}

bool sph_register(mn_World* world, Register* reg)
{
    Sph* sph = world_sph(world);
    return particle_set_register(&sph->fluid.set, reg) && register_loaded(reg, is_loaded_well, world) &&
           pressure_register(sph, reg) && register_try(reg, &(StateTry){world, keep, take_back});
}

bool sph_thin(mn_World* world, size_t* out_removed)
{
    Sph* sph = world_sph(world);
    return guard_thin_dense(&world->guard, &(GuardDensity){sph->fluid.density, (double)sph->volume, &sph->kernel}, out_removed);
}

// --- in a step

bool sph_reserve(mn_World* world)
{
    Sph* sph = world_sph(world);
    return tension_reserve(sph) && strain_reserve(sph) && implicit_reserve(sph) &&
           (!pressure_method(sph->solver.method)->reserve_predicted ||
            memory_reserve(&world->memory, &sph->scratch.predicted, &sph->scratch.predicted_capacity, 0,
                           sph->fluid.set.capacity + 16, sizeof *sph->scratch.predicted));
}

void sph_forget(mn_World* world)
{
    fluid_forget(&world_sph(world)->fluid);
}

void sph_set_gravity(mn_World* world, Vec3d gravity)
{
    world_sph(world)->gravity = gravity;
}
