// SPDX-License-Identifier: MIT
// Tension by curvature against theory: capillary waves have their period and are damped as their viscosity says, drops on a floor
// have the contact angle that was asked for, from either side.
#include "worlds.h"

#include "base/random.h"

static const double SIGMA = 0.0728, DENSITY = 1000; // water

static mn_WorldDef curvature_def(int dimension, double r, mn_Accuracy accuracy)
{
    mn_WorldDef def = water_def(dimension, r, MN_PRESSURE_DFSPH);
    def.gravity = v3(0, 0, 0);
    def.solver.accuracy = accuracy;
    if (accuracy == MN_ACCURACY_FAST) {
        def.support_radius = 5 * r;
        def.kernel = MN_KERNEL_WENDLAND;
    }
    return def;
}

static mn_FluidDef curvature_fluid(double viscosity, size_t particles)
{
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.tension = (mn_TensionDef){.method = MN_TENSION_CURVATURE, .gamma = MN_AUTO, .sigma = SIGMA};
    fluid.viscosity_method = MN_VISCOSITY_IMPLICIT;
    fluid.viscosity = viscosity;
    fluid.blocks = calloc(particles, sizeof *fluid.blocks);
    assert_non_null(fluid.blocks);
    return fluid;
}

static void add_particle(mn_FluidDef* fluid, mn_Vec3 at, double r, int dimension, mn_Vec3 velocity)
{
    double deep = dimension == 3 ? r : 0;
    fluid->blocks[fluid->block_count++] =
        (mn_Block){v3(at.x - r, at.y - r, at.z - deep), v3(at.x + r, at.y + r, at.z + deep), velocity};
}

// --- waves

// A sheet of water of thickness 2 T without gravity, periodic along x, whose two surfaces swing against each other: each is a wave
// on water of depth T over a floor that lets it slip, omega^2 = sigma k^3 / rho tanh(k T). Viscosity takes 2 nu k^2 of it.
typedef struct Sheet {
    double length, depth, k, omega, spacing;
} Sheet;

static mn_Vec3 wave_velocity(const Sheet* s, double x, double y)
{
    double deep = sinh(s->k * s->depth);
    return v3(-sin(s->k * x) * cosh(s->k * y) / deep, cos(s->k * x) * sinh(s->k * y) / deep, 0);
}

static mn_World* sheet_world(const Sheet* s, double amplitude, double viscosity)
{
    double d = s->spacing, r = d / 2, u = amplitude * s->omega;
    mn_WorldDef def = curvature_def(2, r, MN_ACCURACY_FAST);
    def.periodic[0] = true;
    def.domain.min = v3(-s->length / 2, -1, 0);
    def.domain.max = v3(s->length / 2, 1, 0);
    mn_World* world = world_new(&def);
    int n = (int)round(s->length / d), m = (int)round(2 * s->depth / d);
    mn_FluidDef fluid = curvature_fluid(viscosity, (size_t)(n * m));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double x = -s->length / 2 + (i + 0.5) * d, y = -s->depth + (j + 0.5) * d;
            mn_Vec3 v = wave_velocity(s, x, y);
            add_particle(&fluid, v3(x, y, 0), r, 2, v3(u * v.x, u * v.y, 0));
        }
    add_fluid(world, &fluid);
    free(fluid.blocks);
    world_prepare(world);
    return world;
}

// How much of the wave's velocity there is.
static double wave_now(const mn_World* world, const Sheet* s)
{
    mn_ParticleView view = mn_world_particles(world);
    double sum = 0, square = 0;
    for (size_t i = 0; i < view.count; i++) {
        mn_Vec3 u = wave_velocity(s, (double)view.position[4 * i], (double)view.position[4 * i + 1]);
        sum += u.x * (double)view.velocity[4 * i] + u.y * (double)view.velocity[4 * i + 1];
        square += u.x * u.x + u.y * u.y;
    }
    return sum / square;
}

typedef struct WaveResult {
    double period, loss; // over theory; of ln(amplitude) per period, over that of viscosity
} WaveResult;

