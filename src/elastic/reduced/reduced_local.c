// SPDX-License-Identifier: MIT
// The local step on sampled tetrahedra, eight at a time, and the product that is the global one.
//
//   F = sum over functions q_r (x) grad u_r
//   R  the rotation nearest to F, as a quaternion, from the last one on, by Newton's method: with T = F R^T
//      w = (tr T - sym T)^-1 (T_zy - T_yz, T_xz - T_zx, T_yx - T_xy),  R <- turn(w) R
//   V  near F with det V = 1: V <- V + (1 - det V) / |cof V|^2 cof V, three times
//   P = (mu R + 3/2 lambda V) / (mu + 3/2 lambda)
// With damping d (in units of the step) also the stress mu D + lambda/2 tr(R^T D) R of D = F - R S, where S = R^T F when the step
// began, times d; as any stress it takes the form w (F - P).
#include "elastic/reduced/reduced.h"
#include <string.h>

enum { TURNS = 2, VOLUME_TURNS = 3 };

typedef struct M8 {
    F8 m[3][3];
} M8;

static M8 m8_of(const Mat3* a)
{
    M8 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = f8_set((float)a->m[i][j]);
    return r;
}

static M8 gradient_of(const Reduced* s, const SampleGroup* group)
{
    const Samples* m = &s->samples;
    size_t stride = s->stripes * LANES;
    const float *qx = s->place, *qy = qx + stride, *qz = qy + stride;
    M8 f;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            f.m[i][j] = f8_zero();
    for (size_t k = group->first; k < group->first + group->count; k++) {
        const float* g = m->gradient + 12 * LANES * k;
        size_t row = 4 * (size_t)m->handle[k];
        for (size_t r = 0; r < 4; r++) {
            F8 x = f8_set(qx[row + r]), y = f8_set(qy[row + r]), z = f8_set(qz[row + r]);
            for (size_t j = 0; j < 3; j++) {
                F8 b = f8_load(g + (3 * r + j) * LANES);
                f.m[0][j] = f8_mad(x, b, f.m[0][j]);
                f.m[1][j] = f8_mad(y, b, f.m[1][j]);
                f.m[2][j] = f8_mad(z, b, f.m[2][j]);
            }
        }
    }
    return f;
}

static M8 rotation_of(F8 w, F8 x, F8 y, F8 z)
{
    F8 one = f8_set(1), two = f8_set(2), x2 = f8_mul(two, x), y2 = f8_mul(two, y), z2 = f8_mul(two, z);
    F8 xx = f8_mul(x, x2), yy = f8_mul(y, y2), zz = f8_mul(z, z2), xy = f8_mul(x, y2), xz = f8_mul(x, z2), yz = f8_mul(y, z2);
    F8 wx = f8_mul(w, x2), wy = f8_mul(w, y2), wz = f8_mul(w, z2);
    return (M8){{{f8_sub(one, f8_add(yy, zz)), f8_sub(xy, wz), f8_add(xz, wy)},
                 {f8_add(xy, wz), f8_sub(one, f8_add(xx, zz)), f8_sub(yz, wx)},
                 {f8_sub(xz, wy), f8_add(yz, wx), f8_sub(one, f8_add(xx, yy))}}};
}

