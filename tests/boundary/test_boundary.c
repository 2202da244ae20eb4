// SPDX-License-Identifier: MIT
// Boundary particles as a fluid meets them: a lattice of fluid next to a wall has its rest density, overlapping solids count
// once, and what moves ends up with the volumes it would have had if it had started there.
#include "support.h"

#include "base/random.h"
#include "boundary/boundary.h"
#include "particles/number_density.h"
#include <stdlib.h>
#include <string.h>

static const double SPACING = 0.02, H = 0.04;

static double lattice_volume(const Kernel* kernel)
{
    int nz = kernel->dimension == 3 ? 3 : 0;
    double sum = 0;
    for (int z = -nz; z <= nz; z++)
        for (int y = -3; y <= 3; y++)
            for (int x = -3; x <= 3; x++)
                sum += kernel_w(kernel, SPACING * sqrt((double)(x * x + y * y + z * z)));
    return 1 / sum;
}

typedef struct Scene {
    Memory memory;
    Kernel kernel;
    double volume;
    Boundary boundary;
    Solid solid[3];
    size_t count;
} Scene;

static void scene_init(Scene* scene, mn_Kernel type, int dimension)
{
    memset(scene, 0, sizeof *scene);
    scene->kernel = kernel_create(type, dimension, H);
    scene->volume = lattice_volume(&scene->kernel);
    boundary_init(&scene->boundary, &scene->memory, &scene->kernel, scene->volume, SPACING);
}

static Solid* scene_add(Scene* scene, mn_Vec3 min, mn_Vec3 max, bool inside, mn_SolidType type)
{
    mn_Error error = {0};
    mn_SolidDef def = {.type = type, .inside = inside, .scale = {1, 1, 1}, .pose = {.rotation = {1, 0, 0, 0}}};
    def.shape = (mn_Shape){.type = MN_SHAPE_BOX, .size = {max.x - min.x, max.y - min.y, max.z - min.z}};
    def.pose.position = (mn_Vec3){(min.x + max.x) / 2, (min.y + max.y) / 2, (min.z + max.z) / 2};
    Solid* solid = &scene->solid[scene->count++];
    if (solid_create(solid, &def, scene->kernel.dimension, 1e-4, NULL, &scene->memory, &error) != MN_OK)
        fail_msg("%s", error.message);
    return solid;
}

static void scene_build(Scene* scene)
{
    size_t counts[3];
    mn_Error error = {0};
    if (boundary_build(&scene->boundary, NULL, &scene->kernel, SPACING, scene->solid, scene->count, counts, &error) != MN_OK)
        fail_msg("%s", error.message);
    size_t sum = 0;
    for (size_t k = 0; k < scene->count; k++) {
        assert_true(counts[k] > 0);
        sum += counts[k];
    }
    assert_int_equal(sum, scene->boundary.count);
}

static void scene_free(Scene* scene)
{
    for (size_t k = 0; k < scene->count; k++)
        solid_free(&scene->solid[k]);
    boundary_free(&scene->boundary);
    assert_int_equal(scene->memory.bytes, 0);
}

// what the boundary adds to the relative density of a point
static double wall_density(const Scene* scene, double x, double y, double z)
{
    double sum = 0;
    for (size_t b = 0; b < scene->boundary.count; b++) {
        Vec4 p = scene->boundary.position[b];
        double dx = x - (double)p.x, dy = y - (double)p.y, dz = z - (double)p.z;
        sum += (double)p.w * kernel_w(&scene->kernel, sqrt(dx * dx + dy * dy + dz * dz));
    }
    return sum;
}

// what a lattice of fluid that starts half a spacing above y = 0 adds
static double lattice_density(const Scene* scene, double x, double y, double z)
{
    double sum = 0;
    int n = 12, nz = scene->kernel.dimension == 3 ? n : 0;
    for (int k = -nz; k <= nz; k++)
        for (int j = 0; j < 6; j++)
            for (int i = -n; i <= n; i++) {
                double dx = x - SPACING * i, dy = y - SPACING * (j + 0.5), dz = z - SPACING * k;
                sum += scene->volume * kernel_w(&scene->kernel, sqrt(dx * dx + dy * dy + dz * dz));
            }
    return sum;
}

