// SPDX-License-Identifier: MIT
#include "gles_scene.h"

#include "base/error.h"
#include "glsl.h"
#include "render/line.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- programs

enum { WITH_SKY = 1, WITH_LIT = 2, WITH_ENCODE = 4 };

typedef struct PassInfo {
    const char *name, *define, *vertex, *fragment;
    int with;
} PassInfo;

static const PassInfo pass_info[PASSES] = {
    [PASS_GROUND] = {"ground", "", glsl_full_vert, glsl_ground_frag, 0},
    [PASS_SPHERES] = {"spheres", "#define GBUFFER\n", glsl_sphere_vert, glsl_sphere_frag, 0},
    [PASS_SOLIDS] = {"solids", "#define GBUFFER\n", glsl_solid_vert, glsl_solid_frag, 0},
    [PASS_SHADOW_SPHERES] = {"shadow of spheres", "#define SHADOW\n", glsl_sphere_vert, glsl_sphere_frag, 0},
    [PASS_SHADOW_SOLIDS] = {"shadow of solids", "#define SHADOW\n", glsl_solid_vert, glsl_solid_frag, 0},
    [PASS_LIGHT] = {"light", "", glsl_full_vert, glsl_light_frag, 0},
    [PASS_EVEN] = {"even", "", glsl_full_vert, glsl_even_frag, 0},
    [PASS_SHADE] = {"shade", "", glsl_full_vert, glsl_shade_frag, WITH_SKY | WITH_LIT},
    [PASS_PANES] = {"panes", "#define PANE\n", glsl_solid_vert, glsl_solid_frag, 0},
    [PASS_MEAN] = {"mean", "", glsl_full_vert, glsl_mean_frag, 0},
    [PASS_ENCODE] = {"encode", "", glsl_full_vert, glsl_encode_frag, WITH_ENCODE},
    [PASS_SEEN] = {"seen", "#define LIQUID\n", glsl_sphere_vert, glsl_sphere_frag, 0},
    [PASS_CLOSE] = {"close", "", glsl_full_vert, glsl_close_frag, 0},
    [PASS_SMOOTH] = {"smooth", "", glsl_full_vert, glsl_smooth_frag, 0},
    [PASS_BEHIND] = {"behind", "", glsl_full_vert, glsl_behind_frag, 0},
    [PASS_THICK] = {"thick", "", glsl_thick_vert, glsl_thick_frag, 0},
    [PASS_BLUR] = {"blur", "", glsl_full_vert, glsl_blur_frag, 0},
    [PASS_LIQUID] = {"liquid", "", glsl_full_vert, glsl_liquid_frag, WITH_SKY | WITH_LIT | WITH_ENCODE},
    [PASS_GLASS] = {"glass", "#define GLASS\n", glsl_solid_vert, glsl_solid_frag, 0},
    [PASS_LINES] = {"lines", "", glsl_line_vert, glsl_line_frag, 0},
};

static GLuint make_program(const Gl* gl, const PassInfo* p, mn_Error* error)
{
    static char parts[16384];
    snprintf(parts, sizeof parts, "%s%s%s%s%s", p->define, glsl_common, p->with & WITH_SKY ? glsl_environment : "",
             p->with & WITH_LIT ? glsl_lit : "", p->with & WITH_ENCODE ? glsl_encode : "");
    return gl_program(gl, p->name, parts, p->vertex, p->fragment, error);
}

static void attribute(const Gl* gl, GLuint index, int floats, size_t stride, size_t offset)
{
    gl->EnableVertexAttribArray(index);
    gl->VertexAttribPointer(index, floats, GL_FLOAT, GL_FALSE, (GLsizei)(stride * sizeof(float)),
                            (const void*)(offset * sizeof(float)));
}

enum { MESH_FLOATS = 9, LINE_FLOATS = 14 };

