// SPDX-License-Identifier: MIT
// Files that are whole or absent: written under a temporary name in the same folder, then renamed. A full disk shows up in
// any of write, flush, sync and close; all are checked, and the message names the file and what the system said.
#ifndef IO_FILE_H
#define IO_FILE_H

#include <meniscus/base.h>
#include <stdio.h>

enum { PATH_SIZE = 1024 };

// MN_IO_FAILED, or MN_BAD_INPUT for a name under which there is no file. `doing` is a verb: "read", "write".
mn_Result file_error(mn_Error* error, const char* doing, const char* path, int error_number);
// folder + "/" + name; MN_BAD_INPUT if that is longer than any path here may be.
mn_Result path_join(char out[PATH_SIZE], const char* folder, const char* name, mn_Error* error);

// --- writing

#define FILE_TEMPORARY_SUFFIX ".part"

typedef struct FileOut {
    FILE* stream;
    int error_number; // first thing that went wrong, 0 = nothing yet
    char path[PATH_SIZE];
    char temporary[PATH_SIZE + 8];
} FileOut;

mn_Result file_out_open(FileOut* file, const char* path, mn_Error* error);
// Failures are remembered and reported by the commit.
void file_out_write(FileOut* file, const void* data, size_t bytes);
__attribute__((format(printf, 2, 3))) void file_out_print(FileOut* file, const char* format, ...);
// Makes the file appear under its name; with `sync` not before its bytes are on the disk. On failure nothing is left over.
mn_Result file_out_commit(FileOut* file, bool sync, mn_Error* error);
void file_out_discard(FileOut* file);

// Waits until a file (or folder) that was written before is on the disk.
mn_Result file_sync(const char* path, mn_Error* error);

// --- reading

// A whole file in memory; `data` ends with a zero byte that is not counted.
typedef struct FileBytes {
    char* data;
    size_t size;
} FileBytes;

mn_Result file_read(const char* path, FileBytes* bytes, mn_Error* error);
void file_bytes_free(FileBytes* bytes);

#endif
