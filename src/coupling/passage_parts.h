// SPDX-License-Identifier: MIT
// Shared by the files of passages alone.
#ifndef COUPLING_PASSAGE_PARTS_H
#define COUPLING_PASSAGE_PARTS_H

#include "coupling/passage.h"

// A particle passes through a triangle within the step.
typedef struct Meeting {
    uint32_t particle;
    uint32_t sheet; // skins first, then shells
    uint32_t triangle;
    int way;                // +1: along the triangle's normal, -1: against it
    double time, weight[3]; // [1] when, and where between the corners; weights of skins only
    Vec3d foot, normal;     // [m], [1] of the place where they met, after the step
} Meeting;

static inline Vec3d passage_point(Vec4 x)
{
    return vec3d((double)x.x, (double)x.y, (double)x.z);
}

// Notes a meeting in the list of a worker.
void passage_note(Passages* passages, MeetingList* list, const Meeting* meeting);

// Where to look for particles: those that were there before the step.
typedef struct PassageBox {
    Vec3d low, high;    // [m]
    int32_t layer, end; // of the grid, in z
    bool caught_only;
} PassageBox;

PassageBox passage_box(const Passages* passages, Vec3d low, Vec3d high, bool caught_only);
typedef void PassageVisitFn(void* context, int worker, uint32_t particle);
void passage_visit(const Passages* passages, const PassageBox* box, PassageVisitFn* visit, void* context, int worker);

// passage_shell.c
// `reach` [m]: the longest way of a particle.
void passage_look_shells(Passages* passages, bool caught_only, double reach);

#endif
