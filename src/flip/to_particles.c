// SPDX-License-Identifier: MIT
// Grid to particles: velocities, then positions by the midpoint rule, and out of walls that a particle got into.
#include "flip/cell.h"
#include "flip/transfer.h"

// [cells] Nearer to a wall a particle is put back.
static const double MARGIN = 0.02;
// [cells] From here on the other corners of a cell are farther from a wall than that: the diagonal and the margin.
static const float CLEAR = 1.76f;

typedef struct ToParticles {
    Flip* flip;
    const FlipParticles* particles;
    Vec4* before;
    CellScale scale;
    double dt;
    float keep, pressure;
    float fall[3]; // [m/s] q of a column at rest, per cell
} ToParticles;

// --- the table of a block

// A row of nodes from -1 to 8: pairs of what two fields have there.
static void fill_row(const float* a, const float* b, const uint32_t* around, size_t cell, float* out)
{
    size_t west = (size_t)around[-1] * CELLS + cell, own = (size_t)around[0] * CELLS + cell,
           east = (size_t)around[1] * CELLS + cell;
    out[0] = a[west + 7];
    out[1] = b[west + 7];
    for (int x = 0; x < EDGE; x++) {
        out[2 * x + 2] = a[own + (size_t)x];
        out[2 * x + 3] = b[own + (size_t)x];
    }
    out[2 * EDGE + 2] = a[east];
    out[2 * EDGE + 3] = b[east];
}

static void fill_lattice(const Flip* flip, size_t k, const float* a, const float* b, float* out)
{
    int low = flip->def.dimension == 3 ? -1 : 0, high = flip->def.dimension == 3 ? EDGE : 0;
    for (int z = low; z <= high; z++)
        for (int y = -1; y <= EDGE; y++) {
            const uint32_t* around = &flip->blocks.around[k][AROUND_SELF + 9 * (z >> 3) + 3 * (y >> 3)];
            fill_row(a, b, around, (size_t)((z & 7) * ROWS + (y & 7) * EDGE), out + (z + 1) * PLANE + (y + 1) * ROW);
        }
}

static void fill_table(const ToParticles* job, size_t k, float* table)
{
    const Flip* flip = job->flip;
    for (int a = 0; a < flip->def.dimension; a++)
        fill_lattice(flip, k, flip->velocity[a], flip->old[a], table + a * LATTICE);
}

// --- interpolation

// Sums of two fields at both ends of the x-edge that a particle is on.
static ALWAYS_INLINE void look_up(const float* table, const Stencils* s, int layers, F8* low, F8* low_other, F8* high,
                                  F8* high_other)
{
    F8 weight[4];
    R8 sum = r8_zero();
    row_weights(s, weight);
    r8_mad_floats(&sum, weight[0], table, s->first);
    r8_mad_floats(&sum, weight[1], table + ROW, s->first);
    if (layers == 2) {
        r8_mad_floats(&sum, weight[2], table + PLANE, s->first);
        r8_mad_floats(&sum, weight[3], table + PLANE + ROW, s->first);
    }
    r8_columns(&sum, low, low_other, high, high_other);
}

static ALWAYS_INLINE F8 between(F8 low, F8 high, F8 share)
{
    return f8_mad(share, f8_sub(high, low), low);
}

// Both fields of lattice `k` at eight particles.
static ALWAYS_INLINE void fields_at(const float* table, const Places* places, int k, int layers, F8* now, F8* other)
{
    Stencils s = stencils_of(places, k);
    F8 a, b, c, d;
    look_up(table, &s, layers, &a, &b, &c, &d);
    *now = between(a, c, s.x);
    *other = between(b, d, s.x);
}

// Velocity component at a place anywhere near block `k`, in cells from its corner.
static float component_at(const Flip* flip, size_t k, const float cell[3], int axis)
{
    int i[3], layers = flip->def.dimension == 3 ? 2 : 1;
    float t[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        float c = a == axis ? cell[a] : cell[a] - 0.5f;
        float f = floorf(c);
        i[a] = (int)f;
        t[a] = c - f;
    }
    if (layers == 1)
        i[2] = 0;
    for (int n = 0; n < 4 * layers; n++) {
        int x = i[0] + (n & 1), y = i[1] + (n >> 1 & 1), z = i[2] + (n >> 2);
        float w = (n & 1 ? t[0] : 1 - t[0]) * (n & 2 ? t[1] : 1 - t[1]) * (layers == 1 ? 1 : n & 4 ? t[2] : 1 - t[2]);
        // beyond the blocks around nothing is known: it reads as the nearest that is
        x = x < -8 ? -8 : x > 15 ? 15 : x;
        y = y < -8 ? -8 : y > 15 ? 15 : y;
        z = z < -8 ? -8 : z > 15 ? 15 : z;
        sum += w * flip->velocity[axis][blocks_cell(&flip->blocks, (uint32_t)k, x, y, z)];
    }
    return sum;
}

