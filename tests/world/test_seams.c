// SPDX-License-Identifier: MIT
// The seams are real: a kind of solid and a system that the library does not know, a box on a spring, and an array of particles
// that it does not know take part in all that a world does with its own: coupling with the fluid, steps, sorting, removal, state,
// sums, tries that are taken back, threads.
#include "saved_state.h"
#include "world/sph_parts.h"
#include "world/state.h"
#include "worlds.h"

// --- a box that moves up and down on a spring

typedef struct Toy {
    Solid* solid;
    double mass, stiffness, damping; // [kg], [N/m], [N s/m]
    double gravity;                  // [m/s2] upwards
    Vec3d start;                     // [m]
    double shift, speed;             // [m], [m/s] state
    double load;                     // [N]
    int predicted, stepped, placed;
} Toy;

static Toy* toy_of(const Solid* solid)
{
    return solid->system;
}

static double own_acceleration(const Toy* toy)
{
    return toy->gravity - (toy->stiffness * toy->shift + toy->damping * toy->speed) / toy->mass;
}

static Vec3d toy_velocity_at(const Solid* solid, const SurfacePlace* place)
{
    return vec3d(0, toy_of(solid)->speed, 0);
}

static double toy_mobility_at(const Solid* solid, const SurfacePlace* place, Vec3d direction)
{
    return direction.y * direction.y / toy_of(solid)->mass;
}

static void toy_take_impulse(Solid* solid, const SurfacePlace* place, Vec3d impulse)
{
    toy_of(solid)->speed += impulse.y / toy_of(solid)->mass;
}

static mn_Pose toy_pose_after(const Solid* solid, double time)
{
    const Toy* toy = toy_of(solid);
    return (mn_Pose){vec3d_add(toy->start, vec3d(0, toy->shift, 0)), quat_identity()};
}

static SolidBulk toy_bulk(const Solid* solid)
{
    return (SolidBulk){.mass = toy_of(solid)->mass, .velocity = solid->velocity};
}

static SolidBody toy_body(const Solid* solid)
{
    const Toy* toy = toy_of(solid);
    return (SolidBody){.inverse_mass = 1 / toy->mass,
                       .centre = toy_pose_after(solid, 0).position,
                       .velocity = {0, toy->speed, 0},
                       .mass = toy->mass};
}

static void toy_other_acceleration(const Solid* solid, Vec3d* linear, Vec3d* angular)
{
    *linear = vec3d(0, own_acceleration(toy_of(solid)), 0);
    *angular = vec3d(0, 0, 0);
}

static void toy_set_load(Solid* solid, Vec3d force, Vec3d torque)
{
    toy_of(solid)->load = force.y;
}

static const SolidKind toy_kind = {.name = "toy",
                                   .velocity_at = toy_velocity_at,
                                   .mobility_at = toy_mobility_at,
                                   .take_impulse = toy_take_impulse,
                                   .pose_after = toy_pose_after,
                                   .bulk = toy_bulk,
                                   .body = toy_body,
                                   .other_acceleration = toy_other_acceleration,
                                   .set_load = toy_set_load};

static bool toy_predict(void* system, double time, double dt)
{
    ((Toy*)system)->predicted++;
    return true;
}

static bool toy_step(void* system, double time, double dt)
{
    Toy* toy = system;
    toy->speed += dt * (own_acceleration(toy) + toy->load / toy->mass);
    toy->shift += dt * toy->speed;
    toy->load = 0;
    toy->stepped++;
    return true;
}

static void toy_place(void* system)
{
    Toy* toy = system;
    toy->solid->pose = toy_pose_after(toy->solid, 0);
    toy->solid->velocity = vec3d(0, toy->speed, 0);
    toy->placed++;
}

static mn_Result toy_prepare(void* system, const SolidList* all, mn_Error* error)
{
    for (size_t k = 0; k < all->count; k++)
        if (all->solid[k].system == system)
            ((Toy*)system)->solid = &all->solid[k];
    return MN_OK;
}

static bool toy_register(void* system, Register* reg)
{
    Toy* toy = system;
    StateArray shift = {.name = "toy.shift", .type = STATE_DOUBLE, .size = sizeof(double), .data = &toy->shift, .is_value = true};
    StateArray speed = {.name = "toy.speed", .type = STATE_DOUBLE, .size = sizeof(double), .data = &toy->speed, .is_value = true};
    return register_array(reg, &shift) && register_array(reg, &speed);
}

