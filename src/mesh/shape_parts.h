// SPDX-License-Identifier: MIT
// The primitives behind shape_build(). Sizes are valid when they arrive here. All return false when out of memory.
#ifndef MESH_SHAPE_PARTS_H
#define MESH_SHAPE_PARTS_H

#include "mesh/tri_mesh.h"

// Corners of a regular polygon that is nowhere farther than `tolerance` from its circle; at least 12.
uint32_t circle_corners(double radius, double tolerance);

// shape_solid.c: closed surfaces (plane and grid: open ones) of triangles
bool solid_box(TriMesh* mesh, Vec3d size);
bool solid_sphere(TriMesh* mesh, double radius, double tolerance);
bool solid_capsule(TriMesh* mesh, double radius, double length, double tolerance);
bool solid_cylinder(TriMesh* mesh, double radius, double height, double tolerance);
bool solid_cone(TriMesh* mesh, double radius, double height, double tolerance);
bool solid_torus(TriMesh* mesh, double ring, double tube, double tolerance);
bool solid_grid(TriMesh* mesh, double size_x, double size_z, int cells_x, int cells_z);

// shape_outline.c: outlines of segments in the plane z = 0, counter-clockwise
bool outline_box(TriMesh* mesh, double width, double height);
bool outline_circle(TriMesh* mesh, double centre_x, double radius, double tolerance);
bool outline_capsule(TriMesh* mesh, double radius, double length, double tolerance);
bool outline_triangle(TriMesh* mesh, double radius, double height);
bool outline_line(TriMesh* mesh, Vec3d from, Vec3d to);

// shape_hull.c
bool solid_hull(TriMesh* mesh, Vec3d size, double tolerance);
bool solid_boat(TriMesh* mesh, Vec3d size, double tolerance);
bool outline_hull(TriMesh* mesh, Vec3d size, double tolerance);
bool outline_boat(TriMesh* mesh, Vec3d size, double tolerance);

// shape_figure.c
bool solid_figure(TriMesh* mesh, double height, double tolerance);
bool outline_figure(TriMesh* mesh, double height, double tolerance);

#endif
