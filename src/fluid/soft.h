// SPDX-License-Identifier: MIT
// Solids that give way everywhere differently: skins (boundary/skin.h) whose particles b hang on nodes v with weights w_bv, each
// node a mass of its own. As for movers (reaction.h), with G_ib = V_b grad W_ib,
//   F_b = V sum_i P_i G_ib,   F_v = sum_b w_bv F_b,   a_v = F_v / m_v,   a_b = sum_v w_bv a_v,   d^2 s_i/dt^2 -= sum_b a_b . G_ib
// so a solve in which nodes give way keeps the symmetric positive system that it has without them. How a node is held by its
// neighbours is not in it: that changes the nodes' accelerations from step to step, and those of the last step are its prediction.
//
// The new term K = V G^T w m^-1 w^T G is large where a skin is light: a cloth of 0.3 kg/m2 weighs a sixtieth of the layer of
// water on it. The step of each pressure is shortened by the sum of |K_ij| over its row, which bounds K; and nodes carry a share
// of the layer of water that touches them, as inertia without weight. Without it a taut light cloth answers to forces quite
// otherwise than its free nodes do, and lets water through (measured). The water that really moves with a cloth is deeper than a
// particle; the error vanishes with the particle size.
#ifndef FLUID_SOFT_H
#define FLUID_SOFT_H

#include "boundary/boundary.h"
#include "fluid/fluid.h"
#include "fluid/reaction.h"

// A particle of a skin that has fluid around it.
typedef struct WetPoint {
    uint32_t place;    // among those that move
    uint32_t skin;     // which, and
    uint32_t particle; // its number there: that of its node if it lies on one
    uint32_t node[3];
    float weight[3]; // [1]
} WetPoint;

// Pairs of eight on one side, each with one on the other: chunks of the fluid with places of boundary particles that move, or
// eights of such places with particles of the fluid. G_ib = V_b kernel.gradient c x_ib, with the c of the lists.
typedef struct SoftSlot {
    uint32_t twice[LANES]; // index of the other, times two
    uint16_t c[LANES];     // [1] half precision; 0: there is none
} SoftSlot;

// A chunk of the fluid that touches skins.
typedef struct SoftChunk {
    const SoftSlot* slot;
    uint32_t chunk, slots;
    bool one_origin; // with all its neighbours, see origin.h
} SoftChunk;

// What was found in a range of chunks.
typedef struct SoftRange {
    SoftSlot* slot;
    SoftChunk* chunk;
    size_t slots, slot_capacity, chunks, chunk_capacity;
    size_t first; // chunk, of all
    bool failed;  // out of memory
} SoftRange;

// Fixed, so that pairs have one order.
enum { SOFT_RANGES = 16 };

// Where what belongs to eight places begins: slots, wet points, and those of them that do not lie on nodes.
typedef struct SoftGroup {
    uint32_t slot, wet, mixed;
} SoftGroup;

typedef struct SoftLink {
    uint32_t place;
    float weight;
} SoftLink;

#define NO_PLACE UINT32_MAX

// How the nodes of a skin that knows its own stiffness answer to forces: in place, from [N] to [m/s2].
typedef void SoftAnswerFn(void* user, size_t skin, Vec3d* node);

typedef struct Soft {
    Responder base;
    Memory* memory;
    const Boundary* boundary;
    bool* skinned; // (solids, up to the last that has a skin)
    size_t skinned_count;

    // nodes: vertices of all skins, one skin after the other; inverse_mass and other are set before a step
    size_t node_count;
    size_t* node_first;   // (skins)
    double* inverse_mass; // [1/kg] 0: held
    double* carried;      // [kg] water that moves with a node, by soft_build: counts in inverse_mass from then on
    Vec3d* drift;         // [m/s2] acceleration by all but the fluid's new pressures and friction
    bool* answers;        // (skins) nodes answer as `answer` says, and carry nothing; inverse_mass is at least as large
    SoftAnswerFn* answer; // with `user`
    void* user;
    Vec3d* gain;         // [m/s] change of velocity so far, as the solves see it
    Vec3d* acceleration; // [m/s2] by the pressures at hand
    bool late;           // acceleration is not there yet, points have moved without it

    // who touches whom, by soft_build
    size_t moving; // places of boundary particles that move
    size_t wet;
    WetPoint* point;      // (wet)
    uint32_t* node_place; // (nodes) of the wet point that lies on it; NO_PLACE: there is none
    uint32_t* link_begin; // (nodes + 1) into link: other points that hang on a node
    SoftLink* link;
    size_t mixed_count, shared_count;
    uint32_t* mixed;  // (wet) points that do not lie on a node
    uint32_t* shared; // (nodes) nodes that those hang on
    uint32_t* counts; // scratch (ranges + 1, each for all eights of places)
    SoftRange range[SOFT_RANGES];
    SoftChunk* chunk; // (wet_chunks) those of all ranges
    size_t wet_chunks;
    SoftGroup* group;          // (eights of places + 1)
    SoftSlot* slot;            // by place
    double (*sums)[STEP_SUMS]; // scratch per block
    // by place, and for all of the last eight
    Vec4* motion;       // [m^d-2 kg..] V_b kernel.gradient u of its velocity, acceleration or way u; w: times (x_b - o)
    Vec4* force;        // [N] of the pressures at hand
    float* inverse;     // [1/kg] of those alone on a node; else 0
    float* rub;         // [kg/s] how strongly friction holds it
    Vec3d* impulse;     // [N s] from the fluid so far
    double* node_value; // scratch (nodes)
    size_t point_capacity, link_capacity, counts_capacity, group_capacity, slot_capacity, chunk_capacity, mixed_capacity,
        sums_capacity, motion_capacity, force_capacity, inverse_capacity, rub_capacity, impulse_capacity;
} Soft;

static inline bool soft_has_skin(const Soft* soft, size_t solid)
{
    return soft && solid < soft->skinned_count && soft->skinned[solid];
}

// The skin that a node belongs to.
static inline size_t soft_skin_of(const Soft* soft, size_t node)
{
    size_t k = soft->boundary->skin_count - 1;
    while (soft->node_first[k] > node)
        k--;
    return k;
}

// `soft` must be zero. Adds itself to the responders of `sph`. False: out of memory.
bool soft_create(Soft* soft, Memory* memory, Sph* sph, const Boundary* boundary, bool strong);
void soft_destroy(Soft* soft);

// A step begins: nothing gained yet.
void soft_begin(Soft* soft);
// Impulses by friction and adhesion, with the fluid's velocities of now, and what else moves the nodes, for `dt`.
void soft_rub(Soft* soft, double dt);

#endif
