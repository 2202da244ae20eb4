// SPDX-License-Identifier: MIT
// Deformable solids: sheets and volumes that deform under forces, held by pins, stopped by other solids. This room does not
// know what a fluid is: it sees forces on the vertices of surfaces.
//
// A body has points (masses) and a surface of triangles. The surface of a sheet has the body's own points for vertices; that
// of a volume has vertices that are embedded in points with fixed weights, so that a fine surface may sit in a coarse volume.
#ifndef ELASTIC_ELASTIC_H
#define ELASTIC_ELASTIC_H

#include "base/parallel.h"
#include "mesh/tri_mesh.h"
#include "solid/kind.h"

struct TetMesh;

typedef struct ElasticSet ElasticSet;

typedef struct ElasticBodyDef {
    mn_ElasticModel model;
    const TriMesh* surface;          // [m] in the world; copied
    const struct TetMesh* tets;      // [m] in the world; copied. NULL: the surface is a sheet
    const uint32_t* point_of;        // (vertices) the point of `tets` that each is; NULL: they are embedded in the tetrahedra
    double density;                  // [kg/m3]
    double thickness;                // [m] of a sheet; of a volume's skin in contacts
    double young;                    // [Pa]
    double poisson;                  // [1] volumes; sheets of mass points have 1/3
    double damping;                  // [s] of the strain's rate against the strain
    double drag;                     // [1/s] of velocities
    int substeps;                    // mass points: per step; <= 0: as many as its stiffness asks for
    mn_ElasticIntegrator integrator; // fem and reduced
    bool plane_strain;               // fem: points keep their z
    double yield;                    // [Pa] fem: stress above which it flows; 0: never
    double creep;                    // [1/s] the rate at which it does so; infinite: at once
    double plastic_most;             // [1] the largest plastic strain
    int handles;                     // reduced: sample points that move the rest
    int projections;                 // reduced: tetrahedra that are looked at
    int iterations;                  // reduced: local and global ones per step
    double strength;                 // [Pa] fem: tension at which it breaks, if it is divisible; 0: never
    double toughness;                // [J/m2] fem: energy that a crack takes per area; 0: none
    bool clean_cracks;  // fem: points move into the planes of cracks, and no hinges are left; else cracks follow the mesh
    double tear_strain; // [1] mass points: stretch of a sheet's edge at which it tears; 0: never
    double friction;    // [1] Coulomb's, with solids
    bool self_contact;
    bool contact;           // with other solids
    Vec3d velocity;         // [m/s] at the start
    Vec3d angular_velocity; // [1/s] at the start, about the centre of mass
} ElasticBodyDef;

// NULL: out of memory. `pool` and `memory` must outlive the set. `length` [m] is the size of what matters (a spacing).
ElasticSet* elastic_create(Memory* memory, Pool* pool, Vec3d gravity, double length);
void elastic_destroy(ElasticSet* set);                    // NULL is allowed
void elastic_set_gravity(ElasticSet* set, Vec3d gravity); // [m/s2]

// Index of the body, counted from 0, in `*out_body`. Errors name the key.
mn_Result elastic_add_body(ElasticSet* set, const ElasticBodyDef* def, int* out_body, mn_Error* error);
size_t elastic_count(const ElasticSet* set);

// --- the surface, as the fluid meets it

typedef struct ElasticSurface {
    size_t vertex_count, triangle_count;
    const uint32_t (*triangle)[3];
    const Vec3d* position;  // [m] in the world, now
    const Vec3d* velocity;  // [m/s] now
    Vec3d* force;           // [N] over the step to come: add to it. elastic_step() takes it and leaves zeros
    const Vec3d* rest;      // [m] in the world, as it was built
    const uint32_t* parent; // (vertices) the vertex that each was split from, or itself; NULL: nothing was split
    uint32_t revision;      // grows with every change of the triangles
    size_t inner_count;     // of the triangles, the last ones: they came to the surface when a volume came apart
} ElasticSurface;

// The arrays stay where they are while the revision is the same; positions and velocities change with elastic_step() and
// elastic_load().
ElasticSurface elastic_surface(const ElasticSet* set, int body);

