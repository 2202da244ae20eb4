// SPDX-License-Identifier: MIT
// A simulation that becomes invalid: status 1, the place is named, and the last good checkpoint is kept. No scene does that
// on purpose, so the velocities of a checkpoint are made impossible, with checksums that are right.
#include "io/io_support.h"

#include "io/checkpoint.h"
#include <sys/wait.h>

static const char scene[] = "{\"dimension\": 2, \"particle_radius\": 0.02, \"duration\": 0.04, \"frame_rate\": 50,"
                            " \"solver\": {\"method\": \"iisph\"},"
                            " \"fluids\": [{\"name\": \"water\", \"blocks\": [{\"min\": [0, 0], \"max\": [0.2, 0.2]}]}]}";

static int run_command(const char* folder, const char* words)
{
    char command[1024];
    snprintf(command, sizeof command, "cd %s && %s/bin/meniscus %s >out.txt 2>err.txt", folder, MENISCUS_BINARY_DIR, words);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Writes the checkpoint again with every velocity replaced.
static void spoil_velocities(const char* path, float value)
{
    Checkpoint checkpoint;
    CheckpointOut out;
    mn_Error error = {0};
    bool found = false;
    assert_int_equal(checkpoint_open(&checkpoint, path, &error), MN_OK);
    assert_int_equal(checkpoint_begin(&out, path, &error), MN_OK);
    for (size_t k = 0; k < checkpoint.section_count; k++) {
        const CheckpointSection* section = &checkpoint.section[k];
        void* copy = malloc(section->bytes + 1);
        memcpy(copy, section->data, section->bytes);
        if (!strcmp(section->name, "fluid.velocity")) {
            found = true;
            for (size_t i = 0; i < section->bytes / sizeof(float); i++)
                if (i % 4 < 2)
                    ((float*)copy)[i] = value;
        }
        assert_true(checkpoint_section(&out, section->name, copy, section->bytes));
        free(copy);
    }
    assert_true(found);
    assert_int_equal(checkpoint_commit(&out, &error), MN_OK);
    checkpoint_close(&checkpoint);
}

static void invalid_state_ends_with_status_1(void** state)
{
    char path[300];
    snprintf(path, sizeof path, "%s/scene.json", (char*)*state);
    write_bytes(path, scene, sizeof scene - 1);
    assert_int_equal(run_command(*state, "run scene.json --out run --until 0.02 --quiet"), 0);
    snprintf(path, sizeof path, "%s/run/checkpoint.mnc", (char*)*state);
    spoil_velocities(path, NAN);
    FileBytes before = bytes_of(path);
    assert_int_equal(run_command(*state, "run scene.json --out run --resume"), 1);
    FileBytes after = bytes_of(path);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    snprintf(path, sizeof path, "%s/err.txt", (char*)*state);
    FileBytes words = bytes_of(path);
    assert_non_null(strstr(words.data, "particle"));
    assert_non_null(strstr(words.data, "step"));
    assert_non_null(strstr(words.data, "run/checkpoint.mnc"));
    file_bytes_free(&before);
    file_bytes_free(&after);
    file_bytes_free(&words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(invalid_state_ends_with_status_1, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
