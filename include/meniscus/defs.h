// SPDX-License-Identifier: MIT
// What can be simulated, as plain data: the definition structs behind a scene file. Start from mn_default_*(), change what
// you need, hand them to mn_world_create() or mn_world_add_*(); a def is copied, strings and arrays included. Every struct has
// its mn_default_*(), which is valid as it is, but for the names of what it refers to (the solid of a joint, the file of a mesh).
//
// "Choose for me" is always MN_AUTO, never 0: zero is a number like any other, allowed or not as the limits say. Fields that know
// it say so ("MN_AUTO: ..."); a scene file has a word in its place (auto, none, keep, world). Strings that may be left out are NULL
// then. What never ends or breaks is INFINITY. Limits are those that docs/scene-reference.md lists for the key of the same name; a
// value beyond them is refused with MN_BAD_INPUT, by the scene reader and by mn_world_*() alike.
//
// Lengths in m, times in s, densities in kg/m3, speeds in m/s, angles in degrees.
#ifndef MENISCUS_DEFS_H
#define MENISCUS_DEFS_H

#include <meniscus/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MN_AUTO (-1) // the library chooses; in fields of any number type

// --- methods, chosen by name in a scene

typedef enum mn_Pressure {
    MN_PRESSURE_SESPH,
    MN_PRESSURE_PCISPH,
    MN_PRESSURE_IISPH,
    MN_PRESSURE_DFSPH,
    MN_PRESSURE_FLIP
} mn_Pressure;
typedef enum mn_Transfer { MN_TRANSFER_FLIP, MN_TRANSFER_APIC } mn_Transfer; // flip: velocities between particles and grid
typedef enum mn_Coupling { MN_COUPLING_AKINCI, MN_COUPLING_DIRECT_FORCING, MN_COUPLING_GAUSS, MN_COUPLING_IMMERSED } mn_Coupling;
typedef enum mn_Accuracy { MN_ACCURACY_FAST, MN_ACCURACY_ACCURATE, MN_ACCURACY_LIVE } mn_Accuracy;
typedef enum mn_Density { MN_DENSITY_SUMMED, MN_DENSITY_CORRECTED } mn_Density;
typedef enum mn_Response { MN_RESPONSE_LOCAL, MN_RESPONSE_GLOBAL, MN_RESPONSE_ONE_WAY } mn_Response;
typedef enum mn_Reaction { MN_REACTION_EXACT, MN_REACTION_AMPLIFIED } mn_Reaction;
typedef enum mn_Kernel { MN_KERNEL_CUBIC, MN_KERNEL_WENDLAND, MN_KERNEL_POLY6, MN_KERNEL_SPIKY, MN_KERNEL_AUTO } mn_Kernel;
typedef enum mn_Viscosity { MN_VISCOSITY_ARTIFICIAL, MN_VISCOSITY_LAPLACE, MN_VISCOSITY_XSPH, MN_VISCOSITY_IMPLICIT } mn_Viscosity;
typedef enum mn_Tension { MN_TENSION_AKINCI, MN_TENSION_BECKER, MN_TENSION_TARTAKOVSKY, MN_TENSION_CURVATURE } mn_Tension;
typedef enum mn_SolidType { MN_SOLID_STATIC, MN_SOLID_KINEMATIC, MN_SOLID_RIGID, MN_SOLID_ELASTIC } mn_SolidType;
typedef enum mn_ElasticModel { MN_ELASTIC_MASS_POINTS, MN_ELASTIC_FEM, MN_ELASTIC_REDUCED } mn_ElasticModel;
typedef enum mn_ElasticStructure { MN_STRUCTURE_AUTO, MN_STRUCTURE_SHEET, MN_STRUCTURE_VOLUME } mn_ElasticStructure;
typedef enum mn_PinSelect { MN_PIN_CORNERS, MN_PIN_BORDER, MN_PIN_REGION, MN_PIN_VERTEX } mn_PinSelect;
typedef enum mn_ElasticIntegrator { MN_INTEGRATOR_BDF2, MN_INTEGRATOR_EULER } mn_ElasticIntegrator;
typedef enum mn_Contact { // what a solid touches other solids with
    MN_CONTACT_AUTO,      // its own shape where there is one for it, else its triangles
    MN_CONTACT_NONE,      // nothing: it passes through others
    MN_CONTACT_MESH,      // its triangles
    MN_CONTACT_BOX,
    MN_CONTACT_SPHERE,
    MN_CONTACT_CAPSULE,
    MN_CONTACT_CYLINDER, // around its bounds
} mn_Contact;
typedef enum mn_JointType { MN_JOINT_BALL, MN_JOINT_HINGE, MN_JOINT_SLIDER, MN_JOINT_FIXED } mn_JointType;
typedef enum mn_ShapeType {
    MN_SHAPE_BOX,      // size: edge lengths x, y, z
    MN_SHAPE_SPHERE,   // size.x: radius
    MN_SHAPE_CAPSULE,  // size.x: radius, size.y: length between the cap centres; axis y
    MN_SHAPE_CYLINDER, // size.x: radius, size.y: height; axis y
    MN_SHAPE_CONE,     // size.x: base radius, size.y: height; axis y, base at -height/2
    MN_SHAPE_TORUS,    // size.x: ring radius, size.y: tube radius; axis y
    MN_SHAPE_PLANE,    // size.x, size.z: edge lengths; an open rectangle, normal +y
    MN_SHAPE_GRID,     // like plane, meshed with cells[0] x cells[1] quads
    MN_SHAPE_ROD,      // size.y: length; a line of particles along y
    MN_SHAPE_HULL,     // size: length x, height y, beam z of a decked ship; bow at +x
    MN_SHAPE_BOAT,     // the same, open
    MN_SHAPE_FIGURE,   // size.y: height of a figure with arms and legs, from sole to crown; it looks along +z
    MN_SHAPE_MESH,     // file: obj, ply or stl
    MN_SHAPE_TETS,     // file: msh, or node and ele
} mn_ShapeType;
typedef enum mn_EmitterType { MN_EMITTER_BOX, MN_EMITTER_DISC, MN_EMITTER_SHAPE } mn_EmitterType;
typedef enum mn_DrainType { MN_DRAIN_BOX, MN_DRAIN_DISC } mn_DrainType;
typedef enum mn_Interpolation { // between key frames
    MN_INTERPOLATION_LINEAR,    // at constant velocity
    MN_INTERPOLATION_SMOOTH,    // velocity changes continuously, from rest to rest, and never beyond a key frame
} mn_Interpolation;
typedef enum mn_SolidFinish { // in pictures
    MN_SOLID_FINISH_AUTO,     // opaque; containers are seen through
    MN_SOLID_FINISH_SOLID,    // opaque
    MN_SOLID_FINISH_GLASS,    // clear
    MN_SOLID_FINISH_WIRE,     // edges alone
    MN_SOLID_FINISH_HIDDEN    // not there
} mn_SolidFinish;
typedef enum mn_Profile { MN_PROFILE_UNIFORM, MN_PROFILE_PARABOLIC } mn_Profile;
typedef enum mn_ProbeType {
    MN_PROBE_PRESSURE,
    MN_PROBE_HEIGHT,
    MN_PROBE_VELOCITY,
    MN_PROBE_FORCE,
    MN_PROBE_DISPLACEMENT, // of the vertex of an elastic solid that is nearest to the position at the start
    MN_PROBE_IMPULSE,      // of the fluid on a solid since the start: force added up over time
    MN_PROBE_TORQUE        // of the fluid on a solid, about its origin (rigid: about its centre of mass)
} mn_ProbeType;
typedef enum mn_ParticleFormat {
    MN_PARTICLES_NONE,
    MN_PARTICLES_VTP,
    MN_PARTICLES_PLY,
    MN_PARTICLES_VTK,
    MN_PARTICLES_CSV,
    MN_PARTICLES_BGEO
} mn_ParticleFormat;
typedef enum mn_SurfaceFormat { MN_SURFACE_NONE, MN_SURFACE_VTP, MN_SURFACE_PLY, MN_SURFACE_OBJ } mn_SurfaceFormat;
typedef enum mn_SolidFormat { MN_SOLIDS_NONE, MN_SOLIDS_VTP, MN_SOLIDS_PLY, MN_SOLIDS_OBJ } mn_SolidFormat;

