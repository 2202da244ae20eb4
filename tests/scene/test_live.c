// SPDX-License-Identifier: MIT
// Worlds that change while they run: what each call does, that what was done is recorded and replayed to the bit, that snapshots
// bring a world back, and that a wrong call is refused with a reason.
#include "saved_state.h"
#include "world/worlds.h"

#include <meniscus/live.h>
#include <meniscus/scene.h>

static mn_Error error;

#define OK(call) expect_ok((call) == MN_OK, &error)

static void expect_bad(mn_Result result, const char* part)
{
    assert_int_equal(result, MN_BAD_INPUT);
    if (!strstr(error.message, part))
        fail_msg("\"%s\" does not say \"%s\"", error.message, part);
}

static mn_SolidDef ball_def(const char* name, mn_Vec3 at, double density)
{
    mn_SolidDef def = mn_default_solid_def();
    def.name = name;
    def.type = MN_SOLID_RIGID;
    def.shape.type = MN_SHAPE_SPHERE;
    def.shape.size = v3(0.08, 0, 0);
    def.pose.position = at;
    def.density = density;
    return def;
}

// A tank of water with a ball above it, an emitter that is off, a paddle and room above.
static mn_World* pool(mn_Pressure method, int threads)
{
    mn_WorldDef def = water_def(3, 0.02, method);
    def.threads = threads;
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.6, 0.8, 0.4));
    mn_SolidDef ball = ball_def("ball", v3(0.3, 0.5, 0.2), 500);
    add_solid(world, &ball);
    mn_SolidDef paddle = box_def(v3(0, 0.6, 0), v3(0.05, 0.7, 0.2), false);
    paddle.name = "paddle";
    paddle.type = MN_SOLID_KINEMATIC;
    add_solid(world, &paddle);
    mn_Block block = {v3(0, 0, 0), v3(0.6, 0.2, 0.4), v3(0, 0, 0)};
    mn_Emitter emitter = mn_default_emitter();
    emitter.position = v3(0.1, 0.4, 0.2);
    emitter.rotation = (mn_Quat){0, 1, 0, 0}; // down
    emitter.size[0] = emitter.size[1] = 0.1;
    emitter.speed = 1;
    mn_FluidDef water = mn_default_fluid_def();
    water.name = "water";
    water.blocks = &block;
    water.block_count = 1;
    water.emitters = &emitter;
    water.emitter_count = 1;
    add_fluid(world, &water);
    return world;
}

// What a held body weighs is there before it is let go, and moves nothing.
static void letting_go_gives_no_energy(void** state)
{
    mn_WorldDef def = water_def(3, 0.02, MN_PRESSURE_DFSPH);
    def.threads = 1;
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.6, 0.8, 0.4));
    mn_SolidDef ball = ball_def("ball", v3(0.3, 0.5, 0.2), 500);
    ball.held = true;
    add_solid(world, &ball);
    world_until(world, 0.02);
    mn_Stats before = mn_world_stats(world);
    OK(mn_world_release(world, "ball", &error));
    mn_Stats after = mn_world_stats(world);
    double weight = 500 * 4.0 / 3 * M_PI * 0.08 * 0.08 * 0.08 * 9.81;
    assert_near(before.potential_energy, weight * 0.5, 0.02 * weight);
    assert_near(after.potential_energy, before.potential_energy, 1e-12);
    assert_near(before.kinetic_energy, 0, 0);
    world_until(world, 0.1);
    after = mn_world_stats(world);
    assert_true(after.kinetic_energy > 0.1 * weight * 0.5 * 9.81 * 0.08 * 0.08);
    assert_near(after.kinetic_energy + after.potential_energy, before.potential_energy, 0.1 * after.kinetic_energy); // by its steps
    mn_world_destroy(world);
}

