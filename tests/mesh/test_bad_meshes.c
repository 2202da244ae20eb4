// SPDX-License-Identifier: MIT
// Meshes that must be refused, with the place and what is wrong in the message; and truncations and garbling of good ones,
// which may be refused or not, but without harm.
#include "mesh_support.h"

#include "mesh/inside.h"
#include <stdlib.h>
#include <string.h>

#define PLY_HEAD(format) "ply\nformat " format " 1.0\n"
#define PLY_VERTEX(n) "element vertex " n "\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACE(n) "element face " n "\nproperty list uchar int vertex_indices\n"
#define PLY_ASCII(vertices, faces) PLY_HEAD("ascii") PLY_VERTEX(vertices) PLY_FACE(faces) "end_header\n"
#define PLY_LITTLE(vertices, faces) PLY_HEAD("binary_little_endian") PLY_VERTEX(vertices) PLY_FACE(faces) "end_header\n"
#define THREE "0 0 0\n1 0 0\n0 1 0\n"
#define V3 "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
#define FACET "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
#define ZEROS36 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define HEADER80 "binary                                                                         \0"

typedef struct Bad {
    const char* data;
    size_t size;
    int line;          // 0: the message names a byte
    const char* words; // part of the message
} Bad;
#define BAD(text, line, words)                                                                                                     \
    {                                                                                                                              \
        text, sizeof(text) - 1, line, words                                                                                        \
    }

