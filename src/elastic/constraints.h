// SPDX-License-Identifier: MIT
// The constraints of mass points and the order they are solved in.
//
// Constraints are cut into blocks of neighbours in space; blocks that share no point have the same colour and are solved at
// the same time, one colour after the other, each block in its own fixed order: the same bits for any number of threads.
#ifndef ELASTIC_CONSTRAINTS_H
#define ELASTIC_CONSTRAINTS_H

#include "elastic/elastic_parts.h"

typedef struct EdgeConstraint { // C = |x_a - x_b| - rest
    uint32_t point[2];
    double rest;       // [m]
    double compliance; // [m/N] 1 / stiffness
} EdgeConstraint;

typedef struct HingeConstraint { // C = +-|sum c_i x_i| - rest
    uint32_t point[4];           // the shared edge, then the tips of its two triangles
    float coefficient[4];        // [1] sum 0
    float compliance;            // [m/N]
    float rest;                  // [m] 0: flat
} HingeConstraint;

// A tetrahedron that is pressed to a fifth of its volume has no room left: it hardens. Springs alone would let water deeper than
// their modulus, or a fall onto the floor, turn a soft solid inside out.
#define TET_CRUSHED 0.2

typedef struct TetConstraint { // C = volume - rest
    uint32_t point[4];
    double rest;       // [m3]
    double compliance; // [m/Pa ... m3/J] 1 / stiffness
    double crushed;    // that of what is below TET_CRUSHED besides
} TetConstraint;

// What one thread does without a break: ranges of the three arrays. Edges up to edge_fours come in fours that share no point.
typedef struct ConstraintBlock {
    uint32_t edge, edge_fours, edge_end, hinge, hinge_end, tet, tet_end;
} ConstraintBlock;

typedef struct Constraints {
    size_t edge_count, hinge_count, tet_count, block_count;
    EdgeConstraint* edge;
    HingeConstraint* hinge;
    TetConstraint* tet;
    ConstraintBlock* block; // sorted by colour
    uint32_t colour_end[64];
    int colour_count;
} Constraints;

// From the body's points and elements at rest. Errors name the key.
mn_Result constraints_build(Constraints* constraints, ElasticSet* set, const Body* body, mn_Error* error);
void constraints_free(Constraints* constraints, Memory* memory);

#endif
