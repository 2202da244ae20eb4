// SPDX-License-Identifier: MIT
// shape_build(): one table row per shape says its key, which sizes it has and what they mean; then the primitive is made.
#include "mesh/shape.h"

#include "base/error.h"
#include "mesh/mesh_file.h"
#include "mesh/shape_parts.h"
#include "mesh/tet_mesh.h"
#include <stdio.h>
#include <string.h>

// Roles of size.x, size.y, size.z in messages; NULL: not used.
typedef struct ShapeRow {
    const char* key;
    const char* size[3];
    bool curved; // is tessellated by its radii
} ShapeRow;

static const ShapeRow SHAPES[] = {
    [MN_SHAPE_BOX] = {"box", {"edge length x", "edge length y", "edge length z"}, false},
    [MN_SHAPE_SPHERE] = {"sphere", {"radius", NULL, NULL}, true},
    [MN_SHAPE_CAPSULE] = {"capsule", {"radius", "length between the cap centres", NULL}, true},
    [MN_SHAPE_CYLINDER] = {"cylinder", {"radius", "height", NULL}, true},
    [MN_SHAPE_CONE] = {"cone", {"base radius", "height", NULL}, true},
    [MN_SHAPE_TORUS] = {"torus", {"ring radius", "tube radius", NULL}, true},
    [MN_SHAPE_PLANE] = {"plane", {"edge length x", NULL, "edge length z"}, false},
    [MN_SHAPE_GRID] = {"grid", {"edge length x", NULL, "edge length z"}, false},
    [MN_SHAPE_ROD] = {"rod", {NULL, "length", NULL}, false},
    [MN_SHAPE_HULL] = {"hull", {"length", "height", "beam"}, true},
    [MN_SHAPE_BOAT] = {"boat", {"length", "height", "beam"}, true},
    [MN_SHAPE_FIGURE] = {"figure", {NULL, "height", NULL}, false},
    [MN_SHAPE_MESH] = {"mesh", {NULL, NULL, NULL}, false},
    [MN_SHAPE_TETS] = {"tets", {NULL, NULL, NULL}, false},
};
enum { SHAPE_TYPES = sizeof SHAPES / sizeof SHAPES[0] };

// Puts the key of the shape to an error that was just set.
static mn_Result at_shape(mn_Result result, const ShapeRow* row, mn_Error* error)
{
    error_key(error, "shape.%s", row->key);
    return result;
}

static mn_Result check_sizes(const mn_Shape* shape, const ShapeRow* row, int dimension, mn_Error* error)
{
    double size[3] = {shape->size.x, shape->size.y, shape->size.z};
    for (int k = 0; k < 3; k++) {
        bool used = row->size[k] && (k < 2 || dimension == 3); // a 2D outline has no depth
        if (used && !(size[k] >= SHAPE_SIZE_MIN && size[k] <= SHAPE_SIZE_MAX))
            return error_set(error, MN_BAD_INPUT, "%s is %g but must be from %g to %g m", row->size[k], size[k], SHAPE_SIZE_MIN,
                             SHAPE_SIZE_MAX);
    }
    return MN_OK;
}

static mn_Result check_cells(const mn_Shape* shape, mn_Error* error)
{
    int x = shape->cells[0], z = shape->cells[1];
    if (x < 1 || z < 1 || (double)x * z > SHAPE_CELLS_MAX)
        return error_set(error, MN_BAD_INPUT, "cells are [%d, %d] but must be at least 1 each and at most %d in all", x, z,
                         SHAPE_CELLS_MAX);
    return MN_OK;
}

static mn_Result check_curves(const mn_Shape* shape, double tolerance, mn_Error* error)
{
    bool torus = shape->type == MN_SHAPE_TORUS;
    if (torus && !(shape->size.y < shape->size.x))
        return error_set(error, MN_BAD_INPUT, "tube radius is %g m but must be less than the ring radius, %g m", shape->size.y,
                         shape->size.x);
    double radius = shape->size.x + (torus ? shape->size.y : 0);
    if (!(radius <= tolerance * SHAPE_FINENESS_MAX))
        return error_set(error, MN_BAD_INPUT,
                         "radius %g m is too large for this resolution: at most %g m (or larger particles), "
                         "since curved surfaces are followed to %g m",
                         radius, tolerance * SHAPE_FINENESS_MAX, tolerance);
    return MN_OK;
}

static mn_Result check_shape(const mn_Shape* shape, const ShapeRow* row, int dimension, double tolerance, mn_Error* error)
{
    mn_Result result = check_sizes(shape, row, dimension, error);
    if (result == MN_OK && shape->type == MN_SHAPE_GRID && dimension == 3)
        result = check_cells(shape, error);
    if (result == MN_OK && row->curved)
        result = check_curves(shape, tolerance, error);
    return result;
}

