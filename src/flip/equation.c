// SPDX-License-Identifier: MIT
// From velocities at faces to pressures that take their divergence away (Brandt 2019, eq. 18), with the free surface where the
// cells' fill puts it and walls by the open share of faces:
//   sum over faces of open lightness (q_c - q_n) = - sum over faces of (open u + (1 - open) u_wall) outwards + drift
// q = dt p / (rho dx). The air is at q = 0, theta cells away from the centre. Drift takes back what cells hold too much or too
// little.
#include "base/reduce.h"
#include "flip/bodies.h"
#include "flip/cell.h"
#include "flip/poisson_parts.h"
#include "flip/transfer.h"
#include <string.h>

// --- fill

static bool is_open_around(const Flip* flip, size_t block)
{
    for (int n = 0; n < AROUND; n++) {
        uint32_t there = flip->blocks.around[block][n];
        if (there && flip->walls.cells[there] != flip->walls.all_open)
            return false;
    }
    return true;
}

// [1] what a cell of which the share f is open, from one face on, has of a hat over its middle; all of it: 3/4
static F8 hat_within(F8 f)
{
    F8 half = f8_set(0.5f), square = f8_mul(f8_mul(f, f), half);
    F8 little = f8_mad(half, f, square), much = f8_sub(f8_mad(f8_set(1.5f), f, f8_set(-0.25f)), square);
    return f8_pick(f8_less(f, half), little, much);
}
// The same of the hat over the middle of the cell beside it, at that face; half of it and more: 1/8
static F8 hat_beside(F8 f)
{
    F8 m = f8_min(f, f8_set(0.5f));
    return f8_mul(f8_mul(m, f8_set(0.5f)), f8_sub(f8_set(1), m));
}

// A row of cells at walls, by what the weight of a full cell is there: exact for walls across an axis, wherever they cut a cell.
static F8 fill_at_walls(const Flip* flip, size_t k, int y, int z, F8 weight, float rest)
{
    const uint32_t* around = flip->blocks.around[k];
    F8 here = f8_load(flip->walls.cells[k]->volume + z * ROWS + y * EDGE), is_open = f8_less(f8_zero(), here), full = f8_set(1);
    for (int a = 0; a < flip->def.dimension; a++) {
        F8 low = row_volume_beside(flip, around, y, z, a, -1), high = row_volume_beside(flip, around, y, z, a, 1);
        // what walls along the axis leave of it is the most that the three cells have
        F8 most = f8_max(f8_max(here, f8_set(1e-3f)), f8_max(low, high)), per = f8_div(f8_set(1), most);
        F8 beside = f8_add(hat_beside(f8_mul(low, per)), hat_beside(f8_mul(high, per)));
        full = f8_mul(full, f8_add(hat_within(f8_mul(here, per)), beside));
    }
    F8 fill = f8_div(weight, f8_mul(f8_set(rest), f8_max(full, f8_set(0.05f))));
    return f8_pick(is_open, fill, f8_set(-1));
}

static void fill_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    float rest = (float)pow(flip->dx / flip->def.spacing, flip->def.dimension);
    for (size_t k = begin ? begin : 1; k < end; k++) {
        float* fill = flip->fill + k * CELLS;
        bool open = is_open_around(flip, k);
        for (int row = 0; row < ROWS; row++) {
            F8 weight = f8_load(fill + row * EDGE);
            f8_store(fill + row * EDGE,
                     open ? f8_div(weight, f8_set(rest)) : fill_at_walls(flip, k, row & 7, row >> 3, weight, rest));
        }
    }
}

// Cells that walls leave less than half of hold few particles or none: they are as full as the best of their neighbours that are
// more open, if those are fuller. Else they would be pockets of air at walls, and the pressure there nothing.
static float fill_of_rest(const Flip* flip, size_t k, int i)
{
    float best = flip->fill[k * CELLS + (size_t)i];
    for (int a = 0; a < flip->def.dimension; a++) {
        size_t low = cell_previous(&flip->blocks, k, i, a), high = cell_next(&flip->blocks, k, i, a);
        size_t face[2] = {k * CELLS + (size_t)i, high}, beside[2] = {low, high};
        for (int n = 0; n < 2; n++)
            if (cell_open(flip, face[n], a) > 0.01f && cell_volume(flip, beside[n]) >= 0.5f && flip->fill[beside[n]] > best)
                best = flip->fill[beside[n]];
    }
    return best;
}

