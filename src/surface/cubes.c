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
    const float* phi;
    double spacing;
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

// --- cubes

// Signs at the corners of a row of cubes: bit x is the corner at x of the rows (y, z), (y + 1, z), (y, z + 1) and (y + 1, z + 1).
typedef struct CubeRow {
    unsigned s00, s10, s01, s11;
} CubeRow;

enum { CUBES = (1 << BLOCK_CELLS) - 1 }; // bits of the 15 cubes of a row

static CubeRow cube_row(const uint16_t* inside, int y, int z)
{
    const uint16_t* row = inside + BLOCK_NODES * z + y;
    return (CubeRow){row[0], row[1], row[BLOCK_NODES], row[BLOCK_NODES + 1]};
}

// Cubes that the surface crosses.
static unsigned crossed(CubeRow r)
{
    unsigned any = r.s00 | r.s10 | r.s01 | r.s11, all = r.s00 & r.s10 & r.s01 & r.s11;
    return (any | any >> 1) & ~(all & all >> 1) & CUBES;
}

static uint8_t corners_of(CubeRow r, int x)
{
    return (uint8_t)((r.s00 >> x & 3) | (r.s10 >> x & 3) << 2 | (r.s01 >> x & 3) << 4 | (r.s11 >> x & 3) << 6);
}

static unsigned bit_count(unsigned bits)
{
    return (unsigned)__builtin_popcount(bits);
}

static void count_parts(BlockMesh* mesh, const CubeTable* table, const uint16_t* inside)
{
    for (int z = 0; z < BLOCK_CELLS; z++)
        for (int y = 0; y < BLOCK_CELLS; y++) {
            CubeRow r = cube_row(inside, y, z);
            unsigned cubes = crossed(r);
            mesh->cell_count += bit_count(cubes);
            mesh->vertex_count +=
                bit_count((r.s00 ^ r.s00 >> 1) & CUBES) + bit_count((r.s00 ^ r.s10) & CUBES) + bit_count((r.s00 ^ r.s01) & CUBES);
            for (; cubes; cubes &= cubes - 1)
                mesh->triangle_count += table->part[corners_of(r, __builtin_ctz(cubes))].count;
        }
}

static void list_parts(const Builder* b, const uint16_t* inside)
{
    uint32_t vertex = 0, cell = 0;
    for (int z = 0; z < BLOCK_CELLS; z++)
        for (int y = 0; y < BLOCK_CELLS; y++) {
            CubeRow r = cube_row(inside, y, z);
            const unsigned edge[3] = {r.s00 ^ r.s00 >> 1, r.s00 ^ r.s10, r.s00 ^ r.s01};
            for (unsigned cubes = crossed(r); cubes; cubes &= cubes - 1) {
                int x = __builtin_ctz(cubes), node = z * LAYER + y * ROW + x;
                b->mesh->cell[cell] = (uint16_t)node;
                b->mesh->corners[cell++] = corners_of(r, x);
                for (int axis = 0; axis < 3; axis++) // the edges that start at a node are edges of its cube
                    if (edge[axis] >> x & 1)
                        put_vertex(b, vertex++, node, axis);
            }
        }
}

bool block_mesh_build(BlockMesh* mesh, const CubeTable* table, BlockKey key, double spacing, const float* phi,
                      const uint16_t* inside, Memory* memory)
{
    Builder b = {.mesh = mesh, .phi = phi, .spacing = spacing};
    *mesh = (BlockMesh){.key = key};
    count_parts(mesh, table, inside);
    size_t v = mesh->vertex_count, c = mesh->cell_count;
    // one allocation, the widest first
    char* room = memory_take(memory, v * (sizeof(Vec3) + sizeof(uint16_t)) + c * (sizeof(uint16_t) + 1) + 1);
    if (!room)
        return false;
    mesh->position = (Vec3*)room;
    mesh->code = (uint16_t*)(room + v * sizeof(Vec3));
    mesh->cell = mesh->code + v;
    mesh->corners = (uint8_t*)(mesh->cell + c);
    list_parts(&b, inside);
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
