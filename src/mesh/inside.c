// SPDX-License-Identifier: MIT
// Inside or outside by winding number, in one of three ways, chosen by the mesh:
//
// 1. Closed and consistently oriented: the winding number is the signed number of crossings of a ray from the point in
//    direction +z. A triangle, seen along z, covers the point as often as its outline winds around it in the xy plane, which
//    in turn is a count of edges crossed by a ray in +x. An edge is evaluated from its lower to its upper end (in y) whichever
//    triangle asks, half open in y, so two triangles that share it get opposite contributions to the bit: rays through
//    edges and vertices are counted right, without any tolerance. Only the comparison of heights along z rounds, and that
//    matters on the surface only.
// 2. Closed but with triangles turned the wrong way: the same crossings, odd or even.
// 3. Open: the generalised winding number (Jacobson 2013)  w = sum_t solid_angle(t) / 4 pi, inside if |w| > 1/2, with far
//    groups of triangles as one dipole (Barill 2018):  w ~ N . d / (4 pi |d|^3),  N = sum of area normals.
//
// Outlines in 2D: crossings of a ray in +x, or the sum of angles / 2 pi.
#include "mesh/inside.h"

#include "mesh/bvh.h"
#include "mesh/closest.h"
#include "mesh/crossing.h"
#include "mesh/inside_cells.h"

typedef enum Method { SIGNED_CROSSINGS, ODD_CROSSINGS, SOLID_ANGLES } Method;

typedef struct Dipole {
    Vec3d normal; // [m2] sum of area-weighted normals
    Vec3d centre; // [m] of area
    double reach; // [m] from the centre to the farthest corner, at most
} Dipole;

typedef struct Triangle {
    Vec3d a, b, c;
} Triangle;

struct InsideTest {
    Memory* memory;
    bool flat; // a 2D outline; c of its triangles is unused
    bool closed;
    Method method;
    Bvh bvh;
    size_t count;
    Triangle* primitive; // in the order of the leaves
    Dipole* dipole;      // per node, for open 3D meshes
    InsideCells cells;   // around a closed mesh that many points are compared with
    bool in_cells;       // they are where the mesh is now
};

static const double PI = 3.14159265358979323846;
static const double DIPOLE_DISTANCE = 2; // in reaches, as in the paper; the winding number is then off by less than 0.1

// --- crossings

// +1 or -1 if the edge crosses the ray from p in direction +x, upwards or downwards; else 0.
static int edge_crossing(Vec3d a, Vec3d b, double x, double y)
{
    bool upwards = a.y <= y && y < b.y, downwards = b.y <= y && y < a.y;
    if (!upwards && !downwards)
        return 0;
    Vec3d low = upwards ? a : b, high = upwards ? b : a;
    bool to_the_right = x < low.x && x < high.x; // exact, so that skipping boxes beside the ray changes nothing
    if (!to_the_right && (x < low.x || x < high.x))
        to_the_right = (high.x - low.x) * (y - low.y) > (high.y - low.y) * (x - low.x);
    return !to_the_right ? 0 : upwards ? 1 : -1;
}

// Crossing of the ray from p in direction +z: how often the triangle winds around the ray, if it is above p.
static int triangle_crossing(const Triangle* t, Vec3d p)
{
    if (t->a.z < p.z && t->b.z < p.z && t->c.z < p.z)
        return 0;
    int cover = edge_crossing(t->a, t->b, p.x, p.y) + edge_crossing(t->b, t->c, p.x, p.y) + edge_crossing(t->c, t->a, p.x, p.y);
    if (cover == 0 || (t->a.z > p.z && t->b.z > p.z && t->c.z > p.z))
        return cover;
    // cover > 0 means that the normal has z > 0: the plane is above p if p is behind it
    Vec3d ab = vec3d_sub(t->b, t->a), ac = vec3d_sub(t->c, t->a);
    double height = vec3d_dot(vec3d_cross(ab, ac), vec3d_sub(p, t->a));
    bool above = cover > 0 ? height <= 0 : height >= 0;
    return above ? cover : 0;
}

static bool ray_meets(const InsideTest* test, const Box3d* box, Vec3d p)
{
    if (p.y < box->min.y || p.y > box->max.y || p.x > box->max.x)
        return false;
    return test->flat || (p.x >= box->min.x && p.z <= box->max.z);
}

