// SPDX-License-Identifier: MIT
// Default definitions: right for water in a tank of about a metre. The scene reader starts from the same structs, so
// these numbers are also the defaults that `help scene` lists.
#include <math.h>
#include <meniscus/defs.h>

static mn_SolverDef default_solver(void)
{
    return (mn_SolverDef){
        .method = MN_PRESSURE_DFSPH,
        .max_density_error = 0.001,
        .max_divergence_error = 0.0002,
        .max_pressure_error = 0.05,
        .min_iterations = 2,
        .max_iterations = 100,
        .gamma = 7,
        .speed_of_sound = 0,
        .time_step = 0,
        .cfl = 0.4,
        .min_time_step = 0,
        .max_time_step = 0,
        .warm_start = true,
    };
}

mn_WorldDef mn_default_world_def(void)
{
    return (mn_WorldDef){
        .dimension = 3,
        .gravity = {0, -9.81, 0},
        .particle_radius = 0.01,
        .support_radius = 0,
        .kernel = MN_KERNEL_CUBIC,
        .solver = default_solver(),
        .coupling = {.strong = true},
    };
}

mn_FluidDef mn_default_fluid_def(void)
{
    return (mn_FluidDef){
        .density = 1000,
        .viscosity_method = MN_VISCOSITY_ARTIFICIAL,
        .viscosity = 0.01,
        .adhesion = 1,
    };
}

mn_SolidDef mn_default_solid_def(void)
{
    return (mn_SolidDef){
        .type = MN_SOLID_STATIC,
        .shape = {.type = MN_SHAPE_BOX, .size = {1, 1, 1}, .cells = {1, 1}},
        .pose = {.rotation = {1, 0, 0, 0}},
        .scale = {1, 1, 1},
        .friction = 0.002,
        .wall_viscosity = 1,
        .adhesion = -1,
        .contact_angle = -1,
        .visible = true,
        .colour = {0.6, 0.62, 0.65},
        .density = 500,
        .contact_friction = 0.5,
        .restitution = 0.1,
        .young = 1e5,
        .poisson = 0.3,
        .substeps = -1,
        .self_contact = true,
    };
}

mn_PinDef mn_default_pin_def(void)
{
    return (mn_PinDef){.select = MN_PIN_REGION};
}

mn_JointDef mn_default_joint_def(void)
{
    return (mn_JointDef){.type = MN_JOINT_BALL, .axis = {0, 1, 0}};
}
