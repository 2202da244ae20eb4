// SPDX-License-Identifier: MIT
// Isosurface stuffing (Labelle and Shewchuk 2007): a body-centred cubic lattice, whose tetrahedra are the best shaped that fill
// space, laid over the surface. Where a lattice edge is cut close to one of its ends, that end is moved onto the cut; what then
// remains cut is cut far from its ends, and the pieces inside are well shaped too.
//
//   lattice   corners (i, j, k) a and centres (i + 1/2, j + 1/2, k + 1/2) a; long edges a join like points, short ones
//             sqrt(3)/2 a a centre and a corner of its cube
//   tets      for two cubes that share a face and each edge of that face: both centres and both ends of the edge
//   warp      a point moves to the nearest cut of its edges if one is nearer than 0.24999 of a long or 0.41189 of a short edge
//
// The quadrilaterals that cutting leaves are split from the inner point of lower number, the same on both sides.
#include "mesh/tet_mesh.h"

#include "base/error.h"
#include "mesh/inside.h"
#include <string.h>

static const double WARP_LONG = 0.24999, WARP_SHORT = 0.41189;
static const size_t POINT_LIMIT = 8u << 20; // lattice points, as a guard against a spacing in the wrong unit

enum { OWNED_EDGES = 11 }; // a corner owns 3 long edges, a centre 3 long ones and 8 short ones

typedef struct Cut {
    Vec3d at;
    double share;   // of the edge, from its owner
    uint32_t point; // of the mesh, UINT32_MAX until used
} Cut;

typedef struct Lattice {
    const InsideTest* test;
    TetMesh* mesh;
    Vec3d origin;
    double a;
    int cells[3];
    size_t corners, points; // corners first, then centres
    Vec3d* at;              // (points) where they are, after warping
    int8_t* side;           // (points) 1 inside, -1 outside, 0 on the surface
    float* depth;           // (points) [m] signed distance, at most 2a
    uint32_t* mesh_point;   // (points) UINT32_MAX until used
    uint32_t* cut_of;       // (points * OWNED_EDGES) 0: none; otherwise 1 + index into cut
    Cut* cut;
    size_t cut_count, cut_capacity;
} Lattice;

// --- the lattice

static bool in_range(const Lattice* l, const int at[3], bool centre)
{
    for (int d = 0; d < 3; d++)
        if (at[d] < 0 || at[d] > l->cells[d] - centre)
            return false;
    return true;
}

static size_t point_index(const Lattice* l, const int at[3], bool centre)
{
    size_t nx = (size_t)(l->cells[0] + !centre), ny = (size_t)(l->cells[1] + !centre);
    return (centre ? l->corners : 0) + ((size_t)at[2] * ny + (size_t)at[1]) * nx + (size_t)at[0];
}

static void point_place(const Lattice* l, size_t point, int at[3], bool* centre)
{
    *centre = point >= l->corners;
    size_t rest = point - (*centre ? l->corners : 0);
    size_t nx = (size_t)(l->cells[0] + !*centre), ny = (size_t)(l->cells[1] + !*centre);
    at[0] = (int)(rest % nx);
    at[1] = (int)(rest / nx % ny);
    at[2] = (int)(rest / nx / ny);
}

// Edge e of a point: 0..5 long (+x -x +y ...), 6..13 short. False: it leaves the lattice.
static bool edge_end(const Lattice* l, size_t point, int e, size_t* other)
{
    int at[3];
    bool centre;
    point_place(l, point, at, &centre);
    if (e < 6)
        at[e / 2] += e % 2 ? -1 : 1;
    else { // a centre's corners lie at +0/+1, a corner's centres at -1/+0
        for (int d = 0; d < 3; d++)
            at[d] += ((e - 6) >> d & 1) - !centre;
        centre = !centre;
    }
    if (!in_range(l, at, centre))
        return false;
    *other = point_index(l, at, centre);
    return true;
}

// Where the cut of an edge is noted: with the lower end of a long edge, with the centre of a short one.
static uint32_t* edge_slot(const Lattice* l, size_t point, int e, size_t other, bool* owner)
{
    if (e < 6) {
        *owner = e % 2 == 0;
        return &l->cut_of[(*owner ? point : other) * OWNED_EDGES + (size_t)(e / 2)];
    }
    *owner = point >= l->corners;
    size_t octant = (size_t)(e - 6); // seen from the centre; the corner's own numbering is the opposite one
    return &l->cut_of[(*owner ? point : other) * OWNED_EDGES + 3 + (*owner ? octant : 7 - octant)];
}

static double signed_distance(const Lattice* l, Vec3d p)
{
    double distance = inside_distance(l->test, p, 2 * l->a, NULL, NULL);
    return inside_contains(l->test, p) ? distance : -distance;
}

