// SPDX-License-Identifier: MIT
#include "fluid/emitter.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

// Nearest that a particle may be born to another, how far nozzles push, and behind and beside that hold back [spacings].
static const double LEAST_APART = 0.35, PUSH = 2, HOLD = 1;

// --- speed

double emitter_speed(const mn_Emitter* def, double time)
{
    double speed = def->speed;
    if (def->speed_count) {
        const mn_SpeedKey* key = def->speeds;
        size_t n = def->speed_count, k = 0;
        while (k < n && key[k].time <= time)
            k++;
        if (k == 0 || k == n)
            speed = key[k ? n - 1 : 0].speed;
        else
            speed =
                key[k - 1].speed + (key[k].speed - key[k - 1].speed) * (time - key[k - 1].time) / (key[k].time - key[k - 1].time);
    }
    return fmax(0, speed + def->speed_amplitude * sin(2 * M_PI * def->speed_frequency * time));
}

static double speed_at(const Emitter* e, double time)
{
    return e->off > 0 ? 0 : e->told >= 0 ? e->told : emitter_speed(&e->def, time);
}

double emitter_top_speed(const mn_Emitter* def)
{
    double speed = def->speed_count ? 0 : def->speed;
    for (size_t k = 0; k < def->speed_count; k++)
        speed = fmax(speed, def->speeds[k].speed);
    static const double fastest[] = {[MN_EMITTER_BOX] = 2.25, [MN_EMITTER_DISC] = 2, [MN_EMITTER_SHAPE] = 1}; // in 3D
    return (speed + def->speed_amplitude) * (def->profile == MN_PROFILE_UNIFORM ? 1 : fastest[def->type]);
}

// [m] that fluid moves on between two times; long steps of pulsed jets are cut.
static double path_between(const Emitter* e, double from, double to)
{
    const mn_Emitter* def = &e->def;
    from = fmax(from, def->start);
    to = fmin(to, def->end);
    if (!(to > from))
        return 0;
    double period = def->speed_frequency > 0 ? 1 / def->speed_frequency : (double)INFINITY;
    int cuts = (int)fmin(1000, ceil(20 * (to - from) / period) + (def->speed_count ? 4 : 1));
    double sum = 0, h = (to - from) / cuts;
    for (int k = 0; k < cuts; k++)
        sum += h * speed_at(e, from + (k + 0.5) * h);
    return sum;
}

// --- making

mn_Result emitter_init(Emitter* e, const mn_Emitter* def, int kind, int number, double radius, int dimension, const char* folder,
                       mn_Error* error)
{
    double d = 2 * radius;
    *e = (Emitter){.def = *def, .kind = kind, .number = number, .solid = -1, .told = -1};
    e->def.speeds = NULL;
    e->def.motion = NULL;
    e->def.shape.file = NULL;
    e->def.solid = NULL;
    mn_Result result = nozzle_init(&e->nozzle, def, d, dimension, folder, error);
    if (result != MN_OK)
        return result;
    e->def.solid = e->solid_name = def->solid ? strdup(def->solid) : NULL;
    bool ok = !def->solid || e->solid_name;
    if (ok && def->speed_count && (ok = (e->def.speeds = malloc(def->speed_count * sizeof *def->speeds)) != NULL))
        memcpy(e->def.speeds, def->speeds, def->speed_count * sizeof *def->speeds);
    if (ok && def->motion_count && (ok = (e->def.motion = malloc(def->motion_count * sizeof *def->motion)) != NULL))
        memcpy(e->def.motion, def->motion, def->motion_count * sizeof *def->motion);
    if (!ok) {
        emitter_free(e);
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for an emitter");
    }
    e->step = d * (double)e->nozzle.column_count * pow(d, dimension - 1) / e->nozzle.area;
    e->pose = (mn_Pose){def->position, def->rotation};
    return MN_OK;
}

void emitter_free(Emitter* e)
{
    nozzle_free(&e->nozzle);
    free(e->solid_name);
    free(e->def.speeds);
    free(e->def.motion);
    e->def.speeds = NULL;
    e->def.motion = NULL;
}