// axis <- (tr T - T)^-1 axis for the symmetric part of T: where a turn makes R^T F symmetric, to first order. Where that has no
// answer, as in what is nearly flat or inside out, a shorter step (Muller 2016).
static void find_turn(const M8* t, F8 axis[3])
{
    F8 half = f8_set(0.5F), zero = f8_zero();
    F8 a = f8_add(t->m[1][1], t->m[2][2]), b = f8_add(t->m[0][0], t->m[2][2]), c = f8_add(t->m[0][0], t->m[1][1]);
    F8 d = f8_sub(zero, f8_mul(half, f8_add(t->m[0][1], t->m[1][0]))),
       e = f8_sub(zero, f8_mul(half, f8_add(t->m[0][2], t->m[2][0])));
    F8 f = f8_sub(zero, f8_mul(half, f8_add(t->m[1][2], t->m[2][1])));
    // adjugate of ((a d e) (d b f) (e f c))
    F8 xx = f8_nmad(f, f, f8_mul(b, c)), yy = f8_nmad(e, e, f8_mul(a, c)), zz = f8_nmad(d, d, f8_mul(a, b));
    F8 xy = f8_nmad(d, c, f8_mul(e, f)), xz = f8_nmad(b, e, f8_mul(d, f)), yz = f8_nmad(a, f, f8_mul(d, e));
    F8 det = f8_mad(a, xx, f8_mad(d, xy, f8_mul(e, xz)));
    F8 along = f8_add(t->m[0][0], f8_add(t->m[1][1], t->m[2][2]));
    F8 size = f8_add(f8_max(along, f8_sub(zero, along)), f8_set(1e-6F));
    // all three sums of two stretches are clearly above 0
    F8 good = f8_and(f8_less(f8_mul(f8_set(0.02F), f8_mul(size, f8_mul(size, size))), det), f8_less(zero, along));
    F8 inverse = f8_div(f8_set(1), f8_pick(good, det, size));
    F8 x = f8_mad(xx, axis[0], f8_mad(xy, axis[1], f8_mul(xz, axis[2])));
    F8 y = f8_mad(xy, axis[0], f8_mad(yy, axis[1], f8_mul(yz, axis[2])));
    F8 z = f8_mad(xz, axis[0], f8_mad(yz, axis[1], f8_mul(zz, axis[2])));
    axis[0] = f8_mul(inverse, f8_pick(good, x, axis[0]));
    axis[1] = f8_mul(inverse, f8_pick(good, y, axis[1]));
    axis[2] = f8_mul(inverse, f8_pick(good, z, axis[2]));
}

// One turn of the quaternion towards the rotation of f.
static void turn_towards(const M8* f, F8 q[4])
{
    M8 r = rotation_of(q[0], q[1], q[2], q[3]), t;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t.m[i][j] = f8_mad(f->m[i][0], r.m[j][0], f8_mad(f->m[i][1], r.m[j][1], f8_mul(f->m[i][2], r.m[j][2])));
    F8 axis[3] = {f8_sub(t.m[2][1], t.m[1][2]), f8_sub(t.m[0][2], t.m[2][0]), f8_sub(t.m[1][0], t.m[0][1])};
    find_turn(&t, axis);
    F8 half = f8_set(0.5F), x = f8_mul(half, axis[0]), y = f8_mul(half, axis[1]), z = f8_mul(half, axis[2]);
    // (1, x, y, z) q, made a unit quaternion again
    F8 a = f8_nmad(x, q[1], f8_nmad(y, q[2], f8_nmad(z, q[3], q[0])));
    F8 b = f8_mad(x, q[0], f8_mad(y, q[3], f8_nmad(z, q[2], q[1])));
    F8 c = f8_mad(y, q[0], f8_mad(z, q[1], f8_nmad(x, q[3], q[2])));
    F8 d = f8_mad(z, q[0], f8_mad(x, q[2], f8_nmad(y, q[1], q[3])));
    F8 length = f8_sqrt(f8_mad(a, a, f8_mad(b, b, f8_mad(c, c, f8_mul(d, d)))));
    F8 inverse = f8_div(f8_set(1), length);
    q[0] = f8_mul(a, inverse);
    q[1] = f8_mul(b, inverse);
    q[2] = f8_mul(c, inverse);
    q[3] = f8_mul(d, inverse);
}

static M8 find_rotation(const M8* f, float* turn)
{
    F8 q[4] = {f8_load(turn), f8_load(turn + LANES), f8_load(turn + 2 * LANES), f8_load(turn + 3 * LANES)};
    for (int k = 0; k < TURNS; k++)
        turn_towards(f, q);
    for (int k = 0; k < 4; k++)
        f8_store(turn + k * LANES, q[k]);
    return rotation_of(q[0], q[1], q[2], q[3]);
}

// To the surface det = 1 along its normal. Where f is nearly a point the way would be long: it is cut.
static M8 find_volume(const M8* f)
{
    M8 v = *f;
    for (int turn = 0; turn < VOLUME_TURNS; turn++) {
        M8 cof;
        F8 square = f8_set(0.3F), det = f8_zero();
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                cof.m[i][j] = f8_nmad(v.m[i1][j2], v.m[i2][j1], f8_mul(v.m[i1][j1], v.m[i2][j2]));
            }
        F8 sum = f8_zero();
        for (int i = 0; i < 3; i++) {
            det = f8_mad(v.m[0][i], cof.m[0][i], det);
            for (int j = 0; j < 3; j++)
                sum = f8_mad(cof.m[i][j], cof.m[i][j], sum);
        }
        F8 step = f8_div(f8_sub(f8_set(1), det), f8_max(sum, square));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                v.m[i][j] = f8_mad(step, cof.m[i][j], v.m[i][j]);
    }
    return v;
}

