// SPDX-License-Identifier: MIT
// Stiffness of constraints from SI materials.
//
// Edges (van Gelder 1998): k_e = E t sum(A) / l^2 over the triangles at the edge. The mean over all directions is then an
// isotropic membrane of Young's modulus E and Poisson ratio 1/3, exactly so for equilateral triangles. In volumes
// k_e = (5/2) mu sum(V) / l^2 over tetrahedra: shear modulus mu, Lame's lambda = mu; what is missing to the bulk
// modulus K = E / (3 (1 - 2 nu)) is given to the volume constraints, energy (K - 5/3 mu) (V - V0)^2 / (2 V0).
//
// Bending (Bergou 2006, section 2): energy D/2 |sum c_i x_i|^2 / (A0 + A1) per inner edge, D = E t^3 / (12 (1 - nu^2)), with the
// cotangents c_i at rest. Deviation: the paper has 3 / (A0 + A1), which is three times the energy of a plate for points that
// lie on a cylinder; with 1 it is exact for equilateral triangles in all directions, for right triangles along their
// sides. Where the sheet is curved at rest the length of the vector is compared with its own at rest, with the sign
// of the fold.
#include "elastic/constraints.h"

#include "base/error.h"
#include "mesh/tet_mesh.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 768, MOST_COLOURS = 64 };

// --- edges of triangles and tetrahedra

typedef struct HalfEdge {
    uint32_t a, b; // a < b
    uint32_t tip;  // third corner of a triangle
    uint32_t flip; // 1: the triangle runs it from b to a
    double share;  // [m2] or [m3] area or volume of the element
} HalfEdge;

static int by_edge(const void* p, const void* q)
{
    const HalfEdge *a = p, *b = q;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return a->tip < b->tip ? -1 : a->tip > b->tip;
}

static HalfEdge half_edge(uint32_t a, uint32_t b, uint32_t tip, double share)
{
    return a < b ? (HalfEdge){a, b, tip, 0, share} : (HalfEdge){b, a, tip, 1, share};
}

static double volume_of(const Vec3d* x, const uint32_t t[4])
{
    return tet_volume(x[t[0]], x[t[1]], x[t[2]], x[t[3]]);
}

