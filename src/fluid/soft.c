// SPDX-License-Identifier: MIT
#include "fluid/soft.h"

#include "fluid/pressure/method.h"
#include "fluid/soft_list.h"
#include "fluid/tension/adhesion.h"
#include "fluid/viscosity/viscosity.h"
#include <string.h>

enum { GRAIN = 512, WET_GRAIN = 128 };

static const double CARRIED = 0.5; // [1] share of the layer of water that a node carries
// [1/h] sum of V0 |grad W| at which a point counts as wet all over: one particle beside it is enough (half-space: 2.8)
static const double WET_REACH = 0.6;
static const double LAYER = 1 / 1.43; // [1] V_b of a square lattice is 1.43 d^3

bool soft_create(Soft* s, Memory* memory, Sph* sph, const Boundary* boundary, bool strong)
{
    *s = (Soft){.memory = memory, .boundary = boundary, .strong = strong && sph->solver.method != MN_PRESSURE_SESPH};
    s->node_first = memory_take(memory, (boundary->skin_count + 1) * sizeof *s->node_first);
    s->answers = memory_take(memory, (boundary->skin_count + 1) * sizeof *s->answers);
    if (!s->node_first || !s->answers)
        return false;
    memset(s->answers, 0, (boundary->skin_count + 1) * sizeof *s->answers);
    for (size_t k = 0; k < boundary->skin_count; k++)
        s->skinned_count = boundary->skin[k].solid >= s->skinned_count ? boundary->skin[k].solid + 1 : s->skinned_count;
    s->skinned = memory_take(memory, (s->skinned_count + 1) * sizeof *s->skinned);
    if (!s->skinned)
        return false;
    memset(s->skinned, 0, (s->skinned_count + 1) * sizeof *s->skinned);
    for (size_t k = 0; k < boundary->skin_count; k++) {
        s->skinned[boundary->skin[k].solid] = true;
        s->node_first[k] = s->node_count;
        s->node_count += boundary->skin[k].resample.vertex_count;
    }
    s->inverse_mass = memory_take(memory, s->node_count * sizeof *s->inverse_mass);
    s->carried = memory_take(memory, s->node_count * sizeof *s->carried);
    s->drift = memory_take(memory, s->node_count * sizeof *s->drift);
    s->gain = memory_take(memory, s->node_count * sizeof *s->gain);
    s->acceleration = memory_take(memory, s->node_count * sizeof *s->acceleration);
    s->link_begin = memory_take(memory, (s->node_count + 2) * sizeof *s->link_begin);
    s->node_value = memory_take(memory, s->node_count * sizeof *s->node_value);
    s->shared = memory_take(memory, (s->node_count + 1) * sizeof *s->shared);
    if (!s->inverse_mass || !s->carried || !s->drift || !s->gain || !s->acceleration || !s->link_begin || !s->node_value ||
        !s->shared)
        return false;
    memset(s->carried, 0, s->node_count * sizeof *s->carried);
    memset(s->inverse_mass, 0, s->node_count * sizeof *s->inverse_mass);
    memset(s->drift, 0, s->node_count * sizeof *s->drift);
    memset(s->gain, 0, s->node_count * sizeof *s->gain);
    sph->soft = s;
    return true;
}

void soft_destroy(Soft* s, Sph* sph)
{
    void* arrays[] = {s->answers,    s->node_first, s->carried, s->inverse_mass, s->drift,   s->gain, s->acceleration,
                      s->link_begin, s->node_value, s->point,   s->pair_begin,   s->pair,    s->link, s->counts,
                      s->slot_begin, s->slot,       s->motion,  s->force,        s->impulse, s->rub,  s->skinned,
                      s->chunk_hits, s->chunk,      s->mixed,   s->shared};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(s->memory, arrays[k]);
    for (int r = 0; r < SOFT_RANGES; r++)
        memory_give(s->memory, s->hits[r].item);
    sph->soft = NULL;
    *s = (Soft){0};
}

// --- passes