// S = R^T F
static void keep_stretch(const M8* f, const M8* r, float* stretch)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            F8 sum = f8_mul(r->m[0][i], f->m[0][j]);
            sum = f8_mad(r->m[1][i], f->m[1][j], sum);
            f8_store(stretch + (3 * i + j) * LANES, f8_mad(r->m[2][i], f->m[2][j], sum));
        }
}

// Adds what damping does to a projection.
static void add_damping(const Reduced* s, const M8* f, const M8* r, const float* stretch, float damping, M8* p)
{
    M8 d;
    F8 trace = f8_zero();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            F8 before = f8_zero();
            for (int k = 0; k < 3; k++)
                before = f8_mad(r->m[i][k], f8_load(stretch + (3 * k + j) * LANES), before);
            d.m[i][j] = f8_sub(f->m[i][j], before);
            trace = f8_mad(r->m[i][j], d.m[i][j], trace);
        }
    F8 share = f8_set(1 / (1 + damping)), shear = f8_set((float)(s->mu / s->weight) * damping);
    trace = f8_mul(trace, f8_set((float)(0.5 * s->lambda / s->weight) * damping));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            F8 stress = f8_sub(f->m[i][j], p->m[i][j]);
            stress = f8_mad(shear, d.m[i][j], f8_mad(trace, r->m[i][j], stress));
            p->m[i][j] = f8_nmad(share, stress, f->m[i][j]);
        }
}

// Adds the forces of (P - reference) to those of the block, lane by lane.
static void add_forces(const Samples* m, size_t g, const M8* p, const M8* reference, float* force)
{
    M8 d;
    F8 share = f8_load(m->share + g * LANES);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            d.m[i][j] = f8_mul(share, f8_sub(p->m[i][j], reference->m[i][j]));
    for (size_t k = m->group[g].first; k < m->group[g].first + m->group[g].count; k++) {
        const float* b = m->gradient + 12 * LANES * k;
        float* to = force + 12 * LANES * (size_t)m->handle[k];
        for (size_t r = 0; r < 4; r++) {
            F8 b0 = f8_load(b + 3 * r * LANES), b1 = f8_load(b + (3 * r + 1) * LANES), b2 = f8_load(b + (3 * r + 2) * LANES);
            for (size_t i = 0; i < 3; i++) {
                float* at = to + (3 * r + i) * LANES;
                f8_store(at, f8_mad(d.m[i][0], b0, f8_mad(d.m[i][1], b1, f8_mad(d.m[i][2], b2, f8_load(at)))));
            }
        }
    }
}

static M8 project(const LocalJob* job, const M8* f, const M8* r, const float* stretch)
{
    const Reduced* s = job->s;
    F8 shear = f8_set((float)(s->mu / s->weight)), bulk = f8_set((float)(1.5 * s->lambda / s->weight));
    M8 p = *r;
    if (s->lambda > 0) {
        M8 v = find_volume(f);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                p.m[i][j] = f8_mad(bulk, v.m[i][j], f8_mul(shear, r->m[i][j]));
    }
    if (job->damping > 0)
        add_damping(s, f, r, stretch, job->damping, &p);
    return p;
}

// What the local step sees: in float, around the middle.
void reduced_set_place(Reduced* s, const double* q)
{
    size_t n = s->rank, stride = s->stripes * LANES;
    Vec3d mean = {0, 0, 0};
    for (size_t r = 3; r < n; r += 4)
        mean = vec3d_add(mean, reduced_coordinate(s, q, r));
    mean = vec3d_scale(mean, 1 / (double)s->space.handles);
    const double middle[3] = {mean.x, mean.y, mean.z};
    for (size_t i = 0; i < 3; i++)
        for (size_t r = 0; r < n; r++)
            s->place[i * stride + r] = (float)(q[i * n + r] - (r % 4 == 3 ? middle[i] : 0));
}

