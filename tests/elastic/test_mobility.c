// SPDX-License-Identifier: MIT
// How finite elements answer to forces within a step: as a rigid body where it is one, as free points where they are soft, never
// more than free points, symmetric, and close to what the step then does.
#include "elastic_support.h"

#include "base/random.h"
#include "elastic/elastic_parts.h"
#include "mesh/tet_mesh.h"
#include <stdlib.h>
#include <string.h>

typedef struct Bar {
    TetMesh tets;
    TriMesh surface;
    uint32_t* point_of;
    ElasticSet* set;
    size_t count;
} Bar;

// What `def` leaves open is the same for all.
static ElasticSet* bar_set(Bar* b, const ElasticBodyDef* def)
{
    ElasticBodyDef all = *def;
    all.model = MN_ELASTIC_FEM;
    all.surface = &b->surface;
    all.tets = &b->tets;
    all.point_of = b->point_of;
    all.density = 1000;
    all.thickness = 1e-3;
    all.poisson = 0.3;
    b->count = b->surface.vertex_count;
    return test_set(&all, vec3d(0, 0, 0), 2);
}

// 0.4 x 0.05 x 0.05 m along x; `clamped` at its left end.
static Bar make_bar(double young, bool clamped)
{
    Bar b = {0};
    assert_true(tet_mesh_box(vec3d(0.4, 0.05, 0.05), (const int[]){32, 4, 4}, &b.tets));
    assert_true(tet_mesh_surface(&b.tets, &b.surface, &b.point_of));
    b.set = bar_set(&b, &(ElasticBodyDef){.young = young, .integrator = MN_INTEGRATOR_EULER});
    int pin = clamped ? elastic_add_pin(b.set, 0) : -1;
    for (uint32_t k = 0; clamped && k < b.count; k++)
        if (b.surface.vertex[k].x < -0.2 + 1e-9)
            assert_true(elastic_pin_vertex(b.set, 0, pin, k));
    return b;
}

static void bar_free(Bar* b)
{
    test_set_destroy(b->set);
    tet_mesh_free(&b->tets);
    tri_mesh_free(&b->surface);
    memory_give(NULL, b->point_of);
}

static Vec3d* random_forces(size_t count, uint64_t seed)
{
    Random random = {seed};
    Vec3d* f = malloc(count * sizeof *f);
    for (size_t k = 0; k < count; k++)
        f[k] = vec3d(random_range(&random, -1, 1), random_range(&random, -1, 1), random_range(&random, -1, 1));
    return f;
}

static void prepare(const Bar* b, double dt)
{
    Vec3d *none = calloc(b->count, sizeof *none), *velocity = malloc(b->count * sizeof *velocity);
    elastic_predict(b->set, 0, dt, none, velocity);
    for (size_t k = 0; k < b->count; k++)
        assert_below(vec3d_length(velocity[k]), 1e-9); // nothing moves it
    free(none);
    free(velocity);
}

static Vec3d* answer_to(const Bar* b, const Vec3d* force, double dt)
{
    Vec3d* a = malloc(b->count * sizeof *a);
    memcpy(a, force, b->count * sizeof *a);
    prepare(b, dt);
    elastic_mobility(b->set, 0, a);
    return a;
}

static double dot_of(const Vec3d* a, const Vec3d* b, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += vec3d_dot(a[k], b[k]);
    return sum;
}

// Forces in proportion to mass shift a stiff free body as a whole.
static void test_rigid_motion(void** state)
{
    Bar b = make_bar(1e9, false);
    Body* body = &b.set->body[0];
    Vec3d* point = malloc(body->point_count * sizeof *point);
    for (size_t k = 0; k < body->point_count; k++)
        point[k] = vec3d_scale(vec3d(1, -2, 3), body->mass[k]);
    prepare(&b, 1e-3);
    body->model->mobility(b.set, body, point);
    for (size_t k = 0; k < body->point_count; k++)
        assert_below(vec3d_distance(point[k], vec3d(1, -2, 3)), 1e-6);
    free(point);
    bar_free(&b);
}

static void test_soft_points_are_free(void** state)
{
    Bar b = make_bar(1e-3, false);
    Vec3d *f = random_forces(b.count, 1), *a = answer_to(&b, f, 1e-4);
    for (uint32_t k = 0; k < b.count; k++) {
        double w = elastic_inverse_mass(b.set, 0, k);
        assert_below(vec3d_distance(a[k], vec3d_scale(f[k], w)), 1e-4 * w);
    }
    free(f);
    free(a);
    bar_free(&b);
}