static void small_changes(void** state)
{
    mn_World* world = pool(MN_PRESSURE_DFSPH, 1);
    mn_SolidId ball = mn_world_find_solid(world, "ball"), paddle = mn_world_find_solid(world, "paddle");
    mn_FluidId water = mn_world_find_fluid(world, "water");
    assert_int_equal(ball, 2);
    assert_int_equal(mn_world_find_solid(world, "nobody"), 0);
    OK(mn_world_set_emitter(world, water, 0, false, MN_AUTO, &error));
    world_until(world, 0.02);
    assert_int_equal(mn_world_stats(world).emitted, 0);
    OK(mn_world_set_emitter(world, water, 0, true, 2, &error));
    world_until(world, 0.06);
    double emitted = (double)mn_world_stats(world).emitted, expected = 0.1 * 0.1 * 2 * 0.04 / pow(0.04, 3);
    assert_true(emitted > 0.5 * expected && emitted < 1.2 * expected);

    // an impulse changes the velocity by J / m, and a force by F t / m
    double mass = mn_world_solid(world, ball).mass, before = mn_world_solid(world, ball).velocity.x;
    OK(mn_world_push(world, ball, v3(2 * mass, 0, 0), NULL, &error));
    assert_near(mn_world_solid(world, ball).velocity.x - before, 2, 1e-9);
    OK(mn_world_set_velocity(world, ball, v3(0, 0, 0), v3(0, 0, 0), &error));
    OK(mn_world_set_gravity(world, v3(0, 0, 0), &error));
    OK(mn_world_set_force(world, ball, v3(3 * mass, 0, 0), v3(0, 0, 0), &error));
    double start = mn_world_time(world);
    world_until(world, start + 0.02);
    assert_near(mn_world_solid(world, ball).velocity.x, 3 * (mn_world_time(world) - start), 1e-3);
    OK(mn_world_set_force(world, ball, v3(0, 0, 0), v3(0, 0, 0), &error));

    // a kinematic solid goes where it is told, in the time it is told, and rests
    mn_Pose to = mn_world_solid(world, paddle).pose;
    to.position.x += 0.2;
    OK(mn_world_move(world, paddle, &to, 0.05, &error));
    world_until(world, mn_world_time(world) + 0.025);
    assert_near(mn_world_solid(world, paddle).pose.position.x, to.position.x - 0.1, 1e-9);
    world_until(world, mn_world_time(world) + 0.05);
    assert_near(mn_world_solid(world, paddle).pose.position.x, to.position.x, 1e-9);
    assert_near(mn_world_solid(world, paddle).velocity.x, 0, 1e-12);
    mn_world_destroy(world);
}

static void fluid_comes_and_goes(void** state)
{
    mn_World* world = pool(MN_PRESSURE_DFSPH, 1);
    OK(mn_world_set_emitter(world, 1, 0, false, MN_AUTO, &error));
    world_until(world, 0.01);
    uint64_t before = mn_world_stats(world).fluid_particles;
    mn_Block block = {v3(0.1, 0.3, 0.1), v3(0.26, 0.38, 0.26), v3(0, -1, 0)};
    OK(mn_world_pour_block(world, 1, &block, &error));
    assert_int_equal(mn_world_stats(world).fluid_particles - before, 4 * 2 * 4);
    OK(mn_world_pour_block(world, 1, &block, &error)); // there is no room for it again
    assert_int_equal(mn_world_stats(world).fluid_particles - before, 4 * 2 * 4);
    mn_FluidParticle drops[3] = {{v3(0.5, 0.5, 0.1), v3(0, -2, 0)}, {v3(0.5, 0.5, 0.1), v3(0, 0, 0)}, {v3(5, 5, 5), v3(0, 0, 0)}};
    OK(mn_world_pour_particles(world, 1, 3, drops, &error)); // one on top of another, one outside of the tank
    assert_int_equal(mn_world_stats(world).fluid_particles - before, 4 * 2 * 4 + 1);
    world_until(world, 0.03);
    assert_int_equal(mn_world_stats(world).lost_particles + mn_world_stats(world).leaked_particles, 0);
    OK(mn_world_scoop_box(world, v3(0, 0, 0), v3(0.3, 0.8, 0.4), &error));
    mn_ParticleView view = mn_world_particles(world);
    for (size_t i = 0; i < view.count; i++)
        assert_true(view.position[4 * i] >= 0.3f);
    OK(mn_world_scoop_ball(world, v3(0.3, 0.3, 0.2), 5, &error));
    assert_int_equal(mn_world_particles(world).count, 0);
    world_until(world, 0.05);
    mn_world_destroy(world);
}

