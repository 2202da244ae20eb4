// SPDX-License-Identifier: MIT
// Finite elements that yield: a bar that is pulled and let go keeps the strain that theory says, below the yield stress it keeps
// none, stress above it decays with the given rate, and strains stop at their limit.
#include "bar.h"

#include "elastic/fem.h"
#include <stdlib.h>

static const double YOUNG = 1e5, YIELD = 2e3, LONG = 0.8;

static Bar bar(double yield, double creep, double most)
{
    Bar b = {.volume = test_volume(vec3d(LONG, 0.2, 0.2), 8, 2, 2)};
    ElasticBodyDef def = test_volume_def(&b.volume, MN_ELASTIC_FEM);
    def.young = YOUNG;
    def.poisson = 0.3;
    def.density = 1000;
    def.damping = 0.01;
    def.drag = 1;
    def.yield = yield;
    def.creep = creep;
    def.plastic_most = most;
    bar_pin(&b, &def, LONG);
    return b;
}

// The right end goes from one shift to another, in steps of 10 ms.
static void pull(Bar* b, double from, double to, int steps)
{
    for (int k = 0; k < steps; k++) {
        mn_Pose was = {.rotation = quat_identity()}, is = was;
        was.position.x = from + (to - from) * k / steps;
        is.position.x = from + (to - from) * (k + 1) / steps;
        elastic_move_pin(b->set, 0, b->end[1], &was, &is);
        assert_true(elastic_step(b->set, 0.01));
    }
}

static void let_go(Bar* b, int steps)
{
    for (int k = 0; k < 2; k++)
        elastic_release_pin(b->set, 0, b->end[k]);
    for (int k = 0; k < steps; k++)
        assert_true(elastic_step(b->set, 0.01));
}

// Of the middle half, far from what the ends do.
static double strain(const Bar* b)
{
    double left = 0, right = 0;
    int count = 0;
    for (size_t k = 0; k < b->body->point_count; k++) {
        bool is_left = fabs(b->body->rest[k].x + LONG / 4) < 1e-9, is_right = fabs(b->body->rest[k].x - LONG / 4) < 1e-9;
        left += is_left ? b->body->position[k].x : 0;
        right += is_right ? b->body->position[k].x : 0;
        count += is_left;
    }
    return (right - left) / count / (LONG / 2) - 1;
}

static double force(const Bar* b)
{
    Vec3d f, torque;
    elastic_pin_force(b->set, 0, b->end[1], &f, &torque);
    return fabs(f.x);
}

static void test_permanent_strain(void** state)
{
    Bar b = bar(YIELD, INFINITY, 1);
    pull(&b, 0, 0.06 * LONG, 200);
    pull(&b, 0.06 * LONG, 0.06 * LONG, 50);
    double pulled = strain(&b), stress = force(&b) / 0.04;
    let_go(&b, 150);
    double kept = strain(&b), expected = pulled - YIELD / YOUNG;
    print_message("pulled to %.4f with %.0f Pa, keeps %.5f, expected %.5f\n", pulled, stress, kept, expected);
    assert_near(stress, YIELD, 0.04 * YIELD); // over the area that it had
    assert_near(kept, expected, 0.01 * expected);
    bar_free(&b);
}

static void test_below_yield(void** state)
{
    Bar b = bar(YIELD, INFINITY, 1), elastic = bar(0, 0, 0);
    pull(&b, 0, 0.012 * LONG, 50);
    pull(&elastic, 0, 0.012 * LONG, 50);
    assert_memory_equal(b.body->position, elastic.body->position, b.body->point_count * sizeof(Vec3d));
    let_go(&b, 150);
    assert_near(strain(&b), 0, 1e-5);
    bar_free(&b);
    bar_free(&elastic);
}

// Held at a strain, the stress above the yield stress is exp(-creep t) of what it was; less so the stress as a whole, since the bar
// gets thinner. The rate does not depend on the step.
static void test_creep(void** state)
{
    Bar b = bar(YIELD, 2, 1);
    pull(&b, 0, 0.04 * LONG, 10);
    pull(&b, 0.04 * LONG, 0.04 * LONG, 30);
    double was = force(&b) / 0.04 - YIELD;
    pull(&b, 0.04 * LONG, 0.04 * LONG, 50);
    double is = force(&b) / 0.04 - YIELD;
    print_message("stress above yield: %.0f Pa, after 0.5 s %.0f Pa: %.3f, expected %.3f\n", was, is, is / was, exp(-1));
    assert_true(was > 0.2 * YIELD);
    assert_near(is / was, exp(-1), 0.06);
    bar_free(&b);
}

static void test_limit(void** state)
{
    Bar b = bar(YIELD, INFINITY, 0.03);
    pull(&b, 0, 0.1 * LONG, 200);
    pull(&b, 0.1 * LONG, 0.03 * LONG, 200); // let go at once it would be crushed by its own swing
    let_go(&b, 150);
    double expected = 0.03 / sqrt(1.5); // a bar gets thinner by half of it in two directions
    print_message("keeps %.5f, at most %.5f\n", strain(&b), expected);
    assert_near(strain(&b), expected, 0.03 * expected);
    bar_free(&b);
}

// Saved in the middle of a pull, and cut: strains go along.
static void test_state(void** state)
{
    Bar b = bar(YIELD, 5, 1), again = bar(YIELD, 5, 1);
    pull(&b, 0, 0.05 * LONG, 40);
    size_t opened, size;
    assert_true(elastic_cut(b.set, 0, vec3d(0, 0, 0), vec3d(0, 1, 0), &opened));
    assert_true(opened > 0);
    size = elastic_state_bytes(b.set);
    void *middle = malloc(size), *end = malloc(size), *same = malloc(size);
    elastic_save(b.set, middle);
    assert_true(elastic_load(again.set, middle, size));
    pull(&b, 0.05 * LONG, 0.06 * LONG, 20);
    pull(&again, 0.05 * LONG, 0.06 * LONG, 20);
    elastic_save(b.set, end);
    elastic_save(again.set, same);
    assert_memory_equal(end, same, size);
    const Fem* fem = b.body->state;
    double most = 0;
    for (size_t t = 0; t < b.body->tet_count; t++)
        most = fmax(most, fem->plastic.tet[t].at[0]);
    assert_true(most > 0.01);
    free(middle);
    free(end);
    free(same);
    bar_free(&b);
    bar_free(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permanent_strain),
        cmocka_unit_test(test_below_yield),
        cmocka_unit_test(test_creep),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
