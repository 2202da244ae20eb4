// SPDX-License-Identifier: MIT
#include "rigid/rigid_solid.h"

#include <string.h>

static RigidSystem* system_of(const Solid* solid)
{
    return solid->system;
}

static int body_of(const Solid* solid)
{
    return (int)solid->index;
}

// --- one body

static SolidBody rigid_solid_body(const Solid* solid)
{
    const Rigid* rigid = system_of(solid)->rigid;
    int k = body_of(solid);
    BodyState state = rigid_state(rigid, k);
    SolidBody body = {.centre = state.position,
                      .velocity = state.velocity,
                      .angular_velocity = state.angular_velocity,
                      .bound = rigid_is_bound(rigid, k)};
    if (rigid_is_free(rigid, k)) {
        body.inverse_mass = 1 / rigid_mass(rigid, k).mass;
        rigid_inverse_inertia(rigid, k, body.inverse_inertia);
    }
    return body;
}

static Vec3d rigid_solid_velocity_at(const Solid* solid, const SurfacePlace* place)
{
    BodyState s = rigid_state(system_of(solid)->rigid, body_of(solid));
    Vec3d arm = vec3d_sub(place->point, s.position);
    return vec3d_add(vec3d_add(s.velocity, vec3d_cross(s.angular_velocity, arm)), solid->surface_velocity);
}

static double rigid_solid_mobility_at(const Solid* solid, const SurfacePlace* place, Vec3d direction)
{
    SolidBody body = rigid_solid_body(solid);
    if (!(body.inverse_mass > 0))
        return 0;
    Vec3d arm = vec3d_sub(place->point, body.centre);
    Vec3d turn = mat3d_times(body.inverse_inertia, vec3d_cross(arm, direction));
    return body.inverse_mass + vec3d_dot(direction, vec3d_cross(turn, arm));
}

static void rigid_solid_take_impulse(Solid* solid, const SurfacePlace* place, Vec3d impulse)
{
    Rigid* rigid = system_of(solid)->rigid;
    SolidBody body = rigid_solid_body(solid);
    if (!(body.inverse_mass > 0))
        return;
    BodyState state = rigid_state(rigid, body_of(solid));
    Vec3d moment = vec3d_cross(vec3d_sub(place->point, body.centre), impulse);
    state.velocity = vec3d_mad(state.velocity, body.inverse_mass, impulse);
    state.angular_velocity = vec3d_add(state.angular_velocity, mat3d_times(body.inverse_inertia, moment));
    rigid_set_state(rigid, body_of(solid), &state);
}

static mn_Pose rigid_solid_pose_after(const Solid* solid, double time)
{
    const Rigid* rigid = system_of(solid)->rigid;
    BodyState state = rigid_state(rigid, body_of(solid));
    Vec3d arm = quat_rotate(state.rotation, rigid_mass(rigid, body_of(solid)).centre);
    return (mn_Pose){vec3d_sub(state.position, arm), state.rotation};
}

static void rigid_solid_other_acceleration(const Solid* solid, Vec3d* linear, Vec3d* angular)
{
    *linear = system_of(solid)->linear[solid->index];
    *angular = system_of(solid)->angular[solid->index];
}

static void rigid_solid_set_load(Solid* solid, Vec3d force, Vec3d torque)
{
    rigid_set_force(system_of(solid)->rigid, body_of(solid), force, torque);
}

const SolidKind solid_rigid = {.name = "rigid",
                               .velocity_at = rigid_solid_velocity_at,
                               .mobility_at = rigid_solid_mobility_at,
                               .take_impulse = rigid_solid_take_impulse,
                               .pose_after = rigid_solid_pose_after,
                               .body = rigid_solid_body,
                               .other_acceleration = rigid_solid_other_acceleration,
                               .set_load = rigid_solid_set_load};

// --- all of them

