// SPDX-License-Identifier: MIT
// A RenderInput drawn by OpenGL ES, with the look of render/scene_picture.c: samples of everything opaque, the light that reaches
// them, their colours; then the liquid, panes and lines. The programs are in glsl/.
#ifndef VIEWER_GLES_SCENE_H
#define VIEWER_GLES_SCENE_H

#include "gles.h"
#include "render/scene_picture.h"

typedef enum GlPass {
    PASS_GROUND,
    PASS_SPHERES,
    PASS_SOLIDS,
    PASS_SHADOW_SPHERES,
    PASS_SHADOW_SOLIDS,
    PASS_LIGHT,
    PASS_EVEN,
    PASS_SHADE,
    PASS_PANES,
    PASS_MEAN,
    PASS_ENCODE,
    PASS_SEEN,
    PASS_CLOSE,
    PASS_SMOOTH,
    PASS_BEHIND,
    PASS_THICK,
    PASS_BLUR,
    PASS_LIQUID,
    PASS_GLASS,
    PASS_LINES,
    PASSES
} GlPass;

enum { GL_IMAGES = 32 };

// A set of particles on the card.
typedef struct GlSpheres {
    GLuint array, buffer[3]; // places, scalars, fluids
} GlSpheres;

// Numbers on their way to the card.
typedef struct GlNumbers {
    float* value;
    size_t count, capacity;
} GlNumbers;

typedef struct GlScene {
    const Gl* gl;
    GLuint program[PASSES];
    GLuint empty, solids, solid_buffer, lines, line_buffer; // arrays of vertices
    GlSpheres spheres[MAX_PARTICLE_LOOKS];
    GLuint map; // colours of scalars and of fluids, absorption of fluids
    struct {
        const Image* image;
        GLuint texture;
    } images[GL_IMAGES];
    Target opaque, shadow, raw, reach, shaded, linear, seen[2], behind, thick[2];
    Target picture; // what came out, encoded
    GlNumbers mesh, line;
    bool lacks_memory;
} GlScene;

// What all passes of a picture share.
typedef struct GlView {
    const RenderInput* in;
    Camera camera;      // of the samples
    ShadowFrame shadow; // of the key light
    double radius;      // [m] of particles
    double depth_scale; // [m]
    Vec3 up;            // view space
    bool liquid, clear;
    int width, height, half_width, half_height; // pixels
} GlView;

// False: the driver lacks something that is needed.
bool gl_scene_create(GlScene* scene, const Gl* gl, mn_Error* error);
void gl_scene_free(GlScene* scene);
// Whether it can: planes and foam are left to the other back end.
bool gl_scene_can(const RenderInput* input);
mn_Result gl_scene_draw(GlScene* scene, const RenderInput* input, mn_Error* error);

// --- shared by the files of it

static inline Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

void gl_matrix(const Gl* gl, GLuint program, const char* name, Vec3 a, Vec3 b, Vec3 c); // of these columns
GLuint gl_pass(const GlScene* scene, GlPass pass, const GlView* view, const Camera* camera, int width, int height);
void gl_full(const GlScene* scene);
GLuint gl_image(GlScene* scene, const Image* image, bool is_sky); // its texture, made when it is asked for first
void gl_upload_map(GlScene* scene, const RenderInput* input);     // colours of scalars and fluids
void gl_environment(GlScene* scene, GLuint program, const GlView* view, int unit);
void gl_sphere_set(const GlScene* scene, GLuint program, const GlView* view, const Camera* camera, size_t set, double radius);
void gl_shadow_uniforms(const GlScene* scene, GLuint program, const GlView* view, int unit);
bool gl_numbers_add(GlNumbers* numbers, const float* value, size_t count);

void gl_liquid_draw(GlScene* scene, const GlView* view); // gles_liquid.c; from `linear` to `picture`

#endif
