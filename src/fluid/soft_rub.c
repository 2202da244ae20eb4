// SPDX-License-Identifier: MIT
// How the fluid rubs on skins, and what holds their nodes: friction, the water they carry, the bound of K (soft.h).
#include "fluid/soft_parts.h"

#include "fluid/pressure/method.h"
#include "fluid/tension/adhesion.h"
#include <string.h>

static const double CARRIED = 0.5; // [1] share of the layer of water that a node carries
// [1/h] sum of V0 |grad W| at which a point counts as wet all over: one particle beside it is enough (half-space: 2.8)
static const double WET_REACH = 0.6;
static const double LAYER = 1 / 1.43; // [1] V_b of a square lattice is 1.43 d^3

// --- friction

// What friction between eight points and a particle beside each depends on.
typedef struct RubPair {
    F8 dx, dy, dz, r2, c;
    F8 per;           // [1/m2] 1 / (r^2 + 0.01 h^2)
    F8 v[3];          // [m/s] if wanted
    F8 approach, all; // [m2/s] of the fluid
    F8 density;       // [kg/m3] likewise
} RubPair;

static inline void look_up_fluids(const SoftPass* pass, F8 kind, RubPair* p)
{
    float table[3][FLUIDS_MOST];
    for (int k = 0; k < FLUIDS_MOST; k++) {
        table[0][k] = pass->friction[k].approach;
        table[1][k] = pass->friction[k].all;
        table[2][k] = pass->sph->material[k].density;
    }
    p->approach = sph_lookup(table[0], kind);
    p->all = sph_lookup(table[1], kind);
    p->density = sph_lookup(table[2], kind);
}

static inline __attribute__((always_inline)) RubPair rub_pair(const SoftPass* pass, const F8 x[4], const SoftSlot* slot,
                                                              bool velocities)
{
    const Sph* sph = pass->sph;
    const bool several = sph->material_count > 1;
    F8 xi, yi, zi, unused, kind;
    f8_gather4_twice(sph->fluid.position, slot->twice, &xi, &yi, &zi, &unused);
    RubPair p = {.dx = f8_sub(xi, x[0]), .dy = f8_sub(yi, x[1]), .dz = f8_sub(zi, x[2]), .c = f8_load_half(slot->c)};
    if (velocities || several)
        f8_gather4_twice(sph->fluid.velocity, slot->twice, &p.v[0], &p.v[1], &p.v[2], &kind);
    if (several) {
        look_up_fluids(pass, kind, &p);
    } else {
        p.approach = f8_set(pass->friction[0].approach);
        p.all = f8_set(pass->friction[0].all);
        p.density = f8_set(sph->material[0].density);
    }
    p.r2 = f8_mad(p.dz, p.dz, f8_mad(p.dy, p.dy, f8_mul(p.dx, p.dx)));
    p.per = f8_div(f8_set(1), f8_add(p.r2, f8_set(0.01f * sph->kernel.h * sph->kernel.h)));
    return p;
}

// Adhesion on eight points by the particles of a slot.
static void add_adhesion(const Sph* sph, size_t g, const SoftSlot* slot, F8 f[3])
{
    float a[LANES] = {0}, d[3][LANES] = {{0}};
    for (size_t lane = 0; lane < LANES; lane++) {
        if (!slot->c[lane])
            continue;
        size_t i = slot->twice[lane] / 2, b = sph->boundary.part[1].base + LANES * g + lane;
        Vec4 x = sph->fluid.position[i], xb = sph->boundary.position[b];
        int kind = (int)sph->fluid.velocity[i].w;
        a[lane] = sph->mass_volume * sph->material[kind].density * adhesion_pair(sph, x, kind, (uint32_t)b);
        d[0][lane] = x.x - xb.x, d[1][lane] = x.y - xb.y, d[2][lane] = x.z - xb.z;
    }
    for (int c = 0; c < 3; c++)
        f[c] = f8_mad(f8_load(a), f8_load(d[c]), f[c]);
}