// --- geometry

typedef struct mn_Shape {
    mn_ShapeType type;
    mn_Vec3 size;     // [m] meaning by type, see above
    int cells[2];     // quads of a grid
    const char* file; // mesh path as written in the scene, or NULL
} mn_Shape;

typedef struct mn_Pose {
    mn_Vec3 position; // [m]
    mn_Quat rotation;
} mn_Pose;

// One key frame of a kinematic solid. Linear: position is linear and rotation spherically interpolated in between.
typedef struct mn_Keyframe {
    double time; // [s]
    mn_Pose pose;
} mn_Keyframe;

// To and fro: what swings by formula, on top of key frames. sin(2 pi frequency time + phase) times the amplitudes.
typedef struct mn_Oscillation {
    mn_Vec3 amplitude; // [m] in world axes
    mn_Vec3 angle;     // [degrees] about an axis in world axes, as long as the angle
    double frequency;  // [1/s]
    double phase;      // [degrees]
} mn_Oscillation;

// --- fluids

typedef struct mn_Block {
    mn_Vec3 min, max; // [m] corners
    mn_Vec3 velocity; // [m/s] at the start
} mn_Block;

typedef struct mn_Ball {
    mn_Vec3 centre;   // [m]
    double radius;    // [m]
    mn_Vec3 velocity; // [m/s]
} mn_Ball;

// A closed mesh filled with particles; or particles as they stand in a file, whose velocities are turned with them and added to
// `velocity`.
typedef struct mn_Fill {
    const char* file;
    mn_Vec3 position; // [m]
    mn_Quat rotation;
    mn_Vec3 scale;    // [1]
    mn_Vec3 velocity; // [m/s]
} mn_Fill;

// A shape as solids have them, filled with particles: a cylinder, a rotated box.
typedef struct mn_FluidShape {
    mn_Shape shape;   // closed
    mn_Vec3 position; // [m] of its centre
    mn_Quat rotation;
    mn_Vec3 scale;    // [1] before it is placed
    mn_Vec3 velocity; // [m/s]
} mn_FluidShape;

// What a solid holds at the start: a container, or the hollow of a cup.
typedef struct mn_SolidFill {
    const char* solid; // its name; NULL: none
    double level;      // [m] of the fluid, above the lowest point of the hollow
} mn_SolidFill;

// A speed at a time; linear in between, constant before the first and after the last.
typedef struct mn_SpeedKey {
    double time;  // [s]
    double speed; // [m/s]
} mn_SpeedKey;

