// SPDX-License-Identifier: MIT
#include "fluid/soft_parts.h"

#include "fluid/origin.h"
#include <string.h>

void soft_destroy(Soft* s)
{
    if (s->base.sph)
        responder_remove(s->base.sph, &s->base);
    void* arrays[] = {s->answers,    s->node_first, s->carried,    s->inverse_mass, s->drift,      s->gain,   s->acceleration,
                      s->link_begin, s->link,       s->node_value, s->point,        s->node_place, s->counts, s->slot,
                      s->group,      s->motion,     s->force,      s->inverse,      s->impulse,    s->rub,    s->skinned,
                      s->chunk,      s->mixed,      s->shared,     s->sums};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(s->memory, arrays[k]);
    for (int r = 0; r < SOFT_RANGES; r++) {
        memory_give(s->memory, s->range[r].slot);
        memory_give(s->memory, s->range[r].chunk);
    }
    *s = (Soft){0};
}

// --- passes

// What spread_block wants of a place that moves by u.
static inline Vec4 record_of(const Sph* sph, size_t place, Vec3d u)
{
    Vec4 b = soft_places(sph)[place];
    float f = b.w * sph->kernel.gradient, x = f * (float)u.x, y = f * (float)u.y, z = f * (float)u.z;
    float from[LANES] = {b.x, b.y, b.z};
    f8_store(from, from_origin(sph, f8_load(from)));
    return (Vec4){x, y, z, x * from[0] + y * from[1] + z * from[2]};
}

// motion of a place = sum of weight * value of nodes
static void move_point(const SoftPass* pass, size_t k)
{
    const WetPoint* p = &pass->soft->point[k];
    Vec3d m = vec3d_scale(pass->node[p->node[0]], (double)p->weight[0]);
    m = vec3d_mad(m, (double)p->weight[1], pass->node[p->node[1]]);
    m = vec3d_mad(m, (double)p->weight[2], pass->node[p->node[2]]);
    pass->soft->motion[p->place] = pass->plain ? (Vec4){(float)m.x, (float)m.y, (float)m.z, 0} : record_of(pass->sph, p->place, m);
}

void soft_motion_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    for (size_t k = begin; k < end; k++)
        move_point(context, k);
}

static void mixed_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SoftPass* pass = context;
    for (size_t k = begin; k < end; k++)
        move_point(pass, pass->soft->mixed[k]);
}

// sum_b c V_b kernel.gradient u_b . (x_i - x_b)
static inline F8 spread_chunk(const Sph* sph, const Soft* soft, const SoftChunk* chunk)
{
    F8 xi, yi, zi, unused, sx, sy, sz, sum;
    f8_load4(sph->fluid.position + (size_t)LANES * chunk->chunk, &xi, &yi, &zi, &unused);
    if (chunk->one_origin) {
        R8 sums = r8_zero();
        for (const SoftSlot *slot = chunk->slot, *end = slot + chunk->slots; slot < end; slot++)
            r8_mad_twice(&sums, f8_load_half(slot->c), soft->motion, slot->twice);
        r8_columns(&sums, &sx, &sy, &sz, &sum);
        sum = f8_mad(from_origin(sph, xi), sx, f8_sub(f8_zero(), sum));
        sum = f8_mad(from_origin(sph, yi), sy, sum);
        return f8_mad(from_origin(sph, zi), sz, sum);
    }
    sum = f8_zero();
    for (const SoftSlot *slot = chunk->slot, *end = slot + chunk->slots; slot < end; slot++) {
        F8 xb, yb, zb, ux, uy, uz;
        f8_gather4_twice(soft_places(sph), slot->twice, &xb, &yb, &zb, &unused);
        f8_gather4_twice(soft->motion, slot->twice, &ux, &uy, &uz, &unused);
        F8 dot = f8_mul(ux, f8_sub(xi, xb));
        dot = f8_mad(uy, f8_sub(yi, yb), dot);
        sum = f8_mad(f8_load_half(slot->c), f8_mad(uz, f8_sub(zi, zb), dot), sum);
    }
    return sum;
}

// out_i -= scale sum_b motion_b . G_ib; whoever wants it goes on with the chunk.
static void spread_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SoftPass* pass = context;
    const Soft* soft = pass->soft;
    const F8 scale = f8_set(pass->scale);
    F8 sums[STEP_SUMS] = {f8_zero(), f8_zero(), f8_zero()};
    for (size_t n = begin; n < end; n++) {
        const SoftChunk* chunk = &soft->chunk[n];
        size_t i = (size_t)LANES * chunk->chunk;
        float* out = pass->out + i;
        f8_store(out, f8_nmad(scale, spread_chunk(pass->sph, soft, chunk), f8_load(out)));
        if (pass->step)
            pass->step->take(pass->step->context, i, sums);
    }
    for (int c = 0; c < STEP_SUMS && pass->step; c++)
        soft->sums[block][c] = (double)f8_sum(sums[c]);
}

