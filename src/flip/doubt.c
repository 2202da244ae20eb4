// SPDX-License-Identifier: MIT
#include "flip/doubt.h"

#include "flip/flip.h"

enum { BINS_MOST = 256, GRAIN = 256, PARTS_MOST = 64 };

static const double WATCHED_REACH = 1.5; // [spacings] at rest: as far from a particle the surface is watched
static const double STRETCH_MOST = 5.3; // sum of squares of the stretches along three axes from which on nothing is sure; at rest 3

// --- which marks a particle watches

// Particles at rest by bins of a regular lattice.
typedef struct Bins {
    double origin[3], size;
    int n[3];
    uint32_t* start;    // (bins + 1)
    uint32_t* particle; // (particles)
} Bins;

static void bin_of(const Bins* bins, const double x[3], int bin[3])
{
    for (int a = 0; a < 3; a++) {
        double at = (x[a] - bins->origin[a]) / bins->size;
        bin[a] = at > 0 ? at < bins->n[a] - 1 ? (int)at : bins->n[a] - 1 : 0;
    }
}

static size_t bin_number(const Bins* bins, const int bin[3])
{
    return ((size_t)bin[2] * (size_t)bins->n[1] + (size_t)bin[1]) * (size_t)bins->n[0] + (size_t)bin[0];
}

static size_t number_at(const Bins* bins, Vec4 x)
{
    int bin[3];
    bin_of(bins, (const double[3]){(double)x.x, (double)x.y, (double)x.z}, bin);
    return bin_number(bins, bin);
}

static void give_bins(Bins* bins)
{
    memory_give(NULL, bins->start);
    memory_give(NULL, bins->particle);
}

static bool make_bins(Bins* bins, const SolidInside* inside, double size)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < inside->count; i++) {
        double x[3] = {(double)inside->rest[i].x, (double)inside->rest[i].y, (double)inside->rest[i].z};
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], x[a]);
            high[a] = fmax(high[a], x[a]);
        }
    }
    *bins = (Bins){.size = size};
    for (int a = 0; a < 3; a++)
        bins->size = fmax(bins->size, (high[a] - low[a]) / (BINS_MOST - 1));
    for (int a = 0; a < 3; a++) {
        bins->origin[a] = low[a];
        bins->n[a] = (int)((high[a] - low[a]) / bins->size) + 1;
    }
    size_t count = (size_t)bins->n[0] * (size_t)bins->n[1] * (size_t)bins->n[2];
    bins->start = memory_take(NULL, (count + 2) * sizeof *bins->start);
    bins->particle = memory_take(NULL, (inside->count + 1) * sizeof *bins->particle);
    if (!bins->start || !bins->particle)
        return false;
    memset(bins->start, 0, (count + 2) * sizeof *bins->start);
    for (size_t i = 0; i < inside->count; i++)
        bins->start[number_at(bins, inside->rest[i]) + 2]++;
    for (size_t k = 0; k < count; k++)
        bins->start[k + 2] += bins->start[k + 1];
    for (size_t i = 0; i < inside->count; i++)
        bins->particle[bins->start[number_at(bins, inside->rest[i]) + 1]++] = (uint32_t)i;
    return true;
}

enum { OCTANTS = 8, WATCHES_NONE = 0xffffffff };

// All marks, and which of them each particle watches.
typedef struct Marks {
    SurfaceMark* mark; // no farther apart than WATCHED_REACH
    size_t count, capacity;
    uint32_t (*watched)[OCTANTS]; // (particles) or WATCHES_NONE
} Marks;

static Vec3d mark_place(const SurfaceMark* mark, const Vec3d* vertex)
{
    Vec3d x = vertex[mark->vertex[0]];
    if (mark->weight[0] == 1)
        return x;
    x = vec3d_scale(x, (double)mark->weight[0]);
    x = vec3d_mad(x, (double)mark->weight[1], vertex[mark->vertex[1]]);
    return vec3d_mad(x, (double)mark->weight[2], vertex[mark->vertex[2]]);
}

static bool add_mark(Marks* marks, SurfaceMark mark, const Vec3d* rest)
{
    if (!memory_reserve(NULL, &marks->mark, &marks->capacity, marks->count, marks->count + 1, sizeof mark))
        return false;
    mark.rest = mark_place(&mark, rest);
    marks->mark[marks->count++] = mark;
    return true;
}

