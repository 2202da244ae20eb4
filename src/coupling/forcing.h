// SPDX-License-Identifier: MIT
// Direct forcing (Becker, Tessendorf, Teschner 2009, section V): the impulses between fluid particles and solids in contact that
// make relative velocities at the end of a step what a condition says. With v_r = v_i - v_cp, v_cp the solid's velocity at the
// contact,
// * for what the step would lead to without these impulses, n the normal towards the fluid:
//   v_r(t+h) = eps [v_r*]_t - delta [v_r(t)]_n      if they close,  v_r* . n < 0                                  (eq. 8)
//   v_r(t+h) = eps [v_r*]_t + [v_r*]_n              if they part: nothing sticks                                  (eq. 9)
// Particles do not push each other here, so that their velocities follow from those of the solids: v_i = aim_i + B_i V, V the
// velocities (v, w) of all bodies, and B_i = P [1 | -a~] for one contact with a body, a = x_i - centre. Bodies and particles
// together keep their momentum:
//   (M + sum_i m_i B_i^T B_i) (V - V*) = sum_i m_i B_i^T (v_i* - aim_i - B_i V*)                                  (eq. 18)
// which is symmetric and positive: six unknowns per body. The printed matrix of (18) has r~^T in both blocks beside the diagonal;
// from (13) to (17) follow r~^T and r~, and I + sum m r~ r~^T in the last.
//
// Deviations:
// - Impulses act at the particle, where it was when the step began: x(t+h) x v(t+h) = x(t) x v(t+h), so that angular momentum is
//   kept exactly. At x_cp, a radius away, tangential impulses would make some.
// - [v_r(t)]_n counts only if they closed before the step, too: else a rebound would point into the solid. And (8) holds until they
//   part as fast as it says: pressure, which here knows of the solid, stops them before, and (9) would leave it at that.
// - A particle in contact with several solids: normal conditions of all that it closes with hold together, v = sum_c P_c (target_c
// +
//   v_cp,c) with P_c = d_c n_c^T + (1 - N N^+) / k, d_c the dual basis of the normals. sum_c P_c = 1, and P_c^T shares the impulse
//   out. Bodies that share particles are solved for together, by conjugate gradients.
#ifndef COUPLING_FORCING_H
#define COUPLING_FORCING_H

#include "coupling/response.h"

enum { FORCING_TOUCHES = 4 }; // of one particle

// Where a particle touches a solid.
typedef struct ForcingTouch {
    int32_t body;             // it gives way; -1: it does not
    uint32_t solid;           // whose number is for the caller
    Vec3d normal;             // [1] from the solid to the fluid
    double slip, restitution; // [1] eps, delta
    bool is_near;             // it only slides along: its normal velocity is free
    Vec3d before;             // [m/s] of the surface at the particle when the step began
    Vec3d after;              // [m/s] at its end, without the condition
    Vec3d drift;              // [m/s] of that, what is not the motion of a body that gives way: all of a wall's, a belt's
} ForcingTouch;

// A particle that touches at least one solid. Of most contacts no more than the first two lines of cache are looked at.
typedef struct ForcingContact {
    _Alignas(64) uint32_t particle;
    int touches;
    int32_t alone;  // the body of the only touch; -1: it does not give way, or there are several touches
    bool shared;    // by several bodies
    double mass;    // [kg]
    Vec3d point;    // [m] when the step began
    Vec3d velocity; // [m/s] v*
    Vec3d aim;      // [m/s] what the conditions say if no body that gives way moves
    Vec3d before;   // [m/s] v(t)
    ForcingTouch touch[FORCING_TOUCHES];
    double share[FORCING_TOUCHES][3][3]; // P_c; of one touch 1, and not looked at
} ForcingContact;                        // forcing_aim() finds alone, shared, aim and share

typedef struct ForcingList {
    ForcingContact* contact;
    size_t count, capacity;
} ForcingList;

typedef struct ForcingBody {
    uint32_t solid;
    double mass;                                 // [kg]
    double inertia[3][3], inverse_inertia[3][3]; // [kg m2] and its inverse, about the centre, in world axes
    Vec3d centre;                                // [m] of mass, when the step began
    Twist before;                                // [m/s], [1/s] when the step began
    Twist velocity;                              // V*
    Twist gain;                                  // V - V*, found by a solve

    double alone[10];                  // sums over contacts with this body alone
    double matrix[6][6], factor[6][6]; // of (18), and its Cholesky factor
    double x[6], r[6], z[6], p[6], q[6];
} ForcingBody;

// Contacts lie in lists, one after the other: sums have one order.
typedef struct ForcingProblem {
    ForcingBody* body;
    size_t body_count;
    const ForcingList* list;
    size_t list_count;
} ForcingProblem;

// Sets the inverse inertia's inverse. `inverse` must be positive definite.
void forcing_set_inertia(ForcingBody* body, const double inverse[3][3]);

// [m/s] of a body that moves like this, at a point
Vec3d forcing_velocity_of(const ForcingBody* body, Twist motion, Vec3d point);

// [m/s] of a particle that touches one solid that does not give way, as forcing_aim() finds it for a contact.
Vec3d forcing_at_wall(const Vec3d* before, const Vec3d* velocity, const ForcingTouch* touch);

// Finds aim and shares.
void forcing_aim(ForcingContact* contact);

// Finds the gain of all bodies, all conditions at once (eq. 18), from their velocities.
void forcing_solve_global(const ForcingProblem* problem);

// [m/s] of a contact's particle that meets the conditions when bodies have their velocity and gain.
Vec3d forcing_velocity(const ForcingProblem* problem, const ForcingContact* contact);

// [N s] on the particle if no other contact did anything to the bodies (eq. 12).
Vec3d forcing_local(const ForcingProblem* problem, const ForcingContact* contact);

// [N s], [N m s] about its centre, on a body when the particle gets `impulse` [N s].
Twist forcing_reaction(const ForcingProblem* problem, const ForcingContact* contact, int32_t body, Vec3d impulse);

// [N s] on the solid of one touch when the particle gets `impulse`.
Vec3d forcing_push(const ForcingContact* contact, int touch, Vec3d impulse);

#endif
