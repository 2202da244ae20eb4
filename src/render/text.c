// SPDX-License-Identifier: MIT
// Glyphs are strokes on a grid: "width|stroke stroke ...". A stroke is a row of points, each an x and a y in base 36; y grows
// upwards, the baseline is at 6, small letters reach 17 (h), capitals 22 (m), descenders 1. A plain stroke is a polyline. A
// stroke that starts with ~ is a smooth curve with the points as its control polygon (quadratic B-spline that starts and ends at
// the first and last point), one that starts with @ the same, closed: the corners of a box make an O.
#include "render/text.h"

#include <string.h>

enum { FIRST = 32, LAST = 126, BASE = 6, CAPITAL = 16, GAP = 5, MAX_CONTROL = 16, CURVE_PARTS = 6, MAX_SEGMENTS = 256 };

static const double stroke_width = 0.125; // of the height of a capital

static const char* const glyphs[LAST - FIRST + 1] = {
    [' ' - FIRST] = "5|",
    ['!' - FIRST] = "0|0m0b 0607",
    ['"' - FIRST] = "4|0m0i 4m4i",
    ['#' - FIRST] = "c|4m26 am86 0hch 0bcb",
    ['$' - FIRST] = "a|~ajam0m0eaea60609 5o54",
    ['%' - FIRST] = "c|06cm @0h0m5m5h @767bcbc6",
    ['&' - FIRST] = "c|~c62h2m8m8h0d0696bc",
    ['\'' - FIRST] = "0|0m0i",
    ['(' - FIRST] = "4|~4o0k0843",
    [')' - FIRST] = "4|~0o4k4803",
    ['*' - FIRST] = "8|4m4e 0k8g 8k0g",
    ['+' - FIRST] = "a|0bab 5g56",
    [',' - FIRST] = "1|1703",
    ['-' - FIRST] = "7|0b7b",
    ['.' - FIRST] = "0|0607",
    ['/' - FIRST] = "8|048n",
    ['0' - FIRST] = "a|@060mama6",
    ['1' - FIRST] = "a|2i6m66",
    ['2' - FIRST] = "a|~0i0mamaf06 06a6",
    ['3' - FIRST] = "a|~0j0m9m9e4e ~4eaea60609",
    ['4' - FIRST] = "a|868m0bab",
    ['5' - FIRST] = "a|9m1m0d ~0d2gaga60609",
    ['6' - FIRST] = "a|@060fafa6 ~9k9m0m0b",
    ['7' - FIRST] = "a|0mam46",
    ['8' - FIRST] = "a|@1e1m9m9e @060eaea6",
    ['9' - FIRST] = "a|@0d0mamad ~aha61618",
    [':' - FIRST] = "0|0607 0f0g",
    [';' - FIRST] = "1|1703 1f1g",
    ['<' - FIRST] = "8|8g0b86",
    ['=' - FIRST] = "a|0eae 08a8",
    ['>' - FIRST] = "8|0g8b06",
    ['?' - FIRST] = "9|~0i0m9m9f4f4b 4647",
    ['@' - FIRST] = "e|@050lele5 @5a5h9h9a",
    ['A' - FIRST] = "c|066mc6 2bab",
    ['B' - FIRST] = "b|060m ~0m5mamae5e0e ~0e6ebeb66606",
    ['C' - FIRST] = "b|~bibm0m06b6ba",
    ['D' - FIRST] = "b|060m ~0m5mbmb65606",
    ['E' - FIRST] = "a|am0m06a6 0e8e",
    ['F' - FIRST] = "a|am0m06 0e8e",
    ['G' - FIRST] = "b|~bibm0m06b6bd bd6d",
    ['H' - FIRST] = "b|060m b6bm 0ebe",
    ['I' - FIRST] = "0|060m",
    ['J' - FIRST] = "8|~8m8c86060a",
    ['K' - FIRST] = "a|060m am0c 3fa6",
    ['L' - FIRST] = "9|0m0696",
    ['M' - FIRST] = "e|060m7aeme6",
    ['N' - FIRST] = "b|060mb6bm",
    ['O' - FIRST] = "c|@060mcmc6",
    ['P' - FIRST] = "b|060m ~0m6mbmbd6d0d",
    ['Q' - FIRST] = "c|@060mcmc6 7ac5",
    ['R' - FIRST] = "b|060m ~0m6mbmbd6d0d 5db6",
    ['S' - FIRST] = "a|~ajam0m0eaea60609",
    ['T' - FIRST] = "c|0mcm 6m66",
    ['U' - FIRST] = "b|~0m0c06b6bcbm",
    ['V' - FIRST] = "c|0m66cm",
    ['W' - FIRST] = "g|0m468kc6gm",
    ['X' - FIRST] = "b|06bm 0mb6",
    ['Y' - FIRST] = "c|0m6ecm 6e66",
    ['Z' - FIRST] = "b|0mbm06b6",
    ['[' - FIRST] = "4|4n0n0343",
    ['\\' - FIRST] = "8|0n84",
    [']' - FIRST] = "4|0n4n4303",
    ['^' - FIRST] = "8|0h4m8h",
    ['_' - FIRST] = "9|0393",
    ['`' - FIRST] = "3|0m3i",
    ['a' - FIRST] = "9|9h96 @060h9h96",
    ['b' - FIRST] = "9|0m06 @060h9h96",
    ['c' - FIRST] = "9|~9e9h0h069699",
    ['d' - FIRST] = "9|9m96 @060h9h96",
    ['e' - FIRST] = "9|0c9c ~9c9h0h069698",
    ['f' - FIRST] = "6|~7m3m3i36 0h6h",
    ['g' - FIRST] = "9|@060h9h96 ~9h95910103",
    ['h' - FIRST] = "9|0m06 ~0c0h9h9c96",
    ['i' - FIRST] = "0|060h 0l0m",
    ['j' - FIRST] = "3|~3h353101 3l3m",
    ['k' - FIRST] = "8|0m06 8h0b 3d86",
    ['l' - FIRST] = "3|~0m090636",
    ['m' - FIRST] = "e|060h ~0c0h7h7c76 ~7c7hehece6",
    ['n' - FIRST] = "9|060h ~0c0h9h9c96",
    ['o' - FIRST] = "a|@060haha6",
    ['p' - FIRST] = "9|0h01 @060h9h96",
    ['q' - FIRST] = "9|9h91 @060h9h96",
    ['r' - FIRST] = "6|060h ~0c0h6h",
    ['s' - FIRST] = "8|~8f8h0h0c8c860608",
    ['t' - FIRST] = "7|~3l393676 0h7h",
    ['u' - FIRST] = "9|~0h0b06969b 9h96",
    ['v' - FIRST] = "a|0h56ah",
    ['w' - FIRST] = "c|0h366g96ch",
    ['x' - FIRST] = "9|069h 0h96",
    ['y' - FIRST] = "a|0h56 ah31",
    ['z' - FIRST] = "9|0h9h0696",
    ['{' - FIRST] = "5|~5o2o2d0d ~0d2d2353",
    ['|' - FIRST] = "0|0n03",
    ['}' - FIRST] = "5|~0o3o3d5d ~5d3d3303",
    ['~' - FIRST] = "9|~0b0e4e5b9b9e",
};
static const char unknown_glyph[] = "8|060m8m8606";

