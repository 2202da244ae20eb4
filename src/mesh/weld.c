// SPDX-License-Identifier: MIT
// Merging coincident vertices: a hash of grid cells of twice the tolerance, in which only vertices that stay are entered.
// A vertex within the tolerance of an entered one is replaced by it (by the first, if there are several). At most eight
// cells can hold such a vertex; since entered vertices keep their distance, the lists per cell stay short.
#include "base/random.h"
#include "mesh/tri_mesh.h"

#include <string.h>

typedef struct Weld {
    const Vec3d* vertex;
    double tolerance, inverse_cell; // [m], [1/m]; inverse_cell 0: exact comparison
    uint64_t mask;                  // buckets - 1
    uint32_t* head;                 // (buckets) first entered vertex + 1, 0: none
    uint32_t* next;                 // (vertices) next in the bucket + 1
    uint32_t* target;               // (vertices) the vertex that stands for it
} Weld;

static uint64_t hash_double(uint64_t hash, double value)
{
    uint64_t bits;
    value += 0.0; // -0 becomes 0
    memcpy(&bits, &value, sizeof bits);
    return random_mix(hash ^ bits);
}

static uint64_t bucket_of(const Weld* w, double x, double y, double z)
{
    return hash_double(hash_double(hash_double(0, x), y), z) & w->mask;
}

static bool coincide(const Weld* w, Vec3d a, Vec3d b)
{
    if (w->inverse_cell == 0)
        return a.x == b.x && a.y == b.y && a.z == b.z;
    Vec3d d = vec3d_sub(a, b);
    return vec3d_dot(d, d) <= w->tolerance * w->tolerance;
}

// The first entered vertex of the bucket that coincides with p and is before `best`.
static uint32_t search_bucket(const Weld* w, uint64_t bucket, Vec3d p, uint32_t best)
{
    for (uint32_t j = w->head[bucket]; j; j = w->next[j - 1])
        if (j - 1 < best && coincide(w, w->vertex[j - 1], p))
            best = j - 1;
    return best;
}

static uint32_t find_target(const Weld* w, Vec3d p)
{
    if (w->inverse_cell == 0)
        return search_bucket(w, bucket_of(w, p.x, p.y, p.z), p, UINT32_MAX);
    uint32_t best = UINT32_MAX;
    double s = w->inverse_cell, t = w->tolerance;
    double x[2] = {floor((p.x - t) * s), floor((p.x + t) * s)};
    double y[2] = {floor((p.y - t) * s), floor((p.y + t) * s)};
    double z[2] = {floor((p.z - t) * s), floor((p.z + t) * s)};
    for (int i = 0; i <= (x[0] != x[1]); i++)
        for (int j = 0; j <= (y[0] != y[1]); j++)
            for (int k = 0; k <= (z[0] != z[1]); k++)
                best = search_bucket(w, bucket_of(w, x[i], y[j], z[k]), p, best);
    return best;
}

static void enter(Weld* w, uint32_t i)
{
    Vec3d p = w->vertex[i];
    double s = w->inverse_cell;
    uint64_t bucket = s == 0 ? bucket_of(w, p.x, p.y, p.z) : bucket_of(w, floor(p.x * s), floor(p.y * s), floor(p.z * s));
    w->next[i] = w->head[bucket];
    w->head[bucket] = i + 1;
}

// Cells must be countable: a tolerance below the resolution of the numbers is none.
static double inverse_cell(const TriMesh* mesh, double tolerance)
{
    Box3d box = tri_mesh_bounds(mesh);
    double reach = fmax(vec3d_length(box.min), vec3d_length(box.max));
    return tolerance > reach * 0x1p-50 ? 0.5 / tolerance : 0;
}

// Renumbers, keeps what has distinct corners.
static void apply_targets(TriMesh* mesh, const uint32_t* target)
{
    size_t kept = 0;
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        const uint32_t* t = mesh->triangle[k];
        uint32_t a = target[t[0]], b = target[t[1]], c = target[t[2]];
        if (a == b || b == c || c == a)
            continue;
        uint32_t* out = mesh->triangle[kept++];
        out[0] = a;
        out[1] = b;
        out[2] = c;
    }
    mesh->triangle_count = kept;
    kept = 0;
    for (size_t k = 0; k < mesh->segment_count; k++) {
        uint32_t a = target[mesh->segment[k][0]], b = target[mesh->segment[k][1]];
        if (a == b)
            continue;
        uint32_t* out = mesh->segment[kept++];
        out[0] = a;
        out[1] = b;
    }
    mesh->segment_count = kept;
}

// Decides for each vertex, then packs those that stay; target becomes the new index.
static void merge(TriMesh* mesh, Weld* w)
{
    uint32_t n = (uint32_t)mesh->vertex_count;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t found = find_target(w, mesh->vertex[i]);
        w->target[i] = found == UINT32_MAX ? i : found;
        if (found == UINT32_MAX)
            enter(w, i);
    }
    uint32_t stay = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (w->target[i] != i) {
            w->target[i] = w->target[w->target[i]]; // earlier, therefore already renumbered
            continue;
        }
        mesh->vertex[stay] = mesh->vertex[i];
        w->target[i] = stay++;
    }
    mesh->vertex_count = stay;
    apply_targets(mesh, w->target);
}

bool tri_mesh_weld(TriMesh* mesh, double tolerance)
{
    size_t n = mesh->vertex_count, buckets = 16;
    if (n == 0)
        return true;
    while (buckets < 2 * n)
        buckets *= 2;
    Weld w = {.vertex = mesh->vertex, .tolerance = tolerance, .inverse_cell = inverse_cell(mesh, tolerance), .mask = buckets - 1};
    w.head = memory_take(NULL, buckets * sizeof *w.head);
    w.next = memory_take(NULL, n * sizeof *w.next);
    w.target = memory_take(NULL, n * sizeof *w.target);
    bool ok = w.head && w.next && w.target;
    if (ok) {
        memset(w.head, 0, buckets * sizeof *w.head);
        merge(mesh, &w);
    }
    memory_give(NULL, w.head);
    memory_give(NULL, w.next);
    memory_give(NULL, w.target);
    return ok;
}
