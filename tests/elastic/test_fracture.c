// SPDX-License-Identifier: MIT
// Finite elements that break: a bar with a waist that is pulled breaks there, at its strength, in two, with all of its mass and
// momentum; below its strength and under pressure it stays whole; what breaks to crumbs goes on.
#include "bar.h"

#include "base/random.h"
#include "elastic/split.h"
#include "elastic/topology.h"
#include <stdlib.h>
#include <string.h>

static const double YOUNG = 1e6, STRENGTH = 2e4, LONG = 0.8;

static Bar bar(int cells, double strength)
{
    Bar b = {.volume = bar_with_waist(LONG, 4 * cells, cells)};
    ElasticBodyDef def = test_volume_def(&b.volume, MN_ELASTIC_FEM);
    def.young = YOUNG;
    def.damping = 2e-3;
    def.drag = 1;
    def.strength = strength;
    def.clean_cracks = true;
    bar_pin(&b, &def, LONG);
    return b;
}

// Its ends go apart by `speed` [m/s] until it breaks or `steps` are done. Returns the largest force [N] on an end.
static double pull(Bar* b, double speed, int steps, size_t* out_opened)
{
    double dt = 4e-3, most = 0;
    *out_opened = 0;
    for (int k = 0; k < steps && elastic_pieces(b->set, 0) == 1; k++) {
        mn_Pose was = {.rotation = quat_identity()}, is = was;
        was.position.x = speed * dt * k;
        is.position.x = speed * dt * (k + 1);
        elastic_move_pin(b->set, 0, b->end[1], &was, &is);
        assert_true(elastic_step(b->set, dt));
        Vec3d force, torque;
        elastic_pin_force(b->set, 0, b->end[1], &force, &torque);
        most = fmax(most, fabs(force.x));
        size_t opened;
        double mass = elastic_mass(b->set, 0);
        ElasticTotals before = elastic_totals(b->set);
        assert_true(elastic_break(b->set, &opened));
        *out_opened += opened;
        ElasticTotals after = elastic_totals(b->set);
        assert_near(elastic_mass(b->set, 0), mass, 1e-13 * mass);
        assert_near(vec3d_distance(after.momentum, before.momentum), 0, 1e-13 * mass);
        assert_near(vec3d_distance(after.angular_momentum, before.angular_momentum), 0, 1e-13 * mass);
        assert_near(after.strain + after.kinetic, before.strain + before.kinetic, 5e-5 * before.strain);
    }
    return most;
}

// [m] where new faces are, on the mean
static double place_of_break(const Body* body)
{
    double sum = 0;
    size_t count = 0;
    for (size_t k = body->split.built_points; k < body->point_count; k++, count++)
        sum += body->rest[k].x;
    return count ? sum / (double)count : (double)INFINITY;
}

static void test_breaks_at_its_strength(void** state)
{
    for (int cells = 3; cells <= 5; cells++) {
        Bar b = bar(cells, STRENGTH);
        size_t opened;
        double force = pull(&b, 0.02, 400, &opened), stress = force / (bar_width(0, LONG) * bar_width(0, LONG));
        print_message("%d cells: breaks at %.0f Pa of %.0f, at x = %.3f m, %zu faces, %zu pieces\n", cells, stress, STRENGTH,
                      place_of_break(b.body), opened, elastic_pieces(b.set, 0));
        assert_int_equal(elastic_pieces(b.set, 0), 2);
        assert_int_equal(elastic_opened(b.set), opened);
        assert_near(stress, STRENGTH, 0.15 * STRENGTH);
        assert_near(place_of_break(b.body), 0, 0.1 * LONG);
        bar_free(&b);
    }
}

static void test_holds_below_it_and_under_pressure(void** state)
{
    Bar b = bar(3, STRENGTH);
    size_t opened;
    pull(&b, -0.03, 200, &opened); // ten times the strength
    assert_int_equal(opened, 0);
    bar_free(&b);
    b = bar(3, STRENGTH);
    pull(&b, 0.01, 60, &opened);
    assert_int_equal(opened, 0);
    bar_free(&b);
}

