// SPDX-License-Identifier: MIT
// Measures what docs/theory/tension.md tells and src/fluid/tension uses: k of sigma = k gamma rho0 h^2 by the pressure inside
// drops, and contact angles over beta / gamma by how high drops lie on a plate. Prints two tables.
//   calibrate_tension [laplace|angle] [2|3]
#include <math.h>
#include <meniscus/meniscus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RADIUS = 5e-4, SPACING = 1e-3, GAMMA = 1;

static void must(bool ok, const mn_Error* error)
{
    if (ok)
        return;
    fprintf(stderr, "calibrate_tension: %s\n", error->message);
    exit(1);
}

static double noise(double amplitude) // repeatable: rand() starts from the seed that main gives
{
    return amplitude * (2.0 * rand() / RAND_MAX - 1);
}

static mn_World* world_new(int dimension, double strictness)
{
    mn_Error error = {0};
    mn_WorldDef def = mn_default_world_def();
    def.dimension = dimension;
    def.gravity = (mn_Vec3){0, 0, 0};
    def.particle_radius = RADIUS;
    def.solver.max_density_error *= strictness;
    def.solver.max_pressure_error *= strictness;
    mn_World* world = mn_world_create(&def, NULL, &error);
    must(world != NULL, &error);
    return world;
}

// Particles of the lattice with y above 0 (if `plate`) in a ball around (0, middle, 0), each with a velocity of its own that breaks
// the lattice.
static void add_ball(mn_World* world, int dimension, double radius, double middle, bool plate, double shake, double viscosity)
{
    int n = (int)ceil((radius + fabs(middle)) / SPACING) + 1, side = 2 * n + 1;
    double shift = plate ? 0.5 : 0;
    mn_Error error = {0};
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.tension.gamma = GAMMA;
    fluid.viscosity = viscosity;
    fluid.blocks = calloc((size_t)side * (size_t)side * (size_t)side, sizeof *fluid.blocks);
    must(fluid.blocks != NULL, &error);
    for (int k = 0; k < side * side * (dimension == 3 ? side : 1); k++) {
        double x = SPACING * (k % side - n), y = SPACING * (k / side % side - n + shift);
        double z = dimension == 3 ? SPACING * (k / side / side - n) : 0, deep = dimension == 3 ? RADIUS : 0;
        if (x * x + (y - middle) * (y - middle) + z * z > radius * radius || (plate && y < 0))
            continue;
        fluid.blocks[fluid.block_count++] = (mn_Block){{x - RADIUS, y - RADIUS, z - deep},
                                                       {x + RADIUS, y + RADIUS, z + deep},
                                                       {noise(shake), noise(shake), dimension == 3 ? noise(shake) : 0}};
    }
    must(mn_world_add_fluid(world, &fluid, &error) != 0, &error);
    free(fluid.blocks);
}

static void advance(mn_World* world, double time)
{
    mn_Error error = {0};
    must(mn_world_advance(world, time, NULL, NULL, &error) == MN_OK, &error);
}

// --- Laplace

static double pressure_inside(const mn_World* world, double radius)
{
    mn_ParticleView view = mn_world_particles(world);
    double c[3] = {0}, sum = 0, count = 0, within = fmax(radius - 3 * SPACING, 0.35 * radius);
    for (size_t i = 0; i < 4 * view.count; i++)
        if (i % 4 < 3)
            c[i % 4] += (double)view.position[i] / (double)view.count;
    for (size_t i = 0; i < view.count; i++) {
        const float* x = view.position + 4 * i;
        if (hypot(hypot((double)x[0] - c[0], (double)x[1] - c[1]), (double)x[2] - c[2]) < within) {
            sum += (double)view.pressure[i];
            count++;
        }
    }
    return sum / count;
}

