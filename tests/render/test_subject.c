// SPDX-License-Identifier: MIT
#include "support.h"

#include "render/survey.h"
#include <meniscus/output.h>
#include <meniscus/scene.h>
#include <meniscus/world.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* const path = MENISCUS_BINARY_DIR "/tests/test_subject.json";

static void write_scene(const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void open_scene(Subject* subject, Survey* survey, mn_ColourBy colour, bool boundary)
{
    mn_Error error = {0};
    char text[1024];
    mn_ViewDef view = mn_default_view_def();
    view.colour = colour;
    if (subject_open(subject, path, NULL, 0, &error) != MN_OK || (boundary && subject_show_boundary(subject, &error) != MN_OK) ||
        subject_load(subject, 0, &error) != MN_OK || survey_subject(survey, subject, &view, 0, 0, &error) != MN_OK)
        fail_msg("%s", mn_error_text(&error, text, sizeof text));
    unlink(path);
}

static const char* const tank_scene =
    "{\"name\": \"t\", \"particle_radius\": 0.02, \"duration\": 1, \"frame_rate\": 50,"
    " \"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.4, 0.4, 0.5], \"velocity\": [1.7, 0, 0]}]}],"
    " \"solids\": [{\"name\": \"tank\", \"type\": \"static\", \"shape\": {\"box\": [2, 1, 0.5]}, \"position\": [1, 0.5, 0.25],"
    "               \"inside\": true},"
    "              {\"name\": \"ball\", \"type\": \"static\", \"shape\": {\"sphere\": 0.1}, \"position\": [1.5, 0.3, 0.25]},"
    "              {\"name\": \"ghost\", \"type\": \"static\", \"shape\": {\"sphere\": 0.1}, \"position\": [9, 0, 0],"
    "               \"visible\": false}]}";

// the picture shows the container, whole, and nothing that is not visible
static void the_camera_shows_the_container(void** state)
{
    Subject s;
    Survey v;
    write_scene(tank_scene);
    open_scene(&s, &v, MN_COLOUR_SPEED, false);
    assert_int_equal(s.solid_count, 2);
    assert_near(v.box.min.x, 0, 0.03);
    assert_near(v.box.max.x, 2, 0.03);
    assert_near(v.box.max.y, 1, 0.03);
    assert_near(v.range[0], 0, 0);
    assert_near(v.range[1], 2, 1e-9);
    assert_int_equal(survey_look(&v, &s, 0), LOOK_CONTAINER);
    assert_int_equal(survey_look(&v, &s, 1), LOOK_SOLID);
    Camera camera = survey_camera(&v, &s, &s.scene->view);
    assert_false(camera.orthographic);
    for (int k = 0; k < 8; k++) {
        double x, y, depth;
        assert_true(camera_project(&camera, vec3d(k & 1 ? 2 : 0, k & 2 ? 1 : 0, k & 4 ? 0.5 : 0), &x, &y, &depth));
        assert_true(x > 0 && y > 0 && x < camera.width && y < camera.height);
    }
    float* scalar;
    assert_true(subject_scalar(&s, MN_COLOUR_SPEED, &scalar));
    assert_near((double)scalar[0], 1.7, 1e-5);
    free(scalar);
    subject_close(&s);
}

// boundary particles come on demand; those on walls towards the eye can be dropped
static void boundary_particles_leave_the_view_free(void** state)
{
    Subject s;
    Survey v;
    write_scene(tank_scene);
    open_scene(&s, &v, MN_COLOUR_SPEED, true);
    size_t all = s.boundary_count;
    assert_true(all > 1000);
    Vec3d eye = {1, 0.5, 10};
    subject_drop_front(&s, eye);
    assert_true(s.boundary_count < all && s.boundary_count > all / 2);
    size_t front = 0, back = 0;
    for (size_t i = 0; i < s.boundary_count; i++) {
        const float* p = s.boundary + 3 * i;
        bool middle = p[0] > 0.1f && p[0] < 1.9f && p[1] > 0.1f && p[1] < 0.9f;
        front += middle && p[2] > 0.45f;
        back += middle && p[2] < 0.05f;
    }
    assert_int_equal(front, 0);
    assert_true(back > 100);
    subject_close(&s);
}

// What a solid around a fluid is shown as.
static SolidLook look_of(const char* block, const char* shape, const char* more)
{
    char text[2048];
    Subject s;
    Survey v;
    snprintf(text, sizeof text,
             "{\"name\": \"t\", \"particle_radius\": 0.02, \"duration\": 1, \"fluids\": [{\"name\": \"water\", \"blocks\": [%s]}],"
             " \"solids\": [{\"name\": \"cup\", \"shape\": {%s}, \"position\": [0, 0.2, 0] %s}]}",
             block, shape, more);
    write_scene(text);
    open_scene(&s, &v, MN_COLOUR_SPEED, false);
    SolidLook look = s.solid_count ? survey_look(&v, &s, 0) : LOOK_SOLID;
    assert_int_equal(s.solid_count, strstr(more, "hidden") ? 0 : 1);
    subject_close(&s);
    return look;
}

// a vessel is seen through only if nothing of the fluid were seen otherwise, and never against a colour; a finish decides
static void finishes_decide_what_is_seen_through(void** state)
{
    const char *low = "{\"min\": [-0.2, 0, -0.2], \"max\": [0.2, 0.1, 0.2]}",
               *high = "{\"min\": [-0.2, 0, -0.2], \"max\": [0.2, 0.5, 0.2]}";
    const char *ring = "\"torus\": [0.6, 0.25]", *box = "\"box\": [1, 1, 1]";
    assert_int_equal(look_of(low, ring, ""), LOOK_TANK);
    assert_int_equal(look_of(high, ring, ""), LOOK_SOLID);
    assert_int_equal(look_of(low, ring, ", \"colour\": [1, 0.5, 0]"), LOOK_SOLID);
    assert_int_equal(look_of(low, ring, ", \"finish\": \"solid\""), LOOK_SOLID);
    assert_int_equal(look_of(low, ring, ", \"finish\": \"glass\", \"colour\": [1, 0.5, 0]"), LOOK_GLASS);
    assert_int_equal(look_of(low, box, ", \"inside\": true"), LOOK_CONTAINER);
    assert_int_equal(look_of(low, box, ", \"inside\": true, \"finish\": \"solid\""), LOOK_SOLID);
    assert_int_equal(look_of(low, box, ", \"inside\": true, \"finish\": \"wire\""), LOOK_EDGES);
    look_of(low, box, ", \"inside\": true, \"finish\": \"hidden\"");
}

// all solids are framed, and emitters with their stream; a floor much larger than the rest is not; the ground lies below all of
// them
static void framing_shows_solids_and_streams(void** state)
{
    Subject s;
    Survey v;
    write_scene("{\"name\": \"t\", \"particle_radius\": 0.02, \"duration\": 1,"
                " \"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [0, 0.1, 0], \"max\": [0.6, 0.5, 0.6]}],"
                "   \"emitters\": [{\"type\": \"disc\", \"position\": [-0.5, 1, 0.3], \"direction\": [-1, 0, 0], \"radius\": 0.1, "
                "\"speed\": 2}]}],"
                " \"solids\": [{\"name\": \"far\", \"shape\": {\"sphere\": 0.1}, \"position\": [3, 0.3, 0]},"
                "   {\"name\": \"pit\", \"shape\": {\"box\": [0.2, 0.4, 0.2]}, \"position\": [1, -0.5, 0]},"
                "   {\"name\": \"floor\", \"shape\": {\"box\": [90, 0.1, 90]}, \"position\": [0, -0.05, 0]}]}");
    open_scene(&s, &v, MN_COLOUR_SPEED, false);
    assert_near(v.box.max.x, 3.1, 0.02);
    // 1.7 m down to the pit's bottom at 2 m/s
    assert_true(v.box.min.x <= -0.5 - 2 * sqrt(2 * 1.7 / 9.81) && v.box.min.x > -3);
    assert_near(v.box.max.y, 1.1, 0.02);
    assert_true(v.box.max.z < 5);
    assert_true(v.ground <= -0.7 && v.ground > -0.75 && v.stands_solid);
    subject_close(&s);
}

// A run of two frames, at the start and at 0.4 s.
static void write_run(const char* folder)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_load(path, NULL, 0, &error);
    mn_World* world = scene ? mn_scene_build(scene, &error) : NULL;
    mn_Run* run = world ? mn_run_create(folder, scene, world, true, &error) : NULL;
    bool ok = run && mn_run_frame(run, world, &error) == MN_OK && mn_world_advance(world, 0.4, NULL, NULL, &error) == MN_OK &&
              mn_run_frame(run, world, &error) == MN_OK;
    char text[1024];
    if (mn_run_close(run, &error) != MN_OK || !ok)
        fail_msg("%s", mn_error_text(&error, text, sizeof text));
    mn_world_destroy(world);
    mn_scene_free(scene);
}

