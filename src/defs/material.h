// SPDX-License-Identifier: MIT
// Named materials: what a fluid's defaults become with "material": "honey".
#ifndef DEFS_MATERIAL_H
#define DEFS_MATERIAL_H

#include <meniscus/defs.h>

typedef struct Material {
    const char* name;
    double density;      // [kg/m3]
    double viscosity;    // [Pa s] dynamic
    double tension;      // [N/m] against air
    mn_Viscosity method; // thin liquids: artificial, because their physical viscosity is below what particles resolve
    const char* doc;
} Material;

enum { MATERIAL_COUNT = 9 };
extern const Material materials[MATERIAL_COUNT];

const Material* material_find(const char* name); // NULL: no such material

#endif
