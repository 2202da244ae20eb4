// SPDX-License-Identifier: MIT
#include "coupling/friction.h"

#include "coupling/body_pairs.h"
#include "fluid/viscosity/viscosity.h"
#include <string.h>

FrictionTable friction_table(const Sph* sph)
{
    FrictionTable table = {{0}, {0}, {0}};
    for (int k = 0; k < sph->material_count; k++) {
        WallFriction f = viscosity_at_wall(sph, k);
        table.approach[k] = f.approach;
        table.all[k] = f.all;
        table.density[k] = sph->material[k].density;
    }
    return table;
}

// --- bodies

typedef struct Job {
    BodyPass pass; // first: passes are called with it
    FrictionTable table;
} Job;

// 1 for boundary particles of the body
static F8 belongs(const Job* job, const uint32_t* index, uint32_t body)
{
    const Sph* sph = job->pass.sph;
    float mask[LANES];
    for (int k = 0; k < LANES; k++)
        mask[k] = job->pass.response->body_of[sph->walls.solid[index[k]]] == (int32_t)body;
    return f8_load(mask);
}

// S of a chunk: xx, xy, yy, xz, yz, zz
static void drag_of(const Job* job, const BodyPair* t, F8 s[6])
{
    const Sph* sph = job->pass.sph;
    const NearBoundary* near = sph->neighbours.chunk[t->chunk].near;
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    const F8 epsilon = f8_set(0.01f * sph->kernel.h * sph->kernel.h), zero = f8_zero();
    F8 x[3], v[3], unused, kind;
    f8_load4(sph->fluid.position + (size_t)LANES * t->chunk, &x[0], &x[1], &x[2], &unused);
    f8_load4(sph->fluid.velocity + (size_t)LANES * t->chunk, &v[0], &v[1], &v[2], &kind);
    const F8 approach = sph_lookup(job->table.approach, kind), all = sph_lookup(job->table.all, kind);
    for (uint32_t slot = 0; slot < near->slots; slot++) {
        const uint32_t* index = near->index + LANES * slot;
        WallPair w = wall_pair(sph, index, x, v);
        F8 nu = f8_mad(all, w.wall, f8_and(f8_mul(approach, w.friction), f8_less(w.dot, zero)));
        F8 k = f8_div(f8_mul(f8_mul(nu, w.volume), f8_load_half(coefficient + LANES * slot)), f8_add(w.r2, epsilon));
        if (!t->alone)
            k = f8_mul(k, belongs(job, index, t->body));
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

// Adds what the particles of a chunk do to a body: force and torque by velocities `v` relative to it, and G^T S G.
static void add_chunk(BodySum* sum, const Arms* a, const F8 s[6], const F8 v[3])
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
    const int own[6] = {sum_entry(0, 0), sum_entry(0, 1), sum_entry(1, 1), sum_entry(0, 2), sum_entry(1, 2), sum_entry(2, 2)};
    for (int c = 0; c < 6; c++)
        lane_add(sum->lane[own[c]], s[c]);
    for (int j = 0; j < 3; j++) {
        drag_times(s, turn[j], f);
        moment(a, f, m);
        for (int c = 0; c < 3; c++)
            lane_add(sum->lane[sum_entry(3 + j, c)], f[c]);
        for (int c = 0; c <= j; c++)
            lane_add(sum->lane[sum_entry(3 + j, 3 + c)], m[c]);
    }
}

static void drag_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const Job* job = context;
    const BodyPass* pass = &job->pass;
    const PairBlock* block = &pass->response->block[number];
    for (size_t k = 0; k < block->count; k++) {
        const BodyPair* t = &block->pair[k];
        const ResponseBody* body = &pass->response->body[t->body];
        enum { AHEAD = 3 };
        if (k + AHEAD < block->count)
            near_prefetch(pass->sph->neighbours.chunk[t[AHEAD].chunk].near);
        Arms arms = pair_arms(t);
        F8 s[6], v[3], own[3], kind;
        for (int c = 0; c < 6; c++)
            s[c] = f8_zero();
        drag_of(job, t, s);
        double motion[6];
        twist_to(&body->velocity, motion);
        pair_motion(motion, &arms, own);
        f8_load4(pass->sph->fluid.velocity + (size_t)LANES * t->chunk, &v[0], &v[1], &v[2], &kind);
        for (int c = 0; c < 3; c++)
            v[c] = f8_sub(v[c], own[c]);
        F8 mass = f8_mul(f8_set(pass->sph->mass_volume), sph_lookup(job->table.density, kind)), by_mass[6];
        for (int c = 0; c < 6; c++) {
            f8_store(block->drag[k].s[c], s[c]);
            by_mass[c] = f8_mul(mass, s[c]);
        }
        add_chunk(body_sum_of(pass, block, t), &arms, by_mass, v);
    }
}

