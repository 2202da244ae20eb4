// SPDX-License-Identifier: MIT
// Cracks that take energy: a bar with a waist is pulled apart slowly, and what that costs is the toughness times the area that
// opened, for three meshes and three steps; by the work of the pins, and by the account of the bonds. Bonds are saved and loaded.
#include "bar.h"

#include <stdlib.h>
#include <string.h>

static const double YOUNG = 1e6, STRENGTH = 2e4, TOUGHNESS = 250, LONG = 0.4;

static Bar bar(int cells)
{
    Bar b = {.volume = bar_with_waist(LONG, 2 * cells, cells)};
    ElasticBodyDef def = test_volume_def(&b.volume, MN_ELASTIC_FEM);
    def.young = YOUNG;
    def.damping = 1e-3;
    def.strength = STRENGTH;
    def.toughness = TOUGHNESS;
    def.clean_cracks = true;
    bar_pin(&b, &def, LONG);
    return b;
}

static void step(Bar* b, double speed, double dt, int k, double* work, double* most)
{
    mn_Pose was = {.rotation = quat_identity()}, is = was;
    was.position.x = speed * dt * k;
    is.position.x = speed * dt * (k + 1);
    elastic_move_pin(b->set, 0, b->end[1], &was, &is);
    assert_true(elastic_step(b->set, dt));
    Vec3d force, torque;
    elastic_pin_force(b->set, 0, b->end[1], &force, &torque);
    *work += -force.x * speed * dt;
    if (k * dt > 0.02) // in the first step the pin also sets the end in motion
        *most = fmax(*most, -force.x);
    size_t opened;
    assert_true(elastic_break(b->set, &opened));
}

// Pulled until it is in two.
static void pull(int cells, double dt)
{
    Bar b = bar(cells);
    double work = 0, most = 0, speed = 0.08, costs = TOUGHNESS * 0.1 * 0.1; // the waist is 0.1 m wide
    for (int k = 0; k < (int)(0.03 / (speed * dt)); k++)
        step(&b, speed, dt, k, &work, &most);
    ElasticTotals t = elastic_totals(b.set);
    double spent = elastic_broken_energy(b.set), left = t.strain + t.kinetic;
    printf("%d cells, %g ms: at most %.1f kPa; cracks took %.3f of %.3f J, pins gave %.3f J, of which %.3f J are left\n", cells,
           1e3 * dt, 1e-3 * most / 0.01, spent, costs, work, left);
    assert_int_equal(elastic_pieces(b.set, 0), 2);
    assert_near(spent, costs, 0.1 * costs);
    assert_near(work - left, costs, 0.1 * costs); // some goes into inner friction
    assert_near(most / 0.01, STRENGTH, 0.1 * STRENGTH);
    bar_free(&b);
}

static void breaking_costs_the_toughness(void** state)
{
    for (int fine = 0; fine < 3; fine++)
        pull(3, 2e-3 / (1 << fine));
    pull(4, 1e-3);
    pull(5, 1e-3);
}

static void bonds_are_state(void** state)
{
    Bar a = bar(3), b = bar(3);
    double work = 0, most = 0;
    for (int k = 0; k < 120; k++)
        step(&a, 0.1, 1e-3, k, &work, &most);
    assert_true(a.body->bonds.count > 0 && elastic_broken_energy(a.set) > 0);
    size_t bytes = elastic_state_bytes(a.set);
    char *was = malloc(bytes), *is = malloc(bytes);
    elastic_save(a.set, was);
    assert_true(elastic_load(b.set, was, bytes));
    for (int k = 120; k < 130; k++) {
        step(&a, 0.1, 1e-3, k, &work, &most);
        step(&b, 0.1, 1e-3, k, &work, &most);
    }
    size_t now = elastic_state_bytes(a.set);
    was = realloc(was, now);
    is = realloc(is, now);
    assert_int_equal(elastic_state_bytes(b.set), now);
    elastic_save(a.set, was);
    elastic_save(b.set, is);
    assert_memory_equal(was, is, now);
    free(was);
    free(is);
    bar_free(&a);
    bar_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaking_costs_the_toughness),
        cmocka_unit_test(bonds_are_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
