// SPDX-License-Identifier: MIT
#include "coupling/passage_parts.h"

#include "mesh/crossing.h"
#include <stdlib.h>
#include <string.h>

enum { GRAIN = 256, LOOKS = 6 };

// How far from the sheet a particle is put at first [r]; every further look halves it, since folds may leave less room.
// A plane of boundary particles pushes like z W(z), hardest at 0.6 spacings; at a quarter of a spacing the fluid behind was
// stronger, and pushed one particle of a balloon out in every other step.
static const double AWAY = 1;

static bool is_shell(const Solid* solid)
{
    bool stiff = solid->type == MN_SOLID_STATIC || solid->type == MN_SOLID_KINEMATIC || solid->type == MN_SOLID_RIGID;
    return stiff && !solid->closed && solid->test && (solid->mesh.triangle_count > 0 || solid->mesh.segment_count > 0);
}

static bool add_shells(Passages* p, const PassagesDef* def)
{
    for (size_t k = 0; k < def->solid_count; k++)
        p->shell_count += is_shell(&def->solid[k]);
    p->shell = memory_take(p->memory, (p->shell_count + 1) * sizeof *p->shell);
    size_t count = 0;
    for (size_t k = 0; p->shell && k < def->solid_count; k++)
        if (is_shell(&def->solid[k]))
            p->shell[count++] = (Shell){(uint32_t)k, def->solid[k].pose, def->solid[k].pose};
    return p->shell;
}

bool passages_create(Passages* p, const PassagesDef* def)
{
    const Boundary* boundary = def->boundary;
    *p = (Passages){.memory = def->memory,
                    .sph = def->sph,
                    .boundary = boundary,
                    .sheet = def->sheet,
                    .solid = def->solid,
                    .lists = pool_threads(def->sph->pool)};
    size_t vertices = 0;
    for (size_t k = 0; k < boundary->skin_count; k++) {
        vertices += boundary->skin[k].resample.vertex_count;
        p->active = p->active || def->sheet[k];
    }
    p->was = memory_take(p->memory, (vertices + 1) * sizeof *p->was);
    p->list = memory_take(p->memory, (size_t)p->lists * sizeof *p->list);
    if (!p->was || !p->list || !add_shells(p, def))
        return false;
    p->active = p->active || p->shell_count;
    memset(p->list, 0, (size_t)p->lists * sizeof *p->list);
    return true;
}

void passages_destroy(Passages* p)
{
    if (!p->memory)
        return;
    for (int k = 0; k < p->lists && p->list; k++)
        memory_give(p->memory, p->list[k].item);
    void* arrays[] = {p->was, p->shell, p->passed, p->list, p->all, p->caught};
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
    for (size_t k = 0; k < p->shell_count; k++)
        p->shell[k].was = p->solid[p->shell[k].solid].pose;
}

// --- who meets whom

void passage_note(Passages* p, MeetingList* list, const Meeting* meeting)
{
    if (memory_reserve(p->memory, &list->item, &list->capacity, list->count, list->count + 1, sizeof *list->item))
        list->item[list->count++] = *meeting;
    else
        list->failed = true;
}

PassageBox passage_box(const Passages* p, Vec3d low, Vec3d high, bool caught_only)
{
    const CellGrid* grid = &p->sph->grid;
    return (PassageBox){low, high, grid_row(grid, (float)low.z), grid_row(grid, (float)high.z) + 1, caught_only};
}

// They are still sorted by where they were.
void passage_visit(const Passages* p, const PassageBox* box, PassageVisitFn* visit, void* context, int worker)
{
    const CellGrid* grid = &p->sph->grid;
    const Vec4* x = p->sph->fluid.scratch;
    const uint8_t* caught = box->caught_only ? p->caught : NULL;
    float x0 = (float)box->low.x, x1 = (float)box->high.x, y0 = (float)box->low.y, y1 = (float)box->high.y;
    float z0 = (float)box->low.z, z1 = (float)box->high.z;
    int32_t first = grid_column(grid, box->low.x), last = grid_column(grid, box->high.x);
    for (int32_t z = box->layer; z < box->end; z++)
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
                        visit(context, worker, i);
            }
}

typedef struct Look {
    Passages* passages;
    uint32_t skin;
    const Vec3d* was;
    bool caught_only;
    double reach; // [m] the longest way of a particle
} Look;

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

// A triangle of a skin, and where its corners were and are.
typedef struct Moving {
    const Look* look;
    uint32_t triangle;
    Vec3d from[3], to[3];
} Moving;

static Vec3d normal_of(const Vec3d x[3])
{
    return vec3d_normalise(vec3d_cross(vec3d_sub(x[1], x[0]), vec3d_sub(x[2], x[0])));
}

