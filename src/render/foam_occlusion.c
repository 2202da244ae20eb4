// SPDX-License-Identifier: MIT
// Pass 6. For pass a of the collection a pixel looks as far as (start + step a) times the radius of its particle, at samples s in a
// sphere around it; each counts (1 - |s|)^2, and it is in the dark as far as foam, liquid or a solid is in front of it there:
//   omega = sum lambda delta k a / sum lambda,   delta = max(1 - |z_there - z_s| / distance, 0)^2
//   zeta = clamp((omega scale)^exponent + offset, 0, 1)
// where a is the intensity of foam and the opacity of liquids and solids. The paper's k is written with an "or" between being
// behind something and 0 < delta < 1; its words, and sense, say "and".
//
// The result is blurred over more than a search radius in the end, so it is found for every fourth pixel in each direction only.
// Those that have no foam take the nearest of the sixteen that has.
//
// Irradiance: I = mean of P cos over the directions of the hemisphere around the normal. It depends on the normal alone, so it is
// found once for a few hundred normals and looked up, as the paper suggests.
#include "base/simd.h"
#include "render/foam_picture.h"
#include "render/view.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 4, MOST_SAMPLES = 4096, NORMALS = 16, ROWS = 2 };

static const float PI = 3.14159265f;

// --- samples

static float halton(int index, int base)
{
    float result = 0, share = 1;
    for (int i = index; i > 0; i /= base) {
        share /= (float)base;
        result += share * (float)(i % base);
    }
    return result;
}

int halton_samples(HaltonSample* out, int numbers)
{
    int count = 0;
    for (int k = 1; k <= numbers; k++) {
        Vec3 s = {2 * halton(k, 2) - 1, 2 * halton(k, 3) - 1, 2 * halton(k, 5) - 1};
        float length = sqrtf(vec3_dot(s, s));
        if (length < 1)
            out[count++] = (HaltonSample){s, (1 - length) * (1 - length), k};
    }
    return count;
}

// --- irradiance by normal

typedef struct IrradianceMap {
    Vec3 light[NORMALS][NORMALS]; // by octahedron
} IrradianceMap;

// A direction of the unit sphere as two numbers from -1 to 1, and back (octahedral map).
static Vec3 unfold(float u, float v)
{
    float z = 1 - fabsf(u) - fabsf(v);
    if (z < 0) {
        float fu = (1 - fabsf(v)) * (u < 0 ? -1 : 1), fv = (1 - fabsf(u)) * (v < 0 ? -1 : 1);
        u = fu;
        v = fv;
    }
    return vec3_normalise((Vec3){u, v, z});
}

static void fold(Vec3 n, float* u, float* v)
{
    float sum = fabsf(n.x) + fabsf(n.y) + fabsf(n.z), x = n.x / sum, y = n.y / sum;
    *u = n.z < 0 ? (1 - fabsf(y)) * (x < 0 ? -1 : 1) : x;
    *v = n.z < 0 ? (1 - fabsf(x)) * (y < 0 ? -1 : 1) : y;
}

// The mean of P cos over the hemisphere; suns, which have no size to be met by, in their exact share.
static Vec3 irradiance_of(const Environment* env, Vec3 n, const HaltonSample* sample, int count)
{
    if (!env)
        return (Vec3){0.5f, 0.5f, 0.5f};
    Vec3 sum = {0, 0, 0};
    for (int k = 0; k < count; k++) {
        Vec3 d = vec3_normalise(sample[k].at);
        float cosine = vec3_dot(d, n);
        sum = vec3_mad(sum, fabsf(cosine), environment_light(env, cosine < 0 ? vec3_scale(d, -1) : d));
    }
    sum = vec3_scale(sum, 1 / (float)count);
    for (int k = 0; k < env->sun_count; k++)
        sum = vec3_mad(sum, most(vec3_dot(n, env->sun[k].to), 0) / (2 * PI), env->sun[k].light);
    return sum;
}

