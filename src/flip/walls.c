// SPDX-License-Identifier: MIT
#include "flip/walls.h"

#include <string.h>

enum { REACH_CELLS = 3 };

// [cells] Distances below mean that a wall goes through the corner: it belongs to both sides. What a wall leaves of a row of cells
// is then more than that: pressures in thinner slivers follow from rounding.
static const double SNAP = 0.05;

void walls_init(Walls* walls, Memory* memory, Pool* pool, int dimension, double dx)
{
    *walls = (Walls){.memory = memory, .pool = pool, .dimension = dimension, .dx = dx};
    blocks_init(&walls->known, memory);
}

void walls_free(Walls* walls)
{
    for (size_t k = 1; walls->still && k < walls->known.count; k++)
        if (walls->still[k] != walls->all_open && walls->still[k] != walls->all_closed)
            memory_give(walls->memory, walls->still[k]);
    for (size_t k = 0; k < walls->solid_count; k++)
        distances_free(&walls->solid[k].field, walls->memory);
    void* arrays[] = {walls->solid,        walls->all_open, walls->all_closed, walls->still,
                      (void*)walls->cells, walls->moved,    walls->job};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(walls->memory, arrays[k]);
    blocks_free(&walls->known);
    walls_init(walls, walls->memory, walls->pool, walls->dimension, walls->dx);
}

static WallCells* uniform_cells(Memory* memory, float open, float distance)
{
    WallCells* c = memory_take(memory, sizeof *c);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    for (int i = 0; i < CORNERS; i++)
        c->corner[i] = distance;
    for (int i = 0; i < CELLS; i++)
        c->open[0][i] = c->open[1][i] = c->open[2][i] = c->volume[i] = open;
    return c;
}

static bool add_solid(Walls* walls, WallSolid* w, const Solid* solid)
{
    *w = (WallSolid){.solid = solid, .moves = solid->type != MN_SOLID_STATIC && !solid->kind->deforms};
    if (!w->moves || !solid->closed)
        return true;
    Box3d box = {vec3d_sub(solid->bound_centre, solid->bound_half), vec3d_add(solid->bound_centre, solid->bound_half)};
    return distances_create(&w->field, solid->test, &box, 0.25 * walls->dx, REACH_CELLS * walls->dx, walls->dimension,
                            walls->memory, walls->pool);
}

bool walls_add(Walls* walls, const Solid* solid, size_t count)
{
    float far = (float)(REACH_CELLS * walls->dx);
    walls->all_open = uniform_cells(walls->memory, 1, far);
    walls->all_closed = uniform_cells(walls->memory, 0, -far);
    walls->solid = memory_take(walls->memory, (count + 1) * sizeof *walls->solid);
    if (!walls->all_open || !walls->all_closed || !walls->solid || !blocks_clear(&walls->known))
        return false;
    for (size_t k = 0; k < count; k++) {
        walls->solid_count = k + 1;
        if (!add_solid(walls, &walls->solid[k], &solid[k]))
            return false;
        walls->any_moves |= walls->solid[k].moves;
        walls->has_container |= solid[k].closed && solid[k].inside;
    }
    return true;
}

Vec3d walls_velocity(const WallSolid* solid, Vec3d point)
{
    return vec3d_add(solid->velocity, vec3d_cross(solid->angular_velocity, vec3d_sub(point, solid->centre)));
}

// --- distances at corners

typedef struct Corner {
    double container, solid; // [m] to the union of containers, -reach if there is none, and to solids
    int container_of, solid_of;
} Corner;

static void meet(const WallSolid* w, size_t number, double d, Corner* c)
{
    if (w->solid->inside) {
        if (-d > c->container) {
            c->container = -d;
            c->container_of = (int)number + 1;
        }
    } else if (d < c->solid) {
        c->solid = d;
        c->solid_of = (int)number + 1;
    }
}

