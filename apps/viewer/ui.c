// SPDX-License-Identifier: MIT
#include "ui.h"

#include "render/text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const Ink ink_text = {226, 232, 240, 255}, ink_dim = {148, 163, 184, 255}, ink_accent = {56, 189, 248, 255},
          ink_panel = {20, 27, 38, 232}, ink_field = {44, 56, 74, 255}, ink_hot = {63, 80, 105, 255}, ink_on = {14, 116, 178, 255},
          ink_warn = {251, 146, 60, 255};

// --- font

bool font_make(Font* font, int height)
{
    *font = (Font){.height = height, .mask_width = 2 * height + 4, .mask_height = 2 * height + 4, .baseline = height + 3};
    size_t one = (size_t)(font->mask_width * font->mask_height);
    Picture picture;
    font->mask = malloc(one * GLYPHS * GLYPH_SHIFTS);
    if (!font->mask || !picture_create(&picture, font->mask_width, font->mask_height)) {
        free(font->mask);
        font->mask = NULL;
        return false;
    }
    for (int g = 0; g < GLYPHS; g++) {
        char text[2] = {(char)(GLYPH_FIRST + g), 0};
        font->advance[g] = (float)(text_width("||", height) - 2 * text_width("|", height)) + (float)text_width(text, height);
        for (int s = 0; s < GLYPH_SHIFTS; s++) {
            picture_fill(&picture, (Vec3){0, 0, 0});
            text_draw(&picture, text, 1 + s / (double)GLYPH_SHIFTS, font->baseline, height, TEXT_LEFT, (Vec3){1, 1, 1}, 1);
            for (size_t p = 0; p < one; p++)
                font->mask[(size_t)(g * GLYPH_SHIFTS + s) * one + p] = picture.rgb[3 * p];
        }
    }
    picture_free(&picture);
    return true;
}

void font_free(Font* font)
{
    free(font->mask);
    *font = (Font){0};
}

static int glyph_of(unsigned char c)
{
    return c >= GLYPH_FIRST && c < GLYPH_FIRST + GLYPHS - 1 ? c - GLYPH_FIRST : '?' - GLYPH_FIRST;
}

double font_width(const Font* font, const char* text)
{
    double width = 0;
    for (; *text; text++)
        width += (double)font->advance[glyph_of((unsigned char)*text)];
    return width;
}

// --- drawing

static int least_int(int a, int b)
{
    return a < b ? a : b;
}

static int most_int(int a, int b)
{
    return a > b ? a : b;
}

void ui_clip(Ui* ui, int x0, int y0, int x1, int y1)
{
    ui->clip_x0 = most_int(x0, 0);
    ui->clip_y0 = most_int(y0, 0);
    ui->clip_x1 = least_int(x1, ui->to_width);
    ui->clip_y1 = least_int(y1, ui->to_height);
}

void ui_rect(Ui* ui, int x0, int y0, int x1, int y1, Ink ink)
{
    x0 = most_int(x0, ui->clip_x0);
    y0 = most_int(y0, ui->clip_y0);
    x1 = least_int(x1, ui->clip_x1);
    y1 = least_int(y1, ui->clip_y1);
    if (x0 < x1 && y0 < y1)
        ui->painter->rect(ui, x0, y0, x1, y1, ink);
}

void ui_picture(Ui* ui, int x, int y, const Picture* p)
{
    ui->painter->picture(ui, x, y, p);
}

void ui_frame(Ui* ui, int x0, int y0, int x1, int y1, Ink ink)
{
    ui_rect(ui, x0, y0, x1, y0 + 1, ink);
    ui_rect(ui, x0, y1 - 1, x1, y1, ink);
    ui_rect(ui, x0, y0 + 1, x0 + 1, y1 - 1, ink);
    ui_rect(ui, x1 - 1, y0 + 1, x1, y1 - 1, ink);
}

void ui_line(Ui* ui, double x0, double y0, double x1, double y1, Ink ink)
{
    if (isfinite(x0 + x1 + y0 + y1))
        ui->painter->line(ui, x0, y0, x1, y1, ink);
}

void ui_disc(Ui* ui, double x, double y, double radius, Ink ink)
{
    if (fabs(x) < 40000 && fabs(y) < 40000)
        ui->painter->disc(ui, x, y, radius, ink);
}

void ui_text(Ui* ui, double x, double y, const char* text, Ink ink)
{
    const Font* f = ui->font;
    int top = (int)floor(y + 0.5) - f->baseline;
    for (; *text; text++) {
        int glyph = glyph_of((unsigned char)*text), left = (int)floor(x), shift = (int)((x - left) * GLYPH_SHIFTS);
        if (glyph)
            ui->painter->glyph(ui, left - 1, top, glyph * GLYPH_SHIFTS + shift, ink);
        x += (double)f->advance[glyph];
    }
}

void ui_text_right(Ui* ui, double x, double y, const char* text, Ink ink)
{
    ui_text(ui, x - font_width(ui->font, text), y, text, ink);
}

// --- the mouse