// Signed sum of the crossings, and their number in `*crossings`.
static int sum_crossings(const InsideTest* test, Vec3d p, int* crossings)
{
    uint32_t stack[BVH_STACK];
    int depth = 0, sum = 0, number = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const BvhNode* node = &test->bvh.node[stack[--depth]];
        if (!ray_meets(test, &node->box, p))
            continue;
        if (node->count == 0) {
            stack[depth++] = node->first;
            stack[depth++] = node->first + 1;
            continue;
        }
        for (uint32_t k = node->first; k < node->first + node->count; k++) {
            const Triangle* t = &test->primitive[k];
            int crossing = test->flat ? edge_crossing(t->a, t->b, p.x, p.y) : triangle_crossing(t, p);
            sum += crossing;
            number += crossing != 0;
        }
    }
    *crossings = number;
    return sum;
}

// --- angles

// Solid angle / 4 pi (van Oosterom and Strackee 1983).
static double triangle_winding(const Triangle* t, Vec3d p)
{
    Vec3d a = vec3d_sub(t->a, p), b = vec3d_sub(t->b, p), c = vec3d_sub(t->c, p);
    double la = vec3d_length(a), lb = vec3d_length(b), lc = vec3d_length(c);
    double volume = vec3d_dot(a, vec3d_cross(b, c));
    double base = la * lb * lc + vec3d_dot(a, b) * lc + vec3d_dot(b, c) * la + vec3d_dot(c, a) * lb;
    return atan2(volume, base) / (2 * PI);
}

static double segment_winding(const Triangle* t, Vec3d p)
{
    double ax = t->a.x - p.x, ay = t->a.y - p.y, bx = t->b.x - p.x, by = t->b.y - p.y;
    return atan2(ax * by - ay * bx, ax * bx + ay * by) / (2 * PI);
}

static bool dipole_winding(const Dipole* dipole, Vec3d p, double* winding)
{
    Vec3d d = vec3d_sub(dipole->centre, p);
    double square = vec3d_dot(d, d), near = DIPOLE_DISTANCE * dipole->reach;
    if (!(square > near * near))
        return false;
    *winding += vec3d_dot(dipole->normal, d) / (4 * PI * square * sqrt(square));
    return true;
}

static double sum_angles(const InsideTest* test, Vec3d p)
{
    uint32_t stack[BVH_STACK];
    int depth = 0;
    double winding = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t index = stack[--depth];
        const BvhNode* node = &test->bvh.node[index];
        if (test->dipole && dipole_winding(&test->dipole[index], p, &winding))
            continue;
        if (node->count == 0) {
            stack[depth++] = node->first;
            stack[depth++] = node->first + 1;
            continue;
        }
        for (uint32_t k = node->first; k < node->first + node->count; k++)
            winding += test->flat ? segment_winding(&test->primitive[k], p) : triangle_winding(&test->primitive[k], p);
    }
    return winding;
}

// Area, area centre and normal of the triangles of a node; children come after their parent, so this goes backwards.
static void make_dipole(const InsideTest* test, uint32_t index, double* area)
{
    const BvhNode* node = &test->bvh.node[index];
    Dipole* d = &test->dipole[index];
    *d = (Dipole){.centre = vec3d_lerp(node->box.min, node->box.max, 0.5)};
    Vec3d weighted = {0};
    area[index] = 0;
    for (uint32_t k = node->first; k < node->first + node->count; k++) {
        const Triangle* t = &test->primitive[k];
        Vec3d n = vec3d_scale(vec3d_cross(vec3d_sub(t->b, t->a), vec3d_sub(t->c, t->a)), 0.5);
        Vec3d centre = vec3d_scale(vec3d_add(t->a, vec3d_add(t->b, t->c)), 1.0 / 3);
        d->normal = vec3d_add(d->normal, n);
        weighted = vec3d_mad(weighted, vec3d_length(n), centre);
        area[index] += vec3d_length(n);
    }
    for (uint32_t k = 0; node->count == 0 && k < 2; k++) {
        uint32_t child = node->first + k;
        d->normal = vec3d_add(d->normal, test->dipole[child].normal);
        weighted = vec3d_mad(weighted, area[child], test->dipole[child].centre);
        area[index] += area[child];
    }
    if (area[index] > 0)
        d->centre = vec3d_scale(weighted, 1 / area[index]);
    Vec3d far = vec3d_max(vec3d_sub(node->box.max, d->centre), vec3d_sub(d->centre, node->box.min));
    d->reach = vec3d_length(far);
}

static bool make_dipoles(InsideTest* test)
{
    size_t nodes = test->bvh.node_count;
    double* area = memory_take(NULL, nodes * sizeof *area);
    test->dipole = memory_take(test->memory, nodes * sizeof *test->dipole);
    bool ok = area && test->dipole;
    for (size_t k = nodes; ok && k-- > 0;)
        make_dipole(test, (uint32_t)k, area);
    memory_give(NULL, area);
    return ok;
}

