// SPDX-License-Identifier: MIT
// Mass points: stiffness is the material's and not the solver's, bending is that of a plate, rigid motion costs nothing.
#include "elastic_support.h"

#include "elastic/elastic_parts.h"
#include <stdlib.h>
#include <string.h>

// --- stretching

// How much longer a strip of 0.1 x 0.02 m gets that hangs by one end and is pulled with 2 N at the other.
static double stretched(int substeps, double dt)
{
    TriMesh mesh = test_grid(0.1, 0.02, 20, 4);
    ElasticBodyDef def = test_sheet(&mesh);
    def.substeps = substeps;
    def.drag = 30;
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 1);
    int pin = elastic_add_pin(set, 0);
    ElasticSurface s = elastic_surface(set, 0);
    for (uint32_t k = 0; k < s.vertex_count; k++)
        if (s.position[k].x < -0.0499)
            assert_true(elastic_pin_vertex(set, 0, pin, k));
    double end = 0;
    for (double t = 0; t < 0.6; t += dt) {
        int count = 0;
        for (uint32_t k = 0; k < s.vertex_count; k++)
            if (k % 21 == 20) {
                s.force[k] = vec3d(2.0 / 4 * (k == 20 || k == 104 ? 0.5 : 1), 0, 0);
                count++;
            }
        assert_int_equal(count, 5);
        assert_true(elastic_step(set, dt));
    }
    for (uint32_t k = 0; k < s.vertex_count; k++)
        if (k % 21 == 20)
            end += s.position[k].x / 5;
    Vec3d force, torque;
    elastic_pin_force(set, 0, pin, &force, &torque);
    assert_near(force.x, 2, 0.02);
    test_set_destroy(set);
    tri_mesh_free(&mesh);
    return end - 0.05;
}

// sigma = 2 N / (0.02 m * 1 mm) = 1e5 Pa, strain 0.1. A net of springs follows Hooke's law of lengths; along the axes of a
// grid of right triangles it is stiffer than its mean over all directions, by 6/5 at most.
static void test_modulus(void** state)
{
    double got = stretched(0, 1e-3) / 0.1;
    assert_true(got > 0.1 / 1.2 && got < 0.1 * 1.02);
}

// What is left of the solver falls with the square of its step.
static void test_stiffness_is_not_the_solvers(void** state)
{
    double fine = stretched(128, 1e-3), half = stretched(64, 1e-3), quarter = stretched(32, 1e-3);
    assert_near((quarter - fine) / (half - fine), 5, 1);
    assert_near(half, fine, 0.01 * fine);
    assert_near(stretched(0, 1e-3), fine, 0.03 * fine);
    assert_near(stretched(0, 2e-3), fine, 0.03 * fine);
    assert_near(stretched(0, 0.25e-3), fine, 0.03 * fine);
}

// --- bending

// A sheet rolled to a cylinder of radius R has the energy D / (2 R^2) per area.
static void test_plate_energy(void** state)
{
    double radius = 0.2;
    TriMesh mesh = test_grid(0.1, 0.1, 40, 40);
    ElasticBodyDef def = test_sheet(&mesh);
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 1);
    Body* body = &set->body[0];
    for (size_t k = 0; k < body->point_count; k++) {
        Vec3d* x = &body->position[k];
        *x = vec3d(radius * sin(x->x / radius), radius * (1 - cos(x->x / radius)), x->z);
    }
    double rigidity = 1e6 * 1e-9 / (12 * (1 - 0.09)), expected = 0.5 * rigidity / (radius * radius) * 0.01;
    // inner edges cover all but the border, and chords are shorter than arcs: a little of the energy is stretching
    double got = elastic_totals(set).strain;
    assert_near(got, expected, 0.05 * expected);
    test_set_destroy(set);
    tri_mesh_free(&mesh);
}

// --- invariants

static void test_rigid_motion(void** state)
{
    TriMesh mesh = test_grid(0.2, 0.1, 12, 7);
    ElasticBodyDef def = test_sheet(&mesh);
    def.velocity = vec3d(0.3, -0.2, 0.1);
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 2);
    Body* body = &set->body[0];
    Quat turn = quat_normalise((Quat){0.7, 0.3, -0.5, 0.2});
    for (size_t k = 0; k < body->point_count; k++)
        body->position[k] = vec3d_add(quat_rotate(turn, body->rest[k]), vec3d(3, -2, 5));
    Vec3d before = body->position[17];
    for (int k = 0; k < 20; k++)
        assert_true(elastic_step(set, 1e-3));
    for (size_t k = 0; k < body->point_count; k++)
        assert_near(vec3d_distance(body->velocity[k], def.velocity), 0, 1e-6);
    assert_near(vec3d_distance(body->position[17], vec3d_mad(before, 0.02, def.velocity)), 0, 1e-8);
    test_set_destroy(set);
    tri_mesh_free(&mesh);
}

static void test_momentum(void** state)
{
    TriMesh mesh = test_grid(0.2, 0.1, 12, 7);
    ElasticBodyDef def = test_sheet(&mesh);
    def.damping = 1e-4;
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 2);
    Body* body = &set->body[0];
    uint64_t state_of_random = 7;
    for (size_t k = 0; k < body->point_count; k++) {
        state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
        double a = (double)(state_of_random >> 40) / 16777216 - 0.5;
        body->velocity[k] = vec3d(a, 2 * a * a, sin(20 * a));
        body->position[k].y += 0.003 * a;
    }
    ElasticTotals before = elastic_totals(set);
    for (int k = 0; k < 50; k++)
        assert_true(elastic_step(set, 1e-3));
    ElasticTotals after = elastic_totals(set);
    assert_near(vec3d_distance(after.momentum, before.momentum), 0, 1e-9 * vec3d_length(before.momentum));
    // constraint forces are central; positions move on by a velocity that is one substep newer
    assert_near(vec3d_distance(after.angular_momentum, before.angular_momentum), 0, 0.02 * vec3d_length(before.angular_momentum));
    assert_below(after.kinetic + after.strain, before.kinetic + before.strain);
    test_set_destroy(set);
    tri_mesh_free(&mesh);
}

static void test_threads(void** state)
{
    TriMesh mesh = test_grid(0.5, 0.5, 40, 40);
    ElasticBodyDef def = test_sheet(&mesh);
    size_t bytes = 0;
    char* saved[2];
    for (int run = 0; run < 2; run++) {
        ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), run ? 3 : 1);
        int pin = elastic_add_pin(set, 0);
        elastic_pin_vertex(set, 0, pin, 0);
        elastic_pin_vertex(set, 0, pin, 40);
        for (int k = 0; k < 20; k++)
            assert_true(elastic_step(set, 2e-3));
        bytes = elastic_state_bytes(set);
        saved[run] = malloc(bytes);
        elastic_save(set, saved[run]);
        test_set_destroy(set);
    }
    assert_memory_equal(saved[0], saved[1], bytes);
    free(saved[0]);
    free(saved[1]);
    tri_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modulus),      cmocka_unit_test(test_stiffness_is_not_the_solvers),
        cmocka_unit_test(test_plate_energy), cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_momentum),     cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
