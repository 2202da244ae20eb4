// SPDX-License-Identifier: MIT
// A folder of its own for the files of each test, and small helpers.
#ifndef TESTS_IO_SUPPORT_H
#define TESTS_IO_SUPPORT_H

#include "support.h"

#include "base/random.h"
#include "io/file.h"
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int remove_entry(const char* path, const struct stat* info, int flag, struct FTW* ftw)
{
    return remove(path);
}

static inline int folder_make(void** state)
{
    char* folder = strdup("/tmp/meniscus_test_XXXXXX");
    *state = folder;
    return folder && mkdtemp(folder) ? 0 : -1;
}

static inline int folder_remove(void** state)
{
    nftw(*state, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return 0;
}

static inline void write_bytes(const char* path, const void* data, size_t size)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline FileBytes bytes_of(const char* path)
{
    FileBytes bytes;
    mn_Error error = {0};
    if (file_read(path, &bytes, &error) != MN_OK)
        fail_msg("%s: %s", path, error.message);
    return bytes;
}

#endif
