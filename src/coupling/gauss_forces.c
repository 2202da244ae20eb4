// SPDX-License-Identifier: MIT
#include "coupling/gauss_forces.h"

#include <string.h>

enum { GRAIN = 64 };

// A point of a surface, as eight particles meet it.
typedef struct Point {
    Vec3 at, velocity; // [m], [m/s]
    float size;        // [m2] (2D: [m]) its share of the area
} Point;

// Eight particles.
typedef struct Chunk {
    F8 x, y, z, vx, vy, vz;
    F8 viscosity; // [Pa s]
} Chunk;

// Constants of the traction.
typedef struct Law {
    F8 h, h2, gain, g0, drag, least, adhesion;
} Law;

typedef struct Force {
    F8 x, y, z; // [N] on the particles
    F8 near;    // all bits set where one is within range
} Force;

static Law law_of(const Traction* t)
{
    return (Law){.h = f8_set((float)t->h),
                 .h2 = f8_set((float)(t->h * t->h)),
                 .gain = f8_set((float)t->gain),
                 .g0 = f8_set((float)t->g0),
                 .drag = f8_set((float)t->drag),
                 .least = f8_set((float)(1e-12 * t->h * t->h)),
                 .adhesion = f8_set((float)t->adhesion)};
}

static inline float mixed(float a, float b, float c, float second, float third)
{
    return a + second * b + third * c;
}

static inline Vec3 mixed_vector(Vec3 a, Vec3 b, Vec3 c, float second, float third)
{
    return (Vec3){mixed(a.x, b.x, c.x, second, third), mixed(a.y, b.y, c.y, second, third), mixed(a.z, b.z, c.z, second, third)};
}

