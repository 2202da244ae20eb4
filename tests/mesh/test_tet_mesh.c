// SPDX-License-Identifier: MIT
// Tetrahedral meshes: boxes, filling of surfaces, their outer faces, embedding, files, and what is refused.
#include "mesh_support.h"

#include "mesh/mass.h"
#include "mesh/tet_mesh.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static TetMesh fill(const TriMesh* surface, double spacing)
{
    TetMesh mesh = {0};
    mn_Error error = {0};
    if (tet_mesh_fill(surface, spacing, &mesh, &error) != MN_OK)
        fail_msg("%s", error.message);
    if (tet_mesh_check(&mesh, &error) != MN_OK)
        fail_msg("%s", error.message);
    return mesh;
}

// The outer faces are closed, turned outwards and enclose the same volume as the tetrahedra.
static void assert_surface_fits(const TetMesh* mesh)
{
    TriMesh surface = {0};
    uint32_t* point_of;
    assert_true(tet_mesh_surface(mesh, &surface, &point_of));
    TopologyReport report;
    assert_true(tri_mesh_topology(&surface, &report));
    assert_true(report.closed && report.oriented);
    assert_int_equal(report.flipped_edges, 0);
    double volume = 0;
    for (size_t k = 0; k < surface.triangle_count; k++) {
        const uint32_t* t = surface.triangle[k];
        volume += tet_volume((Vec3d){0}, surface.vertex[t[0]], surface.vertex[t[1]], surface.vertex[t[2]]);
    }
    double expected = tet_mesh_volume(mesh);
    assert_near(volume, expected, 1e-9 * expected);
    for (size_t i = 0; i < surface.vertex_count; i++)
        assert_memory_equal(&surface.vertex[i], &mesh->point[point_of[i]], sizeof(Vec3d));
    memory_give(NULL, point_of);
    tri_mesh_free(&surface);
}

// --- boxes

static void boxes_fill_their_volume(void** state)
{
    TetMesh mesh = {0};
    mn_Error error;
    assert_true(tet_mesh_box(vec3d(2, 1, 0.5), (int[3]){4, 3, 2}, &mesh));
    assert_int_equal(mesh.point_count, 5 * 4 * 3);
    assert_int_equal(mesh.tet_count, 6 * 24);
    assert_int_equal(tet_mesh_check(&mesh, &error), MN_OK);
    assert_near(tet_mesh_volume(&mesh), 1, 1e-12);
    Box3d box = tet_mesh_bounds(&mesh);
    assert_near(box.min.x, -1, 0);
    assert_near(box.max.z, 0.25, 0);
    assert_surface_fits(&mesh);
    tet_mesh_free(&mesh);
}

// --- filling

static double dihedral(Vec3d a, Vec3d b, Vec3d c, Vec3d d) // [degrees] at the edge a b
{
    Vec3d e = vec3d_sub(b, a), n = vec3d_cross(e, vec3d_sub(c, a)), m = vec3d_cross(e, vec3d_sub(d, a));
    return acos(fmax(-1, fmin(1, vec3d_dot(n, m) / (vec3d_length(n) * vec3d_length(m))))) * 180 / M_PI;
}

