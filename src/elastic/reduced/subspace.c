// SPDX-License-Identifier: MIT
#include "elastic/reduced/subspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of the cover distance. Less leaves points with one weight alone and steep weights: a bar is too stiff; more makes all matrices
// full (docs/theory/reduced.md has figures).
static const double SUPPORT = 1.5;

// --- edges

static int compare_indices(const void* a, const void* b)
{
    uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return x < y ? -1 : x > y;
}

// Sorts the neighbours of each point and drops those that came more than once.
static void tidy(EdgeGraph* graph, const Vec3d* rest)
{
    uint32_t to = 0, begin = 0;
    for (size_t i = 0; i < graph->points; i++) {
        uint32_t end = graph->start[i + 1], first = to;
        qsort(graph->other + begin, end - begin, sizeof *graph->other, compare_indices);
        for (uint32_t k = begin; k < end; k++)
            if (to == first || graph->other[to - 1] != graph->other[k]) {
                graph->other[to] = graph->other[k];
                graph->length[to++] = vec3d_distance(rest[i], rest[graph->other[k]]);
            }
        begin = end;
        graph->start[i + 1] = to;
    }
}

bool edge_graph_create(EdgeGraph* graph, Memory* memory, const Vec3d* rest, size_t points, const uint32_t (*tet)[4], size_t tets)
{
    *graph = (EdgeGraph){.memory = memory, .points = points};
    graph->start = memory_take(memory, (points + 1) * sizeof *graph->start);
    graph->other = memory_take(memory, (12 * tets + 1) * sizeof *graph->other);
    graph->length = memory_take(memory, (12 * tets + 1) * sizeof *graph->length);
    uint32_t* next = memory_take(memory, (points + 1) * sizeof *next);
    bool ok = graph->start && graph->other && graph->length && next;
    if (ok) {
        memset(next, 0, (points + 1) * sizeof *next);
        for (size_t k = 0; k < 4 * tets; k++)
            next[tet[k / 4][k % 4]] += 3;
        graph->start[0] = 0;
        for (size_t i = 0; i < points; i++) {
            graph->start[i + 1] = graph->start[i] + next[i];
            next[i] = graph->start[i];
        }
        for (size_t k = 0; k < tets; k++)
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++)
                    if (a != b)
                        graph->other[next[tet[k][a]]++] = tet[k][b];
        tidy(graph, rest);
    }
    memory_give(memory, next);
    return ok;
}

void edge_graph_free(EdgeGraph* graph)
{
    memory_give(graph->memory, graph->start);
    memory_give(graph->memory, graph->other);
    memory_give(graph->memory, graph->length);
    *graph = (EdgeGraph){0};
}

// --- shortest paths (Dijkstra 1959) with a binary heap; ties go to the lower point

typedef struct Entry {
    double distance; // [m]
    uint32_t point;
} Entry;

typedef struct Paths {
    const EdgeGraph* graph;
    double* distance; // [m] (points)
    Entry* heap;
    size_t count, capacity;
    uint32_t* reached; // points whose distance changed, in the order of their distances; those that changed again come again
    size_t reached_count, reached_capacity;
} Paths;

static bool before(Entry a, Entry b)
{
    return a.distance < b.distance || (a.distance == b.distance && a.point < b.point);
}

static bool push(Paths* paths, Entry entry)
{
    if (!memory_reserve(NULL, &paths->heap, &paths->capacity, paths->count, paths->count + 1, sizeof *paths->heap))
        return false;
    size_t k = paths->count++;
    for (; k > 0 && before(entry, paths->heap[(k - 1) / 2]); k = (k - 1) / 2)
        paths->heap[k] = paths->heap[(k - 1) / 2];
    paths->heap[k] = entry;
    return true;
}

static Entry pop(Paths* paths)
{
    Entry top = paths->heap[0], last = paths->heap[--paths->count];
    size_t k = 0;
    for (;;) {
        size_t child = 2 * k + 1;
        if (child >= paths->count)
            break;
        if (child + 1 < paths->count && before(paths->heap[child + 1], paths->heap[child]))
            child++;
        if (!before(paths->heap[child], last))
            break;
        paths->heap[k] = paths->heap[child];
        k = child;
    }
    if (paths->count)
        paths->heap[k] = last;
    return top;
}

// Shortens distances by paths from `source`, as far as they are shorter than what was known and than `most` [m].
static bool spread_paths(Paths* paths, uint32_t source, double most)
{
    const EdgeGraph* graph = paths->graph;
    paths->count = paths->reached_count = 0;
    paths->distance[source] = 0;
    if (!push(paths, (Entry){0, source}))
        return false;
    while (paths->count) {
        Entry at = pop(paths);
        if (at.distance > paths->distance[at.point])
            continue; // it was reached on a shorter path meanwhile
        if (!memory_reserve(NULL, &paths->reached, &paths->reached_capacity, paths->reached_count, paths->reached_count + 1,
                            sizeof *paths->reached))
            return false;
        paths->reached[paths->reached_count++] = at.point;
        for (uint32_t k = graph->start[at.point]; k < graph->start[at.point + 1]; k++) {
            Entry next = {at.distance + graph->length[k], graph->other[k]};
            if (next.distance < most && next.distance < paths->distance[next.point]) {
                paths->distance[next.point] = next.distance;
                if (!push(paths, next))
                    return false;
            }
        }
    }
    return true;
}

