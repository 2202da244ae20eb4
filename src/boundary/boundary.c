// SPDX-License-Identifier: MIT
#include "boundary/boundary.h"

#include "base/error.h"
#include "boundary/curvature.h"
#include "boundary/sample.h"
#include "boundary/volume.h"
#include <stdatomic.h>
#include <string.h>

enum { PADDING = 16, MANY_SKINS = 4 };

void boundary_init(Boundary* boundary, Memory* memory, const Kernel* kernel, double volume, double spacing)
{
    *boundary = (Boundary){.memory = memory, .volume = volume, .layer = boundary_layer(kernel, volume, spacing)};
    for (int k = 0; k < 2; k++)
        grid_init(&boundary->grid[k], memory, (double)kernel->h, kernel->dimension);
}

void boundary_free(Boundary* boundary)
{
    void* arrays[] = {
        boundary->position,       boundary->velocity,       boundary->local,   boundary->solid,   boundary->wall_viscosity,
        boundary->resting_volume, boundary->number_density, boundary->scratch, boundary->touched, boundary->which,
        boundary->factor,         boundary->order,          boundary->share,   boundary->alone,   boundary->near};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(boundary->memory, arrays[k]);
    grid_free(&boundary->grid[0]);
    grid_free(&boundary->grid[1]);
    for (size_t k = 0; k < boundary->skin_count; k++)
        skin_free(&boundary->skin[k]);
    memory_give(boundary->memory, boundary->skin);
    memset(boundary, 0, sizeof *boundary);
}

// --- building

static bool grow(Boundary* b, void* array, size_t needed, size_t size)
{
    size_t had = b->capacity ? b->capacity + PADDING : 0;
    return memory_reserve(b->memory, array, &had, b->count, needed + PADDING, size);
}

static bool reserve(Boundary* b, size_t needed)
{
    if (needed <= b->capacity)
        return true;
    if (b->capacity) // skins grow step by step
        needed = needed > b->capacity + b->capacity / 4 ? needed : b->capacity + b->capacity / 4;
    bool ok = grow(b, &b->position, needed, sizeof(Vec4)) && grow(b, &b->velocity, needed, sizeof(Vec4)) &&
              grow(b, &b->local, needed, sizeof(Vec4)) && grow(b, &b->solid, needed, sizeof(uint32_t)) &&
              grow(b, &b->wall_viscosity, needed, sizeof(float)) && grow(b, &b->factor, needed, sizeof(float)) &&
              grow(b, &b->order, needed, sizeof(uint32_t)) && grow(b, &b->resting_volume, needed, sizeof(float)) &&
              grow(b, &b->number_density, needed, sizeof(float)) && grow(b, &b->scratch, needed, sizeof(Vec4)) &&
              (b->skin_count == 0 || grow(b, &b->share, needed, sizeof(float)));
    if (ok)
        b->capacity = needed;
    return ok;
}

static bool moves(const Solid* solid)
{
    return solid->kind != &solid_static;
}

bool boundary_add_skin(Boundary* b, Pool* pool, const SkinDef* def)
{
    if (!memory_reserve(b->memory, &b->skin, &b->skin_capacity, b->skin_count, b->skin_count + 1, sizeof *b->skin))
        return false;
    return skin_create(&b->skin[b->skin_count++], def, b->memory, pool);
}

static size_t skin_particles(const Boundary* b)
{
    size_t n = 0;
    for (size_t k = 0; k < b->skin_count; k++)
        n += b->skin[k].resample.count;
    return n;
}

