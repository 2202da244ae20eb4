// SPDX-License-Identifier: MIT
// Fluid keeps out of the solids that the grid carries, and these out of each other. For every half cell near a solid the nearest of
// its particles is known. The place of a particle, as seen from there, is taken back to the rest shape, where a lattice has the
// distance from the surface, and its gradient forth is the normal: by the matrix of cofactors, which is right under shear too.
// Deviation from Brandt 2019, who asks all pairs of near particles (eqs. 14, 15): one look per particle, with normals and
// distances of the surface itself, and paths that are longer than half a cell are looked at on the way.
#include "flip/transfer.h"

#include "base/reduce.h"
#include "flip/inside.h"

enum { REACH_GRAIN = 512, TRIES = 3 };

static const double FLUID_GAP = 0.25; // [spacings] that fluid keeps from surfaces
static const double AFTER_GAP = 0.2;  // [spacings] the same after solids have taken their step, which differs a little
static const double APART = 4;        // [spacings] at rest, from which on parts of one solid may touch each other
static const double RECOVER = 0.2;    // share of what solids are too near that is undone in a step

// --- nearest particles

static bool are_apart(const Flip* flip, const CarriedParticle* a, const CarriedParticle* b)
{
    if (a->solid != b->solid)
        return true;
    Vec4 x = a->rest, y = b->rest;
    float dx = x.x - y.x, dy = x.y - y.y, dz = x.z - y.z, least = (float)(APART * flip->def.spacing);
    return dx * dx + dy * dy + dz * dz > least * least;
}

static void offer(const Flip* flip, Voxel* voxel, float* distance, uint32_t n, float square)
{
    const CarriedParticle* p = flip->inside.particle;
    if (voxel->nearest == CARRIED_NONE) {
        voxel->nearest = n;
        distance[0] = square;
        return;
    }
    if (square >= distance[0] && voxel->other != CARRIED_NONE && square >= distance[1])
        return;
    bool apart = are_apart(flip, &p[voxel->nearest], &p[n]);
    if (square < distance[0]) {
        if (apart) {
            voxel->other = voxel->nearest;
            distance[1] = distance[0];
        }
        voxel->nearest = n;
        distance[0] = square;
    } else if (apart && (voxel->other == CARRIED_NONE || square < distance[1])) {
        voxel->other = n;
        distance[1] = square;
    }
}

// A particle at `at`, in half cells from the corner of the block, to the voxels as far as `reach` around it.
static void offer_around(const Flip* flip, const float at[3], int reach, uint32_t n, Voxel* voxel, float (*distance)[2])
{
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        int i = (int)floorf(at[a]);
        low[a] = i - reach < 0 ? 0 : i - reach;
        high[a] = i + reach > VOXEL_EDGE - 1 ? VOXEL_EDGE - 1 : i + reach;
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) {
                float dx = (float)x + 0.5f - at[0], dy = (float)y + 0.5f - at[1], dz = (float)z + 0.5f - at[2];
                int v = (z * VOXEL_EDGE + y) * VOXEL_EDGE + x;
                offer(flip, &voxel[v], distance[v], n, dx * dx + dy * dy + dz * dz);
            }
}

// Cells of a block within two cells of a particle that is at `at`, in half cells from its corner.
static void touch_around(const float at[3], uint8_t touched[ROWS])
{
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        int i = (int)floorf(0.5f * at[a]);
        low[a] = i - 2 < 0 ? 0 : i - 2;
        high[a] = i + 2 > EDGE - 1 ? EDGE - 1 : i + 2;
    }
    uint8_t bits = (uint8_t)((2u << high[0]) - (1u << low[0]));
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            touched[z * EDGE + y] |= bits;
}

