// SPDX-License-Identifier: MIT
#include "scene/check.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 255, LISTED = 8 };

// The name that can be meant, else the first few there are.
static bool fail_no_such(Reader* reader, const char* key, const char* what, const char* name, const char* const* names,
                         size_t count)
{
    char quoted[80], known[LISTED * 40] = "";
    const char* nearest = nearest_word(name, names, count);
    size_t used = 0;
    for (size_t k = 0; k < count && k < LISTED; k++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s\"%.32s\"", k ? ", " : "", names[k]);
    quoted_text(name, quoted, sizeof quoted);
    if (nearest)
        return reader_fail_in(reader, key, "there is no %s named %s; did you mean \"%s\"?", what, quoted, nearest);
    return reader_fail_in(reader, key, "there is no %s named %s; there are %s%s", what, quoted, used ? known : "none",
                          count > LISTED ? ", ..." : "");
}

bool solid_exists(Reader* reader, const char* key, const char* name)
{
    const mn_Scene* scene = reader->scene;
    const char* names[MOST_NAMES];
    size_t count = 0;
    for (size_t k = 0; k < scene->solid_count; k++) {
        if (!strcmp(scene->solids[k].name, name))
            return true;
        if (count < MOST_NAMES)
            names[count++] = scene->solids[k].name;
    }
    return fail_no_such(reader, key, "solid", name, names, count);
}

bool solid_look_finish(Reader* reader, json_t* node, void* object)
{
    return solid_exists(reader, "solid", ((const mn_SolidLook*)object)->solid);
}

bool fluid_look_finish(Reader* reader, json_t* node, void* object)
{
    const mn_FluidLook* look = object;
    const mn_Scene* scene = reader->scene;
    const char* names[MOST_NAMES];
    size_t count = 0;
    for (size_t k = 0; k < scene->fluid_count; k++) {
        if (!strcmp(scene->fluids[k].name, look->fluid))
            return true;
        if (count < MOST_NAMES)
            names[count++] = scene->fluids[k].name;
    }
    return fail_no_such(reader, "fluid", "fluid", look->fluid, names, count);
}

// The name is the first member of both kinds of look.
static bool named_once(Reader* reader, const char* list, const void* items, size_t count, size_t size, const char* key)
{
    for (size_t k = 1; k < count; k++)
        for (size_t j = 0; j < k; j++) {
            const char* a = *(const char* const*)((const char*)items + k * size);
            if (strcmp(a, *(const char* const*)((const char*)items + j * size)))
                continue;
            path_push_key(&reader->path, list);
            path_push_index(&reader->path, k);
            return reader_fail_in(reader, key, "\"%s\" stands here twice", a);
        }
    return true;
}

bool view_finish(Reader* reader, json_t* node, void* object)
{
    const mn_ViewDef* view = object;
    return named_once(reader, "solids", view->solids, view->solid_count, sizeof *view->solids, "solid") &&
           named_once(reader, "fluids", view->fluids, view->fluid_count, sizeof *view->fluids, "fluid");
}
