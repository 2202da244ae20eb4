// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "render/environment_lanes.h"
#include "render/view.h"

static void fading_is_the_exponential(void** state)
{
    for (float a = 0; a < 80; a += 0.37f) {
        float lane[LANES], wanted = expf(-a);
        f8_store(lane, f8_fade(f8_mul(f8_add(f8_ramp(), f8_set(1)), f8_set(a)))); // a, 2 a, ...
        assert_near((double)lane[0], (double)wanted, a < 8 ? 3e-5 * (double)wanted + 1e-9 : 1e-5);
        for (int k = 0; k < LANES; k++)
            assert_true(lane[k] >= 0 && lane[k] <= 1);
    }
}

static void vectors_keep_their_lanes(void** state)
{
    float in[3][LANES], out[3][LANES];
    for (int k = 0; k < LANES; k++) {
        in[0][k] = (float)k;
        in[1][k] = 2;
        in[2][k] = (float)(7 - k);
    }
    v8_store(out, v8_normalise(v8_load(in)));
    for (int k = 0; k < LANES; k++) {
        Vec3 one = vec3_normalise((Vec3){in[0][k], in[1][k], in[2][k]});
        assert_near((double)out[0][k], (double)one.x, 1e-6);
        assert_near((double)out[1][k], (double)one.y, 1e-6);
        assert_near((double)out[2][k], (double)one.z, 1e-6);
    }
    v8_store(out, v8_normalise(v8_set((Vec3){0, 0, 0})));
    assert_true(out[0][3] == 0 && out[2][5] == 0);
}

// Mirrors show the same sky whether they are looked at one by one or eight at a time.
static void skies_are_the_same_in_lanes(void** state)
{
    const mn_Sky skies[] = {MN_SKY_STUDIO, MN_SKY_DAY, MN_SKY_GRADIENT};
    Camera camera = camera_look(vec3d(1, 1, 3), vec3d(0, 0, 0), vec3d(0, 1, 0), 30, 64, 64);
    Random random = {5};
    double brightest = 0;
    for (int sky = 0; sky < 3; sky++) {
        mn_ViewDef view = {
            .background = {0.95, 0.96, 0.97},
            .environment = {.sky = skies[sky], .strength = 1.5, .zenith = {0.2, 0.4, 0.8}, .horizon = {0.9, 0.9, 1}}};
        Environment env;
        environment_build(&env, &view, &camera, vec3d(0, 1, 0), NULL);
        for (int t = 0; t < 2000; t++) {
            float d[3][LANES], light[3][LANES];
            for (int k = 0; k < LANES; k++) {
                Vec3 to = vec3_normalise((Vec3){(float)random_unit(&random) - 0.5f, (float)random_unit(&random) - 0.5f,
                                                (float)random_unit(&random) - 0.5f});
                d[0][k] = to.x;
                d[1][k] = to.y;
                d[2][k] = to.z;
            }
            v8_store(light, environment_mirrored_lanes(&env, v8_load(d)));
            for (int k = 0; k < LANES; k++) {
                Vec3 one = environment_mirrored(&env, (Vec3){d[0][k], d[1][k], d[2][k]});
                assert_near((double)light[0][k], (double)one.x, 1e-4 * (1 + (double)one.x));
                assert_near((double)light[2][k], (double)one.z, 1e-4 * (1 + (double)one.z));
                brightest = fmax(brightest, skies[sky] == MN_SKY_STUDIO ? (double)one.x : 0);
            }
        }
    }
    assert_true(brightest > 5); // a lamp was among what was seen
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fading_is_the_exponential),
        cmocka_unit_test(vectors_keep_their_lanes),
        cmocka_unit_test(skies_are_the_same_in_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
