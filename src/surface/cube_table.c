// SPDX-License-Identifier: MIT
#include "surface/cubes.h"

#include <assert.h>
#include <string.h>

// --- edges and faces of a cube

static void name_edges(CubeTable* table)
{
    for (int axis = 0, edge = 0; axis < 3; axis++)
        for (int corner = 0; corner < 8; corner++)
            if (!(corner >> axis & 1)) {
                table->edge_corner[edge][0] = (uint8_t)corner;
                table->edge_corner[edge][1] = (uint8_t)(corner | 1 << axis);
                table->edge_axis[edge++] = (uint8_t)axis;
            }
}

static int edge_between(const CubeTable* table, int a, int b)
{
    for (int edge = 0; edge < CUBE_EDGES; edge++)
        if (table->edge_corner[edge][0] == (a < b ? a : b) && table->edge_corner[edge][1] == (a < b ? b : a))
            return edge;
    return -1;
}

// Corners of face `face` (axis, and low or high side) counter-clockwise seen from outside.
static void face_corners(int face, int corner[4])
{
    int axis = face / 2, high = face % 2, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = high << axis;
    corner[0] = base;
    corner[2] = base | u | v;
    corner[high ? 1 : 3] = base | u;
    corner[high ? 3 : 1] = base | v;
}

// Bit per face that an edge lies in.
static int faces_of(const CubeTable* table, int edge)
{
    int faces = 0;
    for (int axis = 0; axis < 3; axis++) {
        int a = table->edge_corner[edge][0] >> axis & 1, b = table->edge_corner[edge][1] >> axis & 1;
        if (a == b)
            faces |= 1 << (2 * axis + a);
    }
    return faces;
}

// next[e] = edge that the surface runs to from e, on the face where the walk enters the fluid at e.
static void follow_faces(const CubeTable* table, int inside, int next[CUBE_EDGES])
{
    for (int edge = 0; edge < CUBE_EDGES; edge++)
        next[edge] = -1;
    for (int face = 0; face < 6; face++) {
        int c[4];
        face_corners(face, c);
        for (int k = 0; k < 4; k++) {
            if ((inside >> c[k] & 1) || !(inside >> c[(k + 1) % 4] & 1))
                continue;
            int leave = k + 1;
            while (inside >> c[(leave + 1) % 4] & 1)
                leave++;
            next[edge_between(table, c[k], c[(k + 1) % 4])] = edge_between(table, c[leave % 4], c[(leave + 1) % 4]);
        }
    }
}

// --- loops to triangles

typedef struct Loop {
    const CubeTable* table;
    int count;
    int edge[CUBE_EDGES];
    int split[CUBE_EDGES][CUBE_EDGES]; // vertex that makes a triangle with i and j; -1: none
} Loop;

static bool may_join(const Loop* loop, int i, int j)
{
    bool neighbours = j - i == 1 || j - i == loop->count - 1;
    return neighbours || !(faces_of(loop->table, loop->edge[i]) & faces_of(loop->table, loop->edge[j]));
}

// Whether the part i..j of the loop can be cut into triangles, for longer and longer parts.
static bool find_cuts(Loop* loop)
{
    bool can[CUBE_EDGES][CUBE_EDGES] = {{false}};
    for (int length = 1; length < loop->count; length++)
        for (int i = 0; i + length < loop->count; i++) {
            int j = i + length;
            loop->split[i][j] = -1;
            can[i][j] = length == 1;
            for (int k = i + 1; k < j && may_join(loop, i, j) && !can[i][j]; k++)
                if (can[i][k] && can[k][j]) {
                    can[i][j] = true;
                    loop->split[i][j] = k;
                }
        }
    return can[0][loop->count - 1];
}

static void add_triangle(CubeCase* part, int a, int b, int c)
{
    uint8_t* t = part->triangle[part->count++];
    t[0] = (uint8_t)a;
    t[1] = (uint8_t)b;
    t[2] = (uint8_t)c;
}

static void add_cuts(const Loop* loop, CubeCase* part, int i, int j)
{
    int k = j - i > 1 ? loop->split[i][j] : -1;
    if (k < 0)
        return;
    add_triangle(part, loop->edge[i], loop->edge[k], loop->edge[j]);
    add_cuts(loop, part, i, k);
    add_cuts(loop, part, k, j);
}

static void add_loop(Loop* loop, CubeCase* part)
{
    bool cut = find_cuts(loop);
    assert(cut); // true of all 256 cases, as tests/surface/test_cubes.c shows
    (void)cut;
    add_cuts(loop, part, 0, loop->count - 1);
}

void cube_table_build(CubeTable* table)
{
    memset(table, 0, sizeof *table);
    name_edges(table);
    for (int inside = 0; inside < 256; inside++) {
        int next[CUBE_EDGES];
        follow_faces(table, inside, next);
        for (int start = 0; start < CUBE_EDGES; start++) {
            Loop loop = {.table = table};
            for (int edge = start; next[edge] >= 0;) {
                int following = next[edge];
                next[edge] = -1;
                loop.edge[loop.count++] = edge;
                edge = following;
            }
            if (loop.count)
                add_loop(&loop, &table->part[inside]);
        }
    }
}
