// SPDX-License-Identifier: MIT
#include "field.h"

#include <string.h>

const FieldInfo field_info[FIELDS] = {
    [FIELD_SPEED] = {"speed", "m/s"},
    [FIELD_PRESSURE] = {"pressure", "Pa"},
    [FIELD_DENSITY] = {"density", "kg/m3"},
    [FIELD_FLUID] = {"fluid", ""},
    [FIELD_VELOCITY_X] = {"velocity_x", "m/s"},
    [FIELD_VELOCITY_Y] = {"velocity_y", "m/s"},
    [FIELD_VELOCITY_Z] = {"velocity_z", "m/s"},
    [FIELD_HEIGHT] = {"height", "m"},
    [FIELD_ID] = {"id", ""},
};

const char* const map_names[3] = {[COLOUR_MAP_WATER] = "water", [COLOUR_MAP_DEPTHS] = "depths", [COLOUR_MAP_EMBER] = "ember"};

int field_find(const char* name)
{
    for (int k = 0; k < FIELDS; k++)
        if (!strcmp(field_info[k].name, name))
            return k;
    return -1;
}

int map_find(const char* name)
{
    for (int k = 0; k < 3; k++)
        if (!strcmp(map_names[k], name))
            return k;
    return -1;
}

float field_value(Field field, const mn_ParticleView* view, size_t i, const double* density, Vec3d up)
{
    const float *v = view->velocity + 4 * i, *x = view->position + 4 * i;
    switch (field) {
    case FIELD_PRESSURE:
        return view->pressure[i];
    case FIELD_DENSITY:
        return view->density[i] * (float)density[view->fluid[i]];
    case FIELD_VELOCITY_X:
    case FIELD_VELOCITY_Y:
    case FIELD_VELOCITY_Z:
        return v[field - FIELD_VELOCITY_X];
    case FIELD_HEIGHT:
        return x[0] * (float)up.x + x[1] * (float)up.y + x[2] * (float)up.z;
    case FIELD_ID:
        return (float)view->id[i];
    default:
        return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
}

void field_range(Field field, const Setting* setting, double range[2])
{
    const Survey* survey = &setting->survey;
    bool is_velocity = field >= FIELD_VELOCITY_X && field <= FIELD_VELOCITY_Z;
    survey_live_range(survey, setting->scene, field < FIELD_VELOCITY_X ? (mn_ColourBy)field : MN_COLOUR_SPEED, range);
    if (is_velocity)
        range[0] = -range[1];
    if (field == FIELD_HEIGHT) {
        double a = vec3d_dot(survey->box.min, setting->up), b = vec3d_dot(survey->box.max, setting->up);
        range[0] = fmin(a, b);
        range[1] = fmax(a, b);
    }
    if (field == FIELD_ID) {
        range[0] = 0;
        range[1] = fmax(setting->particles, 1);
    }
}
