// SPDX-License-Identifier: MIT
// Finite elements: forces are minus the gradient of the energy, uniform strain is exact, rigid motion costs nothing, what is
// inside out comes back, what is crushed hardens before it is.
#include "elastic_support.h"

#include "base/random.h"
#include "elastic/fem.h"
#include "mesh/tet_mesh.h"
#include <stdlib.h>
#include <string.h>

static void shake(Body* body, double size, uint64_t seed)
{
    Random random = {seed};
    for (size_t k = 0; k < body->point_count; k++)
        body->position[k] =
            vec3d_add(body->position[k], vec3d(random_range(&random, -size, size), random_range(&random, -size, size),
                                               random_range(&random, -size, size)));
}

static Vec3d* forces_of(ElasticSet* set)
{
    Body* body = &set->body[0];
    Vec3d* force = malloc(body->point_count * sizeof *force);
    assert_true(fem_forces(set, body, body->position, force));
    return force;
}

// --- forces

static void check_gradient(double size, uint64_t seed)
{
    TestVolume v = test_volume(vec3d(0.3, 0.2, 0.2), 2, 1, 2);
    ElasticBodyDef def = test_volume_def(&v, MN_ELASTIC_FEM);
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 1);
    Body* body = &set->body[0];
    shake(body, size, seed);
    Vec3d* force = forces_of(set);
    double most = 0, step = 1e-6;
    for (size_t k = 0; k < body->point_count; k++)
        most = fmax(most, vec3d_length(force[k]));
    for (size_t k = 0; k < 3 * body->point_count; k++) {
        double* x = &((double*)body->position)[k];
        double here = *x;
        *x = here + step;
        double above = elastic_totals(set).strain;
        *x = here - step;
        double below = elastic_totals(set).strain;
        *x = here;
        assert_near(((const double*)force)[k], -(above - below) / (2 * step), 2e-5 * most);
    }
    free(force);
    test_set_destroy(set);
    test_volume_free(&v);
}

static void test_forces_are_gradients(void** state)
{
    check_gradient(0.01, 1); // small strains
    check_gradient(0.05, 2); // large ones
    check_gradient(0.15, 3); // some tetrahedra are inside out
}

// Points inside a body under uniform strain feel no force, whatever the mesh.
static void test_patch(void** state)
{
    TestVolume v = test_volume(vec3d(0.3, 0.3, 0.3), 4, 4, 4);
    for (size_t k = 0; k < v.tets.point_count; k++) { // an uneven mesh
        Vec3d* p = &v.tets.point[k];
        if (fabs(p->x) < 0.149 && fabs(p->y) < 0.149 && fabs(p->z) < 0.149)
            *p = vec3d_add(*p, vec3d(0.01 * sin(50 * p->y + 1), 0.01 * cos(40 * p->z), 0.01 * sin(60 * p->x)));
    }
    ElasticBodyDef def = test_volume_def(&v, MN_ELASTIC_FEM);
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 2);
    Body* body = &set->body[0];
    for (size_t k = 0; k < body->point_count; k++) {
        Vec3d p = body->rest[k];
        body->position[k] = vec3d(1.1 * p.x + 0.05 * p.y, 0.97 * p.y + 0.02 * p.z, 1.02 * p.z - 0.03 * p.x);
    }
    Vec3d* force = forces_of(set);
    double inside = 0, outside = 0;
    for (size_t k = 0; k < body->point_count; k++) {
        Vec3d p = body->rest[k];
        bool in = fabs(p.x) < 0.149 && fabs(p.y) < 0.149 && fabs(p.z) < 0.149;
        inside = fmax(inside, in ? vec3d_length(force[k]) : 0);
        outside = fmax(outside, in ? 0 : vec3d_length(force[k]));
    }
    assert_true(outside > 1);
    assert_below(inside, 1e-10 * outside);
    // small uniform stretch: the stress of Hooke's law, by the energy
    double e = 1e-4, mu = 1e5 / 2.6, lambda = 1e5 * 0.3 / (1.3 * 0.4);
    for (size_t k = 0; k < body->point_count; k++)
        body->position[k] = vec3d(body->rest[k].x * (1 + e), body->rest[k].y, body->rest[k].z);
    assert_near(elastic_totals(set).strain, 0.027 * (mu + 0.5 * lambda) * e * e, 1e-9 * mu * e * e);
    free(force);
    test_set_destroy(set);
    test_volume_free(&v);
}

