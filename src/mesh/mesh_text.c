// SPDX-License-Identifier: MIT
// Meshes as texts in the place of file names.
#include <meniscus/mesh.h>

#include "mesh/mesh_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PREFIX[] = "data:obj,";

const char* mesh_text_of(const char* file)
{
    return file && !strncmp(file, PREFIX, sizeof PREFIX - 1) ? file + sizeof PREFIX - 1 : NULL;
}

char* mn_mesh_text(const mn_Vec3* vertices, size_t vertex_count, const uint32_t (*triangles)[3], size_t triangle_count)
{
    char* text = NULL;
    size_t size = 0;
    FILE* stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fputs(PREFIX, stream);
    for (size_t k = 0; k < vertex_count; k++)
        fprintf(stream, "v %.17g %.17g %.17g\n", vertices[k].x, vertices[k].y, vertices[k].z);
    for (size_t k = 0; k < triangle_count; k++)
        fprintf(stream, "f %llu %llu %llu\n", triangles[k][0] + 1ull, triangles[k][1] + 1ull, triangles[k][2] + 1ull);
    bool good = !ferror(stream);
    if (fclose(stream) || !good) {
        free(text);
        return NULL;
    }
    return text;
}
