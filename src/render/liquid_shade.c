// SPDX-License-Identifier: MIT
// A pixel of a clear liquid: Fresnel's share of what the surface mirrors from the environment, and for the rest what the refracted
// ray finds in the picture of everything else, dimmed by Beer's law. What is not seen from the camera cannot be refracted; the ray
// ends where as much liquid as the pixel holds is behind it. Thin edges fade, which also smooths them.
#include "render/liquid.h"
#include "render/shade.h"

#include <stdlib.h>
#include <string.h>

typedef struct LiquidPixels {
    const LiquidShading* s;
    Picture* picture;
    const uint8_t* behind; // the picture before
    float to_linear[256];
    GammaTable gamma;
    Camera camera;
} LiquidPixels;

static Vec3 to_world(const Camera* c, Vec3 v)
{
    Vec3d w = vec3d_mad(vec3d_mad(vec3d_scale(c->right, (double)v.x), (double)v.y, c->down), (double)v.z, c->forward);
    return (Vec3){(float)w.x, (float)w.y, (float)w.z};
}

static Vec3 point_at(const LiquidPixels* job, int x, int y, float z)
{
    return view_point(&job->s->liquid->view, (float)x + 0.5f, (float)y + 0.5f, z);
}

static float depth_at(const Liquid* l, int x, int y)
{
    return l->depth[l->current][liquid_index(l, x, y)];
}

// From the neighbour before to the one after; at an edge only one of them is of this surface.
static Vec3 slope(const LiquidPixels* job, int x, int y, int dx, int dy, Vec3 p)
{
    float before = depth_at(job->s->liquid, x - dx, y - dy), after = depth_at(job->s->liquid, x + dx, y + dy);
    float edge = 2 * job->s->liquid->view.radius, b = fabsf(before - p.z), a = fabsf(after - p.z);
    Vec3 from = b < edge || b < a ? point_at(job, x - dx, y - dy, before) : p;
    Vec3 to = a < edge || a <= b ? point_at(job, x + dx, y + dy, after) : p;
    return vec3_sub(to, from);
}

static Vec3 normal_at(const LiquidPixels* job, int x, int y, Vec3 p)
{
    Vec3 a = slope(job, x, y, 1, 0, p), b = slope(job, x, y, 0, 1, p);
    Vec3 n = vec3_normalise((Vec3){b.y * a.z - b.z * a.y, b.z * a.x - b.x * a.z, b.x * a.y - b.y * a.x});
    return vec3_dot(n, p) > 0 ? vec3_scale(n, -1) : n;
}

static float thickness_at(const Liquid* l, int x, int y)
{
    // half-size pixels, between the four around
    float fx = ((float)x + 0.5f) / 2 + 0.5f, fy = ((float)y + 0.5f) / 2 + 0.5f;
    int ix = (int)fx, iy = (int)fy;
    const float* t = l->thickness[0] + (size_t)iy * (size_t)l->half_stride + (size_t)ix;
    float u = fx - (float)ix, v = fy - (float)iy;
    float top = t[0] + u * (t[1] - t[0]), bottom = t[l->half_stride] + u * (t[l->half_stride + 1] - t[l->half_stride]);
    return top + v * (bottom - top);
}

static Vec3 behind_at(const LiquidPixels* job, int x, int y)
{
    const uint8_t* c = job->behind + 3 * ((size_t)y * (size_t)job->picture->width + (size_t)x);
    return (Vec3){job->to_linear[c[0]], job->to_linear[c[1]], job->to_linear[c[2]]};
}

static float opaque_depth(const LiquidPixels* job, int x, int y)
{
    const View* o = job->s->opaque;
    return o->samples.depth[(size_t)(y * o->factor) * (size_t)o->samples.stride + (size_t)(x * o->factor)];
}

static float fresnel(float cosine, float ior)
{
    float c = sqrtf(1 - (1 - cosine * cosine) / (ior * ior));
    float a = (cosine - ior * c) / (cosine + ior * c), b = (ior * cosine - c) / (ior * cosine + c);
    return least(0.5f * (a * a + b * b), 1);
}

// Light bounces about in water before it leaves: even thin parts have a little colour [r].
static const float hidden_way = 4;
// Beyond this the picture behind is taken as it is there [r]: small waves would scatter it.
static const float longest_way = 16;
static const FluidPaint water = {{2, 0.7f, 0.4f}, 1.333f};

static const FluidPaint* paint_at(const LiquidPixels* job, int x, int y)
{
    const SampleBuffer* s = &job->s->liquid->view.samples;
    uint32_t id = s->id[(size_t)y * (size_t)s->stride + (size_t)x];
    if (!job->s->paint)
        return &water;
    return &job->s->paint[job->s->particles->fluid && id != ID_NONE ? job->s->particles->fluid[id] : 0];
}

