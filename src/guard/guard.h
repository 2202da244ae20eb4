// SPDX-License-Identifier: MIT
// The guard of sides: on which side of each solid a particle is, and that it stays there. At the start, fluid in or too close to
// solids is carved away. In each step the path of every particle that comes near a solid is swept against it: who crosses a sheet
// or a shell, gets caught in a body or a deforming volume, or comes behind the wall of a container is put back to the side it came
// from, beside the place where it crossed. Its velocity towards the surface is taken as in a plastic impact, and the solid gets the
// impulse; what walls get is summed. Who is on the wrong side all the same is counted as leaked, by geometry alone.
//
// The guard sees solids by their tables of functions (solid/kind.h) and does not know what they are made of.
#ifndef GUARD_GUARD_H
#define GUARD_GUARD_H

#include "boundary/boundary.h"
#include "fluid/emitter.h"
#include "particles/moving.h"
#include "particles/neighbours.h"

struct Meeting;

enum { GUARD_FLUIDS = 8 };

// What a solid is to the guard.
typedef enum GuardSort {
    GUARD_BODY,      // closed, moves as one: fluid is outside
    GUARD_CONTAINER, // closed, moves as one: fluid is inside this or another container
    GUARD_SHELL,     // open, moves as one: fluid on both sides
    GUARD_SHEET,     // deforms: fluid on both sides
    GUARD_VOLUME,    // deforms and is closed: fluid is outside
    GUARD_CARRIED,   // deforms, is closed and has no skin: a grid carries it with the fluid, which is outside
    GUARD_LINE,      // a rod in space: it has no sides, and fluid only starts beside it
    GUARD_NOTHING    // it has no surface
} GuardSort;

// So often, for a solid.
typedef struct GuardCount {
    uint64_t carved;      // particles left out at the start
    uint64_t crossed;     // a particle was put back that crossed a sheet or a shell
    uint64_t caught;      // one was put back that got into a body or a volume
    uint64_t behind_wall; // one was put back that got out of a container
    uint64_t leaked;      // one could not be put back
} GuardCount;

// The part of a guard that is saved, one per solid.
typedef struct GuardRecord {
    GuardCount count;
    Vec3d impulse; // [N s] that particles which were put back gave to it
} GuardRecord;

// A box around a solid after the step, in single precision. Who may be caught in a body is in there; who is, is in the container.
typedef struct GuardFrame {
    float centre[3], axis[3][3], half[3]; // [m]
} GuardFrame;

typedef struct GuardSolid {
    GuardSort sort;
    GuardFrame frame;
    mn_Pose was, now;  // before and after the step; of what moves as one
    double travel;     // [m] the longest path of a point of it, at most
    bool is_fast;      // it goes so far in this step that particles without boundary particles around may meet it
    bool gives_way;    // to impulses
    bool is_thin;      // a body that has somewhere no room for a particle that is caught
    bool is_held;      // a body that does not give way for now: who creeps into it is left alone until it is let go
    const Skin* skin;  // volumes: from so far as its insets behind the surface on a particle is caught; else NULL
    size_t first;      // of its vertices in Guard.from and Guard.to
    InsideTest* test;  // volumes and what a grid carries: of the surface as it is after the step
    uint32_t revision; // of the surface that `test` was made for
    bool is_behind;    // nobody was to be compared with the surface of a carried solid: `test` is of an earlier one
} GuardSolid;

typedef struct MeetingList { // of one worker
    struct Meeting* item;
    size_t count, capacity;
    bool failed; // out of memory
} MeetingList;

// The fluid's particles, whose paths are swept.
typedef struct GuardedParticles {
    MovingParticles particles;
    CellGrid* grid;               // their order is that of this grid, by where they were before they moved
    const Neighbours* neighbours; // boundary particles around each, before it moved; NULL: all are compared with all solids
} GuardedParticles;

// Whoever carries solids may know which particles could be deep in one: only these are compared with their surfaces.
typedef struct GuardAsked {
    const uint8_t* particle; // (particles) 1: it could; NULL: all are compared. Room for eight more, zeros
    size_t count;            // that could
} GuardAsked;

typedef struct GuardDef {
    Memory* memory;
    Pool* pool;
    int dimension;
    double radius;            // [m] of a particle
    double support;           // [m] as far boundary particles were looked for
    const Boundary* boundary; // its skins are there
    Solid* solid;
    size_t solid_count;
    const Emitter* emitter; // may release fluid outside containers
    size_t emitter_count;
    GuardedParticles fluid;
    double mass[GUARD_FLUIDS]; // [kg] of a particle of each fluid
} GuardDef;

