// SPDX-License-Identifier: MIT
// Nothing passes through a sheet, elastic or stiff. Boundary particles on a sheet have fluid on both sides and push alike to both:
// whoever gets to the wrong side, because a light sheet snaps back faster than the pressure solve could foresee, is pushed on and
// away. So the way of each particle over a step is compared with that of each triangle near it (mesh/crossing.h); as seen by a
// stiff sheet, which takes its place from step to step, the way is straight and the sheet at rest (passage_shell.c). Who passed is
// put back to the side it came from, beside the place where it met the triangle, and shares its velocity across with the triangle
// as in a plastic impact: momentum is kept. That is counted (mn_Stats.expelled_particles). Whoever still passes, after several
// tries, has leaked: passages are counted with their direction, so who comes back has not leaked, and who goes round the border
// never passed.
#ifndef COUPLING_PASSAGE_H
#define COUPLING_PASSAGE_H

#include "boundary/boundary.h"
#include "fluid/fluid.h"

struct Meeting;

typedef struct MeetingList { // of one worker
    struct Meeting* item;
    size_t count, capacity;
    bool failed; // out of memory
} MeetingList;

// A static, kinematic or rigid solid whose surface is open.
typedef struct Shell {
    uint32_t solid;
    mn_Pose was, now; // before and after the step
} Shell;

typedef struct PassagesDef {
    Memory* memory;
    Sph* sph;
    const Boundary* boundary;
    const bool* sheet; // (skins) volumes are no sheets
    Solid* solid;
    size_t solid_count;
} PassagesDef;

typedef struct Passages {
    Memory* memory;
    Sph* sph;
    const Boundary* boundary;
    const bool* sheet;
    Solid* solid;
    Shell* shell;
    size_t shell_count;
    bool active;    // there are sheets or shells
    Vec3d* was;     // [m] vertices of all skins before the step
    int8_t* passed; // (ids) times a particle passed, one way less the other; state
    size_t passed_capacity;
    MeetingList* list; // per worker
    int lists;
    struct Meeting* all; // of a look, sorted
    size_t all_capacity;
    uint8_t* caught; // (particles) 1: was put back in this step
    size_t caught_capacity;
} Passages;

// `passages` must be zero; what the definition points to must stay. False: out of memory.
bool passages_create(Passages* passages, const PassagesDef* def);
void passages_destroy(Passages* passages);
// Room for the particles there are and for `ids`, before passages are stopped or counted. False: out of memory.
bool passages_reserve(Passages* passages, size_t ids);

// Before solids move.
void passages_remember(Passages* passages);
// After fluid and solids have moved, and Shell.now is set, before particles are sorted again; fluid.scratch has where particles
// were. False: out of memory.
bool passages_stop(Passages* passages, size_t* out_stopped);
// Particles that are not on the side where they began, or left it that way before they were drained.
uint64_t passages_count(const Passages* passages);

#endif
