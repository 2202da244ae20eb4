// SPDX-License-Identifier: MIT
// The parts of surface sampling, shared by the sample_*.c files only. Lengths are in units of the support radius h, so that
// distances are the kernel's q; the particle spacing is then 1/2 everywhere.
#ifndef BOUNDARY_SAMPLE_PARTS_H
#define BOUNDARY_SAMPLE_PARTS_H

#include "base/memory.h"
#include "base/vec.h"
#include "boundary/sample.h"

#define SAMPLE_SPACING 0.5 // d in units of h
#define SAMPLE_NONE UINT32_MAX

// Parts of a length with particles at their ends: the nearest number, but none longer than `longest` spacings. (Akinci 2013
// takes floor(l / d), which leaves gaps of up to 2 d and delta below 3.6 / h^3.)
#define SAMPLE_PART_ALONE 1.05  // a line of particles of its own just keeps the bound
#define SAMPLE_PART_SMOOTH 1.25 // the edge of triangles on both sides
static inline double sample_parts_of(double length, double longest)
{
    double near = floor(length / SAMPLE_SPACING + 0.5), needed = ceil(length / (SAMPLE_SPACING * longest));
    double n = near > needed ? near : needed;
    return n > 1 ? n : 1;
}

// --- the surface: topology, normals, flat regions (sample_surface.c)

typedef enum SampleEdgeKind {
    SAMPLE_EDGE_CREASE, // sharp, open or shared by more than two triangles
    SAMPLE_EDGE_SMOOTH, // between two triangles of a curved surface
    SAMPLE_EDGE_FLAT,   // inside a flat region
} SampleEdgeKind;

typedef struct SampleEdge {
    uint32_t a, b;        // vertices
    uint32_t triangle[2]; // SAMPLE_NONE if there is no second; segments have none
    uint32_t next;        // in the list of edges kept at one of the end points
    uint8_t kind;         // SampleEdgeKind
    bool forward;         // the first triangle runs from a to b
    bool flipped;         // and so does the second: one of them is turned over
} SampleEdge;

typedef struct SampleSurface {
    const TriMesh* mesh;
    Vec3d* x;                    // [h] vertices, from the corner of the bounding box  (vertex_count)
    Vec3* triangle_normal;       // [1] zero: the triangle is left out  (triangle_count)
    Vec3* vertex_normal;         // [1] mean of the triangles around  (vertex_count)
    uint32_t* vertex_triangle;   // any triangle at a vertex, SAMPLE_NONE  (vertex_count)
    SampleEdgeKind* vertex_kind; // of the least flat edge  (vertex_count)
    size_t edge_count;
    SampleEdge* edge;             // (edge_count)
    uint32_t (*triangle_edge)[3]; // edge k runs from corner k to corner k + 1  (triangle_count)
    size_t region_count;          // connected coplanar triangles
    uint32_t* region_begin;       // (region_count + 1) into region_triangle
    uint32_t* region_triangle;    // triangles by region
} SampleSurface;

// `x` must be there already. False: out of memory. Free it in any case.
bool sample_surface_build(SampleSurface* surface, const TriMesh* mesh, Memory* memory);
void sample_surface_free(SampleSurface* surface, Memory* memory);
// The mean of its triangles; of a segment, the right-hand side in the plane z = 0.
Vec3 sample_edge_normal(const SampleSurface* surface, const SampleEdge* edge);

// --- places where a particle may go

// In the order in which they are tried.
typedef enum SampleClass {
    SAMPLE_LINE_END, // segments
    SAMPLE_LINE_EDGE,
    SAMPLE_CREASE_VERTEX,
    SAMPLE_CREASE_EDGE,
    SAMPLE_SMOOTH_VERTEX,
    SAMPLE_SMOOTH_EDGE,
    SAMPLE_SCAN,
    SAMPLE_CENTRE,      // of triangles too small for scan lines
    SAMPLE_CREASE_HALF, // in the middle between those of SAMPLE_CREASE_EDGE
    SAMPLE_CLASSES
} SampleClass;

