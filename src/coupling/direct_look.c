// SPDX-License-Identifier: MIT
// Who touches what. Only particles that had boundary particles around when the step began can touch a solid at its end, and only
// those that the boundary particles belong to.
#include "coupling/direct.h"

#include <string.h>

enum { FACES_MOST = 3 }; // of one solid that a particle touches at once
enum { TRIES = 32 };     // to put a particle between several surfaces

static Vec3d point_of(Vec4 x)
{
    return vec3d((double)x.x, (double)x.y, (double)x.z);
}

// [r] Pressure stops what comes to a wall before it touches it, fast drops at 1.5 radii. From there on it rebounds, if it is to.
static const double REBOUND = 1.6;
// [r] The layer next to a wall slides along it as its slip says, also where nothing presses it against the wall. Bodies that give
// way are left alone: (9) would have the layer follow each of their jerks.
static const double ALONG = 1.2;

// --- chunks

// The solids around a chunk.
typedef struct Around {
    uint32_t solid[NEAR_SOLIDS];
    int count; // -1: any
} Around;

static size_t around_count(const Direct* d, const Around* a)
{
    return a->count < 0 ? d->solid_count : (size_t)a->count;
}

static uint32_t around_solid(const Around* a, size_t k)
{
    return a->count < 0 ? (uint32_t)k : a->solid[k];
}

// The first chunk of a block.
static size_t block_begin(const Direct* d, size_t block)
{
    return block * block_count(d->sph->fluid.set.count, LANES) / DIRECT_BLOCKS;
}

// --- what a particle touches

typedef struct Found {
    uint32_t solid;
    bool is_near; // not as near as to be stopped
    Touch touch;
} Found;

// Fluid may be in this or another container: where they overlap there is no wall.
static bool is_opening(const Direct* d, uint32_t k, Vec3d to, Vec3d point)
{
    for (size_t c = 0; c < d->solid_count && d->containers > 1; c++) {
        const TouchSolid* t = &d->at[c].touch;
        if (c == k || t->sort != TOUCH_CONTAINER)
            continue;
        if (inside_contains(t->solid->test, pose_to_local(&t->now, point)) ||
            inside_contains(t->solid->test, pose_to_local(&t->now, to)))
            return true;
    }
    return false;
}

// Places and velocities go by pointers along the way of each particle: copies of vectors that were just stored wait for the stores.
static bool find(const Direct* d, uint32_t k, double reach, const Vec3d* from, const Vec3d* to, Touch* touch)
{
    const TouchSolid* t = &d->at[k].touch;
    return t->sort != TOUCH_NONE && touch_find(t, from, to, reach, touch) &&
           !(t->sort == TOUCH_CONTAINER && is_opening(d, k, *to, touch->point));
}

static bool is_known(const Found* found, int count, uint32_t solid, Vec3d normal)
{
    const double SAME = 0.99; // cosine between normals of one face
    for (int n = 0; n < count; n++)
        if (found[n].solid == solid && vec3d_dot(found[n].touch.normal, normal) > SAME)
            return true;
    return false;
}

// Those that fluid rebounds from stop it from afar.
static void stop_at(const Direct* d, Found* found, int count)
{
    for (int n = 0; n < count; n++)
        found[n].is_near = found[n].is_near && !(d->solid[found[n].solid].fluid_restitution > 0);
}

// [m] within which a solid says something about a particle's velocity
static double reach_of(const Direct* d, uint32_t k, bool elastic)
{
    double r = d->sph->radius, near = direct_distance(d);
    if (elastic)
        return REBOUND * r;
    return d->solid[k].slip < 1 && d->at[k].body < 0 ? fmax(ALONG * r, near) : near;
}

