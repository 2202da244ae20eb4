// SPDX-License-Identifier: MIT
// Passes 3 to 5. Radii are r / ((id mod 5) + 1), half of it for bubbles. A tile is drawn by one thread, in the order of its list,
// so sums have the same bits for any number of threads. Most splats of a large scene are hardly larger than a pixel: those are
// drawn eight splats at a time, each in the two by two pixels that it can touch; larger ones eight pixels at a time.
#include "render/foam_picture.h"

#include <string.h>

enum { PITCH = TILE + LANES, BATCH = 512 };
static const float NOBODY = -1; // w of the splat that is nearest where there is none

typedef struct Job {
    FoamPicture* foam;
    const FoamInput* in;
    FoamLens lens;
} Job;

// Of a pixel: x thickness, y depth of the nearest splat [m], z and w depths of liquid and solid [m].
typedef struct FoamTile {
    int x, y, wide, high;
    _Alignas(64) Vec4 pixel[TILE * PITCH];
    Vec4 nearest[TILE * PITCH]; // splat
    Vec4 batch[BATCH + LANES];  // splats that are drawn next
} FoamTile;

// --- what a splat adds to a pixel

// How much is seen of what is the share x of the depth behind the liquid's surface, for any exponents.
static F8 seen_by_powers(F8 x, float n, float m)
{
    float lane[LANES];
    f8_store(lane, x);
    for (int k = 0; k < LANES; k++)
        lane[k] = lane[k] < 1 ? powf(1 - powf(lane[k], n), m) : 0;
    return f8_load(lane);
}

// The same of what is `behind` [m] it; the exponents that are usual without powers.
static inline F8 seen_through(const mn_FoamLook* look, F8 behind)
{
    float n = (float)look->depth_exponents[0], m = (float)look->depth_exponents[1];
    F8 x = f8_min(f8_mul(f8_max(behind, f8_zero()), f8_set(1 / (float)look->depth)), f8_set(1)), left = f8_sub(f8_set(1), x);
    if (n == 1 && m == 1)
        return left;
    if (n == 1 && m == 2)
        return f8_mul(left, left);
    return seen_by_powers(x, n, m);
}

// Depths of the spheres at squares of shares of their radii, and what they add where liquid and solid are at these depths.
static F8 adds_at(const Job* job, const FoamShapes* s, F8 square, F8 liquid, F8 solid, F8* z)
{
    F8 within = f8_less(square, f8_set(1)), inside = f8_and(square, within);
    *z = f8_nmad(s->radius, f8_sqrt(f8_sub(f8_set(1), inside)), s->z);
    F8 adds = f8_mul(f8_mul(s->weight, foam_profiles(s, inside)), seen_through(&job->in->look, f8_sub(*z, liquid)));
    F8 hidden = f8_less(solid, *z);
    return f8_pick(hidden, f8_zero(), f8_and(adds, within));
}

static inline void add(FoamTile* tile, uint32_t pixel, float adds, float z, const Vec4* splat)
{
    Vec4* p = &tile->pixel[pixel];
    p->x += adds;
    if (z < p->y) {
        p->y = z;
        tile->nearest[pixel] = *splat;
    }
}

// --- small splats: pixels that their centres are less than one from

static F8 first_within(F8 centre, F8 radius)
{
    F8 zero = f8_zero();
    return f8_sub(zero, f8_floor(f8_sub(radius, centre))); // ceil(centre - radius)
}

static F8 is_between(F8 a, int end)
{
    return f8_and(f8_less(f8_set(-0.5f), a), f8_less(a, f8_set((float)end - 0.5f)));
}

static void add_small(const Job* job, FoamTile* tile, const FoamShapes* s, F8 is_small, const Vec4* first)
{
    F8 cx = f8_sub(s->x, f8_set((float)tile->x + 0.5f)), cy = f8_sub(s->y, f8_set((float)tile->y + 0.5f));
    F8 left = first_within(cx, s->drawn), top = first_within(cy, s->drawn), inverse = f8_div(f8_set(1), s->drawn);
    for (int corner = 0; corner < 4; corner++) {
        F8 px = f8_add(left, f8_set((float)(corner & 1))), py = f8_add(top, f8_set((float)(corner >> 1)));
        F8 u = f8_mul(f8_sub(px, cx), inverse), v = f8_mul(f8_sub(py, cy), inverse), square = f8_mad(u, u, f8_mul(v, v));
        F8 inside = f8_and(f8_and(is_between(px, tile->wide), is_between(py, tile->high)), is_small);
        inside = f8_and(inside, f8_less(square, f8_set(1)));
        if (!f8_mask(inside))
            continue;
        uint32_t index[LANES];
        i8_store(index, i8_of(f8_and(f8_mad(py, f8_set(PITCH), px), inside)));
        F8 thickness, depth, liquid, solid, z;
        f8_gather4(tile->pixel, index, &thickness, &depth, &liquid, &solid);
        F8 adds = adds_at(job, s, square, liquid, solid, &z);
        float adds_lane[LANES], z_lane[LANES];
        f8_store(adds_lane, adds);
        f8_store(z_lane, z);
        for (unsigned bits = f8_mask(f8_and(f8_less(f8_zero(), adds), inside)); bits; bits &= bits - 1) {
            int k = __builtin_ctz(bits);
            add(tile, index[k], adds_lane[k], z_lane[k], first + k);
        }
    }
}

