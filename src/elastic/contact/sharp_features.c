// SPDX-License-Identifier: MIT
// A cloth whose edges are e long spans what its vertices do not touch. Over an edge of the solid, where its faces turn by the angle
// a within a width w (how far the faces reach from the edge), it cuts in by about
//   a e / 4 max(1, e / (2 w)),
// the sag of a chord where the solid is round and its faces are small (a / w is the curvature). Where that is more than may be
// missed, the edge is sharp: its ends are features, and so are points along it. Vertices that lie closer than the cloth could tell
// are thinned out, the sharpest stay. Edges that are hollow, seen from where the cloth is, are left to the cloth's own vertices.
#include "elastic/contact/sharp_features.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FEATURES = 200000, MOST_LEVELS = 8 };

static const double APART = 0.35;  // of the cloth's edge, between points along an edge
static const double WIDE = 16;     // wide cells, of the cloth's edge
static const double THINNED = 0.1; // of the cloth's edge: closer vertices are one

typedef struct Side { // of a triangle
    uint32_t a, b;    // vertices, the lesser first
    uint32_t triangle, apex;
    uint32_t turned; // it runs from b to a
} Side;

typedef struct Sharp { // a vertex
    int level;         // cells of its kind are half as wide as those of the level below
    uint64_t key;      // of the cell in which only one may stay
    double depth;
    uint32_t vertex;
} Sharp;

typedef struct Bend { // at an edge, or the worst at a vertex
    double depth;     // [m] that a cloth would cut in
    double curvature; // [1/m]
    Vec3d out;        // between the faces
} Bend;

static int compare_sides(const void* p, const void* q)
{
    const Side *a = p, *b = q;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static int compare_sharps(const void* p, const void* q)
{
    const Sharp *a = p, *b = q;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth > b->depth ? -1 : 1;
    return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

static Vec3d normal_of(const TriMesh* mesh, uint32_t triangle)
{
    const uint32_t* t = mesh->triangle[triangle];
    Vec3d a = mesh->vertex[t[0]];
    return vec3d_normalise(vec3d_cross(vec3d_sub(mesh->vertex[t[1]], a), vec3d_sub(mesh->vertex[t[2]], a)));
}

// Outside in: the mesh's triangles are turned around.
static bool is_turned(const TriMesh* mesh)
{
    double volume = 0;
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        const uint32_t* t = mesh->triangle[k];
        volume += vec3d_dot(mesh->vertex[t[0]], vec3d_cross(mesh->vertex[t[1]], mesh->vertex[t[2]]));
    }
    return volume < 0;
}

// How far from the edge its triangle reaches.
static double width_of(const TriMesh* mesh, const Side* s)
{
    Vec3d along = vec3d_sub(mesh->vertex[s->b], mesh->vertex[s->a]), arm = vec3d_sub(mesh->vertex[s->apex], mesh->vertex[s->a]);
    double length = vec3d_length(along);
    return length > 0 ? vec3d_length(vec3d_cross(along, arm)) / length : 0;
}

// Of the edge of the triangles `s`.
static Bend bend_at(const TriMesh* mesh, const Side* s, size_t count, const SharpRule* rule, bool flip)
{
    if (count != 2)
        return (Bend){rule->edge, 1 / rule->depth, {0, 0, 0}}; // a border, or where more than two meet
    Vec3d n = normal_of(mesh, s[0].triangle), m = normal_of(mesh, s[1].triangle);
    double angle = atan2(vec3d_length(vec3d_cross(n, m)), vec3d_dot(n, m));
    // the apex of one lies behind the other: it sticks out
    bool out = (vec3d_dot(n, vec3d_sub(mesh->vertex[s[1].apex], mesh->vertex[s[0].a])) < 0) != flip;
    bool known = s[0].turned != s[1].turned && rule->closed;
    out = out || !known;
    double width = fmax(width_of(mesh, &s[0]), width_of(mesh, &s[1]));
    if (!out || !(angle > 0))
        return (Bend){0};
    return (Bend){fmin(0.25 * angle * rule->edge * fmax(1, 0.5 * rule->edge / width), rule->edge), angle / width,
                  vec3d_scale(vec3d_normalise(vec3d_add(n, m)), !known ? 0
                                                                : flip ? -1
                                                                       : 1)};
}

static bool add(SharpFeatures* features, Vec3d at, Vec3d out)
{
    Memory* memory = features->cells.memory;
    size_t n = features->count;
    if (!memory_reserve(memory, &features->at, &features->at_capacity, n, n + 1, sizeof *features->at) ||
        !memory_reserve(memory, &features->out, &features->out_capacity, n, n + 1, sizeof *features->out))
        return false;
    features->at[n] = at;
    features->out[n] = out;
    features->count++;
    return true;
}

static bool add_along(SharpFeatures* features, Vec3d a, Vec3d b, Vec3d out, double apart)
{
    double parts = ceil(vec3d_distance(a, b) / apart);
    for (double k = 1; k < parts && features->count < MOST_FEATURES; k++)
        if (!add(features, vec3d_lerp(a, b, k / parts), out))
            return false;
    return true;
}

static bool add_vertices(SharpFeatures* features, const TriMesh* mesh, const Bend* bend, const SharpRule* rule)
{
    Sharp* sharp = memory_take(NULL, (mesh->vertex_count + 1) * sizeof *sharp);
    if (!sharp)
        return false;
    size_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (!(bend[v].depth > rule->depth))
            continue;
        Vec3d x = mesh->vertex[v];
        // what lies between two that stay sticks out by less than may be missed
        double apart = sqrt(8 * 0.25 * rule->depth / bend[v].curvature), width = THINNED * rule->edge;
        int level = 0;
        for (; level < MOST_LEVELS && width > apart; level++)
            width *= 0.5;
        Cells cells = {.inverse = 1 / width};
        uint64_t key = cells_key(cells_number(&cells, x.x), cells_number(&cells, x.y), cells_number(&cells, x.z));
        sharp[count++] = (Sharp){level, key, bend[v].depth, v};
    }
    qsort(sharp, count, sizeof *sharp, compare_sharps);
    bool ok = true;
    for (size_t k = 0; k < count && ok; k++)
        ok = (k > 0 && sharp[k].level == sharp[k - 1].level && sharp[k].key == sharp[k - 1].key) ||
             add(features, mesh->vertex[sharp[k].vertex], vec3d_normalise(bend[sharp[k].vertex].out));
    memory_give(NULL, sharp);
    return ok;
}

