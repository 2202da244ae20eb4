// SPDX-License-Identifier: MIT
// What the sections of a scene file hold before their keys are read.
#include "defs/defaults.h"

#include <math.h>

static const mn_Vec3 NOT_GIVEN = {(double)NAN, (double)NAN, (double)NAN};

void scene_defaults(void* object)
{
    *(mn_Scene*)object = mn_default_scene();
}

void fluid_defaults(void* object)
{
    *(mn_FluidDef*)object = mn_default_fluid_def();
}

void block_defaults(void* object)
{
    *(mn_Block*)object = mn_default_block();
}

void ball_defaults(void* object)
{
    *(mn_Ball*)object = mn_default_ball();
}

void fill_defaults(void* object)
{
    *(mn_Fill*)object = mn_default_fill();
}

void emitter_defaults(void* object)
{
    *(mn_Emitter*)object = mn_default_emitter();
}

void solid_defaults(void* object)
{
    *(mn_SolidDef*)object = mn_default_solid_def();
}

void keyframe_defaults(void* object)
{
    *(mn_Keyframe*)object = mn_default_keyframe();
}

void pin_defaults(void* object)
{
    *(mn_PinDef*)object = mn_default_pin_def();
}

void fluid_shape_defaults(void* object)
{
    *(mn_FluidShape*)object = mn_default_fluid_shape();
}

void speed_key_defaults(void* object)
{
    *(mn_SpeedKey*)object = (mn_SpeedKey){0, 1};
}

void drain_defaults(void* object)
{
    *(mn_Drain*)object = mn_default_drain();
}

void sponge_defaults(void* object)
{
    *(mn_Sponge*)object = mn_default_sponge();
}

void joint_defaults(void* object)
{
    *(mn_JointDef*)object = mn_default_joint_def();
}

void drive_defaults(void* object)
{
    *(mn_DriveKey*)object = mn_default_drive_key();
}

// The reader finds out by NaN which vectors were given.
void event_defaults(void* object)
{
    mn_EventDef def = mn_default_event_def();
    def.velocity = def.angular_velocity = def.gravity = NOT_GIVEN;
    *(mn_EventDef*)object = def;
}

void push_defaults(void* object)
{
    *(mn_PushDef*)object = mn_default_push_def();
}

void force_defaults(void* object)
{
    *(mn_ForceDef*)object = mn_default_force_def();
}

void move_defaults(void* object)
{
    *(mn_MoveDef*)object = mn_default_move_def();
}

void fluid_particle_defaults(void* object)
{
    *(mn_FluidParticle*)object = mn_default_fluid_particle();
}

void pour_defaults(void* object)
{
    *(mn_PourDef*)object = mn_default_pour_def();
}

void scoop_defaults(void* object)
{
    *(mn_ScoopDef*)object = mn_default_scoop_def();
}

void nozzle_defaults(void* object)
{
    *(mn_NozzleDef*)object = mn_default_nozzle_def();
}

// A scene owns the name that it reads.
void pull_defaults(void* object)
{
    *(mn_PullDef*)object = mn_default_pull_def();
    ((mn_PullDef*)object)->name = NULL;
}

void fluid_change_defaults(void* object)
{
    *(mn_FluidChange*)object = mn_default_fluid_change();
}

void solid_change_defaults(void* object)
{
    *(mn_SolidChange*)object = mn_default_solid_change();
}

void ragdoll_defaults(void* object)
{
    *(mn_RagdollDef*)object = mn_default_ragdoll_def();
}

void chain_defaults(void* object)
{
    *(mn_ChainDef*)object = mn_default_chain_def();
}

void probe_defaults(void* object)
{
    *(mn_ProbeDef*)object = mn_default_probe_def();
}

void caption_defaults(void* object)
{
    *(mn_CaptionDef*)object = mn_default_caption_def();
}

void light_defaults(void* object)
{
    *(mn_LightDef*)object = mn_default_light_def();
}

void solid_look_defaults(void* object)
{
    *(mn_SolidLook*)object = mn_default_solid_look();
}

void fluid_look_defaults(void* object)
{
    *(mn_FluidLook*)object = mn_default_fluid_look();
}
