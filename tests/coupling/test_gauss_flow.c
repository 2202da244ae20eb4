// SPDX-License-Identifier: MIT
// Viscous flow through a stiff tube and between plates with the boundary viscosity of Müller 2004, on a periodic axis: as much as
// Poiseuille says.
#include "world/worlds.h"

static const double RADIUS = 0.01, KINEMATIC = 0.02, PULL = 0.02; // [m], [m2/s], [m/s2]

static mn_WorldDef flow_def(int dimension, double length)
{
    mn_WorldDef def = water_def(dimension, RADIUS, MN_PRESSURE_DFSPH);
    def.threads = 1;
    def.gravity = v3(PULL, 0, 0);
    def.periodic[0] = true;
    def.domain = (mn_Domain){v3(0, -1, dimension == 3 ? -1 : 0), v3(length, 1, dimension == 3 ? 1 : 0)};
    def.coupling.method = MN_COUPLING_GAUSS;
    def.coupling.stiffness = 300; // nothing falls in this scene, so nothing tells how stiff walls must be
    return def;
}

static void fill(mn_World* world, mn_FluidDef* fluid)
{
    fluid->viscosity_method = MN_VISCOSITY_IMPLICIT;
    fluid->viscosity = 1000 * KINEMATIC;
    add_fluid(world, fluid);
    world_prepare(world);
}

// [m2/s] sum of velocities times volume, per length along the axis
static double rate(const mn_World* world, double volume, double length)
{
    mn_ParticleView view = mn_world_particles(world);
    double sum = 0;
    for (size_t i = 0; i < view.count; i++)
        sum += (double)view.velocity[4 * i];
    return sum * volume / length;
}

static mn_World* tube_world(double width, double length)
{
    mn_WorldDef def = flow_def(3, length);
    mn_World* world = world_new(&def);
    mn_Vec3 middle = v3(length / 2, 0, 0);
    mn_Quat along_x = {sqrt(0.5), 0, 0, sqrt(0.5)};
    mn_SolidDef tube = mn_default_solid_def();
    tube.shape = (mn_Shape){.type = MN_SHAPE_CYLINDER, .size = v3(width, 2.5 * length, 0)};
    tube.pose = (mn_Pose){middle, along_x};
    tube.inside = true;
    add_solid(world, &tube);
    mn_FluidShape shape = {.shape = {.type = MN_SHAPE_CYLINDER, .size = v3(width, length, 0)},
                           .position = middle,
                           .rotation = along_x,
                           .scale = v3(1, 1, 1)};
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.shapes = &shape;
    fluid.shape_count = 1;
    fill(world, &fluid);
    return world;
}

static void as_much_as_poiseuille_through_a_tube(void** state)
{
    const double widths[] = {0.12, 0.16}, length = 0.24;
    for (int k = 0; k < 2; k++) {
        double width = widths[k], exact = M_PI * pow(width, 4) * PULL / (8 * KINEMATIC);
        mn_World* world = tube_world(width, length);
        world_until(world, 35 * width * width); // four times what it takes to get going
        double share = rate(world, pow(2 * RADIUS, 3), length) / exact;
        print_message("tube of %.0f radii: %.3f of Poiseuille's flow\n", width / RADIUS, share);
        assert_near(share, 1, 0.05);
        assert_int_equal(mn_world_stats(world).leaked_particles, 0);
        mn_world_destroy(world);
    }
}

static void as_much_as_poiseuille_between_plates(void** state)
{
    double width = 0.4, length = 0.4, exact = pow(width, 3) * PULL / (12 * KINEMATIC);
    mn_WorldDef def = flow_def(2, length);
    mn_World* world = world_new(&def);
    for (int k = 0; k < 2; k++) {
        double low = k ? width / 2 : -width / 2 - 0.1;
        mn_SolidDef plate = box_def(v3(-0.5, low, 0), v3(length + 0.5, low + 0.1, 0), false);
        add_solid(world, &plate);
    }
    mn_Block block = {.min = v3(0, -width / 2, 0), .max = v3(length, width / 2, 0)};
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.blocks = &block;
    fluid.block_count = 1;
    fill(world, &fluid);
    world_until(world, 3);
    double share = rate(world, pow(2 * RADIUS, 2), length) / exact;
    print_message("plates: %.3f of Poiseuille's flow\n", share);
    assert_near(share, 1, 0.05);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_much_as_poiseuille_through_a_tube),
        cmocka_unit_test(as_much_as_poiseuille_between_plates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
