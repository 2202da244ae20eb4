// SPDX-License-Identifier: MIT
// Other particles than the fluid's, without lists of neighbours and without mass, are held as well: a cloud of points that fly at a
// body, a shell and a cloth within one step.
#include "hail.h"

#include "particles/moving.h"
#include <string.h>

enum { POINTS = 3000 };

typedef struct Cloud {
    ParticleSet set;
    Vec4 *position, *velocity;
    uint32_t* id;
    MovingParticles moving;
    CellGrid grid;
} Cloud;

static void cloud_create(Cloud* c, mn_World* world)
{
    *c = (Cloud){.moving = {&c->set, &c->position, &c->velocity, &c->id}};
    particle_set_init(&c->set, &world->memory);
    const ParticleArray arrays[] = {
        {"cloud.position", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &c->position, false, 0},
        {"cloud.velocity", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &c->velocity, false, 0},
        {"cloud.id", PARTICLE_STATE, STATE_UINT32, sizeof(uint32_t), &c->id, false, 0},
    };
    for (int k = 0; k < 3; k++)
        assert_true(particle_set_add(&c->set, &arrays[k]));
    grid_init(&c->grid, &world->memory, world->support, 3);
}

static void cloud_destroy(Cloud* c)
{
    grid_free(&c->grid);
    particle_set_free(&c->set);
}

// Points on the upper side of y = 0.05 and outside of the cube below it.
static void cloud_seed(Cloud* c, mn_World* world, Random* random)
{
    for (uint32_t k = 0; k < POINTS; k++) {
        Vec3d x = random_in(random, 0.25);
        x.y = 0.06 + 0.1 * random_unit(random);
        assert_true(moving_append(&c->moving, x, vec3d(0, 0, 0), 0, k));
    }
    assert_true(moving_sort(&c->moving, &c->grid, world->pool));
}

// All go down by up to `far` [m] in a step. Returns how many were put back.
static size_t cloud_fly(Cloud* c, mn_World* world, Random* random, double far)
{
    size_t put_back = 0, of_fluid = 0;
    Fluid* fluid = &world_sph(world)->fluid;
    world->fluid->hide(world);
    assert_true(guard_begin_step(&world->guard));
    memcpy(fluid->set.scratch, fluid->position, fluid->set.count * sizeof *fluid->position);
    Vec4* before = particle_set_borrow(&c->set, "positions before the step");
    memcpy(before, c->position, c->set.count * sizeof *before);
    for (size_t i = 0; i < c->set.count; i++) {
        float path = (float)(far * random_unit(random));
        c->position[i].y -= path;
        c->velocity[i].y = -path / 0.01f;
    }
    assert_true(guard_end_step(&world->guard, world->state.time, world->state.steps, &of_fluid));
    assert_int_equal(of_fluid, 0);
    GuardedParticles others = {.particles = c->moving, .grid = &c->grid};
    assert_true(guard_sweep_others(&world->guard, &others, &put_back));
    particle_set_return(&c->set, before);
    return put_back;
}

static void expect_held(const char* scene, double lowest, double far)
{
    mn_World* world = build(scene);
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    Random random = {7};
    Cloud cloud;
    cloud_create(&cloud, world);
    cloud_seed(&cloud, world, &random);
    uint64_t hash = mn_world_hash(world);
    size_t put_back = cloud_fly(&cloud, world, &random, far), below = 0;
    for (size_t i = 0; i < cloud.set.count; i++)
        below += (double)cloud.position[i].y < lowest;
    assert_int_equal(below, 0);
    assert_true(put_back > 10);
    assert_true(mn_world_hash(world) == hash); // they have no mass and are not counted
    cloud_destroy(&cloud);
    mn_world_destroy(world);
}

static void test_a_shell(void** state)
{
    const char* scene = HAIL("{\"name\": \"shell\", \"shape\": {\"plane\": [2, 2]}, \"position\": [0, 0.05, 0]}");
    expect_held(scene, 0.05, 0.02); // short paths
    expect_held(scene, 0.05, 0.5);
}

static void test_a_body(void** state)
{
    const char* scene = HAIL("{\"name\": \"slab\", \"type\": \"rigid\", \"density\": 500, \"shape\": {\"box\": [2, 0.2, 2]}, "
                             "\"position\": [0, -0.05, 0]}");
    expect_held(scene, 0.05 - 0.0201, 0.5); // no deeper than a radius
}

static void test_a_cloth(void** state)
{
    const char* scene =
        HAIL("{\"name\": \"cloth\", \"type\": \"elastic\", \"thickness\": 0.002, \"shape\": {\"grid\": [1, 1], \"cells\": "
             "[8, 8]}, \"position\": [0, 0.05, 0]}");
    expect_held(scene, 0.05, 0.02);
    expect_held(scene, 0.05, 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_shell),
        cmocka_unit_test(test_a_body),
        cmocka_unit_test(test_a_cloth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
