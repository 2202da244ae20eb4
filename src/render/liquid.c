// SPDX-License-Identifier: MIT
// Particles side by side leave notches between them where the liquid ends, white ones in front of a bright background. So they are
// drawn larger by `closing`, and each pixel then takes the farthest depth within a disc of that radius around it: the outline moves
// back, but notches that are narrower than the disc stay closed (the closing of mathematical morphology).
// The filter is a Gaussian in x, then in y, twice, over samples at equal distances in space, and once more over pixels side by
// side. For a pixel at depth z a sample
//   farther than z + range belongs to something behind and is left out, together with its mirror image, so that edges stay;
//   nearer than z - slack belongs to something in front and counts as z - slack, so that edges do not bulge.
// Thickness: every particle adds its volume, 8 r^3, spread over a disc of 1.5 r by a parabola, to pixels where nothing opaque hides
// it; it is smoothed among pixels behind which is the same thing: water beside a body does not get thinner because there is less of
// it in front of the body.
#include "render/liquid.h"

#include <string.h>

enum { TAPS = 10, ROUNDS = 2, ROWS = 8 };

static const float filter_reach = 7.0f;  // [r] where the Gaussian ends, at two sigma
static const float filter_range = 6.0f;  // [r]
static const float filter_slack = 1.0f;  // [r]
static const float drawn_radius = 1.15f; // [r] closes the gaps between particles
static const float closing = 1.4f;       // [r]
static const float draft_closing = 0.5f; // [r]
static const float spread = 1.5f;        // [r] of a particle's thickness

typedef struct LiquidJob {
    Liquid* liquid;
    const LiquidInput* in;
    float radius;
    bool along_y; // direction of the filter
    bool fine;    // neighbouring pixels only: takes the traces of the taps away
    float weight[TAPS + 1];
} LiquidJob;

// --- memory

static bool reserve_images(Liquid* l, const LiquidInput* in)
{
    l->width = in->camera->width;
    l->height = in->camera->height;
    l->stride = l->width + 2 * LIQUID_BORDER + LANES;
    l->half_width = (l->width + 1) / 2;
    l->half_stride = l->half_width + 2 + LANES;
    size_t pixels = (size_t)l->stride * (size_t)(l->height + 2 * LIQUID_BORDER);
    size_t halves = (size_t)l->half_stride * (size_t)((l->height + 1) / 2 + 2);
    for (int k = 0; k < 2; k++)
        if (!memory_reserve(NULL, &l->depth[k], &l->depth_capacity[k], 0, pixels, sizeof(float)) ||
            !memory_reserve(NULL, &l->thickness[k], &l->thickness_capacity[k], 0, halves, sizeof(float)) ||
            (in->wants_values && !memory_reserve(NULL, &l->value[k], &l->value_capacity[k], 0, pixels, sizeof(float))))
            return false;
    for (int k = 0; k < 3 && in->wants_normals; k++)
        if (!memory_reserve(NULL, &l->normal[k], &l->normal_capacity[k], 0, pixels, sizeof(float)))
            return false;
    return memory_reserve(NULL, &l->behind, &l->behind_capacity, 0, halves, sizeof(float));
}

void liquid_free(Liquid* l)
{
    view_free(&l->view);
    for (int k = 0; k < 2; k++) {
        memory_give(NULL, l->depth[k]);
        memory_give(NULL, l->value[k]);
        memory_give(NULL, l->thickness[k]);
    }
    for (int k = 0; k < 3; k++)
        memory_give(NULL, l->normal[k]);
    memory_give(NULL, l->behind);
    *l = (Liquid){0};
}

// --- the nearest particles

// Rows with their borders; also those above and below the picture.
static void collect_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    LiquidJob* job = context;
    Liquid* l = job->liquid;
    const SampleBuffer* s = &l->view.samples;
    const float* scalar = job->in->particles->scalar;
    for (size_t row = begin; row < end; row++) {
        int y = (int)row - LIQUID_BORDER;
        bool inside = y >= 0 && y < l->height;
        for (int k = 0; k < 2; k++)
            for (int x = 0; x < l->stride; x++)
                l->depth[k][row * (size_t)l->stride + (size_t)x] = NOTHING;
        for (int x = 0; x < l->width && inside; x++) {
            size_t at = (size_t)y * (size_t)s->stride + (size_t)x;
            l->depth[0][liquid_index(l, x, y)] = least(s->depth[at], NOTHING);
            if (job->in->wants_values)
                l->value[0][liquid_index(l, x, y)] = s->id[at] != ID_NONE ? scalar[s->id[at]] : 0;
        }
    }
}

