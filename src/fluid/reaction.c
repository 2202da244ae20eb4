// SPDX-License-Identifier: MIT
// Movers in a pressure solve (strong coupling). With the fluid alone a solve looks for the minimum of a quadratic function of P
// over P >= 0 (pressure/jacobi.c); movers add the term
//   K = sum_B U_B M_B^-1 U_B^T V0,      M_B mass and inertia of mover B
// which is large for light bodies: a ball of 1 kg/m3 weighs a thousandth of the layer of water around it. A diagonal step would
// have to be that much shorter. So the step is taken in the metric D / omega + K instead of D / omega, exactly:
//   P_i(y) = max(0, P_i + omega rho0_i / (dt^2 D_i) (e_i - dt^2 sum_B y_B . U_iB)),   y_B = M_B^-1 V0 sum_i U_iB (P_i(y) - P_i)
// y is the change of the movers' accelerations that the step itself brings about: six unknowns per mover, found by Newton's
// method over the few particles that touch it. Iterations then do not depend on how light a body is.
// Each iteration takes one pass over touches for the forces and about two for the answer.
#include "fluid/reaction_parts.h"

#include <string.h>

// Share of a spacing by which a mover may still change its mind.
static const double SETTLED = 1e-4;

void reaction_free(Reaction* r)
{
    for (int k = 0; k < TOUCH_BLOCKS; k++) {
        memory_give(r->memory, r->block[k].touch);
        memory_give(r->memory, r->block[k].more);
        memory_give(r->memory, r->block[k].mover);
    }
    void* arrays[] = {r->mover, r->mover_of, r->sums, r->total, r->motion, r->inverse, r->answer};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(r->memory, arrays[k]);
    memset(r, 0, sizeof *r);
}

Twist reaction_mobility(const Mover* m, Twist f)
{
    return (Twist){vec3d_scale(f.linear, m->inverse_mass), mat3d_times(m->inverse_inertia, f.angular)};
}

void solve_6x6(double a[6][6], double b[6][6], int n)
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
        for (int j = 0; j < n; j++) {
            double swap = b[k][j];
            b[k][j] = b[pivot][j];
            b[pivot][j] = swap;
        }
        for (int i = k + 1; i < 6; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < 6; j++)
                a[i][j] -= f * a[k][j];
            for (int j = 0; j < n; j++)
                b[i][j] -= f * b[k][j];
        }
    }
    for (int k = 5; k >= 0; k--)
        for (int j = 0; j < n; j++) {
            for (int i = k + 1; i < 6; i++)
                b[k][j] -= a[k][i] * b[i][j];
            b[k][j] /= a[k][k];
        }
}

// --- who touches whom

typedef struct BuildJob {
    Sph* sph;
    Reaction* reaction;
} BuildJob;

static bool find_place(Memory* memory, TouchBlock* block, Touch* t)
{
    for (size_t k = block->mover_count; k > 0; k--)
        if (block->mover[k - 1] == t->mover) {
            t->place = (uint32_t)(k - 1);
            return true;
        }
    if (!memory_reserve(memory, &block->mover, &block->mover_capacity, block->mover_count, block->mover_count + 1,
                        sizeof *block->mover))
        return false;
    t->place = (uint32_t)block->mover_count;
    block->mover[block->mover_count++] = t->mover;
    return true;
}

// The touch of a chunk and a mover; those of the chunk begin at `first`. NULL: out of memory.
static Touch* find_touch(TouchBlock* block, size_t first, size_t chunk, uint32_t mover, Memory* memory)
{
    for (size_t k = first; k < block->count; k++)
        if (block->touch[k].mover == mover)
            return &block->touch[k];
    if (!memory_reserve(memory, &block->touch, &block->capacity, block->count, block->count + 1, sizeof *block->touch) ||
        !memory_reserve(memory, &block->more, &block->more_capacity, 0, block->capacity, sizeof *block->more))
        return NULL;
    Touch* t = &block->touch[block->count];
    memset(t, 0, sizeof *t);
    t->chunk = (uint32_t)chunk;
    t->mover = mover;
    t->first = block->count == first;
    block->count++;
    return find_place(memory, block, t) ? t : NULL;
}

