// SPDX-License-Identifier: MIT
#include "coupling/forcing.h"

#include <string.h>

// --- small matrices

// Cholesky: a = l l^T, in the lower half. False: not positive.
static bool cholesky(int n, const double a[6][6], double l[6][6])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 0))
                return false;
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    return true;
}

static void cholesky_solve(int n, const double l[6][6], const double b[6], double x[6])
{
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int k = 0; k < i; k++)
            x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
}

void forcing_set_inertia(ForcingBody* body, const double inverse[3][3])
{
    double a[6][6], l[6][6], x[6];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = body->inverse_inertia[i][j] = inverse[i][j];
    bool ok = cholesky(3, (const double(*)[6])a, l);
    for (int j = 0; j < 3; j++) {
        const double unit[6] = {j == 0, j == 1, j == 2};
        if (ok)
            cholesky_solve(3, (const double(*)[6])l, unit, x);
        for (int i = 0; i < 3; i++)
            body->inertia[i][j] = ok ? x[i] : (double)INFINITY;
    }
}

static Vec3d transposed_times(const double m[3][3], Vec3d v)
{
    return vec3d(m[0][0] * v.x + m[1][0] * v.y + m[2][0] * v.z, m[0][1] * v.x + m[1][1] * v.y + m[2][1] * v.z,
                 m[0][2] * v.x + m[1][2] * v.y + m[2][2] * v.z);
}

static void add_product(double m[3][3], Vec3d a, Vec3d b) // a b^T
{
    const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] += x[i] * y[j];
}

static Vec3d turn_at(const ForcingBody* body, Vec3d w, Vec3d point)
{
    return vec3d_cross(w, vec3d_sub(point, body->centre));
}

Vec3d forcing_velocity_of(const ForcingBody* body, Twist motion, Vec3d point)
{
    return vec3d_add(motion.linear, turn_at(body, motion.angular, point));
}

// --- one contact

// [m/s] that particle and solid part with, at least
static double rebound_of(Vec3d before, const ForcingTouch* t)
{
    return -t->restitution * fmin(vec3d_dot(vec3d_sub(before, t->before), t->normal), 0);
}

// v_r at the end of the step, eqs. 8 and 9. `closes`: the normal part is a condition.
static Vec3d target_of(Vec3d before, Vec3d velocity, const ForcingTouch* t, bool closes)
{
    Vec3d relative = vec3d_sub(velocity, t->after);
    double normal = vec3d_dot(relative, t->normal);
    Vec3d tangent = vec3d_mad(relative, -normal, t->normal);
    if (closes)
        normal = rebound_of(before, t);
    return vec3d_mad(vec3d_scale(tangent, t->slip), normal, t->normal);
}

static bool closes_with(Vec3d before, Vec3d velocity, const ForcingTouch* t)
{
    return !t->is_near && vec3d_dot(vec3d_sub(velocity, t->after), t->normal) < rebound_of(before, t);
}

Vec3d forcing_at_wall(const Vec3d* before, const Vec3d* velocity, const ForcingTouch* t)
{
    return vec3d_add(target_of(*before, *velocity, t, closes_with(*before, *velocity, t)), t->drift);
}

// Normals that a particle closes with at the same time are hardly ever parallel, but a crack can close: then conditions contradict
// each other, and are met as well as they can be.
static const double INDEPENDENT = 0.01; // least square of what is left of a unit vector without the others

// Dual basis of the normals of the active touches: dual[c] . n_e = 1 for c = e, else 0.
static void dual_basis(const ForcingContact* c, const bool* active, Vec3d dual[FORCING_TOUCHES])
{
    int which[FORCING_TOUCHES], n = 0;
    double gram[6][6] = {{0}}, l[6][6] = {{0}};
    for (int k = 0; k < c->touches; k++)
        if (active[k])
            which[n++] = k;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            gram[i][j] = vec3d_dot(c->touch[which[i]].normal, c->touch[which[j]].normal);
    bool ok = cholesky(n, (const double(*)[6])gram, l);
    for (int i = 0; i < n; i++)
        ok = ok && l[i][i] * l[i][i] > INDEPENDENT;
    for (int i = 0; i < n && !ok; i++)
        gram[i][i] += INDEPENDENT;
    if (!ok)
        cholesky(n, (const double(*)[6])gram, l);
    for (int i = 0; i < n; i++) {
        double unit[6] = {0}, x[6];
        unit[i] = 1;
        cholesky_solve(n, (const double(*)[6])l, unit, x);
        dual[which[i]] = vec3d(0, 0, 0);
        for (int j = 0; j < n; j++)
            dual[which[i]] = vec3d_mad(dual[which[i]], x[j], c->touch[which[j]].normal);
    }
}

