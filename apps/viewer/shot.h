// SPDX-License-Identifier: MIT
// A state of the world as the window needs it: a copy, so that the simulation goes on while it is drawn. Arrays grow and stay.
#ifndef VIEWER_SHOT_H
#define VIEWER_SHOT_H

#include "field.h"
#include "render/model.h"
#include <meniscus/meniscus.h>

typedef struct ShotSolid {
    char name[48];
    mn_Pose pose;
    mn_SolidType type;
    bool inside, visible;
    double mass;  // [kg]
    Vec3d centre; // [m] of mass, in the world; of solids without mass their pose's position
    Vec3 colour;  // sRGB
    TriMesh mesh;
    Model model;      // made by whoever draws, by shot_models()
    bool has_model;   // of the mesh as it is
    uint64_t mesh_of; // generation of the world that the mesh comes from
    uint32_t* pinned; // vertices that pins hold, if asked for
    size_t pinned_count, pinned_capacity;
} ShotSolid;

enum { SHOT_STAGES = 32, SHOT_PROBES = 8 };

typedef enum HandMark { HAND_NONE, HAND_PULL, HAND_POINT } HandMark;

typedef struct Shot {
    uint64_t number;     // counts shots
    uint64_t generation; // of the world: another one after each restart
    double time;         // [s]
    double pace;         // simulated seconds per second
    double taken;        // wall clock [s]
    // fluid
    size_t count;
    float* position; // [m] (stride 3)
    float* scalar;   // what is asked for
    uint8_t* fluid;
    size_t position_capacity, scalar_capacity, fluid_capacity;
    // what the hand does; filled by the simulation's thread
    HandMark hand;
    Vec3d hand_point, hand_target; // [m]
    // boundary particles, if asked for
    size_t boundary_count;
    float* boundary; // [m] (stride 3)
    size_t boundary_capacity;
    // spray, foam and bubbles
    size_t foam_count;
    float* foam;      // [m] (stride 3)
    float* foam_life; // [1] left
    uint32_t* foam_id;
    uint8_t* foam_kind;
    double foam_radius; // [m]
    size_t foam_capacity[4];
    // solids
    ShotSolid* solid;
    size_t solid_count, solid_capacity;
    // numbers
    mn_Stats stats;
    mn_StageTime stage[SHOT_STAGES]; // names live as long as the world
    size_t stage_count;
    double probe[SHOT_PROBES];
    size_t probe_count;
} Shot;

// What a shot should hold beyond what it always holds.
typedef struct ShotWish {
    Field colour;
    bool boundary, pins;
} ShotWish;

// Copies the world. False: out of memory.
bool shot_take(Shot* shot, const mn_World* world, const Setting* setting, const ShotWish* wish, uint64_t generation);
// Makes the models of solids that have changed. False: out of memory.
bool shot_models(Shot* shot);
void shot_free(Shot* shot);

#endif