static void make_arrays(GlScene* s)
{
    const Gl* gl = s->gl;
    gl->GenVertexArrays(1, &s->empty);
    gl->GenVertexArrays(1, &s->solids);
    gl->GenBuffers(1, &s->solid_buffer);
    gl->BindVertexArray(s->solids);
    gl->BindBuffer(GL_ARRAY_BUFFER, s->solid_buffer);
    for (GLuint k = 0; k < 3; k++)
        attribute(gl, k, 3, MESH_FLOATS, 3 * k);
    gl->GenVertexArrays(1, &s->lines);
    gl->GenBuffers(1, &s->line_buffer);
    gl->BindVertexArray(s->lines);
    gl->BindBuffer(GL_ARRAY_BUFFER, s->line_buffer);
    attribute(gl, 0, 4, LINE_FLOATS, 0);
    attribute(gl, 1, 4, LINE_FLOATS, 4);
    attribute(gl, 2, 3, LINE_FLOATS, 8);
    attribute(gl, 3, 3, LINE_FLOATS, 11);
    for (int k = 0; k < MAX_PARTICLE_LOOKS; k++) {
        gl->GenVertexArrays(1, &s->spheres[k].array);
        gl->GenBuffers(3, s->spheres[k].buffer);
    }
}

bool gl_scene_create(GlScene* s, const Gl* gl, mn_Error* error)
{
    *s = (GlScene){.gl = gl};
    for (int k = 0; k < PASSES; k++) {
        s->program[k] = make_program(gl, &pass_info[k], error);
        if (!s->program[k])
            return false;
    }
    make_arrays(s);
    return true;
}

void gl_scene_free(GlScene* s)
{
    const Gl* gl = s->gl;
    if (!gl)
        return;
    Target* targets[] = {&s->opaque,  &s->shadow,  &s->raw,    &s->reach,    &s->shaded,   &s->linear,
                         &s->seen[0], &s->seen[1], &s->behind, &s->thick[0], &s->thick[1], &s->picture};
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++)
        target_free(gl, targets[k]);
    for (int k = 0; k < PASSES; k++)
        gl->DeleteProgram(s->program[k]);
    for (int k = 0; k < MAX_PARTICLE_LOOKS; k++) {
        gl->DeleteVertexArrays(1, &s->spheres[k].array);
        gl->DeleteBuffers(3, s->spheres[k].buffer);
    }
    const GLuint arrays[] = {s->empty, s->solids, s->lines}, buffers[] = {s->solid_buffer, s->line_buffer};
    gl->DeleteVertexArrays(3, arrays);
    gl->DeleteBuffers(2, buffers);
    gl->DeleteTextures(1, &s->map);
    for (int k = 0; k < GL_IMAGES; k++)
        gl->DeleteTextures(1, &s->images[k].texture);
    memory_give(NULL, s->mesh.value);
    memory_give(NULL, s->line.value);
    *s = (GlScene){0};
}

// --- what programs are told

GLuint gl_pass(const GlScene* s, GlPass pass, const GlView* view, const Camera* c, int width, int height)
{
    GLuint p = s->program[pass];
    s->gl->UseProgram(p);
    gl_float(s->gl, p, "uFocal", c->focal);
    gl_pair(s->gl, p, "uCentre", c->centre_x, c->centre_y);
    gl_pair(s->gl, p, "uSize", width, height);
    gl_int(s->gl, p, "uFlatView", c->orthographic);
    gl_float(s->gl, p, "uNearest", c->nearest);
    gl_float(s->gl, p, "uDepthScale", view->depth_scale);
    gl_int(s->gl, p, "uFactor", view->in->samples);
    gl_float(s->gl, p, "uRadius", view->radius);
    s->gl->Uniform2i(s->gl->GetUniformLocation(p, "uPixels"), view->width, view->height);
    return p;
}

void gl_full(const GlScene* s)
{
    s->gl->BindVertexArray(s->empty);
    s->gl->DrawArrays(GL_TRIANGLES, 0, 3);
}