static void solids_come_and_go(void** state)
{
    for (int m = 0; m < 2; m++) {
        mn_World* world = pool(m ? MN_PRESSURE_FLIP : MN_PRESSURE_DFSPH, 1);
        world_until(world, 0.02);
        uint64_t boundary = mn_world_stats(world).boundary_particles;
        mn_SolidDef second = ball_def("second", v3(0.15, 0.6, 0.1), 300);
        mn_SolidId id = mn_world_add_solid(world, &second, &error);
        expect_ok(id == 4, &error);
        assert_true(mn_world_stats(world).boundary_particles > boundary);
        assert_int_equal(mn_world_find_solid(world, "second"), 4);
        double y = mn_world_solid(world, id).pose.position.y;
        world_until(world, 0.06);
        assert_near(y - mn_world_solid(world, id).pose.position.y, 0.5 * 9.81 * 0.04 * 0.04, 2e-3);
        mn_JointDef joint = mn_default_joint_def();
        joint.name = "rope";
        joint.solid = "second";
        joint.other = "ball";
        joint.position = mn_world_solid(world, id).pose.position;
        mn_JointId rope = mn_world_add_joint(world, &joint, &error);
        expect_ok(rope == 1, &error);
        world_until(world, 0.12);
        assert_true(mn_world_joint(world, rope).holds && mn_world_joint(world, rope).gap < 1e-3);
        OK(mn_world_remove_solid(world, 2, &error));
        assert_false(mn_world_has_solid(world, 2));
        assert_int_equal(mn_world_solid(world, 2).vertex_count, 0);
        assert_false(mn_world_joint(world, rope).holds);
        expect_bad(mn_world_push(world, 2, v3(1, 0, 0), NULL, &error), "removed");
        world_until(world, 0.2);
        mn_Stats stats = mn_world_stats(world);
        assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
        mn_world_destroy(world);
    }
}

// --- the record and snapshots

// Things to do at fixed frames, for two worlds that must become the same.
static void act(mn_World* world, int frame)
{
    mn_SolidId ball = mn_world_find_solid(world, "ball");
    mn_Block block = {v3(0.3, 0.4, 0.1), v3(0.42, 0.5, 0.3), v3(0, -1, 0)};
    mn_SolidDef late = ball_def("late", v3(0.45, 0.6, 0.3), 200);
    mn_PullDef pull = mn_default_pull_def();
    mn_JointDef joint = mn_default_joint_def();
    switch (frame) {
    case 0:
        OK(mn_world_set_emitter(world, 1, 0, true, 1.5, &error));
        break;
    case 1:
        OK(mn_world_push(world, ball, v3(0.3, 0.1, 0), NULL, &error));
        OK(mn_world_pour_block(world, 1, &block, &error));
        break;
    case 2:
        expect_ok(mn_world_add_solid(world, &late, &error) != 0, &error);
        OK(mn_world_change_fluid(world, 1, &(mn_FluidChange){NULL, 0.08, MN_AUTO, MN_AUTO}, &error));
        break;
    case 3:
        pull.name = "mouse";
        pull.solid = "late";
        pull.point = mn_world_solid(world, mn_world_find_solid(world, "late")).pose.position;
        pull.target = v3(0.3, 0.6, 0.2);
        OK(mn_world_pull(world, &pull, &error));
        OK(mn_world_set_velocity(world, mn_world_find_solid(world, "paddle"), v3(0.3, -0.2, 0), v3(0, 0, 1), &error));
        break;
    case 4:
        OK(mn_world_pull_to(world, "mouse", v3(0.2, 0.5, 0.2), &error));
        joint.name = "tie";
        joint.solid = "late";
        joint.other = "ball";
        joint.position = v3(0.3, 0.4, 0.2);
        expect_ok(mn_world_add_joint(world, &joint, &error) != 0, &error);
        break;
    case 5:
        OK(mn_world_scoop_ball(world, v3(0.5, 0.1, 0.2), 0.1, &error));
        OK(mn_world_set_gravity(world, v3(2, -9, 0), &error));
        break;
    case 6:
        OK(mn_world_pull_end(world, "mouse", &error));
        OK(mn_world_remove_solid(world, mn_world_find_solid(world, "paddle"), &error));
        break;
    default:
        break;
    }
}

enum { FRAMES = 8 };
static const double RATE = 100;

