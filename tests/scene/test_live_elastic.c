// SPDX-License-Identifier: MIT
// Elastic solids that come to a running world, go from it and become others, and fluids that become heavier: what it does, that it
// is replayed to the bit, that snapshots bring back what was, and that what is wrong is refused before anything changes.
#include "saved_state.h"
#include "world/worlds.h"

#include <meniscus/live.h>
#include <meniscus/scene.h>

static mn_Error error;

#define OK(call) expect_ok((call) == MN_OK, &error)

static const char* const MODEL_NAME[] = {
    [MN_ELASTIC_MASS_POINTS] = "mass_points", [MN_ELASTIC_FEM] = "fem", [MN_ELASTIC_REDUCED] = "reduced"};
enum { MODELS = 3 };

static mn_SolidDef cube_def(const char* name, mn_ElasticModel model, mn_Vec3 at)
{
    mn_SolidDef def = mn_default_solid_def();
    def.name = name;
    def.type = MN_SOLID_ELASTIC;
    def.model = model;
    def.shape.type = MN_SHAPE_BOX;
    def.shape.size = v3(0.12, 0.12, 0.12);
    def.pose.position = at;
    def.density = 400;
    def.young = 3e4;
    return def;
}

// Shallow water, a ball in it, a bar above it.
static mn_World* pool(mn_Pressure method, int threads)
{
    mn_WorldDef def = water_def(3, 0.03, method);
    def.threads = threads;
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.6, 0.8, 0.36));
    mn_SolidDef ball = mn_default_solid_def();
    ball.name = "ball";
    ball.type = MN_SOLID_RIGID;
    ball.shape.type = MN_SHAPE_SPHERE;
    ball.shape.size = v3(0.09, 0, 0);
    ball.pose.position = v3(0.2, 0.2, 0.18);
    ball.density = 500;
    add_solid(world, &ball);
    mn_SolidDef bar = box_def(v3(0.2, 0.6, 0.12), v3(0.5, 0.66, 0.24), false);
    bar.name = "bar";
    bar.type = MN_SOLID_KINEMATIC;
    add_solid(world, &bar);
    mn_Block block = {v3(0, 0, 0), v3(0.6, 0.18, 0.36), v3(0, 0, 0)};
    mn_FluidDef water = mn_default_fluid_def();
    water.name = "water";
    water.blocks = &block;
    water.block_count = 1;
    add_fluid(world, &water);
    return world;
}

static mn_SolidId add(mn_World* world, const mn_SolidDef* def)
{
    mn_SolidId id = mn_world_add_solid(world, def, &error);
    expect_ok(id != 0, &error);
    return id;
}

static double height(const mn_World* world, mn_SolidId id)
{
    return mn_world_solid(world, id).centre.y;
}

static void they_come_and_go(void** state)
{
    for (int m = 0; m < MODELS; m++) {
        mn_World* world = pool(MN_PRESSURE_DFSPH, 1);
        world_until(world, 0.01);
        mn_SolidDef first = cube_def("first", (mn_ElasticModel)m, v3(0.42, 0.4, 0.18));
        mn_SolidDef second = cube_def("second", MN_ELASTIC_FEM, v3(0.15, 0.5, 0.18));
        mn_SolidId a = add(world, &first), b = add(world, &second);
        double start = mn_world_time(world), y = height(world, a);
        assert_near(mn_world_solid(world, a).mass, 400 * pow(0.12, 3), 1e-6);
        world_until(world, start + 0.05);
        double fell = 0.5 * 9.81 * 0.05 * 0.05;
        if (fabs(y - height(world, a) - fell) > 0.1 * fell)
            fail_msg("%s fell by %g m instead of %g", MODEL_NAME[m], y - height(world, a), fell);
        // the first goes: the second takes its place among bodies and falls on
        y = height(world, b);
        double speed = mn_world_solid(world, b).velocity.y;
        OK(mn_world_remove_solid(world, a, &error));
        assert_false(mn_world_has_solid(world, a));
        assert_int_equal(mn_world_solid(world, a).vertex_count, 0);
        assert_near(height(world, b), y, 0);
        assert_near(mn_world_solid(world, b).velocity.y, speed, 0);
        world_until(world, start + 0.1);
        assert_true(height(world, b) < y - 0.02);
        // what they may touch goes too, and the same name comes again
        OK(mn_world_remove_solid(world, mn_world_find_solid(world, "ball"), &error));
        assert_int_equal(add(world, &first), b + 1);
        world_until(world, start + 0.25);
        OK(mn_world_remove_solid(world, b, &error));
        OK(mn_world_remove_solid(world, b + 1, &error));
        world_until(world, start + 0.27);
        mn_Stats stats = mn_world_stats(world);
        assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
        mn_world_destroy(world);
    }
}