// --- closing

static float closing_of(const LiquidInput* in)
{
    return in->draft ? draft_closing : closing;
}

// [pixels] at depth z
static int reach_at(const LiquidJob* job, float z)
{
    const Camera* c = job->in->camera;
    float reach = closing_of(job->in) * job->radius * (float)c->focal / (c->orthographic ? 1 : z);
    return (int)least(reach, LIQUID_BORDER - 1); // rather less: a gap at a wall is seen, a bulge is not
}

// Large discs are looked at in steps: what is missed is a hole smaller than a twelfth of the disc.
static int step_of(int reach)
{
    return 1 + reach / 12;
}

static int half_width(int reach, int j)
{
    return (int)sqrtf((float)(reach * reach - j * j));
}

// At the edge of the picture, beyond which the liquid goes on.
static float farthest_within(const Liquid* l, int reach, int x, int y)
{
    float far = l->depth[0][liquid_index(l, x, y)];
    int step = step_of(reach);
    for (int j = -reach; j <= reach; j += step)
        for (int w = half_width(reach, j), i = -w; i <= w; i += step)
            if (x + i >= 0 && y + j >= 0 && x + i < l->width && y + j < l->height)
                far = most(far, l->depth[0][liquid_index(l, x + i, y + j)]);
    return far;
}

static F8 farthest_of_lanes(const Liquid* l, int reach, const float* from, F8 far)
{
    int step = step_of(reach);
    for (int j = -reach; j <= reach; j += step)
        for (int w = half_width(reach, j), i = -w; i <= w; i += step)
            far = f8_max(far, f8_load(from + (ptrdiff_t)j * l->stride + i));
    return far;
}

// LANES pixels from x on.
static void close_lanes(const LiquidJob* job, int x, int y)
{
    Liquid* l = job->liquid;
    size_t at = liquid_index(l, x, y);
    const float* from = l->depth[0] + at;
    float nearest = from[0], *to = l->depth[1] + at;
    for (int k = 1; k < LANES; k++)
        nearest = least(nearest, from[k]);
    F8 far = f8_load(from);
    if (nearest < NOTHING) {
        int reach = reach_at(job, nearest);
        if (x < reach || y < reach || x + LANES + reach > l->width || y + reach >= l->height) {
            for (int k = 0; k < LANES && x + k < l->width; k++)
                to[k] = farthest_within(l, reach, x + k, y);
            return;
        }
        far = farthest_of_lanes(l, reach, from, far);
    }
    f8_store(to, far);
}

static void close_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const LiquidJob* job = context;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < job->liquid->width; x += LANES)
            close_lanes(job, x, y);
}

// --- smoothing

// Distances of the taps in pixels for a surface at depth z; returns how many there are.
static int tap_offsets(const LiquidJob* job, float z, int offset[TAPS])
{
    const Camera* c = job->in->camera;
    float reach = filter_reach * job->radius * (float)c->focal / (c->orthographic ? 1 : z);
    reach = job->fine ? least(most(0.5f * reach, 2), 6) : least(most(reach, 2), LIQUID_BORDER - 1);
    int taps = reach < TAPS ? (int)reach : TAPS;
    for (int k = 0; k < taps; k++)
        offset[k] = (int)((float)(k + 1) * reach / (float)taps + 0.5f);
    return taps;
}

// LANES pixels from `at` on.
static void smooth_lanes(const LiquidJob* job, size_t at)
{
    Liquid* l = job->liquid;
    const float *from = l->depth[l->current], *values = job->in->wants_values ? l->value[l->current] : NULL;
    size_t step = job->along_y ? (size_t)l->stride : 1;
    F8 z = f8_load(from + at);
    float lane[LANES];
    f8_store(lane, z);
    float nearest = lane[0];
    for (int k = 1; k < LANES; k++)
        nearest = least(nearest, lane[k]);
    if (!(nearest < NOTHING)) {
        f8_store(l->depth[1 - l->current] + at, z);
        return;
    }
    int offset[TAPS], taps = tap_offsets(job, nearest, offset);
    const F8 far = f8_add(z, f8_set(filter_range * job->radius)), near = f8_sub(z, f8_set(filter_slack * job->radius));
    F8 sum = z, weight = f8_set(1), value = values ? f8_load(values + at) : f8_zero(), value_sum = value;
    for (int k = 0; k < taps; k++) {
        size_t o = (size_t)offset[k] * step;
        F8 a = f8_load(from + at - o), b = f8_load(from + at + o);
        F8 seen = f8_and(f8_and(f8_set(job->weight[(k + 1) * TAPS / taps]), f8_less(a, far)), f8_less(b, far));
        sum = f8_mad(seen, f8_add(f8_max(a, near), f8_max(b, near)), sum);
        weight = f8_mad(seen, f8_set(2), weight);
        if (values)
            value_sum = f8_mad(seen, f8_add(f8_load(values + at - o), f8_load(values + at + o)), value_sum);
    }
    F8 there = f8_less(z, f8_set(NOTHING));
    f8_store(l->depth[1 - l->current] + at, f8_pick(there, f8_div(sum, weight), z));
    if (values)
        f8_store(l->value[1 - l->current] + at, f8_pick(there, f8_div(value_sum, weight), value));
}

