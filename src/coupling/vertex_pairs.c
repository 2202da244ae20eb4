// SPDX-License-Identifier: MIT
// Pairs are copied from the lists of the search, range by range of chunks, and counted by place. Then each place knows where the
// pairs of each range go, and all ranges hand theirs out side by side.
#include "coupling/response_vertex.h"

#include "fluid/origin.h"
#include <string.h>

enum { GROUP_GRAIN = 128 };

bool vertex_pairs_create(VertexPairs* p, Memory* memory, size_t nodes)
{
    p->link_begin = memory_take(memory, (nodes + 2) * sizeof *p->link_begin);
    p->node_place = memory_take(memory, (nodes + 1) * sizeof *p->node_place);
    p->shared = memory_take(memory, (nodes + 1) * sizeof *p->shared);
    if (!p->link_begin || !p->node_place || !p->shared)
        return false;
    memset(p->link_begin, 0, (nodes + 2) * sizeof *p->link_begin); // nobody is wet yet
    memset(p->node_place, 0xff, (nodes + 1) * sizeof *p->node_place);
    return true;
}

void vertex_pairs_free(VertexPairs* p, Memory* memory)
{
    void* arrays[] = {p->link_begin, p->node_place, p->shared, p->link, p->point, p->counts, p->slot, p->group, p->chunk, p->mixed};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(memory, arrays[k]);
    for (int r = 0; r < PAIR_RANGES; r++) {
        memory_give(memory, p->range[r].slot);
        memory_give(memory, p->range[r].chunk);
    }
}

typedef struct BuildJob {
    Sph* sph;
    VertexResponse* response;
    size_t stride; // of counts
} BuildJob;

// --- by chunk

static bool is_pair(const VertexResponse* s, uint32_t base, uint32_t b, uint16_t c)
{
    return (c & 0x7fff) && b >= base && s->boundary->order[b] >= s->boundary->driven;
}

// Bit k: there is a pair in lane k.
static inline unsigned pairs_of(const uint16_t c[LANES])
{
    return f8_mask(f8_not_zero(f8_load_half(c)));
}

// All of its pairs are with skins, and so is what stands for none: slots as they are.
static uint32_t copy_slots(const NearBoundary* near, uint32_t base, PairSlot* slot, uint32_t* counts)
{
    const uint16_t* c = list_coefficients(near->index, near->slots);
    const uint32_t* index = near->index;
    for (uint32_t s = 0; s < near->slots; s++, index += LANES, c += LANES) {
        for (size_t lane = 0; lane < LANES; lane++)
            slot[s].twice[lane] = 2 * ((index[lane] > base ? index[lane] : base) - base);
        memcpy(slot[s].c, c, sizeof slot[s].c);
        for (unsigned pairs = pairs_of(c); pairs; pairs &= pairs - 1)
            counts[index[__builtin_ctz(pairs)] - base]++;
    }
    return near->slots;
}

static uint32_t pick_slots(const VertexResponse* response, const ChunkList* list, uint32_t base, PairSlot* slot, uint32_t* counts)
{
    const NearBoundary* near = list->near;
    const uint16_t* c = list_coefficients(near->index, near->slots);
    uint32_t filled[LANES] = {0}, most = 0;
    memset(slot, 0, near->slots * sizeof *slot);
    for (size_t k = (size_t)LANES * list->moving; k < (size_t)LANES * near->slots; k++) {
        if (!is_pair(response, base, near->index[k], c[k]))
            continue;
        uint32_t lane = k % LANES, at = filled[lane]++, place = near->index[k] - base;
        slot[at].twice[lane] = 2 * place;
        slot[at].c[lane] = c[k];
        counts[place]++;
        most = at + 1 > most ? at + 1 : most;
    }
    return most;
}

