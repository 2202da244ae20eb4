// SPDX-License-Identifier: MIT
#include "table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void give_up(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("validate: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

void* grow(void* pointer, size_t size)
{
    void* grown = realloc(pointer, size ? size : 1);
    if (!grown)
        give_up("no memory for %zu bytes", size);
    return grown;
}

static char* read_all(const char* path)
{
    FILE* file = fopen(path, "rb");
    if (!file)
        give_up("cannot open %s", path);
    size_t capacity = 1 << 16, length = 0;
    char* text = grow(NULL, capacity);
    for (size_t got; (got = fread(text + length, 1, capacity - length - 1, file)) > 0;) {
        length += got;
        if (capacity - length < 2)
            text = grow(text, capacity *= 2);
    }
    bool failed = ferror(file);
    fclose(file);
    if (failed)
        give_up("cannot read %s", path);
    text[length] = 0;
    return text;
}

// Copies the next name of a header line that ends at the end of the string.
static char* next_name(char** at)
{
    size_t length = strcspn(*at, ",");
    char* name = grow(NULL, length + 1);
    memcpy(name, *at, length);
    name[length] = 0;
    *at += length + ((*at)[length] == ',');
    return name;
}

static void read_names(Table* table, char* line)
{
    for (char* at = line; *at;) {
        table->name = grow(table->name, (table->columns + 1) * sizeof *table->name);
        table->name[table->columns++] = next_name(&at);
    }
}

static void read_row(Table* table, const char* line, size_t* capacity, const char* path)
{
    if ((table->rows + 1) * table->columns > *capacity) {
        *capacity = 2 * *capacity + 64 * table->columns;
        table->value = grow(table->value, *capacity * sizeof *table->value);
    }
    double* value = table->value + table->rows++ * table->columns;
    const char* at = line;
    for (size_t c = 0; c < table->columns; c++) {
        char* end;
        value[c] = strtod(at, &end);
        if (end == at)
            value[c] = NAN;
        at = end + strcspn(end, ",");
        if (*at == ',')
            at++;
        else if (c + 1 < table->columns)
            give_up("%s: data row %zu has %zu of %zu fields", path, table->rows, c + 1, table->columns);
    }
}

Table table_read(const char* path)
{
    Table table = {0};
    char *text = read_all(path), *at = text;
    size_t capacity = 0;
    while (*at) {
        size_t length = strcspn(at, "\n");
        char* next = at + length + (at[length] == '\n');
        if (length && at[length - 1] == '\r')
            at[length - 1] = 0;
        at[length] = 0;
        if (*at && *at != '#') {
            if (!table.columns)
                read_names(&table, at);
            else
                read_row(&table, at, &capacity, path);
        }
        at = next;
    }
    free(text);
    if (!table.rows)
        give_up("%s has no rows", path);
    return table;
}

size_t table_column(const Table* table, const char* name)
{
    for (size_t c = 0; c < table->columns; c++)
        if (!strcmp(table->name[c], name))
            return c;
    give_up("a table has no column %s", name);
}

double table_get(const Table* table, size_t row, size_t column)
{
    return table->value[row * table->columns + column];
}

void table_free(Table* table)
{
    for (size_t c = 0; c < table->columns; c++)
        free(table->name[c]);
    free(table->name);
    free(table->value);
    *table = (Table){0};
}
