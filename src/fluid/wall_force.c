// SPDX-License-Identifier: MIT
#include "fluid/wall_force.h"

#include "fluid/mirror.h"
#include "fluid/tension/adhesion.h"
#include "fluid/viscosity/viscosity.h"
#include <string.h>

// Fixed number of blocks: partial sums per block and solid are added in order, for any number of threads.
enum { BLOCKS = 64 };

typedef struct Job {
    const Sph* sph;
    const Vec4* velocity;
    const Vec3d* centre;
    size_t solid_count;
    const bool* chosen; // (solids) or NULL: none
    bool adhesion;      // of these alone; otherwise all forces on all others
    Wrench* partial;    // (BLOCKS x solid_count)
    WallFriction friction[FLUIDS_MOST];
    float approach[FLUIDS_MOST], all[FLUIDS_MOST], density[FLUIDS_MOST]; // the same, as registers
} Job;

// `p` is what both solves of dfsph add up to; they act over the same step
static Vec3d pair_force(const Job* job, Vec4 x, Vec4 v, float p, uint32_t b, float c)
{
    const Sph* sph = job->sph;
    Vec4 xb = sph->walls.points.position[b], vb = sph->walls.points.velocity[b];
    p = mirror_is(sph, sph->walls.solid[b]) ? 0 : p; // see mirrored_push
    float dx = x.x - xb.x, dy = x.y - xb.y, dz = x.z - xb.z;
    float dot = (v.x - vb.x) * dx + (v.y - vb.y) * dy + (v.z - vb.z) * dz;
    WallFriction friction = job->friction[(int)v.w];
    float rho0 = sph->material[(int)v.w].density, h = sph->kernel.h;
    float drag = friction.approach * vb.w * fminf(dot, 0) + friction.all * sph->walls.viscosity[b] * dot;
    drag *= rho0 / (dx * dx + dy * dy + dz * dz + 0.01f * h * h);
    // the fluid particle's acceleration is V_b (drag - P_i) / rho0 grad W_ib; its mass is rho0 (2r)^d
    float f = job->adhesion ? 0 : sph->mass_volume * xb.w * (p - drag) * c * sph->kernel.gradient;
    f += sph->mass_volume * rho0 * adhesion_pair(sph, x, (int)v.w, b);
    return vec3d((double)(f * dx), (double)(f * dy), (double)(f * dz));
}

static bool counts(const Job* job, uint32_t solid)
{
    return (job->chosen && job->chosen[solid]) == job->adhesion;
}

// Pair by pair: chunks that touch more than one solid, or one that attracts fluids.
static void add_pairs(const Job* job, size_t k, Wrench* out)
{
    const Sph* sph = job->sph;
    const NearBoundary* near = sph->neighbours.chunk[k].near;
    const uint32_t first = job->adhesion ? sph->walls.points.part[1].base : 0;
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    for (uint32_t s = 0; s < near->slots; s++) {
        float c[LANES];
        f8_store(c, f8_load_half(coefficient + LANES * s));
        for (size_t lane = 0; lane < LANES && LANES * k + lane < sph->fluid.set.count; lane++) {
            uint32_t b = near->index[LANES * s + lane];
            if (!(c[lane] < 0) || b < first)
                continue;
            uint32_t solid = sph->walls.solid[b];
            if (!counts(job, solid))
                continue;
            size_t i = LANES * k + lane;
            float p = sph->fluid.position[i].w + sph->fluid.divergence_pressure[i];
            Vec4 v = job->velocity[i];
            v.w = sph->fluid.velocity[i].w;
            Vec3d f = pair_force(job, sph->fluid.position[i], v, p, b, c[lane]);
            Vec4 xb = sph->walls.points.position[b];
            Vec3d arm = vec3d_sub(vec3d((double)xb.x, (double)xb.y, (double)xb.z), job->centre[solid]);
            out[solid].force = vec3d_add(out[solid].force, f);
            out[solid].torque = vec3d_add(out[solid].torque, vec3d_cross(arm, f));
        }
    }
}

