// SPDX-License-Identifier: MIT
// Surfaces as files: what is read back is what was made; the .usda follows the grammar and says what the run says.
#include "io_support.h"

#include "io/points.h"
#include "io/surface_file.h"
#include "io/usd.h"
#include "mesh/shape.h"

static Frame some_frame(void)
{
    Frame frame = {.time = 0.25};
    assert_true(frame_allocate(&frame, 6 * 6 * 6 + 1));
    size_t n = 0;
    for (int z = 0; z < 6; z++)
        for (int y = 0; y < 6; y++)
            for (int x = 0; x < 6; x++, n++) {
                frame.position[3 * n] = (float)x;
                frame.position[3 * n + 1] = (float)y;
                frame.position[3 * n + 2] = (float)z;
                frame.velocity[3 * n] = 1.5f;
                frame.velocity[3 * n + 2] = (float)z;
                frame.density[n] = 1000;
                frame.pressure[n] = 7;
            }
    frame.position[3 * n] = 12; // a droplet
    return frame;
}

static SurfaceMesh some_surface(void)
{
    SurfaceDef def = surface_default_def(0.5);
    Frame frame = some_frame();
    SurfaceMesh mesh;
    assert_int_equal(surface_of_frame(&def, &frame, NULL, NULL, &mesh, NULL), MN_OK);
    frame_free(&frame);
    assert_true(mesh.triangle_count > 500);
    return mesh;
}

static void meshes_come_back(void** state)
{
    static const mn_SurfaceFormat formats[] = {MN_SURFACE_PLY, MN_SURFACE_OBJ};
    SurfaceMesh mesh = some_surface();
    for (int f = 0; f < 2; f++) {
        char path[256];
        snprintf(path, sizeof path, "%s/s.%s", (char*)*state, surface_extension(formats[f]));
        assert_int_equal(surface_write(path, formats[f], &mesh, 0.25, NULL), MN_OK);
        TriMesh read = {0};
        mn_Error error = {0};
        if (mesh_read(path, &read, &error) != MN_OK)
            fail_msg("%s", error.message);
        assert_int_equal(read.vertex_count, mesh.vertex_count);
        assert_int_equal(read.triangle_count, mesh.triangle_count);
        assert_memory_equal(read.triangle, mesh.triangle, mesh.triangle_count * sizeof *mesh.triangle);
        for (size_t v = 0; v < mesh.vertex_count; v++) {
            Vec3 x = mesh.position[v];
            assert_true((float)read.vertex[v].x == x.x && (float)read.vertex[v].y == x.y && (float)read.vertex[v].z == x.z);
        }
        tri_mesh_free(&read);
    }
    surface_free(&mesh);
}

// .vtp and .ply carry velocity, density and pressure of every vertex.
static void values_come_back(void** state)
{
    static const mn_SurfaceFormat formats[] = {MN_SURFACE_PLY, MN_SURFACE_VTP};
    SurfaceMesh mesh = some_surface();
    for (int f = 0; f < 2; f++) {
        char path[256];
        snprintf(path, sizeof path, "%s/s.%s", (char*)*state, surface_extension(formats[f]));
        assert_int_equal(surface_write(path, formats[f], &mesh, 0.25, NULL), MN_OK);
        Frame read;
        mn_Error error = {0};
        if (frame_read(path, &read, &error) != MN_OK)
            fail_msg("%s", error.message);
        assert_int_equal(read.count, mesh.vertex_count);
        assert_true(read.time == 0.25);
        assert_memory_equal(read.position, mesh.position, mesh.vertex_count * sizeof(Vec3));
        assert_memory_equal(read.velocity, mesh.value[0], mesh.vertex_count * sizeof(Vec3));
        assert_memory_equal(read.density, mesh.value[1], mesh.vertex_count * sizeof(float));
        assert_memory_equal(read.pressure, mesh.value[2], mesh.vertex_count * sizeof(float));
        frame_free(&read);
    }
    surface_free(&mesh);
}

// --- USD

static void usd_names_are_identifiers(void** state)
{
    char name[32];
    usd_name(name, sizeof name, "my ball-2");
    assert_string_equal(name, "my_ball_2");
    usd_name(name, sizeof name, "2nd");
    assert_string_equal(name, "_2nd");
    usd_name(name, sizeof name, "");
    assert_string_equal(name, "_");
    char tiny[4];
    usd_name(tiny, sizeof tiny, "abcdef");
    assert_string_equal(tiny, "abc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(meshes_come_back, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(values_come_back, folder_make, folder_remove),
        cmocka_unit_test(usd_names_are_identifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