typedef struct Pass {
    Sph* sph;
    Soft* soft;
    const Vec3d* node; // value per node that points take over
    size_t first;      // node
    bool raw;          // forces of nodes, not accelerations
    float* out;
    float scale;
    const WallFriction* friction;
    double dt;
} Pass;

// motion of a place = sum of weight * value of nodes
static void move_point(const Pass* pass, size_t k)
{
    const WetPoint* p = &pass->soft->point[k];
    Vec3d m = vec3d_scale(pass->node[p->node[0]], (double)p->weight[0]);
    m = vec3d_mad(m, (double)p->weight[1], pass->node[p->node[1]]);
    m = vec3d_mad(m, (double)p->weight[2], pass->node[p->node[2]]);
    pass->soft->motion[p->place - pass->sph->boundary.part[1].base] = (Vec4){(float)m.x, (float)m.y, (float)m.z, 0};
}

static void motion_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    for (size_t k = begin; k < end; k++)
        move_point(context, k);
}

static void mixed_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Pass* pass = context;
    for (size_t k = begin; k < end; k++)
        move_point(pass, pass->soft->mixed[k]);
}

// out_i -= scale sum_b motion_b . G_ib
static void spread_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Pass* pass = context;
    const Soft* soft = pass->soft;
    const F8 scale = f8_set(pass->scale);
    for (size_t n = begin; n < end; n++) {
        size_t k = soft->chunk[n];
        F8 sum = f8_zero(), x, y, z, none;
        for (uint32_t i = soft->slot_begin[k]; i < soft->slot_begin[k + 1]; i++) {
            const SoftSlot* slot = &soft->slot[i];
            f8_gather4_twice(soft->motion, slot->twice, &x, &y, &z, &none);
            F8 dot = f8_mul(x, f8_load(slot->g[0]));
            dot = f8_mad(y, f8_load(slot->g[1]), dot);
            sum = f8_add(f8_mad(z, f8_load(slot->g[2]), dot), sum);
        }
        float* out = pass->out + LANES * k;
        f8_store(out, f8_nmad(scale, sum, f8_load(out)));
    }
}

// `node` NULL: motions are at hand.
static void spread(Sph* sph, const Vec3d* node, float scale, float* out)
{
    Pass pass = {.sph = sph, .soft = sph->soft, .node = node, .out = out, .scale = scale};
    if (node)
        parallel_for(sph->pool, sph->soft->wet, GRAIN, motion_block, &pass);
    parallel_for(sph->pool, sph->soft->wet_chunks, WET_GRAIN, spread_block, &pass);
}

static inline Vec3d force_on(const Sph* sph, const Soft* s, size_t k)
{
    double fx = 0, fy = 0, fz = 0, v = (double)sph->mass_volume;
    for (uint32_t j = s->pair_begin[k]; j < s->pair_begin[k + 1]; j++) {
        const SoftPair* pair = &s->pair[j];
        float p = sph->fluid.position[pair->particle].w;
        fx += (double)(p * pair->g[0]);
        fy += (double)(p * pair->g[1]);
        fz += (double)(p * pair->g[2]);
    }
    return vec3d(v * fx, v * fy, v * fz);
}

static void force_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Pass* pass = context;
    for (size_t k = begin; k < end; k++)
        pass->soft->force[k] = force_on(pass->sph, pass->soft, k);
}

// Forces; of points on nodes of their own accelerations and motions by the way.
static void alone_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Pass* pass = context;
    Soft* s = pass->soft;
    const uint32_t base = pass->sph->boundary.part[1].base;
    for (size_t k = begin; k < end; k++) {
        const WetPoint* p = &s->point[k];
        Vec3d f = s->force[k] = force_on(pass->sph, s, k);
        if (!soft_is_alone(s, p))
            continue;
        Vec3d a = s->acceleration[p->node[0]] = vec3d_scale(f, s->inverse_mass[p->node[0]]);
        s->motion[p->place - base] = (Vec4){(float)a.x, (float)a.y, (float)a.z, 0};
    }
}

static Vec3d force_of_node(const Soft* s, size_t v)
{
    Vec3d f = {0, 0, 0};
    for (uint32_t j = s->link_begin[v]; j < s->link_begin[v + 1]; j++)
        f = vec3d_mad(f, (double)s->link[j].weight, s->force[s->link[j].point]);
    return f;
}

