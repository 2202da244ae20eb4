// SPDX-License-Identifier: MIT
#include "mesh/tet_file.h"

#include "base/error.h"
#include "mesh/mesh_file.h"
#include <stdlib.h>
#include <string.h>

void tet_file_free(TetFile* file)
{
    memory_give(NULL, file->node);
    memory_give(NULL, file->tet);
    *file = (TetFile){0};
}

mn_Result tet_file_add_node(TetFile* file, const Text* text, int64_t number, Vec3d at)
{
    size_t n = file->node_count;
    if (n == file->node_capacity && !memory_reserve(NULL, &file->node, &file->node_capacity, n, n + 64, sizeof *file->node))
        return mesh_no_memory(text->name, text->error);
    file->node[file->node_count++] = (NumberedNode){number, at};
    return MN_OK;
}

mn_Result tet_file_add_tet(TetFile* file, const Text* text, const int64_t node[4])
{
    size_t n = file->tet_count;
    if (n == file->tet_capacity && !memory_reserve(NULL, &file->tet, &file->tet_capacity, n, n + 64, sizeof *file->tet))
        return mesh_no_memory(text->name, text->error);
    file->tet[file->tet_count++] = (NumberedTet){{node[0], node[1], node[2], node[3]}, text->line};
    return MN_OK;
}

// --- scanning

mn_Result text_integer(Text* text, const char* what, int64_t least, int64_t most, int64_t* value)
{
    Word word = text_word(text);
    if (word.length == 0)
        return text_error(text, word, "%s is missing", what);
    const char* end = word.start + word.length;
    if (scan_integer(word.start, end, value) != end)
        return text_error(text, word, "%s '%s' is not an integer", what, quote(word).text);
    if (*value < least || *value > most)
        return text_error(text, word, "%s %lld is out of range (allowed: %lld to %lld)", what, (long long)*value, (long long)least,
                          (long long)most);
    return MN_OK;
}

mn_Result text_point(Text* text, Vec3d* point)
{
    mn_Result result = text_coordinate(text, "node coordinate x", &point->x);
    if (result == MN_OK)
        result = text_coordinate(text, "node coordinate y", &point->y);
    return result == MN_OK ? text_coordinate(text, "node coordinate z", &point->z) : result;
}

bool text_next_full_line(Text* text, char comment)
{
    for (text_next_line(text); text->at < text->end; text_next_line(text)) {
        text_skip_space(text);
        if (text->at < text->end && (!comment || *text->at != comment))
            return true;
    }
    return false;
}

// --- numbers to indices

static int compare_nodes(const void* a, const void* b)
{
    const NumberedNode *p = a, *q = b;
    return p->number < q->number ? -1 : p->number > q->number;
}

static mn_Result message_at(const Text* text, int line, const char* what, int64_t number)
{
    Text place = *text;
    if (line > 0)
        place.line = line;
    place.line_start = place.at = place.end + 1; // column unknown
    return text_error(&place, (Word){0}, "%s %lld", what, (long long)number);
}

static mn_Result sort_nodes(TetFile* file, const Text* elements)
{
    if (file->node_count) // qsort wants an array
        qsort(file->node, file->node_count, sizeof *file->node, compare_nodes);
    for (size_t i = 1; i < file->node_count; i++)
        if (file->node[i].number == file->node[i - 1].number)
            return message_at(elements, 0, "two nodes have the number", file->node[i].number);
    return MN_OK;
}

// `index` (node_count) starts as UINT32_MAX: a node becomes a point when a tetrahedron first uses it.
static mn_Result use_node(const TetFile* file, const NumberedTet* tet, int corner, uint32_t* index, const Text* elements,
                          TetMesh* mesh, uint32_t* point)
{
    NumberedNode wanted = {.number = tet->node[corner]};
    const NumberedNode* node =
        file->node_count ? bsearch(&wanted, file->node, file->node_count, sizeof wanted, compare_nodes) : NULL;
    if (!node)
        return message_at(elements, tet->line, "the tetrahedron uses a node that does not exist:", wanted.number);
    uint32_t* known = &index[node - file->node];
    if (*known == UINT32_MAX) {
        if (!tet_mesh_add_point(mesh, node->at))
            return mesh_no_memory(elements->name, elements->error);
        *known = (uint32_t)mesh->point_count - 1;
    }
    *point = *known;
    return MN_OK;
}

