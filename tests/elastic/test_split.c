// SPDX-License-Identifier: MIT
// Tetrahedra that come apart: who gets which point, what stays exactly as it was, halves that meet again, states of bodies that
// were split, and states that are none.
#include "elastic_support.h"

#include "base/random.h"
#include "elastic/split.h"
#include "elastic/topology.h"
#include <stdlib.h>
#include <string.h>

typedef struct Block {
    TestVolume volume;
    ElasticSet* set;
    Body* body;
} Block;

static Block block(int x, int y, int z, mn_ElasticModel model, Vec3d gravity, int threads)
{
    Block b = {.volume = test_volume(vec3d(0.1 * x, 0.1 * y, 0.1 * z), x, y, z)};
    ElasticBodyDef def = test_volume_def(&b.volume, model);
    def.contact = def.self_contact = true;
    def.thickness = 0.004;
    def.friction = 0.5;
    b.set = test_set(&def, gravity, threads);
    b.body = &b.set->body[0];
    return b;
}

static void block_free(Block* b)
{
    test_set_destroy(b->set);
    test_volume_free(&b->volume);
}

static size_t cut(Block* b, Vec3d point, Vec3d normal)
{
    size_t opened;
    assert_true(elastic_cut(b->set, 0, point, normal, &opened));
    return opened;
}

// --- which corners stay joined

// Two corners of one point are joined if a chain of tetrahedra leads from one to the other over faces at that point that do not
// part: found by spreading out, again and again, from each corner.
static bool are_joined(const TetMesh* m, const uint8_t* parts, uint32_t a, uint32_t b)
{
    size_t count = 4 * m->tet_count;
    uint8_t* reached = calloc(count, 1);
    uint32_t point = m->tet[a / 4][a % 4];
    reached[a] = 1;
    for (bool more = true; more && !reached[b];) {
        more = false;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < count && reached[i]; j++) {
                if (reached[j] || m->tet[j / 4][j % 4] != point || i / 4 == j / 4)
                    continue;
                uint32_t alike = 0, lone_i = 6, lone_j = 6; // corners that the other does not have add up to 6 less those it has
                for (uint32_t c = 0; c < 4; c++)
                    for (uint32_t d = 0; d < 4; d++)
                        if (m->tet[i / 4][c] == m->tet[j / 4][d]) {
                            alike++;
                            lone_i -= c;
                            lone_j -= d;
                        }
                if (alike != 3 || parts[4 * (i / 4) + lone_i] || parts[4 * (j / 4) + lone_j])
                    continue;
                reached[j] = 1;
                more = true;
            }
    }
    bool joined = reached[b];
    free(reached);
    return joined;
}

static void test_corners_by_brute_force(void** state)
{
    TestVolume v = test_volume(vec3d(1, 1, 1), 2, 2, 1);
    const TetMesh* m = &v.tets;
    Random random = {7};
    for (int round = 0; round < 3; round++) {
        uint8_t* parts = calloc(4 * m->tet_count, 1);
        for (size_t k = 0; k < 4 * m->tet_count; k++)
            parts[k] = random_range(&random, 0, 1) < 0.3 ? SPLIT_AT_ALL : 0;
        Split s;
        assert_true(split_make(&s, (const uint32_t(*)[4])m->tet, m->tet_count, m->point_count, parts, true));
        assert_true(s.point_count > m->point_count);
        for (uint32_t a = 0; a < 4 * m->tet_count; a++) {
            assert_int_equal(s.from[s.corner[a]], m->tet[a / 4][a % 4]);
            for (uint32_t b = 0; b < a; b++)
                if (m->tet[a / 4][a % 4] == m->tet[b / 4][b % 4])
                    assert_true((s.corner[a] == s.corner[b]) == are_joined(m, parts, a, b));
        }
        split_free(&s);
        free(parts);
    }
    test_volume_free(&v);
}

