// SPDX-License-Identifier: MIT
// Creases and open borders as lines: edges that go on straight, or bend gently in steps shorter than the spacing, form one
// chain, which is divided into equal parts by its length. So the border of a finely meshed plate gets the same particles as
// that of a plate of two triangles, and the rim of a cylinder is even however it is cut.
#include "boundary/sample_parts.h"

#include <string.h>

static const double STRAIGHT = 1 - 1e-6, GENTLE = 0.87; // cosine of the bend between two edges of a chain

static Vec3d edge_from(const SampleSurface* s, uint32_t edge, uint32_t vertex)
{
    const SampleEdge* e = &s->edge[edge];
    return e->a == vertex ? vec3d_sub(s->x[e->b], s->x[e->a]) : vec3d_sub(s->x[e->a], s->x[e->b]);
}

static bool goes_on(const SampleSurface* s, uint32_t vertex, const uint32_t* edges)
{
    Vec3d p = edge_from(s, edges[0], vertex), q = edge_from(s, edges[1], vertex);
    double lp = vec3d_length(p), lq = vec3d_length(q), cosine = -vec3d_dot(p, q) / (lp * lq);
    return cosine > STRAIGHT || (cosine > GENTLE && (lp < SAMPLE_SPACING || lq < SAMPLE_SPACING));
}

// through[v]: the two crease edges that go on into each other at a vertex, or SAMPLE_NONE twice: a corner
static void find_through(const SampleSurface* s, uint32_t (*through)[2])
{
    const uint32_t many = SAMPLE_NONE - 1;
    memset(through, 0xff, s->mesh->vertex_count * sizeof *through);
    for (uint32_t i = 0; i < s->edge_count; i++) {
        if (s->edge[i].kind != SAMPLE_EDGE_CREASE)
            continue;
        const uint32_t ends[2] = {s->edge[i].a, s->edge[i].b};
        for (int k = 0; k < 2; k++) {
            uint32_t* at = through[ends[k]];
            if (at[0] == SAMPLE_NONE)
                at[0] = i;
            else
                at[1] = at[1] == SAMPLE_NONE ? i : many;
        }
    }
    for (uint32_t v = 0; v < s->mesh->vertex_count; v++)
        if (through[v][1] >= many || !goes_on(s, v, through[v]))
            through[v][0] = through[v][1] = SAMPLE_NONE;
}

// Appends the chain that leaves corner `vertex` over `edge`.
static void add_chain(SampleCreases* c, const SampleSurface* s, uint32_t edge, uint32_t vertex, uint8_t* done)
{
    while (!done[edge]) {
        done[edge] = 1;
        c->backward[c->edge_count] = s->edge[edge].a != vertex;
        c->edge[c->edge_count++] = edge;
        vertex = s->edge[edge].a == vertex ? s->edge[edge].b : s->edge[edge].a;
        if (c->through[vertex][0] == SAMPLE_NONE)
            break;
        edge = c->through[vertex][c->through[vertex][0] == edge];
    }
    c->begin[++c->count] = (uint32_t)c->edge_count;
}

static void find_chains(SampleCreases* c, const SampleSurface* s, uint8_t* done)
{
    c->begin[0] = 0;
    for (uint32_t i = 0; i < s->edge_count; i++) {
        if (s->edge[i].kind != SAMPLE_EDGE_CREASE || done[i])
            continue;
        if (c->through[s->edge[i].a][0] == SAMPLE_NONE)
            add_chain(c, s, i, s->edge[i].a, done);
        else if (c->through[s->edge[i].b][0] == SAMPLE_NONE)
            add_chain(c, s, i, s->edge[i].b, done);
    }
    // loops without a corner get one
    for (uint32_t i = 0; i < s->edge_count; i++) {
        if (s->edge[i].kind != SAMPLE_EDGE_CREASE || done[i])
            continue;
        c->through[s->edge[i].a][0] = c->through[s->edge[i].a][1] = SAMPLE_NONE;
        add_chain(c, s, i, s->edge[i].a, done);
    }
}

