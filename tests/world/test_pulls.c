// SPDX-License-Identifier: MIT
// Pulls: every kind of solid, and fluid, follows a target, and nothing explodes, whatever a mouse does.
#include "worlds.h"

#include <meniscus/live.h>
#include <string.h>

static mn_Error error;

#define OK(call) expect_ok((call) == MN_OK, &error)

typedef struct Kind {
    const char* name;
    mn_SolidType type;
    mn_ElasticModel model;
    bool sheet;
} Kind;

static const Kind KINDS[] = {{"rigid", MN_SOLID_RIGID, MN_ELASTIC_MASS_POINTS, false},
                             {"sheet of mass points", MN_SOLID_ELASTIC, MN_ELASTIC_MASS_POINTS, true},
                             {"volume of mass points", MN_SOLID_ELASTIC, MN_ELASTIC_MASS_POINTS, false},
                             {"fem", MN_SOLID_ELASTIC, MN_ELASTIC_FEM, false},
                             {"reduced", MN_SOLID_ELASTIC, MN_ELASTIC_REDUCED, false}};

// A body of 0.2 m above water in a wide tank.
static mn_World* make(const Kind* kind, bool wet, double step)
{
    mn_WorldDef def = water_def(3, 0.025, MN_PRESSURE_DFSPH);
    def.solver.max_time_step = step;
    mn_World* world = world_new(&def);
    if (wet) {
        add_tank(world, v3(0.8, 1.2, 0.4));
        add_block(world, 1000, v3(0, 0, 0), v3(0.8, 0.2, 0.4), v3(0, 0, 0));
    }
    mn_SolidDef body = box_def(v3(0.3, 0.4, 0.1), v3(0.5, 0.6, 0.3), false);
    body.name = "body";
    body.type = kind->type;
    body.model = kind->model;
    body.density = 300;
    body.young = 5e4;
    body.resolution = 0.05;
    if (kind->sheet) {
        body.shape = (mn_Shape){.type = MN_SHAPE_GRID, .size = {0.2, 0, 0.2}, .cells = {8, 8}};
        body.thickness = 0.005;
    }
    add_solid(world, &body);
    world_prepare(world);
    return world;
}

static mn_Vec3 middle_of(const mn_World* world)
{
    mn_SolidView view = mn_world_solid(world, mn_world_find_solid(world, "body"));
    mn_Vec3 c = {0, 0, 0};
    for (size_t v = 0; v < view.vertex_count; v++)
        c = v3(c.x + view.vertex[v].x / (double)view.vertex_count, c.y + view.vertex[v].y / (double)view.vertex_count,
               c.z + view.vertex[v].z / (double)view.vertex_count);
    return v3(c.x + view.pose.position.x, c.y + view.pose.position.y, c.z + view.pose.position.z);
}

