// SPDX-License-Identifier: MIT
// Skins of surfaces that come apart. What was at the surface keeps its inset and its factors; what comes there gets those that a
// surface of the same shape has, or the mean ones of the body.
#include "boundary/skin.h"

#include "solid/kind.h"
#include <string.h>

#define NONE UINT32_MAX

// Which edges and triangles of a surface are which of an earlier one.
typedef struct Match {
    uint32_t *edge, *triangle;
} Match;

static bool match_take(Match* match, const Resample* r)
{
    *match = (Match){memory_take(NULL, (r->edge_count + 1) * sizeof *match->edge),
                     memory_take(NULL, (r->triangle_count + 1) * sizeof *match->triangle)};
    return match->edge && match->triangle;
}

static void match_free(Match* match)
{
    memory_give(NULL, match->edge);
    memory_give(NULL, match->triangle);
}

// --- factors: those that places have that were at the surface from the beginning; else their mean

static SkinFactor mean_of(const SkinFactor* f, size_t count)
{
    double factor = 0, weight = 0;
    for (size_t k = 0; k < count; k++) {
        factor += (double)f[k].factor;
        weight += (double)f[k].weight;
    }
    return (SkinFactor){(float)(factor / (double)count), (float)(weight / (double)count)};
}

// The vertex as built that each was, or NONE.
static void find_roots(const SolidSurface* surface, size_t built, uint32_t* root)
{
    for (uint32_t v = 0; v < surface->vertex_count; v++) {
        bool was_split = surface->parent && surface->parent[v] != v;
        root[v] = v < built ? v : was_split ? root[surface->parent[v]] : NONE; // parents come first
    }
}

// Of one edge or triangle: the same if it has as many particles as it was built with.
static void take_factors(const SkinBuilt* built, uint32_t primitive, SkinFactor mean, SkinFactor* out, uint32_t count)
{
    const uint32_t* first = built->rest_first + primitive;
    bool same = primitive != NONE && first[1] - first[0] == count;
    for (uint32_t k = 0; k < count; k++)
        out[k] = same ? built->rest[first[0] + k] : mean;
}

static void inherit_factors(Skin* skin, const SkinBuilt* built, const uint32_t* root, const Match* match)
{
    const Resample* r = &skin->resample;
    size_t edges = r->edge_count, was = built->resample.edge_count, triangles = built->resample.triangle_count;
    SkinFactor mean = mean_of(built->rest, built->rest_first[was + triangles]);
    for (size_t k = 0; k < edges; k++)
        skin->rest_first[k] = r->edge_first[k];
    for (size_t k = 0; k <= r->triangle_count; k++)
        skin->rest_first[edges + k] = r->triangle_first[k];
    for (size_t v = 0; v < r->vertex_count; v++)
        skin->rest[v] = root[v] == NONE ? mean : built->rest[root[v]];
    for (size_t k = 0; k < edges + r->triangle_count; k++) {
        uint32_t primitive = k < edges ? match->edge[k] : match->triangle[k - edges];
        if (primitive != NONE && k >= edges)
            primitive += (uint32_t)was;
        const uint32_t* first = skin->rest_first + k;
        take_factors(built, primitive, mean, skin->rest + first[0], first[1] - first[0]);
    }
}

// What the surface was not built with.
static void mark_new(Skin* skin, const SkinBuilt* built, const uint32_t* root, const Match* match)
{
    const Resample* r = &skin->resample;
    uint8_t *edge = skin->crack.is_new + r->vertex_count, *triangle = edge + r->edge_count;
    for (size_t v = 0; v < r->vertex_count; v++) {
        skin->crack.is_new[v] = root[v] == NONE;
        if (root[v] != NONE)
            skin->inset[v] = built->inset[root[v]];
    }
    for (size_t k = 0; k < r->edge_count; k++)
        edge[k] = match->edge[k] == NONE;
    for (size_t k = 0; k < r->triangle_count; k++)
        triangle[k] = match->triangle[k] == NONE;
}

