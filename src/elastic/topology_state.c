// SPDX-License-Identifier: MIT
// The state of a topology: how many points and vertices there are, and if that is more than were built all that cannot be derived.
#include "elastic/split.h"
#include "elastic/topology_parts.h"

#include <string.h>

enum { POINTS, VERTICES, BONDS, MOVED, COUNTS };

static size_t bytes_after(const Body* body, const uint64_t count[COUNTS])
{
    size_t new_points = count[POINTS] - body->split.built_points, new_vertices = count[VERTICES] - body->split.built_vertices;
    return (corner_count(body) + new_points + 2 * new_vertices) * sizeof(uint32_t) + count[BONDS] * sizeof(Bond) +
           count[MOVED] * (sizeof(uint32_t) + sizeof(Vec3d));
}

// Whether a crack moved a point in the shape as built.
static bool has_moved(const Body* body, size_t point)
{
    return memcmp(&body->rest[point], &built_rest(body)[root_of(body, point)], sizeof *body->rest) != 0;
}

static void find_counts(const Body* body, uint64_t count[COUNTS])
{
    count[POINTS] = body->point_count;
    count[VERTICES] = body->vertex_count;
    count[BONDS] = body->bonds.count;
    count[MOVED] = 0;
    for (size_t k = 0; body->split.built_rest && k < body->point_count; k++)
        count[MOVED] += has_moved(body, k);
}

size_t topology_bytes(const Body* body)
{
    uint64_t count[COUNTS];
    find_counts(body, count);
    return sizeof count + (body->point_count > body->split.built_points ? bytes_after(body, count) : 0);
}

static char* put_numbers(char* out, const uint32_t* from, size_t count)
{
    if (count)
        memcpy(out, from, count * sizeof *from);
    return out + count * sizeof *from;
}

static char* put_moved(const Body* body, char* out)
{
    for (uint32_t k = 0; body->split.built_rest && k < body->point_count; k++)
        if (has_moved(body, k)) {
            out = put_numbers(out, &k, 1);
            memcpy(out, &body->rest[k], sizeof *body->rest);
            out += sizeof *body->rest;
        }
    return out;
}

char* topology_save(const Body* body, char* out)
{
    uint64_t count[COUNTS];
    find_counts(body, count);
    memcpy(out, count, sizeof count);
    out += sizeof count;
    if (body->point_count == body->split.built_points)
        return out;
    size_t points = body->split.built_points, vertices = body->split.built_vertices;
    out = put_numbers(out, corners_of(body), corner_count(body));
    out = put_numbers(out, body->split.root + points, body->point_count - points);
    for (uint32_t v = (uint32_t)vertices; v < body->vertex_count; v++)
        out = put_numbers(out, body->embedding ? &body->embedding[v].point[0] : &v, 1);
    out = put_numbers(out, body->split.vertex_parent + vertices, body->vertex_count - vertices);
    out = put_moved(body, out);
    if (body->bonds.count)
        memcpy(out, body->bonds.bond, body->bonds.count * sizeof(Bond));
    return out + body->bonds.count * sizeof(Bond);
}

static const char* get_numbers(const char* in, uint32_t* to, size_t count)
{
    if (count)
        memcpy(to, in, count * sizeof *to);
    return in + count * sizeof *to;
}

static void topology_as_built(const Body* body, Topology* t)
{
    for (size_t k = 0; k < corner_count(body); k++)
        t->corner[k] = root_of(body, corners_of(body)[k]);
    for (uint32_t k = 0; k < body->split.built_points; k++) {
        t->root[k] = k;
        t->rest[k] = built_rest(body)[k];
    }
    for (uint32_t v = 0; v < body->split.built_vertices; v++) {
        t->vertex_point[v] = body->embedding ? body->embedding[v].point[0] : v;
        t->vertex_parent[v] = v;
    }
    t->point_count = body->split.built_points;
    t->vertex_count = body->split.built_vertices;
}

// Tetrahedra have the points that they were built with or copies of them, and vertices are copies of their parents. That all points
// have tetrahedra and all vertices are at the surface is seen when the body is made.
static bool is_sound(const Body* body, const Topology* t)
{
    for (size_t k = body->split.built_points; k < t->point_count; k++)
        if (t->root[k] >= body->split.built_points)
            return false;
    for (size_t k = 0; k < corner_count(body); k++)
        if (t->corner[k] >= t->point_count || t->root[t->corner[k]] != root_of(body, corners_of(body)[k]))
            return false;
    for (uint32_t v = (uint32_t)body->split.built_vertices; v < t->vertex_count; v++) {
        if (t->vertex_point[v] >= t->point_count || t->vertex_parent[v] > v)
            return false;
        if (t->root[t->vertex_point[v]] != t->root[t->vertex_point[t->vertex_parent[v]]])
            return false;
        if (is_sheet(body) && t->vertex_point[v] != v)
            return false;
    }
    return true;
}

