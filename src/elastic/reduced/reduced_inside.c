// SPDX-License-Identifier: MIT
// The inside of a reduced body as particles that a grid carries along together with the fluid (Brandt 2019, sections 3.2.3 and
// 3.2.4). Particles are the nodes of a regular lattice that lie in tetrahedra; they are embedded in the points of theirs by
// barycentric weights, so that their own subspace is U^p = B U^m and places of both belong to the same coordinates.
//
// A step has two halves. The first finds the rates v* that coordinates would have without the fluid, and so velocities U^p v* of
// particles. Then the grid takes particles from x to x', and the second half takes coordinates along (eq. 13):
//   (sum m u u^T + share K) d = sum m u (x' - x - h U^p v*),   q += h v* + d,   v = v* + d / h
// Deviations: the equation is solved for what the fluid adds, so that a body that meets none moves as if there were no grid; K
// holds what too few particles feel, and leaves translations alone; pins hold in both halves.
#include "elastic/reduced/dense.h"
#include "elastic/reduced/reduced.h"
#include <stdlib.h>
#include <string.h>

enum { INSIDE_GRAIN = 256, CORNERS_MOST = 4 * MOST_TOUCHED };

static const int64_t NODES_MOST = 2097152; // along an axis

// Of the particles' masses to the stiffness, by their traces.
static const double HOLD = 1e-3;

// --- which lattice nodes are in which tetrahedra

typedef struct Node {
    int64_t key; // along x, then y, then z
    uint32_t tet;
    double weight[4];
} Node;

typedef struct NodeList {
    Node* item;
    size_t count, capacity;
} NodeList;

static int by_key(const void* a, const void* b)
{
    const Node *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return p->tet < q->tet ? -1 : p->tet > q->tet;
}

static bool find_weights(const Vec3d x[4], Vec3d p, double weight[4])
{
    Vec3d a = vec3d_sub(x[1], x[0]), b = vec3d_sub(x[2], x[0]), c = vec3d_sub(x[3], x[0]), d = vec3d_sub(p, x[0]);
    double volume = vec3d_dot(a, vec3d_cross(b, c));
    weight[1] = vec3d_dot(d, vec3d_cross(b, c)) / volume;
    weight[2] = vec3d_dot(a, vec3d_cross(d, c)) / volume;
    weight[3] = vec3d_dot(a, vec3d_cross(b, d)) / volume;
    weight[0] = 1 - weight[1] - weight[2] - weight[3];
    for (int k = 0; k < 4; k++)
        if (!(weight[k] >= -1e-9))
            return false;
    return true;
}

// Where a point is on the lattice.
static Vec3d on_lattice(Vec3d point, Vec3d origin, Vec3d spacing)
{
    return vec3d((point.x - origin.x) / spacing.x, (point.y - origin.y) / spacing.y, (point.z - origin.z) / spacing.z);
}

static bool add_nodes(const Body* body, uint32_t tet, Vec3d origin, Vec3d spacing, NodeList* list)
{
    Vec3d x[4], low, high;
    for (int k = 0; k < 4; k++) {
        x[k] = on_lattice(body->rest[body->tet[tet][k]], origin, spacing);
        low = k ? vec3d_min(low, x[k]) : x[k];
        high = k ? vec3d_max(high, x[k]) : x[k];
    }
    for (int64_t k = (int64_t)ceil(low.z); k <= (int64_t)floor(high.z); k++)
        for (int64_t j = (int64_t)ceil(low.y); j <= (int64_t)floor(high.y); j++)
            for (int64_t i = (int64_t)ceil(low.x); i <= (int64_t)floor(high.x); i++) {
                Node node = {(k * NODES_MOST + j) * NODES_MOST + i, tet, {0}};
                if (!find_weights(x, vec3d((double)i, (double)j, (double)k), node.weight))
                    continue;
                if (!memory_reserve(NULL, &list->item, &list->capacity, list->count, list->count + 1, sizeof node))
                    return false;
                list->item[list->count++] = node;
            }
    return true;
}

