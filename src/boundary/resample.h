// SPDX-License-Identifier: MIT
// Boundary particles on a surface that deforms (Akinci 2013, sections 2.4 and 2.5): vertices, edges, scan lines parallel to the
// shortest edge of a triangle; as the surface stretches particles are added, as it shrinks back they go.
//
// What a primitive carries is a function of a few whole numbers: parts n_e of an edge; shortest edge, its parts and scan lines n_t
// of a triangle. These are the state. A primitive is sampled anew when its numbers change, and no other is touched. Old and new
// particles of such a primitive then share their weight for a while, w_old + w_new = 1, and volumes are
//   V_b = w_b / sum_k w_k W_bk                                           (Akinci 2014, eq. 3.2, with weights)
// so that what the fluid sees of the surface changes continuously.
#ifndef BOUNDARY_RESAMPLE_H
#define BOUNDARY_RESAMPLE_H

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec.h"
#include <meniscus/defs.h>

// A particle: position = sum of weight[k] * vertex[k].
typedef struct SurfacePoint {
    uint32_t vertex[3];
    float weight[3]; // [1] >= 0, sum 1
} SurfacePoint;

typedef struct ResampleEdge {
    uint32_t a, b;
    uint32_t opposite[2]; // third vertices of its triangles; UINT32_MAX: none
} ResampleEdge;

// Numbers of a primitive now and before it was sampled anew.
typedef struct ResampleState {
    uint32_t now, before;
    float fade; // [1] share of `now`; 1: nothing fades, before = 0
} ResampleState;

typedef struct ResampleDef {
    size_t vertex_count, triangle_count, segment_count;
    const uint32_t (*triangle)[3];
    const uint32_t (*segment)[2]; // rods; may be NULL
    const Vec3d* position;        // [m] at rest
    double spacing;               // [m] d
    double fade_time;             // [s] over which particles come and go; 0: at once
} ResampleDef;

typedef struct Resample {
    Memory* memory;
    double spacing, fade_time;

    // the mesh
    size_t vertex_count, edge_count, triangle_count;
    ResampleEdge* edge;
    uint32_t (*triangle)[3];
    uint32_t (*triangle_edge)[3];      // edge k runs from corner k to corner k + 1
    float* rest_length;                // [d] (edges)
    uint32_t *rest_parts, *rest_lines; // numbers of edges and triangles

    // state, saved in checkpoints
    ResampleState* edge_state;
    ResampleState* triangle_state;

    // the particles that belong to it: vertices, then those of edges, then those of triangles
    size_t count, capacity;
    SurfacePoint* point;
    float* share;                          // [1] w_b
    uint32_t *edge_first, *triangle_first; // (edges + 1), (triangles + 1) into point

    uint32_t* changes; // scratch per block
    uint64_t changed;  // primitives that the last update sampled anew
} Resample;

// Every vertex is used. Numbers and particles are those of the rest shape. False: out of memory, or too many particles.
bool resample_create(Resample* resample, const ResampleDef* def, Memory* memory, Pool* pool);
void resample_free(Resample* resample);

// The surface has moved to `position`, `dt` [s] after the last update. `density` (count, may be NULL) is h^d delta of each particle
// by the fluid's kernel: primitives are then sampled anew where that is out of bounds, and not when their numbers change. False:
// out of memory.
bool resample_update(Resample* resample, Pool* pool, const Vec3d* position, double dt, const float* density);

// --- another surface in place of one, resample_grow.c

// For every edge and triangle of `to` that of `from` with the same vertices, or UINT32_MAX. Vertex v of `to` is vertex_of[v] of
// `from` or none (UINT32_MAX); NULL: they have the same numbers. False: out of memory.
bool resample_match(const Resample* to, const Resample* from, const uint32_t* vertex_of, uint32_t* edge_of, uint32_t* triangle_of);
// A new surface, at `position`, has the numbers of the primitives that `from` had, and such as it needs elsewhere. False: out of
// memory.
bool resample_take_over(Resample* resample, Pool* pool, const Resample* from, const uint32_t* edge_of, const uint32_t* triangle_of,
                        const Vec3d* position);

// Where particles are and how fast they move; one record per particle, x, y, z.
void resample_place(const Resample* resample, Pool* pool, const Vec3d* position, const Vec3d* velocity, Vec4* out_position,
                    Vec4* out_velocity);

// State as plain bytes. Loading brings the particles with it; false: out of memory or not a state of this mesh.
size_t resample_state_bytes(const Resample* resample);
void resample_save(const Resample* resample, void* bytes);
bool resample_load(Resample* resample, Pool* pool, const void* bytes);

#endif