static void smooth_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const LiquidJob* job = context;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < job->liquid->width; x += LANES)
            smooth_lanes(job, liquid_index(job->liquid, x, y));
}

// Lanes past the end of a row may have written there what the next direction must not see: it is nothing again.
static void clear_margin(Liquid* l, float* image)
{
    for (int y = 0; y < l->height; y++)
        for (int x = l->width; x < l->width + LANES; x++)
            image[liquid_index(l, x, y)] = NOTHING;
}

static void close_surface(LiquidJob* job, Pool* pool)
{
    Liquid* l = job->liquid;
    parallel_for(pool, (size_t)l->height, ROWS, close_rows, job);
    clear_margin(l, l->depth[1]);
    l->current = 1;
    if (job->in->wants_values)
        memcpy(l->value[1], l->value[0], (size_t)l->stride * (size_t)(l->height + 2 * LIQUID_BORDER) * sizeof(float));
}

static void smooth_surface(LiquidJob* job, Pool* pool)
{
    Liquid* l = job->liquid;
    for (int k = 0; k <= TAPS; k++) {
        float t = 2.0f * (float)k / TAPS; // two sigma at the end
        job->weight[k] = expf(-0.5f * t * t);
    }
    int broad = job->in->draft ? 2 : 2 * ROUNDS;
    for (int round = 0; round < broad + 2; round++) {
        job->along_y = round % 2 == 1;
        job->fine = round >= broad;
        parallel_for(pool, (size_t)l->height, ROWS, smooth_rows, job);
        l->current = 1 - l->current;
        clear_margin(l, l->depth[l->current]);
    }
}

// --- normals of the smoothed surface

// The view-space points of LANES pixels at depths z: `u`, `v` are pixels from the middle, divided by the focal length.
static V8 points_at(bool orthographic, F8 u, F8 v, F8 z)
{
    return (V8){orthographic ? u : f8_mul(u, z), orthographic ? v : f8_mul(v, z), z};
}

// From the neighbour before to the one after; at an edge only one of them is of this surface.
static V8 slopes(V8 before, V8 here, V8 after, F8 edge)
{
    F8 b = f8_sub(before.z, here.z), a = f8_sub(after.z, here.z);
    b = f8_positive(b);
    a = f8_positive(a);
    F8 nearer = f8_less(b, a);
    V8 from = v8_pick(f8_or(f8_less(b, edge), nearer), before, here);
    V8 to = v8_pick(f8_pick(nearer, f8_less(a, edge), f8_lanes(255)), after, here);
    return v8_sub(to, from);
}

// LANES pixels from (x, y) on.
static void normal_lanes(const LiquidJob* job, int x, int y)
{
    Liquid* l = job->liquid;
    const Camera* c = job->in->camera;
    size_t at = liquid_index(l, x, y), row = (size_t)l->stride;
    const float* depth = l->depth[l->current] + at;
    F8 z = f8_load(depth);
    if (!f8_mask(f8_less(z, f8_set(NOTHING))))
        return;
    float step = 1 / (float)c->focal, top = ((float)y + 0.5f - (float)c->centre_y) * step;
    F8 u = f8_mul(f8_add(f8_ramp(), f8_set((float)x + 0.5f - (float)c->centre_x)), f8_set(step)), v = f8_set(top);
    const F8 edge = f8_set(2 * job->radius), one = f8_set(step);
    bool flat = c->orthographic;
    V8 p = points_at(flat, u, v, z);
    V8 a = slopes(points_at(flat, f8_sub(u, one), v, f8_load(depth - 1)), p, points_at(flat, f8_add(u, one), v, f8_load(depth + 1)),
                  edge);
    V8 b = slopes(points_at(flat, u, f8_sub(v, one), f8_load(depth - row)), p,
                  points_at(flat, u, f8_add(v, one), f8_load(depth + row)), edge);
    V8 n = {f8_nmad(b.z, a.y, f8_mul(b.y, a.z)), f8_nmad(b.x, a.z, f8_mul(b.z, a.x)), f8_nmad(b.y, a.x, f8_mul(b.x, a.y))};
    F8 squared = v8_dot(n, n), is_there = f8_less(f8_zero(), squared), scale = f8_div(f8_set(1), f8_sqrt(squared));
    scale = f8_pick(f8_less(f8_zero(), v8_dot(n, p)), f8_sub(f8_zero(), scale), scale); // towards the camera
    f8_store(l->normal[0] + at, f8_and(f8_mul(n.x, scale), is_there));
    f8_store(l->normal[1] + at, f8_and(f8_mul(n.y, scale), is_there));
    f8_store(l->normal[2] + at, f8_pick(is_there, f8_mul(n.z, scale), f8_set(-1)));
}

