// SPDX-License-Identifier: MIT
#include "coupling/passage.h"

#include "mesh/crossing.h"
#include <stdlib.h>
#include <string.h>

enum { GRAIN = 256, LOOKS = 6 };

// How far from the sheet a particle is put at first [r]; every further look halves it, since folds may leave less room.
// A plane of boundary particles pushes like z W(z), hardest at 0.6 spacings; at a quarter of a spacing the fluid behind was
// stronger, and pushed one particle of a balloon out in every other step.
static const double AWAY = 1;

typedef struct Meeting {
    uint32_t particle, skin, triangle;
    Crossing crossing;
} Meeting;

bool passages_create(Passages* p, Memory* memory, Sph* sph, const Boundary* boundary, ElasticSet* set, const int* body,
                     const bool* sheet)
{
    *p = (Passages){.memory = memory,
                    .sph = sph,
                    .boundary = boundary,
                    .set = set,
                    .body = body,
                    .sheet = sheet,
                    .lists = pool_threads(sph->pool)};
    size_t vertices = 0;
    for (size_t k = 0; k < boundary->skin_count; k++)
        vertices += boundary->skin[k].resample.vertex_count;
    p->was = memory_take(memory, (vertices + 1) * sizeof *p->was);
    p->list = memory_take(memory, (size_t)p->lists * sizeof *p->list);
    if (!p->was || !p->list)
        return false;
    memset(p->list, 0, (size_t)p->lists * sizeof *p->list);
    return true;
}

void passages_destroy(Passages* p)
{
    if (!p->memory)
        return;
    for (int k = 0; k < p->lists && p->list; k++)
        memory_give(p->memory, p->list[k].item);
    void* arrays[] = {p->was, p->passed, p->list, p->all, p->caught};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(p->memory, arrays[k]);
    *p = (Passages){0};
}

bool passages_reserve(Passages* p, size_t ids)
{
    size_t had = p->passed_capacity;
    if (!memory_reserve(p->memory, &p->passed, &p->passed_capacity, had, ids + 1, 1))
        return false;
    memset(p->passed + had, 0, p->passed_capacity - had);
    had = p->caught_capacity;
    if (!memory_reserve(p->memory, &p->caught, &p->caught_capacity, had, p->sph->fluid.count + 1, 1))
        return false;
    memset(p->caught + had, 0, p->caught_capacity - had);
    return true;
}

void passages_remember(Passages* p)
{
    size_t first = 0;
    for (size_t k = 0; k < p->boundary->skin_count; k++) {
        const Skin* skin = &p->boundary->skin[k];
        if (p->sheet[k])
            memcpy(p->was + first, skin->position, skin->resample.vertex_count * sizeof *p->was);
        first += skin->resample.vertex_count;
    }
}

// --- who meets whom

typedef struct Look {
    Passages* passages;
    uint32_t skin;
    const Vec3d* was;
    bool caught_only;
    double reach; // [m] the longest way of a particle
} Look;

static Vec3d point(Vec4 x)
{
    return vec3d((double)x.x, (double)x.y, (double)x.z);
}

static void reach_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Sph* sph = context;
    float most = 0;
    for (size_t i = begin; i < end; i++) {
        Vec4 a = sph->fluid.scratch[i], b = sph->fluid.position[i];
        float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, square = x * x + y * y + z * z;
        most = square > most ? square : most;
    }
    sph->partial[block] = (double)most;
}

static double longest_way(Sph* sph)
{
    parallel_for(sph->pool, sph->fluid.count, PARTICLE_GRAIN, reach_block, sph);
    // and a little for what rounding takes from boxes
    return 1.0001 * sqrt(sph_partial_max(sph, block_count(sph->fluid.count, PARTICLE_GRAIN))) + 1e-3 * sph->radius;
}

