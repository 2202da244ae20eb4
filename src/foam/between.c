// SPDX-License-Identifier: MIT
#include "foam/between.h"

#include "base/reduce.h"
#include "foam/images.h"

enum { GRAIN = 8192 };
#define NOWHERE UINT32_MAX

bool foam_between_create(FoamBetween* between, const FoamRules* rules, Memory* memory, Pool* pool)
{
    between->memory = memory;
    between->pool = pool;
    between->period = rules->period;
    particle_set_init(&between->set, memory);
    grid_init(&between->grid, memory, rules->support_radius, rules->dimension);
    const ParticleArray arrays[] = {
        {"position", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &between->position, false, 0},
        {"velocity", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &between->velocity, false, 0},
        {"id", PARTICLE_STATE, STATE_UINT32, sizeof(uint32_t), &between->id, false, 0},
        {"place", PARTICLE_STATE, STATE_UINT32, sizeof(uint32_t), &between->place, false, 0},
        {"rate", PARTICLE_STATE, STATE_FLOAT, sizeof(float), &between->rate, false, 0},
        {"is_image", PARTICLE_STATE, STATE_UINT8, sizeof(uint8_t), &between->is_image, false, 0},
    };
    bool ok = true;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        ok = particle_set_add(&between->set, &arrays[k]) && ok;
    return ok;
}

void foam_between_destroy(FoamBetween* between)
{
    if (!between->memory)
        return;
    memory_give(between->memory, between->pair);
    memory_give(between->memory, between->record_a);
    memory_give(between->memory, between->record_b);
    grid_free(&between->grid);
    particle_set_free(&between->set);
    *between = (FoamBetween){0};
}

// --- frames

typedef enum Which { IN_BOTH, IN_A, IN_B } Which;

// Walks over both lists of ids, which ascend, and writes the pairs that are wanted.
static size_t list_pairs(const FoamFrame* a, const FoamFrame* b, Which wanted, FoamPair* out)
{
    size_t i = 0, j = 0, n = 0;
    while (i < a->count || j < b->count) {
        bool has_a = i < a->count && (j >= b->count || a->id[i] <= b->id[j]);
        bool has_b = j < b->count && (i >= a->count || b->id[j] <= a->id[i]);
        Which is = has_a && has_b ? IN_BOTH : has_a ? IN_A : IN_B;
        if (is == wanted)
            out[n++] = (FoamPair){has_a ? (uint32_t)i : NOWHERE, has_b ? (uint32_t)j : NOWHERE};
        i += has_a;
        j += has_b;
    }
    return n;
}

