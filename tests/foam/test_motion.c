// SPDX-License-Identifier: MIT
// How diffuse particles move and change their kind, births and their limit.
#include "foam_support.h"

#include <stdlib.h>
#include <string.h>

static const double R = 0.01; // of fluid particles

static Vec3d rest(Vec3d x)
{
    return vec3d(0, 0, 0);
}
static Vec3d steady(Vec3d x)
{
    return vec3d(0.5, 0, 0.25);
}
static Vec3d chaos(Vec3d x)
{
    return vec3d(3 * sin(300 * x.y), 3 * cos(310 * x.x), 3 * sin(290 * x.z + 20 * x.x));
}

static void add(Foam* foam, Vec3d x, Vec3d v, FoamKind kind)
{
    FoamParticle p = {.position = x, .velocity = v, .life = 1, .id = (uint32_t)foam->set.count, .kind = kind};
    assert_true(foam_add(foam, &p));
    foam->state.next_id++;
}

static Vec3d place(const Foam* foam, size_t i)
{
    return vec3d((double)foam->position[i].x, (double)foam->position[i].y, (double)foam->position[i].z);
}

static void kinds_change_by_the_rules(void** state)
{
    FoamRules rules = test_rules(R, 3);
    assert_near(rules.spray_below, 6, 1e-12);
    assert_near(rules.bubbles_above, 20, 1e-12);
    // rows: neighbours; columns: what it becomes from spray, foam, bubble
    const struct {
        int neighbours;
        FoamKind to[3];
    } table[] = {{0, {FOAM_SPRAY, FOAM_SPRAY, FOAM_SPRAY}},    {5, {FOAM_SPRAY, FOAM_SPRAY, FOAM_SPRAY}},
                 {6, {FOAM_SPRAY, FOAM_FOAM, FOAM_FOAM}},      {7, {FOAM_SPRAY, FOAM_FOAM, FOAM_FOAM}},
                 {8, {FOAM_FOAM, FOAM_FOAM, FOAM_FOAM}},       {18, {FOAM_FOAM, FOAM_FOAM, FOAM_FOAM}},
                 {19, {FOAM_FOAM, FOAM_FOAM, FOAM_BUBBLE}},    {20, {FOAM_FOAM, FOAM_FOAM, FOAM_BUBBLE}},
                 {21, {FOAM_BUBBLE, FOAM_BUBBLE, FOAM_BUBBLE}}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        for (int was = 0; was < 3; was++)
            assert_int_equal(foam_kind(&rules, (FoamKind)was, table[k].neighbours), table[k].to[was]);
    // a number that goes to and fro by one at a bound changes the kind once at most
    FoamKind kind = FOAM_FOAM;
    int changes = 0;
    for (int k = 0; k < 20; k++) {
        FoamKind next = foam_kind(&rules, kind, 20 + k % 2);
        changes += next != kind;
        kind = next;
    }
    assert_int_equal(changes, 1);
}

static void spray_flies_a_parabola(void** state)
{
    TestFluid t;
    test_fluid_init(&t, 4 * R, 3);
    test_fluid_sort(&t, NULL);
    FoamRules rules = test_rules(R, 3);
    rules.air_drag = 0;
    Foam foam = {0};
    assert_true(foam_create(&foam, &rules, &t.memory, NULL));
    Vec3d x = {1, 2, 3}, v = {2, 4, -1};
    add(&foam, x, v, FOAM_SPRAY);
    double dt = 0.02;
    for (int k = 1; k <= 25; k++) {
        assert_true(foam_step(&foam, &t.fluid, NULL, dt));
        double s = k * dt;
        Vec3d expected = vec3d_mad(vec3d_mad(x, s, v), 0.5 * s * s, rules.gravity);
        assert_near(vec3d_distance(place(&foam, 0), expected), 0, 2e-5);
        assert_int_equal(foam.kind[0], FOAM_SPRAY);
        assert_near((double)foam.velocity[0].w, s, 1e-5);
    }
    // air slows it down: the same way for one long step as for many short ones
    rules.air_drag = 2;
    Foam slow = {0}, fast = {0};
    assert_true(foam_create(&slow, &rules, &t.memory, NULL) && foam_create(&fast, &rules, &t.memory, NULL));
    add(&slow, x, v, FOAM_SPRAY);
    add(&fast, x, v, FOAM_SPRAY);
    assert_true(foam_step(&slow, &t.fluid, NULL, 0.5));
    for (int k = 0; k < 50; k++)
        assert_true(foam_step(&fast, &t.fluid, NULL, 0.01));
    assert_near(vec3d_distance(place(&slow, 0), place(&fast, 0)), 0, 1e-5);
    assert_true(place(&slow, 0).x < x.x + 0.5 * v.x - 0.1);
    foam_destroy(&foam);
    foam_destroy(&slow);
    foam_destroy(&fast);
    test_fluid_free(&t);
}

static void bubble_rises_at_its_terminal_speed(void** state)
{
    TestFluid t;
    test_fluid_init(&t, 4 * R, 3);
    test_fluid_block(&t, vec3d(0, 0, 0), 12, 40, 12, 2 * R, 0.1, steady);
    test_fluid_sort(&t, NULL);
    FoamRules rules = test_rules(R, 3);
    rules.trapped_air_rate = rules.wave_crest_rate = 0;
    double terminal = rules.buoyancy * 9.81 / rules.drag;
    assert_near(terminal, 0.7 * sqrt(9.81 * 2 * R), 1e-9);
    Foam foam = {0};
    assert_true(foam_create(&foam, &rules, &t.memory, NULL));
    add(&foam, vec3d(0.1, 0.12, 0.1), vec3d(0.5, 0, 0.25), FOAM_BUBBLE);
    double dt = 0.005;
    for (int k = 0; k < 20; k++)
        assert_true(foam_step(&foam, &t.fluid, NULL, dt));
    Vec3d before = place(&foam, 0);
    for (int k = 0; k < 10; k++)
        assert_true(foam_step(&foam, &t.fluid, NULL, dt));
    Vec3d path = vec3d_sub(place(&foam, 0), before);
    assert_int_equal(foam.kind[0], FOAM_BUBBLE);
    assert_near(path.y / (10 * dt), terminal, 0.01 * terminal);
    assert_near(path.x / (10 * dt), 0.5, 0.005); // with the fluid besides
    assert_near(path.z / (10 * dt), 0.25, 0.005);
    foam_destroy(&foam);
    test_fluid_free(&t);
}

static void foam_goes_with_the_fluid_and_decays(void** state)
{
    TestFluid t;
    test_fluid_init(&t, 4 * R, 3);
    test_fluid_block(&t, vec3d(0, 0, 0), 20, 4, 20, 2 * R, 0, steady);
    test_fluid_sort(&t, NULL);
    FoamRules rules = test_rules(R, 3);
    rules.lifetime = 1;
    rules.trapped_air_rate = rules.wave_crest_rate = 0;
    Foam foam = {0};
    assert_true(foam_create(&foam, &rules, &t.memory, NULL));
    enum { N = 400 };
    for (int k = 0; k < N; k++)
        add(&foam, vec3d(0.1 + 0.0005 * k, 0.082, 0.2), vec3d(0, 0, 0), FOAM_FOAM); // just above the surface
    Vec3d before = place(&foam, 0);
    assert_true(foam_step(&foam, &t.fluid, NULL, 0.01));
    assert_int_equal(foam.set.count, N);
    assert_int_equal(foam.kind[0], FOAM_FOAM);
    assert_near(place(&foam, 0).x - before.x, 0.005, 1e-5);
    assert_near(place(&foam, 0).y - before.y, 0, 1e-6);
    // with fluid at rest it stays in place, and half of it is left after its mean life
    for (size_t i = 0; i < t.set.count; i++)
        t.velocity[i] = (Vec4){0, 0, 0, 0};
    for (int k = 1; k < 40; k++)
        assert_true(foam_step(&foam, &t.fluid, NULL, 0.01));
    assert_int_equal(foam.set.count, N); // the shortest life is half of the mean
    for (int k = 40; k < 100; k++)
        assert_true(foam_step(&foam, &t.fluid, NULL, 0.01));
    assert_near((double)foam.set.count, 0.5 * N, 0.1 * N);
    for (int k = 100; k < 152; k++)
        assert_true(foam_step(&foam, &t.fluid, NULL, 0.01));
    assert_int_equal(foam.set.count, 0);
    foam_destroy(&foam);
    test_fluid_free(&t);
}

static void nothing_is_made_at_rest(void** state)
{
    TestFluid t;
    test_fluid_init(&t, 4 * R, 3);
    test_fluid_block(&t, vec3d(0, 0, 0), 10, 10, 10, 2 * R, 0.2, rest);
    test_fluid_sort(&t, NULL);
    FoamRules rules = test_rules(R, 3);
    Foam foam = {0};
    assert_true(foam_create(&foam, &rules, &t.memory, NULL));
    for (int k = 0; k < 100; k++)
        assert_true(foam_step(&foam, &t.fluid, NULL, 0.02));
    assert_int_equal(foam.state.next_id, 0);
    foam_destroy(&foam);
    test_fluid_free(&t);
}

// So many as expected: the sum of chances is a sum of rates, whatever the step.
static void births_follow_their_rate(void** state)
{
    TestFluid t;
    test_fluid_init(&t, 4 * R, 3);
    test_fluid_block(&t, vec3d(0, 0, 0), 16, 16, 16, 2 * R, 0.2, chaos);
    test_fluid_sort(&t, NULL);
    FoamRules rules = test_rules(R, 3);
    rules.lifetime = 1e9;
    double born[3];
    const double steps[3] = {0.04, 0.01, 0.0025};
    for (int k = 0; k < 3; k++) {
        Foam foam = {0};
        assert_true(foam_create(&foam, &rules, &t.memory, NULL));
        for (int s = 0; s < (int)(0.04 / steps[k] + 0.5); s++)
            assert_true(foam_step(&foam, &t.fluid, NULL, steps[k]));
        born[k] = (double)foam.state.next_id;
        foam_destroy(&foam);
    }
    assert_true(born[0] > 1000);
    assert_near(born[1] / born[0], 1, 5 / sqrt(born[0]));
    assert_near(born[2] / born[0], 1, 5 / sqrt(born[0]));
    test_fluid_free(&t);
}

static void limit_is_kept_and_reached_smoothly(void** state)
{
    TestFluid t;
    test_fluid_init(&t, 4 * R, 3);
    test_fluid_block(&t, vec3d(0, 0, 0), 16, 16, 16, 2 * R, 0.2, chaos);
    test_fluid_sort(&t, NULL);
    FoamRules rules = test_rules(R, 3);
    rules.lifetime = 1e9;
    rules.limit = 2000;
    rules.air_drag = 0;
    Foam foam = {0};
    assert_true(foam_create(&foam, &rules, &t.memory, NULL));
    size_t last = 0, grew = 0;
    for (int s = 0; s < 200; s++) {
        assert_true(foam_step(&foam, &t.fluid, NULL, 0.0002));
        assert_true(foam.set.count <= 2000);
        grew += foam.set.count > last;
        last = foam.set.count;
    }
    assert_true(last > 1200); // thresholds rise, they do not close at half
    assert_true(grew > 15);   // and not at once
    // one step that is far too long for the limit
    rules.limit = 500;
    Foam burst = {0};
    assert_true(foam_create(&burst, &rules, &t.memory, NULL));
    assert_true(foam_step(&burst, &t.fluid, NULL, 0.1));
    assert_true(burst.set.count <= 500 && burst.set.count > 300);
    foam_destroy(&burst);
    foam_destroy(&foam);
    test_fluid_free(&t);
}

static int by_id(const void* a, const void* b)
{
    uint32_t x = ((const uint32_t*)a)[8], y = ((const uint32_t*)b)[8];
    return (x > y) - (x < y);
}

// All of it in the order of ids: position, velocity, id, kind.
static uint32_t* record(const Foam* foam)
{
    uint32_t(*out)[10] = calloc(foam->set.count + 1, sizeof *out);
    for (size_t i = 0; i < foam->set.count; i++) {
        memcpy(out[i], &foam->position[i], 16);
        memcpy(out[i] + 4, &foam->velocity[i], 16);
        out[i][8] = foam->id[i];
        out[i][9] = foam->kind[i];
    }
    qsort(out, foam->set.count, sizeof *out, by_id);
    return out[0];
}

static void same_for_any_number_of_threads_and_order(void** state)
{
    Pool* pool = pool_create(3);
    uint32_t* result[3];
    size_t count[3];
    for (int k = 0; k < 3; k++) {
        TestFluid t;
        test_fluid_init(&t, 4 * R, 3);
        test_fluid_block(&t, vec3d(0, 0, 0), 24, 16, 16, 2 * R, 0.2, chaos);
        test_fluid_sort(&t, k ? pool : NULL);
        FoamRules rules = test_rules(R, 3);
        Foam foam = {0};
        assert_true(foam_create(&foam, &rules, &t.memory, k ? pool : NULL));
        for (int s = 0; s < 40; s++) {
            if (k == 2 && s == 7) // what is kept in another order moves alike
                for (size_t i = 0; 2 * i + 1 < foam.set.count; i++) {
                    size_t j = foam.set.count - 1 - i;
                    Vec4 x = foam.position[i], v = foam.velocity[i];
                    uint32_t id = foam.id[i];
                    uint8_t kind = foam.kind[i];
                    foam.position[i] = foam.position[j], foam.velocity[i] = foam.velocity[j];
                    foam.id[i] = foam.id[j], foam.kind[i] = foam.kind[j];
                    foam.position[j] = x, foam.velocity[j] = v, foam.id[j] = id, foam.kind[j] = kind;
                }
            assert_true(foam_step(&foam, &t.fluid, NULL, 0.002));
        }
        count[k] = foam.set.count;
        result[k] = record(&foam);
        foam_destroy(&foam);
        test_fluid_free(&t);
    }
    assert_true(count[0] > 2000);
    for (int k = 1; k < 3; k++) {
        assert_int_equal(count[k], count[0]);
        assert_memory_equal(result[k], result[0], count[0] * 40);
    }
    for (int k = 0; k < 3; k++)
        free(result[k]);
    pool_destroy(pool);
}

// All thresholds, rates and times follow the scene's size: what is similar by Froude's number foams alike.
static void rules_scale_with_the_scene(void** state)
{
    FoamRules small = test_rules(0.0005, 1), large = test_rules(0.5, sqrt(1000));
    double s = sqrt(1000); // of speeds and times
    assert_near(large.trapped_air[0] / small.trapped_air[0], s, 1e-9 * s);
    assert_near(large.kinetic_energy[1] / small.kinetic_energy[1], 1000, 1e-6);
    assert_near(large.lifetime / small.lifetime, s, 1e-9 * s);
    assert_near(small.trapped_air_rate / large.trapped_air_rate, s, 1e-9 * s);
    assert_near(small.drag / large.drag, s, 1e-9 * s);
    assert_near(large.wave_crest[0], small.wave_crest[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_change_by_the_rules),
        cmocka_unit_test(spray_flies_a_parabola),
        cmocka_unit_test(bubble_rises_at_its_terminal_speed),
        cmocka_unit_test(foam_goes_with_the_fluid_and_decays),
        cmocka_unit_test(nothing_is_made_at_rest),
        cmocka_unit_test(births_follow_their_rate),
        cmocka_unit_test(limit_is_kept_and_reached_smoothly),
        cmocka_unit_test(same_for_any_number_of_threads_and_order),
        cmocka_unit_test(rules_scale_with_the_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
