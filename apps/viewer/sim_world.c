// SPDX-License-Identifier: MIT
#include "sim_parts.h"

#include "base/error.h"

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

static bool stop_after_one(void* user)
{
    (void)user;
    return false;
}

// One step on the way to the next frame of the scene: a run of what was recorded has the same frames, takes the same steps and so
// has the same bits.
static mn_Result step_to_frame(SimWorld* w, mn_Error* error)
{
    double rate = w->setting->scene->frame_rate, frame = floor(mn_world_time(w->world) * rate + 1e-6) + 1;
    mn_Result result = mn_world_advance(w->world, frame / rate, stop_after_one, NULL, error);
    return result == MN_INTERRUPTED ? MN_OK : result;
}

bool sim_world_step(SimWorld* w, mn_Error* error)
{
    if (w->history.count == 0)
        history_keep(&w->history, w->world);
    live_before_step(w);
    w->failed = step_to_frame(w, error) != MN_OK;
    w->steps++;
    if (!w->failed)
        history_keep(&w->history, w->world);
    return !w->failed;
}

bool sim_world_seek(SimWorld* w, double time, mn_Error* error)
{
    const mn_Snapshot* snapshot = history_at(&w->history, time);
    if (!snapshot) {
        error_set(error, MN_BAD_INPUT, "no state was kept yet");
        return false;
    }
    live_forget(w);
    if (mn_world_load(w->world, snapshot, error) != MN_OK)
        return false;
    w->failed = false;
    return true;
}

void sim_world_free(SimWorld* w)
{
    mn_world_destroy(w->world);
    history_clear(&w->history);
    setting_free(w->setting);
    *w = (SimWorld){0};
}
