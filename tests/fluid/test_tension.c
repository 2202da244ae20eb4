// SPDX-License-Identifier: MIT
// Surface tension and adhesion: the shapes of the forces and their integrals, the passes against plain double loops, and what
// follows from symmetry.
#include "sph_support.h"

#include "fluid/tension/adhesion.h"
#include "fluid/tension/cohesion.h"
#include "fluid/tension/tension.h"
#include "fluid/wall_force.h"

static float at(ShapeFn* shape, double q)
{
    float values[LANES];
    f8_store(values, shape(MN_KERNEL_CUBIC, f8_set((float)q)));
    return values[0];
}

static F8 adhesion_fn(mn_Kernel kernel, F8 q)
{
    return adhesion8(q);
}

static double exact_c(double q)
{
    double u = pow(1 - q, 3) * q * q * q;
    return q > 1 ? 0 : q > 0.5 ? u : 2 * u - 1.0 / 64;
}

static double exact_a(double q)
{
    return q > 0.5 && q < 1 ? pow(-4 * q * q + 6 * q - 2, 0.25) : 0;
}

static double exact_cosine(double q)
{
    return -cos(1.5 * M_PI * q) * q;
}

// --- shapes

static void shapes_are_what_the_papers_say(void** state)
{
    for (int k = 1; k <= 1000; k++) {
        double q = k / 1000.0;
        assert_near((double)at(cohesion8_akinci, q), exact_c(q), 1e-7);
        assert_near((double)at(cohesion8_tartakovsky, q), exact_cosine(q), 6e-7);
        // a has infinite slope at both ends: half a unit in the last place of q moves it by the fourth root
        if (q < 0.499 || (q > 0.501 && q < 0.999))
            assert_near((double)at(adhesion_fn, q), exact_a(q), 1e-5);
    }
    // nothing beyond the support, no jump at h / 2 or h, and repulsion that does not vanish for close pairs
    assert_near((double)at(cohesion8_akinci, 1.2), 0, 0);
    assert_near((double)at(adhesion_fn, 1.2), 0, 0);
    assert_near((double)at(adhesion_fn, 0.3), 0, 0);
    assert_near((double)at(cohesion8_akinci, 1e-4), -1.0 / 64, 1e-6);
    assert_near((double)at(cohesion8_akinci, 0.5 - 1e-6), (double)at(cohesion8_akinci, 0.5 + 1e-6), 1e-7);
    assert_near((double)at(cohesion8_akinci, 0.5), 1.0 / 64, 1e-8);
    assert_below((double)at(adhesion_fn, 1 - 1e-7), 0.03);
    assert_below((double)at(adhesion_fn, 0.5 + 1e-7), 0.03);
    assert_near((double)at(adhesion_fn, 0.75), sqrt(0.5), 1e-6);
}

static double moment(double (*shape)(double), int power)
{
    enum { N = 200000 };
    double sum = 0;
    for (int k = 0; k < N; k++) {
        double q = (k + 0.5) / N;
        sum += shape(q) * pow(q, power) / N;
    }
    return sum;
}

static void integrals_are_what_was_derived(void** state)
{
    double first = moment(exact_c, 1), second = moment(exact_c, 2);
    assert_near(first, 209.0 / 71680, 1e-8);
    assert_near(second, 79.0 / 43008, 1e-8);
    assert_near(M_PI * COHESION_SCALE_3D * second, COHESION_PULL, 1e-6);
    assert_near(2 * COHESION_SCALE_2D * first, COHESION_PULL, 1e-6);
    assert_near(2 * ADHESION_SCALE_2D * moment(exact_a, 1), M_PI * ADHESION_SCALE_3D * moment(exact_a, 2), 1e-7);
    assert_near(cohesion_scale(cohesion8_akinci, MN_KERNEL_CUBIC, 3), COHESION_SCALE_3D, 1e-4 * COHESION_SCALE_3D);
    assert_near(cohesion_scale(cohesion8_akinci, MN_KERNEL_CUBIC, 2), COHESION_SCALE_2D, 1e-4 * COHESION_SCALE_2D);
    for (int dimension = 2; dimension <= 3; dimension++) {
        double pull = (dimension == 3 ? M_PI : 2) * cohesion_scale(cohesion8_tartakovsky, MN_KERNEL_CUBIC, dimension) *
                      moment(exact_cosine, dimension - 1);
        assert_near(pull, COHESION_PULL, 1e-4 * COHESION_PULL);
    }
}