// A pin that is tied to a solid which goes lets go.
static void pins_let_go(void** state)
{
    mn_World* world = pool(MN_PRESSURE_DFSPH, 1);
    world_until(world, 0.01);
    mn_PinDef pin = mn_default_pin_def();
    pin.name = "grip";
    pin.select = MN_PIN_REGION;
    pin.min = v3(0, 0.5, 0);
    pin.max = v3(1, 1, 1);
    pin.solid = "bar";
    mn_SolidDef hung = cube_def("hung", MN_ELASTIC_MASS_POINTS, v3(0.35, 0.49, 0.18));
    hung.pins = &pin;
    hung.pin_count = 1;
    mn_SolidId id = add(world, &hung);
    double y = height(world, id);
    world_until(world, 0.11);
    assert_true(fabs(height(world, id) - y) < 0.02);
    OK(mn_world_remove_solid(world, mn_world_find_solid(world, "bar"), &error));
    world_until(world, 0.21);
    assert_true(height(world, id) < y - 0.03);
    mn_world_destroy(world);
}

// --- materials

static double strain_energy(mn_World* world)
{
    OK(mn_world_set_gravity(world, v3(0, 0, 0), &error));
    return mn_world_stats(world).potential_energy;
}

static void materials_change(void** state)
{
    for (int m = 0; m < MODELS; m++) {
        mn_WorldDef def = water_def(3, 0.03, MN_PRESSURE_DFSPH);
        mn_World* world = world_new(&def);
        mn_PinDef pin = mn_default_pin_def();
        pin.select = MN_PIN_REGION;
        pin.min = v3(-1, 0.05, -1);
        pin.max = v3(1, 1, 1);
        mn_SolidDef cube = cube_def("cube", (mn_ElasticModel)m, v3(0, 0, 0));
        cube.pins = &pin;
        cube.pin_count = 1;
        mn_SolidId id = add(world, &cube);
        world_until(world, 0.03);
        double energy = strain_energy(world), mass = mn_world_solid(world, id).mass;
        mn_Vec3 velocity = mn_world_solid(world, id).velocity;
        assert_true(energy > 0 && velocity.y != 0);
        mn_SolidChange change = mn_default_solid_change();
        change.young = 4 * cube.young;
        mn_Snapshot* before = mn_world_save(world, &error);
        uint64_t hash = mn_world_hash(world);
        OK(mn_world_change_solid(world, id, &change, &error));
        if (fabs(mn_world_stats(world).potential_energy / energy - 4) > 1e-4)
            fail_msg("%s: four times as stiff has %g times the energy", MODEL_NAME[m],
                     mn_world_stats(world).potential_energy / energy);
        OK(mn_world_set_density(world, id, 2 * cube.density, &error));
        assert_near(mn_world_solid(world, id).mass / mass, 2, 1e-9);
        assert_near(mn_world_solid(world, id).velocity.y / velocity.y, 1, 1e-9);
        world_until(world, 0.04);
        // and back: the same bits, and the same way on as a world that never was another
        OK(mn_world_load(world, before, &error));
        assert_true(mn_world_hash(world) == hash);
        assert_near(mn_world_solid(world, id).mass, mass, 0);
        mn_World* other = mn_world_copy(world, &error);
        expect_ok(other != NULL, &error);
        world_until(world, 0.05);
        world_until(other, 0.05);
        assert_same_state(world, other);
        mn_snapshot_free(before);
        mn_world_destroy(other);
        mn_world_destroy(world);
    }
}

