// SPDX-License-Identifier: MIT
#include "elastic/topology.h"

#include "elastic/contact/deformables.h"
#include "elastic/load.h"
#include "elastic/split.h"
#include "elastic/topology_parts.h"
#include "mesh/tet_mesh.h"
#include <stdlib.h>
#include <string.h>

bool topology_take(Topology* t, size_t corners, size_t points)
{
    *t = (Topology){.corner = memory_take(NULL, (corners + 1) * sizeof *t->corner),
                    .root = memory_take(NULL, (points + 1) * sizeof *t->root),
                    .rest = memory_take(NULL, (points + 1) * sizeof *t->rest),
                    .vertex_point = memory_take(NULL, (points + 1) * sizeof *t->vertex_point),
                    .vertex_parent = memory_take(NULL, (points + 1) * sizeof *t->vertex_parent)};
    return t->corner && t->root && t->rest && t->vertex_point && t->vertex_parent;
}

void topology_free(Topology* t)
{
    void* arrays[] = {t->corner, t->root, t->rest, t->vertex_point, t->vertex_parent};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(NULL, arrays[k]);
}

// --- a body from its topology

bool topology_keep_rest(ElasticSet* set, Body* body)
{
    if (!body->split.built_rest)
        body->split.built_rest = body_copy_of(set, body->rest, body->split.built_points * sizeof *body->rest);
    return body->split.built_rest;
}

static bool take_rest(ElasticSet* set, const Body* old, const Topology* t, Body* next)
{
    next->split.root = body_copy_of(set, t->root, t->point_count * sizeof *t->root);
    next->split.vertex_parent = body_copy_of(set, t->vertex_parent, t->vertex_count * sizeof *t->vertex_parent);
    next->split.built_rest = body_copy_of(set, built_rest(old), old->split.built_points * sizeof *old->rest);
    return next->split.root && next->split.vertex_parent && next->split.built_rest &&
           body_take_points(set, next, t->rest, t->point_count);
}

static int by_points(const void* a, const void* b)
{
    const uint32_t *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return 0;
}

// Points as built of a face, ascending.
static void face_key(const Body* body, const uint32_t face[3], uint32_t key[3])
{
    for (int c = 0; c < 3; c++) {
        uint32_t root = root_of(body, face[c]);
        int at = c;
        for (; at > 0 && key[at - 1] > root; at--)
            key[at] = key[at - 1];
        key[at] = root;
    }
}

// The faces that the body was built with. False: out of memory.
static bool take_built_faces(ElasticSet* set, const Body* old, Body* next)
{
    size_t count = old->split.built_triangles;
    if (old->split.built_face) {
        next->split.built_face = body_copy_of(set, old->split.built_face, count * sizeof *old->split.built_face);
        return next->split.built_face;
    }
    next->split.built_face = memory_take(set->memory, (count + 1) * sizeof *next->split.built_face);
    for (size_t k = 0; next->split.built_face && k < count; k++)
        face_key(old, old->skin.face[k], next->split.built_face[k]);
    if (next->split.built_face)
        qsort(next->split.built_face, count, sizeof *next->split.built_face, by_points);
    return next->split.built_face;
}

// Faces that cracks brought to the surface come last. False: out of memory.
static bool order_faces(Body* next)
{
    size_t count = next->skin.face_count, outer = 0, inner = 0;
    uint32_t(*kept)[3] = memory_take(NULL, (count + 1) * sizeof *kept);
    for (size_t k = 0; kept && k < count; k++) {
        uint32_t key[3];
        face_key(next, next->skin.face[k], key);
        bool is_built = bsearch(key, next->split.built_face, next->split.built_triangles, sizeof key, by_points);
        memcpy(is_built ? next->skin.face[outer++] : kept[inner++], next->skin.face[k], sizeof key);
    }
    if (kept && inner)
        memcpy(next->skin.face[outer], kept, inner * sizeof *kept);
    memory_give(NULL, kept);
    return kept;
}

// Triangles of vertices, from those of points. False: out of memory, or vertices are not the points at the surface.
static bool take_triangles(ElasticSet* set, const Topology* t, Body* next)
{
    uint32_t* vertex_of = memory_take(NULL, (t->point_count + 1) * sizeof *vertex_of);
    next->vertex_count = t->vertex_count;
    next->triangle_count = next->skin.face_count;
    next->triangle = memory_take(set->memory, (next->skin.face_count + 1) * sizeof *next->triangle);
    next->force = memory_take(set->memory, (t->vertex_count + 1) * sizeof *next->force);
    bool ok = vertex_of && next->triangle && next->force && next->skin.count == t->vertex_count;
    if (ok) {
        memset(vertex_of, 0xff, t->point_count * sizeof *vertex_of);
        memset(next->force, 0, t->vertex_count * sizeof *next->force);
    }
    for (uint32_t v = 0; ok && v < t->vertex_count; v++)
        vertex_of[t->vertex_point[v]] = v;
    for (size_t k = 0; ok && k < 3 * next->skin.face_count; k++) {
        uint32_t v = vertex_of[next->skin.face[k / 3][k % 3]];
        next->triangle[k / 3][k % 3] = v;
        ok = v != SPLIT_NONE;
    }
    memory_give(NULL, vertex_of);
    return ok;
}

