// SPDX-License-Identifier: MIT
// Primitives of one surface that are in another one too.
#include "boundary/resample.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct Primitive {
    uint32_t key[3]; // vertices, ascending; of an edge two and NONE
    uint32_t number;
} Primitive;

static int by_key(const void* a, const void* b)
{
    const Primitive *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->key[k] != q->key[k])
            return p->key[k] < q->key[k] ? -1 : 1;
    return 0;
}

static Primitive primitive(uint32_t a, uint32_t b, uint32_t c, uint32_t number)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (c < low)
        return (Primitive){{c, low, high}, number};
    return c < high ? (Primitive){{low, c, high}, number} : (Primitive){{low, high, c}, number};
}

static uint32_t vertex_in(const uint32_t* vertex_of, uint32_t v)
{
    return vertex_of ? vertex_of[v] : v;
}

static uint32_t find(const Primitive* list, size_t count, const Primitive* wanted)
{
    const Primitive* found = bsearch(wanted, list, count, sizeof *list, by_key);
    return found ? found->number : NONE;
}

static void match_edges(const Resample* to, const Resample* from, const uint32_t* vertex_of, Primitive* list, uint32_t* edge_of)
{
    for (uint32_t i = 0; i < from->edge_count; i++)
        list[i] = primitive(from->edge[i].a, from->edge[i].b, NONE, i);
    qsort(list, from->edge_count, sizeof *list, by_key);
    for (size_t i = 0; i < to->edge_count; i++) {
        uint32_t a = vertex_in(vertex_of, to->edge[i].a), b = vertex_in(vertex_of, to->edge[i].b);
        Primitive wanted = primitive(a, b, NONE, 0);
        edge_of[i] = a == NONE || b == NONE ? NONE : find(list, from->edge_count, &wanted);
    }
}

static void match_triangles(const Resample* to, const Resample* from, const uint32_t* vertex_of, Primitive* list,
                            uint32_t* triangle_of)
{
    for (uint32_t t = 0; t < from->triangle_count; t++) {
        const uint32_t* v = from->triangle[t];
        list[t] = primitive(v[0], v[1], v[2], t);
    }
    qsort(list, from->triangle_count, sizeof *list, by_key);
    for (size_t t = 0; t < to->triangle_count; t++) {
        uint32_t v[3];
        for (int c = 0; c < 3; c++)
            v[c] = vertex_in(vertex_of, to->triangle[t][c]);
        Primitive wanted = primitive(v[0], v[1], v[2], 0);
        triangle_of[t] = wanted.key[2] == NONE ? NONE : find(list, from->triangle_count, &wanted);
        // numbers of a triangle tell of its edges, which are counted from its first corner
        if (triangle_of[t] != NONE && from->triangle[triangle_of[t]][0] != v[0])
            triangle_of[t] = NONE;
    }
}

bool resample_match(const Resample* to, const Resample* from, const uint32_t* vertex_of, uint32_t* edge_of, uint32_t* triangle_of)
{
    size_t most = from->edge_count > from->triangle_count ? from->edge_count : from->triangle_count;
    Primitive* list = memory_take(NULL, (most + 1) * sizeof *list);
    if (!list)
        return false;
    match_edges(to, from, vertex_of, list, edge_of);
    match_triangles(to, from, vertex_of, list, triangle_of);
    memory_give(NULL, list);
    return true;
}