// Deep in a solid there is next to nobody to ask who is near: particles there are known to their own half cell alone.
static void fill_voxels(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    Inside* in = &flip->inside;
    float distance[VOXELS][2];
    float scale = (float)(2 / flip->dx);
    for (size_t slot = begin; slot < end; slot++) {
        uint32_t k = in->slot_block[slot];
        BlockKey key = flip->blocks.key[k];
        Voxel* voxel = in->voxel + slot * VOXELS;
        memset(voxel, 0xff, VOXELS * sizeof *voxel);
        memset(in->touched[slot], 0, sizeof in->touched[slot]);
        double corner[3] = {8.0 * flip->dx * key.x, 8.0 * flip->dx * key.y, 8.0 * flip->dx * key.z};
        for (int n = 0; n < AROUND; n++) {
            uint32_t there = flip->blocks.around[k][n];
            for (uint32_t i = there ? in->start[there] : 0; there && i < in->start[there + 1]; i++) {
                Vec4 x = in->particle[i].position;
                bool deep = in->particle[i].is_deep;
                if (deep && there != k)
                    continue;
                float at[3] = {(float)((double)x.x - corner[0]) * scale, (float)((double)x.y - corner[1]) * scale,
                               (float)((double)x.z - corner[2]) * scale};
                bool near = true, beside = true;
                for (int a = 0; a < 3; a++) {
                    near &= at[a] > -1 && at[a] < VOXEL_EDGE + 1;
                    beside &= at[a] >= -4 && at[a] < VOXEL_EDGE + 4;
                }
                if (beside && !deep)
                    touch_around(at, in->touched[slot]);
                if (near)
                    offer_around(flip, at, deep ? 0 : 1, i, voxel, distance);
            }
        }
    }
}

void inside_find_nearest(Flip* flip)
{
    Inside* in = &flip->inside;
    parallel_for(flip->def.pool, in->slots, 1, fill_voxels, flip);
}

// Blocks that have particles of solids, or are next to a cell that has.
bool inside_reserve_voxels(Flip* flip)
{
    Inside* in = &flip->inside;
    in->slots = 0;
    if (!memory_reserve(flip->def.memory, &in->far, &in->far_capacity, 0, flip->blocks.count, 1) ||
        !memory_reserve(flip->def.memory, &in->reached, &in->reached_capacity, 0, flip->blocks.count, sizeof *in->reached) ||
        !memory_reserve(flip->def.memory, &in->doubted, &in->doubted_capacity, 0, flip->blocks.count, sizeof *in->doubted))
        return false;
    memset(in->voxel_slot, 0, flip->blocks.count * sizeof *in->voxel_slot);
    for (size_t k = 1; k < flip->blocks.count; k++)
        for (int n = 0; n < AROUND; n++)
            if (in->near[k] >> n & 1)
                in->voxel_slot[flip->blocks.around[k][n]] = 1;
    in->voxel_slot[0] = 0;
    for (size_t k = 1; k < flip->blocks.count; k++) {
        if (!in->voxel_slot[k])
            continue;
        if (!memory_reserve(flip->def.memory, &in->slot_block, &in->slot_block_capacity, in->slots, in->slots + 1,
                            sizeof *in->slot_block))
            return false;
        in->slot_block[in->slots++] = (uint32_t)k;
        in->voxel_slot[k] = (uint32_t)in->slots;
    }
    memset(in->far, 0, flip->blocks.count);
    return memory_reserve(flip->def.memory, &in->touched, &in->touched_capacity, 0, in->slots, sizeof *in->touched) &&
           memory_reserve(flip->def.memory, &in->voxel, &in->voxel_capacity, 0, in->slots * VOXELS, sizeof *in->voxel);
}

// The voxel at a place in cells from the corner of block `k`, or NULL.
static const Voxel* voxel_at(const Flip* flip, size_t k, const float cell[3])
{
    const Inside* in = &flip->inside;
    int at[3], step[3];
    for (int a = 0; a < 3; a++) {
        float v = floorf(2 * cell[a]);
        if (!(v >= -VOXEL_EDGE && v < 2 * VOXEL_EDGE))
            return NULL;
        step[a] = (int)v >> 4;
        at[a] = (int)v & (VOXEL_EDGE - 1);
    }
    uint32_t there = flip->blocks.around[k][AROUND_SELF + 9 * step[2] + 3 * step[1] + step[0]];
    if (!there || !in->voxel_slot[there])
        return NULL;
    return &in->voxel[(size_t)(in->voxel_slot[there] - 1) * VOXELS + (size_t)((at[2] * VOXEL_EDGE + at[1]) * VOXEL_EDGE + at[0])];
}

// --- surfaces

typedef struct Nearness {
    double distance; // [m] from the surface, negative inside
    Vec3d normal;    // outwards
} Nearness;