static void rub_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SoftPass* pass = context;
    const Sph* sph = pass->sph;
    Soft* s = pass->soft;
    const uint32_t base = sph->boundary.part[1].base;
    for (size_t g = begin; g < end; g++) {
        if (s->group[g].slot == s->group[g + 1].slot)
            continue;
        F8 x[4], u[4], f[3] = {f8_zero(), f8_zero(), f8_zero()}, stuck[3] = {f8_zero(), f8_zero(), f8_zero()};
        f8_load4(sph->boundary.position + base + LANES * g, &x[0], &x[1], &x[2], &x[3]);
        f8_load4(sph->boundary.velocity + base + LANES * g, &u[0], &u[1], &u[2], &u[3]);
        F8 wall = f8_load(sph->boundary_wall_viscosity + base + LANES * g);
        for (const SoftSlot *slot = s->slot + s->group[g].slot, *last = s->slot + s->group[g + 1].slot; slot < last; slot++) {
            RubPair p = rub_pair(pass, x, slot, true);
            F8 dot = f8_mul(f8_sub(p.v[2], u[2]), p.dz);
            dot = f8_mad(f8_sub(p.v[1], u[1]), p.dy, dot);
            dot = f8_mad(f8_sub(p.v[0], u[0]), p.dx, dot);
            F8 rub = f8_mad(f8_mul(p.approach, u[3]), f8_min(dot, f8_zero()), f8_mul(f8_mul(p.all, wall), dot));
            F8 w = f8_mul(f8_mul(f8_mul(rub, p.density), p.per), p.c);
            f[0] = f8_mad(w, p.dx, f[0]);
            f[1] = f8_mad(w, p.dy, f[1]);
            f[2] = f8_mad(w, p.dz, f[2]);
            if (sph->wetting)
                add_adhesion(sph, g, slot, stuck);
        }
        F8 scale = f8_mul(f8_mul(x[3], f8_set(sph->kernel.gradient)), f8_set(-sph->mass_volume));
        f8_store4(s->force + LANES * g, f8_mad(f[0], scale, stuck[0]), f8_mad(f[1], scale, stuck[1]), f8_mad(f[2], scale, stuck[2]),
                  f8_zero());
    }
}

void soft_rub(Soft* s, double dt)
{
    Sph* sph = s->base.sph;
    WallFriction friction[FLUIDS_MOST] = {{0}};
    for (int k = 0; k < sph->material_count; k++)
        friction[k] = viscosity_at_wall(sph, k);
    SoftPass pass = {.sph = sph, .soft = s, .friction = friction};
    parallel_for(sph->pool, soft_groups(s), PLACES_GRAIN, rub_block, &pass);
    if (s->base.strong)
        soft_accelerate_nodes(s);
    soft_close_with(s, dt, s->drift);
}

// --- the bound of K

// Summed over the pairs of a point: how strongly friction holds it [kg/s]; |G_ib| into force.x, times the fluid's density into
// force.y
static void reach_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SoftPass* pass = context;
    const Sph* sph = pass->sph;
    Soft* s = pass->soft;
    const uint32_t base = sph->boundary.part[1].base;
    for (size_t g = begin; g < end; g++) {
        if (s->group[g].slot == s->group[g + 1].slot)
            continue;
        F8 x[4], none, approach, sum = f8_zero(), heavy = f8_zero(), rub = f8_zero();
        f8_load4(sph->boundary.position + base + LANES * g, &x[0], &x[1], &x[2], &x[3]);
        f8_load4(sph->boundary.velocity + base + LANES * g, &none, &none, &none, &approach);
        F8 all = f8_load(sph->boundary_wall_viscosity + base + LANES * g);
        for (const SoftSlot *slot = s->slot + s->group[g].slot, *last = s->slot + s->group[g + 1].slot; slot < last; slot++) {
            RubPair p = rub_pair(pass, x, slot, false);
            F8 nu = f8_mad(p.approach, approach, f8_mul(p.all, all)), steep = f8_sub(f8_zero(), p.c);
            rub = f8_mad(f8_mul(f8_mul(p.density, nu), f8_mul(p.r2, p.per)), steep, rub);
            F8 reach = f8_mul(steep, f8_sqrt(p.r2));
            sum = f8_add(sum, reach);
            heavy = f8_mad(reach, p.density, heavy);
        }
        F8 scale = f8_mul(x[3], f8_set(sph->kernel.gradient));
        f8_store(s->rub + LANES * g, f8_mul(f8_mul(rub, scale), f8_set(sph->mass_volume)));
        f8_store4(s->force + LANES * g, f8_mul(sum, scale), f8_mul(heavy, scale), f8_zero(), f8_zero());
    }
}

