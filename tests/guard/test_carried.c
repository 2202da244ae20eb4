// SPDX-License-Identifier: MIT
// Solids that a grid carries with the fluid: whoever ends a step deep in one is put out, brute force says who, momentum is kept.
#include "coupling/coupling_support.h"

#include "base/random.h"
#include "guard/guard_parts.h"
#include "world/flip_parts.h"

#define CARRIED                                                                                                                    \
    "{\"particle_radius\": 0.02, \"gravity\": [0, 0, 0], \"solver\": {\"method\": \"flip\"}, \"fluids\": [{\"density\": 1000, "    \
    "\"blocks\": [{\"min\": [1, 1, 1], \"max\": [1.32, 1.32, 1.32]}]}], \"solids\": [{\"name\": \"it\", \"type\": \"elastic\", "   \
    "\"model\": \"reduced\", \"shape\": {\"box\": [0.4, 0.3, 0.3]}, \"handles\": 12, \"resolution\": 0.06, \"density\": 900, "     \
    "\"young\": 1e5}]}"

static double random_between(Random* random, double half)
{
    return half * (2 * random_unit(random) - 1);
}

// [m] that a point is deep in the solid, by all its triangles; 0 outside.
static double depth_of(const mn_World* world, Vec4 at)
{
    Vec3d x = {(double)at.x, (double)at.y, (double)at.z};
    SolidSurface s = world->solids.solid[0].kind->surface(&world->solids.solid[0]);
    TriMesh mesh = {.vertex_count = s.vertex_count,
                    .triangle_count = s.triangle_count,
                    .vertex = (Vec3d*)s.position,
                    .triangle = (uint32_t(*)[3])s.triangle};
    InsideTest* test = inside_create(&mesh, NULL);
    double depth = inside_contains(test, x) ? inside_distance(test, x, 1, NULL, NULL) : 0;
    inside_destroy(test);
    return depth;
}

// Vertices move by hand: the solid is sheared and pressed together as much as in a hard impact.
static void deform(mn_World* world, double share)
{
    SolidSurface s = world->solids.solid[0].kind->surface(&world->solids.solid[0]);
    for (size_t v = 0; v < s.vertex_count; v++) {
        Vec3d* x = (Vec3d*)&s.position[v];
        *x = vec3d(x->x + share * x->y * x->y, x->y * (1 - share), x->z + share * x->x);
    }
}

// With the points that the surface hangs on as they are now.
static Vec3d momentum_of(const mn_World* world)
{
    SolidTotals solids = {0};
    world_add_totals_of_systems(world, &solids);
    Vec3d sum = solids.momentum;
    const MovingParticles* p = &world->particles;
    for (size_t i = 0; i < moving_count(p); i++) {
        Vec4 u = (*p->velocity)[i];
        sum = vec3d_mad(sum, world->guard.def.mass[(int)u.w], vec3d((double)u.x, (double)u.y, (double)u.z));
    }
    return sum;
}

static void test_deep_particles_leave(void** state)
{
    mn_World* world = build(CARRIED);
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    assert_int_equal(world->guard.solid[0].sort, GUARD_CARRIED);
    MovingParticles* p = &world->particles;
    size_t count = moving_count(p), deep = 0, all = 0;
    double radius = world->guard.def.radius;
    double* before = calloc(count, sizeof *before);
    Random random = {.state = 5};
    for (int step = 0; step < 4; step++) {
        size_t put_back;
        assert_true(guard_begin_step(&world->guard));
        deform(world, 0.1);
        Vec4* from = particle_set_borrow(p->set, "positions before the step");
        for (size_t i = 0; i < count; i++) {
            from[i] = (*p->position)[i];
            float x = (float)random_between(&random, 0.3), y = (float)random_between(&random, 0.3);
            (*p->position)[i] = (Vec4){x, y, (float)random_between(&random, 0.3), from[i].w};
            (*p->velocity)[i].x = -4 * x; // all towards the middle
            (*p->velocity)[i].y = -4 * y;
            before[i] = depth_of(world, (*p->position)[i]);
            deep += before[i] >= radius;
        }
        Vec3d had = momentum_of(world);
        assert_true(guard_end_step(&world->guard, 0, (uint64_t)step, &put_back));
        particle_set_return(p->set, from);
        assert_below(vec3d_distance(momentum_of(world), had), 1e-9 * (1 + vec3d_length(had)));
        all += put_back;
        for (size_t i = 0; i < count; i++) {
            double after = depth_of(world, (*p->position)[i]);
            assert_true(before[i] >= radius ? after == 0 : after == before[i]);
        }
        assert_int_equal(guard_count_leaks(&world->guard), 0);
    }
    print_message("%zu deep in it, %zu put out\n", deep, all);
    assert_true(deep > 100);
    assert_int_equal(all, deep);
    assert_int_equal(world->guard.record[0].count.caught, deep);
    assert_true(vec3d_length(world->guard.record[0].impulse) > 0);
    free(before);
    mn_world_destroy(world);
}

// A jet tears at a thin mat whose ends are held: elements are crushed until the grid's own view of the surface is wrong.
#define MAT                                                                                                                        \
    "{\"particle_radius\": 0.01, \"solver\": {\"method\": \"flip\", \"time_step\": 0.016666666666666666}, \"fluids\": "            \
    "[{\"density\": 1000, \"emitters\": [{\"type\": \"disc\", \"position\": [0, 0.9, 0], \"direction\": [0, -1, 0], "              \
    "\"radius\": 0.1, \"speed\": 3}]}], \"solids\": [{\"name\": \"mat\", \"type\": \"elastic\", \"shape\": "                       \
    "{\"box\": [1, 0.06, 0.6]}, \"position\": [0, 0.45, 0], \"model\": \"reduced\", \"handles\": 60, \"resolution\": "             \
    "0.03, \"density\": 1000, \"young\": 1e5, \"poisson\": 0.4, \"pins\": [{\"min\": [-0.6, 0, -1], \"max\": [-0.47, "             \
    "1, 1]}, {\"min\": [0.47, 0, -1], \"max\": [0.6, 1, 1]}]}]}"

static void test_fluid_leaves_a_crushed_solid(void** state)
{
    mn_World* world = build(MAT);
    mn_Error error = {0};
    assert_int_equal(mn_world_prepare(world, &error), MN_OK);
    for (int step = 0; step < 60; step++) {
        assert_int_equal(mn_world_step(world, 1, &error), MN_OK);
        mn_Stats stats = mn_world_stats(world);
        assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
    }
    print_message("%llu times a particle was put out\n", (unsigned long long)mn_world_stats(world).expelled_particles);
    assert_true(mn_world_stats(world).expelled_particles > 0);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deep_particles_leave),
        cmocka_unit_test(test_fluid_leaves_a_crushed_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
