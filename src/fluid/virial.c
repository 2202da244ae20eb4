// SPDX-License-Identifier: MIT
// P is a solver's variable: next to a wall it is half as high again as the pressure, because a single layer of boundary
// particles stands for all that is missing behind it, and in disorder it is some per cent off. What pushes is the stress of
// the pair forces (virial),
//   p_i = s_i / (2 d) [ V0 sum_j (P_i + P_j) r |W'_ij| + f sum_b V_b P_i r |W'_ib| ],
// which gives the weight of the water above. At a wall the stress is not the same in all directions: along the wall it is too
// high already; f = 0.15 makes the layer there right within 5 % (a lattice, in 2D and 3D).
#include "fluid/virial.h"

#include "fluid/mirror.h"
#include "fluid/tension/tension.h"

static const float WALL_SHARE = 0.15f;

typedef struct Job {
    Sph* sph;
    float* out;
} Job;

// Both solves of dfsph push over the same step.
static void total_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fluid* fluid = &((Job*)context)->sph->fluid;
    for (size_t i = begin; i < end; i++)
        fluid->iterate[i] = fluid->position[i].w + fluid->divergence_pressure[i];
}

static F8 square_distance(const Period* period, F8 x, F8 y, F8 z, F8 xj, F8 yj, F8 zj)
{
    F8 dx = f8_sub(x, xj), dy = f8_sub(y, yj), dz = f8_sub(z, zj);
    period_nearest(period, &dx, &dy, &dz);
    return f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)));
}

static void virial_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    const float* p = sph->fluid.iterate;
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        F8 x, y, z, w, pi = f8_load(p + LANES * c), own = f8_zero(), wall = f8_zero();
        f8_load4(sph->fluid.position + LANES * c, &x, &y, &z, &w);
        const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
        for (uint32_t s = 0; s < list->slots; s++) {
            const uint32_t* twice = list->twice + LANES * s;
            float pj[LANES];
            for (int k = 0; k < LANES; k++)
                pj[k] = p[twice[k] / 2];
            F8 xj, yj, zj;
            f8_gather4_twice(sph->fluid.position, twice, &xj, &yj, &zj, &w);
            F8 r2 = square_distance(&sph->grid.period, x, y, z, xj, yj, zj);
            own = f8_nmad(f8_mul(f8_load_half(coefficient + LANES * s), r2), f8_add(pi, f8_load(pj)), own);
        }
        if (mirror_any(sph))
            own = f8_sub(own, mirror_virial(sph, list, p, (const F8[3]){x, y, z}, pi));
        if (list->near) {
            const NearBoundary* near = list->near;
            coefficient = list_coefficients(near->index, near->slots);
            for (uint32_t s = 0; s < near->slots; s++) {
                F8 xb, yb, zb;
                f8_gather4(sph->walls.points.position, near->index + LANES * s, &xb, &yb, &zb, &w);
                F8 r2 = square_distance(&sph->grid.period, x, y, z, xb, yb, zb);
                if (mirror_any(sph))
                    w = f8_mul(w, mirror_counts(sph, near->index + LANES * s));
                wall = f8_nmad(f8_mul(f8_load_half(coefficient + LANES * s), r2), f8_mul(w, pi), wall);
            }
        }
        F8 sum =
            f8_mul(f8_mad(own, f8_set(sph->volume), f8_mul(wall, f8_set(WALL_SHARE))), f8_load(sph->fluid.density + LANES * c));
        f8_store(job->out + LANES * c, f8_mul(sum, f8_set(sph->kernel.gradient / (2 * (float)sph->kernel.dimension))));
    }
}

void virial_pressure(Sph* sph, float* out_pressure)
{
    Job job = {sph, out_pressure};
    size_t count = sph->fluid.set.count;
    for (size_t i = count; i < block_count(count, LANES) * LANES; i++)
        sph->fluid.iterate[i] = 0;
    parallel_for(sph->pool, count, PARTICLE_GRAIN, total_block, &job);
    parallel_for(sph->pool, block_count(count, LANES), CHUNK_GRAIN, virial_block, &job);
    tension_virial(sph, out_pressure);
}
