// SPDX-License-Identifier: MIT
#include "render_job.h"

#include "base/error.h"
#include "cli.h"
#include "render/droplets.h"
#include "render/text.h"
#include "solid/solid.h"
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

static double along(Vec3d v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static mn_Style style_of(const RenderJob* job)
{
    if (job->view.style != MN_STYLE_AUTO)
        return job->view.style;
    return job->is_final ? MN_STYLE_LIQUID : MN_STYLE_PARTICLES;
}

// --- preparing

static bool has_ground(const RenderJob* job)
{
    return job->view.has_ground && vec3d_length(job->subject.scene->world.gravity) > 0;
}

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

static double fluid_size(const RenderJob* job)
{
    return job->survey.has_fluid ? vec3d_distance(job->survey.fluid.min, job->survey.fluid.max) : 0;
}

mn_Result render_job_prepare(RenderJob* job, mn_Error* error)
{
    mn_Result result = check_dimension(job, error);
    if (result == MN_OK)
        result = survey_subject(&job->survey, &job->subject, &job->view, 0, job->subject.frame_count - 1, error);
    if (result == MN_OK)
        result = looks_build(&job->looks, &job->subject, &job->view, fluid_size(job), error);
    if (result != MN_OK)
        return result;
    if (style_of(job) == MN_STYLE_LIQUID)
        job->view.colour_bar = false; // there is no scale to show
    if (job->view.range[0] >= job->view.range[1])
        memcpy(job->view.range, job->survey.range, sizeof job->view.range);
    job->camera = survey_camera(&job->survey, &job->subject, &job->view);
    const char* title = job->view.title ? job->view.title : job->subject.scene->name;
    if (job->view.has_camera) // otherwise it was framed with room for the title
        job->title_corner = title_corner(&job->survey, &job->subject, &job->camera, title);
    environment_build(&job->environment, &job->view, &job->camera, subject_up(&job->subject),
                      job->looks.map.pixel ? &job->looks.map : NULL);
    job->cut = (CutAway){job->view.has_clip, (int)job->view.clip_axis, job->view.clip_position, false};
    job->cut.hide_above = along(job->camera.eye, job->cut.axis) > job->cut.position;
    colour_map_build(&job->map, job->view.colour == MN_COLOUR_PRESSURE  ? COLOUR_MAP_DEPTHS
                                : job->view.colour == MN_COLOUR_DENSITY ? COLOUR_MAP_EMBER
                                                                        : COLOUR_MAP_WATER);
    bool has_begun = job->subject.is_run || job->subject.lends_world;
    if (!has_begun && !nozzle_lines(&job->nozzles, job->subject.scene, job->survey.box))
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
    looks_free(&job->looks);
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
    if (!job->is_final || job->environment.sky == MN_SKY_STUDIO)
        return to_vec3(job->view.background);
    Vec3 c = environment_light(&job->environment, to_vec3(job->camera.forward));
    return (Vec3){colour_to_srgb(fminf(c.x, 1)), colour_to_srgb(fminf(c.y, 1)), colour_to_srgb(fminf(c.z, 1))};
}

static Caption make_caption(const RenderJob* job, char* note, size_t note_size)
{
    const mn_Scene* scene = job->subject.scene;
    const char* title = job->view.title ? job->view.title : scene->name;
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
                 .map = &job->map,
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

// Fluid first, then boundary particles.
static size_t fill_particles(const RenderJob* job, const float* scalar, ParticleLook look[2])
{
    const Subject* s = &job->subject;
    float radius = (float)s->scene->world.particle_radius;
    look[0] = (ParticleLook){.spheres = {s->frame.count, s->frame.position, 3, radius},
                             .paint = job->view.colour == MN_COLOUR_FLUID ? PAINT_FLUID : PAINT_SCALAR,
                             .scalar = scalar,
                             .fluid = s->frame.fluid};
    look[1] = (ParticleLook){
        .spheres = {s->boundary_count, s->boundary, 3, 0.55f * radius}, .paint = PAINT_PLAIN, .colour = {0.55f, 0.57f, 0.60f}};
    return s->boundary_count ? 2 : 1;
}

static SolidItem* solid_items(const RenderJob* job)
{
    const Subject* s = &job->subject;
    SolidItem* item = calloc(s->solid_count + 1, sizeof *item);
    Box3d f = job->survey.fluid;
    for (size_t k = 0; item && k < s->solid_count; k++)
        item[k] = (SolidItem){.model = &s->solid[k].model,
                              .pose = s->pose[s->solid[k].index],
                              .look = job->view.boundary && s->solid[k].inside ? LOOK_EDGES : survey_look(&job->survey, s, k),
                              .centre = vec3d_scale(vec3d_add(f.min, f.max), 0.5),
                              .colour = to_vec3(solid_def_colour(&s->scene->solids[s->solid[k].index])),
                              .coloured = s->solid[k].coloured,
                              .paint = &job->looks.solid[s->solid[k].index]};
    return item;
}

static double foam_radius(const RenderJob* job)
{
    const Subject* s = &job->subject;
    return s->foam.radius > 0 ? (double)s->foam.radius : 0.5 * s->scene->world.particle_radius;
}

static FoamSource foam_of(const RenderJob* job)
{
    const Frame* f = &job->subject.foam;
    if (!job->view.has_foam || !f->count)
        return (FoamSource){0};
    return (FoamSource){f->count, f->position, f->id, f->fluid, f->pressure, (float)foam_radius(job)};
}

static RenderInput make_input(const RenderJob* job)
{
    const mn_Scene* scene = job->subject.scene;
    return (RenderInput){.camera = job->camera,
                         .box = job->survey.box,
                         .ground_level = job->survey.ground,
                         .lines = job->nozzles.line,
                         .line_count = job->nozzles.count,
                         .up = subject_up(&job->subject),
                         .flat = scene->world.dimension == 2,
                         .ground = has_ground(job),
                         .ground_pattern = job->looks.ground.size > 0 || job->looks.ground_has_colour ? &job->looks.ground : NULL,
                         .particle_radius = scene->world.particle_radius,
                         .style = style_of(job),
                         .environment = &job->environment,
                         .own_light = job->view.light_count > 0,
                         .fluid_paint = job->looks.fluid,
                         .solid_count = job->subject.solid_count,
                         .map = &job->map,
                         .range = {job->view.range[0], job->view.range[1]},
                         .cut = job->cut,
                         .foam = foam_of(job),
                         .foam_look = foam_look_complete(&job->view.foam, foam_radius(job), fluid_size(job)),
                         .foam_pass = job->foam_pass,
                         .foam_exposure = job->is_final ? (float)job->view.exposure : 1,
                         .background = to_vec3(job->view.background),
                         .samples = job->samples};
}

static mn_Result draw_fast(RenderJob* job, mn_Error* error)
{
    float* scalar = NULL;
    SolidItem* items = solid_items(job);
    mn_Result result = MN_OK;
    if (!items || !subject_scalar(&job->subject, job->view.colour, &scalar))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory");
    if (result == MN_OK) {
        ParticleLook looks[2];
        RenderInput input = make_input(job);
        input.particles = looks;
        input.particle_count = fill_particles(job, scalar, looks);
        input.solids = items;
        result = job->is_final ? render_foam(job->renderer, &input, &job->picture, error)
                               : render_frame(job->renderer, &input, &job->picture, error);
    }
    free(scalar);
    free(items);
    return result;
}

// Foam that is a part of the traced world instead of being laid over its picture.
static bool traces_foam(const RenderJob* job)
{
    return job->is_final && job->view.foam.traced && foam_of(job).count > 0;
}

static mn_Result draw_final(RenderJob* job, mn_Error* error)
{
    FinalView view = {.subject = &job->subject,
                      .survey = &job->survey,
                      .camera = &job->camera,
                      .view = &job->view,
                      .looks = &job->looks,
                      .environment = &job->environment,
                      .map = &job->map,
                      .range = {job->view.range[0], job->view.range[1]},
                      .cut = job->cut,
                      .foam_radius = traces_foam(job) ? foam_radius(job) * job->view.foam.radius : 0,
                      .ground = has_ground(job),
                      .pool = job->pool,
                      .progress = job->progress,
                      .user = job->user};
    return final_draw(&job->final, &view, &job->picture, error);
}

mn_Result render_job_draw(RenderJob* job, mn_Error* error)
{
    subject_drop_front(&job->subject, job->camera.eye);
    if (foam_of(job).count && job->view.foam.droplets &&
        !droplets_to_spray(&job->subject.frame, &job->subject.foam, job->subject.scene, job->subject.scene->world.particle_radius))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for spray");
    mn_Result result = job->is_final ? draw_final(job, error) : MN_OK;
    if (result == MN_OK && (!job->is_final || (foam_of(job).count && !traces_foam(job))))
        result = draw_fast(job, error); // or the foam of a final picture alone
    if (result == MN_OK)
        render_job_caption(job, &job->picture);
    return result;
}
