// SPDX-License-Identifier: MIT
// Every default is valid as it is, and zero never means "choose for me".
#include "support.h"

#include "defs/check.h"

static const DefContext TANK = {3, 0.01};

static void expect_valid(const Section* section, const void* object)
{
    mn_Error error = {0};
    if (def_check(section, &TANK, object, &error) != MN_OK)
        fail_msg("the default of \"%s\" is not allowed: %s: %s", section->path, error.key, error.message);
}

#define VALID(section, make)                                                                                                       \
    do {                                                                                                                           \
        __auto_type def = make;                                                                                                    \
        assert_int_equal(sizeof def, (section).size);                                                                              \
        expect_valid(&(section), &def);                                                                                            \
    } while (0)

static void defaults_are_valid(void** state)
{
    VALID(scene_section, mn_default_scene());
    VALID(solver_section, mn_default_solver_def());
    VALID(coupling_section, mn_default_coupling_def());
    VALID(output_section, mn_default_output_def());
    VALID(fluid_section, mn_default_fluid_def());
    VALID(tension_section, mn_default_tension_def());
    VALID(block_section, mn_default_block());
    VALID(ball_section, mn_default_ball());
    VALID(fill_section, mn_default_fill());
    VALID(emitter_section, mn_default_emitter());
    VALID(solid_section, mn_default_solid_def());
    VALID(motion_section, mn_default_keyframe());
    VALID(pin_section, mn_default_pin_def());
    VALID(pin_motion_section, mn_default_keyframe());
    VALID(joint_section, mn_default_joint_def());
    VALID(drive_section, mn_default_drive_key());
    VALID(event_section, mn_default_event_def());
    VALID(drain_section, mn_default_drain());
    VALID(probe_section, mn_default_probe_def());
    VALID(ragdoll_section, mn_default_ragdoll_def());
    VALID(chain_section, mn_default_chain_def());
    VALID(view_section, mn_default_view_def());
    VALID(caption_section, mn_default_caption_def());
    VALID(environment_section, mn_default_environment_def());
    VALID(light_section, mn_default_light_def());
    VALID(ground_section, mn_default_ground_def());
    VALID(solid_look_section, mn_default_solid_look());
    VALID(fluid_look_section, mn_default_fluid_look());
    mn_Error error = {0};
    mn_Shape shape = mn_default_shape();
    assert_int_equal(def_check_shape(&shape, 3, &error), MN_OK);
    mn_WorldDef world = mn_default_world_def();
    assert_int_equal(def_check_world(&world, &error), MN_OK);
    mn_Pose pose = mn_default_pose();
    assert_near(pose.rotation.w, 1, 0);
}

// Types of solids and joints that have keys of their own are valid with their defaults too.
static void defaults_of_all_types_are_valid(void** state)
{
    for (int type = MN_SOLID_STATIC; type <= MN_SOLID_ELASTIC; type++)
        for (int model = MN_ELASTIC_MASS_POINTS; model <= MN_ELASTIC_FEM; model++) {
            mn_SolidDef solid = mn_default_solid_def();
            solid.type = (mn_SolidType)type;
            solid.model = (mn_ElasticModel)model;
            expect_valid(&solid_section, &solid);
        }
    for (int type = MN_JOINT_BALL; type <= MN_JOINT_FIXED; type++) {
        mn_JointDef joint = mn_default_joint_def();
        joint.type = (mn_JointType)type;
        expect_valid(&joint_section, &joint);
    }
    for (int type = MN_EMITTER_BOX; type <= MN_EMITTER_SHAPE; type++) {
        mn_Emitter emitter = mn_default_emitter();
        emitter.type = (mn_EmitterType)type;
        expect_valid(&emitter_section, &emitter);
    }
}

// --- zero

static bool is_number(const Key* key)
{
    return key->type == KEY_NUMBER || key->type == KEY_COUNT || key->type == KEY_PAIR || key->type == KEY_VECTOR ||
           key->type == KEY_POINT || key->type == KEY_COLOUR;
}

static size_t count_words(const Section* section)
{
    size_t count = 0;
    for (size_t k = 0; k < section->key_count; k++) {
        const Key* key = &section->keys[k];
        if (key->section)
            count += count_words(key->section);
        if (!key->word || !is_number(key))
            continue;
        count++;
        if (key->word_value != MN_AUTO && isfinite(key->word_value))
            fail_msg("%s.%s: \"%s\" is stored as %g, expected MN_AUTO, infinity or NaN", section->path, key->name, key->word,
                     key->word_value);
    }
    return count;
}

static void words_are_never_stored_as_zero(void** state)
{
    assert_true(count_words(&scene_section) > 25);
}

static void zeroed_defs_are_refused_or_mean_zero(void** state)
{
    mn_Error error = {0};
    assert_int_equal(def_check_world(&(mn_WorldDef){0}, &error), MN_BAD_INPUT);
    assert_int_equal(def_check(&fluid_section, &TANK, &(mn_FluidDef){0}, &error), MN_BAD_INPUT);
    assert_int_equal(def_check(&solid_section, &TANK, &(mn_SolidDef){0}, &error), MN_BAD_INPUT);
    mn_SolverDef solver = mn_default_solver_def();
    solver.time_step = 0;
    assert_int_equal(def_check(&solver_section, &TANK, &solver, &error), MN_BAD_INPUT);
    assert_string_equal(error.key, "time_step");
    mn_JointDef joint = mn_default_joint_def();
    joint.type = MN_JOINT_HINGE;
    joint.limits[0] = joint.limits[1] = 0;
    assert_int_equal(def_check(&joint_section, &TANK, &joint, &error), MN_BAD_INPUT);
    assert_string_equal(error.key, "limits");
    mn_Emitter emitter = mn_default_emitter();
    emitter.limit = 0; // emits nothing, which is a thing to say
    assert_int_equal(def_check(&emitter_section, &TANK, &emitter, &error), MN_OK);
}

// A failing key of a def within defs has its whole path.
static void keys_are_named_with_their_path(void** state)
{
    mn_Error error = {0};
    mn_Keyframe motion[] = {mn_default_keyframe(), mn_default_keyframe()};
    mn_PinDef pins[] = {mn_default_pin_def(), mn_default_pin_def()};
    mn_SolidDef solid = mn_default_solid_def();
    solid.type = MN_SOLID_ELASTIC;
    solid.pins = pins;
    solid.pin_count = 2;
    pins[1].motion = motion;
    pins[1].motion_count = 2;
    assert_int_equal(def_check(&solid_section, &TANK, &solid, &error), MN_BAD_INPUT);
    assert_string_equal(error.key, "pins.1.motion.1.time");
    pins[1].motion_count = 1;
    solid.shape.size.y = -1;
    assert_int_equal(def_check(&solid_section, &TANK, &solid, &error), MN_BAD_INPUT);
    assert_string_equal(error.key, "shape.box");
    assert_int_equal(def_check(&solid_section, &TANK, &solid, NULL), MN_BAD_INPUT); // nobody needs to ask why
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_valid),
        cmocka_unit_test(defaults_of_all_types_are_valid),
        cmocka_unit_test(words_are_never_stored_as_zero),
        cmocka_unit_test(zeroed_defs_are_refused_or_mean_zero),
        cmocka_unit_test(keys_are_named_with_their_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
