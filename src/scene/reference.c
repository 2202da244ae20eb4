// SPDX-License-Identifier: MIT
// docs/scene-reference.md, made from the table of keys.
#include "scene/help.h"

#include "defs/material.h"
#include "defs/shapes.h"
#include "scene/topics.h"

#include <stdlib.h>
#include <string.h>

// Text in a table cell: '|' would end it.
static void add_cell(Page* page, const char* text)
{
    page_put(page, " ", 1);
    for (const char* c = text; *c; c++)
        page_add(page, *c == '|' ? "\\|" : "%c", *c);
    page_put(page, " |", 2);
}

static void add_row(Page* page, const Key* key, const void* defaults)
{
    char allowed[512];
    Page value = {0};
    topic_default(&value, key, defaults);
    page_add(page, "| `%s` |", key->name);
    add_cell(page, value.data ? value.data : "");
    add_cell(page, key_allowed(key, 3, allowed, sizeof allowed));
    page_add(page, " %s%s%s%s", key->doc, key->only ? " Only for " : "", key->only ? key->only : "", key->only ? "." : "");
    if (key->section)
        page_add(page, " See [%s](#%s).", key->section->path, key->section->path);
    page_add(page, " |\n");
    page_free(&value);
}

static void add_section(Page* page, const Topic* topic)
{
    const Section* section = topic->section;
    page_add(page, "\n<a id=\"%s\"></a>\n\n## %s\n\n%s\n\n", section->path[0] ? section->path : "scene",
             section->path[0] ? section->path : "The scene", section->doc);
    page_add(page, "| key | default | allowed [unit] | meaning |\n| --- | --- | --- | --- |\n");
    for (size_t k = 0; k < section->key_count; k++) {
        if (!key_is_later(&section->keys[k]))
            add_row(page, &section->keys[k], topic->defaults);
    }
}

static void add_intro(Page* page)
{
    page_add(
        page,
        "# Scene reference\n\n"
        "Every key of a scene file. This page is made from the table that the reader itself uses (`src/defs/keys.c`);\n"
        "change it there and write it anew with `meniscus help reference > docs/scene-reference.md`.\n\n"
        "A scene file is JSON in SI units; y is up unless gravity says otherwise. A missing key has its default; an unknown\n"
        "key, a wrong type and an impossible value are errors that name line, column and key. In scenes with `\"dimension\": 2`\n"
        "vectors have two numbers, `[x, y]`. Relative file names start at the folder of the scene file. Keys can be overridden\n"
        "on the command line by a dotted path, `--set fluids.0.viscosity=0.1`.\n\n"
        "A complete small scene:\n\n"
        "```json\n"
        "{\n"
        "  \"particle_radius\": 0.02,\n"
        "  \"fluids\": [{\"material\": \"water\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.5, 0.8, 0.5]}]}],\n"
        "  \"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [1.6, 1, 0.5]}, \"position\": [0.8, 0.5, 0.25], \"inside\": "
        "true}]\n"
        "}\n"
        "```\n");
}

static void add_tables(Page* page)
{
    page_add(page, "\n<a id=\"shapes\"></a>\n\n## Shapes\n\n"
                   "A shape is an object with one key, `\"shape\": {\"box\": [1, 2, 3]}`. Sizes in m, above 0. A grid takes\n"
                   "`\"cells\": [a, b]` beside it. Closed shapes become containers with `\"inside\": true`.\n\n"
                   "| shape | value | in 2D | closed | |\n| --- | --- | --- | --- | --- |\n");
    for (int k = 0; k < SHAPE_KIND_COUNT; k++) {
        const ShapeKind* kind = &shape_kinds[k];
        const char* closed = shape_is_file((mn_ShapeType)k) ? "if the mesh is" : kind->closed ? "yes" : "no";
        page_add(page, "| `%s` | `%s` | `%s` | %s | %s |\n", kind->name, kind->form, shape_form(kind, 2), closed, kind->doc);
    }
    page_add(page, "\n<a id=\"rotation\"></a>\n\n## Rotations\n\n"
                   "| form | meaning |\n| --- | --- |\n"
                   "| `[w, x, y, z]` | quaternion, normalised when read |\n"
                   "| `{\"axis\": [x, y, z], \"angle\": a}` | by a degrees about an axis |\n"
                   "| `{\"euler\": [x, y, z]}` | degrees about the fixed axes x, then y, then z |\n"
                   "| `{\"angle\": a}` | in 2D: by a degrees about z, counter-clockwise |\n");
    page_add(
        page,
        "\n<a id=\"materials\"></a>\n\n## Materials\n\n"
        "Handbook values at about 20 degrees Celsius. Thin liquids use artificial viscosity, because their physical one is\n"
        "below what particles resolve; `\"viscosity_method\": \"laplace\"` takes the physical one. Surface tension is at\n"
        "least what holds a falling stream together, gamma = 0.05 (more than the physical one for water from radii of 4 mm on); "
        "`\"surface_tension\": 0` takes it away.\n\n"
        "| material | density [kg/m3] | viscosity [Pa s] | surface tension [N/m] | viscosity_method | |\n| --- | --- | --- | "
        "--- | --- | --- |\n");
    for (int k = 0; k < MATERIAL_COUNT; k++) {
        const Material* m = &materials[k];
        page_add(page, "| `%s` | %g | %g | %g | %s | %s |\n", m->name, m->density, m->viscosity, m->tension,
                 m->method == MN_VISCOSITY_IMPLICIT ? "implicit" : "artificial", m->doc);
    }
}

char* scene_reference_markdown(void)
{
    Topics* topics = malloc(sizeof *topics);
    if (!topics)
        return NULL;
    topics_fill(topics);
    Page page = {0};
    add_intro(&page);
    for (size_t k = 0; k < topics->count; k++)
        add_section(&page, &topics->topic[k]);
    add_tables(&page);
    free(topics);
    return page_take(&page);
}
