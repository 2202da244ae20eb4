// SPDX-License-Identifier: MIT
#include "coupling/gauss_patch.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 64, CUTS_MOST = 4096, FACE_AT_ONCE = 3, TILE = 2 };

#define A 0.05971587f
#define B 0.47014206f
#define C 0.79742699f
#define D 0.10128651f
#define E 0.13239415f // (155 + sqrt 15) / 1200
#define F 0.12593918f // (155 - sqrt 15) / 1200

// The centre is farthest from the middles of the sides, the points near corners from each other.
const GaussRule gauss_triangle = {.count = 7,
                                  .second = {1.0f / 3, B, A, B, D, C, D},
                                  .third = {1.0f / 3, B, B, A, D, D, C},
                                  .weight = {0.225f, E, E, E, F, F, F},
                                  .spread = 0.41};
// Gauss and Legendre: 1/2 and 1/2 -+ sqrt(15)/10.
const GaussRule gauss_segment = {
    .count = 3, .second = {0.5f, 0.11270167f, 0.88729833f}, .weight = {4.0f / 9, 5.0f / 18, 5.0f / 18}, .spread = 0.39};

#undef A
#undef B
#undef C
#undef D
#undef E
#undef F

// --- faces of a solid, in its own frame if it moves as one

typedef struct Faces {
    size_t count;
    const Vec3d* vertex;
    const uint32_t (*triangle)[3]; // NULL: segments
    const uint32_t (*segment)[2];
    const Vec3d* velocity; // [m/s] of vertices; NULL: it moves as one
    uint32_t revision;
} Faces;

static Faces faces_of(const GaussSurfaces* s, size_t k)
{
    const Solid* solid = &s->solid[k];
    if (solid->kind->deforms) {
        SolidSurface surface = solid->kind->surface(solid);
        return (Faces){surface.triangle_count, surface.position, surface.triangle, NULL, surface.velocity, surface.revision};
    }
    if (s->dimension == 2)
        return (Faces){
            .count = solid->mesh.segment_count, .vertex = solid->mesh.vertex, .segment = (const uint32_t(*)[2])solid->mesh.segment};
    return (Faces){
        .count = solid->mesh.triangle_count, .vertex = solid->mesh.vertex, .triangle = (const uint32_t(*)[3])solid->mesh.triangle};
}

static int corners_of(const Faces* f, size_t face, uint32_t out[3])
{
    if (f->segment) {
        out[0] = out[2] = f->segment[face][0];
        out[1] = f->segment[face][1];
        return 2;
    }
    for (int k = 0; k < 3; k++)
        out[k] = f->triangle[face][k];
    return 3;
}

// Into how many parts each edge of a face is cut.
static size_t cuts_of(const GaussSurfaces* s, const Faces* f, size_t face)
{
    uint32_t v[3];
    int count = corners_of(f, face, v);
    double longest = 0;
    for (int k = 0; k < count; k++)
        longest = fmax(longest, vec3d_distance(f->vertex[v[k]], f->vertex[v[(k + 1) % count]]));
    return (size_t)fmin(fmax(ceil(longest / s->edge - 1e-6), 1), CUTS_MOST);
}

static size_t patches_of(const GaussSurfaces* s, const Faces* f, size_t face)
{
    size_t n = cuts_of(s, f, face);
    return f->segment ? n : n * n;
}

static GaussPatch patch_at(uint32_t solid, size_t face, const double corner[3][2])
{
    GaussPatch p = {.solid = solid, .face = (uint32_t)face};
    for (int k = 0; k < 3; k++)
        for (int e = 0; e < 2; e++)
            p.corner[k][e] = (float)corner[k][e];
    return p;
}

// Cells (i, j) of a face from (i, j) on, `wide` each way: one patch points up in each, and all but the last of a row have one that
// points down beside it.
static GaussPatch* cut_tile(GaussPatch* out, uint32_t solid, size_t face, size_t n, size_t i_first, size_t j_first, size_t wide)
{
    double d = 1.0 / (double)n;
    for (size_t i = i_first; i < n && i < i_first + wide; i++)
        for (size_t j = j_first; i + j < n && j < j_first + wide; j++) {
            double x = (double)i * d, y = (double)j * d;
            *out++ = patch_at(solid, face, (const double[3][2]){{x, y}, {x + d, y}, {x, y + d}});
            if (i + j + 1 < n)
                *out++ = patch_at(solid, face, (const double[3][2]){{x + d, y + d}, {x, y + d}, {x + d, y}});
        }
    return out;
}

