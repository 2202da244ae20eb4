// SPDX-License-Identifier: MIT
// The skin of an elastic solid: its deforming surface as the fluid meets it. A sheet's particles lie on the sheet itself, with
// fluid on both sides. Those of a volume lie behind its surface, as those of rigid solids do, so that water stops at what one
// sees: each vertex v is moved inwards along its normal,
//   y_v = x_v - s_v n_v,    n_v = A_v / |A_v|,    A_v the sum of the area vectors of the triangles at v
// and particles are attached to the y. Forces come back by the transpose of the derivative dy/dx: force and torque arrive whole.
// Volumes of particles have the factors c_b and weights w_b of curvature.h, as those of rigid bodies have c_b: what they are on the
// rest shape goes with the surface. Particles that came by resampling have the mean of their edge or triangle.
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
    const Kernel* kernel;          // of the fluid; NULL: all factors are 1
} SkinDef;

// [1] c_b and w_b, see curvature.h
typedef struct SkinFactor {
    float factor, weight;
} SkinFactor;

typedef struct Skin {
    Memory* memory;
    uint32_t solid;
    size_t first; // of its particles among those that move, in the order they were made in
    Resample resample;
    const Vec3d *position, *velocity;

    // volumes only
    float* inset;                  // [m] s_v  (vertices); NULL: a sheet
    Vec3d* area;                   // [m2] A_v
    Vec3d *moved, *moved_velocity; // [m], [m/s] y_v and its rate
    Vec3d* pull;                   // scratch of forces and rates
    SkinFactor* rest;              // of the particles of the rest shape; NULL: 1
    uint32_t* rest_first;          // (edges + triangles + 1) into it
} Skin;

// False: out of memory. Free it in any case.
bool skin_create(Skin* skin, const SkinDef* def, Memory* memory, Pool* pool);
void skin_free(Skin* skin);

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

// Rates of the vertices become those of the y_v.
void skin_spread(const Skin* skin, Vec3d* rate);

#endif
