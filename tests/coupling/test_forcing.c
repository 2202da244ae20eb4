// SPDX-License-Identifier: MIT
// The conditions of direct forcing (coupling/forcing.h) for random bodies, contacts, slip and restitution: they hold, they keep
// momentum and angular momentum, and the small systems give what a solve of all constraints at once gives.
#include "support.h"

#include "base/random.h"
#include "coupling/forcing.h"
#include <stdlib.h>
#include <string.h>

enum { BODIES = 3, CONTACTS = 40, UNKNOWNS = 6 * BODIES + 6 * CONTACTS };

typedef struct Fixture {
    ForcingBody body[BODIES];
    ForcingContact contact[CONTACTS];
    ForcingList list;
    ForcingProblem problem;
} Fixture;

static Vec3d random_vector(Random* r, double size)
{
    double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return vec3d(x, y, random_range(r, -size, size));
}

// Lightest to heaviest as a ball of 1 kg/m3 and one of 50 000 in water.
static void make_body(Random* r, ForcingBody* b, int k)
{
    double inverse[3][3] = {{0}}, mass = pow(10, random_range(r, -3, 3));
    *b = (ForcingBody){.solid = (uint32_t)k, .mass = mass, .centre = random_vector(r, 1)};
    b->before = (Twist){random_vector(r, 2), random_vector(r, 3)};
    b->velocity = (Twist){random_vector(r, 2), random_vector(r, 3)};
    for (int n = 0; n < 4; n++) { // sum of squares: positive
        Vec3d v = random_vector(r, 1);
        const double c[3] = {v.x, v.y, v.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                inverse[i][j] += c[i] * c[j] / (0.1 * mass);
    }
    forcing_set_inertia(b, (const double(*)[3])inverse);
}

static void make_touch(Random* r, const Fixture* f, const ForcingContact* c, ForcingTouch* t, int32_t body)
{
    *t = (ForcingTouch){.body = body, .normal = vec3d_normalise(random_vector(r, 1)), .drift = random_vector(r, 0.3)};
    t->slip = random_unit(r);
    t->restitution = random_unit(r);
    t->before = t->after = t->drift;
    if (body < 0)
        return;
    const ForcingBody* b = &f->body[body];
    t->before = vec3d_add(t->before, forcing_velocity_of(b, b->before, c->point));
    t->after = vec3d_add(t->after, forcing_velocity_of(b, b->velocity, c->point));
}

// `touches` 1: each particle touches one body. More: so many walls and bodies, at random.
static void make(Fixture* f, uint64_t seed, int touches)
{
    Random r = {seed};
    for (int k = 0; k < BODIES; k++)
        make_body(&r, &f->body[k], k);
    for (int k = 0; k < CONTACTS; k++) {
        ForcingContact* c = &f->contact[k];
        *c = (ForcingContact){.touches = touches == 1 ? 1 : 1 + (int)random_range(&r, 0, touches)};
        c->mass = random_range(&r, 0.1, 1);
        c->point = random_vector(&r, 1);
        c->before = random_vector(&r, 3);
        c->velocity = random_vector(&r, 3);
        for (int t = 0; t < c->touches; t++)
            make_touch(&r, f, c, &c->touch[t], (int32_t)random_range(&r, touches == 1 ? 0 : -1, BODIES));
        forcing_aim(c);
    }
    f->list = (ForcingList){f->contact, CONTACTS, CONTACTS};
    f->problem = (ForcingProblem){f->body, BODIES, &f->list, 1};
}

// --- eqs. 8 and 9

static void test_conditions(void** state)
{
    double worst = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        Fixture f;
        make(&f, seed, 1);
        forcing_solve_global(&f.problem);
        for (int k = 0; k < CONTACTS; k++) {
            const ForcingContact* c = &f.contact[k];
            const ForcingTouch* t = &c->touch[0];
            const ForcingBody* b = &f.body[t->body];
            Vec3d n = t->normal, solid = forcing_velocity_of(b, b->velocity, c->point);
            solid = vec3d_add(vec3d_add(solid, t->drift), forcing_velocity_of(b, b->gain, c->point));
            Vec3d is = vec3d_sub(forcing_velocity(&f.problem, c), solid);
            Vec3d free = vec3d_sub(c->velocity, t->after), was = vec3d_sub(c->before, t->before);
            double closing = vec3d_dot(free, n);
            Vec3d want = vec3d_scale(vec3d_mad(free, -closing, n), t->slip);
            want = vec3d_mad(want, fmax(closing, -t->restitution * fmin(vec3d_dot(was, n), 0)), n);
            worst = fmax(worst, vec3d_distance(is, want) / vec3d_length(free));
        }
    }
    assert_below(worst, 1e-9);
}

