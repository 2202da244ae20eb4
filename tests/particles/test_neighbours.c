// SPDX-License-Identifier: MIT
// Neighbour lists against the brute-force loop, on sets that hurt: clustered, coincident, on cell borders, far away.
#include "support.h"

#include "base/random.h"
#include "particles/neighbours.h"
#include <stdlib.h>

typedef struct Set {
    size_t count;
    Vec4* position; // padded
} Set;

typedef struct Rig {
    Memory memory;
    Pool* pool;
    CellGrid grid, wall_grid;
    Neighbours nb;
    Kernel kernel;
    Set set, wall;
    float *density, *diagonal;
} Rig;

static Set set_create(size_t count)
{
    return (Set){count, memory_take(NULL, (count + 16) * sizeof(Vec4))};
}

static void sort_set(Rig* rig, CellGrid* grid, Set* set)
{
    Vec4* scratch = memory_take(NULL, (set->count + 16) * sizeof(Vec4));
    assert_true(grid_build(grid, rig->pool, set->position, set->count, scratch));
    for (size_t k = 0; k < set->count; k++)
        scratch[k] = set->position[grid->order[k]];
    for (size_t k = set->count; k < set->count + 16; k++)
        scratch[k] = (Vec4){0};
    memory_give(NULL, set->position);
    set->position = scratch;
}

static void rig_build(Rig* rig, Set set, Set wall, float h, int dimension, int threads)
{
    *rig = (Rig){.set = set, .wall = wall, .kernel = kernel_create(MN_KERNEL_CUBIC, dimension, (double)h)};
    rig->pool = pool_create(threads);
    grid_init(&rig->grid, &rig->memory, (double)h, dimension);
    grid_init(&rig->wall_grid, &rig->memory, (double)h, dimension);
    assert_true(neighbours_init(&rig->nb, &rig->memory, rig->pool));
    rig->density = memory_take(NULL, (set.count + 16) * sizeof(float));
    rig->diagonal = memory_take(NULL, (set.count + 16) * sizeof(float));
    sort_set(rig, &rig->grid, &rig->set);
    BoundaryPoints points = {0};
    if (wall.count) {
        sort_set(rig, &rig->wall_grid, &rig->wall);
        points.position = rig->wall.position;
        points.part[0].grid = &rig->wall_grid;
    }
    KernelSums sums = {h * h * h / 8, rig->density, rig->diagonal, NULL, false};
    assert_true(neighbours_build(&rig->nb, rig->pool, &rig->kernel, &rig->grid, rig->set.position, set.count,
                                 wall.count ? &points : NULL, &sums));
}

static void rig_free(Rig* rig)
{
    neighbours_free(&rig->nb);
    grid_free(&rig->grid);
    grid_free(&rig->wall_grid);
    pool_destroy(rig->pool);
    memory_give(NULL, rig->set.position);
    memory_give(NULL, rig->wall.position);
    memory_give(NULL, rig->density);
    memory_give(NULL, rig->diagonal);
    assert_int_equal(rig->memory.bytes, 0);
}

static float distance2(Vec4 a, Vec4 b)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return fmaf(dz, dz, fmaf(dy, dy, dx * dx));
}

static int compare_index(const void* a, const void* b)
{
    uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return x < y ? -1 : x > y;
}

// Lane's neighbours without padding, sorted. Padding is the particle itself (self) or has coefficient 0 (walls).
static size_t lane_list(const uint32_t* list, uint32_t slots, int lane, bool wall, uint32_t self, uint32_t* out)
{
    const uint16_t* c = list_coefficients(list, slots);
    size_t n = 0;
    for (uint32_t s = 0; s < slots; s++) {
        uint32_t j = list[8 * s + (uint32_t)lane] / (wall ? 1 : 2);
        if (wall ? (c[8 * s + (uint32_t)lane] & 0x7fffu) != 0 : j != self)
            out[n++] = j;
    }
    qsort(out, n, sizeof *out, compare_index);
    return n;
}

static void check_against_brute_force(Rig* rig)
{
    float h2 = rig->kernel.h * rig->kernel.h;
    size_t capacity = rig->set.count + rig->wall.count + 1;
    uint32_t *expected = malloc(capacity * sizeof *expected), *found = malloc(capacity * sizeof *found);
    for (uint32_t i = 0; i < rig->set.count; i++) {
        const ChunkList* list = &rig->nb.chunk[i / 8];
        size_t n = 0;
        double density = kernel_w(&rig->kernel, 0);
        for (uint32_t j = 0; j < rig->set.count; j++)
            if (j != i && distance2(rig->set.position[i], rig->set.position[j]) < rig->kernel.reach2) {
                expected[n++] = j;
                density += kernel_w(&rig->kernel, sqrt((double)distance2(rig->set.position[i], rig->set.position[j])));
            }
        density *= (double)(h2 * rig->kernel.h / 8);
        size_t m = lane_list(list->twice, list->slots, (int)(i % 8), false, i, found);
        if (n != m || memcmp(expected, found, n * sizeof *found) != 0)
            fail_msg("particle %u of %zu: %zu neighbours, brute force finds %zu", i, rig->set.count, m, n);
        n = 0;
        for (uint32_t j = 0; j < rig->wall.count; j++)
            if (distance2(rig->set.position[i], rig->wall.position[j]) < h2) {
                double r = sqrt((double)distance2(rig->set.position[i], rig->wall.position[j]));
                if (r < 0.99 * (double)rig->kernel.h) // farther, half precision may round the coefficient to 0
                    expected[n++] = j;
                density += (double)rig->wall.position[j].w * kernel_w(&rig->kernel, r);
            }
        m = list->near ? lane_list(list->near->index, list->near->slots, (int)(i % 8), true, i, found) : 0;
        assert_true(m >= n);
        for (size_t k = 0; k < n; k++)
            assert_non_null(bsearch(&expected[k], found, m, sizeof *found, compare_index));
        assert_near((double)rig->density[i], density, 1e-5 * density);
    }
    free(expected);
    free(found);
}

