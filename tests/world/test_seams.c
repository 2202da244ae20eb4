// SPDX-License-Identifier: MIT
// The seams are real: a system of solids of a kind that nobody knows (a ball on a spring), and an array of particles that nobody
// knows, take part in everything: stepping, coupling with the fluid, sorting, removal, checkpoints, the hash, tries that are taken
// back, threads.
#include "saved_state.h"
#include "worlds.h"

#include "base/error.h"
#include "world/world_parts.h"

// --- a ball on a spring: it moves, but does not turn

typedef struct Toy {
    Memory* memory;
    Solid* solid;  // all of the world
    size_t number; // its own
    Vec3d gravity, anchor, load;
    double mass, stiffness;
    Vec3d state[2]; // [m] offset from the anchor, [m/s]
} Toy;

static Toy* toy_of(const Solid* solid)
{
    return solid->system;
}

static Vec3d toy_pull(const Toy* toy) // [m/s2]
{
    return vec3d_mad(toy->gravity, -toy->stiffness / toy->mass, toy->state[0]);
}

static Vec3d toy_velocity_at(const Solid* solid, const SurfacePlace* place)
{
    return toy_of(solid)->state[1];
}

static double toy_mobility_at(const Solid* solid, const SurfacePlace* place, Vec3d direction)
{
    return 1 / toy_of(solid)->mass;
}

static void toy_take_impulse(Solid* solid, const SurfacePlace* place, Vec3d impulse)
{
    toy_of(solid)->state[1] = vec3d_mad(toy_of(solid)->state[1], 1 / toy_of(solid)->mass, impulse);
}

static mn_Pose toy_pose(const Solid* solid, double time)
{
    return (mn_Pose){vec3d_add(toy_of(solid)->anchor, toy_of(solid)->state[0]), quat_identity()};
}

static SolidBody toy_body(const Solid* solid)
{
    const Toy* toy = toy_of(solid);
    return (SolidBody){.inverse_mass = 1 / toy->mass, .centre = toy_pose(solid, 0).position, .velocity = toy->state[1]};
}

static SolidBulk toy_bulk(const Solid* solid)
{
    return (SolidBulk){.mass = toy_of(solid)->mass, .velocity = toy_of(solid)->state[1]};
}

static void toy_other_acceleration(const Solid* solid, Vec3d* linear, Vec3d* angular)
{
    *linear = toy_pull(toy_of(solid));
    *angular = vec3d(0, 0, 0);
}

static void toy_set_load(Solid* solid, Vec3d force, Vec3d torque)
{
    toy_of(solid)->load = force;
}

static const SolidKind toy_kind = {.name = "toy",
                                   .velocity_at = toy_velocity_at,
                                   .mobility_at = toy_mobility_at,
                                   .take_impulse = toy_take_impulse,
                                   .pose_after = toy_pose,
                                   .bulk = toy_bulk,
                                   .body = toy_body,
                                   .other_acceleration = toy_other_acceleration,
                                   .set_load = toy_set_load};

static void* toy_create(const SolidSetting* setting)
{
    Toy* toy = memory_take(setting->memory, sizeof *toy);
    if (toy)
        *toy = (Toy){.memory = setting->memory, .gravity = setting->gravity, .mass = 8, .stiffness = 800};
    return toy;
}

static mn_Result toy_add(void* system, size_t number, Solid* solid, const mn_SolidDef* def, mn_Error* error)
{
    Toy* toy = system;
    toy->number = number;
    toy->anchor = def->pose.position;
    solid->kind = &toy_kind;
    solid->system = toy;
    return MN_OK;
}

static mn_Result toy_prepare(void* system, const SolidList* all, mn_Error* error)
{
    ((Toy*)system)->solid = all->solid;
    return MN_OK;
}

static bool toy_register(void* system, Register* reg)
{
    Toy* toy = system;
    const StateArray state = {.name = "toy.state",
                              .per = PER_SOLID,
                              .type = STATE_DOUBLE,
                              .size = sizeof toy->state,
                              .data = toy->state,
                              .is_value = true};
    return register_array(reg, &state);
}

static bool toy_step(void* system, double time, double dt)
{
    Toy* toy = system;
    Vec3d a = vec3d_mad(toy_pull(toy), 1 / toy->mass, toy->load);
    toy->state[1] = vec3d_mad(toy->state[1], dt, a);
    toy->state[0] = vec3d_mad(toy->state[0], dt, toy->state[1]);
    toy->load = vec3d(0, 0, 0);
    return true;
}

static void toy_place(void* system)
{
    Toy* toy = system;
    Solid* solid = &toy->solid[toy->number];
    solid->pose = toy_pose(solid, 0);
    solid->velocity = toy->state[1];
}

static void toy_destroy(void* system)
{
    memory_give(((Toy*)system)->memory, system);
}

static const SolidSystem toy_system = {.name = "toys",
                                       .type = MN_SOLID_RIGID,
                                       .create = toy_create,
                                       .add = toy_add,
                                       .prepare = toy_prepare,
                                       .register_state = toy_register,
                                       .step = toy_step,
                                       .place = toy_place,
                                       .destroy = toy_destroy};

// --- a world with it

typedef struct Seams {
    mn_World* world;
    float* mark; // (particles) what nobody but this test knows of
} Seams;

static float mark_of(uint32_t id)
{
    return (float)(id % 1009) + 0.5f;
}

