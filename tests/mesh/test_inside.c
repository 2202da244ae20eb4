// SPDX-License-Identifier: MIT
#include "mesh_support.h"

#include "mesh/closest.h"
#include "mesh/inside.h"
#include <stdlib.h>
#include <time.h>

enum { POINTS = 20000 };
static const double TOLERANCE = 0.002;

// Signed distances of the ideal shapes (negative inside), exact enough near the surface.
static double box_distance(Vec3d p)
{
    return fmax(fabs(p.x) - 0.3, fmax(fabs(p.y) - 0.4, fabs(p.z) - 0.5));
}

static double sphere_distance(Vec3d p)
{
    return vec3d_length(p) - 0.5;
}

static double torus_distance(Vec3d p)
{
    return hypot(hypot(p.x, p.z) - 0.5, p.y) - 0.2;
}

typedef struct Solid {
    mn_ShapeType type;
    Vec3d size;
    double (*distance)(Vec3d);
} Solid;

static const Solid SOLIDS[] = {
    {MN_SHAPE_BOX, {0.6, 0.8, 1}, box_distance},
    {MN_SHAPE_SPHERE, {0.5, 0, 0}, sphere_distance},
    {MN_SHAPE_TORUS, {0.5, 0.2, 0}, torus_distance},
};
enum { SOLID_COUNT = 3 };

static InsideTest* create(const TriMesh* mesh)
{
    InsideTest* test = inside_create(mesh, NULL);
    assert_non_null(test);
    return test;
}

// Points farther from the surface than the mesh is off; `flaws` is how many may be wrong.
static void compare(const InsideTest* test, const Solid* solid, double margin, int flaws)
{
    Random random = {11};
    int wrong = 0, compared = 0;
    for (int i = 0; i < POINTS; i++) {
        Vec3d p = random_point(&random, 0.8);
        double distance = solid->distance(p);
        if (fabs(distance) <= margin)
            continue;
        compared++;
        wrong += inside_contains(test, p) != (distance < 0);
    }
    assert_true(compared > POINTS / 2);
    if (wrong > flaws)
        fail_msg("shape %d: %d of %d points on the wrong side", (int)solid->type, wrong, compared);
}

// Sheared and bent, as an elastic solid is.
static Vec3d bent(Vec3d p)
{
    return vec3d(p.x + 0.3 * p.y * p.y, 1.2 * p.y + 0.2 * sin(4 * p.x), 0.8 * p.z - 0.5 * p.x);
}

static void cells_change_nothing(void** state)
{
    for (int s = 0; s < SOLID_COUNT; s++) {
        TriMesh mesh = build_shape(SOLIDS[s].type, SOLIDS[s].size, 3, TOLERANCE);
        InsideTest *plain = create(&mesh), *quick = create(&mesh);
        assert_true(inside_use_cells(quick));
        for (int round = 0; round < 3; round++) {
            Random random = {3};
            int inside = 0;
            for (int i = 0; i < POINTS; i++) {
                // also points at vertices and a hair beside them
                Vec3d p = i % 2 ? mesh.vertex[(size_t)i % mesh.vertex_count] : random_point(&random, 1);
                p.x += i % 4 == 1 ? 1e-9 : 0;
                inside += inside_contains(plain, p);
                if (inside_contains(plain, p) != inside_contains(quick, p))
                    fail_msg("shape %d, round %d, point %d: %g %g %g", s, round, i, p.x, p.y, p.z);
            }
            assert_in_range(inside, POINTS / 100, POINTS);
            for (size_t v = 0; v < mesh.vertex_count; v++)
                mesh.vertex[v] = bent(mesh.vertex[v]);
            inside_follow(plain, &mesh, SIZE_MAX, NULL);
            inside_follow(quick, &mesh, round == 1 ? 10 : SIZE_MAX, NULL);
        }
        inside_destroy(plain);
        inside_destroy(quick);
        tri_mesh_free(&mesh);
    }
}

