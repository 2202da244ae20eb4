// SPDX-License-Identifier: MIT
// Boundary particles on a triangle mesh, after Akinci 2013, section 2.4: particles at vertices, along edges in n_e parts, and
// on scan lines parallel to the shortest edge inside of triangles, such that everywhere on the surface
//   3.6 / h^3 < delta = sum_k W(x - x_k, h) < 10 / h^3                                              (Akinci 2013, section 2.3)
// with the cubic spline, h = 2 d, particle spacing d.
//
// Deviation: the paper keeps every vertex, edge and interior particle. That over-samples meshes finer than the spacing,
// skinny triangles and the diagonals of flat faces. Here they are candidates, tried in that order, and a candidate is taken
// only where the particles taken so far leave delta too low; in a second round whatever is still below the bound is filled.
// A square lattice of spacing d has delta = 5.6 / h^3 = 2.2 W(0), of which a particle itself contributes 1 W(0): the
// thresholds below are in units of W(0) = 8 / (pi h^3), and the bounds are 1.41 and 3.93.
//
// Offset: the particles of a wall stand off from the fluid's by about one spacing, half of which is the fluid particle's own
// radius. Sampling the surface moved by half a spacing away from the fluid makes the water stop at the visible surface. The
// mesh's vertices are moved, not the particles: edges and corners are mitred, and nothing gapes or overlaps there.
#include "boundary/sample.h"
#include "boundary/sample_parts.h"

// a candidate is taken where the sum is below
static const float LINE_FIRST = 0.35f;                    // ends of lines: the next one is at least 0.9 d away
static const float LINE_BETWEEN = 0.9f;                   // between them: a gap of 1.4 d is closed
static const float SMOOTH_FIRST = 0.6f;                   // vertices of curved surfaces: as in the corner of a growing lattice
static const float SURFACE_REST = 1.1f;                   // edges and scan lines
static const float HOLE_DEEPEST = 0.7f, HOLE_LAST = 1.8f; // 4.6 / h^3: leaves a margin for the places between candidates
static const float HOLE_ON_CREASE = 1.5f;                 // the middle of a lone line of particles has just this
static const float MEND_APART = 0.05f;                    // [h]
static const double CENTRE_LEAST = 0.75, CENTRE_MOST = 4; // [d^2] area of triangles whose centre is a candidate
static const double FARTHEST = 1e12;                      // [h] a mesh larger than that means a mistake in the spacing
enum { HOLE_STEPS = 6 };

typedef struct Sampler {
    SampleSurface surface;
    SampleSurface lines; // the segments as edges; shares x with the surface
    SampleCreases creases, chains;
    SampleCandidates candidates;
    SampleThin thin;
    Vec3d corner; // [m] of the bounding box
    double h;     // [m]
    SurfaceSamples* samples;
    Memory* memory;
} Sampler;

void surface_samples_free(SurfaceSamples* samples, Memory* memory)
{
    memory_give(memory, samples->position);
    memory_give(memory, samples->normal);
    memory_give(memory, samples->anchor);
    *samples = (SurfaceSamples){0};
}

// what was in there is lost
static bool samples_reserve(SurfaceSamples* samples, size_t needed, Memory* memory)
{
    if (needed <= samples->capacity)
        return true;
    surface_samples_free(samples, memory);
    samples->position = memory_take(memory, needed * sizeof *samples->position);
    samples->normal = memory_take(memory, needed * sizeof *samples->normal);
    samples->anchor = memory_take(memory, needed * sizeof *samples->anchor);
    samples->capacity = needed;
    return samples->position && samples->normal && samples->anchor;
}

// --- the surface in units of h

