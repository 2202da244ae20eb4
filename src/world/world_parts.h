// SPDX-License-Identifier: MIT
// What a world is made of. Only the files of this room look inside.
#ifndef WORLD_PARTS_H
#define WORLD_PARTS_H

#include "base/register.h"
#include "boundary/boundary.h"
#include "coupling/coupling.h"
#include "defs/check.h"
#include "elastic/elastic_system.h"
#include "fluid/emitter.h"
#include "foam/foam.h"
#include "foam/images.h"
#include "guard/guard.h"
#include "particles/kernel.h"
#include "rigid/rigid_system.h"
#include "world/fluid_kind.h"
#include "world/probe_series.h"
#include <meniscus/live.h>

enum { STAGES_MOST = 24 };

// A number and, if what is measured has a direction, a vector whose length it is.
typedef struct ProbeValue {
    double value;
    Vec3d vector;
} ProbeValue;

typedef struct Probe {
    char* name;
    mn_ProbeType type;
    Vec3d position; // [m] displacement: of the vertex at the start
    size_t solid;   // force, displacement: index
    int rides;      // number of the solid that it moves with, or -1
    mn_Pose ride;   // its place in that solid's frame
    double radius;  // [m] of the patch that a pressure is the mean of; 0: a point
    Vec3d up;       // height: along which it is measured; zero: against gravity
    size_t vertex;  // displacement
    bool is_part;   // force, impulse: of a part of the solid
    WallPart part;
    ProbeSeries series;
} Probe;

typedef struct Drain {
    mn_Drain def;
    int solid;    // number of the solid that it moves with, or -1
    mn_Pose ride; // in that solid's frame
    mn_Pose pose; // now: of the middle of the box, or of the disc
} Drain;

// A system of solids at work, see solid/kind.h.
typedef struct WorldSystem {
    const SolidSystem* kind;
    void* self;     // NULL: no solid needs it
    double seconds; // that its steps took
} WorldSystem;

enum { SYSTEMS_MOST = 8 };

// Names are looked up when it happens: what they stand for may come with an earlier event.
typedef struct Event {
    double time;     // [s]
    mn_EventDef def; // own copy
    bool is_built;   // solids and joints that it brings are there, and what it removes is not
    mn_Pose* frame;  // (2 joints) poses of the solids of its joints when they came; state. NULL: it has none, or not yet
} Event;

// What of a solid a pull holds on to: a patch of a surface that deforms.
enum { PULL_PATCH = 48, PULL_NAME = 72 };

// See mn_PullDef. Saved as it is: eight bytes each, without padding.
typedef struct Pull {
    char name[PULL_NAME]; // empty: it has ended
    int64_t solid;        // number, or -1: fluid
    Vec3d anchor;         // [m] in the frame of a solid that moves as one; of fluid, in the world: where it is held
    Vec3d target;         // [m]
    double radius;        // [m]
    double frequency;     // [1/s]
    double max_force;     // [N] negative: by weight
    uint64_t patch;       // vertices of a solid that deforms
    uint32_t vertex[PULL_PATCH];
    float weight[PULL_PATCH]; // [1] their sum is 1
} Pull;

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
    uint64_t grinding;     // steps in a row that were as short as they may get
    double expected_speed; // [m/s] of a fall through the scene, or of its fastest source or solid
} WorldState;

typedef struct WorldFoam {
    Foam foam;
    FoamSides sides;
    FoamImages images; // of fluid across periodic borders
    bool is_behind;    // a state was loaded: sides are where solids were before
} WorldFoam;

// What a call may do now.
typedef struct WorldPhase {
    bool prepared;
    bool busy;      // a step is under way: nothing can be changed
    bool advancing; // a call that makes steps is under way
    bool broken;    // it could not be put together again: nothing works any more but to destroy it
} WorldPhase;

// How positions become densities, the same for every kind of fluid and for boundary particles.
typedef struct WorldScale {
    double support;         // [m] h of a kernel
    Kernel kernel;          // by which boundary particles are weighted
    Period period;          // of axes that are periodic
    double rest_volume;     // [m^d] kernel sums of a lattice with the particle spacing are 1 / this
    double particle_volume; // [m^d] that a particle stands for
} WorldScale;

typedef struct WorldFluids {
    size_t count;
    mn_FluidDef* def; // (count)
    char* name[MOST_FLUIDS];
    bool unused[MOST_FLUIDS]; // neither particles nor emitters: sets no limits
    bool idle[MOST_FLUIDS];   // the same, before the first step
} WorldFluids;

typedef struct WorldSolids {
    Solid* solid;
    size_t count, capacity;
    mn_SolidDef* def; // (count) numbers of the defs; what they point to is not kept
    size_t def_capacity;
    size_t* samples; // (count) boundary particles of each
} WorldSolids;