// [m] from the mesh of a solid to a point of the world, positive outside
static double distance_to(const WallSolid* w, Vec3d point, double reach)
{
    if (!w->solid->test) // it was taken away
        return reach;
    Vec3d local = solid_to_local(w->solid, point);
    return w->field.value ? distances_at(&w->field, local) : distances_of(w->solid->test, local, reach);
}

static bool is_sided(const WallSolid* w)
{
    return w->solid->closed && !w->solid->kind->deforms;
}

// `still` and `moving`: which solids are asked. What the containers that are not asked say is not known.
static void find_corner(const Walls* walls, Vec3d p, bool still, bool moving, float* distance, uint8_t* nearest)
{
    double reach = REACH_CELLS * walls->dx;
    Corner c = {.container = walls->has_container ? -reach : reach, .solid = reach};
    for (size_t k = 0; k < walls->solid_count; k++) {
        const WallSolid* w = &walls->solid[k];
        if (is_sided(w) && (w->moves ? moving : still))
            meet(w, k, distance_to(w, p, reach), &c);
    }
    bool by_solid = c.solid < c.container;
    *distance = (float)(by_solid ? c.solid : c.container);
    *nearest = (uint8_t)(by_solid ? c.solid_of : c.container_of);
}

static Vec3d corner_place(const Walls* walls, BlockKey key, int x, int y, int z)
{
    return vec3d_scale(vec3d(8.0 * key.x + x, 8.0 * key.y + y, walls->dimension == 3 ? 8.0 * key.z + z : 0), walls->dx);
}

static void find_corners(const Walls* walls, BlockKey key, bool still, bool moving, WallCells* out)
{
    int layers = walls->dimension == 3 ? CORNER_EDGE : 1;
    for (int z = 0; z < layers; z++)
        for (int y = 0; y < CORNER_EDGE; y++)
            for (int x = 0; x < CORNER_EDGE; x++) {
                int i = 81 * z + 9 * y + x;
                find_corner(walls, corner_place(walls, key, x, y, z), still, moving, &out->corner[i], &out->nearest[i]);
            }
    for (int z = layers; z < CORNER_EDGE; z++) { // 2D: a prism
        memcpy(out->corner + 81 * z, out->corner, 81 * sizeof *out->corner);
        memcpy(out->nearest + 81 * z, out->nearest, 81);
    }
}

// --- shares of faces

// Area of what lies above zero of a square with these distances at its corners, going around.
static double open_area(const double d[4])
{
    static const double px[4] = {0, 1, 1, 0}, py[4] = {0, 0, 1, 1};
    double x[8], y[8], area = 0;
    int n = 0;
    for (int k = 0; k < 4; k++) {
        int next = (k + 1) & 3;
        if (d[k] > 0) {
            x[n] = px[k];
            y[n++] = py[k];
        }
        if ((d[k] > 0) != (d[next] > 0)) {
            double t = d[k] / (d[k] - d[next]);
            x[n] = px[k] + t * (px[next] - px[k]);
            y[n++] = py[k] + t * (py[next] - py[k]);
        }
    }
    for (int k = 0; k < n; k++) {
        int next = k + 1 == n ? 0 : k + 1;
        area += 0.5 * (x[k] * y[next] - x[next] * y[k]);
    }
    return area;
}

// Open share of a face, and which solid closes the rest of it. A face that lies in a wall is closed, one that ends at it is open.
static float cut_face(const WallCells* c, const int corner[4], double snap, uint8_t* solid)
{
    double d[4];
    int low = 0, high = 0;
    *solid = 0;
    for (int k = 0; k < 4; k++) {
        d[k] = (double)c->corner[corner[k]];
        low += d[k] <= snap;
        high += d[k] >= -snap;
        if (d[k] <= snap)
            *solid = c->nearest[corner[k]];
    }
    if (low == 4 || high == 4)
        return low < 4;
    double open = open_area(d);
    return open < 1e-3 ? 0 : open > 0.999 ? 1 : (float)open;
}

