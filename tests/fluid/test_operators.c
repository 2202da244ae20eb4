// SPDX-License-Identifier: MIT
// The passes over neighbour lists against plain double loops over all pairs, and the relations that solvers rely on. Lists
// keep the kernel coefficient in half precision: each term is right to 2^-11, and errors are measured against the sum of the
// terms' magnitudes.
#include "sph_support.h"

#include "fluid/viscosity/viscosity.h"
#include "fluid/wall_force.h"

static const double HALF = 6e-4;

typedef void CheckFn(Set* set);

static void on_all_sets(CheckFn* check)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int fluids = 1; fluids <= 2; fluids++)
            for (int walls = 0; walls < 2; walls++)
                for (int kernel = 0; kernel < 4; kernel++) {
                    Set set;
                    set_create(&set, dimension, (mn_Kernel)kernel, fluids, walls != 0,
                               (uint64_t)(7 + dimension + 10 * fluids + 100 * kernel));
                    check(&set);
                    set_free(&set);
                }
}

// A vector sum and the sum of its terms' lengths.
typedef struct Sum {
    Vec3d value;
    double size;
} Sum;

static void sum_add(Sum* sum, double factor, Vec3d term)
{
    sum->value = vec3d_mad(sum->value, factor, term);
    sum->size += fabs(factor) * vec3d_length(term);
}

static void assert_vector(Vec4 actual, Sum wanted)
{
    double error = vec3d_distance(xyz(actual), wanted.value);
    if (!(error <= HALF * wanted.size + 1e-6))
        fail_msg("(%g, %g, %g), expected (%g, %g, %g), terms sum to %g", (double)actual.x, (double)actual.y, (double)actual.z,
                 wanted.value.x, wanted.value.y, wanted.value.z, wanted.size);
}

static void check_density(Set* set)
{
    const Sph* sph = &set->sph;
    const Fluid* f = &sph->fluid;
    for (size_t i = 0; i < f->set.count; i++) {
        double s = 0;
        for (size_t j = 0; j < f->set.count; j++)
            s += (double)sph->volume * kernel_w(&sph->kernel, vec3d_distance(xyz(f->position[i]), xyz(f->position[j])));
        for (size_t b = 0; b < set->boundary.count; b++)
            s += (double)set->boundary.position[b].w *
                 kernel_w(&sph->kernel, vec3d_distance(xyz(f->position[i]), xyz(set->boundary.position[b])));
        assert_near((double)f->density[i], s, 1e-5 * s);
    }
}

static void density_equals_brute_force(void** state)
{
    on_all_sets(check_density);
}

static Sum brute_pressure(const Set* set, size_t i)
{
    const Sph* sph = &set->sph;
    const Vec4* x = sph->fluid.position;
    Sum sum = {0};
    double m = -1 / rest_density(sph, i);
    for (size_t j = 0; j < sph->fluid.set.count; j++)
        sum_add(&sum, m * (double)sph->volume * (double)(x[i].w + x[j].w), pair_gradient(sph, x[i], x[j]));
    for (size_t b = 0; b < set->boundary.count; b++)
        sum_add(&sum, m * (double)(set->boundary.position[b].w * x[i].w), pair_gradient(sph, x[i], set->boundary.position[b]));
    return sum;
}

static void check_pressure(Set* set)
{
    pressure_acceleration(&set->sph);
    for (size_t i = 0; i < set->sph.fluid.set.count; i++)
        assert_vector(set->sph.fluid.acceleration[i], brute_pressure(set, i));
}

static void pressure_equals_brute_force(void** state)
{
    on_all_sets(check_pressure);
}

static void check_divergence(Set* set)
{
    const Sph* sph = &set->sph;
    const Fluid* f = &sph->fluid;
    for (int way = 0; way < 3; way++) { // walls at rest; walls that move; the same as viscosity leaves it
        bool moving = way > 0;
        if (way < 2)
            vector_divergence(&set->sph, f->velocity, moving);
        else
            viscosity_acceleration(&set->sph, 0.001f);
        for (size_t i = 0; i < f->set.count; i++) {
            double sum = 0, size = 0;
            for (size_t j = 0; j < f->set.count; j++) {
                double term = (double)sph->volume * vec3d_dot(vec3d_sub(xyz(f->velocity[i]), xyz(f->velocity[j])),
                                                              pair_gradient(sph, f->position[i], f->position[j]));
                sum += term;
                size += fabs(term);
            }
            for (size_t b = 0; b < set->boundary.count; b++) {
                Vec3d u = xyz(f->velocity[i]);
                if (moving)
                    u = vec3d_sub(u, xyz(set->boundary.velocity[b]));
                double term = (double)set->boundary.position[b].w *
                              vec3d_dot(u, pair_gradient(sph, f->position[i], set->boundary.position[b]));
                sum += term;
                size += fabs(term) + (double)set->boundary.position[b].w *
                                         vec3d_length(pair_gradient(sph, f->position[i], set->boundary.position[b]));
            }
            assert_near((double)f->divergence[i], sum, HALF * size + 1e-5);
        }
    }
}

