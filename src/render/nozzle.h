// SPDX-License-Identifier: MIT
// What a scene as it starts does not show yet: where its emitters are, the way they will take, and the stream's way through the
// air.
#ifndef RENDER_NOZZLE_H
#define RENDER_NOZZLE_H

#include "render/nozzle_line.h"
#include "render/subject.h"

typedef struct NozzleLines {
    NozzleLine* line;
    size_t count, capacity;
} NozzleLines;

// Lines for all emitters of the scene; streams end where they fall below everything in `box` [m]. False: out of memory.
bool nozzle_lines(NozzleLines* lines, const mn_Scene* scene, Box3d box);
void nozzle_lines_free(NozzleLines* lines);
// [m] around them; min > max if there are none.
Box3d nozzle_lines_box(const NozzleLines* lines);

#endif