// Mean over the 64 parts of a cell of what of each lies above zero, by the distance at its middle.
static double mixed_volume(const double d[8], double dx)
{
    double sum = 0;
    for (int n = 0; n < 64; n++) {
        double x = 0.125 + 0.25 * (n & 3), y = 0.125 + 0.25 * (n >> 2 & 3), z = 0.125 + 0.25 * (n >> 4);
        double low = (d[0] * (1 - x) + d[1] * x) * (1 - y) + (d[2] * (1 - x) + d[3] * x) * y;
        double high = (d[4] * (1 - x) + d[5] * x) * (1 - y) + (d[6] * (1 - x) + d[7] * x) * y;
        double part = 0.5 + (low * (1 - z) + high * z) / (0.25 * dx);
        sum += part < 0 ? 0 : part > 1 ? 1 : part;
    }
    return sum / 64;
}

static float open_volume(const WallCells* c, int at, double dx)
{
    double d[8], snap = SNAP * dx;
    int low = 0, high = 0;
    for (int k = 0; k < 8; k++) {
        d[k] = (double)c->corner[at + (k & 1) + (k & 2 ? 9 : 0) + (k & 4 ? 81 : 0)];
        low += d[k] <= snap;
        high += d[k] >= -snap;
    }
    if (low == 8 || high == 8)
        return low < 8;
    double volume = mixed_volume(d, dx);
    return volume < 0.01 ? 0 : (float)volume;
}

static void cut_cells(WallCells* c, double dx)
{
    for (int i = 0; i < CELLS; i++) {
        int at = 81 * (i >> 6) + 9 * (i >> 3 & 7) + (i & 7);
        c->open[0][i] = cut_face(c, (const int[4]){at, at + 9, at + 90, at + 81}, SNAP * dx, &c->solid[0][i]);
        c->open[1][i] = cut_face(c, (const int[4]){at, at + 81, at + 82, at + 1}, SNAP * dx, &c->solid[1][i]);
        c->open[2][i] = cut_face(c, (const int[4]){at, at + 1, at + 10, at + 9}, SNAP * dx, &c->solid[2][i]);
        c->volume[i] = open_volume(c, at, dx);
    }
}

// Faces that a solid without an inside stands across.
static void close_crossed(const Walls* walls, BlockKey key, const WallSolid* w, size_t number, WallCells* c)
{
    double dx = walls->dx;
    for (int i = 0; i < CELLS; i++) {
        Vec3d here = vec3d_add(corner_place(walls, key, i & 7, i >> 3 & 7, i >> 6), vec3d(0.5 * dx, 0.5 * dx, 0.5 * dx));
        if (walls->dimension == 2) {
            here.z = 0;
            if (i >= ROWS)
                break;
        }
        for (int a = 0; a < walls->dimension; a++) {
            Vec3d there = here;
            *(a == 0 ? &there.x : a == 1 ? &there.y : &there.z) -= dx;
            SurfacePass pass[2];
            if (inside_passes(w->solid->test, solid_to_local(w->solid, there), solid_to_local(w->solid, here), pass, 2) > 0) {
                c->open[a][i] = 0;
                c->solid[a][i] = (uint8_t)(number + 1);
            }
        }
    }
}

static bool touches(const Walls* walls, BlockKey key, const WallSolid* w)
{
    if (!w->solid->test) // it was taken away
        return false;
    double edge = 8 * walls->dx;
    Vec3d low = corner_place(walls, key, 0, 0, 0);
    return low.x <= w->high.x && low.x + edge >= w->low.x && low.y <= w->high.y && low.y + edge >= w->low.y &&
           (walls->dimension == 2 || (low.z <= w->high.z && low.z + edge >= w->low.z));
}

