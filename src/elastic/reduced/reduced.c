// SPDX-License-Identifier: MIT
// The reduced model: hyper-reduced projective dynamics (Brandt 2018; Brandt 2019, section 3.2.1) for elastic volumes of any number
// of tetrahedra at a price that depends on the number of handles and sampled tetrahedra alone.
//
// Points are moved by a few handles, each with an affine map, blended by weights: x_p = sum over r of u_r(p) q_r, four functions
// u_r and so four vectors q_r per handle (subspace.h). The energy of a tetrahedron is
//   V (mu |F - R|^2 + 3/2 lambda |F - G|^2),   R the rotation nearest to F, G the matrix of determinant 1 nearest to F
// which for small strains is Hooke's law with Lame's constants: the second distance is tr(strain)^2 / 3. A step solves
//   M (v - v*) = b h f,   q = q* + b h v                                              (BDF2 or Euler, as in fem.c)
// by local-global iterations (Bouaziz 2014): with P = (mu R + 3/2 lambda G) / w, w = mu + 3/2 lambda held,
//   A q = M y + scale (K q_ref + sum over samples 2 w V (P - R_ref) grad u) + pins,  A = M + scale K + pins
//   scale = b h (b h + damping)
// Deviation from both papers: they sum over all tetrahedra for K and fit P by smooth functions through the samples. The fit cannot
// follow F as the handles bend it, and K then charges the difference as strain: a bar with 40 handles bent a third as far as it
// should. With the same samples on both sides the energy is a sum over samples, so that iterations can only lower it.
//
// K and the sum run over samples only, each with the volume that it stands for. R_ref is one rotation of the body as a whole, and
// K q_ref is what the sum would be if all P were R_ref: what is summed in float is small where the body is nearly rigid. As A does
// not depend on P, the global step is one product with a matrix that is made once.
//
// Iterations that end early, samples and the implicit step all lose momentum or turn it; a body's inner forces do not. So after
// the step velocities get the rigid motion that is missing to the momentum and angular momentum that outer forces left.
#include "elastic/reduced/reduced.h"

#include "base/error.h"
#include "elastic/contact/hard_contacts.h"
#include "elastic/reduced/dense.h"
#include <string.h>

static void reduced_destroy(ElasticSet* set, Body* body)
{
    Reduced* s = body->state;
    reduced_setup_free(s, set->memory);
    memory_give(set->memory, s);
    body->state = NULL;
    body->contact_mass = NULL;
}

static mn_Result reduced_create(ElasticSet* set, Body* body, mn_Error* error)
{
    if (body->tet_count == 0) {
        error_set(error, MN_BAD_INPUT, "reduced needs tetrahedra: a volume");
        error_key(error, "model");
        return MN_BAD_INPUT;
    }
    Reduced* s = memory_take(set->memory, sizeof *s);
    if (!s)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a reduced body");
    double young = body->def.young, nu = body->def.poisson;
    *s = (Reduced){
        .mu = young / (2 * (1 + nu)), .lambda = young * nu / ((1 + nu) * (1 - 2 * nu)), .iterations = body->def.iterations};
    s->weight = s->mu + 1.5 * s->lambda;
    body->state = s;
    mn_Result result = reduced_setup(s, set, body, error);
    if (result != MN_OK)
        return result;
    body->contact_mass = s->contact_mass;
    memcpy(s->q, s->rest, 3 * s->rank * sizeof(double));
    memcpy(s->q_before, s->q, 3 * s->rank * sizeof(double));
    s->stale = 1;
    return MN_OK;
}

// --- momentum

