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
static void find_drift(Reduced* s, Pool* pool, const Body* body, const ReducedStep* step, const Mat3* reference, bool loaded)
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
    reduced_times(s, s->stiffness, s->work, s->drift);
    for (size_t k = 0; loaded && k < 3 * n; k++)
        s->drift[k] += step->bh * step->bh * s->load[k];
    double stiffness = s->used->pins ? reduced_pin_stiffness(s, body, s->used->scale) : 0;
    for (size_t i = 0; s->used->pins && i < body->point_count; i++) {
        if (body->pins.of[i] < 0)
            continue;
        Vec3d lack = vec3d_sub(pin_target(body, i, 1), reduced_point(s, body, i, s->y));
        for (uint32_t k = s->space.start[i]; k < s->space.start[i + 1]; k++) {
            double u[4];
            reduced_functions(s, body->rest[i], k, u);
            for (size_t c = 0; c < 4; c++)
                reduced_add(s, s->drift, 4 * (size_t)s->space.handle[k] + c, stiffness * u[c], lack);
        }
    }
    if (s->used->pins) { // stiff ones, which float does not see through
        dense_times3(s->used->inverse, n, s->drift, s->work);
        for (size_t k = 0; k < 3 * n; k++)
            s->drift[k] = s->y[k] + s->work[k];
        return;
    }
    // by the matrix of the global step, which has the scale in it
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < 3; i++)
            s->force[3 * r + i] = (float)(s->drift[i * n + r] / s->used->scale);
    reduced_global(s, pool);
    for (size_t i = 0; i < 3; i++)
        for (size_t r = 0; r < n; r++)
            s->drift[i * n + r] = s->y[i * n + r] + (double)s->change[i * s->stripes * LANES + r];
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
        reduced_set_place(s, s->q);
        reduced_local(&job, set->pool);
    }
    job.keep = false;
    job.reference = find_reference(s, s->y);
    find_drift(s, set->pool, body, step, &job.reference, loaded);
    memcpy(s->now, s->y, 3 * n * sizeof *s->now);
    accelerate_begin(&s->accelerate);
    for (int k = 0; k < s->iterations; k++) {
        memcpy(s->work, s->now, 3 * n * sizeof *s->now);
        reduced_set_place(s, s->now);
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
    for (size_t k = 0; k < body->pins.count; k++)
        body->pins.pin[k].force = body->pins.pin[k].torque = vec3d(0, 0, 0);
    if (!s->pins)
        return;
    double stiffness = reduced_pin_stiffness(s, body, s->used->scale) / (step->bh * step->bh);
    for (size_t i = 0; i < body->point_count; i++) {
        if (body->pins.of[i] < 0)
            continue;
        Pin* pin = &body->pins.pin[body->pins.of[i]];
        Vec3d x = reduced_point(s, body, i, s->now), force = vec3d_scale(vec3d_sub(x, pin_target(body, i, 1)), stiffness);
        pin->force = vec3d_add(pin->force, force);
        pin->torque = vec3d_add(pin->torque, vec3d_cross(x, force));
    }
}

// Takes s->now as the new state.
static void end_step(Reduced* s, ElasticSet* set, Body* body, const ReducedStep* step)
{
    size_t n = s->rank;
    double h = step->h, *impulse = s->load;
    for (size_t k = 0; k < 3 * n; k++)
        impulse[k] *= h;
    bool touched = step->contacts && reduced_contact_end(s, set, body, h, impulse);
    ReducedBalance balance = reduced_balance(s, set, impulse, h);
    memcpy(s->q_before, s->q, 3 * n * sizeof *s->q);
    memcpy(s->v_before, s->v, 3 * n * sizeof *s->v);
    memcpy(s->q, s->now, 3 * n * sizeof *s->q);
    for (size_t k = 0; k < 3 * n; k++)
        s->v[k] = (s->q[k] - s->q_start[k]) / step->bh;
    if (!s->pins && !touched)
        reduced_set_turn(s, &balance, h);
    if (!s->pins)
        reduced_set_momentum(s, &balance);
    double keep = exp(-body->def.drag * h);
    for (size_t k = 0; k < 3 * n; k++)
        s->v[k] *= keep;
    s->h_before = touched ? 0 : h;
}

