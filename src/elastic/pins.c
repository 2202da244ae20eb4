// SPDX-License-Identifier: MIT
// Pins: points that are held, and where.
#include "elastic/elastic_parts.h"

int elastic_add_pin(ElasticSet* set, int body)
{
    Body* b = &set->body[body];
    if (!memory_reserve(set->memory, &b->pins.pin, &b->pins.capacity, b->pins.count, b->pins.count + 1, sizeof *b->pins.pin))
        return -1;
    mn_Pose still = {.rotation = quat_identity()};
    b->pins.pin[b->pins.count] = (Pin){.from = still, .to = still, .holds = true, .carrier = -1};
    return (int)b->pins.count++;
}

static Vec3d into_frame(const mn_Pose* frame, Vec3d x)
{
    return quat_unrotate(frame->rotation, vec3d_sub(x, frame->position));
}

static Vec3d out_of_frame(const mn_Pose* frame, Vec3d x)
{
    return vec3d_add(quat_rotate(frame->rotation, x), frame->position);
}

static void pin_point(Body* body, int pin, uint32_t point)
{
    body->pins.of[point] = pin;
    body->pins.place[point] = into_frame(&body->pins.pin[pin].to, body->position[point]);
    body->velocity[point] = vec3d(0, 0, 0);
}

bool elastic_pin_vertex(ElasticSet* set, int body, int pin, uint32_t vertex)
{
    Body* b = &set->body[body];
    if (vertex >= b->vertex_count)
        return false;
    if (!b->embedding)
        pin_point(b, pin, vertex);
    for (int c = 0; b->embedding && c < 4; c++)
        if (b->embedding[vertex].weight[c] != 0)
            pin_point(b, pin, b->embedding[vertex].point[c]);
    return true;
}

void elastic_release_pin(ElasticSet* set, int body, int pin)
{
    Body* b = &set->body[body];
    b->pins.pin[pin].holds = false;
    b->pins.pin[pin].force = b->pins.pin[pin].torque = vec3d(0, 0, 0);
    for (size_t k = 0; k < b->point_count; k++)
        if (b->pins.of[k] == pin)
            b->pins.of[k] = -1;
}

void elastic_move_pin(ElasticSet* set, int body, int pin, const mn_Pose* from, const mn_Pose* to)
{
    set->body[body].pins.pin[pin].from = *from;
    set->body[body].pins.pin[pin].to = *to;
}

void elastic_pin_force(const ElasticSet* set, int body, int pin, Vec3d* force, Vec3d* torque)
{
    *force = set->body[body].pins.pin[pin].force;
    *torque = set->body[body].pins.pin[pin].torque;
}

size_t elastic_pinned(const ElasticSet* set, int body)
{
    size_t count = 0;
    for (size_t k = 0; k < set->body[body].point_count; k++)
        count += set->body[body].pins.of[k] >= 0;
    return count;
}

Vec3d pin_target(const Body* body, size_t point, double t)
{
    const Pin* pin = &body->pins.pin[body->pins.of[point]];
    Vec3d from = out_of_frame(&pin->from, body->pins.place[point]), to = out_of_frame(&pin->to, body->pins.place[point]);
    return vec3d_lerp(from, to, t);
}
