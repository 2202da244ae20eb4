// SPDX-License-Identifier: MIT
#include "elastic/plastic.h"

#include <string.h>

enum { GRAIN = 256 };

bool plastic_create(Fem* s, Memory* memory, const Body* body)
{
    if (!(body->def.yield > 0))
        return true;
    size_t tets = body->tet_count, edges = s->domains.count;
    s->plastic = (Plastic){.tet = memory_take(memory, (tets + 1) * sizeof *s->plastic.tet),
                           .edge = memory_take(memory, (edges + 1) * sizeof *s->plastic.edge),
                           .elastic = memory_take(memory, (edges + 1) * sizeof *s->plastic.elastic)};
    if (!s->plastic.tet || !s->plastic.edge || !s->plastic.elastic)
        return false;
    memset(s->plastic.tet, 0, tets * sizeof *s->plastic.tet);
    memset(s->plastic.edge, 0, edges * sizeof *s->plastic.edge);
    return true;
}

void plastic_free(Fem* s, Memory* memory)
{
    memory_give(memory, s->plastic.tet);
    memory_give(memory, s->plastic.edge);
    memory_give(memory, s->plastic.elastic);
    s->plastic = (Plastic){0};
}

static void spread_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FemJob* job = context;
    const Domains* d = &job->s->domains;
    for (size_t e = begin; e < end; e++) {
        Strain mean = {{0}};
        for (uint32_t k = d->tet_start[e]; k < d->tet_start[e + 1]; k++)
            for (int i = 0; i < 6; i++)
                mean.at[i] += job->s->element[d->tet[k]].volume / (6 * d->volume[e]) * job->s->plastic.tet[d->tet[k]].at[i];
        job->s->plastic.edge[e] = mean;
    }
}

void plastic_spread(FemJob* job)
{
    if (job->s->plastic.tet)
        parallel_for(job->set ? job->set->pool : NULL, job->s->domains.count, GRAIN, spread_block, job);
}

// --- flow

// What is elastic of the change of shape around an edge.
static void elastic_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FemJob* job = context;
    const Fem* s = job->s;
    for (size_t e = begin; e < end; e++) {
        Mat3 f = fem_smooth(s, e), r = mat3_rotation(&f), a = mat3_mul_left_transposed(&r, &f);
        double third = (a.m[0][0] + a.m[1][1] + a.m[2][2]) / 3;
        const Strain* p = &s->plastic.edge[e];
        s->plastic.elastic[e] = (Strain){{a.m[0][0] - third - p->at[0], a.m[1][1] - third - p->at[1], a.m[2][2] - third - p->at[2],
                                          0.5 * (a.m[0][1] + a.m[1][0]) - p->at[3], 0.5 * (a.m[1][2] + a.m[2][1]) - p->at[4],
                                          0.5 * (a.m[2][0] + a.m[0][2]) - p->at[5]}};
    }
}

static double size_of(const Strain* e)
{
    const double* x = e->at;
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + 2 * (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]));
}

typedef struct FlowJob {
    const FemJob* job;
    double share; // [1] of what is above the yield stress that is gone after the step
} FlowJob;

static void flow_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FlowJob* flow = context;
    Fem* s = flow->job->s;
    const ElasticBodyDef* def = &flow->job->body->def;
    for (size_t t = begin; t < end; t++) {
        Strain mean = {{0}}, *p = &s->plastic.tet[t];
        for (int k = 0; k < 6; k++)
            for (int i = 0; i < 6; i++)
                mean.at[i] += s->plastic.elastic[s->domains.tet_edge[t][k]].at[i] / 6;
        double stress = sqrt(1.5) * 2 * s->mu * size_of(&mean);
        if (!(stress > def->yield))
            continue;
        for (int i = 0; i < 6; i++)
            p->at[i] += flow->share * (1 - def->yield / stress) * mean.at[i];
        double size = size_of(p);
        for (int i = 0; i < 6 && size > def->plastic_most; i++)
            p->at[i] *= def->plastic_most / size;
    }
}

void plastic_flow(FemJob* job, double dt)
{
    if (!job->s->plastic.tet)
        return;
    FlowJob flow = {job, isfinite(job->body->def.creep) ? -expm1(-job->body->def.creep * dt) : 1};
    fem_find_gradients(job, job->body->position);
    parallel_for(job->set->pool, job->s->domains.count, GRAIN, elastic_block, job);
    parallel_for(job->set->pool, job->body->tet_count, GRAIN, flow_block, &flow);
    plastic_spread(job);
}
