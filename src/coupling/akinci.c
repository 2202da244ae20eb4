// SPDX-License-Identifier: MIT
#include "coupling/akinci.h"

#include <string.h>

// Largest share of the velocity difference to the fluid that friction may take from a body in one step.
static const double RUB_MOST = 0.2;

bool akinci_create(Akinci* c, Memory* memory, Sph* sph, Boundary* boundary, Solid* solid, size_t solid_count, Rigid* rigid,
                   bool strong)
{
    *c = (Akinci){.memory = memory, .sph = sph, .boundary = boundary, .solid = solid, .solid_count = solid_count, .rigid = rigid};
    c->reaction.memory = memory;
    // pressures of an equation of state are not iterated: bodies cannot give way in between
    c->reaction.strong = strong && sph->solver.method != MN_PRESSURE_SESPH;
    c->linear = memory_take(memory, solid_count * sizeof *c->linear);
    c->angular = memory_take(memory, solid_count * sizeof *c->angular);
    c->centre = memory_take(memory, solid_count * sizeof *c->centre);
    c->friction = memory_take(memory, solid_count * sizeof *c->friction);
    c->reaction.mover_of = memory_take(memory, solid_count * sizeof *c->reaction.mover_of);
    if (!c->linear || !c->angular || !c->centre || !c->friction || !c->reaction.mover_of)
        return false;
    memset(c->linear, 0, solid_count * sizeof *c->linear);
    memset(c->angular, 0, solid_count * sizeof *c->angular);
    if (!memory_reserve(memory, &c->reaction.mover, &c->reaction.mover_capacity, 0, solid_count, sizeof *c->reaction.mover))
        return false;
    sph->reaction = &c->reaction;
    return true;
}

void akinci_destroy(Akinci* c)
{
    void* arrays[] = {c->linear, c->angular, c->centre, c->friction};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(c->memory, arrays[k]);
    if (c->sph)
        c->sph->reaction = NULL;
    reaction_free(&c->reaction);
    *c = (Akinci){0};
}

// --- where bodies are

static void place_solid(Solid* solid, const BodyState* state, Vec3d centre)
{
    Vec3d arm = quat_rotate(state->rotation, vec3d_scale(centre, -1));
    solid->pose = (mn_Pose){vec3d_add(state->position, arm), state->rotation};
    solid->velocity = vec3d_add(state->velocity, vec3d_cross(state->angular_velocity, arm));
    solid->angular_velocity = state->angular_velocity;
}

static void place_mover(Akinci* c, size_t k)
{
    Reaction* r = &c->reaction;
    Mover* mover = &r->mover[r->mover_count];
    BodyState state = rigid_state(c->rigid, (int)k);
    *mover = (Mover){.solid = (uint32_t)k,
                     .centre = c->centre[k],
                     .inverse_mass = 1 / rigid_mass(c->rigid, (int)k).mass,
                     .velocity = {state.velocity, state.angular_velocity}};
    rigid_inverse_inertia(c->rigid, (int)k, mover->inverse_inertia);
    r->mover_of[k] = (int32_t)r->mover_count++;
}

void akinci_place(Akinci* c)
{
    c->reaction.mover_count = 0;
    for (size_t k = 0; k < c->solid_count; k++) {
        c->reaction.mover_of[k] = -1;
        c->centre[k] = c->solid[k].pose.position;
        if (c->solid[k].type != MN_SOLID_RIGID)
            continue;
        BodyState state = rigid_state(c->rigid, (int)k);
        place_solid(&c->solid[k], &state, rigid_mass(c->rigid, (int)k).centre);
        c->centre[k] = state.position;
        if (rigid_is_free(c->rigid, (int)k))
            place_mover(c, k);
    }
}

// --- a try at a step

// Friction acts explicitly. A body much lighter than the layer of fluid that rubs it would be thrown back and forth, so its
// friction is weakened, for the fluid as for the body.
static void scale_friction(Akinci* c, double dt, bool weaken)
{
    Boundary* b = c->boundary;
    for (size_t i = b->resting; i < b->count; i++) {
        const Solid* solid = &c->solid[b->solid[i]];
        int32_t m = c->reaction.mover_of[b->solid[i]];
        double share = 1;
        if (m >= 0 && weaken) {
            const Mover* mover = &c->reaction.mover[m];
            share = fmin(1, RUB_MOST / fmax(mover->rub * mover->inverse_mass * dt, 1e-300));
        }
        b->velocity[i].w = (float)(solid->friction * share);
        b->wall_viscosity[i] = (float)(solid->wall_viscosity * share);
    }
    c->scaled = weaken;
}

