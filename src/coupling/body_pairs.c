// SPDX-License-Identifier: MIT
#include "coupling/body_pairs.h"

#include <string.h>

// --- who touches whom

typedef struct BuildJob {
    Sph* sph;
    BodyResponse* response;
    size_t chunks, grain; // so many per block
} BuildJob;

static bool find_place(Memory* memory, PairBlock* block, BodyPair* t)
{
    for (size_t k = block->body_count; k > 0; k--)
        if (block->body[k - 1] == t->body) {
            t->place = (uint32_t)(k - 1);
            return true;
        }
    if (!memory_reserve(memory, &block->body, &block->body_capacity, block->body_count, block->body_count + 1, sizeof *block->body))
        return false;
    t->place = (uint32_t)block->body_count;
    block->body[block->body_count++] = t->body;
    return true;
}

// The pair of a chunk and a body; those of the chunk begin at `first`. NULL: out of memory.
static BodyPair* find_pair(PairBlock* block, size_t first, size_t chunk, uint32_t body, Memory* memory)
{
    for (size_t k = first; k < block->count; k++)
        if (block->pair[k].body == body)
            return &block->pair[k];
    if (!memory_reserve(memory, &block->pair, &block->capacity, block->count, block->count + 1, sizeof *block->pair) ||
        !memory_reserve(memory, &block->state, &block->state_capacity, 0, block->capacity, sizeof *block->state) ||
        !memory_reserve(memory, &block->drag, &block->drag_capacity, 0, block->capacity, sizeof *block->drag))
        return NULL;
    BodyPair* t = &block->pair[block->count];
    memset(t, 0, sizeof *t);
    t->chunk = (uint32_t)chunk;
    t->body = body;
    t->first = block->count == first;
    block->count++;
    return find_place(memory, block, t) ? t : NULL;
}

// Finds the bodies that a chunk touches; true if it touches anything else too.
static bool find_bodies(const BuildJob* job, PairBlock* block, size_t chunk)
{
    const Sph* sph = job->sph;
    const NearBoundary* near = sph->neighbours.chunk[chunk].near;
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    const uint32_t moving = sph->walls.points.part[1].base;
    const size_t first = block->count;
    bool others = false;
    BodyPair* last = NULL;
    for (size_t k = 0; k < (size_t)LANES * near->slots; k++) {
        if (!(coefficient[k] & 0x7fff))
            continue;
        uint32_t b = near->index[k];
        int32_t m = b < moving ? -1 : job->response->body_of[sph->walls.solid[b]];
        others |= m < 0;
        if (m < 0)
            continue;
        if (!last || last->body != (uint32_t)m)
            last = find_pair(block, first, chunk, (uint32_t)m, job->response->memory);
        if (!last) {
            block->failed = true;
            return true;
        }
        last->lanes |= (uint8_t)(1 << k % LANES);
    }
    return others;
}

static void add_pairs(const BuildJob* job, PairBlock* block, size_t first, size_t chunk)
{
    const Sph* sph = job->sph;
    const NearBoundary* near = sph->neighbours.chunk[chunk].near;
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    for (uint32_t s = 0; s < near->slots; s++) {
        float c[LANES];
        f8_store(c, f8_load_half(coefficient + LANES * s));
        for (size_t lane = 0; lane < LANES && LANES * chunk + lane < sph->fluid.set.count; lane++) {
            uint32_t b = near->index[LANES * s + lane];
            int32_t m = c[lane] < 0 && b >= sph->walls.points.part[1].base ? job->response->body_of[sph->walls.solid[b]] : -1;
            for (size_t k = first; k < block->count && m >= 0; k++) {
                BodyPair* t = &block->pair[k];
                if (t->body != (uint32_t)m)
                    continue;
                Vec4 x = sph->fluid.position[LANES * chunk + lane], xb = sph->walls.points.position[b];
                float f = xb.w * c[lane] * sph->kernel.gradient;
                t->u[0][lane] += f * (x.x - xb.x);
                t->u[1][lane] += f * (x.y - xb.y);
                t->u[2][lane] += f * (x.z - xb.z);
                break;
            }
        }
    }
}

