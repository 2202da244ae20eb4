// SPDX-License-Identifier: MIT
// What the files share that hold the table of keys.
#ifndef SCENE_KEY_TABLE_H
#define SCENE_KEY_TABLE_H

#include "scene/check.h"
#include "scene/defaults.h"
#include "scene/keys.h"

#include <math.h>

// clang-format off
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define POSITIVE {0, INFINITY, true}
#define NOT_NEGATIVE {0, INFINITY, false}
#define WITHIN(low, high) {low, high, false}
#define ABOVE(low, high) {low, high, true}
#define COORDINATE WITHIN(-1e9, 1e9)
#define SPEED WITHIN(-1e6, 1e6)
// clang-format on

extern const Section view_section;                   // keys_view.c
extern const Section solid_section;                  // keys_solid.c
extern const Section ragdoll_section, chain_section; // keys_template.c

extern const char* const joint_words[]; // in the order of mn_JointType

#endif
