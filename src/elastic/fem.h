// SPDX-License-Identifier: MIT
// Co-rotational tetrahedra: what the files of this model and its tests share.
#ifndef ELASTIC_FEM_H
#define ELASTIC_FEM_H

#include "elastic/elastic_parts.h"
#include "elastic/mat3.h"

enum { FEM_POINT_GRAIN = 512 };

typedef struct Element {
    double volume; // [m3] at rest
    Vec3d b[4];    // [1/m] gradients of the shape functions at rest
} Element;

// Where strains are taken, see fem_elements.c: a sixth of each tetrahedron around an edge, and half of what is at the edges of a
// point.
typedef struct Domains {
    size_t count;        // edges
    uint32_t (*end)[2];  // points
    double* volume;      // [m3]
    uint32_t* tet_start; // (edges + 1) into tet
    uint32_t* tet;       // around an edge, ascending
    uint32_t (*tet_edge)[6];
    uint32_t* point_start; // (points + 1) into point_edge
    uint32_t* point_edge;  // at a point, ascending
    double* point_volume;  // [m3]

    Mat3* rotation; // of the positions looked at last
    // scratch
    Mat3* gradient;   // (tets) times the volume
    Mat3* stress;     // (edges)
    double* trace;    // (edges)
    double* dilation; // (points)
} Domains;

// See crush.h. Of the positions looked at last.
typedef struct CrushedTet {
    uint32_t tet;
    Mat3 u, v;     // F = u diag(s) v^T
    Mat3 slope;    // [Pa] D
    Mat3 stress;   // [Pa] at F = 0, if it were linear
    double energy; // [J]
} CrushedTet;

enum { NOT_CRUSHED = 0xffffffff };

typedef struct Crush {
    Memory* memory;
    uint32_t* of; // (tets) its place in `tet`, or NOT_CRUSHED
    CrushedTet* tet;
    size_t count, capacity;
} Crush;

// See coarse.h. Groups and the shape of the matrix stay, the rest is that of the last solve.
typedef struct Coarse {
    Memory* memory;
    size_t groups;
    uint32_t* group_of; // (points)
    Vec3d* arm;         // [m] (points) from the middle of the group
    uint32_t* first;    // (groups) the first one that it has entries with
    size_t* row;        // (6 per group) where a row begins
    double* matrix;     // (entries) lower half, each row from its first group on; then its factor
    double* second;     // scratch (entries)
    size_t entries;
    double softness; // [1] of its stiffness, see coarse.c
    double keep;     // [1] of mass
    double* own;     // (21 per group) factor of keep Z^T M Z
    double* value;   // scratch
    Vec3d* centre;   // scratch
} Coarse;

// A contact as a stiff spring within Newton's method: points with weights against a place on an obstacle.
typedef struct Hold {
    int count;
    uint32_t point[3];
    double weight[3]; // [1] sum 1
    Vec3d normal;     // the points are pushed along it
    double stiffness; // [N/m]
    double viscosity; // [N s/m] friction
    double force;     // [N] along the normal
    Vec3d slip;       // [m/s] across it
    uint32_t obstacle;
    Vec3d at; // [m]
} Hold;

// A symmetric matrix: xx, yy, zz, xy, yz, zx.
typedef struct Strain {
    double at[6]; // [1]
} Strain;

// See plastic.h; NULL: it does not yield.
typedef struct Plastic {
    Strain* tet;     // (tets) plastic ones; state
    Strain* edge;    // (edges) their means
    Strain* elastic; // (edges) scratch
} Plastic;

typedef struct Fem {
    double mu, lambda; // [Pa]
    Element* element;  // (tets)
    Domains domains;
    Crush crush;
    Plastic plastic;
    Vec3d* corner_force;    // [N] (4 per tet)
    uint32_t* corner_start; // (points + 1) into corner
    uint32_t* corner;       // 4 * tet + corner, by point, ascending

    // state, besides positions and velocities
    double h_before; // [s] the last step; 0: the next one starts afresh
    Vec3d *x_before, *v_before;
    double tangled; // 1: nothing hardens until nothing is crushed any more, see crush.h; else 0

    // scratch of a step (points)
    Vec3d *x, *v, *x_start, *v_start, *residual;
    Vec3d *dv, *r, *z, *p, *q; // of conjugate gradients
    Mat3* block;
    Hold* hold; // of the Newton step: those that push
    size_t hold_count, hold_capacity;
    double mobility_scale;
    Coarse coarse;
    double* partial;
} Fem;

// A pass over the body.
typedef struct FemJob {
    ElasticSet* set;
    const Body* body;
    Fem* s;
    const Vec3d* in;
    Vec3d* out;
    bool deformed;     // `in` has positions, else changes
    double scale;      // of elastic forces
    double keep;       // of mass
    double bond_scale; // of the stiffness of bonds, see cohesion.h
    bool failed;       // out of memory
} FemJob;

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

// --- fem_elements.c

// Elements and domains of the rest shape. False: out of memory; free in any case.
bool fem_elements_create(Fem* fem, Memory* memory, const Body* body);
void fem_elements_free(Fem* fem, Memory* memory);

// [N] elastic forces at positions x; with the body's damping also those of the rates of the state's v. False: out of memory, then
// what is crushed does not harden.
bool fem_forces(ElasticSet* set, const Body* body, const Vec3d* x, Vec3d* force);
// corner_force = -K in, at the rotations found last
void fem_stiffness(FemJob* job, const Vec3d* in);
void fem_find_gradients(FemJob* job, const Vec3d* in); // of all tetrahedra
Mat3 fem_smooth(const Fem* fem, size_t edge);          // their mean around an edge
void fem_look(FemJob* job);                            // crush_look() where points are
Vec3d fem_collect(const Fem* fem, size_t point);       // sum of corner_force
double fem_strain_energy(const Body* body);            // [J]

// --- fem_solve.c

// Before the first of a step: finds out how obstacles that give way share what pushes them.
void fem_begin_contacts(FemJob* job, double bh, double h);
// residual -= b h (what contacts do)
void fem_add_contacts(FemJob* job, double bh, double h, Vec3d* residual);
// What the obstacles felt. True: something touched.
bool fem_push_obstacles(FemJob* job, double bh, double h);

// For A = keep M + scale K + contacts, at the positions s->x. The coarse space, which takes most of the time, is made anew or
// stays.
void fem_prepare_solve(FemJob* job, double bh, double h, bool anew);
// dv with A dv = -residual, to a share `tolerance` of the residual, or until r . A^-1 r, by the preconditioner, is `enough`
// [kg m2/s2]: that is about dv . A dv of what is missing, which is more than its dv . M dv. Returns the number of iterations.
int fem_solve(FemJob* job, double tolerance, double enough);

#endif
