// SPDX-License-Identifier: MIT
// Ambient occlusion: taps on a spiral of radius R around the pixel, each seen point v away from the surface dims the sky by
//   max(v.n - bias, 0) / (v.v + eps) * max(1 - v.v/R^2, 0)^3
// (the estimator of McGuire, Mara, Luebke 2012, "Scalable ambient obscurance"). The spiral is turned from pixel to pixel in
// a 4 x 4 pattern, and a 4 x 4 box that stops at depth edges averages all turns: no noise is left, and no grain in films.
// Shadows: taps around the point's place in the map, turned by the same pattern.
#include "render/light.h"
#include "render/lanes.h"

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

static F8 f8_dot(F8 ax, F8 ay, F8 az, F8 bx, F8 by, F8 bz)
{
    return f8_mad(ax, bx, f8_mad(ay, by, f8_mul(az, bz)));
}

static void sky_light(const Light* light, const View* view, const Batch* b, float taps[SKY_TAPS][2][LANES], float out[LANES])
{
    const Camera* camera = &view->samples.camera;
    const float* depth = light->depth + light_index(light, 0, 0);
    const bool orthographic = camera->orthographic;
    const F8 one = f8_set(1), factor = f8_set((float)(view->factor * light->step)), per_focal = f8_set(1 / (float)camera->focal);
    const F8 cx = f8_set((float)camera->centre_x - 0.5f), cy = f8_set((float)camera->centre_y - 0.5f);
    const F8 px = f8_load(b->px), py = f8_load(b->py), pz = f8_load(b->pz);
    const F8 nx = f8_load(b->nx), ny = f8_load(b->ny), nz = f8_load(b->nz);
    const F8 x0 = f8_add(f8_set((float)b->x), f8_ramp()), y0 = f8_set((float)b->y);

    // metres per pixel, reach in pixels, and the radius that this is in metres
    F8 metres = f8_mul(f8_mul(factor, per_focal), orthographic ? one : pz);
    F8 reach = f8_min(f8_div(f8_set(light->sky_radius), metres), f8_set(MAX_TAP_PIXELS));
    F8 radius = f8_mul(reach, metres), rr = f8_mul(radius, radius), per_rr = f8_div(one, rr), bias = f8_mul(radius, f8_set(0.02f));
    F8 sum = f8_zero();
    for (int tap = 0; tap < SKY_TAPS; tap++) {
        F8 tx = f8_within(f8_add(x0, f8_round(f8_mul(reach, f8_load(taps[tap][0])))), 0, (float)(light->width - 1));
        F8 ty = f8_within(f8_add(y0, f8_round(f8_mul(reach, f8_load(taps[tap][1])))), 0, (float)(light->height - 1));
        F8 z = f8_gather(depth, i8_place(tx, ty, (uint32_t)light->stride)), scale = f8_mul(per_focal, orthographic ? one : z);
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

// Whether all taps lie on one side of the map, beyond which there are no shadows.
static bool is_beyond(F8 place, F8 spread, int size)
{
    unsigned before = f8_mask(f8_less(f8_add(place, spread), f8_zero()));
    return before == 255 || f8_mask(f8_less(f8_set((float)size), f8_sub(place, spread))) == 255;
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
    F8 facing = f8_less(f8_zero(), f8_dot(nx, ny, nz, f8_set(light->to_key.x), f8_set(light->to_key.y), f8_set(light->to_key.z)));
    if (is_beyond(place[0], spread, map->camera.width) || is_beyond(place[1], spread, map->camera.height)) {
        f8_store(out, f8_and(one, facing));
        return;
    }
    for (int tap = 0; tap < KEY_TAPS; tap++) {
        F8 x = f8_mad(spread, f8_load(taps[tap][0]), place[0]), in_x = f8_within(x, 0, (float)(map->camera.width - 1));
        F8 y = f8_mad(spread, f8_load(taps[tap][1]), place[1]), in_y = f8_within(y, 0, (float)(map->camera.height - 1));
        F8 seen = f8_and(one, f8_less(z, f8_gather(map->depth, i8_place(in_x, in_y, (uint32_t)map->stride))));
        if (light->clear_count)
            seen = f8_max(seen, clear_taps(light, in_x, in_y));
        // beyond the map there are no shadows
        seen = f8_pick(f8_not_zero(f8_sub(x, in_x)), one, seen);
        lit = f8_add(lit, f8_pick(f8_not_zero(f8_sub(y, in_y)), one, seen));
    }
    f8_store(out, f8_and(f8_mul(lit, f8_set(1.0f / KEY_TAPS)), facing));
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

// Rows of cells. Borders get NOTHING, so that no tap there is taken for the same surface.
static void depth_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    GatherJob* job = context;
    Light* light = job->light;
    memset(light->busy + begin * (size_t)light->cells, 0, (end - begin) * (size_t)light->cells);
    int first = begin == 0 ? -LIGHT_BORDER : (int)begin * LIGHT_CELL, last = (int)end * LIGHT_CELL;
    for (int y = first; y < (last < light->height ? last : light->height + LIGHT_BORDER); y++) {
        bool inside = y >= 0 && y < light->height;
        float* depth = light->depth + light_index(light, 0, y);
        uint8_t* busy = light->busy + (inside ? (size_t)(y / LIGHT_CELL) * (size_t)light->cells : 0);
        for (int x = -LIGHT_BORDER; x < light->stride - LIGHT_BORDER; x++)
            if (!inside || x < 0 || x >= light->width)
                depth[x] = NOTHING;
        for (int x = 0; x < light->width && inside; x++) {
            size_t at = sample_of(light, job->view, x, y);
            depth[x] = least(job->view->samples.depth[at], NOTHING);
            busy[x / LIGHT_CELL] |= (job->view->samples.id[at] & ~ID_GLASS) != ID_NONE;
        }
    }
}

// Normals where all lanes see spheres.
static void sphere_normals(Batch* b, const View* view, const uint32_t id[LANES])
{
    F8 x, y, z, radius;
    f8_gather4(view->spheres.view, id, &x, &y, &z, &radius);
    x = f8_sub(f8_load(b->px), x);
    y = f8_sub(f8_load(b->py), y);
    z = f8_sub(f8_load(b->pz), z);
    F8 scale = f8_div(f8_set(1), f8_sqrt(f8_max(f8_dot(x, y, z, x, y, z), f8_set(1e-36f))));
    f8_store(b->nx, f8_mul(x, scale));
    f8_store(b->ny, f8_mul(y, scale));
    f8_store(b->nz, f8_mul(z, scale));
}

// False if none of the pixels sees anything. Lanes past the end of the row repeat the last pixel.
static bool batch_fill(Batch* b, const Light* light, const View* view, int x, int y)
{
    bool any = false, spheres = true;
    float factor = (float)(view->factor * light->step);
    uint32_t id[LANES];
    b->x = x;
    b->y = y;
    for (int k = 0; k < LANES; k++) {
        int px = x + k < light->width ? x + k : light->width - 1;
        float z = light->depth[light_index(light, px, y)];
        Vec3 p = view_point(view, (float)px * factor + 0.5f, (float)y * factor + 0.5f, z);
        id[k] = view->samples.id[sample_of(light, view, px, y)] & ~ID_GLASS;
        any |= z < NOTHING;
        spheres &= id[k] < ID_NONE;
        b->px[k] = p.x;
        b->py[k] = p.y;
        b->pz[k] = p.z;
    }
    if (any && spheres)
        sphere_normals(b, view, id);
    for (int k = 0; k < LANES && any && !spheres; k++) {
        Vec3 n = view_fragment(view, id[k], (Vec3){b->px[k], b->py[k], b->pz[k]}).normal;
        b->nx[k] = n.x;
        b->ny[k] = n.y;
        b->nz[k] = n.z;
    }
    return any;
}

// Whether anything but the ground is within the reach of occlusion: a plane does not take the sky from itself.
static bool is_near_things(const Light* light, const View* view, const Batch* b)
{
    const Camera* camera = &view->samples.camera;
    float nearest = b->pz[0];
    for (int k = 1; k < LANES; k++)
        nearest = least(nearest, b->pz[k]);
    float metres = (float)(view->factor * light->step) / (float)camera->focal * (camera->orthographic ? 1 : nearest);
    int reach = (int)least(light->sky_radius / metres, MAX_TAP_PIXELS) + 1, rows = (light->height - 1) / LIGHT_CELL;
    int x0 = (b->x > reach ? b->x - reach : 0) / LIGHT_CELL, x1 = (b->x + LANES + reach) / LIGHT_CELL;
    int y0 = (b->y > reach ? b->y - reach : 0) / LIGHT_CELL, y1 = (b->y + reach) / LIGHT_CELL;
    for (int y = y0; y <= y1 && y <= rows; y++)
        for (int x = x0; x <= x1 && x < light->cells; x++)
            if (light->busy[(size_t)y * (size_t)light->cells + (size_t)x])
                return true;
    return false;
}

static void gather_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    GatherJob* job = context;
    Light* light = job->light;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < light->width; x += LANES) {
            Batch batch;
            float *sky = light->raw[0] + light_index(light, x, y), *key = light->raw[1] + light_index(light, x, y);
            bool any = batch_fill(&batch, light, job->view, x, y);
            f8_store(sky, f8_set(1));
            f8_store(key, f8_set(1));
            if (any && is_near_things(light, job->view, &batch))
                sky_light(light, job->view, &batch, job->taps.sky[y % PATTERN], sky);
            if (any)
                key_light(light, job->view, &batch, job->taps.key[y % PATTERN], key);
        }
}

