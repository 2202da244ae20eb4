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

// A particle of a skin that has fluid around it.
typedef struct WetPoint {
    uint32_t place;    // among all boundary particles
    uint32_t skin;     // which, and
    uint32_t particle; // its number there
    uint32_t node[3];
    float weight[3]; // [1]
} WetPoint;

typedef struct SoftPair {
    uint32_t particle; // of the fluid
    float g[3];        // [1/m] G_ib
} SoftPair;

// Pairs once more, in eights: the particles of a chunk, each with one of its neighbours on skins.
typedef struct SoftSlot {
    uint32_t twice[LANES]; // its place among those that move, times two
    float g[3][LANES];     // as in SoftPair; 0: no neighbour
} SoftSlot;

// A pair as it was found.
typedef struct SoftHit {
    uint32_t place; // times 8, plus the lane
    float factor;   // [1/m2] G_ib = factor (x_i - x_b)
} SoftHit;

typedef struct SoftHits {
    SoftHit* item;
    size_t count, capacity;
    uint32_t chunks, slots;           // of this range that are wet, and their slots
    uint32_t first_chunk, first_slot; // of all
    bool failed;                      // out of memory
} SoftHits;

// Ranges of chunks that are counted apart: fixed, so that pairs have one order.
enum { SOFT_RANGES = 8 };

typedef struct SoftLink {
    uint32_t point;
    float weight;
} SoftLink;

// How the nodes of a skin that knows its own stiffness answer to forces: in place, from [N] to [m/s2].
typedef void SoftAnswerFn(void* user, size_t skin, Vec3d* node);

typedef struct Soft {
    Memory* memory;
    const Boundary* boundary;
    bool* skinned; // (solids, up to the last that has a skin)
    size_t skinned_count;
    bool strong; // nodes give way within the iterations

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

    // who touches whom, by soft_build
    size_t moving; // places of boundary particles that move
    size_t wet;
    WetPoint* point;      // (wet)
    uint32_t* pair_begin; // (wet + 1)
    SoftPair* pair;
    uint32_t* link_begin; // (nodes + 1) into link: points that hang on a node
    SoftLink* link;
    size_t mixed_count, shared_count;
    uint32_t* mixed;  // (wet) points that do not lie on a node of their own
    uint32_t* shared; // (nodes) nodes that those hang on
    uint32_t* counts; // scratch (ranges x moving)
    SoftHits hits[SOFT_RANGES];
    uint32_t* chunk_hits; // scratch (chunks)
    uint32_t* slot_begin; // (chunks + 1)
    SoftSlot* slot;
    uint32_t* chunk; // (wet_chunks) those that have slots
    size_t wet_chunks;
    Vec4* motion;       // (moving) velocity or acceleration of each place, 0 where it is not wet
    Vec3d* force;       // [N] (wet) of the pressures at hand
    Vec3d* impulse;     // [N s] (wet) from the fluid so far
    float* rub;         // [kg/s] (wet) how strongly friction holds it
    double* node_value; // scratch (nodes)
    size_t point_capacity, begin_capacity, pair_capacity, link_capacity, counts_capacity, chunk_hits_capacity, slot_begin_capacity,
        slot_capacity, chunk_capacity, mixed_capacity, motion_capacity, force_capacity, impulse_capacity, rub_capacity;
} Soft;

static inline bool soft_has_skin(const Soft* soft, size_t solid)
{
    return soft && solid < soft->skinned_count && soft->skinned[solid];
}

// `soft` must be zero. Links itself to `sph`. False: out of memory.
bool soft_create(Soft* soft, Memory* memory, Sph* sph, const Boundary* boundary, bool strong);
void soft_destroy(Soft* soft, Sph* sph);

// Lists who touches whom, for the neighbours at hand, and shortens the steps of pressures. False: out of memory.
bool soft_build(Sph* sph);

// A step begins: nothing gained yet.
void soft_begin(Sph* sph);
// Impulses by friction and adhesion, with the fluid's velocities of now, and what else moves the nodes, for `dt`.
void soft_rub(Sph* sph, double dt);
// Force and acceleration by the pressures in position.w.
void soft_pressure(Sph* sph);
// A solve has new accelerations: their effect on its errors; `predicted` (may be NULL) are densities, else it is the divergence.
void soft_give_way(Sph* sph, float dt, float* predicted);
void soft_gained(Sph* sph);                              // divergence -= (velocity gained so far) . G
void soft_accelerated(Sph* sph);                         // divergence -= (acceleration) . G
void soft_displaced(Sph* sph, float dt, float* density); // density -= dt (velocity gained so far + dt acceleration) . G
void soft_close(Sph* sph, float dt);                     // a solve is over: its pressures acted for `dt`

#endif
