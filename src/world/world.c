// SPDX-License-Identifier: MIT
// Creating a world and putting things into it.
#include "world/world_parts.h"

#include "base/clock.h"
#include "base/error.h"
#include "defs/check.h"
#include "defs/defaults.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void world_log(const mn_World* world, mn_LogLevel level, const char* format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log_say((Log){world->def.log, world->def.log_user}, level, "%s", text);
}

// The rest volume that gives a cubic lattice with the particle spacing a relative density of exactly 1.
static double lattice_volume(const Kernel* kernel, double spacing)
{
    int n = (int)ceil((double)kernel->h / spacing), nz = kernel->dimension == 3 ? n : 0;
    double sum = 0;
    for (int z = -nz; z <= nz; z++)
        for (int y = -n; y <= n; y++)
            for (int x = -n; x <= n; x++)
                sum += kernel_w(kernel, spacing * sqrt((double)(x * x + y * y + z * z)));
    return 1 / sum;
}

static bool create_parts(mn_World* world, int threads)
{
    const mn_WorldDef* def = &world->def;
    double spacing = 2 * def->particle_radius;
    world->pool = pool_create(threads);
    world->reg = register_create(&world->memory);
    if (!world->pool || !world->reg)
        return false;
    world->scale.support = def_support_radius(def);
    world->scale.kernel = kernel_create(def_kernel(def), def->dimension, world->scale.support);
    world->scale.rest_volume = lattice_volume(&world->scale.kernel, spacing);
    world->scale.period = period_make(def->periodic, def->domain.min, def->domain.max);
    boundary_init(&world->boundary, &world->memory, &world->scale.kernel, world->scale.rest_volume, spacing);
    world->boundary.period = world->scale.period;
    return world->fluid->create(world);
}

mn_World* mn_world_create(const mn_WorldDef* def, const char* folder, mn_Error* error)
{
    if (def_check_world(def, error) != MN_OK)
        return NULL;
    if (simd_missing()) {
        error_set(error, MN_BAD_INPUT,
                  "this build needs a processor with %s; build on this one, or with -DMENISCUS_SIMD=avx2 or scalar",
                  simd_missing());
        return NULL;
    }
    mn_World* world = calloc(1, sizeof *world);
    if (!world || !world_init(world, def, folder)) {
        mn_world_destroy(world);
        error_set(error, MN_OUT_OF_MEMORY, "no memory or threads for a world");
        return NULL;
    }
    return world;
}

bool world_init(mn_World* world, const mn_WorldDef* def, const char* folder)
{
    world->def = *def;
    world->folder = folder ? strdup(folder) : NULL;
    world->fluid = fluid_kind(def->solver.method);
    world_list_systems(world);
    world_begin_timing(world);
    return (!folder || world->folder) && world_begin_recipe(world) && create_parts(world, def->threads);
}

static void free_fluid_def(mn_FluidDef* def)
{
    for (size_t k = 0; k < def->fill_count; k++)
        memory_free_string(def->fills[k].file);
    for (size_t k = 0; k < def->shape_count; k++)
        memory_free_string(def->shapes[k].shape.file);
    for (size_t k = 0; k < def->particle_count; k++)
        memory_free_string(def->particles[k].file);
    memory_free_string(def->fill.solid);
    free(def->blocks);
    free(def->balls);
    free(def->fills);
    free(def->shapes);
    free(def->particles);
}

void mn_world_destroy(mn_World* world)
{
    if (!world)
        return;
    world_clear(world);
    free(world);
}

void world_clear(mn_World* world)
{
    if (!world->fluid)
        return;
    world_free_foam(world);
    world_free_skins(world);
    world_free_systems(world);
    for (size_t k = 0; k < world->solids.count; k++)
        solid_free(&world->solids.solid[k]);
    for (size_t k = 0; world->fluids.def && k < world->fluids.count; k++)
        free_fluid_def(&world->fluids.def[k]);
    for (size_t k = 0; k < world->fluids.count; k++)
        free(world->fluids.name[k]);
    world_free_probes(world);
    for (size_t k = 0; k < world->sources.emitter_count; k++)
        emitter_free(&world->sources.emitter[k]);
    world_free_events(world);
    void* arrays[] = {world->pulls.pull,      world->solids.solid,  world->solids.def,     world->solids.samples,
                      world->sources.emitter, world->sources.drain, world->sources.sponge, world->scratch.gone};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(&world->memory, arrays[k]);
    register_destroy(world->reg);
    world->fluid->destroy(world);
    boundary_free(&world->boundary);
    pool_destroy(world->pool);
    world_free_recipe(world);
    free(world->fluids.def);
    free(world->folder);
    memset(world, 0, sizeof *world);
}