static void fill_rests(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    for (size_t k = begin; k < end; k++) {
        const WallCells* walls = flip->walls.cells[k];
        if (k == 0 || walls == flip->walls.all_open || walls == flip->walls.all_closed)
            continue;
        for (int i = 0; i < CELLS; i += EDGE) {
            F8 volume = f8_load(walls->volume + i);
            unsigned bits = f8_mask(f8_and(f8_less(f8_zero(), volume), f8_less(volume, f8_set(0.5f))));
            for (int x = 0; bits >> x; x++)
                if (bits >> x & 1)
                    flip->fill[k * CELLS + (size_t)(i + x)] = fill_of_rest(flip, k, i + x);
        }
    }
}

// --- what solids lack

// What is compressed of solids that the grid carries swells again. Where a cell has no air around, what it holds too much says so;
// beside air it is told by the solids themselves, since elastic forces alone cannot where all that moves is free of divergence.
// Per cell: the sum over the solids' particles in it of volume at rest to volume now, less one.
static float* swell_of(const Flip* flip)
{
    return flip->wanted;
}

static bool has_solids(const Flip* flip, size_t k)
{
    return flip->inside.count && flip->inside.start[k + 1] > flip->inside.start[k];
}

static void swell_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    const Inside* in = &flip->inside;
    float rest = (float)pow(flip->dx / flip->def.spacing, flip->def.dimension);
    for (size_t k = begin; k < end; k++) {
        float* swell = swell_of(flip) + k * CELLS;
        if (!has_solids(flip, k))
            continue;
        memset(swell, 0, CELLS * sizeof *swell);
        for (uint32_t i = in->start[k]; i < in->start[k + 1]; i++) {
            const CarriedParticle* p = &in->particle[i];
            const CarriedSolid* solid = &in->solid[p->solid];
            const float* b = solid->inside.back[p->number]; // from now to rest
            float determinant =
                b[0] * (b[4] * b[8] - b[5] * b[7]) - b[1] * (b[3] * b[8] - b[5] * b[6]) + b[2] * (b[3] * b[7] - b[4] * b[6]);
            float cell[3];
            cell_place(p->position, 1 / flip->dx, flip->blocks.key[k], cell);
            int c = (int)cell[2] * ROWS + (int)cell[1] * EDGE + (int)cell[0];
            swell[c] += solid->weight / rest * (determinant - 1);
        }
    }
}

// --- coefficients and right side

typedef struct CellSum {
    float air, flow;
    bool inner; // no air around
} CellSum;

// One face of cell `c`: `n` is the cell beyond, `face` the one that has it as its low face, `out` +1 if it is the high one of c.
static float meet_face(const Flip* flip, size_t c, size_t n, size_t face, int axis, float out, CellSum* sum)
{
    float open = cell_open(flip, face, axis), u = flip->velocity[axis][face];
    sum->flow += out * open * u;
    if (open < 1 && !flip_gives_way(flip, face, axis)) // bodies that do are added by themselves
        sum->flow += out * (1 - open) * cell_wall_velocity(flip, face, axis);
    if (open <= 0)
        return 0;
    bool wet = cell_is_fluid(flip->fill[n]);
    float a = open * cell_lightness(flip, face, axis);
    if (wet)
        return a;
    sum->air += a / cell_theta(flip->fill[c], flip->fill[n]);
    sum->inner = false;
    return 0;
}

// A row of cells, as far as it is known.
typedef struct RowSum {
    F8 fill, wet, air, flow;
    F8 outer; // lanes that have air beside them
} RowSum;