// --- creation

static Triangle primitive_of(const TriMesh* mesh, size_t k)
{
    const Vec3d* v = mesh->vertex;
    if (mesh->triangle_count > 0) {
        const uint32_t* t = mesh->triangle[k];
        return (Triangle){v[t[0]], v[t[1]], v[t[2]]};
    }
    const uint32_t* s = mesh->segment[k];
    Triangle line = {v[s[0]], v[s[1]], v[s[1]]};
    line.a.z = line.b.z = line.c.z = 0;
    return line;
}

static Box3d box_of(const Triangle* t)
{
    return (Box3d){vec3d_min(vec3d_min(t->a, t->b), t->c), vec3d_max(vec3d_max(t->a, t->b), t->c)};
}

static bool make_tree(InsideTest* test, const TriMesh* mesh)
{
    Box3d* box = memory_take(NULL, test->count * sizeof *box);
    test->primitive = memory_take(test->memory, test->count * sizeof *test->primitive);
    bool ok = box && test->primitive;
    for (size_t k = 0; ok && k < test->count; k++) {
        Triangle t = primitive_of(mesh, k);
        box[k] = box_of(&t);
    }
    ok = ok && bvh_build(&test->bvh, box, test->count, test->memory);
    for (size_t k = 0; ok && k < test->count; k++)
        test->primitive[k] = primitive_of(mesh, test->bvh.order[k]);
    memory_give(NULL, box);
    return ok;
}

// Vertices that coincide count as one here: readers may keep them apart for the sake of normals or textures.
static bool choose_way(InsideTest* test, const TriMesh* mesh)
{
    TopologyReport report;
    TriMesh welded = {0};
    bool ok = tri_mesh_copy(mesh, &welded) && tri_mesh_weld(&welded, 0) && tri_mesh_topology(&welded, &report);
    tri_mesh_free(&welded);
    if (!ok)
        return false;
    test->closed = report.closed;
    test->method = report.oriented ? SIGNED_CROSSINGS : report.closed ? ODD_CROSSINGS : SOLID_ANGLES;
    return test->flat || test->method != SOLID_ANGLES || make_dipoles(test);
}

InsideTest* inside_create(const TriMesh* mesh, Memory* memory)
{
    InsideTest* test = memory_take(memory, sizeof *test);
    if (!test)
        return NULL;
    *test = (InsideTest){.memory = memory, .flat = mesh->triangle_count == 0};
    test->count = test->flat ? mesh->segment_count : mesh->triangle_count;
    if (test->count > 0 && !(make_tree(test, mesh) && choose_way(test, mesh))) {
        inside_destroy(test);
        return NULL;
    }
    return test;
}

void inside_destroy(InsideTest* test)
{
    if (!test)
        return;
    Memory* memory = test->memory;
    bvh_free(&test->bvh, memory);
    memory_give(memory, test->primitive);
    memory_give(memory, test->dipole);
    inside_cells_destroy(&test->cells, memory);
    memory_give(memory, test);
}

// --- queries

static bool in_bounds(const InsideTest* test, Vec3d p)
{
    if (test->count == 0)
        return false;
    const Box3d* box = &test->bvh.node[0].box;
    return p.x >= box->min.x && p.x <= box->max.x && p.y >= box->min.y && p.y <= box->max.y &&
           (test->flat || (p.z >= box->min.z && p.z <= box->max.z));
}

// By the surface itself, for a point within its bounds.
static bool is_wound(const void* context, Vec3d point)
{
    const InsideTest* test = context;
    int crossings;
    if (test->method == SOLID_ANGLES)
        return fabs(sum_angles(test, point)) > 0.5;
    int sum = sum_crossings(test, point, &crossings);
    return test->method == SIGNED_CROSSINGS ? sum != 0 : crossings % 2 != 0;
}

bool inside_contains(const InsideTest* test, Vec3d point)
{
    if (!in_bounds(test, point))
        return false;
    InsideCell cell = test->in_cells ? inside_cells_look(&test->cells, point) : CELL_SURFACE;
    return cell == CELL_SURFACE ? is_wound(test, point) : cell == CELL_INSIDE;
}

// --- cells

