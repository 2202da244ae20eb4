// SPDX-License-Identifier: MIT
// Movers in a pressure solve (strong coupling). With the fluid alone a solve looks for the minimum of a quadratic function of P
// over P >= 0 (pressure/jacobi.c); movers add the term
//   K = sum_B U_B M_B^-1 U_B^T V0,      M_B mass and inertia of mover B
// which is large for light bodies: a ball of 1 kg/m3 weighs a thousandth of the layer of water around it. A diagonal step would
// have to be that much shorter. So the step is taken in the metric D / omega + K instead of D / omega, exactly:
//   P_i(y) = max(0, P_i + omega rho0_i / (dt^2 D_i) (e_i - dt^2 sum_B y_B . U_iB)),   y_B = M_B^-1 V0 sum_i U_iB (P_i(y) - P_i)
// y is the change of the movers' accelerations that the step itself brings about: six unknowns per mover, found by Newton's
// method over the few particles that touch it. Iterations then do not depend on how light a body is.
//
// Rebound: particles push as soon as they are full, also those that see a body from the edge of their support, where it must move
// far to make room. A heavy body lets the fluid do that; a light one flies off, much faster than the fluid that pushed it (1.5 m/s
// and more from water at 0.5 m/s, the better solved the faster). In a plastic impact both have one speed afterwards. Of a push J
// the share
//   lambda = (J . (v_B, w_B) - sum_i J_i . v_i) / (J . M_B^-1 J + sum_i J_i^2 / m_i)
// is therefore taken back, from body and particles alike, so that momentum is kept.
#include "fluid/reaction.h"

#include "fluid/viscosity/viscosity.h"
#include <string.h>

// Share of a spacing by which a mover may still change its mind.
static const double SETTLED = 1e-4;

enum { WIDTH = 28 }; // sums per mover: 6 of a vector, 21 of a symmetric matrix, 1 to spare

void reaction_free(Reaction* r)
{
    for (int k = 0; k < TOUCH_BLOCKS; k++)
        memory_give(r->memory, r->block[k].touch);
    void* arrays[] = {r->mover, r->mover_of, r->partial, r->matrix, r->answer};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(r->memory, arrays[k]);
    memset(r, 0, sizeof *r);
}

static inline void twist_to(const Twist* t, double out[6])
{
    out[0] = t->linear.x, out[1] = t->linear.y, out[2] = t->linear.z;
    out[3] = t->angular.x, out[4] = t->angular.y, out[5] = t->angular.z;
}

static inline Twist twist_from(const double in[6])
{
    return (Twist){{in[0], in[1], in[2]}, {in[3], in[4], in[5]}};
}

static inline Twist twist_mad(Twist a, double s, Twist b)
{
    return (Twist){vec3d_mad(a.linear, s, b.linear), vec3d_mad(a.angular, s, b.angular)};
}

Twist reaction_mobility(const Mover* m, Twist f)
{
    return (Twist){vec3d_scale(f.linear, m->inverse_mass), mat3d_times(m->inverse_inertia, f.angular)};
}

static inline float dot6(const float u[6], const float v[6])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2] + u[3] * v[3] + u[4] * v[4] + u[5] * v[5];
}

// --- who touches whom

typedef struct BuildJob {
    Sph* sph;
    Reaction* reaction;
    size_t grain;
    WallFriction rub[FLUIDS_MOST];
} BuildJob;

static Touch* find_touch(TouchBlock* block, size_t first, uint32_t particle, uint32_t mover, Memory* memory)
{
    for (size_t k = block->count; k > first; k--) {
        Touch* t = &block->touch[k - 1];
        if (t->particle == particle && t->mover == mover)
            return t;
        block->crowded |= t->particle == particle;
    }
    if (!memory_reserve(memory, &block->touch, &block->capacity, block->count, block->count + 1, sizeof *block->touch)) {
        block->failed = true;
        return NULL;
    }
    Touch* t = &block->touch[block->count++];
    *t = (Touch){.particle = particle, .mover = mover};
    return t;
}

