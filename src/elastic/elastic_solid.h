// SPDX-License-Identifier: MIT
// Deformable bodies as solids (solid/kind.h).
#ifndef ELASTIC_ELASTIC_SOLID_H
#define ELASTIC_ELASTIC_SOLID_H

#include "elastic/elastic.h"
#include "solid/solid.h"

extern const SolidKind solid_mass_points, solid_fem;

#endif
