// SPDX-License-Identifier: MIT
// Solids between key frames: where they are and how fast their surface moves.
#include "support.h"

#include "boundary/boundary.h"
#include "solid/solid.h"

static const double PI = 3.14159265358979323846;

static Solid moving_box(Memory* memory, mn_Keyframe* motion, size_t count)
{
    mn_SolidDef def = {.type = MN_SOLID_KINEMATIC, .scale = {2, 1, 1}, .pose = {.rotation = {1, 0, 0, 0}}};
    def.shape = (mn_Shape){.type = MN_SHAPE_BOX, .size = {1, 1, 1}};
    def.motion = motion;
    def.motion_count = count;
    Solid solid;
    mn_Error error = {0};
    if (solid_create(&solid, &def, 3, 1e-3, NULL, memory, &error) != MN_OK)
        fail_msg("%s", error.message);
    return solid;
}

static void key_frames_are_interpolated(void** state)
{
    Memory memory = {0};
    mn_Keyframe motion[] = {{1, {{0, 0, 0}, {1, 0, 0, 0}}},
                            {2, {{1, 2, 3}, {cos(PI / 4), 0, 0, sin(PI / 4)}}},
                            {4, {{1, 0, 3}, {cos(PI / 4), 0, 0, sin(PI / 4)}}}};
    Solid solid = moving_box(&memory, motion, 3);
    // at rest before the first and after the last
    assert_near(solid_pose_at(&solid, 0).position.x, 0, 0);
    assert_near(solid_pose_at(&solid, 9).position.x, 1, 0);
    assert_near(solid_pose_at(&solid, 9).position.y, 0, 0);
    mn_Pose half = solid_pose_at(&solid, 1.5);
    assert_near(half.position.y, 1, 1e-12);
    assert_near(half.rotation.w, cos(PI / 8), 1e-12);
    assert_near(half.rotation.z, sin(PI / 8), 1e-12);
    assert_near(solid_pose_at(&solid, 3).position.y, 1, 1e-12);
    // exactly on a frame
    assert_near(solid_pose_at(&solid, 2).position.z, 3, 1e-12);
    solid_free(&solid);
    assert_int_equal(memory.bytes, 0);
}

static void velocities_lead_to_the_next_pose(void** state)
{
    Memory memory = {0};
    mn_Keyframe motion[] = {{0, {{0, 0, 0}, {1, 0, 0, 0}}}, {2, {{4, 0, 0}, {cos(PI / 4), 0, 0, sin(PI / 4)}}}};
    Solid solid = moving_box(&memory, motion, 2);
    double dt = 1e-3;
    solid_move(&solid, 1, dt);
    assert_near(solid.velocity.x, 2, 1e-9);
    assert_near(solid.angular_velocity.z, PI / 4, 1e-6);
    // a point of the surface goes where its velocity says, to first order
    Vec3d local = {0.5, 0.5, 0.25}, before = solid_to_world(&solid, local), v = solid_velocity_at(&solid, before);
    solid_move(&solid, 1 + dt, dt);
    Vec3d after = solid_to_world(&solid, local);
    assert_near(vec3d_distance(after, vec3d_mad(before, dt, v)), 0, 2e-6);
    // and comes back into the frame
    assert_near(vec3d_distance(solid_to_local(&solid, after), local), 0, 1e-12);
    solid_move(&solid, 3, dt);
    assert_near(vec3d_length(solid.velocity), 0, 0);
    assert_near(vec3d_length(solid.angular_velocity), 0, 1e-9);
    solid_free(&solid);
}

// The shorter way round, whatever the signs of the quaternions.
static void turns_take_the_shorter_way(void** state)
{
    Memory memory = {0};
    mn_Keyframe motion[] = {{0, {{0, 0, 0}, {1, 0, 0, 0}}}, {1, {{0, 0, 0}, {-cos(PI / 8), 0, -sin(PI / 8), 0}}}};
    Solid solid = moving_box(&memory, motion, 2);
    solid_move(&solid, 0.5, 1e-3);
    assert_near(solid.angular_velocity.y, PI / 4, 1e-6);
    solid_free(&solid);
}

static void static_solids_stay(void** state)
{
    Memory memory = {0};
    mn_Keyframe motion[] = {{0, {{0, 0, 0}, {1, 0, 0, 0}}}, {2, {{4, 0, 0}, {1, 0, 0, 0}}}};
    Solid solid = moving_box(&memory, motion, 2);
    solid.type = MN_SOLID_STATIC;
    solid_move(&solid, 1, 0.1);
    assert_near(vec3d_length(solid.pose.position), 0, 0);
    assert_near(vec3d_length(solid.velocity), 0, 0);
    solid_free(&solid);
}