static void a_record_replays_to_the_bit(void** state)
{
    const mn_Pressure methods[] = {MN_PRESSURE_DFSPH, MN_PRESSURE_IISPH, MN_PRESSURE_FLIP};
    for (int m = 0; m < 3; m++) {
        mn_World* world = pool(methods[m], 1);
        uint64_t hash[FRAMES];
        for (int f = 0; f < FRAMES; f++) {
            world_until(world, f / RATE);
            act(world, f);
            hash[f] = mn_world_hash(world);
        }
        world_until(world, FRAMES / RATE);
        mn_Scene* scene = mn_world_scene(world, &error);
        expect_ok(scene != NULL, &error);
        assert_int_equal(scene->event_count, 13);
        char* json = mn_scene_to_json(scene);
        assert_non_null(json);
        mn_Scene* read = mn_scene_parse(json, strlen(json), NULL, NULL, NULL, 0, &error);
        expect_ok(read != NULL, &error);
        read->world.threads = 3;
        mn_World* again = mn_scene_build(read, &error);
        expect_ok(again != NULL, &error);
        for (int f = 0; f < FRAMES; f++) {
            world_until(again, f / RATE);
            if (mn_world_hash(again) != hash[f])
                fail_msg("%s: frame %d of the replay is another", METHOD_NAME[methods[m]], f);
        }
        world_until(again, FRAMES / RATE);
        assert_same_state(world, again);
        free(json);
        mn_scene_free(scene);
        mn_scene_free(read);
        mn_world_destroy(world);
        mn_world_destroy(again);
    }
}

// Back to each frame, and on from there, also in a copy.
static void snapshots_bring_it_back(void** state)
{
    const mn_Pressure methods[] = {MN_PRESSURE_DFSPH, MN_PRESSURE_FLIP};
    for (int m = 0; m < 2; m++) {
        mn_World* world = pool(methods[m], 1);
        mn_Snapshot* kept[FRAMES];
        uint64_t hash[FRAMES + 1];
        for (int f = 0; f < FRAMES; f++) {
            world_until(world, f / RATE);
            act(world, f);
            kept[f] = mn_world_save(world, &error);
            expect_ok(kept[f] != NULL, &error);
            hash[f] = mn_world_hash(world);
        }
        world_until(world, FRAMES / RATE);
        hash[FRAMES] = mn_world_hash(world);
        static const int ORDER[] = {5, 2, 0};
        for (size_t k = 0; k < COUNT_OF(ORDER); k++) {
            int f = ORDER[k];
            OK(mn_world_load(world, kept[f], &error));
            assert_near(mn_world_time(world), mn_snapshot_time(kept[f]), 0);
            assert_true(mn_world_hash(world) == hash[f]);
            mn_World* copy = k == 1 ? mn_world_copy(world, &error) : NULL;
            for (int g = f + 1; g < FRAMES; g++) {
                world_until(world, g / RATE);
                act(world, g);
                if (mn_world_hash(world) != hash[g])
                    fail_msg("%s: from frame %d on, frame %d is another", METHOD_NAME[methods[m]], f, g);
            }
            for (int g = f + 1; copy && g < FRAMES; g++) {
                world_until(copy, g / RATE);
                act(copy, g);
                assert_true(mn_world_hash(copy) == hash[g]);
            }
            mn_world_destroy(copy);
        }
        for (int f = 0; f < FRAMES; f++)
            mn_snapshot_free(kept[f]);
        mn_world_destroy(world);
    }
}

// solver.accuracy live: other defaults, which keys beside it override; what is written is read as the same.
static void live_accuracy(void** state)
{
    const char* text = "{ \"solver\": { \"cfl\": 0.5, \"accuracy\": \"live\" } }";
    mn_Scene* scene = mn_scene_parse(text, strlen(text), NULL, NULL, NULL, 0, &error);
    expect_ok(scene != NULL, &error);
    mn_SolverDef live = mn_live_solver_def(), usual = mn_default_solver_def();
    assert_true(live.max_density_error > usual.max_density_error && live.cfl > usual.cfl);
    assert_near(scene->world.solver.max_density_error, live.max_density_error, 0);
    assert_near(scene->world.solver.max_pressure_error, live.max_pressure_error, 0);
    assert_near(scene->world.solver.cfl, 0.5, 0);
    char* json = mn_scene_to_json(scene);
    mn_Scene* again = json ? mn_scene_parse(json, strlen(json), NULL, NULL, NULL, 0, &error) : NULL;
    expect_ok(again != NULL, &error);
    assert_near(again->world.solver.cfl, 0.5, 0);
    free(json);
    mn_scene_free(scene);
    mn_scene_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(letting_go_gives_no_energy),
                                       cmocka_unit_test(small_changes),
                                       cmocka_unit_test(fluid_comes_and_goes),
                                       cmocka_unit_test(solids_come_and_go),
                                       cmocka_unit_test(a_record_replays_to_the_bit),
                                       cmocka_unit_test(snapshots_bring_it_back),
                                       cmocka_unit_test(live_accuracy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
