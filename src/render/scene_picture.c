// SPDX-License-Identifier: MIT
#include "render/scene_picture.h"
#include "base/clock.h"
#include "base/error.h"
#include "render/glass.h"
#include "render/line.h"
#include "render/liquid.h"
#include "render/shade.h"

#include <stdlib.h>

struct Renderer {
    Pool* pool;
    View view;
    Light light;
    Liquid liquid;
    FoamPicture foam;
    float* depth[2]; // [m] (pixels) of solids and of the liquid, for foam
    size_t depth_capacity[2];
    RenderTimes times;
};

Renderer* renderer_create(int threads)
{
    Renderer* renderer = calloc(1, sizeof *renderer);
    if (!renderer)
        return NULL;
    renderer->pool = pool_create(threads);
    if (!renderer->pool) {
        free(renderer);
        return NULL;
    }
    return renderer;
}

void renderer_destroy(Renderer* renderer)
{
    if (!renderer)
        return;
    view_free(&renderer->view);
    light_free(&renderer->light);
    liquid_free(&renderer->liquid);
    foam_picture_free(&renderer->foam);
    memory_give(NULL, renderer->depth[0]);
    memory_give(NULL, renderer->depth[1]);
    pool_destroy(renderer->pool);
    free(renderer);
}

RenderTimes renderer_times(const Renderer* renderer)
{
    return renderer->times;
}

static double lap(double* last)
{
    double now = clock_seconds(), passed = now - *last;
    *last = now;
    return passed;
}

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

static double box_diagonal(Box3d box)
{
    return vec3d_distance(box.min, box.max);
}

// The point of the ground below the middle of the box.
Vec3d render_ground_point(const RenderInput* in)
{
    Vec3d middle = vec3d_scale(vec3d_add(in->box.min, in->box.max), 0.5);
    double down = vec3d_dot(middle, in->up) - in->ground_level;
    // a hair below, so that the floor of a tank is not in the ground
    return vec3d_mad(middle, -(down + 0.002 * box_diagonal(in->box) + 0.2 * in->particle_radius), in->up);
}

// Whether the first set of particles is drawn as a liquid.
bool render_is_liquid(const RenderInput* in)
{
    return (in->style == MN_STYLE_LIQUID || in->style == MN_STYLE_SURFACE) && in->particle_count > 0 && !in->flat;
}

static bool view_prepare(Renderer* renderer, const RenderInput* in, const SphereSet* sets)
{
    size_t skip = render_is_liquid(in) ? 1 : 0;
    View* view = &renderer->view;
    Camera camera = camera_scaled(&in->camera, in->samples);
    view->pool = renderer->pool;
    view->factor = in->samples;
    view->radius = (float)in->particle_radius;
    view->up = to_vec3(camera_view_direction(&camera, in->up));
    view->ground_level = (float)vec3d_dot(camera_view_direction(&camera, in->up), camera_view(&camera, render_ground_point(in)));
    view->ground = in->ground && !in->flat && view->ground_level < 0;
    return sample_buffer_resize(&view->samples, &camera) &&
           sphere_list_build(&view->spheres, view->pool, sets + skip, in->particle_count - skip, &view->samples, &in->cut) &&
           triangle_list_build(&view->triangles, view->pool, in->solids, in->solid_count, &view->samples, &in->cut, false);
}

// From above, from the left and from behind the camera: shadows fall to the right and away. Lights of the view come first.
Vec3d render_key_direction(const RenderInput* in)
{
    if (in->own_light && in->environment && in->environment->sun_count) {
        Vec3 to = in->environment->sun[0].to;
        return vec3d((double)to.x, (double)to.y, (double)to.z);
    }
    Vec3d back = vec3d_scale(in->camera.forward, -1);
    back = vec3d_normalise(vec3d_mad(back, -vec3d_dot(back, in->up), in->up));
    return vec3d_normalise(vec3d_mad(vec3d_mad(vec3d_scale(in->camera.right, -0.45), 1.0, in->up), 0.42, back));
}

