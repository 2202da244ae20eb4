// SPDX-License-Identifier: MIT
// Potentials: equal to plain sums over all pairs, zero for fluid that moves as one and at rest, the same for any number of threads,
// and trapped air the same for observers that move.
#include "foam_support.h"

#include "foam/potentials.h"
#include <stdlib.h>
#include <string.h>

static const double D = 0.02, H = 0.04;

typedef struct Result {
    Vec4* normal;
    float *air, *crest;
} Result;

static Result potentials(const TestFluid* t, double least_speed, Pool* pool)
{
    size_t n = t->set.count + LANES;
    Result r = {aligned_alloc(64, (n * sizeof(Vec4) + 63) / 64 * 64), malloc(n * sizeof(float)), malloc(n * sizeof(float))};
    FoamPotentials out = {r.normal, r.air, r.crest};
    foam_potentials(&t->fluid, (float)H, (float)least_speed, pool, &out);
    return r;
}

static void result_free(Result* r)
{
    free(r->normal);
    free(r->air);
    free(r->crest);
}

static Vec3d wild(Vec3d x)
{
    return vec3d(3 * sin(40 * x.y) + x.x, 2 * cos(30 * x.x), 1.5 * sin(50 * x.z + 20 * x.x));
}
static Vec3d upwards(Vec3d x)
{
    return vec3d(0.3, 2, -0.1);
}
static Vec3d rest(Vec3d x)
{
    return vec3d(0, 0, 0);
}
static Vec3d wild_seen_from_a_train(Vec3d x)
{
    return vec3d_add(wild(x), vec3d(-8, 1, 4));
}

static Vec3d at(const Vec4* a, size_t i)
{
    return vec3d((double)a[i].x, (double)a[i].y, (double)a[i].z);
}

// The sums of potentials.h in double, over all pairs.
static void brute_normals(const TestFluid* t, Vec3d* normal, double* air, int* count)
{
    for (size_t i = 0; i < t->set.count; i++) {
        Vec3d n = {0, 0, 0};
        double weight = 0;
        air[i] = 0;
        count[i] = 0;
        for (size_t j = 0; j < t->set.count; j++) {
            Vec3d x = vec3d_sub(at(t->position, i), at(t->position, j)), v = vec3d_sub(at(t->velocity, i), at(t->velocity, j));
            double r = vec3d_length(x), w = 1 - r / H;
            if (i == j || r >= H)
                continue;
            count[i]++;
            weight += w;
            n = vec3d_mad(n, w / r, x);
            double speed = vec3d_length(v);
            if (speed > 0)
                air[i] += speed * (1 - vec3d_dot(v, x) / (speed * r)) * w;
        }
        normal[i] = vec3d_length(n) > 0.25 * weight ? vec3d_normalise(n) : vec3d(0, 0, 0);
    }
}

static double brute_crest(const TestFluid* t, const Vec3d* normal, size_t i)
{
    Vec3d v = vec3d_normalise(at(t->velocity, i)), n = normal[i];
    double sum = 0;
    if (!(vec3d_length(n) > 0) || vec3d_dot(v, n) < 0.6)
        return 0;
    for (size_t j = 0; j < t->set.count; j++) {
        Vec3d x = vec3d_sub(at(t->position, j), at(t->position, i)); // x_ji
        double r = vec3d_length(x);
        if (i != j && r < H && vec3d_dot(x, n) < 0 && vec3d_length(normal[j]) > 0)
            sum += (1 - vec3d_dot(n, normal[j])) * (1 - r / H);
    }
    return sum;
}

static void equal_brute_force(void** state)
{
    TestFluid t;
    test_fluid_init(&t, H, 3);
    test_fluid_block(&t, vec3d(-0.1, 0.03, -0.07), 12, 9, 7, D, 0.4, wild);
    test_fluid_add(&t, vec3d(1, 1, 1), vec3d(1, 2, 3)); // a droplet alone
    test_fluid_sort(&t, NULL);
    size_t n = t.set.count, crests = 0, airs = 0;
    Result r = potentials(&t, 0, NULL);
    Vec3d* normal = malloc(n * sizeof *normal);
    double* air = malloc(n * sizeof *air);
    int* count = malloc(n * sizeof *count);
    brute_normals(&t, normal, air, count);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal((int)r.normal[i].w, count[i]);
        assert_near((double)r.air[i], air[i], 1e-4 * (1 + air[i]));
        for (int k = 0; k < 3; k++)
            assert_near((double)(&r.normal[i].x)[k], (&normal[i].x)[k], 2e-4);
        double crest = brute_crest(&t, normal, i);
        assert_near((double)r.crest[i], crest, 1e-3 * (1 + crest));
        crests += crest > 0.1;
        airs += air[i] > 1;
    }
    assert_true(crests > 20 && airs > 100); // there was something to compare
    free(normal);
    free(air);
    free(count);
    result_free(&r);
    test_fluid_free(&t);
}

