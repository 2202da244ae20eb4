// SPDX-License-Identifier: MIT
// Adaptive sampling of a deforming surface. Lengths are in units of the particle spacing d.
//   edge      n_e parts, the nearest number to its length, but one part up to 1.25 d; up to 1.55 d if the third vertices of both
//             triangles are that near to its middle (the diagonals of a square mesh need no particle of their own)
//   triangle  n_t scan lines over the shortest edge (n_t = height / d to the nearest number), line k in n_e (1 - k / n_t) parts;
//             none where an edge has one part only
// Deviations from Akinci 2013: the paper's n = floor(length / d) leaves gaps of up to 2 d and delta far below 3.6 / h^3; the pair
// (n_e, n_t) is compared and not its product n_pa; numbers fall only when a length is some per cent below its limit, so that a
// surface that trembles is not sampled anew all the time. At its rest length a primitive has the numbers of the rest shape.
#include "boundary/resample.h"

#include "boundary/sample.h"
#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

static const double PART_TIGHT = 1.25, PART_LOOSE = 1.55, PART_ALONE = 1.05; // [d] longest single part
static const double LOOSE_MEDIAN = 0.8, LOOSE_MEDIAN_BACK = 0.75;            // [d] from the middle of an edge to a third vertex
static const double SLACK = 0.04;                                            // [1] below its limit a number falls
static const double AT_REST = 0.005;                                         // [1] strain that counts as none
static const double SHORTEST_SLACK = 1.06;                  // [1] squared length by which another edge must be shorter
static const float LEAST_DENSITY = 3.6f, MOST_DENSITY = 10; // [1/h^d]
enum { GRAIN = 1024, PARTS_MOST = 0x7fff };

// --- numbers of an edge

static uint32_t parts_of(double length, double first)
{
    double n = length <= first ? 1 : length <= 2.45 ? 2 : floor(length + 0.55);
    return n < PARTS_MOST ? (uint32_t)n : PARTS_MOST;
}

static uint32_t parts_alone(double length)
{
    double n = ceil(length / PART_ALONE);
    return n < 1 ? 1 : n < PARTS_MOST ? (uint32_t)n : PARTS_MOST;
}

static double square_of(const Vec3d* x, uint32_t a, uint32_t b)
{
    Vec3d e = vec3d_sub(x[b], x[a]);
    return vec3d_dot(e, e);
}

// squared distance of the middle of edge ab to vertex c
static double median_squared(const Vec3d* x, const ResampleEdge* e, uint32_t c)
{
    Vec3d m = vec3d_sub(vec3d_scale(vec3d_add(x[e->a], x[e->b]), 0.5), x[c]);
    return vec3d_dot(m, m);
}

static bool is_loose(const Resample* r, const Vec3d* x, const ResampleEdge* e, uint32_t now)
{
    if (e->opposite[1] == NONE)
        return false;
    double most = (now > 1 ? LOOSE_MEDIAN_BACK : LOOSE_MEDIAN) * r->spacing;
    return median_squared(x, e, e->opposite[0]) <= most * most && median_squared(x, e, e->opposite[1]) <= most * most;
}

static uint32_t edge_parts(const Resample* r, const Vec3d* x, const ResampleEdge* e, double length, uint32_t now)
{
    if (e->opposite[0] == NONE)
        return parts_alone(length);
    bool between = length > PART_TIGHT && length <= PART_LOOSE;
    return parts_of(length, between && is_loose(r, x, e, now) ? PART_LOOSE : PART_TIGHT);
}

// The numbers are kept as long as they will do.
static uint32_t edge_wanted(const Resample* r, const Vec3d* x, size_t i, uint32_t now)
{
    const ResampleEdge* e = &r->edge[i];
    double square = square_of(x, e->a, e->b), tight = PART_TIGHT * r->spacing;
    if (now == 1 && r->rest_parts[i] == 1 && square <= tight * tight && e->opposite[0] != NONE)
        return 1;
    double length = sqrt(square) / r->spacing, rest = (double)r->rest_length[i];
    if (fabs(length - rest) <= AT_REST * rest)
        return r->rest_parts[i];
    uint32_t wanted = edge_parts(r, x, e, length, now);
    if (wanted >= now)
        return wanted;
    uint32_t with_slack = edge_parts(r, x, e, length * (1 + SLACK), now);
    return with_slack < now ? with_slack : now;
}