// Small faces are one group, large ones fall into tiles.
static GaussPatch* cut_triangle(GaussSurfaces* s, GaussPatch* out, uint32_t solid, size_t face, size_t n)
{
    size_t wide = n <= FACE_AT_ONCE ? n : TILE;
    for (size_t i = 0; i < n; i += wide)
        for (size_t j = 0; i + j < n; j += wide) {
            s->group[s->group_count++] = (uint32_t)(out - s->patch);
            out = cut_tile(out, solid, face, n, i, j, wide);
        }
    return out;
}

static GaussPatch* cut_segment(GaussSurfaces* s, GaussPatch* out, uint32_t solid, size_t face, size_t n)
{
    double d = 1.0 / (double)n;
    for (size_t i = 0; i < n; i++) {
        if (i % FACE_AT_ONCE == 0)
            s->group[s->group_count++] = (uint32_t)(out - s->patch);
        *out++ = patch_at(solid, face, (const double[3][2]){{(double)i * d, 0}, {(double)(i + 1) * d, 0}, {(double)i * d, 0}});
    }
    return out;
}

// All patches of all solids, in the order of the solids.
static bool cut_all(GaussSurfaces* s)
{
    size_t total = 0;
    for (size_t k = 0; k < s->solid_count; k++) {
        Faces f = faces_of(s, k);
        s->first[k] = total;
        s->revision[k] = f.revision;
        for (size_t face = 0; face < f.count; face++)
            total += patches_of(s, &f, face);
    }
    s->first[s->solid_count] = s->count = total;
    if (!memory_reserve(s->memory, &s->patch, &s->capacity, 0, total, sizeof *s->patch) ||
        !memory_reserve(s->memory, &s->group, &s->group_capacity, 0, total + 1, sizeof *s->group) ||
        !memory_reserve(s->memory, &s->box, &s->box_capacity, 0, total + 1, sizeof *s->box))
        return false;
    GaussPatch* out = s->patch;
    s->group_count = 0;
    for (size_t k = 0; k < s->solid_count; k++) {
        Faces f = faces_of(s, k);
        s->group_of[k] = s->group_count;
        for (size_t face = 0; face < f.count; face++) {
            size_t n = cuts_of(s, &f, face);
            out = f.segment ? cut_segment(s, out, (uint32_t)k, face, n) : cut_triangle(s, out, (uint32_t)k, face, n);
        }
    }
    s->group[s->group_count] = (uint32_t)total;
    s->group_of[s->solid_count] = s->group_count;
    return true;
}

bool gauss_surfaces_create(GaussSurfaces* s, Memory* memory, const Solid* solid, size_t solid_count, int dimension, double distance)
{
    const GaussRule* rule = dimension == 2 ? &gauss_segment : &gauss_triangle;
    *s = (GaussSurfaces){
        .memory = memory, .solid = solid, .solid_count = solid_count, .dimension = dimension, .edge = distance / rule->spread};
    s->first = memory_take(memory, (solid_count + 1) * sizeof *s->first);
    s->group_of = memory_take(memory, (solid_count + 1) * sizeof *s->group_of);
    s->revision = memory_take(memory, (solid_count + 1) * sizeof *s->revision);
    s->place = memory_take(memory, (solid_count + 1) * sizeof *s->place);
    s->is_placed = memory_take(memory, (solid_count + 1) * sizeof *s->is_placed);
    if (!s->first || !s->group_of || !s->revision || !s->place || !s->is_placed)
        return false;
    memset(s->is_placed, 0, solid_count * sizeof *s->is_placed);
    return cut_all(s);
}

void gauss_surfaces_destroy(GaussSurfaces* s)
{
    if (!s->memory)
        return;
    memory_give(s->memory, s->patch);
    memory_give(s->memory, s->group);
    memory_give(s->memory, s->group_of);
    memory_give(s->memory, s->box);
    memory_give(s->memory, s->first);
    memory_give(s->memory, s->revision);
    memory_give(s->memory, s->place);
    memory_give(s->memory, s->is_placed);
    *s = (GaussSurfaces){0};
}

// --- where patches are

