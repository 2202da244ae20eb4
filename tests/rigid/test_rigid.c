// SPDX-License-Identifier: MIT
// Bodies alone: mass, fall, contact, joints, exact restart.
#include "place.h"

// --- mass

static void test_mass(void** state)
{
    mn_SolidDef def = mn_default_solid_def();
    def.density = 200;
    TriMesh mesh = {0};
    mn_Shape shape = box(1, 2, 3);
    assert_int_equal(shape_build(&shape, 3, 1e-3, NULL, &mesh, NULL), MN_OK);
    BodyMass m;
    assert_int_equal(body_mass(&def, &mesh, true, 0.01, 0.01, &m, NULL), MN_OK);
    assert_near(m.mass, 1200, 1e-9);
    assert_near(m.inertia[0][0], 1200.0 / 12 * (4 + 9), 1e-9);
    assert_near(m.inertia[1][1], 1200.0 / 12 * (1 + 9), 1e-9);
    assert_near(m.inertia[2][2], 1200.0 / 12 * (1 + 4), 1e-9);
    def.mass = 6; // given: the inertia goes with it
    assert_int_equal(body_mass(&def, &mesh, true, 0.01, 0.01, &m, NULL), MN_OK);
    assert_near(m.inertia[0][0], 6.0 / 12 * 13, 1e-12);
    def.inertia = (mn_Vec3){1, 2, 2.5};
    assert_int_equal(body_mass(&def, &mesh, true, 0.01, 0.01, &m, NULL), MN_OK);
    assert_near(m.inertia[1][1], 2, 0);
    mn_Error error = {0};
    def.inertia = (mn_Vec3){1, 2, 3.5}; // more than the sum of the others
    assert_int_equal(body_mass(&def, &mesh, true, 0.01, 0.01, &m, &error), MN_BAD_INPUT);
    assert_string_equal(error.key, "inertia");
    tri_mesh_free(&mesh);
    // a sheet of one square metre, a centimetre thick
    shape = (mn_Shape){.type = MN_SHAPE_PLANE, .size = {1, 0, 1}};
    assert_int_equal(shape_build(&shape, 3, 1e-3, NULL, &mesh, NULL), MN_OK);
    def = mn_default_solid_def();
    assert_int_equal(body_mass(&def, &mesh, false, 0.01, 0.01, &m, NULL), MN_OK);
    assert_near(m.mass, 5, 1e-9);
    assert_near(m.inertia[1][1], 5.0 / 6, 1e-9);
    assert_near(m.inertia[0][0], 5.0 / 12 * (1 + 1e-4), 1e-9);
    tri_mesh_free(&mesh);
}

// --- motion

static void test_free_fall(void** state)
{
    Place* p = place_create(DOWN);
    int b = add(p, BODY_FREE, box(0.1, 0.1, 0.1), vec3d(0, 10, 0), 500, 0);
    run(p, 0.001, 1000);
    assert_near(rigid_state(p->rigid, b).velocity.y, -9.81, 1e-9);
    assert_near(rigid_state(p->rigid, b).position.y, 10 - 9.81 / 2, 0.01);
    place_destroy(p);
}

static void test_force_and_torque(void** state)
{
    Place* p = place_create(vec3d(0, 0, 0));
    int b = add(p, BODY_FREE, box(0.2, 0.1, 0.1), vec3d(0, 0, 0), 1000, 0);
    BodyMass m = rigid_mass(p->rigid, b);
    rigid_set_force(p->rigid, b, vec3d(3, 0, 0), vec3d(0, 0, 0.01));
    run(p, 0.01, 1);
    BodyState s = rigid_state(p->rigid, b);
    assert_near(s.velocity.x, 0.01 * 3 / m.mass, 1e-12);
    assert_near(s.angular_velocity.z, 0.01 * 0.01 / m.inertia[2][2], 1e-9);
    run(p, 0.01, 1); // forces last one step
    assert_near(rigid_state(p->rigid, b).velocity.x, s.velocity.x, 1e-12);
    place_destroy(p);
}

