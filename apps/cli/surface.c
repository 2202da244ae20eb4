// SPDX-License-Identifier: MIT
// meniscus surface: triangle meshes from the fluid particles of a run. Frames that are there already are not made again.
#include "base/clock.h"
#include "base/error.h"
#include "cli.h"
#include "io/run_names.h"
#include "io/run_place.h"
#include "io/surface_file.h"
#include "io/usd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct SurfaceJob {
    // options
    const char *out, *format, *blobs, *frames;
    double spacing, blob_size;
    int smoothing, threads;
    bool anisotropic, force, quiet, no_particles;

    RunFolder run;
    RunNames names;
    SurfaceDef def;
    mn_SurfaceFormat file_format;
    const UsdFormat* usd; // NULL: a file per frame only
    char folder[PATH_SIZE];
    size_t first, last, step;
    Pool* pool;
    Memory memory; // kept from frame to frame
    double started;
    size_t made; // surfaces
    uint64_t particles, triangles;
} SurfaceJob;

// --- options

static int word_of(const char* what, const char* value, const char* const* words, int count, int* out)
{
    for (int k = 0; k < count; k++)
        if (!strcmp(value, words[k])) {
            *out = k;
            return -1;
        }
    char all[128] = "";
    for (int k = 0; k < count; k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k == 0 ? "" : k == count - 1 ? " or " : ", ", words[k]);
    return complain(STATUS_USAGE, "surface: --%s %s: expected %s", what, value, all);
}

static int read_options(SurfaceJob* job)
{
    static const char* const formats[] = {"vtp", "ply", "obj", "usda", "usdc"};
    static const char* const blobs[] = {"mesh", "spheres", "drop"};
    int format = 0, blob = 0, status;
    if ((status = word_of("format", job->format, formats, 5, &format)) >= 0 ||
        (status = word_of("blobs", job->blobs, blobs, 3, &blob)) >= 0)
        return status;
    job->usd = usd_format(job->format);
    job->file_format = job->usd ? MN_SURFACE_PLY : (mn_SurfaceFormat)(format + 1);
    if (!(job->spacing >= 0.25 && job->spacing <= 2))
        return complain(STATUS_USAGE, "surface: --spacing %g: expected 0.25 to 2 particle radii", job->spacing);
    if (job->smoothing < 0 || job->smoothing > 1000)
        return complain(STATUS_USAGE, "surface: --smoothing %d: expected 0 to 1000", job->smoothing);
    if (job->blob_size < 0)
        return complain(STATUS_USAGE, "surface: --blob-size %g: expected 0 or more", job->blob_size);
    if (job->threads < 0 || job->threads > 1024)
        return complain(STATUS_USAGE, "surface: --threads %d: expected 0 (all cores) to 1024", job->threads);
    job->def.spacing = job->spacing;
    job->def.smoothing = job->smoothing;
    job->def.anisotropic = job->anisotropic;
    job->def.blobs = (SurfaceBlobs)blob;
    job->def.blob_particles = job->blob_size;
    return -1;
}

static bool index_of(const SurfaceJob* job, int number, size_t* index)
{
    for (size_t k = 0; k < job->run.frame_count; k++)
        if (job->run.frame_number[k] == number) {
            *index = k;
            return true;
        }
    return false;
}

static int read_frames(SurfaceJob* job)
{
    int from, to, step = 1;
    char rest;
    job->first = 0;
    job->last = job->run.frame_count - 1;
    job->step = 1;
    if (!job->frames)
        return -1;
    int fields = sscanf(job->frames, "%d:%d:%d%c", &from, &to, &step, &rest);
    if (fields == 1 && sscanf(job->frames, "%d%c", &from, &rest) == 1)
        to = from;
    else if (step < 1 || !(fields == 3 || (fields == 2 && sscanf(job->frames, "%d:%d%c", &from, &to, &rest) == 2)))
        return complain(STATUS_USAGE, "surface: --frames %s: expected N, FIRST:LAST or FIRST:LAST:STEP", job->frames);
    if (!index_of(job, from, &job->first) || !index_of(job, to, &job->last) || from > to)
        return complain(STATUS_USAGE, "surface: --frames %s: the run has frames %d to %d", job->frames, job->run.frame_number[0],
                        job->run.frame_number[job->run.frame_count - 1]);
    job->step = (size_t)step;
    return -1;
}

// --- the folder

