// SPDX-License-Identifier: MIT
// Solids that give way. The fluid does not know what a rigid body is; it sees movers: groups of boundary particles that move
// as one, with a mass and an inertia. For a fluid particle i near mover B let
//   U_iB = (sum_b V_b grad W_ib, sum_b (x_b - c_B) x V_b grad W_ib)          six numbers, b over the particles of B
// then the pressure force and torque on B and what its motion (v, w) does to the densities around it are
//   F_B = V sum_i P_i U_iB,       ds_i/dt -= (v, w) . U_iB                   (Akinci 2014, eqs. 3.7, 3.8)
// with one and the same U: the fluid gets minus what the solid gets, and a solve in which movers give way keeps the symmetric
// positive system that it has without them.
#ifndef FLUID_REACTION_H
#define FLUID_REACTION_H

#include "fluid/fluid.h"

typedef struct Twist {
    Vec3d linear, angular;
} Twist;

typedef struct Mover {
    // set before a step
    uint32_t solid;
    Vec3d centre;                 // [m] of mass
    double inverse_mass;          // [1/kg]
    double inverse_inertia[3][3]; // [1/(kg m2)] in world axes
    Twist velocity;               // [m/s], [1/s]
    double rub;                   // [kg/s] how strongly friction holds it, by reaction_build

    // of the step under way
    Twist gain;         // [m/s], [1/s] change of velocity so far, as the solves see it
    Twist impulse;      // [N s], [N m s] from the fluid so far
    Twist force;        // [N], [N m] of the pressures at hand
    Twist acceleration; // [m/s2], [1/s2] by that force
} Mover;

typedef struct Touch {
    uint32_t particle, mover;
    float u[6]; // [1/m], [1]
} Touch;

enum { TOUCH_BLOCKS = 64 }; // fixed, so that sums have one order

typedef struct TouchBlock {
    Touch* touch; // by chunk
    size_t count, capacity;
    bool crowded, failed;
} TouchBlock;

typedef struct Reaction {
    Memory* memory;
    bool strong;  // movers give way within the iterations
    bool crowded; // some particle touches more than one mover
    Mover* mover;
    size_t mover_count, mover_capacity;
    int32_t* mover_of; // (solids) or -1
    TouchBlock block[TOUCH_BLOCKS];
    double* partial; // (TOUCH_BLOCKS x movers x WIDTH) sums per block
    size_t partial_capacity;
    double* matrix; // scratch of the answer (movers)
    size_t matrix_capacity;
    float* answer; // [1] (particles) what movers will give back to a change of pressure
    size_t answer_capacity;
} Reaction;

void reaction_free(Reaction* reaction);

// M^-1 f
Twist reaction_mobility(const Mover* mover, Twist f);

// Lists who touches whom, for the neighbours at hand. False: out of memory.
bool reaction_build(Sph* sph);

// A step begins: nothing gained yet.
void reaction_begin(Sph* sph);
// Force, torque and acceleration of all movers by the pressures in position.w.
void reaction_pressure(Sph* sph);
// divergence -= (velocity gained so far) . U
void reaction_gained(Sph* sph);

// divergence -= (acceleration) . U
void reaction_accelerated(Sph* sph);
// density -= dt (velocity gained so far + dt acceleration) . U
void reaction_displaced(Sph* sph, float dt, float* density);

// The step that an iteration of a solve is about to take: P_i <- max(0, P_i + omega rho0 / (dt^2 diagonal_i) error_i).
typedef struct ReactionStep {
    float dt, omega;
    float prototype; // [1/m2] > 0: the least diagonal, and fluid.source holds predicted densities
    float (*error)(const void* context, uint32_t particle);
    const void* context;
} ReactionStep;

// After fluid.acceleration and its divergence (or predicted densities) were computed: movers follow the pressures at hand, and
// the array returned (per particle; NULL: nothing) is what they will take from the step's errors by following it.
const float* reaction_give_way(Sph* sph, const ReactionStep* step);

// Per particle, 0 or less: how much a particle that touches a mover may still be compressed before it is full, minus that. A solve
// for velocities without divergence would have such particles keep away from the mover, and a light one is thrown by the fastest
// of them. Valid until the next reaction_give_way. NULL if movers do not give way.
const float* reaction_room(Sph* sph);

// Whether the movers have found their accelerations: the step just taken would move none of them by more than a small share of a
// particle. The mean error over all of the fluid does not see a light body.
bool reaction_settled(const Sph* sph, float dt);

// A solve is over: its pressures acted for `dt`.
void reaction_close(Sph* sph, float dt);

#endif
