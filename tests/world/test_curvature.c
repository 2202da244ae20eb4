// SPDX-License-Identifier: MIT
// Tension from the shape of the surface: drops oscillate as theory says and hardly lose amplitude, the pressure inside follows
// Laplace, a drop in free flight keeps its momentum and spin, and threads change nothing.
#include "worlds.h"

#include "base/random.h"

static const double SIGMA = 0.0728, DENSITY = 1000, RADIUS = 0.01; // a drop of water

typedef struct DropCase {
    int dimension;
    double ratio;   // radius over spacing
    double stretch; // the long half axis over the radius, less 1
    mn_Accuracy accuracy;
    mn_Pressure method;
    mn_Vec3 velocity; // [m/s]
    double spin;      // [1/s]
    int threads;
} DropCase;

// Particles of a lattice in an ellipsoid, with random velocities that break the lattice.
static mn_World* drop_world(const DropCase* c)
{
    double d = RADIUS / c->ratio, r = d / 2, deep = c->dimension == 3 ? r : 0;
    mn_WorldDef def = water_def(c->dimension, r, c->method);
    def.gravity = v3(0, 0, 0);
    def.threads = c->threads;
    def.solver.accuracy = c->accuracy;
    if (c->accuracy == MN_ACCURACY_FAST) {
        def.support_radius = 5 * r;
        def.kernel = MN_KERNEL_WENDLAND;
    }
    mn_World* world = world_new(&def);
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.tension = (mn_TensionDef){.method = MN_TENSION_CURVATURE, .gamma = MN_AUTO, .sigma = SIGMA};
    fluid.viscosity = 0;
    double a = RADIUS * (1 + c->stretch), b = c->dimension == 2 ? RADIUS / (1 + c->stretch) : RADIUS / sqrt(1 + c->stretch);
    int n = (int)ceil(a / d) + 1, side = 2 * n + 1, all = side * side * (c->dimension == 3 ? side : 1);
    fluid.blocks = calloc((size_t)all, sizeof *fluid.blocks);
    assert_non_null(fluid.blocks);
    Random random = {7};
    double u = 1e-3 * 10 / c->ratio;
    for (int k = 0; k < all; k++) {
        double x = d * (k % side - n), y = d * (k / side % side - n), z = c->dimension == 3 ? d * (k / side / side - n) : 0;
        if (x * x / (a * a) + (y * y + z * z) / (b * b) > 1)
            continue;
        mn_Vec3 v = v3(c->velocity.x - c->spin * y + u * random_range(&random, -1, 1),
                       c->velocity.y + c->spin * x + u * random_range(&random, -1, 1), c->velocity.z);
        fluid.blocks[fluid.block_count++] = (mn_Block){v3(x - r, y - r, z - deep), v3(x + r, y + r, z + deep), v};
    }
    add_fluid(world, &fluid);
    free(fluid.blocks);
    world_prepare(world);
    return world;
}

static double rayleigh(int dimension)
{
    return 2 * M_PI / sqrt((dimension == 2 ? 6 : 8) * SIGMA / (DENSITY * pow(RADIUS, 3)));
}

// Root of the ratio of second moments along x and across, less 1.
static double elongation(const mn_World* world, int dimension)
{
    mn_ParticleView view = mn_world_particles(world);
    double mean[3] = {0}, q[3] = {0};
    for (size_t i = 0; i < view.count; i++)
        for (int k = 0; k < 3; k++)
            mean[k] += (double)view.position[4 * i + (size_t)k] / (double)view.count;
    for (size_t i = 0; i < view.count; i++)
        for (int k = 0; k < 3; k++)
            q[k] += pow((double)view.position[4 * i + (size_t)k] - mean[k], 2);
    return sqrt(dimension == 2 ? q[0] / q[1] : 2 * q[0] / (q[1] + q[2])) - 1;
}

// --- oscillation

typedef struct Swing {
    double period; // over theory
    double kept;   // of the amplitude, after a period
} Swing;

// The first and the third time that the drop is round are a period apart; the largest elongations between are those of half a
// period.
static Swing swing(const DropCase* c)
{
    double wanted = rayleigh(c->dimension), step = wanted / 40, crossing[5] = {0}, peak[6] = {0}, last = 0;
    mn_World* world = drop_world(c);
    int found = 0;
    for (int k = 1; k <= 84 && found < 4; k++) {
        world_until(world, k * step);
        double now = elongation(world, c->dimension);
        if (k > 1 && (now > 0) != (last > 0))
            crossing[found++] = step * (k - 1 + last / (last - now));
        peak[found] = fmax(peak[found], fabs(now));
        last = now;
    }
    assert_true(found >= 4);
    mn_world_destroy(world);
    return (Swing){(crossing[3] - crossing[1]) / wanted, (peak[2] + peak[3]) / (peak[0] + peak[1])};
}

