// SPDX-License-Identifier: MIT
// What only the simulation's thread touches: the world, the states that were kept, what is being done to it by hand.
#ifndef VIEWER_SIM_PARTS_H
#define VIEWER_SIM_PARTS_H

#include "history.h"
#include "live.h"
#include "sim.h"

typedef struct SimWorld {
    mn_World* world;
    Setting* setting; // of the scene shown; earlier ones follow in its list
    uint64_t generation;
    uint64_t steps;
    bool failed;      // the last step was impossible
    bool was_touched; // changed by hand
    History history;
    Live live;
} SimWorld;

// Takes the scene. On failure the old world stays, and what is shown with it.
bool sim_world_build(SimWorld* w, mn_Scene* scene, mn_Error* error);
bool sim_world_reset(SimWorld* w, mn_Error* error);
bool sim_world_step(SimWorld* w, mn_Error* error); // false: the world became invalid
bool sim_world_seek(SimWorld* w, double time, mn_Error* error);
void sim_world_free(SimWorld* w);

// Does what is asked for; says what was done or why not in `text`, which may stay empty.
void live_apply(SimWorld* w, const LiveInput* input, char* text, size_t size);
// Before each step: water that is being poured, a pull that follows the pointer.
void live_before_step(SimWorld* w);
// What the window should show of it.
void live_mark(const SimWorld* w, Shot* shot);
// The hand lets go: the world is another one.
void live_forget(SimWorld* w);

#endif