static Vec3 narrow(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

static Vec3d mixed(const Vec3d v[3], const float weight[2])
{
    double a = (double)weight[0], b = (double)weight[1];
    return vec3d_add(vec3d_scale(v[0], 1 - a - b), vec3d_add(vec3d_scale(v[1], a), vec3d_scale(v[2], b)));
}

static void place_patch(const GaussSurfaces* s, const Faces* f, GaussPatch* p)
{
    const Solid* solid = &s->solid[p->solid];
    uint32_t number[3];
    corners_of(f, p->face, number);
    Vec3d vertex[3], moving[3], x[3], v[3];
    for (int k = 0; k < 3; k++) {
        vertex[k] = f->vertex[number[k]];
        moving[k] = f->velocity ? f->velocity[number[k]] : vec3d(0, 0, 0);
    }
    for (int k = 0; k < 3; k++) {
        x[k] = mixed(vertex, p->corner[k]);
        v[k] = mixed(moving, p->corner[k]);
        if (!f->velocity) {
            Vec3d arm = quat_rotate(solid->pose.rotation, x[k]);
            x[k] = vec3d_add(solid->pose.position, arm);
            v[k] = vec3d_add(vec3d_add(solid->velocity, vec3d_cross(solid->angular_velocity, arm)), solid->surface_velocity);
        }
    }
    Vec3d ab = vec3d_sub(x[1], x[0]), ac = vec3d_sub(x[2], x[0]);
    p->at = narrow(x[0]);
    p->second = narrow(ab);
    p->third = narrow(ac);
    p->velocity = narrow(v[0]);
    p->second_velocity = narrow(vec3d_sub(v[1], v[0]));
    p->third_velocity = narrow(vec3d_sub(v[2], v[0]));
    p->size = (float)(s->dimension == 2 ? vec3d_length(ab) : 0.5 * vec3d_length(vec3d_cross(ab, ac)));
    Vec3d middle = s->dimension == 2 ? vec3d_scale(ab, 0.5) : vec3d_scale(vec3d_add(ab, ac), 1.0 / 3);
    double farthest = fmax(vec3d_length(middle), fmax(vec3d_distance(ab, middle), vec3d_distance(ac, middle)));
    p->reach = (float)(farthest * (1 + 1e-6));
}

static Box3d box_of(const GaussPatch* p)
{
    Vec3d a = vec3d((double)p->at.x, (double)p->at.y, (double)p->at.z);
    Vec3d b = vec3d_add(a, vec3d((double)p->second.x, (double)p->second.y, (double)p->second.z));
    Vec3d c = vec3d_add(a, vec3d((double)p->third.x, (double)p->third.y, (double)p->third.z));
    return (Box3d){vec3d_min(a, vec3d_min(b, c)), vec3d_max(a, vec3d_max(b, c))};
}

typedef struct PlaceJob {
    GaussSurfaces* surfaces;
    Faces faces;
    size_t first; // group
} PlaceJob;

static void place_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    PlaceJob* job = context;
    GaussSurfaces* s = job->surfaces;
    for (size_t group = job->first + begin; group < job->first + end; group++)
        for (size_t k = s->group[group]; k < s->group[group + 1]; k++) {
            place_patch(s, &job->faces, &s->patch[k]);
            Box3d one = box_of(&s->patch[k]), *all = &s->box[group];
            *all = k == s->group[group] ? one : (Box3d){vec3d_min(all->min, one.min), vec3d_max(all->max, one.max)};
        }
}

// Whether a surface that deforms has other patches than those at hand.
static bool is_outgrown(const GaussSurfaces* s, size_t k, const Faces* f)
{
    if (f->revision != s->revision[k])
        return true;
    size_t needed = 0;
    for (size_t face = 0; f->velocity && face < f->count; face++)
        needed += patches_of(s, f, face);
    return f->velocity && needed != s->first[k + 1] - s->first[k];
}

// Whether patches must be placed anew; remembers where the solid is.
static bool has_moved(GaussSurfaces* s, size_t k)
{
    const Solid* solid = &s->solid[k];
    GaussPlace now = {solid->pose, solid->velocity, solid->angular_velocity};
    bool same = s->is_placed[k] && !solid->kind->deforms && !memcmp(&now, &s->place[k], sizeof now);
    s->place[k] = now;
    s->is_placed[k] = true;
    return !same;
}

bool gauss_surfaces_place(GaussSurfaces* s, Pool* pool)
{
    bool outgrown = false;
    for (size_t k = 0; k < s->solid_count && !outgrown; k++) {
        Faces f = faces_of(s, k);
        outgrown = s->solid[k].kind->deforms && is_outgrown(s, k, &f);
    }
    if (outgrown && !cut_all(s))
        return false;
    for (size_t k = 0; k < s->solid_count; k++) {
        if (!outgrown && !has_moved(s, k))
            continue;
        PlaceJob job = {s, faces_of(s, k), s->group_of[k]};
        parallel_for(pool, s->group_of[k + 1] - s->group_of[k], GRAIN, place_block, &job);
    }
    return true;
}