static void fluid_at_a_wall_has_its_density(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int type = 0; type < 4; type++) {
            Scene scene;
            scene_init(&scene, (mn_Kernel)type, dimension);
            double z = dimension == 3 ? 0.4 : 0;
            scene_add(&scene, (mn_Vec3){-0.4, -0.3, -z}, (mn_Vec3){0.4, 0, z}, false, MN_SOLID_STATIC);
            scene_build(&scene);
            double first = lattice_density(&scene, 0, SPACING / 2, 0), least = INFINITY, most = 0;
            // wherever the lattice stands above the boundary particles
            for (int k = 0; k < 8; k++) {
                double x = SPACING * k / 8, s = first + wall_density(&scene, x, SPACING / 2, dimension == 3 ? 0.6 * x : 0);
                least = fmin(least, s);
                most = fmax(most, s);
            }
            double second = lattice_density(&scene, 0, 1.5 * SPACING, 0) + wall_density(&scene, 0, 1.5 * SPACING, 0);
            print_message("kernel %d %dD: first layer %.4f .. %.4f (fluid alone %.3f), second %.4f\n", type, dimension, least, most,
                          first, second);
            double limit =
                type == MN_KERNEL_POLY6 && dimension == 3 ? 0.011 : 0.01; // a narrow kernel sees single particles of the wall
            assert_near(least, 1, limit);
            assert_near(most, 1, limit);
            assert_near(second, 1, 0.01);
            scene_free(&scene);
        }
}

// By eq. 3.2 the volumes bring the boundary's own density to one value wherever it is, and on a plane, next to a fluid particle,
// they give what the missing half-space would.
static void planes_stand_for_a_half_space(void** state)
{
    Scene scene;
    scene_init(&scene, MN_KERNEL_CUBIC, 3);
    scene_add(&scene, (mn_Vec3){-0.4, -0.3, -0.4}, (mn_Vec3){0.4, 0, 0.4}, false, MN_SOLID_STATIC);
    scene_build(&scene);
    const Boundary* b = &scene.boundary;
    double mean = 0, n = 0;
    for (size_t i = 0; i < b->count; i++) {
        Vec4 p = b->position[i];
        // number density times the volume says the same, whatever the sampling
        double sum = 0;
        for (size_t k = 0; k < b->count; k++) {
            Vec4 q = b->position[k];
            double dx = (double)(p.x - q.x), dy = (double)(p.y - q.y), dz = (double)(p.z - q.z), r2 = dx * dx + dy * dy + dz * dz;
            sum += r2 < H * H ? kernel_w(&scene.kernel, sqrt(r2)) : 0;
        }
        assert_near(sum * (double)p.w, b->layer.strength, 1e-4);
        if (fabs((double)p.x) < 0.3 && fabs((double)p.z) < 0.3 && p.y > -0.1f) {
            mean += (double)p.w;
            n++;
        }
    }
    mean /= n;
    // at a fluid particle's place next to the wall
    double share = 0;
    for (int k = 0; k < 16; k++)
        share += wall_density(&scene, SPACING * k / 16, SPACING / 2, SPACING * 0.37 * k) / 16;
    print_message("volume of a plane's particles %.3f spacings^3, they add %.3f to the density at a particle next to them\n",
                  mean / (SPACING * SPACING * SPACING), share);
    assert_near(mean / (SPACING * SPACING * SPACING), 1.4 * b->layer.strength, 0.15);
    assert_near(share, 1 - lattice_density(&scene, 0, SPACING / 2, 0), 0.01);
    scene_free(&scene);
}

// Two boxes in the same place are one box: twice the particles, half the volumes.
static void overlapping_solids_count_once(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        Scene one, two;
        double z = dimension == 3 ? 0.2 : 0;
        scene_init(&one, MN_KERNEL_CUBIC, dimension);
        scene_add(&one, (mn_Vec3){-0.2, -0.2, -z}, (mn_Vec3){0.2, 0, z}, false, MN_SOLID_STATIC);
        scene_build(&one);
        scene_init(&two, MN_KERNEL_CUBIC, dimension);
        scene_add(&two, (mn_Vec3){-0.2, -0.2, -z}, (mn_Vec3){0.2, 0, z}, false, MN_SOLID_STATIC);
        scene_add(&two, (mn_Vec3){-0.21, -0.2, -z}, (mn_Vec3){0.19, 0, z}, false, MN_SOLID_KINEMATIC);
        scene_build(&two);
        for (int k = 0; k < 10; k++) {
            double x = -0.1 + 0.017 * k, a = wall_density(&one, x, SPACING / 2, 0), b = wall_density(&two, x, SPACING / 2, 0);
            assert_near(b, a, 0.05);
        }
        scene_free(&one);
        scene_free(&two);
    }
}

static int by_place(const void* a, const void* b)
{
    const Vec4 *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return (p->z > q->z) - (p->z < q->z);
}

