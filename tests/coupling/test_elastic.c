// SPDX-License-Identifier: MIT
// Elastic solids in fluid: a light cloth catches falling water with every pressure method and lets nothing through; forces are what
// the fluid loses; its particles come and go; a soft ball and the water around it rest; state, threads, and a steady step allocates
// nothing.
#include "coupling_support.h"

#include "coupling/akinci.h"
#include "world/sph_parts.h"
#include "world/state.h"
#include <stdlib.h>

#define CLOTH(extra)                                                                                                               \
    "{\"particle_radius\": 0.015, \"duration\": 2, \"gravity\": [0, -9.81, 0],"                                                    \
    "\"fluids\": [{\"density\": 1000, \"blocks\": [{\"min\": [-0.12, 0.03, -0.12], \"max\": [0.12, 0.15, 0.12]}]}],"               \
    "\"solids\": [{\"name\": \"cloth\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.54, 0.54], \"cells\": [18, 18]},"          \
    "\"density\": 300, \"thickness\": 0.001, \"young\": 1e6, \"drag\": 0.5, \"pins\": [\"border\"]}]" extra "}"

static ElasticSet* elastic_set(const mn_World* world)
{
    return ((ElasticSystem*)world_system(world, &elastic_system))->set;
}

static void test_cloth_catches_water_with_every_method(void** state)
{
    static const char* const method[] = {"solver.method=iisph", "solver.method=dfsph", "solver.method=pcisph",
                                         "solver.method=sesph"};
    for (int k = 0; k < 4; k++) {
        mn_World* world = build_with(CLOTH(""), &method[k], 1);
        mn_Stats stats = {0};
        uint64_t first = mn_world_stats(world).boundary_particles, most = 0;
        for (int frame = 1; frame <= (k < 3 ? 10 : 5); frame++) {
            advance(world, 0.04 * frame);
            stats = mn_world_stats(world);
            most = stats.boundary_particles > most ? stats.boundary_particles : most;
        }
        print_message("%s: %llu steps, %llu to %llu boundary particles, leaked %llu\n", method[k], (unsigned long long)stats.steps,
                      (unsigned long long)first, (unsigned long long)most, (unsigned long long)stats.leaked_particles);
        assert_int_equal(stats.leaked_particles, 0);
        assert_int_equal(stats.lost_particles, 0);
        assert_true(k == 3 || most > first);
        // nothing is below the cloth
        mn_SolidView cloth = mn_world_solid(world, 1);
        double lowest = INFINITY;
        for (size_t v = 0; v < cloth.vertex_count; v++)
            lowest = fmin(lowest, cloth.vertex[v].y);
        for (size_t i = 0; i < world_sph(world)->fluid.set.count; i++)
            assert_true((double)world_sph(world)->fluid.position[i].y > lowest - 0.015);
        mn_world_destroy(world);
    }
}

// What the vertices get is what the fluid loses: gravity off, a moving block meets a free cloth.
static void test_momentum_passes_to_the_cloth(void** state)
{
    static const char TEXT[] =
        "{\"particle_radius\": 0.015, \"duration\": 2, \"gravity\": [0, 0, 0],"
        "\"fluids\": [{\"density\": 1000, \"blocks\": [{\"min\": [-0.12, 0.03, -0.12], \"max\": [0.12, 0.12, 0.12], \"velocity\": "
        "[0.1, -1, 0]}]}],"
        "\"solids\": [{\"name\": \"cloth\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.54, 0.54], \"cells\": [18, 18]},"
        "\"density\": 1000, \"thickness\": 0.02, \"young\": 1e5, \"drag\": 0, \"adhesion\": 2, \"pins\": []}]}";
    mn_World* world = build_with(TEXT, NULL, 0);
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    double worst = 0, passed = 0;
    for (int step = 0; step < 25; step++) {
        Vec3d before = {0, 0, 0}, after = {0, 0, 0};
        const Fluid* fluid = &world_sph(world)->fluid;
        double mass = 1000 * (double)world_sph(world)->mass_volume;
        for (size_t i = 0; i < fluid->set.count; i++)
            before = vec3d_mad(before, mass,
                               vec3d((double)fluid->velocity[i].x, (double)fluid->velocity[i].y, (double)fluid->velocity[i].z));
        assert_int_equal(mn_world_step(world, INFINITY, NULL), MN_OK);
        for (size_t i = 0; i < fluid->set.count; i++)
            after = vec3d_mad(after, mass,
                              vec3d((double)fluid->velocity[i].x, (double)fluid->velocity[i].y, (double)fluid->velocity[i].z));
        Vec3d arrived = {0, 0, 0};
        const VertexSolids* skins = &((const Akinci*)world->coupling.data)->skins;
        for (size_t v = 0; v < skins->response.node_count; v++)
            arrived = vec3d_mad(arrived, world->state.last_dt, skins->fluid[v]);
        worst = fmax(worst, vec3d_length(vec3d_add(vec3d_sub(after, before), arrived)));
        passed = fmax(passed, vec3d_length(arrived));
    }
    assert_true(passed > 0.05);
    assert_below(worst, 1e-5 * 5.2); // of the fluid's momentum
    mn_world_destroy(world);
}

