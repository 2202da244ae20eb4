// SPDX-License-Identifier: MIT
// What a solid is to everybody who meets it: the fluid's coupling, contact, the guard of sides, output. A kind of solid (static,
// kinematic, rigid, mass points, fem, ...) is a table of functions; nobody outside asks which one it is.
//
// There are two sorts of kinds. A solid that moves as one is where its pose says, and responds to forces as a body with mass and
// inertia. A solid that deforms has a surface whose vertices move on their own, and responds to forces on its vertices by a
// symmetric positive operator, its mobility. The revision of a surface grows whenever its triangles change: whoever keeps anything
// per vertex or triangle compares it with the revision that was seen last.
//
// Solids that step together, because they touch or are joined, form a system: all rigid bodies, all deformable bodies. A world has
// a list of systems and does with each the same.
#ifndef SOLID_KIND_H
#define SOLID_KIND_H

#include "base/log.h"
#include "base/register.h"
#include "base/vec.h"
#include <meniscus/defs.h>
#include <meniscus/world.h>

typedef struct Solid Solid;

// A place on the surface of a solid.
typedef struct SurfacePlace {
    uint32_t face;    // triangle of its mesh or, if it has none, segment
    double weight[3]; // [1] of the corners of the face; for solids that deform
    Vec3d point;      // [m] in the world
} SurfacePlace;

// A solid that moves as one, as forces see it.
typedef struct SolidBody {
    double inverse_mass;          // [1/kg] 0: it does not give way
    double inverse_inertia[3][3]; // [1/(kg m2)] about the centre, in world axes
    Vec3d centre;                 // [m] of mass, in the world
    Vec3d velocity;               // [m/s] of the centre
    Vec3d angular_velocity;       // [1/s] in world axes
    bool bound;                   // contacts or joints may hold it against what pushes it
    double backing;               // [kg] of it and all that pushes with it
    double mass;                  // [kg] also of one that does not give way
    double inertia[3][3];         // [kg m2] about the centre, in the axes of its frame
    Vec3d frame_centre;           // [m] of mass, in its frame
} SolidBody;

// Where a solid that moves as one is, and how it moves.
typedef struct SolidMotion {
    Vec3d centre; // [m] of mass
    Quat rotation;
    Vec3d velocity, angular_velocity; // [m/s] of the centre, [1/s] in world axes
} SolidMotion;

// A solid as a whole, for views.
typedef struct SolidBulk {
    double mass;    // [kg] 0: it has none
    Vec3d centre;   // [m] of mass, in its frame
    Vec3d moments;  // [kg m2] about axes through the centre, parallel to its own; 0 if it deforms
    Vec3d velocity; // [m/s] of its frame or, if it deforms, of the centre
    bool asleep;
} SolidBulk;

// The surface of a solid that deforms. Arrays stay where they are while the revision is the same.
typedef struct SolidSurface {
    size_t vertex_count, triangle_count;
    const uint32_t (*triangle)[3];
    const Vec3d* position; // [m] in the world, now
    const Vec3d* velocity; // [m/s] now
    Vec3d* force;          // [N] over the step to come: whoever pushes adds to it; the step takes it and leaves zeros
    uint32_t revision;     // of the triangles: another one than before if they, or the number of vertices, changed
    // Vertices keep their numbers when the surface comes apart, and new ones follow. Kinds whose triangles never change need
    // neither of these.
    const Vec3d* rest;      // [m] (vertices) as it was built
    const uint32_t* parent; // (vertices) the vertex that each was split from, or itself; NULL: nothing was split
} SolidSurface;

// The inside of a solid as particles that a grid carries together with the fluid. Arrays stay where they are.
typedef struct SolidInside {
    size_t count;
    double mass;            // [kg] of a particle
    const Vec4* rest;       // [m] (count) where they were built
    const Vec4* position;   // [m] now
    const Vec4* velocity;   // [m/s] now
    const Vec4* ahead;      // [m/s] after SolidSystem.predict: at the end of the step if there were no fluid
    const float (*back)[9]; // rows first: from places beside a particle to places beside its rest place
    Vec4* moved;            // [m] whoever carries them writes where to, before SolidSystem.step
} SolidInside;