// Faces in the plane y = 0 up to x = 0 part.
static size_t cut_notch(Bar* b)
{
    uint32_t* other = malloc(4 * b->body->tet_count * sizeof *other);
    uint8_t* parts = calloc(4 * b->body->tet_count, 1);
    size_t opened;
    assert_true(split_find_faces((const uint32_t(*)[4])b->body->tet, b->body->tet_count, other));
    for (size_t k = 0; k < 4 * b->body->tet_count; k++) {
        bool in = other[k] != SPLIT_NONE;
        for (size_t c = 0; c < 4; c++) {
            Vec3d x = b->body->rest[b->body->tet[k / 4][c]];
            in = in && (c == k % 4 || (fabs(x.y) < 1e-9 && x.x < 1e-9));
        }
        parts[k] = in ? SPLIT_AT_ALL : 0;
    }
    assert_true(topology_split(b->set, b->body, parts, &opened));
    free(other);
    free(parts);
    return opened;
}

// [m] rms distance of the faces that opened, and of their corners that are at no outer face, from the plane that fits best.
static double roughness(const Body* body, Vec3d* normal)
{
    Vec3d middle = {0, 0, 0}, across = {0, 0, 0};
    size_t first = body->split.built_triangles, count = 3 * (body->triangle_count - first);
    for (size_t k = 3 * first; k < 3 * body->triangle_count; k++)
        middle = vec3d_mad(middle, 1.0 / (double)count, body->vertex_rest[body->triangle[k / 3][k % 3]]);
    for (size_t k = first; k < body->triangle_count; k++) {
        const uint32_t* t = body->triangle[k];
        Vec3d a = body->vertex_rest[t[0]],
              n = vec3d_cross(vec3d_sub(body->vertex_rest[t[1]], a), vec3d_sub(body->vertex_rest[t[2]], a));
        across = vec3d_mad(across, n.x > 0 ? 1 : -1, n);
    }
    *normal = vec3d_normalise(across);
    double sum = 0;
    for (size_t k = 3 * first; k < 3 * body->triangle_count; k++) {
        double off = vec3d_dot(vec3d_sub(body->vertex_rest[body->triangle[k / 3][k % 3]], middle), *normal);
        sum += off * off / (double)count;
    }
    return sqrt(sum);
}

// A bar whose cells lean, so that no layer of faces is across the pull: its crack is a plane all the same, and straight.
static void test_crack_is_a_plane(void** state)
{
    for (int cells = 4; cells <= 6; cells += 2) {
        Bar b = {.volume = test_volume(vec3d(LONG, 0.2, 0.2), 4 * cells, cells, cells)};
        for (size_t k = 0; k < b.volume.tets.point_count; k++) {
            Vec3d* p = &b.volume.tets.point[k];
            p->x += (0.4 * p->y + 0.25 * p->z) * (1 - 4 * p->x * p->x / (LONG * LONG)); // the ends stay as they are
        }
        for (size_t k = 0; k < b.volume.surface.vertex_count; k++)
            b.volume.surface.vertex[k] = b.volume.tets.point[b.volume.point_of[k]];
        ElasticBodyDef def = test_volume_def(&b.volume, MN_ELASTIC_FEM);
        def.young = YOUNG;
        def.damping = 2e-3;
        def.drag = 1;
        def.strength = STRENGTH;
        def.clean_cracks = true;
        def.poisson = 0; // else its ends, which cannot become thinner, would break first
        bar_pin(&b, &def, LONG);
        size_t opened;
        double force = pull(&b, 0.02, 400, &opened);
        Vec3d normal;
        double cell = 0.2 / cells, off = roughness(b.body, &normal) / cell;
        print_message("%d leaning cells: %.0f Pa, %zu faces, %zu pieces, rms %.3f cells from a plane across (%.3f %.3f %.3f)\n",
                      cells, force / 0.04, opened, elastic_pieces(b.set, 0), off, normal.x, normal.y, normal.z);
        assert_int_equal(elastic_pieces(b.set, 0), 2);
        assert_true(off < 0.1);
        assert_true(normal.x > 0.97);
        bar_free(&b);
    }
}