// acceleration of nodes = inverse mass * sum of weight * force of points
static void node_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Pass* pass = context;
    Soft* s = pass->soft;
    for (size_t v = pass->first + begin; v < pass->first + end; v++) {
        Vec3d f = force_of_node(s, v);
        s->acceleration[v] = pass->raw ? f : vec3d_scale(f, s->inverse_mass[v]);
    }
}

static void shared_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Soft* s = ((const Pass*)context)->soft;
    for (size_t k = begin; k < end; k++)
        s->acceleration[s->shared[k]] = vec3d_scale(force_of_node(s, s->shared[k]), s->inverse_mass[s->shared[k]]);
}

static bool any_answers(const Soft* s)
{
    bool any = false;
    for (size_t k = 0; k < s->boundary->skin_count; k++)
        any |= s->answers[k];
    return any;
}

static size_t nodes_of(const Soft* s, size_t skin)
{
    return s->boundary->skin[skin].resample.vertex_count;
}

static void accelerate_nodes(Sph* sph)
{
    Soft* s = sph->soft;
    if (!any_answers(s)) {
        Pass pass = {.sph = sph, .soft = s};
        parallel_for(sph->pool, s->node_count, GRAIN, node_block, &pass);
        return;
    }
    for (size_t k = 0; k < s->boundary->skin_count; k++) {
        Pass pass = {.sph = sph, .soft = s, .first = s->node_first[k], .raw = s->answers[k]};
        parallel_for(sph->pool, nodes_of(s, k), GRAIN, node_block, &pass);
        if (s->answers[k])
            s->answer(s->user, k, s->acceleration + s->node_first[k]);
    }
}

void soft_pressure(Sph* sph)
{
    Pass pass = {.sph = sph, .soft = sph->soft};
    parallel_for(sph->pool, sph->soft->wet, GRAIN, force_block, &pass);
    if (sph->soft->strong)
        accelerate_nodes(sph);
}

void soft_gained(Sph* sph)
{
    if (sph->soft->strong && sph->soft->wet)
        spread(sph, sph->soft->gain, 1, sph->fluid.divergence);
}

void soft_accelerated(Sph* sph)
{
    if (sph->soft->strong && sph->soft->wet)
        spread(sph, sph->soft->acceleration, 1, sph->fluid.divergence);
}

void soft_displaced(Sph* sph, float dt, float* density)
{
    if (!sph->soft->strong || !sph->soft->wet)
        return;
    spread(sph, sph->soft->gain, dt, density);
    spread(sph, sph->soft->acceleration, dt * dt, density);
}

// Force, acceleration and motion by the pressures at hand, with the same bits as pass by pass. Dry nodes have no acceleration.
static void move_by_pressure(Sph* sph)
{
    Soft* s = sph->soft;
    Pass pass = {.sph = sph, .soft = s, .node = s->acceleration};
    parallel_for(sph->pool, s->wet, GRAIN, alone_block, &pass);
    parallel_for(sph->pool, s->shared_count, GRAIN, shared_block, &pass);
    parallel_for(sph->pool, s->mixed_count, GRAIN, mixed_block, &pass);
}

void soft_give_way(Sph* sph, float dt, float* predicted)
{
    if (!predicted && sph->soft->strong && !any_answers(sph->soft)) {
        move_by_pressure(sph);
        spread(sph, NULL, 1, sph->fluid.divergence);
        return;
    }
    soft_pressure(sph);
    if (predicted)
        soft_displaced(sph, dt, predicted);
    else
        soft_accelerated(sph);
}

void soft_begin(Sph* sph)
{
    Soft* s = sph->soft;
    memset(s->impulse, 0, s->wet * sizeof *s->impulse);
    memset(s->force, 0, s->wet * sizeof *s->force);
    memset(s->gain, 0, s->node_count * sizeof *s->gain);
    memset(s->acceleration, 0, s->node_count * sizeof *s->acceleration);
}