// Eqs. 20 and 21 scale a force by 2 / (1 + w1^2 + w2^2 + w3^2).
static float amplification(const GaussPatch* p, float second, float third)
{
    double w[3];
    gauss_vertex_weights(p, (double)second, (double)third, w);
    return (float)(2 / (1 + w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
}

static inline Point point_of(const GaussForces* g, const GaussPatch* p, const GaussRule* rule, int k)
{
    float b = rule->second[k], c = rule->third[k], size = p->size * rule->weight[k];
    if (g->amplified)
        size *= amplification(p, b, c);
    return (Point){mixed_vector(p->at, p->second, p->third, b, c),
                   mixed_vector(p->velocity, p->second_velocity, p->third_velocity, b, c), size};
}

static inline Force force_of(const Law* law, const Chunk* c, const Point* p)
{
    F8 dx = f8_sub(c->x, f8_set(p->at.x)), dy = f8_sub(c->y, f8_set(p->at.y)), dz = f8_sub(c->z, f8_set(p->at.z));
    F8 r2 = f8_max(f8_mad(dx, dx, f8_mad(dy, dy, f8_mul(dz, dz))), law->least);
    F8 near = f8_less(r2, law->h2);
    if (!f8_mask(near))
        return (Force){f8_zero(), f8_zero(), f8_zero(), near};
    F8 r = f8_sqrt(r2), u = f8_max(f8_sub(law->h, r), f8_zero()), u2 = f8_mul(u, u);
    F8 tau = f8_mul(f8_mul(law->gain, u2), f8_sub(u2, law->g0));
    tau = f8_max(tau, f8_mul(law->adhesion, tau));
    F8 size = f8_and(f8_set(p->size), near), push = f8_mul(f8_div(tau, r), size);
    F8 drag = f8_mul(f8_mul(f8_mul(law->drag, c->viscosity), u), size);
    return (Force){f8_mad(push, dx, f8_mul(drag, f8_sub(f8_set(p->velocity.x), c->vx))),
                   f8_mad(push, dy, f8_mul(drag, f8_sub(f8_set(p->velocity.y), c->vy))),
                   f8_mad(push, dz, f8_mul(drag, f8_sub(f8_set(p->velocity.z), c->vz))), near};
}

// Lanes beyond the last particle are far away from everything.
static Chunk chunk_of(const GaussForces* g, size_t number)
{
    const Fluid* fluid = &g->sph->fluid;
    size_t first = LANES * number, count = fluid->set.count - first;
    Vec4 x[LANES], v[LANES];
    for (size_t k = 0; k < LANES; k++) {
        bool there = k < count;
        x[k] = there ? fluid->position[first + k] : (Vec4){1e15f, 1e15f, 1e15f, 0};
        v[k] = there ? fluid->velocity[first + k] : (Vec4){0, 0, 0, 0};
    }
    Chunk c;
    F8 unused, kind;
    f8_load4(x, &c.x, &c.y, &c.z, &unused);
    f8_load4(v, &c.vx, &c.vy, &c.vz, &kind);
    c.viscosity = sph_lookup(g->viscosity, kind);
    return c;
}

static const GaussRule* rule_of(const GaussForces* g)
{
    return g->surfaces->dimension == 2 ? &gauss_segment : &gauss_triangle;
}

// --- on the fluid

// What eight particles give to one solid.
typedef struct WallSum {
    F8 force[3], torque[3]; // [N], [N m] about Wall.centre, on the particles
} WallSum;

static WallSum wall_zero(void)
{
    F8 zero = f8_zero();
    return (WallSum){{zero, zero, zero}, {zero, zero, zero}};
}

static inline void wall_add(WallSum* sum, const Force* f, Vec3 arm)
{
    F8 x = f8_set(arm.x), y = f8_set(arm.y), z = f8_set(arm.z);
    sum->force[0] = f8_add(sum->force[0], f->x);
    sum->force[1] = f8_add(sum->force[1], f->y);
    sum->force[2] = f8_add(sum->force[2], f->z);
    sum->torque[0] = f8_add(sum->torque[0], f8_nmad(z, f->y, f8_mul(y, f->z)));
    sum->torque[1] = f8_add(sum->torque[1], f8_nmad(x, f->z, f8_mul(z, f->x)));
    sum->torque[2] = f8_add(sum->torque[2], f8_nmad(y, f->x, f8_mul(x, f->y)));
}

// The solid gets the opposite.
static void wall_take(double out[6], const WallSum* sum)
{
    for (int k = 0; k < 3; k++) {
        out[k] -= (double)f8_sum(sum->force[k]);
        out[3 + k] -= (double)f8_sum(sum->torque[k]);
    }
}

// Patches of a chunk come in the order of their solids.
static void push_chunk(const GaussForces* g, const Law* law, const GaussRule* rule, size_t number, double* walls)
{
    Chunk c = chunk_of(g, number);
    F8 fx = f8_zero(), fy = fx, fz = fx;
    WallSum sum = wall_zero();
    int32_t wall = -1;
    for (size_t k = g->pairs->chunk_first[number]; k < g->pairs->chunk_first[number + 1]; k++) {
        const GaussPatch* p = &g->surfaces->patch[g->pairs->patch_of[k]];
        if (g->wall_of[p->solid] != wall) {
            if (wall >= 0)
                wall_take(walls + 6 * wall, &sum);
            sum = wall_zero();
            wall = g->wall_of[p->solid];
        }
        for (int n = 0; n < rule->count; n++) {
            Point point = point_of(g, p, rule, n);
            Force f = force_of(law, &c, &point);
            if (!f8_mask(f.near))
                continue;
            fx = f8_add(fx, f.x);
            fy = f8_add(fy, f.y);
            fz = f8_add(fz, f.z);
            if (wall >= 0) {
                Vec3 centre = g->wall_centre[wall];
                wall_add(&sum, &f, (Vec3){point.at.x - centre.x, point.at.y - centre.y, point.at.z - centre.z});
            }
        }
    }
    if (wall >= 0)
        wall_take(walls + 6 * wall, &sum);
    float x[LANES], y[LANES], z[LANES];
    f8_store(x, fx);
    f8_store(y, fy);
    f8_store(z, fz);
    Fluid* fluid = &g->sph->fluid;
    size_t first = LANES * number, count = fluid->set.count - first;
    for (size_t k = 0; k < LANES && k < count; k++) {
        Vec4* a = &fluid->acceleration[first + k];
        float inverse = 1 / (g->sph->mass_volume * g->sph->material[(int)fluid->velocity[first + k].w].density);
        a->x += x[k] * inverse;
        a->y += y[k] * inverse;
        a->z += z[k] * inverse;
    }
}

static void push_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const GaussForces* g = context;
    Law law = law_of(&g->traction);
    const GaussRule* rule = rule_of(g);
    double* walls = g->wall_sums + 6 * g->wall_count * block;
    memset(walls, 0, 6 * g->wall_count * sizeof *walls);
    for (size_t k = begin; k < end; k++)
        if (g->pairs->chunk_first[k] < g->pairs->chunk_first[k + 1])
            push_chunk(g, &law, rule, k, walls);
}

size_t gauss_blocks(const Sph* sph)
{
    return block_count((sph->fluid.set.count + LANES - 1) / LANES, GRAIN);
}

void gauss_push_fluid(const GaussForces* g)
{
    size_t chunks = (g->sph->fluid.set.count + LANES - 1) / LANES;
    parallel_for(g->sph->pool, chunks, GRAIN, push_block, (void*)g);
}

// --- on a patch

void gauss_load_of(const GaussForces* g, size_t number, PatchLoad* out)
{
    const GaussPatch* p = &g->surfaces->patch[number];
    const GaussRule* rule = rule_of(g);
    Law law = law_of(&g->traction);
    Point point[GAUSS_POINTS];
    F8 sum[GAUSS_POINTS][3];
    unsigned near = 0;
    for (int n = 0; n < rule->count; n++) {
        point[n] = point_of(g, p, rule, n);
        sum[n][0] = sum[n][1] = sum[n][2] = f8_zero();
    }
    for (size_t k = g->pairs->patch_first[number]; k < g->pairs->patch_first[number + 1]; k++) {
        Chunk c = chunk_of(g, g->pairs->chunk_of[k]);
        for (int n = 0; n < rule->count; n++) {
            Force f = force_of(&law, &c, &point[n]);
            sum[n][0] = f8_add(sum[n][0], f.x);
            sum[n][1] = f8_add(sum[n][1], f.y);
            sum[n][2] = f8_add(sum[n][2], f.z);
            near |= f8_mask(f.near);
        }
    }
    for (int n = 0; n < rule->count; n++)
        out->force[n] = vec3d(-(double)f8_sum(sum[n][0]), -(double)f8_sum(sum[n][1]), -(double)f8_sum(sum[n][2]));
    out->is_wet = near != 0;
}

Vec3d gauss_point(const GaussPatch* p, const GaussRule* rule, int k)
{
    Vec3 at = mixed_vector(p->at, p->second, p->third, rule->second[k], rule->third[k]);
    return vec3d((double)at.x, (double)at.y, (double)at.z);
}
