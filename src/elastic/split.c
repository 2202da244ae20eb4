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
// something parts are marked.
static void join_corners(const uint32_t (*tet)[4], size_t tet_count, const uint8_t* parts, const uint32_t* other, uint32_t* group,
                         uint8_t* touched)
{
    for (uint32_t k = 0; k < 4 * tet_count; k++)
        group[k] = k;
    for (uint32_t k = 0; k < 4 * tet_count; k++) {
        if (other[k] == SPLIT_NONE || other[k] < k)
            continue;
        uint32_t back = other[k] / 4;
        for (uint32_t c = 0; c < 4; c++) {
            if (c == k % 4)
                continue;
            uint32_t point = tet[k / 4][c];
            if (parts_at(tet, parts, other, k, c))
                touched[point] = 1;
            else
                union_join(group, k - k % 4 + c, 4 * back + corner_at(tet[back], point));
        }
    }
}

// The group with the first corner of a point keeps it, each other one gets a new point.
static void name_points(Split* split, size_t tet_count, size_t point_count, uint32_t* group, const uint8_t* touched,
                        uint32_t* point_of)
{
    uint32_t* first = point_of + 4 * tet_count; // (points) the group that keeps it
    memset(first, 0xff, point_count * sizeof *first);
    split->point_count = point_count;
    for (uint32_t k = 0; k < point_count; k++)
        split->from[k] = k;
    for (uint32_t k = 0; k < 4 * tet_count; k++) {
        uint32_t point = split->tet[k / 4][k % 4], root = union_root(group, k);
        if (!touched[point])
            continue;
        if (root == k && first[point] == SPLIT_NONE) {
            first[point] = root;
            point_of[root] = point;
        } else if (root == k) {
            point_of[root] = (uint32_t)split->point_count;
            split->from[split->point_count++] = point;
        }
        split->tet[k / 4][k % 4] = point_of[root]; // roots come first
    }
}

bool split_make(Split* split, const uint32_t (*tet)[4], size_t tet_count, size_t point_count, const uint8_t* parts)
{
    size_t corners = 4 * tet_count;
    *split = (Split){.tet = memory_take(NULL, (tet_count + 1) * sizeof *split->tet),
                     .from = memory_take(NULL, (point_count + corners + 1) * sizeof *split->from)};
    uint32_t* other = memory_take(NULL, (corners + 1) * sizeof *other);
    uint32_t* group = memory_take(NULL, (corners + 1) * sizeof *group);
    uint32_t* point_of = memory_take(NULL, (corners + point_count + 1) * sizeof *point_of);
    uint8_t* touched = memory_take(NULL, point_count + 1);
    bool ok = split->tet && split->from && other && group && point_of && touched && split_find_faces(tet, tet_count, other);
    if (ok) {
        memset(touched, 0, point_count);
        memcpy(split->tet, tet, tet_count * sizeof *tet);
        join_corners(tet, tet_count, parts, other, group, touched);
        name_points(split, tet_count, point_count, group, touched, point_of);
    }
    void* arrays[] = {other, group, point_of, touched};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(NULL, arrays[k]);
    return ok;
}

void split_free(Split* split)
{
    memory_give(NULL, split->tet);
    memory_give(NULL, split->from);
    *split = (Split){0};
}

size_t split_pieces(const uint32_t (*tet)[4], size_t tet_count, size_t point_count, uint32_t* piece)
{
    size_t count = 0;
    for (uint32_t k = 0; k < point_count; k++)
        piece[k] = k;
    for (size_t t = 0; t < tet_count; t++)
        for (int c = 1; c < 4; c++)
            union_join(piece, tet[t][0], tet[t][c]);
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