// Adds one pair; returns how strongly it rubs [kg/s].
static double add_pair(const BuildJob* job, Touch* touch, uint32_t i, uint32_t b, float c)
{
    const Sph* sph = job->sph;
    const Mover* m = &job->reaction->mover[touch->mover];
    Vec4 x = sph->fluid.position[i], xb = sph->boundary.position[b];
    float dx = x.x - xb.x, dy = x.y - xb.y, dz = x.z - xb.z, f = xb.w * c * sph->kernel.gradient;
    float gx = f * dx, gy = f * dy, gz = f * dz;
    float ax = (float)((double)xb.x - m->centre.x), ay = (float)((double)xb.y - m->centre.y),
          az = (float)((double)xb.z - m->centre.z);
    touch->u[0] += gx;
    touch->u[1] += gy;
    touch->u[2] += gz;
    touch->u[3] += ay * gz - az * gy;
    touch->u[4] += az * gx - ax * gz;
    touch->u[5] += ax * gy - ay * gx;
    int kind = (int)sph->fluid.velocity[i].w;
    float r2 = dx * dx + dy * dy + dz * dz, h = sph->kernel.h;
    float nu = job->rub[kind].approach * sph->boundary.velocity[b].w + job->rub[kind].all * sph->boundary_wall_viscosity[b];
    return (double)(-sph->mass_volume * sph->material[kind].density * nu * f * r2 / (r2 + 0.01f * h * h));
}

static void build_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const BuildJob* job = context;
    const Sph* sph = job->sph;
    Reaction* r = job->reaction;
    TouchBlock* block = &r->block[number];
    double* rub = r->partial + number * r->mover_count;
    const uint32_t moving = sph->boundary.part[1].base;
    for (size_t k = begin; k < end; k++) {
        const NearBoundary* near = sph->neighbours.chunk[k].near;
        if (!near)
            continue;
        const uint16_t* coefficient = list_coefficients(near->index, near->slots);
        const size_t first = block->count;
        for (uint32_t s = 0; s < near->slots; s++) {
            float c[LANES];
            f8_store(c, f8_load_half(coefficient + LANES * s));
            for (uint32_t lane = 0; lane < LANES && LANES * k + lane < sph->fluid.count; lane++) {
                uint32_t b = near->index[LANES * s + lane], i = (uint32_t)(LANES * k + lane);
                if (!(c[lane] < 0) || b < moving) // padding has c = 0
                    continue;
                int32_t m = r->mover_of[sph->boundary_solid[b]];
                Touch* touch = m < 0 ? NULL : find_touch(block, first, i, (uint32_t)m, r->memory);
                if (touch)
                    rub[m] += add_pair(job, touch, i, b, c[lane]);
            }
        }
    }
}

static bool reserve(Sph* sph)
{
    Reaction* r = sph->reaction;
    size_t movers = r->mover_count ? r->mover_count : 1; // held bodies alone are no movers; arrays exist all the same
    return memory_reserve(r->memory, &r->partial, &r->partial_capacity, 0, TOUCH_BLOCKS * movers * WIDTH, sizeof *r->partial) &&
           memory_reserve(r->memory, &r->matrix, &r->matrix_capacity, 0, movers * 64, sizeof *r->matrix) &&
           memory_reserve(r->memory, &r->answer, &r->answer_capacity, 0, sph->fluid.capacity + 16, sizeof *r->answer);
}