#define BUSY CLOTH(", \"events\": [{\"time\": 0.3, \"release\": \"cloth\"}]")

static void check_restart(const char* set)
{
    mn_World *straight = build_with(BUSY, &set, 1), *first = build_with(BUSY, &set, 1), *second = build_with(BUSY, &set, 1);
    Saved saved = {.count = 0};
    advance(straight, 0.2);
    advance(straight, 0.34);
    advance(first, 0.2);
    assert_true(world_save_state(first, keep, &saved));
    assert_int_equal(world_load_state(second, give, &saved, NULL), MN_OK);
    assert_same_state(first, second);
    advance(second, 0.34);
    assert_same_state(straight, second);
    forget(&saved);
    mn_world_destroy(straight);
    mn_world_destroy(first);
    mn_world_destroy(second);
}

static void test_exact_restart(void** state)
{
    check_restart("coupling.resample_by_density=false");
    check_restart("coupling.resample_by_density=true");
}

static void test_threads(void** state)
{
    mn_World* all = build_with(BUSY, NULL, 0); // all cores
    advance(all, 0.24);
    expect_with_threads(all, BUSY, 0.24, 1);
    expect_with_threads(all, BUSY, 0.24, 3);
    mn_world_destroy(all);
}

// Where the step is about to put the particle in the middle of the lowest layer; the others stay where they are.
static uint32_t throw_one(mn_World* world, float way)
{
    Fluid* fluid = &world_sph(world)->fluid;
    uint32_t found = 0;
    for (size_t k = 0; k < fluid->set.count; k++) {
        fluid->set.scratch[k] = fluid->position[k];
        if (fabsf(fluid->position[k].y - 0.045f) < 0.01f && fabsf(fluid->position[k].x) < 0.02f)
            found = (uint32_t)k;
    }
    fluid->position[found].y += way;
    fluid->velocity[found].y = way / (float)world->state.last_dt;
    return found;
}

static Vec3d momentum_of(const mn_World* world, uint32_t i)
{
    ElasticTotals cloth = elastic_totals(elastic_set(world));
    double mass = 1000 * (double)world_sph(world)->mass_volume;
    Vec4 v = world_sph(world)->fluid.velocity[i];
    return vec3d_mad(cloth.momentum, mass, vec3d((double)v.x, (double)v.y, (double)v.z));
}

// A particle thrown at the cloth so fast that a step takes it through is put back to its side and shares its momentum.
static void test_nothing_passes(void** state)
{
    static const char* const still[] = {"gravity=[0,0,0]", "solids.0.pins=[]"};
    mn_World* world = build_with(CLOTH(""), still, 2);
    assert_int_equal(mn_world_step(world, 1e-3, NULL), MN_OK);
    assert_true(guard_begin_step(&world->guard));
    uint32_t i = throw_one(world, -0.1f);
    Vec3d before = momentum_of(world, i);
    size_t stopped = 0;
    assert_true(guard_end_step(&world->guard, world->state.time, world->state.steps, &stopped));
    assert_int_equal(stopped, 1);
    assert_int_equal(guard_count_leaks(&world->guard), 0);
    assert_true(world_sph(world)->fluid.position[i].y > 0);
    assert_true(world_sph(world)->fluid.position[i].y < 0.02f);
    assert_below(vec3d_distance(momentum_of(world, i), before), 1e-6 * vec3d_length(before));
    // it goes on with the cloth: no faster towards it than the place it met
    double fall = 0;
    ElasticSurface cloth = elastic_surface(elastic_set(world), 0);
    for (size_t v = 0; v < cloth.vertex_count; v++)
        fall = fmin(fall, cloth.velocity[v].y);
    assert_true(fall < 0 && (double)world_sph(world)->fluid.velocity[i].y >= 1.001 * fall);
    mn_world_destroy(world);
}

// One that goes round the border is free to do so.
static void test_round_the_border(void** state)
{
    static const char* const aside[] = {"gravity=[0,0,0]", "fluids.0.blocks.0.min=[0.28,0.03,-0.12]",
                                        "fluids.0.blocks.0.max=[0.4,0.15,0.12]"};
    mn_World* world = build_with(CLOTH(""), aside, 3);
    assert_int_equal(mn_world_step(world, 1e-3, NULL), MN_OK);
    assert_true(guard_begin_step(&world->guard));
    Fluid* fluid = &world_sph(world)->fluid;
    for (size_t k = 0; k < fluid->set.count; k++) {
        fluid->set.scratch[k] = fluid->position[k];
        fluid->position[k].y -= 0.2f;
    }
    size_t stopped = 1;
    assert_true(guard_end_step(&world->guard, world->state.time, world->state.steps, &stopped));
    assert_int_equal(stopped, 0);
    assert_int_equal(guard_count_leaks(&world->guard), 0);
    mn_world_destroy(world);
}

