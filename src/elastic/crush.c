// SPDX-License-Identifier: MIT
#include "elastic/crush.h"

enum { CRUSH_GRAIN = 256, WHOLE = 0, CRUSHED = 1, INSIDE_OUT = 2 };

static const double LEAST = 0.5;   // [1] stretch c below which it hardens
static const double FLAT = 0.05;   // [1]
static const double HARD = 5;      // k over Young's modulus
static const double TANGLED = 0.2; // of the tetrahedra inside out

// --- the law: of h / k, the logarithmic part
static double barrier(double s)
{
    double q = LEAST - s;
    return q * (2 * log(s / LEAST) - q / s);
}

static double barrier_slope(double s)
{
    double q = LEAST - s;
    return -2 * log(s / LEAST) + 4 * q / s + q * q / (s * s);
}

static double barrier_energy(double s)
{
    double q = LEAST - s;
    return -q * q * log(s / LEAST);
}

// [Pa]
static double law(double k, double s)
{
    return s >= LEAST ? 0 : s > FLAT ? k * barrier(s) : k * (barrier(FLAT) + (s - FLAT) * barrier_slope(FLAT));
}

static double law_slope(double k, double s)
{
    return s >= LEAST ? 0 : k * barrier_slope(fmax(s, FLAT));
}

// [J/m3]
static double law_energy(double k, double s)
{
    double below = s - FLAT;
    if (s >= LEAST)
        return 0;
    return s > FLAT ? k * barrier_energy(s)
                    : k * (barrier_energy(FLAT) + below * barrier(FLAT) + 0.5 * below * below * barrier_slope(FLAT));
}

static Mat3 gradient_of(const Fem* s, size_t tet)
{
    Mat3 f = s->domains.gradient[tet];
    for (int i = 0; i < 9; i++)
        f.m[i / 3][i % 3] /= s->element[tet].volume;
    return f;
}

// All principal stretches are above c: det F > 0, and F^T F - c^2 is positive, by its leading minors. Mostly det F tells alone: the
// least stretch is det F over the product of the others, which is at most half the sum of all squares.
static bool is_whole(const Fem* s, size_t tet)
{
    const Mat3* g = &s->domains.gradient[tet]; // V F
    double squares = 0, volume = s->element[tet].volume, det = mat3_determinant(g);
    for (int i = 0; i < 9; i++)
        squares += g->m[i / 3][i % 3] * g->m[i / 3][i % 3];
    if (det > 0.5 * LEAST * volume * squares)
        return true;
    Mat3 a = mat3_mul_left_transposed(g, g);
    for (int k = 0; k < 3; k++)
        a.m[k][k] -= LEAST * LEAST * volume * volume;
    return det > 0 && a.m[0][0] > 0 && a.m[0][0] * a.m[1][1] - a.m[0][1] * a.m[1][0] > 0 && mat3_determinant(&a) > 0;
}

// --- which ones

static void sort_pass(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FemJob* job = context;
    for (size_t k = begin; k < end; k++) {
        bool whole = is_whole(job->s, k);
        job->s->crush.of[k] = whole ? WHOLE : mat3_determinant(&job->s->domains.gradient[k]) > 0 ? CRUSHED : INSIDE_OUT;
    }
}

void crush_look(FemJob* job)
{
    Fem* s = job->s;
    parallel_for(job->set ? job->set->pool : NULL, job->body->tet_count, CRUSH_GRAIN, sort_pass, job);
    size_t crushed = 0, inside_out = 0;
    for (size_t k = 0; k < job->body->tet_count; k++) {
        crushed += s->crush.of[k] != WHOLE;
        inside_out += s->crush.of[k] == INSIDE_OUT;
    }
    if (crushed == 0)
        s->tangled = 0;
    else if ((double)inside_out > TANGLED * (double)job->body->tet_count)
        s->tangled = 1;
}

static void mark_pass(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FemJob* job = context;
    Fem* s = job->s;
    for (size_t k = begin; k < end; k++) {
        s->crush.of[k] = s->tangled > 0 || is_whole(s, k) ? NOT_CRUSHED : 0;
    }
}

// --- stress and stiffness

// U (D o sym(U^T g V)) V^T
static Mat3 slope_times(const CrushedTet* c, const Mat3* g)
{
    Mat3 ug = mat3_mul_left_transposed(&c->u, g), a = mat3_mul(&ug, &c->v), b;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            b.m[i][j] = 0.5 * c->slope.m[i][j] * (a.m[i][j] + a.m[j][i]);
    ug = mat3_mul(&c->u, &b);
    return mat3_mul_right_transposed(&ug, &c->v);
}

