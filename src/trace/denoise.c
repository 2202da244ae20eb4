// SPDX-License-Identifier: MIT
// A pixel becomes the mean of pixels around it that seem to show the same thing. The film holds two halves, of even and odd
// samples, so that it is known how much of a difference is grain. After Rousselle, Manzi and Zwicker 2013, "Robust denoising using
// feature and color information": the weight of q for p is the lesser of
//   exp(-D), D the mean over a patch and three colours of ((c_p - c_q)^2 - (v_p + min(v_p, v_q))) / (k^2 (v_p + v_q) + small),
//   exp(-F), F the largest over what is known of the first surface and the first one that is not clear (normal, colour, nearness)
//   of
//            ((f_p - f_q)^2 - (v_p + min(v_p, v_q))) / (k_f^2 max(v_p, g_p^2, small)), g the change from pixel to pixel,
// with v the variance. Each half is filtered with the weights of the other, which do not know its grain. Deviations: one pass with
// one k instead of a choice of three; colours are compared as the eye does (c / (1 + c)), the mean is one of light; exp by a power.
#include "trace/denoise.h"
#include "trace/vector.h"

#include <stdlib.h>
#include <string.h>

enum { REACH = 8, PATCH = 2, ROWS = 16, CHANNELS = 7, COLOURS = 3 };
static const float colour_k2 = 0.35f, colour_small = 2e-5f;
static const float feature_k2 = 0.5f;
static const float feature_small[CHANNELS] = {3e-3f, 3e-3f, 3e-3f, 1e-3f, 1e-3f, 1e-3f, 1e-4f};

// Images are planes with a border of BORDER pixels that repeats what is beside it.
enum { BORDER = REACH + PATCH };

typedef struct Planes {
    int width, height, stride;
    size_t size;                                         // of a plane
    float* colour[2][COLOURS];                           // of each half, as compared
    float* colour_variance[2][COLOURS];                  // smoothed
    float* light[2][COLOURS];                            // what is averaged
    float* feature[CHANNELS];                            // mean of both halves
    float *feature_variance[CHANNELS], *scale[CHANNELS]; // scale: 1 / (k_f^2 max(...))
    float* block;
} Planes;

static float least(float a, float b)
{
    return a < b ? a : b;
}
static float most(float a, float b)
{
    return a > b ? a : b;
}

static size_t at(const Planes* p, int x, int y)
{
    return (size_t)(y + BORDER) * (size_t)p->stride + (size_t)(x + BORDER);
}

static bool planes_create(Planes* p, int width, int height)
{
    *p = (Planes){.width = width, .height = height, .stride = width + 2 * BORDER};
    p->size = (size_t)p->stride * (size_t)(height + 2 * BORDER);
    size_t planes = 6 * COLOURS + 3 * CHANNELS, next = 0;
    p->block = calloc(planes * p->size + 16, sizeof *p->block);
    if (!p->block)
        return false;
    for (int h = 0; h < 2; h++)
        for (int c = 0; c < COLOURS; c++) {
            p->colour[h][c] = p->block + p->size * next++;
            p->colour_variance[h][c] = p->block + p->size * next++;
            p->light[h][c] = p->block + p->size * next++;
        }
    for (int f = 0; f < CHANNELS; f++) {
        p->feature[f] = p->block + p->size * next++;
        p->feature_variance[f] = p->block + p->size * next++;
        p->scale[f] = p->block + p->size * next++;
    }
    return true;
}

static void fill_border(const Planes* p, float* plane)
{
    for (int y = -BORDER; y < p->height + BORDER; y++) {
        int row = y < 0 ? 0 : y >= p->height ? p->height - 1 : y;
        if (row != y)
            memcpy(plane + at(p, 0, y), plane + at(p, 0, row), (size_t)p->width * sizeof *plane);
        for (int k = 1; k <= BORDER; k++) {
            plane[at(p, -k, y)] = plane[at(p, 0, y)];
            plane[at(p, p->width - 1 + k, y)] = plane[at(p, p->width - 1, y)];
        }
    }
}