// A plate with a notch, pulled apart: the crack runs straight on from it, whatever way the diagonals of the cells lie.
static void test_notch_runs_straight_on(void** state)
{
    enum { CELLS = 12 };
    double size = 0.6, cell = size / CELLS;
    for (int jumbled = 0; jumbled < 2; jumbled++) {
        Bar b = {.volume = test_volume(vec3d(size, size, cell), CELLS, CELLS, 1)};
        Random random = {5};
        for (size_t k = 0; k < b.volume.tets.point_count; k++) {
            Vec3d* p = &b.volume.tets.point[k];
            bool border = fabs(p->x) > 0.49 * size || fabs(p->y) > 0.49 * size;
            double dx = random_range(&random, -0.15, 0.15) * cell, dy = random_range(&random, -0.15, 0.15) * cell;
            if (jumbled && !border && fabs(p->y) > 0.1 * cell)
                *p = vec3d(p->x + dx, p->y + dy, p->z);
            else if (jumbled && !border && p->x > 0.5 * cell)
                *p = vec3d(p->x, p->y + 2 * dy, p->z); // no line of the mesh goes on from the notch
        }
        for (size_t k = 0; k < b.volume.surface.vertex_count; k++)
            b.volume.surface.vertex[k] = b.volume.tets.point[b.volume.point_of[k]];
        ElasticBodyDef def = test_volume_def(&b.volume, MN_ELASTIC_FEM);
        def.young = YOUNG;
        def.damping = 2e-3;
        def.strength = STRENGTH;
        def.clean_cracks = true;
        b.set = test_set(&def, vec3d(0, 0, 0), 1);
        b.body = &b.set->body[0];
        for (int k = 0; k < 2; k++) {
            b.end[k] = elastic_add_pin(b.set, 0);
            for (uint32_t v = 0; v < b.body->vertex_count; v++)
                if (fabs(b.body->vertex[v].y - (k ? 0.5 : -0.5) * size) < 1e-9)
                    elastic_pin_vertex(b.set, 0, b.end[k], v);
        }
        size_t notch = cut_notch(&b), opened = 0, all = 0;
        for (int k = 0; k < 600 && elastic_pieces(b.set, 0) == 1; k++, all += opened) {
            mn_Pose was = {.rotation = quat_identity()}, is = was;
            was.position.y = 0.02 * 2e-3 * k;
            is.position.y = 0.02 * 2e-3 * (k + 1);
            elastic_move_pin(b.set, 0, b.end[1], &was, &is);
            assert_true(elastic_step(b.set, 2e-3));
            assert_true(elastic_break(b.set, &opened));
        }
        double most = 0;
        for (size_t k = b.body->split.built_triangles; k < b.body->triangle_count; k++)
            for (int c = 0; c < 3; c++)
                most = fmax(most, fabs(b.body->vertex_rest[b.body->triangle[k][c]].y));
        print_message("notch of %zu faces: %zu more, %zu pieces, at most %.3f cells off its line\n", notch, all,
                      elastic_pieces(b.set, 0), most / cell);
        assert_int_equal(elastic_pieces(b.set, 0), 2);
        assert_true(most < 0.5 * cell);
        bar_free(&b);
    }
}

// So weak that it comes apart as it is thrown about.
static void test_crumbs(void** state)
{
    Bar b = bar(2, 20);
    size_t opened, all = 0;
    for (int k = 0; k < 2; k++)
        elastic_release_pin(b.set, 0, b.end[k]);
    for (size_t k = 0; k < b.body->point_count; k++)
        b.body->velocity[k] = vec3d(2 * sin(40 * b.body->rest[k].x), 2 * cos(50 * b.body->rest[k].y), sin(60 * b.body->rest[k].z));
    for (int k = 0; k < 60; k++) {
        assert_true(elastic_step(b.set, 2e-3));
        assert_true(elastic_break(b.set, &opened));
        all += opened;
    }
    size_t tets = b.body->tet_count;
    print_message("%zu pieces of %zu tetrahedra, %zu faces opened\n", elastic_pieces(b.set, 0), tets, all);
    assert_true(elastic_pieces(b.set, 0) > 0.8 * (double)tets);
    assert_int_equal(elastic_opened(b.set), all);
    // and the rest of it
    uint8_t* parts = malloc(4 * tets);
    memset(parts, SPLIT_AT_ALL, 4 * tets);
    assert_true(topology_split(b.set, b.body, parts, &opened));
    free(parts);
    assert_int_equal(elastic_pieces(b.set, 0), tets);
    b.body->def.drag = 0;
    double mass = elastic_mass(b.set, 0);
    Vec3d momentum = elastic_totals(b.set).momentum;
    for (int k = 0; k < 100; k++)
        assert_true(elastic_step(b.set, 2e-3) && elastic_break(b.set, &opened) && opened == 0);
    assert_near(elastic_mass(b.set, 0), mass, 1e-13 * mass);
    assert_near(vec3d_distance(elastic_totals(b.set).momentum, momentum), 0, 1e-3 * mass); // [m/s] as exact as the solver is
    bar_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breaks_at_its_strength),
        cmocka_unit_test(test_holds_below_it_and_under_pressure),
        cmocka_unit_test(test_crack_is_a_plane),
        cmocka_unit_test(test_notch_runs_straight_on),
        cmocka_unit_test(test_crumbs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
