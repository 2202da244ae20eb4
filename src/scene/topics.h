// SPDX-License-Identifier: MIT
// Walking over the table of keys for help, schema and docs.
#ifndef SCENE_TOPICS_H
#define SCENE_TOPICS_H

#include "defs/keys.h"
#include "scene/page.h"

// A section together with an object that holds its defaults.
typedef struct Topic {
    const Section* section;
    const void* defaults;
} Topic;

enum { MOST_TOPICS = 64, MOST_DEFAULTS = 1024 };

// Every section of the scene, parents before children, in the order of the table.
typedef struct Topics {
    mn_Scene scene;
    _Alignas(16) char items[MOST_TOPICS][MOST_DEFAULTS]; // defaults of list items
    Topic topic[MOST_TOPICS];
    size_t count;
} Topics;

void topics_fill(Topics* topics);

// "none", "0.01", "4 particle_radius", "required": what holds when the key is left out.
void topic_default(Page* page, const Key* key, const void* defaults);
// "fluids.blocks.min"
void topic_path(Page* page, const Section* section, const Key* key);

#endif