static bool sampler_place(Sampler* s, const TriMesh* mesh, double offset)
{
    Vec3d* x = s->surface.x = memory_take(s->memory, mesh->vertex_count * sizeof *x);
    if (!x || !surface_offset(mesh, offset, x, s->memory))
        return false;
    Vec3d low = {INFINITY, INFINITY, INFINITY};
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (vec3d_finite(x[v]))
            low = vec3d_min(low, x[v]);
    s->corner = low;
    bool fits = true;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        bool finite = vec3d_finite(x[v]);
        x[v] = vec3d_scale(vec3d_sub(x[v], low), 1 / s->h);
        fits &= !finite || x[v].x + x[v].y + x[v].z < FARTHEST;
    }
    return fits;
}

static bool segment_usable(const Sampler* s, size_t i)
{
    const uint32_t* v = s->surface.mesh->segment[i];
    size_t n = s->surface.mesh->vertex_count;
    return v[0] < n && v[1] < n && v[0] != v[1] && vec3d_finite(s->surface.x[v[0]]) && vec3d_finite(s->surface.x[v[1]]);
}

// Segments are creases without triangles. Unusable ones stay in the list, so that an edge's number is the segment's.
static bool sampler_lines(Sampler* s)
{
    const TriMesh* mesh = s->surface.mesh;
    if (mesh->segment_count == 0)
        return true;
    s->lines = (SampleSurface){.mesh = mesh, .x = s->surface.x, .edge_count = mesh->segment_count};
    s->lines.edge = memory_take(s->memory, mesh->segment_count * sizeof *s->lines.edge);
    if (!s->lines.edge)
        return false;
    for (size_t i = 0; i < mesh->segment_count; i++)
        s->lines.edge[i] = (SampleEdge){.a = mesh->segment[i][0],
                                        .b = mesh->segment[i][1],
                                        .triangle = {SAMPLE_NONE, SAMPLE_NONE},
                                        .kind = segment_usable(s, i) ? SAMPLE_EDGE_CREASE : SAMPLE_EDGE_FLAT};
    return sample_creases_build(&s->chains, &s->lines, s->memory);
}

// about how many candidates there will be, before memory is asked for them
static double sampler_estimate(const Sampler* s)
{
    const SampleSurface* f = &s->surface;
    double count = (double)f->mesh->vertex_count, d = SAMPLE_SPACING;
    for (size_t i = 0; i < f->edge_count; i++) {
        Vec3d e = vec3d_sub(f->x[f->edge[i].b], f->x[f->edge[i].a]);
        double squared = vec3d_dot(e, e);
        if (f->edge[i].kind != SAMPLE_EDGE_FLAT && squared > d * d)
            count += 2 * sqrt(squared) / d;
    }
    for (size_t i = 0; i < s->lines.edge_count; i++)
        if (s->lines.edge[i].kind == SAMPLE_EDGE_CREASE)
            count += 3 + vec3d_distance(f->x[s->lines.edge[i].a], f->x[s->lines.edge[i].b]) / d;
    for (uint32_t k = 0; k < f->region_begin[f->region_count]; k++) {
        const uint32_t* v = f->mesh->triangle[f->region_triangle[k]];
        Vec3d n = vec3d_cross(vec3d_sub(f->x[v[1]], f->x[v[0]]), vec3d_sub(f->x[v[2]], f->x[v[0]]));
        double squared = vec3d_dot(n, n);
        count += squared > d * d * d * d ? sqrt(squared) / (2 * d * d) : 0.5;
    }
    return count;
}

// --- candidates

bool sample_candidates_push(SampleCandidates* c, Memory* memory, SampleCandidate candidate)
{
    if (c->count == c->capacity && (c->count >= SURFACE_SAMPLE_LIMIT ||
                                    !memory_reserve(memory, &c->item, &c->capacity, c->count, c->count + 1024, sizeof *c->item)))
        return false;
    c->item[c->count++] = candidate;
    return true;
}

static bool push(Sampler* s, SampleCandidate candidate)
{
    return sample_candidates_push(&s->candidates, s->memory, candidate);
}

