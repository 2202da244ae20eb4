// SPDX-License-Identifier: MIT
// What the window writes: screenshots, films, scenes, checkpoints; and the list of scenes it can open.
#include "viewer.h"

#include "base/clock.h"
#include "base/error.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double film_rate = 30;

// NAME_0001.png in the current folder: the first number that is free.
static void free_name(const Viewer* v, const char* end, char* out, size_t size)
{
    const char *slash = strrchr(v->plan.path, '/'), *name = slash ? slash + 1 : v->plan.path, *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    for (int k = 1; k < 10000; k++) {
        snprintf(out, size, "%.*s_%04d%s", length, name, k, end);
        if (access(out, F_OK) != 0)
            return;
    }
}

static mn_Result write_picture(Viewer* v, const char* path, mn_Error* error)
{
    const Picture* picture = v->back->picture(v->back);
    return picture ? picture_write_png(picture, path, error) : error_set(error, MN_OUT_OF_MEMORY, "no memory for a picture");
}

void files_screenshot(Viewer* v, const char* path)
{
    char name[512];
    mn_Error error = {0};
    if (!path) {
        free_name(v, ".png", name, sizeof name);
        path = name;
    }
    if (write_picture(v, path, &error) == MN_OK) {
        viewer_say(v, "wrote %s", path);
        return;
    }
    viewer_say(v, "%.200s", error.message);
    v->exit_status = complain_error(&error);
}

// --- film

void files_end(Viewer* v)
{
    mn_Error error = {0};
    if (!v->film)
        return;
    mn_Result result = MN_OK;
    if (v->film_frames > 0)
        result = film_close(v->film, &error);
    else
        film_abandon(v->film);
    v->film = NULL;
    if (result == MN_OK) {
        viewer_say(v, "wrote %s, %lld pictures", v->film_path, (long long)v->film_frames);
    } else {
        viewer_say(v, "%.200s", error.message);
        v->exit_status = complain_error(&error);
    }
}

void files_record(Viewer* v, const char* path)
{
    mn_Error error = {0};
    if (v->film) {
        files_end(v);
        return;
    }
    if (path)
        snprintf(v->film_path, sizeof v->film_path, "%s", path);
    else
        free_name(v, ".mp4", v->film_path, sizeof v->film_path);
    v->film = film_open(v->film_path, v->width & ~1, v->height & ~1, film_rate, &error);
    if (!v->film) {
        viewer_say(v, "%.200s", error.message);
        v->exit_status = complain_error(&error);
        return;
    }
    v->film_frames = 0;
    v->film_clock = clock_seconds();
    v->film_time = v->shot ? v->shot->time : 0;
    if (!path)
        viewer_say(v, "recording %s", v->film_path);
}

// Films want even sizes: an odd row or column is left out.
static mn_Result add_even(Film* film, const Picture* picture, mn_Error* error)
{
    if (!picture)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a picture");
    if (picture->width % 2 == 0 && picture->height % 2 == 0)
        return film_add(film, picture, error);
    Picture even;
    if (!picture_create(&even, picture->width & ~1, picture->height & ~1))
        return MN_OUT_OF_MEMORY;
    for (int y = 0; y < even.height; y++)
        memcpy(even.rgb + 3 * (size_t)y * (size_t)even.width, picture->rgb + 3 * (size_t)y * (size_t)picture->width,
               3 * (size_t)even.width);
    mn_Result result = film_add(film, &even, error);
    picture_free(&even);
    return result;
}

// A film runs by simulated time, so that a slow simulation makes a film in real time; while that stands still it runs by the clock.
void files_film(Viewer* v)
{
    if (!v->film || !v->shot)
        return;
    double now = clock_seconds(), time = v->shot->time, passed = time - v->film_time;
    if (v->status.state != SIM_RUNNING || passed < 0) {
        passed = passed > 0 ? passed : fmin(now - v->film_clock, 0.25);
    }
    int due = v->film_frames == 0 ? 1 : (int)(passed * film_rate);
    mn_Error error = {0};
    mn_Result result = MN_OK;
    for (int k = 0; k < due && k < 30 && result == MN_OK; k++, v->film_frames++)
        result = add_even(v->film, v->back->picture(v->back), &error);
    if (due > 0) {
        v->film_clock = now;
        v->film_time = time;
    }
    if (result == MN_OK)
        return;
    viewer_say(v, "%.200s", error.message);
    v->exit_status = complain_error(&error);
    film_abandon(v->film);
    v->film = NULL;
}

// --- scenes

enum { MOST_SCENES = 200 };

static int by_name(const void* a, const void* b)
{
    return strcmp(a, b);
}

static void list_folder(Viewer* v, const char* folder, int depth)
{
    DIR* dir = opendir(folder);
    struct dirent* entry;
    while (dir && (entry = readdir(dir)) && v->scene_count < MOST_SCENES) {
        char path[512];
        struct stat info;
        if (entry->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path ||
            stat(path, &info) != 0)
            continue;
        size_t n = strlen(path);
        if (S_ISDIR(info.st_mode) && depth > 0)
            list_folder(v, path, depth - 1);
        else if (S_ISREG(info.st_mode) && n > 5 && !strcmp(path + n - 5, ".json"))
            snprintf(v->scenes[v->scene_count++], sizeof *v->scenes, "%s", path);
    }
    if (dir)
        closedir(dir);
}

// Scenes beside the one that is shown; if its folder lies in one called scenes, all of that.
void files_list(Viewer* v)
{
    char folder[PLAN_PATH];
    snprintf(folder, sizeof folder, "%s", v->plan.path);
    char* slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    else
        snprintf(folder, sizeof folder, ".");
    char* parent = strrchr(folder, '/');
    if (parent && parent - folder >= 6 && !strncmp(parent - 6, "scenes", 6))
        *parent = 0;
    if (!v->scenes)
        v->scenes = malloc(MOST_SCENES * sizeof *v->scenes);
    v->scene_count = 0;
    if (!v->scenes)
        return;
    list_folder(v, folder, 1);
    qsort(v->scenes, v->scene_count, sizeof *v->scenes, by_name);
    v->scene_at = 0;
    for (size_t k = 0; k < v->scene_count; k++)
        if (!strcmp(v->scenes[k], v->plan.path))
            v->scene_at = k;
    v->list_follows = true;
}

void files_save(Viewer* v, char* path, size_t size)
{
    LiveInput input = {.what = LIVE_SAVE};
    free_name(v, ".json", input.path, sizeof input.path);
    snprintf(path, size, "%s", input.path);
    sim_live(v->sim, &input);
}

void files_checkpoint(Viewer* v)
{
    LiveInput input = {.what = LIVE_CHECKPOINT};
    free_name(v, ".run", input.path, sizeof input.path);
    sim_live(v->sim, &input);
}
