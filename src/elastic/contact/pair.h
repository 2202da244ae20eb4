// SPDX-License-Identifier: MIT
// Two features that must not pass each other: a point and a face, or two edges. Each belongs to a deformable body or to an
// obstacle.
#ifndef ELASTIC_CONTACT_PAIR_H
#define ELASTIC_CONTACT_PAIR_H

#include "elastic/obstacle.h"

typedef enum ContactKind { CONTACT_VERTEX_FACE, CONTACT_EDGE_EDGE } ContactKind;

// Where the features are to each other: a height along a normal, over places that are means of their ends.
typedef struct PairPlace {
    Vec3d normal;     // a unit, from the second feature; of a face its own, of edges the product of their directions
    double height;    // [m] of the first feature over the second one, along it
    double weight[4]; // of the ends, those of the first feature positive and of the second negative; sums 1 and -1
    bool over;        // the features are really there, not only their continuations
} PairPlace;

// Of four ends: a point and the corners of a face, or the ends of two edges. Parallel edges and faces without area are never over.
PairPlace pair_place(ContactKind kind, const Vec3d x[4], double margin);
// Whether they passed through each other while their ends went from `before` to `x`. `*from`: the direction, a unit in space, in
// which the first feature was from the second one; its sign says on which side.
bool pair_passed(ContactKind kind, const Vec3d before[4], const Vec3d x[4], Vec3d* from);

// Points with weights, and at most one obstacle, that push each other along a normal.
typedef struct Meeting {
    // of the points
    int count;
    double weight[4];  // [1] those that go along the normal positive. Sum 0 without an obstacle, else 1 or -1
    double inverse[4]; // [1/kg] 0: held
    double ease[4];    // [1/kg] of shifts
    Vec3d velocity[4]; // [m/s] in and out
    Vec3d shift[4];    // [m] out
    // of the pair
    Vec3d normal;       // a unit
    double depth;       // [m] that is missing; not above 0: nothing
    Vec3d path;         // [m] that the first side went against the second one
    double friction;    // [1]
    double share;       // [1] of what is to be done; 1: all
    Obstacle* obstacle; // or NULL
    Vec3d at;           // [m] where it is pushed
} Meeting;

// Positions and velocities are corrected each for themselves: a shift along the normal that gives no velocity, and an impact
// without rebound, both with friction. Momentum is kept, see pair.c.
void meeting_solve(Meeting* meeting);

// --- points of a body, after its step or within substeps of `h` [s]

static inline Vec3d contact_place(const Body* body, uint32_t point)
{
    return body->paths.now ? quad_vec(body->paths.now[point]) : body->position[point];
}

static inline Vec3d contact_velocity(const Body* body, uint32_t point, double h)
{
    return body->paths.now ? quad_vec(quad_xyz(body->paths.now[point] - body->paths.old[point]) * (1 / h)) : body->velocity[point];
}

static inline double contact_inverse_mass(const Body* body, uint32_t point)
{
    return body->paths.now ? body->paths.now[point][3] : body->pins.of[point] >= 0 ? 0 : 1 / body->mass[point];
}

// A shift gives no velocity: where the substep began goes with it.
static inline void contact_put(Body* body, uint32_t point, Vec3d x, Vec3d velocity, double h)
{
    body->position[point] = x;
    if (body->paths.now) {
        body->paths.now[point] = quad(x, body->paths.now[point][3]);
        body->paths.old[point] = quad(vec3d_mad(x, -h, velocity), 0);
    } else {
        body->velocity[point] = velocity;
    }
}

#endif
