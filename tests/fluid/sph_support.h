// SPDX-License-Identifier: MIT
// A small disordered set of fluid particles over a floor, with lists, as the passes of a step see it.
#ifndef TESTS_SPH_SUPPORT_H
#define TESTS_SPH_SUPPORT_H

#include "support.h"

#include "base/random.h"
#include "boundary/boundary.h"
#include "fluid/operators.h"
#include <string.h>

typedef struct Set {
    Memory memory;
    Sph sph;
    Boundary boundary;
    Solid solid[2];
    size_t solid_count;
} Set;

static const double SET_SPACING = 0.02;

static inline Solid* set_wall(Set* set, mn_Vec3 centre, mn_Vec3 size)
{
    mn_Error error = {0};
    mn_SolidDef def = {
        .type = MN_SOLID_KINEMATIC, .scale = {1, 1, 1}, .pose = {centre, {1, 0, 0, 0}}, .friction = 0.3, .wall_viscosity = 0.5};
    def.shape = (mn_Shape){.type = MN_SHAPE_BOX, .size = size};
    Solid* solid = &set->solid[set->solid_count++];
    if (solid_create(solid, &def, set->sph.kernel.dimension, 1e-4, NULL, &set->memory, &error) != MN_OK)
        fail_msg("%s", error.message);
    return solid;
}

static inline void set_search(Set* set)
{
    Sph* sph = &set->sph;
    Fluid* fluid = &sph->fluid;
    bool walls = set->solid_count > 0;
    particle_set_clear_padding(&fluid->set);
    assert_true(grid_build(&sph->grid, sph->pool, fluid->position, fluid->set.count, fluid->set.scratch));
    particle_set_permute(&fluid->set, sph->pool, sph->grid.order);
    particle_set_clear_padding(&fluid->set);
    if (walls) {
        sph->walls.points = boundary_points(&set->boundary);
        sph->walls.solid = set->boundary.solid;
        sph->walls.viscosity = set->boundary.wall_viscosity;
        sph->walls.most_friction = set->boundary.most_friction;
    }
    KernelSums sums = {sph->volume, fluid->density, fluid->diagonal, NULL, false};
    assert_true(sph_reserve_partial(sph));
    assert_true(neighbours_build(&sph->neighbours, sph->pool, &sph->kernel, &sph->grid, fluid->position, fluid->set.count,
                                 walls ? &sph->walls.points : NULL, &sums));
}

// `fluids` 1 or 2 of densities 1000 and 300, mixed at random; pressures and velocities random.
static inline void set_create(Set* set, int dimension, mn_Kernel kernel, int fluids, bool walls, uint64_t seed)
{
    memset(set, 0, sizeof *set);
    Random random = {seed};
    double d = SET_SPACING;
    Sph* sph = &set->sph;
    *sph = (Sph){.memory = &set->memory,
                 .pool = pool_create(1),
                 .kernel = kernel_create(kernel, dimension, 2 * d),
                 .radius = d / 2,
                 .volume = (float)(dimension == 3 ? d * d * d : d * d),
                 .fluid = {.set.memory = &set->memory},
                 .material_count = fluids};
    sph->mass_volume = sph->volume;
    sph->walls.drag = 1.5f;
    sph->solver.speed_of_sound = 20;
    sph->material[0] = (FluidMaterial){.density = 1000, .viscosity_method = MN_VISCOSITY_ARTIFICIAL, .viscosity = 0.1f};
    sph->material[1] = (FluidMaterial){.density = 300, .viscosity_method = MN_VISCOSITY_LAPLACE, .viscosity = 2};
    assert_non_null(sph->pool);
    grid_init(&sph->grid, &set->memory, 2 * d, dimension);
    boundary_init(&set->boundary, &set->memory, &sph->kernel, (double)sph->volume, d);
    assert_true(neighbours_init(&sph->neighbours, &set->memory, sph->pool));
    int n = dimension == 3 ? 7 : 14, nz = dimension == 3 ? 7 : 1;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                double c[3] = {i + 0.5, j + 0.5, dimension == 3 ? k + 0.5 : 0}, v[3] = {0, 0, 0};
                for (int a = 0; a < dimension; a++) {
                    c[a] = d * (c[a] + random_range(&random, -0.3, 0.3));
                    v[a] = random_range(&random, -1, 1);
                }
                int kind = fluids > 1 && random_unit(&random) < 0.4;
                assert_true(fluid_append(&sph->fluid, vec3d(c[0], c[1], c[2]), vec3d(v[0], v[1], v[2]), kind, 0));
                sph->fluid.position[sph->fluid.set.count - 1].w = (float)random_range(&random, 0, 2000);
            }
    if (walls) {
        double z = dimension == 3 ? 0.3 : 0;
        size_t counts[2];
        set_wall(set, vec3d(0.1, -0.1, 0), vec3d(0.6, 0.2, 2 * z))->velocity = vec3d(0.5, 0.2, 0);
        set_wall(set, vec3d(-0.1, 0.2, 0), vec3d(0.2, 0.4, 2 * z))->velocity = vec3d(0, -0.3, 0);
        mn_Error error = {0};
        if (boundary_build(&set->boundary, sph->pool, &sph->kernel, d, set->solid, set->solid_count, counts, &error) != MN_OK)
            fail_msg("%s", error.message);
    }
    set_search(set);
}

static inline void set_free(Set* set)
{
    for (size_t k = 0; k < set->solid_count; k++)
        solid_free(&set->solid[k]);
    memory_give(&set->memory, set->sph.scratch.partial);
    memory_give(&set->memory, set->sph.scratch.wrench);
    neighbours_free(&set->sph.neighbours);
    grid_free(&set->sph.grid);
    fluid_free(&set->sph.fluid);
    boundary_free(&set->boundary);
    pool_destroy(set->sph.pool);
    assert_int_equal(set->memory.bytes, 0);
}

static inline Vec3d xyz(Vec4 v)
{
    return vec3d((double)v.x, (double)v.y, (double)v.z);
}

// grad W of a pair in double
static inline Vec3d pair_gradient(const Sph* sph, Vec4 a, Vec4 b)
{
    Vec3d x = vec3d_sub(xyz(a), xyz(b));
    double r = vec3d_length(x);
    return r > 0 ? vec3d_scale(x, kernel_slope(&sph->kernel, r) / r) : vec3d(0, 0, 0);
}

static inline double rest_density(const Sph* sph, size_t i)
{
    return (double)sph->material[(int)sph->fluid.velocity[i].w].density;
}

#endif
