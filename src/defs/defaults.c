// SPDX-License-Identifier: MIT
// Default definitions: right for water in a tank of about a metre. The scene reader starts from the same structs, so
// these numbers are also the defaults that `help scene` lists. Each is valid as it is, but for names that it cannot know.
#include "defs/defaults.h"

#include "base/vec.h"

#include <math.h>
#include <meniscus/defs.h>

static const mn_Vec3 NO_PLACE = {(double)INFINITY, (double)INFINITY, (double)INFINITY};
static const mn_Vec3 AUTO_VECTOR = {MN_AUTO, MN_AUTO, MN_AUTO};

// --- geometry

mn_Shape mn_default_shape(void)
{
    return (mn_Shape){.type = MN_SHAPE_BOX, .size = {1, 1, 1}, .cells = {1, 1}};
}

mn_Pose mn_default_pose(void)
{
    return (mn_Pose){.rotation = quat_identity()};
}

mn_Keyframe mn_default_keyframe(void)
{
    return (mn_Keyframe){.pose = mn_default_pose()};
}

// --- fluids

mn_Block mn_default_block(void)
{
    return (mn_Block){.max = {1, 1, 1}};
}

mn_Ball mn_default_ball(void)
{
    return (mn_Ball){.radius = 0.5};
}

mn_Fill mn_default_fill(void)
{
    return (mn_Fill){.rotation = quat_identity(), .scale = {1, 1, 1}};
}

mn_FluidShape mn_default_fluid_shape(void)
{
    return (mn_FluidShape){.shape = mn_default_shape(), .rotation = quat_identity(), .scale = {1, 1, 1}};
}

mn_Emitter mn_default_emitter(void)
{
    return (mn_Emitter){.type = MN_EMITTER_BOX,
                        .rotation = quat_identity(),
                        .size = {0.1, 0.1},
                        .speed = 1,
                        .end = (double)INFINITY,
                        .limit = MN_AUTO,
                        .shape = {.type = MN_SHAPE_SPHERE, .size = {0.05, 0, 0}},
                        .scale = {1, 1, 1}};
}

mn_TensionDef mn_default_tension_def(void)
{
    return (mn_TensionDef){.method = MN_TENSION_AKINCI, .gamma = MN_AUTO, .sigma = MN_AUTO};
}

mn_FluidDef mn_default_fluid_def(void)
{
    return (mn_FluidDef){
        .density = 1000,
        .viscosity_method = MN_VISCOSITY_ARTIFICIAL,
        .viscosity = 0.01,
        .tension = mn_default_tension_def(),
        .adhesion = 1,
        .fill = {.level = 1},
    };
}

mn_Drain mn_default_drain(void)
{
    return (mn_Drain){.max = {1, 1, 1}, .end = (double)INFINITY, .rotation = quat_identity(), .radius = 0.1, .depth = MN_AUTO};
}

mn_Sponge mn_default_sponge(void)
{
    return (mn_Sponge){.max = {1, 1, 1}, .rate = 5};
}

// --- solids

mn_PinDef mn_default_pin_def(void)
{
    return (mn_PinDef){.select = MN_PIN_REGION, .max = {1, 1, 1}};
}

mn_SolidDef mn_default_solid_def(void)
{
    return (mn_SolidDef){
        .type = MN_SOLID_STATIC,
        .shape = mn_default_shape(),
        .pose = mn_default_pose(),
        .scale = {1, 1, 1},
        .friction = 0.002,
        .slip = 1,
        .wall_viscosity = 1,
        .adhesion = MN_AUTO,
        .contact_angle = MN_AUTO,
        .visible = true,
        .colour = AUTO_VECTOR,
        .inner_colour = AUTO_VECTOR,
        .density = 500,
        .mass = MN_AUTO,
        .inertia = AUTO_VECTOR,
        .centre_of_mass = {INFINITY, INFINITY, INFINITY},
        .thickness = MN_AUTO,
        .contact_friction = 0.5,
        .restitution = 0.1,
        .resolution = MN_AUTO,
        .young = 1e5,
        .poisson = 0.3,
        .substeps = MN_AUTO,
        .yield = (double)INFINITY,
        .creep = (double)INFINITY,
        .max_plastic_strain = 1,
        .strength = (double)INFINITY,
        .tear_strain = (double)INFINITY,
        .handles = 60,
        .projections = 1000,
        .iterations = 10,
        .self_contact = true,
    };
}

// --- joints and events

mn_DriveKey mn_default_drive_key(void)
{
    return (mn_DriveKey){.time = 0, .position = 0};
}

mn_JointDef mn_default_joint_def(void)
{
    return (mn_JointDef){
        .type = MN_JOINT_BALL, .axis = {0, 1, 0}, .limits = {-(double)INFINITY, (double)INFINITY}, .break_force = (double)INFINITY};
}

static const mn_Vec3 NOWHERE = {(double)NAN, (double)NAN, (double)NAN};

mn_PushDef mn_default_push_def(void)
{
    return (mn_PushDef){.point = NOWHERE};
}