// Containers are sampled outside of what one sees, other closed solids inside; open shapes have two sides and stay.
static bool same_bytes(const void* a, const void* b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static bool same_mesh(const TriMesh* a, const TriMesh* b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count && a->segment_count == b->segment_count &&
           same_bytes(a->vertex, b->vertex, a->vertex_count * sizeof *a->vertex) &&
           same_bytes(a->triangle, b->triangle, a->triangle_count * sizeof *a->triangle) &&
           same_bytes(a->segment, b->segment, a->segment_count * sizeof *a->segment);
}

// Bodies of one shape have the same factors: those of an earlier one, if there is any. Its particles are still as they were made.
static bool copy_factors(Boundary* b, const SurfaceSamples* samples, uint32_t number, const Solid* all)
{
    for (size_t i = 0; i + samples->count <= b->count; i++) {
        const Solid* other = &all[b->solid[i]];
        bool first = i == 0 || b->solid[i] != b->solid[i - 1];
        if (!first || !solid_is_body(other) || !other->closed || !same_mesh(&other->mesh, &all[number].mesh) ||
            b->solid[i + samples->count - 1] != b->solid[i])
            continue;
        memcpy(b->factor + b->count, b->factor + i, samples->count * sizeof *b->factor);
        return true;
    }
    return false;
}

static void note_friction(Boundary* b, const Solid* solid)
{
    b->most_friction = fmaxf(b->most_friction, (float)solid->friction);
    b->most_wall_viscosity = fmaxf(b->most_wall_viscosity, (float)solid->wall_viscosity);
}

static bool append_solid(Boundary* b, Pool* pool, const Kernel* kernel, const Solid* all, uint32_t number, double spacing)
{
    const Solid* solid = &all[number];
    SurfaceSamples samples = {0};
    double offset = !solid->closed ? 0 : solid->inside ? b->layer.offset : -b->layer.offset;
    bool ok = surface_sample(&solid->mesh, spacing, offset, &samples, b->memory) && reserve(b, b->count + samples.count);
    for (size_t k = 0; ok && k < samples.count; k++)
        b->factor[b->count + k] = b->volumes != VOLUMES_ALL ? 0 : solid->closed ? (float)b->layer.strength : 1;
    if (ok && b->volumes == VOLUMES_ALL && solid->closed && solid_is_body(solid) && samples.count > 0 &&
        !copy_factors(b, &samples, number, all)) {
        CurvatureDef def = {&solid->mesh, kernel, spacing, pool};
        ok = curvature_factors(&def, &samples, b->factor + b->count, NULL);
    }
    for (size_t k = 0; ok && k < samples.count; k++) {
        Vec3 p = samples.position[k];
        Vec3d at = solid_to_world(solid, vec3d((double)p.x, (double)p.y, (double)p.z));
        if (!moves(solid) && !period_holds_point(&b->period, at))
            continue; // an image of it may be there
        size_t i = b->count++;
        b->local[i] = (Vec4){p.x, p.y, p.z, 0};
        b->solid[i] = number;
        b->wall_viscosity[i] = (float)solid->wall_viscosity;
    }
    b->belts |= vec3d_length(solid->surface_velocity) > 0;
    note_friction(b, solid);
    surface_samples_free(&samples, b->memory);
    return ok;
}

// Copies of resting particles on the other sides of periodic borders, as far as volumes of those within reach depend on them.
static bool append_images(Boundary* b, const Kernel* kernel, const Solid* solid)
{
    double reach = 2 * (double)kernel->h;
    for (int axis = 0; axis < 3; axis++)
        for (size_t i = 0, end = b->count; b->period.axis[axis] && i < end; i++) {
            const Solid* s = &solid[b->solid[i]];
            Vec3d x = solid_to_world(s, vec3d((double)b->local[i].x, (double)b->local[i].y, (double)b->local[i].z));
            double at[3] = {x.x, x.y, x.z}, behind = at[axis] - b->period.min[axis], length = b->period.length[axis];
            if (behind > reach && length - behind > reach)
                continue;
            if (!reserve(b, b->count + 1))
                return false;
            at[axis] += behind <= reach ? length : -length;
            x = pose_to_local(&s->pose, vec3d(at[0], at[1], at[2]));
            size_t k = b->count++;
            b->local[k] = (Vec4){(float)x.x, (float)x.y, (float)x.z, 0};
            b->solid[k] = b->solid[i];
            b->wall_viscosity[k] = b->wall_viscosity[i];
            b->factor[k] = b->factor[i];
        }
    return true;
}

static bool reserve_lists(Boundary* b)
{
    return memory_reserve(b->memory, &b->which, &b->which_capacity, 0, b->capacity, sizeof *b->which) &&
           memory_reserve(b->memory, &b->near, &b->near_capacity, 0, b->capacity, sizeof *b->near);
}

// Room for the particles that skins have now; what they are is filled in by boundary_update().
static bool fit_skins(Boundary* b)
{
    size_t count = b->resting + b->driven + skin_particles(b);
    if (!reserve(b, count) || !reserve_lists(b))
        return false;
    b->count = count;
    size_t first = b->driven;
    for (size_t k = 0; k < b->skin_count; k++) {
        b->skin[k].first = first;
        first += b->skin[k].resample.count;
    }
    return true;
}

static bool append_skins(Boundary* b, const Solid* solid, size_t* counts)
{
    if (b->skin_count == 0)
        return true;
    for (size_t k = 0; k < b->skin_count; k++) {
        const Solid* s = &solid[b->skin[k].solid];
        counts[b->skin[k].solid] = b->skin[k].resample.count;
        note_friction(b, s);
    }
    size_t before = b->count;
    if (!fit_skins(b))
        return false;
    for (size_t i = 0; i < before; i++)
        b->share[i] = 1;
    return true;
}

static void place(Boundary* b, const Solid* solid, size_t i)
{
    const Solid* s = &solid[b->solid[i]];
    Vec3d x = solid_to_world(s, vec3d((double)b->local[i].x, (double)b->local[i].y, (double)b->local[i].z));
    Vec3d v = solid_velocity_at(s, x);
    b->position[i] = (Vec4){(float)x.x, (float)x.y, (float)x.z, b->position[i].w};
    b->velocity[i] = (Vec4){(float)v.x, (float)v.y, (float)v.z, (float)s->friction};
}

static void permute_records(Vec4* data, const uint32_t* order, size_t count, Vec4* scratch)
{
    for (size_t k = 0; k < count; k++)
        scratch[k] = data[order[k]];
    memcpy(data, scratch, count * sizeof *data);
}

static void permute_words(void* data, const uint32_t* order, size_t count, Vec4* scratch)
{
    uint32_t *words = data, *copy = (uint32_t*)scratch;
    for (size_t k = 0; k < count; k++)
        copy[k] = words[order[k]];
    memcpy(words, copy, count * sizeof *words);
}

// Sorts one of the two parts by cell.
static bool sort_part(Boundary* b, Pool* pool, int part)
{
    size_t first = part ? b->resting : 0, count = part ? b->count - b->resting : b->resting;
    CellGrid* grid = &b->grid[part];
    if (!grid_build(grid, pool, b->position + first, count, b->scratch))
        return false;
    Vec4* records[] = {b->position, b->velocity, b->local};
    for (int k = 0; k < 3; k++)
        permute_records(records[k] + first, grid->order, count, b->scratch);
    permute_words(b->solid + first, grid->order, count, b->scratch);
    permute_words(b->wall_viscosity + first, grid->order, count, b->scratch);
    permute_words(b->factor + first, grid->order, count, b->scratch);
    if (b->share)
        permute_words(b->share + first, grid->order, count, b->scratch);
    if (count)
        memcpy(b->order + first, grid->order, count * sizeof *b->order);
    return true;
}

static void clear_padding(Boundary* b)
{
    for (size_t k = b->count; k < b->count + PADDING && b->capacity; k++) {
        b->position[k] = b->velocity[k] = b->local[k] = (Vec4){0};
        b->wall_viscosity[k] = 0;
        if (b->share)
            b->share[k] = 0;
    }
}

BoundaryPoints boundary_points(const Boundary* b)
{
    BoundaryPoints points = {.position = b->position,
                             .velocity = b->velocity,
                             .weight = b->share,
                             .solid = b->solid,
                             .are_marks = b->volumes == VOLUMES_NONE};
    points.part[0].grid = &b->grid[0];
    points.part[0].moves = b->belts;
    points.part[1].grid = &b->grid[1];
    points.part[1].base = (uint32_t)b->resting;
    points.part[1].moves = true;
    return points;
}

// Of moving particles, and of resting ones near them; of all when resting ones are `new`.
static void find_volumes(Boundary* b, Pool* pool, const Kernel* kernel, bool new)
{
    for (size_t k = 0; b->volumes == VOLUMES_NONE && k < b->count; k++)
        b->position[k].w = 0;
    if (b->volumes == VOLUMES_NONE)
        return;
    if (new)
        volumes_resting(b, pool, kernel);
    else
        volumes_update(b, pool, kernel);
}

// When nothing moves, half of the arrays have done their work.
static void give_back_moving(Boundary* b)
{
    void* arrays[] = {b->local, b->resting_volume, b->number_density, b->scratch, b->touched,
                      b->which, b->order,          b->factor,         b->near};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(b->memory, arrays[k]);
    b->local = b->scratch = NULL;
    b->resting_volume = b->number_density = NULL;
    b->touched = NULL;
    b->which = b->order = NULL;
    b->factor = NULL;
    b->near = NULL;
    b->touched_capacity = b->which_capacity = b->near_capacity = 0;
    grid_drop_order(&b->grid[0]);
}

static bool has_skin(const Boundary* b, size_t solid)
{
    for (size_t k = 0; k < b->skin_count; k++)
        if (b->skin[k].solid == solid)
            return true;
    return false;
}

// Mostly a mesh in other units than metres.
static mn_Result no_particles(const Solid* solid, double spacing, mn_Error* error)
{
    double length = 2 * solid->bound_radius, across = length / spacing;
    if (across * across > SURFACE_SAMPLE_LIMIT)
        return error_set(error, MN_BAD_INPUT,
                         "solid '%.64s' is %.3g m large: too much for boundary particles that are %.3g m apart (%d at the most); "
                         "a mesh in millimetres wants \"scale\": 0.001, a large scene a larger particle_radius",
                         solid->name, length, spacing, SURFACE_SAMPLE_LIMIT);
    return error_set(error, MN_OUT_OF_MEMORY, "no memory for the boundary particles of solid '%.64s'", solid->name);
}

mn_Result boundary_build(Boundary* b, Pool* pool, const Kernel* kernel, double spacing, const Solid* solid, size_t solid_count,
                         size_t* counts, mn_Error* error)
{
    bool ok = true;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; ok && k < solid_count; k++)
            if (!has_skin(b, k) && moves(&solid[k]) == (pass == 1)) {
                size_t before = b->count;
                ok = append_solid(b, pool, kernel, solid, (uint32_t)k, spacing);
                counts[k] = b->count - before;
                if (!ok)
                    return no_particles(&solid[k], spacing, error);
            }
        if (pass == 0) {
            ok = append_images(b, kernel, solid);
            b->resting = b->count;
        }
    }
    b->driven = b->count - b->resting;
    ok = ok && append_skins(b, solid, counts);
    if (!ok)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for the boundary particles of elastic solids");
    if (b->count == 0)
        return MN_OK;
    b->alone = b->driven ? memory_take(b->memory, b->driven * sizeof *b->alone) : NULL;
    if (b->driven && (!b->alone || (b->volumes != VOLUMES_NONE && !volumes_alone(b, pool, kernel))))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu boundary particles", b->count);
    for (size_t i = 0; i < b->count; i++) {
        if (i < b->resting + b->driven)
            place(b, solid, i);
        b->order[i] = (uint32_t)(i - (i < b->resting ? 0 : b->resting));
    }
    clear_padding(b);
    if (!sort_part(b, pool, 0))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu boundary particles", b->count);
    find_volumes(b, pool, kernel, true);
    if (!memory_reserve(b->memory, &b->touched, &b->touched_capacity, 0, b->grid[0].segment_count + 1, 1) || !reserve_lists(b))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu boundary particles", b->count);
    memset(b->touched, 0, b->grid[0].segment_count + 1);
    if (!boundary_update(b, pool, kernel, solid, solid_count))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu boundary particles", b->count);
    if (b->resting == b->count)
        give_back_moving(b);
    return MN_OK;
}

