// SPDX-License-Identifier: MIT
// The grid fluid without a world: transfers, projection, water at rest, walls, threads.
#include "flip/tank.h"

static void make_pool(Tank* t, Pool* pool, int dimension, double shake, FlipDef def)
{
    tank_init(t, dimension, 0.025);
    tank_add(t, vec3d(0, 0, 0), vec3d(1, 1, 0.6), true, MN_SOLID_STATIC);
    tank_fill(t, vec3d(0, 0, 0), vec3d(1, 0.5, 0.6), shake, 0);
    tank_begin(t, pool, def);
}

static void transfers_conserve_momentum(void** state)
{
    for (int apic = 0; apic < 2; apic++) {
        Tank t;
        tank_init(&t, 3, 0.025);
        tank_fill(&t, vec3d(-0.3, -0.3, -0.3), vec3d(0.3, 0.3, 0.3), 1, 0);
        tank_begin(&t, NULL, (FlipDef){.apic = apic});
        Random random = {5};
        for (size_t i = 0; i < t.p.count; i++) {
            t.p.velocity[i] =
                (Vec4){(float)random_range(&random, 0, 1), (float)random_range(&random, -1, 1), (float)t.p.position[i].x, 0};
            for (int a = 0; a < 3 && apic; a++)
                t.p.affine[a][i] = (Vec4){(float)random_range(&random, -1, 1), 2, (float)random_range(&random, -1, 1), 0};
        }
        tank_sort(&t);
        flip_to_grid(&t.flip, &t.p, 0.01);
        double per = 1000 * pow(t.spacing, 3), sum[3] = {0};
        Vec3d wanted = tank_momentum(&t);
        for (int a = 0; a < 3; a++)
            for (size_t c = 0; c < t.flip.blocks.count * CELLS; c++)
                sum[a] += per * (double)(t.flip.mass[a][c] * t.flip.velocity[a][c]);
        assert_near(sum[0], wanted.x, 1e-4 * wanted.x);
        assert_near(sum[1], wanted.y, 1e-4 * wanted.x);
        assert_near(sum[2], wanted.z, 1e-4 * wanted.x);
        tank_free(&t);
    }
}

// A linear field goes to particles and back without change, as far as all of a face's particles are there.
static void affine_transfer_keeps_rotation(void** state)
{
    Tank t;
    tank_init(&t, 3, 0.025);
    tank_fill(&t, vec3d(-0.3, -0.3, -0.3), vec3d(0.3, 0.3, 0.3), 1, 0);
    tank_begin(&t, NULL, (FlipDef){.apic = true});
    t.gravity = vec3d(0, 0, 0);
    for (size_t i = 0; i < t.p.count; i++) {
        Vec4 x = t.p.position[i];
        t.p.velocity[i] = (Vec4){-x.y, x.x, 0, 0};
        t.p.affine[0][i] = (Vec4){0, -1, 0, 0};
        t.p.affine[1][i] = (Vec4){1, 0, 0, 0};
    }
    tank_sort(&t);
    flip_to_grid(&t.flip, &t.p, 1e-6);
    Vec3d v = flip_velocity_at(&t.flip, vec3d(0.1, 0.05, 0.02));
    assert_near(v.x, -0.05, 1e-5);
    assert_near(v.y, 0.1, 1e-5);
    tank_free(&t);
}

static void divergence_is_gone(void** state)
{
    Tank t;
    make_pool(&t, NULL, 3, 1, (FlipDef){.tolerance = 1e-5, .relax_time = 1e9});
    Random random = {5};
    for (size_t i = 0; i < t.p.count; i++)
        t.p.velocity[i] = (Vec4){(float)random_range(&random, -1, 1), (float)random_range(&random, -1, 1), 0, 0};
    tank_sort(&t);
    flip_to_grid(&t.flip, &t.p, 0.01);
    flip_gravity(&t.flip, t.gravity);
    assert_true(flip_solve(&t.flip));
    double rms, most;
    flip_divergence(&t.flip, &rms, &most);
    assert_true(t.flip.report.converged);
    // random velocities of 1 m/s have a divergence of about 1 / dx = 20 per second
    assert_below(rms, 20 * 1e-4);
    tank_free(&t);
}

