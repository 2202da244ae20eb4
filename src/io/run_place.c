// SPDX-License-Identifier: MIT
// What is at the path of a run, and clearing an earlier run out of it. Nothing is removed that a run did not write.
#include "io/run_place.h"

#include "io/probe_tables.h"

#include "io/frame.h"
#include "io/mesh_write.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool exists(const char* folder, const char* name)
{
    char path[PATH_SIZE];
    return path_join(path, folder, name, NULL) == MN_OK && !access(path, F_OK);
}

static bool ends_with(const char* text, const char* ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && !strcmp(text + n - m, ending);
}

static bool is_run_file(const char* name)
{
    static const char* const names[] = {RUN_SCENE, RUN_STATS,      RUN_BODIES, RUN_PROBES, RUN_FRAMES, RUN_SURFACE, RUN_SOLIDS,
                                        RUN_LOG,   RUN_CHECKPOINT, RUN_FOAM,   RUN_UNITS,  ".",        ".."};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k]))
            return true;
    bool start = !strncmp(name, RUN_START, strlen(RUN_START)) && ends_with(name, ".vtp");
    return start || ends_with(name, FILE_TEMPORARY_SUFFIX) || probe_table_is_name(name);
}

// True if the folder is empty or holds nothing but what a run begins with. A lone scene.json may be somebody's own work.
static bool only_run_files(const char* path)
{
    DIR* dir = opendir(path);
    if (!dir)
        return false;
    bool only = true, any = false;
    for (struct dirent* entry; (entry = readdir(dir));) {
        only = only && is_run_file(entry->d_name);
        any = any || strspn(entry->d_name, ".") != strlen(entry->d_name);
    }
    closedir(dir);
    return only && (!any || exists(path, RUN_LOG));
}

// Has the table of frames a row yet?
static bool has_frames(const char* path)
{
    char table[PATH_SIZE];
    struct stat info;
    if (path_join(table, path, RUN_STATS, NULL) != MN_OK || stat(table, &info))
        return false;
    return info.st_size > (off_t)strlen(RUN_STATS_COLUMNS);
}

RunPlace run_place(const char* path)
{
    struct stat info;
    if (stat(path, &info))
        return RUN_PLACE_FREE; // if it cannot be made either, making it will say so
    if (!S_ISDIR(info.st_mode))
        return RUN_PLACE_FOREIGN;
    if (exists(path, RUN_SCENE) && exists(path, RUN_LOG) && exists(path, RUN_CHECKPOINT))
        return RUN_PLACE_RESUMABLE;
    if (exists(path, RUN_SCENE) && exists(path, RUN_LOG) && has_frames(path))
        return RUN_PLACE_STARTED;
    return only_run_files(path) ? RUN_PLACE_FREE : RUN_PLACE_FOREIGN;
}

// --- clearing

// NAME_000000.vtp and the like, of any series.
static bool is_frame_file(const char* name)
{
    static const char* const extensions[] = {"vtp", "ply", "vtk", "csv", "bgeo", "obj"};
    char series[256];
    const char* underscore = strrchr(name, '_');
    if (!underscore || underscore == name || (size_t)(underscore - name) >= sizeof series)
        return false;
    memcpy(series, name, (size_t)(underscore - name));
    series[underscore - name] = 0;
    for (size_t k = 0; k < sizeof extensions / sizeof *extensions; k++)
        if (series_frame_of(name, series, extensions[k]) >= 0)
            return true;
    return false;
}

static bool is_frames_entry(const char* name, const void* context)
{
    return is_frame_file(name) || ends_with(name, ".pvd") || ends_with(name, ".series") || ends_with(name, FILE_TEMPORARY_SUFFIX);
}

static bool is_solids_entry(const char* name, const void* context)
{
    const RunNames* names = context;
    const char* dot = strrchr(name, '.');
    for (size_t s = 0; dot && s < names->solid_count; s++)
        if (strlen(names->solid[s]) == (size_t)(dot - name) && !strncmp(names->solid[s], name, (size_t)(dot - name)))
            return true;
    return ends_with(name, FILE_TEMPORARY_SUFFIX);
}

// The last frame that stays.
static bool is_later_frame(const char* name, const void* context)
{
    const int64_t* last = context;
    const char* underscore = strrchr(name, '_');
    return ends_with(name, FILE_TEMPORARY_SUFFIX) || (is_frame_file(name) && strtoll(underscore + 1, NULL, 10) > *last);
}

typedef bool EntryFn(const char* name, const void* context);

static mn_Result remove_entries(const char* folder, EntryFn* matches, const void* context, mn_Error* error)
{
    DIR* dir = opendir(folder);
    if (!dir)
        return errno == ENOENT ? MN_OK : file_error(error, "read", folder, errno);
    mn_Result result = MN_OK;
    for (struct dirent* entry; result == MN_OK && (entry = readdir(dir));) {
        char path[PATH_SIZE];
        if (!matches(entry->d_name, context))
            continue;
        result = path_join(path, folder, entry->d_name, error);
        if (result == MN_OK && unlink(path) && errno != ENOENT)
            result = file_error(error, "remove", path, errno);
    }
    closedir(dir);
    return result;
}

static bool is_top_entry(const char* name, const void* context)
{
    return is_run_file(name) && strspn(name, ".") != strlen(name) && strcmp(name, RUN_FRAMES) && strcmp(name, RUN_SOLIDS) &&
           strcmp(name, RUN_SURFACE) && strcmp(name, RUN_LOG);
}

mn_Result run_place_clear(const char* path, mn_Error* error)
{
    char folder[PATH_SIZE], scene_path[PATH_SIZE];
    mn_Result result = path_join(scene_path, path, RUN_SCENE, error);
    if (result == MN_OK)
        result = path_join(folder, path, RUN_SOLIDS, error);
    if (result != MN_OK)
        return result;
    // the old scene knows the names of its solids; if it cannot be read their files stay
    mn_Scene* scene = mn_scene_load(scene_path, NULL, 0, NULL);
    RunNames names;
    if (scene && run_names_make(&names, scene, NULL) == MN_OK) {
        result = remove_entries(folder, is_solids_entry, &names, error);
        run_names_free(&names);
    }
    mn_scene_free(scene);
    if (result == MN_OK)
        result = path_join(folder, path, RUN_FRAMES, error);
    if (result == MN_OK)
        result = remove_entries(folder, is_frames_entry, NULL, error);
    if (result == MN_OK)
        result = path_join(folder, path, RUN_SURFACE, error);
    if (result == MN_OK)
        result = remove_entries(folder, is_frames_entry, NULL, error);
    return result == MN_OK ? remove_entries(path, is_top_entry, NULL, error) : result;
}

mn_Result run_place_cut(const char* frames_folder, int64_t last_frame, mn_Error* error)
{
    return remove_entries(frames_folder, is_later_frame, &last_frame, error);
}

mn_Result run_place_make(const char* path, mn_Error* error)
{
    char part[PATH_SIZE];
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return file_error(error, "write", path, ENAMETOOLONG);
    for (char* slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(part, 0777) && errno != EEXIST)
            return file_error(error, "make folder", part, errno);
        *slash = '/';
    }
    if (mkdir(part, 0777) && errno != EEXIST)
        return file_error(error, "make folder", part, errno);
    return MN_OK;
}