// --- where it is

void emitter_place(Emitter* e, const Solid* solid, double time, double dt)
{
    e->angular = e->velocity = vec3d(0, 0, 0);
    if (e->solid >= 0) {
        const Solid* s = &solid[e->solid];
        e->pose = (mn_Pose){solid_to_world(s, e->ride.position), quat_normalise(quat_mul(s->pose.rotation, e->ride.rotation))};
        e->velocity = vec3d_sub(solid_velocity_at(s, e->pose.position), s->surface_velocity);
        e->angular = s->angular_velocity;
    } else if (e->def.motion_count) {
        const mn_Emitter* def = &e->def;
        mn_Pose next = motion_pose_at(def->motion, def->motion_count, def->interpolation, time + dt);
        e->pose = motion_pose_at(def->motion, def->motion_count, def->interpolation, time);
        e->velocity = vec3d_scale(vec3d_sub(next.position, e->pose.position), 1 / dt);
    }
}

// What fluid has at a point of the nozzle.
static Vec3d jet_velocity(const Emitter* e, Vec3d point, double speed)
{
    Vec3d jet = vec3d_scale(quat_rotate(e->pose.rotation, vec3d(0, 1, 0)), speed);
    Vec3d own = vec3d_add(e->velocity, vec3d_cross(e->angular, vec3d_sub(point, e->pose.position)));
    return vec3d_add(jet, own);
}

// --- releasing

// Whether a particle of the last sort is closer than `distance` to `p`. Positions have moved by less than a support since.
static bool is_occupied(const EmitterTarget* to, size_t known, Vec3d p, double distance)
{
    const CellGrid* grid = to->grid;
    const Vec4* position = *to->particles->position;
    if (grid->segment_count == 0)
        return false;
    SegmentKey key = {grid_column(grid, p.x) >> 6, grid_row(grid, (float)p.y), grid_row(grid, (float)p.z)};
    uint32_t around[27];
    if (!grid_around(grid, key, around))
        return false;
    int32_t low = grid_column(grid, p.x - grid->cell), high = grid_column(grid, p.x + grid->cell);
    for (int row = 0; row < 9; row++) {
        uint32_t begin, end;
        grid_run(grid, key, around, row, low, high, &begin, &end);
        for (uint32_t j = begin; j < end && j < known; j++) {
            Vec4 q = position[j];
            Vec3d d = vec3d_sub(vec3d((double)q.x, (double)q.y, (double)q.z), p);
            if (vec3d_dot(d, d) < distance * distance)
                return true;
        }
    }
    return false;
}

static bool is_done(const Emitter* e)
{
    return e->def.limit >= 0 && e->emitted >= e->def.limit;
}

typedef struct Release {
    Emitter* emitter;
    const EmitterTarget* to;
    double speed; // [m/s]
    double path;  // [m] that the fluid has moved on since the last time
    size_t known; // particles that the grid knows
    bool outside; // the nozzle is in no container
    uint64_t *next_id, *out_emitted;
} Release;

static bool is_free(const Release* r, Vec3d p)
{
    if (moving_count(r->to->particles) >= r->to->most && !r->outside)
        return false;
    return !is_occupied(r->to, r->known, p, LEAST_APART * 2 * r->to->radius) && r->to->is_open(r->to->context, p, r->outside);
}

// All that is due of a column. Who finds its place taken tries again in the next steps, one at a time, between the nozzle and where
// the next one will start. False: out of memory.
static bool release_column(const Release* r, NozzleColumn* c)
{
    enum { WAITING = 6 }; // what is due beyond that is lost
    Emitter* e = r->emitter;
    uint64_t due = (uint64_t)floor(e->path * c->share / e->step + c->phase);
    while (c->released < due && !is_done(e)) {
        double ahead = e->path * c->share - ((double)(c->released + 1) - c->phase) * e->step;
        bool waited = ahead > r->path * c->share;
        Vec3d p = pose_to_world(&e->pose, vec3d(c->x, c->y + (waited ? fmod(ahead, e->step) : ahead), c->z));
        if (r->to->dimension == 2)
            p.z = 0;
        bool born = is_free(r, p);
        if (born && !moving_append(r->to->particles, p, jet_velocity(e, p, r->speed * c->share), e->kind, (uint32_t)*r->next_id))
            return false;
        if (!born && due - c->released <= WAITING)
            return true;
        c->released++;
        *r->next_id += born;
        *r->out_emitted += born;
        e->emitted += born;
        if (waited)
            return true;
    }
    return true;
}