// [J] of all lanes
static double energy_of(const Reduced* s, size_t g, const M8* f, const M8* r)
{
    F8 shear = f8_zero(), bulk = f8_zero();
    M8 v = find_volume(f);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            F8 a = f8_sub(f->m[i][j], r->m[i][j]), b = f8_sub(f->m[i][j], v.m[i][j]);
            shear = f8_mad(a, a, shear);
            bulk = f8_mad(b, b, bulk);
        }
    F8 sum = f8_mad(f8_set((float)(s->mu / s->weight)), shear, f8_mul(f8_set((float)(1.5 * s->lambda / s->weight)), bulk));
    return 0.5 * (double)f8_sum(f8_mul(f8_load(s->samples.share + g * LANES), sum));
}

static void measure_groups(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const LocalJob* job = context;
    const Samples* m = &job->s->samples;
    double sum = 0;
    for (size_t g = begin; g < end; g++) {
        float turn[4 * LANES];
        memcpy(turn, job->turn + 4 * LANES * g, sizeof turn);
        M8 f = gradient_of(job->s, &m->group[g]), r = find_rotation(&f, turn);
        sum += energy_of(job->s, g, &f, &r);
    }
    m->energy[block] = sum;
}

double reduced_measure(Reduced* s, Pool* pool, float* turn)
{
    LocalJob job = {.s = s, .turn = turn};
    double sum = 0;
    parallel_for(pool, s->samples.groups, GROUPS_PER_BLOCK, measure_groups, &job);
    for (size_t b = 0; b < s->samples.blocks; b++)
        sum += s->samples.energy[b];
    return sum;
}

static void local_groups(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const LocalJob* job = context;
    Reduced* s = job->s;
    Samples* m = &s->samples;
    float* force = m->partial + block * 12 * LANES * s->space.handles;
    const uint32_t *first = m->block_handle + m->block_start[block], *last = m->block_handle + m->block_start[block + 1];
    M8 reference = m8_of(&job->reference);
    for (const uint32_t* h = first; h < last && !job->keep; h++)
        memset(force + 12 * LANES * (size_t)*h, 0, 12 * LANES * sizeof *force);
    for (size_t g = begin; g < end; g++) {
        M8 f = gradient_of(s, &m->group[g]), r = find_rotation(&f, job->turn + 4 * LANES * g);
        float* stretch = m->stretch + 9 * LANES * g;
        if (job->keep) {
            keep_stretch(&f, &r, stretch);
            continue;
        }
        M8 p = project(job, &f, &r, stretch);
        add_forces(m, g, &p, &reference, force);
    }
    // sums over lanes go to the first lanes
    for (const uint32_t* h = first; h < last && !job->keep; h++) {
        float* of = force + 12 * LANES * (size_t)*h;
        for (size_t k = 0; k < 12; k++)
            of[k] = f8_sum(f8_load(of + k * LANES));
    }
}

void reduced_local(LocalJob* job, Pool* pool)
{
    Reduced* s = job->s;
    Samples* m = &s->samples;
    parallel_for(pool, m->groups, GROUPS_PER_BLOCK, local_groups, job);
    if (job->keep)
        return;
    memset(s->force, 0, 3 * s->rank * sizeof(float));
    for (size_t b = 0; b < m->blocks; b++)
        for (size_t k = m->block_start[b]; k < m->block_start[b + 1]; k++) {
            size_t h = m->block_handle[k];
            const float* of = m->partial + (b * s->space.handles + h) * 12 * LANES;
            for (size_t c = 0; c < 12; c++)
                s->force[12 * h + c] += of[c];
        }
}

// --- the global step

static void global_stripes(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Reduced* s = context;
    size_t n = s->rank, stride = s->stripes * LANES;
    const float* force = s->force;
    for (size_t k = begin; k < end; k += 2) { // two stripes at a time; there is always a second one
        const float *z = s->used->step + k * n * LANES, *z1 = z + n * LANES;
        F8 a[6] = {f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero()};
        for (size_t j = 0; j < n; j++) {
            F8 e0 = f8_load(z + j * LANES), e1 = f8_load(z1 + j * LANES);
            for (size_t i = 0; i < 3; i++) {
                F8 f = f8_set(force[3 * j + i]);
                a[i] = f8_mad(e0, f, a[i]);
                a[3 + i] = f8_mad(e1, f, a[3 + i]);
            }
        }
        for (size_t i = 0; i < 6; i++)
            f8_store(s->change + (i % 3) * stride + (k + i / 3) * LANES, a[i]);
    }
}

void reduced_global(Reduced* s, Pool* pool)
{
    parallel_for(pool, s->stripes, 14, global_stripes, s);
}
