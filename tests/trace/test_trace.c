// SPDX-License-Identifier: MIT
// The path tracer against what light is known to do.
#include "render/reference.h"
#include "support.h"
#include "trace/trace.h"
#include "trace/vector.h"

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
    TraceFilm film;
    assert_true(trace_film_create(&film, camera->width, camera->height));
    trace_samples(tracer, camera, pool, samples, &film);
    for (int k = 0; k < camera->width * camera->height; k++)
        sum[k] = v3_add(film.light[0][k], film.light[1][k]);
    trace_film_free(&film);
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
    take(&world, &camera, 2, 1024, sum);
    assert_near(mean_of(sum, 1024), 0.4, 1e-3);
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

// A small world with everything in it: clear water that is cut open, a textured and a metal box in it, a glass one, coloured balls,
// a checkerboard as ground, a map as sky.
static Picture picture_of_all(bool with_balls)
{
    enum { WIDE = 96, HIGH = 60, SAMPLES = 64 };
    static Vec3 sum[WIDE * HIGH], sky[32 * 16],
        texture[4] = {{0.8f, 0.1f, 0.1f}, {0.9f, 0.9f, 0.9f}, {0.9f, 0.9f, 0.9f}, {0.1f, 0.1f, 0.8f}};
    static const Vec4 ball[2] = {{-0.9f, 0.35f, 0.9f, 0.25f}, {-0.5f, 0.2f, 1.2f, 0.12f}};
    static const Vec3 ball_colour[2] = {{0.9f, 0.5f, 0.1f}, {0.1f, 0.6f, 0.2f}};
    for (int k = 0; k < 32 * 16; k++)
        sky[k] = k / 32 < 8 ? (Vec3){0.5f, 0.7f, 1.0f} : (Vec3){0.5f, 0.5f, 0.5f};
    sky[4 * 32 + 6] = (Vec3){300, 280, 240};
    Image map = {32, 16, sky}, image = {2, 2, texture};
    Pattern picture = {.texture = &image, .size = 0.4f},
            fields = {.colour = {0.7f, 0.7f, 0.7f}, .checker = {0.2f, 0.2f, 0.25f}, .size = 0.5f};
    Box box[4];
    TraceMesh mesh[4] = {make_box(&box[0], (Vec3){0, 0.3f, 0}, (Vec3){1.2f, 0.3f, 0.6f},
                                  (TraceMaterial){.kind = TRACE_LIQUID, .ior = 1.333f, .absorption = {1.2f, 0.4f, 0.2f}}),
                         make_box(&box[1], (Vec3){-0.4f, 0.4f, 0}, (Vec3){0.2f, 0.4f, 0.2f},
                                  (TraceMaterial){.kind = TRACE_COATED, .pattern = &picture, .ior = 1.5f}),
                         make_box(&box[2], (Vec3){0.5f, 0.4f, -0.1f}, (Vec3){0.2f, 0.4f, 0.2f},
                                  (TraceMaterial){.kind = TRACE_METAL, .colour = {0.9f, 0.7f, 0.3f}, .roughness = 0.2f}),
                         make_box(&box[3], (Vec3){1.0f, 0.25f, 1.0f}, (Vec3){0.2f, 0.25f, 0.2f},
                                  (TraceMaterial){.kind = TRACE_GLASS, .colour = {0.9f, 1, 0.95f}, .ior = 1.5f, .priority = -1})};
    TraceBalls balls = {.count = 2, .ball = ball, .colour = ball_colour, .material = {.kind = TRACE_COATED, .ior = 1.5f}};
    mn_ViewDef view = {.environment = {.sky = MN_SKY_MAP, .strength = 1}};
    Camera camera = camera_look(vec3d(1.2, 1.6, 4.2), vec3d(0, 0.3, 0), vec3d(0, 1, 0), 34, WIDE, HIGH);
    TraceWorld world = {.mesh = mesh,
                        .mesh_count = 4,
                        .balls = &balls,
                        .ball_sets = with_balls ? 1 : 0,
                        .contact = 0.01,
                        .clip = {.on = true, .normal = {0, 0, 1}, .level = 1.2f},
                        .ground = true,
                        .ground_radius = 40,
                        .ground_material = {.kind = TRACE_MATTE, .pattern = &fields}};
    environment_build(&world.environment, &view, &camera, vec3d(0, 1, 0), &map);
    TraceCamera from = {.eye = {1.2f, 1.6f, 4.2f},
                        .right = {(float)camera.right.x, (float)camera.right.y, (float)camera.right.z},
                        .down = {(float)camera.down.x, (float)camera.down.y, (float)camera.down.z},
                        .forward = {(float)camera.forward.x, (float)camera.forward.y, (float)camera.forward.z},
                        .width = WIDE,
                        .height = HIGH,
                        .focal = (float)camera.focal,
                        .centre_x = WIDE / 2.0f,
                        .centre_y = HIGH / 2.0f};
    take(&world, &from, 2, SAMPLES, sum);
    Picture p;
    assert_true(picture_create(&p, WIDE, HIGH));
    trace_develop(sum, WIDE, HIGH, SAMPLES, 0.8f, p.rgb);
    return p;
}

static void all_looks_like_the_stored_picture(void** state)
{
    Picture p = picture_of_all(true);
    assert_below(difference_to_reference(&p, "traced"), 0.8);
    picture_free(&p);
    p = picture_of_all(false);
    if (!getenv("MENISCUS_WRITE_REFERENCE"))
        assert_true(difference_to_reference(&p, "traced") > 1.6);
    picture_free(&p);
}

