// SPDX-License-Identifier: MIT
// The reduced model: what its files and its tests share. reduced.c tells what it computes.
//
// Vectors of coordinates have three parts of length `rank`, one per axis, that follow each other.
#ifndef ELASTIC_REDUCED_REDUCED_H
#define ELASTIC_REDUCED_REDUCED_H

#include "base/simd.h"
#include "elastic/elastic_parts.h"
#include "elastic/reduced/accelerate.h"
#include "elastic/reduced/subspace.h"

// Eight samples, one per lane.
typedef struct SampleGroup {
    uint32_t first, count; // in handle: those that move one of the eight
} SampleGroup;

// Where strains are looked at; they stand for all tetrahedra.
typedef struct Samples {
    size_t count;
    size_t groups;          // of eight; what is missing in the last one has no share
    uint32_t* tet_start;    // (count + 1) into tet
    uint32_t* tet;          // those whose mean a sample is
    double* volume;         // [m3] (count) that each stands for
    SampleGroup* group;     //
    uint32_t* handle;       // of all groups, one after the other
    float* gradient;        // [1/m] 12 x 8 per entry of handle: of the four functions of a handle, by axis, by lane
    float* share;           // [N m] 8 per group: 2 w times volume
    float* turn;            // state: 4 x 8 per group, quaternions w x y z of the rotations found last
    float* turn_tried;      // the same of a step that is only tried
    float* stretch;         // scratch: 9 x 8 per group, R^T F when the step began
    size_t blocks;          // of groups, that are summed one by one
    uint32_t* block_start;  // (blocks + 1) into block_handle
    uint32_t* block_handle; // handles that a block moves, ascending
    double* energy;         // scratch (blocks) [J]
    float* partial;         // scratch: per block 12 x 8 per handle, forces lane by lane
} Samples;

// The global step for one length of a step and one set of pins.
typedef struct ReducedFactor {
    double scale;    // [s2] b h (b h + damping); 0: not made yet
    uint64_t pins;   // fingerprint of who was pinned
    uint64_t used;   // number of the step that used it last
    double* inverse; // (rank x rank) A^-1, A = M + scale K + pins
    float* step;     // scale A^-1 in stripes of eight rows: column by column, eight floats each
} ReducedFactor;

enum { REDUCED_FACTORS = 3 };

// A point whose answer contacts ask for: A^-1 u.
typedef struct ContactColumn {
    uint32_t point;
    Vec3d pushed; // [kg m] so far, by the contacts of the step
} ContactColumn;

// Its inside as particles that a grid carries, see reduced_inside.c.
typedef struct ReducedInside {
    size_t count; // 0: it is not immersed
    double mass;  // [kg] of one
    // U^p, row by row
    uint32_t* start; // (count + 1) into handle and function
    uint32_t* handle;
    double (*function)[4];
    uint32_t (*beside)[6];   // (count) the next particles along -x, +x, -y, ..., or itself
    Vec4 *rest, *position;   // [m] as it was built, and now
    Vec4* velocity;          // [m/s] now
    Vec4* ahead;             // [m/s] at the end of the step under way if there were no fluid
    Vec4* moved;             // [m] where the grid takes them in it
    float (*back)[9];        // from a place beside a particle to one beside its rest place
    double *matrix, *factor; // [kg] (rank x rank) without pins, and factored with them
    uint64_t pins;           // of the factor
    bool is_factored;
    double *predicted, *gained; // [m/s] rates v*; [m] by the fluid
    Quad* partial;              // scratch (blocks x rank)
} ReducedInside;