typedef struct WorldSystems {
    WorldSystem system[SYSTEMS_MOST]; // in the order in which they step
    size_t count;
} WorldSystems;

// Where fluid comes, goes and is slowed down.
typedef struct WorldSources {
    Emitter* emitter;
    size_t emitter_count, emitter_capacity;
    Drain* drain;
    size_t drain_count, drain_capacity;
    mn_Sponge* sponge;
    size_t sponge_count, sponge_capacity;
    size_t room_solids; // solids that there were when this was found:
    double room;        // [m^d] of the only container; infinite if there is none, or more; 0: not yet found
} WorldSources;

typedef struct WorldEvents {
    Event* event; // in order of time; those that are done are the record of what was done to the world
    size_t count, capacity;
    bool materials_changed; // by those that are done
} WorldEvents;

typedef struct WorldPulls {
    Pull* pull; // also those that have ended
    size_t count, capacity;
} WorldPulls;

typedef struct WorldProbes {
    Probe* probe;
    size_t count, capacity;
} WorldProbes;

// Of the time step and of what a step may do, resolved from the size of the scene.
typedef struct WorldLimits {
    double least_dt, most_dt; // [s]
    double calm_dt;           // [s] most_dt of fluids of one density; 0: densities do not matter to it
    double fade_time;         // [s] over which particles of skins come and go
    bool contained;           // there is a container
} WorldLimits;

// After each step.
typedef struct WorldMeasured {
    double density_error_mean, density_error_max; // [1]
    double residual_divergence;                   // [1/s] of a grid fluid
    double max_speed;                             // [m/s] of fluid
} WorldMeasured;

typedef struct WorldTiming {
    mn_StageTime stage[STAGES_MOST];
    size_t count;
} WorldTiming;

typedef struct WorldObserver {
    mn_AfterStepFn* tell; // NULL: nobody
    void* user;
} WorldObserver;

typedef struct WorldScratch {
    uint8_t* gone; // (particles) whether it goes, and why
    size_t gone_capacity;
} WorldScratch;

struct mn_World {
    Memory memory;
    Pool* pool;

    // model: what the scene or the caller said, and what follows from that alone
    mn_WorldDef def;
    char* folder;
    mn_Scene* recipe; // all that was added to it before the first step, but for events
    WorldFluids fluids;
    WorldSolids solids;
    WorldSources sources;
    WorldEvents events;
    WorldProbes probes;
    WorldScale scale;
    WorldLimits limits;

    // who works on it; state of theirs is in the register
    const FluidKind* fluid;       // how fluids are computed,
    void* fluid_data;             // what that kind keeps, and what it shows of it:
    MovingParticles particles;    // theirs,
    CellGrid* grid;               // by which they are sorted between steps,
    const Neighbours* neighbours; // lists of boundary particles around them, or NULL
    WorldSystems systems;
    Boundary boundary;
    Coupling coupling; // of fluid and solids
    Guard guard;
    WorldFoam* foam; // NULL: none
    WorldObserver observer;

    // state
    WorldPhase phase;
    WorldState state;
    WorldPulls pulls;
    Register* reg; // of all that the next step depends on

    // derived after each step, and scratch
    WorldMeasured measured;
    WorldTiming timing;
    WorldScratch scratch;
};

// world.c: whether a def may be added as number `count` of its list, see defs/check.h
struct Section;
mn_Result world_check_def(const mn_World* world, const struct Section* section, size_t count, const void* def, mn_Error* error);

// world.c: an empty world in a place that is all zeros, and an empty place again. What failed must be cleared too.
bool world_init(mn_World* world, const mn_WorldDef* def, const char* folder);
void world_clear(mn_World* world);

// prepare.c
double world_density_contrast(const mn_World* world);   // [1] of the lightest fluid to the heaviest
double world_density(const mn_World* world, int fluid); // [kg/m3]
mn_Result world_seed(mn_World* world, mn_Error* error); // particles that all fluids start with, on lattices
// Limits of steps, from the size of the scene; `pull` [m/s2] of surface tension. Returns how long a step may be at rest [s].
double world_derive_limits(mn_World* world, double pull);

// lint.c: when limits are known
void world_warn(const mn_World* world);

// state.c: what belongs to the world itself; modules register their own. False: out of memory.
bool world_register(mn_World* world);

// step.c
mn_Result world_step(mn_World* world, double dt_most, double until, mn_Error* error);
void world_begin_timing(mn_World* world); // stages are listed in the order of the table from now on

// failure.c
mn_Result world_fail_invalid(const mn_World* world, mn_Error* error);
mn_Result world_fail_impossible(const mn_World* world, double speed, mn_Error* error);
// Steps that stay as short as they may get, because a solid that moves as told squeezes fluid, end the run.
mn_Result world_watch_squeeze(mn_World* world, double dt, mn_Error* error);