// Nodes of a lattice around the middle of the body, each in the first tetrahedron that has it.
static bool find_nodes(const Body* body, double spacing, NodeList* list)
{
    Vec3d low = body->rest[0], high = low;
    for (size_t k = 1; k < body->point_count; k++) {
        low = vec3d_min(low, body->rest[k]);
        high = vec3d_max(high, body->rest[k]);
    }
    // as many whole spacings as fit along each axis, stretched or pressed to fill it: a box is then as full at its faces as within,
    // whatever its sides are (bodies whose lattice ended short of them floated 4 % of their height too high)
    Vec3d size = vec3d_sub(high, low), each, origin;
    each.x = size.x / fmax(1, floor(size.x / spacing + 0.5));
    each.y = size.y / fmax(1, floor(size.y / spacing + 0.5));
    each.z = size.z / fmax(1, floor(size.z / spacing + 0.5));
    origin = vec3d_mad(low, 0.5, each);
    for (uint32_t t = 0; t < body->tet_count; t++)
        if (!add_nodes(body, t, origin, each, list))
            return false;
    qsort(list->item, list->count, sizeof *list->item, by_key);
    size_t kept = 0;
    for (size_t k = 0; k < list->count; k++)
        if (k == 0 || list->item[k].key != list->item[k - 1].key)
            list->item[kept++] = list->item[k];
    list->count = kept;
    return true;
}

static uint32_t find_node(const NodeList* list, int64_t key, uint32_t otherwise)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->item[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->item[low].key == key ? (uint32_t)low : otherwise;
}

static void find_beside(ReducedInside* in, const NodeList* list)
{
    const int64_t step[3] = {1, NODES_MOST, NODES_MOST * NODES_MOST};
    for (uint32_t i = 0; i < list->count; i++)
        for (int a = 0; a < 3; a++) {
            in->beside[i][2 * a] = find_node(list, list->item[i].key - step[a], i);
            in->beside[i][2 * a + 1] = find_node(list, list->item[i].key + step[a], i);
        }
}

// --- functions at particles

typedef struct Touched {
    size_t count;
    uint32_t handle[CORNERS_MOST];
    double function[CORNERS_MOST][4];
} Touched;

static void touch(Touched* t, uint32_t handle, double weight, const double u[4])
{
    size_t k = 0;
    while (k < t->count && t->handle[k] < handle)
        k++;
    if (k == t->count || t->handle[k] != handle) {
        for (size_t m = t->count++; m > k; m--) {
            t->handle[m] = t->handle[m - 1];
            memcpy(t->function[m], t->function[m - 1], sizeof t->function[m]);
        }
        t->handle[k] = handle;
        memset(t->function[k], 0, sizeof t->function[k]);
    }
    for (int r = 0; r < 4; r++)
        t->function[k][r] += weight * u[r];
}

static bool add_particle(Reduced* s, Memory* memory, const Body* body, const Node* node, size_t i, size_t* capacity)
{
    ReducedInside* in = &s->inside;
    Touched t;
    t.count = 0;
    Vec3d rest = {0, 0, 0};
    for (int c = 0; c < 4; c++) {
        uint32_t point = body->tet[node->tet][c];
        rest = vec3d_mad(rest, node->weight[c], body->rest[point]);
        for (uint32_t k = s->space.start[point]; k < s->space.start[point + 1]; k++) {
            double u[4];
            reduced_functions(s, body->rest[point], k, u);
            touch(&t, s->space.handle[k], node->weight[c], u);
        }
    }
    size_t first = in->start[i], more = first + t.count, other = *capacity;
    if (!memory_reserve(memory, &in->function, capacity, first, more, sizeof *in->function) ||
        !memory_reserve(memory, &in->handle, &other, first, more, sizeof *in->handle))
        return false;
    memcpy(in->handle + first, t.handle, t.count * sizeof *t.handle);
    memcpy(in->function + first, t.function, t.count * sizeof *t.function);
    in->start[i + 1] = (uint32_t)more;
    in->rest[i] = (Vec4){(float)rest.x, (float)rest.y, (float)rest.z, 0};
    return true;
}

