// SPDX-License-Identifier: MIT
// Particles of one's own: a ring of water that is placed and set in motion particle by particle, and a solid from arrays.
#include <math.h>
#include <meniscus/meniscus.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const mn_Error* error)
{
    return fprintf(stderr, "%s\n", error->message), 1;
}

int main(void)
{
    mn_Error error;
    mn_WorldDef def = mn_default_world_def();
    def.particle_radius = 0.01;
    mn_World* world = mn_world_create(&def, NULL, &error);
    mn_FluidDef water = mn_default_fluid_def();
    water.name = "water";
    if (!world || !mn_world_add_fluid(world, &water, &error))
        return fail(&error);

    // a wedge to fall on, from vertices and triangles
    const mn_Vec3 vertex[6] = {{-0.3, 0, -0.3}, {0.3, 0, -0.3}, {0.3, 0, 0.3}, {-0.3, 0, 0.3}, {0, 0.1, -0.3}, {0, 0.1, 0.3}};
    const uint32_t triangle[8][3] = {{0, 1, 2}, {0, 2, 3}, {0, 4, 1}, {3, 2, 5}, {0, 3, 5}, {0, 5, 4}, {1, 4, 5}, {1, 5, 2}};
    char* text = mn_mesh_text(vertex, 6, triangle, 8);
    mn_SolidDef wedge = mn_default_solid_def();
    wedge.name = "wedge", wedge.shape.type = MN_SHAPE_MESH, wedge.shape.file = text;
    mn_SolidId id = text ? mn_world_add_solid(world, &wedge, &error) : 0;
    free(text);
    if (!id)
        return fail(&error);

    // a ring that turns about its axis
    enum { MOST = 20000 };
    mn_FluidParticle* ring = calloc(MOST, sizeof *ring);
    size_t count = 0;
    double d = 2 * def.particle_radius;
    for (double x = -0.25; x <= 0.25 && ring; x += d)
        for (double y = 0.2; y <= 0.26; y += d)
            for (double z = -0.25; z <= 0.25; z += d) {
                double r = sqrt(x * x + z * z);
                if (r > 0.15 && r < 0.25 && count < MOST)
                    ring[count++] = (mn_FluidParticle){{x, y, z}, {-4 * z, 0, 4 * x}};
            }
    mn_Result result = ring ? mn_world_pour_particles(world, 1, count, ring, &error) : MN_OUT_OF_MEMORY;
    free(ring);
    if (result != MN_OK || mn_world_advance(world, 0.15, NULL, NULL, &error) != MN_OK)
        return fail(&error);

    // what became of it: the library's own arrays
    mn_ParticleView view = mn_world_particles(world);
    double lowest = INFINITY, spin = 0;
    for (size_t i = 0; i < view.count; i++) {
        const float *x = view.position + 4 * i, *v = view.velocity + 4 * i;
        lowest = fmin(lowest, x[1]);
        spin += x[0] * v[2] - x[2] * v[0];
    }
    printf("%zu particles, the lowest at %.3f m, mean angular momentum %.3f m2/s\n", view.count, lowest, spin / (double)view.count);
    mn_world_destroy(world);
}
