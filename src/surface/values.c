// SPDX-License-Identifier: MIT
#include "surface/values.h"

#include "base/simd.h"

enum { GRAIN = 1024, WIDEST = 3 * SURFACE_VALUES };

typedef struct ValueJob {
    SurfaceMesh* mesh;
    const Lattice* lattice;
    const SurfaceInput* input;
    float* crowd;
    size_t width;
    float* packed; // (count x width) values in sorted order
} ValueJob;

static void pack_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ValueJob* job = context;
    for (size_t i = begin; i < end; i++) {
        size_t from = vec4_tag(&job->lattice->position[i]);
        float* to = job->packed + i * job->width;
        for (size_t k = 0; k < job->input->value_count; k++) {
            const SurfaceValue* v = &job->input->value[k];
            for (int c = 0; c < v->components; c++)
                *to++ = v->data[from * v->stride + (size_t)c];
        }
    }
}

typedef struct Mean {
    double weight;
    double sum[WIDEST];
} Mean;

static void add_run(const ValueJob* job, uint32_t begin, uint32_t end, Vec3 x, float inverse2, Mean* mean)
{
    const Vec4* p = job->lattice->position;
    F8 px, py, pz, pw, one = f8_set(1), zero = f8_zero();
    for (uint32_t i = begin; i < end; i += LANES) {
        f8_load4(p + i, &px, &py, &pz, &pw);
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
            const float* value = job->packed + (i + k) * job->width;
            mean->weight += (double)w[k];
            for (size_t c = 0; c < job->width; c++)
                mean->sum[c] += (double)(w[k] * value[c]);
        }
    }
}

static void store_mean(const ValueJob* job, size_t vertex, const Mean* mean)
{
    const double* from = mean->sum;
    double inverse = mean->weight > 0 ? 1 / mean->weight : 0;
    for (size_t k = 0; k < job->mesh->value_count; k++) {
        size_t n = (size_t)job->mesh->components[k];
        for (size_t c = 0; c < n; c++)
            job->mesh->value[k][vertex * n + c] = (float)(*from++ * inverse);
    }
    job->crowd[vertex] = (float)mean->weight;
}

static void value_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ValueJob* job = context;
    const CellGrid* grid = &job->lattice->grid;
    double reach = job->lattice->reach * job->lattice->spacing;
    float inverse2 = (float)(1 / (reach * reach));
    SegmentKey last = {GRID_FAR, GRID_FAR, GRID_FAR};
    uint32_t around[27];
    for (size_t v = begin; v < end; v++) {
        Vec3 x = job->mesh->position[v];
        int32_t column = grid_column(grid, (double)x.x);
        SegmentKey key = {column >> 6, grid_row(grid, x.y), grid_row(grid, x.z)};
        if (key.x != last.x || key.y != last.y || key.z != last.z)
            grid_around(grid, key, around);
        last = key;
        Mean mean = {0};
        for (int row = 0; row < 9; row++) {
            uint32_t first, behind;
            grid_run(grid, key, around, row, column - 4, column + 4, &first, &behind);
            add_run(job, first, behind, x, inverse2, &mean);
        }
        store_mean(job, v, &mean);
    }
}

bool surface_values(SurfaceMesh* mesh, const Lattice* lattice, const SurfaceInput* input, Pool* pool, float* crowd)
{
    ValueJob job = {.mesh = mesh, .lattice = lattice, .input = input, .crowd = crowd};
    for (size_t k = 0; k < input->value_count; k++)
        job.width += (size_t)input->value[k].components;
    job.packed = memory_take(mesh->memory, (lattice->count * job.width + 1) * sizeof *job.packed);
    if (!job.packed)
        return false;
    parallel_for(pool, lattice->count, 4 * GRAIN, pack_work, &job);
    parallel_for(pool, mesh->vertex_count, GRAIN, value_work, &job);
    memory_give(mesh->memory, job.packed);
    return true;
}