// Faces that part at two of their corners leave a hinge at the third: it parts too. Here that of two tetrahedra.
static void test_no_hinges_are_left(void** state)
{
    const uint32_t two[2][4] = {{0, 1, 2, 3}, {2, 1, 0, 4}};
    for (uint8_t parts_at = 1; parts_at < 8; parts_at++) {
        uint8_t parts[8] = {0};
        parts[3] = parts_at; // face 3 of the first one has the corners 0, 1, 2
        Split s;
        assert_true(split_make(&s, two, 2, 5, parts, true));
        assert_int_equal(s.point_count, 8);
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++)
                assert_true(s.corner[c] != s.corner[4 + d]);
        split_free(&s);
    }
}

// One face within a solid: all points are still joined around it.
static void test_one_face_opens_nothing(void** state)
{
    Block b = block(3, 3, 3, MN_ELASTIC_FEM, vec3d(0, 0, 0), 1);
    uint32_t* other = malloc(4 * b.body->tet_count * sizeof *other);
    uint8_t* parts = calloc(4 * b.body->tet_count, 1);
    assert_true(split_find_faces((const uint32_t(*)[4])b.body->tet, b.body->tet_count, other));
    size_t face = 0, opened, outer = 0;
    for (size_t k = 0; k < 4 * b.body->tet_count; k++) {
        bool inner = other[k] != SPLIT_NONE;
        outer += !inner;
        for (int c = 0; c < 4; c++)
            for (size_t v = 0; v < b.body->vertex_count && inner; v++)
                inner = c == (int)(k % 4) || b.body->embedding[v].point[0] != b.body->tet[k / 4][c];
        face = inner ? k : face;
    }
    assert_int_equal(outer, b.body->triangle_count);
    parts[face] = SPLIT_AT_ALL;
    assert_true(topology_split(b.set, b.body, parts, &opened));
    assert_int_equal(opened, 0);
    assert_int_equal(b.body->split.revision, 0);
    memset(parts, SPLIT_AT_ALL, 4 * b.body->tet_count); // and now all of them
    assert_true(topology_split(b.set, b.body, parts, &opened));
    assert_int_equal(elastic_pieces(b.set, 0), b.body->tet_count);
    assert_int_equal(b.body->point_count, 4 * b.body->tet_count);
    assert_int_equal(b.body->triangle_count, 4 * b.body->tet_count);
    assert_true(elastic_step(b.set, 1e-3));
    free(other);
    free(parts);
    block_free(&b);
}

// --- what stays

static void test_nothing_is_lost(void** state)
{
    for (int model = 0; model < 2; model++) {
        Block b = block(4, 2, 2, model ? MN_ELASTIC_FEM : MN_ELASTIC_MASS_POINTS, vec3d(0, -9.81, 0), 1);
        Random random = {3};
        for (size_t k = 0; k < b.body->point_count; k++) {
            Vec3d p = b.body->rest[k];
            b.body->position[k] = vec3d(1.02 * p.x + 0.01 * p.y, 0.99 * p.y, 1.01 * p.z);
            b.body->velocity[k] = vec3d(random_range(&random, -1, 1), random_range(&random, -1, 1), random_range(&random, -1, 1));
        }
        body_follow(b.body);
        size_t points = b.body->point_count, vertices = b.body->vertex_count, tets = b.body->tet_count;
        Vec3d* position = malloc(points * sizeof *position);
        memcpy(position, b.body->position, points * sizeof *position);
        double mass = elastic_mass(b.set, 0);
        ElasticTotals was = elastic_totals(b.set);
        // the plane between cells: two triangles for each of 2 x 2 squares
        assert_int_equal(cut(&b, vec3d(0, 0, 0), vec3d(1, 0, 0)), 8);
        ElasticTotals is = elastic_totals(b.set);
        assert_near(elastic_mass(b.set, 0), mass, 1e-14 * mass);
        assert_near(vec3d_distance(is.momentum, was.momentum), 0, 1e-13 * mass);
        assert_near(vec3d_distance(is.angular_momentum, was.angular_momentum), 0, 1e-13 * mass);
        assert_near(is.kinetic, was.kinetic, 1e-13 * was.kinetic);
        assert_near(is.gravitational, was.gravitational, 1e-12);
        assert_near(is.strain, was.strain, 1e-12 * was.strain); // strains are uniform, so smoothing them changes nothing
        assert_int_equal(b.body->point_count, points + 9);
        assert_int_equal(b.body->vertex_count, vertices + 9 + 1); // one of the nine was within
        assert_int_equal(b.body->tet_count, tets);
        assert_int_equal(elastic_pieces(b.set, 0), 2);
        assert_int_equal(b.body->split.revision, 1);
        assert_memory_equal(position, b.body->position, points * sizeof *position);
        for (size_t v = 0; v < vertices; v++)
            assert_int_equal(b.body->split.vertex_parent[v], v);
        assert_int_equal(cut(&b, vec3d(9, 0, 0), vec3d(1, 0, 0)), 0);
        free(position);
        block_free(&b);
    }
}

