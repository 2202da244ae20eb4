// SPDX-License-Identifier: MIT
// Contact between deformable surfaces: no edge of one is ever through a face of another, which is looked at geometrically and
// without the tree that contact itself uses; momentum is kept; any number of threads gives the same bits.
#include "elastic_support.h"

#include "base/random.h"
#include "elastic/contact/deformables.h"
#include "elastic/contact/pair.h"
#include "mesh/inside.h"
#include "mesh/shape.h"
#include <stdlib.h>
#include <string.h>

// --- surfaces through each other, by brute force

static bool pierces(Vec3d from, Vec3d to, Vec3d a, Vec3d b, Vec3d c)
{
    Vec3d u = vec3d_sub(b, a), v = vec3d_sub(c, a), d = vec3d_sub(to, from), r = vec3d_sub(from, a), p = vec3d_cross(d, v);
    double det = vec3d_dot(u, p);
    if (fabs(det) < 1e-9 * vec3d_length(u) * vec3d_length(v) * vec3d_length(d))
        return false; // in one plane, as on a floor
    Vec3d q = vec3d_cross(r, u);
    double s = vec3d_dot(r, p) / det, t = vec3d_dot(d, q) / det, along = vec3d_dot(v, q) / det;
    return s >= 0 && t >= 0 && s + t <= 1 && along >= 0 && along <= 1;
}

static size_t count_of_bodies(const Body* a, const Body* b)
{
    size_t count = 0;
    for (size_t i = 0; i < a->skin.face_count; i++)
        for (int c = 0; c < 3; c++) {
            uint32_t p = a->skin.face[i][c], q = a->skin.face[i][(c + 1) % 3];
            Vec3d x = a->position[p], y = a->position[q];
            for (size_t k = 0; k < b->skin.face_count; k++) {
                const uint32_t* t = b->skin.face[k];
                if (a == b && (p == t[0] || p == t[1] || p == t[2] || q == t[0] || q == t[1] || q == t[2]))
                    continue;
                count += pierces(x, y, b->position[t[0]], b->position[t[1]], b->position[t[2]]);
            }
        }
    return count;
}

// Edges that are through faces.
static size_t count_through(const ElasticSet* set)
{
    size_t count = 0;
    for (size_t i = 0; i < set->body_count; i++)
        for (size_t k = 0; k < set->body_count; k++)
            if (i != k || set->body[i].def.self_contact)
                count += count_of_bodies(&set->body[i], &set->body[k]);
    return count;
}

// --- strips on edge

// A strip of cloth that stands on its long edge: along x or along z.
static TriMesh strip(double length, double height, int cells, bool along_z, Vec3d at)
{
    TriMesh mesh = test_grid(length, height, cells, 2);
    for (size_t k = 0; k < mesh.vertex_count; k++) {
        Vec3d p = mesh.vertex[k];
        mesh.vertex[k] = vec3d_add(at, along_z ? vec3d(0, p.z, p.x) : vec3d(p.x, p.z, 0));
    }
    return mesh;
}

static void add_body(ElasticSet* set, const ElasticBodyDef* def)
{
    int body;
    assert_int_equal(elastic_add_body(set, def, &body, NULL), MN_OK);
}

static void pin_ends(ElasticSet* set, int body, const TriMesh* mesh, bool along_z)
{
    int pin = elastic_add_pin(set, body);
    for (uint32_t k = 0; k < mesh->vertex_count; k++)
        if (fabs(along_z ? mesh->vertex[k].z : mesh->vertex[k].x) > 0.199)
            elastic_pin_vertex(set, body, pin, k);
}

// [m] of the points within 6 cm of where the strips cross
static Vec3d middle_of(const Body* body)
{
    Vec3d sum = {0, 0, 0};
    double count = 0;
    for (size_t k = 0; k < body->point_count; k++)
        if (fabs(body->rest[k].x) < 0.06 && fabs(body->rest[k].z) < 0.06) {
            sum = vec3d_add(sum, body->position[k]);
            count++;
        }
    return vec3d_scale(sum, 1 / count);
}

