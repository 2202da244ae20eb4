// SPDX-License-Identifier: MIT
#include "boundary/curvature.h"
#include "base/eigen.h"

#include <stdlib.h>
#include <string.h>

// Quadrature points per spacing.
static const double FINENESS = 4;
// One in so many of them is asked for e, which varies less than what it is made of.
enum { STRIDE = 4 };
// Factors outside mean that the shape is not resolved at all.
static const double LEAST = 0.3, MOST = 3.0;

enum { TABLE = 256, FINE_TABLE = 4096 };

// Radial functions of the kernel, at r = k h / TABLE.
typedef struct Radial {
    double h;
    double mass[TABLE + 1];      // M(r)
    double smooth[TABLE + 1];    // k(r) without its singular part: -int_r^h M / (S_d s^(d-1)) ds
    double leak[FINE_TABLE + 1]; // k(r), softened; at r = k h / FINE_TABLE
} Radial;

typedef struct Point {
    Vec3d position;
    Vec3d area; // [m^(d-1)] times the outward normal; of a sample: its number in x
    int32_t cell[3];
} Point;

// Points hashed by cells of the size of the support.
typedef struct Bins {
    Point* point;
    size_t count, capacity;
    uint32_t* start; // (buckets + 1)
    uint32_t mask;
    double size; // [m]
} Bins;

// --- bins

static uint32_t bucket_of(const Bins* bins, int32_t x, int32_t y, int32_t z)
{
    uint32_t h = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
    return (h ^ h >> 15) & bins->mask;
}

// A solid may have been put so far away that its cells have no numbers: those share the last one.
static int32_t cell_along(const Bins* bins, double x)
{
    return (int32_t)floor(fmin(fmax(x / bins->size, -1e9), 1e9));
}

static bool add_point(Bins* bins, Vec3d position, Vec3d area)
{
    if (!memory_reserve(NULL, &bins->point, &bins->capacity, bins->count, bins->count + 1, sizeof *bins->point))
        return false;
    bins->point[bins->count++] =
        (Point){.position = position,
                .area = area,
                .cell = {cell_along(bins, position.x), cell_along(bins, position.y), cell_along(bins, position.z)}};
    return true;
}

static bool sort_points(Bins* bins)
{
    size_t buckets = 64;
    while (buckets < bins->count / 8)
        buckets *= 2;
    bins->mask = (uint32_t)buckets - 1;
    bins->start = calloc(buckets + 2, sizeof *bins->start);
    Point* sorted = memory_take(NULL, (bins->count + 1) * sizeof *sorted);
    if (!bins->start || !sorted) {
        memory_give(NULL, sorted);
        return false;
    }
    for (size_t k = 0; k < bins->count; k++)
        bins->start[bucket_of(bins, bins->point[k].cell[0], bins->point[k].cell[1], bins->point[k].cell[2]) + 2]++;
    for (size_t b = 0; b < buckets; b++)
        bins->start[b + 2] += bins->start[b + 1];
    for (size_t k = 0; k < bins->count; k++)
        sorted[bins->start[bucket_of(bins, bins->point[k].cell[0], bins->point[k].cell[1], bins->point[k].cell[2]) + 1]++] =
            bins->point[k];
    memory_give(NULL, bins->point);
    bins->point = sorted;
    bins->capacity = bins->count + 1;
    return true;
}

static void free_bins(Bins* bins)
{
    memory_give(NULL, bins->point);
    free(bins->start);
}

typedef struct Fit {
    const CurvatureDef* def;
    Radial radial;
    double lattice; // [1/m^d] sum of W over a plane lattice
    double soft;    // [m] the singularity of k is softened by this much
    Bins surface, layer;
    double* weight;     // (samples, in the order of the bins, as all that follows) [1] w_b
    double* reach;      // [m^d] V_b g_b
    double* share;      // [m^d] e_b A_b
    uint32_t* owner;    // (surface points) nearest sample
    uint8_t* chosen;    // (surface points) asked for e
    double* leak;       // (surface points) [m] e
    uint8_t* asked;     // (samples)
    double *part, *sum; // (samples) scratch
} Fit;

// Calls `visit` for all points nearer to y than the support.
typedef void VisitFn(void* context, const Point* point, size_t number, Vec3d away, double r);