static void divergence_equals_brute_force(void** state)
{
    on_all_sets(check_divergence);
}

// The short way that iterations take gives the same as the long one, wherever the set lies between the origins it uses.
static void check_short_divergence(Set* set)
{
    Sph* sph = &set->sph;
    Fluid* f = &sph->fluid;
    float wanted[512];
    assert_true(f->set.count <= 512);
    pressure_acceleration(sph);
    vector_divergence(sph, f->acceleration, false);
    memcpy(wanted, f->divergence, f->set.count * sizeof *wanted);
    pressure_product(sph, &(ProductHooks){0});
    double size = 0;
    for (size_t i = 0; i < f->set.count; i++)
        size = fmax(size, vec3d_length(xyz(f->acceleration[i])) / (double)sph->kernel.h);
    for (size_t i = 0; i < f->set.count; i++)
        assert_near((double)f->divergence[i], (double)wanted[i], 1e-4 * size);
}

static void short_divergence_is_the_same(void** state)
{
    on_all_sets(check_short_divergence);
}

static void check_diagonal(Set* set)
{
    Sph* sph = &set->sph;
    const Fluid* f = &sph->fluid;
    if (sph->material_count > 1)
        weighted_diagonal(sph);
    double volume = (double)sph->volume;
    for (size_t i = 0; i < f->set.count; i++) {
        Sum all = {0};
        double squares = 0;
        for (size_t j = 0; j < f->set.count; j++) {
            Vec3d g = vec3d_scale(pair_gradient(sph, f->position[i], f->position[j]), volume);
            sum_add(&all, 1, g);
            squares += rest_density(sph, i) / rest_density(sph, j) * vec3d_dot(g, g);
        }
        for (size_t b = 0; b < set->boundary.count; b++)
            sum_add(&all, (double)set->boundary.position[b].w, pair_gradient(sph, f->position[i], set->boundary.position[b]));
        double wanted = vec3d_dot(all.value, all.value) + squares;
        assert_near((double)f->diagonal[i], wanted,
                    2 * HALF * (squares + all.size * (vec3d_length(all.value) + HALF * all.size)) + 1e-3);
    }
}

static void diagonal_equals_brute_force(void** state)
{
    on_all_sets(check_diagonal);
}

// The diagonal is what a particle's own pressure does to its own density: dt^2 div a(P = 1 at i) at i = -diagonal / rho0.
static void check_diagonal_is_response(Set* set)
{
    Sph* sph = &set->sph;
    Fluid* f = &sph->fluid;
    if (sph->material_count > 1)
        weighted_diagonal(sph);
    for (size_t i = 0; i < f->set.count; i += 29) {
        for (size_t k = 0; k < f->set.count; k++)
            f->position[k].w = k == i ? 1000 : 0;
        pressure_acceleration(sph);
        vector_divergence(sph, f->acceleration, false);
        double wanted = -1000 * (double)f->diagonal[i] / rest_density(sph, i);
        assert_near((double)f->divergence[i], wanted, 2e-3 * fabs(wanted));
    }
}

static void diagonal_is_the_own_response(void** state)
{
    on_all_sets(check_diagonal_is_response);
}