// --- numbers of a triangle: 2 bits shortest edge, 15 bits its parts, 15 bits scan lines; 0: no particles

typedef struct Lines {
    uint32_t edge, parts, lines;
} Lines;

static uint32_t pack(Lines l)
{
    return l.edge | l.parts << 2 | l.lines << 17;
}

static Lines unpack(uint32_t state)
{
    return (Lines){state & 3, state >> 2 & PARTS_MOST, state >> 17};
}

static bool has_lines(const Resample* r, size_t t)
{
    const uint32_t* e = r->triangle_edge[t];
    return r->edge_state[e[0]].now > 1 && r->edge_state[e[1]].now > 1 && r->edge_state[e[2]].now > 1;
}

static uint32_t lines_of(double height)
{
    double n = floor(height + 0.5);
    return n < PARTS_MOST ? (uint32_t)n : PARTS_MOST;
}

static bool triangle_at_rest(const Resample* r, size_t t, const double square[3])
{
    for (int k = 0; k < 3; k++) {
        double rest = (double)r->rest_length[r->triangle_edge[t][k]] * r->spacing, least = (1 - AT_REST) * rest,
               most = (1 + AT_REST) * rest;
        if (square[k] < least * least || square[k] > most * most)
            return false;
    }
    return true;
}

static uint32_t triangle_wanted(const Resample* r, const Vec3d* x, size_t t, uint32_t now, bool anew)
{
    if (!has_lines(r, t))
        return 0;
    const uint32_t* v = r->triangle[t];
    double square[3] = {square_of(x, v[0], v[1]), square_of(x, v[1], v[2]), square_of(x, v[2], v[0])};
    if (!anew && triangle_at_rest(r, t, square))
        return r->rest_lines[t];
    uint32_t shortest = square[1] < square[0] ? 1 : 0;
    shortest = square[2] < square[shortest] ? 2 : shortest;
    Lines old = unpack(now);
    if (now && square[old.edge] <= SHORTEST_SLACK * square[shortest])
        shortest = old.edge;
    Vec3d area = vec3d_cross(vec3d_sub(x[v[1]], x[v[0]]), vec3d_sub(x[v[2]], x[v[0]]));
    double height = vec3d_length(area) / sqrt(square[shortest]) / r->spacing;
    uint32_t lines = lines_of(height);
    if (now && shortest == old.edge && lines < old.lines) {
        uint32_t with_slack = lines_of(height * (1 + SLACK));
        lines = with_slack < old.lines ? with_slack : old.lines;
    }
    if (lines < 2)
        return 0;
    return pack((Lines){shortest, r->edge_state[r->triangle_edge[t][shortest]].now, lines});
}

// --- particles of a primitive

static uint32_t row_parts(Lines l, uint32_t row)
{
    return (2 * l.parts * (l.lines - row) + l.lines) / (2 * l.lines); // both are below 2^15
}

static size_t triangle_particles(uint32_t state)
{
    Lines l = unpack(state);
    size_t n = 0;
    for (uint32_t row = 1; row < l.lines; row++) {
        uint32_t parts = row_parts(l, row);
        if (parts < 2)
            break;
        n += parts - 1;
    }
    return n;
}

static size_t edge_particles(uint32_t state)
{
    return state > 1 ? state - 1 : 0;
}

static SurfacePoint* put_edge(const ResampleEdge* e, uint32_t parts, SurfacePoint* out)
{
    for (uint32_t j = 1; j < parts; j++) {
        float share = (float)j / (float)parts;
        *out++ = (SurfacePoint){{e->a, e->b, e->b}, {1 - share, share, 0}};
    }
    return out;
}