// --- moving

// Puts moving particles back into the order they were made in. Sorting keeps the order within a cell, so that otherwise it
// would depend on the path of the solids. Those of skins are made anew.
static void restore_order(Boundary* b, size_t count)
{
    size_t first = b->resting;
    if (b->driven == 0)
        return;
    const uint32_t* order = b->order + first;
    Vec4* records = b->scratch;
    for (size_t k = 0; k < count; k++)
        if (order[k] < b->driven)
            records[order[k]] = b->local[first + k];
    memcpy(b->local + first, records, b->driven * sizeof *records);
    void* words[] = {b->solid + first, b->wall_viscosity + first, b->factor + first};
    for (int w = 0; w < 3; w++) {
        uint32_t *from = words[w], *to = (uint32_t*)b->scratch;
        for (size_t k = 0; k < count; k++)
            if (order[k] < b->driven)
                to[order[k]] = from[k];
        memcpy(from, to, b->driven * sizeof *from);
    }
    for (size_t k = 0; b->share && k < b->driven; k++)
        b->share[first + k] = 1;
}

typedef struct PlaceJob {
    Boundary* boundary;
    const Solid* solid;
    const Skin* skin;
} PlaceJob;

static void place_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    PlaceJob* job = context;
    for (size_t k = begin; k < end; k++)
        place(job->boundary, job->solid, job->boundary->resting + k);
}