// How its meshes were made; a folder must not mix two ways.
static void describe(const SurfaceJob* job, char* text, size_t size)
{
    snprintf(text, size, "%s, spacing %g, smoothing %d, blobs %s below %g particles\n",
             job->def.anisotropic ? "anisotropic kernels" : "distance field", job->def.spacing, job->def.smoothing, job->blobs,
             job->def.blob_particles);
}

static mn_Result open_folder(SurfaceJob* job, mn_Error* error)
{
    char path[PATH_SIZE], is[256];
    describe(job, is, sizeof is);
    mn_Result result = run_place_make(job->folder, error);
    if (result == MN_OK)
        result = path_join(path, job->folder, "settings.txt", error);
    if (result != MN_OK)
        return result;
    FileBytes was;
    if (!job->force && !access(path, F_OK)) {
        result = file_read(path, &was, error);
        bool same = result == MN_OK && !strcmp(was.data, is);
        if (result == MN_OK)
            file_bytes_free(&was);
        if (result != MN_OK || same)
            return result;
        return error_set(error, MN_BAD_INPUT,
                         "%s holds surfaces that were made with other settings; --force makes all of them again", job->folder);
    }
    FileOut file;
    result = file_out_open(&file, path, error);
    if (result != MN_OK)
        return result;
    file_out_write(&file, is, strlen(is));
    return file_out_commit(&file, false, error);
}

// --- frames

static mn_Result make_surface(SurfaceJob* job, size_t index, size_t fluid, mn_Error* error)
{
    char frames[PATH_SIZE], from[PATH_SIZE], to[PATH_SIZE];
    const char* name = job->names.fluid[fluid];
    int number = job->run.frame_number[index];
    mn_Result result = path_join(frames, job->run.path, RUN_FRAMES, error);
    if (result == MN_OK)
        result = series_path(from, frames, name, number, frame_extension(job->run.format), error);
    if (result == MN_OK)
        result = series_path(to, job->folder, name, number, surface_extension(job->file_format), error);
    if (result != MN_OK || (!job->force && !access(to, F_OK)))
        return result;
    Frame frame;
    SurfaceMesh mesh;
    result = frame_read(from, &frame, error);
    if (result != MN_OK)
        return result;
    result = surface_of_frame(&job->def, &frame, job->pool, &job->memory, &mesh, error);
    if (result == MN_OK) {
        job->made++;
        job->particles += frame.count;
        job->triangles += mesh.triangle_count;
        result = surface_write(to, job->file_format, &mesh, job->run.frame_time[index], error);
        surface_free(&mesh);
    }
    frame_free(&frame);
    return result;
}

static void show_progress(const SurfaceJob* job, const char* what, size_t done, size_t count)
{
    char left[32];
    double passed = clock_seconds() - job->started;
    if (job->quiet || count < 2)
        return;
    text_seconds(passed / (double)done * (double)(count - done), left);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rsurface: %s %zu of %zu, %s left    %s", what, done, count, left, done == count ? "\n" : "");
    else if (done == count || done * 10 / count != (done - 1) * 10 / count)
        fprintf(stderr, "surface: %s %zu of %zu\n", what, done, count);
}

static void usd_progress(void* user, size_t done, size_t count)
{
    show_progress(user, "usd frame", done, count);
}

static mn_Result write_usd(SurfaceJob* job, mn_Error* error)
{
    char path[PATH_SIZE];
    mn_Result result = path_join(path, job->folder, job->usd == &usd_crate ? "run.usdc" : "run.usda", error);
    if (result != MN_OK)
        return result;
    UsdJob usd = {.run = &job->run,
                  .format = job->usd,
                  .surface_folder = job->folder,
                  .first = job->first,
                  .last = job->last,
                  .step = job->step,
                  .particles = !job->no_particles,
                  .progress = usd_progress,
                  .user = job};
    job->started = clock_seconds();
    return usd_write(path, &usd, error);
}

static mn_Result make_all(SurfaceJob* job, mn_Error* error)
{
    size_t count = (job->last - job->first) / job->step + 1;
    mn_Result result = open_folder(job, error);
    job->started = clock_seconds();
    for (size_t k = 0; k < count && result == MN_OK; k++) {
        for (size_t f = 0; f < job->names.fluid_count && result == MN_OK; f++)
            result = make_surface(job, job->first + k * job->step, f, error);
        if (result == MN_OK)
            show_progress(job, "frame", k + 1, count);
    }
    bool whole = job->first == 0 && job->step == 1 && job->run.frame_number[job->last] == (int)job->last;
    for (size_t f = 0; f < job->names.fluid_count && result == MN_OK && whole; f++)
        result = surface_write_list(job->folder, job->names.fluid[f], job->file_format, (int64_t)job->last,
                                    job->run.scene->frame_rate, error);
    double passed = clock_seconds() - job->started;
    char triangles[32];
    if (result == MN_OK && !job->quiet)
        printf("%s: %zu surfaces, %s triangles, %.2f million particles per second\n", job->folder, job->made,
               text_count(job->triangles, triangles), passed > 0 ? 1e-6 * (double)job->particles / passed : 0);
    return result == MN_OK && job->usd ? write_usd(job, error) : result;
}

