// SPDX-License-Identifier: MIT
#include "elastic/obstacle.h"

int elastic_add_obstacle(ElasticSet* set, const ElasticObstacleDef* def)
{
    if (!memory_reserve(set->memory, &set->obstacle, &set->obstacle_capacity, set->obstacle_count, set->obstacle_count + 1,
                        sizeof *set->obstacle))
        return -1;
    set->obstacle[set->obstacle_count] =
        (Obstacle){.def = *def, .from = def->pose, .to = def->pose, .seen = def->pose, .sharp = {.cells = {.memory = set->memory}}};
    return (int)set->obstacle_count++;
}

void elastic_place_mesh(ElasticSet* set, int obstacle, const TriMesh* mesh)
{
    set->obstacle[obstacle].def.mesh = mesh;
}

void elastic_move_obstacle(ElasticSet* set, int obstacle, const mn_Pose* from, const mn_Pose* to)
{
    Obstacle* o = &set->obstacle[obstacle];
    o->from = *from;
    o->to = *to;
    o->impulse = o->moment = o->kick = o->spin = o->shift = o->hit = o->hit_moment = vec3d(0, 0, 0);
    o->hit_work = 0;
    o->turn = quat_identity();
    o->weight = (ElasticWeight){0};
}

void obstacles_forget_features(ElasticSet* set)
{
    for (size_t k = 0; k < set->obstacle_count; k++)
        sharp_features_free(&set->obstacle[k].sharp);
    for (size_t k = 0; k < set->body_count; k++)
        set->body[k].obstacles.known = SIZE_MAX; // distances to them
}

void elastic_weigh_obstacle(ElasticSet* set, int obstacle, const ElasticWeight* weight)
{
    set->obstacle[obstacle].weight = *weight;
}

void elastic_obstacle_impulse(const ElasticSet* set, int obstacle, Vec3d* impulse, Vec3d* moment)
{
    *impulse = set->obstacle[obstacle].impulse;
    *moment = set->obstacle[obstacle].moment;
}

void elastic_obstacle_shift(const ElasticSet* set, int obstacle, Vec3d* shift, Quat* turn)
{
    *shift = set->obstacle[obstacle].shift;
    *turn = set->obstacle[obstacle].turn;
}

static double angle_between(Quat a, Quat b)
{
    double dot = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
    return 2 * acos(dot < 1 ? dot : 1);
}

double obstacle_path(const ElasticObstacleDef* def, const mn_Pose* a, const mn_Pose* b)
{
    double arm = vec3d_length(def->bound_centre) + def->bound_radius;
    return vec3d_distance(a->position, b->position) + arm * angle_between(a->rotation, b->rotation);
}

// --- bodies that are bound

// A body that joints or contacts may hold keeps its path through a step: to what meets it it is a wall. It is one only as far as it
// is held, and if it is not and is the lighter one the impulses that stop what came would throw it: a box of 4 g under a block of
// 16 kg left the floor at 1.8 km/s. So of the impulses of a substep it gets no more than makes it as fast as what ran into it, as
// in a plastic impact. The rest is that of what holds it.
static void settle(Obstacle* o)
{
    Vec3d spin = vec3d_sub(o->hit_moment, vec3d_cross(o->centre, o->hit));
    double gain =
        o->weight.inverse_mass * vec3d_dot(o->hit, o->hit) + vec3d_dot(spin, mat3d_times(o->weight.inverse_inertia, spin));
    double share = gain > o->hit_work ? o->hit_work / gain : 1;
    o->impulse = vec3d_mad(o->impulse, share, o->hit);
    o->moment = vec3d_mad(o->moment, share, o->hit_moment);
    o->hit = o->hit_moment = vec3d(0, 0, 0);
    o->hit_work = 0;
}

bool obstacle_yields(const Obstacle* o)
{
    return o->weight.inverse_mass > 0 && !o->weight.bound;
}

// --- giving way

static Vec3d centre_of(const Obstacle* o, const mn_Pose* pose)
{
    return vec3d_add(quat_rotate(pose->rotation, o->weight.centre), pose->position);
}

// The turn from a to b, the shorter way.
static Quat turn_between(Quat a, Quat b)
{
    Quat turn = quat_mul(b, quat_conjugate(a));
    return turn.w < 0 ? (Quat){-turn.w, -turn.x, -turn.y, -turn.z} : turn;
}

static Quat turn_of(Vec3d angle)
{
    return quat_normalise((Quat){1, 0.5 * angle.x, 0.5 * angle.y, 0.5 * angle.z});
}

static Vec3d angle_of(Quat turn)
{
    Vec3d axis = {turn.x, turn.y, turn.z};
    double sine = vec3d_length(axis);
    return sine > 0 ? vec3d_scale(axis, 2 * atan2(sine, turn.w) / sine) : vec3d(0, 0, 0);
}

void obstacles_begin(ElasticSet* set, double dt)
{
    for (size_t k = 0; k < set->obstacle_count; k++) {
        Obstacle* o = &set->obstacle[k];
        o->own_kick = o->own_spin = o->own_shift = vec3d(0, 0, 0);
        o->own_turn = quat_identity();
        o->now = o->from;
        o->centre = centre_of(o, &o->from);
        o->velocity = vec3d_scale(vec3d_sub(centre_of(o, &o->to), o->centre), 1 / dt);
        o->rate = vec3d_scale(angle_of(turn_between(o->from.rotation, o->to.rotation)), 1 / dt);
    }
}

static Quat share_of(Quat turn, double share)
{
    return quat_normalise((Quat){1 - share + share * turn.w, share * turn.x, share * turn.y, share * turn.z});
}