static SurfacePoint* put_triangle(const uint32_t v[3], uint32_t state, SurfacePoint* out)
{
    Lines l = unpack(state);
    uint32_t a = v[l.edge], b = v[(l.edge + 1) % 3], top = v[(l.edge + 2) % 3];
    for (uint32_t row = 1; row < l.lines; row++) {
        uint32_t parts = row_parts(l, row);
        float up = (float)row / (float)l.lines, left = 1 - up;
        for (uint32_t j = 1; j < parts; j++) {
            float along = left * ((float)j / (float)parts);
            *out++ = (SurfacePoint){{a, b, top}, {left - along, along, up}};
        }
    }
    return out;
}

// --- the mesh

static bool take(Resample* r, void* array, size_t count, size_t size)
{
    void** out = array;
    *out = memory_take(r->memory, (count ? count : 1) * size);
    return *out != NULL;
}

// Edges of triangles, found by their lower vertex.
static bool build_edges(Resample* r, const ResampleDef* def)
{
    size_t halves = 3 * def->triangle_count + def->segment_count;
    uint32_t *first = memory_take(NULL, (r->vertex_count + 2) * sizeof *first), *next = NULL;
    bool ok = first && take(r, &r->edge, halves, sizeof *r->edge) &&
              take(r, &r->triangle_edge, r->triangle_count, sizeof *r->triangle_edge);
    next = ok ? memory_take(NULL, (halves + 1) * sizeof *next) : NULL;
    if (!ok || !next) {
        memory_give(NULL, first);
        return false;
    }
    memset(first, 0xff, (r->vertex_count + 2) * sizeof *first);
    for (size_t t = 0; t < def->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            uint32_t a = def->triangle[t][k], b = def->triangle[t][(k + 1) % 3], c = def->triangle[t][(k + 2) % 3];
            uint32_t low = a < b ? a : b, high = a < b ? b : a, e = first[low];
            while (e != NONE && r->edge[e].b != high)
                e = next[e];
            if (e == NONE) {
                e = (uint32_t)r->edge_count++;
                r->edge[e] = (ResampleEdge){low, high, {c, NONE}};
                next[e] = first[low];
                first[low] = e;
            } else if (r->edge[e].opposite[1] == NONE)
                r->edge[e].opposite[1] = c;
            r->triangle_edge[t][k] = e;
        }
    for (size_t s = 0; s < def->segment_count; s++)
        r->edge[r->edge_count++] = (ResampleEdge){def->segment[s][0], def->segment[s][1], {NONE, NONE}};
    memory_give(NULL, first);
    memory_give(NULL, next);
    return true;
}

static bool build_mesh(Resample* r, const ResampleDef* def)
{
    if (!build_edges(r, def) || !take(r, &r->triangle, r->triangle_count, sizeof *r->triangle) ||
        !take(r, &r->rest_length, r->edge_count, sizeof *r->rest_length) ||
        !take(r, &r->rest_parts, r->edge_count, sizeof *r->rest_parts) ||
        !take(r, &r->rest_lines, r->triangle_count, sizeof *r->rest_lines) ||
        !take(r, &r->edge_state, r->edge_count, sizeof *r->edge_state) ||
        !take(r, &r->triangle_state, r->triangle_count, sizeof *r->triangle_state) ||
        !take(r, &r->edge_first, r->edge_count + 1, sizeof *r->edge_first) ||
        !take(r, &r->triangle_first, r->triangle_count + 1, sizeof *r->triangle_first) ||
        !take(r, &r->changes, 2 * (r->edge_count + r->triangle_count) / GRAIN + 4, sizeof *r->changes))
        return false;
    if (r->triangle_count)
        memcpy(r->triangle, def->triangle, r->triangle_count * sizeof *r->triangle);
    for (size_t i = 0; i < r->edge_count; i++)
        r->rest_length[i] = (float)(sqrt(square_of(def->position, r->edge[i].a, r->edge[i].b)) / r->spacing);
    return true;
}

// --- particles of all primitives