static bool push_smooth_vertices(Sampler* s)
{
    const SampleSurface* f = &s->surface;
    for (uint32_t v = 0; v < f->mesh->vertex_count; v++)
        if (f->vertex_triangle[v] != SAMPLE_NONE && f->vertex_kind[v] == SAMPLE_EDGE_SMOOTH &&
            !push(s, sample_candidate(f->x[v], v, f->vertex_normal[v], 0, 0)))
            return false;
    return true;
}

static bool push_between(Sampler* s, Vec3d from, Vec3d to, uint32_t feature, Vec3 normal, double parts)
{
    for (double j = 1; j < parts; j++)
        if (!push(s, sample_candidate(vec3d_lerp(from, to, j / parts), feature, normal, j / parts, 0)))
            return false;
    return true;
}

static bool push_smooth_edges(Sampler* s)
{
    const SampleSurface* f = &s->surface;
    double shortest = SAMPLE_SPACING * SAMPLE_PART_SMOOTH;
    for (uint32_t i = 0; i < f->edge_count; i++) {
        const SampleEdge* e = &f->edge[i];
        if (e->kind != SAMPLE_EDGE_SMOOTH)
            continue;
        Vec3d along = vec3d_sub(f->x[e->b], f->x[e->a]);
        double squared = vec3d_dot(along, along);
        if (squared < shortest * shortest)
            continue;
        double parts = sample_parts_of(sqrt(squared), SAMPLE_PART_SMOOTH);
        if (!push_between(s, f->x[e->a], f->x[e->b], i, sample_edge_normal(f, e), parts))
            return false;
    }
    return true;
}

// Between the edges of triangles of one to two spacings a hole may remain.
static bool push_centres(Sampler* s)
{
    const SampleSurface* f = &s->surface;
    double d2 = SAMPLE_SPACING * SAMPLE_SPACING, least = CENTRE_LEAST * 2 * d2, most = CENTRE_MOST * 2 * d2;
    for (size_t r = 0; r < f->region_count; r++) {
        if (f->region_begin[r + 1] - f->region_begin[r] > 1)
            continue;
        uint32_t t = f->region_triangle[f->region_begin[r]];
        const uint32_t* v = f->mesh->triangle[t];
        Vec3d a = f->x[v[0]], b = f->x[v[1]], c = f->x[v[2]], n = vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a));
        double squared = vec3d_dot(n, n);
        Vec3d centre = vec3d_scale(vec3d_add(a, vec3d_add(b, c)), 1.0 / 3);
        if (squared > least * least && squared < most * most &&
            !push(s, sample_candidate(centre, t, f->triangle_normal[t], 1.0 / 3, 1.0 / 3)))
            return false;
    }
    return true;
}

static bool push_class(Sampler* s, SampleClass class)
{
    switch (class) {
    case SAMPLE_LINE_END:
        return sample_creases_push_ends(&s->chains, &s->lines, &s->candidates, s->memory);
    case SAMPLE_LINE_EDGE:
        return sample_creases_push(&s->chains, &s->lines, false, &s->candidates, s->memory);
    case SAMPLE_CREASE_VERTEX:
        return sample_creases_push_corners(&s->creases, &s->surface, &s->candidates, s->memory);
    case SAMPLE_CREASE_EDGE:
        return sample_creases_push(&s->creases, &s->surface, false, &s->candidates, s->memory);
    case SAMPLE_SMOOTH_VERTEX:
        return push_smooth_vertices(s);
    case SAMPLE_SMOOTH_EDGE:
        return push_smooth_edges(s);
    case SAMPLE_SCAN:
        return sample_scan_regions(&s->surface, &s->candidates, s->memory);
    case SAMPLE_CENTRE:
        return push_centres(s);
    case SAMPLE_CREASE_HALF:
        return sample_creases_push(&s->creases, &s->surface, true, &s->candidates, s->memory);
    case SAMPLE_CLASSES:
        break;
    }
    return true;
}