// What the refracted ray meets in the picture behind.
static Vec3 refracted(const LiquidPixels* job, int x, int y, Vec3 p, Vec3 to, float length)
{
    const Camera* c = &job->camera;
    Vec3 q = vec3_mad(p, length, to);
    float scale = (float)c->focal / (c->orthographic ? 1 : most(q.z, 1e-6f));
    int qx = (int)((float)c->centre_x + q.x * scale), qy = (int)((float)c->centre_y + q.y * scale);
    bool outside = qx < 0 || qy < 0 || qx >= c->width || qy >= c->height;
    // something in front of the water is not behind it
    if (outside || opaque_depth(job, qx, qy) < p.z)
        return behind_at(job, x, y);
    return behind_at(job, qx, qy);
}

static Vec3 clear_colour(const LiquidPixels* job, int x, int y, Vec3 p, Vec3 n, float thickness)
{
    const LiquidShading* s = job->s;
    const FluidPaint* paint = paint_at(job, x, y);
    Vec3 d = job->camera.orthographic ? (Vec3){0, 0, 1} : vec3_normalise(p);
    float cosine = least(most(-vec3_dot(d, n), 0), 1), eta = 1 / paint->ior;
    float mirrored = fresnel(cosine, paint->ior);
    Vec3 up = vec3_mad(d, 2 * cosine, n);
    Vec3 sky = s->environment ? environment_mirrored(s->environment, to_world(&job->camera, up)) : (Vec3){1, 1, 1};
    // into the water
    float behind = sqrtf(most(1 - eta * eta * (1 - cosine * cosine), 0));
    Vec3 to = vec3_mad(vec3_scale(d, eta), eta * cosine - behind, n);
    Vec3 seen = refracted(job, x, y, p, to, least(thickness, longest_way * s->liquid->view.radius));
    Vec3 a = paint->absorption;
    float way = thickness + hidden_way * s->liquid->view.radius;
    Vec3 dimmed = {seen.x * expf(-a.x * way), seen.y * expf(-a.y * way), seen.z * expf(-a.z * way)};
    // light that comes down through the surface is brighter where it faces the lamp
    float lit = most(vec3_dot(n, s->light->to_key), 0);
    return vec3_mix(vec3_scale(dimmed, 0.8f + 0.25f * lit), sky, mirrored);
}

static Vec3 opaque_colour(const LiquidPixels* job, int x, int y, Vec3 p, Vec3 n)
{
    const LiquidShading* s = job->s;
    const Liquid* l = s->liquid;
    Vec3 albedo;
    if (s->particles->paint == PAINT_SCALAR) {
        float t = (l->value[l->current][liquid_index(l, x, y)] - s->range[0]) / (s->range[1] - s->range[0]);
        t = t > 0 ? (t < 1 ? t : 1) : 0;
        albedo = s->map->linear[(int)(t * (COLOUR_MAP_SIZE - 1) + 0.5f)];
    } else {
        const SampleBuffer* b = &l->view.samples;
        uint32_t id = b->id[(size_t)y * (size_t)b->stride + (size_t)x];
        albedo = colour_to_linear3(colour_of_fluid(s->particles->fluid && id != ID_NONE ? s->particles->fluid[id] : 0));
    }
    Fragment f = {p, n, ID_NONE};
    Shading shading = {.view = s->opaque, .light = s->light};
    return shade_lit(&shading, albedo, &f, (Reach){1, light_key_at(s->light, p, n, l->view.radius)}, 0.18f);
}

static void shade_pixel(const LiquidPixels* job, int x, int y, uint8_t* out)
{
    const Liquid* l = job->s->liquid;
    float z = depth_at(l, x, y), radius = l->view.radius;
    if (!(z < NOTHING) || z > opaque_depth(job, x, y) + 0.5f * radius)
        return;
    Vec3 p = point_at(job, x, y, z), n = normal_at(job, x, y, p), colour;
    float cover = 1;
    if (job->s->clear) {
        float thickness = thickness_at(l, x, y);
        colour = clear_colour(job, x, y, p, n, thickness);
        cover = least(thickness / (0.8f * radius), 1);
    } else {
        colour = opaque_colour(job, x, y, p, n);
    }
    colour = vec3_mix(behind_at(job, x, y), colour, cover);
    out[0] = gamma_byte(&job->gamma, colour.x);
    out[1] = gamma_byte(&job->gamma, colour.y);
    out[2] = gamma_byte(&job->gamma, colour.z);
}

static void shade_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const LiquidPixels* job = context;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < job->picture->width; x++)
            shade_pixel(job, x, y, job->picture->rgb + 3 * ((size_t)y * (size_t)job->picture->width + (size_t)x));
}

bool liquid_shade(const LiquidShading* shading, Picture* picture)
{
    size_t bytes = 3 * (size_t)picture->width * (size_t)picture->height;
    uint8_t* behind = malloc(bytes + 1);
    LiquidPixels* job = malloc(sizeof *job);
    if (behind && job) {
        memcpy(behind, picture->rgb, bytes);
        *job = (LiquidPixels){.s = shading, .picture = picture, .behind = behind, .camera = shading->liquid->view.samples.camera};
        for (int k = 0; k < 256; k++)
            job->to_linear[k] = colour_to_linear((float)k / 255);
        gamma_table_build(&job->gamma);
        parallel_for(shading->liquid->view.pool, (size_t)picture->height, 4, shade_rows, job);
    }
    bool ok = behind && job;
    free(behind);
    free(job);
    return ok;
}
