// SPDX-License-Identifier: MIT
// What surface sampling must know about a mesh: its edges with the triangles on both sides, which of them are creases, and
// which triangles form flat regions. A flat region is scanned as one polygon, so that the diagonals of a box's faces leave no
// trace in the particles.
#include "boundary/sample_parts.h"

#include <string.h>

static const float CREASE = 0.27f;        // squared difference of the normals, 30 degrees: sample the edge before the faces
static const float FLAT = 4e-8f;          // squared difference of the normals within one plane
static const double FLAT_DISTANCE = 1e-3; // [h] of a vertex from the plane of its region

static Vec3d widen(Vec3 a)
{
    return vec3d(a.x, a.y, a.z);
}

static Vec3 narrow(Vec3d a)
{
    return (Vec3){(float)a.x, (float)a.y, (float)a.z};
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static bool triangle_usable(const SampleSurface* s, size_t t)
{
    const uint32_t* v = s->mesh->triangle[t];
    size_t n = s->mesh->vertex_count;
    return v[0] < n && v[1] < n && v[2] < n && v[0] != v[1] && v[1] != v[2] && v[2] != v[0] && vec3d_finite(s->x[v[0]]) &&
           vec3d_finite(s->x[v[1]]) && vec3d_finite(s->x[v[2]]);
}

// Triangles without area keep a zero normal and are left out
static void surface_normals(SampleSurface* s)
{
    memset(s->vertex_normal, 0, s->mesh->vertex_count * sizeof *s->vertex_normal);
    memset(s->vertex_triangle, 0xff, s->mesh->vertex_count * sizeof *s->vertex_triangle);
    for (size_t t = 0; t < s->mesh->triangle_count; t++) {
        s->triangle_normal[t] = (Vec3){0, 0, 0};
        if (!triangle_usable(s, t))
            continue;
        const uint32_t* v = s->mesh->triangle[t];
        Vec3d e1 = vec3d_sub(s->x[v[1]], s->x[v[0]]), e2 = vec3d_sub(s->x[v[2]], s->x[v[0]]);
        Vec3d area = vec3d_cross(e1, e2);
        double length = vec3d_length(area);
        // thinner than rounding can tell: its direction means nothing
        if (!(length > 1e-12 * (vec3d_dot(e1, e1) + vec3d_dot(e2, e2))))
            continue;
        s->triangle_normal[t] = narrow(vec3d_scale(area, 1 / length));
        // weights 1 / (|e|^2 |e'|^2) of the edges at a corner: how a face is cut into triangles makes no difference at right angles
        Vec3d e3 = vec3d_sub(e2, e1);
        double l1 = vec3d_dot(e1, e1), l2 = vec3d_dot(e2, e2), l3 = vec3d_dot(e3, e3);
        const double weight[3] = {l3, l2, l1};
        double scale = 1 / (l1 * l2 * l3);
        for (int k = 0; k < 3; k++) {
            Vec3* n = &s->vertex_normal[v[k]];
            float w = (float)least(weight[k] * scale * length, 1e30);
            Vec3 m = s->triangle_normal[t];
            *n = (Vec3){n->x + w * m.x, n->y + w * m.y, n->z + w * m.z};
            s->vertex_triangle[v[k]] = (uint32_t)t;
        }
    }
    for (size_t v = 0; v < s->mesh->vertex_count; v++)
        s->vertex_normal[v] = narrow(vec3d_normalise(widen(s->vertex_normal[v])));
}

static bool triangle_left_out(const SampleSurface* s, size_t t)
{
    Vec3 n = s->triangle_normal[t];
    return n.x == 0 && n.y == 0 && n.z == 0;
}

static uint32_t opposite_corner(const SampleSurface* s, uint32_t t, const SampleEdge* e)
{
    const uint32_t* v = s->mesh->triangle[t];
    for (int k = 0; k < 2; k++)
        if (v[k] != e->a && v[k] != e->b)
            return v[k];
    return v[2];
}

// squared length of the difference; `sign` -1 turns the second round
static float normals_apart(Vec3 a, Vec3 b, float sign)
{
    float x = a.x - sign * b.x, y = a.y - sign * b.y, z = a.z - sign * b.z;
    return x * x + y * y + z * z;
}

static SampleEdgeKind edge_kind(const SampleSurface* s, const SampleEdge* e)
{
    if (e->triangle[1] == SAMPLE_NONE || e->kind == SAMPLE_EDGE_CREASE)
        return SAMPLE_EDGE_CREASE;
    float apart = normals_apart(s->triangle_normal[e->triangle[0]], s->triangle_normal[e->triangle[1]], e->flipped ? -1 : 1);
    return apart > CREASE ? SAMPLE_EDGE_CREASE : apart > FLAT ? SAMPLE_EDGE_SMOOTH : SAMPLE_EDGE_FLAT;
}

// Edges are in a list of that end point which has fewer triangles: the lists stay short even around the hub of a large fan.
typedef struct EdgeLists {
    uint32_t* degree; // triangle corners at a vertex
    uint32_t* head;   // first edge
} EdgeLists;

static uint32_t edge_find_or_add(SampleSurface* s, EdgeLists* lists, uint32_t a, uint32_t b, uint32_t t)
{
    bool forward = a < b;
    if (!forward) {
        uint32_t c = a;
        a = b;
        b = c;
    }
    uint32_t home = lists->degree[b] < lists->degree[a] ? b : a;
    for (uint32_t i = lists->head[home]; i != SAMPLE_NONE; i = s->edge[i].next) {
        SampleEdge* e = &s->edge[i];
        if (e->a != a || e->b != b)
            continue;
        if (e->triangle[1] == SAMPLE_NONE) {
            e->triangle[1] = t;
            e->flipped = e->forward == forward;
        } else
            e->kind = SAMPLE_EDGE_CREASE; // a third triangle
        return i;
    }
    uint32_t i = (uint32_t)s->edge_count++;
    s->edge[i] = (SampleEdge){a, b, {t, SAMPLE_NONE}, lists->head[home], SAMPLE_EDGE_SMOOTH, forward, false};
    lists->head[home] = i;
    return i;
}

static bool surface_edges(SampleSurface* s, Memory* memory)
{
    size_t vertices = s->mesh->vertex_count;
    uint32_t* scratch = memory_take(memory, 2 * vertices * sizeof *scratch);
    if (!scratch)
        return false;
    EdgeLists lists = {scratch, scratch + vertices};
    memset(lists.degree, 0, vertices * sizeof *lists.degree);
    memset(lists.head, 0xff, vertices * sizeof *lists.head);
    for (size_t t = 0; t < s->mesh->triangle_count; t++)
        for (int k = 0; k < 3 && !triangle_left_out(s, t); k++)
            lists.degree[s->mesh->triangle[t][k]]++;

    s->edge_count = 0;
    for (size_t t = 0; t < s->mesh->triangle_count; t++) {
        const uint32_t* v = s->mesh->triangle[t];
        for (int k = 0; k < 3 && !triangle_left_out(s, t); k++)
            s->triangle_edge[t][k] = edge_find_or_add(s, &lists, v[k], v[(k + 1) % 3], (uint32_t)t);
    }
    for (size_t i = 0; i < s->edge_count; i++)
        s->edge[i].kind = edge_kind(s, &s->edge[i]);
    memory_give(memory, scratch);
    return true;
}

// Appends all that can be reached from triangle `seed` within its plane; returns the new length of region_triangle. The plane
// of the first triangle counts, so that a finely meshed curved surface does not pass for flat.
static size_t region_grow(SampleSurface* s, uint32_t seed, uint32_t region, uint32_t* region_of, size_t begin)
{
    size_t end = begin;
    Vec3 normal = s->triangle_normal[seed];
    Vec3d wide = widen(normal), point = s->x[s->mesh->triangle[seed][0]];
    region_of[seed] = region;
    s->region_triangle[end++] = seed;
    for (size_t i = begin; i < end; i++) {
        uint32_t t = s->region_triangle[i];
        for (int k = 0; k < 3; k++) {
            const SampleEdge* e = &s->edge[s->triangle_edge[t][k]];
            if (e->kind != SAMPLE_EDGE_FLAT)
                continue;
            uint32_t other = e->triangle[e->triangle[0] == t];
            if (region_of[other] != SAMPLE_NONE)
                continue;
            // the other two corners are in the plane already
            Vec3d corner = s->x[opposite_corner(s, other, e)];
            float same = normals_apart(normal, s->triangle_normal[other], 1);
            float turned = normals_apart(normal, s->triangle_normal[other], -1);
            if ((same > 4 * FLAT && turned > 4 * FLAT) || fabs(vec3d_dot(wide, vec3d_sub(corner, point))) > FLAT_DISTANCE)
                continue;
            region_of[other] = region;
            s->region_triangle[end++] = other;
        }
    }
    return end;
}

static bool surface_regions(SampleSurface* s, Memory* memory)
{
    size_t triangles = s->mesh->triangle_count, used = 0;
    uint32_t* region_of = memory_take(memory, triangles * sizeof *region_of);
    if (!region_of)
        return false;
    memset(region_of, 0xff, triangles * sizeof *region_of);
    s->region_count = 0;
    for (size_t t = 0; t < triangles; t++) {
        if (region_of[t] != SAMPLE_NONE || triangle_left_out(s, t))
            continue;
        s->region_begin[s->region_count] = (uint32_t)used;
        used = region_grow(s, (uint32_t)t, (uint32_t)s->region_count++, region_of, used);
    }
    s->region_begin[s->region_count] = (uint32_t)used;

    // two regions that meet in a nearly flat edge are still two
    for (size_t i = 0; i < s->edge_count; i++) {
        SampleEdge* e = &s->edge[i];
        if (e->kind == SAMPLE_EDGE_FLAT && region_of[e->triangle[0]] != region_of[e->triangle[1]])
            e->kind = SAMPLE_EDGE_SMOOTH;
    }
    memory_give(memory, region_of);
    return true;
}

static void surface_vertex_kinds(SampleSurface* s)
{
    for (size_t v = 0; v < s->mesh->vertex_count; v++)
        s->vertex_kind[v] = SAMPLE_EDGE_FLAT;
    for (size_t i = 0; i < s->edge_count; i++) {
        const SampleEdge* e = &s->edge[i];
        if (e->kind < s->vertex_kind[e->a])
            s->vertex_kind[e->a] = e->kind;
        if (e->kind < s->vertex_kind[e->b])
            s->vertex_kind[e->b] = e->kind;
    }
}

Vec3 sample_edge_normal(const SampleSurface* s, const SampleEdge* e)
{
    if (e->triangle[0] == SAMPLE_NONE) {
        Vec3d along = vec3d_sub(s->x[e->b], s->x[e->a]);
        return narrow(vec3d_normalise(vec3d(along.y, -along.x, 0)));
    }
    Vec3 a = s->triangle_normal[e->triangle[0]];
    if (e->triangle[1] == SAMPLE_NONE)
        return a;
    return narrow(vec3d_normalise(vec3d_add(widen(a), widen(s->triangle_normal[e->triangle[1]]))));
}

bool sample_surface_build(SampleSurface* s, const TriMesh* mesh, Memory* memory)
{
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    s->mesh = mesh;
    s->triangle_normal = memory_take(memory, triangles * sizeof *s->triangle_normal);
    s->vertex_normal = memory_take(memory, vertices * sizeof *s->vertex_normal);
    s->vertex_triangle = memory_take(memory, vertices * sizeof *s->vertex_triangle);
    s->vertex_kind = memory_take(memory, vertices * sizeof *s->vertex_kind);
    s->edge = memory_take(memory, 3 * triangles * sizeof *s->edge);
    s->triangle_edge = memory_take(memory, triangles * sizeof *s->triangle_edge);
    s->region_begin = memory_take(memory, (triangles + 1) * sizeof *s->region_begin);
    s->region_triangle = memory_take(memory, triangles * sizeof *s->region_triangle);
    if (!s->triangle_normal || !s->vertex_normal || !s->vertex_triangle || !s->vertex_kind || !s->edge || !s->triangle_edge ||
        !s->region_begin || !s->region_triangle)
        return false;
    surface_normals(s);
    if (!surface_edges(s, memory) || !surface_regions(s, memory))
        return false;
    surface_vertex_kinds(s);
    return true;
}

void sample_surface_free(SampleSurface* s, Memory* memory)
{
    memory_give(memory, s->x);
    memory_give(memory, s->triangle_normal);
    memory_give(memory, s->vertex_normal);
    memory_give(memory, s->vertex_triangle);
    memory_give(memory, s->vertex_kind);
    memory_give(memory, s->edge);
    memory_give(memory, s->triangle_edge);
    memory_give(memory, s->region_begin);
    memory_give(memory, s->region_triangle);
    *s = (SampleSurface){0};
}
