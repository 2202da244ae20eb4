// SPDX-License-Identifier: MIT
// Shapes of SPlisHSPlasH: its mesh files, their outlines in a plane, and surfaces around particles. What is in no file yet is
// written beside the new scene.
#include "scene/foreign/splishsplash_parts.h"

#include "mesh/shape.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A mesh whose vertices are the eight corners of its bounds and whose triangles are those of its six sides.
static bool is_box(const TriMesh* mesh, Box3d bounds)
{
    if (mesh->triangle_count != 12)
        return false;
    Vec3d size = vec3d_sub(bounds.max, bounds.min);
    double tolerance = 1e-6 * vec3d_length(size);
    for (size_t k = 0; k < mesh->vertex_count; k++) {
        Vec3d v = mesh->vertex[k];
        bool corner = fmin(fabs(v.x - bounds.min.x), fabs(v.x - bounds.max.x)) <= tolerance &&
                      fmin(fabs(v.y - bounds.min.y), fabs(v.y - bounds.max.y)) <= tolerance &&
                      fmin(fabs(v.z - bounds.min.z), fabs(v.z - bounds.max.z)) <= tolerance;
        if (!corner)
            return false;
    }
    return true;
}

// --- files beside the scene

static json_t* new_mesh_file(Splish* s, const TriMesh* mesh)
{
    Page page = {0};
    for (size_t k = 0; k < mesh->vertex_count; k++)
        page_add(&page, "v %.9g %.9g %.9g\n", mesh->vertex[k].x, mesh->vertex[k].y, mesh->vertex[k].z);
    for (size_t k = 0; k < mesh->triangle_count; k++)
        page_add(&page, "f %u %u %u\n", mesh->triangle[k][0] + 1, mesh->triangle[k][1] + 1, mesh->triangle[k][2] + 1);
    for (size_t k = 0; k < mesh->segment_count; k++)
        page_add(&page, "l %u %u\n", mesh->segment[k][0] + 1, mesh->segment[k][1] + 1);
    ConversionFile* files = realloc(s->files, (s->file_count + 1) * sizeof *files);
    char* text = page_take(&page);
    if (files)
        s->files = files;
    if (!files || !text) {
        s->no_memory = true;
        free(text);
        return NULL;
    }
    ConversionFile* file = &files[s->file_count];
    file->text = text;
    snprintf(file->name, sizeof file->name, "%.60s_mesh%zu.obj", s->foreign->stem, s->file_count++);
    return json_pack("{s: s}", "mesh", file->name);
}

// --- outlines

static bool add_once(TriMesh* outline, Vec3d point, uint32_t* index)
{
    *index = (uint32_t)outline->vertex_count;
    return tri_mesh_add_vertex(outline, point);
}

// Where the edge from a to b crosses z = 0; the same bits whichever triangle asks.
static Vec3d crossing_of(Vec3d a, Vec3d b)
{
    bool swap = a.x != b.x ? a.x > b.x : a.y != b.y ? a.y > b.y : a.z > b.z;
    Vec3d from = swap ? b : a, to = swap ? a : b;
    double t = from.z / (from.z - to.z);
    return vec3d(from.x + t * (to.x - from.x), from.y + t * (to.y - from.y), 0);
}

// What the plane z = 0 cuts out of a mesh, with the inside on the left.
static bool cut_at_plane(const TriMesh* mesh, TriMesh* outline)
{
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        Vec3d corner[3], point[2];
        int count = 0;
        for (int i = 0; i < 3; i++)
            corner[i] = mesh->vertex[mesh->triangle[k][i]];
        for (int i = 0; i < 3; i++) {
            Vec3d a = corner[i], b = corner[(i + 1) % 3];
            if ((a.z >= 0) != (b.z >= 0) && count < 2)
                point[count++] = crossing_of(a, b);
        }
        if (count < 2)
            continue;
        Vec3d normal = vec3d_cross(vec3d_sub(corner[1], corner[0]), vec3d_sub(corner[2], corner[0]));
        Vec3d along = vec3d_sub(point[1], point[0]);
        bool turned = along.y * normal.x - along.x * normal.y < 0; // the outward normal is on the right
        uint32_t a, b;
        if (!add_once(outline, point[turned], &a) || !add_once(outline, point[!turned], &b) || !tri_mesh_add_segment(outline, a, b))
            return false;
    }
    Box3d bounds = tri_mesh_bounds(outline);
    return tri_mesh_weld(outline, 1e-9 * vec3d_distance(bounds.min, bounds.max));
}

