// SPDX-License-Identifier: MIT
// Places for particles inside of triangles: scan lines (Akinci 2013, section 2.4).
//   lines parallel to the shortest edge e_s, n_t = ceil(h_t / d) steps over the height h_t,
//   on each line n_s = ceil(|i_1 - i_2| / d) steps between its intersections i_1, i_2 with the border.
// Deviations: ceil instead of floor (see sample_parts_of); connected coplanar triangles are scanned as one polygon
// along its longest border edge, so that a rectangle gets a square lattice whatever its triangulation.
#include "boundary/sample_parts.h"

#include <stdlib.h>
#include <string.h>

// A region in its own plane: s along the scan lines, t across them.
typedef struct ScanFrame {
    Vec3d origin, along, across;
    double t0, step; // line k is at t0 + k step
    double per_step; // 1 / step
    size_t lines;    // lines 1 .. lines - 1 carry particles
} ScanFrame;

// The border of a region as pairs of vertices, and where it cuts the scan lines: pairs of s on line k at
// cut[first[k]] .. cut[first[k + 1]].
typedef struct ScanBorder {
    size_t count, capacity, first_capacity, cut_capacity;
    uint32_t (*edge)[2];
    size_t* first;
    double* cut;
} ScanBorder;

typedef struct Scan {
    const SampleSurface* surface;
    SampleCandidates* candidates;
    Memory* memory;
    ScanBorder border;
} Scan;

typedef struct ScanPoint {
    double s, t;
} ScanPoint;

static ScanPoint frame_point(const ScanFrame* f, Vec3d x)
{
    Vec3d r = vec3d_sub(x, f->origin);
    return (ScanPoint){vec3d_dot(f->along, r), vec3d_dot(f->across, r)};
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

// the lines that something between t = low and high can cut: begin .. end - 1; rather one too many
static void lines_between(const ScanFrame* f, double low, double high, size_t* begin, size_t* end)
{
    double b = ceil((low - f->t0) * f->per_step - 1e-6), e = floor((high - f->t0) * f->per_step + 1e-6) + 1;
    *begin = (size_t)least(most(b, 1), (double)f->lines);
    *end = (size_t)least(most(e, 1), (double)f->lines);
}

// Does edge (a, b) cut the line at t, and where? Half-open, and with the end points in a fixed order (`swap` them if
// the second vertex has the lower number): both triangles of an edge, and the border of the region, agree to the last bit.
static bool edge_cuts(ScanPoint a, ScanPoint b, bool swap, double t, double* s)
{
    if ((a.t <= t) == (b.t <= t))
        return false;
    *s = swap ? b.s + (t - b.t) / (a.t - b.t) * (a.s - b.s) : a.s + (t - a.t) / (b.t - a.t) * (b.s - a.s);
    return true;
}

static Vec3d edge_vector(const SampleSurface* s, uint32_t t, int k)
{
    const uint32_t* v = s->mesh->triangle[t];
    return vec3d_sub(s->x[v[(k + 1) % 3]], s->x[v[k]]);
}

static bool scan_border(Scan* scan, const uint32_t* triangles, size_t count)
{
    const SampleSurface* s = scan->surface;
    ScanBorder* border = &scan->border;
    border->count = 0;
    if (!memory_reserve(scan->memory, &border->edge, &border->capacity, 0, 3 * count, sizeof *border->edge))
        return false;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            if (s->edge[s->triangle_edge[triangles[i]][k]].kind == SAMPLE_EDGE_FLAT)
                continue;
            uint32_t* edge = border->edge[border->count++];
            edge[0] = s->mesh->triangle[triangles[i]][k];
            edge[1] = s->mesh->triangle[triangles[i]][(k + 1) % 3];
        }
    return true;
}

// one triangle: its shortest edge, as in the paper; several: the longest edge of their border
static Vec3d scan_direction(const Scan* scan, bool alone)
{
    Vec3d best = {1, 0, 0};
    double best_length = alone ? INFINITY : 0;
    for (size_t i = 0; i < scan->border.count; i++) {
        const uint32_t* edge = scan->border.edge[i];
        Vec3d e = vec3d_sub(scan->surface->x[edge[1]], scan->surface->x[edge[0]]);
        double length = vec3d_dot(e, e);
        // the margin keeps the choice the same when edges differ only by rounding
        if (alone ? length < best_length * 0.9999 : length > best_length * 1.0001) {
            best = e;
            best_length = length;
        }
    }
    return vec3d_normalise(best);
}

