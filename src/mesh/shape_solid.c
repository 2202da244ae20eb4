// SPDX-License-Identifier: MIT
// Primitives as closed triangle meshes. Round shapes are surfaces of revolution: a profile of rings around the y axis, from
// the lower pole outwards, up and back to the upper pole, neighbouring rings stitched whatever their numbers of corners are.
// A ring has as many corners as its radius needs, so triangles stay well shaped up to the poles. The sphere alone is an
// icosahedron with subdivided faces.
//
// A chord of angle a misses its circle by r (1 - cos(a/2)); a triangle on a surface that is curved both ways misses it by
// the same with its circumradius in place of half the chord, hence DOUBLY_CURVED.
#include "mesh/shape_parts.h"

static const double PI = 3.14159265358979323846;
static const double DOUBLY_CURVED = 0.4; // share of the tolerance that each direction may use
static const double LONG_ASPECT = 4;     // straight walls have rows of triangles at most that long
enum { CORNERS_MIN = 12, RING_MIN = 6, ROWS_MAX = 1024 };

uint32_t circle_corners(double radius, double tolerance)
{
    double cosine = 1 - tolerance / radius;
    if (cosine < 0)
        return CORNERS_MIN;
    uint32_t corners = (uint32_t)ceil(PI / acos(cosine));
    return corners < CORNERS_MIN ? CORNERS_MIN : corners;
}

static uint32_t rows_for(double length, double row)
{
    double rows = ceil(length / row);
    return rows < 1 ? 1 : rows > ROWS_MAX ? ROWS_MAX : (uint32_t)rows;
}

// --- surfaces of revolution

typedef struct Ring {
    uint32_t first, count; // vertices; a pole is a ring of one
} Ring;

typedef struct Lathe {
    TriMesh* mesh;
    Ring start, last;
    bool begun, ok;
} Lathe;

// The band between a ring and the next one of the profile.
static bool stitch(TriMesh* mesh, Ring a, Ring b)
{
    uint32_t i = 0, j = 0;
    uint32_t steps_a = a.count > 1 ? a.count : 0, steps_b = b.count > 1 ? b.count : 0;
    while (i < steps_a || j < steps_b) {
        uint32_t at_a = a.first + i % a.count, at_b = b.first + j % b.count;
        // go on along the ring whose next edge has its middle first
        bool along_a = i < steps_a && (j == steps_b || (2ull * i + 1) * b.count <= (2ull * j + 1) * a.count);
        bool ok;
        if (along_a)
            ok = tri_mesh_add_triangle(mesh, at_a, a.first + ++i % a.count, at_b);
        else
            ok = tri_mesh_add_triangle(mesh, at_a, b.first + ++j % b.count, at_b);
        if (!ok)
            return false;
    }
    return true;
}

static void lathe_ring(Lathe* lathe, double radius, double y, uint32_t count)
{
    Ring ring = {(uint32_t)lathe->mesh->vertex_count, count < RING_MIN ? RING_MIN : count};
    if (radius == 0)
        ring.count = 1;
    for (uint32_t i = 0; i < ring.count && lathe->ok; i++) {
        double angle = 2 * PI * i / ring.count;
        lathe->ok = tri_mesh_add_vertex(lathe->mesh, vec3d(radius * cos(angle), y, -radius * sin(angle)));
    }
    if (lathe->begun && lathe->ok)
        lathe->ok = stitch(lathe->mesh, lathe->last, ring);
    if (!lathe->begun)
        lathe->start = ring;
    lathe->begun = true;
    lathe->last = ring;
}

// A flat disc with its rim, in triangles of about one size: ring k has 6 k corners. `corners` is a multiple of 6.
static void lathe_disc(Lathe* lathe, double radius, double y, uint32_t corners, bool outwards)
{
    uint32_t rings = corners / 6;
    for (uint32_t k = 0; k <= rings; k++) {
        uint32_t ring = outwards ? k : rings - k;
        lathe_ring(lathe, radius * ring / rings, y, 6 * ring);
    }
}

