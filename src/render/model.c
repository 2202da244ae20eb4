// SPDX-License-Identifier: MIT
// A corner's normal is the area-weighted mean of the faces around its vertex that bend less than the crease angle from its
// own face: boxes stay sharp, spheres become smooth. Edges are found by sorting the three edges of all triangles.
#include "render/model.h"

#include <stdlib.h>
#include <string.h>

static const double crease_cosine = 0.819; // 35 degrees

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

// Twice the area times the unit normal.
static Vec3d face_area(const TriMesh* mesh, size_t t)
{
    const uint32_t* v = mesh->triangle[t];
    Vec3d a = mesh->vertex[v[0]];
    return vec3d_cross(vec3d_sub(mesh->vertex[v[1]], a), vec3d_sub(mesh->vertex[v[2]], a));
}

// Triangles around each vertex: start[v]..start[v+1] in `around`.
static bool triangles_around(const TriMesh* mesh, uint32_t** start, uint32_t** around)
{
    *start = calloc(mesh->vertex_count + 2, sizeof **start);
    *around = malloc((mesh->triangle_count * 3 + 1) * sizeof **around);
    if (!*start || !*around)
        return false;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            (*start)[mesh->triangle[t][k] + 2]++;
    for (size_t v = 0; v <= mesh->vertex_count; v++)
        (*start)[v + 1] += (*start)[v];
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            (*around)[(*start)[mesh->triangle[t][k] + 1]++] = (uint32_t)t;
    return true;
}

static void corner_normals(Model* model, const Vec3d* area, const uint32_t* start, const uint32_t* around)
{
    const TriMesh* mesh = model->mesh;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Vec3d own = vec3d_normalise(area[t]);
        model->face_normal[t] = to_vec3(own);
        for (int k = 0; k < 3; k++) {
            uint32_t v = mesh->triangle[t][k];
            Vec3d sum = {0, 0, 0};
            for (uint32_t j = start[v]; j < start[v + 1]; j++)
                if (vec3d_dot(vec3d_normalise(area[around[j]]), own) > crease_cosine)
                    sum = vec3d_add(sum, area[around[j]]);
            model->corner_normal[3 * t + (size_t)k] = to_vec3(vec3d_length(sum) > 0 ? vec3d_normalise(sum) : own);
        }
    }
}

static int edge_order(const void* x, const void* y)
{
    const ModelEdge *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return p->left < q->left ? -1 : p->left > q->left;
}

// One entry per edge, with its one or two triangles; further triangles of a non-manifold edge are left out.
static void merge_edges(Model* model, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count;) {
        ModelEdge edge = model->edge[i++];
        edge.right = UINT32_MAX;
        if (i < count && model->edge[i].a == edge.a && model->edge[i].b == edge.b)
            edge.right = model->edge[i++].left;
        while (i < count && model->edge[i].a == edge.a && model->edge[i].b == edge.b)
            i++;
        edge.crease = true;
        if (edge.right != UINT32_MAX) {
            Vec3 m = model->face_normal[edge.left], n = model->face_normal[edge.right];
            edge.crease = (double)(m.x * n.x + m.y * n.y + m.z * n.z) < crease_cosine;
        }
        model->edge[kept++] = edge;
    }
    model->edge_count = kept;
}

static void find_edges(Model* model)
{
    const TriMesh* mesh = model->mesh;
    size_t count = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            uint32_t a = mesh->triangle[t][k], b = mesh->triangle[t][(k + 1) % 3];
            model->edge[count++] = (ModelEdge){a < b ? a : b, a < b ? b : a, (uint32_t)t, 0, false};
        }
    qsort(model->edge, count, sizeof *model->edge, edge_order);
    merge_edges(model, count);
}

bool model_build(Model* model, const TriMesh* mesh)
{
    size_t n = mesh->triangle_count;
    *model = (Model){.mesh = mesh};
    model->corner_normal = malloc((3 * n + 1) * sizeof *model->corner_normal);
    model->face_normal = malloc((n + 1) * sizeof *model->face_normal);
    model->edge = malloc((3 * n + 1) * sizeof *model->edge);
    Vec3d* area = malloc((n + 1) * sizeof *area);
    uint32_t *start = NULL, *around = NULL;
    bool ok = model->corner_normal && model->face_normal && model->edge && area && triangles_around(mesh, &start, &around);
    if (ok) {
        for (size_t t = 0; t < n; t++)
            area[t] = face_area(mesh, t);
        corner_normals(model, area, start, around);
        find_edges(model);
    } else {
        model_free(model);
    }
    free(area);
    free(start);
    free(around);
    return ok;
}

void model_free(Model* model)
{
    free(model->corner_normal);
    free(model->face_normal);
    free(model->edge);
    *model = (Model){0};
}
