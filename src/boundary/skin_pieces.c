// SPDX-License-Identifier: MIT
// Pieces that broke off and are smaller than a few particles. A particle of a boundary that is alone stands for 1 / W(0), several
// particles of fluid, however small the piece is that it lies on. The fluid would lift such crumbs by a hundred times what they
// displace, and throw them. So the factors of a piece that is smaller across than a kernel are scaled by
//   s = min(1, V / sum_b V_b),     V its volume, V_b as they are alone and at rest,
// as far as the crack is open that set it free.
#include "boundary/skin.h"

#include "base/union_find.h"
#include "solid/kind.h"
#include <string.h>

typedef struct Pieces {
    const Skin* skin;
    const Vec3d* rest; // [m] (vertices)
    uint32_t* root;    // (vertices) of the piece that each is of
    Box3d* box;        // (vertices; roots only)
    double* volume;    // [m3] likewise
    Vec3d* sample;     // [m] (particles) where they lie on the piece alone
    uint32_t* order;   // particles, those of a piece one after the other
    uint32_t* first;   // (vertices + 1) into it, by roots
} Pieces;

static bool pieces_take(Pieces* p)
{
    size_t n = p->skin->resample.vertex_count + 1, samples = p->skin->resample.count + 1;
    p->root = memory_take(NULL, n * sizeof *p->root);
    p->box = memory_take(NULL, n * sizeof *p->box);
    p->volume = memory_take(NULL, n * sizeof *p->volume);
    p->sample = memory_take(NULL, samples * sizeof *p->sample);
    p->order = memory_take(NULL, samples * sizeof *p->order);
    p->first = memory_take(NULL, (n + 1) * sizeof *p->first);
    return p->root && p->box && p->volume && p->sample && p->order && p->first;
}

static void pieces_free(Pieces* p)
{
    void* arrays[] = {p->root, p->box, p->volume, p->sample, p->order, p->first};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(NULL, arrays[k]);
}

static void find_pieces(Pieces* p)
{
    const Resample* r = &p->skin->resample;
    for (uint32_t v = 0; v < r->vertex_count; v++)
        p->root[v] = v;
    for (size_t t = 0; t < r->triangle_count; t++)
        for (int k = 1; k < 3; k++)
            union_join(p->root, r->triangle[t][0], r->triangle[t][k]);
    for (uint32_t v = 0; v < r->vertex_count; v++) {
        uint32_t root = p->root[v] = union_root(p->root, v); // the smallest number comes first
        if (root == v) {
            p->box[v] = (Box3d){p->rest[v], p->rest[v]};
            p->volume[v] = 0;
        }
        p->box[root] = (Box3d){vec3d_min(p->box[root].min, p->rest[v]), vec3d_max(p->box[root].max, p->rest[v])};
    }
}

// Volumes, and where particles lie: behind the surface at rest, with every triangle that the piece has.
static void place_samples(Pieces* p, Vec3d* area)
{
    const Resample* r = &p->skin->resample;
    memset(area, 0, r->vertex_count * sizeof *area);
    for (size_t t = 0; t < r->triangle_count; t++) {
        const uint32_t* v = r->triangle[t];
        Vec3d o = p->box[p->root[v[0]]].min, a = vec3d_sub(p->rest[v[0]], o), b = vec3d_sub(p->rest[v[1]], o);
        Vec3d c = vec3d_sub(p->rest[v[2]], o), across = vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a));
        p->volume[p->root[v[0]]] += vec3d_dot(a, vec3d_cross(b, c)) / 6;
        for (int k = 0; k < 3; k++)
            area[v[k]] = vec3d_add(area[v[k]], across);
    }
    for (size_t v = 0; v < r->vertex_count; v++)
        area[v] = vec3d_mad(p->rest[v], -(double)p->skin->inset[v], vec3d_normalise(area[v]));
    for (size_t k = 0; k < r->count; k++) {
        const SurfacePoint* s = &r->point[k];
        p->sample[k] = vec3d(0, 0, 0);
        for (int c = 0; c < 3; c++)
            p->sample[k] = vec3d_mad(p->sample[k], (double)s->weight[c], area[s->vertex[c]]);
    }
}

static void sort_samples(Pieces* p)
{
    const Resample* r = &p->skin->resample;
    memset(p->first, 0, (r->vertex_count + 2) * sizeof *p->first);
    for (size_t k = 0; k < r->count; k++)
        p->first[p->root[r->point[k].vertex[0]] + 2]++;
    for (size_t v = 2; v < r->vertex_count + 2; v++)
        p->first[v] += p->first[v - 1];
    for (size_t k = 0; k < r->count; k++)
        p->order[p->first[p->root[r->point[k].vertex[0]] + 1]++] = (uint32_t)k;
}

// [m3] what the particles of a piece stand for if it is alone
static double displaced(const Pieces* p, uint32_t root)
{
    const Skin* skin = p->skin;
    double sum = 0;
    for (uint32_t i = p->first[root]; i < p->first[root + 1]; i++) {
        uint32_t b = p->order[i];
        double density = 0;
        for (uint32_t k = p->first[root]; k < p->first[root + 1]; k++) {
            uint32_t other = p->order[k];
            double distance = vec3d_distance(p->sample[b], p->sample[other]);
            density += (double)skin->rest[other].weight * kernel_w(&skin->kernel, distance);
        }
        if (density > 0)
            sum += (double)(skin->rest[b].factor * skin->rest[b].weight) / density;
    }
    return sum;
}

bool skin_find_pieces(Skin* skin, const Vec3d* rest, float* share)
{
    const Resample* r = &skin->resample;
    Pieces pieces = {.skin = skin, .rest = rest};
    Vec3d* area = memory_take(NULL, (r->vertex_count + 1) * sizeof *area);
    bool ok = pieces_take(&pieces) && area;
    if (ok) {
        find_pieces(&pieces);
        place_samples(&pieces, area);
        sort_samples(&pieces);
    }
    for (size_t v = 0; ok && v < r->vertex_count; v++) {
        uint32_t root = pieces.root[v];
        share[v] = root == v ? 1 : share[root];
        if (root == v && vec3d_distance(pieces.box[v].min, pieces.box[v].max) < (double)skin->kernel.h)
            share[v] = (float)fmin(fmax(pieces.volume[v], 0) / displaced(&pieces, root), 1);
    }
    memory_give(NULL, area);
    pieces_free(&pieces);
    return ok;
}
