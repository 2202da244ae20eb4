// SPDX-License-Identifier: MIT
#include "rigid/rigid_system.h"

#include "base/error.h"
#include <string.h>

// --- from definitions to bodies

static void* rigid_system_create(const SolidSetting* setting)
{
    RigidSystem* s = memory_take(setting->memory, sizeof *s);
    if (s)
        *s = (RigidSystem){.setting = *setting};
    return s;
}

static double thickness_of(const RigidSystem* s, const mn_SolidDef* def)
{
    return def->thickness > 0 ? def->thickness : 2 * s->setting.radius;
}

// [m] of lines, across the plane: what is two-dimensional is one metre deep
static double depth_of(const RigidSystem* s, const mn_SolidDef* def)
{
    return s->setting.dimension == 2 ? 1 : thickness_of(s, def);
}

static mn_Result check_body(const RigidSystem* s, const Solid* solid, const mn_SolidDef* def, mn_Error* error)
{
    if (def->inside)
        return error_bad(error, "inside", "a rigid body cannot be a container; give it a wall thickness in its mesh instead");
    BodyMass mass;
    return body_mass(def, &solid->mesh, solid->closed, thickness_of(s, def), depth_of(s, def), &mass, error);
}

static mn_Result rigid_system_add(void* system, size_t number, Solid* solid, const mn_SolidDef* def, mn_Error* error)
{
    RigidSystem* s = system;
    solid->kind = &solid_rigid;
    solid->system = s;
    solid->index = number;
    solid->releasable = def->held;
    return check_body(s, solid, def, error);
}

static BodyDef body_def(const RigidSystem* s, size_t k)
{
    const Solid* solid = &s->all.solid[k];
    const mn_SolidDef* def = &s->all.def[k];
    BodyDef body = {.kind = solid->type == MN_SOLID_RIGID       ? BODY_FREE
                            : solid->type == MN_SOLID_KINEMATIC ? BODY_DRIVEN
                                                                : BODY_FIXED,
                    .held = solid->type == MN_SOLID_RIGID && def->held,
                    .may_sleep = solid->type == MN_SOLID_RIGID && def->sleep,
                    .contact = solid->type == MN_SOLID_ELASTIC ? MN_CONTACT_NONE : def->contact,
                    .shape = &solid->shape,
                    .mesh = &solid->mesh,
                    .scale = def->scale,
                    .container = solid->inside,
                    .thickness = thickness_of(s, def),
                    .push = def->force,
                    .friction = def->contact_friction,
                    .restitution = def->restitution};
    body.state = (BodyState){.position = solid->pose.position, .rotation = solid->pose.rotation};
    if (body.kind == BODY_FREE) {
        body_mass(def, &solid->mesh, solid->closed, body.thickness, depth_of(s, def), &body.mass, NULL);
        body.state.position = solid_to_world(solid, body.mass.centre);
        if (!body.held) {
            body.state.velocity = def->velocity;
            body.state.angular_velocity = def->angular_velocity;
        }
    }
    return body;
}

// The solid that ODE cannot take, or NULL.
static const Solid* add_bodies(RigidSystem* s)
{
    for (size_t k = 0; k < s->all.count; k++) {
        BodyDef def = body_def(s, k);
        if (rigid_add_body(s->rigid, &def) < 0)
            return &s->all.solid[k];
    }
    return NULL;
}

static bool create_bodies(RigidSystem* s)
{
    const SolidSetting* setting = &s->setting;
    size_t bytes = (s->all.count + 1) * sizeof(Vec3d);
    s->linear = memory_take(setting->memory, bytes);
    s->angular = memory_take(setting->memory, bytes);
    if (!s->linear || !s->angular)
        return false;
    memset(s->linear, 0, bytes);
    memset(s->angular, 0, bytes);
    RigidDef def = {.dimension = setting->dimension, .gravity = setting->gravity, .length = setting->radius, .seed = setting->seed};
    for (size_t k = 0; k < s->all.count; k++) {
        BodyDef body = body_def(s, k);
        rigid_expect(&def, &body);
    }
    s->rigid = rigid_create(&def);
    return s->rigid;
}