bool ui_over(const Ui* ui, int x0, int y0, int x1, int y1)
{
    double x = ui->in.x, y = ui->in.y;
    return x >= most_int(x0, ui->clip_x0) && x < least_int(x1, ui->clip_x1) && y >= most_int(y0, ui->clip_y0) &&
           y < least_int(y1, ui->clip_y1);
}

bool ui_hit(Ui* ui, int x0, int y0, int x1, int y1, bool* hot, bool* held)
{
    uint32_t me = ++ui->next;
    bool over = ui_over(ui, x0, y0, x1, y1);
    if (over && ui->in.pressed)
        ui->active = me;
    bool mine = ui->active == me, hit = mine && ui->in.released && over;
    *hot = over && (!ui->active || mine);
    *held = mine;
    ui->any_hot |= over;
    return hit;
}

// --- rows

void ui_begin(Ui* ui, const Painter* painter, void* onto, int width, int height, const Font* font, const UiInput* in)
{
    ui->painter = painter;
    ui->onto = onto;
    ui->to_width = width;
    ui->to_height = height;
    ui->font = font;
    ui->in = *in;
    ui->next = 0;
    ui->any_hot = false;
    ui->row = 2 * font->height + 4;
    ui_clip(ui, 0, 0, width, height);
}

void ui_end(Ui* ui)
{
    if (ui->in.released || !ui->in.down)
        ui->active = 0;
}

void ui_column(Ui* ui, int x, int y, int width)
{
    ui->x = x;
    ui->y = y;
    ui->width = width;
}

// Where the text of a row at `y` stands.
static double baseline(const Ui* ui)
{
    return ui->y + (ui->row + ui->font->height) / 2.0 - 1;
}

bool ui_section(Ui* ui, const char* title, bool* open)
{
    bool hot, held;
    ui->y += ui->row / 4;
    if (ui_hit(ui, ui->x, ui->y, ui->x + ui->width, ui->y + ui->row, &hot, &held))
        *open = !*open;
    double h = ui->font->height, x = ui->x + h * 0.5, y = ui->y + ui->row / 2.0;
    Ink ink = hot ? ink_text : ink_accent;
    if (*open) {
        ui_line(ui, x - 0.4 * h, y - 0.2 * h, x, y + 0.3 * h, ink);
        ui_line(ui, x, y + 0.3 * h, x + 0.4 * h, y - 0.2 * h, ink);
    } else {
        ui_line(ui, x - 0.2 * h, y - 0.4 * h, x + 0.3 * h, y, ink);
        ui_line(ui, x + 0.3 * h, y, x - 0.2 * h, y + 0.4 * h, ink);
    }
    ui_text(ui, ui->x + 1.6 * h, baseline(ui), title, ink);
    ui->y += ui->row;
    return *open;
}

void ui_label(Ui* ui, const char* text, const char* value)
{
    ui_text(ui, ui->x + 3, baseline(ui), text, ink_dim);
    if (value)
        ui_text_right(ui, ui->x + ui->width - 3, baseline(ui), value, ink_text);
    ui->y += ui->row - 5;
}

static Ink field_ink(bool on, bool hot, bool held)
{
    if (on)
        return hot ? (Ink){2, 132, 199, 255} : ink_on;
    return hot || held ? ink_hot : ink_field;
}

bool ui_button(Ui* ui, const char* text, const char* key, bool on)
{
    bool hot, held, hit = ui_hit(ui, ui->x, ui->y, ui->x + ui->width, ui->y + ui->row - 2, &hot, &held);
    ui_rect(ui, ui->x, ui->y, ui->x + ui->width, ui->y + ui->row - 2, field_ink(on, hot, held));
    ui_text(ui, ui->x + 7, baseline(ui) - 1, text, ink_text);
    if (key)
        ui_text_right(ui, ui->x + ui->width - 7, baseline(ui) - 1, key, ink_dim);
    ui->y += ui->row;
    return hit;
}

int ui_buttons(Ui* ui, const char* const* text, int count, int on)
{
    int pressed = -1;
    for (int k = 0; k < count; k++) {
        int x0 = ui->x + ui->width * k / count, x1 = ui->x + ui->width * (k + 1) / count - (k + 1 < count ? 2 : 0);
        bool hot, held;
        if (ui_hit(ui, x0, ui->y, x1, ui->y + ui->row - 2, &hot, &held))
            pressed = k;
        ui_rect(ui, x0, ui->y, x1, ui->y + ui->row - 2, field_ink(k == on, hot, held));
        double wide = font_width(ui->font, text[k]);
        ui_text(ui, (x0 + x1 - wide) / 2, baseline(ui) - 1, text[k], ink_text);
    }
    ui->y += ui->row;
    return pressed;
}