// couple.c: all solids in a step. Messages are NULL if all is well.
const char* world_predict_solids(mn_World* world, double dt); // a try begins
const char* world_step_solids(mn_World* world, double dt);    // they move
bool world_solids_no_memory(const mn_World* world);           // why the last of these failed
bool world_guard_sides(mn_World* world);                      // fluid stays on its side of them; false: out of memory
bool world_place_solids(mn_World* world, double next_dt);     // and boundary particles with them; false: out of memory

// sources.c: emitters, drains, and particles that are lost. False: out of memory.
bool world_sources(mn_World* world);
// What moves with a solid of that name (NULL: none): its number, or -1, and its place `pose` in that solid's frame.
mn_Result world_ride(const mn_World* world, const char* name, const mn_Pose* pose, int* out_solid, mn_Pose* out_ride,
                     mn_Error* error);
mn_Result world_prepare_emitters(mn_World* world, mn_Error* error);
void world_place_sources(mn_World* world);            // where emitters and drains are now
void world_drive_sources(mn_World* world, double dt); // velocities of fluid that emitters push and outflows resist

// foam.c: spray, foam and bubbles, if the definition asks for them. False: out of memory.
mn_Result world_create_foam(mn_World* world, mn_Error* error); // when limits are known
bool world_register_foam(mn_World* world);
bool world_begin_foam(mn_World* world); // before solids move
bool world_step_foam(mn_World* world, double dt);
void world_free_foam(mn_World* world);

// systems.c: systems of solids, and joints in them. Messages are NULL if all is well.
void world_list_systems(mn_World* world);                                    // those that solids of a scene may need
bool world_add_system(mn_World* world, const SolidSystem* kind, void* self); // steps after the others; false: too many
void* world_system(const mn_World* world, const SolidSystem* kind);          // or NULL
// The system that steps solids of that type takes this one, which will be number `number`.
mn_Result world_add_to_system(mn_World* world, size_t number, Solid* solid, const mn_SolidDef* def, mn_Error* error);
// Whether it could be, in a running world; leaves nothing behind but a system without solids.
mn_Result world_check_carried(const mn_World* world, const mn_SolidDef* def, mn_Error* error); // whether its fluid could carry it
mn_Result world_try_in_system(mn_World* world, Solid* solid, const mn_SolidDef* def, mn_Error* error);
mn_Result world_prepare_systems(mn_World* world, mn_Error* error);
bool world_register_systems(mn_World* world); // false: out of memory
void world_warn_of_systems(const mn_World* world, const SolidProspect* prospect);
const char* world_predict_systems(mn_World* world, double dt);
bool world_predict_system_of(mn_World* world, const Solid* solid, double dt); // the one that steps this solid; false: it failed
const char* world_step_systems(mn_World* world, double dt);
bool world_break_systems(mn_World* world); // solids that must come apart; false: out of memory
void world_place_systems(mn_World* world);
double world_longest_step_of_systems(const mn_World* world); // [s]
void world_add_totals_of_systems(const mn_World* world, SolidTotals* totals);
void world_free_systems(mn_World* world);

// events.c
// Events up to now happen that do not have to wait for the end of the step. Bodies, solids and movers are then where the next step
// starts. False: out of memory.
bool world_events(mn_World* world);
mn_Result world_events_between(mn_World* world, mn_Error* error); // all events up to now, between steps
double world_next_event(const mn_World* world);                   // [s] that a step must end at; infinite if there is none
// A checkpoint tells which events are done, not what gravity and materials they left.
bool world_restore_settings(mn_World* world, const WorldState* saved); // false: out of memory
Vec3d world_strongest_gravity(const mn_World* world);                  // [m/s2] of now and all events
// The event happens now and becomes part of the record.
mn_Result world_do(mn_World* world, const mn_EventDef* def, mn_Error* error);
void world_free_events(mn_World* world);
void world_cut_events(mn_World* world, size_t count);             // only the first ones stay
bool world_append_event(mn_World* world, const mn_EventDef* def); // false: out of memory

// live_check.c: whether what an event does is possible; names of what earlier events bring will do if `later`
mn_Result world_check_live(const mn_World* world, const mn_EventDef* def, bool later, mn_Error* error);
int world_fluid_of(const mn_World* world, const char* name);                         // number, or -1; NULL: the first
Emitter* world_emitter_of(const mn_World* world, const char* fluid, int64_t number); // or NULL

// live_events.c: what events do between steps
mn_Result world_do_live(mn_World* world, Event* event, mn_Error* error);
bool world_reset_materials(mn_World* world); // as everything came; false: out of memory
// Fluid_changes and solid_changes, the latter of the first `known` solids: those that were there then. False: out of memory.
bool world_change_materials(mn_World* world, const mn_EventDef* def, size_t known, bool* out_borders);