// Finds the movers that a chunk touches; true if it touches anything else too.
static bool find_movers(const BuildJob* job, TouchBlock* block, size_t chunk)
{
    const Sph* sph = job->sph;
    const NearBoundary* near = sph->neighbours.chunk[chunk].near;
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    const uint32_t moving = sph->boundary.part[1].base;
    const size_t first = block->count;
    bool others = false;
    Touch* last = NULL;
    for (size_t k = 0; k < (size_t)LANES * near->slots; k++) {
        if (!(coefficient[k] & 0x7fff) || LANES * chunk + k % LANES >= sph->fluid.count) // padding has c = 0
            continue;
        uint32_t b = near->index[k];
        int32_t m = b < moving ? -1 : job->reaction->mover_of[sph->boundary_solid[b]];
        others |= m < 0;
        if (m < 0)
            continue;
        if (!last || last->mover != (uint32_t)m)
            last = find_touch(block, first, chunk, (uint32_t)m, job->reaction->memory);
        if (!last) {
            block->failed = true;
            return true;
        }
        last->lanes |= (uint8_t)(1 << k % LANES);
    }
    return others;
}

static void add_pairs(const BuildJob* job, TouchBlock* block, size_t first, size_t chunk)
{
    const Sph* sph = job->sph;
    const NearBoundary* near = sph->neighbours.chunk[chunk].near;
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    for (uint32_t s = 0; s < near->slots; s++) {
        float c[LANES];
        f8_store(c, f8_load_half(coefficient + LANES * s));
        for (size_t lane = 0; lane < LANES && LANES * chunk + lane < sph->fluid.count; lane++) {
            uint32_t b = near->index[LANES * s + lane];
            int32_t m = c[lane] < 0 && b >= sph->boundary.part[1].base ? job->reaction->mover_of[sph->boundary_solid[b]] : -1;
            for (size_t k = first; k < block->count && m >= 0; k++) {
                Touch* t = &block->touch[k];
                if (t->mover != (uint32_t)m)
                    continue;
                Vec4 x = sph->fluid.position[LANES * chunk + lane], xb = sph->boundary.position[b];
                float f = xb.w * c[lane] * sph->kernel.gradient;
                t->u[0][lane] += f * (x.x - xb.x);
                t->u[1][lane] += f * (x.y - xb.y);
                t->u[2][lane] += f * (x.z - xb.z);
                break;
            }
        }
    }
}

// The search has summed what a chunk that touches one mover alone needs.
static void take_gradient(Touch* t, const NearBoundary* near)
{
    t->alone = true;
    for (int c = 0; c < 3; c++)
        for (int lane = 0; lane < LANES; lane++)
            t->u[c][lane] = t->lanes >> lane & 1 ? near->gradient[c][lane] : 0;
}

static void build_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const BuildJob* job = context;
    TouchBlock* block = &job->reaction->block[number];
    for (size_t k = begin; k < end && !block->failed; k++) {
        const ChunkList* list = &job->sph->neighbours.chunk[k];
        if (list->moving == NOTHING_MOVES)
            continue;
        const size_t first = block->count;
        bool others = find_movers(job, block, k);
        uint8_t seen = 0;
        for (size_t t = first; t < block->count; t++) {
            block->crowded |= (seen & block->touch[t].lanes) != 0;
            seen |= block->touch[t].lanes;
        }
        if (block->count == first + 1 && !others)
            take_gradient(&block->touch[first], list->near);
        else if (block->count > first)
            add_pairs(job, block, first, k);
    }
}

static bool reserve(Sph* sph)
{
    Reaction* r = sph->reaction;
    size_t movers = r->mover_count ? r->mover_count : 1; // held bodies alone are no movers; arrays exist all the same
    return memory_reserve(r->memory, &r->total, &r->total_capacity, 0, movers, sizeof *r->total) &&
           memory_reserve(r->memory, &r->motion, &r->motion_capacity, 0, movers, sizeof *r->motion) &&
           memory_reserve(r->memory, &r->inverse, &r->inverse_capacity, 0, movers, sizeof *r->inverse) &&
           memory_reserve(r->memory, &r->answer, &r->answer_capacity, 0, sph->fluid.capacity + 16, sizeof *r->answer);
}

// Each block has sums for the movers that it meets.
static bool reserve_sums(Reaction* r)
{
    size_t movers = 1;
    for (int b = 0; b < TOUCH_BLOCKS; b++)
        movers += r->block[b].mover_count;
    if (!memory_reserve(r->memory, &r->sums, &r->sums_capacity, 0, TOUCH_SUMS * movers, sizeof *r->sums))
        return false;
    double* at = r->sums;
    for (int b = 0; b < TOUCH_BLOCKS; b++) {
        r->block[b].sum = at;
        at += TOUCH_SUMS * r->block[b].mover_count;
    }
    return true;
}

