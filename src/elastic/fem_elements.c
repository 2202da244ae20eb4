// SPDX-License-Identifier: MIT
// Linear tetrahedra alone are too stiff: in bending, and the more the less compressible they are (-5 % at nu = 0.4 with ten over
// the height of a beam, -13 % at 0.47). So strains are smoothed (Liu and Nguyen 2010; Onishi and Amaya 2014, "selective
// ES/NS-FEM"): those that change the shape over domains around edges, those that change the volume over domains around points
// besides.
//
//   F_t = sum_c x_c b_c                                    of a tetrahedron
//   F_e = sum_t V_t / 6 F_t / V_e,   R_e its rotation       of an edge, V_e = sum_t V_t / 6
//   T_v = sum_e V_e / 2 tr(R_e^T F_e - 1) / V_v             of a point, V_v = sum_e V_e / 2
//   energy = sum_e V_e mu |F_e - R_e|^2 + sum_v V_v lambda/2 T_v^2
//   stress   P_e = 2 mu (F_e - R_e) + lambda (T_a + T_b) / 2 R_e,   P_t the mean of its edges,   forces -V_t P_t b_c
// P_e is linear in F_e at given rotations, and R_e^T F_e is symmetric, so that 2 mu (F - R) = R mu (S + S^T), S = R^T (F - R):
// forces and the products of the solver are one thing. Uniform strains and rigid motions are exact as they were.
#include "elastic/cohesion.h"
#include "elastic/crush.h"
#include "elastic/quad.h"

#include <stdlib.h>
#include <string.h>

enum { TET_GRAIN = 256, EDGE_GRAIN = 256 };

// --- the rest shape

static bool take_all(Fem* s, Memory* memory, const Body* body)
{
    size_t n = body->point_count, m = body->tet_count;
    Domains* d = &s->domains;
    s->element = memory_take(memory, m * sizeof *s->element);
    s->corner_force = memory_take(memory, 4 * m * sizeof *s->corner_force);
    s->corner_start = memory_take(memory, (n + 1) * sizeof *s->corner_start);
    s->corner = memory_take(memory, 4 * m * sizeof *s->corner);
    d->tet = memory_take(memory, 6 * m * sizeof *d->tet);
    d->tet_edge = memory_take(memory, m * sizeof *d->tet_edge);
    d->gradient = memory_take(memory, m * sizeof *d->gradient);
    d->point_start = memory_take(memory, (n + 1) * sizeof *d->point_start);
    d->point_volume = memory_take(memory, n * sizeof *d->point_volume);
    d->dilation = memory_take(memory, n * sizeof *d->dilation);
    s->crush = (Crush){.memory = memory, .of = memory_take(memory, m * sizeof *s->crush.of)};
    return s->element && s->corner_force && s->corner_start && s->corner && d->tet && d->tet_edge && d->gradient &&
           d->point_start && d->point_volume && d->dilation && s->crush.of;
}

static bool take_edges(Domains* d, Memory* memory)
{
    d->end = memory_take(memory, d->count * sizeof *d->end);
    d->volume = memory_take(memory, d->count * sizeof *d->volume);
    d->tet_start = memory_take(memory, (d->count + 1) * sizeof *d->tet_start);
    d->point_edge = memory_take(memory, 2 * d->count * sizeof *d->point_edge);
    d->rotation = memory_take(memory, d->count * sizeof *d->rotation);
    d->stress = memory_take(memory, d->count * sizeof *d->stress);
    d->trace = memory_take(memory, d->count * sizeof *d->trace);
    return d->end && d->volume && d->tet_start && d->point_edge && d->rotation && d->stress && d->trace;
}

void fem_elements_free(Fem* s, Memory* memory)
{
    Domains* d = &s->domains;
    void* arrays[] = {s->element,  s->corner_force, s->corner_start, s->corner,   d->tet,  d->tet_edge,
                      d->gradient, d->point_start,  d->point_volume, d->dilation, d->end,  d->volume,
                      d->stress,   d->tet_start,    d->point_edge,   d->rotation, d->trace};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(memory, arrays[k]);
    *d = (Domains){0};
    crush_free(&s->crush, memory);
}