static bool sampler_push(Sampler* s)
{
    SampleCandidates* c = &s->candidates;
    double expected = sampler_estimate(s);
    // a NaN is refused as well
    if (!(expected < SURFACE_SAMPLE_LIMIT) ||
        !memory_reserve(s->memory, &c->item, &c->capacity, 0, (size_t)(1.2 * expected) + 1024, sizeof *c->item))
        return false;
    for (int class = 0; class < SAMPLE_CLASSES; class ++) {
        c->begin[class] = c->count;
        if (!push_class(s, (SampleClass) class))
            return false;
    }
    c->begin[SAMPLE_CLASSES] = c->count;
    return true;
}

// --- what a candidate knows by its class

static SurfaceAnchor anchor_at_corners(const Sampler* s, uint32_t triangle, uint32_t a, uint32_t b, float share)
{
    SurfaceAnchor anchor = {triangle, {0, 0, 0}};
    const uint32_t* v = s->surface.mesh->triangle[triangle];
    for (int k = 0; k < 3; k++)
        anchor.weight[k] = v[k] == a ? 1 - share : v[k] == b ? share : 0;
    return anchor;
}

static SurfaceAnchor candidate_anchor(const Sampler* s, SampleClass class, const SampleCandidate* c)
{
    const SampleSurface* f = &s->surface;
    switch (class) {
    case SAMPLE_LINE_END:
    case SAMPLE_LINE_EDGE:
        return (SurfaceAnchor){(uint32_t)f->mesh->triangle_count + c->feature, {1 - c->a, c->a, 0}};
    case SAMPLE_CREASE_VERTEX:
    case SAMPLE_SMOOTH_VERTEX:
        return anchor_at_corners(s, f->vertex_triangle[c->feature], c->feature, SAMPLE_NONE, 0);
    case SAMPLE_CREASE_EDGE:
    case SAMPLE_SMOOTH_EDGE:
    case SAMPLE_CREASE_HALF:
        return anchor_at_corners(s, f->edge[c->feature].triangle[0], f->edge[c->feature].a, f->edge[c->feature].b, c->a);
    case SAMPLE_SCAN:
    case SAMPLE_CENTRE:
    case SAMPLE_CLASSES:
        break;
    }
    // rounding may leave a weight just below zero
    float w1 = fminf(fmaxf(c->a, 0), 1), w2 = fminf(fmaxf(c->b, 0), 1 - w1);
    return (SurfaceAnchor){c->feature, {1 - w1 - w2, w1, w2}};
}

// --- the choice

// Takes the candidates of a class at which the density is below.
static void sampler_take(Sampler* s, SampleClass class, float below)
{
    SampleThin* thin = &s->thin;
    for (size_t k = s->candidates.begin[class]; k < s->candidates.begin[class + 1]; k++) {
        uint32_t slot = thin->slot[k];
        if (thin->density[slot] < below && !thin->chosen[slot])
            sample_thin_add(thin, slot);
    }
}

// The tip of a needle sees little more than itself: it gets company where there is a place, nearest first.
static void sampler_mend(Sampler* s)
{
    SampleThin* thin = &s->thin;
    for (size_t k = s->candidates.begin[SAMPLE_CREASE_VERTEX]; k < s->candidates.begin[SAMPLE_CREASE_EDGE + 1]; k++) {
        uint32_t slot = thin->slot[k];
        while (thin->chosen[slot] && thin->density[slot] < HOLE_ON_CREASE) {
            uint32_t other = sample_thin_nearest(thin, slot, MEND_APART);
            if (other == SAMPLE_NONE)
                break;
            sample_thin_add(thin, other);
        }
    }
}

// Corners about one spacing apart, then what lies between them, then the corners that were too near to others.
static void sampler_take_lines(Sampler* s, SampleClass corners, SampleClass between)
{
    sampler_take(s, corners, LINE_FIRST);
    sampler_take(s, between, LINE_BETWEEN);
    sampler_take(s, corners, LINE_BETWEEN);
}

