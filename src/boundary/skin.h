// SPDX-License-Identifier: MIT
// The skin of an elastic solid: its deforming surface as the fluid meets it. A sheet's particles lie on the sheet itself, with
// fluid on both sides. Those of a volume lie behind its surface, as those of rigid solids do, so that water stops at what one
// sees: each vertex v is moved inwards along its normal,
//   y_v = x_v - s_v n_v,    n_v = A_v / |A_v|,    A_v the sum of the area vectors of the triangles at v
// and particles are attached to the y. Forces come back by the transpose of the derivative dy/dx: force and torque arrive whole.
// Volumes of particles have the factors c_b and weights w_b of curvature.h, as those of rigid bodies have c_b: what they are on the
// rest shape goes with the surface. Particles that came by resampling have the mean of their edge or triangle.
//
// Where a volume comes apart (skin_grow.c) there is no room for fluid at first. Particles on the faces of a crack have factors and
// weights that grow from 0 with its width, to 1 where a particle fits in, and likewise these faces count in the A_v of vertices on
// the rim of the crack: fluid around a closed crack is met by the surface that it met before.
#ifndef BOUNDARY_SKIN_H
#define BOUNDARY_SKIN_H

#include "boundary/resample.h"
#include "mesh/tri_mesh.h"
#include "particles/kernel.h"

typedef struct SkinDef {
    uint32_t solid; // its index
    size_t vertex_count, triangle_count;
    const uint32_t (*triangle)[3]; // copied
    const Vec3d* position;         // [m] now, at rest; the array must stay, and is read whenever particles are placed
    const Vec3d* velocity;         // [m/s] likewise
    double spacing;                // [m]
    double inset;                  // [m] how far behind the surface particles lie; 0: on it
    double fade_time;              // [s]
    const Kernel* kernel;          // of the fluid; NULL: all factors are 1, and nobody asks for volumes
    uint32_t revision;             // of the surface
} SkinDef;

// [1] c_b and w_b, see curvature.h
typedef struct SkinFactor {
    float factor, weight;
} SkinFactor;

// A surface as it was when its skin was made, of a skin that has grown since: particles that are where they were keep the factors
// that they had.
typedef struct SkinBuilt {
    Resample resample;
    float* inset;
    SkinFactor* rest;
    uint32_t* rest_first;
} SkinBuilt;

// What came to the surface when a volume came apart, see skin_grow.c.
typedef struct SkinCrack {
    const uint32_t* parent; // (vertices) SolidSurface.parent
    uint8_t* is_new;        // (vertices, then edges, then triangles) it was within; NULL: nothing came apart
    float* open;            // [1] (vertices) 0: what it was split from is where it is, 1: a particle fits between
    float* share;           // [1] (vertices) of its piece, see skin_pieces.c; NULL: all factors are 1
} SkinCrack;

typedef struct Skin {
    Memory* memory;
    uint32_t solid;
    uint32_t revision; // of the surface that it belongs to
    double offset;     // [m] SkinDef.inset
    size_t first;      // of its particles among those that move, in the order they were made in
    Resample resample;
    const Vec3d *position, *velocity;

    // volumes only
    float* inset;                  // [m] s_v  (vertices); NULL: a sheet
    Vec3d* area;                   // [m2] A_v
    Vec3d *moved, *moved_velocity; // [m], [m/s] y_v and its rate
    Vec3d* pull;                   // scratch of forces and rates
    SkinFactor* rest;              // of the particles of the rest shape; NULL: 1
    uint32_t* rest_first;          // (edges + triangles + 1) into it
    SkinBuilt built;               // once it has grown; else empty
    Kernel kernel;                 // of the fluid, if there are factors

    SkinCrack crack;
} Skin;

// False: out of memory. Free it in any case.
bool skin_create(Skin* skin, const SkinDef* def, Memory* memory, Pool* pool);
void skin_free(Skin* skin);

// The surface has come apart (solid/kind.h): the skin gets its triangles. Particles of what was there before stay as they are, new
// ones are put where they are needed now. What the skin is then depends on the surface alone, and on the numbers of its primitives
// (resample.h), not on how it came there. False: out of memory, then nothing changed.
struct SolidSurface;
bool skin_grow(Skin* skin, Pool* pool, const struct SolidSurface* surface);

// [m] The y_v if vertices were at these positions. `out` must not be `position`.
void skin_inset(const Skin* skin, const Vec3d* position, Vec3d* out);
// Takes over where the surface is now.
void skin_follow(Skin* skin);
// Samples it anew where that is needed, see resample_update().
bool skin_resample(Skin* skin, Pool* pool, double dt, const float* density);
// Writes one record per particle: positions and velocities.
void skin_place(const Skin* skin, Pool* pool, Vec4* out_position, Vec4* out_velocity);

// Writes c_b and w_b of each particle, the latter with its share.
void skin_factors(const Skin* skin, Pool* pool, float* factor, float* weight);

// vertex_force += what the forces on particles amount to. Only the listed particles (`which`, numbers of the skin's own) count,
// `force` has one entry per listed particle.
void skin_transfer(const Skin* skin, const uint32_t* which, const Vec3d* force, size_t count, Vec3d* vertex_force);
// The same, of forces on the points y_v that particles are attached to, already summed with their weights.
void skin_pull(const Skin* skin, const Vec3d* force, Vec3d* vertex_force);

// [m] the y_v
static inline const Vec3d* skin_points(const Skin* skin)
{
    return skin->inset ? skin->moved : skin->position;
}

// For skin_grow(): how far each vertex of the surface in `mesh` can go in. False: out of memory.
bool skin_find_insets(Skin* skin, const TriMesh* mesh);

// For skin_grow(): what shares of their factors crumbs keep, by their vertices, from the particles of the rest shape `rest` [m].
// False: out of memory.
bool skin_find_pieces(Skin* skin, const Vec3d* rest, float* share);

// Rates of the vertices become those of the y_v.
void skin_spread(const Skin* skin, Vec3d* rate);

#endif
