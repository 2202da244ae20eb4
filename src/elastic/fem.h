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
    double* partial;
} Fem;

// [N] elastic forces at positions x; with the body's damping also those of the rates of the state's v.
void fem_forces(ElasticSet* set, Body* body, const Vec3d* x, Vec3d* force);

#endif