RigidSystem* rigid_system_create(Memory* memory, Rigid* rigid, Solid* solid, size_t solid_count)
{
    RigidSystem* s = memory_take(memory, sizeof *s);
    if (!s)
        return NULL;
    size_t bytes = (solid_count + 1) * sizeof(Vec3d);
    *s = (RigidSystem){.memory = memory, .rigid = rigid, .solid = solid, .solid_count = solid_count};
    s->linear = memory_take(memory, bytes);
    s->angular = memory_take(memory, bytes);
    if (!s->linear || !s->angular) {
        rigid_system.destroy(s);
        return NULL;
    }
    memset(s->linear, 0, bytes);
    memset(s->angular, 0, bytes);
    for (size_t k = 0; k < solid_count; k++)
        if (solid[k].type == MN_SOLID_RIGID) {
            solid[k].kind = &solid_rigid;
            solid[k].system = s;
            solid[k].index = k;
        }
    return s;
}

// ODE is told how driven solids move.
static void drive_bodies(RigidSystem* s)
{
    for (size_t k = 0; k < s->solid_count; k++) {
        const Solid* solid = &s->solid[k];
        if (solid->type == MN_SOLID_KINEMATIC)
            rigid_set_state(s->rigid, (int)k,
                            &(BodyState){solid->pose.position, solid->pose.rotation, solid->velocity, solid->angular_velocity});
    }
}

// Contacts are predicted under the fluid's force of the last step, taken about the centre of mass.
static void load_as_before(RigidSystem* s, size_t k)
{
    const Solid* solid = &s->solid[k];
    bool is_body = solid->kind == &solid_rigid;
    Vec3d centre = is_body ? rigid_state(s->rigid, (int)k).position : solid->pose.position;
    Vec3d arm = vec3d_sub(centre, solid->pose.position);
    rigid_set_force(s->rigid, (int)k, solid->force, vec3d_sub(solid->torque, vec3d_cross(arm, solid->force)));
}

static bool rigid_system_predict(void* system, double time, double dt)
{
    RigidSystem* s = system;
    rigid_set_time(s->rigid, time);
    drive_bodies(s);
    for (size_t k = 0; k < s->solid_count; k++)
        load_as_before(s, k);
    return rigid_predict(s->rigid, dt, s->linear, s->angular);
}

static bool rigid_system_step(void* system, double time, double dt)
{
    RigidSystem* s = system;
    drive_bodies(s);
    if (!rigid_step(s->rigid, dt))
        return false;
    for (size_t k = 0; k < s->solid_count; k++)
        rigid_feel(s->rigid, (int)k, s->solid[k].force, s->solid[k].torque);
    rigid_rest(s->rigid, dt);
    return true;
}

static void rigid_system_place(void* system)
{
    RigidSystem* s = system;
    for (size_t k = 0; k < s->solid_count; k++) {
        Solid* solid = &s->solid[k];
        if (solid->kind != &solid_rigid)
            continue;
        BodyState state = rigid_state(s->rigid, (int)k);
        Vec3d arm = quat_rotate(state.rotation, vec3d_scale(rigid_mass(s->rigid, (int)k).centre, -1));
        solid->pose = (mn_Pose){vec3d_add(state.position, arm), state.rotation};
        solid->velocity = vec3d_add(state.velocity, vec3d_cross(state.angular_velocity, arm));
        solid->angular_velocity = state.angular_velocity;
    }
}

static const char* rigid_system_message(const void* system)
{
    return rigid_message(((const RigidSystem*)system)->rigid);
}

static void rigid_system_set_gravity(void* system, Vec3d gravity)
{
    rigid_set_gravity(((RigidSystem*)system)->rigid, gravity);
}

static void rigid_system_destroy(void* system)
{
    RigidSystem* s = system;
    rigid_destroy(s->rigid);
    memory_give(s->memory, s->linear);
    memory_give(s->memory, s->angular);
    memory_give(s->memory, s);
}

const SolidSystem rigid_system = {.name = "rigid bodies",
                                  .predict = rigid_system_predict,
                                  .step = rigid_system_step,
                                  .place = rigid_system_place,
                                  .message = rigid_system_message,
                                  .set_gravity = rigid_system_set_gravity,
                                  .destroy = rigid_system_destroy};