// Scale comes before the pose, and an open shape is no container.
static void shapes_are_scaled_and_checked(void** state)
{
    Memory memory = {0};
    Solid solid = moving_box(&memory, NULL, 0);
    double most = 0;
    for (size_t k = 0; k < solid.mesh.vertex_count; k++)
        most = fmax(most, solid.mesh.vertex[k].x);
    assert_near(most, 1, 1e-12);
    assert_true(solid.closed);
    assert_near(solid.bound_radius, sqrt(1 + 0.25 + 0.25), 1e-9);
    solid_free(&solid);
    mn_SolidDef open = {.scale = {1, 1, 1},
                        .inside = true,
                        .pose = {.rotation = {1, 0, 0, 0}},
                        .shape = {.type = MN_SHAPE_PLANE, .size = {1, 0, 1}}};
    mn_Error error = {0};
    assert_int_equal(solid_create(&solid, &open, 3, 1e-3, NULL, &memory, &error), MN_BAD_INPUT);
    assert_string_equal(error.key, "inside");
    assert_int_equal(memory.bytes, 0);
}

// a tetrahedron whose triangles point inwards is turned around: volume six times (corner . (a x b)) becomes positive
static void inward_meshes_are_turned(void** state)
{
    const char* path = "inward_tetrahedron.obj";
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n", file);
    fclose(file);
    Memory memory = {0};
    mn_SolidDef def = {.scale = {1, 1, 1}, .pose = {.rotation = {1, 0, 0, 0}}};
    def.shape = (mn_Shape){.type = MN_SHAPE_MESH, .file = (char*)path};
    Solid solid;
    mn_Error error = {0};
    if (solid_create(&solid, &def, 3, 1e-3, NULL, &memory, &error) != MN_OK)
        fail_msg("%s", error.message);
    remove(path);
    double volume = 0;
    for (size_t k = 0; k < solid.mesh.triangle_count; k++) {
        const uint32_t* t = solid.mesh.triangle[k];
        const Vec3d* v = solid.mesh.vertex;
        volume += vec3d_dot(v[t[0]], vec3d_cross(v[t[1]], v[t[2]])) / 6;
    }
    assert_near(volume, 1.0 / 6, 1e-12);
    solid_free(&solid);
}

// a box of 2 x 1 x 1 m whose faces are turned around where `turned` has a bit
static void write_box(const char* path, unsigned turned)
{
    static const int face[12][3] = {{1, 3, 2}, {1, 4, 3}, {5, 6, 7}, {5, 7, 8}, {1, 2, 6}, {1, 6, 5},
                                    {2, 3, 7}, {2, 7, 6}, {3, 4, 8}, {3, 8, 7}, {4, 1, 5}, {4, 5, 8}};
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    for (int k = 0; k < 8; k++)
        fprintf(file, "v %d %g %g\n", (k + 1) / 2 % 2 * 2, (double)(k / 2 % 2), (double)(k / 4));
    for (int k = 0; k < 12; k++) {
        bool turn = turned >> k & 1;
        fprintf(file, "f %d %d %d\n", face[k][0], face[k][turn ? 2 : 1], face[k][turn ? 1 : 2]);
    }
    fclose(file);
}

// Boundary particles of a container lie outside of the box, of an obstacle inside, however its faces are turned.
static void particles_lie_behind_the_surface(void** state)
{
    const char* path = "turned_box.obj";
    const double spacing = 0.1;
    for (int inside = 0; inside < 2; inside++) {
        size_t count = 0;
        static const unsigned turns[] = {0, 0xfff, 0x003, 0x5a6};
        for (int k = 0; k < 4; k++) {
            write_box(path, turns[k]);
            Memory memory = {0};
            mn_SolidDef def = {.scale = {1, 1, 1}, .pose = {.rotation = {1, 0, 0, 0}}, .inside = inside};
            def.shape = (mn_Shape){.type = MN_SHAPE_MESH, .file = (char*)path};
            Solid solid;
            mn_Error error = {0};
            if (solid_create(&solid, &def, 3, 1e-3, NULL, &memory, &error) != MN_OK)
                fail_msg("%s", error.message);
            Kernel kernel = kernel_create(MN_KERNEL_CUBIC, 3, 2 * spacing);
            Boundary boundary;
            Pool* pool = pool_create(1);
            size_t samples;
            boundary_init(&boundary, &memory, &kernel, spacing * spacing * spacing, spacing);
            assert_int_equal(boundary_build(&boundary, pool, &kernel, spacing, &solid, 1, &samples, &error), MN_OK);
            double low = inside ? -boundary.layer.offset : boundary.layer.offset;
            for (size_t i = 0; i < boundary.count; i++) {
                Vec4 x = boundary.position[i];
                double from_wall = fmin(fmin(fmin((double)x.x, 2 - (double)x.x), fmin((double)x.y, 1 - (double)x.y)),
                                        fmin((double)x.z, 1 - (double)x.z));
                assert_near(from_wall, low, 1e-5);
            }
            print_message("%s, faces turned %03x: %zu particles\n", inside ? "container" : "obstacle", turns[k], boundary.count);
            assert_true(k == 0 || boundary.count == count);
            count = boundary.count;
            boundary_free(&boundary);
            pool_destroy(pool);
            solid_free(&solid);
        }
    }
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_frames_are_interpolated),      cmocka_unit_test(velocities_lead_to_the_next_pose),
        cmocka_unit_test(turns_take_the_shorter_way),       cmocka_unit_test(static_solids_stay),
        cmocka_unit_test(shapes_are_scaled_and_checked),    cmocka_unit_test(inward_meshes_are_turned),
        cmocka_unit_test(particles_lie_behind_the_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
