// SPDX-License-Identifier: MIT
// The passes of a step on a jittered block of particles with about 30 neighbours each, no boundaries: what bounds any SPH
// step. Best of several repetitions, because other programs only ever make it slower.
#include "bench.h"

#include "base/random.h"
#include "fluid/operators.h"
#include "fluid/viscosity/viscosity.h"

typedef struct Passes {
    double sort, lists, viscosity, source, iteration; // [s] best
} Passes;

static bool fill_block(Sph* sph, size_t side)
{
    Random random = {1};
    double d = 2 * sph->radius;
    if (!fluid_reserve(&sph->fluid, side * side * side))
        return false;
    for (size_t i = 0; i < side * side * side; i++) {
        double x[3] = {(double)(i % side), (double)(i / side % side), (double)(i / side / side)};
        Vec3d p = {d * (x[0] + random_range(&random, -0.2, 0.2)), d * (x[1] + random_range(&random, -0.2, 0.2)),
                   d * (x[2] + random_range(&random, -0.2, 0.2))};
        Vec3d v = {random_range(&random, -1, 1), random_range(&random, -1, 1), random_range(&random, -1, 1)};
        if (!fluid_append(&sph->fluid, p, v, 0, (uint32_t)i))
            return false;
    }
    return true;
}

static void keep_best(double* best, double since)
{
    double seconds = bench_clock() - since;
    *best = seconds < *best ? seconds : *best;
}

static bool run_passes(Sph* sph, Passes* best)
{
    Fluid* fluid = &sph->fluid;
    double t = bench_clock();
    particle_set_clear_padding(&fluid->set);
    if (!grid_build_order(&sph->grid, sph->pool, fluid->position, fluid->set.count, fluid->set.scratch,
                          particle_set_order_room(&fluid->set)))
        return false;
    particle_set_permute(&fluid->set, sph->pool, sph->grid.order);
    particle_set_clear_padding(&fluid->set);
    keep_best(&best->sort, t);
    t = bench_clock();
    KernelSums sums = {sph->volume, fluid->density, fluid->diagonal, NULL, false};
    if (!neighbours_build(&sph->neighbours, sph->pool, &sph->kernel, &sph->grid, fluid->position, fluid->set.count, NULL, &sums))
        return false;
    keep_best(&best->lists, t);
    t = bench_clock();
    viscosity_acceleration(sph, 1e-3f);
    keep_best(&best->viscosity, t);
    t = bench_clock();
    vector_divergence(sph, fluid->velocity, true);
    keep_best(&best->source, t);
    t = bench_clock();
    pressure_product(sph, &(ProductHooks){0});
    keep_best(&best->iteration, t);
    return true;
}

static void bench_size(FILE* out, Pool* pool, size_t side)
{
    Memory memory = {0};
    double r = 0.005;
    Sph sph = {.memory = &memory,
               .pool = pool,
               .radius = r,
               .volume = (float)(8 * r * r * r),
               .kernel = kernel_create(MN_KERNEL_CUBIC, 3, 4 * r)};
    sph.fluid.set.memory = &memory;
    sph.solver.speed_of_sound = 30;
    sph.material[0] = (FluidMaterial){.density = 1000, .viscosity_method = MN_VISCOSITY_ARTIFICIAL, .viscosity = 0.01f};
    sph.material_count = 1;
    grid_init(&sph.grid, &memory, 4 * r, 3);
    Passes best = {1e9, 1e9, 1e9, 1e9, 1e9};
    bool ok = neighbours_init(&sph.neighbours, &memory, pool) && fill_block(&sph, side);
    for (int k = 0; k < 5 && ok; k++)
        ok = run_passes(&sph, &best);
    size_t n = sph.fluid.set.count;
    double ns = 1e9 / (double)n;
    double step = best.sort + best.lists + best.viscosity + 2 * best.source + 10 * best.iteration;
    if (ok)
        fprintf(out, "%10zu %8.1f %12.1f %10.1f %12.1f %12.1f %11.0f\n", n, ns * best.sort, ns * best.lists, ns * best.viscosity,
                ns * best.iteration, ns * step, (double)memory.bytes / (double)n);
    else
        fprintf(out, "%10zu out of memory\n", side * side * side);
    neighbours_free(&sph.neighbours);
    grid_free(&sph.grid);
    fluid_free(&sph.fluid);
}

void bench_passes(FILE* out, const BenchChoice* choice)
{
    Pool* pool = pool_create(choice->threads);
    fprintf(out, "passes of a step, %d threads, ns per particle (best of 5)\n", pool_threads(pool));
    fprintf(out, "%10s %8s %12s %10s %12s %12s %11s\n", "particles", "sort", "lists+density", "viscosity", "iteration",
            "10-it. step", "bytes each");
    static const size_t sides[] = {46, 100, 159};
    for (size_t k = 0; k < (choice->quick ? 1 : 3); k++)
        bench_size(out, pool, sides[k]);
    fprintf(
        out,
        "limits measured by prototypes on 2 cores at 1 million: sort 6, lists+density 69, viscosity 15, iteration 21, step 330\n");
    pool_destroy(pool);
    fprintf(out, "\n");
    bench_depth(out, choice);
}