// The tank carries as much more as the water is heavier.
static void fluids_become_heavier(void** state)
{
    enum { SAMPLES = 30 };
    for (int m = 0; m < 2; m++) {
        mn_WorldDef def = water_def(3, 0.025, m ? MN_PRESSURE_FLIP : MN_PRESSURE_DFSPH);
        mn_World* world = world_new(&def);
        add_tank(world, v3(0.4, 0.5, 0.4));
        mn_Block block = {v3(0, 0, 0), v3(0.4, 0.3, 0.4), v3(0, 0, 0)};
        mn_FluidDef water = mn_default_fluid_def();
        water.blocks = &block;
        water.block_count = 1;
        add_fluid(world, &water);
        double push[2] = {0}, height = 0;
        for (int k = 0; k < 2; k++) {
            for (int s = 0; s < SAMPLES; s++) {
                world_until(world, 0.25 * k + 0.1 + 0.005 * (s + 1));
                push[k] -= mn_world_solid(world, 1).force.y / SAMPLES;
            }
            mn_FluidChange change = mn_default_fluid_change();
            change.density = 2000;
            height = mn_world_stats(world).potential_energy;
            OK(mn_world_change_fluid(world, 1, &change, &error));
            assert_near(mn_world_fluid(world, 1).density, 2000, 0);
            if (k == 0)
                assert_true(mn_world_stats(world).potential_energy > 1.5 * height);
        }
        double weight = 9.81 * 1000 * (double)mn_world_stats(world).fluid_particles * pow(0.05, 3);
        if (fabs(push[0] / weight - 1) > 0.05 || fabs(push[1] / weight - 2) > 0.1)
            fail_msg("%s: a tank carries %g N, and with water of twice the density %g", METHOD_NAME[def.solver.method], push[0],
                     push[1]);
        mn_world_destroy(world);
    }
}

// --- the record and snapshots

static void act(mn_World* world, int frame)
{
    mn_SolidDef cube = cube_def("soft", MN_ELASTIC_FEM, v3(0.45, 0.35, 0.18));
    mn_SolidDef points = cube_def("points", MN_ELASTIC_MASS_POINTS, v3(0.15, 0.45, 0.18));
    mn_SolidDef flag = mn_default_solid_def();
    mn_PinDef pin = mn_default_pin_def();
    mn_SolidChange change = mn_default_solid_change();
    mn_FluidChange heavy = mn_default_fluid_change();
    switch (frame) {
    case 1:
        add(world, &cube);
        break;
    case 2:
        flag.name = "flag";
        flag.type = MN_SOLID_ELASTIC;
        flag.shape = (mn_Shape){.type = MN_SHAPE_GRID, .size = {0.2, 0, 0.2}, .cells = {5, 5}};
        flag.pose.position = v3(0.3, 0.5, 0.18);
        pin.select = MN_PIN_CORNERS;
        pin.solid = "bar";
        flag.pins = &pin;
        flag.pin_count = 1;
        add(world, &flag);
        add(world, &points);
        break;
    case 3:
        change.young = 1e5;
        change.density = 700;
        OK(mn_world_change_solid(world, mn_world_find_solid(world, "soft"), &change, &error));
        heavy.density = 1300;
        OK(mn_world_change_fluid(world, 1, &heavy, &error));
        break;
    case 4:
        OK(mn_world_remove_solid(world, mn_world_find_solid(world, "soft"), &error));
        break;
    case 5:
        cube.model = MN_ELASTIC_REDUCED;
        add(world, &cube); // of the same name, and of the material that it brings
        OK(mn_world_remove_solid(world, mn_world_find_solid(world, "bar"), &error));
        break;
    default:
        break;
    }
}

enum { FRAMES = 7 };
static const double RATE = 100;

