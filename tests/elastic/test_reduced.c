// SPDX-License-Identifier: MIT
// The reduced model: its subspace, its matrices, against finite elements, and what a solid has to keep: momentum, pins, obstacles,
// its state.
#include "reduced_support.h"

#include "base/random.h"
#include "elastic/elastic_parts.h"
#include "elastic/reduced/dense.h"
#include "mesh/inside.h"
#include "mesh/shape.h"
#include <stdlib.h>
#include <string.h>

// --- parts

static void test_dense(void** state)
{
    enum { N = 23 };
    double a[N * N], factor[N * N], inverse[N * N], x[3 * N], b[3 * N];
    Random random = {7};
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            a[i * N + j] = a[j * N + i] = random_range(&random, -1, 1) + (i == j ? 12 : 0);
    memcpy(factor, a, sizeof a);
    assert_true(dense_factor(factor, N));
    dense_inverse(factor, N, inverse);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i * N + k] * inverse[k * N + j];
            assert_near(sum, i == j, 1e-13);
        }
    for (int k = 0; k < 3 * N; k++)
        x[k] = random_range(&random, -1, 1);
    dense_times3(a, N, x, b);
    dense_solve3(factor, N, b);
    for (int k = 0; k < 3 * N; k++)
        assert_near(b[k], x[k], 1e-13);
    a[5 * N + 5] = -1;
    assert_false(dense_factor(a, N)); // not positive
}

static void test_subspace(void** state)
{
    TestVolume v = test_volume(vec3d(0.8, 0.2, 0.2), 16, 4, 4);
    EdgeGraph graph;
    Subspace few, many;
    size_t missed = 0;
    assert_true(
        edge_graph_create(&graph, NULL, v.tets.point, v.tets.point_count, (const uint32_t(*)[4])v.tets.tet, v.tets.tet_count));
    assert_true(subspace_create(&few, NULL, &graph, 5, &missed) && subspace_create(&many, NULL, &graph, 15, &missed));
    assert_below(many.cover, few.cover);
    assert_memory_equal(few.sample, many.sample, 5 * sizeof *few.sample); // the same points, then more
    size_t entries = many.start[many.points];
    assert_true(entries < 9 * many.points); // not all handles move all points
    for (size_t i = 0; i < many.points; i++) {
        double sum = 0;
        for (uint32_t k = many.start[i]; k < many.start[i + 1]; k++) {
            sum += many.weight[k];
            assert_true(many.weight[k] > 0 && (k == many.start[i] || many.handle[k] > many.handle[k - 1]));
        }
        assert_near(sum, 1, 1e-14);
    }
    subspace_free(&few);
    subspace_free(&many);
    edge_graph_free(&graph);
    test_volume_free(&v);
}

// Two boxes in one mesh.
static void test_parts(void** state)
{
    TestVolume v = test_volume(vec3d(0.2, 0.2, 0.2), 3, 3, 3);
    size_t points = v.tets.point_count, tets = v.tets.tet_count;
    for (size_t k = 0; k < points; k++)
        assert_true(tet_mesh_add_point(&v.tets, vec3d_add(v.tets.point[k], vec3d(1, 0, 0))));
    for (size_t k = 0; k < tets; k++) {
        uint32_t t[4];
        for (int c = 0; c < 4; c++)
            t[c] = v.tets.tet[k][c] + (uint32_t)points;
        assert_true(tet_mesh_add_tet(&v.tets, t[0], t[1], t[2], t[3]));
    }
    tri_mesh_free(&v.surface);
    memory_give(NULL, v.point_of);
    v.surface = (TriMesh){0};
    assert_true(tet_mesh_surface(&v.tets, &v.surface, &v.point_of));
    ElasticBodyDef def = reduced_def(&v, 1, 200);
    ElasticSet* set = elastic_create(NULL, NULL, vec3d(0, 0, 0), 0.01);
    mn_Error error = {0};
    int body;
    assert_int_equal(elastic_add_body(set, &def, &body, &error), MN_BAD_INPUT);
    assert_string_equal(error.key, "handles");
    assert_non_null(strstr(error.message, "2 parts"));
    def.handles = 2;
    assert_int_equal(elastic_add_body(set, &def, &body, &error), MN_OK);
    elastic_destroy(set);
    test_volume_free(&v);
}

// --- against finite elements

