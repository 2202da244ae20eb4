// SPDX-License-Identifier: MIT
// The table of cases: every crossed edge is used, loops close, and all 256 cases next to all others give a manifold mesh.
#include "surface/cubes.h"
#include "surface_support.h"

static CubeTable table;

static void every_crossed_edge_has_its_triangles(void** state)
{
    int most = 0;
    for (int inside = 0; inside < 256; inside++) {
        const CubeCase* part = &table.part[inside];
        most = part->count > most ? part->count : most;
        for (int edge = 0; edge < CUBE_EDGES; edge++) {
            bool crossed = (inside >> table.edge_corner[edge][0] & 1) != (inside >> table.edge_corner[edge][1] & 1), used = false;
            for (int t = 0; t < part->count; t++)
                for (int v = 0; v < 3; v++)
                    used |= part->triangle[t][v] == edge;
            assert_int_equal(crossed, used);
        }
    }
    assert_int_equal(most, CUBE_TRIANGLES);
    assert_int_equal(table.part[0].count, 0);
    assert_int_equal(table.part[255].count, 0);
    assert_int_equal(table.part[1].count, 1);
}

// A directed edge occurs once in a cube, with its reverse unless it lies in a face.
static void edges_inside_a_cube_are_paired(void** state)
{
    for (int inside = 0; inside < 256; inside++) {
        int runs[12][12] = {{0}};
        const CubeCase* part = &table.part[inside];
        for (int t = 0; t < part->count; t++)
            for (int v = 0; v < 3; v++)
                runs[part->triangle[t][v]][part->triangle[t][(v + 1) % 3]]++;
        for (int a = 0; a < 12; a++)
            for (int b = 0; b < 12; b++) {
                assert_true(runs[a][b] <= 1);
                if (!runs[a][b] || runs[b][a])
                    continue;
                bool share = false;
                for (int axis = 0; axis < 3; axis++)
                    share |= table.edge_axis[a] != axis && table.edge_axis[b] != axis &&
                             (table.edge_corner[a][0] >> axis & 1) == (table.edge_corner[b][0] >> axis & 1);
                assert_true(share);
            }
    }
}

// White noise on the nodes meets every case next to every other one.
static void noise_gives_a_manifold(void** state)
{
    Random random = {3};
    static float phi[BLOCK_NODES3];
    static uint16_t inside[BLOCK_NODES * BLOCK_NODES];
    for (int round = 0; round < 30; round++) {
        for (int k = 0; k < BLOCK_NODES3; k++) {
            int x = k % 16, y = k / 16 % 16, z = k / 256;
            bool rim = !x || !y || !z || x >= 14 || y >= 14 || z >= 14;
            phi[k] = rim ? 1.0f : (float)(random_unit(&random) - 0.3 - 0.013 * round);
            inside[k / 16] = (uint16_t)((x ? inside[k / 16] : 0) | (phi[k] < 0) << x);
        }
        BlockMesh block;
        assert_true(block_mesh_build(&block, &table, (BlockKey){-3, 2, 5}, 0.1, phi, inside, NULL));
        static uint32_t map[4 * BLOCK_NODES3];
        uint32_t first = 0;
        SurfaceMesh mesh = {.vertex_count = block.vertex_count, .triangle_count = block.triangle_count, .position = block.position};
        mesh.triangle = malloc(block.triangle_count * sizeof *mesh.triangle);
        assert_non_null(mesh.triangle);
        block_mesh_triangles(&block, 1, 0, &table, &first, map, mesh.triangle);
        assert_sound(&mesh);
        assert_true(signed_volume(&mesh) > 0);
        free(mesh.triangle);
        block_mesh_free(&block, NULL);
    }
}

int main(void)
{
    cube_table_build(&table);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_crossed_edge_has_its_triangles),
        cmocka_unit_test(edges_inside_a_cube_are_paired),
        cmocka_unit_test(noise_gives_a_manifold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