// A nozzle, flat or the side of a shape that faces the jet; fluid leaves it along its own +y axis: speed, or what `speeds` say,
// plus the amplitude times sin(2 pi frequency time), but never backwards.
typedef struct mn_Emitter {
    mn_EmitterType type;
    mn_Vec3 position;                        // [m] centre of the nozzle
    mn_Quat rotation;                        // turns +y into the direction of the jet
    double size[2];                          // [m] box: width (x) and depth (z); disc: radius, ignored
    double speed;                            // [m/s] along the jet
    double start, end;                       // [s] active in [start, end); end may be INFINITY
    int64_t limit;                           // particles at most; MN_AUTO: as many as come
    double speed_amplitude, speed_frequency; // [m/s], [1/s]
    mn_SpeedKey* speeds;                     // in place of speed, times ascending
    size_t speed_count;
    const char* solid;   // name of a solid that the nozzle moves with from the start on; NULL: none
    mn_Keyframe* motion; // where the nozzle is, in place of position and rotation; times ascending. Not if it moves with a solid
    size_t motion_count;
    mn_Interpolation interpolation; // of motion
    mn_Profile profile;             // of speeds over the nozzle; their mean is `speed`. Shapes: uniform
    mn_Shape shape;                 // of MN_EMITTER_SHAPE; its size across the jet is what counts
    mn_Vec3 scale;                  // [1] of the shape
} mn_Emitter;

// Surface tension of a fluid, by one of two numbers; with both MN_AUTO it has none.
typedef struct mn_TensionDef {
    mn_Tension method;
    double gamma; // [m4/(kg s2)] the paper's coefficient, about 1 for water at particle sizes of a millimetre; or MN_AUTO
    double sigma; // [N/m] physical value; or MN_AUTO
} mn_TensionDef;

typedef struct mn_FluidDef {
    const char* name;
    const char* material; // name of the preset that gave the defaults below, or NULL; the numbers below are what counts
    double density;       // [kg/m3] rest density
    mn_Viscosity viscosity_method;
    double viscosity; // artificial: alpha [1] (eq. 2.31); laplace: dynamic viscosity [Pa s]; xsph: epsilon [1]
    mn_TensionDef tension;
    double adhesion; // [1] factor of all solids' adhesion
    mn_Block* blocks;
    size_t block_count;
    mn_Ball* balls;
    size_t ball_count;
    mn_Fill* fills;
    size_t fill_count;
    mn_Emitter* emitters;
    size_t emitter_count;
    mn_FluidShape* shapes;
    size_t shape_count;
    mn_SolidFill fill;
    mn_Fill* particles; // needs mn_WorldDef.read_particles
    size_t particle_count;
} mn_FluidDef;

// Fluid particles inside are removed while it is active: in a box along the axes, or in a flat cylinder behind a disc.
typedef struct mn_Drain {
    mn_Vec3 min, max;  // [m] of a box
    double start, end; // [s] active in [start, end); end may be INFINITY
    mn_DrainType type;
    mn_Vec3 position;  // [m] centre of a disc
    mn_Quat rotation;  // of a disc: turns +y into the direction in which fluid leaves
    double radius;     // [m] of a disc
    double depth;      // [m] that a disc reaches behind; MN_AUTO: two particle spacings
    double pressure;   // [Pa] that is kept: only fluid above it goes
    const char* solid; // name of a solid that the drain moves with from the start on; NULL: none
} mn_Drain;

// A box in which fluid is slowed down, to swallow waves.
typedef struct mn_Sponge {
    mn_Vec3 min, max;  // [m]
    double rate;       // [1/s] at which velocities decay where it is strongest
    mn_Vec3 direction; // along which it gets stronger, as the square of the way through the box; zero: as strong everywhere
    mn_Vec3 velocity;  // [m/s] that fluid comes to have
} mn_Sponge;

// --- solids

// Vertices of an elastic solid that are held, or moved as told.
typedef struct mn_PinDef {
    const char* name; // for events; NULL: none
    mn_PinSelect select;
    mn_Vec3 min, max;    // [m] region: vertices in this box at the start
    int64_t vertex;      // its index in the solid's mesh
    const char* solid;   // static, kinematic or rigid solid that they are tied to; NULL: the world
    mn_Keyframe* motion; // shift [m] and turn about their middle, against the start; times ascending. Not if tied to a solid
    size_t motion_count;
    mn_Interpolation interpolation;
} mn_PinDef;