static void zero_for_uniform_flow_and_at_rest(void** state)
{
    TestFlow* flows[] = {upwards, rest};
    for (int f = 0; f < 2; f++) {
        TestFluid t;
        test_fluid_init(&t, H, 3);
        test_fluid_block(&t, vec3d(0, 0, 0), 8, 8, 8, D, 0.2, flows[f]);
        test_fluid_sort(&t, NULL);
        Result r = potentials(&t, 0, NULL);
        for (size_t i = 0; i < t.set.count; i++)
            assert_true(r.air[i] == 0);
        result_free(&r);
        test_fluid_free(&t);
    }
}

// A flat surface that rises is no crest: its normals agree. On a lattice exactly, but for edges of the block.
static void flat_surface_is_no_crest(void** state)
{
    TestFluid t;
    test_fluid_init(&t, H, 3);
    test_fluid_block(&t, vec3d(0, 0, 0), 16, 6, 16, D, 0, upwards);
    test_fluid_sort(&t, NULL);
    Result r = potentials(&t, 0, NULL);
    double middle = 0, edge = 0;
    for (size_t i = 0; i < t.set.count; i++) {
        Vec3d x = at(t.position, i);
        bool is_inner = fabs(x.x - 8 * D) < 3 * D && fabs(x.z - 8 * D) < 3 * D;
        if (is_inner)
            middle = fmax(middle, (double)r.crest[i]);
        else
            edge = fmax(edge, (double)r.crest[i]);
    }
    assert_near(middle, 0, 1e-4);
    assert_true(edge > 0.3);
    result_free(&r);
    test_fluid_free(&t);
}

static void trapped_air_is_galilean(void** state)
{
    TestFluid a, b;
    test_fluid_init(&a, H, 3);
    test_fluid_init(&b, H, 3);
    test_fluid_block(&a, vec3d(0, 0, 0), 8, 8, 8, D, 0.3, wild);
    test_fluid_block(&b, vec3d(0, 0, 0), 8, 8, 8, D, 0.3, wild_seen_from_a_train);
    test_fluid_sort(&a, NULL);
    test_fluid_sort(&b, NULL);
    Result ra = potentials(&a, 0, NULL), rb = potentials(&b, 0, NULL);
    for (size_t i = 0; i < a.set.count; i++)
        assert_near((double)ra.air[i], (double)rb.air[i], 2e-5 * (1 + (double)ra.air[i]));
    result_free(&ra);
    result_free(&rb);
    test_fluid_free(&a);
    test_fluid_free(&b);
}

static void same_for_any_number_of_threads(void** state)
{
    Pool* pool = pool_create(3);
    TestFluid t;
    test_fluid_init(&t, H, 3);
    test_fluid_block(&t, vec3d(0, 0, 0), 16, 12, 12, D, 0.4, wild);
    test_fluid_sort(&t, pool);
    Result a = potentials(&t, 0.5, NULL), b = potentials(&t, 0.5, pool);
    assert_memory_equal(a.air, b.air, t.set.count * sizeof(float));
    assert_memory_equal(a.crest, b.crest, t.set.count * sizeof(float));
    assert_memory_equal(a.normal, b.normal, t.set.count * sizeof(Vec4));
    result_free(&a);
    result_free(&b);
    test_fluid_free(&t);
    pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_brute_force),
        cmocka_unit_test(zero_for_uniform_flow_and_at_rest),
        cmocka_unit_test(flat_surface_is_no_crest),
        cmocka_unit_test(trapped_air_is_galilean),
        cmocka_unit_test(same_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
