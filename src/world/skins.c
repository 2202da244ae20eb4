// SPDX-License-Identifier: MIT
// Elastic solids and the fluid: skins in the boundary, their coupling, and who has passed through a sheet.
//
// A particle that passes through a sheet is found by geometry alone: its way over the step, from x0 to x1, against each triangle
// near it, from where that was to where it is. With the signed distances s0, s1 from the triangle's plane, they meet if the signs
// differ and the point lies in the triangle at the time s0 / (s0 - s1). Passages are counted with their direction, so who comes
// back has not leaked, and who goes round the border never passed.
#include "world/world_parts.h"

#include "base/error.h"
#include <string.h>

enum { GRAIN = 256 };

static bool is_elastic(const mn_World* world, size_t k)
{
    return world->elastic && world->elastic_of[k] >= 0;
}

bool world_is_sheet(const mn_World* world, size_t k)
{
    mn_ElasticStructure structure = world->solid_def[k].structure;
    return is_elastic(world, k) && (structure == MN_STRUCTURE_SHEET || (structure == MN_STRUCTURE_AUTO && !world->solid[k].closed));
}

mn_Result world_add_skins(mn_World* world, mn_Error* error)
{
    size_t vertices = 0;
    for (size_t k = 0; k < world->solid_count; k++) {
        if (!is_elastic(world, k))
            continue;
        ElasticSurface s = elastic_surface(world->elastic, world->elastic_of[k]);
        SkinDef def = {.solid = (uint32_t)k,
                       .vertex_count = s.vertex_count,
                       .triangle_count = s.triangle_count,
                       .triangle = s.triangle,
                       .position = s.position,
                       .velocity = s.velocity,
                       .spacing = 2 * world->def.particle_radius,
                       .inset = world_is_sheet(world, k) ? 0 : world->boundary.layer.offset,
                       .kernel = &world->sph.kernel};
        if (!boundary_add_skin(&world->boundary, world->pool, &def))
            return error_set(error, MN_OUT_OF_MEMORY, "no memory for the particles of an elastic solid");
        vertices += s.vertex_count;
    }
    if (vertices && !(world->was = memory_take(&world->memory, vertices * sizeof *world->was)))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for elastic solids");
    return MN_OK;
}

mn_Result world_couple_skins(mn_World* world, mn_Error* error)
{
    const Boundary* b = &world->boundary;
    if (b->skin_count == 0)
        return MN_OK;
    int* body = memory_take(NULL, b->skin_count * sizeof *body);
    for (size_t k = 0; body && k < b->skin_count; k++)
        body[k] = world->elastic_of[b->skin[k].solid];
    bool ok = body && elastic_coupling_create(&world->soft, &world->memory, &world->sph, &world->boundary, world->solid,
                                              world->elastic, body, world->def.coupling.strong);
    memory_give(NULL, body);
    return ok ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for elastic solids");
}

void world_free_skins(mn_World* world)
{
    elastic_coupling_destroy(&world->soft);
    memory_give(&world->memory, world->was);
    memory_give(&world->memory, world->passed);
    memory_give(&world->memory, world->passages);
}

void world_fade_skins(mn_World* world, double time)
{
    for (size_t k = 0; k < world->boundary.skin_count; k++)
        world->boundary.skin[k].resample.fade_time = time;
}

// --- passages

typedef struct Passage {
    uint32_t id;
    int32_t way; // +1 along the triangle's normal, -1 against it
} Passage;

// What a block of triangles finds; more than fits is an accident already.
typedef struct PassageBlock {
    uint32_t count;
    Passage item[63];
} PassageBlock;

typedef struct PassJob {
    const mn_World* world;
    const Skin* skin;
    const Vec3d* was;
    uint32_t first_new; // ids from here on were born in this step
    double dt, reach;   // [s], [m] the longest way of a particle
    PassageBlock* block;
} PassJob;

static Vec3d normal_of(const Vec3d p[3])
{
    return vec3d_cross(vec3d_sub(p[1], p[0]), vec3d_sub(p[2], p[0]));
}

static bool lies_in(const Vec3d p[3], Vec3d x)
{
    Vec3d n = normal_of(p);
    for (int k = 0; k < 3; k++) {
        Vec3d edge = vec3d_sub(p[(k + 1) % 3], p[k]);
        if (vec3d_dot(vec3d_cross(edge, vec3d_sub(x, p[k])), n) < 0)
            return false;
    }
    return true;
}

// 0: no; else the direction
static int passes(const Vec3d from[3], const Vec3d to[3], Vec3d x0, Vec3d x1)
{
    double s0 = vec3d_dot(vec3d_sub(x0, from[0]), normal_of(from)), s1 = vec3d_dot(vec3d_sub(x1, to[0]), normal_of(to));
    if ((s0 >= 0) == (s1 >= 0))
        return 0;
    double t = s0 / (s0 - s1);
    Vec3d then[3];
    for (int k = 0; k < 3; k++)
        then[k] = vec3d_lerp(from[k], to[k], t);
    return lies_in(then, vec3d_lerp(x0, x1, t)) ? s1 >= 0 ? 1 : -1 : 0;
}