// Mean over (2 reach + 1)^2 pixels, by `scratch`; borders must be filled, and are afterwards.
static void blur(const Planes* p, float* plane, float* scratch, int reach)
{
    float share = 1 / (float)(2 * reach + 1);
    for (int pass = 0; pass < 2; pass++) {
        const float* from = pass ? scratch : plane;
        float* to = pass ? plane : scratch;
        size_t step = pass ? (size_t)p->stride : 1;
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++) {
                float sum = 0;
                for (int k = -reach; k <= reach; k++)
                    sum += from[at(p, x, y) + (size_t)(k + BORDER) * step - BORDER * step];
                to[at(p, x, y)] = sum * share;
            }
        fill_border(p, to);
    }
}

static float part(Vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static float feature_of(const TraceFilm* film, int half, int channel, size_t pixel, float per_sample)
{
    float value = channel < 3   ? part(film->normal[half][pixel], channel)
                  : channel < 6 ? part(film->albedo[half][pixel], channel - 3)
                                : film->nearness[half][pixel];
    return value * per_sample;
}

// Mean nearness of the picture, to measure it by.
static float nearness_unit(const TraceFilm* film, const float per_sample[2])
{
    double sum = 0;
    size_t pixels = (size_t)film->width * (size_t)film->height;
    for (size_t k = 0; k < pixels; k++)
        sum += (double)(film->nearness[0][k] * per_sample[0] + film->nearness[1][k] * per_sample[1]);
    return sum > 0 ? (float)(2 * (double)pixels / sum) : 1;
}

static void fill_colours(Planes* p, const TraceFilm* film, const float per_sample[2])
{
    for (int c = 0; c < COLOURS; c++) {
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++) {
                size_t pixel = (size_t)y * (size_t)p->width + (size_t)x, k = at(p, x, y);
                float a = part(film->light[0][pixel], c) * per_sample[0], b = part(film->light[1][pixel], c) * per_sample[1];
                float ca = a / (1 + a), cb = b / (1 + b);
                p->light[0][c][k] = a;
                p->light[1][c][k] = b;
                p->colour[0][c][k] = ca;
                p->colour[1][c][k] = cb;
                p->colour_variance[0][c][k] = p->colour_variance[1][c][k] = 0.5f * (ca - cb) * (ca - cb); // of a half
            }
        for (int h = 0; h < 2; h++) {
            fill_border(p, p->light[h][c]);
            fill_border(p, p->colour[h][c]);
            fill_border(p, p->colour_variance[h][c]);
        }
    }
}

static void fill_features(Planes* p, const TraceFilm* film, const float per_sample[2])
{
    float unit = nearness_unit(film, per_sample);
    for (int f = 0; f < CHANNELS; f++) {
        float scale = f == 6 ? unit : 1;
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++) {
                size_t pixel = (size_t)y * (size_t)p->width + (size_t)x, k = at(p, x, y);
                float a = scale * feature_of(film, 0, f, pixel, per_sample[0]),
                      b = scale * feature_of(film, 1, f, pixel, per_sample[1]);
                p->feature[f][k] = 0.5f * (a + b);
                p->feature_variance[f][k] = 0.25f * (a - b) * (a - b);
            }
        fill_border(p, p->feature[f]);
        fill_border(p, p->feature_variance[f]);
        blur(p, p->feature_variance[f], p->scale[f], 1);
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++) {
                const float* q = p->feature[f] + at(p, x, y);
                float gx = 0.5f * (q[1] - q[-1]), gy = 0.5f * (q[p->stride] - q[-p->stride]);
                float spread = most(most(p->feature_variance[f][at(p, x, y)], gx * gx + gy * gy), feature_small[f]);
                p->scale[f][at(p, x, y)] = 1 / (feature_k2 * spread);
            }
    }
}

// --- filtering

// One thread's block of rows, with the rows around it that patches reach.
typedef struct Strip {
    float* distance[2]; // (ROWS + 2 PATCH) x stride
    float* across;      // blurred along rows
    float* weight[2];   // ROWS x width
    float* total[2];    // sums of weights
    float* sum[2][COLOURS];
    float* block;
    size_t sums; // from total[0] on
} Strip;