static void check(Set set, Set wall, float h, int dimension)
{
    Rig rig;
    rig_build(&rig, set, wall, h, dimension, 2);
    check_against_brute_force(&rig);
    rig_free(&rig);
}

static Set random_set(uint64_t seed, size_t count, Vec3d centre, double size)
{
    Set set = set_create(count);
    Random random = {seed};
    for (size_t i = 0; i < count; i++)
        set.position[i] =
            (Vec4){(float)(centre.x + size * (random_unit(&random) - 0.5)), (float)(centre.y + size * (random_unit(&random) - 0.5)),
                   (float)(centre.z + size * (random_unit(&random) - 0.5)), 1e-3f};
    return set;
}

static void random_sets(void** state)
{
    size_t counts[] = {1, 2, 7, 8, 9, 63, 500, 1500};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        check(random_set(k, counts[k], vec3d(0, 0, 0), 1), (Set){0}, 0.2f, 3);
        check(random_set(k, counts[k], vec3d(0.3, -2, 1), 1), random_set(k + 99, 300, vec3d(0.3, -2, 1), 1.2), 0.11f, 3);
    }
}

static void flat_set(void** state)
{
    Set set = random_set(3, 900, vec3d(0, 0, 0), 1);
    for (size_t i = 0; i < set.count; i++)
        set.position[i].z = 0;
    Rig rig;
    rig_build(&rig, set, (Set){0}, 0.1f, 2, 1);
    size_t pairs = 0;
    uint32_t found[900];
    for (uint32_t i = 0; i < 900; i++) {
        size_t n = 0;
        for (uint32_t j = 0; j < 900; j++)
            n += j != i && distance2(rig.set.position[i], rig.set.position[j]) < rig.kernel.reach2;
        assert_int_equal(n, lane_list(rig.nb.chunk[i / 8].twice, rig.nb.chunk[i / 8].slots, (int)(i % 8), false, i, found));
        pairs += n;
    }
    assert_true(pairs > 10000);
    rig_free(&rig);
}

static void clustered_and_coincident_sets(void** state)
{
    check(random_set(1, 1200, vec3d(5, 5, 5), 0.05), (Set){0}, 0.2f, 3); // everyone sees everyone
    Set same = set_create(100);
    for (size_t i = 0; i < 100; i++)
        same.position[i] = (Vec4){0.1f, 0.2f, 0.3f, 0};
    check(same, (Set){0}, 0.2f, 3);
}

// a lattice whose points lie exactly on cell borders, neighbours exactly h apart
static void cell_borders(void** state)
{
    Set set = set_create(9 * 9 * 9);
    for (size_t i = 0; i < set.count; i++)
        set.position[i] =
            (Vec4){0.125f * (float)(i % 9) - 0.5f, 0.125f * (float)(i / 9 % 9) - 0.5f, 0.125f * (float)(i / 81) - 0.5f, 0};
    check(set, (Set){0}, 0.25f, 3);
}

// two clouds 1e6 supports apart and one point farther still: as many neighbours, memory by particles only
static void far_from_origin(void** state)
{
    Set near = random_set(5, 400, vec3d(0, 0, 0), 1), set = set_create(801);
    Set far = random_set(6, 400, vec3d(0.2e6, -0.2e6, 0.2e6), 1);
    memcpy(set.position, near.position, 400 * sizeof(Vec4));
    memcpy(set.position + 400, far.position, 400 * sizeof(Vec4));
    set.position[800] = (Vec4){-3e6f, 0, 0, 0};
    memory_give(NULL, near.position);
    memory_give(NULL, far.position);
    Rig rig;
    rig_build(&rig, set, (Set){0}, 0.2f, 3, 2);
    assert_int_equal(rig.grid.far_count, 0);
    assert_below((double)rig.memory.bytes, 8e6);
    check_against_brute_force(&rig);
    rig_free(&rig);
}

static void not_finite_is_far(void** state)
{
    Set set = random_set(5, 50, vec3d(0, 0, 0), 1);
    set.position[3].x = NAN;
    set.position[17].y = INFINITY;
    set.position[20].z = 1e30f;
    Rig rig;
    rig_build(&rig, set, (Set){0}, 0.2f, 3, 2);
    assert_int_equal(rig.grid.far_count, 3);
    rig_free(&rig);
}

// same bits for any number of threads
static void threads_agree(void** state)
{
    float reference[3000];
    for (int threads = 1; threads <= 8; threads++) {
        Rig rig;
        rig_build(&rig, random_set(8, 3000, vec3d(0, 0, 0), 1), random_set(9, 500, vec3d(0, 0, 0), 1), 0.15f, 3, threads);
        if (threads == 1)
            memcpy(reference, rig.diagonal, sizeof reference);
        assert_memory_equal(reference, rig.diagonal, sizeof reference);
        rig_free(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sets),   cmocka_unit_test(flat_set),        cmocka_unit_test(clustered_and_coincident_sets),
        cmocka_unit_test(cell_borders),  cmocka_unit_test(far_from_origin), cmocka_unit_test(not_finite_is_far),
        cmocka_unit_test(threads_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
