// SPDX-License-Identifier: MIT
// Particles to grid, without atomics: a block spreads its particles into a table of its own, then each block adds up what its table
// and those of its neighbours have for its cells, in the order of the neighbours.
#include "flip/transfer.h"

typedef struct ToGrid {
    Flip* flip;
    const FlipParticles* particles;
    float mass[FLIP_FLUIDS]; // [1]
    double inverse;
    float pressure;  // q of a pressure
    Vec3d weight;    // [Pa/m] of a column at rest
    float per_mass;  // [1/kg] of the heaviest particle
    float per_first; // [1] to the mass of particles of the first fluid
    float fall[3];   // [m/s] by gravity in the step
} ToGrid;

static ALWAYS_INLINE void spread(float* table, const Stencil* s, Four low, int layers)
{
    float* t = table + s->first;
    four_store(t, four_load(t) + low * ((1 - s->y) * (1 - s->z)));
    four_store(t + ROW, four_load(t + ROW) + low * (s->y * (1 - s->z)));
    if (layers == 1)
        return;
    four_store(t + PLANE, four_load(t + PLANE) + low * ((1 - s->y) * s->z));
    four_store(t + PLANE + ROW, four_load(t + PLANE + ROW) + low * (s->y * s->z));
}

// An affine velocity differs from node to node: c is its change per cell along each axis.
static void spread_affine(float* table, const Stencil* s, float m, float v, const float c[3], int layers)
{
    float wy[2] = {1 - s->y, s->y}, wz[2] = {1 - s->z, s->z};
    for (int n = 0; n < 2 * layers; n++) {
        float* t = table + s->first + (n & 1) * ROW + (n >> 1) * PLANE;
        float at = v - c[0] * s->x + c[1] * ((float)(n & 1) - s->y) + c[2] * ((float)(n >> 1) - s->z);
        Four low = {(1 - s->x) * m, (1 - s->x) * m * at, s->x * m, s->x * m * (at + c[0])};
        four_store(t, four_load(t) + low * (wy[n & 1] * wz[n >> 1]));
    }
}

// Particles that are not of the first fluid count another number than their mass to that of the first says; `gone` is what momentum
// they had more when the step began.
static void spread_number(const ToGrid* job, float* table, const Place* place, float more, const float gone[3], int dimension)
{
    for (int k = 0; k < dimension; k++) {
        Stencil s = stencil_of(place, k);
        s.first += LATTICES * LATTICE;
        spread(table, &s, (Four){(1 - s.x) * more, (1 - s.x) * gone[k], s.x * more, s.x * gone[k]}, dimension == 3 ? 2 : 1);
    }
}

// `dimension` is a constant wherever this is called.
static ALWAYS_INLINE void spread_particle(const ToGrid* job, float* table, size_t i, BlockKey key, int dimension)
{
    const FlipParticles* p = job->particles;
    int layers = dimension == 3 ? 2 : 1;
    Vec4 x = p->position[i], v = p->velocity[i];
    float cell[3], m = job->mass[(int)v.w], speed[3] = {v.x, v.y, v.z};
    cell_place(x, job->inverse, key, cell);
    Place place = place_of(cell, dimension);
    for (int k = 0; k < dimension; k++) {
        Stencil s = stencil_of(&place, k);
        if (p->affine[k]) {
            Vec4 a = p->affine[k][i];
            float dx = (float)job->flip->dx, c[3] = {a.x * dx, a.y * dx, dimension == 3 ? a.z * dx : 0};
            spread_affine(table, &s, m, speed[k], c, layers);
            continue;
        }
        float low = (1 - s.x) * m, high = s.x * m;
        spread(table, &s, (Four){low, low * speed[k], high, high * speed[k]}, layers);
    }
    Stencil s = stencil_of(&place, 3);
    // what is left of the pressure without that of a column at rest does not change from place to place in calm water
    float rest = x.w - (float)(job->weight.x * (double)x.x + job->weight.y * (double)x.y + job->weight.z * (double)x.z);
    spread(table, &s, (Four){1 - s.x, (1 - s.x) * rest, s.x, s.x * rest}, layers);
    if (v.w > 0)
        spread_number(job, table, &place, 1 - m * job->per_first, (const float[3]){0, 0, 0}, dimension);
}

