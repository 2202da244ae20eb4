// SPDX-License-Identifier: MIT
// Pictures on the card: those of patterns and of the sky, and the map of colours.
#include "gles_scene.h"

#include <stdio.h>

static GLuint upload_image(const Gl* gl, const Image* image, bool is_sky)
{
    GLuint texture;
    gl->GenTextures(1, &texture);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGB16F, image->width, image->height, 0, GL_RGB, GL_FLOAT, image->pixel);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, is_sky ? GL_CLAMP_TO_EDGE : GL_REPEAT);
    return texture;
}

// Images belong to scenes that were opened, and live until the end.
GLuint gl_image(GlScene* s, const Image* image, bool is_sky)
{
    for (int k = 0; k < GL_IMAGES && image; k++) {
        if (!s->images[k].image) {
            s->images[k].image = image;
            s->images[k].texture = upload_image(s->gl, image, is_sky);
        }
        if (s->images[k].image == image)
            return s->images[k].texture;
    }
    return 0;
}

static void suns(const GlScene* s, GLuint p, const Environment* e)
{
    char name[32];
    gl_int(s->gl, p, "uSuns", e->sun_count);
    gl_int(s->gl, p, "uSunInMap", e->sun_is_in_map);
    for (int k = 0; k < e->sun_count; k++) {
        snprintf(name, sizeof name, "uSunTo[%d]", k);
        gl_vec3(s->gl, p, name, e->sun[k].to);
        snprintf(name, sizeof name, "uSunLight[%d]", k);
        gl_vec3(s->gl, p, name, e->sun[k].light);
        snprintf(name, sizeof name, "uSunCosine[%d]", k);
        gl_float(s->gl, p, name, cos((double)e->sun[k].size));
    }
}

void gl_environment(GlScene* s, GLuint p, const GlView* view, int unit)
{
    const Environment* e = view->in->environment;
    const Camera* c = &view->in->camera;
    const Gl* gl = s->gl;
    gl_int(gl, p, "uSky", e->sky == MN_SKY_DAY ? 1 : e->sky == MN_SKY_GRADIENT ? 2 : e->sky == MN_SKY_MAP ? 3 : 0);
    gl_vec3(gl, p, "uEnvUp", e->up);
    gl_vec3(gl, p, "uWall", e->wall);
    gl_vec3(gl, p, "uZenith", e->zenith);
    gl_vec3(gl, p, "uHorizon", e->horizon);
    gl_vec3(gl, p, "uBelow", e->below);
    gl_vec3(gl, p, "uLampSide", e->lamp_side);
    gl_float(gl, p, "uStrength", (double)e->strength);
    gl_float(gl, p, "uTurnMap", (double)e->turn);
    gl_float(gl, p, "uMapLimit", fmin((double)e->map_limit, 1e30));
    suns(s, p, e);
    gl_matrix(gl, p, "uToWorld", to_vec3(c->right), to_vec3(c->down), to_vec3(c->forward));
    gl_vec3(gl, p, "uUp", view->up);
    gl_vec3(gl, p, "uToKey", view->shadow.to_key);
    gl_texture(gl, p, "uMapSky", unit, e->sky == MN_SKY_MAP ? gl_image(s, e->map, true) : 0);
}

// Rows: colours of scalars, colours of fluids, absorption and index of refraction of fluids.
void gl_upload_map(GlScene* s, const RenderInput* in)
{
    static const FluidPaint water = {{2, 0.7f, 0.4f}, 1.333f};
    static float value[3][COLOUR_MAP_SIZE][4];
    size_t fluids = 0;
    for (size_t i = 0; in->particle_count && in->particles->fluid && i < in->particles->spheres.count; i++)
        fluids = in->particles->fluid[i] > fluids ? in->particles->fluid[i] : fluids;
    for (size_t k = 0; k < COLOUR_MAP_SIZE; k++) {
        Vec3 a = in->map ? in->map->linear[k] : (Vec3){0}, b = colour_to_linear3(colour_of_fluid((int)k));
        FluidPaint paint = in->fluid_paint && k <= fluids ? in->fluid_paint[k] : water;
        memcpy(value[0][k], (float[4]){a.x, a.y, a.z, 1}, sizeof value[0][k]);
        memcpy(value[1][k], (float[4]){b.x, b.y, b.z, 1}, sizeof value[1][k]);
        memcpy(value[2][k], (float[4]){paint.absorption.x, paint.absorption.y, paint.absorption.z, paint.ior}, sizeof value[2][k]);
    }
    const Gl* gl = s->gl;
    if (!s->map)
        gl->GenTextures(1, &s->map);
    gl->BindTexture(GL_TEXTURE_2D, s->map);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, COLOUR_MAP_SIZE, 3, 0, GL_RGBA, GL_FLOAT, value);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}