// For every value what has it: `start` (values + 1) and `list`, each ascending. `value_of` (count) are the values.
static void invert(const uint32_t* value_of, size_t count, size_t values, uint32_t* start, uint32_t* list)
{
    memset(start, 0, (values + 1) * sizeof *start);
    for (size_t k = 0; k < count; k++)
        start[value_of[k] + 1]++;
    for (size_t k = 0; k < values; k++)
        start[k + 1] += start[k];
    for (size_t k = count; k-- > 0;)
        list[--start[value_of[k] + 1]] = (uint32_t)k;
    // filled from behind, start[v + 1] is now where v begins
    memmove(start, start + 1, values * sizeof *start);
    start[values] = (uint32_t)count;
}

static void make_elements(const Body* body, Fem* s)
{
    for (size_t k = 0; k < body->tet_count; k++) {
        const uint32_t* t = body->tet[k];
        Vec3d x0 = body->rest[t[0]], e[3];
        for (int c = 0; c < 3; c++)
            e[c] = vec3d_sub(body->rest[t[c + 1]], x0);
        Mat3 dm = {{{e[0].x, e[1].x, e[2].x}, {e[0].y, e[1].y, e[2].y}, {e[0].z, e[1].z, e[2].z}}};
        double det = mat3_determinant(&dm);
        Mat3 inverse = mat3_adjugate(&dm);
        Element* element = &s->element[k];
        element->volume = det / 6;
        element->b[0] = vec3d(0, 0, 0);
        for (int c = 0; c < 3; c++) {
            element->b[c + 1] = vec3d_scale(vec3d(inverse.m[c][0], inverse.m[c][1], inverse.m[c][2]), 1 / det);
            element->b[0] = vec3d_sub(element->b[0], element->b[c + 1]);
        }
    }
}

typedef struct Half {
    uint64_t ends;
    uint32_t place; // 6 * tet + edge
} Half;

static int by_ends(const void* a, const void* b)
{
    const Half *p = a, *q = b;
    if (p->ends != q->ends)
        return p->ends < q->ends ? -1 : 1;
    return p->place < q->place ? -1 : p->place > q->place;
}