static void toy_add_totals(const void* system, SolidTotals* totals)
{
    const Toy* toy = system;
    totals->momentum.y += toy->mass * toy->speed;
}

static const SolidSystem toy_system = {.name = "toys",
                                       .prepare = toy_prepare,
                                       .register_state = toy_register,
                                       .predict = toy_predict,
                                       .step = toy_step,
                                       .place = toy_place,
                                       .add_totals = toy_add_totals};

// A box in the middle of a tank, with or without water around it.
static mn_World* toy_world(Toy* toy, bool wet, int threads)
{
    mn_WorldDef def = water_def(3, 0.02, MN_PRESSURE_DFSPH);
    def.threads = threads;
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.48, 0.6, 0.48));
    mn_SolidDef box = box_def(v3(0.16, 0.12, 0.16), v3(0.32, 0.24, 0.32), false);
    size_t k = add_solid(world, &box) - 1;
    if (wet)
        add_block(world, 1000, v3(0, 0, 0), v3(0.48, 0.36, 0.48), v3(0, 0, 0));
    *toy = (Toy){.mass = 6, .stiffness = 600, .damping = wet ? 60 : 0, .gravity = def.gravity.y, .start = box.pose.position};
    world->solids.solid[k].kind = &toy_kind;
    world->solids.solid[k].system = toy;
    assert_true(world_add_system(world, &toy_system, toy));
    world_prepare(world);
    return world;
}

// Without fluid it swings about m g / k with the frequency of its spring.
static void a_dry_one_swings(void** state)
{
    Toy toy;
    mn_World* world = toy_world(&toy, false, 1);
    double rest = toy.mass * toy.gravity / toy.stiffness, half = M_PI * sqrt(toy.mass / toy.stiffness);
    world_until(world, half);
    assert_near(toy.shift, 2 * rest, 0.03 * fabs(rest));
    world_until(world, 2 * half);
    assert_near(toy.shift, 0, 0.06 * fabs(rest));
    mn_Stats stats = mn_world_stats(world);
    assert_near(stats.momentum.y, toy.mass * toy.speed, 1e-12);
    assert_int_equal(toy.stepped, stats.steps);
    assert_true(toy.predicted >= toy.stepped && toy.placed > toy.stepped);
    assert_near(mn_world_solid(world, 2).pose.position.y, toy.start.y + toy.shift, 1e-12);
    mn_world_destroy(world);
}

// In water it hangs where weight, spring and buoyancy (its volume, as the fluid sees it) are in balance.
static void a_wet_one_floats(void** state)
{
    Toy toy;
    mn_World* world = toy_world(&toy, true, 2);
    world_until(world, 0.8);
    double force = mn_world_solid(world, 2).force.y, mean = 0, shift = 0;
    for (int k = 0; k < 40; k++) {
        world_steps(world, 1);
        mean += mn_world_solid(world, 2).force.y / 40;
        shift += toy.shift / 40;
    }
    double spring = -toy.stiffness * shift, weight = -toy.mass * toy.gravity, lift = 1000 * 0.16 * 0.12 * 0.16 * 9.81;
    print_message("buoyancy %.2f N (now %.2f), of its volume %.2f; spring %.2f, weight %.2f N\n", mean, force, lift, spring,
                  weight);
    assert_near(mean + spring, weight, 0.05 * weight);
    assert_near(mean, lift, 0.15 * lift);
    assert_int_equal(mn_world_stats(world).leaked_particles, 0);
    mn_world_destroy(world);
}

// Its state is saved, loaded and part of the hash; threads do not matter.
static void state_and_threads(void** state)
{
    Toy one, two, three;
    mn_World *world = toy_world(&one, true, 1), *threads = toy_world(&two, true, 3), *again = toy_world(&three, true, 2);
    world_until(world, 0.05);
    world_until(threads, 0.05);
    assert_same_state(world, threads);
    Saved saved = {.count = 0};
    mn_Error error = {0};
    assert_true(world_save_state(world, keep, &saved));
    expect_ok(world_load_state(again, give, &saved, &error) == MN_OK, &error);
    assert_state(again, &saved);
    forget(&saved);
    world_until(world, 0.1);
    world_until(again, 0.1);
    assert_same_state(world, again);
    assert_true(one.shift == three.shift && one.shift < 0);
    uint64_t hash = mn_world_hash(world);
    one.speed = nextafter(one.speed, 1);
    assert_true(mn_world_hash(world) != hash);
    mn_world_destroy(world);
    mn_world_destroy(threads);
    mn_world_destroy(again);
}