static void skin_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    PlaceJob* job = context;
    Boundary* b = job->boundary;
    const Solid* solid = &job->solid[job->skin->solid];
    for (size_t k = begin; k < end; k++) {
        size_t i = b->resting + job->skin->first + k;
        b->local[i] = (Vec4){0};
        b->velocity[i].w = (float)solid->friction;
        b->solid[i] = job->skin->solid;
        b->wall_viscosity[i] = (float)solid->wall_viscosity;
        b->factor[i] *= b->share[i];
    }
}

static void place_skin(Boundary* b, Pool* pool, const Solid* solid, size_t k)
{
    Skin* skin = &b->skin[k];
    size_t first = b->resting + skin->first;
    skin_follow(skin);
    skin_place(skin, pool, b->position + first, b->velocity + first);
    skin_factors(skin, pool, b->factor + first, b->share + first);
    PlaceJob job = {b, solid, skin};
    parallel_for(pool, skin->resample.count, 1024, skin_block, &job);
}

static void skins_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const PlaceJob* job = context;
    for (size_t k = begin; k < end; k++)
        place_skin(job->boundary, NULL, job->solid, k);
}

// Many skins side by side, few one by one with all threads.
static void place_skins(Boundary* b, Pool* pool, const Solid* solid)
{
    PlaceJob job = {b, solid, NULL};
    if (b->skin_count >= MANY_SKINS)
        parallel_for(pool, b->skin_count, 1, skins_block, &job);
    for (size_t k = 0; k < b->skin_count && b->skin_count < MANY_SKINS; k++)
        place_skin(b, pool, solid, k);
}

