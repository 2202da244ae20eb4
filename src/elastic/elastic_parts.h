// SPDX-License-Identifier: MIT
// What the files of this room share.
#ifndef ELASTIC_ELASTIC_PARTS_H
#define ELASTIC_ELASTIC_PARTS_H

#include "elastic/contact/sharp_features.h"
#include "elastic/elastic.h"
#include "elastic/mat3.h"
#include "elastic/quad.h"
#include "solid/kind.h"

typedef struct Body Body;
typedef struct Deformables Deformables;

// A model of elasticity.
typedef struct ElasticModel {
    const char* name;
    bool comes_apart;      // bodies of it can be split, see topology.h
    bool ignores_carriers; // pins on bodies that give way do not move with them within a step, see carrier.h
    mn_Result (*create)(ElasticSet* set, Body* body, mn_Error* error); // from points and material to body->state
    void (*destroy)(ElasticSet* set, Body* body);
    bool (*step)(ElasticSet* set, Body* body, double dt); // false: out of memory
    // Several bodies that meet within the step; NULL: they only meet after it.
    bool (*step_together)(ElasticSet* set, Body* const* body, size_t count, double dt);
    double (*load_time)(const Body* body, double dt); // [s] after a step's begin, when outer forces act on average; NULL: dt
    double (*strain_energy)(const Body* body);        // [J]
    double (*longest)(const Body* body);              // [s] step that keeps its stiffness; NULL: any
    void (*velocity_jump)(Body* body);                // velocities jumped; may be NULL
    void (*met)(ElasticSet* set, Body* body); // other surfaces moved and pushed points after the step; NULL: as velocity_jump
    bool (*prepare_mobility)(
        ElasticSet* set,
        Body* body); // a volume is to give its mobility from now on; NULL: it does so anyway. False: out of memory
    void (*forget_mobility)(ElasticSet* set, Body* body); // nobody asks for it any more; NULL: it costs nothing
    bool (*has_mobility)(const Body* body);               // NULL: always
    // See elastic_predict(), elastic_mobility(); of points, with body->load; in place.
    void (*predict)(ElasticSet* set, Body* body, double dt, Vec3d* velocity);
    void (*mobility)(ElasticSet* set, Body* body, Vec3d* point);
    // See SolidKind.immerse; after `predict_inside` a step only takes where particles were moved. False: out of memory. NULL: it
    // cannot be immersed.
    bool (*immerse)(ElasticSet* set, Body* body, double spacing, double mass);
    bool (*predict_inside)(ElasticSet* set, Body* body, double dt);
    SolidInside (*inside)(const Body* body);
    // What the next step depends on besides positions and velocities; NULL: nothing.
    size_t (*state_bytes)(const Body* body);
    void (*save)(const Body* body, void* bytes);
    void (*load)(Body* body, const void* bytes);
    // See fracture.h and tear.h; NULL: it does not break.
    bool (*fracture)(ElasticSet* set, Body* body, size_t* out_opened);
    // Takes that over from the body before it was split; point i was its point from[i]. NULL: nothing.
    void (*inherit)(Body* body, const Body* before, const uint32_t* from);
} ElasticModel;

extern const ElasticModel elastic_mass_points;
extern const ElasticModel elastic_fem;
extern const ElasticModel elastic_reduced;

// A surface vertex is embedded in up to four points: position = sum of weight * point.
typedef struct Embedding {
    uint32_t point[4];
    double weight[4]; // [1] sum 1; 0: not used
} Embedding;

// A point near an obstacle, and the plane it must stay in front of through the step.
typedef struct HardContact {
    uint32_t point, obstacle;
    Vec3d place;     // [m] of the plane when the step begins
    Vec3d normal;    // to the free side
    Vec3d velocity;  // [m/s] of the plane
    double gap;      // [m] at least, in front of the plane
    double friction; // [1]
    double had;      // [m] mass points: how deep it was in already; at first 0
    uint32_t next;   // another of the same point; see hard_contacts_prepare()
} HardContact;

// A sharp feature of an obstacle near a face: it must stay on its side of it. See contact/sharp_contacts.h.
typedef struct SharpContact {
    uint32_t obstacle, feature, face;
    Vec3d at;        // [m] of the feature, now
    bool met;        // it may be too near
    double side;     // +1 or -1: of the face's normal; 0: not known yet
    double gap;      // [m] that it should have
    double had;      // [m] that it had when its side was found, at most the gap
    double friction; // [1]
} SharpContact;

