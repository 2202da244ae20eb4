// SPDX-License-Identifier: MIT
// The traction between a surface and the fluid particles near it (Müller 2004):
//   tau(s) = k ((h - s)^4 - (h - r0)^2 (h - s)^2) / (h^2 r0 (2 h - r0)),   s < h                           (eq. 15)
// along (p - x)/|p - x|, k at s = 0, 0 at s = r0, repulsive below and attractive above. What a particle feels is its integral over
// the surface, and before a plane that vanishes at another distance than r0. People mean that one when they say where fluid should
// rest, so `rest` is the distance of a particle from a plane, and r0 is found from it. Without adhesion nothing acts beyond r0,
// which then is `rest` itself.
#ifndef COUPLING_TRACTION_H
#define COUPLING_TRACTION_H

typedef struct Traction {
    int dimension;
    double h;        // [m] interaction range
    double k;        // [Pa] tau at distance 0
    double rest;     // [m] distance from a plane at which a particle rests
    double r0;       // [m] of eq. 15
    double adhesion; // [1] share of the attraction that acts, 1 as in eq. 15
    double drag;     // [1/m^4] (2D: [1/m^3]) so much friction per boundary viscosity, see traction_make()
    double gain, g0; // tau = gain u^2 (u^2 - g0), u = h - s
} Traction;

// `spacing` [m] of the fluid's particles. Friction (eqs. 17-19) is scaled so that a particle at rest distance from a plane that
// moves along itself feels the shear stress mu v / rest on its share of the plane.
Traction traction_make(int dimension, double h, double k, double rest, double spacing, double adhesion);

double traction_at(const Traction* traction, double s);       // [Pa]
double traction_of_plane(const Traction* traction, double d); // [N] (2D: [N/m]) on a particle at distance d, away from it
double traction_peak(const Traction* traction);               // [N] the most that a plane pushes with
double traction_stiffness(const Traction* traction);          // [N/m] the steepest slope of that

#endif
