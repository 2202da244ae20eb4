// SPDX-License-Identifier: MIT
// Springs that pull solids and fluid towards targets, and forces that a running world was told. A spring has the stiffness
// k = M w^2 and the damping c = 2 M w, where M is the mass of what it pulls and w = 2 pi frequency, and is implicit:
//   J = -dt (k (x + dt v' - y) + c v'),   v' = v + K J
// x: place of the point, v: its velocity after the step without the pull, y: target, K: velocity of the point per impulse there, a
// matrix of a body, a number of a patch of a surface. Solved for J,
//   (1 + dt (k dt + c) K) J = -dt (k (x - y + dt v) + c v)
// so that v' never passes the target however large dt or w is. J is no larger than a force that does not tear things apart allows.
#include "world/world_parts.h"

#include <string.h>

static const double NORMAL_GRAVITY = 9.81, STRONGEST = 200; // [m/s2], [1] weights that a spring pulls with at most

_Static_assert(sizeof(Pull) == PULL_NAME + 11 * 8 + 8 * PULL_PATCH, "pulls are saved as they are: no padding");

// --- coming and going

static Pull* find(const mn_World* world, const char* name)
{
    for (size_t k = 0; k < world->pulls.count; k++)
        if (!strcmp(world->pulls.pull[k].name, name))
            return &world->pulls.pull[k];
    return NULL;
}

// The vertices nearest to a point, within a radius, and at least three.
static void find_patch(Pull* pull, const SolidSurface* surface, Vec3d point)
{
    double distance[PULL_PATCH];
    size_t n = 0;
    for (size_t v = 0; v < surface->vertex_count; v++) {
        double d = vec3d_distance(surface->position[v], point);
        size_t k = n;
        if ((d > pull->radius && n >= 3 && distance[2] <= pull->radius) || (n == PULL_PATCH && d >= distance[n - 1]))
            continue;
        for (k = n < PULL_PATCH ? n++ : n - 1; k > 0 && distance[k - 1] > d; k--) {
            distance[k] = distance[k - 1];
            pull->vertex[k] = pull->vertex[k - 1];
        }
        distance[k] = d;
        pull->vertex[k] = (uint32_t)v;
    }
    while (n > 3 && distance[n - 1] > pull->radius)
        n--;
    double sum = 0, reach = fmax(pull->radius, n ? 1.001 * distance[n - 1] : 0), w[PULL_PATCH];
    for (size_t k = 0; k < n; k++)
        sum += w[k] = pow(1 - distance[k] * distance[k] / (reach * reach), 2);
    for (size_t k = 0; k < n; k++)
        pull->weight[k] = (float)(w[k] / sum);
    pull->patch = n;
}

bool world_set_pull(mn_World* world, const mn_PullDef* def)
{
    Pull* pull = find(world, def->name);
    if (def->end) {
        if (pull)
            memset(pull->name, 0, sizeof pull->name);
        return true;
    }
    int number = def->solid ? solid_find(world->solids.solid, world->solids.count, def->solid) : -1;
    if (pull && pull->solid == number) {
        pull->target = def->target;
        pull->frequency = def->frequency;
        pull->max_force = def->max_force;
        return true;
    }
    if (!pull)
        pull = find(world, "");
    if (!pull) {
        if (!memory_reserve(&world->memory, &world->pulls.pull, &world->pulls.capacity, world->pulls.count, world->pulls.count + 1,
                            sizeof *world->pulls.pull))
            return false;
        pull = &world->pulls.pull[world->pulls.count++];
    }
    memset(pull, 0, sizeof *pull);
    if (def->solid && number < 0) // it is not there any more
        return true;
    strncpy(pull->name, def->name, sizeof pull->name - 1);
    pull->solid = number;
    pull->target = def->target;
    pull->frequency = def->frequency;
    pull->max_force = def->max_force;
    pull->radius = def->radius > 0 ? def->radius : 6 * world->def.particle_radius;
    pull->anchor = def->target; // of fluid
    if (number < 0)
        return true;
    const Solid* solid = &world->solids.solid[number];
    pull->anchor = solid_to_local(solid, def->point);
    if (!solid->kind->deforms)
        return true;
    SolidSurface surface = solid->kind->surface(solid);
    if (!(def->radius > 0))
        pull->radius = 0.25 * solid->bound_radius;
    find_patch(pull, &surface, def->point);
    return true;
}

// --- bodies