// --- halves

static Vec3d middle_of(const Body* body, uint32_t piece, Vec3d* velocity)
{
    Vec3d sum = {0, 0, 0};
    double mass = 0;
    *velocity = vec3d(0, 0, 0);
    for (size_t k = 0; k < body->point_count; k++)
        if (body->split.piece_of[k] == piece) {
            sum = vec3d_mad(sum, body->mass[k], body->position[k]);
            *velocity = vec3d_mad(*velocity, body->mass[k], body->velocity[k]);
            mass += body->mass[k];
        }
    *velocity = vec3d_scale(*velocity, 1 / mass);
    return vec3d_scale(sum, 1 / mass);
}

// [m] how deep a vertex is in the other half, which is on the other side of the plane between the mean of the facing vertices
static double depth_of(const Body* body)
{
    double left = -INFINITY, right = INFINITY;
    for (size_t k = 0; k < body->point_count; k++) {
        bool second = body->split.piece_of[k] == 1;
        left = second ? left : fmax(left, body->position[k].x);
        right = second ? fmin(right, body->position[k].x) : right;
    }
    return left - right;
}

static void push_halves(Body* body, double speed)
{
    for (size_t k = 0; k < body->point_count; k++)
        body->velocity[k].x += body->split.piece_of[k] == 1 ? -speed : speed;
}

// Halves that are pulled go apart, with nothing between them; pushed together they stop each other and do not go through.
static void test_halves_meet(void** state)
{
    for (int model = 0; model < 2; model++) {
        Block b = block(4, 2, 2, model ? MN_ELASTIC_FEM : MN_ELASTIC_MASS_POINTS, vec3d(0, 0, 0), 1);
        Vec3d velocity;
        cut(&b, vec3d(0, 0, 0), vec3d(1, 0, 0));
        push_halves(b.body, -0.05);
        for (int k = 0; k < 50; k++)
            assert_true(elastic_step(b.set, 4e-3));
        Vec3d left = middle_of(b.body, 0, &velocity);
        assert_near(velocity.x, -0.05, 1e-6);
        assert_near(left.x, -0.1 - 0.05 * 0.2, 1e-6);
        push_halves(b.body, 0.5);
        double deepest = -1;
        for (int k = 0; k < 100; k++) {
            assert_true(elastic_step(b.set, 2e-3));
            deepest = fmax(deepest, depth_of(b.body));
        }
        left = middle_of(b.body, 0, &velocity);
        print_message("%s: %.2g m too deep at most, then %.3f m/s\n", b.body->model->name, deepest, velocity.x);
        assert_true(deepest > -0.01 && deepest < 0.005); // they met, a mesh of 0.1 m
        assert_true(velocity.x < 0.05);
        assert_true(left.x < -0.09);
        assert_near(elastic_totals(b.set).momentum.x, 0, 1e-4); // of 8 kg m/s, as exact as the solver of fem is
        block_free(&b);
    }
}

