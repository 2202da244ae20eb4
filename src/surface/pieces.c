// SPDX-License-Identifier: MIT
#include "surface/pieces.h"

#include "base/union_find.h"
#include <stdlib.h>
#include <string.h>

// --- who belongs together

bool pieces_find(Pieces* p, const SurfaceMesh* mesh)
{
    size_t n = mesh->vertex_count;
    uint32_t* parent = malloc((n + 1) * sizeof *parent);
    *p = (Pieces){.of_vertex = malloc((n + 1) * sizeof *p->of_vertex)};
    if (!parent || !p->of_vertex) {
        free(parent);
        pieces_free(p);
        return false;
    }
    for (size_t v = 0; v < n; v++)
        parent[v] = (uint32_t)v;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        union_join(parent, mesh->triangle[t][0], mesh->triangle[t][1]);
        union_join(parent, mesh->triangle[t][1], mesh->triangle[t][2]);
    }
    for (size_t v = 0; v < n; v++) {
        uint32_t root = union_root(parent, (uint32_t)v);
        p->of_vertex[v] = root == v ? (uint32_t)p->count++ : p->of_vertex[root];
    }
    free(parent);
    p->piece = malloc((p->count + 1) * sizeof *p->piece);
    if (!p->piece) {
        pieces_free(p);
        return false;
    }
    pieces_measure(p, mesh);
    return true;
}

void pieces_free(Pieces* p)
{
    free(p->of_vertex);
    free(p->piece);
    *p = (Pieces){0};
}

static Vec3d to_double(Vec3 v)
{
    return vec3d((double)v.x, (double)v.y, (double)v.z);
}

void pieces_measure(Pieces* p, const SurfaceMesh* mesh)
{
    memset(p->piece, 0, (p->count + 1) * sizeof *p->piece);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        Piece* piece = &p->piece[p->of_vertex[v]];
        piece->centre = vec3d_add(piece->centre, to_double(mesh->position[v]));
        piece->vertices++;
    }
    for (size_t k = 0; k < p->count; k++)
        p->piece[k].centre = vec3d_scale(p->piece[k].centre, 1.0 / (double)p->piece[k].vertices);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t* c = mesh->triangle[t];
        Piece* piece = &p->piece[p->of_vertex[c[0]]];
        // volumes about the piece's own centre keep their digits far from the origin
        Vec3d a = vec3d_sub(to_double(mesh->position[c[0]]), piece->centre);
        Vec3d ab = vec3d_sub(vec3d_sub(to_double(mesh->position[c[1]]), piece->centre), a);
        Vec3d ac = vec3d_sub(vec3d_sub(to_double(mesh->position[c[2]]), piece->centre), a);
        Vec3d normal = vec3d_cross(ab, ac);
        piece->volume += vec3d_dot(a, normal) / 6;
        piece->area += vec3d_length(normal) / 2;
    }
}
