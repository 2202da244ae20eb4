// SPDX-License-Identifier: MIT
// STL, text and binary. The word "solid" at the start proves nothing, since many programs write it into binary headers: a
// file is binary if its size is exactly what the count at byte 80 asks for, or if it is not text. Normals are ignored (the
// order of the corners tells the side), and corners that several triangles repeat are merged.
#include "mesh/mesh_file.h"

#include "base/error.h"
#include "mesh/text.h"
#include <string.h>

enum { HEADER_BYTES = 84, TRIANGLE_BYTES = 50 };
static const double WELD_SHARE = 1e-6; // of the mesh's diagonal; single precision carries about 1e-7

static uint32_t little_u32(const char* p)
{
    const unsigned char* b = (const unsigned char*)p;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double little_float(const char* p)
{
    uint32_t bits = little_u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static bool size_matches(const char* data, size_t size)
{
    return size >= HEADER_BYTES && size - HEADER_BYTES == (uint64_t)TRIANGLE_BYTES * little_u32(data + 80);
}

// Control characters near the start, which no text format has.
static bool looks_binary(const char* data, size_t size)
{
    size_t most = size < 1024 ? size : 1024;
    for (size_t i = 0; i < most; i++) {
        unsigned char c = (unsigned char)data[i];
        if (c < 32 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v' && c != 26)
            return true;
    }
    return false;
}

static bool is_binary(const char* data, size_t size)
{
    return size_matches(data, size) || looks_binary(data, size);
}

bool stl_recognise(const char* data, size_t size)
{
    if (is_binary(data, size))
        return true;
    Text text = text_open(data, size, NULL, NULL);
    text_skip_space(&text);
    return word_is_keyword(text_word(&text), "solid");
}

// --- binary

static mn_Result byte_error(size_t byte, const char* name, mn_Error* error, const char* what)
{
    error_set(error, MN_BAD_INPUT, "byte %zu: %s", byte, what);
    error_at(error, name, 0, 0);
    return MN_BAD_INPUT;
}

static mn_Result check_binary_size(const char* data, size_t size, const char* name, mn_Error* error)
{
    if (size < HEADER_BYTES)
        return byte_error(size, name, error, "not text, and too short for the 84 byte header of a binary stl file");
    if (size_matches(data, size))
        return MN_OK;
    uint32_t count = little_u32(data + 80);
    error_set(error, MN_BAD_INPUT, "byte 80: as binary stl, %u triangles need %llu bytes, but the file has %zu", count,
              (unsigned long long)HEADER_BYTES + (unsigned long long)TRIANGLE_BYTES * count, size);
    error_at(error, name, 0, 0);
    return MN_BAD_INPUT;
}

static mn_Result add_corners(TriMesh* mesh, const Vec3d corner[3], const char* name, mn_Error* error)
{
    uint32_t first = (uint32_t)mesh->vertex_count;
    for (int c = 0; c < 3; c++)
        if (!tri_mesh_add_vertex(mesh, corner[c]))
            return mesh_no_memory(name, error);
    return tri_mesh_add_triangle(mesh, first, first + 1, first + 2) ? MN_OK : mesh_no_memory(name, error);
}

static mn_Result read_binary(const char* data, size_t size, const char* name, TriMesh* mesh, mn_Error* error)
{
    mn_Result result = check_binary_size(data, size, name, error);
    for (size_t at = HEADER_BYTES; result == MN_OK && at < size; at += TRIANGLE_BYTES) {
        Vec3d corner[3];
        for (int c = 0; c < 3; c++) {
            const char* p = data + at + 12 + 12 * c; // behind the normal
            corner[c] = vec3d(little_float(p), little_float(p + 4), little_float(p + 8));
            if (!(fabs(corner[c].x) <= MESH_COORDINATE_MAX && fabs(corner[c].y) <= MESH_COORDINATE_MAX &&
                  fabs(corner[c].z) <= MESH_COORDINATE_MAX))
                return byte_error((size_t)(p - data), name, error, "vertex coordinates must be finite and at most 1e12");
        }
        result = add_corners(mesh, corner, name, error);
    }
    return result;
}

// --- text

// The next word, on whatever line, must be this one.
static mn_Result expect(Text* text, const char* keyword)
{
    text_skip_space(text);
    Word word = text_word(text);
    if (word_is_keyword(word, keyword))
        return MN_OK;
    if (word.length == 0)
        return text_error(text, word, "the file ends where '%s' is needed", keyword);
    return text_error(text, word, "'%s' found where '%s' is needed", quote(word).text, keyword);
}

// "facet" has been read: normal x y z outer loop, three vertices, endloop endfacet
static mn_Result read_facet(Text* text, TriMesh* mesh)
{
    mn_Result result = expect(text, "normal");
    for (int k = 0; k < 3 && result == MN_OK; k++) {
        text_skip_space(text);
        if (text_word(text).length == 0) // programs write nan for normals of slivers, so any word will do
            result = text_error(text, (Word){0}, "the file ends within a facet's normal");
    }
    if (result == MN_OK)
        result = expect(text, "outer");
    if (result == MN_OK)
        result = expect(text, "loop");
    Vec3d corner[3] = {{0}};
    for (int c = 0; c < 3 && result == MN_OK; c++) {
        double* values[3] = {&corner[c].x, &corner[c].y, &corner[c].z};
        result = expect(text, "vertex");
        for (int k = 0; k < 3 && result == MN_OK; k++) {
            text_skip_space(text);
            result = text_coordinate(text, "vertex coordinate", values[k]);
        }
    }
    if (result == MN_OK)
        result = expect(text, "endloop");
    if (result == MN_OK)
        result = expect(text, "endfacet");
    return result == MN_OK ? add_corners(mesh, corner, text->name, text->error) : result;
}

// Facets up to and with "endsolid"; names fill the rest of their lines.
static mn_Result read_solid(Text* text, TriMesh* mesh)
{
    mn_Result result = expect(text, "solid");
    text_next_line(text);
    while (result == MN_OK) {
        text_skip_space(text);
        Word word = text_word(text);
        if (word_is_keyword(word, "endsolid")) {
            text_next_line(text);
            return MN_OK;
        }
        if (word.length == 0)
            return text_error(text, word, "the file ends where 'facet' or 'endsolid' is needed");
        if (!word_is_keyword(word, "facet"))
            return text_error(text, word, "'%s' found where 'facet' or 'endsolid' is needed", quote(word).text);
        result = read_facet(text, mesh);
    }
    return result;
}

static mn_Result read_text(const char* data, size_t size, const char* name, TriMesh* mesh, mn_Error* error)
{
    Text text = text_open(data, size, name, error);
    for (text_skip_space(&text); text.at < text.end; text_skip_space(&text)) {
        mn_Result result = read_solid(&text, mesh);
        if (result != MN_OK)
            return result;
    }
    if (mesh->triangle_count == 0)
        return text_error(&text, (Word){0}, "the stl file has no facets");
    return MN_OK;
}

mn_Result stl_read(const char* data, size_t size, const char* name, TriMesh* mesh, mn_Error* error)
{
    bool binary = is_binary(data, size);
    mn_Result result = binary ? read_binary(data, size, name, mesh, error) : read_text(data, size, name, mesh, error);
    if (result != MN_OK)
        return result;
    Box3d box = tri_mesh_bounds(mesh);
    if (!tri_mesh_weld(mesh, WELD_SHARE * vec3d_distance(box.min, box.max)))
        return mesh_no_memory(name, error);
    if (mesh->triangle_count == 0) // none at all, or all with coincident corners
        return byte_error(binary ? 80 : size, name, error, "the stl file has no triangles with three different corners");
    return MN_OK;
}