static mn_Result rigid_system_prepare(void* system, const SolidList* all, mn_Error* error)
{
    RigidSystem* s = system;
    s->all = *all;
    bool ok = create_bodies(s);
    const Solid* refused = ok ? add_bodies(s) : NULL;
    if (refused)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for solid '%s' as a rigid body, or it is too large for one",
                         refused->name);
    if (!ok || !joints_prepare(s))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu bodies", all->count);
    rigid_warn_of_overlaps(s);
    return MN_OK;
}

// --- a running world changes

static bool grow(Memory* memory, Vec3d** array, size_t count)
{
    Vec3d* larger = memory_take(memory, (count + 1) * sizeof **array);
    if (!larger)
        return false;
    memset(larger, 0, (count + 1) * sizeof **array);
    memory_give(memory, *array);
    *array = larger;
    return true;
}

static bool rigid_system_extend(void* system, const SolidList* all, size_t number)
{
    RigidSystem* s = system;
    s->all = *all;
    if (!grow(s->setting.memory, &s->linear, all->count) || !grow(s->setting.memory, &s->angular, all->count))
        return false;
    BodyDef def = body_def(s, number);
    return rigid_add_body(s->rigid, &def) >= 0;
}

static void rigid_system_remove(void* system, size_t number)
{
    RigidSystem* s = system;
    rigid_remove_body(s->rigid, (int)number);
    joints_note(s, NAN);
}

static void rigid_system_change_contact(void* system, size_t number, const mn_SolidDef* def)
{
    rigid_set_contact(((RigidSystem*)system)->rigid, (int)number, def->contact_friction, def->restitution);
}

static void rigid_system_destroy(void* system)
{
    RigidSystem* s = system;
    Memory* memory = s->setting.memory;
    rigid_destroy(s->rigid);
    joints_free(s);
    memory_give(memory, s->linear);
    memory_give(memory, s->angular);
    memory_give(memory, s);
}

// --- the step

// ODE is told how driven solids move.
static void drive_bodies(RigidSystem* s)
{
    for (size_t k = 0; k < s->all.count; k++) {
        const Solid* solid = &s->all.solid[k];
        if (solid->type == MN_SOLID_KINEMATIC)
            rigid_set_state(s->rigid, (int)k,
                            &(BodyState){solid->pose.position, solid->pose.rotation, solid->velocity, solid->angular_velocity});
    }
}

// Contacts are predicted under the fluid's force of the last step, taken about the centre of mass.
static void load_as_before(RigidSystem* s, size_t k)
{
    const Solid* solid = &s->all.solid[k];
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
    for (size_t k = 0; k < s->all.count; k++)
        load_as_before(s, k);
    return rigid_predict(s->rigid, dt, s->linear, s->angular);
}

static bool rigid_system_step(void* system, double time, double dt)
{
    RigidSystem* s = system;
    drive_bodies(s);
    if (!rigid_step(s->rigid, dt))
        return false;
    for (size_t k = 0; k < s->all.count; k++)
        rigid_set_load(s->rigid, (int)k, s->all.solid[k].force, s->all.solid[k].torque);
    rigid_update_sleep(s->rigid, dt);
    joints_note(s, time);
    return true;
}

static void rigid_system_place(void* system)
{
    RigidSystem* s = system;
    for (size_t k = 0; k < s->all.count; k++) {
        Solid* solid = &s->all.solid[k];
        if (solid->kind != &solid_rigid)
            continue;
        BodyState state = rigid_state(s->rigid, (int)k);
        Vec3d arm = quat_rotate(state.rotation, vec3d_scale(rigid_mass(s->rigid, (int)k).centre, -1));
        solid->pose = (mn_Pose){vec3d_add(state.position, arm), state.rotation};
        solid->velocity = vec3d_add(state.velocity, vec3d_cross(state.angular_velocity, arm));
        solid->angular_velocity = state.angular_velocity;
    }
}

