// SPDX-License-Identifier: MIT
// A fluid between two frames: exact for motion of third order, matched by id, with those that come and go.
#include "foam_support.h"

#include "foam/between.h"
#include <stdlib.h>

enum { N = 500 };

// Cubic paths, another one for each particle.
static void path(uint32_t id, double t, double x[3], double v[3])
{
    for (int k = 0; k < 3; k++) {
        double a = 0.3 * sin(1.3 * id + k), b = cos(0.7 * id - k), c = sin(2.1 * id + 2 * k), d = cos(3 * id + k);
        x[k] = a + b * t + c * t * t + d * t * t * t;
        v[k] = b + 2 * c * t + 3 * d * t * t;
    }
}

typedef struct Frames {
    float x[N][3], v[N][3];
    uint32_t id[N];
} Frames;

static FoamFrame frame_at(Frames* f, double t, uint32_t first, uint32_t step)
{
    size_t n = 0;
    for (uint32_t id = first; id < N; id += step, n++) {
        double x[3], v[3];
        path(id, t, x, v);
        for (int k = 0; k < 3; k++) {
            f->x[n][k] = (float)x[k];
            f->v[n][k] = (float)v[k];
        }
        f->id[n] = id;
    }
    return (FoamFrame){t, n, f->x[0], f->v[0], f->id};
}

static void cubic_paths_are_exact(void** state)
{
    Memory memory = {0};
    FoamRules rules = test_rules(0.01, 1e6); // too slow for births
    Foam foam = {0};
    FoamBetween between = {0};
    assert_true(foam_create(&foam, &rules, &memory, NULL));
    assert_true(foam_between_create(&between, &rules, &memory, NULL));
    Frames* f = calloc(2, sizeof *f);
    // a has all, b every third: the others go half-way
    FoamFrame a = frame_at(&f[0], 0.5, 0, 1), b = frame_at(&f[1], 0.9, 0, 3);
    assert_true(foam_between_frames(&between, &a, &b, &foam));
    for (double share = 0; share <= 1; share += 0.25) {
        FoamFluid fluid;
        assert_true(foam_between_at(&between, share, &foam, &fluid));
        assert_int_equal(fluid.count, share < 0.5 ? N : (N + 2) / 3);
        double t = 0.5 + 0.4 * share, seen = 0;
        for (size_t i = 0; i < fluid.count; i++) {
            double x[3], v[3];
            path(fluid.id[i], t, x, v);
            seen += fluid.id[i];
            for (int k = 0; k < 3 && fluid.id[i] % 3 == 0; k++) {
                assert_near((double)(&fluid.position[i].x)[k], x[k], 3e-6);
                assert_near((double)(&fluid.velocity[i].x)[k], v[k], 3e-5);
            }
            assert_true(fluid.rate[i] == 0);
        }
        assert_true(seen == (share < 0.5 ? N * (N - 1) / 2 : 3.0 * ((N + 2) / 3) * ((N + 2) / 3 - 1) / 2)); // each of them once
    }
    foam_between_destroy(&between);
    foam_destroy(&foam);
    free(f);
    assert_int_equal(memory.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cubic_paths_are_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
