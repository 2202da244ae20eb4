// SPDX-License-Identifier: MIT
#include "mesh/tet_mesh.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

static const size_t ITEM_LIMIT = INT32_MAX;

void tet_mesh_free(TetMesh* mesh)
{
    memory_give(NULL, mesh->point);
    memory_give(NULL, mesh->tet);
    *mesh = (TetMesh){0};
}

bool tet_mesh_add_point(TetMesh* mesh, Vec3d position)
{
    size_t n = mesh->point_count;
    if (n >= ITEM_LIMIT)
        return false;
    if (n == mesh->point_capacity && !memory_reserve(NULL, &mesh->point, &mesh->point_capacity, n, n + 64, sizeof *mesh->point))
        return false;
    mesh->point[mesh->point_count++] = position;
    return true;
}

bool tet_mesh_add_tet(TetMesh* mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    size_t n = mesh->tet_count;
    if (n >= ITEM_LIMIT)
        return false;
    if (n == mesh->tet_capacity && !memory_reserve(NULL, &mesh->tet, &mesh->tet_capacity, n, n + 64, sizeof *mesh->tet))
        return false;
    memcpy(mesh->tet[mesh->tet_count++], (uint32_t[4]){a, b, c, d}, 4 * sizeof a);
    return true;
}

double tet_volume(Vec3d a, Vec3d b, Vec3d c, Vec3d d)
{
    return vec3d_dot(vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a)), vec3d_sub(d, a)) / 6;
}

double tet_mesh_tet_volume(const TetMesh* mesh, size_t tet)
{
    const uint32_t* t = mesh->tet[tet];
    return tet_volume(mesh->point[t[0]], mesh->point[t[1]], mesh->point[t[2]], mesh->point[t[3]]);
}

double tet_mesh_volume(const TetMesh* mesh)
{
    double sum = 0;
    for (size_t t = 0; t < mesh->tet_count; t++)
        sum += tet_mesh_tet_volume(mesh, t);
    return sum;
}

Box3d tet_mesh_bounds(const TetMesh* mesh)
{
    Box3d box = {0};
    if (mesh->point_count)
        box.min = box.max = mesh->point[0];
    for (size_t i = 1; i < mesh->point_count; i++) {
        box.min = vec3d_min(box.min, mesh->point[i]);
        box.max = vec3d_max(box.max, mesh->point[i]);
    }
    return box;
}

// --- faces

typedef struct Face {
    uint32_t key[3];    // corners in rising order: equal for the two sides of a face
    uint32_t corner[3]; // turned outwards from its tetrahedron
} Face;

static int compare_faces(const void* a, const void* b)
{
    const Face *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->key[k] != q->key[k])
            return p->key[k] < q->key[k] ? -1 : 1;
    return 0;
}

static Face make_face(uint32_t a, uint32_t b, uint32_t c)
{
    Face face = {{a, b, c}, {a, b, c}};
    for (int k = 0; k < 3; k++) // a sorting network of three
        if (face.key[k & 1] > face.key[(k & 1) + 1]) {
            uint32_t keep = face.key[k & 1];
            face.key[k & 1] = face.key[(k & 1) + 1];
            face.key[(k & 1) + 1] = keep;
        }
    return face;
}

// All faces, equal ones side by side. NULL: out of memory. memory_give(NULL, ...) when done.
static Face* sorted_faces(const TetMesh* mesh)
{
    Face* face = memory_take(NULL, (4 * mesh->tet_count + 1) * sizeof *face);
    if (!face)
        return NULL;
    for (size_t t = 0; t < mesh->tet_count; t++) {
        const uint32_t* v = mesh->tet[t];
        face[4 * t] = make_face(v[0], v[2], v[1]);
        face[4 * t + 1] = make_face(v[0], v[1], v[3]);
        face[4 * t + 2] = make_face(v[0], v[3], v[2]);
        face[4 * t + 3] = make_face(v[1], v[2], v[3]);
    }
    qsort(face, 4 * mesh->tet_count, sizeof *face, compare_faces);
    return face;
}

static size_t equal_faces(const Face* face, size_t first, size_t count)
{
    size_t next = first + 1;
    while (next < count && compare_faces(&face[first], &face[next]) == 0)
        next++;
    return next - first;
}