static bool lattice_open(Lattice* l)
{
    l->at = memory_take(NULL, l->points * sizeof *l->at);
    l->side = memory_take(NULL, l->points);
    l->depth = memory_take(NULL, l->points * sizeof *l->depth);
    l->mesh_point = memory_take(NULL, l->points * sizeof *l->mesh_point);
    l->cut_of = memory_take(NULL, l->points * OWNED_EDGES * sizeof *l->cut_of);
    if (!l->at || !l->side || !l->depth || !l->mesh_point || !l->cut_of)
        return false;
    memset(l->mesh_point, 0xff, l->points * sizeof *l->mesh_point);
    memset(l->cut_of, 0, l->points * OWNED_EDGES * sizeof *l->cut_of);
    for (size_t p = 0; p < l->points; p++) {
        int at[3];
        bool centre;
        point_place(l, p, at, &centre);
        Vec3d share = {at[0] + 0.5 * centre, at[1] + 0.5 * centre, at[2] + 0.5 * centre};
        l->at[p] = vec3d_mad(l->origin, l->a, share);
        double depth = signed_distance(l, l->at[p]);
        l->depth[p] = (float)depth;
        l->side[p] = fabs(depth) < 1e-6 * l->a ? 0 : depth > 0 ? 1 : -1;
    }
    return true;
}

static void lattice_close(Lattice* l)
{
    memory_give(NULL, l->at);
    memory_give(NULL, l->side);
    memory_give(NULL, l->depth);
    memory_give(NULL, l->mesh_point);
    memory_give(NULL, l->cut_of);
    memory_give(NULL, l->cut);
}

// --- cuts

// Where the distance along the edge is zero, as a share from a (inside) to b (outside): the Illinois method.
static double find_zero(const Lattice* l, size_t a, size_t b)
{
    double from = 0, to = 1, depth_from = (double)l->depth[a], depth_to = (double)l->depth[b], share = 0.5;
    for (int round = 0, last = 0; round < 8; round++) {
        share = from + (to - from) * depth_from / (depth_from - depth_to);
        double depth = signed_distance(l, vec3d_lerp(l->at[a], l->at[b], share));
        if (fabs(depth) < 1e-6 * l->a)
            break;
        if (depth > 0) {
            from = share;
            depth_from = depth;
            depth_to *= last > 0 ? 0.5 : 1;
        } else {
            to = share;
            depth_to = depth;
            depth_from *= last < 0 ? 0.5 : 1;
        }
        last = depth > 0 ? 1 : -1;
    }
    return share;
}

static bool cut_edge(Lattice* l, size_t point, int e)
{
    size_t other;
    bool owner;
    if (!edge_end(l, point, e, &other) || l->side[point] * l->side[other] >= 0)
        return true;
    uint32_t* slot = edge_slot(l, point, e, other, &owner);
    if (!owner)
        return true;
    size_t n = l->cut_count;
    if (n == l->cut_capacity && !memory_reserve(NULL, &l->cut, &l->cut_capacity, n, n + 64, sizeof *l->cut))
        return false;
    double share = l->side[point] > 0 ? find_zero(l, point, other) : 1 - find_zero(l, other, point);
    l->cut[l->cut_count++] = (Cut){vec3d_lerp(l->at[point], l->at[other], share), share, UINT32_MAX};
    *slot = (uint32_t)l->cut_count;
    return true;
}

static bool cut_edges(Lattice* l)
{
    for (size_t p = 0; p < l->points; p++)
        for (int e = 0; e < 14; e++)
            if (!cut_edge(l, p, e))
                return false;
    return true;
}

// Moves a point onto the nearest cut that is too close to it; its other edges are then cut no more.
static void warp_point(Lattice* l, size_t p)
{
    uint32_t* slot[14] = {0};
    double nearest = INFINITY;
    uint32_t chosen = 0;
    for (int e = 0; e < 14; e++) {
        size_t other;
        bool owner;
        if (!edge_end(l, p, e, &other))
            continue;
        slot[e] = edge_slot(l, p, e, other, &owner);
        if (*slot[e] == 0)
            continue;
        const Cut* cut = &l->cut[*slot[e] - 1];
        double share = owner ? cut->share : 1 - cut->share, distance = share * (e < 6 ? 1 : sqrt(0.75));
        if (share < (e < 6 ? WARP_LONG : WARP_SHORT) && distance < nearest) {
            nearest = distance;
            chosen = *slot[e];
        }
    }
    if (!chosen)
        return;
    l->at[p] = l->cut[chosen - 1].at;
    l->side[p] = 0;
    for (int e = 0; e < 14; e++)
        if (slot[e])
            *slot[e] = 0;
}

// --- pieces

static bool mesh_point(Lattice* l, uint32_t* known, Vec3d at)
{
    if (*known != UINT32_MAX)
        return true;
    if (!tet_mesh_add_point(l->mesh, at))
        return false;
    *known = (uint32_t)l->mesh->point_count - 1;
    return true;
}