static double tip_of(mn_ElasticModel model, double poisson, int handles, int projections)
{
    TestVolume v = test_volume(vec3d(0.4, 0.1, 0.1), 24, 6, 6);
    ElasticBodyDef def = reduced_def(&v, handles, projections);
    def.model = model;
    def.young = 1e6;
    def.poisson = poisson;
    def.integrator = MN_INTEGRATOR_EULER;
    def.damping = 0.005;
    ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), 2);
    int pin = elastic_add_pin(set, 0);
    for (uint32_t k = 0; k < v.surface.vertex_count; k++)
        if (v.surface.vertex[k].x < -0.2 + 1e-9)
            assert_true(elastic_pin_vertex(set, 0, pin, k));
    for (int k = 0; k < (model == MN_ELASTIC_FEM ? 12 : 100); k++)
        assert_true(elastic_step(set, 0.05));
    Vec3d force, torque;
    elastic_pin_force(set, 0, pin, &force, &torque);
    assert_near(force.y, -9.81 * elastic_mass(set, 0), 0.02 * 9.81 * elastic_mass(set, 0));
    ElasticSurface s = elastic_surface(set, 0);
    double sum = 0, count = 0, held = 0;
    for (size_t k = 0; k < s.vertex_count; k++) {
        double way = vec3d_distance(s.position[k], v.surface.vertex[k]);
        if (v.surface.vertex[k].x < -0.2 + 1e-9)
            held = fmax(held, way);
        if (v.surface.vertex[k].x > 0.2 - 1e-9) {
            sum += v.surface.vertex[k].y - s.position[k].y;
            count++;
        }
    }
    assert_below(held, 5e-5);
    test_set_destroy(set);
    test_volume_free(&v);
    return sum / count;
}

static void test_cantilever(void** state)
{
    double fem = tip_of(MN_ELASTIC_FEM, 0.3, 0, 0), reduced = tip_of(MN_ELASTIC_REDUCED, 0.3, 60, 900);
    printf("tip: fem %.4f m, reduced %.4f m, ratio %.3f\n", fem, reduced, reduced / fem);
    assert_near(reduced, fem, 0.1 * fem);
    fem = tip_of(MN_ELASTIC_FEM, 0.45, 0, 0);
    reduced = tip_of(MN_ELASTIC_REDUCED, 0.45, 60, 900);
    printf("nu = 0.45: fem %.4f m, reduced %.4f m, ratio %.3f\n", fem, reduced, reduced / fem);
    assert_near(reduced, fem, 0.1 * fem);
}

// --- what a body keeps

// Of any size, Froude-scaled.
static void check_spin(mn_ElasticIntegrator integrator, double young, double scale)
{
    TestVolume v = test_volume(vec3d(0.4 * scale, 0.1 * scale, 0.1 * scale), 8, 2, 2);
    ElasticBodyDef def = reduced_def(&v, 8, 60);
    def.integrator = integrator;
    def.young = young * scale;
    def.angular_velocity = vec3d_scale(vec3d(1, 2, 9), 1 / sqrt(scale));
    def.velocity = vec3d_scale(vec3d(0.3, 0.1, -0.2), sqrt(scale));
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 2);
    ElasticTotals start = elastic_totals(set), now = start;
    for (int k = 0; k < 200; k++) {
        assert_true(elastic_step(set, sqrt(scale) / 60));
        now = elastic_totals(set);
        assert_below(now.kinetic + now.strain, 1.0005 * (start.kinetic + start.strain));
    }
    assert_below(vec3d_distance(now.momentum, start.momentum), 1e-6 * vec3d_length(start.momentum));
    assert_below(vec3d_distance(now.angular_momentum, start.angular_momentum), 1e-2 * vec3d_length(start.angular_momentum));
    assert_true(now.kinetic + now.strain > 0.93 * (start.kinetic + start.strain)); // it still turns
    test_set_destroy(set);
    test_volume_free(&v);
}

static void test_momentum(void** state)
{
    check_spin(MN_INTEGRATOR_EULER, 1e6, 1);
    check_spin(MN_INTEGRATOR_BDF2, 1e6, 1);
    check_spin(MN_INTEGRATOR_BDF2, 2e4, 1);
    check_spin(MN_INTEGRATOR_BDF2, 2e4, 1e-3);
    check_spin(MN_INTEGRATOR_EULER, 1e6, 30);
}