static void test_bounce(void** state)
{
    Place* p = place_create(DOWN);
    add(p, BODY_FIXED, box(10, 1, 10), vec3d(0, -0.5, 0), 0, 0);
    int elastic = add(p, BODY_FREE, (mn_Shape){.type = MN_SHAPE_SPHERE, .size = {0.1, 0, 0}}, vec3d(0, 1.1, 0), 500, 0.5);
    double fastest = 0, highest = 0;
    for (int k = 0; k < 800; k++) {
        assert_true(rigid_step(p->rigid, 0.001));
        BodyState s = rigid_state(p->rigid, elastic);
        fastest = fmax(fastest, -s.velocity.y);
        if (s.velocity.y > 0)
            highest = fmax(highest, s.position.y - 0.1);
    }
    assert_near(fastest, sqrt(2 * 9.81), 0.05);
    assert_near(highest, 0.25, 0.02); // half the speed, a quarter of the height
    place_destroy(p);
}

static void test_friction_on_a_slope(void** state)
{
    // mu = 0.5 holds up to 26.6 degrees: gravity is tilted instead of the plane
    for (int steep = 0; steep < 2; steep++) {
        double a = (steep ? 32 : 22) * M_PI / 180;
        Place* p = place_create(vec3d(9.81 * sin(a), -9.81 * cos(a), 0));
        add(p, BODY_FIXED, box(10, 1, 10), vec3d(0, -0.5, 0), 0, 0);
        int b = add(p, BODY_FREE, box(0.2, 0.1, 0.2), vec3d(0, 0.05, 0), 500, 0);
        run(p, 0.002, 250);
        double x = rigid_state(p->rigid, b).position.x, slide = 0.5 * 9.81 * (sin(a) - 0.5 * cos(a)) * 0.25;
        assert_near(x, steep ? slide : 0, steep ? 0.05 * slide : 2e-3);
        place_destroy(p);
    }
}

static void test_stack_rests(void** state)
{
    Place* p = place_create(DOWN);
    add(p, BODY_FIXED, box(10, 1, 10), vec3d(0, -0.5, 0), 0, 0);
    int b[5];
    for (int k = 0; k < 5; k++)
        b[k] = add(p, BODY_FREE, box(0.2, 0.1, 0.2), vec3d(0, 0.05 + 0.1 * k, 0), 700, 0);
    run(p, 0.004, 500);
    for (int k = 0; k < 5; k++) {
        BodyState s = rigid_state(p->rigid, b[k]);
        assert_near(s.position.y, 0.05 + 0.1 * k, 2e-3);
        assert_below(vec3d_length(vec3d(s.position.x, 0, s.position.z)), 2e-3);
        assert_below(vec3d_length(s.velocity), 1e-3);
    }
    place_destroy(p);
}

static void test_container(void** state)
{
    Place* p = place_create(DOWN);
    int k = p->count++;
    p->shape[k] = box(1, 1, 1);
    assert_int_equal(shape_build(&p->shape[k], 3, 1e-3, NULL, &p->mesh[k], NULL), MN_OK);
    BodyDef def = {
        .kind = BODY_FIXED, .shape = &p->shape[k], .mesh = &p->mesh[k], .scale = {1, 1, 1}, .container = true, .friction = 0.2};
    def.state = (BodyState){.position = {0, 0.5, 0}, .rotation = {1, 0, 0, 0}};
    assert_true(rigid_add_body(p->rigid, &def) >= 0);
    int b = add(p, BODY_FREE, (mn_Shape){.type = MN_SHAPE_CYLINDER, .size = {0.05, 0.2, 0}}, vec3d(0.2, 0.6, 0.1), 500, 0.3);
    BodyState s = rigid_state(p->rigid, b);
    s.velocity = vec3d(6, 3, -5);
    s.angular_velocity = vec3d(3, 10, 2);
    rigid_set_state(p->rigid, b, &s);
    for (int n = 0; n < 1500; n++) {
        assert_true(rigid_step(p->rigid, 0.002));
        Vec3d x = rigid_state(p->rigid, b).position;
        assert_true(fabs(x.x) < 0.48 && fabs(x.z) < 0.48 && x.y > 0.03 && x.y < 0.98);
    }
    place_destroy(p);
}

// --- joints

static void test_joints_hold(void** state)
{
    // a chain of six links hangs from the world and swings
    Place* p = place_create(DOWN);
    int last = -1;
    for (int k = 0; k < 6; k++) {
        int b = add(p, BODY_FREE, box(0.1, 0.02, 0.02), vec3d(0.05 + 0.1 * k, 0, 0), 800, 0);
        mn_JointDef def = mn_default_joint_def();
        def.type = k % 2 ? MN_JOINT_HINGE : MN_JOINT_BALL;
        def.axis = (mn_Vec3){0, 0, 1};
        def.position = (mn_Vec3){0.1 * k, 0, 0};
        assert_true(rigid_add_joint(p->rigid, &def, b, last) >= 0);
        last = b;
    }
    double lowest = 0;
    for (int n = 0; n < 800; n++) {
        assert_true(rigid_step(p->rigid, 0.002));
        for (int k = 0; k < 6; k++)
            assert_below(rigid_joint(p->rigid, k).gap, 1e-4);
        lowest = fmin(lowest, rigid_state(p->rigid, last).position.y);
    }
    assert_below(lowest, -0.45);
    place_destroy(p);
}

