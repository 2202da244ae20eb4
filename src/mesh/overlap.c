// SPDX-License-Identifier: MIT
// Where parts of a mesh overlap. With w(x) how many parts hold a point (its winding number), a mesh's signed sum of simplices is
// int w, and its space is what has w > 0: the sum counts max(w - 1, 0) too often. That is integrated along columns of a lattice
// over where boxes around parts overlap, exactly along each column and by midpoints across. So only what overlaps has an error, of
// about 1e-4 of itself, and meshes without overlaps none at all.
#include "mesh/moments.h"

#include "base/union_find.h"

#include <stdlib.h>

enum { COLUMNS = 256, LINES = 16384 }; // along x and y of a space; along x of a plane

typedef struct Crossing {
    uint32_t column;
    int turn; // +1: into a part
    double at;
} Crossing;

typedef struct Columns {
    Vec3d low;          // [m] corner of the lattice
    double dx, dy;      // [m] of a column; dy 0: in a plane, where columns run along y
    uint32_t nx, ny;    // how many
    Crossing* crossing; // NULL: they are counted
    size_t count;
} Columns;

// --- where parts may overlap

static Box3d no_box(void)
{
    return (Box3d){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static Box3d box_of_both(Box3d a, Box3d b)
{
    return (Box3d){vec3d_max(a.min, b.min), vec3d_min(a.max, b.max)};
}

static bool has_room(Box3d b, bool flat)
{
    return b.min.x < b.max.x && b.min.y < b.max.y && (flat || b.min.z < b.max.z);
}

static void join_parts(const TriMesh* mesh, uint32_t* parent)
{
    for (size_t i = 0; i < mesh->vertex_count; i++)
        parent[i] = (uint32_t)i;
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        union_join(parent, mesh->triangle[k][0], mesh->triangle[k][1]);
        union_join(parent, mesh->triangle[k][1], mesh->triangle[k][2]);
    }
    for (size_t k = 0; k < mesh->segment_count; k++)
        union_join(parent, mesh->segment[k][0], mesh->segment[k][1]);
}

// Around all of what two boxes of parts have in common. `box` has one for each vertex that is a root.
static Box3d common_of(const TriMesh* mesh, uint32_t* parent, Box3d* box, bool flat)
{
    size_t parts = 0;
    Box3d common = no_box();
    for (size_t i = 0; i < mesh->vertex_count; i++)
        box[i] = no_box();
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        Box3d* b = &box[union_root(parent, (uint32_t)i)];
        *b = (Box3d){vec3d_min(b->min, mesh->vertex[i]), vec3d_max(b->max, mesh->vertex[i])};
    }
    for (size_t i = 0; i < mesh->vertex_count; i++)
        if (parent[i] == i && has_room(box[i], flat))
            box[parts++] = box[i];
    for (size_t a = 0; a < parts; a++)
        for (size_t b = a + 1; b < parts; b++) {
            Box3d both = box_of_both(box[a], box[b]);
            if (has_room(both, flat))
                common = (Box3d){vec3d_min(common.min, both.min), vec3d_max(common.max, both.max)};
        }
    return common;
}

// --- columns

static void put(Columns* c, uint32_t column, double at, int turn)
{
    if (c->crossing)
        c->crossing[c->count] = (Crossing){column, turn, at};
    c->count++;
}

static bool is_before(Vec3d a, Vec3d b)
{
    return a.x != b.x ? a.x < b.x : a.y < b.y;
}

// Twice the area of a, b and p; the same but for the sign if a and b change places.
static double edge_side(Vec3d a, Vec3d b, double x, double y)
{
    bool swap = is_before(b, a);
    Vec3d p = swap ? b : a, q = swap ? a : b;
    double area = (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x);
    return swap ? -area : area;
}

// Whether a column at `side` of an edge counts for a triangle that looks up or down. On the edge it does for one of two triangles
// that look the same way, and for both or none of others.
static bool is_within(double side, Vec3d a, Vec3d b, bool up)
{
    if (side == 0)
        return is_before(a, b) == up;
    return (side > 0) == up;
}

static uint32_t first_column(double x, double low, double step, uint32_t n)
{
    return (uint32_t)fmin(fmax(floor((x - low) / step), 0), (double)n);
}

