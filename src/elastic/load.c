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

static LoadPiece* piece_at(const Body* body, LoadPiece* piece, size_t point)
{
    return &piece[body->split.piece_of ? body->split.piece_of[point] : 0];
}

// [1/s] of a piece as a whole: its angular momentum over its inertia
static Vec3d spin_of(const LoadPiece* piece)
{
    double size = piece->inertia.m[0][0] + piece->inertia.m[1][1] + piece->inertia.m[2][2];
    if (!(mat3_determinant(&piece->inertia) > 1e-9 * size * size * size))
        return vec3d(0, 0, 0); // all points on a line
    Mat3 inverse = mat3_inverse(&piece->inertia);
    return mat3_times(&inverse, piece->momentum);
}

static void find_turns(const Body* body, LoadPiece* piece, size_t pieces, double time)
{
    memset(piece, 0, pieces * sizeof *piece);
    for (size_t k = 0; k < body->point_count; k++) {
        LoadPiece* p = piece_at(body, piece, k);
        p->mass += body->mass[k];
        p->centre = vec3d_mad(p->centre, body->mass[k], body->position[k]);
        p->velocity = vec3d_mad(p->velocity, body->mass[k], body->velocity[k]);
        p->sum = vec3d_add(p->sum, body->load[k]);
    }
    for (size_t i = 0; i < pieces; i++) {
        piece[i].centre = vec3d_scale(piece[i].centre, 1 / piece[i].mass);
        piece[i].velocity = vec3d_scale(piece[i].velocity, 1 / piece[i].mass);
    }
    for (size_t k = 0; k < body->point_count; k++) {
        LoadPiece* p = piece_at(body, piece, k);
        Vec3d arm = vec3d_sub(body->position[k], p->centre);
        mat3_add_inertia(&p->inertia, body->mass[k], arm);
        p->momentum = vec3d_mad(p->momentum, body->mass[k], vec3d_cross(arm, vec3d_sub(body->velocity[k], p->velocity)));
    }
    for (size_t i = 0; i < pieces; i++) {
        piece[i].turn = turn_by(vec3d_scale(spin_of(&piece[i]), time));
        piece[i].rest = vec3d_scale(vec3d_sub(piece[i].sum, quat_rotate(piece[i].turn, piece[i].sum)), 1 / piece[i].mass);
    }
}

static bool is_zero(const Body* body, const Vec3d* vertex)
{
    for (size_t k = 0; k < body->vertex_count; k++)
        if (vertex[k].x != 0 || vertex[k].y != 0 || vertex[k].z != 0)
            return false;
    return true;
}

void load_take(Body* body, const Vec3d* vertex, double dt)
{
    if (is_zero(body, vertex)) {
        memset(body->load, 0, body->point_count * sizeof *body->load);
        return;
    }
    load_spread(body, vertex, body->load);
    if (body->tet_count == 0)
        return; // what presses on a sheet from both sides is small
    LoadPiece whole, *piece = body->split.piece_count ? body->split.piece : &whole;
    find_turns(body, piece, body->split.piece_count ? body->split.piece_count : 1,
               body->model->load_time ? body->model->load_time(body, dt) : dt);
    for (size_t k = 0; k < body->point_count; k++) {
        const LoadPiece* p = piece_at(body, piece, k);
        body->load[k] = vec3d_mad(quat_rotate(p->turn, body->load[k]), body->mass[k], p->rest);
    }
}
