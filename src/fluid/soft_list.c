// SPDX-License-Identifier: MIT
#include "fluid/soft_list.h"

#include <string.h>

typedef struct BuildJob {
    Sph* sph;
    Soft* soft;
    size_t grain;
} BuildJob;

// Finds the pairs of fluid particles of a chunk and skin particles. Returns the slots that they take.
static uint32_t find_pairs(const BuildJob* job, size_t k, SoftHits* hits, uint32_t* counts)
{
    const Sph* sph = job->sph;
    const Soft* soft = job->soft;
    const NearBoundary* near = sph->neighbours.chunk[k].near;
    const uint32_t base = sph->boundary.part[1].base;
    const uint32_t* order = soft->boundary->order + base;
    const size_t driven = soft->boundary->driven;
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    uint32_t filled[LANES] = {0}, most = 0;
    for (uint32_t s = sph->neighbours.chunk[k].moving; s < near->slots; s++) {
        if (!memory_reserve(soft->memory, &hits->item, &hits->capacity, hits->count, hits->count + LANES, sizeof *hits->item)) {
            hits->failed = true;
            return 0;
        }
        float c[LANES];
        f8_store(c, f8_load_half(coefficient + LANES * s));
        for (uint32_t lane = 0; lane < LANES && LANES * k + lane < sph->fluid.count; lane++) {
            uint32_t b = near->index[LANES * s + lane];
            if (!(c[lane] < 0) || b < base || (driven && order[b - base] < driven))
                continue;
            counts[b - base]++;
            filled[lane]++;
            float factor = sph->boundary.position[b].w * c[lane] * sph->kernel.gradient;
            hits->item[hits->count++] = (SoftHit){LANES * (b - base) + lane, factor};
            most = filled[lane] > most ? filled[lane] : most;
        }
    }
    return most;
}

static void find_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const BuildJob* job = context;
    Soft* s = job->soft;
    SoftHits* hits = &s->hits[block];
    hits->count = hits->chunks = hits->slots = 0;
    const ChunkList* chunk = job->sph->neighbours.chunk;
    for (size_t k = begin; k < end; k++) {
        enum { AHEAD = 6 };
        if (k + AHEAD < end && chunk[k + AHEAD].moving != NOTHING_MOVES)
            near_prefetch(chunk[k + AHEAD].near);
        size_t before = hits->count;
        uint32_t slots = chunk[k].moving != NOTHING_MOVES ? find_pairs(job, k, hits, s->counts + block * s->moving) : 0;
        hits->slots += slots;
        hits->chunks += slots > 0;
        s->slot_begin[k + 1] = hits->slots; // of the range so far
        s->chunk_hits[k] = (uint32_t)(hits->count - before);
    }
}

// Pairs of a chunk to where they belong, by skin particle and by chunk. Returns the first hit of the next chunk.
static const SoftHit* store_pairs(const BuildJob* job, size_t k, SoftSlot* slot, const SoftHit* hit, uint32_t* counts)
{
    Soft* s = job->soft;
    const Vec4 *x = job->sph->fluid.position + LANES * k, *xb = job->sph->boundary.position + job->sph->boundary.part[1].base;
    uint32_t filled[LANES] = {0};
    for (const SoftHit* end = hit + s->chunk_hits[k]; hit < end; hit++) {
        uint32_t place = hit->place / LANES, lane = hit->place % LANES, at = filled[lane]++;
        Vec4 a = x[lane], b = xb[place];
        SoftPair pair = {(uint32_t)(LANES * k + lane),
                         {hit->factor * (a.x - b.x), hit->factor * (a.y - b.y), hit->factor * (a.z - b.z)}};
        s->pair[counts[place]++] = pair;
        slot[at].twice[lane] = 2 * place;
        for (int c = 0; c < 3; c++)
            slot[at].g[c][lane] = pair.g[c];
    }
    return hit;
}

static void store_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const BuildJob* job = context;
    Soft* s = job->soft;
    const SoftHits* hits = &s->hits[block];
    const SoftHit* hit = hits->item;
    uint32_t* wet = s->chunk + hits->first_chunk;
    uint32_t at = hits->first_slot;
    for (size_t k = begin; k < end; k++) {
        uint32_t next = s->slot_begin[k + 1] += hits->first_slot;
        if (next > at) {
            memset(s->slot + at, 0, (next - at) * sizeof *s->slot);
            hit = store_pairs(job, k, s->slot + at, hit, s->counts + block * s->moving);
            *wet++ = (uint32_t)k;
        }
        at = next;
    }
}

// Where the slots and wet chunks of each range begin. False: out of memory.
static bool sum_slots(Soft* s, size_t ranges)
{
    uint32_t chunks = 0, slots = 0;
    for (size_t r = 0; r < ranges; r++) {
        s->hits[r].first_chunk = chunks;
        s->hits[r].first_slot = slots;
        chunks += s->hits[r].chunks;
        slots += s->hits[r].slots;
    }
    s->slot_begin[0] = 0;
    s->wet_chunks = chunks;
    return memory_reserve(s->memory, &s->chunk, &s->chunk_capacity, 0, chunks + 1, sizeof *s->chunk) &&
           memory_reserve(s->memory, &s->slot, &s->slot_capacity, 0, slots + 1, sizeof *s->slot);
}

