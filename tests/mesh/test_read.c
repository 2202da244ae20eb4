// SPDX-License-Identifier: MIT
// Meshes that must be read: every form that the formats allow, and round trips through each format.
#include "mesh_support.h"

#include "mesh/mass.h"
#include "mesh/text.h"
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static TriMesh read_bytes(const void* data, size_t size)
{
    TriMesh mesh = {0};
    mn_Error error = {0};
    if (mesh_read_memory(data, size, "test", &mesh, &error) != MN_OK) {
        char text[1024];
        fail_msg("%s", mn_error_text(&error, text, sizeof text));
    }
    return mesh;
}

static TriMesh read_text(const char* text)
{
    return read_bytes(text, strlen(text));
}

static void assert_counts(TriMesh* mesh, size_t vertices, size_t triangles, size_t segments)
{
    assert_int_equal(mesh->vertex_count, vertices);
    assert_int_equal(mesh->triangle_count, triangles);
    assert_int_equal(mesh->segment_count, segments);
    tri_mesh_free(mesh);
}

// --- numbers

static void numbers_equal_strtod(void** state)
{
    const char* const words[] = {"0",
                                 "-0",
                                 "1",
                                 "+1",
                                 ".5",
                                 "5.",
                                 "1e3",
                                 "1E-3",
                                 "-2.5e+2",
                                 "0.1",
                                 "123456789012345678901234567890",
                                 "0.1234567890123456789",
                                 "1e22",
                                 "1e23",
                                 "3.4e38",
                                 "1e-320",
                                 "4.9e-324",
                                 "1e-400",
                                 "2.2250738585072011e-308",
                                 "0e999999999",
                                 "9007199254740993",
                                 "0.000000000000000000000000000000000000001",
                                 "17976931348623157e292"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        double value = NAN, expected = strtod(words[k], NULL);
        assert_true(word_number((Word){words[k], strlen(words[k])}, &value));
        if (value != expected)
            fail_msg("%s read as %.17g", words[k], value);
    }
    Random random = {1};
    for (int k = 0; k < 20000; k++) {
        uint64_t bits = random_next(&random);
        double value, expected;
        memcpy(&expected, &bits, sizeof expected);
        if (!isfinite(expected))
            continue;
        char word[64];
        snprintf(word, sizeof word, k % 2 ? "%.17g" : "%.6e", expected);
        assert_true(word_number((Word){word, strlen(word)}, &value));
        assert_true(value == strtod(word, NULL));
    }
    double value;
    assert_true(word_number((Word){"1e999", 5}, &value) && isinf(value));
    const char* const none[] = {"", "-", ".", "e5", "1e", "1e+", "1.2.3", "0x10", "nan", "inf", "1,5", "1f", "--1", "1-"};
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++)
        assert_false(word_number((Word){none[k], strlen(none[k])}, &value));
}

// a decimal comma in the user's locale changes nothing
static void locale_does_not_matter(void** state)
{
    const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    bool set = false;
    for (int k = 0; k < 3 && !set; k++)
        set = setlocale(LC_NUMERIC, names[k]) != NULL;
    double value;
    assert_true(word_number((Word){"0.12345678901234567891", 22}, &value));
    assert_near(value, 0.12345678901234567891, 1e-16);
    assert_true(word_number((Word){"1.5", 3}, &value) && value == 1.5);
    setlocale(LC_NUMERIC, "C");
}

// --- obj

static void obj_forms(void** state)
{
    TriMesh mesh = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_counts(&mesh, 3, 1, 0);
    mesh = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2/2 3/3\nf 1//1 2//2 3//3\nf 1/1/1 2/2/2 3/3/3\nf 1/ 2/ 3/\n");
    assert_counts(&mesh, 3, 4, 0);
    mesh = read_text("v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf -3 -2 -1\r\n"); // backwards
    assert_int_equal(mesh.triangle[0][0], 0);
    assert_int_equal(mesh.triangle[0][2], 2);
    assert_counts(&mesh, 3, 1, 0);
    // byte order mark, a comment with a backslash at its end, tabs, weights and colours, a comment behind
    mesh = read_text("\xef\xbb\xbf# comment\\\n\tv\t0 0 0 1.0\n v 1 0 0 0.5 0.5 0.5\nv 0 1 0 # x\nf 1 2 3 #4\n");
    assert_counts(&mesh, 3, 1, 0);
}