typedef struct mn_SolidDef {
    const char* name;
    mn_SolidType type;
    mn_Shape shape;
    mn_Pose pose;
    mn_Vec3 scale;            // [1] of the shape before it is placed
    bool inside;              // a closed shape becomes a container: fluid lives within
    double friction;          // [1] sigma of Akinci 2014, eq. 3.10; 0 = free slip
    double wall_viscosity;    // [1] share of a laplace fluid's viscosity felt at the wall; 1 = no slip, 0 = free slip
    double adhesion;          // [m4/(kg s2)] beta of Akinci 2014, eq. 5.6; MN_AUTO: gamma of each fluid
    double contact_angle;     // [degrees] in place of adhesion, or MN_AUTO
    double slip;              // [1] direct forcing: share of the fluid's velocity along the surface that is left, 1: all
    double fluid_restitution; // [1] direct forcing: rebound of the fluid, 0 none, 1 full
    mn_Vec3 surface_velocity; // [m/s] of a belt or lid, in world axes; the shape itself stays
    mn_Keyframe* motion;      // kinematic: key frames, times ascending
    size_t motion_count;
    mn_Interpolation interpolation; // of key frames
    mn_Oscillation oscillation;     // kinematic: to and fro, on top of key frames
    bool visible;                   // drawn by render
    mn_Vec3 colour;                 // [0..1] RGB; all MN_AUTO: grey
    mn_Vec3 inner_colour;           // [0..1] RGB of the faces at which it broke; all MN_AUTO: that of its surface
    mn_SolidFinish finish;          // how much of it render shows

    // rigid bodies and elastic solids
    double density;         // [kg/m3] of the space it encloses; of its sheet if it is open
    double mass;            // [kg] MN_AUTO: density times volume
    mn_Vec3 inertia;        // [kg m2] about the axes through the centre of mass, parallel to the solid's own; all MN_AUTO: by shape
    mn_Vec3 centre_of_mass; // [m] in the solid's own frame; all INFINITY: by shape
    double thickness;       // [m] of sheets (open meshes) and rods; MN_AUTO: a particle spacing, of elastic ones a tenth of it
    mn_Vec3 velocity;       // [m/s] of the centre of mass at the start
    mn_Vec3 angular_velocity; // [1/s] at the start; kinematic: turns about its origin all the time, on top of its motion
    mn_Vec3 force;            // [N] that pushes the centre of mass all the time, in world axes: a motor, a wind
    bool held;                // rests like a static solid until an event releases it
    bool sleep;               // may fall asleep where it lies

    // elastic solids
    mn_ElasticModel model;
    mn_ElasticStructure structure; // auto: closed shapes are volumes, open ones sheets
    double resolution;             // [m] edge length of a volume's tetrahedra; MN_AUTO: a particle spacing
    double young;                  // [Pa] Young's modulus
    double poisson;                // [1] Poisson's ratio
    double damping;                // [s] stress by the rate of strain, in units of the stress by strain
    double drag;                   // [1/s] rate at which velocities decay
    int64_t substeps;              // mass points: per step; MN_AUTO: by stiffness
    mn_ElasticIntegrator integrator;
    bool plane_strain;         // fem: points keep their z
    double yield;              // [Pa] fem: stress (von Mises) above which it deforms for good; INFINITY: never
    double creep;              // [1/s] fem: rate at which it does so; INFINITY: at once
    double max_plastic_strain; // [1] fem: how far at most
    double strength;           // [Pa] fem: tension at which it breaks; INFINITY: never
    double toughness;          // [J/m2] fem: energy that a crack takes per area; 0: brittle
    double tear_strain;        // [1] sheets of mass points: stretch at which they tear; INFINITY: never
    int64_t handles;           // reduced: sample points that move the rest
    int64_t projections;       // reduced: tetrahedra that are looked at
    int64_t iterations;        // reduced: local and global ones per step
    bool self_contact;
    mn_PinDef* pins;
    size_t pin_count;

    // contact with other solids, of all types
    mn_Contact contact;
    double contact_friction; // [1] Coulomb's; a pair has the geometric mean
    double restitution;      // [1] 0: no rebound, 1: full; a pair has the larger one
} mn_SolidDef;

// --- joints and events

// Where a driven joint is at a time; in between the position changes linearly.
typedef struct mn_DriveKey {
    double time;     // [s]
    double position; // hinge [degrees], slider [m]; 0 is the start
} mn_DriveKey;

// Ties a rigid body to another solid or, with `other` NULL, to the world. Position and axis are those at the start.
typedef struct mn_JointDef {
    const char* name;
    mn_JointType type;
    const char* solid;     // name of a rigid solid
    const char* other;     // name of any other solid, or NULL
    mn_Vec3 position;      // [m] of the joint
    mn_Vec3 axis;          // hinge, slider: its direction, any length
    double limits[2];      // hinge [degrees], slider [m]; -INFINITY, INFINITY: none
    double motor_speed;    // hinge [degrees/s], slider [m/s]
    double motor_strength; // hinge [N m], slider [N]; 0: no motor
    double damping;        // hinge [N m s], slider [N s/m]: resists its motion
    mn_DriveKey* drive;    // hinge, slider: positions over time that it is made to follow, whatever it takes
    size_t drive_count;
    double break_force; // [N] breaks when it must hold more; INFINITY: never
    bool collide;       // whether the two touch each other
} mn_JointDef;

// --- what events do to a running world; the calls of meniscus/live.h are made of the same

// A knock on a solid that gives way.
typedef struct mn_PushDef {
    const char* solid;       // its name
    mn_Vec3 impulse;         // [N s]
    mn_Vec3 angular_impulse; // [N m s] about the centre of mass; of rigid solids
    mn_Vec3 point;           // [m] where the impulse acts, in the world; all NAN: the centre of mass
} mn_PushDef;

// What pushes a solid from then on, in place of an earlier one.
typedef struct mn_ForceDef {
    const char* solid; // its name
    mn_Vec3 force;     // [N] on the centre of mass, or spread over an elastic solid
    mn_Vec3 torque;    // [N m] of rigid solids
} mn_ForceDef;

// How a kinematic solid moves from then on, whatever its key frames say.
typedef struct mn_MoveDef {
    const char* solid;        // its name
    mn_Vec3 position;         // [m] where it goes from where it is; all NAN: it stays or moves with the velocity
    mn_Quat rotation;         // how it is turned there
    double seconds;           // [s] that this takes; it rests then
    mn_Vec3 velocity;         // [m/s] without a position: for good
    mn_Vec3 angular_velocity; // [1/s] the same, about its origin
} mn_MoveDef;

typedef struct mn_FluidParticle {
    mn_Vec3 position; // [m]
    mn_Vec3 velocity; // [m/s]
} mn_FluidParticle;

// More of a fluid. What would be in a solid or closer than 0.7 spacings to other fluid is left out.
typedef struct mn_PourDef {
    const char* fluid; // its name; NULL: the first
    mn_Block* blocks;
    size_t block_count;
    mn_Ball* balls;
    size_t ball_count;
    mn_Fill* fills;
    size_t fill_count;
    mn_FluidShape* shapes;
    size_t shape_count;
    mn_FluidParticle* particles; // one by one
    size_t particle_count;
} mn_PourDef;

