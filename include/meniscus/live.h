// SPDX-License-Identifier: MIT
// A world that changes while it runs. Every call here takes effect at once, between two steps; within a step (from a log function)
// it is refused. A world that was not prepared is prepared first.
//
// All of them are events (mn_EventDef): what was done is recorded, mn_world_scene() makes a scene of it, and a run of that scene
// that is advanced to the same times takes the same steps and has the same bits. Solids, fluids and emitters are recorded by
// name; two solids of a running world cannot share one.
//
// Ids stay what they are: that of a solid which was removed is never given away again, and calls refuse it.
#ifndef MENISCUS_LIVE_H
#define MENISCUS_LIVE_H

#include <meniscus/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- looking up: 0 if there is none of that name

MN_API mn_SolidId mn_world_find_solid(const mn_World* world, const char* name);
MN_API mn_FluidId mn_world_find_fluid(const mn_World* world, const char* name);
MN_API mn_JointId mn_world_find_joint(const mn_World* world, const char* name);
MN_API mn_ProbeId mn_world_find_probe(const mn_World* world, const char* name);
// What mn_world_add_*() gave out: solids from 1 to mn_world_solid_count() that were not removed.
MN_API bool mn_world_has_solid(const mn_World* world, mn_SolidId id);
MN_API size_t mn_world_fluid_count(const mn_World* world);
MN_API const char* mn_world_fluid_name(const mn_World* world, mn_FluidId id); // "" if there is none
// The definition that a fluid has now: numbers only, nothing that it started with.
MN_API mn_FluidDef mn_world_fluid(const mn_World* world, mn_FluidId id);
MN_API mn_Vec3 mn_world_gravity(const mn_World* world); // [m/s2]
// Vertices of an elastic solid that pins hold now: how many, and the first `most` of them. 0 also for want of memory.
MN_API size_t mn_world_pinned(const mn_World* world, mn_SolidId solid, uint32_t* vertex, size_t most);

// --- events now: `time` and `cuts_step` are not read. Several things in one event happen in the order of its fields.

MN_API mn_Result mn_world_do(mn_World* world, const mn_EventDef* event, mn_Error* error);

// --- the world, fluids

MN_API mn_Result mn_world_set_gravity(mn_World* world, mn_Vec3 gravity, mn_Error* error); // [m/s2]
// Another viscosity, surface tension or density; see mn_FluidChange, whose name of a fluid is not read.
MN_API mn_Result mn_world_change_fluid(mn_World* world, mn_FluidId fluid, const mn_FluidChange* change, mn_Error* error);

// More fluid. What has no room is left out; stats tell how many particles there are.
MN_API mn_Result mn_world_pour_block(mn_World* world, mn_FluidId fluid, const mn_Block* block, mn_Error* error);
MN_API mn_Result mn_world_pour_ball(mn_World* world, mn_FluidId fluid, const mn_Ball* ball, mn_Error* error);
MN_API mn_Result mn_world_pour_shape(mn_World* world, mn_FluidId fluid, const mn_FluidShape* shape, mn_Error* error);
MN_API mn_Result mn_world_pour_mesh(mn_World* world, mn_FluidId fluid, const mn_Fill* fill, mn_Error* error);
MN_API mn_Result mn_world_pour_particles(mn_World* world, mn_FluidId fluid, size_t count, const mn_FluidParticle* particles,
                                         mn_Error* error);
// Fluid in a box or a ball goes, and counts as drained.
MN_API mn_Result mn_world_scoop_box(mn_World* world, mn_Vec3 min, mn_Vec3 max, mn_Error* error);
MN_API mn_Result mn_world_scoop_ball(mn_World* world, mn_Vec3 centre, double radius, mn_Error* error);

// Emitter `number` (from 0) of a fluid; `speed` [m/s] from now on, MN_AUTO: as before.
MN_API mn_Result mn_world_set_emitter(mn_World* world, mn_FluidId fluid, size_t number, bool on, double speed, mn_Error* error);

// --- solids

// Impulse [N s] at a point in the world, or with NULL at the centre of mass.
MN_API mn_Result mn_world_push(mn_World* world, mn_SolidId solid, mn_Vec3 impulse, const mn_Vec3* point, mn_Error* error);
MN_API mn_Result mn_world_twist(mn_World* world, mn_SolidId solid, mn_Vec3 angular_impulse, mn_Error* error); // [N m s] rigid
// [N], [N m] from now on, in place of what was set before; torques are for rigid solids.
MN_API mn_Result mn_world_set_force(mn_World* world, mn_SolidId solid, mn_Vec3 force, mn_Vec3 torque, mn_Error* error);
MN_API mn_Result mn_world_set_velocity(mn_World* world, mn_SolidId solid, mn_Vec3 velocity, mn_Vec3 angular_velocity,
                                       mn_Error* error);                                                   // rigid, kinematic
