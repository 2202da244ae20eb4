// SPDX-License-Identifier: MIT
#include "elastic/cohesion.h"

static const double RISE = 0.05; // w0 / wc

static uint32_t point_at(const Body* body, uint32_t corner)
{
    return body->tet[corner / 4][corner % 4];
}

// --- where faces open

static double face_area(const Body* body, uint32_t face)
{
    Vec3d x[3];
    for (uint32_t c = 0, k = 0; c < 4; c++)
        if (c != face % 4)
            x[k++] = body->rest[body->tet[face / 4][c]];
    return 0.5 * vec3d_length(vec3d_cross(vec3d_sub(x[1], x[0]), vec3d_sub(x[2], x[0])));
}

// The corner of a tetrahedron that was the same point when the body was built.
static uint32_t same_corner(const Body* body, uint32_t tet, uint32_t root)
{
    uint32_t c = 0;
    while (c < 3 && body->split.root[body->tet[tet][c]] != root)
        c++;
    return c;
}

static bool bind_corner(ElasticSet* set, Body* body, uint32_t a, uint32_t b, double area)
{
    double longest = 2 * body->def.toughness / body->def.strength;
    if (!memory_reserve(set->memory, &body->bonds.bond, &body->bonds.capacity, body->bonds.count, body->bonds.count + 1,
                        sizeof *body->bonds.bond))
        return false;
    body->bonds.bond[body->bonds.count++] = (Bond){{a, b}, area, body->def.strength * area / (RISE * longest), 0};
    return true;
}

bool cohesion_bind(ElasticSet* set, Body* body, const uint32_t* other)
{
    bool ok = true;
    for (uint32_t face = 0; face < 4 * body->tet_count && body->split.root && body->def.toughness > 0; face++) {
        uint32_t back = other[face];
        if (back == UINT32_MAX || back < face)
            continue;
        for (uint32_t c = 0; c < 4 && ok; c++) {
            if (c == face % 4)
                continue;
            uint32_t a = face - face % 4 + c,
                     b = back - back % 4 + same_corner(body, back / 4, body->split.root[point_at(body, a)]);
            if (point_at(body, a) != point_at(body, b))
                ok = bind_corner(set, body, a, b, face_area(body, face) / 3);
        }
    }
    return ok;
}

// --- within a step

void cohesion_add_forces(const Body* body, const Vec3d* x, double bh, Vec3d* residual)
{
    for (size_t k = 0; k < body->bonds.count; k++) {
        const Bond* bond = &body->bonds.bond[k];
        uint32_t a = point_at(body, bond->corner[0]), b = point_at(body, bond->corner[1]);
        Vec3d pull = vec3d_scale(vec3d_sub(x[b], x[a]), bh * bond->stiffness);
        residual[a] = vec3d_sub(residual[a], pull);
        residual[b] = vec3d_add(residual[b], pull);
    }
}

void cohesion_add_product(const Body* body, double scale, const Vec3d* in, Vec3d* out)
{
    for (size_t k = 0; k < body->bonds.count; k++) {
        const Bond* bond = &body->bonds.bond[k];
        uint32_t a = point_at(body, bond->corner[0]), b = point_at(body, bond->corner[1]);
        Vec3d pull = vec3d_scale(vec3d_sub(in[b], in[a]), scale * bond->stiffness);
        if (body->pins.of[a] < 0)
            out[a] = vec3d_sub(out[a], pull);
        if (body->pins.of[b] < 0)
            out[b] = vec3d_add(out[b], pull);
    }
}

void cohesion_add_blocks(const Body* body, double scale, Mat3* block)
{
    for (size_t k = 0; k < body->bonds.count; k++)
        for (int end = 0; end < 2; end++)
            for (int i = 0; i < 3; i++)
                block[point_at(body, body->bonds.bond[k].corner[end])].m[i][i] += scale * body->bonds.bond[k].stiffness;
}

// --- after it

// [J/m2] lost by a bond that was as long as w, and the stress [Pa] that it then holds
static double lost_by(const Body* body, double w, double* stress)
{
    double f = body->def.strength, longest = 2 * body->def.toughness / f, rise = RISE * longest;
    *stress = w < rise ? f * w / rise : f * fmax(longest - w, 0) / (longest - rise);
    if (w <= rise)
        return 0;
    return w < longest ? 0.5 * f * rise + 0.5 * (f + *stress) * (w - rise) - 0.5 * *stress * w : body->def.toughness;
}

// The two points get [J] along the bond.
static void give_back(Body* body, uint32_t a, uint32_t b, Vec3d along, double energy)
{
    double ease[2] = {body->pins.of[a] < 0 ? 1 / body->mass[a] : 0, body->pins.of[b] < 0 ? 1 / body->mass[b] : 0};
    if (!(ease[0] + ease[1] > 0) || !(energy > 0))
        return;
    double mass = 1 / (ease[0] + ease[1]), speed = vec3d_dot(vec3d_sub(body->velocity[b], body->velocity[a]), along);
    double impulse = mass * (sqrt(speed * speed + 2 * energy / mass) - speed); // they part faster: the spring held them too much
    body->velocity[a] = vec3d_mad(body->velocity[a], -impulse * ease[0], along);
    body->velocity[b] = vec3d_mad(body->velocity[b], impulse * ease[1], along);
}

bool cohesion_damage(Body* body)
{
    bool jumped = false;
    double longest = 2 * body->def.toughness / body->def.strength;
    for (size_t k = 0; k < body->bonds.count; k++) {
        Bond* bond = &body->bonds.bond[k];
        uint32_t a = point_at(body, bond->corner[0]), b = point_at(body, bond->corner[1]);
        Vec3d d = vec3d_sub(body->position[b], body->position[a]);
        double w = vec3d_length(d), stress, loss = lost_by(body, w, &stress) * bond->area - bond->spent;
        if (bond->stiffness == 0 || !(loss > 0))
            continue;
        double held = bond->stiffness;
        bond->stiffness = stress * bond->area / w;
        bond->spent += loss;
        double excess = 0.5 * (held - bond->stiffness) * w * w - loss;
        give_back(body, a, b, vec3d_scale(d, 1 / w), excess);
        jumped |= w >= longest && excess > 0;
    }
    return jumped;
}

double cohesion_energy(const Body* body)
{
    double sum = 0;
    for (size_t k = 0; k < body->bonds.count; k++) {
        const Bond* bond = &body->bonds.bond[k];
        double w = vec3d_distance(body->position[point_at(body, bond->corner[0])], body->position[point_at(body, bond->corner[1])]);
        sum += 0.5 * bond->stiffness * w * w;
    }
    return sum;
}

double cohesion_spent(const Body* body)
{
    double sum = 0;
    for (size_t k = 0; k < body->bonds.count; k++)
        sum += body->bonds.bond[k].spent;
    return sum;
}

void cohesion_mark(const Body* body, uint8_t* mark)
{
    for (size_t k = 0; k < body->bonds.count; k++)
        for (int end = 0; end < 2 && body->bonds.bond[k].stiffness > 0; end++)
            mark[point_at(body, body->bonds.bond[k].corner[end])] = 1;
}
