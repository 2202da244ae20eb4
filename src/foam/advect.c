// SPDX-License-Identifier: MIT
// How diffuse particles move in a step, by their kind (Ihmsen et al. 2012), each exactly for a constant fluid velocity:
//   spray    dv/dt = g - k_a v                              flies, and air slows it down
//   foam     dx/dt = v_f                                    goes with the fluid
//   bubbles  dv/dt = -k_b g + k_d (v_f - v)                 rises at k_b g / k_d relative to the fluid in the end
// where v_f = sum_j v_j W_j / sum_j W_j is the mean velocity of the fluid around. The paper writes the drag of bubbles as a share
// of the difference per step; a rate in 1/s does the same for any length of step. Foam lives for its lifetime; spray and bubbles
// live four times as long, so that what lies on dry ground or hangs below a ceiling goes too.
#include "base/random.h"
#include "base/reduce.h"
#include "foam/foam.h"
#include "particles/kernel.h"

enum { GRAIN = 1024 };

static const double SLOW = 0.25; // spray and bubbles age by this share

typedef struct Job {
    Foam* foam;
    const FoamFluid* fluid;
    const FoamSides* sides;
    double dt;
} Job;

typedef struct Motion {
    Vec3d step;     // [m]
    Vec3d velocity; // [m/s] after it
} Motion;

// --- the fluid around a point

typedef struct Flow {
    int neighbours;
    Vec3d velocity; // [m/s] mean; zero if there are none
} Flow;

static Flow flow_at(const Job* job, FoamAround* around, Vec4 x)
{
    float h = (float)job->foam->rules.support_radius;
    F8 sum_x = f8_zero(), sum_y = f8_zero(), sum_z = f8_zero(), sum = f8_zero();
    Flow flow = {0, {0, 0, 0}};
    if (!foam_runs(around, job->fluid, x))
        return flow;
    for (int r = 0; r < around->runs; r++)
        for (uint32_t k = around->begin[r]; k < around->end[r]; k += LANES) {
            FoamPairs p = foam_pairs(job->fluid, x, h * h, k, around->end[r]);
            if (!p.bits)
                continue;
            flow.neighbours += __builtin_popcount(p.bits);
            F8 w = kernel8_w(MN_KERNEL_CUBIC, f8_div(f8_sqrt(p.r2), f8_set(h)));
            F8 vx, vy, vz, unused;
            f8_load4(job->fluid->velocity + k, &vx, &vy, &vz, &unused);
            w = f8_and(w, p.near);
            sum = f8_add(sum, w);
            sum_x = f8_add(sum_x, f8_and(f8_mul(w, vx), p.near)); // what stands beyond the end may be nan
            sum_y = f8_add(sum_y, f8_and(f8_mul(w, vy), p.near));
            sum_z = f8_add(sum_z, f8_and(f8_mul(w, vz), p.near));
        }
    double weight = (double)f8_sum(sum);
    if (weight > 0)
        flow.velocity = vec3d((double)f8_sum(sum_x) / weight, (double)f8_sum(sum_y) / weight, (double)f8_sum(sum_z) / weight);
    return flow;
}

int foam_neighbours_at(const Foam* foam, FoamAround* around, const FoamFluid* fluid, Vec4 x)
{
    float h = (float)foam->rules.support_radius;
    int count = 0;
    foam_runs(around, fluid, x);
    for (int r = 0; r < around->runs; r++)
        for (uint32_t k = around->begin[r]; k < around->end[r]; k += LANES)
            count += __builtin_popcount(foam_pairs(fluid, x, h * h, k, around->end[r]).bits);
    return count;
}

// --- motion

// dv/dt = a - k v over dt, exactly; for k = 0 a parabola.
static Motion relax(Vec3d v, Vec3d a, double k, double dt)
{
    if (!(k * dt > 1e-9))
        return (Motion){vec3d_mad(vec3d_scale(v, dt), 0.5 * dt * dt, a), vec3d_mad(v, dt, a)};
    Vec3d end = vec3d_scale(a, 1 / k), off = vec3d_sub(v, end);
    double left = exp(-k * dt), way = -expm1(-k * dt) / k;
    return (Motion){vec3d_mad(vec3d_scale(end, dt), way, off), vec3d_mad(end, left, off)};
}

static Motion motion_of(const FoamRules* rules, FoamKind kind, Vec3d v, Vec3d flow, double dt)
{
    if (kind == FOAM_SPRAY)
        return relax(v, rules->gravity, rules->air_drag, dt);
    if (kind == FOAM_FOAM)
        return (Motion){vec3d_scale(flow, dt), flow};
    Motion relative = relax(vec3d_sub(v, flow), vec3d_scale(rules->gravity, -rules->buoyancy), rules->drag, dt);
    return (Motion){vec3d_mad(relative.step, dt, flow), vec3d_add(relative.velocity, flow)};
}

static double aged(const FoamRules* rules, uint32_t id, FoamKind kind, double life, double dt)
{
    Random random = {random_mix(rules->seed ^ ~(uint64_t)id)};
    double rate = (kind == FOAM_FOAM ? 1 : SLOW) / (rules->lifetime * (0.5 + random_unit(&random)));
    return life - rate * dt;
}

static void advect_one(const Job* job, FoamAround* around, size_t i)
{
    Foam* foam = job->foam;
    const FoamRules* rules = &foam->rules;
    Vec4 x = foam->position[i], w = foam->velocity[i];
    Flow flow = flow_at(job, around, x);
    FoamKind kind = foam_kind(rules, (FoamKind)foam->kind[i], flow.neighbours);
    Motion motion = motion_of(rules, kind, vec3d((double)w.x, (double)w.y, (double)w.z), flow.velocity, job->dt);
    Vec3d from = {(double)x.x, (double)x.y, (double)x.z}, to = vec3d_add(from, motion.step), v = motion.velocity;
    double life = aged(rules, foam->id[i], kind, (double)x.w, job->dt);
    bool touched, ok = life > 0 && rules->share[kind] > 0 && vec3d_finite(to);
    if (ok && job->sides)
        ok = foam_sides_move(job->sides, job->dt, from, &to, &v, &touched);
    foam->kind[i] = (uint8_t)kind;
    foam->gone[i] = !ok;
    foam->position[i] = (Vec4){(float)to.x, (float)to.y, (float)to.z, (float)life};
    foam->velocity[i] = (Vec4){(float)v.x, (float)v.y, (float)v.z, w.w + (float)job->dt};
}

static void advect_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    FoamAround around = {.known = false};
    for (size_t i = begin; i < end; i++)
        advect_one(job, &around, i);
}

void foam_advect(Foam* foam, const FoamFluid* fluid, const FoamSides* sides, double dt)
{
    Job job = {foam, fluid, sides, dt};
    parallel_for(foam->pool, foam->set.count, GRAIN, advect_block, &job);
}
