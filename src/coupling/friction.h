// SPDX-License-Identifier: MIT
// Friction between fluid and solids. Pairs act along the line between them (fluid/viscosity/viscosity.h).
//
// Bodies: implicit in their velocities. For particle i and body B all pairs come down to a symmetric matrix,
//   F_i = -m_i S_i (v_i - v_B(x_i)),    v_B(x) = v_B + w_B x (x - c_B),    S_i = sum_b k_ib x_ib x_ib^T
// The viscosity pass gives the fluid what velocities at the beginning of the step make of it. A body that is light, or small in
// a thick fluid, would be thrown back and forth by minus that. With the velocity that it has at the end of the step,
//   (M + dt D) dV = J + dt F,    D = sum_i m_i G_i^T S_i G_i,    G_i (v, w) = v + w x (x_i - c_B)
// where J is everything else that it gets in the step, pressure included: a body that falls at its final speed does so with steps
// of any length. Pressure solves see the mobility (M + dt D)^-1. In the end the fluid gets dt S_i G_i dV more.
//
// Vertices: explicit, with coefficients that are small enough for that (vertex_solids.c).
#ifndef COUPLING_FRICTION_H
#define COUPLING_FRICTION_H

#include "coupling/response_body.h"
#include "coupling/response_vertex.h"

// Friction of this step: forces, drag and mobility of the bodies. Velocities must be those that viscosity_acceleration() used.
void friction_on_bodies(BodyResponse* response, double dt);

// After the pressures were found: bodies get their friction, fluid.acceleration what it still lacks.
void friction_on_fluid(BodyResponse* response, double dt);

// Impulses by friction, with the fluid's velocities of now, by the forces there are already (adhesion.h), and by what else moves
// the nodes, for `dt`.
void friction_on_vertices(VertexResponse* response, double dt);

// What friction between eight points of a skin and a particle beside each depends on.
typedef struct DragPair {
    F8 dx, dy, dz, r2, c;
    F8 per;           // [1/m2] 1 / (r^2 + 0.01 h^2)
    F8 v[3];          // [m/s] if wanted
    F8 approach, all; // [m2/s] of the fluid
    F8 density;       // [kg/m3] likewise
} DragPair;

static inline __attribute__((always_inline)) DragPair drag_pair(const Sph* sph, const FrictionTable* table, const F8 x[4],
                                                                const PairSlot* slot, bool velocities)
{
    const bool several = sph->material_count > 1;
    F8 xi, yi, zi, unused, kind;
    f8_gather4_twice(sph->fluid.position, slot->twice, &xi, &yi, &zi, &unused);
    DragPair p = {.dx = f8_sub(xi, x[0]), .dy = f8_sub(yi, x[1]), .dz = f8_sub(zi, x[2]), .c = f8_load_half(slot->c)};
    if (velocities || several)
        f8_gather4_twice(sph->fluid.velocity, slot->twice, &p.v[0], &p.v[1], &p.v[2], &kind);
    p.approach = several ? sph_lookup(table->approach, kind) : f8_set(table->approach[0]);
    p.all = several ? sph_lookup(table->all, kind) : f8_set(table->all[0]);
    p.density = several ? sph_lookup(table->density, kind) : f8_set(table->density[0]);
    p.r2 = f8_mad(p.dz, p.dz, f8_mad(p.dy, p.dy, f8_mul(p.dx, p.dx)));
    p.per = f8_div(f8_set(1), f8_add(p.r2, f8_set(0.01f * sph->kernel.h * sph->kernel.h)));
    return p;
}

// Eight points of a skin, and the pairs that they are in.
typedef struct FrictionGroup {
    F8 x[4]; // [m], V_b [m3]
    F8 u[4]; // [m/s], [1] friction of approach
    F8 wall; // [1] friction in all directions
    const PairSlot *slot, *last;
} FrictionGroup;

// Number g of them; false: nothing is near.
static inline __attribute__((always_inline)) bool friction_group(const Sph* sph, const VertexResponse* s, size_t g,
                                                                 FrictionGroup* at)
{
    const size_t first = sph->walls.points.part[1].base + LANES * g;
    at->slot = s->pairs.slot + s->pairs.group[g].slot;
    at->last = s->pairs.slot + s->pairs.group[g + 1].slot;
    if (at->slot == at->last)
        return false;
    f8_load4(sph->walls.points.position + first, &at->x[0], &at->x[1], &at->x[2], &at->x[3]);
    f8_load4(sph->walls.points.velocity + first, &at->u[0], &at->u[1], &at->u[2], &at->u[3]);
    at->wall = f8_load(sph->walls.viscosity + first);
    return true;
}

#endif