static void find_pairs(const BuildJob* job, size_t k, PairRange* range, uint32_t* counts)
{
    const Sph* sph = job->sph;
    const VertexResponse* response = job->response;
    const ChunkList* list = &sph->neighbours.chunk[k];
    const uint32_t base = sph->walls.points.part[1].base;
    const int32_t solid = list->near->solid;
    if (solid >= 0 && !vertex_has_skin(response, (size_t)solid))
        return;
    if (!memory_reserve(response->memory, &range->slot, &range->slot_capacity, range->slots, range->slots + list->near->slots,
                        sizeof *range->slot) ||
        !memory_reserve(response->memory, &range->chunk, &range->chunk_capacity, range->chunks, range->chunks + 1,
                        sizeof *range->chunk)) {
        range->failed = true;
        return;
    }
    PairSlot* slot = range->slot + range->slots;
    uint32_t slots = solid >= 0 ? copy_slots(list->near, base, slot, counts) : pick_slots(response, list, base, slot, counts);
    if (slots == 0)
        return;
    F8 x, y, z, unused;
    f8_load4(sph->fluid.position + LANES * k, &x, &y, &z, &unused);
    bool one_origin = share_origin(sph, x) && share_origin(sph, y) && share_origin(sph, z);
    range->chunk[range->chunks++] = (VertexChunk){.chunk = (uint32_t)k, .slots = slots, .one_origin = one_origin};
    range->slots += slots;
    if (response->base.strong)
        responder_mark(&response->base, k);
}

static void find_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const BuildJob* job = context;
    VertexResponse* s = job->response;
    PairRange* range = &s->pairs.range[block];
    uint32_t* counts = s->pairs.counts + block * job->stride;
    const ChunkList* chunk = job->sph->neighbours.chunk;
    memset(counts, 0, job->stride * sizeof *counts);
    for (size_t k = begin; k < end; k++) {
        enum { AHEAD = 16 };
        if (k + AHEAD < end && chunk[k + AHEAD].moving != NOTHING_MOVES) {
            near_prefetch(chunk[k + AHEAD].near);
            __builtin_prefetch(&job->sph->fluid.position[LANES * (k + AHEAD)]);
            __builtin_prefetch(&job->sph->fluid.position[LANES * (k + AHEAD) + LANES / 2]);
        }
        if (chunk[k].moving != NOTHING_MOVES)
            find_pairs(job, k, range, counts);
    }
}

// --- by place

typedef struct SkinPoint {
    uint32_t skin, particle;
} SkinPoint;

// Which particle of which skin is at a place; `guess` is a skin to begin with.
static SkinPoint skin_point(const VertexResponse* s, uint32_t base, size_t place, uint32_t guess)
{
    const Boundary* b = s->boundary;
    uint32_t made = b->order[base + place];
    uint32_t k = guess;
    while (made - b->skin[k].first >= b->skin[k].resample.count)
        k = k + 1 < b->skin_count ? k + 1 : 0;
    return (SkinPoint){k, (uint32_t)(made - b->skin[k].first)};
}

static bool on_node(const VertexResponse* s, SkinPoint p)
{
    return p.particle < s->boundary->skin[p.skin].resample.vertex_count;
}

// From counts per range to first pairs of each range, and how much belongs to each group.
static void count_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const BuildJob* job = context;
    VertexResponse* s = job->response;
    const uint32_t base = job->sph->walls.points.part[1].base;
    uint32_t skin = 0;
    for (size_t g = begin; g < end; g++) {
        PointGroup all = {0, 0, 0};
        for (size_t p = LANES * g; p < LANES * (g + 1); p++) {
            uint32_t n = 0;
            for (size_t r = 0; r < PAIR_RANGES; r++) {
                uint32_t* count = &s->pairs.counts[r * job->stride + p];
                uint32_t here = *count;
                *count = n;
                n += here;
            }
            s->pairs.counts[PAIR_RANGES * job->stride + p] = n;
            if (n == 0)
                continue;
            SkinPoint at = skin_point(s, base, p, skin);
            skin = at.skin;
            all.slot = n > all.slot ? n : all.slot;
            all.wet++;
            all.mixed += !on_node(s, at);
        }
        s->pairs.group[g + 1] = all;
    }
}

