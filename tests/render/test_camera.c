// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "render/camera.h"

static Vec3d corner(Box3d b, int k)
{
    return vec3d(k & 1 ? b.max.x : b.min.x, k & 2 ? b.max.y : b.min.y, k & 4 ? b.max.z : b.min.z);
}

static Box3d random_box(Random* random)
{
    Vec3d size = {random_range(random, 0, 3), random_range(random, 0.01, 3), random_range(random, 0.01, 3)};
    Vec3d min = {random_range(random, -50, 50), random_range(random, -5, 5), random_range(random, -5, 5)};
    return (Box3d){min, vec3d_add(min, size)};
}

// every corner lies within the margins, and in the tight direction the box reaches them
static void framing_shows_the_whole_box(void** state)
{
    Random random = {3};
    const Margins m = {0.05, 0.12, 0.08, 0.03};
    for (int trial = 0; trial < 500; trial++) {
        bool orthographic = trial % 2;
        Box3d box = random_box(&random);
        Vec3d direction = {random_range(&random, -1, 1), random_range(&random, -1, 1), random_range(&random, -1, 1)};
        double fov = random_range(&random, 5, 100);
        int width = 640, height = trial % 3 ? 480 : 900;
        Camera c = orthographic ? camera_frame_orthographic(box, direction, vec3d(0, 1, 0), width, height, m)
                                : camera_frame(box, direction, vec3d(0, 1, 0), fov, width, height, m);
        double x0 = 1e9, x1 = -1e9, y0 = 1e9, y1 = -1e9, x, y, depth;
        for (int k = 0; k < 8; k++) {
            assert_true(camera_project(&c, corner(box, k), &x, &y, &depth));
            x0 = fmin(x0, x), x1 = fmax(x1, x), y0 = fmin(y0, y), y1 = fmax(y1, y);
        }
        double left = x0 - m.left * width, right = (1 - m.right) * width - x1;
        double top = y0 - m.top * height, bottom = (1 - m.bottom) * height - y1;
        assert_below(-left, 0.01);
        assert_below(-right, 0.01);
        assert_below(-top, 0.01);
        assert_below(-bottom, 0.01);
        assert_below(fmin(left + right, top + bottom), orthographic ? 0.01 : 40);
    }
}

static void axes_are_orthonormal_even_when_up_is_along_the_view(void** state)
{
    Camera c = camera_look(vec3d(0, 5, 0), vec3d(0, 0, 0), vec3d(0, 1, 0), 40, 100, 100);
    assert_near(vec3d_length(c.right), 1, 1e-12);
    assert_near(vec3d_length(c.down), 1, 1e-12);
    assert_near(vec3d_dot(c.right, c.forward), 0, 1e-12);
    assert_near(vec3d_dot(c.right, c.down), 0, 1e-12);
    Vec3d f = vec3d_cross(c.right, c.down);
    assert_near(vec3d_distance(f, c.forward), 0, 1e-12);
}

// the target is in the middle, up is up and right is right
static void look_at_puts_things_where_people_expect_them(void** state)
{
    Camera c = camera_look(vec3d(0, 0, 10), vec3d(0, 0, 0), vec3d(0, 1, 0), 2 * atan(0.1) * 180 / 3.14159265358979, 200, 100);
    double x, y, depth;
    assert_true(camera_project(&c, vec3d(0, 0, 0), &x, &y, &depth));
    assert_near(x, 100, 1e-9);
    assert_near(y, 50, 1e-9);
    assert_near(depth, 10, 1e-12);
    assert_true(camera_project(&c, vec3d(1, 1, 0), &x, &y, &depth));
    assert_near(x, 150, 1e-9);
    assert_near(y, 0, 1e-9);
    assert_false(camera_project(&c, vec3d(0, 0, 11), &x, &y, &depth));
}

static void scaling_keeps_the_view(void** state)
{
    Camera c = camera_look(vec3d(1, 2, 3), vec3d(0, 0, 0), vec3d(0, 1, 0), 35, 320, 200), d = camera_scaled(&c, 3);
    double x, y, z, u, v, w;
    assert_true(camera_project(&c, vec3d(0.3, -0.2, 0.5), &x, &y, &z));
    assert_true(camera_project(&d, vec3d(0.3, -0.2, 0.5), &u, &v, &w));
    assert_near(u, 3 * x, 1e-9);
    assert_near(v, 3 * y, 1e-9);
    assert_int_equal(d.width, 960);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(framing_shows_the_whole_box),
        cmocka_unit_test(axes_are_orthonormal_even_when_up_is_along_the_view),
        cmocka_unit_test(look_at_puts_things_where_people_expect_them),
        cmocka_unit_test(scaling_keeps_the_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
