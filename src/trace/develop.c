// SPDX-License-Identifier: MIT
// From light to a picture: exposure, a film curve that rolls highlights off instead of cutting them (Narkowicz's fit of the
// ACES curve), sRGB.
#include "trace/trace.h"

#include "trace/vector.h"

static float curve(float x)
{
    return x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f);
}

static uint8_t to_srgb(float x)
{
    x = x < 0 ? 0 : x > 1 ? 1 : x;
    float s = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
    return (uint8_t)(255 * s + 0.5f);
}

void trace_develop(const Vec3* sum, int width, int height, int samples, float exposure, uint8_t* rgb)
{
    float scale = samples > 0 ? exposure / (float)samples : 0;
    for (size_t k = 0; k < (size_t)width * (size_t)height; k++) {
        rgb[3 * k] = to_srgb(curve(scale * sum[k].x));
        rgb[3 * k + 1] = to_srgb(curve(scale * sum[k].y));
        rgb[3 * k + 2] = to_srgb(curve(scale * sum[k].z));
    }
}
