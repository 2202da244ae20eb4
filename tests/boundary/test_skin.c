// SPDX-License-Identifier: MIT
// Skins: particles follow the surface, forces on them arrive at the vertices whole, also for volumes whose particles lie behind the
// surface; and boundary particles that come and go.
#include "support.h"

#include "base/random.h"
#include "boundary/boundary.h"
#include "mesh/shape.h"
#include <stdlib.h>
#include <string.h>

static const double D = 0.02;

typedef struct Ball {
    size_t vertex_count, triangle_count;
    Vec3d *x, *v;
    uint32_t (*triangle)[3];
} Ball;

// A bumpy closed ball.
static Ball make_ball(uint32_t columns, uint32_t rows, double radius)
{
    Ball b = {2 + (size_t)columns * (rows - 1), 2 * (size_t)columns * (rows - 1), NULL, NULL, NULL};
    b.x = calloc(b.vertex_count, sizeof *b.x);
    b.v = calloc(b.vertex_count, sizeof *b.v);
    b.triangle = calloc(b.triangle_count, sizeof *b.triangle);
    uint32_t top = (uint32_t)b.vertex_count - 2, bottom = top + 1, n = 0;
    b.x[top] = vec3d(0, radius, 0);
    b.x[bottom] = vec3d(0, -radius, 0);
    for (uint32_t j = 1; j < rows; j++)
        for (uint32_t i = 0; i < columns; i++) {
            double a = 2 * M_PI * i / columns, c = M_PI * j / rows, r = radius * (1 + 0.1 * sin(3 * a) * sin(c));
            b.x[n++] = vec3d(r * sin(c) * cos(a), r * cos(c), -r * sin(c) * sin(a));
        }
    n = 0;
    for (uint32_t i = 0; i < columns; i++) {
        uint32_t k = (i + 1) % columns, last = (rows - 2) * columns;
        uint32_t ends[2][3] = {{top, i, k}, {bottom, last + k, last + i}};
        memcpy(b.triangle[n++], ends[0], sizeof ends[0]);
        memcpy(b.triangle[n++], ends[1], sizeof ends[1]);
        for (uint32_t j = 0; j + 2 < rows; j++) {
            uint32_t p = j * columns + i, q = j * columns + k, r = q + columns, s = p + columns;
            uint32_t faces[2][3] = {{p, s, r}, {p, r, q}};
            memcpy(b.triangle[n++], faces[0], sizeof faces[0]);
            memcpy(b.triangle[n++], faces[1], sizeof faces[1]);
        }
    }
    return b;
}

static void free_ball(Ball* b)
{
    free(b->x);
    free(b->v);
    free(b->triangle);
}

static Skin make_skin_for(const Ball* b, double inset, const Kernel* kernel)
{
    Skin skin;
    SkinDef def = {.vertex_count = b->vertex_count,
                   .triangle_count = b->triangle_count,
                   .triangle = (const uint32_t(*)[3])b->triangle,
                   .position = b->x,
                   .velocity = b->v,
                   .spacing = D,
                   .inset = inset,
                   .kernel = kernel};
    assert_true(skin_create(&skin, &def, NULL, NULL));
    skin_follow(&skin);
    return skin;
}

static Skin make_skin(const Ball* b, double inset)
{
    return make_skin_for(b, inset, NULL);
}

static Vec3d random_vector(Random* random)
{
    return vec3d(random_range(random, -1, 1), random_range(random, -1, 1), random_range(random, -1, 1));
}

static Vec3d xyz(Vec4 a)
{
    return vec3d((double)a.x, (double)a.y, (double)a.z);
}

