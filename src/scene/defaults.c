// SPDX-License-Identifier: MIT
#include "scene/defaults.h"

#include "base/vec.h"

#include <meniscus/defs.h>

void scene_defaults(void* object)
{
    *(mn_Scene*)object = (mn_Scene){
        .duration = 2,
        .frame_rate = 50,
        .world = mn_default_world_def(),
        .output = {.particles = MN_PARTICLES_VTP,
                   .solids = MN_SOLIDS_VTP,
                   .surface_spacing = 1,
                   .surface_smoothing = 10,
                   .checkpoint_every = 50},
        .view = {.field_of_view = 40,
                 .width = 1280,
                 .height = 720,
                 .colour = MN_COLOUR_SPEED,
                 .colour_bar = true,
                 .time_stamp = true,
                 .background = {1, 1, 1},
                 .environment = {.zenith = {0.25, 0.45, 0.8}, .horizon = {0.9, 0.95, 1}, .below = {0.5, 0.5, 0.5}, .strength = 1},
                 .exposure = 0.8,
                 .has_ground = true,
                 .ground = {.colour = {-1, -1, -1}, .checker = {-1, -1, -1}}},
    };
}

void fluid_defaults(void* object)
{
    *(mn_FluidDef*)object = mn_default_fluid_def();
}

void block_defaults(void* object)
{
    *(mn_Block*)object = (mn_Block){0};
}

void ball_defaults(void* object)
{
    *(mn_Ball*)object = (mn_Ball){0};
}

void fill_defaults(void* object)
{
    *(mn_Fill*)object = (mn_Fill){.rotation = quat_identity(), .scale = {1, 1, 1}};
}

void emitter_defaults(void* object)
{
    *(mn_Emitter*)object = (mn_Emitter){
        .type = MN_EMITTER_BOX, .rotation = quat_identity(), .speed = 1, .start = 0, .end = (double)INFINITY, .limit = -1};
}

void solid_defaults(void* object)
{
    *(mn_SolidDef*)object = mn_default_solid_def();
}

void keyframe_defaults(void* object)
{
    *(mn_Keyframe*)object = (mn_Keyframe){.pose.rotation = quat_identity()};
}

void pin_defaults(void* object)
{
    *(mn_PinDef*)object = mn_default_pin_def();
}

void drain_defaults(void* object)
{
    *(mn_Drain*)object = (mn_Drain){.end = (double)INFINITY};
}

void joint_defaults(void* object)
{
    *(mn_JointDef*)object = mn_default_joint_def();
}

void drive_defaults(void* object)
{
    *(mn_DriveKey*)object = (mn_DriveKey){0};
}

void event_defaults(void* object)
{
    *(mn_EventDef*)object = (mn_EventDef){.velocity = {(double)NAN, (double)NAN, (double)NAN},
                                          .angular_velocity = {(double)NAN, (double)NAN, (double)NAN},
                                          .gravity = {(double)NAN, (double)NAN, (double)NAN}};
}

void ragdoll_defaults(void* object)
{
    mn_SolidDef solid = mn_default_solid_def();
    *(mn_RagdollDef*)object = (mn_RagdollDef){
        .pose.rotation = quat_identity(), .height = 0.5, .density = 950, .friction = solid.friction, .colour = {0.85, 0.55, 0.35}};
}

void chain_defaults(void* object)
{
    mn_SolidDef solid = mn_default_solid_def();
    *(mn_ChainDef*)object = (mn_ChainDef){.links = 8,
                                          .shape = solid.shape,
                                          .joint = MN_JOINT_BALL,
                                          .density = 1000,
                                          .friction = solid.friction,
                                          .colour = {0.6, 0.45, 0.3}};
}

void probe_defaults(void* object)
{
    *(mn_ProbeDef*)object = (mn_ProbeDef){.type = MN_PROBE_PRESSURE};
}

void caption_defaults(void* object)
{
    *(mn_CaptionDef*)object = (mn_CaptionDef){.position = {0.03, 0.95}, .size = 0.02};
}

void light_defaults(void* object)
{
    *(mn_LightDef*)object = (mn_LightDef){.colour = {1, 1, 1}, .strength = 1, .size = 5};
}

void solid_look_defaults(void* object)
{
    *(mn_SolidLook*)object = (mn_SolidLook){.colour = {-1, -1, -1}, .checker = {-1, -1, -1}, .roughness = 0.2, .ior = 1.5};
}

void fluid_look_defaults(void* object)
{
    *(mn_FluidLook*)object = (mn_FluidLook){.colour = {-1, -1, -1}, .absorption = {-1, -1, -1}, .ior = 1.333};
}
