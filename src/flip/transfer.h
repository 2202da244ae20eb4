// SPDX-License-Identifier: MIT
// What particles and grid exchange, through tables of a block and one layer of cells around it. A table has four lattices, those of
// the three velocity components and that of the centres, and two numbers at each node, so that the two nodes of a row that a
// particle is between are four numbers in a row.
#ifndef FLIP_TRANSFER_H
#define FLIP_TRANSFER_H

#include "base/simd.h"
#include "flip/flip.h"
#include <string.h>

enum { SIDE = EDGE + 2, LATTICE = SIDE * SIDE * SIDE * 2, LATTICES = 4, TABLE = LATTICES * LATTICE };
enum { ROW = SIDE * 2, PLANE = SIDE * SIDE * 2 };

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

// Where eight particles are on the lattices: along each axis on nodes that begin at cells' faces, and on those at cells' centres.
typedef struct Places {
    F8 node[3], mid[3];  // lower node, counted from the layer around
    F8 at[3], middle[3]; // [1] share of the upper one
} Places;

// `cell` is where they are in cells of the block: 0 to 8, and half a cell below is allowed. In 2D all is in the layer z = 0.
static ALWAYS_INLINE Places places_of(const F8 cell[3], int dimension)
{
    Places p;
    for (int a = 0; a < dimension; a++) {
        F8 m = f8_add(cell[a], f8_set(0.5f)), low = f8_floor(cell[a]);
        p.mid[a] = f8_floor(m);
        p.middle[a] = f8_sub(m, p.mid[a]);
        p.at[a] = f8_sub(cell[a], low);
        p.node[a] = f8_add(low, f8_set(1));
    }
    if (dimension == 2) {
        p.node[2] = p.mid[2] = f8_set(1);
        p.at[2] = p.middle[2] = f8_zero();
    }
    return p;
}

// Stencils of eight nodes on lattice `k`.
typedef struct Stencils {
    uint32_t first[LANES]; // in the table
    F8 x, y, z;            // [1] shares of the upper nodes
} Stencils;

static ALWAYS_INLINE Stencils stencils_of(const Places* p, int k)
{
    F8 ix = k == 0 ? p->node[0] : p->mid[0], iy = k == 1 ? p->node[1] : p->mid[1], iz = k == 2 ? p->node[2] : p->mid[2];
    F8 first = f8_mad(iz, f8_set(PLANE), f8_mad(iy, f8_set(ROW), f8_mad(ix, f8_set(2), f8_set((float)(k * LATTICE)))));
    Stencils s = {
        .x = k == 0 ? p->at[0] : p->middle[0], .y = k == 1 ? p->at[1] : p->middle[1], .z = k == 2 ? p->at[2] : p->middle[2]};
    i8_store(s.first, i8_of(first));
    return s;
}

// Weights of the four rows of a stencil: (y, z) = 00, 10, 01, 11.
static ALWAYS_INLINE void row_weights(const Stencils* s, F8 weight[4])
{
    F8 one = f8_set(1), y0 = f8_sub(one, s->y), z0 = f8_sub(one, s->z);
    weight[0] = f8_mul(y0, z0);
    weight[1] = f8_mul(s->y, z0);
    weight[2] = f8_mul(y0, s->z);
    weight[3] = f8_mul(s->y, s->z);
}

// From places in space to cells of a block: 1 / dx in two parts, so that nothing is lost far from the origin.
typedef struct CellScale {
    float high, low;
} CellScale;

static inline CellScale cell_scale(double dx)
{
    double inverse = 1 / dx;
    return (CellScale){(float)inverse, (float)(inverse - (double)(float)inverse)};
}

// Clamped to the block: rounding may lead a hair beyond.
static ALWAYS_INLINE void cells_of(const F8 x[3], CellScale scale, BlockKey key, F8 cell[3])
{
    float corner[3] = {-8.0f * (float)key.x, -8.0f * (float)key.y, -8.0f * (float)key.z};
    for (int a = 0; a < 3; a++) {
        F8 c = f8_mad(x[a], f8_set(scale.low), f8_mad(x[a], f8_set(scale.high), f8_set(corner[a])));
        cell[a] = f8_min(f8_max(c, f8_zero()), f8_set(7.999999f));
    }
}

// Records base[first + k stride] for k < count <= 8; lanes beyond have the last of them.
static ALWAYS_INLINE void load_records(const Vec4* base, size_t first, uint32_t stride, uint32_t count, F8 out[4])
{
    uint32_t index[LANES];
    if (stride == 1 && count == LANES) {
        f8_load4(base + first, &out[0], &out[1], &out[2], &out[3]);
        return;
    }
    for (uint32_t k = 0; k < LANES; k++)
        index[k] = stride * (k < count ? k : count - 1);
    f8_gather4(base + first * stride, index, &out[0], &out[1], &out[2], &out[3]);
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