mn_ForceDef mn_default_force_def(void)
{
    return (mn_ForceDef){0};
}

mn_MoveDef mn_default_move_def(void)
{
    return (mn_MoveDef){.position = NOWHERE, .rotation = {1, 0, 0, 0}};
}

mn_FluidParticle mn_default_fluid_particle(void)
{
    return (mn_FluidParticle){0};
}

mn_PourDef mn_default_pour_def(void)
{
    return (mn_PourDef){0};
}

mn_ScoopDef mn_default_scoop_def(void)
{
    return (mn_ScoopDef){.max = {1, 1, 1}, .radius = MN_AUTO};
}

mn_NozzleDef mn_default_nozzle_def(void)
{
    return (mn_NozzleDef){.on = true, .speed = MN_AUTO};
}

mn_PullDef mn_default_pull_def(void)
{
    return (mn_PullDef){.name = "pull", .radius = MN_AUTO, .frequency = 5, .max_force = MN_AUTO};
}

mn_FluidChange mn_default_fluid_change(void)
{
    return (mn_FluidChange){.viscosity = MN_AUTO, .surface_tension = MN_AUTO, .density = MN_AUTO};
}

mn_SolidChange mn_default_solid_change(void)
{
    return (mn_SolidChange){.friction = MN_AUTO,
                            .wall_viscosity = MN_AUTO,
                            .contact_friction = MN_AUTO,
                            .restitution = MN_AUTO,
                            .density = MN_AUTO,
                            .young = MN_AUTO,
                            .poisson = MN_AUTO};
}

mn_EventDef mn_default_event_def(void)
{
    return (mn_EventDef){.cuts_step = true, .density = MN_AUTO, .normal = {1, 0, 0}};
}

// --- templates

mn_RagdollDef mn_default_ragdoll_def(void)
{
    return (mn_RagdollDef){.pose = mn_default_pose(),
                           .height = 0.5,
                           .density = 950,
                           .friction = mn_default_solid_def().friction,
                           .colour = {0.85, 0.55, 0.35}};
}

mn_ChainDef mn_default_chain_def(void)
{
    return (mn_ChainDef){.to = {1, 0, 0},
                         .links = 8,
                         .shape = mn_default_shape(),
                         .joint = MN_JOINT_BALL,
                         .density = 1000,
                         .friction = mn_default_solid_def().friction,
                         .break_force = (double)INFINITY,
                         .colour = {0.6, 0.45, 0.3}};
}

mn_ProbeDef mn_default_probe_def(void)
{
    return (mn_ProbeDef){.type = MN_PROBE_PRESSURE,
                         .min = NO_PLACE,
                         .max = NO_PLACE,
                         .to = NO_PLACE,
                         .across = NO_PLACE,
                         .every = MN_AUTO,
                         .count = 1,
                         .rows = 1};
}

// --- solver and world

mn_SolverDef mn_default_solver_def(void)
{
    return (mn_SolverDef){
        .method = MN_PRESSURE_DFSPH,
        .max_density_error = 0.001,
        .max_divergence_error = 0.0002,
        .max_pressure_error = 0.05,
        .min_iterations = 2,
        .max_iterations = 100,
        .gamma = 7,
        .speed_of_sound = MN_AUTO,
        .time_step = MN_AUTO,
        .cfl = 0.4,
        .min_time_step = MN_AUTO,
        .max_time_step = MN_AUTO,
        .warm_start = true,
        .cell_size = MN_AUTO,
        .pic = 0.03,
        .transfer = MN_TRANSFER_FLIP,
        .tolerance = 1e-3,
    };
}

mn_SolverDef mn_live_solver_def(void)
{
    mn_SolverDef def = mn_default_solver_def();
    def.accuracy = MN_ACCURACY_LIVE;
    solver_go_live(&def);
    return def;
}

// See docs/live.md for what these cost and bring.
void solver_go_live(void* object)
{
    mn_SolverDef* def = object;
    if (def->accuracy != MN_ACCURACY_LIVE)
        return;
    def->max_density_error = 0.01;
    def->max_divergence_error = 0.002;
    def->max_pressure_error = 0.3; // with 1 water at rest boils: 2.1 J of motion where 0.02 are left with this
    def->cfl = 1;
}

mn_CouplingDef mn_default_coupling_def(void)
{
    return (mn_CouplingDef){.method = MN_COUPLING_AKINCI,
                            .response = MN_RESPONSE_GLOBAL,
                            .strong = true,
                            .stiffness = MN_AUTO,
                            .rest_distance = MN_AUTO,
                            .boundary_viscosity = MN_AUTO,
                            .gauss_spacing = 0.3};
}

