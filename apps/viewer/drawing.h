// SPDX-License-Identifier: MIT
// A shot as a picture, by the rasteriser that `meniscus render` uses.
#ifndef VIEWER_DRAWING_H
#define VIEWER_DRAWING_H

#include "orbit.h"
#include "render/scene_picture.h"
#include "shot.h"

typedef enum SolidShow { SHOW_SHADED, SHOW_WIRE, SHOW_CUT, SHOW_HIDDEN, SHOW_KINDS } SolidShow;

// What is shown how.
typedef struct Look {
    mn_Style style;
    Field colour;
    ColourMapName map;
    bool own_range; // else the scene's
    double range[2];
    SolidShow solids;
    double cut; // [share of the box] along the axis nearest to the view
    bool boundary, ground, joints;
    bool fine;     // as `meniscus render` draws; else draft
    double detail; // [1] share of the pixels in each direction that is drawn; the rest lies between
} Look;

typedef struct Drawing Drawing;

Drawing* drawing_create(int threads);
void drawing_free(Drawing* drawing);
mn_Result drawing_draw(Drawing* drawing, Shot* shot, const Setting* setting, const Look* look, const Camera* camera,
                       Picture* picture, mn_Error* error);
const ColourMap* drawing_map(const Drawing* drawing);

#endif
