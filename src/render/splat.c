// SPDX-License-Identifier: MIT
// Ray d = (dx, dy, 1) through a sample, sphere (c, r):
//   z = (d.c - sqrt(D)) / d.d,   D = (d.d) r^2 - |d x c|^2.
// With d = c/c_z + e the cross product is e x c, which has no cancellation for small far spheres (the textbook
// (d.c)^2 - d.d (c.c - r^2) in float loses the rim of a sphere at a few hundred radii).
// A tile's spheres are drawn front to back in buckets of depth; blocks of samples that are already covered by something
// nearer skip a sphere altogether, which is most of the particles of a body of water. Neither changes the picture.
#include "render/splat.h"

#include <string.h>

enum { LANES = 8, CELL = 16, CELLS = TILE / CELL, BUCKETS = 32, PROJECT_GRAIN = 16384 };

// Smallest drawn radius in samples; less than half a sample's diagonal would make holes at random.
static const float min_samples = 0.75f;

typedef struct ProjectJob {
    SphereList* list;
    const SphereSet* set;
    size_t first; // of the set in the list
    const Camera* camera;
    CutAway cut;
} ProjectJob;

static bool is_cut(const CutAway* cut, const float* p)
{
    return cut->on && ((double)p[cut->axis] > cut->position) == cut->hide_above;
}

// Bounds of a sphere's picture along one axis, in units of the direction: tangents through the eye.
static void tangent_bounds(float c, float z, float r, float* low, float* high)
{
    float root = r * sqrtf(most(c * c + z * z - r * r, 0)), scale = 1 / (z * z - r * r);
    *low = (c * z - root) * scale;
    *high = (c * z + root) * scale;
}

static TileRect sphere_rect(const Camera* camera, Vec4 s)
{
    float x0 = s.x - s.w, x1 = s.x + s.w, y0 = s.y - s.w, y1 = s.y + s.w;
    if (!camera->orthographic) {
        tangent_bounds(s.x, s.z, s.w, &x0, &x1);
        tangent_bounds(s.y, s.z, s.w, &y0, &y1);
    }
    float f = (float)camera->focal, cx = (float)camera->centre_x, cy = (float)camera->centre_y;
    return tile_rect_of((double)(cx + f * x0 - 1), (double)(cy + f * y0 - 1), (double)(cx + f * x1 + 1), (double)(cy + f * y1 + 1),
                        camera->width, camera->height);
}

static void project_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    ProjectJob* job = context;
    const Camera* camera = job->camera;
    for (size_t i = begin; i < end; i++) {
        const float* p = job->set->position + i * job->set->stride;
        Vec4* out = &job->list->view[job->first + i];
        TileRect* rect = &job->list->rect[job->first + i];
        Vec3d v = camera_view(camera, vec3d((double)p[0], (double)p[1], (double)p[2]));
        *out = (Vec4){(float)v.x, (float)v.y, (float)v.z, 0};
        *rect = tile_rect_none;
        if (!(isfinite(out->x) && isfinite(out->y) && isfinite(out->z)) || is_cut(&job->cut, p))
            continue;
        float smallest = min_samples / (float)camera->focal * (camera->orthographic ? 1 : out->z);
        float radius = most(job->set->radius, smallest);
        if (!camera->orthographic && out->z - radius <= (float)camera->nearest)
            continue;
        out->w = radius;
        *rect = sphere_rect(camera, *out);
    }
}

bool sphere_list_build(SphereList* list, Pool* pool, const SphereSet* sets, size_t set_count, const SampleBuffer* target,
                       const CutAway* cut)
{
    size_t count = 0;
    for (size_t s = 0; s < set_count; s++)
        count += sets[s].count;
    if (count >= ID_INDEX || !memory_reserve(NULL, &list->view, &list->view_capacity, 0, count + 1, sizeof *list->view) ||
        !memory_reserve(NULL, &list->rect, &list->rect_capacity, 0, count + 1, sizeof *list->rect))
        return false;
    list->count = count;
    size_t first = 0;
    for (size_t s = 0; s < set_count; s++) {
        ProjectJob job = {list, &sets[s], first, &target->camera, cut ? *cut : (CutAway){0}};
        parallel_for(pool, sets[s].count, PROJECT_GRAIN, project_block, &job);
        first += sets[s].count;
    }
    if (!tile_lists_build(&list->lists, pool, list->rect, count, target->tiles_x, target->tiles_y))
        return false;
    list->sorted_per_worker = list->lists.longest + 16;
    return memory_reserve(NULL, &list->sorted, &list->sorted_capacity, 0, list->sorted_per_worker * (size_t)pool_threads(pool),
                          sizeof *list->sorted);
}

void sphere_list_free(SphereList* list)
{
    memory_give(NULL, list->view);
    memory_give(NULL, list->rect);
    memory_give(NULL, list->sorted);
    tile_lists_free(&list->lists);
    *list = (SphereList){0};
}

// The samples of a tile that a sphere may touch; x0 is a multiple of LANES, x1 is past the end.
typedef struct Span {
    int x0, x1, y0, y1;
} Span;

static Span sphere_span(const Tile* tile, const Camera* camera, Vec4 s)
{
    float x0 = s.x - s.w, x1 = s.x + s.w, y0 = s.y - s.w, y1 = s.y + s.w;
    if (!camera->orthographic) {
        tangent_bounds(s.x, s.z, s.w, &x0, &x1);
        tangent_bounds(s.y, s.z, s.w, &y0, &y1);
    }
    float f = (float)camera->focal;
    float ox = (float)(camera->centre_x - tile->x), oy = (float)(camera->centre_y - tile->y);
    x0 = least(most(ox + f * x0 - 1, 0), TILE);
    x1 = least(most(ox + f * x1 + 1, 0), TILE);
    y0 = least(most(oy + f * y0 - 0.5f, 0), TILE);
    y1 = least(most(oy + f * y1 + 0.5f, 0), TILE);
    return (Span){(int)x0 & ~(LANES - 1), (int)ceilf(x1), (int)y0, (int)ceilf(y1)};
}