typedef struct Reduced {
    double mu, lambda; // [Pa]
    double weight;     // [Pa] mu + 3/2 lambda, of |F - P|^2
    int iterations;
    Subspace space;
    size_t rank;    // 4 per handle
    size_t stripes; // of eight rows
    Vec3d* centre;  // [m] (handles) rest positions of the samples
    double* rest;   // [m] coordinates at rest

    double* mass;          // [kg] (rank x rank)
    double* mass_own;      // its factor
    double* stiffness;     // [N/m] (rank x rank) K
    uint32_t* block_start; // (handles + 1) into block
    uint32_t* block;       // handles that share points or samples with a handle, ascending
    double* carried;       // [kg] (rank) M times a translation by 1
    double total_mass;     // [kg]
    Samples samples;
    ReducedFactor factor[REDUCED_FACTORS];
    double* square;    // scratch (rank x rank); NULL: not needed yet
    uint64_t steps;    // taken by this process, for the choice of a factor to replace
    uint32_t* surface; // points that vertices are embedded in, ascending
    size_t surface_count;
    double* contact_mass; // [kg] (points) see reduced_points.c

    // state
    double *q, *v;               // [m], [m/s] coordinates and their rates
    double *q_before, *v_before; // of the step before
    double h_before;             // [s] 0: the next step starts afresh
    uint64_t pins;               // fingerprint of who is pinned
    double strain;               // [J] energy, about
    double stale;                // 1: points were moved or pushed by others since the last step

    // scratch of a step
    Quad* packed;         // (2 x rank) coordinates, axis by axis side by side
    double *first, *last; // M q when the step begins and when it ends
    double *q_start, *v_start, *y, *drift, *now, *load, *pushed, *work;
    float *place, *force, *change; // of the local step: coordinates; forces of samples; what the global step adds
    Accelerate accelerate;
    double mobility_scale; // dv over dt A^-1 f
    ReducedFactor* used;   // in this step
    int32_t* column_of;    // (points) or -1
    ContactColumn* column;
    size_t column_count, column_capacity;
    double* answer; // (rank per column) A^-1 u
    size_t answer_capacity;
    ReducedInside inside;
    Vec3d* total; // [kg m] (contacts) what each pushed so far
    size_t total_capacity;
} Reduced;

// --- reduced_setup.c

// Subspaces, samples and matrices of the body's rest shape. Errors name the key.
mn_Result reduced_setup(Reduced* s, ElasticSet* set, const Body* body, mn_Error* error);
void reduced_setup_free(Reduced* s, Memory* memory);

// --- reduced_samples.c

enum { MOST_TOUCHED = 256, GROUPS_PER_BLOCK = 32 };

// What functions do at a sample.
typedef struct SampleView {
    double volume; // [m3]
    size_t count;
    uint32_t handle[MOST_TOUCHED];
    Vec3d gradient[MOST_TOUCHED][4]; // [1/m] of the four functions
} SampleView;

bool reduced_choose_samples(Reduced* s, Memory* memory, const Body* body, size_t wanted); // false: out of memory
// Packs them and adds up K. False: out of memory.
bool reduced_pack_samples(Reduced* s, Memory* memory, const Body* body);
void reduced_samples_free(Samples* samples, Memory* memory);

// --- reduced_local.c

typedef struct LocalJob {
    Reduced* s;
    float* turn;    // quaternions to go on from
    Mat3 reference; // a rotation that is taken from all projections: sums are small where the body is nearly rigid
    float damping;  // [1] over the length of the step
    bool keep;      // only R^T F is found, for damping
} LocalJob;

// s->force from s->place; in parallel.
void reduced_local(LocalJob* job, Pool* pool);
// [J] of strain at s->place. Goes on from the rotations, and leaves them as they are.
double reduced_measure(Reduced* s, Pool* pool, float* turn);
// s->change = scale A^-1 s->force
void reduced_global(Reduced* s, Pool* pool);

void reduced_set_place(Reduced* s, const double* q); // what the local step sees: in float, around the middle

// --- reduced_momentum.c

// What outer forces leave a body to go on with.
typedef struct ReducedBalance {
    Vec3d from, to;          // [m] of the centre of mass
    Vec3d momentum, angular; // [kg m/s], [kg m2/s] about the origin
    Vec3d had, has;          // [kg m2/s] about the centre, before and after
    double energy;           // [J] without that of strain
} ReducedBalance;

