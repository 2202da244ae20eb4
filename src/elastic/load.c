// SPDX-License-Identifier: MIT
#include "elastic/load.h"

#include <string.h>

void load_spread(const Body* body, const Vec3d* vertex, Vec3d* point)
{
    if (!body->embedding) {
        memcpy(point, vertex, body->point_count * sizeof *point);
        return;
    }
    memset(point, 0, body->point_count * sizeof *point);
    for (size_t k = 0; k < body->vertex_count; k++)
        for (int c = 0; c < 4; c++) {
            Vec3d* to = &point[body->embedding[k].point[c]];
            *to = vec3d_mad(*to, body->embedding[k].weight[c], vertex[k]);
        }
}

// [1/s] of the body as a whole: its angular momentum over its inertia; [kg] its mass
static Vec3d spin_of(const Body* body, double* mass)
{
    Vec3d centre = {0, 0, 0}, velocity = {0, 0, 0}, momentum = {0, 0, 0};
    Mat3 inertia = {{{0}}};
    *mass = 0;
    for (size_t k = 0; k < body->point_count; k++) {
        *mass += body->mass[k];
        centre = vec3d_mad(centre, body->mass[k], body->position[k]);
        velocity = vec3d_mad(velocity, body->mass[k], body->velocity[k]);
    }
    centre = vec3d_scale(centre, 1 / *mass);
    velocity = vec3d_scale(velocity, 1 / *mass);
    for (size_t k = 0; k < body->point_count; k++) {
        Vec3d arm = vec3d_sub(body->position[k], centre);
        mat3_add_inertia(&inertia, body->mass[k], arm);
        momentum = vec3d_mad(momentum, body->mass[k], vec3d_cross(arm, vec3d_sub(body->velocity[k], velocity)));
    }
    double size = inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2];
    if (!(mat3_determinant(&inertia) > 1e-9 * size * size * size))
        return vec3d(0, 0, 0); // all points on a line
    Mat3 inverse = mat3_inverse(&inertia);
    return mat3_times(&inverse, momentum);
}

void load_take(Body* body, const Vec3d* vertex, double dt)
{
    load_spread(body, vertex, body->load);
    if (body->tet_count == 0)
        return; // what presses on a sheet from both sides is small
    double mass, time = body->model->load_time ? body->model->load_time(body, dt) : dt;
    Quat turn = turn_by(vec3d_scale(spin_of(body, &mass), time));
    Vec3d sum = {0, 0, 0};
    for (size_t k = 0; k < body->point_count; k++)
        sum = vec3d_add(sum, body->load[k]);
    Vec3d rest = vec3d_scale(vec3d_sub(sum, quat_rotate(turn, sum)), 1 / mass);
    for (size_t k = 0; k < body->point_count; k++)
        body->load[k] = vec3d_mad(quat_rotate(turn, body->load[k]), body->mass[k], rest);
}