// Latin-1 from U+00A0 on, without accents.
static const char latin[] = " !cL*Y|S\"Ca<--R-o+23'uP.,1o>123?AAAAAAACEEEEIIIIDNOOOOOxOUUUUYPsaaaaaaaceeeeiiiidnooooo/ouuuuypy";

typedef struct Segment {
    double x0, y0, x1, y1;
} Segment;

// One letter to draw: its strokes, scaled and lifted (superscripts).
typedef struct Letter {
    const char* glyph;
    double scale, lift; // [1], [grid units]
} Letter;

// Reads one UTF-8 character; anything broken counts as one unknown byte.
static unsigned next_character(const char** text)
{
    const unsigned char* p = (const unsigned char*)*text;
    int more = p[0] < 0x80 ? 0 : p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : -1;
    unsigned code = more == 3 ? p[0] & 7 : more == 2 ? p[0] & 15 : more == 1 ? p[0] & 31 : p[0];
    for (int k = 1; k <= more; k++) {
        if ((p[k] & 0xc0) != 0x80) {
            more = -1;
            break;
        }
        code = code << 6 | (p[k] & 63);
    }
    *text += more < 0 ? 1 : more + 1;
    return more < 0 ? 0xfffd : code;
}

static Letter letter_of(unsigned code)
{
    Letter letter = {unknown_glyph, 1, 0};
    if (code == 0xb2 || code == 0xb3 || code == 0xb9) {
        letter.scale = 0.6;
        letter.lift = 10;
    }
    if (code == 0x2013 || code == 0x2014 || code == 0x2212)
        code = '-';
    else if (code >= 0xa0 && code <= 0xff)
        code = (unsigned char)latin[code - 0xa0];
    if (code >= FIRST && code <= LAST)
        letter.glyph = glyphs[code - FIRST];
    return letter;
}

