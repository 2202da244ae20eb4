// SPDX-License-Identifier: MIT
// Gauss boundary particles (Müller 2004): the rule, the traction of planes, forces of tessellated surfaces, action and reaction.
#include "coupling/gauss_forces.h"
#include "saved_state.h"
#include "world/sph_parts.h"
#include "world/worlds.h"

// --- the rule

static double factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

// Integral of x^a y^b over the unit triangle, divided by its area 1/2: 2 a! b! / (a + b + 2)!
static void rule_is_exact_to_degree_five(void** state)
{
    for (int a = 0; a <= 5; a++)
        for (int b = 0; a + b <= 5; b++) {
            double sum = 0, exact = 2 * factorial(a) * factorial(b) / factorial(a + b + 2);
            for (int k = 0; k < gauss_triangle.count; k++)
                sum += (double)gauss_triangle.weight[k] * pow((double)gauss_triangle.second[k], a) *
                       pow((double)gauss_triangle.third[k], b);
            assert_near(sum, exact, 2e-7);
        }
    for (int a = 0; a <= 5; a++) {
        double sum = 0;
        for (int k = 0; k < gauss_segment.count; k++)
            sum += (double)gauss_segment.weight[k] * pow((double)gauss_segment.second[k], a);
        assert_near(sum, 1.0 / (a + 1), 2e-7);
    }
    double sixth = 0;
    for (int k = 0; k < gauss_triangle.count; k++)
        sixth += (double)gauss_triangle.weight[k] * pow((double)gauss_triangle.second[k], 6);
    assert_true(fabs(sixth - 2.0 / 56) > 1e-5); // and no further: a rule with a wrong point would be caught
}

// --- the traction

static void traction_has_the_values_of_the_paper(void** state)
{
    Traction t = traction_make(3, 0.04, 5000, 0.01, 0.02, 1);
    assert_near(traction_at(&t, 0), 5000, 1e-6);
    assert_near(traction_at(&t, t.r0), 0, 1e-6);
    assert_near(traction_at(&t, 0.04), 0, 1e-9);
    assert_true(traction_at(&t, 0.9 * t.r0) > 0);
    assert_true(traction_at(&t, 1.1 * t.r0) < 0);
    // h - r0 = sqrt(3/5) (h - rest): the integral of (h - s)^4 - (h - r0)^2 (h - s)^2 vanishes there
    assert_near(t.r0, 0.04 - sqrt(0.6) * 0.03, 1e-6);
    t.adhesion = 0;
    assert_near(traction_at(&t, 1.1 * t.r0), 0, 0);
}

static void particle_rests_before_a_plane(void** state)
{
    Traction pushes = traction_make(3, 1, 1, 0.3, 0.5, 0);
    assert_near(pushes.r0, 0.3, 1e-4);
    assert_true(traction_of_plane(&pushes, 0.29) > 0);
    assert_near(traction_of_plane(&pushes, 0.31), 0, 1e-12);
    for (int dimension = 2; dimension <= 3; dimension++)
        for (double rest = 0.1; rest < 0.6; rest += 0.2) {
            Traction t = traction_make(dimension, 1, 1, rest, 0.5, 1);
            assert_near(traction_of_plane(&t, rest), 0, 1e-6);
            assert_true(traction_of_plane(&t, 0.8 * rest) > 0);
            assert_true(traction_of_plane(&t, 1.2 * rest) < 0);
        }
}

// A plane in three dimensions has a closed form: 2 pi d integral of tau from d to h.
static void plane_equals_its_integral(void** state)
{
    Traction t = traction_make(3, 1, 2, 0.25, 0.5, 1);
    for (double d = 0.05; d < 1; d += 0.15) {
        double u = 1 - d, exact = 2 * M_PI * d * t.gain * (pow(u, 5) / 5 - t.g0 * pow(u, 3) / 3);
        assert_near(traction_of_plane(&t, d), exact, 1e-5);
    }
}

// --- forces of surfaces, in a world of a few particles

// A floor of 2 x 2 m whose triangles have edges of about `length`, and one particle above it.
static mn_World* floor_world(double length, Vec3d particle, double spacing)
{
    mn_WorldDef def = water_def(3, 0.05, MN_PRESSURE_DFSPH);
    def.gravity = (mn_Vec3){0, 0, 0};
    def.coupling.method = MN_COUPLING_GAUSS;
    def.coupling.stiffness = 1000;
    def.coupling.rest_distance = 0.05;
    def.coupling.adhesion = 1;
    def.coupling.boundary_viscosity = 0;
    def.coupling.gauss_spacing = spacing;
    mn_World* world = world_new(&def);
    mn_SolidDef plane = mn_default_solid_def();
    plane.shape =
        (mn_Shape){.type = MN_SHAPE_GRID, .size = {2, 0, 2}, .cells = {(int)fmax(1, 2 / length), (int)fmax(1, 2 / length)}};
    add_solid(world, &plane);
    double r = 0.049; // one particle
    mn_Block block = {.min = {particle.x - r, particle.y - r, particle.z - r},
                      .max = {particle.x + r, particle.y + r, particle.z + r}};
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.blocks = &block;
    fluid.block_count = 1;
    add_fluid(world, &fluid);
    world_prepare(world);
    return world;
}

