// SPDX-License-Identifier: MIT
// Spray, foam and bubbles over a picture, in the seven passes of Akinci 2014, section 6.2:
//   1, 2  depth of solids and of the liquid's surface, which the caller has
//   3     depth of the particles as spheres, how far each pixel looks around, normals     foam_splat.c
//   4     thickness: falloffs of all particles added up, by kind, life and depth in water  foam_splat.c
//   5     intensity                                                                       foam_splat.c
//   6     ambient occlusion at several scales: shadow; irradiance of the environment      foam_occlusion.c
//   7     blur and composition                                                            foam_compose.c
#ifndef RENDER_FOAM_PICTURE_H
#define RENDER_FOAM_PICTURE_H

#include "render/environment.h"
#include "render/picture.h"
#include "render/tiles.h"

typedef struct FoamSource {
    size_t count;
    const float* position; // [m] x, y, z (stride 3)
    const uint32_t* id;
    const uint8_t* kind; // 0 spray, 1 foam, 2 bubble
    const float* life;   // [1] left, from 1 to 0
    float radius;        // [m]
} FoamSource;

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

typedef struct FoamSplat {
    float x, y, z, r; // view space, with the radius that is drawn [m]
} FoamSplat;

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

    FoamSplat* splat;
    float* weight; // (particles) of what a particle adds
    TileRect* rect;
    TileLists lists;
    size_t pixel_capacity[5], coarse_capacity[5], splat_capacity, weight_capacity, rect_capacity;
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
// What a particle of a kind adds at the share x of its radius.
static inline float foam_profile(uint8_t kind, float x)
{
    // f(x, 1, 1.5, 1), f(x, 1, 2.25, 1), 1 - f(x, 1, 2, 1): spray is faint, foam full, a bubble a ring
    return kind == 0 ? 1 - x * sqrtf(x) : kind == 1 ? 1 - x * x * sqrtf(sqrtf(x)) : x * x;
}
static inline float foam_intensity(const mn_FoamLook* look, float thickness)
{
    float power = powf(thickness, (float)look->intensity_exponent);
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
