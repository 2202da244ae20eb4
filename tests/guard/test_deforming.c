// SPDX-License-Identifier: MIT
// No particle of a hail crosses a surface that deforms, sheet or volume: against brute force over all triangles; momentum is kept.
#include "hail.h"

#include "mesh/crossing.h"

#define CLOTH                                                                                                                      \
    HAIL("{\"name\": \"it\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.5, 0.5], \"cells\": [12, 12]}, \"density\": 300, "    \
         "\"thickness\": 0.004, \"young\": 1e6, \"pins\": []}")
#define BALLOON                                                                                                                    \
    HAIL("{\"name\": \"it\", \"type\": \"elastic\", \"structure\": \"sheet\", \"shape\": {\"sphere\": 0.2}, \"density\": 900, "    \
         "\"thickness\": 0.004, \"young\": 1e6, \"pins\": []}")
#define CUBE                                                                                                                       \
    HAIL("{\"name\": \"it\", \"type\": \"elastic\", \"model\": \"fem\", \"shape\": {\"box\": [0.3, 0.3, 0.3]}, \"resolution\": "   \
         "0.06, "                                                                                                                  \
         "\"density\": 900, \"young\": 1e5, \"pins\": []}")
#define JELLY                                                                                                                      \
    HAIL("{\"name\": \"it\", \"type\": \"elastic\", \"structure\": \"volume\", \"shape\": {\"sphere\": 0.2}, \"resolution\": "     \
         "0.06, "                                                                                                                  \
         "\"density\": 900, \"young\": 1e5, \"pins\": []}")

static bool is_allowed(const mn_World* world, Vec3d x)
{
    const GuardSolid* s = &world->guard.solid[0];
    return s->sort == GUARD_SHEET || (!inside_contains(s->test, x) && inside_distance(s->test, x, 1e-3, NULL, NULL) >= 1e-3);
}

// Crossings of a particle's path: those that are stopped, and their sum by direction.
static int crossings_of(const mn_World* world, size_t i, int* out_sum)
{
    const Guard* g = &world->guard;
    SolidSurface surface = world->solids.solid[0].kind->surface(&world->solids.solid[0]);
    bool is_sheet = g->solid[0].sort == GUARD_SHEET;
    int stopped = 0;
    *out_sum = 0;
    for (size_t t = 0; t < surface.triangle_count; t++) {
        const uint32_t* v = surface.triangle[t];
        const Vec3d from[3] = {g->from[v[0]], g->from[v[1]], g->from[v[2]]}, to[3] = {g->to[v[0]], g->to[v[1]], g->to[v[2]]};
        Crossing found[3];
        int count = crossing_find(from, to, point_of(world_sph(world)->fluid.set.scratch[i]),
                                  point_of(world_sph(world)->fluid.position[i]), found);
        for (int k = 0; k < count; k++) {
            stopped += is_sheet || found[k].direction < 0;
            *out_sum += found[k].direction;
        }
    }
    return stopped;
}

// Vertices move by hand, by a centimetre or a few.
static void deform(mn_World* world, Random* random, double far)
{
    SolidSurface surface = world->solids.solid[0].kind->surface(&world->solids.solid[0]);
    Vec3d shift = random_in(random, far), wave = random_in(random, 15);
    for (size_t v = 0; v < surface.vertex_count; v++) {
        Vec3d* x = (Vec3d*)&surface.position[v];
        *x = vec3d_add(*x, vec3d_scale(shift, 1 + 0.5 * sin(vec3d_dot(wave, *x))));
    }
}

static Vec3d momentum_of(const mn_World* world)
{
    SolidTotals solids = {0};
    world_add_totals_of_systems(world, &solids);
    return vec3d_add(fluid_momentum(world), solids.momentum);
}

static void check_hail(const char* what, const char* json, GuardSort sort)
{
    mn_World* world = build(json);
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    assert_int_equal(world->guard.solid[0].sort, sort);
    Random random = {.state = 11};
    size_t all = 0, count = world_sph(world)->fluid.set.count;
    int* before = calloc(count, sizeof *before);
    for (int step = 0; step < 6; step++) {
        int sum, left = 0;
        assert_true(guard_follow(&world->guard));
        hail_begin(world, &random, 0.4, is_allowed);
        hail_fly(world, &random, step < 3 ? 0.5 : 0.03);
        deform(world, &random, step % 2 ? 0.002 : 0.04);
        guard_place_surfaces(&world->guard, world->guard.to);
        for (size_t i = 0; i < count; i++)
            before[i] = crossings_of(world, i, &sum);
        Vec3d had = momentum_of(world);
        all += hail_end(world);
        assert_below(vec3d_distance(momentum_of(world), had), 1e-9 * (1 + vec3d_length(had)));
        for (size_t i = 0; i < count; i++) {
            int after = crossings_of(world, i, &sum);
            if (sort == GUARD_SHEET ? sum != 0 : after != 0)
                left++;
            if ((before[i] != 0) != was_put_back(world, (uint32_t)i))
                fail_msg("%s: a particle that crosses %d triangles was %sput back", what, before[i], before[i] ? "not " : "");
        }
        assert_int_equal(left, 0);
    }
    GuardCount n = world->guard.record[0].count;
    print_message("%s: %zu put back\n", what, all);
    assert_true(all > 50);
    assert_int_equal(sort == GUARD_SHEET ? n.crossed : n.caught, all);
    assert_int_equal(n.leaked, 0);
    free(before);
    mn_world_destroy(world);
}

static void test_sheets(void** state)
{
    check_hail("cloth", CLOTH, GUARD_SHEET);
    check_hail("balloon", BALLOON, GUARD_SHEET);
}

static void test_volumes(void** state)
{
    check_hail("finite elements", CUBE, GUARD_VOLUME);
    check_hail("mass points", JELLY, GUARD_VOLUME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sheets), cmocka_unit_test(test_volumes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
