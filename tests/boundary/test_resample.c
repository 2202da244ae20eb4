// SPDX-License-Identifier: MIT
// Adaptive sampling of deforming surfaces: bounds of the number density over 10 000 random deforming triangles (as Akinci 2013,
// figures 3 and 4), idempotence, return to the rest shape, continuity, state, threads, and that a steady step allocates nothing.
#include "support.h"

#include "base/random.h"
#include "boundary/resample.h"
#include "particles/neighbours.h"
#include "particles/number_density.h"
#include <stdlib.h>
#include <string.h>

static const double D = 0.02; // [m] spacing

typedef struct Sheet {
    uint32_t columns, rows;
    size_t vertex_count, triangle_count;
    Vec3d *rest, *x, *v;
    uint32_t (*triangle)[3];
} Sheet;

// Cells grow from `least` to `most` spacings along x and are jittered; diagonals run either way.
static Sheet make_sheet(uint32_t columns, uint32_t rows, double least, double most, double jitter)
{
    Sheet s = {columns, rows, (size_t)(columns + 1) * (rows + 1), (size_t)2 * columns * rows, NULL, NULL, NULL, NULL};
    s.rest = calloc(s.vertex_count, sizeof *s.rest);
    s.x = calloc(s.vertex_count, sizeof *s.x);
    s.v = calloc(s.vertex_count, sizeof *s.v);
    s.triangle = calloc(s.triangle_count, sizeof *s.triangle);
    Random random = {7};
    double at = 0, z = 0;
    for (uint32_t i = 0; i <= columns; i++) {
        double cell = D * least * pow(most / least, (double)i / columns);
        z = 0;
        for (uint32_t j = 0; j <= rows; j++) {
            double dx = jitter * cell * random_range(&random, -1, 1), dz = jitter * cell * random_range(&random, -1, 1);
            s.rest[(size_t)i * (rows + 1) + j] = vec3d(at + dx, 0, z + dz);
            z += cell;
        }
        at += cell;
    }
    for (uint32_t i = 0, t = 0; i < columns; i++)
        for (uint32_t j = 0; j < rows; j++) {
            uint32_t a = i * (rows + 1) + j, b = a + 1, c = b + rows + 1, d = a + rows + 1;
            bool flip = jitter > 0 && random_unit(&random) < 0.5;
            uint32_t corner[2][3] = {{a, b, flip ? d : c}, {flip ? b : a, c, d}};
            memcpy(s.triangle[t++], corner[0], sizeof corner[0]);
            memcpy(s.triangle[t++], corner[1], sizeof corner[1]);
        }
    memcpy(s.x, s.rest, s.vertex_count * sizeof *s.x);
    return s;
}

static void free_sheet(Sheet* s)
{
    free(s->rest);
    free(s->x);
    free(s->v);
    free(s->triangle);
}

// Stretches by `along` in a direction and `across` at right angles, and bends it.
static void deform(Sheet* s, double angle, double along, double across, double bend)
{
    double c = cos(angle), n = sin(angle);
    for (size_t k = 0; k < s->vertex_count; k++) {
        double a = c * s->rest[k].x + n * s->rest[k].z, b = -n * s->rest[k].x + c * s->rest[k].z;
        a *= along;
        b *= across;
        s->x[k] = vec3d(c * a - n * b, bend * sin(a), n * a + c * b);
    }
}

static Resample sample(const Sheet* s, double fade, Memory* memory)
{
    Resample r;
    ResampleDef def = {.vertex_count = s->vertex_count,
                       .triangle_count = s->triangle_count,
                       .triangle = (const uint32_t(*)[3])s->triangle,
                       .position = s->rest,
                       .spacing = D,
                       .fade_time = fade};
    assert_true(resample_create(&r, &def, memory, NULL));
    return r;
}

// --- number density

typedef struct Field {
    Kernel kernel;
    Memory memory;
    CellGrid grid;
    Vec4 *position, *scratch;
    float* weight;
    size_t count;
} Field;

