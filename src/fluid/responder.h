// SPDX-License-Identifier: MIT
// What the fluid sees of something that gives way to its pressure: a table of functions. The fluid does not know what is behind
// it. A responder is a linear map: with G_ib = V_b grad W_ib of fluid particles i and boundary particles b, pressures push b by
//   F_b = V sum_i P_i G_ib
// forces move it by a_b = (M F)_b, and that changes densities by
//   d^2 s_i/dt^2 -= sum_b a_b . G_ib
// with a symmetric positive M of its own. The same G on both sides keeps the system of a solve symmetric and positive, and the
// fluid gets minus what the responder gets.
//
// Strong responders move within the iterations of a solve, weak ones when it is over. Each strong one marks the chunks of fluid
// that touch it; the last that marks a chunk owns it (Sph.owner). Pressures of chunks that nobody owns are updated as soon as their
// divergence is there. A responder that owns all chunks it touches updates them itself, on its way, when it has moved; chunks of
// one that shares some of them wait until all responders have moved.
#ifndef FLUID_RESPONDER_H
#define FLUID_RESPONDER_H

#include "fluid/fluid.h"

enum { STEP_SUMS = 5 }; // that a solve wants of its particles

// An iteration's step for eight particles: P <- max(0, at + descent (error - response)).
typedef struct StepLanes {
    F8 error;    // [1] compression that would remain
    F8 descent;  // [Pa]
    F8 at;       // [Pa] the P that the error belongs to
    F8 before;   // [Pa] the iterate that is about to be replaced
    F8 response; // [1] what responders will take from the error by following the step
} StepLanes;

// The step that an iteration is about to take, after the acceleration and its divergence (or predicted densities) were computed.
typedef struct PressureStep {
    float dt, omega;
    float prototype; // [1/m2] > 0: the least diagonal, and fluid.source holds predicted densities
    bool first;      // of a solve: there is no iterate yet
    bool update;     // the responder updates its chunks
    bool follows;    // the P in use are those that its last updates returned
    const void* context;
    // Of eight particles from this one on.
    F8 (*error)(const void* context, size_t particle);
    F8 (*descent)(const void* context, size_t particle);
    // Takes the step for eight particles from this one on, and adds to `sums`.
    void (*take)(const void* context, size_t particle, F8 sums[STEP_SUMS]);
    // The same with values that the responder has at hand. Returns the P that will be in use next. May be repeated with a better
    // response, with sums that begin anew.
    F8 (*take_with)(const void* context, size_t particle, const StepLanes* lanes, F8 sums[STEP_SUMS]);
} PressureStep;

typedef struct Responder Responder;

// Functions that a kind does not need are NULL.
typedef struct ResponderKind {
    const char* name;
    // Finds out who touches it, for the neighbours at hand, marks chunks (responder_mark) if it is strong, and may enlarge the
    // diagonal of the system. False: out of memory.
    bool (*build)(Responder* responder);
    void (*pressure)(Responder* responder); // forces and accelerations by the pressures in position.w
    // Strong responders only:
    void (*gained)(Responder* responder);                              // divergence -= (velocity gained so far) . G
    void (*accelerated)(Responder* responder);                         // divergence -= (acceleration) . G
    void (*displaced)(Responder* responder, float dt, float* density); // density -= dt (velocity gained + dt acceleration) . G
    // Moves by the pressures at hand, with its effect on the divergence (or fluid.source), and updates chunks if it is to.
    void (*give_way)(Responder* responder, const PressureStep* step);
    bool (*settled)(const Responder* responder, float dt); // whether the step just taken would move it no more
    // [1] (particles) 0 or less: how much particles that touch it may still be compressed before they are full, minus that. A solve
    // for velocities without divergence would have such particles keep away from it. Valid until give_way.
    const float* (*room)(Responder* responder);
    void (*end)(Responder* responder);             // the iterations are over: forces and accelerations are those of the P in use
    void (*close)(Responder* responder, float dt); // a solve is over: its pressures acted for `dt`
} ResponderKind;

// The first member of every responder.
struct Responder {
    const ResponderKind* kind;
    Sph* sph;
    bool strong;            // it gives way within the iterations
    bool sole;              // it owns all chunks that it touches
    int number;             // in Sph.responder
    size_t chunks;          // that it touches
    double sums[STEP_SUMS]; // of the chunks it updated last
    const float* response;  // [1] (particles) StepLanes.response by it, if it does not update chunks itself; NULL: 0
};

// Adds it to those of `sph`, which must have room for it (RESPONDERS_MOST), or takes it away.
void responder_add(Sph* sph, Responder* responder);
void responder_remove(Sph* sph, Responder* responder);

// Marks a chunk as touched by a strong responder. Every chunk is marked at most once by each.
static inline void responder_mark(const Responder* r, size_t chunk)
{
    r->sph->responders.owner[chunk] = (uint8_t)(r->number + 1);
}

// All of them, in order.
bool responders_build(Sph* sph); // false: out of memory
void responders_gained(Sph* sph);
void responders_accelerated(Sph* sph);
void responders_displaced(Sph* sph, float dt, float* density);
bool responders_settled(const Sph* sph, float dt);
void responders_end(Sph* sph);
void responders_close(Sph* sph, float dt);
void responders_push(Sph* sph, float dt); // pressures that were not iterated act for `dt`

#endif