// u of the midpoint, in the table where that reaches: half a cell below the block and up to its end.
static ALWAYS_INLINE void velocities_at(const ToParticles* job, const float* table, size_t k, const F8 cell[3], int dimension,
                                        F8 out[3])
{
    F8 inside[3], unused;
    unsigned beyond = 0;
    for (int a = 0; a < 3; a++) {
        inside[a] = f8_min(f8_max(cell[a], f8_set(-0.5f)), f8_set(7.999999f));
        if (a < dimension)
            beyond |= f8_mask(f8_not_zero(f8_sub(cell[a], inside[a])));
    }
    Places places = places_of(inside, dimension);
    for (int a = 0; a < dimension; a++)
        fields_at(table, &places, a, dimension == 3 ? 2 : 1, &out[a], &unused);
    if (!beyond)
        return;
    float at[3][LANES], u[3][LANES];
    for (int a = 0; a < 3; a++) {
        f8_store(at[a], cell[a]);
        f8_store(u[a], out[a]);
    }
    for (int lane = 0; lane < LANES; lane++)
        for (int a = 0; a < dimension && beyond >> lane & 1; a++)
            u[a][lane] = component_at(job->flip, k, (const float[3]){at[0][lane], at[1][lane], at[2][lane]}, a);
    for (int a = 0; a < dimension; a++)
        out[a] = f8_load(u[a]);
}

// Gradient of a velocity component per cell, along each axis, for apic.
static void find_gradient(const float* table, const Places* places, int k, int layers, F8 out[3])
{
    Stencils s = stencils_of(places, k);
    F8 end[4][2], unused, one = f8_set(1), y0 = f8_sub(one, s.y), z0 = f8_sub(one, s.z);
    for (int n = 0; n < 2 * layers; n++) {
        R8 row = r8_zero();
        r8_mad_floats(&row, one, table + (n & 1) * ROW + (n >> 1) * PLANE, s.first);
        r8_columns(&row, &end[n][0], &unused, &end[n][1], &unused);
    }
    F8 middle[4], slope = f8_zero(), weight[4];
    row_weights(&s, weight);
    for (int n = 0; n < 2 * layers; n++) {
        middle[n] = between(end[n][0], end[n][1], s.x);
        slope = f8_mad(weight[n], f8_sub(end[n][1], end[n][0]), slope);
    }
    out[0] = slope;
    out[1] = f8_sub(middle[1], middle[0]);
    out[2] = f8_zero();
    if (layers == 2) {
        out[1] = f8_mad(z0, out[1], f8_mul(s.z, f8_sub(middle[3], middle[2])));
        out[2] = f8_mad(y0, f8_sub(middle[2], middle[0]), f8_mul(s.y, f8_sub(middle[3], middle[1])));
    }
}

// --- walls

// Out of a solid in motion as it will be after the step, by its own lattice of distances: those at corners of cells do not see what
// is as thin as a cell.
static void leave_solid(const Flip* flip, const WallSolid* w, Vec3d* x)
{
    const Solid* solid = w->solid;
    const Distances* field = &w->field;
    double sign = solid->inside ? -1 : 1, margin = MARGIN * flip->dx, h = field->spacing;
    // where the place is now that will be there
    Vec3d local = solid_to_local(solid, vec3d_mad(*x, -flip->dt, walls_velocity(w, *x)));
    double d = sign * distances_at(field, local);
    if (d >= margin)
        return;
    Vec3d g = {
        distances_at(field, vec3d(local.x + h, local.y, local.z)) - distances_at(field, vec3d(local.x - h, local.y, local.z)),
        distances_at(field, vec3d(local.x, local.y + h, local.z)) - distances_at(field, vec3d(local.x, local.y - h, local.z)),
        distances_at(field, vec3d(local.x, local.y, local.z + h)) - distances_at(field, vec3d(local.x, local.y, local.z - h))};
    if (flip->def.dimension == 2)
        g.z = 0;
    *x = vec3d_mad(*x, sign * fmin(margin - d, flip->dx), quat_rotate(solid->pose.rotation, vec3d_normalise(g)));
}

