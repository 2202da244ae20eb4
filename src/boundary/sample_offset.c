// SPDX-License-Identifier: MIT
// Moves a surface along its outward normal by moving its vertices: the displacement u of a vertex solves
//   n_f . u = offset   for the faces f around it,
// in the least-squares sense, weighted by the angle of each face at the vertex, with the smallest |u| where the faces leave
// it open. In the middle of a wall that is offset * n, at edges and corners of a box the mitre. A vertex beside an edge of a
// finely divided mesh comes too near to the faces around the corner: it is moved on until it has the offset's distance from all
// of the surface, which puts it onto the mitre. Where a wall is too thin for the offset, its two sides stop short of each other.
#include "boundary/sample.h"

#include "base/eigen.h"
#include "mesh/inside.h"

#include <string.h>

static const double MITRE_LIMIT = 3.0;    // |u| at most this often the offset: a needle's tip does not run away
static const double SMOOTH_COSINE = 0.95; // all normals this near to their mean: no system to solve
static const double RANK = 0.03;          // eigenvalues below this share of the sum are an open direction

// --- symmetric 3x3 systems

typedef struct Sym3 {
    double m[3][3];
} Sym3;

// the smallest solution of a u = b, eigenvalues below RANK of their sum taken as zero
static Vec3d solve_least(Sym3 a, Vec3d b)
{
    Sym3 v;
    eigen_symmetric(a.m, v.m);
    double sum = a.m[0][0] + a.m[1][1] + a.m[2][2];
    Vec3d u = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        if (!(a.m[k][k] > RANK * sum))
            continue;
        Vec3d e = {v.m[0][k], v.m[1][k], v.m[2][k]};
        u = vec3d_mad(u, vec3d_dot(e, b) / a.m[k][k], e);
    }
    return u;
}

// --- vertices

// The equations around a vertex, summed up over its faces.
typedef struct Corner {
    Sym3 a;         // sum w n n^T
    Vec3d b;        // sum w n
    double weight;  // sum w
    double nearest; // smallest cosine between a normal and the mean
} Corner;

