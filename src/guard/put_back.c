// SPDX-License-Identifier: MIT
// Back to the right side: beside the place where the particle crossed, and no faster towards the surface than the surface itself.
//   j = closing / (1/m + w),    closing = -(u - v) . n,    w the solid's mobility there along n
// The particle gets j n and the solid minus that, if they close: momentum is kept.
#include "guard/guard_parts.h"

// How far from a sheet or a shell a particle is put at first [r]; every further try halves it, since folds may leave less room.
// A plane of boundary particles pushes like z W(z), hardest at 0.6 spacings; at a quarter of a spacing the fluid behind was
// stronger, and pushed one particle of a balloon out in every other step.
static const double AWAY_FROM_SHEET = 1;
// Closed solids have their boundary particles behind the surface: they push from there.
static const double AWAY_FROM_WALL = 0.05;

// Whether a point lies in a solid or out of all containers.
static bool is_blocked(const Guard* g, Vec3d x)
{
    for (size_t k = 0; k < g->def.solid_count; k++) {
        const GuardSolid* s = &g->solid[k];
        const Solid* solid = &g->def.solid[k];
        if (s->test && inside_contains(s->test, x))
            return true;
        if (s->sort != GUARD_BODY)
            continue;
        Vec3d local = pose_to_local(&s->now, x);
        if (!guard_is_clear(solid, local, 0) && inside_contains(solid->test, local))
            return true;
    }
    return g->check_containers && !guard_is_contained(g, x, 0, SIZE_MAX);
}

// Between two bodies that touch, the exit from one lies in the other: the nearest free place in one of 26 directions.
static bool find_free_place(const Guard* g, Vec3d x, Vec3d* out)
{
    enum { FARTHEST = 12, SELF = 13 };
    double radius = g->def.radius;
    for (int step = 1; step <= FARTHEST; step++)
        for (int k = 0; k < 27; k++) {
            Vec3d direction = {k % 3 - 1, k / 3 % 3 - 1, g->def.dimension == 3 ? k / 9 - 1 : 0};
            *out = vec3d_mad(x, 0.5 * step * radius, vec3d_normalise(direction));
            if (k != SELF && !is_blocked(g, *out))
                return true;
        }
    return false;
}

// Where the particle goes. False: there is no place for it.
static bool find_place(const Guard* g, const Meeting* m, int try_number, Vec3d* out)
{
    double radius = g->def.radius;
    if (m->reason == REASON_CROSSED) {
        *out = vec3d_mad(m->place.point, ldexp(AWAY_FROM_SHEET * radius, -try_number), m->normal);
        return true;
    }
    double away = m->is_thin ? ldexp(AWAY_FROM_SHEET, -try_number) : AWAY_FROM_WALL;
    *out = vec3d_mad(m->place.point, away * radius, m->normal);
    return !is_blocked(g, *out) || find_free_place(g, *out, out);
}

// What is kept of a velocity in single precision. Not inline: gcc 12 forgets the rounding when it vectorizes a store and the load
// after it, and the solid would not get exactly what the particle loses.
__attribute__((noinline)) static Vec3d stored_velocity(const Vec4* u)
{
    return guard_point(*u);
}

static void share_momentum(Guard* g, const Meeting* m)
{
    Solid* solid = &g->def.solid[m->solid];
    Vec4* u = &(*g->fluid.particles.velocity)[m->particle];
    Vec3d before = guard_point(*u);
    double mass = g->def.mass[(int)u->w];
    double closing = -vec3d_dot(vec3d_sub(before, solid->kind->velocity_at(solid, &m->place)), m->normal);
    if (!(closing > 0))
        return;
    double change = closing / (1 + mass * solid->kind->mobility_at(solid, &m->place, m->normal));
    *u = (Vec4){(float)(before.x + change * m->normal.x), (float)(before.y + change * m->normal.y),
                (float)(before.z + change * m->normal.z), u->w};
    // what the particle lost as it is kept, in single precision
    Vec3d impulse = vec3d_scale(vec3d_sub(before, stored_velocity(u)), mass);
    solid->kind->take_impulse(solid, &m->place, impulse);
    g->record[m->solid].impulse = vec3d_add(g->record[m->solid].impulse, impulse);
}

static void count_back(Guard* g, const Meeting* m)
{
    GuardCount* count = &g->record[m->solid].count;
    if (g->is_back[m->particle])
        return;
    g->is_back[m->particle] = 1;
    g->back[g->back_count++] = m->particle;
    count->crossed += m->reason == REASON_CROSSED;
    count->caught += m->reason == REASON_CAUGHT;
    count->behind_wall += m->reason == REASON_BEHIND_WALL;
}

void guard_put_back(Guard* g, size_t count, int try_number)
{
    for (size_t k = 0; k < count; k++) {
        const Meeting* m = &g->all[k];
        Vec4* x = &(*g->fluid.particles.position)[m->particle];
        Vec3d to;
        if (k && g->all[k - 1].particle == m->particle)
            continue; // what it met first stops it
        if (!find_place(g, m, try_number, &to))
            continue;
        count_back(g, m);
        *x = (Vec4){(float)to.x, (float)to.y, (float)to.z, x->w};
        share_momentum(g, m);
    }
}

// Two triangles that share the edge where a path crosses may both have seen it.
static bool is_same_crossing(const Meeting* a, const Meeting* b)
{
    return a->particle == b->particle && a->solid == b->solid && a->side == b->side && fabs(a->time - b->time) < 1e-9;
}

void guard_note_leaks(Guard* g, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const Meeting* m = &g->all[k];
        if (k && is_same_crossing(m, &g->all[k - 1]))
            continue;
        g->record[m->solid].count.leaked++;
        if (m->reason != REASON_CROSSED || !g->crossings)
            continue;
        // powers of two, so that who crosses two sheets in opposite senses is not taken for one who came back
        int sum = g->crossings[m->particle] + m->side * (1 << m->solid % 6);
        g->crossings[m->particle] = (int8_t)(sum > 100 ? 100 : sum < -100 ? -100 : sum);
    }
}
