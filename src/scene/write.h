// SPDX-License-Identifier: MIT
// mn_Scene to JSON, led by the table of keys.
#ifndef SCENE_WRITE_H
#define SCENE_WRITE_H

#include "defs/keys.h"
#include "scene/page.h"

// What a value's text depends on besides the value.
typedef struct WriteContext {
    int dimension;
    const char* folder; // where relative file names start; they are written as absolute ones
} WriteContext;

// The value of one key of `object` as JSON; objects and lists included.
void write_value(Page* page, const WriteContext* context, const Key* key, const void* object);

// Whether the writer writes the key of this object at all.
bool key_is_written(const Key* key, const void* object);

#endif
