// SPDX-License-Identifier: MIT
// Templates: ragdolls and chains become solids and joints while a scene is read, so that nothing behind the reader knows them
// and a run's scene.json gives the same bits.
#ifndef SCENE_TEMPLATE_H
#define SCENE_TEMPLATE_H

#include <stdbool.h>

struct Reader;
struct json_t;

bool ragdoll_finish(struct Reader* reader, struct json_t* node, void* object);
bool chain_finish(struct Reader* reader, struct json_t* node, void* object);

// Once all keys of a scene are read: appends the solids and joints of its templates, which are then gone.
bool expand_templates(struct Reader* reader);

#endif
