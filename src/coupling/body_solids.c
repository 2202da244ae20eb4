// SPDX-License-Identifier: MIT
#include "coupling/body_solids.h"

#include "coupling/adhesion.h"
#include "coupling/friction.h"
#include <string.h>

bool body_solids_create(BodySolids* b, Memory* memory, Sph* sph, Solid* solid, size_t solid_count, bool strong)
{
    *b = (BodySolids){.memory = memory, .solid = solid, .solid_count = solid_count, .response = {.memory = memory}};
    bool any = false;
    for (size_t k = 0; k < solid_count; k++)
        any |= solid_is_body(&solid[k]);
    BodyResponse* r = &b->response;
    b->centre = memory_take(memory, (solid_count + 1) * sizeof *b->centre);
    b->is_body = memory_take(memory, (solid_count + 1) * sizeof *b->is_body);
    b->wrench = memory_take(memory, (solid_count + 1) * sizeof *b->wrench);
    r->body_of = memory_take(memory, (solid_count + 1) * sizeof *r->body_of);
    if (!b->centre || !b->is_body || !b->wrench || !r->body_of ||
        (any && !memory_reserve(memory, &r->body, &r->body_capacity, 0, solid_count, sizeof *r->body)))
        return false;
    if (any)
        body_response_create(r, sph, strong);
    return true;
}

void body_solids_destroy(BodySolids* b)
{
    if (!b->memory)
        return;
    body_response_free(&b->response);
    memory_give(b->memory, b->centre);
    memory_give(b->memory, b->is_body);
    memory_give(b->memory, b->wrench);
    *b = (BodySolids){0};
}

static void place_body(BodySolids* b, size_t k, const SolidBody* from)
{
    BodyResponse* r = &b->response;
    ResponseBody* body = &r->body[r->body_count];
    *body = (ResponseBody){.solid = (uint32_t)k,
                           .centre = from->centre,
                           .inverse_mass = from->inverse_mass,
                           .velocity = {from->velocity, from->angular_velocity}};
    memcpy(body->inverse_inertia, from->inverse_inertia, sizeof body->inverse_inertia);
    r->body_of[k] = (int32_t)r->body_count++;
    b->is_body[k] = true;
}

void body_solids_ignore(BodySolids* b)
{
    b->ignored = true;
    body_solids_place(b);
}

void body_solids_place(BodySolids* b)
{
    b->response.body_count = 0;
    for (size_t k = 0; k < b->solid_count; k++) {
        const Solid* s = &b->solid[k];
        b->is_body[k] = false;
        b->response.body_of[k] = -1;
        b->centre[k] = s->pose.position;
        if (!solid_is_body(s))
            continue;
        SolidBody body = s->kind->body(s);
        b->centre[k] = body.centre;
        if (body.inverse_mass > 0 && !b->ignored)
            place_body(b, k, &body);
    }
}

void body_solids_begin(BodySolids* b)
{
    body_response_begin(&b->response);
    for (size_t m = 0; m < b->response.body_count; m++) {
        ResponseBody* body = &b->response.body[m];
        const Solid* s = &b->solid[body->solid];
        s->kind->other_acceleration(s, &body->other.linear, &body->other.angular);
    }
}

bool body_solids_forces(BodySolids* b, double dt)
{
    if (b->response.body_count == 0)
        return true;
    if (!adhesion_on_bodies(&b->response, dt, b->centre, b->is_body, b->solid_count, b->wrench))
        return false;
    friction_on_bodies(&b->response, dt);
    return true;
}

double body_solids_speed_after(const BodySolids* b, double dt)
{
    double most = 0;
    for (size_t m = 0; m < b->response.body_count; m++) {
        const ResponseBody* body = &b->response.body[m];
        const Solid* solid = &b->solid[body->solid];
        Twist gain = body_mobility(body, body->impulse);
        Vec3d v = vec3d_add(body->velocity.linear, vec3d_mad(gain.linear, dt, body->other.linear));
        Vec3d w = vec3d_add(body->velocity.angular, vec3d_mad(gain.angular, dt, body->other.angular));
        double arm = vec3d_distance(solid_to_world(solid, solid->bound_centre), body->centre) + solid->bound_radius;
        most = fmax(most, vec3d_length(v) + arm * vec3d_length(w));
    }
    return most;
}

void body_solids_finish(BodySolids* b, double dt)
{
    for (size_t m = 0; m < b->response.body_count; m++) {
        const ResponseBody* body = &b->response.body[m];
        Solid* s = &b->solid[body->solid];
        Vec3d force = vec3d_scale(body->impulse.linear, 1 / dt), torque = vec3d_scale(body->impulse.angular, 1 / dt);
        s->kind->set_load(s, force, torque);
        s->force = force;
        s->torque = vec3d_add(torque, vec3d_cross(vec3d_sub(body->centre, s->pose.position), force));
    }
}
