// SPDX-License-Identifier: MIT
#include "coupling/response_vertex.h"

#include "fluid/origin.h"
#include <string.h>

void vertex_response_destroy(VertexResponse* r)
{
    if (r->base.sph)
        responder_remove(r->base.sph, &r->base);
    void* arrays[] = {r->skinned, r->node_first, r->has_mobility, r->own_inverse, r->inverse_mass, r->carried,
                      r->drift,   r->gain,       r->acceleration, r->node_value,  r->motion,       r->force,
                      r->inverse, r->drag,       r->impulse,      r->sums};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(r->memory, arrays[k]);
    vertex_pairs_free(&r->pairs, r->memory);
    *r = (VertexResponse){0};
}

// --- passes

// What spread_block wants of a place that moves by u.
static inline Vec4 record_of(const Sph* sph, size_t place, Vec3d u)
{
    Vec4 b = vertex_places(sph)[place];
    float f = b.w * sph->kernel.gradient, x = f * (float)u.x, y = f * (float)u.y, z = f * (float)u.z;
    float from[LANES] = {b.x, b.y, b.z};
    f8_store(from, from_origin(sph, f8_load(from)));
    return (Vec4){x, y, z, x * from[0] + y * from[1] + z * from[2]};
}

// motion of a place = sum of weight * value of nodes
static void move_point(const VertexPass* pass, size_t k)
{
    const WetPoint* p = &pass->response->pairs.point[k];
    Vec3d m = vec3d_scale(pass->node[p->node[0]], (double)p->weight[0]);
    m = vec3d_mad(m, (double)p->weight[1], pass->node[p->node[1]]);
    m = vec3d_mad(m, (double)p->weight[2], pass->node[p->node[2]]);
    pass->response->motion[p->place] =
        pass->plain ? (Vec4){(float)m.x, (float)m.y, (float)m.z, 0} : record_of(pass->sph, p->place, m);
}

void vertex_motion_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    for (size_t k = begin; k < end; k++)
        move_point(context, k);
}

static void mixed_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const VertexPass* pass = context;
    for (size_t k = begin; k < end; k++)
        move_point(pass, pass->response->pairs.mixed[k]);
}

// sum_b c V_b kernel.gradient u_b . (x_i - x_b)
static inline F8 spread_chunk(const Sph* sph, const VertexResponse* response, const VertexChunk* chunk)
{
    F8 xi, yi, zi, unused, sx, sy, sz, sum;
    f8_load4(sph->fluid.position + (size_t)LANES * chunk->chunk, &xi, &yi, &zi, &unused);
    if (chunk->one_origin) {
        R8 sums = r8_zero();
        for (const PairSlot *slot = chunk->slot, *end = slot + chunk->slots; slot < end; slot++)
            r8_mad_twice(&sums, f8_load_half(slot->c), response->motion, slot->twice);
        r8_columns(&sums, &sx, &sy, &sz, &sum);
        sum = f8_mad(from_origin(sph, xi), sx, f8_sub(f8_zero(), sum));
        sum = f8_mad(from_origin(sph, yi), sy, sum);
        return f8_mad(from_origin(sph, zi), sz, sum);
    }
    sum = f8_zero();
    for (const PairSlot *slot = chunk->slot, *end = slot + chunk->slots; slot < end; slot++) {
        F8 xb, yb, zb, ux, uy, uz;
        f8_gather4_twice(vertex_places(sph), slot->twice, &xb, &yb, &zb, &unused);
        f8_gather4_twice(response->motion, slot->twice, &ux, &uy, &uz, &unused);
        F8 dot = f8_mul(ux, f8_sub(xi, xb));
        dot = f8_mad(uy, f8_sub(yi, yb), dot);
        sum = f8_mad(f8_load_half(slot->c), f8_mad(uz, f8_sub(zi, zb), dot), sum);
    }
    return sum;
}

