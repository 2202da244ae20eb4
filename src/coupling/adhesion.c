// SPDX-License-Identifier: MIT
#include "coupling/adhesion.h"

#include "fluid/tension/adhesion.h"

// --- bodies

static void adhere(ResponseBody* body, const Wrench* w, double dt)
{
    Twist impulse = {vec3d_scale(w->force, dt), vec3d_scale(w->torque, dt)}, gain = body_mobility(body, impulse);
    body->impulse.linear = vec3d_add(body->impulse.linear, impulse.linear);
    body->impulse.angular = vec3d_add(body->impulse.angular, impulse.angular);
    body->gain.linear = vec3d_add(body->gain.linear, gain.linear);
    body->gain.angular = vec3d_add(body->gain.angular, gain.angular);
}

bool adhesion_on_bodies(BodyResponse* r, double dt, const Vec3d* centre, const bool* is_body, size_t solid_count, Wrench* scratch)
{
    Sph* sph = r->base.sph;
    if (!sph->walls.wetting)
        return true;
    if (!wall_adhesion(sph, centre, solid_count, is_body, scratch))
        return false;
    for (size_t m = 0; m < r->body_count; m++)
        adhere(&r->body[m], &scratch[r->body[m].solid], dt);
    return true;
}

// --- vertices

// Adhesion on eight points by the particles of a slot.
static void add_adhesion(const Sph* sph, size_t g, const PairSlot* slot, F8 f[3])
{
    float a[LANES] = {0}, d[3][LANES] = {{0}};
    for (size_t lane = 0; lane < LANES; lane++) {
        if (!slot->c[lane])
            continue;
        size_t i = slot->twice[lane] / 2, b = sph->walls.points.part[1].base + LANES * g + lane;
        Vec4 x = sph->fluid.position[i], xb = sph->walls.points.position[b];
        int kind = (int)sph->fluid.velocity[i].w;
        a[lane] = sph->mass_volume * sph->material[kind].density * adhesion_pair(sph, x, kind, (uint32_t)b);
        d[0][lane] = x.x - xb.x, d[1][lane] = x.y - xb.y, d[2][lane] = x.z - xb.z;
    }
    for (int c = 0; c < 3; c++)
        f[c] = f8_mad(f8_load(a), f8_load(d[c]), f[c]);
}

static void adhesion_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const VertexPass* pass = context;
    VertexResponse* s = pass->response;
    for (size_t g = begin; g < end; g++) {
        if (s->pairs.group[g].slot == s->pairs.group[g + 1].slot)
            continue;
        F8 f[4];
        f8_load4(s->force + LANES * g, &f[0], &f[1], &f[2], &f[3]);
        for (const PairSlot *slot = s->pairs.slot + s->pairs.group[g].slot, *last = s->pairs.slot + s->pairs.group[g + 1].slot;
             slot < last; slot++)
            add_adhesion(pass->sph, g, slot, f);
        f8_store4(s->force + LANES * g, f[0], f[1], f[2], f[3]);
    }
}

void adhesion_on_vertices(VertexResponse* s)
{
    Sph* sph = s->base.sph;
    VertexPass pass = {.sph = sph, .response = s};
    if (sph->walls.wetting)
        parallel_for(sph->pool, vertex_groups(&s->pairs), PLACES_GRAIN, adhesion_block, &pass);
}