static void visit_near(const Bins* bins, Vec3d y, VisitFn* visit, void* context)
{
    int32_t c[3] = {cell_along(bins, y.x), cell_along(bins, y.y), cell_along(bins, y.z)};
    for (int k = 0; k < 27; k++) {
        int32_t cell[3] = {c[0] + k % 3 - 1, c[1] + k / 3 % 3 - 1, c[2] + k / 9 - 1};
        uint32_t b = bucket_of(bins, cell[0], cell[1], cell[2]);
        for (uint32_t i = bins->start[b]; i < bins->start[b + 1]; i++) {
            if (memcmp(bins->point[i].cell, cell, sizeof cell))
                continue;
            Vec3d away = vec3d_sub(bins->point[i].position, y);
            double r = vec3d_length(away);
            if (r < bins->size)
                visit(context, &bins->point[i], i, away, r);
        }
    }
}

// --- radial functions

static double sphere_area(int dimension)
{
    return dimension == 3 ? 4 * M_PI : 2 * M_PI;
}

static void make_radial(const Kernel* kernel, Radial* out)
{
    int d = kernel->dimension;
    double step = (double)kernel->h / TABLE, full;
    out->h = (double)kernel->h;
    out->mass[0] = 0;
    for (int k = 0; k < TABLE; k++) {
        double s = (k + 0.5) * step;
        out->mass[k + 1] = out->mass[k] + sphere_area(d) * kernel_w(kernel, s) * (d == 3 ? s * s : s) * step;
    }
    full = out->mass[TABLE]; // 1 up to the error of the rule
    for (int k = 0; k <= TABLE; k++)
        out->mass[k] /= full;
    out->smooth[TABLE] = 0;
    for (int k = TABLE - 1; k >= 0; k--) {
        double s = (k + 0.5) * step, m = 0.5 * (out->mass[k] + out->mass[k + 1]);
        out->smooth[k] = out->smooth[k + 1] - m / (sphere_area(d) * (d == 3 ? s * s : s)) * step;
    }
}

static double look_up(const double table[], int size, double q)
{
    int k = (int)(q * size);
    k = k < size ? k : size - 1;
    double t = q * size - k;
    return table[k] + t * (table[k + 1] - table[k]);
}

// Potential of a point, d = 3: -1 / (4 pi r), d = 2: ln r / (2 pi).
static double potential(int dimension, double r)
{
    return dimension == 3 ? -1 / (4 * M_PI * r) : log(r) / (2 * M_PI);
}

static void make_leak(int dimension, double soft, Radial* radial)
{
    double h = radial->h;
    for (int k = 0; k <= FINE_TABLE; k++) {
        double q = (double)k / FINE_TABLE, r = q * h;
        radial->leak[k] =
            potential(dimension, h) - potential(dimension, sqrt(r * r + soft * soft)) + look_up(radial->smooth, TABLE, q);
    }
}

// --- the surface as points

// Long thin triangles: halves of halves, across the longest side, until that is short.
static bool add_sliver(Bins* bins, Vec3d a, Vec3d b, Vec3d c, double size)
{
    double ab = vec3d_distance(a, b), bc = vec3d_distance(b, c), ca = vec3d_distance(c, a);
    double longest = fmax(ab, fmax(bc, ca));
    Vec3d area = vec3d_scale(vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a)), 0.5);
    if (longest <= size || (longest <= 2 * size && vec3d_length(area) < 0.2 * size * size))
        return add_point(bins, vec3d_scale(vec3d_add(a, vec3d_add(b, c)), 1.0 / 3), area);
    if (bc > ab && bc >= ca)
        return add_sliver(bins, b, c, a, size);
    if (ca > ab)
        return add_sliver(bins, c, a, b, size);
    Vec3d m = vec3d_lerp(a, b, 0.5);
    return add_sliver(bins, a, m, c, size) && add_sliver(bins, m, b, c, size);
}

