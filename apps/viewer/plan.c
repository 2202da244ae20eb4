// SPDX-License-Identifier: MIT
#include "sim.h"

#include <stdio.h>
#include <string.h>

bool plan_set(Plan* plan, const char* key, const char* value)
{
    char text[PLAN_TEXT];
    int length = snprintf(text, sizeof text, "%s=%s", key, value);
    if (length >= PLAN_TEXT)
        return false;
    size_t at = 0, prefix = strlen(key) + 1;
    while (at < plan->set_count && strncmp(plan->set[at], text, prefix) != 0)
        at++;
    if (at == PLAN_SETS)
        return false;
    snprintf(plan->set[at], sizeof plan->set[at], "%s", text);
    plan->set_count += at == plan->set_count;
    return true;
}

mn_Scene* plan_load(const Plan* plan, mn_Error* error)
{
    const char* sets[PLAN_SETS];
    for (size_t k = 0; k < plan->set_count; k++)
        sets[k] = plan->set[k];
    mn_Scene* scene = mn_scene_load(plan->path, sets, plan->set_count, error);
    if (scene && plan->threads > 0)
        scene->world.threads = plan->threads;
    return scene;
}