// --- what others ask and change

static const char* rigid_system_message(const void* system)
{
    return rigid_message(((const RigidSystem*)system)->rigid);
}

static bool rigid_system_no_memory(const void* system)
{
    const RigidSystem* s = system;
    return s->rigid && rigid_no_memory(s->rigid);
}

static void add_motion(const RigidSystem* s, int body, SolidTotals* totals)
{
    BodyState state = rigid_state(s->rigid, body);
    BodyMass mass = rigid_mass(s->rigid, body);
    Vec3d w = quat_unrotate(state.rotation, state.angular_velocity), spin = mat3d_times((const double(*)[3])mass.inertia, w);
    totals->kinetic += 0.5 * mass.mass * vec3d_dot(state.velocity, state.velocity) + 0.5 * vec3d_dot(w, spin);
    totals->momentum = vec3d_mad(totals->momentum, mass.mass, state.velocity);
    totals->angular_momentum = vec3d_add(totals->angular_momentum, quat_rotate(state.rotation, spin));
    totals->angular_momentum = vec3d_mad(totals->angular_momentum, mass.mass, vec3d_cross(state.position, state.velocity));
}

// Bodies that are held or asleep do not move, but what they weigh counts: nothing is gained when they are let go.
static void rigid_system_add_totals(const void* system, SolidTotals* totals)
{
    const RigidSystem* s = system;
    for (int k = 0; s->rigid && k < (int)s->all.count; k++) {
        if (!rigid_has_weight(s->rigid, k))
            continue;
        Vec3d position = rigid_state(s->rigid, k).position;
        totals->potential -= rigid_mass(s->rigid, k).mass * vec3d_dot(s->setting.gravity, position);
        if (rigid_is_free(s->rigid, k))
            add_motion(s, k, totals);
    }
}

static void rigid_system_set_gravity(void* system, Vec3d gravity)
{
    RigidSystem* s = system;
    s->setting.gravity = gravity;
    if (s->rigid)
        rigid_set_gravity(s->rigid, gravity);
}

static void rigid_system_wake(void* system)
{
    RigidSystem* s = system;
    for (size_t k = 0; k < s->all.count; k++)
        rigid_wake(s->rigid, (int)k);
}

// --- state

static size_t state_bytes(const void* system)
{
    return rigid_state_bytes(((const RigidSystem*)system)->rigid);
}

static void state_save(const void* system, void* out)
{
    rigid_save(((const RigidSystem*)system)->rigid, out);
}

static bool state_load(void* system, const void* in)
{
    RigidSystem* s = system;
    if (!rigid_load(s->rigid, in))
        return false;
    joints_note(s, NAN);
    return true;
}

static bool rigid_system_register(void* system, Register* reg)
{
    const StateRecord record = {"rigid", PER_BODY, system, state_bytes, state_save, state_load};
    return register_record(reg, &record);
}

const SolidSystem rigid_system = {.name = "rigid bodies",
                                  .type = MN_SOLID_RIGID,
                                  .create = rigid_system_create,
                                  .add = rigid_system_add,
                                  .prepare = rigid_system_prepare,
                                  .register_state = rigid_system_register,
                                  .warn = rigid_warn,
                                  .destroy = rigid_system_destroy,
                                  .predict = rigid_system_predict,
                                  .step = rigid_system_step,
                                  .place = rigid_system_place,
                                  .message = rigid_system_message,
                                  .no_memory = rigid_system_no_memory,
                                  .add_totals = rigid_system_add_totals,
                                  .set_gravity = rigid_system_set_gravity,
                                  .wake = rigid_system_wake,
                                  .find_hold = joints_find,
                                  .release_hold = joints_release,
                                  .extend = rigid_system_extend,
                                  .remove = rigid_system_remove,
                                  .change_contact = rigid_system_change_contact,
                                  .add_joint = joints_add,
                                  .tie_joint = joints_tie,
                                  .joint_count = joints_count,
                                  .joint = joints_view};