static void water_at_rest_stays(int dimension, double shake, double speed, int steps, double drift)
{
    Tank t;
    make_pool(&t, NULL, dimension, shake, (FlipDef){.pic = 0.03});
    double height = tank_mean_height(&t), squares = 0;
    for (int k = 0; k < steps; k++)
        tank_step(&t, 1.0 / 120);
    for (size_t i = 0; i < t.p.count; i++)
        squares += pow((double)t.p.velocity[i].x, 2) + pow((double)t.p.velocity[i].y, 2) + pow((double)t.p.velocity[i].z, 2);
    assert_below(sqrt(squares / (double)t.p.count), speed);
    assert_below(tank_speed(&t), 25 * speed);
    assert_near(tank_mean_height(&t), height, drift * height);
    tank_free(&t);
}

static void lattice_at_rest_stays(void** state)
{
    water_at_rest_stays(3, 0, 2e-3, 60, 0.005);
    water_at_rest_stays(2, 0, 2e-3, 200, 0.005);
}

static void shaken_water_comes_to_rest(void** state)
{
    water_at_rest_stays(3, 1, 0.01, 120, 0.01);
    water_at_rest_stays(2, 1, 0.01, 400, 0.01);
}

static void pressure_is_hydrostatic(void** state)
{
    Tank t;
    make_pool(&t, NULL, 3, 0, (FlipDef){.pic = 0.03});
    for (int k = 0; k < 20; k++)
        tank_step(&t, 1.0 / 120);
    for (size_t i = 0; i < t.p.count; i += 97)
        assert_near((double)t.p.position[i].w, 9810 * (0.5 - (double)t.p.position[i].y), 9810 * 0.03);
    tank_free(&t);
}

// A drop falls freely: nothing but gravity acts on it.
static void drop_falls(void** state)
{
    Tank t;
    tank_init(&t, 3, 0.025);
    tank_fill(&t, vec3d(0, 0, 0), vec3d(0.2, 0.2, 0.2), 0, 0);
    tank_begin(&t, NULL, (FlipDef){.pic = 0.03});
    double start = tank_mean_height(&t), dt = 0.005;
    for (int k = 0; k < 60; k++)
        tank_step(&t, dt);
    assert_near(tank_mean_height(&t), start - 0.5 * 9.81 * 0.3 * (0.3 + dt), 2e-3);
    Vec3d p = tank_momentum(&t);
    assert_near(p.y, -9.81 * 0.3 * 8, 0.02);
    tank_free(&t);
}

// A block that falls apart in a tank stays in it, and all of it.
static void dam_stays_in_tank(void** state)
{
    Tank t;
    tank_init(&t, 3, 0.025);
    tank_add(&t, vec3d(-0.01, 0.013, 0), vec3d(1.007, 1, 0.4), true, MN_SOLID_STATIC);
    tank_add(&t, vec3d(0.6, 0.013, 0.15), vec3d(0.75, 0.3, 0.3), false, MN_SOLID_STATIC);
    tank_fill(&t, vec3d(0, 0.02, 0.01), vec3d(0.4, 0.6, 0.39), 0.5, 0);
    tank_begin(&t, NULL, (FlipDef){.pic = 0.03});
    for (int k = 0; k < 150; k++) {
        tank_step(&t, 0.005);
        for (size_t i = 0; i < t.p.count; i++) {
            Vec4 x = t.p.position[i];
            if (!(x.x > -0.011f && x.x < 1.008f && x.y > 0.012f && x.y < 1 && x.z > -0.001f && x.z < 0.401f))
                fail_msg("particle at %g %g %g in step %d", (double)x.x, (double)x.y, (double)x.z, k);
            // distances are interpolated: edges are rounded by a fifth of a cell
            if (x.x > 0.61f && x.x < 0.74f && x.y < 0.29f && x.z > 0.16f && x.z < 0.29f)
                fail_msg("particle in the box at %g %g %g in step %d", (double)x.x, (double)x.y, (double)x.z, k);
        }
    }
    tank_free(&t);
}