static size_t count_particles(Resample* r)
{
    size_t n = r->vertex_count;
    for (size_t i = 0; i < r->edge_count; i++) {
        ResampleState s = r->edge_state[i];
        r->edge_first[i] = (uint32_t)n;
        n += edge_particles(s.now) + edge_particles(s.before);
    }
    r->edge_first[r->edge_count] = (uint32_t)n;
    for (size_t t = 0; t < r->triangle_count; t++) {
        ResampleState s = r->triangle_state[t];
        r->triangle_first[t] = (uint32_t)n;
        if (s.now | s.before)
            n += triangle_particles(s.now) + triangle_particles(s.before);
    }
    r->triangle_first[r->triangle_count] = (uint32_t)n;
    return n;
}

static void share_out(Resample* r, const ResampleState* s, uint32_t first, uint32_t middle, uint32_t last)
{
    for (uint32_t k = first; k < middle; k++)
        r->share[k] = s->fade;
    for (uint32_t k = middle; k < last; k++)
        r->share[k] = 1 - s->fade;
}

static void fill_edges(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Resample* r = context;
    for (size_t i = begin; i < end; i++) {
        const ResampleState* s = &r->edge_state[i];
        uint32_t first = r->edge_first[i], last = r->edge_first[i + 1];
        if (first == last)
            continue;
        SurfacePoint* out = put_edge(&r->edge[i], s->now, r->point + first);
        share_out(r, s, first, (uint32_t)(out - r->point), last);
        if (s->before)
            put_edge(&r->edge[i], s->before, out);
    }
}

static void fill_triangles(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Resample* r = context;
    for (size_t t = begin; t < end; t++) {
        const ResampleState* s = &r->triangle_state[t];
        uint32_t first = r->triangle_first[t], last = r->triangle_first[t + 1];
        if (first == last)
            continue;
        SurfacePoint* out = put_triangle(r->triangle[t], s->now, r->point + first);
        share_out(r, s, first, (uint32_t)(out - r->point), last);
        if (s->before)
            put_triangle(r->triangle[t], s->before, out);
    }
}

// Only what fades changes its shares.
static void share_edges(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Resample* r = context;
    for (size_t i = begin; i < end; i++) {
        const ResampleState* s = &r->edge_state[i];
        uint32_t first = r->edge_first[i];
        if (s->fade < 1)
            share_out(r, s, first, first + (uint32_t)edge_particles(s->now), r->edge_first[i + 1]);
    }
}

static void share_triangles(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Resample* r = context;
    for (size_t t = begin; t < end; t++) {
        const ResampleState* s = &r->triangle_state[t];
        uint32_t first = r->triangle_first[t];
        if (s->fade < 1)
            share_out(r, s, first, first + (uint32_t)triangle_particles(s->now), r->triangle_first[t + 1]);
    }
}

// Particles of all primitives and their shares.
static bool fill(Resample* r, Pool* pool)
{
    size_t n = count_particles(r), kept = r->count ? r->vertex_count : 0, capacity = r->capacity;
    if (n >= SURFACE_SAMPLE_LIMIT || !memory_reserve(r->memory, &r->point, &capacity, kept, n, sizeof *r->point))
        return false;
    if (capacity != r->capacity && !memory_reserve(r->memory, &r->share, &r->capacity, kept, capacity, sizeof *r->share))
        return false;
    r->count = n;
    parallel_for(pool, r->edge_count, GRAIN, fill_edges, r);
    parallel_for(pool, r->triangle_count, GRAIN, fill_triangles, r);
    return true;
}

// --- a step

typedef struct UpdateJob {
    Resample* r;
    const Vec3d* x;
    const float* density;
    double advance; // [1] of a fade
    uint32_t *changed, *fading;
} UpdateJob;

static bool is_out(float density)
{
    return density < LEAST_DENSITY || density > MOST_DENSITY;
}

static bool any_out(const float* density, uint32_t first, uint32_t last)
{
    for (uint32_t k = first; k < last; k++)
        if (is_out(density[k]))
            return true;
    return false;
}

