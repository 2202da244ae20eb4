// SPDX-License-Identifier: MIT
// Foam along periodic axes: fluid is seen across borders, gives birth once, and foam that leaves the domain enters it on the other
// side; nothing depends on where the borders are.
#include "foam_support.h"

#include "foam/between.h"
#include "foam/images.h"
#include <stdlib.h>
#include <string.h>

enum { SIDE = 10, N = SIDE * SIDE * SIDE };
static const double D = 0.02, H = 0.04, LENGTH = SIDE * 0.02;

static Period cube(void)
{
    const bool axis[3] = {true, true, true};
    return period_make(axis, vec3d(0, 0, 0), vec3d(LENGTH, LENGTH, LENGTH));
}

static FoamRules periodic_rules(double speed)
{
    mn_FoamDef def = mn_default_foam_def();
    FoamScale scale = {.dimension = 3, .particle_radius = D / 2, .support_radius = H, .speed = speed, .seed = 1, .period = cube()};
    return foam_rules(&def, &scale);
}

static Vec3d wild(Vec3d x)
{
    double w = 2 * 3.14159265358979 / LENGTH;
    return vec3d(3 * sin(w * x.y), 2 * cos(w * x.x), 1.5 * sin(w * (x.z + x.x)));
}
static Vec3d drift(Vec3d x)
{
    return vec3d(1, 0.5, -0.25);
}

static Vec3d point(const Vec4* a, size_t i)
{
    return vec3d((double)a[i].x, (double)a[i].y, (double)a[i].z);
}

typedef struct Setting {
    TestFluid t;
    FoamImages images;
    FoamFluid seen;
    Memory memory;
    Foam foam;
} Setting;

static Setting* setting_create(TestFlow* flow, double speed)
{
    Setting* s = calloc(1, sizeof *s);
    FoamRules rules = periodic_rules(speed);
    Period period = cube();
    test_fluid_init(&s->t, H, 3);
    test_fluid_block(&s->t, vec3d(0, 0, 0), SIDE, SIDE, SIDE, D, 0.4, flow);
    test_fluid_sort(&s->t, NULL);
    assert_true(foam_images_create(&s->images, H, 3, &s->memory));
    assert_true(foam_images_of(&s->images, NULL, &period, &s->t.fluid, &s->seen));
    assert_true(foam_create(&s->foam, &rules, &s->memory, NULL));
    return s;
}

static void setting_destroy(Setting* s)
{
    foam_destroy(&s->foam);
    foam_images_destroy(&s->images);
    test_fluid_free(&s->t);
    free(s);
}

// A block with a hole across borders, which closes: there is a surface, so there are crests.
static Vec3d to_hole(const Period* period, Vec3d x)
{
    return period_between(period, x, vec3d(0.01, 0.19, 0.1));
}

// Crests of the same fluid with the borders elsewhere.
static void crests_do_not_know_borders(void** state)
{
    enum { SHIFTS = 2 };
    float crest[SHIFTS][N] = {0};
    size_t high = 0;
    Period period = cube();
    for (int shift = 0; shift < SHIFTS; shift++) {
        TestFluid whole, t;
        FoamImages images = {0};
        FoamFluid seen;
        Memory memory = {0};
        Foam foam = {0};
        FoamRules rules = periodic_rules(0.1);
        test_fluid_init(&whole, H, 3);
        test_fluid_init(&t, H, 3);
        test_fluid_block(&whole, vec3d(0, 0, 0), SIDE, SIDE, SIDE, D, 0.4, wild);
        for (size_t i = 0; i < N; i++) {
            Vec3d x = point(whole.position, i), by = vec3d_scale(vec3d(0.5, 0.5, 0.5), shift * LENGTH), to = vec3d_add(x, by);
            Vec3d way = to_hole(&period, x);
            if (vec3d_length(way) < 0.065)
                continue;
            test_fluid_add(&t, vec3d(fmod(to.x, LENGTH), fmod(to.y, LENGTH), fmod(to.z, LENGTH)), vec3d_scale(way, 20));
            t.id[t.set.count - 1] = (uint32_t)i;
        }
        test_fluid_sort(&t, NULL);
        assert_true(foam_create(&foam, &rules, &memory, NULL) && foam_images_create(&images, H, 3, &memory));
        assert_true(foam_images_of(&images, NULL, &period, &t.fluid, &seen) && foam_find_potentials(&foam, &seen));
        for (size_t i = 0; i < seen.count; i++)
            if (!seen.is_image[i])
                crest[shift][seen.id[i]] = foam.potentials.wave_crest[i];
        foam_images_destroy(&images);
        foam_destroy(&foam);
        test_fluid_free(&whole);
        test_fluid_free(&t);
    }
    for (size_t i = 0; i < N; i++) {
        assert_near((double)crest[0][i], (double)crest[1][i], 2e-3);
        high += crest[0][i] > 0.1f;
    }
    assert_true(high > 10);
}

