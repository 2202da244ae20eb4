// SPDX-License-Identifier: MIT
#include "elastic/split.h"

#include "base/memory.h"
#include "base/union_find.h"
#include <stdlib.h>
#include <string.h>

// --- which tetrahedra have a face in common

typedef struct Face {
    uint32_t key[3]; // points, ascending
    uint32_t number;
} Face;

static int by_key(const void* a, const void* b)
{
    const Face *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->key[k] != q->key[k])
            return p->key[k] < q->key[k] ? -1 : 1;
    return p->number < q->number ? -1 : p->number > q->number;
}

static Face face_of(const uint32_t tet[4], uint32_t number)
{
    Face face = {.number = number};
    for (uint32_t c = 0, k = 0; c < 4; c++) {
        if (c == number % 4)
            continue;
        uint32_t at = k++; // into its place among those before it
        for (; at > 0 && face.key[at - 1] > tet[c]; at--)
            face.key[at] = face.key[at - 1];
        face.key[at] = tet[c];
    }
    return face;
}

bool split_find_faces(const uint32_t (*tet)[4], size_t tet_count, uint32_t* other)
{
    size_t count = 4 * tet_count;
    Face* face = memory_take(NULL, (count + 1) * sizeof *face);
    if (!face)
        return false;
    for (size_t k = 0; k < count; k++) {
        face[k] = face_of(tet[k / 4], (uint32_t)k);
        other[k] = SPLIT_NONE;
    }
    qsort(face, count, sizeof *face, by_key);
    for (size_t k = 1; k < count; k++)
        if (!memcmp(face[k].key, face[k - 1].key, sizeof face[k].key)) {
            other[face[k].number] = face[k - 1].number;
            other[face[k - 1].number] = face[k].number;
        }
    memory_give(NULL, face);
    return true;
}

// --- corners that stay joined

enum { BOTH_SIDES = 3 }; // mark of a point at which something parts

static uint32_t corner_at(const uint32_t tet[4], uint32_t point)
{
    uint32_t c = 0;
    while (c < 3 && tet[c] != point)
        c++;
    return c;
}

static bool parts_at(const uint32_t (*tet)[4], const uint8_t* parts, const uint32_t* other, uint32_t face, uint32_t corner)
{
    uint32_t back = other[face];
    return parts[face] >> corner & 1 || parts[back] >> corner_at(tet[back / 4], tet[face / 4][corner]) & 1;
}

// Items are corners of tetrahedra, 4 * tet + corner: those of one point that stay joined become one group. Points at which
// something parts are marked. `parts` NULL: nothing parts.
static void join_corners(const uint32_t (*tet)[4], size_t tet_count, const uint8_t* parts, const uint32_t* other, uint32_t* group,
                         uint8_t* touched)
{
    for (uint32_t k = 0; k < 4 * tet_count; k++) {
        if (other[k] == SPLIT_NONE || other[k] < k)
            continue;
        uint32_t back = other[k] / 4;
        for (uint32_t c = 0; c < 4; c++) {
            if (c == k % 4)
                continue;
            uint32_t point = tet[k / 4][c];
            if (parts && parts_at(tet, parts, other, k, c))
                touched[point] = BOTH_SIDES;
            else
                union_join(group, k - k % 4 + c, 4 * back + corner_at(tet[back], point));
        }
    }
}

// The group with the first corner of a point keeps it, each other one gets a new point.
static void name_points(Split* split, size_t corners, uint32_t* group, const uint8_t* touched, uint32_t* point_of)
{
    uint32_t* first = point_of + corners; // (points) the group that keeps it
    memset(first, 0xff, split->point_count * sizeof *first);
    for (uint32_t k = 0; k < corners; k++) {
        uint32_t point = split->corner[k], root = union_root(group, k);
        if (touched[point] != BOTH_SIDES)
            continue;
        if (root == k && first[point] == SPLIT_NONE) {
            first[point] = root;
            point_of[root] = point;
        } else if (root == k) {
            point_of[root] = (uint32_t)split->point_count;
            split->from[split->point_count++] = split->from[point];
        }
        split->corner[k] = point_of[root]; // roots come first
    }
}

