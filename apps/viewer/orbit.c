// SPDX-License-Identifier: MIT
#include "orbit.h"

static const double highest = 1.5; // [rad] not quite from above

static int free_width(Canvas c)
{
    int width = c.width - c.left - c.right;
    return width > 64 ? width : 64;
}

void orbit_frame(Orbit* o, const Setting* setting, Canvas canvas)
{
    int width = free_width(canvas), height = canvas.height;
    Camera c = setting_camera(setting, width, height);
    Box3d box = setting->survey.box;
    *o = (Orbit){.flat = setting->scene->world.dimension == 2,
                 .up = setting->up,
                 .fov = setting->scene->view.field_of_view,
                 .size = vec3d_distance(box.min, box.max)};
    o->front = vec3d_normalise(vec3d_cross(fabs(o->up.z) < 0.5 ? vec3d(0, 0, 1) : vec3d(1, 0, 0), o->up));
    o->front = vec3d_cross(o->up, o->front);
    o->side = vec3d_cross(o->up, o->front);
    if (o->flat) {
        o->flat_camera = c;
        o->target = c.eye;
        o->focal = c.focal;
        o->free_height = height;
        return;
    }
    // the scene's own camera may leave out what panels would cover: only where it looks from is taken
    Margins margins = {0.04, 0.04, 0.09, 0.10};
    c = camera_frame(box, c.forward, o->up, o->fov, width, height, margins);
    Vec3d middle = vec3d_scale(vec3d_add(box.min, box.max), 0.5);
    double depth = fmax(vec3d_dot(vec3d_sub(middle, c.eye), c.forward), 0.05 * o->size);
    o->target = vec3d_mad(c.eye, depth, c.forward);
    o->distance = depth;
    Vec3d back = vec3d_scale(c.forward, -1);
    o->pitch = asin(fmin(fmax(vec3d_dot(back, o->up), -1), 1));
    o->yaw = atan2(vec3d_dot(back, o->side), vec3d_dot(back, o->front));
}

// Half of what a camera sees at a distance of one.
static double half_height(const Orbit* o)
{
    return tan(o->fov * 3.14159265358979 / 360);
}

void orbit_look(Orbit* o, Vec3d eye, Vec3d target, Canvas canvas)
{
    Vec3d back = vec3d_sub(eye, target);
    double distance = vec3d_length(back);
    if (o->flat) {
        o->target.x = target.x;
        o->target.y = target.y;
        o->free_height = canvas.height;
        o->focal = canvas.height / (2 * distance * half_height(o));
        return;
    }
    o->target = target;
    o->distance = distance;
    o->pitch = fmin(fmax(asin(fmin(fmax(vec3d_dot(back, o->up) / distance, -1), 1)), -highest), highest);
    o->yaw = atan2(vec3d_dot(back, o->side), vec3d_dot(back, o->front));
}

void orbit_eye(const Orbit* o, Canvas canvas, Vec3d* eye, Vec3d* target)
{
    Camera c = orbit_camera(o, canvas);
    *target = o->target;
    *eye = c.eye;
    if (!o->flat)
        return;
    target->z = 0;
    *eye = vec3d(target->x, target->y, canvas.height / (2 * c.focal * half_height(o)));
}

Camera orbit_camera(const Orbit* o, Canvas canvas)
{
    double middle = canvas.left + free_width(canvas) / 2.0;
    if (o->flat) {
        Camera c = o->flat_camera;
        c.eye = o->target;
        c.focal = o->focal * canvas.height / o->free_height;
        c.width = canvas.width - canvas.right;
        c.height = canvas.height;
        c.centre_x = middle;
        c.centre_y = canvas.height / 2.0;
        return c;
    }
    Vec3d level = vec3d_mad(vec3d_scale(o->front, cos(o->yaw)), sin(o->yaw), o->side);
    Vec3d back = vec3d_mad(vec3d_scale(level, cos(o->pitch)), sin(o->pitch), o->up);
    Vec3d eye = vec3d_mad(o->target, o->distance, back);
    Camera c = camera_look(eye, o->target, o->up, o->fov, canvas.width - canvas.right, canvas.height);
    c.centre_x = middle;
    return c;
}

void orbit_turn(Orbit* o, double dx, double dy)
{
    if (o->flat)
        return;
    o->yaw -= 3 * dx;
    o->pitch = fmin(fmax(o->pitch + 3 * dy, -highest), highest);
}

void orbit_pan(Orbit* o, const Camera* c, double dx, double dy)
{
    double metres = (c->orthographic ? 1 : o->distance) / c->focal;
    o->target = vec3d_mad(o->target, -dx * metres, c->right);
    o->target = vec3d_mad(o->target, -dy * metres, c->down);
}

void orbit_zoom(Orbit* o, double notches)
{
    double factor = pow(0.88, notches);
    o->focal = fmin(fmax(o->focal / factor, 1e-3 / o->size), 1e6 / o->size);
    o->distance = fmin(fmax(o->distance * factor, 0.01 * o->size), 50 * o->size);
}

void camera_ray(const Camera* c, double x, double y, Vec3d* from, Vec3d* direction)
{
    double u = (x - c->centre_x) / c->focal, v = (y - c->centre_y) / c->focal;
    if (c->orthographic) {
        *from = vec3d_mad(vec3d_mad(c->eye, u, c->right), v, c->down);
        *direction = c->forward;
    } else {
        *from = c->eye;
        *direction = vec3d_normalise(vec3d_mad(vec3d_mad(c->forward, u, c->right), v, c->down));
    }
}
