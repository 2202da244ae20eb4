// SPDX-License-Identifier: MIT
#include "io_support.h"

#include "io/checkpoint.h"
#include "io/crc32.h"

static void write_example(const char* path)
{
    CheckpointOut out;
    unsigned char data[300];
    for (size_t k = 0; k < sizeof data; k++)
        data[k] = (unsigned char)(k * 7);
    assert_int_equal(checkpoint_begin(&out, path, NULL), MN_OK);
    assert_true(checkpoint_section(&out, "position", data, sizeof data));
    assert_true(checkpoint_section(&out, "nothing", NULL, 0));
    assert_true(checkpoint_section(&out, "time", data, 64));
    assert_int_equal(checkpoint_commit(&out, NULL), MN_OK);
}

static void checksum_is_the_standard_one(void** state)
{
    assert_int_equal(crc32_update(0, "123456789", 9), 0xcbf43926u);
    // in pieces too
    assert_int_equal(crc32_update(crc32_update(0, "1234", 4), "56789", 5), 0xcbf43926u);
}

static void sections_come_back(void** state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/c.mnc", (char*)*state);
    write_example(path);
    Checkpoint checkpoint;
    assert_int_equal(checkpoint_open(&checkpoint, path, NULL), MN_OK);
    assert_int_equal(checkpoint.section_count, 3);
    size_t bytes = 1;
    const unsigned char* data = checkpoint_find(&checkpoint, "position", &bytes);
    assert_non_null(data);
    assert_int_equal(bytes, 300);
    assert_int_equal((uintptr_t)data % 64, 0);
    for (size_t k = 0; k < bytes; k++)
        assert_int_equal(data[k], (unsigned char)(k * 7));
    assert_non_null(checkpoint_find(&checkpoint, "nothing", &bytes));
    assert_int_equal(bytes, 0);
    assert_null(checkpoint_find(&checkpoint, "velocity", &bytes));
    checkpoint_close(&checkpoint);
    assert_true(checkpoint_is_one(path));
}

// each single byte changed, each length shorter, and anything longer: an error that names the file
static void any_damage_is_noticed(void** state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/c.mnc", (char*)*state);
    write_example(path);
    FileBytes bytes = bytes_of(path);
    Checkpoint checkpoint;
    for (size_t k = 0; k < bytes.size; k++) {
        bytes.data[k] ^= 0x10;
        write_bytes(path, bytes.data, bytes.size);
        bytes.data[k] ^= 0x10;
        mn_Error error = {0};
        if (checkpoint_open(&checkpoint, path, &error) != MN_BAD_INPUT)
            fail_msg("a changed byte %zu was not noticed", k);
        assert_string_equal(error.file, path);
        assert_int_equal(checkpoint.section_count, 0);
    }
    for (size_t size = 0; size < bytes.size; size++) {
        write_bytes(path, bytes.data, size);
        if (checkpoint_open(&checkpoint, path, NULL) != MN_BAD_INPUT)
            fail_msg("a file cut at %zu was not noticed", size);
    }
    char* longer = calloc(bytes.size + 64, 1);
    memcpy(longer, bytes.data, bytes.size);
    write_bytes(path, longer, bytes.size + 64);
    assert_int_equal(checkpoint_open(&checkpoint, path, NULL), MN_BAD_INPUT);
    free(longer);
    write_bytes(path, bytes.data, bytes.size);
    assert_int_equal(checkpoint_open(&checkpoint, path, NULL), MN_OK);
    checkpoint_close(&checkpoint);
    file_bytes_free(&bytes);
}

// a whole file of another version says so, instead of "damaged"
static void other_version_is_named(void** state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/c.mnc", (char*)*state);
    write_example(path);
    FileBytes bytes = bytes_of(path);
    uint32_t version = CHECKPOINT_VERSION + 1;
    memcpy(bytes.data + 8, &version, sizeof version);
    uint32_t crc = crc32_update(0, bytes.data, 60);
    memcpy(bytes.data + 60, &crc, sizeof crc);
    write_bytes(path, bytes.data, bytes.size);
    Checkpoint checkpoint;
    mn_Error error = {0};
    assert_int_equal(checkpoint_open(&checkpoint, path, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "version 2"));
    file_bytes_free(&bytes);
}

// what is missing or goes wrong leaves the old checkpoint as it was
static void failed_writing_keeps_the_old_one(void** state)
{
    char path[256], too_long[CHECKPOINT_NAME + 8];
    snprintf(path, sizeof path, "%s/c.mnc", (char*)*state);
    write_example(path);
    memset(too_long, 'n', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = 0;
    CheckpointOut out;
    mn_Error error = {0};
    assert_int_equal(checkpoint_begin(&out, path, NULL), MN_OK);
    assert_false(checkpoint_section(&out, too_long, "x", 1));
    assert_int_equal(checkpoint_commit(&out, &error), MN_IO_FAILED);
    assert_int_equal(checkpoint_begin(&out, path, NULL), MN_OK);
    assert_true(checkpoint_section(&out, "x", "x", 1));
    checkpoint_spoil(&out); // the state's owner gave up
    assert_int_equal(checkpoint_commit(&out, &error), MN_OUT_OF_MEMORY);
    assert_non_null(strstr(error.message, "no memory"));
    Checkpoint checkpoint;
    assert_int_equal(checkpoint_open(&checkpoint, path, NULL), MN_OK);
    assert_int_equal(checkpoint.section_count, 3);
    checkpoint_close(&checkpoint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksum_is_the_standard_one),
        cmocka_unit_test_setup_teardown(sections_come_back, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(any_damage_is_noticed, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(other_version_is_named, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(failed_writing_keeps_the_old_one, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
