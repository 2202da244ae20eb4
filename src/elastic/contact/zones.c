// SPDX-License-Identifier: MIT
#include "elastic/contact/zones.h"

static uint32_t root_of(const Zones* zones, uint32_t point)
{
    while (zones->parent[point] != point)
        point = zones->parent[point] = zones->parent[zones->parent[point]];
    return point;
}

bool zones_begin(Zones* z, const ElasticSet* set)
{
    Memory* memory = set->memory;
    size_t count = 0;
    if (!memory_reserve(memory, &z->first, &z->first_capacity, 0, set->body_count + 1, sizeof *z->first))
        return false;
    for (size_t k = 0; k <= set->body_count; k++) {
        z->first[k] = count;
        count += k < set->body_count ? set->body[k].point_count : 0;
    }
    if (!memory_reserve(memory, &z->parent, &z->parent_capacity, 0, count, sizeof *z->parent) ||
        !memory_reserve(memory, &z->path, &z->path_capacity, 0, count, sizeof *z->path) ||
        !memory_reserve(memory, &z->momentum, &z->momentum_capacity, 0, count, sizeof *z->momentum) ||
        !memory_reserve(memory, &z->mass, &z->mass_capacity, 0, count, sizeof *z->mass) ||
        !memory_reserve(memory, &z->held, &z->held_capacity, 0, count, sizeof *z->held) ||
        !memory_reserve(memory, &z->members, &z->members_capacity, 0, count, sizeof *z->members))
        return false;
    for (uint32_t k = 0; k < count; k++)
        z->parent[k] = k;
    return true;
}

void zones_free(Zones* z, Memory* memory)
{
    void* arrays[] = {z->parent, z->first, z->path, z->momentum, z->mass, z->held, z->members};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(memory, arrays[k]);
    *z = (Zones){0};
}

void zones_join(Zones* z, const ContactPair* pair)
{
    uint32_t first = root_of(z, (uint32_t)z->first[pair->body[0]] + pair->point[0]);
    for (int k = 1; k < 4; k++) {
        uint32_t body = pair->body[k >= (pair->kind == CONTACT_EDGE_EDGE ? 2 : 1)];
        uint32_t other = root_of(z, (uint32_t)z->first[body] + pair->point[k]);
        // the lesser one is the root, whatever the order
        uint32_t root = first < other ? first : other;
        z->parent[first] = z->parent[other] = root;
        first = root;
    }
}

static void add_up(Zones* z, const ElasticSet* set, double h)
{
    for (size_t k = 0; k < z->first[set->body_count]; k++) {
        z->path[k] = z->momentum[k] = vec3d(0, 0, 0);
        z->mass[k] = 0;
        z->members[k] = z->held[k] = 0;
    }
    for (size_t b = 0; b < set->body_count; b++) {
        const Body* body = &set->body[b];
        for (size_t i = 0; body->paths.active && i < body->point_count; i++) {
            uint32_t point = (uint32_t)(z->first[b] + i), root = root_of(z, point);
            z->members[root]++;
            z->held[root] += body->pins.of[i] >= 0;
        }
    }
    for (size_t b = 0; b < set->body_count; b++) {
        const Body* body = &set->body[b];
        for (size_t i = 0; body->paths.active && i < body->point_count; i++) {
            uint32_t point = (uint32_t)(z->first[b] + i), root = root_of(z, point);
            if (z->held[root] > 0 && body->pins.of[i] < 0)
                continue;
            z->mass[root] += body->mass[i];
            z->path[root] = vec3d_mad(z->path[root], body->mass[i], vec3d_sub(body->position[i], body->paths.from[i]));
            z->momentum[root] = vec3d_mad(z->momentum[root], body->mass[i], contact_velocity(body, (uint32_t)i, h));
        }
    }
}

void zones_stop(Zones* z, ElasticSet* set, double h)
{
    add_up(z, set, h);
    for (size_t b = 0; b < set->body_count; b++) {
        Body* body = &set->body[b];
        for (size_t i = 0; body->paths.active && i < body->point_count; i++) {
            uint32_t point = (uint32_t)(z->first[b] + i), root = root_of(z, point);
            if (body->pins.of[i] >= 0 || z->members[root] == 1)
                continue;
            Vec3d x = vec3d_mad(body->paths.from[i], 1 / z->mass[root], z->path[root]);
            contact_put(body, (uint32_t)i, x, vec3d_scale(z->momentum[root], 1 / z->mass[root]), h);
        }
    }
}