static void* copy_array(const void* from, size_t bytes)
{
    void* to = malloc(bytes ? bytes : 1);
    if (to && bytes)
        memcpy(to, from, bytes);
    return to;
}

// Sources are seeded by prepare, when all solids are known; until then the def's own copy waits.
static bool keep_sources(mn_FluidDef* kept, const mn_FluidDef* def)
{
    *kept = *def;
    kept->name = kept->material = NULL;
    kept->emitters = NULL;
    kept->fill_count = kept->shape_count = kept->particle_count = 0;
    kept->fill.solid = def->fill.solid ? strdup(def->fill.solid) : NULL;
    kept->blocks = copy_array(def->blocks, def->block_count * sizeof *def->blocks);
    kept->balls = copy_array(def->balls, def->ball_count * sizeof *def->balls);
    kept->fills = copy_array(def->fills, def->fill_count * sizeof *def->fills);
    kept->shapes = copy_array(def->shapes, def->shape_count * sizeof *def->shapes);
    kept->particles = copy_array(def->particles, def->particle_count * sizeof *def->particles);
    if (!kept->particles || !kept->blocks || !kept->balls || !kept->fills || !kept->shapes ||
        (def->fill.solid && !kept->fill.solid))
        return false;
    for (; kept->shape_count < def->shape_count; kept->shape_count++) {
        mn_Shape* shape = &kept->shapes[kept->shape_count].shape;
        if (shape->file && !(shape->file = strdup(shape->file)))
            return false;
    }
    for (; kept->fill_count < def->fill_count; kept->fill_count++)
        if (!(kept->fills[kept->fill_count].file = strdup(def->fills[kept->fill_count].file)))
            return false;
    for (; kept->particle_count < def->particle_count; kept->particle_count++)
        if (!(kept->particles[kept->particle_count].file = strdup(def->particles[kept->particle_count].file)))
            return false;
    return true;
}

mn_Result world_check_def(const mn_World* world, const Section* section, size_t count, const void* def, mn_Error* error)
{
    DefContext context = {world->def.dimension, world->def.particle_radius};
    bool any_time =
        section == &drain_section || section == &sponge_section || section == &probe_section || section == &event_section;
    if (world->phase.broken)
        return def_bad(error, "", "this world is lost; it can only be destroyed");
    if (world->phase.prepared && !any_time)
        return def_bad(error, "", "%s must be added before the first step", section->path);
    mn_Result result = def_check_count(section->path, count + 1, error);
    return result == MN_OK ? def_check(section, &context, def, error) : result;
}

static mn_Result check_fluid(const mn_World* world, const mn_FluidDef* def, mn_Error* error)
{
    mn_Result result = world_check_def(world, &fluid_section, world->fluids.count, def, error);
    if (result != MN_OK)
        return result;
    DefContext context = {world->def.dimension, world->def.particle_radius};
    double particles = def_particles(def, &context);
    for (size_t k = 0; k < world->fluids.count; k++)
        particles += def_particles(&world->fluids.def[k], &context);
    if (!(particles <= MOST_PARTICLES))
        return def_bad(error, "", "brings the fluids to %.3g particles, more than the %.0f allowed; use a larger particle_radius",
                       particles, MOST_PARTICLES);
    for (size_t k = 0; k < def->fill_count; k++)
        if (!def->fills[k].file)
            return def_bad(error, "meshes", "the name of a file is missing");
    return MN_OK;
}

static void fail_in_emitter(mn_Error* error, size_t number)
{
    char key[sizeof error->key] = "";
    if (error)
        snprintf(key, sizeof key, "%.64s", error->key);
    error_key(error, "emitters.%zu%s%s", number, key[0] ? "." : "", key);
}

