// SPDX-License-Identifier: MIT
// A run folder from the inside: what the writer wrote is what the reader finds, and a resumed world is the same world.
#include "io_support.h"
#include "saved_state.h"

#include "io/run_folder.h"
#include "io/run_writer.h"

static const char scene_text[] =
    "{\"name\": \"two fluids\", \"dimension\": 2, \"gravity\": [0, -9.81], \"particle_radius\": 0.01, \"duration\": 1, "
    "\"frame_rate\": 50,"
    " \"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [0, 0], \"max\": [0.1, 0.2]}]},"
    "            {\"name\": \"oil\", \"density\": 800, \"blocks\": [{\"min\": [0.2, 0], \"max\": [0.4, 0.1]}]}],"
    " \"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [0.4, 0.4]}, \"position\": [0.2, 0.2], \"inside\": true},"
    "            {\"name\": \"gate\", \"type\": \"kinematic\", \"shape\": {\"box\": [0.02, 0.2]},"
    "             \"motion\": [{\"time\": 0, \"position\": [0.15, 0.12]}, {\"time\": 1, \"position\": [0.15, 0.62]}]}]}";

static mn_Scene* parse_scene(const char* set)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(scene_text, sizeof scene_text - 1, "test", NULL, &set, set ? 1 : 0, &error);
    if (!scene)
        fail_msg("%s: %s", error.key, error.message);
    return scene;
}

static mn_World* build_world(const mn_Scene* scene)
{
    mn_Error error = {0};
    mn_World* world = mn_scene_build(scene, &error);
    if (!world)
        fail_msg("%s", error.message);
    return world;
}

static void check(mn_Result result, const mn_Error* error)
{
    char text[1024];
    if (result != MN_OK)
        fail_msg("%s", mn_error_text(error, text, sizeof text));
}

static void write_frames(RunWriter* writer, mn_World* world, int64_t last)
{
    mn_Error error = {0};
    for (int64_t k = writer->progress.frame + 1; k <= last; k++) {
        check(mn_world_advance(world, (double)k / 50, NULL, NULL, &error), &error);
        check(run_writer_frame(writer, world, 0.5 * (double)k, &error), &error);
    }
}

static void reader_finds_what_was_written(void** state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/run", (char*)*state);
    mn_Scene* scene = parse_scene(NULL);
    mn_World* world = build_world(scene);
    RunWriter writer;
    mn_Error error = {0};
    check(run_writer_create(&writer, path, scene, world, false, &error), &error);
    write_frames(&writer, world, 3);
    check(run_writer_close(&writer, &error), &error);

    RunFolder run;
    check(run_folder_open(&run, path, &error), &error);
    assert_int_equal(run.frame_count, 4);
    assert_int_equal(run.frame_number[3], 3);
    assert_near(run.frame_time[3], 0.06, 1e-12);
    assert_non_null(run.solid_pose);
    // the gate rises half a metre per second, the tank stays
    assert_near(run.solid_pose[2 * 3 + 1].position.y, 0.15, 1e-6);
    assert_near(run.solid_pose[2 * 3 + 0].position.y, 0.2, 1e-9);
    assert_near(run.solid_pose[0 * 2 + 1].position.y, 0.12, 1e-9);

    // both fluids are in the frame, sorted by id, as the world has them
    Frame frame;
    check(run_folder_read_frame(&run, 3, &frame, &error), &error);
    mn_ParticleView particles = mn_world_particles(world);
    assert_int_equal(frame.count, particles.count);
    for (size_t k = 1; k < frame.count; k++)
        assert_true(frame.id[k] > frame.id[k - 1]);
    for (size_t k = 0; k < particles.count; k++) {
        size_t at = 0;
        while (frame.id[at] != particles.id[k])
            at++;
        assert_memory_equal(&frame.position[3 * at], &particles.position[4 * k], 3 * sizeof(float));
        assert_int_equal(frame.fluid[at], particles.fluid[k]);
        double rest = particles.fluid[k] ? 800 : 1000;
        assert_true(frame.density[at] == (float)((double)particles.density[k] * rest));
    }
    frame_free(&frame);
    assert_int_equal(run_folder_read_frame(&run, 4, &frame, &error), MN_BAD_INPUT);
    run_folder_close(&run);

    // a frame that lacks one of its fluids is no frame
    char file[300];
    snprintf(file, sizeof file, "%s/frames/oil_000003.vtp", path);
    assert_int_equal(unlink(file), 0);
    check(run_folder_open(&run, path, &error), &error);
    assert_int_equal(run.frame_count, 3);
    run_folder_close(&run);
    mn_world_destroy(world);
    mn_scene_free(scene);
}

static int steps_left;

static bool count_down(void* user)
{
    return --steps_left > 0;
}

