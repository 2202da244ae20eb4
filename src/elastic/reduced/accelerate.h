// SPDX-License-Identifier: MIT
// Anderson's acceleration (Anderson 1965; Peng 2018 for projective dynamics) of an iteration q <- g(q): the next q is the mix of
// the last few g(q) whose residuals g(q) - q nearly cancel. Local-global iterations turn what is bent only slowly, since the global
// step holds all rotations; the mix finds in ten of them what would take forty.
#ifndef ELASTIC_REDUCED_ACCELERATE_H
#define ELASTIC_REDUCED_ACCELERATE_H

#include "base/memory.h"

enum { ACCELERATE_MOST = 5 }; // residuals that are remembered

typedef struct Accelerate {
    size_t count;       // numbers in q
    size_t kept;        // differences there are, at most ACCELERATE_MOST
    size_t next;        // where the next one goes
    bool begun;         // last_* are those of the iteration before
    double last;        // |residual|^2 of the iteration before
    double* last_value; // g
    double* last_residual;
    double* value;                                // (ACCELERATE_MOST x count) differences of g
    double* residual;                             // and of residuals
    double dot[ACCELERATE_MOST][ACCELERATE_MOST]; // of residual differences
} Accelerate;

bool accelerate_create(Accelerate* a, Memory* memory, size_t count); // false: out of memory; free in any case
void accelerate_free(Accelerate* a, Memory* memory);
void accelerate_begin(Accelerate* a);
// From q and its g: the q to go on with, in `g`.
void accelerate(Accelerate* a, const double* q, double* g);

#endif
