// SPDX-License-Identifier: MIT
// Colours that change over a surface: a checkerboard in space, or a picture laid on along the axis that the surface looks along
// most. Both belong to the frame of the solid, so that they move with it.
#ifndef RENDER_PATTERN_H
#define RENDER_PATTERN_H

#include "render/image.h"

typedef struct Pattern {
    Vec3 colour, checker; // linear
    const Image* texture; // replaces the colours; may be NULL; not owned
    float size;           // [m] of a checker's field or of the texture's picture
    Vec3 origin;          // [m] corner of a field, middle of the picture
} Pattern;

// At a point with normal n (of any length).
Vec3 pattern_at(const Pattern* pattern, Vec3 p, Vec3 n);

#endif