static Field make_field(const Vec4* position, const float* weight, size_t count)
{
    Field f = {.kernel = kernel_create(MN_KERNEL_CUBIC, 3, 2 * D), .count = count};
    grid_init(&f.grid, NULL, 2 * D, 3);
    f.position = calloc(count + 16, sizeof *f.position);
    f.scratch = calloc(count + 16, sizeof *f.scratch);
    f.weight = calloc(count + 16, sizeof *f.weight);
    assert_true(grid_build(&f.grid, NULL, position, count, f.scratch));
    for (size_t k = 0; k < count; k++) {
        f.position[k] = position[f.grid.order[k]];
        f.weight[k] = weight ? weight[f.grid.order[k]] : 1;
    }
    return f;
}

static void free_field(Field* f)
{
    grid_free(&f->grid);
    free(f->position);
    free(f->scratch);
    free(f->weight);
}

// h^3 delta at points
static void field_at(const Field* f, const Vec4* at, size_t count, float* out)
{
    BoundaryPoints points = {.position = f->position, .weight = f->weight};
    points.part[0].grid = &f->grid;
    number_density_at(NULL, &f->kernel, &points, at, count, NULL, out);
    for (size_t k = 0; k < count; k++)
        out[k] *= (float)pow(2 * D, 3);
}

typedef struct Statistics {
    double mean, deviation, least, most, below, above; // shares of points below 3.6 and above 10
    size_t particles;
} Statistics;

// At random points of all triangles that are not at the border.
static Statistics measure(const Sheet* s, const Vec4* position, const float* weight, size_t count)
{
    enum { POINTS = 6 };
    Field f = make_field(position, weight, count);
    size_t most = s->triangle_count * POINTS, n = 0;
    Vec4* at = calloc(most, sizeof *at);
    float* delta = calloc(most, sizeof *delta);
    Random random = {11};
    uint32_t margin = 4;
    for (size_t t = 0; t < s->triangle_count; t++) {
        uint32_t quad = (uint32_t)t / 2, i = quad / s->rows, j = quad % s->rows;
        if (i < margin || j < margin || i + margin >= s->columns || j + margin >= s->rows)
            continue;
        for (int k = 0; k < POINTS; k++) {
            double a = random_unit(&random), b = random_unit(&random);
            if (a + b > 1)
                a = 1 - a, b = 1 - b;
            Vec3d p = vec3d_scale(s->x[s->triangle[t][0]], 1 - a - b);
            p = vec3d_mad(vec3d_mad(p, a, s->x[s->triangle[t][1]]), b, s->x[s->triangle[t][2]]);
            at[n++] = (Vec4){(float)p.x, (float)p.y, (float)p.z, 0};
        }
    }
    field_at(&f, at, n, delta);
    Statistics out = {.least = INFINITY, .particles = count};
    double sum = 0, square = 0;
    for (size_t k = 0; k < n; k++) {
        double v = (double)delta[k];
        sum += v;
        square += v * v;
        out.least = fmin(out.least, v);
        out.most = fmax(out.most, v);
        out.below += v < 3.6 ? 1.0 / (double)n : 0;
        out.above += v > 10 ? 1.0 / (double)n : 0;
    }
    out.mean = sum / (double)n;
    out.deviation = sqrt(fmax(0, square / (double)n - out.mean * out.mean));
    free(at);
    free(delta);
    free_field(&f);
    return out;
}

static Statistics measure_resample(const Sheet* s, const Resample* r)
{
    Vec4 *x = calloc(r->count + 1, sizeof *x), *v = calloc(r->count + 1, sizeof *v);
    resample_place(r, NULL, s->x, s->v, x, v);
    Statistics out = measure(s, x, r->share, r->count);
    free(x);
    free(v);
    return out;
}

