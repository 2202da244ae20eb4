// SPDX-License-Identifier: MIT
#include "surface/depth.h"

#include <string.h>

// With nodes two radii apart a block is eight cubes wide; one more because of where they begin, and one around.
enum { MOST_CUBES = 12, ENOUGH = 4, CUBE_COLUMNS = 4 };

typedef struct Cubes {
    int32_t low[3];                        // of all cubes looked at
    int count[3];                          // along each axis
    uint8_t of_node[3][BLOCK_NODES];       // number of a node's cube, from `low`
    uint16_t full[MOST_CUBES][MOST_CUBES]; // [z][y] bit x: enough particles
} Cubes;

static int32_t cube_of(const Lattice* l, int axis, int32_t node)
{
    double x = node * l->spacing;
    return axis ? (int32_t)floor(x * l->grid.inverse) : grid_column(&l->grid, x) >> 2;
}

// False: nodes are too far apart for the table.
static bool place_nodes(const Lattice* l, BlockKey key, Cubes* c)
{
    const int32_t origin[3] = {key.x * BLOCK_CELLS, key.y * BLOCK_CELLS, key.z * BLOCK_CELLS};
    for (int axis = 0; axis < 3; axis++) {
        c->low[axis] = cube_of(l, axis, origin[axis]) - 1;
        int32_t high = cube_of(l, axis, origin[axis] + BLOCK_CELLS) + 1;
        if (high - c->low[axis] >= MOST_CUBES)
            return false;
        c->count[axis] = high - c->low[axis] + 1;
        for (int k = 0; k < BLOCK_NODES; k++)
            c->of_node[axis][k] = (uint8_t)(cube_of(l, axis, origin[axis] + k) - c->low[axis]);
    }
    return true;
}

static uint16_t full_row(const Lattice* l, const Cubes* c, int y, int z)
{
    const CellGrid* g = &l->grid;
    uint16_t bits = 0;
    int32_t last = INT32_MIN;
    uint32_t segment = NO_SEGMENT;
    for (int x = 0; x < c->count[0]; x++) {
        int32_t column = CUBE_COLUMNS * (c->low[0] + x);
        if (column >> 6 != last) {
            last = column >> 6;
            segment = grid_find(g, (SegmentKey){last, c->low[1] + y, c->low[2] + z});
        }
        if (segment == NO_SEGMENT)
            continue;
        const uint32_t* start = g->cell_start + (size_t)segment * SEGMENT_CELLS + (column & 63);
        bits |= (uint16_t)((start[CUBE_COLUMNS] - start[0] >= ENOUGH) << x);
    }
    return bits;
}

// Keeps cubes whose neighbours are full too, along one axis after the other.
static void erode(Cubes* c)
{
    uint16_t line[MOST_CUBES];
    for (int z = 0; z < c->count[2]; z++) {
        for (int y = 0; y < c->count[1]; y++) {
            unsigned bits = c->full[z][y];
            line[y] = (uint16_t)(bits & bits >> 1 & bits << 1);
        }
        for (int y = 0; y < c->count[1]; y++)
            c->full[z][y] = y > 0 && y + 1 < c->count[1] ? line[y - 1] & line[y] & line[y + 1] : 0;
    }
    for (int y = 0; y < c->count[1]; y++) {
        for (int z = 0; z < c->count[2]; z++)
            line[z] = c->full[z][y];
        for (int z = 0; z < c->count[2]; z++)
            c->full[z][y] = z > 0 && z + 1 < c->count[2] ? line[z - 1] & line[z] & line[z + 1] : 0;
    }
}

void block_depth(const Lattice* l, BlockKey key, BlockDepth* out)
{
    Cubes c = {0};
    out->all = false;
    out->none = true;
    memset(out->row, 0, sizeof out->row);
    if (!place_nodes(l, key, &c))
        return;
    for (int z = 0; z < c.count[2]; z++)
        for (int y = 0; y < c.count[1]; y++)
            c.full[z][y] = full_row(l, &c, y, z);
    erode(&c);
    unsigned any = 0, every = 0xffff;
    for (int z = 0; z < BLOCK_NODES; z++)
        for (int y = 0; y < BLOCK_NODES; y++) {
            unsigned cubes = c.full[c.of_node[2][z]][c.of_node[1][y]], bits = 0;
            for (int x = 0; cubes && x < BLOCK_NODES; x++)
                bits |= (cubes >> c.of_node[0][x] & 1) << x;
            out->row[BLOCK_NODES * z + y] = (uint16_t)bits;
            any |= bits;
            every &= bits;
        }
    out->all = every == 0xffff;
    out->none = any == 0;
}
