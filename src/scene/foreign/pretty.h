// SPDX-License-Identifier: MIT
#ifndef SCENE_FOREIGN_PRETTY_H
#define SCENE_FOREIGN_PRETTY_H

#include "scene/page.h"

#include <jansson.h>

void pretty_json(Page* page, json_t* value, int indent); // without a line's end behind it

#endif
