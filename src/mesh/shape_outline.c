// SPDX-License-Identifier: MIT
// Primitives in 2D: their outlines in the plane z = 0, counter-clockwise, so that the solid is on the left.
#include "mesh/shape_parts.h"

static const double PI = 3.14159265358979323846;

// Segments through the vertices from `first` on and back to it.
static bool close_loop(TriMesh* mesh, size_t first)
{
    for (size_t i = first; i < mesh->vertex_count; i++) {
        size_t next = i + 1 < mesh->vertex_count ? i + 1 : first;
        if (!tri_mesh_add_segment(mesh, (uint32_t)i, (uint32_t)next))
            return false;
    }
    return true;
}

// Corners on an arc, both ends included.
static bool add_arc(TriMesh* mesh, Vec3d centre, double radius, double from, double to, uint32_t steps)
{
    for (uint32_t k = 0; k <= steps; k++) {
        double angle = from + (to - from) * k / steps;
        if (!tri_mesh_add_vertex(mesh, vec3d(centre.x + radius * cos(angle), centre.y + radius * sin(angle), 0)))
            return false;
    }
    return true;
}

bool outline_box(TriMesh* mesh, double width, double height)
{
    double x = width / 2, y = height / 2;
    return tri_mesh_add_vertex(mesh, vec3d(-x, -y, 0)) && tri_mesh_add_vertex(mesh, vec3d(x, -y, 0)) &&
           tri_mesh_add_vertex(mesh, vec3d(x, y, 0)) && tri_mesh_add_vertex(mesh, vec3d(-x, y, 0)) && close_loop(mesh, 0);
}

bool outline_circle(TriMesh* mesh, double centre_x, double radius, double tolerance)
{
    size_t first = mesh->vertex_count;
    uint32_t corners = circle_corners(radius, tolerance);
    double last = 2 * PI * (corners - 1) / corners;
    return add_arc(mesh, vec3d(centre_x, 0, 0), radius, 0, last, corners - 1) && close_loop(mesh, first);
}

bool outline_capsule(TriMesh* mesh, double radius, double length, double tolerance)
{
    uint32_t steps = (circle_corners(radius, tolerance) + 1) / 2;
    return add_arc(mesh, vec3d(0, length / 2, 0), radius, 0, PI, steps) &&
           add_arc(mesh, vec3d(0, -length / 2, 0), radius, PI, 2 * PI, steps) && close_loop(mesh, 0);
}

bool outline_triangle(TriMesh* mesh, double radius, double height)
{
    double y = height / 2;
    return tri_mesh_add_vertex(mesh, vec3d(-radius, -y, 0)) && tri_mesh_add_vertex(mesh, vec3d(radius, -y, 0)) &&
           tri_mesh_add_vertex(mesh, vec3d(0, y, 0)) && close_loop(mesh, 0);
}

bool outline_line(TriMesh* mesh, Vec3d from, Vec3d to)
{
    return tri_mesh_add_vertex(mesh, from) && tri_mesh_add_vertex(mesh, to) && tri_mesh_add_segment(mesh, 0, 1);
}