const Skin* boundary_skin_of(const Boundary* b, size_t place, uint32_t* particle)
{
    uint32_t made = b->order[place];
    for (size_t k = 0; k < b->skin_count && made >= b->driven; k++)
        if (made - b->skin[k].first < b->skin[k].resample.count) {
            *particle = (uint32_t)(made - b->skin[k].first);
            return &b->skin[k];
        }
    return NULL;
}

bool boundary_follow(Boundary* b, Pool* pool, const Solid* solid, bool* out_changed)
{
    *out_changed = false;
    for (size_t k = 0; k < b->skin_count; k++) {
        const Solid* s = &solid[b->skin[k].solid];
        SolidSurface surface = s->kind->surface(s);
        if (surface.revision == b->skin[k].revision)
            continue;
        *out_changed = true;
        if (!skin_grow(&b->skin[k], pool, &surface))
            return false;
    }
    return true;
}

typedef struct SkinsJob {
    Boundary* boundary;
    double dt;
    const float* density;
    atomic_bool failed;
} SkinsJob;

static void resample_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    SkinsJob* job = context;
    for (size_t k = begin; k < end; k++)
        if (!skin_resample(&job->boundary->skin[k], NULL, job->dt,
                           job->density ? job->density + job->boundary->skin[k].first : NULL))
            job->failed = true;
}

bool boundary_resample(Boundary* b, Pool* pool, const Kernel* kernel, const Solid* solid, size_t solid_count, double dt,
                       bool by_density)
{
    if (b->skin_count == 0)
        return true;
    by_density = by_density && b->volumes != VOLUMES_NONE;
    if (by_density && !boundary_update(b, pool, kernel, solid, solid_count))
        return false;
    // delta in the order the particles were made in
    float *made = (float*)b->scratch, scale = kernel->dimension == 3 ? kernel->h * kernel->h * kernel->h : kernel->h * kernel->h;
    for (size_t i = b->resting; by_density && i < b->count; i++)
        made[b->order[i]] = b->number_density[i] * scale;
    SkinsJob job = {.boundary = b, .dt = dt, .density = by_density ? made : NULL};
    if (b->skin_count >= MANY_SKINS)
        parallel_for(pool, b->skin_count, 1, resample_block, &job);
    for (size_t k = 0; k < b->skin_count && b->skin_count < MANY_SKINS; k++)
        if (!skin_resample(&b->skin[k], pool, dt, by_density ? made + b->skin[k].first : NULL))
            return false;
    return !job.failed;
}

bool boundary_update(Boundary* b, Pool* pool, const Kernel* kernel, const Solid* solid, size_t solid_count)
{
    size_t before = b->count - b->resting;
    if (before == 0)
        return true;
    restore_order(b, before);
    if (b->skin_count && !fit_skins(b))
        return false;
    PlaceJob job = {b, solid, NULL};
    parallel_for(pool, b->driven, 1024, place_block, &job);
    place_skins(b, pool, solid);
    if (b->skin_count)
        clear_padding(b);
    if (!sort_part(b, pool, 1))
        return false;
    find_volumes(b, pool, kernel, false);
    return true;
}