// out_i -= scale sum_b motion_b . G_ib; whoever wants it goes on with the chunk.
static void spread_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const VertexPass* pass = context;
    const VertexResponse* response = pass->response;
    const F8 scale = f8_set(pass->scale);
    F8 sums[STEP_SUMS] = {f8_zero(), f8_zero(), f8_zero()};
    for (size_t n = begin; n < end; n++) {
        const VertexChunk* chunk = &response->pairs.chunk[n];
        size_t i = (size_t)LANES * chunk->chunk;
        float* out = pass->out + i;
        f8_store(out, f8_nmad(scale, spread_chunk(pass->sph, response, chunk), f8_load(out)));
        if (pass->step)
            pass->step->take(pass->step->context, i, sums);
    }
    for (int c = 0; c < STEP_SUMS && pass->step; c++)
        response->sums[block][c] = (double)f8_sum(sums[c]);
}

// `node` NULL: motions are at hand.
static void spread(VertexResponse* s, const Vec3d* node, float scale, float* out)
{
    Sph* sph = s->base.sph;
    VertexPass pass = {.sph = sph, .response = s, .node = node, .out = out, .scale = scale};
    if (node)
        parallel_for(sph->pool, s->pairs.wet, VERTEX_GRAIN, vertex_motion_block, &pass);
    parallel_for(sph->pool, s->pairs.wet_chunks, CHUNKS_GRAIN, spread_block, &pass);
}

