// SPDX-License-Identifier: MIT
#include "render/glass.h"

// Share of the glass's own colour where it is seen head on, and how much more there is at its rim.
static const float film = 0.07f, at_the_rim = 0.4f;

static bool covers(const ScreenTriangle* s, double x, double y)
{
    return s->e[0] + s->a[0] * x + s->b[0] * y >= 0 && s->e[1] + s->a[1] * x + s->b[1] * y >= 0 &&
           s->e[2] + s->a[2] * x + s->b[2] * y >= 0;
}

// Light that a glass sends itself: its colour, lighter, since most of it is what it mirrors.
static Vec3 film_colour(const SolidItem* solid)
{
    return (Vec3){0.5f + 0.5f * solid->colour.x, 0.5f + 0.5f * solid->colour.y, 0.5f + 0.5f * solid->colour.z};
}

static void draw_triangle(const View* view, const ScreenTriangle* s, const SolidItem* solid, Picture* picture)
{
    const ViewTriangle* t = &view->triangles.view[s->source];
    const SampleBuffer* b = &view->samples;
    int f = view->factor;
    int x0 = (int)most(floorf(s->x0 / (float)f), 0), x1 = (int)least(ceilf(s->x1 / (float)f), (float)picture->width - 1);
    int y0 = (int)most(floorf(s->y0 / (float)f), 0), y1 = (int)least(ceilf(s->y1 / (float)f), (float)picture->height - 1);
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            double sx = (x + 0.5) * f, sy = (y + 0.5) * f;
            if (!covers(s, sx, sy))
                continue;
            double w = s->ze + s->za * sx + s->zb * sy;
            float z = (float)(b->camera.orthographic ? w : 1 / w);
            if (z > b->depth[(size_t)(y * f + f / 2) * (size_t)b->stride + (size_t)(x * f + f / 2)])
                continue;
            Fragment here = view_fragment(view, s->source | ID_TRIANGLE, view_point(view, (float)sx, (float)sy, z));
            Vec3 d = b->camera.orthographic ? (Vec3){0, 0, 1} : vec3_normalise(here.position);
            float side = 1 - least(fabsf(vec3_dot(d, here.normal)), 1);
            picture_blend(picture, x, y, film_colour(solid), film + at_the_rim * side * side * side * (t->outer ? 1 : 0.4f));
        }
}

void draw_glass(const View* view, const SolidItem* solids, size_t count, Picture* picture)
{
    const TriangleList* list = &view->triangles;
    for (size_t k = 0; k < list->screen_count; k++) {
        size_t solid = list->view[list->screen[k].source].solid;
        if (solid < count && solids[solid].look == LOOK_GLASS)
            draw_triangle(view, &list->screen[k], &solids[solid], picture);
    }
}
