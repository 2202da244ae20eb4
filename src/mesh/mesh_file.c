// SPDX-License-Identifier: MIT
// Reading a mesh file of any known format. Files of 2 GiB and more are refused; since every item of a mesh takes at least
// a byte, all counts then fit into 31 bits, and nothing is allocated that the file's own size does not justify.
#include "mesh/mesh_file.h"

#include "base/error.h"
#include "mesh/shape.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t SIZE_LIMIT = INT32_MAX;

mn_Result mesh_no_memory(const char* name, mn_Error* error)
{
    error_set(error, MN_OUT_OF_MEMORY, "no memory for the mesh");
    error_at(error, name, 0, 0);
    return MN_OUT_OF_MEMORY;
}

static mn_Result too_large(const char* name, mn_Error* error)
{
    error_set(error, MN_BAD_INPUT, "is larger than 2 GiB, the most that is read as a mesh");
    error_at(error, name, 0, 0);
    return MN_BAD_INPUT;
}

static mn_Result read_by_content(const char* data, size_t size, const char* name, TriMesh* mesh, mn_Error* error)
{
    if (ply_recognise(data, size))
        return ply_read(data, size, name, mesh, error);
    if (stl_recognise(data, size))
        return stl_read(data, size, name, mesh, error);
    return obj_read(data, size, name, mesh, error);
}

mn_Result mesh_read_memory(const char* data, size_t size, const char* name, TriMesh* mesh, mn_Error* error)
{
    if (size > SIZE_LIMIT)
        return too_large(name, error);
    if (size == 0) {
        error_set(error, MN_BAD_INPUT, "is empty; an obj, ply or stl mesh is needed");
        error_at(error, name, 1, 0);
        return MN_BAD_INPUT;
    }
    mn_Result result = read_by_content(data, size, name, mesh, error);
    if (result != MN_OK)
        tri_mesh_free(mesh);
    return result;
}

// --- files

// A file that the user named wrongly is bad input; one that cannot be read for other reasons is a failure of reading.
static mn_Result file_failed(const char* path, int code, const char* what, mn_Error* error)
{
    bool wrong_name = code == ENOENT || code == ENOTDIR || code == EISDIR || code == ENAMETOOLONG || code == ELOOP;
    mn_Result result = code == ENOMEM ? MN_OUT_OF_MEMORY : wrong_name ? MN_BAD_INPUT : MN_IO_FAILED;
    error_set(error, result, "cannot %s: %s", what, code == ENOMEM ? "no memory" : strerror(code));
    error_at(error, path, 0, 0);
    return result;
}

static mn_Result open_file(const char* path, int* file, size_t* size, mn_Error* error)
{
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe that nobody writes must not hold us
    if (*file < 0)
        return file_failed(path, errno, "open", error);
    struct stat status;
    int code = fstat(*file, &status) < 0 ? errno : S_ISDIR(status.st_mode) ? EISDIR : 0;
    if (code) {
        close(*file);
        return file_failed(path, code, "open", error);
    }
    if (!S_ISREG(status.st_mode)) {
        close(*file);
        error_set(error, MN_BAD_INPUT, "is a pipe or a device, not a file");
        error_at(error, path, 0, 0);
        return MN_BAD_INPUT;
    }
    *size = (size_t)status.st_size;
    return MN_OK;
}

// Reads to the end; the file may have grown, so the size is only where to start.
static mn_Result read_all(int file, const char* path, size_t expected, char** data, size_t* size, mn_Error* error)
{
    size_t capacity = 0, used = 0;
    for (;;) {
        if (used > SIZE_LIMIT || expected > SIZE_LIMIT)
            return too_large(path, error);
        size_t needed = used ? used + 65536 : expected + 1;
        if (used == capacity && !memory_reserve(NULL, data, &capacity, used, needed, 1))
            return mesh_no_memory(path, error);
        ssize_t got = read(file, *data + used, capacity - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return file_failed(path, errno, "read", error);
        if (got == 0)
            break;
        used += (size_t)got;
    }
    *size = used;
    return MN_OK;
}

mn_Result mesh_file_bytes(const char* path, char** data, size_t* size, mn_Error* error)
{
    int file;
    size_t expected;
    *data = NULL;
    *size = 0;
    mn_Result result = open_file(path, &file, &expected, error);
    if (result != MN_OK)
        return result;
    result = read_all(file, path, expected, data, size, error);
    close(file);
    return result;
}

mn_Result mesh_read(const char* path, TriMesh* mesh, mn_Error* error)
{
    char* data;
    size_t size;
    mn_Result result = mesh_file_bytes(path, &data, &size, error);
    if (result == MN_OK)
        result = mesh_read_memory(data, size, path, mesh, error);
    memory_give(NULL, data);
    return result;
}

enum { LARGE_FAN = 64 }; // triangles; below, fans do no harm

bool mesh_recut_fan(TriMesh* mesh, size_t first)
{
    size_t count = mesh->triangle_count - first, left = count + 2;
    if (count < LARGE_FAN)
        return true;
    uint32_t(*triangle)[3] = mesh->triangle + first;
    for (size_t k = 1; k < count; k++)
        if (triangle[k][1] != triangle[k - 1][2])
            return true; // corners were left out: not one ring
    uint32_t* ring = memory_take(NULL, left * sizeof *ring);
    if (!ring)
        return false;
    memcpy(ring, triangle[0], 2 * sizeof *ring);
    for (size_t k = 0; k < count; k++)
        ring[k + 2] = triangle[k][2];
    for (size_t out = 0; left >= 3;) {
        size_t kept = 0, k = 0;
        for (; k + 1 < left; k += 2) {
            uint32_t ear[3] = {ring[k], ring[k + 1], ring[(k + 2) % left]};
            memcpy(triangle[out++], ear, sizeof ear);
            ring[kept++] = ring[k];
        }
        if (k < left)
            ring[kept++] = ring[k];
        left = kept;
    }
    memory_give(NULL, ring);
    return true;
}