// Fluid in a box or ball goes.
typedef struct mn_ScoopDef {
    mn_Vec3 min, max; // [m] corners of a box; not read if there is a radius
    mn_Vec3 centre;   // [m] of a ball
    double radius;    // [m] of a ball; MN_AUTO: a box
} mn_ScoopDef;

// An emitter is turned on or off, or gets another speed.
typedef struct mn_NozzleDef {
    const char* fluid; // name of the fluid; NULL: the first
    int64_t number;    // of the emitter in its list, from 0
    bool on;
    double speed; // [m/s] from then on, in place of all that was said about it; MN_AUTO: as before
} mn_NozzleDef;

// A spring from a point of a solid, or from fluid around a point, to a target. The same name again moves the target of one that
// is there, or ends it. It is as stiff as a frequency says for the mass that it pulls, and implicit: it never overshoots by the
// length of a step.
typedef struct mn_PullDef {
    const char* name;
    const char* solid; // name of a solid that gives way; NULL: fluid
    mn_Vec3 point;     // [m] of the solid, in the world, when the pull begins
    mn_Vec3 target;    // [m]
    double radius;     // [m] of the fluid, or of the patch of an elastic solid, that is pulled; MN_AUTO: by the particles' size
    double frequency;  // [1/s] of the mass on the spring, critically damped
    double max_force;  // [N] at most; MN_AUTO: 200 times the weight of what is pulled under normal gravity
    bool end;          // no more
} mn_PullDef;

// Another material of a fluid.
typedef struct mn_FluidChange {
    const char* fluid;      // its name; NULL: the first
    double viscosity;       // as in mn_FluidDef; MN_AUTO: as before, likewise the next
    double surface_tension; // [m4/(kg s2)] gamma, or, with a fluid whose tension was given by sigma, [N/m]
    double density;         // [kg/m3] particles keep their places and velocities, and weigh as much from then on
} mn_FluidChange;

// Another material of a solid. MN_AUTO: as before.
typedef struct mn_SolidChange {
    const char* solid;       // its name
    double friction;         // [1] with fluids, as in mn_SolidDef
    double wall_viscosity;   // [1]
    double contact_friction; // [1] with other solids
    double restitution;      // [1] from other solids; not of elastic ones
    double density;          // [kg/m3] of elastic solids, as the next two; of rigid ones an event of its own (mn_EventDef.solid)
    double young;            // [Pa]
    double poisson;          // [1]
} mn_SolidChange;

// Something that happens at a given time. What is not given stays as it is.
typedef struct mn_EventDef {
    double time;         // [s]
    bool cuts_step;      // a step ends at that time; else it happens after the first step that reaches it
    const char* release; // name of a joint or pin that goes, of a held solid or one with pins that is let go; or NULL
    const char* solid;   // name of a rigid solid that is changed, or NULL
    double density;      // [kg/m3] its new density; MN_AUTO: as before
    bool has_velocity, has_angular_velocity;
    mn_Vec3 velocity;         // [m/s]
    mn_Vec3 angular_velocity; // [1/s]
    bool has_gravity;
    mn_Vec3 gravity;       // [m/s2] of the world from then on
    const char* cut;       // name of an elastic volume that comes apart along a plane, or NULL
    mn_Vec3 point, normal; // [m] a point of the plane, and what is at right angles to it

    // What follows happens between steps, in this order.
    const char* remove; // name of a solid that is taken away, or NULL
    mn_SolidDef* solids;
    size_t solid_count; // new solids
    mn_JointDef* joints;
    size_t joint_count; // new joints, where their solids are then
    mn_ScoopDef* scoops;
    size_t scoop_count; // fluid goes
    mn_PourDef* pours;
    size_t pour_count; // fluid comes
    mn_PushDef* pushes;
    size_t push_count;
    mn_ForceDef* forces;
    size_t force_count;
    mn_MoveDef* moves;
    size_t move_count;
    mn_NozzleDef* nozzles;
    size_t nozzle_count; // emitters
    mn_PullDef* pulls;
    size_t pull_count;
    mn_FluidChange* fluid_changes;
    size_t fluid_change_count;
    mn_SolidChange* solid_changes;
    size_t solid_change_count;
} mn_EventDef;

// --- templates: a scene file's short form of many solids and joints

// A jointed figure. Reading a scene turns it into solids ("anna.head") and joints ("anna.neck").
typedef struct mn_RagdollDef {
    const char* name;
    mn_Pose pose;     // of the middle of the standing figure, which looks along +z, arms along x
    double height;    // [m]
    double density;   // [kg/m3]
    double friction;  // [1] as mn_SolidDef
    mn_Vec3 velocity; // [m/s] at the start
    mn_Vec3 colour;   // [0..1] RGB
} mn_RagdollDef;

// Equal links on a straight line, tied one to the next. Reading a scene turns it into solids ("rope.0") and joints ("rope.joint0").
typedef struct mn_ChainDef {
    const char* name;
    mn_Vec3 from, to; // [m] ends of the line
    int links;
    mn_Shape shape; // of a link; its y axis lies along the line, its z axis points up as far as possible
    mn_JointType joint;
    double density;          // [kg/m3]
    double friction;         // [1] as mn_SolidDef
    double break_force;      // [N] of every joint; INFINITY: never
    const char *start, *end; // name of the solid that an end is tied to, or "none"; NULL: the world
    mn_Vec3 colour;          // [0..1] RGB
} mn_ChainDef;

// --- probes

