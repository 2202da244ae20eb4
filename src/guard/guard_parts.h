// SPDX-License-Identifier: MIT
// Shared by the files of this room alone.
#ifndef GUARD_PARTS_H
#define GUARD_PARTS_H

#include "guard/guard.h"

typedef enum GuardReason { REASON_CROSSED, REASON_CAUGHT, REASON_BEHIND_WALL } GuardReason;

// A particle's path of this step leads to the wrong side of a solid.
typedef struct Meeting {
    uint32_t particle, solid;
    SurfacePlace place; // after the step
    Vec3d normal;       // [1] of the surface there, to the side that the particle belongs to
    double time;        // [1] of the step
    GuardReason reason;
    bool is_thin; // the body is, there
    int side;     // sheets and shells: +1 it crosses along the triangle's normal, -1 against it
} Meeting;

static inline Vec3d guard_point(Vec4 x)
{
    return vec3d((double)x.x, (double)x.y, (double)x.z);
}

// Where a particle was before the step, and where it is.
static inline Vec3d guard_from(const Guard* guard, size_t i)
{
    return guard_point(guard->fluid.particles.set->scratch[i]);
}
static inline Vec3d guard_to(const Guard* guard, size_t i)
{
    return guard_point((*guard->fluid.particles.position)[i]);
}

static inline bool guard_is_clear(const Solid* solid, Vec3d local, double margin)
{
    return vec3d_distance(local, solid->bound_centre) > solid->bound_radius + margin;
}

// [m] Boundary particles are a spacing apart at most: whoever meets a surface within a path of less than this had one within the
// support radius before the step.
static inline double guard_seen_path(const GuardDef* def)
{
    return def->support - 2 * def->radius;
}

enum { SWEEP_GRAIN = 64 }; // chunks per block

// Once in so many steps each particle is compared with every solid, wherever it is and however slowly it came there. One for which
// there was no place, or which a source put on the wrong side, may be far from all boundary particles.
enum { GUARD_TURNS = 16 };

// guard.c
bool guard_is_born_outside(const Guard* guard); // an emitter is in no container

// count.c
// Most containers are boxes, and most particles well within.
bool guard_is_in_box(const Solid* solid, Vec3d local);
// Whether a point is within a container, or nearer than `margin` to one; containers where they are after the step. `except` one.
bool guard_is_contained(const Guard* guard, Vec3d point, double margin, size_t except);

// meet.c
// Notes the meeting of a particle with a body, a shell or a carried solid, if there is one, or with all containers.
void guard_meet_solid(Guard* guard, size_t solid, uint32_t particle, int worker);
void guard_meet_containers(Guard* guard, uint32_t particle, int worker);

// sweep.c
void guard_note(Guard* guard, int worker, const Meeting* meeting);
// All who meet a solid, or only those who were put back in this step. False: out of memory.
bool guard_sweep(Guard* guard, bool again, size_t* out_count);

// sweep_deforming.c
// Surfaces that deform, as they are now; `to` has room for all their vertices.
void guard_place_surfaces(const Guard* guard, Vec3d* to);
// `reach` [m] the longest path of a particle.
void guard_sweep_surfaces(Guard* guard, bool again, double reach);

// Particles that were in a box before the step.
typedef struct GuardBox {
    Vec3d low, high;    // [m]
    int32_t layer, end; // of the grid, in z
} GuardBox;

typedef void GuardVisitFn(void* context, int worker, uint32_t particle);
GuardBox guard_box(const Guard* guard, Vec3d low, Vec3d high);
void guard_visit(const Guard* guard, const GuardBox* box, bool again, GuardVisitFn* visit, void* context, int worker);

// put_back.c
// Puts back who met a solid; `count` meetings in order of particles and time. `try_number` from 0.
void guard_put_back(Guard* guard, size_t count, int try_number);
// These could not be put back.
void guard_note_leaks(Guard* guard, size_t count);

#endif