static void test_hinge_limits_and_motor(void** state)
{
    Place* p = place_create(vec3d(0, 0, 0));
    int b = add(p, BODY_FREE, box(0.2, 0.05, 0.05), vec3d(0.1, 0, 0), 800, 0);
    mn_JointDef def = mn_default_joint_def();
    def.type = MN_JOINT_HINGE;
    def.axis = (mn_Vec3){0, 0, 1};
    def.limits[0] = -30;
    def.limits[1] = 60;
    def.motor_speed = 90;
    def.motor_strength = 100;
    int j = rigid_add_joint(p->rigid, &def, b, -1);
    run(p, 0.002, 200);
    assert_near(rigid_joint(p->rigid, j).position, 36, 1); // 90 degrees/s for 0.4 s
    run(p, 0.002, 400);
    assert_near(rigid_joint(p->rigid, j).position, 60, 0.5);
    place_destroy(p);
}

static void test_slider(void** state)
{
    Place* p = place_create(DOWN);
    int b = add(p, BODY_FREE, box(0.1, 0.1, 0.1), vec3d(0, 0, 0), 800, 0);
    mn_JointDef def = mn_default_joint_def();
    def.type = MN_JOINT_SLIDER;
    def.axis = (mn_Vec3){0, 1, 0};
    def.limits[0] = -0.3;
    def.limits[1] = 0.1;
    int j = rigid_add_joint(p->rigid, &def, b, -1);
    run(p, 0.002, 500);
    assert_near(rigid_joint(p->rigid, j).position, -0.3, 2e-3);
    assert_below(rigid_joint(p->rigid, j).gap, 1e-4);
    place_destroy(p);
}

// A driven joint is where its table says, against gravity and while it swings with what carries it.
static void test_drive(void** state)
{
    for (int hinge = 0; hinge < 2; hinge++) {
        Place* p = place_create(DOWN);
        int carrier = add(p, BODY_FREE, box(0.4, 0.1, 0.1), vec3d(0, -0.3, 0), 800, 0);
        int b = add(p, BODY_FREE, box(0.1, 0.05, 0.05), vec3d(0, 0, 0), 800, 0);
        mn_JointDef def = mn_default_joint_def();
        def.type = MN_JOINT_HINGE;
        def.axis = (mn_Vec3){0, 0, 1};
        rigid_add_joint(p->rigid, &def, carrier, -1);
        mn_DriveKey keys[3] = {{0, 0}, {0.5, hinge ? 40 : 0.2}, {1, hinge ? -20 : -0.1}};
        def.type = hinge ? MN_JOINT_HINGE : MN_JOINT_SLIDER;
        def.axis = hinge ? (mn_Vec3){0, 0, 1} : (mn_Vec3){1, 0, 0};
        def.drive = keys;
        def.drive_count = 3;
        int j = rigid_add_joint(p->rigid, &def, b, carrier);
        double swing = 0;
        const double wanted[2][2] = {{0.1, -0.1}, {20, -20}};
        for (int n = 0; n < 600; n++) {
            rigid_set_time(p->rigid, 0.002 * n);
            run(p, 0.002, 1);
            swing = fmax(swing, fabs(rigid_state(p->rigid, carrier).position.x));
            if (n + 1 == 125)
                assert_near(rigid_joint(p->rigid, j).position, wanted[hinge][0], hinge ? 0.1 : 1e-3);
        }
        assert_near(rigid_joint(p->rigid, j).position, wanted[hinge][1], hinge ? 0.1 : 1e-3); // after its last key it stays there
        assert_true(swing > 1e-4);                                                            // what carries it has moved
        place_destroy(p);
    }
}