static void cross_triangle(Columns* c, Vec3d p0, Vec3d p1, Vec3d p2)
{
    double area = edge_side(p0, p1, p2.x, p2.y);
    bool up = area > 0;
    double low_x = fmin(p0.x, fmin(p1.x, p2.x)), high_x = fmax(p0.x, fmax(p1.x, p2.x));
    double low_y = fmin(p0.y, fmin(p1.y, p2.y)), high_y = fmax(p0.y, fmax(p1.y, p2.y));
    if (area == 0)
        return;
    uint32_t x0 = first_column(low_x, c->low.x, c->dx, c->nx), x1 = first_column(high_x + c->dx, c->low.x, c->dx, c->nx);
    uint32_t y0 = first_column(low_y, c->low.y, c->dy, c->ny), y1 = first_column(high_y + c->dy, c->low.y, c->dy, c->ny);
    for (uint32_t j = y0; j < y1; j++)
        for (uint32_t i = x0; i < x1; i++) {
            double x = c->low.x + (i + 0.5) * c->dx, y = c->low.y + (j + 0.5) * c->dy;
            double a = edge_side(p1, p2, x, y), b = edge_side(p2, p0, x, y), d = edge_side(p0, p1, x, y);
            if (is_within(a, p1, p2, up) && is_within(b, p2, p0, up) && is_within(d, p0, p1, up) && a + b + d != 0)
                put(c, j * c->nx + i, (a * p0.z + b * p1.z + d * p2.z) / (a + b + d), up ? -1 : 1);
        }
}

static void cross_segment(Columns* c, Vec3d a, Vec3d b)
{
    uint32_t x0 = first_column(fmin(a.x, b.x), c->low.x, c->dx, c->nx),
             x1 = first_column(fmax(a.x, b.x) + c->dx, c->low.x, c->dx, c->nx);
    for (uint32_t i = x0; i < x1; i++) {
        double x = c->low.x + (i + 0.5) * c->dx;
        if ((a.x <= x) != (b.x <= x)) // the inside is on the left
            put(c, i, a.y + (x - a.x) / (b.x - a.x) * (b.y - a.y), a.x <= x ? 1 : -1);
    }
}

static void cross_all(Columns* c, const TriMesh* mesh)
{
    c->count = 0;
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        const uint32_t* t = mesh->triangle[k];
        cross_triangle(c, mesh->vertex[t[0]], mesh->vertex[t[1]], mesh->vertex[t[2]]);
    }
    for (size_t k = 0; k < mesh->segment_count && mesh->triangle_count == 0; k++)
        cross_segment(c, mesh->vertex[mesh->segment[k][0]], mesh->vertex[mesh->segment[k][1]]);
}

static int in_order(const void* a, const void* b)
{
    const Crossing *p = a, *q = b;
    if (p->column != q->column)
        return p->column < q->column ? -1 : 1;
    return p->at != q->at ? (p->at < q->at ? -1 : 1) : p->turn - q->turn;
}

// --- sums

// A piece of a column from `from` to `to`, `times` over: a box, whose moments are known.
static void add_piece(Moments* m, const Columns* c, Vec3d about, uint32_t column, double from, double to, double times)
{
    bool flat = c->dy == 0;
    double length = to - from, size[3] = {c->dx, flat ? length : c->dy, flat ? 0 : length};
    double weight = times * c->dx * (flat ? 1 : c->dy) * length, middle = 0.5 * (from + to);
    Vec3d at = vec3d(c->low.x + (column % c->nx + 0.5) * c->dx, flat ? middle : c->low.y + (column / c->nx + 0.5) * c->dy,
                     flat ? about.z : middle);
    at = vec3d_sub(at, about);
    const double r[3] = {at.x, at.y, at.z};
    m->measure += weight;
    m->first = vec3d_mad(m->first, weight, at);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m->second[i][j] += weight * (r[i] * r[j] + (i == j ? size[i] * size[i] / 12 : 0));
}

static void add_all(Moments* m, const Columns* c, Vec3d about, double side)
{
    int winding = 0;
    for (size_t k = 0; k + 1 < c->count; k++) {
        const Crossing *p = &c->crossing[k], *q = p + 1;
        winding += side < 0 ? -p->turn : p->turn;
        if (p->column != q->column)
            winding = 0;
        else if (winding > 1)
            add_piece(m, c, about, p->column, p->at, q->at, winding - 1);
    }
}

bool moments_of_overlaps(const TriMesh* mesh, Vec3d about, double side, Moments* out)
{
    bool flat = mesh->triangle_count == 0, ok;
    uint32_t* parent = memory_take(NULL, (mesh->vertex_count + 1) * sizeof *parent);
    Box3d common = no_box(), *box = memory_take(NULL, (mesh->vertex_count + 1) * sizeof *box);
    *out = (Moments){0};
    ok = parent && box;
    if (ok) {
        join_parts(mesh, parent);
        common = common_of(mesh, parent, box, flat);
    }
    memory_give(NULL, parent);
    memory_give(NULL, box);
    if (!ok || !has_room(common, flat))
        return ok;
    Columns c = {.low = common.min, .nx = flat ? LINES : COLUMNS, .ny = flat ? 1 : COLUMNS};
    c.dx = (common.max.x - common.min.x) / c.nx;
    c.dy = flat ? 0 : (common.max.y - common.min.y) / c.ny;
    cross_all(&c, mesh);
    c.crossing = memory_take(NULL, (c.count + 1) * sizeof *c.crossing);
    if (!c.crossing)
        return false;
    cross_all(&c, mesh);
    qsort(c.crossing, c.count, sizeof *c.crossing, in_order);
    add_all(out, &c, about, side);
    memory_give(NULL, c.crossing);
    return true;
}