static bool build_solid(const mn_Shape* shape, double tolerance, TriMesh* mesh)
{
    Vec3d size = shape->size;
    switch (shape->type) {
    case MN_SHAPE_BOX:
        return solid_box(mesh, size);
    case MN_SHAPE_SPHERE:
        return solid_sphere(mesh, size.x, tolerance);
    case MN_SHAPE_CAPSULE:
        return solid_capsule(mesh, size.x, size.y, tolerance);
    case MN_SHAPE_CYLINDER:
        return solid_cylinder(mesh, size.x, size.y, tolerance);
    case MN_SHAPE_CONE:
        return solid_cone(mesh, size.x, size.y, tolerance);
    case MN_SHAPE_TORUS:
        return solid_torus(mesh, size.x, size.y, tolerance);
    case MN_SHAPE_PLANE:
        return solid_grid(mesh, size.x, size.z, 1, 1);
    case MN_SHAPE_GRID:
        return solid_grid(mesh, size.x, size.z, shape->cells[0], shape->cells[1]);
    case MN_SHAPE_ROD:
        return outline_line(mesh, vec3d(0, -size.y / 2, 0), vec3d(0, size.y / 2, 0));
    case MN_SHAPE_HULL:
        return solid_hull(mesh, size, tolerance);
    case MN_SHAPE_BOAT:
        return solid_boat(mesh, size, tolerance);
    case MN_SHAPE_FIGURE:
        return solid_figure(mesh, size.y, tolerance);
    case MN_SHAPE_MESH:
    case MN_SHAPE_TETS:
        break;
    }
    return false;
}

static bool build_outline(const mn_Shape* shape, double tolerance, TriMesh* mesh)
{
    Vec3d size = shape->size;
    switch (shape->type) {
    case MN_SHAPE_BOX:
        return outline_box(mesh, size.x, size.y);
    case MN_SHAPE_SPHERE:
        return outline_circle(mesh, 0, size.x, tolerance);
    case MN_SHAPE_CAPSULE:
        return outline_capsule(mesh, size.x, size.y, tolerance);
    case MN_SHAPE_CYLINDER:
        return outline_box(mesh, 2 * size.x, size.y);
    case MN_SHAPE_CONE:
        return outline_triangle(mesh, size.x, size.y);
    case MN_SHAPE_TORUS:
        return outline_circle(mesh, -size.x, size.y, tolerance) && outline_circle(mesh, size.x, size.y, tolerance);
    case MN_SHAPE_PLANE:
    case MN_SHAPE_GRID: // solid below, so that the normal is +y as in 3D
        return outline_line(mesh, vec3d(size.x / 2, 0, 0), vec3d(-size.x / 2, 0, 0));
    case MN_SHAPE_ROD:
        return outline_line(mesh, vec3d(0, -size.y / 2, 0), vec3d(0, size.y / 2, 0));
    case MN_SHAPE_HULL:
        return outline_hull(mesh, size, tolerance);
    case MN_SHAPE_BOAT:
        return outline_boat(mesh, size, tolerance);
    case MN_SHAPE_FIGURE:
        return outline_figure(mesh, size.y, tolerance);
    case MN_SHAPE_MESH:
    case MN_SHAPE_TETS:
        break;
    }
    return false;
}

// --- meshes from files

// Programs write a vertex more than once along the seams of textures and normals, and rounding moves the copies apart a little.
// What is closed without these gaps was meant to be; what stays open is left as it is.
static bool close_seams(TriMesh* mesh)
{
    static const double share = 1e-6; // of the mesh's diagonal; files have six or seven digits
    TopologyReport before, after;
    TriMesh welded = {0};
    if (!tri_mesh_topology(mesh, &before))
        return false;
    if (before.closed)
        return true;
    Box3d box = tri_mesh_bounds(mesh);
    bool ok = tri_mesh_copy(mesh, &welded) && tri_mesh_weld(&welded, share * vec3d_distance(box.min, box.max)) &&
              tri_mesh_drop_unused(&welded) && tri_mesh_topology(&welded, &after);
    if (ok && after.closed) {
        TriMesh open = *mesh;
        *mesh = welded;
        welded = open;
    }
    tri_mesh_free(&welded);
    return ok;
}