static void leave_solids(const Flip* flip, Vec3d* x)
{
    for (size_t k = 0; k < flip->walls.solid_count; k++) {
        const WallSolid* w = &flip->walls.solid[k];
        bool near = x->x > w->low.x && x->x < w->high.x && x->y > w->low.y && x->y < w->high.y &&
                    (flip->def.dimension == 2 || (x->z > w->low.z && x->z < w->high.z));
        if (w->field.value && (near || w->solid->inside))
            leave_solid(flip, w, x);
    }
}

// Out of walls, along the gradient of the distance, in cells of block `k`.
static void leave_walls(const Flip* flip, size_t k, float cell[3])
{
    int dimension = flip->def.dimension, at[3] = {0, 0, 0};
    float local[3] = {0, 0, 0}, g[3];
    for (int a = 0; a < dimension; a++) {
        float block = floorf(cell[a] * 0.125f);
        if (!(block >= -1 && block <= 1))
            return;
        at[a] = (int)block;
        local[a] = cell[a] - 8 * block;
        if (!(local[a] < 8))
            local[a] = 7.999999f;
    }
    size_t there = flip->blocks.around[k][AROUND_SELF + 9 * at[2] + 3 * at[1] + at[0]];
    const WallCells* walls = flip->walls.cells[there];
    if (walls == flip->walls.all_open || walls == flip->walls.all_closed)
        return;
    // distances change by no more than the way: where one corner of a cell is as far as that, none is near a wall
    if (walls->corner[81 * (int)local[2] + 9 * (int)local[1] + (int)local[0]] > CLEAR * (float)flip->dx)
        return;
    double d = walls_distance(walls, local, g) / flip->dx;
    double length = sqrt((double)(g[0] * g[0] + g[1] * g[1] + (dimension == 3 ? g[2] * g[2] : 0)));
    if (!(length > 0))
        return;
    if (d >= MARGIN)
        return;
    double most = d < MARGIN - 1 ? 1 : MARGIN - d;
    for (int a = 0; a < dimension; a++)
        cell[a] += (float)(most / length) * g[a];
}

// --- particles

// Eight particles of a row of cells on their way.
typedef struct Batch {
    size_t k;       // block
    int row;        // of it
    size_t first;   // particle
    uint32_t count; // lanes that are used
    F8 cell[3];     // [cells] where they are in the block
    F8 to[3];       // [cells] where they go
    F8 speed[3];    // [m/s] theirs after the step
    F8 path;        // [cells]
} Batch;

// [m] from walls at eight places of a block.
static F8 wall_distances(const WallCells* walls, const F8 cell[3])
{
    F8 low[3], t[3], weight[4], one = f8_set(1), a, b, unused;
    uint32_t first[LANES];
    R8 sum = r8_zero();
    for (int k = 0; k < 3; k++) {
        low[k] = f8_floor(cell[k]);
        t[k] = f8_sub(cell[k], low[k]);
    }
    i8_store(first, i8_of(f8_mad(low[2], f8_set(81), f8_mad(low[1], f8_set(9), low[0]))));
    Stencils s = {.y = t[1], .z = t[2]};
    row_weights(&s, weight);
    for (int n = 0; n < 4; n++)
        r8_mad_floats(&sum, weight[n], walls->corner + (n & 1) * 9 + (n >> 1) * 81, first);
    r8_columns(&sum, &a, &b, &unused, &unused);
    return f8_mad(t[0], b, f8_mul(f8_sub(one, t[0]), a));
}

// Lanes that meet a wall. Who is farther from walls than its path is long, as far as distances are kept, meets none; the distance
// at the end of the path tells of the others, if that is in the block.
static unsigned near_walls(const Flip* flip, const Batch* b)
{
    const WallCells* walls = flip->walls.cells[b->k];
    unsigned bits = f8_mask(f8_less(f8_set(1.2f), b->path));
    if (walls == flip->walls.all_open)
        return bits;
    F8 corner = f8_load(walls->corner + 81 * (b->row >> 3) + 9 * (b->row & 7));
    F8 reach = f8_mul(f8_add(b->path, f8_set(CLEAR)), f8_set((float)flip->dx));
    bits |= f8_mask(f8_less(f8_lookup(corner, f8_floor(b->cell[0])), reach));
    if (!bits)
        return 0;
    F8 inside[3], top = f8_set(7.999999f);
    unsigned beyond = 0;
    for (int a = 0; a < 3; a++) {
        inside[a] = f8_min(f8_max(b->to[a], f8_zero()), top);
        beyond |= f8_mask(f8_not_zero(f8_sub(b->to[a], inside[a])));
    }
    F8 near = f8_less(wall_distances(walls, inside), f8_set((float)((MARGIN + 1e-5) * flip->dx)));
    return bits & (beyond | f8_mask(near));
}