// `node` NULL: motions are at hand.
static void spread(Soft* s, const Vec3d* node, float scale, float* out)
{
    Sph* sph = s->base.sph;
    SoftPass pass = {.sph = sph, .soft = s, .node = node, .out = out, .scale = scale};
    if (node)
        parallel_for(sph->pool, s->wet, SOFT_GRAIN, soft_motion_block, &pass);
    parallel_for(sph->pool, s->wet_chunks, CHUNKS_GRAIN, spread_block, &pass);
}

static inline void sum_forces(const Sph* sph, const Soft* s, size_t g, const F8 x[4], F8 f[3])
{
    f[0] = f[1] = f[2] = f8_zero();
    for (const SoftSlot *slot = s->slot + s->group[g].slot, *end = s->slot + s->group[g + 1].slot; slot < end; slot++) {
        F8 xi, yi, zi, pi;
        f8_gather4_twice(sph->fluid.position, slot->twice, &xi, &yi, &zi, &pi);
        F8 w = f8_mul(f8_load_half(slot->c), pi);
        f[0] = f8_mad(w, f8_sub(xi, x[0]), f[0]);
        f[1] = f8_mad(w, f8_sub(yi, x[1]), f[1]);
        f[2] = f8_mad(w, f8_sub(zi, x[2]), f[2]);
    }
}

// Forces of the pressures at hand; of points alone on nodes accelerations and motions by the way.
static void force_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SoftPass* pass = context;
    const Sph* sph = pass->sph;
    Soft* s = pass->soft;
    const Vec4* place = soft_places(sph);
    const F8 volume = f8_set(sph->mass_volume), gradient = f8_set(sph->kernel.gradient);
    for (size_t g = begin; g < end; g++) {
        if (s->group[g].slot == s->group[g + 1].slot)
            continue;
        F8 x[4], f[3];
        f8_load4(place + LANES * g, &x[0], &x[1], &x[2], &x[3]);
        sum_forces(sph, s, g, x, f);
        F8 scale = f8_mul(x[3], gradient), strength = f8_mul(scale, volume);
        for (int c = 0; c < 3; c++)
            f[c] = f8_mul(f[c], strength);
        f8_store4(s->force + LANES * g, f[0], f[1], f[2], f8_zero());
        if (pass->forces_only)
            continue;
        scale = f8_mul(scale, f8_load(s->inverse + LANES * g));
        for (int c = 0; c < 3; c++)
            f[c] = f8_mul(f[c], scale);
        F8 w = f8_mul(f[2], from_origin(sph, x[2]));
        w = f8_mad(f[1], from_origin(sph, x[1]), w);
        f8_store4(s->motion + LANES * g, f[0], f[1], f[2], f8_mad(f[0], from_origin(sph, x[0]), w));
    }
}

static inline Vec3d force_at(const Soft* s, uint32_t place)
{
    Vec4 f = s->force[place];
    return vec3d((double)f.x, (double)f.y, (double)f.z);
}

static Vec3d force_of_node(const Soft* s, size_t v)
{
    Vec3d f = s->node_place[v] == NO_PLACE ? vec3d(0, 0, 0) : force_at(s, s->node_place[v]);
    for (uint32_t j = s->link_begin[v]; j < s->link_begin[v + 1]; j++)
        f = vec3d_mad(f, (double)s->link[j].weight, force_at(s, s->link[j].place));
    return f;
}

// acceleration of nodes = inverse mass * sum of weight * force of points
void soft_node_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SoftPass* pass = context;
    Soft* s = pass->soft;
    for (size_t v = pass->first + begin; v < pass->first + end; v++) {
        Vec3d f = force_of_node(s, v);
        s->acceleration[v] = pass->raw ? f : vec3d_scale(f, s->inverse_mass[v]);
    }
}

static void shared_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SoftPass* pass = context;
    Soft* s = pass->soft;
    for (size_t k = begin; k < end; k++) {
        uint32_t v = s->shared[k];
        Vec3d a = s->acceleration[v] = vec3d_scale(force_of_node(s, v), s->inverse_mass[v]);
        if (s->node_place[v] != NO_PLACE)
            s->motion[s->node_place[v]] = record_of(pass->sph, s->node_place[v], a);
    }
}