static uint32_t multiple_of_six(uint32_t corners)
{
    return (corners + 5) / 6 * 6;
}

bool solid_cylinder(TriMesh* mesh, double radius, double height, double tolerance)
{
    Lathe lathe = {.mesh = mesh, .ok = true};
    uint32_t corners = multiple_of_six(circle_corners(radius, tolerance));
    uint32_t rows = rows_for(height, LONG_ASPECT * 2 * PI * radius / corners);
    lathe_disc(&lathe, radius, -height / 2, corners, true);
    for (uint32_t k = 1; k < rows; k++)
        lathe_ring(&lathe, radius, height * ((double)k / rows - 0.5), corners);
    lathe_disc(&lathe, radius, height / 2, corners, false);
    return lathe.ok;
}

bool solid_cone(TriMesh* mesh, double radius, double height, double tolerance)
{
    Lathe lathe = {.mesh = mesh, .ok = true};
    uint32_t corners = multiple_of_six(circle_corners(radius, tolerance));
    uint32_t rows = rows_for(hypot(radius, height), 2 * 2 * PI * radius / corners);
    lathe_disc(&lathe, radius, -height / 2, corners, true);
    for (uint32_t k = 1; k <= rows; k++) {
        double share = 1 - (double)k / rows; // of the base radius; the sagitta shrinks with it
        lathe_ring(&lathe, radius * share, height * (0.5 - share), (uint32_t)ceil(corners * sqrt(share)));
    }
    return lathe.ok;
}

// Rings of a sphere cap from pole to equator, or back.
static void lathe_cap(Lathe* lathe, double radius, double centre_y, uint32_t corners, bool lower)
{
    uint32_t rows = (corners + 3) / 4;
    for (uint32_t k = 0; k <= rows; k++) {
        uint32_t row = lower ? k : rows - k;
        double angle = PI / 2 * row / rows; // from the pole
        double ring = row == 0 ? 0 : radius * sin(angle);
        lathe_ring(lathe, ring, centre_y + (lower ? -radius : radius) * (row == rows ? 0 : cos(angle)),
                   (uint32_t)ceil(corners * sin(angle)));
    }
}

bool solid_capsule(TriMesh* mesh, double radius, double length, double tolerance)
{
    Lathe lathe = {.mesh = mesh, .ok = true};
    uint32_t corners = circle_corners(radius, DOUBLY_CURVED * tolerance);
    uint32_t rows = rows_for(length, LONG_ASPECT * 2 * PI * radius / corners);
    lathe_cap(&lathe, radius, -length / 2, corners, true);
    for (uint32_t k = 1; k < rows; k++)
        lathe_ring(&lathe, radius, length * ((double)k / rows - 0.5), corners);
    lathe_cap(&lathe, radius, length / 2, corners, false);
    return lathe.ok;
}

bool solid_torus(TriMesh* mesh, double ring, double tube, double tolerance)
{
    Lathe lathe = {.mesh = mesh, .ok = true};
    uint32_t rows = circle_corners(tube, DOUBLY_CURVED * tolerance);
    double outer = ring + tube, corners = circle_corners(outer, DOUBLY_CURVED * tolerance);
    for (uint32_t k = 0; k < rows; k++) {
        double angle = 2 * PI * k / rows, radius = ring + tube * cos(angle);
        lathe_ring(&lathe, radius, tube * sin(angle), (uint32_t)ceil(corners * sqrt(radius / outer)));
    }
    return lathe.ok && stitch(mesh, lathe.last, lathe.start);
}

// --- sphere

// Twelve corners of an icosahedron, and its faces seen from outside.
static const double PHI = 1.61803398874989484820;
static const signed char ICO_VERTEX[12][3] = {{-1, 2, 0},  {1, 2, 0},  {-1, -2, 0}, {1, -2, 0}, {0, -1, 2},  {0, 1, 2},
                                              {0, -1, -2}, {0, 1, -2}, {2, 0, -1},  {2, 0, 1},  {-2, 0, -1}, {-2, 0, 1}}; // 2: phi
