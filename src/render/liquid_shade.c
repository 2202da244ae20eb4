// SPDX-License-Identifier: MIT
// A pixel of a clear liquid: Fresnel's share of what the surface mirrors from the environment, and for the rest what the refracted
// ray finds in the picture of everything else, dimmed by Beer's law. What is not seen from the camera cannot be refracted; the ray
// ends where as much liquid as the pixel holds is behind it. Thin edges fade, which also smooths them.
#include "render/environment_lanes.h"
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
    V8 axis[3];                // of the camera: right, down, forward
    Vec3 fluid[UINT8_MAX + 1]; // MN_STYLE_SURFACE: colours of fluids, linear
} LiquidPixels;

// LANES pixels side by side.
typedef struct Wet {
    int x, y;
    F8 column, row;      // x and y as numbers
    V8 position, normal; // of the surface
    F8 opaque;           // [m] depth of what is behind
    V8 behind;           // its colour
    uint32_t id[LANES];  // nearest particle
} Wet;

static Vec3 to_vec3(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
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
static F8 thickness_at(const Liquid* l, F8 column, F8 row, F8 behind)
{
    F8 half = f8_set(0.5f), one = f8_set(1), slack = f8_set(liquid_slack * l->view.radius);
    F8 fx = f8_mad(half, column, f8_set(0.75f)), fy = f8_mad(half, row, f8_set(0.75f)), x = f8_floor(fx), y = f8_floor(fy);
    F8 u = f8_sub(fx, x), v = f8_sub(fy, y), sum = f8_zero(), weights = f8_zero(), nearest = f8_set(INFINITY), best = f8_zero();
    for (int k = 0; k < 4; k++) {
        I8 at = i8_place(k & 1 ? f8_add(x, one) : x, k & 2 ? f8_add(y, one) : y, (uint32_t)l->half_stride);
        F8 thickness = f8_gather(l->thickness[0], at), off = f8_positive(f8_sub(f8_gather(l->behind, at), behind));
        F8 share = f8_mul(k & 1 ? u : f8_sub(one, u), k & 2 ? v : f8_sub(one, v));
        F8 w = f8_and(f8_add(share, f8_set(1e-3f)), f8_less(off, slack));
        sum = f8_mad(w, thickness, sum);
        weights = f8_add(weights, w);
        best = f8_pick(f8_less(off, nearest), thickness, best);
        nearest = f8_min(off, nearest);
    }
    return f8_pick(f8_less(f8_zero(), weights), f8_div(sum, weights), best);
}

// The picture without the liquid at whole x and y.
static V8 behind_at(const LiquidPixels* job, F8 x, F8 y)
{
    uint32_t place[LANES];
    float lane[3][LANES];
    i8_store(place, i8_place(x, y, (uint32_t)job->picture->width));
    for (int k = 0; k < LANES; k++) {
        const uint8_t* c = job->behind + 3 * (size_t)place[k];
        for (int channel = 0; channel < 3; channel++)
            lane[channel][k] = job->to_linear[c[channel]];
    }
    return v8_load(lane);
}

static F8 opaque_at(const LiquidPixels* job, F8 x, F8 y)
{
    const View* o = job->s->opaque;
    F8 factor = f8_set((float)o->factor);
    return f8_min(f8_gather(o->samples.depth, i8_place(f8_mul(x, factor), f8_mul(y, factor), (uint32_t)o->samples.stride)),
                  f8_set(NOTHING));
}

static F8 fresnel(F8 cosine, F8 ior)
{
    F8 one = f8_set(1), c = f8_sqrt(f8_sub(one, f8_div(f8_nmad(cosine, cosine, one), f8_mul(ior, ior))));
    F8 a = f8_div(f8_nmad(ior, c, cosine), f8_mad(ior, c, cosine)),
       b = f8_div(f8_sub(f8_mul(ior, cosine), c), f8_mad(ior, cosine, c));
    return f8_min(f8_mul(f8_set(0.5f), f8_mad(a, a, f8_mul(b, b))), one);
}

// Light bounces about in water before it leaves: even thin parts have a little colour [r].
static const float hidden_way = 6, rim_way = 10;
// Of a dark liquid of large particles that would draw black outlines: exp(-extra_most) of a colour is left at the least, that
// squared at rims.
static const float extra_most = 0.2f;
// Beyond this the picture behind is taken as it is there [r]: small waves would scatter it.
static const float longest_way = 16;
static const FluidPaint water = {{2, 0.7f, 0.4f}, 1.333f};

// Absorption and refraction of the fluids that the pixels see.
static V8 paint_of(const LiquidPixels* job, const Wet* wet, F8* ior)
{
    const FluidPaint* paint = job->s->paint ? job->s->paint : &water;
    const uint8_t* fluid = job->s->paint ? job->s->particles->fluid : NULL;
    *ior = f8_set(paint->ior);
    if (!fluid)
        return v8_set(paint->absorption);
    float lane[3][LANES], index[LANES];
    for (int k = 0; k < LANES; k++) {
        const FluidPaint* p = &paint[wet->id[k] != ID_NONE ? fluid[wet->id[k]] : 0];
        lane[0][k] = p->absorption.x;
        lane[1][k] = p->absorption.y;
        lane[2][k] = p->absorption.z;
        index[k] = p->ior;
    }
    *ior = f8_load(index);
    return v8_load(lane);
}

// What the refracted ray meets in the picture behind; where that is something else, behind so much liquid as is there.
static V8 refracted(const LiquidPixels* job, const Wet* wet, V8 to, F8 length, F8* thickness)
{
    const Camera* c = &job->camera;
    const Liquid* l = job->s->liquid;
    V8 q = v8_mad(wet->position, length, to);
    F8 focal = f8_set((float)c->focal), scale = c->orthographic ? focal : f8_div(focal, f8_max(q.z, f8_set(1e-6f)));
    F8 x = f8_floor(f8_mad(q.x, scale, f8_set((float)c->centre_x))), y = f8_floor(f8_mad(q.y, scale, f8_set((float)c->centre_y)));
    F8 in_x = f8_within(x, 0, (float)(c->width - 1)), in_y = f8_within(y, 0, (float)(c->height - 1));
    F8 outside = f8_or(f8_not_zero(f8_sub(x, in_x)), f8_not_zero(f8_sub(y, in_y)));
    // something in front of the water is not behind it
    F8 there = opaque_at(job, in_x, in_y), straight = f8_or(outside, f8_less(there, wet->position.z));
    in_x = f8_pick(straight, wet->column, in_x);
    in_y = f8_pick(straight, wet->row, in_y);
    F8 other = f8_less(f8_set(liquid_slack * l->view.radius), f8_positive(f8_sub(there, wet->opaque)));
    other = f8_pick(straight, f8_zero(), other);
    if (f8_mask(other))
        *thickness = f8_pick(other, f8_max(*thickness, thickness_at(l, in_x, in_y, there)), *thickness);
    return behind_at(job, in_x, in_y);
}

// Whether the surface ends between a pixel and one beside it, as its slope on the other side does not explain.
static F8 ends(F8 here, F8 beside, F8 opposite, float radius)
{
    F8 slope = f8_max(f8_sub(here, opposite), f8_zero());
    return f8_and(f8_set(0.5f), f8_less(f8_mad(f8_set(2), slope, f8_set(2 * radius)), f8_sub(beside, here)));
}

// Share of the directions in which the liquid ends within a particle's radius: there its skin is that of single particles, which
// would mirror the sky in white dashes.
static F8 rim_at(const LiquidPixels* job, const Wet* wet)
{
    const Liquid* l = job->s->liquid;
    const Camera* c = &job->camera;
    float r = l->view.radius;
    F8 z = wet->position.z, reach = f8_div(f8_set(1.2f * r * (float)c->focal), c->orthographic ? f8_set(1) : z);
    F8 k = f8_floor(f8_within(reach, 1, LIQUID_BORDER - 1)), border = f8_set(LIQUID_BORDER);
    F8 x = f8_add(wet->column, border), y = f8_add(wet->row, border);
    const float* depth = l->depth[l->current];
    uint32_t stride = (uint32_t)l->stride;
    F8 left = f8_gather(depth, i8_place(f8_sub(x, k), y, stride)), right = f8_gather(depth, i8_place(f8_add(x, k), y, stride));
    F8 top = f8_gather(depth, i8_place(x, f8_sub(y, k), stride)), bottom = f8_gather(depth, i8_place(x, f8_add(y, k), stride));
    F8 share =
        f8_add(f8_add(ends(z, left, right, r), ends(z, right, left, r)), f8_add(ends(z, top, bottom, r), ends(z, bottom, top, r)));
    return f8_min(share, f8_set(1));
}

// How far the surface turns within a distance of `fold_way` [r] around a pixel, as a length of the difference of normals.
static const float fold_way = 2.5f;

static float turn_at(const LiquidPixels* job, int x, int y, float depth)
{
    static const int side[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const Camera* c = &job->camera;
    Vec3 n = normal_at(job, x, y);
    float reach = fold_way * job->s->liquid->view.radius * (float)c->focal / (c->orthographic ? 1 : depth), most_turn = 0;
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
static V8 tame(const LiquidPixels* job, const Wet* wet, F8 seen, V8 sky)
{
    const float bright = 1.2f, flat = 0.15f;
    F8 top = f8_max(sky.x, f8_max(sky.y, sky.z));
    unsigned lamps = f8_mask(f8_and(f8_less(f8_set(bright), top), seen));
    if (!lamps)
        return sky;
    float depth[LANES], light[LANES], scale[LANES];
    f8_store(depth, wet->position.z);
    f8_store(light, top);
    for (int k = 0; k < LANES; k++) {
        scale[k] = 1;
        if (!(lamps >> k & 1))
            continue;
        float t = turn_at(job, wet->x + k, wet->y, depth[k]) / flat, share = 1 / (1 + t * t * t * t);
        scale[k] = (bright + share * (light[k] - bright)) / light[k];
    }
    return v8_scale(sky, f8_load(scale));
}

static V8 mirrored_sky(const LiquidPixels* job, const Wet* wet, F8 seen, V8 d)
{
    if (!job->s->environment)
        return v8_set((Vec3){1, 1, 1});
    V8 to = v8_mad(v8_mad(v8_scale(job->axis[0], d.x), d.y, job->axis[1]), d.z, job->axis[2]);
    return tame(job, wet, seen, environment_mirrored_lanes(job->s->environment, to));
}

static F8 unseen_way(V8 absorbed, F8 rim, F8 radius)
{
    F8 way = f8_mul(f8_mad(f8_set(rim_way), rim, f8_set(hidden_way)), radius);
    F8 deepest = f8_max(f8_max(absorbed.x, absorbed.y), f8_max(absorbed.z, f8_set(1e-6f)));
    return f8_min(way, f8_div(f8_mad(f8_set(extra_most), rim, f8_set(extra_most)), deepest));
}

static V8 clear_colour(const LiquidPixels* job, const Wet* wet, F8 seen, F8 thickness)
{
    F8 ior, one = f8_set(1), radius = f8_set(job->s->liquid->view.radius);
    V8 absorbed = paint_of(job, wet, &ior), n = wet->normal;
    V8 d = job->camera.orthographic ? v8_set((Vec3){0, 0, 1}) : v8_normalise(wet->position);
    F8 cosine = f8_within(f8_negative(v8_dot(d, n)), 0, 1), eta = f8_div(one, ior);
    // the rim of a drop shows what it bends round from below, which is darker than the sky
    F8 rim = rim_at(job, wet), mirrored = f8_mul(fresnel(f8_max(cosine, f8_set(0.15f)), ior), f8_nmad(f8_set(0.9f), rim, one));
    V8 sky = mirrored_sky(job, wet, seen, v8_mad(d, f8_add(cosine, cosine), n));
    // into the water
    F8 bent = f8_sqrt(f8_max(f8_nmad(f8_mul(eta, eta), f8_nmad(cosine, cosine, one), one), f8_zero()));
    V8 to = v8_mad(v8_scale(d, eta), f8_sub(f8_mul(eta, cosine), bent), n);
    V8 behind = refracted(job, wet, to, f8_min(thickness, f8_mul(f8_set(longest_way), radius)), &thickness);
    // drops and thin sheets are told from air by their rims
    rim = f8_mul(rim, f8_max(f8_sub(one, f8_div(thickness, f8_mul(f8_set(6), radius))), f8_zero()));
    F8 way = f8_add(thickness, unseen_way(absorbed, rim, radius));
    behind = v8_scale(behind, f8_nmad(f8_mul(f8_set(0.3f), rim), f8_sub(one, cosine), one));
    V8 left = {f8_fade(f8_mul(absorbed.x, way)), f8_fade(f8_mul(absorbed.y, way)), f8_fade(f8_mul(absorbed.z, way))};
    // light that comes down through the surface is brighter where it faces the lamp
    F8 lit = f8_max(v8_dot(n, v8_set(job->s->light->to_key)), f8_zero());
    return v8_mix(v8_scale(v8_mul(behind, left), f8_mad(f8_set(0.25f), lit, f8_set(0.8f))), sky, mirrored);
}

static V8 opaque_colour(const LiquidPixels* job, const Wet* wet)
{
    const LiquidShading* s = job->s;
    const Liquid* l = s->liquid;
    float lane[3][LANES];
    for (int k = 0; k < LANES; k++) {
        Vec3 albedo;
        if (s->particles->paint == PAINT_SCALAR) {
            float t = (l->value[l->current][liquid_index(l, wet->x + k, wet->y)] - s->range[0]) / (s->range[1] - s->range[0]);
            t = t > 0 ? (t < 1 ? t : 1) : 0;
            albedo = s->map->linear[(int)(t * (COLOUR_MAP_SIZE - 1) + 0.5f)];
        } else {
            albedo = job->fluid[s->particles->fluid && wet->id[k] != ID_NONE ? s->particles->fluid[wet->id[k]] : 0];
        }
        lane[0][k] = albedo.x;
        lane[1][k] = albedo.y;
        lane[2][k] = albedo.z;
    }
    Shading shading = {.view = s->opaque, .light = s->light};
    F8 key = light_key_lanes(s->light, wet->position, wet->normal, l->view.radius);
    return shade_lit_lanes(&shading, v8_load(lane), wet->position, wet->normal, f8_set(1), key, 0.18f);
}

// What is at LANES pixels from x on. Those past the end of the row repeat its last pixel where they look at other pictures.
static Wet wet_pixels(const LiquidPixels* job, int x, int y, F8 z)
{
    const Liquid* l = job->s->liquid;
    const SampleBuffer* b = &l->view.samples;
    size_t at = liquid_index(l, x, y);
    F8 column = f8_add(f8_ramp(), f8_set((float)x)), half = f8_set(0.5f);
    F8 scale = job->camera.orthographic ? f8_set(1) : z;
    scale = f8_mul(scale, f8_set(1 / (float)job->camera.focal));
    Wet wet = {.x = x,
               .y = y,
               .column = f8_min(column, f8_set((float)(job->picture->width - 1))),
               .row = f8_set((float)y),
               .normal = {f8_load(l->normal[0] + at), f8_load(l->normal[1] + at), f8_load(l->normal[2] + at)}};
    wet.position.x = f8_mul(f8_sub(f8_add(column, half), f8_set((float)job->camera.centre_x)), scale);
    wet.position.y = f8_mul(f8_set((float)y + 0.5f - (float)job->camera.centre_y), scale);
    wet.position.z = z;
    wet.opaque = opaque_at(job, wet.column, wet.row);
    memcpy(wet.id, b->id + (size_t)y * (size_t)b->stride + (size_t)x, sizeof wet.id); // rows are whole tiles
    return wet;
}

static void shade_lanes(const LiquidPixels* job, int x, int y, uint8_t* out)
{
    const Liquid* l = job->s->liquid;
    F8 radius = f8_set(l->view.radius), z = f8_load(l->depth[l->current] + liquid_index(l, x, y)),
       there = f8_less(z, f8_set(NOTHING));
    if (x + LANES > job->picture->width)
        there = f8_and(there, f8_lanes((1u << (job->picture->width - x)) - 1));
    if (!f8_mask(there))
        return;
    Wet wet = wet_pixels(job, x, y, f8_pick(there, z, f8_set(1)));
    F8 seen = f8_and(there, f8_less(z, f8_mad(f8_set(0.5f), radius, wet.opaque)));
    unsigned lanes = f8_mask(seen);
    if (!lanes)
        return;
    F8 cover = f8_set(1);
    wet.behind = behind_at(job, wet.column, wet.row);
    V8 colour;
    if (job->s->clear) {
        F8 thickness = thickness_at(l, wet.column, wet.row, wet.opaque);
        colour = clear_colour(job, &wet, seen, thickness);
        cover = f8_min(f8_div(thickness, f8_mul(f8_set(0.8f), radius)), cover);
    } else {
        colour = opaque_colour(job, &wet);
    }
    float c[3][LANES];
    v8_store(c, v8_mix(wet.behind, colour, cover));
    for (int k = 0; k < LANES; k++)
        for (int channel = 0; channel < 3 && (lanes >> k & 1); channel++)
            out[3 * k + channel] = gamma_byte(&job->gamma, c[channel][k]);
}

static void shade_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const LiquidPixels* job = context;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < job->picture->width; x += LANES)
            shade_lanes(job, x, y, job->picture->rgb + 3 * ((size_t)y * (size_t)job->picture->width + (size_t)x));
}

bool liquid_shade(const LiquidShading* shading, Picture* picture)
{
    size_t bytes = 3 * (size_t)picture->width * (size_t)picture->height;
    uint8_t* behind = malloc(bytes + 1);
    LiquidPixels* job = memory_take(NULL, sizeof *job);
    if (behind && job) {
        memcpy(behind, picture->rgb, bytes);
        *job = (LiquidPixels){.s = shading, .picture = picture, .behind = behind, .camera = shading->liquid->view.samples.camera};
        const Vec3d axis[3] = {job->camera.right, job->camera.down, job->camera.forward};
        for (int k = 0; k < 3; k++)
            job->axis[k] = v8_set(to_vec3(axis[k]));
        for (int k = 0; k < 256; k++)
            job->to_linear[k] = colour_to_linear((float)k / 255);
        for (int k = 0; k <= UINT8_MAX && !shading->clear; k++)
            job->fluid[k] = colour_to_linear3(colour_of_fluid(k));
        gamma_table_build(&job->gamma);
        parallel_for(shading->liquid->view.pool, (size_t)picture->height, 4, shade_rows, job);
    }
    bool ok = behind && job;
    free(behind);
    memory_give(NULL, job);
    return ok;
}
