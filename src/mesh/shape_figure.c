// SPDX-License-Identifier: MIT
// A figure with a trunk, a head, arms and legs: round limbs that blend into each other. It is the level set of a field, found by
// marching tetrahedra (in 2D triangles) on a lattice whose cubes are cut along one diagonal, which leaves no ambiguous case: the
// surface is closed and has no edge of more than two triangles.
#include "mesh/shape_parts.h"

#include "base/memory.h"
#include <string.h>

enum { CELLS_MIN = 32, CELLS_MAX = 128 }; // over the height

static const double BLEND = 0.035; // of the height: how far limbs round off where they meet
static const double NEAR = 0.06;   // of the spacing: lattice points are not nearer to the surface, or triangles become needles

// For the height 1, around the middle; right limbs, left ones mirror them.
typedef struct Limb {
    Vec3d a, b;
    double radius_a, radius_b;
    bool twice;
} Limb;

static const Limb LIMBS[] = {
    {{0, -0.03, 0}, {0, 0.17, 0}, 0.095, 0.115, false},                    // trunk
    {{0.045, -0.07, 0}, {-0.045, -0.07, 0}, 0.09, 0.09, false},            // hips
    {{0, 0.24, 0}, {0, 0.33, 0.01}, 0.05, 0.045, false},                   // neck
    {{0, 0.395, 0.005}, {0, 0.4, 0.015}, 0.1, 0.095, false},               // head
    {{0.11, 0.215, 0}, {0.26, 0.11, 0.01}, 0.052, 0.043, true},            // upper arm
    {{0.26, 0.11, 0.01}, {0.385, 0.0, 0.055}, 0.043, 0.036, true},         // forearm
    {{0.385, 0.0, 0.055}, {0.42, -0.035, 0.07}, 0.042, 0.042, true},       // hand
    {{0.075, -0.09, 0}, {0.105, -0.27, 0.012}, 0.072, 0.055, true},        // thigh
    {{0.105, -0.27, 0.012}, {0.115, -0.445, 0}, 0.055, 0.043, true},       // shank
    {{0.115, -0.455, -0.012}, {0.125, -0.458, 0.085}, 0.045, 0.042, true}, // foot
};

static double to_limb(const Limb* limb, Vec3d p)
{
    Vec3d d = vec3d_sub(limb->b, limb->a);
    double t = vec3d_dot(vec3d_sub(p, limb->a), d) / vec3d_dot(d, d);
    t = fmin(fmax(t, 0), 1);
    return vec3d_distance(p, vec3d_mad(limb->a, t, d)) - (limb->radius_a + t * (limb->radius_b - limb->radius_a));
}

// The smaller one, with a round valley between.
static double blend(double a, double b)
{
    double h = fmax(BLEND - fabs(a - b), 0) / BLEND;
    return fmin(a, b) - 0.25 * h * h * BLEND;
}

// Negative inside; about a distance.
static double field(Vec3d p)
{
    double sum = 1;
    for (size_t k = 0; k < sizeof LIMBS / sizeof *LIMBS; k++) {
        sum = blend(sum, to_limb(&LIMBS[k], p));
        if (LIMBS[k].twice)
            sum = blend(sum, to_limb(&LIMBS[k], vec3d(-p.x, p.y, p.z)));
    }
    return sum;
}

// --- the lattice

typedef struct Lattice {
    TriMesh* mesh;
    double spacing, height;
    int n[3]; // points along each axis
    Vec3d low;
    float* value;     // (points)
    uint32_t* vertex; // (7 per point) on the edges to the next points, or UINT32_MAX
} Lattice;

static size_t number_of(const Lattice* l, const int c[3])
{
    return ((size_t)c[2] * (size_t)l->n[1] + (size_t)c[1]) * (size_t)l->n[0] + (size_t)c[0];
}

static Vec3d place_of(const Lattice* l, const int c[3])
{
    return vec3d(l->low.x + c[0] * l->spacing, l->low.y + c[1] * l->spacing, l->low.z + c[2] * l->spacing);
}

