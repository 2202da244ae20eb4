// SPDX-License-Identifier: MIT
// Bodies that are cut along a plane, or break by themselves.
#include "elastic/cohesion.h"
#include "elastic/split.h"
#include "elastic/topology.h"
#include <string.h>

bool elastic_is_divisible(const ElasticSet* set, int body)
{
    return set->body[body].split.possible;
}

// Whether the middle of an element is above the plane.
static bool is_above(const Body* body, const uint32_t* corner, int corners, Vec3d point, Vec3d normal)
{
    Vec3d middle = {0, 0, 0};
    for (int c = 0; c < corners; c++)
        middle = vec3d_mad(middle, 1.0 / corners, body->position[corner[c]]);
    return vec3d_dot(vec3d_sub(middle, point), normal) >= 0;
}

static bool cut_sheet(ElasticSet* set, Body* body, Vec3d point, Vec3d normal, size_t* out_opened)
{
    uint8_t* side = memory_take(NULL, 3 * body->triangle_count + 1);
    if (!side)
        return false;
    for (size_t k = 0; k < body->triangle_count; k++)
        memset(side + 3 * k, is_above(body, body->triangle[k], 3, point, normal) ? 1 : 2, 3);
    bool ok = topology_split(set, body, side, out_opened);
    memory_give(NULL, side);
    return ok;
}

static bool cut_volume(ElasticSet* set, Body* b, Vec3d point, Vec3d normal, size_t* out_opened)
{
    size_t faces = 4 * b->tet_count;
    uint32_t* other = memory_take(NULL, (faces + 1) * sizeof *other);
    uint8_t* parts = memory_take(NULL, faces + 1);
    bool ok = other && parts && split_find_faces((const uint32_t(*)[4])b->tet, b->tet_count, other);
    for (size_t k = 0; ok && k < faces; k++)
        parts[k] = other[k] != SPLIT_NONE &&
                           is_above(b, b->tet[k / 4], 4, point, normal) != is_above(b, b->tet[other[k] / 4], 4, point, normal)
                       ? SPLIT_AT_ALL
                       : 0;
    ok = ok && topology_split(set, b, parts, out_opened);
    memory_give(NULL, other);
    memory_give(NULL, parts);
    return ok;
}

bool elastic_cut(ElasticSet* set, int body, Vec3d point, Vec3d normal, size_t* out_opened)
{
    Body* b = &set->body[body];
    *out_opened = 0;
    return (b->tet_count ? cut_volume : cut_sheet)(set, b, point, normal, out_opened);
}

size_t elastic_pieces(const ElasticSet* set, int body)
{
    return set->body[body].split.piece_count ? set->body[body].split.piece_count : 1;
}

bool elastic_break(ElasticSet* set, size_t* out_opened)
{
    bool ok = true;
    *out_opened = 0;
    for (size_t k = 0; k < set->body_count && ok; k++) {
        Body* body = &set->body[k];
        size_t opened = 0;
        if ((body->def.strength > 0 || body->def.tear_strain > 0) && body->split.possible && body->model->fracture)
            ok = body->model->fracture(set, body, &opened);
        *out_opened += opened;
    }
    return ok;
}

double elastic_broken_energy(const ElasticSet* set)
{
    double sum = 0;
    for (size_t k = 0; k < set->body_count; k++)
        sum += cohesion_spent(&set->body[k]);
    return sum;
}

size_t elastic_opened(const ElasticSet* set)
{
    size_t sum = 0;
    for (size_t k = 0; k < set->body_count; k++)
        sum += (set->body[k].triangle_count - set->body[k].split.built_triangles) / 2 + set->body[k].split.opened_edges;
    return sum;
}
