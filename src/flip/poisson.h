// SPDX-License-Identifier: MIT
// The pressure equation on the cells of a sparse grid,
//   sum over the six faces of c of a_f (q_c - q_n) + g_c q_c + sum over bodies of J_c . W sum_k J_k q_k = b_c,
// a_f the open share of a face times its lightness, g_c what faces to the air add, J and W bodies that give way (6 numbers each).
//
// It is solved by conjugate gradients with a multigrid cycle as preconditioner. Levels are made by aggregation: a coarse cell is
// what its 2 x 2 x 2 cells are together, and its faces have the sum of their faces' coefficients, halved, since the coarse centres
// are twice as far apart (without the half, corrections are too small by two and iterations grow with the size; Braess 1995).
// Aggregates need no interpolation at walls. Measured: 8 to 9 iterations to 1e-4 from 32 to 128 cells along each axis. A W-cycle
// fails: what a coarse correction overshoots, its square makes indefinite. The smoother is red-black Gauss-Seidel, forth and back:
// the cycle is symmetric.
#ifndef FLIP_POISSON_H
#define FLIP_POISSON_H

#include "flip/blocks.h"

// What is stored per cell, as arrays of a block one after the other.
typedef enum PoissonCoefficient {
    COEF_X_LOW, // a_f of the face to x - 1
    COEF_X_HIGH,
    COEF_Y_LOW,
    COEF_Y_HIGH,
    COEF_Z_LOW,
    COEF_Z_HIGH,
    COEF_DIAGONAL, // sum of these and g_c; 0: the cell takes no part
    COEF_INVERSE,  // of the diagonal, or 0
    COEFS
} PoissonCoefficient;

enum { LEVELS_MOST = 14 };

// How a body meets the pressure of a cell: what flows out of the cell if it moves with unit velocities, in faces.
typedef struct BodyFace {
    uint32_t cell; // block * CELLS + cell
    float j[6];    // velocity of its centre, angular velocity times the length of a cell
} BodyFace;

// A body that gives way.
typedef struct PoissonBody {
    double w[6][6]; // change of its six velocities by unit sums
    double gain[6]; // of the operator under way
    size_t number;  // whose it is
    size_t first;   // of its faces
    size_t count;
} PoissonBody;

typedef struct PoissonLevel {
    Blocks own;           // of coarse levels
    const Blocks* blocks; // of the grid, or `own`
    float* coef;          // (COEFS x CELLS per block)
    float *x, *b;         // (CELLS per block)
    uint8_t* used;        // (blocks) some cell takes part
    uint32_t* parent;     // (blocks) block of the next level, and
    uint8_t* part;        // (blocks) which eighth of it
    size_t coef_capacity, x_capacity, b_capacity, used_capacity, parent_capacity, part_capacity;
} PoissonLevel;

typedef struct Poisson {
    Memory* memory;
    Pool* pool;
    int dimension;
    PoissonLevel level[LEVELS_MOST];
    int levels;
    float *r, *s, *as; // (CELLS per block) of the finest level
    size_t r_capacity, s_capacity, as_capacity;
    PoissonBody* body;
    size_t body_count, body_capacity;
    BodyFace* face; // in the order of bodies
    size_t face_count, face_capacity;
} Poisson;

typedef struct PoissonReport {
    int iterations;
    double residual; // [1] |b - A q| / |b|
    bool converged;
} PoissonReport;

void poisson_init(Poisson* poisson, Memory* memory, Pool* pool, int dimension);
void poisson_free(Poisson* poisson);

// Room for the finest level on these blocks, all coefficients zero; no bodies. False: out of memory.
bool poisson_begin(Poisson* poisson, const Blocks* blocks);
// The same without zeros: whoever takes it writes all of a block, or leaves it out.
bool poisson_take(Poisson* poisson, const Blocks* blocks);
void poisson_leave_out(Poisson* poisson, size_t block);
// All off-diagonal coefficients are there and COEF_DIAGONAL has g_c, or a negative number for cells that take no part: completes
// the diagonals and makes the coarse levels. False: out of memory.
bool poisson_finish(Poisson* poisson);

// From what is in q on, until |b - A q| <= tolerance |b| or `most` iterations. q and b are zero in cells that take no part.
PoissonReport poisson_solve(Poisson* poisson, float* q, const float* b, double tolerance, int most);
// The same by `count` plain Jacobi iterations, as Brandt 2019 does.
PoissonReport poisson_jacobi(Poisson* poisson, float* q, const float* b, int count);

// out = A q, in used blocks. For tests too.
void poisson_apply(Poisson* poisson, const float* q, float* out);

#endif