// --- passes

static void give_tension(Set* set, mn_Tension method)
{
    Sph* sph = &set->sph;
    sph->material[0].tension = sph->material[1].tension = method;
    sph->material[0].gamma = 1.5f;
    sph->material[1].gamma = 0.7f;
    assert_true(tension_reserve(sph));
    memset(sph->fluid.acceleration, 0, (sph->fluid.set.capacity + 8) * sizeof(Vec4));
}

static void end_tension(Set* set)
{
    memory_give(&set->memory, set->sph.scratch.normal);
    set_free(set);
}

static Vec3d exact_normal(const Sph* sph, size_t i)
{
    const Fluid* f = &sph->fluid;
    Vec3d n = {0, 0, 0};
    for (size_t j = 0; j < f->set.count; j++)
        if (f->velocity[j].w == f->velocity[i].w)
            n = vec3d_mad(n, (double)(sph->kernel.h * sph->volume / f->density[j]),
                          pair_gradient(sph, f->position[i], f->position[j]));
    return n;
}

static void check_akinci(Set* set)
{
    Sph* sph = &set->sph;
    const Fluid* f = &sph->fluid;
    give_tension(set, MN_TENSION_AKINCI);
    tension_normals(sph);
    tension_acceleration(sph);
    int dimension = sph->kernel.dimension;
    double h = (double)sph->kernel.h, share = (double)sph->mass_volume / pow(h, dimension);
    double c = 1000 * share * (dimension == 3 ? COHESION_SCALE_3D : COHESION_SCALE_2D), k = share * (dimension == 3 ? 8 : 32.0 / 3);
    for (size_t i = 0; i < f->set.count; i++) {
        Vec3d n = exact_normal(sph, i), a = {0, 0, 0};
        double size = 0;
        for (size_t j = 0; j < f->set.count; j++) {
            Vec3d x = vec3d_sub(xyz(f->position[i]), xyz(f->position[j]));
            double r = vec3d_length(x);
            if (j == i || r * r >= (double)sph->kernel.reach2 || f->velocity[j].w != f->velocity[i].w)
                continue;
            Vec3d pair = vec3d_scale(x, c * exact_c(r / h) / r);
            pair = vec3d_mad(pair, k, vec3d_sub(n, exact_normal(sph, j)));
            double factor = (double)sph->material[(int)f->velocity[i].w].gamma * 2 / (double)(f->density[i] + f->density[j]);
            a = vec3d_mad(a, -factor, pair);
            size += factor * vec3d_length(pair);
        }
        double error = vec3d_distance(xyz(f->acceleration[i]), a);
        if (!(error <= 6e-4 * size + 1e-6))
            fail_msg("particle %zu: (%g, %g, %g), expected (%g, %g, %g)", i, (double)f->acceleration[i].x,
                     (double)f->acceleration[i].y, (double)f->acceleration[i].z, a.x, a.y, a.z);
    }
}

static void akinci_is_the_sum_over_pairs(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int fluids = 1; fluids <= 2; fluids++) {
            Set set;
            set_create(&set, dimension, MN_KERNEL_CUBIC, fluids, false, (uint64_t)(3 + dimension + fluids));
            check_akinci(&set);
            end_tension(&set);
        }
}

// Momentum per kind, relative to the sum of what pulls.
static void tension_moves_no_fluid_as_a_whole(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int fluids = 1; fluids <= 2; fluids++)
            for (mn_Tension m = MN_TENSION_AKINCI; m <= MN_TENSION_TARTAKOVSKY; m++) {
                Set set;
                set_create(&set, dimension, MN_KERNEL_CUBIC, fluids, false, 11);
                give_tension(&set, m);
                tension_normals(&set.sph);
                tension_acceleration(&set.sph);
                Vec3d sum[2] = {{0, 0, 0}, {0, 0, 0}};
                double size = 0;
                for (size_t i = 0; i < set.sph.fluid.set.count; i++) {
                    Vec3d a = xyz(set.sph.fluid.acceleration[i]);
                    Vec3d* of = &sum[(int)set.sph.fluid.velocity[i].w];
                    *of = vec3d_add(*of, a);
                    size += vec3d_length(a);
                }
                assert_true(size > 0);
                assert_below(vec3d_length(sum[0]) / size, 1e-6);
                assert_below(vec3d_length(sum[1]) / size, 1e-6);
                end_tension(&set);
            }
}

