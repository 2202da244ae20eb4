// SPDX-License-Identifier: MIT
// Handbook values at about 20 degrees Celsius and normal pressure, rounded; natural products vary by tens of percent.
#include "defs/material.h"

#include <string.h>

const Material materials[MATERIAL_COUNT] = {
    {"water", 1000, 0.001, 0.0728, MN_VISCOSITY_ARTIFICIAL, "fresh water"},
    {"seawater", 1025, 0.00108, 0.0735, MN_VISCOSITY_ARTIFICIAL, "water with 3.5 % salt"},
    {"ethanol", 789, 0.0012, 0.0223, MN_VISCOSITY_ARTIFICIAL, "pure alcohol"},
    {"milk", 1030, 0.002, 0.047, MN_VISCOSITY_ARTIFICIAL, "whole milk"},
    {"mercury", 13546, 0.00155, 0.486, MN_VISCOSITY_ARTIFICIAL, "liquid metal"},
    {"oil", 911, 0.084, 0.032, MN_VISCOSITY_IMPLICIT, "olive oil"},
    {"motor_oil", 880, 0.3, 0.031, MN_VISCOSITY_IMPLICIT, "SAE 30 lubricating oil"},
    {"glycerine", 1261, 1.41, 0.0634, MN_VISCOSITY_IMPLICIT, "pure glycerine"},
    {"honey", 1420, 10, 0.06, MN_VISCOSITY_IMPLICIT, "liquid honey"},
};

const Material* material_find(const char* name)
{
    for (int k = 0; k < MATERIAL_COUNT; k++) {
        if (!strcmp(materials[k].name, name))
            return &materials[k];
    }
    return NULL;
}
