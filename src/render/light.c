// SPDX-License-Identifier: MIT
// Ambient occlusion: taps on a spiral of radius R around the pixel, each seen point v away from the surface dims the sky by
//   max(v.n - bias, 0) / (v.v + eps) * max(1 - v.v/R^2, 0)^3
// (the estimator of McGuire, Mara, Luebke 2012, "Scalable ambient obscurance"). The spiral is turned from pixel to pixel in
// a 4 x 4 pattern, and a 4 x 4 box that stops at depth edges averages all turns: no noise is left, and no grain in films.
// Shadows: taps around the point's place in the map, turned by the same pattern.
#include "render/light.h"

#include <string.h>

enum { PATTERN = 4, TURNS = PATTERN * PATTERN, SKY_TAPS = 10, KEY_TAPS = 6, MAX_TAP_PIXELS = 64, LANES = 8 };

static const float NOTHING = 1e15f; // depth where nothing is; its square is still a float

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
static void shadow_transform(Light* light, const Camera* from, const Camera* to)
{
    const Vec3d axis[3] = {to->right, to->down, to->forward};
    Vec3d eye = camera_view(to, from->eye);
    const double origin[3] = {eye.x, eye.y, eye.z}, centre[3] = {to->centre_x, to->centre_y, 0},
                 scale[3] = {to->focal, to->focal, 1};
    float* out = &light->shadow_origin.x;
    for (int k = 0; k < 3; k++) {
        Vec3d v = vec3d_scale(camera_view_direction(from, axis[k]), scale[k]);
        light->shadow_axis[k] = (Vec3){(float)v.x, (float)v.y, (float)v.z};
        out[k] = (float)(centre[k] + scale[k] * origin[k]);
    }
}

