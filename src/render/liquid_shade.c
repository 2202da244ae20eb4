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
    Vec3 axis[3]; // of the camera: right, down, forward
} LiquidPixels;

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

static Vec3 to_world(const LiquidPixels* job, Vec3 v)
{
    return vec3_mad(vec3_mad(vec3_scale(job->axis[0], v.x), v.y, job->axis[1]), v.z, job->axis[2]);
}

static Vec3 point_at(const LiquidPixels* job, int x, int y, float z)
{
    return view_point(&job->s->liquid->view, (float)x + 0.5f, (float)y + 0.5f, z);
}

static float depth_at(const Liquid* l, int x, int y)
{
    return l->depth[l->current][liquid_index(l, x, y)];
}

static Vec3 normal_at(const LiquidPixels* job, int x, int y)
{
    const Liquid* l = job->s->liquid;
    size_t at = liquid_index(l, x, y);
    return (Vec3){l->normal[0][at], l->normal[1][at], l->normal[2][at]};
}

// `behind` [m]: depth of what is opaque there. Half-size pixels, between those of the four around that have the same behind them.
static float thickness_at(const Liquid* l, int x, int y, float behind)
{
    float fx = ((float)x + 0.5f) / 2 + 0.5f, fy = ((float)y + 0.5f) / 2 + 0.5f, slack = liquid_slack * l->view.radius;
    int ix = (int)fx, iy = (int)fy;
    size_t at = (size_t)iy * (size_t)l->half_stride + (size_t)ix;
    float u = fx - (float)ix, v = fy - (float)iy, sum = 0, weights = 0, nearest = INFINITY, best = 0;
    for (int k = 0; k < 4; k++) {
        size_t q = at + (size_t)(k & 1) + (k & 2 ? (size_t)l->half_stride : 0);
        float off = fabsf(l->behind[q] - behind), w = off < slack ? (k & 1 ? u : 1 - u) * (k & 2 ? v : 1 - v) + 1e-3f : 0;
        sum += w * l->thickness[0][q];
        weights += w;
        best = off < nearest ? l->thickness[0][q] : best;
        nearest = least(off, nearest);
    }
    return weights > 0 ? sum / weights : best;
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
static const float hidden_way = 6, rim_way = 10;
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

// What the refracted ray meets in the picture behind; where that is something else, behind so much liquid as is there.
static Vec3 refracted(const LiquidPixels* job, int x, int y, Vec3 p, Vec3 to, float length, float* thickness)
{
    const Camera* c = &job->camera;
    Vec3 q = vec3_mad(p, length, to);
    float scale = (float)c->focal / (c->orthographic ? 1 : most(q.z, 1e-6f));
    int qx = (int)((float)c->centre_x + q.x * scale), qy = (int)((float)c->centre_y + q.y * scale);
    bool outside = qx < 0 || qy < 0 || qx >= c->width || qy >= c->height;
    // something in front of the water is not behind it
    if (outside || opaque_depth(job, qx, qy) < p.z)
        return behind_at(job, x, y);
    const Liquid* l = job->s->liquid;
    float there = opaque_depth(job, qx, qy);
    if (fabsf(there - opaque_depth(job, x, y)) > liquid_slack * l->view.radius)
        *thickness = most(*thickness, thickness_at(l, qx, qy, least(there, NOTHING)));
    return behind_at(job, qx, qy);
}

// Whether the surface ends between a pixel and one beside it, as its slope on the other side does not explain.
static bool ends(float here, float beside, float opposite, float radius)
{
    return beside - here > 2 * radius + 2 * most(here - opposite, 0);
}

// Share of the directions in which the liquid ends within a particle's radius: there its skin is that of single particles, which
// would mirror the sky in white dashes.
static float rim_at(const LiquidPixels* job, int x, int y, float z)
{
    const Liquid* l = job->s->liquid;
    const Camera* c = &job->camera;
    float r = l->view.radius, reach = 1.2f * r * (float)c->focal / (c->orthographic ? 1 : z);
    int k = (int)least(most(reach, 1), LIQUID_BORDER - 1);
    float left = depth_at(l, x - k, y), right = depth_at(l, x + k, y), top = depth_at(l, x, y - k), bottom = depth_at(l, x, y + k);
    int count = ends(z, left, right, r) + ends(z, right, left, r) + ends(z, top, bottom, r) + ends(z, bottom, top, r);
    return least(0.5f * (float)count, 1);
}

// How far the surface turns within a distance of `fold_way` [r] around a pixel, as a length of the difference of normals.
static const float fold_way = 2.5f;

static float turn_at(const LiquidPixels* job, int x, int y, Vec3 p, Vec3 n)
{
    static const int side[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const Camera* c = &job->camera;
    float reach = fold_way * job->s->liquid->view.radius * (float)c->focal / (c->orthographic ? 1 : p.z), most_turn = 0;
    int step = (int)least(most(reach, 1), LIQUID_BORDER - 1);
    for (int k = 0; k < 4; k++) {
        int i = x + step * side[k][0], j = y + step * side[k][1];
        float z = depth_at(job->s->liquid, i, j);
        if (!(z < NOTHING) || i < 1 || j < 1 || i >= job->picture->width - 1 || j >= job->picture->height - 1)
            continue;
        Vec3 d = vec3_sub(normal_at(job, i, j), n);
        most_turn = most(most_turn, vec3_dot(d, d));
    }
    return sqrtf(most_turn);
}

// A lamp that is brighter than the sky is mirrored by what is nearly flat for some particles around. A fold within a few particles,
// as where the top of the water meets the wall of a tank, is round only because particles and the filter are as large as that: a
// sharp edge mirrors the lamp in no pixel, and the round one would draw white lines.
static Vec3 tame(const LiquidPixels* job, int x, int y, Vec3 p, Vec3 n, Vec3 sky)
{
    const float bright = 1.2f, flat = 0.15f;
    float top = most(sky.x, most(sky.y, sky.z));
    if (top <= bright)
        return sky;
    float t = turn_at(job, x, y, p, n) / flat, share = 1 / (1 + t * t * t * t);
    return vec3_scale(sky, (bright + share * (top - bright)) / top);
}

static Vec3 clear_colour(const LiquidPixels* job, int x, int y, Vec3 p, Vec3 n, float thickness)
{
    const LiquidShading* s = job->s;
    const FluidPaint* paint = paint_at(job, x, y);
    Vec3 d = job->camera.orthographic ? (Vec3){0, 0, 1} : vec3_normalise(p);
    float cosine = least(most(-vec3_dot(d, n), 0), 1), eta = 1 / paint->ior;
    // the rim of a drop shows what it bends round from below, which is darker than the sky
    float rim = rim_at(job, x, y, p.z), mirrored = fresnel(most(cosine, 0.15f), paint->ior) * (1 - 0.9f * rim);
    Vec3 up = vec3_mad(d, 2 * cosine, n);
    Vec3 sky = s->environment ? environment_mirrored(s->environment, to_world(job, up)) : (Vec3){1, 1, 1};
    sky = tame(job, x, y, p, n, sky);
    // into the water
    float behind = sqrtf(most(1 - eta * eta * (1 - cosine * cosine), 0));
    Vec3 to = vec3_mad(vec3_scale(d, eta), eta * cosine - behind, n);
    float radius = s->liquid->view.radius;
    Vec3 seen = refracted(job, x, y, p, to, least(thickness, longest_way * radius), &thickness);
    Vec3 a = paint->absorption;
    // drops and thin sheets are told from air by their rims
    rim *= most(1 - thickness / (6 * radius), 0);
    float way = thickness + (hidden_way + rim_way * rim) * radius;
    seen = vec3_scale(seen, 1 - 0.3f * rim * (1 - cosine));
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
    Vec3 p = point_at(job, x, y, z), n = normal_at(job, x, y), colour;
    float cover = 1;
    if (job->s->clear) {
        float thickness = thickness_at(l, x, y, least(opaque_depth(job, x, y), NOTHING));
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
        const Vec3d axis[3] = {job->camera.right, job->camera.down, job->camera.forward};
        for (int k = 0; k < 3; k++)
            job->axis[k] = to_vec3(axis[k]);
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