// Neighbours and trapped air of all particles are sums over the nearest images of all others.
static void sums_reach_across(void** state)
{
    Setting* s = setting_create(wild, 1);
    Period period = cube();
    size_t own = 0, at_border = 0;
    assert_true(foam_find_potentials(&s->foam, &s->seen));
    for (size_t i = 0; i < s->seen.count; i++) {
        if (s->seen.is_image[i])
            continue;
        double air = 0;
        int count = 0;
        Vec3d x = point(s->seen.position, i), v = point(s->seen.velocity, i);
        for (size_t j = 0; j < N; j++) {
            Vec3d apart = period_between(&period, point(s->t.position, j), x), rel = vec3d_sub(v, point(s->t.velocity, j));
            double r = vec3d_length(apart), speed = vec3d_length(rel);
            if (r >= H || s->t.id[j] == s->seen.id[i])
                continue;
            count++;
            air += speed > 0 ? speed * (1 - vec3d_dot(rel, apart) / (speed * r)) * (1 - r / H) : 0;
        }
        bool moves = 0.5 * vec3d_dot(v, v) >= s->foam.rules.kinetic_energy[0];
        assert_int_equal((int)s->foam.potentials.normal[i].w, count);
        assert_near((double)s->foam.potentials.trapped_air[i], moves ? air : 0, 1e-3 * (1 + air));
        own++;
        at_border += x.x < H || x.y < H || x.z < H;
    }
    assert_int_equal(own, N);
    assert_true(at_border > N / 4);
    setting_destroy(s);
}

static void images_bear_nothing(void** state)
{
    Setting* s = setting_create(wild, 0.2);
    uint64_t planned, own = 0;
    assert_true(foam_plan_births(&s->foam, &s->seen, 0.05, &planned));
    for (size_t i = 0; i < s->seen.count; i++) {
        assert_true(!s->seen.is_image[i] || s->foam.born[i] == 0);
        own += s->foam.born[i];
    }
    assert_true(s->seen.count > 2 * N && planned > 100 && own == planned);
    assert_true(foam_give_birth(&s->foam, &s->seen, NULL, 0.05));
    Period period = cube();
    for (size_t i = 0; i < s->foam.set.count; i++)
        assert_true(period_holds_point(&period, point(s->foam.position, i)));
    setting_destroy(s);
}

// In fluid that drifts as one and fills the domain bubbles stay bubbles, go with it and stay in the domain.
static void bubbles_drift_through(void** state)
{
    Setting* s = setting_create(drift, 1e6); // too slow for births
    Period period = cube();
    s->foam.rules.lifetime = 1e6;
    enum { BUBBLES = 200, STEPS = 40 };
    const double dt = 0.01;
    Vec3d start[BUBBLES], flow = drift(vec3d(0, 0, 0));
    Random random = {5};
    for (uint32_t k = 0; k < BUBBLES; k++) {
        start[k] = vec3d(LENGTH * random_unit(&random), LENGTH * random_unit(&random), LENGTH * random_unit(&random));
        FoamParticle p = {.position = start[k], .velocity = flow, .life = 1, .id = k, .kind = FOAM_BUBBLE};
        assert_true(foam_add(&s->foam, &p));
    }
    for (int step = 1; step <= STEPS; step++) {
        assert_true(foam_step(&s->foam, &s->seen, NULL, dt));
        assert_int_equal(s->foam.set.count, BUBBLES);
        for (size_t i = 0; i < BUBBLES; i++) {
            Vec3d x = point(s->foam.position, i), wanted = vec3d_mad(start[s->foam.id[i]], step * dt, flow);
            assert_true(period_holds_point(&period, x));
            assert_int_equal(s->foam.kind[i], FOAM_BUBBLE);
            assert_below(vec3d_length(period_between(&period, wanted, x)), 1e-5);
        }
    }
    setting_destroy(s);
}

// A particle that has crossed a border between two frames went the short way.
static void frames_go_the_short_way(void** state)
{
    Memory memory = {0};
    FoamRules rules = periodic_rules(1e6);
    Foam foam = {0};
    FoamBetween between = {0};
    assert_true(foam_create(&foam, &rules, &memory, NULL));
    assert_true(foam_between_create(&between, &rules, &memory, NULL));
    const float x[2][3] = {{0.19f, 0.1f, 0.005f}, {0.01f, 0.1f, 0.195f}}, v[3] = {0.2f, 0, -0.1f};
    const uint32_t id = 4;
    FoamFrame a = {0, 1, x[0], v, &id}, b = {0.1, 1, x[1], v, &id};
    assert_true(foam_between_frames(&between, &a, &b, &foam));
    const double share[3] = {0.25, 0.5, 0.75};
    for (int k = 0; k < 3; k++) {
        FoamFluid fluid;
        size_t own = 0;
        assert_true(foam_between_at(&between, share[k], &foam, &fluid));
        for (size_t i = 0; i < fluid.count; i++) {
            if (fluid.is_image[i])
                continue;
            own++;
            Vec3d at = point(fluid.position, i), going = point(fluid.velocity, i);
            Vec3d wanted = {0.19 + 0.02 * share[k], 0.1, 0.005 - 0.01 * share[k]};
            wanted.x -= wanted.x >= LENGTH ? LENGTH : 0;
            wanted.z += wanted.z < 0 ? LENGTH : 0;
            assert_below(vec3d_distance(at, wanted), 1e-6);
            assert_below(vec3d_distance(going, vec3d(0.2, 0, -0.1)), 1e-5);
        }
        assert_int_equal(own, 1);
        assert_int_equal(fluid.count, 4); // it is near a border along two axes
    }
    foam_between_destroy(&between);
    foam_destroy(&foam);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_reach_across),       cmocka_unit_test(crests_do_not_know_borders),
        cmocka_unit_test(images_bear_nothing),     cmocka_unit_test(bubbles_drift_through),
        cmocka_unit_test(frames_go_the_short_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