static void obj_polygons_lines_and_more(void** state)
{
    // a pentagon; lines; everything that is passed over; joined lines; faces before vertices; no newline at the end
    TriMesh mesh = read_text(
        "mtllib a.mtl\no thing\ng a b\ns off\nusemtl x\nvt 0 0\nvn 0 0 1\nvp 1\np 1\ncurv 0 1 1 2\n"
        "f 1 2 \\\n 3 4 \\\r\n 5\nv 0 0 0\nv 2 0 0\nv 3 1 0\nv 1 3 0\nv -1 1 0\n\n   \nl 1 2 3\nl 4/1 5/2 # end\nf 1 2 3");
    Vec3d n = {0};
    for (size_t k = 0; k < 3; k++) {
        const uint32_t* t = mesh.triangle[k];
        Vec3d a = mesh.vertex[t[0]];
        n = vec3d_add(n, vec3d_cross(vec3d_sub(mesh.vertex[t[1]], a), vec3d_sub(mesh.vertex[t[2]], a)));
    }
    assert_near(n.z / 2, 7, 1e-12); // area of the pentagon
    assert_counts(&mesh, 5, 4, 3);

    mesh = read_text("v 1e-3 -2.5E+1 .5\rv 1. +2 3\rv 0 1 0\rf 1 2 3\r"); // line ends of old, and numbers of all kinds
    assert_near(mesh.vertex[0].x, 0.001, 0);
    assert_near(mesh.vertex[0].y, -25, 0);
    assert_near(mesh.vertex[1].y, 2, 0);
    assert_counts(&mesh, 3, 1, 0);

    mesh = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 3 1\n"); // repeated corners make no triangles
    assert_counts(&mesh, 3, 1, 0);
}

static void obj_long_lines(void** state)
{
    enum { CORNERS = 20000 };
    size_t capacity = CORNERS * 40, used = 0;
    char* text = malloc(capacity);
    for (int k = 0; k < CORNERS; k++)
        used += (size_t)snprintf(text + used, capacity - used, "v %d %d 0\n", k, k * k % 1000);
    used += (size_t)snprintf(text + used, capacity - used, "f");
    for (int k = 1; k <= CORNERS; k++)
        used += (size_t)snprintf(text + used, capacity - used, " %d", k);
    TriMesh mesh = read_bytes(text, used);
    assert_counts(&mesh, CORNERS, CORNERS - 2, 0);
    free(text);
}

// --- ply

static const char PLY_ASCII[] = "ply\nformat ascii 1.0\ncomment made by hand\nobj_info x\nelement vertex 4\nproperty float x\n"
                                "property double y\nproperty int z\nproperty uchar red\nelement face 2\n"
                                "property list uchar int vertex_indices\nelement edge 1\nproperty int vertex1\n"
                                "property list short float weights\nend_header\n"
                                "0 0 0 255\n1 0 0 255\n1 1 0 255\n0 1 0 255\n4 0 1 2 3\n3 0\n1 2\n7 2 0.5 0.5\n";

static void ply_ascii(void** state)
{
    TriMesh mesh = read_text(PLY_ASCII);
    assert_near(mesh.vertex[2].y, 1, 0);
    assert_int_equal(mesh.triangle[1][2], 3);
    assert_counts(&mesh, 4, 3, 0);
}

typedef struct Bytes {
    unsigned char data[1 << 16];
    size_t size;
} Bytes;

static void put(Bytes* bytes, const void* value, size_t size, bool big)
{
    const unsigned char* source = value;
    for (size_t k = 0; k < size; k++)
        bytes->data[bytes->size++] = source[big ? size - 1 - k : k];
}

