// SPDX-License-Identifier: MIT
// The reduced model: a step against one that is written out in full, and errors against full projective dynamics.
#include "reduced_support.h"

#include "elastic/reduced/dense.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Projective dynamics in double with all that the model leaves out: full matrices, exact rotations. `functions` (points x count)
// are the columns of the subspace; one per point is no subspace at all.
typedef struct Full {
    const Body* body;
    size_t count;
    double *functions, *matrix, *mass;
    double mu, lambda, weight;
    Vec3d (*gradient)[4];
    double* volume;
} Full;

static Mat3 unit_volume(const Mat3* f)
{
    Mat3 v = *f;
    for (int turn = 0; turn < 3; turn++) {
        Mat3 adjugate = mat3_adjugate(&v);
        double square = 0, det = mat3_determinant(&v);
        for (int k = 0; k < 9; k++)
            square += adjugate.m[k / 3][k % 3] * adjugate.m[k / 3][k % 3];
        for (int k = 0; k < 9; k++)
            v.m[k / 3][k % 3] += (1 - det) / fmax(square, 0.3) * adjugate.m[k % 3][k / 3];
    }
    return v;
}

static void full_create(Full* f, const Body* body, const double* functions, size_t count, double h)
{
    size_t n = body->point_count;
    *f = (Full){.body = body, .count = count};
    f->functions = malloc(n * count * sizeof(double));
    memcpy(f->functions, functions, n * count * sizeof(double));
    f->matrix = calloc(count * count, sizeof(double));
    f->mass = calloc(count * count, sizeof(double));
    f->gradient = calloc(body->tet_count, sizeof *f->gradient);
    f->volume = calloc(body->tet_count, sizeof(double));
    double young = body->def.young, nu = body->def.poisson;
    f->mu = young / (2 * (1 + nu));
    f->lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    f->weight = f->mu + 1.5 * f->lambda;
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < count; a++)
            for (size_t b = 0; b < count; b++)
                f->mass[a * count + b] += body->mass[i] * functions[i * count + a] * functions[i * count + b];
    for (size_t k = 0; k < count * count; k++)
        f->matrix[k] = f->mass[k] * (k % (count + 1) == 0 ? 1 + 1e-9 : 1);
    for (size_t t = 0; t < body->tet_count; t++) {
        const uint32_t* c = body->tet[t];
        const Vec3d* x = body->rest;
        Mat3 edges;
        for (int k = 0; k < 3; k++) {
            Vec3d e = vec3d_sub(x[c[k + 1]], x[c[0]]);
            edges.m[0][k] = e.x;
            edges.m[1][k] = e.y;
            edges.m[2][k] = e.z;
        }
        f->volume[t] = mat3_determinant(&edges) / 6;
        Mat3 inverse = mat3_inverse(&edges);
        for (int k = 0; k < 3; k++) {
            f->gradient[t][k + 1] = vec3d(inverse.m[k][0], inverse.m[k][1], inverse.m[k][2]);
            f->gradient[t][0] = vec3d_sub(f->gradient[t][0], f->gradient[t][k + 1]);
        }
        for (size_t a = 0; a < count; a++)
            for (size_t b = 0; b < count; b++) {
                Vec3d ga = {0, 0, 0}, gb = {0, 0, 0};
                for (int k = 0; k < 4; k++) {
                    ga = vec3d_mad(ga, functions[c[k] * count + a], f->gradient[t][k]);
                    gb = vec3d_mad(gb, functions[c[k] * count + b], f->gradient[t][k]);
                }
                f->matrix[a * count + b] += h * h * 2 * f->weight * f->volume[t] * vec3d_dot(ga, gb);
            }
    }
    assert_true(dense_factor(f->matrix, count));
}

static void full_free(Full* f)
{
    free(f->functions);
    free(f->matrix);
    free(f->mass);
    free(f->gradient);
    free(f->volume);
}

static Mat3 gradient_at(const Full* f, size_t t, const Vec3d* x)
{
    Mat3 sum = {{{0}}};
    for (int k = 0; k < 4; k++) {
        Vec3d p = x[f->body->tet[t][k]], g = f->gradient[t][k];
        const double pa[3] = {p.x, p.y, p.z}, ga[3] = {g.x, g.y, g.z};
        for (int e = 0; e < 9; e++)
            sum.m[e / 3][e % 3] += pa[e / 3] * ga[e % 3];
    }
    return sum;
}

