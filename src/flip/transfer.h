// SPDX-License-Identifier: MIT
// What particles and grid exchange, through tables of a block and one layer of cells around it. A table has four lattices, those of
// the three velocity components and that of the centres, and two numbers at each node, so that the two nodes of a row that a
// particle is between are four numbers in a row.
#ifndef FLIP_TRANSFER_H
#define FLIP_TRANSFER_H

#include "flip/flip.h"
#include <string.h>

enum { SIDE = EDGE + 2, LATTICE = SIDE * SIDE * SIDE * 2, LATTICES = 4, TABLE = LATTICES * LATTICE };
enum { ROW = SIDE * 2, PLANE = SIDE * SIDE * 2 };

#define ALWAYS_INLINE inline __attribute__((always_inline))

typedef float Four __attribute__((vector_size(16)));

static inline Four four_load(const float* p)
{
    Four v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void four_store(float* p, Four v)
{
    memcpy(p, &v, sizeof v);
}

// Where a particle is on the lattices: along each axis on nodes that begin at cells' faces, and on those at cells' centres.
typedef struct Place {
    int node[3], mid[3];    // lower node, counted from the layer around
    float at[3], middle[3]; // [1] share of the upper one
} Place;

// `cell` is the particle's place in cells of the block, 0 to 8. In 2D all is in the layer z = 0.
static ALWAYS_INLINE Place place_of(const float cell[3], int dimension)
{
    Place p;
    for (int a = 0; a < 3; a++) {
        float c = cell[a], m = cell[a] + 0.5f;
        p.node[a] = (int)c;
        p.mid[a] = (int)m;
        p.at[a] = c - (float)p.node[a];
        p.middle[a] = m - (float)p.mid[a];
        p.node[a]++;
    }
    if (dimension == 2) {
        p.node[2] = p.mid[2] = 1;
        p.at[2] = p.middle[2] = 0;
    }
    return p;
}

// A stencil of eight nodes on lattice `k`.
typedef struct Stencil {
    size_t first; // in the table
    float x, y, z;
} Stencil;

static ALWAYS_INLINE Stencil stencil_of(const Place* p, int k)
{
    int ix = k == 0 ? p->node[0] : p->mid[0], iy = k == 1 ? p->node[1] : p->mid[1], iz = k == 2 ? p->node[2] : p->mid[2];
    return (Stencil){(size_t)(k * LATTICE + iz * PLANE + iy * ROW + 2 * ix), k == 0 ? p->at[0] : p->middle[0],
                     k == 1 ? p->at[1] : p->middle[1], k == 2 ? p->at[2] : p->middle[2]};
}

// Place in cells of a block, clamped to it: rounding may lead a hair beyond.
static inline void cell_place(Vec4 x, double inverse, BlockKey key, float cell[3])
{
    float c[3] = {(float)((double)x.x * inverse - 8.0 * key.x), (float)((double)x.y * inverse - 8.0 * key.y),
                  (float)((double)x.z * inverse - 8.0 * key.z)};
    for (int a = 0; a < 3; a++)
        cell[a] = c[a] < 0 ? 0 : c[a] > 7.999999f ? 7.999999f : c[a];
}

// What of a neighbour's table lies on own cells, along one axis: cells [begin, end) of the block at offset d.
static inline void overlap(int d, int* begin, int* end)
{
    *begin = d > 0 ? EDGE - 1 : 0;
    *end = d < 0 ? 1 : EDGE;
}

enum { TRANSFER_GRAIN = 1 };

// A mix has three lattices more, those of the components again: what the number of particles is more than their mass says, and how
// much the momentum of solids was another one when the step began.
static inline size_t flip_table_size(const Flip* flip)
{
    return TABLE + (flip_is_mix(flip) ? 3 * LATTICE : 0);
}

#endif
