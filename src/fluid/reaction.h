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

#include "fluid/responder.h"

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
    Twist other;                  // [m/s2], [1/s2] what all but the fluid does to it

    // of the step under way
    double mobility[6][6]; // [1/kg] ... acceleration by a force, with what friction takes of it (rub.h)
    double drag[6][6];     // [kg/s] ... friction per velocity
    Twist gain;            // [m/s], [1/s] change of velocity so far, as the solves see it
    Twist impulse;         // [N s], [N m s] from the fluid so far
    Twist force;           // [N], [N m] of the pressures at hand
    Twist acceleration;    // [m/s2], [1/s2] by that force
} Mover;

// A chunk of eight particles, some of which touch a mover. Pair forces are central, so that their moment is that of a force at the
// fluid particle: with a_i = x_i - c_B the last three of U_iB are a_i x the first three, and three are kept. They are 0 in lanes
// that do not touch it.
typedef struct Touch {
    uint32_t chunk, mover;
    uint32_t place;                 // of the mover in the block's sums
    uint8_t lanes;                  // bit k: lane k touches it
    bool alone;                     // the chunk touches no other solid
    bool first;                     // of its chunk; the next ones follow
    _Alignas(32) float u[3][LANES]; // [1/m]
    float arm[3][LANES];            // [m] the particles, seen from the mover's centre
} Touch;

// What belongs to a chunk in an iteration, kept with its first touch.
typedef struct TouchMore {
    _Alignas(32) float at[LANES], step[LANES], error[LANES]; // [Pa], [Pa], [1]
    float before[LANES];                                     // [Pa] the iterate that is about to be replaced
} TouchMore;

// Friction of a touch.
typedef struct TouchDrag {
    _Alignas(32) float s[6][LANES]; // [1/s] xx, xy, yy, xz, yz, zz: per mass and velocity (rub.h)
} TouchDrag;

enum { TOUCH_BLOCKS = 64 }; // fixed, so that sums have one order
enum { TOUCH_SUMS = 33 };   // 6 of a vector, 6 of another, 21 of a symmetric matrix

// Sums of a pass over the touches of a block and a mover, in eight lanes that go to double often enough to stay exact to float
// rounding.
typedef struct TouchSum {
    _Alignas(32) float lane[TOUCH_SUMS][LANES];
    double sum[TOUCH_SUMS];
    uint32_t terms; // in the lanes
} TouchSum;

typedef struct TouchBlock {
    Touch* touch;    // by chunk
    TouchMore* more; // of each
    TouchDrag* drag; // of each
    size_t count, capacity, more_capacity, drag_capacity;
    uint32_t* mover; // those of the block
    size_t mover_count, mover_capacity;
    TouchSum* sum; // (movers of the block) in Reaction.sums
    double update[STEP_SUMS];
    bool crowded, failed;
} TouchBlock;

// Where the last Newton step of a mover began.
typedef struct AnswerSearch {
    double from[6], step[6], slope;
    bool under_way;
} AnswerSearch;

typedef struct Reaction {
    Responder base;
    Memory* memory;
    bool crowded;                              // some particle touches more than one mover
    bool has_steps;                            // TouchMore.step is there,
    float step_dt, step_omega, step_prototype; // for these
    Mover* mover;
    size_t mover_count, mover_capacity;
    int32_t* mover_of; // (solids) or -1
    TouchBlock block[TOUCH_BLOCKS];
    int parts;                      // of about as many touches, for as many threads
    uint8_t part[TOUCH_BLOCKS + 1]; // where each begins [blocks]
    TouchSum* sums;                 // of all blocks
    size_t sums_capacity;
    double (*total)[TOUCH_SUMS]; // (movers) sums over blocks
    size_t total_capacity;
    double (*motion)[6]; // (movers) what a pass works with, see each
    size_t motion_capacity;
    double (*inverse)[6][6]; // (movers) of the Newton matrix
    size_t inverse_capacity;
    AnswerSearch* search; // (movers)
    size_t search_capacity;
    float* answer; // [1] (particles) what movers will give back to a change of pressure
    size_t answer_capacity;
} Reaction;

// `reaction` must be zero but for its memory.
void reaction_create(Reaction* reaction, Sph* sph, bool strong);
void reaction_free(Reaction* reaction);

// M^-1 f
Twist reaction_mobility(const Mover* mover, Twist f);

// A step begins: nothing gained yet.
void reaction_begin(Reaction* reaction);

#endif
