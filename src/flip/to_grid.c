// SPDX-License-Identifier: MIT
// Particles to grid, without atomics: a block spreads its particles into a table of its own, then each block adds up what its table
// and those of its neighbours have for its cells, in the order of the neighbours.
#include "flip/transfer.h"

typedef struct ToGrid {
    Flip* flip;
    const FlipParticles* particles;
    float mass[FLIP_FLUIDS]; // [1]
    CellScale scale;
    float pressure;  // q of a pressure
    float weight[3]; // [Pa] of a column at rest, per cell
    BlockKey middle; // where it counts from
    float per_mass;  // [1/kg] of the heaviest particle
    float per_first; // [1] to the mass of particles of the first fluid
    float fall[3];   // [m/s] by gravity in the step
} ToGrid;

// [Pa] of a column at rest at the corner of a block
static float column_at(const ToGrid* job, BlockKey key)
{
    return (float)(8 * ((double)job->weight[0] * (key.x - job->middle.x) + (double)job->weight[1] * (key.y - job->middle.y) +
                        (double)job->weight[2] * (key.z - job->middle.z)));
}

// Adds what eight particles have, record by record, to the nodes of their rows: who shares a node comes one after the other.
static ALWAYS_INLINE void spread_rows(float* table, const Stencils* s, const Vec4* record, const Vec4* weight, uint32_t count,
                                      int layers)
{
    for (uint32_t k = 0; k < count; k++) {
        float* t = table + s->first[k];
        Four low = four_load(&record[k].x);
        four_store(t, four_load(t) + low * weight[k].x);
        four_store(t + ROW, four_load(t + ROW) + low * weight[k].y);
        if (layers == 1)
            continue;
        four_store(t + PLANE, four_load(t + PLANE) + low * weight[k].z);
        four_store(t + PLANE + ROW, four_load(t + PLANE + ROW) + low * weight[k].w);
    }
}

// Two numbers per particle to lattice `k`.
static ALWAYS_INLINE void spread(float* table, const Places* places, int k, F8 a, F8 b, uint32_t count, int layers)
{
    Stencils s = stencils_of(places, k);
    Vec4 record[LANES], weights[LANES];
    F8 weight[4], low = f8_sub(f8_set(1), s.x);
    row_weights(&s, weight);
    f8_store4(weights, weight[0], weight[1], weight[2], weight[3]);
    f8_store4(record, f8_mul(low, a), f8_mul(low, b), f8_mul(s.x, a), f8_mul(s.x, b));
    spread_rows(table, &s, record, weights, count, layers);
}

// An affine velocity differs from node to node: c is its change per cell along each axis.
static void spread_affine(float* table, const Places* places, int k, F8 m, F8 v, const F8 c[3], uint32_t count, int layers)
{
    Stencils s = stencils_of(places, k);
    F8 weight[4], one = f8_set(1);
    row_weights(&s, weight);
    for (int n = 0; n < 2 * layers; n++) {
        F8 y = f8_sub(n & 1 ? one : f8_zero(), s.y), z = f8_sub(n >> 1 ? one : f8_zero(), s.z);
        F8 at = f8_mad(c[2], z, f8_mad(c[1], y, f8_nmad(c[0], s.x, v)));
        F8 low = f8_mul(f8_mul(f8_sub(one, s.x), m), weight[n]), high = f8_mul(f8_mul(s.x, m), weight[n]);
        Vec4 record[LANES];
        f8_store4(record, low, f8_mul(low, at), high, f8_mul(high, f8_add(at, c[0])));
        for (uint32_t p = 0; p < count; p++) {
            float* t = table + s.first[p] + (n & 1) * ROW + (n >> 1) * PLANE;
            four_store(t, four_load(t) + four_load(&record[p].x));
        }
    }
}

// Particles that are not of the first fluid count another number than their mass to that of the first says; `gone` is what momentum
// they had more when the step began.
static void spread_number(float* table, const Places* places, F8 more, const F8 gone[3], uint32_t count, int dimension)
{
    for (int k = 0; k < dimension; k++)
        spread(table + LATTICES * LATTICE, places, k, more, gone[k], count, dimension == 3 ? 2 : 1);
}

