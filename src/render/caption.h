// SPDX-License-Identifier: MIT
// What is written over a picture: name, time, colour bar or legend.
#ifndef RENDER_CAPTION_H
#define RENDER_CAPTION_H

#include "render/camera.h"
#include "render/colour.h"
#include "render/picture.h"

enum { MAX_LEGEND = 8 };

typedef enum TitleCorner { TITLE_TOP_LEFT, TITLE_TOP_RIGHT, TITLE_BOTTOM_RIGHT, TITLE_CORNERS } TitleCorner;

// [pixels]
typedef struct CaptionRect {
    double x0, y0, x1, y1;
} CaptionRect;

typedef struct Caption {
    const char* title; // may be NULL
    const char* note;  // below the title, smaller; may be NULL
    TitleCorner corner;
    bool show_time;
    double time; // [s] bottom left
    bool show_bar;
    const char* quantity; // "speed"
    const char* unit;     // "m/s"
    double range[2];
    const ColourMap* map;
    const char* legend[MAX_LEGEND]; // names of the fluids instead of a bar
    int legend_count;
    Vec3 background; // sRGB: the ink is chosen to stand out
} Caption;

// Shares of a picture that captions need. Letters do not get arbitrarily small, so in small pictures they need more; below about
// 140 pixels they would need too much of it, and get as much as in a large one.
Margins caption_margins(bool bar, bool time, int width, int height);

void caption_draw(const Caption* caption, Picture* picture);
// What title and note take of a picture.
CaptionRect caption_title_rect(const char* title, TitleCorner corner, int width, int height);
// One more line; place and size in shares of the picture.
void caption_line(const Caption* caption, Picture* picture, const char* text, double x, double y, double size);

// A step of 1, 2 or 5 times a power of ten that cuts `span` into at most `most` parts.
double nice_step(double span, int most);
// The smallest "round" number >= value, for the end of a scale.
double nice_end(double value);

#endif