// Adds all that a particle touches: of each solid the nearest face and, seen from where that leaves it, the next. `elastic`: of
// those alone that fluid rebounds from.
static int find_all(const Direct* d, const Around* around, bool elastic, const Vec3d* from, const Vec3d* to, int count,
                    Found found[FORCING_TOUCHES])
{
    for (size_t s = 0; s < around_count(d, around); s++) {
        uint32_t k = around_solid(around, s);
        if (d->at[k].soft >= 0 || (elastic && !(d->solid[k].fluid_restitution > 0)))
            continue;
        Vec3d p = *to;
        Touch touch;
        double reach = reach_of(d, k, elastic);
        for (int face = 0; face < FACES_MOST && count < FORCING_TOUCHES; face++) {
            if (!find(d, k, reach, from, &p, &touch) || is_known(found, count, k, touch.normal))
                break;
            found[count++] = (Found){k, !elastic && touch.gap > direct_distance(d), touch};
            if (touch.alone)
                break;
            p = vec3d_mad(p, reach - touch.gap, touch.normal);
        }
    }
    return count;
}

// --- velocities

// The share of the tangential velocity that a step leaves: `slip` for each spacing that the particle slides by, so that (8) is as
// printed where a step takes it a spacing farther. Stopping a share of the layer in every step would stop all of it sooner the
// shorter steps are; this is a stress of -ln(slip) rho v^2 on the wall, whatever the step and the spacing.
double direct_slip(const Direct* d, double slip, Vec3d relative, Vec3d normal, double dt)
{
    if (!(slip > 0 && slip < 1))
        return slip;
    Vec3d tangent = vec3d_mad(relative, -vec3d_dot(relative, normal), normal);
    return pow(slip, dt * vec3d_length(tangent) / (2 * d->sph->radius));
}

static ForcingTouch touch_of(const Direct* d, const Found* f, const Vec3d* point, const Vec3d* velocity, double dt)
{
    const DirectSolid* at = &d->at[f->solid];
    const Solid* solid = at->touch.solid;
    Vec3d belt = solid->surface_velocity, before = belt, after = belt;
    if (at->moves) {
        Vec3d arm = vec3d_sub(*point, at->centre);
        before = vec3d_add(vec3d_add(at->before.linear, vec3d_cross(at->before.angular, arm)), belt);
        after = vec3d_add(vec3d_add(at->after.linear, vec3d_cross(at->after.angular, arm)), belt);
    }
    return (ForcingTouch){.body = at->body,
                          .solid = f->solid,
                          .normal = f->touch.normal,
                          .slip = direct_slip(d, solid->slip, vec3d_sub(*velocity, after), f->touch.normal, dt),
                          .restitution = solid->fluid_restitution,
                          .is_near = f->is_near,
                          .before = before,
                          .after = after,
                          .drift = at->body < 0 ? after : belt};
}

// The velocity as it is kept in single precision. Not inline: gcc 12 forgets the rounding when it vectorizes a store and the load
// after it, and the solid would not get exactly what the particle loses.
__attribute__((noinline)) Vec3d direct_keep_velocity(Vec4* u, Vec3d v)
{
    *u = (Vec4){(float)v.x, (float)v.y, (float)v.z, u->w};
    return point_of(*u);
}

static void push_wall(const Direct* d, DirectBlock* block, uint32_t solid, Vec3d point, Vec3d impulse)
{
    Twist* push = &block->push[solid];
    push->linear = vec3d_add(push->linear, impulse);
    push->angular = vec3d_add(push->angular, vec3d_cross(vec3d_sub(point, d->solid[solid].pose.position), impulse));
}

// What the particle gets, solids that do not give way lose.
static Vec3d correct(const Direct* d, DirectBlock* block, const ForcingContact* c, Vec3d velocity)
{
    if (d->sph->kernel.dimension == 2)
        velocity.z = 0;
    Vec3d kept = direct_keep_velocity(&d->sph->fluid.velocity[c->particle], velocity);
    Vec3d impulse = vec3d_scale(vec3d_sub(kept, c->velocity), c->mass);
    for (int t = 0; t < c->touches; t++)
        if (c->touch[t].body < 0)
            push_wall(d, block, c->touch[t].solid, c->point, forcing_push(c, t, impulse));
    return impulse;
}

