// SPDX-License-Identifier: MIT
// Water at rest. Pressure is measured in the bulk, two and a half spacings or more away from walls, floor and surface, over
// the last half second: particle by particle against the weight of the water above it per area; at probes in half depth in
// the same way, because water settles by a fraction of a spacing and the weight above is the depth that counts; and as what
// the tank carries. Particles that touch a wall feel it through their own pressure alone (Akinci 2014,
// eq. 3.7) and need about 1.5 times the pressure of the water for that; the force on the wall is right.
#include "worlds.h"

static const double GRAVITY = 9.81, DENSITY = 1000, RADIUS = 0.01;
enum { PROBES = 5 };

typedef struct Column {
    int dimension;
    mn_Pressure method;
    double across, high; // [spacings]
    double seconds;
} Column;

typedef struct Means {
    double above;  // [1] pressure / weight above
    double square; // mean of its square
    double probe;  // [1] probe / weight above
    double force;  // [1] force on the tank / weight
    double samples, frames;
} Means;

static double levels_below(const float* level, size_t count, float y)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (level[middle] < y)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)low;
}

static bool in_bulk(const Column* column, const float* x)
{
    double d = 2 * RADIUS, wide = column->across * d, margin = 2.5 * d;
    bool sides = (double)x[0] > margin && (double)x[0] < wide - margin;
    bool depth = column->dimension == 2 || ((double)x[2] > margin && (double)x[2] < wide - margin);
    return sides && depth && (double)x[1] > 3 * d && (double)x[1] < column->high * d - 4 * d;
}

static void measure(const Column* column, mn_World* world, Means* means)
{
    double d = 2 * RADIUS, wide = column->across * d, area = column->dimension == 3 ? wide * wide : wide;
    double weight = DENSITY * GRAVITY * pow(d, column->dimension);
    mn_ParticleView view = mn_world_particles(world);
    float* level = sorted_along(world, 1);
    for (size_t i = 0; i < view.count; i++) {
        if (!in_bulk(column, view.position + 4 * i))
            continue;
        double above = (double)view.count - levels_below(level, view.count, view.position[4 * i + 1]) - 0.5;
        double ratio = (double)view.pressure[i] / (above * weight / area);
        means->above += ratio;
        means->square += ratio * ratio;
        means->samples++;
    }
    double above = (double)view.count - levels_below(level, view.count, (float)(column->high * d / 2));
    for (mn_ProbeId probe = 1; probe <= PROBES; probe++)
        means->probe += mn_world_probe(world, probe, NULL) / (above * weight / area) / PROBES;
    free(level);
    means->force += -mn_world_solid(world, 1).force.y / (weight * (double)view.count);
    means->frames++;
}

static void finish(Means* means)
{
    means->above /= means->samples;
    means->square = sqrt(fmax(0, means->square / means->samples - means->above * means->above));
    means->probe /= means->frames;
    means->force /= means->frames;
}

static void check_column(const Column* column, double tolerance)
{
    double d = 2 * RADIUS, height = column->high * d, middle = column->across * d / 2;
    mn_World* world = column_world(column->dimension, RADIUS, column->method, column->across, column->high);
    for (int k = 0; k < PROBES; k++) // water at rest keeps its pattern: one place is no mean
        add_probe(world, MN_PROBE_PRESSURE, v3(middle * (0.6 + 0.2 * k), height / 2, column->dimension == 3 ? middle : 0));
    mn_ProbeId level = add_probe(world, MN_PROBE_HEIGHT, v3(middle, 0, column->dimension == 3 ? middle : 0));
    Means means = {0};
    double early = 0, late = 0, surface = 0;
    int frames = (int)lround(column->seconds * 50);
    for (int frame = 1; frame <= frames; frame++) {
        world_until(world, 0.02 * frame);
        double energy = mn_world_stats(world).kinetic_energy;
        if (frame <= 10)
            early = fmax(early, energy);
        if (frame > frames - 25) {
            measure(column, world, &means);
            late = fmax(late, energy);
            surface += mn_world_probe(world, level, NULL) / 25;
        }
    }
    finish(&means);
    mn_Stats stats = mn_world_stats(world);
    print_message("%s %dD: pressure / weight above %.4f (scatter %.3f), probe %.4f, force on tank %.4f, level %+.2f d, kinetic "
                  "energy %.2g of "
                  "its first peak, fastest %.3f sqrt(g H)\n",
                  METHOD_NAME[column->method], column->dimension, means.above, means.square, means.probe, means.force,
                  (surface - height) / d, late / early, stats.max_speed / sqrt(GRAVITY * height));
    assert_near(means.above, 1, tolerance);
    assert_near(means.probe, 1, tolerance);
    assert_near(means.force, 1, 0.01);
    assert_near(surface, height, 0.5 * d);
    assert_near(top_of(world) + RADIUS, height, 0.5 * d);
    assert_below(late, 0.15 * early);
    assert_int_equal(stats.not_converged, 0);
    assert_int_equal(stats.leaked_particles + stats.lost_particles, 0);
    mn_world_destroy(world);
}

static void pressure_is_right_in_2d(void** state)
{
    for (size_t k = 0; k < COUNT_OF(ALL_METHODS); k++)
        check_column(&(Column){2, ALL_METHODS[k], 20, 24, 2}, ALL_METHODS[k] == MN_PRESSURE_SESPH ? 0.05 : 0.02);
}

static void pressure_is_right_in_3d(void** state)
{
    for (size_t k = 0; k < COUNT_OF(ALL_METHODS); k++)
        check_column(&(Column){3, ALL_METHODS[k], 12, 16, 2}, ALL_METHODS[k] == MN_PRESSURE_SESPH ? 0.05 : 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_is_right_in_2d),
        cmocka_unit_test(pressure_is_right_in_3d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
