// SPDX-License-Identifier: MIT
// What a world is made of. Only the files of this room look inside.
#ifndef WORLD_PARTS_H
#define WORLD_PARTS_H

#include "base/register.h"
#include "boundary/boundary.h"
#include "coupling/coupling.h"
#include "elastic/elastic_solid.h"
#include "fluid/emitter.h"
#include "fluid/fluid.h"
#include "fluid/pressure/method.h"
#include "fluid/tension/adhesion.h"
#include "guard/guard.h"
#include "rigid/rigid_solid.h"
#include "world/stage.h"
#include <meniscus/world.h>

enum { STAGES_MOST = 24 };

typedef struct Probe {
    char* name;
    mn_ProbeType type;
    Vec3d position; // [m] displacement: of the vertex at the start
    size_t solid;   // force, displacement: index
    size_t vertex;  // displacement
} Probe;

typedef struct PendingJoint {
    char* name;
    mn_JointDef def;  // names are not kept, the drive is
    int solid, other; // indices; other -1: the world
    bool is_gone;     // it broke or was released, and that was said
} PendingJoint;

// A pin of an elastic solid: which vertices, and what they follow.
typedef struct WorldPin {
    char* name;       // or NULL
    char* solid_name; // tied to, or NULL
    mn_PinDef def;    // names are not kept; motion is an own copy
    size_t solid;     // the elastic one
    size_t index;     // in its list
    int other;        // solid it is tied to, or -1
    int pin;          // in the set of elastic bodies
    int carrier;      // there, of the rigid solid it is tied to, or -1
    bool leads;       // the first of those on that carrier
    Vec3d middle;     // [m] of its vertices at the start
} WorldPin;

typedef struct Event {
    double time;               // [s]
    int joint, release, solid; // indices or -1: joint that goes, solid let go, solid changed
    int pin;                   // or -1: index of a pin that goes
    mn_EventDef def;           // names are not kept
} Event;

// What the next step depends on and no module has: saved in checkpoints. Eight bytes each, without padding.
typedef struct WorldState {
    double time;       // [s]
    double dt_control; // [s] step that the limits allow, before it is fitted to frames
    double last_dt;
    double force_limit; // [m/s2] largest acceleration other than pressure in the last step
    uint64_t particles; // when it was saved
    uint64_t next_id;
    uint64_t steps, iterations_total, divergence_iterations_total, not_converged, repeated_steps;
    uint64_t emitted, drained, carved, lost, expelled;
    uint64_t events_done;
    int64_t iterations, divergence_iterations;
} WorldState;

struct mn_World {
    Memory memory;
    Pool* pool;
    mn_WorldDef def;
    char* folder;
    const FluidKind* fluid;
    Sph sph;
    Boundary boundary;
    bool prepared;

    Solid* solid;
    size_t solid_count, solid_capacity;
    mn_SolidDef* solid_def; // (solids) numbers of the defs; what they point to is not kept
    size_t solid_def_capacity;
    size_t* solid_samples; // boundary particles per solid
    Wetting* wetting;      // per solid, if there is adhesion
    Rigid* rigid;          // of `bodies`; NULL: no solid is rigid
    RigidSystem* bodies;   // steps and owns it
    Coupling coupling;     // of fluid and solids
    ElasticSet* elastic;   // NULL: no solid is elastic
    int* elastic_of;       // (solids) index of the elastic body, or -1
    size_t elastic_of_capacity;
    int* obstacle_of; // (solids) index among the obstacles of elastic bodies, or -1
    WorldPin* pin;
    size_t pin_count, pin_capacity;
    Guard guard;
    PendingJoint* joint;
    size_t joint_count, joint_capacity;
    Event* event; // in order of time
    size_t event_count, event_capacity;
    mn_FluidDef* pending; // fluids to be seeded by prepare
    size_t fluid_count;
    char* fluid_name[FLUIDS_MOST];
    Emitter* emitter;
    size_t emitter_count, emitter_capacity;
    mn_Drain* drain;
    size_t drain_count, drain_capacity;
    Probe* probe;
    size_t probe_count, probe_capacity;

    // resolved limits of the time step [s]
    double least_dt, most_dt;
    double expected_speed; // [m/s] of a fall through the scene, or of its fastest source or solid

    WorldState state;
    Register* reg; // of all that the next step depends on

    // derived after each step
    double density_error_mean, density_error_max, max_speed;
    uint8_t* gone; // scratch of sources
    size_t gone_capacity;
    mn_StageTime stage[STAGES_MOST];
    size_t stage_count;
    double elastic_seconds; // part of the stage of solids
    bool contained;         // there is a container
};

// world.c: whether a def may be added as number `count` of its list, see defs/check.h
struct Section;
mn_Result world_check_def(const mn_World* world, const struct Section* section, size_t count, const void* def, mn_Error* error);