static const unsigned char ICO_FACE[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                              {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                              {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};

static Vec3d ico_vertex(int i)
{
    double c[3];
    for (int k = 0; k < 3; k++)
        c[k] = ICO_VERTEX[i][k] == 2 ? PHI : ICO_VERTEX[i][k] == -2 ? -PHI : ICO_VERTEX[i][k];
    return vec3d(c[0], c[1], c[2]);
}

// One face cut into parts^2 triangles, with vertices of its own.
static bool ico_face(TriMesh* mesh, const unsigned char* face, uint32_t parts, double radius)
{
    Vec3d a = ico_vertex(face[0]), b = ico_vertex(face[1]), c = ico_vertex(face[2]);
    uint32_t first = (uint32_t)mesh->vertex_count;
    for (uint32_t row = 0; row <= parts; row++)
        for (uint32_t k = 0; k <= row; k++) {
            Vec3d p = vec3d_scale(a, parts - row);
            p = vec3d_mad(p, row - k, b);
            p = vec3d_mad(p, k, c);
            if (!tri_mesh_add_vertex(mesh, vec3d_scale(vec3d_normalise(p), radius)))
                return false;
        }
    for (uint32_t row = 0; row < parts; row++)
        for (uint32_t k = 0; k <= row; k++) {
            uint32_t upper = first + row * (row + 1) / 2 + k, lower = upper + row + 1;
            if (!tri_mesh_add_triangle(mesh, upper, lower, lower + 1))
                return false;
            if (k < row && !tri_mesh_add_triangle(mesh, upper, lower + 1, upper + 1))
                return false;
        }
    return true;
}

bool solid_sphere(TriMesh* mesh, double radius, double tolerance)
{
    // the largest triangle, in the middle of a face, has a circumradius of at most 0.764 / parts seen from the centre
    double cosine = 1 - tolerance / radius;
    double parts = cosine < 0 ? 3 : fmax(3, ceil(0.764 / acos(cosine)));
    for (int face = 0; face < 20; face++)
        if (!ico_face(mesh, ICO_FACE[face], (uint32_t)parts, radius))
            return false;
    return tri_mesh_weld(mesh, 1e-9 * radius); // the faces share their rims
}

// --- flat shapes

bool solid_box(TriMesh* mesh, Vec3d size)
{
    for (int i = 0; i < 8; i++) {
        Vec3d corner = vec3d(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
        if (!tri_mesh_add_vertex(mesh, vec3d_mul(corner, size)))
            return false;
    }
    static const unsigned char quad[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int k = 0; k < 6; k++) {
        const unsigned char* q = quad[k];
        if (!tri_mesh_add_triangle(mesh, q[0], q[1], q[2]) || !tri_mesh_add_triangle(mesh, q[0], q[2], q[3]))
            return false;
    }
    return true;
}

bool solid_grid(TriMesh* mesh, double size_x, double size_z, int cells_x, int cells_z)
{
    for (int j = 0; j <= cells_z; j++)
        for (int i = 0; i <= cells_x; i++) {
            Vec3d corner = vec3d(size_x * ((double)i / cells_x - 0.5), 0, size_z * ((double)j / cells_z - 0.5));
            if (!tri_mesh_add_vertex(mesh, corner))
                return false;
        }
    uint32_t row = (uint32_t)cells_x + 1;
    for (uint32_t j = 0; j < (uint32_t)cells_z; j++)
        for (uint32_t i = 0; i < (uint32_t)cells_x; i++) {
            uint32_t at = j * row + i;
            if (!tri_mesh_add_triangle(mesh, at, at + row, at + row + 1) || !tri_mesh_add_triangle(mesh, at, at + row + 1, at + 1))
                return false;
        }
    return true;
}
