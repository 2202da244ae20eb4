// SPDX-License-Identifier: MIT
#include "surface/pieces.h"

#include "base/union_find.h"
#include <string.h>

enum { PARTS = 8 }; // sums of triangles are made in so many parts, whatever the number of threads

// --- who belongs together

typedef struct JoinJob {
    const SurfaceMesh* mesh;
    const Stretches* stretches;
    uint32_t* parent;
} JoinJob;

static bool within(uint32_t vertex, uint32_t low, uint32_t high)
{
    return vertex >= low && vertex < high;
}

// Joins vertices of one stretch, which nobody else touches.
static void join_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const JoinJob* job = context;
    for (size_t s = begin; s < end; s++) {
        uint32_t low = job->stretches->first_vertex[s], high = job->stretches->first_vertex[s + 1];
        for (uint32_t v = low; v < high; v++)
            job->parent[v] = v;
        for (size_t t = job->stretches->first_triangle[s]; t < job->stretches->first_triangle[s + 1]; t++) {
            const uint32_t* c = job->mesh->triangle[t];
            bool own[3] = {within(c[0], low, high), within(c[1], low, high), within(c[2], low, high)};
            if (own[0] && own[1])
                union_join(job->parent, c[0], c[1]);
            if (own[1] && own[2])
                union_join(job->parent, c[1], c[2]);
            else if (own[0] && own[2])
                union_join(job->parent, c[2], c[0]);
        }
    }
}

// Joins what belongs to several stretches.
static void join_across(const JoinJob* job)
{
    for (size_t s = 0; s < job->stretches->count; s++) {
        uint32_t low = job->stretches->first_vertex[s], high = job->stretches->first_vertex[s + 1];
        for (size_t t = job->stretches->first_triangle[s]; t < job->stretches->first_triangle[s + 1]; t++) {
            const uint32_t* c = job->mesh->triangle[t];
            if (within(c[0], low, high) && within(c[1], low, high) && within(c[2], low, high))
                continue;
            union_join(job->parent, c[0], c[1]);
            union_join(job->parent, c[1], c[2]);
        }
    }
}

static Vec3d to_double(Vec3 v)
{
    return vec3d((double)v.x, (double)v.y, (double)v.z);
}

bool pieces_find(Pieces* p, const SurfaceMesh* mesh, const Stretches* stretches, Pool* pool)
{
    size_t n = mesh->vertex_count;
    *p = (Pieces){.memory = mesh->memory, .of_vertex = memory_take(mesh->memory, (n + 1) * sizeof *p->of_vertex)};
    if (!p->of_vertex)
        return false;
    JoinJob job = {mesh, stretches, p->of_vertex};
    parallel_for(pool, stretches->count, 16, join_work, &job);
    join_across(&job);
    // parents have smaller numbers than their children: in ascending order each one's root is known and can be replaced
    uint32_t* number = p->of_vertex;
    for (size_t v = 0; v < n; v++)
        p->count += number[v] == v;
    p->piece = memory_take(p->memory, (p->count + 1) * sizeof *p->piece);
    p->part = memory_take(p->memory, (PARTS * p->count + 1) * sizeof *p->part);
    p->origin = memory_take(p->memory, (p->count + 1) * sizeof *p->origin);
    if (!p->piece || !p->part || !p->origin) {
        pieces_free(p);
        return false;
    }
    uint32_t count = 0;
    for (size_t v = 0; v < n; v++) {
        if (number[v] == v) {
            p->origin[count] = to_double(mesh->position[v]);
            number[v] = count++;
        } else {
            number[v] = number[number[v]];
        }
    }
    pieces_measure(p, mesh, pool);
    return true;
}

void pieces_free(Pieces* p)
{
    memory_give(p->memory, p->of_vertex);
    memory_give(p->memory, p->piece);
    memory_give(p->memory, p->part);
    memory_give(p->memory, p->origin);
    *p = (Pieces){0};
}

// --- how large

typedef struct MeasureJob {
    const Pieces* pieces;
    const SurfaceMesh* mesh;
} MeasureJob;

static void measure_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const MeasureJob* job = context;
    Piece* sum = job->pieces->part + block * job->pieces->count;
    memset(sum, 0, job->pieces->count * sizeof *sum);
    for (size_t t = begin; t < end; t++) {
        const uint32_t* c = job->mesh->triangle[t];
        uint32_t piece = job->pieces->of_vertex[c[0]];
        Vec3d origin = job->pieces->origin[piece];
        Vec3d x[3];
        for (int k = 0; k < 3; k++)
            x[k] = vec3d_sub(to_double(job->mesh->position[c[k]]), origin);
        Vec3d normal = vec3d_cross(vec3d_sub(x[1], x[0]), vec3d_sub(x[2], x[0]));
        double area = vec3d_length(normal) / 2;
        sum[piece].volume += vec3d_dot(x[0], normal) / 6;
        sum[piece].area += area;
        sum[piece].centre = vec3d_mad(sum[piece].centre, area / 3, vec3d_add(vec3d_add(x[0], x[1]), x[2]));
    }
}

void pieces_measure(Pieces* p, const SurfaceMesh* mesh, Pool* pool)
{
    MeasureJob job = {p, mesh};
    size_t grain = mesh->triangle_count / PARTS + 1, parts = block_count(mesh->triangle_count, grain);
    parallel_for(pool, mesh->triangle_count, grain, measure_work, &job);
    for (size_t k = 0; k < p->count; k++) {
        Piece sum = {0};
        for (size_t part = 0; part < parts; part++) {
            const Piece* one = &p->part[part * p->count + k];
            sum.volume += one->volume;
            sum.area += one->area;
            sum.centre = vec3d_add(sum.centre, one->centre);
        }
        sum.centre = vec3d_mad(p->origin[k], sum.area > 0 ? 1 / sum.area : 0, sum.centre);
        p->piece[k] = sum;
    }
}
