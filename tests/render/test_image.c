// SPDX-License-Identifier: MIT
// Pictures as light: the three formats, what is wrong with damaged files, looking between pixels, patterns.
#include "io/io_support.h"

#include "render/colour.h"
#include "render/pattern.h"
#include "render/picture.h"

static mn_Result read_bytes(const char* folder, const char* name, const void* bytes, size_t size, Image* image, mn_Error* error)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_bytes(path, bytes, size);
    return image_read(image, path, error);
}

static void assert_pixel(const Image* image, int x, int y, double r, double g, double b)
{
    Vec3 c = image->pixel[y * image->width + x];
    assert_near((double)c.x, r, 1e-3 * r + 1e-6);
    assert_near((double)c.y, g, 1e-3 * g + 1e-6);
    assert_near((double)c.z, b, 1e-3 * b + 1e-6);
}

#define HDR_HEAD "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n"

static void radiance_plain_and_packed(void** state)
{
    mn_Error error = {0};
    Image image;
    static const char plain[] = HDR_HEAD "-Y 1 +X 2\n\x80\x40\x20\x81\x80\x80\x80\x84";
    assert_int_equal(read_bytes(*state, "plain.hdr", plain, sizeof plain - 1, &image, &error), MN_OK);
    assert_int_equal(image.width, 2);
    assert_pixel(&image, 0, 0, 1, 0.5, 0.25);
    assert_pixel(&image, 1, 0, 8, 8, 8);
    image_free(&image);
    // a row of eight: red in a run, green as it is, blue and exponent in two runs
    static const char packed[] =
        HDR_HEAD "-Y 1 +X 8\n\x02\x02\x00\x08\x88\x80\x08\x00\x10\x20\x30\x40\x50\x60\x70\x84\x80\x84\x40\x88\x81";
    assert_int_equal(read_bytes(*state, "packed.hdr", packed, sizeof packed - 1, &image, &error), MN_OK);
    assert_pixel(&image, 0, 0, 1, 0, 1);
    assert_pixel(&image, 7, 0, 1, 0.875, 0.5);
    image_free(&image);
}

static void float_maps_of_both_byte_orders(void** state)
{
    mn_Error error = {0};
    Image image;
    // rows from the bottom
    static const char little[] = "PF\n1 2\n-1.0\n\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\0\x3f\0\0\0\x3f\0\0\0\x3f";
    assert_int_equal(read_bytes(*state, "a.pfm", little, sizeof little - 1, &image, &error), MN_OK);
    assert_pixel(&image, 0, 1, 1, 2, 3);
    assert_pixel(&image, 0, 0, 0.5, 0.5, 0.5);
    image_free(&image);
    static const char big[] = "Pf\n2 1\n1.0\n\x3f\x80\0\0\xbf\x80\0\0";
    assert_int_equal(read_bytes(*state, "b.pfm", big, sizeof big - 1, &image, &error), MN_OK);
    assert_pixel(&image, 0, 0, 1, 1, 1);
    assert_pixel(&image, 1, 0, 0, 0, 0); // no light is negative
    image_free(&image);
}

static void png_is_made_linear(void** state)
{
    char path[300];
    Picture picture;
    Image image;
    mn_Error error = {0};
    snprintf(path, sizeof path, "%s/a.png", (char*)*state);
    assert_true(picture_create(&picture, 2, 2));
    picture_fill(&picture, (Vec3){0.5f, 0.25f, 1});
    assert_int_equal(picture_write_png(&picture, path, &error), MN_OK);
    assert_int_equal(image_read(&image, path, &error), MN_OK);
    assert_near((double)image.pixel[3].x, 0.2140, 2e-3);
    assert_near((double)image.pixel[3].z, 1, 1e-6);
    image_free(&image);
    picture_free(&picture);
}

// Cut at every length, and with every byte of the head changed: an error that names the file, or a picture; never a crash.
static void damaged_files(void** state)
{
    static const char hdr[] =
        HDR_HEAD "-Y 1 +X 8\n\x02\x02\x00\x08\x88\x80\x08\x00\x10\x20\x30\x40\x50\x60\x70\x84\x80\x84\x40\x88\x81";
    static const char pfm[] = "PF\n1 2\n-1.0\n\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\0\x3f\0\0\0\x3f\0\0\0\x3f";
    const struct {
        const char *name, *bytes;
        size_t size;
    } file[] = {{"x.hdr", hdr, sizeof hdr - 1}, {"x.pfm", pfm, sizeof pfm - 1}};
    for (int f = 0; f < 2; f++) {
        Image image;
        for (size_t cut = 0; cut < file[f].size; cut++) {
            mn_Error error = {0};
            assert_int_equal(read_bytes(*state, file[f].name, file[f].bytes, cut, &image, &error), MN_BAD_INPUT);
            assert_null(image.pixel);
            assert_non_null(strstr(error.file, file[f].name));
        }
        for (size_t k = 0; k < file[f].size; k++) {
            char changed[128];
            mn_Error error = {0};
            memcpy(changed, file[f].bytes, file[f].size);
            changed[k] = (char)(changed[k] + 7);
            read_bytes(*state, file[f].name, changed, file[f].size, &image, &error);
            image_free(&image);
        }
    }
}

static void between_pixels(void** state)
{
    Vec3 pixel[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    Image image = {2, 2, pixel};
    assert_near((double)image_at(&image, 0.25f, 0.25f, true).x, 0, 1e-6);
    assert_near((double)image_at(&image, 0.5f, 0.25f, true).x, 0.5, 1e-6);
    assert_near((double)image_at(&image, 1.25f, 0.25f, true).x, 0, 1e-6); // repeats across
    assert_near((double)image_at(&image, 0.25f, 1, true).y, 1, 1e-6);     // but not down
    assert_near((double)image_at(&image, 0.25f, 1, false).y, 0.5, 1e-6);
}

static void patterns(void** state)
{
    Pattern checker = {.colour = {1, 0, 0}, .checker = {0, 0, 1}, .size = 0.5f};
    Vec3 up = {0, 1, 0};
    assert_true(pattern_at(&checker, (Vec3){0.1f, 0, 0.1f}, up).x != pattern_at(&checker, (Vec3){0.6f, 0, 0.1f}, up).x);
    assert_true(pattern_at(&checker, (Vec3){0.1f, 0, 0.1f}, up).x == pattern_at(&checker, (Vec3){0.6f, 0, 0.6f}, up).x);
    Vec3 pixel[2] = {{1, 0, 0}, {0, 1, 0}};
    Image image = {2, 1, pixel};
    Pattern texture = {.texture = &image, .size = 1};
    // seen from the front, the picture's left is the solid's left; from behind it is mirrored
    assert_near((double)pattern_at(&texture, (Vec3){-0.25f, 0, 0.5f}, (Vec3){0, 0, 1}).x, 1, 1e-6);
    assert_near((double)pattern_at(&texture, (Vec3){-0.25f, 0, -0.5f}, (Vec3){0, 0, -1}).y, 1, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(radiance_plain_and_packed, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(float_maps_of_both_byte_orders, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(png_is_made_linear, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(damaged_files, folder_make, folder_remove),
        cmocka_unit_test(between_pixels),
        cmocka_unit_test(patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