// A tetrahedron of the mesh, turned the right way round; one without volume (a cut in a corner) is left out.
static bool add_piece(Lattice* l, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const Vec3d* x = l->mesh->point;
    double volume = tet_volume(x[a], x[b], x[c], x[d]), none = 1e-6 * l->a * l->a * l->a;
    if (fabs(volume) < none)
        return true;
    return volume > 0 ? tet_mesh_add_tet(l->mesh, a, b, c, d) : tet_mesh_add_tet(l->mesh, a, b, d, c);
}

typedef struct Piece {
    size_t inner[4], edge_point[4], outer[4]; // lattice points by side, inner ones in rising order
    int inner_count, on_count, outer_count;
    uint32_t in[4], on[4]; // their points of the mesh
    uint32_t cut[4][4];    // [inner][outer] point of the mesh
} Piece;

static int edge_between(const Lattice* l, size_t a, size_t b)
{
    size_t other;
    for (int e = 0; e < 14; e++)
        if (edge_end(l, a, e, &other) && other == b)
            return e;
    return -1;
}

static bool cut_point(Lattice* l, size_t a, size_t b, uint32_t* point)
{
    bool owner;
    const uint32_t* slot = edge_slot(l, a, edge_between(l, a, b), b, &owner);
    Cut* cut = &l->cut[*slot - 1];
    if (!mesh_point(l, &cut->point, cut->at))
        return false;
    *point = cut->point;
    return true;
}

static Piece sort_piece(const Lattice* l, const size_t v[4])
{
    size_t rising[4];
    for (int k = 0; k < 4; k++) {
        int place = k;
        for (; place > 0 && rising[place - 1] > v[k]; place--)
            rising[place] = rising[place - 1];
        rising[place] = v[k];
    }
    Piece piece = {0};
    for (int k = 0; k < 4; k++) {
        int8_t side = l->side[rising[k]];
        if (side > 0)
            piece.inner[piece.inner_count++] = rising[k];
        else if (side < 0)
            piece.outer[piece.outer_count++] = rising[k];
        else
            piece.edge_point[piece.on_count++] = rising[k];
    }
    return piece;
}

static bool piece_points(Lattice* l, Piece* piece)
{
    for (int i = 0; i < piece->inner_count; i++) {
        size_t p = piece->inner[i];
        if (!mesh_point(l, &l->mesh_point[p], l->at[p]))
            return false;
        piece->in[i] = l->mesh_point[p];
        for (int o = 0; o < piece->outer_count; o++)
            if (!cut_point(l, p, piece->outer[o], &piece->cut[i][o]))
                return false;
    }
    for (int i = 0; i < piece->on_count; i++) {
        size_t p = piece->edge_point[i];
        if (!mesh_point(l, &l->mesh_point[p], l->at[p]))
            return false;
        piece->on[i] = l->mesh_point[p];
    }
    return true;
}

static bool emit_one_inner(Lattice* l, const Piece* piece)
{
    uint32_t v[4] = {piece->in[0]};
    int n = 1;
    for (int k = 0; k < piece->on_count; k++)
        v[n++] = piece->on[k];
    for (int k = 0; k < piece->outer_count; k++)
        v[n++] = piece->cut[0][k];
    return add_piece(l, v[0], v[1], v[2], v[3]);
}

static bool emit_two_inner(Lattice* l, const Piece* piece)
{
    uint32_t a = piece->in[0], b = piece->in[1];
    uint32_t a0 = piece->cut[0][0], b0 = piece->cut[1][0];
    if (piece->outer_count == 1) // a pyramid
        return add_piece(l, a, b, b0, piece->on[0]) && add_piece(l, a, b0, a0, piece->on[0]);
    uint32_t a1 = piece->cut[0][1], b1 = piece->cut[1][1];
    const Vec3d* x = l->mesh->point;
    bool first = vec3d_distance(x[a0], x[b1]) < vec3d_distance(x[a1], x[b0]); // outer quadrilateral: by the shorter diagonal
    return add_piece(l, a, b, b0, b1) && add_piece(l, a, a0, a1, first ? b1 : b0) && add_piece(l, a, first ? a0 : a1, b0, b1);
}

static bool emit_three_inner(Lattice* l, const Piece* piece)
{
    const uint32_t* p = piece->in;
    uint32_t c0 = piece->cut[0][0], c1 = piece->cut[1][0], c2 = piece->cut[2][0];
    return add_piece(l, p[0], p[1], p[2], c2) && add_piece(l, p[0], p[1], c1, c2) && add_piece(l, p[0], c0, c1, c2);
}

