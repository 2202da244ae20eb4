// SPDX-License-Identifier: MIT
// Chains: taut between two points they have one constraint more than ways to move, and whatever a solver does to close its joints
// must not become speed. Energy never grows, joints stay closed, nothing is faster than a fall.
#include "place.h"

typedef struct Rope {
    mn_JointType type;
    int links, ends; // ends: tied to the world
    double ball;     // [kg] dropped on its middle; 0: none
    double dt;       // [s]
} Rope;

typedef struct Outcome {
    bool ok;
    double growth; // of the energy above its start, relative to the fall of all masses by the rope's length
    double speed;  // [m/s] the fastest point of a link
    double gap;    // [m] the widest
    double spin;   // [m/s] on the surface of a link
} Outcome;

static const double LENGTH = 1, HEIGHT = 0.3;

static void tie(Place* p, mn_JointType type, int solid, int other, double x)
{
    mn_JointDef def = mn_default_joint_def();
    def.type = type;
    def.axis = (mn_Vec3){0, 0, 1};
    def.position = (mn_Vec3){x, 0, 0};
    assert_true(rigid_add_joint(p->rigid, &def, solid, other) >= 0);
}

static void add_links(Place* p, const Rope* rope)
{
    double step = LENGTH / rope->links;
    for (int k = 0; k < rope->links; k++) {
        int b = add(p, BODY_FREE, (mn_Shape){.type = MN_SHAPE_CAPSULE, .size = {0.16 * step, 0.48 * step, 0}},
                    vec3d((k + 0.5) * step, 0, 0), 1000, 0);
        BodyState s = rigid_state(p->rigid, b);
        s.rotation = (Quat){sqrt(0.5), 0, 0, sqrt(0.5)};
        rigid_set_state(p->rigid, b, &s);
        if (k > 0 || rope->ends > 0)
            tie(p, rope->type, b, k - 1, k * step);
    }
    if (rope->ends == 2)
        tie(p, rope->type, rope->links - 1, -1, LENGTH);
}

static double energy(const Place* p)
{
    double sum = 0;
    for (size_t k = 0; k < rigid_body_count(p->rigid); k++) {
        const Body* b = &p->rigid->body[k];
        if (b->kind != BODY_FREE)
            continue;
        Vec3d w = quat_unrotate(b->state.rotation, b->state.angular_velocity);
        Vec3d l = mat3d_times((const double(*)[3])b->mass.inertia, w);
        sum += 0.5 * b->mass.mass * vec3d_dot(b->state.velocity, b->state.velocity) + 0.5 * vec3d_dot(w, l);
        sum -= b->mass.mass * vec3d_dot(b->state.position, p->rigid->def.gravity);
    }
    return sum;
}

static double mass_of_all(const Place* p)
{
    double sum = 0;
    for (size_t k = 0; k < rigid_body_count(p->rigid); k++)
        sum += p->rigid->body[k].kind == BODY_FREE ? p->rigid->body[k].mass.mass : 0;
    return sum;
}

static Outcome swing(const Rope* rope, double seconds)
{
    Place* p = place_create(DOWN);
    add_links(p, rope);
    if (rope->ball > 0) {
        double radius = 0.06;
        add(p, BODY_FREE, (mn_Shape){.type = MN_SHAPE_SPHERE, .size = {radius, 0, 0}}, vec3d(0.53, HEIGHT, 0.01),
            rope->ball / (4.0 / 3 * M_PI * radius * radius * radius), 0);
    }
    Outcome out = {.ok = true};
    double start = energy(p), fall = mass_of_all(p) * 9.81 * LENGTH, half = LENGTH / rope->links / 2;
    for (double t = 0; t < seconds && out.ok; t += rope->dt) {
        out.ok = rigid_step(p->rigid, rope->dt);
        out.growth = fmax(out.growth, (energy(p) - start) / fall);
        for (int k = 0; k < rope->links; k++) {
            BodyState s = rigid_state(p->rigid, k);
            Vec3d along = quat_rotate(s.rotation, vec3d(0, half, 0));
            out.speed = fmax(out.speed, vec3d_length(s.velocity) + vec3d_length(vec3d_cross(s.angular_velocity, along)));
            out.spin = fmax(out.spin, 0.32 * half * vec3d_length(s.angular_velocity));
        }
        for (size_t k = 0; k < rigid_joint_count(p->rigid); k++)
            out.gap = fmax(out.gap, rigid_joint(p->rigid, (int)k).gap);
    }
    place_destroy(p);
    return out;
}

