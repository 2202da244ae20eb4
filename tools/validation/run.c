// SPDX-License-Identifier: MIT
#include "run.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* join(const char* folder, const char* name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char* path = grow(NULL, size);
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static int by_name(const void* a, const void* b)
{
    return strcmp(*(char* const*)a, *(char* const*)b);
}

Frames frames_list(const char* run)
{
    Frames frames = {0};
    char* folder = join(run, "frames");
    DIR* directory = opendir(folder);
    if (!directory)
        give_up("cannot open %s", folder);
    for (struct dirent* entry; (entry = readdir(directory));) {
        const char* ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".csv") != 0)
            continue;
        frames.path = grow(frames.path, (frames.count + 1) * sizeof *frames.path);
        frames.path[frames.count++] = join(folder, entry->d_name);
    }
    closedir(directory);
    if (!frames.count)
        give_up("%s has no tables", folder);
    qsort(frames.path, frames.count, sizeof *frames.path, by_name); // frame numbers have leading zeros
    free(folder);
    return frames;
}

void frames_free(Frames* frames)
{
    for (size_t k = 0; k < frames->count; k++)
        free(frames->path[k]);
    free(frames->path);
    *frames = (Frames){0};
}

Particles particles_read(const char* path)
{
    Particles p = {.table = table_read(path)};
    p.x = table_column(&p.table, "x");
    p.y = table_column(&p.table, "y");
    p.vx = table_column(&p.table, "vx");
    p.vy = table_column(&p.table, "vy");
    p.pressure = table_column(&p.table, "pressure");
    p.time = table_get(&p.table, 0, table_column(&p.table, "time"));
    return p;
}

void particles_free(Particles* particles)
{
    table_free(&particles->table);
}

Table run_probes(const char* run)
{
    char* path = join(run, "probes.csv");
    Table table = table_read(path);
    free(path);
    return table;
}