void gl_matrix(const Gl* gl, GLuint program, const char* name, Vec3 a, Vec3 b, Vec3 c)
{
    const float m[9] = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
    gl->UniformMatrix3fv(gl->GetUniformLocation(program, name), 1, GL_FALSE, m);
}

// From the frame of something to the view.
static void placement(const Gl* gl, GLuint program, const Camera* camera, mn_Quat rotation, Vec3d position)
{
    Vec3 column[3];
    for (int k = 0; k < 3; k++)
        column[k] = to_vec3(camera_view_direction(camera, quat_rotate(rotation, vec3d(k == 0, k == 1, k == 2))));
    gl_matrix(gl, program, "uTurn", column[0], column[1], column[2]);
    gl_vec3(gl, program, "uMove", to_vec3(camera_view(camera, position)));
}

static Vec3d cut_normal(const CutAway* cut)
{
    double side = !cut->on ? 0 : cut->hide_above ? 1 : -1;
    return vec3d(cut->axis == 0 ? side : 0, cut->axis == 1 ? side : 0, cut->axis == 2 ? side : 0);
}

static double cut_level(const CutAway* cut)
{
    return !cut->on ? 1 : cut->hide_above ? cut->position : -cut->position;
}

void gl_shadow_uniforms(const GlScene* s, GLuint p, const GlView* view, int unit)
{
    const Vec3* a = view->shadow.axis;
    gl_matrix(s->gl, p, "uShadowTurn", (Vec3){a[0].x, a[1].x, a[2].x}, (Vec3){a[0].y, a[1].y, a[2].y},
              (Vec3){a[0].z, a[1].z, a[2].z});
    gl_vec3(s->gl, p, "uShadowMove", view->shadow.origin);
    gl_float(s->gl, p, "uShadowFocal", view->shadow.camera.focal);
    gl_int(s->gl, p, "uShadowSize", view->shadow.camera.width);
    gl_vec3(s->gl, p, "uToKey", view->shadow.to_key);
    gl_texture(s->gl, p, "uShadow", unit, s->shadow.texture[0]);
}

// --- particles

static void upload_spheres(GlScene* s, size_t k, const ParticleLook* look)
{
    const Gl* gl = s->gl;
    const GlSpheres* g = &s->spheres[k];
    size_t n = look->spheres.count, stride = look->spheres.stride * sizeof(float);
    gl->BindVertexArray(g->array);
    gl->BindBuffer(GL_ARRAY_BUFFER, g->buffer[0]);
    gl->BufferData(GL_ARRAY_BUFFER, (ptrdiff_t)(n * stride), look->spheres.position, GL_STREAM_DRAW);
    for (GLuint a = 0; a < 3; a++) {
        gl->EnableVertexAttribArray(a);
        gl->VertexAttribDivisor(a, 1);
    }
    gl->VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, (GLsizei)stride, NULL);
    // what a set does not have is not read: any numbers will do
    gl->VertexAttribPointer(1, 1, GL_FLOAT, GL_FALSE, (GLsizei)stride, NULL);
    gl->VertexAttribPointer(2, 1, GL_FLOAT, GL_FALSE, (GLsizei)stride, NULL);
    if (look->scalar) {
        gl->BindBuffer(GL_ARRAY_BUFFER, g->buffer[1]);
        gl->BufferData(GL_ARRAY_BUFFER, (ptrdiff_t)(n * sizeof(float)), look->scalar, GL_STREAM_DRAW);
        gl->VertexAttribPointer(1, 1, GL_FLOAT, GL_FALSE, 0, NULL);
    }
    if (look->fluid) {
        gl->BindBuffer(GL_ARRAY_BUFFER, g->buffer[2]);
        gl->BufferData(GL_ARRAY_BUFFER, (ptrdiff_t)n, look->fluid, GL_STREAM_DRAW);
        gl->VertexAttribPointer(2, 1, GL_UNSIGNED_BYTE, GL_TRUE, 0, NULL);
    }
}

