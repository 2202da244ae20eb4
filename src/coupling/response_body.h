// SPDX-License-Identifier: MIT
// Solids that respond as one (response.h): bodies with a mass and an inertia. For a fluid particle i near body B let
//   U_iB = (sum_b V_b grad W_ib, sum_b (x_b - c_B) x V_b grad W_ib)          six numbers, b over the particles of B
// then the pressure force and torque on B and what its motion (v, w) does to the densities around it are
//   F_B = V sum_i P_i U_iB,       ds_i/dt -= (v, w) . U_iB
#ifndef COUPLING_RESPONSE_BODY_H
#define COUPLING_RESPONSE_BODY_H

#include "coupling/response.h"

typedef struct ResponseBody {
    // set before a step
    uint32_t solid;
    Vec3d centre;                 // [m] of mass
    double inverse_mass;          // [1/kg]
    double inverse_inertia[3][3]; // [1/(kg m2)] in world axes
    Twist velocity;               // [m/s], [1/s]
    Twist other;                  // [m/s2], [1/s2] what all but the fluid does to it

    // of the step under way
    double mobility[6][6]; // [1/kg] ... acceleration by a force, with what friction takes of it (friction.h)
    double drag[6][6];     // [kg/s] ... friction per velocity
    Twist gain;            // [m/s], [1/s] change of velocity so far, as the solves see it
    Twist impulse;         // [N s], [N m s] from the fluid so far
    Twist force;           // [N], [N m] of the pressures at hand
    Twist acceleration;    // [m/s2], [1/s2] by that force
} ResponseBody;

// A chunk of eight particles, some of which touch a body. Pair forces are central, so that their moment is that of a force at the
// fluid particle: with a_i = x_i - c_B the last three of U_iB are a_i x the first three, and three are kept. They are 0 in lanes
// that do not touch it.
typedef struct BodyPair {
    uint32_t chunk, body;
    uint32_t place;                 // of the body in the block's sums
    uint8_t lanes;                  // bit k: lane k touches it
    bool alone;                     // the chunk touches no other solid
    bool first;                     // of its chunk; the next ones follow
    _Alignas(32) float u[3][LANES]; // [1/m]
    float arm[3][LANES];            // [m] the particles, seen from the body's centre
} BodyPair;

// What belongs to a chunk in an iteration, kept with its first pair.
typedef struct PairState {
    _Alignas(32) float at[LANES], step[LANES], error[LANES]; // [Pa], [Pa], [1]
    float before[LANES];                                     // [Pa] the iterate that is about to be replaced
} PairState;

// Friction of a pair.
typedef struct PairDrag {
    _Alignas(32) float s[6][LANES]; // [1/s] xx, xy, yy, xz, yz, zz: per mass and velocity (friction.h)
} PairDrag;

enum { PAIR_BLOCKS = 64 }; // fixed, so that sums have one order
enum { BODY_SUMS = 33 };   // 6 of a vector, 6 of another, 21 of a symmetric matrix

// Sums of a pass over the pairs of a block and a body, in eight lanes that go to double often enough to stay exact to float
// rounding.
typedef struct BodySum {
    _Alignas(32) float lane[BODY_SUMS][LANES];
    double sum[BODY_SUMS];
    uint32_t terms; // in the lanes
} BodySum;

typedef struct PairBlock {
    BodyPair* pair;   // by chunk
    PairState* state; // of each
    PairDrag* drag;   // of each
    size_t count, capacity, state_capacity, drag_capacity;
    uint32_t* body; // those of the block
    size_t body_count, body_capacity;
    BodySum* sum; // (bodies of the block) in BodyResponse.sums
    double update[STEP_SUMS];
    bool crowded, failed;
} PairBlock;

// Where the last Newton step of a body began.
typedef struct NewtonSearch {
    double from[6], step[6], slope;
    bool under_way;
} NewtonSearch;

typedef struct BodyResponse {
    Responder base;
    Memory* memory;
    bool crowded;                              // some particle touches more than one body
    bool has_steps;                            // PairState.step is there,
    float step_dt, step_omega, step_prototype; // for these
    ResponseBody* body;
    size_t body_count, body_capacity;
    int32_t* body_of; // (solids) or -1
    PairBlock block[PAIR_BLOCKS];
    int parts;                     // of about as many pairs, for as many threads
    uint8_t part[PAIR_BLOCKS + 1]; // where each begins [blocks]
    BodySum* sums;                 // of all blocks
    size_t sums_capacity;
    double (*total)[BODY_SUMS]; // (bodies) sums over blocks
    size_t total_capacity;
    double (*motion)[6]; // (bodies) what a pass works with, see each
    size_t motion_capacity;
    double (*inverse)[6][6]; // (bodies) of the Newton matrix
    size_t inverse_capacity;
    NewtonSearch* search; // (bodies)
    size_t search_capacity;
    float* response; // [1] (particles) what bodies will take from errors by following a step
    size_t response_capacity;
} BodyResponse;

// `response` must be zero but for its memory. Adds itself to the responders of `sph`.
void body_response_create(BodyResponse* response, Sph* sph, bool strong);
void body_response_free(BodyResponse* response);

// M^-1 f
Twist body_mobility(const ResponseBody* body, Twist f);

// A step begins: nothing gained yet.
void body_response_begin(BodyResponse* response);

#endif
