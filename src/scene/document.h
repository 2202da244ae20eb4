// SPDX-License-Identifier: MIT
// The text of a scene and the --set that were laid over it: what a message needs to say where a value stands.
#ifndef SCENE_DOCUMENT_H
#define SCENE_DOCUMENT_H

#include "scene/place.h"

#include <meniscus/base.h>

typedef struct Document {
    const char* text;
    size_t size;
    const char* name; // of the file
    const char* const* sets;
    size_t set_count;
} Document;

// The error's place becomes that of the value at `path` (of its key with `at_key`), or "--set" if that gave it.
void document_place(const Document* document, const Path* path, bool at_key, mn_Error* error);
// The same for the dotted path that the error's key is, if the error does not name a file already.
void document_place_key(const Document* document, mn_Error* error);

// A copy that stays when the text is gone, in one piece of memory: free with free(). NULL: out of memory.
Document* document_copy(const Document* document);

#endif
