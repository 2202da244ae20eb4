// SPDX-License-Identifier: MIT
// Views that take a const world do not write: several threads look at the same time and all see what one alone sees.
#include "worlds.h"

#include "saved_state.h"
#include <pthread.h>

enum { LOOKERS = 4, LOOKS = 20 };

// What can be seen of a world, as a few numbers that depend on all of it.
typedef struct Seen {
    double pressure, kinds, speed, probe[4], energy, angular, boundary, solid, joint;
    uint64_t hash, leaked;
} Seen;

static Seen look(const mn_World* world)
{
    Seen seen = {0};
    mn_ParticleView p = mn_world_particles(world);
    for (size_t i = 0; i < p.count; i++) {
        seen.pressure += (double)p.pressure[i] * (double)(i + 1);
        seen.kinds += p.fluid[i] * (double)(i + 1);
        seen.speed += (double)p.velocity[4 * i + 1];
    }
    for (mn_ProbeId id = 1; id <= 4; id++)
        seen.probe[id - 1] = mn_world_probe(world, id, NULL);
    mn_Stats stats = mn_world_stats(world);
    seen.energy = stats.kinetic_energy + stats.potential_energy;
    seen.angular = stats.angular_momentum.z;
    seen.leaked = stats.leaked_particles;
    mn_BoundaryView b = mn_world_boundary(world);
    for (size_t i = 0; i < b.count; i++)
        seen.boundary += (double)b.position[4 * i + 3] * (double)b.solid[i];
    for (mn_SolidId id = 1; id <= mn_world_solid_count(world); id++)
        seen.solid += mn_world_solid(world, id).mass + mn_world_solid(world, id).force.y;
    for (mn_JointId id = 1; id <= mn_world_joint_count(world); id++)
        seen.joint += mn_world_joint(world, id).gap + mn_world_joint(world, id).force.y;
    seen.hash = mn_world_hash(world);
    return seen;
}

// Two fluids, a container, a rigid body on a joint, an elastic block and a probe of each kind that has a value here.
static mn_World* world_with_all(void)
{
    mn_WorldDef def = water_def(3, 0.02, MN_PRESSURE_DFSPH);
    def.threads = 3;
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.6, 0.8, 0.4));
    mn_SolidDef body = box_def(v3(0.2, 0.5, 0.1), v3(0.3, 0.6, 0.2), false);
    body.type = MN_SOLID_RIGID;
    body.name = "body";
    add_solid(world, &body);
    mn_SolidDef soft = box_def(v3(0.4, 0.5, 0.1), v3(0.5, 0.6, 0.2), false);
    soft.type = MN_SOLID_ELASTIC;
    soft.name = "soft";
    add_solid(world, &soft);
    mn_JointDef joint = mn_default_joint_def();
    joint.solid = "body";
    joint.position = v3(0.2, 0.6, 0.15);
    mn_Error error = {0};
    expect_ok(mn_world_add_joint(world, &joint, &error) != 0, &error);
    add_block(world, 1000, v3(0, 0, 0), v3(0.6, 0.2, 0.4), v3(0, 0, 0));
    add_block(world, 700, v3(0, 0.2, 0), v3(0.3, 0.4, 0.4), v3(0, 0, 0));
    add_probe(world, MN_PROBE_PRESSURE, v3(0.3, 0.1, 0.2));
    add_probe(world, MN_PROBE_HEIGHT, v3(0.3, 0.1, 0.2));
    add_probe(world, MN_PROBE_VELOCITY, v3(0.3, 0.1, 0.2));
    mn_ProbeDef force = mn_default_probe_def();
    force.type = MN_PROBE_FORCE;
    force.solid = "body";
    expect_ok(mn_world_add_probe(world, &force, &error) != 0, &error);
    return world;
}

typedef struct Looker {
    const mn_World* world;
    const Seen* expected;
    pthread_t thread;
    int wrong;
} Looker;

static void* look_often(void* argument)
{
    Looker* looker = argument;
    for (int k = 0; k < LOOKS; k++) {
        Seen seen = look(looker->world);
        looker->wrong += memcmp(&seen, looker->expected, sizeof seen) != 0;
    }
    return NULL;
}

static void threads_look_at_the_same_time(void** state)
{
    mn_World *world = world_with_all(), *twin = world_with_all();
    world_until(world, 0.06);
    world_until(twin, 0.06);
    Seen expected = look(twin); // nobody has looked at the other one yet
    assert_true(expected.pressure > 0 && expected.kinds > 0 && expected.probe[0] > 0 && expected.probe[1] > 0);
    Looker looker[LOOKERS];
    for (int k = 0; k < LOOKERS; k++) {
        looker[k] = (Looker){.world = world, .expected = &expected};
        assert_int_equal(pthread_create(&looker[k].thread, NULL, look_often, &looker[k]), 0);
    }
    for (int k = 0; k < LOOKERS; k++) {
        pthread_join(looker[k].thread, NULL);
        assert_int_equal(looker[k].wrong, 0);
    }
    world_until(world, 0.1);
    world_until(twin, 0.1);
    assert_same_state(world, twin);
    mn_world_destroy(world);
    mn_world_destroy(twin);
}

static bool stop(void* user)
{
    return false;
}

// Whatever call the particles come from, what they show belongs to where they are.
static void views_are_ready_after_every_call(void** state)
{
    mn_World *world = world_with_all(), *again = world_with_all();
    mn_Error error = {0};
    assert_int_equal(mn_world_particles(world).count, 0); // not there yet
    world_prepare(world);
    Seen seen = look(world);
    assert_true(seen.kinds > 0);
    world_steps(world, 3);
    assert_true(look(world).pressure > 0);
    assert_int_equal(mn_world_advance(world, 1, stop, NULL, &error), MN_INTERRUPTED);
    seen = look(world);
    Saved saved = {.count = 0};
    assert_true(world_save_state(world, keep, &saved));
    expect_ok(world_load_state(again, give, &saved, &error) == MN_OK, &error);
    Seen loaded = look(again);
    assert_memory_equal(&seen.kinds, &loaded.kinds, sizeof seen.kinds);
    assert_near(loaded.energy, seen.energy, 0);
    assert_int_equal(loaded.hash, seen.hash);
    forget(&saved);
    mn_world_destroy(world);
    mn_world_destroy(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_look_at_the_same_time),
        cmocka_unit_test(views_are_ready_after_every_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