// The faces of a row on one side along an axis: coefficients, and what it adds to the sums. `out` is 1 for the high ones.
static ALWAYS_INLINE F8 meet_faces(const RowSum* row, F8 beyond, F8 open, F8 u, F8 light, F8 out, F8* air, F8* flow, F8* outer)
{
    F8 wet = cells_are_fluid(beyond), a = f8_mul(open, light);
    *flow = f8_mad(f8_mul(out, open), u, *flow);
    F8 to_air = f8_and(f8_pick(wet, f8_zero(), row->wet), f8_less(f8_zero(), open));
    if (f8_mask(to_air)) {
        *air = f8_add(*air, f8_and(f8_div(a, cells_theta(row->fill, beyond)), to_air));
        *outer = f8_or(*outer, to_air);
    }
    return f8_and(f8_and(a, wet), row->wet);
}

static ALWAYS_INLINE void meet_axis(const Flip* flip, size_t k, int y, int z, int axis, RowSum* row, float* coef)
{
    const uint32_t* around = flip->blocks.around[k];
    size_t i = (size_t)(z * ROWS + y * EDGE), c = k * CELLS + i;
    bool mix = flip->lightness[0];
    F8 light = mix ? f8_load(flip->lightness[axis] + c) : f8_set(1);
    F8 light_next = mix ? row_next(flip->lightness[axis], around, y, z, axis) : light;
    F8 low = meet_faces(row, row_previous(flip->fill, around, y, z, axis), f8_load(flip->walls.cells[k]->open[axis] + i),
                        f8_load(flip->velocity[axis] + c), light, f8_set(-1), &row->air, &row->flow, &row->outer);
    F8 high =
        meet_faces(row, row_next(flip->fill, around, y, z, axis), row_open_next(flip, around, y, z, axis),
                   row_next(flip->velocity[axis], around, y, z, axis), light_next, f8_set(1), &row->air, &row->flow, &row->outer);
    f8_store(coef + (2 * axis) * CELLS, low);
    f8_store(coef + (2 * axis + 1) * CELLS, high);
}

// What flows because walls move, but for bodies that give way, which are added by themselves.
static F8 wall_flow(const Flip* flip, size_t k, int i, F8 flow)
{
    float sum[EDGE];
    f8_store(sum, flow);
    for (int x = 0; x < EDGE; x++)
        for (int n = 0; n < 2 * flip->def.dimension; n++) {
            int axis = n >> 1;
            size_t face = n & 1 ? cell_next(&flip->blocks, k, i + x, axis) : k * CELLS + (size_t)(i + x);
            float open = cell_open(flip, face, axis);
            if (open < 1 && !flip_gives_way(flip, face, axis))
                sum[x] += (n & 1 ? 1 : -1) * (1 - open) * cell_wall_velocity(flip, face, axis);
        }
    return f8_load(sum);
}

static void equation_row(Flip* flip, size_t k, int y, int z, float rate, bool moves)
{
    size_t i = (size_t)(z * ROWS + y * EDGE), c = k * CELLS + i;
    float* coef = flip->poisson.level[0].coef + k * COEFS * CELLS + i;
    RowSum row = {.fill = f8_load(flip->fill + c), .air = f8_zero(), .flow = f8_zero(), .outer = f8_zero()};
    row.wet = cells_are_fluid(row.fill);
    if (!f8_mask(row.wet) || z >= poisson_depth(&flip->poisson)) {
        for (int n = 0; n < COEF_DIAGONAL; n++)
            f8_store(coef + n * CELLS, f8_zero());
        f8_store(coef + COEF_DIAGONAL * CELLS, f8_set(-1));
        f8_store(flip->b + c, f8_zero());
        f8_store(flip->q + c, f8_zero());
        return;
    }
    for (int a = 0; a < flip->def.dimension; a++)
        meet_axis(flip, k, y, z, a, &row, coef);
    if (flip->def.dimension == 2) {
        f8_store(coef + COEF_Z_LOW * CELLS, f8_zero());
        f8_store(coef + COEF_Z_HIGH * CELLS, f8_zero());
    }
    if (moves)
        row.flow = wall_flow(flip, k, (int)i, row.flow);
    f8_store(coef + COEF_DIAGONAL * CELLS, f8_pick(row.wet, row.air, f8_set(-1)));
    F8 excess = f8_pick(row.outer, f8_zero(), f8_sub(row.fill, f8_set(1)));
    if (has_solids(flip, k))
        excess = f8_pick(row.outer, f8_load(swell_of(flip) + c), excess);
    excess = f8_min(f8_max(excess, f8_set(-0.5f)), f8_set(0.5f));
    // what walls leave of the cell is all that can hold too much: a sliver would otherwise drive a whole cell's flow
    F8 drift = f8_mul(f8_mul(f8_set(rate), excess), f8_load(flip->walls.cells[k]->volume + i));
    F8 b = f8_sub(drift, row.flow);
    f8_store(flip->b + c, f8_and(b, row.wet));
    f8_store(flip->q + c, f8_and(f8_load(flip->q + c), row.wet));
}

