// SPDX-License-Identifier: MIT
#include "surface/surface.h"

#include "base/error.h"
#include "surface/blobs.h"
#include "surface/block_values.h"
#include "surface/cubes.h"
#include "surface/field.h"
#include "surface/rings.h"
#include <stdlib.h>
#include <string.h>

SurfaceDef surface_default_def(double particle_radius)
{
    return (SurfaceDef){
        .particle_radius = particle_radius, .spacing = 1, .smoothing = 10, .blobs = SURFACE_BLOBS_SPHERES, .blob_particles = 1};
}

// --- what may be asked

static mn_Result check_def(const SurfaceDef* def, mn_Error* error)
{
    if (!(def->particle_radius > 0) || !isfinite(def->particle_radius))
        return error_set(error, MN_BAD_INPUT, "particle radius %g: expected a number above 0 [m]", def->particle_radius);
    if (!(def->spacing >= 0.25 && def->spacing <= 2))
        return error_set(error, MN_BAD_INPUT, "grid spacing %g: expected 0.25 to 2 particle radii", def->spacing);
    if (def->smoothing < 0 || def->smoothing > 1000)
        return error_set(error, MN_BAD_INPUT, "smoothing %d: expected 0 to 1000 rounds", def->smoothing);
    if (!(def->blob_particles >= 0))
        return error_set(error, MN_BAD_INPUT, "blob size %g: expected a number of particles, 0 or more", def->blob_particles);
    return MN_OK;
}

static mn_Result check_numbers(const SurfaceInput* input, mn_Error* error)
{
    if (input->count >= (size_t)1 << 31)
        return error_set(error, MN_BAD_INPUT, "%zu particles: a surface can be made of less than 2^31", input->count);
    for (size_t i = 0; i < input->count; i++) {
        const float* p = input->position + i * input->stride;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
            return error_set(error, MN_BAD_INPUT, "the position of particle %zu is not finite: %g, %g, %g", i, (double)p[0],
                             (double)p[1], (double)p[2]);
        for (size_t k = 0; k < input->value_count; k++)
            for (int c = 0; c < input->value[k].components; c++)
                if (!isfinite(input->value[k].data[i * input->value[k].stride + (size_t)c]))
                    return error_set(error, MN_BAD_INPUT, "value %zu of particle %zu is not finite", k, i);
    }
    return MN_OK;
}

// --- blocks

typedef struct Worker {
    FieldScratch field;
    ValueScratch values;
    float phi[BLOCK_NODES3];
    uint32_t map[4 * BLOCK_NODES3];
} Worker;

typedef struct Build {
    const SurfaceDef* def;
    Memory* memory;
    Pool* pool;
    Lattice lattice;
    Shape3* shape; // anisotropic kernels; NULL: distance field
    CubeTable table;
    int worker_count;
    Worker** worker;
    BlockMesh* block; // (lattice.block_count) then only those in the band
    size_t band_count;
    bool* failed;           // per worker
    uint32_t* first_vertex; // (band_count + 1)
    size_t* first_triangle; // (band_count + 1)
    SurfaceMesh* mesh;
} Build;

static void mesh_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Build* b = context;
    Worker* w = b->worker[worker];
    float radius = (float)(1 / b->def->spacing);
    for (size_t k = begin; k < end; k++) {
        BlockKey key = b->lattice.block[k];
        bool ok;
        b->block[k] = (BlockMesh){.key = key};
        bool mixed = b->shape ? field_anisotropic(&b->lattice, key, b->shape, &w->field, w->phi, &ok)
                              : field_distance(&b->lattice, key, radius, &w->field, w->phi, &ok);
        if (mixed)
            ok = block_mesh_build(&b->block[k], &b->table, key, b->lattice.spacing, w->phi, w->field.inside, b->memory);
        if (!ok)
            b->failed[worker] = true;
    }
}

static void triangle_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Build* b = context;
    for (size_t k = begin; k < end; k++) {
        const BlockMesh* m = &b->block[k];
        if (m->vertex_count)
            memcpy(b->mesh->position + b->first_vertex[k], m->position, m->vertex_count * sizeof *m->position);
        block_mesh_triangles(b->block, b->band_count, k, &b->table, b->first_vertex, b->worker[worker]->map,
                             b->mesh->triangle + b->first_triangle[k]);
    }
}