static void angle_range(const TetMesh* mesh, double* least, double* most)
{
    static const int edge[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    *least = 180;
    *most = 0;
    for (size_t t = 0; t < mesh->tet_count; t++)
        for (int e = 0; e < 6; e++) {
            const uint32_t* v = mesh->tet[t];
            const Vec3d* x = mesh->point;
            double angle = dihedral(x[v[edge[e][0]]], x[v[edge[e][1]]], x[v[edge[e][2]]], x[v[edge[e][3]]]);
            *least = fmin(*least, angle);
            *most = fmax(*most, angle);
        }
}

static void check_filled(mn_ShapeType type, Vec3d size, double spacing, double tolerance)
{
    TriMesh surface = build_shape(type, size, 3, 0.002);
    TetMesh mesh = fill(&surface, spacing);
    assert_surface_fits(&mesh);
    MassProperties mass = mass_of_closed(&surface);
    assert_near(tet_mesh_volume(&mesh) / mass.volume, 1, tolerance);
    double least, most;
    angle_range(&mesh, &least, &most);
    printf("# shape %d spacing %g: %zu tets, volume %.4f of the surface's, angles %.1f to %.1f\n", (int)type, spacing,
           mesh.tet_count, tet_mesh_volume(&mesh) / mass.volume, least, most);
    assert_below(12, least); // a needle or sliver would spoil the solid's stiffness matrix
    assert_below(most, 155);
    tet_mesh_free(&mesh);
    tri_mesh_free(&surface);
}

static void balls_fill_well(void** state)
{
    check_filled(MN_SHAPE_SPHERE, vec3d(1, 1, 1), 0.3, 0.03);
    check_filled(MN_SHAPE_SPHERE, vec3d(1, 1, 1), 0.15, 0.01);
}

static void tori_and_boxes_fill_well(void** state)
{
    check_filled(MN_SHAPE_TORUS, vec3d(1, 0.4, 0), 0.15, 0.03);
    check_filled(MN_SHAPE_BOX, vec3d(2, 1, 0.7), 0.11, 0.04);
    check_filled(MN_SHAPE_CYLINDER, vec3d(0.5, 1.5, 0), 0.12, 0.04);
}

// The surface's points lie on the surface that was filled.
static void filled_surface_is_near(void** state)
{
    TriMesh surface = build_shape(MN_SHAPE_SPHERE, vec3d(1, 1, 1), 3, 0.0005);
    TetMesh mesh = fill(&surface, 0.2);
    TriMesh outer = {0};
    uint32_t* point_of;
    assert_true(tet_mesh_surface(&mesh, &outer, &point_of));
    for (size_t i = 0; i < outer.vertex_count; i++)
        assert_near(vec3d_length(outer.vertex[i]), 1, 0.001);
    memory_give(NULL, point_of);
    tri_mesh_free(&outer);
    tet_mesh_free(&mesh);
    tri_mesh_free(&surface);
}

static void what_cannot_be_filled_is_refused(void** state)
{
    TriMesh grid = build_shape(MN_SHAPE_GRID, vec3d(1, 1, 1), 3, 0.1), ball = build_shape(MN_SHAPE_SPHERE, vec3d(1, 1, 1), 3, 0.1);
    TetMesh mesh = {0};
    mn_Error error = {0};
    assert_int_equal(tet_mesh_fill(&grid, 0.1, &mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "open edges"));
    assert_int_equal(tet_mesh_fill(&ball, 0.001, &mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "too fine"));
    assert_int_equal(tet_mesh_fill(&ball, 0, &mesh, &error), MN_BAD_INPUT);
    assert_int_equal(tet_mesh_fill(&ball, (double)NAN, &mesh, &error), MN_BAD_INPUT);
    assert_int_equal(mesh.point_count, 0);
    tri_mesh_free(&grid);
    tri_mesh_free(&ball);
}

// --- checks

static void broken_meshes_are_found(void** state)
{
    mn_Error error = {0};
    TetMesh mesh = {0};
    assert_int_equal(tet_mesh_check(&mesh, &error), MN_BAD_INPUT);
    assert_true(tet_mesh_box(vec3d(1, 1, 1), (int[3]){1, 1, 1}, &mesh));

    uint32_t keep = mesh.tet[2][1];
    mesh.tet[2][1] = mesh.tet[2][2];
    mesh.tet[2][2] = keep;
    assert_int_equal(tet_mesh_check(&mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "tetrahedron 2 is turned inside out"));
    mesh.tet[2][2] = mesh.tet[2][1];
    assert_int_equal(tet_mesh_check(&mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "flat"));
    mesh.tet[2][2] = 77;
    assert_int_equal(tet_mesh_check(&mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "uses point 77"));
    mesh.tet[2][2] = mesh.tet[2][1];
    mesh.tet[2][1] = keep;

    assert_int_equal(tet_mesh_check(&mesh, &error), MN_OK);
    assert_true(tet_mesh_add_point(&mesh, mesh.point[3]));
    assert_int_equal(tet_mesh_check(&mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "no tetrahedron uses point 8"));
    mesh.tet[0][0] = mesh.tet[0][0] == 3 ? 8 : mesh.tet[0][0];
    tet_mesh_free(&mesh);
}

static void double_points_and_faces_are_found(void** state)
{
    mn_Error error = {0};
    TetMesh mesh = {0};
    const Vec3d point[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0, 0, 2}, {0, 0, 1}, {1, 0, 3}, {0, 1, 3}};
    for (int i = 0; i < 9; i++)
        assert_true(tet_mesh_add_point(&mesh, point[i]));
    assert_true(tet_mesh_add_tet(&mesh, 0, 1, 2, 3));
    assert_true(tet_mesh_add_tet(&mesh, 0, 2, 1, 4));
    assert_true(tet_mesh_add_tet(&mesh, 0, 1, 2, 5));
    assert_true(tet_mesh_add_tet(&mesh, 6, 7, 8, 5));
    assert_int_equal(tet_mesh_check(&mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "3 tetrahedra share the face of points 0, 1 and 2"));
    mesh.tet_count = 2;
    memcpy(mesh.tet[1], (uint32_t[4]){1, 2, 0, 3}, sizeof mesh.tet[1]); // the first one again
    assert_int_equal(tet_mesh_check(&mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "same side"));
    mesh.tet_count = 4;
    memcpy(mesh.tet[1], (uint32_t[4]){0, 2, 1, 4}, sizeof mesh.tet[1]);
    memcpy(mesh.tet[2], (uint32_t[4]){3, 1, 2, 5}, sizeof mesh.tet[2]);
    assert_int_equal(tet_mesh_check(&mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "points 3 and 6 are in one place"));
    tet_mesh_free(&mesh);
}