static void find_shares(ForcingContact* c, const bool* active)
{
    Vec3d dual[FORCING_TOUCHES];
    double rest[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    dual_basis(c, active, dual);
    memset(c->share, 0, sizeof c->share);
    for (int k = 0; k < c->touches; k++)
        if (active[k]) {
            add_product(c->share[k], dual[k], c->touch[k].normal);
            add_product(rest, vec3d_scale(dual[k], -1), c->touch[k].normal);
        }
    for (int k = 0; k < c->touches; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                c->share[k][i][j] += rest[i][j] / c->touches;
}

// The velocity that the conditions give if no body changed its own.
static Vec3d find_aim(ForcingContact* c, const bool* active)
{
    Vec3d all = {0, 0, 0};
    c->aim = vec3d(0, 0, 0);
    for (int k = 0; k < c->touches; k++) {
        const ForcingTouch* t = &c->touch[k];
        Vec3d target = target_of(c->before, c->velocity, t, active[k]);
        c->aim = vec3d_add(c->aim, mat3d_times((const double(*)[3])c->share[k], vec3d_add(target, t->drift)));
        all = vec3d_add(all, mat3d_times((const double(*)[3])c->share[k], vec3d_add(target, t->after)));
    }
    return all;
}

void forcing_aim(ForcingContact* c)
{
    bool active[FORCING_TOUCHES] = {false};
    const ForcingTouch* t = c->touch;
    c->shared = false;
    c->alone = c->touches == 1 ? t->body : -1;
    for (int k = 0; k < c->touches; k++) {
        active[k] = closes_with(c->before, c->velocity, &t[k]);
        for (int e = 0; e < k; e++)
            c->shared |= t[k].body >= 0 && t[e].body >= 0 && t[k].body != t[e].body;
    }
    if (c->touches == 1) {
        static const double one[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        memcpy(c->share[0], one, sizeof one);
        c->aim = vec3d_add(target_of(c->before, c->velocity, t, active[0]), t->drift);
        return;
    }
    // what stops it at one solid may turn it towards another
    for (int tries = 0; tries <= c->touches; tries++) {
        find_shares(c, active);
        Vec3d v = find_aim(c, active);
        bool again = false;
        for (int k = 0; k < c->touches; k++)
            if (!active[k] && closes_with(c->before, v, &t[k]))
                again = active[k] = true;
        if (!again)
            break;
    }
}

// Q of a contact and a body: all it has to do with it. False: nothing.
static bool share_of(const ForcingContact* c, int32_t body, double q[3][3])
{
    bool any = false;
    memset(q, 0, 9 * sizeof(double));
    for (int k = 0; k < c->touches; k++) {
        if (c->touch[k].body != body)
            continue;
        any = true;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                q[i][j] += c->share[k][i][j];
    }
    return any;
}

// Calls for each body that a contact touches, once.
static int bodies_of(const ForcingContact* c, int32_t out[FORCING_TOUCHES])
{
    int n = 0;
    for (int k = 0; k < c->touches; k++) {
        bool seen = c->touch[k].body < 0;
        for (int e = 0; e < n; e++)
            seen |= out[e] == c->touch[k].body;
        if (!seen)
            out[n++] = c->touch[k].body;
    }
    return n;
}

// B = Q [1 | -a~]
static void rows_of(const ForcingProblem* p, const ForcingContact* c, int32_t body, double b[3][6])
{
    double q[3][3];
    share_of(c, body, q);
    Vec3d a = vec3d_sub(c->point, p->body[body].centre);
    const double cross[3][3] = {{0, a.z, -a.y}, {-a.z, 0, a.x}, {a.y, -a.x, 0}}; // -a~
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            b[i][j] = q[i][j];
            b[i][3 + j] = q[i][0] * cross[0][j] + q[i][1] * cross[1][j] + q[i][2] * cross[2][j];
        }
}

static Vec3d times(const double b[3][6], const double x[6])
{
    double y[3];
    for (int i = 0; i < 3; i++)
        y[i] = b[i][0] * x[0] + b[i][1] * x[1] + b[i][2] * x[2] + b[i][3] * x[3] + b[i][4] * x[4] + b[i][5] * x[5];
    return vec3d(y[0], y[1], y[2]);
}

static void add_transposed(double y[6], const double b[3][6], double scale, Vec3d v)
{
    for (int j = 0; j < 6; j++)
        y[j] += scale * (b[0][j] * v.x + b[1][j] * v.y + b[2][j] * v.z);
}

static Twist twist_load(const double x[6])
{
    return (Twist){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

static Vec3d velocity_at(const ForcingBody* body, Vec3d point, bool gained)
{
    Twist motion = body->velocity;
    if (gained)
        motion = (Twist){vec3d_add(motion.linear, body->gain.linear), vec3d_add(motion.angular, body->gain.angular)};
    return forcing_velocity_of(body, motion, point);
}

static Vec3d velocity_with(const ForcingProblem* p, const ForcingContact* c, bool gained)
{
    Vec3d v = c->aim;
    if (c->alone >= 0)
        return vec3d_add(v, velocity_at(&p->body[c->alone], c->point, gained));
    for (int k = 0; k < c->touches; k++)
        if (c->touch[k].body >= 0)
            v = vec3d_add(v,
                          mat3d_times((const double(*)[3])c->share[k], velocity_at(&p->body[c->touch[k].body], c->point, gained)));
    return v;
}

Vec3d forcing_velocity(const ForcingProblem* p, const ForcingContact* c)
{
    return velocity_with(p, c, true);
}

Vec3d forcing_push(const ForcingContact* c, int touch, Vec3d impulse)
{
    if (c->touches == 1)
        return vec3d_scale(impulse, -1);
    return vec3d_scale(transposed_times((const double(*)[3])c->share[touch], impulse), -1);
}

Twist forcing_reaction(const ForcingProblem* p, const ForcingContact* c, int32_t body, Vec3d impulse)
{
    Vec3d push = vec3d_scale(impulse, -1);
    if (c->touches > 1) {
        double q[3][3];
        share_of(c, body, q);
        push = transposed_times((const double(*)[3])q, push);
    }
    return (Twist){push, vec3d_cross(vec3d_sub(c->point, p->body[body].centre), push)};
}

// --- local

// One touch, as most have: K = (1/m + 1/M) 1 - a~ I^-1 a~ is small enough for determinants.
static Vec3d local_alone(const ForcingProblem* p, const ForcingContact* c)
{
    const ForcingBody* body = &p->body[c->alone];
    Vec3d a = vec3d_sub(c->point, body->centre), off = vec3d_sub(velocity_with(p, c, false), c->velocity);
    const double(*j)[3] = (const double(*)[3])body->inverse_inertia;
    const Vec3d jx = {j[0][0], j[1][0], j[2][0]}, jy = {j[0][1], j[1][1], j[2][1]}, jz = {j[0][2], j[1][2], j[2][2]};
    Vec3d k[3] = {vec3d_cross(vec3d_sub(vec3d_scale(jy, a.z), vec3d_scale(jz, a.y)), a),
                  vec3d_cross(vec3d_sub(vec3d_scale(jz, a.x), vec3d_scale(jx, a.z)), a),
                  vec3d_cross(vec3d_sub(vec3d_scale(jx, a.y), vec3d_scale(jy, a.x)), a)};
    double diagonal = 1 / c->mass + 1 / body->mass;
    k[0].x += diagonal;
    k[1].y += diagonal;
    k[2].z += diagonal;
    Vec3d yz = vec3d_cross(k[1], k[2]), zx = vec3d_cross(k[2], k[0]), xy = vec3d_cross(k[0], k[1]);
    double scale = 1 / vec3d_dot(k[0], yz);
    return vec3d_scale(vec3d_add(vec3d_scale(yz, off.x), vec3d_add(vec3d_scale(zx, off.y), vec3d_scale(xy, off.z))), scale);
}

Vec3d forcing_local(const ForcingProblem* p, const ForcingContact* c)
{
    if (c->alone >= 0)
        return local_alone(p, c);
    double k[6][6] = {{0}}, l[6][6] = {{0}}, x[6];
    int32_t which[FORCING_TOUCHES];
    for (int i = 0; i < 3; i++)
        k[i][i] = 1 / c->mass;
    for (int n = bodies_of(c, which); n > 0; n--) {
        const ForcingBody* body = &p->body[which[n - 1]];
        double b[3][6];
        rows_of(p, c, which[n - 1], b);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                Vec3d turn = mat3d_times(body->inverse_inertia, vec3d(b[j][3], b[j][4], b[j][5]));
                k[i][j] += (b[i][0] * b[j][0] + b[i][1] * b[j][1] + b[i][2] * b[j][2]) / body->mass + b[i][3] * turn.x +
                           b[i][4] * turn.y + b[i][5] * turn.z;
            }
    }
    Vec3d off = vec3d_sub(velocity_with(p, c, false), c->velocity);
    const double right[6] = {off.x, off.y, off.z};
    if (!cholesky(3, (const double(*)[6])k, l))
        return vec3d(0, 0, 0);
    cholesky_solve(3, (const double(*)[6])l, right, x);
    return vec3d(x[0], x[1], x[2]);
}

// --- global

static void begin_body(ForcingBody* body)
{
    memset(body->matrix, 0, sizeof body->matrix);
    for (int i = 0; i < 3; i++) {
        body->matrix[i][i] = body->mass;
        for (int j = 0; j < 3; j++)
            body->matrix[3 + i][3 + j] = body->inertia[i][j];
    }
    memset(body->alone, 0, sizeof body->alone);
    memset(body->r, 0, sizeof body->r);
    memset(body->x, 0, sizeof body->x);
}

// Contacts with one body alone that follow each other, from number k on: B = [1 | -a~]. What they add to the matrix depends on sums
// of m, m a and m a a^T alone. Returns the number after the last.
static size_t add_alone(const ForcingProblem* p, const ForcingList* list, size_t k)
{
    const int32_t alone = list->contact[k].alone;
    ForcingBody* body = &p->body[alone];
    double right[6], sums[10]; // not in the body, where each contact would wait for what the last one stored
    memcpy(right, body->r, sizeof right);
    memcpy(sums, body->alone, sizeof sums);
    for (; k < list->count && list->contact[k].alone == alone; k++) {
        const ForcingContact* c = &list->contact[k];
        Vec3d push = vec3d_scale(vec3d_sub(c->velocity, vec3d_add(c->aim, velocity_at(body, c->point, false))), c->mass);
        Vec3d a = vec3d_sub(c->point, body->centre), moment = vec3d_cross(a, push), ma = vec3d_scale(a, c->mass);
        const double load[6] = {push.x, push.y, push.z, moment.x, moment.y, moment.z};
        const double terms[10] = {c->mass,    ma.x,       ma.y,       ma.z,       ma.x * a.x,
                                  ma.y * a.y, ma.z * a.z, ma.y * a.x, ma.z * a.x, ma.z * a.y};
        for (int i = 0; i < 6; i++)
            right[i] += load[i];
        for (int i = 0; i < 10; i++)
            sums[i] += terms[i];
    }
    memcpy(body->r, right, sizeof right);
    memcpy(body->alone, sums, sizeof sums);
    return k;
}

// The lower half of the matrix gets what add_alone() has summed.
static void add_sums(ForcingBody* body)
{
    const double *s = body->alone, x = s[1], y = s[2], z = s[3];
    const double block[3][6] = {
        {0, -z, y, s[5] + s[6], 0, 0}, {z, 0, -x, -s[7], s[4] + s[6], 0}, {-y, x, 0, -s[8], -s[9], s[4] + s[5]}};
    for (int i = 0; i < 3; i++) {
        body->matrix[i][i] += s[0];
        for (int j = 0; j < 6; j++)
            body->matrix[3 + i][j] += block[i][j];
    }
}

static void add_contact(const ForcingProblem* p, const ForcingContact* c)
{
    int32_t which[FORCING_TOUCHES];
    Vec3d off = vec3d_sub(c->velocity, velocity_with(p, c, false));
    for (int n = bodies_of(c, which); n > 0; n--) {
        ForcingBody* body = &p->body[which[n - 1]];
        double b[3][6];
        rows_of(p, c, which[n - 1], b);
        add_transposed(body->r, (const double(*)[6])b, c->mass, off);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j <= i; j++)
                body->matrix[i][j] += c->mass * (b[0][i] * b[0][j] + b[1][i] * b[1][j] + b[2][i] * b[2][j]);
    }
}

// q += A p of contacts that bodies share, but for the blocks on the diagonal
static void add_shared(const ForcingProblem* p, const ForcingContact* c)
{
    int32_t which[FORCING_TOUCHES];
    int n = bodies_of(c, which);
    double b[FORCING_TOUCHES][3][6];
    Vec3d v[FORCING_TOUCHES], all = {0, 0, 0};
    for (int k = 0; k < n; k++) {
        rows_of(p, c, which[k], b[k]);
        v[k] = times((const double(*)[6])b[k], p->body[which[k]].p);
        all = vec3d_add(all, v[k]);
    }
    for (int k = 0; k < n; k++)
        add_transposed(p->body[which[k]].q, (const double(*)[6])b[k], c->mass, vec3d_sub(all, v[k]));
}

static double dot6(const double a[6], const double b[6])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// The inverse of the blocks on the diagonal: all there is to do if bodies share no particles. Returns r . z.
static double precondition(const ForcingProblem* p)
{
    double sum = 0;
    for (size_t k = 0; k < p->body_count; k++) {
        ForcingBody* b = &p->body[k];
        cholesky_solve(6, (const double(*)[6])b->factor, b->r, b->z);
        sum += dot6(b->r, b->z);
    }
    return sum;
}

static void multiply(const ForcingProblem* p)
{
    for (size_t k = 0; k < p->body_count; k++) {
        ForcingBody* b = &p->body[k];
        for (int i = 0; i < 6; i++)
            b->q[i] = dot6(b->matrix[i], b->p);
    }
    for (size_t l = 0; l < p->list_count; l++)
        for (size_t k = 0; k < p->list[l].count; k++)
            if (p->list[l].contact[k].shared)
                add_shared(p, &p->list[l].contact[k]);
}

static void conjugate_gradients(const ForcingProblem* p)
{
    enum { MOST = 200 };
    double rz = precondition(p), first = rz;
    for (size_t k = 0; k < p->body_count; k++)
        memcpy(p->body[k].p, p->body[k].z, sizeof p->body[k].p);
    for (int step = 0; step < MOST && rz > 1e-26 * first; step++) {
        double pq = 0, before = rz;
        multiply(p);
        for (size_t k = 0; k < p->body_count; k++)
            pq += dot6(p->body[k].p, p->body[k].q);
        double alpha = pq > 0 ? rz / pq : 0;
        for (size_t k = 0; k < p->body_count; k++)
            for (int i = 0; i < 6; i++) {
                p->body[k].x[i] += alpha * p->body[k].p[i];
                p->body[k].r[i] -= alpha * p->body[k].q[i];
            }
        rz = precondition(p);
        for (size_t k = 0; k < p->body_count; k++)
            for (int i = 0; i < 6; i++)
                p->body[k].p[i] = p->body[k].z[i] + rz / before * p->body[k].p[i];
    }
}

void forcing_solve_global(const ForcingProblem* p)
{
    bool shared = false;
    for (size_t k = 0; k < p->body_count; k++)
        begin_body(&p->body[k]);
    for (size_t l = 0; l < p->list_count; l++)
        for (size_t k = 0; k < p->list[l].count;) {
            const ForcingContact* c = &p->list[l].contact[k];
            if (c->alone >= 0) {
                k = add_alone(p, &p->list[l], k);
                continue;
            }
            add_contact(p, c);
            shared |= c->shared;
            k++;
        }
    for (size_t k = 0; k < p->body_count; k++) {
        ForcingBody* b = &p->body[k];
        add_sums(b);
        for (int i = 0; i < 6; i++)
            for (int j = i + 1; j < 6; j++)
                b->matrix[i][j] = b->matrix[j][i];
        cholesky(6, (const double(*)[6])b->matrix, b->factor);
        if (!shared)
            cholesky_solve(6, (const double(*)[6])b->factor, b->r, b->x);
    }
    if (shared)
        conjugate_gradients(p);
    for (size_t k = 0; k < p->body_count; k++)
        p->body[k].gain = twist_load(p->body[k].x);
}
