// SPDX-License-Identifier: MIT
// A mesh made ready for drawing, once per solid: smooth normals that stop at creases, and the edges that may be drawn.
#ifndef RENDER_MODEL_H
#define RENDER_MODEL_H

#include "mesh/tri_mesh.h"

typedef struct ModelEdge {
    uint32_t a, b;        // vertices
    uint32_t left, right; // triangles; right == UINT32_MAX: an open border
    bool crease;
} ModelEdge;

typedef struct Model {
    const TriMesh* mesh; // not owned
    Vec3* corner_normal; // triangle_count x 3, unit, in the mesh's frame
    Vec3* face_normal;   // triangle_count
    ModelEdge* edge;
    size_t edge_count;
} Model;

// `mesh` must outlive the model. False: out of memory.
bool model_build(Model* model, const TriMesh* mesh);
void model_free(Model* model);

#endif
