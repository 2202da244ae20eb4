// SPDX-License-Identifier: MIT
// Values of particles at vertices: means weighted as in the field, w = (1 - d^2 / R^2)^3.
#ifndef SURFACE_VALUES_H
#define SURFACE_VALUES_H

#include "surface/lattice.h"
#include "surface/surface.h"

// Fills mesh->value, and `crowd` (per vertex): sum of weights, which tells a droplet (0.8) from a flat surface (2.5).
bool surface_values(SurfaceMesh* mesh, const Lattice* lattice, const SurfaceInput* input, Pool* pool, float* crowd);

#endif