// A bar that swings loses energy, more of it with damping.
static double energy_left(double damping, mn_ElasticIntegrator integrator)
{
    TestVolume v = test_volume(vec3d(0.4, 0.1, 0.1), 8, 2, 2);
    ElasticBodyDef def = reduced_def(&v, 10, 100);
    def.integrator = integrator;
    def.damping = damping;
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 1);
    throw_ends(set->body[0].velocity, set->body[0].rest, set->body[0].point_count);
    Reduced* s = set->body[0].state;
    reduced_fit(s, &set->body[0], set->body[0].mass, set->body[0].velocity, s->v);
    reduced_show(s, NULL, &set->body[0]);
    ElasticTotals t = elastic_totals(set);
    double start = t.kinetic + t.strain, last = start, rigid;
    for (int k = 0; k < 150; k++) {
        assert_true(elastic_step(set, 2e-3));
        t = elastic_totals(set);
        assert_below(t.kinetic + t.strain, 1.01 * last);
        last = fmin(last, t.kinetic + t.strain);
    }
    rigid = 0.5 * vec3d_dot(t.momentum, t.momentum) / elastic_mass(set, 0);
    test_set_destroy(set);
    test_volume_free(&v);
    return (t.kinetic + t.strain - rigid) / (start - rigid);
}

static void test_energy(void** state)
{
    double euler = energy_left(0, MN_INTEGRATOR_EULER), bdf2 = energy_left(0, MN_INTEGRATOR_BDF2),
           damped = energy_left(0.01, MN_INTEGRATOR_BDF2);
    printf("energy left after 0.3 s: euler %.3f, bdf2 %.3f, damped %.3f\n", euler, bdf2, damped);
    assert_below(euler, bdf2);
    assert_below(damped, 0.8 * bdf2);
}

static void test_free_fall(void** state)
{
    TestVolume v = test_volume(vec3d(0.2, 0.2, 0.2), 3, 3, 3);
    ElasticBodyDef def = reduced_def(&v, 8, 60);
    ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), 1);
    for (int k = 0; k < 30; k++)
        assert_true(elastic_step(set, 0.01));
    Vec3d velocity;
    elastic_centre(set, 0, &velocity);
    assert_near(velocity.y, -9.81 * 0.3, 1e-6);
    assert_below(elastic_totals(set).strain, 1e-9); // [J]
    test_set_destroy(set);
    test_volume_free(&v);
}

// A pin pulls a body along, and lets go.
static void test_pins(void** state)
{
    TestVolume v = test_volume(vec3d(0.4, 0.1, 0.1), 8, 2, 2);
    ElasticBodyDef def = reduced_def(&v, 10, 100);
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 1);
    int pin = elastic_add_pin(set, 0);
    for (uint32_t k = 0; k < v.surface.vertex_count; k++)
        if (v.surface.vertex[k].x < -0.2 + 1e-9)
            assert_true(elastic_pin_vertex(set, 0, pin, k));
    mn_Pose from = {.rotation = quat_identity()}, to = from;
    for (int k = 0; k < 60; k++) {
        to.position.y = 0.01 * (k + 1);
        elastic_move_pin(set, 0, pin, &from, &to);
        assert_true(elastic_step(set, 0.01));
        from = to;
    }
    ElasticSurface s = elastic_surface(set, 0);
    for (size_t k = 0; k < s.vertex_count; k++)
        if (v.surface.vertex[k].x < -0.2 + 1e-9)
            assert_near(s.position[k].y - v.surface.vertex[k].y, 0.6, 2e-3);
    elastic_release_pin(set, 0, pin);
    Vec3d before, after;
    elastic_centre(set, 0, &before);
    assert_true(before.y > 0.5);
    for (int k = 0; k < 20; k++)
        assert_true(elastic_step(set, 0.01));
    elastic_centre(set, 0, &after);
    assert_below(vec3d_distance(before, after), 1e-6); // nothing holds it any more
    test_set_destroy(set);
    test_volume_free(&v);
}

// An impulse on one vertex is that of the body afterwards.
static void test_impulse(void** state)
{
    TestVolume v = test_volume(vec3d(0.4, 0.1, 0.1), 8, 2, 2);
    ElasticBodyDef def = reduced_def(&v, 10, 100);
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 1);
    Vec3d impulse = {0.1, 0.2, -0.3}, at = v.surface.vertex[7];
    assert_true(elastic_step(set, 0.01));
    elastic_apply_impulse(set, 0, 7, impulse);
    assert_true(elastic_step(set, 0.01));
    ElasticTotals t = elastic_totals(set);
    assert_below(vec3d_distance(t.momentum, impulse), 1e-7);
    assert_below(vec3d_distance(t.angular_momentum, vec3d_cross(at, impulse)), 1e-7);
    test_set_destroy(set);
    test_volume_free(&v);
}

