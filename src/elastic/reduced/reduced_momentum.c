// SPDX-License-Identifier: MIT
// What a free body keeps through a step: momentum, angular momentum, and no more energy than it had and outer forces gave it.
#include "elastic/reduced/reduced.h"

// out = matrix in, for M or K, by the handles that share something. Axes side by side.
void reduced_times(Reduced* s, const double* matrix, const double* in, double* out)
{
    size_t n = s->rank;
    for (size_t r = 0; r < n; r++)
        s->packed[r] = (Quad){in[r], in[n + r], in[2 * n + r], 0};
    for (size_t a = 0; a < s->space.handles; a++) {
        Quad sum[4] = {{0, 0, 0, 0}};
        for (uint32_t k = s->block_start[a]; k < s->block_start[a + 1]; k++) {
            const Quad* from = s->packed + 4 * (size_t)s->block[k];
            const double* m = matrix + 4 * a * n + 4 * (size_t)s->block[k];
            for (size_t r = 0; r < 4; r++)
                sum[r] += quad_all(m[r * n]) * from[0] + quad_all(m[r * n + 1]) * from[1] + quad_all(m[r * n + 2]) * from[2] +
                          quad_all(m[r * n + 3]) * from[3];
        }
        for (size_t r = 0; r < 4; r++)
            for (size_t i = 0; i < 3; i++)
                out[i * n + 4 * a + r] = sum[r][i];
    }
}

// Of forces or momenta on coordinates: their sum, and their moment about the origin where coordinates are q.
static Vec3d sum_of(const Reduced* s, const double* force)
{
    Vec3d sum = {0, 0, 0};
    for (size_t r = 3; r < s->rank; r += 4)
        sum = vec3d_add(sum, reduced_coordinate(s, force, r));
    return sum;
}

static Vec3d moment_of(const Reduced* s, const double* q, const double* force)
{
    Vec3d sum = {0, 0, 0};
    for (size_t r = 0; r < s->rank; r++)
        sum = vec3d_add(sum, vec3d_cross(reduced_coordinate(s, q, r), reduced_coordinate(s, force, r)));
    return sum;
}

static double dot_of(const Reduced* s, const double* a, const double* b)
{
    double sum = 0;
    for (size_t k = 0; k < 3 * s->rank; k++)
        sum += a[k] * b[k];
    return sum;
}

// sum over r of q_r (x) force_r - m centre (x) other
static Mat3 spread_of(const Reduced* s, const double* q, const double* force, Vec3d centre, Vec3d other)
{
    Mat3 a;
    const double c[3] = {centre.x, centre.y, centre.z}, o[3] = {other.x, other.y, other.z};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            double sum = 0;
            for (size_t r = 0; r < s->rank; r++)
                sum += q[i * s->rank + r] * force[j * s->rank + r];
            a.m[i][j] = sum - s->total_mass * c[i] * o[j];
        }
    return a;
}

// [kg m2] about the centre of mass; `weighed` is M q
static Mat3 inertia_of(const Reduced* s, const double* q, const double* weighed, Vec3d centre)
{
    Mat3 second = spread_of(s, q, weighed, centre, centre), inertia;
    double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inertia.m[i][j] = (i == j ? trace : 0) - 0.5 * (second.m[i][j] + second.m[j][i]);
    return inertia;
}

static bool is_solid(const Mat3* inertia, double least)
{
    double trace = inertia->m[0][0] + inertia->m[1][1] + inertia->m[2][2];
    return mat3_determinant(inertia) > least * trace * trace * trace;
}

// --- the balance of a step

ReducedBalance reduced_balance(Reduced* s, const ElasticSet* set, const double* impulse, double h)
{
    ReducedBalance b;
    double m = s->total_mass;
    reduced_times(s, s->mass, s->v, s->work);
    reduced_times(s, s->mass, s->q, s->first);
    reduced_times(s, s->mass, s->now, s->last);
    Vec3d carried = sum_of(s, s->work), own = moment_of(s, s->q, s->work);
    b.from = vec3d_scale(sum_of(s, s->first), 1 / m);
    b.to = vec3d_scale(sum_of(s, s->last), 1 / m);
    b.momentum = vec3d_mad(vec3d_add(carried, sum_of(s, impulse)), h * m, set->gravity);
    b.angular = vec3d_add(own, moment_of(s, s->now, impulse));
    b.angular = vec3d_mad(b.angular, h * m, vec3d_cross(b.to, set->gravity));
    b.had = vec3d_sub(own, vec3d_cross(b.from, carried));
    b.has = vec3d_sub(b.angular, vec3d_cross(b.to, b.momentum));
    b.energy = 0.5 * dot_of(s, s->v, s->work) + s->strain + (dot_of(s, impulse, s->now) - dot_of(s, impulse, s->q)) / h;
    b.energy += m * vec3d_dot(vec3d_sub(b.to, b.from), set->gravity);
    reduced_set_place(s, s->now);
    s->strain = reduced_measure(s, set->pool, s->samples.turn);
    b.energy -= s->strain;
    return b;
}

// --- turning