static const Bad BAD_MESHES[] = {
    // obj
    BAD("", 1, "empty"),
    BAD("hello world\n", 2, "without a face"),
    BAD("# only a comment", 1, "without a face"),
    BAD(V3, 4, "without a face"),
    BAD("{\"name\": \"a scene\"}\n", 2, "obj, ply or stl"),
    BAD("v 0 0\nf 1 1 1\n", 1, "z is missing"),
    BAD("v\n", 1, "x is missing"),
    BAD("v 0 zero 0\n", 1, "'zero' is not a finite number"),
    BAD("v 0 0 0\nv nan 0 0\n", 2, "'nan' is not a finite number"),
    BAD("v 0 inf 0\n", 1, "'inf' is not a finite number"),
    BAD("v 0 0 1e999\n", 1, "beyond the largest"),
    BAD("v 0 0 -1e13\n", 1, "beyond the largest"),
    BAD("v 0,5 0 0\n", 1, "'0,5'"),
    BAD("v 0x1p3 0 0\n", 1, "'0x1p3'"),
    BAD(V3 "f 1 2\n", 4, "at least 3 vertices, not 2"),
    BAD(V3 "f\n", 4, "at least 3 vertices, not 0"),
    BAD(V3 "f # 1 2 3\n", 4, "at least 3"),
    BAD(V3 "f 1 2 0\n", 4, "count from 1"),
    BAD(V3 "f 1 2 4\n", 4, "index 4 is out of range; the file has 3"),
    BAD(V3 "\nf 1 2 3\nf 1 2 7\nf 1 2 5\n", 6, "index 7 is out of range"),
    BAD(V3 "f 1 2 -4\n", 4, "before the first of 3"),
    BAD(V3 "f 1 2 99999999999999999999\n", 4, "is not a vertex index"),
    BAD(V3 "f 1 2 4294967297\n", 4, "out of range"),
    BAD(V3 "f 1 2 3.5\n", 4, "'3.5' is not a vertex index"),
    BAD(V3 "f 1 2 x\n", 4, "'x' is not a vertex index"),
    BAD(V3 "f 1/x 2 3\n", 4, "'1/x'"),
    BAD(V3 "f 1/1/1/1 2 3\n", 4, "'1/1/1/1'"),
    BAD(V3 "f /1 2 3\n", 4, "'/1'"),
    BAD(V3 "f 1 1 1\n", 5, "without a face"),
    BAD(V3 "l 1\n", 4, "a line needs at least 2"),
    BAD(V3 "l 1 9\n", 4, "index 9 is out of range"),
    BAD(V3 "f 1 2 \\\n \\\n oops\n", 6, "'oops'"),
    BAD("v 0 0 0\r\nv 1 0 x\r\n", 2, "'x'"),
    // ply
    BAD("ply", 1, "ends before end_header"),
    BAD("ply\nformat ascii 1.0\n", 3, "ends before end_header"),
    BAD("ply\nformat ascii 2.0\n", 2, "version '2.0'"),
    BAD("ply\nformat binary 1.0\n", 2, "format 'binary' is unknown"),
    BAD("ply\nelement vertex 3\nend_header\n", 4, "no format line"),
    BAD("ply\nformat ascii 1.0\nend_header\n", 4, "'vertex' and 'face'"),
    BAD("ply\nformat ascii 1.0\nelemental vertex 3\n", 3, "'elemental' is unknown here"),
    BAD("ply\nformat ascii 1.0\nelement vertex -3\n", 3, "'-3' is not a whole number"),
    BAD("ply\nformat ascii 1.0\nelement vertex\n", 3, "not a whole number"),
    BAD("ply\nformat ascii 1.0\nelement vertex 3x\n", 3, "'3x'"),
    BAD("ply\nformat ascii 1.0\nelement vertex 4294967296\n", 3, "too many"),
    BAD("ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 1\n", 4, "twice"),
    BAD("ply\nformat ascii 1.0\nproperty float x\n", 3, "before the first element"),
    BAD("ply\nformat ascii 1.0\nelement vertex 3\nproperty real x\n", 4, "type 'real' is unknown"),
    BAD("ply\nformat ascii 1.0\nelement vertex 3\nproperty float\n", 4, "without a name"),
    BAD("ply\nformat ascii 1.0\nelement vertex 3\nproperty list uchar int x\n", 4, "must not be a list"),
    BAD("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float x\n", 5, "twice"),
    BAD("ply\nformat ascii 1.0\nelement face 3\nproperty list float int vertex_indices\n", 4, "integer type"),
    BAD("ply\nformat ascii 1.0\nelement face 3\nproperty list uchar float vertex_indices\n", 4, "integer type"),
    BAD("ply\nformat ascii 1.0\nelement face 3\nproperty int vertex_indices\n", 4, "must be a list"),
    BAD("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n" PLY_FACE("1") "end_header\n", 3, "needs the properties"),
    BAD("ply\nformat ascii 1.0\n" PLY_VERTEX("3") "element face 1\nend_header\n", 7, "needs the list"),
    BAD(PLY_ASCII("3", "1") "0 0 0\n1 0 0\n", 12, "the file ends"),
    BAD(PLY_ASCII("3", "1") THREE "3 0 1\n", 14, "the file ends"),
    BAD(PLY_ASCII("3", "1") THREE "3 0 1 3\n", 13, "index 3 is out of range"),
    BAD(PLY_ASCII("3", "1") THREE "3 0 1 -1\n", 13, "index -1 is out of range"),
    BAD(PLY_ASCII("3", "1") THREE "3 0 1 1.5\n", 13, "index 1.5"),
    BAD(PLY_ASCII("3", "1") THREE "2 0 1\n", 13, "at least 3 vertices, not 2"),
    BAD(PLY_ASCII("3", "1") THREE "-3 0 1 2\n", 13, "length of a list"),
    BAD(PLY_ASCII("3", "1") THREE "4000000000 0 1 2\n", 14, "the file ends"),
    BAD(PLY_ASCII("3", "1") "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", 11, "finite"),
    BAD(PLY_ASCII("3", "1") "0 0 0\n1 1e13 0\n0 1 0\n3 0 1 2\n", 11, "finite"),
    BAD(PLY_ASCII("3", "0") THREE, 12, "no triangles"),
    BAD(PLY_ASCII("2000000000", "2000000000") THREE, 13, "the file ends"), // a lie that would need 48 GB
    BAD(PLY_LITTLE("2000000000", "2000000000") "\0\0\0\0", 0, "the file ends"),
    BAD(PLY_LITTLE("3", "1") ZEROS36 "\3\0\0\0\0\1\0\0\0\2\0\0", 0, "the file ends"),
    BAD(PLY_LITTLE("3", "1") ZEROS36 "\3\0\0\0\0\1\0\0\0\3\0\0\0", 0, "index 3 is out of range"),
    BAD(PLY_LITTLE("3", "1") ZEROS36 "\3\0\0\0\0\0\0\0\0\0\0\0\0", 0, "no triangles"),
    BAD(PLY_LITTLE("1", "1") "\0\0\0\0\0\0\0\0\0\0\xc0\x7f\0\0\0\0\0\0\0\0\0\0\0\0", 0, "finite"),
    // stl
    BAD("solid", 1, "the file ends"),
    BAD("solid a\n", 2, "the file ends"),
    BAD("solid a\nendsolid a\n", 3, "no facets"),
    BAD("solid a\n" FACET, 9, "the file ends"),
    BAD("solid a\nfacet\n", 3, "the file ends where 'normal'"),
    BAD("solid a\nfacets\n", 2, "'facets' found where 'facet' or 'endsolid'"),
    BAD("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", 6, "where 'vertex' is needed"),
    BAD("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\n", 7,
        "where 'endloop'"),
    BAD("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", 4, "'nan'"),
    BAD("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e39\n", 4, "beyond"),
    BAD("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", 5, "missing"),
    BAD("solid a\nfacet normal 0", 2, "the file ends within"),
    BAD("solid a\nfacet normal 0 0 1\nouter circle\n", 3, "'circle' found where 'loop'"),
    BAD("solid a\n" FACET "endsolid\nsolid b\nfacet normal x y z\nouter loop\nvertex 1 2 b\n", 13, "'b'"),
    BAD("solid a\n" FACET "endsolid\ntrailing\n", 10, "'trailing' found where 'solid'"),
    BAD("\0\1\2\3", 0, "too short"),
    BAD(HEADER80 "\1\0\0\0", 0, "1 triangles need 134 bytes"),
    BAD(HEADER80 "\377\377\377\377" ZEROS36, 0, "4294967295 triangles need"),
    BAD(HEADER80 "\0\0\0\0", 0, "no triangles"),
    BAD(HEADER80 "\0\0\0\0" ZEROS36, 0, "0 triangles need 84 bytes"),
    BAD(HEADER80 "\1\0\0\0" ZEROS36 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 0, "no triangles"), // all corners the same
    BAD(HEADER80 "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x7f\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        0, "finite"),
};
enum { BAD_COUNT = sizeof BAD_MESHES / sizeof BAD_MESHES[0] };

static void each_is_refused_with_its_place(void** state)
{
    int failures = 0;
    for (int k = 0; k < BAD_COUNT; k++) {
        const Bad* bad = &BAD_MESHES[k];
        char* copy = malloc(bad->size ? bad->size : 1); // exact size, so that reading beyond it is noticed
        memcpy(copy, bad->data, bad->size);
        TriMesh mesh = {0};
        mn_Error error = {0};
        mn_Result result = mesh_read_memory(copy, bad->size, "bad.mesh", &mesh, &error);
        bool placed = bad->line ? error.line == bad->line : strncmp(error.message, "byte ", 5) == 0;
        if (result != MN_BAD_INPUT || !placed || !strstr(error.message, bad->words) || strcmp(error.file, "bad.mesh") ||
            mesh.vertex) {
            char text[1024];
            print_error("case %d (%.40s): result %d, expected line %d and '%s', got: %s\n", k, bad->data, (int)result, bad->line,
                        bad->words, mn_error_text(&error, text, sizeof text));
            failures++;
        }
        tri_mesh_free(&mesh);
        free(copy);
    }
    print_message("%d malformed meshes\n", BAD_COUNT);
    assert_int_equal(failures, 0);
}

static void no_error_struct_is_fine(void** state)
{
    for (int k = 0; k < BAD_COUNT; k++) {
        TriMesh mesh = {0};
        assert_int_equal(mesh_read_memory(BAD_MESHES[k].data, BAD_MESHES[k].size, "bad.mesh", &mesh, NULL), MN_BAD_INPUT);
    }
}

static const char* const SAMPLES[] = {"cube.obj", "cube_ascii.ply", "cube_binary.ply", "cube_ascii.stl", "cube_binary.stl"};

static size_t load(const char* name, char* data, size_t capacity)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/data/meshes/%s", MENISCUS_SOURCE_DIR, name);
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(data, 1, capacity, file);
    fclose(file);
    return size;
}

