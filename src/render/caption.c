// SPDX-License-Identifier: MIT
#include "render/caption.h"
#include "render/text.h"

#include <stdio.h>
#include <string.h>

double nice_step(double span, int most)
{
    if (!(span > 0) || !isfinite(span))
        return 1;
    double raw = span / most, power = pow(10, floor(log10(raw))), lead = raw / power;
    return power * (lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10);
}

double nice_end(double value)
{
    if (!(value > 0) || !isfinite(value))
        return 1;
    static const double leads[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    double power = pow(10, floor(log10(value)));
    for (size_t k = 0; k < sizeof leads / sizeof *leads; k++)
        if (value <= leads[k] * power * 1.0001)
            return leads[k] * power;
    return 10 * power;
}

typedef struct Ink {
    Vec3 colour, halo;
} Ink;

static Ink ink_on(Vec3 background)
{
    Vec3 dark = {0.13f, 0.17f, 0.22f}, light = {0.95f, 0.96f, 0.97f};
    return (Ink){colour_lightness(background) > 0.6f ? dark : light, background};
}

static void write_text(Picture* picture, const char* text, double x, double y, double size, TextAlign align, Ink ink, float alpha)
{
    text_draw_halo(picture, text, x, y, size, align, ink.halo, 0.55f);
    text_draw(picture, text, x, y, size, align, ink.colour, alpha);
}

// Enough digits that neighbouring ticks differ, and no more.
static void tick_text(char* out, size_t size, double value, double step)
{
    double most = fmax(fabs(value), step);
    if (fabs(value) < 1e-9 * step)
        snprintf(out, size, "0");
    else if (most >= 1e6 || step < 1e-4)
        snprintf(out, size, "%.3g", value);
    else
        snprintf(out, size, "%.*f", step >= 0.9999 ? 0 : (int)ceil(-log10(step) - 1e-6), value);
}

static void draw_bar(const Caption* c, Picture* picture, double s, Ink ink)
{
    double width = 14 * s, height = fmin(0.46 * picture->height, 300 * s);
    double x = picture->width - 84 * s, y = (picture->height - height) / 2 + 10 * s;
    picture_blend_rect(picture, x - 1.2 * s, y - 1.2 * s, x + width + 1.2 * s, y + height + 1.2 * s, ink.colour, 0.75f);
    for (int row = 0; row < (int)height; row++) {
        int k = (int)((1 - (row + 0.5) / height) * (COLOUR_MAP_SIZE - 1) + 0.5);
        picture_blend_rect(picture, x, y + row, x + width, fmin(y + row + 1, y + height), c->map->srgb[k], 1);
    }
    double step = nice_step(c->range[1] - c->range[0], 6);
    for (double k = ceil(c->range[0] / step - 1e-6); k * step <= c->range[1] + 1e-6 * step; k++) {
        double at = y + height * (1 - (k * step - c->range[0]) / (c->range[1] - c->range[0]));
        char text[32];
        tick_text(text, sizeof text, k * step, step);
        picture_stroke(picture, x + width + 1.5 * s, at, x + width + 5.5 * s, at, 1.2 * s, ink.colour, 0.9f);
        write_text(picture, text, x + width + 10 * s, at + 4.2 * s, 8.6 * s, TEXT_LEFT, ink, 0.95f);
    }
    char label[128];
    snprintf(label, sizeof label, "%s [%s]", c->quantity, c->unit);
    double centre = x + width / 2 + 14 * s;
    double half = text_width(label, 9.6 * s) / 2, edge = picture->width - 14 * s;
    write_text(picture, label, fmin(centre, edge - half), y - 14 * s, 9.6 * s, TEXT_CENTRE, ink, 0.95f);
}

static void draw_legend(const Caption* c, Picture* picture, double s, Ink ink)
{
    double widest = 0, line = 24 * s;
    for (int k = 0; k < c->legend_count; k++)
        widest = fmax(widest, text_width(c->legend[k], 10 * s));
    double x = picture->width - widest - 48 * s, y = picture->height / 2.0 - c->legend_count * line / 2;
    for (int k = 0; k < c->legend_count; k++, y += line) {
        picture_stroke(picture, x + 6 * s, y, x + 6 * s, y, 14 * s, ink.colour, 0.5f);
        picture_stroke(picture, x + 6 * s, y, x + 6 * s, y, 12.5 * s, colour_of_fluid(k), 1);
        write_text(picture, c->legend[k], x + 20 * s, y + 5 * s, 10 * s, TEXT_LEFT, ink, 0.95f);
    }
}

// [pixels] per unit of the sizes below
static double scale_of(int width, int height)
{
    return fmax(fmin(height / 720.0, width / 960.0), 0.4);
}

// [pixels] height of the letters of a title: long ones are written smaller, so that they end within the picture.
static double title_size(const char* title, int width, int height)
{
    double s = scale_of(width, height), wide = text_width(title ? title : "", 15 * s), room = fmax(width - 56 * s, 1);
    return wide > room ? 15 * s * room / wide : 15 * s;
}

Margins caption_margins(bool bar, bool time, int width, int height)
{
    const double most = 0.25;
    double s = scale_of(width, height), right = 120 * s / width, top = 86.4 * s / height, bottom = 61.2 * s / height;
    Margins m = {0.045, bar ? 0.125 : 0.045, 0.12, time ? 0.085 : 0.045};
    m.right = bar && right < most ? fmax(m.right, right) : m.right;
    m.top = top < most ? fmax(m.top, top) : m.top;
    m.bottom = time && bottom < most ? fmax(m.bottom, bottom) : m.bottom;
    return m;
}

CaptionRect caption_title_rect(const char* title, TitleCorner corner, int width, int height)
{
    double s = scale_of(width, height), wide = fmax(text_width(title ? title : "", title_size(title, width, height)), 110 * s);
    double x = corner == TITLE_TOP_LEFT ? 28 * s : width - 28 * s - wide,
           y = corner == TITLE_BOTTOM_RIGHT ? height - 78 * s : 24 * s;
    return (CaptionRect){x, y, x + wide, y + 48 * s};
}

static void draw_title(const Caption* c, Picture* picture, double s, Ink ink)
{
    CaptionRect r = caption_title_rect(c->title, c->corner, picture->width, picture->height);
    bool left = c->corner == TITLE_TOP_LEFT;
    TextAlign align = left ? TEXT_LEFT : TEXT_RIGHT;
    if (c->title && *c->title)
        write_text(picture, c->title, left ? r.x0 : r.x1, r.y0 + 20 * s, title_size(c->title, picture->width, picture->height),
                   align, ink, 0.95f);
    if (c->note && *c->note)
        write_text(picture, c->note, left ? r.x0 : r.x1, r.y0 + 44 * s, 9.6 * s, align, ink, 0.65f);
}

void caption_draw(const Caption* c, Picture* picture)
{
    double s = scale_of(picture->width, picture->height);
    Ink ink = ink_on(c->background);
    draw_title(c, picture, s, ink);
    if (c->show_time) {
        char text[64];
        snprintf(text, sizeof text, "t = %.*f s", fabs(c->time) < 100 ? 3 : 1, c->time);
        write_text(picture, text, 28 * s, picture->height - 30 * s, 13 * s, TEXT_LEFT, ink, 0.95f);
    }
    if (c->show_bar && c->map && c->range[1] > c->range[0])
        draw_bar(c, picture, s, ink);
    if (c->legend_count > 1)
        draw_legend(c, picture, s, ink);
}

void caption_line(const Caption* c, Picture* picture, const char* text, double x, double y, double size)
{
    write_text(picture, text, x * picture->width, y * picture->height, size * picture->height, TEXT_LEFT, ink_on(c->background),
               0.95f);
}