static WetPoint wet_point(const Soft* s, uint32_t base, uint32_t place)
{
    WetPoint w = {.place = base + place};
    const Skin* skin = boundary_skin_of(s->boundary, base + place, &w.particle);
    w.skin = (uint32_t)(skin - s->boundary->skin);
    const SurfacePoint* p = &skin->resample.point[w.particle];
    for (int c = 0; c < 3; c++) {
        w.node[c] = (uint32_t)s->node_first[w.skin] + p->vertex[c];
        w.weight[c] = p->weight[c];
    }
    return w;
}

// From counts per range and place to places in the list of pairs; wet points on the way.
static bool sum_counts(Soft* s, uint32_t base)
{
    size_t pairs = 0, wet = 0;
    for (size_t p = 0; p < s->moving; p++) {
        size_t n = 0;
        for (int r = 0; r < SOFT_RANGES; r++)
            n += s->counts[(size_t)r * s->moving + p];
        pairs += n;
        wet += n > 0;
    }
    s->wet = wet;
    if (!memory_reserve(s->memory, &s->pair, &s->pair_capacity, 0, pairs + 1, sizeof *s->pair) ||
        !memory_reserve(s->memory, &s->point, &s->point_capacity, 0, wet + 1, sizeof *s->point) ||
        !memory_reserve(s->memory, &s->pair_begin, &s->begin_capacity, 0, wet + 1, sizeof *s->pair_begin) ||
        !memory_reserve(s->memory, &s->force, &s->force_capacity, 0, wet + 1, sizeof *s->force) ||
        !memory_reserve(s->memory, &s->impulse, &s->impulse_capacity, 0, wet + 1, sizeof *s->impulse) ||
        !memory_reserve(s->memory, &s->rub, &s->rub_capacity, 0, wet + 1, sizeof *s->rub) ||
        !memory_reserve(s->memory, &s->mixed, &s->mixed_capacity, 0, wet + 1, sizeof *s->mixed) ||
        !memory_reserve(s->memory, &s->link, &s->link_capacity, 0, 3 * wet + 1, sizeof *s->link))
        return false;
    uint32_t at = 0;
    wet = 0;
    for (size_t p = 0; p < s->moving; p++) {
        uint32_t first = at;
        for (int r = 0; r < SOFT_RANGES; r++) {
            uint32_t n = s->counts[(size_t)r * s->moving + p];
            s->counts[(size_t)r * s->moving + p] = at;
            at += n;
        }
        if (at == first)
            continue;
        s->pair_begin[wet] = first;
        s->point[wet++] = wet_point(s, base, (uint32_t)p);
    }
    s->pair_begin[wet] = at;
    return true;
}

static void link_nodes(Soft* s)
{
    memset(s->link_begin, 0, (s->node_count + 2) * sizeof *s->link_begin);
    uint32_t* begin = s->link_begin + 1; // becomes the ends, one place on
    for (size_t k = 0; k < s->wet; k++)
        for (int c = 0; c < 3; c++)
            begin[s->point[k].node[c] + 1] += s->point[k].weight[c] > 0;
    for (size_t v = 0; v < s->node_count; v++)
        begin[v + 1] += begin[v];
    for (uint32_t k = 0; k < s->wet; k++)
        for (int c = 0; c < 3; c++)
            if (s->point[k].weight[c] > 0)
                s->link[begin[s->point[k].node[c]]++] = (SoftLink){k, s->point[k].weight[c]};
}

// Points that share a node with others, or hang on several, and those nodes.
static void list_mixed(Soft* s)
{
    s->mixed_count = s->shared_count = 0;
    for (uint32_t k = 0; k < s->wet; k++)
        if (!soft_is_alone(s, &s->point[k]))
            s->mixed[s->mixed_count++] = k;
    for (uint32_t v = 0; v < s->node_count; v++)
        if (s->link_begin[v] < s->link_begin[v + 1] && !soft_is_alone(s, &s->point[s->link[s->link_begin[v]].point]))
            s->shared[s->shared_count++] = v;
}

bool soft_list(Sph* sph)
{
    Soft* s = sph->soft;
    const uint32_t base = sph->boundary.part[1].base;
    size_t chunks = block_count(sph->fluid.count, LANES);
    s->moving = s->boundary->count - base;
    BuildJob job = {.sph = sph, .soft = s, .grain = block_count(chunks, SOFT_RANGES)};
    if (!memory_reserve(s->memory, &s->counts, &s->counts_capacity, 0, SOFT_RANGES * (s->moving + 1), sizeof *s->counts) ||
        !memory_reserve(s->memory, &s->slot_begin, &s->slot_begin_capacity, 0, chunks + 1, sizeof *s->slot_begin) ||
        !memory_reserve(s->memory, &s->chunk_hits, &s->chunk_hits_capacity, 0, chunks + 1, sizeof *s->chunk_hits) ||
        !memory_reserve(s->memory, &s->motion, &s->motion_capacity, 0, s->moving + 1, sizeof *s->motion))
        return false;
    memset(s->counts, 0, SOFT_RANGES * s->moving * sizeof *s->counts);
    memset(s->motion, 0, s->moving * sizeof *s->motion);
    if (chunks)
        parallel_for(sph->pool, chunks, job.grain, find_block, &job);
    for (int r = 0; r < SOFT_RANGES; r++)
        if (s->hits[r].failed)
            return false;
    if (!sum_counts(s, base) || !sum_slots(s, chunks ? block_count(chunks, job.grain) : 0))
        return false;
    if (chunks)
        parallel_for(sph->pool, chunks, job.grain, store_block, &job);
    link_nodes(s);
    list_mixed(s);
    return true;
}