static bool emit(Lattice* l, const size_t v[4])
{
    Piece piece = sort_piece(l, v);
    if (piece.inner_count == 0)
        return true;
    if (!piece_points(l, &piece))
        return false;
    if (piece.outer_count == 0) // whole
        return add_piece(l, l->mesh_point[v[0]], l->mesh_point[v[1]], l->mesh_point[v[2]], l->mesh_point[v[3]]);
    switch (piece.inner_count) {
    case 1:
        return emit_one_inner(l, &piece);
    case 2:
        return emit_two_inner(l, &piece);
    default:
        return emit_three_inner(l, &piece);
    }
}

// The four tetrahedra between a cube and the next one along `axis`.
static bool emit_between(Lattice* l, const int cube[3], int axis)
{
    int next[3] = {cube[0], cube[1], cube[2]};
    if (++next[axis] >= l->cells[axis])
        return true;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    static const int around[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    size_t from = point_index(l, cube, true), to = point_index(l, next, true);
    for (int k = 0; k < 4; k++) {
        int p[3], q[3];
        p[axis] = q[axis] = next[axis];
        p[u] = cube[u] + around[k][0];
        p[v] = cube[v] + around[k][1];
        q[u] = cube[u] + around[k + 1][0];
        q[v] = cube[v] + around[k + 1][1];
        if (!emit(l, (size_t[4]){from, to, point_index(l, p, false), point_index(l, q, false)}))
            return false;
    }
    return true;
}

static bool emit_all(Lattice* l)
{
    int cube[3];
    for (cube[2] = 0; cube[2] < l->cells[2]; cube[2]++)
        for (cube[1] = 0; cube[1] < l->cells[1]; cube[1]++)
            for (cube[0] = 0; cube[0] < l->cells[0]; cube[0]++)
                for (int axis = 0; axis < 3; axis++)
                    if (!emit_between(l, cube, axis))
                        return false;
    return true;
}

// --- all of it

static mn_Result check_surface(const TriMesh* surface, mn_Error* error)
{
    TopologyReport topology;
    if (!tri_mesh_topology(surface, &topology))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a mesh of %zu triangles", surface->triangle_count);
    if (surface->triangle_count == 0 || !topology.closed)
        return error_set(error, MN_BAD_INPUT, "only a closed surface can be filled with tetrahedra; this one has %zu open edges",
                         topology.open_edges);
    return MN_OK;
}

// A lattice with an empty layer all around, so that no cut edge leaves it.
static mn_Result size_lattice(Lattice* l, const TriMesh* surface, mn_Error* error)
{
    Box3d box = tri_mesh_bounds(surface);
    double size[3] = {box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z}, cells[3], points = 1;
    for (int d = 0; d < 3; d++) {
        cells[d] = ceil(size[d] / l->a) + 2;
        points *= cells[d] + 1;
    }
    if (!(2 * points < (double)POINT_LIMIT))
        return error_set(error, MN_BAD_INPUT,
                         "a spacing of %g m is too fine for a solid of %.3g x %.3g x %.3g m: at most %zu lattice points", l->a,
                         size[0], size[1], size[2], POINT_LIMIT);
    for (int d = 0; d < 3; d++)
        l->cells[d] = (int)cells[d];
    Vec3d extent = {cells[0] * l->a, cells[1] * l->a, cells[2] * l->a};
    l->origin = vec3d_mad(vec3d_scale(vec3d_add(box.min, box.max), 0.5), -0.5, extent);
    l->corners = (size_t)(l->cells[0] + 1) * (size_t)(l->cells[1] + 1) * (size_t)(l->cells[2] + 1);
    l->points = l->corners + (size_t)l->cells[0] * (size_t)l->cells[1] * (size_t)l->cells[2];
    return MN_OK;
}

static bool stuff(Lattice* l)
{
    if (!lattice_open(l) || !cut_edges(l))
        return false;
    for (size_t p = 0; p < l->points; p++)
        warp_point(l, p);
    return emit_all(l);
}

mn_Result tet_mesh_fill(const TriMesh* surface, double spacing, TetMesh* mesh, mn_Error* error)
{
    if (!(spacing > 0) || !isfinite(spacing))
        return error_set(error, MN_BAD_INPUT, "the spacing of tetrahedra must be positive, not %g", spacing);
    mn_Result result = check_surface(surface, error);
    Lattice l = {.mesh = mesh, .a = spacing};
    if (result == MN_OK)
        result = size_lattice(&l, surface, error);
    if (result != MN_OK)
        return result;
    InsideTest* test = inside_create(surface, NULL);
    l.test = test;
    bool ok = test && stuff(&l);
    lattice_close(&l);
    inside_destroy(test);
    if (!ok)
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu lattice points", l.points);
    else if (mesh->tet_count == 0)
        result = error_set(error, MN_BAD_INPUT, "no tetrahedron of %g m fits into the solid: it needs a smaller spacing", spacing);
    if (result != MN_OK)
        tet_mesh_free(mesh);
    return result;
}
