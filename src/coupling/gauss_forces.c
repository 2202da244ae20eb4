// SPDX-License-Identifier: MIT
#include "coupling/gauss_forces.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 4, BATCH = 512, RANGES_MOST = 16 };

// Lanes beyond the last particle are there: far from everything, but not so far that its square is not finite.
static const float FAR_AWAY = 1e15f;

// Particles near a group of patches.
typedef struct Batch {
    size_t count; // rounded up to whole vectors where they are read
    float x[BATCH], y[BATCH], z[BATCH], vx[BATCH], vy[BATCH], vz[BATCH];
    float viscosity[BATCH];                // [Pa s]
    float fx[BATCH], fy[BATCH], fz[BATCH]; // [N] on them
    uint32_t index[BATCH + LANES];
} Batch;

// Constants of the traction.
typedef struct Law {
    F8 h, h2, gain, g0, drag, least, adhesion;
    float push_range; // [m] the traction is 0 beyond
    bool has_friction;
} Law;

// A patch at work: lanes are points of the rule.
typedef struct Points {
    F8 x, y, z;    // [m]
    F8 size;       // [m2] (2D: [m]) shares of the area, 0 where there is no point
    F8 sum[3];     // [N] on particles, by points
    Vec3 at, move; // [m], [m/s] of the middle
    Vec3 normal;
    float whole; // [m2] (2D: [m]) that the middle stands for
    F8 shear[3]; // [N] on particles by the middle, lanes are particles
    bool is_wet;
} Points;

static Law law_of(const GaussForces* g)
{
    const Traction* t = &g->traction;
    Law law = {.h = f8_set((float)t->h),
               .h2 = f8_set((float)(t->h * t->h)),
               .gain = f8_set((float)t->gain),
               .g0 = f8_set((float)t->g0),
               .drag = f8_set((float)t->drag),
               .least = f8_set((float)(1e-12 * t->h * t->h)),
               .adhesion = f8_set((float)t->adhesion),
               .push_range = (float)(t->adhesion > 0 ? t->h : t->r0)};
    for (int k = 0; k < FLUIDS_MOST; k++)
        law.has_friction = law.has_friction || g->viscosity[k] > 0;
    return law;
}

static const GaussRule* rule_of(const GaussForces* g)
{
    return g->surfaces->dimension == 2 ? &gauss_segment : &gauss_triangle;
}

