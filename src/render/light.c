// SPDX-License-Identifier: MIT
// Ambient occlusion: taps on a spiral of radius R around the pixel, each seen point v away from the surface dims the sky by
//   max(v.n - bias, 0) / (v.v + eps) * max(1 - v.v/R^2, 0)^3
// (the estimator of McGuire, Mara, Luebke 2012, "Scalable ambient obscurance"). The spiral is turned from pixel to pixel in
// a 4 x 4 pattern, and a 4 x 4 box that stops at depth edges averages all turns: no noise is left, and no grain in films.
// Shadows: taps around the point's place in the map, turned by the same pattern.
#include "render/light.h"
#include "base/simd.h"

#include <string.h>

enum { PATTERN = 4, TURNS = PATTERN * PATTERN, SKY_TAPS = 10, KEY_TAPS = 6, MAX_TAP_PIXELS = 64 };

static const float golden_angle = 2.39996323f;

typedef struct TapTable {
    float sky[PATTERN][SKY_TAPS][2][LANES]; // by row of the pattern; in units of the radius
    float key[PATTERN][KEY_TAPS][2][LANES];
} TapTable;

// Tap k of `taps` of the spiral of a turn; `power` crowds the taps at the centre.
static void spiral_tap(float out[2][LANES], int lane, int k, int taps, int turn, float power)
{
    // neighbouring pixels get turns that are far apart
    static const int order[TURNS] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
    float share = ((float)order[turn] + 0.5f) / TURNS;
    float radius = powf(((float)k + share) / (float)taps, power), angle = golden_angle * (float)k + share * 6.2831853f;
    out[0][lane] = radius * cosf(angle);
    out[1][lane] = radius * sinf(angle);
}

static void tap_table_build(TapTable* table)
{
    for (int row = 0; row < PATTERN; row++)
        for (int lane = 0; lane < LANES; lane++) {
            int turn = row * PATTERN + lane % PATTERN;
            for (int k = 0; k < SKY_TAPS; k++)
                spiral_tap(table->sky[row][k], lane, k, SKY_TAPS, turn, 1.0f); // contacts matter most
            for (int k = 0; k < KEY_TAPS; k++)
                spiral_tap(table->key[row][k], lane, k, KEY_TAPS, turn, 0.5f); // even over the disc
        }
}

// --- shadow map

// Rows that take view-space points to samples of the shadow map.
static void shadow_transform(ShadowFrame* frame, const Camera* from)
{
    const Camera* to = &frame->camera;
    const Vec3d axis[3] = {to->right, to->down, to->forward};
    Vec3d eye = camera_view(to, from->eye);
    const double origin[3] = {eye.x, eye.y, eye.z}, centre[3] = {to->centre_x, to->centre_y, 0},
                 scale[3] = {to->focal, to->focal, 1};
    float* out = &frame->origin.x;
    for (int k = 0; k < 3; k++) {
        Vec3d v = vec3d_scale(camera_view_direction(from, axis[k]), scale[k]);
        frame->axis[k] = (Vec3){(float)v.x, (float)v.y, (float)v.z};
        out[k] = (float)(centre[k] + scale[k] * origin[k]);
    }
}

ShadowFrame shadow_frame(const Camera* view, Box3d box, Vec3d to_key, int size)
{
    Vec3d d = camera_view_direction(view, vec3d_normalise(to_key));
    Margins none = {0.01, 0.01, 0.01, 0.01};
    Vec3d up = fabs(to_key.y) < 0.99 * vec3d_length(to_key) ? vec3d(0, 1, 0) : vec3d(0, 0, 1);
    ShadowFrame frame = {.camera = camera_frame_orthographic(box, vec3d_scale(to_key, -1), up, size, size, none),
                         .to_key = {(float)d.x, (float)d.y, (float)d.z}};
    shadow_transform(&frame, view);
    return frame;
}

bool light_build(Light* light, const View* view, const SphereSet* sets, size_t set_count, const SolidItem* solids,
                 size_t solid_count, Box3d box, Vec3d to_key, int shadow_size, const CutAway* cut)
{
    light->frame = shadow_frame(&view->samples.camera, box, to_key, shadow_size);
    light->to_key = light->frame.to_key;
    light->sky_radius = 7 * view->radius;
    const Camera* camera = &light->frame.camera;
    View* s = &light->shadow;
    s->pool = view->pool;
    s->factor = 1;
    if (!sample_buffer_resize(&s->samples, camera) ||
        !sphere_list_build(&s->spheres, view->pool, sets, set_count, &s->samples, cut) ||
        !triangle_list_build(&s->triangles, view->pool, solids, solid_count, &s->samples, cut, true))
        return false;
    view_draw(s);
    light->has_shadow = true;
    return true;
}