static bool take_grown(Skin* skin, const SkinBuilt* built, const SolidSurface* surface)
{
    const Resample* r = &skin->resample;
    size_t primitives = r->edge_count + r->triangle_count;
    skin->rest = built->rest ? memory_take(skin->memory, (r->count + 1) * sizeof *skin->rest) : NULL;
    skin->rest_first = built->rest ? memory_take(skin->memory, (primitives + 1) * sizeof *skin->rest_first) : NULL;
    if (built->rest && (!skin->rest || !skin->rest_first))
        return false;
    if (!surface->parent)
        return true;
    skin->crack = (SkinCrack){.parent = surface->parent,
                              .is_new = memory_take(skin->memory, r->vertex_count + primitives + 1),
                              .open = memory_take(skin->memory, (r->vertex_count + 1) * sizeof *skin->crack.open)};
    if (skin->rest)
        skin->crack.share = memory_take(skin->memory, (r->vertex_count + 1) * sizeof *skin->crack.share);
    return skin->crack.is_new && skin->crack.open && (!skin->rest || skin->crack.share);
}

// What is as it was built, and what is new. The particles of the rest shape must be there. False: out of memory.
static bool compare_with_built(Skin* skin, const SkinBuilt* built, const SolidSurface* surface)
{
    uint32_t* root = memory_take(NULL, (surface->vertex_count + 1) * sizeof *root);
    Match match = {0};
    bool ok = root && match_take(&match, &skin->resample) && take_grown(skin, built, surface);
    if (ok)
        find_roots(surface, built->resample.vertex_count, root);
    ok = ok && resample_match(&skin->resample, &built->resample, root, match.edge, match.triangle);
    if (ok && skin->rest)
        inherit_factors(skin, built, root, &match);
    if (ok && skin->crack.is_new)
        mark_new(skin, built, root, &match);
    if (ok && skin->crack.share)
        ok = skin_find_pieces(skin, surface->rest, skin->crack.share);
    memory_give(NULL, root);
    match_free(&match);
    return ok;
}

// --- the skin

static bool inherit_numbers(Skin* skin, Pool* pool, const Resample* from, const SolidSurface* surface)
{
    Match match = {0};
    bool ok = match_take(&match, &skin->resample) && resample_match(&skin->resample, from, NULL, match.edge, match.triangle) &&
              resample_take_over(&skin->resample, pool, from, match.edge, match.triangle, surface->position);
    match_free(&match);
    return ok;
}

static bool make_grown(Skin* next, Pool* pool, const Skin* skin, const SolidSurface* surface)
{
    const Resample* old = &skin->resample;
    ResampleDef rest = {.vertex_count = surface->vertex_count,
                        .triangle_count = surface->triangle_count,
                        .triangle = surface->triangle,
                        .position = surface->rest,
                        .spacing = old->spacing,
                        .fade_time = old->fade_time};
    TriMesh mesh = {.vertex_count = surface->vertex_count,
                    .triangle_count = surface->triangle_count,
                    .vertex = (Vec3d*)surface->rest,
                    .triangle = (uint32_t(*)[3])surface->triangle};
    const SkinBuilt first = {skin->resample, skin->inset, skin->rest, skin->rest_first};
    const SkinBuilt* built = skin->built.resample.vertex_count ? &skin->built : &first;
    if (!resample_create(&next->resample, &rest, skin->memory, pool))
        return false;
    bool is_sheet = !skin->inset;
    return (is_sheet || (skin_find_insets(next, &mesh) && compare_with_built(next, built, surface))) &&
           inherit_numbers(next, pool, old, surface);
}

// What the skin was built as stays with it.
static void keep_built(Skin* next, Skin* skin)
{
    if (!skin->built.resample.vertex_count) {
        skin->built = (SkinBuilt){skin->resample, skin->inset, skin->rest, skin->rest_first};
        skin->resample = (Resample){0};
        skin->inset = NULL;
        skin->rest = NULL;
        skin->rest_first = NULL;
    }
    next->built = skin->built;
    skin->built = (SkinBuilt){0};
}

bool skin_grow(Skin* skin, Pool* pool, const SolidSurface* surface)
{
    Skin next = {.memory = skin->memory,
                 .solid = skin->solid,
                 .revision = surface->revision,
                 .kernel = skin->kernel,
                 .first = skin->first,
                 .offset = skin->offset,
                 .position = surface->position,
                 .velocity = surface->velocity};
    if (!make_grown(&next, pool, skin, surface)) {
        skin_free(&next);
        return false;
    }
    keep_built(&next, skin);
    skin_free(skin);
    *skin = next;
    skin_follow(skin);
    return true;
}
