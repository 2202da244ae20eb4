// SPDX-License-Identifier: MIT
// Points of a lattice around the solid are free if they are not in its matter. How high fluid can stand at a free point is the
// least that it must rise on any way out: a flood from outside, lowest points first (Barnes, Lehman and Mulla 2014,
// priority-flood), gives each point
//   rim(p) = max(height(p), least rim of its neighbours),
// where neighbours with a wall between them are none. Points with a rim above them hold fluid.
#include "fluid/hollow.h"

#include "fluid/spread.h"
#include <stdlib.h>
#include <string.h>

static const uint8_t FREE = 1, REACHED = 2;

typedef struct Lattice {
    const HollowDef* def;
    Vec3d low;
    int64_t n[3];
    size_t count;
    uint8_t* flag;
    double* rim; // [m] along up
} Lattice;

static Vec3d point_of(const Lattice* l, size_t k)
{
    size_t nx = (size_t)l->n[0], ny = (size_t)l->n[1];
    double d = l->def->spacing;
    return vec3d(l->low.x + d * (double)(k % nx), l->low.y + d * (double)(k / nx % ny), l->low.z + d * (double)(k / (nx * ny)));
}

static double height_of(const Lattice* l, size_t k)
{
    return vec3d_dot(point_of(l, k), l->def->up);
}

static bool is_border(const Lattice* l, size_t k)
{
    int64_t at[3] = {(int64_t)k % l->n[0], (int64_t)k / l->n[0] % l->n[1], (int64_t)k / (l->n[0] * l->n[1])};
    for (int axis = 0; axis < l->def->dimension; axis++)
        if (at[axis] == 0 || at[axis] == l->n[axis] - 1)
            return true;
    return false;
}

// --- free points

static void find_free(Lattice* l)
{
    const Solid* solid = l->def->solid;
    double near = l->def->clearance * l->def->spacing;
    for (size_t k = 0; k < l->count; k++) {
        Vec3d p = solid_to_local(solid, point_of(l, k));
        bool clear = near == 0 || inside_distance(solid->test, p, near, NULL, NULL) >= near;
        bool within = solid->closed && inside_contains(solid->test, p);
        l->flag[k] = clear && within == solid->inside ? FREE : 0;
    }
}

static bool is_wall_between(const Lattice* l, size_t a, size_t b)
{
    SurfacePass pass[1];
    const Solid* solid = l->def->solid;
    return inside_passes(solid->test, solid_to_local(solid, point_of(l, a)), solid_to_local(solid, point_of(l, b)), pass, 1) > 0;
}

// --- flood

typedef struct Heap {
    size_t* item;
    size_t count;
    const double* key;
} Heap;

static bool comes_before(const Heap* h, size_t a, size_t b)
{
    double x = h->key[a], y = h->key[b];
    return x < y || (x == y && a < b);
}

static void heap_push(Heap* h, size_t item)
{
    size_t k = h->count++;
    for (; k > 0 && comes_before(h, item, h->item[(k - 1) / 2]); k = (k - 1) / 2)
        h->item[k] = h->item[(k - 1) / 2];
    h->item[k] = item;
}

static size_t heap_pop(Heap* h)
{
    size_t top = h->item[0], last = h->item[--h->count], k = 0;
    for (;;) {
        size_t child = 2 * k + 1;
        if (child >= h->count)
            break;
        if (child + 1 < h->count && comes_before(h, h->item[child + 1], h->item[child]))
            child++;
        if (!comes_before(h, h->item[child], last))
            break;
        h->item[k] = h->item[child];
        k = child;
    }
    h->item[k] = last;
    return top;
}

static void flood(Lattice* l, Heap* heap)
{
    for (size_t k = 0; k < l->count; k++)
        if (is_border(l, k)) {
            l->flag[k] |= REACHED;
            l->rim[k] = height_of(l, k);
            heap_push(heap, k);
        }
    size_t stride[3] = {1, (size_t)l->n[0], (size_t)(l->n[0] * l->n[1])};
    while (heap->count) {
        size_t k = heap_pop(heap);
        if (is_border(l, k) && !(l->flag[k] & FREE))
            continue;
        for (int side = 0; side < 2 * l->def->dimension; side++) {
            size_t at = k / stride[side / 2] % (size_t)l->n[side / 2];
            if (side % 2 ? at + 1 >= (size_t)l->n[side / 2] : at == 0)
                continue;
            size_t next = side % 2 ? k + stride[side / 2] : k - stride[side / 2];
            if (l->flag[next] != FREE || is_wall_between(l, k, next))
                continue;
            l->flag[next] |= REACHED;
            l->rim[next] = fmax(l->rim[k], height_of(l, next));
            heap_push(heap, next);
        }
    }
}