typedef struct SplitScratch {
    uint32_t* group;    // (corners)
    uint32_t* point_of; // (2 * corners + points)
    uint8_t* touched;   // (points + corners)
} SplitScratch;

static bool take_scratch(Split* split, SplitScratch* s, const uint32_t* corner, size_t corners, size_t point_count)
{
    *split = (Split){.corner = memory_take(NULL, (corners + 1) * sizeof *split->corner),
                     .from = memory_take(NULL, (point_count + corners + 1) * sizeof *split->from)};
    *s = (SplitScratch){memory_take(NULL, (corners + 1) * sizeof *s->group),
                        memory_take(NULL, (2 * corners + point_count + 1) * sizeof *s->point_of),
                        memory_take(NULL, corners + point_count + 1)};
    if (!split->corner || !split->from || !s->group || !s->point_of || !s->touched)
        return false;
    memset(s->touched, 0, point_count);
    memcpy(split->corner, corner, corners * sizeof *corner);
    split->point_count = point_count;
    for (uint32_t k = 0; k < point_count; k++)
        split->from[k] = k;
    for (uint32_t k = 0; k < corners; k++)
        s->group[k] = k;
    return true;
}

static void give_scratch(SplitScratch* s)
{
    memory_give(NULL, s->group);
    memory_give(NULL, s->point_of);
    memory_give(NULL, s->touched);
}

// What only a point or an edge still holds, because all faces there have come apart at their other ends, parts at that point too;
// so long as there is any. `other` is scratch. False: out of memory.
static bool part_hinges(Split* split, const uint32_t (*tet)[4], size_t tet_count, uint32_t* other, SplitScratch* s)
{
    const uint32_t(*now)[4] = (const uint32_t(*)[4])split->corner;
    size_t corners = 4 * tet_count, before = split->point_count;
    memset(s->touched, 0, split->point_count);
    for (size_t k = 0; k < tet_count; k++) // at the points of tetrahedra that have a new point
        for (int c = 0; c < 4 && memcmp(now[k], tet[k], sizeof *now) != 0; c++)
            s->touched[now[k][c]] = BOTH_SIDES;
    for (uint32_t k = 0; k < corners; k++)
        s->group[k] = k;
    if (!split_find_faces(now, tet_count, other))
        return false;
    join_corners(now, tet_count, NULL, other, s->group, s->touched);
    name_points(split, corners, s->group, s->touched, s->point_of);
    return split->point_count == before || part_hinges(split, tet, tet_count, other, s);
}

bool split_make(Split* split, const uint32_t (*tet)[4], size_t tet_count, size_t point_count, const uint8_t* parts,
                bool hinges_part)
{
    size_t corners = 4 * tet_count;
    SplitScratch s;
    uint32_t* other = memory_take(NULL, (corners + 1) * sizeof *other);
    bool ok = take_scratch(split, &s, tet[0], corners, point_count) && other && split_find_faces(tet, tet_count, other);
    if (ok) {
        join_corners(tet, tet_count, parts, other, s.group, s.touched);
        name_points(split, corners, s.group, s.touched, s.point_of);
        ok = !hinges_part || split->point_count == point_count || part_hinges(split, tet, tet_count, other, &s);
    }
    memory_give(NULL, other);
    give_scratch(&s);
    return ok;
}

// --- sheets

typedef struct SheetEdge {
    uint32_t low, high; // points
    uint32_t at[2];     // corners of its triangle there
} SheetEdge;

static int by_ends(const void* a, const void* b)
{
    const SheetEdge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    return p->at[0] < q->at[0] ? -1 : p->at[0] > q->at[0];
}