static void draw_perspective(Tile* tile, Span span, Vec4 c, uint32_t id)
{
    float ux = c.x / c.z, uy = c.y / c.z, rr = c.w * c.w, zz = c.z * c.z;
    for (int y = span.y0; y < span.y1; y++) {
        float dy = tile->direction_y[y], ey = dy - uy;
        for (int x = span.x0; x < span.x1; x += LANES) {
            const float* direction = tile->direction_x + x;
            float* depth = tile->depth[y] + x;
            uint32_t* ids = tile->id[y] + x;
            for (int k = 0; k < LANES; k++) {
                float dx = direction[k], ex = dx - ux;
                float cross = ex * c.y - ey * c.x;
                float dd = dx * dx + dy * dy + 1;
                float disc = dd * rr - (zz * (ex * ex + ey * ey) + cross * cross);
                float z = (dx * c.x + dy * c.y + c.z - sqrtf(disc > 0 ? disc : 0)) / dd;
                bool hit = (disc > 0) & (z < depth[k]);
                depth[k] = hit ? z : depth[k];
                ids[k] = hit ? id : ids[k];
            }
        }
    }
}

static void draw_orthographic(Tile* tile, Span span, Vec4 c, uint32_t id)
{
    float rr = c.w * c.w;
    for (int y = span.y0; y < span.y1; y++) {
        float ey = tile->direction_y[y] - c.y;
        for (int x = span.x0; x < span.x1; x += LANES) {
            const float* direction = tile->direction_x + x;
            float* depth = tile->depth[y] + x;
            uint32_t* ids = tile->id[y] + x;
            for (int k = 0; k < LANES; k++) {
                float ex = direction[k] - c.x;
                float disc = rr - (ex * ex + ey * ey);
                float z = c.z - sqrtf(disc > 0 ? disc : 0);
                bool hit = (disc > 0) & (z < depth[k]);
                depth[k] = hit ? z : depth[k];
                ids[k] = hit ? id : ids[k];
            }
        }
    }
}

// Sorts a tile's items by nearest depth into buckets; within a bucket the order of the list stays.
static void sort_by_depth(const SphereList* list, const uint32_t* item, size_t count, uint32_t* sorted, size_t start[BUCKETS + 1])
{
    float low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        Vec4 s = list->view[item[k]];
        float z = s.z - s.w;
        low = z < low ? z : low;
        high = z > high ? z : high;
    }
    float scale = high > low ? (BUCKETS - 0.01f) / (high - low) : 0;
    size_t next[BUCKETS] = {0};
    for (size_t k = 0; k < count; k++) {
        Vec4 s = list->view[item[k]];
        next[(int)((s.z - s.w - low) * scale) & (BUCKETS - 1)]++;
    }
    size_t place = 0;
    for (int b = 0; b < BUCKETS; b++) {
        start[b] = place;
        place += next[b];
        next[b] = start[b];
    }
    start[BUCKETS] = place;
    for (size_t k = 0; k < count; k++) {
        Vec4 s = list->view[item[k]];
        sorted[next[(int)((s.z - s.w - low) * scale) & (BUCKETS - 1)]++] = item[k];
    }
}

// The farthest depth in each cell of CELL x CELL samples.
static void farthest_in_cells(const Tile* tile, float farthest[CELLS][CELLS])
{
    for (int cy = 0; cy < CELLS; cy++)
        for (int cx = 0; cx < CELLS; cx++) {
            float lane[CELL];
            memcpy(lane, &tile->depth[cy * CELL][cx * CELL], sizeof lane);
            for (int y = 1; y < CELL; y++)
                for (int k = 0; k < CELL; k++) {
                    float d = tile->depth[cy * CELL + y][cx * CELL + k];
                    lane[k] = d > lane[k] ? d : lane[k];
                }
            float far = lane[0];
            for (int k = 1; k < CELL; k++)
                far = most(far, lane[k]);
            farthest[cy][cx] = far;
        }
}

static bool is_covered(float farthest[CELLS][CELLS], Span span, float nearest)
{
    for (int cy = span.y0 / CELL; cy <= (span.y1 - 1) / CELL; cy++)
        for (int cx = span.x0 / CELL; cx <= (span.x1 - 1) / CELL; cx++)
            if (nearest < farthest[cy][cx])
                return false;
    return true;
}

void sphere_list_draw(const SphereList* list, const SampleBuffer* target, Tile* tile, size_t tile_index, int worker)
{
    const Camera* camera = &target->camera;
    size_t first = list->lists.start[tile_index], count = list->lists.start[tile_index + 1] - first;
    if (count == 0)
        return;
    uint32_t* sorted = list->sorted + (size_t)worker * list->sorted_per_worker;
    size_t start[BUCKETS + 1];
    sort_by_depth(list, list->lists.item + first, count, sorted, start);
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        if (start[bucket] == start[bucket + 1])
            continue;
        float farthest[CELLS][CELLS];
        farthest_in_cells(tile, farthest);
        for (size_t k = start[bucket]; k < start[bucket + 1]; k++) {
            uint32_t id = sorted[k];
            Vec4 s = list->view[id];
            Span span = sphere_span(tile, camera, s);
            if (span.x0 >= span.x1 || span.y0 >= span.y1 || is_covered(farthest, span, s.z - s.w))
                continue;
            if (camera->orthographic)
                draw_orthographic(tile, span, s, id);
            else
                draw_perspective(tile, span, s, id);
        }
    }
}
