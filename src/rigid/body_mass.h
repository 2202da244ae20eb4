// SPDX-License-Identifier: MIT
// Mass, centre and inertia of a rigid body: of the space that a closed mesh encloses, of the sheet that an open one is, of
// the lines of a rod; or as given.
#ifndef RIGID_BODY_MASS_H
#define RIGID_BODY_MASS_H

#include "mesh/tri_mesh.h"

typedef struct BodyMass {
    double mass;          // [kg]
    double volume;        // [m3]
    Vec3d centre;         // [m] in the solid's frame
    double inertia[3][3]; // [kg m2] about the centre, in the solid's axes
} BodyMass;

// Errors name the key ("mass", "density", "inertia", "centre_of_mass", "shape"). `thickness` [m] is for what is not closed, and so
// is `deep` [m] for lines: in two dimensions, where a sheet is one, 1 m.
mn_Result body_mass(const mn_SolidDef* def, const TriMesh* mesh, bool closed, double thickness, double deep, BodyMass* out,
                    mn_Error* error);

void inverse_3x3(const double a[3][3], double out[3][3]);

#endif
