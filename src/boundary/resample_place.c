// SPDX-License-Identifier: MIT
// Where the particles of a deforming surface are and how fast they move.
#include "boundary/resample.h"

enum { GRAIN = 1024 };

typedef struct PlaceJob {
    const Resample* r;
    const Vec3d *x, *v;
    Vec4 *out_x, *out_v;
    size_t first; // particle
} PlaceJob;

static Vec4 record(Vec3d a)
{
    return (Vec4){(float)a.x, (float)a.y, (float)a.z, 0};
}

static Vec3d between(const SurfacePoint* p, const Vec3d* value)
{
    return vec3d_mad(vec3d_scale(value[p->vertex[0]], (double)p->weight[0]), (double)p->weight[1], value[p->vertex[1]]);
}

static void place_vertices(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const PlaceJob* job = context;
    for (size_t k = begin; k < end; k++) {
        job->out_x[k] = record(job->x[k]);
        job->out_v[k] = record(job->v[k]);
    }
}

static void place_on_edges(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const PlaceJob* job = context;
    for (size_t k = job->first + begin; k < job->first + end; k++) {
        const SurfacePoint* p = &job->r->point[k];
        job->out_x[k] = record(between(p, job->x));
        job->out_v[k] = record(between(p, job->v));
    }
}

static void place_on_triangles(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const PlaceJob* job = context;
    for (size_t k = job->first + begin; k < job->first + end; k++) {
        const SurfacePoint* p = &job->r->point[k];
        job->out_x[k] = record(vec3d_mad(between(p, job->x), (double)p->weight[2], job->x[p->vertex[2]]));
        job->out_v[k] = record(vec3d_mad(between(p, job->v), (double)p->weight[2], job->v[p->vertex[2]]));
    }
}

void resample_place(const Resample* r, Pool* pool, const Vec3d* position, const Vec3d* velocity, Vec4* out_position,
                    Vec4* out_velocity)
{
    PlaceJob job = {r, position, velocity, out_position, out_velocity, r->vertex_count};
    size_t edges = r->edge_first[r->edge_count];
    parallel_for(pool, r->vertex_count, GRAIN, place_vertices, &job);
    parallel_for(pool, edges - r->vertex_count, GRAIN, place_on_edges, &job);
    job.first = edges;
    parallel_for(pool, r->count - edges, GRAIN, place_on_triangles, &job);
}