static void find_box(WallSolid* w, double dx)
{
    const Solid* s = w->solid;
    Vec3d centre = solid_to_world(s, s->bound_centre), half = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        Vec3d axis = quat_rotate(s->pose.rotation, vec3d(k == 0, k == 1, k == 2));
        double h = k == 0 ? s->bound_half.x : k == 1 ? s->bound_half.y : s->bound_half.z;
        half = vec3d_add(half, vec3d_scale(vec3d(fabs(axis.x), fabs(axis.y), fabs(axis.z)), h));
    }
    half = vec3d_add(half, vec3d(dx, dx, dx));
    w->low = vec3d_sub(centre, half);
    w->high = vec3d_add(centre, half);
}

static void set_velocities(const Walls* walls, BlockKey key, WallCells* c)
{
    double dx = walls->dx;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < CELLS; i++) {
            c->velocity[a][i] = 0;
            if (!c->solid[a][i] || !walls->solid[c->solid[a][i] - 1].moves)
                continue;
            Vec3d p = vec3d_add(corner_place(walls, key, i & 7, i >> 3 & 7, i >> 6),
                                vec3d(a == 0 ? 0 : 0.5 * dx, a == 1 ? 0 : 0.5 * dx, a == 2 ? 0 : 0.5 * dx));
            Vec3d v = walls_velocity(&walls->solid[c->solid[a][i] - 1], p);
            c->velocity[a][i] = (float)(a == 0 ? v.x : a == 1 ? v.y : v.z);
        }
}

// --- static solids

// One look from the middle of a block tells whether any wall is near.
static WallCells* uniform_still(const Walls* walls, BlockKey key)
{
    double dx = walls->dx, far = (4 * sqrt(3.0) + 1.5) * dx;
    Vec3d middle = corner_place(walls, key, 4, 4, 4);
    bool in_container = !walls->has_container, in_solid = false;
    for (size_t k = 0; k < walls->solid_count; k++) {
        const WallSolid* w = &walls->solid[k];
        if (w->moves || w->solid->kind->deforms || !w->solid->test)
            continue;
        Vec3d local = solid_to_local(w->solid, middle);
        if (inside_distance(w->solid->test, local, far, NULL, NULL) < far)
            return NULL;
        bool in = is_sided(w) && inside_contains(w->solid->test, local);
        in_container |= w->solid->inside && in;
        in_solid |= !w->solid->inside && in;
    }
    return in_container && !in_solid ? walls->all_open : walls->all_closed;
}

static bool find_still(Walls* walls, BlockKey key, uint32_t number)
{
    WallCells* c = uniform_still(walls, key);
    walls->still[number] = c;
    if (c)
        return true;
    c = walls->still[number] = memory_take(walls->memory, sizeof *c);
    if (!c)
        return false;
    memset(c, 0, sizeof *c);
    find_corners(walls, key, true, false, c);
    cut_cells(c, walls->dx);
    for (size_t k = 0; k < walls->solid_count; k++)
        if (!walls->solid[k].moves && !walls->solid[k].solid->kind->deforms && !is_sided(&walls->solid[k]) &&
            touches(walls, key, &walls->solid[k]))
            close_crossed(walls, key, &walls->solid[k], k, c);
    return true;
}

// --- solids in motion

static bool near_motion(const Walls* walls, BlockKey key)
{
    for (size_t k = 0; k < walls->solid_count; k++)
        if (walls->solid[k].moves && (walls->solid[k].solid->inside || touches(walls, key, &walls->solid[k])))
            return true;
    return false;
}

static void move_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Walls* walls = ((void**)context)[0];
    const Blocks* blocks = ((void**)context)[1];
    for (size_t n = begin; n < end; n++) {
        BlockKey key = blocks->key[walls->job[n]];
        WallCells* c = &walls->moved[n];
        find_corners(walls, key, true, true, c);
        cut_cells(c, walls->dx);
        for (size_t k = 0; k < walls->solid_count; k++)
            if (!is_sided(&walls->solid[k]) && !walls->solid[k].solid->kind->deforms && touches(walls, key, &walls->solid[k]))
                close_crossed(walls, key, &walls->solid[k], k, c);
        set_velocities(walls, key, c);
        walls->cells[walls->job[n]] = c;
    }
}

