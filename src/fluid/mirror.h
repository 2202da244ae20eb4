// SPDX-License-Identifier: MIT
// Flat walls as mirrors. One layer of boundary particles stands for all that is missing behind a wall by sums that are right on
// average, but a particle beside the wall is pushed by P_i alone where fluid would push it by P_i + P_j, and fluid that moves along
// such walls is shaken: a standing wave of 20 r of depth loses 20 % per period by its walls and 1 % without (a small program,
// mirrored instead of sampled walls). An accurate solver therefore sees itself in the flat walls of a resting box that fluid is
// in: every particle j has an image j' behind each wall, and behind edges and corners, with the same pressure and the mirrored
// velocity. With images, sums, divergence and acceleration are those of a fluid without walls:
//   s_i   += V0 sum_j' W_ij'
//   div_i += V0 sum_j' (u_i - u_j') . grad W_ij'
//   a_i   -= V0 / rho0_i sum_j' (P_i + P_j) grad W_ij'
// which is symmetric again, and ds/dt is the divergence. Particles whose image is near are near themselves (|x_i - x_j'| >=
// |x_i - x_j| on one side of a wall), so the lists that there are suffice: nothing is stored and nothing moves along.
// Boundary particles of that box drag, wet and show where the wall is, but take no part in densities and pressures.
#ifndef FLUID_MIRROR_H
#define FLUID_MIRROR_H

#include "fluid/fluid.h"

#define MIRROR_IMAGES 26 // most that eight particles can have: three places along each axis, less their own

// After the search: images in densities, diagonals and gradients (may be NULL, see KernelSums), and the box out of them.
void mirror_sums(Sph* sph, float* gradient);

// All images of eight particles are made by x -> base + sign x per axis.
typedef struct Image {
    F8 base[3], sign[3];
} Image;

// The images that eight particles at x may have within reach, as codes: two bits per axis, 1: behind the lower wall, 2: the upper.
// Returns how many.
int mirror_codes(const Sph* sph, const F8 x[3], uint8_t out[MIRROR_IMAGES]);

static inline bool mirror_any(const Sph* sph)
{
    return sph->mirror.any;
}

static inline bool mirror_is(const Sph* sph, size_t solid)
{
    return sph->mirror.any && sph->mirror.solid == solid;
}

static inline Image mirror_image(const Sph* sph, uint8_t code, const F8 x[3])
{
    Image image;
    for (int k = 0; k < 3; k++) {
        int side = code >> (2 * k) & 3;
        float wall = side == 1 ? sph->mirror.low[k] : sph->mirror.high[k];
        image.base[k] = side ? f8_sub(x[k], f8_set(2 * wall)) : x[k];
        image.sign[k] = f8_set(side ? 1 : -1);
    }
    return image;
}

// x_i - x_j', from x_j; or u_i - u_j' with a base of u_i.
static inline void mirror_apart(const F8 base[3], const F8 sign[3], const F8 other[3], F8 out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = f8_mad(sign[k], other[k], base[k]);
}

// What images add, in units of kernel.gradient.
void mirror_acceleration(const Sph* sph, const ChunkList* list, const F8 x[3], F8 p, F8 sum[3]); // sum (P_i + P_j) c x_ij'
void mirror_gradient(const Sph* sph, const ChunkList* list, const F8 x[3], F8 sum[3]);           // sum c x_ij'
F8 mirror_divergence(const Sph* sph, const ChunkList* list, const Vec4* u, const F8 x[3], const F8 ui[3]);
F8 mirror_virial(const Sph* sph, const ChunkList* list, const float* p, const F8 x[3], F8 pi); // sum (P_i + P_j) c |x_ij'|^2
// The first of these for chunk k with the sum of both pressures of dfsph. False: it has no images.
bool mirror_push(const Sph* sph, size_t k, F8 sum[3]);
// sum_j' W / norm at other positions `at` than those of the lists.
F8 mirror_density(const Sph* sph, const ChunkList* list, const Vec4* at, const F8 x[3]);
// Particles do not come closer to a mirroring wall than a quarter of a spacing: an image pushes little when it is near, and none
// that is alone pushes at all. Velocities at the end of a step; `dt` is its length.
void mirror_hold(Sph* sph, float dt);
// 1 for boundary particles that take part in densities and pressures, else 0.
F8 mirror_counts(const Sph* sph, const uint32_t* boundary);

#endif