// Eight particles at a time: chunks that touch one solid. Pair forces are central, so their torque is that of a force at the
// fluid particle.
static void add_lanes(const Job* job, size_t k, size_t solid, Wrench* out)
{
    const Sph* sph = job->sph;
    const NearBoundary* near = sph->neighbours.chunk[k].near;
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    F8 x[3], v[3], p, kind, unused, fx = f8_zero(), fy = f8_zero(), fz = f8_zero();
    f8_load4(sph->fluid.position + LANES * k, &x[0], &x[1], &x[2], &p);
    f8_load4(sph->fluid.velocity + LANES * k, &v[0], &v[1], &v[2], &kind);
    f8_load4(job->velocity + LANES * k, &v[0], &v[1], &v[2], &unused);
    p = mirror_is(sph, solid) ? f8_zero() : f8_add(p, f8_load(sph->fluid.divergence_pressure + LANES * k));
    const F8 rho0 = sph_lookup(job->density, kind), epsilon = f8_set(0.01f * sph->kernel.h * sph->kernel.h);
    const F8 approach = f8_mul(rho0, sph_lookup(job->approach, kind)), all = f8_mul(rho0, sph_lookup(job->all, kind));
    for (uint32_t s = 0; s < near->slots; s++) {
        const uint32_t* index = near->index + LANES * s;
        WallPair w = wall_pair(sph, index, x, v);
        F8 drag = f8_mul(f8_mul(approach, w.friction), f8_min(w.dot, f8_zero()));
        drag = f8_div(f8_mad(f8_mul(all, w.wall), w.dot, drag), f8_add(w.r2, epsilon));
        F8 f = f8_mul(f8_mul(w.volume, f8_sub(p, drag)), f8_load_half(coefficient + LANES * s));
        fx = f8_mad(f, w.dx, fx);
        fy = f8_mad(f, w.dy, fy);
        fz = f8_mad(f, w.dz, fz);
    }
    float force[3][LANES];
    const F8 scale = f8_set(sph->mass_volume * sph->kernel.gradient);
    f8_store(force[0], f8_mul(fx, scale));
    f8_store(force[1], f8_mul(fy, scale));
    f8_store(force[2], f8_mul(fz, scale));
    for (size_t lane = 0; lane < LANES; lane++) { // lanes beyond the last particle have no force
        Vec4 xi = sph->fluid.position[LANES * k + lane];
        Vec3d f = vec3d((double)force[0][lane], (double)force[1][lane], (double)force[2][lane]);
        Vec3d arm = vec3d_sub(vec3d((double)xi.x, (double)xi.y, (double)xi.z), job->centre[solid]);
        out[solid].force = vec3d_add(out[solid].force, f);
        out[solid].torque = vec3d_add(out[solid].torque, vec3d_cross(arm, f));
    }
}

// What images push the fluid of a chunk with, their walls get back.
static int mirrored_push(const Sph* sph, size_t k, Vec3d force[LANES])
{
    F8 sum[3];
    float f[3][LANES];
    if (!mirror_push(sph, k, sum))
        return 0;
    const F8 scale = f8_set(sph->mass_volume * sph->volume * sph->kernel.gradient);
    for (int a = 0; a < 3; a++)
        f8_store(f[a], f8_mul(sum[a], scale));
    size_t rest = sph->fluid.set.count - LANES * k;
    int lanes = rest < LANES ? (int)rest : LANES;
    for (int n = 0; n < lanes; n++)
        force[n] = vec3d((double)f[0][n], (double)f[1][n], (double)f[2][n]);
    return lanes;
}

static void add_mirrored(const Job* job, size_t k, Wrench* out)
{
    Vec3d force[LANES];
    size_t solid = job->sph->mirror.solid;
    int lanes = mirrored_push(job->sph, k, force);
    for (int n = 0; n < lanes; n++) {
        Vec4 xi = job->sph->fluid.position[LANES * k + (size_t)n];
        Vec3d arm = vec3d_sub(vec3d((double)xi.x, (double)xi.y, (double)xi.z), job->centre[solid]);
        out[solid].force = vec3d_add(out[solid].force, force[n]);
        out[solid].torque = vec3d_add(out[solid].torque, vec3d_cross(arm, force[n]));
    }
}

static void force_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Wrench* out = job->partial + block * job->solid_count;
    for (size_t k = begin; k < end; k++) {
        const NearBoundary* near = job->sph->neighbours.chunk[k].near;
        if (mirror_any(job->sph) && !job->adhesion && counts(job, job->sph->mirror.solid))
            add_mirrored(job, k, out);
        if (!near)
            continue;
        int solid = job->adhesion || job->sph->walls.wetting ? -1 : near->solid;
        if (solid < 0)
            add_pairs(job, k, out);
        else if (counts(job, (uint32_t)solid))
            add_lanes(job, k, (size_t)solid, out);
    }
}

static bool sum_forces(Job* job, Sph* sph, Wrench* out)
{
    size_t solid_count = job->solid_count, chunks = block_count(sph->fluid.set.count, LANES);
    memset(out, 0, solid_count * sizeof *out);
    if (chunks == 0 || solid_count == 0)
        return true;
    size_t grain = block_count(chunks, BLOCKS), blocks = block_count(chunks, grain);
    if (!memory_reserve(sph->memory, &sph->scratch.wrench, &sph->scratch.wrench_capacity, 0, BLOCKS * solid_count, sizeof(Wrench)))
        return false;
    job->sph = sph;
    job->partial = sph->scratch.wrench;
    memset(job->partial, 0, BLOCKS * solid_count * sizeof(Wrench));
    for (int k = 0; k < sph->material_count; k++) {
        job->friction[k] = viscosity_at_wall(sph, k);
        job->approach[k] = job->friction[k].approach;
        job->all[k] = job->friction[k].all;
        job->density[k] = sph->material[k].density;
    }
    parallel_for(sph->pool, chunks, grain, force_block, job);
    for (size_t b = 0; b < blocks; b++)
        for (size_t s = 0; s < solid_count; s++) {
            out[s].force = vec3d_add(out[s].force, job->partial[b * solid_count + s].force);
            out[s].torque = vec3d_add(out[s].torque, job->partial[b * solid_count + s].torque);
        }
    return true;
}