// The surface's vertex for a point, made when first met; UINT32_MAX: out of memory.
static uint32_t vertex_for(const TetMesh* mesh, uint32_t point, uint32_t* vertex_of, TriMesh* surface)
{
    if (vertex_of[point] == UINT32_MAX) {
        if (!tri_mesh_add_vertex(surface, mesh->point[point]))
            return UINT32_MAX;
        vertex_of[point] = (uint32_t)surface->vertex_count - 1;
    }
    return vertex_of[point];
}

static bool add_outer_faces(const TetMesh* mesh, const Face* face, uint32_t* vertex_of, TriMesh* surface)
{
    for (size_t k = 0, alike; k < 4 * mesh->tet_count; k += alike) {
        alike = equal_faces(face, k, 4 * mesh->tet_count);
        if (alike > 1)
            continue;
        uint32_t v[3];
        for (int c = 0; c < 3; c++) {
            v[c] = vertex_for(mesh, face[k].corner[c], vertex_of, surface);
            if (v[c] == UINT32_MAX)
                return false;
        }
        if (!tri_mesh_add_triangle(surface, v[0], v[1], v[2]))
            return false;
    }
    return true;
}

bool tet_mesh_surface(const TetMesh* mesh, TriMesh* surface, uint32_t** point_of)
{
    Face* face = sorted_faces(mesh);
    uint32_t* vertex_of = memory_take(NULL, (mesh->point_count + 1) * sizeof *vertex_of);
    *point_of = memory_take(NULL, (mesh->point_count + 1) * sizeof **point_of);
    bool ok = face && vertex_of && *point_of;
    if (ok) {
        memset(vertex_of, 0xff, mesh->point_count * sizeof *vertex_of);
        ok = add_outer_faces(mesh, face, vertex_of, surface);
    }
    for (size_t i = 0; ok && i < mesh->point_count; i++)
        if (vertex_of[i] != UINT32_MAX)
            (*point_of)[vertex_of[i]] = (uint32_t)i;
    memory_give(NULL, face);
    memory_give(NULL, vertex_of);
    if (!ok) {
        memory_give(NULL, *point_of);
        *point_of = NULL;
        tri_mesh_free(surface);
    }
    return ok;
}

// --- checks

static double edge_cubed(const TetMesh* mesh, const uint32_t* t)
{
    double longest = 0;
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 4; b++)
            longest = fmax(longest, vec3d_length(vec3d_sub(mesh->point[t[a]], mesh->point[t[b]])));
    return longest * longest * longest;
}

static mn_Result check_tets(const TetMesh* mesh, mn_Error* error)
{
    for (size_t t = 0; t < mesh->tet_count; t++) {
        for (int c = 0; c < 4; c++)
            if (mesh->tet[t][c] >= mesh->point_count)
                return error_set(error, MN_BAD_INPUT, "tetrahedron %zu uses point %u; there are %zu points", t, mesh->tet[t][c],
                                 mesh->point_count);
        // a regular one has 0.118 of its edge cubed
        double volume = tet_mesh_tet_volume(mesh, t), flat = 1e-8 * edge_cubed(mesh, mesh->tet[t]);
        if (!(volume > flat))
            return error_set(error, MN_BAD_INPUT, "tetrahedron %zu is %s (volume %.3g m3)", t,
                             volume < -flat ? "turned inside out" : "flat", volume);
    }
    return MN_OK;
}

// Whether two faces of the same corners are seen from the same side: their tetrahedra lie in each other.
static bool same_side(const Face* a, const Face* b)
{
    int shift = 0;
    while (shift < 2 && b->corner[shift] != a->corner[0])
        shift++;
    return b->corner[(shift + 1) % 3] == a->corner[1];
}

static mn_Result check_faces(const TetMesh* mesh, mn_Error* error)
{
    Face* face = sorted_faces(mesh);
    if (!face)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu tetrahedra", mesh->tet_count);
    mn_Result result = MN_OK;
    for (size_t k = 0, alike; k < 4 * mesh->tet_count && result == MN_OK; k += alike) {
        alike = equal_faces(face, k, 4 * mesh->tet_count);
        if (alike > 2)
            result = error_set(error, MN_BAD_INPUT, "%zu tetrahedra share the face of points %u, %u and %u; at most 2 can", alike,
                               face[k].key[0], face[k].key[1], face[k].key[2]);
        else if (alike == 2 && same_side(&face[k], &face[k + 1]))
            result = error_set(error, MN_BAD_INPUT, "two tetrahedra lie on the same side of the face of points %u, %u and %u",
                               face[k].key[0], face[k].key[1], face[k].key[2]);
    }
    memory_give(NULL, face);
    return result;
}

