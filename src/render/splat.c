// SPDX-License-Identifier: MIT
// Ray d = (dx, dy, 1) through a sample, sphere (c, r):
//   z = (d.c - sqrt(D)) / d.d,   D = (d.d) r^2 - |d x c|^2.
// With d = c/c_z + e the cross product is e x c, which has no cancellation for small far spheres (the textbook
// (d.c)^2 - d.d (c.c - r^2) in float loses the rim of a sphere at a few hundred radii).
// A tile's spheres are drawn front to back in buckets of depth; blocks of samples that are already covered by something
// nearer skip a sphere altogether, which is most of the particles of a body of water. Neither changes the picture.
#include "render/splat.h"

#include "base/simd.h"

enum { CELL = 8, CELLS = TILE / CELL, BUCKETS = 32, PROJECT_GRAIN = 16384 };

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

// A sample more on each side than the tangents say, cut to the picture.
static SampleRect sphere_bounds(const Camera* camera, Vec4 s)
{
    float x0 = s.x - s.w, x1 = s.x + s.w, y0 = s.y - s.w, y1 = s.y + s.w;
    if (!camera->orthographic) {
        tangent_bounds(s.x, s.z, s.w, &x0, &x1);
        tangent_bounds(s.y, s.z, s.w, &y0, &y1);
    }
    float f = (float)camera->focal, cx = (float)camera->centre_x, cy = (float)camera->centre_y;
    float width = (float)camera->width, height = (float)camera->height;
    return (SampleRect){(int32_t)least(most(cx + f * x0 - 0.5f, 0), width), (int32_t)least(most(cy + f * y0 - 0.5f, 0), height),
                        (int32_t)ceilf(least(most(cx + f * x1 + 0.5f, 0), width)),
                        (int32_t)ceilf(least(most(cy + f * y1 + 0.5f, 0), height))};
}

static TileRect tiles_of(SampleRect r)
{
    if (r.x0 >= r.x1 || r.y0 >= r.y1)
        return tile_rect_none;
    return (TileRect){(uint16_t)(r.x0 / TILE), (uint16_t)(r.y0 / TILE), (uint16_t)((r.x1 - 1) / TILE),
                      (uint16_t)((r.y1 - 1) / TILE)};
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
        job->list->bounds[job->first + i] = sphere_bounds(camera, *out);
        *rect = tiles_of(job->list->bounds[job->first + i]);
    }
}

bool sphere_list_build(SphereList* list, Pool* pool, const SphereSet* sets, size_t set_count, const SampleBuffer* target,
                       const CutAway* cut)
{
    size_t count = 0;
    for (size_t s = 0; s < set_count; s++)
        count += sets[s].count;
    if (count >= ID_INDEX || !memory_reserve(NULL, &list->view, &list->view_capacity, 0, count + 1, sizeof *list->view) ||
        !memory_reserve(NULL, &list->bounds, &list->bounds_capacity, 0, count + 1, sizeof *list->bounds) ||
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
    memory_give(NULL, list->bounds);
    memory_give(NULL, list->rect);
    memory_give(NULL, list->sorted);
    tile_lists_free(&list->lists);
    *list = (SphereList){0};
}

// Rows are drawn LANES samples at a time from x0 on, without leaving the tile.
typedef struct Span {
    int x0, x1, y0, y1;
} Span;

static Span sphere_span(const TileSphere* s)
{
    int lanes = (s->x1 - s->x0 + LANES - 1) & ~(LANES - 1);
    return (Span){s->x0 + lanes > TILE ? TILE - lanes : s->x0, s->x1, s->y0, s->y1};
}

static uint8_t within_tile(int32_t v)
{
    return (uint8_t)(v < 0 ? 0 : v > TILE ? TILE : v);
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
static void sort_by_depth(const SphereList* list, const Tile* tile, const uint32_t* item, size_t count, TileSphere* sorted,
                          size_t start[BUCKETS + 1])
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
        const SampleRect* r = &list->bounds[item[k]];
        sorted[next[(int)((s.z - s.w - low) * scale) & (BUCKETS - 1)]++] = (TileSphere){item[k],
                                                                                        s.z - s.w,
                                                                                        within_tile(r->x0 - tile->x),
                                                                                        within_tile(r->y0 - tile->y),
                                                                                        within_tile(r->x1 - tile->x),
                                                                                        within_tile(r->y1 - tile->y)};
    }
}

// The farthest depths in cells of CELL x CELL samples, and which of them have been drawn into since they were found.
typedef struct Cells {
    float farthest[CELLS][CELLS];
    uint8_t stale[CELLS]; // a bit per cell of the row
} Cells;
_Static_assert(CELL == (int)LANES && CELLS == 8, "a row of a cell is a vector, a row of cells a byte");

static void cells_update(Cells* cells, const Tile* tile)
{
    for (int cy = 0; cy < CELLS; cy++) {
        for (int cx = 0; cx < CELLS && cells->stale[cy] >> cx; cx++) {
            if (!(cells->stale[cy] >> cx & 1))
                continue;
            F8 far = f8_load(&tile->depth[cy * CELL][cx * CELL]);
            for (int y = 1; y < CELL; y++)
                far = f8_max(far, f8_load(&tile->depth[cy * CELL + y][cx * CELL]));
            float lane[LANES];
            f8_store(lane, far);
            for (int k = 1; k < LANES; k++)
                lane[0] = most(lane[0], lane[k]);
            cells->farthest[cy][cx] = lane[0];
        }
        cells->stale[cy] = 0;
    }
}

static bool is_covered(const Cells* cells, const TileSphere* s)
{
    for (int cy = s->y0 / CELL; cy <= (s->y1 - 1) / CELL; cy++)
        for (int cx = s->x0 / CELL; cx <= (s->x1 - 1) / CELL; cx++)
            if (s->nearest < cells->farthest[cy][cx])
                return false;
    return true;
}

static void cells_touch(Cells* cells, const TileSphere* s)
{
    int first = s->x0 / CELL, last = (s->x1 - 1) / CELL;
    uint8_t bits = (uint8_t)((2u << last) - (1u << first));
    for (int cy = s->y0 / CELL; cy <= (s->y1 - 1) / CELL; cy++)
        cells->stale[cy] |= bits;
}

void sphere_list_draw(const SphereList* list, const SampleBuffer* target, Tile* tile, size_t tile_index, int worker)
{
    size_t first = list->lists.start[tile_index], count = list->lists.start[tile_index + 1] - first;
    if (count == 0)
        return;
    TileSphere* sorted = list->sorted + (size_t)worker * list->sorted_per_worker;
    size_t start[BUCKETS + 1];
    Cells cells = {.stale = {255, 255, 255, 255, 255, 255, 255, 255}};
    sort_by_depth(list, tile, list->lists.item + first, count, sorted, start);
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        if (start[bucket] == start[bucket + 1])
            continue;
        cells_update(&cells, tile);
        for (size_t k = start[bucket]; k < start[bucket + 1]; k++) {
            const TileSphere* s = &sorted[k];
            if (s->x0 >= s->x1 || s->y0 >= s->y1 || is_covered(&cells, s))
                continue;
            if (target->camera.orthographic)
                draw_orthographic(tile, sphere_span(s), list->view[s->id], s->id);
            else
                draw_perspective(tile, sphere_span(s), list->view[s->id], s->id);
            cells_touch(&cells, s);
        }
    }
}