typedef struct SolidKind {
    const char* name;
    bool deforms;   // it has a surface of its own; else it moves as one
    bool is_driven; // static or moved as told: nothing that pushes it changes its motion

    // --- every kind. Velocities are those of now, with all impulses that were taken so far.
    Vec3d (*velocity_at)(const Solid* solid, const SurfacePlace* place);                   // [m/s]
    double (*mobility_at)(const Solid* solid, const SurfacePlace* place, Vec3d direction); // [1/kg] along a unit vector
    void (*take_impulse)(Solid* solid, const SurfacePlace* place, Vec3d impulse);          // [N s] at once
    // Where its frame is at the end of the step under way, `time` [s], while Solid.pose is still where the step began.
    mn_Pose (*pose_after)(const Solid* solid, double time);

    // --- every kind that is not driven
    SolidBulk (*bulk)(const Solid* solid);
    void (*release)(Solid* solid); // whatever holds it lets it go, see Solid.releasable

    // --- kinds that move as one and are not driven
    SolidBody (*body)(const Solid* solid);
    // [N s], [N m s] about the centre of mass, at once. Wakes it.
    void (*take_wrench)(Solid* solid, Vec3d impulse, Vec3d moment);
    // Puts it elsewhere within a step, because of what moves with it. Wakes it; does nothing to what does not give way.
    void (*move_body)(Solid* solid, const SolidMotion* motion);
    void (*change)(Solid* solid, const mn_EventDef* event); // density and velocities, as far as the event says
    // [m/s2], [1/s2] by everything but the fluid in the step under way; known after SolidSystem.predict
    void (*other_acceleration)(const Solid* solid, Vec3d* linear, Vec3d* angular);
    void (*set_load)(Solid* solid, Vec3d force, Vec3d torque); // [N], [N m] about the centre, by the fluid, over the step to come

    // --- kinds that deform
    SolidSurface (*surface)(const Solid* solid);
    void (*vertex_mobility)(const Solid* solid,
                            double* out_inverse); // [1/kg] (vertices) of each if all are pushed alike; 0: pinned
    double (*density)(const Solid* solid);        // [kg/m3] of its material
    // Whether it knows how it responds as a whole. Then `predict` finds the velocities [m/s] that vertices would have after a step
    // of `dt` [s] under `force` [N], and after it `mobility` turns forces [N] on vertices into accelerations [m/s2], in place.
    bool (*has_mobility)(const Solid* solid);
    bool (*prepare_mobility)(Solid* solid); // asks it to find that out, at a cost; false: out of memory
    void (*predict)(Solid* solid, double dt, const Vec3d* force, Vec3d* velocity);
    void (*mobility)(Solid* solid, Vec3d* vertex);
    // [kg] (vertices) inertia without weight that vertices carry along from now on; NULL: none. The array must stay.
    void (*carry)(Solid* solid, const double* carried);
    void (*uncouple)(Solid* solid); // it carries nothing any more, and nobody asks for its mobility: another coupling comes
    // Comes apart along a plane through `point` [m] with that normal, where it is now; says how many faces opened. Between steps,
    // and only if Solid.is_divisible. False: out of memory. The array given to `carry` is forgotten if anything opened.
    bool (*cut)(Solid* solid, Vec3d point, Vec3d normal, size_t* out_opened);
    // Makes particles `spacing` [m] apart of its inside; before SolidSystem.prepare. From then on the solid goes where they are
    // moved to, and meets other solids that give way nowhere else. False: out of memory. NULL: it cannot be carried.
    bool (*immerse)(Solid* solid, double spacing);
    SolidInside (*inside)(const Solid* solid); // after that
} SolidKind;

typedef struct SolidTotals {
    double kinetic, potential;        // [J] potential: of gravity and of strain
    Vec3d momentum, angular_momentum; // [kg m/s], [kg m2/s] about the origin
    uint64_t broken_faces;            // along which solids came apart so far
} SolidTotals;

// The world that systems are made for. What it points to must stay.
typedef struct SolidSetting {
    Memory* memory;
    Pool* pool;
    Log log;
    const char* folder; // of files, or NULL
    int dimension;
    double radius; // [m] of particles
    Vec3d gravity; // [m/s2]
    uint64_t seed;
} SolidSetting;

// All solids of a world, in the order in which they were added.
typedef struct SolidList {
    Solid* solid;
    const mn_SolidDef* def; // numbers of the defs; what they point to is not kept
    size_t count;
} SolidList;