// Edges of all triangles, equal ones one after the other; NULL: out of memory.
static SheetEdge* list_edges(const uint32_t (*triangle)[3], size_t triangle_count)
{
    SheetEdge* edge = memory_take(NULL, (3 * triangle_count + 1) * sizeof *edge);
    for (uint32_t k = 0; edge && k < 3 * triangle_count; k++) {
        uint32_t next = k - k % 3 + (k + 1) % 3, a = triangle[k / 3][k % 3], b = triangle[k / 3][next % 3];
        edge[k] = a < b ? (SheetEdge){a, b, {k, next}} : (SheetEdge){b, a, {next, k}};
    }
    if (edge)
        qsort(edge, 3 * triangle_count, sizeof *edge, by_ends);
    return edge;
}

static bool is_same_edge(const SheetEdge* a, const SheetEdge* b)
{
    return a->low == b->low && a->high == b->high;
}

size_t split_count_edges(const uint32_t (*triangle)[3], size_t triangle_count)
{
    SheetEdge* edge = list_edges(triangle, triangle_count);
    size_t count = edge ? 0 : SIZE_MAX;
    for (size_t k = 0; edge && k < 3 * triangle_count; k++)
        count += k == 0 || !is_same_edge(&edge[k], &edge[k - 1]);
    memory_give(NULL, edge);
    return count;
}

// All triangles of an edge are looked at with each other: more than two may meet there.
static void join_over_edges(const SheetEdge* edge, size_t count, const uint8_t* side, SplitScratch* s)
{
    for (size_t k = 0; k < count; k++)
        for (size_t j = k; j-- > 0 && is_same_edge(&edge[j], &edge[k]);)
            for (int end = 0; end < 2; end++) {
                uint32_t a = edge[j].at[end], b = edge[k].at[end];
                if (!side[a] || !side[b] || side[a] == side[b])
                    union_join(s->group, a, b);
            }
}

// Points with corners on both sides, also if no edge holds these together.
static void touch_cut(const uint8_t* side, const uint32_t* corner, size_t corners, uint8_t* touched)
{
    for (size_t k = 0; k < corners; k++)
        touched[corner[k]] |= side[k];
}

bool split_sheet(Split* split, const uint32_t (*triangle)[3], size_t triangle_count, size_t point_count, const uint8_t* side)
{
    size_t corners = 3 * triangle_count;
    SplitScratch s;
    SheetEdge* edge = list_edges(triangle, triangle_count);
    bool ok = take_scratch(split, &s, triangle[0], corners, point_count) && edge;
    if (ok) {
        join_over_edges(edge, corners, side, &s);
        touch_cut(side, triangle[0], corners, s.touched);
        name_points(split, corners, s.group, s.touched, s.point_of);
    }
    memory_give(NULL, edge);
    give_scratch(&s);
    return ok;
}

void split_free(Split* split)
{
    memory_give(NULL, split->corner);
    memory_give(NULL, split->from);
    *split = (Split){0};
}

size_t split_pieces(const uint32_t* corner, int corners, size_t elements, size_t point_count, uint32_t* piece)
{
    size_t count = 0;
    for (uint32_t k = 0; k < point_count; k++)
        piece[k] = k;
    for (size_t k = 0; k < elements; k++, corner += corners)
        for (int c = 1; c < corners; c++)
            union_join(piece, corner[0], corner[c]);
    // roots are the smallest of their group and come first: they get their numbers, counted down, and hand them on
    for (uint32_t k = 0; k < point_count; k++)
        piece[k] = union_root(piece, k);
    for (uint32_t k = 0; k < point_count; k++)
        if (piece[k] == k)
            piece[k] = UINT32_MAX - (uint32_t)count++;
        else
            piece[k] = piece[piece[k]];
    for (size_t k = 0; k < point_count; k++)
        piece[k] = UINT32_MAX - piece[k];
    return count;
}
