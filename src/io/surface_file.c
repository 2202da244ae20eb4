// SPDX-License-Identifier: MIT
#include "io/surface_file.h"

#include "io/series.h"
#include "io/vtp.h"
#include <string.h>

static const struct {
    const char* name;
    const char* column[3]; // where a format knows scalars only
    int components;
} values[] = {{"velocity", {"vx", "vy", "vz"}, 3}, {"density", {"density"}, 1}, {"pressure", {"pressure"}, 1}};
enum { VALUES = sizeof values / sizeof *values };

mn_Result surface_of_frame(const SurfaceDef* def, const Frame* frame, Pool* pool, Memory* memory, SurfaceMesh* mesh,
                           mn_Error* error)
{
    SurfaceInput input = {.count = frame->count,
                          .position = frame->position,
                          .stride = 3,
                          .value_count = VALUES,
                          .value = {{frame->velocity, 3, 3}, {frame->density, 1, 1}, {frame->pressure, 1, 1}}};
    return surface_build(def, &input, pool, memory, mesh, error);
}

const char* surface_extension(mn_SurfaceFormat format)
{
    static const char* const extension[] = {"", "vtp", "ply", "obj"};
    return extension[format];
}

static void write_vtp(FileOut* file, const SurfaceMesh* mesh, double time)
{
    VtpWriter vtp;
    uint64_t n = mesh->vertex_count, t = mesh->triangle_count;
    vtp_begin(&vtp, file, time, (VtpCounts){.points = n, .polys = t});
    vtp_section(&vtp, "Points", true);
    vtp_declare(&vtp, NUMBER_F32, "position", 3, n);
    vtp_section(&vtp, "Points", false);
    vtp_section(&vtp, "PointData", true);
    vtp_declare(&vtp, NUMBER_F32, "normal", 3, n);
    for (size_t k = 0; k < mesh->value_count; k++)
        vtp_declare(&vtp, NUMBER_F32, values[k].name, values[k].components, n);
    vtp_section(&vtp, "PointData", false);
    vtp_section(&vtp, "Polys", true);
    vtp_declare(&vtp, NUMBER_U32, "connectivity", 1, 3 * t);
    vtp_declare(&vtp, NUMBER_I32, "offsets", 1, t);
    vtp_section(&vtp, "Polys", false);
    vtp_begin_data(&vtp);
    vtp_array(&vtp, mesh->position, n * sizeof *mesh->position);
    vtp_array(&vtp, mesh->normal, n * sizeof *mesh->normal);
    for (size_t k = 0; k < mesh->value_count; k++)
        vtp_array(&vtp, mesh->value[k], n * (uint64_t)values[k].components * sizeof(float));
    vtp_array(&vtp, mesh->triangle, t * sizeof *mesh->triangle);
    vtp_range(&vtp, 3, 3, t);
    vtp_end(&vtp);
}

static void write_ply(FileOut* file, const SurfaceMesh* mesh, double time)
{
    file_out_print(file, "ply\nformat %s 1.0\ncomment meniscus surface\ncomment time %.17g\nelement vertex %zu\n",
                   machine_is_little_endian() ? "binary_little_endian" : "binary_big_endian", time, mesh->vertex_count);
    file_out_print(file, "property float x\nproperty float y\nproperty float z\n");
    file_out_print(file, "property float nx\nproperty float ny\nproperty float nz\n");
    for (size_t k = 0; k < mesh->value_count; k++)
        for (int c = 0; c < values[k].components; c++)
            file_out_print(file, "property float %s\n", values[k].column[c]);
    file_out_print(file, "element face %zu\nproperty list uchar int vertex_indices\nend_header\n", mesh->triangle_count);
    for (size_t v = 0; v < mesh->vertex_count && !file->error_number; v++) {
        file_out_write(file, &mesh->position[v], sizeof *mesh->position);
        file_out_write(file, &mesh->normal[v], sizeof *mesh->normal);
        for (size_t k = 0; k < mesh->value_count; k++) {
            size_t n = (size_t)values[k].components;
            file_out_write(file, mesh->value[k] + v * n, n * sizeof(float));
        }
    }
    for (size_t t = 0; t < mesh->triangle_count && !file->error_number; t++) {
        char face[1 + sizeof mesh->triangle[0]] = {3};
        memcpy(face + 1, mesh->triangle[t], sizeof mesh->triangle[0]);
        file_out_write(file, face, sizeof face);
    }
}

static void write_obj(FileOut* file, const SurfaceMesh* mesh)
{
    file_out_print(file, "# meniscus surface\n");
    for (size_t v = 0; v < mesh->vertex_count && !file->error_number; v++)
        file_out_print(file, "v %.9g %.9g %.9g\n", (double)mesh->position[v].x, (double)mesh->position[v].y,
                       (double)mesh->position[v].z);
    for (size_t v = 0; v < mesh->vertex_count && !file->error_number; v++)
        file_out_print(file, "vn %.4g %.4g %.4g\n", (double)mesh->normal[v].x, (double)mesh->normal[v].y,
                       (double)mesh->normal[v].z);
    for (size_t t = 0; t < mesh->triangle_count && !file->error_number; t++) {
        const uint32_t* c = mesh->triangle[t];
        file_out_print(file, "f %u//%u %u//%u %u//%u\n", c[0] + 1, c[0] + 1, c[1] + 1, c[1] + 1, c[2] + 1, c[2] + 1);
    }
}

mn_Result surface_write(const char* path, mn_SurfaceFormat format, const SurfaceMesh* mesh, double time, mn_Error* error)
{
    FileOut file;
    mn_Result result = file_out_open(&file, path, error);
    if (result != MN_OK)
        return result;
    if (format == MN_SURFACE_OBJ)
        write_obj(&file, mesh);
    else if (format == MN_SURFACE_PLY)
        write_ply(&file, mesh, time);
    else
        write_vtp(&file, mesh, time);
    return file_out_commit(&file, false, error);
}

mn_Result surface_write_list(const char* folder, const char* name, mn_SurfaceFormat format, int64_t last_frame, double frame_rate,
                             mn_Error* error)
{
    if (format != MN_SURFACE_VTP && format != MN_SURFACE_PLY)
        return MN_OK;
    return series_write_list(folder, name, format == MN_SURFACE_VTP ? MN_PARTICLES_VTP : MN_PARTICLES_PLY, last_frame, frame_rate,
                             error);
}
