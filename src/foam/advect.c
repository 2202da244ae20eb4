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

// dv/dt = a - k v over a step, exactly: the velocity relative to its end a / k is `left` of what it was after it, and takes its
// particle as far as it would in the time `way`.
typedef struct Relax {
    double dt, rate; // [s], [1/s] k; 0: a parabola
    double left;     // [1]
    double way;      // [s]
} Relax;

typedef struct Job {
    Foam* foam;
    const FoamFluid* fluid;
    const FoamSides* sides;
    double dt;
    Relax in_air, in_fluid;
    uint32_t* groups; // (blocks) that particles fell into
} Job;

typedef struct Motion {
    Vec3d step;     // [m]
    Vec3d velocity; // [m/s] after it
} Motion;

// --- the fluid around points

typedef struct Flow {
    F8 neighbours;      // [1]
    F8 weight, x, y, z; // [1] sum of weights, [m/s] sums of velocities times weights
} Flow;

static Flow flow_around(FoamGroup* group)
{
    Flow flow = {f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero()};
    F8 inverse = f8_set(1 / group->h), one = f8_set(1);
    while (foam_group_next(group))
        for (int k = 0; k < group->near_count; k++) {
            uint32_t j = group->near[k];
            FoamNear p = foam_near(group, j);
            Vec4 v = group->fluid->velocity[j];
            F8 w = f8_and(kernel8_w(MN_KERNEL_CUBIC, f8_mul(f8_sqrt(p.r2), inverse)), p.near);
            flow.neighbours = f8_add(flow.neighbours, f8_and(one, p.near));
            flow.weight = f8_add(flow.weight, w);
            flow.x = f8_mad(w, f8_set(v.x), flow.x);
            flow.y = f8_mad(w, f8_set(v.y), flow.y);
            flow.z = f8_mad(w, f8_set(v.z), flow.z);
        }
    return flow;
}

int foam_neighbours_at(FoamGroup* group, Vec4 x)
{
    F8 count = f8_zero();
    float lane[LANES];
    foam_group_begin(group, &x, 1);
    while (foam_group_next(group))
        for (int k = 0; k < group->near_count; k++)
            count = f8_add(count, f8_and(f8_set(1), foam_near(group, group->near[k]).near));
    f8_store(lane, count);
    return (int)lane[0];
}

// --- motion

static Relax relax_of(double rate, double dt)
{
    if (!(rate * dt > 1e-9))
        return (Relax){.dt = dt};
    return (Relax){dt, rate, exp(-rate * dt), -expm1(-rate * dt) / rate};
}

static Motion relax(const Relax* r, Vec3d v, Vec3d a)
{
    if (!(r->rate > 0))
        return (Motion){vec3d_mad(vec3d_scale(v, r->dt), 0.5 * r->dt * r->dt, a), vec3d_mad(v, r->dt, a)};
    Vec3d end = vec3d_scale(a, 1 / r->rate), off = vec3d_sub(v, end);
    return (Motion){vec3d_mad(vec3d_scale(end, r->dt), r->way, off), vec3d_mad(end, r->left, off)};
}

static Motion motion_of(const Job* job, FoamKind kind, Vec3d v, Vec3d flow)
{
    const FoamRules* rules = &job->foam->rules;
    if (kind == FOAM_SPRAY)
        return relax(&job->in_air, v, rules->gravity);
    if (kind == FOAM_FOAM)
        return (Motion){vec3d_scale(flow, job->dt), flow};
    Motion relative = relax(&job->in_fluid, vec3d_sub(v, flow), vec3d_scale(rules->gravity, -rules->buoyancy));
    return (Motion){vec3d_mad(relative.step, job->dt, flow), vec3d_add(relative.velocity, flow)};
}

