// SPDX-License-Identifier: MIT
// Flow between two plates that are pressed on along them (plane Poiseuille flow, from rest): the viscosity that acts, and no slip,
// by the mean speed and the profile at three resolutions.
#include "worlds.h"

static const double HIGH = 0.1, NU = 1e-3, PUSH = 0.1, DENSITY = 1000; // [m], [m2/s], [m/s2], [kg/m3]

typedef struct Channel {
    double mean;  // speed, over theory
    double error; // rms, over the middle's speed in the end
} Channel;

// The speed at height y after so long.
static double theory(double y, double time)
{
    double middle = PUSH * HIGH * HIGH / (8 * NU), speed = 4 * middle * y * (HIGH - y) / (HIGH * HIGH);
    for (int m = 1; m < 20; m += 2)
        speed -= middle * 32 / pow(m * M_PI, 3) * sin(m * M_PI * y / HIGH) * exp(-pow(m * M_PI / HIGH, 2) * NU * time);
    return speed;
}

static mn_World* channel_world(int across, mn_Accuracy accuracy)
{
    enum { ALONG = 26 };
    double d = HIGH / across, length = ALONG * d;
    mn_WorldDef def = water_def(2, d / 2, MN_PRESSURE_DFSPH);
    def.solver.accuracy = accuracy;
    def.gravity = v3(PUSH, 0, 0);
    def.periodic[0] = true;
    def.domain.min = v3(0, -1, 0);
    def.domain.max = v3(length, 1, 0);
    mn_World* world = world_new(&def);
    mn_SolidDef plates = box_def(v3(-length, 0, 0), v3(2 * length, HIGH, 0), true);
    add_solid(world, &plates);
    mn_Block block = {v3(0, 0, 0), v3(length, HIGH, 0), v3(0, 0, 0)};
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.density = DENSITY;
    fluid.viscosity_method = MN_VISCOSITY_IMPLICIT;
    fluid.viscosity = NU * DENSITY;
    fluid.blocks = &block;
    fluid.block_count = 1;
    add_fluid(world, &fluid);
    world_prepare(world);
    return world;
}

static Channel channel(int across, mn_Accuracy accuracy)
{
    enum { SAMPLES = 10 };
    double end = 0.5 * HIGH * HIGH / NU, middle = PUSH * HIGH * HIGH / (8 * NU), sum = 0, wanted = 0, square = 0, count = 0;
    mn_World* world = channel_world(across, accuracy);
    for (int k = 1; k <= SAMPLES; k++) {
        double time = end * (0.7 + 0.3 * k / SAMPLES);
        world_until(world, time);
        mn_ParticleView view = mn_world_particles(world);
        for (size_t i = 0; i < view.count; i++) {
            double u = (double)view.velocity[4 * i], exact = theory((double)view.position[4 * i + 1], time);
            sum += u;
            wanted += exact;
            square += (u - exact) * (u - exact);
            count++;
        }
    }
    mn_world_destroy(world);
    Channel c = {sum / wanted, sqrt(square / count) / middle};
    print_message("%d particles across, accuracy %d: mean speed %.4f of theory, rms error %.4f of the middle's\n", across,
                  (int)accuracy, c.mean, c.error);
    return c;
}

static void channels_have_their_viscosity_and_do_not_slip(void** state)
{
    for (int accuracy = 0; accuracy < 2; accuracy++) {
        Channel coarse = channel(10, (mn_Accuracy)accuracy), medium = channel(20, (mn_Accuracy)accuracy),
                fine = channel(40, (mn_Accuracy)accuracy);
        assert_near(coarse.mean, 1, 0.1);
        assert_near(medium.mean, 1, accuracy ? 0.03 : 0.05);
        assert_near(fine.mean, 1, 0.03);
        assert_below(medium.error, coarse.error);
        assert_below(fine.error, medium.error / 1.5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(channels_have_their_viscosity_and_do_not_slip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