// mobility = (I + dt M^-1 D)^-1 M^-1; the same of what the body has got so far
static void yield_to(ResponseBody* m, double dt)
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

void friction_on_bodies(BodyResponse* r, double dt)
{
    Job job = {.pass = {.dt = (float)dt}, .table = friction_table(r->base.sph)};
    body_sums(r, drag_block, BODY_SUMS, &job.pass);
    for (size_t m = 0; m < r->body_count; m++) {
        ResponseBody* body = &r->body[m];
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                body->drag[i][j] = r->total[m][sum_entry(i, j)];
        Twist force = twist_from(r->total[m]);
        body->impulse = twist_mad(body->impulse, dt, force);
        body->gain = twist_mad(body->gain, dt, body_mobility(body, force));
        body->gain = twist_mad(body->gain, dt, body->other);
        yield_to(body, dt);
    }
}

static void fluid_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const BodyPass* pass = context;
    const BodyResponse* r = pass->response;
    const PairBlock* block = &r->block[number];
    for (size_t k = 0; k < block->count; k++) {
        const BodyPair* t = &block->pair[k];
        Arms arms = pair_arms(t);
        F8 s[6], v[3], f[3], x, y, z, w;
        for (int c = 0; c < 6; c++)
            s[c] = f8_load(block->drag[k].s[c]);
        pair_motion(r->motion[t->body], &arms, v);
        drag_times(s, v, f);
        Vec4* a = pass->sph->fluid.acceleration + (size_t)LANES * t->chunk;
        f8_load4(a, &x, &y, &z, &w);
        f8_store4(a, f8_add(x, f[0]), f8_add(y, f[1]), f8_add(z, f[2]), w);
    }
}

void friction_on_fluid(BodyResponse* r, double dt)
{
    for (size_t m = 0; m < r->body_count; m++) {
        ResponseBody* body = &r->body[m];
        twist_to(&body->gain, r->motion[m]);
        body->impulse = twist_mad(body->impulse, -dt, twist_by(body->drag, body->gain));
    }
    body_pass(r, fluid_block, &(BodyPass){0});
}

// --- vertices

// Forces by friction, on top of those at hand.
static void friction_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const VertexPass* pass = context;
    const Sph* sph = pass->sph;
    VertexResponse* s = pass->response;
    for (size_t g = begin; g < end; g++) {
        FrictionGroup at;
        if (!friction_group(sph, s, g, &at))
            continue;
        F8 f[3] = {f8_zero(), f8_zero(), f8_zero()}, other[4], *u = at.u;
        for (const PairSlot* slot = at.slot; slot < at.last; slot++) {
            DragPair p = drag_pair(sph, pass->friction, at.x, slot, true);
            F8 dot = f8_mul(f8_sub(p.v[2], u[2]), p.dz);
            dot = f8_mad(f8_sub(p.v[1], u[1]), p.dy, dot);
            dot = f8_mad(f8_sub(p.v[0], u[0]), p.dx, dot);
            F8 drag = f8_mad(f8_mul(p.approach, u[3]), f8_min(dot, f8_zero()), f8_mul(f8_mul(p.all, at.wall), dot));
            F8 w = f8_mul(f8_mul(f8_mul(drag, p.density), p.per), p.c);
            f[0] = f8_mad(w, p.dx, f[0]);
            f[1] = f8_mad(w, p.dy, f[1]);
            f[2] = f8_mad(w, p.dz, f[2]);
        }
        F8 scale = f8_mul(f8_mul(at.x[3], f8_set(sph->kernel.gradient)), f8_set(-sph->mass_volume));
        Vec4* force = s->force + LANES * g;
        f8_load4(force, &other[0], &other[1], &other[2], &other[3]);
        f8_store4(force, f8_mad(f[0], scale, other[0]), f8_mad(f[1], scale, other[1]), f8_mad(f[2], scale, other[2]), f8_zero());
    }
}

void friction_on_vertices(VertexResponse* s, double dt)
{
    Sph* sph = s->base.sph;
    FrictionTable table = friction_table(sph);
    VertexPass pass = {.sph = sph, .response = s, .friction = &table};
    parallel_for(sph->pool, vertex_groups(&s->pairs), PLACES_GRAIN, friction_block, &pass);
    if (s->base.strong)
        vertex_accelerate_nodes(s);
    vertex_close_with(s, dt, s->drift);
}
