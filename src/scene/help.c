// SPDX-License-Identifier: MIT
// Help texts for the terminal.
#include "scene/help.h"

#include "base/error.h"
#include "defs/material.h"
#include "defs/shapes.h"
#include "scene/topics.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, NAME_WIDTH = 24 };

// Words of `text` in lines that end before WIDTH; the first continues at `column`, the others start at `indent`.
static void add_wrapped(Page* page, const char* text, size_t column, size_t indent)
{
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, " ");
        if (!first && column + 1 + length > WIDTH) {
            page_add(page, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            page_put(page, " ", 1);
            column++;
        }
        page_put(page, text, length);
        column += length;
        text += length;
        text += *text == ' ';
    }
    page_put(page, "\n", 1);
}

static void add_allowed(Page* page, const Key* key, size_t indent)
{
    char allowed[512];
    key_allowed(key, 3, allowed, sizeof allowed);
    add_wrapped(page, allowed, indent, indent);
}

// --- one key

static void add_key(Page* page, const Topic* topic, const Key* key)
{
    topic_path(page, topic->section, key);
    page_add(page, "\n    ");
    add_wrapped(page, key->doc, 4, 4);
    page_add(page, "    allowed: ");
    add_allowed(page, key, 13);
    page_add(page, "    default: ");
    topic_default(page, key, topic->defaults);
    page_add(page, "\n");
    if (key->only)
        page_add(page, "    only for %s\n", key->only);
    if (key->section)
        page_add(page, "    see also: help %s\n", key->section->path);
    if (key->type == KEY_SHAPE)
        page_add(page, "    see also: help shapes\n");
    if (key->type == KEY_ROTATION)
        page_add(page, "    see also: help rotation\n");
    if (key->type == KEY_MATERIAL)
        page_add(page, "    see also: help materials\n");
}

// --- a section as a table

static void add_row(Page* page, const Key* key, const void* defaults)
{
    size_t start = page->length;
    page_add(page, "  %s ", key->name);
    page_pad(page, start, NAME_WIDTH);
    add_wrapped(page, key->doc, NAME_WIDTH, NAME_WIDTH);
    char allowed[512];
    Page facts = {0};
    if (!key->required)
        page_add(&facts, "default ");
    topic_default(&facts, key, defaults);
    if (key->only)
        page_add(&facts, " for %s", key->only);
    page_add(&facts, "; %s", key_allowed(key, 3, allowed, sizeof allowed));
    page_pad(page, page->length, NAME_WIDTH);
    add_wrapped(page, facts.data ? facts.data : "", NAME_WIDTH, NAME_WIDTH);
    page_free(&facts);
}

static void add_section(Page* page, const Topic* topic)
{
    const Section* section = topic->section;
    page_add(page, "%s: ", section->path[0] ? section->path : "scene");
    add_wrapped(page, section->doc, strlen(section->path) + 2, 2);
    for (size_t k = 0; k < section->key_count; k++) {
        if (!key_is_later(&section->keys[k]))
            add_row(page, &section->keys[k], topic->defaults);
    }
}

static void add_scene(Page* page, const Topics* topics)
{
    page_add(page, "Keys of a scene file, with their meaning, their default and what is allowed [unit].\n"
                   "One of them: help solver.method. More: help materials, help shapes, help rotation.\n\n");
    for (size_t k = 0; k < topics->count; k++) {
        if (k)
            page_put(page, "\n", 1);
        add_section(page, &topics->topic[k]);
    }
}

// --- topics that are not keys

static void add_materials(Page* page)
{
    page_add(page, "Named materials, \"material\": \"honey\": defaults of a fluid.\n\n"
                   "  name         density   viscosity   tension   method\n"
                   "               kg/m3     Pa s        N/m\n");
    for (int k = 0; k < MATERIAL_COUNT; k++) {
        const Material* m = &materials[k];
        page_add(page, "  %-12s %-9g %-11g %-9g %-11s %s\n", m->name, m->density, m->viscosity, m->tension,
                 m->method == MN_VISCOSITY_IMPLICIT ? "implicit" : "artificial", m->doc);
    }
    page_add(page, "\nThin liquids use artificial viscosity, because their physical one is below what particles resolve;\n"
                   "\"viscosity_method\": \"laplace\" takes the physical one. Tension is at least what holds a stream together, "
                   "gamma = 0.05;\n"
                   "\"surface_tension\": 0 takes it away.\n");
}

static void add_shapes(Page* page)
{
    page_add(page, "Shapes of solids, \"shape\": {\"box\": [1, 2, 3]}, in m, centred on the solid's origin.\n\n");
    for (int k = 0; k < SHAPE_KIND_COUNT; k++) {
        const ShapeKind* kind = &shape_kinds[k];
        page_add(page, "  %-9s %-27s %s\n", kind->name, kind->form, kind->doc);
    }
    page_add(page, "\nA grid takes \"cells\": [a, b] beside it. In 2D a box has [width, height], a plane or grid its width.\n"
                   "Box, sphere, capsule, cylinder, cone, torus and closed meshes become containers with \"inside\": true.\n");
}