static void look_at(const Look* look, MeetingList* list, uint32_t i, uint32_t triangle, const Vec3d from[3], const Vec3d to[3])
{
    const Fluid* fluid = &look->passages->sph->fluid;
    Crossing found[3];
    int count = crossing_find(from, to, point(fluid->scratch[i]), point(fluid->position[i]), found);
    for (int k = 0; k < count; k++) {
        if (!memory_reserve(look->passages->memory, &list->item, &list->capacity, list->count, list->count + 1,
                            sizeof *list->item)) {
            list->failed = true;
            return;
        }
        list->item[list->count++] = (Meeting){i, look->skin, triangle, found[k]};
    }
}

// All particles that were in the box: they are still sorted by where they were.
static void look_in_box(const Look* look, MeetingList* list, Vec3d low, Vec3d high, uint32_t triangle, const Vec3d from[3],
                        const Vec3d to[3])
{
    const CellGrid* grid = &look->passages->sph->grid;
    const Vec4* x = look->passages->sph->fluid.scratch;
    const uint8_t* caught = look->caught_only ? look->passages->caught : NULL;
    float x0 = (float)low.x, x1 = (float)high.x, y0 = (float)low.y, y1 = (float)high.y, z0 = (float)low.z, z1 = (float)high.z;
    int32_t first = grid_column(grid, low.x), last = grid_column(grid, high.x);
    for (int32_t z = grid_row(grid, z0); z <= grid_row(grid, z1); z++)
        for (int32_t y = grid_row(grid, y0); y <= grid_row(grid, y1); y++)
            for (int32_t s = first >> 6; s <= last >> 6; s++) {
                uint32_t segment = grid_find(grid, (SegmentKey){s, y, z});
                if (segment == NO_SEGMENT)
                    continue;
                const uint32_t* start = grid->cell_start + (size_t)segment * SEGMENT_CELLS;
                uint32_t begin = start[s == first >> 6 ? first & 63 : 0],
                         end = start[s == last >> 6 ? (last & 63) + 1 : SEGMENT_CELLS];
                for (uint32_t i = begin; i < end; i++)
                    if (x[i].y >= y0 && x[i].y <= y1 && x[i].z >= z0 && x[i].z <= z1 && x[i].x >= x0 && x[i].x <= x1 &&
                        (!caught || caught[i]))
                        look_at(look, list, i, triangle, from, to);
            }
}

static void look_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Look* look = context;
    const Skin* skin = &look->passages->boundary->skin[look->skin];
    const Vec3d margin = {look->reach, look->reach, look->reach};
    for (size_t t = begin; t < end; t++) {
        const uint32_t* v = skin->resample.triangle[t];
        Vec3d from[3], to[3], low = look->was[v[0]], high = low;
        for (int k = 0; k < 3; k++) {
            from[k] = look->was[v[k]];
            to[k] = skin->position[v[k]];
            low = vec3d_min(low, vec3d_min(from[k], to[k]));
            high = vec3d_max(high, vec3d_max(from[k], to[k]));
        }
        look_in_box(look, &look->passages->list[worker], vec3d_sub(low, margin), vec3d_add(high, margin), (uint32_t)t, from, to);
    }
}