// The search has summed what a chunk that touches one body alone needs.
static void take_gradient(BodyPair* t, const NearBoundary* near)
{
    t->alone = true;
    for (int c = 0; c < 3; c++)
        for (int lane = 0; lane < LANES; lane++)
            t->u[c][lane] = t->lanes >> lane & 1 ? near->gradient[c][lane] : 0;
}

static void place_arms(const Sph* sph, const BodyResponse* r, BodyPair* t)
{
    Vec3d c = r->body[t->body].centre;
    F8 x, y, z, unused;
    f8_load4(sph->fluid.position + (size_t)LANES * t->chunk, &x, &y, &z, &unused);
    f8_store(t->arm[0], f8_sub(x, f8_set((float)c.x)));
    f8_store(t->arm[1], f8_sub(y, f8_set((float)c.y)));
    f8_store(t->arm[2], f8_sub(z, f8_set((float)c.z)));
}

static void build_chunk(const BuildJob* job, PairBlock* block, size_t chunk)
{
    const NearBoundary* near = job->sph->neighbours.chunk[chunk].near;
    const size_t first = block->count;
    uint8_t seen = 0;
    bool others = false;
    if (near->solid >= 0) {
        int32_t m = job->response->body_of[near->solid];
        BodyPair* t = m < 0 ? NULL : find_pair(block, first, chunk, (uint32_t)m, job->response->memory);
        block->failed |= m >= 0 && !t;
        if (t)
            t->lanes = near->lanes;
    } else {
        others = find_bodies(job, block, chunk);
    }
    for (size_t t = first; t < block->count; t++) {
        block->crowded |= (seen & block->pair[t].lanes) != 0;
        seen |= block->pair[t].lanes;
        place_arms(job->sph, job->response, &block->pair[t]);
    }
    if (block->count == first + 1 && !others)
        take_gradient(&block->pair[first], near);
    else if (block->count > first)
        add_pairs(job, block, first, chunk);
}

static void build_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const BuildJob* job = context;
    PairBlock* block = &job->response->block[number];
    // responses of others are 0 and stay so
    for (size_t k = 0; k < block->count; k++)
        f8_store(job->response->response + (size_t)LANES * block->pair[k].chunk, f8_zero());
    block->count = block->body_count = 0;
    block->crowded = block->failed = false;
    size_t last = job->grain * (number + 1) < job->chunks ? job->grain * (number + 1) : job->chunks;
    const ChunkList* chunk = job->sph->neighbours.chunk;
    for (size_t k = job->grain * number; k < last && job->response->body_count && !block->failed; k++) {
        enum { AHEAD = 6 };
        if (k + AHEAD < last && chunk[k + AHEAD].moving != NOTHING_MOVES)
            near_prefetch(chunk[k + AHEAD].near);
        if (chunk[k].moving != NOTHING_MOVES)
            build_chunk(job, block, k);
    }
}

static bool reserve(BodyResponse* r)
{
    const Sph* sph = r->base.sph;
    size_t bodies = r->body_count ? r->body_count : 1; // held bodies alone are no bodies; arrays exist all the same
    size_t responses = r->response_capacity;
    bool ok = memory_reserve(r->memory, &r->total, &r->total_capacity, 0, bodies, sizeof *r->total) &&
              memory_reserve(r->memory, &r->motion, &r->motion_capacity, 0, bodies, sizeof *r->motion) &&
              memory_reserve(r->memory, &r->inverse, &r->inverse_capacity, 0, bodies, sizeof *r->inverse) &&
              memory_reserve(r->memory, &r->search, &r->search_capacity, 0, bodies, sizeof *r->search) &&
              memory_reserve(r->memory, &r->response, &r->response_capacity, 0, sph->fluid.set.capacity + 16, sizeof *r->response);
    if (ok && r->response_capacity > responses)
        memset(r->response, 0, r->response_capacity * sizeof *r->response);
    return ok;
}

// Each block has sums for the bodies that it meets.
static bool reserve_sums(BodyResponse* r)
{
    size_t bodies = 1;
    for (int b = 0; b < PAIR_BLOCKS; b++)
        bodies += r->block[b].body_count;
    if (!memory_reserve(r->memory, &r->sums, &r->sums_capacity, 0, bodies, sizeof *r->sums))
        return false;
    BodySum* at = r->sums;
    for (int b = 0; b < PAIR_BLOCKS; b++) {
        r->block[b].sum = at;
        at += r->block[b].body_count;
    }
    return true;
}