// every scalar type as a coordinate and as an index, in both byte orders; line ends of all kinds in the header
static void ply_binary_of_all_types(void** state)
{
    const char* const names[] = {"char", "uint8", "short", "ushort", "int32", "uint", "float", "float64"};
    const size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    const char* const ends[] = {"\n", "\r\n", "\r"};
    for (int big = 0; big < 2; big++)
        for (int coordinate = 0; coordinate < 8; coordinate++)
            for (int index = 0; index < 6; index++) {
                static Bytes bytes;
                const char* e = ends[(coordinate + index) % 3];
                bytes.size =
                    (size_t)snprintf((char*)bytes.data, sizeof bytes.data,
                                     "ply%sformat binary_%s_endian 1.0%selement vertex 3%sproperty double skipped%sproperty "
                                     "%s x%sproperty %s y%sproperty %s z%selement face 1%sproperty list %s short skipped%s"
                                     "property list uchar %s vertex_index%send_header%s",
                                     e, big ? "big" : "little", e, e, e, names[coordinate], e, names[coordinate], e,
                                     names[coordinate], e, e, names[index], e, names[index], e, e);
                for (int v = 0; v < 3; v++) {
                    double skipped = NAN;
                    put(&bytes, &skipped, 8, big);
                    for (int c = 0; c < 3; c++) {
                        double f64 = v == c ? 10 : 0; // 10 is a line feed as a byte
                        float f32 = (float)f64;
                        int32_t integer = (int32_t)f64;
                        const void* from = coordinate == 7 ? (void*)&f64 : coordinate == 6 ? (void*)&f32 : (void*)&integer;
                        put(&bytes, from, sizes[coordinate], big);
                    }
                }
                int32_t two = 2;
                put(&bytes, &two, sizes[index], big);
                put(&bytes, "abcd", 4, false); // two shorts that nobody wants
                put(&bytes, &(unsigned char){3}, 1, big);
                for (int32_t v = 0; v < 3; v++)
                    put(&bytes, &v, sizes[index], big);
                TriMesh mesh = read_bytes(bytes.data, bytes.size);
                assert_near(mesh.vertex[0].x, 10, 0);
                assert_near(mesh.vertex[2].z, 10, 0);
                assert_int_equal(mesh.triangle[0][2], 2);
                assert_counts(&mesh, 3, 1, 0);
            }
}

// an element without properties takes no time and no memory, whatever its count
static void ply_empty_elements(void** state)
{
    TriMesh mesh =
        read_text("ply\nformat ascii 1.0\nelement nothing 9000000000000000\nelement vertex 3\nproperty float x\nproperty "
                  "float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n"
                  "0 0 0 1 0 0 0 1 0 3 0 1 2");
    assert_counts(&mesh, 3, 1, 0);
}

// --- stl

static const char STL_TEXT[] = "solid two words\n facet normal 0 0 nan\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n"
                               "   vertex 0 1 0\n  endloop\n endfacet\nFACET NORMAL 0 0 1 OUTER LOOP VERTEX 1 0 0 VERTEX 1 1 0 "
                               "VERTEX 0 1 0 ENDLOOP ENDFACET\nendsolid two words\nsolid\nfacet normal 0 0 1\r\nouter loop\r\n"
                               "vertex 0 0 5\r\nvertex 1 0 5\r\nvertex 0 1 5\r\nendloop\r\nendfacet\r\nendsolid";

static void stl_text(void** state)
{
    TriMesh mesh = read_text(STL_TEXT);
    assert_counts(&mesh, 7, 3, 0); // the first two share an edge
}

static void put_stl(Bytes* bytes, const TriMesh* mesh, const char* header)
{
    memset(bytes->data, 0, 84);
    memcpy(bytes->data, header, strlen(header));
    bytes->size = 80;
    uint32_t count = (uint32_t)mesh->triangle_count;
    put(bytes, &count, 4, false);
    for (uint32_t k = 0; k < count; k++) {
        put(bytes, (float[3]){0}, 12, false);
        for (int c = 0; c < 3; c++) {
            Vec3d v = mesh->vertex[mesh->triangle[k][c]];
            put(bytes, (float[3]){(float)v.x, (float)v.y, (float)v.z}, 12, false);
        }
        put(bytes, "\0\0", 2, false);
    }
}

// "solid" in a binary header fools nobody
static void stl_binary(void** state)
{
    TriMesh sphere = build_shape(MN_SHAPE_SPHERE, vec3d(1, 0, 0), 3, 0.02);
    const char* const headers[] = {"made by a program", "solid part one\nfacet normal 0 0 0"};
    for (int k = 0; k < 2; k++) {
        static Bytes bytes;
        put_stl(&bytes, &sphere, headers[k]);
        TriMesh mesh = read_bytes(bytes.data, bytes.size);
        TopologyReport report;
        assert_true(tri_mesh_topology(&mesh, &report));
        assert_true(report.closed && report.oriented);
        assert_near(mass_of_closed(&mesh).volume, mass_of_closed(&sphere).volume, 1e-6);
        assert_counts(&mesh, sphere.vertex_count, sphere.triangle_count, 0);
    }
    tri_mesh_free(&sphere);
}

// --- round trips and files