typedef struct mn_ProbeDef {
    const char* name;
    mn_ProbeType type;
    mn_Vec3 position;  // [m] pressure, velocity: point; height: any point on the vertical line
    const char* solid; // force, torque, impulse, displacement: name of the solid; others: a solid that they move with, NULL: none
    double radius;     // [m] pressure: mean over what is nearer to the point; 0: at the point
    mn_Vec3 direction; // height: measured along this, of any length; zero: against gravity
    mn_Vec3 min,
        max;      // [m] force, torque, impulse: only of the part of the solid that is in this box at the start; INFINITY: all of it
    double every; // [s] between values; MN_AUTO: by frames
    double average; // [s] over which values are means; 0: values of a moment
    // A scene file's short way of saying many: a line from position to `to`, in rows up to `across` from there. Worlds do not look
    // at it.
    mn_Vec3 to, across; // [m] with count, rows above 1
    int64_t count, rows;
} mn_ProbeDef;

// --- solver and world

// Particles of a file: x, y, z [m] each and, unless *velocity is left NULL, as many velocities [m/s]; who calls frees them with
// free().
typedef mn_Result mn_ReadParticlesFn(const char* path, size_t* count, float** position, float** velocity, mn_Error* error);

typedef struct mn_SolverDef {
    mn_Pressure method;
    mn_Accuracy accuracy;        // all but flip: accurate keeps the energy of waves; live: see mn_live_solver_def()
    double max_density_error;    // [1] mean relative compression allowed
    double max_divergence_error; // [1] dfsph: mean relative density change per step allowed by the divergence-free solve
    double
        max_pressure_error; // [1] share of the pressure that a solve may leave wrong, as far as 30 more iterations reach; 1 = any
    int min_iterations, max_iterations;
    mn_Density density;                  // sesph: corrected where neighbours are missing or not
    double gamma;                        // sesph: Tait exponent, 7 or 1
    double speed_of_sound;               // [m/s] sesph stiffness and artificial viscosity; MN_AUTO: derived from the scene
    double time_step;                    // [s] fixed step; MN_AUTO: adaptive
    double cfl;                          // [1] share of a particle spacing travelled per step
    double min_time_step, max_time_step; // [s] bounds of the adaptive step; MN_AUTO: derived from the scene
    bool warm_start;
    double cell_size;     // [m] flip: of the grid; MN_AUTO: two particle spacings
    double pic;           // [1] flip: share of the grid's velocity in that of particles, the rest is its change
    mn_Transfer transfer; // flip
    double tolerance;     // [1] flip: of the pressure equation, relative to what there is to solve
    int iterations;       // flip: so many Jacobi iterations instead of multigrid; 0: none
} mn_SolverDef;

// How fluid and solids exchange momentum.
typedef struct mn_CouplingDef {
    mn_Coupling method;
    mn_Response response; // direct forcing: rigid bodies meet the condition at each contact alone, at all at once, or not at all
    bool strong;          // rigid bodies and elastic solids respond within the pressure iterations
    bool resample_by_density; // surfaces of elastic solids are sampled anew by number densities, not by lengths
    // gauss:
    double stiffness;          // [Pa] traction at the surface itself; MN_AUTO: from the scene
    double rest_distance;      // [m] of fluid from a plane; MN_AUTO: 1.6 particle radii
    double boundary_viscosity; // [Pa s] of friction; MN_AUTO: that of the fluid
    double gauss_spacing;      // [1] most that points of the rule are apart, in support radii
    double adhesion;           // [1] share of the attraction of eq. 15 (Müller 2004); 0: solids only push
    mn_Reaction reaction;
} mn_CouplingDef;

// Spray, foam and bubbles that a fluid makes. Thresholds are pairs: nothing below the first, all above the second.
typedef struct mn_FoamDef {
    double amount;               // [1] factor of all that is made
    double spray, foam, bubbles; // [1] factors of each kind; 0: none
    double lifetime;             // [s] of foam, in the mean; MN_AUTO: derived from the scene, as all below
    int64_t limit;               // diffuse particles at most; thresholds rise as their number comes near
    double radius;               // [m] of a diffuse particle; MN_AUTO: half of particle_radius
    double trapped_air[2];       // [m/s] thresholds; both MN_AUTO
    double wave_crest[2];        // [1] thresholds; both MN_AUTO
    double kinetic_energy[2];    // [J/kg] thresholds; both MN_AUTO
    double trapped_air_rate;     // [1/s] new particles per fluid particle where potentials are full; MN_AUTO
    double wave_crest_rate;      // [1/s] the same; MN_AUTO
    double buoyancy;             // [1] of bubbles, in gravities
    double drag;                 // [1/s] of bubbles towards the fluid; MN_AUTO
    double air_drag;             // [1/s] of spray; MN_AUTO
    double spray_below;          // fluid particles around a particle that is spray, at most; MN_AUTO: 6
    double bubbles_above;        // the same of bubbles, at least; MN_AUTO: 20
} mn_FoamDef;

typedef struct mn_OutputDef {
    mn_ParticleFormat particles;
    mn_SolidFormat solids;
    mn_SurfaceFormat surface; // of the fluids, a mesh per frame
    double surface_spacing;   // [particle radii] of the grid that the surface is found on
    int surface_smoothing;    // rounds
    int checkpoint_every;     // frames; 0 = only when interrupted and at the end
    bool boundary;            // also write boundary particles each frame
} mn_OutputDef;

// --- pictures

