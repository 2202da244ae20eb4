// SPDX-License-Identifier: MIT
// Finite elements that break: a bar with a waist that is pulled breaks there, at its strength, in two, with all of its mass and
// momentum; below its strength and under pressure it stays whole; what breaks to crumbs goes on.
#include "bar.h"

#include <stdlib.h>

static const double YOUNG = 1e6, STRENGTH = 2e4, LONG = 0.8;

static Bar bar(int cells, double strength)
{
    Bar b = {.volume = bar_with_waist(LONG, 4 * cells, cells)};
    ElasticBodyDef def = test_volume_def(&b.volume, MN_ELASTIC_FEM);
    def.young = YOUNG;
    def.damping = 2e-3;
    def.drag = 1;
    def.strength = strength;
    bar_pin(&b, &def, LONG);
    return b;
}

// Its ends go apart by `speed` [m/s] until it breaks or `steps` are done. Returns the largest force [N] on an end.
static double pull(Bar* b, double speed, int steps, size_t* out_opened)
{
    double dt = 4e-3, most = 0;
    *out_opened = 0;
    for (int k = 0; k < steps && elastic_pieces(b->set, 0) == 1; k++) {
        mn_Pose was = {.rotation = quat_identity()}, is = was;
        was.position.x = speed * dt * k;
        is.position.x = speed * dt * (k + 1);
        elastic_move_pin(b->set, 0, b->end[1], &was, &is);
        assert_true(elastic_step(b->set, dt));
        Vec3d force, torque;
        elastic_pin_force(b->set, 0, b->end[1], &force, &torque);
        most = fmax(most, fabs(force.x));
        size_t opened;
        double mass = elastic_mass(b->set, 0);
        Vec3d momentum = elastic_totals(b->set).momentum;
        assert_true(elastic_break(b->set, &opened));
        *out_opened += opened;
        assert_near(elastic_mass(b->set, 0), mass, 1e-13 * mass);
        assert_near(vec3d_distance(elastic_totals(b->set).momentum, momentum), 0, 1e-13 * mass);
    }
    return most;
}

// [m] where new faces are, on the mean
static double place_of_break(const Body* body)
{
    double sum = 0;
    size_t count = 0;
    for (size_t k = body->split.built_points; k < body->point_count; k++, count++)
        sum += body->rest[k].x;
    return count ? sum / (double)count : (double)INFINITY;
}

static void test_breaks_at_its_strength(void** state)
{
    for (int cells = 3; cells <= 5; cells++) {
        Bar b = bar(cells, STRENGTH);
        size_t opened;
        double force = pull(&b, 0.02, 400, &opened), stress = force / (bar_width(0, LONG) * bar_width(0, LONG));
        print_message("%d cells: breaks at %.0f Pa of %.0f, at x = %.3f m, %zu faces, %zu pieces\n", cells, stress, STRENGTH,
                      place_of_break(b.body), opened, elastic_pieces(b.set, 0));
        assert_int_equal(elastic_pieces(b.set, 0), 2);
        assert_int_equal(elastic_opened(b.set), opened);
        assert_near(stress, STRENGTH, 0.15 * STRENGTH);
        assert_near(place_of_break(b.body), 0, 0.1 * LONG);
        bar_free(&b);
    }
}

static void test_holds_below_it_and_under_pressure(void** state)
{
    Bar b = bar(3, STRENGTH);
    size_t opened;
    pull(&b, -0.03, 200, &opened); // ten times the strength
    assert_int_equal(opened, 0);
    bar_free(&b);
    b = bar(3, STRENGTH);
    pull(&b, 0.01, 60, &opened);
    assert_int_equal(opened, 0);
    bar_free(&b);
}

// So weak that it comes apart as it is thrown about.
static void test_crumbs(void** state)
{
    Bar b = bar(2, 20);
    size_t opened, all = 0;
    for (int k = 0; k < 2; k++)
        elastic_release_pin(b.set, 0, b.end[k]);
    for (size_t k = 0; k < b.body->point_count; k++)
        b.body->velocity[k] = vec3d(2 * sin(40 * b.body->rest[k].x), 2 * cos(50 * b.body->rest[k].y), sin(60 * b.body->rest[k].z));
    for (int k = 0; k < 60; k++) {
        assert_true(elastic_step(b.set, 2e-3));
        assert_true(elastic_break(b.set, &opened));
        all += opened;
    }
    print_message("%zu pieces of %zu tetrahedra, %zu faces opened\n", elastic_pieces(b.set, 0), b.body->tet_count, all);
    assert_true(elastic_pieces(b.set, 0) > 1 && all > 50);
    assert_int_equal(elastic_opened(b.set), all);
    bar_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breaks_at_its_strength),
        cmocka_unit_test(test_holds_below_it_and_under_pressure),
        cmocka_unit_test(test_crumbs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
