// SPDX-License-Identifier: MIT
// Sheets that come apart: cut along a plane, torn by stretch; what stays exactly as it was, states of sheets that were torn, and
// states that are none.
#include "elastic_support.h"

#include "base/random.h"
#include "elastic/elastic_parts.h"
#include <stdlib.h>
#include <string.h>

typedef struct Strip {
    TriMesh mesh;
    ElasticSet* set;
    Body* body;
    int end[2]; // pins
} Strip;

// 0.4 m long, 0.1 m wide, its ends held.
static Strip strip(int cells, double tear_strain)
{
    Strip s = {.mesh = test_grid(0.4, 0.1, 4 * cells, cells)};
    ElasticBodyDef def = test_sheet(&s.mesh);
    def.tear_strain = tear_strain;
    def.drag = 5;
    s.set = test_set(&def, vec3d(0, 0, 0), 1);
    s.body = &s.set->body[0];
    for (int k = 0; k < 2; k++) {
        s.end[k] = elastic_add_pin(s.set, 0);
        for (uint32_t v = 0; v < s.body->vertex_count; v++)
            if (fabs(s.body->vertex[v].x - (k ? 0.2 : -0.2)) < 1e-9)
                elastic_pin_vertex(s.set, 0, s.end[k], v);
    }
    return s;
}

static void strip_free(Strip* s)
{
    test_set_destroy(s->set);
    tri_mesh_free(&s->mesh);
}

// Pulls its end; what may not change when it tears does not. Returns the strain at which it began.
static double pull(Strip* s, double speed, double dt, int steps)
{
    double began = 0;
    for (int k = 0; k < steps && elastic_pieces(s->set, 0) == 1; k++) {
        mn_Pose was = {.rotation = quat_identity()}, is = was;
        was.position.x = speed * dt * k;
        is.position.x = speed * dt * (k + 1);
        elastic_move_pin(s->set, 0, s->end[1], &was, &is);
        assert_true(elastic_step(s->set, dt));
        double mass = elastic_mass(s->set, 0);
        ElasticTotals before = elastic_totals(s->set);
        size_t opened;
        assert_true(elastic_break(s->set, &opened));
        ElasticTotals after = elastic_totals(s->set);
        assert_near(elastic_mass(s->set, 0), mass, 1e-13 * mass);
        assert_near(vec3d_distance(after.momentum, before.momentum), 0, 1e-12 * mass);
        assert_true(fabs(after.strain - before.strain) <= 0.05 * before.strain); // hinges over an edge that opened are gone
        if (opened && began == 0)
            began = speed * dt * (k + 1) / 0.4;
    }
    return began;
}

static void a_strip_tears_at_its_strain(void** state)
{
    for (int cells = 4; cells <= 8; cells += 2)
        for (int coarse = 0; coarse < 2; coarse++) {
            Strip s = strip(cells, 0.2);
            double began = pull(&s, 0.1, coarse ? 4e-3 : 1e-3, 3000);
            // the ends cannot become narrower: they are stretched a little more than the rest
            printf("%d cells: torn at %g, %zu edges\n", cells, began, elastic_opened(s.set));
            if (!(began > 0.15 && began < 0.205) || elastic_pieces(s.set, 0) < 2)
                fail_msg("%d cells: torn at %g, %zu pieces", cells, began, elastic_pieces(s.set, 0));
            assert_true(elastic_opened(s.set) >= (size_t)cells);
            strip_free(&s);
        }
    Strip s = strip(4, 0.5);
    assert_true(pull(&s, 0.1, 4e-3, 400) == 0); // 40 %
    assert_int_equal(elastic_opened(s.set), 0);
    strip_free(&s);
}

static void* save(const Strip* s, size_t* bytes)
{
    *bytes = elastic_state_bytes(s->set);
    void* out = malloc(*bytes);
    elastic_save(s->set, out);
    return out;
}

static void a_torn_sheet_is_loaded_as_it_was(void** state)
{
    Strip a = strip(4, 0), b = strip(4, 0);
    size_t opened, first, more;
    void* whole = save(&a, &first);
    assert_true(elastic_cut(a.set, 0, vec3d(0.01, 0, 0), vec3d(1, 0, 0.2), &opened));
    assert_true(opened >= 4);
    assert_int_equal(elastic_opened(a.set), opened);
    assert_int_equal(elastic_pieces(a.set, 0), 2);
    assert_int_equal(elastic_surface(a.set, 0).triangle_count, a.mesh.triangle_count);
    for (int k = 0; k < 10; k++)
        assert_true(elastic_step(a.set, 1e-3));
    void* torn = save(&a, &more);
    assert_true(more > first);
    assert_true(elastic_load(b.set, torn, more));
    for (int k = 0; k < 10; k++)
        assert_true(elastic_step(a.set, 1e-3) && elastic_step(b.set, 1e-3));
    size_t one, other;
    void *x = save(&a, &one), *y = save(&b, &other);
    assert_true(one == other && !memcmp(x, y, one));
    // and back
    assert_true(elastic_load(b.set, whole, first));
    assert_int_equal(elastic_opened(b.set), 0);
    // what is no state of it is refused, or runs
    Random random = {3};
    for (int k = 0; k < 200; k++) {
        char* bad = malloc(more);
        memcpy(bad, torn, more);
        uint32_t value = (uint32_t)random_range(&random, 0, 200);
        size_t at = 4 * (size_t)random_range(&random, 0, (double)(3 * a.mesh.triangle_count));
        memcpy(bad + at, &value, sizeof value);
        elastic_load(b.set, bad, more);
        free(bad);
    }
    assert_true(elastic_load(b.set, torn, more) && elastic_step(b.set, 1e-3));
    void* all[] = {whole, torn, x, y};
    for (size_t k = 0; k < 4; k++)
        free(all[k]);
    strip_free(&a);
    strip_free(&b);
}

// A sheet that is stretched evenly to more than it holds gets one tear, not crumbs: the load is gone before another begins.
static void an_even_load_tears_once(void** state)
{
    Strip s = strip(4, 0.1);
    for (size_t k = 0; k < s.body->point_count; k++)
        s.body->position[k].x *= 1.11;
    size_t opened;
    assert_true(elastic_step(s.set, 1e-2) && elastic_break(s.set, &opened));
    if (opened < 1 || opened > 12)
        fail_msg("%zu edges opened", opened);
    strip_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strip_tears_at_its_strain),
        cmocka_unit_test(a_torn_sheet_is_loaded_as_it_was),
        cmocka_unit_test(an_even_load_tears_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