// out = M in, by the handles that share mass
static void mass_times(const Reduced* s, const double* in, double* out)
{
    size_t n = s->rank;
    memset(out, 0, 3 * n * sizeof *out);
    for (size_t a = 0; a < s->space.handles; a++)
        for (uint32_t k = s->block_start[a]; k < s->block_start[a + 1]; k++)
            for (size_t r = 4 * a; r < 4 * a + 4; r++) {
                size_t c = 4 * (size_t)s->block[k];
                const double* m = s->mass + r * n + c;
                for (size_t i = 0; i < 3 * n; i += n)
                    out[i + r] += m[0] * in[i + c] + m[1] * in[i + c + 1] + m[2] * in[i + c + 2] + m[3] * in[i + c + 3];
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

// [kg m2] about the centre of mass, and where that is.
static Mat3 inertia_of(Reduced* s, const double* q, Vec3d* centre)
{
    mass_times(s, q, s->work);
    *centre = vec3d_scale(sum_of(s, s->work), 1 / s->total_mass);
    Mat3 second = {{{0}}}, inertia;
    for (size_t r = 0; r < s->rank; r++)
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++)
                second.m[i][j] += q[i * s->rank + r] * s->work[j * s->rank + r];
    const double c[3] = {centre->x, centre->y, centre->z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            second.m[i][j] -= s->total_mass * c[i] * c[j];
    double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inertia.m[i][j] = (i == j ? trace : 0) - 0.5 * (second.m[i][j] + second.m[j][i]);
    return inertia;
}

// The rotation from q to next, by least squares over all mass.
static Mat3 turn_between(Reduced* s, const double* q, const double* next)
{
    Mat3 c = {{{0}}};
    mass_times(s, q, s->work);
    Vec3d sum = sum_of(s, s->work);
    mass_times(s, next, s->y); // free by then
    Vec3d sum_next = sum_of(s, s->y);
    const double from[3] = {sum.x, sum.y, sum.z}, to[3] = {sum_next.x, sum_next.y, sum_next.z};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            for (size_t r = 0; r < s->rank; r++)
                c.m[i][j] += next[i * s->rank + r] * s->work[j * s->rank + r];
            c.m[i][j] -= to[i] * from[j] / s->total_mass;
        }
    return mat3_rotation(&c);
}

static Mat3 mat3_of_turn(Vec3d angle)
{
    Quat turn = turn_by(angle);
    Vec3d x = quat_rotate(turn, vec3d(1, 0, 0)), y = quat_rotate(turn, vec3d(0, 1, 0)), z = quat_rotate(turn, vec3d(0, 0, 1));
    return (Mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

// A step with velocities of its end turns a body about the wrong axis: at the same angular momentum it would come to turn about its
// long axis, with more and more energy. So q and v are turned, as a whole, to where the mean of the angular velocities at both ends
// takes the body: those of a rigid one, with what angular momenta about the centre it has, before and after.
static void set_turn(Reduced* s, const double* before, double* q, double* v, Vec3d had, Vec3d has, double h)
{
    Vec3d centre, middle;
    Mat3 first = inertia_of(s, before, &centre), last = inertia_of(s, q, &middle), change = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double trace = first.m[0][0] + first.m[1][1] + first.m[2][2], now = last.m[0][0] + last.m[1][1] + last.m[2][2];
    if (!(mat3_determinant(&first) > 1e-6 * trace * trace * trace) || !(mat3_determinant(&last) > 1e-6 * now * now * now))
        return;
    Mat3 done = turn_between(s, before, q), inverse = mat3_inverse(&first), of_last = mat3_inverse(&last);
    Vec3d spin = mat3_times(&inverse, had);
    if (vec3d_length(spin) * h > 1)
        return; // the step does not resolve its turning
    for (int k = 0; k < 3; k++) {
        Mat3 part = mat3_mul_right_transposed(&of_last, &change), turned = mat3_mul(&change, &part);
        Mat3 wanted = mat3_of_turn(vec3d_scale(vec3d_add(spin, mat3_times(&turned, has)), 0.5 * h));
        change = mat3_mul_right_transposed(&wanted, &done);
    }
    Vec3d shift = vec3d_sub(middle, mat3_times(&change, middle));
    for (size_t r = 0; r < s->rank; r++) {
        Vec3d x = mat3_times(&change, reduced_coordinate(s, q, r)), w = mat3_times(&change, reduced_coordinate(s, v, r));
        const double place[3] = {x.x, x.y, x.z}, rate[3] = {w.x, w.y, w.z}, move[3] = {shift.x, shift.y, shift.z};
        for (size_t i = 0; i < 3; i++) {
            q[i * s->rank + r] = place[i] + (r % 4 == 3 ? move[i] : 0);
            v[i * s->rank + r] = rate[i];
        }
    }
}

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
static void calm(const Reduced* s, const double* q, double* v, Vec3d shift, Vec3d spin, double share)
{
    for (size_t r = 0; r < s->rank; r++) {
        Vec3d rigid = vec3d_cross(spin, reduced_coordinate(s, q, r));
        rigid = r % 4 == 3 ? vec3d_add(rigid, shift) : rigid;
        reduced_add(s, v, r, share - 1, vec3d_sub(reduced_coordinate(s, v, r), rigid));
    }
}

// Adds the rigid motion to v with which the body has a momentum and an angular momentum about the origin, as far as there is
// energy [J] for it: a body that turns is not quite where it would be after a step of this length, and at the same angular momentum
// it may have more energy there. What is too much then goes from the motion that is not rigid.
static void set_momentum(Reduced* s, const double* q, double* v, Vec3d momentum, Vec3d angular, double most)
{
    mass_times(s, v, s->work);
    Vec3d own = moment_of(s, q, s->work), total = sum_of(s, s->work), lack = vec3d_sub(momentum, total), centre;
    double kinetic = 0.5 * dot_of(s, v, s->work), m = s->total_mass;
    kinetic += vec3d_dot(lack, vec3d_scale(vec3d_mad(total, 0.5, lack), 1 / m));
    Mat3 inertia = inertia_of(s, q, &centre);
    double trace = inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2];
    if (!(mat3_determinant(&inertia) > 1e-9 * trace * trace * trace)) { // a line
        for (size_t r = 3; r < s->rank; r += 4)
            reduced_add(s, v, r, 1 / m, lack);
        return;
    }
    Mat3 inverse = mat3_inverse(&inertia);
    own = vec3d_sub(own, vec3d_cross(centre, total)); // about the centre, as is the next
    Vec3d wanted = vec3d_sub(angular, vec3d_cross(centre, momentum));
    Vec3d spin = mat3_times(&inverse, vec3d_sub(wanted, own));
    double share = share_of_spin(&inertia, spin, own, kinetic, most);
    spin = vec3d_scale(spin, share);
    kinetic += vec3d_dot(spin, own) + 0.5 * vec3d_dot(spin, mat3_times(&inertia, spin));
    Vec3d shift = vec3d_sub(vec3d_scale(lack, 1 / m), vec3d_cross(spin, centre));
    for (size_t r = 0; r < s->rank; r++) {
        reduced_add(s, v, r, 1, vec3d_cross(spin, reduced_coordinate(s, q, r)));
        if (r % 4 == 3)
            reduced_add(s, v, r, 1, shift);
    }
    Vec3d has = vec3d_mad(own, share, vec3d_sub(wanted, own)), rate = mat3_times(&inverse, has),
          speed = vec3d_scale(momentum, 1 / m);
    double rigid = 0.5 * (m * vec3d_dot(speed, speed) + vec3d_dot(rate, has));
    if (kinetic > most && kinetic > rigid)
        calm(s, q, v, vec3d_sub(speed, vec3d_cross(rate, centre)), rate, sqrt(fmax(0, (most - rigid) / (kinetic - rigid))));
}

// --- the step

// Velocities of points that others changed become those of coordinates.
static void refresh(Reduced* s, const Body* body)
{
    uint64_t pins = reduced_pins(body);
    if (s->stale != 0 || pins != s->pins) {
        reduced_fit(s, body, body->mass, body->velocity, s->v);
        s->h_before = 0;
        s->stale = 0;
        s->pins = pins;
    }
}

typedef struct ReducedStep {
    double h, bh;
    bool contacts;
    float* turn;
} ReducedStep;

static void start_step(Reduced* s, const ElasticSet* set, const Body* body, ReducedStep* step)
{
    double r = s->h_before == 0 || body->def.integrator == MN_INTEGRATOR_EULER || step->contacts ? 0 : step->h / s->h_before;
    double a0 = (1 + r) * (1 + r) / (1 + 2 * r), a1 = -r * r / (1 + 2 * r);
    step->bh = step->h * (1 + r) / (1 + 2 * r);
    for (size_t k = 0; k < 3 * s->rank; k++) {
        s->q_start[k] = a0 * s->q[k] + a1 * s->q_before[k];
        s->v_start[k] = a0 * s->v[k] + a1 * s->v_before[k];
        s->y[k] = s->q_start[k] + step->bh * s->v_start[k];
    }
    for (size_t k = 3; k < s->rank; k += 4)
        reduced_add(s, s->y, k, step->bh * step->bh, set->gravity);
}

// The rotation of the body as a whole.
static Mat3 find_reference(const Reduced* s, const double* q)
{
    Mat3 mean = {{{0}}};
    double scale = 1 / (s->space.radius * (double)s->space.handles);
    for (size_t h = 0; h < s->space.handles; h++)
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < 3; i++)
                mean.m[i][k] += scale * q[i * s->rank + 4 * h + k];
    return mat3_rotation(&mean);
}

// drift = y + A^-1 (scale K (R_ref q_rest - y) + (b h)^2 loads + pins): where coordinates would be if all rotations were R_ref.
static void find_drift(Reduced* s, const Body* body, const ReducedStep* step, const Mat3* reference, bool loaded)
{
    size_t n = s->rank;
    Vec3d mean = {0, 0, 0}, mean_rest = {0, 0, 0};
    for (size_t r = 3; r < n; r += 4) {
        mean = vec3d_add(mean, reduced_coordinate(s, s->y, r));
        mean_rest = vec3d_add(mean_rest, reduced_coordinate(s, s->rest, r));
    }
    Vec3d shift = vec3d_scale(vec3d_sub(mean, mat3_times(reference, mean_rest)), 1 / (double)s->space.handles);
    for (size_t r = 0; r < n; r++) {
        Vec3d from = mat3_times(reference, reduced_coordinate(s, s->rest, r));
        from = vec3d_sub(r % 4 == 3 ? vec3d_add(from, shift) : from, reduced_coordinate(s, s->y, r));
        s->work[r] = s->used->scale * from.x;
        s->work[n + r] = s->used->scale * from.y;
        s->work[2 * n + r] = s->used->scale * from.z;
    }
    dense_times3(s->stiffness, n, s->work, s->drift);
    for (size_t k = 0; loaded && k < 3 * n; k++)
        s->drift[k] += step->bh * step->bh * s->load[k];
    double stiffness = s->used->pins ? reduced_pin_stiffness(s, body, s->used->scale) : 0;
    for (size_t i = 0; s->used->pins && i < body->point_count; i++) {
        if (body->pin_of[i] < 0)
            continue;
        Vec3d lack = vec3d_sub(pin_target(body, i, 1), reduced_point(s, body, i, s->y));
        for (uint32_t k = s->space.start[i]; k < s->space.start[i + 1]; k++) {
            double u[4];
            reduced_functions(s, body->rest[i], k, u);
            for (size_t c = 0; c < 4; c++)
                reduced_add(s, s->drift, 4 * (size_t)s->space.handle[k] + c, stiffness * u[c], lack);
        }
    }
    dense_times3(s->used->inverse, n, s->drift, s->work);
    for (size_t k = 0; k < 3 * n; k++)
        s->drift[k] = s->work[k] + s->y[k];
}

// What the local step sees: in float, around the middle.
static void set_place(Reduced* s, const double* q)
{
    size_t n = s->rank, stride = s->stripes * LANES;
    Vec3d mean = {0, 0, 0};
    for (size_t r = 3; r < n; r += 4)
        mean = vec3d_add(mean, reduced_coordinate(s, q, r));
    mean = vec3d_scale(mean, 1 / (double)s->space.handles);
    const double middle[3] = {mean.x, mean.y, mean.z};
    for (size_t i = 0; i < 3; i++)
        for (size_t r = 0; r < n; r++)
            s->place[i * stride + r] = (float)(q[i * n + r] - (r % 4 == 3 ? middle[i] : 0));
}

static bool is_loaded(const Body* body)
{
    for (size_t i = 0; i < body->point_count; i++)
        if (body->load[i].x != 0 || body->load[i].y != 0 || body->load[i].z != 0)
            return true;
    return false;
}

// From s->q and s->v to s->now. False: out of memory.
static bool iterate(Reduced* s, ElasticSet* set, Body* body, ReducedStep* step)
{
    size_t n = s->rank, stride = s->stripes * LANES;
    start_step(s, set, body, step);
    s->used = reduced_find_factor(s, set, body, step->bh * (step->bh + body->def.damping), s->pins);
    if (!s->used || (step->contacts && !reduced_contact_begin(s, set, body, step->h)))
        return false;
    bool loaded = is_loaded(body);
    if (loaded)
        reduced_collect(s, body, body->load, s->load);
    else
        memset(s->load, 0, 3 * n * sizeof *s->load);
    LocalJob job = {.s = s, .turn = step->turn, .damping = (float)(body->def.damping / step->bh), .keep = body->def.damping > 0};
    if (job.keep) {
        set_place(s, s->q);
        reduced_local(&job, set->pool);
    }
    job.keep = false;
    job.reference = find_reference(s, s->y);
    find_drift(s, body, step, &job.reference, loaded);
    memcpy(s->now, s->y, 3 * n * sizeof *s->now);
    accelerate_begin(&s->accelerate);
    for (int k = 0; k < s->iterations; k++) {
        memcpy(s->work, s->now, 3 * n * sizeof *s->now);
        set_place(s, s->now);
        reduced_local(&job, set->pool);
        reduced_global(s, set->pool);
        for (size_t i = 0; i < 3; i++)
            for (size_t r = 0; r < n; r++)
                s->now[i * n + r] = s->drift[i * n + r] + (double)s->change[i * stride + r];
        if (!step->contacts) {
            if (k + 1 < s->iterations) // the last one is left as the global step says
                accelerate(&s->accelerate, s->work, s->now);
            continue;
        }
        for (size_t r = 0; r < 3 * n; r++)
            s->now[r] += s->pushed[r];
        if (!reduced_contact_solve(s, set, body, step->h))
            return false;
    }
    return true;
}

static void find_pin_forces(const Reduced* s, const Body* body, const ReducedStep* step)
{
    for (size_t k = 0; k < body->pin_count; k++)
        body->pin[k].force = body->pin[k].torque = vec3d(0, 0, 0);
    if (!s->pins)
        return;
    double stiffness = reduced_pin_stiffness(s, body, s->used->scale) / (step->bh * step->bh);
    for (size_t i = 0; i < body->point_count; i++) {
        if (body->pin_of[i] < 0)
            continue;
        Pin* pin = &body->pin[body->pin_of[i]];
        Vec3d x = reduced_point(s, body, i, s->now), force = vec3d_scale(vec3d_sub(x, pin_target(body, i, 1)), stiffness);
        pin->force = vec3d_add(pin->force, force);
        pin->torque = vec3d_add(pin->torque, vec3d_cross(x, force));
    }
}

// What outer forces leave the body to go on with.
typedef struct Balance {
    Vec3d momentum, angular; // [kg m/s], [kg m2/s] about the origin
    Vec3d had, has;          // [kg m2/s] about the centre, before and after
    double energy;           // [J] without that of strain
} Balance;

// `impulse` [N s] on coordinates, over a step from s->q to s->now.
static Balance find_balance(Reduced* s, const ElasticSet* set, const double* impulse, double h)
{
    Balance b;
    mass_times(s, s->v, s->work);
    b.momentum = vec3d_add(sum_of(s, s->work), sum_of(s, impulse));
    b.angular = vec3d_add(moment_of(s, s->q, s->work), moment_of(s, s->now, impulse));
    Vec3d carried = sum_of(s, s->work);
    b.had = moment_of(s, s->q, s->work);
    b.energy = 0.5 * dot_of(s, s->v, s->work) + s->strain + (dot_of(s, impulse, s->now) - dot_of(s, impulse, s->q)) / h;
    mass_times(s, s->q, s->work);
    b.had = vec3d_sub(b.had, vec3d_scale(vec3d_cross(sum_of(s, s->work), carried), 1 / s->total_mass));
    b.energy -= vec3d_dot(sum_of(s, s->work), set->gravity);
    mass_times(s, s->now, s->work);
    b.energy += vec3d_dot(sum_of(s, s->work), set->gravity);
    b.momentum = vec3d_mad(b.momentum, h * s->total_mass, set->gravity);
    b.angular = vec3d_mad(b.angular, h, vec3d_cross(sum_of(s, s->work), set->gravity));
    b.has = vec3d_sub(b.angular, vec3d_scale(vec3d_cross(sum_of(s, s->work), b.momentum), 1 / s->total_mass));
    set_place(s, s->now);
    s->strain = reduced_measure(s, set->pool, s->samples.turn);
    b.energy -= s->strain;
    return b;
}

// Takes s->now as the new state.
static void end_step(Reduced* s, ElasticSet* set, Body* body, const ReducedStep* step)
{
    size_t n = s->rank;
    double h = step->h, *impulse = s->load;
    for (size_t k = 0; k < 3 * n; k++)
        impulse[k] *= h;
    bool touched = step->contacts && reduced_contact_end(s, set, body, h, impulse);
    Balance balance = find_balance(s, set, impulse, h);
    memcpy(s->q_before, s->q, 3 * n * sizeof *s->q);
    memcpy(s->v_before, s->v, 3 * n * sizeof *s->v);
    memcpy(s->q, s->now, 3 * n * sizeof *s->q);
    for (size_t k = 0; k < 3 * n; k++)
        s->v[k] = (s->q[k] - s->q_start[k]) / step->bh;
    if (!s->pins && !touched)
        set_turn(s, s->q_before, s->q, s->v, balance.had, balance.has, h);
    if (!s->pins)
        set_momentum(s, s->q, s->v, balance.momentum, balance.angular, balance.energy);
    double keep = exp(-body->def.drag * h);
    for (size_t k = 0; k < 3 * n; k++)
        s->v[k] *= keep;
    s->h_before = touched ? 0 : h;
}

static void show(const Reduced* s, ElasticSet* set, Body* body)
{
    reduced_show(s, set->pool, body, s->q, body->position);
    reduced_show(s, set->pool, body, s->v, body->velocity);
}

static bool reduced_step(ElasticSet* set, Body* body, double dt)
{
    Reduced* s = body->state;
    refresh(s, body);
    if (!hard_contacts_find(set, body, dt))
        return false;
    ReducedStep step = {.h = dt, .contacts = body->hard_count + body->sharp_count > 0, .turn = s->samples.turn};
    if (!iterate(s, set, body, &step))
        return false;
    find_pin_forces(s, body, &step);
    end_step(s, set, body, &step);
    show(s, set, body);
    return true;
}

// --- answers to forces, without contacts

static void reduced_predict(ElasticSet* set, Body* body, double dt, Vec3d* velocity)
{
    Reduced* s = body->state;
    refresh(s, body);
    size_t bytes = 4 * LANES * s->samples.groups * sizeof(float);
    memcpy(s->samples.turn_tried, s->samples.turn, bytes);
    ReducedStep step = {.h = dt, .turn = s->samples.turn_tried};
    if (!iterate(s, set, body, &step)) {
        s->used = NULL; // the step will say so
        return;
    }
    s->mobility_scale = step.bh / dt;
    for (size_t k = 0; k < 3 * s->rank; k++)
        s->work[k] = (s->now[k] - s->q_start[k]) / step.bh;
    reduced_show_surface(s, body, s->work, velocity);
}

static void reduced_mobility(ElasticSet* set, Body* body, Vec3d* point)
{
    Reduced* s = body->state;
    if (!s->used)
        return;
    reduced_collect(s, body, point, s->work);
    dense_times3(s->used->inverse, s->rank, s->work, s->now);
    for (size_t k = 0; k < 3 * s->rank; k++)
        s->now[k] *= s->mobility_scale;
    reduced_show_surface(s, body, s->now, point);
}

// Others gave velocities to points.
static void reduced_velocity_jump(Body* body)
{
    ((Reduced*)body->state)->stale = 1;
}

// Another surface moved and pushed points of the skin: impulses and shifts by the masses that contact gave them.
static void reduced_met(ElasticSet* set, Body* body)
{
    Reduced* s = body->state;
    for (int k = 0; k < 2; k++) {
        double* q = k == 0 ? s->q : s->v;
        const Vec3d* point = k == 0 ? body->position : body->velocity;
        memset(body->load, 0, body->point_count * sizeof *body->load); // free after the step
        for (size_t m = 0; m < body->skin_count; m++) {
            uint32_t i = body->skin[m];
            body->load[i] = vec3d_sub(point[i], reduced_point(s, body, i, q));
        }
        reduced_fit_change(s, body, s->contact_mass, body->load, q);
    }
    s->h_before = 0;
    set_place(s, s->q);
    s->strain = reduced_measure(s, set->pool, s->samples.turn);
    show(s, set, body);
}

// --- energy

static double reduced_strain_energy(const Body* body)
{
    const Reduced* s = body->state;
    const Samples* m = &s->samples;
    double sum = 0;
    for (size_t k = 0; k < m->count; k++) {
        const SampleGroup* group = &m->group[k / LANES];
        Mat3 f = {{{0}}};
        for (size_t e = group->first; e < group->first + group->count; e++)
            for (size_t c = 0; c < 12; c++) {
                double g = (double)m->gradient[(12 * e + c) * LANES + k % LANES];
                for (size_t i = 0; i < 3; i++)
                    f.m[i][c % 3] += g * s->q[i * s->rank + 4 * (size_t)m->handle[e] + c / 3];
            }
        sum += m->volume[k] * reduced_energy_density(s, &f);
    }
    return sum;
}

// --- state

static size_t reduced_state_bytes(const Body* body)
{
    const Reduced* s = body->state;
    return (12 * s->rank + 4) * sizeof(double) + 4 * LANES * s->samples.groups * sizeof(float);
}

static void reduced_save(const Body* body, void* bytes)
{
    const Reduced* s = body->state;
    const double* part[] = {s->q, s->v, s->q_before, s->v_before};
    double number[3] = {s->h_before, s->stale, s->strain};
    char* at = bytes;
    for (int k = 0; k < 4; k++, at += 3 * s->rank * sizeof(double))
        memcpy(at, part[k], 3 * s->rank * sizeof(double));
    memcpy(at, number, sizeof number);
    memcpy(at + sizeof number, &s->pins, sizeof s->pins);
    memcpy(at + sizeof number + sizeof s->pins, s->samples.turn, 4 * LANES * s->samples.groups * sizeof(float));
}

static void reduced_load(Body* body, const void* bytes)
{
    Reduced* s = body->state;
    double* part[] = {s->q, s->v, s->q_before, s->v_before};
    double number[3];
    const char* at = bytes;
    for (int k = 0; k < 4; k++, at += 3 * s->rank * sizeof(double))
        memcpy(part[k], at, 3 * s->rank * sizeof(double));
    memcpy(number, at, sizeof number);
    s->h_before = number[0];
    s->stale = number[1];
    s->strain = number[2];
    memcpy(&s->pins, at + sizeof number, sizeof s->pins);
    memcpy(s->samples.turn, at + sizeof number + sizeof s->pins, 4 * LANES * s->samples.groups * sizeof(float));
}

const ElasticModel elastic_reduced = {.name = "reduced",
                                      .create = reduced_create,
                                      .destroy = reduced_destroy,
                                      .step = reduced_step,
                                      .strain_energy = reduced_strain_energy,
                                      .velocity_jump = reduced_velocity_jump,
                                      .met = reduced_met,
                                      .predict = reduced_predict,
                                      .mobility = reduced_mobility,
                                      .state_bytes = reduced_state_bytes,
                                      .save = reduced_save,
                                      .load = reduced_load};
