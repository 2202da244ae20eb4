// SPDX-License-Identifier: MIT
// The simulation in a thread of its own. The window posts commands and takes the newest shot; neither waits for the other: of three
// shots one is being written, one is the newest, one is being drawn.
#ifndef VIEWER_SIM_H
#define VIEWER_SIM_H

#include "setting.h"
#include "shot.h"

enum { PLAN_SETS = 64, PLAN_TEXT = 160, PLAN_PATH = 1024 };

// What is simulated: a scene file and overrides of its keys.
typedef struct Plan {
    char path[PLAN_PATH];
    char set[PLAN_SETS][PLAN_TEXT]; // "dotted.path=value"; later ones win
    size_t set_count;
    int threads; // 0: all cores
} Plan;

// Puts or replaces the override of a key. False: too long or too many.
bool plan_set(Plan* plan, const char* key, const char* value);
mn_Scene* plan_load(const Plan* plan, mn_Error* error);

typedef enum SimDo {
    SIM_PAUSE, // on: whether
    SIM_STEP,  // one step, then pause
    SIM_RESET, // the scene from its start
    SIM_OPEN,  // the plan
    SIM_SPEED, // value: simulated seconds per second at most
    SIM_SEEK,  // value: [s] back to the last kept state at or before
    SIM_LIVE,  // what changes a world while it runs: live.h
} SimDo;

typedef enum SimState { SIM_LOADING, SIM_RUNNING, SIM_PAUSED, SIM_FAILED } SimState;

// How things stand; a copy.
typedef struct SimStatus {
    SimState state;
    uint64_t generation;
    double kept_from, kept_to; // [s] states that can be gone back to; from > to: none
    size_t kept, kept_bytes;
    mn_Error error;    // of the last failure
    uint64_t failures; // counts them
    char message[200]; // of the last thing that was done
    uint64_t messages; // counts them
    uint64_t steps;    // of this thread
    double stepped_at; // [s] wall clock when the last of them ended
    bool was_touched;  // the world was changed by hand since it was built
    uint64_t misses;   // counts pulls that took hold of nothing
} SimStatus;

typedef struct Sim Sim;

// Reads the scene; building it is the thread's work. NULL on failure: bad input, mostly.
// With `until` above 0 it hurries to the first step that ends there or later and pauses.
Sim* sim_open(const Plan* plan, bool paused, double until, mn_Error* error);
// Ends the thread; NULL is allowed. False: it builds a world or takes a step that does not end within some seconds. Then all that
// it uses stays, and the program should end.
bool sim_close(Sim* sim);

void sim_pause(Sim* sim, bool on);
void sim_step(Sim* sim);
void sim_reset(Sim* sim);
void sim_start(Sim* sim, const Plan* plan); // another scene, or other keys
void sim_speed(Sim* sim, double scale);
void sim_seek(Sim* sim, double time);
void sim_wish(Sim* sim, ShotWish wish); // from the next shot on; makes one

SimStatus sim_status(Sim* sim);
// The newest shot, lent until the next call; the same one again if there is no newer one. NULL: none yet. `setting` is its scene's.
Shot* sim_newest(Sim* sim, const Setting** setting);

#endif