static bool take_pieces(ElasticSet* set, Body* next)
{
    size_t n = next->point_count;
    if (is_sheet(next)) { // its parts meet as parts of any sheet do, and nothing else is asked of pieces
        uint32_t* piece = memory_take(NULL, (n + 1) * sizeof *piece);
        next->split.piece_count = piece ? split_pieces(next->triangle[0], 3, next->triangle_count, n, piece) : 0;
        memory_give(NULL, piece);
        return piece;
    }
    next->split.piece_of = memory_take(set->memory, (n + 1) * sizeof *next->split.piece_of);
    if (!next->split.piece_of)
        return false;
    next->split.piece_count = split_pieces(next->tet[0], 4, next->tet_count, n, next->split.piece_of);
    next->split.piece = memory_take(set->memory, (next->split.piece_count + 1) * sizeof *next->split.piece);
    next->split.outward = memory_take(set->memory, (n + 1) * sizeof *next->split.outward);
    return next->split.piece && next->split.outward;
}

static bool remake_model(ElasticSet* set, const Body* old, Body* next)
{
    ElasticBodyDef def = old->def;
    TriMesh surface = {.vertex_count = next->vertex_count,
                       .triangle_count = next->triangle_count,
                       .vertex = next->vertex_rest,
                       .triangle = next->triangle};
    TetMesh tets = {0};
    def.surface = &surface;
    def.tets = is_sheet(next) ? NULL : &tets;
    next->crossing = body_crossing(&def);
    next->fit = 1; // tetrahedra that come apart fill the surface
    if (next->model->create(set, next, NULL) != MN_OK)
        return false;
    bool learned = !is_sheet(next) && next->model->prepare_mobility && next->model->has_mobility(old);
    return !learned || next->model->prepare_mobility(set, next);
}

// Edges of a sheet that became two. False: out of memory.
static bool count_opened_edges(Body* next)
{
    uint32_t(*built)[3] = memory_take(NULL, (next->triangle_count + 1) * sizeof *built);
    for (size_t k = 0; built && k < 3 * next->triangle_count; k++)
        built[k / 3][k % 3] = next->split.root[next->triangle[k / 3][k % 3]];
    size_t now = split_count_edges((const uint32_t(*)[3])next->triangle, next->triangle_count);
    size_t before = built ? split_count_edges((const uint32_t(*)[3])built, next->triangle_count) : SIZE_MAX;
    memory_give(NULL, built);
    next->split.opened_edges = now - before;
    return now != SIZE_MAX && before != SIZE_MAX;
}

static bool remake_sheet(ElasticSet* set, const Body* old, const Topology* t, Body* next)
{
    next->vertex_count = next->point_count;
    next->triangle_count = old->triangle_count;
    next->triangle = body_copy_of(set, t->corner, old->triangle_count * sizeof *next->triangle);
    next->force = memory_take(set->memory, (next->vertex_count + 1) * sizeof *next->force);
    if (!next->triangle || !next->force)
        return false;
    memset(next->force, 0, next->vertex_count * sizeof *next->force);
    next->vertex = next->position;
    next->vertex_velocity = next->velocity;
    next->vertex_rest = next->rest;
    return body_find_skin(set, next, NULL) && count_opened_edges(next);
}

static bool remake_volume(ElasticSet* set, const Body* old, const Topology* t, Body* next)
{
    next->tet = body_copy_of(set, t->corner, old->tet_count * sizeof *next->tet);
    const TetMesh tets = {.point_count = next->point_count, .tet_count = next->tet_count, .point = next->rest, .tet = next->tet};
    return next->tet && body_find_skin(set, next, &tets) && take_built_faces(set, old, next) && order_faces(next) &&
           take_triangles(set, t, next) && body_embed(set, next, t->vertex_point);
}

bool topology_remake(ElasticSet* set, const Body* old, const Topology* t, Body* next)
{
    *next = (Body){.model = old->model,
                   .def = old->def,
                   .tet_count = old->tet_count,
                   .skin.built_edge = old->skin.built_edge,
                   .split.possible = true,
                   .split.revision = old->split.revision + 1,
                   .split.built_points = old->split.built_points,
                   .split.built_vertices = old->split.built_vertices,
                   .split.built_triangles = old->split.built_triangles};
    if (!take_rest(set, old, t, next))
        return false;
    return (is_sheet(old) ? remake_sheet(set, old, t, next) : remake_volume(set, old, t, next)) &&
           body_weigh(next, NULL) == MN_OK && take_pieces(set, next) && remake_model(set, old, next);
}

void topology_replace(ElasticSet* set, Body* body, Body* next)
{
    deformables_free(set);   // it has places for the points there were
    if (!next->bonds.bond) { // else they were loaded
        next->bonds.bond = body->bonds.bond;
        next->bonds.count = body->bonds.count;
        next->bonds.capacity = body->bonds.capacity;
        body->bonds.bond = NULL;
    }
    next->pins.pin = body->pins.pin;
    next->pins.count = body->pins.count;
    next->pins.capacity = body->pins.capacity;
    body->pins.pin = NULL;
    body_free(set, body);
    *body = *next;
}

