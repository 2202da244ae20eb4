// SPDX-License-Identifier: MIT
// From velocities at faces to pressures that take their divergence away (Brandt 2019, eq. 18), with the free surface where the
// cells' fill puts it and walls by the open share of faces:
//   sum over faces of open lightness (q_c - q_n) = - sum over faces of (open u + (1 - open) u_wall) outwards + drift
// q = dt p / (rho dx). The air is at q = 0, theta cells away from the centre. Drift takes back what cells hold too much or too
// little.
#include "base/reduce.h"
#include "flip/bodies.h"
#include "flip/cell.h"
#include <string.h>

// --- fill

// [1] what a full cell's weight is at walls: along each axis a hat gives 3/4 to the cell and 1/8 to either neighbour.
static float rest_weight(const Flip* flip, size_t block, int i)
{
    float here = flip->walls.cells[block]->volume[i], weight = here;
    if (here <= 0)
        return 0;
    for (int a = 0; a < flip->def.dimension; a++) {
        float beside =
            cell_volume(flip, cell_previous(&flip->blocks, block, i, a)) + cell_volume(flip, cell_next(&flip->blocks, block, i, a));
        weight *= 0.75f + 0.125f * beside / here;
    }
    return weight;
}

static bool is_open_around(const Flip* flip, size_t block)
{
    for (int n = 0; n < AROUND; n++)
        if (flip->walls.cells[flip->blocks.around[block][n]] != flip->walls.all_open)
            return false;
    return true;
}