typedef enum mn_ColourBy { MN_COLOUR_SPEED, MN_COLOUR_PRESSURE, MN_COLOUR_DENSITY, MN_COLOUR_FLUID } mn_ColourBy;
typedef enum mn_Style { // how fluids are drawn
    MN_STYLE_AUTO,      // particles in fast pictures, liquid in final ones
    MN_STYLE_PARTICLES, // lit spheres, coloured by mn_ColourBy
    MN_STYLE_LIQUID,    // clear, as liquids look
    MN_STYLE_SURFACE    // the liquid's surface, opaque, coloured by mn_ColourBy
} mn_Style;
typedef enum mn_Sky { MN_SKY_STUDIO, MN_SKY_DAY, MN_SKY_GRADIENT, MN_SKY_MAP } mn_Sky;
typedef enum mn_Finish { MN_FINISH_PAINT, MN_FINISH_MATTE, MN_FINISH_METAL, MN_FINISH_GLASS } mn_Finish;
typedef enum mn_Axis { MN_AXIS_X, MN_AXIS_Y, MN_AXIS_Z } mn_Axis;

// A far lamp.
typedef struct mn_LightDef {
    mn_Vec3 direction; // towards the light, any length
    mn_Vec3 colour;    // [0..1] RGB
    double strength;   // [1] 1 is a sunny day
    double size;       // [degrees] half of the angle it fills: how soft shadows are
} mn_LightDef;

typedef struct mn_EnvironmentDef {
    mn_Sky sky;
    mn_Vec3 zenith, horizon, below; // [0..1] RGB, gradient
    const char* file;               // map: .hdr, .pfm or .png, longitude by latitude; or NULL
    double turn;                    // [degrees] about the vertical
    double strength;                // [1]
} mn_EnvironmentDef;

typedef struct mn_GroundDef {
    mn_Vec3 colour;      // [0..1] RGB; all MN_AUTO: by the environment
    mn_Vec3 checker;     // second colour of a checkerboard; all MN_AUTO: none
    double checker_size; // [m] of a field; MN_AUTO: by the scene's size
} mn_GroundDef;

typedef struct mn_SolidLook {
    const char* solid; // name
    mn_Finish finish;
    mn_Vec3 colour;      // [0..1] RGB; all MN_AUTO: the solid's own
    double roughness;    // [0..1] metal: 0 mirrors
    double ior;          // [1] paint, glass
    mn_Vec3 checker;     // second colour of a checkerboard; all MN_AUTO: none
    const char* texture; // .png laid on from all six sides, or NULL
    double pattern;      // [m] size of a checker's field or a texture's picture; MN_AUTO: by the solid's size
} mn_SolidLook;

typedef struct mn_FluidLook {
    const char* fluid;  // name
    mn_Vec3 colour;     // [0..1] RGB of white light after `depth`; all MN_AUTO: by the fluid's place in the list
    double depth;       // [m] MN_AUTO: by the size of the scene
    mn_Vec3 absorption; // [1/m]; all MN_AUTO: from colour and depth
    double ior;         // [1]
} mn_FluidLook;

typedef struct mn_CaptionDef {
    const char* text;
    double position[2]; // [1] of the picture's width and height, from the upper left corner
    double size;        // [1] of the picture's height
} mn_CaptionDef;

// How pictures of the scene are taken.
// How spray, foam and bubbles look (Akinci 2014, section 6.2, whose values are the defaults).
typedef struct mn_FoamLook {
    double radius;             // [1] factor of the particles' radius
    double intensity_modulus;  // [1] rho_mod: the thickness at which foam is half opaque, to the power of the exponent
    double intensity_exponent; // [1] rho_exp
    double depth;              // [m] eta_max: bubbles so far below the surface are not seen; MN_AUTO: by the size of the fluid
    double depth_exponents[2]; // [1] eta_n, eta_m
    double occlusion_start;    // [particle radii] how far a pixel looks around: start + step k in pass k = 1, 2, ...
    double occlusion_step;     // [particle radii]
    int occlusion_passes;      // 0: no shadows
    double occlusion_density;  // [1/pixel3] samples
    int occlusion_samples[2];  // per pixel and pass: at least, at most
    double occlusion_distance; // [m] what is farther in front of a sample does not hide it; MN_AUTO: 50 radii
    double liquid_opacity;     // [1] of the liquid's surface, for what is behind
    double shadow_scale, shadow_exponent, shadow_offset; // [1]
    mn_Vec3 shadow_colour;                               // [0..1] RGB
    double brightness;                                   // [1] C_IrrScale: 2 reflects all light
    bool droplets;                                       // fluid particles that fly alone are drawn as spray
    bool traced;                                         // final pictures: traced as small clouds, not laid over the picture
} mn_FoamLook;

typedef struct mn_ViewDef {
    bool has_camera;      // false: frame the scene by itself
    mn_Vec3 eye, target;  // [m]
    double field_of_view; // [degrees] vertical
    double aperture;      // [m] radius of the lens, final pictures; 0: all is sharp
    double focus;         // [m] distance that is sharp; MN_AUTO: the target, or the middle of the scene
    int width, height;    // [pixels]
    mn_Style style;
    mn_ColourBy colour;
    double range[2]; // colour scale; both MN_AUTO: by what there is
    bool colour_bar, time_stamp;
    const char* title; // NULL: the scene's name
    mn_CaptionDef* captions;
    size_t caption_count;
    mn_Vec3 background; // [0..1] RGB
    mn_EnvironmentDef environment;
    mn_LightDef* lights; // none: one by the environment
    size_t light_count;
    double exposure; // [1] final pictures
    bool has_ground;
    mn_GroundDef ground;
    mn_SolidLook* solids;
    size_t solid_count;
    mn_FluidLook* fluids;
    size_t fluid_count;
    bool has_clip; // hides what is on the camera's side of a plane
    mn_Axis clip_axis;
    double clip_position; // [m]
    bool boundary;        // shows boundary particles
    bool has_foam;        // shows spray, foam and bubbles if there are any
    mn_FoamLook foam;
} mn_ViewDef;

