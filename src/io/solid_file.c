// SPDX-License-Identifier: MIT
#include "io/solid_file.h"

#include "io/file.h"
#include "io/mesh_write.h"
#include "io/run_names.h"
#include "io/vtp.h"
#include "mesh/shape.h"
#include <stdlib.h>
#include <string.h>

static mn_Result vtp_mesh(const VtpFile* vtp, const char* path, TriMesh* mesh, mn_Error* error)
{
    const VtpArray *points = vtp_find(vtp, "Points", NULL), *corners = vtp_find(vtp, "Polys", "connectivity");
    bool good = points && corners && !vtp->swap && points->type == NUMBER_F64 && corners->type == NUMBER_U32 &&
                points->count == 3 * vtp->counts.points && corners->count == 3 * vtp->counts.polys;
    if (!good)
        return format_error(error, path, 0, "not a mesh of triangles as meniscus writes them");
    for (size_t k = 0; k < vtp->counts.points; k++) {
        Vec3d x;
        memcpy(&x, points->data + k * sizeof x, sizeof x);
        if (!tri_mesh_add_vertex(mesh, x))
            return memory_error(error, path);
    }
    for (size_t k = 0; k < vtp->counts.polys; k++) {
        uint32_t t[3];
        memcpy(t, corners->data + k * sizeof t, sizeof t);
        if (t[0] >= mesh->vertex_count || t[1] >= mesh->vertex_count || t[2] >= mesh->vertex_count)
            return format_error(error, path, 0, "triangle %zu names a vertex that is not there", k);
        if (!tri_mesh_add_triangle(mesh, t[0], t[1], t[2]))
            return memory_error(error, path);
    }
    const VtpArray* inner = vtp_find(vtp, "CellData", "inner"); // lines, then triangles
    bool told = inner && inner->type == NUMBER_U8 && inner->count == vtp->counts.lines + vtp->counts.polys;
    while (told && mesh->inner_count < mesh->triangle_count && inner->data[inner->count - 1 - mesh->inner_count])
        mesh->inner_count++;
    return MN_OK;
}

// How many faces the first comment of a .ply or .obj says are those of cracks.
static mn_Result read_comment(const char* path, TriMesh* mesh, mn_Error* error)
{
    static const char key[] = "meniscus solid, inner faces ";
    FileBytes bytes;
    mn_Result result = file_read(path, &bytes, error);
    if (result != MN_OK)
        return result;
    char head[160];
    size_t length = bytes.size < sizeof head - 1 ? bytes.size : sizeof head - 1;
    memcpy(head, bytes.data, length);
    head[length] = 0;
    const char* at = strstr(head, key);
    unsigned long long count = at ? strtoull(at + sizeof key - 1, NULL, 10) : 0;
    mesh->inner_count = count <= mesh->triangle_count ? (size_t)count : 0;
    file_bytes_free(&bytes);
    return MN_OK;
}

mn_Result solid_file_read(const char* path, mn_SolidFormat format, TriMesh* mesh, mn_Error* error)
{
    if (format != MN_SOLIDS_VTP) {
        mn_Result read = mesh_read(path, mesh, error);
        return read == MN_OK ? read_comment(path, mesh, error) : read;
    }
    FileBytes bytes;
    VtpFile vtp;
    mn_Result result = file_read(path, &bytes, error);
    if (result != MN_OK)
        return result;
    result = vtp_parse(&bytes, path, &vtp, error);
    if (result == MN_OK)
        result = vtp_mesh(&vtp, path, mesh, error);
    if (result != MN_OK)
        tri_mesh_free(mesh);
    file_bytes_free(&bytes);
    return result;
}

mn_Result run_folder_read_solid(const RunFolder* run, size_t index, size_t solid, TriMesh* mesh, mn_Error* error)
{
    mn_SolidFormat format = run->scene->output.solids;
    if (format == MN_SOLIDS_NONE)
        return format_error(error, run->path, 0, "the run has no files of its solids");
    char folder[PATH_SIZE], path[PATH_SIZE];
    RunNames names;
    mn_Result result = path_join(folder, run->path, RUN_SOLIDS, error);
    if (result == MN_OK)
        result = run_names_make(&names, run->scene, error);
    if (result != MN_OK)
        return result;
    result = series_path(path, folder, names.solid[solid], run->frame_number[index], mesh_extension(format), error);
    if (result == MN_OK)
        result = solid_file_read(path, format, mesh, error);
    run_names_free(&names);
    return result;
}
