// SPDX-License-Identifier: MIT
#include "render/picture.h"

#include <stdlib.h>

bool picture_create(Picture* picture, int width, int height)
{
    *picture = (Picture){0};
    if (width < 1 || height < 1 || width > PICTURE_MAX_SIZE || height > PICTURE_MAX_SIZE)
        return false;
    picture->rgb = calloc((size_t)width * (size_t)height, 3);
    if (!picture->rgb)
        return false;
    picture->width = width;
    picture->height = height;
    return true;
}

void picture_free(Picture* picture)
{
    free(picture->rgb);
    *picture = (Picture){0};
}

static uint8_t byte_of(float value)
{
    return (uint8_t)(fminf(fmaxf(value, 0), 1) * 255 + 0.5f);
}

void picture_fill(Picture* picture, Vec3 colour)
{
    size_t count = (size_t)picture->width * (size_t)picture->height;
    for (size_t i = 0; i < count; i++) {
        picture->rgb[3 * i + 0] = byte_of(colour.x);
        picture->rgb[3 * i + 1] = byte_of(colour.y);
        picture->rgb[3 * i + 2] = byte_of(colour.z);
    }
}

void picture_blend(Picture* picture, int x, int y, Vec3 colour, float alpha)
{
    if (x < 0 || y < 0 || x >= picture->width || y >= picture->height || !(alpha > 0))
        return;
    uint8_t* p = picture->rgb + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
    float a = fminf(alpha, 1);
    p[0] = byte_of((1 - a) * (float)p[0] / 255 + a * colour.x);
    p[1] = byte_of((1 - a) * (float)p[1] / 255 + a * colour.y);
    p[2] = byte_of((1 - a) * (float)p[2] / 255 + a * colour.z);
}

// How much of pixel i lies in [low, high].
static float overlap(int i, double low, double high)
{
    return (float)fmax(0, fmin(i + 1, high) - fmax(i, low));
}

void picture_blend_rect(Picture* picture, double x0, double y0, double x1, double y1, Vec3 colour, float alpha)
{
    int top = (int)floor(fmax(y0, 0)), bottom = (int)ceil(fmin(y1, picture->height));
    int left = (int)floor(fmax(x0, 0)), right = (int)ceil(fmin(x1, picture->width));
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++)
            picture_blend(picture, x, y, colour, alpha * overlap(x, x0, x1) * overlap(y, y0, y1));
}

void picture_stroke(Picture* picture, double x0, double y0, double x1, double y1, double width, Vec3 colour, float alpha)
{
    double half = width / 2, reach = half + 1;
    int left = (int)floor(fmax(fmin(x0, x1) - reach, 0)), right = (int)ceil(fmin(fmax(x0, x1) + reach, picture->width));
    int top = (int)floor(fmax(fmin(y0, y1) - reach, 0)), bottom = (int)ceil(fmin(fmax(y0, y1) + reach, picture->height));
    double dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            double px = x + 0.5 - x0, py = y + 0.5 - y0;
            double t = length2 > 0 ? fmin(fmax((px * dx + py * dy) / length2, 0), 1) : 0;
            double distance = hypot(px - t * dx, py - t * dy);
            picture_blend(picture, x, y, colour, alpha * (float)fmin(fmax(half + 0.5 - distance, 0), 1));
        }
}
