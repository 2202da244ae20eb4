// SPDX-License-Identifier: MIT
// What holds the nodes of skins: the water they carry, and the bound of K by which steps of pressures are shortened
// (response_vertex.h).
#include "coupling/friction.h"

#include "fluid/pressure/method.h"
#include <string.h>

static const double CARRIED = 0.5; // [1] share of the layer of water that a node carries
// [1/h] sum of V0 |grad W| at which a point counts as wet all over: one particle beside it is enough (half-space: 2.8)
static const double WET_REACH = 0.6;
static const double LAYER = 1 / 1.43; // [1] V_b of a square lattice is 1.43 d^3

// Summed over the pairs of a point: how strongly friction holds it [kg/s]; |G_ib| into force.x, times the fluid's density into
// force.y
static void reach_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const VertexPass* pass = context;
    const Sph* sph = pass->sph;
    VertexResponse* s = pass->response;
    for (size_t g = begin; g < end; g++) {
        FrictionGroup at;
        if (!friction_group(sph, s, g, &at))
            continue;
        F8 sum = f8_zero(), heavy = f8_zero(), drag = f8_zero();
        for (const PairSlot* slot = at.slot; slot < at.last; slot++) {
            DragPair p = drag_pair(sph, pass->friction, at.x, slot, false);
            F8 nu = f8_mad(p.approach, at.u[3], f8_mul(p.all, at.wall)), steep = f8_sub(f8_zero(), p.c);
            drag = f8_mad(f8_mul(f8_mul(p.density, nu), f8_mul(p.r2, p.per)), steep, drag);
            F8 reach = f8_mul(steep, f8_sqrt(p.r2));
            sum = f8_add(sum, reach);
            heavy = f8_mad(reach, p.density, heavy);
        }
        F8 scale = f8_mul(at.x[3], f8_set(sph->kernel.gradient));
        f8_store(s->drag + LANES * g, f8_mul(f8_mul(drag, scale), f8_set(sph->mass_volume)));
        f8_store4(s->force + LANES * g, f8_mul(sum, scale), f8_mul(heavy, scale), f8_zero(), f8_zero());
    }
}

// diagonal_i += omega rho0 V sum_b |G_ib| motion_b.x
static void bound_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const VertexPass* pass = context;
    const Sph* sph = pass->sph;
    const VertexResponse* response = pass->response;
    const F8 scale = f8_set(PRESSURE_OMEGA * sph->mass_volume * sph->kernel.gradient);
    float densities[FLUIDS_MOST];
    for (int k = 0; k < FLUIDS_MOST; k++)
        densities[k] = sph->material[k].density;
    for (size_t n = begin; n < end; n++) {
        const VertexChunk* chunk = &response->pairs.chunk[n];
        const size_t first = (size_t)LANES * chunk->chunk;
        F8 sum = f8_zero(), xi, yi, zi, none;
        f8_load4(sph->fluid.position + first, &xi, &yi, &zi, &none);
        for (const PairSlot *slot = chunk->slot, *last = slot + chunk->slots; slot < last; slot++) {
            F8 xb, yb, zb, volume, m;
            f8_gather4_twice(vertex_places(sph), slot->twice, &xb, &yb, &zb, &volume);
            f8_gather4_twice(response->motion, slot->twice, &m, &none, &none, &none);
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
static double carried_by(const Sph* sph, const VertexResponse* s, uint32_t place)
{
    double volume = (double)vertex_places(sph)[place].w, reach = (double)s->force[place].x;
    double full = WET_REACH / (double)(sph->kernel.h * sph->volume) * volume;
    return reach > 0 ? CARRIED * LAYER * volume * fmin(reach / full, 1) * (double)s->force[place].y / reach : 0;
}

static void carry_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const VertexPass* pass = context;
    VertexResponse* s = pass->response;
    for (size_t v = begin, k = vertex_skin_of(s, begin); v < end; v++) {
        while (v >= s->node_first[k] + vertex_nodes_of(s, k))
            k++;
        s->inverse_mass[v] = s->own_inverse[v];
        if (s->has_mobility[k])
            continue;
        s->carried[v] = s->pairs.node_place[v] == NO_PLACE ? 0 : carried_by(pass->sph, s, s->pairs.node_place[v]);
        for (uint32_t j = s->pairs.link_begin[v]; j < s->pairs.link_begin[v + 1]; j++)
            s->carried[v] += (double)s->pairs.link[j].weight * carried_by(pass->sph, s, s->pairs.link[j].place);
        s->inverse_mass[v] = s->own_inverse[v] > 0 ? 1 / (1 / s->own_inverse[v] + s->carried[v]) : 0;
    }
}

static void alone_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    VertexResponse* s = ((const VertexPass*)context)->response;
    for (size_t v = begin; v < end; v++)
        if (s->pairs.node_place[v] != NO_PLACE && s->pairs.link_begin[v] == s->pairs.link_begin[v + 1])
            s->inverse[s->pairs.node_place[v]] = (float)s->inverse_mass[v];
}

void vertex_bound_steps(VertexResponse* s)
{
    Sph* sph = s->base.sph;
    FrictionTable table = friction_table(sph);
    VertexPass pass = {.sph = sph, .response = s, .node = s->acceleration, .plain = true, .friction = &table};
    parallel_for(sph->pool, vertex_groups(&s->pairs), PLACES_GRAIN, reach_block, &pass);
    parallel_for(sph->pool, s->node_count, VERTEX_GRAIN, carry_block, &pass);
    if (!s->base.strong)
        return;
    parallel_for(sph->pool, s->node_count, VERTEX_GRAIN, alone_block, &pass);
    parallel_for(sph->pool, s->node_count, VERTEX_GRAIN, vertex_node_block, &pass);
    parallel_for(sph->pool, s->pairs.wet, VERTEX_GRAIN, vertex_motion_block, &pass);
    parallel_for(sph->pool, s->pairs.wet_chunks, CHUNKS_GRAIN, bound_block, &pass);
}