static size_t list_half_edges(const Body* body, HalfEdge* out)
{
    const Vec3d* x = body->rest;
    size_t count = 0;
    for (size_t k = 0; k < body->tet_count; k++) {
        static const int pair[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
        const uint32_t* t = body->tet[k];
        for (int e = 0; e < 6; e++)
            out[count++] = half_edge(t[pair[e][0]], t[pair[e][1]], (uint32_t)k, volume_of(x, t));
    }
    for (size_t k = 0; body->tet_count == 0 && k < body->triangle_count; k++) {
        const uint32_t* t = body->triangle[k];
        double area = 0.5 * vec3d_length(vec3d_cross(vec3d_sub(x[t[1]], x[t[0]]), vec3d_sub(x[t[2]], x[t[0]])));
        for (int e = 0; e < 3; e++)
            out[count++] = half_edge(t[e], t[(e + 1) % 3], t[(e + 2) % 3], area);
    }
    qsort(out, count, sizeof *out, by_edge);
    return count;
}

// --- bending

static double cotangent(Vec3d a, Vec3d b)
{
    return vec3d_dot(a, b) / vec3d_length(vec3d_cross(a, b));
}

// `p`, `q`: the two half edges; the first one's triangle is on the left of a -> b if it is not flipped.
static bool make_hinge(const Body* body, const HalfEdge* p, const HalfEdge* q, HingeConstraint* out)
{
    const Vec3d* x = body->rest;
    if (p->flip) {
        const HalfEdge* other = p;
        p = q;
        q = other;
    }
    uint32_t v[4] = {p->a, p->b, p->tip, q->tip};
    Vec3d e0 = vec3d_sub(x[v[1]], x[v[0]]), e1 = vec3d_sub(x[v[2]], x[v[0]]), e2 = vec3d_sub(x[v[3]], x[v[0]]);
    Vec3d e3 = vec3d_sub(x[v[2]], x[v[1]]), e4 = vec3d_sub(x[v[3]], x[v[1]]), back = vec3d_scale(e0, -1);
    double c01 = cotangent(e0, e1), c02 = cotangent(e0, e2), c03 = cotangent(back, e3), c04 = cotangent(back, e4);
    double c[4] = {c03 + c04, c01 + c02, -c01 - c03, -c02 - c04};
    double area = p->share + q->share;
    double thick = body->def.thickness, nu = body->def.poisson;
    double rigidity = body->def.young * thick * thick * thick / (12 * (1 - nu * nu));
    if (!(rigidity > 0) || !isfinite(c[0] + c[1] + c[2] + c[3]))
        return false;
    *out = (HingeConstraint){.point = {v[0], v[1], v[2], v[3]}, .compliance = (float)(area / rigidity)};
    Vec3d sum = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        sum = vec3d_mad(sum, c[k], x[v[k]]);
    for (int k = 0; k < 3; k++)
        out->coefficient[k] = (float)c[k];
    out->coefficient[3] = -(out->coefficient[0] + out->coefficient[1] + out->coefficient[2]);
    Vec3d normal = vec3d_add(vec3d_cross(e0, e1), vec3d_cross(e2, e0));
    double bend = vec3d_length(sum);
    if (bend > 1e-4 * vec3d_length(e0))
        out->rest = (float)(vec3d_dot(sum, normal) < 0 ? -bend : bend);
    return true;
}

// --- all constraints

static void make_edges(Constraints* c, const Body* body, const HalfEdge* half, size_t count)
{
    double young = body->def.young, nu = body->def.poisson;
    double stiff = body->tet_count ? 2.5 * young / (2 * (1 + nu)) : young * body->def.thickness;
    for (size_t k = 0; k < count;) {
        size_t end = k;
        double share = 0;
        for (; end < count && half[end].a == half[k].a && half[end].b == half[k].b; end++)
            share += half[end].share;
        double rest = vec3d_distance(body->rest[half[k].a], body->rest[half[k].b]);
        c->edge[c->edge_count++] = (EdgeConstraint){{half[k].a, half[k].b}, rest, rest * rest / (stiff * share)};
        if (body->tet_count == 0 && end == k + 2 && half[k].flip != half[k + 1].flip &&
            make_hinge(body, &half[k], &half[k + 1], &c->hinge[c->hinge_count]))
            c->hinge_count++;
        k = end;
    }
}

static void make_tets(Constraints* c, const Body* body)
{
    double young = body->def.young, nu = body->def.poisson;
    double mu = young / (2 * (1 + nu)), bulk = young / (3 * (1 - 2 * nu)) - 5.0 / 3 * mu;
    // springs alone keep the volume that a ratio of 1/4 keeps; a little more holds tetrahedra the right way round
    bulk = fmax(bulk, 0.05 * mu);
    for (size_t k = 0; k < body->tet_count; k++) {
        TetConstraint t = {.rest = volume_of(body->rest, body->tet[k])};
        memcpy(t.point, body->tet[k], sizeof t.point);
        t.compliance = t.rest / bulk;
        t.crushed = t.rest * (1 + nu) * (1 - 2 * nu) / (30 * young * (1 - nu));
        c->tet[c->tet_count++] = t;
    }
}

static mn_Result check_edges(const Body* body, const HalfEdge* half, size_t count, mn_Error* error)
{
    for (size_t k = 0; k < count; k++)
        if (!(vec3d_distance(body->rest[half[k].a], body->rest[half[k].b]) > 0) || !(half[k].share > 0)) {
            error_set(error, MN_BAD_INPUT, "vertices %u and %u make an edge without length or an element without size", half[k].a,
                      half[k].b);
            error_key(error, "shape");
            return MN_BAD_INPUT;
        }
    return MN_OK;
}

// --- blocks

typedef struct Place {
    uint64_t key; // along a space-filling curve
    uint32_t kind, index;
} Place;

static int by_place(const void* p, const void* q)
{
    const Place *a = p, *b = q;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static uint64_t spread(uint64_t v) // bits of a 21-bit number, three apart
{
    v = (v | v << 32) & 0x1f00000000ffffu;
    v = (v | v << 16) & 0x1f0000ff0000ffu;
    v = (v | v << 8) & 0x100f00f00f00f00fu;
    v = (v | v << 4) & 0x10c30c30c30c30c3u;
    return (v | v << 2) & 0x1249249249249249u;
}

static uint64_t curve_key(const Box3d* box, double scale, Vec3d p)
{
    Vec3d r = vec3d_scale(vec3d_sub(p, box->min), scale);
    return spread((uint64_t)r.x) | spread((uint64_t)r.y) << 1 | spread((uint64_t)r.z) << 2;
}

static const uint32_t* points_of(const Constraints* c, const Place* place, int* count)
{
    *count = place->kind == 0 ? 2 : 4;
    return place->kind == 0   ? c->edge[place->index].point
           : place->kind == 1 ? c->hinge[place->index].point
                              : c->tet[place->index].point;
}

static void place_all(const Constraints* c, const Body* body, Place* place)
{
    Box3d box = {body->rest[0], body->rest[0]};
    for (size_t k = 1; k < body->point_count; k++)
        box = (Box3d){vec3d_min(box.min, body->rest[k]), vec3d_max(box.max, body->rest[k])};
    Vec3d size = vec3d_sub(box.max, box.min);
    double scale = 2097151 / fmax(size.x, fmax(size.y, size.z));
    size_t counts[3] = {c->edge_count, c->hinge_count, c->tet_count}, n = 0;
    for (uint32_t kind = 0; kind < 3; kind++)
        for (uint32_t k = 0; k < counts[kind]; k++) {
            place[n] = (Place){0, kind, k};
            int corners;
            const uint32_t* p = points_of(c, &place[n], &corners);
            Vec3d middle = {0, 0, 0};
            for (int i = 0; i < corners; i++)
                middle = vec3d_mad(middle, 1.0 / corners, body->rest[p[i]]);
            place[n++].key = curve_key(&box, scale, vec3d_max(box.min, vec3d_min(box.max, middle)));
        }
    qsort(place, n, sizeof *place, by_place);
}

// Within a block: kinds apart, and neighbours in the list without a common point where possible, so that the processor need
// not wait for one constraint before it starts the next.
static void interleave(const Constraints* c, Place* place, size_t count, uint64_t* used)
{
    int corners;
    for (size_t k = 0; k < count; k++) {
        const uint32_t* p = points_of(c, &place[k], &corners);
        for (int i = 0; i < corners; i++)
            used[p[i]] = 0;
    }
    for (size_t k = 0; k < count; k++) {
        const uint32_t* p = points_of(c, &place[k], &corners);
        uint64_t taken = 0;
        for (int i = 0; i < corners; i++)
            taken |= used[p[i]];
        int colour = ~taken ? __builtin_ctzll(~taken) : MOST_COLOURS - 1;
        for (int i = 0; i < corners; i++)
            used[p[i]] |= (uint64_t)1 << colour;
        place[k].key = (uint64_t)place[k].kind << 8 | (uint64_t)colour;
    }
    qsort(place, count, sizeof *place, by_place);
}

// The lowest colour that no block with a common point has; the last one is for all that find none.
static int block_colour(const Constraints* c, const Place* place, size_t count, uint64_t* used)
{
    int corners;
    uint64_t taken = 0;
    for (size_t k = 0; k < count; k++) {
        const uint32_t* p = points_of(c, &place[k], &corners);
        for (int i = 0; i < corners; i++)
            taken |= used[p[i]];
    }
    int colour = ~taken ? __builtin_ctzll(~taken) : MOST_COLOURS;
    for (size_t k = 0; k < count && colour < MOST_COLOURS; k++) {
        const uint32_t* p = points_of(c, &place[k], &corners);
        for (int i = 0; i < corners; i++)
            used[p[i]] |= (uint64_t)1 << colour;
    }
    return colour;
}

// The edges of a block: whole fours of one colour first, then what is left of each colour.
static void arrange_edges(Constraints* to, const Constraints* from, const Place* place, size_t count, ConstraintBlock* block)
{
    block->edge = (uint32_t)to->edge_count;
    for (int fours = 1; fours >= 0; fours--) {
        for (size_t k = 0; k < count && place[k].kind == 0;) {
            size_t end = k;
            while (end < count && place[end].key == place[k].key)
                end++;
            // edges of the last colour may have common points
            size_t whole = place[k].key == MOST_COLOURS - 1 ? k : end - (end - k) % 4;
            for (size_t i = fours ? k : whole; i < (fours ? whole : end); i++)
                to->edge[to->edge_count++] = from->edge[place[i].index];
            k = end;
        }
        if (fours)
            block->edge_fours = (uint32_t)to->edge_count;
    }
    block->edge_end = (uint32_t)to->edge_count;
}

// Copies constraints into the order of the blocks, colour by colour.
static void arrange(Constraints* to, const Constraints* from, const Place* place, size_t count, const uint8_t* colour)
{
    size_t blocks = block_count(count, BLOCK_SIZE);
    for (int wanted = 0; wanted < MOST_COLOURS; wanted++) {
        for (size_t b = 0; b < blocks; b++) {
            if (colour[b] != wanted)
                continue;
            ConstraintBlock* block = &to->block[to->block_count++];
            *block = (ConstraintBlock){.hinge = (uint32_t)to->hinge_count, .tet = (uint32_t)to->tet_count};
            size_t first = b * BLOCK_SIZE, size = count - first < BLOCK_SIZE ? count - first : BLOCK_SIZE;
            arrange_edges(to, from, place + first, size, block);
            for (size_t k = first; k < first + size; k++) {
                if (place[k].kind == 1)
                    to->hinge[to->hinge_count++] = from->hinge[place[k].index];
                else if (place[k].kind == 2)
                    to->tet[to->tet_count++] = from->tet[place[k].index];
            }
            block->hinge_end = (uint32_t)to->hinge_count;
            block->tet_end = (uint32_t)to->tet_count;
        }
        to->colour_end[wanted] = (uint32_t)to->block_count;
        if (to->block_count < blocks)
            to->colour_count = wanted + 2;
    }
    if (to->colour_count == 0)
        to->colour_count = 1;
}

static bool reserve(Constraints* c, Memory* memory, size_t edges, size_t hinges, size_t tets, size_t blocks)
{
    *c = (Constraints){.edge = memory_take(memory, (edges + 1) * sizeof *c->edge),
                       .hinge = memory_take(memory, (hinges + 1) * sizeof *c->hinge),
                       .tet = memory_take(memory, (tets + 1) * sizeof *c->tet),
                       .block = memory_take(memory, (blocks + 1) * sizeof *c->block)};
    return c->edge && c->hinge && c->tet && c->block;
}

void constraints_free(Constraints* constraints, Memory* memory)
{
    void* arrays[] = {constraints->edge, constraints->hinge, constraints->tet, constraints->block};
    for (size_t k = 0; k < 4; k++)
        memory_give(memory, arrays[k]);
    *constraints = (Constraints){0};
}

static mn_Result sort_blocks(Constraints* out, const Constraints* raw, Memory* memory, const Body* body, mn_Error* error)
{
    size_t count = raw->edge_count + raw->hinge_count + raw->tet_count, blocks = block_count(count, BLOCK_SIZE);
    Place* place = memory_take(NULL, (count + 1) * sizeof *place);
    uint64_t* used = memory_take(NULL, body->point_count * sizeof *used);
    uint8_t* colour = memory_take(NULL, blocks + 1);
    bool ok = place && used && colour && reserve(out, memory, raw->edge_count, raw->hinge_count, raw->tet_count, blocks);
    bool fits = true;
    if (ok) {
        place_all(raw, body, place);
        memset(used, 0, body->point_count * sizeof *used);
        for (size_t b = 0; b < blocks; b++) {
            size_t first = b * BLOCK_SIZE, size = count - first < BLOCK_SIZE ? count - first : BLOCK_SIZE;
            int c = block_colour(raw, place + first, size, used);
            fits = fits && c < MOST_COLOURS;
            colour[b] = (uint8_t)c;
        }
        for (size_t b = 0; b < blocks; b++) {
            size_t first = b * BLOCK_SIZE, size = count - first < BLOCK_SIZE ? count - first : BLOCK_SIZE;
            interleave(raw, place + first, size, used);
        }
        if (fits)
            arrange(out, raw, place, count, colour);
    }
    memory_give(NULL, place);
    memory_give(NULL, used);
    memory_give(NULL, colour);
    if (!ok)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu constraints", count);
    if (fits)
        return MN_OK;
    error_set(error, MN_BAD_INPUT, "a vertex has so many edges that %d groups of constraints are not enough", MOST_COLOURS);
    error_key(error, "shape");
    return MN_BAD_INPUT;
}

mn_Result constraints_build(Constraints* constraints, ElasticSet* set, const Body* body, mn_Error* error)
{
    size_t halves = body->tet_count ? 6 * body->tet_count : 3 * body->triangle_count;
    HalfEdge* half = memory_take(NULL, (halves + 1) * sizeof *half);
    Constraints raw = {0};
    mn_Result result = half && reserve(&raw, NULL, halves, halves, body->tet_count, 0)
                           ? MN_OK
                           : error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu edges", halves);
    if (result == MN_OK) {
        list_half_edges(body, half);
        result = check_edges(body, half, halves, error);
    }
    if (result == MN_OK) {
        make_edges(&raw, body, half, halves);
        make_tets(&raw, body);
        result = sort_blocks(constraints, &raw, set->memory, body, error);
    }
    constraints_free(&raw, NULL);
    memory_give(NULL, half);
    return result;
}
