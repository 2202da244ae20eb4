// SPDX-License-Identifier: MIT
// The scene then names the frame's files (fluids.particles): the new run's scene.json says everything.
#include "run_from.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "io/file.h"
#include "io/frame_gather.h"
#include "io/run_folder.h"
#include "io/run_names.h"
#include "io/run_writer.h"
#include <limits.h>
#include <meniscus/world.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LAST_FRAME = -1, CHECKPOINT = -2 };

static RunStart start; // a world's reader of files has no other way to know of it

static mn_Result no_memory(mn_Error* error)
{
    return error_set(error, MN_OUT_OF_MEMORY, "no memory");
}

// "RUN@12" or "RUN@checkpoint" to folder and frame.
static mn_Result split(const char* from, char folder[PATH_SIZE], int* frame, mn_Error* error)
{
    const char* at = strrchr(from, '@');
    char* end = NULL;
    *frame = LAST_FRAME;
    if (at && !strcmp(at + 1, "checkpoint")) {
        *frame = CHECKPOINT;
    } else if (at) {
        long number = strtol(at + 1, &end, 10);
        if (end == at + 1 || *end || number < 0 || number > INT_MAX)
            return error_set(error, MN_BAD_INPUT, "--from %.200s: expected RUN, RUN@FRAME as in splash@25, or RUN@checkpoint",
                             from);
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
    if (frame == LAST_FRAME)
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

// `file` is taken over.
static mn_Result take_file(mn_FluidDef* fluid, char* file, mn_Error* error)
{
    forget_sources(fluid);
    fluid->particles = calloc(1, sizeof *fluid->particles);
    if (!fluid->particles) {
        free(file);
        return no_memory(error);
    }
    *fluid->particles = mn_default_fill();
    fluid->particles->file = file;
    fluid->particle_count = 1;
    return MN_OK;
}

// Number of the fluid or solid of that name in the run; `count` if there is none.
static size_t fluid_of_name(const mn_Scene* run, const char* name)
{
    size_t k = 0;
    while (k < run->fluid_count && strcmp(run->fluids[k].name, name))
        k++;
    return k;
}

static size_t solid_of_name(const mn_Scene* run, const char* name)
{
    size_t k = 0;
    while (k < run->solid_count && strcmp(run->solids[k].name, name))
        k++;
    return k;
}

// --- bodies

// Places and velocities of a run's solids; velocities are those of the origins, as bodies.csv and views have them.
typedef struct Bodies {
    const mn_Pose* pose;
    const mn_Vec3 (*velocity)[2]; // [m/s], [1/s]
    const mn_Vec3* centre;        // [m] of mass, in the solid's frame
} Bodies;

// A scene gives bodies the velocity of their centre of mass.
static size_t take_solids(mn_Scene* scene, const mn_Scene* run, const Bodies* b)
{
    size_t taken = 0;
    for (size_t s = 0; s < scene->solid_count; s++) {
        mn_SolidDef* solid = &scene->solids[s];
        size_t k = solid_of_name(run, solid->name);
        if (k == run->solid_count || solid->type != MN_SOLID_RIGID || run->solids[k].type == MN_SOLID_ELASTIC)
            continue;
        solid->pose = b->pose[k];
        solid->angular_velocity = b->velocity[k][1];
        Vec3d arm = quat_rotate(b->pose[k].rotation, b->centre[k]);
        solid->velocity = vec3d_add(b->velocity[k][0], vec3d_cross(b->velocity[k][1], arm));
        taken++;
    }
    return taken;
}

// The world of a scene, whose particles come from files as they are.
static mn_World* build_world(mn_Scene* scene, mn_Error* error)
{
    scene->world.read_particles = frame_read_particles;
    scene->world.threads = 1;
    return mn_scene_build(scene, error);
}

// Centres of mass of a run's solids, of a world without its fluids.
static mn_Result find_centres(const mn_Scene* run, mn_Vec3* centre, mn_Error* error)
{
    mn_Scene dry = *run;
    dry.fluid_count = dry.event_count = dry.probe_count = dry.drain_count = 0;
    mn_World* world = build_world(&dry, error);
    if (!world)
        return error ? error->result : MN_BAD_INPUT;
    for (size_t k = 0; k < run->solid_count; k++)
        centre[k] = mn_world_solid(world, (mn_SolidId)(k + 1)).centre;
    mn_world_destroy(world);
    return MN_OK;
}

static bool turns(const mn_Vec3 (*velocity)[2], size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (vec3d_length(velocity[k][1]) > 0)
            return true;
    return false;
}

// --- from a frame

static mn_Result take_frame_fluids(mn_Scene* scene, const RunFolder* run, int frame, size_t* taken, mn_Error* error)
{
    RunNames names;
    char frames[PATH_SIZE], path[PATH_SIZE];
    mn_Result result = path_join(frames, run->path, RUN_FRAMES, error);
    if (result == MN_OK)
        result = run_names_make(&names, run->scene, error);
    if (result != MN_OK)
        return result;
    for (size_t f = 0; f < scene->fluid_count && result == MN_OK; f++) {
        size_t k = fluid_of_name(run->scene, scene->fluids[f].name);
        if (k == run->scene->fluid_count)
            continue;
        result = series_path(path, frames, names.fluid[k], frame, frame_extension(run->format), error);
        char* whole = result == MN_OK ? realpath(path, NULL) : NULL;
        if (result == MN_OK && !whole)
            result = error_set(error, MN_IO_FAILED, "--from: cannot read %.200s", path);
        if (result == MN_OK)
            result = take_file(&scene->fluids[f], whole, error);
        *taken += result == MN_OK;
    }
    run_names_free(&names);
    return result;
}

static mn_Result take_frame_solids(mn_Scene* scene, const RunFolder* run, size_t index, size_t* taken, mn_Error* error)
{
    size_t count = run->scene->solid_count;
    if (!run->solid_pose || !count)
        return MN_OK;
    mn_Vec3* centre = calloc(count, sizeof *centre);
    if (!centre)
        return no_memory(error);
    Bodies bodies = {&run->solid_pose[index * count], (const mn_Vec3(*)[2]) & run->solid_velocity[index * count], centre};
    mn_Result result = turns(bodies.velocity, count) ? find_centres(run->scene, centre, error) : MN_OK;
    if (result == MN_OK)
        *taken = take_solids(scene, run->scene, &bodies);
    free(centre);
    return result;
}

static mn_Result take_frame(mn_Scene* scene, const RunFolder* run, int frame, RunFrom* job, size_t* fluids, mn_Error* error)
{
    size_t index = 0, solids = 0;
    mn_Result result = find_frame(run, frame, &index, error);
    if (result == MN_OK)
        result = take_frame_fluids(scene, run, run->frame_number[index], fluids, error);
    if (result == MN_OK)
        result = take_frame_solids(scene, run, index, &solids, error);
    if (result == MN_OK)
        snprintf(job->said, sizeof job->said, "from frame %d of %.200s, t = %.6g s: %zu fluids, %zu rigid bodies",
                 run->frame_number[index], run->path, run->frame_time[index], *fluids, solids);
    return result;
}

// --- from a checkpoint

// OUT/start_NAME.vtp as an absolute path; the folder need not exist.
static char* start_path(const char* out, const char* series)
{
    char here[PATH_MAX] = "", path[PATH_MAX + 2 * PATH_SIZE];
    if (out[0] != '/' && !getcwd(here, sizeof here))
        return NULL;
    snprintf(path, sizeof path, "%s%s%s/%s%s.vtp", here, out[0] == '/' ? "" : "/", out, RUN_START, series);
    return strdup(path);
}

static mn_Result keep_fluid(const mn_World* world, const mn_Scene* run, size_t k, const char* path, mn_Error* error)
{
    Frame* frame = &start.frame[start.count];
    mn_ParticleView particles = mn_world_particles(world);
    start.path[start.count] = strdup(path);
    if (!start.path[start.count])
        return no_memory(error);
    start.count++;
    return frame_gather(&particles, (uint8_t)k, run->fluids[k].density, 0, frame, error);
}

static mn_Result take_world_fluids(mn_Scene* scene, const mn_Scene* run, const mn_World* world, const char* out, size_t* taken,
                                   mn_Error* error)
{
    RunNames names;
    start.frame = calloc(scene->fluid_count + 1, sizeof *start.frame);
    start.path = calloc(scene->fluid_count + 1, sizeof *start.path);
    mn_Result result = start.frame && start.path ? run_names_make(&names, scene, error) : no_memory(error);
    if (result != MN_OK)
        return result;
    for (size_t f = 0; f < scene->fluid_count && result == MN_OK; f++) {
        size_t k = fluid_of_name(run, scene->fluids[f].name);
        if (k == run->fluid_count)
            continue;
        char* path = start_path(out, names.fluid[f]);
        result = path ? keep_fluid(world, run, k, path, error) : no_memory(error);
        if (result == MN_OK)
            result = take_file(&scene->fluids[f], path, error);
        else
            free(path);
        *taken += result == MN_OK;
    }
    run_names_free(&names);
    return result;
}

static mn_Result take_world_solids(mn_Scene* scene, const mn_Scene* run, const mn_World* world, size_t* taken, mn_Error* error)
{
    size_t count = run->solid_count;
    mn_Pose* pose = calloc(count + 1, sizeof *pose);
    mn_Vec3(*velocity)[2] = calloc(count + 1, sizeof *velocity);
    mn_Vec3* centre = calloc(count + 1, sizeof *centre);
    mn_Result result = pose && velocity && centre ? MN_OK : no_memory(error);
    for (size_t k = 0; k < count && result == MN_OK; k++) {
        mn_SolidView solid = mn_world_solid(world, (mn_SolidId)(k + 1));
        pose[k] = solid.pose;
        velocity[k][0] = solid.velocity;
        velocity[k][1] = solid.angular_velocity;
        centre[k] = solid.centre;
    }
    if (result == MN_OK)
        *taken = take_solids(scene, run, &(Bodies){pose, (const mn_Vec3(*)[2])velocity, centre});
    free(pose);
    free(velocity);
    free(centre);
    return result;
}

static mn_Result take_checkpoint(mn_Scene* scene, const RunFolder* run, RunFrom* job, size_t* fluids, mn_Error* error)
{
    char path[PATH_SIZE];
    size_t solids = 0;
    mn_Result result = path_join(path, run->path, RUN_CHECKPOINT, error);
    if (result == MN_OK && access(path, R_OK))
        return error_set(error, MN_BAD_INPUT, "--from: %.200s has no %s", run->path, RUN_CHECKPOINT);
    mn_World* world = result == MN_OK ? build_world(run->scene, error) : NULL;
    if (!world)
        return error && error->result != MN_OK ? error->result : MN_BAD_INPUT;
    result = run_checkpoint_load(path, run->scene, world, error);
    if (result == MN_OK)
        result = take_world_fluids(scene, run->scene, world, job->out, fluids, error);
    if (result == MN_OK)
        result = take_world_solids(scene, run->scene, world, &solids, error);
    if (result == MN_OK)
        snprintf(job->said, sizeof job->said, "from the checkpoint of %.200s, t = %.6g s: %zu fluids, %zu rigid bodies", run->path,
                 mn_world_time(world), *fluids, solids);
    mn_world_destroy(world);
    return result;
}

mn_Result run_from_read(const char* path, size_t* count, float** position, float** velocity, mn_Error* error)
{
    size_t k = 0;
    while (k < start.count && strcmp(start.path[k], path))
        k++;
    if (k == start.count)
        return frame_read_particles(path, count, position, velocity, error);
    const Frame* frame = &start.frame[k];
    size_t bytes = (frame->count + 1) * 3 * sizeof(float);
    *count = frame->count;
    *position = malloc(bytes);
    *velocity = malloc(bytes);
    if (!*position || !*velocity) {
        free(*position);
        free(*velocity);
        return no_memory(error);
    }
    memcpy(*position, frame->position, bytes - 3 * sizeof(float));
    memcpy(*velocity, frame->velocity, bytes - 3 * sizeof(float));
    return MN_OK;
}

mn_Result run_from_write(mn_Error* error)
{
    mn_Result result = MN_OK;
    for (size_t k = 0; k < start.count && result == MN_OK; k++)
        result = frame_write(start.path[k], MN_PARTICLES_VTP, &start.frame[k], error);
    return result;
}

void run_from_free(void)
{
    for (size_t k = 0; k < start.count; k++) {
        frame_free(&start.frame[k]);
        free(start.path[k]);
    }
    free(start.frame);
    free(start.path);
    start = (RunStart){0};
}

mn_Result run_from_apply(mn_Scene* scene, RunFrom* job, mn_Error* error)
{
    char folder[PATH_SIZE];
    int frame;
    RunFolder run;
    mn_Result result = split(job->from, folder, &frame, error);
    if (result == MN_OK)
        result = run_folder_open(&run, folder, error);
    if (result != MN_OK)
        return result;
    size_t fluids = 0;
    result = frame == CHECKPOINT ? take_checkpoint(scene, &run, job, &fluids, error)
                                 : take_frame(scene, &run, frame, job, &fluids, error);
    if (result == MN_OK && fluids == 0)
        result = error_set(error, MN_BAD_INPUT, "--from: no fluid of the scene has the name of one of %s", folder);
    run_folder_close(&run);
    return result;
}
