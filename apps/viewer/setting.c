// SPDX-License-Identifier: MIT
#include "setting.h"

#include "base/error.h"
#include <stdlib.h>

static double fluid_size(const Survey* survey)
{
    return survey->has_fluid ? vec3d_distance(survey->fluid.min, survey->fluid.max) : 0;
}

static mn_Result look_around(Setting* setting, mn_World* world, mn_Error* error)
{
    const mn_Scene* scene = setting->scene;
    Subject subject;
    mn_Result result = subject_open_world(&subject, scene, world, error);
    if (result != MN_OK)
        return result;
    result = survey_subject(&setting->survey, &subject, &scene->view, 0, 0, error);
    if (result == MN_OK)
        result = looks_build(&setting->looks, &subject, &scene->view, fluid_size(&setting->survey), error);
    for (size_t k = 0; k < scene->solid_count; k++)
        setting->solid_look[k] = scene->solids[k].inside ? LOOK_CONTAINER : LOOK_SOLID;
    for (size_t k = 0; k < subject.solid_count && result == MN_OK; k++)
        setting->solid_look[subject.solid[k].index] = survey_look(&setting->survey, &subject, k);
    setting->up = subject_up(&subject);
    setting->particles = (double)mn_world_particles(world).count;
    subject_close(&subject);
    return result;
}

Setting* setting_create(mn_Scene* scene, mn_World* world, mn_Error* error)
{
    Setting* setting = calloc(1, sizeof *setting);
    SolidLook* look = calloc(scene->solid_count + 1, sizeof *look);
    if (!setting || !look) {
        free(setting);
        free(look);
        mn_scene_free(scene);
        error_set(error, MN_OUT_OF_MEMORY, "no memory");
        return NULL;
    }
    setting->scene = scene;
    setting->solid_look = look;
    if (look_around(setting, world, error) == MN_OK)
        return setting;
    setting_free(setting);
    return NULL;
}

void setting_free(Setting* setting)
{
    while (setting) {
        Setting* next = setting->next;
        looks_free(&setting->looks);
        free(setting->solid_look);
        mn_scene_free(setting->scene);
        free(setting);
        setting = next;
    }
}

Camera setting_camera(const Setting* setting, int width, int height)
{
    mn_ViewDef view = setting->scene->view;
    view.width = width;
    view.height = height;
    view.colour_bar = false;
    Subject subject = {.scene = setting->scene};
    return survey_camera(&setting->survey, &subject, &view);
}
