// SPDX-License-Identifier: MIT
#include "mesh/tri_mesh.h"

#include <string.h>

static const size_t ITEM_LIMIT = INT32_MAX; // so that indices and their complements fit into 32 bits

void tri_mesh_free(TriMesh* mesh)
{
    memory_give(NULL, mesh->vertex);
    memory_give(NULL, mesh->triangle);
    memory_give(NULL, mesh->segment);
    *mesh = (TriMesh){0};
}

// Room for one more. Doubling keeps the number of copies low; memory_reserve alone would start from one element.
static bool reserve_one(void* array, size_t* capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    if (count >= ITEM_LIMIT)
        return false;
    return memory_reserve(NULL, array, capacity, count, count < 32 ? 64 : 2 * count, size);
}

bool tri_mesh_add_vertex(TriMesh* mesh, Vec3d position)
{
    if (!reserve_one(&mesh->vertex, &mesh->vertex_capacity, mesh->vertex_count, sizeof *mesh->vertex))
        return false;
    mesh->vertex[mesh->vertex_count++] = position;
    return true;
}

bool tri_mesh_add_triangle(TriMesh* mesh, uint32_t a, uint32_t b, uint32_t c)
{
    if (!reserve_one(&mesh->triangle, &mesh->triangle_capacity, mesh->triangle_count, sizeof *mesh->triangle))
        return false;
    uint32_t* t = mesh->triangle[mesh->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
    return true;
}

bool tri_mesh_add_segment(TriMesh* mesh, uint32_t a, uint32_t b)
{
    if (!reserve_one(&mesh->segment, &mesh->segment_capacity, mesh->segment_count, sizeof *mesh->segment))
        return false;
    uint32_t* s = mesh->segment[mesh->segment_count++];
    s[0] = a;
    s[1] = b;
    return true;
}

static bool copy_array(void* to, size_t* capacity, const void* from, size_t count, size_t size)
{
    if (!memory_reserve(NULL, to, capacity, 0, count, size))
        return false;
    void* target;
    memcpy(&target, to, sizeof target);
    if (count)
        memcpy(target, from, count * size);
    return true;
}

bool tri_mesh_copy(const TriMesh* from, TriMesh* to)
{
    bool ok = copy_array(&to->vertex, &to->vertex_capacity, from->vertex, from->vertex_count, sizeof *from->vertex) &&
              copy_array(&to->triangle, &to->triangle_capacity, from->triangle, from->triangle_count, sizeof *from->triangle) &&
              copy_array(&to->segment, &to->segment_capacity, from->segment, from->segment_count, sizeof *from->segment);
    if (!ok) {
        tri_mesh_free(to);
        return false;
    }
    to->vertex_count = from->vertex_count;
    to->triangle_count = from->triangle_count;
    to->segment_count = from->segment_count;
    to->inner_count = from->inner_count;
    return true;
}

void tri_mesh_flip(TriMesh* mesh)
{
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        uint32_t* t = mesh->triangle[k];
        uint32_t keep = t[1];
        t[1] = t[2];
        t[2] = keep;
    }
    for (size_t k = 0; k < mesh->segment_count; k++) {
        uint32_t* s = mesh->segment[k];
        uint32_t keep = s[0];
        s[0] = s[1];
        s[1] = keep;
    }
}

void tri_mesh_scale(TriMesh* mesh, Vec3d factors)
{
    for (size_t i = 0; i < mesh->vertex_count; i++)
        mesh->vertex[i] = vec3d_mul(mesh->vertex[i], factors);
    // an outline lies in the plane z = 0, where a mirroring z changes nothing
    double mirror = factors.x * factors.y * (mesh->triangle_count > 0 ? factors.z : 1);
    if (mirror < 0)
        tri_mesh_flip(mesh);
}

void tri_mesh_move(TriMesh* mesh, const mn_Pose* pose)
{
    for (size_t i = 0; i < mesh->vertex_count; i++)
        mesh->vertex[i] = vec3d_add(quat_rotate(pose->rotation, mesh->vertex[i]), pose->position);
}

Box3d tri_mesh_bounds(const TriMesh* mesh)
{
    Box3d box = {0};
    if (mesh->vertex_count == 0)
        return box;
    box.min = box.max = mesh->vertex[0];
    for (size_t i = 1; i < mesh->vertex_count; i++) {
        box.min = vec3d_min(box.min, mesh->vertex[i]);
        box.max = vec3d_max(box.max, mesh->vertex[i]);
    }
    return box;
}

bool tri_mesh_drop_unused(TriMesh* mesh)
{
    uint32_t* target = memory_take(NULL, mesh->vertex_count * sizeof *target); // 1: used; then: where it goes
    if (!target)
        return false;
    memset(target, 0, mesh->vertex_count * sizeof *target);
    for (size_t k = 0; k < mesh->triangle_count; k++)
        for (int c = 0; c < 3; c++)
            target[mesh->triangle[k][c]] = 1;
    for (size_t k = 0; k < mesh->segment_count; k++)
        for (int c = 0; c < 2; c++)
            target[mesh->segment[k][c]] = 1;

    uint32_t used = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if (!target[i])
            continue;
        mesh->vertex[used] = mesh->vertex[i];
        target[i] = used++;
    }
    mesh->vertex_count = used;
    for (size_t k = 0; k < mesh->triangle_count; k++)
        for (int c = 0; c < 3; c++)
            mesh->triangle[k][c] = target[mesh->triangle[k][c]];
    for (size_t k = 0; k < mesh->segment_count; k++)
        for (int c = 0; c < 2; c++)
            mesh->segment[k][c] = target[mesh->segment[k][c]];
    memory_give(NULL, target);
    return true;
}