static bool add_triangle(Bins* bins, Vec3d a, Vec3d b, Vec3d c, double size)
{
    double ab = vec3d_distance(a, b), bc = vec3d_distance(b, c), ca = vec3d_distance(c, a), longest = fmax(ab, fmax(bc, ca));
    if (ab < longest) // turned so that ab is the longest
        return bc < longest ? add_triangle(bins, c, a, b, size) : add_triangle(bins, b, c, a, size);
    double twice = vec3d_length(vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a)));
    if (!(twice > 0))
        return true;
    if (longest > size && twice < 0.4 * longest * longest) { // equal parts of a slender triangle would be far too many
        Vec3d middle = vec3d_scale(vec3d_add(a, b), 0.5);
        return add_triangle(bins, a, middle, c, size) && add_triangle(bins, middle, b, c, size);
    }
    int n = (int)fmin(fmax(1, ceil(longest / size)), 2000);
    Vec3d area = vec3d_scale(vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a)), 0.5 / ((double)n * n));
    if (n > 1 && vec3d_length(area) < 0.05 * size * size)
        return add_sliver(bins, a, b, c, size);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * (n - i) - 1; j++) { // small triangles, upright and upside down
            double u = (i + (j % 2 ? 2.0 / 3 : 1.0 / 3)) / n, v = (j / 2 + (j % 2 ? 2.0 / 3 : 1.0 / 3)) / n;
            Vec3d p = vec3d_mad(vec3d_mad(a, u, vec3d_sub(b, a)), v, vec3d_sub(c, a));
            if (!add_point(bins, p, area))
                return false;
        }
    return true;
}

static bool add_segment(Bins* bins, Vec3d a, Vec3d b, double size)
{
    Vec3d along = vec3d_sub(b, a);
    int n = (int)fmin(fmax(1, ceil(vec3d_length(along) / size)), 1e6);
    Vec3d area = vec3d_scale(vec3d(along.y, -along.x, 0), 1.0 / n); // the solid is on the left of a -> b
    for (int k = 0; k < n; k++)
        if (!add_point(bins, vec3d_mad(a, (k + 0.5) / n, along), area))
            return false;
    return true;
}

static bool add_surface(Bins* bins, const TriMesh* mesh, double size)
{
    bool ok = true;
    for (size_t k = 0; k < mesh->triangle_count && ok; k++)
        ok = add_triangle(bins, mesh->vertex[mesh->triangle[k][0]], mesh->vertex[mesh->triangle[k][1]],
                          mesh->vertex[mesh->triangle[k][2]], size);
    for (size_t k = 0; k < mesh->segment_count && ok && !mesh->triangle_count; k++)
        ok = add_segment(bins, mesh->vertex[mesh->segment[k][0]], mesh->vertex[mesh->segment[k][1]], size);
    return ok && sort_points(bins);
}

// --- the integrals

typedef struct Sum {
    const Fit* fit;
    Vec3d normal;
    double value;
    double nearest;
    uint32_t owner;
} Sum;

static void add_weight(void* context, const Point* point, size_t number, Vec3d away, double r)
{
    Sum* sum = context;
    sum->value += sum->fit->weight[number] * kernel_w(sum->fit->def->kernel, r);
}

static void add_reach(void* context, const Point* point, size_t number, Vec3d away, double r)
{
    Sum* sum = context;
    int d = sum->fit->def->kernel->dimension;
    double m = look_up(sum->fit->radial.mass, TABLE, r / sum->fit->radial.h), power = d == 3 ? r * r * r : r * r;
    sum->value += (1 - m) / (sphere_area(d) * power) * vec3d_dot(away, point->area);
}

static void add_leak(void* context, const Point* point, size_t number, Vec3d away, double r)
{
    Sum* sum = context;
    double k = look_up(sum->fit->radial.leak, FINE_TABLE, r / sum->fit->radial.h);
    sum->value += k * vec3d_dot(sum->normal, point->area);
}

// The surface within reach of a point: which ways it faces.
typedef struct Sides {
    Vec3d normal;        // [m^(d-1)] sum of areas times normals
    double area;         // [m^(d-1)]
    double spread[3][3]; // [m^(d-1)] sum of areas times n n^T
} Sides;

static void add_sides(void* context, const Point* point, size_t number, Vec3d away, double r)
{
    Sides* sides = context;
    double area = vec3d_length(point->area), n[3] = {point->area.x, point->area.y, point->area.z};
    sides->normal = vec3d_add(sides->normal, point->area);
    sides->area += area;
    for (int a = 0; a < 3 && area > 0; a++)
        for (int b = 0; b < 3; b++)
            sides->spread[a][b] += n[a] * n[b] / area;
}