// --- momentum

// What particles get and bodies get, summed about the origin.
static void test_momentum(void** state)
{
    for (uint64_t seed = 1; seed <= 50; seed++)
        for (int way = 0; way < 2; way++) {
            Fixture f;
            make(&f, seed, 1);
            Twist sum = {0}, on[BODIES] = {0};
            double size = 0;
            if (way == 0)
                forcing_solve_global(&f.problem);
            for (int k = 0; k < CONTACTS; k++) {
                const ForcingContact* c = &f.contact[k];
                Vec3d j = way ? forcing_local(&f.problem, c)
                              : vec3d_scale(vec3d_sub(forcing_velocity(&f.problem, c), c->velocity), c->mass);
                Twist back = forcing_reaction(&f.problem, c, c->touch[0].body, j);
                Twist* body = &on[c->touch[0].body];
                size += vec3d_length(j);
                sum.linear = vec3d_add(sum.linear, vec3d_add(j, back.linear));
                sum.angular = vec3d_add(sum.angular, vec3d_cross(c->point, j));
                sum.angular = vec3d_add(sum.angular, back.angular);
                sum.angular = vec3d_add(sum.angular, vec3d_cross(f.body[c->touch[0].body].centre, back.linear));
                body->linear = vec3d_add(body->linear, back.linear);
                body->angular = vec3d_add(body->angular, back.angular);
            }
            assert_below(vec3d_length(sum.linear), 1e-13 * size);
            assert_below(vec3d_length(sum.angular), 1e-13 * size);
            for (int b = 0; b < BODIES && way == 0; b++) { // the gain is what these impulses give
                const ForcingBody* body = &f.body[b];
                Vec3d spin = mat3d_times((const double(*)[3])body->inverse_inertia, on[b].angular);
                assert_below(vec3d_distance(body->gain.linear, vec3d_scale(on[b].linear, 1 / body->mass)), 1e-8);
                assert_below(vec3d_distance(body->gain.angular, spin), 1e-7);
            }
        }
}

// --- against a solve of everything at once

static double system_matrix[UNKNOWNS][UNKNOWNS + 1];

static void eliminate(int n)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(system_matrix[i][k]) > fabs(system_matrix[pivot][k]))
                pivot = i;
        for (int j = k; j <= n; j++) {
            double swap = system_matrix[k][j];
            system_matrix[k][j] = system_matrix[pivot][j];
            system_matrix[pivot][j] = swap;
        }
        for (int i = 0; i < n; i++) {
            double factor = i == k ? 0 : system_matrix[i][k] / system_matrix[k][k];
            for (int j = k; j <= n && factor != 0; j++)
                system_matrix[i][j] -= factor * system_matrix[k][j];
        }
    }
    for (int k = 0; k < n; k++)
        system_matrix[k][n] /= system_matrix[k][k];
}

// What a unit of one of a body's six velocities does at a contact, through what the body has to do with it.
static Vec3d effect(const Fixture* f, const ForcingContact* c, int body, int direction)
{
    double unit[6] = {0};
    unit[direction] = 1;
    Twist motion = {{unit[0], unit[1], unit[2]}, {unit[3], unit[4], unit[5]}};
    Vec3d sum = {0, 0, 0};
    for (int t = 0; t < c->touches; t++)
        if (c->touch[t].body == body)
            sum =
                vec3d_add(sum, mat3d_times((const double(*)[3])c->share[t], forcing_velocity_of(&f->body[body], motion, c->point)));
    return sum;
}