static bool make_lattice(Lattice* l, double height, double tolerance, int dimension)
{
    // a chord of length s misses a circle of the thinnest limb by s^2 / 8 r
    double wanted = sqrt(8 * 0.04 * fmin(tolerance / height, 0.1)), depth = dimension == 3 ? 0.14 : 0;
    int cells = wanted > 1.0 / CELLS_MIN ? CELLS_MIN : wanted < 1.0 / CELLS_MAX ? CELLS_MAX : (int)ceil(1 / wanted);
    l->spacing = 1.0 / cells;
    l->height = height;
    const double size[3] = {0.5, 0.53, depth};
    for (int k = 0; k < 3; k++)
        l->n[k] = 2 * (int)ceil(size[k] / l->spacing) + 1;
    l->low = vec3d(-0.5 * (l->n[0] - 1) * l->spacing, -0.5 * (l->n[1] - 1) * l->spacing, -0.5 * (l->n[2] - 1) * l->spacing);
    size_t count = (size_t)l->n[0] * (size_t)l->n[1] * (size_t)l->n[2];
    l->value = memory_take(NULL, count * sizeof *l->value);
    l->vertex = memory_take(NULL, 7 * count * sizeof *l->vertex);
    if (!l->value || !l->vertex)
        return false;
    memset(l->vertex, 0xff, 7 * count * sizeof *l->vertex);
    for (int z = 0; z < l->n[2]; z++)
        for (int y = 0; y < l->n[1]; y++)
            for (int x = 0; x < l->n[0]; x++) {
                double f = field(place_of(l, (const int[]){x, y, z})), least = NEAR * l->spacing;
                l->value[number_of(l, (const int[]){x, y, z})] = (float)(f < 0 ? fmin(f, -least) : fmax(f, least));
            }
    return true;
}

// Where the field is 0 between two points, by the rule of false position.
static Vec3d crossing_of(Vec3d a, Vec3d b, double fa, double fb)
{
    double low = 0, high = 1, t = fa / (fa - fb);
    for (int k = 0; k < 4; k++) {
        double f = field(vec3d_lerp(a, b, t));
        if ((f < 0) == (fa < 0)) {
            low = t;
            fa = f;
        } else {
            high = t;
            fb = f;
        }
        t = fa != fb ? low + (high - low) * fa / (fa - fb) : 0.5 * (low + high);
        t = fmin(fmax(t, NEAR), 1 - NEAR);
    }
    return vec3d_lerp(a, b, t);
}

// The vertex on the edge between two corners of a cell, of which the second is never below the first. UINT32_MAX: out of memory.
static uint32_t vertex_on(Lattice* l, const int a[3], const int b[3])
{
    bool first = a[0] <= b[0] && a[1] <= b[1] && a[2] <= b[2];
    const int *from = first ? a : b, *to = first ? b : a;
    int way = (to[0] - from[0]) + 2 * (to[1] - from[1]) + 4 * (to[2] - from[2]);
    uint32_t* vertex = &l->vertex[7 * number_of(l, from) + (size_t)(way - 1)];
    if (*vertex != UINT32_MAX)
        return *vertex;
    double fa = (double)l->value[number_of(l, from)], fb = (double)l->value[number_of(l, to)];
    Vec3d x = crossing_of(place_of(l, from), place_of(l, to), fa, fb);
    if (!tri_mesh_add_vertex(l->mesh, vec3d_scale(x, l->height)))
        return UINT32_MAX;
    return *vertex = (uint32_t)(l->mesh->vertex_count - 1);
}

static bool add_face(Lattice* l, const uint32_t v[3], Vec3d outwards)
{
    const Vec3d* x = l->mesh->vertex;
    for (int k = 0; k < 3; k++)
        if (v[k] == UINT32_MAX)
            return false;
    Vec3d n = vec3d_cross(vec3d_sub(x[v[1]], x[v[0]]), vec3d_sub(x[v[2]], x[v[0]]));
    bool turned = vec3d_dot(n, outwards) < 0;
    return tri_mesh_add_triangle(l->mesh, v[0], v[turned ? 2 : 1], v[turned ? 1 : 2]);
}