// --- passes over the pixels, LANES at a time

// Surfaces that LANES neighbouring pixels of a row see.
typedef struct Batch {
    int x, y;
    float px[LANES], py[LANES], pz[LANES];
    float nx[LANES], ny[LANES], nz[LANES];
} Batch;

// Nearest whole number, for |a| < 2^22: adding 1.5 * 2^23 leaves no room for a fraction.
static F8 f8_round(F8 a)
{
    const F8 shift = f8_set(12582912.0f);
    return f8_sub(f8_add(a, shift), shift);
}

static F8 f8_within(F8 a, float low, float high)
{
    return f8_min(f8_max(a, f8_set(low)), f8_set(high));
}

static F8 f8_dot(F8 ax, F8 ay, F8 az, F8 bx, F8 by, F8 bz)
{
    return f8_mad(ax, bx, f8_mad(ay, by, f8_mul(az, bz)));
}

// image[y][x] for whole numbers x and y that lie within it.
static F8 f8_pixels(const float* image, int stride, F8 x, F8 y)
{
    float fx[LANES], fy[LANES], value[LANES];
    f8_store(fx, x);
    f8_store(fy, y);
    for (int k = 0; k < LANES; k++)
        value[k] = image[(size_t)((int)fy[k]) * (size_t)stride + (size_t)((int)fx[k])];
    return f8_load(value);
}

static void sky_light(const Light* light, const View* view, const Batch* b, float taps[SKY_TAPS][2][LANES], float out[LANES])
{
    static const float lane[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    const Camera* camera = &view->samples.camera;
    const bool orthographic = camera->orthographic;
    const F8 one = f8_set(1), factor = f8_set((float)(view->factor * light->step)), per_focal = f8_set(1 / (float)camera->focal);
    const F8 cx = f8_set((float)camera->centre_x - 0.5f), cy = f8_set((float)camera->centre_y - 0.5f);
    const F8 px = f8_load(b->px), py = f8_load(b->py), pz = f8_load(b->pz);
    const F8 nx = f8_load(b->nx), ny = f8_load(b->ny), nz = f8_load(b->nz);
    const F8 x0 = f8_add(f8_set((float)b->x), f8_load(lane)), y0 = f8_set((float)b->y);

    // metres per pixel, reach in pixels, and the radius that this is in metres
    F8 metres = f8_mul(f8_mul(factor, per_focal), orthographic ? one : pz);
    F8 reach = f8_min(f8_div(f8_set(light->sky_radius), metres), f8_set(MAX_TAP_PIXELS));
    F8 radius = f8_mul(reach, metres), rr = f8_mul(radius, radius), per_rr = f8_div(one, rr), bias = f8_mul(radius, f8_set(0.02f));
    F8 sum = f8_zero();
    for (int tap = 0; tap < SKY_TAPS; tap++) {
        F8 tx = f8_within(f8_add(x0, f8_round(f8_mul(reach, f8_load(taps[tap][0])))), 0, (float)(light->width - 1));
        F8 ty = f8_within(f8_add(y0, f8_round(f8_mul(reach, f8_load(taps[tap][1])))), 0, (float)(light->height - 1));
        F8 z = f8_pixels(light->depth, light->width, tx, ty), scale = f8_mul(per_focal, orthographic ? one : z);
        F8 vx = f8_sub(f8_mul(f8_sub(f8_mul(tx, factor), cx), scale), px);
        F8 vy = f8_sub(f8_mul(f8_sub(f8_mul(ty, factor), cy), scale), py);
        F8 vz = f8_sub(z, pz);
        F8 vv = f8_dot(vx, vy, vz, vx, vy, vz), fall = f8_max(f8_nmad(vv, per_rr, one), f8_zero());
        F8 rise = f8_max(f8_sub(f8_dot(vx, vy, vz, nx, ny, nz), bias), f8_zero());
        F8 dim = f8_div(f8_mul(rise, radius), f8_mad(rr, f8_set(0.01f), vv));
        sum = f8_mad(dim, f8_mul(fall, fall), sum);
    }
    F8 open = f8_max(f8_nmad(sum, f8_set(0.9f / SKY_TAPS), one), f8_zero());
    f8_store(out, f8_pick(f8_less(reach, f8_set(1.5f)), one, open));
}

// What clear spheres let through, where they are what is seen from the light.
static F8 clear_taps(const Light* light, F8 x, F8 y)
{
    const SampleBuffer* map = &light->shadow.samples;
    float fx[LANES], fy[LANES], value[LANES];
    f8_store(fx, x);
    f8_store(fy, y);
    for (int k = 0; k < LANES; k++)
        value[k] = map->id[(size_t)((int)fy[k]) * (size_t)map->stride + (size_t)((int)fx[k])] < light->clear_count ? 0.6f : 0;
    return f8_load(value);
}

static void key_light(const Light* light, const View* view, const Batch* b, float taps[KEY_TAPS][2][LANES], float out[LANES])
{
    const SampleBuffer* map = &light->shadow.samples;
    float focal = (float)map->camera.focal, texel = 1 / focal, radius = view->radius;
    // a soft edge of one and a half particles, but at least two samples wide
    const F8 spread = f8_set(most(1.5f * radius * focal, 2)), lift = f8_set(0.5f * radius + texel), one = f8_set(1);
    const F8 nx = f8_load(b->nx), ny = f8_load(b->ny), nz = f8_load(b->nz);
    F8 px = f8_mad(lift, nx, f8_load(b->px)), py = f8_mad(lift, ny, f8_load(b->py)), pz = f8_mad(lift, nz, f8_load(b->pz));
    F8 place[3];
    for (int k = 0; k < 3; k++) {
        Vec3 a = light->frame.axis[k];
        place[k] = f8_add(f8_dot(px, py, pz, f8_set(a.x), f8_set(a.y), f8_set(a.z)), f8_set((&light->frame.origin.x)[k]));
    }
    F8 z = f8_sub(place[2], f8_set(1.2f * radius + 2 * texel)), lit = f8_zero();
    for (int tap = 0; tap < KEY_TAPS; tap++) {
        F8 x = f8_mad(spread, f8_load(taps[tap][0]), place[0]), in_x = f8_within(x, 0, (float)(map->camera.width - 1));
        F8 y = f8_mad(spread, f8_load(taps[tap][1]), place[1]), in_y = f8_within(y, 0, (float)(map->camera.height - 1));
        F8 seen = f8_and(one, f8_less(z, f8_pixels(map->depth, map->stride, in_x, in_y)));
        if (light->clear_count)
            seen = f8_max(seen, clear_taps(light, in_x, in_y));
        // beyond the map there are no shadows
        seen = f8_pick(f8_not_zero(f8_sub(x, in_x)), one, seen);
        lit = f8_add(lit, f8_pick(f8_not_zero(f8_sub(y, in_y)), one, seen));
    }
    F8 facing = f8_dot(nx, ny, nz, f8_set(light->to_key.x), f8_set(light->to_key.y), f8_set(light->to_key.z));
    f8_store(out, f8_and(f8_mul(lit, f8_set(1.0f / KEY_TAPS)), f8_less(f8_zero(), facing)));
}

typedef struct GatherJob {
    Light* light;
    const View* view;
    TapTable taps;
} GatherJob;

static size_t sample_of(const Light* light, const View* view, int x, int y)
{
    int factor = view->factor * light->step;
    return (size_t)(y * factor) * (size_t)view->samples.stride + (size_t)(x * factor);
}

static void depth_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    GatherJob* job = context;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < job->light->width; x++)
            job->light->depth[(size_t)y * (size_t)job->light->width + (size_t)x] =
                least(job->view->samples.depth[sample_of(job->light, job->view, x, y)], NOTHING);
}

