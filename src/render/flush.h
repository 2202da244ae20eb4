// SPDX-License-Identifier: MIT
// Water lies flush against the walls of its container. The reconstructed surface is rounded where walls meet, by as much as it is
// smoothed, and a picture of that is one of a block of jelly. Vertices that face a wall nearer than 1.6 r are moved onto it,
// and those up to 4.5 r away follow, less and less.
#ifndef RENDER_FLUSH_H
#define RENDER_FLUSH_H

#include "render/subject.h"
#include "surface/surface.h"

// For all containers of the loaded frame with flat walls and no wall that juts in; others are left alone.
// `gap` [m] is left in between: of two surfaces at one wall the inner one must not lie in the outer one.
void flush_surface(SurfaceMesh* mesh, const Subject* subject, double gap);

#endif
