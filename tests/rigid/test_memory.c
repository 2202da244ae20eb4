// SPDX-License-Identifier: MIT
// The n-th allocation fails, for every n: inside ODE as well as outside, that is an answer and never a crash. What is damaged in a
// saved state is refused before anything changes.
#include "place.h"

// Sanitizers have their own allocator.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
enum { HOOKED = 0 };
static long left;
static int failures;
#else
enum { HOOKED = 1 };
static long left;    // allocations until one fails; <= 0: none does
static int failures; // so far

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* p, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static bool fails(void)
{
    if (left <= 0 || --left > 0)
        return false;
    failures++;
    return true;
}

void* malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void* calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void* realloc(void* p, size_t size)
{
    return fails() ? NULL : __libc_realloc(p, size);
}

void* aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}
#endif

typedef struct Plan {
    TriMesh mesh[4];
    mn_Shape shape[4];
    BodyDef def[4];
} Plan;

// A floor, a box, a ball and a cone of triangles.
static void plan_make(Plan* plan)
{
    const mn_Shape shapes[4] = {box(2, 0.2, 2),
                                box(0.1, 0.1, 0.1),
                                {.type = MN_SHAPE_SPHERE, .size = {0.05, 0, 0}},
                                {.type = MN_SHAPE_CONE, .size = {0.1, 0.1, 0}}};
    for (int k = 0; k < 4; k++) {
        mn_SolidDef solid = mn_default_solid_def();
        plan->shape[k] = shapes[k];
        assert_int_equal(shape_build(&plan->shape[k], 3, 0.01, NULL, &plan->mesh[k], NULL), MN_OK);
        plan->def[k] = (BodyDef){.kind = k ? BODY_FREE : BODY_FIXED,
                                 .may_sleep = k > 0,
                                 .shape = &plan->shape[k],
                                 .mesh = &plan->mesh[k],
                                 .scale = {1, 1, 1},
                                 .friction = 0.5};
        plan->def[k].state = (BodyState){.position = {0.01 * k, k ? 0.12 * k - 0.07 : -0.1, 0}, .rotation = {1, 0, 0, 0}};
        assert_int_equal(body_mass(&solid, &plan->mesh[k], true, 0.01, 0.01, &plan->def[k].mass, NULL), MN_OK);
    }
}

static void plan_free(Plan* plan)
{
    for (int k = 0; k < 4; k++)
        tri_mesh_free(&plan->mesh[k]);
}

// Returns whether all of it went well.
static bool live(const Plan* plan, Rigid** out)
{
    Rigid* rigid = *out = rigid_create(&(RigidDef){3, DOWN, 0.01, 1, 0, 0});
    bool ok = rigid != NULL;
    for (int k = 0; k < 4 && ok; k++)
        ok = rigid_add_body(rigid, &plan->def[k]) >= 0;
    for (int k = 0; k < 4 && ok; k++) {
        mn_JointDef def = mn_default_joint_def();
        def.type = k == 0 ? MN_JOINT_BALL : k == 1 ? MN_JOINT_HINGE : k == 2 ? MN_JOINT_SLIDER : MN_JOINT_FIXED;
        ok = k >= 2 || rigid_add_joint(rigid, &def, 2, 1) >= 0;
    }
    int pairs[4][2];
    Vec3d linear[4], angular[4];
    if (ok)
        rigid_overlaps(rigid, 0.001, pairs, 4);
    for (int k = 0; k < 60 && ok; k++) {
        ok = rigid_predict(rigid, 0.004, linear, angular) && rigid_step(rigid, 0.004);
        assert_true(ok || rigid_no_memory(rigid));
    }
    return ok;
}

static void test_failing_allocations(void** state)
{
    if (!HOOKED)
        skip();
    Plan plan = {0};
    plan_make(&plan);
    int refused = 0;
    for (long n = 1;; n++) {
        Rigid* rigid = NULL;
        int before = failures;
        left = n;
        bool ok = live(&plan, &rigid);
        left = 0;
        rigid_destroy(rigid);
        if (failures == before) { // n is more than there are
            assert_true(ok);
            break;
        }
        refused += !ok;
    }
    assert_true(refused > 30); // some may be done without, such as lists of overlaps for a warning
    plan_free(&plan);
}

// --- what is not a number

static void test_forces_that_are_none(void** state)
{
    Plan plan = {0};
    plan_make(&plan);
    Rigid* rigid = NULL;
    assert_true(live(&plan, &rigid));
    for (int k = 0; k < 4; k++) {
        rigid_set_force(rigid, 1, vec3d(0, k == 0 ? (double)NAN : k == 1 ? 1e200 : k == 2 ? 1e308 : 0, 0), vec3d(0, 0, 0));
        BodyState before = rigid_state(rigid, 1);
        assert_int_equal(rigid_step(rigid, 0.004), k == 3);
        assert_true(k == 3 || rigid_message(rigid)[0]);
        rigid_set_state(rigid, 1, &before);
    }
    rigid_destroy(rigid);
    plan_free(&plan);
}

// --- damaged states

static void test_damaged_state(void** state)
{
    Plan plan = {0};
    plan_make(&plan);
    Rigid* rigid = NULL;
    assert_true(live(&plan, &rigid));
    size_t bytes = rigid_state_bytes(rigid), words = bytes / 8;
    double *good = malloc(bytes), *bad = malloc(bytes), *now = malloc(bytes);
    rigid_save(rigid, good);
    int refused = 0;
    const double values[] = {(double)NAN, (double)INFINITY, -1e300, 1e300, -3, 5e-324};
    for (size_t w = 0; w < words; w++)
        for (int v = 0; v < 6; v++) {
            memcpy(bad, good, bytes);
            bad[w] = values[v];
            if (rigid_load(rigid, bad)) { // what could have been must also run, or say why not
                rigid_step(rigid, 0.004);
                assert_true(rigid_load(rigid, good));
                continue;
            }
            rigid_save(rigid, now);
            assert_memory_equal(now, good, bytes);
            refused++;
        }
    assert_true(refused > (int)words * 2); // each at least where it is not finite
    free(good);
    free(bad);
    free(now);
    rigid_destroy(rigid);
    plan_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_forces_that_are_none),
        cmocka_unit_test(test_damaged_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