// What is left of the pressure without that of a column at rest does not change from place to place in calm water.
static ALWAYS_INLINE F8 without_column(const ToGrid* job, F8 pressure, const F8 cell[3], float corner)
{
    F8 column = f8_mad(cell[0], f8_set(job->weight[0]),
                       f8_mad(cell[1], f8_set(job->weight[1]), f8_mad(cell[2], f8_set(job->weight[2]), f8_set(corner))));
    return f8_sub(pressure, column);
}

// Particles i to i + count - 1. `dimension` is a constant wherever this is called.
static ALWAYS_INLINE void spread_particles(const ToGrid* job, float* table, size_t i, uint32_t count, BlockKey key, float corner,
                                           int dimension)
{
    const FlipParticles* p = job->particles;
    int layers = dimension == 3 ? 2 : 1;
    F8 x[4], v[4], cell[3];
    load_records(p->position, i, 1, count, x);
    load_records(p->velocity, i, 1, count, v);
    F8 m = f8_lookup(f8_load(job->mass), v[3]);
    cells_of(x, job->scale, key, cell);
    Places places = places_of(cell, dimension);
    for (int k = 0; k < dimension; k++) {
        if (!p->affine[k]) {
            spread(table, &places, k, m, f8_mul(m, v[k]), count, layers);
            continue;
        }
        F8 c[4], dx = f8_set((float)job->flip->dx);
        load_records(p->affine[k], i, 1, count, c);
        for (int a = 0; a < 3; a++)
            c[a] = a < dimension ? f8_mul(c[a], dx) : f8_zero();
        spread_affine(table, &places, k, m, v[k], c, count, layers);
    }
    spread(table, &places, 3, f8_set(1), without_column(job, x[3], cell, corner), count, layers);
    if (job->flip->def.fluid_count > 1) {
        const F8 gone[3] = {f8_zero(), f8_zero(), f8_zero()};
        F8 more = f8_nmad(m, f8_set(job->per_first), f8_set(1));
        spread_number(table, &places, f8_and(more, f8_not_zero(v[3])), gone, count, dimension);
    }
}

enum { CARRIED_RECORDS = sizeof(CarriedParticle) / sizeof(Vec4) };
_Static_assert(sizeof(CarriedParticle) % sizeof(Vec4) == 0, "a row of records");

// Particles of a solid, `count` from number i on. Gravity is in their velocities already, and comes to all faces.
static void spread_carried(const ToGrid* job, float* table, uint32_t i, uint32_t count, BlockKey key, float corner)
{
    const Inside* in = &job->flip->inside;
    const CarriedSolid* solid = &in->solid[in->particle[i].solid];
    const Vec4* first = &in->particle[i].position;
    F8 x[4], before[4], ahead[4], cell[3], gone[3], w = f8_set(solid->weight), m = f8_set(solid->mass * job->per_mass);
    load_records(first, 0, CARRIED_RECORDS, count, x);
    load_records(first + 1, 0, CARRIED_RECORDS, count, before);
    load_records(first + 2, 0, CARRIED_RECORDS, count, ahead);
    cells_of(x, job->scale, key, cell);
    Places places = places_of(cell, 3);
    for (int k = 0; k < 3; k++) {
        F8 speed = f8_sub(ahead[k], f8_set(job->fall[k]));
        gone[k] = f8_mul(m, f8_sub(before[k], speed));
        spread(table, &places, k, m, f8_mul(m, speed), count, 2);
    }
    spread(table, &places, 3, w, f8_mul(w, without_column(job, x[3], cell, corner)), count, 2);
    spread_number(table, &places, f8_set(solid->weight - solid->mass * job->per_mass * job->per_first), gone, count, 3);
}

// As many of the next eight particles as belong to one solid.
static uint32_t alike(const Inside* in, uint32_t i, uint32_t end)
{
    uint32_t n = 1;
    while (n < LANES && i + n < end && in->particle[i + n].solid == in->particle[i].solid)
        n++;
    return n;
}