// sum_i lambda_i div a(P)_i = -sum_i rho0_i a(P)_i . a(lambda)_i: the system is symmetric and positive, which is why descent
// with momentum converges (jacobi.c).
static void check_adjoint(Set* set)
{
    Sph* sph = &set->sph;
    Fluid* f = &sph->fluid;
    Random random = {99};
    float p[512], lambda[512];
    Vec3d a[512];
    double left = 0, right = 0, size = 0, own = 0, squares = 0;
    assert_true(f->set.count <= 512);
    for (size_t i = 0; i < f->set.count; i++) {
        p[i] = f->position[i].w;
        lambda[i] = (float)random_range(&random, 0, 2000);
    }
    pressure_acceleration(sph);
    for (size_t i = 0; i < f->set.count; i++)
        a[i] = xyz(f->acceleration[i]);
    pressure_product(sph, &(ProductHooks){0});
    for (size_t i = 0; i < f->set.count; i++) {
        own += (double)p[i] * (double)f->divergence[i];
        squares += rest_density(sph, i) * vec3d_dot(a[i], a[i]);
        left += (double)lambda[i] * (double)f->divergence[i];
        f->position[i].w = lambda[i];
    }
    pressure_acceleration(sph);
    for (size_t i = 0; i < f->set.count; i++) {
        double term = rest_density(sph, i) * vec3d_dot(a[i], xyz(f->acceleration[i]));
        right -= term;
        size += fabs(term);
        f->position[i].w = p[i];
    }
    // positive: with lambda = P the sum is that of squares
    assert_true(squares > 0 && size > 0);
    assert_near(own, -squares, 2e-5 * squares);
    // both sides use the same rounded coefficients: only the arithmetic differs
    assert_near(left, right, 2e-5 * size);
}

static void divergence_is_adjoint_to_pressure(void** state)
{
    on_all_sets(check_adjoint);
}

