// SPDX-License-Identifier: MIT
// --set: "dotted.path=value" put into a scene's JSON before it is read.
#ifndef SCENE_OVERRIDE_H
#define SCENE_OVERRIDE_H

#include <jansson.h>
#include <meniscus/base.h>

// The value is JSON if it reads as such, otherwise a string. What lies on the path and is missing is made.
mn_Result override_apply(json_t* root, const char* set, mn_Error* error);

#endif