static void moved_volumes_equal_fresh_ones(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        Scene moved, fresh;
        double z = dimension == 3 ? 0.2 : 0;
        // a floor and a box that comes down to it, goes along it and stops near
        mn_Vec3 floor[2] = {{-0.4, -0.1, -z}, {0.4, 0, z}}, box[2] = {{-0.05, 0.3, -z / 4}, {0.05, 0.4, z / 4}};
        Scene* scenes[2] = {&moved, &fresh};
        Vec3d last = {0.125, 0.0625 + 0.0078125, 0};
        for (int k = 0; k < 2; k++) {
            scene_init(scenes[k], MN_KERNEL_CUBIC, dimension);
            scene_add(scenes[k], floor[0], floor[1], false, MN_SOLID_STATIC);
            Solid* solid = scene_add(scenes[k], box[0], box[1], false, MN_SOLID_KINEMATIC);
            if (k == 1)
                solid->pose.position = last;
            scene_build(scenes[k]);
        }
        static const double path[][2] = {{-0.2, 0.2}, {-0.2, 0.06}, {-0.1, 0.055}, {0, 0.06}, {0.125, 0.0625 + 0.0078125}};
        for (size_t k = 0; k < sizeof path / sizeof *path; k++) {
            moved.solid[1].pose.position = vec3d(path[k][0], path[k][1], 0);
            assert_true(boundary_update(&moved.boundary, NULL, &moved.kernel, moved.solid, moved.count));
        }
        assert_int_equal(moved.boundary.count, fresh.boundary.count);
        qsort(moved.boundary.position, moved.boundary.count, sizeof(Vec4), by_place);
        qsort(fresh.boundary.position, fresh.boundary.count, sizeof(Vec4), by_place);
        size_t changed = 0;
        for (size_t i = 0; i < moved.boundary.count; i++) {
            Vec4 a = moved.boundary.position[i], b = fresh.boundary.position[i];
            assert_near((double)a.x, (double)b.x, 0);
            assert_near((double)a.y, (double)b.y, 0);
            assert_near((double)a.w, (double)b.w, 1e-5 * (double)b.w);
            changed += i < fresh.boundary.resting && fabsf(a.w - fresh.boundary.resting_volume[i]) > 1e-6f * a.w;
        }
        assert_true(changed > 0);
        scene_free(&moved);
        scene_free(&fresh);
    }
}

static double summed_volume(const Boundary* b, const Kernel* kernel, size_t i)
{
    double sum = 0;
    Vec4 p = b->position[i];
    for (size_t k = 0; k < b->count; k++) {
        Vec4 q = b->position[k];
        double dx = (double)(p.x - q.x), dy = (double)(p.y - q.y), dz = (double)(p.z - q.z);
        sum += kernel_w(kernel, sqrt(dx * dx + dy * dy + dz * dz));
    }
    return (double)b->factor[i] / sum;
}

// Two boxes in a tank, both turning: far from all others, near each other, near the wall. Volumes are those that sums over all
// particles say, whether they had to be summed or not; and those of a box alone do not change by the last bit.
static void volumes_follow_whoever_is_near(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        Scene scene;
        double z = dimension == 3 ? 0.3 : 0, half = dimension == 3 ? 0.05 : 0;
        scene_init(&scene, MN_KERNEL_CUBIC, dimension);
        scene_add(&scene, (mn_Vec3){-0.6, -0.3, -z}, (mn_Vec3){0.6, 0.3, z}, true, MN_SOLID_STATIC);
        for (int k = 0; k < 2; k++)
            scene_add(&scene, (mn_Vec3){-0.05, -0.05, -half}, (mn_Vec3){0.05, 0.05, half}, false, MN_SOLID_KINEMATIC);
        scene.solid[1].pose.position = vec3d(-0.3, 0, 0);
        scene.solid[2].pose.position = vec3d(0.3, 0, 0);
        scene_build(&scene);
        Boundary* b = &scene.boundary;
        float* alone = malloc(b->driven * sizeof *alone);
        assert_non_null(alone);
        for (size_t i = b->resting; i < b->count; i++)
            alone[b->order[i]] = b->position[i].w;
        static const double place[][4] = {{-0.2, 0.1, 0.3, 0}, {-0.055, 0, 0.055, 0.01}, {-0.3, 0.24, 0.3, 0}, {-0.25, 0, 0.25, 0}};
        size_t other[4] = {0};
        for (int k = 0; k < 4; k++) {
            for (int s = 0; s < 2; s++) {
                scene.solid[1 + s].pose.position = vec3d(place[k][2 * s], place[k][2 * s + 1], 0);
                scene.solid[1 + s].pose.rotation = quat_normalise((Quat){1, 0, 0, 0.3 * k + s});
            }
            assert_true(boundary_update(b, NULL, &scene.kernel, scene.solid, scene.count));
            for (size_t i = 0; i < b->count; i++) {
                double wanted = summed_volume(b, &scene.kernel, i);
                assert_near((double)b->position[i].w, wanted, 2e-5 * wanted);
                other[k] += i >= b->resting && b->position[i].w != alone[b->order[i]];
            }
        }
        print_message("volumes that others changed: %zu %zu %zu %zu of %zu\n", other[0], other[1], other[2], other[3], b->driven);
        assert_int_equal(other[0], 0);
        assert_int_equal(other[3], 0);
        assert_true(other[1] > 0 && other[2] > 0);
        free(alone);
        scene_free(&scene);
    }
}