// The density criterion: does anything on or around the primitive call for new numbers?
static bool edge_is_called(const Resample* r, const float* density, size_t i)
{
    const ResampleEdge* e = &r->edge[i];
    bool called = is_out(density[e->a]) || is_out(density[e->b]) || any_out(density, r->edge_first[i], r->edge_first[i + 1]);
    for (int k = 0; k < 2; k++)
        called = called || (e->opposite[k] != NONE && is_out(density[e->opposite[k]]));
    return called;
}

static bool triangle_is_called(const Resample* r, const float* density, size_t t)
{
    bool called = any_out(density, r->triangle_first[t], r->triangle_first[t + 1]);
    for (int k = 0; k < 3; k++) {
        uint32_t e = r->triangle_edge[t][k];
        called = called || is_out(density[r->triangle[t][k]]) || any_out(density, r->edge_first[e], r->edge_first[e + 1]);
    }
    return called;
}

// Takes over new numbers. What was still fading out goes: a surface that deforms that fast has other worries.
static void advance(const UpdateJob* job, ResampleState* s, uint32_t wanted, size_t block)
{
    if (wanted != s->now) {
        *s = job->r->fade_time > 0 ? (ResampleState){wanted, s->now, 0} : (ResampleState){wanted, 0, 1};
        job->changed[block]++;
    } else if (s->fade < 1) {
        s->fade = (float)((double)s->fade + job->advance);
        job->fading[block]++;
        if (!(s->fade < 1)) {
            *s = (ResampleState){s->now, 0, 1};
            job->changed[block]++;
        }
    }
}

static void update_edges(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const UpdateJob* job = context;
    Resample* r = job->r;
    job->changed[block] = job->fading[block] = 0;
    for (size_t i = begin; i < end; i++) {
        ResampleState* s = &r->edge_state[i];
        uint32_t wanted = s->now;
        if (!job->density)
            wanted = edge_wanted(r, job->x, i, s->now);
        else if (edge_is_called(r, job->density, i))
            wanted = edge_parts(r, job->x, &r->edge[i], sqrt(square_of(job->x, r->edge[i].a, r->edge[i].b)) / r->spacing, s->now);
        advance(job, s, wanted, block);
    }
}

static void update_triangles(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const UpdateJob* job = context;
    Resample* r = job->r;
    job->changed[block] = job->fading[block] = 0;
    for (size_t t = begin; t < end; t++) {
        ResampleState* s = &r->triangle_state[t];
        uint32_t wanted = s->now;
        if (!job->density || triangle_is_called(r, job->density, t))
            wanted = triangle_wanted(r, job->x, t, s->now, false);
        advance(job, s, wanted, block);
    }
}

static void sum_changes(const UpdateJob* job, size_t blocks, uint64_t* changed, uint64_t* fading)
{
    for (size_t b = 0; b < blocks; b++) {
        *changed += job->changed[b];
        *fading += job->fading[b];
    }
}

bool resample_update(Resample* r, Pool* pool, const Vec3d* position, double dt, const float* density)
{
    size_t edge_blocks = block_count(r->edge_count, GRAIN), triangle_blocks = block_count(r->triangle_count, GRAIN);
    UpdateJob job = {r, position, density, r->fade_time > 0 ? dt / r->fade_time : 1, r->changes, NULL};
    uint64_t changed = 0, fading = 0;
    // the density criterion looks at particles of edges while it decides on triangles: their places stay until both are done
    job.fading = r->changes + edge_blocks;
    parallel_for(pool, r->edge_count, GRAIN, update_edges, &job);
    sum_changes(&job, edge_blocks, &changed, &fading);
    job.fading = r->changes + triangle_blocks;
    parallel_for(pool, r->triangle_count, GRAIN, update_triangles, &job);
    sum_changes(&job, triangle_blocks, &changed, &fading);
    r->changed = changed;
    if (changed)
        return fill(r, pool);
    if (fading) {
        parallel_for(pool, r->edge_count, GRAIN, share_edges, r);
        parallel_for(pool, r->triangle_count, GRAIN, share_triangles, r);
    }
    return true;
}

