// SPDX-License-Identifier: MIT
// Key frames from a csv file: time [s], x, y, z [m] and, in none or all rows, a quaternion qw, qx, qy, qz. Lines that start with #
// and a first line of names are passed over. So animation comes from other programs.
#ifndef SCENE_MOTION_FILE_H
#define SCENE_MOTION_FILE_H

#include "scene/read.h"

// The list of mn_Keyframe that `key` stands for, from the file that `node` names. False: failed, as other readers do.
bool read_motion_file(Reader* reader, const Key* key, json_t* node, void* object);

#endif