// --- embedding

static Vec3d anchored(const TetMesh* mesh, const TetAnchor* anchor)
{
    Vec3d sum = {0};
    for (int c = 0; c < 4; c++)
        sum = vec3d_mad(sum, anchor->weight[c], mesh->point[mesh->tet[anchor->tet][c]]);
    return sum;
}

static void points_find_their_tetrahedron(void** state)
{
    TriMesh surface = build_shape(MN_SHAPE_TORUS, vec3d(1, 0.4, 0), 3, 0.01);
    TetMesh mesh = fill(&surface, 0.2);
    enum { COUNT = 300 };
    Vec3d point[COUNT];
    TetAnchor anchor[COUNT];
    Random random = {7};
    for (int i = 0; i < COUNT; i++) // half of them inside for sure
        point[i] = i % 2 ? random_point(&random, 1.6)
                         : vec3d_scale(vec3d_add(mesh.point[mesh.tet[i][0]], mesh.point[mesh.tet[i][2]]), 0.5);
    assert_true(tet_mesh_embed(&mesh, point, COUNT, anchor));
    for (int i = 0; i < COUNT; i++) {
        const double* w = anchor[i].weight;
        assert_near(w[0] + w[1] + w[2] + w[3], 1, 1e-12);
        assert_below(vec3d_distance(anchored(&mesh, &anchor[i]), point[i]), 1e-9);
        if (i % 2 == 0)
            assert_below(-1e-6, fmin(fmin(w[0], w[1]), fmin(w[2], w[3])));
    }
    tet_mesh_free(&mesh);
    tri_mesh_free(&surface);
}

// The nearest tetrahedron for points of the surface that was filled: weights stay small, so that the surface follows closely.
static void surfaces_embed_closely(void** state)
{
    TriMesh surface = build_shape(MN_SHAPE_BOX, vec3d(1, 1, 1), 3, 0.1);
    TetMesh mesh = fill(&surface, 0.15);
    TetAnchor* anchor = malloc(surface.vertex_count * sizeof *anchor);
    assert_true(tet_mesh_embed(&mesh, surface.vertex, surface.vertex_count, anchor));
    for (size_t i = 0; i < surface.vertex_count; i++)
        for (int c = 0; c < 4; c++)
            assert_below(fabs(anchor[i].weight[c]), 4);
    free(anchor);
    tet_mesh_free(&mesh);
    tri_mesh_free(&surface);
}

// --- files

static const char MSH2[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 9 9 9\n$EndNodes\n"
    "$Elements\n3\n1 15 2 0 1 10\n2 2 2 0 1 10 20 30\n3 4 2 0 1 10 30 20 40\n$EndElements\n";
static const char MSH40[] = "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n"
                            "$Nodes\n1 4\n1 3 0 4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                            "$Elements\n2 2\n1 2 2 1\n1 1 2 3\n1 3 4 1\n2 1 2 3 4\n$EndElements\n";
static const char MSH41[] =
    "$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\n$Nodes\r\n2 4 1 4\r\n0 1 0 1\r\n1\r\n0 0 0\r\n3 1 0 3\r\n4\r\n2\r\n3\r\n"
    "0 0 1\r\n1 0 0\r\n0 1 0\r\n$EndNodes\r\n$Elements\r\n1 1 1 1\r\n3 1 4 1\r\n7 1 2 3 4\r\n$EndElements\r\n";
static const char NODE[] = "# made by hand\n4 3 0 0\n\n0 0 0 0\n1 1 0 0\n2 0 1 0 # a corner\n3 0 0 1\n";
static const char ELE[] = "1 4 0\n0 0 1 2 3\n# end\n";

static void assert_one_tet(TetMesh* mesh)
{
    mn_Error error;
    assert_int_equal(mesh->point_count, 4);
    assert_int_equal(mesh->tet_count, 1);
    assert_int_equal(tet_mesh_check(mesh, &error), MN_OK);
    assert_near(tet_mesh_volume(mesh), 1.0 / 6, 1e-12);
    tet_mesh_free(mesh);
}

static void gmsh_files_are_read(void** state)
{
    const char* const text[] = {MSH2, MSH40, MSH41};
    for (int k = 0; k < 3; k++) {
        TetMesh mesh = {0};
        mn_Error error = {0};
        if (msh_read(text[k], strlen(text[k]), "test.msh", &mesh, &error) != MN_OK)
            fail_msg("version %d: line %d: %s", k, error.line, error.message);
        assert_one_tet(&mesh);
    }
}

static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void files_are_found_by_their_name(void** state)
{
    char folder[] = "tet_files_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    const char* const name[] = {"a.msh", "b.node", "b.ele"};
    const char* const text[] = {MSH2, NODE, ELE};
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[k]);
        write_text(path, text[k]);
    }
    for (int k = 0; k < 3; k++) {
        TetMesh mesh = {0};
        mn_Error error = {0};
        snprintf(path, sizeof path, "%s/%s", folder, name[k]);
        if (tet_mesh_read(path, &mesh, &error) != MN_OK)
            fail_msg("%s: %s", path, error.message);
        assert_one_tet(&mesh);
    }
    snprintf(path, sizeof path, "%s/b.ele", folder);
    unlink(path);
    TetMesh mesh = {0};
    mn_Error error = {0};
    snprintf(path, sizeof path, "%s/b.node", folder);
    assert_int_equal(tet_mesh_read(path, &mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.file, "b.ele"));
    unlink(path);
    snprintf(path, sizeof path, "%s/a.msh", folder);
    unlink(path);
    rmdir(folder);
}