static ScanFrame scan_frame(const Scan* scan, uint32_t triangle, bool alone)
{
    const SampleSurface* s = scan->surface;
    Vec3 n = s->triangle_normal[triangle];
    ScanFrame f = {.origin = s->x[s->mesh->triangle[triangle][0]], .along = scan_direction(scan, alone)};
    f.across = vec3d_cross(vec3d(n.x, n.y, n.z), f.along);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < scan->border.count; i++) {
        double t = frame_point(&f, s->x[scan->border.edge[i][0]]).t;
        low = least(low, t);
        high = most(high, t);
    }
    double parts = least(sample_parts_of(high - low, SAMPLE_PART_ALONE), SURFACE_SAMPLE_LIMIT);
    f.t0 = low;
    f.step = (high - low) / parts;
    f.per_step = 1 / f.step;
    f.lines = (size_t)parts;
    return f;
}

// For each border edge and line it cuts: counts (cut NULL) or stores.
static void border_cuts(const Scan* scan, const ScanFrame* f, size_t* at, double* cut)
{
    for (size_t i = 0; i < scan->border.count; i++) {
        uint32_t a = scan->border.edge[i][0], b = scan->border.edge[i][1];
        ScanPoint pa = frame_point(f, scan->surface->x[a]), pb = frame_point(f, scan->surface->x[b]);
        double where;
        size_t begin, end;
        lines_between(f, least(pa.t, pb.t), most(pa.t, pb.t), &begin, &end);
        for (size_t line = begin; line < end; line++) {
            if (!edge_cuts(pa, pb, a > b, f->t0 + (double)line * f->step, &where))
                continue;
            if (cut)
                cut[at[line]] = where;
            at[line]++;
        }
    }
}

static int compare_cuts(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// most lines have two cuts
static void sort_cuts(double* cut, size_t count)
{
    if (count > 2)
        qsort(cut, count, sizeof *cut, compare_cuts);
    else if (count == 2 && cut[0] > cut[1]) {
        double low = cut[1];
        cut[1] = cut[0];
        cut[0] = low;
    }
}

static bool scan_cuts(Scan* scan, const ScanFrame* f)
{
    ScanBorder* c = &scan->border;
    if (!memory_reserve(scan->memory, &c->first, &c->first_capacity, 0, f->lines + 2, sizeof *c->first))
        return false;
    memset(c->first, 0, (f->lines + 2) * sizeof *c->first);

    // count, then sum up so that first[line] is where its cuts go, then store: afterwards first[line] is their end
    border_cuts(scan, f, c->first + 1, NULL);
    size_t total = 0;
    for (size_t line = 0; line <= f->lines; line++) {
        size_t n = c->first[line + 1];
        c->first[line + 1] = total;
        total += n;
    }
    if (!memory_reserve(scan->memory, &c->cut, &c->cut_capacity, 0, total, sizeof *c->cut))
        return false;
    border_cuts(scan, f, c->first + 1, c->cut);
    for (size_t line = 0; line < f->lines; line++)
        sort_cuts(c->cut + c->first[line], c->first[line + 1] - c->first[line]);
    return true;
}

// particles between the cuts (a, b) of a line, as far as they lie in [low, high) of triangle `t` with the corners p
static bool scan_push(Scan* scan, const ScanFrame* f, uint32_t t, const ScanPoint* p, double line_t, double a, double b, double low,
                      double high)
{
    double parts = sample_parts_of(b - a, SAMPLE_PART_ALONE), step = (b - a) / parts;
    double s1 = p[1].s - p[0].s, s2 = p[2].s - p[0].s, t1 = p[1].t - p[0].t, t2 = p[2].t - p[0].t;
    double inverse = 1 / (s1 * t2 - s2 * t1), across = line_t - p[0].t;
    for (double j = most(1, floor((low - a) / step)); j < parts; j++) {
        double s = a + j * step, along = s - p[0].s;
        if (s >= high)
            break;
        if (s < low)
            continue;
        double w1 = (along * t2 - s2 * across) * inverse, w2 = (s1 * across - along * t1) * inverse;
        Vec3d x = vec3d_mad(vec3d_mad(f->origin, s, f->along), line_t, f->across);
        SampleCandidate c = sample_candidate(x, t, scan->surface->triangle_normal[t], w1, w2);
        if (!sample_candidates_push(scan->candidates, scan->memory, c))
            return false;
    }
    return true;
}

// the first pair of cuts of a line that ends beyond s
static size_t first_pair_beyond(const ScanBorder* c, size_t line, double s)
{
    size_t low = 0, high = (c->first[line + 1] - c->first[line]) / 2;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c->cut[c->first[line] + 2 * middle + 1] > s)
            high = middle;
        else
            low = middle + 1;
    }
    return c->first[line] + 2 * low;
}

