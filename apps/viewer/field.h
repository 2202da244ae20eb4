// SPDX-License-Identifier: MIT
// What fluid can be coloured by: the four of scenes' view.colour, which come first and in their order, and what else a particle
// has.
#ifndef VIEWER_FIELD_H
#define VIEWER_FIELD_H

#include "setting.h"

typedef enum Field {
    FIELD_SPEED = MN_COLOUR_SPEED,
    FIELD_PRESSURE = MN_COLOUR_PRESSURE,
    FIELD_DENSITY = MN_COLOUR_DENSITY,
    FIELD_FLUID = MN_COLOUR_FLUID,
    FIELD_VELOCITY_X,
    FIELD_VELOCITY_Y,
    FIELD_VELOCITY_Z,
    FIELD_HEIGHT, // [m] against gravity
    FIELD_ID,     // in the order in which particles came
    FIELDS
} Field;

typedef struct FieldInfo {
    const char* name; // as --colour has it
    const char* unit;
} FieldInfo;
extern const FieldInfo field_info[FIELDS];

extern const char* const map_names[3]; // of colours, in the order of ColourMapName

int field_find(const char* name); // -1: there is none of that name
int map_find(const char* name);
// Of particle `i` of a world whose fluids have these densities [kg/m3].
float field_value(Field field, const mn_ParticleView* view, size_t i, const double* density, Vec3d up);
// The colour scale that a scene begins with.
void field_range(Field field, const Setting* setting, double range[2]);

#endif