// False if none of the pixels sees anything. Lanes past the end of the row repeat the last pixel.
static bool batch_fill(Batch* b, const Light* light, const View* view, int x, int y)
{
    bool any = false;
    float factor = (float)(view->factor * light->step);
    b->x = x;
    b->y = y;
    for (int k = 0; k < LANES; k++) {
        int px = x + k < light->width ? x + k : light->width - 1;
        float z = light->depth[(size_t)y * (size_t)light->width + (size_t)px];
        Vec3 p = view_point(view, (float)px * factor + 0.5f, (float)y * factor + 0.5f, z);
        Fragment f = view_fragment(view, view->samples.id[sample_of(light, view, px, y)] & ~ID_GLASS, p);
        any |= z < NOTHING;
        b->px[k] = p.x;
        b->py[k] = p.y;
        b->pz[k] = p.z;
        b->nx[k] = f.normal.x;
        b->ny[k] = f.normal.y;
        b->nz[k] = f.normal.z;
    }
    return any;
}

static void gather_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    GatherJob* job = context;
    Light* light = job->light;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < light->width; x += LANES) {
            Batch batch;
            float sky[LANES], key[LANES];
            bool any = batch_fill(&batch, light, job->view, x, y);
            for (int k = 0; k < LANES; k++)
                sky[k] = key[k] = 1;
            if (any) {
                sky_light(light, job->view, &batch, job->taps.sky[y % PATTERN], sky);
                key_light(light, job->view, &batch, job->taps.key[y % PATTERN], key);
            }
            for (int k = 0; k < LANES && x + k < light->width; k++)
                light->raw[(size_t)y * (size_t)light->width + (size_t)(x + k)] = (Reach){sky[k], key[k]};
        }
}