// Lanes that may meet a solid which the grid carries.
static unsigned near_solids(const Flip* flip, const Batch* b)
{
    const Inside* in = &flip->inside;
    if (!in->count)
        return 0;
    unsigned far = f8_mask(f8_less(f8_set(0.5f), b->path));
    if (far)
        in->far[b->k] = 1;
    size_t slot = in->voxel_slot[b->k];
    if (!slot)
        return 0;
    unsigned touched = in->touched[slot - 1][b->row];
    return touched ? far | f8_mask(f8_lookup(f8_lanes(touched), f8_floor(b->cell[0]))) : far;
}

// Out of walls and of solids that the grid carries, one by one.
static void keep_out(const Flip* flip, Batch* b)
{
    unsigned all = (1u << b->count) - 1, walls = near_walls(flip, b) & all, solids = near_solids(flip, b) & all;
    if (!(walls | solids))
        return;
    float from[3][LANES], to[3][LANES], speed[3][LANES];
    for (int a = 0; a < 3; a++) {
        f8_store(from[a], b->cell[a]);
        f8_store(to[a], b->to[a]);
        f8_store(speed[a], b->speed[a]);
    }
    for (unsigned k = 0; k < b->count; k++) {
        if (!((walls | solids) >> k & 1))
            continue;
        float end[3] = {to[0][k], to[1][k], to[2][k]}, v[3] = {speed[0][k], speed[1][k], speed[2][k]};
        if (walls >> k & 1)
            leave_walls(flip, b->k, end);
        if (solids >> k & 1)
            inside_keep_out(flip, b->k, (const float[3]){from[0][k], from[1][k], from[2][k]}, end, v);
        for (int a = 0; a < 3; a++) {
            to[a][k] = end[a];
            speed[a][k] = v[a];
        }
    }
    for (int a = 0; a < 3; a++) {
        b->to[a] = f8_load(to[a]);
        b->speed[a] = f8_load(speed[a]);
    }
}

static void store_records(Vec4* to, uint32_t count, const F8 r[4])
{
    if (count == LANES) {
        f8_store4(to, r[0], r[1], r[2], r[3]);
        return;
    }
    Vec4 records[LANES];
    f8_store4(records, r[0], r[1], r[2], r[3]);
    memcpy(to, records, count * sizeof *to);
}

// Pressure of the cell that each is in, carried on to where it is by that of a column at rest. Less is smoothed by this on the way
// to the next step's cells than by interpolation. Air has none.
static ALWAYS_INLINE F8 pressures_of(const ToParticles* job, const Batch* b, int dimension)
{
    const Flip* flip = job->flip;
    size_t row = b->k * CELLS + (size_t)b->row * EDGE;
    F8 q = f8_load(flip->q + row), wet = f8_less(f8_set(0.49999997f), f8_load(flip->fill + row)), x = f8_floor(b->cell[0]);
    float middle[3] = {0.5f, (float)(b->row & 7) + 0.5f, dimension == 3 ? (float)(b->row >> 3) + 0.5f : 0};
    F8 column = f8_mul(f8_sub(f8_sub(b->cell[0], x), f8_set(middle[0])), f8_set(job->fall[0]));
    for (int a = 1; a < 3; a++)
        column = f8_mad(f8_sub(b->cell[a], f8_set(middle[a])), f8_set(job->fall[a]), column);
    F8 p = f8_mul(f8_add(f8_lookup(q, x), column), f8_set(job->pressure));
    return f8_and(p, f8_lookup(wet, x));
}

