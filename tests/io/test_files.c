// SPDX-License-Identifier: MIT
// Whole-or-absent files, growing tables, series and meshes, on good and on full disks.
#include "io_support.h"

#include "io/mesh_write.h"
#include "io/points.h"
#include "io/series.h"
#include "io/solid_file.h"
#include "io/table.h"
#include "io/vtp.h"
#include "mesh/shape.h"
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

// --- full disks

// Files may not grow beyond `bytes`: writing more fails as on a full disk, only with another errno.
static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void failed_write_leaves_the_old_file(void** state)
{
    char path[256], text[64 * 1024];
    snprintf(path, sizeof path, "%s/file", (char*)*state);
    memset(text, 'x', sizeof text);
    write_bytes(path, "old", 3);
    limit_file_size(8192);
    FileOut file;
    mn_Error error = {0};
    assert_int_equal(file_out_open(&file, path, &error), MN_OK);
    for (int k = 0; k < 8; k++)
        file_out_write(&file, text, sizeof text);
    mn_Result result = file_out_commit(&file, true, &error);
    limit_file_size(RLIM_INFINITY);
    assert_int_equal(result, MN_IO_FAILED);
    assert_string_equal(error.file, path);
    assert_non_null(strstr(error.message, strerror(EFBIG)));
    FileBytes bytes = bytes_of(path);
    assert_string_equal(bytes.data, "old");
    file_bytes_free(&bytes);
    char temporary[300];
    snprintf(temporary, sizeof temporary, "%s%s", path, FILE_TEMPORARY_SUFFIX);
    assert_int_not_equal(access(temporary, F_OK), 0);
}

static void failed_row_is_taken_back(void** state)
{
    char path[256], row[4096];
    snprintf(path, sizeof path, "%s/t.csv", (char*)*state);
    Table table;
    assert_int_equal(table_create(&table, path, "frame,a\n", NULL), MN_OK);
    assert_int_equal(table_append(&table, "0,1\n", 4, NULL), MN_OK);
    memset(row, '7', sizeof row);
    limit_file_size(1000);
    mn_Error error = {0};
    mn_Result result = table_append(&table, row, sizeof row, &error);
    limit_file_size(RLIM_INFINITY);
    assert_int_equal(result, MN_IO_FAILED);
    assert_string_equal(error.file, path);
    assert_int_equal(table_append(&table, "1,2\n", 4, NULL), MN_OK);
    assert_int_equal(table_close(&table, NULL), MN_OK);
    FileBytes bytes = bytes_of(path);
    assert_string_equal(bytes.data, "frame,a\n0,1\n1,2\n");
    file_bytes_free(&bytes);
}

static void full_device_is_reported(void** state)
{
    Table table;
    mn_Error error = {0};
    if (access("/dev/full", W_OK))
        skip();
    assert_int_equal(table_open(&table, "/dev/full", &error), MN_OK);
    assert_int_equal(table_append(&table, "x", 1, &error), MN_IO_FAILED);
    assert_non_null(strstr(error.message, strerror(ENOSPC)));
    table_close(&table, NULL);
}

// --- tables

