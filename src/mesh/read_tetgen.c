// SPDX-License-Identifier: MIT
// TetGen: NAME.node has a line "count dimension attributes markers", then a line "number x y z ..." per node; NAME.ele a line
// "count nodes attributes", then "number n1 n2 n3 n4 ..." per tetrahedron. A # starts a comment. Numbers start at 0 or 1.
#include "mesh/tet_file.h"

static mn_Result ends_early(const Text* text, const char* what, int64_t got, int64_t expected)
{
    return text_error(text, (Word){0}, "the file ends after %lld of %lld %s", (long long)got, (long long)expected, what);
}

// To the first line that holds something.
static bool first_line(Text* text)
{
    text_skip_space(text);
    if (text->at >= text->end)
        return false;
    return *text->at != '#' || text_next_full_line(text, '#');
}

static mn_Result read_nodes(Text* text, TetFile* file)
{
    int64_t count, dimension, number;
    if (!first_line(text))
        return text_error(text, (Word){0}, "is empty; a TetGen .node file is needed");
    mn_Result result = text_integer(text, "the number of nodes", 1, INT32_MAX, &count);
    if (result == MN_OK)
        result = text_integer(text, "the dimension", 3, 3, &dimension);
    for (int64_t k = 0; k < count && result == MN_OK; k++) {
        Vec3d at;
        if (!text_next_full_line(text, '#'))
            return ends_early(text, "nodes", k, count);
        result = text_integer(text, "the node's number", 0, INT32_MAX, &number);
        if (result == MN_OK)
            result = text_point(text, &at);
        if (result == MN_OK)
            result = tet_file_add_node(file, text, number, at);
    }
    return result;
}

static mn_Result read_tet(Text* text, TetFile* file)
{
    int64_t number, node[4];
    mn_Result result = text_integer(text, "the tetrahedron's number", 0, INT32_MAX, &number);
    for (int c = 0; c < 4 && result == MN_OK; c++)
        result = text_integer(text, "a node of the tetrahedron", 0, INT32_MAX, &node[c]);
    return result == MN_OK ? tet_file_add_tet(file, text, node) : result;
}

static mn_Result read_elements(Text* text, TetFile* file)
{
    int64_t count, corners;
    if (!first_line(text))
        return text_error(text, (Word){0}, "is empty; a TetGen .ele file is needed");
    mn_Result result = text_integer(text, "the number of tetrahedra", 1, INT32_MAX, &count);
    if (result == MN_OK)
        result = text_integer(text, "the number of nodes of a tetrahedron", 4, 10, &corners);
    if (result == MN_OK && corners != 4 && corners != 10)
        return text_error(text, (Word){0}, "tetrahedra of %lld nodes are not known (allowed: 4, or 10 of which the first 4 count)",
                          (long long)corners);
    for (int64_t k = 0; k < count && result == MN_OK; k++)
        result = text_next_full_line(text, '#') ? read_tet(text, file) : ends_early(text, "tetrahedra", k, count);
    return result;
}

mn_Result tetgen_read(const char* nodes, size_t node_size, const char* node_name, const char* elements, size_t element_size,
                      const char* element_name, TetMesh* mesh, mn_Error* error)
{
    TetFile file = {0};
    Text node_text = text_open(nodes, node_size, node_name, error);
    Text element_text = text_open(elements, element_size, element_name, error);
    mn_Result result = read_nodes(&node_text, &file);
    if (result == MN_OK)
        result = read_elements(&element_text, &file);
    if (result == MN_OK)
        result = tet_file_finish(&file, &element_text, mesh);
    tet_file_free(&file);
    return result;
}