static void check(const Rope* rope, double seconds)
{
    Outcome out = swing(rope, seconds);
    // a fall by its length, and what the last link of a whip takes over from the others
    double fastest = (rope->ends == 1 ? 6 : 2) * sqrt(2 * 9.81 * (LENGTH + (rope->ball > 0 ? HEIGHT : 0)));
    bool bad = !out.ok || out.growth > 0.02 || out.gap > 7e-4 || out.speed > fastest;
    if (bad)
        print_message("%s, %d links, %d ends, ball of %g kg, dt %g: %s, energy %+.4f, speed %.3g m/s, spin %.3g m/s, gap %.3g m\n",
                      rope->type == MN_JOINT_BALL ? "balls" : "hinges", rope->links, rope->ends, rope->ball, rope->dt,
                      out.ok ? "ran" : "failed", out.growth, out.speed, out.spin, out.gap);
    assert_false(bad);
}

// A rope that is taut between two points through a rock cannot be where its joints and the rock want it. It shakes, but it takes no
// energy from that.
static void test_across_a_rock(void** state)
{
    for (int links = 4; links <= 16; links *= 2)
        for (int type = MN_JOINT_BALL; type <= MN_JOINT_HINGE; type++)
            for (int ends = 1; ends <= 2; ends++) {
                Place* p = place_create(DOWN);
                add_links(p, &(Rope){.type = type, .links = links, .ends = ends});
                add(p, BODY_FIXED, box(0.3, 0.3, 0.3), vec3d(0.5, -0.1, 0), 0, 0.1);
                for (int n = 0; n < 300; n++) {
                    run(p, 0.005, 1);
                    for (int k = 0; k < links; k++)
                        assert_below(vec3d_length(rigid_state(p->rigid, k).velocity), sqrt(2 * 9.81 * LENGTH));
                }
                place_destroy(p);
            }
}

// A pendulum keeps its energy: closing its joint by position alone would cost it 12 %.
static void test_pendulum(void** state)
{
    Place* p = place_create(DOWN);
    int b = add(p, BODY_FREE, box(0.2, 0.05, 0.05), vec3d(0.1, 0, 0), 800, 0);
    tie(p, MN_JOINT_HINGE, b, -1, 0);
    double fall = mass_of_all(p) * 9.81 * 0.1;
    for (int n = 0; n < 1000; n++) {
        run(p, 0.002, 1);
        assert_near(energy(p) / fall, 0, 0.01);
        assert_below(rigid_joint(p->rigid, 0).gap, 1e-6);
    }
    place_destroy(p);
}

// Two free bodies on one slider, one thrown: where the axis passes does not matter, and what the first step leaves of their energy
// stays. Impulses along the axis, where a slider is free, made it grow without end, in steps of any length.
static void test_slider(void** state)
{
    double left[2];
    for (int far = 0; far < 2; far++) {
        Place* p = place_create(vec3d(0, 0, 0));
        int rod = add(p, BODY_FREE, box(0.05, 0.3, 0.05), vec3d(1, 0, 0), 100, 0);
        int ball = add(p, BODY_FREE, (mn_Shape){.type = MN_SHAPE_SPHERE, .size = {0.1, 0, 0}}, vec3d(0, 0, 0), 100, 0);
        mn_JointDef def = mn_default_joint_def();
        def.type = MN_JOINT_SLIDER;
        def.position = far ? (mn_Vec3){0.8, 0.2, -0.1} : (mn_Vec3){0.5, 0, 0};
        def.axis = (mn_Vec3){-0.6, 0.9, 0.9};
        assert_true(rigid_add_joint(p->rigid, &def, rod, ball) >= 0);
        BodyState thrown = rigid_state(p->rigid, ball);
        thrown.velocity = vec3d(1, 0.15, -0.8);
        rigid_set_state(p->rigid, ball, &thrown);
        double before = energy(p);
        run(p, 0.004, 1);
        left[far] = energy(p);
        assert_true(left[far] <= before);
        for (int n = 0; n < 500; n++) {
            run(p, 0.004, 1);
            assert_near(energy(p) / left[far], 1, 0.01);
        }
        place_destroy(p);
    }
    assert_near(left[1] / left[0], 1, 0.01);
}

static void test_chains(void** state)
{
    for (int type = MN_JOINT_BALL; type <= MN_JOINT_HINGE; type++)
        for (int links = 4; links <= 16; links += 3)
            for (int ends = 1; ends <= 2; ends++)
                for (int ball = 0; ball < 2; ball++)
                    for (int coarse = 0; coarse < 2; coarse++)
                        check(&(Rope){type, links, ends, ball, coarse ? 0.005 : 0.002}, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_across_a_rock),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_slider),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
