// SPDX-License-Identifier: MIT
// Hulls of ships: `hull` is decked and full, `boat` is open, with walls. Bow at +x, keel down, beam along z; as long, wide and
// deep as its sizes say.
//
// A hull is drawn as shipwrights do it, by stations s from the stern (0) to the bow (1). Each has a half beam w(s), a keel and a
// deck height k(s), d(s), and between them a superellipse:
//   z = w sin^q(a),   y = d - (d - k) cos^q(a),   a from 0 (keel) to pi/2 (deck),   q = 2 / 2.4
// The stern is a transom, the bow a raked stem, and the deck rises towards both ends.
#include "mesh/shape_parts.h"
#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const double FULLNESS = 2 / 2.4; // 1 would be an ellipse, less is fuller
static const double WALL = 0.08;        // of a boat, as a share of the smaller of beam and depth
static const double WIDEST = 0.4;       // station of the largest beam

// A drawing in units of length, beam and depth, each from -1/2 to 1/2.
static double half_beam(double s)
{
    double astern = 1 - s / WIDEST, ahead = (s - WIDEST) / (1 - WIDEST);
    return 0.5 * (s < WIDEST ? 1 - 0.3 * astern * astern : 1 - pow(ahead, 2.2));
}

static double keel(double s)
{
    double astern = fmax(0, 0.2 - s) / 0.2, ahead = fmax(0, s - 0.7) / 0.3;
    return -0.5 + 0.3 * astern * astern + 0.85 * ahead * ahead;
}

static double deck(double s)
{
    double astern = fmax(0, WIDEST - s) / WIDEST, ahead = fmax(0, s - WIDEST) / (1 - WIDEST);
    return 0.3 + 0.12 * astern * astern + 0.2 * ahead * ahead;
}

typedef struct Hull {
    TriMesh* mesh;
    Vec3d size;
    uint32_t stations, rows; // intervals along, and from keel to deck
} Hull;

static Vec3d point_at(const Hull* hull, uint32_t station, int row)
{
    double s = (double)station / hull->stations, a = PI / 2 * abs(row) / hull->rows;
    double z = half_beam(s) * pow(sin(a), FULLNESS), up = abs(row) == (int)hull->rows ? 0 : pow(cos(a), FULLNESS);
    double y = deck(s) - (deck(s) - keel(s)) * up;
    return vec3d_mul(vec3d(s - 0.5, y, row < 0 ? -z : z), hull->size);
}

// The same point of a boat's inner side: everything comes nearer to the middle of the deck's line by a wall's thickness.
static Vec3d inner_point(const Hull* hull, uint32_t station, int row)
{
    double wall = WALL * fmin(hull->size.y, hull->size.z), s = (double)station / hull->stations;
    Vec3d p = point_at(hull, station, row);
    double top = deck(s) * hull->size.y, depth = (deck(s) - keel(s)) * hull->size.y;
    double along = 1 - 2 * wall / hull->size.x, across = 1 - 2 * wall / hull->size.z;
    return vec3d(p.x * along, top + (p.y - top) * fmax(0.3, 1 - wall / depth), p.z * across);
}

// Vertex of a sheet whose first vertex is `first`; rows run from port (-rows) over the keel to starboard (rows).
static uint32_t at(const Hull* hull, uint32_t first, uint32_t station, int row)
{
    return first + station * (2 * hull->rows + 1) + (uint32_t)(row + (int)hull->rows);
}

static bool quad(TriMesh* mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool outwards)
{
    return outwards ? tri_mesh_add_triangle(mesh, a, b, c) && tri_mesh_add_triangle(mesh, a, c, d)
                    : tri_mesh_add_triangle(mesh, a, c, b) && tri_mesh_add_triangle(mesh, a, d, c);
}

// Sides, bottom and transom, seen from outside or from inside.
static bool add_sheet(const Hull* hull, Vec3d (*point)(const Hull*, uint32_t, int), bool outwards, uint32_t* first)
{
    int rows = (int)hull->rows;
    *first = (uint32_t)hull->mesh->vertex_count;
    for (uint32_t i = 0; i <= hull->stations; i++)
        for (int j = -rows; j <= rows; j++)
            if (!tri_mesh_add_vertex(hull->mesh, point(hull, i, j)))
                return false;
    for (uint32_t i = 0; i < hull->stations; i++)
        for (int j = -rows; j < rows; j++)
            if (!quad(hull->mesh, at(hull, *first, i, j), at(hull, *first, i + 1, j), at(hull, *first, i + 1, j + 1),
                      at(hull, *first, i, j + 1), outwards))
                return false;
    for (int j = 0; j < rows; j++)
        if (!quad(hull->mesh, at(hull, *first, 0, j), at(hull, *first, 0, j + 1), at(hull, *first, 0, -j - 1),
                  at(hull, *first, 0, -j), outwards))
            return false;
    return true;
}