// --- the rest shape

static void rest_numbers(Resample* r, const Vec3d* x)
{
    for (size_t i = 0; i < r->edge_count; i++) {
        const ResampleEdge* e = &r->edge[i];
        r->rest_parts[i] = edge_parts(r, x, e, (double)r->rest_length[i], 1);
        r->edge_state[i] = (ResampleState){r->rest_parts[i], 0, 1};
    }
    for (size_t t = 0; t < r->triangle_count; t++) {
        r->rest_lines[t] = triangle_wanted(r, x, t, 0, true);
        r->triangle_state[t] = (ResampleState){r->rest_lines[t], 0, 1};
    }
}

bool resample_create(Resample* r, const ResampleDef* def, Memory* memory, Pool* pool)
{
    *r = (Resample){.memory = memory,
                    .spacing = def->spacing,
                    .fade_time = def->fade_time,
                    .vertex_count = def->vertex_count,
                    .triangle_count = def->triangle_count};
    if (!build_mesh(r, def))
        return false;
    rest_numbers(r, def->position);
    if (!fill(r, pool))
        return false;
    for (uint32_t v = 0; v < r->vertex_count; v++) {
        r->point[v] = (SurfacePoint){{v, v, v}, {1, 0, 0}};
        r->share[v] = 1;
    }
    return true;
}

void resample_free(Resample* r)
{
    void* arrays[] = {r->edge,       r->triangle,       r->triangle_edge,  r->rest_length, r->rest_parts,
                      r->rest_lines, r->edge_state,     r->triangle_state, r->point,       r->share,
                      r->edge_first, r->triangle_first, r->changes};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(r->memory, arrays[k]);
    *r = (Resample){0};
}

bool resample_take_over(Resample* r, Pool* pool, const Resample* from, const uint32_t* edge_of, const uint32_t* triangle_of,
                        const Vec3d* position)
{
    for (size_t i = 0; i < r->edge_count; i++)
        r->edge_state[i] = edge_of[i] != NONE ? from->edge_state[edge_of[i]]
                                              : (ResampleState){edge_wanted(r, position, i, r->rest_parts[i]), 0, 1};
    for (size_t t = 0; t < r->triangle_count; t++)
        r->triangle_state[t] = triangle_of[t] != NONE
                                   ? from->triangle_state[triangle_of[t]]
                                   : (ResampleState){triangle_wanted(r, position, t, r->rest_lines[t], false), 0, 1};
    return fill(r, pool);
}

// --- state

size_t resample_state_bytes(const Resample* r)
{
    return (r->edge_count + r->triangle_count) * sizeof(ResampleState);
}

void resample_save(const Resample* r, void* bytes)
{
    size_t edges = r->edge_count * sizeof(ResampleState);
    memcpy(bytes, r->edge_state, edges);
    memcpy((char*)bytes + edges, r->triangle_state, r->triangle_count * sizeof(ResampleState));
}

static bool is_state(const ResampleState* s, size_t count, bool edges)
{
    for (size_t i = 0; i < count; i++)
        if (!(s[i].fade >= 0 && s[i].fade <= 1) || (edges ? s[i].now < 1 || s[i].now > PARTS_MOST || s[i].before > PARTS_MOST
                                                          : unpack(s[i].now).edge > 2 || unpack(s[i].before).edge > 2))
            return false;
    return true;
}

bool resample_load(Resample* r, Pool* pool, const void* bytes)
{
    size_t edges = r->edge_count * sizeof(ResampleState);
    memcpy(r->edge_state, bytes, edges);
    memcpy(r->triangle_state, (const char*)bytes + edges, r->triangle_count * sizeof(ResampleState));
    if (!is_state(r->edge_state, r->edge_count, true) || !is_state(r->triangle_state, r->triangle_count, false) || !fill(r, pool))
        return false;
    return true;
}