void reduced_times(Reduced* s, const double* matrix, const double* in, double* out); // out = matrix in, for M and K
// `impulse` [N s] on coordinates, over a step of `h` [s] from s->q to s->now; leaves M q in s->first and s->last.
ReducedBalance reduced_balance(Reduced* s, const ElasticSet* set, const double* impulse, double h);
void reduced_set_turn(Reduced* s, const ReducedBalance* balance, double h); // s->q and s->v are new, s->q_before is old
void reduced_set_momentum(Reduced* s, const ReducedBalance* balance);

// --- reduced_energy.c

double reduced_energy_density(const Reduced* s, const Mat3* f); // [J/m3]

// --- reduced_factor.c

// The factor for a step; made if there is none. NULL: out of memory.
ReducedFactor* reduced_find_factor(Reduced* s, ElasticSet* set, const Body* body, double scale, uint64_t pins);
void reduced_factors_free(Reduced* s, Memory* memory);
double reduced_pin_stiffness(const Reduced* s, const Body* body, double scale); // [kg] of one pinned point
uint64_t reduced_pins(const Body* body);                                        // fingerprint; 0: none

// Adds pins with that stiffness to a matrix of coordinates.
void reduced_add_pins(const Reduced* s, const Body* body, double stiffness, double* matrix);

// --- reduced_inside.c; false: out of memory

// Makes particles `spacing` [m] apart, which share the body's `mass` [kg].
bool reduced_immerse(ElasticSet* set, Body* body, double spacing, double mass);
void reduced_inside_free(Reduced* s, Memory* memory);
void reduced_show_inside(Reduced* s, Pool* pool);                                  // where particles are, and how fast
void reduced_speed_inside(Reduced* s, Pool* pool, const double* rates, Vec4* out); // [m/s] by rates of coordinates
// Coordinates go where particles were moved to in a step of `h` [s].
bool reduced_take_inside(Reduced* s, ElasticSet* set, Body* body, double h);

// --- reduced_points.c

// Coordinates from the points, by least squares with their masses as weights, which keeps momentum and angular momentum.
void reduced_fit(Reduced* s, const Body* body, const double* mass, const Vec3d* point, double* q);
// Changes of points to coordinates in the same way: q += M^-1 sum u m d.
void reduced_fit_change(Reduced* s, const Body* body, const double* mass, const Vec3d* change, double* q);
void reduced_show(Reduced* s, Pool* pool, Body* body);                                     // positions and velocities of all points
void reduced_collect(const Reduced* s, const Body* body, const Vec3d* force, double* out); // out = U^T force
// Values at points of the surface alone.
void reduced_show_surface(const Reduced* s, const Body* body, const double* q, Vec3d* point);
Vec3d reduced_point(const Reduced* s, const Body* body, size_t point, const double* q);
bool reduced_weigh_skin(Reduced* s, Memory* memory, const Body* body);

// --- reduced_contact.c; false: out of memory

bool reduced_contact_begin(Reduced* s, ElasticSet* set, Body* body, double dt);
// Pushes s->now out of obstacles; s->pushed is by how much in all.
bool reduced_contact_solve(Reduced* s, ElasticSet* set, Body* body, double dt);
// Adds what contacts did to impulses [N s] on coordinates. True: something touched.
bool reduced_contact_end(Reduced* s, ElasticSet* set, Body* body, double dt, double* impulse);

// The functions of a handle at a point: (X - c) w / radius, w.
static inline void reduced_functions(const Reduced* s, Vec3d rest, uint32_t entry, double out[4])
{
    uint32_t h = s->space.handle[entry];
    double w = s->space.weight[entry], scale = w / s->space.radius;
    Vec3d arm = vec3d_sub(rest, s->centre[h]);
    out[0] = scale * arm.x;
    out[1] = scale * arm.y;
    out[2] = scale * arm.z;
    out[3] = w;
}

static inline Vec3d reduced_coordinate(const Reduced* s, const double* q, size_t k)
{
    return vec3d(q[k], q[s->rank + k], q[2 * s->rank + k]);
}
static inline void reduced_add(const Reduced* s, double* q, size_t k, double scale, Vec3d value)
{
    q[k] += scale * value.x;
    q[s->rank + k] += scale * value.y;
    q[2 * s->rank + k] += scale * value.z;
}

#endif
