// SPDX-License-Identifier: MIT
// meniscus info: what is in a file, found out from its content.
#include "cli.h"
#include "info_mesh.h"
#include "io/checkpoint.h"
#include "io/points.h"
#include "io/run_folder.h"
#include "io/run_writer.h"
#include "io/vtp.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// --- frames

typedef struct Range {
    double low, high;
} Range;

static void widen(Range* range, double value)
{
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

static void print_frame(const Frame* frame)
{
    Range axis[3], speed = {HUGE_VAL, -HUGE_VAL}, density = speed, pressure = speed;
    size_t odd = 0;
    for (int c = 0; c < 3; c++)
        axis[c] = speed;
    for (size_t k = 0; k < frame->count; k++) {
        const float *x = &frame->position[3 * k], *v = &frame->velocity[3 * k];
        double fast = sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2]);
        odd += !isfinite((double)x[0] + (double)x[1] + (double)x[2] + fast);
        for (size_t c = 0; c < 3; c++)
            widen(&axis[c], (double)x[c]);
        widen(&speed, fast);
        widen(&density, (double)frame->density[k]);
        widen(&pressure, (double)frame->pressure[k]);
    }
    char count[32];
    printf("  time       %.9g s\n  particles  %s\n", frame->time, text_count(frame->count, count));
    if (!frame->count)
        return;
    printf("  bounds     %.6g %.6g %.6g .. %.6g %.6g %.6g m\n", axis[0].low, axis[1].low, axis[2].low, axis[0].high, axis[1].high,
           axis[2].high);
    printf("  speed      %.6g .. %.6g m/s\n", speed.low, speed.high);
    printf("  density    %.6g .. %.6g kg/m3\n", density.low, density.high);
    printf("  pressure   %.6g .. %.6g Pa\n", pressure.low, pressure.high);
    if (odd)
        printf("  %zu particles are not finite\n", odd);
}

static int info_frame(const char* path)
{
    Frame frame;
    mn_Error error = {0};
    if (frame_read(path, &frame, &error) != MN_OK)
        return complain_error(&error);
    printf("%s: particle frame\n", path);
    print_frame(&frame);
    frame_free(&frame);
    return STATUS_DONE;
}

// --- scenes

static void print_scene(const mn_Scene* scene)
{
    static const char* const methods[] = {"sesph", "pcisph", "iisph", "dfsph"};
    printf("  name             %s\n", scene->name ? scene->name : "");
    printf("  dimension        %d\n", scene->world.dimension);
    printf("  particle radius  %g m\n", scene->world.particle_radius);
    printf("  pressure         %s\n", methods[scene->world.solver.method]);
    printf("  duration         %g s, %g frames per second\n", scene->duration, scene->frame_rate);
    for (size_t k = 0; k < scene->fluid_count; k++)
        printf("  fluid            %s, %g kg/m3\n", scene->fluids[k].name ? scene->fluids[k].name : "", scene->fluids[k].density);
    for (size_t k = 0; k < scene->solid_count; k++)
        printf("  solid            %s%s\n", scene->solids[k].name ? scene->solids[k].name : "",
               scene->solids[k].inside ? " (container)" : "");
    for (size_t k = 0; k < scene->probe_count; k++)
        printf("  probe            %s\n", scene->probes[k].name ? scene->probes[k].name : "");
}

static int info_scene(const char* path)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_load(path, NULL, 0, &error);
    if (!scene)
        return complain_error(&error);
    printf("%s: scene\n", path);
    print_scene(scene);
    printf("  `meniscus check` says what it would simulate\n");
    mn_scene_free(scene);
    return STATUS_DONE;
}

// --- checkpoints and runs

static void print_progress(const RunProgress* progress)
{
    char seconds[32];
    printf("  at               t = %.9g s, step %llu, last frame %lld, after %s\n", progress->time,
           (unsigned long long)progress->steps, (long long)progress->frame, text_seconds(progress->seconds, seconds));
}

