// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "render/view.h"
#include <stdlib.h>
#include <string.h>

static void draw(View* view, const Camera* camera, const float* position, size_t count, float radius, const CutAway* cut,
                 Pool* pool)
{
    *view = (View){.factor = 1, .radius = radius, .up = {0, -1, 0}, .pool = pool};
    SphereSet set = {count, position, 3, radius};
    assert_true(sample_buffer_resize(&view->samples, camera));
    assert_true(sphere_list_build(&view->spheres, pool, &set, 1, &view->samples, cut));
    assert_true(triangle_list_build(&view->triangles, pool, NULL, 0, &view->samples, NULL, false));
    view_draw(view);
}

// Nearest z of the view ray through a sample with a sphere, in double; INFINITY: miss. `edge`: how near the rim it is.
static double ray_sphere(const Camera* c, double px, double py, Vec3d centre, double r, double* edge)
{
    double x = (px - c->centre_x) / c->focal, y = (py - c->centre_y) / c->focal;
    Vec3d o = c->orthographic ? vec3d(x, y, 0) : vec3d(0, 0, 0), d = c->orthographic ? vec3d(0, 0, 1) : vec3d(x, y, 1);
    Vec3d m = vec3d_sub(centre, o);
    double dd = vec3d_dot(d, d), b = vec3d_dot(m, d), across2 = vec3d_dot(m, m) - b * b / dd;
    *edge = fabs(sqrt(fmax(across2, 0)) - r) / r;
    return across2 < r * r ? (b - sqrt((r * r - across2) * dd)) / dd : (double)INFINITY;
}

static void compare_with_rays(bool orthographic)
{
    enum { N = 60 };
    Random random = {orthographic ? 5u : 4u};
    float position[3 * N];
    for (int i = 0; i < 3 * N; i++)
        position[i] = (float)random_range(&random, -1, 1);
    const float radius = 0.13f;
    Box3d box = {{-1, -1, -1}, {1, 1, 1}};
    Margins none = {0};
    Camera camera = orthographic ? camera_frame_orthographic(box, vec3d(-0.3, -0.5, -1), vec3d(0, 1, 0), 190, 150, none)
                                 : camera_frame(box, vec3d(-0.3, -0.5, -1), vec3d(0, 1, 0), 50, 190, 150, none);
    View view;
    draw(&view, &camera, position, N, radius, NULL, NULL);
    int hits = 0;
    for (int y = 0; y < camera.height; y++)
        for (int x = 0; x < camera.width; x++) {
            double nearest = (double)INFINITY, doubt = 1;
            for (int i = 0; i < N; i++) {
                Vec3d c =
                    camera_view(&camera, vec3d((double)position[3 * i], (double)position[3 * i + 1], (double)position[3 * i + 2]));
                double edge, z = ray_sphere(&camera, x + 0.5, y + 0.5, c, (double)radius, &edge);
                doubt = fmin(doubt, edge);
                nearest = fmin(nearest, z);
            }
            size_t at = (size_t)y * (size_t)view.samples.stride + (size_t)x;
            if (doubt < 1e-3)
                continue; // on a rim float and double may disagree about a hit
            assert_int_equal(isinf(view.samples.depth[at]) != 0, isinf(nearest) != 0);
            if (isinf(nearest))
                continue;
            hits++;
            assert_near((double)view.samples.depth[at], nearest, 1e-4 * (double)radius);
            // the normal points from the centre of that sphere to the point
            Vec3 p = view_point(&view, (float)x + 0.5f, (float)y + 0.5f, view.samples.depth[at]);
            Fragment f = view_fragment(&view, view.samples.id[at], p);
            Vec4 s = view.spheres.view[view.samples.id[at]];
            assert_near((double)((p.x - s.x) / radius), (double)f.normal.x, 2e-3);
            assert_near((double)((p.y - s.y) / radius), (double)f.normal.y, 2e-3);
            assert_near((double)((p.z - s.z) / radius), (double)f.normal.z, 2e-3);
        }
    assert_true(hits > 3000);
    view_free(&view);
}

static void depth_and_normal_equal_the_ray_through_each_sample(void** state)
{
    compare_with_rays(false);
}

static void depth_and_normal_equal_the_ray_without_perspective(void** state)
{
    compare_with_rays(true);
}

// a sphere a thousand radii away keeps a round rim: the disc's area is right to a few percent
static void far_spheres_stay_round(void** state)
{
    float position[3] = {0, 0, 0};
    Camera camera = camera_look(vec3d(0, 0, 100), vec3d(0, 0, 0), vec3d(0, 1, 0), 0.35, 256, 256);
    camera.focal *= 1;
    View view;
    draw(&view, &camera, position, 1, 0.1f, NULL, NULL);
    double area = 0, radius = 0.1 * camera.focal / 100;
    for (int y = 0; y < 256; y++)
        for (int x = 0; x < 256; x++)
            area += view.samples.id[(size_t)y * (size_t)view.samples.stride + (size_t)x] == 0;
    assert_near(area / (3.14159265 * radius * radius), 1, 0.02);
    view_free(&view);
}

