// SPDX-License-Identifier: MIT
// The scene then names the frame's files (fluids.particles): the new run's scene.json says everything.
#include "run_from.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/run_folder.h"
#include "io/run_names.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mn_Result no_memory(mn_Error* error)
{
    return error_set(error, MN_OUT_OF_MEMORY, "no memory");
}

// "RUN@12" to folder and frame; INT_MIN: the last one.
static mn_Result split(const char* from, char folder[PATH_SIZE], int* frame, mn_Error* error)
{
    const char* at = strrchr(from, '@');
    char* end = NULL;
    *frame = INT_MIN;
    if (at) {
        long number = strtol(at + 1, &end, 10);
        if (end == at + 1 || *end || number < 0 || number > INT_MAX)
            return error_set(error, MN_BAD_INPUT, "--from %.200s: expected RUN or RUN@FRAME, as in splash@25", from);
        *frame = (int)number;
    }
    int length = snprintf(folder, PATH_SIZE, "%.*s", at ? (int)(at - from) : (int)strlen(from), from);
    return length < PATH_SIZE ? MN_OK : error_set(error, MN_BAD_INPUT, "--from %.60s...: the path is too long", from);
}

static mn_Result find_frame(const RunFolder* run, int frame, size_t* index, mn_Error* error)
{
    if (run->frame_count == 0 || run->format == MN_PARTICLES_NONE)
        return error_set(error, MN_BAD_INPUT, "--from: %s has no frames of particles", run->path);
    *index = run->frame_count - 1;
    if (frame == INT_MIN)
        return MN_OK;
    for (*index = 0; *index < run->frame_count; (*index)++)
        if (run->frame_number[*index] == frame)
            return MN_OK;
    return error_set(error, MN_BAD_INPUT, "--from: there is no frame %d in %s; it has frames %d to %d", frame, run->path,
                     run->frame_number[0], run->frame_number[run->frame_count - 1]);
}

// What a fluid started with is gone.
static void forget_sources(mn_FluidDef* fluid)
{
    for (size_t k = 0; k < fluid->fill_count; k++)
        memory_free_string(fluid->fills[k].file);
    for (size_t k = 0; k < fluid->shape_count; k++)
        memory_free_string(fluid->shapes[k].shape.file);
    for (size_t k = 0; k < fluid->particle_count; k++)
        memory_free_string(fluid->particles[k].file);
    memory_free_string(fluid->fill.solid);
    void* arrays[] = {fluid->blocks, fluid->balls, fluid->fills, fluid->shapes, fluid->particles};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k]);
    fluid->blocks = NULL;
    fluid->balls = NULL;
    fluid->fills = NULL;
    fluid->shapes = NULL;
    fluid->particles = NULL;
    fluid->fill.solid = NULL;
    fluid->block_count = fluid->ball_count = fluid->fill_count = fluid->shape_count = fluid->particle_count = 0;
}

static mn_Result take_file(mn_FluidDef* fluid, const char* path, mn_Error* error)
{
    char* whole = realpath(path, NULL);
    if (!whole)
        return error_set(error, MN_IO_FAILED, "--from: cannot read %.200s", path);
    forget_sources(fluid);
    fluid->particles = calloc(1, sizeof *fluid->particles);
    if (!fluid->particles) {
        free(whole);
        return no_memory(error);
    }
    *fluid->particles = mn_default_fill();
    fluid->particles->file = whole;
    fluid->particle_count = 1;
    return MN_OK;
}

static mn_Result take_fluids(mn_Scene* scene, const RunFolder* run, int frame, size_t* taken, mn_Error* error)
{
    RunNames names;
    char frames[PATH_SIZE], path[PATH_SIZE];
    mn_Result result = path_join(frames, run->path, RUN_FRAMES, error);
    if (result == MN_OK)
        result = run_names_make(&names, run->scene, error);
    if (result != MN_OK)
        return result;
    for (size_t f = 0; f < scene->fluid_count && result == MN_OK; f++)
        for (size_t k = 0; k < run->scene->fluid_count && result == MN_OK; k++) {
            if (strcmp(scene->fluids[f].name, run->scene->fluids[k].name))
                continue;
            result = series_path(path, frames, names.fluid[k], frame, frame_extension(run->format), error);
            if (result == MN_OK)
                result = take_file(&scene->fluids[f], path, error);
            *taken += result == MN_OK;
        }
    run_names_free(&names);
    return result;
}

static size_t take_solids(mn_Scene* scene, const RunFolder* run, size_t index)
{
    size_t count = run->scene->solid_count, taken = 0;
    for (size_t s = 0; s < scene->solid_count && run->solid_pose; s++)
        for (size_t k = 0; k < count; k++) {
            mn_SolidDef* solid = &scene->solids[s];
            if (strcmp(solid->name, run->scene->solids[k].name) || solid->type != MN_SOLID_RIGID ||
                run->scene->solids[k].type == MN_SOLID_ELASTIC)
                continue;
            solid->pose = run->solid_pose[index * count + k];
            solid->velocity = run->solid_velocity[index * count + k][0];
            solid->angular_velocity = run->solid_velocity[index * count + k][1];
            taken++;
        }
    return taken;
}

mn_Result run_from_apply(mn_Scene* scene, const char* from, char* said, size_t said_size, mn_Error* error)
{
    char folder[PATH_SIZE];
    int frame;
    RunFolder run;
    mn_Result result = split(from, folder, &frame, error);
    if (result == MN_OK)
        result = run_folder_open(&run, folder, error);
    if (result != MN_OK)
        return result;
    size_t index = 0, fluids = 0;
    result = find_frame(&run, frame, &index, error);
    if (result == MN_OK)
        result = take_fluids(scene, &run, run.frame_number[index], &fluids, error);
    if (result == MN_OK && fluids == 0)
        result = error_set(error, MN_BAD_INPUT, "--from: no fluid of the scene has the name of one of %s", folder);
    if (result == MN_OK) {
        size_t solids = take_solids(scene, &run, index);
        snprintf(said, said_size,
                 "from frame %d of %.200s, t = %.6g s: particles of %zu fluids, places and velocities of %zu bodies",
                 run.frame_number[index], folder, run.frame_time[index], fluids, solids);
    }
    run_folder_close(&run);
    return result;
}