// A solid that does not deform.
typedef struct Obstacle {
    ElasticObstacleDef def;
    mn_Pose from, to;      // over the step
    mn_Pose seen;          // when distances were last brought up to date
    Vec3d impulse, moment; // [N s], [N m s] about the origin, by all bodies in the step
    SharpFeatures sharp;
    // how it gives way within the step, see obstacle.h
    ElasticWeight weight;
    Vec3d velocity, rate; // [m/s] of its centre of mass, [1/s], over the step, if it did not give way
    Vec3d kick, spin;     // [m/s], [1/s] by all bodies
    Vec3d shift;          // [m] of its centre by them
    Quat turn;
    Vec3d own_kick, own_spin; // the same by the body whose step it is
    Vec3d own_shift;
    Quat own_turn;
    Vec3d hit, hit_moment; // [N s], [N m s] about the origin: of the substep under way, if it is bound
    double hit_work;       // [J] sum of impulses times the speeds that they stopped
    double holds;          // finite elements: places at which it is pushed in the step
    mn_Pose now;           // after a substep
    Vec3d centre;          // [m] of mass, now
} Obstacle;

// Between two corners of a face that opened, see cohesion.h. It is saved as it is and has no padding.
typedef struct Bond {
    uint32_t corner[2]; // 4 * tet + corner
    double area;        // [m2]
    double stiffness;   // [N/m] 0: it is gone
    double spent;       // [J]
} Bond;

typedef struct Pin {
    mn_Pose from, to;    // of its frame, over the step
    uint64_t holds;      // 0: released; no padding, since it is saved as it is
    int64_t carrier;     // or -1
    Vec3d force, torque; // [N], [N m] about the origin, by the points on it, in the last step
} Pin;

typedef struct Carrier {
    ElasticCarrier motion;
    // together with the pinned points of the body whose step it is
    size_t points;
    double mass;  // [kg]
    Vec3d centre; // [m] in its frame
    Mat3 inverse; // [1/(kg m2)] of the inertia about it, in its axes
    Vec3d middle; // [m] where the centre is
    Quat rotation;
    Vec3d momentum, angular; // [kg m/s], [kg m2/s] about the centre
    Vec3d hold, hold_moment; // [N], [N m] by which contacts and joints hold it against the pins
    double held;             // [s] so far
    Vec3d shift;             // [m] what their own solver did in the step besides going on with the velocities
    Quat turn;
} Carrier;

// Points that something holds.
typedef struct BodyPins {
    Pin* pin;
    size_t count, capacity;
    int32_t* of;  // (points) the pin that holds it, or -1
    Vec3d* place; // (points) [m] where, in the frame of its pin
} BodyPins;

// What still holds cracks together.
typedef struct BodyBonds {
    Bond* bond;
    size_t count, capacity;
} BodyBonds;

// What changed since it was built, see topology.h. NULL: nothing was split.
typedef struct BodySplit {
    bool possible;     // it is a sheet, or a volume whose vertices are points
    uint32_t revision; // of the surface; 0: as it was built
    size_t built_points, built_vertices, built_triangles;
    uint32_t (*built_face)[3]; // (built triangles) points of each, ascending, in order; of a volume that came apart
    uint32_t* root;            // (points) the point as built that each was
    Vec3d* built_rest;         // [m] (built points) where they were; cracks move some (snap.h)
    uint32_t* vertex_parent;   // (vertices) the vertex that each was split from, or itself
    size_t opened_edges;       // of a sheet
    size_t piece_count;        // connected ones; 0: nothing was split, and it is one
    uint32_t* piece_of;        // (points) of a volume
    struct LoadPiece* piece;   // (pieces) scratch, see load.c
    Vec3d* outward;            // [m2] (points) sums of the areas of the faces there, for contact of its parts
} BodySplit;

// What may touch: points, the first ones at the surface, and the faces between them.
typedef struct BodySkin {
    uint32_t* point; // all points; the first `count` ones may touch elastic solids
    size_t count;
    uint32_t (*face)[3];
    size_t face_count;
    double mean_edge;  // [m] of the faces, at rest
    double built_edge; // [m] the same as it was built, before it came apart
} BodySkin;