void soft_close(Sph* sph, float dt)
{
    Soft* s = sph->soft;
    for (size_t k = 0; k < s->wet; k++) {
        s->impulse[k] = vec3d_mad(s->impulse[k], (double)dt, s->force[k]);
        s->force[k] = vec3d(0, 0, 0);
    }
    for (size_t v = 0; v < s->node_count && s->strong; v++) {
        s->gain[v] = vec3d_mad(s->gain[v], (double)dt, s->acceleration[v]);
        s->acceleration[v] = vec3d(0, 0, 0);
    }
}

// --- friction

static Vec3d rub_pair(const Pass* pass, uint32_t b, const SoftPair* pair)
{
    const Sph* sph = pass->sph;
    Vec4 x = sph->fluid.position[pair->particle], v = sph->fluid.velocity[pair->particle];
    Vec4 xb = sph->boundary.position[b], vb = sph->boundary.velocity[b];
    float dx = x.x - xb.x, dy = x.y - xb.y, dz = x.z - xb.z, h = sph->kernel.h;
    float dot = (v.x - vb.x) * dx + (v.y - vb.y) * dy + (v.z - vb.z) * dz;
    WallFriction friction = pass->friction[(int)v.w];
    float rub = friction.approach * vb.w * fminf(dot, 0) + friction.all * sph->boundary_wall_viscosity[b] * dot;
    float mass = sph->mass_volume * sph->material[(int)v.w].density;
    float f = -mass * rub / (dx * dx + dy * dy + dz * dz + 0.01f * h * h);
    float a = sph->wetting ? mass * adhesion_pair(sph, x, (int)v.w, b) : 0;
    return vec3d((double)(f * pair->g[0] + a * dx), (double)(f * pair->g[1] + a * dy), (double)(f * pair->g[2] + a * dz));
}

static void rub_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Pass* pass = context;
    Soft* s = pass->soft;
    for (size_t k = begin; k < end; k++) {
        Vec3d f = {0, 0, 0};
        for (uint32_t j = s->pair_begin[k]; j < s->pair_begin[k + 1]; j++)
            f = vec3d_add(f, rub_pair(pass, s->point[k].place, &s->pair[j]));
        s->force[k] = f;
    }
}

void soft_rub(Sph* sph, double dt)
{
    WallFriction friction[FLUIDS_MOST] = {{0}};
    for (int k = 0; k < sph->material_count; k++)
        friction[k] = viscosity_at_wall(sph, k);
    Pass pass = {.sph = sph, .soft = sph->soft, .friction = friction};
    parallel_for(sph->pool, sph->soft->wet, GRAIN, rub_block, &pass);
    if (sph->soft->strong)
        accelerate_nodes(sph);
    soft_close(sph, (float)dt);
    for (size_t v = 0; v < sph->soft->node_count && sph->soft->strong; v++)
        sph->soft->gain[v] = vec3d_mad(sph->soft->gain[v], dt, sph->soft->drift[v]);
}

// --- the bound of K

// Summed over the pairs of a point: how strongly friction holds it [kg/s]; |G_ib| into force.x, times the fluid's density into
// force.y
static void reach_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Pass* pass = context;
    const Sph* sph = pass->sph;
    Soft* s = pass->soft;
    const float h = sph->kernel.h;
    for (size_t k = begin; k < end; k++) {
        uint32_t b = s->point[k].place;
        Vec4 xb = sph->boundary.position[b];
        float approach = sph->boundary.velocity[b].w, all = sph->boundary_wall_viscosity[b], rub = 0;
        double sum = 0, heavy = 0;
        for (uint32_t j = s->pair_begin[k]; j < s->pair_begin[k + 1]; j++) {
            const SoftPair* p = &s->pair[j];
            Vec4 x = sph->fluid.position[p->particle];
            int kind = (int)sph->fluid.velocity[p->particle].w;
            float density = sph->material[kind].density,
                  nu = pass->friction[kind].approach * approach + pass->friction[kind].all * all;
            float dx = x.x - xb.x, dy = x.y - xb.y, dz = x.z - xb.z, r2 = dx * dx + dy * dy + dz * dz;
            rub -= density * nu * (p->g[0] * dx + p->g[1] * dy + p->g[2] * dz) / (r2 + 0.01f * h * h);
            double g = (double)sqrtf(p->g[0] * p->g[0] + p->g[1] * p->g[1] + p->g[2] * p->g[2]);
            sum += g;
            heavy += g * (double)density;
        }
        s->rub[k] = sph->mass_volume * rub;
        s->force[k] = vec3d(sum, heavy, 0);
    }
}

