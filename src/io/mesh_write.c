// SPDX-License-Identifier: MIT
#include "io/mesh_write.h"

#include "base/vec.h"
#include "io/vtp.h"
#include <stdlib.h>
#include <string.h>

const char* mesh_extension(mn_SolidFormat format)
{
    static const char* const extension[] = {"", "vtp", "ply", "obj"};
    return extension[format];
}

typedef struct VtpCells {
    double time;           // [s]
    const uint32_t* solid; // a field of lines and triangles; may be NULL
    const uint8_t* inner;  // another one: 1 for faces at which a solid broke; may be NULL
} VtpCells;

static void write_vtp(FileOut* file, const mn_SolidView* solid, const VtpCells* cells)
{
    _Static_assert(sizeof(mn_Vec3) == 3 * sizeof(double), "vertices are packed");
    VtpWriter vtp;
    vtp_begin(&vtp, file, cells->time,
              (VtpCounts){.points = solid->vertex_count, .lines = solid->segment_count, .polys = solid->triangle_count});
    size_t cell_count = solid->segment_count + solid->triangle_count;
    if (cells->solid || cells->inner)
        vtp_section(&vtp, "CellData", true);
    if (cells->solid)
        vtp_declare(&vtp, NUMBER_U32, "solid", 1, cell_count);
    if (cells->inner)
        vtp_declare(&vtp, NUMBER_U8, "inner", 1, cell_count);
    if (cells->solid || cells->inner)
        vtp_section(&vtp, "CellData", false);
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
    if (cells->solid)
        vtp_array(&vtp, cells->solid, cell_count * sizeof *cells->solid);
    if (cells->inner)
        vtp_array(&vtp, cells->inner, cell_count);
    vtp_array(&vtp, solid->vertex, solid->vertex_count * sizeof *solid->vertex);
    vtp_array(&vtp, solid->segment, solid->segment_count * sizeof *solid->segment);
    vtp_range(&vtp, 2, 2, solid->segment_count);
    vtp_array(&vtp, solid->triangle, solid->triangle_count * sizeof *solid->triangle);
    vtp_range(&vtp, 3, 3, solid->triangle_count);
    vtp_end(&vtp);
}

// The first comment of .ply and .obj, by which solid_file_read() finds them again.
static void print_comment(FileOut* file, const char* mark, const mn_SolidView* solid)
{
    if (solid->divisible)
        file_out_print(file, "%s meniscus solid, inner faces %zu\n", mark, solid->inner_count);
    else
        file_out_print(file, "%s meniscus solid\n", mark);
}

static void write_ply(FileOut* file, const mn_SolidView* solid)
{
    file_out_print(file, "ply\nformat %s 1.0\n", machine_is_little_endian() ? "binary_little_endian" : "binary_big_endian");
    print_comment(file, "comment", solid);
    file_out_print(file, "element vertex %zu\nproperty double x\nproperty double y\nproperty double z\n", solid->vertex_count);
    file_out_print(file, "element face %zu\nproperty list uchar int vertex_indices\n", solid->triangle_count);
    if (solid->divisible)
        file_out_print(file, "property uchar inner\n");
    if (solid->segment_count)
        file_out_print(file, "element edge %zu\nproperty int vertex1\nproperty int vertex2\n", solid->segment_count);
    file_out_print(file, "end_header\n");
    file_out_write(file, solid->vertex, solid->vertex_count * sizeof *solid->vertex);
    for (size_t k = 0; k < solid->triangle_count; k++) {
        char face[2 + sizeof solid->triangle[0]] = {3};
        memcpy(face + 1, solid->triangle[k], sizeof solid->triangle[0]);
        face[sizeof face - 1] = k >= solid->triangle_count - solid->inner_count;
        file_out_write(file, face, solid->divisible ? sizeof face : sizeof face - 1);
    }
    file_out_write(file, solid->segment, solid->segment_count * sizeof *solid->segment);
}

static void write_obj(FileOut* file, const mn_SolidView* solid)
{
    print_comment(file, "#", solid);
    for (size_t k = 0; k < solid->vertex_count; k++)
        file_out_print(file, "v %.17g %.17g %.17g\n", solid->vertex[k].x, solid->vertex[k].y, solid->vertex[k].z);
    for (size_t k = 0; k < solid->triangle_count; k++) {
        if (solid->inner_count && k == 0)
            file_out_print(file, "g outer\n");
        if (k == solid->triangle_count - solid->inner_count)
            file_out_print(file, "g inner\n");
        file_out_print(file, "f %u %u %u\n", solid->triangle[k][0] + 1, solid->triangle[k][1] + 1, solid->triangle[k][2] + 1);
    }
    for (size_t k = 0; k < solid->segment_count; k++)
        file_out_print(file, "l %u %u\n", solid->segment[k][0] + 1, solid->segment[k][1] + 1);
}

// --- where they are

// Placed meshes, joined into one.
typedef struct Joined {
    size_t vertices, segments, triangles, all_segments;
    mn_Vec3* vertex;
    uint32_t (*segment)[2];
    uint32_t (*triangle)[3];
    uint32_t* solid; // of the segments, then of the triangles
    uint8_t* inner;  // the same
} Joined;

