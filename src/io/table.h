// SPDX-License-Identifier: MIT
// Tables that grow a frame at a time (.csv). The rows of a frame are written in one go and are in the file when the call
// returns; a write that failed half-way is taken back, so that the file always ends with a whole row.
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include "io/file.h"

typedef struct Table {
    int fd; // -1: not open
    char path[PATH_SIZE];
} Table;

// A new file with `header` (a line with newline) as its first line.
mn_Result table_create(Table* table, const char* path, const char* header, mn_Error* error);
// Goes on with an old one: rows of frames behind `last_frame` (first column) and half rows are cut off. Missing: created.
mn_Result table_resume(Table* table, const char* path, const char* header, int64_t last_frame, size_t rows_per_frame,
                       mn_Error* error);
// Any text file to append to, created if missing; no header, nothing cut.
mn_Result table_open(Table* table, const char* path, mn_Error* error);
mn_Result table_cut(Table* table, size_t bytes, mn_Error* error); // keeps the first bytes
mn_Result table_append(Table* table, const char* rows, size_t bytes, mn_Error* error);
mn_Result table_close(Table* table, mn_Error* error); // closed tables are allowed

// A text as one cell: in quotes if it needs them.
void csv_print_text(FILE* stream, const char* text);
// Cuts a line (changed in place, no newline) into at most `most` cells; returns how many there are.
size_t csv_split(char* line, char** cells, size_t most);

#endif
