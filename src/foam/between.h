// SPDX-License-Identifier: MIT
// A fluid between two frames of it. Particles are matched by id; x(t) is the cubic through both positions with both velocities as
// slopes, v(t) its derivative. Who is in one of the frames only goes straight on from there, for half the time between them.
// A curve through two frames is smoother than the motion was: potentials found on it are some per cent too small. So they are found
// in the frames themselves, and the rates of births that follow from them are linear in between.
// Along periodic axes a particle went the shorter way, and images stand beyond the borders (images.h).
#ifndef FOAM_BETWEEN_H
#define FOAM_BETWEEN_H

#include "foam/foam.h"

typedef struct FoamFrame {
    double time; // [s]
    size_t count;
    const float* position; // [m] x, y, z (stride 3)
    const float* velocity; // [m/s] (stride 3)
    const uint32_t* id;    // ascending
} FoamFrame;

typedef struct FoamPair {
    uint32_t a, b; // places in the frames
} FoamPair;

typedef struct FoamBetween {
    Memory* memory;
    Pool* pool;
    FoamFrame a, b; // not owned
    FoamPair* pair; // those in both, then those in a only, then those in b only
    size_t both, only_a, only_b, pair_capacity;
    double fastest;            // [m/s] of both frames
    Vec4 *record_a, *record_b; // (particles of a, of b) see foam_potential_record()
    size_t record_a_capacity, record_b_capacity;
    bool has_b; // record_b is there

    ParticleSet set; // the fluid at the time that was asked for last, sorted by the grid
    Vec4 *position, *velocity;
    uint32_t *id, *place; // place: in `pair`
    float* rate;          // [1/s]
    uint8_t* is_image;
    Period period;
    CellGrid grid;
} FoamBetween;

// `between` must be zero and stay where it is. False: out of memory. Destroy it in any case.
bool foam_between_create(FoamBetween* between, const FoamRules* rules, Memory* memory, Pool* pool);
void foam_between_destroy(FoamBetween* between);

// Two frames, which must stay until others come; `a` should be the `b` of the last call. False: out of memory.
bool foam_between_frames(FoamBetween* between, const FoamFrame* a, const FoamFrame* b, Foam* foam);
// The fluid at `share` of the time between them, from 0 to 1, with rates of births; valid until the next call. False: out of
// memory.
bool foam_between_at(FoamBetween* between, double share, const Foam* foam, FoamFluid* out);

#endif