// Where it goes in a step, for contact with other deformable surfaces; see contact/deformables.c.
typedef struct BodyPaths {
    Vec3d* began;             // [m] (points) where they were when the step began,
    Vec3d* opened;            // when a span of substeps began,
    Vec3d* predicted;         // and where they would be after it if they went on
    const Vec3d* from;        // began or opened: paths that contact looks at are from there
    const Vec3d* swept;       // to there: predicted, or positions
    Quad *now, *old;          // [m] (points) within substeps: now, with the inverse mass [1/kg], and when it began; else NULL
    struct SurfaceTree* tree; // of the faces; NULL: not needed yet
    double slack, reach;      // [m] that paths may differ from what is predicted; that with half the thickness
    Vec3d low, high;          // [m] the box of its paths in the step
    bool active;              // it may meet others in what contact looks at
    uint32_t group;           // of bodies that stepped together and met; 0: none
    bool jumped;              // in the step, by another surface
} BodyPaths;

// Contact with solids that do not deform; see contact/hard_contacts.h and contact/sharp_contacts.h.
typedef struct BodyObstacles {
    HardContact* hard; // of the step: its points near obstacles
    size_t hard_count, hard_capacity;
    HardContact* slot;   // (points) scratch
    float* clear;        // [m] (obstacles x points) lower bounds of distances
    float* sharp_clear;  // [m] (obstacles x points) the same to their features
    Vec3d* seen;         // [m] (points) where they were then
    size_t known;        // obstacles that bounds were made for
    SharpContact* sharp; // of the step: its faces near sharp features
    size_t sharp_count, sharp_capacity;
} BodyObstacles;

struct Body {
    const ElasticModel* model;
    void* state;        // of the model
    ElasticBodyDef def; // pointers are not kept

    // points
    size_t point_count;
    Vec3d* position; // [m]
    Vec3d* velocity; // [m/s]
    Vec3d* rest;     // [m] as it was built
    double* mass;    // [kg]
    double fit;      // [1] masses are so many times those of its tetrahedra
    double* inertia; // [kg] mass and what is carried; in place of mass during a step
    const double* carried;
    double* contact_mass; // [kg] in place of mass where surfaces meet after the step; NULL: mass. Of the model
    double crossing;      // [s] of sound across a volume: three times volume over surface over speed; infinite: it is a sheet
    Vec3d* load;          // [N] outer forces of the step

    // elements: triangles of a sheet (its surface) or tetrahedra
    size_t tet_count;
    uint32_t (*tet)[4];

    // surface
    size_t vertex_count, triangle_count;
    uint32_t (*triangle)[3];
    Embedding* embedding;   // NULL: vertex k is point k, and the next two are the points' own
    Vec3d* vertex;          // [m]
    Vec3d* vertex_velocity; // [m/s]
    Vec3d* vertex_rest;     // [m] as it was built; of a sheet `rest`
    Vec3d* force;           // [N] (vertices) of the step to come

    BodyPins pins;
    BodyBonds bonds;
    BodySplit split;
    BodySkin skin;
    BodyPaths paths;
    BodyObstacles obstacles;
};

struct ElasticSet {
    Memory* memory;
    Pool* pool;
    Vec3d gravity;  // [m/s2]
    double length;  // [m]
    double recover; // [s] in which what is too near finds its distance again
    Body* body;
    size_t body_count, body_capacity;
    Obstacle* obstacle;
    size_t obstacle_count, obstacle_capacity;
    Carrier* carrier;
    size_t carrier_count, carrier_capacity;
    struct Deformables* deformables;  // NULL: no surface can meet another
    struct SharpSearch* sharp_search; // scratch of contacts.c; NULL: not needed yet
    double stepped;                   // [s] length of the last step
    char message[256];
    bool is_immersed; // a grid carries all bodies, which meet each other there
    double spacing;   // [m] of the particles that it carries
    bool no_memory;   // the message tells of
};

void body_free(ElasticSet* set, Body* body);
const ElasticModel* elastic_model(mn_ElasticModel model);

// Parts of its making that topology.c needs again. False: out of memory.
void* body_copy_of(ElasticSet* set, const void* from, size_t bytes);
bool body_take_points(ElasticSet* set, Body* body, const Vec3d* position, size_t count);
bool body_find_skin(ElasticSet* set, Body* body, const struct TetMesh* tets); // NULL: it is a sheet
bool body_embed(ElasticSet* set, Body* body, const uint32_t* point_of);       // (vertices) the point that each is
mn_Result body_weigh(Body* body, mn_Error* error);                            // masses of points
double body_crossing(const ElasticBodyDef* def);                              // [s] see Body.crossing
void body_follow(Body* body); // vertices of a surface that is embedded in points go with them

// Where the pin of a point wants it, a share `t` of the step on.
Vec3d pin_target(const Body* body, size_t point, double t);

#endif
