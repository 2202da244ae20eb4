// SPDX-License-Identifier: MIT
// Contact: nothing gets into a solid, through a cloth, or through itself; friction holds on slopes; impulses are equal and
// opposite.
#include "elastic_support.h"

#include "base/random.h"
#include "elastic/elastic_parts.h"
#include "mesh/inside.h"
#include "mesh/shape.h"
#include "mesh/tet_mesh.h"

typedef struct Hard {
    TriMesh mesh;
    InsideTest* test;
} Hard;

static Hard make_hard(mn_Shape shape)
{
    Hard hard = {0};
    assert_int_equal(shape_build(&shape, 3, 0.001, NULL, &hard.mesh, NULL), MN_OK);
    hard.test = inside_create(&hard.mesh, NULL);
    assert_non_null(hard.test);
    return hard;
}

static int obstacle_of(ElasticSet* set, const Hard* hard, mn_Pose pose, double friction)
{
    double radius = 0;
    for (size_t k = 0; k < hard->mesh.vertex_count; k++)
        radius = fmax(radius, vec3d_length(hard->mesh.vertex[k]));
    return elastic_add_obstacle(
        set,
        &(ElasticObstacleDef){
            .mesh = &hard->mesh, .test = hard->test, .closed = true, .friction = friction, .bound_radius = radius, .pose = pose});
}

static void hard_free(Hard* hard)
{
    inside_destroy(hard->test);
    tri_mesh_free(&hard->mesh);
}

static mn_Pose pose_at(double x, double y, double z)
{
    return (mn_Pose){{x, y, z}, quat_identity()};
}

// A cloth falls over a ball onto a floor: no vertex is ever inside.
static void test_cloth_on_ball(void** state)
{
    TriMesh mesh = test_grid(0.6, 0.6, 30, 30);
    for (size_t k = 0; k < mesh.vertex_count; k++)
        mesh.vertex[k].y = 0.35;
    ElasticBodyDef def = test_sheet(&mesh);
    def.young = 1e5;
    def.contact = true;
    def.drag = 1;
    ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), 2);
    Hard ball = make_hard((mn_Shape){.type = MN_SHAPE_SPHERE, .size = {0.15, 0, 0}});
    Hard floor = make_hard((mn_Shape){.type = MN_SHAPE_BOX, .size = {2, 0.1, 2}});
    obstacle_of(set, &ball, pose_at(0, 0.15, 0), 0.3);
    obstacle_of(set, &floor, pose_at(0, -0.05, 0), 0.5);
    Body* body = &set->body[0];
    double deepest = 0;
    for (int k = 0; k < 300; k++) {
        assert_true(elastic_step(set, 3e-3));
        for (size_t i = 0; i < body->point_count; i++) {
            Vec3d x = body->position[i];
            deepest = fmax(deepest, fmax(-x.y, 0.15 - vec3d_distance(x, vec3d(0, 0.15, 0))));
        }
    }
    assert_below(deepest, 0.002); // of the tessellated ball, whose faces lie inside the sphere by 0.001 m
    // it lies on both
    double low = 1, high = 0;
    for (size_t i = 0; i < body->point_count; i++) {
        low = fmin(low, body->position[i].y);
        high = fmax(high, body->position[i].y);
    }
    assert_near(high, 0.3 + 0.0005, 0.001);
    assert_near(low, 0.0005, 1e-5); // half its thickness
    test_set_destroy(set);
    hard_free(&ball);
    hard_free(&floor);
    tri_mesh_free(&mesh);
}

