// SPDX-License-Identifier: MIT
// A look at a few frames of a subject before drawing: where things are and what values they take, so that all frames of a
// film share one camera and one colour scale.
#ifndef RENDER_SURVEY_H
#define RENDER_SURVEY_H

#include "render/subject.h"

enum { SURVEYED_FRAMES = 5, SURVEYED_PLACES = 300 };

typedef struct Survey {
    Box3d box;   // [m] what the camera should show
    Box3d fluid; // [m] where nearly all particles are
    bool has_fluid;
    Vec3 place[SURVEYED_FRAMES * SURVEYED_PLACES]; // [m] of some particles of all surveyed frames
    int place_count;
    double ground;     // [m] along up: nothing that is opaque lies below
    bool stands_solid; // it is an opaque solid that lies there
    double range[2];   // round ends of the colour scale
} Survey;

// `first` to `last`: the frames that will be drawn. Also finds out which solids would hide all of the fluid from the camera of
// `view`.
mn_Result survey_subject(Survey* survey, Subject* subject, const mn_ViewDef* view, size_t first, size_t last, mn_Error* error);

// The colour scale where what is to come is not known yet: that of a fall through the height of the fluid at the start, or of its
// emitters.
void survey_live_range(const Survey* survey, const mn_Scene* scene, mn_ColourBy colour, double range[2]);

// The camera that `view` asks for, or one that shows the whole box.
Camera survey_camera(const Survey* survey, const Subject* subject, const mn_ViewDef* view);

// How each solid is shown, by its finish; if that is left open, containers are see-through, and so are vessels without a colour
// that would hide the fluid.
SolidLook survey_look(const Survey* survey, const Subject* subject, size_t solid);

Box3d box_union(Box3d a, Box3d b);

#endif
