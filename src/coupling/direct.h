// SPDX-License-Identifier: MIT
// Direct forcing (Becker, Tessendorf, Teschner 2009) as a coupling. Boundary particles fill densities and take part in the pressure
// solve as in akinci.h, without friction; then conditions have the last word. When velocities of the step are complete, contacts
// are looked for where particles and solids would be at its end, and velocities are corrected (forcing.h; algorithm 1, lines 4 to
// 6). When solids have moved, particles nearer to a surface than their radius are put back to that distance (eqs. 19, 20; lines 8,
// 9). Of solids that never move both need one look (algorithm 2): who did not touch one in the first need not be looked at again.
//
// Bodies that others hold, by contacts or joints, do not respond as if they were free. What holds them is predicted again under
// the impulses found, until both agree (direct_hold.c): fluid, contacts and joints are solved for together.
#ifndef COUPLING_DIRECT_H
#define COUPLING_DIRECT_H

#include "coupling/akinci.h"
#include "coupling/forcing.h"
#include "coupling/touch.h"

enum { DIRECT_BLOCKS = 64 }; // of chunks: fixed, so that sums have one order

// A solid in a step, as the conditions see it.
typedef struct DirectSolid {
    TouchSolid touch;
    int32_t body;        // that gives way, or -1
    int32_t soft;        // volume that deforms, or -1
    bool moves;          // at the end of the step it may be nearer than the first look saw
    Vec3d centre;        // [m] that it turns about
    Twist before, after; // [m/s], [1/s] when the step began, and at its end without the conditions
} DirectSolid;

// A volume that deforms (direct_soft.c).
typedef struct DirectSoft {
    uint32_t solid, revision;
    size_t skin;
    Solid shape;      // its surface at the end of the step, in the world
    Vec3d* velocity;  // [m/s] (vertices) at the end of the step, without the conditions
    Vec3d* impulse;   // [N s] (vertices) by them
    double* contacts; // (vertices) that share each
} DirectSoft;

typedef struct SoftContact {
    uint32_t soft, particle, face;
    double weight[3]; // [1] of the corners
    Vec3d normal;     // [1]
} SoftContact;

// A chunk that has boundary particles around.
typedef struct DirectChunk {
    int32_t solid;  // that they are of, or -1: several
    uint32_t lanes; // bit k: lane k is looked at again when solids have moved
} DirectChunk;

// What a block of chunks found in a step.
typedef struct DirectBlock {
    ForcingList list; // contacts with bodies that give way
    Twist* push;      // (solids) [N s], [N m s] about the origin of its frame, on solids that do not
    SoftContact* soft;
    size_t soft_count, soft_capacity;
    size_t contacts; // particles that touch a solid
    size_t moved;    // particles that were put back to their distance
    double distance; // [m] that they were moved by, summed
    bool failed;     // out of memory
} DirectBlock;

typedef struct Direct {
    Memory* memory;
    Akinci* base; // pressure and adhesion
    Sph* sph;
    Boundary* boundary;
    Solid* solid;
    size_t solid_count;
    mn_Response response;
    SolidAnswer answer;

    DirectSolid* at;   // (solids)
    ForcingBody* body; // (bodies of the base) those that give way
    Twist* impulse;    // (bodies) [N s], [N m s] by the conditions
    Twist* pushes;     // (blocks, solids) see DirectBlock.push
    Twist* share;      // (solids) [N], [N m] what conditions had in Solid.force and torque of the last step: part of the state
    bool no_memory;    // when what holds bodies was asked for
    DirectSoft* soft;
    size_t soft_count;
    int containers;
    bool rebounds; // fluid rebounds from some solid
    DirectBlock block[DIRECT_BLOCKS];
    ForcingList list[DIRECT_BLOCKS]; // those of the blocks, for the solve
    DirectChunk* chunk;              // (chunks)
    size_t chunk_capacity;
    double* history; // scratch of direct_hold.c
    size_t history_capacity;

    // of the last step
    size_t contacts, moved; // particles, see DirectBlock
    size_t soft_contacts;
    double distance; // [m]
    int rounds;      // until what holds bodies agreed with the fluid

    // [s] of processor time so far: to find contacts and stop at walls, to respond with bodies, to sum up forces, to keep distances
    struct {
        double look, respond, finish, part;
    } seconds;
} Direct;

static inline size_t direct_body_count(const Direct* d)
{
    return d->base->bodies.response.body_count;
}

static inline ForcingProblem direct_problem(Direct* d)
{
    return (ForcingProblem){d->body, direct_body_count(d), d->list, DIRECT_BLOCKS};
}

// [m] Fluid particles keep this distance from solids: r_F of eq. 19. In the densest packing that has the rest density, layers lie
// 2^(7/6) sqrt(2/3) r = 1.833 r from each other in three dimensions and 12^(1/4) r = 1.861 r in two, the first half of that, 0.917
// r or 0.931 r, from a plane. At a larger distance conditions and pressure would work against each other; the bound is below both.
static inline double direct_distance(const Direct* d)
{
    return (d->sph->solver.density == MN_DENSITY_CORRECTED ? 1 : 0.9) * d->sph->radius;
}

// In two dimensions bodies are held in their plane: what that takes is nobody's business.
static inline Twist direct_in_plane(const Direct* d, Twist motion)
{
    if (d->sph->kernel.dimension == 2)
        motion.linear.z = motion.angular.x = motion.angular.y = 0;
    return motion;
}

// direct_look.c
// Finds contacts at the end of the step and corrects velocities of those with solids that do not give way. False: out of memory.
bool direct_look(Direct* direct, double dt);
// Corrects velocities of those with bodies, given the bodies' gain; Direct.impulse is what the bodies get for it.
void direct_correct(Direct* direct);
// Puts particles that are too near to a surface to their distance.
void direct_part(Direct* direct);

// The share of the tangential velocity that a step of `dt` [s] leaves where a solid has this slip.
double direct_slip(const Direct* direct, double slip, Vec3d relative, Vec3d normal, double dt);
// Stores a velocity and returns it as it is kept.
Vec3d direct_keep_velocity(Vec4* u, Vec3d velocity);
// Contacts with volumes that deform, given where their surfaces will be. False: out of memory.
bool direct_soft_look(Direct* direct, double dt);

// direct_soft.c. False: out of memory.
bool direct_soft_create(Direct* direct);
void direct_soft_destroy(Direct* direct);
bool direct_soft_constrain(Direct* direct, double dt);
bool direct_soft_touch(Direct* direct, DirectBlock* block, uint32_t solid, uint32_t particle, double dt);
void direct_soft_finish(Direct* direct, double dt); // impulses go to the surfaces
void direct_soft_part(Direct* direct);              // surfaces have moved

// direct_hold.c: from ForcingBody.velocity to the gain of all bodies, with what holds them. False: solids failed, or out of memory.
bool direct_solve(Direct* direct, double dt);
// Before pressure: what holds bodies is predicted as if there were no conditions. False: solids failed, or out of memory.
bool direct_expect(Direct* direct, double dt);
// At the end of a step: what the conditions had in forces.
void direct_note_shares(Direct* direct, double dt);

#endif