static void laplace(int dimension, double ratio, unsigned seed)
{
    enum { SAMPLES = 32 };
    srand(seed);
    mn_World* world = world_new(dimension, 0.2);
    add_ball(world, dimension, ratio * SPACING, 0, false, 0.15, 0.01);
    advance(world, 0.2);
    double count = (double)mn_world_particles(world).count, h = 4 * RADIUS, mean = 0;
    double radius = SPACING * (dimension == 3 ? cbrt(3 * count / (4 * M_PI)) : sqrt(count / M_PI));
    for (int s = 1; s <= SAMPLES; s++) {
        advance(world, 0.2 + 0.2 * s / SAMPLES);
        mean += pressure_inside(world, radius) / SAMPLES;
    }
    printf("%10.2f %6u %12.3f %10.3f\n", radius / SPACING, seed, mean, mean * radius / (dimension - 1) / (GAMMA * 1000 * h * h));
    mn_world_destroy(world);
}

// --- contact angles

// Height of the centre of mass of a cap over the root of its volume.
static double cap_height(double angle, int dimension)
{
    double c = cos(angle), s = sin(angle);
    if (dimension == 3)
        return (3 * (1 + c) * (1 + c) / (4 * (2 + c)) - c) / cbrt(M_PI * (2 + c) * (1 - c) * (1 - c) / 3);
    double area = angle - s * c;
    return (2 * s * s * s / (3 * area) - c) / sqrt(area);
}

static double angle_of(const mn_World* world, int dimension)
{
    mn_ParticleView view = mn_world_particles(world);
    double y = 0, low = 0.02, high = M_PI;
    for (size_t i = 0; i < view.count; i++)
        y += (double)view.position[4 * i + 1] / (double)view.count;
    y /= SPACING * pow((double)view.count, 1.0 / dimension);
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        if (cap_height(middle, dimension) < y)
            low = middle;
        else
            high = middle;
    }
    return low * 180 / M_PI;
}

static double angle_from(int dimension, double ratio, double start)
{
    mn_Error error = {0};
    double t = start * M_PI / 180, drop = (dimension == 3 ? 6 : 12) * SPACING;
    double cap = dimension == 3 ? (2 + cos(t)) * pow(1 - cos(t), 2) / 4 : (t - sin(t) * cos(t)) / M_PI;
    double radius = drop * pow(cap, -1.0 / dimension);
    srand(3);
    mn_World* world = world_new(dimension, 1);
    mn_SolidDef plate = mn_default_solid_def();
    plate.shape.size = (mn_Vec3){14 * drop, 4 * SPACING, 14 * drop};
    plate.pose.position = (mn_Vec3){0, -2 * SPACING, 0};
    plate.adhesion = ratio * GAMMA;
    must(mn_world_add_solid(world, &plate, &error) != 0, &error);
    add_ball(world, dimension, radius, -radius * cos(t), true, 0.08, 0.02);
    advance(world, dimension == 3 ? 0.5 : 0.8);
    double angle = angle_of(world, dimension);
    mn_world_destroy(world);
    return angle;
}

int main(int argc, char** argv)
{
    const char* what = argc > 1 ? argv[1] : "";
    int dimension = argc > 2 ? atoi(argv[2]) : 3;
    if (dimension != 2 && dimension != 3) {
        fprintf(stderr, "usage: calibrate_tension [laplace|angle] [2|3]\n");
        return 2;
    }
    if (strcmp(what, "angle") != 0) {
        printf("%10s %6s %12s %10s\n", "R/spacing", "seed", "pressure Pa", "k kg/m3");
        for (unsigned seed = 1; seed <= 4; seed++)
            for (int r = 4; r <= 12; r += 2)
                laplace(dimension, dimension == 3 ? r : 2 * r, seed);
    }
    if (strcmp(what, "laplace") != 0) {
        printf("%10s %10s %10s\n", "beta/gamma", "from 120", "from 60");
        for (int k = 2; k <= 12; k++)
            printf("%10.3f %10.1f %10.1f\n", k / 6.0, angle_from(dimension, k / 6.0, 120), angle_from(dimension, k / 6.0, 60));
    }
    return 0;
}