static bool any_answers(const Soft* s)
{
    bool any = false;
    for (size_t k = 0; k < s->boundary->skin_count; k++)
        any |= s->answers[k];
    return any;
}

void soft_accelerate_nodes(Soft* s)
{
    Sph* sph = s->base.sph;
    s->late = false;
    if (!any_answers(s)) {
        SoftPass pass = {.sph = sph, .soft = s};
        parallel_for(sph->pool, s->node_count, SOFT_GRAIN, soft_node_block, &pass);
        return;
    }
    for (size_t k = 0; k < s->boundary->skin_count; k++) {
        SoftPass pass = {.sph = sph, .soft = s, .first = s->node_first[k], .raw = s->answers[k]};
        parallel_for(sph->pool, soft_nodes_of(s, k), SOFT_GRAIN, soft_node_block, &pass);
        if (s->answers[k])
            s->answer(s->user, k, s->acceleration + s->node_first[k]);
    }
}

static Soft* soft_of(Responder* responder)
{
    return (Soft*)responder;
}

static void soft_pressure(Responder* responder)
{
    Soft* s = soft_of(responder);
    Sph* sph = s->base.sph;
    SoftPass pass = {.sph = sph, .soft = s, .forces_only = true};
    parallel_for(sph->pool, soft_groups(s), PLACES_GRAIN, force_block, &pass);
    if (s->base.strong)
        soft_accelerate_nodes(s);
}

static void soft_gained(Responder* responder)
{
    Soft* s = soft_of(responder);
    if (s->wet)
        spread(s, s->gain, 1, s->base.sph->fluid.divergence);
}

static void soft_accelerated(Responder* responder)
{
    Soft* s = soft_of(responder);
    if (s->wet)
        spread(s, s->acceleration, 1, s->base.sph->fluid.divergence);
}

static void soft_displaced(Responder* responder, float dt, float* density)
{
    Soft* s = soft_of(responder);
    if (!s->wet)
        return;
    spread(s, s->gain, dt, density);
    spread(s, s->acceleration, dt * dt, density);
}

// Force and motion by the pressures at hand. Accelerations of nodes that points lie alone on can wait for the end of a solve.
static void move_by_pressure(Soft* s)
{
    Sph* sph = s->base.sph;
    SoftPass pass = {.sph = sph, .soft = s, .node = s->acceleration};
    if (any_answers(s)) {
        soft_pressure(&s->base);
        parallel_for(sph->pool, s->wet, SOFT_GRAIN, soft_motion_block, &pass);
        return;
    }
    parallel_for(sph->pool, soft_groups(s), PLACES_GRAIN, force_block, &pass);
    parallel_for(sph->pool, s->shared_count, SOFT_GRAIN, shared_block, &pass);
    parallel_for(sph->pool, s->mixed_count, SOFT_GRAIN, mixed_block, &pass);
    s->late = true;
}

static void soft_give_way(Responder* responder, const PressureStep* step)
{
    Soft* s = soft_of(responder);
    Sph* sph = s->base.sph;
    if (step->prototype > 0) { // predicted densities
        soft_pressure(responder);
        soft_displaced(responder, step->dt, sph->fluid.source);
        return;
    }
    move_by_pressure(s);
    SoftPass pass = {.sph = sph, .soft = s, .out = sph->fluid.divergence, .scale = 1, .step = step->update ? step : NULL};
    parallel_for(sph->pool, s->wet_chunks, CHUNKS_GRAIN, spread_block, &pass);
    for (int c = 0; c < STEP_SUMS; c++) {
        s->base.sums[c] = 0;
        for (size_t b = 0; b < block_count(s->wet_chunks, CHUNKS_GRAIN) && step->update; b++)
            s->base.sums[c] += s->sums[b][c];
    }
}

static void soft_end(Responder* responder)
{
    Soft* s = soft_of(responder);
    if (s->late)
        soft_accelerate_nodes(s);
}

static void begin_places(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Soft* s = context;
    memset(s->impulse + begin, 0, (end - begin) * sizeof *s->impulse);
    memset(s->force + begin, 0, (end - begin) * sizeof *s->force);
}

static void begin_nodes(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Soft* s = context;
    memset(s->gain + begin, 0, (end - begin) * sizeof *s->gain);
    memset(s->acceleration + begin, 0, (end - begin) * sizeof *s->acceleration);
}

