// SPDX-License-Identifier: MIT
// The passes of foam against slow ones in double that follow the paper line by line, and what composition promises.
#include "support.h"

#include "base/random.h"
#include "render/foam_picture.h"
#include "render/view.h"
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 96, HIGH = 72, PIXELS = ACROSS * HIGH, N = 400 };

typedef struct Setting {
    Camera camera;
    float position[3 * N], life[N], solid[PIXELS], liquid[PIXELS];
    uint32_t id[N];
    uint8_t kind[N];
    Environment environment;
    FoamInput input;
} Setting;

static Setting* make(void)
{
    Setting* s = calloc(1, sizeof *s);
    Random random = {11};
    s->camera = camera_look(vec3d(0.3, 1.1, 3), vec3d(0, 0.4, 0), vec3d(0, 1, 0), 40, ACROSS, HIGH);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++)
            s->position[3 * i + k] = (float)random_range(&random, -0.7, 0.7);
        s->id[i] = (uint32_t)(7 * i + 3);
        s->kind[i] = (uint8_t)(i % 3);
        s->life[i] = (float)random_range(&random, 0.05, 1);
    }
    for (int k = 0; k < PIXELS; k++) {
        int x = k % ACROSS, y = k / ACROSS;
        s->solid[k] = x > 60 && y > 40 ? 2.9f : NOTHING;
        s->liquid[k] = y > 30 ? 2.8f + 0.003f * (float)x : NOTHING;
    }
    s->environment = (Environment){.sky = MN_SKY_GRADIENT,
                                   .up = {0, 1, 0},
                                   .zenith = {0.2f, 0.4f, 0.9f},
                                   .horizon = {0.8f, 0.8f, 0.8f},
                                   .below = {0.2f, 0.15f, 0.1f},
                                   .strength = 1,
                                   .sun = {{{0.6f, 0.8f, 0}, {1, 0.9f, 0.8f}, 0.05f}},
                                   .sun_count = 1};
    mn_FoamLook look = mn_default_foam_look();
    s->input = (FoamInput){.camera = &s->camera,
                           .foam = {N, s->position, s->id, s->kind, s->life, 0.12f},
                           .solid_depth = s->solid,
                           .liquid_depth = s->liquid,
                           .environment = &s->environment,
                           .look = foam_look_complete(&look, 0.12, 2),
                           .exposure = 1};
    s->input.look.occlusion_samples[1] = 128;
    s->input.look.occlusion_distance = 1;
    return s;
}

static double falloff(double x, double b, double n, double m)
{
    return x / b <= 1 ? pow(1 - pow(x / b, n), m) : 0;
}

typedef struct SlowPixel {
    double depth, thickness, intensity, radius;
    Vec3d normal;
} SlowPixel;

// Sections 6.2.1 to 6.2.3 for one pixel.
static SlowPixel slow_pixel(const Setting* s, int px, int py)
{
    const Camera* c = &s->camera;
    SlowPixel out = {.depth = 1e15};
    for (int i = 0; i < N; i++) {
        Vec3d p = camera_view(c, vec3d((double)s->position[3 * i], (double)s->position[3 * i + 1], (double)s->position[3 * i + 2]));
        double r = 0.12 / (double)(s->id[i] % 5 + 1) * (s->kind[i] == 2 ? 0.5 : 1), scale = c->focal / p.z, share = 1;
        if (r * scale < 0.75) {
            share = r * scale / 0.75;
            r = 0.75 / scale;
        }
        double u = (px + 0.5 - c->centre_x - p.x * scale) / (r * scale), v = (py + 0.5 - c->centre_y - p.y * scale) / (r * scale);
        if (u * u + v * v >= 1)
            continue;
        double w = sqrt(1 - u * u - v * v), z = p.z - w * r, x = sqrt(u * u + v * v);
        if (z > (double)s->solid[py * ACROSS + px])
            continue;
        double f = s->kind[i] == 0 ? falloff(x, 1, 1.5, 1) : s->kind[i] == 1 ? falloff(x, 1, 2.25, 1) : 1 - falloff(x, 1, 2, 1);
        double behind = z - (double)s->liquid[py * ACROSS + px];
        f *= falloff(1 - (double)s->life[i], 1, 2, 0.4) * share * share;
        if (behind > 0)
            f *= falloff(behind, s->input.look.depth, 1, 2);
        out.thickness += f;
        if (f > 0 && z < out.depth) {
            out.depth = z;
            out.radius = r;
            out.normal = vec3d_mad(vec3d_mad(vec3d_scale(c->right, u), v, c->down), -w, c->forward);
        }
    }
    double power = pow(out.thickness, 1.25);
    out.intensity = power / (3 + power);
    return out;
}