static void closed_shapes_agree_with_formulas(void** state)
{
    for (int s = 0; s < SOLID_COUNT; s++) {
        TriMesh mesh = build_shape(SOLIDS[s].type, SOLIDS[s].size, 3, TOLERANCE);
        InsideTest* test = create(&mesh);
        assert_true(inside_closed(test));
        compare(test, &SOLIDS[s], TOLERANCE * 1.01, 0);
        inside_destroy(test);
        tri_mesh_flip(&mesh); // inside out
        test = create(&mesh);
        compare(test, &SOLIDS[s], TOLERANCE * 1.01, 0);
        inside_destroy(test);
        tri_mesh_free(&mesh);
    }
}

// Rays that run exactly through vertices, edges and faces: a lattice that contains the corners of the boxes.
static void rays_through_edges_count_right(void** state)
{
    TriMesh mesh = build_shape(MN_SHAPE_BOX, vec3d(2, 2, 2), 3, 0.1);
    InsideTest* test = create(&mesh);
    for (int x = -6; x <= 6; x++)
        for (int y = -6; y <= 6; y++)
            for (int z = -6; z <= 6; z++) {
                if (abs(x) == 4 || abs(y) == 4 || abs(z) == 4) // on a face plane
                    continue;
                bool expected = abs(x) < 4 && abs(y) < 4 && abs(z) < 4;
                assert_int_equal(inside_contains(test, vec3d(x / 4.0, y / 4.0, z / 4.0)), expected);
            }
    inside_destroy(test);
    tri_mesh_free(&mesh);

    // straight below and above each vertex, and the middle of each edge, of a sphere
    mesh = build_shape(MN_SHAPE_SPHERE, vec3d(1, 0, 0), 3, 0.01);
    test = create(&mesh);
    for (size_t k = 0; k < mesh.triangle_count; k++)
        for (int c = 0; c < 3; c++) {
            Vec3d a = mesh.vertex[mesh.triangle[k][c]], b = mesh.vertex[mesh.triangle[k][(c + 1) % 3]];
            Vec3d middle = vec3d_lerp(a, b, 0.5);
            const Vec3d through[2] = {a, middle};
            for (int i = 0; i < 2; i++) {
                assert_false(inside_contains(test, vec3d(through[i].x, through[i].y, -1.5)));
                assert_false(inside_contains(test, vec3d(through[i].x, through[i].y, -0.999)) &&
                             hypot(through[i].x, through[i].y) > 0.1);
                if (hypot(through[i].x, through[i].y) < 0.9)
                    assert_true(inside_contains(test, vec3d(through[i].x, through[i].y, 0)));
            }
        }
    inside_destroy(test);
    tri_mesh_free(&mesh);
}

// The crossings are the winding number: equal to the sum of all solid angles.
static void crossings_equal_solid_angles(void** state)
{
    TriMesh mesh = build_shape(MN_SHAPE_TORUS, vec3d(0.5, 0.2, 0), 3, 0.01);
    TriMesh ball = build_shape(MN_SHAPE_SPHERE, vec3d(0.4, 0, 0), 3, 0.01); // overlaps the torus: winding 2
    uint32_t first = (uint32_t)mesh.vertex_count;
    for (size_t i = 0; i < ball.vertex_count; i++)
        assert_true(tri_mesh_add_vertex(&mesh, vec3d_add(ball.vertex[i], vec3d(0.5, 0, 0))));
    for (size_t k = 0; k < ball.triangle_count; k++) {
        const uint32_t* t = ball.triangle[k];
        assert_true(tri_mesh_add_triangle(&mesh, first + t[0], first + t[1], first + t[2]));
    }
    InsideTest* test = create(&mesh);
    Random random = {5};
    int seen[3] = {0};
    for (int i = 0; i < 300; i++) {
        Vec3d p = random_point(&random, 0.8);
        double angle = 0;
        for (size_t k = 0; k < mesh.triangle_count; k++) {
            const uint32_t* t = mesh.triangle[k];
            Vec3d a = vec3d_sub(mesh.vertex[t[0]], p), b = vec3d_sub(mesh.vertex[t[1]], p), c = vec3d_sub(mesh.vertex[t[2]], p);
            double la = vec3d_length(a), lb = vec3d_length(b), lc = vec3d_length(c);
            angle += 2 * atan2(vec3d_dot(a, vec3d_cross(b, c)),
                               la * lb * lc + vec3d_dot(a, b) * lc + vec3d_dot(b, c) * la + vec3d_dot(c, a) * lb);
        }
        double winding = angle / (4 * 3.14159265358979323846);
        assert_near(inside_winding(test, p), winding, 1e-9);
        seen[(int)lround(winding)]++;
    }
    assert_true(seen[0] > 10 && seen[1] > 10 && seen[2] > 3);
    inside_destroy(test);
    tri_mesh_free(&mesh);
    tri_mesh_free(&ball);
}