// The number of a block among those that are known. 0: out of memory.
static uint32_t know(Walls* walls, BlockKey key)
{
    size_t known = walls->known.count;
    uint32_t number = blocks_add(&walls->known, key);
    if (number != known)
        return number;
    if (!memory_reserve(walls->memory, &walls->still, &walls->still_capacity, walls->still ? known : 0, known + 1,
                        sizeof *walls->still) ||
        !find_still(walls, key, number)) {
        walls->known.count = known; // it has no cells to free
        return 0;
    }
    return number;
}

void walls_look(Walls* walls)
{
    for (size_t k = 0; k < walls->solid_count; k++)
        find_box(&walls->solid[k], walls->dx);
}

bool walls_hide(Walls* walls, BlockKey key, bool* hidden)
{
    *hidden = false;
    if (walls->solid_count == 0 || (walls->any_moves && near_motion(walls, key)))
        return true;
    uint32_t number = know(walls, key);
    *hidden = number && walls->still[number] == walls->all_closed;
    return number;
}

bool walls_update(Walls* walls, const Blocks* blocks)
{
    size_t n = blocks->count;
    if (!memory_reserve(walls->memory, &walls->cells, &walls->cells_capacity, 0, n, sizeof *walls->cells) ||
        !memory_reserve(walls->memory, &walls->job, &walls->job_capacity, 0, n, sizeof *walls->job))
        return false;
    walls_look(walls);
    walls->cells[0] = walls->all_open;
    walls->moved_count = 0;
    for (size_t k = 1; k < n; k++) {
        uint32_t number = know(walls, blocks->key[k]);
        if (!number)
            return false;
        walls->cells[k] = walls->still[number];
        if (walls->any_moves && near_motion(walls, blocks->key[k]))
            walls->job[walls->moved_count++] = (uint32_t)k;
    }
    if (!memory_reserve(walls->memory, &walls->moved, &walls->moved_capacity, 0, walls->moved_count, sizeof *walls->moved))
        return false;
    void* context[] = {walls, (void*)blocks};
    parallel_for(walls->pool, walls->moved_count, 1, move_blocks, context);
    return true;
}

static void follow_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Walls* walls = ((void**)context)[0];
    const Blocks* blocks = ((void**)context)[1];
    for (size_t n = begin; n < end; n++)
        set_velocities(walls, blocks->key[walls->job[n]], &walls->moved[n]);
}

void walls_follow(Walls* walls, const Blocks* blocks)
{
    void* context[] = {walls, (void*)blocks};
    parallel_for(walls->pool, walls->moved_count, 1, follow_blocks, context);
}

double walls_distance(const WallCells* cells, const float cell[3], float gradient[3])
{
    int i[3];
    float t[3];
    for (int a = 0; a < 3; a++) {
        i[a] = (int)cell[a];
        i[a] = i[a] < 0 ? 0 : i[a] > 7 ? 7 : i[a];
        t[a] = cell[a] - (float)i[a];
    }
    const float* c = cells->corner + 81 * i[2] + 9 * i[1] + i[0];
    float d = 0, g[3] = {0, 0, 0};
    for (int k = 0; k < 8; k++) {
        float v = c[(k & 1) + (k & 2 ? 9 : 0) + (k & 4 ? 81 : 0)];
        float wx = k & 1 ? t[0] : 1 - t[0], wy = k & 2 ? t[1] : 1 - t[1], wz = k & 4 ? t[2] : 1 - t[2];
        d += v * wx * wy * wz;
        g[0] += (k & 1 ? v : -v) * wy * wz;
        g[1] += (k & 2 ? v : -v) * wx * wz;
        g[2] += (k & 4 ? v : -v) * wx * wy;
    }
    memcpy(gradient, g, sizeof g);
    return (double)d;
}
