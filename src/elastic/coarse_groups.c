// SPDX-License-Identifier: MIT
#include "elastic/coarse_groups.h"

#include "base/axis.h"
#include <stdlib.h>

enum { GROUPS_MOST = 128, GROUP_LEAST = 16, PIECES_MOST = 2 * GROUPS_MOST };

typedef struct Item {
    double at;
    uint32_t point;
} Item;

static int by_place(const void* a, const void* b)
{
    const Item *p = a, *q = b;
    if (p->at != q->at)
        return p->at < q->at ? -1 : 1;
    return p->point < q->point ? -1 : p->point > q->point;
}

static void divide(Coarse* c, const Body* body, Item* item, size_t count, size_t groups)
{
    if (groups <= 1) {
        for (size_t k = 0; k < count; k++)
            c->group_of[item[k].point] = (uint32_t)c->groups;
        c->groups++;
        return;
    }
    Vec3d low = body->rest[item[0].point], high = low;
    for (size_t k = 0; k < count; k++) {
        low = vec3d_min(low, body->rest[item[k].point]);
        high = vec3d_max(high, body->rest[item[k].point]);
    }
    Vec3d size = vec3d_sub(high, low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (size_t k = 0; k < count; k++)
        item[k].at = vec3d_along(body->rest[item[k].point], axis);
    qsort(item, count, sizeof *item, by_place);
    size_t left = groups / 2, cut = count * left / groups;
    divide(c, body, item, cut, left);
    divide(c, body, item + cut, count - cut, groups - left);
}

// Pieces of a body that came apart are no group: they move on their own. If there are too many of them, some share one.
static void divide_pieces(Coarse* c, const Body* body, Item* item, size_t groups)
{
    size_t n = body->point_count, least = body->split.piece_count + groups <= PIECES_MOST ? 1 : n / groups;
    for (size_t k = 0; k < n; k++)
        item[k].at = body->split.piece_of[item[k].point];
    qsort(item, n, sizeof *item, by_place);
    for (size_t begin = 0, end; begin < n; begin = end) {
        end = begin + least < n ? begin + least : n;
        while (end < n && item[end].at == item[end - 1].at)
            end++;
        size_t share = (end - begin) * groups / n;
        divide(c, body, item + begin, end - begin, share ? share : 1);
    }
}

bool coarse_divide(Coarse* c, const Body* body)
{
    size_t n = body->point_count, groups = n / GROUP_LEAST;
    groups = groups < 1 ? 1 : groups > GROUPS_MOST ? GROUPS_MOST : groups;
    Item* item = memory_take(NULL, n * sizeof *item);
    if (!item)
        return false;
    for (size_t k = 0; k < n; k++)
        item[k].point = (uint32_t)k;
    if (body->split.piece_count > 1)
        divide_pieces(c, body, item, groups);
    else
        divide(c, body, item, n, groups);
    memory_give(NULL, item);
    return true;
}
