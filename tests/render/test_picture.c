// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "render/caption.h"
#include "render/text.h"
#include <png.h>
#include <string.h>
#include <unistd.h>

static const char* const path = MENISCUS_BINARY_DIR "/tests/test_picture.png";

// what we write, libpng's own reader reads
static void png_round_trip(void** state)
{
    Picture p, q;
    mn_Error error;
    Random random = {1};
    assert_true(picture_create(&p, 61, 37));
    for (int i = 0; i < 61 * 37 * 3; i++)
        p.rgb[i] = (uint8_t)random_next(&random);
    assert_int_equal(picture_write_png(&p, path, &error), MN_OK);
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_int_equal(image.width, 61);
    assert_int_equal(image.height, 37);
    image.format = PNG_FORMAT_RGB;
    uint8_t back[61 * 37 * 3];
    assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
    assert_memory_equal(back, p.rgb, sizeof back);
    assert_int_equal(picture_read_png(&q, path, &error), MN_OK);
    assert_memory_equal(q.rgb, p.rgb, sizeof back);
    picture_free(&p);
    picture_free(&q);
    unlink(path);
}

static void failures_say_where(void** state)
{
    Picture p;
    mn_Error error;
    assert_true(picture_create(&p, 4, 4));
    assert_int_equal(picture_write_png(&p, "/nowhere/at/all.png", &error), MN_IO_FAILED);
    assert_string_equal(error.file, "/nowhere/at/all.png");
    // a full disk: the temporary name leads to a device that takes nothing
    char part[512];
    snprintf(part, sizeof part, "%s.part", path);
    unlink(part);
    if (access("/dev/full", W_OK) == 0 && symlink("/dev/full", part) == 0) {
        assert_int_equal(picture_write_png(&p, path, &error), MN_IO_FAILED);
        assert_int_equal(access(path, F_OK), -1);
        assert_int_equal(access(part, F_OK), -1);
    }
    picture_free(&p);
    assert_int_equal(picture_read_png(&p, "/nowhere/at/all.png", &error), MN_IO_FAILED);
    assert_null(p.rgb);
    assert_false(picture_create(&p, 0, 4));
    assert_false(picture_create(&p, 4, PICTURE_MAX_SIZE + 1));
}

static double ink(const Picture* p)
{
    double sum = 0;
    for (int i = 0; i < p->width * p->height * 3; i++)
        sum += (255 - p->rgb[i]) / 255.0 / 3;
    return sum;
}

// every printable letter draws something of its own, within its width
static void letters_differ_and_stay_in_their_box(void** state)
{
    enum { W = 40, H = 48 };
    static uint8_t seen[128][W * H * 3];
    for (int c = 33; c < 127; c++) {
        Picture p;
        assert_true(picture_create(&p, W, H));
        picture_fill(&p, (Vec3){1, 1, 1});
        char text[2] = {(char)c, 0};
        text_draw(&p, text, 8, 34, 20, TEXT_LEFT, (Vec3){0, 0, 0}, 1);
        if (!(ink(&p) > 4))
            fail_msg("letter %c draws nothing", c);
        double right = 8 + text_width(text, 20) + 3;
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                if (p.rgb[3 * (y * W + x)] < 128 && (x < 5 || x > right || y < 10 || y > 42))
                    fail_msg("letter %c leaves its box at %d, %d", c, x, y);
        memcpy(seen[c], p.rgb, sizeof seen[c]);
        for (int d = 33; d < c; d++)
            if (!memcmp(seen[d], seen[c], sizeof seen[c]))
                fail_msg("%c and %c look the same", d, c);
        picture_free(&p);
    }
}

// broken UTF-8, huge coordinates and empty texts do no harm
static void any_text_may_be_drawn(void** state)
{
    Picture p;
    assert_true(picture_create(&p, 64, 32));
    const char* texts[] = {"", "\xff\xfe", "\xc3", "\xe2\x82", "\xf0\x9f\x92\xa7", "kg/m\xc2\xb3", "\x01\x02\x7f"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        text_draw(&p, texts[k], -20, 20, 16, TEXT_LEFT, (Vec3){1, 1, 1}, 1);
        double before = ink(&p);
        text_draw(&p, texts[k], 1e7, -1e7, 16, TEXT_RIGHT, (Vec3){1, 1, 1}, 1);
        assert_near(ink(&p), before, 0);
    }
    // what cannot be read is a sign of its own: one per byte that begins nothing, one per character without a letter
    double sign = text_width("\xc3", 16);
    assert_near(text_width("", 16), 0, 0);
    assert_true(sign > 4 && sign < 16);
    assert_near(text_width("\xf0\x9f\x92\xa7", 16), sign, 0);
    assert_near(text_width("\xff\xfe", 16), text_width("\xe2\x82", 16), 0);
    assert_true(text_width("\xff\xfe", 16) > 2 * sign);
    assert_true(text_width("mm", 16) > text_width("m", 16) + 10);
    picture_free(&p);
}

static void strokes_and_rectangles_cover_their_area(void** state)
{
    Picture p;
    assert_true(picture_create(&p, 100, 100));
    picture_fill(&p, (Vec3){1, 1, 1});
    picture_blend_rect(&p, 10.25, 20.5, 30.75, 25.25, (Vec3){0, 0, 0}, 1);
    assert_near(ink(&p), 20.5 * 4.75, 0.5);
    picture_fill(&p, (Vec3){1, 1, 1});
    picture_stroke(&p, 20, 30, 80, 60, 3, (Vec3){0, 0, 0}, 1);
    assert_near(ink(&p), 3 * hypot(60, 30) + 3.14159 * 1.5 * 1.5, 4);
    picture_free(&p);
}

static void scales_end_on_round_numbers(void** state)
{
    assert_near(nice_step(3, 6), 0.5, 1e-12);
    assert_near(nice_step(0.07, 5), 0.02, 1e-12);
    assert_near(nice_end(2.87), 3, 1e-12);
    assert_near(nice_end(1013), 1200, 1e-9);
    assert_near(nice_end(0.5), 0.5, 1e-12);
    assert_near(nice_end(0), 1, 0);
    assert_near(nice_end((double)NAN), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_round_trip),
        cmocka_unit_test(failures_say_where),
        cmocka_unit_test(letters_differ_and_stay_in_their_box),
        cmocka_unit_test(any_text_may_be_drawn),
        cmocka_unit_test(strokes_and_rectangles_cover_their_area),
        cmocka_unit_test(scales_end_on_round_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