// Where each group begins. False: out of memory.
static bool sum_groups(VertexResponse* s, size_t groups)
{
    s->pairs.group[0] = (PointGroup){0, 0, 0};
    for (size_t g = 0; g < groups; g++) {
        s->pairs.group[g + 1].slot += s->pairs.group[g].slot;
        s->pairs.group[g + 1].wet += s->pairs.group[g].wet;
        s->pairs.group[g + 1].mixed += s->pairs.group[g].mixed;
    }
    s->pairs.wet = s->pairs.group[groups].wet;
    s->pairs.mixed_count = s->pairs.group[groups].mixed;
    return memory_reserve(s->memory, &s->pairs.slot, &s->pairs.slot_capacity, 0, s->pairs.group[groups].slot + 1,
                          sizeof *s->pairs.slot) &&
           memory_reserve(s->memory, &s->pairs.point, &s->pairs.point_capacity, 0, s->pairs.wet + 1, sizeof *s->pairs.point) &&
           memory_reserve(s->memory, &s->pairs.mixed, &s->pairs.mixed_capacity, 0, s->pairs.mixed_count + 1,
                          sizeof *s->pairs.mixed) &&
           memory_reserve(s->memory, &s->pairs.link, &s->pairs.link_capacity, 0, 3 * s->pairs.mixed_count + 1,
                          sizeof *s->pairs.link);
}

static WetPoint wet_point(const VertexResponse* s, size_t place, SkinPoint at)
{
    WetPoint w = {.place = (uint32_t)place, .skin = at.skin, .particle = at.particle};
    const SurfacePoint* p = &s->boundary->skin[at.skin].resample.point[at.particle];
    for (int c = 0; c < 3; c++) {
        w.node[c] = (uint32_t)s->node_first[at.skin] + p->vertex[c];
        w.weight[c] = p->weight[c];
    }
    return w;
}

// Wet points, and slots without a pair.
static void fill_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const BuildJob* job = context;
    VertexResponse* s = job->response;
    const uint32_t base = job->sph->walls.points.part[1].base;
    uint32_t skin = 0;
    for (size_t g = begin; g < end; g++) {
        PointGroup at = s->pairs.group[g];
        uint32_t slots = s->pairs.group[g + 1].slot - at.slot;
        memset(s->inverse + LANES * g, 0, LANES * sizeof *s->inverse);
        for (size_t lane = 0, p = LANES * g; lane < LANES; lane++, p++) {
            uint32_t pairs = s->pairs.counts[PAIR_RANGES * job->stride + p];
            for (PairSlot* slot = s->pairs.slot + at.slot + pairs; slot < s->pairs.slot + at.slot + slots; slot++) {
                slot->twice[lane] = 0;
                slot->c[lane] = 0;
            }
            if (pairs == 0) {
                s->motion[p] = (Vec4){0}; // may stand for no pair
                continue;
            }
            SkinPoint point = skin_point(s, base, p, skin);
            skin = point.skin;
            if (on_node(s, point))
                s->pairs.node_place[s->node_first[point.skin] + point.particle] = (uint32_t)p;
            else
                s->pairs.mixed[at.mixed++] = at.wet;
            s->pairs.point[at.wet++] = wet_point(s, p, point);
        }
    }
}

// The pairs of a slot go to their places.
static void hand_out(const VertexResponse* s, const PairSlot* slot, uint32_t particle, uint32_t* counts)
{
    for (unsigned pairs = pairs_of(slot->c); pairs; pairs &= pairs - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(pairs), place = slot->twice[lane] / 2;
        PairSlot* to = &s->pairs.slot[s->pairs.group[place / LANES].slot + counts[place]++];
        to->twice[place % LANES] = 2 * (particle + lane);
        to->c[place % LANES] = slot->c[lane];
    }
}

static void store_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const BuildJob* job = context;
    VertexResponse* s = job->response;
    for (size_t r = begin; r < end; r++) {
        uint32_t* counts = s->pairs.counts + r * job->stride;
        const PairSlot* slot = s->pairs.range[r].slot;
        VertexChunk* chunk = s->pairs.chunk + s->pairs.range[r].first;
        for (size_t n = 0; n < s->pairs.range[r].chunks; n++, chunk++) {
            *chunk = s->pairs.range[r].chunk[n];
            chunk->slot = slot;
            for (const PairSlot* last = slot + chunk->slots; slot < last; slot++)
                hand_out(s, slot, LANES * chunk->chunk, counts);
        }
    }
}

// --- by node