// Whether walls in motion close faces of a block.
static bool walls_move(const Flip* flip, size_t k)
{
    const Walls* w = &flip->walls;
    for (int n = -1; n < 3 && w->moved_count; n++) {
        const WallCells* there = w->cells[flip->blocks.around[k][AROUND_SELF + (n < 0 ? 0 : around_step[n])]];
        if (there >= w->moved && there < w->moved + w->moved_count)
            return true;
    }
    return false;
}

static bool has_fluid(const Flip* flip, size_t k)
{
    F8 wet = f8_zero();
    for (size_t c = k * CELLS; c < (k + 1) * CELLS; c += EDGE)
        wet = f8_or(wet, cells_are_fluid(f8_load(flip->fill + c)));
    return k && f8_mask(wet);
}

static void equation_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    double slowest = fmax(4 * flip->dt, flip->def.relax_time);
    float rate = (float)(flip->dx / slowest);
    for (size_t k = begin; k < end; k++) {
        if (!has_fluid(flip, k)) {
            poisson_leave_out(&flip->poisson, k);
            memset(flip->b + k * CELLS, 0, CELLS * sizeof *flip->b);
            memset(flip->q + k * CELLS, 0, CELLS * sizeof *flip->q);
            continue;
        }
        bool moves = walls_move(flip, k);
        for (int row = 0; row < ROWS; row++)
            equation_row(flip, k, row & 7, row >> 3, rate, moves);
    }
}

// Cells that no face connects to anything are left out by the solver: they have no pressure. Sums of cells with air beside them,
// of b, and of cells.
static void drop_lonely(void* context, size_t begin, size_t end, double out[])
{
    Flip* flip = context;
    for (size_t k = begin; k < end; k++) {
        const float* coef = flip->poisson.level[0].coef + k * COEFS * CELLS;
        for (int i = 0; i < CELLS && flip->poisson.level[0].used[k]; i += EDGE) {
            float *b = flip->b + k * CELLS + i, *q = flip->q + k * CELLS + i;
            F8 diagonal = f8_load(coef + COEF_DIAGONAL * CELLS + i), air = diagonal, part = f8_not_zero(diagonal);
            for (int f = COEF_X_LOW; f <= COEF_Z_HIGH; f++)
                air = f8_sub(air, f8_load(coef + f * CELLS + i));
            F8 kept = f8_and(f8_load(b), part);
            f8_store(b, kept);
            f8_store(q, f8_and(f8_load(q), part));
            out[0] += __builtin_popcount(f8_mask(f8_less(f8_mul(f8_set(1e-5f), diagonal), air)));
            out[1] += (double)f8_sum(kept);
            out[2] += __builtin_popcount(f8_mask(part));
        }
    }
}

// Fluid without any air has one pressure too many: only flows that sum to nothing can be taken away.
static void balance_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = ((void**)context)[0];
    float mean = *(float*)((void**)context)[1];
    for (size_t k = begin; k < end; k++)
        for (size_t i = 0; i < CELLS; i++)
            if (flip->poisson.level[0].coef[k * COEFS * CELLS + COEF_DIAGONAL * CELLS + i] > 0)
                flip->b[k * CELLS + i] -= mean;
}