// [N] on the particle: its acceleration over one tiny step.
static Vec3d force_on_particle(mn_World* world)
{
    mn_Error error;
    Sph* sph = world_sph(world);
    assert_int_equal(sph->fluid.set.count, 1);
    assert_int_equal(mn_world_step(world, 1e-7, &error), MN_OK);
    Vec4 v = sph->fluid.velocity[0];
    double mass = (double)(sph->mass_volume * sph->material[0].density);
    return vec3d_scale(vec3d((double)v.x, (double)v.y, (double)v.z), mass / 1e-7);
}

// A tessellated plane pushes like the plane, whatever its triangles, and does not push sideways.
static void tessellation_does_not_matter(void** state)
{
    double h = 0.2, heights[] = {0.06, 0.1, 0.13};
    for (double length = 0.02; length < 2.1; length *= 10)
        for (int k = 0; k < 3; k++)
            for (double shift = 0; shift < 0.2; shift += 0.07) {
                mn_World* world = floor_world(length, vec3d(0.013 + shift, heights[k], 0.021), 0.3);
                Traction t = traction_make(3, h, 1000, 0.05, 0.1, 1);
                double height = (double)world_sph(world)->fluid.position[0].y;
                Vec3d f = force_on_particle(world);
                double scale = traction_peak(&t);
                assert_near(f.y / scale, traction_of_plane(&t, height) / scale, 0.01);
                assert_near(f.x / scale, 0, 0.01);
                assert_near(f.z / scale, 0, 0.01);
                mn_world_destroy(world);
            }
}

static void finer_points_are_better(void** state)
{
    Traction t = traction_make(3, 0.2, 1000, 0.05, 0.1, 1);
    double error[2], spacings[] = {1, 0.25};
    for (int n = 0; n < 2; n++) {
        mn_World* world = floor_world(1, vec3d(0.013, 0.06, 0.021), spacings[n]);
        double height = (double)world_sph(world)->fluid.position[0].y;
        error[n] = fabs(force_on_particle(world).y - traction_of_plane(&t, height));
        mn_world_destroy(world);
    }
    assert_true(error[1] < 0.2 * error[0]);
}

// --- action and reaction

// A body in a drop in empty space: what the fluid gets, the body loses, and both turn against each other.
static mn_World* drop_world(mn_SolidType type, mn_Reaction reaction, int threads)
{
    mn_WorldDef def = water_def(3, 0.03, MN_PRESSURE_DFSPH);
    def.gravity = (mn_Vec3){0, 0, 0};
    def.threads = threads;
    def.coupling.method = MN_COUPLING_GAUSS;
    def.coupling.stiffness = 2000;
    def.coupling.adhesion = 1;
    def.coupling.reaction = reaction;
    def.coupling.boundary_viscosity = 20;
    mn_World* world = world_new(&def);
    mn_SolidDef box = box_def(v3(-0.08, -0.06, -0.09), v3(0.12, 0.06, 0.11), false);
    box.type = type;
    box.model = MN_ELASTIC_FEM;
    box.density = 300;
    box.velocity = (mn_Vec3){0.1, 0, 0};
    box.angular_velocity = (mn_Vec3){0, type == MN_SOLID_RIGID ? 2 : 0, 0};
    add_solid(world, &box);
    mn_Ball ball = {.centre = {0, 0, 0}, .radius = 0.3, .velocity = {0, 0.2, 0}};
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.balls = &ball;
    fluid.ball_count = 1;
    add_fluid(world, &fluid);
    world_prepare(world);
    return world;
}

static void momentum_is_exact(void** state)
{
    const mn_SolidType types[] = {MN_SOLID_RIGID, MN_SOLID_ELASTIC};
    for (int k = 0; k < 2; k++)
        for (int reaction = 0; reaction < 2; reaction++) {
            mn_World* world = drop_world(types[k], (mn_Reaction)reaction, 1);
            mn_Stats before = mn_world_stats(world);
            world_until(world, 0.02);
            mn_Stats after = mn_world_stats(world);
            double scale = fabs(before.momentum.x) + fabs(before.momentum.y);
            assert_near((after.momentum.x - before.momentum.x) / scale, 0, 2e-5);
            assert_near((after.momentum.y - before.momentum.y) / scale, 0, 2e-5);
            assert_near((after.momentum.z - before.momentum.z) / scale, 0, 2e-5);
            mn_world_destroy(world);
        }
}

