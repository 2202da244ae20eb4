// SPDX-License-Identifier: MIT
#include "fluid/emitter.h"

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

// Speed at a point of the nozzle, in terms of the mean.
static double profile_at(const mn_Emitter* def, int dimension, double x, double z)
{
    if (def->profile == MN_PROFILE_UNIFORM)
        return 1;
    double half = def->type == MN_EMITTER_BOX ? 0.5 * def->size[0] : def->size[0], deep = 0.5 * def->size[1];
    double across = fmax(0, 1 - x * x / (half * half));
    if (dimension == 2)
        return 1.5 * across;
    if (def->type == MN_EMITTER_DISC)
        return 2 * fmax(0, 1 - (x * x + z * z) / (half * half));
    return 2.25 * across * fmax(0, 1 - z * z / (deep * deep));
}

double emitter_top_speed(const mn_Emitter* def)
{
    double speed = def->speed_count ? 0 : def->speed;
    for (size_t k = 0; k < def->speed_count; k++)
        speed = fmax(speed, def->speeds[k].speed);
    return (speed + def->speed_amplitude) * profile_at(def, 3, 0, 0); // 3D has the faster middle
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

// --- columns

static bool in_nozzle(const mn_Emitter* def, int dimension, double x, double z)
{
    if (def->type == MN_EMITTER_BOX)
        return fabs(x) <= 0.5 * def->size[0] && (dimension == 2 || fabs(z) <= 0.5 * def->size[1]);
    return x * x + (dimension == 3 ? z * z : 0) <= def->size[0] * def->size[0];
}

static double area_of(const mn_Emitter* def, int dimension)
{
    if (dimension == 2)
        return def->type == MN_EMITTER_BOX ? def->size[0] : 2 * def->size[0];
    return def->type == MN_EMITTER_BOX ? def->size[0] * def->size[1] : M_PI * def->size[0] * def->size[0];
}

// Columns of n[0] x n[1] cells over the nozzle whose middles are in it; phases are those of an irrational lattice, so that at any
// moment about as many columns are at one phase as at any other. `out` may be NULL: they are only counted.
static size_t lay_columns(const mn_Emitter* def, int dimension, const int n[2], EmitterColumn* out)
{
    bool box = def->type == MN_EMITTER_BOX;
    double width = box ? def->size[0] : 2 * def->size[0], depth = box ? def->size[1] : 2 * def->size[0];
    size_t count = 0;
    for (int k = 0; k < n[1]; k++)
        for (int i = 0; i < n[0]; i++) {
            double x = width * ((i + 0.5) / n[0] - 0.5), z = dimension == 3 ? depth * ((k + 0.5) / n[1] - 0.5) : 0;
            if (!in_nozzle(def, dimension, x, z))
                continue;
            double phase = dimension == 3 ? 0.7548776662466927 * i + 0.5698402909980532 * k : 0.6180339887498949 * i;
            if (out)
                out[count] = (EmitterColumn){.x = x, .z = z, .phase = phase - floor(phase)};
            count++;
        }
    return count;
}

// The nearest number of cells to a length, in proportion.
static int cells_on(double length, double spacing)
{
    double share = length / spacing, low = fmax(1, floor(share));
    return (int)(share * share > low * (low + 1) ? low + 1 : low);
}

bool emitter_init(Emitter* e, const mn_Emitter* def, int kind, int number, double radius, int dimension)
{
    double d = 2 * radius, area = area_of(def, dimension) / pow(d, dimension - 1);
    bool box = def->type == MN_EMITTER_BOX;
    int n[2] = {cells_on(box ? def->size[0] : 2 * def->size[0], d),
                dimension == 3 ? cells_on(box ? def->size[1] : 2 * def->size[0], d) : 1};
    *e = (Emitter){.def = *def, .kind = kind, .number = number, .solid = -1, .told = -1};
    e->def.speeds = NULL;
    e->def.motion = NULL;
    e->def.solid = e->solid_name = def->solid ? strdup(def->solid) : NULL;
    e->column_count = lay_columns(def, dimension, n, NULL);
    e->column = calloc(e->column_count, sizeof *e->column);
    bool ok = e->column != NULL && (!def->solid || e->solid_name);
    if (ok && def->speed_count && (ok = (e->def.speeds = malloc(def->speed_count * sizeof *def->speeds)) != NULL))
        memcpy(e->def.speeds, def->speeds, def->speed_count * sizeof *def->speeds);
    if (ok && def->motion_count && (ok = (e->def.motion = malloc(def->motion_count * sizeof *def->motion)) != NULL))
        memcpy(e->def.motion, def->motion, def->motion_count * sizeof *def->motion);
    if (!ok) {
        emitter_free(e);
        return false;
    }
    lay_columns(def, dimension, n, e->column);
    double sum = 0; // columns together deliver the mean speed
    for (size_t k = 0; k < e->column_count; k++)
        sum += e->column[k].share = profile_at(def, dimension, e->column[k].x, e->column[k].z);
    for (size_t k = 0; k < e->column_count; k++)
        e->column[k].share *= sum > 0 ? (double)e->column_count / sum : 1;
    e->step = d * (double)e->column_count / area;
    e->pose = (mn_Pose){def->position, def->rotation};
    return true;
}

void emitter_free(Emitter* e)
{
    free(e->column);
    free(e->solid_name);
    free(e->def.speeds);
    free(e->def.motion);
    e->column = NULL;
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
    return !is_occupied(r->to, r->known, p, LEAST_APART * 2 * r->to->radius) && r->to->is_open(r->to->context, p, r->outside);
}

// All that is due of a column. Who finds its place taken tries again in the next steps, one at a time, between the nozzle and where
// the next one will start. False: out of memory.
static bool release_column(const Release* r, EmitterColumn* c)
{
    enum { WAITING = 6 }; // what is due beyond that is lost
    Emitter* e = r->emitter;
    uint64_t due = (uint64_t)floor(e->path * c->share / e->step + c->phase);
    while (c->released < due && !is_done(e)) {
        double ahead = e->path * c->share - ((double)(c->released + 1) - c->phase) * e->step;
        bool waited = ahead > r->path * c->share;
        Vec3d p = pose_to_world(&e->pose, vec3d(c->x, waited ? fmod(ahead, e->step) : ahead, c->z));
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
    e->asked += path / e->step * (double)e->column_count;
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
    for (size_t k = 0; k < e->column_count; k++)
        if (!release_column(&r, &e->column[k]))
            return false;
    return true;
}

// --- pushing

typedef struct Drive {
    const Emitter* emitter;
    const EmitterTarget* to;
    double speed;
} Drive;

// Outwards across the jet, from the nearest point of the nozzle's outline to a point beside it, and how far that is [m]; 0 within.
static double beside_nozzle(const mn_Emitter* def, int dimension, Vec3d local, Vec3d* outwards)
{
    Vec3d across = {local.x, 0, dimension == 3 ? local.z : 0}, nearest = across;
    double r = vec3d_length(across);
    if (def->type == MN_EMITTER_DISC) {
        nearest = r > def->size[0] ? vec3d_scale(across, def->size[0] / r) : across;
    } else {
        nearest.x = fmax(-0.5 * def->size[0], fmin(0.5 * def->size[0], across.x));
        nearest.z = dimension == 3 ? fmax(-0.5 * def->size[1], fmin(0.5 * def->size[1], across.z)) : 0;
    }
    Vec3d away = vec3d_sub(across, nearest);
    double distance = vec3d_length(away);
    *outwards = distance > 0 ? vec3d_scale(away, 1 / distance) : away;
    return distance;
}

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
    double d = 2 * drive->to->radius, reach = 4 * d + vec3d_length(vec3d(e->def.size[0], e->def.size[1], 0));
    Vec3d jet = quat_rotate(e->pose.rotation, vec3d(0, 1, 0)), outwards;
    for (size_t i = begin; i < end; i++) {
        Vec3d p = {(double)position[i].x, (double)position[i].y, (double)position[i].z};
        Vec3d away = vec3d_sub(p, e->pose.position);
        double along = vec3d_dot(away, jet);
        if (along < -HOLD * d || along >= PUSH * d || vec3d_dot(away, away) > reach * reach)
            continue;
        Vec3d local = quat_unrotate(e->pose.rotation, away);
        double beside = beside_nozzle(&e->def, drive->to->dimension, local, &outwards);
        if (beside > HOLD * d)
            continue;
        Vec3d v = {(double)velocity[i].x, (double)velocity[i].y, (double)velocity[i].z};
        if (beside > 0)
            v = held_back(e, p, v, quat_rotate(e->pose.rotation, outwards));
        else if (along < 0)
            v = held_back(e, p, v, vec3d_scale(jet, -1));
        else
            v = jet_velocity(e, p, drive->speed * profile_at(&e->def, drive->to->dimension, local.x, local.z));
        velocity[i] = (Vec4){(float)v.x, (float)v.y, (float)v.z, velocity[i].w};
    }
}

void emitter_drive(const Emitter* e, const EmitterTarget* to, double time, Pool* pool)
{
    enum { GRAIN = 4096 };
    bool active = time >= e->def.start && time < e->def.end && !is_done(e);
    Drive drive = {e, to, active ? speed_at(e, time) : 0};
    if (drive.speed > 0)
        parallel_for(pool, moving_count(to->particles), GRAIN, drive_block, &drive);
}