static double aged(const FoamRules* rules, uint32_t id, FoamKind kind, double life, double dt)
{
    Random random = {random_mix(rules->seed ^ ~(uint64_t)id)};
    double rate = (kind == FOAM_FOAM ? 1 : SLOW) / (rules->lifetime * (0.5 + random_unit(&random)));
    return life - rate * dt;
}

static double image(const Period* period, int axis, double x)
{
    return period_holds(period, axis, x) ? x : (double)period_image(period, axis, (float)x);
}

bool foam_into_domain(const FoamRules* rules, const FoamSides* sides, Vec3d* x)
{
    const Period* p = &rules->period;
    if (!p->any || period_holds_point(p, *x))
        return true;
    *x = vec3d(image(p, 0, x->x), image(p, 1, x->y), image(p, 2, x->z));
    return !sides || !foam_sides_is_wrong(sides, *x);
}

// One particle, with so many neighbours and the mean velocity of the fluid around.
static void advect_one(const Job* job, size_t i, int neighbours, Vec3d flow)
{
    Foam* foam = job->foam;
    const FoamRules* rules = &foam->rules;
    Vec4 x = foam->position[i], w = foam->velocity[i];
    FoamKind kind = foam_kind(rules, (FoamKind)foam->kind[i], neighbours);
    Motion motion = motion_of(job, kind, vec3d((double)w.x, (double)w.y, (double)w.z), flow);
    Vec3d from = {(double)x.x, (double)x.y, (double)x.z}, to = vec3d_add(from, motion.step), v = motion.velocity;
    double life = aged(rules, foam->id[i], kind, (double)x.w, job->dt);
    bool touched, ok = life > 0 && rules->share[kind] > 0 && vec3d_finite(to);
    if (ok && job->sides)
        ok = foam_sides_move(job->sides, job->dt, from, &to, &v, &touched);
    ok = ok && foam_into_domain(rules, job->sides, &to);
    foam->kind[i] = (uint8_t)kind;
    foam->gone[i] = !ok;
    foam->position[i] = (Vec4){(float)to.x, (float)to.y, (float)to.z, (float)life};
    foam->velocity[i] = (Vec4){(float)v.x, (float)v.y, (float)v.z, w.w + (float)job->dt};
}

static void advect_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Foam* foam = job->foam;
    FoamGroup group;
    foam_group_init(&group, job->fluid, (float)foam->rules.support_radius);
    uint32_t groups = 0;
    for (size_t i = begin; i < end; groups++) {
        int count = foam_group_begin(&group, foam->position + i, end - i);
        Flow flow = flow_around(&group);
        F8 some = f8_less(f8_zero(), flow.weight), inverse = f8_and(f8_div(f8_set(1), flow.weight), some);
        float n[LANES], x[LANES], y[LANES], z[LANES];
        f8_store(n, flow.neighbours);
        f8_store(x, f8_mul(flow.x, inverse));
        f8_store(y, f8_mul(flow.y, inverse));
        f8_store(z, f8_mul(flow.z, inverse));
        for (int k = 0; k < count; k++, i++)
            advect_one(job, i, (int)n[k], vec3d((double)x[k], (double)y[k], (double)z[k]));
    }
    job->groups[block] = groups;
}

bool foam_advect(Foam* foam, const FoamFluid* fluid, const FoamSides* sides, double dt)
{
    const FoamRules* rules = &foam->rules;
    size_t blocks = block_count(foam->set.count, GRAIN), groups = 0;
    if (!memory_reserve(foam->memory, &foam->groups, &foam->groups_capacity, 0, blocks + 1, sizeof *foam->groups))
        return false;
    Job job = {foam, fluid, sides, dt, relax_of(rules->air_drag, dt), relax_of(rules->drag, dt), foam->groups};
    parallel_for(foam->pool, foam->set.count, GRAIN, advect_block, &job);
    for (size_t k = 0; k < blocks; k++)
        groups += foam->groups[k];
    foam->filled = groups ? (double)foam->set.count / (double)groups : 0;
    return true;
}