typedef struct SampleCandidate {
    Vec3 x;           // [h]
    uint32_t feature; // vertex, edge, triangle or segment, by class
    Vec3 normal;      // [1]
    float a, b;       // edges, segments: share of the second end point; triangles: weights of corners 1 and 2
} SampleCandidate;

typedef struct SampleCandidates {
    size_t count, capacity;
    SampleCandidate* item; // by class
    size_t begin[SAMPLE_CLASSES + 1];
} SampleCandidates;

bool sample_candidates_push(SampleCandidates* candidates, Memory* memory, SampleCandidate candidate);

static inline SampleCandidate sample_candidate(Vec3d x, uint32_t feature, Vec3 normal, double a, double b)
{
    return (SampleCandidate){{(float)x.x, (float)x.y, (float)x.z}, feature, normal, (float)a, (float)b};
}

// Inside of triangles (sample_scan.c).
bool sample_scan_regions(const SampleSurface* surface, SampleCandidates* candidates, Memory* memory);

// Creases as chains of edges between corners (sample_crease.c).
typedef struct SampleCreases {
    size_t count, edge_count;
    uint32_t (*through)[2]; // crease edges that go on into each other at a vertex, SAMPLE_NONE: a corner  (vertex_count)
    uint32_t* begin;        // (count + 1) into edge
    uint32_t* edge;         // edges by chain, in order
    uint8_t* backward;      // the chain runs its edge from b to a
} SampleCreases;

// False: out of memory. Free it in any case.
bool sample_creases_build(SampleCreases* creases, const SampleSurface* surface, Memory* memory);
void sample_creases_free(SampleCreases* creases, Memory* memory);
bool sample_creases_push_corners(const SampleCreases* creases, const SampleSurface* surface, SampleCandidates* candidates,
                                 Memory* memory);
// The ends of each chain, as places on its edges: a corner comes up once for each chain.
bool sample_creases_push_ends(const SampleCreases* creases, const SampleSurface* surface, SampleCandidates* candidates,
                              Memory* memory);
// Between the equal parts of each chain, or in the middle between.
bool sample_creases_push(const SampleCreases* creases, const SampleSurface* surface, bool half, SampleCandidates* candidates,
                         Memory* memory);

// --- choice among the candidates by number density (sample_thin.c)

// A run of slots: the candidates in one to three cells that follow each other.
typedef struct SampleRow {
    uint32_t begin, end;
} SampleRow;

// Candidates by cells of one support radius. Cells are in the order of x, then y, then z; so are the slots of candidates.
typedef struct SampleThin {
    size_t count, cell_count;
    uint32_t* order;     // candidates by class, then by cell: classes are walked through in space  (count)
    uint32_t* slot;      // of candidate order[k]  (count)
    float *x, *y, *z;    // [h]  (by slot, as all that follows)
    float *nx, *ny, *nz; // [1] normals
    float* density;      // [W(0)] sum of W over the chosen particles
    uint8_t* chosen;     // 0: may be chosen
    uint32_t* cell_of;
    uint32_t* cell_begin; // first slot of a cell  (cell_count + 1)
    uint32_t* row_begin;  // rows around a cell  (cell_count + 1)
    SampleRow* row;       // up to nine for a cell
    uint64_t* key;        // of a cell  (cell_count)
    size_t key_capacity;
    uint32_t* table; // open addressing: cell + 1, 0 = free
    size_t table_mask;
} SampleThin;

// False: out of memory. Free it in any case.
bool sample_thin_build(SampleThin* thin, const SampleCandidates* candidates, Memory* memory);
void sample_thin_free(SampleThin* thin, Memory* memory);
// Chooses the candidate in `slot`.
void sample_thin_add(SampleThin* thin, uint32_t slot);
// The slot nearest to `slot` that is not chosen, at least `apart` [h] away; SAMPLE_NONE if there is none within 1/2.
uint32_t sample_thin_nearest(const SampleThin* thin, uint32_t slot, float apart);

#endif
