// SPDX-License-Identifier: MIT
#include "fluid/rub.h"

#include "fluid/reaction_parts.h"
#include "fluid/viscosity/viscosity.h"
#include <string.h>

typedef struct Job {
    TouchPass pass; // first: passes are called with it
    float approach[FLUIDS_MOST], all[FLUIDS_MOST], density[FLUIDS_MOST];
} Job;

// 1 for boundary particles of the mover
static F8 belongs(const Job* job, const uint32_t* index, uint32_t mover)
{
    const Sph* sph = job->pass.sph;
    float mask[LANES];
    for (int k = 0; k < LANES; k++)
        mask[k] = job->pass.reaction->mover_of[sph->boundary_solid[index[k]]] == (int32_t)mover;
    return f8_load(mask);
}

// S of a chunk: xx, xy, yy, xz, yz, zz
static void drag_of(const Job* job, const Touch* t, F8 s[6])
{
    const Sph* sph = job->pass.sph;
    const NearBoundary* near = sph->neighbours.chunk[t->chunk].near;
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    const F8 epsilon = f8_set(0.01f * sph->kernel.h * sph->kernel.h), zero = f8_zero();
    F8 x[3], v[3], unused, kind;
    f8_load4(sph->fluid.position + (size_t)LANES * t->chunk, &x[0], &x[1], &x[2], &unused);
    f8_load4(sph->fluid.velocity + (size_t)LANES * t->chunk, &v[0], &v[1], &v[2], &kind);
    const F8 approach = sph_lookup(job->approach, kind), all = sph_lookup(job->all, kind);
    for (uint32_t slot = 0; slot < near->slots; slot++) {
        const uint32_t* index = near->index + LANES * slot;
        WallPair w = wall_pair(sph, index, x, v);
        F8 nu = f8_mad(all, w.wall, f8_and(f8_mul(approach, w.friction), f8_less(w.dot, zero)));
        F8 k = f8_div(f8_mul(f8_mul(nu, w.volume), f8_load_half(coefficient + LANES * slot)), f8_add(w.r2, epsilon));
        if (!t->alone)
            k = f8_mul(k, belongs(job, index, t->mover));
        F8 kx = f8_mul(k, w.dx), ky = f8_mul(k, w.dy), kz = f8_mul(k, w.dz);
        s[0] = f8_nmad(kx, w.dx, s[0]); // c is negative
        s[1] = f8_nmad(kx, w.dy, s[1]);
        s[2] = f8_nmad(ky, w.dy, s[2]);
        s[3] = f8_nmad(kx, w.dz, s[3]);
        s[4] = f8_nmad(ky, w.dz, s[4]);
        s[5] = f8_nmad(kz, w.dz, s[5]);
    }
    for (int c = 0; c < 6; c++)
        s[c] = f8_mul(s[c], f8_set(sph->kernel.gradient));
}

// S v
static inline void drag_times(const F8 s[6], const F8 v[3], F8 out[3])
{
    out[0] = f8_mad(s[3], v[2], f8_mad(s[1], v[1], f8_mul(s[0], v[0])));
    out[1] = f8_mad(s[4], v[2], f8_mad(s[2], v[1], f8_mul(s[1], v[0])));
    out[2] = f8_mad(s[5], v[2], f8_mad(s[4], v[1], f8_mul(s[3], v[0])));
}

// a x f
static inline void moment(const Arms* a, const F8 f[3], F8 out[3])
{
    out[0] = f8_nmad(a->z, f[1], f8_mul(a->y, f[2]));
    out[1] = f8_nmad(a->x, f[2], f8_mul(a->z, f[0]));
    out[2] = f8_nmad(a->y, f[0], f8_mul(a->x, f[1]));
}

// Adds what the particles of a chunk do to a mover: force and torque by velocities `v` relative to it, and G^T S G.
static void add_chunk(TouchSum* sum, const Arms* a, const F8 s[6], const F8 v[3])
{
    const F8 zero = f8_zero();
    // columns of G for turns about x, y, z: what they do at the particle
    const F8 turn[3][3] = {{zero, f8_sub(zero, a->z), a->y}, {a->z, zero, f8_sub(zero, a->x)}, {f8_sub(zero, a->y), a->x, zero}};
    F8 f[3], m[3];
    drag_times(s, v, f);
    moment(a, f, m);
    for (int c = 0; c < 3; c++) {
        lane_add(sum->lane[c], f[c]);
        lane_add(sum->lane[3 + c], m[c]);
    }
    const int own[6] = {touch_entry(0, 0), touch_entry(0, 1), touch_entry(1, 1),
                        touch_entry(0, 2), touch_entry(1, 2), touch_entry(2, 2)};
    for (int c = 0; c < 6; c++)
        lane_add(sum->lane[own[c]], s[c]);
    for (int j = 0; j < 3; j++) {
        drag_times(s, turn[j], f);
        moment(a, f, m);
        for (int c = 0; c < 3; c++)
            lane_add(sum->lane[touch_entry(3 + j, c)], f[c]);
        for (int c = 0; c <= j; c++)
            lane_add(sum->lane[touch_entry(3 + j, 3 + c)], m[c]);
    }
}