static void irradiance_build(IrradianceMap* map, const Environment* env, const HaltonSample* sample, int count)
{
    for (int j = 0; j < NORMALS; j++)
        for (int i = 0; i < NORMALS; i++)
            map->light[j][i] =
                irradiance_of(env, unfold(2 * (float)i / (NORMALS - 1) - 1, 2 * (float)j / (NORMALS - 1) - 1), sample, count);
}

static Vec3 irradiance_at(const IrradianceMap* map, Vec3 n)
{
    float u, v;
    fold(n, &u, &v);
    u = least(most((u + 1) * 0.5f * (NORMALS - 1), 0), NORMALS - 1.001f);
    v = least(most((v + 1) * 0.5f * (NORMALS - 1), 0), NORMALS - 1.001f);
    int i = (int)u, j = (int)v;
    u -= (float)i;
    v -= (float)j;
    return vec3_mix(vec3_mix(map->light[j][i], map->light[j][i + 1], u),
                    vec3_mix(map->light[j + 1][i], map->light[j + 1][i + 1], u), v);
}

// --- occlusion

enum { SAMPLE_ROOM = MOST_SAMPLES + LANES };

typedef struct Job {
    FoamPicture* foam;
    const FoamInput* in;
    // samples in the unit sphere, one array per coordinate, and behind the last of them eight without weight
    float x[SAMPLE_ROOM], y[SAMPLE_ROOM], z[SAMPLE_ROOM], weight[SAMPLE_ROOM];
    int up_to[MOST_SAMPLES + 1]; // how many there are among the first so many numbers of the sequence
    IrradianceMap irradiance;
} Job;

static void samples_build(Job* job, const HaltonSample* sample, int count)
{
    for (int k = 0; k < count; k++) {
        job->x[k] = sample[k].at.x;
        job->y[k] = sample[k].at.y;
        job->z[k] = sample[k].at.z;
        job->weight[k] = sample[k].weight;
    }
    for (int n = 1, k = 0; n <= MOST_SAMPLES; n++) {
        while (k < count && sample[k].number <= n)
            k++;
        job->up_to[n] = k;
    }
}

// Opacity of what hides points at depths z in pixels.
static F8 hidden(const mn_FoamLook* look, F8 z, F8 foam, F8 liquid, F8 solid, F8 intensity)
{
    F8 one = f8_set(1);
    F8 opacity = f8_add(f8_and(intensity, f8_less(foam, z)), f8_and(f8_set((float)look->liquid_opacity), f8_less(liquid, z)));
    opacity = f8_add(opacity, f8_and(one, f8_less(solid, z)));
    F8 front = f8_min(foam, f8_min(liquid, solid));
    F8 behind = f8_max(f8_sub(z, front), f8_zero());
    F8 delta = f8_max(f8_nmad(behind, f8_set(1 / (float)look->occlusion_distance), one), f8_zero());
    return f8_mul(f8_mul(delta, delta), f8_min(opacity, one));
}

typedef struct Sums {
    F8 dark, all;
} Sums;

// Eight samples around p, in the space of the camera, from number k of `count` on; h [m] is how far the pass looks.
static void add_samples(const Job* job, Vec3 p, float h, int k, int count, Sums* sums)
{
    const FoamPicture* foam = job->foam;
    const Camera* c = job->in->camera;
    F8 sx = f8_mad(f8_load(job->x + k), f8_set(h), f8_set(p.x)), sy = f8_mad(f8_load(job->y + k), f8_set(h), f8_set(p.y));
    F8 sz = f8_mad(f8_load(job->z + k), f8_set(h), f8_set(p.z));
    F8 focal = f8_set((float)c->focal), to = c->orthographic ? focal : f8_div(focal, sz);
    F8 x = f8_mad(sx, to, f8_set((float)c->centre_x)), y = f8_mad(sy, to, f8_set((float)c->centre_y));
    // those outside of the picture and those behind the camera do not count
    F8 within = f8_and(f8_less(x, f8_set((float)foam->width)), f8_less(y, f8_set((float)foam->height)));
    F8 before = f8_or(f8_less(x, f8_zero()), f8_less(y, f8_zero()));
    if (!c->orthographic)
        before = f8_or(before, f8_less(sz, f8_set((float)c->nearest)));
    F8 weight = f8_pick(before, f8_zero(), f8_and(f8_load(job->weight + k), within));
    if (count - k < LANES)
        weight = f8_and(weight, f8_less(f8_ramp(), f8_set((float)(count - k))));
    F8 counts = f8_not_zero(weight);
    // a float tells pixels apart up to 16 million; larger pictures have their rows as whole numbers
    uint32_t column[LANES], row[LANES], at[LANES];
    i8_store(column, i8_of(f8_and(x, counts)));
    i8_store(row, i8_of(f8_and(y, counts)));
    for (int j = 0; j < LANES; j++)
        at[j] = row[j] * (uint32_t)foam->width + column[j];
    F8 seen_foam, seen_liquid, seen_solid, intensity;
    f8_gather4(foam->seen, at, &seen_foam, &seen_liquid, &seen_solid, &intensity);
    sums->all = f8_add(sums->all, weight);
    sums->dark = f8_mad(weight, hidden(&job->in->look, sz, seen_foam, seen_liquid, seen_solid, intensity), sums->dark);
}