// Keeps the triangles (3D) or the lines (2D) of what was read; an outline is brought to z = 0.
static mn_Result keep_dimension(const char* path, int dimension, TriMesh* mesh, mn_Error* error)
{
    size_t kept = dimension == 3 ? mesh->triangle_count : mesh->segment_count;
    if (kept == 0) {
        error_set(error, MN_BAD_INPUT, "%s",
                  dimension == 3 ? "has lines but no triangles, which a solid in 3D needs"
                                 : "has no lines (obj elements 'l'), which a solid in 2D needs");
        error_at(error, path, 0, 0);
        return MN_BAD_INPUT;
    }
    if (dimension == 3)
        mesh->segment_count = 0;
    else
        mesh->triangle_count = 0;
    if (!tri_mesh_weld(mesh, 0) || !tri_mesh_drop_unused(mesh) || (dimension == 3 && !close_seams(mesh)))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for the mesh");
    if (dimension == 3)
        return MN_OK;
    Box3d box = tri_mesh_bounds(mesh);
    if (box.max.z != box.min.z) {
        error_set(error, MN_BAD_INPUT, "the outline runs from z = %g to %g but must be flat in 2D", box.min.z, box.max.z);
        error_at(error, path, 0, 0);
        return MN_BAD_INPUT;
    }
    for (size_t i = 0; i < mesh->vertex_count; i++)
        mesh->vertex[i].z = 0;
    return MN_OK;
}

mn_Result shape_file(const mn_Shape* shape, const char* folder, char* path, size_t size, mn_Error* error)
{
    if (!shape->file || !shape->file[0])
        return error_set(error, MN_BAD_INPUT, "names no file; %s file is needed",
                         shape->type == MN_SHAPE_TETS ? "an msh, node or ele" : "an obj, ply or stl");
    bool relative = folder && folder[0] && shape->file[0] != '/';
    int length = snprintf(path, size, "%s%s%s", relative ? folder : "", relative ? "/" : "", shape->file);
    if (length < 0 || (size_t)length >= size)
        return error_set(error, MN_BAD_INPUT, "the file name has %d characters, more than the %zu allowed", length, size - 1);
    return MN_OK;
}

static mn_Result build_from_file(const mn_Shape* shape, int dimension, const char* folder, TriMesh* mesh, mn_Error* error)
{
    char path[4096] = "mesh in place of a file";
    const char* text = mesh_text_of(shape->file);
    mn_Result result =
        text ? mesh_read_memory(text, strlen(text), path, mesh, error) : shape_file(shape, folder, path, sizeof path, error);
    if (result == MN_OK && !text)
        result = mesh_read(path, mesh, error);
    return result == MN_OK ? keep_dimension(path, dimension, mesh, error) : result;
}

// The surface of what a file of tetrahedra fills.
static mn_Result build_from_tets(const mn_Shape* shape, int dimension, const char* folder, TriMesh* mesh, mn_Error* error)
{
    if (dimension != 3)
        return error_set(error, MN_BAD_INPUT, "tetrahedra are for scenes in 3D");
    char path[4096];
    TetMesh tets = {0};
    mn_Result result = shape_file(shape, folder, path, sizeof path, error);
    if (result == MN_OK)
        result = tet_mesh_read(path, &tets, error);
    if (result == MN_OK && (result = tet_mesh_check(&tets, error)) != MN_OK)
        error_at(error, path, 0, 0);
    uint32_t* point_of = NULL;
    if (result == MN_OK && !tet_mesh_surface(&tets, mesh, &point_of))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for the surface of tetrahedra");
    memory_give(NULL, point_of);
    tet_mesh_free(&tets);
    return result;
}

static mn_Result build_any(const mn_Shape* shape, int dimension, double tolerance, const char* folder, TriMesh* mesh,
                           mn_Error* error)
{
    if (shape->type == MN_SHAPE_MESH)
        return build_from_file(shape, dimension, folder, mesh, error);
    if (shape->type == MN_SHAPE_TETS)
        return build_from_tets(shape, dimension, folder, mesh, error);
    mn_Result result = check_shape(shape, &SHAPES[shape->type], dimension, tolerance, error);
    if (result != MN_OK)
        return result;
    bool built = dimension == 3 ? build_solid(shape, tolerance, mesh) : build_outline(shape, tolerance, mesh);
    return built ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for the shape's mesh");
}

mn_Result shape_build(const mn_Shape* shape, int dimension, double tolerance, const char* folder, TriMesh* mesh, mn_Error* error)
{
    if ((unsigned)shape->type >= SHAPE_TYPES)
        return error_set(error, MN_BAD_INPUT, "shape type %d does not exist", (int)shape->type);
    if (dimension != 2 && dimension != 3)
        return error_set(error, MN_BAD_INPUT, "dimension is %d but must be 2 or 3", dimension);
    mn_Result result = build_any(shape, dimension, tolerance, folder, mesh, error);
    if (result == MN_OK)
        return MN_OK;
    tri_mesh_free(mesh);
    return at_shape(result, &SHAPES[shape->type], error);
}
