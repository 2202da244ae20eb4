// SPDX-License-Identifier: MIT
// How a subject is looked at: one camera, one scale and one set of materials for all of its pictures; and its loaded frame as a
// fast picture. Used by the command and by pictures of a world in memory (meniscus/output.h).
#ifndef RENDER_SUBJECT_VIEW_H
#define RENDER_SUBJECT_VIEW_H

#include "render/looks.h"
#include "render/nozzle.h"
#include "render/survey.h"

typedef struct SubjectView {
    Survey survey;
    Looks looks;
    Environment environment;
    Camera camera;
    CutAway cut;
    ColourMap map;
} SubjectView;

// Looks through the frames and gets everything ready; an open range of colours of `view` becomes the one that was found.
mn_Result subject_view_prepare(SubjectView* v, Subject* subject, mn_ViewDef* view, size_t first, size_t last, mn_Error* error);
void subject_view_free(SubjectView* v);

// What the fluid's box measures [m]; 0: there is none.
double subject_fluid_size(const SubjectView* v);
bool subject_has_ground(const Subject* subject, const mn_ViewDef* view);
bool subject_has_foam(const Subject* subject, const mn_ViewDef* view);
double subject_foam_radius(const Subject* subject); // [m]
// The map of the colours of a field.
ColourMapName colour_map_of(mn_ColourBy colour);

// What pictures of one subject differ in.
typedef struct SubjectDraw {
    mn_Style style;
    int samples;
    const NozzleLines* nozzles; // of a scene that has not started; may be NULL
    FoamPass foam_pass;
    double foam_exposure;
    bool foam_alone; // over a picture that others have made
} SubjectDraw;

// The loaded frame.
mn_Result subject_draw(Renderer* renderer, const SubjectView* v, const Subject* subject, const mn_ViewDef* view,
                       const SubjectDraw* draw, Picture* picture, mn_Error* error);

#endif
