// SPDX-License-Identifier: MIT
// Neighbours of cells along an axis, across the borders of blocks.
#ifndef FLIP_CELL_H
#define FLIP_CELL_H

#include "base/simd.h"
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

// Rows of eight cells along x. Number of the first cell of row (y, z) of the block whose surroundings are given, each from -1 to 8.
static inline size_t row_at(const uint32_t* around, int y, int z)
{
    uint32_t there = around[AROUND_SELF + 9 * (z >> 3) + 3 * (y >> 3)];
    return (size_t)there * CELLS + (size_t)((z & 7) * ROWS + (y & 7) * EDGE);
}
// A row of a field, and the same one cell on or back along an axis. `around` is that of the block that row (y, z) is in.
static inline F8 row_next(const float* field, const uint32_t* around, int y, int z, int axis)
{
    if (axis == 1)
        return f8_load(field + row_at(around, y + 1, z));
    if (axis == 2)
        return f8_load(field + row_at(around, y, z + 1));
    return f8_after(f8_load(field + row_at(around, y, z)), field[row_at(around + 1, y, z)]);
}
static inline F8 row_previous(const float* field, const uint32_t* around, int y, int z, int axis)
{
    if (axis == 1)
        return f8_load(field + row_at(around, y - 1, z));
    if (axis == 2)
        return f8_load(field + row_at(around, y, z - 1));
    return f8_before(f8_load(field + row_at(around, y, z)), field[row_at(around - 1, y, z) + 7]);
}
// Open shares of the high faces of a row's cells.
static inline F8 row_open_next(const Flip* flip, const uint32_t* around, int y, int z, int axis)
{
    size_t next = axis == 0 ? row_at(around + 1, y, z) : row_at(around, y + (axis == 1), z + (axis == 2));
    const float* there = flip->walls.cells[next / CELLS]->open[axis] + next % CELLS;
    if (axis > 0)
        return f8_load(there);
    return f8_after(f8_load(flip->walls.cells[around[AROUND_SELF]]->open[0] + z * ROWS + y * EDGE), *there);
}
// Open shares of the cells beside.
static inline F8 row_volume_beside(const Flip* flip, const uint32_t* around, int y, int z, int axis, int side)
{
    size_t there = axis == 0 ? row_at(around + side, y, z) : row_at(around, axis == 1 ? y + side : y, axis == 2 ? z + side : z);
    const float* volume = flip->walls.cells[there / CELLS]->volume + there % CELLS;
    if (axis > 0)
        return f8_load(volume);
    F8 own = f8_load(flip->walls.cells[around[AROUND_SELF]]->volume + z * ROWS + y * EDGE);
    return side < 0 ? f8_before(own, volume[7]) : f8_after(own, volume[0]);
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
static inline F8 cells_are_fluid(F8 fill)
{
    return f8_less(f8_set(0.49999997f), fill); // the number below 0.5
}

// [1] distance in cells from the centre of a cell of fluid to the air: the surface of what both cells hold together.
static inline float cell_theta(float fill, float beyond)
{
    float theta = fill + (beyond > 0 ? beyond : 0) - 0.5f;
    return theta < 0.1f ? 0.1f : theta > 1 ? 1 : theta;
}

static inline F8 cells_theta(F8 fill, F8 beyond)
{
    F8 theta = f8_sub(f8_add(fill, f8_max(beyond, f8_zero())), f8_set(0.5f));
    return f8_min(f8_max(theta, f8_set(0.1f)), f8_set(1));
}

// Lightness at the low face of a cell.
static inline float cell_lightness(const Flip* flip, size_t cell, int axis)
{
    return flip->lightness[0] ? flip->lightness[axis][cell] : 1;
}

#endif