bool reaction_build(Sph* sph)
{
    Reaction* r = sph->reaction;
    size_t chunks = block_count(sph->fluid.count, LANES);
    for (int b = 0; b < TOUCH_BLOCKS; b++)
        r->block[b].count = 0, r->block[b].crowded = r->block[b].failed = false;
    if (!reserve(sph))
        return false;
    memset(r->answer, 0, sph->fluid.count * sizeof *r->answer);
    memset(r->partial, 0, TOUCH_BLOCKS * r->mover_count * sizeof *r->partial);
    BuildJob job = {.sph = sph, .reaction = r, .grain = block_count(chunks, TOUCH_BLOCKS)};
    for (int k = 0; k < sph->material_count; k++)
        job.rub[k] = viscosity_at_wall(sph, k);
    if (chunks)
        parallel_for(sph->pool, chunks, job.grain, build_block, &job);
    bool ok = true;
    for (size_t m = 0; m < r->mover_count; m++) {
        r->mover[m].rub = 0;
        for (int b = 0; b < TOUCH_BLOCKS; b++)
            r->mover[m].rub += r->partial[(size_t)b * r->mover_count + m];
    }
    r->crowded = false;
    for (int b = 0; b < TOUCH_BLOCKS; b++) {
        ok &= !r->block[b].failed;
        r->crowded |= r->block[b].crowded;
    }
    return ok;
}

// --- passes over the touches

typedef struct PassJob {
    Sph* sph;
    Reaction* reaction;
    const ReactionStep* step;
    float* out;
    float dt;
} PassJob;

static void for_blocks(Sph* sph, WorkFn* work, PassJob* job)
{
    job->sph = sph;
    job->reaction = sph->reaction;
    parallel_for(sph->pool, TOUCH_BLOCKS, 1, work, job);
}

static double* partial_of(const Reaction* r, size_t block, size_t mover)
{
    return r->partial + (block * r->mover_count + mover) * WIDTH;
}

static void clear_partial(const Reaction* r, size_t block)
{
    memset(partial_of(r, block, 0), 0, r->mover_count * WIDTH * sizeof(double));
}

static void sum_partial(const Reaction* r, size_t mover, double out[WIDTH])
{
    memset(out, 0, WIDTH * sizeof *out);
    for (size_t b = 0; b < TOUCH_BLOCKS; b++) {
        const double* p = partial_of(r, b, mover);
        for (int k = 0; k < WIDTH; k++)
            out[k] += p[k];
    }
}

static void force_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const PassJob* job = context;
    const Reaction* r = job->reaction;
    const TouchBlock* block = &r->block[number];
    const Vec4* x = job->sph->fluid.position;
    clear_partial(r, number);
    for (size_t k = 0; k < block->count; k++) {
        const Touch* t = &block->touch[k];
        double *sum = partial_of(r, number, t->mover), p = (double)x[t->particle].w;
        for (int c = 0; c < 6; c++)
            sum[c] += p * (double)t->u[c];
    }
}

void reaction_pressure(Sph* sph)
{
    Reaction* r = sph->reaction;
    PassJob job = {0};
    for_blocks(sph, force_block, &job);
    for (size_t m = 0; m < r->mover_count; m++) {
        double sum[WIDTH];
        sum_partial(r, m, sum);
        for (int c = 0; c < 6; c++)
            sum[c] *= (double)sph->mass_volume;
        r->mover[m].force = twist_from(sum);
        r->mover[m].acceleration = reaction_mobility(&r->mover[m], r->mover[m].force);
    }
}

// out_i -= (motion of the movers) . U; the motion of mover m stands at matrix[64 m]
static void motion_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const PassJob* job = context;
    const Reaction* r = job->reaction;
    const TouchBlock* block = &r->block[number];
    float* out = job->out;
    for (size_t k = 0; k < block->count; k++) {
        const Touch* t = &block->touch[k];
        const double* v = r->matrix + 64 * t->mover;
        const float motion[6] = {(float)v[0], (float)v[1], (float)v[2], (float)v[3], (float)v[4], (float)v[5]};
        out[t->particle] -= dot6(motion, t->u);
    }
}

void reaction_gained(Sph* sph)
{
    Reaction* r = sph->reaction;
    if (!r->strong)
        return;
    for (size_t m = 0; m < r->mover_count; m++)
        twist_to(&r->mover[m].gain, r->matrix + 64 * m);
    PassJob job = {.out = sph->fluid.divergence};
    for_blocks(sph, motion_block, &job);
}