// --- an array of particles that nobody knows

static float mark_of(uint32_t id)
{
    return (float)(id % 1009) + 0.5f;
}

// Water that is thrown at the floor of a tank and partly drained, each particle with a mark of its own.
static mn_World* marked_world(float** mark, double fall, int threads)
{
    mn_WorldDef def = water_def(3, 0.025, MN_PRESSURE_DFSPH);
    def.threads = threads;
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.5, 0.8, 0.5));
    add_block(world, 1000, v3(0, 0.1, 0), v3(0.5, 0.5, 0.4), v3(0, -fall, 0));
    mn_Error error = {0};
    mn_Drain drain = mn_default_drain();
    drain.min = v3(0.3, 0, 0);
    drain.max = v3(0.5, 0.8, 0.2);
    drain.start = 0.02;
    assert_int_equal(mn_world_add_drain(world, &drain, &error), MN_OK);
    ParticleArray array = {"test.mark", PARTICLE_STATE, STATE_FLOAT, sizeof(float), mark, true, 0};
    assert_true(fluid_init(&world_sph(world)->fluid) && particle_set_add(&world_sph(world)->fluid.set, &array));
    world_prepare(world);
    for (size_t i = 0; i < world_sph(world)->fluid.set.count; i++)
        (*mark)[i] = mark_of(world_sph(world)->fluid.id[i]);
    return world;
}

static void expect_marks(const mn_World* world, const float* mark)
{
    const Fluid* fluid = &world_sph(world)->fluid;
    for (size_t i = 0; i < fluid->set.count; i++)
        assert_true(mark[i] == mark_of(fluid->id[i]));
}

static void an_array_of_particles_takes_part(void** state)
{
    float *one, *two, *three;
    mn_World *world = marked_world(&one, 0, 1), *threads = marked_world(&two, 0, 3), *again = marked_world(&three, 0, 2);
    world_until(world, 0.1);
    world_until(threads, 0.1);
    assert_true(mn_world_stats(world).drained > 0);
    expect_marks(world, one);
    assert_same_state(world, threads);
    Saved saved = {.count = 0};
    mn_Error error = {0};
    assert_true(world_save_state(world, keep, &saved));
    expect_ok(world_load_state(again, give, &saved, &error) == MN_OK, &error);
    forget(&saved);
    expect_marks(again, three);
    world_until(world, 0.15);
    world_until(again, 0.15);
    assert_same_state(world, again);
    uint64_t hash = mn_world_hash(world);
    one[0] += 1;
    assert_true(mn_world_hash(world) != hash);
    mn_world_destroy(world);
    mn_world_destroy(threads);
    mn_world_destroy(again);
}

// A step that went wrong leaves nothing behind: neither velocities nor pressures, nor what a try did to an array of somebody else.
static void a_try_is_taken_back(void** state)
{
    float* mark;
    mn_World* world = marked_world(&mark, 0, 2);
    world_steps(world, 20);
    Fluid* fluid = &world_sph(world)->fluid;
    uint64_t hash = mn_world_hash(world);
    world->fluid->hide(world);
    assert_true(register_keep(world->reg, world->pool));
    for (size_t i = 0; i < fluid->set.count; i++) {
        mark[i] = 0;
        fluid->position[i].w += 7;
        fluid->velocity[i].x += 3;
    }
    world_sph(world)->control.kappa = 0.01f;
    assert_true(mn_world_hash(world) != hash);
    register_take_back(world->reg, world->pool);
    fluid_accept(fluid);
    assert_true(mn_world_hash(world) == hash);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dry_one_swings),    cmocka_unit_test(a_wet_one_floats),
        cmocka_unit_test(state_and_threads),   cmocka_unit_test(an_array_of_particles_takes_part),
        cmocka_unit_test(a_try_is_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
