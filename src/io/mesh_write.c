// SPDX-License-Identifier: MIT
#include "io/mesh_write.h"

#include "io/vtp.h"
#include <string.h>

const char* mesh_extension(mn_SolidFormat format)
{
    static const char* const extension[] = {"", "vtp", "ply", "obj"};
    return extension[format];
}

static void write_vtp(FileOut* file, const mn_SolidView* solid)
{
    _Static_assert(sizeof(mn_Vec3) == 3 * sizeof(double), "vertices are packed");
    VtpWriter vtp;
    vtp_begin(&vtp, file, 0,
              (VtpCounts){.points = solid->vertex_count, .lines = solid->segment_count, .polys = solid->triangle_count});
    vtp_section(&vtp, "Points", true);
    vtp_declare(&vtp, NUMBER_F64, "position", 3, solid->vertex_count);
    vtp_section(&vtp, "Points", false);
    vtp_section(&vtp, "Lines", true);
    vtp_declare(&vtp, NUMBER_U32, "connectivity", 1, 2 * solid->segment_count);
    vtp_declare(&vtp, NUMBER_I32, "offsets", 1, solid->segment_count);
    vtp_section(&vtp, "Lines", false);
    vtp_section(&vtp, "Polys", true);
    vtp_declare(&vtp, NUMBER_U32, "connectivity", 1, 3 * solid->triangle_count);
    vtp_declare(&vtp, NUMBER_I32, "offsets", 1, solid->triangle_count);
    vtp_section(&vtp, "Polys", false);
    vtp_begin_data(&vtp);
    vtp_array(&vtp, solid->vertex, solid->vertex_count * sizeof *solid->vertex);
    vtp_array(&vtp, solid->segment, solid->segment_count * sizeof *solid->segment);
    vtp_range(&vtp, 2, 2, solid->segment_count);
    vtp_array(&vtp, solid->triangle, solid->triangle_count * sizeof *solid->triangle);
    vtp_range(&vtp, 3, 3, solid->triangle_count);
    vtp_end(&vtp);
}

static void write_ply(FileOut* file, const mn_SolidView* solid)
{
    file_out_print(file, "ply\nformat %s 1.0\ncomment meniscus solid\n",
                   machine_is_little_endian() ? "binary_little_endian" : "binary_big_endian");
    file_out_print(file, "element vertex %zu\nproperty double x\nproperty double y\nproperty double z\n", solid->vertex_count);
    file_out_print(file, "element face %zu\nproperty list uchar int vertex_indices\n", solid->triangle_count);
    if (solid->segment_count)
        file_out_print(file, "element edge %zu\nproperty int vertex1\nproperty int vertex2\n", solid->segment_count);
    file_out_print(file, "end_header\n");
    file_out_write(file, solid->vertex, solid->vertex_count * sizeof *solid->vertex);
    for (size_t k = 0; k < solid->triangle_count; k++) {
        char face[1 + sizeof solid->triangle[0]] = {3};
        memcpy(face + 1, solid->triangle[k], sizeof solid->triangle[0]);
        file_out_write(file, face, sizeof face);
    }
    file_out_write(file, solid->segment, solid->segment_count * sizeof *solid->segment);
}

static void write_obj(FileOut* file, const mn_SolidView* solid)
{
    file_out_print(file, "# meniscus solid\n");
    for (size_t k = 0; k < solid->vertex_count; k++)
        file_out_print(file, "v %.17g %.17g %.17g\n", solid->vertex[k].x, solid->vertex[k].y, solid->vertex[k].z);
    for (size_t k = 0; k < solid->triangle_count; k++)
        file_out_print(file, "f %u %u %u\n", solid->triangle[k][0] + 1, solid->triangle[k][1] + 1, solid->triangle[k][2] + 1);
    for (size_t k = 0; k < solid->segment_count; k++)
        file_out_print(file, "l %u %u\n", solid->segment[k][0] + 1, solid->segment[k][1] + 1);
}

mn_Result mesh_write(const char* path, mn_SolidFormat format, const mn_SolidView* solid, mn_Error* error)
{
    FileOut file;
    mn_Result result = file_out_open(&file, path, error);
    if (result != MN_OK)
        return result;
    if (format == MN_SOLIDS_OBJ)
        write_obj(&file, solid);
    else if (format == MN_SOLIDS_PLY)
        write_ply(&file, solid);
    else
        write_vtp(&file, solid);
    return file_out_commit(&file, false, error);
}