// A hole, or triangles that look the wrong way, must not turn the rest of the body inside out.
static void damaged_meshes_still_answer(void** state)
{
    for (int s = 0; s < SOLID_COUNT; s++) {
        TriMesh mesh = build_shape(SOLIDS[s].type, SOLIDS[s].size, 3, TOLERANCE);
        if (mesh.triangle_count > 100) {
            TriMesh holed = {0};
            assert_true(tri_mesh_copy(&mesh, &holed));
            holed.triangle_count -= 2;
            InsideTest* test = create(&holed);
            assert_false(inside_closed(test));
            compare(test, &SOLIDS[s], 0.03, 0);
            inside_destroy(test);
            tri_mesh_free(&holed);
        }
        for (size_t k = 0; k < mesh.triangle_count; k += 3) {
            uint32_t keep = mesh.triangle[k][0];
            mesh.triangle[k][0] = mesh.triangle[k][1];
            mesh.triangle[k][1] = keep;
        }
        InsideTest* test = create(&mesh);
        compare(test, &SOLIDS[s], TOLERANCE * 1.01, 0);
        inside_destroy(test);
        tri_mesh_free(&mesh);
    }
}

// The dipoles of far groups: close to the sum of all solid angles, which is 0 or 1 where the mesh is nearly closed.
static void dipoles_are_accurate(void** state)
{
    TriMesh mesh = build_shape(MN_SHAPE_TORUS, vec3d(0.5, 0.2, 0), 3, 0.0005);
    Vec3d gone = mesh.vertex[mesh.triangle[mesh.triangle_count - 1][0]];
    mesh.triangle_count--;
    InsideTest* test = create(&mesh);
    Random random = {9};
    double worst = 0;
    for (int i = 0; i < POINTS; i++) {
        Vec3d p = random_point(&random, 1.5);
        double distance = torus_distance(p);
        if (fabs(distance) > 0.001 && vec3d_distance(p, gone) > 0.3)
            worst = fmax(worst, fabs(inside_winding(test, p) - (distance < 0)));
    }
    assert_below(worst, 0.1);
    inside_destroy(test);
    tri_mesh_free(&mesh);
}

static void distance_equals_brute_force(void** state)
{
    for (int s = 0; s < SOLID_COUNT; s++) {
        TriMesh mesh = build_shape(SOLIDS[s].type, SOLIDS[s].size, 3, 0.01);
        InsideTest* test = create(&mesh);
        Random random = {21};
        for (int i = 0; i < 500; i++) {
            Vec3d p = random_point(&random, i % 2 ? 0.8 : 5), closest = {0};
            uint32_t primitive = UINT32_MAX;
            double least = INFINITY;
            for (size_t k = 0; k < mesh.triangle_count; k++) {
                const uint32_t* t = mesh.triangle[k];
                Vec3d q = closest_on_triangle(p, mesh.vertex[t[0]], mesh.vertex[t[1]], mesh.vertex[t[2]]);
                least = fmin(least, vec3d_distance(p, q));
            }
            double found = inside_distance(test, p, INFINITY, &closest, &primitive);
            assert_true(found == least);
            assert_near(vec3d_distance(p, closest), found, 1e-12);
            assert_true(primitive < mesh.triangle_count);
            const uint32_t* t = mesh.triangle[primitive];
            Vec3d q = closest_on_triangle(p, mesh.vertex[t[0]], mesh.vertex[t[1]], mesh.vertex[t[2]]);
            assert_near(vec3d_distance(p, q), found, 0);
            double limit = 0.05;
            assert_true(inside_distance(test, p, limit, NULL, NULL) == fmin(least, limit));
        }
        inside_destroy(test);
        tri_mesh_free(&mesh);
    }
}

