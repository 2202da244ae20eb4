// SPDX-License-Identifier: MIT
// A pair must keep the height
//   C = n . sum w_i x_i - target >= 0
// and not come nearer:
//   dC/dt = n . sum w_i v_i >= 0
// with the weights w_i of the points, n the normal towards the first side. Positions and velocities are corrected each for
// themselves, along n with the inverse masses as weights, which keeps momentum, and with friction. A push is thus no throw:
// velocities only lose what runs together, and no energy comes from pairs that are too near for another reason than their motion,
// as in a crumpled sheet (Bridson 2002 limits repulsion for the same reason).
#include "elastic/contact/pair.h"

#include "mesh/crossing.h"

static const double PARALLEL = 1e-4; // sine of the angle between edges, squared, below which they have no normal

static PairPlace over_face(const Vec3d x[4], double margin)
{
    Vec3d a = vec3d_sub(x[2], x[1]), b = vec3d_sub(x[3], x[1]), r = vec3d_sub(x[0], x[1]), n = vec3d_cross(a, b);
    double nn = vec3d_dot(n, n), weight[3], total = 0;
    if (!(nn > 0))
        return (PairPlace){.over = false};
    weight[1] = vec3d_dot(vec3d_cross(r, b), n) / nn;
    weight[2] = vec3d_dot(vec3d_cross(a, r), n) / nn;
    weight[0] = 1 - weight[1] - weight[2];
    PairPlace place = {.normal = vec3d_scale(n, 1 / sqrt(nn)), .weight = {1}};
    place.height = vec3d_dot(place.normal, r);
    place.over = weight[0] > -margin && weight[1] > -margin && weight[2] > -margin;
    for (int k = 0; k < 3; k++)
        total += weight[k] > 0 ? weight[k] : 0;
    for (int k = 0; k < 3; k++)
        place.weight[k + 1] = weight[k] > 0 ? -weight[k] / total : 0;
    return place;
}

static double between(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static PairPlace over_edge(const Vec3d x[4], double margin)
{
    Vec3d a = vec3d_sub(x[1], x[0]), b = vec3d_sub(x[3], x[2]), q = vec3d_sub(x[2], x[0]), n = vec3d_cross(a, b);
    double nn = vec3d_dot(n, n);
    if (!(nn > PARALLEL * vec3d_dot(a, a) * vec3d_dot(b, b)))
        return (PairPlace){.over = false};
    double s = vec3d_dot(vec3d_cross(q, b), n) / nn, u = vec3d_dot(vec3d_cross(q, a), n) / nn;
    PairPlace place = {.normal = vec3d_scale(n, 1 / sqrt(nn))};
    place.height = -vec3d_dot(place.normal, q);
    place.over = s > -margin && s < 1 + margin && u > -margin && u < 1 + margin;
    s = between(s, 0, 1);
    u = between(u, 0, 1);
    place.weight[0] = 1 - s;
    place.weight[1] = s;
    place.weight[2] = u - 1;
    place.weight[3] = -u;
    return place;
}

PairPlace pair_place(ContactKind kind, const Vec3d x[4], double margin)
{
    return kind == CONTACT_EDGE_EDGE ? over_edge(x, margin) : over_face(x, margin);
}

static bool face_passed(const Vec3d before[4], const Vec3d x[4], Vec3d* from)
{
    Crossing crossing[3] = {0};
    if (crossing_find(before + 1, x + 1, before[0], x[0], crossing) % 2 == 0)
        return false;
    Vec3d corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = vec3d_lerp(before[k + 1], x[k + 1], crossing[0].time);
    Vec3d n = vec3d_cross(vec3d_sub(corner[1], corner[0]), vec3d_sub(corner[2], corner[0]));
    *from = vec3d_scale(vec3d_normalise(n), -crossing[0].direction);
    return true;
}

bool pair_passed(ContactKind kind, const Vec3d before[4], const Vec3d x[4], Vec3d* from)
{
    if (kind == CONTACT_VERTEX_FACE)
        return face_passed(before, x, from);
    EdgeCrossing crossing[3] = {0};
    if (crossing_find_edges(before, x, before + 2, x + 2, crossing) % 2 == 0)
        return false;
    // what passes along the normal is the second edge
    *from = vec3d_scale(crossing[0].normal, crossing[0].direction);
    return true;
}

// --- the law

// A shift along the normal, and against the path across it, which friction stops as far as it can.
static void shift_points(Meeting* m)
{
    double sum = 0;
    for (int k = 0; k < m->count; k++)
        sum += m->weight[k] * m->weight[k] * m->ease[k];
    Vec3d slip = vec3d_mad(m->path, -vec3d_dot(m->path, m->normal), m->normal);
    double length = vec3d_length(slip), most = m->friction * m->depth;
    Vec3d by = vec3d_mad(vec3d_scale(m->normal, m->depth), length > most ? -most / length : -1, slip);
    for (int k = 0; k < m->count; k++)
        m->shift[k] = vec3d_scale(by, sum > 0 ? m->share * m->weight[k] * m->ease[k] / sum : 0);
}

static double ease_of(const Meeting* m, double sum, Vec3d arm, Vec3d direction)
{
    return m->obstacle ? sum + obstacle_ease(m->obstacle, arm, direction) : sum;
}

static void stop_points(Meeting* m)
{
    double sum = 0, side = 0;
    Vec3d speed = {0, 0, 0}, arm = {0, 0, 0};
    for (int k = 0; k < m->count; k++) {
        sum += m->weight[k] * m->weight[k] * m->inverse[k];
        side += m->weight[k];
        speed = vec3d_mad(speed, m->weight[k], m->velocity[k]);
    }
    if (m->obstacle) {
        arm = vec3d_sub(m->at, m->obstacle->centre);
        speed = vec3d_mad(speed, -side, obstacle_velocity(m->obstacle, arm));
    }
    double closing = -vec3d_dot(speed, m->normal);
    if (!(closing > 0) || !(sum > 0))
        return;
    double along = m->share * closing / ease_of(m, sum, arm, m->normal);
    if (m->obstacle) { // one that is bound stops, but goes no farther
        double stop = obstacle_stop_ease(m->obstacle), coming = obstacle_coming(m->obstacle, arm, m->normal, false);
        if (stop > 0)
            along = m->share * fmax(closing / (sum + stop), (closing - coming) / sum);
    }
    Vec3d slip = vec3d_mad(speed, closing, m->normal), impulse = vec3d_scale(m->normal, along);
    double length = vec3d_length(slip);
    if (length > 0) {
        Vec3d direction = vec3d_scale(slip, 1 / length);
        double most = m->share * length / ease_of(m, sum, arm, direction);
        impulse = vec3d_mad(impulse, -fmin(most, m->friction * along), direction);
    }
    for (int k = 0; k < m->count; k++)
        m->velocity[k] = vec3d_mad(m->velocity[k], m->weight[k] * m->inverse[k], impulse);
    if (m->obstacle)
        obstacle_hit(m->obstacle, m->at, vec3d_scale(impulse, -side), -vec3d_dot(impulse, speed), 0);
}

void meeting_solve(Meeting* m)
{
    if (m->depth > 0)
        shift_points(m);
    else
        for (int k = 0; k < m->count; k++)
            m->shift[k] = vec3d(0, 0, 0);
    stop_points(m);
}