// a stream from high above a small plate is framed up to its nozzle, though there was no fluid at the start
static void framing_shows_streams_of_runs(void** state)
{
    const char* folder = MENISCUS_BINARY_DIR "/tests/test_subject_run";
    write_scene("{\"name\": \"t\", \"particle_radius\": 0.01, \"duration\": 0.4, \"frame_rate\": 2.5,"
                " \"fluids\": [{\"name\": \"water\", \"emitters\": [{\"type\": \"disc\", \"position\": [0, 1, 0],"
                "   \"direction\": [0, -1, 0], \"radius\": 0.03, \"speed\": 0.5}]}],"
                " \"solids\": [{\"name\": \"plate\", \"shape\": {\"box\": [0.2, 0.02, 0.2]}, \"position\": [0, 0.3, 0]}]}");
    write_run(folder);
    unlink(path);
    Subject s;
    Survey v;
    mn_Error error = {0};
    mn_ViewDef view = mn_default_view_def();
    assert_int_equal(subject_open(&s, folder, NULL, 0, &error), MN_OK);
    assert_int_equal(s.frame_count, 2);
    assert_int_equal(survey_subject(&v, &s, &view, 0, 1, &error), MN_OK);
    assert_near(v.box.max.y, 1, 0.03);
    subject_close(&s);
}

