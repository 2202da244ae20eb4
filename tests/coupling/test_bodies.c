// SPDX-License-Identifier: MIT
// Bodies of all kinds in contact with fluid, with driven solids and with each other.
#include "coupling_support.h"

#include <stdlib.h>
#include <unistd.h>

// --- in two dimensions

static void test_floating_in_2d(void** state)
{
    mn_World* world = build(
        "{\"dimension\": 2, \"gravity\": [0, -9.81], \"particle_radius\": 0.01, \"fluids\": [{\"viscosity\": 0.05, "
        "\"blocks\": [{\"min\": [0, 0], \"max\": [1.6, 0.4]}]}],"
        "\"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [1.6, 1]}, \"position\": [0.8, 0.5], \"inside\": true},"
        "{\"name\": \"disc\", \"type\": \"rigid\", \"shape\": {\"sphere\": 0.12}, \"density\": 500, \"position\": [0.4, 0.4]},"
        "{\"name\": \"box\", \"type\": \"rigid\", \"shape\": {\"box\": [0.3, 0.2]}, \"density\": 600, \"position\": [1.2, "
        "0.4]}]}");
    double disc = 0, box = 0;
    enum { SAMPLES = 40 };
    advance(world, 2);
    for (int k = 1; k <= SAMPLES; k++) {
        advance(world, 2 + 0.025 * k);
        disc += named(world, "disc").pose.position.y / SAMPLES;
        box += named(world, "box").pose.position.y / SAMPLES;
    }
    double below = M_PI * 0.12 * 0.12 / 2 + 0.6 * 0.3 * 0.2;
    double level = ((double)mn_world_stats(world).fluid_particles * 0.02 * 0.02 + below) / 1.6;
    print_message("2D: disc off by %.2f %%, box by %.2f %% of their heights\n", 100 * (disc - level) / 0.24,
                  100 * (box + 0.02 - level) / 0.2);
    assert_near(disc, level, 0.03 * 0.24);
    assert_near(box + 0.02, level, 0.03 * 0.2);      // 60 % of it under water: the level is 0.02 above its middle
    assert_near(named(world, "box").mass, 36, 1e-6); // per metre of depth
    assert_near(named(world, "disc").pose.position.z, 0, 0);
    assert_int_equal(mn_world_stats(world).leaked_particles, 0);
    mn_world_destroy(world);
}

// --- with driven solids

#define FLOOR "{\"name\": \"floor\", \"shape\": {\"box\": [4, 0.2, 4]}, \"position\": [0, -0.1, 0]}"

static void test_piston_pushes_a_body(void** state)
{
    mn_World* world = build(
        "{\"solids\": [" FLOOR ", {\"name\": \"piston\", \"type\": \"kinematic\", \"shape\": {\"box\": [0.1, 0.3, 0.3]}, "
        "\"motion\": [{\"time\": 0, \"position\": [-0.3, 0.16, 0]}, {\"time\": 2, \"position\": [0.3, 0.16, 0]}]},"
        "{\"name\": \"crate\", \"type\": \"rigid\", \"shape\": {\"box\": [0.2, 0.2, 0.2]}, \"density\": 700, \"position\": [0, "
        "0.1, 0]}]}");
    advance(world, 1.5);
    mn_SolidView crate = named(world, "crate"), piston = named(world, "piston");
    assert_near(crate.velocity.x, 0.3, 0.02);
    assert_near(crate.pose.position.x - piston.pose.position.x, 0.15, 0.003);
    advance(world, 3); // the piston has stopped, friction stops the crate
    assert_below(length(named(world, "crate").velocity), 1e-3);
    assert_near(named(world, "crate").pose.position.y, 0.1, 1e-3);
    mn_world_destroy(world);
}

static void test_body_on_a_driven_arm(void** state)
{
    mn_World* world = build(
        "{\"solids\": [{\"name\": \"arm\", \"type\": \"kinematic\", \"contact\": \"none\", \"shape\": {\"box\": [0.1, 0.1, 0.1]}, "
        "\"motion\": [{\"time\": 0, \"position\": [0, 1, 0]}, {\"time\": 0.3, \"position\": [0.1, 1, 0]}, {\"time\": 0.6, "
        "\"position\": [0, 1.1, 0]}, {\"time\": 1, \"position\": [0, 1.1, 0], \"rotation\": {\"euler\": [0, 0, 120]}}]},"
        "{\"name\": \"bob\", \"type\": \"rigid\", \"shape\": {\"sphere\": 0.1}, \"density\": 800, \"position\": [0, 0.7, 0]}],"
        "\"joints\": [{\"name\": \"string\", \"type\": \"ball\", \"solid\": \"bob\", \"other\": \"arm\", \"position\": [0, 0.95, "
        "0]}]}");
    double swung = 0;
    for (int k = 1; k <= 100; k++) {
        advance(world, 0.012 * k);
        assert_below(mn_world_joint(world, 1).gap, 1e-4);
        swung = fmax(swung, fabs(named(world, "bob").pose.position.x));
    }
    assert_true(swung > 0.05);
    mn_world_destroy(world);
}

// --- contact of triangles

