// SPDX-License-Identifier: MIT
// Passes 3 to 5. Radii are r / ((id mod 5) + 1), half of it for bubbles. A particle is drawn by whoever draws a tile, in the order
// of the list, so sums have the same bits for any number of threads. A particle smaller than three quarters of a pixel is drawn as
// large as that and adds less, as its area does: the paper draws at least one pixel, and far foam would be the brighter the farther
// it is.
#include "render/foam_picture.h"

#include <string.h>

enum { GRAIN = 16384, KINDS = 3 };

static const float least_radius = 0.75f; // [pixels]

typedef struct Job {
    FoamPicture* foam;
    const FoamInput* in;
} Job;

static bool is_cut(const CutAway* cut, const float* p)
{
    return cut && cut->on && ((double)p[cut->axis] > cut->position) == cut->hide_above;
}

// --- particles to the screen

static void project_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const FoamInput* in = job->in;
    const Camera* c = in->camera;
    FoamPicture* foam = job->foam;
    float base = in->foam.radius * (float)in->look.radius, focal = (float)c->focal;
    Vec3 right = {(float)c->right.x, (float)c->right.y, (float)c->right.z},
         down = {(float)c->down.x, (float)c->down.y, (float)c->down.z},
         forward = {(float)c->forward.x, (float)c->forward.y, (float)c->forward.z};
    for (size_t i = begin; i < end; i++) {
        const float* p = in->foam.position + 3 * i;
        float dx = (float)((double)p[0] - c->eye.x), dy = (float)((double)p[1] - c->eye.y), dz = (float)((double)p[2] - c->eye.z);
        FoamSplat s = {right.x * dx + right.y * dy + right.z * dz, down.x * dx + down.y * dy + down.z * dz,
                       forward.x * dx + forward.y * dy + forward.z * dz, base / (float)(in->foam.id[i] % 5 + 1)};
        uint8_t kind = in->foam.kind[i];
        foam->rect[i] = tile_rect_none;
        foam->weight[i] = 0;
        if (kind == 2)
            s.r *= 0.5f;
        if (!(s.z - s.r > (float)c->nearest || c->orthographic) || is_cut(in->cut, p) || kind >= KINDS)
            continue;
        float scale = focal / (c->orthographic ? 1 : s.z), drawn = s.r * scale;
        float passed = 1 - in->foam.life[i], weight = passed < 1 ? powf(1 - passed * passed, 0.4f) : 0; // f(l, 1, 2, 0.4)
        if (drawn < least_radius) {
            float share = drawn / least_radius;
            weight *= share * share;
            s.r = least_radius / scale;
            drawn = least_radius;
        }
        float x = (float)c->centre_x + s.x * scale, y = (float)c->centre_y + s.y * scale;
        if (!(isfinite(x) && isfinite(y)))
            continue;
        foam->splat[i] = s;
        foam->weight[i] = weight;
        foam->rect[i] =
            tile_rect_of((double)(x - drawn), (double)(y - drawn), (double)(x + drawn), (double)(y + drawn), c->width, c->height);
    }
}

// --- a tile

typedef struct FoamTile {
    int x, y, wide, high;
    float depth[TILE][TILE], thickness[TILE][TILE];
    uint32_t id[TILE][TILE];
} FoamTile;

#define NOBODY UINT32_MAX

static void add_splat(const Job* job, FoamTile* tile, uint32_t i)
{
    const FoamInput* in = job->in;
    const Camera* c = in->camera;
    const mn_FoamLook* look = &in->look;
    FoamSplat s = job->foam->splat[i];
    float weight = job->foam->weight[i], scale = (float)c->focal / (c->orthographic ? 1 : s.z), r = s.r * scale, inverse = 1 / r;
    float cx = (float)c->centre_x + s.x * scale - (float)tile->x - 0.5f,
          cy = (float)c->centre_y + s.y * scale - (float)tile->y - 0.5f;
    int left = (int)most(ceilf(cx - r), 0), right = (int)least(floorf(cx + r), (float)(tile->wide - 1));
    int top = (int)most(ceilf(cy - r), 0), bottom = (int)least(floorf(cy + r), (float)(tile->high - 1));
    uint8_t kind = in->foam.kind[i];
    float fade = (float)look->depth, n = (float)look->depth_exponents[0], m = (float)look->depth_exponents[1];
    for (int y = top; y <= bottom; y++) {
        float v = ((float)y - cy) * inverse;
        size_t row = (size_t)(tile->y + y) * (size_t)c->width + (size_t)tile->x;
        for (int x = left; x <= right; x++) {
            float u = ((float)x - cx) * inverse, uu = u * u + v * v;
            if (!(uu < 1))
                continue;
            float z = s.z - s.r * sqrtf(1 - uu), behind = z - in->liquid_depth[row + (size_t)x];
            if (z > in->solid_depth[row + (size_t)x])
                continue;
            float adds = weight * foam_profile(kind, sqrtf(uu));
            if (behind > 0)
                adds *= foam_falloff(behind, fade, n, m);
            if (!(adds > 0))
                continue;
            tile->thickness[y][x] += adds;
            if (z < tile->depth[y][x]) {
                tile->depth[y][x] = z;
                tile->id[y][x] = i;
            }
        }
    }
}