static float occlusion_at(const Job* job, size_t pixel)
{
    const FoamPicture* foam = job->foam;
    const Camera* c = job->in->camera;
    const mn_FoamLook* look = &job->in->look;
    float z = foam->depth[pixel], scale = (float)c->focal / (c->orthographic ? 1 : z);
    float px = (float)(pixel % (size_t)foam->width) + 0.5f, py = (float)(pixel / (size_t)foam->width) + 0.5f;
    Vec3 p = {(px - (float)c->centre_x) / scale, (py - (float)c->centre_y) / scale, z};
    Sums sums = {f8_zero(), f8_zero()};
    for (int pass = 1; pass <= look->occlusion_passes; pass++) {
        float h = foam->search[pixel] * (float)(look->occlusion_start + look->occlusion_step * pass), on_screen = h * scale;
        float wanted = 0.75f * PI * on_screen * on_screen * on_screen * (float)look->occlusion_density;
        int numbers = (int)least(most(wanted, (float)look->occlusion_samples[0]), (float)look->occlusion_samples[1]);
        for (int k = 0, count = job->up_to[numbers]; k < count; k += LANES)
            add_samples(job, p, h, k, count, &sums);
    }
    float all = f8_sum(sums.all);
    return all > 0 ? f8_sum(sums.dark) / all : 0;
}

// The pixel of a cell that stands for it: the middle one or, if that has no foam, the first that has. SIZE_MAX: none.
static size_t pixel_of_cell(const FoamPicture* foam, int cx, int cy)
{
    int x0 = cx * foam->step, y0 = cy * foam->step, half = foam->step / 2;
    int mx = x0 + half < foam->width ? x0 + half : foam->width - 1, my = y0 + half < foam->height ? y0 + half : foam->height - 1;
    size_t middle = (size_t)my * (size_t)foam->width + (size_t)mx;
    if (foam->depth[middle] < NOTHING)
        return middle;
    for (int y = y0; y < y0 + foam->step && y < foam->height; y++)
        for (int x = x0; x < x0 + foam->step && x < foam->width; x++)
            if (foam->depth[(size_t)y * (size_t)foam->width + (size_t)x] < NOTHING)
                return (size_t)y * (size_t)foam->width + (size_t)x;
    return SIZE_MAX;
}

static void light_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    FoamPicture* foam = job->foam;
    const mn_FoamLook* look = &job->in->look;
    const Camera* c = job->in->camera;
    for (size_t cy = begin; cy < end; cy++)
        for (int cx = 0; cx < foam->coarse_width; cx++) {
            size_t at = cy * (size_t)foam->coarse_width + (size_t)cx, pixel = pixel_of_cell(foam, cx, (int)cy);
            foam->blur[at] = 0;
            foam->shadow[0][at] = 0;
            foam->irradiance[0][at] = (Vec3){0, 0, 0};
            if (pixel == SIZE_MAX)
                continue;
            float omega = occlusion_at(job, pixel) * (float)look->shadow_scale;
            float zeta = powf(omega, (float)look->shadow_exponent) + (float)look->shadow_offset;
            foam->shadow[0][at] = least(most(zeta, 0), 1);
            foam->irradiance[0][at] = irradiance_at(&job->irradiance, foam->normal[pixel]);
            float h = foam->search[pixel] * (float)(look->occlusion_start + look->occlusion_step);
            foam->blur[at] = 1.5f * h * (float)c->focal / (c->orthographic ? 1 : foam->depth[pixel]) / (float)foam->step;
        }
}

