// SPDX-License-Identifier: MIT
// No particle of a hail gets into a solid that moves as one or out of a container, however far it flies in a step and however fast
// the solid goes; who is put back is who brute force finds; and what the particles lose the solid gets.
#include "hail.h"

static Rigid* rigid_of(const mn_World* world)
{
    return ((RigidSystem*)world_system(world, &rigid_system))->rigid;
}

#define BALL "\"shape\": {\"sphere\": 0.2}"
#define BOX "\"shape\": {\"box\": [0.3, 0.4, 0.3]}"
#define RING "\"shape\": {\"torus\": [0.25, 0.1]}"
#define PLANE "\"shape\": {\"plane\": [0.5, 0.5]}"
#define STATIC(shape) HAIL("{\"name\": \"it\", \"type\": \"static\", " shape "}")
#define KINEMATIC(shape) HAIL("{\"name\": \"it\", \"type\": \"kinematic\", " shape "}")
#define RIGID(shape) HAIL("{\"name\": \"it\", \"type\": \"rigid\", \"density\": 2000, \"thickness\": 0.02, " shape "}")

static bool is_outside(const mn_World* world, Vec3d x)
{
    const Solid* s = &world->solids.solid[0];
    Vec3d local = solid_to_local(s, x);
    return !s->closed || (!inside_contains(s->test, local) && inside_distance(s->test, local, 1e-3, NULL, NULL) >= 1e-3);
}

static double depth_at(const Solid* s, Vec3d local)
{
    return inside_contains(s->test, local) ? inside_distance(s->test, local, 10, NULL, NULL) : 0;
}

// [m] the deepest point of a particle's path in the solid, as the solid sees it.
static double deepest(const mn_World* world, size_t i)
{
    enum { POINTS = 120 };
    const GuardSolid* g = &world->guard.solid[0];
    Vec3d from = pose_to_local(&g->was, point_of(world_sph(world)->fluid.set.scratch[i]));
    Vec3d to = pose_to_local(&g->now, point_of(world_sph(world)->fluid.position[i]));
    double most = 0;
    for (int k = 0; k <= POINTS; k++)
        most = fmax(most, depth_at(&world->solids.solid[0], vec3d_lerp(from, to, k / (double)POINTS)));
    return most;
}

// Which side of a shell's triangles the path changes to, in sum.
static int net_crossings(const mn_World* world, size_t i)
{
    enum { MOST = 32 };
    const GuardSolid* g = &world->guard.solid[0];
    SurfacePass pass[MOST];
    int sum = 0,
        count = inside_passes(world->solids.solid[0].test, pose_to_local(&g->was, point_of(world_sph(world)->fluid.set.scratch[i])),
                              pose_to_local(&g->now, point_of(world_sph(world)->fluid.position[i])), pass, MOST);
    for (int k = 0; k < count; k++)
        sum += pass[k].direction;
    return sum;
}

// The solid goes on by a spacing and more, and turns.
static void move_solid(mn_World* world, Random* random)
{
    Solid* s = &world->solids.solid[0];
    Vec3d step = random_in(random, 0.08);
    Quat turn = quat_normalise((Quat){1, 0.1 * random_unit(random), 0.1, -0.05});
    if (s->type == MN_SOLID_KINEMATIC) {
        s->pose.position = vec3d_add(s->pose.position, step);
        s->pose.rotation = quat_normalise(quat_mul(turn, s->pose.rotation));
        s->velocity = vec3d_scale(step, 100);
    } else if (s->type == MN_SOLID_RIGID) {
        BodyState state = rigid_state(rigid_of(world), 0);
        state.position = vec3d_add(state.position, step);
        state.rotation = quat_normalise(quat_mul(turn, state.rotation));
        state.velocity = vec3d_scale(step, 100);
        rigid_set_state(rigid_of(world), 0, &state);
    }
}

static Vec3d momentum_of_solid(const mn_World* world)
{
    if (world->solids.solid[0].type != MN_SOLID_RIGID)
        return world->guard.record[0].impulse;
    return vec3d_scale(rigid_state(rigid_of(world), 0).velocity, rigid_mass(rigid_of(world), 0).mass);
}

static void check_path(const mn_World* world, size_t i, const char* what, double before, int crossed)
{
    double caught = world->guard.caught, after = deepest(world, i);
    bool is_closed = world->solids.solid[0].closed;
    if (is_closed && after >= 1.011 * caught)
        fail_msg("%s: a particle goes %.3g m deep, %.3g before", what, after, before);
    if (is_closed && before >= 1.011 * caught && !was_put_back(world, (uint32_t)i))
        fail_msg("%s: a particle that would go %.3g m deep was not put back", what, before);
    // who cuts an edge from one side to the opposite one is put back however flat it is there: curved shapes have no such edges
    if (is_closed && before == 0 && was_put_back(world, (uint32_t)i))
        fail_msg("%s: a particle was put back that meets nothing", what);
    if (!is_closed && (net_crossings(world, i) || (crossed != 0) != was_put_back(world, (uint32_t)i)))
        fail_msg("%s: a particle that crosses %d times was %sput back", what, crossed,
                 was_put_back(world, (uint32_t)i) ? "" : "not ");
}