int render_shadow_size(const RenderInput* in)
{
    // a particle is about five texels wide: enough for its shadow, and cheap when there are few
    double wanted = 2.5 * box_diagonal(in->box) / fmax(in->particle_radius, 1e-12);
    int size = (int)fmin(fmax(wanted, 512), 2048);
    if (in->draft)
        size = size / 2 > 768 ? 768 : size / 2 < 384 ? 384 : size / 2;
    return size;
}

static bool light_prepare(Renderer* renderer, const RenderInput* in, const SphereSet* sets)
{
    renderer->light.step = in->draft ? 2 : 1;
    renderer->light.clear_count = render_is_liquid(in) && in->style == MN_STYLE_LIQUID ? (uint32_t)sets[0].count : 0;
    return light_build(&renderer->light, &renderer->view, sets, in->particle_count, in->solids, in->solid_count, in->box,
                       render_key_direction(in), render_shadow_size(in), &in->cut);
}

static bool draw_liquid(Renderer* renderer, const RenderInput* in, Picture* picture)
{
    bool clear = in->style == MN_STYLE_LIQUID;
    LiquidInput input = {.camera = &in->camera,
                         .particles = in->particles,
                         .cut = &in->cut,
                         .particle_radius = in->particle_radius,
                         .opaque = &renderer->view,
                         .draft = in->draft,
                         .wants_values = !clear && in->particles->paint == PAINT_SCALAR,
                         .wants_thickness = clear,
                         .wants_normals = true};
    LiquidShading shading = {.liquid = &renderer->liquid,
                             .opaque = &renderer->view,
                             .light = &renderer->light,
                             .environment = in->environment,
                             .particles = in->particles,
                             .paint = in->fluid_paint,
                             .map = in->map,
                             .range = {(float)in->range[0], (float)in->range[1]},
                             .clear = clear};
    return liquid_build(&renderer->liquid, renderer->pool, &input) && liquid_shade(&shading, picture);
}

// --- foam

typedef struct DepthJob {
    Renderer* renderer;
    const RenderInput* in;
} DepthJob;

// Particles that are drawn as spheres are the liquid too.
static void collect_depths(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const DepthJob* job = context;
    Renderer* r = job->renderer;
    const View* v = &r->view;
    int width = job->in->camera.width;
    bool liquid = render_is_liquid(job->in);
    for (size_t y = begin; y < end; y++)
        for (int x = 0; x < width; x++) {
            size_t at = (y * (size_t)v->factor + (size_t)v->factor / 2) * (size_t)v->samples.stride +
                        (size_t)(x * v->factor + v->factor / 2);
            uint32_t id = v->samples.id[at] & ~ID_GLASS;
            float z = least(v->samples.depth[at], NOTHING);
            bool is_particle = id != ID_NONE && !(id & ID_TRIANGLE) && !liquid;
            size_t pixel = y * (size_t)width + (size_t)x;
            const Liquid* l = &r->liquid;
            r->depth[0][pixel] = is_particle ? NOTHING : z;
            r->depth[1][pixel] = liquid ? l->depth[l->current][liquid_index(l, x, (int)y)] : is_particle ? z : NOTHING;
        }
}

static bool draw_foam(Renderer* renderer, const RenderInput* in, Picture* picture)
{
    size_t pixels = (size_t)in->camera.width * (size_t)in->camera.height;
    for (int k = 0; k < 2; k++)
        if (!memory_reserve(NULL, &renderer->depth[k], &renderer->depth_capacity[k], 0, pixels, sizeof(float)))
            return false;
    DepthJob job = {renderer, in};
    parallel_for(renderer->pool, (size_t)in->camera.height, 16, collect_depths, &job);
    FoamInput input = {.camera = &in->camera,
                       .cut = &in->cut,
                       .foam = in->foam,
                       .solid_depth = renderer->depth[0],
                       .liquid_depth = renderer->depth[1],
                       .environment = in->environment,
                       .look = in->foam_look,
                       .exposure = in->foam_exposure};
    return foam_picture_draw(&renderer->foam, renderer->pool, &input, in->foam_pass, picture);
}

