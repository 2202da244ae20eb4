// SPDX-License-Identifier: MIT
// Our own rasteriser, into pictures in memory; the panel is drawn over them pixel by pixel.
#include "backend.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

typedef struct OwnBackEnd {
    BackEnd base;
    Renderer* renderer;
    Picture scene, picture; // without and with panel
    Picture coarse;         // with fewer pixels than are wanted
} OwnBackEnd;

static bool fit(Picture* picture, int width, int height)
{
    if (picture->width == width && picture->height == height)
        return true;
    picture_free(picture);
    return picture_create(picture, width, height);
}

static bool own_resize(BackEnd* back, int width, int height, int scene_width)
{
    OwnBackEnd* b = (OwnBackEnd*)back;
    return fit(&b->picture, width, height) && fit(&b->scene, scene_width, height);
}

// Each pixel lies between four of the coarse picture. Shares are in 1/256 and the same for all rows, so that they are found once.
static void enlarge(const Picture* from, Picture* to)
{
    enum { MOST = PICTURE_MAX_SIZE };
    static _Thread_local struct {
        int at, next, share;
    } column[MOST];
    for (int x = 0; x < to->width && x < MOST; x++) {
        double u = fmin(fmax((x + 0.5) * from->width / to->width - 0.5, 0), from->width - 1);
        column[x].at = 3 * (int)u;
        column[x].next = (int)u + 1 < from->width ? 3 : 0;
        column[x].share = (int)((u - (int)u) * 256);
    }
    for (int y = 0; y < to->height; y++) {
        double v = fmin(fmax((y + 0.5) * from->height / to->height - 0.5, 0), from->height - 1);
        int y0 = (int)v, y1 = y0 + 1 < from->height ? y0 + 1 : y0, wy = (int)((v - y0) * 256);
        const uint8_t *a = from->rgb + 3 * (size_t)y0 * (size_t)from->width, *b = from->rgb + 3 * (size_t)y1 * (size_t)from->width;
        uint8_t* out = to->rgb + 3 * (size_t)y * (size_t)to->width;
        for (int x = 0; x < to->width; x++, out += 3) {
            const uint8_t *p = a + column[x].at, *q = b + column[x].at;
            int next = column[x].next, wx = column[x].share;
            for (int c = 0; c < 3; c++) {
                int upper = p[c] * (256 - wx) + p[next + c] * wx, lower = q[c] * (256 - wx) + q[next + c] * wx;
                out[c] = (uint8_t)((upper * (256 - wy) + lower * wy) >> 16);
            }
        }
    }
}

static mn_Result own_scene(BackEnd* back, const RenderInput* input, mn_Error* error)
{
    OwnBackEnd* b = (OwnBackEnd*)back;
    int width = input->camera.width, height = input->camera.height;
    if (width == b->scene.width && height == b->scene.height)
        return render_frame(b->renderer, input, &b->scene, error);
    if (!fit(&b->coarse, width, height))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a picture");
    mn_Result result = render_frame(b->renderer, input, &b->coarse, error);
    if (result == MN_OK)
        enlarge(&b->coarse, &b->scene);
    return result;
}

static void own_begin(BackEnd* back, bool has_scene)
{
    OwnBackEnd* b = (OwnBackEnd*)back;
    for (int y = 0; y < b->scene.height && has_scene; y++) // the panel covers the rest
        memcpy(b->picture.rgb + 3 * (size_t)y * (size_t)b->picture.width, b->scene.rgb + 3 * (size_t)y * (size_t)b->scene.width,
               3 * (size_t)b->scene.width);
    for (size_t k = 0; k < (size_t)b->picture.width * (size_t)b->picture.height && !has_scene; k++)
        memcpy(b->picture.rgb + 3 * k, blank_ground, 3);
}

static void own_show(BackEnd* back, Window* window)
{
    window_show(window, &((OwnBackEnd*)back)->picture);
}

static const Picture* own_picture(BackEnd* back)
{
    return &((OwnBackEnd*)back)->picture;
}

static void own_destroy(BackEnd* back)
{
    OwnBackEnd* b = (OwnBackEnd*)back;
    renderer_destroy(b->renderer);
    picture_free(&b->scene);
    picture_free(&b->picture);
    picture_free(&b->coarse);
    free(b);
}

// --- the panel, pixel by pixel

