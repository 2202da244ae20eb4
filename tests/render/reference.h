// SPDX-License-Identifier: MIT
// Pictures against stored ones.
#ifndef TESTS_RENDER_REFERENCE_H
#define TESTS_RENDER_REFERENCE_H

#include "support.h"

#include "render/picture.h"
#include <stdlib.h>

// Set MENISCUS_WRITE_REFERENCE to renew a picture after looking at it. Returns the difference, as people see it: pictures are
// blurred over 3 x 3 pixels first, so that an edge that moves by a hair counts little and a thing that is missing counts fully.
static inline double difference_to_reference(const Picture* p, const char* name)
{
    char path[300];
    Picture q;
    mn_Error error = {0};
    snprintf(path, sizeof path, MENISCUS_SOURCE_DIR "/tests/render/reference/%s.png", name);
    if (getenv("MENISCUS_WRITE_REFERENCE"))
        assert_int_equal(picture_write_png(p, path, &error), MN_OK);
    assert_int_equal(picture_read_png(&q, path, &error), MN_OK);
    assert_int_equal(p->width, q.width);
    assert_int_equal(p->height, q.height);
    double sum = 0;
    for (int y = 1; y + 1 < p->height; y++)
        for (int x = 1; x + 1 < p->width; x++)
            for (int c = 0; c < 3; c++) {
                int d = 0;
                for (int k = 0; k < 9; k++) {
                    size_t at = 3 * ((size_t)(y + k / 3 - 1) * (size_t)p->width + (size_t)(x + k % 3 - 1)) + (size_t)c;
                    d += p->rgb[at] - q.rgb[at];
                }
                sum += abs(d) / 9.0;
            }
    picture_free(&q);
    return sum / (3.0 * (p->width - 2) * (p->height - 2));
}

#endif