void reaction_accelerated(Sph* sph)
{
    Reaction* r = sph->reaction;
    if (!r->strong)
        return;
    for (size_t m = 0; m < r->mover_count; m++)
        twist_to(&r->mover[m].acceleration, r->matrix + 64 * m);
    PassJob job = {.out = sph->fluid.divergence};
    for_blocks(sph, motion_block, &job);
}

void reaction_displaced(Sph* sph, float dt, float* density)
{
    Reaction* r = sph->reaction;
    if (!r->strong)
        return;
    for (size_t m = 0; m < r->mover_count; m++) {
        Twist way = twist_mad(r->mover[m].gain, (double)dt, r->mover[m].acceleration);
        way = twist_mad((Twist){0}, (double)dt, way);
        twist_to(&way, r->matrix + 64 * m);
    }
    PassJob job = {.out = density};
    for_blocks(sph, motion_block, &job);
}

// --- the answer

static inline float step_of(const PassJob* job, uint32_t i)
{
    const Sph* sph = job->sph;
    const float least = 1e-6f / (sph->kernel.h * sph->kernel.h);
    const ReactionStep* s = job->step;
    float d = sph->fluid.diagonal[i] < s->prototype ? s->prototype : sph->fluid.diagonal[i];
    return d > least ? s->omega * sph->material[(int)sph->fluid.velocity[i].w].density / (s->dt * s->dt * d) : 0;
}

// Sums of U (P(y) - P) and, over the particles that P(y) leaves free, of step U U^T. answer holds dt^2 y . U.
static void newton_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const PassJob* job = context;
    const Reaction* r = job->reaction;
    const Fluid* fluid = &job->sph->fluid;
    const TouchBlock* block = &r->block[number];
    const float dt2 = job->step->dt * job->step->dt;
    clear_partial(r, number);
    for (size_t k = 0; k < block->count; k++) {
        const Touch* t = &block->touch[k];
        uint32_t i = t->particle;
        float error = job->step->error(job->step->context, i);
        float step = step_of(job, i), at = fluid->position[i].w, p = at + step * (error - r->answer[i]);
        double *sum = partial_of(r, number, t->mover), change = step > 0 && p > 0 ? (double)(p - at) : (double)-at;
        double weight = step > 0 && p > 0 ? (double)(step * dt2) : 0;
        int n = 6;
        for (int a = 0; a < 6; a++) {
            sum[a] += change * (double)t->u[a];
            for (int b = 0; b <= a; b++)
                sum[n++] += weight * (double)t->u[a] * (double)t->u[b];
        }
    }
}

static void answer_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const PassJob* job = context;
    Reaction* r = job->reaction;
    const TouchBlock* block = &r->block[number];
    const float dt2 = job->step->dt * job->step->dt;
    for (size_t k = 0; k < block->count; k++)
        r->answer[block->touch[k].particle] = 0;
    for (size_t k = 0; k < block->count; k++) {
        const Touch* t = &block->touch[k];
        const double* y = r->matrix + 64 * t->mover;
        const float motion[6] = {(float)y[0], (float)y[1], (float)y[2], (float)y[3], (float)y[4], (float)y[5]};
        r->answer[t->particle] += dt2 * dot6(motion, t->u);
    }
}

