// SPDX-License-Identifier: MIT
// The path tracer against what light is known to do.
#include "support.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 24 };

static const Vec3 box_corner[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                   {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const uint32_t box_face[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                         {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

typedef struct Box {
    Vec3 position[9];
} Box;

static TraceMesh make_box(Box* box, Vec3 centre, Vec3 half, TraceMaterial material)
{
    memset(box, 0, sizeof *box);
    for (int k = 0; k < 8; k++)
        box->position[k] =
            (Vec3){centre.x + half.x * box_corner[k].x, centre.y + half.y * box_corner[k].y, centre.z + half.z * box_corner[k].z};
    return (TraceMesh){
        .vertex_count = 8, .triangle_count = 12, .position = box->position, .triangle = box_face, .material = material};
}

static TraceWorld empty_world(void)
{
    return (TraceWorld){.environment = {.up = {0, 1, 0},
                                        .wall = {0.5f, 0.4f, 0.3f},
                                        .lamp_side = {1, 0, 0},
                                        .strength = 1,
                                        .sun = {{.to = {0.6f, 0.8f, 0}, .light = {1, 1, 1}, .size = 0.05f}},
                                        .sun_count = 1},
                        .ground_radius = 1000,
                        .ground_material = {.kind = TRACE_MATTE, .colour = {0.5f, 0.5f, 0.5f}}};
}

// Looks along -z from z = 10; orthographic, two metres wide.
static TraceCamera front_camera(void)
{
    return (TraceCamera){.eye = {0, 0, 10},
                         .right = {1, 0, 0},
                         .down = {0, -1, 0},
                         .forward = {0, 0, -1},
                         .orthographic = true,
                         .width = SIZE,
                         .height = SIZE,
                         .focal = SIZE / 2.0f,
                         .centre_x = SIZE / 2.0f,
                         .centre_y = SIZE / 2.0f};
}

static void take(const TraceWorld* world, const TraceCamera* camera, int threads, int samples, Vec3* sum)
{
    mn_Error error = {0};
    Tracer* tracer = trace_create(world, &error);
    if (!tracer)
        fail_msg("%s", error.message);
    Pool* pool = pool_create(threads);
    memset(sum, 0, SIZE * SIZE * sizeof *sum);
    trace_samples(tracer, camera, pool, 0, samples, sum);
    pool_destroy(pool);
    trace_destroy(tracer);
}

static double mean_of(const Vec3* sum, int samples)
{
    double total = 0;
    for (int k = 0; k < SIZE * SIZE; k++)
        total += (double)sum[k].y;
    return total / SIZE / SIZE / samples;
}

static void empty_world_is_sky(void** state)
{
    static Vec3 sum[SIZE * SIZE];
    TraceWorld world = empty_world();
    TraceCamera camera = front_camera();
    take(&world, &camera, 1, 4, sum);
    assert_near(mean_of(sum, 4), 0.4, 1e-4); // level: the wall itself
}

// Through a slab without refraction light is lost by Beer's law alone.
static void liquids_absorb(void** state)
{
    static Vec3 sum[SIZE * SIZE];
    Box box;
    TraceMaterial m = {.kind = TRACE_LIQUID, .ior = 1.000001f, .absorption = {1, 0.7f, 0}};
    TraceMesh mesh = make_box(&box, (Vec3){0, 0, 0}, (Vec3){5, 5, 1}, m);
    TraceWorld world = empty_world();
    world.mesh = &mesh;
    world.mesh_count = 1;
    TraceCamera camera = front_camera();
    take(&world, &camera, 2, 4, sum);
    assert_near(mean_of(sum, 4), 0.4 * exp(-0.7 * 2), 1e-3);
}

// Head-on, a clear slab of water mirrors ((n - 1) / (n + 1))^2 at each side and lets the rest through; before and behind it is the
// same wall, so nothing is lost whatever the ways.
static void clear_liquids_lose_nothing(void** state)
{
    static Vec3 sum[SIZE * SIZE];
    Box box;
    TraceMaterial m = {.kind = TRACE_LIQUID, .ior = 1.333f};
    TraceMesh mesh = make_box(&box, (Vec3){0, 0, 0}, (Vec3){50, 50, 1}, m);
    TraceWorld world = empty_world();
    world.mesh = &mesh;
    world.mesh_count = 1;
    TraceCamera camera = front_camera();
    take(&world, &camera, 2, 16, sum);
    assert_near(mean_of(sum, 16), 0.4, 1e-3);
}

// Black on one side tells what is mirrored: a slab in front of a black wall.
static void water_mirrors_by_fresnel(void** state)
{
    static Vec3 sum[SIZE * SIZE];
    Box box[2];
    TraceMesh mesh[2] = {
        make_box(&box[0], (Vec3){0, 0, 0}, (Vec3){50, 50, 1}, (TraceMaterial){.kind = TRACE_LIQUID, .ior = 1.333f}),
        make_box(&box[1], (Vec3){0, 0, -5}, (Vec3){50, 50, 1}, (TraceMaterial){.kind = TRACE_MATTE})};
    TraceWorld world = empty_world();
    world.mesh = mesh;
    world.mesh_count = 2;
    TraceCamera camera = front_camera();
    enum { SAMPLES = 400 };
    take(&world, &camera, 2, SAMPLES, sum);
    double r = pow(0.333 / 2.333, 2), slab = r + (1 - r) * (1 - r) * r / (1 - r * r);
    assert_near(mean_of(sum, SAMPLES), 0.4 * slab, 0.4 * 0.05 * slab);
}

// A matte wall that faces the sun sends back colour x sun / pi, and the sky's share; in shadow the sky's share only.
static void sun_and_shadow(void** state)
{
    static Vec3 lit[SIZE * SIZE], dark[SIZE * SIZE];
    Box box[2];
    TraceMesh mesh[2] = {
        make_box(&box[0], (Vec3){0, 0, -5}, (Vec3){50, 50, 1}, (TraceMaterial){.kind = TRACE_MATTE, .colour = {0.5f, 0.5f, 0.5f}}),
        make_box(&box[1], (Vec3){0, 0, 40}, (Vec3){9, 9, 1}, (TraceMaterial){.kind = TRACE_MATTE})};
    TraceWorld world = empty_world();
    world.mesh = mesh;
    world.mesh_count = 1;
    world.environment.sun[0].to = (Vec3){0, 0, 1};
    world.environment.wall = (Vec3){0, 0, 0};
    TraceCamera camera = front_camera();
    take(&world, &camera, 2, 16, lit);
    assert_near(mean_of(lit, 16), 0.5 / 3.14159265, 1e-3);
    world.mesh_count = 2;
    take(&world, &camera, 2, 16, dark);
    assert_near(mean_of(dark, 16), 0, 1e-6);
}

static void threads_change_nothing(void** state)
{
    static Vec3 one[SIZE * SIZE], three[SIZE * SIZE];
    Box box;
    TraceMesh mesh = make_box(&box, (Vec3){0.2f, 0, 0}, (Vec3){0.5f, 0.6f, 0.4f},
                              (TraceMaterial){.kind = TRACE_LIQUID, .ior = 1.333f, .absorption = {1, 1, 1}});
    TraceWorld world = empty_world();
    world.mesh = &mesh;
    world.mesh_count = 1;
    world.ground = true;
    world.ground_level = -0.5f;
    world.contact = 0.05;
    TraceCamera camera = front_camera();
    take(&world, &camera, 1, 5, one);
    take(&world, &camera, 3, 5, three);
    assert_memory_equal(one, three, sizeof one);
}

// What moves during the exposure covers its way half of the time.
static void motion_blurs(void** state)
{
    static Vec3 sum[SIZE * SIZE];
    Box box;
    Vec3 velocity[9];
    for (int k = 0; k < 9; k++)
        velocity[k] = (Vec3){0, 4, 0};
    TraceMesh mesh = make_box(&box, (Vec3){0, 0, 0}, (Vec3){5, 1, 1}, (TraceMaterial){.kind = TRACE_MATTE});
    mesh.velocity = velocity;
    TraceWorld world = empty_world();
    world.mesh = &mesh;
    world.mesh_count = 1;
    world.environment.sun_count = 0;
    TraceCamera camera = front_camera();
    for (int k = 0; k < 2; k++) {
        world.shutter = k ? 0.5 : 0; // two metres, the height of the picture
        take(&world, &camera, 2, 64, sum);
        assert_near(mean_of(sum, 64), k ? 0.4 * 0.25 : 0, 0.01);
    }
}

static void development_keeps_order(void** state)
{
    Vec3 sum[4] = {{0, 0, 0}, {0.2f, 0.2f, 0.2f}, {2, 2, 2}, {400, 400, 400}};
    uint8_t rgb[12];
    trace_develop(sum, 4, 1, 2, 1, rgb);
    assert_int_equal(rgb[0], 0);
    assert_true(rgb[3] > 40 && rgb[6] > rgb[3] && rgb[9] >= rgb[6] && rgb[9] == 255);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_world_is_sky),
        cmocka_unit_test(liquids_absorb),
        cmocka_unit_test(clear_liquids_lose_nothing),
        cmocka_unit_test(water_mirrors_by_fresnel),
        cmocka_unit_test(sun_and_shadow),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(motion_blurs),
        cmocka_unit_test(development_keeps_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