MN_API mn_Result mn_world_set_density(mn_World* world, mn_SolidId solid, double density, mn_Error* error); // [kg/m3] rigid, elastic
// A kinematic solid goes to a pose within `seconds`, straight and with constant velocities, and rests there; 0: at once.
MN_API mn_Result mn_world_move(mn_World* world, mn_SolidId solid, const mn_Pose* pose, double seconds, mn_Error* error);
// Friction, restitution, stiffness and density; see mn_SolidChange, whose name of a solid is not read.
MN_API mn_Result mn_world_change_solid(mn_World* world, mn_SolidId solid, const mn_SolidChange* change, mn_Error* error);
// New solids and joints: mn_world_add_solid() and mn_world_add_joint() of meniscus/world.h do in a running world what they do
// before. Pins of an elastic one can be tied to solids that are there already. Fluid where a new solid is goes.
// With its joints and pulls; pins that are tied to it let go.
MN_API mn_Result mn_world_remove_solid(mn_World* world, mn_SolidId solid, mn_Error* error);
// What holds it lets it go: a held solid, pins, a joint.
MN_API mn_Result mn_world_release(mn_World* world, const char* name, mn_Error* error);

// --- pulls: what a mouse does. See mn_PullDef for what the numbers mean.

// A spring from a point of a solid (in the world) to a target; solid 0: from the fluid around the target, which follows where
// the target goes later. A name that is in use
// gets a new spring.
MN_API mn_Result mn_world_pull(mn_World* world, const mn_PullDef* def, mn_Error* error);
MN_API mn_Result mn_world_pull_to(mn_World* world, const char* name, mn_Vec3 target, mn_Error* error);
MN_API mn_Result mn_world_pull_end(mn_World* world, const char* name, mn_Error* error);

typedef struct mn_PullView {
    const char* name;
    mn_SolidId solid;      // 0: fluid
    mn_Vec3 point, target; // [m] in the world, now
    double radius;         // [m]
} mn_PullView;
MN_API size_t mn_world_pull_count(const mn_World* world);                   // also of those that have ended
MN_API mn_PullView mn_world_pull_view(const mn_World* world, size_t index); // from 0; its name is empty if it has ended

// --- what a ray meets

typedef enum mn_PickWhat { MN_PICK_NOTHING, MN_PICK_SOLID, MN_PICK_FLUID } mn_PickWhat;

typedef struct mn_Pick {
    mn_PickWhat what;
    mn_SolidId solid; // 0: none
    uint32_t element; // triangle, or segment, of the solid's mesh; fluid: index of the particle in mn_world_particles()
    mn_FluidId fluid; // 0: none
    double distance;  // [m] from the origin of the ray
    mn_Vec3 point;    // [m]
    mn_Vec3 normal;   // [1] towards the origin of the ray
} mn_Pick;

// Which of the things below a ray looks for.
enum { MN_PICK_SOLIDS = 1, MN_PICK_FLUIDS = 2, MN_PICK_CONTAINERS = 4, MN_PICK_HIDDEN = 8 };

// The first that a ray from `origin` [m] along `direction` (any length) meets: solids that are no containers, the fluid's
// particles as balls, and so on, as `what` says. Walls of containers are met from within and from outside.
MN_API mn_Pick mn_world_pick(const mn_World* world, mn_Vec3 origin, mn_Vec3 direction, int what);

// --- snapshots: all that a world is, in memory

typedef struct mn_Snapshot mn_Snapshot;

MN_API mn_Snapshot* mn_world_save(const mn_World* world, mn_Error* error); // NULL on failure; a prepared world
MN_API void mn_snapshot_free(mn_Snapshot* snapshot);                       // NULL is allowed
MN_API double mn_snapshot_time(const mn_Snapshot* snapshot);               // [s]
MN_API size_t mn_snapshot_bytes(const mn_Snapshot* snapshot);              // that it occupies
// The world is again what it was, to the bit; the record of what was done ends there. It must be the world that the snapshot is of,
// or a copy of it. Cheap if nothing has come apart or been added since; else the world is built again.
MN_API mn_Result mn_world_load(mn_World* world, const mn_Snapshot* snapshot, mn_Error* error);
MN_API mn_World* mn_world_copy(const mn_World* world, mn_Error* error); // a world of its own with the same state; NULL on failure

// --- the record

// The world as a scene: what it was made of, events that have happened, and those to come. NULL on failure; free it with
// mn_scene_free(), write it with mn_scene_to_json().
MN_API mn_Scene* mn_world_scene(const mn_World* world, mn_Error* error);

#ifdef __cplusplus
}
#endif

#endif
