// SPDX-License-Identifier: MIT
#include "coupling/akinci.h"

#include "fluid/pressure/method.h"
#include <string.h>

static bool moves_as_one(const Solid* s)
{
    return !s->kind->deforms && !s->kind->is_driven;
}

// --- from solids to bodies and skins

static void akinci_destroy(void* coupling)
{
    Akinci* c = coupling;
    reaction_free(&c->bodies);
    elastic_coupling_destroy(&c->skins);
    void* arrays[] = {c->centre, c->origin, c->wrench, c->is_body, c->is_counted};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(c->memory, arrays[k]);
    memory_give(c->memory, c);
}

static bool reserve(Akinci* c)
{
    size_t n = c->solid_count + 1;
    c->centre = memory_take(c->memory, n * sizeof *c->centre);
    c->origin = memory_take(c->memory, n * sizeof *c->origin);
    c->wrench = memory_take(c->memory, n * sizeof *c->wrench);
    c->is_body = memory_take(c->memory, n * sizeof *c->is_body);
    c->is_counted = memory_take(c->memory, n * sizeof *c->is_counted);
    return c->centre && c->origin && c->wrench && c->is_body && c->is_counted;
}

static bool add_bodies(Akinci* c, bool strong)
{
    c->bodies.memory = c->memory;
    c->bodies.mover_of = memory_take(c->memory, c->solid_count * sizeof *c->bodies.mover_of);
    if (!c->bodies.mover_of ||
        !memory_reserve(c->memory, &c->bodies.mover, &c->bodies.mover_capacity, 0, c->solid_count, sizeof *c->bodies.mover))
        return false;
    reaction_create(&c->bodies, c->sph, strong);
    return true;
}

static void akinci_place(void* coupling);

static void* akinci_create(const CouplingDef* def)
{
    Akinci* c = memory_take(def->memory, sizeof *c);
    if (!c)
        return NULL;
    *c = (Akinci){.memory = def->memory,
                  .sph = def->sph,
                  .boundary = def->boundary,
                  .solid = def->solid,
                  .solid_count = def->solid_count,
                  .has_skins = def->boundary->skin_count > 0};
    for (size_t k = 0; k < c->solid_count; k++)
        c->has_bodies |= moves_as_one(&c->solid[k]);
    bool strong = def->strong && pressure_method(c->sph->solver.method)->iterates;
    if (!reserve(c) || (c->has_bodies && !add_bodies(c, strong)) ||
        (c->has_skins && !elastic_coupling_create(&c->skins, def->memory, c->sph, c->boundary, c->solid, strong))) {
        akinci_destroy(c);
        return NULL;
    }
    akinci_place(c);
    return c;
}

static void place_body(Akinci* c, size_t k, const SolidBody* body)
{
    Reaction* r = &c->bodies;
    Mover* mover = &r->mover[r->mover_count];
    *mover = (Mover){.solid = (uint32_t)k,
                     .centre = body->centre,
                     .inverse_mass = body->inverse_mass,
                     .velocity = {body->velocity, body->angular_velocity}};
    memcpy(mover->inverse_inertia, body->inverse_inertia, sizeof mover->inverse_inertia);
    r->mover_of[k] = (int32_t)r->mover_count++;
    c->is_body[k] = c->is_counted[k] = true;
}

static void akinci_place(void* coupling)
{
    Akinci* c = coupling;
    c->bodies.mover_count = 0;
    for (size_t k = 0; k < c->solid_count; k++) {
        const Solid* s = &c->solid[k];
        c->is_body[k] = false;
        c->is_counted[k] = s->kind->deforms;
        c->centre[k] = c->origin[k] = s->pose.position;
        if (c->has_bodies)
            c->bodies.mover_of[k] = -1;
        if (!moves_as_one(s))
            continue;
        SolidBody body = s->kind->body(s);
        c->centre[k] = body.centre;
        if (body.inverse_mass > 0)
            place_body(c, k, &body);
    }
    if (c->has_skins)
        elastic_coupling_place(&c->skins);
}

// --- a try at a step

static void akinci_begin(void* coupling, double dt)
{
    Akinci* c = coupling;
    reaction_begin(&c->bodies);
    for (size_t m = 0; m < c->bodies.mover_count; m++) {
        Mover* mover = &c->bodies.mover[m];
        const Solid* s = &c->solid[mover->solid];
        s->kind->other_acceleration(s, &mover->other.linear, &mover->other.angular);
    }
    if (c->has_skins)
        elastic_coupling_begin(&c->skins, dt);
}

static void stick(Mover* mover, const Wrench* w, double dt)
{
    Twist impulse = {vec3d_scale(w->force, dt), vec3d_scale(w->torque, dt)}, gain = reaction_mobility(mover, impulse);
    mover->impulse.linear = vec3d_add(mover->impulse.linear, impulse.linear);
    mover->impulse.angular = vec3d_add(mover->impulse.angular, impulse.angular);
    mover->gain.linear = vec3d_add(mover->gain.linear, gain.linear);
    mover->gain.angular = vec3d_add(mover->gain.angular, gain.angular);
}

