// SPDX-License-Identifier: MIT
// Particles as a table: a header of column names, then a row per particle; %.9g keeps every bit of a float. The time is a
// column too, so that the tables of several frames can be put together.
#include "io/points.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// --- writing

void points_write_csv(FileOut* file, const PointSet* points)
{
    char name[64];
    for (size_t k = 0; k < points->field_count; k++)
        for (int c = 0; c < points->field[k].components; c++)
            file_out_print(file, "%s,", points_column(points, k, c, name));
    file_out_print(file, "time\n");
    for (size_t i = 0; i < points->count && !file->error_number; i++) {
        for (size_t k = 0; k < points->field_count; k++) {
            const PointField* field = &points->field[k];
            size_t size = number_size(field->type), components = (size_t)field->components;
            for (size_t c = 0; c < components; c++)
                file_out_print(file, field->type == NUMBER_F32 ? "%.9g," : "%.0f,",
                               number_get(field->type, (const char*)field->data + (i * components + c) * size, false));
        }
        file_out_print(file, "%.17g\n", points->time);
    }
}

// --- reading

enum { COLUMNS = 64, TIME = -2 };

typedef struct CsvColumns {
    size_t count;
    struct {
        int field, component; // field -1: not ours
    } column[COLUMNS];
} CsvColumns;

static mn_Result read_header(const char* line, size_t length, const char* path, CsvColumns* columns, mn_Error* error)
{
    unsigned have = 0;
    if (length && line[length - 1] == '\r')
        length--;
    for (size_t at = 0; at <= length; columns->count++) {
        const char* comma = memchr(line + at, ',', length - at);
        size_t end = comma ? (size_t)(comma - line) : length;
        if (columns->count == COLUMNS)
            return format_error(error, path, 1, "more than %d columns", COLUMNS);
        int component, field = frame_column_of(line + at, end - at, &component);
        if (end - at == 4 && !memcmp(line + at, "time", 4))
            field = TIME;
        columns->column[columns->count].field = field;
        columns->column[columns->count].component = component;
        have |= field == 0 ? 1u << component : 0;
        at = end + 1;
    }
    if (have != 7)
        return format_error(error, path, 1, "the table has no columns x, y and z");
    return MN_OK;
}

// One row; *at moves behind its newline.
static mn_Result read_row(const char** at, const char* path, size_t index, const CsvColumns* columns, Frame* frame, mn_Error* error)
{
    int line = (int)(index + 2);
    for (size_t k = 0; k < columns->count; k++) {
        char* end;
        double value = strtod(*at, &end);
        bool last = k + 1 == columns->count;
        if (isspace((unsigned char)**at) || end == *at || (last ? *end && *end != '\n' && *end != '\r' : *end != ','))
            return format_error(error, path, line, "column %zu of %zu is missing or not a number", k + 1, columns->count);
        if (columns->column[k].field == TIME)
            frame->time = value;
        else
            frame_store(frame, columns->column[k].field, columns->column[k].component, index, value);
        *at = end + !last;
    }
    *at += **at == '\r';
    *at += **at == '\n';
    return MN_OK;
}

static size_t count_lines(const char* at, const char* end)
{
    size_t count = 0;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        count++;
        at++;
    }
    return count + (end[-1] != '\n');
}

mn_Result frame_read_csv(const FileBytes* bytes, const char* path, Frame* frame, mn_Error* error)
{
    const char* end = bytes->data + bytes->size;
    if (memchr(bytes->data, 0, bytes->size))
        return format_error(error, path, 0, "neither a table nor a known particle format");
    const char* newline = memchr(bytes->data, '\n', bytes->size);
    const char* header_end = newline ? newline : end;
    CsvColumns columns = {0};
    mn_Result result = read_header(bytes->data, (size_t)(header_end - bytes->data), path, &columns, error);
    if (result != MN_OK)
        return result;
    if (!frame_allocate(frame, count_lines(bytes->data, end) - 1))
        return memory_error(error, path);
    const char* at = newline ? newline + 1 : end;
    for (size_t k = 0; k < frame->count && result == MN_OK; k++)
        result = read_row(&at, path, k, &columns, frame, error);
    return result;
}
