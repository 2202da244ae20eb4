// SPDX-License-Identifier: MIT
// A finished picture: 8-bit sRGB, rows from the top. PNG reading and writing is behind it (png.c is the only file that
// knows libpng).
#ifndef RENDER_PICTURE_H
#define RENDER_PICTURE_H

#include "base/vec.h"

typedef struct Picture {
    int width, height;
    uint8_t* rgb; // height x width x 3
} Picture;

enum { PICTURE_MAX_SIZE = 16384 };

// False: size not in 1..PICTURE_MAX_SIZE or out of memory. `picture` need not be initialised.
bool picture_create(Picture* picture, int width, int height);
void picture_free(Picture* picture);

void picture_fill(Picture* picture, Vec3 colour); // sRGB 0..1
// Mixes `colour` (sRGB 0..1) over the pixel; outside the picture nothing happens.
void picture_blend(Picture* picture, int x, int y, Vec3 colour, float alpha);
void picture_blend_rect(Picture* picture, double x0, double y0, double x1, double y1, Vec3 colour, float alpha); // anti-aliased
// A straight stroke with round ends, anti-aliased; `width` in pixels.
void picture_stroke(Picture* picture, double x0, double y0, double x1, double y1, double width, Vec3 colour, float alpha);

// Writes to a temporary name and renames: the file is whole or absent.
mn_Result picture_write_png(const Picture* picture, const char* path, mn_Error* error);
mn_Result picture_read_png(Picture* picture, const char* path, mn_Error* error);

#endif