void gl_sphere_set(const GlScene* s, GLuint p, const GlView* view, const Camera* camera, size_t set, double radius)
{
    const Gl* gl = s->gl;
    const RenderInput* in = view->in;
    const ParticleLook* look = &in->particles[set];
    Vec3d n = cut_normal(&in->cut);
    placement(gl, p, camera, quat_identity(), vec3d(0, 0, 0));
    gl_float(gl, p, "uRadius", radius);
    gl->Uniform4f(gl->GetUniformLocation(p, "uCut"), (float)n.x, (float)n.y, (float)n.z, (float)cut_level(&in->cut));
    gl_int(gl, p, "uPaint", look->paint == PAINT_SCALAR ? 1 : look->paint == PAINT_FLUID ? 2 : 0);
    gl_vec3(gl, p, "uColour", colour_to_linear3(look->colour));
    gl_pair(gl, p, "uRange", in->range[0], in->range[1]);
    gl_texture(gl, p, "uMap", 0, s->map);
    gl->BindVertexArray(s->spheres[set].array);
    gl->DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)look->spheres.count);
}

// --- solids

bool gl_numbers_add(GlNumbers* n, const float* value, size_t count)
{
    if (!memory_reserve(NULL, &n->value, &n->capacity, n->count, n->count + count, sizeof *n->value))
        return false;
    memcpy(n->value + n->count, value, count * sizeof *value);
    n->count += count;
    return true;
}

static bool upload_solids(GlScene* s, const RenderInput* in)
{
    s->mesh.count = 0;
    for (size_t k = 0; k < in->solid_count; k++) {
        const Model* m = in->solids[k].model;
        for (size_t t = 0; t < m->mesh->triangle_count; t++)
            for (size_t c = 0; c < 3; c++) {
                Vec3 p = to_vec3(m->mesh->vertex[m->mesh->triangle[t][c]]), n = m->corner_normal[3 * t + c], f = m->face_normal[t];
                const float corner[MESH_FLOATS] = {p.x, p.y, p.z, n.x, n.y, n.z, f.x, f.y, f.z};
                if (!gl_numbers_add(&s->mesh, corner, MESH_FLOATS))
                    return false;
            }
    }
    s->gl->BindBuffer(GL_ARRAY_BUFFER, s->solid_buffer);
    s->gl->BufferData(GL_ARRAY_BUFFER, (ptrdiff_t)(s->mesh.count * sizeof(float)), s->mesh.value, GL_STREAM_DRAW);
    return true;
}

static int kind_of(const SolidItem* solid)
{
    mn_Finish finish = solid->paint ? solid->paint->finish : MN_FINISH_PAINT;
    if (solid->look != LOOK_SOLID && !solid->coloured)
        return 7;
    return finish == MN_FINISH_MATTE ? 4 : finish == MN_FINISH_METAL ? 5 : finish == MN_FINISH_GLASS ? 6 : 3;
}

static void pattern_uniforms(GlScene* s, GLuint p, const SolidItem* solid)
{
    const SolidPaint* paint = solid->paint;
    const Gl* gl = s->gl;
    bool patterned = paint && paint->patterned;
    gl_int(gl, p, "uKind", kind_of(solid));
    gl_vec3(gl, p, "uColour", patterned ? paint->pattern.colour : paint ? paint->colour : colour_to_linear3(solid->colour));
    gl_float(gl, p, "uRoughness", paint ? (double)paint->roughness : 0);
    gl_int(gl, p, "uPattern", !patterned ? 0 : paint->pattern.texture ? 2 : 1);
    gl_texture(gl, p, "uPicture", 1, patterned ? gl_image(s, paint->pattern.texture, false) : 0);
    if (!patterned)
        return;
    gl_vec3(gl, p, "uChecker", paint->pattern.checker);
    gl_vec3(gl, p, "uOrigin", paint->pattern.origin);
    gl_float(gl, p, "uPatternSize", (double)paint->pattern.size);
}

