// SPDX-License-Identifier: MIT
// Memory by /proc/meminfo and by the control groups (version 2 and 1) that the process is in, up to the root: each may set a limit.
// A GPU by the files of devices: asking OpenGL instead would load its whole implementation, a second or more the first time.
#include "base/machine.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 4096, PATH = 8192 };

// The number behind `key` in a file of lines "key number ...", times `unit`; NAN: there is none.
static double find_number(const char* path, const char* key, double unit)
{
    char line[LINE];
    double value = (double)NAN;
    size_t length = strlen(key);
    FILE* file = fopen(path, "re");
    while (file && isnan(value) && fgets(line, sizeof line, file))
        if (!strncmp(line, key, length)) {
            char* end;
            double number = strtod(line + length, &end);
            if (end > line + length) // "max" is none
                value = number * unit;
        }
    if (file)
        fclose(file);
    return value;
}

typedef struct Version {
    const char *folder, *limit, *usage, *cache;
} Version;

static const Version version_1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file "};
static const Version version_2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "};

// What one group leaves; file pages that nobody needs count as free.
static double left_in(const char* folder, const Version* version)
{
    char path[PATH + 64];
    snprintf(path, sizeof path, "%s/%s", folder, version->limit);
    double limit = find_number(path, "", 1);
    snprintf(path, sizeof path, "%s/%s", folder, version->usage);
    double usage = find_number(path, "", 1);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    double cache = find_number(path, version->cache, 1);
    if (isnan(limit))
        return (double)INFINITY;
    return fmax(0, limit - (isnan(usage) ? 0 : usage) + (isnan(cache) ? 0 : cache));
}

// The least that a group and those around it leave. In a container its path may be unknown here: then only the root is there.
static double left_in_groups(const char* root, const char* group, const Version* version)
{
    char path[PATH];
    double left = (double)INFINITY;
    if (snprintf(path, sizeof path, "%s%s%s", root, version->folder, group) >= (int)sizeof path)
        return left;
    for (size_t least = strlen(root) + strlen(version->folder); strlen(path) >= least;) {
        left = fmin(left, left_in(path, version));
        char* slash = strrchr(path, '/');
        if (!slash)
            break;
        *slash = 0;
    }
    return left;
}

double machine_memory(const char* root)
{
    char path[PATH], line[LINE];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    double available = find_number(path, "MemAvailable:", 1024);
    double left = isnan(available) ? (double)INFINITY : available;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE* file = fopen(path, "re");
    // lines "0::/path" (version 2) and "4:memory:/path" (version 1)
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *first = strchr(line, ':'), *second = first ? strchr(first + 1, ':') : NULL;
        if (!second)
            continue;
        *second = 0;
        const char* group = strcmp(second + 1, "/") ? second + 1 : "";
        if (!first[1])
            left = fmin(left, left_in_groups(root, group, &version_2));
        else if (strstr(first + 1, "memory"))
            left = fmin(left, left_in_groups(root, group, &version_1));
    }
    if (file)
        fclose(file);
    return left;
}

bool machine_has_gpu(const char* root)
{
    static const char* const device[] = {"dri", "nvidiactl", "dxg", "mali0", "kgsl-3d0", "pvr_sync"};
    char path[PATH];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    if (access(path, F_OK) != 0)
        return true;
    for (size_t k = 0; k < sizeof device / sizeof *device; k++) {
        snprintf(path, sizeof path, "%s/dev/%s", root, device[k]);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

bool machine_beside_program(const char* name, char* out, size_t size)
{
    char program[PATH];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = 0;
    char* slash = strrchr(program, '/');
    if (!slash)
        return false;
    *slash = 0;
    int written = snprintf(out, size, "%s/%s", program, name);
    return written > 0 && (size_t)written < size;
}