static void test_rigid_motion(void** state)
{
    TestVolume v = test_volume(vec3d(0.3, 0.2, 0.2), 3, 2, 2);
    ElasticBodyDef def = test_volume_def(&v, MN_ELASTIC_FEM);
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 1);
    Body* body = &set->body[0];
    Quat turn = quat_normalise((Quat){0.1, 0.8, -0.5, 0.4});
    for (size_t k = 0; k < body->point_count; k++)
        body->position[k] = vec3d_add(quat_rotate(turn, body->rest[k]), vec3d(5, 1, -3));
    Vec3d* force = forces_of(set);
    for (size_t k = 0; k < body->point_count; k++)
        assert_near(vec3d_length(force[k]), 0, 1e-8);
    assert_near(elastic_totals(set).strain, 0, 1e-15);
    free(force);
    test_set_destroy(set);
    test_volume_free(&v);
}

// --- motion

static void test_momentum(void** state)
{
    TestVolume v = test_volume(vec3d(0.3, 0.2, 0.2), 3, 2, 2);
    ElasticBodyDef def = test_volume_def(&v, MN_ELASTIC_FEM);
    def.velocity = vec3d(0.5, 0.2, 0);
    def.angular_velocity = vec3d(1, 2, 3);
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 2);
    shake(&set->body[0], 0.005, 4);
    ElasticTotals before = elastic_totals(set);
    for (int k = 0; k < 100; k++)
        assert_true(elastic_step(set, 1e-3));
    ElasticTotals after = elastic_totals(set);
    assert_near(vec3d_distance(after.momentum, before.momentum), 0, 1e-4 * vec3d_length(before.momentum));
    // of second order in the step
    assert_near(vec3d_distance(after.angular_momentum, before.angular_momentum), 0, 0.01 * vec3d_length(before.angular_momentum));
    test_set_destroy(set);
    test_volume_free(&v);
}

// A cube whose points are thrown about at random, most tetrahedra inside out, becomes a cube again.
static void test_inverted_recovers(void** state)
{
    TestVolume v = test_volume(vec3d(0.2, 0.2, 0.2), 3, 3, 3);
    ElasticBodyDef def = test_volume_def(&v, MN_ELASTIC_FEM);
    def.damping = 0.01;
    def.integrator = MN_INTEGRATOR_EULER;
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 2);
    Body* body = &set->body[0];
    double start = elastic_totals(set).strain;
    assert_near(start, 0, 1e-12);
    shake(body, 0.2, 5);
    double thrown = elastic_totals(set).strain;
    for (int k = 0; k < 400; k++)
        assert_true(elastic_step(set, 5e-3));
    assert_below(elastic_totals(set).strain, 1e-6 * thrown);
    test_set_destroy(set);
    test_volume_free(&v);
}

static double least_volume_ratio(const Body* body)
{
    double least = INFINITY;
    for (size_t k = 0; k < body->tet_count; k++) {
        const uint32_t* t = body->tet[k];
        const Vec3d *x = body->position, *r = body->rest;
        least = fmin(least, tet_volume(x[t[0]], x[t[1]], x[t[2]], x[t[3]]) / tet_volume(r[t[0]], r[t[1]], r[t[2]], r[t[3]]));
    }
    return least;
}