bool emitter_release(Emitter* e, const EmitterTarget* to, double time, uint64_t* next_id, uint64_t* out_emitted)
{
    double path = path_between(e, e->clock, time);
    e->clock = time;
    if (is_done(e) || (!(path > 0) && time >= e->def.end))
        return true;
    e->path += path;
    e->asked += path / e->step * (double)e->nozzle.column_count;
    if (e->def.limit >= 0)
        e->asked = fmin(e->asked, (double)e->def.limit);
    Release r = {e,
                 to,
                 speed_at(e, time),
                 path * (1 + 1e-9),
                 moving_count(to->particles),
                 !to->is_open(to->context, e->pose.position, false),
                 next_id,
                 out_emitted};
    for (size_t k = 0; k < e->nozzle.column_count; k++)
        if (!release_column(&r, &e->nozzle.column[k]))
            return false;
    return true;
}

// --- pushing

typedef struct Drive {
    const Emitter* emitter;
    const EmitterTarget* to;
    double speed;
} Drive;

// Takes the part of a velocity away that goes against a direction, seen from the nozzle.
static Vec3d held_back(const Emitter* e, Vec3d p, Vec3d had, Vec3d direction)
{
    double against = vec3d_dot(vec3d_sub(had, jet_velocity(e, p, 0)), direction);
    return vec3d_sub(had, vec3d_scale(direction, fmin(against, 0)));
}

static void drive_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Drive* drive = context;
    const Emitter* e = drive->emitter;
    const Vec4* position = *drive->to->particles->position;
    Vec4* velocity = *drive->to->particles->velocity;
    double d = 2 * drive->to->radius, reach = 4 * d + e->nozzle.reach;
    Vec3d jet = quat_rotate(e->pose.rotation, vec3d(0, 1, 0)), outwards;
    for (size_t i = begin; i < end; i++) {
        Vec3d p = {(double)position[i].x, (double)position[i].y, (double)position[i].z};
        Vec3d away = vec3d_sub(p, e->pose.position);
        if (vec3d_dot(away, away) > reach * reach)
            continue;
        Vec3d local = quat_unrotate(e->pose.rotation, away);
        double y, beside = nozzle_beside(&e->nozzle, local, &outwards, &y), along = vec3d_dot(away, jet) - y;
        if (beside > HOLD * d || along < -HOLD * d || along >= PUSH * d)
            continue;
        Vec3d v = {(double)velocity[i].x, (double)velocity[i].y, (double)velocity[i].z};
        if (beside > 0)
            v = held_back(e, p, v, quat_rotate(e->pose.rotation, outwards));
        else if (along < 0)
            v = held_back(e, p, v, vec3d_scale(jet, -1));
        else
            v = jet_velocity(e, p, drive->speed * nozzle_profile(&e->nozzle, local.x, local.z));
        velocity[i] = (Vec4){(float)v.x, (float)v.y, (float)v.z, velocity[i].w};
    }
}

void emitter_drive(const Emitter* e, const EmitterTarget* to, double time, Pool* pool)
{
    enum { GRAIN = 4096 };
    bool active = time >= e->def.start && time < e->def.end && !is_done(e);
    Drive drive = {e, to, active ? speed_at(e, time) : 0};
    bool is_stuck = moving_count(to->particles) >= to->most && to->is_open(to->context, e->pose.position, false);
    if (drive.speed > 0 && !is_stuck)
        parallel_for(pool, moving_count(to->particles), GRAIN, drive_block, &drive);
}
