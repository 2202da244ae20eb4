// SPDX-License-Identifier: MIT
#include "foam/images.h"

bool foam_images_create(FoamImages* images, double h, int dimension, Memory* memory)
{
    particle_set_init(&images->set, memory);
    grid_init(&images->grid, memory, h, dimension);
    const ParticleArray arrays[] = {
        {"position", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &images->position, false, 0},
        {"velocity", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &images->velocity, false, 0},
        {"id", PARTICLE_STATE, STATE_UINT32, sizeof(uint32_t), &images->id, false, 0},
        {"is_image", PARTICLE_STATE, STATE_UINT8, sizeof(uint8_t), &images->is_image, false, 0},
    };
    bool ok = true;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        ok = particle_set_add(&images->set, &arrays[k]) && ok;
    return ok;
}

void foam_images_destroy(FoamImages* images)
{
    if (!images->set.array_count)
        return;
    grid_free(&images->grid);
    particle_set_free(&images->set);
    *images = (FoamImages){0};
}

static bool append(ParticleSet* set, Vec4* const* position, uint8_t* const* is_image, size_t of, int axis, double way)
{
    size_t at = particle_set_append_copy(set, of);
    if (at == SIZE_MAX)
        return false;
    float* x = axis == 0 ? &(*position)[at].x : axis == 1 ? &(*position)[at].y : &(*position)[at].z;
    *x = (float)((double)*x + way);
    (*is_image)[at] = 1;
    return true;
}

// Axis by axis, so that images at edges and corners come from those that are there already.
bool foam_images_append(ParticleSet* set, Vec4* const* position, uint8_t* const* is_image, const Period* period, double h)
{
    const double reach = 2 * h;
    for (int axis = 0; axis < 3; axis++) {
        size_t count = period->axis[axis] ? set->count : 0;
        double length = period->length[axis];
        for (size_t i = 0; i < count; i++) {
            Vec4 p = (*position)[i];
            double behind = (double)(axis == 0 ? p.x : axis == 1 ? p.y : p.z) - period->min[axis];
            if (behind < reach && !append(set, position, is_image, i, axis, length))
                return false;
            if (length - behind < reach && !append(set, position, is_image, i, axis, -length))
                return false;
        }
    }
    return true;
}

bool foam_images_of(FoamImages* images, Pool* pool, const Period* period, const FoamFluid* fluid, FoamFluid* out)
{
    ParticleSet* set = &images->set;
    if (!particle_set_reserve(set, fluid->count + 1))
        return false;
    set->count = fluid->count;
    for (size_t i = 0; i < fluid->count; i++) {
        images->position[i] = fluid->position[i];
        images->velocity[i] = fluid->velocity[i];
        images->id[i] = fluid->id[i];
        images->is_image[i] = 0;
    }
    if (!foam_images_append(set, &images->position, &images->is_image, period, images->grid.cell))
        return false;
    particle_set_clear_padding(set);
    Vec4* scratch = particle_set_borrow(set, "grid");
    bool ok = grid_build(&images->grid, pool, images->position, set->count, scratch);
    particle_set_return(set, scratch);
    if (!ok)
        return false;
    particle_set_permute(set, pool, images->grid.order);
    particle_set_clear_padding(set);
    *out = (FoamFluid){.count = set->count,
                       .position = images->position,
                       .velocity = images->velocity,
                       .id = images->id,
                       .is_image = images->is_image,
                       .grid = &images->grid};
    return true;
}
