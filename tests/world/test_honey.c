// SPDX-License-Identifier: MIT
// Implicit viscosity: steps of water, the flow of honey.
#include "worlds.h"

static mn_FluidDef honey(mn_Viscosity method, mn_Block* block)
{
    mn_FluidDef def = mn_default_fluid_def();
    def.density = 1420;
    def.viscosity_method = method;
    def.viscosity = method == MN_VISCOSITY_ARTIFICIAL ? 0.01 : 10;
    def.blocks = block;
    def.block_count = 1;
    return def;
}

// A block on a floor, beside a wall that lets it slip.
static mn_World* block_world(mn_Viscosity method, double radius, double size, int threads)
{
    mn_WorldDef def = water_def(2, radius, MN_PRESSURE_DFSPH);
    def.threads = threads;
    mn_World* world = world_new(&def);
    mn_SolidDef floor = box_def(v3(-0.1, -0.05, 0), v3(1, 0, 0), false), wall = box_def(v3(-0.05, -0.05, 0), v3(0, 0.3, 0), false);
    floor.name = (char*)"floor";
    wall.name = (char*)"wall";
    wall.wall_viscosity = 0;
    add_solid(world, &floor);
    add_solid(world, &wall);
    mn_Block block = {v3(0, 0, 0), v3(size, size, 0), v3(0, 0, 0)};
    mn_FluidDef fluid = honey(method, &block);
    add_fluid(world, &fluid);
    return world;
}

static void steps_are_those_of_water(void** state)
{
    double steps[3];
    const mn_Viscosity method[3] = {MN_VISCOSITY_ARTIFICIAL, MN_VISCOSITY_IMPLICIT, MN_VISCOSITY_LAPLACE};
    for (int k = 0; k < 3; k++) {
        mn_World* world = block_world(method[k], 0.002, 0.06, 1);
        world_until(world, 0.1);
        steps[k] = (double)mn_world_stats(world).steps;
        mn_world_destroy(world);
    }
    print_message("steps to 0.1 s at r = 2 mm: water %.0f, honey %.0f, explicit honey %.0f\n", steps[0], steps[1], steps[2]);
    assert_below(steps[1], 2 * steps[0]);
    assert_below(2 * steps[1], steps[2]);
}

// The explicit form with its short steps, which has a little less of the viscosity, does nearly the same.
static void long_steps_change_little(void** state)
{
    double energy[2], front[2];
    for (int k = 0; k < 2; k++) {
        mn_World* world = block_world(k ? MN_VISCOSITY_IMPLICIT : MN_VISCOSITY_LAPLACE, 0.002, 0.06, 1);
        mn_ProbeDef def = mn_default_probe_def();
        def.name = (char*)"front";
        def.type = MN_PROBE_HEIGHT;
        def.position = v3(0, 0.003, 0);
        def.direction = v3(1, 0, 0);
        mn_Error error = {0};
        mn_ProbeId id = mn_world_add_probe(world, &def, &error);
        world_until(world, 0.1);
        energy[k] = mn_world_stats(world).kinetic_energy;
        front[k] = mn_world_probe(world, id, NULL);
        mn_world_destroy(world);
    }
    print_message("explicit: %.4g J/m, front at %.4f m; implicit: %.4g J/m, %.4f m\n", energy[0], front[0], energy[1], front[1]);
    assert_near(energy[1], energy[0], 0.15 * energy[0]);
    assert_near(front[1], front[0], 0.004);
}

static void threads_do_not_matter(void** state)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        mn_World* world = block_world(MN_VISCOSITY_IMPLICIT, 0.002, 0.06, k ? 3 : 1);
        world_until(world, 0.02);
        hash[k] = mn_world_hash(world);
        mn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

// A layer flows down a slope without end: the floor holds what gravity pulls.
static void walls_feel_what_they_hold(void** state)
{
    mn_WorldDef def = water_def(2, 0.002, MN_PRESSURE_DFSPH);
    def.gravity = v3(3, -9.3, 0);
    def.periodic[0] = true;
    def.domain = (mn_Domain){v3(0, 0, 0), v3(0.06, 0, 0)};
    mn_World* world = world_new(&def);
    mn_SolidDef floor = box_def(v3(-0.1, -0.05, 0), v3(0.2, 0, 0), false);
    add_solid(world, &floor);
    mn_Block block = {v3(0, 0, 0), v3(0.06, 0.04, 0), v3(0, 0, 0)};
    mn_FluidDef fluid = honey(MN_VISCOSITY_IMPLICIT, &block);
    add_fluid(world, &fluid);
    mn_ProbeDef probe = mn_default_probe_def();
    probe.name = (char*)"floor";
    probe.type = MN_PROBE_FORCE;
    probe.solid = "box";
    probe.average = 0.2;
    mn_Error error = {0};
    mn_ProbeId id = mn_world_add_probe(world, &probe, &error);
    expect_ok(id != 0, &error);
    world_until(world, 0.8);
    mn_Stats stats = mn_world_stats(world);
    mn_Vec3 force;
    mn_world_probe(world, id, &force);
    double mass = 1420 * 0.004 * 0.004 * (double)stats.fluid_particles;
    print_message("floor: %.4f N/m along the slope of %.4f, %.4f across of %.4f; %d steps\n", force.x, 3 * mass, force.y,
                  -9.3 * mass, (int)stats.steps);
    assert_near(force.x, 3 * mass, 0.03 * 3 * mass);
    assert_near(force.y, -9.3 * mass, 0.05 * 9.3 * mass);
    mn_world_destroy(world);
}