static void check_transfer(double inset)
{
    Ball b = make_ball(24, 12, 0.1);
    Skin skin = make_skin(&b, inset);
    Random random = {5};
    for (size_t k = 0; k < b.vertex_count; k++) {
        b.x[k] = vec3d_mad(b.x[k], 0.004, random_vector(&random));
        b.v[k] = random_vector(&random);
    }
    assert_true(skin_resample(&skin, NULL, 0, NULL));
    skin_follow(&skin);
    size_t n = skin.resample.count;
    Vec4 *x = calloc(n, sizeof *x), *v = calloc(n, sizeof *v);
    Vec3d *force = calloc(n, sizeof *force), *out = calloc(b.vertex_count, sizeof *out);
    uint32_t* which = calloc(n, sizeof *which);
    skin_place(&skin, NULL, x, v);
    Vec3d sum = {0, 0, 0}, torque = {0, 0, 0};
    double power = 0, size = 0, arrived_power = 0;
    for (uint32_t k = 0; k < n; k++) {
        which[k] = k;
        force[k] = random_vector(&random);
        sum = vec3d_add(sum, force[k]);
        torque = vec3d_add(torque, vec3d_cross(xyz(x[k]), force[k]));
        power += vec3d_dot(force[k], xyz(v[k]));
        size += vec3d_length(force[k]);
    }
    skin_transfer(&skin, which, force, n, out);
    Vec3d arrived = {0, 0, 0}, arrived_torque = {0, 0, 0};
    for (size_t k = 0; k < b.vertex_count; k++) {
        arrived = vec3d_add(arrived, out[k]);
        arrived_torque = vec3d_add(arrived_torque, vec3d_cross(b.x[k], out[k]));
        arrived_power += vec3d_dot(out[k], b.v[k]);
    }
    assert_below(vec3d_distance(sum, arrived), 1e-6 * size);
    assert_below(vec3d_distance(torque, arrived_torque), 1e-6 * size * 0.1);
    // what particles do in their motion is what vertices do in theirs
    assert_near(power, arrived_power, 1e-5 * size);
    free(x);
    free(v);
    free(force);
    free(out);
    free(which);
    skin_free(&skin);
    free_ball(&b);
}

static void test_forces_arrive_whole(void** state)
{
    check_transfer(0);
    check_transfer(0.5 * D);
}

static void test_velocities_are_the_rates_of_positions(void** state)
{
    const double dt = 1e-4;
    Ball b = make_ball(24, 12, 0.1);
    Skin skin = make_skin(&b, 0.5 * D);
    Random random = {9};
    for (size_t k = 0; k < b.vertex_count; k++)
        b.v[k] = random_vector(&random);
    skin_follow(&skin);
    size_t n = skin.resample.count;
    Vec4 *x = calloc(n, sizeof *x), *v = calloc(n, sizeof *v), *later = calloc(n, sizeof *later),
         *unused = calloc(n, sizeof *unused);
    skin_place(&skin, NULL, x, v);
    for (size_t k = 0; k < b.vertex_count; k++)
        b.x[k] = vec3d_mad(b.x[k], dt, b.v[k]);
    skin_follow(&skin);
    skin_place(&skin, NULL, later, unused);
    double most = 0, behind = 0;
    for (size_t k = 0; k < n; k++) {
        Vec3d rate = vec3d_scale(vec3d_sub(xyz(later[k]), xyz(x[k])), 1 / dt);
        most = fmax(most, vec3d_distance(rate, xyz(v[k])));
        behind = fmax(behind, 0.115 - vec3d_length(xyz(x[k])));
    }
    assert_below(most, 0.02);
    assert_true(behind > 0.5 * D);
    free(x);
    free(v);
    free(later);
    free(unused);
    skin_free(&skin);
    free_ball(&b);
}

