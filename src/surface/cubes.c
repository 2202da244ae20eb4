// SPDX-License-Identifier: MIT
#include "surface/cubes.h"

#include <string.h>

// Vertices keep away from nodes by this share of an edge, so that no triangle shrinks to a point.
#define LEAST_SHARE 0.01

enum { ROW = BLOCK_NODES, LAYER = BLOCK_NODES * BLOCK_NODES };

static int node_step(int axis)
{
    return axis == 0 ? 1 : axis == 1 ? ROW : LAYER;
}

static int corner_node(int corner)
{
    return (corner & 1) + (corner >> 1 & 1) * ROW + (corner >> 2) * LAYER;
}

// --- vertices

typedef struct Builder {
    BlockMesh* mesh;
    const CubeTable* table;
    const float* phi;
    double spacing;
    uint8_t corners[BLOCK_NODES3]; // case of each cube
} Builder;

// On the edge from a node along an axis; in units of the spacing, from the block's first node.
static Vec3d edge_point(const Builder* b, int node, int axis)
{
    double low = (double)b->phi[node], high = (double)b->phi[node + node_step(axis)];
    double t = low / (low - high);
    t = t < LEAST_SHARE ? LEAST_SHARE : t > 1 - LEAST_SHARE ? 1 - LEAST_SHARE : t;
    Vec3d x = {node % ROW, node / ROW % ROW, node / LAYER};
    return vec3d_add(x, vec3d(axis == 0 ? t : 0, axis == 1 ? t : 0, axis == 2 ? t : 0));
}

static void put_vertex(const Builder* b, uint32_t number, int node, int axis)
{
    BlockKey k = b->mesh->key;
    Vec3d x = edge_point(b, node, axis);
    x = vec3d_add(x, vec3d(k.x * (double)BLOCK_CELLS, k.y * (double)BLOCK_CELLS, k.z * (double)BLOCK_CELLS));
    b->mesh->code[number] = (uint16_t)(4 * node + axis);
    b->mesh->position[number] = (Vec3){(float)(x.x * b->spacing), (float)(x.y * b->spacing), (float)(x.z * b->spacing)};
}

static bool crosses(const float* phi, int node, int axis)
{
    return (phi[node] < 0) != (phi[node + node_step(axis)] < 0);
}

// Visits the vertices in order; stores them unless `count_only`.
static uint32_t visit_vertices(const Builder* b, bool count_only)
{
    uint32_t count = 0;
    for (int z = 0; z < BLOCK_CELLS; z++)
        for (int y = 0; y < BLOCK_CELLS; y++)
            for (int x = 0; x < BLOCK_CELLS; x++) {
                int node = z * LAYER + y * ROW + x;
                if (b->corners[node] == 0 || b->corners[node] == 255)
                    continue; // the edges that start at a node are edges of its cube
                for (int axis = 0; axis < 3; axis++) {
                    if (!crosses(b->phi, node, axis))
                        continue;
                    if (!count_only)
                        put_vertex(b, count, node, axis);
                    count++;
                }
            }
    return count;
}

// --- cubes

static void find_corners(Builder* b, uint32_t* cells, uint32_t* triangles)
{
    *cells = *triangles = 0;
    for (int z = 0; z < BLOCK_CELLS; z++)
        for (int y = 0; y < BLOCK_CELLS; y++) {
            const float* p = b->phi + z * LAYER + y * ROW;
            // bits of the four corners at x, those at x + 1 follow
            int low = (p[0] < 0) | (p[ROW] < 0) << 2 | (p[LAYER] < 0) << 4 | (p[LAYER + ROW] < 0) << 6;
            for (int x = 0; x < BLOCK_CELLS; x++, p++) {
                int high = (p[1] < 0) | (p[ROW + 1] < 0) << 2 | (p[LAYER + 1] < 0) << 4 | (p[LAYER + ROW + 1] < 0) << 6;
                uint8_t corners = (uint8_t)(low | high << 1);
                b->corners[z * LAYER + y * ROW + x] = corners;
                *cells += corners != 0 && corners != 255;
                *triangles += b->table->part[corners].count;
                low = high;
            }
        }
}

