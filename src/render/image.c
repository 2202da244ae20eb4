// SPDX-License-Identifier: MIT
// RGBE: G. Ward, "Real pixels", Graphics Gems II, 1991. PFM: rows from the bottom, floats in the byte order that the sign of the
// scale tells.
#include "render/image.h"
#include "base/error.h"
#include "io/file.h"
#include "render/colour.h"
#include "render/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct Bytes {
    const uint8_t* at;
    const uint8_t* end;
} Bytes;

static mn_Result bad(mn_Error* error, const char* path, const char* why)
{
    error_set(error, MN_BAD_INPUT, "cannot read the picture: %s", why);
    error_at(error, path, 0, 0);
    return MN_BAD_INPUT;
}

static bool image_create(Image* image, int width, int height)
{
    *image = (Image){width, height, NULL};
    if (width < 1 || height < 1 || width > PICTURE_MAX_SIZE || height > PICTURE_MAX_SIZE)
        return false;
    image->pixel = malloc((size_t)width * (size_t)height * sizeof *image->pixel);
    return image->pixel != NULL;
}

void image_free(Image* image)
{
    free(image->pixel);
    *image = (Image){0};
}

// One line without its end; false at the end of the file or if it is too long.
static bool next_line(Bytes* b, char* line, size_t size)
{
    size_t n = 0;
    while (b->at < b->end && *b->at != '\n') {
        if (n + 1 < size)
            line[n++] = (char)*b->at;
        b->at++;
    }
    line[n] = 0;
    if (b->at == b->end)
        return false;
    b->at++;
    return true;
}

// --- Radiance

// One channel of a row: runs and literals.
static bool read_run_channel(Bytes* b, uint8_t* out, int width)
{
    for (int x = 0; x < width;) {
        if (b->end - b->at < 2)
            return false;
        int code = *b->at++;
        bool run = code > 128;
        int count = run ? code - 128 : code;
        if (count == 0 || x + count > width || (!run && b->end - b->at < count))
            return false;
        if (run)
            memset(out + x, *b->at++, (size_t)count);
        else
            memcpy(out + x, b->at, (size_t)count), b->at += count;
        x += count;
    }
    return true;
}

static Vec3 from_rgbe(uint8_t r, uint8_t g, uint8_t b, uint8_t e)
{
    float scale = e ? ldexpf(1, (int)e - 136) : 0;
    return (Vec3){(float)r * scale, (float)g * scale, (float)b * scale};
}

static bool read_hdr_row(Bytes* b, Vec3* out, int width, uint8_t* channels)
{
    bool packed = b->end - b->at >= 4 && b->at[0] == 2 && b->at[1] == 2 && b->at[2] == width >> 8 && b->at[3] == (width & 255);
    size_t w = (size_t)width;
    if (packed) {
        b->at += 4;
        for (int c = 0; c < 4; c++)
            if (!read_run_channel(b, channels + (size_t)c * w, width))
                return false;
        for (size_t x = 0; x < w; x++)
            out[x] = from_rgbe(channels[x], channels[w + x], channels[2 * w + x], channels[3 * w + x]);
        return true;
    }
    if (b->end - b->at < 4 * width)
        return false;
    for (size_t x = 0; x < w; x++, b->at += 4)
        out[x] = from_rgbe(b->at[0], b->at[1], b->at[2], b->at[3]);
    return true;
}

static mn_Result read_hdr(Image* image, Bytes b, const char* path, mn_Error* error)
{
    char line[128];
    if (!next_line(&b, line, sizeof line) || strncmp(line, "#?", 2))
        return bad(error, path, "it is not a Radiance picture");
    do {
        if (!next_line(&b, line, sizeof line))
            return bad(error, path, "its header does not end");
    } while (line[0]);
    int width, height;
    if (!next_line(&b, line, sizeof line) || sscanf(line, "-Y %d +X %d", &height, &width) != 2)
        return bad(error, path, "expected a size such as -Y 512 +X 1024");
    if (!image_create(image, width, height))
        return bad(error, path, "its size is not possible");
    uint8_t* channels = malloc(4 * (size_t)width);
    bool ok = channels;
    for (int y = 0; y < height && ok; y++)
        ok = read_hdr_row(&b, image->pixel + (size_t)y * (size_t)width, width, channels);
    free(channels);
    return ok ? MN_OK : bad(error, path, "it ends too early or is damaged");
}