// --- velocities

// Faces that walls leave less of carry next to no flow, so the equation says nothing of velocities there, but particles beside the
// wall would take nearly half of theirs from them: water at rest boiled. Their velocities come from more open faces, as those
// beyond the fluid do.
static const float SLIVER_BELOW = 0.19999999f; // the number below 0.2

// A row of low faces along an axis. Returns bits of those whose velocity is known then.
static unsigned project_row(Flip* flip, size_t k, int y, int z, int axis)
{
    const uint32_t* around = flip->blocks.around[k];
    const WallCells* walls = flip->walls.cells[k];
    size_t i = (size_t)(z * ROWS + y * EDGE), c = k * CELLS + i;
    float* velocity = flip->velocity[axis] + c;
    F8 open = f8_load(walls->open[axis] + i), u = f8_load(velocity), fill = f8_load(flip->fill + c);
    F8 beyond = row_previous(flip->fill, around, y, z, axis);
    F8 here = cells_are_fluid(fill), there = cells_are_fluid(beyond), any = f8_or(here, there), both = f8_and(here, there);
    if (f8_mask(any)) {
        F8 q = f8_load(flip->q + c), before = row_previous(flip->q, around, y, z, axis), change = f8_sub(q, before);
        if (f8_mask(both) != f8_mask(any)) {
            F8 to_air = f8_div(q, cells_theta(fill, beyond)), from_air = f8_div(before, cells_theta(beyond, fill));
            change = f8_pick(both, change, f8_pick(here, to_air, f8_sub(f8_zero(), from_air)));
        }
        F8 light = flip->lightness[0] ? f8_load(flip->lightness[axis] + c) : f8_set(1);
        u = f8_pick(any, f8_nmad(light, change, u), u);
    }
    F8 some = f8_or(any, f8_less(f8_set(1e-6f), f8_load(flip->mass[axis] + c)));
    F8 known = f8_and(some, f8_less(f8_set(SLIVER_BELOW), open));
    F8 is_open = f8_less(f8_zero(), open);
    if (f8_mask(is_open) != 0xff) {
        F8 volume = f8_add(f8_max(f8_load(walls->volume + i), f8_zero()), row_volume_beside(flip, around, y, z, axis, -1));
        F8 at_wall = f8_pick(is_open, f8_zero(), f8_less(f8_zero(), volume));
        u = f8_pick(at_wall, f8_load(walls->velocity[axis] + i), f8_pick(is_open, u, f8_load(velocity)));
        known = f8_pick(is_open, known, at_wall);
    }
    f8_store(velocity, u);
    return f8_mask(known);
}

// Largest square of a velocity: what is not a number counts as infinite.
static void project_blocks(void* context, size_t begin, size_t end, double out[])
{
    Flip* flip = context;
    float most = 0;
    for (size_t k = begin; k < end; k++) {
        memset(flip->known[k], 0, sizeof flip->known[k]);
        for (int row = 0; row < ROWS; row++) {
            F8 square = f8_zero();
            for (int a = 0; a < 3; a++) {
                unsigned known = k == 0 ? 0 : a < flip->def.dimension ? project_row(flip, k, row & 7, row >> 3, a) : 0xff;
                F8 u = f8_and(f8_load(flip->velocity[a] + k * CELLS + (size_t)row * EDGE), f8_lanes(known));
                flip->known[k][a][row >> 3] |= (uint64_t)known << 8 * (row & 7);
                square = f8_mad(u, u, square);
            }
            bool finite = f8_mask(f8_less(square, f8_set(INFINITY))) == 0xff;
            float largest = finite ? f8_largest(square) : INFINITY;
            most = largest > most ? largest : most;
        }
    }
    out[0] = (double)most;
}

