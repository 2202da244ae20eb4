// SPDX-License-Identifier: MIT
// Gmsh, ASCII. Sections $Name ... $EndName; of them $MeshFormat, $Nodes and $Elements are read.
//   2.x   nodes: count, then "number x y z"; elements: count, then "number type tags tag... node..."
//   4.0   blocks: "tag dimension parametric count", then "number x y z [u v w]"; "tag dimension type count", then "number node..."
//   4.1   the same, but dimension before tag, and of a block of nodes first all numbers, then all coordinates
// Elements of type 4 are tetrahedra of four nodes; all others are passed over.
#include "mesh/tet_file.h"

#include "mesh/mesh_file.h"
#include <string.h>

enum { TETRAHEDRON = 4 };

typedef struct Msh {
    Text text;
    TetFile file;
    double version;
} Msh;

static const int64_t MOST = 1ll << 53;

static mn_Result next_line(Msh* msh, const char* section)
{
    if (!text_next_full_line(&msh->text, 0))
        return text_error(&msh->text, (Word){0}, "the file ends within $%s", section);
    return MN_OK;
}

static mn_Result read_format(Msh* msh)
{
    mn_Result result = next_line(msh, "MeshFormat");
    if (result != MN_OK)
        return result;
    Word version = text_word(&msh->text);
    if (!word_number(version, &msh->version) || !(msh->version >= 2 && msh->version < 5 && (msh->version < 3 || msh->version >= 4)))
        return text_error(&msh->text, version, "Gmsh version '%s' is not known (allowed: 2.0 to 2.2, 4.0, 4.1)",
                          quote(version).text);
    int64_t binary;
    result = text_integer(&msh->text, "the file type", 0, 1, &binary);
    if (result == MN_OK && binary)
        return text_error(&msh->text, (Word){0}, "is a binary Gmsh file; save it as ASCII (gmsh -format msh2 or msh41)");
    return result;
}

// Counts at the head of a section or block, which stand in one line.
static mn_Result read_counts(Msh* msh, const char* section, int count, int64_t* value)
{
    mn_Result result = next_line(msh, section);
    for (int k = 0; k < count && result == MN_OK; k++)
        result = text_integer(&msh->text, "a count", -MOST, MOST, &value[k]);
    return result;
}

static mn_Result read_node(Msh* msh)
{
    int64_t number;
    Vec3d at;
    mn_Result result = next_line(msh, "Nodes");
    if (result == MN_OK)
        result = text_integer(&msh->text, "the node's number", 0, MOST, &number);
    if (result == MN_OK)
        result = text_point(&msh->text, &at);
    return result == MN_OK ? tet_file_add_node(&msh->file, &msh->text, number, at) : result;
}

// Version 4.1: numbers first. The places are filled in when they come.
static mn_Result read_split_block(Msh* msh, int64_t count)
{
    size_t first = msh->file.node_count;
    mn_Result result = MN_OK;
    for (int64_t k = 0, number; k < count && result == MN_OK; k++) {
        result = next_line(msh, "Nodes");
        if (result == MN_OK)
            result = text_integer(&msh->text, "the node's number", 0, MOST, &number);
        if (result == MN_OK)
            result = tet_file_add_node(&msh->file, &msh->text, number, (Vec3d){0});
    }
    for (size_t k = first; k < msh->file.node_count && result == MN_OK; k++) {
        result = next_line(msh, "Nodes");
        if (result == MN_OK)
            result = text_point(&msh->text, &msh->file.node[k].at);
    }
    return result;
}

static mn_Result read_nodes(Msh* msh)
{
    int64_t head[4] = {0};
    mn_Result result = read_counts(msh, "Nodes", 1, head);
    bool blocks = msh->version >= 4;
    for (int64_t b = 0; b < head[0] && blocks && result == MN_OK; b++) {
        int64_t block[4];
        result = read_counts(msh, "Nodes", 4, block);
        if (result == MN_OK && msh->version > 4.05)
            result = read_split_block(msh, block[3]);
        for (int64_t k = 0; msh->version <= 4.05 && k < block[3] && result == MN_OK; k++)
            result = read_node(msh);
    }
    for (int64_t k = 0; k < head[0] && !blocks && result == MN_OK; k++)
        result = read_node(msh);
    return result;
}

// The four nodes that follow in this line.
static mn_Result read_corners(Msh* msh)
{
    int64_t node[4];
    mn_Result result = MN_OK;
    for (int c = 0; c < 4 && result == MN_OK; c++)
        result = text_integer(&msh->text, "a node of the tetrahedron", 0, MOST, &node[c]);
    return result == MN_OK ? tet_file_add_tet(&msh->file, &msh->text, node) : result;
}

static mn_Result read_element(Msh* msh) // version 2
{
    int64_t head[3], tag;
    mn_Result result = read_counts(msh, "Elements", 3, head);
    if (result != MN_OK || head[1] != TETRAHEDRON)
        return result;
    for (int64_t k = 0; k < head[2] && result == MN_OK; k++)
        result = text_integer(&msh->text, "a tag", -MOST, MOST, &tag);
    return result == MN_OK ? read_corners(msh) : result;
}

static mn_Result read_element_block(Msh* msh) // version 4
{
    int64_t block[4], number;
    mn_Result result = read_counts(msh, "Elements", 4, block);
    for (int64_t k = 0; result == MN_OK && k < block[3]; k++) {
        result = next_line(msh, "Elements");
        if (result != MN_OK || block[2] != TETRAHEDRON)
            continue;
        result = text_integer(&msh->text, "the element's number", 0, MOST, &number);
        if (result == MN_OK)
            result = read_corners(msh);
    }
    return result;
}

static mn_Result read_elements(Msh* msh)
{
    int64_t count = 0;
    mn_Result result = read_counts(msh, "Elements", 1, &count);
    for (int64_t k = 0; k < count && result == MN_OK; k++)
        result = msh->version >= 4 ? read_element_block(msh) : read_element(msh);
    return result;
}

static mn_Result read_section(Msh* msh)
{
    Word name = text_word(&msh->text);
    if (word_is(name, "$MeshFormat"))
        return read_format(msh);
    bool needed = word_is(name, "$Nodes") || word_is(name, "$Elements");
    if (needed && msh->version == 0)
        return text_error(&msh->text, name, "$MeshFormat must come before %s", quote(name).text);
    if (word_is(name, "$Nodes"))
        return read_nodes(msh);
    return word_is(name, "$Elements") ? read_elements(msh) : MN_OK; // lines of other sections are passed over
}

mn_Result msh_read(const char* data, size_t size, const char* name, TetMesh* mesh, mn_Error* error)
{
    Msh msh = {.text = text_open(data, size, name, error)};
    mn_Result result = MN_OK;
    text_skip_space(&msh.text);
    if (!word_is(text_word(&(Text){.at = msh.text.at, .end = msh.text.end}), "$MeshFormat"))
        result = text_error(&msh.text, (Word){0},
                            "does not start with $MeshFormat; a Gmsh file (.msh, ASCII, version 2 or 4) is needed");
    while (result == MN_OK && msh.text.at < msh.text.end) {
        result = read_section(&msh);
        if (result == MN_OK && !text_next_full_line(&msh.text, 0))
            break;
    }
    if (result == MN_OK)
        result = tet_file_finish(&msh.file, &msh.text, mesh);
    tet_file_free(&msh.file);
    return result;
}