// A box that gives way and is held by nothing accelerates as buoyancy and the water that it carries along make it: up if it is
// light, down if it is heavy, not at all if it is as heavy as water.
static double first_velocity(double density)
{
    Tank t;
    tank_init(&t, 3, 0.025);
    tank_add(&t, vec3d(0, 0, 0), vec3d(1, 1, 1), true, MN_SOLID_STATIC);
    tank_add(&t, vec3d(0.33, 0.28, 0.34), vec3d(0.65, 0.6, 0.66), false, MN_SOLID_KINEMATIC);
    tank_fill(&t, vec3d(0, 0, 0), vec3d(1, 0.9, 1), 0, 0);
    size_t kept = 0;
    for (size_t i = 0; i < t.p.count; i++) {
        Vec4 x = t.p.position[i];
        if (!(x.x > 0.33f && x.x < 0.65f && x.y > 0.28f && x.y < 0.6f && x.z > 0.34f && x.z < 0.66f))
            t.p.position[kept++] = x;
    }
    t.p.count = kept;
    tank_begin(&t, NULL, (FlipDef){.tolerance = 1e-4, .relax_time = 1e9});
    double mass = density * pow(0.32, 3), dt = 0.002;
    WallSolid* box = &t.flip.walls.solid[1];
    box->centre = vec3d(0.49, 0.44, 0.5);
    box->gives_way = true;
    box->inverse_mass = 1 / mass;
    for (int a = 0; a < 3; a++)
        box->inverse_inertia[a][a] = 6 / (mass * 0.32 * 0.32);
    box->velocity = vec3d(0, -9.81 * dt, 0);
    tank_sort(&t);
    flip_to_grid(&t.flip, &t.p, dt);
    flip_gravity(&t.flip, t.gravity);
    assert_true(flip_solve(&t.flip));
    assert_true(t.flip.report.converged);
    double v = box->velocity.y / (9.81 * dt);
    if (density == 1000) {
        assert_near(box->force.y, 9810 * pow(0.32, 3), 0.03 * 9810 * pow(0.32, 3)); // edges are rounded
        assert_near(box->angular_velocity.x, 0, 2e-3);
        assert_near(box->angular_velocity.z, 0, 2e-3);
    }
    tank_free(&t);
    return v;
}

static void bodies_give_way(void** state)
{
    assert_near(first_velocity(1000), 0, 0.03);
    // a cube carries about two thirds of its own volume of water along: (1 - s) / (s + 0.67), walls near make it more
    assert_near(first_velocity(200), 0.8 / 0.9, 0.15);
    assert_near(first_velocity(3000), -2 / 3.7, 0.1);
}

static void threads_do_not_matter(void** state)
{
    Vec4* first = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        Pool* pool = pool_create(threads);
        Tank t;
        make_pool(&t, pool, 3, 1, (FlipDef){.pic = 0.05});
        for (int k = 0; k < 5; k++)
            tank_step(&t, 0.005);
        if (!first) {
            first = malloc(t.p.count * sizeof *first);
            memcpy(first, t.p.position, t.p.count * sizeof *first);
        }
        assert_memory_equal(first, t.p.position, t.p.count * sizeof *first);
        tank_free(&t);
        pool_destroy(pool);
    }
    free(first);
}

static void steady_steps_take_no_memory(void** state)
{
    Tank t;
    make_pool(&t, NULL, 3, 1, (FlipDef){.pic = 0.05});
    for (int k = 0; k < 30; k++)
        tank_step(&t, 0.005);
    uint64_t taken = t.memory.allocations;
    for (int k = 0; k < 5; k++)
        tank_step(&t, 0.005);
    assert_int_equal(t.memory.allocations, taken);
    tank_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_conserve_momentum),
        cmocka_unit_test(affine_transfer_keeps_rotation),
        cmocka_unit_test(divergence_is_gone),
        cmocka_unit_test(lattice_at_rest_stays),
        cmocka_unit_test(shaken_water_comes_to_rest),
        cmocka_unit_test(pressure_is_hydrostatic),
        cmocka_unit_test(drop_falls),
        cmocka_unit_test(dam_stays_in_tank),
        cmocka_unit_test(bodies_give_way),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(steady_steps_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
