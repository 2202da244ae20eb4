// SPDX-License-Identifier: MIT
// What hands do to a world while it runs.
#ifndef VIEWER_LIVE_H
#define VIEWER_LIVE_H

#include "sim.h"

typedef enum LiveDo {
    LIVE_NOTHING,       // only a new shot
    LIVE_PULL,          // take hold of what the ray meets
    LIVE_POUR,          // fluid from the pointer until it is released
    LIVE_PUSH,          // fluid along the view (value > 0), or towards the pointer (value < 0), until it is released
    LIVE_THROW,         // value: density [kg/m3], size [share of the scene], index: 0 ball, 1 box
    LIVE_SHAKE,         // the tank follows the pointer until it is released
    LIVE_MOVE,          // the pointer went on
    LIVE_RELEASE,       // the button is let go
    LIVE_GRAVITY,       // at: [m/s2]
    LIVE_VISCOSITY,     // value, of all fluids
    LIVE_TENSION,       // value, of all fluids
    LIVE_FLUID_DENSITY, // value [kg/m3], of all fluids
    LIVE_DENSITY,       // value [kg/m3], of all rigid and elastic solids
    LIVE_YOUNG,         // value [Pa], of all elastic solids
    LIVE_SAVE,          // path
    LIVE_CHECKPOINT,    // path
} LiveDo;

typedef struct LiveInput {
    LiveDo what;
    Vec3d from, direction; // a ray into the scene
    Vec3d forward;         // where the camera looks
    Vec3d at;
    double value, size;
    int index;
    char path[256];
} LiveInput;

// What the hand is doing, between press and release.
typedef struct Live {
    LiveDo does;           // LIVE_NOTHING: nothing
    Vec3d from, direction; // the ray of the pointer
    Vec3d forward;
    Vec3d point;  // [m] that was taken hold of
    Vec3d target; // [m] where the pointer holds it
    double value;
    double last;      // [s] simulated time of the last layer that was poured
    Vec3d gravity;    // [m/s2] of the world without shaking
    mn_SolidId solid; // 0: fluid
    bool kinematic;   // it is moved, not pulled
    Vec3d grip;       // [m] from the point to the origin of a kinematic solid
    uint64_t thrown;  // counts
    uint64_t misses;  // counts pulls that took hold of nothing
} Live;

void sim_live(Sim* sim, const LiveInput* input);
// Whether a waiting input is made useless by the next one.
bool live_replaces(const LiveInput* waiting, const LiveInput* next);

#endif