// Huppert 1982: x^5 = 1.411^5 g q^3 t / (3 nu), but for when it began.
static void spreads_as_viscous_currents_do(void** state)
{
    mn_World* world = block_world(MN_VISCOSITY_IMPLICIT, 0.0025, 0.1, 1);
    mn_ProbeDef def = mn_default_probe_def();
    def.name = (char*)"front";
    def.type = MN_PROBE_HEIGHT;
    def.position = v3(0, 0.002, 0);
    def.direction = v3(1, 0, 0);
    mn_Error error = {0};
    mn_ProbeId id = mn_world_add_probe(world, &def, &error);
    expect_ok(id != 0, &error);
    double x[2];
    for (int k = 0; k < 2; k++) {
        world_until(world, k ? 4 : 1.5);
        x[k] = mn_world_probe(world, id, NULL);
    }
    double ideal = pow(1.411, 5) * 9.81 * pow(0.01, 3) / (3 * 10 / 1420.0), slope = (pow(x[1], 5) - pow(x[0], 5)) / 2.5;
    print_message("front at %.4f and %.4f m; spreads %.3f times as far as it should\n", x[0], x[1], pow(slope / ideal, 0.2));
    assert_near(pow(slope / ideal, 0.2), 1, 0.05);
    assert_near(x[1], pow(4 * ideal, 0.2), 0.05 * x[1]);
    mn_world_destroy(world);
}

// u_x = sin(2 pi y / L) in a periodic square decays by exp(-4 pi^2 nu t / L^2): forces along the lines between particles
// alone have two thirds of the viscosity on a lattice.
static double amplitude(const mn_World* world)
{
    mn_ParticleView view = mn_world_particles(world);
    double sum = 0, all = 0;
    for (size_t i = 0; i < view.count; i++) {
        double at = 2 * M_PI * (double)view.position[4 * i + 1];
        sum += (double)view.velocity[4 * i] * sin(at);
        all += sin(at) * sin(at);
    }
    return sum / all;
}

static void shear_has_all_of_its_viscosity(void** state)
{
    enum { ROWS = 32 };
    for (int k = 0; k < 2; k++) {
        mn_WorldDef def = water_def(2, 0.5 / ROWS, MN_PRESSURE_DFSPH);
        def.gravity = v3(0, 0, 0);
        def.solver.accuracy = k ? MN_ACCURACY_ACCURATE : MN_ACCURACY_FAST;
        def.solver.max_time_step = 0.01; // steps of first order take a share of half the decay in one of them away
        def.periodic[0] = def.periodic[1] = true;
        def.domain = (mn_Domain){v3(0, 0, 0), v3(1, 1, 0)};
        mn_World* world = world_new(&def);
        mn_Block row[ROWS];
        for (int j = 0; j < ROWS; j++)
            row[j] = (mn_Block){v3(0, (double)j / ROWS, 0), v3(1, (j + 1.0) / ROWS, 0),
                                v3(0.1 * sin(2 * M_PI * (j + 0.5) / ROWS), 0, 0)};
        mn_FluidDef fluid = honey(MN_VISCOSITY_IMPLICIT, row);
        fluid.block_count = ROWS;
        fluid.viscosity = 14.2; // 0.01 m2/s
        add_fluid(world, &fluid);
        world_prepare(world);
        double before = amplitude(world);
        world_until(world, 1);
        double found = log(before / amplitude(world)) / (4 * M_PI * M_PI) / 0.01;
        print_message("%s: %.3f of the viscosity in %d steps\n", k ? "accurate" : "fast", found, (int)mn_world_stats(world).steps);
        assert_near(found, 1, 0.03);
        mn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_water),  cmocka_unit_test(long_steps_change_little),
        cmocka_unit_test(threads_do_not_matter),     cmocka_unit_test(shear_has_all_of_its_viscosity),
        cmocka_unit_test(walls_feel_what_they_hold), cmocka_unit_test(spreads_as_viscous_currents_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
