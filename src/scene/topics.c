// SPDX-License-Identifier: MIT
#include "scene/topics.h"

#include "scene/write.h"

static void add_section(Topics* topics, const Section* section, const void* defaults)
{
    if (topics->count == MOST_TOPICS)
        return;
    for (size_t k = 0; k < topics->count; k++) // solids and joints are also what events add
        if (topics->topic[k].section == section)
            return;
    topics->topic[topics->count++] = (Topic){section, defaults};
    for (size_t k = 0; k < section->key_count; k++) {
        const Key* key = &section->keys[k];
        if (key->type == KEY_OBJECT) {
            add_section(topics, key->section, key_at_const(key, defaults));
        } else if (key->type == KEY_LIST && topics->count < MOST_TOPICS && key->section->size <= MOST_DEFAULTS) {
            void* item = topics->items[topics->count];
            key->section->defaults(item);
            add_section(topics, key->section, item);
        }
    }
}

void topics_fill(Topics* topics)
{
    topics->count = 0;
    scene_section.defaults(&topics->scene);
    add_section(topics, &scene_section, &topics->scene);
}

void topic_default(Page* page, const Key* key, const void* defaults)
{
    if (key->required)
        page_add(page, "required");
    else if (key->fallback)
        page_add(page, "%s", key->fallback);
    else if (key->type == KEY_OBJECT && !key->word)
        page_add(page, "as below");
    else
        write_value(page, &(WriteContext){3, NULL}, key, defaults);
}

void topic_path(Page* page, const Section* section, const Key* key)
{
    page_add(page, "%s%s%s", section->path, section->path[0] ? "." : "", key->name);
}
