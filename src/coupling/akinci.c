// SPDX-License-Identifier: MIT
#include "coupling/akinci.h"

#include <string.h>

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
    c->adhesion = memory_take(memory, solid_count * sizeof *c->adhesion);
    c->reaction.mover_of = memory_take(memory, solid_count * sizeof *c->reaction.mover_of);
    if (!c->linear || !c->angular || !c->centre || !c->adhesion || !c->reaction.mover_of)
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
    void* arrays[] = {c->linear, c->angular, c->centre, c->adhesion};
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

void akinci_begin(Akinci* c, double dt)
{
    reaction_begin(c->sph);
    for (size_t m = 0; m < c->reaction.mover_count; m++) {
        Mover* mover = &c->reaction.mover[m];
        const Solid* solid = &c->solid[mover->solid];
        solid->kind->other_acceleration(solid, &c->linear[mover->solid], &c->angular[mover->solid]);
        mover->other = (Twist){c->linear[mover->solid], c->angular[mover->solid]};
    }
}

bool akinci_rub(Akinci* c, double dt)
{
    if (c->sph->wetting && !wall_adhesion(c->sph, c->centre, c->solid_count, &c->reaction, c->adhesion))
        return false;
    for (size_t m = 0; m < c->reaction.mover_count && c->sph->wetting; m++) {
        Mover* mover = &c->reaction.mover[m];
        Wrench w = c->adhesion[mover->solid];
        Twist impulse = {vec3d_scale(w.force, dt), vec3d_scale(w.torque, dt)}, gain = reaction_mobility(mover, impulse);
        mover->impulse.linear = vec3d_add(mover->impulse.linear, impulse.linear);
        mover->impulse.angular = vec3d_add(mover->impulse.angular, impulse.angular);
        mover->gain.linear = vec3d_add(mover->gain.linear, gain.linear);
        mover->gain.angular = vec3d_add(mover->gain.angular, gain.angular);
    }
    rub_movers(c->sph, dt);
    return true;
}

void akinci_settle(Akinci* c, double dt)
{
    rub_fluid(c->sph, dt);
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
    for (size_t m = 0; m < c->reaction.mover_count; m++) {
        const Mover* mover = &c->reaction.mover[m];
        Solid* s = &c->solid[mover->solid];
        Vec3d force = vec3d_scale(mover->impulse.linear, 1 / dt), torque = vec3d_scale(mover->impulse.angular, 1 / dt);
        rigid_set_force(c->rigid, (int)mover->solid, force, torque);
        s->force = force;
        s->torque = vec3d_add(torque, vec3d_cross(vec3d_sub(mover->centre, s->pose.position), force));
    }
}

void akinci_kick(Akinci* c, const Mover* mover, Twist impulse)
{
    Twist gain = reaction_mobility(mover, impulse);
    BodyState state = rigid_state(c->rigid, (int)mover->solid);
    state.velocity = vec3d_add(state.velocity, gain.linear);
    state.angular_velocity = vec3d_add(state.angular_velocity, gain.angular);
    rigid_set_state(c->rigid, (int)mover->solid, &state);
}