static void test_meshes_touch(void** state)
{
    // all touch with their triangles: a ring and a cone on the floor, two crates on top of each other
    mn_World* world =
        build("{\"particle_radius\": 0.02, \"solids\": [" FLOOR
              ", {\"name\": \"ring\", \"type\": \"rigid\", \"shape\": {\"torus\": [0.2, 0.05]}, \"position\": [0, 0.06, 0]},"
              "{\"name\": \"cone\", \"type\": \"rigid\", \"shape\": {\"cone\": [0.1, 0.2]}, \"position\": [0.6, 0.15, 0]},"
              "{\"name\": \"low\", \"type\": \"rigid\", \"contact\": \"mesh\", \"shape\": {\"box\": [0.3, 0.2, 0.3]}, "
              "\"position\": [-0.6, "
              "0.11, 0]},"
              "{\"name\": \"high\", \"type\": \"rigid\", \"contact\": \"mesh\", \"shape\": {\"box\": [0.2, 0.2, 0.2]}, "
              "\"position\": [-0.6, "
              "0.33, 0]}]}");
    advance(world, 1);
    assert_near(named(world, "ring").pose.position.y, 0.05, 2e-3);
    assert_near(named(world, "cone").pose.position.y, 0.1, 2e-3);
    assert_near(named(world, "low").pose.position.y, 0.1, 2e-3);
    assert_near(named(world, "high").pose.position.y, 0.3, 4e-3);
    assert_below(length(named(world, "high").velocity), 0.02);
    mn_world_destroy(world);
}

// --- meshes from files

typedef struct Folder {
    char path[64];
} Folder;

static Folder folder_create(void)
{
    Folder folder = {"/tmp/meniscus_bodies_XXXXXX"};
    assert_non_null(mkdtemp(folder.path));
    return folder;
}