// Which solids a pass is about.
static bool is_drawn(GlPass pass, const SolidItem* solid)
{
    if (pass == PASS_SHADOW_SOLIDS)
        return casts_shadow(solid);
    if (pass == PASS_GLASS)
        return solid->look == LOOK_GLASS;
    if (pass == PASS_PANES)
        return solid->look != LOOK_SOLID && solid->look != LOOK_EDGES;
    return true;
}

static void draw_solids(GlScene* s, GlPass pass, GLuint p, const GlView* view, const Camera* camera)
{
    const Gl* gl = s->gl;
    const RenderInput* in = view->in;
    Vec3d n = cut_normal(&in->cut);
    Vec3 cut = to_vec3(camera_view_direction(camera, n));
    double level = cut_level(&in->cut) - vec3d_dot(n, camera->eye);
    size_t first = 0, corners = 0;
    gl->BindVertexArray(s->solids);
    for (size_t k = 0; k < in->solid_count; k++, first += corners) {
        const SolidItem* solid = &in->solids[k];
        corners = 3 * solid->model->mesh->triangle_count;
        if (!corners || !is_drawn(pass, solid))
            continue;
        bool cuts = in->cut.on && solid->look == LOOK_SOLID;
        placement(gl, p, camera, solid->pose.rotation, solid->pose.position);
        gl->Uniform4f(gl->GetUniformLocation(p, "uCutView"), cuts ? cut.x : 0, cuts ? cut.y : 0, cuts ? cut.z : 0,
                      cuts ? (float)level : 1);
        gl_int(gl, p, "uLook",
               solid->look == LOOK_CONTAINER ? 1
               : solid->look == LOOK_TANK    ? 2
               : solid->look == LOOK_EDGES   ? 3
               : solid->look == LOOK_GLASS   ? 4
                                             : 0);
        gl_vec3(gl, p, "uMiddle", to_vec3(camera_view(camera, solid->centre)));
        if (pass == PASS_SOLIDS)
            pattern_uniforms(s, p, solid);
        else
            gl_vec3(gl, p, "uColour", solid->colour);
        size_t inner = pass == PASS_SOLIDS && solid->paint && solid->paint->has_inner ? 3 * solid->model->mesh->inner_count : 0;
        gl->DrawArrays(GL_TRIANGLES, (GLint)first, (GLsizei)(corners - inner));
        if (!inner)
            continue;
        gl_vec3(gl, p, "uColour", solid->paint->inner);
        gl_int(gl, p, "uPattern", 0);
        gl->DrawArrays(GL_TRIANGLES, (GLint)(first + corners - inner), (GLsizei)inner);
    }
}

// --- passes

static bool fit_targets(GlScene* s, const GlView* v)
{
    const Gl* gl = s->gl;
    const GLenum opaque[] = {GL_RGBA16F, GL_R32F, GL_RGBA16F}, half[] = {GL_RGBA16F}, full[] = {GL_RGBA32F}, one[] = {GL_R32F},
                 two[] = {GL_RG32F}, sum[] = {GL_R16F}, bytes[] = {GL_RGBA8};
    int samples = v->in->samples, size = v->shadow.camera.width;
    bool ok = target_fit(gl, &s->opaque, v->width * samples, v->height * samples, opaque, 3, true) &&
              target_fit(gl, &s->shadow, size, size, two, 1, true) &&
              target_fit(gl, &s->raw, v->width, v->height, half, 1, false) &&
              target_fit(gl, &s->reach, v->width, v->height, half, 1, false) &&
              target_fit(gl, &s->shaded, v->width * samples, v->height * samples, half, 1, false) &&
              target_fit(gl, &s->linear, v->width, v->height, half, 1, false) &&
              target_fit(gl, &s->picture, v->width, v->height, bytes, 1, false);
    if (!ok || !v->liquid)
        return ok;
    return target_fit(gl, &s->seen[0], v->width, v->height, full, 1, true) &&
           target_fit(gl, &s->seen[1], v->width, v->height, full, 1, false) &&
           target_fit(gl, &s->behind, v->half_width, v->half_height, one, 1, false) &&
           target_fit(gl, &s->thick[0], v->half_width, v->half_height, sum, 1, false) &&
           target_fit(gl, &s->thick[1], v->half_width, v->half_height, sum, 1, false);
}

