// SPDX-License-Identifier: MIT
#include "fluid/pressure/bulk_parts.h"

#include "base/reduce.h"
#include <math.h>
#include <string.h>

enum { ROW_GRAIN = 16, MOST_ITERATIONS = 200 };
enum { ROWS_SHARED = 2048 }; // smaller systems are solved sooner by one thread than threads meet

// [1] residual that is left on the coarse level: the iterations have as much to do with what lies between its corners.
static const double TOLERANCE = 0.2;

// [1] of the mean pressure: the least weight
static const double FLOOR = 0.05;

typedef struct Job {
    Sph* sph;
    Bulk* bulk;
    float lowest;
    float density[FLUIDS_MOST];
    float alpha, beta;
    float scale; // [1/s2] 1 / dt^2, which the system is without
    float share;
    float floor; // [Pa] least weight
} Job;

Bulk* bulk_create(Memory* memory)
{
    Bulk* bulk = memory_take(memory, sizeof *bulk);
    if (bulk)
        *bulk = (Bulk){.memory = memory};
    return bulk;
}

void bulk_free(Bulk* bulk)
{
    if (!bulk)
        return;
    void* arrays[] = {bulk->row,     bulk->table, bulk->element, bulk->stencil, bulk->constant, bulk->error,
                      bulk->inverse, bulk->q,     bulk->r,       bulk->s,       bulk->as};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(bulk->memory, arrays[k]);
    memory_give(bulk->memory, bulk);
}

// One row more, of zeros, is what rows beyond the fluid are.
static bool reserve_vector(Bulk* bulk, float** vector, size_t* capacity)
{
    return memory_reserve(bulk->memory, vector, capacity, 0, BULK_ROW * (bulk->rows + 1), sizeof **vector);
}

bool bulk_begin(Sph* sph)
{
    Bulk* b = sph->bulk;
    size_t room = sph->fluid.set.count + LANES;
    if (!b || sph->grid.period.any || sph->grid.count != sph->fluid.set.count || !bulk_rows(b, &sph->grid))
        return false;
    return memory_reserve(b->memory, &b->element, &b->element_capacity, 0, BULK_ROW * b->filled, sizeof *b->element) &&
           memory_reserve(b->memory, &b->stencil, &b->stencil_capacity, 0, BULK_ROW * BULK_AROUND * b->rows, sizeof *b->stencil) &&
           reserve_vector(b, &b->inverse, &b->inverse_capacity) && reserve_vector(b, &b->q, &b->q_capacity) &&
           reserve_vector(b, &b->r, &b->r_capacity) && reserve_vector(b, &b->s, &b->s_capacity) &&
           reserve_vector(b, &b->as, &b->as_capacity) &&
           memory_reserve(b->memory, &b->constant, &b->constant_capacity, 0, room, sizeof *b->constant) &&
           memory_reserve(b->memory, &b->error, &b->error_capacity, 0, room, sizeof *b->error);
}

Vec4* bulk_constants(Sph* sph)
{
    return sph->bulk->constant;
}

float* bulk_errors(Sph* sph)
{
    return sph->bulk->error;
}

// --- from particles to cells and back

// Where a particle is in its cell, and which of the row it is.
typedef struct Place {
    int cell;
    float phi[BULK_CORNERS], slope[3][BULK_CORNERS]; // grad phi in cells
} Place;

static inline float within(double x, double* cell)
{
    *cell = floor(x);
    return (float)(x - *cell);
}

static inline void place_of(const CellGrid* grid, const BulkRow* row, Vec4 x, Place* out)
{
    const double inverse = 0.5 * grid->inverse;
    float low[3] = {0, 0, 0}, high[3];
    double column = (double)x.x * inverse - (double)row->key.x * BULK_ROW, cell;
    low[0] = within(column, &cell);
    out->cell = cell < 0 ? 0 : cell > BULK_ROW - 1 ? BULK_ROW - 1 : (int)cell;
    low[1] = (float)((double)x.y * inverse - (double)row->key.y);
    if (grid->dimension == 3)
        low[2] = (float)((double)x.z * inverse - (double)row->key.z);
    for (int k = 0; k < 3; k++) {
        high[k] = low[k];
        low[k] = 1 - low[k];
    }
    for (int n = 0; n < BULK_CORNERS; n++) {
        float wx = n & 1 ? high[0] : low[0], wy = n & 2 ? high[1] : low[1], wz = n & 4 ? high[2] : low[2];
        out->phi[n] = wx * wy * wz;
        out->slope[0][n] = (n & 1 ? 1.0f : -1.0f) * wy * wz;
        out->slope[1][n] = (n & 2 ? 1.0f : -1.0f) * wx * wz;
        out->slope[2][n] = grid->dimension == 3 ? (n & 4 ? 1.0f : -1.0f) * wx * wy : 0;
    }
}