// --- the whole

// The lattice lies `shift` [m] lower than where the solid begins.
static bool make_lattice(const HollowDef* def, double shift, Lattice* l)
{
    double d = def->spacing;
    Box3d box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const Solid* solid = def->solid;
    for (size_t k = 0; k < solid->mesh.vertex_count; k++) {
        Vec3d p = solid_to_world(solid, solid->mesh.vertex[k]);
        box.min = vec3d(fmin(box.min.x, p.x), fmin(box.min.y, p.y), fmin(box.min.z, p.z));
        box.max = vec3d(fmax(box.max.x, p.x), fmax(box.max.y, p.y), fmax(box.max.z, p.z));
    }
    const double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
    double start[3] = {0};
    l->def = def;
    l->count = 1;
    for (int axis = 0; axis < 3; axis++) {
        // centred, with a margin on either side
        double across = (high[axis] - low[axis]) / d;
        l->n[axis] = axis < def->dimension ? (int64_t)floor(across + 1e-6) + 4 : 1;
        start[axis] = axis < def->dimension ? (low[axis] + high[axis]) / 2 - d * (double)(l->n[axis] - 1) / 2 : 0;
        if ((double)l->count * (double)l->n[axis] > 2e9)
            return false;
        l->count *= (size_t)l->n[axis];
    }
    l->low = vec3d_sub(vec3d(start[0], start[1], start[2]), vec3d_scale(def->up, shift));
    l->flag = calloc(l->count, sizeof *l->flag);
    l->rim = malloc(l->count * sizeof *l->rim);
    Heap heap = {malloc(l->count * sizeof *heap.item), 0, l->rim};
    bool ok = l->flag && l->rim && heap.item;
    if (ok) {
        for (size_t k = 0; k < l->count; k++)
            l->rim[k] = INFINITY;
        find_free(l);
        flood(l, &heap);
    }
    free(heap.item);
    return ok;
}

static void free_lattice(Lattice* l)
{
    free(l->flag);
    free(l->rim);
    *l = (Lattice){0};
}

static bool holds(const Lattice* l, size_t k)
{
    return (l->flag[k] & FREE) && !is_border(l, k) && l->rim[k] > height_of(l, k) + 0.5 * l->def->spacing;
}

// The lowest point that holds fluid; SIZE_MAX: none.
static size_t lowest_of(const Lattice* l)
{
    size_t lowest = SIZE_MAX;
    for (size_t k = 0; k < l->count; k++)
        if (holds(l, k) && (lowest == SIZE_MAX || height_of(l, k) < height_of(l, lowest) - 1e-9 * l->def->spacing))
            lowest = k;
    return lowest;
}

static bool collect(const Lattice* l, size_t lowest, Hollow* out)
{
    double d = l->def->spacing;
    out->lowest = isnan(l->def->lowest) ? height_of(l, lowest) - d / 2 : l->def->lowest;
    out->rim = l->rim[lowest];
    double level = fmin(out->lowest + l->def->level, out->rim);
    out->point = malloc(l->count * sizeof *out->point);
    for (size_t k = 0; out->point && k < l->count; k++)
        if (holds(l, k) && height_of(l, k) <= level - d / 2 + 1e-3 * d)
            out->point[out->count++] = point_of(l, k);
    return out->point != NULL;
}

bool hollow_find(const HollowDef* def, Hollow* out)
{
    Lattice l = {0};
    *out = (Hollow){.rim = INFINITY};
    bool ok = make_lattice(def, 0, &l);
    size_t lowest = ok ? lowest_of(&l) : SIZE_MAX;
    if (ok && lowest != SIZE_MAX) {
        // a second lattice starts half a spacing above the floor
        Vec3d p = solid_to_local(def->solid, point_of(&l, lowest));
        double gap = inside_distance(def->solid->test, p, 2 * def->spacing, NULL, NULL) - def->spacing / 2;
        free_lattice(&l);
        ok = make_lattice(def, def->clearance > 0 ? fmax(gap, 0) : gap, &l);
        lowest = ok ? lowest_of(&l) : SIZE_MAX;
        ok = ok && (lowest == SIZE_MAX || collect(&l, lowest, out));
    }
    free_lattice(&l);
    return ok;
}