// whatever is accepted must be a mesh: indices in range, coordinates finite
static bool accepted(const char* data, size_t size)
{
    TriMesh mesh = {0};
    mn_Error error = {0};
    char* copy = malloc(size + 1);
    memcpy(copy, data, size);
    mn_Result result = mesh_read_memory(copy, size, "garbled", &mesh, &error);
    free(copy);
    if (result == MN_OK) {
        assert_true(mesh.triangle_count + mesh.segment_count > 0);
        for (size_t i = 0; i < mesh.vertex_count; i++)
            assert_true(vec3d_finite(mesh.vertex[i]));
        for (size_t k = 0; k < mesh.triangle_count; k++)
            for (int c = 0; c < 3; c++)
                assert_true(mesh.triangle[k][c] < mesh.vertex_count);
    } else
        assert_true(error.message[0] && (error.line > 0 || strncmp(error.message, "byte ", 5) == 0));
    tri_mesh_free(&mesh);
    return result == MN_OK;
}

static void truncated_files_do_no_harm(void** state)
{
    static char data[65536];
    for (int s = 0; s < 5; s++) {
        size_t size = load(SAMPLES[s], data, sizeof data);
        assert_true(accepted(data, size));
        for (size_t cut = 0; cut < size; cut++) {
            bool ok = accepted(data, cut);
            if (ok && s > 0 && cut + 8 < size) // obj has no end mark; the others notice
                fail_msg("%s cut to %zu of %zu bytes was accepted", SAMPLES[s], cut, size);
        }
    }
}

static void garbled_files_do_no_harm(void** state)
{
    static char data[65536], garbled[65536];
    Random random = {77};
    for (int s = 0; s < 5; s++) {
        size_t size = load(SAMPLES[s], data, sizeof data);
        for (int k = 0; k < 1500; k++) {
            memcpy(garbled, data, size);
            for (uint64_t changes = 1 + random_next(&random) % 4; changes > 0; changes--)
                garbled[random_next(&random) % size] = (char)(k % 2 ? random_next(&random) : 32 + random_next(&random) % 90);
            accepted(garbled, size);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_refused_with_its_place),
        cmocka_unit_test(no_error_struct_is_fine),
        cmocka_unit_test(truncated_files_do_no_harm),
        cmocka_unit_test(garbled_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
