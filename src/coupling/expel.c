// SPDX-License-Identifier: MIT
#include "coupling/expel.h"

#include <string.h>

// Depth [r] from which a particle counts as caught, and how far outside it is put.
static const double CAUGHT = 0.5, OUTSIDE = 0.05;

typedef struct Job {
    Akinci* coupling;
    double radius;   // [m]
    double* impulse; // (blocks x movers x 6)
    uint32_t* count; // (blocks)
} Job;

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

static void expel_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const Job* job = context;
    Akinci* c = job->coupling;
    Fluid* fluid = &c->sph->fluid;
    const TouchBlock* block = &c->reaction.block[number];
    for (size_t k = 0; k < block->count; k++) {
        const Touch* t = &block->touch[k];
        const Solid* s = &c->solid[c->reaction.mover[t->mover].solid];
        Vec4 *x = &fluid->position[t->particle], *v = &fluid->velocity[t->particle];
        Vec3d to, n, at = {(double)x->x, (double)x->y, (double)x->z};
        if (!find_exit(s, at, job->radius, &to, &n) || (is_blocked(c, to) && !find_free_place(c, at, job->radius, &to)))
            continue;
        *x = (Vec4){(float)to.x, (float)to.y, (float)to.z, x->w};
        job->count[number]++;
        // it leaves with the surface, and the body pays for that
        Vec3d slip = vec3d_sub(solid_velocity_at(s, to), vec3d((double)v->x, (double)v->y, (double)v->z));
        double gain = fmax(0, vec3d_dot(slip, n)), mass = (double)(c->sph->mass_volume * c->sph->material[(int)v->w].density);
        v->x += (float)(gain * n.x);
        v->y += (float)(gain * n.y);
        v->z += (float)(gain * n.z);
        Vec3d push = vec3d_scale(n, -gain * mass), turn = vec3d_cross(vec3d_sub(to, c->centre[s - c->solid]), push);
        double* sum = job->impulse + 6 * (number * c->reaction.mover_count + t->mover);
        const double add[6] = {push.x, push.y, push.z, turn.x, turn.y, turn.z};
        for (int a = 0; a < 6; a++)
            sum[a] += add[a];
    }
}

static void push_back(Akinci* c, size_t m, const double* impulse)
{
    Twist sum = {{0, 0, 0}, {0, 0, 0}};
    for (size_t b = 0; b < TOUCH_BLOCKS; b++) {
        const double* p = impulse + 6 * (b * c->reaction.mover_count + m);
        sum.linear = vec3d_add(sum.linear, vec3d(p[0], p[1], p[2]));
        sum.angular = vec3d_add(sum.angular, vec3d(p[3], p[4], p[5]));
    }
    const Mover* mover = &c->reaction.mover[m];
    Twist gain = reaction_mobility(mover, sum);
    BodyState state = rigid_state(c->rigid, (int)mover->solid);
    state.velocity = vec3d_add(state.velocity, gain.linear);
    state.angular_velocity = vec3d_add(state.angular_velocity, gain.angular);
    rigid_set_state(c->rigid, (int)mover->solid, &state);
}

size_t expel_caught(Akinci* c)
{
    Reaction* r = &c->reaction;
    akinci_place(c);
    uint32_t count[TOUCH_BLOCKS] = {0};
    size_t sum = 0;
    // the sums of a solve have done their work
    memset(r->partial, 0, TOUCH_BLOCKS * r->mover_count * 6 * sizeof *r->partial);
    Job job = {c, c->sph->radius, r->partial, count};
    parallel_for(c->sph->pool, TOUCH_BLOCKS, 1, expel_block, &job);
    for (size_t b = 0; b < TOUCH_BLOCKS; b++)
        sum += count[b];
    for (size_t m = 0; m < r->mover_count && sum; m++)
        push_back(c, m, r->partial);
    return sum;
}
