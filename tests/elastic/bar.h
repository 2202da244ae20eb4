// SPDX-License-Identifier: MIT
// A bar along x whose two ends are pinned, to be pulled at.
#ifndef TESTS_ELASTIC_BAR_H
#define TESTS_ELASTIC_BAR_H

#include "elastic_support.h"

#include "elastic/elastic_parts.h"

typedef struct Bar {
    TestVolume volume;
    ElasticSet* set;
    Body* body;
    int end[2]; // pins
} Bar;

// [m] Half as wide in the middle as at its ends.
static inline double bar_width(double x, double length)
{
    return 0.1 + 0.1 * (2 * x / length) * (2 * x / length);
}

static inline TestVolume bar_with_waist(double length, int along, int across)
{
    TestVolume volume = test_volume(vec3d(length, 1, 1), along, across, across);
    for (size_t k = 0; k < volume.tets.point_count; k++) {
        Vec3d* p = &volume.tets.point[k];
        *p = vec3d(p->x, p->y * bar_width(p->x, length), p->z * bar_width(p->x, length));
    }
    for (size_t k = 0; k < volume.surface.vertex_count; k++)
        volume.surface.vertex[k] = volume.tets.point[volume.point_of[k]];
    return volume;
}

// The body of `def`, which is made of b->volume, with a pin at each end.
static inline void bar_pin(Bar* b, const ElasticBodyDef* def, double length)
{
    b->set = test_set(def, vec3d(0, 0, 0), 1);
    b->body = &b->set->body[0];
    for (int k = 0; k < 2; k++) {
        b->end[k] = elastic_add_pin(b->set, 0);
        for (uint32_t v = 0; v < b->body->vertex_count; v++)
            if (fabs(b->body->vertex[v].x - (k ? 0.5 : -0.5) * length) < 1e-9)
                elastic_pin_vertex(b->set, 0, b->end[k], v);
    }
}

static inline void bar_free(Bar* b)
{
    test_set_destroy(b->set);
    test_volume_free(&b->volume);
}

#endif