static void it_is_recorded(void** state)
{
    mn_World* world = pool(MN_PRESSURE_DFSPH, 1);
    uint64_t hash[FRAMES];
    mn_Snapshot* kept[FRAMES];
    for (int f = 0; f < FRAMES; f++) {
        world_until(world, f / RATE);
        act(world, f);
        hash[f] = mn_world_hash(world);
        kept[f] = mn_world_save(world, &error);
        expect_ok(kept[f] != NULL, &error);
    }
    mn_Scene* scene = mn_world_scene(world, &error);
    expect_ok(scene != NULL, &error);
    char* json = mn_scene_to_json(scene);
    assert_non_null(json);
    mn_Scene* read = mn_scene_parse(json, strlen(json), NULL, NULL, NULL, 0, &error);
    expect_ok(read != NULL, &error);
    read->world.threads = 3;
    mn_World* again = mn_scene_build(read, &error);
    expect_ok(again != NULL, &error);
    for (int f = 0; f < FRAMES; f++) {
        world_until(again, f / RATE);
        if (mn_world_hash(again) != hash[f]) {
            OK(mn_world_load(world, kept[f], &error));
            print_message("frame %d of the replay is another\n", f);
            assert_same_state(world, again);
        }
    }
    static const int ORDER[] = {5, 2, 4, 0};
    for (size_t k = 0; k < COUNT_OF(ORDER); k++) {
        OK(mn_world_load(world, kept[ORDER[k]], &error));
        assert_true(mn_world_hash(world) == hash[ORDER[k]]);
        for (int f = ORDER[k] + 1; f < FRAMES; f++) {
            world_until(world, f / RATE);
            act(world, f);
            if (mn_world_hash(world) != hash[f])
                fail_msg("from frame %d on, frame %d is another", ORDER[k], f);
        }
    }
    free(json);
    for (int f = 0; f < FRAMES; f++)
        mn_snapshot_free(kept[f]);
    mn_scene_free(scene);
    mn_scene_free(read);
    mn_world_destroy(world);
    mn_world_destroy(again);
}

// --- what is wrong

static void expect_refused(mn_World* world, const mn_SolidDef* def, const char* part)
{
    uint64_t hash = mn_world_hash(world);
    assert_int_equal(mn_world_add_solid(world, def, &error), 0);
    if (!strstr(error.message, part) && !strstr(error.key, part))
        fail_msg("\"%s: %s\" does not say \"%s\"", error.key, error.message, part);
    assert_true(mn_world_hash(world) == hash);
}

static void wrong_ones_are_refused(void** state)
{
    mn_World* world = pool(MN_PRESSURE_DFSPH, 1);
    world_until(world, 0.005);
    mn_SolidDef def = cube_def("cube", MN_ELASTIC_MASS_POINTS, v3(0.4, 0.4, 0.18));
    mn_PinDef pin = mn_default_pin_def();
    pin.select = MN_PIN_VERTEX;
    pin.vertex = 100000;
    def.pins = &pin;
    def.pin_count = 1;
    expect_refused(world, &def, "vertex 100000 does not exist");
    pin.vertex = 1;
    pin.solid = "nobody";
    expect_refused(world, &def, "nobody");
    def.pin_count = 0;
    def.strength = 1e4; // a ball is embedded in tetrahedra
    def.shape.type = MN_SHAPE_SPHERE;
    def.shape.size = v3(0.08, 0, 0);
    expect_refused(world, &def, "strength");
    def = cube_def("cube", MN_ELASTIC_MASS_POINTS, v3(0.4, 0.4, 0.18));
    mn_SolidId id = add(world, &def);
    mn_SolidChange change = mn_default_solid_change();
    change.poisson = 0.7;
    assert_int_equal(mn_world_change_solid(world, id, &change, &error), MN_BAD_INPUT);
    change = mn_default_solid_change();
    change.young = 1e5;
    assert_int_equal(mn_world_change_solid(world, mn_world_find_solid(world, "ball"), &change, &error), MN_BAD_INPUT);
    world_until(world, 0.02);
    mn_world_destroy(world);
    // the grid fluid carries reduced ones alone
    world = pool(MN_PRESSURE_FLIP, 1);
    world_until(world, 0.005);
    def = cube_def("cube", MN_ELASTIC_FEM, v3(0.4, 0.4, 0.18));
    expect_refused(world, &def, "reduced");
    def.model = MN_ELASTIC_REDUCED;
    mn_World* early = pool(MN_PRESSURE_FLIP, 1);
    mn_SolidId same = add(early, &def);
    id = add(world, &def);
    double y = height(world, id);
    world_until(world, 0.055);
    world_until(early, 0.05);
    // as one that was there from the start
    assert_near(y - height(world, id), y - height(early, same), 1e-6);
    mn_world_destroy(early);
    OK(mn_world_remove_solid(world, id, &error));
    world_until(world, 0.07);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_come_and_go), cmocka_unit_test(pins_let_go),
                                       cmocka_unit_test(materials_change), cmocka_unit_test(fluids_become_heavier),
                                       cmocka_unit_test(it_is_recorded),   cmocka_unit_test(wrong_ones_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