// [1/kg] How much velocity an impulse on a surface vertex gives that vertex: 1 / mass, 0 where it is pinned.
double elastic_inverse_mass(const ElasticSet* set, int body, uint32_t vertex);
// An impulse [N s] on a surface vertex, at once. What is embedded in the points of a volume shows it after the next step.
void elastic_apply_impulse(ElasticSet* set, int body, uint32_t vertex, Vec3d impulse);
double elastic_mass(const ElasticSet* set, int body);                       // [kg] of the whole body
Vec3d elastic_centre(const ElasticSet* set, int body, Vec3d* out_velocity); // [m] of mass, and how fast it moves [m/s]
double elastic_density(const ElasticSet* set, int body);                    // [kg/m3] of its material
// [1/kg] (vertices) the same if all vertices are pushed alike: those embedded in the same points share the points' masses.
void elastic_shared_masses(const ElasticSet* set, int body, double* out_inverse);
// [kg] (vertices) inertia without weight that vertices carry along in steps from now on; NULL: none. The array must stay.
void elastic_carry(ElasticSet* set, int body, const double* carried);

// How vertices answer to forces within a step of `dt` [s] from here, as far as the model knows: elastic_mobility() turns forces [N]
// on vertices into accelerations [m/s2], in place, by a symmetric operator that is never larger than that of free points.
bool elastic_has_mobility(const ElasticSet* set, int body);
// Volumes of mass points must learn it, and pay with the memory and the time of finite elements. False: out of memory.
bool elastic_prepare_mobility(ElasticSet* set, int body);
void elastic_forget_mobility(ElasticSet* set, int body); // as if it had not been asked for
// Before: finds the velocities [m/s] that vertices would have after the step if `force` [N] acted on them.
void elastic_predict(ElasticSet* set, int body, double dt, const Vec3d* force, Vec3d* velocity);
void elastic_mobility(ElasticSet* set, int body, Vec3d* vertex);

// --- bodies that a grid carries, see SolidKind.immerse. False: out of memory.

bool elastic_immerse(ElasticSet* set, int body, double spacing); // [m]; all bodies of the set must be
bool elastic_is_immersed(const ElasticSet* set);
SolidInside elastic_inside(const ElasticSet* set, int body);
// A try at a step of `dt` [s]: velocities of particles are those that they would have after it without the fluid.
bool elastic_predict_inside(ElasticSet* set, double dt);

// --- pins

// Pins a surface vertex (all points that it is embedded in) to where `pin` puts it; false: out of memory. A later pin replaces one.
int elastic_add_pin(ElasticSet* set, int body);                               // index of a new pin of the body, or -1
bool elastic_pin_vertex(ElasticSet* set, int body, int pin, uint32_t vertex); // where it is now, in the frame of the pin
void elastic_release_pin(ElasticSet* set, int body, int pin);
// Where the frame of a pin is at the start and at the end of the step to come. At first both are the identity.
void elastic_move_pin(ElasticSet* set, int body, int pin, const mn_Pose* from, const mn_Pose* to);
// [N], [N m] about the origin: what the pinned points did to the pin in the last step.
void elastic_pin_force(const ElasticSet* set, int body, int pin, Vec3d* force, Vec3d* torque);
size_t elastic_pinned(const ElasticSet* set, int body); // points that a pin holds

// --- rigid bodies that pins are tied to and that give way to their pull

typedef struct ElasticCarrier {
    mn_Pose from, to;     // over the step, without what the pins do
    Vec3d velocity, spin; // [m/s] of the centre of mass, [1/s], both in the end
    Vec3d centre;         // [m] of mass, in its frame
    double mass;          // [kg]; 0: it does not give way
    bool bound;           // contacts or joints may hold it against the pins
    double inertia[3][3]; // [kg m2] about the centre, in its axes
} ElasticCarrier;

int elastic_add_carrier(ElasticSet* set); // its index, or -1
// Only mass points feel the carrier within the step; other models hold on to its motion without the pins.
void elastic_tie_pin(ElasticSet* set, int body, int pin, int carrier);
void elastic_move_carrier(ElasticSet* set, int carrier, const ElasticCarrier* motion); // before every step
ElasticCarrier elastic_carrier(const ElasticSet* set, int carrier);                    // after it: with what the pins did

// --- solids that they meet

struct InsideTest;

typedef struct ElasticObstacleDef {
    const TriMesh* mesh;           // in its frame; must stay where it is
    const struct InsideTest* test; // of the mesh; must stay where it is
    bool closed, container;        // container: bodies are inside
    double thickness;              // [m] that bodies keep from the mesh, beside half their own
    double friction;               // [1]
    Vec3d bound_centre;            // [m] in its frame
    double bound_radius;           // [m]
    mn_Pose pose;                  // at the start
} ElasticObstacleDef;