static void obj_round_trip(void** state)
{
    TriMesh torus = build_shape(MN_SHAPE_TORUS, vec3d(0.5, 0.2, 0), 3, 0.005);
    size_t capacity = 1 << 22, used = 0;
    char* text = malloc(capacity);
    for (size_t i = 0; i < torus.vertex_count; i++)
        used += (size_t)snprintf(text + used, capacity - used, "v %.17g %.17g %.17g\n", torus.vertex[i].x, torus.vertex[i].y,
                                 torus.vertex[i].z);
    for (size_t k = 0; k < torus.triangle_count; k++)
        used += (size_t)snprintf(text + used, capacity - used, "f %u %u %u\n", torus.triangle[k][0] + 1, torus.triangle[k][1] + 1,
                                 torus.triangle[k][2] + 1);
    TriMesh mesh = read_bytes(text, used);
    assert_memory_equal(mesh.vertex, torus.vertex, torus.vertex_count * sizeof *torus.vertex);
    assert_memory_equal(mesh.triangle, torus.triangle, torus.triangle_count * sizeof *torus.triangle);
    assert_counts(&mesh, torus.vertex_count, torus.triangle_count, 0);
    tri_mesh_free(&torus);
    free(text);
}

static void write_file(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// shape_build reads relative to the folder, merges split vertices, and keeps what the dimension needs
static void shapes_from_files(void** state)
{
    char folder[] = "/tmp/mesh_test_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.dat", folder);
    write_file(path, "v 0 0 2\nv 1 0 2\nv 0 1 2\nv 0 0 2\nv 1 0 2\nv 1 -1 2\nv 50 50 50\nf 1 2 3\nf 5 4 6\nl 1 2 3 1\n");
    mn_Shape shape = {.type = MN_SHAPE_MESH, .file = "a.dat"};
    TriMesh mesh = {0};
    mn_Error error = {0};
    assert_int_equal(shape_build(&shape, 3, 0.1, folder, &mesh, &error), MN_OK);
    assert_counts(&mesh, 4, 2, 0);
    assert_int_equal(shape_build(&shape, 2, 0.1, folder, &mesh, &error), MN_OK);
    assert_near(mesh.vertex[0].z, 0, 0);
    assert_counts(&mesh, 3, 0, 3);

    write_file(path, "v 0 0 2\nv 1 0 2\nv 0 1 2\nf 1 2 3\n");
    assert_int_equal(shape_build(&shape, 2, 0.1, folder, &mesh, &error), MN_BAD_INPUT);
    assert_string_equal(error.key, "shape.mesh");
    assert_string_equal(error.file, path);
    write_file(path, "v 0 0 2\nv 1 0 2\nl 1 2\n");
    assert_int_equal(shape_build(&shape, 3, 0.1, folder, &mesh, &error), MN_BAD_INPUT);
    write_file(path, "v 0 0 2\nv 1 0 3\nl 1 2\n");
    assert_int_equal(shape_build(&shape, 2, 0.1, folder, &mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "flat"));

    assert_int_equal(mesh_read(folder, &mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "directory"));
    assert_int_equal(mesh_read("/dev/zero", &mesh, &error), MN_BAD_INPUT);
    assert_int_equal(chmod(path, 0), 0);
    if (geteuid() != 0)
        assert_int_equal(mesh_read(path, &mesh, &error), MN_IO_FAILED);
    unlink(path);
    assert_int_equal(mesh_read(path, &mesh, &error), MN_BAD_INPUT);
    assert_string_equal(error.file, path);
    rmdir(folder);
}

// the sample files of the tests
static void sample_files(void** state)
{
    const struct {
        const char* name;
        double volume;
    } files[] = {{"cube.obj", 1}, {"cube_ascii.ply", 1}, {"cube_binary.ply", 1}, {"cube_ascii.stl", 1}, {"cube_binary.stl", 1}};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        char path[512];
        snprintf(path, sizeof path, "%s/tests/data/meshes/%s", MENISCUS_SOURCE_DIR, files[k].name);
        TriMesh mesh = {0};
        mn_Error error = {0};
        if (mesh_read(path, &mesh, &error) != MN_OK)
            fail_msg("%s: %s", path, error.message);
        TopologyReport report;
        assert_true(tri_mesh_topology(&mesh, &report));
        assert_true(report.closed && report.oriented);
        assert_near(mass_of_closed(&mesh).volume, files[k].volume, 1e-12);
        assert_counts(&mesh, 8, 12, 0);
    }
}

