// SPDX-License-Identifier: MIT
// Rebound: particles push as soon as they are full, also those that see a body from the edge of their support, where it must move
// far to make room. A heavy body lets the fluid do that; a light one flies off, much faster than the fluid that pushed it (1.5 m/s
// and more from water at 0.5 m/s, the better solved the faster). In a plastic impact both have one speed afterwards. Of a push J
// the share
//   lambda = (J . (v_B, w_B) - sum_i J_i . v_i) / (J . M_B^-1 J + sum_i J_i^2 / m_i)
// is therefore taken back, from body and particles alike, so that momentum is kept.
#include "coupling/body_pairs.h"

// Sums per body of the fluid's side of a push: power P U . v after it, and how far the push moves the fluid itself.
static void power_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const BodyPass* pass = context;
    const Fluid* fluid = &pass->sph->fluid;
    const PairBlock* block = &pass->response->block[number];
    for (size_t k = 0; k < block->count; k++) {
        const BodyPair* t = &block->pair[k];
        double* sum = block->sum[t->place].sum;
        for (size_t lane = 0; lane < LANES; lane++) {
            if (!(t->lanes >> lane & 1))
                continue;
            size_t i = (size_t)LANES * t->chunk + lane;
            Vec4 v = fluid->velocity[i], a = fluid->acceleration[i];
            double p = (double)fluid->position[i].w, dt = (double)pass->dt;
            double x = (double)t->u[0][lane], y = (double)t->u[1][lane], z = (double)t->u[2][lane];
            sum[0] += p * (x * ((double)v.x + dt * (double)a.x) + y * ((double)v.y + dt * (double)a.y) +
                           z * ((double)v.z + dt * (double)a.z));
            sum[1] += p * p * (x * x + y * y + z * z) / (double)pass->sph->material[(int)v.w].density;
        }
    }
}

// a += P U / rho0 times the share of the body's push that is taken back, in motion[m][0]
static void take_back_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const BodyPass* pass = context;
    const BodyResponse* r = pass->response;
    Fluid* fluid = &pass->sph->fluid;
    const PairBlock* block = &r->block[number];
    for (size_t k = 0; k < block->count; k++) {
        const BodyPair* t = &block->pair[k];
        for (size_t lane = 0; lane < LANES; lane++) {
            if (!(t->lanes >> lane & 1))
                continue;
            size_t i = (size_t)LANES * t->chunk + lane;
            Vec4* a = &fluid->acceleration[i];
            float rho0 = pass->sph->material[(int)fluid->velocity[i].w].density;
            float f = (float)r->motion[t->body][0] * fluid->position[i].w / rho0;
            a->x += f * t->u[0][lane];
            a->y += f * t->u[1][lane];
            a->z += f * t->u[2][lane];
        }
    }
}

static double twist_dot(Twist a, Twist b)
{
    return vec3d_dot(a.linear, b.linear) + vec3d_dot(a.angular, b.angular);
}

// Share of the push to take back: what a plastic impact has too much, once the two separate faster than `slow`, and only as far as
// the body is the lighter side.
static double rebound_of(const Sph* sph, const ResponseBody* m, const double sum[], double dt, double slow)
{
    double volume = (double)sph->mass_volume, own = dt * twist_dot(m->force, m->acceleration), fluid = dt * volume * sum[1];
    if (!(own > fluid))
        return 0;
    Twist after = twist_mad(m->gain, dt, m->acceleration);
    double apart = twist_dot(m->force, m->velocity) + twist_dot(m->force, after) - volume * sum[0];
    apart -= slow * vec3d_length(m->force.linear);
    return apart > 0 ? fmin(1, apart / (own + fluid)) * (1 - fluid / own) : 0;
}

void rebound_soften(BodyResponse* r, float dt)
{
    const Sph* sph = r->base.sph;
    // as for contacts of bodies: what gravity gives within a particle is no rebound
    double slow = 0.3 * sqrt(vec3d_length(sph->gravity) * sph->radius);
    BodyPass pass = {.dt = dt};
    bool any = false;
    body_sums(r, power_block, 2, &pass);
    for (size_t m = 0; m < r->body_count; m++) {
        ResponseBody* body = &r->body[m];
        double share = rebound_of(sph, body, r->total[m], (double)dt, slow);
        r->motion[m][0] = share;
        any |= share > 0;
        body->force = twist_mad(body->force, -share, body->force);
        body->acceleration = twist_mad(body->acceleration, -share, body->acceleration);
    }
    if (any)
        body_pass(r, take_back_block, &pass);
}