// What of the surface is in a tetrahedron with these corners.
static bool march(Lattice* l, const int corner[4][3])
{
    int in[4], out[4], ins = 0, outs = 0;
    Vec3d outwards = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        bool inside = l->value[number_of(l, corner[k])] < 0;
        if (inside)
            in[ins++] = k;
        else
            out[outs++] = k;
    }
    if (ins == 0 || outs == 0)
        return true;
    for (int k = 0; k < 4; k++)
        outwards = vec3d_mad(outwards, k < ins ? -1.0 / ins : 1.0 / outs, place_of(l, corner[k < ins ? in[k] : out[k - ins]]));
    if (ins != 2) {
        const int* apex = corner[ins == 1 ? in[0] : out[0]];
        const int* base = ins == 1 ? out : in;
        uint32_t v[3];
        for (int k = 0; k < 3; k++)
            v[k] = vertex_on(l, apex, corner[base[k]]);
        return add_face(l, v, outwards);
    }
    uint32_t v[4];
    for (int k = 0; k < 4; k++) // around the quadrilateral
        v[k] = vertex_on(l, corner[in[k / 2]], corner[out[(k == 1 || k == 2) ? 1 : 0]]);
    return add_face(l, (const uint32_t[]){v[0], v[1], v[2]}, outwards) &&
           add_face(l, (const uint32_t[]){v[0], v[2], v[3]}, outwards);
}

// The six tetrahedra of a cube: the ways from its lowest corner to its highest along edges.
static bool march_cell(Lattice* l, int x, int y, int z)
{
    static const int WAYS[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int w = 0; w < 6; w++) {
        int corner[4][3] = {{x, y, z}};
        for (int k = 0; k < 3; k++) {
            memcpy(corner[k + 1], corner[k], sizeof corner[k]);
            corner[k + 1][WAYS[w][k]]++;
        }
        if (!march(l, (const int(*)[3])corner))
            return false;
    }
    return true;
}

static bool march_triangle(Lattice* l, const int corner[3][3])
{
    for (int k = 0; k < 3; k++) {
        const int *a = corner[k], *b = corner[(k + 1) % 3], *c = corner[(k + 2) % 3];
        bool in = l->value[number_of(l, a)] < 0;
        if (in == (l->value[number_of(l, b)] < 0) || in == (l->value[number_of(l, c)] < 0))
            continue;
        uint32_t p = vertex_on(l, a, b), q = vertex_on(l, a, c);
        if (p == UINT32_MAX || q == UINT32_MAX)
            return false;
        Vec3d way = vec3d_sub(l->mesh->vertex[q], l->mesh->vertex[p]), inwards = vec3d_sub(place_of(l, a), place_of(l, b));
        inwards = vec3d_scale(vec3d_add(inwards, vec3d_sub(place_of(l, a), place_of(l, c))), in ? 1 : -1);
        bool turned = way.x * inwards.y - way.y * inwards.x < 0; // the inside is to the left
        return tri_mesh_add_segment(l->mesh, turned ? q : p, turned ? p : q);
    }
    return true;
}

static bool build(TriMesh* mesh, double height, double tolerance, int dimension)
{
    Lattice l = {.mesh = mesh};
    bool ok = make_lattice(&l, height, tolerance, dimension);
    for (int z = 0; z < (dimension == 3 ? l.n[2] - 1 : 1); z++)
        for (int y = 0; y < l.n[1] - 1; y++)
            for (int x = 0; x < l.n[0] - 1 && ok; x++)
                ok = dimension == 3 ? march_cell(&l, x, y, z)
                                    : march_triangle(&l, (const int[3][3]){{x, y, 0}, {x + 1, y, 0}, {x + 1, y + 1, 0}}) &&
                                          march_triangle(&l, (const int[3][3]){{x, y, 0}, {x + 1, y + 1, 0}, {x, y + 1, 0}});
    memory_give(NULL, l.value);
    memory_give(NULL, l.vertex);
    return ok;
}

bool solid_figure(TriMesh* mesh, double height, double tolerance)
{
    return build(mesh, height, tolerance, 3);
}

bool outline_figure(TriMesh* mesh, double height, double tolerance)
{
    return build(mesh, height, tolerance, 2);
}
