// SPDX-License-Identifier: MIT
// Small pieces: a droplet of one particle is a handful of grid cells and looks like a broken crystal. A sphere of the same volume
// looks like a droplet.
#include "surface/pieces.h"

#include <stdlib.h>
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

typedef enum Fate { KEEP, DROP, BECOMES_SPHERE } Fate;

// Small holes in the fluid are the grid's, not the flow's: they go in any case.
static Fate fate_of(const Piece* piece, SurfaceBlobs blobs, double volume)
{
    if (blobs == SURFACE_BLOBS_MESHED || fabs(piece->volume) >= volume)
        return KEEP;
    return blobs == SURFACE_BLOBS_SPHERES && piece->volume > 0 ? BECOMES_SPHERE : DROP;
}

typedef struct Settling {
    SurfaceMesh* mesh;
    const Pieces* pieces;
    Fate* fate;
    size_t spheres;   // how many there will be
    uint32_t* number; // new number of each vertex
    size_t kept_vertices, kept_triangles;
} Settling;

// Moves what stays to the front, in order.
static void close_ranks(Settling* s)
{
    SurfaceMesh* m = s->mesh;
    for (size_t v = 0; v < m->vertex_count; v++) {
        if (s->fate[s->pieces->of_vertex[v]] != KEEP)
            continue;
        size_t to = s->kept_vertices++;
        s->number[v] = (uint32_t)to;
        m->position[to] = m->position[v];
        for (size_t k = 0; k < m->value_count; k++)
            memmove(m->value[k] + to * (size_t)m->components[k], m->value[k] + v * (size_t)m->components[k],
                    (size_t)m->components[k] * sizeof(float));
    }
    for (size_t t = 0; t < m->triangle_count; t++) {
        const uint32_t* c = m->triangle[t];
        if (s->fate[s->pieces->of_vertex[c[0]]] != KEEP)
            continue;
        uint32_t renamed[3] = {s->number[c[0]], s->number[c[1]], s->number[c[2]]};
        memcpy(m->triangle[s->kept_triangles++], renamed, sizeof renamed);
    }
}

// A copy of `old` with room for `room` items; gives the old one back. NULL: out of memory.
static void* grown(Memory* memory, void* old, size_t used, size_t room, size_t size)
{
    void* fresh = memory_take(memory, (room + 1) * size);
    if (fresh && used)
        memcpy(fresh, old, used * size);
    if (fresh)
        memory_give(memory, old);
    return fresh;
}

static bool make_room(Settling* s)
{
    SurfaceMesh* m = s->mesh;
    size_t vertices = s->kept_vertices + s->spheres * SPHERE_VERTICES;
    void* room = grown(m->memory, m->position, s->kept_vertices, vertices, sizeof *m->position);
    if (!room)
        return false;
    m->position = room;
    room = grown(m->memory, m->normal, 0, vertices, sizeof *m->normal);
    if (!room)
        return false;
    m->normal = room;
    room = grown(m->memory, m->triangle, s->kept_triangles, s->kept_triangles + s->spheres * SPHERE_TRIANGLES, sizeof *m->triangle);
    if (!room)
        return false;
    m->triangle = room;
    for (size_t k = 0; k < m->value_count; k++) {
        room = grown(m->memory, m->value[k], s->kept_vertices, vertices, (size_t)m->components[k] * sizeof(float));
        if (!room)
            return false;
        m->value[k] = room;
    }
    return true;
}

static void add_sphere(SurfaceMesh* m, const Sphere* sphere, const Piece* piece, const float* mean)
{
    double radius = cbrt(piece->volume / sphere->volume);
    for (int t = 0; t < SPHERE_TRIANGLES; t++, m->triangle_count++)
        for (int v = 0; v < 3; v++)
            m->triangle[m->triangle_count][v] = (uint32_t)m->vertex_count + sphere->triangle[t][v];
    for (int v = 0; v < SPHERE_VERTICES; v++, m->vertex_count++) {
        Vec3d x = vec3d_mad(piece->centre, radius, sphere->vertex[v]);
        m->position[m->vertex_count] = (Vec3){(float)x.x, (float)x.y, (float)x.z};
        const float* from = mean;
        for (size_t k = 0; k < m->value_count; from += m->components[k++])
            memcpy(m->value[k] + m->vertex_count * (size_t)m->components[k], from, (size_t)m->components[k] * sizeof(float));
    }
}

// Sums of the values of each piece's vertices, `width` numbers each.
static float* piece_means(const SurfaceMesh* m, const Pieces* p, size_t width)
{
    float* mean = calloc(p->count * width + 1, sizeof *mean);
    for (size_t v = 0; mean && v < m->vertex_count; v++) {
        float* to = mean + p->of_vertex[v] * width;
        for (size_t k = 0; k < m->value_count; k++)
            for (int c = 0; c < m->components[k]; c++)
                *to++ += m->value[k][v * (size_t)m->components[k] + (size_t)c] / (float)p->piece[p->of_vertex[v]].vertices;
    }
    return mean;
}

static bool settle(Settling* s, double volume, SurfaceBlobs blobs)
{
    SurfaceMesh* m = s->mesh;
    size_t width = 0;
    for (size_t k = 0; k < m->value_count; k++)
        width += (size_t)m->components[k];
    float* mean = piece_means(m, s->pieces, width);
    if (!mean)
        return false;
    bool changed = false;
    for (size_t k = 0; k < s->pieces->count; k++) {
        s->fate[k] = fate_of(&s->pieces->piece[k], blobs, volume);
        s->spheres += s->fate[k] == BECOMES_SPHERE;
        changed |= s->fate[k] != KEEP;
    }
    bool ok = true;
    if (changed) {
        close_ranks(s);
        ok = make_room(s);
        m->vertex_count = s->kept_vertices;
        m->triangle_count = s->kept_triangles;
        Sphere sphere;
        sphere_build(&sphere);
        for (size_t k = 0; k < s->pieces->count && ok; k++)
            if (s->fate[k] == BECOMES_SPHERE)
                add_sphere(m, &sphere, &s->pieces->piece[k], mean + k * width);
    }
    free(mean);
    return ok;
}

bool surface_settle_blobs(SurfaceMesh* mesh, SurfaceBlobs blobs, double volume)
{
    Pieces pieces;
    if (!pieces_find(&pieces, mesh))
        return false;
    Settling s = {.mesh = mesh,
                  .pieces = &pieces,
                  .fate = malloc((pieces.count + 1) * sizeof(Fate)),
                  .number = malloc((mesh->vertex_count + 1) * sizeof(uint32_t))};
    bool ok = s.fate && s.number && settle(&s, volume, blobs);
    free(s.fate);
    free(s.number);
    pieces_free(&pieces);
    return ok;
}