// Every beginning of a file, and files with one wrong thing: refused with a line and a reason, nothing kept.
static void broken_files_are_refused(void** state)
{
    static const struct {
        const char *text, *message;
        int line;
    } broken[] = {
        {"", "$MeshFormat", 1},
        {"solid x", "$MeshFormat", 1},
        {"$MeshFormat\n3 0 8\n", "version '3'", 2},
        {"$MeshFormat\n2.2 1 8\n", "binary", 2},
        {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0\n", "coordinate z is missing", 6},
        {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n$EndNodes\n", "not an integer", 7},
        {"$MeshFormat\n2.2 0 8\n$Nodes\n1\n1 nan 0 0\n", "not a finite number", 5},
        {"$MeshFormat\n2.2 0 8\n$Nodes\n1\n1 0 0 0\n$EndNodes\n", "no tetrahedra", 0},
        {"$MeshFormat\n2.2 0 8\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 1 1 2\n$EndElements\n", "does not exist: 2",
         9},
        {"$MeshFormat\n2.2 0 8\n$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 1 1 1\n", "two nodes", 0},
        {"$MeshFormat\n4.1 0 8\n$Nodes\n999999999999 4 1 4\n", "ends within $Nodes", 0},
        {"$MeshFormat\n2.2 0 8\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n$EndNodes\n"
         "$Elements\n2\n1 4 0 1 2 3 4\n2 4 0 1 2 3 5\n$EndElements\n",
         "inside out", 14},
    };
    for (size_t k = 0; k < sizeof broken / sizeof broken[0]; k++) {
        TetMesh mesh = {0};
        mn_Error error = {0};
        assert_int_equal(msh_read(broken[k].text, strlen(broken[k].text), "test.msh", &mesh, &error), MN_BAD_INPUT);
        if (!strstr(error.message, broken[k].message) || (broken[k].line && error.line != broken[k].line))
            fail_msg("file %zu: line %d: %s", k, error.line, error.message);
        assert_int_equal(mesh.tet_count + mesh.point_count, 0);
    }
}

static void cut_files_never_crash(void** state)
{
    const char* const text[] = {MSH2, MSH40, MSH41};
    for (int k = 0; k < 3; k++)
        for (size_t n = 0; n < strlen(text[k]); n++) {
            TetMesh mesh = {0};
            mn_Error error = {0};
            mn_Result result = msh_read(text[k], n, "test.msh", &mesh, &error);
            assert_true(result == MN_OK || result == MN_BAD_INPUT);
            assert_true((result == MN_OK) == (mesh.tet_count > 0));
            tet_mesh_free(&mesh);
        }
    for (size_t n = 0; n < sizeof NODE; n++)
        for (size_t m = 0; m < sizeof ELE; m++) {
            TetMesh mesh = {0};
            mn_Error error = {0};
            mn_Result result = tetgen_read(NODE, n, "a.node", ELE, m, "a.ele", &mesh, &error);
            assert_true((result == MN_OK) == (mesh.tet_count > 0));
            tet_mesh_free(&mesh);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_fill_their_volume),
        cmocka_unit_test(balls_fill_well),
        cmocka_unit_test(tori_and_boxes_fill_well),
        cmocka_unit_test(filled_surface_is_near),
        cmocka_unit_test(what_cannot_be_filled_is_refused),
        cmocka_unit_test(broken_meshes_are_found),
        cmocka_unit_test(double_points_and_faces_are_found),
        cmocka_unit_test(points_find_their_tetrahedron),
        cmocka_unit_test(surfaces_embed_closely),
        cmocka_unit_test(gmsh_files_are_read),
        cmocka_unit_test(files_are_found_by_their_name),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(cut_files_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