static int digit36(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static double letter_advance(const Letter* letter)
{
    return letter->scale * (digit36(letter->glyph[0]) + GAP);
}

double text_width(const char* text, double size)
{
    double width = -GAP;
    while (*text) {
        Letter letter = letter_of(next_character(&text));
        width += letter_advance(&letter);
    }
    return width > 0 ? width * size / CAPITAL : 0;
}

// --- strokes to segments

typedef struct Pen {
    Segment segment[MAX_SEGMENTS];
    int count;
    double x, y;
} Pen;

static void pen_to(Pen* pen, double x, double y)
{
    if (pen->count < MAX_SEGMENTS)
        pen->segment[pen->count++] = (Segment){pen->x, pen->y, x, y};
    pen->x = x;
    pen->y = y;
}

static void pen_curve(Pen* pen, double cx, double cy, double x, double y)
{
    double x0 = pen->x, y0 = pen->y;
    for (int k = 1; k <= CURVE_PARTS; k++) {
        double t = (double)k / CURVE_PARTS, s = 1 - t;
        pen_to(pen, s * s * x0 + 2 * s * t * cx + t * t * x, s * s * y0 + 2 * s * t * cy + t * t * y);
    }
}

// Between control points the curve passes through the middles of the polygon's sides.
static void pen_spline(Pen* pen, double (*p)[2], int count, bool closed)
{
    int sides = closed ? count : count - 1;
    if (closed) {
        pen->x = (p[0][0] + p[count - 1][0]) / 2;
        pen->y = (p[0][1] + p[count - 1][1]) / 2;
    }
    for (int k = closed ? 0 : 1; k < sides; k++) {
        double* next = p[(k + 1) % count];
        bool last = !closed && k == sides - 1;
        pen_curve(pen, p[k][0], p[k][1], last ? next[0] : (p[k][0] + next[0]) / 2, last ? next[1] : (p[k][1] + next[1]) / 2);
    }
}

static const char* pen_stroke(Pen* pen, const char* stroke)
{
    char kind = *stroke == '~' || *stroke == '@' ? *stroke++ : 0;
    double p[MAX_CONTROL][2];
    int count = 0;
    for (; stroke[0] > ' ' && stroke[1] > ' ' && count < MAX_CONTROL; stroke += 2, count++) {
        p[count][0] = digit36(stroke[0]);
        p[count][1] = digit36(stroke[1]) - BASE;
    }
    pen->x = p[0][0];
    pen->y = p[0][1];
    if (kind)
        pen_spline(pen, p, count, kind == '@');
    else
        for (int k = 1; k < count; k++)
            pen_to(pen, p[k][0], p[k][1]);
    return stroke;
}

static void pen_letter(Pen* pen, const Letter* letter)
{
    pen->count = 0;
    const char* stroke = letter->glyph + 2;
    while (*stroke) {
        stroke = pen_stroke(pen, stroke);
        while (*stroke == ' ')
            stroke++;
    }
}

static double segment_distance2(const Segment* s, double x, double y)
{
    double dx = s->x1 - s->x0, dy = s->y1 - s->y0, px = x - s->x0, py = y - s->y0, dd = dx * dx + dy * dy;
    double t = dd > 0 ? fmin(fmax((px * dx + py * dy) / dd, 0), 1) : 0;
    double ex = px - t * dx, ey = py - t * dy;
    return ex * ex + ey * ey;
}

// The union of a letter's strokes: each pixel by its distance to the nearest one.
static void draw_letter(Picture* picture, Pen* pen, double thickness, Vec3 colour, float alpha)
{
    double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY, reach = thickness / 2 + 1;
    for (int k = 0; k < pen->count; k++) {
        const Segment* s = &pen->segment[k];
        x0 = fmin(x0, fmin(s->x0, s->x1) - reach);
        x1 = fmax(x1, fmax(s->x0, s->x1) + reach);
        y0 = fmin(y0, fmin(s->y0, s->y1) - reach);
        y1 = fmax(y1, fmax(s->y0, s->y1) + reach);
    }
    int left = (int)fmax(floor(x0), 0), right = (int)fmin(ceil(x1), picture->width);
    int top = (int)fmax(floor(y0), 0), bottom = (int)fmin(ceil(y1), picture->height);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            double nearest = INFINITY;
            for (int k = 0; k < pen->count; k++)
                nearest = fmin(nearest, segment_distance2(&pen->segment[k], x + 0.5, y + 0.5));
            double cover = thickness / 2 + 0.5 - sqrt(nearest);
            picture_blend(picture, x, y, colour, alpha * (float)fmin(fmax(cover, 0), 1));
        }
}

static void draw_text(Picture* picture, const char* text, double x, double y, double size, TextAlign align, double thickness,
                      Vec3 colour, float alpha)
{
    double unit = size / CAPITAL;
    x -= align == TEXT_CENTRE ? text_width(text, size) / 2 : align == TEXT_RIGHT ? text_width(text, size) : 0;
    Pen pen;
    while (*text && x < picture->width) {
        Letter letter = letter_of(next_character(&text));
        pen_letter(&pen, &letter);
        double scale = unit * letter.scale;
        for (int k = 0; k < pen.count; k++) {
            Segment* s = &pen.segment[k];
            *s = (Segment){x + s->x0 * scale, y - letter.lift * unit - s->y0 * scale, x + s->x1 * scale,
                           y - letter.lift * unit - s->y1 * scale};
        }
        if (pen.count > 0)
            draw_letter(picture, &pen, thickness, colour, alpha);
        x += letter_advance(&letter) * unit;
    }
}

void text_draw(Picture* picture, const char* text, double x, double y, double size, TextAlign align, Vec3 colour, float alpha)
{
    draw_text(picture, text, x, y, size, align, fmax(stroke_width * size, 1), colour, alpha);
}

void text_draw_halo(Picture* picture, const char* text, double x, double y, double size, TextAlign align, Vec3 colour, float alpha)
{
    draw_text(picture, text, x, y, size, align, fmax(stroke_width * size, 1) + 0.36 * size, colour, alpha);
}
