// SPDX-License-Identifier: MIT
// Pictures of a world as it is (meniscus/output.h): camera, colours and light as the view says, solids that events brought too.
#include <meniscus/live.h>
#include <meniscus/output.h>
#include <meniscus/scene.h>

#include "base/error.h"
#include "render/subject_view.h"
#include "world/recipe.h"
#include <stdlib.h>

typedef struct WorldPicture {
    mn_Scene* scene; // the world's, with all solids of now
    mn_ViewDef view;
    Subject subject;
    SubjectView look;
    Renderer* renderer;
} WorldPicture;

static mn_Result look_and_draw(WorldPicture* p, const mn_World* world, Picture* picture, mn_Error* error)
{
    mn_Result result = subject_open_world(&p->subject, p->scene, (mn_World*)(uintptr_t)world, error);
    if (result == MN_OK && p->view.boundary)
        result = subject_show_boundary(&p->subject, error);
    if (result == MN_OK)
        result = subject_look_again(&p->subject, 0, error);
    if (result == MN_OK)
        result = subject_view_prepare(&p->look, &p->subject, &p->view, 0, 0, error);
    if (result != MN_OK)
        return result;
    bool flat = p->scene->world.dimension == 2;
    SubjectDraw draw = {
        .style = flat || p->view.style == MN_STYLE_AUTO ? MN_STYLE_PARTICLES : p->view.style, .samples = 2, .foam_exposure = 1};
    subject_drop_front(&p->subject, p->look.camera.eye);
    return subject_draw(p->renderer, &p->look, &p->subject, &p->view, &draw, picture, error);
}

static void close_picture(WorldPicture* p)
{
    renderer_destroy(p->renderer);
    subject_view_free(&p->look);
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
        result = look_and_draw(p, world, picture, error);
    }
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
