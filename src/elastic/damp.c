// SPDX-License-Identifier: MIT
#include "elastic/damp.h"

typedef struct DampJob {
    const Constraints* constraints;
    const Body* body;
    Vec3d* velocity;
    double time; // [s2] damping times the step
    uint32_t first;
} DampJob;

static void damp_edge(const DampJob* job, const EdgeConstraint* e)
{
    const Body* body = job->body;
    uint32_t a = e->point[0], b = e->point[1];
    Vec3d d = vec3d_sub(body->position[a], body->position[b]);
    double length2 = vec3d_dot(d, d), w = 1 / body->mass[a] + 1 / body->mass[b];
    if (!(length2 > 0) || body->pins.of[a] >= 0 || body->pins.of[b] >= 0)
        return;
    double rate = vec3d_dot(d, vec3d_sub(job->velocity[a], job->velocity[b])) / length2;
    double impulse = -rate / (e->compliance / job->time + w); // over the length
    job->velocity[a] = vec3d_mad(job->velocity[a], impulse / body->mass[a], d);
    job->velocity[b] = vec3d_mad(job->velocity[b], -impulse / body->mass[b], d);
}

static void damp_tet(const DampJob* job, const TetConstraint* t)
{
    const Body* body = job->body;
    Vec3d p[4], g[4];
    for (int k = 0; k < 4; k++) {
        p[k] = body->position[t->point[k]];
        if (body->pins.of[t->point[k]] >= 0)
            return;
    }
    Vec3d a = vec3d_sub(p[1], p[0]), b = vec3d_sub(p[2], p[0]), c = vec3d_sub(p[3], p[0]);
    g[1] = vec3d_scale(vec3d_cross(b, c), 1.0 / 6);
    g[2] = vec3d_scale(vec3d_cross(c, a), 1.0 / 6);
    g[3] = vec3d_scale(vec3d_cross(a, b), 1.0 / 6);
    g[0] = vec3d_scale(vec3d_add(g[1], vec3d_add(g[2], g[3])), -1);
    double rate = 0, w = 0;
    for (int k = 0; k < 4; k++) {
        rate += vec3d_dot(g[k], job->velocity[t->point[k]]);
        w += vec3d_dot(g[k], g[k]) / body->mass[t->point[k]];
    }
    double impulse = -rate / (t->compliance / job->time + w);
    for (int k = 0; k < 4; k++) {
        uint32_t i = t->point[k];
        job->velocity[i] = vec3d_mad(job->velocity[i], impulse / body->mass[i], g[k]);
    }
}

static void damp_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const DampJob* job = context;
    const Constraints* c = job->constraints;
    for (size_t k = job->first + begin; k < job->first + end; k++) {
        const ConstraintBlock* b = &c->block[k];
        for (size_t i = b->edge; i < b->edge_end; i++)
            damp_edge(job, &c->edge[i]);
        for (size_t i = b->tet; i < b->tet_end; i++)
            damp_tet(job, &c->tet[i]);
    }
}

void damp_velocities(const Constraints* c, Pool* pool, const Body* body, Vec3d* velocity, double damping, double dt)
{
    if (!(damping > 0 && dt > 0))
        return;
    DampJob job = {.constraints = c, .body = body, .velocity = velocity, .time = damping * dt};
    for (int colour = 0; colour < c->colour_count; colour++) {
        parallel_for(pool, c->colour_end[colour] - job.first, 1, damp_blocks, &job);
        job.first = c->colour_end[colour];
    }
}