static void velocities_follow_the_solid(void** state)
{
    Scene scene;
    scene_init(&scene, MN_KERNEL_CUBIC, 3);
    Solid* solid = scene_add(&scene, (mn_Vec3){-0.1, -0.1, -0.1}, (mn_Vec3){0.1, 0.1, 0.1}, false, MN_SOLID_KINEMATIC);
    solid->velocity = vec3d(1, 2, 3);
    solid->angular_velocity = vec3d(0, 0, 2);
    solid->surface_velocity = vec3d(0.5, 0, 0);
    scene_build(&scene);
    for (size_t i = 0; i < scene.boundary.count; i++) {
        Vec4 x = scene.boundary.position[i], v = scene.boundary.velocity[i];
        assert_near((double)v.x, 1.5 - 2 * (double)x.y, 1e-6);
        assert_near((double)v.y, 2 + 2 * (double)x.x, 1e-6);
        assert_near((double)v.z, 3, 1e-6);
    }
    scene_free(&scene);
}

// Containers are sampled outside of what one sees, others inside, by the same distance.
static void particles_lie_behind_the_surface(void** state)
{
    for (int inside = 0; inside < 2; inside++) {
        Scene scene;
        scene_init(&scene, MN_KERNEL_CUBIC, 3);
        scene_add(&scene, (mn_Vec3){-0.2, -0.2, -0.2}, (mn_Vec3){0.2, 0.2, 0.2}, inside != 0, MN_SOLID_STATIC);
        scene_build(&scene);
        double offset = scene.boundary.layer.offset, wanted = 0.2 + (inside ? offset : -offset);
        assert_true(offset > 0 && offset < SPACING);
        for (size_t i = 0; i < scene.boundary.count; i++) {
            Vec4 x = scene.boundary.position[i];
            double most = fmax(fabs((double)x.x), fmax(fabs((double)x.y), fabs((double)x.z)));
            assert_near(most, wanted, 1e-5);
        }
        scene_free(&scene);
    }
}

// Eight points at a time, or each by itself: all kernels, solids that rest and move in each other's reach, with and without
// weights.
static void densities_together_equal_single_ones(void** state)
{
    for (int k = 0; k < 16; k++) {
        Scene scene;
        scene_init(&scene, (mn_Kernel)(k % 4), k % 8 < 4 ? 3 : 2);
        scene_add(&scene, (mn_Vec3){0, 0, 0}, (mn_Vec3){0.4, 0.2, 0.2}, false, MN_SOLID_STATIC);
        scene_add(&scene, (mn_Vec3){0.03, 0.21, 0.02}, (mn_Vec3){0.33, 0.35, 0.2}, false, MN_SOLID_KINEMATIC);
        scene_add(&scene, (mn_Vec3){0.35, 0.23, -0.1}, (mn_Vec3){0.55, 0.45, 0.3}, false, MN_SOLID_KINEMATIC);
        scene_build(&scene);
        const Boundary* b = &scene.boundary;
        uint32_t* which = malloc(b->count * sizeof *which);
        float *weight = calloc(b->count + 16, sizeof *weight), *one = calloc(b->count, sizeof *one),
              *eight = calloc(b->count, sizeof *eight);
        Random random = {.state = 7};
        size_t n = 0;
        for (uint32_t i = 0; i < b->count; i++) {
            weight[i] = (float)random_range(&random, 0.1, 1);
            if (random_unit(&random) < 0.8)
                which[n++] = i;
        }
        BoundaryPoints points = boundary_points(b);
        points.weight = k < 8 ? NULL : weight;
        number_density_at(NULL, &scene.kernel, &points, b->position, n, which, one);
        number_density_together(NULL, &scene.kernel, &points, b->position, n, which, eight);
        for (size_t i = 0; i < b->count; i++)
            assert_near((double)eight[i], (double)one[i], 1e-5 * (double)one[i]);
        free(which);
        free(weight);
        free(one);
        free(eight);
        scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluid_at_a_wall_has_its_density),  cmocka_unit_test(planes_stand_for_a_half_space),
        cmocka_unit_test(overlapping_solids_count_once),    cmocka_unit_test(moved_volumes_equal_fresh_ones),
        cmocka_unit_test(volumes_follow_whoever_is_near),   cmocka_unit_test(velocities_follow_the_solid),
        cmocka_unit_test(particles_lie_behind_the_surface), cmocka_unit_test(densities_together_equal_single_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