static void splats_equal_slow_ones(void** state)
{
    Setting* s = make();
    FoamPicture foam = {0};
    assert_true(foam_pass_splat(&foam, NULL, &s->input));
    size_t seen = 0, edges = 0;
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < ACROSS; x++) {
            SlowPixel slow = slow_pixel(s, x, y);
            size_t at = (size_t)(y * ACROSS + x);
            bool near = fabs((double)foam.depth[at] - slow.depth) < 1e-3 || (slow.depth > 1e14 && foam.depth[at] >= NOTHING);
            edges += !near; // float and double may differ about a pixel on a rim
            seen += slow.depth < 1e14;
            if (!near)
                continue;
            assert_near((double)foam.thickness[at], slow.thickness, 2e-3 * (1 + slow.thickness));
            assert_near((double)foam.intensity[at], slow.intensity, 2e-3);
            if (slow.depth < 1e14) {
                assert_near((double)foam.search[at], slow.radius, 1e-5);
                Vec3 n = foam.normal[at];
                assert_near(vec3d_distance(vec3d((double)n.x, (double)n.y, (double)n.z), slow.normal), 0, 2e-2);
            }
        }
    assert_true(seen > PIXELS / 8);
    assert_true(edges < PIXELS / 500);
    foam_picture_free(&foam);
    free(s);
}

// More particles than a block of the bins holds, at all places of a picture of many tiles, some of them larger than a tile: what
// each adds, added up one by one, whoever draws.
static void many_blocks_equal_one_by_one(void** state)
{
    enum { MANY = 40000, WIDE_PIXELS = 200, HIGH_PIXELS = 140, ALL = WIDE_PIXELS * HIGH_PIXELS };
    float *position = malloc(3 * MANY * sizeof *position), *life = malloc(MANY * sizeof *life),
          *depth = malloc(ALL * sizeof *depth);
    double* slow = calloc(ALL, sizeof *slow);
    uint32_t* id = malloc(MANY * sizeof *id);
    uint8_t* kind = malloc(MANY);
    Camera camera = camera_look(vec3d(0, 0, 4), vec3d(0, 0, 0), vec3d(0, 1, 0), 30, WIDE_PIXELS, HIGH_PIXELS);
    Random random = {21};
    for (int i = 0; i < MANY; i++) {
        bool is_close = i % 500 == 0; // to the camera, and large
        double z = is_close ? 3.9 : random_range(&random, -0.3, 0.3), wide = is_close ? 0.03 : 1.6;
        position[3 * i] = (float)random_range(&random, -wide, wide);
        position[3 * i + 1] = (float)random_range(&random, -wide, wide);
        position[3 * i + 2] = (float)z;
        life[i] = 1;
        id[i] = (uint32_t)i;
        kind[i] = 1;
        Vec3d p = camera_view(&camera, vec3d((double)position[3 * i], (double)position[3 * i + 1], (double)position[3 * i + 2]));
        double scale = camera.focal / p.z, r = 0.012 / (double)(i % 5 + 1) * scale, drawn = fmax(r, 0.75), share = r / drawn;
        double cx = camera.centre_x + p.x * scale, cy = camera.centre_y + p.y * scale;
        for (int y = (int)fmax(cy - drawn - 1, 0); y < HIGH_PIXELS && y < cy + drawn + 1; y++)
            for (int x = (int)fmax(cx - drawn - 1, 0); x < WIDE_PIXELS && x < cx + drawn + 1; x++) {
                double u = (x + 0.5 - cx) / drawn, v = (y + 0.5 - cy) / drawn;
                slow[y * WIDE_PIXELS + x] += falloff(sqrt(u * u + v * v), 1, 2.25, 1) * share * share;
            }
    }
    for (int k = 0; k < ALL; k++)
        depth[k] = NOTHING;
    mn_FoamLook look = mn_default_foam_look();
    FoamInput in = {.camera = &camera,
                    .foam = {MANY, position, id, kind, life, 0.012f},
                    .solid_depth = depth,
                    .liquid_depth = depth,
                    .look = foam_look_complete(&look, 0.012, 2)};
    Pool* pool = pool_create(3);
    FoamPicture one = {0}, three = {0};
    double sum = 0;
    for (int round = 0; round < 2; round++) { // the second with the arenas of the first
        assert_true(foam_pass_splat(&one, NULL, &in) && foam_pass_splat(&three, pool, &in));
        assert_memory_equal(one.thickness, three.thickness, ALL * sizeof *one.thickness);
        assert_memory_equal(one.depth, three.depth, ALL * sizeof *one.depth);
        for (int k = 0; k < ALL; k++) {
            assert_near((double)one.thickness[k], slow[k], 5e-3 * (1 + slow[k]));
            sum += slow[k];
        }
    }
    assert_true(sum > 10000);
    foam_picture_free(&one);
    foam_picture_free(&three);
    pool_destroy(pool);
    free(position);
    free(life);
    free(depth);
    free(slow);
    free(id);
    free(kind);
}

