// SPDX-License-Identifier: MIT
#include "render_job.h"

#include "base/error.h"
#include "cli.h"
#include "render/droplets.h"
#include "render/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool picture_name(char* out, size_t size, const char* pattern, int number)
{
    const char* percent = strchr(pattern, '%');
    if (!percent)
        return snprintf(out, size, "%s", pattern) < (int)size;
    const char* p = percent + 1;
    int digits = 0;
    bool zeros = *p == '0';
    while (*p >= '0' && *p <= '9' && digits < 100)
        digits = 10 * digits + *p++ - '0';
    if (*p != 'd' || digits > 18 || (digits > 0 && !zeros) || strchr(p, '%'))
        return false;
    return snprintf(out, size, "%.*s%0*d%s", (int)(percent - pattern), pattern, digits ? digits : 1, number, p + 1) < (int)size;
}

double film_rate(double frame_rate)
{
    return fmin(fmax(frame_rate, 1), 60);
}

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

static mn_Style style_of(const RenderJob* job)
{
    if (job->view.style != MN_STYLE_AUTO)
        return job->view.style;
    return job->is_final ? MN_STYLE_LIQUID : MN_STYLE_PARTICLES;
}

// --- preparing

// What a view asks for that a plane cannot show.
static mn_Result check_dimension(const RenderJob* job, mn_Error* error)
{
    if (job->subject.scene->world.dimension == 3)
        return MN_OK;
    if (job->is_final)
        return error_set(error, MN_BAD_INPUT, "final pictures need a scene in three dimensions");
    if (job->view.style == MN_STYLE_LIQUID || job->view.style == MN_STYLE_SURFACE)
        return error_set(error, MN_BAD_INPUT, "the styles liquid and surface need a scene in three dimensions");
    return MN_OK;
}

mn_Result render_job_prepare(RenderJob* job, mn_Error* error)
{
    mn_Result result = check_dimension(job, error);
    if (result == MN_OK)
        result = subject_view_prepare(&job->look, &job->subject, &job->view, 0, job->subject.frame_count - 1, error);
    if (result != MN_OK)
        return result;
    if (style_of(job) == MN_STYLE_LIQUID)
        job->view.colour_bar = false; // there is no scale to show
    const char* title = job->view.title ? job->view.title : job->subject.scene->name;
    CaptionRect room = caption_title_rect(title, TITLE_TOP_LEFT, job->view.width, job->view.height);
    Margins margins = caption_margins(job->view.colour_bar, job->view.time_stamp, job->view.width, job->view.height);
    // automatic cameras leave room for it, but in the smallest pictures
    if (job->view.has_camera || room.y1 > margins.top * job->view.height)
        job->title_corner = title_corner(&job->look.survey, &job->subject, &job->look.camera, title);
    // a name that would cover what is shown is left out; a title that was asked for is not
    job->has_title = job->view.title || job->title_corner != TITLE_CORNERS;
    if (job->title_corner == TITLE_CORNERS)
        job->title_corner = TITLE_TOP_LEFT;
    bool has_begun = job->subject.is_run || job->subject.lends_world;
    if (!has_begun && !nozzle_lines(&job->nozzles, job->subject.scene, job->look.survey.box))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    job->pool = job->is_final ? pool_create(job->threads) : NULL;
    job->renderer = renderer_create(job->threads); // draws the foam of final pictures too
    if ((!job->pool && job->is_final) || !job->renderer || !picture_create(&job->picture, job->view.width, job->view.height))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %d x %d pixels", job->view.width, job->view.height);
    return MN_OK;
}

void render_job_free(RenderJob* job)
{
    picture_free(&job->picture);
    renderer_destroy(job->renderer);
    pool_destroy(job->pool);
    subject_view_free(&job->look);
    nozzle_lines_free(&job->nozzles);
}

// --- captions

static const char* quantity_of(mn_ColourBy colour)
{
    return colour == MN_COLOUR_PRESSURE ? "pressure" : colour == MN_COLOUR_DENSITY ? "density" : "speed";
}

static const char* unit_of(mn_ColourBy colour)
{
    return colour == MN_COLOUR_PRESSURE ? "Pa" : colour == MN_COLOUR_DENSITY ? "kg/m\xc2\xb3" : "m/s";
}

