// SPDX-License-Identifier: MIT
// Pass 7:  C = (1 - iota) C_behind + iota (I_final - zeta_final),
//   zeta_final = clamp(zeta (white - C_shadow), 0, 1),   I_final = clamp(C_scale I, 0, 1).
// Foam is never darker than the colour of its shadow, also where little light reaches it. Colours are mixed as they are shown.
#include "base/clock.h"
#include "render/colour.h"
#include "render/foam_picture.h"
#include "render/view.h"

const char* const foam_pass_names[FOAM_PASSES] = {"composition", "depth",  "normal",    "thickness",
                                                  "intensity",   "shadow", "irradiance"};

enum { ROWS = 8 };

typedef struct Job {
    const FoamPicture* foam;
    const FoamInput* in;
    Picture* picture;
    FoamPass pass;
    float nearest, farthest; // [m] of the depth that is shown
} Job;

mn_FoamLook foam_look_complete(const mn_FoamLook* look, double radius, double fluid_size)
{
    mn_FoamLook full = *look;
    if (full.depth == MN_AUTO)
        full.depth = 0.25 * (fluid_size > 0 ? fluid_size : 100 * radius);
    if (full.occlusion_distance == MN_AUTO)
        full.occlusion_distance = 50 * radius;
    return full;
}

void foam_picture_free(FoamPicture* foam)
{
    void* arrays[] = {foam->depth,     foam->search,        foam->normal,        foam->thickness, foam->intensity, foam->shadow[0],
                      foam->shadow[1], foam->irradiance[0], foam->irradiance[1], foam->blur,      foam->seen};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(NULL, arrays[k]);
    foam_bins_free(&foam->bins);
    *foam = (FoamPicture){0};
}

static float clamp(float a)
{
    return a > 0 ? (a < 1 ? a : 1) : 0;
}

// Cells around a pixel and their weights; cells without foam count nothing. False: none of them has any.
typedef struct Cells {
    size_t at[4];
    float weight[4];
} Cells;

static bool cells_around(const FoamPicture* foam, int x, int y, Cells* out)
{
    float fx = ((float)x + 0.5f) / (float)foam->step - 0.5f, fy = ((float)y + 0.5f) / (float)foam->step - 0.5f, sum = 0;
    int ix = (int)floorf(fx), iy = (int)floorf(fy);
    for (int k = 0; k < 4; k++) {
        int cx = ix + k % 2, cy = iy + k / 2;
        cx = cx < 0 ? 0 : cx >= foam->coarse_width ? foam->coarse_width - 1 : cx;
        cy = cy < 0 ? 0 : cy >= foam->coarse_height ? foam->coarse_height - 1 : cy;
        float u = k % 2 ? fx - (float)ix : 1 - fx + (float)ix, v = k / 2 ? fy - (float)iy : 1 - fy + (float)iy;
        out->at[k] = (size_t)cy * (size_t)foam->coarse_width + (size_t)cx;
        out->weight[k] = foam->blur[out->at[k]] > 0 ? u * v + 1e-6f : 0;
        sum += out->weight[k];
    }
    for (int k = 0; k < 4 && sum > 0; k++)
        out->weight[k] /= sum;
    return sum > 0;
}

static float shadow_at(const FoamPicture* foam, const Cells* cells)
{
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += cells->weight[k] * foam->shadow[0][cells->at[k]];
    return sum;
}

static Vec3 irradiance_at(const FoamPicture* foam, const Cells* cells)
{
    Vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        sum = vec3_mad(sum, cells->weight[k], foam->irradiance[0][cells->at[k]]);
    return sum;
}

static float component(float behind, float iota, float light, float zeta, float shadow_colour)
{
    float dark = clamp(zeta * (1 - shadow_colour)), lit = most(light - dark, shadow_colour);
    return (1 - iota) * behind + iota * lit;
}

static Vec3 shown(const FoamInput* in, Vec3 irradiance)
{
    float scale = (float)in->look.brightness * in->exposure;
    return (Vec3){colour_to_srgb(clamp(scale * irradiance.x)), colour_to_srgb(clamp(scale * irradiance.y)),
                  colour_to_srgb(clamp(scale * irradiance.z))};
}