void hollow_free(Hollow* hollow)
{
    free(hollow->point);
    *hollow = (Hollow){0};
}

// --- filling

static const double CLEARANCE = 0.49; // [spacings] a little more than what carving takes away

// Nothing lies nearer to the surface than particles may. Which side of it is the right one is known from where the point came from:
// the middle of what is nearest to a particle is on its side.
static Vec3d off_the_walls(const void* context, Vec3d point)
{
    const HollowDef* def = context;
    double least = CLEARANCE * def->spacing;
    for (int tries = 0; tries < 3; tries++) {
        Vec3d p = solid_to_local(def->solid, point), closest;
        double distance = inside_distance(def->solid->test, p, least, &closest, NULL);
        if (!(distance < least) || !(distance > 1e-6 * least))
            break;
        Vec3d away = vec3d_scale(vec3d_sub(p, closest), 1.002 * least / distance);
        point = solid_to_world(def->solid, vec3d_add(closest, away));
        if (def->dimension == 2)
            point.z = 0;
    }
    return point;
}

// In a sharp corner there may be no place that is off both walls: carving would take such points away.
static void drop_stuck(const HollowDef* def, Hollow* hollow)
{
    size_t kept = 0;
    double least = def->clearance * def->spacing;
    for (size_t k = 0; k < hollow->count; k++) {
        Vec3d p = solid_to_local(def->solid, hollow->point[k]);
        if (inside_distance(def->solid->test, p, least, NULL, NULL) >= least)
            hollow->point[kept++] = hollow->point[k];
    }
    hollow->count = kept;
}

// [m] of the lattice that volumes are measured with: fine, but not more than a million points.
static double fine_spacing(const HollowDef* def)
{
    Box3d box = tri_mesh_bounds(&def->solid->mesh);
    Vec3d size = vec3d_scale(vec3d_sub(box.max, box.min), 1 / def->spacing);
    double cells = (size.x + 4) * (size.y + 4) * (def->dimension == 3 ? size.z + 4 : 1);
    for (int cuts = 4; cuts > 2; cuts--)
        if (cells * pow(cuts, def->dimension) < 1e6)
            return def->spacing / cuts;
    return def->spacing / 2;
}

// Cells of a lattice below the level, the last layer by its share, and leaves the points of those that are there by half.
static double cut_at_level(Hollow* space, Vec3d up, double spacing, double level)
{
    double sum = 0, top = fmin(space->lowest + level, space->rim);
    size_t kept = 0;
    for (size_t k = 0; k < space->count; k++) {
        double share = fmax(0, fmin(1, (top - vec3d_dot(space->point[k], up)) / spacing + 0.5));
        sum += share;
        if (share >= 0.5)
            space->point[kept++] = space->point[k];
    }
    space->count = kept;
    return sum;
}

bool hollow_fill(const Solid* solid, Vec3d up, double spacing, int dimension, double level, Hollow* out, double* out_wanted)
{
    HollowDef def = {solid, up, spacing, dimension, level, 0, (double)NAN}, fine = def;
    Hollow space;
    *out_wanted = 0;
    fine.spacing = fine_spacing(&def);
    fine.level += fine.spacing;
    if (!hollow_find(&fine, &space))
        return false;
    double cells = cut_at_level(&space, up, fine.spacing, level);
    def.clearance = 0.485; // as carving
    bool ok = hollow_find(&def, out);
    if (ok && out->count > 0 && space.count > 0) {
        // where it begins and overflows is known better from the fine lattice, and the coarse one is asked again
        *out_wanted = cells * pow(fine.spacing / spacing, dimension);
        def.lowest = space.lowest;
        hollow_free(out);
        ok = hollow_find(&def, out);
        out->lowest = space.lowest;
        out->rim = space.rim;
        SpreadDef spread = {space.point, space.count, spacing, dimension, up, off_the_walls, &def};
        size_t wanted = (size_t)(*out_wanted + 0.5);
        // a lattice that fits is the best start there is
        if (ok && fabs((double)out->count - *out_wanted) > 0.5 + 0.002 * *out_wanted) {
            ok = spread_points(&spread, &out->point, &out->count, wanted);
            drop_stuck(&def, out);
        }
    }
    hollow_free(&space);
    return ok;
}
