// SPDX-License-Identifier: MIT
// One pass over the constraints of mass points: each moves its points by its own share (XPBD, see mass_points.c).
// What a constraint divides by stays the same through a step, so it is made once: dl = -C factor,
//   factor = 1 / ((1 + g) sum w |grad C|^2 + 1 / (k h^2))
#ifndef ELASTIC_RELAX_H
#define ELASTIC_RELAX_H

#include "elastic/constraints.h"

typedef struct Relax {
    Memory* memory;
    Constraints constraints;
    Quad* x;    // [m] (points) now; w: [1/kg] inverse mass, 0 if pinned
    Quad* old;  // [m] before the substep
    Quad* pull; // [N s] on pinned points

    // of the step
    double h;             // [s]
    double damp;          // [1] g
    double hinge_rate;    // [1] substeps per pass over the hinges
    bool hinges;          // this pass has them
    double* edge_factor;  // [kg] (edges)
    double* hinge_factor; // [kg] (hinges)
    uint8_t* plain;       // (fours of edges) no point is pinned
    uint32_t first;       // block of the colour at hand
} Relax;

// `relax` must be zero, but for `memory`. Makes the constraints. Errors name the key.
mn_Result relax_create(Relax* relax, ElasticSet* set, const Body* body, mn_Error* error);
void relax_destroy(Relax* relax);

// A step of substeps of `h` [s] begins; x has the inverse masses.
void relax_begin(Relax* relax, Pool* pool, double h, double damp, double hinge_rate);
// One pass, with hinges or without.
void relax_pass(Relax* relax, Pool* pool, bool hinges);

// [s] the shortest time of an edge, and of a hinge: sqrt(1 / (k sum w |grad C|^2)); infinite: there is none.
double relax_edge_time(const Relax* relax, const double* mass);
double relax_hinge_time(const Relax* relax, const double* mass);

#endif
