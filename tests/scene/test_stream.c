// SPDX-License-Identifier: MIT
// A stream is a stream: what falls out of a nozzle stays in one piece, thins as it gains speed as the flow asks for, and has no
// layers; a fluid's tension by default is that of its material, or what it takes to hold a stream.
#include "world/worlds.h"

#include <meniscus/scene.h>
#include <string.h>

static mn_Scene* scene_of(const char* fluid, const char* more)
{
    char text[1024];
    snprintf(text, sizeof text, "{\"particle_radius\": 0.003, \"fluids\": [{%s}]%s}", fluid, more);
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(text, strlen(text), "stream.json", NULL, NULL, 0, &error);
    expect_ok(scene != NULL, &error);
    return scene;
}

// --- defaults

static void expect_tension(const char* fluid, const char* more, const char* expected)
{
    mn_Scene* scene = scene_of(fluid, more);
    char* json = mn_scene_to_json(scene);
    assert_non_null(json);
    if (!strstr(json, expected))
        fail_msg("{%s}%s has no %s:\n%s", fluid, more, expected, json);
    free(json);
    mn_scene_free(scene);
}

#define NOZZLE                                                                                                                     \
    "\"emitters\": [{\"type\": \"disc\", \"position\": [0, 1, 0], \"direction\": [0, -1, 0], \"radius\": 0.02, \"speed\": 0.5}]"
#define BLOCK "\"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.1, 0.1, 0.1]}]"

static void tension_is_the_materials(void** state)
{
    expect_tension("\"material\": \"water\", " BLOCK, "", "\"sigma\": 0.0728");
    expect_tension("\"material\": \"honey\", " BLOCK, ", \"support_radius\": 0.01", "\"sigma\": 0.06");
    expect_tension("\"material\": \"mercury\", " NOZZLE, ", \"dimension\": 3", "\"gamma\": 0.05"); // 0.49 N/m is less than that
    expect_tension("\"material\": \"ethanol\", " BLOCK, "", "\"gamma\": 0.05");
    expect_tension(NOZZLE, "", "\"gamma\": 0.05");
    expect_tension(BLOCK, "", "\"gamma\": 0");
    expect_tension("\"material\": \"water\", \"surface_tension\": 0, " NOZZLE, "", "\"gamma\": 0");
    expect_tension("\"material\": \"water\", \"surface_tension\": {\"sigma\": 0.03}, " NOZZLE, "", "\"sigma\": 0.03");
    expect_tension("\"material\": \"water\", " NOZZLE, ", \"solver\": {\"method\": \"flip\"}", "\"gamma\": 0");
}

// --- a stream of one metre

// Particles that hang together with the one nearest to the nozzle over gaps of at most `gap` [m]; particles come from above.
static size_t hanging_together(const mn_World* world, double gap)
{
    mn_ParticleView view = mn_world_particles(world);
    size_t* queue = malloc(view.count * sizeof *queue);
    bool* seen = calloc(view.count, 1);
    assert_true(queue && seen);
    size_t first = 0, begin = 0, end = 0;
    for (size_t i = 0; i < view.count; i++)
        if (view.position[4 * i + 1] > view.position[4 * first + 1])
            first = i;
    queue[end++] = first;
    seen[first] = true;
    for (; begin < end; begin++)
        for (size_t j = 0; j < view.count; j++) {
            double square = 0;
            for (size_t axis = 0; axis < 3; axis++)
                square += pow((double)(view.position[4 * queue[begin] + axis] - view.position[4 * j + axis]), 2);
            if (!seen[j] && square < gap * gap) {
                seen[j] = true;
                queue[end++] = j;
            }
        }
    free(queue);
    free(seen);
    return end;
}

// [m] of the disc that has the same second moment as the particles between two heights
static double radius_between(const mn_World* world, double low, double high)
{
    mn_ParticleView view = mn_world_particles(world);
    double sum = 0, count = 0;
    for (size_t i = 0; i < view.count; i++) {
        const float* p = view.position + 4 * i;
        if ((double)p[1] < low || (double)p[1] > high)
            continue;
        sum += (double)(p[0] * p[0] + p[2] * p[2]);
        count++;
    }
    assert_true(count > 0);
    return sqrt(2 * sum / count);
}

// 1 if all particles stand in layers this far apart on their way: v^2 = 0.5^2 + 2 g s, so that layers are released at even times.
static double in_layers(const mn_World* world, double distance)
{
    mn_ParticleView view = mn_world_particles(world);
    double real = 0, imaginary = 0;
    for (size_t i = 0; i < view.count; i++) {
        double fall = fmax(0, 1 - (double)view.position[4 * i + 1]), time = (sqrt(0.25 + 2 * 9.81 * fall) - 0.5) / 9.81;
        real += cos(2 * 3.14159265 * 0.5 * time / distance);
        imaginary += sin(2 * 3.14159265 * 0.5 * time / distance);
    }
    return hypot(real, imaginary) / (double)view.count;
}

static void a_stream_falls_a_metre(void** state)
{
    mn_Error error = {0};
    mn_Scene* scene = scene_of("\"material\": \"water\", " NOZZLE, ", \"drains\": [{\"min\": [-1, -1, -1], \"max\": [1, 0, 1]}]");
    mn_World* world = mn_scene_build(scene, &error);
    expect_ok(world != NULL, &error);
    mn_scene_free(scene);
    world_until(world, 0.6); // it arrives after 0.404 s
    size_t count = mn_world_particles(world).count, together = hanging_together(world, 0.009);
    print_message("%zu of %zu particles hang together over gaps of 1.5 spacings; layers %.3f\n", together, count,
                  in_layers(world, 0.006));
    assert_int_equal(together, count);
    assert_true(in_layers(world, 0.006) < 0.1);
    for (double y = 0.1; y < 0.75; y += 0.1) {
        // v A is the same at all heights; near the nozzle the stream is wider, since it takes time to draw it in
        double radius = radius_between(world, y, y + 0.1), theory = 0.02 * sqrt(0.5 / sqrt(0.25 + 2 * 9.81 * (0.95 - y)));
        print_message("%.2f m above the floor: radius %.2f mm, %.3f of theory\n", y + 0.05, 1e3 * radius, radius / theory);
        assert_near(radius / theory, 1, 0.1);
    }
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tension_is_the_materials), cmocka_unit_test(a_stream_falls_a_metre)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
