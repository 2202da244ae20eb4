// SPDX-License-Identifier: MIT
// Pictures of a world as it is (meniscus/output.h): camera, colours and light as the view says, solids that events brought too.
#include <meniscus/live.h>
#include <meniscus/output.h>
#include <meniscus/scene.h>

#include "base/error.h"
#include "render/looks.h"
#include "render/survey.h"
#include "world/recipe.h"
#include <stdlib.h>
#include <string.h>

typedef struct WorldPicture {
    mn_Scene* scene; // the world's, with all solids of now
    mn_ViewDef view;
    Subject subject;
    Survey survey;
    Looks looks;
    Environment environment;
    Camera camera;
    ColourMap map;
    Renderer* renderer;
    SolidItem* solids;
    float* scalar;
} WorldPicture;

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

static mn_Result look(WorldPicture* p, const mn_World* world, mn_Error* error)
{
    mn_Result result = subject_open_world(&p->subject, p->scene, (mn_World*)(uintptr_t)world, error);
    if (result == MN_OK)
        result = subject_look_again(&p->subject, 0, error);
    if (result == MN_OK)
        result = survey_subject(&p->survey, &p->subject, &p->view, 0, 0, error);
    double size = p->survey.has_fluid ? vec3d_distance(p->survey.fluid.min, p->survey.fluid.max) : 0;
    return result == MN_OK ? looks_build(&p->looks, &p->subject, &p->view, size, error) : result;
}

static bool fill_solids(WorldPicture* p)
{
    const Subject* s = &p->subject;
    Box3d f = p->survey.fluid;
    p->solids = calloc(s->solid_count + 1, sizeof *p->solids);
    for (size_t k = 0; p->solids && k < s->solid_count; k++)
        p->solids[k] = (SolidItem){.model = &s->solid[k].model,
                                   .pose = s->pose[s->solid[k].index],
                                   .look = survey_look(&p->survey, s, k),
                                   .centre = vec3d_scale(vec3d_add(f.min, f.max), 0.5),
                                   .colour = to_vec3(p->scene->solids[s->solid[k].index].colour),
                                   .paint = &p->looks.solid[s->solid[k].index]};
    return p->solids && subject_scalar(s, p->view.colour, &p->scalar);
}

static mn_Result draw(WorldPicture* p, Picture* picture, mn_Error* error)
{
    const Frame* frame = &p->subject.frame;
    bool flat = p->scene->world.dimension == 2, by_fluid = p->view.colour == MN_COLOUR_FLUID;
    if (p->view.range[0] >= p->view.range[1])
        memcpy(p->view.range, p->survey.range, sizeof p->view.range);
    p->camera = survey_camera(&p->survey, &p->subject, &p->view);
    environment_build(&p->environment, &p->view, &p->camera, subject_up(&p->subject), p->looks.map.pixel ? &p->looks.map : NULL);
    colour_map_build(&p->map, p->view.colour == MN_COLOUR_PRESSURE  ? COLOUR_MAP_DEPTHS
                              : p->view.colour == MN_COLOUR_DENSITY ? COLOUR_MAP_EMBER
                                                                    : COLOUR_MAP_WATER);
    subject_drop_front(&p->subject, p->camera.eye);
    if (!fill_solids(p))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a picture");
    ParticleLook particles = {.spheres = {frame->count, frame->position, 3, (float)p->scene->world.particle_radius},
                              .paint = by_fluid ? PAINT_FLUID : PAINT_SCALAR,
                              .scalar = p->scalar,
                              .fluid = frame->fluid};
    RenderInput input = {.camera = p->camera,
                         .box = p->survey.box,
                         .up = subject_up(&p->subject),
                         .flat = flat,
                         .ground = p->view.has_ground && vec3d_length(p->scene->world.gravity) > 0,
                         .ground_pattern = p->looks.ground.size > 0 || p->looks.ground_has_colour ? &p->looks.ground : NULL,
                         .particle_radius = p->scene->world.particle_radius,
                         .style = flat || p->view.style == MN_STYLE_AUTO ? MN_STYLE_PARTICLES : p->view.style,
                         .environment = &p->environment,
                         .own_light = p->view.light_count > 0,
                         .fluid_paint = p->looks.fluid,
                         .particles = &particles,
                         .particle_count = 1,
                         .solids = p->solids,
                         .solid_count = p->subject.solid_count,
                         .map = &p->map,
                         .range = {p->view.range[0], p->view.range[1]},
                         .background = to_vec3(p->view.background),
                         .samples = 2};
    return render_frame(p->renderer, &input, picture, error);
}

static void close_picture(WorldPicture* p)
{
    free(p->solids);
    free(p->scalar);
    renderer_destroy(p->renderer);
    looks_free(&p->looks);
    subject_close(&p->subject);
    mn_scene_free(p->scene);
    free(p);
}

static mn_Result make(const mn_World* world, const mn_ViewDef* view, int threads, Picture* picture, mn_Error* error)
{
    WorldPicture* p = calloc(1, sizeof *p);
    if (!p)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a picture");
    mn_Result result = MN_OK;
    p->scene = world_scene_of_now(world);
    p->renderer = renderer_create(threads < 0 ? 0 : threads);
    if (!p->scene || !p->renderer)
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for a picture");
    if (result == MN_OK) {
        p->view = view ? *view : p->scene->view;
        result = look(p, world, error);
    }
    if (result == MN_OK)
        result = draw(p, picture, error);
    close_picture(p);
    return result;
}

void mn_world_picture_size(const mn_World* world, int* width, int* height)
{
    *width = world_recipe(world)->view.width;
    *height = world_recipe(world)->view.height;
}

static mn_Result check_size(const mn_ViewDef* view, mn_Error* error)
{
    bool ok = view->width >= 1 && view->width <= PICTURE_MAX_SIZE && view->height >= 1 && view->height <= PICTURE_MAX_SIZE;
    return ok ? MN_OK : error_set(error, MN_BAD_INPUT, "a picture of %d x %d pixels is not possible", view->width, view->height);
}

mn_Result mn_world_picture(const mn_World* world, const mn_ViewDef* view, int threads, uint8_t* rgb, mn_Error* error)
{
    const mn_ViewDef* v = view ? view : &world_recipe(world)->view;
    mn_Result result = check_size(v, error);
    return result == MN_OK ? make(world, view, threads, &(Picture){v->width, v->height, rgb}, error) : result;
}

mn_Result mn_world_draw(const mn_World* world, const mn_ViewDef* view, const char* png, mn_Error* error)
{
    const mn_ViewDef* v = view ? view : &world_recipe(world)->view;
    Picture picture = {0};
    mn_Result result = check_size(v, error);
    if (result == MN_OK && !picture_create(&picture, v->width, v->height))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for a picture");
    if (result == MN_OK)
        result = make(world, view, world_recipe(world)->world.threads, &picture, error);
    if (result == MN_OK)
        result = picture_write_png(&picture, png, error);
    picture_free(&picture);
    return result;
}
