// SPDX-License-Identifier: MIT
// OpenGL ES 3.0: scene and panel are drawn into a texture of the window's size, from which screenshots and films are read; showing
// it is one copy. Scenes in a plane and foam are drawn by our own rasteriser and laid below the panel.
#include "backend.h"

#include "base/error.h"
#include "gles_panel.h"
#include "gles_scene.h"
#include <stdlib.h>

typedef struct GlesBackEnd {
    BackEnd base;
    Gl gl;
    GlScene scene;
    GlPanel panel;
    Target frame; // what is shown
    int width, height, scene_width;
    int threads;
    Renderer* renderer; // for what OpenGL ES does not draw; NULL: not needed yet
    Picture drawn;      // by it
    bool by_renderer;   // the last scene
    Picture read;       // frame, when it is asked for
    uint8_t* bytes;
    size_t bytes_capacity;
} GlesBackEnd;

static GlesBackEnd* gles_of(BackEnd* back)
{
    return (GlesBackEnd*)back;
}

static bool fit(Picture* picture, int width, int height)
{
    if (picture->width == width && picture->height == height)
        return true;
    picture_free(picture);
    return picture_create(picture, width, height);
}

static bool gles_resize(BackEnd* back, int width, int height, int scene_width)
{
    GlesBackEnd* b = gles_of(back);
    const GLenum bytes[] = {GL_RGBA8};
    b->width = width;
    b->height = height;
    b->scene_width = scene_width;
    return target_fit(&b->gl, &b->frame, width, height, bytes, 1, false);
}

static mn_Result draw_by_renderer(GlesBackEnd* b, const RenderInput* input, mn_Error* error)
{
    if (!b->renderer)
        b->renderer = renderer_create(b->threads);
    if (!b->renderer || !fit(&b->drawn, input->camera.width, input->camera.height))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a picture");
    RenderInput draft = *input; // a GPU draws all in full; the processor does not, unless that is asked for
    draft.draft = input->samples == 1;
    return render_frame(b->renderer, &draft, &b->drawn, error);
}

static mn_Result gles_scene(BackEnd* back, const RenderInput* input, mn_Error* error)
{
    GlesBackEnd* b = gles_of(back);
    b->by_renderer = !gl_scene_can(input);
    return b->by_renderer ? draw_by_renderer(b, input, error) : gl_scene_draw(&b->scene, input, error);
}

static void gles_begin(BackEnd* back, bool has_scene)
{
    GlesBackEnd* b = gles_of(back);
    const Gl* gl = &b->gl;
    const float blank[4] = {(float)blank_ground[0] / 255, (float)blank_ground[1] / 255, (float)blank_ground[2] / 255, 1};
    target_use(gl, &b->frame);
    if (!has_scene)
        gl->ClearBufferfv(GL_COLOR, 0, blank);
    gl_panel_begin(&b->panel, b->width, b->height);
    if (has_scene && b->by_renderer) {
        gl_panel_picture(&b->panel, &b->drawn, 0, 0, b->scene_width, b->height);
    } else if (has_scene) {
        const Target* from = &b->scene.picture;
        bool same = from->width == b->scene_width && from->height == b->height;
        gl->BindFramebuffer(GL_READ_FRAMEBUFFER, from->frame);
        gl->BlitFramebuffer(0, 0, from->width, from->height, 0, 0, b->scene_width, b->height, GL_COLOR_BUFFER_BIT,
                            same ? GL_NEAREST : GL_LINEAR);
        target_use(gl, &b->frame);
    }
}

static void gles_show(BackEnd* back, Window* window)
{
    GlesBackEnd* b = gles_of(back);
    const Gl* gl = &b->gl;
    gl_panel_end(&b->panel);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, b->frame.frame);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    gl->BlitFramebuffer(0, 0, b->width, b->height, 0, b->height, b->width, 0, GL_COLOR_BUFFER_BIT, GL_NEAREST); // turned
    window_swap(window);
}

static const Picture* gles_picture(BackEnd* back)
{
    GlesBackEnd* b = gles_of(back);
    size_t pixels = (size_t)b->width * (size_t)b->height;
    if (!fit(&b->read, b->width, b->height) || !memory_reserve(NULL, &b->bytes, &b->bytes_capacity, 0, 4 * pixels, 1))
        return NULL;
    b->gl.BindFramebuffer(GL_FRAMEBUFFER, b->frame.frame);
    b->gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
    b->gl.ReadPixels(0, 0, b->width, b->height, GL_RGBA, GL_UNSIGNED_BYTE, b->bytes);
    for (size_t k = 0; k < pixels; k++)
        for (size_t c = 0; c < 3; c++)
            b->read.rgb[3 * k + c] = b->bytes[4 * k + c];
    return &b->read;
}

static void gles_destroy(BackEnd* back)
{
    GlesBackEnd* b = gles_of(back);
    gl_scene_free(&b->scene);
    gl_panel_free(&b->panel);
    target_free(&b->gl, &b->frame);
    renderer_destroy(b->renderer);
    picture_free(&b->drawn);
    picture_free(&b->read);
    memory_give(NULL, b->bytes);
    free(b);
}

// --- the painter

static GlPanel* panel_of(Ui* ui)
{
    return &((GlesBackEnd*)ui->onto)->panel;
}

static void paint_rect(Ui* ui, int x0, int y0, int x1, int y1, Ink ink)
{
    gl_panel_rect(panel_of(ui), x0, y0, x1, y1, ink);
}

static void paint_line(Ui* ui, double x0, double y0, double x1, double y1, Ink ink)
{
    gl_panel_line(panel_of(ui), ui, x0, y0, x1, y1, ink);
}

static void paint_disc(Ui* ui, double x, double y, double radius, Ink ink)
{
    gl_panel_disc(panel_of(ui), ui, x, y, radius, ink);
}

static void paint_glyph(Ui* ui, int left, int top, int mask, Ink ink)
{
    gl_panel_glyph(panel_of(ui), ui, left, top, mask, ink);
}

static void paint_picture(Ui* ui, int x, int y, const Picture* picture)
{
    gl_panel_thumb(panel_of(ui), ui, x, y, picture);
}

static const Painter gles_painter = {paint_rect, paint_line, paint_disc, paint_glyph, paint_picture};

BackEnd* backend_gles(int threads, bool wants_hardware, mn_Error* error)
{
    GlesBackEnd* b = calloc(1, sizeof *b);
    if (!b) {
        error_set(error, MN_OUT_OF_MEMORY, "no memory");
        return NULL;
    }
    b->base = (BackEnd){"gles3", &gles_painter, true, gles_resize, gles_scene, gles_begin, gles_show, gles_picture, gles_destroy};
    b->threads = threads;
    bool ok = gl_load(&b->gl, window_function, error);
    const char* renderer = ok ? (const char*)b->gl.GetString(GL_RENDERER) : NULL;
    if (ok && wants_hardware && gl_is_software(renderer)) {
        error_set(error, MN_BAD_INPUT, "%s computes on the processor", renderer ? renderer : "the renderer");
        ok = false;
    }
    if (ok && gl_scene_create(&b->scene, &b->gl, error) && gl_panel_create(&b->panel, &b->gl, error))
        return &b->base;
    gles_destroy(&b->base);
    return NULL;
}