static bool must_weaken(const Akinci* c, double dt)
{
    for (size_t m = 0; m < c->reaction.mover_count; m++)
        if (c->reaction.mover[m].rub * c->reaction.mover[m].inverse_mass * dt > RUB_MOST)
            return true;
    return false;
}

// The fluid's force of the last step, about the centre of mass.
static Wrench last_wrench(const Akinci* c, size_t k)
{
    const Solid* s = &c->solid[k];
    Vec3d arm = vec3d_sub(c->centre[k], s->pose.position);
    return (Wrench){s->force, vec3d_sub(s->torque, vec3d_cross(arm, s->force))};
}

bool akinci_begin(Akinci* c, double dt)
{
    reaction_begin(c->sph);
    if (c->scaled || must_weaken(c, dt))
        scale_friction(c, dt, must_weaken(c, dt));
    if (!c->reaction.strong) {
        for (size_t k = 0; k < c->solid_count; k++)
            c->linear[k] = c->reaction.mover_of[k] >= 0 ? c->sph->gravity : vec3d(0, 0, 0);
        return true;
    }
    for (size_t k = 0; k < c->solid_count; k++) {
        const Solid* s = &c->solid[k];
        if (s->type == MN_SOLID_KINEMATIC)
            rigid_set_state(c->rigid, (int)k, &(BodyState){s->pose.position, s->pose.rotation, s->velocity, s->angular_velocity});
        Wrench w = last_wrench(c, k);
        rigid_set_force(c->rigid, (int)k, w.force, w.torque);
    }
    return rigid_predict(c->rigid, dt, c->linear, c->angular);
}

bool akinci_rub(Akinci* c, double dt)
{
    if (!wall_friction(c->sph, c->centre, c->solid_count, &c->reaction, c->friction))
        return false;
    for (size_t m = 0; m < c->reaction.mover_count; m++) {
        Mover* mover = &c->reaction.mover[m];
        Wrench w = c->friction[mover->solid];
        Twist impulse = {vec3d_scale(w.force, dt), vec3d_scale(w.torque, dt)}, gain = reaction_mobility(mover, impulse);
        mover->impulse.linear = vec3d_add(mover->impulse.linear, impulse.linear);
        mover->impulse.angular = vec3d_add(mover->impulse.angular, impulse.angular);
        if (!c->reaction.strong)
            continue;
        mover->gain.linear = vec3d_add(mover->gain.linear, vec3d_mad(gain.linear, dt, c->linear[mover->solid]));
        mover->gain.angular = vec3d_add(mover->gain.angular, vec3d_mad(gain.angular, dt, c->angular[mover->solid]));
    }
    return true;
}

double akinci_speed(const Akinci* c, double dt)
{
    double most = 0;
    for (size_t m = 0; m < c->reaction.mover_count; m++) {
        const Mover* mover = &c->reaction.mover[m];
        const Solid* solid = &c->solid[mover->solid];
        BodyState s = rigid_state(c->rigid, (int)mover->solid);
        Twist gain = reaction_mobility(mover, mover->impulse);
        Vec3d v = vec3d_add(s.velocity, vec3d_mad(gain.linear, dt, c->linear[mover->solid]));
        Vec3d w = vec3d_add(s.angular_velocity, vec3d_mad(gain.angular, dt, c->angular[mover->solid]));
        double arm = vec3d_distance(solid_to_world(solid, solid->bound_centre), mover->centre) + solid->bound_radius;
        most = fmax(most, vec3d_length(v) + arm * vec3d_length(w));
    }
    return most;
}

// --- the step is accepted

void akinci_finish(Akinci* c, double dt)
{
    if (c->scaled)
        scale_friction(c, dt, false);
    for (size_t m = 0; m < c->reaction.mover_count; m++) {
        const Mover* mover = &c->reaction.mover[m];
        Solid* s = &c->solid[mover->solid];
        Vec3d force = vec3d_scale(mover->impulse.linear, 1 / dt), torque = vec3d_scale(mover->impulse.angular, 1 / dt);
        rigid_set_force(c->rigid, (int)mover->solid, force, torque);
        s->force = force;
        s->torque = vec3d_add(torque, vec3d_cross(vec3d_sub(mover->centre, s->pose.position), force));
    }
}

bool akinci_move(Akinci* c, double dt)
{
    for (size_t k = 0; k < c->solid_count; k++) {
        const Solid* s = &c->solid[k];
        if (s->type == MN_SOLID_KINEMATIC)
            rigid_set_state(c->rigid, (int)k, &(BodyState){s->pose.position, s->pose.rotation, s->velocity, s->angular_velocity});
    }
    return rigid_step(c->rigid, dt);
}
