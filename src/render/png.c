// SPDX-License-Identifier: MIT
// PNG files. Speed before size: the default compression of libpng takes longer than drawing the picture.
#include "base/error.h"
#include "render/picture.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPRESSION_LEVEL = 3 };

// libpng leaves a failed call by longjmp; the reason is kept here.
typedef struct PngTrouble {
    char message[256];
    bool no_memory;
} PngTrouble;

static png_voidp png_take(png_structp png, png_alloc_size_t bytes)
{
    void* block = malloc(bytes);
    if (!block)
        ((PngTrouble*)png_get_mem_ptr(png))->no_memory = true;
    return block;
}

static void png_give(png_structp png, png_voidp block)
{
    free(block);
}

static const char* reason_of(int code)
{
    return code == ENOMEM ? "no memory" : strerror(code);
}

static void png_failed(png_structp png, png_const_charp message)
{
    PngTrouble* trouble = png_get_error_ptr(png);
    snprintf(trouble->message, sizeof trouble->message, "%s", message);
    png_longjmp(png, 1);
}

static void png_warned(png_structp png, png_const_charp message)
{
}

static bool write_rows(const Picture* picture, FILE* file, PngTrouble* trouble)
{
    png_structp png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, trouble, png_failed, png_warned, trouble, png_take, png_give);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        snprintf(trouble->message, sizeof trouble->message, "no memory");
        return false;
    }
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, file);
    png_set_compression_level(png, COMPRESSION_LEVEL);
    png_set_filter(png, 0, PNG_FILTER_SUB);
    png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < picture->height; y++)
        png_write_row(png, picture->rgb + (size_t)y * (size_t)picture->width * 3);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

mn_Result picture_write_png(const Picture* picture, const char* path, mn_Error* error)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.part", path) >= (int)sizeof temporary)
        return error_set(error, MN_BAD_INPUT, "the file name is too long");
    FILE* file = fopen(temporary, "wb");
    if (!file) {
        mn_Result result = error_set(error, MN_IO_FAILED, "cannot write: %s", reason_of(errno));
        error_at(error, path, 0, 0);
        return result;
    }
    PngTrouble trouble = {.no_memory = false};
    bool ok = write_rows(picture, file, &trouble);
    if (fclose(file) != 0 && ok) {
        ok = false;
        snprintf(trouble.message, sizeof trouble.message, "%s", reason_of(errno));
    }
    if (ok && rename(temporary, path) != 0) {
        ok = false;
        snprintf(trouble.message, sizeof trouble.message, "%s", reason_of(errno));
    }
    if (ok)
        return MN_OK;
    unlink(temporary);
    mn_Result result =
        error_set(error, MN_IO_FAILED, "cannot write the picture: %s", trouble.no_memory ? "no memory" : trouble.message);
    error_at(error, path, 0, 0);
    return result;
}

mn_Result picture_read_png(Picture* picture, const char* path, mn_Error* error)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    *picture = (Picture){0};
    mn_Result result = MN_OK;
    errno = 0;
    if (!png_image_begin_read_from_file(&image, path)) {
        // without errno the file could be read, but is no picture
        result = error_set(error, errno ? MN_IO_FAILED : MN_BAD_INPUT, "cannot read the picture: %s", image.message);
    } else {
        image.format = PNG_FORMAT_RGB;
        if (image.width > PICTURE_MAX_SIZE || image.height > PICTURE_MAX_SIZE ||
            !picture_create(picture, (int)image.width, (int)image.height))
            result = error_set(error, MN_BAD_INPUT, "the picture is too large: %u x %u", image.width, image.height);
        else if (!png_image_finish_read(&image, NULL, picture->rgb, 0, NULL))
            result = error_set(error, errno ? MN_IO_FAILED : MN_BAD_INPUT, "cannot read the picture: %s", image.message);
    }
    png_image_free(&image);
    if (result != MN_OK) {
        picture_free(picture);
        error_at(error, path, 0, 0);
    }
    return result;
}