// A box along the axes.
typedef struct mn_Domain {
    mn_Vec3 min, max; // [m]
} mn_Domain;

typedef struct mn_WorldDef {
    int dimension;          // 2 or 3
    mn_Vec3 gravity;        // [m/s2]
    bool periodic[3];       // axes along which fluid that leaves the domain enters it on the other side
    mn_Domain domain;       // only its extent along periodic axes matters
    double particle_radius; // [m] r; spacing 2r
    double support_radius;  // [m] h; MN_AUTO: 4r
    mn_Kernel kernel;
    mn_SolverDef solver;
    mn_CouplingDef coupling;
    bool has_foam; // spray, foam and bubbles are made on the way
    mn_FoamDef foam;
    int threads; // MN_AUTO: all cores; never changes results
    uint64_t seed;
    mn_LogFn* log; // may be NULL
    void* log_user;
    mn_ReadParticlesFn* read_particles; // reads files of mn_FluidDef.particles; NULL: they are refused
} mn_WorldDef;

// A whole scene file. One that was read owns everything it points to; mn_scene_free() frees it.
typedef struct mn_Scene {
    const char* name;
    const char* folder; // where relative mesh paths start: the scene file's folder
    void* document;     // the text it was read from, so that building it can say what stands where; may be NULL
    double duration;    // [s]
    double frame_rate;  // [1/s]
    mn_WorldDef world;
    mn_FluidDef* fluids;
    size_t fluid_count;
    mn_SolidDef* solids;
    size_t solid_count;
    mn_Drain* drains;
    size_t drain_count;
    mn_Sponge* sponges;
    size_t sponge_count;
    mn_JointDef* joints;
    size_t joint_count;
    mn_EventDef* events;
    size_t event_count;
    mn_RagdollDef* ragdolls; // none once a scene is read: they are solids and joints then
    size_t ragdoll_count;
    mn_ChainDef* chains; // the same
    size_t chain_count;
    mn_ProbeDef* probes;
    size_t probe_count;
    mn_OutputDef output;
    mn_ViewDef view;
} mn_Scene;

// --- defaults, in the order of the structs: right for water in a tank of about a metre

MN_API mn_Shape mn_default_shape(void); // a cube of 1 m
MN_API mn_Pose mn_default_pose(void);
MN_API mn_Keyframe mn_default_keyframe(void);
MN_API mn_Block mn_default_block(void); // 1 m3 above the origin
MN_API mn_Ball mn_default_ball(void);
MN_API mn_Fill mn_default_fill(void); // needs a file
MN_API mn_FluidShape mn_default_fluid_shape(void);
MN_API mn_Emitter mn_default_emitter(void);
MN_API mn_TensionDef mn_default_tension_def(void);
MN_API mn_FluidDef mn_default_fluid_def(void);
MN_API mn_Drain mn_default_drain(void);
MN_API mn_Sponge mn_default_sponge(void);
MN_API mn_PinDef mn_default_pin_def(void);
MN_API mn_SolidDef mn_default_solid_def(void);
MN_API mn_DriveKey mn_default_drive_key(void);
MN_API mn_JointDef mn_default_joint_def(void); // needs a solid
MN_API mn_PushDef mn_default_push_def(void);   // needs a solid
MN_API mn_ForceDef mn_default_force_def(void); // needs a solid
MN_API mn_MoveDef mn_default_move_def(void);   // needs a solid
MN_API mn_FluidParticle mn_default_fluid_particle(void);
MN_API mn_PourDef mn_default_pour_def(void);
MN_API mn_ScoopDef mn_default_scoop_def(void); // 1 m3 above the origin
MN_API mn_NozzleDef mn_default_nozzle_def(void);
MN_API mn_PullDef mn_default_pull_def(void); // of fluid, at the origin
MN_API mn_FluidChange mn_default_fluid_change(void);
MN_API mn_SolidChange mn_default_solid_change(void); // needs a solid
MN_API mn_EventDef mn_default_event_def(void);       // changes nothing
MN_API mn_RagdollDef mn_default_ragdoll_def(void);
MN_API mn_ChainDef mn_default_chain_def(void);
MN_API mn_ProbeDef mn_default_probe_def(void);
MN_API mn_SolverDef mn_default_solver_def(void);
MN_API mn_SolverDef mn_live_solver_def(void); // the same with looser tolerances and longer steps, that keeps up with the clock
MN_API mn_CouplingDef mn_default_coupling_def(void);
MN_API mn_FoamDef mn_default_foam_def(void);
MN_API mn_OutputDef mn_default_output_def(void);
MN_API mn_LightDef mn_default_light_def(void);
MN_API mn_EnvironmentDef mn_default_environment_def(void);
MN_API mn_GroundDef mn_default_ground_def(void);
MN_API mn_SolidLook mn_default_solid_look(void); // needs a solid
MN_API mn_FluidLook mn_default_fluid_look(void); // needs a fluid
MN_API mn_FoamLook mn_default_foam_look(void);
MN_API mn_CaptionDef mn_default_caption_def(void); // needs a text
MN_API mn_ViewDef mn_default_view_def(void);
MN_API mn_WorldDef mn_default_world_def(void);
MN_API mn_Scene mn_default_scene(void); // an empty one, which owns nothing

#ifdef __cplusplus
}
#endif

#endif