bool wall_forces(Sph* sph, const Vec4* velocity, const Vec3d* centre, size_t solid_count, const bool* left_out, Wrench* out)
{
    Job job = {.velocity = velocity, .centre = centre, .solid_count = solid_count, .chosen = left_out};
    return sum_forces(&job, sph, out);
}

bool wall_adhesion(Sph* sph, const Vec3d* centre, size_t solid_count, const bool* which, Wrench* out)
{
    Job job = {.velocity = sph->fluid.velocity, .centre = centre, .solid_count = solid_count, .chosen = which, .adhesion = true};
    return sum_forces(&job, sph, out);
}

// --- parts of solids

static bool is_in_part(const WallPart* part, Vec4 xb)
{
    Vec3d x = quat_unrotate(part->pose.rotation, vec3d_sub(vec3d((double)xb.x, (double)xb.y, (double)xb.z), part->pose.position));
    x = vec3d_add(quat_rotate(part->start.rotation, x), part->start.position);
    const Box3d* b = &part->box;
    return x.x >= b->min.x && x.y >= b->min.y && x.z >= b->min.z && x.x < b->max.x && x.y < b->max.y && x.z < b->max.z;
}

// The place on a mirroring wall that fluid at x pushes.
static Vec4 place_on_wall(const Mirror* mirror, Vec4 x)
{
    float least = INFINITY, place = 0, at[3] = {x.x, x.y, x.z};
    int axis = 0;
    for (int k = 0; k < 3; k++)
        for (int side = 0; side < 2; side++) {
            float wall = side ? mirror->high[k] : mirror->low[k], far = fabsf(at[k] - wall);
            if (far < least) {
                least = far;
                axis = k;
                place = wall;
            }
        }
    at[axis] = place;
    return (Vec4){at[0], at[1], at[2], 0};
}

static void add_mirrored_part(const Sph* sph, size_t k, WallPart* part)
{
    Vec3d force[LANES];
    int lanes = mirrored_push(sph, k, force);
    for (int n = 0; n < lanes; n++) {
        Vec4 place = place_on_wall(&sph->mirror, sph->fluid.position[LANES * k + (size_t)n]);
        if (!is_in_part(part, place))
            continue;
        Vec3d arm = vec3d_sub(vec3d((double)place.x, (double)place.y, (double)place.z), part->centre);
        part->force = vec3d_add(part->force, force[n]);
        part->torque = vec3d_add(part->torque, vec3d_cross(arm, force[n]));
    }
}

// Few pairs of few probes: one after the other.
void wall_part_force(Sph* sph, const Vec4* velocity, WallPart* part)
{
    Job job = {.sph = sph, .velocity = velocity};
    for (int k = 0; k < sph->material_count; k++)
        job.friction[k] = viscosity_at_wall(sph, k);
    part->force = part->torque = vec3d(0, 0, 0);
    for (size_t k = 0; k < block_count(sph->fluid.set.count, LANES); k++) {
        const NearBoundary* near = sph->neighbours.chunk[k].near;
        if (mirror_is(sph, part->solid))
            add_mirrored_part(sph, k, part);
        if (!near || (near->solid >= 0 && (size_t)near->solid != part->solid))
            continue;
        const uint16_t* coefficient = list_coefficients(near->index, near->slots);
        for (uint32_t s = 0; s < near->slots; s++) {
            float c[LANES];
            f8_store(c, f8_load_half(coefficient + LANES * s));
            for (size_t lane = 0; lane < LANES && LANES * k + lane < sph->fluid.set.count; lane++) {
                uint32_t b = near->index[LANES * s + lane];
                size_t i = LANES * k + lane;
                if (!(c[lane] < 0) || sph->walls.solid[b] != part->solid || !is_in_part(part, sph->walls.points.position[b]))
                    continue;
                Vec4 v = velocity[i];
                v.w = sph->fluid.velocity[i].w;
                float p = sph->fluid.position[i].w + sph->fluid.divergence_pressure[i];
                Vec4 xb = sph->walls.points.position[b];
                Vec3d f = pair_force(&job, sph->fluid.position[i], v, p, b, c[lane]);
                Vec3d arm = vec3d_sub(vec3d((double)xb.x, (double)xb.y, (double)xb.z), part->centre);
                part->force = vec3d_add(part->force, f);
                part->torque = vec3d_add(part->torque, vec3d_cross(arm, f));
            }
        }
    }
}
