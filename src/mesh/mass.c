// SPDX-License-Identifier: MIT
// Mass properties from the zeroth, first and second moments of the covered space,
//   V = int 1,   s = int x,   C = int x x^T,
// which are polynomials of the corners (exact). With the centre c = s / V the inertia about it is
//   I = tr(C') 1 - C',   C' = C - V c c^T.
// For a simplex with k corners v_i of measure m:  int x x^T = m / (k (k+1)) (sum v_i v_i^T + (sum v_i) (sum v_i)^T).
// A closed mesh is the signed sum of tetrahedra from a reference point to its triangles (divergence theorem); taking the
// middle of the bounds for it keeps the digits of meshes far from the origin. Shells and rods have their thickness in the
// second moments too (t^2 / 12 across), so that no axis is without inertia.
#include "mesh/mass.h"

#include "mesh/moments.h"

static Vec3d middle_of(const TriMesh* mesh)
{
    Box3d box = tri_mesh_bounds(mesh);
    return vec3d_lerp(box.min, box.max, 0.5);
}

static void add_outer(double second[3][3], double weight, Vec3d v)
{
    double c[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            second[i][j] += weight * c[i] * c[j];
}

// Corners of a simplex; the reference point, at the origin, may be one of them.
static void add_simplex(Moments* m, double measure, const Vec3d* corner, int corners)
{
    Vec3d sum = {0};
    double weight = measure / (corners * (corners + 1));
    for (int i = 0; i < corners; i++) {
        sum = vec3d_add(sum, corner[i]);
        add_outer(m->second, weight, corner[i]);
    }
    add_outer(m->second, weight, sum);
    m->measure += measure;
    m->first = vec3d_mad(m->first, measure / corners, sum);
}

static MassProperties from_moments(const Moments* m, Vec3d reference)
{
    MassProperties p = {.volume = m->measure, .centre = reference};
    if (m->measure == 0)
        return p;
    Vec3d c = vec3d_scale(m->first, 1 / m->measure);
    double second[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            second[i][j] = m->second[i][j];
    add_outer(second, -m->measure, c);
    double trace = second[0][0] + second[1][1] + second[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            p.inertia[i][j] = (i == j ? trace : 0) - second[i][j];
    p.centre = vec3d_add(reference, c);
    if (p.volume < 0) { // all triangles look inwards
        p.volume = -p.volume;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                p.inertia[i][j] = -p.inertia[i][j];
    }
    return p;
}

// Area inside an outline, one metre deep.
static Moments outline_moments(const TriMesh* mesh, Vec3d reference)
{
    Moments m = {0};
    for (size_t k = 0; k < mesh->segment_count; k++) {
        Vec3d corner[3] = {
            {0}, vec3d_sub(mesh->vertex[mesh->segment[k][0]], reference), vec3d_sub(mesh->vertex[mesh->segment[k][1]], reference)};
        double area = (corner[1].x * corner[2].y - corner[1].y * corner[2].x) / 2;
        add_simplex(&m, area, corner, 3);
    }
    add_outer(m.second, m.measure / 12, vec3d(0, 0, 1));
    return m;
}

static Moments closed_moments(const TriMesh* mesh, Vec3d reference)
{
    Moments m = {0};
    if (mesh->triangle_count == 0)
        m = outline_moments(mesh, reference);
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        Vec3d corner[4] = {{0}};
        for (int c = 0; c < 3; c++)
            corner[c + 1] = vec3d_sub(mesh->vertex[mesh->triangle[k][c]], reference);
        double volume = vec3d_dot(corner[1], vec3d_cross(corner[2], corner[3])) / 6;
        add_simplex(&m, volume, corner, 4);
    }
    return m;
}

MassProperties mass_of_closed(const TriMesh* mesh)
{
    Vec3d reference = middle_of(mesh);
    Moments m = closed_moments(mesh, reference);
    return from_moments(&m, reference);
}

bool mass_of_union(const TriMesh* mesh, MassProperties* out)
{
    Vec3d reference = middle_of(mesh);
    Moments m = closed_moments(mesh, reference), over;
    double side = m.measure < 0 ? -1 : 1;
    if (!moments_of_overlaps(mesh, reference, side, &over))
        return false;
    if (mesh->triangle_count == 0)
        add_outer(over.second, over.measure / 12, vec3d(0, 0, 1));
    m.measure -= side * over.measure;
    m.first = vec3d_mad(m.first, -side, over.first);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.second[i][j] -= side * over.second[i][j];
    *out = from_moments(&m, reference);
    return true;
}

MassProperties mass_of_shell(const TriMesh* mesh, double thickness)
{
    Vec3d reference = middle_of(mesh);
    Moments m = {0};
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        Vec3d corner[3];
        for (int c = 0; c < 3; c++)
            corner[c] = vec3d_sub(mesh->vertex[mesh->triangle[k][c]], reference);
        Vec3d across = vec3d_cross(vec3d_sub(corner[1], corner[0]), vec3d_sub(corner[2], corner[0]));
        double volume = vec3d_length(across) / 2 * thickness;
        add_simplex(&m, volume, corner, 3);
        add_outer(m.second, volume * thickness * thickness / 12, vec3d_normalise(across));
    }
    return from_moments(&m, reference);
}

MassProperties mass_of_rod(const TriMesh* mesh, double thickness, double deep)
{
    Vec3d reference = middle_of(mesh);
    Moments m = {0};
    for (size_t k = 0; k < mesh->segment_count; k++) {
        Vec3d corner[2];
        for (int c = 0; c < 2; c++)
            corner[c] = vec3d_sub(mesh->vertex[mesh->segment[k][c]], reference);
        Vec3d along = vec3d_sub(corner[1], corner[0]);
        double volume = vec3d_length(along) * thickness * deep, across = volume * thickness * thickness / 12;
        add_simplex(&m, volume, corner, 2);
        for (int i = 0; i < 3; i++) // a square section: the same in all directions but the rod's own
            m.second[i][i] += across;
        add_outer(m.second, -across, vec3d_normalise(along));
    }
    return from_moments(&m, reference);
}
