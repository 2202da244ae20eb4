// SPDX-License-Identifier: MIT
// No coupling by boundary particles: stages of the grid fluid exchange momentum with solids, which it carries along or meets as
// walls (flip/inside.h, flip/bodies.h).
#include "coupling/coupling.h"

static void nothing(void* data)
{
}

static void nothing_in_a_step(void* data, double dt)
{
}

static bool no_forces(void* data, double dt)
{
    return true;
}

static double no_speed(const void* data, double path)
{
    return 0;
}

static double no_speed_after(const void* data, double path, double dt)
{
    return 0;
}

static void nothing_after(void* data, double dt, double usual)
{
}

static bool no_state(void* data, Register* reg)
{
    return true;
}

const CouplingMethod coupling_immersed = {.name = "immersed",
                                          .type = MN_COUPLING_IMMERSED,
                                          .on_grid = true,
                                          .destroy = nothing,
                                          .place = nothing,
                                          .begin = nothing_in_a_step,
                                          .forces = no_forces,
                                          .settle = nothing_in_a_step,
                                          .speed = no_speed,
                                          .speed_after = no_speed_after,
                                          .finish = no_forces,
                                          .before_solids = nothing,
                                          .after_solids = nothing_after,
                                          .register_state = no_state};