// Sum of what is left of the equation, without its sign, and the number of cells.
static void residual_blocks(void* context, size_t begin, size_t end, double out[])
{
    const Poisson* poisson = context;
    const PoissonLevel* level = &poisson->level[0];
    for (size_t k = begin; k < end; k++) {
        F8 sum = f8_zero();
        for (int i = 0; i < CELLS && level->used[k]; i += EDGE) {
            F8 r = f8_load(poisson->r + k * CELLS + i);
            F8 part = f8_not_zero(f8_load(level->coef + k * COEFS * CELLS + COEF_DIAGONAL * CELLS + i));
            sum = f8_add(sum, f8_and(f8_max(r, f8_sub(f8_zero(), r)), part));
            out[1] += __builtin_popcount(f8_mask(part));
        }
        out[0] += (double)f8_sum(sum);
    }
}

static double mean_residual(Flip* flip)
{
    double sums[2];
    reduce(flip->def.pool, flip->blocks.count, BLOCKS_GRAIN, residual_blocks, &flip->poisson, 2,
           (const ReduceOp[]){REDUCE_SUM, REDUCE_SUM}, sums);
    return sums[1] > 0 ? sums[0] / (sums[1] * flip->dx) : 0;
}

bool flip_solve(Flip* flip)
{
    Pool* pool = flip->def.pool;
    Poisson* poisson = &flip->poisson;
    size_t n = flip->blocks.count;
    parallel_for(pool, n, BLOCKS_GRAIN, fill_blocks, flip);
    parallel_for(pool, n, BLOCKS_GRAIN, fill_rests, flip);
    // in 2D most of a block is not used: zeros are shorter than what would be written there
    if (!(flip->def.dimension == 3 ? poisson_take : poisson_begin)(poisson, &flip->blocks))
        return false;
    if (flip->inside.count)
        parallel_for(pool, n, BLOCKS_GRAIN, swell_blocks, flip);
    parallel_for(pool, n, BLOCKS_GRAIN, equation_blocks, flip);
    if (!poisson_finish(poisson))
        return false;
    double sums[3];
    reduce(pool, n, BLOCKS_GRAIN, drop_lonely, flip, 3, (const ReduceOp[]){REDUCE_SUM, REDUCE_SUM, REDUCE_SUM}, sums);
    if (!flip_add_bodies(flip))
        return false;
    if (sums[0] == 0 && sums[2] > 0 && poisson->body_count == 0) {
        float mean = (float)(sums[1] / sums[2]);
        void* context[] = {flip, &mean};
        parallel_for(pool, n, BLOCKS_GRAIN, balance_blocks, context);
    }
    if (flip->def.jacobi > 0) {
        memset(flip->q, 0, n * CELLS * sizeof *flip->q); // from the last pressures on it explodes
        flip->report = poisson_jacobi(poisson, flip->q, flip->b, flip->def.jacobi);
    } else {
        flip->report = poisson_solve(poisson, flip->q, flip->b, flip->def.tolerance, flip->def.most_iterations);
    }
    flip->residual = mean_residual(flip);
    flip_push_bodies(flip);
    flip->speed = sqrt(reduce_max(pool, n, BLOCKS_GRAIN, project_blocks, flip));
    return true;
}

// --- what is left

typedef struct Divergence {
    const Flip* flip;
} Divergence;

static void divergence_blocks(void* context, size_t begin, size_t end, double out[])
{
    const Flip* flip = ((const Divergence*)context)->flip;
    for (size_t k = begin; k < end; k++)
        for (int i = 0; i < CELLS && k; i++) {
            size_t c = k * CELLS + (size_t)i;
            if (flip->poisson.level[0].coef[k * COEFS * CELLS + COEF_DIAGONAL * CELLS + (size_t)i] <= 0)
                continue;
            CellSum sum = {0};
            for (int a = 0; a < flip->def.dimension; a++) {
                size_t high = cell_next(&flip->blocks, k, i, a);
                meet_face(flip, c, cell_previous(&flip->blocks, k, i, a), c, a, -1, &sum);
                meet_face(flip, c, high, high, a, 1, &sum);
            }
            double d = (double)sum.flow / flip->dx;
            out[0] += d * d;
            out[1] += 1;
            out[2] = fmax(out[2], fabs(d));
        }
}

