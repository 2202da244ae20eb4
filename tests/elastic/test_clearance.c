// SPDX-License-Identifier: MIT
// Clearance of surfaces: it is what the geometry says, no pair meets while points have gone less, and it is void when they have
// gone more or a body has another shape.
#include "elastic_support.h"

#include "base/random.h"
#include "elastic/contact/clearance.h"
#include "elastic/contact/deformables.h"
#include "elastic/contact/pair_side.h"
#include <stdlib.h>
#include <string.h>

static const double EDGE = 0.1, GAP = 0.02, THICKNESS = 0.002;

typedef struct Pair { // two boxes, one above the other
    TestVolume low, high;
    ElasticSet* set;
    PairSearch* search;
    Vec3d* swept[2];
} Pair;

static Pair pair_make(void)
{
    Pair p = {.low = test_volume(vec3d(0.4, 0.2, 0.4), 4, 2, 4), .high = test_volume(vec3d(0.4, 0.2, 0.4), 4, 2, 4)};
    for (size_t k = 0; k < p.high.tets.point_count; k++)
        p.high.tets.point[k].y += 0.2 + GAP;
    for (size_t k = 0; k < p.high.surface.vertex_count; k++)
        p.high.surface.vertex[k].y += 0.2 + GAP;
    ElasticBodyDef def = test_volume_def(&p.low, MN_ELASTIC_FEM), above = test_volume_def(&p.high, MN_ELASTIC_FEM);
    def.contact = above.contact = def.self_contact = above.self_contact = true;
    def.thickness = above.thickness = THICKNESS;
    p.set = test_set(&def, vec3d(0, 0, 0), 2);
    int body;
    assert_int_equal(elastic_add_body(p.set, &above, &body, NULL), MN_OK);
    assert_true(deformables_begin(p.set, 1e-3));
    assert_true(deformables_resolve(p.set, 1e-3)); // makes the trees
    p.search = pair_search_create(p.set);
    for (int k = 0; k < 2; k++) {
        Body* b = &p.set->body[k];
        b->paths.active = true;
        b->paths.from = b->position;
        b->paths.reach = 0.5 * THICKNESS;
        p.swept[k] = malloc(b->point_count * sizeof(Vec3d));
        b->paths.swept = p.swept[k];
        memcpy(p.swept[k], b->position, b->point_count * sizeof(Vec3d));
    }
    return p;
}

static void pair_free(Pair* p)
{
    pair_search_destroy(p->set, p->search);
    test_set_destroy(p->set);
    test_volume_free(&p->low);
    test_volume_free(&p->high);
    free(p->swept[0]);
    free(p->swept[1]);
}

// Points go so far, each its own way; the bodies besides towards each other.
static void go(Pair* p, Random* random, double way, double towards)
{
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < p->set->body[k].point_count; i++) {
            Vec3d d = {random_range(random, -1, 1), random_range(random, -1, 1), random_range(random, -1, 1)};
            d = vec3d_scale(vec3d_normalise(d), way);
            d.y += k ? -towards : towards;
            p->swept[k][i] = vec3d_add(p->set->body[k].position[i], d);
        }
}

static size_t count_meeting(Pair* p)
{
    for (int k = 0; k < 2; k++)
        p->set->body[k].paths.reach = 0.5 * THICKNESS;
    assert_true(pair_search_run(p->set, p->search, pair_meets, 0.1, 1e-3));
    return pair_search_count(p->search);
}

static void test_clearance(void** state)
{
    Pair p = pair_make();
    Clearance clearance = {.room = 0};
    assert_false(clearance_holds(&clearance, p.set));
    assert_true(clearance_measure(&clearance, p.set, p.search));
    double room = clearance.room;
    print_message("room %.4g m of a gap of %g m, edges of %g m\n", room, GAP, EDGE);
    assert_true(room > 0.4 * (GAP - THICKNESS) - 0.01 * 2 * EDGE && room < 0.5 * (GAP - THICKNESS));
    assert_true(clearance_holds(&clearance, p.set));
    Random random = {7};
    for (int k = 0; k < 50; k++) {
        go(&p, &random, 0.99 * room, 0);
        assert_true(clearance_holds(&clearance, p.set));
        assert_int_equal(count_meeting(&p), 0);
    }
    go(&p, &random, 1.01 * room, 0);
    assert_false(clearance_holds(&clearance, p.set));
    go(&p, &random, 0, 0.5 * GAP);
    assert_false(clearance_holds(&clearance, p.set));
    assert_true(count_meeting(&p) > 0); // the search would have seen them
    go(&p, &random, 0, 0);
    p.set->body[1].split.revision++;
    assert_false(clearance_holds(&clearance, p.set));
    clearance_free(&clearance, p.set->memory);
    pair_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clearance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