// The colour that text stands on.
static Vec3 backdrop(const RenderJob* job)
{
    if (!job->is_final || job->look.environment.sky == MN_SKY_STUDIO)
        return to_vec3(job->view.background);
    Vec3 c = environment_light(&job->look.environment, to_vec3(job->look.camera.forward));
    return (Vec3){colour_to_srgb(fminf(c.x, 1)), colour_to_srgb(fminf(c.y, 1)), colour_to_srgb(fminf(c.z, 1))};
}

static Caption make_caption(const RenderJob* job, char* note, size_t note_size)
{
    const mn_Scene* scene = job->subject.scene;
    const char* title = !job->has_title ? NULL : job->view.title ? job->view.title : scene->name;
    bool by_fluid = job->view.colour == MN_COLOUR_FLUID;
    char count[32];
    snprintf(note, note_size, "%s particles", text_count(job->subject.fluid_particles, count));
    Caption c = {.title = title,
                 .corner = job->title_corner,
                 .note = title && title[0] ? note : NULL,
                 .show_time = job->view.time_stamp,
                 .time = job->subject.frame.time,
                 .show_bar = !by_fluid && job->view.colour_bar,
                 .quantity = quantity_of(job->view.colour),
                 .unit = unit_of(job->view.colour),
                 .range = {job->view.range[0], job->view.range[1]},
                 .map = &job->look.map,
                 .background = backdrop(job)};
    for (size_t k = 0; by_fluid && job->view.colour_bar && k < scene->fluid_count && k < MAX_LEGEND; k++)
        c.legend[c.legend_count++] = scene->fluids[k].name ? scene->fluids[k].name : "fluid";
    return c;
}

void render_job_caption(const RenderJob* job, Picture* picture)
{
    char note[64];
    Caption c = make_caption(job, note, sizeof note);
    caption_draw(&c, picture);
    for (size_t k = 0; k < job->view.caption_count; k++) {
        const mn_CaptionDef* d = &job->view.captions[k];
        caption_line(&c, picture, d->text, d->position[0], d->position[1], d->size);
    }
}

// --- drawing

static mn_Result draw_fast(RenderJob* job, mn_Error* error)
{
    SubjectDraw draw = {.style = style_of(job),
                        .samples = job->samples,
                        .nozzles = &job->nozzles,
                        .foam_pass = job->foam_pass,
                        .foam_exposure = job->is_final ? job->view.exposure : 1,
                        .foam_alone = job->is_final};
    return subject_draw(job->renderer, &job->look, &job->subject, &job->view, &draw, &job->picture, error);
}

// Foam that is a part of the traced world instead of being laid over its picture.
static bool traces_foam(const RenderJob* job)
{
    return job->is_final && job->view.foam.traced && subject_has_foam(&job->subject, &job->view);
}

static mn_Result draw_final(RenderJob* job, mn_Error* error)
{
    FinalView view = {.subject = &job->subject,
                      .survey = &job->look.survey,
                      .camera = &job->look.camera,
                      .view = &job->view,
                      .looks = &job->look.looks,
                      .environment = &job->look.environment,
                      .map = &job->look.map,
                      .range = {job->view.range[0], job->view.range[1]},
                      .cut = job->look.cut,
                      .foam_radius = traces_foam(job) ? subject_foam_radius(&job->subject) * job->view.foam.radius : 0,
                      .ground = subject_has_ground(&job->subject, &job->view),
                      .pool = job->pool,
                      .progress = job->progress,
                      .user = job->user};
    return final_draw(&job->final, &view, &job->picture, error);
}

mn_Result render_job_draw(RenderJob* job, mn_Error* error)
{
    subject_drop_front(&job->subject, job->look.camera.eye);
    if (subject_has_foam(&job->subject, &job->view) && job->view.foam.droplets &&
        !droplets_to_spray(&job->subject.frame, &job->subject.foam, job->subject.scene, job->subject.scene->world.particle_radius))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for spray");
    mn_Result result = job->is_final ? draw_final(job, error) : MN_OK;
    if (result == MN_OK && (!job->is_final || (subject_has_foam(&job->subject, &job->view) && !traces_foam(job))))
        result = draw_fast(job, error); // or the foam of a final picture alone
    if (result == MN_OK)
        render_job_caption(job, &job->picture);
    return result;
}
