// SPDX-License-Identifier: MIT
// What things look like: the view block's materials, with pictures loaded and what it leaves open filled in. Both ways of drawing
// take their colours from here.
#ifndef RENDER_LOOKS_H
#define RENDER_LOOKS_H

#include "render/paint.h"
#include "render/subject.h"

enum { MAX_FLUIDS = 256 };

typedef struct Looks {
    SolidPaint* solid; // of every solid of the scene
    size_t solid_count;
    FluidPaint fluid[MAX_FLUIDS];
    bool ground_has_colour;
    Pattern ground; // size 0: plain
    Image* texture; // of view->solids, by index; owned
    size_t texture_count;
    Image map; // of the environment; empty if none
} Looks;

// `size` [m]: of the fluid. Reads textures and maps. `looks` is empty after a failure.
mn_Result looks_build(Looks* looks, const Subject* subject, const mn_ViewDef* view, double size, mn_Error* error);
void looks_free(Looks* looks);

#endif
