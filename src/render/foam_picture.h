// SPDX-License-Identifier: MIT
// Spray, foam and bubbles over a picture, in the seven passes of Akinci 2014, section 6.2:
//   1, 2  depth of solids and of the liquid's surface, which the caller has
//   3     depth of the particles as spheres, how far each pixel looks around, normals     foam_bins.c, foam_splat.c
//   4     thickness: falloffs of all particles added up, by kind, life and depth in water  foam_splat.c
//   5     intensity                                                                       foam_splat.c
//   6     ambient occlusion at several scales: shadow; irradiance of the environment      foam_occlusion.c
//   7     blur and composition                                                            foam_compose.c
#ifndef RENDER_FOAM_PICTURE_H
#define RENDER_FOAM_PICTURE_H

#include "render/environment.h"
#include "render/foam_bins.h"
#include "render/picture.h"

typedef struct FoamInput {
    const Camera* camera;
    const CutAway* cut; // may be NULL
    FoamSource foam;
    const float* solid_depth;       // [m] (pixels) NOTHING: there is none
    const float* liquid_depth;      // [m] (pixels) the same
    const Environment* environment; // NULL: a white room
    mn_FoamLook look;               // complete: nothing is MN_AUTO
    float exposure;                 // [1] of the picture
} FoamInput;

typedef enum FoamPass {
    FOAM_PASS_COMPOSITION, // the picture
    FOAM_PASS_DEPTH,
    FOAM_PASS_NORMAL,
    FOAM_PASS_THICKNESS,
    FOAM_PASS_INTENSITY,
    FOAM_PASS_SHADOW,
    FOAM_PASS_IRRADIANCE,
    FOAM_PASSES
} FoamPass;
extern const char* const foam_pass_names[FOAM_PASSES];

typedef struct FoamPicture {
    int width, height;
    // per pixel
    float* depth;     // [m] NOTHING where there is no foam
    float* search;    // [m] radius of the particle that is nearest: what the pixel looks around by
    Vec3* normal;     // [1] in the world
    float* thickness; // [1]
    float* intensity; // [1] iota
    // every so many pixels in each direction
    int step, coarse_width, coarse_height;
    float* shadow[2];    // [1] zeta, and scratch of the blur
    Vec3* irradiance[2]; // linear, and scratch
    float* blur;         // [coarse pixels] radius of the blur

    Vec4* seen; // side by side, since occlusion looks at all of it in many pixels: depths of foam, liquid, solid; intensity
    FoamBins bins;
    size_t pixel_capacity[6], coarse_capacity[5];
    double seconds[3]; // of the last picture: thickness and depth, light, composition
} FoamPicture;

// A look with what is left open derived from the size of the particles [m] and of the fluid [m].
mn_FoamLook foam_look_complete(const mn_FoamLook* look, double radius, double fluid_size);

// Draws foam over `picture`, or one of the passes in its place. False: out of memory.
bool foam_picture_draw(FoamPicture* foam, Pool* pool, const FoamInput* input, FoamPass pass, Picture* picture);
void foam_picture_free(FoamPicture* foam);

// --- the passes, which tests compare with slow ones

// f(x, b, n, m) = (1 - (x / b)^n)^m for x <= b, else 0                                     (eq. 6.1)
static inline float foam_falloff(float x, float b, float n, float m)
{
    return x < b ? powf(1 - powf(x / b, n), m) : 0;
}
// What particles add at the share x of their radius, given its square: f(x, 1, 1.5, 1), f(x, 1, 2.25, 1), 1 - f(x, 1, 2, 1). Spray
// is faint, foam full, a bubble a ring.
static inline F8 foam_profiles(const FoamShapes* s, F8 square)
{
    F8 x = f8_sqrt(square), root = f8_sqrt(x), one = f8_set(1);
    F8 spray = f8_nmad(x, root, one), foam = f8_nmad(square, f8_sqrt(root), one);
    return f8_pick(s->is_spray, spray, f8_pick(s->is_foam, foam, square));
}
// [m] of one particle, given that of the largest.
static inline float foam_radius_of(float largest, uint32_t id, uint8_t kind)
{
    return largest / (float)(id % FOAM_SIZES + 1) * (kind == 2 ? 0.5f : 1);
}
static inline float foam_intensity(const mn_FoamLook* look, float thickness)
{
    float n = (float)look->intensity_exponent, power = n == 1.25f ? thickness * sqrtf(sqrtf(thickness)) : powf(thickness, n);
    return power / ((float)look->intensity_modulus + power);
}

bool foam_pass_splat(FoamPicture* foam, Pool* pool, const FoamInput* input);                           // 3, 4, 5
bool foam_pass_light(FoamPicture* foam, Pool* pool, const FoamInput* input);                           // 6
void foam_pass_blur(FoamPicture* foam, Pool* pool);                                                    // 7, first half
void foam_pass_compose(const FoamPicture* foam, Pool* pool, const FoamInput* input, Picture* picture); // 7

// Points of the Halton sequence in the cube from -1 to 1, those outside of the unit sphere left out; `number` counts all of them.
typedef struct HaltonSample {
    Vec3 at;
    float weight; // (1 - |s|)^2
    int number;
} HaltonSample;
int halton_samples(HaltonSample* out, int numbers); // how many of the first `numbers` are in the sphere

#endif