// --- solids

typedef struct Floor {
    TriMesh mesh;
    InsideTest* test;
} Floor;

static int add_floor(ElasticSet* set, Floor* floor, double friction)
{
    mn_Shape shape = {.type = MN_SHAPE_BOX, .size = {4, 0.4, 4}};
    *floor = (Floor){0};
    assert_int_equal(shape_build(&shape, 3, 0.001, NULL, &floor->mesh, NULL), MN_OK);
    floor->test = inside_create(&floor->mesh, NULL);
    return elastic_add_obstacle(set, &(ElasticObstacleDef){.mesh = &floor->mesh,
                                                           .test = floor->test,
                                                           .closed = true,
                                                           .friction = friction,
                                                           .bound_radius = 3,
                                                           .pose = {{0, -0.5, 0}, quat_identity()}});
}

static void floor_free(Floor* floor)
{
    tri_mesh_free(&floor->mesh);
    inside_destroy(floor->test);
}

static void test_floor(void** state)
{
    TestVolume v = test_volume(vec3d(0.3, 0.2, 0.2), 6, 4, 4);
    ElasticBodyDef def = reduced_def(&v, 12, 200);
    def.contact = true;
    def.friction = 0.5;
    def.young = 2e5;
    def.damping = 0.005;
    ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), 1);
    Floor floor;
    int obstacle = add_floor(set, &floor, 0.5);
    mn_Pose pose = {{0, -0.5, 0}, quat_identity()};
    double lowest = 0, weight = 9.81 * elastic_mass(set, 0), pushed = 0;
    for (int k = 0; k < 200; k++) {
        Vec3d impulse, moment;
        elastic_move_obstacle(set, obstacle, &pose, &pose);
        assert_true(elastic_step(set, 5e-3));
        elastic_obstacle_impulse(set, obstacle, &impulse, &moment);
        pushed = k < 160 ? 0 : pushed - impulse.y / 40;
        ElasticSurface s = elastic_surface(set, 0);
        lowest = 1;
        for (size_t i = 0; i < s.vertex_count; i++)
            lowest = fmin(lowest, s.position[i].y);
        assert_true(lowest > -0.3 - 2e-3); // [m] the floor's top is at -0.3
    }
    assert_near(lowest, -0.3 + 0.5e-3, 1e-3);
    assert_near(pushed / 5e-3, weight, 0.05 * weight);
    assert_below(elastic_totals(set).kinetic, 1e-3);
    test_set_destroy(set);
    floor_free(&floor);
    test_volume_free(&v);
}

// One flies into another that rests: they part, and momentum is what it was.
static void test_two_bodies(void** state)
{
    TestVolume a = test_volume(vec3d(0.2, 0.2, 0.2), 4, 4, 4), b = test_volume(vec3d(0.2, 0.2, 0.2), 4, 4, 4);
    for (size_t k = 0; k < b.tets.point_count; k++)
        b.tets.point[k] = vec3d_add(b.tets.point[k], vec3d(0.3, 0.03, 0.02));
    for (size_t k = 0; k < b.surface.vertex_count; k++)
        b.surface.vertex[k] = vec3d_add(b.surface.vertex[k], vec3d(0.3, 0.03, 0.02));
    ElasticBodyDef def = reduced_def(&a, 8, 100), other = reduced_def(&b, 8, 100);
    def.contact = other.contact = true;
    def.velocity = vec3d(1, 0, 0);
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 1);
    int body;
    assert_int_equal(elastic_add_body(set, &other, &body, NULL), MN_OK);
    Vec3d before = elastic_totals(set).momentum, va, vb;
    for (int k = 0; k < 150; k++) {
        assert_true(elastic_step(set, 4e-3));
        Vec3d xa = elastic_centre(set, 0, &va), xb = elastic_centre(set, 1, &vb);
        assert_true(xb.x - xa.x > 0.12); // [m] the two are 0.2 m long
    }
    printf("speeds after they met: %.3f and %.3f m/s\n", va.x, vb.x);
    assert_true(vb.x > va.x && vb.x > 0.4);
    assert_below(vec3d_distance(elastic_totals(set).momentum, before), 0.05 * vec3d_length(before));
    test_set_destroy(set);
    test_volume_free(&a);
    test_volume_free(&b);
}