bool reaction_build(Sph* sph)
{
    Reaction* r = sph->reaction;
    size_t chunks = block_count(sph->fluid.count, LANES);
    for (int b = 0; b < TOUCH_BLOCKS; b++) {
        TouchBlock* block = &r->block[b];
        block->count = block->mover_count = 0;
        block->crowded = block->failed = false;
    }
    if (!reserve(sph))
        return false;
    memset(r->answer, 0, (sph->fluid.count + LANES) * sizeof *r->answer);
    BuildJob job = {sph, r};
    if (chunks && r->mover_count)
        parallel_for(sph->pool, chunks, block_count(chunks, TOUCH_BLOCKS), build_block, &job);
    bool ok = reserve_sums(r);
    r->crowded = false;
    for (int b = 0; b < TOUCH_BLOCKS; b++) {
        ok &= !r->block[b].failed;
        r->crowded |= r->block[b].crowded;
    }
    return ok;
}

// --- passes over the touches

void touch_pass(Sph* sph, WorkFn* work, TouchPass* pass)
{
    pass->sph = sph;
    pass->reaction = sph->reaction;
    parallel_for(sph->pool, TOUCH_BLOCKS, 1, work, pass);
}

void touch_sums(Sph* sph, WorkFn* work, TouchPass* pass)
{
    Reaction* r = sph->reaction;
    for (int b = 0; b < TOUCH_BLOCKS; b++)
        for (size_t k = 0; k < TOUCH_SUMS * r->block[b].mover_count; k++)
            r->block[b].sum[k] = 0;
    touch_pass(sph, work, pass);
    for (size_t m = 0; m < r->mover_count; m++)
        memset(r->total[m], 0, sizeof r->total[m]);
    for (int b = 0; b < TOUCH_BLOCKS; b++) {
        const TouchBlock* block = &r->block[b];
        for (size_t k = 0; k < block->mover_count; k++) {
            double* total = r->total[block->mover[k]];
            for (size_t c = 0; c < TOUCH_SUMS; c++)
                total[c] += block->sum[TOUCH_SUMS * k + c];
        }
    }
}

static void force_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const TouchPass* pass = context;
    const TouchBlock* block = &pass->reaction->block[number];
    TouchSum sum = touch_sum_create(6);
    for (size_t k = 0; k < block->count; k++) {
        const Touch* t = &block->touch[k];
        Arms arms = touch_arms(pass, t);
        F8 u[6];
        touch_u(t, &arms, u);
        touch_sum_begin(&sum, block, t);
        for (int c = 0; c < 6; c++)
            sum.lane[c] = f8_mad(arms.p, u[c], sum.lane[c]);
    }
    touch_sum_end(&sum);
}

void reaction_pressure(Sph* sph)
{
    Reaction* r = sph->reaction;
    TouchPass pass = {0};
    touch_sums(sph, force_block, &pass);
    for (size_t m = 0; m < r->mover_count; m++) {
        Mover* mover = &r->mover[m];
        for (int c = 0; c < 6; c++)
            r->total[m][c] *= (double)sph->mass_volume;
        mover->force = twist_from(r->total[m]);
        mover->acceleration = twist_by(mover->mobility, mover->force);
    }
}

// out_i -= motion . U
static void motion_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const TouchPass* pass = context;
    const TouchBlock* block = &pass->reaction->block[number];
    for (size_t k = 0; k < block->count; k++) {
        const Touch* t = &block->touch[k];
        Arms arms = touch_arms(pass, t);
        float* out = pass->out + (size_t)LANES * t->chunk;
        f8_store(out, f8_sub(f8_load(out), touch_dot(pass->reaction->motion[t->mover], &arms, t)));
    }
}

void reaction_gained(Sph* sph)
{
    Reaction* r = sph->reaction;
    if (!r->strong)
        return;
    for (size_t m = 0; m < r->mover_count; m++)
        twist_to(&r->mover[m].gain, r->motion[m]);
    touch_pass(sph, motion_block, &(TouchPass){.out = sph->fluid.divergence});
}

void reaction_accelerated(Sph* sph)
{
    Reaction* r = sph->reaction;
    if (!r->strong)
        return;
    for (size_t m = 0; m < r->mover_count; m++)
        twist_to(&r->mover[m].acceleration, r->motion[m]);
    touch_pass(sph, motion_block, &(TouchPass){.out = sph->fluid.divergence});
}

static Twist displacement(const Mover* m, double dt)
{
    return twist_mad((Twist){0}, dt, twist_mad(m->gain, dt, m->acceleration));
}

void reaction_displaced(Sph* sph, float dt, float* density)
{
    Reaction* r = sph->reaction;
    if (!r->strong)
        return;
    for (size_t m = 0; m < r->mover_count; m++) {
        Twist way = displacement(&r->mover[m], (double)dt);
        twist_to(&way, r->motion[m]);
    }
    touch_pass(sph, motion_block, &(TouchPass){.out = density});
}

