// SPDX-License-Identifier: MIT
// What only a scene file knows of a section: defaults that depend on which keys are given, names that must differ or be found. What
// defs/check.h asks comes after it. False: failed, with the reader's error set.
#ifndef SCENE_CHECK_H
#define SCENE_CHECK_H

#include "scene/read.h"

// After the keys of a section are read.
bool section_finish(Reader* reader, const Section* section, json_t* node, void* object);
// What a plain value in a list stands for, as a new object; NULL: nothing.
json_t* section_shorthand(const Section* section, json_t* value);

// Whether the scene has a solid of that name; if not, says so at `key`, with the names that there are.
bool solid_exists(Reader* reader, const char* key, const char* name);

// check_view.c
bool solid_look_finish(Reader* reader, json_t* node, void* object);
bool fluid_look_finish(Reader* reader, json_t* node, void* object);
bool view_finish(Reader* reader, json_t* node, void* object);

#endif