static bool take_arrays(Reduced* s, Memory* memory, size_t count)
{
    ReducedInside* in = &s->inside;
    size_t n = s->rank;
    in->start = memory_take(memory, (count + 1) * sizeof *in->start);
    Vec4** vectors[] = {&in->rest, &in->position, &in->velocity, &in->ahead, &in->moved};
    bool ok = in->start != NULL;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = memory_take(memory, (count + 1) * sizeof(Vec4));
        ok = ok && *vectors[k];
    }
    in->back = memory_take(memory, (count + 1) * sizeof *in->back);
    in->beside = memory_take(memory, (count + 1) * sizeof *in->beside);
    in->predicted = memory_take(memory, 3 * n * sizeof(double));
    in->gained = memory_take(memory, 3 * n * sizeof(double));
    in->matrix = memory_take(memory, n * n * sizeof(double));
    in->factor = memory_take(memory, n * n * sizeof(double));
    size_t blocks = block_count(count, INSIDE_GRAIN);
    in->partial = memory_take(memory, (blocks + 1) * n * sizeof *in->partial);
    if (!ok || !in->back || !in->beside || !in->predicted || !in->gained || !in->matrix || !in->factor || !in->partial)
        return false;
    memset(in->predicted, 0, 3 * n * sizeof(double));
    memset(in->matrix, 0, n * n * sizeof(double));
    in->start[0] = 0;
    in->count = count;
    return true;
}

void reduced_inside_free(Reduced* s, Memory* memory)
{
    ReducedInside* in = &s->inside;
    void* arrays[] = {in->beside, in->start, in->handle, in->function,  in->rest,   in->position, in->velocity, in->moved,
                      in->ahead,  in->back,  in->matrix, in->predicted, in->factor, in->gained,   in->partial};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(memory, arrays[k]);
    *in = (ReducedInside){0};
}

// --- the matrix of the way back

static void add_particle_masses(Reduced* s)
{
    ReducedInside* in = &s->inside;
    for (size_t i = 0; i < in->count; i++)
        for (uint32_t a = in->start[i]; a < in->start[i + 1]; a++)
            for (uint32_t b = in->start[i]; b < in->start[i + 1]; b++)
                for (size_t r = 0; r < 4; r++) {
                    double* row = in->matrix + (4 * (size_t)in->handle[a] + r) * s->rank + 4 * (size_t)in->handle[b];
                    for (size_t c = 0; c < 4; c++)
                        row[c] += in->mass * in->function[a][r] * in->function[b][c];
                }
    double own = 0, stiff = 0;
    for (size_t r = 0; r < s->rank; r++) {
        own += in->matrix[r * s->rank + r];
        stiff += s->stiffness[r * s->rank + r];
    }
    for (size_t k = 0; k < s->rank * s->rank; k++)
        in->matrix[k] += HOLD * own / stiff * s->stiffness[k];
}

// [kg] of one pinned point on the way back: a hundred times the whole body, shared by what is pinned
static double pin_mass(const Reduced* s, const Body* body)
{
    size_t count = 0;
    for (size_t i = 0; i < body->point_count; i++)
        count += body->pins.of[i] >= 0;
    return 100 * s->total_mass / (double)(count ? count : 1);
}

static bool find_inside_factor(Reduced* s, const Body* body)
{
    ReducedInside* in = &s->inside;
    if (in->is_factored && in->pins == s->pins)
        return true;
    memcpy(in->factor, in->matrix, s->rank * s->rank * sizeof(double));
    if (s->pins)
        reduced_add_pins(s, body, pin_mass(s, body), in->factor);
    in->pins = s->pins;
    in->is_factored = dense_factor(in->factor, s->rank);
    return in->is_factored;
}