// Most contacts are with one wall, and need nothing but its condition.
static void stop_at_wall(const Direct* d, DirectBlock* block, const ForcingTouch* t, uint32_t i, const Vec3d* before, double mass)
{
    Vec4* u = &d->sph->fluid.velocity[i];
    Vec3d v = point_of(*u), wanted = forcing_at_wall(before, &v, t);
    if (d->sph->kernel.dimension == 2)
        wanted.z = 0;
    Vec3d kept = direct_keep_velocity(u, wanted);
    push_wall(d, block, t->solid, point_of(d->sph->fluid.position[i]), vec3d_scale(vec3d_sub(v, kept), mass));
}

static bool keep_contact(Direct* d, DirectBlock* block, const ForcingContact* c)
{
    ForcingList* list = &block->list;
    if (!memory_reserve(d->memory, &list->contact, &list->capacity, list->count, list->count + 1, sizeof *list->contact))
        return false;
    list->contact[list->count++] = *c;
    return true;
}

typedef struct Look {
    Direct* direct;
    double dt;
} Look;

// False: it touches nothing.
static bool look_at(const Look* look, DirectBlock* block, const Around* around, uint32_t i)
{
    Direct* d = look->direct;
    const Fluid* fluid = &d->sph->fluid;
    Vec4 u = fluid->velocity[i];
    Vec3d x = point_of(fluid->position[i]), v = point_of(u), before = d->rebounds ? point_of(fluid->before[i]) : v;
    Found found[FORCING_TOUCHES];
    Vec3d to = vec3d_mad(x, look->dt, v);
    int count = find_all(d, around, false, &x, &to, 0, found);
    if (d->rebounds) { // from where it was bound for before pressure stopped it
        to = vec3d_mad(x, look->dt, before);
        count = find_all(d, around, true, &x, &to, count, found);
    }
    stop_at(d, found, count);
    if (count == 0)
        return false;
    double mass = (double)(d->sph->mass_volume * d->sph->material[(int)u.w].density);
    block->contacts++;
    if (count == 1 && d->at[found[0].solid].body < 0) {
        ForcingTouch touch = touch_of(d, &found[0], &x, &v, look->dt);
        stop_at_wall(d, block, &touch, i, &before, mass);
        return true;
    }
    ForcingContact c; // long, and what it has of further touches is not looked at
    c.particle = i;
    c.touches = count;
    c.mass = mass;
    c.point = x;
    c.before = before;
    c.velocity = v;
    bool gives = false;
    for (int t = 0; t < count; t++) {
        c.touch[t] = touch_of(d, &found[t], &x, &v, look->dt);
        gives |= c.touch[t].body >= 0;
    }
    forcing_aim(&c);
    if (gives)
        block->failed |= !keep_contact(d, block, &c);
    else
        correct(d, block, &c, c.aim);
    return true;
}

static bool is_any_moving(const Direct* d, const Around* around)
{
    for (size_t s = 0; s < around_count(d, around); s++)
        if (d->at[around_solid(around, s)].moves)
            return true;
    return false;
}

// What chunks will be asked for is scattered in memory: that of the next ones of the block that have their turn is asked for
// before.
typedef struct Ahead {
    size_t chunk, end;
    int count; // of those that were asked for and did not have their turn
} Ahead;

enum { AHEAD = 6 };

static void ask_for(const Vec4* of, size_t chunk)
{
    for (size_t lane = 0; lane < LANES; lane += 4) // four to a line
        __builtin_prefetch(of + LANES * chunk + lane);
}

static void ask_ahead(const Direct* d, Ahead* ahead)
{
    const Fluid* fluid = &d->sph->fluid;
    for (; ahead->chunk < ahead->end && ahead->count < AHEAD; ahead->chunk++) {
        const NearBoundary* near = d->sph->neighbours.chunk[ahead->chunk].near;
        if (!near)
            continue;
        ahead->count++;
        near_prefetch(near);
        ask_for(fluid->position, ahead->chunk);
        ask_for(fluid->velocity, ahead->chunk);
    }
    ahead->count--;
}