// Two strips, crossed, both on edge, with cells of 5 cm: the upper one falls on the lower one. Only edges meet. The ends of the
// lower one are held, those of the upper one are not.
static void check_strips(double speed, double dt, double time)
{
    TriMesh low = strip(0.4, 0.1, 8, false, vec3d(0, 0, 0)), high = strip(0.4, 0.1, 8, true, vec3d(0.02, 0.11, 0.015));
    ElasticBodyDef def = test_sheet(&low);
    def.contact = true;
    ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), 2);
    def.surface = &high;
    def.velocity = vec3d(0, -speed, 0);
    add_body(set, &def);
    pin_ends(set, 0, &low, false);
    double begin = elastic_totals(set).kinetic + elastic_totals(set).gravitational, lowest = 1;
    double swing = 0.02 * (elastic_totals(set).kinetic + elastic_mass(set, 1) * 9.81 * 0.1);
    for (double t = 0; t < time; t += dt) {
        assert_true(elastic_step(set, dt));
        size_t through = count_through(set);
        if (through)
            fail_msg("%zu edges are through faces after %g s (%g m/s, steps of %g s)", through, t, speed, dt);
        ElasticTotals now = elastic_totals(set);
        assert_below(now.kinetic + now.gravitational + now.strain, begin + swing);
        lowest = fmin(lowest, middle_of(&set->body[1]).y - middle_of(&set->body[0]).y);
    }
    assert_true(lowest > 0.01); // on top of the other, also when it has tipped over
    test_set_destroy(set);
    tri_mesh_free(&low);
    tri_mesh_free(&high);
}

static void test_crossed_strips(void** state)
{
    check_strips(0.5, 1e-3, 0.25);
    check_strips(0.5, 4e-3, 0.25);
    check_strips(5, 1e-3, 0.05);
    check_strips(5, 5e-3, 0.05);
}

// Both held by their ends: they stay one on the other, and come to rest.
static void test_strips_come_to_rest(void** state)
{
    TriMesh low = strip(0.4, 0.1, 8, false, vec3d(0, 0, 0)), high = strip(0.4, 0.1, 8, true, vec3d(0.02, 0.1015, 0.015));
    ElasticBodyDef def = test_sheet(&low);
    def.young = 1e6;
    def.contact = true;
    def.drag = 20;
    ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), 1);
    def.surface = &high;
    add_body(set, &def);
    pin_ends(set, 0, &low, false);
    pin_ends(set, 1, &high, true);
    for (int k = 0; k < 1000; k++) {
        assert_true(elastic_step(set, 2e-3));
        if (k % 5 == 0)
            assert_int_equal(count_through(set), 0);
    }
    double fastest = 0;
    for (size_t i = 0; i < set->body[1].point_count; i++)
        fastest = fmax(fastest, vec3d_length(set->body[1].velocity[i]));
    print_message("fastest point in the end: %.2g m/s\n", fastest);
    assert_true(middle_of(&set->body[1]).y - middle_of(&set->body[0]).y > 0.01);
    assert_below(fastest, 0.02);
    test_set_destroy(set);
    tri_mesh_free(&low);
    tri_mesh_free(&high);
}

// --- momentum of one pair

static Vec3d random_place(Random* random, double size)
{
    return vec3d(random_range(random, -size, size), random_range(random, -size, size), random_range(random, -size, size));
}