typedef struct Place {
    Vec3d at;
    uint32_t point;
} Place;

static int compare_places(const void* a, const void* b)
{
    const Place *p = a, *q = b;
    double d = p->at.x != q->at.x ? p->at.x - q->at.x : p->at.y != q->at.y ? p->at.y - q->at.y : p->at.z - q->at.z;
    if (d != 0)
        return d < 0 ? -1 : 1;
    return p->point < q->point ? -1 : p->point > q->point;
}

static mn_Result check_places(const TetMesh* mesh, mn_Error* error)
{
    Place* place = memory_take(NULL, (mesh->point_count + 1) * sizeof *place);
    if (!place)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu points", mesh->point_count);
    for (size_t i = 0; i < mesh->point_count; i++)
        place[i] = (Place){mesh->point[i], (uint32_t)i};
    qsort(place, mesh->point_count, sizeof *place, compare_places);
    mn_Result result = MN_OK;
    for (size_t i = 1; i < mesh->point_count && result == MN_OK; i++) {
        Vec3d a = place[i - 1].at, b = place[i].at;
        if (a.x == b.x && a.y == b.y && a.z == b.z)
            result = error_set(error, MN_BAD_INPUT, "points %u and %u are in one place: the solid is not joined there",
                               place[i - 1].point, place[i].point);
    }
    memory_give(NULL, place);
    return result;
}

static mn_Result check_use(const TetMesh* mesh, mn_Error* error)
{
    bool* used = memory_take(NULL, mesh->point_count + 1);
    if (!used)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu points", mesh->point_count);
    memset(used, 0, mesh->point_count);
    for (size_t t = 0; t < mesh->tet_count; t++)
        for (int c = 0; c < 4; c++)
            used[mesh->tet[t][c]] = true;
    size_t i = 0;
    while (i < mesh->point_count && used[i])
        i++;
    memory_give(NULL, used);
    if (i < mesh->point_count)
        return error_set(error, MN_BAD_INPUT, "no tetrahedron uses point %zu", i);
    return MN_OK;
}

mn_Result tet_mesh_check(const TetMesh* mesh, mn_Error* error)
{
    if (mesh->tet_count == 0)
        return error_set(error, MN_BAD_INPUT, "there are no tetrahedra");
    mn_Result result = check_tets(mesh, error);
    if (result == MN_OK)
        result = check_faces(mesh, error);
    if (result == MN_OK)
        result = check_use(mesh, error);
    return result == MN_OK ? check_places(mesh, error) : result;
}

// --- boxes

static uint32_t box_point(const int cells[3], int i, int j, int k)
{
    return (uint32_t)((k * (cells[1] + 1) + j) * (cells[0] + 1) + i);
}

// Six tetrahedra around the diagonal from corner 0 to corner 7 (Kuhn): the path along one axis after the other, for each
// order of the axes. Faces of neighbouring cells are cut alike.
static bool add_cell(TetMesh* mesh, const int cells[3], const int cell[3])
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int o = 0; o < 6; o++) {
        int at[3] = {cell[0], cell[1], cell[2]};
        uint32_t v[4] = {box_point(cells, at[0], at[1], at[2])};
        for (int step = 0; step < 3; step++) {
            at[order[o][step]]++;
            v[step + 1] = box_point(cells, at[0], at[1], at[2]);
        }
        bool odd = o >= 3;
        if (!tet_mesh_add_tet(mesh, v[0], v[odd ? 2 : 1], v[odd ? 1 : 2], v[3]))
            return false;
    }
    return true;
}

bool tet_mesh_box(Vec3d size, const int cells[3], TetMesh* mesh)
{
    bool ok = true;
    for (int k = 0; k <= cells[2]; k++)
        for (int j = 0; j <= cells[1]; j++)
            for (int i = 0; i <= cells[0] && ok; i++) {
                Vec3d share = {(double)i / cells[0] - 0.5, (double)j / cells[1] - 0.5, (double)k / cells[2] - 0.5};
                ok = tet_mesh_add_point(mesh, vec3d_mul(share, size));
            }
    for (int k = 0; k < cells[2]; k++)
        for (int j = 0; j < cells[1]; j++)
            for (int i = 0; i < cells[0] && ok; i++)
                ok = add_cell(mesh, cells, (int[3]){i, j, k});
    if (!ok)
        tet_mesh_free(mesh);
    return ok;
}
