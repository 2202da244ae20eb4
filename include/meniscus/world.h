// SPDX-License-Identifier: MIT
// The world: fluids and solids that advance in time together. Functions that take a const world write nothing that others could
// see: several threads may look at the same time. A call that takes a non-const world must be alone. Worlds do not know each other.
#ifndef MENISCUS_WORLD_H
#define MENISCUS_WORLD_H

#include <meniscus/defs.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mn_World mn_World;

// Ids: index + 1; zero is "none".
typedef uint32_t mn_FluidId;
typedef uint32_t mn_SolidId;
typedef uint32_t mn_ProbeId;
typedef uint32_t mn_JointId;

// NULL on failure, with `error` filled. `folder` (may be NULL: current folder) is where relative mesh paths start.
MN_API mn_World* mn_world_create(const mn_WorldDef* def, const char* folder, mn_Error* error);
MN_API void mn_world_destroy(mn_World* world); // NULL is allowed

// Add everything but drains and probes before the first step. Ids are 0 on failure.
MN_API mn_FluidId mn_world_add_fluid(mn_World* world, const mn_FluidDef* def, mn_Error* error);
MN_API mn_SolidId mn_world_add_solid(mn_World* world, const mn_SolidDef* def, mn_Error* error);
MN_API mn_Result mn_world_add_drain(mn_World* world, const mn_Drain* def, mn_Error* error);
MN_API mn_Result mn_world_add_sponge(mn_World* world, const mn_Sponge* def, mn_Error* error);
MN_API mn_JointId mn_world_add_joint(mn_World* world, const mn_JointDef* def, mn_Error* error); // after its solids
MN_API mn_Result mn_world_add_event(mn_World* world, const mn_EventDef* def, mn_Error* error);  // after what it names
MN_API mn_ProbeId mn_world_add_probe(mn_World* world, const mn_ProbeDef* def, mn_Error* error);

// Called by the first step or explicitly: carves fluid away from solids, samples boundaries, derives what was left open.
MN_API mn_Result mn_world_prepare(mn_World* world, mn_Error* error);

// Advances to exactly `time` [s] (never past it), by as many steps as the limits demand. `keep_going` (may be NULL) is
// asked after each step; when it answers false the call returns MN_INTERRUPTED with the world in a consistent state. Views and
// probes are made when the call returns: while it asks, only the time and the numbers of steps and iterations are up to date.
typedef bool mn_KeepGoingFn(void* user);
MN_API mn_Result mn_world_advance(mn_World* world, double time, mn_KeepGoingFn* keep_going, void* user, mn_Error* error);

// Called after each step of mn_world_advance() and mn_world_step(), when events have happened; NULL: nobody. The world may be
// changed from there by the calls of meniscus/live.h. Views are not up to date then, as for keep_going.
typedef void mn_AfterStepFn(void* user, mn_World* world);
MN_API void mn_world_after_step(mn_World* world, mn_AfterStepFn* after_step, void* user);

// One step, at most `dt_max` long [s].
MN_API mn_Result mn_world_step(mn_World* world, double dt_max, mn_Error* error);

MN_API double mn_world_time(const mn_World* world);

// [s] about how long steps will be when the fluid is as fast as a fall through the scene makes it; after mn_world_prepare.
MN_API double mn_world_expected_step(const mn_World* world);

// Fluid particles in memory order, which changes every step; `id` tells who is who. Valid until the next call that
// takes a non-const world.
typedef struct mn_ParticleView {
    size_t count;
    const float* position; // [m] x, y, z, - per particle (stride 4)
    const float* velocity; // [m/s] x, y, z, - per particle (stride 4)
    const float* density;  // [1] relative to the rest density of its fluid
    const float* pressure; // [Pa]
    const uint32_t* id;
    const uint8_t* fluid; // fluid id - 1
} mn_ParticleView;
MN_API mn_ParticleView mn_world_particles(const mn_World* world);

// Spray, foam and bubbles, if the world makes them, in an order that means nothing.
typedef struct mn_FoamView {
    size_t count;
    const float* position; // [m] x, y, z, and the share of its life that is left, from 1 to 0 (stride 4)
    const float* velocity; // [m/s] x, y, z, and age [s] (stride 4)
    const uint32_t* id;    // by birth
    const uint8_t* kind;   // 0 spray, 1 foam, 2 bubble
    double radius;         // [m] of all of them
} mn_FoamView;
MN_API mn_FoamView mn_world_foam(const mn_World* world);

// Boundary particles of all solids.
typedef struct mn_BoundaryView {
    size_t count;
    const float* position; // [m] x, y, z, volume [m3] (stride 4)
    const uint32_t* solid; // solid id - 1
} mn_BoundaryView;
MN_API mn_BoundaryView mn_world_boundary(const mn_World* world);

