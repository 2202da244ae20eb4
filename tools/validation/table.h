// SPDX-License-Identifier: MIT
// A CSV table of numbers: lines that start with # are comments, the first other line has the column names.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct Table {
    size_t rows, columns;
    char** name;   // (columns)
    double* value; // (rows * columns), NaN where a field is empty
} Table;

// Both end the program with a message if there is no such file or column: a validation without data has nothing to say.
Table table_read(const char* path);
size_t table_column(const Table* table, const char* name);

double table_get(const Table* table, size_t row, size_t column);
void table_free(Table* table);

// Ends the program (status 2) when out of memory.
void* grow(void* pointer, size_t size);
_Noreturn void give_up(const char* format, ...);