static bool find_edges(const Body* body, Domains* d, Memory* memory)
{
    static const uint8_t CORNERS[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    size_t count = 6 * body->tet_count;
    Half* half = memory_take(NULL, count * sizeof *half);
    if (!half)
        return false;
    for (size_t k = 0; k < count; k++) {
        uint64_t a = body->tet[k / 6][CORNERS[k % 6][0]], b = body->tet[k / 6][CORNERS[k % 6][1]];
        half[k] = (Half){a < b ? a << 32 | b : b << 32 | a, (uint32_t)k};
    }
    qsort(half, count, sizeof *half, by_ends);
    for (size_t k = 0; k < count; k++)
        d->count += k == 0 || half[k].ends != half[k - 1].ends;
    bool ok = take_edges(d, memory);
    size_t e = 0;
    for (size_t k = 0; ok && k < count; k++) {
        if (k == 0 || half[k].ends != half[k - 1].ends) {
            d->tet_start[e] = (uint32_t)k;
            d->end[e][0] = (uint32_t)(half[k].ends >> 32);
            d->end[e++][1] = (uint32_t)half[k].ends;
        }
        d->tet[k] = half[k].place / 6;
        d->tet_edge[half[k].place / 6][half[k].place % 6] = (uint32_t)(e - 1);
    }
    if (ok)
        d->tet_start[e] = (uint32_t)count;
    memory_give(NULL, half);
    return ok;
}

static void find_volumes(const Body* body, const Fem* s, Domains* d)
{
    memset(d->point_volume, 0, body->point_count * sizeof *d->point_volume);
    for (size_t e = 0; e < d->count; e++) {
        d->volume[e] = 0;
        for (uint32_t k = d->tet_start[e]; k < d->tet_start[e + 1]; k++)
            d->volume[e] += s->element[d->tet[k]].volume / 6;
        for (int k = 0; k < 2; k++)
            d->point_volume[d->end[e][k]] += d->volume[e] / 2;
    }
}

bool fem_elements_create(Fem* s, Memory* memory, const Body* body)
{
    Domains* d = &s->domains;
    if (!take_all(s, memory, body) || !find_edges(body, d, memory))
        return false;
    make_elements(body, s);
    find_volumes(body, s, d);
    invert(body->tet[0], 4 * body->tet_count, body->point_count, s->corner_start, s->corner);
    invert(d->end[0], 2 * d->count, body->point_count, d->point_start, d->point_edge);
    for (size_t k = 0; k < 2 * d->count; k++)
        d->point_edge[k] /= 2;
    return true;
}

// --- passes

static void gradient_pass(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FemJob* job = context;
    for (size_t k = begin; k < end; k++) {
        const Element* e = &job->s->element[k];
        const uint32_t* t = job->body->tet[k];
        QuadMat f = {{{0}}};
        for (int c = 0; c < 4; c++) {
            Vec3d u = job->in[t[c]];
            Quad b = quad(e->b[c], 0);
            f = quad_mat_add(f, (QuadMat){{u.x * b, u.y * b, u.z * b}});
        }
        quad_mat_store(&job->s->domains.gradient[k], quad_mat_scale(f, e->volume));
    }
}

// The mean over the tetrahedra around an edge.
static inline QuadMat smooth(const Fem* s, size_t e)
{
    const Domains* d = &s->domains;
    QuadMat sum = {{{0}}};
    for (uint32_t k = d->tet_start[e]; k < d->tet_start[e + 1]; k++)
        sum = quad_mat_add(sum, quad_mat_shifted(&d->gradient[d->tet[k]]));
    return quad_mat_scale(quad_mat_shifted_back(sum), 1 / (6 * d->volume[e]));
}

Mat3 fem_smooth(const Fem* s, size_t edge)
{
    Mat3 mean;
    quad_mat_store(&mean, smooth(s, edge));
    return mean;
}

static void rotation_pass(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fem* s = ((const FemJob*)context)->s;
    for (size_t e = begin; e < end; e++) {
        Mat3 f;
        quad_mat_store(&f, smooth(s, e));
        s->domains.rotation[e] = mat3_rotation(&f);
    }
}

// stress -= 2 mu of a plastic strain
static inline void take_plastic(const Strain* plastic, double scale, QuadMat* stress)
{
    static const int PLACE[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stress->row[i][j] -= scale * plastic->at[PLACE[i][j]];
}

// R mu (S + S^T) and tr S with S = R^T F, or R^T F - 1 of positions
static void shear_pass(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FemJob* job = context;
    Domains* d = &job->s->domains;
    const double mu = job->s->mu, less = job->deformed ? 1 : 0;
    for (size_t e = begin; e < end; e++) {
        QuadMat a = quad_mat_mul_left_transposed(&d->rotation[e], smooth(job->s, e));
        QuadMat sym = quad_mat_add(a, quad_mat_transposed(a));
        d->trace[e] = a.row[0][0] + a.row[1][1] + a.row[2][2] - 3 * less;
        sym = quad_mat_scale(quad_mat_add(sym, (QuadMat){{{-2 * less}, {0, -2 * less}, {0, 0, -2 * less}}}), mu);
        if (job->deformed && job->s->plastic.edge)
            take_plastic(&job->s->plastic.edge[e], 2 * mu, &sym);
        quad_mat_store(&d->stress[e], quad_mat_mul(&d->rotation[e], sym));
    }
}

static void dilation_pass(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FemJob* job = context;
    Domains* d = &job->s->domains;
    for (size_t v = begin; v < end; v++) {
        double sum = 0;
        for (uint32_t k = d->point_start[v]; k < d->point_start[v + 1]; k++)
            sum += d->volume[d->point_edge[k]] * d->trace[d->point_edge[k]];
        d->dilation[v] = sum / (2 * d->point_volume[v]);
    }
}

static void pressure_pass(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FemJob* job = context;
    Domains* d = &job->s->domains;
    for (size_t e = begin; e < end; e++) {
        double p = 0.5 * job->s->lambda * (d->dilation[d->end[e][0]] + d->dilation[d->end[e][1]]);
        double* stress = d->stress[e].m[0];
        const double* rotation = d->rotation[e].m[0];
        quad_store(stress, quad_load(stress) + p * quad_load(rotation));
        quad_store(stress + 4, quad_load(stress + 4) + p * quad_load(rotation + 4));
        stress[8] += p * rotation[8];
    }
}

// With the stress of what is crushed.
static QuadMat harden(const FemJob* job, size_t tet, QuadMat stress)
{
    Mat3 sum;
    quad_mat_store(&sum, stress);
    crush_add_stress(job, tet, &sum);
    return quad_mat_load(&sum);
}

static void force_pass(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FemJob* job = context;
    Fem* s = job->s;
    for (size_t k = begin; k < end; k++) {
        const Element* e = &s->element[k];
        QuadMat sum = {{{0}}};
        for (int n = 0; n < 6; n++)
            sum = quad_mat_add(sum, quad_mat_shifted(&s->domains.stress[s->domains.tet_edge[k][n]]));
        sum = quad_mat_shifted_back(sum);
        if (crush_has(s, k))
            sum = harden(job, k, sum);
        QuadMat column = quad_mat_transposed(sum);
        double share = -e->volume / 6;
        for (int c = 0; c < 4; c++) {
            Vec3d b = e->b[c];
            Quad force = column.row[0] * b.x + column.row[1] * b.y + column.row[2] * b.z;
            quad_store3(&s->corner_force[4 * k + (size_t)c].x, force * share);
        }
    }
}

void fem_find_gradients(FemJob* job, const Vec3d* in)
{
    job->in = in;
    parallel_for(job->set ? job->set->pool : NULL, job->body->tet_count, TET_GRAIN, gradient_pass, job);
}

// Strains from the gradients at hand.
static void find_strains(FemJob* job)
{
    Pool* pool = job->set ? job->set->pool : NULL;
    parallel_for(pool, job->s->domains.count, EDGE_GRAIN, shear_pass, job);
    parallel_for(pool, job->body->point_count, FEM_POINT_GRAIN, dilation_pass, job);
}

static void put_forces(FemJob* job)
{
    parallel_for(job->set->pool, job->s->domains.count, EDGE_GRAIN, pressure_pass, job);
    parallel_for(job->set->pool, job->body->tet_count, TET_GRAIN, force_pass, job);
}

void fem_look(FemJob* job)
{
    fem_find_gradients(job, job->body->position);
    crush_look(job);
}

void fem_stiffness(FemJob* job, const Vec3d* in)
{
    job->deformed = false;
    fem_find_gradients(job, in);
    find_strains(job);
    put_forces(job);
}

Vec3d fem_collect(const Fem* s, size_t i)
{
    Vec3d sum = {0, 0, 0};
    for (uint32_t k = s->corner_start[i]; k < s->corner_start[i + 1]; k++)
        sum = vec3d_add(sum, s->corner_force[s->corner[k]]);
    return sum;
}

static void collect_pass(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FemJob* job = context;
    for (size_t i = begin; i < end; i++)
        job->out[i] = fem_collect(job->s, i);
}

bool fem_forces(ElasticSet* set, const Body* body, const Vec3d* x, Vec3d* force)
{
    FemJob job = {.set = set, .body = body, .s = body->state, .out = force, .deformed = true};
    Fem* s = job.s;
    fem_find_gradients(&job, x);
    bool ok = crush_find(&job);
    parallel_for(set->pool, s->domains.count, EDGE_GRAIN, rotation_pass, &job);
    if (body->def.damping > 0) { // K damping v on top is the same at x + damping v
        for (size_t i = 0; i < body->point_count; i++)
            force[i] = vec3d_mad(x[i], body->def.damping, s->v[i]);
        fem_find_gradients(&job, force);
    }
    find_strains(&job);
    put_forces(&job);
    parallel_for(set->pool, body->point_count, FEM_POINT_GRAIN, collect_pass, &job);
    return ok;
}

double fem_strain_energy(const Body* body)
{
    FemJob job = {.body = body, .s = body->state, .deformed = true};
    const Fem* s = job.s;
    const Domains* d = &s->domains;
    fem_find_gradients(&job, body->position);
    rotation_pass(&job, 0, d->count, 0, 0);
    find_strains(&job);
    crush_find(&job);
    double sum = crush_energy(s) + cohesion_energy(body);
    for (size_t e = 0; e < d->count; e++) // the stress is 2 mu (F - R)
        for (int i = 0; i < 9; i++)
            sum += d->volume[e] * d->stress[e].m[i / 3][i % 3] * d->stress[e].m[i / 3][i % 3] / (4 * s->mu);
    for (size_t v = 0; v < body->point_count; v++)
        sum += 0.5 * s->lambda * d->point_volume[v] * d->dilation[v] * d->dilation[v];
    return sum;
}