static void draw_opaque(GlScene* s, const GlView* v)
{
    const Gl* gl = s->gl;
    const RenderInput* in = v->in;
    int width = s->opaque.width, height = s->opaque.height;
    target_use(gl, &s->opaque);
    gl->Disable(GL_BLEND);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_ALWAYS);
    GLuint p = gl_pass(s, PASS_GROUND, v, &v->camera, width, height);
    double level = vec3d_dot(camera_view_direction(&in->camera, in->up), camera_view(&in->camera, render_ground_point(in)));
    gl_int(gl, p, "uGround", in->ground && level < 0);
    gl_vec3(gl, p, "uUp", v->up);
    gl_float(gl, p, "uLevel", level);
    gl_full(s);
    gl->DepthFunc(GL_LESS);
    draw_solids(s, PASS_SOLIDS, gl_pass(s, PASS_SOLIDS, v, &v->camera, width, height), v, &v->camera);
    p = gl_pass(s, PASS_SPHERES, v, &v->camera, width, height);
    for (size_t k = v->liquid; k < in->particle_count; k++)
        gl_sphere_set(s, p, v, &v->camera, k, (double)in->particles[k].spheres.radius);
}

static void draw_shadow(GlScene* s, const GlView* v)
{
    const Gl* gl = s->gl;
    const Camera* c = &v->shadow.camera;
    static const float nothing[4] = {1e30f, 0, 0, 0}, farthest = 1;
    target_use(gl, &s->shadow);
    gl->ClearBufferfv(GL_COLOR, 0, nothing);
    gl->ClearBufferfv(GL_DEPTH, 0, &farthest);
    draw_solids(s, PASS_SHADOW_SOLIDS, gl_pass(s, PASS_SHADOW_SOLIDS, v, c, c->width, c->height), v, c);
    GLuint p = gl_pass(s, PASS_SHADOW_SPHERES, v, c, c->width, c->height);
    for (size_t k = 0; k < v->in->particle_count; k++) {
        gl_float(gl, p, "uClear", v->clear && k == 0);
        gl_sphere_set(s, p, v, c, k, (double)v->in->particles[k].spheres.radius);
    }
    gl->Disable(GL_DEPTH_TEST);
}

static void draw_light(GlScene* s, const GlView* v)
{
    const Gl* gl = s->gl;
    target_use(gl, &s->raw);
    GLuint p = gl_pass(s, PASS_LIGHT, v, &v->camera, v->width, v->height);
    gl_float(gl, p, "uSkyRadius", 7 * v->radius);
    gl_texture(gl, p, "uDepth", 0, s->opaque.texture[1]);
    gl_texture(gl, p, "uNormal", 1, s->opaque.texture[0]);
    gl_shadow_uniforms(s, p, v, 2);
    gl_full(s);
    target_use(gl, &s->reach);
    p = gl_pass(s, PASS_EVEN, v, &v->camera, v->width, v->height);
    gl_texture(gl, p, "uDepth", 0, s->opaque.texture[1]);
    gl_texture(gl, p, "uReach", 1, s->raw.texture[0]);
    gl_full(s);
}