// An impact changes neither momentum nor, where friction is nought, angular momentum, in any place of the two features.
static void test_momentum_of_a_pair(void** state)
{
    Random random = {3};
    int met = 0;
    for (int trial = 0; trial < 2000; trial++) {
        ContactKind kind = trial % 2 ? CONTACT_EDGE_EDGE : CONTACT_VERTEX_FACE;
        Vec3d x[4], before = {0, 0, 0}, after = {0, 0, 0}, turning = {0, 0, 0}, turned = {0, 0, 0};
        double mass[4], size = 0, energy = 0;
        for (int k = 0; k < 4; k++)
            x[k] = random_place(&random, 1);
        PairPlace place = pair_place(kind, x, 0);
        if (!place.over)
            continue;
        Meeting m = {.count = 4, .normal = place.normal, .depth = 0.01, .share = 1, .friction = trial % 4 < 2 ? 0 : 0.5};
        if (place.height < 0)
            m.normal = vec3d_scale(m.normal, -1);
        for (int k = 0; k < 4; k++) {
            mass[k] = random_range(&random, 0.1, 10);
            m.weight[k] = place.weight[k];
            m.inverse[k] = m.ease[k] = 1 / mass[k];
            m.velocity[k] = random_place(&random, 3);
            before = vec3d_mad(before, mass[k], m.velocity[k]);
            turning = vec3d_mad(turning, mass[k], vec3d_cross(x[k], m.velocity[k]));
            size += mass[k] * vec3d_length(m.velocity[k]);
            energy += 0.5 * mass[k] * vec3d_dot(m.velocity[k], m.velocity[k]);
        }
        Vec3d start = m.velocity[0];
        meeting_solve(&m);
        double left = 0;
        Vec3d moved = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            after = vec3d_mad(after, mass[k], m.velocity[k]);
            turned = vec3d_mad(turned, mass[k], vec3d_cross(x[k], m.velocity[k]));
            moved = vec3d_mad(moved, mass[k], m.shift[k]);
            left += 0.5 * mass[k] * vec3d_dot(m.velocity[k], m.velocity[k]);
        }
        met += vec3d_distance(start, m.velocity[0]) > 0;
        assert_below(vec3d_distance(before, after), 1e-13 * size);
        if (m.friction == 0)
            assert_below(vec3d_distance(turning, turned), 1e-12 * size);
        assert_below(vec3d_length(moved), 1e-13 * 40);
        assert_below(left, energy * (1 + 1e-12));
    }
    assert_true(met > 100);
}

// --- many

// Cloths and jelly cubes above a floor, one over the other.
typedef struct Pile {
    ElasticSet* set;
    TriMesh sheet[3];
    TestVolume cube[2];
    TriMesh ground;
    InsideTest* test;
    int floor;
} Pile;

static Pile make_pile(int threads)
{
    Pile pile = {0};
    for (int k = 0; k < 3; k++) {
        pile.sheet[k] = test_grid(0.2, 0.2, 8, 8);
        for (size_t i = 0; i < pile.sheet[k].vertex_count; i++) {
            Vec3d p = pile.sheet[k].vertex[i];
            double angle = 0.4 * k;
            pile.sheet[k].vertex[i] =
                vec3d(p.x * cos(angle) - p.z * sin(angle), 0.03 + 0.09 * k, p.x * sin(angle) + p.z * cos(angle) + 0.01 * k);
        }
        ElasticBodyDef def = test_sheet(&pile.sheet[k]);
        def.young = 1e5;
        def.thickness = 2e-3;
        def.drag = 1;
        def.contact = def.self_contact = true;
        if (k == 0)
            pile.set = test_set(&def, vec3d(0, -9.81, 0), threads);
        else
            add_body(pile.set, &def);
    }
    for (int k = 0; k < 2; k++) {
        pile.cube[k] = test_volume(vec3d(0.06, 0.06, 0.06), 2, 2, 2);
        Vec3d at = {0.01 + 0.01 * k, 0.075 + 0.09 * k, 0.005};
        for (size_t i = 0; i < pile.cube[k].tets.point_count; i++)
            pile.cube[k].tets.point[i] = vec3d_add(pile.cube[k].tets.point[i], at);
        for (size_t i = 0; i < pile.cube[k].surface.vertex_count; i++)
            pile.cube[k].surface.vertex[i] = vec3d_add(pile.cube[k].surface.vertex[i], at);
        ElasticBodyDef def = test_volume_def(&pile.cube[k], k ? MN_ELASTIC_FEM : MN_ELASTIC_MASS_POINTS);
        def.young = 3e4;
        def.thickness = 2e-3;
        def.damping = 0.005;
        def.friction = 0.5;
        def.contact = true;
        add_body(pile.set, &def);
    }
    mn_Shape shape = {.type = MN_SHAPE_BOX, .size = {1, 0.1, 1}};
    assert_int_equal(shape_build(&shape, 3, 0.001, NULL, &pile.ground, NULL), MN_OK);
    pile.test = inside_create(&pile.ground, NULL);
    return pile;
}

