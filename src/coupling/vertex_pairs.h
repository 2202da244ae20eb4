// SPDX-License-Identifier: MIT
// Pairs of fluid particles and particles of skins (boundary/skin.h), by chunk of fluid and by place of the boundary particle, and
// which nodes the boundary particles with fluid around them are embedded in.
#ifndef COUPLING_VERTEX_PAIRS_H
#define COUPLING_VERTEX_PAIRS_H

#include "boundary/boundary.h"
#include "fluid/fluid.h"

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
typedef struct PairSlot {
    uint32_t twice[LANES]; // index of the other, times two
    uint16_t c[LANES];     // [1] half precision; 0: there is none
} PairSlot;

// A chunk of the fluid that touches skins.
typedef struct VertexChunk {
    const PairSlot* slot;
    uint32_t chunk, slots;
    bool one_origin; // with all its neighbours, see origin.h
} VertexChunk;

// What was found in a range of chunks.
typedef struct PairRange {
    PairSlot* slot;
    VertexChunk* chunk;
    size_t slots, slot_capacity, chunks, chunk_capacity;
    size_t first; // chunk, of all
    bool failed;  // out of memory
} PairRange;

// Fixed, so that pairs have one order.
enum { PAIR_RANGES = 16 };

// Where what belongs to eight places begins: slots, wet points, and those of them that do not lie on nodes.
typedef struct PointGroup {
    uint32_t slot, wet, mixed;
} PointGroup;

typedef struct NodeLink {
    uint32_t place;
    float weight;
} NodeLink;

#define NO_PLACE UINT32_MAX

typedef struct VertexPairs {
    size_t moving; // places of boundary particles that move
    size_t wet;
    WetPoint* point;      // (wet)
    uint32_t* node_place; // (nodes) of the wet point that lies on it; NO_PLACE: there is none
    uint32_t* link_begin; // (nodes + 1) into link: other points that are embedded in a node
    NodeLink* link;
    size_t mixed_count, shared_count;
    uint32_t* mixed;  // (wet) points that do not lie on a node
    uint32_t* shared; // (nodes) nodes that those are embedded in
    uint32_t* counts; // scratch (ranges + 1, each for all eights of places)
    PairRange range[PAIR_RANGES];
    VertexChunk* chunk; // (wet_chunks) those of all ranges
    size_t wet_chunks;
    PointGroup* group; // (eights of places + 1)
    PairSlot* slot;    // by place
    size_t point_capacity, link_capacity, counts_capacity, group_capacity, slot_capacity, chunk_capacity, mixed_capacity;
} VertexPairs;

static inline size_t vertex_groups(const VertexPairs* pairs)
{
    return block_count(pairs->moving, LANES);
}

static inline const Vec4* vertex_places(const Sph* sph)
{
    return sph->walls.points.position + sph->walls.points.part[1].base;
}

static inline bool node_is_wet(const VertexPairs* pairs, size_t node)
{
    return pairs->node_place[node] != NO_PLACE || pairs->link_begin[node] < pairs->link_begin[node + 1];
}

struct VertexResponse;

// False: out of memory.
bool vertex_pairs_create(VertexPairs* pairs, Memory* memory, size_t nodes);
void vertex_pairs_free(VertexPairs* pairs, Memory* memory);

// Finds them, for the neighbours at hand. Marks chunks. False: out of memory.
bool vertex_pairs_build(struct VertexResponse* response);

#endif