// A cube between two plates that press with half its modulus, unevenly, and let go: nothing turns inside out, and it is a
// cube again.
static void test_crushed_hardens(void** state)
{
    TestVolume v = test_volume(vec3d(0.2, 0.2, 0.2), 4, 4, 4);
    ElasticBodyDef def = test_volume_def(&v, MN_ELASTIC_FEM);
    def.damping = 0.01;
    def.integrator = MN_INTEGRATOR_EULER;
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 2);
    Body* body = &set->body[0];
    ElasticSurface surface = elastic_surface(set, 0);
    double least = INFINITY, pressed = 0;
    for (int step = 0; step < 300; step++) {
        for (size_t k = 0; k < surface.vertex_count && step < 100; k++) {
            Vec3d rest = v.surface.vertex[k];
            double uneven = k % 2 ? 1.5 : 0.5;
            if (fabs(rest.y) > 0.0999) // 25 vertices
                surface.force[k] = vec3d(0, (rest.y > 0 ? -1 : 1) * uneven * 5e4 * 0.04 / 25, 0);
        }
        assert_true(elastic_step(set, 2e-3));
        least = fmin(least, least_volume_ratio(body));
        pressed = step == 99 ? elastic_totals(set).strain : pressed;
    }
    print_message("least volume of a tetrahedron %.3f of that at rest, %.1f J\n", least, pressed);
    assert_true(least > 0);
    assert_below(elastic_totals(set).strain, 1e-3 * pressed); // what is left of its swinging
    test_set_destroy(set);
    test_volume_free(&v);
}

static void test_threads_and_state(void** state)
{
    TestVolume v = test_volume(vec3d(0.4, 0.1, 0.1), 16, 4, 4);
    ElasticBodyDef def = test_volume_def(&v, MN_ELASTIC_FEM);
    size_t bytes = 0;
    char* saved[3];
    for (int run = 0; run < 3; run++) {
        ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), run == 1 ? 3 : 1);
        int pin = elastic_add_pin(set, 0);
        for (uint32_t k = 0; k < v.surface.vertex_count; k++)
            if (v.surface.vertex[k].x < -0.199)
                elastic_pin_vertex(set, 0, pin, k);
        bytes = elastic_state_bytes(set);
        for (int k = 0; k < 10; k++) {
            if (run == 2 && k == 5) { // a new set goes on from the state
                char* half = malloc(bytes);
                elastic_save(set, half);
                elastic_destroy(set);
                set = test_set(&def, vec3d(0, -9.81, 0), 1);
                elastic_add_pin(set, 0);
                assert_true(elastic_load(set, half, elastic_state_bytes(set)));
                free(half);
            }
            assert_true(elastic_step(set, k == 3 ? 1e-3 : 2e-3));
        }
        saved[run] = malloc(bytes);
        elastic_save(set, saved[run]);
        test_set_destroy(set);
    }
    assert_memory_equal(saved[0], saved[1], bytes);
    assert_memory_equal(saved[0], saved[2], bytes);
    for (int run = 0; run < 3; run++)
        free(saved[run]);
    test_volume_free(&v);
}

static void test_bad_tets(void** state)
{
    TestVolume v = test_volume(vec3d(0.2, 0.2, 0.2), 1, 1, 1);
    uint32_t first = v.tets.tet[2][0];
    v.tets.tet[2][0] = v.tets.tet[2][1];
    v.tets.tet[2][1] = first;
    ElasticBodyDef def = test_volume_def(&v, MN_ELASTIC_FEM);
    ElasticSet* set = elastic_create(NULL, NULL, vec3d(0, 0, 0), 0.01);
    mn_Error error = {0};
    int body = -1;
    assert_int_equal(elastic_add_body(set, &def, &body, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "tetrahedron 2"));
    elastic_destroy(set);
    test_volume_free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_are_gradients), cmocka_unit_test(test_patch),
        cmocka_unit_test(test_rigid_motion),         cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_inverted_recovers),    cmocka_unit_test(test_crushed_hardens),
        cmocka_unit_test(test_threads_and_state),    cmocka_unit_test(test_bad_tets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