// --- together with a grid, see reduced_inside.c

static bool reduced_predict_inside(ElasticSet* set, Body* body, double dt)
{
    Reduced* s = body->state;
    refresh(s, body);
    s->h_before = 0; // velocities of the step before have seen the fluid
    if (!hard_contacts_find(set, body, dt))
        return false;
    memcpy(s->samples.turn_tried, s->samples.turn, 4 * LANES * s->samples.groups * sizeof(float));
    ReducedStep step = {
        .h = dt, .contacts = body->obstacles.hard_count + body->obstacles.sharp_count > 0, .turn = s->samples.turn_tried};
    if (!iterate(s, set, body, &step))
        return false;
    find_pin_forces(s, body, &step);
    double strain = s->strain;
    end_step(s, set, body, &step);
    // it is only a try: the grid says where it goes
    size_t bytes = 3 * s->rank * sizeof(double);
    memcpy(s->inside.predicted, s->v, bytes);
    memcpy(s->q, s->q_before, bytes);
    memcpy(s->v, s->v_before, bytes);
    s->strain = strain;
    s->h_before = 0;
    reduced_speed_inside(s, set->pool, s->inside.predicted, s->inside.ahead);
    return true;
}

static SolidInside reduced_inside(const Body* body)
{
    const ReducedInside* in = &((const Reduced*)body->state)->inside;
    return (SolidInside){.count = in->count,
                         .mass = in->mass,
                         .rest = in->rest,
                         .position = in->position,
                         .velocity = in->velocity,
                         .ahead = in->ahead,
                         .back = (const float(*)[9])in->back,
                         .moved = in->moved};
}

// Forces that came after the try, as those of a hand that pulls: implicit, and the grid sees them in the next step.
static void push_inside(Reduced* s, ElasticSet* set, const Body* body, double dt)
{
    reduced_collect(s, body, body->load, s->work);
    dense_times3(s->used->inverse, s->rank, s->work, s->now);
    for (size_t k = 0; k < 3 * s->rank; k++) {
        s->v[k] += dt * s->now[k];
        s->q[k] += dt * dt * s->now[k];
    }
    reduced_show_inside(s, set->pool);
}

static bool reduced_step(ElasticSet* set, Body* body, double dt)
{
    Reduced* s = body->state;
    if (s->inside.count) {
        bool ok = reduced_take_inside(s, set, body, dt);
        if (ok && is_loaded(body))
            push_inside(s, set, body, dt);
        reduced_show(s, set->pool, body);
        return ok;
    }
    refresh(s, body);
    if (!hard_contacts_find(set, body, dt))
        return false;
    ReducedStep step = {.h = dt, .contacts = body->obstacles.hard_count + body->obstacles.sharp_count > 0, .turn = s->samples.turn};
    if (!iterate(s, set, body, &step))
        return false;
    find_pin_forces(s, body, &step);
    end_step(s, set, body, &step);
    reduced_show(s, set->pool, body);
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
        for (size_t m = 0; m < body->skin.count; m++) {
            uint32_t i = body->skin.point[m];
            body->load[i] = vec3d_sub(point[i], reduced_point(s, body, i, q));
        }
        reduced_fit_change(s, body, s->contact_mass, body->load, q);
    }
    s->h_before = 0;
    reduced_set_place(s, s->q);
    s->strain = reduced_measure(s, set->pool, s->samples.turn);
    reduced_show(s, set->pool, body);
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
    if (s->inside.count)
        reduced_show_inside(s, NULL);
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
                                      .immerse = reduced_immerse,
                                      .predict_inside = reduced_predict_inside,
                                      .inside = reduced_inside,
                                      .state_bytes = reduced_state_bytes,
                                      .save = reduced_save,
                                      .load = reduced_load};