static void check_momentum(Set* set)
{
    Sph* sph = &set->sph;
    const Fluid* f = &sph->fluid;
    Vec3d centre[2] = {{0, 0, 0}, {0.1, 0.2, 0}};
    Wrench wrench[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
    for (int what = 0; what < 2; what++) {
        // pressure alone, then viscosity and friction alone
        if (what) {
            for (size_t i = 0; i < f->set.count; i++)
                f->position[i].w = 0;
            viscosity_acceleration(sph, 0.001f);
        } else {
            pressure_acceleration(sph);
        }
        Vec3d momentum = {0, 0, 0}, torque = {0, 0, 0};
        double size = 0;
        for (size_t i = 0; i < f->set.count; i++) {
            Vec3d force = vec3d_scale(xyz(f->acceleration[i]), rest_density(sph, i) * (double)sph->volume);
            momentum = vec3d_add(momentum, force);
            torque = vec3d_add(torque, vec3d_cross(xyz(f->position[i]), force));
            size += vec3d_length(force);
        }
        if (set->solid_count) {
            float friction[2] = {set->boundary.velocity[0].w, 0};
            if (!what) // no friction: velocities do not count
                for (size_t b = 0; b < set->boundary.count; b++)
                    set->boundary.velocity[b].w = set->boundary.wall_viscosity[b] = 0;
            assert_true(wall_forces(sph, f->velocity, centre, set->solid_count, NULL, wrench));
            if (!what)
                for (size_t b = 0; b < set->boundary.count; b++) {
                    set->boundary.velocity[b].w = friction[0];
                    set->boundary.wall_viscosity[b] = 0.5f;
                }
            // without friction the pressures push the wall; with it each kind of viscosity does, a little at least
            double least = what ? 1e-4 : 0.01;
            assert_true(vec3d_length(wrench[0].force) > least * size);
            for (int k = 0; k < 2; k++) {
                momentum = vec3d_add(momentum, wrench[k].force);
                torque = vec3d_add(torque, vec3d_add(wrench[k].torque, vec3d_cross(centre[k], wrench[k].force)));
            }
        }
        // fluid and walls together neither gain nor lose; friction at walls is summed from pairs, pressure from kernel sums
        assert_below(vec3d_length(momentum), 1e-4 * size);
        assert_below(vec3d_length(torque), 1e-4 * size * 0.3);
    }
}

static void fluid_and_walls_exchange_momentum(void** state)
{
    on_all_sets(check_momentum);
}

static void check_predicted(Set* set)
{
    Sph* sph = &set->sph;
    Fluid* f = &sph->fluid;
    static Vec4 predicted[512];
    static float density[512];
    float dt = 0.002f;
    memset(predicted, 0, sizeof predicted);
    for (size_t i = 0; i < f->set.count; i++)
        predicted[i] = (Vec4){f->position[i].x + dt * f->velocity[i].x, f->position[i].y + dt * f->velocity[i].y,
                              f->position[i].z + dt * f->velocity[i].z, 0};
    predicted_density(sph, predicted, dt, density);
    double h = (double)sph->kernel.h;
    for (size_t i = 0; i < f->set.count; i++) {
        double s = 0, unlisted = 0;
        for (size_t j = 0; j < f->set.count; j++) {
            double w = (double)sph->volume * kernel_w(&sph->kernel, vec3d_distance(xyz(predicted[i]), xyz(predicted[j])));
            // pairs that are not in each other's lists yet are not seen
            if (vec3d_distance(xyz(f->position[i]), xyz(f->position[j])) < h)
                s += w;
            else
                unlisted += w;
        }
        for (size_t b = 0; b < set->boundary.count; b++) {
            Vec4 xb = set->boundary.position[b];
            Vec3d at = vec3d_mad(xyz(xb), (double)dt, xyz(set->boundary.velocity[b]));
            if (vec3d_distance(xyz(f->position[i]), xyz(xb)) < h)
                s += (double)xb.w * kernel_w(&sph->kernel, vec3d_distance(xyz(predicted[i]), at));
        }
        assert_near((double)density[i], s, 2e-4 * s);
        assert_below(unlisted, 0.01);
    }
}

static void predicted_density_equals_brute_force(void** state)
{
    on_all_sets(check_predicted);
}

static double positive_min(double a)
{
    return a < 0 ? a : 0;
}

// Fluid 0 artificial, fluid 1 laplace; see viscosity.c.
static void check_viscosity(Set* set)
{
    Sph* sph = &set->sph;
    const Fluid* f = &sph->fluid;
    double h = (double)sph->kernel.h, cs = sph->solver.speed_of_sound, d = sph->kernel.dimension;
    viscosity_acceleration(sph, 0.001f);
    for (size_t i = 0; i < f->set.count; i++) {
        Sum sum = {0};
        int ki = (int)f->velocity[i].w;
        double rho_i = rest_density(sph, i);
        for (size_t j = 0; j < f->set.count; j++) {
            int kj = (int)f->velocity[j].w;
            Vec3d x = vec3d_sub(xyz(f->position[i]), xyz(f->position[j])), v = vec3d_sub(xyz(f->velocity[i]), xyz(f->velocity[j]));
            double rho_j = rest_density(sph, j), dot = vec3d_dot(x, v), r2 = vec3d_dot(x, x), m = rho_j * (double)sph->volume;
            double alpha = 0.5 * ((ki == 0 ? 0.1 : 0) + (kj == 0 ? 0.1 : 0)), nu = 2 * alpha * h * cs / (rho_i + rho_j);
            double artificial = -m * -nu * positive_min(dot) / (r2 + 0.01 * h * h);
            // the harmonic mean of a laplace fluid with another kind is none
            double mu = ki == 1 && kj == 1 ? 2 : 0,
                   laplace = 2 * (d + 2) / rho_i * (double)sph->volume * mu * dot / (r2 + 0.01 * h * h);
            sum_add(&sum, artificial + laplace, pair_gradient(sph, f->position[i], f->position[j]));
        }
        for (size_t b = 0; b < set->boundary.count; b++) {
            Vec4 xb = set->boundary.position[b];
            Vec3d x = vec3d_sub(xyz(f->position[i]), xyz(xb)), v = vec3d_sub(xyz(f->velocity[i]), xyz(set->boundary.velocity[b]));
            double dot = vec3d_dot(x, v), r2 = vec3d_dot(x, x);
            double drag = ki == 0 ? 0.5 * h * cs * 0.3 * positive_min(dot) : 2 * (d + 2) * 2 / rho_i * 0.5 * 1.5 * dot;
            sum_add(&sum, (double)xb.w * drag / (r2 + 0.01 * h * h), pair_gradient(sph, f->position[i], xb));
        }
        assert_vector(f->acceleration[i], sum);
    }
}

static void viscosity_equals_brute_force(void** state)
{
    on_all_sets(check_viscosity);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(density_equals_brute_force),        cmocka_unit_test(pressure_equals_brute_force),
        cmocka_unit_test(divergence_equals_brute_force),     cmocka_unit_test(diagonal_equals_brute_force),
        cmocka_unit_test(diagonal_is_the_own_response),      cmocka_unit_test(divergence_is_adjoint_to_pressure),
        cmocka_unit_test(fluid_and_walls_exchange_momentum), cmocka_unit_test(predicted_density_equals_brute_force),
        cmocka_unit_test(viscosity_equals_brute_force),      cmocka_unit_test(short_divergence_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
