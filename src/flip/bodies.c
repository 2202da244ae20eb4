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

// Pressures are known at centres of cells, and push at walls: p_wall = p + t (p - p_opposite), t the distance of the wall from the
// centre in cells, and `opposite` the cell on the other side. What is closed of a cell, but for what is closed from face to face,
// lies behind the wall, and its share of the face tells how thick it is. Returns t, 0 if there is no cell opposite.
static double wall_distance(const Flip* flip, size_t k, int i, int axis, const double closed[2], size_t* opposite)
{
    bool high = closed[1] > closed[0];
    size_t c = k * CELLS + (size_t)i,
           beyond = high ? cell_previous(&flip->blocks, k, i, axis) : cell_next(&flip->blocks, k, i, axis);
    double t = 0.5 - (1 - (double)cell_volume(flip, c) - fmin(closed[0], closed[1])) / fabs(closed[1] - closed[0]);
    *opposite = beyond;
    if (!takes_part(flip, beyond / CELLS, (int)(beyond % CELLS)) || cell_open(flip, high ? c : beyond, axis) < 0.5f)
        return 0;
    return t < -0.5 ? -0.5 : t > 0.5 ? 0.5 : t;
}

// What of a wall a cell meets along an axis: both of its faces may be closed in part, as beside a wall along the axis, and what
// they have in common pushes both ways.
typedef struct WallPush {
    double flow[6]; // out of the cell, for unit velocities of the solid
    double t;       // see wall_distance()
    size_t opposite;
} WallPush;

// For the solid that closes most. Returns its number from 1; 0: none.
static int find_push(const Flip* flip, size_t k, int i, int axis, WallPush* out)
{
    CellFace face[2] = {face_of(flip, k, i, 2 * axis), face_of(flip, k, i, 2 * axis + 1)};
    double closed[2];
    int solid[2] = {closer_of(flip, &face[0], &closed[0]), closer_of(flip, &face[1], &closed[1])};
    if (!solid[0] && !solid[1])
        return 0;
    bool high = closed[1] > closed[0];
    int number = solid[high];
    *out = (WallPush){.t = 0};
    for (int n = 0; n < 2; n++)
        if (solid[n] == number)
            face_flow(flip, &face[n], &flip->walls.solid[number - 1], closed[n], out->flow);
    if (fabs(closed[1] - closed[0]) > 1e-3)
        out->t = wall_distance(flip, k, i, axis, closed, &out->opposite);
    return number;
}

static bool push_face(Flip* flip, size_t cell, const double flow[6], double share)
{
    Poisson* poisson = &flip->poisson;
    if (!memory_reserve(flip->def.memory, &poisson->face, &poisson->face_capacity, poisson->face_count, poisson->face_count + 1,
                        sizeof *poisson->face))
        return false;
    BodyFace* face = &poisson->face[poisson->face_count++];
    *face = (BodyFace){.cell = (uint32_t)cell};
    for (int n = 0; n < 6; n++)
        face->j[n] = (float)(share * flow[n]);
    return true;
}

// How a cell meets a body. False: out of memory.
static bool meet_body(Flip* flip, size_t k, int i, size_t number)
{
    for (int axis = 0; axis < flip->def.dimension; axis++) {
        WallPush push;
        if (find_push(flip, k, i, axis, &push) != (int)number + 1)
            continue;
        if (!push_face(flip, k * CELLS + (size_t)i, push.flow, 1 + push.t) ||
            (push.t != 0 && !push_face(flip, push.opposite, push.flow, -push.t)))
            return false;
    }
    return true;
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
        for (int i = 0; i < CELLS; i++)
            if (takes_part(flip, walls->job[n], i) && !meet_body(flip, walls->job[n], i, number))
                return false;
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

// What flows out of cells by the motion that bodies have before any pressure acts.
static void add_flow(Flip* flip, const PoissonBody* body)
{
    const WallSolid* w = &flip->walls.solid[body->number];
    Vec3d turn = vec3d_scale(w->angular_velocity, flip->dx);
    double v[6] = {w->velocity.x, w->velocity.y, w->velocity.z, turn.x, turn.y, turn.z};
    for (size_t f = body->first; f < body->first + body->count; f++) {
        const BodyFace* face = &flip->poisson.face[f];
        double flow = 0;
        for (int n = 0; n < 6; n++)
            flow += (double)face->j[n] * v[n];
        flip->b[face->cell] -= (float)flow;
    }
}

bool flip_add_bodies(Flip* flip)
{
    for (size_t k = 0; k < flip->walls.solid_count; k++)
        if (flip->walls.solid[k].gives_way && !add_body(flip, k))
            return false;
    for (size_t k = 0; k < flip->poisson.body_count; k++)
        add_flow(flip, &flip->poisson.body[k]);
    return true;
}

// --- loads

// Pressure times area of all that closes faces of cells of fluid.
static void add_loads(Flip* flip, size_t k, int i, double per)
{
    double q = (double)flip->q[k * CELLS + (size_t)i];
    for (int axis = 0; axis < flip->def.dimension; axis++) {
        WallPush push;
        int number = find_push(flip, k, i, axis, &push);
        if (!number)
            continue;
        WallSolid* w = &flip->walls.solid[number - 1];
        double f = per * (push.t != 0 ? q + push.t * (q - (double)flip->q[push.opposite]) : q);
        w->force = vec3d_mad(w->force, f, vec3d(push.flow[0], push.flow[1], push.flow[2]));
        w->torque = vec3d_mad(w->torque, f * flip->dx, vec3d(push.flow[3], push.flow[4], push.flow[5]));
    }
}

// Cells of a row that take part and have a face which is not all open.
static unsigned cells_at_walls(const Flip* flip, size_t k, int y, int z)
{
    const uint32_t* around = flip->blocks.around[k];
    size_t i = (size_t)(z * ROWS + y * EDGE);
    F8 least = f8_set(1);
    for (int a = 0; a < flip->def.dimension; a++) {
        F8 low = f8_load(flip->walls.cells[k]->open[a] + i), high = row_open_next(flip, around, y, z, a);
        least = f8_min(least, f8_min(low, high));
    }
    F8 diagonal = f8_load(flip->poisson.level[0].coef + k * COEFS * CELLS + COEF_DIAGONAL * CELLS + i);
    return f8_mask(f8_and(f8_less(least, f8_set(1)), f8_less(f8_zero(), diagonal)));
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
    double per = (double)flip->lightest * flip->dx / flip->dt * pow(flip->dx, flip->def.dimension - 1);
    for (size_t k = 1; k < flip->blocks.count; k++)
        for (int row = 0; row < ROWS && flip->poisson.level[0].used[k] && has_walls(flip, k); row++) {
            unsigned bits = cells_at_walls(flip, k, row & 7, row >> 3);
            for (int x = 0; bits >> x; x++)
                if (bits >> x & 1)
                    add_loads(flip, k, row * EDGE + x, per);
        }
    for (size_t k = 0; k < flip->poisson.body_count; k++) {
        WallSolid* w = &walls->solid[flip->poisson.body[k].number];
        w->velocity = vec3d_mad(w->velocity, flip->dt * w->inverse_mass, w->force);
        w->angular_velocity = vec3d_mad(w->angular_velocity, flip->dt, mat3d_times(w->inverse_inertia, w->torque));
    }
    if (flip->poisson.body_count)
        walls_follow(walls, &flip->blocks);
}