static void stress_pass(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FemJob* job = context;
    Fem* s = job->s;
    double k = HARD * job->body->def.young;
    for (size_t n = begin; n < end; n++) {
        CrushedTet* c = &s->crush.tet[n];
        Mat3 f = gradient_of(s, c->tet), d = {{{0}}};
        double stretch[3], h[3];
        mat3_svd(&f, &c->u, stretch, &c->v);
        c->energy = 0;
        for (int i = 0; i < 3; i++) {
            h[i] = d.m[i][i] = law(k, stretch[i]);
            c->energy += s->element[c->tet].volume * law_energy(k, stretch[i]);
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double apart = stretch[i] - stretch[j];
                c->slope.m[i][j] = fabs(apart) > 1e-6 ? (h[i] - h[j]) / apart : law_slope(k, 0.5 * (stretch[i] + stretch[j]));
            }
        // the stress at a gradient g is then slope_times(g) plus what is kept here
        Mat3 now = mat3_mul(&c->u, &d), linear = slope_times(c, &f);
        c->stress = mat3_mul_right_transposed(&now, &c->v);
        for (int i = 0; i < 9; i++)
            c->stress.m[i / 3][i % 3] -= linear.m[i / 3][i % 3];
    }
}

bool crush_find(FemJob* job)
{
    Fem* s = job->s;
    Crush* crush = &s->crush;
    Pool* pool = job->set ? job->set->pool : NULL;
    parallel_for(pool, job->body->tet_count, CRUSH_GRAIN, mark_pass, job);
    size_t count = 0;
    for (size_t k = 0; k < job->body->tet_count; k++)
        count += crush->of[k] == 0;
    bool ok = memory_reserve(crush->memory, &crush->tet, &crush->capacity, 0, count, sizeof *crush->tet);
    crush->count = 0;
    for (size_t k = 0; k < job->body->tet_count; k++)
        if (crush->of[k] == 0 && ok) {
            crush->of[k] = (uint32_t)crush->count;
            crush->tet[crush->count++].tet = (uint32_t)k;
        } else {
            crush->of[k] = NOT_CRUSHED;
        }
    parallel_for(pool, crush->count, CRUSH_GRAIN, stress_pass, job);
    return ok;
}

void crush_add_stress(const FemJob* job, size_t tet, Mat3* stress)
{
    const Fem* s = job->s;
    const CrushedTet* c = &s->crush.tet[s->crush.of[tet]];
    Mat3 g = gradient_of(s, tet), p = slope_times(c, &g);
    for (int i = 0; i < 9; i++)
        stress->m[i / 3][i % 3] += 6 * (p.m[i / 3][i % 3] + (job->deformed ? c->stress.m[i / 3][i % 3] : 0));
}

// A change e_p b^T has the sym(..)_ij = (u_pi w_j + u_pj w_i) / 2 with w = V^T b, and the force -V dP b.
void crush_add_block(const Fem* s, size_t tet, Vec3d b, double scale, Mat3* block)
{
    const CrushedTet* c = &s->crush.tet[s->crush.of[tet]];
    const double x[3] = {b.x, b.y, b.z};
    double w[3] = {0, 0, 0};
    for (int i = 0; i < 9; i++)
        w[i % 3] += c->v.m[i / 3][i % 3] * x[i / 3];
    Mat3 inner = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            inner.m[i][i] += 0.5 * c->slope.m[i][j] * w[j] * w[j];
            inner.m[i][j] += 0.5 * c->slope.m[i][j] * w[i] * w[j];
        }
    Mat3 half = mat3_mul(&c->u, &inner), whole = mat3_mul_right_transposed(&half, &c->u);
    for (int i = 0; i < 9; i++)
        block->m[i / 3][i % 3] += scale * s->element[tet].volume * whole.m[i / 3][i % 3];
}

double crush_energy(const Fem* s)
{
    double sum = 0;
    for (size_t k = 0; k < s->crush.count; k++)
        sum += s->crush.tet[k].energy;
    return sum;
}

void crush_free(Crush* crush, Memory* memory)
{
    memory_give(memory, crush->tet);
    memory_give(memory, crush->of);
    *crush = (Crush){0};
}
