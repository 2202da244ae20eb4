// SPDX-License-Identifier: MIT
// One camera, one scale and one set of materials for all pictures of a subject, fast or final.
#ifndef CLI_RENDER_JOB_H
#define CLI_RENDER_JOB_H

#include "render/film.h"
#include "render/subject_view.h"
#include "render/title.h"
#include "render_final.h"

typedef struct RenderJob {
    // filled by the caller
    Subject subject; // opened
    mn_ViewDef view; // the scene's, perhaps changed; points to what it points to
    bool is_final;
    FinalOptions final;
    FoamPass foam_pass;                                          // FOAM_PASS_COMPOSITION: the picture
    int threads, samples;                                        // samples per pixel and direction of fast pictures
    bool (*progress)(void* user, int samples, Picture* picture); // of final pictures; may be NULL
    void* user;

    SubjectView look;
    TitleCorner title_corner;
    bool has_title;
    NozzleLines nozzles; // of a scene that has not started
    Renderer* renderer;
    Pool* pool; // of final pictures
    Picture picture;
} RenderJob;

// Looks through the subject and gets everything ready.
mn_Result render_job_prepare(RenderJob* job, mn_Error* error);
// The loaded frame, with captions, into job->picture.
mn_Result render_job_draw(RenderJob* job, mn_Error* error);
// Title, time, colour bar and captions over the picture.
void render_job_caption(const RenderJob* job, Picture* picture);
// Frees everything but the subject.
void render_job_free(RenderJob* job);

// The name of a picture: "%d" or "%06d" in `pattern` becomes the number; nothing else of printf is meant. False: another use of %,
// or too long.
bool picture_name(char* out, size_t size, const char* pattern, int number);
// Real time, unless that would be more frames than screens show: then slow motion.
double film_rate(double frame_rate);

#endif