// A polygon of very many corners is not cut into slivers that all reach from one corner across it: edges are short, but for a few.
static void large_polygon_is_cut_from_the_border(void** state)
{
    enum { CORNERS = 1001 };
    for (int ply = 0; ply < 2; ply++) {
        size_t capacity = 1 << 17, used = 0;
        char* text = malloc(capacity);
        if (ply)
            used +=
                (size_t)snprintf(text, capacity,
                                 "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
                                 "element face 1\nproperty list int int vertex_indices\nend_header\n",
                                 CORNERS);
        for (int k = 0; k < CORNERS; k++) {
            double angle = 2 * 3.14159265358979 * k / CORNERS;
            used += (size_t)snprintf(text + used, capacity - used, "%s%.12f %.12f 0\n", ply ? "" : "v ", cos(angle), sin(angle));
        }
        used += ply ? (size_t)snprintf(text + used, capacity - used, "%d", CORNERS)
                    : (size_t)snprintf(text + used, capacity - used, "f");
        for (int k = 0; k < CORNERS; k++)
            used += (size_t)snprintf(text + used, capacity - used, " %d", k + !ply);
        used += (size_t)snprintf(text + used, capacity - used, "\n");
        TriMesh mesh = read_bytes(text, used);
        double area = 0, edges = 0;
        for (size_t t = 0; t < mesh.triangle_count; t++) {
            Vec3d a = mesh.vertex[mesh.triangle[t][0]], b = mesh.vertex[mesh.triangle[t][1]], c = mesh.vertex[mesh.triangle[t][2]];
            double z = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
            assert_true(z > 0); // all turn the same way, none overlaps another
            area += z / 2;
            edges += vec3d_distance(a, b) + vec3d_distance(b, c) + vec3d_distance(c, a);
        }
        assert_near(area, 0.5 * CORNERS * sin(2 * 3.14159265358979 / CORNERS), 1e-9);
        assert_below(edges, 130); // 2 pi (2 log2 1000) and some; a fan has 2560
        TopologyReport report;
        assert_true(tri_mesh_topology(&mesh, &report));
        assert_int_equal(report.open_edges, CORNERS);
        assert_counts(&mesh, CORNERS, CORNERS - 2, 0);
        free(text);
    }
}

// 90 000 triangles in well under 100 ms when alone; ten times that on a busy machine under sanitizers
static void large_obj_is_read_quickly(void** state)
{
    enum { SIDE = 212 };
    size_t capacity = 8 << 20, used = 0;
    char* text = malloc(capacity);
    Random random = {8};
    for (int i = 0; i < (SIDE + 1) * (SIDE + 1); i++) {
        Vec3d p = random_point(&random, 1);
        used += (size_t)snprintf(text + used, capacity - used, "v %.6f %.6f %.6f\nvn 0 0 1\n", p.x, p.y, p.z);
    }
    for (int j = 0; j < SIDE; j++)
        for (int i = 1; i <= SIDE; i++) {
            int at = j * (SIDE + 1) + i, up = at + SIDE + 1;
            used += (size_t)snprintf(text + used, capacity - used, "f %d//%d %d//%d %d//%d\nf %d//%d %d//%d %d//%d\n", at, at,
                                     at + 1, at + 1, up, up, at + 1, at + 1, up + 1, up + 1, up, up);
        }
    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    TriMesh mesh = read_bytes(text, used);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    print_message("obj with %zu triangles, %.1f MB: %.1f ms\n", mesh.triangle_count, (double)used * 1e-6, seconds * 1e3);
    assert_below(seconds, 1.0);
    assert_counts(&mesh, (SIDE + 1) * (SIDE + 1), 2 * SIDE * SIDE, 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_equal_strtod),
        cmocka_unit_test(locale_does_not_matter),
        cmocka_unit_test(obj_forms),
        cmocka_unit_test(obj_polygons_lines_and_more),
        cmocka_unit_test(obj_long_lines),
        cmocka_unit_test(ply_ascii),
        cmocka_unit_test(ply_binary_of_all_types),
        cmocka_unit_test(ply_empty_elements),
        cmocka_unit_test(stl_text),
        cmocka_unit_test(stl_binary),
        cmocka_unit_test(obj_round_trip),
        cmocka_unit_test(shapes_from_files),
        cmocka_unit_test(sample_files),
        cmocka_unit_test(large_polygon_is_cut_from_the_border),
        cmocka_unit_test(large_obj_is_read_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