// --- one larger splat

static float lane_of(F8 a, int k)
{
    float lanes[LANES];
    f8_store(lanes, a);
    return lanes[k];
}

static F8 same(F8 a, int k)
{
    return f8_set(lane_of(a, k));
}

static void add_row(const Job* job, FoamTile* tile, const FoamShapes* s, F8 square, uint32_t pixel, unsigned valid,
                    const Vec4* splat)
{
    F8 thickness, depth, liquid, solid, z;
    f8_load4(tile->pixel + pixel, &thickness, &depth, &liquid, &solid);
    F8 adds = adds_at(job, s, square, liquid, solid, &z);
    F8 counts = f8_and(f8_less(f8_zero(), adds), f8_lanes(valid)), nearer = f8_and(f8_less(z, depth), counts);
    if (!f8_mask(counts))
        return;
    f8_store4(tile->pixel + pixel, f8_add(thickness, f8_and(adds, counts)), f8_pick(nearer, z, depth), liquid, solid);
    for (unsigned bits = f8_mask(nearer); bits; bits &= bits - 1)
        tile->nearest[pixel + (uint32_t)__builtin_ctz(bits)] = *splat;
}

static void add_large(const Job* job, FoamTile* tile, const FoamShapes* all, int k, const Vec4* splat)
{
    FoamShapes s = {same(all->x, k),     same(all->y, k),      same(all->z, k),        same(all->radius, k),
                    same(all->drawn, k), same(all->weight, k), same(all->is_spray, k), same(all->is_foam, k)};
    float cx = lane_of(s.x, 0) - (float)tile->x - 0.5f, cy = lane_of(s.y, 0) - (float)tile->y - 0.5f, r = lane_of(s.drawn, 0);
    int left = (int)most(ceilf(cx - r), 0), right = (int)least(floorf(cx + r), (float)(tile->wide - 1));
    int top = (int)most(ceilf(cy - r), 0), bottom = (int)least(floorf(cy + r), (float)(tile->high - 1));
    F8 inverse = f8_set(1 / r);
    for (int y = top; y <= bottom; y++) {
        F8 v = f8_mul(f8_set((float)y - cy), inverse), vv = f8_mul(v, v);
        for (int x = left; x <= right; x += LANES) {
            F8 u = f8_mul(f8_add(f8_ramp(), f8_set((float)x - cx)), inverse);
            unsigned valid = right - x >= LANES - 1 ? 255 : (1u << (right - x + 1)) - 1;
            add_row(job, tile, &s, f8_mad(u, u, vv), (uint32_t)(y * PITCH + x), valid, splat);
        }
    }
}

// --- a tile

static void begin_tile(const Job* job, FoamTile* tile)
{
    size_t width = (size_t)job->foam->width;
    for (int y = 0; y < tile->high; y++)
        for (int x = 0; x < PITCH; x++) {
            size_t at = (size_t)(tile->y + y) * width + (size_t)(tile->x + x);
            bool is_inside = x < tile->wide;
            tile->pixel[y * PITCH + x] =
                (Vec4){0, NOTHING, is_inside ? job->in->liquid_depth[at] : NOTHING, is_inside ? job->in->solid_depth[at] : 0};
            tile->nearest[y * PITCH + x].w = NOBODY;
        }
}

static void add_batch(const Job* job, FoamTile* tile, size_t count)
{
    for (size_t k = 0; k < count; k += LANES) {
        const Vec4* splat = tile->batch + k;
        unsigned valid = count - k >= LANES ? 255 : (1u << (count - k)) - 1;
        FoamShapes s = foam_shapes(&job->lens, splat);
        F8 is_small = f8_less(s.drawn, f8_set(1));
        unsigned small = f8_mask(is_small) & valid;
        if (small)
            add_small(job, tile, &s, f8_and(is_small, f8_lanes(valid)), splat);
        for (unsigned bits = valid & ~small; bits; bits &= bits - 1)
            add_large(job, tile, &s, __builtin_ctz(bits), splat + __builtin_ctz(bits));
    }
}