// On large triangles there are marks between the corners.
static bool mark_triangle(Marks* marks, const Vec3d* rest, const uint32_t v[3], double distance)
{
    double longest = 0;
    for (int c = 0; c < 3; c++)
        longest = fmax(longest, vec3d_distance(rest[v[c]], rest[v[(c + 1) % 3]]));
    int n = longest < PARTS_MOST * distance ? (int)ceil(longest / distance) : PARTS_MOST;
    for (int i = 0; i < n; i++)
        for (int j = 0; i + j <= n; j++) {
            float at[3] = {(float)i / (float)n, (float)j / (float)n, (float)(n - i - j) / (float)n};
            SurfaceMark mark = {.vertex = {v[0], v[1], v[2]}, .weight = {at[0], at[1], at[2]}};
            if (j < n && i + j > 0 && !add_mark(marks, mark, rest))
                return false;
        }
    return true;
}

static bool mark_surface(Marks* marks, const SolidSurface* surface, double distance)
{
    for (uint32_t v = 0; v < surface->vertex_count; v++)
        if (!add_mark(marks, (SurfaceMark){.vertex = {v, v, v}, .weight = {1}}, surface->rest))
            return false;
    for (size_t t = 0; t < surface->triangle_count; t++)
        if (!mark_triangle(marks, surface->rest, surface->triangle[t], distance))
            return false;
    return true;
}

// In each octant around it a particle watches the farthest mark within reach: what lies between is seen better.
static void offer_mark(const SolidInside* inside, Marks* marks, uint32_t particle, uint32_t mark, double reach)
{
    Vec4 p = inside->rest[particle];
    Vec3d middle = {(double)p.x, (double)p.y, (double)p.z}, d = vec3d_sub(marks->mark[mark].rest, middle);
    double square = vec3d_dot(d, d);
    uint32_t* slot = &marks->watched[particle][(d.x > 0) + 2 * (d.y > 0) + 4 * (d.z > 0)];
    if (!(square <= reach * reach))
        return;
    if (*slot == WATCHES_NONE ||
        square > vec3d_dot(vec3d_sub(marks->mark[*slot].rest, middle), vec3d_sub(marks->mark[*slot].rest, middle)))
        *slot = mark;
}

static void offer_around(const Bins* bins, const SolidInside* inside, Marks* marks, uint32_t mark)
{
    int bin[3], low[3], high[3];
    Vec3d at = marks->mark[mark].rest;
    bin_of(bins, (const double[3]){at.x, at.y, at.z}, bin);
    for (int a = 0; a < 3; a++) {
        low[a] = bin[a] > 0 ? bin[a] - 1 : 0;
        high[a] = bin[a] < bins->n[a] - 1 ? bin[a] + 1 : bin[a];
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) {
                size_t k = bin_number(bins, (const int[3]){x, y, z});
                for (uint32_t n = bins->start[k]; n < bins->start[k + 1]; n++)
                    offer_mark(inside, marks, bins->particle[n], mark, bins->size);
            }
}

// What is watched, particle by particle.
static bool keep_watched(Doubt* doubt, const Marks* marks, size_t particles, Memory* memory)
{
    uint32_t count = 0;
    for (size_t i = 0; i < particles; i++) {
        doubt->start[i] = count;
        for (int n = 0; n < OCTANTS; n++)
            count += marks->watched[i][n] != WATCHES_NONE;
    }
    doubt->start[particles] = count;
    doubt->mark = memory_take(memory, (count + 1) * sizeof *doubt->mark);
    if (!doubt->mark)
        return false;
    for (size_t i = 0; i < particles; i++)
        for (int n = 0, to = 0; n < OCTANTS; n++)
            if (marks->watched[i][n] != WATCHES_NONE)
                doubt->mark[doubt->start[i] + (uint32_t)to++] = marks->mark[marks->watched[i][n]];
    return true;
}

