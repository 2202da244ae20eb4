// SPDX-License-Identifier: MIT
#include "scene/motion_file.h"

#include "base/vec.h"
#include "defs/check.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1024, COLUMNS = 8 };
static const size_t MOST_FRAMES = 10000000;

typedef struct MotionFile {
    FILE* file;
    const char* path;
    mn_Keyframe* key;
    size_t count, capacity;
    size_t line;
} MotionFile;

// Numbers of a line; -1: something else is there.
static int parse_numbers(const char* text, double out[COLUMNS])
{
    int n = 0;
    while (isspace((unsigned char)*text))
        text++;
    while (*text) {
        char* end;
        double value = strtod(text, &end);
        if (end == text || n == COLUMNS || !isfinite(value))
            return -1;
        out[n++] = value;
        while (isspace((unsigned char)*end))
            end++;
        if (*end == ',' || *end == ';')
            end++;
        else if (*end && !isspace((unsigned char)end[-1]))
            return -1;
        while (isspace((unsigned char)*end))
            end++;
        text = end;
    }
    return n;
}

static bool keep_frame(Reader* reader, MotionFile* m, const double v[COLUMNS], int columns)
{
    bool flat = reader->scene->world.dimension == 2;
    Quat q = columns == COLUMNS ? (Quat){v[4], v[5], v[6], v[7]} : quat_identity();
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(square > 1e-24))
        return reader_fail(reader, "%.300s, line %zu: a quaternion must not be zero", m->path, m->line);
    if (flat && (v[3] != 0 || q.x != 0 || q.y != 0))
        return reader_fail(reader, "%.300s, line %zu: the scene has dimension 2: only x, y and turns about z are possible", m->path,
                           m->line);
    for (int k = 1; k < 4; k++)
        if (fabs(v[k]) > 1e9)
            return reader_fail(reader, "%.300s, line %zu: got %g, expected a number from -1e9 to 1e9 [m]", m->path, m->line, v[k]);
    if (m->count && !(v[0] > m->key[m->count - 1].time))
        return reader_fail(reader, "%.300s, line %zu: got %g, but times must ascend: the key frame before is at %g s", m->path,
                           m->line, v[0], m->key[m->count - 1].time);
    if (m->count == MOST_FRAMES)
        return reader_fail(reader, "%.300s has more than the %zu key frames that are allowed", m->path, MOST_FRAMES);
    if (m->count == m->capacity) {
        size_t capacity = m->capacity ? 2 * m->capacity : 64;
        mn_Keyframe* grown = realloc(m->key, capacity * sizeof *grown);
        if (!grown)
            return reader_no_memory(reader);
        m->key = grown;
        m->capacity = capacity;
    }
    q = fabs(square - 1) > 1e-12 ? quat_normalise(q) : q;
    m->key[m->count++] = (mn_Keyframe){v[0], {vec3d(v[1], v[2], v[3]), (Quat){q.w + 0, q.x + 0, q.y + 0, q.z + 0}}};
    return true;
}

static bool read_lines(Reader* reader, MotionFile* m)
{
    char text[LINE];
    int columns = 0;
    while (fgets(text, sizeof text, m->file)) {
        double v[COLUMNS] = {0};
        m->line++;
        if (!strchr(text, '\n') && strlen(text) == sizeof text - 1)
            return reader_fail(reader, "%.300s, line %zu is too long", m->path, m->line);
        int n = text[0] == '#' ? 0 : parse_numbers(text, v);
        bool heading = n < 0 && m->count == 0 && isalpha((unsigned char)text[strspn(text, " \t\"")]);
        if (n == 0 || heading)
            continue;
        bool good = (n == 4 || n == COLUMNS) && (columns == 0 || n == columns);
        if (!good)
            return reader_fail(reader, "%.300s, line %zu: expected time, x, y, z%s", m->path, m->line,
                               columns == 4 ? ""
                               : columns    ? ", qw, qx, qy, qz"
                                            : ", and qw, qx, qy, qz if it turns");
        columns = n;
        if (!keep_frame(reader, m, v, n))
            return false;
    }
    if (ferror(m->file))
        return reader_fail(reader, "cannot read the motion file \"%.300s\"", m->path);
    return m->count > 0 || reader_fail(reader, "%.300s has no key frames", m->path);
}

bool read_motion_file(Reader* reader, const Key* key, json_t* node, void* object)
{
    const char *name = json_string_value(node), *folder = reader->scene->folder;
    char path[2 * LONGEST_STRING + 2];
    if (json_string_length(node) == 0 || json_string_length(node) > LONGEST_STRING)
        return reader_unexpected(reader, key, node);
    if (name[0] == '/' || !folder || !folder[0])
        snprintf(path, sizeof path, "%s", name);
    else
        snprintf(path, sizeof path, "%.*s/%s", LONGEST_STRING, folder, name);
    MotionFile m = {.file = fopen(path, "r"), .path = path};
    if (!m.file)
        return reader_fail(reader, "cannot read the motion file \"%.300s\"", path);
    bool ok = read_lines(reader, &m);
    fclose(m.file);
    if (!ok) {
        free(m.key);
        return false;
    }
    memcpy(key_at(key, object), &m.key, sizeof m.key);
    *(size_t*)((char*)object + key->count_offset) = m.count;
    return true;
}
