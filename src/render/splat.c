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

// The camera for LANES points at once. The eye in two parts: what a float leaves of a coordinate would move near particles of
// scenes that are far from the origin.
typedef struct LaneCamera {
    F8 eye[3], rest[3], axis[3][3];
    F8 focal, centre_x, centre_y, width, height, smallest, nearest;
} LaneCamera;

static LaneCamera lane_camera(const Camera* c)
{
    const double eye[3] = {c->eye.x, c->eye.y, c->eye.z};
    const Vec3d axis[3] = {c->right, c->down, c->forward};
    LaneCamera l = {.focal = f8_set((float)c->focal),
                    .centre_x = f8_set((float)c->centre_x),
                    .centre_y = f8_set((float)c->centre_y),
                    .width = f8_set((float)c->width),
                    .height = f8_set((float)c->height),
                    .smallest = f8_set(min_samples / (float)c->focal),
                    .nearest = f8_set((float)c->nearest)};
    for (int k = 0; k < 3; k++) {
        l.eye[k] = f8_set((float)eye[k]);
        l.rest[k] = f8_set((float)(eye[k] - (double)(float)eye[k]));
        l.axis[k][0] = f8_set((float)axis[k].x);
        l.axis[k][1] = f8_set((float)axis[k].y);
        l.axis[k][2] = f8_set((float)axis[k].z);
    }
    return l;
}

// Bounds of spheres' pictures along one axis, in units of the direction: tangents through the eye.
static void tangent_bounds(F8 c, F8 z, F8 r, F8* low, F8* high)
{
    F8 rr = f8_mul(r, r), zz = f8_mul(z, z), scale = f8_div(f8_set(1), f8_sub(zz, rr));
    F8 root = f8_mul(r, f8_sqrt(f8_max(f8_sub(f8_mad(c, c, zz), rr), f8_zero()))), cz = f8_mul(c, z);
    *low = f8_mul(f8_sub(cz, root), scale);
    *high = f8_mul(f8_add(cz, root), scale);
}

static F8 f8_ceil(F8 a)
{
    return f8_sub(f8_zero(), f8_floor(f8_sub(f8_zero(), a)));
}

// First or last samples, cut to the picture.
static F8 sample_edge(F8 centre, F8 focal, F8 at, float more, F8 size)
{
    return f8_min(f8_max(f8_add(f8_mad(focal, at, centre), f8_set(more)), f8_zero()), size);
}

// Centres and radii in view space, and the samples they may touch, of LANES spheres.
typedef struct LaneSpheres {
    float x[LANES], y[LANES], z[LANES], radius[LANES];
    float x0[LANES], y0[LANES], x1[LANES], y1[LANES];
    unsigned seen; // bit k: sphere k is a number and in front of the camera
} LaneSpheres;