// A damped wheel slows down as exp(-c t / I), also when that is fast.
static void test_damping(void** state)
{
    for (int strong = 0; strong < 2; strong++) {
        Place* p = place_create(vec3d(0, 0, 0));
        int b = add(p, BODY_FREE, box(0.2, 0.2, 0.2), vec3d(0, 0, 0), 1000, 0);
        double inertia = rigid_mass(p->rigid, b).inertia[1][1];
        mn_JointDef def = mn_default_joint_def();
        def.type = MN_JOINT_HINGE;
        def.damping = strong ? 1e6 * inertia : 2 * inertia;
        rigid_add_joint(p->rigid, &def, b, -1);
        rigid_set_state(p->rigid, b, &(BodyState){.rotation = {1, 0, 0, 0}, .angular_velocity = {0, 3, 0}});
        run(p, 0.002, 250);
        assert_near(rigid_state(p->rigid, b).angular_velocity.y, strong ? 0 : 3 * exp(-1), strong ? 1e-3 : 0.01);
        place_destroy(p);
    }
}

static void test_push(void** state)
{
    Place* p = place_create(DOWN);
    int b = add(p, BODY_FREE, box(0.1, 0.1, 0.1), vec3d(0, 0, 0), 1000, 0); // 1 kg
    p->rigid->body[b].push = vec3d(2, 9.81, 0);
    Vec3d linear[1], angular[1];
    assert_true(rigid_predict(p->rigid, 0.002, linear, angular));
    assert_near(linear[0].x, 2, 1e-9);
    assert_near(linear[0].y, 0, 1e-9);
    run(p, 0.002, 500);
    assert_near(rigid_state(p->rigid, b).velocity.x, 2, 1e-9);
    assert_near(rigid_state(p->rigid, b).velocity.y, 0, 1e-9);
    place_destroy(p);
}

static void test_break(void** state)
{
    // 8 kg weigh 78.5 N
    for (int strong = 0; strong < 2; strong++) {
        Place* p = place_create(DOWN);
        int b = add(p, BODY_FREE, box(0.2, 0.2, 0.2), vec3d(0, 0, 0), 1000, 0);
        mn_JointDef def = mn_default_joint_def();
        def.type = MN_JOINT_FIXED;
        def.break_force = strong ? 90 : 70;
        int j = rigid_add_joint(p->rigid, &def, b, -1);
        run(p, 0.002, 100);
        assert_int_equal(rigid_joint(p->rigid, j).holds, strong);
        assert_true((rigid_state(p->rigid, b).position.y < -0.1) == !strong);
        if (strong) {
            assert_near(vec3d_length(rigid_joint(p->rigid, j).force), 78.48, 0.1);
            rigid_remove_joint(p->rigid, j);
            run(p, 0.002, 100);
            assert_below(rigid_state(p->rigid, b).position.y, -0.1);
        }
        place_destroy(p);
    }
}

// --- restart

static void test_exact_restart(void** state)
{
    Place *one = tumble(1), *two = tumble(1);
    run(one, 0.003, 200);
    size_t bytes = rigid_state_bytes(one->rigid);
    void *saved = malloc(bytes), *a = malloc(bytes), *b = malloc(bytes);
    rigid_save(one->rigid, saved);
    assert_true(rigid_load(two->rigid, saved));
    run(one, 0.003, 200);
    run(two, 0.003, 200);
    rigid_save(one->rigid, a);
    rigid_save(two->rigid, b);
    assert_memory_equal(a, b, bytes);
    ((double*)saved)[1] = (double)NAN;
    assert_false(rigid_load(two->rigid, saved));
    free(saved);
    free(a);
    free(b);
    place_destroy(one);
    place_destroy(two);
}

// --- sleep

static void let_sleep(Place* p)
{
    p->rigid->may_sleep = true;
    for (size_t k = 0; k < p->rigid->body_count; k++)
        p->rigid->body[k].may_sleep = p->rigid->body[k].kind == BODY_FREE;
}

static void run_with_rest(Place* p, int steps)
{
    for (int k = 0; k < steps; k++) {
        assert_true(rigid_step(p->rigid, 0.004));
        rigid_update_sleep(p->rigid, 0.004);
    }
}

// Three boxes on each other, and a ball that comes rolling later.
static Place* pile(void)
{
    Place* p = place_create(DOWN);
    add(p, BODY_FIXED, box(10, 1, 10), vec3d(0, -0.5, 0), 0, 0);
    for (int k = 0; k < 3; k++)
        add(p, BODY_FREE, box(0.2, 0.1, 0.2), vec3d(0.01 * k, 0.05 + 0.1 * k, 0), 600, 0);
    add(p, BODY_FREE, (mn_Shape){.type = MN_SHAPE_SPHERE, .size = {0.1, 0, 0}}, vec3d(-3, 0.1, 0), 3000, 0);
    let_sleep(p);
    BodyState ball = rigid_state(p->rigid, 4);
    ball.velocity = vec3d(1.5, 0, 0);
    ball.angular_velocity = vec3d(0, 0, -15);
    rigid_set_state(p->rigid, 4, &ball);
    return p;
}

