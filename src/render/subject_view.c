// SPDX-License-Identifier: MIT
#include "render/subject_view.h"

#include "base/axis.h"
#include "base/error.h"
#include "solid/solid.h"
#include <stdlib.h>
#include <string.h>

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

double subject_fluid_size(const SubjectView* v)
{
    return v->survey.has_fluid ? vec3d_distance(v->survey.fluid.min, v->survey.fluid.max) : 0;
}

bool subject_has_ground(const Subject* subject, const mn_ViewDef* view)
{
    return view->has_ground && vec3d_length(subject->scene->world.gravity) > 0;
}

bool subject_has_foam(const Subject* subject, const mn_ViewDef* view)
{
    return view->has_foam && subject->foam.count > 0;
}

ColourMapName colour_map_of(mn_ColourBy colour)
{
    return colour == MN_COLOUR_PRESSURE ? COLOUR_MAP_DEPTHS : colour == MN_COLOUR_DENSITY ? COLOUR_MAP_EMBER : COLOUR_MAP_WATER;
}

mn_Result subject_view_prepare(SubjectView* v, Subject* subject, mn_ViewDef* view, size_t first, size_t last, mn_Error* error)
{
    mn_Result result = survey_subject(&v->survey, subject, view, first, last, error);
    if (result == MN_OK)
        result = looks_build(&v->looks, subject, view, subject_fluid_size(v), error);
    if (result != MN_OK)
        return result;
    if (view->range[0] >= view->range[1])
        memcpy(view->range, v->survey.range, sizeof view->range);
    v->camera = survey_camera(&v->survey, subject, view);
    environment_build(&v->environment, view, &v->camera, subject_up(subject), v->looks.map.pixel ? &v->looks.map : NULL);
    v->cut = (CutAway){view->has_clip, (int)view->clip_axis, view->clip_position, false};
    v->cut.hide_above = vec3d_along(v->camera.eye, v->cut.axis) > v->cut.position;
    colour_map_build(&v->map, colour_map_of(view->colour));
    return MN_OK;
}

void subject_view_free(SubjectView* v)
{
    looks_free(&v->looks);
}

// --- the loaded frame

// Fluid first, then boundary particles.
static size_t fill_particles(const Subject* s, const mn_ViewDef* view, const float* scalar, ParticleLook look[2])
{
    float radius = (float)s->scene->world.particle_radius;
    look[0] = (ParticleLook){.spheres = {s->frame.count, s->frame.position, 3, radius},
                             .paint = view->colour == MN_COLOUR_FLUID ? PAINT_FLUID : PAINT_SCALAR,
                             .scalar = scalar,
                             .fluid = s->frame.fluid};
    look[1] = (ParticleLook){
        .spheres = {s->boundary_count, s->boundary, 3, 0.55f * radius}, .paint = PAINT_PLAIN, .colour = {0.55f, 0.57f, 0.60f}};
    return s->boundary_count ? 2 : 1;
}

// What the walls of a vessel stand around: the fluid, or where it went with it, its own middle.
static Vec3d middle_of(const SubjectView* v, const Subject* s, size_t k)
{
    const SubjectSolid* solid = &s->solid[k];
    Box3d box = v->survey.fluid;
    if (s->scene->solids[solid->index].type == MN_SOLID_STATIC)
        return vec3d_scale(vec3d_add(box.min, box.max), 0.5);
    box = tri_mesh_bounds(&solid->mesh);
    Vec3d middle = vec3d_scale(vec3d_add(box.min, box.max), 0.5);
    return vec3d_add(quat_rotate(s->pose[solid->index].rotation, middle), s->pose[solid->index].position);
}

static SolidItem* solid_items(const SubjectView* v, const Subject* s, const mn_ViewDef* view)
{
    SolidItem* item = calloc(s->solid_count + 1, sizeof *item);
    for (size_t k = 0; item && k < s->solid_count; k++)
        item[k] = (SolidItem){.model = &s->solid[k].model,
                              .pose = s->pose[s->solid[k].index],
                              .look = view->boundary && s->solid[k].inside ? LOOK_EDGES : survey_look(&v->survey, s, k),
                              .centre = middle_of(v, s, k),
                              .colour = to_vec3(solid_def_colour(&s->scene->solids[s->solid[k].index])),
                              .coloured = s->solid[k].coloured,
                              .paint = &v->looks.solid[s->solid[k].index]};
    return item;
}

double subject_foam_radius(const Subject* s)
{
    return s->foam.radius > 0 ? (double)s->foam.radius : 0.5 * s->scene->world.particle_radius;
}

static FoamSource foam_of(const Subject* s, const mn_ViewDef* view)
{
    const Frame* f = &s->foam;
    if (!subject_has_foam(s, view))
        return (FoamSource){0};
    return (FoamSource){f->count, f->position, f->id, f->fluid, f->pressure, (float)subject_foam_radius(s)};
}

static RenderInput make_input(const SubjectView* v, const Subject* s, const mn_ViewDef* view, const SubjectDraw* draw)
{
    return (RenderInput){.camera = v->camera,
                         .box = v->survey.box,
                         .ground_level = v->survey.ground,
                         .lines = draw->nozzles ? draw->nozzles->line : NULL,
                         .line_count = draw->nozzles ? draw->nozzles->count : 0,
                         .up = subject_up(s),
                         .flat = s->scene->world.dimension == 2,
                         .ground = subject_has_ground(s, view),
                         .ground_pattern = v->looks.ground.size > 0 || v->looks.ground_has_colour ? &v->looks.ground : NULL,
                         .particle_radius = s->scene->world.particle_radius,
                         .style = draw->style,
                         .environment = &v->environment,
                         .own_light = view->light_count > 0,
                         .fluid_paint = v->looks.fluid,
                         .solid_count = s->solid_count,
                         .map = &v->map,
                         .range = {view->range[0], view->range[1]},
                         .cut = v->cut,
                         .foam = foam_of(s, view),
                         .foam_look = foam_look_complete(&view->foam, subject_foam_radius(s), subject_fluid_size(v)),
                         .foam_pass = draw->foam_pass,
                         .foam_exposure = (float)draw->foam_exposure,
                         .background = to_vec3(view->background),
                         .samples = draw->samples};
}

mn_Result subject_draw(Renderer* renderer, const SubjectView* v, const Subject* s, const mn_ViewDef* view, const SubjectDraw* draw,
                       Picture* picture, mn_Error* error)
{
    float* scalar = NULL;
    SolidItem* items = solid_items(v, s, view);
    mn_Result result = MN_OK;
    if (!items || !subject_scalar(s, view->colour, &scalar))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for a picture");
    if (result == MN_OK) {
        ParticleLook looks[2];
        RenderInput input = make_input(v, s, view, draw);
        input.particles = looks;
        input.particle_count = fill_particles(s, view, scalar, looks);
        input.solids = items;
        result = draw->foam_alone ? render_foam(renderer, &input, picture, error) : render_frame(renderer, &input, picture, error);
    }
    free(scalar);
    free(items);
    return result;
}
