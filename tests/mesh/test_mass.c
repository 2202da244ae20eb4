// SPDX-License-Identifier: MIT
#include "mesh_support.h"

#include "mesh/mass.h"

static const double PI = 3.14159265358979323846;

static void assert_inertia(const MassProperties* p, double x, double y, double z, double tolerance)
{
    const double expected[3] = {x, y, z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_near(p->inertia[i][j], i == j ? expected[i] : 0, tolerance * fmax(x, fmax(y, z)));
}

static void box_is_exact_wherever_it_is(void** state)
{
    const double far[] = {0, 1, 1000};
    for (int k = 0; k < 3; k++) {
        TriMesh box = build_shape(MN_SHAPE_BOX, vec3d(1, 2, 3), 3, 0.1);
        mn_Pose pose = {.position = {far[k], -2 * far[k], far[k]}, .rotation = {1, 0, 0, 0}};
        tri_mesh_move(&box, &pose);
        MassProperties p = mass_of_closed(&box);
        assert_near(p.volume, 6, 1e-10);
        assert_near(p.centre.x, far[k], 1e-10);
        assert_near(p.centre.y, -2 * far[k], 1e-10);
        assert_inertia(&p, 6 * (4 + 9) / 12.0, 6 * (1 + 9) / 12.0, 6 * (1 + 4) / 12.0, 1e-10);

        tri_mesh_flip(&box); // inside out
        MassProperties q = mass_of_closed(&box);
        assert_near(q.volume, 6, 1e-10);
        assert_near(q.inertia[0][0], p.inertia[0][0], 1e-10);
        assert_near(q.centre.y, p.centre.y, 1e-10);
        tri_mesh_free(&box);
    }
}

// --- parts that overlap count once

static void add_box(TriMesh* mesh, Vec3d size, Vec3d at, Quat turn, bool inwards)
{
    TriMesh box = build_shape(MN_SHAPE_BOX, size, 3, 0.1);
    mn_Pose pose = {.position = at, .rotation = turn};
    tri_mesh_move(&box, &pose);
    if (inwards)
        tri_mesh_flip(&box);
    uint32_t first = (uint32_t)mesh->vertex_count;
    for (size_t k = 0; k < box.vertex_count; k++)
        assert_true(tri_mesh_add_vertex(mesh, box.vertex[k]));
    for (size_t k = 0; k < box.triangle_count; k++)
        assert_true(
            tri_mesh_add_triangle(mesh, first + box.triangle[k][0], first + box.triangle[k][1], first + box.triangle[k][2]));
    tri_mesh_free(&box);
}

static MassProperties united(const TriMesh* mesh)
{
    MassProperties p;
    assert_true(mass_of_union(mesh, &p));
    return p;
}

static void overlapping_parts_count_once(void** state)
{
    const Quat upright = {1, 0, 0, 0};
    for (int inside_out = 0; inside_out < 2; inside_out++) {
        // three cubes in a row, each half in the next, are one bar
        TriMesh mesh = {0};
        for (int k = 0; k < 3; k++)
            add_box(&mesh, vec3d(1, 1, 1), vec3d(5 + 0.5 * k, -3, 2), upright, inside_out);
        MassProperties p = united(&mesh);
        assert_near(p.volume, 2, 1e-9);
        assert_near(p.centre.x, 5.5, 1e-9);
        assert_inertia(&p, 2 * (1 + 1) / 12.0, 2 * (4 + 1) / 12.0, 2 * (4 + 1) / 12.0, 1e-9);
        tri_mesh_free(&mesh);
    }
    // one box twice in the same place, turned so that nothing lies along the columns
    const Quat turned = quat_normalise((Quat){0.9, 0.3, -0.2, 0.4});
    TriMesh twice = {0}, once = {0};
    add_box(&once, vec3d(1, 2, 3), vec3d(0, 0, 0), turned, false);
    for (int k = 0; k < 2; k++)
        add_box(&twice, vec3d(1, 2, 3), vec3d(0, 0, 0), turned, false);
    MassProperties p = united(&twice), q = mass_of_closed(&once);
    print_message("the same box twice: volume %.6f of 6, inertia %.5f of %.5f\n", p.volume, p.inertia[0][1], q.inertia[0][1]);
    assert_near(p.volume, 6, 6e-3);
    assert_near(p.inertia[0][1], q.inertia[0][1], 5e-3 * q.inertia[0][0]);
    assert_near(p.inertia[2][2], q.inertia[2][2], 5e-3 * q.inertia[2][2]);
    tri_mesh_free(&twice);
    tri_mesh_free(&once);
}

static void hollows_and_parts_apart_are_as_they_were(void** state)
{
    const Quat turned = quat_normalise((Quat){0.9, 0.3, -0.2, 0.4});
    TriMesh mesh = {0};
    add_box(&mesh, vec3d(1, 2, 3), vec3d(0, 0, 0), turned, false);
    add_box(&mesh, vec3d(0.5, 1, 2), vec3d(0, 0, 0), turned, true);      // hollow
    add_box(&mesh, vec3d(0.1, 0.1, 0.1), vec3d(0, 0, 0), turned, false); // what rattles in it
    add_box(&mesh, vec3d(1, 1, 1), vec3d(9, 0, 0), turned, false);
    MassProperties p = united(&mesh), q = mass_of_closed(&mesh);
    assert_true(p.volume == q.volume && p.centre.x == q.centre.x && p.inertia[0][1] == q.inertia[0][1]);
    tri_mesh_free(&mesh);
}

// Two squares, a quarter of one in the other.
static void outlines_that_overlap_count_once(void** state)
{
    TriMesh mesh = {0};
    for (int k = 0; k < 2; k++)
        for (uint32_t c = 0; c < 4; c++) {
            assert_true(tri_mesh_add_vertex(&mesh, vec3d(0.5 * k + (c == 1 || c == 2), 0.5 * k + (c >= 2), 0)));
            assert_true(tri_mesh_add_segment(&mesh, 4 * (uint32_t)k + c, 4 * (uint32_t)k + (c + 1) % 4));
        }
    MassProperties p = united(&mesh);
    assert_near(p.volume, 1.75, 1e-9);
    assert_near(p.centre.x, 0.75, 1e-9);
    // about z: two squares about their own middles and that of all, less the quarter
    double square = 1 / 6.0 + 0.125, quarter = 0.25 * 0.25 / 6;
    assert_near(p.inertia[2][2], 2 * square - quarter, 1e-9);
    tri_mesh_free(&mesh);
}

// I' = R I R^T
static void turned_box_turns_its_inertia(void** state)
{
    TriMesh box = build_shape(MN_SHAPE_BOX, vec3d(1, 2, 3), 3, 0.1);
    MassProperties before = mass_of_closed(&box);
    mn_Pose pose = {.position = {3, 1, 2}, .rotation = quat_normalise((Quat){0.9, 0.3, -0.2, 0.4})};
    tri_mesh_move(&box, &pose);
    MassProperties after = mass_of_closed(&box);
    for (int axis = 0; axis < 3; axis++) {
        Vec3d unit = vec3d(axis == 0, axis == 1, axis == 2), turned = quat_rotate(pose.rotation, unit);
        double t[3] = {turned.x, turned.y, turned.z}, about = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                about += t[i] * after.inertia[i][j] * t[j];
        assert_near(about, before.inertia[axis][axis], 1e-10);
    }
    tri_mesh_free(&box);
}

static void round_shapes_match_formulas(void** state)
{
    const double tolerance = 2e-5, close = 3e-3;
    double r = 0.5, h = 1.2;
    TriMesh sphere = build_shape(MN_SHAPE_SPHERE, vec3d(r, 0, 0), 3, tolerance);
    MassProperties p = mass_of_closed(&sphere);
    double v = 4 * PI / 3 * r * r * r;
    assert_near(p.volume, v, close * v);
    assert_inertia(&p, 0.4 * v * r * r, 0.4 * v * r * r, 0.4 * v * r * r, close);
    tri_mesh_free(&sphere);

    TriMesh cylinder = build_shape(MN_SHAPE_CYLINDER, vec3d(r, h, 0), 3, tolerance);
    p = mass_of_closed(&cylinder);
    v = PI * r * r * h;
    double across = v * (3 * r * r + h * h) / 12;
    assert_near(p.volume, v, close * v);
    assert_inertia(&p, across, v * r * r / 2, across, close);
    tri_mesh_free(&cylinder);

    TriMesh cone = build_shape(MN_SHAPE_CONE, vec3d(r, h, 0), 3, tolerance);
    p = mass_of_closed(&cone);
    v = PI * r * r * h / 3;
    across = v * (0.15 * r * r + 0.0375 * h * h);
    assert_near(p.volume, v, close * v);
    assert_near(p.centre.y, -h / 4, close * h);
    assert_inertia(&p, across, 0.3 * v * r * r, across, close);
    tri_mesh_free(&cone);

    double R = 1, a = 0.3;
    TriMesh torus = build_shape(MN_SHAPE_TORUS, vec3d(R, a, 0), 3, tolerance);
    p = mass_of_closed(&torus);
    v = 2 * PI * PI * R * a * a;
    across = v * (R * R / 2 + 5.0 / 8 * a * a);
    assert_near(p.volume, v, close * v);
    assert_inertia(&p, across, v * (R * R + 0.75 * a * a), across, close);
    tri_mesh_free(&torus);
}

// a plate and a bar are thin boxes
static void shell_and_rod_match_boxes(void** state)
{
    double t = 0.01;
    TriMesh plate = build_shape(MN_SHAPE_GRID, vec3d(2, 0, 3), 3, 0.1);
    MassProperties p = mass_of_shell(&plate, t);
    double v = 2 * 3 * t;
    assert_near(p.volume, v, 1e-12);
    assert_inertia(&p, v * (t * t + 9) / 12, v * (4 + 9) / 12, v * (4 + t * t) / 12, 1e-10);
    tri_mesh_free(&plate);

    TriMesh rod = build_shape(MN_SHAPE_ROD, vec3d(0, 3, 0), 3, 0.1);
    p = mass_of_rod(&rod, t, t);
    v = 3 * t * t;
    assert_near(p.volume, v, 1e-12);
    assert_near(p.inertia[1][1], v * 2 * t * t / 12, 1e-15);
    assert_near(p.inertia[0][0], v * (9 + t * t) / 12, 1e-12);
    // in two dimensions it is a sheet, one metre deep
    p = mass_of_rod(&rod, t, 1);
    assert_near(p.volume, 3 * t, 1e-12);
    assert_near(p.inertia[2][2], 3 * t * (9 + t * t) / 12, 1e-12);
    tri_mesh_free(&rod);

    // a thin sphere: 2/3 m r^2
    TriMesh sphere = build_shape(MN_SHAPE_SPHERE, vec3d(1, 0, 0), 3, 1e-4);
    p = mass_of_shell(&sphere, 1e-3);
    assert_near(p.volume, 4 * PI * 1e-3, 1e-3 * p.volume);
    assert_near(p.inertia[2][2], 2.0 / 3 * p.volume, 2e-3 * p.volume);
    tri_mesh_free(&sphere);
}

static void outline_is_a_slice(void** state)
{
    TriMesh box = build_shape(MN_SHAPE_BOX, vec3d(2, 3, 0), 2, 0.1);
    mn_Pose pose = {.position = {5, 6, 0}, .rotation = {1, 0, 0, 0}};
    tri_mesh_move(&box, &pose);
    MassProperties p = mass_of_closed(&box);
    assert_near(p.volume, 6, 1e-12);
    assert_near(p.centre.x, 5, 1e-12);
    assert_inertia(&p, 6 * (9 + 1) / 12.0, 6 * (4 + 1) / 12.0, 6 * (4 + 9) / 12.0, 1e-12);
    tri_mesh_free(&box);
}

static void nothing_weighs_nothing(void** state)
{
    TriMesh empty = {0};
    assert_near(mass_of_closed(&empty).volume, 0, 0);
    assert_near(mass_of_shell(&empty, 1).volume, 0, 0);
    assert_near(mass_of_rod(&empty, 1, 1).volume, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_is_exact_wherever_it_is),
        cmocka_unit_test(overlapping_parts_count_once),
        cmocka_unit_test(hollows_and_parts_apart_are_as_they_were),
        cmocka_unit_test(outlines_that_overlap_count_once),
        cmocka_unit_test(turned_box_turns_its_inertia),
        cmocka_unit_test(round_shapes_match_formulas),
        cmocka_unit_test(shell_and_rod_match_boxes),
        cmocka_unit_test(outline_is_a_slice),
        cmocka_unit_test(nothing_weighs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