// In its own place: the obstacle keeps pointers.
static void start_pile(Pile* pile, int threads)
{
    *pile = make_pile(threads);
    pile->floor = elastic_add_obstacle(pile->set, &(ElasticObstacleDef){.mesh = &pile->ground,
                                                                        .test = pile->test,
                                                                        .closed = true,
                                                                        .friction = 0.5,
                                                                        .bound_radius = 1,
                                                                        .pose = {{0, -0.05, 0}, quat_identity()}});
}

static void end_pile(Pile* pile)
{
    test_set_destroy(pile->set);
    for (int k = 0; k < 3; k++)
        tri_mesh_free(&pile->sheet[k]);
    for (int k = 0; k < 2; k++)
        test_volume_free(&pile->cube[k]);
    inside_destroy(pile->test);
    tri_mesh_free(&pile->ground);
}

static void step_pile(Pile* pile, double dt)
{
    mn_Pose still = {{0, -0.05, 0}, quat_identity()};
    elastic_move_obstacle(pile->set, pile->floor, &still, &still);
    assert_true(elastic_step(pile->set, dt));
}

// Nothing is through anything, and in the end nothing has fallen through the floor.
static void test_pile(void** state)
{
    Pile pile;
    start_pile(&pile, 2);
    for (int k = 0; k < 250; k++) {
        step_pile(&pile, 2e-3);
        size_t through = k % 2 ? 0 : count_through(pile.set);
        if (through)
            fail_msg("%zu edges are through faces after %d steps", through, k + 1);
    }
    for (size_t k = 0; k < pile.set->body_count; k++)
        for (size_t i = 0; i < pile.set->body[k].point_count; i++)
            assert_true(pile.set->body[k].position[i].y > -0.002);
    end_pile(&pile);
}

static void* state_of(const Pile* pile)
{
    void* bytes = malloc(elastic_state_bytes(pile->set));
    elastic_save(pile->set, bytes);
    return bytes;
}

// Bit for bit, in the middle of many contacts; and so after a restart.
static void test_same_bits(void** state)
{
    static const int threads[] = {1, 2, 3, 7};
    void *middle = NULL, *end = NULL;
    size_t size = 0;
    for (int k = 0; k < 4; k++) {
        Pile pile;
        start_pile(&pile, threads[k]);
        for (int i = 0; i < 120; i++) {
            if (i == 60 && k == 0)
                middle = state_of(&pile);
            if (i == 60 && k == 3)
                assert_true(elastic_load(pile.set, middle, elastic_state_bytes(pile.set))); // what it would have anyway
            step_pile(&pile, 2e-3);
        }
        void* now = state_of(&pile);
        size = elastic_state_bytes(pile.set);
        if (k == 0)
            end = now;
        else {
            assert_memory_equal(end, now, size);
            free(now);
        }
        end_pile(&pile);
    }
    Pile again;
    start_pile(&again, 2);
    assert_true(elastic_load(again.set, middle, elastic_state_bytes(again.set)));
    for (int i = 60; i < 120; i++)
        step_pile(&again, 2e-3);
    void* now = state_of(&again);
    assert_memory_equal(end, now, size);
    free(now);
    end_pile(&again);
    free(middle);
    free(end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_crossed_strips), cmocka_unit_test(test_strips_come_to_rest),
                                       cmocka_unit_test(test_momentum_of_a_pair), cmocka_unit_test(test_pile),
                                       cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