static mn_Result add_tets(const TetFile* file, uint32_t* index, const Text* elements, TetMesh* mesh)
{
    for (size_t t = 0; t < file->tet_count; t++) {
        uint32_t v[4];
        for (int c = 0; c < 4; c++) {
            mn_Result result = use_node(file, &file->tet[t], c, index, elements, mesh, &v[c]);
            if (result != MN_OK)
                return result;
        }
        const Vec3d* x = mesh->point;
        bool turned = tet_volume(x[v[0]], x[v[1]], x[v[2]], x[v[3]]) < 0;
        if (!tet_mesh_add_tet(mesh, v[0], v[1], v[turned ? 3 : 2], v[turned ? 2 : 3]))
            return mesh_no_memory(elements->name, elements->error);
    }
    return MN_OK;
}

mn_Result tet_file_finish(TetFile* file, const Text* elements, TetMesh* mesh)
{
    if (file->tet_count == 0)
        return text_error(elements, (Word){0}, "the file has no tetrahedra of 4 nodes");
    mn_Result result = sort_nodes(file, elements);
    if (result != MN_OK)
        return result;
    uint32_t* index = memory_take(NULL, (file->node_count + 1) * sizeof *index);
    if (!index)
        return mesh_no_memory(elements->name, elements->error);
    memset(index, 0xff, file->node_count * sizeof *index);
    result = add_tets(file, index, elements, mesh);
    memory_give(NULL, index);
    if (result != MN_OK)
        tet_mesh_free(mesh);
    return result;
}

// --- files

static bool ends_with(const char* path, const char* ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

static mn_Result read_msh(const char* path, TetMesh* mesh, mn_Error* error)
{
    char* data;
    size_t size;
    mn_Result result = mesh_file_bytes(path, &data, &size, error);
    if (result == MN_OK)
        result = msh_read(data, size, path, mesh, error);
    memory_give(NULL, data);
    return result;
}

static mn_Result read_tetgen(const char* path, TetMesh* mesh, mn_Error* error)
{
    size_t length = strlen(path);
    bool node = ends_with(path, ".node");
    size_t stem = length - (node ? 5 : 4);
    char* name = memory_take(NULL, 2 * (stem + 6));
    if (!name)
        return mesh_no_memory(path, error);
    char *node_name = name, *element_name = name + stem + 6;
    memcpy(node_name, path, stem);
    memcpy(node_name + stem, ".node", 6);
    memcpy(element_name, path, stem);
    memcpy(element_name + stem, ".ele", 5);
    char *nodes = NULL, *elements = NULL;
    size_t node_size, element_size;
    mn_Result result = mesh_file_bytes(node_name, &nodes, &node_size, error);
    if (result == MN_OK)
        result = mesh_file_bytes(element_name, &elements, &element_size, error);
    if (error && nodes && !elements && result != MN_OUT_OF_MEMORY) {
        char why[sizeof error->message];
        memcpy(why, error->message, sizeof why);
        error_set(error, result, "%.200s; TetGen's .node file needs its .ele file beside it", why);
        error_at(error, element_name, 0, 0);
    }
    if (result == MN_OK)
        result = tetgen_read(nodes, node_size, node_name, elements, element_size, element_name, mesh, error);
    memory_give(NULL, nodes);
    memory_give(NULL, elements);
    memory_give(NULL, name);
    return result;
}

mn_Result tet_mesh_read(const char* path, TetMesh* mesh, mn_Error* error)
{
    bool tetgen = ends_with(path, ".node") || ends_with(path, ".ele");
    return tetgen ? read_tetgen(path, mesh, error) : read_msh(path, mesh, error);
}