static double radical_inverse(int i, int base)
{
    double result = 0, share = 1.0 / base;
    for (; i; i /= base, share /= base)
        result += share * (i % base);
    return result;
}

// Section 6.2.4.1 for one pixel, from the depths and intensities that the passes before left.
static double slow_shadow(const Setting* s, const FoamPicture* foam, size_t pixel)
{
    const Camera* c = &s->camera;
    const mn_FoamLook* look = &s->input.look;
    double z = (double)foam->depth[pixel], scale = c->focal / z, dark = 0, all = 0;
    Vec3d p = {((double)(pixel % ACROSS) + 0.5 - c->centre_x) / scale, ((double)(pixel / ACROSS) + 0.5 - c->centre_y) / scale, z};
    for (int pass = 1; pass <= look->occlusion_passes; pass++) {
        double h = (double)foam->search[pixel] * (look->occlusion_start + look->occlusion_step * pass), pixels = h * scale;
        double wanted = 0.75 * 3.14159265358979 * pixels * pixels * pixels * look->occlusion_density;
        int numbers = (int)fmin(fmax(wanted, look->occlusion_samples[0]), look->occlusion_samples[1]);
        for (int k = 1; k <= numbers; k++) {
            Vec3d d = {2 * radical_inverse(k, 2) - 1, 2 * radical_inverse(k, 3) - 1, 2 * radical_inverse(k, 5) - 1};
            Vec3d q = vec3d_mad(p, h, d);
            double x = c->centre_x + q.x * c->focal / q.z, y = c->centre_y + q.y * c->focal / q.z;
            if (vec3d_length(d) >= 1 || q.z <= c->nearest || x < 0 || y < 0 || x >= ACROSS || y >= HIGH)
                continue;
            double lambda = pow(1 - vec3d_length(d), 2), a = 0, front = 1e15;
            size_t at = (size_t)y * ACROSS + (size_t)x;
            const double depth[3] = {(double)foam->depth[at], (double)s->liquid[at], (double)s->solid[at]};
            const double opacity[3] = {(double)foam->intensity[at], look->liquid_opacity, 1};
            for (int j = 0; j < 3; j++)
                if (q.z > depth[j]) {
                    a += opacity[j];
                    front = fmin(front, depth[j]);
                }
            all += lambda;
            if (a > 0)
                dark += lambda * pow(fmax(1 - (q.z - front) / look->occlusion_distance, 0), 2) * fmin(a, 1);
        }
    }
    double zeta = pow(all > 0 ? dark / all * look->shadow_scale : 0, look->shadow_exponent) + look->shadow_offset;
    return fmin(fmax(zeta, 0), 1);
}