// How far a sheet slides in half a second down a slope of 20 degrees.
static double slide(double friction)
{
    TriMesh mesh = test_grid(0.1, 0.1, 5, 5);
    for (size_t k = 0; k < mesh.vertex_count; k++)
        mesh.vertex[k].y = 0.05 + 0.0005;
    ElasticBodyDef def = test_sheet(&mesh);
    def.contact = true;
    def.friction = friction;
    double slope = 20 * 3.14159265358979 / 180;
    ElasticSet* set = test_set(&def, vec3d(9.81 * sin(slope), -9.81 * cos(slope), 0), 1);
    Hard floor = make_hard((mn_Shape){.type = MN_SHAPE_BOX, .size = {8, 0.1, 2}});
    int index = obstacle_of(set, &floor, pose_at(0, 0, 0), friction);
    Vec3d sum = {0, 0, 0};
    for (int k = 0; k < 250; k++) {
        mn_Pose still = pose_at(0, 0, 0);
        elastic_move_obstacle(set, index, &still, &still);
        assert_true(elastic_step(set, 2e-3));
        Vec3d impulse, moment;
        elastic_obstacle_impulse(set, index, &impulse, &moment);
        sum = vec3d_add(sum, impulse);
    }
    // the floor carries the weight
    assert_near(sum.y, -0.01 * 9.81 * cos(slope) * 0.5, 0.01 * 0.01 * 9.81);
    double way = set->body[0].position[17].x - mesh.vertex[17].x;
    test_set_destroy(set);
    hard_free(&floor);
    tri_mesh_free(&mesh);
    return way;
}

static void test_friction(void** state)
{
    double slope = 20 * 3.14159265358979 / 180;
    assert_near(slide(0), 0.5 * 9.81 * sin(slope) * 0.25, 0.01);
    assert_near(slide(0.2), 0.5 * 9.81 * (sin(slope) - 0.2 * cos(slope)) * 0.25, 0.02);
    assert_near(slide(0.5), 0, 0.002); // tan 20 degrees = 0.36
}

// Two sheets, one falls on the other that is held at its border: no point passes through.
static void test_sheet_on_sheet(void** state)
{
    TriMesh low = test_grid(0.4, 0.4, 20, 20), high = test_grid(0.2, 0.2, 11, 11);
    for (size_t k = 0; k < high.vertex_count; k++)
        high.vertex[k].y = 0.1;
    ElasticBodyDef def = test_sheet(&low);
    def.young = 3e5;
    def.contact = def.self_contact = true;
    ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), 2);
    def.surface = &high;
    int body;
    assert_int_equal(elastic_add_body(set, &def, &body, NULL), MN_OK);
    int pin = elastic_add_pin(set, 0);
    for (uint32_t k = 0; k < low.vertex_count; k++)
        if (fabs(low.vertex[k].x) > 0.199 || fabs(low.vertex[k].z) > 0.199)
            elastic_pin_vertex(set, 0, pin, k);
    for (int k = 0; k < 300; k++)
        assert_true(elastic_step(set, 2e-3));
    // above the lower sheet everywhere: its nearest point is below
    const Body *a = &set->body[0], *b = &set->body[1];
    for (size_t k = 0; k < b->point_count; k++) {
        size_t nearest = 0;
        double least = 1;
        for (size_t i = 0; i < a->point_count; i++) {
            double d = hypot(a->position[i].x - b->position[k].x, a->position[i].z - b->position[k].z);
            nearest = d < least ? i : nearest;
            least = fmin(least, d);
        }
        if (b->position[k].y < a->position[nearest].y - 0.004)
            fail_msg("point %zu is at %g, the sheet below it at %g", k, b->position[k].y, a->position[nearest].y);
        assert_true(b->position[k].y > -0.2);
    }
    test_set_destroy(set);
    tri_mesh_free(&low);
    tri_mesh_free(&high);
}

// [1] The most energy of a crumpled sheet in 0.1 s, of what it has in the beginning: a sheet that is squeezed into half its width,
// with wrinkles as small as its cells, and let go. Layers touch and triangles turn over within a step.
static double crumple(double dt)
{
    TriMesh mesh = test_grid(0.1, 0.1, 20, 20);
    ElasticBodyDef def = test_sheet(&mesh);
    def.thickness = 2e-3;
    def.young = 5e5;
    def.contact = def.self_contact = true;
    ElasticSet* set = test_set(&def, vec3d(0, 0, 0), 2);
    Body* body = &set->body[0];
    Random random = {1};
    for (size_t k = 0; k < body->point_count; k++) {
        Vec3d x = body->position[k];
        double wrinkle = random_range(&random, -0.003, 0.003);
        body->position[k] = vec3d(0.5 * x.x, wrinkle, 0.5 * x.z);
    }
    ElasticTotals t = elastic_totals(set);
    double begin = t.strain, most = begin;
    for (double time = 0; time < 0.1; time += dt) {
        assert_true(elastic_step(set, dt));
        t = elastic_totals(set);
        most = fmax(most, t.kinetic + t.strain);
    }
    test_set_destroy(set);
    tri_mesh_free(&mesh);
    return most / begin;
}