// prepare.c
mn_Result world_prepare_fluid(mn_World* world, mn_Error* error);

// search.c: sorts, rebuilds lists and densities for the current positions. False: out of memory.
bool world_sort(mn_World* world);
bool world_find_neighbours(mn_World* world);
bool world_search(mn_World* world); // both

// state.c: what belongs to the world itself; modules register their own. False: out of memory.
bool world_register(mn_World* world);

// step.c
mn_Result world_step(mn_World* world, double dt_most, double until, mn_Error* error);
void world_begin_timing(mn_World* world); // stages are listed in the order of the table from now on

// failure.c
mn_Result world_fail_invalid(const mn_World* world, mn_Error* error);
mn_Result world_fail_impossible(const mn_World* world, double speed, mn_Error* error);

// couple.c: all solids in a step. Messages are NULL if all is well.
const char* world_predict_solids(mn_World* world, double dt); // a try begins
const char* world_step_solids(mn_World* world, double dt);    // they move
bool world_solids_no_memory(const mn_World* world);           // why the last of these failed
bool world_guard_sides(mn_World* world);                      // fluid stays on its side of them; false: out of memory
bool world_place_solids(mn_World* world, double next_dt);     // and boundary particles with them; false: out of memory

// sources.c: emitters, drains, and particles that are lost. False: out of memory.
bool world_sources(mn_World* world);
bool world_reserve_predicted(mn_World* world); // room for as many predicted positions as there are particles

// bodies.c: rigid bodies, joints, events
mn_Result world_check_body(const mn_World* world, const Solid* solid, const mn_SolidDef* def, mn_Error* error);
mn_Result world_create_bodies(mn_World* world, mn_Error* error);
void world_free_bodies(mn_World* world);
// Events up to now happen. Bodies, solids and movers are then where the next step starts.
void world_events(mn_World* world);
double world_next_event(const mn_World* world);    // [s] infinite if there is none
void world_note_joints(mn_World* world, bool say); // after a step: those that broke; after a load nothing is said
// There is no solid of that name: lists those that there are.
mn_Result world_no_solid(const mn_World* world, mn_Error* error, const char* key, const char* name);
// A checkpoint tells which events are done, not what gravity they left.
void world_restore_gravity(mn_World* world);
Vec3d world_strongest_gravity(const mn_World* world); // [m/s2] of now and all events

// views.c: makes what views of the fluid show and steps do not keep: pressures, in fluid.source, which is free between steps, and
// the fluid of each particle. Last in every call that changes particles, so that views need not write. Returns `result`, that of
// the call.
mn_Result world_shown(mn_World* world, mn_Result result);

// elastics.c: elastic solids
mn_Result world_add_elastic(mn_World* world, size_t solid, const mn_SolidDef* def, mn_Error* error);
mn_Result world_place_elastics(mn_World* world, mn_Error* error); // pins and obstacles, when all solids are known
void world_check_stiffness(const mn_World* world);                // says which solids are too stiff for the steps to come
void world_check_softness(const mn_World* world);                 // warns of solids that the fluid can crush
void world_free_elastics(mn_World* world);
// Moves elastic solids through the step of length `dt` that ends now; other solids still stand where it began, rigid bodies
// where it ends. False: see elastic_message().
bool world_move_elastics(mn_World* world, double dt);
void world_show_elastics(mn_World* world);                    // meshes of solids are where the bodies are
bool world_probe_vertex(const mn_World* world, Probe* probe); // finds it; false: its solid is not elastic

// pins.c: pins of elastic solids
mn_Result world_set_pins(mn_World* world, mn_Error* error);
mn_Pose world_pin_pose(const WorldPin* pin, double time);     // of its frame, by its motion
int world_find_pin(const mn_World* world, const char* name);  // or -1
void world_release_pins(mn_World* world, int pin, int solid); // one pin, or all of a solid; -1: none

// skins.c: solids and the fluid
mn_Result world_add_skins(mn_World* world, mn_Error* error);    // before the boundary is built
mn_Result world_couple(mn_World* world, mn_Error* error);       // after
mn_Result world_create_guard(mn_World* world, mn_Error* error); // after skins are there
void world_fade_skins(mn_World* world, double time);            // [s] over which particles of skins come and go
void world_free_skins(mn_World* world);
bool world_is_sheet(const mn_World* world, size_t solid);

// time_step.c
double world_time_step(mn_World* world);                         // [s] what the limits allow now
void world_check_time_step(const mn_World* world);               // warns of fixed steps that are too long
double world_expected_step(const mn_World* world, double speed); // [s] what they will allow at that speed

__attribute__((format(printf, 3, 4))) void world_log(const mn_World* world, mn_LogLevel level, const char* format, ...);

#endif