static void spread_run(const ToGrid* job, float* table, const uint32_t run[2], BlockKey key, float corner)
{
    for (uint32_t i = run[0]; i < run[1]; i += LANES) {
        uint32_t n = run[1] - i < LANES ? run[1] - i : LANES;
        if (job->flip->def.dimension == 3)
            spread_particles(job, table, i, n, key, corner, 3);
        else
            spread_particles(job, table, i, n, key, corner, 2);
    }
}

static void spread_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ToGrid* job = context;
    const Flip* flip = job->flip;
    const Inside* in = &flip->inside;
    for (size_t k = begin; k < end; k++) {
        if (!flip->slot[k])
            continue;
        BlockKey key = flip->blocks.key[k];
        float corner = column_at(job, key);
        float* table = flip->table + (size_t)(flip->slot[k] - 1) * flip_table_size(flip);
        memset(table, 0, flip_table_size(flip) * sizeof *table);
        for (int row = 0; row < ROWS; row++)
            spread_run(job, table, flip->run[k][row], key, corner);
        for (uint32_t i = in->count ? in->start[k] : 0, last = in->count ? in->start[k + 1] : 0, n; i < last; i += n) {
            n = alike(in, i, last);
            spread_carried(job, table, i, n, key, corner);
        }
    }
}

// --- adding up

// Adds what lattice `k` of a table has for the cells of the block at (dx, dy, dz) from it.
static void add_lattice(const float* table, int k, const int d[3], int depth, float sum[CELLS][2])
{
    int begin[3], end[3];
    for (int a = 0; a < 3; a++)
        overlap(d[a], &begin[a], &end[a]);
    end[2] = end[2] > depth ? depth : end[2];
    for (int z = begin[2]; z < end[2]; z++)
        for (int y = begin[1]; y < end[1]; y++) {
            const float* from = table + k * LATTICE + (z - 8 * d[2] + 1) * PLANE + (y - 8 * d[1] + 1) * ROW + 2 * (1 - 8 * d[0]);
            float* to = sum[z * ROWS + y * EDGE];
            if (d[0] == 0) {
                f8_store(to, f8_add(f8_load(to), f8_load(from)));
                f8_store(to + LANES, f8_add(f8_load(to + LANES), f8_load(from + LANES)));
                continue;
            }
            int x = 2 * begin[0];
            to[x] += from[x];
            to[x + 1] += from[x + 1];
        }
}

// False: no particle is near, and all sums are zero.
static bool add_tables(const Flip* flip, size_t block, int k, float sum[CELLS][2])
{
    int depth = flip->def.dimension == 3 ? EDGE : 1;
    bool any = false;
    for (int n = 0; n < AROUND; n++) {
        uint32_t slot = flip->slot[flip->blocks.around[block][n]];
        const int d[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        if (!slot || (depth < EDGE && d[2] != 0))
            continue;
        if (!any)
            memset(sum, 0, sizeof(float) * 2 * CELLS);
        any = true;
        add_lattice(flip->table + (size_t)(slot - 1) * flip_table_size(flip), k, d, depth, sum);
    }
    return any;
}

static void gather_component(const ToGrid* job, size_t k, int a)
{
    Flip* flip = job->flip;
    float sum[CELLS][2];
    float *u = flip->velocity[a] + k * CELLS, *m = flip->mass[a] + k * CELLS, *old = flip->old[a] + k * CELLS;
    if (a >= flip->def.dimension || !add_tables(flip, k, a, sum)) {
        memset(u, 0, CELLS * sizeof *u);
        memset(m, 0, CELLS * sizeof *m);
        memset(old, 0, CELLS * sizeof *old);
        return;
    }
    for (int i = 0; i < CELLS; i++) {
        bool some = sum[i][0] > 1e-9f;
        float divisor = some ? sum[i][0] : 1;
        m[i] = sum[i][0];
        u[i] = old[i] = some ? sum[i][1] / divisor : 0;
    }
}

static void gather_centres(const ToGrid* job, size_t k)
{
    Flip* flip = job->flip;
    float sum[CELLS][2], *fill = flip->fill + k * CELLS, *q = flip->q + k * CELLS;
    if (!add_tables(flip, k, 3, sum)) {
        memset(fill, 0, CELLS * sizeof *fill);
        memset(q, 0, CELLS * sizeof *q);
        return;
    }
    float corner = column_at(job, flip->blocks.key[k]);
    for (int row = 0; row < ROWS; row++) {
        float z = flip->def.dimension == 3 ? (float)(row >> 3) + 0.5f : 0;
        float column = corner + job->weight[1] * ((float)(row & 7) + 0.5f) + job->weight[2] * z;
        for (int x = 0; x < EDGE; x++) {
            int i = row * EDGE + x;
            bool some = sum[i][0] > 1e-6f;
            float divisor = some ? sum[i][0] : 1, there = column + job->weight[0] * ((float)x + 0.5f);
            fill[i] = sum[i][0];
            q[i] = some ? (sum[i][1] / divisor + there) * job->pressure : 0;
        }
    }
}

static void gather_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    for (size_t k = begin; k < end; k++) {
        for (int a = 0; a < 3; a++)
            gather_component(context, k, a);
        gather_centres(context, k);
    }
}

