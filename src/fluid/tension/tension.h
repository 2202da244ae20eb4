// SPDX-License-Identifier: MIT
// Surface tension: fluid particles attract each other, so that those at a surface are pulled inwards. Each fluid chooses a
// method; particles of different fluids do not attract each other, so an interface has the tensions of both.
//
// gamma is the paper's, for water: accelerations are gamma times 1000 kg/m3, whatever the fluid's density. Then one gamma means
// the same motion for every fluid, and the physical tension is sigma = k gamma rho0 h^2 with a k that was measured
// (docs/theory/tension.md).
#ifndef FLUID_TENSION_H
#define FLUID_TENSION_H

#include "fluid/fluid.h"

#define TENSION_DENSITY 1000.0 // [kg/m3] the density that the paper's gamma belongs to

typedef struct TensionMethod {
    const char* name;
    bool normals;       // needs sph.normal
    bool band;          // acts near surfaces alone, and needs sph.band
    double strength[2]; // [kg/m3] k in 2D and 3D: sigma = k gamma rho0 h^2; 0: not calibrated
    // fluid.acceleration += tension of the fluids whose gamma is not 0; one gamma per fluid. w gets sum_j a_ij . x_ij, if the
    // method has forces between pairs. False: out of memory.
    bool (*add)(Sph* sph, const float gamma[FLUIDS_MOST]);
} TensionMethod;

extern const TensionMethod tension_akinci, tension_becker, tension_tartakovsky, tension_curvature;

// [m] how far a fit of curvature looks
float curvature_reach(const Sph* sph);

const TensionMethod* tension_method(mn_Tension method);

// Whether the tension of a fluid is found from the shape of its surface: pair forces and adhesion take no part.
bool tension_is_geometric(const FluidMaterial* material);

// Room for normals or for the band, if some fluid needs them. False: out of memory.
bool tension_reserve(Sph* sph);

// sph.normal = (n_i, s_i), for the corrections of viscosity and tension; nothing if no fluid needs them.
void tension_normals(Sph* sph);
// fluid.acceleration += tension and adhesion. False: out of memory.
bool tension_acceleration(Sph* sph);

// pressure += stress of the tension's pair forces. Inside a fluid they pull in all directions and pressure has to hold against
// them: only the sum of both is what a drop or a tank of real liquid has. Uses fluid.acceleration and sph.normal.
void tension_virial(Sph* sph, float* pressure);

// [m/s2] what pulls a particle at a flat surface, the largest of all fluids
double tension_pull(const Sph* sph);
// [N/m] sigma of a fluid, and gamma for a wanted sigma; only for methods that are calibrated
double tension_sigma(const Sph* sph, int kind);
double tension_gamma(const Sph* sph, mn_Tension method, double density, double sigma);
// beta / gamma of a solid on which drops have this contact angle [degrees]
double tension_wetting(const Sph* sph, double angle);
// [degrees] the contact angle of drops on a solid with this beta / gamma
double tension_angle(double ratio);
// [s] the longest step that resolves the shortest waves on a surface; infinite without tension
double tension_limit(const Sph* sph);

#endif