// Unknown: changes of the bodies' velocities, velocities of particles, an impulse per condition:
//   M dV + B^T j = 0,    m v_i - j_i = m v_i*,    v_i - B dV = aim + B V*
static void solve_everything(const Fixture* f)
{
    const int first = 6 * BODIES, second = first + 3 * CONTACTS;
    memset(system_matrix, 0, sizeof system_matrix);
    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i < 3; i++) {
            system_matrix[6 * b + i][6 * b + i] = f->body[b].mass;
            for (int j = 0; j < 3; j++)
                system_matrix[6 * b + 3 + i][6 * b + 3 + j] = f->body[b].inertia[i][j];
        }
    for (int k = 0; k < CONTACTS; k++) {
        const ForcingContact* c = &f->contact[k];
        Vec3d aim = c->aim;
        for (int b = 0; b < BODIES; b++) {
            const Twist* v = &f->body[b].velocity;
            const double motion[6] = {v->linear.x, v->linear.y, v->linear.z, v->angular.x, v->angular.y, v->angular.z};
            for (int d = 0; d < 6; d++) {
                Vec3d e = effect(f, c, b, d);
                const double row[3] = {e.x, e.y, e.z};
                aim = vec3d_mad(aim, motion[d], e);
                for (int i = 0; i < 3; i++) {
                    system_matrix[6 * b + d][second + 3 * k + i] = row[i];
                    system_matrix[second + 3 * k + i][6 * b + d] = -row[i];
                }
            }
        }
        const double goal[3] = {aim.x, aim.y, aim.z}, v[3] = {c->velocity.x, c->velocity.y, c->velocity.z};
        for (int i = 0; i < 3; i++) {
            int p = first + 3 * k + i, q = second + 3 * k + i;
            system_matrix[p][p] = c->mass;
            system_matrix[p][q] = -1;
            system_matrix[p][UNKNOWNS] = c->mass * v[i];
            system_matrix[q][p] = 1;
            system_matrix[q][UNKNOWNS] = goal[i];
        }
    }
    eliminate(UNKNOWNS);
}

static void compare(int touches)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        Fixture f;
        make(&f, 100 + seed, touches);
        forcing_solve_global(&f.problem);
        solve_everything(&f);
        int shared = 0;
        for (int b = 0; b < BODIES; b++) {
            const Twist* g = &f.body[b].gain;
            const double gain[6] = {g->linear.x, g->linear.y, g->linear.z, g->angular.x, g->angular.y, g->angular.z};
            for (int d = 0; d < 6; d++)
                assert_near(gain[d], system_matrix[6 * b + d][UNKNOWNS], 1e-7);
        }
        for (int k = 0; k < CONTACTS; k++) {
            Vec3d v = forcing_velocity(&f.problem, &f.contact[k]);
            const double* is = &system_matrix[0][0] + UNKNOWNS;
            const double* first = is + (size_t)(6 * BODIES + 3 * k) * (UNKNOWNS + 1);
            assert_near(v.x, first[0], 1e-7);
            assert_near(v.y, first[UNKNOWNS + 1], 1e-7);
            assert_near(v.z, first[2 * (UNKNOWNS + 1)], 1e-7);
            shared += f.contact[k].shared;
        }
        assert_true(touches == 1 ? shared == 0 : shared > 0);
    }
}

static void test_brute_force(void** state)
{
    compare(1);
}

static void test_brute_force_shared(void** state)
{
    compare(3);
}

// One contact alone: eq. 12 is eq. 18.
static void test_local_is_global(void** state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Fixture f;
        make(&f, seed, 1);
        f.list.count = 1;
        const ForcingContact* c = &f.contact[0];
        Vec3d local = vec3d_mad(c->velocity, 1 / c->mass, forcing_local(&f.problem, c));
        forcing_solve_global(&f.problem);
        assert_below(vec3d_distance(local, forcing_velocity(&f.problem, c)), 1e-8);
    }
}