static void find_fastest(void* context, size_t begin, size_t end, double out[])
{
    const FoamFrame* frame = context;
    for (size_t k = begin; k < end; k++) {
        const float* v = frame->velocity + 3 * k;
        double square = (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        out[0] = square > out[0] ? square : out[0];
    }
}

// --- a time

typedef struct Job {
    FoamBetween* between;
    const FoamPair* more;   // behind those that are in both
    float share, time;      // [1], [s] between the frames
    const FoamRules* rules; // NULL: rates are not known
    double raise;
} Job;

static double rate_of(const Job* job, const Vec4* record, uint32_t i)
{
    return i == NOWHERE ? 0 : foam_rate(job->rules, record[i], job->raise);
}

static float rate_between(const Job* job, FoamPair pair)
{
    const FoamBetween* b = job->between;
    double s = (double)job->share, at_a = rate_of(job, b->record_a, pair.a), at_b = rate_of(job, b->record_b, pair.b);
    return (float)(pair.a == NOWHERE ? at_b : pair.b == NOWHERE ? at_a : at_a + s * (at_b - at_a));
}

static void fill_both(const Job* job, FoamPair pair, float x[3], float v[3])
{
    const FoamBetween* b = job->between;
    const float *xa = b->a.position + 3 * pair.a, *xb = b->b.position + 3 * pair.b;
    const float *va = b->a.velocity + 3 * pair.a, *vb = b->b.velocity + 3 * pair.b;
    float s = job->share, r = 1 - s, t = job->time;
    for (int k = 0; k < 3; k++) {
        float way = (float)period_difference(&b->period, k, (double)(xb[k] - xa[k]));
        x[k] = xa[k] + s * s * (3 - 2 * s) * way + t * s * r * (r * va[k] - s * vb[k]);
        v[k] = 6 * s * r * way / t + r * (1 - 3 * s) * va[k] + s * (3 * s - 2) * vb[k];
    }
}

static void fill_one(const FoamFrame* frame, uint32_t i, float time, float x[3], float v[3])
{
    for (int k = 0; k < 3; k++) {
        v[k] = frame->velocity[3 * i + (uint32_t)k];
        x[k] = frame->position[3 * i + (uint32_t)k] + time * v[k];
    }
}

static void fill(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    FoamBetween* b = job->between;
    for (size_t i = begin; i < end; i++) {
        FoamPair pair = i < b->both ? b->pair[i] : job->more[i - b->both];
        float x[3], v[3];
        if (pair.a != NOWHERE && pair.b != NOWHERE)
            fill_both(job, pair, x, v);
        else if (pair.a != NOWHERE)
            fill_one(&b->a, pair.a, job->share * job->time, x, v);
        else
            fill_one(&b->b, pair.b, (job->share - 1) * job->time, x, v);
        for (int k = 0; k < 3; k++)
            x[k] = period_image(&b->period, k, x[k]);
        b->position[i] = (Vec4){x[0], x[1], x[2], 0};
        b->velocity[i] = (Vec4){v[0], v[1], v[2], 0};
        b->id[i] = pair.a != NOWHERE ? b->a.id[pair.a] : b->b.id[pair.b];
        b->place[i] = (uint32_t)(i < b->both ? i : (size_t)(job->more - b->pair) + i - b->both);
        b->is_image[i] = 0;
        b->rate[i] = job->rules ? rate_between(job, pair) : 0;
    }
}

static bool fill_at(FoamBetween* between, double share, const Foam* foam, FoamFluid* out)
{
    ParticleSet* set = &between->set;
    bool early = share < 0.5;
    size_t count = between->both + (early ? between->only_a : between->only_b);
    if (!particle_set_reserve(set, count + 1))
        return false;
    set->count = count;
    Job job = {.between = between,
               .more = between->pair + between->both + (early ? 0 : between->only_a),
               .share = (float)share,
               .time = (float)(between->b.time - between->a.time),
               .rules = foam ? &foam->rules : NULL,
               .raise = foam ? foam_raise(foam) : 1};
    parallel_for(between->pool, count, GRAIN, fill, &job);
    if (!foam_images_append(set, &between->position, &between->is_image, &between->period, between->grid.cell))
        return false;
    count = set->count;
    particle_set_clear_padding(set);
    Vec4* scratch = particle_set_borrow(set, "grid");
    bool ok = grid_build(&between->grid, between->pool, between->position, count, scratch);
    particle_set_return(set, scratch);
    if (!ok)
        return false;
    particle_set_permute(set, between->pool, between->grid.order);
    particle_set_clear_padding(set);
    *out = (FoamFluid){.count = count,
                       .position = between->position,
                       .velocity = between->velocity,
                       .id = between->id,
                       .grid = &between->grid,
                       .rate = foam ? between->rate : NULL,
                       .is_image = between->period.any ? between->is_image : NULL};
    return true;
}

bool foam_between_at(FoamBetween* between, double share, const Foam* foam, FoamFluid* out)
{
    return fill_at(between, share, foam, out);
}

// The records of one frame's particles, in its order.
static bool find_records(FoamBetween* between, bool of_b, Foam* foam)
{
    Vec4** record = of_b ? &between->record_b : &between->record_a;
    size_t* capacity = of_b ? &between->record_b_capacity : &between->record_a_capacity;
    FoamFluid fluid;
    if (!memory_reserve(between->memory, record, capacity, 0, (of_b ? between->b.count : between->a.count) + 1, sizeof **record) ||
        !fill_at(between, of_b ? 1 : 0, NULL, &fluid) || !foam_find_potentials(foam, &fluid))
        return false;
    for (size_t i = 0; i < fluid.count; i++) {
        if (between->is_image[i])
            continue;
        FoamPair pair = between->pair[between->place[i]];
        (*record)[of_b ? pair.b : pair.a] = foam_potential_record(&foam->potentials, &fluid, i);
    }
    return true;
}

bool foam_between_frames(FoamBetween* between, const FoamFrame* a, const FoamFrame* b, Foam* foam)
{
    if (!memory_reserve(between->memory, &between->pair, &between->pair_capacity, 0, a->count + b->count + 1,
                        sizeof *between->pair))
        return false;
    between->a = *a;
    between->b = *b;
    between->both = list_pairs(a, b, IN_BOTH, between->pair);
    between->only_a = list_pairs(a, b, IN_A, between->pair + between->both);
    between->only_b = list_pairs(a, b, IN_B, between->pair + between->both + between->only_a);
    double square = reduce_max(between->pool, a->count, GRAIN, find_fastest, &between->a);
    between->fastest = sqrt(fmax(square, reduce_max(between->pool, b->count, GRAIN, find_fastest, &between->b)));
    if (between->has_b) {
        Vec4* record = between->record_a;
        size_t capacity = between->record_a_capacity;
        between->record_a = between->record_b;
        between->record_a_capacity = between->record_b_capacity;
        between->record_b = record;
        between->record_b_capacity = capacity;
    } else if (!find_records(between, false, foam)) {
        return false;
    }
    between->has_b = find_records(between, true, foam);
    return between->has_b;
}
