// SPDX-License-Identifier: MIT
#include "render/pattern.h"

Vec3 pattern_at(const Pattern* m, Vec3 p, Vec3 n)
{
    float x = (p.x - m->origin.x) / m->size, y = (p.y - m->origin.y) / m->size, z = (p.z - m->origin.z) / m->size;
    float ax = fabsf(n.x), ay = fabsf(n.y), az = fabsf(n.z);
    int axis = ay >= ax && ay >= az ? 1 : ax >= az ? 0 : 2;
    if (!m->texture) {
        // a hair inside, so that a flat face does not lie between two fields
        float in[3] = {x, y, z}, along[3] = {n.x, n.y, n.z};
        in[axis] -= along[axis] > 0 ? 1e-3f : -1e-3f;
        return ((int)floorf(in[0]) + (int)floorf(in[1]) + (int)floorf(in[2])) & 1 ? m->checker : m->colour;
    }
    float u = axis == 1 ? x : axis == 0 ? (n.x > 0 ? -z : z) : (n.z > 0 ? x : -x);
    float v = axis == 1 ? z : -y;
    return image_at(m->texture, u + 0.5f, v + 0.5f, false);
}
