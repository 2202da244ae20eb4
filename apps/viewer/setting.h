// SPDX-License-Identifier: MIT
// What stays while a scene is shown: where it is, how it is looked at first, what its things look like. Made once per scene by the
// simulation's thread; the window reads it.
#ifndef VIEWER_SETTING_H
#define VIEWER_SETTING_H

#include "render/looks.h"
#include "render/survey.h"

typedef struct Setting {
    mn_Scene* scene; // owned
    Survey survey;
    Looks looks;
    SolidLook* solid_look; // of each solid of the scene
    Vec3d up;
    double particles;     // that it begins with
    struct Setting* next; // earlier ones: they live until the end
} Setting;

// Takes the scene in any case. NULL on failure.
Setting* setting_create(mn_Scene* scene, mn_World* world, mn_Error* error);
void setting_free(Setting* setting); // and all earlier ones
// The first camera for a picture of this size.
Camera setting_camera(const Setting* setting, int width, int height);

#endif