static void ground_uniforms(GlScene* s, GLuint p, const GlView* v)
{
    const Gl* gl = s->gl;
    const RenderInput* in = v->in;
    const Pattern* g = in->ground_pattern;
    gl_vec3(gl, p, "uBackground", colour_to_linear3(in->background));
    gl_vec3(gl, p, "uGroundMiddle", to_vec3(camera_view(&in->camera, render_ground_point(in))));
    gl_float(gl, p, "uGroundRadius", vec3d_distance(in->box.min, in->box.max) / 2);
    gl_int(gl, p, "uGroundPattern", !g ? -1 : !(g->size > 0) ? 0 : g->texture ? 2 : 1);
    gl_vec3(gl, p, "uEye", to_vec3(in->camera.eye));
    gl_texture(gl, p, "uGroundPicture", 5, g ? gl_image(s, g->texture, false) : 0);
    if (!g)
        return;
    gl_vec3(gl, p, "uGroundColour", g->colour);
    gl_vec3(gl, p, "uGroundChecker", g->checker);
    gl_vec3(gl, p, "uGroundOrigin", g->origin);
    gl_float(gl, p, "uGroundSize", (double)g->size);
}

static void draw_shaded(GlScene* s, const GlView* v)
{
    const Gl* gl = s->gl;
    target_use(gl, &s->shaded);
    GLuint p = gl_pass(s, PASS_SHADE, v, &v->camera, s->shaded.width, s->shaded.height);
    gl_texture(gl, p, "uDepth", 0, s->opaque.texture[1]);
    gl_texture(gl, p, "uNormal", 1, s->opaque.texture[0]);
    gl_texture(gl, p, "uAlbedo", 2, s->opaque.texture[2]);
    gl_texture(gl, p, "uReach", 3, s->reach.texture[0]);
    gl_environment(s, p, v, 4);
    ground_uniforms(s, p, v);
    gl_full(s);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    p = gl_pass(s, PASS_PANES, v, &v->camera, s->shaded.width, s->shaded.height);
    gl_float(gl, p, "uSlack", 1.5 * v->radius);
    gl_texture(gl, p, "uDepth", 0, s->opaque.texture[1]);
    draw_solids(s, PASS_PANES, p, v, &v->camera);
    gl->Disable(GL_BLEND);
    target_use(gl, &s->linear);
    p = gl_pass(s, PASS_MEAN, v, &v->camera, v->width, v->height);
    gl_texture(gl, p, "uFrom", 0, s->shaded.texture[0]);
    gl_full(s);
}

// --- lines

typedef struct LineJob {
    GlScene* scene;
    const GlView* view;
} LineJob;

static void add_line(void* user, const LinePen* pen, Vec3d a, Vec3d b)
{
    const LineJob* job = user;
    const Camera* c = &job->view->in->camera;
    if (!c->orthographic && !line_clip(c->nearest, &a, &b))
        return;
    double sa = c->orthographic ? c->focal : c->focal / a.z, sb = c->orthographic ? c->focal : c->focal / b.z;
    double ax = c->centre_x + sa * a.x, ay = c->centre_y + sa * a.y, bx = c->centre_x + sb * b.x, by = c->centre_y + sb * b.y;
    double dx = bx - ax, dy = by - ay, size = hypot(dx, dy), reach = pen->width / 2 + 1;
    double ux = size > 0 ? dx / size * reach : reach, uy = size > 0 ? dy / size * reach : 0;
    // corners of two triangles
    const double x[4] = {ax - ux - uy, ax - ux + uy, bx + ux - uy, bx + ux + uy};
    const double y[4] = {ay - uy + ux, ay - uy - ux, by + uy + ux, by + uy - ux};
    static const int order[6] = {0, 1, 2, 2, 1, 3};
    double bias = line_bias(job->view->radius, a, b);
    for (int k = 0; k < 6; k++) {
        const float corner[LINE_FLOATS] = {(float)x[order[k]],
                                           (float)y[order[k]],
                                           (float)ax,
                                           (float)ay,
                                           (float)bx,
                                           (float)by,
                                           (float)(c->orthographic ? a.z : 1 / a.z),
                                           (float)(c->orthographic ? b.z : 1 / b.z),
                                           (float)pen->width,
                                           (float)bias,
                                           pen->alpha,
                                           pen->colour.x,
                                           pen->colour.y,
                                           pen->colour.z};
        job->scene->lacks_memory |= !gl_numbers_add(&job->scene->line, corner, LINE_FLOATS);
    }
}