// Block by block, which is the order of particles; runs of a few splats are gathered to batches, so that lanes are full.
static void add_splats(const Job* job, FoamTile* tile, size_t index)
{
    const FoamBins* bins = &job->foam->bins;
    size_t count = 0;
    memset(tile->batch, 0, sizeof tile->batch);
    for (size_t block = 0; block < bins->blocks; block++) {
        FoamRun run = foam_bins_run(bins, index, block);
        while (run.count) {
            size_t n = run.count < BATCH - count ? run.count : BATCH - count;
            memcpy(tile->batch + count, run.splat, n * sizeof *run.splat);
            run.splat += n;
            run.count -= n;
            count += n;
            if (count == BATCH) {
                add_batch(job, tile, count);
                count = 0;
            }
        }
    }
    add_batch(job, tile, count);
}

// The normal of the sphere that is seen, in the world.
static Vec3 normal_of(const Camera* c, float u, float v)
{
    float w = sqrtf(most(1 - u * u - v * v, 0));
    Vec3d n = vec3d_mad(vec3d_mad(vec3d_scale(c->right, (double)u), (double)v, c->down), -(double)w, c->forward);
    return (Vec3){(float)n.x, (float)n.y, (float)n.z};
}

static void finish_pixel(const Job* job, const FoamTile* tile, int x, int y)
{
    FoamPicture* foam = job->foam;
    size_t at = (size_t)(tile->y + y) * (size_t)foam->width + (size_t)(tile->x + x);
    Vec4 p = tile->pixel[y * PITCH + x];
    Vec4 splat = tile->nearest[y * PITCH + x];
    bool any = splat.w > NOBODY;
    foam->depth[at] = p.y;
    foam->thickness[at] = p.x;
    foam->intensity[at] = any ? foam_intensity(&job->in->look, p.x) : 0;
    foam->seen[at] = (Vec4){p.y, p.z, p.w, foam->intensity[at]};
    foam->search[at] = 0;
    foam->normal[at] = (Vec3){0, 0, 0};
    if (!any)
        return;
    Vec4 eight[LANES];
    for (int k = 0; k < LANES; k++)
        eight[k] = splat;
    FoamShapes s = foam_shapes(&job->lens, eight);
    float r = lane_of(s.drawn, 0);
    foam->search[at] = lane_of(s.radius, 0);
    foam->normal[at] =
        normal_of(job->in->camera, ((float)(tile->x + x) + 0.5f - splat.x) / r, ((float)(tile->y + y) + 0.5f - splat.y) / r);
}

static void draw_tiles(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    FoamPicture* foam = job->foam;
    const FoamBins* bins = &foam->bins;
    for (size_t index = begin; index < end; index++) {
        FoamTile tile;
        tile.x = (int)(index % (size_t)bins->tiles_x) * TILE;
        tile.y = (int)(index / (size_t)bins->tiles_x) * TILE;
        tile.wide = foam->width - tile.x < TILE ? foam->width - tile.x : TILE;
        tile.high = foam->height - tile.y < TILE ? foam->height - tile.y : TILE;
        begin_tile(job, &tile);
        add_splats(job, &tile, index);
        for (int y = 0; y < tile.high; y++)
            for (int x = 0; x < tile.wide; x++)
                finish_pixel(job, &tile, x, y);
    }
}

static bool reserve(FoamPicture* foam, const FoamInput* in)
{
    size_t pixels = (size_t)in->camera->width * (size_t)in->camera->height;
    size_t* c = foam->pixel_capacity;
    return memory_reserve(NULL, &foam->seen, &c[5], 0, pixels + LANES, sizeof *foam->seen) &&
           memory_reserve(NULL, &foam->depth, &c[0], 0, pixels, sizeof *foam->depth) &&
           memory_reserve(NULL, &foam->search, &c[1], 0, pixels, sizeof *foam->search) &&
           memory_reserve(NULL, &foam->normal, &c[2], 0, pixels, sizeof *foam->normal) &&
           memory_reserve(NULL, &foam->thickness, &c[3], 0, pixels, sizeof *foam->thickness) &&
           memory_reserve(NULL, &foam->intensity, &c[4], 0, pixels, sizeof *foam->intensity);
}

bool foam_pass_splat(FoamPicture* foam, Pool* pool, const FoamInput* in)
{
    Job job = {foam, in, {in->camera, in->cut, in->foam.radius * (float)in->look.radius}};
    foam->width = in->camera->width;
    foam->height = in->camera->height;
    if (!reserve(foam, in) || !foam_bins_build(&foam->bins, pool, &job.lens, &in->foam))
        return false;
    parallel_for(pool, (size_t)foam->bins.tiles_x * (size_t)foam->bins.tiles_y, 1, draw_tiles, &job);
    return true;
}
