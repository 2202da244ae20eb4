// SPDX-License-Identifier: MIT
// The state that the next step depends on, as named byte arrays, for checkpoints. Definitions (scene) are not part of it:
// a world is restored by building it from the same scene and loading the state into it.
#ifndef WORLD_STATE_H
#define WORLD_STATE_H

#include <meniscus/world.h>

// Takes one array; false stops the saving.
typedef bool StateWriteFn(void* user, const char* name, const void* data, size_t bytes);
// Gives one array back (valid until the load is done) or NULL if there is none of that name.
typedef const void* StateReadFn(void* user, const char* name, size_t* out_bytes);

bool world_save_state(const mn_World* world, StateWriteFn* write, void* user);
// On failure (missing array, wrong size, other scene) the world must be thrown away.
mn_Result world_load_state(mn_World* world, StateReadFn* read, void* user, mn_Error* error);

#endif