// --- walls

static Vec3d at_walls(const Vec3d* normal, int count, Vec3d before, Vec3d velocity, double slip, double restitution)
{
    ForcingContact c = {.touches = count, .mass = 1, .before = before, .velocity = velocity};
    for (int k = 0; k < count; k++)
        c.touch[k] = (ForcingTouch){.body = -1, .normal = normal[k], .slip = slip, .restitution = restitution};
    forcing_aim(&c);
    const ForcingProblem none = {0};
    return forcing_velocity(&none, &c);
}

static void expect(Vec3d is, Vec3d want)
{
    if (!(vec3d_distance(is, want) < 1e-12))
        fail_msg("(%g, %g, %g), expected (%g, %g, %g)", is.x, is.y, is.z, want.x, want.y, want.z);
}

static void test_walls(void** state)
{
    const Vec3d up = {0, 1, 0}, v = {2, -3, 1}, away = {2, 3, 1};
    expect(at_walls(&up, 1, v, v, 1, 0), vec3d(2, 0, 1)); // free slip
    expect(at_walls(&up, 1, v, v, 0, 0), vec3d(0, 0, 0)); // no slip
    expect(at_walls(&up, 1, v, v, 0.25, 0), vec3d(0.5, 0, 0.25));
    expect(at_walls(&up, 1, v, v, 1, 1), vec3d(2, 3, 1)); // reflected
    expect(at_walls(&up, 1, v, v, 1, 0.5), vec3d(2, 1.5, 1));
    expect(at_walls(&up, 1, away, v, 1, 1), vec3d(2, 0, 1)); // pushed against it only in this step: it stops
    expect(at_walls(&up, 1, away, away, 1, 0), away);        // eq. 9: it may go
    expect(at_walls(&up, 1, away, away, 0, 0), vec3d(0, 3, 0));
}

static void test_corners(void** state)
{
    const Vec3d corner[3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    expect(at_walls(corner, 2, (Vec3d){-1, -2, 3}, (Vec3d){-1, -2, 3}, 1, 0), vec3d(0, 0, 3));
    expect(at_walls(corner, 3, (Vec3d){-1, -2, -3}, (Vec3d){-1, -2, -3}, 1, 0), vec3d(0, 0, 0));
    expect(at_walls(corner, 2, (Vec3d){1, -2, 3}, (Vec3d){1, -2, 3}, 1, 0), vec3d(1, 0, 3)); // it leaves one of them
    // a wedge of 60 degrees: what the floor takes would send it into the slope, which it did not meet before
    const Vec3d wedge[2] = {{0, 1, 0}, {sin(M_PI / 3), -0.5, 0}};
    Vec3d v = {-0.1, -1, 0.5}, out = at_walls(wedge, 2, v, v, 1, 0);
    assert_true(vec3d_dot(v, wedge[1]) > 0);
    expect(out, vec3d(0, 0, 0.5));
    // a crack: conditions contradict each other, and it stays in the middle
    const Vec3d crack[2] = {{0, 1, 0}, {0, -1, 0}};
    ForcingContact c = {.touches = 2, .mass = 1};
    for (int k = 0; k < 2; k++)
        c.touch[k] = (ForcingTouch){.body = -1, .normal = crack[k], .slip = 1, .after = crack[k], .drift = crack[k]};
    forcing_aim(&c);
    const ForcingProblem none = {0};
    expect(forcing_velocity(&none, &c), vec3d(0, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_conditions),      cmocka_unit_test(test_momentum),
                                       cmocka_unit_test(test_brute_force),     cmocka_unit_test(test_brute_force_shared),
                                       cmocka_unit_test(test_local_is_global), cmocka_unit_test(test_walls),
                                       cmocka_unit_test(test_corners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