static int sleepers(const Place* p)
{
    int n = 0;
    for (int k = 1; k <= 3; k++)
        n += rigid_is_asleep(p->rigid, k);
    return n;
}

static void test_sleep(void** state)
{
    Place* p = pile();
    run_with_rest(p, 60);
    assert_int_equal(sleepers(p), 0); // it takes a while
    run_with_rest(p, 190);            // t = 1 s
    assert_int_equal(sleepers(p), 3);
    BodyState before = rigid_state(p->rigid, 3);
    run_with_rest(p, 50);
    BodyState after = rigid_state(p->rigid, 3);
    assert_memory_equal(&before, &after, sizeof before);
    assert_false(rigid_is_asleep(p->rigid, 4)); // it rolls
    run_with_rest(p, 250);                      // and has hit them, one second ago
    assert_true(fabs(rigid_state(p->rigid, 1).position.x) > 0.02);

    Place* still = pile();
    run_with_rest(still, 250);
    for (int k = 0; k < 3; k++) { // a small force does not wake them, a larger one does, with what lies on them
        rigid_set_load(still->rigid, 1, vec3d(0, k < 2 ? 1.0 * k : 8, 0), vec3d(0, 0, 0));
        run_with_rest(still, 30);
        assert_int_equal(sleepers(still), k < 2 ? 3 : 0);
    }
    place_destroy(still);
    place_destroy(p);
}

static void test_sleep_restarts(void** state)
{
    for (int steps = 100; steps <= 500; steps += 100) {
        Place *one = pile(), *two = pile();
        run_with_rest(one, steps);
        size_t bytes = rigid_state_bytes(one->rigid);
        void *a = malloc(bytes), *b = malloc(bytes);
        rigid_save(one->rigid, a);
        assert_true(rigid_load(two->rigid, a));
        run_with_rest(one, 150);
        run_with_rest(two, 150);
        rigid_save(one->rigid, a);
        rigid_save(two->rigid, b);
        assert_memory_equal(a, b, bytes);
        free(a);
        free(b);
        place_destroy(one);
        place_destroy(two);
    }
}

static void test_prediction_changes_nothing(void** state)
{
    Place *one = tumble(1), *two = tumble(1);
    Vec3d linear[16], angular[16];
    for (int k = 0; k < 150; k++) {
        assert_true(rigid_step(one->rigid, 0.003));
        assert_true(rigid_predict(two->rigid, 0.003, linear, angular));
        assert_true(rigid_step(two->rigid, 0.003));
    }
    for (size_t k = 0; k < rigid_body_count(one->rigid); k++) {
        BodyState a = rigid_state(one->rigid, (int)k), b = rigid_state(two->rigid, (int)k);
        assert_memory_equal(&a, &b, sizeof a);
    }
    place_destroy(one);
    place_destroy(two);
}

static void test_overlaps(void** state)
{
    Place* p = place_create(DOWN);
    add(p, BODY_FREE, box(0.1, 0.1, 0.1), vec3d(0, 0, 0), 600, 0);
    add(p, BODY_FREE, box(0.1, 0.1, 0.1), vec3d(0.05, 0, 0), 600, 0);
    add(p, BODY_FREE, box(0.1, 0.1, 0.1), vec3d(1, 0, 0), 600, 0);
    int pairs[4][2];
    assert_int_equal(rigid_overlaps(p->rigid, 0.001, pairs, 4), 1);
    assert_int_equal(pairs[0][0] + pairs[0][1], 1);
    place_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_force_and_torque),
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_friction_on_a_slope),
        cmocka_unit_test(test_stack_rests),
        cmocka_unit_test(test_container),
        cmocka_unit_test(test_joints_hold),
        cmocka_unit_test(test_hinge_limits_and_motor),
        cmocka_unit_test(test_slider),
        cmocka_unit_test(test_drive),
        cmocka_unit_test(test_damping),
        cmocka_unit_test(test_push),
        cmocka_unit_test(test_break),
        cmocka_unit_test(test_exact_restart),
        cmocka_unit_test(test_prediction_changes_nothing),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_sleep_restarts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