static void drops_oscillate(void** state)
{
    static const DropCase CASES[] = {
        {.dimension = 2, .ratio = 10, .stretch = 0.05, .accuracy = MN_ACCURACY_ACCURATE, .method = MN_PRESSURE_DFSPH, .threads = 1},
        {.dimension = 2, .ratio = 10, .stretch = 0.05, .accuracy = MN_ACCURACY_FAST, .method = MN_PRESSURE_DFSPH, .threads = 1},
        {.dimension = 2, .ratio = 10, .stretch = 0.05, .accuracy = MN_ACCURACY_FAST, .method = MN_PRESSURE_IISPH, .threads = 1},
    };
    for (size_t k = 0; k < COUNT_OF(CASES); k++) {
        Swing s = swing(&CASES[k]);
        print_message("%dD, %g spacings, accuracy %d, %s: period %.3f of theory, %.3f of the amplitude after a period\n",
                      CASES[k].dimension, CASES[k].ratio, (int)CASES[k].accuracy, METHOD_NAME[CASES[k].method], s.period, s.kept);
        assert_near(s.period, 1, 0.05);
        assert_near(s.kept, 1, 0.1);
    }
}

// --- Laplace

static void pressure_follows_laplace(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        DropCase c = {.dimension = dimension,
                      .ratio = dimension == 2 ? 10 : 6,
                      .accuracy = MN_ACCURACY_FAST,
                      .method = MN_PRESSURE_DFSPH,
                      .threads = 1};
        mn_World* world = drop_world(&c);
        double mean = 0, count = 0;
        for (int s = 1; s <= 10; s++) {
            world_until(world, 0.02 + 0.004 * s);
            mn_ParticleView view = mn_world_particles(world);
            for (size_t i = 0; i < view.count; i++) {
                const float* x = view.position + 4 * i;
                if (hypot(hypot((double)x[0], (double)x[1]), (double)x[2]) < 0.5 * RADIUS) {
                    mean += (double)view.pressure[i];
                    count++;
                }
            }
        }
        double share = mean / count * RADIUS / ((dimension - 1) * SIGMA);
        print_message("%dD: pressure is %.3f of what Laplace says\n", dimension, share);
        assert_near(share, 1, 0.05);
        mn_world_destroy(world);
    }
}

// --- free flight

typedef struct Motion {
    double momentum[3], spin[3], sum, angular; // over the mass of a particle; sums of |v| and |x| |v|
} Motion;

static Motion motion(const mn_World* world)
{
    mn_ParticleView view = mn_world_particles(world);
    Motion m = {0};
    for (size_t i = 0; i < view.count; i++) {
        double x[3], v[3], x2 = 0, v2 = 0;
        for (size_t k = 0; k < 3; k++) {
            x[k] = (double)view.position[4 * i + k];
            v[k] = (double)view.velocity[4 * i + k];
            x2 += x[k] * x[k];
            v2 += v[k] * v[k];
        }
        for (int k = 0; k < 3; k++) {
            m.momentum[k] += v[k];
            m.spin[k] += x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3];
        }
        m.sum += sqrt(v2);
        m.angular += sqrt(x2 * v2);
    }
    return m;
}

static void free_flight_keeps_momentum_and_spin(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        DropCase c = {.dimension = dimension,
                      .ratio = dimension == 2 ? 10 : 5,
                      .stretch = 0.2,
                      .accuracy = MN_ACCURACY_FAST,
                      .method = MN_PRESSURE_DFSPH,
                      .velocity = {0.05, 0.02, dimension == 3 ? 0.03 : 0},
                      .spin = 3,
                      .threads = 1};
        mn_World* world = drop_world(&c);
        Motion before = motion(world);
        world_until(world, 0.1);
        Motion after = motion(world);
        double drift = 0, turn = 0;
        for (int k = 0; k < 3; k++) {
            drift = hypot(drift, after.momentum[k] - before.momentum[k]);
            turn = hypot(turn, after.spin[k] - before.spin[k]);
        }
        print_message("%dD: momentum drifts by %.2g, angular momentum by %.2g of all that moves in %d steps\n", dimension,
                      drift / before.sum, turn / before.angular, (int)mn_world_stats(world).steps);
        assert_below(drift / before.sum, 1e-6);
        assert_below(turn / before.angular, 1e-6);
        mn_world_destroy(world);
    }
}

// --- threads

static void threads_change_no_bit(void** state)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        DropCase c = {.dimension = 3, .ratio = 5, .stretch = 0.1, .method = MN_PRESSURE_DFSPH, .threads = k ? 3 : 1};
        mn_World* world = drop_world(&c);
        world_until(world, 0.02);
        hash[k] = mn_world_hash(world);
        mn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_oscillate),
        cmocka_unit_test(pressure_follows_laplace),
        cmocka_unit_test(free_flight_keeps_momentum_and_spin),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