static bool make_workers(Build* b)
{
    b->worker_count = b->pool ? pool_threads(b->pool) : 1;
    b->worker = calloc((size_t)b->worker_count, sizeof *b->worker);
    b->failed = calloc((size_t)b->worker_count, sizeof *b->failed);
    for (int k = 0; b->worker && k < b->worker_count; k++) {
        b->worker[k] = memory_take(b->memory, sizeof **b->worker);
        if (!b->worker[k])
            return false;
        b->worker[k]->field = (FieldScratch){0};
        if (!value_scratch_take(&b->worker[k]->values, b->memory))
            return false;
    }
    return b->worker && b->failed;
}

static bool any_failed(const Build* b)
{
    for (int k = 0; k < b->worker_count; k++)
        if (b->failed[k])
            return true;
    return false;
}

// Numbers vertices and triangles through all blocks of the band.
static mn_Result number_all(Build* b, mn_Error* error)
{
    size_t kept = 0, vertices = 0, triangles = 0;
    for (size_t k = 0; k < b->lattice.block_count; k++) {
        BlockMesh block = b->block[k];
        b->block[k] = (BlockMesh){0};
        if (block.cell_count)
            b->block[kept++] = block;
    }
    b->band_count = kept;
    b->first_vertex = malloc((kept + 1) * sizeof *b->first_vertex);
    b->first_triangle = malloc((kept + 1) * sizeof *b->first_triangle);
    if (!b->first_vertex || !b->first_triangle)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    for (size_t k = 0; k < kept; k++) {
        b->first_vertex[k] = (uint32_t)vertices;
        b->first_triangle[k] = triangles;
        vertices += b->block[k].vertex_count;
        triangles += b->block[k].triangle_count;
        if (vertices >= (size_t)1 << 31 || triangles >= (size_t)1 << 31)
            return error_set(error, MN_BAD_INPUT, "the surface has more than 2^31 triangles; a coarser grid spacing helps");
    }
    b->first_vertex[kept] = (uint32_t)vertices;
    b->first_triangle[kept] = triangles;
    b->mesh->vertex_count = b->mesh->vertex_room = vertices;
    b->mesh->triangle_count = triangles;
    return MN_OK;
}

static bool take_mesh(SurfaceMesh* m)
{
    m->position = memory_take(m->memory, (m->vertex_count + 1) * sizeof *m->position);
    m->triangle = memory_take(m->memory, (m->triangle_count + 1) * sizeof *m->triangle);
    return m->position && m->triangle;
}

static mn_Result march(Build* b, mn_Error* error)
{
    b->block = calloc(b->lattice.block_count + 1, sizeof *b->block);
    if (!b->block || !make_workers(b))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    if (b->def->anisotropic && !anisotropy_build(&b->lattice, b->pool, 1 / b->def->spacing, &b->shape))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    cube_table_build(&b->table);
    parallel_for(b->pool, b->lattice.block_count, 4, mesh_work, b);
    if (any_failed(b))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    mn_Result result = number_all(b, error);
    if (result != MN_OK)
        return result;
    if (!take_mesh(b->mesh))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    parallel_for(b->pool, b->band_count, 4, triangle_work, b);
    return MN_OK;
}

static void build_free(Build* b)
{
    for (size_t k = 0; b->block && k < b->lattice.block_count; k++)
        block_mesh_free(&b->block[k], b->memory);
    for (int k = 0; b->worker && k < b->worker_count; k++)
        if (b->worker[k]) {
            field_scratch_free(&b->worker[k]->field, b->memory);
            value_scratch_free(&b->worker[k]->values, b->memory);
            memory_give(b->memory, b->worker[k]);
        }
    free(b->block);
    free(b->worker);
    free(b->failed);
    free(b->first_vertex);
    free(b->first_triangle);
    memory_give(b->memory, b->shape);
    lattice_free(&b->lattice);
}

// --- after the march

// Droplets (weight sum of one particle: 0.8) hold their shape, flat water (2.5) gets smooth.
static void crowd_to_weight(float* crowd, size_t count)
{
    for (size_t v = 0; v < count; v++) {
        float t = (crowd[v] - 1.0f) / 1.2f;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        crowd[v] = t * t * (3 - 2 * t);
    }
}

