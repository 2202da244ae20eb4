// SPDX-License-Identifier: MIT
// Where strains are looked at, and what moves them there. A sample is all tetrahedra around a point, with the mean of their
// gradients: the mean does not feel that linear tetrahedra follow a smooth bend with spurious strains, which single ones do.
// Samples are spread evenly along a curve that fills space: every n-th share of the volume gives one, and eight that follow each
// other are near each other and moved by nearly the same handles. If all tetrahedra are asked for, each is a sample of its own.
#include "elastic/reduced/reduced.h"
#include "mesh/tet_mesh.h"
#include <stdlib.h>
#include <string.h>

// --- what the functions do on tetrahedra

static size_t slot_of(uint32_t* list, size_t* count, uint32_t item)
{
    for (size_t k = 0; k < *count; k++)
        if (list[k] == item)
            return k;
    list[*count] = item;
    return (*count)++;
}

// Adds a tetrahedron; gradients times volume. False: more than MOST_TOUCHED.
static bool add_tet(const Reduced* s, const Body* body, size_t t, SampleView* view)
{
    const uint32_t* tet = body->tet[t];
    Vec3d x[4], b[4];
    for (int c = 0; c < 4; c++)
        x[c] = body->rest[tet[c]];
    double six = 6 * tet_volume(x[0], x[1], x[2], x[3]);
    b[1] = vec3d_scale(vec3d_cross(vec3d_sub(x[2], x[0]), vec3d_sub(x[3], x[0])), 1 / six);
    b[2] = vec3d_scale(vec3d_cross(vec3d_sub(x[3], x[0]), vec3d_sub(x[1], x[0])), 1 / six);
    b[3] = vec3d_scale(vec3d_cross(vec3d_sub(x[1], x[0]), vec3d_sub(x[2], x[0])), 1 / six);
    b[0] = vec3d_scale(vec3d_add(b[1], vec3d_add(b[2], b[3])), -1);
    view->volume += six / 6;
    for (int c = 0; c < 4; c++) {
        for (uint32_t k = s->space.start[tet[c]]; k < s->space.start[tet[c] + 1]; k++) {
            size_t before = view->count, at = slot_of(view->handle, &view->count, s->space.handle[k]);
            if (view->count == MOST_TOUCHED)
                return false;
            if (view->count > before)
                memset(view->gradient[at], 0, sizeof view->gradient[at]);
            double u[4];
            reduced_functions(s, x[c], k, u);
            for (int r = 0; r < 4; r++)
                view->gradient[at][r] = vec3d_mad(view->gradient[at][r], u[r] * six / 6, b[c]);
        }
    }
    return true;
}

// Of sample number k; false: more than MOST_TOUCHED handles move it.
static bool view_sample(const Reduced* s, const Body* body, size_t k, SampleView* view)
{
    const Samples* m = &s->samples;
    view->count = 0;
    view->volume = 0;
    for (uint32_t i = m->tet_start[k]; i < m->tet_start[k + 1]; i++)
        if (!add_tet(s, body, m->tet[i], view))
            return false;
    for (size_t a = 0; a < view->count; a++)
        for (int r = 0; r < 4; r++)
            view->gradient[a][r] = vec3d_scale(view->gradient[a][r], 1 / view->volume);
    return true;
}

// --- choice

// A point or a tetrahedron.
typedef struct CurveItem {
    uint64_t key;
    uint32_t item;
    double volume; // [m3]
} CurveItem;