static bool find_watched(Doubt* doubt, const Solid* solid, const SolidInside* inside, double spacing, Memory* memory)
{
    SolidSurface surface = solid->kind->surface(solid);
    Bins bins = {.start = NULL};
    Marks marks = {.watched = memory_take(NULL, (inside->count + 1) * sizeof *marks.watched)};
    bool ok = marks.watched && make_bins(&bins, inside, WATCHED_REACH * spacing) &&
              mark_surface(&marks, &surface, WATCHED_REACH * spacing);
    if (ok)
        memset(marks.watched, 0xff, inside->count * sizeof *marks.watched);
    for (uint32_t n = 0; ok && n < marks.count; n++)
        offer_around(&bins, inside, &marks, n);
    ok = ok && keep_watched(doubt, &marks, inside->count, memory);
    memory_give(NULL, marks.watched);
    memory_give(NULL, marks.mark);
    give_bins(&bins);
    return ok;
}

bool doubt_create(Doubt* doubt, const Solid* solid, const SolidInside* inside, const Distances* field, double spacing,
                  Memory* memory)
{
    doubt->start = memory_take(memory, (inside->count + 1) * sizeof *doubt->start);
    doubt->distance = memory_take(memory, (inside->count + 1) * sizeof *doubt->distance);
    doubt->depth = memory_take(memory, (inside->count + 1) * sizeof *doubt->depth);
    if (!doubt->start || !doubt->distance || !doubt->depth)
        return false;
    for (size_t i = 0; i < inside->count; i++) {
        Vec4 x = inside->rest[i];
        doubt->depth[i] = -(float)distances_at(field, vec3d((double)x.x, (double)x.y, (double)x.z));
    }
    return !inside->count || find_watched(doubt, solid, inside, spacing, memory);
}

void doubt_free(Doubt* doubt, Memory* memory)
{
    void* arrays[] = {doubt->start, doubt->mark, doubt->distance, doubt->depth};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(memory, arrays[k]);
    *doubt = (Doubt){.mark = NULL};
}

// --- how far off they are seen

// Sum of squares of the stretches of the map that `b` undoes; infinite where it is no map.
static double stretch_of(const float b[9])
{
    double c[9] = {b[4] * b[8] - b[5] * b[7], b[2] * b[7] - b[1] * b[8], b[1] * b[5] - b[2] * b[4],
                   b[5] * b[6] - b[3] * b[8], b[0] * b[8] - b[2] * b[6], b[2] * b[3] - b[0] * b[5],
                   b[3] * b[7] - b[4] * b[6], b[1] * b[6] - b[0] * b[7], b[0] * b[4] - b[1] * b[3]};
    double determinant = (double)b[0] * c[0] + (double)b[1] * c[3] + (double)b[2] * c[6], sum = 0;
    if (!(determinant > 0))
        return INFINITY;
    for (int k = 0; k < 9; k++)
        sum += c[k] * c[k];
    return sum / (determinant * determinant);
}

static float distance_of(const Doubt* doubt, const SolidInside* inside, const SolidSurface* surface, size_t i)
{
    const float* b = inside->back[i];
    Vec4 x = inside->position[i], rest = inside->rest[i];
    double most = 0;
    if (!(stretch_of(b) < STRETCH_MOST))
        return INFINITY;
    for (uint32_t n = doubt->start[i]; n < doubt->start[i + 1]; n++) {
        const SurfaceMark* mark = &doubt->mark[n];
        Vec3d now = mark_place(mark, surface->position), then = mark->rest;
        double d[3] = {now.x - (double)x.x, now.y - (double)x.y, now.z - (double)x.z};
        Vec3d off = {(double)rest.x - then.x, (double)rest.y - then.y, (double)rest.z - then.z};
        off.x += (double)b[0] * d[0] + (double)b[1] * d[1] + (double)b[2] * d[2];
        off.y += (double)b[3] * d[0] + (double)b[4] * d[1] + (double)b[5] * d[2];
        off.z += (double)b[6] * d[0] + (double)b[7] * d[1] + (double)b[8] * d[2];
        double square = vec3d_dot(off, off);
        most = square > most ? square : most;
    }
    return (float)sqrt(most);
}

typedef struct FindJob {
    Doubt* doubt;
    const SolidInside* inside;
    SolidSurface surface;
} FindJob;

static void find_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FindJob* job = context;
    for (size_t i = begin; i < end; i++)
        job->doubt->distance[i] = distance_of(job->doubt, job->inside, &job->surface, i);
}

void doubt_find(Doubt* doubt, const Solid* solid, const SolidInside* inside, Pool* pool)
{
    FindJob job = {doubt, inside, solid->kind->surface(solid)};
    parallel_for(pool, inside->count, GRAIN, find_block, &job);
}