// --- the answer

static inline F8 steps_of(const TouchPass* pass, size_t i)
{
    const Sph* sph = pass->sph;
    const ReactionStep* s = pass->step;
    float density[LANES];
    for (size_t k = 0; k < LANES; k++)
        density[k] = sph->material[(int)sph->fluid.velocity[i + k].w].density;
    F8 least = f8_set(1e-6f / (sph->kernel.h * sph->kernel.h));
    F8 d = f8_max(f8_load(sph->fluid.diagonal + i), f8_set(s->prototype));
    F8 step = f8_div(f8_mul(f8_set(s->omega), f8_load(density)), f8_mul(f8_set(s->dt * s->dt), f8_max(d, least)));
    return f8_and(step, f8_less(least, d));
}

// Movers follow the pressures at hand: out -= motion . U. What is left as an error, and the step to be taken, stay with the chunk.
static void begin_chunk(const TouchPass* pass, const Touch* t, size_t count, TouchMore* more)
{
    size_t i = (size_t)LANES * t->chunk;
    F8 out = f8_load(pass->out + i);
    for (size_t k = 0; k < count; k++) {
        Arms arms = touch_arms(pass, &t[k]);
        out = f8_sub(out, touch_dot(pass->reaction->motion[t[k].mover], &arms, &t[k]));
        if (k == 0)
            f8_store(more->at, arms.p);
    }
    f8_store(pass->out + i, out);
    f8_store(more->step, steps_of(pass, i));
    f8_store(more->error, pass->step->error(pass->step->context, i));
}

// Sums of U (P(y) - P) and, if wanted, over the particles that P(y) leaves free, of step U U^T.
static void newton_chunk(const TouchPass* pass, const TouchBlock* block, size_t at_touch, size_t count, TouchSum* sum)
{
    const Reaction* r = pass->reaction;
    const Touch* t = &block->touch[at_touch];
    const TouchMore* more = &block->more[at_touch];
    const F8 dt2 = f8_set(pass->step->dt * pass->step->dt), zero = f8_zero();
    F8 answer = zero;
    for (size_t k = 0; k < count && !pass->begin; k++) {
        Arms arms = touch_arms(pass, &t[k]);
        answer = f8_mad(dt2, touch_dot(r->motion[t[k].mover], &arms, &t[k]), answer);
    }
    f8_store(r->answer + (size_t)LANES * t->chunk, answer);
    F8 at = f8_load(more->at), step = f8_load(more->step), p = f8_mad(step, f8_sub(f8_load(more->error), answer), at);
    F8 open = f8_and(f8_less(zero, p), f8_less(zero, step));
    F8 change = f8_sub(f8_and(p, open), at), weight = f8_and(f8_mul(step, dt2), open);
    for (size_t k = 0; k < count; k++) {
        Arms arms = touch_arms(pass, &t[k]);
        F8 u[6];
        touch_u(&t[k], &arms, u);
        touch_sum_begin(sum, block, &t[k]);
        for (int a = 0; a < 6; a++)
            sum->lane[a] = f8_mad(change, u[a], sum->lane[a]);
        for (int a = 0, n = 6; a < 6 && pass->matrix; a++) {
            F8 w = f8_mul(weight, u[a]);
            for (int b = 0; b <= a; b++, n++)
                sum->lane[n] = f8_mad(w, u[b], sum->lane[n]);
        }
    }
}

static void newton_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const TouchPass* pass = context;
    TouchBlock* block = &pass->reaction->block[number];
    TouchSum sum = touch_sum_create(pass->matrix ? TOUCH_SUMS : 6);
    for (size_t k = 0, count; k < block->count; k += count) {
        for (count = 1; k + count < block->count && !block->touch[k + count].first;)
            count++;
        if (pass->begin)
            begin_chunk(pass, &block->touch[k], count, &block->more[k]);
        newton_chunk(pass, block, k, count, &sum);
    }
    touch_sum_end(&sum);
}

// (1 + M^-1 V0 sum step U U^T)^-1
static void invert_newton(const Sph* sph, const Mover* mover, const double sum[], double crowd, double inverse[6][6])
{
    double a[6][6];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            a[i][j] = inverse[i][j] = i == j;
            for (int k = 0; k < 6; k++)
                a[i][j] += mover->mobility[i][k] * crowd * (double)sph->mass_volume * sum[touch_entry(k, j)];
        }
    solve_6x6(a, inverse, 6);
}