void soft_begin(Soft* s)
{
    const Sph* sph = s->base.sph;
    s->late = false;
    parallel_for(sph->pool, s->moving, SOFT_GRAIN, begin_places, s);
    parallel_for(sph->pool, s->node_count, SOFT_GRAIN, begin_nodes, s);
}

static void close_places(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SoftPass* pass = context;
    Soft* s = pass->soft;
    for (size_t p = begin; p < end; p++)
        s->impulse[p] = vec3d_mad(s->impulse[p], pass->dt, force_at(s, (uint32_t)p));
    memset(s->force + begin, 0, (end - begin) * sizeof *s->force);
}

// `node` (may be NULL) adds to the accelerations.
static void close_nodes(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SoftPass* pass = context;
    Soft* s = pass->soft;
    for (size_t v = begin; v < end; v++) {
        s->gain[v] = vec3d_mad(s->gain[v], pass->dt, s->acceleration[v]);
        if (pass->node)
            s->gain[v] = vec3d_mad(s->gain[v], pass->dt, pass->node[v]);
    }
    memset(s->acceleration + begin, 0, (end - begin) * sizeof *s->acceleration);
}

void soft_close_with(Soft* s, double dt, const Vec3d* drift)
{
    Sph* sph = s->base.sph;
    SoftPass pass = {.sph = sph, .soft = s, .dt = dt, .node = drift};
    parallel_for(sph->pool, s->moving, SOFT_GRAIN, close_places, &pass);
    if (s->base.strong)
        parallel_for(sph->pool, s->node_count, SOFT_GRAIN, close_nodes, &pass);
}

static void soft_close(Responder* responder, float dt)
{
    soft_close_with(soft_of(responder), (double)dt, NULL);
}

static const ResponderKind skins = {.name = "skins",
                                    .build = soft_build,
                                    .pressure = soft_pressure,
                                    .gained = soft_gained,
                                    .accelerated = soft_accelerated,
                                    .displaced = soft_displaced,
                                    .give_way = soft_give_way,
                                    .end = soft_end,
                                    .close = soft_close};

bool soft_create(Soft* s, Memory* memory, Sph* sph, const Boundary* boundary, bool strong)
{
    *s = (Soft){.memory = memory, .boundary = boundary};
    s->base.kind = &skins;
    s->base.strong = strong;
    s->node_first = memory_take(memory, (boundary->skin_count + 1) * sizeof *s->node_first);
    s->answers = memory_take(memory, (boundary->skin_count + 1) * sizeof *s->answers);
    if (!s->node_first || !s->answers)
        return false;
    memset(s->answers, 0, (boundary->skin_count + 1) * sizeof *s->answers);
    for (size_t k = 0; k < boundary->skin_count; k++)
        s->skinned_count = boundary->skin[k].solid >= s->skinned_count ? boundary->skin[k].solid + 1 : s->skinned_count;
    s->skinned = memory_take(memory, (s->skinned_count + 1) * sizeof *s->skinned);
    if (!s->skinned)
        return false;
    memset(s->skinned, 0, (s->skinned_count + 1) * sizeof *s->skinned);
    for (size_t k = 0; k < boundary->skin_count; k++) {
        s->skinned[boundary->skin[k].solid] = true;
        s->node_first[k] = s->node_count;
        s->node_count += boundary->skin[k].resample.vertex_count;
    }
    s->inverse_mass = memory_take(memory, s->node_count * sizeof *s->inverse_mass);
    s->carried = memory_take(memory, s->node_count * sizeof *s->carried);
    s->drift = memory_take(memory, s->node_count * sizeof *s->drift);
    s->gain = memory_take(memory, s->node_count * sizeof *s->gain);
    s->acceleration = memory_take(memory, s->node_count * sizeof *s->acceleration);
    s->link_begin = memory_take(memory, (s->node_count + 2) * sizeof *s->link_begin);
    s->node_value = memory_take(memory, s->node_count * sizeof *s->node_value);
    s->node_place = memory_take(memory, s->node_count * sizeof *s->node_place);
    s->shared = memory_take(memory, (s->node_count + 1) * sizeof *s->shared);
    if (!s->inverse_mass || !s->carried || !s->drift || !s->gain || !s->acceleration || !s->link_begin || !s->node_value ||
        !s->node_place || !s->shared)
        return false;
    memset(s->carried, 0, s->node_count * sizeof *s->carried);
    memset(s->inverse_mass, 0, s->node_count * sizeof *s->inverse_mass);
    memset(s->drift, 0, s->node_count * sizeof *s->drift);
    memset(s->gain, 0, s->node_count * sizeof *s->gain);
    responder_add(sph, &s->base);
    return true;
}