// Glass and lines, over the encoded picture.
static void draw_over(GlScene* s, const GlView* v)
{
    const Gl* gl = s->gl;
    const RenderInput* in = v->in;
    LineSink sink = {add_line, &(LineJob){s, v}};
    target_use(gl, &s->picture);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    GLuint p = gl_pass(s, PASS_GLASS, v, &in->camera, v->width, v->height);
    gl_texture(gl, p, "uDepth", 0, s->opaque.texture[1]);
    draw_solids(s, PASS_GLASS, p, v, &in->camera);
    s->line.count = 0;
    lines_of_nozzles(&in->camera, in->lines, in->line_count, v->height, sink);
    lines_of_edges(&in->camera, in->solids, in->solid_count, render_edge_ink(in), v->height, sink);
    for (size_t k = 0; k < in->solid_count; k++)
        lines_of_segments(&in->camera, &in->solids[k], false, v->height, sink);
    p = gl_pass(s, PASS_LINES, v, &in->camera, v->width, v->height);
    gl_texture(gl, p, "uDepth", 0, s->opaque.texture[1]);
    gl->BindVertexArray(s->lines);
    gl->BindBuffer(GL_ARRAY_BUFFER, s->line_buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (ptrdiff_t)(s->line.count * sizeof(float)), s->line.value, GL_STREAM_DRAW);
    gl->DrawArrays(GL_TRIANGLES, 0, (GLsizei)(s->line.count / LINE_FLOATS));
    gl->Disable(GL_BLEND);
}

// --- the whole

bool gl_scene_can(const RenderInput* in)
{
    return !in->flat && !in->foam.count && in->environment;
}

static GlView view_of(const RenderInput* in)
{
    GlView v = {.in = in,
                .camera = camera_scaled(&in->camera, in->samples),
                .shadow = shadow_frame(&in->camera, in->box, render_key_direction(in), render_shadow_size(in)),
                .radius = in->particle_radius,
                .up = to_vec3(camera_view_direction(&in->camera, in->up)),
                .liquid = render_is_liquid(in),
                .width = in->camera.width,
                .height = in->camera.height,
                .half_width = (in->camera.width + 1) / 2,
                .half_height = (in->camera.height + 1) / 2};
    v.depth_scale = fmax(vec3d_distance(in->camera.eye, vec3d_scale(vec3d_add(in->box.min, in->box.max), 0.5)), 1e-6);
    v.clear = v.liquid && in->style == MN_STYLE_LIQUID;
    return v;
}

mn_Result gl_scene_draw(GlScene* s, const RenderInput* in, mn_Error* error)
{
    GlView v = view_of(in);
    const Gl* gl = s->gl;
    s->lacks_memory = false;
    if (!fit_targets(s, &v))
        return error_set(error, MN_BAD_INPUT, "OpenGL ES cannot draw into pictures of %d x %d pixels here; --renderer own can",
                         v.width, v.height);
    gl->Disable(GL_SCISSOR_TEST);
    gl_upload_map(s, in);
    for (size_t k = 0; k < in->particle_count; k++)
        upload_spheres(s, k, &in->particles[k]);
    if (!upload_solids(s, in))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for solids");
    draw_opaque(s, &v);
    draw_shadow(s, &v);
    draw_light(s, &v);
    draw_shaded(s, &v);
    if (v.liquid) {
        gl_liquid_draw(s, &v);
    } else {
        target_use(gl, &s->picture);
        GLuint p = gl_pass(s, PASS_ENCODE, &v, &in->camera, v.width, v.height);
        gl_texture(gl, p, "uFrom", 0, s->linear.texture[0]);
        gl_full(s);
    }
    draw_over(s, &v);
    GLenum trouble = gl->GetError();
    if (trouble != GL_NO_ERROR || s->lacks_memory)
        return error_set(error, MN_OUT_OF_MEMORY, "OpenGL ES reports error 0x%x; --renderer own does without it",
                         (unsigned)trouble);
    return MN_OK;
}
