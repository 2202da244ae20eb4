// SPDX-License-Identifier: MIT
// A hail of points on a container, a body that moves and turns, an open shell and a sheet that deforms: by geometry, no point is
// ever in a body, outside of the container or on the other side of a shell.
#include "foam_support.h"

#include "foam/sides.h"
#include <string.h>

static Solid make(mn_SolidDef* def, Memory* memory)
{
    Solid solid = {0};
    mn_Error error = {0};
    if (solid_create(&solid, def, 3, 0.001, NULL, memory, &error) != MN_OK)
        fail_msg("%s", error.message);
    return solid;
}

static mn_SolidDef box(double x, double y, double z, bool inside)
{
    mn_SolidDef def = mn_default_solid_def();
    def.name = "box";
    def.shape.type = MN_SHAPE_BOX;
    def.shape.size = vec3d(x, y, z);
    def.inside = inside;
    return def;
}

// A plate that only deformable solids look like to foam: one that moves vertex by vertex.
static SolidKind wobbly;

static Vec3d random_vector(Random* random, double size)
{
    return vec3d(random_range(random, -size, size), random_range(random, -size, size), random_range(random, -size, size));
}

static void container_and_moving_bodies(void** state)
{
    Memory memory = {0};
    mn_SolidDef defs[3] = {box(2, 2, 2, true), box(0.5, 0.1, 0.6, false), mn_default_solid_def()};
    defs[2].name = "ball";
    defs[2].shape.type = MN_SHAPE_SPHERE;
    defs[2].shape.size = vec3d(0.2, 0, 0);
    Solid solid[3];
    for (int k = 0; k < 3; k++)
        solid[k] = make(&defs[k], &memory);
    FoamSides sides;
    assert_true(foam_sides_create(&sides, &memory, solid, 3, 3, 1e-4));
    enum { N = 3000 };
    static Vec3d x[N], v[N];
    Random random = {3};
    size_t count = 0, touches = 0, lost = 0;
    while (count < N) {
        Vec3d at = random_vector(&random, 0.99);
        if (foam_sides_is_wrong(&sides, at))
            continue;
        x[count] = at;
        v[count++] = random_vector(&random, 6);
    }
    for (int step = 1; step <= 60; step++) {
        double t = 0.02 * step, dt = 0.02;
        foam_sides_pose(&sides, 1, (mn_Pose){vec3d(0.5 * sin(5 * t), 0.3 * cos(4 * t) - 0.3, 0), {cos(3 * t), 0, 0, sin(3 * t)}});
        foam_sides_pose(&sides, 2, (mn_Pose){vec3d(0, 0.6, 0.7 * sin(6 * t)), {1, 0, 0, 0}});
        for (size_t i = 0; i < count;) {
            Vec3d to = vec3d_mad(x[i], dt, v[i]);
            bool touched;
            if (!foam_sides_move(&sides, dt, x[i], &to, &v[i], &touched)) {
                lost++;
                x[i] = x[--count];
                v[i] = v[count];
                continue;
            }
            touches += touched;
            x[i] = to;
            // by geometry of its own: outside of the ball, within the box
            assert_true(fabs(to.x) < 1 && fabs(to.y) < 1 && fabs(to.z) < 1);
            assert_true(vec3d_distance(to, sides.solid[2].now.position) > 0.19); // it is made of triangles
            Vec3d local = pose_to_local(&sides.solid[1].now, to);
            assert_false(fabs(local.x) < 0.25 && fabs(local.y) < 0.05 && fabs(local.z) < 0.3);
            if (touched)
                v[i] = random_vector(&random, 6);
            i++;
        }
        foam_sides_end_step(&sides);
    }
    assert_true(touches > 1000);
    assert_true(lost < N / 100); // wedged between the box and a body that comes near it, at most
    foam_sides_destroy(&sides);
    for (int k = 0; k < 3; k++)
        solid_free(&solid[k]);
    assert_int_equal(memory.bytes, 0);
}