static void test_symmetric_and_bounded(void** state)
{
    static const double young[] = {1e2, 1e5, 1e8};
    for (int n = 0; n < 3; n++) {
        Bar b = make_bar(young[n], n > 0);
        Vec3d *f = random_forces(b.count, 2), *g = random_forces(b.count, 3);
        Vec3d *cf = answer_to(&b, f, 1e-3), *cg = answer_to(&b, g, 1e-3);
        double most = 0;
        for (uint32_t k = 0; k < b.count; k++)
            most += elastic_inverse_mass(b.set, 0, k) * vec3d_dot(f[k], f[k]);
        assert_near(dot_of(f, cg, b.count), dot_of(g, cf, b.count), 1e-8 * most);
        assert_true(dot_of(f, cf, b.count) > 0);
        assert_below(dot_of(f, cf, b.count), most * (1 + 1e-9));
        void* all[] = {f, g, cf, cg};
        for (int k = 0; k < 4; k++)
            free(all[k]);
        bar_free(&b);
    }
}

// Pressure on top of a clamped bar: the velocity of its end after one step against the one that was predicted. Points alone would
// predict several times too much.
static void test_predicts_the_step(void** state)
{
    static const double young[] = {1e4, 1e6, 1e8};
    for (int n = 0; n < 3; n++) {
        Bar b = make_bar(young[n], true);
        const double dt = 2e-3;
        ElasticSurface s = elastic_surface(b.set, 0);
        Vec3d* f = calloc(b.count, sizeof *f);
        for (size_t k = 0; k < b.count; k++)
            if (b.surface.vertex[k].y > 0.025 - 1e-9)
                f[k] = vec3d(0, -1e-4, 0);
        Vec3d* a = answer_to(&b, f, dt);
        memcpy(s.force, f, b.count * sizeof *f);
        assert_true(elastic_step(b.set, dt));
        double told = 0, done = 0, alone = 0;
        for (uint32_t k = 0; k < b.count; k++)
            if (b.surface.vertex[k].x > 0.2 - 1e-9) {
                told += dt * a[k].y;
                done += s.velocity[k].y;
                alone += dt * f[k].y * elastic_inverse_mass(b.set, 0, k);
            }
        print_message("E = %g Pa: predicted %.3f, free points %.2f of what the step did\n", young[n], told / done, alone / done);
        assert_true(told / done > 0.6 && told / done < 1.2);
        free(f);
        free(a);
        bar_free(&b);
    }
}

// A plate clamped at both ends, pressed evenly or on its halves in turn. Predicted to give way by a fifth, as it was, it is pushed
// five times too hard by water on it, each step the other way, and dfsph ends up on one half of it
// (docs/theory/elastic-coupling.md).
static void test_predicts_a_plate(void** state)
{
    Bar b = {0};
    assert_true(tet_mesh_box(vec3d(0.4, 0.02, 0.1), (const int[]){80, 4, 1}, &b.tets));
    assert_true(tet_mesh_surface(&b.tets, &b.surface, &b.point_of));
    b.set = bar_set(&b, &(ElasticBodyDef){.young = 4e7, .damping = 0.002, .plane_strain = true});
    int pin = elastic_add_pin(b.set, 0);
    for (uint32_t k = 0; k < b.count; k++)
        if (fabs(b.surface.vertex[k].x) > 0.2 - 1e-9)
            assert_true(elastic_pin_vertex(b.set, 0, pin, k));
    char* still = malloc(elastic_state_bytes(b.set));
    elastic_save(b.set, still);
    for (int waves = 1; waves <= 8; waves++) {
        const double dt = 4e-3;
        Vec3d* f = calloc(b.count, sizeof *f);
        for (size_t k = 0; k < b.count; k++)
            if (b.surface.vertex[k].y > 0.01 - 1e-9)
                f[k] = vec3d(0, -1e-3 * sin(waves * M_PI * (b.surface.vertex[k].x / 0.4 + 0.5)), 0);
        assert_true(elastic_load(b.set, still, elastic_state_bytes(b.set)));
        Vec3d* a = answer_to(&b, f, dt);
        ElasticSurface s = elastic_surface(b.set, 0);
        memcpy(s.force, f, b.count * sizeof *f);
        assert_true(elastic_step(b.set, dt));
        double share = dt * dot_of(f, a, b.count) / dot_of(f, s.velocity, b.count);
        print_message("%d half waves: predicted %.3f of what the step did\n", waves, share);
        assert_true(share > 0.6 && share < 1.2); // below 0.5 coupling is unstable
        free(f);
        free(a);
    }
    free(still);
    bar_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid_motion),          cmocka_unit_test(test_soft_points_are_free),
        cmocka_unit_test(test_symmetric_and_bounded), cmocka_unit_test(test_predicts_the_step),
        cmocka_unit_test(test_predicts_a_plate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