typedef struct DenoiseJob {
    const Planes* planes;
    Strip* strip; // of each thread
    Vec3* out;
} DenoiseJob;

static bool strip_create(Strip* s, const Planes* p)
{
    size_t tall = (size_t)(ROWS + 2 * PATCH) * (size_t)p->stride, flat = (size_t)ROWS * (size_t)p->width, next = 0;
    s->block = calloc(3 * tall + (4 + 2 * COLOURS) * flat + 16, sizeof *s->block);
    if (!s->block)
        return false;
    for (int h = 0; h < 2; h++, next += tall)
        s->distance[h] = s->block + next;
    s->across = s->block + next;
    next += tall;
    for (int h = 0; h < 2; h++, next += flat)
        s->weight[h] = s->block + next;
    for (int h = 0; h < 2; h++, next += flat)
        s->total[h] = s->block + next;
    for (int h = 0; h < 2; h++)
        for (int c = 0; c < COLOURS; c++, next += flat)
            s->sum[h][c] = s->block + next;
    s->sums = (2 + 2 * COLOURS) * flat;
    return true;
}

// How much less alike than grain lets them be the colours of pixels are that lie `offset` apart.
static void compare_colours(const Planes* p, int half, ptrdiff_t offset, int from, int rows, float* restrict out)
{
    for (int y = 0; y < rows + 2 * PATCH; y++) {
        float* restrict row = out + (size_t)y * (size_t)p->stride;
        memset(row, 0, (size_t)p->stride * sizeof *row);
        for (int c = 0; c < COLOURS; c++) {
            const float* restrict a = p->colour[half][c] + at(p, -PATCH, from + y - PATCH);
            const float* restrict v = p->colour_variance[half][c] + at(p, -PATCH, from + y - PATCH);
            const float *b = a + offset, *w = v + offset;
            for (int x = 0; x < p->width + 2 * PATCH; x++) {
                float d = a[x] - b[x], grain = v[x] + least(v[x], w[x]);
                row[x] += (d * d - grain) / (colour_small + colour_k2 * (v[x] + w[x]));
            }
        }
    }
}

// Means over patches: from distances to weights of rows.
static void blur_patches(const Planes* p, const float* restrict in, float* restrict across, int rows, float* restrict out)
{
    const float share = 1.0f / ((2 * PATCH + 1) * (2 * PATCH + 1) * COLOURS);
    for (int y = 0; y < rows + 2 * PATCH; y++) {
        const float* restrict row = in + (size_t)y * (size_t)p->stride;
        float* restrict to = across + (size_t)y * (size_t)p->stride;
        for (int x = 0; x < p->width; x++)
            to[x] = row[x] + row[x + 1] + row[x + 2] + row[x + 3] + row[x + 4];
    }
    for (int y = 0; y < rows; y++) {
        const float* restrict row = across + (size_t)y * (size_t)p->stride;
        size_t s = (size_t)p->stride;
        for (int x = 0; x < p->width; x++)
            out[(size_t)y * (size_t)p->width + (size_t)x] = share * (row[(size_t)x] + row[(size_t)x + s] + row[(size_t)x + 2 * s] +
                                                                     row[(size_t)x + 3 * s] + row[(size_t)x + 4 * s]);
    }
}

// The larger of the colours' and the features' distances, then exp(-d) as (1 + d/16)^-16.
static void weigh(const Planes* p, ptrdiff_t offset, int from, int rows, float* restrict first, float* restrict second)
{
    for (int y = 0; y < rows; y++) {
        float* restrict u = first + (size_t)y * (size_t)p->width, * restrict w = second + (size_t)y * (size_t)p->width;
        for (int f = 0; f < CHANNELS; f++) {
            size_t k = at(p, 0, from + y);
            const float* restrict a = p->feature[f] + k, * restrict v = p->feature_variance[f] + k, * restrict scale = p->scale[f] + k;
            const float *b = a + offset, *t = v + offset;
            for (int x = 0; x < p->width; x++) {
                float d = a[x] - b[x], far = (d * d - (v[x] + least(v[x], t[x]))) * scale[x];
                u[x] = most(u[x], far);
                w[x] = most(w[x], far);
            }
        }
        for (int x = 0; x < p->width; x++) {
            float g = 1 / (1 + 0.0625f * most(u[x], 0)), h = 1 / (1 + 0.0625f * most(w[x], 0));
            g *= g, g *= g, g *= g, g *= g;
            h *= h, h *= h, h *= h, h *= h;
            u[x] = g;
            w[x] = h;
        }
    }
}