// LANES places from x on: the mean of those of 4 x 4 that see the same surface. Whether one of them is not in full light.
static bool smooth_lanes(const Light* light, const View* view, int x, int y)
{
    size_t at = light_index(light, x, y);
    F8 z = f8_load(light->depth + at), there = f8_less(z, f8_set(NOTHING)), one = f8_set(1);
    F8 sky = f8_zero(), key = f8_zero(), weight = f8_zero();
    F8 edge = f8_max(f8_set(3 * view->radius), f8_mul(f8_set(0.01f), z)); // less than what is in the border
    for (int row = -PATTERN / 2; row < PATTERN / 2; row++)
        for (int k = -PATTERN / 2; k < PATTERN / 2; k++) {
            size_t tap = at + (size_t)((ptrdiff_t)row * light->stride + k);
            F8 same = f8_less(f8_positive(f8_sub(f8_load(light->depth + tap), z)), edge);
            sky = f8_add(sky, f8_and(f8_load(light->raw[0] + tap), same));
            key = f8_add(key, f8_and(f8_load(light->raw[1] + tap), same));
            weight = f8_add(weight, f8_and(one, same));
        }
    float reach[2][LANES];
    sky = f8_pick(there, f8_div(sky, weight), one);
    key = f8_pick(there, f8_div(key, weight), one);
    f8_store(reach[0], sky);
    f8_store(reach[1], key);
    for (int k = 0; k < LANES && x + k < light->width; k++)
        light->reach[at + (size_t)k] = (Reach){reach[0][k], reach[1][k]};
    return f8_mask(f8_or(f8_less(sky, one), f8_less(key, one))) != 0;
}