bool sample_creases_build(SampleCreases* c, const SampleSurface* s, Memory* memory)
{
    *c = (SampleCreases){0};
    size_t creases = 0;
    for (size_t i = 0; i < s->edge_count; i++)
        creases += s->edge[i].kind == SAMPLE_EDGE_CREASE;
    if (creases == 0)
        return true;
    c->through = memory_take(memory, s->mesh->vertex_count * sizeof *c->through);
    c->edge = memory_take(memory, creases * sizeof *c->edge);
    c->backward = memory_take(memory, creases * sizeof *c->backward);
    c->begin = memory_take(memory, (creases + 1) * sizeof *c->begin);
    uint8_t* done = memory_take(memory, s->edge_count);
    bool ok = c->through && c->edge && c->backward && c->begin && done;
    if (ok) {
        memset(done, 0, s->edge_count);
        find_through(s, c->through);
        find_chains(c, s, done);
    }
    memory_give(memory, done);
    return ok;
}

void sample_creases_free(SampleCreases* c, Memory* memory)
{
    memory_give(memory, c->through);
    memory_give(memory, c->edge);
    memory_give(memory, c->backward);
    memory_give(memory, c->begin);
    *c = (SampleCreases){0};
}

bool sample_creases_push_corners(const SampleCreases* c, const SampleSurface* s, SampleCandidates* candidates, Memory* memory)
{
    for (uint32_t v = 0; v < s->mesh->vertex_count && c->count; v++) {
        if (s->vertex_triangle[v] == SAMPLE_NONE || s->vertex_kind[v] != SAMPLE_EDGE_CREASE || c->through[v][0] != SAMPLE_NONE)
            continue;
        if (!sample_candidates_push(candidates, memory, sample_candidate(s->x[v], v, s->vertex_normal[v], 0, 0)))
            return false;
    }
    return true;
}

bool sample_creases_push_ends(const SampleCreases* c, const SampleSurface* s, SampleCandidates* candidates, Memory* memory)
{
    for (size_t chain = 0; chain < c->count; chain++) {
        uint32_t first = c->begin[chain], last = c->begin[chain + 1] - 1;
        double start = c->backward[first] ? 1 : 0, end = c->backward[last] ? 0 : 1;
        const SampleEdge *f = &s->edge[c->edge[first]], *l = &s->edge[c->edge[last]];
        Vec3d from = s->x[c->backward[first] ? f->b : f->a], to = s->x[c->backward[last] ? l->a : l->b];
        if (!sample_candidates_push(candidates, memory,
                                    sample_candidate(from, c->edge[first], sample_edge_normal(s, f), start, 0)) ||
            !sample_candidates_push(candidates, memory, sample_candidate(to, c->edge[last], sample_edge_normal(s, l), end, 0)))
            return false;
    }
    return true;
}

static double edge_length(const SampleSurface* s, uint32_t edge)
{
    return vec3d_distance(s->x[s->edge[edge].a], s->x[s->edge[edge].b]);
}

static bool push_chain(const SampleCreases* c, const SampleSurface* s, size_t chain, bool half, SampleCandidates* candidates,
                       Memory* memory)
{
    uint32_t begin = c->begin[chain], end = c->begin[chain + 1];
    double length = 0, before = 0;
    for (uint32_t i = begin; i < end; i++)
        length += edge_length(s, c->edge[i]);
    double parts = sample_parts_of(length, SAMPLE_PART_ALONE), at = half ? 0.5 : 1;
    for (uint32_t i = begin; i < end; i++) {
        const SampleEdge* e = &s->edge[c->edge[i]];
        double here = edge_length(s, c->edge[i]);
        // the last edge takes what rounding left over
        for (; at < parts && (at * length / parts <= before + here || i + 1 == end); at++) {
            double share = here > 0 ? fmin(fmax((at * length / parts - before) / here, 0), 1) : 0;
            share = c->backward[i] ? 1 - share : share;
            Vec3d x = vec3d_lerp(s->x[e->a], s->x[e->b], share);
            if (!sample_candidates_push(candidates, memory, sample_candidate(x, c->edge[i], sample_edge_normal(s, e), share, 0)))
                return false;
        }
        before += here;
    }
    return true;
}

bool sample_creases_push(const SampleCreases* c, const SampleSurface* s, bool half, SampleCandidates* candidates, Memory* memory)
{
    for (size_t chain = 0; chain < c->count; chain++)
        if (!push_chain(c, s, chain, half, candidates, memory))
            return false;
    return true;
}