typedef struct Guard {
    GuardDef def;
    GuardedParticles fluid;
    GuardSolid* solid;   // (solids)
    GuardAsked asked;    // of the step under way; set before guard_end_step, which forgets it
    GuardRecord* record; // (solids) state
    int8_t* crossings;   // (particles) of sheets and shells, one way less the other, times a power of two for each; state, kept by
                         // the fluid's set; NULL: there are none
    uint32_t* entry; // (particles) where one that is in a thin body came in, see meet.c; state, kept likewise; NULL: there is none
    uint64_t gone;   // leaked particles that were drained or lost since; state
    bool has_containers;
    bool has_sides;        // there are sheets or shells: particles count their crossings
    bool has_volumes;      // that deform, carried by a grid or not
    bool has_thin;         // there are thin bodies: particles in them know where they came in
    bool check_containers; // in this step: fluid outside of all containers does not belong there
    double caught;         // [m] as deep in a solid a particle is caught
    double travel;         // [m] the longest path of a point of a container
    double still;          // [m] the longest path of a point of a solid that is not fast
    size_t turn;           // chunks whose turn it is in this step: number modulo GUARD_TURNS
    Vec3d *from, *to;      // [m] surfaces that deform, before and after the step; volumes behind their inset
    size_t from_capacity, to_capacity, vertices;
    MeetingList* list; // (workers)
    int lists;
    struct Meeting* all; // of a look, sorted
    size_t all_capacity;
    double* longest; // [m2] (blocks of chunks) square of the longest path of a particle
    size_t longest_capacity;
    uint8_t* is_back; // (particles) 1: was put back in this step
    uint32_t* back;   // those particles
    size_t is_back_capacity, back_capacity, back_count;
} Guard;

// `guard` must be zero; what the definition points to must stay. False: out of memory. Destroy it in any case.
bool guard_create(Guard* guard, const GuardDef* def);
void guard_destroy(Guard* guard);
// Solids have come or gone, at the end of their list: the same for those that there are now. Counts and what particles know stay.
bool guard_renew(Guard* guard, const GuardDef* def);
// Its own state; that of particles is registered with their set. False: out of memory.
bool guard_register(Guard* guard, Register* reg);

// --- start.c: before the first step. False: out of memory.
// Removes fluid that starts in or too close to solids, or outside of all containers.
bool guard_carve(Guard* guard, size_t* out_removed);
// Particles that start nearer to solids than `distance` [m], where those would push them, start there instead.
void guard_keep_off(Guard* guard, double distance);
// Whether fluid may come into being at a point: no solid is there or nearer than `near` [m], and it is in a container if there are
// any, unless it may be `outside`.
bool guard_is_open(const Guard* guard, Vec3d point, double near, bool outside);
// The solid for which it may not; UINT32_MAX: none.
uint32_t guard_taker(const Guard* guard, Vec3d point, double near, bool outside);
// Removes fluid that starts closer than 0.7 spacings to fluid that was added before it; particles older than `first_id` stay.
bool guard_thin_overlaps(Guard* guard, uint32_t first_id, size_t* out_removed);
// Removes fluid beside sheets and shells where it would start compressed; densities must be known.
typedef struct GuardDensity {
    float* density; // (particles) [1] relative to rest
    double volume;  // [m^d] of a particle
    const Kernel* kernel;
} GuardDensity;
bool guard_thin_dense(Guard* guard, const GuardDensity* density, size_t* out_removed);

// --- in each step. False: out of memory.
// Before solids move.
bool guard_begin_step(Guard* guard);
// After fluid and solids have moved, while Solid.pose and boundary particles are still where the step began and particles are in
// the order of the grid; the scratch of their set has where they were. `time` [s] at the end of the step, the `step`-th. Counts who
// was put back.
bool guard_end_step(Guard* guard, double time, uint64_t step, size_t* out_put_back);
// Solids that deform were placed otherwise than by a step.
bool guard_follow(Guard* guard);
// Particles whose byte is set are about to be removed from the fluid.
void guard_note_removed(Guard* guard, const uint8_t* removed);

// --- count.c
// Particles that are on the wrong side of a solid by more than a particle radius, and those that are not on the side of sheets and
// shells where they began, also if they have been removed since.
uint64_t guard_count_leaks(const Guard* guard);

#endif