static void corner_add(Corner* c, Vec3d n, double w)
{
    double m[3] = {n.x, n.y, n.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c->a.m[i][j] += w * m[i] * m[j];
    c->b = vec3d_mad(c->b, w, n);
    c->weight += w;
}

static Vec3d corner_displacement(const Corner* c, double offset)
{
    if (!(c->weight > 0))
        return vec3d(0, 0, 0);
    Vec3d mean = vec3d_normalise(c->b);
    Vec3d u = c->nearest > SMOOTH_COSINE ? vec3d_scale(mean, c->weight / vec3d_length(c->b)) : solve_least(c->a, c->b);
    double length = vec3d_length(u);
    return vec3d_scale(u, length > MITRE_LIMIT ? offset * MITRE_LIMIT / length : offset);
}

// --- faces

// one face: its corners, unit normal and weights
typedef struct Face {
    int count;
    uint32_t v[3];
    Vec3d normal;
    double weight[3];
} Face;

static double angle_between(Vec3d a, Vec3d b)
{
    return atan2(vec3d_length(vec3d_cross(a, b)), vec3d_dot(a, b));
}

static bool vertex_usable(const TriMesh* mesh, uint32_t v)
{
    return v < mesh->vertex_count && vec3d_finite(mesh->vertex[v]);
}

// false: the face has no direction
static bool face_of_triangle(const TriMesh* mesh, const Vec3d* x, size_t t, Face* f)
{
    f->count = 3;
    memcpy(f->v, mesh->triangle[t], sizeof f->v);
    if (!vertex_usable(mesh, f->v[0]) || !vertex_usable(mesh, f->v[1]) || !vertex_usable(mesh, f->v[2]))
        return false;
    Vec3d p = x[f->v[0]], q = x[f->v[1]], r = x[f->v[2]];
    Vec3d pq = vec3d_sub(q, p), qr = vec3d_sub(r, q), rp = vec3d_sub(p, r);
    Vec3d area = vec3d_cross(pq, qr);
    double length = vec3d_length(area);
    if (!(length > 1e-12 * (vec3d_dot(pq, pq) + vec3d_dot(qr, qr))))
        return false;
    f->normal = vec3d_scale(area, 1 / length);
    f->weight[0] = angle_between(pq, vec3d_scale(rp, -1));
    f->weight[1] = angle_between(qr, vec3d_scale(pq, -1));
    f->weight[2] = angle_between(rp, vec3d_scale(qr, -1));
    return true;
}

static bool face_of_segment(const TriMesh* mesh, const Vec3d* x, size_t i, Face* f)
{
    f->count = 2;
    memcpy(f->v, mesh->segment[i], sizeof mesh->segment[i]);
    if (!vertex_usable(mesh, f->v[0]) || !vertex_usable(mesh, f->v[1]))
        return false;
    Vec3d e = vec3d_sub(x[f->v[1]], x[f->v[0]]);
    f->normal = vec3d_normalise(vec3d(e.y, -e.x, 0));
    f->weight[0] = f->weight[1] = 1;
    return vec3d_length(f->normal) > 0;
}

static bool face_get(const TriMesh* mesh, const Vec3d* x, size_t i, Face* f)
{
    return i < mesh->triangle_count ? face_of_triangle(mesh, x, i, f) : face_of_segment(mesh, x, i - mesh->triangle_count, f);
}

// --- the surface

static void find_displacements(const TriMesh* mesh, double offset, Corner* corner, Vec3d* u)
{
    size_t faces = mesh->triangle_count + mesh->segment_count;
    Face f;
    memset(corner, 0, mesh->vertex_count * sizeof *corner);
    for (size_t i = 0; i < faces; i++)
        if (face_get(mesh, mesh->vertex, i, &f))
            for (int k = 0; k < f.count; k++)
                corner_add(&corner[f.v[k]], f.normal, f.weight[k]);
    for (size_t v = 0; v < mesh->vertex_count; v++)
        corner[v].nearest = 1;
    for (size_t i = 0; i < faces; i++)
        if (face_get(mesh, mesh->vertex, i, &f))
            for (int k = 0; k < f.count; k++) {
                Corner* c = &corner[f.v[k]];
                c->nearest = fmin(c->nearest, vec3d_dot(f.normal, vec3d_normalise(c->b)));
            }
    for (size_t v = 0; v < mesh->vertex_count; v++)
        u[v] = corner_displacement(&corner[v], offset);
}

// The displacement of one vertex after moving on until nothing is nearer than the offset. False: there is no such place near.
static bool clear_vertex(const InsideTest* test, Vec3d x, double offset, Vec3d* u)
{
    enum { ROUNDS = 12 };
    static const double ENOUGH = 0.999;
    Vec3d y = vec3d_add(x, *u), closest;
    double wanted = fabs(offset), distance = 0;
    for (int round = 0; round < ROUNDS; round++) {
        distance = inside_distance(test, y, wanted, &closest, NULL);
        if (distance >= ENOUGH * wanted || distance < 1e-6 * wanted)
            break;
        y = vec3d_mad(y, wanted / distance - 1, vec3d_sub(y, closest));
    }
    bool ok =
        distance >= ENOUGH * wanted && vec3d_distance(x, y) <= MITRE_LIMIT * wanted && inside_contains(test, y) == (offset < 0);
    if (ok)
        *u = vec3d_sub(y, x);
    return ok;
}

// Vertices that the mitre of their own faces leaves much nearer to others than the offset; `cleared` tells which were moved on.
static void clear_vertices(const TriMesh* mesh, const InsideTest* test, double offset, Vec3d* u, bool* cleared)
{
    static const double TOO_NEAR = 0.95; // below what facets of a curved surface give
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        cleared[v] = false;
        if (!vec3d_finite(mesh->vertex[v]) || !(vec3d_dot(u[v], u[v]) > 0))
            continue;
        double limit = TOO_NEAR * fabs(offset);
        if (inside_distance(test, vec3d_add(mesh->vertex[v], u[v]), limit, NULL, NULL) < limit)
            cleared[v] = clear_vertex(test, mesh->vertex[v], offset, &u[v]);
    }
}