// [1] Particles that are expected to be wider apart than this want no pressure.
static const float APART = 1e-6f;

static inline bool is_active(const Job* job, size_t i)
{
    return job->sph->fluid.divergence[i] > job->lowest || job->bulk->error[i] > -APART;
}

// [Pa] w_i, by the pressure that the error belongs to
static inline float weight_of(const Job* job, size_t i)
{
    return fmaxf(job->sph->fluid.position[i].w, 0) + job->floor;
}

// Particles without pressure that want none hold it at 0 as a free surface does, within a spacing.
static inline void add_particle(const Job* job, const Place* place, size_t i, BulkElement* element)
{
    const Sph* sph = job->sph;
    float rho0 = job->density[(int)sph->fluid.velocity[i].w], w = weight_of(job, i);
    Vec4 k = job->bulk->constant[i], a = sph->fluid.acceleration[i];
    bool active = is_active(job, i);
    F8 phi = f8_load(place->phi), b[3];
    const float push[3] = {job->floor * k.x - rho0 * a.x, job->floor * k.y - rho0 * a.y, job->floor * k.z - rho0 * a.z};
    for (int d = 0; d < 3; d++)
        b[d] = f8_mad(f8_set(push[d]), phi, f8_mul(f8_set(w * (float)(0.5 * sph->grid.inverse)), f8_load(place->slope[d])));
    if (!active) {
        b[0] = f8_mul(f8_set(0.5f * w / (float)sph->radius), phi);
        b[1] = b[2] = f8_zero();
    }
    float rows[3][BULK_CORNERS];
    for (int d = 0; d < 3; d++) {
        f8_store(rows[d], b[d]);
        b[d] = f8_mul(b[d], f8_set(1 / rho0));
    }
    int corners = sph->grid.dimension == 3 ? 8 : 4;
    for (int m = 0; m < corners; m++) {
        F8 sum = f8_load(element->a[m]);
        for (int d = 0; d < sph->grid.dimension; d++)
            sum = f8_mad(f8_set(rows[d][m]), b[d], sum);
        f8_store(element->a[m], sum);
    }
    if (active)
        f8_store(element->load, f8_mad(f8_set(w * job->bulk->error[i]), phi, f8_load(element->load)));
}

static void gather_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const CellGrid* grid = &job->sph->grid;
    for (size_t k = begin; k < end; k++) {
        const BulkRow* row = &job->bulk->row[k];
        BulkElement* element = job->bulk->element + BULK_ROW * k;
        memset(element, 0, BULK_ROW * sizeof *element);
        for (uint32_t s = 0; s < row->fines; s++) {
            const uint32_t* start = grid->cell_start + (size_t)row->fine[s] * SEGMENT_CELLS;
            for (size_t i = start[0]; i < start[SEGMENT_CELLS]; i++) {
                Place place;
                place_of(grid, row, job->sph->fluid.position[i], &place);
                add_particle(job, &place, i, &element[place.cell]);
            }
        }
    }
}