// A swelling ball in the boundary: more particles, volumes stay about right, and it shrinks back to what it was.
static void test_boundary_grows_and_shrinks(void** state)
{
    Memory memory = {0};
    Kernel kernel = kernel_create(MN_KERNEL_CUBIC, 3, 2 * D);
    Boundary boundary;
    boundary_init(&boundary, &memory, &kernel, D * D * D, D);
    Ball b = make_ball(24, 12, 0.1);
    SkinDef def = {.vertex_count = b.vertex_count,
                   .triangle_count = b.triangle_count,
                   .triangle = (const uint32_t(*)[3])b.triangle,
                   .position = b.x,
                   .velocity = b.v,
                   .spacing = D,
                   .fade_time = 3e-3};
    Solid solid = {.name = "ball", .type = MN_SOLID_ELASTIC, .friction = 0.25};
    solid.pose.rotation = quat_identity();
    assert_true(boundary_add_skin(&boundary, NULL, &def));
    size_t count = 0;
    mn_Error error;
    assert_int_equal(boundary_build(&boundary, NULL, &kernel, D, &solid, 1, &count, &error), MN_OK);
    assert_int_equal(count, boundary.count);
    size_t first = boundary.count, most = 0;
    double radius = 1;
    uint64_t allocations = 0;
    for (int step = 0; step < 120; step++) {
        double next = 1.5 - 0.5 * cos(2 * M_PI * step / 60), area = 0;
        for (size_t k = 0; k < b.vertex_count; k++)
            b.x[k] = vec3d_scale(b.x[k], next / radius);
        radius = next;
        assert_true(boundary_resample(&boundary, NULL, &kernel, &solid, 1, 1e-3, step % 2));
        assert_true(boundary_update(&boundary, NULL, &kernel, &solid, 1));
        for (size_t i = 0; i < boundary.count; i++) {
            uint32_t particle;
            assert_ptr_equal(boundary_skin_of(&boundary, i, &particle), &boundary.skin[0]);
            area += (double)boundary.position[i].w;
        }
        // one layer stands for V = 1 / sum W: a volume of 8 d^3 / 5.6 = 1.43 d per area
        area /= 4 * M_PI * pow(0.1 * radius, 2) * D;
        if (!(area > 1.25 && area < 1.55))
            fail_msg("volume per area %.3f d in step %d", area, step);
        most = boundary.count > most ? boundary.count : most;
        if (step == 62)
            allocations = atomic_load(&memory.allocations);
    }
    assert_true(most > 2 * first);
    assert_int_equal(atomic_load(&memory.allocations), allocations);
    for (int k = 0; k < 5; k++)
        assert_true(boundary_resample(&boundary, NULL, &kernel, &solid, 1, 1e-3, false) &&
                    boundary_update(&boundary, NULL, &kernel, &solid, 1));
    print_message("%zu particles, %zu swollen, %zu again\n", first, most, boundary.count);
    assert_true(boundary.count <= first + first / 50);
    boundary_free(&boundary);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    free_ball(&b);
}

static void turn_outwards(Ball* b)
{
    double volume = 0;
    for (size_t t = 0; t < b->triangle_count; t++)
        volume += vec3d_dot(b->x[b->triangle[t][0]], vec3d_cross(b->x[b->triangle[t][1]], b->x[b->triangle[t][2]]));
    for (size_t t = 0; t < b->triangle_count && volume < 0; t++) {
        uint32_t v = b->triangle[t][0];
        b->triangle[t][0] = b->triangle[t][1];
        b->triangle[t][1] = v;
    }
}

typedef struct Range {
    double low, high;
} Range;

static Range range_of(const float* value, size_t count)
{
    Range r = {INFINITY, -INFINITY};
    for (size_t k = 0; k < count; k++) {
        r.low = fmin(r.low, (double)value[k]);
        r.high = fmax(r.high, (double)value[k]);
    }
    return r;
}

// A ball of 2.5 spacings needs more volume than its layer has, whatever its mesh; particles of a fine mesh weigh less; a ball that
// is pressed flat lets nothing through; and what a ball has it keeps when it swells and is sampled anew.
static void test_factors(void** state)
{
    Kernel kernel = kernel_create(MN_KERNEL_CUBIC, 3, 2 * D);
    double sum[2], inset = boundary_layer(&kernel, D * D * D, D).offset;
    for (int fine = 0; fine < 2; fine++) {
        Ball b = make_ball(fine ? 64 : 16, fine ? 32 : 8, 2.5 * D);
        turn_outwards(&b);
        Skin skin = make_skin_for(&b, inset, &kernel);
        float* value = calloc(2 * 20000, sizeof *value);
        skin_factors(&skin, NULL, value, value + 20000);
        Range c = range_of(value, skin.resample.count), w = range_of(value + 20000, skin.resample.count);
        print_message("%zu particles: factors %.3f to %.3f, weights %.3f to %.3f\n", skin.resample.count, c.low, c.high, w.low,
                      w.high);
        assert_true(c.low > 1.2 && c.high < 1.9);
        assert_true(w.high <= 1 && w.low > 0);
        sum[fine] = 0;
        for (size_t k = 0; k < skin.resample.count; k++)
            sum[fine] += (double)value[20000 + k];
        for (size_t k = 0; k < b.vertex_count; k++)
            b.x[k] = vec3d_scale(b.x[k], 2);
        size_t before = skin.resample.count;
        assert_true(skin_resample(&skin, NULL, 1, NULL));
        assert_true(fine || skin.resample.count > before);
        skin_factors(&skin, NULL, value, value + 20000);
        Range later = range_of(value, skin.resample.count);
        assert_true(later.low >= c.low - 1e-6 && later.high <= c.high + 1e-6);
        free(value);
        skin_free(&skin);
        free_ball(&b);
    }
    print_message("sums of weights %.2f and %.2f\n", sum[0], sum[1]);
    assert_near(sum[1], sum[0], 0.2 * sum[0]); // whatever the mesh
    Ball b = make_ball(32, 16, 5 * D);
    for (size_t k = 0; k < b.vertex_count; k++)
        b.x[k].y *= 0.1;
    turn_outwards(&b);
    Skin skin = make_skin_for(&b, inset, &kernel);
    float* value = calloc(2 * 20000, sizeof *value);
    skin_factors(&skin, NULL, value, value + 20000);
    Range c = range_of(value, skin.resample.count);
    print_message("pressed flat: factors %.3f to %.3f\n", c.low, c.high);
    assert_true(c.low > 0.99);
    free(value);
    skin_free(&skin);
    free_ball(&b);
}

