// SPDX-License-Identifier: MIT
// Drops of water without gravity, by the physical value of their surface tension: the pressure inside follows Laplace, the
// oscillation Rayleigh, at several resolutions; a cube becomes a ball.
#include "drops.h"

#include "base/random.h"

static const double SIGMA = 0.0728, DENSITY = 1000; // water

// --- Laplace: p = 2 sigma / R

// Mean pressure of particles at least three spacings below the surface (of the inner third of a small drop).
static double pressure_inside(const mn_World* world, double radius, double spacing)
{
    mn_ParticleView view = mn_world_particles(world);
    mn_Vec3 c = drop_centre(&view);
    double sum = 0, count = 0, within = fmax(radius - 3 * spacing, 0.35 * radius);
    for (size_t i = 0; i < view.count; i++) {
        const float* x = view.position + 4 * i;
        if (hypot(hypot((double)x[0] - c.x, (double)x[1] - c.y), (double)x[2] - c.z) < within) {
            sum += (double)view.pressure[i];
            count++;
        }
    }
    return sum / count;
}

// p R / 2 over sigma, averaged over time and drops that differ in how their lattice was shaken.
static double laplace(double ratio, int drops)
{
    double sum = 0, r = 5e-4, mean_radius = 0;
    for (int k = 0; k < drops; k++) {
        DropDef drop = {.radius = ratio * 2 * r,
                        .particle_radius = r,
                        .sigma = 0.02,
                        .shake = 0.15,
                        .viscosity = 0.01,
                        .seed = 1 + (uint64_t)k};
        mn_World* world = drop_new(&drop);
        double mean = 0;
        enum { SAMPLES = 25 };
        double radius = drop_radius(world, r);
        for (int s = 0; s < SAMPLES; s++) {
            world_until(world, 0.2 + 0.008 * s);
            mean += pressure_inside(world, radius, 2 * r) / SAMPLES;
        }
        sum += mean * radius / (2 * drop.sigma);
        mean_radius += radius / drops;
        mn_world_destroy(world);
    }
    print_message("drops of %.1f spacings: pressure is %.3f of 2 sigma / R\n", mean_radius / (2 * r), sum / drops);
    return sum / drops;
}

static void pressure_in_drops_follows_laplace(void** state)
{
    assert_near(laplace(4, 6), 1, 0.1);
    assert_near(laplace(7, 2), 1, 0.1);
    assert_near(laplace(12, 1), 1, 0.1);
}

// --- Rayleigh: omega^2 = 8 sigma / (rho R^3)

static double elongation(const mn_World* world)
{
    mn_ParticleView view = mn_world_particles(world);
    mn_Vec3 c = drop_centre(&view);
    double q[3] = {0, 0, 0};
    for (size_t i = 0; i < view.count; i++) {
        const float* x = view.position + 4 * i;
        q[0] += pow((double)x[0] - c.x, 2);
        q[1] += pow((double)x[1] - c.y, 2);
        q[2] += pow((double)x[2] - c.z, 2);
    }
    return sqrt(2 * q[0] / (q[1] + q[2])) - 1;
}

// The second to the fourth time that the drop passes its round shape are a period apart; the first is the start.
static double period(double radius, double ratio)
{
    double wanted = 2 * M_PI / sqrt(8 * SIGMA / (DENSITY * pow(radius, 3)));
    DropDef drop = {.radius = radius, .particle_radius = radius / (2 * ratio), .sigma = SIGMA, .shake = 0.1, .seed = 5};
    drop.stretch = 0.3 * 2 * M_PI / wanted;
    mn_World* world = drop_new(&drop);
    double crossing[3], last = 0, step = wanted / 40;
    int found = 0;
    for (int k = 1; k < 90 && found < 3; k++) {
        world_until(world, k * step);
        double now = elongation(world);
        if (k > 4 && (now > 0) != (last > 0))
            crossing[found++] = step * (k - 1 + last / (last - now));
        last = now;
    }
    assert_int_equal(found, 3);
    mn_world_destroy(world);
    double share = (crossing[2] - crossing[0]) / wanted;
    print_message("a drop of %g mm, %g spacings in radius, oscillates with %.3f of Rayleigh's period of %.2f ms\n", 2e3 * radius,
                  ratio, share, 1e3 * wanted);
    return share;
}

static void drops_oscillate_as_rayleigh_says_at_three_resolutions(void** state)
{
    static const double ratio[] = {5, 7, 10};
    for (size_t k = 0; k < COUNT_OF(ratio); k++)
        assert_near(period(0.005, ratio[k]), 1, 0.1);
    assert_near(period(0.00025, 5), 1, 0.1); // half a millimetre wide
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_in_drops_follows_laplace),
        cmocka_unit_test(drops_oscillate_as_rayleigh_says_at_three_resolutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