static void check_hail(const char* what, const char* json)
{
    mn_World* world = build(json);
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    Random random = {.state = 7};
    size_t count = world_sph(world)->fluid.set.count, all = 0;
    double* before = calloc(count, sizeof *before);
    int* crossed = calloc(count, sizeof *crossed);
    for (int step = 0; step < 9; step++) {
        // from a third on paths are short, and only those near the solid are looked at
        double far = step < 3 ? 0.6 : step < 6 ? 0.1 : 0.03;
        hail_begin(world, &random, step < 6 ? 0.5 : 0.35, is_outside);
        hail_fly(world, &random, far);
        move_solid(world, &random);
        world->guard.solid[0].now = world->solids.solid[0].kind->pose_after(&world->solids.solid[0], 0);
        for (size_t i = 0; i < count; i++) {
            before[i] = deepest(world, i);
            crossed[i] = net_crossings(world, i);
        }
        Vec3d sum = vec3d_add(fluid_momentum(world), momentum_of_solid(world));
        all += hail_end(world);
        Vec3d after = vec3d_add(fluid_momentum(world), momentum_of_solid(world));
        assert_below(vec3d_distance(sum, after), 1e-9 * (1 + vec3d_length(sum)));
        for (size_t i = 0; i < count; i++)
            check_path(world, i, what, before[i], crossed[i]);
        world_place_systems(world);
    }
    GuardCount n = world->guard.record[0].count;
    print_message("%s: %zu particles in 9 steps, %zu put back\n", what, count, all);
    assert_true(all > 50);
    assert_int_equal(world->solids.solid[0].closed ? n.caught : n.crossed, all);
    assert_int_equal(n.caught + n.crossed + n.behind_wall, all);
    assert_int_equal(n.leaked, 0);
    free(before);
    free(crossed);
    mn_world_destroy(world);
}

static void test_static(void** state)
{
    check_hail("ball", STATIC(BALL));
    check_hail("box", STATIC(BOX));
    check_hail("ring", STATIC(RING));
    check_hail("plane", STATIC(PLANE));
}

static void test_kinematic(void** state)
{
    check_hail("moving ball", KINEMATIC(BALL));
    check_hail("moving box", KINEMATIC(BOX));
    check_hail("moving ring", KINEMATIC(RING));
    check_hail("moving plane", KINEMATIC(PLANE));
}

static void test_rigid(void** state)
{
    check_hail("rigid ball", RIGID(BALL));
    check_hail("rigid box", RIGID(BOX));
    check_hail("rigid ring", RIGID(RING));
    check_hail("rigid plane", RIGID(PLANE));
}

// --- containers

static bool is_in_tank(const mn_World* world, Vec3d x)
{
    bool in = false;
    for (size_t k = 0; k < world->solids.count; k++)
        in |= inside_contains(world->solids.solid[k].test, solid_to_local(&world->solids.solid[k], x));
    return in;
}

static void check_tanks(const char* what, const char* solids)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{\"particle_radius\": 0.02, \"gravity\": [0, 0, 0], \"fluids\": [{\"density\": 1000, \"blocks\": [{\"min\": [-0.2, "
             "-0.2, -0.2], \"max\": [0.2, 0.2, 0.2]}]}], \"solids\": [%s]}",
             solids);
    mn_World* world = build(json);
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    Random random = {.state = 3};
    size_t all = 0;
    for (int step = 0; step < 12; step++) {
        hail_begin(world, &random, 0.6, is_in_tank);
        hail_fly(world, &random, step < 6 ? 1 : 0.05);
        all += hail_end(world);
        for (size_t i = 0; i < world_sph(world)->fluid.set.count; i++)
            if (!guard_is_contained(&world->guard, point_of(world_sph(world)->fluid.position[i]), world->guard.caught, SIZE_MAX))
                fail_msg("%s: a particle got out", what);
        assert_int_equal(guard_count_leaks(&world->guard), 0);
    }
    uint64_t behind = 0;
    for (size_t k = 0; k < world->solids.count; k++)
        behind += world->guard.record[k].count.behind_wall;
    print_message("%s: %zu put back\n", what, all);
    assert_true(all > 500);
    assert_int_equal(behind, all);
    mn_world_destroy(world);
}

static void test_tanks(void** state)
{
    check_tanks("tank", "{\"name\": \"a\", \"shape\": {\"box\": [0.8, 0.8, 0.8]}, \"inside\": true}");
    check_tanks("round tank", "{\"name\": \"a\", \"shape\": {\"sphere\": 0.45}, \"inside\": true}");
    check_tanks("two tanks that overlap",
                "{\"name\": \"a\", \"shape\": {\"box\": [0.5, 0.5, 0.5]}, \"inside\": true}, {\"name\": \"b\", "
                "\"shape\": {\"sphere\": 0.2}, \"position\": [0.3, 0, 0], \"inside\": true}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_static),
        cmocka_unit_test(test_kinematic),
        cmocka_unit_test(test_rigid),
        cmocka_unit_test(test_tanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