// Between two sheets that are put through each other there is no place on the right side of both: that is a leak, and is said.
static void test_leaks_are_counted(void** state)
{
    static const char TWO[] =
        "{\"particle_radius\": 0.015, \"duration\": 2, \"gravity\": [0, 0, 0],"
        "\"fluids\": [{\"density\": 1000, \"blocks\": [{\"min\": [-0.12, 0.03, -0.12], \"max\": [0.12, 0.15, 0.12]}]}],"
        "\"solids\": [{\"name\": \"low\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.54, 0.54], \"cells\": [18, 18]},"
        "\"density\": 300, \"thickness\": 0.001, \"young\": 1e6, \"pins\": [\"border\"]},"
        "{\"name\": \"high\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.54, 0.54], \"cells\": [18, 18]},"
        "\"position\": [0, 0.18, 0], \"density\": 300, \"thickness\": 0.001, \"young\": 1e6, \"pins\": [\"border\"]}]}";
    mn_World* world = build(TWO);
    assert_int_equal(mn_world_step(world, 1e-3, NULL), MN_OK);
    assert_true(guard_begin_step(&world->guard));
    Fluid* fluid = &world_sph(world)->fluid;
    memcpy(fluid->set.scratch, fluid->position, fluid->set.count * sizeof *fluid->set.scratch);
    ElasticSurface high = elastic_surface(elastic_set(world), 1);
    for (size_t v = 0; v < high.vertex_count; v++)
        ((Vec3d*)high.position)[v].y -= 0.28;
    size_t stopped = 0;
    assert_true(guard_end_step(&world->guard, world->state.time, world->state.steps, &stopped));
    assert_int_equal(stopped, fluid->set.count);
    assert_int_equal(guard_count_leaks(&world->guard), fluid->set.count);
    mn_world_destroy(world);
}

// [m/s] root mean square of what the vertices' velocities change by in a step
static double restlessness(mn_World* world, int steps)
{
    ElasticSurface skin = elastic_surface(elastic_set(world), 0);
    Vec3d* before = malloc(skin.vertex_count * sizeof *before);
    double sum = 0;
    for (int k = 0; k < steps; k++) {
        memcpy(before, skin.velocity, skin.vertex_count * sizeof *before);
        assert_int_equal(mn_world_step(world, INFINITY, NULL), MN_OK);
        for (size_t v = 0; v < skin.vertex_count; v++) {
            Vec3d change = vec3d_sub(skin.velocity[v], before[v]);
            sum += vec3d_dot(change, change);
        }
    }
    free(before);
    return sqrt(sum / (double)(skin.vertex_count * (size_t)steps));
}

// Particles of a volume lie behind its surface, an edge's length of the mesh or more. The pressure solve must know how they move
// with it: otherwise the fluid and the skin of a soft ball shake each other, by 0.15 m/s in each step and for good.
static void test_soft_ball_is_calm(void** state)
{
    static const char BALL[] =
        "{\"particle_radius\": 0.02, \"duration\": 2,"
        "\"fluids\": [{\"density\": 1000, \"blocks\": [{\"min\": [-0.2, 0, -0.2], \"max\": [0.2, 0.36, 0.2]}]}],"
        "\"solids\": [{\"name\": \"tank\", \"type\": \"static\", \"inside\": true, \"shape\": {\"box\": [0.4, 0.8, 0.4]},"
        "\"position\": [0, 0.4, 0]}, {\"name\": \"ball\", \"type\": \"elastic\", \"model\": \"fem\","
        "\"shape\": {\"sphere\": 0.1}, \"position\": [0, 0.2, 0], \"density\": 1000, \"young\": 1e5, \"poisson\": 0.3,"
        "\"resolution\": 0.05}]}";
    static const char* const step[] = {"solver.max_time_step=0.002"};
    for (int k = 0; k < 2; k++) {
        mn_World* world = build_with(BALL, step, k);
        advance(world, 0.5);
        double shaken = restlessness(world, 10);
        print_message("%s: velocities change by %.4f m/s in a step\n", k ? step[0] : "longest steps", shaken);
        assert_below(shaken, 0.015);
        mn_world_destroy(world);
    }
}

static void test_steady_steps_allocate_nothing(void** state)
{
    static const char* const rest[] = {"fluids.0.blocks.0.min=[-0.12,0.015,-0.12]"};
    mn_World* world = build_with(CLOTH(""), rest, 1);
    advance(world, 1.6); // until it has swung to its largest
    uint64_t before = atomic_load(&world->memory.allocations);
    for (int k = 0; k < 10; k++)
        assert_int_equal(mn_world_step(world, INFINITY, NULL), MN_OK);
    assert_int_equal(atomic_load(&world->memory.allocations), before);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cloth_catches_water_with_every_method),
        cmocka_unit_test(test_momentum_passes_to_the_cloth),
        cmocka_unit_test(test_exact_restart),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_nothing_passes),
        cmocka_unit_test(test_round_the_border),
        cmocka_unit_test(test_leaks_are_counted),
        cmocka_unit_test(test_soft_ball_is_calm),
        cmocka_unit_test(test_steady_steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
