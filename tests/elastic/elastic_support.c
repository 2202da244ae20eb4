// SPDX-License-Identifier: MIT
#include "elastic_support.h"

TriMesh test_grid(double width, double depth, int cells_x, int cells_z)
{
    TriMesh mesh = {0};
    for (int j = 0; j <= cells_z; j++)
        for (int i = 0; i <= cells_x; i++)
            assert_true(
                tri_mesh_add_vertex(&mesh, vec3d(width * ((double)i / cells_x - 0.5), 0, depth * ((double)j / cells_z - 0.5))));
    for (int j = 0; j < cells_z; j++)
        for (int i = 0; i < cells_x; i++) {
            uint32_t a = (uint32_t)(j * (cells_x + 1) + i), b = a + 1, c = a + (uint32_t)cells_x + 1, d = c + 1;
            bool turn = (i + j) & 1;
            assert_true(tri_mesh_add_triangle(&mesh, a, c, turn ? d : b));
            assert_true(turn ? tri_mesh_add_triangle(&mesh, a, d, b) : tri_mesh_add_triangle(&mesh, b, c, d));
        }
    return mesh;
}

ElasticBodyDef test_sheet(const TriMesh* mesh)
{
    return (ElasticBodyDef){.model = MN_ELASTIC_MASS_POINTS,
                            .surface = mesh,
                            .density = 1000,
                            .thickness = 1e-3,
                            .young = 1e6,
                            .poisson = 0.3,
                            .friction = 0.5};
}

static Pool* pools[8];

ElasticSet* test_set(const ElasticBodyDef* def, Vec3d gravity, int threads)
{
    if (!pools[threads])
        pools[threads] = pool_create(threads);
    ElasticSet* set = elastic_create(NULL, pools[threads], gravity, 0.01);
    assert_non_null(set);
    mn_Error error = {0};
    int body = -1;
    if (elastic_add_body(set, def, &body, &error) != MN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(body, 0);
    return set;
}

void test_set_destroy(ElasticSet* set)
{
    elastic_destroy(set);
    for (int k = 0; k < 8; k++) {
        pool_destroy(pools[k]);
        pools[k] = NULL;
    }
}

TestVolume test_volume(Vec3d size, int x, int y, int z)
{
    TestVolume v = {0};
    assert_true(tet_mesh_box(size, (const int[]){x, y, z}, &v.tets));
    assert_true(tet_mesh_surface(&v.tets, &v.surface, &v.point_of));
    return v;
}

void test_volume_free(TestVolume* volume)
{
    tet_mesh_free(&volume->tets);
    tri_mesh_free(&volume->surface);
    memory_give(NULL, volume->point_of);
}

ElasticBodyDef test_volume_def(const TestVolume* volume, mn_ElasticModel model)
{
    return (ElasticBodyDef){.model = model,
                            .surface = &volume->surface,
                            .tets = &volume->tets,
                            .point_of = volume->point_of,
                            .density = 1000,
                            .thickness = 1e-3,
                            .young = 1e5,
                            .poisson = 0.3};
}