// x of (1 + a K) x = b, K symmetric and not negative.
static Vec3d solve(const double K[3][3], double a, Vec3d b)
{
    double m[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = (i == j) + a * K[i][j];
    Vec3d c0 = {m[0][0], m[1][0], m[2][0]}, c1 = {m[0][1], m[1][1], m[2][1]}, c2 = {m[0][2], m[1][2], m[2][2]};
    double det = vec3d_dot(c0, vec3d_cross(c1, c2));
    return vec3d_scale(
        vec3d(vec3d_dot(b, vec3d_cross(c1, c2)), vec3d_dot(c0, vec3d_cross(b, c2)), vec3d_dot(c0, vec3d_cross(c1, b))), 1 / det);
}

// Velocity of a point of a body per impulse there: 1/m + r x (I^-1 (J x r)), column by column.
static void point_mobility(const SolidBody* body, Vec3d arm, double K[3][3])
{
    static const Vec3d axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int j = 0; j < 3; j++) {
        Vec3d turn = mat3d_times(body->inverse_inertia, vec3d_cross(arm, axis[j]));
        Vec3d v = vec3d_mad(vec3d_cross(turn, arm), body->inverse_mass, axis[j]);
        K[0][j] = v.x;
        K[1][j] = v.y;
        K[2][j] = v.z;
    }
}

// What a spring would give to a point that nothing holds, see above: J = (1 + dt (k dt + c) K)^-1 this.
static Vec3d asked(const Pull* pull, double mass, Vec3d x, Vec3d v, double dt)
{
    double w = 2 * M_PI * pull->frequency, k = mass * w * w, c = 2 * mass * w;
    Vec3d off = vec3d_mad(vec3d_sub(x, pull->target), dt, v);
    return vec3d_scale(vec3d_mad(vec3d_scale(off, k), c, v), -dt);
}

static double softness(const Pull* pull, double mass, double dt)
{
    double w = 2 * M_PI * pull->frequency;
    return dt * (mass * w * w * dt + 2 * mass * w);
}

static Vec3d limited(const Pull* pull, double mass, Vec3d impulse, double dt)
{
    double most = dt * (pull->max_force > 0 ? pull->max_force : STRONGEST * mass * NORMAL_GRAVITY), size = vec3d_length(impulse);
    return size > most ? vec3d_scale(impulse, most / size) : impulse;
}

// [m/s] that gravity and the fluid give to a solid in the step: without them a spring would take its own pull for motion, and sag.
static Vec3d gain(const mn_World* world, const Solid* solid, double mass, double dt)
{
    return vec3d_scale(vec3d_mad(world->def.gravity, 1 / mass, solid->force), dt);
}

static void pull_body(const mn_World* world, const Pull* pull, Solid* solid, double dt)
{
    double K[3][3];
    solid->kind->take_wrench(solid, vec3d(0, 1e-100, 0), vec3d(0, 0, 0)); // wakes it
    SolidBody body = solid->kind->body(solid);
    if (!(body.inverse_mass > 0))
        return;
    Vec3d x = solid_to_world(solid, pull->anchor), arm = vec3d_sub(x, body.centre);
    Vec3d v = vec3d_add(body.velocity, vec3d_cross(body.angular_velocity, arm));
    v = vec3d_add(v, gain(world, solid, body.mass, dt));
    point_mobility(&body, arm, K);
    Vec3d impulse = solve((const double(*)[3])K, softness(pull, body.mass, dt), asked(pull, body.mass, x, v, dt));
    impulse = limited(pull, body.mass, impulse, dt);
    solid->kind->take_wrench(solid, impulse, vec3d_cross(arm, impulse));
}

// --- surfaces that deform: impulses go in as forces over the step, which is implicit there. A patch alone weighs little, and a
// spring that is stable on it could not carry the rest: the body as a whole is pulled by one spring, which accelerates all of it
// alike, and the patch by another one of the same frequency, which makes it lead the way.

// Spread by mass: every vertex is accelerated alike. `inverse` [1/kg] (vertices).
static void push_all(const SolidSurface* s, const double* inverse, Vec3d force)
{
    double mass = 0;
    for (size_t v = 0; v < s->vertex_count; v++)
        mass += inverse[v] > 0 ? 1 / inverse[v] : 0;
    for (size_t v = 0; v < s->vertex_count; v++)
        if (inverse[v] > 0)
            s->force[v] = vec3d_mad(s->force[v], 1 / (inverse[v] * mass), force);
}

