// SPDX-License-Identifier: MIT
// Pictures as light: textures and maps of the environment, read from .png, .hdr (Radiance RGBE) and .pfm files.
#ifndef RENDER_IMAGE_H
#define RENDER_IMAGE_H

#include "base/vec.h"
#include <meniscus/base.h>

typedef struct Image {
    int width, height;
    Vec3* pixel; // linear light, rows from the top; owned
} Image;

// By the ending of the name. `image` need not be initialised and is empty after a failure.
mn_Result image_read(Image* image, const char* path, mn_Error* error);
void image_free(Image* image);

// Between the four pixels around (u, v), which repeat beyond 0..1; with `clamp_v` rows do not.
Vec3 image_at(const Image* image, float u, float v, bool clamp_v);

#endif