mn_FoamDef mn_default_foam_def(void)
{
    return (mn_FoamDef){
        .amount = 1,
        .spray = 1,
        .foam = 1,
        .bubbles = 1,
        .lifetime = MN_AUTO,
        .limit = 5000000,
        .radius = MN_AUTO,
        .trapped_air = {MN_AUTO, MN_AUTO},
        .wave_crest = {MN_AUTO, MN_AUTO},
        .kinetic_energy = {MN_AUTO, MN_AUTO},
        .trapped_air_rate = MN_AUTO,
        .wave_crest_rate = MN_AUTO,
        .buoyancy = 2,
        .drag = MN_AUTO,
        .air_drag = MN_AUTO,
        .spray_below = MN_AUTO,
        .bubbles_above = MN_AUTO,
    };
}

mn_WorldDef mn_default_world_def(void)
{
    return (mn_WorldDef){
        .dimension = 3,
        .gravity = {0, -9.81, 0},
        .particle_radius = 0.01,
        .support_radius = MN_AUTO,
        .kernel = MN_KERNEL_AUTO,
        .solver = mn_default_solver_def(),
        .coupling = mn_default_coupling_def(),
        .foam = mn_default_foam_def(),
        .threads = MN_AUTO,
    };
}

double def_support_radius(const mn_WorldDef* world)
{
    if (world->support_radius != MN_AUTO)
        return world->support_radius;
    return (world->solver.accuracy == MN_ACCURACY_ACCURATE ? 6.04 : 4) * world->particle_radius;
}

bool def_wants_wide_support(const mn_TensionDef* tension)
{
    return tension->method == MN_TENSION_CURVATURE && (tension->sigma > 0 || tension->gamma > 0);
}

mn_Kernel def_kernel(const mn_WorldDef* world)
{
    if (world->kernel != MN_KERNEL_AUTO)
        return world->kernel;
    return world->solver.accuracy == MN_ACCURACY_ACCURATE ? MN_KERNEL_WENDLAND : MN_KERNEL_CUBIC;
}

mn_OutputDef mn_default_output_def(void)
{
    return (mn_OutputDef){.particles = MN_PARTICLES_VTP,
                          .solids = MN_SOLIDS_VTP,
                          .surface_spacing = 1,
                          .surface_smoothing = 10,
                          .checkpoint_every = 50};
}

// --- pictures

mn_LightDef mn_default_light_def(void)
{
    return (mn_LightDef){.direction = {0, 1, 0}, .colour = {1, 1, 1}, .strength = 1, .size = 5};
}

mn_EnvironmentDef mn_default_environment_def(void)
{
    return (mn_EnvironmentDef){.zenith = {0.25, 0.45, 0.8}, .horizon = {0.9, 0.95, 1}, .below = {0.5, 0.5, 0.5}, .strength = 1};
}

mn_GroundDef mn_default_ground_def(void)
{
    return (mn_GroundDef){.colour = AUTO_VECTOR, .checker = AUTO_VECTOR, .checker_size = MN_AUTO};
}

mn_SolidLook mn_default_solid_look(void)
{
    return (mn_SolidLook){.colour = AUTO_VECTOR, .checker = AUTO_VECTOR, .roughness = 0.2, .ior = 1.5, .pattern = MN_AUTO};
}

mn_FluidLook mn_default_fluid_look(void)
{
    return (mn_FluidLook){.colour = AUTO_VECTOR, .depth = MN_AUTO, .absorption = AUTO_VECTOR, .ior = 1.333};
}

mn_CaptionDef mn_default_caption_def(void)
{
    return (mn_CaptionDef){.position = {0.03, 0.95}, .size = 0.02};
}

mn_FoamLook mn_default_foam_look(void)
{
    return (mn_FoamLook){.radius = 1,
                         .intensity_modulus = 3,
                         .intensity_exponent = 1.25,
                         .depth = MN_AUTO,
                         .depth_exponents = {1, 2},
                         .occlusion_start = 1,
                         .occlusion_step = 7,
                         .occlusion_passes = 3,
                         .occlusion_density = 0.5,
                         .occlusion_samples = {16, 512},
                         .occlusion_distance = MN_AUTO,
                         .liquid_opacity = 0.3,
                         .shadow_scale = 1,
                         .shadow_exponent = 1.5,
                         .shadow_offset = -0.05,
                         .shadow_colour = {0, 0, 0.2},
                         .brightness = 2,
                         .droplets = true};
}

mn_ViewDef mn_default_view_def(void)
{
    return (mn_ViewDef){.field_of_view = 40,
                        .focus = MN_AUTO,
                        .width = 1280,
                        .height = 720,
                        .colour = MN_COLOUR_SPEED,
                        .range = {MN_AUTO, MN_AUTO},
                        .colour_bar = true,
                        .time_stamp = true,
                        .background = {1, 1, 1},
                        .environment = mn_default_environment_def(),
                        .exposure = 0.8,
                        .has_ground = true,
                        .ground = mn_default_ground_def(),
                        .has_foam = true,
                        .foam = mn_default_foam_look()};
}

mn_Scene mn_default_scene(void)
{
    return (mn_Scene){.duration = 2,
                      .frame_rate = 50,
                      .world = mn_default_world_def(),
                      .output = mn_default_output_def(),
                      .view = mn_default_view_def()};
}
