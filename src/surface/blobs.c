// SPDX-License-Identifier: MIT
// Small pieces: a droplet of one particle is a handful of grid cells and looks like a broken crystal. A sphere of the same volume
// looks like a droplet.
#include "surface/blobs.h"

#include <string.h>

enum { SPHERE_VERTICES = 42, SPHERE_TRIANGLES = 80 };

typedef struct Sphere {
    Vec3d vertex[SPHERE_VERTICES]; // of unit radius
    uint8_t triangle[SPHERE_TRIANGLES][3];
    double volume;
} Sphere;

// --- an icosahedron with every triangle cut in four

static int middle_of(Sphere* s, int* count, uint8_t (*known)[12], int a, int b)
{
    if (!known[a][b]) {
        s->vertex[*count] = vec3d_normalise(vec3d_add(s->vertex[a], s->vertex[b]));
        known[a][b] = known[b][a] = (uint8_t)*count;
        ++*count;
    }
    return known[a][b];
}

static void sphere_build(Sphere* s)
{
    static const uint8_t face[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                        {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                        {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    const double g = 1.6180339887498949;
    const Vec3d corner[12] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                              {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    uint8_t known[12][12] = {{0}};
    int vertices = 12, triangles = 0;
    for (int k = 0; k < 12; k++)
        s->vertex[k] = vec3d_normalise(corner[k]);
    for (int f = 0; f < 20; f++) {
        int a = face[f][0], b = face[f][1], c = face[f][2];
        int ab = middle_of(s, &vertices, known, a, b), bc = middle_of(s, &vertices, known, b, c);
        int ca = middle_of(s, &vertices, known, c, a);
        const int parts[4][3] = {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}};
        for (int k = 0; k < 4; k++, triangles++)
            for (int v = 0; v < 3; v++)
                s->triangle[triangles][v] = (uint8_t)parts[k][v];
    }
    s->volume = 0;
    for (int t = 0; t < SPHERE_TRIANGLES; t++) {
        Vec3d a = s->vertex[s->triangle[t][0]], b = s->vertex[s->triangle[t][1]], c = s->vertex[s->triangle[t][2]];
        s->volume += vec3d_dot(a, vec3d_cross(b, c)) / 6;
    }
}

// --- which pieces

#define GONE UINT32_MAX

// Small holes in the fluid are the grid's, not the flow's: they go in any case.
static bool is_small(const Piece* piece, double volume)
{
    return fabs(piece->volume) < volume;
}

// New numbers for the pieces that stay, and a list of those that become spheres.
static bool choose(Blobs* b, const Pieces* p, SurfaceBlobs how, double volume, uint32_t* number, size_t* out_kept)
{
    size_t kept = 0, spheres = 0;
    for (size_t k = 0; k < p->count; k++) {
        bool small = is_small(&p->piece[k], volume);
        number[k] = small ? GONE : (uint32_t)kept++;
        spheres += small && how == SURFACE_BLOBS_SPHERES && p->piece[k].volume > 0;
    }
    *out_kept = kept;
    b->sphere = memory_take(b->memory, (spheres + 1) * sizeof *b->sphere);
    if (!b->sphere)
        return false;
    for (size_t k = 0; k < p->count && spheres; k++)
        if (number[k] == GONE && p->piece[k].volume > 0)
            b->sphere[b->count++] = (Blob){p->piece[k].centre, p->piece[k].volume};
    return true;
}

// --- the others close ranks

enum { GRAIN = 1 << 15 };

// Work in blocks: each counts what stays, then writes it behind what the blocks before it keep.
typedef struct Ranks {
    const SurfaceMesh* mesh;
    const Pieces* pieces;
    const uint32_t* number; // new number per piece
    size_t* first;          // per block of work
    uint32_t* renamed;      // (vertices) new numbers
    Vec3* position;
    uint32_t* of_vertex;
    uint32_t (*triangle)[3];
} Ranks;

static bool vertex_stays(const Ranks* r, size_t vertex)
{
    return r->number[r->pieces->of_vertex[vertex]] != GONE;
}

static void count_vertices(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Ranks* r = context;
    size_t count = 0;
    for (size_t v = begin; v < end; v++)
        count += vertex_stays(r, v);
    r->first[block] = count;
}

static void move_vertices(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Ranks* r = context;
    size_t to = r->first[block];
    for (size_t v = begin; v < end; v++) {
        r->renamed[v] = (uint32_t)to; // of one that goes: of the next that stays
        if (!vertex_stays(r, v))
            continue;
        r->position[to] = r->mesh->position[v];
        r->of_vertex[to++] = r->number[r->pieces->of_vertex[v]];
    }
}

static void count_triangles(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Ranks* r = context;
    size_t count = 0;
    for (size_t t = begin; t < end; t++)
        count += vertex_stays(r, r->mesh->triangle[t][0]);
    r->first[block] = count;
}

static void move_triangles(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Ranks* r = context;
    size_t to = r->first[block];
    for (size_t t = begin; t < end; t++) {
        const uint32_t* c = r->mesh->triangle[t];
        if (!vertex_stays(r, c[0]))
            continue;
        for (int k = 0; k < 3; k++)
            r->triangle[to][k] = r->renamed[c[k]];
        to++;
    }
}

// Counts to places; returns the sum.
static size_t places(size_t* first, size_t blocks)
{
    size_t sum = 0;
    for (size_t k = 0; k < blocks; k++) {
        size_t own = first[k];
        first[k] = sum;
        sum += own;
    }
    return sum;
}

// The arrays of the mesh and of its pieces by shorter ones with room for the spheres.
static bool close_ranks(Ranks* r, SurfaceMesh* m, Pieces* p, size_t spheres, Pool* pool)
{
    size_t blocks = block_count(m->vertex_count > m->triangle_count ? m->vertex_count : m->triangle_count, GRAIN);
    r->first = memory_take(m->memory, (blocks + 1) * sizeof *r->first);
    r->renamed = memory_take(m->memory, (m->vertex_count + 1) * sizeof *r->renamed);
    if (!r->first || !r->renamed)
        return false;
    parallel_for(pool, m->vertex_count, GRAIN, count_vertices, r);
    size_t vertices = places(r->first, block_count(m->vertex_count, GRAIN)), room = vertices + spheres * SPHERE_VERTICES;
    r->position = memory_take(m->memory, (room + 1) * sizeof *r->position);
    r->of_vertex = memory_take(m->memory, (vertices + 1) * sizeof *r->of_vertex);
    if (!r->position || !r->of_vertex)
        return false;
    parallel_for(pool, m->vertex_count, GRAIN, move_vertices, r);
    r->renamed[m->vertex_count] = (uint32_t)vertices;
    parallel_for(pool, m->triangle_count, GRAIN, count_triangles, r);
    size_t triangles = places(r->first, block_count(m->triangle_count, GRAIN));
    r->triangle = memory_take(m->memory, (triangles + spheres * SPHERE_TRIANGLES + 1) * sizeof *r->triangle);
    if (!r->triangle)
        return false;
    parallel_for(pool, m->triangle_count, GRAIN, move_triangles, r);
    Vec3* position = m->position;
    uint32_t* of_vertex = p->of_vertex;
    uint32_t(*triangle)[3] = m->triangle;
    m->position = r->position;
    m->triangle = r->triangle;
    m->vertex_count = vertices;
    m->vertex_room = room;
    m->triangle_count = triangles;
    p->of_vertex = r->of_vertex;
    r->position = position; // given back with the rest
    r->of_vertex = of_vertex;
    r->triangle = triangle;
    return true;
}

static void keep_pieces(Pieces* p, const uint32_t* number, size_t kept)
{
    for (size_t k = 0; k < p->count; k++)
        if (number[k] != GONE) {
            p->piece[number[k]] = p->piece[k];
            p->origin[number[k]] = p->origin[k];
        }
    p->count = kept;
}

bool blobs_take_out(Blobs* b, SurfaceMesh* mesh, Pieces* pieces, uint32_t* first_vertex, size_t count, SurfaceBlobs how,
                    double volume, Pool* pool)
{
    *b = (Blobs){.memory = mesh->memory};
    if (how == SURFACE_BLOBS_MESHED)
        return true;
    size_t kept = 0;
    uint32_t* number = memory_take(mesh->memory, (pieces->count + 1) * sizeof *number);
    bool ok = number && choose(b, pieces, how, volume, number, &kept);
    if (ok && kept < pieces->count) {
        Ranks ranks = {.mesh = mesh, .pieces = pieces, .number = number};
        ok = close_ranks(&ranks, mesh, pieces, b->count, pool);
        for (size_t k = 0; ok && k <= count; k++)
            first_vertex[k] = ranks.renamed[first_vertex[k]];
        memory_give(mesh->memory, ranks.first);
        memory_give(mesh->memory, ranks.renamed);
        memory_give(mesh->memory, ranks.position);
        memory_give(mesh->memory, ranks.of_vertex);
        memory_give(mesh->memory, ranks.triangle);
        if (ok)
            keep_pieces(pieces, number, kept);
    }
    memory_give(mesh->memory, number);
    return ok;
}

void blobs_free(Blobs* b)
{
    memory_give(b->memory, b->sphere);
    *b = (Blobs){0};
}

// --- spheres

typedef struct SphereJob {
    SurfaceMesh* mesh;
    const Blobs* blobs;
    const Sampler* sampler;
    const Sphere* sphere;
} SphereJob;

static void sphere_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SphereJob* job = context;
    SurfaceMesh* m = job->mesh;
    SamplerPlace place = sampler_place();
    float mean[SAMPLER_WIDEST];
    for (size_t k = begin; k < end; k++) {
        const Blob* blob = &job->blobs->sphere[k];
        double radius = cbrt(blob->volume / job->sphere->volume);
        size_t first = m->vertex_count + k * SPHERE_VERTICES, triangle = m->triangle_count + k * SPHERE_TRIANGLES;
        sampler_at(job->sampler, &place, (Vec3){(float)blob->centre.x, (float)blob->centre.y, (float)blob->centre.z}, mean);
        for (int t = 0; t < SPHERE_TRIANGLES; t++)
            for (int v = 0; v < 3; v++)
                m->triangle[triangle + (size_t)t][v] = (uint32_t)first + job->sphere->triangle[t][v];
        for (size_t v = 0; v < SPHERE_VERTICES; v++) {
            Vec3d n = job->sphere->vertex[v], x = vec3d_mad(blob->centre, radius, n);
            m->position[first + v] = (Vec3){(float)x.x, (float)x.y, (float)x.z};
            m->normal[first + v] = (Vec3){(float)n.x, (float)n.y, (float)n.z};
            surface_store_values(m, first + v, mean);
        }
    }
}

void blobs_put_back(const Blobs* b, SurfaceMesh* mesh, const Sampler* sampler, Pool* pool)
{
    Sphere sphere;
    sphere_build(&sphere);
    SphereJob job = {mesh, b, sampler, &sphere};
    parallel_for(pool, b->count, 64, sphere_work, &job);
    mesh->vertex_count += b->count * SPHERE_VERTICES;
    mesh->triangle_count += b->count * SPHERE_TRIANGLES;
}
