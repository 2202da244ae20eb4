// SPDX-License-Identifier: MIT
// The liquid: its nearest particles, smoothed; how much of it is before what is behind; its colours over the picture of the rest.
#include "gles_scene.h"

static const double drawn_radius = 1.15, closing = 1.4, draft_closing = 0.5; // [r] as in render/liquid.c
enum { BROAD_PASSES = 4, FINE_PASSES = 2 };

// Returns which of the two targets has the surface.
static int draw_surface(GlScene* s, const GlView* v)
{
    const Gl* gl = s->gl;
    const RenderInput* in = v->in;
    static const float nothing[4] = {1e15f, 0, 0, 0}, farthest = 1;
    double larger = in->draft ? draft_closing : closing;
    target_use(gl, &s->seen[0]);
    gl->ClearBufferfv(GL_COLOR, 0, nothing);
    gl->ClearBufferfv(GL_DEPTH, 0, &farthest);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LESS);
    GLuint p = gl_pass(s, PASS_SEEN, v, &in->camera, v->width, v->height);
    gl_sphere_set(s, p, v, &in->camera, 0, (drawn_radius + larger) * (double)in->particles->spheres.radius);
    gl->Disable(GL_DEPTH_TEST);
    p = gl_pass(s, PASS_CLOSE, v, &in->camera, v->width, v->height);
    target_use(gl, &s->seen[1]);
    gl_float(gl, p, "uClosing", larger);
    gl_texture(gl, p, "uFrom", 0, s->seen[0].texture[0]);
    gl_full(s);
    p = gl_pass(s, PASS_SMOOTH, v, &in->camera, v->width, v->height);
    int current = 1, broad = in->draft ? BROAD_PASSES / 2 : BROAD_PASSES;
    for (int round = 0; round < broad + FINE_PASSES; round++, current = 1 - current) {
        target_use(gl, &s->seen[1 - current]);
        gl_int(gl, p, "uFine", round >= broad);
        gl->Uniform2i(gl->GetUniformLocation(p, "uAlong"), round % 2 == 0, round % 2 == 1);
        gl_texture(gl, p, "uFrom", 0, s->seen[current].texture[0]);
        gl_full(s);
    }
    return current;
}

static void draw_thickness(GlScene* s, const GlView* v)
{
    const Gl* gl = s->gl;
    const RenderInput* in = v->in;
    static const float none[4] = {0, 0, 0, 0};
    target_use(gl, &s->behind);
    GLuint p = gl_pass(s, PASS_BEHIND, v, &in->camera, v->half_width, v->half_height);
    gl_texture(gl, p, "uDepth", 0, s->opaque.texture[1]);
    gl_full(s);
    target_use(gl, &s->thick[0]);
    gl->ClearBufferfv(GL_COLOR, 0, none);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_ONE, GL_ONE);
    p = gl_pass(s, PASS_THICK, v, &in->camera, v->width, v->height);
    gl_pair(gl, p, "uHalf", v->half_width, v->half_height);
    gl_texture(gl, p, "uBehind", 1, s->behind.texture[0]);
    gl_sphere_set(s, p, v, &in->camera, 0, v->radius);
    gl->Disable(GL_BLEND);
    for (int round = 0; round < 2; round++) {
        target_use(gl, &s->thick[1 - round]);
        p = gl_pass(s, PASS_BLUR, v, &in->camera, v->half_width, v->half_height);
        gl->Uniform2i(gl->GetUniformLocation(p, "uPixels"), v->half_width, v->half_height);
        gl_texture(gl, p, "uFrom", 0, s->thick[round].texture[0]);
        gl_texture(gl, p, "uBehind", 1, s->behind.texture[0]);
        gl_full(s);
    }
}

void gl_liquid_draw(GlScene* s, const GlView* v)
{
    const Gl* gl = s->gl;
    const RenderInput* in = v->in;
    int surface = draw_surface(s, v);
    if (v->clear)
        draw_thickness(s, v);
    target_use(gl, &s->picture);
    GLuint p = gl_pass(s, PASS_LIQUID, v, &in->camera, v->width, v->height);
    gl_texture(gl, p, "uSeen", 0, s->seen[surface].texture[0]);
    gl_texture(gl, p, "uDepth", 1, s->opaque.texture[1]);
    gl_texture(gl, p, "uFrom", 2, s->linear.texture[0]);
    gl_texture(gl, p, "uThickness", 3, s->thick[0].texture[0]);
    gl_texture(gl, p, "uBehind", 4, s->behind.texture[0]);
    gl_texture(gl, p, "uMap", 5, s->map);
    gl_shadow_uniforms(s, p, v, 6);
    gl_environment(s, p, v, 7);
    gl->Uniform2i(gl->GetUniformLocation(p, "uHalfPixels"), v->half_width, v->half_height);
    gl_int(gl, p, "uClearLiquid", v->clear);
    gl_int(gl, p, "uByScalar", in->particles->paint == PAINT_SCALAR);
    gl_pair(gl, p, "uRange", in->range[0], in->range[1]);
    gl_full(s);
}
