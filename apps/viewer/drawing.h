// SPDX-License-Identifier: MIT
// A shot as a picture of the scene, by either back end.
#ifndef VIEWER_DRAWING_H
#define VIEWER_DRAWING_H

#include "backend.h"
#include "orbit.h"
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

Drawing* drawing_create(void); // NULL: out of memory
void drawing_free(Drawing* drawing);
mn_Result drawing_draw(Drawing* drawing, BackEnd* back, Shot* shot, const Setting* setting, const Look* look, const Camera* camera,
                       mn_Error* error);
const ColourMap* drawing_map(const Drawing* drawing);

#endif
