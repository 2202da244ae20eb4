// SPDX-License-Identifier: MIT
// Lines in space over a shaded picture: edges of containers, rods, outlines of 2D solids. Anti-aliased, hidden by what is
// nearer.
#ifndef RENDER_LINE_H
#define RENDER_LINE_H

#include "render/nozzle_line.h"
#include "render/picture.h"
#include "render/view.h"

typedef struct LinePen {
    double width; // [pixels]
    Vec3 colour;  // sRGB
    float alpha;
} LinePen;

// Who draws lines: their ends are in view space [m].
typedef struct LineSink {
    void (*draw)(void* user, const LinePen* pen, Vec3d a, Vec3d b);
    void* user;
} LineSink;

// Which lines there are, for a picture of this height: edges of containers and tanks, emitters of a scene that has not started,
// segments of rods and 2D outlines.
void lines_of_edges(const Camera* camera, const SolidItem* solids, size_t count, Vec3 ink, int height, LineSink sink);
void lines_of_nozzles(const Camera* camera, const NozzleLine* lines, size_t count, int height, LineSink sink);
void lines_of_segments(const Camera* camera, const SolidItem* solid, bool flat, int height, LineSink sink);

// The part of a line before the camera. False: there is none.
bool line_clip(double nearest, Vec3d* a, Vec3d* b);
// [m] Lines lie on the faces they belong to: they are pulled forward a little.
double line_bias(double radius, Vec3d a, Vec3d b);

// Edges of containers and tanks: creases, borders and silhouettes.
void draw_edges(const View* view, const SolidItem* solids, size_t count, Vec3 ink, Picture* picture);
// Segments of rods and 2D outlines; outlines of 2D obstacles are filled. False: out of memory.
bool draw_segments(const View* view, const SolidItem* solids, size_t count, bool fill, Picture* picture);

// Emitters of a scene that has not started.
void draw_nozzles(const View* view, const NozzleLine* lines, size_t count, Picture* picture);

#endif