bool ui_check(Ui* ui, const char* text, const char* key, bool* value)
{
    bool hot, held, hit = ui_hit(ui, ui->x, ui->y, ui->x + ui->width, ui->y + ui->row - 2, &hot, &held);
    int side = ui->font->height + 3, y = ui->y + (ui->row - 2 - side) / 2;
    if (hit)
        *value = !*value;
    ui_rect(ui, ui->x + 3, y, ui->x + 3 + side, y + side, field_ink(*value, hot, held));
    if (*value) {
        double x = ui->x + 3;
        ui_line(ui, x + 0.2 * side, y + 0.5 * side, x + 0.42 * side, y + 0.75 * side, ink_text);
        ui_line(ui, x + 0.42 * side, y + 0.75 * side, x + 0.8 * side, y + 0.25 * side, ink_text);
    }
    ui_text(ui, ui->x + side + 10, baseline(ui) - 1, text, hot ? ink_text : (Ink){203, 213, 225, 255});
    if (key)
        ui_text_right(ui, ui->x + ui->width - 7, baseline(ui) - 1, key, ink_dim);
    ui->y += ui->row;
    return hit;
}

bool ui_choice(Ui* ui, const char* text, const char* const* name, int count, int* value)
{
    bool hot, held;
    int middle = ui->x + ui->width * 2 / 5, old = *value;
    bool hit = ui_hit(ui, middle, ui->y, ui->x + ui->width, ui->y + ui->row - 2, &hot, &held);
    bool left = ui->in.x < (middle + ui->x + ui->width) / 2.0;
    if (hit)
        *value = (*value + (left ? count - 1 : 1)) % count;
    ui_text(ui, ui->x + 3, baseline(ui) - 1, text, ink_dim);
    ui_rect(ui, middle, ui->y, ui->x + ui->width, ui->y + ui->row - 2, field_ink(false, hot, held));
    const char* shown = *value >= 0 && *value < count ? name[*value] : "?";
    ui_text(ui, middle + 5, baseline(ui) - 1, "<", ink_dim);
    ui_text_right(ui, ui->x + ui->width - 5, baseline(ui) - 1, ">", ink_dim);
    double wide = font_width(ui->font, shown);
    ui_text(ui, (middle + ui->x + ui->width - wide) / 2, baseline(ui) - 1, shown, ink_text);
    ui->y += ui->row;
    return *value != old;
}

bool ui_slider(Ui* ui, const char* text, const char* format, double* value, double low, double high, bool logarithmic)
{
    bool hot, held;
    int middle = ui->x + ui->width * 2 / 5, end = ui->x + ui->width;
    ui_hit(ui, middle, ui->y, end, ui->y + ui->row - 2, &hot, &held);
    double old = *value, share = (ui->in.x - middle) / (end - middle);
    share = fmin(fmax(share, 0), 1);
    if (held) {
        *value = logarithmic ? low * pow(high / low, share) : low + share * (high - low);
        double round = pow(10, floor(log10(fmax(fabs(*value), 1e-12))) - 1); // two digits are what a hand can mean
        *value = logarithmic ? round * floor(*value / round + 0.5) : *value;
    }
    double shown = logarithmic ? log(fmax(*value, low) / low) / log(high / low) : (*value - low) / (high - low);
    shown = fmin(fmax(shown, 0), 1);
    ui_text(ui, ui->x + 3, baseline(ui) - 1, text, ink_dim);
    ui_rect(ui, middle, ui->y, end, ui->y + ui->row - 2, field_ink(false, hot, held));
    ui_rect(ui, middle, ui->y, middle + (int)(shown * (end - middle)), ui->y + ui->row - 2, (Ink){14, 116, 178, 190});
    char number[48];
    // NOLINTNEXTLINE: formats are literals of the panel
    snprintf(number, sizeof number, format, *value);
    ui_text_right(ui, end - 6, baseline(ui) - 1, number, ink_text);
    ui->y += ui->row;
    return held && *value != old;
}

void ui_plot(Ui* ui, const char* text, const char* format, const float* value, size_t count, int rows, Ink ink)
{
    int height = rows * ui->row, x0 = ui->x, x1 = ui->x + ui->width, y0 = ui->y, y1 = ui->y + height - 3;
    float low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        low = fminf(low, value[k]);
        high = fmaxf(high, value[k]);
    }
    ui_rect(ui, x0, y0, x1, y1, (Ink){10, 15, 24, 200});
    double span = high > low ? (double)(high - low) : 1, top = y0 + ui->font->height + 7, bottom = y1 - 3;
    for (size_t k = 1; k < count; k++) {
        double a = bottom - (bottom - top) * ((double)(value[k - 1] - low) / span);
        double b = bottom - (bottom - top) * ((double)(value[k] - low) / span);
        double step = (double)(x1 - x0 - 2) / (double)(count - 1);
        ui_line(ui, x0 + 1 + (double)(k - 1) * step, a, x0 + 1 + (double)k * step, b, ink);
    }
    char number[48];
    // NOLINTNEXTLINE: formats are literals of the panel
    snprintf(number, sizeof number, format, count ? (double)value[count - 1] : 0.0);
    double base = y0 + ui->font->height + 3;
    ui_text(ui, x0 + 4, base, text, ink_dim);
    ui_text_right(ui, x1 - 4, base, number, ink_text);
    ui->y += height;
}