static void ask_ahead_again(const Direct* d, Ahead* ahead)
{
    const Fluid* fluid = &d->sph->fluid;
    for (; ahead->chunk < ahead->end && ahead->count < AHEAD; ahead->chunk++) {
        if (!d->chunk[ahead->chunk].lanes)
            continue;
        ahead->count++;
        ask_for(fluid->position, ahead->chunk);
        ask_for(fluid->set.scratch, ahead->chunk);
    }
    ahead->count--;
}

static void look_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const Look* look = context;
    Direct* d = look->direct;
    DirectBlock* block = &d->block[number];
    block->list.count = block->contacts = 0;
    block->failed = false;
    memset(block->push, 0, d->solid_count * sizeof *block->push);
    Ahead ahead = {block_begin(d, number), block_begin(d, number + 1), 0};
    for (size_t c = block_begin(d, number); c < block_begin(d, number + 1); c++) {
        const NearBoundary* near = d->sph->neighbours.chunk[c].near;
        d->chunk[c] = (DirectChunk){-1, 0};
        if (!near)
            continue;
        ask_ahead(d, &ahead);
        Around around;
        around.count = near_solids(near, d->sph->walls.solid, around.solid);
        unsigned touching = 0;
        for (uint32_t lane = 0; lane < LANES; lane++)
            if (near->lanes >> lane & 1 && LANES * c + lane < d->sph->fluid.set.count)
                touching |= (unsigned)look_at(look, block, &around, (uint32_t)(LANES * c) + lane) << lane;
        d->chunk[c] = (DirectChunk){near->solid, is_any_moving(d, &around) ? near->lanes : touching};
    }
}

bool direct_look(Direct* d, double dt)
{
    size_t chunks = block_count(d->sph->fluid.set.count, LANES);
    if (!memory_reserve(d->memory, &d->chunk, &d->chunk_capacity, 0, chunks + 1, sizeof *d->chunk))
        return false;
    parallel_for(d->sph->pool, DIRECT_BLOCKS, 1, look_block, &(Look){d, dt});
    bool ok = true;
    d->contacts = 0;
    for (int b = 0; b < DIRECT_BLOCKS; b++) {
        d->list[b] = d->block[b].list;
        d->contacts += d->block[b].contacts;
        ok = ok && !d->block[b].failed;
    }
    return ok;
}

static void soft_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const Look* look = context;
    Direct* d = look->direct;
    DirectBlock* block = &d->block[number];
    block->soft_count = 0;
    for (size_t c = block_begin(d, number); c < block_begin(d, number + 1); c++) {
        const NearBoundary* near = d->sph->neighbours.chunk[c].near;
        if (!near)
            continue;
        Around around;
        around.count = near_solids(near, d->sph->walls.solid, around.solid);
        for (size_t s = 0; s < around_count(d, &around); s++)
            for (uint32_t lane = 0; lane < LANES && d->at[around_solid(&around, s)].soft >= 0; lane++)
                if (near->lanes >> lane & 1 && LANES * c + lane < d->sph->fluid.set.count)
                    block->failed |= !direct_soft_touch(d, block, around_solid(&around, s), (uint32_t)(LANES * c) + lane, look->dt);
    }
}

bool direct_soft_look(Direct* d, double dt)
{
    bool ok = true;
    parallel_for(d->sph->pool, DIRECT_BLOCKS, 1, soft_block, &(Look){d, dt});
    for (int b = 0; b < DIRECT_BLOCKS; b++)
        ok = ok && !d->block[b].failed;
    return ok;
}

// --- contacts with bodies

typedef struct Correction {
    Direct* direct;
    ForcingProblem problem;
} Correction;