static bool akinci_forces(void* coupling, double dt)
{
    Akinci* c = coupling;
    if (c->has_bodies) {
        const bool sticks = c->sph->wetting != NULL;
        if (sticks && !wall_adhesion(c->sph, c->centre, c->solid_count, c->is_body, c->wrench))
            return false;
        for (size_t m = 0; m < c->bodies.mover_count && sticks; m++)
            stick(&c->bodies.mover[m], &c->wrench[c->bodies.mover[m].solid], dt);
        rub_movers(&c->bodies, dt);
    }
    if (c->has_skins)
        soft_rub(&c->skins.soft, dt);
    return true;
}

static void akinci_settle(void* coupling, double dt)
{
    Akinci* c = coupling;
    if (c->has_bodies)
        rub_fluid(&c->bodies, dt);
}

static double akinci_speed(const void* coupling, double path)
{
    const Akinci* c = coupling;
    return c->has_skins ? elastic_coupling_speed(&c->skins, path, false) : 0;
}

static double akinci_speed_after(const void* coupling, double path, double dt)
{
    const Akinci* c = coupling;
    double most = c->has_skins ? elastic_coupling_speed(&c->skins, path, true) : 0;
    for (size_t m = 0; m < c->bodies.mover_count; m++) {
        const Mover* mover = &c->bodies.mover[m];
        const Solid* solid = &c->solid[mover->solid];
        Twist gain = reaction_mobility(mover, mover->impulse);
        Vec3d v = vec3d_add(mover->velocity.linear, vec3d_mad(gain.linear, dt, mover->other.linear));
        Vec3d w = vec3d_add(mover->velocity.angular, vec3d_mad(gain.angular, dt, mover->other.angular));
        double arm = vec3d_distance(solid_to_world(solid, solid->bound_centre), mover->centre) + solid->bound_radius;
        most = fmax(most, vec3d_length(v) + arm * vec3d_length(w));
    }
    return most;
}

// --- the step is accepted

// Solids that do not give way: friction acted on the velocities before the step, to first order.
static bool finish_walls(Akinci* c)
{
    if (!wall_forces(c->sph, c->sph->fluid.before, c->origin, c->solid_count, c->is_counted, c->wrench))
        return false;
    for (size_t k = 0; k < c->solid_count; k++) {
        if (c->is_counted[k])
            continue;
        c->solid[k].force = c->wrench[k].force;
        c->solid[k].torque = c->wrench[k].torque;
    }
    return true;
}

static bool akinci_finish(void* coupling, double dt)
{
    Akinci* c = coupling;
    bool ok = finish_walls(c);
    for (size_t m = 0; m < c->bodies.mover_count; m++) {
        const Mover* mover = &c->bodies.mover[m];
        Solid* s = &c->solid[mover->solid];
        Vec3d force = vec3d_scale(mover->impulse.linear, 1 / dt), torque = vec3d_scale(mover->impulse.angular, 1 / dt);
        s->kind->set_load(s, force, torque);
        s->force = force;
        s->torque = vec3d_add(torque, vec3d_cross(vec3d_sub(mover->centre, s->pose.position), force));
    }
    if (c->has_skins)
        elastic_coupling_finish(&c->skins, dt);
    return ok;
}

static void akinci_before_solids(void* coupling)
{
    Akinci* c = coupling;
    if (c->has_skins)
        elastic_coupling_before(&c->skins);
}

static void akinci_after_solids(void* coupling, double dt, double usual)
{
    Akinci* c = coupling;
    if (c->has_skins)
        elastic_coupling_after(&c->skins, dt, usual);
}

// --- state

static size_t state_bytes(const void* owner)
{
    return elastic_coupling_state_bytes(&((const Akinci*)owner)->skins);
}

static void save_state(const void* owner, void* out)
{
    elastic_coupling_save(&((const Akinci*)owner)->skins, out);
}

static bool load_state(void* owner, const void* in)
{
    Akinci* c = owner;
    return elastic_coupling_load(&c->skins, c->sph->pool, in);
}

static bool akinci_register_state(void* coupling, Register* reg)
{
    Akinci* c = coupling;
    const StateRecord record = {"coupling", PER_VERTEX, c, state_bytes, save_state, load_state};
    return !c->has_skins || register_record(reg, &record);
}

const CouplingMethod coupling_akinci = {.name = "akinci",
                                        .create = akinci_create,
                                        .destroy = akinci_destroy,
                                        .place = akinci_place,
                                        .begin = akinci_begin,
                                        .forces = akinci_forces,
                                        .settle = akinci_settle,
                                        .speed = akinci_speed,
                                        .speed_after = akinci_speed_after,
                                        .finish = akinci_finish,
                                        .before_solids = akinci_before_solids,
                                        .after_solids = akinci_after_solids,
                                        .register_state = akinci_register_state};
