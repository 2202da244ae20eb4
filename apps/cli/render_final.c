// SPDX-License-Identifier: MIT
#include "render_final.h"

#include "base/error.h"
#include "final_scene.h"
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
static void sample(const Tracer* tracer, const FinalOptions* o, const FinalView* view, Vec3* sum, Picture* picture)
{
    TraceCamera camera = make_camera(view);
    for (int done = 0; done < o->samples;) {
        int count = o->samples - done < ROUND ? o->samples - done : ROUND;
        trace_samples(tracer, &camera, view->pool, done, count, sum);
        done += count;
        trace_develop(sum, picture->width, picture->height, done, (float)view->view->exposure, picture->rgb);
        if (view->progress && !view->progress(view->user, done, picture))
            break;
    }
}

mn_Result final_draw(const FinalOptions* o, const FinalView* view, Picture* picture, mn_Error* error)
{
    Vec3* sum = calloc((size_t)picture->width * (size_t)picture->height + 1, sizeof *sum);
    if (!sum)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    mn_Result result = MN_OK;
    FinalScene* scene = final_scene_create(o, view, error);
    if (scene) {
        TraceWorld world = make_world(scene, o, view);
        Tracer* tracer = trace_create(&world, error);
        if (tracer)
            sample(tracer, o, view, sum, picture);
        else
            result = error->result;
        trace_destroy(tracer);
        final_scene_destroy(scene, view);
    } else {
        result = error->result;
    }
    free(sum);
    return result;
}
