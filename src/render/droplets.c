// SPDX-License-Identifier: MIT
#include "render/droplets.h"

#include "base/random.h"
#include "base/vec.h"
#include <stdlib.h>
#include <string.h>

enum { EACH = 24 };               // diffuse particles of a droplet
static const double ALONE = 0.6;  // [1] of the rest density: a particle alone has 0.32, one with five neighbours 0.7
static const double SPREAD = 1.2; // [particle radii] of the cloud

static bool is_alone(const Frame* fluid, const mn_Scene* scene, size_t i)
{
    uint8_t f = fluid->fluid[i];
    double rest = f < scene->fluid_count ? scene->fluids[f].density : 1000;
    return (double)fluid->density[i] < ALONE * rest;
}

static bool grow(Frame* foam, size_t count)
{
    float* position = realloc(foam->position, (3 * count + 1) * sizeof(float));
    foam->position = position ? position : foam->position;
    float* life = realloc(foam->pressure, (count + 1) * sizeof(float));
    foam->pressure = life ? life : foam->pressure;
    uint32_t* id = realloc(foam->id, (count + 1) * sizeof(uint32_t));
    foam->id = id ? id : foam->id;
    uint8_t* kind = realloc(foam->fluid, count + 1);
    foam->fluid = kind ? kind : foam->fluid;
    return position && life && id && kind;
}

static void add_cloud(Frame* foam, const float* at, uint32_t id, double radius)
{
    Random random = {random_mix(id)};
    for (int k = 0; k < EACH; k++) {
        double x[3], square;
        do {
            square = 0;
            for (int j = 0; j < 3; j++) {
                x[j] = random_range(&random, -1, 1);
                square += x[j] * x[j];
            }
        } while (square > 1);
        size_t i = foam->count++;
        for (int j = 0; j < 3; j++)
            foam->position[3 * i + (size_t)j] = at[j] + (float)(SPREAD * radius * x[j] * sqrt(square)); // denser in the middle
        foam->pressure[i] = 1;
        foam->id[i] = (uint32_t)random_next(&random);
        foam->fluid[i] = 0;
    }
}

static void copy(Frame* f, size_t to, size_t from)
{
    memmove(f->position + 3 * to, f->position + 3 * from, 3 * sizeof(float));
    memmove(f->velocity + 3 * to, f->velocity + 3 * from, 3 * sizeof(float));
    f->density[to] = f->density[from];
    f->pressure[to] = f->pressure[from];
    f->id[to] = f->id[from];
    f->fluid[to] = f->fluid[from];
}

bool droplets_to_spray(Frame* fluid, Frame* foam, const mn_Scene* scene, double radius)
{
    size_t alone = 0, kept = 0;
    for (size_t i = 0; i < fluid->count; i++)
        alone += is_alone(fluid, scene, i);
    if (!grow(foam, foam->count + EACH * alone))
        return false;
    for (size_t i = 0; i < fluid->count; i++) {
        if (is_alone(fluid, scene, i))
            add_cloud(foam, fluid->position + 3 * i, fluid->id[i], radius);
        else
            copy(fluid, kept++, i);
    }
    fluid->count = kept;
    return true;
}
