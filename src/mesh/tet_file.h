// SPDX-License-Identifier: MIT
// What the readers of tetrahedral files share: nodes come with numbers of their own, in any order and with gaps.
#ifndef MESH_TET_FILE_H
#define MESH_TET_FILE_H

#include "mesh/tet_mesh.h"
#include "mesh/text.h"

typedef struct NumberedNode {
    int64_t number;
    Vec3d at;
} NumberedNode;

typedef struct NumberedTet {
    int64_t node[4];
    int line; // where it stood
} NumberedTet;

typedef struct TetFile {
    NumberedNode* node;
    NumberedTet* tet;
    size_t node_count, node_capacity, tet_count, tet_capacity;
} TetFile;

void tet_file_free(TetFile* file);

// Append, or fail with a message.
mn_Result tet_file_add_node(TetFile* file, const Text* text, int64_t number, Vec3d at);
mn_Result tet_file_add_tet(TetFile* file, const Text* text, const int64_t node[4]);

// The next word of the line as an integer from `least` to `most`.
mn_Result text_integer(Text* text, const char* what, int64_t least, int64_t most, int64_t* value);
mn_Result text_point(Text* text, Vec3d* point);
// To the next line that holds something; `comment` starts a comment (0: there are none). False: the text is at its end.
bool text_next_full_line(Text* text, char comment);

// Puts numbers in place of the nodes' own ones. `elements` is for messages.
mn_Result tet_file_finish(TetFile* file, const Text* elements, TetMesh* mesh);

#endif
