// SPDX-License-Identifier: MIT
// Co-rotational tetrahedra: what fem.c and its tests share.
#ifndef ELASTIC_FEM_H
#define ELASTIC_FEM_H

#include "elastic/elastic_parts.h"
#include "elastic/mat3.h"

typedef struct Element {
    double volume; // [m3] at rest
    Vec3d b[4];    // [1/m] gradients of the shape functions at rest
} Element;

// See coarse.h. Groups and the shape of the matrix stay, the rest is that of the last solve.
typedef struct Coarse {
    Memory* memory;
    size_t groups;
    uint32_t* group_of; // (points)
    Vec3d* arm;         // [m] (points) from the middle of the group
    uint32_t* first;    // (groups) the first one that it has entries with
    size_t* row;        // (6 per group) where a row begins
    double* matrix;     // (entries) lower half, each row from its first group on; then its factor
    size_t entries;
    double keep;   // [1] of mass
    double* own;   // (21 per group) factor of keep Z^T M Z
    double* value; // scratch
    Vec3d* centre; // scratch
} Coarse;

typedef struct Fem {
    double mu, lambda;      // [Pa]
    Element* element;       // (tets)
    Mat3* rotation;         // (tets) of the positions looked at last
    Vec3d* corner_force;    // [N] (4 per tet)
    uint32_t* corner_start; // (points + 1) into corner
    uint32_t* corner;       // 4 * tet + corner, by point, ascending

    // state, besides positions and velocities
    double h_before; // [s] the last step; 0: the next one starts afresh
    Vec3d *x_before, *v_before;

    // scratch of a step (points)
    Vec3d *x, *v, *x_start, *v_start, *residual;
    Vec3d *dv, *r, *z, *p, *q; // of conjugate gradients
    Mat3* block;
    double answer_scale;
    Coarse coarse;
    double* partial;
} Fem;

// R (2 mu sym(R^T g) + lambda tr(R^T g))
static inline Mat3 linear_stress(const Fem* s, const Mat3* r, const Mat3* g)
{
    Mat3 a = mat3_mul_left_transposed(r, g), sym;
    double trace = s->lambda * (a.m[0][0] + a.m[1][1] + a.m[2][2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sym.m[i][j] = s->mu * (a.m[i][j] + a.m[j][i]) + (i == j ? trace : 0);
    return mat3_mul(r, &sym);
}

// [N] elastic forces at positions x; with the body's damping also those of the rates of the state's v.
void fem_forces(ElasticSet* set, Body* body, const Vec3d* x, Vec3d* force);

#endif