static void drag_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const Job* job = context;
    const TouchPass* pass = &job->pass;
    const TouchBlock* block = &pass->reaction->block[number];
    for (size_t k = 0; k < block->count; k++) {
        const Touch* t = &block->touch[k];
        const Mover* mover = &pass->reaction->mover[t->mover];
        enum { AHEAD = 3 };
        if (k + AHEAD < block->count)
            near_prefetch(pass->sph->neighbours.chunk[t[AHEAD].chunk].near);
        Arms arms = touch_arms(t);
        F8 s[6], v[3], own[3], kind;
        for (int c = 0; c < 6; c++)
            s[c] = f8_zero();
        drag_of(job, t, s);
        double motion[6];
        twist_to(&mover->velocity, motion);
        touch_motion(motion, &arms, own);
        f8_load4(pass->sph->fluid.velocity + (size_t)LANES * t->chunk, &v[0], &v[1], &v[2], &kind);
        for (int c = 0; c < 3; c++)
            v[c] = f8_sub(v[c], own[c]);
        F8 mass = f8_mul(f8_set(pass->sph->mass_volume), sph_lookup(job->density, kind)), by_mass[6];
        for (int c = 0; c < 6; c++) {
            f8_store(block->drag[k].s[c], s[c]);
            by_mass[c] = f8_mul(mass, s[c]);
        }
        add_chunk(touch_sum_of(pass, block, t), &arms, by_mass, v);
    }
}

// mobility = (I + dt M^-1 D)^-1 M^-1; the same of what the mover has got so far
static void yield_to(Mover* m, double dt)
{
    double a[6][6], b[6][6];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            a[i][j] = i == j;
            for (int k = 0; k < 6; k++)
                a[i][j] += dt * m->mobility[i][k] * m->drag[k][j];
            b[i][j] = m->mobility[i][j];
        }
    double copy[6][6], gain[6][6] = {{0}}, v[6];
    memcpy(copy, a, sizeof a);
    solve_6x6(copy, b, 6);
    memcpy(m->mobility, b, sizeof b);
    twist_to(&m->gain, v);
    for (int i = 0; i < 6; i++)
        gain[i][0] = v[i];
    solve_6x6(a, gain, 1);
    for (int i = 0; i < 6; i++)
        v[i] = gain[i][0];
    m->gain = twist_from(v);
}

void rub_movers(Reaction* r, double dt)
{
    const Sph* sph = r->base.sph;
    Job job = {.pass = {.dt = (float)dt}};
    for (int k = 0; k < sph->material_count; k++) {
        WallFriction f = viscosity_at_wall(sph, k);
        job.approach[k] = f.approach;
        job.all[k] = f.all;
        job.density[k] = sph->material[k].density;
    }
    touch_sums(r, drag_block, TOUCH_SUMS, &job.pass);
    for (size_t m = 0; m < r->mover_count; m++) {
        Mover* mover = &r->mover[m];
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                mover->drag[i][j] = r->total[m][touch_entry(i, j)];
        Twist force = twist_from(r->total[m]);
        mover->impulse = twist_mad(mover->impulse, dt, force);
        mover->gain = twist_mad(mover->gain, dt, reaction_mobility(mover, force));
        mover->gain = twist_mad(mover->gain, dt, mover->other);
        yield_to(mover, dt);
    }
}

static void fluid_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const TouchPass* pass = context;
    const Reaction* r = pass->reaction;
    const TouchBlock* block = &r->block[number];
    for (size_t k = 0; k < block->count; k++) {
        const Touch* t = &block->touch[k];
        Arms arms = touch_arms(t);
        F8 s[6], v[3], f[3], x, y, z, w;
        for (int c = 0; c < 6; c++)
            s[c] = f8_load(block->drag[k].s[c]);
        touch_motion(r->motion[t->mover], &arms, v);
        drag_times(s, v, f);
        Vec4* a = pass->sph->fluid.acceleration + (size_t)LANES * t->chunk;
        f8_load4(a, &x, &y, &z, &w);
        f8_store4(a, f8_add(x, f[0]), f8_add(y, f[1]), f8_add(z, f[2]), w);
    }
}

void rub_fluid(Reaction* r, double dt)
{
    for (size_t m = 0; m < r->mover_count; m++) {
        Mover* mover = &r->mover[m];
        twist_to(&mover->gain, r->motion[m]);
        mover->impulse = twist_mad(mover->impulse, -dt, twist_by(mover->drag, mover->gain));
    }
    touch_pass(r, fluid_block, &(TouchPass){0});
}