// Solves a x = b in place (6 x 6, Gaussian elimination with pivoting); a is not kept.
static void solve_6x6(double a[6][6], double b[6])
{
    for (int k = 0; k < 6; k++) {
        int pivot = k;
        for (int i = k + 1; i < 6; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        for (int j = 0; j < 6; j++) {
            double swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int i = k + 1; i < 6; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < 6; j++)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = 5; k >= 0; k--) {
        for (int j = k + 1; j < 6; j++)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

// One Newton step for y of a mover: y - M^-1 V0 sum U (P(y) - P) = 0. Returns how much y changed, relative.
static double newton_step(const Sph* sph, const Mover* mover, const double sum[WIDTH], double crowd, double y[6])
{
    double volume = (double)sph->mass_volume, a[6][6], b[6], s[6], column[6];
    for (int c = 0; c < 6; c++)
        s[c] = sum[c] * volume;
    Twist wanted_twist = reaction_mobility(mover, twist_from(s));
    twist_to(&wanted_twist, b);
    for (int j = 0; j < 6; j++) {
        for (int i = 0; i < 6; i++) {
            int hi = i > j ? i : j, lo = i > j ? j : i;
            column[i] = crowd * volume * sum[6 + hi * (hi + 1) / 2 + lo];
        }
        Twist moved = reaction_mobility(mover, twist_from(column));
        twist_to(&moved, column);
        for (int i = 0; i < 6; i++)
            a[i][j] = column[i] + (i == j ? 1 : 0);
    }
    double size = 0, change = 0;
    for (int c = 0; c < 6; c++)
        b[c] -= y[c];
    solve_6x6(a, b);
    for (int c = 0; c < 6; c++) {
        y[c] += b[c];
        size += y[c] * y[c];
        change += b[c] * b[c];
    }
    return size > 0 ? sqrt(change / size) : 0;
}

static void find_answer(Sph* sph, PassJob* job)
{
    Reaction* r = sph->reaction;
    enum { MOST_STEPS = 8 };
    for (size_t m = 0; m < r->mover_count; m++)
        memset(r->matrix + 64 * m, 0, 6 * sizeof(double));
    for_blocks(sph, answer_block, job);
    // bodies that share particles see each other's answers only in the next step: shorter steps keep that stable
    double crowd = r->crowded ? 2 : 1;
    for (int k = 0; k < MOST_STEPS; k++) {
        double most = 0;
        for_blocks(sph, newton_block, job);
        for (size_t m = 0; m < r->mover_count; m++) {
            double sum[WIDTH];
            sum_partial(r, m, sum);
            most = fmax(most, newton_step(sph, &r->mover[m], sum, crowd, r->matrix + 64 * m));
        }
        for_blocks(sph, answer_block, job);
        if (!(most > 1e-3))
            break;
    }
}

const float* reaction_give_way(Sph* sph, const ReactionStep* step)
{
    Reaction* r = sph->reaction;
    reaction_pressure(sph);
    if (!r->strong)
        return NULL;
    // densities were predicted with the velocity that movers had when the step began
    if (step->prototype > 0)
        reaction_displaced(sph, step->dt, sph->fluid.source);
    else
        reaction_accelerated(sph);
    PassJob job = {.step = step};
    find_answer(sph, &job);
    return r->answer;
}

static void room_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const PassJob* job = context;
    const TouchBlock* block = &job->reaction->block[number];
    for (size_t k = 0; k < block->count; k++) {
        uint32_t i = block->touch[k].particle;
        job->reaction->answer[i] = fminf(0, job->sph->fluid.density[i] - 1);
    }
}

const float* reaction_room(Sph* sph)
{
    PassJob job = {0};
    if (!sph->reaction->strong)
        return NULL;
    for_blocks(sph, room_block, &job);
    return sph->reaction->answer; // find_answer begins anew
}

bool reaction_settled(const Sph* sph, float dt)
{
    const Reaction* r = sph->reaction;
    // a step cut short may leave no more speed than a usual one
    const double least = SETTLED * 2 * sph->radius / ((double)dt * fmax((double)dt, sph->usual_dt));
    for (size_t m = 0; m < r->mover_count && r->strong; m++) {
        const double* y = r->matrix + 64 * m; // left by find_answer
        if (sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) > least)
            return false;
    }
    return true;
}

void reaction_begin(Sph* sph)
{
    Reaction* r = sph->reaction;
    for (size_t m = 0; m < r->mover_count; m++)
        r->mover[m].gain = r->mover[m].impulse = r->mover[m].force = r->mover[m].acceleration = (Twist){0};
}

// --- rebound

// Sums per mover of the fluid's side of a push: power P U . v after it, and how far the push moves the fluid itself.
static void power_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const PassJob* job = context;
    const Reaction* r = job->reaction;
    const Fluid* fluid = &job->sph->fluid;
    const TouchBlock* block = &r->block[number];
    clear_partial(r, number);
    for (size_t k = 0; k < block->count; k++) {
        const Touch* t = &block->touch[k];
        Vec4 v = fluid->velocity[t->particle], a = fluid->acceleration[t->particle];
        double p = (double)fluid->position[t->particle].w, dt = (double)job->dt, *sum = partial_of(r, number, t->mover);
        double x = (double)t->u[0], y = (double)t->u[1], z = (double)t->u[2];
        sum[0] += p * (x * ((double)v.x + dt * (double)a.x) + y * ((double)v.y + dt * (double)a.y) +
                       z * ((double)v.z + dt * (double)a.z));
        sum[1] += p * p * (x * x + y * y + z * z) / (double)job->sph->material[(int)v.w].density;
    }
}

