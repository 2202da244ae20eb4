// SPDX-License-Identifier: MIT
// A solid comes apart in the middle of a run: a trough full of water, of finite elements, is cut and its halves are pulled apart.
// A ball floats in the water, oil lies on it, and a cloth hangs beside it: all that others keep by vertex follows, in the same
// bits for any number of threads and after any state that was saved around the cut.
#include "saved_state.h"
#include "world/world_parts.h"
#include "worlds.h"
#include <unistd.h>

static const double CELL = 0.04, CUT_TIME = 0.03;

// A box of cells without those in the middle, open above; as files of TetGen.
static void write_trough(char* folder, char* file, size_t size)
{
    enum { X = 8, Y = 3, Z = 4 };
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    assert_non_null(mkdtemp(folder));
    snprintf(file, size, "%s/trough.node", folder);
    FILE* nodes = fopen(file, "w");
    fprintf(nodes, "%d 3 0 0\n", (X + 1) * (Y + 1) * (Z + 1));
    for (int k = 0; k < (X + 1) * (Y + 1) * (Z + 1); k++)
        fprintf(nodes, "%d %.17g %.17g %.17g\n", k, CELL * (k % (X + 1) - 0.5 * X), CELL * (k / (X + 1) % (Y + 1)),
                CELL * (k / (X + 1) / (Y + 1) - 0.5 * Z));
    fclose(nodes);
    snprintf(file, size, "%s/trough.ele", folder);
    FILE* elements = fopen(file, "w");
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            fprintf(elements, "%d 4 0\n", count);
        count = 0;
        for (int c = 0; c < X * Y * Z; c++) {
            int cell[3] = {c % X, c / X % Y, c / X / Y};
            if (cell[0] > 0 && cell[0] < X - 1 && cell[1] > 0 && cell[2] > 0 && cell[2] < Z - 1)
                continue;
            for (int o = 0; o < 6; o++, count++) {
                int at[3] = {cell[0], cell[1], cell[2]}, v[4];
                for (int step = 0; step < 4; step++) {
                    v[step] = (at[2] * (Y + 1) + at[1]) * (X + 1) + at[0];
                    at[order[o][step < 3 ? step : 0]] += step < 3;
                }
                if (pass == 1)
                    fprintf(elements, "%d %d %d %d %d\n", count, v[0], v[o >= 3 ? 2 : 1], v[o >= 3 ? 1 : 2], v[3]);
            }
        }
    }
    fclose(elements);
}

static char trough_folder[] = "/tmp/meniscus_topology_XXXXXX", trough_file[256];

static int make_files(void** state)
{
    write_trough(trough_folder, trough_file, sizeof trough_file);
    return 0;
}

static int remove_files(void** state)
{
    char node[256];
    snprintf(node, sizeof node, "%s/trough.node", trough_folder);
    return unlink(trough_file) || unlink(node) || rmdir(trough_folder);
}

// Its left end goes to the left and its right one to the right from 0.035 s on.
static void add_trough(mn_World* world, double height)
{
    static mn_Keyframe key[2][3];
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++)
            key[side][k] = (mn_Keyframe){.time = k == 0 ? 0 : 0.015 + 0.02 * k,
                                         .pose = {{k < 2  ? 0
                                                   : side ? 0.02
                                                          : -0.02,
                                                   0, 0},
                                                  {1, 0, 0, 0}}};
    mn_PinDef pins[2] = {mn_default_pin_def(), mn_default_pin_def()};
    for (int side = 0; side < 2; side++) {
        pins[side].select = MN_PIN_REGION;
        pins[side].min = v3(side ? 3.99 * CELL + 0.24 : -1, 0, 0);
        pins[side].max = v3(side ? 1 : -3.99 * CELL + 0.24, 1, 1);
        pins[side].motion = key[side];
        pins[side].motion_count = 3;
    }
    mn_SolidDef def = mn_default_solid_def();
    def.name = "trough";
    def.type = MN_SOLID_ELASTIC;
    def.model = MN_ELASTIC_FEM;
    def.shape = (mn_Shape){.type = MN_SHAPE_TETS, .file = trough_file};
    def.pose.position = v3(0.24, height, 0.16);
    def.density = 1100;
    def.young = 3e5;
    def.poisson = 0.3;
    def.pins = pins;
    def.pin_count = 2;
    add_solid(world, &def);
}

static void add_others(mn_World* world)
{
    mn_SolidDef ball = mn_default_solid_def();
    ball.name = "ball";
    ball.type = MN_SOLID_RIGID;
    ball.shape = (mn_Shape){.type = MN_SHAPE_SPHERE, .size = {0.03, 0, 0}};
    ball.density = 500;
    ball.pose.position = v3(0.16, 0.2, 0.16);
    add_solid(world, &ball);
    mn_SolidDef cloth = mn_default_solid_def();
    cloth.name = "cloth";
    cloth.type = MN_SOLID_ELASTIC;
    cloth.shape = (mn_Shape){.type = MN_SHAPE_GRID, .size = {0.12, 0, 0.12}, .cells = {4, 4}};
    cloth.pose.position = v3(0.24, 0.07, 0.16);
    cloth.young = 1e5;
    cloth.thickness = 0.002;
    add_solid(world, &cloth);
}