// stopped between two frames and resumed in another world, every later state is the same
static void resumed_world_is_the_same_world(void** state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/run", (char*)*state);
    mn_Scene* scene = parse_scene(NULL);
    mn_World* world = build_world(scene);
    RunWriter writer;
    mn_Error error = {0};
    check(run_writer_create(&writer, path, scene, world, false, &error), &error);
    write_frames(&writer, world, 2);
    steps_left = 2;
    assert_int_equal(mn_world_advance(world, 0.06, count_down, NULL, &error), MN_INTERRUPTED);
    assert_true(mn_world_time(world) > 0.04 && mn_world_time(world) < 0.06);
    check(run_writer_checkpoint(&writer, world, 7, &error), &error);
    check(run_writer_close(&writer, &error), &error);

    mn_World* other = build_world(scene);
    RunWriter resumed;
    check(run_writer_resume(&resumed, path, scene, other, &error), &error);
    assert_int_equal(resumed.progress.frame, 2);
    assert_true(resumed.progress.seconds == 7);
    assert_true(mn_world_time(other) == mn_world_time(world));
    assert_same_state(other, world);
    write_frames(&resumed, other, 5);
    for (int64_t k = 3; k <= 5; k++)
        check(mn_world_advance(world, (double)k / 50, NULL, NULL, &error), &error);
    assert_same_state(other, world);
    assert_true(mn_world_stats(other).steps == mn_world_stats(world).steps);
    check(run_writer_close(&resumed, &error), &error);
    mn_world_destroy(other);
    mn_world_destroy(world);
    mn_scene_free(scene);
}

static void checkpoint_of_another_scene_is_refused(void** state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/run", (char*)*state);
    mn_Scene* scene = parse_scene(NULL);
    mn_World* world = build_world(scene);
    RunWriter writer;
    mn_Error error = {0};
    check(run_writer_create(&writer, path, scene, world, false, &error), &error);
    write_frames(&writer, world, 0);
    check(run_writer_checkpoint(&writer, world, 0, &error), &error);
    check(run_writer_close(&writer, &error), &error);
    mn_Scene* denser = parse_scene("fluids.0.density=1200");
    mn_World* other = build_world(denser);
    assert_int_equal(run_writer_resume(&writer, path, denser, other, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "1200"));
    run_writer_close(&writer, NULL);
    mn_world_destroy(other);
    mn_scene_free(denser);

    // but the length of the run, its name and the number of threads are free
    mn_Scene* longer = parse_scene("duration=3");
    other = build_world(longer);
    check(run_writer_resume(&writer, path, longer, other, &error), &error);
    check(run_writer_close(&writer, &error), &error);
    mn_world_destroy(other);
    mn_scene_free(longer);
    mn_world_destroy(world);
    mn_scene_free(scene);
}

// A checkpoint whose sums are right may still say what cannot be: a run that went on from frame -1e12 would never end.
static void impossible_progress_is_refused(void** state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/run", (char*)*state);
    mn_Scene* scene = parse_scene(NULL);
    static const int64_t frames[] = {2, -1000000000000, 1000000000000, 1, 4};
    for (size_t k = 0; k < sizeof frames / sizeof *frames; k++) {
        mn_World* world = build_world(scene);
        RunWriter writer;
        mn_Error error = {0};
        check(run_writer_create(&writer, path, scene, world, k > 0, &error), &error);
        write_frames(&writer, world, 2);
        steps_left = 1;
        assert_int_equal(mn_world_advance(world, 0.06, count_down, NULL, &error), MN_INTERRUPTED);
        writer.synced_frame = writer.progress.frame = frames[k];
        check(run_writer_checkpoint(&writer, world, 0, &error), &error);
        check(run_writer_close(&writer, &error), &error);
        mn_world_destroy(world);
        world = build_world(scene);
        assert_int_equal(run_writer_resume(&writer, path, scene, world, &error), k == 0 ? MN_OK : MN_BAD_INPUT);
        if (k > 0)
            assert_non_null(strstr(error.message, "damaged"));
        run_writer_close(&writer, NULL);
        mn_world_destroy(world);
    }
    mn_scene_free(scene);
}

static void places_are_told_apart(void** state)
{
    char path[256], file[300];
    snprintf(path, sizeof path, "%s/place", (char*)*state);
    assert_int_equal(run_place(path), RUN_PLACE_FREE);
    assert_int_equal(run_place_make(path, NULL), MN_OK);
    assert_int_equal(run_place(path), RUN_PLACE_FREE);
    snprintf(file, sizeof file, "%s/scene.json", path);
    write_bytes(file, "{}", 2);
    assert_int_equal(run_place(path), RUN_PLACE_FOREIGN); // somebody's scene
    assert_int_equal(run_place(file), RUN_PLACE_FOREIGN);
    snprintf(file, sizeof file, "%s/run.log", path);
    write_bytes(file, "", 0);
    assert_int_equal(run_place(path), RUN_PLACE_FREE); // a run that had not begun
    snprintf(file, sizeof file, "%s/stats.csv", path);
    write_bytes(file, RUN_STATS_COLUMNS "0,0\n", strlen(RUN_STATS_COLUMNS) + 4);
    assert_int_equal(run_place(path), RUN_PLACE_STARTED);
    snprintf(file, sizeof file, "%s/notes.txt", path);
    write_bytes(file, "mine", 4);
    assert_int_equal(run_place(path), RUN_PLACE_STARTED);
    assert_int_equal(run_place_clear(path, NULL), MN_OK);
    assert_int_equal(access(file, F_OK), 0);
    snprintf(file, sizeof file, "%s/stats.csv", path);
    assert_int_not_equal(access(file, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reader_finds_what_was_written, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(resumed_world_is_the_same_world, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(checkpoint_of_another_scene_is_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(impossible_progress_is_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(places_are_told_apart, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