// What lies at the surface between faces of the fluid and of the air is no gradient: it would feed on itself. Between centres of
// cells of fluid all of it counts, where the half of them are in the air nothing.
static F8 trust(const Flip* flip, const Batch* b, int dimension)
{
    float share[LANES], at[3][LANES];
    for (int a = 0; a < 3; a++)
        f8_store(at[a], b->cell[a]);
    for (unsigned k = 0; k < LANES; k++) {
        float wet = 0;
        for (int n = 0; n < (dimension == 3 ? 8 : 4); n++) {
            int i[3] = {0, 0, 0};
            float w = 1;
            for (int a = 0; a < dimension; a++) {
                float c = at[a][k] - 0.5f, low = floorf(c), t = c - low;
                i[a] = (int)low + (n >> a & 1);
                w *= n >> a & 1 ? t : 1 - t;
            }
            wet += cell_is_fluid(flip->fill[blocks_cell(&flip->blocks, (uint32_t)b->k, i[0], i[1], i[2])]) ? w : 0;
        }
        share[k] = wet > 0.5f ? 2 * wet - 1 : 0;
    }
    return f8_load(share);
}

static void find_affine(const ToParticles* job, const float* table, const Places* places, const Batch* b, int dimension)
{
    F8 per = f8_mul(trust(job->flip, b, dimension), f8_set((float)(1 / job->flip->dx)));
    for (int a = 0; a < dimension; a++) {
        F8 g[4];
        find_gradient(table, places, a, dimension == 3 ? 2 : 1, g);
        for (int k = 0; k < 3; k++)
            g[k] = f8_mul(g[k], per);
        g[3] = f8_zero();
        store_records(job->particles->affine[a] + b->first, b->count, g);
    }
}

static void leave_moving(const Flip* flip, Vec4* position, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        Vec3d at = {(double)position[k].x, (double)position[k].y, (double)position[k].z};
        leave_solids(flip, &at);
        position[k] = (Vec4){(float)at.x, (float)at.y, (float)at.z, position[k].w};
    }
}

// `dimension` is a constant wherever this is called, so that its loops are straight code.
static ALWAYS_INLINE void move_batch(const ToParticles* job, const float* table, Batch* b, int dimension)
{
    const Flip* flip = job->flip;
    const FlipParticles* p = job->particles;
    F8 x[4], v[4], now[3], change, middle[3], u[3] = {f8_zero(), f8_zero(), f8_zero()};
    load_records(p->position, b->first, 1, b->count, x);
    load_records(p->velocity, b->first, 1, b->count, v);
    cells_of(x, job->scale, flip->blocks.key[b->k], b->cell);
    Places places = places_of(b->cell, dimension);
    float step = (float)(job->dt / flip->dx);
    b->speed[2] = v[2];
    middle[2] = b->cell[2];
    for (int a = 0; a < dimension; a++) {
        fields_at(table, &places, a, dimension == 3 ? 2 : 1, &now[a], &change);
        b->speed[a] = f8_mad(f8_set(job->keep), v[a], change);
        middle[a] = f8_mad(f8_set(0.5f * step), now[a], b->cell[a]);
    }
    if (p->affine[0])
        find_affine(job, table, &places, b, dimension);
    velocities_at(job, table, b->k, middle, dimension, u);
    for (int a = 0; a < 3; a++)
        b->to[a] = f8_mad(f8_set(step), u[a], b->cell[a]);
    b->path = f8_mul(f8_set(step), f8_sqrt(f8_mad(u[0], u[0], f8_mad(u[1], u[1], f8_mul(u[2], u[2])))));
    keep_out(flip, b);
    if (job->before)
        store_records(job->before + b->first, b->count, x);
    const F8 speed[4] = {b->speed[0], b->speed[1], b->speed[2], v[3]};
    store_records(p->velocity + b->first, b->count, speed);
    // what it moves by is added, so that who is at rest stays where it is to the last bit
    for (int a = 0; a < 3; a++)
        x[a] = f8_mad(f8_set((float)flip->dx), f8_sub(b->to[a], b->cell[a]), x[a]);
    x[3] = pressures_of(job, b, dimension);
    store_records(p->position + b->first, b->count, x);
    if (flip->walls.any_moves)
        leave_moving(flip, p->position + b->first, b->count);
}

static void move_run(const ToParticles* job, const float* table, size_t k, int row)
{
    const uint32_t* run = job->flip->run[k][row];
    for (uint32_t i = run[0]; i < run[1]; i += LANES) {
        Batch batch = {.k = k, .row = row, .first = i, .count = run[1] - i < LANES ? run[1] - i : LANES};
        if (job->flip->def.dimension == 3)
            move_batch(job, table, &batch, 3);
        else
            move_batch(job, table, &batch, 2);
    }
}

