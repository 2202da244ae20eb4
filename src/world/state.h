// SPDX-License-Identifier: MIT
// The state that the next step depends on, as named byte arrays, for checkpoints. Definitions (scene) are not part of it:
// a world is restored by building it from the same scene and loading the state into it.
#ifndef WORLD_STATE_H
#define WORLD_STATE_H

#include "base/register.h"
#include <meniscus/world.h>

bool world_save_state(const mn_World* world, StateWriteFn* write, void* user);
// On failure (missing array, wrong size, other scene) the world must be thrown away.
mn_Result world_load_state(mn_World* world, StateReadFn* read, void* user, mn_Error* error);
// What the arrays are made of, for messages about them; NULL before mn_world_prepare().
const Register* world_state_register(const mn_World* world);

#endif
