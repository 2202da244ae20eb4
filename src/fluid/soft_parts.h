// SPDX-License-Identifier: MIT
// Passes over the pairs of skins and fluid, shared by soft.c and soft_rub.c.
#ifndef FLUID_SOFT_PARTS_H
#define FLUID_SOFT_PARTS_H

#include "fluid/soft_list.h"
#include "fluid/viscosity/viscosity.h"

// Points or nodes, chunks, and eights of places per block.
enum { SOFT_GRAIN = 512, CHUNKS_GRAIN = 64, PLACES_GRAIN = 64 };

typedef struct SoftPass {
    Sph* sph;
    Soft* soft;
    const Vec3d* node; // value per node that points take over
    size_t first;      // node
    bool raw;          // forces of nodes, not accelerations
    bool plain;        // motions as they are
    bool forces_only;
    float* out;
    float scale;
    double dt;
    const PressureStep* step; // chunks are to be updated; or NULL
    const WallFriction* friction;
} SoftPass;

static inline const Vec4* soft_places(const Sph* sph)
{
    return sph->boundary.position + sph->boundary.part[1].base;
}

static inline size_t soft_nodes_of(const Soft* s, size_t skin)
{
    return s->boundary->skin[skin].resample.vertex_count;
}

// Accelerations of the nodes by the forces at hand.
void soft_accelerate_nodes(Soft* soft);
WorkFn soft_node_block;   // likewise, of nodes from pass.first on
WorkFn soft_motion_block; // motions of wet points, by pass.node
// A solve or friction is over; `drift` (may be NULL) adds to the accelerations.
void soft_close_with(Soft* soft, double dt, const Vec3d* drift);

// Lists who touches whom, for the neighbours at hand, and shortens the steps of pressures. False: out of memory.
bool soft_build(Responder* responder);

#endif