static void list_cells(Builder* b)
{
    uint32_t count = 0;
    for (int z = 0; z < BLOCK_CELLS; z++)
        for (int y = 0; y < BLOCK_CELLS; y++)
            for (int x = 0; x < BLOCK_CELLS; x++) {
                int node = z * LAYER + y * ROW + x;
                if (b->corners[node] == 0 || b->corners[node] == 255)
                    continue;
                b->mesh->cell[count] = (uint16_t)node;
                b->mesh->corners[count++] = b->corners[node];
            }
}

bool block_mesh_build(BlockMesh* mesh, const CubeTable* table, BlockKey key, double spacing, const float* phi, Memory* memory)
{
    Builder b = {.mesh = mesh, .table = table, .phi = phi, .spacing = spacing};
    *mesh = (BlockMesh){.key = key};
    find_corners(&b, &mesh->cell_count, &mesh->triangle_count);
    mesh->vertex_count = visit_vertices(&b, true);
    size_t v = mesh->vertex_count, c = mesh->cell_count;
    // one allocation, the widest first
    char* room = memory_take(memory, v * (sizeof(Vec3) + sizeof(uint16_t)) + c * (sizeof(uint16_t) + 1) + 1);
    if (!room)
        return false;
    mesh->position = (Vec3*)room;
    mesh->code = (uint16_t*)(room + v * sizeof(Vec3));
    mesh->cell = mesh->code + v;
    mesh->corners = (uint8_t*)(mesh->cell + c);
    visit_vertices(&b, false);
    list_cells(&b);
    return true;
}

void block_mesh_free(BlockMesh* mesh, Memory* memory)
{
    memory_give(memory, mesh->position);
    *mesh = (BlockMesh){0};
}

// --- triangles

typedef struct Linker {
    const BlockMesh* blocks;
    const uint32_t* first_vertex;
    size_t around[8]; // numbers of the blocks at +x (1), +y (2), +z (4); found when needed
    uint32_t* map;    // number of each vertex of the block itself by its code
} Linker;

static size_t find_block(const BlockMesh* blocks, size_t count, BlockKey key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (block_order(blocks[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t find_vertex(const BlockMesh* block, uint16_t code)
{
    uint32_t low = 0, high = block->vertex_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (block->code[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// An edge in the last layer of nodes belongs to the block behind.
static uint32_t vertex_of(const Linker* l, int node, int axis)
{
    int x = node % ROW, y = node / ROW % ROW, z = node / LAYER;
    int side = (x == BLOCK_CELLS) | (y == BLOCK_CELLS) << 1 | (z == BLOCK_CELLS) << 2;
    if (!side)
        return l->map[4 * node + axis];
    node -= (side & 1 ? BLOCK_CELLS : 0) + (side & 2 ? BLOCK_CELLS * ROW : 0) + (side & 4 ? BLOCK_CELLS * LAYER : 0);
    size_t block = l->around[side];
    return l->first_vertex[block] + find_vertex(&l->blocks[block], (uint16_t)(4 * node + axis));
}

void block_mesh_triangles(const BlockMesh* blocks, size_t count, size_t number, const CubeTable* table,
                          const uint32_t* first_vertex, uint32_t* map, uint32_t (*out)[3])
{
    const BlockMesh* mesh = &blocks[number];
    Linker l = {.blocks = blocks, .first_vertex = first_vertex, .map = map};
    for (int side = 1; side < 8; side++)
        l.around[side] = find_block(blocks, count,
                                    (BlockKey){mesh->key.x + (side & 1), mesh->key.y + (side >> 1 & 1), mesh->key.z + (side >> 2)});
    for (uint32_t k = 0; k < mesh->vertex_count; k++)
        map[mesh->code[k]] = first_vertex[number] + k;
    for (uint32_t k = 0; k < mesh->cell_count; k++) {
        const CubeCase* part = &table->part[mesh->corners[k]];
        for (int t = 0; t < part->count; t++, out++)
            for (int v = 0; v < 3; v++) {
                int edge = part->triangle[t][v];
                (*out)[v] = vertex_of(&l, mesh->cell[k] + corner_node(table->edge_corner[edge][0]), table->edge_axis[edge]);
            }
    }
}