static void sampler_choose(Sampler* s)
{
    // creases and borders come first: they keep the shape
    sampler_take_lines(s, SAMPLE_LINE_END, SAMPLE_LINE_EDGE);
    sampler_take_lines(s, SAMPLE_CREASE_VERTEX, SAMPLE_CREASE_EDGE);
    // surfaces: loosely by vertices, then the regular rest
    sampler_take(s, SAMPLE_SMOOTH_VERTEX, SMOOTH_FIRST);
    sampler_take(s, SAMPLE_SMOOTH_EDGE, SURFACE_REST);
    sampler_take(s, SAMPLE_SCAN, SURFACE_REST);
    // fill what is left, the deepest holes first
    for (int step = 0; step < HOLE_STEPS; step++) {
        float below = HOLE_DEEPEST + (float)step * (HOLE_LAST - HOLE_DEEPEST) / (HOLE_STEPS - 1);
        for (int class = SAMPLE_CREASE_VERTEX; class <= SAMPLE_CENTRE; class ++)
            sampler_take(s, (SampleClass) class, below);
    }
    sampler_take(s, SAMPLE_CREASE_HALF, HOLE_ON_CREASE);
    sampler_mend(s);
}

static bool sampler_output(Sampler* s)
{
    const SampleThin* thin = &s->thin;
    SurfaceSamples* out = s->samples;
    size_t count = 0;
    for (size_t k = 0; k < s->candidates.count; k++)
        count += thin->chosen[thin->slot[k]];
    if (!samples_reserve(out, count, s->memory))
        return false;
    for (int class = 0; class < SAMPLE_CLASSES; class ++)
        for (size_t k = s->candidates.begin[class]; k < s->candidates.begin[class + 1]; k++)
            if (thin->chosen[thin->slot[k]]) {
                const SampleCandidate* c = &s->candidates.item[thin->order[k]];
                Vec3d x = vec3d_mad(s->corner, s->h, vec3d((double)c->x.x, (double)c->x.y, (double)c->x.z));
                out->position[out->count] = (Vec3){(float)x.x, (float)x.y, (float)x.z};
                out->normal[out->count] = c->normal;
                out->anchor[out->count++] = candidate_anchor(s, (SampleClass) class, c);
            }
    return true;
}

static bool sampler_run(Sampler* s, const TriMesh* mesh, double offset)
{
    if (!sampler_place(s, mesh, offset) || !sample_surface_build(&s->surface, mesh, s->memory) ||
        !sample_creases_build(&s->creases, &s->surface, s->memory) || !sampler_lines(s))
        return false;
    if (!sampler_push(s))
        return false;
    if (s->candidates.count == 0)
        return true;
    if (!sample_thin_build(&s->thin, &s->candidates, s->memory))
        return false;
    sampler_choose(s);
    return sampler_output(s);
}

bool surface_sample(const TriMesh* mesh, double spacing, double offset, SurfaceSamples* samples, Memory* memory)
{
    samples->count = 0;
    if (mesh->triangle_count == 0 && mesh->segment_count == 0)
        return true;
    if (!(spacing > 0) || mesh->vertex_count > UINT32_MAX / 4 || mesh->triangle_count > UINT32_MAX / 4)
        return false;
    Sampler s = {.h = 2 * spacing, .samples = samples, .memory = memory};
    bool ok = sampler_run(&s, mesh, offset);
    sample_thin_free(&s.thin, memory);
    memory_give(memory, s.candidates.item);
    sample_creases_free(&s.creases, memory);
    sample_creases_free(&s.chains, memory);
    memory_give(memory, s.lines.edge);
    sample_surface_free(&s.surface, memory);
    if (!ok)
        surface_samples_free(samples, memory);
    return ok;
}
