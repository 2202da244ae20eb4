// SPDX-License-Identifier: MIT
#include "support.h"

#include "render/film.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* const path = MENISCUS_BINARY_DIR "/tests/test_film.mp4";

static bool have_ffmpeg(void)
{
    return system("ffmpeg -version >/dev/null 2>&1") == 0 && system("ffprobe -version >/dev/null 2>&1") == 0;
}

static void film_has_all_frames(void** state)
{
    if (!have_ffmpeg())
        skip();
    enum { FRAMES = 13 };
    mn_Error error = {0};
    Picture p;
    assert_true(picture_create(&p, 96, 64));
    Film* film = film_open(path, 96, 64, 25, &error);
    if (!film)
        fail_msg("%s", error.message);
    for (int k = 0; k < FRAMES; k++) {
        picture_fill(&p, (Vec3){(float)k / FRAMES, 0.5f, 0.2f});
        assert_int_equal(film_add(film, &p, &error), MN_OK);
    }
    assert_int_equal(access(path, F_OK), -1); // not there before it is whole
    assert_int_equal(film_close(film, &error), MN_OK);
    char command[1024], answer[64] = "";
    snprintf(
        command, sizeof command,
        "ffprobe -v error -count_frames -show_entries stream=nb_read_frames,width,height,r_frame_rate,pix_fmt -of csv=p=0 '%s'",
        path);
    FILE* probe = popen(command, "r");
    assert_non_null(fgets(answer, sizeof answer, probe));
    pclose(probe);
    answer[strcspn(answer, "\n")] = 0;
    assert_string_equal(answer, "96,64,yuv420p,25/1,13");
    picture_free(&p);
    unlink(path);
}

static void odd_sizes_and_bad_places_are_refused(void** state)
{
    mn_Error error = {0};
    assert_null(film_open(path, 95, 64, 25, &error));
    assert_int_equal(error.result, MN_BAD_INPUT);
    assert_null(film_open(path, 96, 64, 0, &error));
    assert_int_equal(error.result, MN_BAD_INPUT);
    assert_null(film_open("/nowhere/at/all.mp4", 96, 64, 25, &error));
    assert_int_equal(error.result, MN_IO_FAILED);
}

static void missing_ffmpeg_is_explained(void** state)
{
    char* old = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    mn_Error error = {0};
    Film* film = film_open(path, 96, 64, 25, &error);
    setenv("PATH", old, 1);
    free(old);
    assert_null(film);
    assert_int_equal(error.result, MN_IO_FAILED);
    assert_non_null(strstr(error.message, "ffmpeg"));
    assert_int_equal(access(path, F_OK), -1);
}

// an ffmpeg that fails is reported with its words; no file is left, and the process lives on
static void a_dying_ffmpeg_is_an_error(void** state)
{
    char folder[] = MENISCUS_BINARY_DIR "/tests/fake_XXXXXX", name[256];
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/ffmpeg", folder);
    FILE* script = fopen(name, "w");
    fprintf(script, "#!/bin/sh\necho no such codec >&2\nexit 1\n");
    fclose(script);
    char command[512], *old = strdup(getenv("PATH"));
    snprintf(command, sizeof command, "chmod +x '%s'", name);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s:/bin", folder);
    setenv("PATH", command, 1);
    mn_Error error = {0};
    Picture p;
    assert_true(picture_create(&p, 512, 512));
    Film* film = film_open(path, 512, 512, 25, &error);
    assert_non_null(film);
    mn_Result result = MN_OK;
    for (int k = 0; k < 20 && result == MN_OK; k++)
        result = film_add(film, &p, &error);
    assert_int_equal(result, MN_IO_FAILED);
    film_abandon(film);
    setenv("PATH", old, 1);
    free(old);
    assert_non_null(strstr(error.message, "no such codec"));
    assert_int_equal(access(path, F_OK), -1);
    picture_free(&p);
    unlink(name);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(film_has_all_frames),
        cmocka_unit_test(odd_sizes_and_bad_places_are_refused),
        cmocka_unit_test(missing_ffmpeg_is_explained),
        cmocka_unit_test(a_dying_ffmpeg_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
