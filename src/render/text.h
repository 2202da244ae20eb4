// SPDX-License-Identifier: MIT
// Text in pictures: a stroke font of our own, drawn anti-aliased at any size. UTF-8; letters with accents are drawn
// without them, anything else unknown as a small box.
#ifndef RENDER_TEXT_H
#define RENDER_TEXT_H

#include "render/picture.h"

typedef enum TextAlign { TEXT_LEFT, TEXT_CENTRE, TEXT_RIGHT } TextAlign;

// `size`: height of a capital letter in pixels; (x, y): baseline at the left end, middle or right end.
void text_draw(Picture* picture, const char* text, double x, double y, double size, TextAlign align, Vec3 colour, float alpha);
// A broader stroke to put under the text, so that it reads over lines and water.
void text_draw_halo(Picture* picture, const char* text, double x, double y, double size, TextAlign align, Vec3 colour, float alpha);
double text_width(const char* text, double size); // [pixels]

#endif
