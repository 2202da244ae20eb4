// SPDX-License-Identifier: MIT
#include "render_final.h"

#include "base/error.h"
#include "final_scene.h"
#include "trace/denoise.h"
#include <stdlib.h>

enum { ROUND = 4 };

FinalOptions final_default_options(void)
{
    return (FinalOptions){.samples = 64, .spacing = 1, .smoothing = 20};
}

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

static Vec3 ground_colour(const FinalView* view)
{
    if (view->looks->ground_has_colour || view->looks->ground.size > 0)
        return view->looks->ground.colour;
    return view->environment->sky == MN_SKY_DAY ? (Vec3){0.55f, 0.52f, 0.47f} : (Vec3){0.36f, 0.36f, 0.36f};
}

static TraceWorld make_world(const FinalScene* scene, const FinalOptions* o, const FinalView* view)
{
    const Subject* s = view->subject;
    double r = s->scene->world.particle_radius;
    Box3d box = view->survey->box;
    Vec3d centre = vec3d_scale(vec3d_add(box.min, box.max), 0.5);
    return (TraceWorld){.mesh = scene->mesh,
                        .mesh_count = scene->mesh_count,
                        .balls = scene->balls,
                        .ball_sets = scene->ball_sets,
                        .shutter = o->motion_blur ? 0.5 / s->scene->frame_rate : 0,
                        .contact = 1.5 * r,
                        .clip = scene->clip,
                        .environment = *view->environment,
                        .ground = view->ground,
                        // a little above the fluid's lowest skin, which then lies on the ground without a gap; never above a solid
                        .ground_level = (float)(view->survey->ground + (view->survey->stands_solid ? -0.05 : 0.3) * r),
                        .ground_centre = to_vec3(centre),
                        .ground_radius = (float)(6 * vec3d_distance(box.min, box.max)),
                        .ground_material = {.kind = TRACE_MATTE,
                                            .colour = ground_colour(view),
                                            .pattern = view->looks->ground.size > 0 ? &view->looks->ground : NULL}};
}

static TraceCamera make_camera(const FinalView* view)
{
    const Camera* c = view->camera;
    const mn_ViewDef* v = view->view;
    Box3d box = view->survey->box;
    Vec3d sharp = v->has_camera ? v->target : vec3d_scale(vec3d_add(box.min, box.max), 0.5);
    double focus = v->focus > 0 ? v->focus : fabs(vec3d_dot(vec3d_sub(sharp, c->eye), c->forward));
    return (TraceCamera){.eye = to_vec3(c->eye),
                         .right = to_vec3(c->right),
                         .down = to_vec3(c->down),
                         .forward = to_vec3(c->forward),
                         .orthographic = c->orthographic,
                         .width = c->width,
                         .height = c->height,
                         .focal = (float)c->focal,
                         .centre_x = (float)c->centre_x,
                         .centre_y = (float)c->centre_y,
                         .aperture = (float)v->aperture,
                         .focus = (float)focus};
}

// Rounds of samples until there are enough, or the caller has seen enough.
static void sample(const Tracer* tracer, const FinalOptions* o, const FinalView* view, TraceFilm* film, Vec3* light,
                   Picture* picture)
{
    TraceCamera camera = make_camera(view);
    float exposure = (float)view->view->exposure;
    while (film->samples < o->samples) {
        int left = o->samples - film->samples;
        trace_samples(tracer, &camera, view->pool, left < ROUND ? left : ROUND, film);
        trace_film_mean(film, light);
        trace_develop(light, picture->width, picture->height, 1, exposure, picture->rgb);
        if (view->progress && !view->progress(view->user, film->samples, picture))
            break;
    }
}

// The film as a picture without grain.
static mn_Result clean(const FinalOptions* o, const FinalView* view, const TraceFilm* film, Vec3* light, Picture* picture,
                       mn_Error* error)
{
    if (o->grain || film->samples < 4)
        return MN_OK;
    if (!trace_denoise(film, view->pool, light))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    trace_develop(light, picture->width, picture->height, 1, (float)view->view->exposure, picture->rgb);
    return MN_OK;
}

mn_Result final_draw(const FinalOptions* o, const FinalView* view, Picture* picture, mn_Error* error)
{
    TraceFilm film;
    Vec3* light = calloc((size_t)picture->width * (size_t)picture->height + 1, sizeof *light);
    if (!light || !trace_film_create(&film, picture->width, picture->height)) {
        free(light);
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    }
    mn_Result result = MN_OK;
    FinalScene* scene = final_scene_create(o, view, error);
    if (scene) {
        TraceWorld world = make_world(scene, o, view);
        Tracer* tracer = trace_create(&world, error);
        if (tracer)
            sample(tracer, o, view, &film, light, picture);
        result = tracer ? clean(o, view, &film, light, picture, error) : error->result;
        trace_destroy(tracer);
        final_scene_destroy(scene, view);
    } else {
        result = error->result;
    }
    trace_film_free(&film);
    free(light);
    return result;
}
