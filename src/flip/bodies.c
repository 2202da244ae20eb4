// SPDX-License-Identifier: MIT
#include "flip/bodies.h"

#include "flip/cell.h"
#include <string.h>

// One face of a cell: which way is out, and where.
typedef struct CellFace {
    size_t face; // the cell that has it as its low one
    int axis;
    float out;
} CellFace;

static CellFace face_of(const Flip* flip, size_t k, int i, int n)
{
    int axis = n >> 1;
    bool high = n & 1;
    return (CellFace){high ? cell_next(&flip->blocks, k, i, axis) : k * CELLS + (size_t)i, axis, high ? 1.0f : -1.0f};
}

static Vec3d face_place(const Flip* flip, const CellFace* f)
{
    BlockKey key = flip->blocks.key[f->face / CELLS];
    int i = (int)(f->face % CELLS);
    double at[3] = {8.0 * key.x + (i & 7) + 0.5, 8.0 * key.y + (i >> 3 & 7) + 0.5, 8.0 * key.z + (i >> 6) + 0.5};
    at[f->axis] -= 0.5;
    return vec3d_scale(vec3d(at[0], at[1], flip->def.dimension == 3 ? at[2] : 0), flip->dx);
}

// What flows out of a cell through a face if its wall moves with unit velocities: three of the centre, three turns, in cells.
static void face_flow(const Flip* flip, const CellFace* f, const WallSolid* w, double closed, double out[6])
{
    Vec3d axis = {f->axis == 0, f->axis == 1, f->axis == 2};
    Vec3d turn = vec3d_scale(vec3d_cross(vec3d_sub(face_place(flip, f), w->centre), axis), 1 / flip->dx);
    double share = (double)f->out * closed, flow[6] = {axis.x, axis.y, axis.z, turn.x, turn.y, turn.z};
    for (int n = 0; n < 6; n++)
        out[n] += share * flow[n];
}

// The solid that closes a part of the face, from 1; 0: none.
static int closer_of(const Flip* flip, const CellFace* f, double* closed)
{
    const WallCells* walls = flip->walls.cells[f->face / CELLS];
    *closed = 1 - (double)walls->open[f->axis][f->face % CELLS];
    return *closed > 0 ? walls->solid[f->axis][f->face % CELLS] : 0;
}

static bool takes_part(const Flip* flip, size_t k, int i)
{
    return flip->poisson.level[0].coef[k * COEFS * CELLS + COEF_DIAGONAL * CELLS + (size_t)i] > 0;
}

// How the cell meets a body. False: it does not.
static bool meet_body(const Flip* flip, size_t k, int i, size_t number, BodyFace* out)
{
    double flow[6] = {0}, closed;
    bool any = false;
    for (int n = 0; n < 2 * flip->def.dimension; n++) {
        CellFace f = face_of(flip, k, i, n);
        if (closer_of(flip, &f, &closed) != (int)number + 1)
            continue;
        face_flow(flip, &f, &flip->walls.solid[number], closed, flow);
        any = true;
    }
    *out = (BodyFace){.cell = (uint32_t)(k * CELLS + (size_t)i)};
    for (int n = 0; n < 6; n++)
        out->j[n] = (float)flow[n];
    return any;
}

// Change of velocities by unit sums of q: sums are pressures times areas, dt p = rho dx q.
static void set_mobility(const Flip* flip, const WallSolid* w, PoissonBody* body)
{
    double dx = flip->dx, per = (double)flip->lightest * pow(dx, flip->def.dimension);
    for (int n = 0; n < 3; n++) {
        body->w[n][n] = per * w->inverse_mass;
        for (int m = 0; m < 3; m++)
            body->w[3 + n][3 + m] = per * dx * dx * w->inverse_inertia[n][m];
    }
}

static bool add_body(Flip* flip, size_t number)
{
    Poisson* poisson = &flip->poisson;
    const Walls* walls = &flip->walls;
    Memory* m = flip->def.memory;
    PoissonBody body = {.first = poisson->face_count};
    for (size_t n = 0; n < walls->moved_count; n++)
        for (int i = 0; i < CELLS; i++) {
            BodyFace face;
            if (!takes_part(flip, walls->job[n], i) || !meet_body(flip, walls->job[n], i, number, &face))
                continue;
            if (!memory_reserve(m, &poisson->face, &poisson->face_capacity, poisson->face_count, poisson->face_count + 1,
                                sizeof *poisson->face))
                return false;
            poisson->face[poisson->face_count++] = face;
        }
    body.count = poisson->face_count - body.first;
    set_mobility(flip, &walls->solid[number], &body);
    if (body.count == 0)
        return true;
    if (!memory_reserve(m, &poisson->body, &poisson->body_capacity, poisson->body_count, poisson->body_count + 1,
                        sizeof *poisson->body))
        return false;
    body.number = number;
    poisson->body[poisson->body_count++] = body;
    return true;
}

bool flip_add_bodies(Flip* flip)
{
    for (size_t k = 0; k < flip->walls.solid_count; k++)
        if (flip->walls.solid[k].gives_way && !add_body(flip, k))
            return false;
    return true;
}

// --- loads

// Pressure times area of all that closes faces of cells of fluid.
static void add_loads(Flip* flip, size_t k, int i)
{
    double p = (double)flip->q[k * CELLS + (size_t)i] * (double)flip->lightest * flip->dx / flip->dt, closed;
    double area = pow(flip->dx, flip->def.dimension - 1);
    for (int n = 0; n < 2 * flip->def.dimension; n++) {
        CellFace f = face_of(flip, k, i, n);
        int number = closer_of(flip, &f, &closed);
        if (!number)
            continue;
        WallSolid* w = &flip->walls.solid[number - 1];
        double flow[6] = {0};
        face_flow(flip, &f, w, closed, flow);
        w->force = vec3d_mad(w->force, p * area, vec3d(flow[0], flow[1], flow[2]));
        w->torque = vec3d_mad(w->torque, p * area * flip->dx, vec3d(flow[3], flow[4], flow[5]));
    }
}

// Cells beside walls may lie in blocks that are open themselves: the next one's low faces are theirs.
static bool has_walls(const Flip* flip, size_t k)
{
    const Walls* walls = &flip->walls;
    for (int a = 0; a < 3; a++)
        if (walls->cells[flip->blocks.around[k][AROUND_SELF + around_step[a]]] != walls->all_open)
            return true;
    return walls->cells[k] != walls->all_open;
}

void flip_push_bodies(Flip* flip)
{
    Walls* walls = &flip->walls;
    for (size_t s = 0; s < walls->solid_count; s++)
        walls->solid[s].force = walls->solid[s].torque = vec3d(0, 0, 0);
    for (size_t k = 1; k < flip->blocks.count; k++)
        for (int i = 0; i < CELLS && flip->poisson.level[0].used[k] && has_walls(flip, k); i++)
            if (takes_part(flip, k, i))
                add_loads(flip, k, i);
    for (size_t k = 0; k < flip->poisson.body_count; k++) {
        WallSolid* w = &walls->solid[flip->poisson.body[k].number];
        w->velocity = vec3d_mad(w->velocity, flip->dt * w->inverse_mass, w->force);
        w->angular_velocity = vec3d_mad(w->angular_velocity, flip->dt, mat3d_times(w->inverse_inertia, w->torque));
    }
    if (flip->poisson.body_count)
        walls_follow(walls, &flip->blocks);
}
