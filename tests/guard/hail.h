// SPDX-License-Identifier: MIT
// A hail of particles on the solids of a world: each goes straight from a random place to another, far in one step.
#ifndef TESTS_GUARD_HAIL_H
#define TESTS_GUARD_HAIL_H

#include "coupling/coupling_support.h"

#include "base/random.h"
#include "guard/guard_parts.h"
#include "world/sph_parts.h"

// `solid` around the origin, and some fluid aside that the hail is made of.
#define HAIL(solid)                                                                                                                \
    "{\"particle_radius\": 0.02, \"gravity\": [0, 0, 0], \"fluids\": [{\"density\": 1000, \"blocks\": [{\"min\": [1, 1, 1], "      \
    "\"max\": [1.32, 1.32, 1.32]}]}], \"solids\": [" solid "]}"

static inline Vec3d random_in(Random* random, double half)
{
    double x = random_unit(random), y = random_unit(random), z = random_unit(random);
    return vec3d(half * (2 * x - 1), half * (2 * y - 1), half * (2 * z - 1));
}

static inline Vec3d point_of(Vec4 x)
{
    return vec3d((double)x.x, (double)x.y, (double)x.z);
}

typedef bool AllowedFn(const mn_World* world, Vec3d x);

// Particles start where they are allowed to, within `half` [m] of the origin. They are sorted, and the guard's step begins.
static inline void hail_begin(mn_World* world, Random* random, double half, AllowedFn* allowed)
{
    Fluid* fluid = &world_sph(world)->fluid;
    for (size_t i = 0; i < fluid->set.count; i++) {
        Vec3d x = random_in(random, half);
        while (!allowed(world, x))
            x = random_in(random, half);
        fluid->position[i] = (Vec4){(float)x.x, (float)x.y, (float)x.z, 0};
    }
    assert_true(world->fluid->search(world));
    assert_true(guard_begin_step(&world->guard));
}

// They fly up to `far` [m] in every direction, in 10 ms.
static inline void hail_fly(mn_World* world, Random* random, double far)
{
    Fluid* fluid = &world_sph(world)->fluid;
    for (size_t i = 0; i < fluid->set.count; i++) {
        Vec4* x = &fluid->position[i];
        Vec3d path = random_in(random, far);
        fluid->set.scratch[i] = *x;
        *x = (Vec4){x->x + (float)path.x, x->y + (float)path.y, x->z + (float)path.z, 0};
        fluid->velocity[i] = (Vec4){(float)path.x / 0.01f, (float)path.y / 0.01f, (float)path.z / 0.01f, fluid->velocity[i].w};
    }
}

static inline size_t hail_end(mn_World* world)
{
    size_t put_back = 0;
    assert_true(guard_end_step(&world->guard, world->state.time, world->state.steps++, &put_back));
    return put_back;
}

static inline Vec3d fluid_momentum(const mn_World* world)
{
    Vec3d sum = {0, 0, 0};
    for (size_t i = 0; i < world_sph(world)->fluid.set.count; i++)
        sum = vec3d_add(sum, point_of(world_sph(world)->fluid.velocity[i]));
    return vec3d_scale(sum, (double)(world_sph(world)->material[0].density * world_sph(world)->mass_volume));
}

// Whether the guard put particle i back in this step.
static inline bool was_put_back(const mn_World* world, uint32_t i)
{
    for (size_t k = 0; k < world->guard.back_count; k++)
        if (world->guard.back[k] == i)
            return true;
    return false;
}

#endif