static bool joined_reserve(Joined* joined, size_t vertices, size_t segments, size_t triangles)
{
    *joined = (Joined){.all_segments = segments};
    joined->vertex = malloc((vertices + 1) * sizeof *joined->vertex);
    joined->segment = malloc((segments + 1) * sizeof *joined->segment);
    joined->triangle = malloc((triangles + 1) * sizeof *joined->triangle);
    joined->solid = malloc((segments + triangles + 1) * sizeof *joined->solid);
    joined->inner = calloc(segments + triangles + 1, sizeof *joined->inner);
    return joined->vertex && joined->segment && joined->triangle && joined->solid && joined->inner;
}

static void joined_free(Joined* joined)
{
    free(joined->vertex);
    free(joined->segment);
    free(joined->triangle);
    free(joined->solid);
    free(joined->inner);
}

static void join(Joined* to, const mn_SolidView* solid, uint32_t number)
{
    uint32_t first = (uint32_t)to->vertices;
    for (size_t k = 0; k < solid->vertex_count; k++)
        to->vertex[to->vertices++] = vec3d_add(solid->pose.position, quat_rotate(solid->pose.rotation, solid->vertex[k]));
    for (size_t k = 0; k < solid->segment_count; k++, to->segments++) {
        to->solid[to->segments] = number;
        for (int c = 0; c < 2; c++)
            to->segment[to->segments][c] = first + solid->segment[k][c];
    }
    for (size_t k = 0; k < solid->triangle_count; k++, to->triangles++) {
        to->solid[to->all_segments + to->triangles] = number;
        to->inner[to->all_segments + to->triangles] = k >= solid->triangle_count - solid->inner_count;
        for (int c = 0; c < 3; c++)
            to->triangle[to->triangles][c] = first + solid->triangle[k][c];
    }
}

static mn_SolidView joined_view(const Joined* joined)
{
    return (mn_SolidView){.vertex_count = joined->vertices,
                          .segment_count = joined->segments,
                          .triangle_count = joined->triangles,
                          .vertex = joined->vertex,
                          .segment = (const uint32_t(*)[2])joined->segment,
                          .triangle = (const uint32_t(*)[3])joined->triangle};
}

static mn_Result write_mesh(const char* path, mn_SolidFormat format, const mn_SolidView* mesh, const VtpCells* cells,
                            mn_Error* error)
{
    FileOut file;
    mn_Result result = file_out_open(&file, path, error);
    if (result != MN_OK)
        return result;
    if (format == MN_SOLIDS_OBJ)
        write_obj(&file, mesh);
    else if (format == MN_SOLIDS_PLY)
        write_ply(&file, mesh);
    else
        write_vtp(&file, mesh, cells);
    return file_out_commit(&file, false, error);
}

// Which cells are faces at which it broke; NULL: out of memory.
static uint8_t* inner_cells(const mn_SolidView* solid)
{
    size_t cells = solid->segment_count + solid->triangle_count;
    uint8_t* inner = calloc(cells + 1, sizeof *inner);
    for (size_t k = cells - solid->inner_count; inner && k < cells; k++)
        inner[k] = 1;
    return inner;
}

mn_Result mesh_write(const char* path, mn_SolidFormat format, const mn_SolidView* solid, mn_Error* error)
{
    VtpCells cells = {0};
    mn_Result result = MN_OUT_OF_MEMORY;
    if (solid->type != MN_SOLID_STATIC) {
        uint8_t* inner = solid->divisible ? inner_cells(solid) : NULL;
        cells.inner = inner;
        result = inner || !solid->divisible ? write_mesh(path, format, solid, &cells, error) : memory_error(error, path);
        free(inner);
        return result;
    }
    Joined joined;
    if (joined_reserve(&joined, solid->vertex_count, solid->segment_count, solid->triangle_count)) {
        join(&joined, solid, 0);
        mn_SolidView view = joined_view(&joined);
        result = write_mesh(path, format, &view, &cells, error);
    } else {
        memory_error(error, path);
    }
    joined_free(&joined);
    return result;
}

bool mesh_any_moves(const mn_World* world)
{
    for (size_t k = 0; k < mn_world_solid_count(world); k++)
        if (mn_world_solid(world, (mn_SolidId)(k + 1)).type != MN_SOLID_STATIC)
            return true;
    return false;
}

mn_Result mesh_write_moving(const char* path, const mn_World* world, double time, mn_Error* error)
{
    size_t count = mn_world_solid_count(world), vertices = 0, segments = 0, triangles = 0;
    bool any_divides = false;
    for (size_t k = 0; k < count; k++) {
        mn_SolidView solid = mn_world_solid(world, (mn_SolidId)(k + 1));
        bool moves = solid.type != MN_SOLID_STATIC;
        vertices += moves ? solid.vertex_count : 0;
        segments += moves ? solid.segment_count : 0;
        triangles += moves ? solid.triangle_count : 0;
        any_divides |= solid.divisible;
    }
    Joined joined;
    mn_Result result = joined_reserve(&joined, vertices, segments, triangles) ? MN_OK : memory_error(error, path);
    for (size_t k = 0; k < count && result == MN_OK; k++) {
        mn_SolidView solid = mn_world_solid(world, (mn_SolidId)(k + 1));
        if (solid.type != MN_SOLID_STATIC)
            join(&joined, &solid, (uint32_t)k);
    }
    if (result == MN_OK) {
        mn_SolidView view = joined_view(&joined);
        result = write_mesh(path, MN_SOLIDS_VTP, &view, &(VtpCells){time, joined.solid, any_divides ? joined.inner : NULL}, error);
    }
    joined_free(&joined);
    return result;
}
