// SPDX-License-Identifier: MIT
// Colours: sRGB and linear light, and the colour maps. A map is a few points interpolated in OKLab, so that equal steps
// of the value look like equal steps; lightness only rises, so that a map also reads in grey.
#ifndef RENDER_COLOUR_H
#define RENDER_COLOUR_H

#include "base/vec.h"

typedef enum ColourMapName { COLOUR_MAP_WATER, COLOUR_MAP_DEPTHS, COLOUR_MAP_EMBER } ColourMapName;

enum { COLOUR_MAP_SIZE = 256 };

typedef struct ColourMap {
    Vec3 linear[COLOUR_MAP_SIZE]; // linear light
    Vec3 srgb[COLOUR_MAP_SIZE];
} ColourMap;

void colour_map_build(ColourMap* map, ColourMapName name);

// One of a few clearly different colours for fluid number `index`, sRGB.
Vec3 colour_of_fluid(int index);

float colour_to_linear(float srgb);
float colour_to_srgb(float linear);
Vec3 colour_to_linear3(Vec3 srgb);
// OKLab lightness of an sRGB colour, 0..1.
float colour_lightness(Vec3 srgb);

// Linear light to an sRGB byte by table; fast enough for every pixel.
typedef struct GammaTable {
    uint8_t byte[4097];
} GammaTable;
void gamma_table_build(GammaTable* table);
static inline uint8_t gamma_byte(const GammaTable* table, float linear)
{
    float v = linear > 0 ? (linear < 1 ? linear : 1) : 0; // NaN becomes 0
    return table->byte[(int)(v * 4096 + 0.5f)];
}

#endif