static inline void mix(uint8_t* p, Ink ink, int alpha)
{
    p[0] = (uint8_t)(p[0] + (ink.r - p[0]) * alpha / 255);
    p[1] = (uint8_t)(p[1] + (ink.g - p[1]) * alpha / 255);
    p[2] = (uint8_t)(p[2] + (ink.b - p[2]) * alpha / 255);
}

static uint8_t* pixel(const Ui* ui, int x, int y)
{
    Picture* to = &((OwnBackEnd*)ui->onto)->picture;
    return to->rgb + 3 * ((size_t)y * (size_t)to->width + (size_t)x);
}

static void paint_rect(Ui* ui, int x0, int y0, int x1, int y1, Ink ink)
{
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            mix(pixel(ui, x, y), ink, ink.a);
}

static void paint_picture(Ui* ui, int x0, int y0, const Picture* p)
{
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            const uint8_t* c = p->rgb + 3 * ((size_t)y * (size_t)p->width + (size_t)x);
            int px = x0 + x, py = y0 + y;
            if (px >= ui->clip_x0 && px < ui->clip_x1 && py >= ui->clip_y0 && py < ui->clip_y1)
                memcpy(pixel(ui, px, py), c, 3);
        }
}

static void dot(Ui* ui, int x, int y, Ink ink, double share)
{
    if (x >= ui->clip_x0 && x < ui->clip_x1 && y >= ui->clip_y0 && y < ui->clip_y1)
        mix(pixel(ui, x, y), ink, (int)(ink.a * share));
}

// The part of the line within the clip, along its longer direction; each step covers two pixels side by side.
static void paint_line(Ui* ui, double x0, double y0, double x1, double y1, Ink ink)
{
    bool steep = fabs(y1 - y0) > fabs(x1 - x0);
    double a0 = steep ? y0 : x0, b0 = steep ? x0 : y0, a1 = steep ? y1 : x1, b1 = steep ? x1 : y1;
    if (a0 > a1) {
        double t = a0;
        a0 = a1, a1 = t;
        t = b0;
        b0 = b1, b1 = t;
    }
    double slope = a1 > a0 ? (b1 - b0) / (a1 - a0) : 0;
    double low = steep ? ui->clip_y0 : ui->clip_x0, high = steep ? ui->clip_y1 : ui->clip_x1;
    int first = (int)floor(fmax(a0, low)), last = (int)ceil(fmin(a1, high));
    for (int a = first; a < last; a++) {
        double b = b0 + slope * (fmin(fmax(a + 0.5, a0), a1) - a0) - 0.5;
        if (!(b > -2 && b < 40000))
            continue;
        int whole = (int)floor(b);
        double share = b - whole;
        dot(ui, steep ? whole : a, steep ? a : whole, ink, 1 - share);
        dot(ui, steep ? whole + 1 : a, steep ? a : whole + 1, ink, share);
    }
}

static void paint_disc(Ui* ui, double x, double y, double radius, Ink ink)
{
    for (int py = (int)(y - radius - 1); py <= (int)(y + radius + 1); py++)
        for (int px = (int)(x - radius - 1); px <= (int)(x + radius + 1); px++) {
            double away = sqrt((px + 0.5 - x) * (px + 0.5 - x) + (py + 0.5 - y) * (py + 0.5 - y));
            if (away < radius + 0.5)
                dot(ui, px, py, ink, fmin(radius + 0.5 - away, 1));
        }
}

static void paint_glyph(Ui* ui, int left, int top, int glyph, Ink ink)
{
    const Font* f = ui->font;
    const uint8_t* mask = f->mask + (size_t)glyph * (size_t)(f->mask_width * f->mask_height);
    for (int row = 0; row < f->mask_height; row++)
        for (int column = 0; column < f->mask_width; column++, mask++) {
            int px = left + column, py = top + row;
            if (*mask && px >= ui->clip_x0 && px < ui->clip_x1 && py >= ui->clip_y0 && py < ui->clip_y1)
                mix(pixel(ui, px, py), ink, ink.a * *mask / 255);
        }
}

static const Painter own_painter = {paint_rect, paint_line, paint_disc, paint_glyph, paint_picture};

BackEnd* backend_own(int threads)
{
    OwnBackEnd* b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->base = (BackEnd){"own", &own_painter, false, own_resize, own_scene, own_begin, own_show, own_picture, own_destroy};
    b->renderer = renderer_create(threads);
    if (b->renderer)
        return &b->base;
    free(b);
    return NULL;
}