static void pull_surface(const mn_World* world, const Pull* pull, Solid* solid, double* inverse, double dt)
{
    SolidSurface s = solid->kind->surface(solid);
    SolidBulk bulk = solid->kind->bulk(solid);
    Vec3d x = {0, 0, 0}, v = {0, 0, 0};
    double mobility = 0;
    solid->kind->vertex_mobility(solid, inverse);
    for (size_t k = 0; k < pull->patch; k++) {
        double w = (double)pull->weight[k];
        uint32_t i = pull->vertex[k];
        x = vec3d_mad(x, w, s.position[i]);
        v = vec3d_mad(v, w, s.velocity[i]);
        mobility += w * w * inverse[i];
    }
    Vec3d more = gain(world, solid, bulk.mass, dt);
    Vec3d whole = asked(pull, bulk.mass, x, vec3d_add(bulk.velocity, more), dt);
    whole = vec3d_scale(whole, 1 / (1 + softness(pull, bulk.mass, dt) / bulk.mass));
    push_all(&s, inverse, vec3d_scale(limited(pull, bulk.mass, whole, dt), 1 / dt));
    if (!(mobility > 0))
        return;
    double mass = 1 / mobility;
    Vec3d lead = vec3d_scale(asked(pull, mass, x, vec3d_sub(v, bulk.velocity), dt), 1 / (1 + softness(pull, mass, dt) * mobility));
    lead = limited(pull, mass, lead, dt);
    for (size_t k = 0; k < pull->patch; k++) {
        Vec3d* force = &s.force[pull->vertex[k]];
        *force = vec3d_mad(*force, (double)pull->weight[k] / dt, lead);
    }
}

static void push_surface(Solid* solid, double* inverse)
{
    SolidSurface s = solid->kind->surface(solid);
    solid->kind->vertex_mobility(solid, inverse);
    push_all(&s, inverse, solid->push);
}

static bool is_pushed(const Solid* solid)
{
    return vec3d_length(solid->push) > 0 || vec3d_length(solid->twist) > 0;
}

static void push_one(mn_World* world, size_t k, double* inverse, double dt)
{
    Solid* solid = &world->solids.solid[k];
    if (is_pushed(solid) && solid->kind->deforms)
        push_surface(solid, inverse);
    else if (is_pushed(solid))
        solid->kind->take_wrench(solid, vec3d_scale(solid->push, dt), vec3d_scale(solid->twist, dt));
    for (size_t p = 0; p < world->pulls.count; p++) {
        const Pull* pull = &world->pulls.pull[p];
        if (!pull->name[0] || pull->solid != (int64_t)k)
            continue;
        if (solid->kind->deforms)
            pull_surface(world, pull, solid, inverse, dt);
        else
            pull_body(world, pull, solid, dt);
    }
}

bool world_push_solids(mn_World* world, double dt)
{
    size_t most = 0;
    bool any = false;
    for (size_t k = 0; k < world->solids.count; k++) {
        const Solid* solid = &world->solids.solid[k];
        bool touched = is_pushed(solid);
        for (size_t p = 0; p < world->pulls.count; p++)
            touched |= world->pulls.pull[p].name[0] && world->pulls.pull[p].solid == (int64_t)k;
        any |= touched;
        if (touched && solid->kind->deforms && solid->kind->surface(solid).vertex_count > most)
            most = solid->kind->surface(solid).vertex_count;
    }
    if (!any)
        return true;
    double* inverse = most ? memory_take(&world->memory, most * sizeof *inverse) : NULL;
    bool ok = !most || inverse;
    for (size_t k = 0; ok && k < world->solids.count; k++)
        if (!world->solids.solid[k].removed && !world->solids.solid[k].kind->is_driven)
            push_one(world, k, inverse, dt);
    memory_give(&world->memory, inverse);
    return ok;
}

// --- fluid: each particle on a spring of its own, weaker towards the rim, whose other end goes to the target no faster than fluid
// can follow: what falls behind by more than the radius would be lost.

static const double FOLLOWS = 0.25; // [w radius]

// The velocity of the held end in the step.
static Vec3d follow_target(Pull* pull, double dt)
{
    Vec3d way = vec3d_sub(pull->target, pull->anchor);
    double length = vec3d_length(way), most = FOLLOWS * 2 * M_PI * pull->frequency * pull->radius * dt;
    if (length > most)
        way = vec3d_scale(way, most / length);
    pull->anchor = length > most ? vec3d_add(pull->anchor, way) : pull->target;
    return vec3d_scale(way, 1 / dt);
}

typedef struct FluidPull {
    const mn_World* world;
    const Pull* pull;
    Vec3d going; // [m/s]
    double dt;
} FluidPull;