// Share of the surface that faces one way or against it: 1 for a plate, 1/2 for a rod, 1/3 for a ball.
static double plateness(const Sides* sides)
{
    double spread[3][3], turned[3][3];
    memcpy(spread, sides->spread, sizeof spread);
    eigen_symmetric(spread, turned);
    return sides->area > 0 ? fmax(spread[0][0], fmax(spread[1][1], spread[2][2])) / sides->area : 0;
}

// Least factor where the shape is so thin that both its sides are near: what it displaces is less than a layer of particles, and
// fluid would be pressed through it. Faces at right angles, as at edges and corners of boxes, do not count. Of rigid bodies only
// plates and hulls are walls between two sides of the fluid; rods and pebbles may displace as little as they are.
static double least_factor(const Fit* fit, Vec3d x, bool is_skin)
{
    Sides sides = {0};
    visit_near(&fit->surface, x, add_sides, &sides);
    double alike = sides.area > 0 ? vec3d_length(sides.normal) / sides.area : 1;
    double wall = is_skin ? 1 : fmin(fmax((plateness(&sides) - 0.6) / 0.2, 0), 1);
    return fmin(fmax(wall * (0.65 - alike) / 0.15, LEAST), 1);
}

static void find_nearest(void* context, const Point* point, size_t number, Vec3d away, double r)
{
    Sum* sum = context;
    if (r < sum->nearest) {
        sum->nearest = r;
        sum->owner = (uint32_t)number;
    }
}

static void owner_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fit* fit = context;
    for (size_t k = begin; k < end; k++) {
        Sum sum = {.fit = fit, .nearest = INFINITY, .owner = UINT32_MAX};
        visit_near(&fit->layer, fit->surface.point[k].position, find_nearest, &sum);
        fit->owner[k] = sum.owner;
    }
}

// Samples that lie closer than a lattice count for less; `sum` is scratch.
static void weigh_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fit* fit = context;
    for (size_t k = begin; k < end; k++) {
        Sum weight = {.fit = fit};
        visit_near(&fit->layer, fit->layer.point[k].position, add_weight, &weight);
        fit->sum[k] = fmin(1, fit->lattice / weight.value);
    }
}

static void sample_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fit* fit = context;
    for (size_t k = begin; k < end; k++) {
        Vec3d x = fit->layer.point[k].position;
        Sum weight = {.fit = fit}, reach = {.fit = fit};
        visit_near(&fit->layer, x, add_weight, &weight);
        visit_near(&fit->surface, x, add_reach, &reach);
        fit->reach[k] = fmax(reach.value, 0) * fit->weight[k] / weight.value;
    }
}

// e at the surface points that were chosen
static void leak_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fit* fit = context;
    for (size_t k = begin; k < end; k++) {
        const Point* p = &fit->surface.point[k];
        if (!fit->chosen[k])
            continue;
        Sum leak = {.fit = fit, .normal = vec3d_normalise(p->area)};
        visit_near(&fit->surface, p->position, add_leak, &leak);
        fit->leak[k] = leak.value + fit->soft / 2; // which is what softening takes from a plane
    }
}

// Every sample asks at least one of its points.
static void choose_points(Fit* fit)
{
    memset(fit->asked, 0, fit->layer.count);
    for (size_t k = 0; k < fit->surface.count; k++) {
        uint32_t owner = fit->owner[k];
        fit->chosen[k] = owner != UINT32_MAX && (k % STRIDE == 0 || !fit->asked[owner]);
        if (fit->chosen[k])
            fit->asked[owner] = 1;
    }
}

// share_b = (mean of e over the sample's chosen points) times all of its area
static void add_shares(Fit* fit)
{
    size_t n = fit->layer.count;
    double *all = fit->share, *part = fit->part, *sum = fit->sum;
    memset(all, 0, n * sizeof *all);
    memset(part, 0, n * sizeof *part);
    memset(sum, 0, n * sizeof *sum);
    for (size_t k = 0; k < fit->surface.count; k++) {
        uint32_t owner = fit->owner[k];
        if (owner == UINT32_MAX)
            continue;
        double area = vec3d_length(fit->surface.point[k].area);
        all[owner] += area;
        if (fit->chosen[k]) {
            part[owner] += area;
            sum[owner] += area * fit->leak[k];
        }
    }
    for (size_t k = 0; k < n; k++)
        fit->share[k] = part[k] > 0 ? all[k] * sum[k] / part[k] : 0;
}