// a face that an offset larger than the feature has turned over: an edge or the normal looks the other way; one of which an
// edge has nearly vanished in a mitre has no side
static bool face_turned(const TriMesh* mesh, const Face* before, const Vec3d* moved, size_t i, double offset)
{
    static const double VANISHED = 0.1; // of the offset
    bool turned = false, flat = false;
    for (int k = 0; k < before->count; k++) {
        uint32_t a = before->v[k], b = before->v[(k + 1) % before->count];
        Vec3d was = vec3d_sub(mesh->vertex[b], mesh->vertex[a]), is = vec3d_sub(moved[b], moved[a]);
        bool vanished = vec3d_length(is) < VANISHED * fabs(offset);
        flat |= vanished;
        turned |= !vanished && vec3d_dot(was, is) < 0.05 * vec3d_dot(was, was);
    }
    Face after;
    return turned || (!flat && (!face_get(mesh, moved, i, &after) || vec3d_dot(before->normal, after.normal) < 0.5));
}

// Faces pressed flat against the mitre are meant to be.
static bool has_cleared(const Face* face, const bool* cleared)
{
    for (int k = 0; k < face->count; k++)
        if (cleared[face->v[k]])
            return true;
    return false;
}

// Corners of faces that turn over go back by half of it, again and again, and in the end stay where they were.
static void relent_where_turned(const TriMesh* mesh, const Vec3d* u, const bool* cleared, double offset, double* share,
                                Vec3d* moved)
{
    enum { ROUNDS = 5 };
    size_t faces = mesh->triangle_count + mesh->segment_count;
    bool turned = true;
    for (int round = 0; turned; round++) {
        for (size_t v = 0; v < mesh->vertex_count; v++)
            moved[v] = vec3d_mad(mesh->vertex[v], share[v], u[v]);
        turned = false;
        for (size_t i = 0; i < faces && round <= ROUNDS; i++) {
            Face before;
            if (!face_get(mesh, mesh->vertex, i, &before) || has_cleared(&before, cleared) ||
                !face_turned(mesh, &before, moved, i, offset))
                continue;
            turned = true;
            for (int k = 0; k < before.count; k++)
                share[before.v[k]] = round < ROUNDS ? share[before.v[k]] * 0.5 : 0;
        }
    }
}

// A vertex that comes nearer to another part of the surface than it is from its own has passed the middle of a thin wall.
static void relent_where_thin(const TriMesh* mesh, const InsideTest* test, double offset, const Vec3d* u, const bool* cleared,
                              double* share)
{
    static const double NEAR = 0.6;
    for (size_t v = 0; v < mesh->vertex_count; v++)
        for (int round = 0; round < 6 && !cleared[v] && vec3d_finite(mesh->vertex[v]) && vec3d_dot(u[v], u[v]) > 0; round++) {
            double limit = NEAR * share[v] * fabs(offset);
            if (inside_distance(test, vec3d_mad(mesh->vertex[v], share[v], u[v]), limit, NULL, NULL) >= limit)
                break;
            share[v] *= 0.7;
        }
}

bool surface_offset(const TriMesh* mesh, double offset, Vec3d* moved, Memory* memory)
{
    memcpy(moved, mesh->vertex, mesh->vertex_count * sizeof *moved);
    if (offset == 0)
        return true;
    Corner* corner = memory_take(memory, mesh->vertex_count * sizeof *corner);
    Vec3d* u = memory_take(memory, mesh->vertex_count * sizeof *u);
    double* share = memory_take(memory, mesh->vertex_count * sizeof *share);
    bool* cleared = memory_take(memory, mesh->vertex_count * sizeof *cleared);
    InsideTest* test = inside_create(mesh, memory);
    bool ok = corner && u && share && cleared && test;
    if (ok) {
        find_displacements(mesh, offset, corner, u);
        for (size_t v = 0; v < mesh->vertex_count; v++)
            share[v] = 1;
        clear_vertices(mesh, test, offset, u, cleared);
        relent_where_thin(mesh, test, offset, u, cleared, share);
        relent_where_turned(mesh, u, cleared, offset, share, moved);
    }
    inside_destroy(test);
    memory_give(memory, cleared);
    memory_give(memory, corner);
    memory_give(memory, u);
    memory_give(memory, share);
    return ok;
}