static void fluid_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FluidPull* f = context;
    const Vec4* position = *f->world->particles.position;
    Vec4* velocity = *f->world->particles.velocity;
    double w = 2 * M_PI * f->pull->frequency, r2 = f->pull->radius * f->pull->radius;
    for (size_t i = begin; i < end; i++) {
        Vec3d x = {(double)position[i].x, (double)position[i].y, (double)position[i].z};
        Vec3d to = vec3d_sub(f->pull->anchor, x);
        double share = 1 - vec3d_dot(to, to) / r2;
        if (!(share > 0))
            continue;
        share *= share;
        Vec3d v = vec3d_sub(vec3d((double)velocity[i].x, (double)velocity[i].y, (double)velocity[i].z), f->going);
        Vec3d after = vec3d_scale(vec3d_mad(v, f->dt * share * w * w, to), 1 / (1 + share * f->dt * w * (f->dt * w + 2)));
        after = vec3d_add(after, f->going);
        velocity[i] = (Vec4){(float)after.x, (float)after.y, (float)after.z, velocity[i].w};
    }
}

void world_pull_fluid(mn_World* world, double dt)
{
    enum { GRAIN = 4096 };
    for (size_t p = 0; p < world->pulls.count; p++) {
        Pull* pull = &world->pulls.pull[p];
        if (!pull->name[0] || pull->solid >= 0)
            continue;
        FluidPull f = {world, pull, follow_target(pull, dt), dt};
        parallel_for(world->pool, moving_count(&world->particles), GRAIN, fluid_block, &f);
    }
}

// --- state

static size_t pulls_bytes(const void* owner)
{
    return ((const mn_World*)owner)->pulls.count * sizeof(Pull);
}

static void pulls_save(const void* owner, void* out)
{
    const mn_World* world = owner;
    if (world->pulls.count)
        memcpy(out, world->pulls.pull, pulls_bytes(world));
}

static bool is_good(const mn_World* world, const Pull* pull)
{
    if (!memchr(pull->name, 0, sizeof pull->name))
        return false;
    if (!pull->name[0])
        return true;
    if (!(pull->solid >= -1 && pull->solid < (int64_t)world->solids.count && vec3d_finite(pull->anchor) &&
          vec3d_finite(pull->target) && pull->radius > 0 && pull->frequency > 0 && isfinite(pull->frequency) &&
          pull->patch <= PULL_PATCH))
        return false;
    const Solid* solid = pull->solid >= 0 ? &world->solids.solid[pull->solid] : NULL;
    size_t vertices = solid && solid->kind->deforms ? solid->kind->surface(solid).vertex_count : 0;
    for (size_t k = 0; k < pull->patch; k++)
        if (pull->vertex[k] >= vertices || !(pull->weight[k] >= 0 && pull->weight[k] <= 1))
            return false;
    return !solid || !solid->kind->is_driven;
}

static bool pulls_load(void* owner, const void* in, size_t bytes)
{
    mn_World* world = owner;
    size_t count = bytes / sizeof(Pull);
    if (bytes % sizeof(Pull) != 0 || count > 1000000 ||
        !memory_reserve(&world->memory, &world->pulls.pull, &world->pulls.capacity, 0, count, sizeof *world->pulls.pull))
        return false;
    if (count)
        memcpy(world->pulls.pull, in, bytes);
    world->pulls.count = count;
    for (size_t k = 0; k < count; k++)
        if (!is_good(world, &world->pulls.pull[k])) {
            world->pulls.count = 0;
            return false;
        }
    return true;
}

bool world_register_pulls(mn_World* world)
{
    const StateGrowing pulls = {"pulls", PER_OTHER, world, pulls_bytes, pulls_save, pulls_load};
    return register_growing(world->reg, &pulls);
}

// --- what there is to see

size_t mn_world_pull_count(const mn_World* world)
{
    return world->pulls.count;
}

mn_PullView mn_world_pull_view(const mn_World* world, size_t index)
{
    if (index >= world->pulls.count || !world->pulls.pull[index].name[0])
        return (mn_PullView){.name = ""};
    const Pull* pull = &world->pulls.pull[index];
    mn_PullView view = {pull->name, (mn_SolidId)(pull->solid + 1), pull->anchor, pull->target, pull->radius};
    const Solid* solid = pull->solid >= 0 ? &world->solids.solid[pull->solid] : NULL;
    if (solid && solid->kind->deforms) {
        SolidSurface surface = solid->kind->surface(solid);
        view.point = vec3d(0, 0, 0);
        for (size_t k = 0; k < pull->patch; k++)
            view.point = vec3d_mad(view.point, (double)pull->weight[k], surface.position[pull->vertex[k]]);
    } else if (solid) {
        view.point = solid_to_world(solid, pull->anchor);
    }
    return view;
}
