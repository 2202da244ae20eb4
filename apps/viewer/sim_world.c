// SPDX-License-Identifier: MIT
#include "sim_parts.h"

// [s] longest step: a picture should not jump
static const double longest_step = 1.0 / 50;

static void take_world(SimWorld* w, mn_World* world)
{
    mn_world_destroy(w->world);
    w->world = world;
    w->generation++;
    w->failed = w->was_touched = false;
    live_forget(w);
    history_clear(&w->history);
}

bool sim_world_build(SimWorld* w, mn_Scene* scene, mn_Error* error)
{
    mn_World* world = mn_scene_build(scene, error);
    if (!world) {
        mn_scene_free(scene);
        return false;
    }
    Setting* setting = setting_create(scene, world, error);
    if (!setting) {
        mn_world_destroy(world);
        return false;
    }
    setting->next = w->setting;
    w->setting = setting;
    take_world(w, world);
    return true;
}

bool sim_world_reset(SimWorld* w, mn_Error* error)
{
    mn_World* world = w->setting ? mn_scene_build(w->setting->scene, error) : NULL;
    if (world)
        take_world(w, world);
    return world != NULL;
}

bool sim_world_step(SimWorld* w, mn_Error* error)
{
    live_before_step(w);
    w->failed = mn_world_step(w->world, longest_step, error) != MN_OK;
    w->steps++;
    return !w->failed;
}

bool sim_world_seek(SimWorld* w, double time, mn_Error* error)
{
    (void)w, (void)time, (void)error;
    return true;
}

void sim_world_free(SimWorld* w)
{
    mn_world_destroy(w->world);
    history_clear(&w->history);
    setting_free(w->setting);
    *w = (SimWorld){0};
}