// From x and v (points) over a step of Euler, whose points y are where they go without elasticity.
static void full_step(const Full* f, Vec3d* x, Vec3d* v, Vec3d gravity, double h, int iterations)
{
    size_t n = f->body->point_count, count = f->count;
    double *right = malloc(3 * count * sizeof(double)), *inertia = calloc(3 * count, sizeof(double));
    Vec3d *y = malloc(n * sizeof *y), *before = malloc(n * sizeof *before);
    for (size_t i = 0; i < n; i++) {
        before[i] = x[i];
        y[i] = vec3d_mad(vec3d_mad(x[i], h, v[i]), h * h, gravity);
        x[i] = y[i];
        for (size_t a = 0; a < count; a++) {
            double u = f->functions[i * count + a] * f->body->mass[i];
            inertia[a] += u * y[i].x;
            inertia[count + a] += u * y[i].y;
            inertia[2 * count + a] += u * y[i].z;
        }
    }
    for (int turn = 0; turn < iterations; turn++) {
        memcpy(right, inertia, 3 * count * sizeof(double));
        for (size_t t = 0; t < f->body->tet_count; t++) {
            Mat3 g = gradient_at(f, t, x), r = mat3_rotation(&g), d = unit_volume(&g);
            for (size_t a = 0; a < count; a++) {
                Vec3d b = {0, 0, 0};
                for (int k = 0; k < 4; k++)
                    b = vec3d_mad(b, f->functions[f->body->tet[t][k] * count + a], f->gradient[t][k]);
                for (size_t i = 0; i < 3; i++) {
                    double row = 0;
                    const double ba[3] = {b.x, b.y, b.z};
                    for (int j = 0; j < 3; j++)
                        row += (f->mu * r.m[i][j] + 1.5 * f->lambda * d.m[i][j]) * ba[j];
                    right[i * count + a] += h * h * 2 * f->volume[t] * row;
                }
            }
        }
        dense_solve3(f->matrix, count, right);
        for (size_t i = 0; i < n; i++) {
            double sum[3] = {0, 0, 0};
            for (size_t k = 0; k < 3 * count; k++)
                sum[k / count] += f->functions[i * count + k % count] * right[k];
            x[i] = vec3d(sum[0], sum[1], sum[2]);
        }
    }
    for (size_t i = 0; i < n; i++)
        v[i] = vec3d_scale(vec3d_sub(x[i], before[i]), 1 / h);
    free(right);
    free(inertia);
    free(y);
    free(before);
}

static double* functions_of(const Body* body, const Reduced* s)
{
    double* out = calloc(body->point_count * s->rank, sizeof *out);
    for (size_t i = 0; i < body->point_count; i++)
        for (uint32_t k = s->space.start[i]; k < s->space.start[i + 1]; k++)
            reduced_functions(s, body->rest[i], k, out + i * s->rank + 4 * (size_t)s->space.handle[k]);
    return out;
}

// [m] the largest distance of points
static double apart(const Vec3d* a, const Vec3d* b, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, vec3d_distance(a[i], b[i]));
    return most;
}

// All tetrahedra are samples: float, quaternions, drift and reference give what the formulas say.
static void test_step_by_brute_force(void** state)
{
    TestVolume v = test_volume(vec3d(0.4, 0.1, 0.1), 8, 2, 2);
    ElasticBodyDef def = reduced_def(&v, 6, 100000);
    def.integrator = MN_INTEGRATOR_EULER;
    def.iterations = 2; // no acceleration yet
    ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), 1);
    Body* body = &set->body[0];
    size_t n = body->point_count;
    double *functions = functions_of(body, state_of(set)), h = 4e-3;
    Full full;
    full_create(&full, body, functions, state_of(set)->rank, h);
    Vec3d *x = malloc(n * sizeof *x), *w = malloc(n * sizeof *w);
    // velocities that the subspace has
    throw_ends(body->velocity, body->rest, n);
    Reduced* s = body->state;
    reduced_fit(s, body, body->mass, body->velocity, s->v);
    reduced_show(s, NULL, body);
    memcpy(x, body->position, n * sizeof *x);
    memcpy(w, body->velocity, n * sizeof *w);
    assert_true(elastic_step(set, h));
    full_step(&full, x, w, vec3d(0, -9.81, 0), h, 2);
    assert_true(apart(x, body->rest, n) > 1e-3);
    assert_below(apart(x, body->position, n), 1e-4); // [m] it is turned as a whole
    for (size_t i = 0; i < n; i++)
        body->position[i] = reduced_point(s, body, i, s->now); // before that
    double error = apart(x, body->position, n);
    printf("brute force: %.2g m\n", error);
    assert_below(error, 2e-7); // [m] of 0.4 m, in float
    free(x);
    free(w);
    free(functions);
    full_free(&full);
    test_set_destroy(set);
    test_volume_free(&v);
}

// [m] How far points of the reduced body are from those of full projective dynamics, after some steps.
static double error_of(int handles)
{
    TestVolume v = test_volume(vec3d(0.4, 0.1, 0.1), 12, 3, 3);
    ElasticBodyDef def = reduced_def(&v, handles, 100000);
    def.integrator = MN_INTEGRATOR_EULER;
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 1);
    Body* body = &set->body[0];
    size_t n = body->point_count;
    double *functions = calloc(n * n, sizeof *functions), h = 4e-3;
    for (size_t i = 0; i < n; i++)
        functions[i * n + i] = 1;
    Full full;
    full_create(&full, body, functions, n, h);
    Vec3d *x = malloc(n * sizeof *x), *w = malloc(n * sizeof *w);
    throw_ends(body->velocity, body->rest, n);
    memcpy(x, body->position, n * sizeof *x);
    memcpy(w, body->velocity, n * sizeof *w);
    for (int k = 0; k < 12; k++) {
        assert_true(elastic_step(set, h));
        full_step(&full, x, w, vec3d(0, 0, 0), h, 40);
    }
    double error = apart(x, body->position, n);
    free(x);
    free(w);
    free(functions);
    full_free(&full);
    test_set_destroy(set);
    test_volume_free(&v);
    return error;
}

static void test_error_falls(void** state)
{
    double few = error_of(3), some = error_of(10), many = error_of(40);
    printf("error with 3, 10, 40 handles: %.2g, %.2g, %.2g m\n", few, some, many);
    assert_below(some, 0.8 * few);
    assert_below(many, 0.6 * some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_by_brute_force),
        cmocka_unit_test(test_error_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