mn_FluidId mn_world_add_fluid(mn_World* world, const mn_FluidDef* given, mn_Error* error)
{
    if (check_fluid(world, given, error) != MN_OK)
        return 0;
    mn_FluidDef told = *given;
    const mn_FluidDef* def = &told;
    // none: the scene that is made of this world must not take the default of scenes
    if (told.tension.gamma == MN_AUTO && told.tension.sigma == MN_AUTO)
        told.tension.gamma = 0;
    size_t k = world->fluids.count;
    mn_FluidDef* pending = realloc(world->fluids.def, (k + 1) * sizeof *pending);
    if (pending)
        world->fluids.def = pending;
    bool ok = pending && memory_reserve(&world->memory, &world->sources.emitter, &world->sources.emitter_capacity,
                                        world->sources.emitter_count, world->sources.emitter_count + def->emitter_count,
                                        sizeof *world->sources.emitter);
    if (!ok || !keep_sources(&pending[k], def)) {
        error_set(error, MN_OUT_OF_MEMORY, "no memory for a fluid");
        return 0;
    }
    for (size_t e = 0; e < def->emitter_count; e++)
        if (emitter_init(&world->sources.emitter[world->sources.emitter_count++], &def->emitters[e], (int)k, (int)e,
                         world->def.particle_radius, world->def.dimension, world->folder, error) != MN_OK) {
            world->sources.emitter_count--;
            fail_in_emitter(error, e);
            free_fluid_def(&pending[k]);
            return 0;
        }
    world->fluids.name[k] = strdup(def->name ? def->name : "");
    if (!world_keep_def(world, &fluid_section, def)) {
        error_set(error, MN_OUT_OF_MEMORY, "no memory for a fluid");
        return 0;
    }
    world->fluid->add(world, k, def);
    world->fluids.count++;
    return (mn_FluidId)world->fluids.count;
}

// In a running world it is an event.
static mn_SolidId add_live_solid(mn_World* world, const mn_SolidDef* def, mn_Error* error)
{
    mn_SolidDef copy = *def;
    mn_EventDef event = mn_default_event_def();
    event.solids = &copy;
    event.solid_count = 1;
    return world_do(world, &event, error) == MN_OK ? (mn_SolidId)world->solids.count : 0;
}

mn_SolidId mn_world_add_solid(mn_World* world, const mn_SolidDef* def, mn_Error* error)
{
    if (world->phase.prepared)
        return add_live_solid(world, def, error);
    if (world_check_def(world, &solid_section, world->solids.count, def, error) != MN_OK)
        return 0;
    if (!memory_reserve(&world->memory, &world->solids.solid, &world->solids.capacity, world->solids.count, world->solids.count + 1,
                        sizeof *world->solids.solid)) {
        error_set(error, MN_OUT_OF_MEMORY, "no memory for a solid");
        return 0;
    }
    if (!memory_reserve(&world->memory, &world->solids.def, &world->solids.def_capacity, world->solids.count,
                        world->solids.count + 1, sizeof *world->solids.def)) {
        error_set(error, MN_OUT_OF_MEMORY, "no memory for a solid");
        return 0;
    }
    Solid* solid = &world->solids.solid[world->solids.count];
    // finer than anyone sees at this particle size, and no finer
    double tolerance = 0.05 * world->def.particle_radius;
    if (solid_create(solid, def, world->def.dimension, tolerance, world->folder, &world->memory, error) != MN_OK)
        return 0;
    if (world_add_to_system(world, world->solids.count, solid, def, error) != MN_OK) {
        solid_free(solid);
        return 0;
    }
    if (!world_keep_def(world, &solid_section, def)) {
        error_set(error, MN_OUT_OF_MEMORY, "no memory for a solid");
        return 0;
    }
    world->solids.def[world->solids.count] = *def;
    world->limits.contained |= solid->inside;
    return (mn_SolidId)++world->solids.count;
}

mn_Result mn_world_add_drain(mn_World* world, const mn_Drain* def, mn_Error* error)
{
    mn_Result result = world_check_def(world, &drain_section, world->sources.drain_count, def, error);
    if (result != MN_OK)
        return result;
    Drain drain = {.def = *def, .solid = -1, .pose = {def->position, quat_normalise(def->rotation)}};
    drain.def.solid = NULL;
    if (def->type == MN_DRAIN_BOX)
        drain.pose = (mn_Pose){vec3d_scale(vec3d_add(def->min, def->max), 0.5), quat_identity()};
    result = world_ride(world, def->solid, &drain.pose, &drain.solid, &drain.ride, error);
    if (result != MN_OK)
        return result;
    if (!memory_reserve(&world->memory, &world->sources.drain, &world->sources.drain_capacity, world->sources.drain_count,
                        world->sources.drain_count + 1, sizeof *world->sources.drain) ||
        !world_keep_def(world, &drain_section, def))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a drain");
    world->sources.drain[world->sources.drain_count++] = drain;
    return MN_OK;
}
