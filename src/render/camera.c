// SPDX-License-Identifier: MIT
// Framing: with the view direction given, "corner k lies left of the right frustum plane" is linear in the eye's position,
//   x_k - e_x <=  t_right (z_k - e_z),   x_k - e_x >= -t_left (z_k - e_z),   the same for y,
// so the nearest eye that sees all corners follows from four extreme values; no search.
#include "render/camera.h"

#include <float.h>

static void camera_axes(Camera* camera, Vec3d forward, Vec3d up)
{
    camera->forward = vec3d_normalise(forward);
    if (vec3d_length(camera->forward) == 0)
        camera->forward = vec3d(0, 0, -1);
    Vec3d right = vec3d_cross(camera->forward, up);
    if (vec3d_length(right) < 1e-6 * vec3d_length(up) || vec3d_length(up) == 0) {
        Vec3d other = fabs(camera->forward.z) < 0.9 ? vec3d(0, 0, -1) : vec3d(0, 1, 0);
        right = vec3d_cross(camera->forward, other);
    }
    camera->right = vec3d_normalise(right);
    camera->down = vec3d_cross(camera->forward, camera->right);
}

static Camera camera_blank(int width, int height)
{
    return (Camera){.width = width, .height = height, .centre_x = width / 2.0, .centre_y = height / 2.0};
}

static double focal_of(double fov, int height)
{
    double angle = fmin(fmax(fov, 1), 150) * 3.14159265358979323846 / 180;
    return height / 2.0 / tan(angle / 2);
}

Camera camera_look(Vec3d eye, Vec3d target, Vec3d up, double fov, int width, int height)
{
    Camera camera = camera_blank(width, height);
    camera_axes(&camera, vec3d_sub(target, eye), up);
    camera.eye = eye;
    camera.focal = focal_of(fov, height);
    camera.nearest = fmax(1e-4 * vec3d_distance(eye, target), 1e-9);
    return camera;
}

static Vec3d box_corner(const Box3d* box, int k)
{
    return vec3d(k & 1 ? box->max.x : box->min.x, k & 2 ? box->max.y : box->min.y, k & 4 ? box->max.z : box->min.z);
}

Vec3d camera_view_direction(const Camera* camera, Vec3d d)
{
    return vec3d(vec3d_dot(camera->right, d), vec3d_dot(camera->down, d), vec3d_dot(camera->forward, d));
}

Vec3d camera_view(const Camera* camera, Vec3d point)
{
    return camera_view_direction(camera, vec3d_sub(point, camera->eye));
}

// Extreme values of one axis: low = max(p - t_high z), high = min(p + t_low z) over the corners.
typedef struct AxisFit {
    double t_low, t_high; // tangents towards smaller and larger pixel coordinates
    double low, high;
} AxisFit;

static void axis_fit_add(AxisFit* fit, double p, double z)
{
    fit->high = fmin(fit->high, p + fit->t_low * z);
    fit->low = fmax(fit->low, p - fit->t_high * z);
}

// Farthest forward that the eye may go, and where along the axis it then sits in the middle of what is allowed.
static double axis_fit_depth(const AxisFit* fit)
{
    return (fit->high - fit->low) / (fit->t_low + fit->t_high);
}
static double axis_fit_place(const AxisFit* fit, double z)
{
    return ((fit->low + fit->t_high * z) + (fit->high - fit->t_low * z)) / 2;
}

Camera camera_frame(Box3d box, Vec3d direction, Vec3d up, double fov, int width, int height, Margins m)
{
    Camera camera = camera_blank(width, height);
    camera_axes(&camera, direction, up);
    camera.focal = focal_of(fov, height);
    camera.eye = vec3d_scale(vec3d_add(box.min, box.max), 0.5);
    double half_w = width / 2.0 / camera.focal, half_h = height / 2.0 / camera.focal;
    AxisFit x = {half_w * (1 - 2 * m.left), half_w * (1 - 2 * m.right), -DBL_MAX, DBL_MAX};
    AxisFit y = {half_h * (1 - 2 * m.top), half_h * (1 - 2 * m.bottom), -DBL_MAX, DBL_MAX};
    double front = DBL_MAX;
    for (int k = 0; k < 8; k++) {
        Vec3d v = camera_view(&camera, box_corner(&box, k));
        axis_fit_add(&x, v.x, v.z);
        axis_fit_add(&y, v.y, v.z);
        front = fmin(front, v.z);
    }
    double size = fmax(vec3d_distance(box.min, box.max), 1e-9);
    double z = fmin(fmin(axis_fit_depth(&x), axis_fit_depth(&y)), front - 0.02 * size);
    Vec3d place = vec3d(axis_fit_place(&x, z), axis_fit_place(&y, z), z);
    camera.eye = vec3d_mad(camera.eye, place.x, camera.right);
    camera.eye = vec3d_mad(camera.eye, place.y, camera.down);
    camera.eye = vec3d_mad(camera.eye, place.z, camera.forward);
    camera.nearest = 1e-4 * size;
    return camera;
}

Camera camera_frame_orthographic(Box3d box, Vec3d direction, Vec3d up, int width, int height, Margins m)
{
    Camera camera = camera_blank(width, height);
    camera_axes(&camera, direction, up);
    camera.orthographic = true;
    camera.eye = vec3d_scale(vec3d_add(box.min, box.max), 0.5);
    Vec3d half = {0, 0, 0};
    for (int k = 0; k < 8; k++) {
        Vec3d v = camera_view(&camera, box_corner(&box, k));
        half = vec3d_max(half, vec3d(fabs(v.x), fabs(v.y), fabs(v.z)));
    }
    double size = fmax(vec3d_length(half), 1e-9);
    double free_w = width * (1 - m.left - m.right), free_h = height * (1 - m.top - m.bottom);
    camera.focal = fmin(free_w / fmax(2 * half.x, 1e-6 * size), free_h / fmax(2 * half.y, 1e-6 * size));
    camera.centre_x = width * m.left + free_w / 2;
    camera.centre_y = height * m.top + free_h / 2;
    camera.eye = vec3d_mad(camera.eye, -2 * size, camera.forward);
    camera.nearest = 0;
    return camera;
}

Camera camera_scaled(const Camera* camera, int factor)
{
    Camera scaled = *camera;
    scaled.width *= factor;
    scaled.height *= factor;
    scaled.focal *= factor;
    scaled.centre_x *= factor;
    scaled.centre_y *= factor;
    return scaled;
}

bool camera_project(const Camera* camera, Vec3d point, double* x, double* y, double* depth)
{
    Vec3d v = camera_view(camera, point);
    *depth = v.z;
    if (v.z <= camera->nearest)
        return false;
    double scale = camera->orthographic ? camera->focal : camera->focal / v.z;
    *x = camera->centre_x + scale * v.x;
    *y = camera->centre_y + scale * v.y;
    return true;
}
