// SPDX-License-Identifier: MIT
// What the files share that hold the table of keys.
#ifndef DEFS_KEY_TABLE_H
#define DEFS_KEY_TABLE_H

#include "defs/check.h"
#include "defs/defaults.h"
#include "defs/keys.h"

#include <math.h>

// clang-format off
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define POSITIVE {0, INFINITY, true}
#define NOT_NEGATIVE {0, INFINITY, false}
#define WITHIN(low, high) {low, high, false}
#define ABOVE(low, high) {low, high, true}
#define STEP WITHIN(1e-12, INFINITY)
#define AUTO .word = "auto", .word_value = MN_AUTO
#define COORDINATE WITHIN(-1e9, 1e9)
#define SPEED WITHIN(-1e6, 1e6)
// clang-format on

// clang-format off
#define INTERPOLATION_DOC "Between key frames: linear keeps velocities constant; smooth changes them continuously, from rest to rest, without going beyond a key frame."
// clang-format on

extern const char* const interpolation_words[]; // in the order of mn_Interpolation
extern const char* const joint_words[];         // in the order of mn_JointType

#endif