// A particle of a solid. Gravity is in its velocity already, and comes to all faces.
static void spread_carried(const ToGrid* job, float* table, const CarriedParticle* p, BlockKey key)
{
    const Flip* flip = job->flip;
    const CarriedSolid* solid = &flip->inside.solid[p->solid];
    float cell[3], w = solid->weight, m = solid->mass * job->per_mass;
    float speed[3] = {p->ahead.x - job->fall[0], p->ahead.y - job->fall[1], p->ahead.z - job->fall[2]};
    float gone[3] = {m * (p->velocity.x - speed[0]), m * (p->velocity.y - speed[1]), m * (p->velocity.z - speed[2])};
    Vec4 x = p->position;
    cell_place(x, job->inverse, key, cell);
    Place place = place_of(cell, 3);
    for (int k = 0; k < 3; k++) {
        Stencil s = stencil_of(&place, k);
        float low = (1 - s.x) * m, high = s.x * m;
        spread(table, &s, (Four){low, low * speed[k], high, high * speed[k]}, 2);
    }
    Stencil s = stencil_of(&place, 3);
    float rest = x.w - (float)(job->weight.x * (double)x.x + job->weight.y * (double)x.y + job->weight.z * (double)x.z);
    spread(table, &s, (Four){(1 - s.x) * w, (1 - s.x) * w * rest, s.x * w, s.x * w * rest}, 2);
    spread_number(job, table, &place, w - m * job->per_first, gone, 3);
}

static void spread_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ToGrid* job = context;
    const Flip* flip = job->flip;
    for (size_t k = begin; k < end; k++) {
        if (!flip->slot[k])
            continue;
        float* table = flip->table + (size_t)(flip->slot[k] - 1) * flip_table_size(flip);
        memset(table, 0, flip_table_size(flip) * sizeof *table);
        for (int row = 0; row < ROWS; row++)
            for (uint32_t i = flip->run[k][row][0]; i < flip->run[k][row][1]; i++)
                if (flip->def.dimension == 3)
                    spread_particle(job, table, i, flip->blocks.key[k], 3);
                else
                    spread_particle(job, table, i, flip->blocks.key[k], 2);
        for (uint32_t i = flip->inside.count ? flip->inside.start[k] : 0; flip->inside.count && i < flip->inside.start[k + 1]; i++)
            spread_carried(job, table, &flip->inside.particle[i], flip->blocks.key[k]);
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
            for (int x = 2 * begin[0]; x < 2 * end[0]; x++)
                to[x] += from[x];
        }
}

static void add_tables(const Flip* flip, size_t block, int k, float sum[CELLS][2])
{
    int depth = flip->def.dimension == 3 ? EDGE : 1;
    memset(sum, 0, sizeof(float) * 2 * CELLS);
    for (int n = 0; n < AROUND; n++) {
        uint32_t slot = flip->slot[flip->blocks.around[block][n]];
        const int d[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        if (slot && (depth == EDGE || d[2] == 0))
            add_lattice(flip->table + (size_t)(slot - 1) * flip_table_size(flip), k, d, depth, sum);
    }
}

// [Pa] of a column at rest, at the centre of a cell
static float column_at(const ToGrid* job, BlockKey key, int i)
{
    double dx = job->flip->dx, x = 8.0 * key.x + (i & 7) + 0.5, y = 8.0 * key.y + (i >> 3 & 7) + 0.5;
    double z = job->flip->def.dimension == 3 ? 8.0 * key.z + (i >> 6) + 0.5 : 0;
    return (float)(dx * (job->weight.x * x + job->weight.y * y + job->weight.z * z));
}

static void gather_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ToGrid* job = context;
    Flip* flip = job->flip;
    float sum[CELLS][2];
    for (size_t k = begin; k < end; k++) {
        for (int a = 0; a < 3; a++) {
            float *u = flip->velocity[a] + k * CELLS, *m = flip->mass[a] + k * CELLS, *old = flip->old[a] + k * CELLS;
            if (a == 2 && flip->def.dimension == 2)
                memset(sum, 0, sizeof sum);
            else
                add_tables(flip, k, a, sum);
            for (int i = 0; i < CELLS; i++) {
                m[i] = sum[i][0];
                u[i] = old[i] = sum[i][0] > 1e-9f ? sum[i][1] / sum[i][0] : 0;
            }
        }
        add_tables(flip, k, 3, sum);
        for (int i = 0; i < CELLS; i++) {
            flip->fill[k * CELLS + (size_t)i] = sum[i][0];
            float column = column_at(job, flip->blocks.key[k], i);
            flip->q[k * CELLS + (size_t)i] = sum[i][0] > 1e-6f ? (sum[i][1] / sum[i][0] + column) * job->pressure : 0;
        }
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
            if (!alone)
                add_tables(flip, k, LATTICES + a, sum);
            for (int i = 0; i < CELLS; i++) {
                bool mixed = !alone && m[i] > 1e-6f;
                float l = mixed ? job->per_first + sum[i][0] / m[i] : job->per_first;
                light[i] = l < 1 ? 1 : l;
                old[i] += mixed ? sum[i][1] / m[i] : 0;
            }
        }
}

void flip_to_grid(Flip* flip, const FlipParticles* particles, double dt)
{
    ToGrid job = {.flip = flip, .particles = particles, .inverse = 1 / flip->dx};
    for (int k = 0; k < flip->def.fluid_count; k++)
        job.mass[k] = flip->def.density[k] / flip->lightest;
    job.pressure = (float)(dt / ((double)flip->lightest * flip->dx));
    job.weight = vec3d_scale(flip->gravity, (double)flip->column);
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