// The solid gets minus what the fluid gets.
static void adhesion_is_symmetric(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        Set set;
        set_create(&set, dimension, MN_KERNEL_CUBIC, 2, true, 5);
        Sph* sph = &set.sph;
        Wetting wetting[2];
        memset(wetting, 0, sizeof wetting);
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 2; k++)
                wetting_set(&wetting[s], &sph->kernel, k, 1 + s + 3 * k, 1);
        sph->walls.wetting = wetting;
        memset(sph->fluid.acceleration, 0, (sph->fluid.set.capacity + 8) * sizeof(Vec4));
        adhesion_acceleration(sph);
        Vec3d fluid = {0, 0, 0};
        double size = 0;
        for (size_t i = 0; i < sph->fluid.set.count; i++) {
            double m = rest_density(sph, i) * (double)sph->mass_volume;
            fluid = vec3d_mad(fluid, m, xyz(sph->fluid.acceleration[i]));
            size += m * vec3d_length(xyz(sph->fluid.acceleration[i]));
            sph->fluid.position[i].w = 0;
        }
        // without pressure and friction, what remains on the solids is adhesion
        Wrench with[2], without[2];
        Vec3d centre[2] = {{0, 0, 0}, {0, 0, 0}};
        assert_true(wall_forces(sph, sph->fluid.velocity, centre, 2, NULL, with));
        sph->walls.wetting = NULL;
        assert_true(wall_forces(sph, sph->fluid.velocity, centre, 2, NULL, without));
        Vec3d solid = {0, 0, 0};
        for (int s = 0; s < 2; s++)
            solid = vec3d_add(solid, vec3d_sub(with[s].force, without[s].force));
        assert_true(size > 0);
        assert_true(fluid.y < 0 && fluid.x < 0); // towards the walls
        assert_below(vec3d_length(vec3d_add(fluid, solid)) / size, 2e-6);
        set_free(&set);
    }
}

// --- lattices

// A block of a lattice that fills [0, n d)^dimension.
static void lattice_create(Set* set, int dimension, int n)
{
    set_create(set, dimension, MN_KERNEL_CUBIC, 1, false, 1);
    Sph* sph = &set->sph;
    sph->fluid.set.count = 0;
    for (int k = 0; k < (dimension == 3 ? n : 1); k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                assert_true(
                    fluid_append(&sph->fluid, vec3d(SET_SPACING * i, SET_SPACING * j, SET_SPACING * k), vec3d(0, 0, 0), 0, 0));
    set_search(set);
    give_tension(set, MN_TENSION_AKINCI);
    tension_normals(sph);
    tension_acceleration(sph);
}

// Inside there is no force; below the middle of a face it is along the normal, and a column from face to face feels none.
static void lattices_feel_nothing_inside_and_no_net_pull_on_flat_faces(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        Set set;
        int n = 16;
        lattice_create(&set, dimension, n);
        const Fluid* f = &set.sph.fluid;
        double pull = tension_pull(&set.sph), column = 0, most = 0, low = 4.5 * SET_SPACING, high = (n - 5.5) * SET_SPACING;
        for (size_t i = 0; i < f->set.count; i++) {
            double x = (double)f->position[i].x, y = (double)f->position[i].y, z = (double)f->position[i].z;
            bool in_x = x > low && x < high, in_z = dimension == 2 || (z > low && z < high);
            Vec3d a = xyz(f->acceleration[i]);
            if (in_x && in_z) {
                assert_below(fabs(a.x) + fabs(a.z), 1e-3 * pull); // along the face
                column += a.y;
                if (y > low && y < high)
                    assert_below(vec3d_length(a), 1e-3 * pull);
                if (y < 0.5 * SET_SPACING)
                    most = fmax(most, a.y);
            }
        }
        assert_near(column, 0, 1e-2 * pull);
        print_message("%dD: a face is pulled by %.3g of the half-space integral\n", dimension, most / pull);
        assert_true(most > 0.7 * pull && most < 1.5 * pull);
        end_tension(&set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_what_the_papers_say),
        cmocka_unit_test(integrals_are_what_was_derived),
        cmocka_unit_test(akinci_is_the_sum_over_pairs),
        cmocka_unit_test(tension_moves_no_fluid_as_a_whole),
        cmocka_unit_test(adhesion_is_symmetric),
        cmocka_unit_test(lattices_feel_nothing_inside_and_no_net_pull_on_flat_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