static int info_checkpoint(const char* path)
{
    Checkpoint checkpoint;
    RunProgress progress;
    mn_Error error = {0};
    char bytes[32];
    if (checkpoint_open(&checkpoint, path, &error) != MN_OK)
        return complain_error(&error);
    printf("%s: checkpoint, version %d, intact, %s\n", path, CHECKPOINT_VERSION, text_bytes((double)checkpoint.map_bytes, bytes));
    if (run_progress_read(&checkpoint, path, &progress, &error) == MN_OK)
        print_progress(&progress);
    for (size_t k = 0; k < checkpoint.section_count; k++)
        printf("  %-32s %12zu bytes\n", checkpoint.section[k].name, checkpoint.section[k].bytes);
    checkpoint_close(&checkpoint);
    return STATUS_DONE;
}

static void print_run_state(const RunFolder* run)
{
    char path[PATH_SIZE];
    Checkpoint checkpoint;
    RunProgress progress;
    mn_Error error = {0};
    if (path_join(path, run->path, RUN_CHECKPOINT, &error) != MN_OK || checkpoint_open(&checkpoint, path, &error) != MN_OK) {
        printf("  checkpoint       none that can be used: %s\n", error.message);
        return;
    }
    if (run_progress_read(&checkpoint, path, &progress, &error) == MN_OK) {
        bool complete = progress.time >= run->scene->duration;
        printf("  state            %s\n", complete ? "complete" : "not complete; `meniscus run FOLDER --resume` goes on");
        print_progress(&progress);
    }
    checkpoint_close(&checkpoint);
}

static int info_run(const char* path)
{
    RunFolder run;
    mn_Error error = {0};
    if (run_folder_open(&run, path, &error) != MN_OK)
        return complain_error(&error);
    printf("%s: run folder\n", path);
    print_scene(run.scene);
    if (run.frame_count)
        printf("  frames           %zu (%s), t = %g .. %g s\n", run.frame_count, frame_extension(run.format), run.frame_time[0],
               run.frame_time[run.frame_count - 1]);
    else
        printf("  frames           none\n");
    print_run_state(&run);
    int status = STATUS_DONE;
    Frame frame;
    if (run.frame_count) {
        if (run_folder_read_frame(&run, run.frame_count - 1, &frame, &error) == MN_OK) {
            printf("last frame:\n");
            print_frame(&frame);
            frame_free(&frame);
        } else {
            status = complain_error(&error);
        }
    }
    run_folder_close(&run);
    return status;
}

// --- tables