static Mat3 mat3_of_turn(Vec3d angle)
{
    Quat turn = turn_by(angle);
    Vec3d x = quat_rotate(turn, vec3d(1, 0, 0)), y = quat_rotate(turn, vec3d(0, 1, 0)), z = quat_rotate(turn, vec3d(0, 0, 1));
    return (Mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

// Turns vectors of coordinates, then shifts: the functions that are weights feel all of a shift, M q its share.
static void turn_all(const Reduced* s, const Mat3* turn, double* q, Vec3d shift, const double* share)
{
    for (size_t r = 0; r < s->rank; r++) {
        Vec3d x = mat3_times(turn, reduced_coordinate(s, q, r));
        x = vec3d_mad(x, share ? share[r] : r % 4 == 3, shift);
        q[r] = x.x;
        q[s->rank + r] = x.y;
        q[2 * s->rank + r] = x.z;
    }
}

// A step with velocities of its end turns a body about the wrong axis: at the same angular momentum it would come to turn about its
// long axis, with more and more energy. So q and v are turned, as a whole, to where the mean of the angular velocities at both ends
// takes the body: those of a rigid one, with what angular momenta about the centre it has, before and after.
void reduced_set_turn(Reduced* s, const ReducedBalance* b, double h)
{
    Mat3 first = inertia_of(s, s->q_before, s->first, b->from), last = inertia_of(s, s->q, s->last, b->to);
    if (!is_solid(&first, 1e-6) || !is_solid(&last, 1e-6))
        return;
    Mat3 inverse = mat3_inverse(&first), of_last = mat3_inverse(&last), change = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    Vec3d spin = mat3_times(&inverse, b->had);
    if (vec3d_length(spin) * h > 1)
        return; // the step does not resolve its turning
    // the rotation that it made, by least squares over all mass
    Mat3 both = spread_of(s, s->q, s->first, b->to, b->from);
    double size = first.m[0][0] + first.m[1][1] + first.m[2][2]; // rotations are those of gradients, without a unit
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            both.m[i][j] *= 6 / size;
    Mat3 done = mat3_rotation(&both);
    for (int k = 0; k < 3; k++) {
        Mat3 part = mat3_mul_right_transposed(&of_last, &change), turned = mat3_mul(&change, &part);
        Mat3 wanted = mat3_of_turn(vec3d_scale(vec3d_add(spin, mat3_times(&turned, b->has)), 0.5 * h));
        change = mat3_mul_right_transposed(&wanted, &done);
    }
    Vec3d shift = vec3d_sub(b->to, mat3_times(&change, b->to));
    turn_all(s, &change, s->q, shift, NULL);
    turn_all(s, &change, s->last, shift, s->carried);
    turn_all(s, &change, s->v, vec3d(0, 0, 0), NULL);
}

// --- momentum

// The share of a spin that can be added before the kinetic energy, now `has`, is more than `most` [J].
static double share_of_spin(const Mat3* inertia, Vec3d spin, Vec3d angular, double has, double most)
{
    double b = vec3d_dot(spin, angular), c = 0.5 * vec3d_dot(spin, mat3_times(inertia, spin)), room = most - has;
    if (b + c <= fmax(room, 0)) // also one that takes energy away
        return 1;
    if (!(room > 0))
        return fmin(fmax(-0.5 * b / c, 0), 1);                // the least there can be
    double root = (sqrt(b * b + 4 * c * room) - b) / (2 * c); // of b a + c a^2 = room
    return fmin(fmax(root, 0), 1);
}

// v <- v of a rigid motion + share (v - that)
static void calm(Reduced* s, Vec3d shift, Vec3d spin, double share)
{
    for (size_t r = 0; r < s->rank; r++) {
        Vec3d rigid = vec3d_cross(spin, reduced_coordinate(s, s->q, r));
        rigid = r % 4 == 3 ? vec3d_add(rigid, shift) : rigid;
        reduced_add(s, s->v, r, share - 1, vec3d_sub(reduced_coordinate(s, s->v, r), rigid));
    }
}

// Adds the rigid motion to v with which the body has its momentum and angular momentum, as far as there is energy for it: a body
// that turns is not quite where it would be after a step of this length, and at the same angular momentum it may have more energy
// there. What is too much then goes from the motion that is not rigid.
void reduced_set_momentum(Reduced* s, const ReducedBalance* b)
{
    reduced_times(s, s->mass, s->v, s->work);
    Vec3d total = sum_of(s, s->work), lack = vec3d_sub(b->momentum, total), centre = b->to;
    double kinetic = 0.5 * dot_of(s, s->v, s->work), m = s->total_mass;
    kinetic += vec3d_dot(lack, vec3d_scale(vec3d_mad(total, 0.5, lack), 1 / m));
    Vec3d own = vec3d_sub(moment_of(s, s->q, s->work), vec3d_cross(centre, total));
    Mat3 inertia = inertia_of(s, s->q, s->last, centre);
    if (!is_solid(&inertia, 1e-9)) { // a line
        for (size_t r = 3; r < s->rank; r += 4)
            reduced_add(s, s->v, r, 1 / m, lack);
        return;
    }
    Mat3 inverse = mat3_inverse(&inertia);
    Vec3d spin = mat3_times(&inverse, vec3d_sub(b->has, own));
    double share = share_of_spin(&inertia, spin, own, kinetic, b->energy);
    spin = vec3d_scale(spin, share);
    kinetic += vec3d_dot(spin, own) + 0.5 * vec3d_dot(spin, mat3_times(&inertia, spin));
    Vec3d shift = vec3d_sub(vec3d_scale(lack, 1 / m), vec3d_cross(spin, centre));
    for (size_t r = 0; r < s->rank; r++) {
        reduced_add(s, s->v, r, 1, vec3d_cross(spin, reduced_coordinate(s, s->q, r)));
        if (r % 4 == 3)
            reduced_add(s, s->v, r, 1, shift);
    }
    Vec3d has = vec3d_mad(own, share, vec3d_sub(b->has, own)), rate = mat3_times(&inverse, has);
    Vec3d speed = vec3d_scale(b->momentum, 1 / m);
    double rigid = 0.5 * (m * vec3d_dot(speed, speed) + vec3d_dot(rate, has));
    if (kinetic > b->energy && kinetic > rigid)
        calm(s, vec3d_sub(speed, vec3d_cross(rate, centre)), rate, sqrt(fmax(0, (b->energy - rigid) / (kinetic - rigid))));
}