static void mark_chunks(BodyResponse* r)
{
    r->base.chunks = 0;
    for (int b = 0; b < PAIR_BLOCKS && r->base.strong; b++)
        for (size_t k = 0; k < r->block[b].count; k++)
            if (r->block[b].pair[k].first) {
                responder_mark(&r->base, r->block[b].pair[k].chunk);
                r->base.chunks++;
            }
}

// Passes follow each other closely. What a thread has looked at in one of them it finds near by in the next, if it gets the same
// part again: mostly it does, because parts are handed out in order.
static void find_parts(BodyResponse* r, int threads)
{
    size_t count = 0, so_far = 0;
    for (int b = 0; b < PAIR_BLOCKS; b++)
        count += r->block[b].count;
    r->parts = threads < PAIR_BLOCKS ? threads : PAIR_BLOCKS;
    for (int p = 0, b = 0; p < r->parts; p++) {
        r->part[p] = (uint8_t)b;
        for (; b < PAIR_BLOCKS && so_far * (size_t)r->parts < count * (size_t)(p + 1); b++)
            so_far += r->block[b].count;
    }
    r->part[r->parts] = PAIR_BLOCKS;
}

bool body_pairs_build(BodyResponse* r)
{
    Sph* sph = r->base.sph;
    size_t chunks = block_count(sph->fluid.set.count, LANES);
    if (!reserve(r))
        return false;
    r->has_steps = false;
    BuildJob job = {sph, r, chunks, block_count(chunks, PAIR_BLOCKS)};
    parallel_for(sph->pool, PAIR_BLOCKS, 1, build_block, &job);
    bool ok = reserve_sums(r);
    mark_chunks(r);
    find_parts(r, pool_threads(sph->pool));
    r->crowded = false;
    for (int b = 0; b < PAIR_BLOCKS; b++) {
        ok &= !r->block[b].failed;
        r->crowded |= r->block[b].crowded;
    }
    return ok;
}

// --- passes

void body_sum_end(BodySum* sum, int width)
{
    for (int c = 0; c < width; c++) {
        sum->sum[c] += (double)f8_sum(f8_load(sum->lane[c]));
        f8_store(sum->lane[c], f8_zero());
    }
    sum->terms = 0;
}

static void clear_sums(const PairBlock* block, int width)
{
    for (size_t k = 0; k < block->body_count; k++) {
        BodySum* sum = &block->sum[k];
        memset(sum->lane, 0, (size_t)width * sizeof *sum->lane);
        memset(sum->sum, 0, (size_t)width * sizeof *sum->sum);
        sum->terms = 0;
    }
}

static void part_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const BodyPass* pass = context;
    const BodyResponse* r = pass->response;
    for (size_t b = r->part[number]; b < r->part[number + 1]; b++) {
        const PairBlock* block = &r->block[b];
        clear_sums(block, pass->width);
        pass->work(context, b, b + 1, b, worker);
        for (size_t k = 0; k < block->body_count; k++)
            body_sum_end(&block->sum[k], pass->width);
    }
}

void body_pass(BodyResponse* r, WorkFn* work, BodyPass* pass)
{
    pass->sph = r->base.sph;
    pass->response = r;
    pass->work = work;
    parallel_for(pass->sph->pool, (size_t)r->parts, 1, part_block, pass);
}

void body_sums(BodyResponse* r, WorkFn* work, int width, BodyPass* pass)
{
    pass->width = width;
    body_pass(r, work, pass);
    for (size_t m = 0; m < r->body_count; m++)
        memset(r->total[m], 0, sizeof r->total[m]);
    for (int b = 0; b < PAIR_BLOCKS; b++) {
        const PairBlock* block = &r->block[b];
        for (size_t k = 0; k < block->body_count; k++) {
            double* total = r->total[block->body[k]];
            for (int c = 0; c < width; c++)
                total[c] += block->sum[k].sum[c];
        }
    }
}