static void project_lanes(const LaneCamera* c, bool orthographic, float radius, float p[3][LANES], LaneSpheres* out)
{
    F8 d[3], v[3];
    for (int k = 0; k < 3; k++)
        d[k] = f8_sub(f8_sub(f8_load(p[k]), c->eye[k]), c->rest[k]);
    for (int k = 0; k < 3; k++)
        v[k] = f8_mad(c->axis[k][0], d[0], f8_mad(c->axis[k][1], d[1], f8_mul(c->axis[k][2], d[2])));
    F8 z = v[2], r = f8_max(f8_mul(c->smallest, orthographic ? f8_set(1) : z), f8_set(radius));
    F8 square = f8_mad(v[0], v[0], f8_mad(v[1], v[1], f8_mul(z, z)));
    F8 seen = f8_less(square, f8_set(1e36f)); // false for NaN too
    F8 x0 = f8_sub(v[0], r), x1 = f8_add(v[0], r), y0 = f8_sub(v[1], r), y1 = f8_add(v[1], r);
    if (!orthographic) {
        seen = f8_and(seen, f8_less(c->nearest, f8_sub(z, r)));
        tangent_bounds(v[0], z, r, &x0, &x1);
        tangent_bounds(v[1], z, r, &y0, &y1);
    }
    f8_store(out->x, v[0]);
    f8_store(out->y, v[1]);
    f8_store(out->z, z);
    f8_store(out->radius, r);
    out->seen = f8_mask(seen);
    // a sample more on each side than the tangents say
    f8_store(out->x0, f8_floor(sample_edge(c->centre_x, c->focal, x0, -0.5f, c->width)));
    f8_store(out->y0, f8_floor(sample_edge(c->centre_y, c->focal, y0, -0.5f, c->height)));
    f8_store(out->x1, f8_ceil(sample_edge(c->centre_x, c->focal, x1, 0.5f, c->width)));
    f8_store(out->y1, f8_ceil(sample_edge(c->centre_y, c->focal, y1, 0.5f, c->height)));
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
    const SphereSet* set = job->set;
    const LaneCamera camera = lane_camera(job->camera);
    for (size_t first = begin; first < end; first += LANES) {
        size_t lanes = end - first < LANES ? end - first : LANES;
        float p[3][LANES];
        for (size_t k = 0; k < LANES; k++)
            for (int axis = 0; axis < 3; axis++)
                p[axis][k] = set->position[(first + (k < lanes ? k : 0)) * set->stride + (size_t)axis];
        LaneSpheres s;
        project_lanes(&camera, job->camera->orthographic, set->radius, p, &s);
        for (size_t k = 0; k < lanes; k++) {
            size_t at = job->first + first + k;
            bool drawn = (s.seen >> k & 1) && !is_cut(&job->cut, set->position + (first + k) * set->stride);
            job->list->view[at] = (Vec4){s.x[k], s.y[k], s.z[k], drawn ? s.radius[k] : 0};
            job->list->bounds[at] = (SampleRect){(int32_t)s.x0[k], (int32_t)s.y0[k], (int32_t)s.x1[k], (int32_t)s.y1[k]};
            job->list->rect[at] = drawn ? tiles_of(job->list->bounds[at]) : tile_rect_none;
        }
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
    size_t sorted = list->sorted_per_worker * (size_t)pool_threads(pool);
    return memory_reserve(NULL, &list->sorted, &list->sorted_capacity, 0, sorted, sizeof *list->sorted) &&
           memory_reserve(NULL, &list->nearest, &list->nearest_capacity, 0, sorted, sizeof *list->nearest);
}

void sphere_list_free(SphereList* list)
{
    memory_give(NULL, list->view);
    memory_give(NULL, list->bounds);
    memory_give(NULL, list->rect);
    memory_give(NULL, list->sorted);
    memory_give(NULL, list->nearest);
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
                          float* nearest, size_t start[BUCKETS + 1])
{
    float low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        Vec4 s = list->view[item[k]];
        float z = nearest[k] = s.z - s.w;
        low = z < low ? z : low;
        high = z > high ? z : high;
    }
    float scale = high > low ? (BUCKETS - 0.01f) / (high - low) : 0;
    size_t next[BUCKETS] = {0};
    for (size_t k = 0; k < count; k++)
        next[(int)((nearest[k] - low) * scale) & (BUCKETS - 1)]++;
    size_t place = 0;
    for (int b = 0; b < BUCKETS; b++) {
        start[b] = place;
        place += next[b];
        next[b] = start[b];
    }
    start[BUCKETS] = place;
    for (size_t k = 0; k < count; k++) {
        const SampleRect* r = &list->bounds[item[k]];
        sorted[next[(int)((nearest[k] - low) * scale) & (BUCKETS - 1)]++] = (TileSphere){item[k],
                                                                                         nearest[k],
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
    float* nearest = list->nearest + (size_t)worker * list->sorted_per_worker;
    size_t start[BUCKETS + 1];
    Cells cells = {.stale = {255, 255, 255, 255, 255, 255, 255, 255}};
    sort_by_depth(list, tile, list->lists.item + first, count, sorted, nearest, start);
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