static double distance(mn_Vec3 a, mn_Vec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static void begin(mn_World* world, double frequency, mn_Vec3 target)
{
    mn_PullDef pull = mn_default_pull_def();
    pull.name = "mouse";
    pull.solid = "body";
    pull.point = v3(0.4, 0.6, 0.2); // the middle of its top; of a sheet its own
    pull.target = target;
    pull.frequency = frequency;
    OK(mn_world_pull(world, &pull, &error));
}

// Held against gravity: the spring of a body on it gives way by g / (2 pi f)^2.
static void a_pull_holds(void** state)
{
    for (size_t k = 0; k < COUNT_OF(KINDS); k++) {
        mn_World* world = make(&KINDS[k], false, KINDS[k].type == MN_SOLID_RIGID ? 1e-3 : MN_AUTO);
        mn_Vec3 start = mn_world_solid(world, 1).type == MN_SOLID_RIGID ? v3(0.4, 0.6, 0.2) : middle_of(world);
        begin(world, 5, v3(0.4, 0.6, 0.2));
        world_until(world, 0.6);
        mn_PullView view = mn_world_pull_view(world, 0);
        double sag = 9.81 / (4 * 9.8696 * 25);
        print_message("%s: %.4f m below the target, %.4f by theory\n", KINDS[k].name, 0.6 - view.point.y, sag);
        if (KINDS[k].type == MN_SOLID_RIGID)
            assert_near(0.6 - view.point.y, sag, 0.1 * sag);
        assert_true(distance(view.point, v3(0.4, 0.6, 0.2)) < 0.05);
        assert_true(distance(middle_of(world), start) < 0.3);
        mn_world_destroy(world);
    }
}

// A mouse that draws circles at 10 m/s, through water and out of it, with springs from soft to absurd.
static void a_wild_mouse(void** state)
{
    const double frequency[] = {1, 5, 1000};
    for (size_t k = 0; k < COUNT_OF(KINDS); k++)
        for (size_t f = 0; f < COUNT_OF(frequency); f++) {
            bool wet = KINDS[k].type == MN_SOLID_RIGID;
            mn_World* world = make(&KINDS[k], wet, MN_AUTO);
            begin(world, frequency[f], v3(0.4, 0.5, 0.2));
            double fastest = 0;
            for (int frame = 1; frame <= 10; frame++) {
                double angle = 10 * frame / 60.0 / 0.25; // radius 0.25 m
                OK(mn_world_pull_to(world, "mouse", v3(0.4 + 0.25 * sin(angle), 0.25 + 0.25 * cos(angle), 0.2), &error));
                world_until(world, frame / 60.0);
                mn_SolidView view = mn_world_solid(world, mn_world_find_solid(world, "body"));
                fastest = fmax(fastest, distance(view.velocity, v3(0, 0, 0)));
                double away = distance(middle_of(world), v3(0.4, 0.25, 0.2));
                if (!(away < 1.2) || !(fastest < 60))
                    fail_msg("%s at %g Hz: %.3g m away, %.3g m/s", KINDS[k].name, frequency[f], away, fastest);
            }
            OK(mn_world_pull_end(world, "mouse", &error));
            world_until(world, 0.2);
            mn_Stats stats = mn_world_stats(world);
            assert_true(isfinite(stats.kinetic_energy) && stats.lost_particles == 0);
            mn_world_destroy(world);
        }
}

static void fluid_is_pulled(void** state)
{
    for (int m = 0; m < 2; m++) {
        mn_WorldDef def = water_def(2, 0.01, m ? MN_PRESSURE_FLIP : MN_PRESSURE_DFSPH);
        mn_World* world = dam_world(&def, 15, 10, 0); // 0.3 x 0.2 m in a tank of 1.2 x 0.4 m
        mn_PullDef pull = mn_default_pull_def();
        pull.name = "straw";
        pull.target = v3(0.15, 0.1, 0);
        pull.radius = 0.08;
        pull.frequency = 8;
        OK(mn_world_pull(world, &pull, &error));
        for (int frame = 1; frame <= 10; frame++) {
            OK(mn_world_pull_to(world, "straw", v3(0.15, 0.1 + 0.02 * frame, 0), &error));
            world_until(world, frame / 60.0);
        }
        mn_ParticleView view = mn_world_particles(world);
        double high = 0;
        for (size_t i = 0; i < view.count; i++)
            high = fmax(high, (double)view.position[4 * i + 1]);
        print_message("%s: lifted to %.3f m\n", m ? "flip" : "dfsph", high);
        assert_true(high > 0.22 && mn_world_stats(world).max_speed < 10);
        assert_int_equal(mn_world_stats(world).lost_particles + mn_world_stats(world).leaked_particles, 0);
        mn_world_destroy(world);
    }
}

// A target that jumps away takes the fluid along, where it would be left behind if only what is around the target were pulled.
static void fluid_follows_a_jump(void** state)
{
    mn_WorldDef def = water_def(2, 0.01, MN_PRESSURE_DFSPH);
    mn_World* world = dam_world(&def, 15, 10, 0);
    mn_PullDef pull = mn_default_pull_def();
    pull.name = "straw";
    pull.target = v3(0.15, 0.15, 0);
    pull.radius = 0.08;
    pull.frequency = 8;
    OK(mn_world_pull(world, &pull, &error));
    world_until(world, 0.02);
    mn_PullView held = mn_world_pull_view(world, 0);
    assert_near(held.point.y, 0.15, 1e-9);
    OK(mn_world_pull_to(world, "straw", v3(0.15, 0.34, 0), &error)); // more than the radius above the water
    world_until(world, 0.5);
    held = mn_world_pull_view(world, 0);
    assert_near(held.point.y, 0.34, 1e-9);
    mn_ParticleView view = mn_world_particles(world);
    size_t near = 0;
    for (size_t i = 0; i < view.count; i++)
        near += hypot((double)view.position[4 * i] - 0.15, (double)view.position[4 * i + 1] - 0.34) < 0.06;
    print_message("%zu particles at the target\n", near);
    assert_true(near >= 15);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_pull_holds), cmocka_unit_test(a_wild_mouse),
                                       cmocka_unit_test(fluid_is_pulled), cmocka_unit_test(fluid_follows_a_jump)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
