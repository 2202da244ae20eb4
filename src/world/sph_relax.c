// SPDX-License-Identifier: MIT
// Where fluid starts beside solids that hold it farther away than half a spacing, where lattices begin. Left there it would be
// thrown: gauss gives a layer that starts a radius from walls up to half the energy of a fall through the scene. So it is moved to
// where it is not pushed, and what that compresses is spread until densities fit. That is a solve for positions alone: with
//   P_i = SHARE rho0_i max(0, s_i - 1) / d_i
// the pressure operator gives displacements that take a share of each compression away (d_i: the diagonal), and who came too
// near a solid goes back to its distance. Nothing acts in between, and the time does not go on. What is left in a box that is full
// is a matter of packing.h.
#include "world/sph_parts.h"

#include "fluid/operators.h"

enum { ROUNDS = 200 };
static const float SHARE = 0.4f;
static const float LONGEST = 0.1f; // [radii] that a particle goes in a round
static const double ENOUGH = 0.03; // [1] compression that may stay

static void pressure_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Sph* sph = context;
    Fluid* fluid = &sph->fluid;
    for (size_t i = begin; i < end; i++) {
        float excess = fmaxf(fluid->density[i] - 1, 0), density = sph->material[(int)fluid->velocity[i].w].density;
        fluid->position[i].w = fluid->diagonal[i] > 0 ? SHARE * density * excess / fluid->diagonal[i] : 0;
    }
}

static void shift_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Sph* sph = context;
    Fluid* fluid = &sph->fluid;
    float most = LONGEST * (float)sph->radius;
    for (size_t i = begin; i < end; i++) {
        Vec4 a = fluid->acceleration[i], x = fluid->position[i];
        float length = sqrtf(a.x * a.x + a.y * a.y + a.z * a.z), share = length > most ? most / length : 1;
        fluid->position[i] = (Vec4){x.x + share * a.x, x.y + share * a.y, x.z + share * a.z, 0};
    }
}

bool sph_relax(mn_World* world)
{
    const CouplingMethod* method = world->coupling.method;
    Sph* sph = world_sph(world);
    if (!method || !method->distance || world->solids.count == 0)
        return true;
    double distance = method->distance(&world->def);
    guard_keep_off(&world->guard, distance);
    bool ok = sph_search(world);
    for (int round = 0; ok && round < ROUNDS && world->measured.density_error_max > ENOUGH; round++) {
        parallel_for(world->pool, sph->fluid.set.count, PARTICLE_GRAIN, pressure_block, sph);
        pressure_acceleration(sph);
        parallel_for(world->pool, sph->fluid.set.count, PARTICLE_GRAIN, shift_block, sph);
        guard_keep_off(&world->guard, distance);
        ok = sph_search(world);
    }
    return ok;
}
