// SPDX-License-Identifier: MIT
// The public face of surfaces, particle files and run folders (meniscus/output.h).
#include <meniscus/live.h>
#include <meniscus/output.h>

#include "base/clock.h"
#include "base/error.h"
#include "io/frame_gather.h"
#include "io/run_writer.h"
#include "io/surface_file.h"
#include "world/recipe.h"
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char* path, const char* ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m + 1 && path[n - m - 1] == '.' && !strcmp(path + n - m, ending);
}

// --- surfaces

struct mn_Surface {
    SurfaceMesh mesh;
    double time;
};

// The particles of a fluid, or with 0 of all.
static mn_Result gather(const mn_World* world, mn_FluidId fluid, Frame* frame, mn_Error* error)
{
    mn_ParticleView view = mn_world_particles(world);
    size_t first = fluid ? fluid - 1 : 0, end = fluid ? fluid : mn_world_fluid_count(world);
    if (end > mn_world_fluid_count(world))
        return error_set(error, MN_BAD_INPUT, "there is no fluid %u", fluid);
    Frame* parts = calloc(end - first + 1, sizeof *parts);
    mn_Result result = parts ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for a frame");
    for (size_t f = first; f < end && result == MN_OK; f++)
        result = frame_gather(&view, (uint8_t)f, mn_world_fluid(world, (mn_FluidId)(f + 1)).density, mn_world_time(world),
                              &parts[f - first], error);
    if (result == MN_OK)
        result = frame_merge(parts, end - first, frame, error);
    for (size_t f = first; f < end && parts; f++)
        frame_free(&parts[f - first]);
    free(parts);
    return result;
}

mn_Surface* mn_world_surface(const mn_World* world, mn_FluidId fluid, double spacing, int smoothing, mn_Error* error)
{
    const mn_Scene* recipe = world_recipe(world);
    SurfaceDef def = surface_default_def(recipe->world.particle_radius);
    def.spacing = spacing == MN_AUTO ? recipe->output.surface_spacing : spacing;
    def.smoothing = smoothing == MN_AUTO ? recipe->output.surface_smoothing : smoothing;
    if (recipe->world.dimension != 3) {
        error_set(error, MN_BAD_INPUT, "surfaces need a world in three dimensions");
        return NULL;
    }
    Frame frame = {0};
    mn_Surface* surface = calloc(1, sizeof *surface);
    Pool* pool = pool_create(recipe->world.threads);
    mn_Result result = surface && pool ? gather(world, fluid, &frame, error) : error_set(error, MN_OUT_OF_MEMORY, "no memory");
    if (result == MN_OK)
        result = surface_of_frame(&def, &frame, pool, NULL, &surface->mesh, error);
    if (result == MN_OK)
        surface->time = frame.time;
    frame_free(&frame);
    pool_destroy(pool);
    if (result == MN_OK)
        return surface;
    free(surface);
    return NULL;
}

void mn_surface_free(mn_Surface* surface)
{
    if (surface)
        surface_free(&surface->mesh);
    free(surface);
}

mn_SurfaceView mn_surface_view(const mn_Surface* surface)
{
    const SurfaceMesh* m = &surface->mesh;
    return (mn_SurfaceView){m->vertex_count,         m->triangle_count, (const float*)m->position,
                            (const float*)m->normal, m->value[0],       (const uint32_t(*)[3])m->triangle};
}

mn_Result mn_surface_write(const mn_Surface* surface, const char* path, mn_Error* error)
{
    for (mn_SurfaceFormat f = MN_SURFACE_VTP; f <= MN_SURFACE_OBJ; f++)
        if (ends_with(path, surface_extension(f)))
            return surface_write(path, f, &surface->mesh, surface->time, error);
    return error_set(error, MN_BAD_INPUT, "a surface is written as .vtp, .ply or .obj, not as '%.200s'", path);
}

// --- particles

mn_Result mn_world_write_particles(const mn_World* world, mn_FluidId fluid, const char* path, mn_Error* error)
{
    Frame frame = {0};
    if (fluid == 0)
        return error_set(error, MN_BAD_INPUT, "there is no fluid 0");
    mn_ParticleFormat format = MN_PARTICLES_VTP;
    while (format <= MN_PARTICLES_BGEO && !ends_with(path, frame_extension(format)))
        format++;
    if (format > MN_PARTICLES_BGEO)
        return error_set(error, MN_BAD_INPUT, "particles are written as .vtp, .ply, .vtk, .csv or .bgeo, not as '%.200s'", path);
    mn_Result result = gather(world, fluid, &frame, error);
    if (result == MN_OK)
        result = frame_write(path, format, &frame, error);
    frame_free(&frame);
    return result;
}

// --- run folders

struct mn_Run {
    RunWriter writer;
    double started; // [s] of the clock, so that seconds of computing go on from those of the checkpoint
};

static mn_Run* opened(mn_Run* run, mn_Result result)
{
    if (result == MN_OK) {
        run->started = clock_seconds() - run->writer.progress.seconds;
        return run;
    }
    if (run)
        run_writer_close(&run->writer, NULL);
    free(run);
    return NULL;
}

mn_Run* mn_run_create(const char* folder, const mn_Scene* scene, const mn_World* world, bool replace, mn_Error* error)
{
    mn_Run* run = calloc(1, sizeof *run);
    mn_Result result = run ? run_writer_create(&run->writer, folder, scene, world, replace, error)
                           : error_set(error, MN_OUT_OF_MEMORY, "no memory for a run");
    return opened(run, result);
}

mn_Run* mn_run_resume(const char* folder, const mn_Scene* scene, mn_World* world, mn_Error* error)
{
    mn_Run* run = calloc(1, sizeof *run);
    mn_Result result = run ? run_writer_resume(&run->writer, folder, scene, world, error)
                           : error_set(error, MN_OUT_OF_MEMORY, "no memory for a run");
    return opened(run, result);
}

int64_t mn_run_last_frame(const mn_Run* run)
{
    return run->writer.progress.frame;
}

mn_Result mn_run_frame(mn_Run* run, const mn_World* world, mn_Error* error)
{
    return run_writer_frame(&run->writer, world, clock_seconds() - run->started, error);
}

mn_Result mn_run_checkpoint(mn_Run* run, const mn_World* world, mn_Error* error)
{
    return run_writer_checkpoint(&run->writer, world, clock_seconds() - run->started, error);
}

mn_Result mn_run_close(mn_Run* run, mn_Error* error)
{
    mn_Result result = run ? run_writer_close(&run->writer, error) : MN_OK;
    free(run);
    return result;
}