// Seven points per triangle, cut into four until no edge is longer than two spacings (Müller 2004).
static size_t seven_points(Vec3d a, Vec3d b, Vec3d c, Vec4* out)
{
    double longest = fmax(vec3d_distance(a, b), fmax(vec3d_distance(b, c), vec3d_distance(c, a)));
    if (longest > 2.5 * D) {
        Vec3d ab = vec3d_lerp(a, b, 0.5), bc = vec3d_lerp(b, c, 0.5), ca = vec3d_lerp(c, a, 0.5);
        size_t n = seven_points(a, ab, ca, out);
        n += seven_points(ab, b, bc, out + n);
        n += seven_points(ca, bc, c, out + n);
        return n + seven_points(ab, bc, ca, out + n);
    }
    static const double PLACE[7][3] = {{1.0 / 3, 1.0 / 3, 1.0 / 3},
                                       {0.797426985353087, 0.101286507323456, 0.101286507323456},
                                       {0.101286507323456, 0.797426985353087, 0.101286507323456},
                                       {0.101286507323456, 0.101286507323456, 0.797426985353087},
                                       {0.059715871789770, 0.470142064105115, 0.470142064105115},
                                       {0.470142064105115, 0.059715871789770, 0.470142064105115},
                                       {0.470142064105115, 0.470142064105115, 0.059715871789770}};
    for (int k = 0; k < 7; k++) {
        Vec3d p = vec3d_mad(vec3d_mad(vec3d_scale(a, PLACE[k][0]), PLACE[k][1], b), PLACE[k][2], c);
        out[k] = (Vec4){(float)p.x, (float)p.y, (float)p.z, 0};
    }
    return 7;
}

static Statistics measure_seven(const Sheet* s)
{
    Vec4* x = calloc(s->triangle_count * 7 * 64, sizeof *x);
    size_t n = 0;
    for (size_t t = 0; t < s->triangle_count; t++)
        n += seven_points(s->x[s->triangle[t][0]], s->x[s->triangle[t][1]], s->x[s->triangle[t][2]], x + n);
    Statistics out = measure(s, x, NULL, n);
    free(x);
    return out;
}

static void update_by_density(const Sheet* s, Resample* r)
{
    Vec4 *x = calloc(r->count + 16, sizeof *x), *v = calloc(r->count + 16, sizeof *v);
    float* delta = calloc(r->count + 16, sizeof *delta);
    resample_place(r, NULL, s->x, s->v, x, v);
    Field f = make_field(x, r->share, r->count);
    field_at(&f, x, r->count, delta);
    assert_true(resample_update(r, NULL, s->x, 0, delta));
    free_field(&f);
    free(x);
    free(v);
    free(delta);
}

static void print(const char* name, double stretch, Statistics s)
{
    print_message(
        "%-10s stretch %.2f: %6zu particles, delta %.2f +- %.2f, from %.2f to %.2f, %.3f %% below 3.6, %.3f %% above 10\n", name,
        stretch, s.particles, s.mean, s.deviation, s.least, s.most, 100 * s.below, 100 * s.above);
}

static void test_density_of_random_triangles(void** state)
{
    Sheet s = make_sheet(71, 71, 1.2, 5, 0.2); // 10 082 triangles
    Resample none = sample(&s, 0, NULL), density = sample(&s, 0, NULL), geometric = sample(&s, 0, NULL);
    size_t at_rest = geometric.count;
    static const struct {
        double angle, along, across;
    } way[] = {{0.3, 1, 1},   {0.3, 1.1, 0.98}, {0.3, 1.25, 0.95}, {0.6, 1.5, 0.9}, {0.6, 1.8, 0.9},
               {1.0, 2.2, 1}, {1.0, 2.2, 1.6},  {1.0, 1.3, 1.2},   {1.0, 1, 1}};
    Statistics first = {0};
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
        deform(&s, way[k].angle, way[k].along, way[k].across, 0);
        double area = way[k].along * way[k].across;
        for (int round = 0; round < 3; round++) // new particles may call for more
            update_by_density(&s, &density);
        assert_true(resample_update(&geometric, NULL, s.x, 0, NULL));
        Statistics n = measure_resample(&s, &none), d = measure_resample(&s, &density), g = measure_resample(&s, &geometric);
        print("none", area, n);
        print("density", area, d);
        print("geometric", area, g);
        if (k == 0) {
            first = g;
            print("seven", area, measure_seven(&s));
        }
        // nowhere a hole that fluid finds, and about as many particles as the area needs
        assert_true(g.least > 3.6);
        assert_below(g.mean, 10);
        assert_below(fabs(g.mean - first.mean), 1.5);
        assert_below(d.below, 0.03);
        if (area > 2) {
            assert_true(n.below > 0.4);
            assert_true(d.below < 0.1 * n.below);
        }
    }
    assert_int_equal(geometric.count, at_rest);
    resample_free(&none);
    resample_free(&density);
    resample_free(&geometric);
    free_sheet(&s);
}