static void link_nodes(VertexResponse* s)
{
    memset(s->pairs.link_begin, 0, (s->node_count + 2) * sizeof *s->pairs.link_begin);
    s->pairs.shared_count = 0;
    if (s->pairs.mixed_count == 0)
        return;
    uint32_t* begin = s->pairs.link_begin + 1; // becomes the ends, one place on
    for (size_t k = 0; k < s->pairs.mixed_count; k++) {
        const WetPoint* p = &s->pairs.point[s->pairs.mixed[k]];
        for (int c = 0; c < 3; c++)
            begin[p->node[c] + 1] += p->weight[c] > 0;
    }
    for (size_t v = 0; v < s->node_count; v++)
        begin[v + 1] += begin[v];
    for (size_t k = 0; k < s->pairs.mixed_count; k++) {
        const WetPoint* p = &s->pairs.point[s->pairs.mixed[k]];
        for (int c = 0; c < 3; c++)
            if (p->weight[c] > 0)
                s->pairs.link[begin[p->node[c]]++] = (NodeLink){p->place, p->weight[c]};
    }
    for (uint32_t v = 0; v < s->node_count; v++)
        if (s->pairs.link_begin[v] < s->pairs.link_begin[v + 1])
            s->pairs.shared[s->pairs.shared_count++] = v;
}

static bool reserve(VertexResponse* s, size_t places)
{
    return memory_reserve(s->memory, &s->pairs.counts, &s->pairs.counts_capacity, 0, (PAIR_RANGES + 1) * places + 1,
                          sizeof *s->pairs.counts) &&
           memory_reserve(s->memory, &s->pairs.group, &s->pairs.group_capacity, 0, places / LANES + 1, sizeof *s->pairs.group) &&
           memory_reserve(s->memory, &s->motion, &s->motion_capacity, 0, places + 1, sizeof *s->motion) &&
           memory_reserve(s->memory, &s->force, &s->force_capacity, 0, places + 1, sizeof *s->force) &&
           memory_reserve(s->memory, &s->inverse, &s->inverse_capacity, 0, places + 1, sizeof *s->inverse) &&
           memory_reserve(s->memory, &s->drag, &s->drag_capacity, 0, places + 1, sizeof *s->drag) &&
           memory_reserve(s->memory, &s->impulse, &s->impulse_capacity, 0, places + 1, sizeof *s->impulse);
}

static bool sum_ranges(VertexResponse* s)
{
    s->pairs.wet_chunks = 0;
    for (int r = 0; r < PAIR_RANGES; r++) {
        if (s->pairs.range[r].failed)
            return false;
        s->pairs.range[r].first = s->pairs.wet_chunks;
        s->pairs.wet_chunks += s->pairs.range[r].chunks;
    }
    return memory_reserve(s->memory, &s->pairs.chunk, &s->pairs.chunk_capacity, 0, s->pairs.wet_chunks + 1, sizeof *s->pairs.chunk);
}

bool vertex_pairs_build(VertexResponse* s)
{
    Sph* sph = s->base.sph;
    const size_t chunks = block_count(sph->fluid.set.count, LANES), grain = chunks ? block_count(chunks, PAIR_RANGES) : 1;
    s->pairs.moving = s->boundary->count - sph->walls.points.part[1].base;
    const size_t groups = vertex_groups(&s->pairs);
    BuildJob job = {.sph = sph, .response = s, .stride = LANES * groups};
    if (!reserve(s, job.stride))
        return false;
    for (int r = 0; r < PAIR_RANGES; r++)
        s->pairs.range[r].slots = s->pairs.range[r].chunks = 0;
    for (size_t r = block_count(chunks, grain); r < PAIR_RANGES; r++) // few chunks make fewer ranges
        memset(s->pairs.counts + r * job.stride, 0, job.stride * sizeof *s->pairs.counts);
    memset(s->pairs.node_place, 0xff, s->node_count * sizeof *s->pairs.node_place);
    parallel_for(sph->pool, chunks, grain, find_block, &job);
    if (!sum_ranges(s))
        return false;
    s->base.chunks = s->pairs.wet_chunks;
    parallel_for(sph->pool, groups, GROUP_GRAIN, count_block, &job);
    if (!sum_groups(s, groups))
        return false;
    parallel_for(sph->pool, groups, GROUP_GRAIN, fill_block, &job);
    parallel_for(sph->pool, PAIR_RANGES, 1, store_block, &job);
    link_nodes(s);
    return true;
}