static void resumed_table_is_cut(void** state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/t.csv", (char*)*state);
    static const char* const header = "frame,name\n";
    // NULL: rows of frames 0 and 1 are missing, which is said, and nothing is changed
    static const struct {
        const char *before, *after;
    } cases[] = {
        {"frame,name\n0,a\n0,b\n1,a\n1,b\n2,a\n2,b\n", "frame,name\n0,a\n0,b\n1,a\n1,b\n"},
        {"frame,name\n0,a\n0,b\n1,a\n1,b\n2,a\n2", "frame,name\n0,a\n0,b\n1,a\n1,b\n"}, // half a row
        {"frame,name\n1,a\n1,b\n", "frame,name\n1,a\n1,b\n"},                           // the file was moved away after frame 0
        {"frame,name\n0,a\n0,b\n1,a\n1,b", NULL},
        {"frame,name\n0,a\n0,b\n\n1,a\n1,b\n", NULL},
        {"frame,name\n0,a\n0,b\n1,a\n2,a\n2,b\n", NULL},
        {"frame,name\n0,a\n1,a\n0,b\n1,b\n", NULL},
        {"frame,name\n0,a\n0,b\n", NULL},
        {"frame,name\n", NULL},
        {"frame,name\n10,a\n", NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        write_bytes(path, cases[k].before, strlen(cases[k].before));
        Table table;
        mn_Error trouble = {0};
        assert_int_equal(table_resume(&table, path, header, 1, 2, &trouble), cases[k].after ? MN_OK : MN_BAD_INPUT);
        table_close(&table, NULL);
        if (!cases[k].after)
            assert_non_null(strstr(trouble.message, "rows up to frame 1 are missing"));
        FileBytes bytes = bytes_of(path);
        assert_string_equal(bytes.data, cases[k].after ? cases[k].after : cases[k].before);
        file_bytes_free(&bytes);
    }
    // other columns are not ours to cut
    write_bytes(path, "frame,other\n0,1\n", 16);
    Table table;
    mn_Error error = {0};
    assert_int_equal(table_resume(&table, path, header, 1, 2, &error), MN_BAD_INPUT);
    FileBytes bytes = bytes_of(path);
    assert_string_equal(bytes.data, "frame,other\n0,1\n");
    file_bytes_free(&bytes);
}

static void cells_with_commas_survive(void** state)
{
    static const char* const names[] = {"plain", "with, comma", "with \"quotes\"", "", "\"", "a,\"b\",c"};
    enum { COUNT = sizeof names / sizeof *names };
    char* text = NULL;
    size_t size;
    FILE* stream = open_memstream(&text, &size);
    for (size_t k = 0; k < COUNT; k++) {
        if (k)
            fputc(',', stream);
        csv_print_text(stream, names[k]);
    }
    fclose(stream);
    char* cells[16];
    assert_int_equal(csv_split(text, cells, 16), COUNT);
    for (size_t k = 0; k < COUNT; k++)
        assert_string_equal(cells[k], names[k]);
    free(text);
}

// --- series

static void series_names_are_safe_and_differ(void** state)
{
    char names[4][SERIES_NAME];
    series_name(names[0], "water", "fluid", (const char(*)[SERIES_NAME])names, 0);
    series_name(names[1], "a/b <c>&\"d\"", "fluid", (const char(*)[SERIES_NAME])names, 1);
    series_name(names[2], "water", "fluid", (const char(*)[SERIES_NAME])names, 2);
    series_name(names[3], NULL, "fluid", (const char(*)[SERIES_NAME])names, 3);
    assert_string_equal(names[0], "water");
    assert_string_equal(names[1], "a_b__c___d_");
    assert_string_equal(names[2], "water_2");
    assert_string_equal(names[3], "fluid");
    assert_int_equal(series_frame_of("water_000012.vtp", "water", "vtp"), 12);
    assert_int_equal(series_frame_of("water_1234567.vtp", "water", "vtp"), 1234567);
    assert_int_equal(series_frame_of("water_2_000012.vtp", "water", "vtp"), -1);
    assert_int_equal(series_frame_of("water_000012.vtp.part", "water", "vtp"), -1);
    assert_int_equal(series_frame_of("water_12.vtp", "water", "vtp"), -1);
}

static void pvd_lists_every_frame(void** state)
{
    char path[256];
    assert_int_equal(series_write_list(*state, "water", MN_PARTICLES_VTP, 2, 50, NULL), MN_OK);
    snprintf(path, sizeof path, "%s/water.pvd", (char*)*state);
    FileBytes bytes = bytes_of(path);
    assert_string_equal(bytes.data, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n"
                                    "<DataSet timestep=\"0\" part=\"0\" file=\"water_000000.vtp\"/>\n"
                                    "<DataSet timestep=\"0.02\" part=\"0\" file=\"water_000001.vtp\"/>\n"
                                    "<DataSet timestep=\"0.04\" part=\"0\" file=\"water_000002.vtp\"/>\n"
                                    "</Collection>\n</VTKFile>\n");
    file_bytes_free(&bytes);
}

// --- meshes

static const mn_Vec3 corners[] = {{0, 0, 0}, {1.0 / 3, 0, 0}, {0, 1e-9, 0}, {0, 0, -7e11}};
static const uint32_t faces[][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
static const uint32_t lines[][2] = {{0, 3}};
static const mn_SolidView tetrahedron = {.name = "t", .vertex_count = 4, .triangle_count = 4, .vertex = corners, .triangle = faces};

static void vtp_mesh_is_well_formed(void** state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/m.vtp", (char*)*state);
    mn_SolidView solid = tetrahedron;
    solid.segment = lines;
    solid.segment_count = 1;
    assert_int_equal(mesh_write(path, MN_SOLIDS_VTP, &solid, NULL), MN_OK);
    FileBytes bytes = bytes_of(path);
    VtpFile vtp;
    mn_Error error = {0};
    if (vtp_parse(&bytes, path, &vtp, &error) != MN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(vtp.counts.points, 4);
    assert_int_equal(vtp.counts.polys, 4);
    assert_int_equal(vtp.counts.lines, 1);
    assert_memory_equal(vtp_find(&vtp, "Points", NULL)->data, corners, sizeof corners);
    assert_memory_equal(vtp_find(&vtp, "Polys", "connectivity")->data, faces, sizeof faces);
    assert_memory_equal(vtp_find(&vtp, "Lines", "connectivity")->data, lines, sizeof lines);
    const VtpArray* offsets = vtp_find(&vtp, "Polys", "offsets");
    for (size_t k = 0; k < 4; k++)
        assert_true(number_get(offsets->type, offsets->data + 4 * k, false) == 3.0 * (double)(k + 1));
    file_bytes_free(&bytes);
}

// our own mesh reader gives back what was written
static void meshes_come_back(void** state)
{
    static const mn_SolidFormat formats[] = {MN_SOLIDS_PLY, MN_SOLIDS_OBJ};
    for (size_t k = 0; k < 2; k++) {
        char path[256];
        snprintf(path, sizeof path, "%s/m.%s", (char*)*state, mesh_extension(formats[k]));
        assert_int_equal(mesh_write(path, formats[k], &tetrahedron, NULL), MN_OK);
        TriMesh mesh = {0};
        mn_Error error = {0};
        if (mesh_read(path, &mesh, &error) != MN_OK)
            fail_msg("%s: %s", path, error.message);
        assert_int_equal(mesh.vertex_count, 4);
        assert_int_equal(mesh.triangle_count, 4);
        assert_memory_equal(mesh.vertex, corners, sizeof corners);
        assert_memory_equal(mesh.triangle, faces, sizeof faces);
        tri_mesh_free(&mesh);
    }
}

// which faces are those of cracks is in all files, and plain readers understand them too
static void faces_of_cracks_come_back(void** state)
{
    static const mn_SolidFormat formats[] = {MN_SOLIDS_VTP, MN_SOLIDS_PLY, MN_SOLIDS_OBJ};
    mn_SolidView broken = tetrahedron;
    broken.type = MN_SOLID_ELASTIC;
    broken.divisible = true;
    for (size_t k = 0; k < 6; k++) {
        char path[256];
        mn_SolidFormat format = formats[k / 2];
        broken.inner_count = k % 2 ? 3 : 0;
        snprintf(path, sizeof path, "%s/m.%s", (char*)*state, mesh_extension(format));
        assert_int_equal(mesh_write(path, format, &broken, NULL), MN_OK);
        TriMesh mesh = {0}, plain = {0};
        mn_Error error = {0};
        if (solid_file_read(path, format, &mesh, &error) != MN_OK)
            fail_msg("%s: %s", path, error.message);
        assert_int_equal(mesh.inner_count, broken.inner_count);
        assert_memory_equal(mesh.triangle, faces, sizeof faces);
        if (format != MN_SOLIDS_VTP) {
            assert_int_equal(mesh_read(path, &plain, &error), MN_OK);
            assert_memory_equal(plain.triangle, faces, sizeof faces);
        }
        tri_mesh_free(&mesh);
        tri_mesh_free(&plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(failed_write_leaves_the_old_file, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(failed_row_is_taken_back, folder_make, folder_remove),
        cmocka_unit_test(full_device_is_reported),
        cmocka_unit_test_setup_teardown(resumed_table_is_cut, folder_make, folder_remove),
        cmocka_unit_test(cells_with_commas_survive),
        cmocka_unit_test(series_names_are_safe_and_differ),
        cmocka_unit_test_setup_teardown(pvd_lists_every_frame, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(vtp_mesh_is_well_formed, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(meshes_come_back, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(faces_of_cracks_come_back, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
