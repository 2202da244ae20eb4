// SPDX-License-Identifier: MIT
// The filter against a picture that is known: a step and a ramp with grain of a known size.
#include "support.h"

#include "base/random.h"
#include "trace/denoise.h"
#include "trace/vector.h"
#include <stdlib.h>
#include <string.h>

enum { WIDE = 96, HIGH = 64, SAMPLES = 16 };

// Left a dark ramp, right a light wall of another colour; below, a shadow's edge that no feature knows of.
static float truth(int x, int y)
{
    float wall = x < WIDE / 2 ? 0.1f + 0.3f * (float)x / WIDE : 0.8f;
    return y < HIGH / 2 ? wall : 0.4f * wall;
}

static float noise(uint64_t key)
{
    return (float)(random_mix(key) >> 40) * 0x1p-24f - 0.5f;
}

static void make_film(TraceFilm* film, float grain)
{
    assert_true(trace_film_create(film, WIDE, HIGH));
    film->samples = SAMPLES;
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++)
            for (int s = 0; s < SAMPLES; s++) {
                size_t k = (size_t)(y * WIDE + x);
                int h = s & 1;
                float light = truth(x, y) * (1 + grain * noise((k * SAMPLES + (size_t)s) * 77)), right = x >= WIDE / 2;
                film->light[h][k] = v3_add(film->light[h][k], v3(light, light, light));
                film->normal[h][k] = v3_add(film->normal[h][k], v3(right, 0, 1 - right));
                film->albedo[h][k] = v3_add(film->albedo[h][k], v3(0.3f + 0.4f * right, 0.5f, 0.5f));
                film->nearness[h][k] += 1;
            }
}

// Root of the mean square of what is wrong with it, relative to the light.
static double error_of(const Vec3* light)
{
    double sum = 0;
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++) {
            double e = (double)(light[y * WIDE + x].y / truth(x, y)) - 1;
            sum += e * e;
        }
    return sqrt(sum / (WIDE * HIGH));
}

// three quarters of the grain go, and with an edge that no feature shows; edges stay
static void grain_goes_and_edges_stay(void** state)
{
    static Vec3 before[WIDE * HIGH], after[WIDE * HIGH];
    TraceFilm film;
    make_film(&film, 3.5f); // 1.0 of a sample's light, a quarter of 16
    trace_film_mean(&film, before);
    assert_true(trace_denoise(&film, NULL, after));
    double grain = error_of(before), left = error_of(after);
    assert_true(grain > 0.2 && grain < 0.3);
    assert_below(left, 0.27 * grain);
    for (int y = 0; y < HIGH; y++) {
        if (abs(y - HIGH / 2) < 3)
            continue;
        assert_near((double)(after[y * WIDE + WIDE / 2].y / truth(WIDE / 2, y)), 1, 0.15);
        assert_near((double)(after[y * WIDE + WIDE / 2 - 1].y / truth(WIDE / 2 - 1, y)), 1, 0.15);
    }
    // the shadow's edge, over a few pixels
    double across = 0;
    for (int x = 0; x < WIDE; x++)
        across += (double)(after[(HIGH / 2 + 2) * WIDE + x].y / after[(HIGH / 2 - 3) * WIDE + x].y) / WIDE;
    assert_near(across, 0.4, 0.1);
    trace_film_free(&film);
}

// what has no grain is left alone
static void a_clean_picture_stays(void** state)
{
    static Vec3 after[WIDE * HIGH];
    TraceFilm film;
    make_film(&film, 0);
    assert_true(trace_denoise(&film, NULL, after));
    assert_below(error_of(after), 0.01);
    trace_film_free(&film);
}

static void threads_change_nothing(void** state)
{
    static Vec3 one[WIDE * HIGH], three[WIDE * HIGH];
    TraceFilm film;
    make_film(&film, 2);
    Pool* pool = pool_create(3);
    assert_true(trace_denoise(&film, NULL, one) && trace_denoise(&film, pool, three));
    assert_memory_equal(one, three, sizeof one);
    pool_destroy(pool);
    trace_film_free(&film);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grain_goes_and_edges_stay),
        cmocka_unit_test(a_clean_picture_stays),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