// How a place `x` [m] is to the surface around a particle of a solid that is at `middle` [m]. The normal is found only where the
// distance is below `limit` [m].
static Nearness nearness_at(const CarriedSolid* s, uint32_t number, Vec4 middle, Vec3d x, double limit)
{
    Vec4 rest = s->inside.rest[number];
    const float* back = s->inside.back[number];
    double d[3] = {x.x - (double)middle.x, x.y - (double)middle.y, x.z - (double)middle.z};
    double at[3] = {(double)rest.x, (double)rest.y, (double)rest.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            at[i] += (double)back[3 * i + j] * d[j];
    Vec3d point = {at[0], at[1], at[2]};
    Nearness near = {distances_at(&s->field, point), {0, 0, 0}};
    if (near.distance >= limit)
        return near;
    double h = s->field.spacing;
    double g[3] = {distances_at(&s->field, vec3d(point.x + h, point.y, point.z)) -
                       distances_at(&s->field, vec3d(point.x - h, point.y, point.z)),
                   distances_at(&s->field, vec3d(point.x, point.y + h, point.z)) -
                       distances_at(&s->field, vec3d(point.x, point.y - h, point.z)),
                   distances_at(&s->field, vec3d(point.x, point.y, point.z + h)) -
                       distances_at(&s->field, vec3d(point.x, point.y, point.z - h))};
    double n[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            n[j] += (double)back[3 * i + j] * g[i];
    near.normal = vec3d_normalise(vec3d(n[0], n[1], n[2]));
    return near;
}

// The same around particle `p`, when it is `time` [s] into the step.
static Nearness nearness_of(const Flip* flip, const CarriedParticle* p, Vec3d x, double time, double limit)
{
    Vec4 at = {p->position.x + (float)time * p->now.x, p->position.y + (float)time * p->now.y,
               p->position.z + (float)time * p->now.z, 0};
    return nearness_at(&flip->inside.solid[p->solid], p->number, at, x, limit);
}

// --- fluid

void inside_keep_out(const Flip* flip, size_t k, const float from[3], float to[3], float speed[3])
{
    BlockKey key = flip->blocks.key[k];
    double dx = flip->dx, gap = FLUID_GAP * flip->def.spacing;
    float way[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    float length = sqrtf(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    int parts = length <= 0.5f ? 1 : length < 16 ? (int)ceilf(2 * length) : 32;
    for (int j = 1; j <= parts; j++) {
        float share = (float)j / (float)parts;
        float at[3] = {from[0] + share * way[0], from[1] + share * way[1], from[2] + share * way[2]};
        const Voxel* voxel = voxel_at(flip, k, at);
        for (int n = 0; voxel && n < 2; n++) {
            uint32_t number = n ? voxel->other : voxel->nearest;
            if (number == CARRIED_NONE)
                break;
            const CarriedParticle* p = &flip->inside.particle[number];
            double time = (double)share * flip->dt, left = flip->dt - time;
            Vec3d x = {dx * (8.0 * key.x + (double)at[0]), dx * (8.0 * key.y + (double)at[1]), dx * (8.0 * key.z + (double)at[2])};
            Nearness near = nearness_of(flip, p, x, time, gap);
            if (!(near.distance < gap) || !(vec3d_dot(near.normal, near.normal) > 0))
                continue;
            double push = fmin(gap - near.distance, 2 * dx) / dx, normal[3] = {near.normal.x, near.normal.y, near.normal.z};
            double lack = (double)(p->now.x - speed[0]) * normal[0] + (double)(p->now.y - speed[1]) * normal[1] +
                          (double)(p->now.z - speed[2]) * normal[2];
            float carried[3] = {p->now.x, p->now.y, p->now.z};
            for (int a = 0; a < 3; a++) {
                to[a] = at[a] + (float)(push * normal[a] + left * (double)carried[a] / dx);
                speed[a] += lack > 0 ? (float)(lack * normal[a]) : 0;
            }
            return;
        }
    }
}

// --- after solids have moved

// [particle radii] Who is seen this far from a solid, or in it by as much, is not in it by a radius.
static const double SURE = -0.3;
// [particle radii] From this doubt on nobody around is believed.
static const double DOUBTED = 1;

typedef uint16_t HalfCells[VOXEL_EDGE * VOXEL_EDGE];

// Marks half cells around that of a place, as far as `reach` of them. All threads set the same bits, in whatever order.
static void mark_around(const Flip* flip, Vec4 x, int reach, HalfCells* marks)
{
    double scale = 2 / flip->dx;
    int at[3] = {(int)floor((double)x.x * scale), (int)floor((double)x.y * scale), (int)floor((double)x.z * scale)};
    uint32_t k = blocks_find(&flip->blocks, (BlockKey){at[0] >> 4, at[1] >> 4, at[2] >> 4});
    int i[3] = {at[0] & 15, at[1] & 15, at[2] & 15};
    uint64_t bits = (((uint64_t)2 << 2 * reach) - 1) << (i[0] + 16 - reach); // from 16 half cells below the block on
    for (int z = i[2] - reach; z <= i[2] + reach && k; z++)
        for (int y = i[1] - reach; y <= i[1] + reach; y++) {
            const uint32_t* around = &flip->blocks.around[k][AROUND_SELF + 9 * (z >> 4) + 3 * (y >> 4)];
            int row = (z & 15) * VOXEL_EDGE + (y & 15);
            for (int n = -1; n <= 1; n++) {
                uint16_t own = (uint16_t)(bits >> 16 * (n + 1));
                if (own)
                    __atomic_fetch_or(&marks[around[n]][row], own, __ATOMIC_RELAXED);
            }
        }
}

static void reach_particles(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Flip* flip = context;
    const Inside* in = &flip->inside;
    double radius = 0.5 * flip->def.spacing;
    for (size_t n = begin; n < end; n++) {
        const CarriedParticle* p = &in->particle[n];
        const CarriedSolid* s = &in->solid[p->solid];
        Vec4 x = s->inside.position[p->number];
        if (p->is_deep)
            mark_around(flip, x, 0, in->doubted); // nobody has any business there
        else
            mark_around(flip, x, 1, in->reached);
        double doubt = (double)s->doubt.distance[p->number];
        if (doubt > DOUBTED * radius) // where it is great, particles may be far from each other
            mark_around(flip, x, doubt > 4 * radius ? 4 : 2, in->doubted);
    }
}

// Whether a half cell after the step, where a place is now, is marked. Of what is beyond the blocks around nothing is known.
static bool is_marked(const Flip* flip, const HalfCells* marks, size_t k, Vec3d x)
{
    double scale = 2 / flip->dx;
    BlockKey key = flip->blocks.key[k];
    int at[3] = {(int)floor(x.x * scale) - VOXEL_EDGE * key.x, (int)floor(x.y * scale) - VOXEL_EDGE * key.y,
                 (int)floor(x.z * scale) - VOXEL_EDGE * key.z};
    for (int a = 0; a < 3; a++)
        if (at[a] < -VOXEL_EDGE || at[a] >= 2 * VOXEL_EDGE)
            return true;
    uint32_t there = flip->blocks.around[k][AROUND_SELF + 9 * (at[2] >> 4) + 3 * (at[1] >> 4) + (at[0] >> 4)];
    return !there || marks[there][(at[2] & 15) * VOXEL_EDGE + (at[1] & 15)] >> (at[0] & 15) & 1;
}

// Out of the surface as it is now, as particle `number` of a solid sees it. False: it is out, and by `least` [m] at least if that
// was more.
static bool leave_around(const Flip* flip, uint32_t number, Vec3d* x, double* least)
{
    const CarriedParticle* p = &flip->inside.particle[number];
    const CarriedSolid* s = &flip->inside.solid[p->solid];
    double gap = AFTER_GAP * flip->def.spacing;
    Nearness near = nearness_at(s, p->number, s->inside.position[p->number], *x, gap);
    if (near.distance < gap)
        *x = vec3d_mad(*x, fmin(gap - near.distance, 2 * flip->dx), near.normal);
    *least = fmin(*least, near.distance - (double)s->doubt.distance[p->number]);
    return near.distance < gap;
}

static void find_cells(const Flip* flip, size_t k, Vec3d x, float cell[3])
{
    BlockKey key = flip->blocks.key[k];
    double inverse = 1 / flip->dx;
    cell[0] = (float)(x.x * inverse - 8.0 * key.x);
    cell[1] = (float)(x.y * inverse - 8.0 * key.y);
    cell[2] = (float)(x.z * inverse - 8.0 * key.z);
}

// Which particles of solids are nearest to a place now, or NULL. Voxels are where the step began: they are asked again with the way
// that the solid has gone.
static const Voxel* voxel_now(const Flip* flip, size_t k, const float cell[3])
{
    const Inside* in = &flip->inside;
    const Voxel* voxel = voxel_at(flip, k, cell);
    if (!voxel || voxel->nearest == CARRIED_NONE)
        return NULL;
    const CarriedParticle* p = &in->particle[voxel->nearest];
    Vec4 now = in->solid[p->solid].inside.position[p->number];
    float inverse = (float)(1 / flip->dx);
    float back[3] = {cell[0] - inverse * (now.x - p->position.x), cell[1] - inverse * (now.y - p->position.y),
                     cell[2] - inverse * (now.z - p->position.z)};
    const Voxel* again = voxel_at(flip, k, back);
    return again && again->nearest != CARRIED_NONE ? again : voxel;
}

// Out of all that is near. False: it was out already, by `least` [m] for certain; or nothing is near, and that is infinite.
static bool leave(const Flip* flip, size_t k, Vec3d* x, double* least)
{
    float cell[3];
    find_cells(flip, k, *x, cell);
    const Voxel* voxel = voxel_now(flip, k, cell);
    *least = INFINITY;
    if (!voxel)
        return false;
    bool left = leave_around(flip, voxel->nearest, x, least);
    if (voxel->other != CARRIED_NONE)
        left |= leave_around(flip, voxel->other, x, least);
    return left;
}

// By how much a place is out of solids for certain, as those see it that were around; minus infinity: nobody was.
static double certain_distance(const Flip* flip, size_t k, Vec3d x)
{
    float cell[3];
    double least = INFINITY;
    find_cells(flip, k, x, cell);
    const Voxel* voxel = voxel_now(flip, k, cell);
    for (int n = 0; n < AROUND && !voxel; n++)
        voxel = voxel_now(flip, k,
                          (const float[3]){cell[0] + 0.5f * (float)(n % 3 - 1), cell[1] + 0.5f * (float)(n / 3 % 3 - 1),
                                           cell[2] + 0.5f * (float)(n / 9 - 1)});
    if (!voxel)
        return -INFINITY;
    Vec3d unused = x;
    leave_around(flip, voxel->nearest, &unused, &least);
    if (voxel->other != CARRIED_NONE)
        leave_around(flip, voxel->other, &x, &least);
    return least;
}

typedef struct LeaveJob {
    Flip* flip;
    const FlipParticles* particles;
} LeaveJob;

static size_t leave_run(const LeaveJob* job, size_t k, const uint32_t run[2])
{
    const Flip* flip = job->flip;
    const Inside* in = &flip->inside;
    double sure = SURE * 0.5 * flip->def.spacing;
    size_t suspects = 0;
    for (uint32_t i = run[0]; i < run[1]; i++) {
        Vec4* at = &job->particles->position[i];
        Vec3d x = {(double)at->x, (double)at->y, (double)at->z};
        double least;
        bool left = true;
        for (int tries = 0; tries < TRIES && (left = leave(flip, k, &x, &least)); tries++)
            *at = (Vec4){(float)x.x, (float)x.y, (float)x.z, at->w};
        bool suspect = false;
        if ((left || !(least > sure) || least == (double)INFINITY) && is_marked(flip, in->reached, k, x))
            suspect = !((left || least == (double)INFINITY ? certain_distance(flip, k, x) : least) > sure);
        suspect = suspect || is_marked(flip, in->doubted, k, x);
        job->flip->inside.suspect[i] = suspect;
        suspects += suspect;
    }
    return suspects;
}

// Whether some half cell of a row of cells is marked.
static bool row_is_marked(const HalfCells* marks, size_t k, int row)
{
    const uint16_t* r = marks[k] + 2 * (row >> 3) * VOXEL_EDGE + 2 * (row & 7);
    return r[0] | r[1] | r[VOXEL_EDGE] | r[VOXEL_EDGE + 1];
}

// Rows of cells that no solid is near to are passed over, unless somebody came from afar.
static void leave_blocks(void* context, size_t begin, size_t end, double out[])
{
    const LeaveJob* job = context;
    const Flip* flip = job->flip;
    const Inside* in = &flip->inside;
    for (size_t k = begin; k < end; k++) {
        size_t slot = in->voxel_slot[k];
        for (int row = 0; row < ROWS && flip->slot[k]; row++)
            if (in->far[k] || (slot && in->touched[slot - 1][row]) || row_is_marked(in->reached, k, row) ||
                row_is_marked(in->doubted, k, row))
                out[0] += (double)leave_run(job, k, flip->run[k][row]);
    }
}

bool flip_leave_solids(Flip* flip, const FlipParticles* particles)
{
    Inside* in = &flip->inside;
    LeaveJob job = {flip, particles};
    in->suspects = 0;
    if (!in->count || !particles->count)
        return true;
    if (!memory_reserve(flip->def.memory, &in->suspect, &in->suspect_capacity, 0, particles->count + LANES, 1))
        return false;
    memset(in->suspect, 0, particles->count + LANES);
    memset(in->reached, 0, flip->blocks.count * sizeof *in->reached);
    memset(in->doubted, 0, flip->blocks.count * sizeof *in->doubted);
    for (size_t s = 0; s < in->solid_count; s++)
        doubt_find(&in->solid[s].doubt, in->solid[s].solid, &in->solid[s].inside, flip->def.pool);
    parallel_for(flip->def.pool, in->count, REACH_GRAIN, reach_particles, flip);
    in->suspects = (size_t)reduce_sum(flip->def.pool, flip->blocks.count, TRANSFER_GRAIN, leave_blocks, &job);
    return true;
}

// --- solids

// One particle of a solid and the part of another one beside it: both give way by half.
static void part(Flip* flip, uint32_t n, uint32_t other)
{
    Inside* in = &flip->inside;
    CarriedParticle *p = &in->particle[n], *o = &in->particle[other];
    const CarriedSolid* own = &in->solid[p->solid];
    Vec4 rest = own->inside.rest[p->number];
    double depth = -distances_at(&own->field, vec3d((double)rest.x, (double)rest.y, (double)rest.z));
    double dt = flip->dt, spacing = flip->def.spacing;
    if (depth > 1.5 * spacing)
        return;
    depth = fmin(fmax(depth, 0), 0.5 * spacing);
    Vec3d v = {(double)p->now.x, (double)p->now.y, (double)p->now.z};
    Vec3d x = vec3d_mad(vec3d((double)p->position.x, (double)p->position.y, (double)p->position.z), dt, v);
    Nearness near = nearness_of(flip, o, x, dt, depth);
    if (!(near.distance < depth) || !(vec3d_dot(near.normal, near.normal) > 0))
        return;
    Vec3d apart = vec3d_sub(vec3d((double)o->now.x, (double)o->now.y, (double)o->now.z), v);
    double lack = fmax(vec3d_dot(apart, near.normal), 0) + RECOVER * fmin(depth - near.distance, spacing) / dt;
    double mp = (double)in->solid[p->solid].mass, mo = (double)in->solid[o->solid].mass, share = mo / (mp + mo);
    Vec3d push = vec3d_scale(near.normal, lack);
    p->now.x += (float)(share * push.x);
    p->now.y += (float)(share * push.y);
    p->now.z += (float)(share * push.z);
    o->now.x -= (float)((1 - share) * push.x);
    o->now.y -= (float)((1 - share) * push.y);
    o->now.z -= (float)((1 - share) * push.z);
}

// One after the other, in the order of cells: whoever is pushed first, all threads agree.
void inside_part_solids(Flip* flip)
{
    Inside* in = &flip->inside;
    for (size_t slot = 0; slot < in->slots; slot++) {
        uint32_t k = in->slot_block[slot];
        BlockKey key = flip->blocks.key[k];
        for (uint32_t i = in->start[k]; i < in->start[k + 1]; i++) {
            float cell[3];
            cell_place(in->particle[i].position, 1 / flip->dx, key, cell);
            const Voxel* voxel = voxel_at(flip, k, cell);
            if (!voxel || voxel->other == CARRIED_NONE)
                continue;
            bool first = are_apart(flip, &in->particle[i], &in->particle[voxel->nearest]);
            part(flip, i, first ? voxel->nearest : voxel->other);
        }
    }
}

void inside_hand_over(Flip* flip)
{
    Inside* in = &flip->inside;
    float dt = (float)flip->dt;
    for (size_t s = 0; s < in->solid_count; s++)
        in->solid[s].force = in->solid[s].torque = vec3d(0, 0, 0);
    for (size_t n = 0; n < in->count; n++) {
        const CarriedParticle* p = &in->particle[n];
        CarriedSolid* s = &in->solid[p->solid];
        s->inside.moved[p->number] =
            (Vec4){p->position.x + dt * p->now.x, p->position.y + dt * p->now.y, p->position.z + dt * p->now.z, 0};
        in->pressure[s->first + p->number] = p->position.w;
        Vec3d gain = {(double)(p->now.x - p->ahead.x), (double)(p->now.y - p->ahead.y), (double)(p->now.z - p->ahead.z)};
        Vec3d x = {(double)p->position.x, (double)p->position.y, (double)p->position.z};
        Vec3d force = vec3d_scale(gain, (double)s->mass / flip->dt);
        s->force = vec3d_add(s->force, force);
        s->torque = vec3d_add(s->torque, vec3d_cross(x, force));
    }
}