// --- the command

static int run_job(SurfaceJob* job, const char* path)
{
    mn_Error error = {0};
    job->def = surface_default_def(1);
    int status = read_options(job);
    if (status >= 0)
        return status;
    if (run_folder_open(&job->run, path, &error) != MN_OK || run_names_make(&job->names, job->run.scene, &error) != MN_OK)
        return complain_error(&error);
    if (job->run.scene->world.dimension == 2)
        return complain(STATUS_USAGE, "surface: %s is a run in two dimensions and has no surface", path);
    if (!job->run.frame_count)
        return complain(STATUS_USAGE, "surface: %s has no particle frames; output.particles of the scene says which to write",
                        path);
    status = read_frames(job);
    if (status >= 0)
        return status;
    job->def.particle_radius = job->run.scene->world.particle_radius;
    mn_Result result = MN_OK;
    if (!job->out)
        result = path_join(job->folder, job->run.path, RUN_SURFACE, &error);
    else if (snprintf(job->folder, sizeof job->folder, "%s", job->out) >= (int)sizeof job->folder)
        return complain(STATUS_USAGE, "surface: -o: the name is too long");
    job->pool = pool_create(job->threads);
    memory_keep(&job->memory);
    if (result == MN_OK)
        result = make_all(job, &error);
    return result == MN_OK ? STATUS_DONE : complain_error(&error);
}

int command_surface(int argc, char** argv)
{
    SurfaceDef def = surface_default_def(1);
    SurfaceJob job = {
        .format = "ply", .blobs = "spheres", .spacing = def.spacing, .smoothing = def.smoothing, .blob_size = def.blob_particles};
    const Option options[] = {
        {"out", 'o', OPTION_TEXT, &job.out, "DIR", "where the meshes go (RUN/surface)"},
        {"format", 'f', OPTION_TEXT, &job.format, "F",
         "ply, vtp, obj, or usda, usdc: ply and one file run.usda, run.usdc of the whole run (ply)"},
        {"spacing", 0, OPTION_NUMBER, &job.spacing, "S", "of the grid, in particle radii, 0.25 to 2 (1)"},
        {"smoothing", 0, OPTION_INTEGER, &job.smoothing, "N", "rounds of smoothing, which keeps volumes; 0 = none (10)"},
        {"anisotropic", 0, OPTION_FLAG, &job.anisotropic, NULL, "kernels after Yu and Turk instead of the distance field"},
        {"blobs", 0, OPTION_TEXT, &job.blobs, "HOW", "small pieces: spheres, drop, or mesh as all others (spheres)"},
        {"blob-size", 0, OPTION_NUMBER, &job.blob_size, "N", "pieces of less than N particles' volume are small (1)"},
        {"frames", 0, OPTION_TEXT, &job.frames, "A:B[:STEP]", "only these frames"},
        {"no-particles", 0, OPTION_FLAG, &job.no_particles, NULL, "leave the particles out of run.usda, run.usdc"},
        {"force", 0, OPTION_FLAG, &job.force, NULL, "make surfaces again that are there already"},
        {"threads", 0, OPTION_INTEGER, &job.threads, "N", "0 = all cores; the meshes are the same"},
        {"quiet", 'q', OPTION_FLAG, &job.quiet, NULL, "say nothing"},
    };
    const Syntax syntax = {"surface",
                           "RUN",
                           "Makes closed triangle meshes of the fluids of a run, a file per fluid and frame.\n"
                           "Frames that are there already are skipped, so an interrupted job can be started again.",
                           options,
                           sizeof options / sizeof *options,
                           1,
                           1};
    const char* path;
    size_t count;
    int status = options_parse(&syntax, argc, argv, &path, &count);
    if (status < 0)
        status = run_job(&job, path);
    pool_destroy(job.pool);
    memory_clear(&job.memory);
    run_names_free(&job.names);
    run_folder_close(&job.run);
    return status;
}