// The closest point against many points of the triangle, degenerate triangles included.
static void closest_point_is_closest(void** state)
{
    Random random = {2};
    for (int i = 0; i < 2000; i++) {
        Vec3d a = random_point(&random, 1), b = random_point(&random, 1), c = random_point(&random, 1),
              p = random_point(&random, 2);
        if (i % 4 == 1)
            c = a;
        if (i % 4 == 2)
            c = vec3d_lerp(a, b, 0.25); // a needle
        if (i % 8 == 3)
            b = c = a;
        Vec3d q = closest_on_triangle(p, a, b, c);
        double found = vec3d_distance(p, q), sampled = INFINITY;
        for (int u = 0; u <= 40; u++)
            for (int v = 0; u + v <= 40; v++) {
                Vec3d s = vec3d_mad(vec3d_mad(a, u / 40.0, vec3d_sub(b, a)), v / 40.0, vec3d_sub(c, a));
                sampled = fmin(sampled, vec3d_distance(p, s));
            }
        assert_true(found <= sampled + 1e-12);
        assert_below(sampled - found, 0.1); // and it is a point of the triangle
    }
}

static void outlines_work_the_same_way(void** state)
{
    TriMesh rings = build_shape(MN_SHAPE_TORUS, vec3d(0.5, 0.2, 0), 2, TOLERANCE);
    InsideTest* test = create(&rings);
    Random random = {4};
    for (int i = 0; i < POINTS; i++) {
        Vec3d p = random_point(&random, 0.8);
        double distance = hypot(fabs(p.x) - 0.5, p.y) - 0.2;
        if (fabs(distance) > TOLERANCE * 1.01)
            assert_int_equal(inside_contains(test, p), distance < 0);
        assert_near(inside_distance(test, p, 10, NULL, NULL), fabs(distance), TOLERANCE * 1.01);
    }
    inside_destroy(test);

    rings.segment_count--; // open: by angles
    test = create(&rings);
    assert_false(inside_closed(test));
    assert_true(inside_contains(test, vec3d(0.5, 0, 0)) && inside_contains(test, vec3d(-0.5, 0.1, 7)));
    assert_false(inside_contains(test, vec3d(0, 0, 0)) || inside_contains(test, vec3d(0.5, 0.21, 0)));
    inside_destroy(test);
    tri_mesh_free(&rings);
}

// Who goes in and who comes out: ways through a closed surface, added up, say where one has got to.
static void check_passages(mn_ShapeType type, Vec3d size, int dimension)
{
    TriMesh mesh = build_shape(type, size, dimension, TOLERANCE);
    InsideTest* test = create(&mesh);
    Random random = {8};
    int met = 0;
    for (int i = 0; i < POINTS; i++) {
        Vec3d from = random_point(&random, 0.8), to = random_point(&random, 0.8);
        SurfacePass pass[16];
        int count = inside_passes(test, from, to, pass, 16), sum = 0;
        for (int k = 0; k < count; k++) {
            Vec3d at = vec3d_lerp(from, to, pass[k].time);
            assert_below(inside_distance(test, at, 1, NULL, NULL), 1e-12);
            assert_true(pass[k].time >= 0 && pass[k].time <= 1);
            assert_true((vec3d_dot(vec3d_sub(to, from), pass[k].normal) > 0) == (pass[k].direction > 0));
            sum += dimension == 2 ? -pass[k].direction : pass[k].direction; // outlines run counter-clockwise: their left is within
        }
        met += count;
        assert_int_equal(sum, inside_contains(test, from) - inside_contains(test, to));
    }
    assert_true(met > POINTS / 4);
    SurfacePass one;
    assert_int_equal(inside_passes(test, vec3d(-2, 0.01, 0.02), vec3d(2, 0.01, 0.02), &one, 1), 1);
    assert_int_equal(inside_passes(test, vec3d(NAN, 0, 0), vec3d(2, 0, 0), &one, 1), 0);
    inside_destroy(test);
    tri_mesh_free(&mesh);
}

static void passages_say_who_is_inside(void** state)
{
    for (int k = 0; k < SOLID_COUNT; k++)
        check_passages(SOLIDS[k].type, SOLIDS[k].size, 3);
    check_passages(MN_SHAPE_TORUS, vec3d(0.5, 0.2, 0), 2);
}