static void compose_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const FoamPicture* foam = job->foam;
    const mn_Vec3 dark = job->in->look.shadow_colour;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < foam->width; x++) {
            size_t at = (size_t)y * (size_t)foam->width + (size_t)x;
            float iota = foam->intensity[at];
            Cells cells;
            if (!(iota > 0) || !cells_around(foam, x, y, &cells))
                continue;
            float zeta = shadow_at(foam, &cells);
            Vec3 light = shown(job->in, irradiance_at(foam, &cells));
            uint8_t* rgb = job->picture->rgb + 3 * at;
            const float in[3] = {light.x, light.y, light.z}, colour[3] = {(float)dark.x, (float)dark.y, (float)dark.z};
            for (int k = 0; k < 3; k++)
                rgb[k] = (uint8_t)(255 * clamp(component((float)rgb[k] / 255, iota, in[k], zeta, colour[k])) + 0.5f);
        }
}

// --- passes shown

static Vec3 pass_colour(const Job* job, int x, int y, size_t at)
{
    const FoamPicture* foam = job->foam;
    Cells cells;
    float v = 0;
    bool any = foam->depth[at] < NOTHING;
    Vec3 n = foam->normal[at];
    switch (job->pass) {
    case FOAM_PASS_DEPTH:
        v = any ? 1 - 0.9f * (foam->depth[at] - job->nearest) / (job->farthest - job->nearest + 1e-6f * job->farthest) : 0;
        break;
    case FOAM_PASS_NORMAL:
        return any ? (Vec3){0.5f + 0.5f * n.x, 0.5f + 0.5f * n.y, 0.5f + 0.5f * n.z} : (Vec3){0, 0, 0};
    case FOAM_PASS_THICKNESS:
        v = foam->thickness[at] / 10;
        break;
    case FOAM_PASS_INTENSITY:
        v = foam->intensity[at];
        break;
    case FOAM_PASS_SHADOW:
        v = any && cells_around(foam, x, y, &cells) ? shadow_at(foam, &cells) : 0;
        break;
    case FOAM_PASS_IRRADIANCE:
        return any && cells_around(foam, x, y, &cells) ? shown(job->in, irradiance_at(foam, &cells)) : (Vec3){0, 0, 0};
    default:
        break;
    }
    return (Vec3){clamp(v), clamp(v), clamp(v)};
}

static void show_pass(Job* job)
{
    const FoamPicture* foam = job->foam;
    size_t pixels = (size_t)foam->width * (size_t)foam->height;
    job->nearest = NOTHING;
    job->farthest = 0;
    for (size_t k = 0; k < pixels; k++)
        if (foam->depth[k] < NOTHING) {
            job->nearest = least(job->nearest, foam->depth[k]);
            job->farthest = most(job->farthest, foam->depth[k]);
        }
    for (size_t k = 0; k < pixels; k++) {
        Vec3 c = pass_colour(job, (int)(k % (size_t)foam->width), (int)(k / (size_t)foam->width), k);
        const float v[3] = {c.x, c.y, c.z};
        for (int i = 0; i < 3; i++)
            job->picture->rgb[3 * k + (size_t)i] = (uint8_t)(255 * clamp(v[i]) + 0.5f);
    }
}

// --- the whole

void foam_pass_compose(const FoamPicture* foam, Pool* pool, const FoamInput* in, Picture* picture)
{
    Job job = {.foam = foam, .in = in, .picture = picture};
    parallel_for(pool, (size_t)foam->height, ROWS, compose_rows, &job);
}

bool foam_picture_draw(FoamPicture* foam, Pool* pool, const FoamInput* in, FoamPass pass, Picture* picture)
{
    double start = clock_seconds();
    if (!foam_pass_splat(foam, pool, in))
        return false;
    double splat = clock_seconds();
    if (!foam_pass_light(foam, pool, in))
        return false;
    foam_pass_blur(foam, pool);
    double light = clock_seconds();
    if (pass == FOAM_PASS_COMPOSITION) {
        foam_pass_compose(foam, pool, in, picture);
    } else {
        Job job = {.foam = foam, .in = in, .picture = picture, .pass = pass};
        show_pass(&job);
    }
    foam->seconds[0] = splat - start;
    foam->seconds[1] = light - splat;
    foam->seconds[2] = clock_seconds() - light;
    return true;
}