// A sun in a map becomes a lamp: a wall that faces it is as bright as one that a lamp of the same light shines on.
static void a_sun_in_a_map_is_a_lamp(void** state)
{
    static Vec3 sky[64 * 32];
    for (int k = 0; k < 64 * 32; k++)
        sky[k] = (Vec3){0.1f, 0.1f, 0.1f};
    sky[8 * 64 + 20] = (Vec3){1000, 1000, 1000};
    Image map = {64, 32, sky};
    mn_ViewDef view = {.environment = {.sky = MN_SKY_MAP, .strength = 2}};
    Camera camera = camera_look(vec3d(0, 0, 3), vec3d(0, 0, 0), vec3d(0, 1, 0), 40, 64, 48);
    Environment env;
    environment_build(&env, &view, &camera, vec3d(0, 1, 0), &map);
    assert_int_equal(env.sun_count, 1);
    double v = 3.14159265 * 8.5 / 32, solid = sin(v) * 2 * 3.14159265 * 3.14159265 / (64 * 32);
    assert_near((double)env.sun[0].light.x, 2 * 1000 * solid, 0.02 * 2 * 1000 * solid);
    assert_near((double)env.sun[0].to.y, cos(v), 0.01);
    // seen in mirrors as it is, from diffuse surfaces cut
    assert_true(environment_mirrored(&env, env.sun[0].to).x > 500);
    assert_true(environment_light(&env, env.sun[0].to).x < 20);
}

// Foam: a ball lets a share of the light pass, whatever stands behind, and what it scatters is not lost: in a room that is equally
// bright everywhere white foam is not seen.
static void foam_scatters_and_lets_pass(void** state)
{
    static Vec3 sum[SIZE * SIZE];
    Vec4 ball[3] = {{0, 0, 0, 8}, {0, 0, -20, 8}, {0, 0, -40, 8}};
    const float opacity[3] = {0.3f, 0.5f, 0.2f};
    TraceBalls balls = {.count = 3, .ball = ball, .opacity = opacity, .material = {.kind = TRACE_FOAM, .colour = {0, 0, 0}}};
    TraceWorld world = empty_world();
    world.environment = (Environment){.sky = MN_SKY_GRADIENT,
                                      .up = {0, 1, 0},
                                      .zenith = {0.6f, 0.6f, 0.6f},
                                      .horizon = {0.6f, 0.6f, 0.6f},
                                      .below = {0.6f, 0.6f, 0.6f},
                                      .strength = 1};
    world.balls = &balls;
    world.ball_sets = 1;
    TraceCamera camera = front_camera();
    camera.eye.z = 30;
    take(&world, &camera, 2, 64, sum);
    assert_near(mean_of(sum, 64), 0.6 * 0.7 * 0.5 * 0.8, 0.01);
    balls.material.colour = v3(1, 1, 1);
    take(&world, &camera, 2, 64, sum);
    assert_near(mean_of(sum, 64), 0.6, 1e-3);
    // shadows of a sun through it, on a matte wall: the wall is seen through the foam too
    Box box;
    TraceMesh wall =
        make_box(&box, (Vec3){0, 0, -80}, (Vec3){500, 500, 1}, (TraceMaterial){.kind = TRACE_MATTE, .colour = {0.5f, 0.5f, 0.5f}});
    world = empty_world();
    world.environment.sun[0] = (Sun){.to = {0, 0, 1}, .light = {1, 1, 1}, .size = 0.001f};
    world.environment.wall = (Vec3){0, 0, 0};
    world.mesh = &wall;
    world.mesh_count = 1;
    world.balls = &balls;
    world.ball_sets = 1;
    balls.count = 1;
    balls.material.colour = v3(0, 0, 0);
    take(&world, &camera, 2, 64, sum);
    assert_near(mean_of(sum, 64), 0.5 / 3.14159265 * 0.7 * 0.7, 3e-3);
}

// Two liquids that overlap: the one with priority absorbs, and between liquids of one index nothing is mirrored.
static void nested_liquids(void** state)
{
    static Vec3 sum[SIZE * SIZE];
    Box box[2];
    TraceMaterial outer = {.kind = TRACE_LIQUID, .ior = 1.333f, .absorption = {1, 1, 1}},
                  inner = {.kind = TRACE_LIQUID, .ior = 1.333f, .absorption = {0, 0, 0}, .priority = 1};
    TraceMesh mesh[2] = {make_box(&box[0], (Vec3){0, 0, 0}, (Vec3){50, 50, 1}, outer),
                         make_box(&box[1], (Vec3){0, 0, 0}, (Vec3){50, 50, 0.75f}, inner)};
    TraceWorld world = empty_world();
    world.mesh = mesh;
    world.mesh_count = 2;
    world.environment.sky = MN_SKY_GRADIENT;
    world.environment.horizon = world.environment.zenith = world.environment.below = (Vec3){1, 1, 1};
    world.environment.sun_count = 0;
    TraceCamera camera = front_camera();
    enum { SAMPLES = 512 };
    take(&world, &camera, 2, SAMPLES, sum);
    // light passes 0.5 m of the outer liquid, forth and back between the two outer faces
    double r = pow(0.333 / 2.333, 2), t = exp(-0.5);
    double through = (1 - r) * (1 - r) * t / (1 - r * r * t * t), back = r + (1 - r) * (1 - r) * r * t * t / (1 - r * r * t * t);
    assert_near(mean_of(sum, SAMPLES), through + back, 0.005);
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
        cmocka_unit_test(all_looks_like_the_stored_picture),
        cmocka_unit_test(a_sun_in_a_map_is_a_lamp),
        cmocka_unit_test(foam_scatters_and_lets_pass),
        cmocka_unit_test(nested_liquids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