static void odd_input_is_survived(void** state)
{
    TriMesh empty = {0};
    InsideTest* test = create(&empty);
    assert_false(inside_contains(test, vec3d(0, 0, 0)));
    assert_near(inside_distance(test, vec3d(0, 0, 0), 3, NULL, NULL), 3, 0);
    inside_destroy(test);
    inside_destroy(NULL);

    TriMesh box = build_shape(MN_SHAPE_BOX, vec3d(1, 1, 1), 3, 0.1);
    test = create(&box);
    assert_false(inside_contains(test, vec3d(NAN, 0, 0)) || inside_contains(test, vec3d(0, INFINITY, 0)));
    assert_near(inside_distance(test, vec3d(NAN, 0, 0), 3, NULL, NULL), 3, 0);
    inside_destroy(test);

    // all triangles in one place, many times over: no splitting helps, the tree must still be bounded
    box.triangle_count = 0;
    for (int k = 0; k < 5000; k++)
        assert_true(tri_mesh_add_triangle(&box, 0, 1, 2));
    test = create(&box);
    assert_near(inside_distance(test, box.vertex[1], 3, NULL, NULL), 0, 0);
    inside_destroy(test);
    tri_mesh_free(&box);

    // sizes that halve: deep trees by the area heuristic
    TriMesh nested = {0};
    for (int k = 0; k < 900; k++) {
        double s = ldexp(1, -k);
        assert_true(tri_mesh_add_vertex(&nested, vec3d(s, 0, 0)) && tri_mesh_add_vertex(&nested, vec3d(s, s, 0)) &&
                    tri_mesh_add_vertex(&nested, vec3d(s, 0, s)));
        assert_true(tri_mesh_add_triangle(&nested, 3u * (uint32_t)k, 3u * (uint32_t)k + 1, 3u * (uint32_t)k + 2));
    }
    test = create(&nested);
    assert_near(inside_distance(test, vec3d(2, 0, 0), 3, NULL, NULL), 1, 0);
    inside_destroy(test);
    tri_mesh_free(&nested);
}

static void memory_is_counted_and_given_back(void** state)
{
    Memory memory = {0};
    TriMesh mesh = build_shape(MN_SHAPE_SPHERE, vec3d(1, 0, 0), 3, 0.01);
    mesh.triangle_count--; // open, so that dipoles are made too
    InsideTest* test = inside_create(&mesh, &memory);
    assert_true(atomic_load(&memory.bytes) > mesh.triangle_count * 64);
    inside_destroy(test);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    tri_mesh_free(&mesh);
}

// Far from the 1 M/s it does when alone, so that a busy machine passes; a linear search would not.
static void queries_are_fast(void** state)
{
    TriMesh mesh = build_shape(MN_SHAPE_SPHERE, vec3d(0.5, 0, 0), 3, 0.0014);
    InsideTest* test = create(&mesh);
    Random random = {1};
    struct timespec start, end;
    int inside = 0, n = 200000;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (int i = 0; i < n; i++)
        inside += inside_contains(test, random_point(&random, 0.6));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    print_message("%zu triangles: %.2f M queries/s\n", mesh.triangle_count, n / seconds * 1e-6);
    assert_near((double)inside / n, 0.5236 / 1.728, 0.01);
    assert_below(seconds / n, 10e-6);
    inside_destroy(test);
    tri_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_shapes_agree_with_formulas),
        cmocka_unit_test(cells_change_nothing),
        cmocka_unit_test(rays_through_edges_count_right),
        cmocka_unit_test(crossings_equal_solid_angles),
        cmocka_unit_test(damaged_meshes_still_answer),
        cmocka_unit_test(dipoles_are_accurate),
        cmocka_unit_test(distance_equals_brute_force),
        cmocka_unit_test(closest_point_is_closest),
        cmocka_unit_test(outlines_work_the_same_way),
        cmocka_unit_test(passages_say_who_is_inside),
        cmocka_unit_test(odd_input_is_survived),
        cmocka_unit_test(memory_is_counted_and_given_back),
        cmocka_unit_test(queries_are_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