static void prolong_rows(void* context, size_t begin, size_t end, double out[])
{
    const Job* job = context;
    const CellGrid* grid = &job->sph->grid;
    const Bulk* b = job->bulk;
    Fluid* fluid = &job->sph->fluid;
    int corners = grid->dimension == 3 ? 8 : 4;
    for (size_t k = begin; k < end; k++) {
        const BulkRow* row = &b->row[k];
        float q[BULK_CORNERS][BULK_ROW] = {{0}}; // of the corners of each cell
        for (int n = 0; n < corners; n++)
            for (int x = 0; x < BULK_ROW; x++) {
                int right = x + (n & 1);
                uint32_t at = row->around[9 * (1 + (n >> 2)) + 3 * (1 + (n >> 1 & 1)) + 1 + right / BULK_ROW];
                q[n][x] = job->scale * b->q[BULK_ROW * at + (size_t)(right % BULK_ROW)];
            }
        for (uint32_t s = 0; s < row->fines; s++) {
            const uint32_t* start = grid->cell_start + (size_t)row->fine[s] * SEGMENT_CELLS;
            for (size_t i = start[0]; i < start[SEGMENT_CELLS]; i++) {
                if (!is_active(job, i))
                    continue;
                Place place;
                place_of(grid, row, job->sph->fluid.position[i], &place);
                float sum = 0;
                for (int n = 0; n < corners; n++)
                    sum += place.phi[n] * q[n][place.cell];
                sum *= weight_of(job, i);
                out[0] += (double)(sum * b->error[i]);
                sum *= job->share;
                fluid->divergence[i] = fmaxf(fluid->divergence[i] + sum, job->lowest);
                fluid->iterate[i] = fmaxf(fluid->iterate[i] + sum, job->lowest);
            }
        }
    }
}

// --- the coarse system

static Pool* pool_for(const Job* job)
{
    return job->bulk->rows < ROWS_SHARED ? NULL : job->sph->pool;
}

// The element that corner x of a row is corner m of; NULL: no particles are there.
static inline const BulkElement* element_of(const Bulk* bulk, size_t row, int m, int x)
{
    int left = x - (m & 1) + BULK_ROW;
    size_t at = bulk->row[row].around[9 * (1 - (m >> 2)) + 3 * (1 - (m >> 1 & 1)) + left / BULK_ROW];
    return at < bulk->filled ? &bulk->element[BULK_ROW * at + (size_t)(left % BULK_ROW)] : NULL;
}

// Equations of corners from the elements around them.
static void assemble_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Bulk* b = job->bulk;
    int corners = job->sph->grid.dimension == 3 ? 8 : 4;
    for (size_t k = begin; k < end; k++) {
        float* stencil = b->stencil + BULK_ROW * BULK_AROUND * k;
        memset(stencil, 0, BULK_ROW * BULK_AROUND * sizeof *stencil);
        for (int m = 0; m < corners; m++)
            for (int x = 0; x < BULK_ROW; x++) {
                const BulkElement* element = element_of(b, k, m, x);
                for (int n = 0; n < corners && element; n++) {
                    int d = 9 * ((n >> 2) - (m >> 2) + 1) + 3 * ((n >> 1 & 1) - (m >> 1 & 1) + 1) + (n & 1) - (m & 1) + 1;
                    stencil[BULK_ROW * d + x] += element->a[m][n];
                }
            }
        for (size_t x = 0; x < BULK_ROW; x++) {
            float diagonal = stencil[BULK_ROW * (BULK_AROUND / 2) + x];
            b->inverse[BULK_ROW * k + x] = diagonal > 0 ? 1 / diagonal : 0;
        }
    }
}

static void load_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Bulk* b = job->bulk;
    int corners = job->sph->grid.dimension == 3 ? 8 : 4;
    for (size_t k = begin; k < end; k++)
        for (int x = 0; x < BULK_ROW; x++) {
            float sum = 0;
            for (int m = 0; m < corners; m++) {
                const BulkElement* element = element_of(b, k, m, x);
                sum += element ? element->load[m] : 0;
            }
            b->r[BULK_ROW * k + (size_t)x] = sum;
        }
}

// q = 0, s = r / diagonal; r . s
static void start_rows(void* context, size_t begin, size_t end, double out[])
{
    Bulk* b = ((const Job*)context)->bulk;
    for (size_t i = BULK_ROW * begin; i < BULK_ROW * end; i += LANES) {
        F8 r = f8_load(b->r + i), s = f8_mul(f8_load(b->inverse + i), r);
        f8_store(b->q + i, f8_zero());
        f8_store(b->s + i, s);
        out[0] += (double)f8_sum(f8_mul(r, s));
    }
}

