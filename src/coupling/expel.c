// SPDX-License-Identifier: MIT
#include "coupling/expel.h"

#include "coupling/akinci.h"

// Depth [r] from which a particle counts as caught, and how far outside it is put.
static const double CAUGHT = 0.9, OUTSIDE = 0.05;

// What a body pays for a particle that was put out.
typedef struct Price {
    Solid* solid;
    Vec3d point, impulse; // [m], [N s]
} Price;

typedef struct PriceList {
    Price* item;
    size_t count, capacity;
} PriceList;

typedef struct Job {
    Akinci* coupling;
    PriceList* list; // (blocks)
} Job;

// Lanes of a chunk whose particles can be caught: a ball as large as that depth fits into the bounds around the solid. Eight at a
// time in single precision, with room for its rounding; mostly this is all that there is to do.
static unsigned may_be_caught(const Akinci* c, const Solid* s, size_t first)
{
    static const double ROOM = 0.1; // [r]
    const double radius = c->sph->radius;
    Vec3d o = solid_to_world(s, s->bound_centre);
    if (4e-7 * (vec3d_length(o) + s->bound_radius) > ROOM * radius)
        return 0xff;
    F8 x, y, z, unused;
    f8_load4(c->sph->fluid.position + first, &x, &y, &z, &unused);
    x = f8_sub(x, f8_set((float)o.x));
    y = f8_sub(y, f8_set((float)o.y));
    z = f8_sub(z, f8_set((float)o.z));
    const Vec3d axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double half[3] = {s->bound_half.x, s->bound_half.y, s->bound_half.z};
    unsigned lanes = 0xff;
    for (int k = 0; k < c->sph->kernel.dimension; k++) {
        Vec3d n = quat_rotate(s->pose.rotation, axis[k]);
        F8 at = f8_mad(f8_set((float)n.z), z, f8_mad(f8_set((float)n.y), y, f8_mul(f8_set((float)n.x), x)));
        F8 far = f8_max(at, f8_sub(f8_zero(), at));
        lanes &= f8_mask(f8_less(far, f8_set((float)(half[k] - (CAUGHT - ROOM) * radius))));
    }
    return lanes;
}

// Where a particle at `x` in solid `s` comes out: the nearest point of the surface and a little farther. False: it is not in there.
static bool find_exit(const Solid* s, Vec3d x, double radius, Vec3d* out, Vec3d* normal)
{
    Vec3d local = solid_to_local(s, x), closest;
    if (!s->closed || vec3d_distance(local, s->bound_centre) > s->bound_radius || !inside_contains(s->test, local))
        return false;
    double depth = inside_distance(s->test, local, 2 * s->bound_radius, &closest, NULL);
    if (depth < CAUGHT * radius || depth >= 2 * s->bound_radius)
        return false;
    Vec3d n = vec3d_scale(vec3d_sub(closest, local), 1 / depth);
    *normal = quat_rotate(s->pose.rotation, n);
    *out = solid_to_world(s, vec3d_mad(closest, OUTSIDE * radius, n));
    return true;
}

// Whether a point lies in a solid or out of a container.
static bool is_blocked(const Akinci* c, Vec3d x)
{
    for (size_t k = 0; k < c->solid_count; k++) {
        const Solid* s = &c->solid[k];
        Vec3d local = solid_to_local(s, x);
        bool near = vec3d_distance(local, s->bound_centre) <= s->bound_radius;
        if (!s->closed || (!near && !s->inside))
            continue;
        if (inside_contains(s->test, local) != s->inside)
            return true;
    }
    return false;
}

// Between two bodies that touch, the exit from one lies in the other: the nearest free place in one of 26 directions.
static bool find_free_place(const Akinci* c, Vec3d x, double radius, Vec3d* out)
{
    enum { FARTHEST = 12 };
    for (int step = 1; step <= FARTHEST; step++)
        for (int k = 0; k < 27; k++) {
            Vec3d way = {k % 3 - 1, k / 3 % 3 - 1, c->sph->kernel.dimension == 3 ? k / 9 - 1 : 0};
            *out = vec3d_mad(x, 0.5 * step * radius, vec3d_normalise(way));
            if (k != 13 && !is_blocked(c, *out))
                return true;
        }
    return false;
}

// Puts a particle out if it is caught in solid `s`, unless there is no memory for what that costs.
static void expel(Akinci* c, Solid* s, size_t i, PriceList* list)
{
    Vec4 *x = &c->sph->fluid.position[i], *v = &c->sph->fluid.velocity[i];
    Vec3d to, n, at = {(double)x->x, (double)x->y, (double)x->z};
    double radius = c->sph->radius;
    if (!find_exit(s, at, radius, &to, &n) || (is_blocked(c, to) && !find_free_place(c, at, radius, &to)) ||
        !memory_reserve(c->memory, &list->item, &list->capacity, list->count, list->count + 1, sizeof *list->item))
        return;
    *x = (Vec4){(float)to.x, (float)to.y, (float)to.z, x->w};
    // it leaves with the surface
    Vec3d slip = vec3d_sub(solid_velocity_at(s, to), vec3d((double)v->x, (double)v->y, (double)v->z));
    double gain = fmax(0, vec3d_dot(slip, n)), mass = (double)(c->sph->mass_volume * c->sph->material[(int)v->w].density);
    v->x += (float)(gain * n.x);
    v->y += (float)(gain * n.y);
    v->z += (float)(gain * n.z);
    list->item[list->count++] = (Price){s, to, vec3d_scale(n, -gain * mass)};
}

static void expel_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const Job* job = context;
    Akinci* c = job->coupling;
    const TouchBlock* block = &c->bodies.block[number];
    for (size_t k = 0; k < block->count; k++) {
        const Touch* t = &block->touch[k];
        Solid* s = &c->solid[c->bodies.mover[t->mover].solid];
        unsigned lanes = t->lanes & may_be_caught(c, s, (size_t)LANES * t->chunk);
        for (size_t lane = 0; lane < LANES && lanes; lane++)
            if (lanes >> lane & 1)
                expel(c, s, (size_t)LANES * t->chunk + lane, &job->list[number]);
    }
}

size_t expel_caught(Coupling* coupling)
{
    Akinci* c = coupling->data;
    if (!c->has_bodies)
        return 0;
    PriceList list[TOUCH_BLOCKS] = {{0}};
    Job job = {c, list};
    parallel_for(c->sph->pool, TOUCH_BLOCKS, 1, expel_block, &job);
    size_t sum = 0;
    for (size_t b = 0; b < TOUCH_BLOCKS; b++) {
        for (size_t k = 0; k < list[b].count; k++) {
            const Price* p = &list[b].item[k];
            p->solid->kind->take_impulse(p->solid, &(SurfacePlace){.point = p->point}, p->impulse);
        }
        sum += list[b].count;
        memory_give(c->memory, list[b].item);
    }
    return sum;
}
