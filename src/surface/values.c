// SPDX-License-Identifier: MIT
#include "surface/values.h"

#include "base/simd.h"
#include <string.h>

enum { GRAIN = 1024, LINES = SAMPLER_WIDEST / LANES };

// --- particles' values, eight numbers to a vector

typedef struct PackJob {
    const Sampler* sampler;
    const SurfaceInput* input;
} PackJob;

static void pack_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const PackJob* job = context;
    const Sampler* s = job->sampler;
    for (size_t i = begin; i < end; i++) {
        size_t from = vec4_tag(&s->lattice->position[i]);
        float* to = s->record + i * s->stride;
        memset(to, 0, s->stride * sizeof *to);
        for (size_t k = 0; k < job->input->value_count; k++) {
            const SurfaceValue* v = &job->input->value[k];
            for (int c = 0; c < v->components; c++)
                *to++ = v->data[from * v->stride + (size_t)c];
        }
        *to = 1;
    }
}

bool sampler_build(Sampler* s, const Lattice* lattice, const SurfaceInput* input, Pool* pool)
{
    *s = (Sampler){.lattice = lattice};
    for (size_t k = 0; k < input->value_count; k++)
        s->width += (size_t)input->value[k].components;
    s->stride = (s->width + LANES) / LANES * LANES;
    s->record = memory_take(lattice->memory, (lattice->count * s->stride + 1) * sizeof *s->record);
    if (!s->record)
        return false;
    PackJob job = {s, input};
    parallel_for(pool, lattice->count, 4 * GRAIN, pack_work, &job);
    return true;
}

void sampler_free(Sampler* s)
{
    if (s->record)
        memory_give(s->lattice->memory, s->record);
    *s = (Sampler){0};
}

// --- means

// `lines` is a constant where this is called, so that the sums stay in registers.
static inline void add_run(const Sampler* s, size_t lines, uint32_t begin, uint32_t end, Vec3 x, float inverse2, F8 sum[LINES])
{
    F8 px, py, pz, pw, one = f8_set(1), zero = f8_zero();
    for (uint32_t i = begin; i < end; i += LANES) {
        f8_load4(s->lattice->position + i, &px, &py, &pz, &pw);
        F8 dx = f8_sub(px, f8_set(x.x)), dy = f8_sub(py, f8_set(x.y)), dz = f8_sub(pz, f8_set(x.z));
        F8 u = f8_nmad(f8_mad(dx, dx, f8_mad(dy, dy, f8_mul(dz, dz))), f8_set(inverse2), one);
        unsigned bits = f8_mask(f8_less(zero, u));
        bits &= end - i < LANES ? (1u << (end - i)) - 1 : 0xffu;
        if (!bits)
            continue;
        float w[LANES];
        f8_store(w, f8_mul(f8_mul(u, u), u));
        for (; bits; bits &= bits - 1) {
            unsigned k = (unsigned)__builtin_ctz(bits);
            const float* record = s->record + (i + k) * s->stride;
            for (size_t line = 0; line < lines; line++)
                sum[line] = f8_mad(f8_set(w[k]), f8_load(record + line * LANES), sum[line]);
        }
    }
}

// How far a coordinate is from a row of cells [cells].
static double row_distance(double at, int32_t row)
{
    double low = row - at, high = at - (row + 1);
    return low > 0 ? low : high > 0 ? high : 0;
}

void sampler_at(const Sampler* s, SamplerPlace* place, Vec3 x, float out[SAMPLER_WIDEST])
{
    const CellGrid* grid = &s->lattice->grid;
    double reach = s->lattice->reach * s->lattice->spacing;
    float inverse2 = (float)(1 / (reach * reach));
    double column = (double)x.x * (4 * grid->inverse), y = (double)x.y * grid->inverse, z = (double)x.z * grid->inverse;
    SegmentKey key = {grid_column(grid, (double)x.x) >> 6, grid_row(grid, x.y), grid_row(grid, x.z)};
    if (key.x != place->key.x || key.y != place->key.y || key.z != place->key.z)
        grid_around(grid, key, place->around);
    place->key = key;
    F8 sum[LINES] = {f8_zero(), f8_zero(), f8_zero()};
    for (int row = 0; row < 9; row++) {
        // a cell is a hair wider than the reach: what is left for x, with as much to spare
        double dy = row_distance(y, key.y + row % 3 - 1), dz = row_distance(z, key.z + row / 3 - 1);
        double room = 1 - (dy * dy + dz * dz);
        if (room <= 0)
            continue;
        double along = 4 * sqrt(room);
        uint32_t first, behind;
        grid_run(grid, key, place->around, row, (int32_t)floor(column - along), (int32_t)floor(column + along), &first, &behind);
        if (s->stride == LANES)
            add_run(s, 1, first, behind, x, inverse2, sum);
        else
            add_run(s, s->stride / LANES, first, behind, x, inverse2, sum);
    }
    for (int line = 0; line < LINES; line++)
        f8_store(out + line * LANES, sum[line]);
    float inverse = out[s->width] > 0 ? 1 / out[s->width] : 0;
    for (size_t k = 0; k < s->width; k++)
        out[k] *= inverse;
}

void surface_store_values(SurfaceMesh* mesh, size_t vertex, const float* mean)
{
    for (size_t k = 0; k < mesh->value_count; k++) {
        size_t n = (size_t)mesh->components[k];
        for (size_t c = 0; c < n; c++)
            mesh->value[k][vertex * n + c] = *mean++;
    }
}
