// SPDX-License-Identifier: MIT
// Images of particles in mirroring walls, against plain loops over all pairs of particles and images.
#include "sph_support.h"

#include "fluid/mirror.h"

typedef struct Plain {
    double s, divergence, square;
    Vec3d push; // sum (P_i + P_j) grad W_ij'
    Vec3d gradient;
} Plain;

static Vec3d reflected(const Mirror* m, int a, int b, int c, Vec3d x, bool is_velocity)
{
    const int side[3] = {a, b, c};
    double v[3] = {x.x, x.y, x.z};
    for (int k = 0; k < 3; k++)
        if (side[k])
            v[k] = (is_velocity ? 0 : 2 * (double)(side[k] == 1 ? m->low[k] : m->high[k])) - v[k];
    return vec3d(v[0], v[1], v[2]);
}

// What all images add for particle i.
static Plain images_of(const Sph* sph, size_t i)
{
    const Fluid* f = &sph->fluid;
    const int sides = sph->kernel.dimension == 3 ? 3 : 1;
    Vec3d xi = xyz(f->position[i]), ui = xyz(f->velocity[i]);
    Plain sum = {0};
    for (int n = 1; n < 9 * sides; n++)
        for (size_t j = 0; j < f->set.count; j++) {
            int a = n % 3, b = n / 3 % 3, c = n / 9;
            Vec3d d = vec3d_sub(xi, reflected(&sph->mirror, a, b, c, xyz(f->position[j]), false));
            Vec3d u = vec3d_sub(ui, reflected(&sph->mirror, a, b, c, xyz(f->velocity[j]), true));
            double r = vec3d_length(d);
            if (r >= (double)sph->kernel.h)
                continue;
            Vec3d gradient = vec3d_scale(d, (double)sph->volume * kernel_slope(&sph->kernel, r) / r);
            sum.s += (double)sph->volume * kernel_w(&sph->kernel, r);
            sum.gradient = vec3d_add(sum.gradient, gradient);
            sum.square += vec3d_dot(gradient, gradient);
            sum.divergence += vec3d_dot(u, gradient);
            sum.push = vec3d_mad(sum.push, (double)(f->position[i].w + f->position[j].w), gradient);
        }
    return sum;
}

// Walls around the particles, half a spacing from the outermost.
static void enclose(Set* set)
{
    Sph* sph = &set->sph;
    sph->mirror = (Mirror){.any = true, .low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < sph->fluid.set.count; i++) {
        const float x[3] = {sph->fluid.position[i].x, sph->fluid.position[i].y, sph->fluid.position[i].z};
        for (int k = 0; k < 3; k++) {
            sph->mirror.low[k] = fminf(sph->mirror.low[k], x[k] - 0.3f * (float)SET_SPACING);
            sph->mirror.high[k] = fmaxf(sph->mirror.high[k], x[k] + 0.3f * (float)SET_SPACING);
        }
    }
    if (sph->kernel.dimension == 2) {
        sph->mirror.low[2] = -INFINITY;
        sph->mirror.high[2] = INFINITY;
    }
}

static void images_are_as_plain_loops_say(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        Set set;
        set_create(&set, dimension, MN_KERNEL_WENDLAND, 1, false, 11);
        Sph* sph = &set.sph;
        const size_t count = sph->fluid.set.count, padded = block_count(count, LANES) * LANES;
        static Vec4 bare[4096], with[4096];
        static float density[4096], divergence[4096];
        assert_true(padded <= 4096);
        pressure_acceleration(sph);
        memcpy(bare, sph->fluid.acceleration, padded * sizeof *bare);
        memcpy(density, sph->fluid.density, padded * sizeof *density);
        vector_divergence(sph, sph->fluid.velocity, false);
        memcpy(divergence, sph->fluid.divergence, padded * sizeof *divergence);
        enclose(&set);
        mirror_sums(sph, NULL);
        pressure_acceleration(sph);
        memcpy(with, sph->fluid.acceleration, padded * sizeof *with);
        vector_divergence(sph, sph->fluid.velocity, false);
        double worst = 0, seen = 0;
        for (size_t i = 0; i < count; i++) {
            Plain p = images_of(sph, i);
            double rho = (double)sph->material[0].density, h = (double)sph->kernel.h;
            Vec3d a = vec3d_scale(vec3d_sub(xyz(with[i]), xyz(bare[i])), -rho);
            worst = fmax(worst, vec3d_distance(a, p.push) / (vec3d_length(p.push) + 1e4 / h));
            worst = fmax(worst, fabs((double)(sph->fluid.density[i] - density[i]) - p.s));
            worst =
                fmax(worst, fabs((double)(sph->fluid.divergence[i] - divergence[i]) - p.divergence) / (fabs(p.divergence) + 1 / h));
            seen = fmax(seen, p.s);
        }
        print_message("%dD: images add up to %.2f to a density, largest error %.2g\n", dimension, seen, worst);
        assert_below(0.2, seen);
        assert_below(worst, 1e-3); // pairs whose c is 0 in half precision are in no list
        set_free(&set);
    }
}

// sum_i m_i a_i . u_i = -sum_i V P_i div u_i for any u: the system of a solve is symmetric with images, too.
static void images_keep_the_operators_adjoint(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        Set set;
        set_create(&set, dimension, MN_KERNEL_WENDLAND, 1, false, 5);
        Sph* sph = &set.sph;
        enclose(&set);
        double work = 0, size = 0, change = 0;
        pressure_acceleration(sph);
        for (size_t i = 0; i < sph->fluid.set.count; i++) {
            double w = vec3d_dot(xyz(sph->fluid.acceleration[i]), xyz(sph->fluid.velocity[i])) * (double)sph->material[0].density;
            work += w;
            size += fabs(w);
        }
        vector_divergence(sph, sph->fluid.velocity, false);
        for (size_t i = 0; i < sph->fluid.set.count; i++)
            change += (double)(sph->fluid.position[i].w * sph->fluid.divergence[i]);
        print_message("%dD: work %.6g, compression times pressure %.6g, of %.3g\n", dimension, work, change, size);
        assert_below(fabs(work + change) / size, 1e-5);
        set_free(&set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_as_plain_loops_say),
        cmocka_unit_test(images_keep_the_operators_adjoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