// The same of two bodies, one on the other, from the beginning.
static double stack_sinks(void)
{
    TestVolume v = test_volume(vec3d(0.2, 0.2, 0.2), 2, 2, 2);
    ElasticBodyDef def = test_volume_def(&v, MN_ELASTIC_FEM);
    def.contact = def.self_contact = true;
    def.thickness = 0.004;
    def.friction = 0.5;
    for (size_t k = 0; k < v.tets.point_count; k++)
        v.tets.point[k].y -= 0.1;
    for (size_t k = 0; k < v.surface.vertex_count; k++)
        v.surface.vertex[k].y -= 0.1;
    ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), 1);
    for (size_t k = 0; k < v.tets.point_count; k++)
        v.tets.point[k].y += 0.204;
    for (size_t k = 0; k < v.surface.vertex_count; k++)
        v.surface.vertex[k].y += 0.204;
    int upper, pin = elastic_add_pin(set, 0);
    assert_int_equal(elastic_add_body(set, &def, &upper, NULL), MN_OK);
    for (uint32_t k = 0; k < set->body[0].vertex_count; k++)
        if (set->body[0].vertex[k].y < -0.199)
            elastic_pin_vertex(set, 0, pin, k);
    Vec3d velocity;
    for (int k = 0; k < 260; k++)
        assert_true(elastic_step(set, 5e-3));
    double y = elastic_centre(set, upper, &velocity).y;
    test_set_destroy(set);
    test_volume_free(&v);
    return 0.104 - y;
}

// Where they were one they press on each other at once: the lower half carries the upper one.
static void test_lower_half_carries(void** state)
{
    Block b = block(2, 4, 2, MN_ELASTIC_FEM, vec3d(0, -9.81, 0), 1);
    int pin = elastic_add_pin(b.set, 0);
    for (uint32_t v = 0; v < b.body->vertex_count; v++)
        if (b.body->vertex[v].y < -0.199)
            elastic_pin_vertex(b.set, 0, pin, v);
    for (int k = 0; k < 60; k++)
        assert_true(elastic_step(b.set, 5e-3));
    assert_int_equal(cut(&b, vec3d(0, 0, 0), vec3d(0, 1, 0)), 8);
    Vec3d velocity, was = middle_of(b.body, 1, &velocity);
    double lowest = 1;
    for (int k = 0; k < 200; k++) {
        assert_true(elastic_step(b.set, 5e-3));
        lowest = fmin(lowest, middle_of(b.body, 1, &velocity).y);
    }
    Vec3d is = middle_of(b.body, 1, &velocity);
    double sinks = stack_sinks();
    print_message("upper half: %.5f m, lowest %.5f m, in the end %.5f m; one of two bodies sinks by %.5f m\n", was.y, lowest, is.y,
                  sinks);
    assert_true(0.1 - is.y < 1.2 * sinks && 0.1 - lowest < 1.4 * sinks); // it would have fallen by metres
    assert_near(is.x, was.x, 0.005);
    assert_near(is.z, was.z, 0.005);
    block_free(&b);
}

// --- state

static void run(Block* b, int steps)
{
    for (int k = 0; k < steps; k++)
        assert_true(elastic_step(b->set, 4e-3));
}

static void* state_of(const Block* b, size_t* size)
{
    *size = elastic_state_bytes(b->set);
    void* bytes = malloc(*size);
    elastic_save(b->set, bytes);
    return bytes;
}

