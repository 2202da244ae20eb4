// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/error.h"
#include <string.h>

static void set_fills_and_returns(void** state)
{
    mn_Error error;
    memset(&error, 0x55, sizeof error);
    assert_int_equal(error_set(&error, MN_BAD_INPUT, "density is %g, must be above %d", -1.5, 0), MN_BAD_INPUT);
    assert_int_equal(error.result, MN_BAD_INPUT);
    assert_string_equal(error.message, "density is -1.5, must be above 0");
    assert_string_equal(error.file, "");
    assert_string_equal(error.key, "");
    assert_int_equal(error.line, 0);
    assert_int_equal(error.column, 0);
}

static void nobody_needs_to_listen(void** state)
{
    assert_int_equal(error_set(NULL, MN_IO_FAILED, "%s", "no"), MN_IO_FAILED);
    error_at(NULL, "file", 1, 1);
    error_key(NULL, "key");
}

static void long_texts_are_cut_and_ended(void** state)
{
    char word[2000];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = 0;
    mn_Error error;
    error_set(&error, MN_BAD_INPUT, "%s", word);
    error_at(&error, word, 1, 1);
    error_key(&error, "%s", word);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    assert_int_equal(strlen(error.key), sizeof error.key - 1);
    char text[32];
    assert_ptr_equal(mn_error_text(&error, text, sizeof text), text);
    assert_int_equal(strlen(text), sizeof text - 1);
}

static void text_names_the_place(void** state)
{
    mn_Error error;
    char text[1024];
    error_set(&error, MN_BAD_INPUT, "is odd");
    assert_string_equal(mn_error_text(&error, text, sizeof text), "is odd");
    error_key(&error, "fluids.%d.density", 2);
    assert_string_equal(mn_error_text(&error, text, sizeof text), "fluids.2.density: is odd");
    error_at(&error, "tank.json", 0, 0);
    assert_string_equal(mn_error_text(&error, text, sizeof text), "tank.json: fluids.2.density: is odd");
    error_at(&error, NULL, 7, 0);
    assert_string_equal(mn_error_text(&error, text, sizeof text), "tank.json:7: fluids.2.density: is odd");
    error_at(&error, NULL, 7, 12);
    assert_string_equal(mn_error_text(&error, text, sizeof text), "tank.json:7:12: fluids.2.density: is odd");
}

static void nearest_word_finds_what_was_meant(void** state)
{
    const char* words[] = {"density", "viscosity", "velocity", "min", "max", "name"};
    size_t count = sizeof words / sizeof *words;
    assert_string_equal(nearest_word("densty", words, count), "density");
    assert_string_equal(nearest_word("viscosty", words, count), "viscosity");
    assert_string_equal(nearest_word("velocitys", words, count), "velocity");
    assert_string_equal(nearest_word("mix", words, count), "min"); // as near as max: the first wins
    assert_string_equal(nearest_word("max", words, count), "max");
    assert_null(nearest_word("temperature", words, count));
    assert_null(nearest_word("densty", words, 0));
    assert_null(nearest_word("", words + 5, 1));
    char endless[5000];
    memset(endless, 'd', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    assert_null(nearest_word(endless, words, count));
}

static void version_is_that_of_the_header(void** state)
{
    char numbers[32];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", MN_VERSION_MAJOR, MN_VERSION_MINOR, MN_VERSION_PATCH);
    assert_string_equal(mn_version(), numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_fills_and_returns),
        cmocka_unit_test(nobody_needs_to_listen),
        cmocka_unit_test(long_texts_are_cut_and_ended),
        cmocka_unit_test(text_names_the_place),
        cmocka_unit_test(nearest_word_finds_what_was_meant),
        cmocka_unit_test(version_is_that_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