static void shadows_equal_slow_ones(void** state)
{
    Setting* s = make();
    s->input.look.shadow_scale = 3;
    FoamPicture foam = {.step = 1};
    assert_true(foam_pass_splat(&foam, NULL, &s->input) && foam_pass_light(&foam, NULL, &s->input));
    assert_int_equal(foam.coarse_width, ACROSS);
    double most_shadow = 0, worst = 0;
    for (size_t k = 0; k < PIXELS; k += 7) {
        if (!(foam.depth[k] < NOTHING))
            continue;
        double slow = slow_shadow(s, &foam, k);
        most_shadow = fmax(most_shadow, slow);
        worst = fmax(worst, fabs((double)foam.shadow[0][k] - slow));
    }
    assert_true(most_shadow > 0.2);
    assert_true(worst < 0.02); // a sample on the border of two pixels may fall either way
    foam_picture_free(&foam);
    free(s);
}

// I = mean of P cos over the hemisphere, section 6.2.4.2, by many directions; suns in their exact share.
static void irradiance_is_the_mean_over_the_hemisphere(void** state)
{
    Setting* s = make();
    FoamPicture foam = {.step = 1};
    assert_true(foam_pass_splat(&foam, NULL, &s->input) && foam_pass_light(&foam, NULL, &s->input));
    Random random = {5};
    for (size_t k = 0; k < PIXELS; k += 131) {
        if (!(foam.depth[k] < NOTHING))
            continue;
        Vec3 n = foam.normal[k];
        double sum[3] = {0}, count = 0;
        while (count < 20000) {
            Vec3 d = {(float)random_range(&random, -1, 1), (float)random_range(&random, -1, 1),
                      (float)random_range(&random, -1, 1)};
            if (vec3_dot(d, d) > 1)
                continue;
            d = vec3_normalise(d);
            float cosine = vec3_dot(d, n);
            Vec3 light = environment_light(&s->environment, cosine < 0 ? vec3_scale(d, -1) : d);
            sum[0] += (double)(light.x * fabsf(cosine));
            sum[1] += (double)(light.y * fabsf(cosine));
            sum[2] += (double)(light.z * fabsf(cosine));
            count++;
        }
        float sun = most(vec3_dot(n, s->environment.sun[0].to), 0) / 6.2831853f;
        const float sunlight[3] = {s->environment.sun[0].light.x, s->environment.sun[0].light.y, s->environment.sun[0].light.z};
        for (int j = 0; j < 3; j++)
            assert_near((double)(&foam.irradiance[0][k].x)[j], sum[j] / count + (double)(sunlight[j] * sun), 0.03);
    }
    foam_picture_free(&foam);
    free(s);
}

// A Gaussian of two sigma at the radius, over cells with foam.
static void blur_equals_a_slow_one(void** state)
{
    Setting* s = make();
    FoamPicture foam = {.step = 1};
    assert_true(foam_pass_splat(&foam, NULL, &s->input) && foam_pass_light(&foam, NULL, &s->input));
    float *before = malloc(PIXELS * sizeof *before), *middle = calloc(PIXELS, sizeof *middle);
    memcpy(before, foam.shadow[0], PIXELS * sizeof *before);
    foam_pass_blur(&foam, NULL);
    for (int round = 0; round < 2; round++)
        for (int at = 0; at < PIXELS; at++) {
            const float* from = round ? middle : before;
            double sum = 0, weight = 0, radius = (double)foam.blur[at];
            int reach = (int)fmin(radius, 16);
            for (int k = -reach; k <= reach; k++) {
                int x = at % ACROSS + (round ? 0 : k), y = at / ACROSS + (round ? k : 0), q = y * ACROSS + x;
                if (x < 0 || y < 0 || x >= ACROSS || y >= HIGH || !(foam.blur[q] > 0))
                    continue;
                double g = exp(-0.5 * pow(2 * k / (radius + 1), 2));
                weight += g;
                sum += g * (double)from[q];
            }
            if (round == 0)
                middle[at] = weight > 0 ? (float)(sum / weight) : 0;
            else
                assert_near((double)foam.shadow[0][at], weight > 0 ? sum / weight : 0, 1e-5);
        }
    free(before);
    free(middle);
    foam_picture_free(&foam);
    free(s);
}