void obstacles_advance(ElasticSet* set, double h, double share)
{
    for (size_t k = 0; k < set->obstacle_count; k++) {
        Obstacle* o = &set->obstacle[k];
        settle(o);
        o->own_shift = vec3d_mad(o->own_shift, h, o->own_kick);
        o->own_turn = quat_mul(turn_of(vec3d_scale(o->own_spin, h)), o->own_turn);
        Quat turned = quat_mul(share_of(turn_between(o->from.rotation, o->to.rotation), share), o->from.rotation);
        o->now.rotation = quat_normalise(quat_mul(o->own_turn, turned));
        o->centre = vec3d_add(vec3d_lerp(centre_of(o, &o->from), centre_of(o, &o->to), share), o->own_shift);
        o->now.position = vec3d_sub(o->centre, quat_rotate(o->now.rotation, o->weight.centre));
    }
}

void obstacles_end(ElasticSet* set)
{
    for (size_t k = 0; k < set->obstacle_count; k++) {
        Obstacle* o = &set->obstacle[k];
        settle(o);
        o->shift = vec3d_add(o->shift, o->own_shift);
        o->turn = quat_normalise(quat_mul(o->own_turn, o->turn));
    }
}

static double ease_alone(const Obstacle* o, Vec3d arm, Vec3d direction)
{
    Vec3d turn = mat3d_times(o->weight.inverse_inertia, vec3d_cross(arm, direction));
    return o->weight.inverse_mass + vec3d_dot(direction, vec3d_cross(turn, arm));
}

double obstacle_ease(const Obstacle* o, Vec3d arm, Vec3d direction)
{
    return obstacle_yields(o) ? ease_alone(o, arm, direction) : 0;
}

// A body on a floor that bounces between it and what lies on it was a wall on its way up, too: a ring of 33 mg threw a block of
// 2.6 kg with 3 m/s. Only what moves can push, and a floor does not.
static bool stops(const Obstacle* o)
{
    return o->weight.bound && o->weight.inverse_mass > 0 && o->weight.backing < (double)INFINITY;
}

// It stops as a whole: turned back at one place it would come up at another.
double obstacle_stop_ease(const Obstacle* o)
{
    return stops(o) ? 1 / o->weight.backing : 0;
}

double obstacle_coming(const Obstacle* o, Vec3d arm, Vec3d direction, bool planned)
{
    if (!stops(o))
        return 0;
    Vec3d path = vec3d_add(o->velocity, vec3d_cross(o->rate, arm)),
          own = vec3d_add(o->weight.velocity, vec3d_cross(o->weight.spin, arm));
    double lost = planned ? 0 : -vec3d_dot(obstacle_kick(o, arm), direction);
    return fmax(0, fmin(vec3d_dot(path, direction), vec3d_dot(own, direction)) - lost);
}

Vec3d obstacle_shift(const Obstacle* o, Vec3d arm)
{
    return vec3d_add(o->own_shift, vec3d_sub(arm, quat_unrotate(o->own_turn, arm)));
}

Vec3d obstacle_kick(const Obstacle* o, Vec3d arm)
{
    return vec3d_add(o->kick, vec3d_cross(o->spin, arm));
}

Vec3d obstacle_velocity(const Obstacle* o, Vec3d arm)
{
    return vec3d_add(vec3d_add(o->velocity, vec3d_cross(o->rate, arm)), obstacle_kick(o, arm));
}

// Other velocities from now on; `h` [s]: since then.
static void kick(Obstacle* o, Vec3d v, Vec3d w, double h)
{
    o->kick = vec3d_add(o->kick, v);
    o->spin = vec3d_add(o->spin, w);
    o->own_kick = vec3d_add(o->own_kick, v);
    o->own_spin = vec3d_add(o->own_spin, w);
    if (!(h > 0))
        return;
    Quat turn = turn_of(vec3d_scale(w, h));
    o->own_shift = vec3d_mad(o->own_shift, h, v);
    o->own_turn = quat_mul(turn, o->own_turn);
    o->centre = vec3d_mad(o->centre, h, v);
    o->now.rotation = quat_mul(turn, o->now.rotation);
    o->now.position = vec3d_sub(o->centre, quat_rotate(o->now.rotation, o->weight.centre));
}

// One that is bound stops, and does not go back.
static void stop(Obstacle* o, Vec3d arm, Vec3d impulse, double h)
{
    double length = vec3d_length(impulse);
    if (!stops(o) || !(length > 0))
        return;
    Vec3d direction = vec3d_scale(impulse, -1 / length);
    double coming = obstacle_coming(o, arm, direction, false), lost = length * obstacle_stop_ease(o);
    if (coming > 0)
        kick(o, vec3d_scale(direction, -fmin(lost, coming)), vec3d(0, 0, 0), h);
}

void obstacle_hit(Obstacle* o, Vec3d at, Vec3d impulse, double work, double h)
{
    Vec3d moment = vec3d_cross(at, impulse), arm = vec3d_sub(at, o->centre);
    if (o->weight.bound) {
        o->hit = vec3d_add(o->hit, impulse);
        o->hit_moment = vec3d_add(o->hit_moment, moment);
        o->hit_work += work;
        stop(o, arm, impulse, h);
        return;
    }
    o->impulse = vec3d_add(o->impulse, impulse);
    o->moment = vec3d_add(o->moment, moment);
    if (obstacle_yields(o))
        kick(o, vec3d_scale(impulse, o->weight.inverse_mass), mat3d_times(o->weight.inverse_inertia, vec3d_cross(arm, impulse)), h);
}