// pulls.c: springs, and forces that were told
bool world_set_pull(mn_World* world, const mn_PullDef* def); // false: out of memory
bool world_push_solids(mn_World* world, double dt);          // pulls and forces over the step, before solids move. False: the same
void world_pull_fluid(mn_World* world, double dt);           // velocities of fluid
bool world_register_pulls(mn_World* world);

// restructure.c: solids that come and go in a running world
mn_Result world_restructure(mn_World* world, Event* event, mn_Error* error); // those of an event
mn_Result world_build_done(mn_World* world, uint64_t done, mn_Error* error); // those of the first events, for a state to load
bool world_renew_borders(mn_World* world); // all that stands between fluid and solids. False: out of memory

bool world_register_frames(mn_World* world);
// Poses of solids of joints that came with the first events, out of a state that is about to be loaded.
mn_Result world_take_frames(mn_World* world, uint64_t done, const mn_Pose* frame, size_t count, mn_Error* error);
// systems.c: a joint of a running world between two solids (second -1: the world), as if they were where `frame` says
mn_Result world_tie(mn_World* world, const mn_JointDef* def, const int number[2], const mn_Pose frame[2], mn_Error* error);
bool world_renew_guard(mn_World* world); // skins.c: for the solids that there are now. False: out of memory
bool world_renew_foam(mn_World* world);  // foam.c: the same

// recipe.c: what the world was made of. False and NULL: out of memory.
bool world_begin_recipe(mn_World* world);
void world_free_recipe(mn_World* world);
mn_Scene* world_copy_recipe(const mn_World* world);
void world_drop_recipe(mn_Scene* recipe); // NULL is allowed
// An empty world gets all that is in a recipe, and events.
mn_Result world_make_again(mn_World* world, const mn_Scene* recipe, const mn_EventDef* events, size_t count, mn_Error* error);
bool world_keep_def(mn_World* world, const struct Section* section, const void* def); // false: out of memory

// state.c: what is derived from the state: solids where they are now, boundary particles, lists. False: out of memory.
bool world_settle(mn_World* world);

// prepare.c: speeds to expect, when more than at the start can happen
void world_expect_speed(mn_World* world);

// views.c: makes what views of the fluid show and steps do not keep (FluidKind.show). Last in every call that changes particles, so
// that views need not write. Returns `result`, that of the call.
mn_Result world_shown(mn_World* world, mn_Result result);

// probes.c
bool world_probe_vertex(const mn_World* world, Probe* probe); // finds it; false: its solid does not deform
ProbeValue world_probe_now(const mn_World* world, const Probe* probe);
void world_free_probes(mn_World* world);

// probe_series.c: what probes have measured over time
ProbeValue world_probe_shown(const mn_World* world, const Probe* probe); // as tables show it now
bool world_sample_probes(mn_World* world, double dt);                    // after a step of `dt` [s]. False: out of memory
bool world_watch_parts(mn_World* world);                                 // before the forces of a step. False: out of memory
bool world_register_probes(mn_World* world);

// sponges.c: fluid in boxes is slowed down
void world_damp_fluid(mn_World* world, double dt);

// periodic.c: axes along which fluid leaves and enters
bool world_carve_domain(mn_World* world, size_t* out_removed);         // fluid beyond its borders; false: out of memory
int world_at_border(const mn_World* world);                            // number of a solid that moves and has come to one, or -1
mn_Result world_check_borders(const mn_World* world, mn_Error* error); // at the start
void world_warn_of_period(const mn_World* world);

// skins.c: solids and the fluid
mn_Result world_add_skins(mn_World* world, mn_Error* error);              // before the boundary is built
mn_Result world_add_skin(mn_World* world, size_t solid, mn_Error* error); // of one that came; before the boundary is built again
void world_remove_skin(mn_World* world, size_t solid);
mn_Result world_create_guard(mn_World* world, mn_Error* error); // after skins are there
void world_fade_skins(mn_World* world, double time);            // [s] over which particles of skins come and go
void world_free_skins(mn_World* world);
bool world_is_sheet(const mn_World* world, size_t solid);
// Skins and what is coupled follow surfaces that came apart. False: out of memory.
bool world_follow_surfaces(mn_World* world, bool* out_changed);
bool world_register_skins(mn_World* world); // after solids, before the coupling. False: out of memory

// time_step.c
double world_solid_speed(const mn_World* world);   // [m/s] of the fastest point of a solid that moves as one
void world_check_time_step(const mn_World* world); // warns of fixed steps that are too long

__attribute__((format(printf, 3, 4))) void world_log(const mn_World* world, mn_LogLevel level, const char* format, ...);

#endif
