// SPDX-License-Identifier: MIT
// What is to be seen of an SPH fluid.
#include "world/sph_parts.h"

#include "fluid/virial.h"

void sph_show(mn_World* world)
{
    Fluid* fluid = &world_sph(world)->fluid;
    float* pressure = fluid_show(fluid);
    if (pressure)
        virial_pressure(world_sph(world), pressure);
    // a narrow copy of what records hold
    for (size_t i = 0; i < fluid->set.count; i++)
        fluid->kind[i] = (uint8_t)fluid->velocity[i].w;
}

void sph_hide(mn_World* world)
{
    fluid_hide(&world_sph(world)->fluid);
}

mn_ParticleView sph_view(const mn_World* world)
{
    const Fluid* fluid = &world_sph(world)->fluid;
    return (mn_ParticleView){.count = fluid->set.count,
                             .position = (const float*)fluid->position,
                             .velocity = (const float*)fluid->velocity,
                             .density = fluid->density,
                             .pressure = fluid->shown_pressure,
                             .id = fluid->id,
                             .fluid = fluid->kind};
}

// Kernel-weighted mean over the particles around a point (Shepard).
FluidSample sph_sample(const mn_World* world, Vec3d p)
{
    const Sph* sph = world_sph(world);
    const Fluid* fluid = &sph->fluid;
    const Kernel* kernel = &sph->kernel;
    const float* pressure = fluid->shown_pressure;
    FluidSample t = {0};
    if (!pressure)
        return t;
    for (size_t i = 0; i < fluid->set.count; i++) {
        Vec4 x = fluid->position[i], v = fluid->velocity[i];
        double r = vec3d_length(period_between(&sph->grid.period, vec3d((double)x.x, (double)x.y, (double)x.z), p));
        if (r >= (double)kernel->h)
            continue;
        double w = kernel_w(kernel, r) * (double)sph->volume;
        t.weight += w;
        t.pressure += w * (double)pressure[i];
        t.velocity = vec3d_mad(t.velocity, w, vec3d((double)v.x, (double)v.y, (double)v.z));
    }
    return t;
}
