// SPDX-License-Identifier: MIT
// How the triangles of a mesh are connected. Edges are brought together by two counting sorts (by higher, then by lower
// vertex), which takes linear time whatever the mesh is like; components by union-find.
#include "mesh/tri_mesh.h"

#include "base/union_find.h"
#include <string.h>

// An edge with low < high; the top bit of `high` says that the triangle runs it from high to low.
typedef struct Edge {
    uint32_t low, high;
} Edge;
static const uint32_t REVERSED = 0x80000000u;

static size_t collect_edges(const TriMesh* mesh, Edge* edge)
{
    size_t count = 0;
    for (size_t k = 0; k < mesh->triangle_count; k++)
        for (int c = 0; c < 3; c++) {
            uint32_t a = mesh->triangle[k][c], b = mesh->triangle[k][c == 2 ? 0 : c + 1];
            if (a != b)
                edge[count++] = a < b ? (Edge){a, b} : (Edge){b, a | REVERSED};
        }
    return count;
}

// Stable counting sort by one of the two vertices. `start` has room for vertex_count + 1.
static void sort_edges(const Edge* from, Edge* to, size_t count, bool by_low, uint32_t* start, size_t vertex_count)
{
    memset(start, 0, (vertex_count + 1) * sizeof *start);
    for (size_t e = 0; e < count; e++)
        start[(by_low ? from[e].low : from[e].high & ~REVERSED) + 1]++;
    for (size_t i = 0; i < vertex_count; i++)
        start[i + 1] += start[i];
    for (size_t e = 0; e < count; e++)
        to[start[by_low ? from[e].low : from[e].high & ~REVERSED]++] = from[e];
}

// Goes over runs of equal edges.
static void judge_edges(const Edge* edge, size_t count, TopologyReport* report)
{
    report->closed = report->oriented = count > 0;
    for (size_t e = 0; e < count;) {
        size_t forward = 0, used = 0;
        uint32_t low = edge[e].low, high = edge[e].high & ~REVERSED;
        for (; e < count && edge[e].low == low && (edge[e].high & ~REVERSED) == high; e++, used++)
            forward += !(edge[e].high & REVERSED);
        report->edges++;
        report->open_edges += used == 1;
        report->nonmanifold_edges += used > 2;
        report->flipped_edges += used == 2 && forward != 1;
        if (used % 2)
            report->closed = false;
        if (2 * forward != used)
            report->oriented = false;
    }
}

static bool judge_triangles(const TriMesh* mesh, TopologyReport* report)
{
    size_t most = 3 * mesh->triangle_count;
    Edge* edge = memory_take(NULL, most * sizeof *edge);
    Edge* other = memory_take(NULL, most * sizeof *other);
    uint32_t* start = memory_take(NULL, (mesh->vertex_count + 1) * sizeof *start);
    bool ok = edge && other && start;
    if (ok) {
        size_t count = collect_edges(mesh, edge);
        sort_edges(edge, other, count, false, start, mesh->vertex_count);
        sort_edges(other, edge, count, true, start, mesh->vertex_count);
        judge_edges(edge, count, report);
    }
    memory_give(NULL, edge);
    memory_give(NULL, other);
    memory_give(NULL, start);
    return ok;
}

// The same question for outlines: how many segments start and end at each vertex.
static bool judge_segments(const TriMesh* mesh, TopologyReport* report)
{
    uint32_t(*ends)[2] = memory_take(NULL, mesh->vertex_count * sizeof *ends);
    if (!ends)
        return false;
    memset(ends, 0, mesh->vertex_count * sizeof *ends);
    for (size_t k = 0; k < mesh->segment_count; k++) {
        ends[mesh->segment[k][0]][0]++;
        ends[mesh->segment[k][1]][1]++;
    }
    report->closed = report->oriented = true;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if ((ends[i][0] + ends[i][1]) % 2)
            report->closed = false;
        if (ends[i][0] != ends[i][1])
            report->oriented = false;
    }
    memory_give(NULL, ends);
    return true;
}

static size_t count_degenerate(const TriMesh* mesh)
{
    size_t count = 0;
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        const uint32_t* t = mesh->triangle[k];
        Vec3d a = mesh->vertex[t[0]];
        Vec3d n = vec3d_cross(vec3d_sub(mesh->vertex[t[1]], a), vec3d_sub(mesh->vertex[t[2]], a));
        count += vec3d_dot(n, n) == 0;
    }
    return count;
}

static bool count_components(const TriMesh* mesh, TopologyReport* report)
{
    uint32_t* parent = memory_take(NULL, mesh->vertex_count * sizeof *parent);
    bool* used = memory_take(NULL, mesh->vertex_count * sizeof *used);
    if (!parent || !used) {
        memory_give(NULL, parent);
        memory_give(NULL, used);
        return false;
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        parent[i] = (uint32_t)i;
        used[i] = false;
    }
    size_t joins = 0, vertices = 0;
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        const uint32_t* t = mesh->triangle[k];
        joins += union_join(parent, t[0], t[1]) + union_join(parent, t[1], t[2]);
        used[t[0]] = used[t[1]] = used[t[2]] = true;
    }
    for (size_t k = 0; k < mesh->segment_count; k++) {
        const uint32_t* s = mesh->segment[k];
        joins += union_join(parent, s[0], s[1]);
        used[s[0]] = used[s[1]] = true;
    }
    for (size_t i = 0; i < mesh->vertex_count; i++)
        vertices += used[i];
    report->components = vertices - joins;
    memory_give(NULL, parent);
    memory_give(NULL, used);
    return true;
}

bool tri_mesh_topology(const TriMesh* mesh, TopologyReport* report)
{
    *report = (TopologyReport){0};
    report->degenerate_triangles = count_degenerate(mesh);
    if (mesh->triangle_count > 0 && !judge_triangles(mesh, report))
        return false;
    if (mesh->triangle_count == 0 && mesh->segment_count > 0 && !judge_segments(mesh, report))
        return false;
    return count_components(mesh, report);
}