// diagonal_i += omega rho0 V sum_b |G_ib| motion_b.x
static void bound_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Pass* pass = context;
    const Sph* sph = pass->sph;
    const Soft* soft = pass->soft;
    for (size_t n = begin; n < end; n++) {
        size_t k = soft->chunk[n];
        F8 sum = f8_zero(), m, none;
        for (uint32_t i = soft->slot_begin[k]; i < soft->slot_begin[k + 1]; i++) {
            const SoftSlot* slot = &soft->slot[i];
            F8 x = f8_load(slot->g[0]), y = f8_load(slot->g[1]), z = f8_load(slot->g[2]);
            f8_gather4_twice(soft->motion, slot->twice, &m, &none, &none, &none);
            sum = f8_mad(f8_sqrt(f8_mad(z, z, f8_mad(y, y, f8_mul(x, x)))), m, sum);
        }
        float bound[LANES];
        f8_store(bound, sum);
        for (size_t lane = 0, p = LANES * k; lane < LANES && p < sph->fluid.count; lane++, p++)
            sph->fluid.diagonal[p] +=
                PRESSURE_OMEGA * sph->material[(int)sph->fluid.velocity[p].w].density * sph->mass_volume * bound[lane];
    }
}

// [kg] water that a point carries: a share of its layer, as far as it is wet
static double carried_by(const Sph* sph, const Soft* s, uint32_t k)
{
    double volume = (double)sph->boundary.position[s->point[k].place].w;
    double full = WET_REACH / (double)(sph->kernel.h * sph->volume) * volume, reach = s->force[k].x;
    return reach > 0 ? CARRIED * LAYER * volume * fmin(reach / full, 1) * s->force[k].y / reach : 0;
}

static void carry_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Pass* pass = context;
    Soft* s = pass->soft;
    for (size_t v = pass->first + begin; v < pass->first + end; v++) {
        s->carried[v] = 0;
        for (uint32_t j = s->link_begin[v]; j < s->link_begin[v + 1]; j++)
            s->carried[v] += (double)s->link[j].weight * carried_by(pass->sph, s, s->link[j].point);
        s->inverse_mass[v] = s->inverse_mass[v] > 0 ? 1 / (1 / s->inverse_mass[v] + s->carried[v]) : 0;
    }
}

static void bound_steps(Sph* sph)
{
    Soft* s = sph->soft;
    WallFriction friction[FLUIDS_MOST] = {{0}};
    for (int k = 0; k < sph->material_count; k++)
        friction[k] = viscosity_at_wall(sph, k);
    Pass pass = {.sph = sph, .soft = s, .node = s->acceleration, .friction = friction};
    parallel_for(sph->pool, s->wet, GRAIN, reach_block, &pass);
    for (size_t k = 0; k < s->boundary->skin_count; k++) {
        pass.first = s->node_first[k];
        if (!s->answers[k])
            parallel_for(sph->pool, nodes_of(s, k), GRAIN, carry_block, &pass);
    }
    pass.first = 0;
    if (!s->strong)
        return;
    parallel_for(sph->pool, s->node_count, GRAIN, node_block, &pass);
    parallel_for(sph->pool, s->wet, GRAIN, motion_block, &pass);
    parallel_for(sph->pool, s->wet_chunks, WET_GRAIN, bound_block, &pass);
}

bool soft_build(Sph* sph)
{
    Soft* s = sph->soft;
    if (!soft_list(sph))
        return false;
    if (s->wet)
        bound_steps(sph);
    else
        memset(s->carried, 0, s->node_count * sizeof *s->carried);
    return true;
}
