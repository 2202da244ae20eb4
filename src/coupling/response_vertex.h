// SPDX-License-Identifier: MIT
// Solids that respond by vertex (response.h): their skins' particles b are embedded in nodes v with weights w_bv. Nodes are
// vertices of the solid's surface, or lie behind them (boundary/skin.h), each with a mass of its own:
//   F_b = V sum_i P_i G_ib,   F_v = sum_b w_bv F_b,   a_v = F_v / m_v,   a_b = sum_v w_bv a_v,   d^2 s_i/dt^2 -= sum_b a_b . G_ib
// How a node is held by its neighbours is not in it: that changes the nodes' accelerations from step to step, and those of the last
// step are its prediction. A solid that knows its own mobility (SolidKind.mobility) responds by that instead of 1 / m_v.
//
// The new term K = V G^T w m^-1 w^T G is large where a skin is light: a cloth of 0.3 kg/m2 weighs a sixtieth of the layer of
// water on it. The step of each pressure is shortened by the sum of |K_ij| over its row, which bounds K; and nodes carry a share
// of the layer of water that touches them, as inertia without weight (vertex_bound.c). Without it a taut light cloth responds to
// forces quite otherwise than its free nodes do, and lets water through (measured). The water that really moves with a cloth is
// deeper than a particle; the error vanishes with the particle size.
#ifndef COUPLING_RESPONSE_VERTEX_H
#define COUPLING_RESPONSE_VERTEX_H

#include "coupling/response.h"
#include "coupling/vertex_pairs.h"

// How the nodes of a skin that knows its mobility respond to forces: in place, from [N] to [m/s2].
typedef void MobilityFn(void* user, size_t skin, Vec3d* node);

typedef struct VertexResponse {
    Responder base;
    Memory* memory;
    const Boundary* boundary;
    bool* skinned; // (solids, up to the last that has a skin)
    size_t skinned_count;
    VertexPairs pairs;

    // nodes: of all skins, one skin after the other; inverse_mass and drift are set before a step
    size_t node_count;
    size_t* node_first;   // (skins)
    double* own_inverse;  // [1/kg] of the nodes themselves, 0: pinned
    double* inverse_mass; // [1/kg] with the water that they carry: found anew with every search for pairs
    double* carried;      // [kg] water that moves with a node: counts in inverse_mass once pairs are there
    Vec3d* drift;         // [m/s2] acceleration by all but the fluid's new pressures and friction
    bool* has_mobility;   // (skins) nodes respond as `mobility` says, and carry nothing; inverse_mass is at least as large
    MobilityFn* mobility; // with `user`
    void* user;
    Vec3d* gain;         // [m/s] change of velocity so far, as the solves see it
    Vec3d* acceleration; // [m/s2] by the pressures at hand
    bool pending;        // acceleration is not there yet, points have moved without it
    double* node_value;  // scratch

    // by place, and for all of the last eight
    Vec4* motion;              // V_b kernel.gradient u of its velocity, acceleration or path u; w: times (x_b - o)
    Vec4* force;               // [N] of the pressures at hand
    float* inverse;            // [1/kg] of those alone on a node; else 0
    float* drag;               // [kg/s] how strongly friction holds it
    Vec3d* impulse;            // [N s] from the fluid so far
    double (*sums)[STEP_SUMS]; // scratch per block
    size_t sums_capacity, motion_capacity, force_capacity, inverse_capacity, drag_capacity, impulse_capacity;
} VertexResponse;

static inline size_t vertex_nodes_of(const VertexResponse* r, size_t skin)
{
    return r->boundary->skin[skin].resample.vertex_count;
}

static inline bool vertex_has_skin(const VertexResponse* r, size_t solid)
{
    return solid < r->skinned_count && r->skinned[solid];
}

// The skin that a node belongs to.
static inline size_t vertex_skin_of(const VertexResponse* r, size_t node)
{
    size_t k = r->boundary->skin_count - 1;
    while (r->node_first[k] > node)
        k--;
    return k;
}

// `response` must be zero. Adds itself to the responders of `sph`. False: out of memory.
bool vertex_response_create(VertexResponse* response, Memory* memory, Sph* sph, const Boundary* boundary, bool strong);
void vertex_response_destroy(VertexResponse* response);
// Skins have other vertices now: what is kept by node is there for them, and pairs want to be built. False: out of memory, then
// nothing changed.
bool vertex_response_follow(VertexResponse* response);

// A step begins: nothing gained yet.
void vertex_response_begin(VertexResponse* response);

// --- for the other files of this response

// Points or nodes, chunks, and eights of places per block.
enum { VERTEX_GRAIN = 512, CHUNKS_GRAIN = 64, PLACES_GRAIN = 64 };

typedef struct VertexPass {
    Sph* sph;
    VertexResponse* response;
    const Vec3d* node; // value per node that points take over
    size_t first;      // node
    bool raw;          // forces of nodes, not accelerations
    bool plain;        // motions as they are
    bool forces_only;
    float* out;
    float scale;
    double dt;
    const PressureStep* step; // chunks are to be updated; or NULL
    const FrictionTable* friction;
} VertexPass;

// Accelerations of the nodes by the forces at hand.
void vertex_accelerate_nodes(VertexResponse* response);
WorkFn vertex_node_block;   // likewise, of nodes from pass.first on
WorkFn vertex_motion_block; // motions of wet points, by pass.node
// Forces at hand acted for `dt`; `drift` (may be NULL) adds to the accelerations.
void vertex_close_with(VertexResponse* response, double dt, const Vec3d* drift);

// Carried water, how strongly friction holds each point, and the bound of K. vertex_bound.c
void vertex_bound_steps(VertexResponse* response);

#endif