static void normal_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const LiquidJob* job = context;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < job->liquid->width; x += LANES)
            normal_lanes(job, x, y);
}

// --- thickness

// A tile of half-size pixels; rows have room for LANES more, which nobody reads.
enum { HALF_TILE = TILE / 2, HALF_ROW = HALF_TILE + LANES };

static void add_particle(const LiquidJob* job, Vec4 s, int x0, int y0, float behind[HALF_TILE][HALF_ROW],
                         float tile[HALF_TILE][HALF_ROW])
{
    const Camera* c = job->in->camera;
    float scale = (float)c->focal / (c->orthographic ? 1 : s.z);
    float cx = ((float)c->centre_x + s.x * scale - (float)x0) / 2 - 0.5f,
          cy = ((float)c->centre_y + s.y * scale - (float)y0) / 2 - 0.5f;
    // in half-size pixels; never so small that a particle falls between them
    float reach = most(spread * job->radius * scale / 2, 0.9f), per_rr = 1 / (reach * reach);
    float pixel = 2 / scale; // [m]
    float peak = 8 * job->radius * job->radius * job->radius * 2 * per_rr / (3.14159265f * pixel * pixel);
    int left = (int)most(ceilf(cx - reach), 0), right = (int)least(floorf(cx + reach), HALF_TILE - 1);
    int top = (int)most(ceilf(cy - reach), 0), bottom = (int)least(floorf(cy + reach), HALF_TILE - 1);
    const F8 per_way = f8_set(0.5f / job->radius), half = f8_set(0.5f), depth = f8_set(s.z);
    for (int x = left; x <= right; x += LANES) {
        F8 dx = f8_add(f8_ramp(), f8_set((float)x - cx)), across = f8_nmad(f8_mul(dx, dx), f8_set(per_rr), f8_set(1));
        for (int y = top; y <= bottom; y++) {
            float dy = (float)y - cy;
            F8 share = f8_max(f8_sub(across, f8_set(dy * dy * per_rr)), f8_zero());
            F8 seen = f8_within(f8_mad(f8_sub(f8_load(behind[y] + x), depth), per_way, half), 0, 1);
            f8_store(tile[y] + x, f8_mad(f8_mul(f8_set(peak), seen), share, f8_load(tile[y] + x)));
        }
    }
}

// Depth of what is opaque in the middle of a half-size pixel.
static float opaque_at(const LiquidJob* job, int x, int y)
{
    const View* o = job->in->opaque;
    int w = job->liquid->width, h = job->liquid->height;
    int px = 2 * x + 1 < w ? 2 * x + 1 : w - 1, py = 2 * y + 1 < h ? 2 * y + 1 : h - 1;
    return least(o->samples.depth[(size_t)(py * o->factor) * (size_t)o->samples.stride + (size_t)(px * o->factor)], NOTHING);
}