// Contact takes energy away and gives none, however long the steps are.
static void test_crumpled(void** state)
{
    const double dt[] = {1e-3, 3e-4, 1e-4, 3e-5};
    for (size_t k = 0; k < sizeof dt / sizeof *dt; k++)
        assert_below(crumple(dt[k]), 1.01);
}

// A slab falls on a sheet that lies on a floor, and stops on the floor as if there were no sheet: its own solver keeps the two
// apart. What the sheet does to it is no more than what a sheet can do that is brought to the slab's speed and back.
static void test_squeezed(void** state)
{
    TriMesh mesh = test_grid(0.2, 0.2, 40, 40);
    for (size_t k = 0; k < mesh.vertex_count; k++)
        mesh.vertex[k].y = 0.0005;
    ElasticBodyDef def = test_sheet(&mesh);
    def.contact = true;
    ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), 1);
    Hard slab = make_hard((mn_Shape){.type = MN_SHAPE_BOX, .size = {0.1, 0.1, 0.1}});
    Hard floor = make_hard((mn_Shape){.type = MN_SHAPE_BOX, .size = {2, 0.1, 2}});
    obstacle_of(set, &floor, pose_at(0, -0.05, 0), 0.5);
    int index = obstacle_of(set, &slab, pose_at(0, 0.06, 0), 0.5);
    const double dt = 1e-3, speed = 1;
    double most = 0, y = 0.06, fastest = 0;
    for (int k = 0; k < 50; k++) {
        mn_Pose from = pose_at(0, y, 0);
        y = fmax(y - speed * dt, 0.05);
        mn_Pose to = pose_at(0, y, 0);
        elastic_move_obstacle(set, index, &from, &to);
        assert_true(elastic_step(set, dt));
        Vec3d impulse, moment;
        elastic_obstacle_impulse(set, index, &impulse, &moment);
        most = fmax(most, vec3d_length(impulse));
        for (size_t i = 0; i < set->body[0].point_count; i++)
            fastest = fmax(fastest, vec3d_length(set->body[0].velocity[i]));
    }
    // a quarter of the sheet is under it, and is stopped or started once
    assert_below(most, 0.25 * elastic_mass(set, 0) * speed * 1.2);
    assert_below(fastest, 1.2 * speed);
    test_set_destroy(set);
    hard_free(&slab);
    hard_free(&floor);
    tri_mesh_free(&mesh);
}

// A cube that starts so high above the floor.
static TestVolume cube_above(double size, int cells, double height)
{
    TestVolume v = test_volume(vec3d(size, size, size), cells, cells, cells);
    for (size_t k = 0; k < v.tets.point_count; k++)
        v.tets.point[k].y += size / 2 + height;
    for (size_t k = 0; k < v.surface.vertex_count; k++)
        v.surface.vertex[k].y += size / 2 + height;
    return v;
}

static ElasticBodyDef cube_def(const TestVolume* v, mn_ElasticModel model)
{
    ElasticBodyDef def = test_volume_def(v, model);
    def.damping = 0.01;
    def.friction = 0.5;
    def.contact = true;
    return def;
}