// Places of points as built, and of those that cracks moved. NULL: not those of this body; that none is flat is seen when it is
// made.
static const char* read_rest(const Body* body, const char* in, Topology* t, size_t moved)
{
    for (size_t k = body->split.built_points; k < t->point_count; k++)
        t->rest[k] = t->rest[t->root[k]];
    for (size_t k = 0; k < moved; k++) {
        uint32_t point;
        in = get_numbers(in, &point, 1);
        if (point >= t->point_count)
            return NULL;
        memcpy(&t->rest[point], in, sizeof *t->rest);
        in += sizeof *t->rest;
        if (!isfinite(t->rest[point].x + t->rest[point].y + t->rest[point].z))
            return NULL;
    }
    return in;
}

// Reads what was saved over the topology as built; NULL: it is not sound.
static const char* read_topology(const Body* body, const char* in, Topology* t, const uint64_t count[COUNTS])
{
    size_t points = count[POINTS], vertices = count[VERTICES];
    topology_as_built(body, t);
    if (points == body->split.built_points)
        return in;
    in = get_numbers(in, t->corner, corner_count(body));
    in = get_numbers(in, t->root + body->split.built_points, points - body->split.built_points);
    in = get_numbers(in, t->vertex_point + body->split.built_vertices, vertices - body->split.built_vertices);
    in = get_numbers(in, t->vertex_parent + body->split.built_vertices, vertices - body->split.built_vertices);
    t->point_count = points;
    t->vertex_count = vertices;
    return is_sound(body, t) ? read_rest(body, in, t, count[MOVED]) : NULL;
}

// To be given back; NULL: out of memory, or not those of this body.
static Bond* read_bonds(ElasticSet* set, const Body* body, const char* in, size_t count)
{
    Bond* bond = memory_take(set->memory, (count + 1) * sizeof *bond);
    bool ok = bond;
    if (ok && count)
        memcpy(bond, in, count * sizeof *bond);
    for (size_t k = 0; ok && k < count; k++)
        ok = bond[k].corner[0] < 4 * body->tet_count && bond[k].corner[1] < 4 * body->tet_count && bond[k].area >= 0 &&
             bond[k].stiffness >= 0 && bond[k].spent >= 0 && isfinite(bond[k].area + bond[k].stiffness + bond[k].spent);
    if (ok)
        return bond;
    memory_give(set->memory, bond);
    return NULL;
}

// Whether a body like this one can have so many.
static bool are_sound(const Body* body, const uint64_t count[COUNTS])
{
    const uint64_t points = body->split.built_points, vertices = body->split.built_vertices;
    if (count[POINTS] == points)
        return count[VERTICES] == vertices && !count[BONDS] && !count[MOVED];
    return body->split.possible && count[POINTS] > points && count[POINTS] <= corner_count(body) && count[VERTICES] >= vertices &&
           count[VERTICES] <= count[POINTS] && (!is_sheet(body) || (count[VERTICES] == count[POINTS] && !count[MOVED])) &&
           count[BONDS] <= 6 * body->tet_count && count[MOVED] <= count[POINTS];
}

static const char* make_anew(ElasticSet* set, Body* body, const char* in, const uint64_t count[COUNTS])
{
    Topology t = {0};
    Body next = {0};
    const char* end = topology_take(&t, corner_count(body), count[POINTS]) ? read_topology(body, in, &t, count) : NULL;
    Bond* bond = end ? read_bonds(set, body, end, count[BONDS]) : NULL;
    if (bond && topology_remake(set, body, &t, &next)) {
        end += count[BONDS] * sizeof *bond;
        next.bonds.bond = bond;
        next.bonds.count = next.bonds.capacity = count[BONDS];
        topology_replace(set, body, &next);
    } else {
        body_free(set, &next);
        memory_give(set->memory, bond);
        end = NULL;
    }
    topology_free(&t);
    return end;
}

const char* topology_load(ElasticSet* set, Body* body, const char* in, size_t* left)
{
    uint64_t count[COUNTS];
    if (*left < sizeof count)
        return NULL;
    memcpy(count, in, sizeof count);
    if (!are_sound(body, count))
        return NULL;
    bool was_split = count[POINTS] > body->split.built_points;
    size_t more = was_split ? bytes_after(body, count) : 0;
    if (*left - sizeof count < more)
        return NULL;
    in += sizeof count;
    *left -= sizeof count + more;
    return was_split || body->point_count > body->split.built_points ? make_anew(set, body, in, count) : in;
}