static void add_rotation(Page* page)
{
    page_add(page, "Rotations, one of\n\n"
                   "  [w, x, y, z]                        quaternion, normalised when read\n"
                   "  {\"axis\": [x, y, z], \"angle\": a}     by a degrees about an axis\n"
                   "  {\"euler\": [x, y, z]}                degrees about the fixed axes x, then y, then z\n"
                   "  {\"angle\": a}                        in 2D: by a degrees about z, counter-clockwise\n");
}

static void add_reference(Page* page)
{
    char* text = scene_reference_markdown();
    page_add(page, "%s", text ? text : "");
    page->failed |= !text;
    free(text);
}

// --- finding a topic

// "fluids.0.blocks.1.min" without the indices.
static char* without_indices(const char* topic)
{
    Page page = {0};
    while (*topic) {
        size_t length = strcspn(topic, ".");
        if (strspn(topic, "0123456789") < length)
            page_add(&page, "%s%.*s", page.length ? "." : "", (int)length, topic);
        topic += length;
        topic += *topic == '.';
    }
    return page_take(&page);
}

static bool is_path(const Section* section, const Key* key, const char* path)
{
    size_t length = strlen(section->path);
    if (length == 0)
        return !strcmp(path, key->name);
    return !strncmp(path, section->path, length) && path[length] == '.' && !strcmp(path + length + 1, key->name);
}

static bool add_matching_keys(Page* page, const Topics* topics, const char* path, bool by_name)
{
    bool found = false;
    for (size_t t = 0; t < topics->count; t++) {
        const Section* section = topics->topic[t].section;
        for (size_t k = 0; k < section->key_count; k++) {
            const Key* key = &section->keys[k];
            bool match = by_name ? !strcmp(key->name, path) : is_path(section, key, path);
            if (!match || key_is_later(key))
                continue;
            if (found)
                page_put(page, "\n", 1);
            add_key(page, &topics->topic[t], key);
            found = true;
        }
    }
    return found;
}

static bool add_matching_section(Page* page, const Topics* topics, const char* path)
{
    for (size_t t = 1; t < topics->count; t++) {
        if (!strcmp(topics->topic[t].section->path, path)) {
            add_section(page, &topics->topic[t]);
            return true;
        }
    }
    return false;
}

static bool add_topic(Page* page, const Topics* topics, const char* path)
{
    static const struct {
        const char* name;
        void (*add)(Page* page);
    } others[] = {{"materials", add_materials}, {"shapes", add_shapes}, {"rotation", add_rotation}, {"reference", add_reference}};
    if (!strcmp(path, "scene")) {
        add_scene(page, topics);
        return true;
    }
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        if (!strcmp(path, others[k].name)) {
            others[k].add(page);
            return true;
        }
    }
    return add_matching_section(page, topics, path) || add_matching_keys(page, topics, path, false) ||
           add_matching_keys(page, topics, path, true);
}

char* scene_help(const char* topic)
{
    Topics* topics = malloc(sizeof *topics);
    char* path = without_indices(topic);
    Page page = {0};
    bool found = false;
    if (topics && path) {
        topics_fill(topics);
        found = add_topic(&page, topics, path);
    }
    free(path);
    free(topics);
    if (found)
        return page_take(&page);
    page_free(&page);
    return NULL;
}

char* scene_help_topics(void)
{
    Topics* topics = malloc(sizeof *topics);
    if (!topics)
        return NULL;
    topics_fill(topics);
    Page page = {0};
    page_add(&page, "scene\nmaterials\nshapes\nrotation\nreference\n");
    for (size_t t = 0; t < topics->count; t++) {
        const Section* section = topics->topic[t].section;
        for (size_t k = 0; k < section->key_count; k++) {
            if (key_is_later(&section->keys[k]))
                continue;
            topic_path(&page, section, &section->keys[k]);
            page_put(&page, "\n", 1);
        }
    }
    free(topics);
    return page_take(&page);
}

char* scene_help_nearest(const char* topic)
{
    char* list = scene_help_topics();
    const char* names[256];
    size_t count = 0;
    char* rest = NULL;
    for (char* name = list ? strtok_r(list, "\n", &rest) : NULL; name && count < 256; name = strtok_r(NULL, "\n", &rest)) {
        names[count++] = name;
        // people leave out the section: compare with the key's own name too
        const char* dot = strrchr(name, '.');
        if (dot && count < 256)
            names[count++] = dot + 1;
    }
    const char* nearest = nearest_word(topic, names, count);
    char* copy = nearest ? strdup(nearest) : NULL;
    free(list);
    return copy;
}