// The normal of the sphere that is seen, in the world.
static Vec3 normal_of(const Camera* c, FoamSplat s, float px, float py)
{
    float scale = (float)c->focal / (c->orthographic ? 1 : s.z);
    float u = (px - (float)c->centre_x - s.x * scale) / (s.r * scale), v = (py - (float)c->centre_y - s.y * scale) / (s.r * scale);
    float w = sqrtf(most(1 - u * u - v * v, 0));
    Vec3d n = vec3d_mad(vec3d_mad(vec3d_scale(c->right, (double)u), (double)v, c->down), -(double)w, c->forward);
    return (Vec3){(float)n.x, (float)n.y, (float)n.z};
}

static void finish_tile(const Job* job, const FoamTile* tile)
{
    FoamPicture* foam = job->foam;
    for (int y = 0; y < tile->high; y++)
        for (int x = 0; x < tile->wide; x++) {
            size_t at = (size_t)(tile->y + y) * (size_t)foam->width + (size_t)(tile->x + x);
            uint32_t i = tile->id[y][x];
            foam->depth[at] = tile->depth[y][x];
            foam->thickness[at] = tile->thickness[y][x];
            foam->intensity[at] = i == NOBODY ? 0 : foam_intensity(&job->in->look, tile->thickness[y][x]);
            foam->search[at] = i == NOBODY ? 0 : foam->splat[i].r;
            foam->normal[at] =
                i == NOBODY ? (Vec3){0, 0, 0}
                            : normal_of(job->in->camera, foam->splat[i], (float)(tile->x + x) + 0.5f, (float)(tile->y + y) + 0.5f);
        }
}

static void draw_tiles(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    FoamPicture* foam = job->foam;
    size_t tiles_x = (size_t)(foam->width + TILE - 1) / TILE;
    for (size_t index = begin; index < end; index++) {
        FoamTile tile = {.x = (int)(index % tiles_x) * TILE, .y = (int)(index / tiles_x) * TILE};
        tile.wide = foam->width - tile.x < TILE ? foam->width - tile.x : TILE;
        tile.high = foam->height - tile.y < TILE ? foam->height - tile.y : TILE;
        for (int y = 0; y < TILE; y++)
            for (int x = 0; x < TILE; x++) {
                tile.depth[y][x] = NOTHING;
                tile.id[y][x] = NOBODY;
            }
        for (size_t k = foam->lists.start[index]; k < foam->lists.start[index + 1]; k++)
            add_splat(job, &tile, foam->lists.item[k]);
        finish_tile(job, &tile);
    }
}

static bool reserve(FoamPicture* foam, const FoamInput* in)
{
    size_t n = in->foam.count + 1, pixels = (size_t)in->camera->width * (size_t)in->camera->height;
    size_t* c = foam->pixel_capacity;
    return memory_reserve(NULL, &foam->splat, &foam->splat_capacity, 0, n, sizeof *foam->splat) &&
           memory_reserve(NULL, &foam->weight, &foam->weight_capacity, 0, n, sizeof *foam->weight) &&
           memory_reserve(NULL, &foam->rect, &foam->rect_capacity, 0, n, sizeof *foam->rect) &&
           memory_reserve(NULL, &foam->depth, &c[0], 0, pixels, sizeof *foam->depth) &&
           memory_reserve(NULL, &foam->search, &c[1], 0, pixels, sizeof *foam->search) &&
           memory_reserve(NULL, &foam->normal, &c[2], 0, pixels, sizeof *foam->normal) &&
           memory_reserve(NULL, &foam->thickness, &c[3], 0, pixels, sizeof *foam->thickness) &&
           memory_reserve(NULL, &foam->intensity, &c[4], 0, pixels, sizeof *foam->intensity);
}

bool foam_pass_splat(FoamPicture* foam, Pool* pool, const FoamInput* in)
{
    Job job = {foam, in};
    foam->width = in->camera->width;
    foam->height = in->camera->height;
    int tiles_x = (foam->width + TILE - 1) / TILE, tiles_y = (foam->height + TILE - 1) / TILE;
    if (!reserve(foam, in))
        return false;
    parallel_for(pool, in->foam.count, GRAIN, project_block, &job);
    if (!tile_lists_build(&foam->lists, pool, foam->rect, in->foam.count, tiles_x, tiles_y))
        return false;
    parallel_for(pool, (size_t)tiles_x * (size_t)tiles_y, 1, draw_tiles, &job);
    return true;
}