static bool take_values(SurfaceMesh* m, const SurfaceInput* input)
{
    m->normal = memory_take(m->memory, (m->vertex_room + 1) * sizeof *m->normal);
    bool ok = m->normal;
    for (size_t k = 0; k < input->value_count; k++) {
        m->components[k] = input->value[k].components;
        m->value[k] = memory_take(m->memory, (m->vertex_room * (size_t)m->components[k] + 1) * sizeof(float));
        ok = ok && m->value[k];
    }
    m->value_count = input->value_count;
    return ok;
}

typedef struct ValueJob {
    Build* build;
    const Sampler* sampler;
    float* crowd;
} ValueJob;

static void value_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ValueJob* job = context;
    Build* b = job->build;
    for (size_t k = begin; k < end; k++)
        if (!block_values(job->sampler, b->block[k].key, &b->worker[worker]->values, b->mesh, b->first_vertex[k],
                          b->first_vertex[k + 1], job->crowd))
            b->failed[worker] = true;
}

// Of the pieces that stay meshes.
static bool finish_pieces(Build* b, Pieces* pieces, const Sampler* sampler)
{
    SurfaceMesh* mesh = b->mesh;
    Rings rings = {0};
    float* crowd = memory_take(b->memory, (mesh->vertex_count + 1) * sizeof *crowd);
    bool ok = crowd && rings_build(&rings, mesh, b->pool);
    if (ok) {
        ValueJob job = {b, sampler, crowd};
        parallel_for(b->pool, b->band_count, 4, value_work, &job);
        crowd_to_weight(crowd, mesh->vertex_count);
        ok = !any_failed(b) && (b->def->smoothing == 0 || surface_smooth(mesh, &rings, pieces, b->pool, crowd, b->def->smoothing));
        surface_normals(mesh, &rings, b->pool);
    }
    rings_free(&rings);
    memory_give(b->memory, crowd);
    return ok;
}

static bool finish(Build* b, const SurfaceInput* input)
{
    double r = b->def->particle_radius, least = b->def->blob_particles * 8 * r * r * r;
    Stretches stretches = {b->band_count, b->first_vertex, b->first_triangle};
    Pieces pieces;
    if (!pieces_find(&pieces, b->mesh, &stretches, b->pool))
        return false;
    Blobs blobs = {0};
    Sampler sampler = {0};
    bool ok = blobs_take_out(&blobs, b->mesh, &pieces, b->first_vertex, b->band_count, b->def->blobs, least, b->pool) &&
              take_values(b->mesh, input) && sampler_build(&sampler, &b->lattice, input, b->pool) &&
              finish_pieces(b, &pieces, &sampler);
    if (ok)
        blobs_put_back(&blobs, b->mesh, &sampler, b->pool);
    sampler_free(&sampler);
    blobs_free(&blobs);
    pieces_free(&pieces);
    return ok;
}

mn_Result surface_build(const SurfaceDef* def, const SurfaceInput* input, Pool* pool, Memory* memory, SurfaceMesh* mesh,
                        mn_Error* error)
{
    *mesh = (SurfaceMesh){.memory = memory};
    mn_Result result = check_def(def, error);
    if (result == MN_OK)
        result = check_numbers(input, error);
    if (result != MN_OK)
        return result;
    double spacing = def->spacing * def->particle_radius;
    Build b = {.def = def, .memory = memory, .pool = pool, .mesh = mesh};
    if (!lattice_build(&b.lattice, pool, memory, spacing, FIELD_REACH / def->spacing, input->position, input->stride, input->count))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory");
    if (result == MN_OK)
        result = march(&b, error);
    mesh->far_count = b.lattice.far_count;
    mesh->block_count = b.lattice.block_count;
    mesh->band_count = b.band_count;
    if (result == MN_OK && !finish(&b, input))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory");
    build_free(&b);
    if (result != MN_OK)
        surface_free(mesh);
    return result;
}

void surface_free(SurfaceMesh* mesh)
{
    memory_give(mesh->memory, mesh->position);
    memory_give(mesh->memory, mesh->normal);
    memory_give(mesh->memory, mesh->triangle);
    for (size_t k = 0; k < SURFACE_VALUES; k++)
        memory_give(mesh->memory, mesh->value[k]);
    *mesh = (SurfaceMesh){0};
}
