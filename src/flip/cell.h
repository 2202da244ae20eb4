// SPDX-License-Identifier: MIT
// Neighbours of cells along an axis, across the borders of blocks.
#ifndef FLIP_CELL_H
#define FLIP_CELL_H

#include "flip/flip.h"

static const int cell_step[3] = {1, EDGE, ROWS};
static const int cell_shift[3] = {0, 3, 6};
static const int around_step[3] = {1, 3, 9};

// The number of the cell after cell `i` of a block along an axis: block * CELLS + cell.
static inline size_t cell_next(const Blocks* blocks, size_t block, int i, int axis)
{
    bool last = (i >> cell_shift[axis] & 7) == 7;
    size_t there = last ? blocks->around[block][AROUND_SELF + around_step[axis]] : block;
    return there * CELLS + (size_t)(last ? i - 7 * cell_step[axis] : i + cell_step[axis]);
}
static inline size_t cell_previous(const Blocks* blocks, size_t block, int i, int axis)
{
    bool first = (i >> cell_shift[axis] & 7) == 0;
    size_t there = first ? blocks->around[block][AROUND_SELF - around_step[axis]] : block;
    return there * CELLS + (size_t)(first ? i + 7 * cell_step[axis] : i - cell_step[axis]);
}

static inline float cell_open(const Flip* flip, size_t cell, int axis) // share of its low face
{
    return flip->walls.cells[cell / CELLS]->open[axis][cell % CELLS];
}
static inline float cell_wall_velocity(const Flip* flip, size_t cell, int axis)
{
    return flip->walls.cells[cell / CELLS]->velocity[axis][cell % CELLS];
}
// The face is closed by a body that gives way to pressure.
static inline bool flip_gives_way(const Flip* flip, size_t cell, int axis)
{
    int solid = flip->walls.cells[cell / CELLS]->solid[axis][cell % CELLS];
    return solid && flip->walls.solid[solid - 1].gives_way;
}
static inline float cell_volume(const Flip* flip, size_t cell)
{
    return flip->walls.cells[cell / CELLS]->volume[cell % CELLS];
}

// Cells take part in the pressure equation from half full on: below, the surface is beneath their centre.
static inline bool cell_is_fluid(float fill)
{
    return fill >= 0.5f;
}

// [1] distance in cells from the centre of a cell of fluid to the air: the surface of what both cells hold together.
static inline float cell_theta(float fill, float beyond)
{
    float theta = fill + (beyond > 0 ? beyond : 0) - 0.5f;
    return theta < 0.1f ? 0.1f : theta > 1 ? 1 : theta;
}

// Lightness at the low face of a cell.
static inline float cell_lightness(const Flip* flip, size_t cell, int axis)
{
    return flip->lightness[0] ? flip->lightness[axis][cell] : 1;
}

#endif