// as = A s; s . A s
static void product_rows(void* context, size_t begin, size_t end, double out[])
{
    const Job* job = context;
    Bulk* b = job->bulk;
    int first = job->sph->grid.dimension == 3 ? 0 : 3, last = job->sph->grid.dimension == 3 ? 9 : 6;
    for (size_t k = begin; k < end; k++) {
        const float* stencil = b->stencil + BULK_ROW * BULK_AROUND * k;
        F8 sum = f8_zero();
        for (int n = first; n < last; n++) {
            const uint32_t* around = b->row[k].around + 3 * n;
            float line[BULK_ROW + 2];
            line[0] = b->s[BULK_ROW * around[0] + BULK_ROW - 1];
            f8_store(line + 1, f8_load(b->s + BULK_ROW * around[1]));
            line[BULK_ROW + 1] = b->s[BULK_ROW * around[2]];
            for (int d = 0; d < 3; d++)
                sum = f8_mad(f8_load(stencil + BULK_ROW * (3 * n + d)), f8_load(line + d), sum);
        }
        f8_store(b->as + BULK_ROW * k, sum);
        out[0] += (double)f8_sum(f8_mul(sum, f8_load(b->s + BULK_ROW * k)));
    }
}

// q += alpha s, r -= alpha A s; r . r / diagonal
static void advance_rows(void* context, size_t begin, size_t end, double out[])
{
    const Job* job = context;
    Bulk* b = job->bulk;
    F8 alpha = f8_set(job->alpha);
    for (size_t i = BULK_ROW * begin; i < BULK_ROW * end; i += LANES) {
        F8 r = f8_nmad(alpha, f8_load(b->as + i), f8_load(b->r + i));
        f8_store(b->q + i, f8_mad(alpha, f8_load(b->s + i), f8_load(b->q + i)));
        f8_store(b->r + i, r);
        out[0] += (double)f8_sum(f8_mul(f8_mul(r, r), f8_load(b->inverse + i)));
    }
}

// s = r / diagonal + beta s
static void turn_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Bulk* b = job->bulk;
    for (size_t i = BULK_ROW * begin; i < BULK_ROW * end; i += LANES)
        f8_store(b->s + i, f8_mad(f8_set(job->beta), f8_load(b->s + i), f8_mul(f8_load(b->r + i), f8_load(b->inverse + i))));
}

// Conjugate gradients.
static void solve(Job* job)
{
    Bulk* b = job->bulk;
    Pool* pool = pool_for(job);
    memset(b->s + BULK_ROW * b->rows, 0, BULK_ROW * sizeof *b->s);
    memset(b->q + BULK_ROW * b->rows, 0, BULK_ROW * sizeof *b->q);
    double rz = reduce_sum(pool, b->rows, ROW_GRAIN, start_rows, job), wanted = TOLERANCE * TOLERANCE * rz;
    for (int k = 0; k < MOST_ITERATIONS && rz > wanted; k++) {
        double energy = reduce_sum(pool, b->rows, ROW_GRAIN, product_rows, job);
        if (!(energy > 0))
            break;
        job->alpha = (float)(rz / energy);
        double next = reduce_sum(pool, b->rows, ROW_GRAIN, advance_rows, job);
        job->beta = (float)(next / rz);
        rz = next;
        parallel_for(pool, b->rows, ROW_GRAIN, turn_rows, job);
    }
}

static void mean_rows(void* context, size_t begin, size_t end, double out[])
{
    const Vec4* x = ((const Job*)context)->sph->fluid.position;
    float sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += fmaxf(x[i].w, 0);
    out[0] += (double)sum;
}

// A share of the mean pressure: fluid that has none yet is to get some.
static float floor_of(Job* job)
{
    size_t count = job->sph->fluid.set.count;
    double sum = reduce_sum(job->sph->pool, count, PARTICLE_GRAIN, mean_rows, job);
    return sum > 0 ? (float)(FLOOR * sum / (double)count) : 1;
}

double bulk_correct(Sph* sph, const BulkStep* step)
{
    Bulk* b = sph->bulk;
    Job job = {.sph = sph, .bulk = b, .lowest = step->lowest, .scale = 1 / (step->dt * step->dt), .share = step->share};
    for (int k = 0; k < FLUIDS_MOST; k++)
        job.density[k] = k < sph->material_count ? sph->material[k].density : 1;
    job.floor = floor_of(&job);
    parallel_for(sph->pool, b->filled, ROW_GRAIN, gather_rows, &job);
    parallel_for(pool_for(&job), b->rows, ROW_GRAIN, assemble_rows, &job);
    parallel_for(pool_for(&job), b->rows, ROW_GRAIN, load_rows, &job);
    solve(&job);
    return reduce_sum(sph->pool, b->filled, ROW_GRAIN, prolong_rows, &job);
}