static void move_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ToParticles* job = context;
    float table[3 * LATTICE];
    for (size_t k = begin; k < end; k++) {
        if (!job->flip->slot[k])
            continue;
        fill_table(job, k, table);
        for (int row = 0; row < ROWS; row++)
            move_run(job, table, k, row);
    }
}

// --- solids that the grid carries

// Velocities over the step of particles of solids: those of the grid where they are. Deviation from Brandt 2019, who takes the
// midpoint rule: as velocities of solids follow from their paths, it would give a body that flies and turns half a step of (v .
// grad) v, which is no force (a box at 2 m/s and 2 rad/s felt 10 N).
static void carry_batch(const ToParticles* job, const float* table, size_t k, CarriedParticle* p, uint32_t count)
{
    const Flip* flip = job->flip;
    F8 x[4], cell[3], u[4], unused;
    Vec4 now[LANES];
    load_records(&p->position, 0, sizeof *p / sizeof(Vec4), count, x);
    cells_of(x, job->scale, flip->blocks.key[k], cell);
    Places places = places_of(cell, 3);
    for (int a = 0; a < 3; a++)
        fields_at(table, &places, a, 2, &u[a], &unused);
    f8_store4(now, u[0], u[1], u[2], f8_zero());
    float at[3][LANES];
    for (int a = 0; a < 3; a++)
        f8_store(at[a], cell[a]);
    for (uint32_t n = 0; n < count; n++) {
        int c[3] = {(int)at[0][n], (int)at[1][n], (int)at[2][n]};
        size_t i = k * CELLS + (size_t)(c[2] * ROWS + c[1] * EDGE + c[0]);
        float column = 0;
        for (int a = 0; a < 3; a++)
            column += job->fall[a] * (at[a][n] - ((float)c[a] + 0.5f));
        p[n].position.w = cell_is_fluid(flip->fill[i]) ? (flip->q[i] + column) * job->pressure : 0;
        p[n].now = now[n];
    }
}

static void carry_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ToParticles* job = context;
    Inside* in = &job->flip->inside;
    float table[3 * LATTICE];
    for (size_t k = begin; k < end; k++) {
        if (in->start[k + 1] == in->start[k])
            continue;
        fill_table(job, k, table);
        for (uint32_t i = in->start[k]; i < in->start[k + 1]; i += LANES) {
            uint32_t left = in->start[k + 1] - i;
            carry_batch(job, table, k, &in->particle[i], left < LANES ? left : LANES);
        }
    }
}

void flip_to_particles(Flip* flip, const FlipParticles* particles, Vec4* before)
{
    double fall = flip->dt * (double)flip->column / (double)flip->lightest;
    ToParticles job = {.flip = flip,
                       .particles = particles,
                       .before = before,
                       .scale = cell_scale(flip->dx),
                       .dt = flip->dt,
                       .keep = flip->def.apic ? 0 : (float)(1 - flip->def.pic),
                       .pressure = (float)((double)flip->lightest * flip->dx / flip->dt),
                       .fall = {(float)(fall * flip->gravity.x), (float)(fall * flip->gravity.y),
                                flip->def.dimension == 3 ? (float)(fall * flip->gravity.z) : 0}};
    if (flip->inside.count) {
        parallel_for(flip->def.pool, flip->blocks.count, TRANSFER_GRAIN, carry_blocks, &job);
        inside_find_nearest(flip);
        inside_part_solids(flip);
        inside_hand_over(flip);
    }
    parallel_for(flip->def.pool, flip->blocks.count, TRANSFER_GRAIN, move_blocks, &job);
}

Vec3d flip_velocity_at(const Flip* flip, Vec3d point)
{
    double inverse = 1 / flip->dx, c[3] = {point.x * inverse, point.y * inverse, point.z * inverse};
    BlockKey key = {(int)floor(c[0] / 8), (int)floor(c[1] / 8), flip->def.dimension == 3 ? (int)floor(c[2] / 8) : 0};
    uint32_t k = blocks_find(&flip->blocks, key);
    float cell[3] = {(float)(c[0] - 8.0 * key.x), (float)(c[1] - 8.0 * key.y), (float)(c[2] - 8.0 * key.z)};
    if (!k)
        return vec3d(0, 0, 0);
    return vec3d((double)component_at(flip, k, cell, 0), (double)component_at(flip, k, cell, 1),
                 flip->def.dimension == 3 ? (double)component_at(flip, k, cell, 2) : 0);
}