// diagonal_i += omega rho0 V sum_b |G_ib| motion_b.x
static void bound_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SoftPass* pass = context;
    const Sph* sph = pass->sph;
    const Soft* soft = pass->soft;
    const F8 scale = f8_set(PRESSURE_OMEGA * sph->mass_volume * sph->kernel.gradient);
    float densities[FLUIDS_MOST];
    for (int k = 0; k < FLUIDS_MOST; k++)
        densities[k] = sph->material[k].density;
    for (size_t n = begin; n < end; n++) {
        const SoftChunk* chunk = &soft->chunk[n];
        const size_t first = (size_t)LANES * chunk->chunk;
        F8 sum = f8_zero(), xi, yi, zi, none;
        f8_load4(sph->fluid.position + first, &xi, &yi, &zi, &none);
        for (const SoftSlot *slot = chunk->slot, *last = slot + chunk->slots; slot < last; slot++) {
            F8 xb, yb, zb, volume, m;
            f8_gather4_twice(soft_places(sph), slot->twice, &xb, &yb, &zb, &volume);
            f8_gather4_twice(soft->motion, slot->twice, &m, &none, &none, &none);
            F8 dx = f8_sub(xi, xb), dy = f8_sub(yi, yb), dz = f8_sub(zi, zb);
            F8 r = f8_sqrt(f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx))));
            sum = f8_nmad(f8_mul(f8_load_half(slot->c), volume), f8_mul(r, m), sum);
        }
        F8 density = f8_set(sph->material[0].density), kind;
        if (sph->material_count > 1) {
            f8_load4(sph->fluid.velocity + first, &none, &none, &none, &kind);
            density = sph_lookup(densities, kind);
        }
        float* diagonal = sph->fluid.diagonal + first;
        f8_store(diagonal, f8_mad(f8_mul(sum, scale), density, f8_load(diagonal)));
    }
}

// [kg] water that a point carries: a share of its layer, as far as it is wet
static double carried_by(const Sph* sph, const Soft* s, uint32_t place)
{
    double volume = (double)soft_places(sph)[place].w, reach = (double)s->force[place].x;
    double full = WET_REACH / (double)(sph->kernel.h * sph->volume) * volume;
    return reach > 0 ? CARRIED * LAYER * volume * fmin(reach / full, 1) * (double)s->force[place].y / reach : 0;
}

static void carry_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SoftPass* pass = context;
    Soft* s = pass->soft;
    for (size_t v = begin, k = soft_skin_of(s, begin); v < end; v++) {
        while (v >= s->node_first[k] + soft_nodes_of(s, k))
            k++;
        if (s->answers[k])
            continue;
        s->carried[v] = s->node_place[v] == NO_PLACE ? 0 : carried_by(pass->sph, s, s->node_place[v]);
        for (uint32_t j = s->link_begin[v]; j < s->link_begin[v + 1]; j++)
            s->carried[v] += (double)s->link[j].weight * carried_by(pass->sph, s, s->link[j].place);
        s->inverse_mass[v] = s->inverse_mass[v] > 0 ? 1 / (1 / s->inverse_mass[v] + s->carried[v]) : 0;
    }
}

static void alone_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Soft* s = ((const SoftPass*)context)->soft;
    for (size_t v = begin; v < end; v++)
        if (s->node_place[v] != NO_PLACE && s->link_begin[v] == s->link_begin[v + 1])
            s->inverse[s->node_place[v]] = (float)s->inverse_mass[v];
}

static void bound_steps(Soft* s)
{
    Sph* sph = s->base.sph;
    WallFriction friction[FLUIDS_MOST] = {{0}};
    for (int k = 0; k < sph->material_count; k++)
        friction[k] = viscosity_at_wall(sph, k);
    SoftPass pass = {.sph = sph, .soft = s, .node = s->acceleration, .plain = true, .friction = friction};
    parallel_for(sph->pool, soft_groups(s), PLACES_GRAIN, reach_block, &pass);
    parallel_for(sph->pool, s->node_count, SOFT_GRAIN, carry_block, &pass);
    if (!s->base.strong)
        return;
    parallel_for(sph->pool, s->node_count, SOFT_GRAIN, alone_block, &pass);
    parallel_for(sph->pool, s->node_count, SOFT_GRAIN, soft_node_block, &pass);
    parallel_for(sph->pool, s->wet, SOFT_GRAIN, soft_motion_block, &pass);
    parallel_for(sph->pool, s->wet_chunks, CHUNKS_GRAIN, bound_block, &pass);
}

bool soft_build(Responder* responder)
{
    Soft* s = (Soft*)responder;
    if (!soft_list(s) ||
        !memory_reserve(s->memory, &s->sums, &s->sums_capacity, 0, block_count(s->wet_chunks, CHUNKS_GRAIN) + 1, sizeof *s->sums))
        return false;
    if (s->wet)
        bound_steps(s);
    else
        memset(s->carried, 0, s->node_count * sizeof *s->carried);
    return true;
}