static bool scan_triangle(Scan* scan, const ScanFrame* f, uint32_t t, bool alone)
{
    const SampleSurface* surface = scan->surface;
    const uint32_t* v = surface->mesh->triangle[t];
    ScanPoint p[3] = {frame_point(f, surface->x[v[0]]), frame_point(f, surface->x[v[1]]), frame_point(f, surface->x[v[2]])};
    size_t begin, end;
    lines_between(f, least(p[0].t, least(p[1].t, p[2].t)), most(p[0].t, most(p[1].t, p[2].t)), &begin, &end);
    for (size_t line = begin; line < end; line++) {
        double cut[3], line_t = f->t0 + (double)line * f->step;
        int cuts = 0;
        for (int k = 0; k < 3; k++)
            cuts += edge_cuts(p[k], p[(k + 1) % 3], v[k] > v[(k + 1) % 3], line_t, &cut[cuts]);
        if (cuts != 2)
            continue;
        double low = least(cut[0], cut[1]), high = most(cut[0], cut[1]);
        if (alone) {
            if (!scan_push(scan, f, t, p, line_t, low, high, low, high))
                return false;
            continue;
        }
        const ScanBorder* c = &scan->border;
        for (size_t i = first_pair_beyond(c, line, low); i + 1 < c->first[line + 1] && c->cut[i] < high; i += 2)
            if (!scan_push(scan, f, t, p, line_t, c->cut[i], c->cut[i + 1], low, high))
                return false;
    }
    return true;
}

static bool scan_region(Scan* scan, const uint32_t* triangles, size_t count)
{
    if (!scan_border(scan, triangles, count))
        return false;
    ScanFrame f = scan_frame(scan, triangles[0], count == 1);
    if (f.lines < 2)
        return true;
    if (count > 1 && !scan_cuts(scan, &f))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!scan_triangle(scan, &f, triangles[i], count == 1))
            return false;
    return true;
}

// The longest line of a triangle alone is the first one off its shortest edge: does a particle fit between its ends?
static bool too_small_to_scan(const SampleSurface* s, uint32_t t)
{
    const double limit = SAMPLE_PART_ALONE * SAMPLE_SPACING;
    Vec3d a = edge_vector(s, t, 0), b = edge_vector(s, t, 1), c = edge_vector(s, t, 2), n = vec3d_cross(a, b);
    double shortest = least(vec3d_dot(a, a), least(vec3d_dot(b, b), vec3d_dot(c, c)));
    if (shortest <= limit * limit)
        return true;
    shortest = sqrt(shortest);
    double lines = sample_parts_of(vec3d_length(n) / shortest, SAMPLE_PART_ALONE);
    return shortest * (1 - 1 / lines) <= limit;
}

bool sample_scan_regions(const SampleSurface* surface, SampleCandidates* candidates, Memory* memory)
{
    Scan scan = {.surface = surface, .candidates = candidates, .memory = memory};
    bool ok = true;
    for (size_t r = 0; r < surface->region_count && ok; r++) {
        const uint32_t* triangles = surface->region_triangle + surface->region_begin[r];
        size_t count = surface->region_begin[r + 1] - surface->region_begin[r];
        if (count > 1 || !too_small_to_scan(surface, triangles[0]))
            ok = scan_region(&scan, triangles, count);
    }
    memory_give(memory, scan.border.edge);
    memory_give(memory, scan.border.first);
    memory_give(memory, scan.border.cut);
    return ok;
}