static void correct_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const Correction* job = context;
    Direct* d = job->direct;
    for (size_t k = 0; k < d->list[number].count; k++) {
        ForcingContact* c = &d->list[number].contact[k];
        Vec3d v = d->response == MN_RESPONSE_LOCAL ? vec3d_mad(c->velocity, 1 / c->mass, forcing_local(&job->problem, c))
                                                   : forcing_velocity(&job->problem, c);
        c->aim = correct(d, &d->block[number], c, v); // from here on: what it got
    }
}

void direct_correct(Direct* d)
{
    Correction job = {d, direct_problem(d)};
    parallel_for(d->sph->pool, DIRECT_BLOCKS, 1, correct_block, &job);
    for (size_t m = 0; m < job.problem.body_count; m++)
        d->impulse[m] = (Twist){0};
    for (int b = 0; b < DIRECT_BLOCKS; b++)
        for (size_t k = 0; k < d->list[b].count; k++) {
            const ForcingContact* c = &d->list[b].contact[k];
            for (int t = 0; t < c->touches; t++) {
                int32_t m = c->touch[t].body;
                bool seen = m < 0;
                for (int e = 0; e < t; e++)
                    seen |= c->touch[e].body == m;
                if (seen)
                    continue;
                Twist back = forcing_reaction(&job.problem, c, m, c->aim);
                d->impulse[m].linear = vec3d_add(d->impulse[m].linear, back.linear);
                d->impulse[m].angular = vec3d_add(d->impulse[m].angular, back.angular);
            }
        }
}

// --- positions

// Eq. 20 for one surface after the other, until all are far enough; between surfaces that leave no room it stays where the last try
// puts it. Returns how far it went.
static double part_particle(Direct* d, const Around* around, uint32_t i)
{
    const double NEAR = 1e-4 * d->sph->radius; // off by this much is no reason to look again
    Fluid* fluid = &d->sph->fluid;
    Vec3d from = point_of(fluid->set.scratch[i]), to = point_of(fluid->position[i]), p = to;
    for (int try = 0; try < TRIES; try++) {
        double most = 0;
        for (size_t s = 0; s < around_count(d, around); s++) {
            Touch touch;
            if (!find(d, around_solid(around, s), direct_distance(d), &from, &p, &touch))
                continue;
            double by = direct_distance(d) - touch.gap;
            p = vec3d_mad(p, by, touch.normal);
            most = fmax(most, by);
        }
        if (!(most > NEAR))
            break;
    }
    double moved = vec3d_distance(p, to);
    if (moved > 0)
        fluid->position[i] = (Vec4){(float)p.x, (float)p.y, (float)p.z, fluid->position[i].w};
    return moved;
}

static void part_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    Direct* d = context;
    DirectBlock* block = &d->block[number];
    block->moved = 0;
    block->distance = 0;
    Ahead ahead = {block_begin(d, number), block_begin(d, number + 1), 0};
    for (size_t c = block_begin(d, number); c < block_begin(d, number + 1); c++) {
        const DirectChunk* chunk = &d->chunk[c];
        if (!chunk->lanes)
            continue;
        ask_ahead_again(d, &ahead);
        Around around = {{(uint32_t)chunk->solid}, 1};
        if (chunk->solid < 0)
            around.count = near_solids(d->sph->neighbours.chunk[c].near, d->sph->walls.solid, around.solid);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if (!(chunk->lanes >> lane & 1) || LANES * c + lane >= d->sph->fluid.set.count)
                continue;
            double moved = part_particle(d, &around, (uint32_t)(LANES * c) + lane);
            block->moved += moved > 0;
            block->distance += moved;
        }
    }
}

void direct_part(Direct* d)
{
    parallel_for(d->sph->pool, DIRECT_BLOCKS, 1, part_block, d);
    d->moved = 0;
    d->distance = 0;
    for (int b = 0; b < DIRECT_BLOCKS; b++) {
        d->moved += d->block[b].moved;
        d->distance += d->block[b].distance;
    }
}
