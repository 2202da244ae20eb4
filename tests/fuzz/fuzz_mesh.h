// SPDX-License-Identifier: MIT
// What the mesh fuzzers share. Besides sanitizer findings, a mesh that breaks its own promises is a crash.
#ifndef TESTS_FUZZ_MESH_H
#define TESTS_FUZZ_MESH_H

#include "mesh/inside.h"
#include "mesh/mass.h"
#include "mesh/mesh_file.h"
#include "mesh/shape.h"
#include <stdlib.h>
#include <string.h>

typedef mn_Result ReadFn(const char* data, size_t size, const char* name, TriMesh* mesh, mn_Error* error);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static inline void require(int holds)
{
    if (!holds)
        abort();
}

static inline void check_mesh(const TriMesh* mesh)
{
    require(mesh->triangle_count + mesh->segment_count > 0);
    for (size_t i = 0; i < mesh->vertex_count; i++)
        require(vec3d_finite(mesh->vertex[i]));
    for (size_t k = 0; k < mesh->triangle_count; k++)
        for (int c = 0; c < 3; c++)
            require(mesh->triangle[k][c] < mesh->vertex_count);
    for (size_t k = 0; k < mesh->segment_count; k++)
        require(mesh->segment[k][0] < mesh->vertex_count && mesh->segment[k][1] < mesh->vertex_count);
}

static inline void use_mesh(TriMesh* mesh)
{
    TopologyReport report;
    require(tri_mesh_topology(mesh, &report));
    require(!report.oriented || report.closed);
    MassProperties mass = mass_of_closed(mesh);
    require(isfinite(mass.volume) && mass.volume >= 0);
    InsideTest* test = inside_create(mesh, NULL);
    require(test != NULL);
    Box3d box = tri_mesh_bounds(mesh);
    Vec3d middle = vec3d_lerp(box.min, box.max, 0.5);
    inside_contains(test, middle);
    require(inside_distance(test, middle, INFINITY, NULL, NULL) >= 0);
    inside_destroy(test);
    require(tri_mesh_weld(mesh, 1e-3 * vec3d_distance(box.min, box.max)));
    require(tri_mesh_drop_unused(mesh));
}

// Once by content, as users do, and once straight to the reader.
static inline int fuzz_mesh(const uint8_t* data, size_t size, ReadFn* read)
{
    for (int direct = 0; direct < 2; direct++) {
        TriMesh mesh = {0};
        mn_Error error = {0};
        const char* text = (const char*)data;
        if (direct && (size < 3 || (read == ply_read && !ply_recognise(text, size))))
            return 0;
        mn_Result result = direct ? read(text, size, "fuzz", &mesh, &error) : mesh_read_memory(text, size, "fuzz", &mesh, &error);
        if (result == MN_OK) {
            check_mesh(&mesh);
            use_mesh(&mesh);
        } else {
            require(result == MN_BAD_INPUT && error.message[0] && strcmp(error.file, "fuzz") == 0);
            require(error.line > 0 || strncmp(error.message, "byte ", 5) == 0);
        }
        tri_mesh_free(&mesh);
    }
    return 0;
}

#endif