// --- samples

static bool spread_samples(Subspace* space, Paths* paths, size_t* missed)
{
    uint32_t next = 0;
    for (size_t h = 0; h < space->handles; h++) {
        space->sample[h] = next;
        if (!spread_paths(paths, next, (double)INFINITY))
            return false;
        for (size_t i = 0; i < space->points; i++)
            if (paths->distance[i] > paths->distance[next])
                next = (uint32_t)i;
    }
    space->cover = paths->distance[next];
    // whatever is still out of reach is counted part by part
    while (!isfinite(paths->distance[next])) {
        ++*missed;
        if (!spread_paths(paths, next, (double)INFINITY))
            return false;
        for (size_t i = 0; i < space->points; i++)
            if (paths->distance[i] > paths->distance[next])
                next = (uint32_t)i;
    }
    return *missed == 0;
}

// --- weights

// Smooth, 1 at the sample, 0 from the radius on.
static double bump(double s)
{
    return s < 1 ? (1 - s) * (1 - s) * (1 + 2 * s) : 0;
}

typedef struct Weight {
    uint32_t point, handle;
    double value;
} Weight;

typedef struct WeightList {
    Weight* item;
    size_t count, capacity;
} WeightList;

static bool find_weights(const Subspace* space, Paths* paths, WeightList* list)
{
    for (size_t i = 0; i < space->points; i++)
        paths->distance[i] = (double)INFINITY;
    for (size_t h = 0; h < space->handles; h++) {
        if (!spread_paths(paths, space->sample[h], space->radius))
            return false;
        for (size_t k = 0; k < paths->reached_count; k++) {
            uint32_t p = paths->reached[k];
            double value = bump(paths->distance[p] / space->radius);
            paths->distance[p] = (double)INFINITY;
            if (!(value > 0))
                continue;
            if (!memory_reserve(NULL, &list->item, &list->capacity, list->count, list->count + 1, sizeof *list->item))
                return false;
            list->item[list->count++] = (Weight){p, (uint32_t)h, value};
        }
    }
    return true;
}

// By point; handles ascend because they came in that order.
static bool sort_weights(Subspace* space, const WeightList* list)
{
    space->start = memory_take(space->memory, (space->points + 2) * sizeof *space->start);
    space->handle = memory_take(space->memory, (list->count + 1) * sizeof *space->handle);
    space->weight = memory_take(space->memory, (list->count + 1) * sizeof *space->weight);
    if (!space->start || !space->handle || !space->weight)
        return false;
    memset(space->start, 0, (space->points + 2) * sizeof *space->start);
    uint32_t* next = space->start + 1; // becomes the start of the next point
    for (size_t k = 0; k < list->count; k++)
        space->start[list->item[k].point + 2]++;
    for (size_t i = 0; i < space->points; i++)
        space->start[i + 2] += space->start[i + 1];
    for (size_t k = 0; k < list->count; k++) {
        uint32_t at = next[list->item[k].point]++;
        space->handle[at] = list->item[k].handle;
        space->weight[at] = list->item[k].value;
    }
    for (size_t i = 0; i < space->points; i++) {
        double sum = 0;
        for (uint32_t k = space->start[i]; k < space->start[i + 1]; k++)
            sum += space->weight[k];
        for (uint32_t k = space->start[i]; k < space->start[i + 1]; k++)
            space->weight[k] /= sum;
    }
    return true;
}

bool subspace_create(Subspace* space, Memory* memory, const EdgeGraph* graph, size_t handles, size_t* missed)
{
    *space = (Subspace){.memory = memory, .points = graph->points, .handles = handles};
    *missed = 0;
    WeightList list = {0};
    Paths paths = {.graph = graph, .distance = memory_take(NULL, (graph->points + 1) * sizeof(double))};
    space->sample = memory_take(memory, (handles + 1) * sizeof *space->sample);
    bool ok = paths.distance && space->sample;
    for (size_t i = 0; ok && i < graph->points; i++)
        paths.distance[i] = (double)INFINITY;
    ok = ok && spread_samples(space, &paths, missed);
    space->radius = SUPPORT * fmax(space->cover, 1e-300);
    ok = ok && find_weights(space, &paths, &list) && sort_weights(space, &list);
    memory_give(NULL, paths.distance);
    memory_give(NULL, paths.heap);
    memory_give(NULL, paths.reached);
    memory_give(NULL, list.item);
    return ok;
}

void subspace_free(Subspace* space)
{
    void* arrays[] = {space->sample, space->start, space->handle, space->weight};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(space->memory, arrays[k]);
    *space = (Subspace){0};
}