void flip_divergence(const Flip* flip, double* rms, double* most)
{
    Divergence job = {flip};
    double out[3];
    reduce(flip->def.pool, flip->blocks.count, BLOCKS_GRAIN, divergence_blocks, &job, 3,
           (const ReduceOp[]){REDUCE_SUM, REDUCE_SUM, REDUCE_MAX}, out);
    *rms = out[1] > 0 ? sqrt(out[0] / out[1]) : 0;
    *most = out[2];
}

static void compression_blocks(void* context, size_t begin, size_t end, double out[])
{
    const Flip* flip = ((const Divergence*)context)->flip;
    F8 most = f8_zero();
    for (size_t c = begin * CELLS; c < end * CELLS; c += EDGE) {
        F8 fill = f8_load(flip->fill + c), wet = cells_are_fluid(fill);
        F8 excess = f8_and(f8_max(f8_sub(fill, f8_set(1)), f8_zero()), wet);
        out[0] += (double)f8_sum(excess);
        out[1] += __builtin_popcount(f8_mask(wet));
        most = f8_max(most, excess);
    }
    out[2] = (double)f8_largest(most);
}

void flip_compression(const Flip* flip, double* mean, double* most)
{
    Divergence job = {flip};
    double out[3];
    reduce(flip->def.pool, flip->blocks.count, BLOCKS_GRAIN, compression_blocks, &job, 3,
           (const ReduceOp[]){REDUCE_SUM, REDUCE_SUM, REDUCE_MAX}, out);
    *mean = out[1] > 0 ? out[0] / out[1] : 0;
    *most = out[2];
}

// The cell that a point is in. Points that follow each other are mostly in one block: `key` and `block` are those of the last one.
static double look_up_fill(const Flip* flip, Vec3d point, BlockKey* key, uint32_t* block)
{
    double c[3] = {floor(point.x / flip->dx), floor(point.y / flip->dx), flip->def.dimension == 3 ? floor(point.z / flip->dx) : 0};
    for (int a = 0; a < 3; a++)
        if (!(fabs(c[a]) < 1e9))
            return 0;
    int i[3] = {(int)c[0], (int)c[1], (int)c[2]};
    BlockKey there = {i[0] >> 3, i[1] >> 3, i[2] >> 3};
    if (!*block || there.x != key->x || there.y != key->y || there.z != key->z)
        *block = blocks_find(&flip->blocks, there);
    *key = there;
    size_t cell = (size_t)*block * CELLS + (size_t)((i[2] & 7) * ROWS + (i[1] & 7) * EDGE + (i[0] & 7));
    return *block ? fmax((double)flip->fill[cell], 0) : 0;
}

double flip_fill_at(const Flip* flip, Vec3d point)
{
    BlockKey key = {0};
    uint32_t block = 0;
    return look_up_fill(flip, point, &key, &block);
}

typedef struct FillsJob {
    const Flip* flip;
    const Vec4* point;
    float* out;
} FillsJob;

static void look_up_fills(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FillsJob* job = context;
    BlockKey key = {0};
    uint32_t last = 0;
    for (size_t i = begin; i < end; i++) {
        Vec4 x = job->point[i];
        job->out[i] = (float)look_up_fill(job->flip, vec3d((double)x.x, (double)x.y, (double)x.z), &key, &last);
    }
}

void flip_fills_at(const Flip* flip, const Vec4* point, size_t count, float* out)
{
    enum { GRAIN = 4096 };
    parallel_for(flip->def.pool, count, GRAIN, look_up_fills, &(FillsJob){flip, point, out});
}

static void volume_blocks(void* context, size_t begin, size_t end, double out[])
{
    const Flip* flip = ((const Divergence*)context)->flip;
    for (size_t c = begin * CELLS; c < end * CELLS; c++)
        if (flip->fill[c] > 0)
            out[0] += fmin((double)flip->fill[c], 1) * (double)cell_volume(flip, c);
}

double flip_volume(const Flip* flip)
{
    Divergence job = {flip};
    return reduce_sum(flip->def.pool, flip->blocks.count, BLOCKS_GRAIN, volume_blocks, &job) * pow(flip->dx, flip->def.dimension);
}