// One Newton step for y of a mover: y - M^-1 V0 sum U (P(y) - P) = 0. Returns how much y changed, relative.
static double newton_step(const Sph* sph, const Mover* mover, const double sum[], double inverse[6][6], double y[6])
{
    double off[6], size = 0, change = 0;
    for (int i = 0; i < 6; i++) {
        off[i] = -y[i];
        for (int k = 0; k < 6; k++)
            off[i] += mover->mobility[i][k] * (double)sph->mass_volume * sum[k];
    }
    for (int i = 0; i < 6; i++) {
        double step = 0;
        for (int k = 0; k < 6; k++)
            step += inverse[i][k] * off[k];
        y[i] += step;
        size += y[i] * y[i];
        change += step * step;
    }
    return size > 0 ? sqrt(change / size) : 0;
}

// Every other step goes without a new matrix: with the first one mostly all is done, and the second finds that out. The array of
// answers is that of the last y but one, which differs from the last by less than a thousandth.
static void find_answer(Sph* sph, TouchPass* pass)
{
    Reaction* r = sph->reaction;
    enum { MOST_STEPS = 8 };
    // bodies that share particles see each other's answers only in the next step: shorter steps keep that stable
    double crowd = r->crowded ? 2 : 1;
    for (int k = 0; k <= MOST_STEPS; k++) {
        double most = 0;
        pass->begin = k == 0;
        pass->matrix = k % 2 == 0;
        touch_sums(sph, newton_block, pass);
        for (size_t m = 0; m < r->mover_count; m++) {
            if (k == 0)
                memset(r->motion[m], 0, sizeof r->motion[m]);
            if (pass->matrix)
                invert_newton(sph, &r->mover[m], r->total[m], crowd, r->inverse[m]);
            most = fmax(most, newton_step(sph, &r->mover[m], r->total[m], r->inverse[m], r->motion[m]));
        }
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
    bool displaced = step->prototype > 0;
    for (size_t m = 0; m < r->mover_count; m++) {
        Twist motion = displaced ? displacement(&r->mover[m], (double)step->dt) : r->mover[m].acceleration;
        twist_to(&motion, r->motion[m]);
    }
    TouchPass pass = {.step = step, .out = displaced ? sph->fluid.source : sph->fluid.divergence};
    find_answer(sph, &pass);
    return r->answer;
}

static void room_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const TouchPass* pass = context;
    const Sph* sph = pass->sph;
    const TouchBlock* block = &pass->reaction->block[number];
    for (size_t k = 0; k < block->count; k++)
        for (size_t lane = 0; lane < LANES; lane++) {
            size_t i = (size_t)LANES * block->touch[k].chunk + lane;
            if (block->touch[k].lanes >> lane & 1)
                pass->reaction->answer[i] = fminf(0, sph->fluid.density[i] - 1);
        }
}

const float* reaction_room(Sph* sph)
{
    if (!sph->reaction->strong)
        return NULL;
    touch_pass(sph, room_block, &(TouchPass){0});
    return sph->reaction->answer; // find_answer begins anew
}

bool reaction_settled(const Sph* sph, float dt)
{
    const Reaction* r = sph->reaction;
    // a step cut short may leave no more speed than a usual one
    const double least = SETTLED * 2 * sph->radius / ((double)dt * fmax((double)dt, sph->usual_dt));
    for (size_t m = 0; m < r->mover_count && r->strong; m++) {
        const double* y = r->motion[m]; // left by find_answer
        if (sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) > least)
            return false;
    }
    return true;
}

void reaction_begin(Sph* sph)
{
    Reaction* r = sph->reaction;
    for (size_t m = 0; m < r->mover_count; m++) {
        Mover* mover = &r->mover[m];
        mover->gain = mover->impulse = mover->force = mover->acceleration = (Twist){0};
        memset(mover->mobility, 0, sizeof mover->mobility);
        memset(mover->drag, 0, sizeof mover->drag);
        for (int c = 0; c < 3; c++) {
            mover->mobility[c][c] = mover->inverse_mass;
            for (int k = 0; k < 3; k++)
                mover->mobility[3 + c][3 + k] = mover->inverse_inertia[c][k];
        }
    }
}

void reaction_close(Sph* sph, float dt)
{
    Reaction* r = sph->reaction;
    if (r->strong)
        rebound_soften(sph, dt);
    for (size_t m = 0; m < r->mover_count; m++) {
        Mover* mover = &r->mover[m];
        mover->impulse = twist_mad(mover->impulse, (double)dt, mover->force);
        mover->gain = twist_mad(mover->gain, (double)dt, mover->acceleration);
        mover->force = mover->acceleration = (Twist){0};
    }
}