static inline void sum_forces(const Sph* sph, const VertexResponse* s, size_t g, const F8 x[4], F8 f[3])
{
    f[0] = f[1] = f[2] = f8_zero();
    for (const PairSlot *slot = s->pairs.slot + s->pairs.group[g].slot, *end = s->pairs.slot + s->pairs.group[g + 1].slot;
         slot < end; slot++) {
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
    const VertexPass* pass = context;
    const Sph* sph = pass->sph;
    VertexResponse* s = pass->response;
    const Vec4* place = vertex_places(sph);
    const F8 volume = f8_set(sph->mass_volume), gradient = f8_set(sph->kernel.gradient);
    for (size_t g = begin; g < end; g++) {
        if (s->pairs.group[g].slot == s->pairs.group[g + 1].slot)
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

static inline Vec3d force_at(const VertexResponse* s, uint32_t place)
{
    Vec4 f = s->force[place];
    return vec3d((double)f.x, (double)f.y, (double)f.z);
}

static Vec3d force_of_node(const VertexResponse* s, size_t v)
{
    Vec3d f = s->pairs.node_place[v] == NO_PLACE ? vec3d(0, 0, 0) : force_at(s, s->pairs.node_place[v]);
    for (uint32_t j = s->pairs.link_begin[v]; j < s->pairs.link_begin[v + 1]; j++)
        f = vec3d_mad(f, (double)s->pairs.link[j].weight, force_at(s, s->pairs.link[j].place));
    return f;
}

// acceleration of nodes = inverse mass * sum of weight * force of points
void vertex_node_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const VertexPass* pass = context;
    VertexResponse* s = pass->response;
    for (size_t v = pass->first + begin; v < pass->first + end; v++) {
        Vec3d f = force_of_node(s, v);
        s->acceleration[v] = pass->raw ? f : vec3d_scale(f, s->inverse_mass[v]);
    }
}

static void shared_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const VertexPass* pass = context;
    VertexResponse* s = pass->response;
    for (size_t k = begin; k < end; k++) {
        uint32_t v = s->pairs.shared[k];
        Vec3d a = s->acceleration[v] = vec3d_scale(force_of_node(s, v), s->inverse_mass[v]);
        if (s->pairs.node_place[v] != NO_PLACE)
            s->motion[s->pairs.node_place[v]] = record_of(pass->sph, s->pairs.node_place[v], a);
    }
}

static bool any_mobility(const VertexResponse* s)
{
    bool any = false;
    for (size_t k = 0; k < s->boundary->skin_count; k++)
        any |= s->has_mobility[k];
    return any;
}

void vertex_accelerate_nodes(VertexResponse* s)
{
    Sph* sph = s->base.sph;
    s->pending = false;
    if (!any_mobility(s)) {
        VertexPass pass = {.sph = sph, .response = s};
        parallel_for(sph->pool, s->node_count, VERTEX_GRAIN, vertex_node_block, &pass);
        return;
    }
    for (size_t k = 0; k < s->boundary->skin_count; k++) {
        VertexPass pass = {.sph = sph, .response = s, .first = s->node_first[k], .raw = s->has_mobility[k]};
        parallel_for(sph->pool, vertex_nodes_of(s, k), VERTEX_GRAIN, vertex_node_block, &pass);
        if (s->has_mobility[k])
            s->mobility(s->user, k, s->acceleration + s->node_first[k]);
    }
}

static VertexResponse* response_of(Responder* responder)
{
    return (VertexResponse*)responder;
}

static void vertex_pressure(Responder* responder)
{
    VertexResponse* s = response_of(responder);
    Sph* sph = s->base.sph;
    VertexPass pass = {.sph = sph, .response = s, .forces_only = true};
    parallel_for(sph->pool, vertex_groups(&s->pairs), PLACES_GRAIN, force_block, &pass);
    if (s->base.strong)
        vertex_accelerate_nodes(s);
}

static void vertex_gained(Responder* responder)
{
    VertexResponse* s = response_of(responder);
    if (s->pairs.wet)
        spread(s, s->gain, 1, s->base.sph->fluid.divergence);
}

static void vertex_accelerated(Responder* responder)
{
    VertexResponse* s = response_of(responder);
    if (s->pairs.wet)
        spread(s, s->acceleration, 1, s->base.sph->fluid.divergence);
}

static void vertex_displaced(Responder* responder, float dt, float* density)
{
    VertexResponse* s = response_of(responder);
    if (!s->pairs.wet)
        return;
    spread(s, s->gain, dt, density);
    spread(s, s->acceleration, dt * dt, density);
}

// Force and motion by the pressures at hand. Accelerations of nodes that points lie alone on can wait for the end of a solve.
static void move_by_pressure(VertexResponse* s)
{
    Sph* sph = s->base.sph;
    VertexPass pass = {.sph = sph, .response = s, .node = s->acceleration};
    if (any_mobility(s)) {
        vertex_pressure(&s->base);
        parallel_for(sph->pool, s->pairs.wet, VERTEX_GRAIN, vertex_motion_block, &pass);
        return;
    }
    parallel_for(sph->pool, vertex_groups(&s->pairs), PLACES_GRAIN, force_block, &pass);
    parallel_for(sph->pool, s->pairs.shared_count, VERTEX_GRAIN, shared_block, &pass);
    parallel_for(sph->pool, s->pairs.mixed_count, VERTEX_GRAIN, mixed_block, &pass);
    s->pending = true;
}

static void vertex_give_way(Responder* responder, const PressureStep* step)
{
    VertexResponse* s = response_of(responder);
    Sph* sph = s->base.sph;
    if (step->prototype > 0) { // predicted densities
        vertex_pressure(responder);
        vertex_displaced(responder, step->dt, sph->fluid.source);
        return;
    }
    move_by_pressure(s);
    VertexPass pass = {.sph = sph, .response = s, .out = sph->fluid.divergence, .scale = 1, .step = step->update ? step : NULL};
    parallel_for(sph->pool, s->pairs.wet_chunks, CHUNKS_GRAIN, spread_block, &pass);
    for (int c = 0; c < STEP_SUMS; c++) {
        s->base.sums[c] = 0;
        for (size_t b = 0; b < block_count(s->pairs.wet_chunks, CHUNKS_GRAIN) && step->update; b++)
            s->base.sums[c] += s->sums[b][c];
    }
}

static void vertex_end(Responder* responder)
{
    VertexResponse* s = response_of(responder);
    if (s->pending)
        vertex_accelerate_nodes(s);
}

static void begin_places(void* context, size_t begin, size_t end, size_t block, int worker)
{
    VertexResponse* s = context;
    memset(s->impulse + begin, 0, (end - begin) * sizeof *s->impulse);
    memset(s->force + begin, 0, (end - begin) * sizeof *s->force);
}

static void begin_nodes(void* context, size_t begin, size_t end, size_t block, int worker)
{
    VertexResponse* s = context;
    memset(s->gain + begin, 0, (end - begin) * sizeof *s->gain);
    memset(s->acceleration + begin, 0, (end - begin) * sizeof *s->acceleration);
}

void vertex_response_begin(VertexResponse* s)
{
    const Sph* sph = s->base.sph;
    s->pending = false;
    parallel_for(sph->pool, s->pairs.moving, VERTEX_GRAIN, begin_places, s);
    parallel_for(sph->pool, s->node_count, VERTEX_GRAIN, begin_nodes, s);
}

static void close_places(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const VertexPass* pass = context;
    VertexResponse* s = pass->response;
    for (size_t p = begin; p < end; p++)
        s->impulse[p] = vec3d_mad(s->impulse[p], pass->dt, force_at(s, (uint32_t)p));
    memset(s->force + begin, 0, (end - begin) * sizeof *s->force);
}

// `node` (may be NULL) adds to the accelerations.
static void close_nodes(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const VertexPass* pass = context;
    VertexResponse* s = pass->response;
    for (size_t v = begin; v < end; v++) {
        s->gain[v] = vec3d_mad(s->gain[v], pass->dt, s->acceleration[v]);
        if (pass->node)
            s->gain[v] = vec3d_mad(s->gain[v], pass->dt, pass->node[v]);
    }
    memset(s->acceleration + begin, 0, (end - begin) * sizeof *s->acceleration);
}

void vertex_close_with(VertexResponse* s, double dt, const Vec3d* drift)
{
    Sph* sph = s->base.sph;
    VertexPass pass = {.sph = sph, .response = s, .dt = dt, .node = drift};
    parallel_for(sph->pool, s->pairs.moving, VERTEX_GRAIN, close_places, &pass);
    if (s->base.strong)
        parallel_for(sph->pool, s->node_count, VERTEX_GRAIN, close_nodes, &pass);
}

static bool vertex_build(Responder* responder)
{
    VertexResponse* s = response_of(responder);
    if (!vertex_pairs_build(s) || !memory_reserve(s->memory, &s->sums, &s->sums_capacity, 0,
                                                  block_count(s->pairs.wet_chunks, CHUNKS_GRAIN) + 1, sizeof *s->sums))
        return false;
    if (s->pairs.wet)
        vertex_bound_steps(s);
    else
        memset(s->carried, 0, s->node_count * sizeof *s->carried);
    return true;
}

static void vertex_close(Responder* responder, float dt)
{
    vertex_close_with(response_of(responder), (double)dt, NULL);
}

static const ResponderKind by_vertex = {.name = "by vertex",
                                        .build = vertex_build,
                                        .pressure = vertex_pressure,
                                        .gained = vertex_gained,
                                        .accelerated = vertex_accelerated,
                                        .displaced = vertex_displaced,
                                        .give_way = vertex_give_way,
                                        .end = vertex_end,
                                        .close = vertex_close};

// Which solids have skins, and where the nodes of each skin begin. False: out of memory.
static bool find_nodes(VertexResponse* r)
{
    const Boundary* b = r->boundary;
    for (size_t k = 0; k < b->skin_count; k++)
        r->skinned_count = b->skin[k].solid >= r->skinned_count ? b->skin[k].solid + 1 : r->skinned_count;
    r->node_first = memory_take(r->memory, (b->skin_count + 1) * sizeof *r->node_first);
    r->has_mobility = memory_take(r->memory, (b->skin_count + 1) * sizeof *r->has_mobility);
    r->skinned = memory_take(r->memory, (r->skinned_count + 1) * sizeof *r->skinned);
    if (!r->node_first || !r->has_mobility || !r->skinned)
        return false;
    memset(r->has_mobility, 0, (b->skin_count + 1) * sizeof *r->has_mobility);
    memset(r->skinned, 0, (r->skinned_count + 1) * sizeof *r->skinned);
    for (size_t k = 0; k < b->skin_count; k++) {
        r->skinned[b->skin[k].solid] = true;
        r->node_first[k] = r->node_count;
        r->node_count += b->skin[k].resample.vertex_count;
    }
    return true;
}

// All that is kept by node, for the skins there are. False: out of memory.
static bool take_nodes(VertexResponse* r)
{
    if (!find_nodes(r) || !vertex_pairs_create(&r->pairs, r->memory, r->node_count))
        return false;
    const size_t n = r->node_count;
    r->own_inverse = memory_take(r->memory, n * sizeof *r->own_inverse);
    r->inverse_mass = memory_take(r->memory, n * sizeof *r->inverse_mass);
    r->carried = memory_take(r->memory, n * sizeof *r->carried);
    r->drift = memory_take(r->memory, n * sizeof *r->drift);
    r->gain = memory_take(r->memory, n * sizeof *r->gain);
    r->acceleration = memory_take(r->memory, n * sizeof *r->acceleration);
    r->node_value = memory_take(r->memory, n * sizeof *r->node_value);
    if (!r->own_inverse || !r->inverse_mass || !r->carried || !r->drift || !r->gain || !r->acceleration || !r->node_value)
        return false;
    memset(r->carried, 0, n * sizeof *r->carried);
    memset(r->own_inverse, 0, n * sizeof *r->own_inverse);
    memset(r->inverse_mass, 0, n * sizeof *r->inverse_mass);
    memset(r->drift, 0, n * sizeof *r->drift);
    memset(r->gain, 0, n * sizeof *r->gain);
    return true;
}

bool vertex_response_create(VertexResponse* r, Memory* memory, Sph* sph, const Boundary* boundary, bool strong)
{
    *r = (VertexResponse){.base = {.kind = &by_vertex, .strong = strong}, .memory = memory, .boundary = boundary};
    if (!take_nodes(r))
        return false;
    responder_add(sph, &r->base);
    return true;
}

// The two change hands: what is kept by node.
static void swap_nodes(VertexResponse* a, VertexResponse* b)
{
    VertexResponse keep = *a;
    void** const arrays[][2] = {
        {(void**)&a->skinned, (void**)&b->skinned},
        {(void**)&a->node_first, (void**)&b->node_first},
        {(void**)&a->has_mobility, (void**)&b->has_mobility},
        {(void**)&a->own_inverse, (void**)&b->own_inverse},
        {(void**)&a->inverse_mass, (void**)&b->inverse_mass},
        {(void**)&a->carried, (void**)&b->carried},
        {(void**)&a->drift, (void**)&b->drift},
        {(void**)&a->gain, (void**)&b->gain},
        {(void**)&a->acceleration, (void**)&b->acceleration},
        {(void**)&a->node_value, (void**)&b->node_value},
        {(void**)&a->pairs.link_begin, (void**)&b->pairs.link_begin},
        {(void**)&a->pairs.node_place, (void**)&b->pairs.node_place},
        {(void**)&a->pairs.shared, (void**)&b->pairs.shared},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        void* array = *arrays[k][0];
        *arrays[k][0] = *arrays[k][1];
        *arrays[k][1] = array;
    }
    a->node_count = b->node_count;
    a->skinned_count = b->skinned_count;
    b->node_count = keep.node_count;
    b->skinned_count = keep.skinned_count;
}

bool vertex_response_follow(VertexResponse* r)
{
    VertexResponse next = {.memory = r->memory, .boundary = r->boundary};
    bool ok = take_nodes(&next);
    if (ok)
        swap_nodes(r, &next);
    vertex_response_destroy(&next);
    return ok;
}
