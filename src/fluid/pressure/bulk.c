// SPDX-License-Identifier: MIT
#include "fluid/pressure/bulk_parts.h"

#include "base/reduce.h"
#include <math.h>
#include <string.h>

enum { ROW_GRAIN = 16, MOST_ITERATIONS = 200, CELL_COLUMNS = SEGMENT_CELLS / BULK_ROW };
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

static bool make_room(Bulk* b, const Sph* sph)
{
    size_t room = sph->fluid.set.count + LANES;
    return bulk_rows(b, &sph->grid) &&
           memory_reserve(b->memory, &b->element, &b->element_capacity, 0, BULK_ROW * b->filled, sizeof *b->element) &&
           memory_reserve(b->memory, &b->stencil, &b->stencil_capacity, 0, BULK_ROW * BULK_AROUND * b->rows, sizeof *b->stencil) &&
           reserve_vector(b, &b->inverse, &b->inverse_capacity) && reserve_vector(b, &b->q, &b->q_capacity) &&
           reserve_vector(b, &b->r, &b->r_capacity) && reserve_vector(b, &b->s, &b->s_capacity) &&
           reserve_vector(b, &b->as, &b->as_capacity) &&
           memory_reserve(b->memory, &b->constant, &b->constant_capacity, 0, room, sizeof *b->constant) &&
           memory_reserve(b->memory, &b->error, &b->error_capacity, 0, room, sizeof *b->error);
}

bool bulk_begin(Sph* sph)
{
    Bulk* b = sph->bulk;
    if (!b || sph->grid.count != sph->fluid.set.count)
        return false;
    bool ok = make_room(b, sph);
    b->starved |= !ok;
    return ok;
}

bool bulk_lacks_memory(Bulk* bulk)
{
    bool news = bulk && bulk->starved && !bulk->told;
    if (news)
        bulk->told = true;
    return news;
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

// A particle among the corners of its cell.
typedef struct Place {
    F8 phi, slope[3]; // slope: grad phi in cells
} Place;

static const float HIGH[3][BULK_CORNERS] = {{0, 1, 0, 1, 0, 1, 0, 1}, {0, 0, 1, 1, 0, 0, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1}};
static const float SIDE[3][BULK_CORNERS] = {
    {-1, 1, -1, 1, -1, 1, -1, 1}, {-1, -1, 1, 1, -1, -1, 1, 1}, {-1, -1, -1, -1, 1, 1, 1, 1}};

// Linear between 1 - x at low corners and x at high ones.
static inline F8 between(float x, int axis)
{
    return f8_mad(f8_set(2 * x - 1), f8_load(HIGH[axis]), f8_set(1 - x));
}

static inline Place place_of(const CellGrid* grid, const BulkRow* row, int cell, Vec4 x, int dimension)
{
    const double inverse = 0.5 * grid->inverse;
    F8 along = between((float)((double)x.x * inverse - ((double)row->key.x * BULK_ROW + cell)), 0);
    F8 up = between((float)((double)x.y * inverse - (double)row->key.y), 1);
    F8 deep = between(dimension == 3 ? (float)((double)x.z * inverse - (double)row->key.z) : 0, 2);
    F8 face = f8_mul(up, deep);
    return (Place){f8_mul(along, face),
                   {f8_mul(f8_load(SIDE[0]), face), f8_mul(f8_load(SIDE[1]), f8_mul(along, deep)),
                    dimension == 3 ? f8_mul(f8_load(SIDE[2]), f8_mul(along, up)) : f8_zero()}};
}

// The particles of a cell of a row in one of the row's segments: a cell is eight columns of the particles' grid wide.
static inline const uint32_t* cell_range(const CellGrid* grid, const BulkRow* row, uint32_t fine, int cell)
{
    return grid->cell_start + (size_t)row->fine[fine] * SEGMENT_CELLS + (size_t)cell * CELL_COLUMNS;
}

// [1] Particles that are expected to be wider apart than this want no pressure.
static const float APART = 1e-6f;

static inline bool is_active(const Job* job, size_t i)
{
    return job->sph->fluid.divergence[i] > job->lowest || job->bulk->error[i] > -APART;
}

static inline float not_below(float x, float least)
{
    return x > least ? x : least;
}

// [Pa] w_i, by the pressure that the error belongs to
static inline float weight_of(const Job* job, size_t i)
{
    return not_below(job->sph->fluid.position[i].w, 0) + job->floor;
}

// b_in of the corners of a cell. Particles without pressure that want none hold it at 0 as a free surface does, within a spacing.
static inline void push_of(const Job* job, const Place* place, size_t i, bool active, F8 b[3])
{
    const Sph* sph = job->sph;
    float rho0 = job->density[(int)sph->fluid.velocity[i].w], w = weight_of(job, i);
    if (!active) {
        b[0] = f8_mul(f8_set(0.5f * w / (float)sph->radius), place->phi);
        b[1] = b[2] = f8_zero();
        return;
    }
    Vec4 k = job->bulk->constant[i], a = sph->fluid.acceleration[i];
    const float push[3] = {job->floor * k.x - rho0 * a.x, job->floor * k.y - rho0 * a.y, job->floor * k.z - rho0 * a.z};
    F8 steep = f8_set(w * (float)(0.5 * sph->grid.inverse));
    for (int d = 0; d < 3; d++)
        b[d] = f8_mad(f8_set(push[d]), place->phi, f8_mul(steep, place->slope[d]));
}

// Particles of a cell stand side by side: its sums stay in registers.
static inline __attribute__((always_inline)) void gather_cell(const Job* job, const BulkRow* row, int cell, BulkElement* out,
                                                              int dimension)
{
    const CellGrid* grid = &job->sph->grid;
    const int corners = 1 << dimension;
    F8 a[BULK_CORNERS], load = f8_zero();
    for (int m = 0; m < corners; m++)
        a[m] = f8_zero();
    for (uint32_t s = 0; s < row->fines; s++) {
        const uint32_t* range = cell_range(grid, row, s, cell);
        for (size_t i = range[0]; i < range[CELL_COLUMNS]; i++) {
            Place place = place_of(grid, row, cell, job->sph->fluid.position[i], dimension);
            bool active = is_active(job, i);
            F8 b[3], light = f8_set(1 / job->density[(int)job->sph->fluid.velocity[i].w]);
            float rows[3][BULK_CORNERS];
            push_of(job, &place, i, active, b);
            for (int d = 0; d < dimension; d++) {
                f8_store(rows[d], b[d]);
                b[d] = f8_mul(b[d], light);
            }
            for (int m = 0; m < corners; m++)
                for (int d = 0; d < dimension; d++)
                    a[m] = f8_mad(f8_set(rows[d][m]), b[d], a[m]);
            if (active)
                load = f8_mad(f8_set(weight_of(job, i) * job->bulk->error[i]), place.phi, load);
        }
    }
    for (int m = 0; m < BULK_CORNERS; m++)
        f8_store(out->a[m], m < corners ? a[m] : f8_zero());
    f8_store(out->load, load);
}

static void gather_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    for (size_t k = begin; k < end; k++)
        for (int cell = 0; cell < BULK_ROW; cell++) {
            BulkElement* element = &job->bulk->element[BULK_ROW * k + (size_t)cell];
            if (job->sph->grid.dimension == 3)
                gather_cell(job, &job->bulk->row[k], cell, element, 3);
            else
                gather_cell(job, &job->bulk->row[k], cell, element, 2);
        }
}

