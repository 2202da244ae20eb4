// SPDX-License-Identifier: MIT
// A counting sort of the triangles' corners by vertex, in a few parts of the triangles that can be counted and placed side by side.
#include "surface/rings.h"

#include <string.h>

// A vertex lies on an edge of four cubes and each cube has at most five triangles: bytes can count them.
enum { PARTS = 4 };

typedef struct RingJob {
    const SurfaceMesh* mesh;
    Rings* rings;
    uint8_t* count; // (PARTS x vertices) triangles of each part, then where the part's next one goes
} RingJob;

static void count_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const RingJob* job = context;
    uint8_t* count = job->count + block * job->mesh->vertex_count;
    memset(count, 0, job->mesh->vertex_count);
    for (size_t t = begin; t < end; t++)
        for (int k = 0; k < 3; k++)
            count[job->mesh->triangle[t][k]]++;
}

static void place_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const RingJob* job = context;
    uint8_t* next = job->count + block * job->mesh->vertex_count;
    for (size_t t = begin; t < end; t++) {
        const uint32_t* c = job->mesh->triangle[t];
        for (int k = 0; k < 3; k++) {
            uint32_t* pair = job->rings->pair[job->rings->start[c[k]] + next[c[k]]++];
            pair[0] = c[(k + 1) % 3];
            pair[1] = c[(k + 2) % 3];
        }
    }
}

// Starts of the rings, and in them of each part.
static void add_counts(RingJob* job, size_t parts)
{
    size_t n = job->mesh->vertex_count;
    uint32_t total = 0;
    for (size_t v = 0; v < n; v++) {
        unsigned before = 0;
        job->rings->start[v] = total;
        for (size_t part = 0; part < parts; part++) {
            unsigned own = job->count[part * n + v];
            job->count[part * n + v] = (uint8_t)before;
            before += own;
        }
        total += before;
    }
    job->rings->start[n] = total;
}

bool rings_build(Rings* rings, const SurfaceMesh* mesh, Pool* pool)
{
    size_t n = mesh->vertex_count, triangles = mesh->triangle_count;
    size_t grain = triangles / PARTS + 1, parts = block_count(triangles, grain);
    *rings = (Rings){.memory = mesh->memory};
    rings->start = memory_take(mesh->memory, (n + 1) * sizeof *rings->start);
    rings->pair = memory_take(mesh->memory, (3 * triangles + 1) * sizeof *rings->pair);
    RingJob job = {mesh, rings, memory_take(mesh->memory, PARTS * n + 1)};
    bool ok = rings->start && rings->pair && job.count;
    if (ok) {
        parallel_for(pool, triangles, grain, count_work, &job);
        add_counts(&job, parts);
        parallel_for(pool, triangles, grain, place_work, &job);
    } else {
        rings_free(rings);
    }
    memory_give(mesh->memory, job.count);
    return ok;
}

void rings_free(Rings* rings)
{
    memory_give(rings->memory, rings->start);
    memory_give(rings->memory, rings->pair);
    *rings = (Rings){0};
}
