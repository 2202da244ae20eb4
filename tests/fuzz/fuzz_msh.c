// SPDX-License-Identifier: MIT
// Feeds arbitrary bytes to the Gmsh reader and, if they are a mesh, to what is done with one.
#include "mesh/tet_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    TetMesh mesh = {0};
    mn_Error error = {0};
    if (msh_read((const char*)data, size, "fuzz.msh", &mesh, &error) != MN_OK)
        return 0;
    TriMesh surface = {0};
    uint32_t* point_of = NULL;
    bool valid = tet_mesh_check(&mesh, &error) == MN_OK;
    if (valid && tet_mesh_surface(&mesh, &surface, &point_of)) {
        TetAnchor anchor;
        (void)tet_mesh_embed(&mesh, surface.vertex, 1, &anchor);
    }
    memory_give(NULL, point_of);
    tri_mesh_free(&surface);
    tet_mesh_free(&mesh);
    return 0;
}