static void threads_give_the_same_bits(void** state)
{
    mn_World *one = drop_world(MN_SOLID_RIGID, MN_REACTION_EXACT, 1), *three = drop_world(MN_SOLID_RIGID, MN_REACTION_EXACT, 3);
    world_until(one, 0.02);
    world_until(three, 0.02);
    assert_int_equal(mn_world_hash(one), mn_world_hash(three));
    mn_world_destroy(one);
    mn_world_destroy(three);
}

// --- whole scenes

// A box of half the fluid's density in a tank of two dimensions.
static mn_World* floating_world(double density, int threads)
{
    mn_WorldDef def = water_def(2, 0.02, MN_PRESSURE_DFSPH);
    def.threads = threads;
    def.coupling.method = MN_COUPLING_GAUSS;
    mn_World* world = world_new(&def);
    mn_SolidDef tank = box_def(v3(0, 0, 0), v3(1.2, 1, 0), true), box = box_def(v3(0.45, 0.45, 0), v3(0.75, 0.65, 0), false);
    add_solid(world, &tank);
    box.type = MN_SOLID_RIGID;
    box.density = density;
    add_solid(world, &box);
    add_block(world, 1000, v3(0, 0, 0), v3(1.2, 0.5, 0), v3(0, 0, 0));
    add_probe(world, MN_PROBE_HEIGHT, v3(0.1, 0, 0));
    world_prepare(world);
    return world;
}

// Means over the end: bodies bob on the penalty.
static void boxes_float_at_their_depth(void** state)
{
    const double densities[] = {500, 100};
    for (int k = 0; k < 2; k++) {
        mn_World* world = floating_world(densities[k], 1);
        double depth = 0, level = 0;
        enum { LOOKS = 20 };
        for (int n = 0; n < LOOKS; n++) {
            world_until(world, 2 + 0.05 * n);
            level += mn_world_probe(world, 1, NULL) / LOOKS;
            depth += (mn_world_probe(world, 1, NULL) - (mn_world_solid(world, 2).pose.position.y - 0.1)) / LOOKS;
        }
        mn_Stats stats = mn_world_stats(world);
        // bodies stand 0.6 radii too high: that far behind their surface the fluid's lattice would begin
        assert_near(depth / 0.02, densities[k] / 1000 * 0.2 / 0.02 - 0.6, 0.6);
        assert_near(level, (0.5 * 1.2 + depth * 0.3) / 1.2, 0.04);
        assert_int_equal(stats.leaked_particles, 0);
        assert_int_equal(stats.lost_particles, 0);
        mn_world_destroy(world);
    }
}

static void resumed_is_uninterrupted(void** state)
{
    mn_World *whole = floating_world(300, 1), *resumed = floating_world(300, 2);
    Saved saved = {0};
    mn_Error error;
    world_until(whole, 0.2);
    assert_true(world_save_state(whole, keep, &saved));
    assert_int_equal(world_load_state(resumed, give, &saved, &error), MN_OK);
    world_until(whole, 0.4);
    world_until(resumed, 0.4);
    assert_int_equal(mn_world_hash(whole), mn_world_hash(resumed));
    forget(&saved);
    mn_world_destroy(whole);
    mn_world_destroy(resumed);
}

// Water at rest weighs on its tank what it weighs.
static void tank_carries_the_water(void** state)
{
    mn_WorldDef def = water_def(3, 0.04, MN_PRESSURE_IISPH);
    def.coupling.method = MN_COUPLING_GAUSS;
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.64, 0.8, 0.48));
    add_block(world, 1000, v3(0, 0, 0), v3(0.64, 0.4, 0.48), v3(0, 0, 0));
    world_prepare(world);
    double force = 0;
    enum { LOOKS = 40 };
    for (int n = 0; n < LOOKS; n++) {
        world_until(world, 0.8 + 0.02 * n);
        force += mn_world_solid(world, 1).force.y / LOOKS;
    }
    mn_Stats stats = mn_world_stats(world);
    double weight = 9.81 * 1000 * 0.64 * 0.4 * 0.48;
    assert_near(force / weight, -1, 0.03);
    assert_int_equal(stats.leaked_particles, 0);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_is_exact_to_degree_five),
        cmocka_unit_test(traction_has_the_values_of_the_paper),
        cmocka_unit_test(particle_rests_before_a_plane),
        cmocka_unit_test(plane_equals_its_integral),
        cmocka_unit_test(tessellation_does_not_matter),
        cmocka_unit_test(finer_points_are_better),
        cmocka_unit_test(momentum_is_exact),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(boxes_float_at_their_depth),
        cmocka_unit_test(resumed_is_uninterrupted),
        cmocka_unit_test(tank_carries_the_water),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