// An open plate: points that begin above stay above it, however fast it comes.
static void shells_and_sheets(void** state)
{
    for (int deforms = 0; deforms < 2; deforms++) {
        Memory memory = {0};
        mn_SolidDef def = mn_default_solid_def();
        def.name = "plate";
        def.shape.type = MN_SHAPE_GRID;
        def.shape.size = vec3d(4, 4, 4);
        def.shape.cells[0] = def.shape.cells[1] = 16;
        Solid solid = make(&def, &memory);
        Vec3d normal = vec3d_normalise(
            vec3d_cross(vec3d_sub(solid.mesh.vertex[solid.mesh.triangle[0][1]], solid.mesh.vertex[solid.mesh.triangle[0][0]]),
                        vec3d_sub(solid.mesh.vertex[solid.mesh.triangle[0][2]], solid.mesh.vertex[solid.mesh.triangle[0][0]])));
        wobbly = *solid.kind;
        wobbly.deforms = deforms;
        solid.kind = &wobbly;
        FoamSides sides;
        assert_true(foam_sides_create(&sides, &memory, &solid, 1, 3, 1e-4));
        enum { N = 800 };
        static Vec3d x[N], v[N];
        Random random = {5};
        for (int i = 0; i < N; i++) {
            Vec3d at = random_vector(&random, 0.5);
            at = vec3d_mad(at, -vec3d_dot(at, normal), normal);
            x[i] = vec3d_mad(at, (i % 2 ? 1 : -1) * random_range(&random, 0.001, 0.3), normal); // on both sides
            v[i] = random_vector(&random, 1);
        }
        size_t touches = 0;
        double height = 0;
        for (int step = 1; step <= 50; step++) {
            double dt = 0.01, was = height;
            height = 0.4 * sin(15 * dt * step);
            if (deforms) {
                for (size_t k = 0; k < solid.mesh.vertex_count; k++)
                    solid.mesh.vertex[k] = vec3d_mad(solid.mesh.vertex[k], height - was, normal);
                assert_true(foam_sides_deform(&sides, 0, &solid.mesh));
            } else {
                foam_sides_pose(&sides, 0, (mn_Pose){vec3d_scale(normal, height), {1, 0, 0, 0}});
            }
            for (int i = 0; i < N; i++) {
                bool touched;
                Vec3d to = vec3d_mad(x[i], dt, v[i]);
                assert_true(foam_sides_move(&sides, dt, x[i], &to, &v[i], &touched));
                x[i] = to;
                touches += touched;
                double above = vec3d_dot(x[i], normal) - height;
                if (!(i % 2 ? above > 0 : above < 0))
                    fail_msg("point %d is %g above the plate in step %d", i, above, step);
            }
            foam_sides_end_step(&sides);
        }
        assert_true(touches > 500);
        foam_sides_destroy(&sides);
        solid_free(&solid);
        assert_int_equal(memory.bytes, 0);
    }
}

static void impact_takes_the_normal_part(void** state)
{
    Memory memory = {0};
    mn_SolidDef def = box(1, 1, 1, false);
    Solid solid = make(&def, &memory);
    FoamSides sides;
    assert_true(foam_sides_create(&sides, &memory, &solid, 1, 3, 1e-4));
    Vec3d to = {0.2, 0.45, 0}, v = {1, -2, 0};
    bool touched;
    assert_true(foam_sides_move(&sides, 0.1, vec3d(0.1, 0.65, 0), &to, &v, &touched));
    assert_true(touched);
    assert_near(to.y, 0.5 + 1e-4, 1e-9); // on the top face
    assert_near(to.x, 0.2, 1e-9);        // and along it
    assert_near(v.x, 1, 1e-9);
    assert_near(v.y, 0, 1e-9);
    // a wall that comes along takes it with it
    foam_sides_pose(&sides, 0, (mn_Pose){vec3d(0, 0.3, 0), {1, 0, 0, 0}});
    Vec3d from = {0, 0.55, 0};
    to = from;
    v = vec3d(0, 0, 0);
    assert_true(foam_sides_move(&sides, 0.1, from, &to, &v, &touched));
    assert_near(to.y, 0.8 + 1e-4, 1e-9);
    assert_near(v.y, 3, 1e-9);
    foam_sides_destroy(&sides);
    solid_free(&solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(container_and_moving_bodies), cmocka_unit_test(shells_and_sheets),
                                       cmocka_unit_test(impact_takes_the_normal_part)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
