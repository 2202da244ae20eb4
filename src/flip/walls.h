// SPDX-License-Identifier: MIT
// Solids as the grid meets them: what share of each face and cell is open, and how fast a wall is where it is not (Batty 2007). All
// of it follows from signed distances at the corners of cells, positive where fluid may be: that to the nearest solid, and within
// the union of containers. Shares of faces are areas of what lies above zero, exact for planes. Solids without an inside (sheets,
// shells) close the faces whose two cells' centres they stand between.
//
// What static solids do to a block of cells is found once and kept; solids that move have a lattice of distances in their own
// frame, which is looked up in each step.
#ifndef FLIP_WALLS_H
#define FLIP_WALLS_H

#include "flip/blocks.h"
#include "flip/distances.h"
#include "solid/solid.h"

enum { CORNER_EDGE = EDGE + 1, CORNERS = CORNER_EDGE * CORNER_EDGE * CORNER_EDGE, BLOCKS_GRAIN = 4 };

// A block of cells at walls.
typedef struct WallCells {
    float corner[CORNERS + 3]; // [m] signed distance, 81 z + 9 y + x; read by fours
    uint8_t nearest[CORNERS];  // number of that solid, from 1; 0: none is near
    float open[3][CELLS];      // [1] of the low faces
    float velocity[3][CELLS];  // [m/s] of the wall there, along the axis
    uint8_t solid[3][CELLS];   // number of the solid that closes a part of the face, from 1; 0: none
    float volume[CELLS];       // [1] open share
} WallCells;

typedef struct WallSolid {
    const Solid* solid;
    bool moves;      // now or later
    Distances field; // of distances, of those that move
    // over the step to come
    Vec3d velocity, angular_velocity, centre; // [m/s], [1/s], [m]
    bool gives_way;                           // to pressure
    double inverse_mass;                      // [1/kg] of those, and
    double inverse_inertia[3][3];             // [1/(kg m2)] about the centre, in world axes
    Vec3d force, torque;                      // [N], [N m] about the centre, by the pressure
    Vec3d low, high;                          // [m] box around it, a cell larger
} WallSolid;

typedef struct Walls {
    Memory* memory;
    Pool* pool;
    int dimension;
    double dx; // [m]
    WallSolid* solid;
    size_t solid_count;
    bool any_moves, has_container, is_static_container;
    WallCells *all_open, *all_closed;
    // static solids alone, by the key of a block; numbers of `known` stay
    Blocks known;
    WallCells** still; // (known) one of the two above, or its own
    size_t still_capacity;
    // of the step under way
    const WallCells** cells; // (blocks)
    WallCells* moved;        // of blocks that solids in motion are near
    uint32_t* job;           // (moved) their blocks
    size_t cells_capacity, moved_capacity, job_capacity, moved_count;
} Walls;

void walls_init(Walls* walls, Memory* memory, Pool* pool, int dimension, double dx);
void walls_free(Walls* walls);

// What the fluid will meet; the solids stay where they are. False: out of memory.
bool walls_add(Walls* walls, const Solid* solid, size_t count);
// Boxes around solids where their poses say they are: before walls_hide().
void walls_look(Walls* walls);
// Whether a block of cells lies behind walls, and farther than a cell from what is open: nobody needs it. False: out of memory.
bool walls_hide(Walls* walls, BlockKey key, bool* hidden);
// The solids are where their poses say, and move as WallSolid says. False: out of memory.
bool walls_update(Walls* walls, const Blocks* blocks);

// The velocities of solids are others: those of walls follow.
void walls_follow(Walls* walls, const Blocks* blocks);

// [m] Signed distance at a point of a block, in cells from its corner, 0 to 8, and its gradient.
double walls_distance(const WallCells* cells, const float cell[3], float gradient[3]);

Vec3d walls_velocity(const WallSolid* solid, Vec3d point); // [m/s]

#endif