static float edge_of_depth(const View* view, float z)
{
    return most(3 * view->radius, 0.01f * z);
}

static void smooth_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    GatherJob* job = context;
    const Light* light = job->light;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < light->width; x++) {
            size_t at = (size_t)y * (size_t)light->width + (size_t)x;
            float z = light->depth[at], sky = 0, key = 0, weight = 0;
            light->reach[at] = (Reach){1, 1};
            if (!(z < NOTHING))
                continue;
            float edge = edge_of_depth(job->view, z);
            for (int ty = y - PATTERN / 2; ty < y + PATTERN / 2; ty++)
                for (int tx = x - PATTERN / 2; tx < x + PATTERN / 2; tx++) {
                    if (tx < 0 || ty < 0 || tx >= light->width || ty >= light->height)
                        continue;
                    size_t tap = (size_t)ty * (size_t)light->width + (size_t)tx;
                    if (!(fabsf(light->depth[tap] - z) < edge))
                        continue;
                    sky += light->raw[tap].sky;
                    key += light->raw[tap].key;
                    weight += 1;
                }
            if (weight > 0)
                light->reach[at] = (Reach){sky / weight, key / weight};
        }
}

bool light_gather(Light* light, const View* view)
{
    light->step = light->step > 0 ? light->step : 1;
    int factor = view->factor * light->step;
    light->width = (view->samples.camera.width + factor - 1) / factor;
    light->height = (view->samples.camera.height + factor - 1) / factor;
    size_t pixels = (size_t)light->width * (size_t)light->height;
    if (!memory_reserve(NULL, &light->depth, &light->depth_capacity, 0, pixels, sizeof *light->depth) ||
        !memory_reserve(NULL, &light->raw, &light->raw_capacity, 0, pixels, sizeof *light->raw) ||
        !memory_reserve(NULL, &light->reach, &light->reach_capacity, 0, pixels, sizeof *light->reach))
        return false;
    GatherJob job = {.light = light, .view = view};
    tap_table_build(&job.taps);
    parallel_for(view->pool, (size_t)light->height, 16, depth_rows, &job);
    parallel_for(view->pool, (size_t)light->height, 8, gather_rows, &job);
    parallel_for(view->pool, (size_t)light->height, 8, smooth_rows, &job);
    return true;
}

void light_free(Light* light)
{
    view_free(&light->shadow);
    memory_give(NULL, light->depth);
    memory_give(NULL, light->raw);
    memory_give(NULL, light->reach);
    *light = (Light){0};
}

Reach light_at(const Light* light, int x, int y, float z)
{
    x >>= light->step - 1; // the step is 1 or 2, and a division per pixel would show
    y >>= light->step - 1;
    size_t at = (size_t)y * (size_t)light->width + (size_t)x, best = at;
    float off = fabsf(light->depth[at] - z);
    if (off < 0.01f * z)
        return light->reach[at];
    for (int ty = y - 1; ty <= y + 1; ty++)
        for (int tx = x - 1; tx <= x + 1; tx++) {
            if (tx < 0 || ty < 0 || tx >= light->width || ty >= light->height)
                continue;
            size_t tap = (size_t)ty * (size_t)light->width + (size_t)tx;
            float difference = fabsf(light->depth[tap] - z);
            if (difference < off) {
                off = difference;
                best = tap;
            }
        }
    return light->reach[best];
}

float light_key_at(const Light* light, Vec3 p, Vec3 n, float radius)
{
    static const float tap[4][2] = {{-0.7f, -0.7f}, {0.7f, -0.7f}, {-0.7f, 0.7f}, {0.7f, 0.7f}};
    const SampleBuffer* map = &light->shadow.samples;
    float focal = (float)map->camera.focal, texel = 1 / focal, spread = most(1.5f * radius * focal, 2), lit = 0;
    if (vec3_dot(n, light->to_key) <= 0)
        return 0;
    p = vec3_mad(p, radius + texel, n);
    float x = vec3_dot(p, light->frame.axis[0]) + light->frame.origin.x;
    float y = vec3_dot(p, light->frame.axis[1]) + light->frame.origin.y;
    float z = vec3_dot(p, light->frame.axis[2]) + light->frame.origin.z - 1.2f * radius - 2 * texel;
    for (int k = 0; k < 4; k++) {
        float tx = x + spread * tap[k][0], ty = y + spread * tap[k][1];
        bool outside = !(tx >= 0 && ty >= 0 && tx < (float)map->camera.width && ty < (float)map->camera.height);
        lit += outside || z < map->depth[(size_t)ty * (size_t)map->stride + (size_t)tx] ? 0.25f : 0;
    }
    return lit;
}