// Second and fourth largest velocities are a period apart, as are the first and the third time that it is 0: the start, from a
// lattice, does not count.
static WaveResult wave_result(int per_length, double viscosity)
{
    Sheet s = {.length = 0.02, .spacing = 0.02 / per_length};
    s.k = 2 * M_PI / s.length;
    s.depth = per_length / 4 * s.spacing;
    s.omega = sqrt(SIGMA * pow(s.k, 3) / DENSITY * tanh(s.k * s.depth));
    double period = 2 * M_PI / s.omega, step = period / 40, crossing[3] = {0}, peak[4] = {0}, last = 0;
    mn_World* world = sheet_world(&s, 0.01 * s.length, viscosity);
    int found = 0;
    for (int k = 1; k <= 64; k++) {
        world_until(world, k * step);
        double now = wave_now(world, &s);
        if (k > 1 && (now > 0) != (last > 0) && found < 3)
            crossing[found++] = step * (k - 1 + last / (last - now));
        peak[found] = fmax(peak[found], fabs(now));
        last = now;
    }
    assert_int_equal(found, 3);
    mn_world_destroy(world);
    double viscous = 2 * viscosity / DENSITY * s.k * s.k * period;
    return (WaveResult){(crossing[2] - crossing[0]) / period, log(peak[1] / peak[3]) / viscous};
}

static void waves_have_their_period_and_damping(void** state)
{
    static const int PER_LENGTH[] = {48, 64};
    for (size_t k = 0; k < COUNT_OF(PER_LENGTH); k++) {
        WaveResult w = wave_result(PER_LENGTH[k], 0.005);
        print_message("%d spacings per wave: period %.3f of theory, damping %.2f times the viscous one\n", PER_LENGTH[k], w.period,
                      w.loss);
        assert_near(w.period, 1, 0.05);
        assert_below(w.loss, 2);
    }
}

// --- jets

// The amplitude of a disturbance along a jet that is periodic along x.
static double disturbance(const mn_World* world, double k)
{
    mn_ParticleView view = mn_world_particles(world);
    double c = 0, s = 0;
    for (size_t i = 0; i < view.count; i++) {
        c += cos(k * (double)view.position[4 * i]);
        s += sin(k * (double)view.position[4 * i]);
    }
    return hypot(c, s) / (double)view.count;
}

static mn_World* jet_world(double radius, double d, int along)
{
    const double length = along * d, k = 2 * M_PI / length, most = 0.02;
    mn_WorldDef def = curvature_def(3, d / 2, MN_ACCURACY_ACCURATE);
    def.periodic[0] = true;
    def.domain.min = v3(-length / 2, -1, -1);
    def.domain.max = v3(length / 2, 1, 1);
    mn_World* world = world_new(&def);
    int n = (int)ceil(radius * (1 + most) / d) + 1, side = 2 * n + 1;
    mn_FluidDef fluid = curvature_fluid(0, (size_t)(along * side * side));
    fluid.viscosity_method = MN_VISCOSITY_ARTIFICIAL;
    for (int i = 0; i < along * side * side; i++) {
        double x = -length / 2 + (i % along + 0.5) * d, y = (i / along % side - n) * d, z = (i / along / side - n) * d;
        if (hypot(y, z) < radius * (1 + most * cos(k * x)))
            add_particle(&fluid, v3(x, y, z), d / 2, 3, v3(0, 0, 0));
    }
    add_fluid(world, &fluid);
    free(fluid.blocks);
    world_prepare(world);
    return world;
}

// Rayleigh (1878): a disturbance of wave number k grows by omega^2 = sigma / (rho R^3) x I1(x) / I0(x) (1 - x^2), x = k R, and from
// rest as cosh(omega t). On a lattice one of 2 % of the radius is one of 6 % by its volume.
static void jets_break_up(void** state)
{
    const double radius = 0.005, d = radius / 5;
    const int along = (int)round(2 * M_PI * radius / 0.7 / d);
    double k = 2 * M_PI / (along * d), x = k * radius;
    double i0 = 1 + x * x / 4 + pow(x, 4) / 64 + pow(x, 6) / 2304, i1 = x / 2 + pow(x, 3) / 16 + pow(x, 5) / 384;
    double omega = sqrt(SIGMA / (DENSITY * pow(radius, 3)) * x * i1 / i0 * (1 - x * x));
    mn_World* world = jet_world(radius, d, along);
    double start = disturbance(world, k);
    world_until(world, 2 / omega);
    double grown = log(disturbance(world, k) / start) / log(cosh(2));
    print_message("a jet of radius 5 spacings: its disturbance grows by %.3f of theory, from %.3f\n", grown, start);
    assert_near(grown, 1, 0.15);
    mn_world_destroy(world);
}

// --- contact angles

// Height of the centre over the root of the volume of a cap with this angle.
static double cap_centre(int dimension, double angle)
{
    double c = cos(angle), s = sin(angle);
    if (dimension == 2) {
        double area = angle - s * c;
        return (2.0 / 3 * s * s * s / area - c) / sqrt(area);
    }
    double volume = M_PI / 3 * (2 + c) * (1 - c) * (1 - c);
    double moment = M_PI * ((1 - c * c) / 2 - (1 - pow(c, 4)) / 4 - c * ((1 - c) - (1 - c * c * c) / 3));
    return moment / volume / cbrt(volume);
}