// --- one thing at a time

static void test_square_cloth_has_its_vertices(void** state)
{
    Sheet s = make_sheet(30, 30, 1, 1, 0);
    Resample r = sample(&s, 0, NULL);
    assert_int_equal(r.count, s.vertex_count);
    deform(&s, 0, 1.1, 1.0, 0);
    assert_true(resample_update(&r, NULL, s.x, 0, NULL));
    assert_int_equal(r.count, s.vertex_count);
    deform(&s, 0, 1.6, 1.0, 0);
    assert_true(resample_update(&r, NULL, s.x, 0, NULL));
    assert_true(r.count > 15 * s.vertex_count / 10);
    resample_free(&r);
    free_sheet(&s);
}

static void test_twice_is_once(void** state)
{
    Sheet s = make_sheet(40, 40, 1, 4, 0.2);
    Resample r = sample(&s, 0, NULL);
    Random random = {3};
    for (int k = 0; k < 30; k++) {
        deform(&s, random_range(&random, 0, 3), random_range(&random, 0.6, 2.2), random_range(&random, 0.6, 2.2), 0.1);
        assert_true(resample_update(&r, NULL, s.x, 1e-3, NULL));
        size_t count = r.count;
        assert_true(resample_update(&r, NULL, s.x, 1e-3, NULL));
        assert_int_equal(r.changed, 0);
        assert_int_equal(r.count, count);
    }
    resample_free(&r);
    free_sheet(&s);
}

static void test_only_what_deforms_is_sampled_anew(void** state)
{
    Sheet s = make_sheet(60, 60, 2, 2, 0);
    Resample r = sample(&s, 0, NULL);
    SurfacePoint* before = malloc(r.count * sizeof *before);
    memcpy(before, r.point, r.count * sizeof *before);
    s.x[61 * 30 + 30].y += 3 * D; // one vertex
    assert_true(resample_update(&r, NULL, s.x, 0, NULL));
    assert_true(r.changed > 0 && r.changed < 20);
    assert_memory_equal(before, r.point, s.vertex_count * sizeof *before);
    free(before);
    resample_free(&r);
    free_sheet(&s);
}

// What a fluid particle half a spacing away sees: sum of V_b W, the volumes by weighted number densities.
static double seen_from(const Sheet* s, const Resample* r, Vec3d at)
{
    Vec4 *x = calloc(r->count + 16, sizeof *x), *v = calloc(r->count + 16, sizeof *v);
    float* delta = calloc(r->count + 16, sizeof *delta);
    resample_place(r, NULL, s->x, s->v, x, v);
    Field f = make_field(x, r->share, r->count);
    BoundaryPoints points = {.position = f.position, .weight = f.weight};
    points.part[0].grid = &f.grid;
    number_density_at(NULL, &f.kernel, &points, x, r->count, NULL, delta);
    double sum = 0;
    for (size_t k = 0; k < r->count; k++) {
        Vec3d b = vec3d((double)x[k].x, (double)x[k].y, (double)x[k].z);
        sum += (double)(r->share[k] / delta[k]) * kernel_w(&f.kernel, vec3d_distance(at, b));
    }
    free_field(&f);
    free(x);
    free(v);
    free(delta);
    return sum;
}

// The largest change of what is seen from one step to the next while the cloth is stretched slowly.
static double largest_jump(double fade)
{
    Sheet s = make_sheet(24, 24, 1, 1, 0);
    Resample r = sample(&s, fade, NULL);
    double last[4] = {0}, most = 0;
    for (int step = 0; step <= 400; step++) {
        double stretch = 1 + 1.2 * step / 400;
        deform(&s, 0, stretch, 1, 0);
        assert_true(resample_update(&r, NULL, s.x, 1e-3, NULL));
        for (int k = 0; k < 4; k++) {
            // follows the material
            Vec3d at = vec3d((12 + 0.17 * k) * D * stretch, (0.5 + 0.2 * k) * D, (12 + 0.31 * k) * D);
            double now = seen_from(&s, &r, at);
            most = step ? fmax(most, fabs(now - last[k])) : most;
            last[k] = now;
        }
    }
    resample_free(&r);
    free_sheet(&s);
    return most;
}

