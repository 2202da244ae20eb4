// SPDX-License-Identifier: MIT
#include "info_mesh.h"

#include "cli.h"
#include "io/vtp.h"
#include "mesh/mass.h"
#include "mesh/shape.h"

#include <stdio.h>

static double edge_length(const TriMesh* mesh, uint32_t a, uint32_t b)
{
    return vec3d_distance(mesh->vertex[a], mesh->vertex[b]);
}

static void print_edges(const TriMesh* mesh)
{
    double shortest = HUGE_VAL, longest = 0;
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        for (int e = 0; e < 3; e++) {
            double length = edge_length(mesh, mesh->triangle[k][e], mesh->triangle[k][(e + 1) % 3]);
            shortest = fmin(shortest, length);
            longest = fmax(longest, length);
        }
    }
    if (mesh->triangle_count)
        printf("  edges      %.6g .. %.6g m\n", shortest, longest);
}

static int print_mesh(const TriMesh* mesh, const char* path)
{
    TopologyReport report;
    if (!tri_mesh_topology(mesh, &report))
        return complain(STATUS_IO, "no memory");
    Box3d box = tri_mesh_bounds(mesh);
    char vertices[32], triangles[32];
    printf("%s: mesh\n  vertices   %s\n  triangles  %s\n", path, text_count(mesh->vertex_count, vertices),
           text_count(mesh->triangle_count, triangles));
    if (mesh->segment_count)
        printf("  segments   %zu\n", mesh->segment_count);
    printf("  bounds     %.6g %.6g %.6g .. %.6g %.6g %.6g m\n", box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z);
    print_edges(mesh);
    printf("  parts      %zu\n", report.components);
    if (report.closed) {
        MassProperties mass;
        if (!mass_of_union(mesh, &mass))
            return complain(STATUS_IO, "no memory");
        printf("  closed     yes\n  volume     %.6g m3, centre %.6g %.6g %.6g m\n", mass.volume, mass.centre.x, mass.centre.y,
               mass.centre.z);
        printf("  inertia    %.6g %.6g %.6g m5 about its centre, times density\n", mass.inertia[0][0], mass.inertia[1][1],
               mass.inertia[2][2]);
    } else {
        printf("  closed     no, %zu open edges\n", report.open_edges);
    }
    if (report.nonmanifold_edges)
        printf("  %zu edges belong to more than two triangles\n", report.nonmanifold_edges);
    if (report.flipped_edges)
        printf("  %zu edges lie between triangles that face opposite ways\n", report.flipped_edges);
    if (report.degenerate_triangles)
        printf("  %zu triangles have no area\n", report.degenerate_triangles);
    return STATUS_DONE;
}

int info_mesh(const char* path, int (*otherwise)(const char* path))
{
    TriMesh mesh = {0};
    mn_Error error = {0};
    mn_Result result = mesh_read(path, &mesh, &error);
    int status = result == MN_OK                       ? print_mesh(&mesh, path)
                 : result == MN_BAD_INPUT && otherwise ? otherwise(path)
                                                       : complain_error(&error);
    tri_mesh_free(&mesh);
    return status;
}

// --- .vtp

static mn_Result add_points(const VtpFile* vtp, const char* path, TriMesh* mesh, mn_Error* error)
{
    const VtpArray* points = vtp_find(vtp, "Points", NULL);
    if (!points || points->components != 3)
        return format_error(error, path, 0, "the file has no points");
    size_t size = number_size(points->type);
    for (size_t k = 0; k + 2 < points->count; k += 3) {
        Vec3d p = {number_get(points->type, points->data + k * size, vtp->swap),
                   number_get(points->type, points->data + (k + 1) * size, vtp->swap),
                   number_get(points->type, points->data + (k + 2) * size, vtp->swap)};
        if (!tri_mesh_add_vertex(mesh, p))
            return memory_error(error, path);
    }
    return MN_OK;
}

// Cells with `corners` corners each: 3 for triangles, 2 for lines. Others are refused, by their number of indices.
static mn_Result add_cells(const VtpFile* vtp, const char* section, uint64_t cells, size_t corners, const char* path, TriMesh* mesh,
                           mn_Error* error)
{
    const VtpArray* indices = vtp_find(vtp, section, "connectivity");
    if (!cells)
        return MN_OK;
    if (!indices || indices->count / corners != cells || indices->count % corners)
        return format_error(error, path, 0, "only triangles and single lines are understood");
    size_t size = number_size(indices->type);
    for (size_t k = 0; k < indices->count; k += corners) {
        uint32_t corner[3] = {0};
        for (size_t c = 0; c < corners; c++) {
            double index = number_get(indices->type, indices->data + (k + c) * size, vtp->swap);
            if (!(index >= 0) || index >= (double)mesh->vertex_count)
                return format_error(error, path, 0, "a cell has a corner that does not exist");
            corner[c] = (uint32_t)index;
        }
        bool added = corners == 3 ? tri_mesh_add_triangle(mesh, corner[0], corner[1], corner[2])
                                  : tri_mesh_add_segment(mesh, corner[0], corner[1]);
        if (!added)
            return memory_error(error, path);
    }
    return MN_OK;
}

int info_vtp_mesh(const char* path)
{
    FileBytes bytes;
    mn_Error error = {0};
    if (file_read(path, &bytes, &error) != MN_OK)
        return complain_error(&error);
    VtpFile vtp;
    TriMesh mesh = {0};
    mn_Result result = vtp_parse(&bytes, path, &vtp, &error);
    if (result == MN_OK)
        result = add_points(&vtp, path, &mesh, &error);
    if (result == MN_OK)
        result = add_cells(&vtp, "Polys", vtp.counts.polys, 3, path, &mesh, &error);
    if (result == MN_OK)
        result = add_cells(&vtp, "Lines", vtp.counts.lines, 2, path, &mesh, &error);
    int status = result == MN_OK ? print_mesh(&mesh, path) : complain_error(&error);
    tri_mesh_free(&mesh);
    file_bytes_free(&bytes);
    return status;
}
