// SPDX-License-Identifier: MIT
// Births: n = I_k (k_ta I_ta + k_wc I_wc) dt new particles per fluid particle, where I are the potentials as shares of their
// ranges; what is left of a whole number is a chance. They start in a cylinder around the path that the fluid particle has come in
// this step: at a distance r sqrt(X1) from the axis, at an angle 2 pi X2, and X3 |v| dt back. Each has the velocity of the fluid
// particle, and a share of its speed away from the axis.
//
// The paper adds the offset itself to the velocity, metres to metres per second, and looks ahead along the path; here the share is
// a number, and the path is the one that the fluid has gone, since solids were not there.
//
// As the number nears its limit, thresholds of both potentials rise: by 1 / (1 - s), with s from 0 at half of the limit to 1 at all
// of it. So foam thins out where it is weakest first, and never stops at once.
#include "base/random.h"
#include "base/reduce.h"
#include "foam/foam.h"

enum { GRAIN = 4096 };

static const double PI = 3.14159265358979323846;
static const double SPREAD = 0.15;  // of the speed, at a distance r from the axis
static const double MOST_BORN = 64; // of one fluid particle in one step: no burst from a step that is far too long

typedef struct Job {
    Foam* foam;
    const FoamFluid* fluid;
    const FoamSides* sides;
    double dt, raise; // raise: factor of thresholds
    double keep;      // [1] share of births that there is room for
} Job;

static Random draw_of(const Foam* foam, uint32_t id)
{
    return (Random){random_mix(foam->rules.seed ^ random_mix((uint64_t)id << 32 ^ foam->state.steps))};
}

static double speed_of(Vec4 v)
{
    return sqrt((double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z);
}

// --- how many

Vec4 foam_potential_record(const FoamPotentials* potentials, const FoamFluid* fluid, size_t i)
{
    double speed = speed_of(fluid->velocity[i]);
    return (Vec4){potentials->trapped_air[i], potentials->wave_crest[i], potentials->normal[i].w, (float)(0.5 * speed * speed)};
}

double foam_rate(const FoamRules* rules, Vec4 record, double raise)
{
    float energy = foam_share(record.w, (float)(raise * rules->kinetic_energy[0]), (float)(raise * rules->kinetic_energy[1]));
    if (!(energy > 0))
        return 0;
    float air = foam_share(record.x, (float)(raise * rules->trapped_air[0]), (float)(raise * rules->trapped_air[1]));
    float crest = foam_share(record.y, (float)(raise * rules->wave_crest[0]), (float)(raise * rules->wave_crest[1]));
    double rate = rules->trapped_air_rate * (double)air + rules->wave_crest_rate * (double)crest;
    return (double)energy * rate * rules->share[foam_kind(rules, FOAM_FOAM, (int)record.z)];
}

static double expected_births(const Job* job, size_t i)
{
    const Foam* foam = job->foam;
    double rate = job->fluid->rate ? (double)job->fluid->rate[i]
                                   : foam_rate(&foam->rules, foam_potential_record(&foam->potentials, job->fluid, i), job->raise);
    return fmin(rate * job->dt, MOST_BORN);
}

static void plan_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    uint32_t sum = 0;
    for (size_t i = begin; i < end; i++) {
        bool may = !job->fluid->is_image || !job->fluid->is_image[i];
        double n = may ? expected_births(job, i) * job->keep : 0;
        uint32_t whole = 0;
        if (n > 0) {
            Random random = draw_of(job->foam, job->fluid->id[i]);
            whole = (uint32_t)n;
            whole += random_unit(&random) < n - (double)whole;
        }
        job->foam->born[i] = whole;
        sum += whole;
    }
    job->foam->block[block] = sum;
}

static uint64_t plan(Job* job)
{
    uint64_t total = 0;
    parallel_for(job->foam->pool, job->fluid->count, GRAIN, plan_block, job);
    for (size_t k = 0; k < block_count(job->fluid->count, GRAIN); k++)
        total += job->foam->block[k];
    return total;
}

double foam_raise(const Foam* foam)
{
    double full = (double)foam->set.count / foam->rules.limit, s = 2 * full - 1;
    return s <= 0 ? 1 : s < 1 ? 1 / (1 - s) : (double)INFINITY;
}

bool foam_find_potentials(Foam* foam, const FoamFluid* fluid)
{
    const FoamRules* rules = &foam->rules;
    size_t n = fluid->count + LANES;
    if (!memory_reserve(foam->memory, &foam->potentials.normal, &foam->normal_capacity, 0, n, sizeof(Vec4)) ||
        !memory_reserve(foam->memory, &foam->potentials.trapped_air, &foam->air_capacity, 0, n, sizeof(float)) ||
        !memory_reserve(foam->memory, &foam->potentials.wave_crest, &foam->crest_capacity, 0, n, sizeof(float)))
        return false;
    float least = (float)sqrt(2 * rules->kinetic_energy[0]);
    foam_potentials(fluid, (float)rules->support_radius, least, foam->pool, &foam->potentials);
    return true;
}

static bool reserve(Foam* foam, size_t n)
{
    return memory_reserve(foam->memory, &foam->born, &foam->born_capacity, 0, n + 1, sizeof(uint32_t)) &&
           memory_reserve(foam->memory, &foam->block, &foam->block_capacity, 0, block_count(n, GRAIN) + 1, sizeof(uint32_t));
}