static void test_particles_come_and_go_without_a_jump(void** state)
{
    double at_once = largest_jump(0), faded = largest_jump(0.02);
    print_message("largest change in a step: %.5f at once, %.5f over 20 steps\n", at_once, faded);
    assert_below(faded, 0.2 * at_once);
    assert_below(faded, 0.005);
}

static void test_state_restores_bit_for_bit(void** state)
{
    Sheet s = make_sheet(40, 40, 1, 4, 0.2);
    Resample a = sample(&s, 5e-3, NULL), b = sample(&s, 5e-3, NULL);
    for (int k = 0; k < 8; k++) {
        deform(&s, 0.3, 1 + 0.15 * k, 1, 0.1);
        assert_true(resample_update(&a, NULL, s.x, 1e-3, NULL));
    }
    void* bytes = malloc(resample_state_bytes(&a));
    resample_save(&a, bytes);
    assert_true(resample_load(&b, NULL, bytes));
    for (int k = 0; k < 8; k++) {
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.point, b.point, a.count * sizeof *a.point);
        assert_memory_equal(a.share, b.share, a.count * sizeof *a.share);
        deform(&s, 0.3, 2 - 0.1 * k, 1, 0.1);
        assert_true(resample_update(&a, NULL, s.x, 1e-3, NULL));
        assert_true(resample_update(&b, NULL, s.x, 1e-3, NULL));
    }
    memset(bytes, 0xff, resample_state_bytes(&a));
    assert_false(resample_load(&b, NULL, bytes));
    free(bytes);
    resample_free(&a);
    resample_free(&b);
    free_sheet(&s);
}

static void test_threads_agree_and_steady_steps_allocate_nothing(void** state)
{
    Memory memory = {0};
    Sheet s = make_sheet(80, 80, 1, 3, 0.2);
    Resample a = sample(&s, 5e-3, NULL), b = sample(&s, 5e-3, &memory);
    Pool* pool = pool_create(3);
    for (int round = 0; round < 2; round++) {
        uint64_t allocations = atomic_load(&memory.allocations);
        for (int k = 0; k < 20; k++) {
            deform(&s, 0.3, 1.5 + 0.5 * sin(0.3 * k), 1, 0.1);
            assert_true(resample_update(&a, NULL, s.x, 1e-3, NULL));
            assert_true(resample_update(&b, pool, s.x, 1e-3, NULL));
            assert_int_equal(a.count, b.count);
            assert_memory_equal(a.point, b.point, a.count * sizeof *a.point);
            assert_memory_equal(a.share, b.share, a.count * sizeof *a.share);
        }
        if (round == 1)
            assert_int_equal(atomic_load(&memory.allocations), allocations);
    }
    pool_destroy(pool);
    resample_free(&a);
    resample_free(&b);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    free_sheet(&s);
}

static void test_rods(void** state)
{
    Vec3d x[3] = {{0, 0, 0}, {3.1 * D, 0, 0}, {3.1 * D, 0.9 * D, 0}};
    uint32_t segment[2][2] = {{0, 1}, {1, 2}};
    ResampleDef def = {
        .vertex_count = 3, .segment_count = 2, .segment = (const uint32_t(*)[2])segment, .position = x, .spacing = D};
    Resample r;
    assert_true(resample_create(&r, &def, NULL, NULL));
    assert_int_equal(r.count, 3 + 2);
    x[2].y = 2 * D;
    assert_true(resample_update(&r, NULL, x, 0, NULL));
    assert_int_equal(r.count, 3 + 2 + 1);
    resample_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_density_of_random_triangles),
        cmocka_unit_test(test_square_cloth_has_its_vertices),
        cmocka_unit_test(test_twice_is_once),
        cmocka_unit_test(test_only_what_deforms_is_sampled_anew),
        cmocka_unit_test(test_particles_come_and_go_without_a_jump),
        cmocka_unit_test(test_state_restores_bit_for_bit),
        cmocka_unit_test(test_threads_agree_and_steady_steps_allocate_nothing),
        cmocka_unit_test(test_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
