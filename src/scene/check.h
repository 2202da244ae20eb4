// SPDX-License-Identifier: MIT
// What concerns several keys of a section: defaults that depend on other keys, and contradictions. Called after its keys
// were read; false: failed, with the reader's error set.
#ifndef SCENE_CHECK_H
#define SCENE_CHECK_H

#include <stdbool.h>

struct Reader;
struct json_t;

// What a plain value in a list of pins stands for, as a new object; NULL: nothing.
struct json_t* pin_shorthand(struct json_t* value);

// Whether the scene has a solid of that name; if not, says so at `key`, with the names that there are.
bool solid_exists(struct Reader* reader, const char* key, const char* name);

bool scene_finish(struct Reader* reader, struct json_t* node, void* object);
bool solver_finish(struct Reader* reader, struct json_t* node, void* object);
bool tension_finish(struct Reader* reader, struct json_t* node, void* object);
bool fluid_finish(struct Reader* reader, struct json_t* node, void* object);
bool block_finish(struct Reader* reader, struct json_t* node, void* object);
bool ball_finish(struct Reader* reader, struct json_t* node, void* object);
bool emitter_finish(struct Reader* reader, struct json_t* node, void* object);
bool solid_finish(struct Reader* reader, struct json_t* node, void* object);
bool pin_finish(struct Reader* reader, struct json_t* node, void* object);
bool drain_finish(struct Reader* reader, struct json_t* node, void* object);
bool joint_finish(struct Reader* reader, struct json_t* node, void* object);
bool event_finish(struct Reader* reader, struct json_t* node, void* object);
bool probe_finish(struct Reader* reader, struct json_t* node, void* object);
bool camera_finish(struct Reader* reader, struct json_t* node, void* object);
bool light_finish(struct Reader* reader, struct json_t* node, void* object);
bool solid_look_finish(struct Reader* reader, struct json_t* node, void* object);
bool fluid_look_finish(struct Reader* reader, struct json_t* node, void* object);
bool view_finish(struct Reader* reader, struct json_t* node, void* object);

#endif