// Lightness of a mix: particles around the face to their mass, so that what a pressure gives to a full face is the same whatever is
// there, and momentum is kept. And velocities when the step began, before solids felt what is in them (algorithm 2, line 1): fluid
// gets the change from there. With those after it, elastic forces that pressures balance would pump the fluid beside a solid.
static void mix_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ToGrid* job = context;
    Flip* flip = job->flip;
    float sum[CELLS][2];
    for (size_t k = begin; k < end; k++)
        for (int a = 0; a < flip->def.dimension; a++) {
            const float* m = flip->mass[a] + k * CELLS;
            float *light = flip->lightness[a] + k * CELLS, *old = flip->old[a] + k * CELLS;
            bool alone = flip->def.fluid_count <= 1 && !flip->inside.voxel_slot[k]; // the first fluid is
            float lone = job->per_first < 1 ? 1 : job->per_first;
            if (alone || !add_tables(flip, k, LATTICES + a, sum)) {
                for (int i = 0; i < CELLS; i++)
                    light[i] = lone;
                continue;
            }
            for (int i = 0; i < CELLS; i++) {
                bool mixed = m[i] > 1e-6f;
                float divisor = mixed ? m[i] : 1, l = mixed ? job->per_first + sum[i][0] / divisor : job->per_first;
                light[i] = l < 1 ? 1 : l;
                old[i] += mixed ? sum[i][1] / divisor : 0;
            }
        }
}

void flip_to_grid(Flip* flip, const FlipParticles* particles, double dt)
{
    ToGrid job = {.flip = flip, .particles = particles, .scale = cell_scale(flip->dx)};
    for (int k = 0; k < flip->def.fluid_count; k++)
        job.mass[k] = flip->def.density[k] / flip->lightest;
    job.pressure = (float)(dt / ((double)flip->lightest * flip->dx));
    double column = (double)flip->column * flip->dx;
    job.weight[0] = (float)(column * flip->gravity.x);
    job.weight[1] = (float)(column * flip->gravity.y);
    job.weight[2] = flip->def.dimension == 3 ? (float)(column * flip->gravity.z) : 0;
    job.middle = flip->blocks.count > 1 ? flip->blocks.key[1] : (BlockKey){0};
    job.per_mass = (float)(1 / ((double)flip->lightest * pow(flip->def.spacing, flip->def.dimension)));
    job.per_first = flip->def.fluid_count ? 1 / job.mass[0] : 1;
    job.fall[0] = (float)(dt * flip->gravity.x);
    job.fall[1] = (float)(dt * flip->gravity.y);
    job.fall[2] = (float)(dt * flip->gravity.z);
    flip->dt = dt;
    parallel_for(flip->def.pool, flip->blocks.count, TRANSFER_GRAIN, spread_blocks, &job);
    parallel_for(flip->def.pool, flip->blocks.count, BLOCKS_GRAIN, gather_blocks, &job);
    if (flip_is_mix(flip))
        parallel_for(flip->def.pool, flip->blocks.count, BLOCKS_GRAIN, mix_blocks, &job);
}