static size_t collect_sides(const TriMesh* mesh, Side* side)
{
    size_t count = 0;
    for (uint32_t k = 0; k < mesh->triangle_count; k++)
        for (int c = 0; c < 3; c++) {
            uint32_t a = mesh->triangle[k][c], b = mesh->triangle[k][(c + 1) % 3];
            side[count++] = (Side){a < b ? a : b, a < b ? b : a, k, mesh->triangle[k][(c + 2) % 3], a > b};
        }
    qsort(side, count, sizeof *side, compare_sides);
    return count;
}

static bool find(SharpFeatures* features, const TriMesh* mesh, const SharpRule* rule, Side* side, Bend* bend)
{
    size_t count = collect_sides(mesh, side);
    bool ok = true, flip = is_turned(mesh) != rule->container;
    double length = 0;
    memset(bend, 0, mesh->vertex_count * sizeof *bend);
    for (size_t pass = 0; pass < 2 && ok; pass++) {
        double apart = fmax(APART * rule->edge, length / MOST_FEATURES);
        for (size_t k = 0, next; k < count && ok; k = next) {
            for (next = k + 1; next < count && side[next].a == side[k].a && side[next].b == side[k].b;)
                next++;
            Bend d = bend_at(mesh, &side[k], next - k, rule, flip);
            if (!(d.depth > rule->depth))
                continue;
            Vec3d from = mesh->vertex[side[k].a], to = mesh->vertex[side[k].b];
            if (pass == 1) {
                ok = add_along(features, from, to, d.out, apart);
                continue;
            }
            length += vec3d_distance(from, to);
            for (int c = 0; c < 2; c++) {
                Bend* b = &bend[c == 0 ? side[k].a : side[k].b];
                *b = (Bend){fmax(b->depth, d.depth), fmax(b->curvature, d.curvature), vec3d_add(b->out, d.out)};
            }
        }
    }
    return ok && add_vertices(features, mesh, bend, rule);
}

static bool sort(const SharpFeatures* features, Cells* cells, double width)
{
    cells_begin(cells, width);
    if (!cells_reserve(cells, features->count))
        return false;
    for (size_t k = 0; k < features->count; k++)
        cells_put(cells, k, features->at[k]);
    cells_sort(cells);
    for (size_t k = 0; k < features->count; k++)
        cells_fill(cells, k, 0, cells->order[k], features->at[cells->order[k]]);
    return true;
}

bool sharp_features_find(SharpFeatures* features, const TriMesh* mesh, const SharpRule* rule)
{
    Side* side = memory_take(NULL, (3 * mesh->triangle_count + 1) * sizeof *side);
    Bend* bend = memory_take(NULL, (mesh->vertex_count + 1) * sizeof *bend);
    features->wide.memory = features->cells.memory;
    bool ok = side && bend && find(features, mesh, rule, side, bend) &&
              (features->count == 0 ||
               (sort(features, &features->cells, rule->edge) && sort(features, &features->wide, WIDE * rule->edge)));
    memory_give(NULL, side);
    memory_give(NULL, bend);
    features->limit = WIDE * rule->edge;
    features->ready = ok;
    return ok;
}

void sharp_features_free(SharpFeatures* features)
{
    memory_give(features->cells.memory, features->at);
    memory_give(features->cells.memory, features->out);
    cells_free(&features->cells);
    cells_free(&features->wide);
    *features = (SharpFeatures){.cells = features->cells};
}

// The square of the distance to the nearest one, at most `limit` squared; of any that is nearer than `near`.
static double nearest(const SharpFeatures* features, const Cells* cells, Vec3d x, double near, double limit)
{
    Vec3d r = {limit, limit, limit};
    CellBox box = cells_box(cells, vec3d_sub(x, r), vec3d_add(x, r));
    double least = limit * limit;
    bool all = cells_in_box(&box) > (double)features->count;
    for (size_t n = 0; all && n < features->count && least >= near * near; n++) {
        Vec3d d = vec3d_sub(features->at[n], x);
        double square = vec3d_dot(d, d);
        least = square < least ? square : least;
    }
    for (int32_t k = box.low[2]; !all && k <= box.high[2]; k++)
        for (int32_t j = box.low[1]; j <= box.high[1]; j++)
            for (int32_t i = box.low[0]; i <= box.high[0]; i++) {
                uint32_t slot = cells_slot(cells, cells_key(i, j, k)), end = cells->start[slot + 1];
                for (uint32_t n = cells->start[slot]; n < end; n++) {
                    Vec3d d = vec3d_sub(cells->item[n].at, x); // those of other cells do no harm
                    double square = vec3d_dot(d, d);
                    least = square < least ? square : least;
                }
                if (least < near * near)
                    return least;
            }
    return least;
}

double sharp_features_clear(const SharpFeatures* features, Vec3d x, double near)
{
    if (nearest(features, &features->cells, x, near, near) < near * near)
        return 0;
    // far away cells may be large, and what they say is good for many steps
    return fmax(near, sqrt(nearest(features, &features->wide, x, 0, features->limit)));
}
