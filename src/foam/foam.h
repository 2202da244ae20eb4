// SPDX-License-Identifier: MIT
// Spray, foam and bubbles: diffuse particles that a fluid makes where it takes air in, and that move by their kind. They follow the
// fluid and do not act on it or on each other, so that they can be made while a fluid is simulated or afterwards from its frames
// (Ihmsen et al. 2012). All numbers drawn by chance come from a fluid particle's id and the number of the step, or from the id of
// the diffuse particle: never from an order.
#ifndef FOAM_FOAM_H
#define FOAM_FOAM_H

#include "foam/potentials.h"
#include "foam/rules.h"
#include "foam/sides.h"
#include "particles/particle_set.h"

// What is saved besides the particles.
typedef struct FoamState {
    uint64_t count;   // when it was saved
    uint64_t next_id; // born so far
    uint64_t steps;
    double filled_best; // particles per group that look for fluid together, after the last sort; 0: not known yet
} FoamState;

typedef struct Foam {
    FoamRules rules;
    Memory* memory;
    Pool* pool;
    FoamState state;

    // diffuse particles; their order means nothing
    ParticleSet set;
    Vec4* position; // [m] and w: share of the life that is left, from 1 to 0
    Vec4* velocity; // [m/s] and w: age [s]
    uint32_t* id;
    uint8_t* kind; // FoamKind
    uint8_t* gone; // of the step under way

    // of the fluid, in its order
    FoamPotentials potentials;
    uint32_t* born; // (fluid particles) of the step under way
    size_t normal_capacity, air_capacity, crest_capacity, born_capacity;
    uint32_t* block; // scratch: counts of blocks
    size_t block_capacity;
    uint32_t* order; // scratch: who stays
    size_t order_capacity;
    CellGrid grid;    // that diffuse particles are sorted by now and then
    uint32_t* groups; // scratch: of blocks of diffuse particles
    size_t groups_capacity;
    double filled; // particles per group that look for fluid together, in the last step
} Foam;

// `foam` must be zero and stay where it is. False: out of memory. Destroy it in any case.
bool foam_create(Foam* foam, const FoamRules* rules, Memory* memory, Pool* pool);
void foam_destroy(Foam* foam);
bool foam_register(Foam* foam, Register* reg); // false: out of memory

// A step of `dt` [s] that has led the fluid and solids to where they are. False: out of memory.
bool foam_step(Foam* foam, const FoamFluid* fluid, const FoamSides* sides, double dt);

// One particle more, as births make them: for those who put particles there by hand or read them from a file.
typedef struct FoamParticle {
    Vec3d position, velocity; // [m], [m/s]
    double life, age;         // [1] left, [s]
    uint32_t id;
    FoamKind kind;
} FoamParticle;
bool foam_add(Foam* foam, const FoamParticle* particle); // false: out of memory

void foam_count_kinds(const Foam* foam, uint64_t out[FOAM_KINDS]);

// --- birth.c
// What the rate of births of a fluid particle follows from, as one record: trapped air, wave crest, neighbours, energy [J/kg].
Vec4 foam_potential_record(const FoamPotentials* potentials, const FoamFluid* fluid, size_t i);
// [1/s] with thresholds raised by a factor from 1 on, as the limit demands.
double foam_rate(const FoamRules* rules, Vec4 record, double raise);
double foam_raise(const Foam* foam); // the factor now; infinite: nothing can be born
// Potentials of all fluid particles that may give birth, in foam->potentials. False: out of memory.
bool foam_find_potentials(Foam* foam, const FoamFluid* fluid);
// How many particles each fluid particle makes in a step, in foam->born; their number. False: out of memory.
bool foam_plan_births(Foam* foam, const FoamFluid* fluid, double dt, uint64_t* out_count);
bool foam_give_birth(Foam* foam, const FoamFluid* fluid, const FoamSides* sides, double dt); // as planned. False: out of memory

// --- advect.c
// Moves all particles; foam->gone says who is no more. `sides` may be NULL. False: out of memory.
bool foam_advect(Foam* foam, const FoamFluid* fluid, const FoamSides* sides, double dt);
// The image of a point in the domain, if axes are periodic. False: a solid is there.
bool foam_into_domain(const FoamRules* rules, const FoamSides* sides, Vec3d* x);
int foam_neighbours_at(FoamGroup* group, Vec4 x); // fluid particles around a point, by a group that knows fluid and h

#endif
