// SPDX-License-Identifier: MIT
// Wavefront OBJ: vertices (v), polygons (f, cut into triangles) and lines (l). Everything else - texture coordinates, normals,
// groups, materials, curves - is passed over. Indices count from 1, negative ones backwards from the last vertex; a
// polygon may name vertices that come later in the file.
#include "mesh/mesh_file.h"

#include "mesh/text.h"

typedef struct Obj {
    Text text;
    TriMesh* mesh;
    // the largest index that was ahead of the vertices, and where it stood
    int64_t ahead;
    int ahead_line;
} Obj;

static mn_Result out_of_memory(const Obj* obj)
{
    return mesh_no_memory(obj->text.name, obj->text.error);
}

// v x y z, and possibly weight or colour, which are ignored
static mn_Result read_vertex(Obj* obj)
{
    Vec3d p;
    mn_Result result = text_coordinate(&obj->text, "vertex coordinate x", &p.x);
    if (result == MN_OK)
        result = text_coordinate(&obj->text, "vertex coordinate y", &p.y);
    if (result == MN_OK)
        result = text_coordinate(&obj->text, "vertex coordinate z", &p.z);
    if (result == MN_OK && !tri_mesh_add_vertex(obj->mesh, p))
        return out_of_memory(obj);
    return result;
}

// The v of "v", "v/vt", "v//vn" and "v/vt/vn"; the others must be numbers but are not used. NULL: malformed.
static const char* scan_corner(Word word, int64_t* index)
{
    const char* end = word.start + word.length;
    const char* p = scan_integer(word.start, end, index);
    for (int part = 0; p && p < end && *p == '/' && part < 2; part++) {
        int64_t unused;
        p++;
        bool left_out = p < end && *p == '/' && part == 0;
        if (!left_out && p < end)
            p = scan_integer(p, end, &unused);
    }
    return p == end ? p : NULL;
}

// The next corner of an element as an index from 0.
static mn_Result read_corner(Obj* obj, Word word, uint32_t* corner)
{
    int64_t index, count = (int64_t)obj->mesh->vertex_count;
    if (!scan_corner(word, &index))
        return text_error(&obj->text, word, "'%s' is not a vertex index (allowed: v, v/vt, v//vn, v/vt/vn)", quote(word).text);
    if (index == 0)
        return text_error(&obj->text, word, "vertex index 0 does not exist; indices count from 1");
    if (index < -count)
        return text_error(&obj->text, word, "vertex index %lld reaches back before the first of %lld vertices", (long long)index,
                          (long long)count);
    if (index > INT32_MAX)
        return text_error(&obj->text, word, "vertex index %lld is out of range", (long long)index);
    if (index > count && index > obj->ahead) {
        obj->ahead = index;
        obj->ahead_line = obj->text.line;
    }
    *corner = (uint32_t)(index < 0 ? count + index : index - 1);
    return MN_OK;
}

// The next word of the element; false at its end or at a comment.
static bool next_corner(Obj* obj, Word* word)
{
    *word = text_word(&obj->text);
    return word->length > 0 && word->start[0] != '#';
}

static mn_Result read_face(Obj* obj)
{
    uint32_t first = 0, last = 0, corner;
    int corners = 0;
    size_t before = obj->mesh->triangle_count;
    for (Word word; next_corner(obj, &word); corners += corners < 3) {
        mn_Result result = read_corner(obj, word, &corner);
        if (result != MN_OK)
            return result;
        if (corners == 0)
            first = corner;
        bool distinct = corner != last && corner != first && last != first;
        if (corners >= 2 && distinct && !tri_mesh_add_triangle(obj->mesh, first, last, corner))
            return out_of_memory(obj);
        last = corner;
    }
    if (corners < 3)
        return text_error(&obj->text, (Word){0}, "a face needs at least 3 vertices, not %d", corners);
    return mesh_recut_fan(obj->mesh, before) ? MN_OK : out_of_memory(obj);
}

static mn_Result read_line(Obj* obj)
{
    uint32_t last = 0, corner;
    int corners = 0;
    for (Word word; next_corner(obj, &word); corners += corners < 2) {
        mn_Result result = read_corner(obj, word, &corner);
        if (result != MN_OK)
            return result;
        if (corners > 0 && corner != last && !tri_mesh_add_segment(obj->mesh, last, corner))
            return out_of_memory(obj);
        last = corner;
    }
    if (corners < 2)
        return text_error(&obj->text, (Word){0}, "a line needs at least 2 vertices, not %d", corners);
    return MN_OK;
}

static mn_Result read_element(Obj* obj)
{
    Word keyword = text_word(&obj->text);
    if (keyword.length > 0 && keyword.start[0] == '#')
        obj->text.continuation = false; // a comment may end in a backslash without meaning to go on
    if (keyword.length != 1)
        return MN_OK;
    switch (keyword.start[0]) {
    case 'v':
        return read_vertex(obj);
    case 'f':
        return read_face(obj);
    case 'l':
        return read_line(obj);
    default:
        return MN_OK;
    }
}

static mn_Result check_whole(Obj* obj)
{
    const TriMesh* mesh = obj->mesh;
    if (obj->ahead > (int64_t)mesh->vertex_count) {
        Text place = obj->text;
        place.line = obj->ahead_line;
        place.line_start = place.at = place.end + 1; // column unknown
        return text_error(&place, (Word){0}, "vertex index %lld is out of range; the file has %zu vertices", (long long)obj->ahead,
                          mesh->vertex_count);
    }
    if (mesh->triangle_count == 0 && mesh->segment_count == 0)
        return text_error(&obj->text, (Word){0}, "the file ends without a face or line; is it an obj, ply or stl mesh?");
    return MN_OK;
}

mn_Result obj_read(const char* data, size_t size, const char* name, TriMesh* mesh, mn_Error* error)
{
    Obj obj = {.text = text_open(data, size, name, error), .mesh = mesh};
    obj.text.continuation = true;
    while (obj.text.at < obj.text.end) {
        mn_Result result = read_element(&obj);
        if (result != MN_OK)
            return result;
        text_next_line(&obj.text);
        obj.text.continuation = true;
    }
    return check_whole(&obj);
}