static int by_time(const void* a, const void* b)
{
    const Meeting *p = a, *q = b;
    if (p->particle != q->particle)
        return p->particle < q->particle ? -1 : 1;
    if (p->crossing.time != q->crossing.time)
        return p->crossing.time < q->crossing.time ? -1 : 1;
    if (p->skin != q->skin)
        return p->skin < q->skin ? -1 : 1;
    return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

// All meetings in one order, whoever found them. False: out of memory.
static bool gather(Passages* p, size_t* out_count)
{
    size_t count = 0;
    for (int k = 0; k < p->lists; k++)
        count += p->list[k].count;
    *out_count = count;
    if (count && !memory_reserve(p->memory, &p->all, &p->all_capacity, 0, count, sizeof *p->all))
        return false;
    count = 0;
    for (int k = 0; k < p->lists; k++) {
        if (p->list[k].failed)
            return false;
        if (p->list[k].count)
            memcpy(p->all + count, p->list[k].item, p->list[k].count * sizeof *p->all);
        count += p->list[k].count;
        p->list[k].count = 0;
    }
    if (count > 1)
        qsort(p->all, count, sizeof *p->all, by_time);
    return true;
}

static bool look(Passages* p, bool caught_only, size_t* out_count)
{
    size_t first = 0;
    double reach = 0;
    for (size_t k = 0; k < p->boundary->skin_count; k++) {
        const Resample* mesh = &p->boundary->skin[k].resample;
        if (p->sheet[k]) {
            reach = reach > 0 ? reach : longest_way(p->sph);
            Look job = {p, (uint32_t)k, p->was + first, caught_only, reach};
            parallel_for(p->sph->pool, mesh->triangle_count, GRAIN, look_block, &job);
        }
        first += mesh->vertex_count;
    }
    return gather(p, out_count);
}

// --- back to where they came from

static Vec3d normal_of(const Vec3d* x, const uint32_t v[3])
{
    return vec3d_normalise(vec3d_cross(vec3d_sub(x[v[1]], x[v[0]]), vec3d_sub(x[v[2]], x[v[0]])));
}

static void put_back(Passages* p, const Meeting* m, double away)
{
    Sph* sph = p->sph;
    const Skin* skin = &p->boundary->skin[m->skin];
    const uint32_t* v = skin->resample.triangle[m->triangle];
    const double* weight = m->crossing.weight;
    Vec3d n = vec3d_scale(normal_of(skin->position, v), -m->crossing.way), foot = {0, 0, 0}, carried = {0, 0, 0};
    double mass = (double)(sph->mass_volume * sph->material[(int)sph->fluid.velocity[m->particle].w].density), gives = 1 / mass;
    for (int k = 0; k < 3; k++) {
        foot = vec3d_mad(foot, weight[k], skin->position[v[k]]);
        carried = vec3d_mad(carried, weight[k], skin->velocity[v[k]]);
        gives += weight[k] * weight[k] * elastic_inverse_mass(p->set, p->body[m->skin], v[k]);
    }
    Vec4 *x = &sph->fluid.position[m->particle], *u = &sph->fluid.velocity[m->particle];
    Vec3d to = vec3d_mad(foot, away, n);
    *x = (Vec4){(float)to.x, (float)to.y, (float)to.z, x->w};
    double closing = -vec3d_dot(vec3d_sub(point(*u), carried), n);
    if (!(closing > 0))
        return;
    Vec3d impulse = vec3d_scale(n, closing / gives);
    *u = (Vec4){u->x + (float)(impulse.x / mass), u->y + (float)(impulse.y / mass), u->z + (float)(impulse.z / mass), u->w};
    for (int k = 0; k < 3; k++)
        elastic_kick(p->set, p->body[m->skin], v[k], vec3d_scale(impulse, -weight[k]));
}

static void count_leaked(Passages* p, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        int8_t* passed = &p->passed[p->sph->fluid.id[p->all[k].particle]];
        int sum = *passed + p->all[k].crossing.way;
        *passed = (int8_t)(sum > 100 ? 100 : sum < -100 ? -100 : sum);
    }
}

bool passages_stop(Passages* p, size_t* out_stopped)
{
    size_t count, stopped = 0;
    *out_stopped = 0;
    if (!look(p, false, &count))
        return false;
    double away = AWAY * p->sph->radius;
    for (int again = 0; count && again < LOOKS; again++) {
        for (size_t k = 0; k < count; k++) {
            uint32_t i = p->all[k].particle;
            if (k && p->all[k - 1].particle == i)
                continue; // what it met first stops it
            stopped += !p->caught[i];
            p->caught[i] = 1;
            put_back(p, &p->all[k], away);
        }
        away *= 0.5;
        if (!look(p, true, &count))
            return false;
    }
    count_leaked(p, count);
    if (stopped)
        memset(p->caught, 0, p->sph->fluid.count);
    *out_stopped = stopped;
    return true;
}

uint64_t passages_count(const Passages* p)
{
    uint64_t count = 0;
    for (size_t i = 0; p->passed && i < p->sph->fluid.count; i++)
        count += p->passed[p->sph->fluid.id[i]] != 0;
    return count;
}