bool reduced_immerse(ElasticSet* set, Body* body, double spacing, double mass)
{
    Reduced* s = body->state;
    NodeList list = {0};
    size_t capacity = 0;
    if (s->inside.start)
        return true; // it is immersed already
    bool ok = find_nodes(body, spacing, &list) && take_arrays(s, set->memory, list.count);
    for (size_t i = 0; ok && i < list.count; i++)
        ok = add_particle(s, set->memory, body, &list.item[i], i, &capacity);
    if (ok)
        find_beside(&s->inside, &list);
    memory_give(NULL, list.item);
    if (!ok)
        return false;
    s->inside.mass = list.count ? mass / (double)list.count : 0;
    if (list.count)
        add_particle_masses(s);
    reduced_show_inside(s, set->pool);
    return true;
}

// --- places and velocities

typedef struct InsideJob {
    Reduced* s;
    double h;
    Vec4* speed;
} InsideJob;

// How particles beside it have moved, inverted: from a place beside a particle to one beside its rest place. Along an axis without
// neighbours the blended linear parts of the handles' maps say it, which know nothing of how weights change from place to place.
static void find_back(const Reduced* s, size_t i, float back[9])
{
    const ReducedInside* in = &s->inside;
    Mat3 a = {{{0}}};
    for (uint32_t k = in->start[i]; k < in->start[i + 1]; k++) {
        const Quad* q = s->packed + 4 * (size_t)in->handle[k];
        double w = in->function[k][3] / s->space.radius;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                a.m[r][c] += w * q[c][r];
    }
    for (int c = 0; c < 3; c++) {
        uint32_t low = in->beside[i][2 * c], high = in->beside[i][2 * c + 1];
        if (low == high)
            continue;
        Vec4 x = in->position[low], y = in->position[high], p = in->rest[low], q = in->rest[high];
        double way = c == 0 ? (double)(q.x - p.x) : c == 1 ? (double)(q.y - p.y) : (double)(q.z - p.z);
        a.m[0][c] = (double)(y.x - x.x) / way;
        a.m[1][c] = (double)(y.y - x.y) / way;
        a.m[2][c] = (double)(y.z - x.z) / way;
    }
    bool sound = mat3_determinant(&a) > 0.05;
    Mat3 inverse = sound ? mat3_inverse(&a) : mat3_rotation(&a);
    for (int k = 0; k < 9; k++)
        back[k] = (float)(sound ? inverse.m[k / 3][k % 3] : inverse.m[k % 3][k / 3]);
}

static void look_around(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Reduced* s = ((const InsideJob*)context)->s;
    for (size_t i = begin; i < end; i++)
        find_back(s, i, s->inside.back[i]);
}

static void place_particles(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Reduced* s = ((const InsideJob*)context)->s;
    ReducedInside* in = &s->inside;
    for (size_t i = begin; i < end; i++) {
        Quad x = {0, 0, 0, 0};
        for (uint32_t k = in->start[i]; k < in->start[i + 1]; k++)
            for (int r = 0; r < 4; r++)
                x += quad_all(in->function[k][r]) * s->packed[4 * (size_t)in->handle[k] + (size_t)r];
        in->position[i] = (Vec4){(float)x[0], (float)x[1], (float)x[2], 0};
    }
}

static void speed_particles(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const InsideJob* job = context;
    const Reduced* s = job->s;
    const ReducedInside* in = &s->inside;
    for (size_t i = begin; i < end; i++) {
        Quad v = {0, 0, 0, 0};
        for (uint32_t k = in->start[i]; k < in->start[i + 1]; k++)
            for (int r = 0; r < 4; r++)
                v += quad_all(in->function[k][r]) * s->packed[4 * (size_t)in->handle[k] + (size_t)r];
        job->speed[i] = (Vec4){(float)v[0], (float)v[1], (float)v[2], 0};
    }
}

static void pack(const Reduced* s, const double* q)
{
    for (size_t r = 0; r < s->rank; r++)
        s->packed[r] = (Quad){q[r], q[s->rank + r], q[2 * s->rank + r], 0};
}