static bool find_depths(Renderer* renderer, const RenderInput* in)
{
    SphereSet sets[MAX_PARTICLE_LOOKS];
    for (size_t k = 0; k < in->particle_count; k++)
        sets[k] = in->particles[k].spheres;
    if (!view_prepare(renderer, in, sets))
        return false;
    view_draw(&renderer->view);
    LiquidInput input = {.camera = &in->camera,
                         .particles = in->particles,
                         .cut = &in->cut,
                         .particle_radius = in->particle_radius,
                         .opaque = &renderer->view};
    return !render_is_liquid(in) || liquid_build(&renderer->liquid, renderer->pool, &input);
}

mn_Result render_foam(Renderer* renderer, const RenderInput* in, Picture* picture, mn_Error* error)
{
    if (in->foam.count && (!find_depths(renderer, in) || !draw_foam(renderer, in, picture)))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory while drawing %d x %d pixels", picture->width, picture->height);
    return MN_OK;
}

Vec3 render_edge_ink(const RenderInput* in)
{
    bool dark = colour_lightness(in->background) < 0.6f;
    return dark ? (Vec3){0.85f, 0.88f, 0.92f} : (Vec3){0.18f, 0.24f, 0.32f};
}

// --- the whole

static bool draw(Renderer* renderer, const RenderInput* in, Picture* picture)
{
    SphereSet sets[MAX_PARTICLE_LOOKS];
    for (size_t k = 0; k < in->particle_count; k++)
        sets[k] = in->particles[k].spheres;
    double last = clock_seconds();
    RenderTimes* times = &renderer->times;
    if (!view_prepare(renderer, in, sets))
        return false;
    view_draw(&renderer->view);
    times->samples = lap(&last);
    if (!in->flat && !light_prepare(renderer, in, sets))
        return false;
    times->shadow = lap(&last);
    if (!in->flat && !light_gather(&renderer->light, &renderer->view))
        return false;
    times->light = lap(&last);

    size_t skip = render_is_liquid(in) ? 1 : 0;
    Shading shading = {.view = &renderer->view,
                       .light = in->flat ? NULL : &renderer->light,
                       .looks = in->particles + skip,
                       .look_count = in->particle_count - skip,
                       .ground_pattern = in->ground_pattern,
                       .environment = in->environment,
                       .camera = &in->camera,
                       .solids = in->solids,
                       .map = in->map,
                       .range = {(float)in->range[0], (float)in->range[1]},
                       .background = in->background,
                       .ground_centre = to_vec3(camera_view(&in->camera, render_ground_point(in))),
                       .ground_radius = (float)(box_diagonal(in->box) / 2)};
    shade_picture(&shading, picture);
    times->shade = lap(&last);
    if (render_is_liquid(in) && !draw_liquid(renderer, in, picture))
        return false;
    times->liquid = lap(&last);
    if (in->foam.count && !in->flat && !draw_foam(renderer, in, picture))
        return false;
    times->foam = lap(&last);
    Vec3 ink = render_edge_ink(in);
    bool is_pass = in->foam.count && in->foam_pass != FOAM_PASS_COMPOSITION; // nothing is drawn over an intermediate picture
    if (!is_pass) {
        draw_glass(&renderer->view, in->solids, in->solid_count, picture);
        draw_nozzles(&renderer->view, in->lines, in->line_count, picture);
    }
    if (!is_pass)
        draw_edges(&renderer->view, in->solids, in->solid_count, ink, picture);
    bool ok = is_pass || draw_segments(&renderer->view, in->solids, in->solid_count, in->flat, picture);
    caption_draw(&in->caption, picture);
    times->caption = lap(&last);
    return ok;
}

mn_Result render_frame(Renderer* renderer, const RenderInput* input, Picture* picture, mn_Error* error)
{
    if (input->samples < 1 || input->samples > 4 || input->particle_count > MAX_PARTICLE_LOOKS ||
        picture->width != input->camera.width || picture->height != input->camera.height)
        return error_set(error, MN_BAD_INPUT, "the picture does not fit the camera, or has too many kinds of particles or samples");
    if (!draw(renderer, input, picture))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory while drawing %d x %d pixels", picture->width, picture->height);
    return MN_OK;
}