static double angle_of(const mn_World* world, int dimension, double d)
{
    mn_ParticleView view = mn_world_particles(world);
    double mean = 0, low = 1e-3, high = M_PI;
    for (size_t i = 0; i < view.count; i++)
        mean += (double)view.position[4 * i + 1] / (double)view.count;
    double wanted = mean / pow((double)view.count * pow(d, dimension), 1.0 / dimension);
    for (int k = 0; k < 50; k++) {
        double middle = (low + high) / 2;
        *(cap_centre(dimension, middle) < wanted ? &low : &high) = middle;
    }
    return low * 180 / M_PI;
}

typedef struct ContactCase {
    int dimension;
    mn_Accuracy accuracy;
    double spacings;     // radius of the drop in free flight
    double start, angle; // [degrees]
    double time;         // over sqrt(rho R^3 / sigma)
} ContactCase;

// A cap of the angle `start` on the floor of a box, shaken a little.
static mn_World* cap_world(const ContactCase* c, double radius)
{
    double d = radius / c->spacings, r = d / 2, wide = 6 * radius, angle = c->start * M_PI / 180, cosine = cos(angle);
    double share = c->dimension == 2 ? sqrt(M_PI / (angle - sin(angle) * cosine)) : cbrt(4 / ((2 + cosine) * pow(1 - cosine, 2)));
    double big = radius * share, deep = c->dimension == 3 ? wide : 0;
    mn_WorldDef def = curvature_def(c->dimension, r, c->accuracy);
    mn_World* world = world_new(&def);
    mn_SolidDef tank = box_def(v3(-wide, 0, -deep), v3(wide, wide, deep), true);
    tank.contact_angle = c->angle;
    tank.friction = 0;
    add_solid(world, &tank);
    int n = (int)ceil(big / d) + 1, side = 2 * n + 1;
    mn_FluidDef fluid = curvature_fluid(0.02, (size_t)(side * side * (c->dimension == 3 ? side : 1)));
    Random random = {7};
    for (int i = 0; i < side * side * (c->dimension == 3 ? side : 1); i++) {
        double x = d * (i % side - n), y = d * (i / side % side + 0.5), z = c->dimension == 3 ? d * (i / side / side - n) : 0;
        if (hypot(hypot(x, y + big * cosine), z) < big)
            add_particle(&fluid, v3(x, y, z), r, c->dimension,
                         v3(0.01 * random_range(&random, -1, 1), 0.01 * random_range(&random, -1, 1), 0));
    }
    add_fluid(world, &fluid);
    free(fluid.blocks);
    world_prepare(world);
    return world;
}

static void check_contact(const ContactCase* c)
{
    const double radius = 0.005, unit = sqrt(DENSITY * pow(radius, 3) / SIGMA);
    mn_World* world = cap_world(c, radius);
    double mean = 0;
    enum { SAMPLES = 8 };
    for (int k = 0; k < SAMPLES; k++) {
        world_until(world, c->time * unit * (0.7 + 0.3 * (k + 1) / SAMPLES));
        mean += angle_of(world, c->dimension, radius / c->spacings) / SAMPLES;
    }
    print_message("%dD, accuracy %d: a cap of %g degrees comes to %.1f, asked for %g\n", c->dimension, (int)c->accuracy, c->start,
                  mean, c->angle);
    assert_near(mean, c->angle, 5);
    mn_world_destroy(world);
}

static void lines_of_contact_move_to_their_angle(void** state)
{
    static const ContactCase CASES[] = {
        {2, MN_ACCURACY_ACCURATE, 10, 37.5, 20, 15}, {2, MN_ACCURACY_ACCURATE, 10, 45, 30, 15},
        {2, MN_ACCURACY_ACCURATE, 10, 67.5, 60, 15}, {2, MN_ACCURACY_ACCURATE, 10, 45, 60, 15},
        {2, MN_ACCURACY_ACCURATE, 10, 60, 90, 15},   {2, MN_ACCURACY_ACCURATE, 10, 135, 120, 15},
        {3, MN_ACCURACY_ACCURATE, 6, 67.5, 60, 8},   {3, MN_ACCURACY_ACCURATE, 6, 45, 60, 8},
        {3, MN_ACCURACY_ACCURATE, 6, 90, 90, 8},
    };
    for (size_t k = 0; k < COUNT_OF(CASES); k++)
        check_contact(&CASES[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_have_their_period_and_damping),
        cmocka_unit_test(jets_break_up),
        cmocka_unit_test(lines_of_contact_move_to_their_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