// a += P U / rho0 times the share of the mover's push that is taken back, at matrix[64 m]
static void take_back_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const PassJob* job = context;
    const Reaction* r = job->reaction;
    Fluid* fluid = &job->sph->fluid;
    const TouchBlock* block = &r->block[number];
    for (size_t k = 0; k < block->count; k++) {
        const Touch* t = &block->touch[k];
        Vec4* a = &fluid->acceleration[t->particle];
        float rho0 = job->sph->material[(int)fluid->velocity[t->particle].w].density;
        float f = (float)r->matrix[64 * t->mover] * fluid->position[t->particle].w / rho0;
        a->x += f * t->u[0];
        a->y += f * t->u[1];
        a->z += f * t->u[2];
    }
}

static double twist_dot(Twist a, Twist b)
{
    return vec3d_dot(a.linear, b.linear) + vec3d_dot(a.angular, b.angular);
}

// Share of the push to take back: what a plastic impact has too much, once the two separate faster than `slow`, and only as far as
// the body is the lighter side.
static double rebound_of(const Sph* sph, const Mover* m, const double sum[WIDTH], double dt, double slow)
{
    double volume = (double)sph->mass_volume, own = dt * twist_dot(m->force, m->acceleration), fluid = dt * volume * sum[1];
    if (!(own > fluid))
        return 0;
    Twist after = twist_mad(m->gain, dt, m->acceleration);
    double apart = twist_dot(m->force, m->velocity) + twist_dot(m->force, after) - volume * sum[0];
    apart -= slow * vec3d_length(m->force.linear);
    return apart > 0 ? fmin(1, apart / (own + fluid)) * (1 - fluid / own) : 0;
}

static void soften_rebound(Sph* sph, float dt)
{
    Reaction* r = sph->reaction;
    // as for contacts of bodies: what gravity gives within a particle is no rebound
    double slow = 0.3 * sqrt(vec3d_length(sph->gravity) * sph->radius);
    PassJob job = {.dt = dt};
    bool any = false;
    for_blocks(sph, power_block, &job);
    for (size_t m = 0; m < r->mover_count; m++) {
        Mover* mover = &r->mover[m];
        double sum[WIDTH];
        sum_partial(r, m, sum);
        double share = rebound_of(sph, mover, sum, (double)dt, slow);
        r->matrix[64 * m] = share;
        any |= share > 0;
        mover->force = twist_mad(mover->force, -share, mover->force);
        mover->acceleration = twist_mad(mover->acceleration, -share, mover->acceleration);
    }
    if (any)
        for_blocks(sph, take_back_block, &job);
}

void reaction_close(Sph* sph, float dt)
{
    Reaction* r = sph->reaction;
    if (r->strong)
        soften_rebound(sph, dt);
    for (size_t m = 0; m < r->mover_count; m++) {
        Mover* mover = &r->mover[m];
        mover->impulse = twist_mad(mover->impulse, (double)dt, mover->force);
        if (r->strong)
            mover->gain = twist_mad(mover->gain, (double)dt, mover->acceleration);
        mover->force = mover->acceleration = (Twist){0};
    }
}
