// SPDX-License-Identifier: MIT
#include "io/run_folder.h"

#include "base/error.h"
#include "io/file.h"
#include "io/frame_gather.h"
#include "io/points.h"
#include "io/run_names.h"
#include "io/table.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- which frames there are

static int compare_numbers(const void* a, const void* b)
{
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

static bool add_number(RunFolder* run, size_t* capacity, int number)
{
    if (run->frame_count == *capacity) {
        size_t larger = *capacity ? 2 * *capacity : 64;
        int* grown = realloc(run->frame_number, larger * sizeof *grown);
        if (!grown)
            return false;
        run->frame_number = grown;
        *capacity = larger;
    }
    run->frame_number[run->frame_count++] = number;
    return true;
}

// A frame counts when the file of every fluid is there; a run that was cut off may have some of the last one.
static bool frame_is_whole(const RunFolder* run, const RunNames* names, const char* folder, int number)
{
    char path[PATH_SIZE];
    for (size_t f = 1; f < names->fluid_count; f++) {
        mn_Result result = series_path(path, folder, names->fluid[f], number, frame_extension(run->format), NULL);
        if (result != MN_OK || access(path, R_OK))
            return false;
    }
    return true;
}

// Without fluids the table says which frames there are.
static mn_Result list_rows(RunFolder* run, mn_Error* error)
{
    char path[PATH_SIZE];
    FileBytes bytes;
    mn_Result result = path_join(path, run->path, RUN_STATS, error);
    if (result != MN_OK || access(path, F_OK))
        return result;
    result = file_read(path, &bytes, error);
    if (result != MN_OK)
        return result;
    size_t capacity = 0;
    for (char* line = strchr(bytes.data, '\n'); line && result == MN_OK; line = strchr(line + 1, '\n')) {
        char* end;
        long number = strtol(line + 1, &end, 10);
        if (end > line + 1 && *end == ',' && number >= 0 && number <= INT32_MAX && strchr(end, '\n') &&
            !add_number(run, &capacity, (int)number))
            result = memory_error(error, path);
    }
    file_bytes_free(&bytes);
    return result;
}

static mn_Result list_frames(RunFolder* run, const RunNames* names, mn_Error* error)
{
    if (names->fluid_count == 0)
        return list_rows(run, error);
    char folder[PATH_SIZE];
    mn_Result result = path_join(folder, run->path, RUN_FRAMES, error);
    if (result != MN_OK || !names->fluid_count || run->format == MN_PARTICLES_NONE)
        return result;
    DIR* dir = opendir(folder);
    if (!dir)
        return errno == ENOENT ? MN_OK : file_error(error, "read", folder, errno);
    size_t capacity = 0;
    for (struct dirent* entry; result == MN_OK && (entry = readdir(dir));) {
        int64_t number = series_frame_of(entry->d_name, names->fluid[0], frame_extension(run->format));
        if (number < 0 || number > INT32_MAX || !frame_is_whole(run, names, folder, (int)number))
            continue;
        if (!add_number(run, &capacity, (int)number))
            result = memory_error(error, folder);
    }
    closedir(dir);
    if (run->frame_count)
        qsort(run->frame_number, run->frame_count, sizeof *run->frame_number, compare_numbers);
    return result;
}

// Index of a frame's number, or frame_count if there is none.
static size_t index_of(const RunFolder* run, long long number)
{
    size_t low = 0, high = run->frame_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run->frame_number[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < run->frame_count && run->frame_number[low] == number ? low : run->frame_count;
}

// --- tables

enum { CELLS = 32 };

typedef void RowFn(RunFolder* run, size_t index, char** cells, size_t cell_count);

// Calls `row` for each row whose frame exists; a table that is not there is no error.
static mn_Result read_table(RunFolder* run, const char* name, RowFn* row, mn_Error* error)
{
    char path[PATH_SIZE];
    FileBytes bytes;
    mn_Result result = path_join(path, run->path, name, error);
    if (result != MN_OK)
        return result;
    if (access(path, F_OK))
        return MN_OK;
    result = file_read(path, &bytes, error);
    if (result != MN_OK)
        return result;
    for (char* line = bytes.data; line && *line;) {
        char* newline = strchr(line, '\n');
        if (newline)
            *newline = 0;
        char* cells[CELLS];
        size_t count = csv_split(line, cells, CELLS);
        char* end;
        long long number = strtoll(cells[0], &end, 10);
        size_t index = end != cells[0] && !*end ? index_of(run, number) : run->frame_count;
        if (newline && index < run->frame_count)
            row(run, index, cells, count);
        line = newline ? newline + 1 : NULL;
    }
    file_bytes_free(&bytes);
    return MN_OK;
}

static void stats_row(RunFolder* run, size_t index, char** cells, size_t cell_count)
{
    if (cell_count > 1)
        run->frame_time[index] = strtod(cells[1], NULL);
}

static void bodies_row(RunFolder* run, size_t index, char** cells, size_t cell_count)
{
    if (cell_count < 10)
        return;
    double value[13] = {0};
    for (size_t k = 0; k < 13 && 3 + k < cell_count; k++)
        value[k] = strtod(cells[3 + k], NULL);
    for (size_t s = 0; s < run->scene->solid_count; s++) {
        if (run->scene->solids[s].name && !strcmp(run->scene->solids[s].name, cells[2])) {
            // meshes of elastic solids are in the world as they are; their rows tell the centre of mass
            if (run->scene->solids[s].type != MN_SOLID_ELASTIC)
                run->solid_pose[index * run->scene->solid_count + s] =
                    (mn_Pose){{value[0], value[1], value[2]}, {value[3], value[4], value[5], value[6]}};
            mn_Vec3* velocity = run->solid_velocity[index * run->scene->solid_count + s];
            velocity[0] = (mn_Vec3){value[7], value[8], value[9]};
            velocity[1] = (mn_Vec3){value[10], value[11], value[12]};
            return;
        }
    }
}

static mn_Result read_tables(RunFolder* run, mn_Error* error)
{
    size_t solids = run->scene->solid_count;
    run->frame_time = calloc(run->frame_count + 1, sizeof *run->frame_time);
    if (!run->frame_time)
        return memory_error(error, run->path);
    for (size_t k = 0; k < run->frame_count; k++)
        run->frame_time[k] = run->frame_number[k] / run->scene->frame_rate;
    mn_Result result = read_table(run, RUN_STATS, stats_row, error);
    char path[PATH_SIZE];
    if (result != MN_OK || path_join(path, run->path, RUN_BODIES, NULL) != MN_OK || access(path, F_OK))
        return result;
    // a row that is missing leaves the solid where the scene put it
    run->solid_pose = calloc(run->frame_count * solids + 1, sizeof *run->solid_pose);
    run->solid_velocity = calloc(run->frame_count * solids + 1, sizeof *run->solid_velocity);
    if (!run->solid_pose || !run->solid_velocity)
        return memory_error(error, run->path);
    for (size_t k = 0; k < run->frame_count * solids; k++)
        run->solid_pose[k] = run->scene->solids[k % solids].type == MN_SOLID_ELASTIC ? (mn_Pose){.rotation = {1, 0, 0, 0}}
                                                                                     : run->scene->solids[k % solids].pose;
    return read_table(run, RUN_BODIES, bodies_row, error);
}

// --- the folder

static mn_Result open_scene(RunFolder* run, mn_Error* error)
{
    char path[PATH_SIZE];
    struct stat info;
    if (stat(run->path, &info))
        return file_error(error, "read", run->path, errno);
    mn_Result result = path_join(path, run->path, RUN_SCENE, error);
    if (result != MN_OK)
        return result;
    if (!S_ISDIR(info.st_mode) || access(path, F_OK))
        return format_error(error, run->path, 0, "not a run folder: it has no %s", RUN_SCENE);
    mn_Error unused;
    error = error ? error : &unused;
    run->scene = mn_scene_load(path, NULL, 0, error);
    return run->scene ? MN_OK : error->result;
}

mn_Result run_folder_open(RunFolder* run, const char* path, mn_Error* error)
{
    *run = (RunFolder){0};
    if (snprintf(run->path, sizeof run->path, "%s", path) >= (int)sizeof run->path)
        return file_error(error, "read", path, ENAMETOOLONG);
    for (size_t n = strlen(run->path); n > 1 && run->path[n - 1] == '/'; n--)
        run->path[n - 1] = 0;
    mn_Result result = open_scene(run, error);
    if (result != MN_OK)
        return result;
    run->format = run->scene->output.particles;
    RunNames names;
    result = run_names_make(&names, run->scene, error);
    if (result == MN_OK) {
        result = list_frames(run, &names, error);
        run_names_free(&names);
    }
    if (result == MN_OK)
        result = read_tables(run, error);
    if (result != MN_OK)
        run_folder_close(run);
    return result;
}

void run_folder_close(RunFolder* run)
{
    mn_scene_free(run->scene);
    free(run->frame_number);
    free(run->frame_time);
    free(run->solid_pose);
    free(run->solid_velocity);
    *run = (RunFolder){0};
}

static mn_Result read_parts(const RunFolder* run, const RunNames* names, int number, Frame* parts, mn_Error* error)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    mn_Result result = path_join(folder, run->path, RUN_FRAMES, error);
    for (size_t f = 0; f < names->fluid_count && result == MN_OK; f++) {
        result = series_path(path, folder, names->fluid[f], number, frame_extension(run->format), error);
        if (result == MN_OK)
            result = frame_read(path, &parts[f], error);
    }
    return result;
}

mn_Result run_folder_read_frame(const RunFolder* run, size_t index, Frame* frame, mn_Error* error)
{
    *frame = (Frame){0};
    if (index >= run->frame_count)
        return format_error(error, run->path, 0, "there is no frame %zu; the run has %zu", index, run->frame_count);
    RunNames names;
    mn_Result result = run_names_make(&names, run->scene, error);
    if (result != MN_OK)
        return result;
    Frame* parts = calloc(names.fluid_count + 1, sizeof *parts);
    result = parts ? read_parts(run, &names, run->frame_number[index], parts, error) : memory_error(error, run->path);
    if (result == MN_OK && names.fluid_count == 1) {
        *frame = parts[0]; // sorted in the file already
        parts[0] = (Frame){0};
    } else if (result == MN_OK) {
        result = frame_merge(parts, names.fluid_count, frame, error);
    }
    for (size_t f = 0; parts && f < names.fluid_count; f++)
        frame_free(&parts[f]);
    free(parts);
    run_names_free(&names);
    if (result == MN_OK)
        frame->time = run->frame_time[index];
    return result;
}
