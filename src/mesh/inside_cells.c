// SPDX-License-Identifier: MIT
#include "mesh/inside_cells.h"

#include <math.h>
#include <string.h>

bool inside_cells_create(InsideCells* cells, size_t capacity, Memory* memory)
{
    *cells = (InsideCells){.capacity = capacity, .cell = memory_take(memory, capacity)};
    return cells->cell;
}

void inside_cells_destroy(InsideCells* cells, Memory* memory)
{
    memory_give(memory, cells->cell);
    *cells = (InsideCells){0};
}

// Cells of this size along an axis.
static double count_along(double length, double size)
{
    return floor(length / size) + 1;
}

void inside_cells_begin(InsideCells* cells, Box3d bounds)
{
    Vec3d d = vec3d_sub(bounds.max, bounds.min);
    double longest = fmax(d.x, fmax(d.y, d.z)), size = longest / (double)cells->capacity;
    cells->low = bounds.min;
    cells->n[0] = cells->n[1] = cells->n[2] = 1;
    cells->inverse = 0;
    while (size > 0 && count_along(d.x, size) * count_along(d.y, size) * count_along(d.z, size) > (double)cells->capacity)
        size *= 1.05;
    if (size > 0 && isfinite(1 / size)) {
        cells->inverse = 1 / size;
        cells->n[0] = (size_t)count_along(d.x, size);
        cells->n[1] = (size_t)count_along(d.y, size);
        cells->n[2] = (size_t)count_along(d.z, size);
    }
    memset(cells->cell, CELL_EMPTY, cells->n[0] * cells->n[1] * cells->n[2]);
}

void inside_cells_mark(InsideCells* cells, Box3d piece)
{
    size_t x0 = inside_cells_at(cells, 0, piece.min.x, cells->low.x), x1 = inside_cells_at(cells, 0, piece.max.x, cells->low.x);
    size_t y0 = inside_cells_at(cells, 1, piece.min.y, cells->low.y), y1 = inside_cells_at(cells, 1, piece.max.y, cells->low.y);
    size_t z0 = inside_cells_at(cells, 2, piece.min.z, cells->low.z), z1 = inside_cells_at(cells, 2, piece.max.z, cells->low.z);
    for (size_t z = z0; z <= z1; z++)
        for (size_t y = y0; y <= y1; y++)
            for (size_t x = x0; x <= x1; x++)
                __atomic_store_n(&cells->cell[(z * cells->n[1] + y) * cells->n[0] + x], CELL_SURFACE, __ATOMIC_RELAXED);
}

// The side of a run of empty cells in a row: that of a cell beside it in the rows before, or else what the surface says.
static uint8_t side_of_run(const InsideCells* cells, size_t begin, size_t end, size_t y, size_t z,
                           bool (*contains)(const void* context, Vec3d point), const void* context)
{
    const uint8_t* row = cells->cell + (z * cells->n[1] + y) * cells->n[0];
    for (size_t x = begin; x < end; x++) {
        if (y > 0 && row[x - cells->n[0]] > CELL_SURFACE)
            return row[x - cells->n[0]];
        if (z > 0 && row[x - cells->n[0] * cells->n[1]] > CELL_SURFACE)
            return row[x - cells->n[0] * cells->n[1]];
    }
    double size = cells->inverse > 0 ? 1 / cells->inverse : 0;
    Vec3d middle = vec3d((double)begin + 0.5, (double)y + 0.5, (double)z + 0.5);
    return contains(context, vec3d_mad(cells->low, size, middle)) ? CELL_INSIDE : CELL_OUTSIDE;
}

void inside_cells_fill(InsideCells* cells, bool (*contains)(const void* context, Vec3d point), const void* context)
{
    size_t width = cells->n[0];
    for (size_t z = 0; z < cells->n[2]; z++)
        for (size_t y = 0; y < cells->n[1]; y++) {
            uint8_t* row = cells->cell + (z * cells->n[1] + y) * width;
            for (size_t x = 0; x < width;) {
                const uint8_t* first = memchr(row + x, CELL_EMPTY, width - x);
                if (!first)
                    break;
                size_t begin = (size_t)(first - row);
                const uint8_t* after = memchr(row + begin, CELL_SURFACE, width - begin);
                x = after ? (size_t)(after - row) : width;
                memset(row + begin, side_of_run(cells, begin, x, y, z, contains, context), x - begin);
            }
        }
}