// a vessel that is carried away with its water is seen through as one that stands
static void carried_vessels_are_seen_through(void** state)
{
    const char* folder = MENISCUS_BINARY_DIR "/tests/test_subject_carried";
    write_scene(
        "{\"name\": \"t\", \"particle_radius\": 0.03, \"duration\": 0.4, \"frame_rate\": 2.5, \"gravity\": [0, 0, 0],"
        " \"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [-0.2, 0, -0.2], \"max\": [0.2, 0.1, 0.2],"
        "   \"velocity\": [4, 0, 0]}]}],"
        " \"solids\": [{\"name\": \"cup\", \"type\": \"kinematic\", \"shape\": {\"torus\": [0.6, 0.25]}, \"position\": [0, 0.2, 0],"
        "   \"motion\": [{\"time\": 0}, {\"time\": 0.4, \"position\": [1.6, 0.2, 0]}]}]}");
    write_run(folder);
    unlink(path);
    Subject s;
    Survey v;
    mn_Error error = {0};
    mn_ViewDef view = mn_default_view_def();
    assert_int_equal(subject_open(&s, folder, NULL, 0, &error), MN_OK);
    assert_int_equal(survey_subject(&v, &s, &view, 0, 1, &error), MN_OK);
    assert_true(v.fluid.max.x - v.fluid.min.x > 1.2); // as long as the way
    assert_int_equal(survey_look(&v, &s, 0), LOOK_TANK);
    subject_close(&s);
}

// a ring around the water is shown as a tank; z is up where gravity says so
static void tanks_and_up_are_recognised(void** state)
{
    Subject s;
    Survey v;
    write_scene(
        "{\"name\": \"t\", \"particle_radius\": 0.02, \"duration\": 1, \"frame_rate\": 50, \"gravity\": [0, 0.5, -9.81],"
        " \"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [-0.2, -0.2, 0], \"max\": [0.2, 0.2, 0.1]}]}],"
        " \"solids\": [{\"name\": \"ring\", \"type\": \"static\", \"shape\": {\"torus\": [0.6, 0.2]}, \"position\": [0, 0, 0.2],"
        "               \"rotation\": {\"axis\": [1, 0, 0], \"angle\": 90}}]}");
    open_scene(&s, &v, MN_COLOUR_DENSITY, false);
    Vec3d up = subject_up(&s);
    assert_near(up.z, 1, 0);
    assert_int_equal(survey_look(&v, &s, 0), LOOK_TANK);
    Camera camera = survey_camera(&v, &s, &s.scene->view);
    assert_true(camera.eye.z > v.box.max.z && camera.forward.z < 0);
    assert_true(v.range[0] < v.range[1] && v.range[0] >= 800 && v.range[1] <= 1300);
    subject_close(&s);
}

static void flat_scenes_are_seen_from_the_front(void** state)
{
    Subject s;
    Survey v;
    write_scene(
        "{\"name\": \"t\", \"dimension\": 2, \"particle_radius\": 0.02, \"duration\": 1, \"frame_rate\": 50,"
        " \"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.4, 0.4, 0]}]}],"
        " \"solids\": [{\"name\": \"tank\", \"type\": \"static\", \"shape\": {\"box\": [2, 1, 1]}, \"position\": [1, 0.5, 0],"
        "               \"inside\": true}]}");
    open_scene(&s, &v, MN_COLOUR_SPEED, false);
    Camera camera = survey_camera(&v, &s, &s.scene->view);
    assert_true(camera.orthographic);
    assert_near(camera.forward.z, -1, 1e-12);
    assert_near(camera.right.x, 1, 1e-12);
    subject_close(&s);
}

static void missing_sources_are_bad_input(void** state)
{
    Subject s;
    mn_Error error = {0};
    assert_int_equal(subject_open(&s, "/nowhere/at/all", NULL, 0, &error), MN_BAD_INPUT);
    assert_string_equal(error.file, "/nowhere/at/all");
    assert_int_equal(subject_open(&s, MENISCUS_BINARY_DIR "/tests", NULL, 0, &error), MN_BAD_INPUT);
    write_scene("{\"name\": 7}");
    assert_int_equal(subject_open(&s, path, NULL, 0, &error), MN_BAD_INPUT);
    unlink(path);
    subject_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_camera_shows_the_container),   cmocka_unit_test(boundary_particles_leave_the_view_free),
        cmocka_unit_test(tanks_and_up_are_recognised),      cmocka_unit_test(finishes_decide_what_is_seen_through),
        cmocka_unit_test(framing_shows_solids_and_streams), cmocka_unit_test(flat_scenes_are_seen_from_the_front),
        cmocka_unit_test(framing_shows_streams_of_runs),    cmocka_unit_test(missing_sources_are_bad_input),
        cmocka_unit_test(carried_vessels_are_seen_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