static void seams_create(Seams* s, int threads, double fall)
{
    mn_Error error = {0};
    mn_WorldDef def = mn_default_world_def();
    def.particle_radius = 0.025;
    def.threads = threads;
    s->world = mn_world_create(&def, NULL, &error);
    assert_non_null(s->world);
    for (size_t k = 0; k < s->world->system_count; k++)
        if (s->world->system[k].kind->type == MN_SOLID_RIGID)
            s->world->system[k].kind = &toy_system;
    assert_true(fluid_init(&s->world->sph.fluid));
    assert_true(particle_set_add(&s->world->sph.fluid.set,
                                 &(ParticleArray){"toy.mark", PARTICLE_STATE, STATE_FLOAT, sizeof(float), &s->mark, true, 0}));
    mn_SolidDef tank = mn_default_solid_def();
    tank.name = "tank";
    tank.shape = (mn_Shape){.type = MN_SHAPE_BOX, .size = {0.8, 1, 0.6}};
    tank.pose.position = vec3d(0.4, 0.5, 0.3);
    tank.inside = true;
    assert_true(mn_world_add_solid(s->world, &tank, &error));
    mn_SolidDef ball = mn_default_solid_def();
    ball.name = "toy";
    ball.type = MN_SOLID_RIGID;
    ball.shape = (mn_Shape){.type = MN_SHAPE_SPHERE, .size = {0.15, 0, 0}};
    ball.pose.position = vec3d(0.4, 0.4, 0.3);
    assert_true(mn_world_add_solid(s->world, &ball, &error));
    mn_FluidDef water = mn_default_fluid_def();
    mn_Block block = mn_default_block();
    block.min = vec3d(0, 0, 0);
    block.max = vec3d(0.8, 0.5, 0.6);
    block.velocity = vec3d(0, -fall, 0);
    water.blocks = &block;
    water.block_count = 1;
    assert_true(mn_world_add_fluid(s->world, &water, &error));
    mn_Drain drain = mn_default_drain();
    drain.min = vec3d(0.6, 0.3, 0);
    drain.max = vec3d(0.8, 1, 0.6);
    drain.start = 0.05;
    assert_int_equal(mn_world_add_drain(s->world, &drain, &error), MN_OK);
    expect_ok(mn_world_prepare(s->world, &error) == MN_OK, &error);
    for (size_t i = 0; i < s->world->sph.fluid.set.count; i++)
        s->mark[i] = mark_of(s->world->sph.fluid.id[i]);
}

static void seams_run(Seams* s, double time)
{
    mn_Error error = {0};
    expect_ok(mn_world_advance(s->world, time, NULL, NULL, &error) == MN_OK, &error);
    const Fluid* fluid = &s->world->sph.fluid;
    for (size_t i = 0; i < fluid->set.count; i++)
        assert_true(s->mark[i] == mark_of(fluid->id[i]));
}

static void test_everything_takes_part(void** state)
{
    Seams s;
    seams_create(&s, 1, 0);
    seams_run(&s, 0.4);
    Toy* toy = s.world->solid[1].system;
    mn_Stats stats = mn_world_stats(s.world);
    assert_true(stats.drained > 0);
    assert_int_equal(stats.leaked_particles, 0);
    assert_int_equal(stats.lost_particles, 0);
    // dry it would hang lower than its anchor; water of 14 l lifts 8 kg
    assert_true(vec3d_length(s.world->solid[1].force) > 9.81 * toy->mass * 0.5);
    assert_true(toy->state[0].y > -9.81 * toy->mass / toy->stiffness);
    for (int threads = 2; threads <= 3; threads++) {
        Seams other;
        seams_create(&other, threads, 0);
        seams_run(&other, 0.4);
        assert_same_state(other.world, s.world);
        mn_world_destroy(other.world);
    }
    mn_world_destroy(s.world);
}

static void test_resume(void** state)
{
    Seams whole, half, again;
    seams_create(&whole, 2, 0);
    seams_create(&half, 1, 0);
    seams_create(&again, 1, 0);
    seams_run(&half, 0.1);
    Saved saved = {.count = 0};
    mn_Error error = {0};
    assert_true(world_save_state(half.world, keep, &saved));
    size_t bytes = 0;
    assert_non_null(give(&saved, "toy.state", &bytes));
    assert_non_null(give(&saved, "toy.mark", &bytes));
    assert_int_equal(bytes, half.world->sph.fluid.set.count * sizeof(float));
    expect_ok(world_load_state(again.world, give, &saved, &error) == MN_OK, &error);
    seams_run(&again, 0.2);
    seams_run(&whole, 0.1);
    seams_run(&whole, 0.2);
    assert_same_state(again.world, whole.world);
    // the hash knows both
    uint64_t hash = mn_world_hash(again.world);
    again.mark[0] += 1;
    assert_true(mn_world_hash(again.world) != hash);
    again.mark[0] -= 1;
    ((Toy*)again.world->solid[1].system)->state[1].x += 1e-12;
    assert_true(mn_world_hash(again.world) != hash);
    forget(&saved);
    mn_world_destroy(whole.world);
    mn_world_destroy(half.world);
    mn_world_destroy(again.world);
}

// Water thrown at the floor: the first steps are too long, and are taken back.
static void test_tries_are_taken_back(void** state)
{
    Seams s;
    seams_create(&s, 1, 40);
    s.world->state.dt_control = s.world->most_dt;
    uint64_t before = mn_world_hash(s.world);
    assert_true(register_keep(s.world->reg, s.world->pool));
    for (size_t i = 0; i < s.world->sph.fluid.set.count; i++) {
        s.mark[i] = 0;
        s.world->sph.fluid.position[i].w = 7;
        s.world->sph.fluid.velocity[i].x = 3;
    }
    assert_true(mn_world_hash(s.world) != before);
    register_take_back(s.world->reg, s.world->pool);
    fluid_accept(&s.world->sph.fluid);
    assert_true(mn_world_hash(s.world) == before);
    seams_run(&s, 0.02);
    mn_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_takes_part),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_tries_are_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