int elastic_add_obstacle(ElasticSet* set, const ElasticObstacleDef* def); // its index, or -1
// Where it is at the start and at the end of the step to come; clears what it felt.
void elastic_place_mesh(ElasticSet* set, int obstacle, const TriMesh* mesh); // the same one lies elsewhere
void elastic_move_obstacle(ElasticSet* set, int obstacle, const mn_Pose* from, const mn_Pose* to);
// [N s], [N m s] about the origin: what bodies did to it in the last step.
void elastic_obstacle_impulse(const ElasticSet* set, int obstacle, Vec3d* impulse, Vec3d* moment);

typedef struct ElasticWeight {
    double inverse_mass;          // [1/kg] 0: it does not give way
    Vec3d centre;                 // [m] of mass, in its frame
    double inverse_inertia[3][3]; // [1/(kg m2)] about it, in the axes of the world
    bool bound;                   // joints or contacts may hold it: it keeps its path through the step, but pushes with
    double backing;               // [kg] no more than this; may be infinite
    Vec3d velocity, spin;         // [m/s] of the centre, [1/s] at the end of that path: the rest of it only takes overlaps back
} ElasticWeight;

// How an obstacle gives way in the step to come; after elastic_move_obstacle(), which makes it one that does not.
void elastic_weigh_obstacle(ElasticSet* set, int obstacle, const ElasticWeight* weight);
// [m] How far its centre went and how it turned within the last step because of impulses that are part of
// elastic_obstacle_impulse().
void elastic_obstacle_shift(const ElasticSet* set, int obstacle, Vec3d* shift, Quat* turn);

// --- stepping

// Moves all bodies by `dt` [s]. False: numbers are not finite, see elastic_message().
bool elastic_step(ElasticSet* set, double dt);
const char* elastic_message(const ElasticSet* set);
bool elastic_no_memory(const ElasticSet* set); // the step failed for want of memory

// [s] the longest step in which the body is as stiff as its material says; infinite: any.
double elastic_longest_step(const ElasticSet* set, int body);

// [Pa] pressure over the share of volume that it takes away; infinite for sheets.
double elastic_bulk_modulus(const ElasticSet* set, int body);

// [s] the longest step in which what carries something, see elastic_carry(), answers to pushes that come once per step. Volumes of
// mass points that sound crosses within less of it swing to and fro and push back at random. `now`: only if it carries something
// now. Infinite: any.
double elastic_carrying_step(const ElasticSet* set, int body, bool now);

typedef struct ElasticTotals {
    double kinetic, gravitational, strain; // [J]
    Vec3d momentum, angular_momentum;      // [kg m/s], [kg m2/s] about the origin
} ElasticTotals;
ElasticTotals elastic_totals(const ElasticSet* set);

// --- bodies that come apart

bool elastic_is_divisible(const ElasticSet* set, int body); // a sheet, or a volume whose surface has no vertices but its points
// Parts the tetrahedra or the triangles of a sheet on both sides of a plane, where they are now: the faces, or edges, between those
// whose middles are on different sides. `*out_opened` is the number of these. Between steps. False: out of memory, then nothing
// changed.
bool elastic_cut(ElasticSet* set, int body, Vec3d point, Vec3d normal, size_t* out_opened);
// Bodies break where they must, see fracture.h and tear.h. Between steps. `*out_opened` is the number of faces and edges. False:
// out of memory.
bool elastic_break(ElasticSet* set, size_t* out_opened);
size_t elastic_opened(const ElasticSet* set);           // faces and edges so far, in all bodies
double elastic_broken_energy(const ElasticSet* set);    // [J] that cracks have taken, see cohesion.h
size_t elastic_pieces(const ElasticSet* set, int body); // into which it came apart; 1: it did not

// --- bodies and solids that change between steps

void elastic_remove_body(ElasticSet* set, int body);         // those after it get the numbers before theirs
void elastic_remove_obstacle(ElasticSet* set, int obstacle); // likewise
void elastic_set_friction(ElasticSet* set, int body, double friction);
void elastic_set_obstacle_friction(ElasticSet* set, int obstacle, double friction);
void elastic_untie_pin(ElasticSet* set, int body, int pin); // it lets go, and what it was tied to does not matter to it any more
// Another material: points stay where they are and as fast, and what has yielded has. False: out of memory; the body is lost then.
bool elastic_change_body(ElasticSet* set, int body, double density, double young, double poisson);

// --- state as plain bytes; how many depends on how bodies were split

size_t elastic_state_bytes(const ElasticSet* set);
void elastic_save(const ElasticSet* set, void* bytes);
bool elastic_load(ElasticSet* set, const void* bytes, size_t count); // false: not a state of these bodies, or out of memory

#endif