bool inside_use_cells(InsideTest* test)
{
    enum { LEAST = 4096, PER_PRIMITIVE = 2, MOST = 1 << 20 };
    size_t wanted = PER_PRIMITIVE * test->count;
    if (test->count == 0 || test->method == SOLID_ANGLES || test->cells.cell)
        return true;
    if (!inside_cells_create(&test->cells, wanted < LEAST ? LEAST : wanted > MOST ? MOST : wanted, test->memory))
        return false;
    inside_cells_begin(&test->cells, inside_bounds(test));
    for (size_t k = 0; k < test->count; k++)
        inside_cells_mark(&test->cells, box_of(&test->primitive[k]));
    inside_cells_fill(&test->cells, is_wound, test);
    test->in_cells = true;
    return true;
}

typedef struct FollowJob {
    InsideTest* test;
    const TriMesh* mesh;
} FollowJob;

// Primitives of leaves, boxes around them, and the cells that they are in.
static void follow_leaves(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FollowJob* job = context;
    InsideTest* test = job->test;
    for (size_t n = begin; n < end; n++) {
        BvhNode* node = &test->bvh.node[n];
        for (uint32_t k = 0; k < node->count; k++) {
            uint32_t at = node->first + k;
            test->primitive[at] = primitive_of(job->mesh, test->bvh.order[at]);
            Box3d box = box_of(&test->primitive[at]);
            if (test->in_cells)
                inside_cells_mark(&test->cells, box);
            node->box = k == 0 ? box : (Box3d){vec3d_min(node->box.min, box.min), vec3d_max(node->box.max, box.max)};
        }
    }
}

// The tree stays and its boxes grow and shrink; children come after their parent, so this goes backwards.
void inside_follow(InsideTest* test, const TriMesh* mesh, size_t points, Pool* pool)
{
    enum { GRAIN = 1024, CELLS_PER_POINT = 8 };
    test->in_cells = test->cells.cell && points > test->cells.capacity / CELLS_PER_POINT;
    if (test->in_cells)
        inside_cells_begin(&test->cells, tri_mesh_bounds(mesh));
    parallel_for(pool, test->bvh.node_count, GRAIN, follow_leaves, &(FollowJob){test, mesh});
    for (size_t n = test->bvh.node_count; n-- > 0;) {
        BvhNode* node = &test->bvh.node[n];
        if (node->count > 0)
            continue;
        Box3d a = test->bvh.node[node->first].box, b = test->bvh.node[node->first + 1].box;
        node->box = (Box3d){vec3d_min(a.min, b.min), vec3d_max(a.max, b.max)};
    }
    if (test->in_cells)
        inside_cells_fill(&test->cells, is_wound, test);
}

// --- more queries

double inside_winding(const InsideTest* test, Vec3d point)
{
    int crossings;
    if (test->count == 0 || (test->closed && !in_bounds(test, point)))
        return 0;
    if (test->method == SOLID_ANGLES)
        return sum_angles(test, point);
    int sum = sum_crossings(test, point, &crossings);
    return test->method == SIGNED_CROSSINGS ? sum : crossings % 2;
}

Box3d inside_bounds(const InsideTest* test)
{
    return test->bvh.node[0].box;
}

bool inside_closed(const InsideTest* test)
{
    return test->closed;
}

// How far p is outside [low, high]. Comparisons instead of fmax, which would be a call.
static double outside_range(double p, double low, double high)
{
    double below = low - p, above = p - high;
    double farther = below > above ? below : above;
    return farther > 0 ? farther : 0;
}

static double box_distance_squared(const Box3d* box, Vec3d p)
{
    double x = outside_range(p.x, box->min.x, box->max.x);
    double y = outside_range(p.y, box->min.y, box->max.y);
    double z = outside_range(p.z, box->min.z, box->max.z);
    return x * x + y * y + z * z;
}

typedef struct Nearest {
    double square; // [m2] of the distance, at most the limit's
    Vec3d point;
    uint32_t place; // in the order of leaves; UINT32_MAX: none within the limit
} Nearest;

static void search_leaf(const InsideTest* test, const BvhNode* node, Vec3d p, Nearest* nearest)
{
    for (uint32_t k = node->first; k < node->first + node->count; k++) {
        const Triangle* t = &test->primitive[k];
        Vec3d q = test->flat ? closest_on_segment(p, t->a, t->b) : closest_on_triangle(p, t->a, t->b, t->c);
        Vec3d d = vec3d_sub(q, p);
        double square = vec3d_dot(d, d);
        if (square < nearest->square)
            *nearest = (Nearest){square, q, k};
    }
}