bool light_build(Light* light, const View* view, const SphereSet* sets, size_t set_count, const SolidItem* solids,
                 size_t solid_count, Box3d box, Vec3d to_key, int shadow_size, const CutAway* cut)
{
    Vec3d d = camera_view_direction(&view->samples.camera, vec3d_normalise(to_key));
    light->to_key = (Vec3){(float)d.x, (float)d.y, (float)d.z};
    light->sky_radius = 7 * view->radius;
    Margins none = {0.01, 0.01, 0.01, 0.01};
    Vec3d up = fabs(to_key.y) < 0.99 * vec3d_length(to_key) ? vec3d(0, 1, 0) : vec3d(0, 0, 1);
    Camera camera = camera_frame_orthographic(box, vec3d_scale(to_key, -1), up, shadow_size, shadow_size, none);
    View* s = &light->shadow;
    s->pool = view->pool;
    s->factor = 1;
    if (!sample_buffer_resize(&s->samples, &camera) ||
        !sphere_list_build(&s->spheres, view->pool, sets, set_count, &s->samples, cut) ||
        !triangle_list_build(&s->triangles, view->pool, solids, solid_count, &s->samples, true))
        return false;
    view_draw(s);
    shadow_transform(light, &view->samples.camera, &camera);
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

static void sky_light(const Light* light, const View* view, const Batch* b, float taps[SKY_TAPS][2][LANES], float out[LANES])
{
    const Camera* camera = &view->samples.camera;
    float focal = (float)camera->focal, factor = (float)view->factor, cx = (float)camera->centre_x, cy = (float)camera->centre_y;
    bool orthographic = camera->orthographic;
    float reach[LANES], radius[LANES], sum[LANES], z[LANES], qx[LANES], qy[LANES];
    int index[LANES];
    for (int k = 0; k < LANES; k++) {
        float pixels_per_metre = focal / factor / (orthographic ? 1 : b->pz[k]);
        reach[k] = least(light->sky_radius * pixels_per_metre, MAX_TAP_PIXELS);
        radius[k] = reach[k] / pixels_per_metre;
        sum[k] = 0;
    }
    for (int tap = 0; tap < SKY_TAPS; tap++) {
        for (int k = 0; k < LANES; k++) {
            int tx = b->x + k - 1024 + (int)(reach[k] * taps[tap][0][k] + 1024.5f);
            int ty = b->y - 1024 + (int)(reach[k] * taps[tap][1][k] + 1024.5f);
            tx = tx < 0 ? 0 : tx < light->width ? tx : light->width - 1;
            ty = ty < 0 ? 0 : ty < light->height ? ty : light->height - 1;
            index[k] = ty * light->width + tx;
            qx[k] = ((float)tx * factor + 0.5f - cx) / focal;
            qy[k] = ((float)ty * factor + 0.5f - cy) / focal;
        }
        for (int k = 0; k < LANES; k++)
            z[k] = light->depth[index[k]];
        for (int k = 0; k < LANES; k++) {
            float scale = orthographic ? 1 : z[k], rr = radius[k] * radius[k];
            float vx = qx[k] * scale - b->px[k], vy = qy[k] * scale - b->py[k], vz = z[k] - b->pz[k];
            float vv = vx * vx + vy * vy + vz * vz, fall = most(1 - vv / rr, 0);
            float rise = vx * b->nx[k] + vy * b->ny[k] + vz * b->nz[k] - 0.02f * radius[k];
            sum[k] += most(rise, 0) * radius[k] / (vv + 0.01f * rr) * fall * fall;
        }
    }
    for (int k = 0; k < LANES; k++)
        out[k] = reach[k] < 1.5f ? 1 : most(1 - 0.9f * sum[k] / SKY_TAPS, 0);
}

static void key_light(const Light* light, const View* view, const Batch* b, float taps[KEY_TAPS][2][LANES], float out[LANES])
{
    const SampleBuffer* map = &light->shadow.samples;
    float texel = 1 / (float)map->camera.focal, width = (float)map->camera.width, height = (float)map->camera.height;
    // a soft edge of one and a half particles, but at least two samples wide
    float spread = most(1.5f * view->radius * (float)map->camera.focal, 2), lift = 0.5f * view->radius + texel;
    float x[LANES], y[LANES], z[LANES], lit[LANES];
    int index[LANES];
    const Vec3 *ax = &light->shadow_axis[0], *ay = &light->shadow_axis[1], *az = &light->shadow_axis[2];
    for (int k = 0; k < LANES; k++) {
        float px = b->px[k] + lift * b->nx[k], py = b->py[k] + lift * b->ny[k], pz = b->pz[k] + lift * b->nz[k];
        x[k] = ax->x * px + ax->y * py + ax->z * pz + light->shadow_origin.x;
        y[k] = ay->x * px + ay->y * py + ay->z * pz + light->shadow_origin.y;
        z[k] = az->x * px + az->y * py + az->z * pz + light->shadow_origin.z - (1.2f * view->radius + 2 * texel);
        lit[k] = 0;
    }
    for (int tap = 0; tap < KEY_TAPS; tap++) {
        for (int k = 0; k < LANES; k++) {
            float fx = x[k] + spread * taps[tap][0][k], fy = y[k] + spread * taps[tap][1][k];
            bool in_map = (fx >= 0) & (fy >= 0) & (fx < width) & (fy < height);
            index[k] = in_map ? (int)fy * map->stride + (int)fx : -1;
        }
        for (int k = 0; k < LANES; k++)
            lit[k] += index[k] < 0 || z[k] < map->depth[index[k]] ? 1.0f : 0.0f;
    }
    for (int k = 0; k < LANES; k++) {
        float facing = b->nx[k] * light->to_key.x + b->ny[k] * light->to_key.y + b->nz[k] * light->to_key.z;
        out[k] = facing > 0 ? lit[k] / KEY_TAPS : 0;
    }
}

typedef struct GatherJob {
    Light* light;
    const View* view;
    TapTable taps;
} GatherJob;

static size_t sample_of(const View* view, int x, int y)
{
    return (size_t)(y * view->factor) * (size_t)view->samples.stride + (size_t)(x * view->factor);
}

static void depth_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    GatherJob* job = context;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < job->light->width; x++)
            job->light->depth[(size_t)y * (size_t)job->light->width + (size_t)x] =
                least(job->view->samples.depth[sample_of(job->view, x, y)], NOTHING);
}

// False if none of the pixels sees anything. Lanes past the end of the row repeat the last pixel.
static bool batch_fill(Batch* b, const Light* light, const View* view, int x, int y)
{
    bool any = false;
    b->x = x;
    b->y = y;
    for (int k = 0; k < LANES; k++) {
        int px = x + k < light->width ? x + k : light->width - 1;
        float z = light->depth[(size_t)y * (size_t)light->width + (size_t)px];
        Vec3 p = view_point(view, (float)(px * view->factor) + 0.5f, (float)(y * view->factor) + 0.5f, z);
        Fragment f = view_fragment(view, view->samples.id[sample_of(view, px, y)] & ~ID_GLASS, p);
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
    light->width = view->samples.camera.width / view->factor;
    light->height = view->samples.camera.height / view->factor;
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
