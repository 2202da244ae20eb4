// SPDX-License-Identifier: MIT
// Periodic axes as the world sees them: fluid starts within the domain, and solids that move stay within it, since only fluid acts
// across its borders.
#include "world/world_parts.h"

#include "base/error.h"
#include <string.h>

static Vec3d point_of(Vec4 x)
{
    return vec3d((double)x.x, (double)x.y, (double)x.z);
}

bool world_carve_domain(mn_World* world, size_t* out_removed)
{
    const Period* period = &world->scale.period;
    size_t count = moving_count(&world->particles);
    *out_removed = 0;
    if (!period->any || count == 0)
        return true;
    uint8_t* removed = memory_take(NULL, count);
    if (!removed)
        return false;
    for (size_t i = 0; i < count; i++)
        removed[i] = !period_holds_point(period, point_of((*world->particles.position)[i]));
    *out_removed = particle_set_remove(world->particles.set, removed);
    memory_give(NULL, removed);
    return true;
}

// Whether a boundary particle is so near to a border that fluid should feel it from the other side.
static bool is_at_border(const Period* period, double reach, Vec4 x)
{
    const float at[3] = {x.x, x.y, x.z};
    for (int k = 0; k < 3; k++) {
        double behind = (double)at[k] - period->min[k];
        if (period->axis[k] && (behind < reach || period->length[k] - behind < reach))
            return true;
    }
    return false;
}

int world_at_border(const mn_World* world)
{
    const Boundary* b = &world->boundary;
    for (size_t i = b->resting; world->scale.period.any && i < b->count; i++)
        if (is_at_border(&world->scale.period, world->scale.support, b->position[i]))
            return (int)b->solid[i];
    return -1;
}

mn_Result world_check_borders(const mn_World* world, mn_Error* error)
{
    int solid = world_at_border(world);
    if (solid < 0)
        return MN_OK;
    error_set(
        error, MN_BAD_INPUT,
        "solid '%.64s' can move and starts nearer than a support radius (%g m) to a periodic border; expected a static one, or a "
        "place within the domain",
        world->solids.solid[solid].name, world->scale.support);
    error_key(error, "solids.%d.position", solid);
    return MN_BAD_INPUT;
}

// A lattice that does not close at the border leaves a gap or is compressed there.
void world_warn_of_period(const mn_World* world)
{
    double spacing = 2 * world->def.particle_radius;
    for (int k = 0; k < 3; k++) {
        double spacings = world->scale.period.length[k] / spacing;
        if (world->scale.period.axis[k] && fabs(spacings - round(spacings)) > 1e-3)
            world_log(
                world, MN_LOG_WARNING,
                "domain: its length along %c, %g m, is not a whole number of particle spacings (%g m): a lattice does not close "
                "at the border",
                "xyz"[k], world -> scale.period.length[k], spacing);
    }
}