// The solid's triangles in its own frame and where the frame is now.
typedef struct mn_SolidView {
    const char* name;
    size_t vertex_count, triangle_count, segment_count;
    const mn_Vec3* vertex; // [m] in the solid's frame, scaled
    const uint32_t (*triangle)[3];
    const uint32_t (*segment)[2]; // lines of rods and 2D outlines
    mn_Pose pose;
    mn_Vec3 velocity, angular_velocity; // [m/s], [1/s]; elastic: of the centre of mass, and none
    mn_Vec3 force, torque;              // [N], [N m] from the fluid in the last step, torque about the pose's position
    double mass;                        // [kg] of a rigid or elastic solid, else 0
    mn_Vec3 centre;                     // [m] of mass, in the solid's frame
    mn_Vec3 inertia;                    // [kg m2] of a rigid solid about axes through the centre, parallel to its own, else 0
    mn_SolidType type;
    bool inside, visible;
    bool asleep; // see mn_SolidDef.sleep
    mn_Vec3 colour;
    bool divisible;     // it may break, tear or be cut
    size_t inner_count; // of the triangles, the last ones: faces of cracks, which came to the surface when it broke
} mn_SolidView;
MN_API size_t mn_world_solid_count(const mn_World* world);
MN_API mn_SolidView mn_world_solid(const mn_World* world, mn_SolidId id);

// A joint now: whether it still holds, how far its two points are apart, hinge angle [degrees] or slider position [m].
typedef struct mn_JointView {
    const char* name;
    bool holds;
    double gap; // [m]
    double position;
    mn_Vec3 force; // [N] on the first solid in the last step
} mn_JointView;
MN_API size_t mn_world_joint_count(const mn_World* world);
MN_API mn_JointView mn_world_joint(const mn_World* world, mn_JointId id);

// Value of a probe now, or its mean up to now: Pa, m, m/s, N, m, N s (velocity, force, displacement: its magnitude; vector:
// out_vector, may be NULL).
MN_API double mn_world_probe(const mn_World* world, mn_ProbeId id, mn_Vec3* out_vector);

// What a probe with a rate of its own (mn_ProbeDef.every) has measured since the samples were taken last; valid until the next call
// that takes a non-const world. They are part of the state until they are taken.
typedef struct mn_ProbeSamples {
    size_t count;
    const double* sample; // time [s], value, x, y, z (stride 5)
} mn_ProbeSamples;
MN_API mn_ProbeSamples mn_world_probe_samples(const mn_World* world, mn_ProbeId id);
MN_API void mn_world_take_probe_samples(mn_World* world); // of all probes

// What the last step and the run so far were like.
typedef struct mn_Stats {
    double time, dt; // [s]
    uint64_t steps;  // since the start of the simulation
    uint64_t fluid_particles, boundary_particles;
    double density_error_mean, density_error_max; // [1] max(0, rho - rho0) / rho0
    int iterations, divergence_iterations;        // of the last step
    uint64_t iterations_total, divergence_iterations_total;
    uint64_t not_converged;                  // steps in which the solver hit max_iterations
    uint64_t repeated_steps;                 // steps taken back and repeated smaller
    double kinetic_energy, potential_energy; // [J] of fluid, rigid and elastic bodies; strain is potential
    mn_Vec3 momentum, angular_momentum;      // [kg m/s], [kg m2/s] of them, about the origin
    double max_speed;                        // [m/s]
    uint64_t emitted, drained;               // particles that came and went as told
    uint64_t carved;                         // particles removed at the start because of solids
    uint64_t lost_particles, leaked_particles;
    uint64_t expelled_particles; // times that one was found in a solid, behind a wall or crossing a sheet, and put back
    uint64_t diffuse_particles;  // spray, foam and bubbles
    uint64_t broken_faces;       // along which solids were cut or broke so far
    size_t memory_bytes;         // owned by the world
    uint64_t allocations;        // since the world was created; constant in steady steps
    double residual_divergence;  // [1/s] of a grid fluid (flip): mean over its cells of what the pressure left, without its sign
} mn_Stats;
MN_API mn_Stats mn_world_stats(const mn_World* world); // computes energies and leaks: not for inner loops

// Time per stage of the step since the start of this process.
typedef struct mn_StageTime {
    const char* name;
    double seconds;
    uint64_t calls;
} mn_StageTime;
MN_API size_t mn_world_timing(const mn_World* world, const mn_StageTime** out_stages);

// 64-bit hash of the state that the next step depends on: equal hashes, equal futures.
MN_API uint64_t mn_world_hash(const mn_World* world);

#ifdef __cplusplus
}
#endif

#endif