static void look_at(void* context, int worker, uint32_t i)
{
    const Moving* m = context;
    Passages* p = m->look->passages;
    const Fluid* fluid = &p->sph->fluid;
    Crossing found[3];
    int count = crossing_find(m->from, m->to, passage_point(fluid->scratch[i]), passage_point(fluid->position[i]), found);
    for (int k = 0; k < count; k++) {
        Meeting meeting = {.particle = i,
                           .sheet = m->look->skin,
                           .triangle = m->triangle,
                           .way = found[k].way,
                           .time = found[k].time,
                           .normal = normal_of(m->to)};
        for (int c = 0; c < 3; c++) {
            meeting.weight[c] = found[k].weight[c];
            meeting.foot = vec3d_mad(meeting.foot, found[k].weight[c], m->to[c]);
        }
        passage_note(p, &p->list[worker], &meeting);
    }
}

static void look_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Look* look = context;
    const Skin* skin = &look->passages->boundary->skin[look->skin];
    const Vec3d margin = {look->reach, look->reach, look->reach};
    for (size_t t = begin; t < end; t++) {
        const uint32_t* v = skin->resample.triangle[t];
        Moving moving = {.look = look, .triangle = (uint32_t)t};
        Vec3d low = look->was[v[0]], high = low;
        for (int k = 0; k < 3; k++) {
            Vec3d from = moving.from[k] = look->was[v[k]], to = moving.to[k] = skin->position[v[k]];
            low = vec3d_min(low, vec3d_min(from, to));
            high = vec3d_max(high, vec3d_max(from, to));
        }
        PassageBox box = passage_box(look->passages, vec3d_sub(low, margin), vec3d_add(high, margin), look->caught_only);
        passage_visit(look->passages, &box, look_at, &moving, worker);
    }
}

static int by_time(const void* a, const void* b)
{
    const Meeting *p = a, *q = b;
    if (p->particle != q->particle)
        return p->particle < q->particle ? -1 : 1;
    if (p->time != q->time)
        return p->time < q->time ? -1 : 1;
    if (p->sheet != q->sheet)
        return p->sheet < q->sheet ? -1 : 1;
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
    double reach = longest_way(p->sph);
    for (size_t k = 0; k < p->boundary->skin_count; k++) {
        const Resample* mesh = &p->boundary->skin[k].resample;
        if (p->sheet[k]) {
            Look job = {p, (uint32_t)k, p->was + first, caught_only, reach};
            parallel_for(p->sph->pool, mesh->triangle_count, GRAIN, look_block, &job);
        }
        first += mesh->vertex_count;
    }
    passage_look_shells(p, caught_only, reach);
    return gather(p, out_count);
}

// --- back to where they came from

static Solid* met_solid(const Passages* p, const Meeting* m)
{
    size_t skins = p->boundary->skin_count;
    return &p->solid[m->sheet >= skins ? p->shell[m->sheet - skins].solid : p->boundary->skin[m->sheet].solid];
}

static SurfacePlace met_place(const Meeting* m)
{
    return (SurfacePlace){m->triangle, {m->weight[0], m->weight[1], m->weight[2]}, m->foot};
}

// Velocity of the place that was met, and how much faster it gets along n by an impulse of 1 N s [1/kg].
static Vec3d met_velocity(const Passages* p, const Meeting* m, Vec3d n, double* gives)
{
    const Solid* solid = met_solid(p, m);
    SurfacePlace place = met_place(m);
    *gives = solid->kind->mobility_at(solid, &place, n);
    return solid->kind->velocity_at(solid, &place);
}

static void kick(Passages* p, const Meeting* m, Vec3d impulse)
{
    Solid* solid = met_solid(p, m);
    SurfacePlace place = met_place(m);
    solid->kind->take_impulse(solid, &place, impulse);
}

static void put_back(Passages* p, const Meeting* m, double away)
{
    Sph* sph = p->sph;
    double mass = (double)(sph->mass_volume * sph->material[(int)sph->fluid.velocity[m->particle].w].density), gives;
    Vec3d n = vec3d_scale(m->normal, -m->way), carried = met_velocity(p, m, n, &gives), to = vec3d_mad(m->foot, away, n);
    Vec4 *x = &sph->fluid.position[m->particle], *u = &sph->fluid.velocity[m->particle];
    *x = (Vec4){(float)to.x, (float)to.y, (float)to.z, x->w};
    double closing = -vec3d_dot(vec3d_sub(passage_point(*u), carried), n);
    if (!(closing > 0))
        return;
    Vec3d impulse = vec3d_scale(n, closing / (1 / mass + gives));
    *u = (Vec4){u->x + (float)(impulse.x / mass), u->y + (float)(impulse.y / mass), u->z + (float)(impulse.z / mass), u->w};
    kick(p, m, vec3d_scale(impulse, -1));
}

static void count_leaked(Passages* p, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        int8_t* passed = &p->passed[p->sph->fluid.id[p->all[k].particle]];
        int sum = *passed + p->all[k].way;
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
    for (size_t id = 0; p->passed && id < p->passed_capacity; id++)
        count += p->passed[id] != 0;
    return count;
}