void reduced_show_inside(Reduced* s, Pool* pool)
{
    InsideJob job = {s, 0, NULL};
    pack(s, s->q);
    parallel_for(pool, s->inside.count, INSIDE_GRAIN, place_particles, &job);
    parallel_for(pool, s->inside.count, INSIDE_GRAIN, look_around, &job);
    reduced_speed_inside(s, pool, s->v, s->inside.velocity);
}

void reduced_speed_inside(Reduced* s, Pool* pool, const double* rates, Vec4* out)
{
    InsideJob job = {s, 0, out};
    pack(s, rates);
    parallel_for(pool, s->inside.count, INSIDE_GRAIN, speed_particles, &job);
}

// --- back

static void gather_particles(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const InsideJob* job = context;
    const Reduced* s = job->s;
    const ReducedInside* in = &s->inside;
    Quad* sum = in->partial + block * s->rank;
    memset(sum, 0, s->rank * sizeof *sum);
    for (size_t i = begin; i < end; i++) {
        Vec4 x = in->position[i], y = in->moved[i], v = in->ahead[i];
        Quad gain = {(double)y.x - (double)x.x - job->h * (double)v.x, (double)y.y - (double)x.y - job->h * (double)v.y,
                     (double)y.z - (double)x.z - job->h * (double)v.z, 0};
        gain *= quad_all(in->mass);
        for (uint32_t k = in->start[i]; k < in->start[i + 1]; k++)
            for (int r = 0; r < 4; r++)
                sum[4 * (size_t)in->handle[k] + (size_t)r] += quad_all(in->function[k][r]) * gain;
    }
}

// What pinned points lack to where their pins want them.
static void add_pin_lacks(Reduced* s, const Body* body, double h)
{
    ReducedInside* in = &s->inside;
    double mass = pin_mass(s, body);
    for (size_t k = 0; k < 3 * s->rank; k++)
        s->work[k] = s->q[k] + h * in->predicted[k];
    for (size_t i = 0; i < body->point_count; i++) {
        if (body->pins.of[i] < 0)
            continue;
        Vec3d lack = vec3d_sub(pin_target(body, i, 1), reduced_point(s, body, i, s->work));
        for (uint32_t k = s->space.start[i]; k < s->space.start[i + 1]; k++) {
            double u[4];
            reduced_functions(s, body->rest[i], k, u);
            for (size_t c = 0; c < 4; c++)
                reduced_add(s, in->gained, 4 * (size_t)s->space.handle[k] + c, mass * u[c], lack);
        }
    }
}

bool reduced_take_inside(Reduced* s, ElasticSet* set, Body* body, double h)
{
    ReducedInside* in = &s->inside;
    size_t n = s->rank;
    if (!find_inside_factor(s, body))
        return false;
    InsideJob job = {s, h, NULL};
    parallel_for(set->pool, in->count, INSIDE_GRAIN, gather_particles, &job);
    memset(in->gained, 0, 3 * n * sizeof(double));
    for (size_t b = 0; b < block_count(in->count, INSIDE_GRAIN); b++)
        for (size_t r = 0; r < n; r++)
            for (size_t a = 0; a < 3; a++)
                in->gained[a * n + r] += in->partial[b * n + r][a];
    if (s->pins)
        add_pin_lacks(s, body, h);
    dense_solve3(in->factor, n, in->gained);
    for (size_t k = 0; k < 3 * n; k++) {
        s->v[k] = in->predicted[k] + in->gained[k] / h;
        s->q[k] += h * s->v[k];
    }
    memcpy(s->samples.turn, s->samples.turn_tried, 4 * LANES * s->samples.groups * sizeof(float));
    s->h_before = 0;
    reduced_set_place(s, s->q);
    s->strain = reduced_measure(s, set->pool, s->samples.turn);
    reduced_show_inside(s, set->pool);
    return true;
}