// Cut twice, across what was cut before; loaded into a body that was never cut, and that into one that was.
static void test_state_of_what_was_cut(void** state)
{
    for (int model = 0; model < 2; model++) {
        Block b = block(4, 2, 2, model ? MN_ELASTIC_FEM : MN_ELASTIC_MASS_POINTS, vec3d(0, -9.81, 0), 2);
        Block fresh = block(4, 2, 2, model ? MN_ELASTIC_FEM : MN_ELASTIC_MASS_POINTS, vec3d(0, -9.81, 0), 1);
        size_t size, middle_size, first_size;
        void* first = state_of(&fresh, &first_size);
        for (size_t k = 0; k < b.body->point_count; k++)
            b.body->velocity[k] = vec3d(3 * b.body->rest[k].y, 0, -2 * b.body->rest[k].x);
        run(&b, 5);
        cut(&b, vec3d(0, 0, 0), vec3d(1, 0, 0));
        run(&b, 10);
        cut(&b, vec3d(0, b.body->position[0].y + 0.1, 0), vec3d(0, 1, 0));
        run(&b, 3);
        assert_true(elastic_pieces(b.set, 0) >= 4);
        void* middle = state_of(&b, &middle_size);
        assert_true(elastic_load(fresh.set, middle, middle_size));
        assert_int_equal(fresh.body->triangle_count, b.body->triangle_count);
        assert_memory_equal(fresh.body->triangle, b.body->triangle, b.body->triangle_count * sizeof *b.body->triangle);
        assert_memory_equal(fresh.body->mass, b.body->mass, b.body->point_count * sizeof *b.body->mass);
        assert_memory_equal(fresh.body->rest, b.body->rest, b.body->point_count * sizeof *b.body->rest);
        run(&b, 10);
        run(&fresh, 10);
        void *end = state_of(&b, &size), *same = state_of(&fresh, &middle_size);
        assert_int_equal(size, middle_size);
        assert_memory_equal(end, same, size);
        uint32_t revision = fresh.body->split.revision;
        assert_true(elastic_load(fresh.set, first, first_size));
        assert_true(fresh.body->split.revision > revision);
        assert_int_equal(elastic_pieces(fresh.set, 0), 1);
        free(same);
        same = state_of(&fresh, &size);
        assert_int_equal(size, first_size);
        assert_memory_equal(same, first, size);
        free(first);
        free(middle);
        free(end);
        free(same);
        block_free(&b);
        block_free(&fresh);
    }
}

// Whatever number of the topology is another one, and wherever the state ends: it is refused, or a body that can take a step.
static void test_hostile_states(void** state)
{
    Block b = block(2, 1, 1, MN_ELASTIC_FEM, vec3d(0, -9.81, 0), 1);
    cut(&b, vec3d(0, 0, 0), vec3d(1, 0, 0));
    size_t size, topology = topology_bytes(b.body);
    char *good = state_of(&b, &size), *bad = malloc(size);
    Random random = {11};
    int refused = 0, tried = 0;
    for (size_t at = 0; at + 4 <= topology; at += 4)
        for (int k = 0; k < 4; k++, tried++) {
            const uint32_t value[4] = {0, UINT32_MAX, (uint32_t)random_range(&random, 0, 30), 0x80000000u};
            Block other = block(2, 1, 1, MN_ELASTIC_FEM, vec3d(0, -9.81, 0), 1);
            memcpy(bad, good, size);
            memcpy(bad + at, &value[k], 4);
            if (elastic_load(other.set, bad, size))
                assert_true(elastic_step(other.set, 1e-3));
            else
                refused++;
            block_free(&other);
        }
    print_message("%d of %d refused\n", refused, tried);
    assert_true(refused > 3 * tried / 4);
    for (size_t less = 1; less <= size; less += 37)
        assert_false(elastic_load(b.set, good, size - less));
    assert_false(elastic_load(b.set, good, 0));
    assert_true(elastic_load(b.set, good, size));
    Block whole = block(2, 1, 1, MN_ELASTIC_FEM, vec3d(0, -9.81, 0), 1), longer = block(3, 1, 1, MN_ELASTIC_FEM, vec3d(0, 0, 0), 1);
    assert_true(elastic_load(whole.set, good, size));
    assert_false(elastic_load(longer.set, good, size));
    block_free(&whole);
    block_free(&longer);
    free(good);
    free(bad);
    block_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corners_by_brute_force),
        cmocka_unit_test(test_one_face_opens_nothing),
        cmocka_unit_test(test_no_hinges_are_left),
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_halves_meet),
        cmocka_unit_test(test_lower_half_carries),
        cmocka_unit_test(test_state_of_what_was_cut),
        cmocka_unit_test(test_hostile_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