// In a plane bodies are the cuts of their meshes with it. Scale, turn and depth are in the outline; its origin is the mesh's.
static json_t* outline_shape(Splish* s, const SplishObject* object, const char* file, TriMesh* mesh, const Placement* at)
{
    TriMesh outline = {0};
    mn_Pose pose = {.position = {0, 0, at->position.z},
                    .rotation = {at->rotation.w, at->rotation.x, at->rotation.y, at->rotation.z}};
    tri_mesh_scale(mesh, at->scale);
    tri_mesh_move(mesh, &pose);
    json_t* shape = NULL;
    if (!cut_at_plane(mesh, &outline))
        s->no_memory = true;
    else if (outline.segment_count == 0)
        splish_note(s, object, NULL, "the mesh %s does not reach the plane z = 0; left out", file);
    else
        shape = new_mesh_file(s, &outline);
    if (shape)
        splish_note(s, object, NULL, "a plane takes the outline of %s at z = 0, which is in %s", file,
                    s->files[s->file_count - 1].name);
    tri_mesh_free(&outline);
    return shape;
}

// --- shapes

static Box3d reach_of(Box3d bounds, const Placement* at)
{
    Box3d reach = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < 8; k++) {
        Vec3d corner =
            vec3d((k & 1 ? bounds.max.x : bounds.min.x) * at->scale.x, (k & 2 ? bounds.max.y : bounds.min.y) * at->scale.y,
                  (k & 4 ? bounds.max.z : bounds.min.z) * at->scale.z);
        corner = vec3d_add(at->position, quat_rotate(at->rotation, corner));
        reach.min = vec3d_min(reach.min, corner);
        reach.max = vec3d_max(reach.max, corner);
    }
    return reach;
}

static bool is_turned_out_of_plane(Quat q)
{
    return fabs(q.x) > 1e-12 || fabs(q.y) > 1e-12;
}

static json_t* box_shape(const Splish* s, Box3d bounds, Placement* at)
{
    Vec3d size = vec3d_sub(bounds.max, bounds.min), centre = vec3d_scale(vec3d_add(bounds.max, bounds.min), 0.5);
    Vec3d middle = vec3d(centre.x * at->scale.x, centre.y * at->scale.y, centre.z * at->scale.z);
    double w = fabs(size.x * at->scale.x), h = fabs(size.y * at->scale.y), d = fabs(size.z * at->scale.z);
    at->position = vec3d_add(at->position, quat_rotate(at->rotation, middle));
    at->scale = vec3d(1, 1, 1);
    return s->flat ? json_pack("{s: [f, f]}", "box", w, h) : json_pack("{s: [f, f, f]}", "box", w, h, d);
}

json_t* splish_shape(Splish* s, const SplishObject* object, const char* file, Placement* at, bool* closed)
{
    char path[PATH_MAX], written[PATH_MAX];
    mn_Error error = {0};
    TriMesh mesh = {0};
    TopologyReport topology = {0};
    *closed = false;
    splish_file(s, file, written, sizeof written);
    if (mesh_read(splish_path(s, file, path, sizeof path), &mesh, &error) != MN_OK) {
        splish_note(s, object, NULL, "the mesh %s cannot be read (%s); left out", file, error.message);
        tri_mesh_free(&mesh);
        return NULL;
    }
    bool ok = tri_mesh_weld(&mesh, 0) && tri_mesh_topology(&mesh, &topology);
    *closed = ok && topology.closed;
    Box3d bounds = tri_mesh_bounds(&mesh);
    at->reach = reach_of(bounds, at);
    json_t* shape;
    if (*closed && is_box(&mesh, bounds) && !(s->flat && is_turned_out_of_plane(at->rotation)))
        shape = box_shape(s, bounds, at);
    else if (s->flat) {
        shape = outline_shape(s, object, file, &mesh, at);
        at->scale = vec3d(1, 1, 1);
        at->rotation = quat_identity();
    } else {
        shape = json_pack("{s: s}", "mesh", written);
    }
    tri_mesh_free(&mesh);
    return shape;
}

json_t* splish_wrapped(Splish* s, const SplishObject* object, const char* file, Placement* at)
{
    char path[PATH_MAX];
    mn_Error error = {0};
    TriMesh mesh = {0};
    json_t* shape = NULL;
    splish_path(s, file, path, sizeof path);
    if (!s->foreign->wrap || !s->foreign->wrap(path, at->scale, s->radius, &mesh, &error)) {
        splish_note(s, object, NULL, "no surface can be made of the particles %s (%s); left out", file, error.message);
        tri_mesh_free(&mesh);
        return NULL;
    }
    at->scale = vec3d(1, 1, 1);
    Box3d bounds = tri_mesh_bounds(&mesh);
    at->reach = reach_of(bounds, at);
    if (is_box(&mesh, bounds))
        shape = box_shape(s, bounds, at);
    else
        shape = new_mesh_file(s, &mesh);
    tri_mesh_free(&mesh);
    return shape;
}
