// SPDX-License-Identifier: MIT
// Where in a JSON text a value stands. Jansson forgets places once a text is read, so the one place that an error message
// needs is found again by walking over the same text.
#ifndef SCENE_PLACE_H
#define SCENE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

// One step down: into a member of an object, or into an element of an array if `key` is NULL.
typedef struct PathStep {
    const char* key;
    size_t index;
} PathStep;

enum { PATH_DEPTH = 16 };
typedef struct Path {
    PathStep step[PATH_DEPTH];
    size_t depth;
} Path;

bool path_push_key(Path* path, const char* key); // false: too deep. The key is not copied.
bool path_push_index(Path* path, size_t index);
void path_pop(Path* path);
// "fluids.0.density". Returns `buffer`.
const char* path_text(const Path* path, char* buffer, size_t size);

typedef struct Place {
    int line, column; // from 1; columns count characters
} Place;

// Where the value at `path` starts, or its key with `at_key`; of a path that is not there, the deepest part that is.
Place place_of(const char* text, size_t size, const Path* path, bool at_key);

// The dotted path of whatever stands just before byte `offset` of a text that may be broken there. Returns `buffer`.
const char* place_key_at(const char* text, size_t size, size_t offset, char* buffer, size_t buffer_size);

#endif