static int info_table(const char* path)
{
    FileBytes bytes;
    mn_Error error = {0};
    if (file_read(path, &bytes, &error) != MN_OK)
        return complain_error(&error);
    size_t rows = 0;
    const char* last = bytes.data;
    for (const char* line = strchr(bytes.data, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        last = line + 1;
        rows++;
    }
    printf("%s: table of a run\n  columns    %.*s\n  rows       %zu\n", path, (int)strcspn(bytes.data, "\r\n"), bytes.data, rows);
    if (rows)
        printf("  last row   %.*s\n", (int)strcspn(last, "\r\n"), last);
    file_bytes_free(&bytes);
    return STATUS_DONE;
}

// --- lists of series

// .pvd and .series name their files in order, with a time each.
static int info_series(const char* path, const char* name_key, const char* time_key)
{
    FileBytes bytes;
    mn_Error error = {0};
    if (file_read(path, &bytes, &error) != MN_OK)
        return complain_error(&error);
    size_t files = 0;
    double first = 0, last = 0;
    for (const char* at = strstr(bytes.data, name_key); at; at = strstr(at + 1, name_key))
        files++;
    size_t times = 0;
    for (const char* at = strstr(bytes.data, time_key); at; at = strstr(at + 1, time_key)) {
        last = strtod(at + strlen(time_key), NULL);
        first = times++ ? first : last;
    }
    printf("%s: list of a series, for ParaView\n  files      %zu\n", path, files);
    if (times)
        printf("  time       %.9g .. %.9g s\n", first, last);
    file_bytes_free(&bytes);
    return STATUS_DONE;
}

// --- what is it?

static bool begins(const char* head, const char* text)
{
    return !strncmp(head, text, strlen(text));
}

// A .ply or .vtp may be either; faces make it a mesh.
static bool has_faces(const char* path)
{
    FileBytes bytes;
    if (file_read(path, &bytes, NULL) != MN_OK)
        return false;
    bool faces = false;
    if (begins(bytes.data, "ply")) {
        const char* element = memmem(bytes.data, bytes.size < 8192 ? bytes.size : 8192, "element face", 12);
        faces = element && strtoull(element + 12, NULL, 10) > 0;
    } else {
        VtpFile vtp;
        faces = vtp_parse(&bytes, path, &vtp, NULL) == MN_OK && (vtp.counts.polys || vtp.counts.lines);
    }
    file_bytes_free(&bytes);
    return faces;
}

static bool is_mesh_name(const char* path)
{
    const char* dot = strrchr(path, '.');
    return dot && (!strcasecmp(dot, ".obj") || !strcasecmp(dot, ".ply") || !strcasecmp(dot, ".stl"));
}

static int info_unknown(const char* path)
{
    return complain(
        STATUS_USAGE,
        "%s: not a file that meniscus knows; expected a mesh (obj, ply, stl, vtp), a particle frame (vtp, ply, vtk, csv), "
        "a scene, a table, list or checkpoint of a run, or a run folder",
        path);
}

static int info_file(const char* path, const char* head)
{
    if (!head[0] && !is_mesh_name(path)) {
        struct stat info;
        if (!stat(path, &info) && S_ISREG(info.st_mode) && info.st_size == 0)
            return complain(STATUS_USAGE, "%s: is empty, not a file that meniscus knows", path);
    }
    if (checkpoint_is_one(path))
        return info_checkpoint(path);
    const char* first = head + strspn(head, " \t\r\n");
    if (first[0] == '{')
        return strstr(head, "\"file-series-version\"") ? info_series(path, "\"name\":", "\"time\":") : info_scene(path);
    if (strstr(head, "<VTKFile type=\"Collection\""))
        return info_series(path, "file=\"", "timestep=\"");
    if (begins(head, "<?xml") && !strstr(head, "<VTKFile"))
        return info_unknown(path);
    if (begins(head, "<?xml") || begins(head, "<VTKFile"))
        return has_faces(path) ? info_vtp_mesh(path) : info_frame(path);
    if (begins(head, "ply"))
        return has_faces(path) ? info_mesh(path, NULL) : info_frame(path);
    if (begins(head, "frame,time"))
        return info_table(path);
    size_t line = strcspn(head, "\r\n");
    if (begins(head, "# vtk DataFile") || (memchr(head, ',', line) && strstr(head, "x,y,z")))
        return info_frame(path);
    // content decides, also against the name; the name decides whether what cannot be read is a bad mesh or something else
    return info_mesh(path, is_mesh_name(path) ? NULL : info_unknown);
}

int command_info(int argc, char** argv)
{
    const Syntax syntax = {.command = "info",
                           .arguments = "FILE",
                           .about = "Says what is in a mesh (obj, ply, stl, vtp), a particle frame (vtp, ply, vtk, csv), a scene,\n"
                                    "a table, list or checkpoint of a run, or a run folder. The content decides, not the name.",
                           .arguments_min = 1,
                           .arguments_max = 1};
    const char* path;
    size_t count;
    int status = options_parse(&syntax, argc, argv, &path, &count);
    if (status >= 0)
        return status;
    struct stat info;
    if (!stat(path, &info) && S_ISDIR(info.st_mode))
        return info_run(path);
    char head[512] = "";
    mn_Error error = {0};
    FILE* file = fopen(path, "rbe");
    if (!file) {
        file_error(&error, "read", path, errno);
        return complain_error(&error);
    }
    head[fread(head, 1, sizeof head - 1, file)] = 0;
    bool failed = ferror(file);
    fclose(file);
    if (failed)
        return complain(STATUS_IO, "%s: cannot read", path);
    return info_file(path, head);
}