static void test_particle(const PassJob* job, uint32_t i, const Vec3d from[3], const Vec3d to[3], PassageBlock* out)
{
    const Fluid* fluid = &job->world->sph.fluid;
    if (fluid->id[i] >= job->first_new)
        return;
    Vec4 p = fluid->position[i], v = fluid->velocity[i];
    Vec3d x1 = vec3d((double)p.x, (double)p.y, (double)p.z);
    Vec3d x0 = vec3d_mad(x1, -job->dt, vec3d((double)v.x, (double)v.y, (double)v.z));
    int way = passes(from, to, x0, x1);
    if (way && out->count < sizeof out->item / sizeof *out->item)
        out->item[out->count++] = (Passage){fluid->id[i], way};
}

// All particles in the cells that the box touches.
static void test_box(const PassJob* job, Vec3d low, Vec3d high, const Vec3d from[3], const Vec3d to[3], PassageBlock* out)
{
    const CellGrid* grid = &job->world->sph.grid;
    const Vec4* x = job->world->sph.fluid.position;
    int32_t first = grid_column(grid, low.x), last = grid_column(grid, high.x);
    for (int32_t z = grid_row(grid, (float)low.z); z <= grid_row(grid, (float)high.z); z++)
        for (int32_t y = grid_row(grid, (float)low.y); y <= grid_row(grid, (float)high.y); y++)
            for (int32_t s = first >> 6; s <= last >> 6; s++) {
                uint32_t segment = grid_find(grid, (SegmentKey){s, y, z});
                if (segment == NO_SEGMENT)
                    continue;
                const uint32_t* start = grid->cell_start + (size_t)segment * SEGMENT_CELLS;
                uint32_t begin = start[s == first >> 6 ? first & 63 : 0],
                         end = start[s == last >> 6 ? (last & 63) + 1 : SEGMENT_CELLS];
                for (uint32_t i = begin; i < end; i++)
                    if ((double)x[i].y >= low.y && (double)x[i].y <= high.y && (double)x[i].z >= low.z && (double)x[i].z <= high.z)
                        test_particle(job, i, from, to, out);
            }
}

static void pass_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const PassJob* job = context;
    const Resample* mesh = &job->skin->resample;
    PassageBlock* out = &job->block[block];
    out->count = 0;
    for (size_t t = begin; t < end; t++) {
        Vec3d from[3], to[3], low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
        for (int k = 0; k < 3; k++) {
            from[k] = job->was[mesh->triangle[t][k]];
            to[k] = job->skin->position[mesh->triangle[t][k]];
            low = vec3d_min(low, to[k]);
            high = vec3d_max(high, to[k]);
        }
        // who passed is now no farther from where the triangle is than both have moved
        double reach = job->reach;
        for (int k = 0; k < 3; k++)
            reach = fmax(reach, vec3d_distance(from[k], to[k]) + job->reach);
        Vec3d margin = {reach, reach, reach};
        test_box(job, vec3d_sub(low, margin), vec3d_add(high, margin), from, to, out);
    }
}

static void count_passages(mn_World* world, const PassageBlock* block, size_t blocks)
{
    for (size_t b = 0; b < blocks; b++)
        for (uint32_t k = 0; k < block[b].count; k++) {
            Passage p = block[b].item[k];
            int sum = world->passed[p.id] + p.way;
            world->passed[p.id] = (int8_t)(sum > 100 ? 100 : sum < -100 ? -100 : sum);
        }
}

bool world_reserve_passed(mn_World* world)
{
    if (world->boundary.skin_count == 0)
        return true;
    size_t had = world->passed_capacity;
    if (!memory_reserve(&world->memory, &world->passed, &world->passed_capacity, had, world->next_id + 1, 1))
        return false;
    memset(world->passed + had, 0, world->passed_capacity - had);
    return true;
}

void world_remember_skins(mn_World* world)
{
    size_t first = 0;
    for (size_t k = 0; k < world->boundary.skin_count; k++) {
        const Skin* skin = &world->boundary.skin[k];
        memcpy(world->was + first, skin->position, skin->resample.vertex_count * sizeof *world->was);
        first += skin->resample.vertex_count;
    }
}

bool world_find_passages(mn_World* world, uint32_t first_new, double speed)
{
    size_t first = 0;
    if (world->boundary.skin_count == 0)
        return true;
    if (!world_reserve_passed(world))
        return false;
    for (size_t k = 0; k < world->boundary.skin_count; k++) {
        const Skin* skin = &world->boundary.skin[k];
        size_t triangles = skin->resample.triangle_count, blocks = block_count(triangles, GRAIN);
        if (world_is_sheet(world, skin->solid)) {
            if (!memory_reserve(&world->memory, &world->passages, &world->passages_capacity, 0, blocks, sizeof(PassageBlock)))
                return false;
            PassJob job = {world, skin, world->was + first, first_new, world->last_dt, speed * world->last_dt, world->passages};
            parallel_for(world->pool, triangles, GRAIN, pass_block, &job);
            count_passages(world, world->passages, blocks);
        }
        first += skin->resample.vertex_count;
    }
    return true;
}

uint64_t world_count_passed(const mn_World* world)
{
    uint64_t count = 0;
    for (size_t i = 0; world->passed && i < world->sph.fluid.count; i++)
        count += world->passed[world->sph.fluid.id[i]] != 0;
    return count;
}