// Eqs. 20 and 21 scale a force by 2 / (1 + w1^2 + w2^2 + w3^2).
static float amplification(const GaussPatch* p, float second, float third)
{
    double w[3];
    gauss_vertex_weights(p, (double)second, (double)third, w);
    return (float)(2 / (1 + w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
}

static inline F8 mixed(float a, float b, float c, F8 second, F8 third)
{
    return f8_mad(third, f8_set(c), f8_mad(second, f8_set(b), f8_set(a)));
}

static Vec3 normal_of(const GaussPatch* p, int dimension)
{
    Vec3 a = p->second, b = p->third;
    Vec3 n = dimension == 2 ? (Vec3){-a.y, a.x, 0} : (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    float length = sqrtf(n.x * n.x + n.y * n.y + n.z * n.z), inverse = length > 0 ? 1 / length : 0;
    return (Vec3){n.x * inverse, n.y * inverse, n.z * inverse};
}

// The middle is the rule's first point.
static Points points_of(const GaussForces* g, const GaussPatch* p, const GaussRule* rule)
{
    float size[LANES], b = rule->second[0], c = rule->third[0];
    for (int k = 0; k < LANES; k++) {
        size[k] = p->size * rule->weight[k];
        if (g->amplified)
            size[k] *= amplification(p, rule->second[k], rule->third[k]);
    }
    F8 second = f8_load(rule->second), third = f8_load(rule->third), zero = f8_zero();
    return (Points){.x = mixed(p->at.x, p->second.x, p->third.x, second, third),
                    .y = mixed(p->at.y, p->second.y, p->third.y, second, third),
                    .z = mixed(p->at.z, p->second.z, p->third.z, second, third),
                    .size = f8_load(size),
                    .sum = {zero, zero, zero},
                    .at = gauss_middle(p->at, p->second, p->third, b, c),
                    .move = gauss_middle(p->velocity, p->second_velocity, p->third_velocity, b, c),
                    .normal = normal_of(p, g->surfaces->dimension),
                    .whole = p->size * (g->amplified ? amplification(p, b, c) : 1),
                    .shear = {zero, zero, zero}};
}

// --- forces

// The traction of all points on particle `k`.
static inline void push_particle(const Law* law, Points* p, Batch* b, size_t k)
{
    F8 dx = f8_sub(f8_set(b->x[k]), p->x), dy = f8_sub(f8_set(b->y[k]), p->y), dz = f8_sub(f8_set(b->z[k]), p->z);
    F8 r2 = f8_max(f8_mad(dx, dx, f8_mad(dy, dy, f8_mul(dz, dz))), law->least);
    F8 r = f8_sqrt(r2), u = f8_max(f8_sub(law->h, r), f8_zero()), u2 = f8_mul(u, u);
    F8 tau = f8_mul(f8_mul(law->gain, u2), f8_sub(u2, law->g0));
    tau = f8_max(tau, f8_mul(law->adhesion, tau));
    F8 push = f8_mul(f8_div(tau, r), p->size);
    F8 x = f8_mul(push, dx), y = f8_mul(push, dy), z = f8_mul(push, dz);
    p->sum[0] = f8_add(p->sum[0], x);
    p->sum[1] = f8_add(p->sum[1], y);
    p->sum[2] = f8_add(p->sum[2], z);
    b->fx[k] += f8_sum(x);
    b->fy[k] += f8_sum(y);
    b->fz[k] += f8_sum(z);
}

static inline F8 add_to(float* sum, F8 f)
{
    f8_store(sum, f8_add(f8_load(sum), f));
    return f;
}

// Friction of the middle of a patch with eight particles.
static inline void shear_particles(const Law* law, Points* p, Batch* b, size_t k, F8 r2)
{
    F8 u = f8_max(f8_sub(law->h, f8_sqrt(r2)), f8_zero());
    F8 drag = f8_mul(f8_mul(f8_mul(law->drag, f8_load(b->viscosity + k)), u), f8_set(p->whole));
    p->shear[0] = f8_add(p->shear[0], add_to(b->fx + k, f8_mul(drag, f8_sub(f8_set(p->move.x), f8_load(b->vx + k)))));
    p->shear[1] = f8_add(p->shear[1], add_to(b->fy + k, f8_mul(drag, f8_sub(f8_set(p->move.y), f8_load(b->vy + k)))));
    p->shear[2] = f8_add(p->shear[2], add_to(b->fz + k, f8_mul(drag, f8_sub(f8_set(p->move.z), f8_load(b->vz + k)))));
}

static void act_on_batch(const Law* law, const GaussPatch* patch, Points* p, Batch* b)
{
    F8 cx = f8_set(p->at.x), cy = f8_set(p->at.y), cz = f8_set(p->at.z);
    float push_range = law->push_range + patch->reach;
    F8 push2 = f8_set(push_range * push_range), flat2 = f8_set(law->push_range * law->push_range * (1 + 1e-4f));
    F8 nx = f8_set(p->normal.x), ny = f8_set(p->normal.y), nz = f8_set(p->normal.z);
    for (size_t k = 0; k < b->count; k += LANES) {
        F8 dx = f8_sub(f8_load(b->x + k), cx), dy = f8_sub(f8_load(b->y + k), cy), dz = f8_sub(f8_load(b->z + k), cz);
        F8 r2 = f8_mad(dx, dx, f8_mad(dy, dy, f8_mul(dz, dz)));
        unsigned near = f8_mask(f8_less(r2, law->h2));
        p->is_wet = p->is_wet || near;
        if (near && law->has_friction)
            shear_particles(law, p, b, k, r2);
        // near the patch, and no farther from its plane than the traction reaches
        F8 height = f8_mad(dx, nx, f8_mad(dy, ny, f8_mul(dz, nz)));
        F8 pushed = f8_and(f8_less(r2, push2), f8_less(f8_mul(height, height), flat2));
        for (unsigned bits = f8_mask(pushed); bits; bits &= bits - 1)
            push_particle(law, p, b, k + (size_t)__builtin_ctz(bits));
    }
}

// Forces at points are forces at corners, by the points' weights; the solid gets the opposite.
static void take_load(const Points* p, const GaussRule* rule, PatchLoad* out)
{
    F8 second = f8_load(rule->second), third = f8_load(rule->third);
    double corner[3][3];
    for (int e = 0; e < 3; e++) {
        double shear = (double)f8_sum(p->shear[e]), all = (double)f8_sum(p->sum[e]) + shear;
        corner[1][e] = (double)f8_sum(f8_mul(p->sum[e], second)) + shear * (double)rule->second[0];
        corner[2][e] = (double)f8_sum(f8_mul(p->sum[e], third)) + shear * (double)rule->third[0];
        corner[0][e] = all - corner[1][e] - corner[2][e];
    }
    for (int k = 0; k < 3; k++)
        out->corner[k] = vec3d_add(out->corner[k], vec3d(-corner[k][0], -corner[k][1], -corner[k][2]));
    out->is_wet = out->is_wet || p->is_wet;
}

// --- particles near a group

typedef struct Bounds {
    F8 low[3], high[3];
} Bounds;

static Bounds bounds_of(Box3d box)
{
    return (Bounds){{f8_set((float)box.min.x), f8_set((float)box.min.y), f8_set((float)box.min.z)},
                    {f8_set((float)box.max.x), f8_set((float)box.max.y), f8_set((float)box.max.z)}};
}

// Adds the particles of a run within the bounds from `at` on, until the batch is full; returns where it stopped.
static uint32_t add_run(const Fluid* fluid, const Bounds* box, uint32_t at, uint32_t end, Batch* b)
{
    for (; at < end && b->count + LANES <= BATCH; at += LANES) {
        F8 x, y, z, unused;
        f8_load4(fluid->position + at, &x, &y, &z, &unused); // readable beyond the last
        F8 in = f8_and(f8_and(f8_less(box->low[0], x), f8_less(x, box->high[0])),
                       f8_and(f8_and(f8_less(box->low[1], y), f8_less(y, box->high[1])),
                              f8_and(f8_less(box->low[2], z), f8_less(z, box->high[2]))));
        unsigned bits = f8_mask(in) & (end - at < LANES ? (1u << (end - at)) - 1 : 0xffu);
        b->count += i8_pack(b->index + b->count, i8_ramp(at), bits);
    }
    return at < end ? at : end;
}

// Reads what is needed of the particles.
static void load_batch(const GaussForces* g, Batch* b)
{
    const Fluid* fluid = &g->sph->fluid;
    for (size_t k = b->count; k % LANES; k++)
        b->index[k] = b->index[0];
    for (size_t k = 0; k < b->count; k += LANES) {
        F8 x, y, z, kind;
        f8_gather4(fluid->position, b->index + k, &x, &y, &z, &kind);
        f8_store(b->x + k, x);
        f8_store(b->y + k, y);
        f8_store(b->z + k, z);
        f8_gather4(fluid->velocity, b->index + k, &x, &y, &z, &kind);
        f8_store(b->vx + k, x);
        f8_store(b->vy + k, y);
        f8_store(b->vz + k, z);
        f8_store(b->viscosity + k, sph_lookup(g->viscosity, kind));
        f8_store(b->fx + k, f8_zero());
        f8_store(b->fy + k, f8_zero());
        f8_store(b->fz + k, f8_zero());
    }
    for (size_t k = b->count; k % LANES; k++)
        b->x[k] = FAR_AWAY;
}

static void list_pushes(const GaussForces* g, const Batch* b, size_t group)
{
    GaussPush* out = g->push + g->near.first[group] + g->pushes[group];
    const Sph* sph = g->sph;
    size_t count = 0;
    for (size_t k = 0; k < b->count; k++)
        if (b->fx[k] != 0 || b->fy[k] != 0 || b->fz[k] != 0) {
            uint32_t i = b->index[k];
            float inverse = 1 / (sph->mass_volume * sph->material[(int)sph->fluid.velocity[i].w].density);
            out[count++] = (GaussPush){b->fx[k] * inverse, b->fy[k] * inverse, b->fz[k] * inverse, i};
        }
    g->pushes[group] += (uint32_t)count;
}

static void finish_batch(const GaussForces* g, const Law* law, const GaussRule* rule, size_t group, Batch* b)
{
    if (b->count == 0)
        return;
    load_batch(g, b);
    for (size_t k = g->surfaces->group[group]; k < g->surfaces->group[group + 1]; k++) {
        Points p = points_of(g, &g->surfaces->patch[k], rule);
        act_on_batch(law, &g->surfaces->patch[k], &p, b);
        if (p.is_wet)
            take_load(&p, rule, &g->load[k]);
    }
    list_pushes(g, b, group);
    b->count = 0;
}

static void act_of_group(const GaussForces* g, const Law* law, const GaussRule* rule, size_t group, Batch* b)
{
    Run run[RUNS_AT_ONCE];
    Bounds bounds = bounds_of(gauss_group_box(&g->near, group));
    b->count = 0;
    for (size_t from = 0, found; (found = gauss_runs(&g->near, group, from, run)) > 0; from += found)
        for (size_t k = 0; k < found; k++)
            for (uint32_t at = run[k].begin; (at = add_run(&g->sph->fluid, &bounds, at, run[k].end, b)) < run[k].end;)
                finish_batch(g, law, rule, group, b);
    finish_batch(g, law, rule, group, b);
}

static void act_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const GaussForces* g = context;
    const GaussRule* rule = rule_of(g);
    Law law = law_of(g);
    Batch batch;
    for (size_t k = begin; k < end; k++) {
        size_t first = g->surfaces->group[k];
        g->pushes[k] = 0;
        if (g->near.runs[k] == 0) // dry: nobody reads its loads
            continue;
        memset(g->load + first, 0, (g->surfaces->group[k + 1] - first) * sizeof *g->load);
        act_of_group(g, &law, rule, k, &batch);
    }
}

// Each range of particles takes its own from the lists, which are in the same order for all.
static void take_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const GaussForces* g = context;
    Vec4* acceleration = g->sph->fluid.acceleration;
    for (size_t group = 0; group < g->surfaces->group_count; group++) {
        const GaussPush* p = g->push + g->near.first[group];
        for (size_t k = 0; k < g->pushes[group]; k++)
            if (p[k].particle - begin < end - begin) {
                Vec4* a = &acceleration[p[k].particle];
                a->x += p[k].x;
                a->y += p[k].y;
                a->z += p[k].z;
            }
    }
}

bool gauss_forces_place(GaussForces* g)
{
    return gauss_near_build(&g->near, g->memory, g->surfaces, g->sph, g->traction.h) &&
           memory_reserve(g->memory, &g->load, &g->load_capacity, 0, g->surfaces->count + 1, sizeof *g->load) &&
           memory_reserve(g->memory, &g->pushes, &g->pushes_capacity, 0, g->surfaces->group_count + 1, sizeof *g->pushes) &&
           memory_reserve(g->memory, &g->push, &g->push_capacity, 0, g->near.first[g->surfaces->group_count] + 1, sizeof *g->push);
}

void gauss_forces_act(GaussForces* g)
{
    size_t count = g->sph->fluid.set.count, ranges = (size_t)pool_threads(g->sph->pool);
    parallel_for(g->sph->pool, g->surfaces->group_count, GRAIN, act_block, g);
    if (count == 0)
        return;
    ranges = ranges < RANGES_MOST ? ranges : RANGES_MOST;
    parallel_for(g->sph->pool, count, (count + ranges - 1) / ranges, take_block, g);
}

void gauss_forces_free(GaussForces* g)
{
    gauss_near_free(&g->near);
    if (!g->memory)
        return;
    memory_give(g->memory, g->load);
    memory_give(g->memory, g->push);
    memory_give(g->memory, g->pushes);
}