static FILE* create(const Folder* folder, const char* name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

static void folder_remove(const Folder* folder, const char* const* names, int count)
{
    char path[128];
    for (int k = 0; k < count; k++) {
        snprintf(path, sizeof path, "%s/%s", folder->path, names[k]);
        unlink(path);
    }
    rmdir(folder->path);
}

enum { VERTICES_MOST = 2500 };

typedef struct Obj {
    FILE* file;
    double vertex[VERTICES_MOST][3];
    int count;
} Obj;

// Number of the vertex at p, from 1; what is in one place is one vertex.
static int vertex_at(Obj* obj, const double p[3])
{
    for (int k = 0; k < obj->count; k++)
        if (fabs(obj->vertex[k][0] - p[0]) + fabs(obj->vertex[k][1] - p[1]) + fabs(obj->vertex[k][2] - p[2]) < 1e-9)
            return k + 1;
    assert_true(obj->count < VERTICES_MOST);
    memcpy(obj->vertex[obj->count], p, 3 * sizeof *p);
    fprintf(obj->file, "v %.12g %.12g %.12g\n", p[0], p[1], p[2]);
    return ++obj->count;
}

// One square of a face, from (i, j) of n x n.
static void write_square(Obj* obj, double edge, const double at[3], int face, int n, int i, int j)
{
    int axis = face / 2, a = (axis + 1) % 3, b = (axis + 2) % 3, v[4];
    for (int c = 0; c < 4; c++) {
        double p[3];
        p[axis] = at[axis] + (face % 2 ? edge / 2 : -edge / 2);
        p[a] = at[a] + edge * ((i + (c == 1 || c == 2)) / (double)n - 0.5);
        p[b] = at[b] + edge * ((j + (c >= 2)) / (double)n - 0.5);
        v[face % 2 ? c : 3 - c] = vertex_at(obj, p);
    }
    fprintf(obj->file, "f %d %d %d\nf %d %d %d\n", v[0], v[1], v[2], v[0], v[2], v[3]);
}

static void write_cube(Obj* obj, double edge, const double at[3], int n)
{
    for (int face = 0; face < 6; face++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                write_square(obj, edge, at, face, n, i, j);
}

#define SUBMERGED(shape)                                                                                                           \
    "{\"particle_radius\": 0.02, \"fluids\": [{\"viscosity\": 0.1, \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.64, 0.56, "       \
    "0.64]}]}], \"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [0.64, 0.9, 0.64]}, \"position\": [0.32, 0.45, 0.32], "     \
    "\"inside\": true}, {\"name\": \"body\", \"type\": \"rigid\", \"held\": true, \"position\": [0.32, 0.26, 0.32], " shape "}]}"

// Mean of force and torque (about the pose) of the fluid on a body that is held under water.
static mn_SolidView lift_of(const char* folder, const char* json, mn_Vec3* force, mn_Vec3* torque)
{
    mn_World* world = build_in(folder, json, NULL, 0);
    enum { SAMPLES = 40 };
    *force = *torque = (mn_Vec3){0, 0, 0};
    advance(world, 0.8);
    for (int k = 1; k <= SAMPLES; k++) {
        advance(world, 0.8 + 0.02 * k);
        mn_SolidView body = named(world, "body");
        force->x += body.force.x / SAMPLES;
        force->y += body.force.y / SAMPLES;
        torque->x += body.torque.x / SAMPLES;
        torque->z += body.torque.z / SAMPLES;
    }
    mn_SolidView view = named(world, "body");
    view.name = NULL;
    mn_world_destroy(world);
    return view;
}

// Two cubes with one edge in common, where four triangles meet.
static void test_non_manifold_mesh(void** state)
{
    Folder folder = folder_create();
    Obj* obj = calloc(1, sizeof *obj);
    obj->file = create(&folder, "two.obj");
    write_cube(obj, 0.16, (const double[3]){-0.08, -0.08, 0}, 1);
    write_cube(obj, 0.16, (const double[3]){0.08, 0.08, 0}, 1);
    fclose(obj->file);
    free(obj);
    mn_Vec3 force, torque;
    mn_SolidView body = lift_of(folder.path, SUBMERGED("\"shape\": {\"mesh\": \"two.obj\"}, \"density\": 500"), &force, &torque);
    double volume = 2 * 0.16 * 0.16 * 0.16;
    print_message("lift of two cubes that share an edge / Archimedes: %.3f\n", force.y / (9810 * volume));
    assert_near(body.mass, 500 * volume, 1e-4);
    assert_near(force.y, 9810 * volume, 0.065 * 9810 * volume); // 0.946, as for one cube of this size
    folder_remove(&folder, (const char* const[]){"two.obj"}, 1);
}

// How finely a mesh is divided says nothing about the body.
static void test_finely_divided_mesh(void** state)
{
    double lift[3];
    for (int k = 0; k < 3; k++) {
        Folder folder = folder_create();
        Obj* obj = calloc(1, sizeof *obj);
        obj->file = create(&folder, "cube.obj");
        write_cube(obj, 0.24, (const double[3]){0, 0, 0}, (const int[3]){1, 7, 20}[k]);
        fclose(obj->file);
        free(obj);
        mn_Vec3 force, torque;
        lift_of(folder.path, SUBMERGED("\"shape\": {\"mesh\": \"cube.obj\"}, \"density\": 500"), &force, &torque);
        lift[k] = force.y / (9810 * 0.24 * 0.24 * 0.24);
        folder_remove(&folder, (const char* const[]){"cube.obj"}, 1);
    }
    print_message("lift of a cube / Archimedes, faces of 1, 7 and 20 squares a side: %.3f %.3f %.3f\n", lift[0], lift[1], lift[2]);
    assert_near(lift[1] / lift[0], 1, 0.03);
    assert_near(lift[2] / lift[0], 1, 0.03);
}

static void test_torque_of_still_water(void** state)
{
    // a cone that lies on its side: lift acts at its centre of volume, a quarter of the height from the base, and the origin is
    // at half of the height
    mn_Vec3 force, torque;
    lift_of(NULL, SUBMERGED("\"shape\": {\"cone\": [0.16, 0.32]}, \"rotation\": {\"euler\": [0, 0, -90]}, \"density\": 500"),
            &force, &torque);
    double volume = M_PI * 0.16 * 0.16 * 0.32 / 3, lift = 9810 * volume;
    print_message("cone: lift / Archimedes %.3f, torque / lift %.4f m, wanted -0.08 m\n", force.y / lift, torque.z / lift);
    assert_near(force.y, lift, 0.05 * lift);
    assert_near(torque.z, -0.08 * lift, 0.05 * 0.16 * lift); // the base is towards -x
    assert_near(torque.x, 0, 0.03 * 0.16 * lift);
}

// --- volumes where bodies overlap

static double boundary_volume(const mn_World* world)
{
    mn_BoundaryView b = mn_world_boundary(world);
    double sum = 0;
    for (size_t i = 0; i < b.count; i++)
        sum += (double)b.position[4 * i + 3];
    return sum;
}

static void test_volumes_follow_overlap(void** state)
{
    // two bodies that do not feel each other fly through each other: where their particles lie together they share the volume
    mn_World* world = build(
        "{\"gravity\": [0, 0, 0], \"particle_radius\": 0.02, \"solids\": [{\"name\": \"a\", \"type\": \"rigid\", \"contact\": "
        "\"none\", \"shape\": {\"box\": [0.3, 0.3, 0.3]}, \"velocity\": [1, 0, 0]}, {\"name\": \"b\", \"type\": \"rigid\", "
        "\"contact\": \"none\", \"shape\": {\"box\": [0.3, 0.3, 0.3]}, \"position\": [0.5, 0, 0]}]}");
    mn_world_prepare(world, NULL);
    double apart = boundary_volume(world);
    advance(world, 0.5);
    double together = boundary_volume(world);
    advance(world, 1.1);
    assert_near(together, apart / 2, 0.02 * apart);
    assert_near(boundary_volume(world), apart, 1e-3 * apart);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floating_in_2d),        cmocka_unit_test(test_piston_pushes_a_body),
        cmocka_unit_test(test_body_on_a_driven_arm),  cmocka_unit_test(test_meshes_touch),
        cmocka_unit_test(test_non_manifold_mesh),     cmocka_unit_test(test_finely_divided_mesh),
        cmocka_unit_test(test_torque_of_still_water), cmocka_unit_test(test_volumes_follow_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