static void plan_none(Foam* foam, size_t count)
{
    for (size_t i = 0; i < count; i++)
        foam->born[i] = 0;
    for (size_t k = 0; k < block_count(count, GRAIN); k++)
        foam->block[k] = 0;
}

bool foam_plan_births(Foam* foam, const FoamFluid* fluid, double dt, uint64_t* out_count)
{
    const FoamRules* rules = &foam->rules;
    *out_count = 0;
    if (!reserve(foam, fluid->count))
        return false;
    Job job = {.foam = foam, .fluid = fluid, .dt = dt, .raise = foam_raise(foam), .keep = 1};
    double room = rules->limit - (double)foam->set.count;
    plan_none(foam, fluid->count);
    if (!isfinite(job.raise) || !(room >= 1))
        return true;
    if (!fluid->rate && !foam_find_potentials(foam, fluid))
        return false;
    uint64_t count = plan(&job);
    // one step that would bring more than there is room for: fewer everywhere, and again if chance was against it
    for (int k = 0; (double)count > room && k < 8; k++) {
        job.keep *= 0.9 * room / (double)count;
        count = plan(&job);
    }
    if ((double)count > room) {
        plan_none(foam, fluid->count);
        count = 0;
    }
    *out_count = count;
    return true;
}

// --- where

// Two unit vectors across v; in a plane the second is zero.
static void axes_across(Vec3d along, int dimension, Vec3d* a, Vec3d* b)
{
    if (dimension == 2) {
        *a = vec3d(-along.y, along.x, 0);
        *b = vec3d(0, 0, 0);
        return;
    }
    Vec3d other = fabs(along.x) < 0.6 ? vec3d(1, 0, 0) : vec3d(0, 1, 0);
    *a = vec3d_normalise(vec3d_cross(along, other));
    *b = vec3d_cross(along, *a);
}

static FoamParticle newborn(const Job* job, FoamGroup* group, size_t i, Random* random)
{
    const FoamRules* rules = &job->foam->rules;
    Vec4 x = job->fluid->position[i], w = job->fluid->velocity[i];
    Vec3d at = {(double)x.x, (double)x.y, (double)x.z}, v = {(double)w.x, (double)w.y, (double)w.z}, a, b;
    double speed = vec3d_length(v);
    axes_across(vec3d_scale(v, 1 / speed), rules->dimension, &a, &b);
    double r = rules->dimension == 3 ? sqrt(random_unit(random)) : random_unit(random), angle = 2 * PI * random_unit(random);
    Vec3d offset = vec3d_mad(vec3d_scale(a, r * cos(angle)), r * sin(angle), b);
    Vec3d start = vec3d_mad(vec3d_mad(at, rules->particle_radius, offset), -job->dt * random_unit(random), v);
    FoamParticle p = {.position = start, .velocity = vec3d_mad(v, SPREAD * speed, offset)};
    // from the fluid particle, which is on the right side, to where it starts
    bool touched;
    bool ok = !job->sides || foam_sides_move(job->sides, 0, at, &p.position, &p.velocity, &touched);
    p.life = ok ? 1 : 0; // or the fluid particle itself is in a wall
    if (!foam_into_domain(rules, job->sides, &p.position))
        p.life = 0;
    Vec4 there = {(float)p.position.x, (float)p.position.y, (float)p.position.z, 0};
    p.kind = foam_kind(rules, FOAM_FOAM, foam_neighbours_at(group, there));
    return p;
}

static void store(Foam* foam, size_t place, const FoamParticle* p)
{
    foam->position[place] = (Vec4){(float)p->position.x, (float)p->position.y, (float)p->position.z, (float)p->life};
    foam->velocity[place] = (Vec4){(float)p->velocity.x, (float)p->velocity.y, (float)p->velocity.z, (float)p->age};
    foam->id[place] = p->id;
    foam->kind[place] = (uint8_t)p->kind;
}

static void birth_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Foam* foam = job->foam;
    uint32_t number = foam->block[block];
    FoamGroup group;
    foam_group_init(&group, job->fluid, (float)foam->rules.support_radius);
    for (size_t i = begin; i < end; i++) {
        Random random = draw_of(foam, job->fluid->id[i]);
        random_unit(&random); // that one decided about the number
        for (uint32_t k = 0; k < foam->born[i]; k++, number++) {
            FoamParticle p = newborn(job, &group, i, &random);
            p.id = (uint32_t)(foam->state.next_id + number);
            store(foam, foam->set.count + number, &p);
            foam->gone[foam->set.count + number] = !(p.life > 0);
        }
    }
}

bool foam_give_birth(Foam* foam, const FoamFluid* fluid, const FoamSides* sides, double dt)
{
    uint32_t total = 0;
    for (size_t k = 0; k < block_count(fluid->count, GRAIN); k++) {
        uint32_t here = foam->block[k];
        foam->block[k] = total;
        total += here;
    }
    if (!particle_set_reserve(&foam->set, foam->set.count + total))
        return false;
    Job job = {.foam = foam, .fluid = fluid, .sides = sides, .dt = dt};
    parallel_for(foam->pool, fluid->count, GRAIN, birth_block, &job);
    foam->set.count += total;
    foam->state.next_id += total;
    return true;
}

bool foam_add(Foam* foam, const FoamParticle* particle)
{
    size_t place = particle_set_append(&foam->set);
    if (place == SIZE_MAX)
        return false;
    store(foam, place, particle);
    return true;
}
