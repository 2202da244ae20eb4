// SPDX-License-Identifier: MIT
#include "io/file.h"

#include "base/error.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 256 * 1024 };

mn_Result file_error(mn_Error* error, const char* doing, const char* path, int error_number)
{
    bool reading = !strcmp(doing, "read");
    bool no_file = error_number == ENOENT || error_number == ENOTDIR || error_number == EISDIR || error_number == ENAMETOOLONG;
    mn_Result result = error_number == ENOMEM ? MN_OUT_OF_MEMORY : reading && no_file ? MN_BAD_INPUT : MN_IO_FAILED;
    error_set(error, result, "cannot %s: %s", doing, error_number == ENOMEM ? "no memory" : strerror(error_number));
    error_at(error, path, 0, 0);
    return result;
}

mn_Result path_join(char out[PATH_SIZE], const char* folder, const char* name, mn_Error* error)
{
    if (snprintf(out, PATH_SIZE, "%s/%s", folder, name) < PATH_SIZE)
        return MN_OK;
    return error_set(error, MN_BAD_INPUT, "the path %.60s.../%.60s is longer than %d bytes", folder, name, PATH_SIZE - 1);
}

// --- writing

mn_Result file_out_open(FileOut* file, const char* path, mn_Error* error)
{
    file->error_number = 0;
    file->stream = NULL;
    if (snprintf(file->path, sizeof file->path, "%s", path) >= (int)sizeof file->path)
        return file_error(error, "write", path, ENAMETOOLONG);
    snprintf(file->temporary, sizeof file->temporary, "%s%s", path, FILE_TEMPORARY_SUFFIX);
    file->stream = fopen(file->temporary, "wbe");
    if (!file->stream)
        return file_error(error, "write", path, errno);
    setvbuf(file->stream, NULL, _IOFBF, BUFFER_BYTES);
    return MN_OK;
}

static void remember(FileOut* file)
{
    if (!file->error_number)
        file->error_number = errno ? errno : EIO;
}

void file_out_write(FileOut* file, const void* data, size_t bytes)
{
    if (file->error_number || !bytes)
        return;
    errno = 0;
    if (fwrite(data, 1, bytes, file->stream) != bytes)
        remember(file);
}

void file_out_print(FileOut* file, const char* format, ...)
{
    if (file->error_number)
        return;
    va_list args;
    va_start(args, format);
    errno = 0;
    if (vfprintf(file->stream, format, args) < 0)
        remember(file);
    va_end(args);
}

mn_Result file_out_commit(FileOut* file, bool sync, mn_Error* error)
{
    errno = 0;
    if (fflush(file->stream))
        remember(file);
    if (sync && !file->error_number && fsync(fileno(file->stream)))
        remember(file);
    if (fclose(file->stream))
        remember(file);
    file->stream = NULL;
    if (!file->error_number && rename(file->temporary, file->path))
        remember(file);
    if (!file->error_number)
        return MN_OK;
    unlink(file->temporary);
    return file_error(error, "write", file->path, file->error_number);
}

void file_out_discard(FileOut* file)
{
    if (!file->stream)
        return;
    fclose(file->stream);
    file->stream = NULL;
    unlink(file->temporary);
}

mn_Result file_sync(const char* path, mn_Error* error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return file_error(error, "write", path, errno);
    // some file systems cannot sync a folder and say EINVAL; there is then nothing to wait for
    int failed = fsync(fd) && errno != EINVAL ? errno : 0;
    close(fd);
    return failed ? file_error(error, "write", path, failed) : MN_OK;
}

// --- reading

static mn_Result read_stream(int fd, const char* path, size_t expected, FileBytes* bytes, mn_Error* error)
{
    size_t capacity = expected + 1;
    bytes->data = malloc(capacity + 1);
    bytes->size = 0;
    while (bytes->data) {
        ssize_t got = read(fd, bytes->data + bytes->size, capacity - bytes->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return file_error(error, "read", path, errno);
        bytes->size += (size_t)got;
        if (got == 0) {
            bytes->data[bytes->size] = 0;
            return MN_OK;
        }
        // the file is longer than it said: a pipe, or still growing
        if (bytes->size == capacity) {
            capacity += capacity / 2 + 4096;
            char* larger = realloc(bytes->data, capacity + 1);
            if (!larger)
                break;
            bytes->data = larger;
        }
    }
    error_set(error, MN_OUT_OF_MEMORY, "no memory to read the file");
    error_at(error, path, 0, 0);
    return MN_OUT_OF_MEMORY;
}

mn_Result file_read(const char* path, FileBytes* bytes, mn_Error* error)
{
    *bytes = (FileBytes){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return file_error(error, "read", path, errno);
    struct stat info;
    mn_Result result;
    if (fstat(fd, &info))
        result = file_error(error, "read", path, errno);
    else if (S_ISDIR(info.st_mode))
        result = file_error(error, "read", path, EISDIR);
    else
        result = read_stream(fd, path, info.st_size > 0 ? (size_t)info.st_size : 0, bytes, error);
    close(fd);
    if (result != MN_OK)
        file_bytes_free(bytes);
    return result;
}

void file_bytes_free(FileBytes* bytes)
{
    free(bytes->data);
    *bytes = (FileBytes){0};
}