static void fill_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    float rest = (float)pow(flip->dx / flip->def.spacing, flip->def.dimension);
    for (size_t k = begin; k < end; k++) {
        float* fill = flip->fill + k * CELLS;
        bool open = k == 0 || is_open_around(flip, k);
        for (int i = 0; i < CELLS; i++) {
            float weight = open || fill[i] == 0 ? 1 : rest_weight(flip, k, i);
            bool closed = !open && flip->walls.cells[k]->volume[i] <= 0;
            fill[i] = closed ? -1 : fill[i] / (rest * (weight > 0.05f ? weight : 0.05f));
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
        for (int i = 0; i < CELLS && walls != flip->walls.all_open && walls != flip->walls.all_closed; i++)
            if (walls->volume[i] > 0 && walls->volume[i] < 0.5f)
                flip->fill[k * CELLS + (size_t)i] = fill_of_rest(flip, k, i);
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

static void equation_cell(Flip* flip, size_t k, int i, float rate)
{
    size_t c = k * CELLS + (size_t)i;
    float* coef = flip->poisson.level[0].coef + k * COEFS * CELLS + i;
    CellSum sum = {.inner = true};
    for (int a = 0; a < flip->def.dimension; a++) {
        size_t low = cell_previous(&flip->blocks, k, i, a), high = cell_next(&flip->blocks, k, i, a);
        coef[(2 * a) * CELLS] = meet_face(flip, c, low, c, a, -1, &sum);
        coef[(2 * a + 1) * CELLS] = meet_face(flip, c, high, high, a, 1, &sum);
    }
    coef[COEF_DIAGONAL * CELLS] = sum.air;
    float excess = flip->fill[c] - 1;
    excess = excess < -0.5f ? -0.5f : excess > 0.5f ? 0.5f : excess;
    // what walls leave of the cell is all that can hold too much: a sliver would otherwise drive a whole cell's flow
    flip->b[c] = (sum.inner ? rate * excess * cell_volume(flip, c) : 0) - sum.flow;
}

static void equation_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    double slowest = fmax(4 * flip->dt, flip->def.relax_time);
    float rate = (float)(flip->dx / slowest);
    for (size_t k = begin; k < end; k++)
        for (int i = 0; i < CELLS; i++) {
            size_t c = k * CELLS + (size_t)i;
            if (k && cell_is_fluid(flip->fill[c])) {
                equation_cell(flip, k, i, rate);
                continue;
            }
            flip->poisson.level[0].coef[k * COEFS * CELLS + COEF_DIAGONAL * CELLS + (size_t)i] = -1;
            flip->b[c] = flip->q[c] = 0;
        }
}

// Cells that no face connects to anything are left out by the solver: they have no pressure.
static void drop_lonely(void* context, size_t begin, size_t end, double out[])
{
    Flip* flip = context;
    for (size_t k = begin; k < end; k++) {
        const float* c = flip->poisson.level[0].coef + k * COEFS * CELLS;
        for (int i = 0; i < CELLS; i++) {
            float diagonal = c[COEF_DIAGONAL * CELLS + i], air = diagonal;
            if (diagonal == 0) {
                flip->b[k * CELLS + (size_t)i] = flip->q[k * CELLS + (size_t)i] = 0;
                continue;
            }
            for (int f = COEF_X_LOW; f <= COEF_Z_HIGH; f++)
                air -= c[f * CELLS + i];
            out[0] += air > 1e-5f * diagonal;
            out[1] += (double)flip->b[k * CELLS + (size_t)i];
            out[2] += 1;
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
static const float SLIVER = 0.2f;

static void project_face(Flip* flip, size_t k, int i, int axis)
{
    size_t c = k * CELLS + (size_t)i, n = cell_previous(&flip->blocks, k, i, axis);
    float open = cell_open(flip, c, axis), *u = &flip->velocity[axis][c];
    bool here = cell_is_fluid(flip->fill[c]), there = cell_is_fluid(flip->fill[n]);
    if (open <= 0) {
        bool at_wall = cell_volume(flip, c) > 0 || cell_volume(flip, n) > 0;
        if (at_wall)
            *u = cell_wall_velocity(flip, c, axis);
        flip->layer[axis][c] = at_wall;
        return;
    }
    float light = cell_lightness(flip, c, axis);
    flip->layer[axis][c] = open >= SLIVER && (here || there || flip->mass[axis][c] > 1e-6f);
    if (here && there)
        *u -= light * (flip->q[c] - flip->q[n]);
    else if (here)
        *u -= light * flip->q[c] / cell_theta(flip->fill[c], flip->fill[n]);
    else if (there)
        *u += light * flip->q[n] / cell_theta(flip->fill[n], flip->fill[c]);
}

static void project_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    for (size_t k = begin; k < end; k++)
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < CELLS; i++)
                if (k && a < flip->def.dimension)
                    project_face(flip, k, i, a);
                else
                    flip->layer[a][k * CELLS + (size_t)i] = k == 0 ? 0 : 1;
}

bool flip_solve(Flip* flip)
{
    Pool* pool = flip->def.pool;
    Poisson* poisson = &flip->poisson;
    size_t n = flip->blocks.count;
    parallel_for(pool, n, BLOCKS_GRAIN, fill_blocks, flip);
    parallel_for(pool, n, BLOCKS_GRAIN, fill_rests, flip);
    if (!poisson_begin(poisson, &flip->blocks))
        return false;
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
    flip_push_bodies(flip);
    parallel_for(pool, n, BLOCKS_GRAIN, project_blocks, flip);
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

static void speed_blocks(void* context, size_t begin, size_t end, double out[])
{
    const Flip* flip = ((const Divergence*)context)->flip;
    float most = 0;
    for (size_t c = begin * CELLS; c < end * CELLS; c++) {
        float square = 0;
        for (int a = 0; a < 3; a++)
            square += flip->layer[a][c] == 1 ? flip->velocity[a][c] * flip->velocity[a][c] : 0;
        most = square <= most ? most : square; // also what is not a number
    }
    out[0] = isfinite(most) ? (double)most : (double)INFINITY;
}

double flip_speed(const Flip* flip)
{
    Divergence job = {flip};
    return sqrt(reduce_max(flip->def.pool, flip->blocks.count, BLOCKS_GRAIN, speed_blocks, &job));
}

static void compression_blocks(void* context, size_t begin, size_t end, double out[])
{
    const Flip* flip = ((const Divergence*)context)->flip;
    for (size_t c = begin * CELLS; c < end * CELLS; c++)
        if (cell_is_fluid(flip->fill[c])) {
            double excess = fmax((double)flip->fill[c] - 1, 0);
            out[0] += excess;
            out[1] += 1;
            out[2] = fmax(out[2], excess);
        }
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

double flip_fill_at(const Flip* flip, Vec3d point)
{
    double c[3] = {floor(point.x / flip->dx), floor(point.y / flip->dx), flip->def.dimension == 3 ? floor(point.z / flip->dx) : 0};
    for (int a = 0; a < 3; a++)
        if (!(fabs(c[a]) < 1e9))
            return 0;
    int i[3] = {(int)c[0], (int)c[1], (int)c[2]};
    uint32_t k = blocks_find(&flip->blocks, (BlockKey){i[0] >> 3, i[1] >> 3, i[2] >> 3});
    return k ? fmax((double)flip->fill[(size_t)k * CELLS + (size_t)((i[2] & 7) * ROWS + (i[1] & 7) * EDGE + (i[0] & 7))], 0) : 0;
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