// Rows of cells; LANES places are one cell wide.
static void smooth_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    GatherJob* job = context;
    Light* light = job->light;
    for (size_t row = begin; row < end; row++)
        for (int cell = 0; cell < light->cells; cell++) {
            bool dim = false;
            int first = (int)row * LIGHT_CELL;
            for (int y = first; y < first + LIGHT_CELL && y < light->height; y++)
                dim |= smooth_lanes(light, job->view, cell * LANES, y);
            light->dim[row * (size_t)light->cells + (size_t)cell] = dim;
        }
}

static bool reserve_places(Light* light)
{
    light->stride = light->width + 2 * LIGHT_BORDER + LANES;
    light->cells = (light->width + LIGHT_CELL - 1) / LIGHT_CELL;
    size_t places = (size_t)light->stride * (size_t)(light->height + 2 * LIGHT_BORDER);
    size_t cells = (size_t)light->cells * (size_t)((light->height + LIGHT_CELL - 1) / LIGHT_CELL);
    return memory_reserve(NULL, &light->depth, &light->depth_capacity, 0, places, sizeof *light->depth) &&
           memory_reserve(NULL, &light->raw[0], &light->raw_capacity[0], 0, places, sizeof **light->raw) &&
           memory_reserve(NULL, &light->raw[1], &light->raw_capacity[1], 0, places, sizeof **light->raw) &&
           memory_reserve(NULL, &light->reach, &light->reach_capacity, 0, places, sizeof *light->reach) &&
           memory_reserve(NULL, &light->busy, &light->busy_capacity, 0, cells, sizeof *light->busy) &&
           memory_reserve(NULL, &light->dim, &light->dim_capacity, 0, cells, sizeof *light->dim);
}