// --- splitting

static void add_vertex(const Split* split, uint32_t point, uint32_t* vertex_of, Topology* t)
{
    uint32_t v = (uint32_t)t->vertex_count, from = vertex_of[split->from[point]];
    if (vertex_of[point] != SPLIT_NONE)
        return;
    t->vertex_point[v] = point;
    t->vertex_parent[v] = from != SPLIT_NONE ? from : v;
    vertex_of[point] = v;
    t->vertex_count++;
}

// Vertices there were stay; then come copies of them and points that were within, each before its copies.
static void find_vertices(const Body* body, const Split* split, const Body* bare, uint32_t* vertex_of, Topology* t)
{
    memset(vertex_of, 0xff, split->point_count * sizeof *vertex_of);
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        t->vertex_point[v] = body->embedding[v].point[0];
        t->vertex_parent[v] = parent_of(body, v);
        vertex_of[t->vertex_point[v]] = v;
    }
    t->vertex_count = body->vertex_count;
    for (size_t k = 0; k < bare->skin.count; k++) {
        add_vertex(split, split->from[bare->skin.point[k]], vertex_of, t);
        add_vertex(split, bare->skin.point[k], vertex_of, t);
    }
}

// Of a sheet every point is one.
static void number_vertices(const Body* body, const Split* split, Topology* t)
{
    t->vertex_count = split->point_count;
    for (uint32_t v = 0; v < split->point_count; v++) {
        t->vertex_point[v] = v;
        t->vertex_parent[v] = v < body->vertex_count ? parent_of(body, v) : split->from[v];
    }
}

// Which points are at the surface after the split, as a body that has nothing else.
static bool find_surface(ElasticSet* set, const Body* body, const Split* split, Body* bare)
{
    *bare = (Body){.tet_count = body->tet_count, .point_count = split->point_count};
    bare->rest = memory_take(set->memory, (split->point_count + 1) * sizeof *bare->rest);
    for (size_t k = 0; bare->rest && k < split->point_count; k++)
        bare->rest[k] = body->rest[split->from[k]];
    const TetMesh tets = {
        .point_count = split->point_count, .tet_count = body->tet_count, .point = bare->rest, .tet = (uint32_t(*)[4])split->corner};
    return bare->rest && body_find_skin(set, bare, &tets);
}

static bool make_topology(ElasticSet* set, const Body* body, const Split* split, Topology* t)
{
    Body bare = {0};
    uint32_t* vertex_of = memory_take(NULL, (split->point_count + 1) * sizeof *vertex_of);
    bool ok = topology_take(t, corner_count(body), split->point_count) && vertex_of &&
              (is_sheet(body) || find_surface(set, body, split, &bare));
    if (ok) {
        t->point_count = split->point_count;
        memcpy(t->corner, split->corner, corner_count(body) * sizeof *t->corner);
        for (size_t k = 0; k < split->point_count; k++) {
            t->root[k] = root_of(body, split->from[k]);
            t->rest[k] = body->rest[split->from[k]];
        }
        if (is_sheet(body))
            number_vertices(body, split, t);
        else
            find_vertices(body, split, &bare, vertex_of, t);
    }
    body_free(set, &bare);
    memory_give(NULL, vertex_of);
    return ok;
}

// What points had, their copies have too.
static void hand_on(const Body* body, const uint32_t* from, Body* next)
{
    for (size_t k = 0; k < next->point_count; k++) {
        next->position[k] = body->position[from[k]];
        next->velocity[k] = body->velocity[from[k]];
        next->pins.of[k] = body->pins.of[from[k]];
        next->pins.place[k] = body->pins.place[from[k]];
    }
    if (next->model->inherit)
        next->model->inherit(next, body, from);
}

// The body becomes what the split makes of it. False: out of memory, then nothing changed.
static bool take_split(ElasticSet* set, Body* body, const Split* split, size_t* out_opened)
{
    Topology t = {0};
    Body next = {0};
    bool ok = make_topology(set, body, split, &t) && topology_remake(set, body, &t, &next);
    if (ok) {
        hand_on(body, split->from, &next);
        body_follow(&next);
        *out_opened =
            is_sheet(body) ? next.split.opened_edges - body->split.opened_edges : (next.triangle_count - body->triangle_count) / 2;
        topology_replace(set, body, &next);
    } else {
        body_free(set, &next);
    }
    topology_free(&t);
    return ok;
}

bool topology_split(ElasticSet* set, Body* body, const uint8_t* parts, size_t* out_opened)
{
    Split split = {0};
    *out_opened = 0;
    bool ok = is_sheet(body)
                  ? split_sheet(&split, (const uint32_t(*)[3])body->triangle, body->triangle_count, body->point_count, parts)
                  : split_make(&split, (const uint32_t(*)[4])body->tet, body->tet_count, body->point_count, parts,
                               body->def.clean_cracks);
    if (ok && split.point_count > body->point_count)
        ok = take_split(set, body, &split, out_opened);
    split_free(&split);
    return ok;
}
