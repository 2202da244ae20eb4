// SPDX-License-Identifier: MIT
// Which nodes lie so deep in the fluid that the field need not be evaluated there. Space is cut into the cubes of the particles'
// cell grid (two particle spacings wide, eight particles in a full one); a node is deep if its cube and the 26 around it
// have half of that or more. Then there are particles on all sides of it, beyond it as well, and it is at least a radius inside.
// Pores as wide as a missing particle or two, which the field may show in loose water, are closed by that.
// The cubes do not depend on blocks, so blocks agree about the nodes that they share.
#ifndef SURFACE_DEPTH_H
#define SURFACE_DEPTH_H

#include "surface/lattice.h"

typedef struct BlockDepth {
    bool all, none;                          // nodes are deep
    uint16_t row[BLOCK_NODES * BLOCK_NODES]; // [16 z + y] bit x: the node is deep
} BlockDepth;

void block_depth(const Lattice* lattice, BlockKey key, BlockDepth* out);

#endif