// --- portable float map

static float float_at(const uint8_t* p, bool little)
{
    uint32_t bits = little ? (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24
                           : (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f > 0 && f < 1e9f ? f : 0; // no light is negative, and NaN is none
}

static mn_Result read_pfm(Image* image, Bytes b, const char* path, mn_Error* error)
{
    char kind[8], size[64], scale[64];
    int width, height;
    if (!next_line(&b, kind, sizeof kind) || (strcmp(kind, "PF") && strcmp(kind, "Pf")))
        return bad(error, path, "it is not a portable float map");
    if (!next_line(&b, size, sizeof size) || sscanf(size, "%d %d", &width, &height) != 2 || !next_line(&b, scale, sizeof scale))
        return bad(error, path, "expected its size and scale");
    size_t channels = kind[1] == 'F' ? 3 : 1;
    bool little = strtod(scale, NULL) < 0;
    if (!image_create(image, width, height))
        return bad(error, path, "its size is not possible");
    if ((size_t)(b.end - b.at) < (size_t)width * (size_t)height * channels * 4)
        return bad(error, path, "it ends too early");
    for (int y = height - 1; y >= 0; y--)
        for (int x = 0; x < width; x++, b.at += 4 * channels) {
            float r = float_at(b.at, little);
            Vec3 c = {r, r, r};
            if (channels == 3)
                c = (Vec3){r, float_at(b.at + 4, little), float_at(b.at + 8, little)};
            image->pixel[(size_t)y * (size_t)width + (size_t)x] = c;
        }
    return MN_OK;
}

static mn_Result read_png(Image* image, const char* path, mn_Error* error)
{
    Picture picture;
    mn_Result result = picture_read_png(&picture, path, error);
    if (result != MN_OK)
        return result;
    if (!image_create(image, picture.width, picture.height)) {
        picture_free(&picture);
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    }
    for (size_t k = 0; k < (size_t)picture.width * (size_t)picture.height; k++) {
        const uint8_t* c = picture.rgb + 3 * k;
        image->pixel[k] = colour_to_linear3((Vec3){(float)c[0] / 255, (float)c[1] / 255, (float)c[2] / 255});
    }
    picture_free(&picture);
    return MN_OK;
}

mn_Result image_read(Image* image, const char* path, mn_Error* error)
{
    *image = (Image){0};
    const char* dot = strrchr(path, '.');
    bool hdr = dot && !strcasecmp(dot, ".hdr"), pfm = dot && !strcasecmp(dot, ".pfm");
    if (dot && !strcasecmp(dot, ".png"))
        return read_png(image, path, error);
    if (!hdr && !pfm)
        return bad(error, path, "expected a .png, .hdr or .pfm file");
    FileBytes file;
    mn_Result result = file_read(path, &file, error);
    if (result != MN_OK)
        return result;
    Bytes bytes = {(const uint8_t*)file.data, (const uint8_t*)file.data + file.size};
    result = hdr ? read_hdr(image, bytes, path, error) : read_pfm(image, bytes, path, error);
    file_bytes_free(&file);
    if (result != MN_OK)
        image_free(image);
    return result;
}

static int wrapped(int i, int n)
{
    return i < 0 ? i + n : i >= n ? i - n : i;
}

static Vec3 mixed(Vec3 a, Vec3 b, float t)
{
    return (Vec3){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

Vec3 image_at(const Image* image, float u, float v, bool clamp_v)
{
    int w = image->width, h = image->height;
    float x = (u - floorf(u)) * (float)w - 0.5f;
    float y = (clamp_v ? (v < 0 ? 0 : v > 1 ? 1 : v) : v - floorf(v)) * (float)h - 0.5f;
    float fx = floorf(x), fy = floorf(y);
    int x0 = wrapped((int)fx, w), x1 = wrapped((int)fx + 1, w), y0 = (int)fy, y1 = y0 + 1;
    if (clamp_v) {
        y0 = y0 < 0 ? 0 : y0;
        y1 = y1 >= h ? h - 1 : y1;
    } else {
        y0 = wrapped(y0, h);
        y1 = wrapped(y1, h);
    }
    const Vec3 *a = image->pixel + (size_t)y0 * (size_t)w, *b = image->pixel + (size_t)y1 * (size_t)w;
    return mixed(mixed(a[x0], a[x1], x - fx), mixed(b[x0], b[x1], x - fx), y - fy);
}