// --- what breaks off

// [m3] what the particles of a skin's vertices first..end and of all between them stand for, alone
static double stands_for(const Skin* skin, const Kernel* kernel, const Vec4* place, const float* factor, const float* weight,
                         bool second)
{
    double sum = 0;
    for (size_t i = 0; i < skin->resample.count; i++) {
        if ((place[i].x > (float)D) != second)
            continue;
        double density = 0;
        for (size_t k = 0; k < skin->resample.count; k++) {
            Vec3d apart = {(double)(place[i].x - place[k].x), (double)(place[i].y - place[k].y), (double)(place[i].z - place[k].z)};
            density += (double)weight[k] * kernel_w(kernel, vec3d_length(apart));
        }
        sum += (double)(factor[i] * weight[i]) / density;
    }
    return sum;
}

// Two tetrahedra of an eighth of a particle in all come apart: what they displace is what they are, as far as they are apart.
static void test_crumbs(void** state)
{
    double a = 0.9 * D;
    Vec3d rest[8] = {{0, 0, 0}, {0, a, 0}, {0, 0, a}, {-a, 0, 0}, {a, 0, 0}, {0, 0, 0}, {0, a, 0}, {0, 0, a}}, x[8],
          still[8] = {{0}};
    uint32_t whole[6][3] = {{3, 1, 0}, {3, 2, 1}, {3, 0, 2}, {4, 0, 1}, {4, 1, 2}, {4, 2, 0}};
    uint32_t apart[8][3] = {{3, 1, 0}, {3, 2, 1}, {3, 0, 2}, {4, 5, 6}, {4, 6, 7}, {4, 7, 5}, {0, 1, 2}, {5, 7, 6}};
    uint32_t parent[8] = {0, 1, 2, 3, 4, 0, 1, 2};
    memcpy(x, rest, sizeof x);
    Kernel kernel = kernel_create(MN_KERNEL_CUBIC, 3, 2 * D);
    SkinDef def = {.vertex_count = 5,
                   .triangle_count = 6,
                   .triangle = (const uint32_t(*)[3])whole,
                   .position = x,
                   .velocity = still,
                   .spacing = D,
                   .inset = 0.5 * D,
                   .kernel = &kernel,
                   .revision = 1};
    Skin skin;
    assert_true(skin_create(&skin, &def, NULL, NULL));
    SolidSurface broken = {.vertex_count = 8,
                           .triangle_count = 8,
                           .triangle = (const uint32_t(*)[3])apart,
                           .position = x,
                           .velocity = still,
                           .revision = 2,
                           .rest = rest,
                           .parent = parent};
    assert_true(skin_grow(&skin, NULL, &broken));
    for (int v = 0; v < 8; v++)
        x[v].x += v >= 4 ? 3 * D : 0;
    skin_follow(&skin);
    Vec4 place[64], velocity[64];
    float factor[64], weight[64];
    assert_true(skin.resample.count <= 48);
    skin_place(&skin, NULL, place, velocity);
    skin_factors(&skin, NULL, factor, weight);
    double volume = a * a * a / 6;
    for (int k = 0; k < 2; k++) {
        double stands = stands_for(&skin, &kernel, place, factor, weight, k == 1);
        print_message("a crumb of %.3f particles stands for %.4f of its volume\n", volume / (D * D * D), stands / volume);
        assert_near(stands / volume, 1, 1e-4);
    }
    skin_free(&skin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_arrive_whole),
        cmocka_unit_test(test_velocities_are_the_rates_of_positions),
        cmocka_unit_test(test_boundary_grows_and_shrinks),
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_crumbs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