bool light_gather(Light* light, const View* view)
{
    light->step = light->step > 0 ? light->step : 1;
    int factor = view->factor * light->step;
    light->width = (view->samples.camera.width + factor - 1) / factor;
    light->height = (view->samples.camera.height + factor - 1) / factor;
    if (!reserve_places(light))
        return false;
    GatherJob job = {.light = light, .view = view};
    size_t rows = (size_t)(light->height + LIGHT_CELL - 1) / LIGHT_CELL;
    tap_table_build(&job.taps);
    parallel_for(view->pool, rows, 2, depth_rows, &job);
    parallel_for(view->pool, (size_t)light->height, 8, gather_rows, &job);
    parallel_for(view->pool, rows, 1, smooth_rows, &job);
    return true;
}

void light_free(Light* light)
{
    view_free(&light->shadow);
    memory_give(NULL, light->depth);
    memory_give(NULL, light->raw[0]);
    memory_give(NULL, light->raw[1]);
    memory_give(NULL, light->reach);
    memory_give(NULL, light->busy);
    memory_give(NULL, light->dim);
    *light = (Light){0};
}

Reach light_at(const Light* light, int x, int y, float z)
{
    x >>= light->step - 1; // the step is 1 or 2, and a division per pixel would show
    y >>= light->step - 1;
    size_t at = light_index(light, x, y), best = at;
    float off = fabsf(light->depth[at] - z);
    if (off < 0.01f * z)
        return light->reach[at];
    for (int ty = y - 1; ty <= y + 1; ty++)
        for (int tx = x - 1; tx <= x + 1; tx++) {
            if (tx < 0 || ty < 0 || tx >= light->width || ty >= light->height)
                continue;
            size_t tap = light_index(light, tx, ty);
            float difference = fabsf(light->depth[tap] - z);
            if (difference < off) {
                off = difference;
                best = tap;
            }
        }
    return light->reach[best];
}

void light_at_lanes(const Light* light, int x, int y, F8 z, F8* sky, F8* key)
{
    float depth[LANES], lane[2][LANES];
    f8_store(depth, z);
    for (int k = 0; k < LANES; k++) {
        Reach r = light_at(light, x + k < light->width * light->step ? x + k : x, y, depth[k]);
        lane[0][k] = r.sky;
        lane[1][k] = r.key;
    }
    *sky = f8_load(lane[0]);
    *key = f8_load(lane[1]);
}

F8 light_key_lanes(const Light* light, V8 p, V8 n, float radius)
{
    static const float tap[4][2] = {{-0.7f, -0.7f}, {0.7f, -0.7f}, {-0.7f, 0.7f}, {0.7f, 0.7f}};
    const SampleBuffer* map = &light->shadow.samples;
    float focal = (float)map->camera.focal, texel = 1 / focal, spread = most(1.5f * radius * focal, 2);
    float right = (float)(map->camera.width - 1), bottom = (float)(map->camera.height - 1);
    F8 facing = f8_less(f8_zero(), v8_dot(n, v8_set(light->to_key))), lit = f8_zero(), place[3];
    p = v8_mad(p, f8_set(radius + texel), n);
    for (int k = 0; k < 3; k++)
        place[k] = f8_add(v8_dot(p, v8_set(light->frame.axis[k])), f8_set((&light->frame.origin.x)[k]));
    F8 z = f8_sub(place[2], f8_set(1.2f * radius + 2 * texel));
    for (int k = 0; k < 4; k++) {
        F8 x = f8_floor(f8_add(place[0], f8_set(spread * tap[k][0]))), y = f8_floor(f8_add(place[1], f8_set(spread * tap[k][1])));
        F8 in_x = f8_within(x, 0, right), in_y = f8_within(y, 0, bottom);
        F8 outside = f8_or(f8_not_zero(f8_sub(x, in_x)), f8_not_zero(f8_sub(y, in_y)));
        F8 open = f8_less(z, f8_gather(map->depth, i8_place(in_x, in_y, (uint32_t)map->stride)));
        lit = f8_add(lit, f8_and(f8_set(0.25f), f8_or(open, outside)));
    }
    return f8_and(lit, facing);
}