static int compare_keys(const void* a, const void* b)
{
    const CurveItem *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

// Every third bit.
static uint64_t spread_bits(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

typedef struct Frame {
    Vec3d low;
    double scale; // from metres to 21 bits
} Frame;

static Frame find_frame(const Body* body)
{
    Vec3d low = body->rest[0], high = low;
    for (size_t i = 0; i < body->point_count; i++) {
        Vec3d x = body->rest[i];
        low = vec3d(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = vec3d(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    Vec3d size = vec3d_sub(high, low);
    return (Frame){low, 2097151 / fmax(fmax(size.x, size.y), size.z)};
}

static uint64_t key_of(const Frame* frame, Vec3d x)
{
    Vec3d at = vec3d_scale(vec3d_sub(x, frame->low), frame->scale);
    return spread_bits((uint64_t)at.x) | spread_bits((uint64_t)at.y) << 1 | spread_bits((uint64_t)at.z) << 2;
}

// All tetrahedra, or all points with a quarter of the tetrahedra around them; along the curve.
static void lay_out(const Body* body, bool by_tet, CurveItem* item)
{
    Frame frame = find_frame(body);
    const Vec3d* x = body->rest;
    for (size_t i = 0; !by_tet && i < body->point_count; i++)
        item[i] = (CurveItem){key_of(&frame, x[i]), (uint32_t)i, 0};
    for (size_t t = 0; t < body->tet_count; t++) {
        const uint32_t* c = body->tet[t];
        double volume = tet_volume(x[c[0]], x[c[1]], x[c[2]], x[c[3]]);
        Vec3d middle = vec3d_scale(vec3d_add(vec3d_add(x[c[0]], x[c[1]]), vec3d_add(x[c[2]], x[c[3]])), 0.25);
        if (by_tet)
            item[t] = (CurveItem){key_of(&frame, middle), (uint32_t)t, volume};
        for (int k = 0; !by_tet && k < 4; k++)
            item[c[k]].volume += 0.25 * volume;
    }
    qsort(item, by_tet ? body->tet_count : body->point_count, sizeof *item, compare_keys);
}

// Takes `wanted` of them, or all; `item` then begins with those, and each has the volume that it stands for.
static size_t pick(CurveItem* item, size_t count, size_t wanted)
{
    double total = 0, passed = 0;
    size_t picked = 0;
    if (wanted >= count)
        return count;
    for (size_t k = 0; k < count; k++)
        total += item[k].volume;
    for (size_t k = 0; k < count && picked < wanted; k++) {
        passed += item[k].volume;
        if (passed >= ((double)picked + 0.5) * total / (double)wanted) { // a large one gives one sample all the same
            item[picked] = item[k];
            item[picked++].volume = 1;
        }
    }
    for (size_t k = 0; k < picked; k++)
        item[k].volume = total / (double)picked;
    return picked;
}

// The tetrahedra of samples, which are points: sample_of tells of a point which sample it is, or -1.
static bool collect_tets(Samples* m, Memory* memory, const Body* body, const int32_t* sample_of)
{
    memset(m->tet_start, 0, (m->count + 2) * sizeof *m->tet_start);
    for (size_t k = 0; k < 4 * body->tet_count; k++)
        if (sample_of[body->tet[k / 4][k % 4]] >= 0)
            m->tet_start[sample_of[body->tet[k / 4][k % 4]] + 2]++;
    for (size_t k = 0; k < m->count; k++)
        m->tet_start[k + 2] += m->tet_start[k + 1];
    m->tet = memory_take(memory, (m->tet_start[m->count + 1] + 1) * sizeof *m->tet);
    if (!m->tet)
        return false;
    for (size_t k = 0; k < 4 * body->tet_count; k++) {
        int32_t sample = sample_of[body->tet[k / 4][k % 4]];
        if (sample >= 0)
            m->tet[m->tet_start[sample + 1]++] = (uint32_t)(k / 4);
    }
    return true;
}

static bool take_tets(Samples* m, Memory* memory, const Body* body, const CurveItem* item, bool by_tet)
{
    if (by_tet) {
        m->tet = memory_take(memory, m->count * sizeof *m->tet);
        for (size_t k = 0; m->tet && k < m->count; k++) {
            m->tet_start[k] = (uint32_t)k;
            m->tet[k] = item[k].item;
        }
        m->tet_start[m->count] = (uint32_t)m->count;
        return m->tet;
    }
    int32_t* sample_of = memory_take(NULL, body->point_count * sizeof *sample_of);
    if (!sample_of)
        return false;
    memset(sample_of, 0xff, body->point_count * sizeof *sample_of);
    for (size_t k = 0; k < m->count; k++)
        sample_of[item[k].item] = (int32_t)k;
    bool ok = collect_tets(m, memory, body, sample_of);
    memory_give(NULL, sample_of);
    return ok;
}

bool reduced_choose_samples(Reduced* s, Memory* memory, const Body* body, size_t wanted)
{
    Samples* m = &s->samples;
    bool by_tet = wanted >= body->tet_count;
    size_t all = by_tet ? body->tet_count : body->point_count;
    CurveItem* item = memory_take(NULL, all * sizeof *item);
    bool ok = item;
    if (ok) {
        lay_out(body, by_tet, item);
        m->count = pick(item, all, wanted);
        m->tet_start = memory_take(memory, (m->count + 2) * sizeof *m->tet_start);
        m->volume = memory_take(memory, m->count * sizeof *m->volume);
        ok = m->tet_start && m->volume && take_tets(m, memory, body, item, by_tet);
    }
    for (size_t k = 0; ok && k < m->count; k++)
        m->volume[k] = item[k].volume;
    memory_give(NULL, item);
    return ok;
}

// --- groups of eight

static bool take_groups(Samples* m, Memory* memory)
{
    m->groups = (m->count + LANES - 1) / LANES;
    m->blocks = block_count(m->groups, GROUPS_PER_BLOCK);
    m->group = memory_take(memory, m->groups * sizeof *m->group);
    m->share = memory_take(memory, LANES * m->groups * sizeof(float));
    m->turn = memory_take(memory, 4 * LANES * m->groups * sizeof(float));
    m->turn_tried = memory_take(memory, 4 * LANES * m->groups * sizeof(float));
    m->energy = memory_take(memory, m->blocks * sizeof *m->energy);
    m->stretch = memory_take(memory, 9 * LANES * m->groups * sizeof(float));
    if (!m->group || !m->share || !m->turn || !m->turn_tried || !m->energy || !m->stretch)
        return false;
    memset(m->share, 0, LANES * m->groups * sizeof(float));
    for (size_t k = 0; k < 4 * m->groups; k++)
        for (size_t lane = 0; lane < LANES; lane++)
            m->turn[k * LANES + lane] = k % 4 == 0;
    return true;
}

typedef struct Packing {
    size_t count, handle_capacity, gradient_capacity;
} Packing;

// False: out of memory.
static bool pack_lane(Samples* m, Memory* memory, const SampleView* view, SampleGroup* group, size_t lane, Packing* p)
{
    for (size_t a = 0; a < view->count; a++) {
        size_t at = group->first;
        while (at < p->count && m->handle[at] != view->handle[a])
            at++;
        if (at == p->count) {
            if (!memory_reserve(memory, &m->handle, &p->handle_capacity, at, at + 1, sizeof *m->handle) ||
                !memory_reserve(memory, &m->gradient, &p->gradient_capacity, at, at + 1, 12 * LANES * sizeof *m->gradient))
                return false;
            m->handle[p->count++] = view->handle[a];
            memset(m->gradient + 12 * LANES * at, 0, 12 * LANES * sizeof *m->gradient);
        }
        for (size_t r = 0; r < 4; r++) {
            float* to = m->gradient + (12 * at + 3 * r) * LANES + lane;
            to[0] = (float)view->gradient[a][r].x;
            to[LANES] = (float)view->gradient[a][r].y;
            to[2 * LANES] = (float)view->gradient[a][r].z;
        }
    }
    group->count = (uint32_t)p->count - group->first;
    return true;
}

// Which handles the groups of a block move.
static bool find_block_handles(Reduced* s, Memory* memory)
{
    Samples* m = &s->samples;
    size_t n = s->space.handles, count = 0;
    m->block_start = memory_take(memory, (m->blocks + 1) * sizeof *m->block_start);
    m->block_handle = memory_take(memory, (m->blocks * n + 1) * sizeof *m->block_handle);
    m->partial = memory_take(memory, 12 * LANES * n * m->blocks * sizeof(float));
    uint8_t* moved = memory_take(NULL, n);
    bool ok = m->block_start && m->block_handle && m->partial && moved;
    for (size_t b = 0; ok && b < m->blocks; b++) {
        m->block_start[b] = (uint32_t)count;
        memset(moved, 0, n);
        for (size_t g = b * GROUPS_PER_BLOCK; g < (b + 1) * GROUPS_PER_BLOCK && g < m->groups; g++)
            for (size_t k = 0; k < m->group[g].count; k++)
                moved[m->handle[m->group[g].first + k]] = 1;
        for (size_t h = 0; h < n; h++)
            if (moved[h])
                m->block_handle[count++] = (uint32_t)h;
    }
    if (ok)
        m->block_start[m->blocks] = (uint32_t)count;
    memory_give(NULL, moved);
    return ok;
}

static void add_stiffness(Reduced* s, const SampleView* view, double volume)
{
    double scale = 2 * s->weight * volume;
    for (size_t a = 0; a < view->count; a++)
        for (int r = 0; r < 4; r++) {
            Vec3d g = vec3d_scale(view->gradient[a][r], scale);
            double* row = s->stiffness + (4 * (size_t)view->handle[a] + (size_t)r) * s->rank;
            for (size_t b = 0; b < view->count; b++)
                for (int c = 0; c < 4; c++)
                    row[4 * (size_t)view->handle[b] + (size_t)c] += vec3d_dot(g, view->gradient[b][c]);
        }
}

bool reduced_pack_samples(Reduced* s, Memory* memory, const Body* body)
{
    Samples* m = &s->samples;
    Packing packing = {0};
    SampleView view;
    if (!take_groups(m, memory))
        return false;
    for (size_t k = 0; k < m->count; k++) {
        SampleGroup* group = &m->group[k / LANES];
        if (k % LANES == 0)
            *group = (SampleGroup){.first = (uint32_t)packing.count};
        if (!view_sample(s, body, k, &view))
            return false;
        if (!pack_lane(m, memory, &view, group, k % LANES, &packing))
            return false;
        add_stiffness(s, &view, m->volume[k]);
        m->share[k] = (float)(2 * s->weight * m->volume[k]);
    }
    return find_block_handles(s, memory);
}

void reduced_samples_free(Samples* m, Memory* memory)
{
    void* arrays[] = {m->tet,  m->tet_start,  m->volume,  m->group,       m->handle,       m->gradient, m->share,
                      m->turn, m->turn_tried, m->stretch, m->block_start, m->block_handle, m->partial,  m->energy};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(memory, arrays[k]);
    *m = (Samples){0};
}