static void add_smoothed(void* context, const Point* point, size_t number, Vec3d away, double r)
{
    Sum* sum = context;
    double w = kernel_w(sum->fit->def->kernel, r);
    sum->value += w * sum->fit->share[number];
    sum->nearest += w * sum->fit->reach[number];
}

// --- all together

static double lattice_sum(const Kernel* kernel, double spacing)
{
    int n = (int)ceil((double)kernel->h / spacing), m = kernel->dimension == 3 ? n : 0;
    double sum = 0;
    for (int j = -m; j <= m; j++)
        for (int i = -n; i <= n; i++)
            sum += kernel_w(kernel, spacing * sqrt((double)(i * i + j * j)));
    return sum;
}

static bool fit_create(Fit* fit, const SurfaceSamples* samples)
{
    const CurvatureDef* def = fit->def;
    size_t n = samples->count;
    make_radial(def->kernel, &fit->radial);
    fit->surface.size = fit->layer.size = fit->radial.h;
    fit->soft = def->spacing / FINENESS;
    make_leak(def->kernel->dimension, fit->soft, &fit->radial);
    fit->lattice = lattice_sum(def->kernel, def->spacing);
    for (size_t k = 0; k < n; k++) {
        Vec3 p = samples->position[k];
        if (!add_point(&fit->layer, vec3d((double)p.x, (double)p.y, (double)p.z), vec3d((double)k, 0, 0)))
            return false;
    }
    if (!sort_points(&fit->layer) || !add_surface(&fit->surface, def->mesh, def->spacing / FINENESS))
        return false;
    fit->weight = memory_take(NULL, n * sizeof *fit->weight);
    fit->reach = memory_take(NULL, n * sizeof *fit->reach);
    fit->share = memory_take(NULL, n * sizeof *fit->share);
    fit->owner = memory_take(NULL, (fit->surface.count + 1) * sizeof *fit->owner);
    fit->leak = memory_take(NULL, (fit->surface.count + 1) * sizeof *fit->leak);
    fit->chosen = memory_take(NULL, fit->surface.count + 1);
    fit->asked = memory_take(NULL, n);
    fit->part = memory_take(NULL, n * sizeof *fit->part);
    fit->sum = memory_take(NULL, n * sizeof *fit->sum);
    return fit->weight && fit->reach && fit->share && fit->owner && fit->leak && fit->chosen && fit->asked && fit->part && fit->sum;
}

static void fit_free(Fit* fit)
{
    void* arrays[] = {fit->weight, fit->reach, fit->share, fit->owner, fit->leak, fit->chosen, fit->asked, fit->part, fit->sum};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(NULL, arrays[k]);
    free_bins(&fit->surface);
    free_bins(&fit->layer);
}

bool curvature_factors(const CurvatureDef* def, const SurfaceSamples* samples, float* factor, float* weight)
{
    Fit fit = {.def = def};
    size_t n = samples->count;
    enum { GRAIN = 64 };
    bool ok = n == 0 || fit_create(&fit, samples);
    for (size_t k = 0; k < n && ok; k++)
        fit.weight[k] = 1;
    if (ok && n > 0 && weight) {
        parallel_for(def->pool, n, GRAIN, weigh_block, &fit);
        memcpy(fit.weight, fit.sum, n * sizeof *fit.sum);
    }
    for (size_t k = 0; k < n && ok && weight; k++)
        weight[(size_t)fit.layer.point[k].area.x] = (float)fit.weight[k];
    if (ok && n > 0) {
        parallel_for(def->pool, n, GRAIN, sample_block, &fit);
        parallel_for(def->pool, fit.surface.count, GRAIN, owner_block, &fit);
        choose_points(&fit);
        parallel_for(def->pool, fit.surface.count, GRAIN, leak_block, &fit);
        add_shares(&fit);
    }
    // means over the support: a sample's own piece of the surface depends on how its neighbours happen to lie
    for (size_t k = 0; k < n && ok; k++) {
        Sum sum = {.fit = &fit};
        visit_near(&fit.layer, fit.layer.point[k].position, add_smoothed, &sum);
        double c = sum.nearest > 0 ? sum.value / sum.nearest : 1;
        double least = least_factor(&fit, fit.layer.point[k].position, weight != NULL);
        factor[(size_t)fit.layer.point[k].area.x] = (float)fmin(fmax(c, least), MOST);
    }
    fit_free(&fit);
    return ok;
}