static bool add_deck(const Hull* hull, uint32_t first)
{
    int rows = (int)hull->rows;
    for (uint32_t i = 0; i < hull->stations; i++)
        if (!quad(hull->mesh, at(hull, first, i, rows), at(hull, first, i + 1, rows), at(hull, first, i + 1, -rows),
                  at(hull, first, i, -rows), true))
            return false;
    return true;
}

// Between the upper edges of the outer and the inner side.
static bool add_rim(const Hull* hull, uint32_t outer, uint32_t inner)
{
    int rows = (int)hull->rows;
    for (uint32_t i = 0; i < hull->stations; i++)
        if (!quad(hull->mesh, at(hull, outer, i, rows), at(hull, outer, i + 1, rows), at(hull, inner, i + 1, rows),
                  at(hull, inner, i, rows), true) ||
            !quad(hull->mesh, at(hull, inner, i, -rows), at(hull, inner, i + 1, -rows), at(hull, outer, i + 1, -rows),
                  at(hull, outer, i, -rows), true))
            return false;
    return quad(hull->mesh, at(hull, outer, 0, rows), at(hull, inner, 0, rows), at(hull, inner, 0, -rows),
                at(hull, outer, 0, -rows), true);
}

// Curves bend most at the bilge and at the bow: as fine as circles of half the size need it.
static Hull plan(TriMesh* mesh, Vec3d size, double tolerance)
{
    uint32_t rows = circle_corners(fmax(size.y, size.z) / 2, tolerance) / 3, stations = circle_corners(size.x / 2, tolerance) / 2;
    return (Hull){mesh, size, stations < 16 ? 16 : stations, rows < 5 ? 5 : rows};
}

bool solid_hull(TriMesh* mesh, Vec3d size, double tolerance)
{
    Hull hull = plan(mesh, size, tolerance);
    uint32_t first;
    // port and starboard meet at the stem and along the transom's middle
    return add_sheet(&hull, point_at, true, &first) && add_deck(&hull, first) && tri_mesh_weld(mesh, 1e-9 * size.x);
}

bool solid_boat(TriMesh* mesh, Vec3d size, double tolerance)
{
    Hull hull = plan(mesh, size, tolerance);
    uint32_t outer, inner;
    return add_sheet(&hull, point_at, true, &outer) && add_sheet(&hull, inner_point, false, &inner) &&
           add_rim(&hull, outer, inner) && tri_mesh_weld(mesh, 1e-9 * size.x);
}

// --- cut lengthwise, for 2D

static bool add_cut(const Hull* hull, Vec3d (*point)(const Hull*, uint32_t, int), int row, bool ahead)
{
    for (uint32_t i = 0; i <= hull->stations; i++) {
        Vec3d p = point(hull, ahead ? i : hull->stations - i, row);
        if (!tri_mesh_add_vertex(hull->mesh, vec3d(p.x, p.y, 0)))
            return false;
    }
    return true;
}

static bool close_cut(TriMesh* mesh)
{
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        if (!tri_mesh_add_segment(mesh, i, (i + 1) % (uint32_t)mesh->vertex_count))
            return false;
    return true;
}

bool outline_hull(TriMesh* mesh, Vec3d size, double tolerance)
{
    Hull hull = plan(mesh, vec3d(size.x, size.y, size.y), tolerance);
    return add_cut(&hull, point_at, 0, true) && add_cut(&hull, point_at, (int)hull.rows, false) && close_cut(mesh);
}

bool outline_boat(TriMesh* mesh, Vec3d size, double tolerance)
{
    Hull hull = plan(mesh, vec3d(size.x, size.y, size.y), tolerance);
    uint32_t bow = hull.stations;
    Vec3d tips[4] = {point_at(&hull, bow, (int)hull.rows), inner_point(&hull, bow, (int)hull.rows),
                     inner_point(&hull, 0, (int)hull.rows), point_at(&hull, 0, (int)hull.rows)};
    bool ok = add_cut(&hull, point_at, 0, true);
    for (int k = 0; k < 2 && ok; k++)
        ok = tri_mesh_add_vertex(mesh, vec3d(tips[k].x, tips[k].y, 0));
    ok = ok && add_cut(&hull, inner_point, 0, false);
    for (int k = 2; k < 4 && ok; k++)
        ok = tri_mesh_add_vertex(mesh, vec3d(tips[k].x, tips[k].y, 0));
    return ok && close_cut(mesh);
}