// C = (1 - iota) C_behind + iota (I - zeta); never darker than the colour of the shadow or the picture behind, whichever is darker.
static void composition_mixes_and_keeps_its_floor(void** state)
{
    Setting* s = make();
    s->input.look.shadow_colour = (mn_Vec3){0.1, 0.2, 0.4};
    s->input.look.shadow_scale = 50; // all is in the shadow
    s->input.look.brightness = 0.4;
    Picture picture;
    assert_true(picture_create(&picture, ACROSS, HIGH));
    picture_fill(&picture, (Vec3){0.5f, 0.5f, 0.5f});
    FoamPicture foam = {0};
    assert_true(foam_picture_draw(&foam, NULL, &s->input, FOAM_PASS_COMPOSITION, &picture));
    const double floor[3] = {0.1, 0.2, 0.4};
    size_t changed = 0;
    for (size_t k = 0; k < PIXELS; k++)
        for (int j = 0; j < 3; j++) {
            double value = picture.rgb[3 * k + (size_t)j] / 255.0, iota = (double)foam.intensity[k];
            assert_true(value >= (1 - iota) * 0.5 + iota * floor[j] - 0.01);
            if (!(iota > 0))
                assert_near(value, 0.5, 0.003);
            changed += fabs(value - 0.5) > 0.02;
        }
    assert_true(changed > PIXELS / 4);
    // in full light and without shadows thick foam is white, and what is thin lets the picture through
    s->input.look.shadow_scale = 0;
    s->input.look.brightness = 100;
    picture_fill(&picture, (Vec3){0, 0, 0});
    assert_true(foam_picture_draw(&foam, NULL, &s->input, FOAM_PASS_COMPOSITION, &picture));
    for (size_t k = 0; k < PIXELS; k++)
        assert_near(picture.rgb[3 * k] / 255.0, (double)foam.intensity[k], 0.005);
    foam_picture_free(&foam);
    picture_free(&picture);
    free(s);
}

static void same_for_any_number_of_threads(void** state)
{
    Setting* s = make();
    Picture a, b;
    assert_true(picture_create(&a, ACROSS, HIGH) && picture_create(&b, ACROSS, HIGH));
    Pool* pool = pool_create(3);
    for (int pass = 0; pass < FOAM_PASSES; pass++) {
        FoamPicture foam = {0}, again = {0};
        picture_fill(&a, (Vec3){0.2f, 0.3f, 0.5f});
        picture_fill(&b, (Vec3){0.2f, 0.3f, 0.5f});
        assert_true(foam_picture_draw(&foam, NULL, &s->input, (FoamPass)pass, &a));
        assert_true(foam_picture_draw(&again, pool, &s->input, (FoamPass)pass, &b));
        assert_memory_equal(a.rgb, b.rgb, 3 * PIXELS);
        foam_picture_free(&foam);
        foam_picture_free(&again);
    }
    pool_destroy(pool);
    picture_free(&a);
    picture_free(&b);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splats_equal_slow_ones),         cmocka_unit_test(many_blocks_equal_one_by_one),
        cmocka_unit_test(shadows_equal_slow_ones),        cmocka_unit_test(irradiance_is_the_mean_over_the_hemisphere),
        cmocka_unit_test(blur_equals_a_slow_one),         cmocka_unit_test(composition_mixes_and_keeps_its_floor),
        cmocka_unit_test(same_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