// Depth first, nearer child first.
static void search_tree(const InsideTest* test, Vec3d p, Nearest* nearest)
{
    struct {
        uint32_t node;
        double square;
    } stack[BVH_STACK];
    int depth = 0;
    stack[depth].node = 0;
    stack[depth++].square = box_distance_squared(&test->bvh.node[0].box, p);
    while (depth > 0) {
        depth--;
        if (!(stack[depth].square < nearest->square))
            continue;
        const BvhNode* node = &test->bvh.node[stack[depth].node];
        if (node->count > 0) {
            search_leaf(test, node, p, nearest);
            continue;
        }
        uint32_t near = node->first, far = node->first + 1;
        double near_square = box_distance_squared(&test->bvh.node[near].box, p);
        double far_square = box_distance_squared(&test->bvh.node[far].box, p);
        bool swap = far_square < near_square;
        stack[depth].node = swap ? near : far;
        stack[depth++].square = swap ? near_square : far_square;
        stack[depth].node = swap ? far : near;
        stack[depth++].square = swap ? far_square : near_square;
    }
}

double inside_distance(const InsideTest* test, Vec3d point, double limit, Vec3d* closest, uint32_t* primitive)
{
    if (test->flat)
        point.z = 0;
    Nearest nearest = {.square = limit * limit, .place = UINT32_MAX};
    if (test->count > 0 && limit > 0)
        search_tree(test, point, &nearest);
    if (nearest.place == UINT32_MAX)
        return limit;
    if (closest)
        *closest = nearest.point;
    if (primitive)
        *primitive = test->bvh.order[nearest.place];
    return sqrt(nearest.square);
}

// --- passages

static bool boxes_meet(const Box3d* a, const Box3d* b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y && a->min.z <= b->max.z &&
           b->min.z <= a->max.z;
}

// Outlines: on which side of the line a point is, and where the path between two sides meets it.
static bool passes_segment(const Triangle* t, Vec3d from, Vec3d to, SurfacePass* pass)
{
    static const double EDGE = 1e-9; // as in crossing.c
    Vec3d e = vec3d_sub(t->b, t->a), n = {-e.y, e.x, 0};
    double before = vec3d_dot(n, vec3d_sub(from, t->a)), after = vec3d_dot(n, vec3d_sub(to, t->a)), square = vec3d_dot(e, e);
    if ((before >= 0) == (after >= 0) || !(square > 0))
        return false;
    double time = before / (before - after), at = vec3d_dot(e, vec3d_sub(vec3d_lerp(from, to, time), t->a)) / square;
    *pass = (SurfacePass){.time = time, .normal = vec3d_normalise(n), .direction = after >= 0 ? 1 : -1};
    return at >= -EDGE && at <= 1 + EDGE;
}

static double size_of(Vec3d v)
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

static bool passes_triangle(const Triangle* t, Vec3d from, Vec3d to, SurfacePass* pass)
{
    const Vec3d corner[3] = {t->a, t->b, t->c};
    Vec3d ab = vec3d_sub(t->b, t->a), ac = vec3d_sub(t->c, t->a), n = vec3d_cross(ab, ac);
    // most stay on one side of the plane, farther from it than rounding could tell otherwise
    Vec3d p = vec3d_sub(from, t->a), q = vec3d_sub(to, t->a);
    double before = vec3d_dot(n, p), after = vec3d_dot(n, q), doubt = 1e-9 * size_of(ab) * size_of(ac) * (size_of(p) + size_of(q));
    if ((before > doubt && after > doubt) || (before < -doubt && after < -doubt))
        return false;
    Crossing found[3];
    if (crossing_find(corner, corner, from, to, found) == 0)
        return false;
    *pass = (SurfacePass){.time = found[0].time, .normal = vec3d_normalise(n), .direction = found[0].direction};
    return true;
}

int inside_passes(const InsideTest* test, Vec3d from, Vec3d to, SurfacePass* out, int most)
{
    uint32_t stack[BVH_STACK];
    int depth = 0, count = 0;
    if (test->flat)
        from.z = to.z = 0;
    Box3d path = {vec3d_min(from, to), vec3d_max(from, to)};
    if (test->count > 0)
        stack[depth++] = 0;
    while (depth > 0) {
        const BvhNode* node = &test->bvh.node[stack[--depth]];
        if (!boxes_meet(&node->box, &path))
            continue;
        if (node->count == 0) {
            stack[depth++] = node->first;
            stack[depth++] = node->first + 1;
            continue;
        }
        for (uint32_t k = node->first; k < node->first + node->count && count < most; k++) {
            const Triangle* t = &test->primitive[k];
            if (test->flat ? passes_segment(t, from, to, &out[count]) : passes_triangle(t, from, to, &out[count]))
                out[count++].place = k;
        }
    }
    return count;
}