// What awaits the solids of a world.
typedef struct SolidProspect {
    double dt;             // [s] the longest step
    bool fixed_dt;         // all steps are as long
    double pressure;       // [Pa] of a fluid that falls through the scene
    double fluid_density;  // [kg/m3] of the lightest fluid; infinite: there is none
    char light_remedy[64]; // what solids much lighter than the fluid need and the scene does not give; empty: nothing
} SolidProspect;

// Solids that step together. What a kind does not need is NULL.
typedef struct SolidSystem {
    const char* name;
    mn_SolidType type; // of its solids

    // --- a world is made
    void* (*create)(const SolidSetting* setting); // when its first solid is added. NULL: out of memory
    // Solid number `number` of the world is one of its own. It stays where it is from `prepare` on, its kind from here on.
    mn_Result (*add)(void* system, size_t number, Solid* solid, const mn_SolidDef* def, mn_Error* error);
    mn_Result (*prepare)(void* system, const SolidList* all, mn_Error* error); // all solids are there, the list stays
    bool (*register_state)(void* system, Register* reg);                       // after that. False: out of memory
    void (*warn)(const void* system, const SolidProspect* prospect);           // of what is hardly meant
    void (*destroy)(void* system);

    // --- a step
    // A try at a step of `dt` [s] from `time` [s] begins: finds out what all but the fluid would do. False: see message.
    bool (*predict)(void* system, double time, double dt);
    // Moves its solids through a step of `dt` [s] that ends at `time` [s]. Solids still show where it began; systems before this
    // one in the list know where theirs are in the end. False: see message.
    bool (*step)(void* system, double time, double dt);
    // Solids that carry more than they can come apart, between steps; says so. False: out of memory.
    bool (*fracture)(void* system, double time);
    void (*place)(void* system); // its Solids show where they are: pose, velocities, mesh
    const char* (*message)(const void* system);
    bool (*no_memory)(const void* system);      // that was the reason
    double (*longest_step)(const void* system); // [s] that the next step should be at most
    void (*add_totals)(const void* system, SolidTotals* totals);

    // --- changes
    void (*set_gravity)(void* system, Vec3d gravity); // [m/s2]
    void (*wake)(void* system);                       // nothing is at rest any more
    // What can be released by its name: joints, pins. -1: none of that name.
    int (*find_hold)(const void* system, const char* name);
    void (*release_hold)(void* system, int hold, double time); // says so

    // --- a running world changes
    // Solid number `number` came, as the last of all; of whatever type. NULL: it does not care. False: out of memory.
    bool (*extend)(void* system, const SolidList* all, size_t number);
    // Whether a solid that is none of the list yet could come as one of its own; leaves nothing behind. NULL: as `add` says, which
    // then leaves nothing behind either.
    mn_Result (*try_add)(void* system, const SolidList* all, Solid* solid, const mn_SolidDef* def, mn_Error* error);
    // Whether a grid could carry the solid of that def (`immerse` of its kind); NULL: it need not.
    bool (*can_immerse)(const mn_SolidDef* def);
    // A solid goes, of whatever type: its mesh will be empty. NULL: it does not care.
    void (*remove)(void* system, size_t number);
    // Contact friction and restitution of a solid are now those of its def; NULL: it does not care.
    void (*change_contact)(void* system, size_t number, const mn_SolidDef* def);
    // Density and stiffness of a solid of its own are now those of its def; NULL: they cannot change. False: out of memory.
    bool (*change_material)(void* system, size_t number, const mn_SolidDef* def);

    // --- joints, for systems that have some
    // Between two solids of the world, before `prepare`; `other` -1: the world.
    mn_Result (*add_joint)(void* system, const mn_JointDef* def, size_t solid, int other, mn_Error* error);
    // The same in a running world, as if both solids were where `frame` says.
    mn_Result (*tie_joint)(void* system, const mn_JointDef* def, size_t solid, int other, const mn_Pose frame[2], mn_Error* error);
    size_t (*joint_count)(const void* system);
    mn_JointView (*joint)(const void* system, size_t joint);
} SolidSystem;

// Static and kinematic solids, which no system steps.
extern const SolidKind solid_static, solid_kinematic;

#endif