// many spheres behind each other: hiding covered ones early does not change what is seen
static void covered_spheres_are_skipped_only_when_hidden(void** state)
{
    enum { N = 20000 };
    Random random = {11};
    float* position = malloc(3 * N * sizeof *position);
    for (int i = 0; i < 3 * N; i++)
        position[i] = (float)random_range(&random, -1, 1);
    Camera camera = camera_look(vec3d(0.4, 0.3, 4), vec3d(0, 0, 0), vec3d(0, 1, 0), 30, 128, 128);
    View view;
    draw(&view, &camera, position, N, 0.05f, NULL, NULL);
    for (int y = 1; y < 128; y += 3)
        for (int x = 1; x < 128; x += 3) {
            double nearest = (double)INFINITY, edge, doubt = 1;
            for (int i = 0; i < N; i++) {
                Vec4 s = view.spheres.view[i];
                double z = ray_sphere(&camera, x + 0.5, y + 0.5, vec3d((double)s.x, (double)s.y, (double)s.z), 0.05, &edge);
                if (z < nearest || edge < 1e-3)
                    doubt = fmin(doubt, edge);
                nearest = fmin(nearest, z);
            }
            size_t at = (size_t)y * (size_t)view.samples.stride + (size_t)x;
            if (doubt > 1e-3 && isfinite(nearest))
                assert_near((double)view.samples.depth[at], nearest, 1e-5);
        }
    view_free(&view);
    free(position);
}

static size_t drawn(const View* view)
{
    size_t count = 0;
    for (size_t i = 0; i < view->spheres.count; i++)
        count += view->spheres.view[i].w > 0;
    return count;
}

static void bad_and_cut_particles_are_not_drawn(void** state)
{
    float position[] = {0, 0, 0, NAN, 0, 0, 0, INFINITY, 0, 0, 0, 0.5f, 0, 0, 50};
    Camera camera = camera_look(vec3d(0, 0, 4), vec3d(0, 0, 0), vec3d(0, 1, 0), 30, 64, 64);
    View view;
    draw(&view, &camera, position, 5, 0.1f, NULL, NULL);
    assert_int_equal(drawn(&view), 2); // two are not finite, one is behind the camera
    view_free(&view);
    CutAway cut = {true, 2, 0.25, true};
    draw(&view, &camera, position, 5, 0.1f, &cut, NULL);
    assert_int_equal(drawn(&view), 1);
    assert_int_equal(view.samples.id[32 * view.samples.stride + 32], 0);
    view_free(&view);
}

static void same_samples_for_any_number_of_threads(void** state)
{
    enum { N = 50000 };
    Random random = {2};
    float* position = malloc(3 * N * sizeof *position);
    for (int i = 0; i < 3 * N; i++)
        position[i] = (float)random_range(&random, -1, 1) * (i % 3 ? 0.5f : 1);
    Camera camera = camera_look(vec3d(0.4, 1, 3), vec3d(0, 0, 0), vec3d(0, 1, 0), 40, 320, 200);
    View first;
    draw(&first, &camera, position, N, 0.02f, NULL, NULL);
    size_t samples = (size_t)first.samples.stride * (size_t)first.samples.tiles_y * TILE;
    const int threads[] = {1, 2, 3, 8};
    for (int k = 0; k < 4; k++) {
        Pool* pool = pool_create(threads[k]);
        View view;
        draw(&view, &camera, position, N, 0.02f, NULL, pool);
        assert_memory_equal(first.samples.depth, view.samples.depth, samples * sizeof(float));
        assert_memory_equal(first.samples.id, view.samples.id, samples * sizeof(uint32_t));
        view_free(&view);
        pool_destroy(pool);
    }
    view_free(&first);
    free(position);
}

// Spheres across the right and lower edges of pictures that are whole tiles stay within those tiles.
static void bounds_stay_in_the_picture(void** state)
{
    enum { N = 400 };
    static float position[3 * N];
    Random random = {9};
    for (int i = 0; i < 3 * N; i++)
        position[i] = (float)random_range(&random, -2, 2);
    for (int size = TILE; size <= 4096; size *= 2) {
        Camera camera = camera_look(vec3d(0, 0, 4), vec3d(0, 0, 0), vec3d(0, 1, 0), 30, size, size);
        SampleBuffer target = {.camera = camera, .tiles_x = size / TILE, .tiles_y = size / TILE};
        SphereSet set = {N, position, 3, 0.2f};
        SphereList list = {0};
        assert_true(sphere_list_build(&list, NULL, &set, 1, &target, NULL));
        int at_edge = 0;
        for (int i = 0; i < N; i++) {
            if (list.rect[i].x0 > list.rect[i].x1)
                continue;
            assert_in_range(list.bounds[i].x1, 0, size);
            assert_in_range(list.bounds[i].y1, 0, size);
            assert_in_range(list.rect[i].x1, 0, size / TILE - 1);
            assert_in_range(list.rect[i].y1, 0, size / TILE - 1);
            at_edge += list.bounds[i].x1 == size;
        }
        assert_true(at_edge > 5);
        sphere_list_free(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_stay_in_the_picture),
        cmocka_unit_test(depth_and_normal_equal_the_ray_through_each_sample),
        cmocka_unit_test(depth_and_normal_equal_the_ray_without_perspective),
        cmocka_unit_test(far_spheres_stay_round),
        cmocka_unit_test(covered_spheres_are_skipped_only_when_hidden),
        cmocka_unit_test(bad_and_cut_particles_are_not_drawn),
        cmocka_unit_test(same_samples_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