// --- answers

static void test_mobility(void** state)
{
    TestVolume v = test_volume(vec3d(0.4, 0.1, 0.1), 8, 2, 2);
    ElasticBodyDef def = reduced_def(&v, 8, 100);
    def.integrator = MN_INTEGRATOR_EULER;
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 1);
    size_t n = v.surface.vertex_count;
    Vec3d *none = calloc(n, sizeof *none), *velocity = calloc(n, sizeof *velocity), *f = calloc(n, sizeof *f),
          *g = calloc(n, sizeof *g);
    Vec3d *af = calloc(n, sizeof *af), *ag = calloc(n, sizeof *ag);
    double dt = 2e-3, fg = 0, gf = 0, own = 0, loose = 0;
    Random random = {3};
    for (size_t k = 0; k < n; k++) {
        af[k] = f[k] = vec3d(random_range(&random, -1, 1), random_range(&random, -1, 1), random_range(&random, -1, 1));
        ag[k] = g[k] = vec3d(random_range(&random, -1, 1), random_range(&random, -1, 1), random_range(&random, -1, 1));
    }
    assert_true(elastic_has_mobility(set, 0));
    elastic_predict(set, 0, dt, none, velocity);
    elastic_mobility(set, 0, af);
    elastic_mobility(set, 0, ag);
    for (size_t k = 0; k < n; k++) {
        assert_below(vec3d_length(velocity[k]), 1e-5);
        fg += vec3d_dot(f[k], ag[k]);
        gf += vec3d_dot(g[k], af[k]);
        own += vec3d_dot(f[k], af[k]);
        loose += vec3d_dot(f[k], f[k]) * elastic_inverse_mass(set, 0, (uint32_t)k);
    }
    assert_near(fg, gf, 1e-9 * fabs(own));
    assert_true(own > 0 && own < loose);
    // predicted with a force, then done: the same
    elastic_predict(set, 0, dt, f, velocity);
    memcpy(elastic_surface(set, 0).force, f, n * sizeof *f);
    assert_true(elastic_step(set, dt));
    for (size_t k = 0; k < n; k++)
        assert_below(vec3d_distance(velocity[k], elastic_surface(set, 0).velocity[k]), 2e-4 * vec3d_length(velocity[k]) + 1e-5);
    void* all[] = {none, velocity, f, g, af, ag};
    for (int k = 0; k < 6; k++)
        free(all[k]);
    test_set_destroy(set);
    test_volume_free(&v);
}

// --- state

static void run(ElasticSet* set, int steps)
{
    for (int k = 0; k < steps; k++)
        assert_true(elastic_step(set, k % 2 ? 3e-3 : 4e-3));
}

static void test_threads_and_state(void** state)
{
    TestVolume v = test_volume(vec3d(0.4, 0.1, 0.1), 16, 4, 4);
    ElasticBodyDef def = reduced_def(&v, 20, 700);
    def.damping = 1e-3;
    def.angular_velocity = vec3d(1, 5, 2);
    def.contact = true;
    ElasticSet *one = test_set(&def, vec3d(0, -9.81, 0), 1), *four = test_set(&def, vec3d(0, -9.81, 0), 4);
    Floor floor[2];
    add_floor(one, &floor[0], 0.3);
    add_floor(four, &floor[1], 0.3);
    size_t bytes = elastic_state_bytes(one);
    char *a = malloc(bytes), *b = malloc(bytes), *middle = malloc(bytes);
    run(one, 40);
    elastic_save(one, middle);
    run(one, 40);
    run(four, 80);
    elastic_save(one, a);
    elastic_save(four, b);
    assert_memory_equal(a, b, bytes);
    assert_true(elastic_load(four, middle, bytes));
    run(four, 40);
    elastic_save(four, b);
    assert_memory_equal(a, b, bytes);
    free(a);
    free(b);
    free(middle);
    elastic_destroy(one);
    test_set_destroy(four);
    floor_free(&floor[0]);
    floor_free(&floor[1]);
    test_volume_free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_subspace),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_cantilever),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_pins),
        cmocka_unit_test(test_impulse),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_two_bodies),
        cmocka_unit_test(test_mobility),
        cmocka_unit_test(test_threads_and_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