static void thicken_tile(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const LiquidJob* job = context;
    Liquid* l = job->liquid;
    const SphereList* spheres = &l->view.spheres;
    for (size_t index = begin; index < end; index++) {
        float tile[HALF_TILE][HALF_ROW], behind[HALF_TILE][HALF_ROW];
        memset(tile, 0, sizeof tile);
        memset(behind, 0, sizeof behind);
        int x0 = (int)(index % (size_t)l->view.samples.tiles_x) * TILE, y0 = (int)(index / (size_t)l->view.samples.tiles_x) * TILE;
        for (int y = 0; y < HALF_TILE; y++)
            for (int x = 0; x < HALF_TILE; x++)
                behind[y][x] = opaque_at(job, x0 / 2 + x, y0 / 2 + y);
        for (size_t k = spheres->lists.start[index]; k < spheres->lists.start[index + 1]; k++) {
            Vec4 s = spheres->view[spheres->lists.item[k]];
            if (s.w > 0)
                add_particle(job, s, x0, y0, behind, tile);
        }
        int wide = (l->width + 1) / 2 - x0 / 2, high = (l->height + 1) / 2 - y0 / 2;
        for (int y = 0; y < HALF_TILE && y < high; y++) {
            size_t at = (size_t)(y0 / 2 + y + 1) * (size_t)l->half_stride + (size_t)(x0 / 2 + 1);
            size_t bytes = sizeof(float) * (size_t)(wide < HALF_TILE ? wide : HALF_TILE);
            memcpy(l->thickness[0] + at, tile[y], bytes);
            memcpy(l->behind + at, behind[y], bytes);
        }
    }
}

// The mean of those of 3 x 3 that have the same behind them, from image 0 to image 1 and back.
static void blur_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const LiquidJob* job = context;
    Liquid* l = job->liquid;
    const F8 slack = f8_set(liquid_slack * job->radius), one = f8_set(1);
    size_t last = (size_t)l->half_width + 1; // lanes past the end write what fill_border() or nobody writes again
    for (size_t y = begin + 1; y < end + 1; y++)
        for (size_t x = 1; x < last; x += LANES) {
            size_t at = y * (size_t)l->half_stride + x;
            const float *p = l->thickness[job->along_y] + at, *b = l->behind + at;
            F8 sum = f8_zero(), count = f8_zero(), here = f8_load(b);
            for (int row = -l->half_stride; row <= l->half_stride; row += l->half_stride)
                for (int k = row - 1; k <= row + 1; k++) {
                    F8 same = f8_less(f8_positive(f8_sub(f8_load(b + k), here)), slack);
                    sum = f8_add(sum, f8_and(f8_load(p + k), same));
                    count = f8_add(count, f8_and(one, same));
                }
            f8_store(l->thickness[!job->along_y] + at, f8_div(sum, count));
        }
}

// The border repeats what is beside it.
static void fill_border(Liquid* l, float* image)
{
    size_t w = (size_t)l->half_stride, h = (size_t)((l->height + 1) / 2 + 2), last = (size_t)l->half_width + 1;
    for (size_t y = 1; y + 1 < h; y++) {
        image[y * w] = image[y * w + 1];
        for (size_t x = last; x < w; x++)
            image[y * w + x] = image[y * w + last - 1];
    }
    memcpy(image, image + w, w * sizeof *image);
    memcpy(image + (h - 1) * w, image + (h - 2) * w, w * sizeof *image);
}

static void find_thickness(LiquidJob* job, Pool* pool)
{
    Liquid* l = job->liquid;
    parallel_for(pool, (size_t)l->view.samples.tiles_x * (size_t)l->view.samples.tiles_y, 1, thicken_tile, job);
    for (int round = 0; round < 2; round++) {
        job->along_y = round == 1;
        fill_border(l, l->thickness[round]);
        fill_border(l, l->behind);
        parallel_for(pool, (size_t)(l->height + 1) / 2, ROWS, blur_rows, job);
    }
    fill_border(l, l->thickness[0]);
}

// --- the whole

bool liquid_build(Liquid* l, Pool* pool, const LiquidInput* in)
{
    View* view = &l->view;
    SphereSet set = in->particles->spheres;
    set.radius *= drawn_radius + closing_of(in);
    view->pool = pool;
    view->factor = 1;
    view->radius = (float)in->particle_radius;
    view->ground = false;
    if (!sample_buffer_resize(&view->samples, in->camera) ||
        !sphere_list_build(&view->spheres, pool, &set, 1, &view->samples, in->cut) ||
        !triangle_list_build(&view->triangles, pool, NULL, 0, &view->samples, NULL, false) || !reserve_images(l, in))
        return false;
    view_draw(view);
    LiquidJob job = {.liquid = l, .in = in, .radius = (float)in->particle_radius};
    parallel_for(pool, (size_t)(l->height + 2 * LIQUID_BORDER), ROWS, collect_rows, &job);
    close_surface(&job, pool);
    smooth_surface(&job, pool);
    if (in->wants_normals)
        parallel_for(pool, (size_t)l->height, ROWS, normal_rows, &job);
    if (in->wants_thickness)
        find_thickness(&job, pool);
    return true;
}