// A soft cube comes to rest on a floor at the height that its weight leaves it.
static void test_cube_on_floor(void** state)
{
    TestVolume v = cube_above(0.1, 3, 0.01);
    for (int model = 0; model < 2; model++) {
        ElasticBodyDef def = cube_def(&v, (mn_ElasticModel)model);
        ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), 1);
        Hard floor = make_hard((mn_Shape){.type = MN_SHAPE_BOX, .size = {1, 0.1, 1}});
        obstacle_of(set, &floor, pose_at(0, -0.05, 0), 0.5);
        for (int k = 0; k < 300; k++)
            assert_true(elastic_step(set, 3e-3));
        const Body* body = &set->body[0];
        double low = 1, high = 0;
        for (size_t i = 0; i < body->point_count; i++) {
            low = fmin(low, body->position[i].y);
            high = fmax(high, body->position[i].y);
        }
        assert_near(low, 0.0005, 5e-5); // half the thickness of contact; finite elements press a little into it
        // squeezed by about rho g H^2 / (2 E) = 0.5 mm
        assert_near(high - low, 0.1 - 0.0005, 0.0005);
        assert_below(sqrt(2 * elastic_totals(set).kinetic / elastic_mass(set, 0)), 0.01);
        test_set_destroy(set);
        hard_free(&floor);
    }
    test_volume_free(&v);
}

// A jelly that hits a floor faster than sound travels in it flattens, and no point of it is ever below the floor.
static void test_jelly_hits_floor(void** state)
{
    TestVolume v = cube_above(0.2, 4, 0.02);
    for (int model = 0; model < 2; model++) {
        ElasticBodyDef def = cube_def(&v, (mn_ElasticModel)model);
        def.young = 3000;
        def.velocity = vec3d(0, -3, 0);
        ElasticSet* set = test_set(&def, vec3d(0, -9.81, 0), 2);
        Hard floor = make_hard((mn_Shape){.type = MN_SHAPE_BOX, .size = {4, 0.1, 4}});
        obstacle_of(set, &floor, pose_at(0, -0.05, 0), 0.5);
        const Body* body = &set->body[0];
        double low = 1;
        for (int k = 0; k < 200; k++) {
            assert_true(elastic_step(set, 3e-3));
            for (size_t i = 0; i < body->point_count; i++)
                low = fmin(low, body->position[i].y);
        }
        assert_true(low > -0.005);
        test_set_destroy(set);
        hard_free(&floor);
    }
    test_volume_free(&v);
}

// A cloth flies into a light block of hard foam: points that are put aside must not come back with the energy of the strain that
// this is.
static void check_block_hit(mn_ElasticModel model)
{
    TriMesh mesh = test_grid(0.2, 0.2, 10, 10);
    for (size_t k = 0; k < mesh.vertex_count; k++)
        mesh.vertex[k].y = 0.1;
    ElasticBodyDef sheet = test_sheet(&mesh);
    sheet.young = 1e4;
    sheet.contact = true;
    sheet.velocity = vec3d(0.2, -3, 0.1);
    TestVolume v = test_volume(vec3d(0.1, 0.1, 0.1), 2, 2, 2);
    ElasticBodyDef block = test_volume_def(&v, model);
    block.density = 50;
    block.young = 1e7;
    block.contact = true;
    ElasticSet* set = test_set(&sheet, vec3d(0, 0, 0), 1);
    int body;
    assert_int_equal(elastic_add_body(set, &block, &body, NULL), MN_OK);
    double start = elastic_totals(set).kinetic, most = 0;
    Vec3d momentum = elastic_totals(set).momentum;
    for (int k = 0; k < 60; k++) {
        assert_true(elastic_step(set, 5e-3));
        ElasticTotals now = elastic_totals(set);
        most = fmax(most, now.kinetic + now.strain);
    }
    print_message("%s: %.3f J, at most %.3f J\n", model == MN_ELASTIC_FEM ? "fem" : "mass points", start, most);
    assert_below(most, 1.1 * start);
    assert_below(vec3d_distance(elastic_totals(set).momentum, momentum), 1e-3 * vec3d_length(momentum));
    test_set_destroy(set);
    test_volume_free(&v);
    tri_mesh_free(&mesh);
}

static void test_cloth_hits_light_block(void** state)
{
    check_block_hit(MN_ELASTIC_MASS_POINTS);
    check_block_hit(MN_ELASTIC_FEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cloth_on_ball),    cmocka_unit_test(test_friction),
                                       cmocka_unit_test(test_sheet_on_sheet),   cmocka_unit_test(test_crumpled),
                                       cmocka_unit_test(test_squeezed),         cmocka_unit_test(test_cube_on_floor),
                                       cmocka_unit_test(test_jelly_hits_floor), cmocka_unit_test(test_cloth_hits_light_block)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