// q of the corners of a cell, as pressures
static F8 corners_of(const Job* job, const BulkRow* row, int cell)
{
    float q[BULK_CORNERS] = {0};
    int corners = job->sph->grid.dimension == 3 ? 8 : 4;
    for (int n = 0; n < corners; n++) {
        int right = cell + (n & 1);
        uint32_t at = row->around[9 * (1 + (n >> 2)) + 3 * (1 + (n >> 1 & 1)) + 1 + right / BULK_ROW];
        q[n] = job->scale * job->bulk->q[BULK_ROW * at + (size_t)(right % BULK_ROW)];
    }
    return f8_load(q);
}

static double prolong_cell(const Job* job, const BulkRow* row, int cell)
{
    const CellGrid* grid = &job->sph->grid;
    const float* error = job->bulk->error;
    Fluid* fluid = &job->sph->fluid;
    F8 q = corners_of(job, row, cell);
    double energy = 0;
    for (uint32_t s = 0; s < row->fines; s++) {
        const uint32_t* range = cell_range(grid, row, s, cell);
        for (size_t i = range[0]; i < range[CELL_COLUMNS]; i++) {
            if (!is_active(job, i))
                continue;
            Place place = place_of(grid, row, cell, fluid->position[i], grid->dimension);
            float sum = weight_of(job, i) * f8_sum(f8_mul(place.phi, q));
            energy += (double)(sum * error[i]);
            sum *= job->share;
            fluid->divergence[i] = not_below(fluid->divergence[i] + sum, job->lowest);
            fluid->iterate[i] = not_below(fluid->iterate[i] + sum, job->lowest);
        }
    }
    return energy;
}

static void prolong_rows(void* context, size_t begin, size_t end, double out[])
{
    const Job* job = context;
    for (size_t k = begin; k < end; k++)
        for (int cell = 0; cell < BULK_ROW; cell++)
            out[0] += prolong_cell(job, &job->bulk->row[k], cell);
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
        sum += not_below(x[i].w, 0);
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
