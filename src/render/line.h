// SPDX-License-Identifier: MIT
// Lines in space over a shaded picture: edges of containers, rods, outlines of 2D solids. Anti-aliased, hidden by what is
// nearer.
#ifndef RENDER_LINE_H
#define RENDER_LINE_H

#include "render/nozzle_line.h"
#include "render/picture.h"
#include "render/view.h"

// Edges of containers and tanks: creases, borders and silhouettes.
void draw_edges(const View* view, const SolidItem* solids, size_t count, Vec3 ink, Picture* picture);
// Segments of rods and 2D outlines; outlines of 2D obstacles are filled. False: out of memory.
bool draw_segments(const View* view, const SolidItem* solids, size_t count, bool fill, Picture* picture);

// Emitters of a scene that has not started.
void draw_nozzles(const View* view, const NozzleLine* lines, size_t count, Picture* picture);

#endif