// The weights of one half gather the light of the other.
static void gather(const Planes* p, const Strip* s, int half, ptrdiff_t offset, int from, int rows)
{
    for (int y = 0; y < rows; y++) {
        size_t row = (size_t)y * (size_t)p->width;
        const float* restrict w = s->weight[1 - half] + row;
        float* restrict total = s->total[half] + row;
        for (int x = 0; x < p->width; x++)
            total[x] += w[x];
        for (int c = 0; c < COLOURS; c++) {
            const float* light = p->light[half][c] + at(p, 0, from + y) + offset;
            float* restrict sum = s->sum[half][c] + row;
            for (int x = 0; x < p->width; x++)
                sum[x] += w[x] * light[x];
        }
    }
}

static void write_rows(const Planes* p, const Strip* s, int from, int rows, Vec3* out)
{
    for (size_t k = 0; k < (size_t)rows * (size_t)p->width; k++) {
        float a = 0.5f / s->total[0][k], b = 0.5f / s->total[1][k];
        out[(size_t)from * (size_t)p->width + k] =
            v3(a * s->sum[0][0][k] + b * s->sum[1][0][k], a * s->sum[0][1][k] + b * s->sum[1][1][k],
               a * s->sum[0][2][k] + b * s->sum[1][2][k]);
    }
}

static void denoise_rows(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const DenoiseJob* job = context;
    const Planes* p = job->planes;
    int from = (int)begin, rows = (int)(end - begin);
    Strip s = job->strip[worker];
    memset(s.total[0], 0, s.sums * sizeof(float));
    for (int dy = -REACH; dy <= REACH; dy++)
        for (int dx = -REACH; dx <= REACH; dx++) {
            ptrdiff_t offset = (ptrdiff_t)dy * p->stride + dx;
            for (int h = 0; h < 2; h++) {
                compare_colours(p, h, offset, from, rows, s.distance[h]);
                blur_patches(p, s.distance[h], s.across, rows, s.weight[h]);
            }
            weigh(p, offset, from, rows, s.weight[0], s.weight[1]);
            for (int h = 0; h < 2; h++)
                gather(p, &s, h, offset, from, rows);
        }
    write_rows(p, &s, from, rows, job->out);
}

static bool filter(const Planes* planes, Pool* pool, Vec3* out)
{
    int threads = pool ? pool_threads(pool) : 1;
    DenoiseJob job = {planes, calloc((size_t)threads, sizeof *job.strip), out};
    bool ok = job.strip;
    for (int k = 0; ok && k < threads; k++)
        ok = strip_create(&job.strip[k], planes);
    if (ok)
        parallel_for(pool, (size_t)planes->height, ROWS, denoise_rows, &job);
    for (int k = 0; job.strip && k < threads; k++)
        free(job.strip[k].block);
    free(job.strip);
    return ok;
}

bool trace_denoise(const TraceFilm* film, Pool* pool, Vec3* out)
{
    Planes planes;
    int odd = film->samples / 2, even = film->samples - odd;
    if (!planes_create(&planes, film->width, film->height))
        return false;
    const float per_sample[2] = {1 / (float)(even > 0 ? even : 1), 1 / (float)(odd > 0 ? odd : 1)};
    fill_colours(&planes, film, per_sample);
    // with a plane of the features as scratch, which is not in use yet
    for (int c = 0; c < COLOURS; c++) {
        blur(&planes, planes.colour_variance[0][c], planes.scale[0], 2);
        memcpy(planes.colour_variance[1][c], planes.colour_variance[0][c], planes.size * sizeof(float));
    }
    fill_features(&planes, film, per_sample);
    bool ok = filter(&planes, pool, out);
    free(planes.block);
    return ok;
}
