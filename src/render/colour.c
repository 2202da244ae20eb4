// SPDX-License-Identifier: MIT
// OKLab: Ottosson 2020, "A perceptual color space for image processing"; sRGB: IEC 61966-2-1.
#include "render/colour.h"

#include <assert.h>

float colour_to_linear(float srgb)
{
    return srgb <= 0.04045f ? srgb / 12.92f : powf((srgb + 0.055f) / 1.055f, 2.4f);
}

float colour_to_srgb(float linear)
{
    return linear <= 0.0031308f ? linear * 12.92f : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
}

Vec3 colour_to_linear3(Vec3 srgb)
{
    return (Vec3){colour_to_linear(srgb.x), colour_to_linear(srgb.y), colour_to_linear(srgb.z)};
}

static Vec3 oklab_of_linear(Vec3 c)
{
    float l = cbrtf(0.4122214708f * c.x + 0.5363325363f * c.y + 0.0514459929f * c.z);
    float m = cbrtf(0.2119034982f * c.x + 0.6806995451f * c.y + 0.1073969566f * c.z);
    float s = cbrtf(0.0883024619f * c.x + 0.2817188376f * c.y + 0.6299787005f * c.z);
    return (Vec3){0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
                  1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
                  0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s};
}

static Vec3 linear_of_oklab(Vec3 lab)
{
    float l = lab.x + 0.3963377774f * lab.y + 0.2158037573f * lab.z;
    float m = lab.x - 0.1055613458f * lab.y - 0.0638541728f * lab.z;
    float s = lab.x - 0.0894841775f * lab.y - 1.2914855480f * lab.z;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return (Vec3){4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s,
                  -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
                  -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s};
}

float colour_lightness(Vec3 srgb)
{
    return oklab_of_linear(colour_to_linear3(srgb)).x;
}

// sRGB 0..255, from low to high
enum { POINTS = 6 };
static const uint8_t map_points[3][POINTS][3] = {
    [COLOUR_MAP_WATER] = {{16, 58, 132}, {20, 90, 172}, {38, 128, 204}, {80, 164, 225}, {134, 198, 238}, {206, 235, 249}},
    [COLOUR_MAP_DEPTHS] = {{66, 10, 94}, {62, 68, 138}, {40, 122, 142}, {42, 170, 130}, {130, 211, 76}, {250, 231, 40}},
    [COLOUR_MAP_EMBER] = {{44, 22, 84}, {112, 30, 110}, {182, 50, 92}, {232, 98, 62}, {248, 168, 74}, {252, 243, 186}},
};

void colour_map_build(ColourMap* map, ColourMapName name)
{
    assert(name <= COLOUR_MAP_EMBER);
    Vec3 lab[POINTS];
    for (int k = 0; k < POINTS; k++) {
        const uint8_t* p = map_points[name][k];
        lab[k] = oklab_of_linear(colour_to_linear3((Vec3){p[0] / 255.0f, p[1] / 255.0f, p[2] / 255.0f}));
    }
    for (int i = 0; i < COLOUR_MAP_SIZE; i++) {
        float t = (float)i / (COLOUR_MAP_SIZE - 1) * (POINTS - 1);
        int k = t < POINTS - 2 ? (int)t : POINTS - 2;
        float s = t - (float)k;
        Vec3 a = lab[k], b = lab[k + 1];
        Vec3 c = linear_of_oklab((Vec3){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z)});
        c = (Vec3){fminf(fmaxf(c.x, 0), 1), fminf(fmaxf(c.y, 0), 1), fminf(fmaxf(c.z, 0), 1)};
        map->linear[i] = c;
        map->srgb[i] = (Vec3){colour_to_srgb(c.x), colour_to_srgb(c.y), colour_to_srgb(c.z)};
    }
}

Vec3 colour_of_fluid(int index)
{
    static const uint8_t colours[][3] = {
        {38, 120, 200}, {226, 138, 46}, {70, 160, 96},  {196, 78, 104},
        {128, 98, 186}, {214, 186, 66}, {92, 176, 190}, {140, 110, 90},
    };
    const uint8_t* c = colours[(unsigned)index % (sizeof colours / sizeof *colours)];
    return (Vec3){c[0] / 255.0f, c[1] / 255.0f, c[2] / 255.0f};
}

void gamma_table_build(GammaTable* table)
{
    for (int i = 0; i <= 4096; i++)
        table->byte[i] = (uint8_t)(colour_to_srgb((float)i / 4096) * 255 + 0.5f);
}