// --- blur, over cells that have foam

enum { BLUR_MOST = 16 };

static void blur_rows(FoamPicture* foam, size_t begin, size_t end, bool along_y)
{
    int from = along_y ? 1 : 0, w = foam->coarse_width, h = foam->coarse_height;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < w; x++) {
            size_t at = (size_t)y * (size_t)w + (size_t)x;
            float radius = foam->blur[at], sum = 0, shadow = 0;
            Vec3 light = {0, 0, 0};
            int reach = (int)least(radius, BLUR_MOST);
            for (int k = -reach; k <= reach; k++) {
                int qx = along_y ? x : x + k, qy = along_y ? y + k : y;
                if (qx < 0 || qy < 0 || qx >= w || qy >= h)
                    continue;
                size_t q = (size_t)qy * (size_t)w + (size_t)qx;
                if (!(foam->blur[q] > 0))
                    continue;
                float t = 2 * (float)k / (radius + 1), weight = expf(-0.5f * t * t); // two sigma at the end
                sum += weight;
                shadow += weight * foam->shadow[from][q];
                light = vec3_mad(light, weight, foam->irradiance[from][q]);
            }
            foam->shadow[1 - from][at] = sum > 0 ? shadow / sum : 0;
            foam->irradiance[1 - from][at] = sum > 0 ? vec3_scale(light, 1 / sum) : (Vec3){0, 0, 0};
        }
}

static void blur_x(void* context, size_t begin, size_t end, size_t block, int worker)
{
    blur_rows(context, begin, end, false);
}

static void blur_y(void* context, size_t begin, size_t end, size_t block, int worker)
{
    blur_rows(context, begin, end, true);
}

static bool reserve(FoamPicture* foam)
{
    size_t n = (size_t)foam->coarse_width * (size_t)foam->coarse_height;
    size_t* c = foam->coarse_capacity;
    return memory_reserve(NULL, &foam->shadow[0], &c[0], 0, n, sizeof(float)) &&
           memory_reserve(NULL, &foam->shadow[1], &c[1], 0, n, sizeof(float)) &&
           memory_reserve(NULL, &foam->irradiance[0], &c[2], 0, n, sizeof(Vec3)) &&
           memory_reserve(NULL, &foam->irradiance[1], &c[3], 0, n, sizeof(Vec3)) &&
           memory_reserve(NULL, &foam->blur, &c[4], 0, n, sizeof(float));
}

bool foam_pass_light(FoamPicture* foam, Pool* pool, const FoamInput* in)
{
    if (foam->step < 1)
        foam->step = STEP;
    foam->coarse_width = (foam->width + foam->step - 1) / foam->step;
    foam->coarse_height = (foam->height + foam->step - 1) / foam->step;
    int most_numbers = in->look.occlusion_samples[1] < MOST_SAMPLES ? in->look.occlusion_samples[1] : MOST_SAMPLES;
    HaltonSample* sample = malloc(MOST_SAMPLES * sizeof *sample);
    Job* job = calloc(1, sizeof *job);
    bool ok = sample && job && reserve(foam);
    if (ok) {
        int count = halton_samples(sample, most_numbers < 64 ? 64 : most_numbers);
        job->foam = foam;
        job->in = in;
        samples_build(job, sample, count);
        irradiance_build(&job->irradiance, in->environment, sample, count);
        parallel_for(pool, (size_t)foam->coarse_height, ROWS, light_rows, job);
    }
    free(sample);
    free(job);
    return ok;
}

void foam_pass_blur(FoamPicture* foam, Pool* pool)
{
    parallel_for(pool, (size_t)foam->coarse_height, ROWS, blur_x, foam);
    parallel_for(pool, (size_t)foam->coarse_height, ROWS, blur_y, foam);
}