static mn_World* bare_world(int threads, bool cut)
{
    mn_WorldDef def = water_def(3, 0.01, MN_PRESSURE_DFSPH);
    def.threads = threads;
    mn_World* world = world_new(&def);
    mn_Error error = {0};
    add_tank(world, v3(0.48, 0.36, 0.32));
    add_trough(world, 0.12);
    add_others(world);
    add_block(world, 1000, v3(0.12, 0.16, 0.12), v3(0.36, 0.22, 0.2), v3(0, 0, 0));
    add_block(world, 800, v3(0.12, 0.22, 0.12), v3(0.36, 0.24, 0.2), v3(0, 0, 0));
    mn_ProbeDef probe = mn_default_probe_def();
    probe.name = "corner";
    probe.type = MN_PROBE_DISPLACEMENT;
    probe.solid = "trough";
    probe.position = v3(0.4, 0.12, 0.08);
    expect_ok(mn_world_add_probe(world, &probe, &error), &error);
    mn_EventDef event = mn_default_event_def();
    event.time = CUT_TIME;
    event.cut = "trough";
    event.point = v3(0.24, 0, 0);
    if (cut)
        expect_ok(mn_world_add_event(world, &event, &error) == MN_OK, &error);
    return world;
}

static mn_World* trough_world(int threads, bool cut)
{
    mn_World* world = bare_world(threads, cut);
    world_prepare(world);
    return world;
}

// Steps are cut at these times, so all go by them.
static void run_until(mn_World* world, double time)
{
    static const double stop[] = {0.02, 0.03, 0.05, 0.1};
    for (size_t k = 0; k < COUNT_OF(stop) && stop[k] <= time; k++)
        if (stop[k] > mn_world_time(world))
            world_until(world, stop[k]);
}

static size_t below(const mn_World* world, double y)
{
    mn_ParticleView view = mn_world_particles(world);
    size_t count = 0;
    for (size_t i = 0; i < view.count; i++)
        count += (double)view.position[4 * i + 1] < y;
    return count;
}

static void expect_nothing_lost(const mn_World* world, size_t particles)
{
    mn_Stats stats = mn_world_stats(world);
    assert_int_equal(stats.fluid_particles, particles);
    assert_int_equal(stats.lost_particles, 0);
    assert_int_equal(stats.leaked_particles, 0);
}

static mn_World* loaded_from(const Saved* saved, int threads)
{
    mn_Error error = {0};
    mn_World* world = trough_world(threads, true);
    expect_ok(world_load_state(world, give, (void*)(uintptr_t)saved, &error) == MN_OK, &error);
    assert_state(world, saved);
    return world;
}

static void a_trough_comes_apart(void** state)
{
    mn_World *one = trough_world(1, true), *two = trough_world(2, true), *whole = trough_world(2, false);
    size_t particles = mn_world_particles(one).count, triangles = mn_world_solid(one, 2).triangle_count;
    assert_true(particles > 150);
    Saved before = {.count = 0}, after = {.count = 0};
    mn_Error error = {0};
    run_until(one, 0.02);
    assert_true(world_save_state(one, keep, &before));
    double mass = mn_world_solid(one, 2).mass;
    run_until(one, CUT_TIME);
    // the bottom and two walls: 2 triangles for each of 4 + 2 * 2 squares, on both sides
    assert_int_equal(mn_world_solid(one, 2).triangle_count, triangles + 2 * 2 * 8);
    assert_near(mn_world_solid(one, 2).mass, mass, 1e-12 * mass);
    assert_true(mn_world_stats(one).density_error_max < 0.05); // nobody is pushed by a crack that is still closed
    run_until(one, 0.05);
    assert_true(world_save_state(one, keep, &after));
    expect_nothing_lost(one, particles);
    run_until(one, 0.1);
    run_until(two, 0.1);
    run_until(whole, 0.1);
    assert_same_state(one, two);
    expect_nothing_lost(one, particles);
    expect_nothing_lost(whole, particles);
    print_message("%zu of %zu particles ran out of the cut trough, %zu of the whole one\n", below(one, 0.13), particles,
                  below(whole, 0.13));
    assert_true(below(one, 0.13) > 5);
    assert_int_equal(below(whole, 0.13), 0);
    assert_near(mn_world_probe(one, 1, NULL), 0.02, 1e-6); // a corner that its pin took along, under its old number

    mn_World *early = loaded_from(&before, 2), *late = loaded_from(&after, 1);
    run_until(early, 0.1);
    run_until(late, 0.1);
    assert_same_state(early, one);
    assert_same_state(late, one);
    // back to before the cut, in a world that was cut
    expect_ok(world_load_state(late, give, &before, &error) == MN_OK, &error);
    assert_state(late, &before);
    assert_int_equal(mn_world_solid(late, 2).triangle_count, triangles);
    run_until(late, 0.1);
    assert_same_state(late, one);
    forget(&before);
    forget(&after);
    mn_World* all[] = {one, two, whole, early, late};
    for (size_t k = 0; k < COUNT_OF(all); k++)
        mn_world_destroy(all[k]);
}

static void what_cannot_be_cut(void** state)
{
    mn_World* world = bare_world(1, false);
    mn_Error error = {0};
    mn_EventDef event = mn_default_event_def();
    event.cut = "ball";
    assert_int_equal(mn_world_add_event(world, &event, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "can be cut"));
    event.cut = "nobody";
    assert_int_equal(mn_world_add_event(world, &event, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "nobody"));
    event.cut = "trough";
    event.normal = v3(0, 0, 0);
    assert_int_equal(mn_world_add_event(world, &event, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.key, "normal"));
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trough_comes_apart),
        cmocka_unit_test(what_cannot_be_cut),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
