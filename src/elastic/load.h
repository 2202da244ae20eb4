// SPDX-License-Identifier: MIT
// From forces on the vertices of a surface to loads on the points of a body, for one step.
//
// Forces go to the points that a vertex is embedded in with the same weights: force and torque stay what they are. But they are
// those of the moment when the step begins. The pressure around a body that turns turns with it; forces that keep their directions
// over the step turn it on. By x1 = x0 + dt w x x0 and F = -p n dA a ball of radius R and density rho gets the torque dt w p (8/3)
// pi R^3 from the pressure p: its spin grows by 5 p dt / (rho R^2) per second, e-fold within 0.15 s for 2 kPa, 8 cm, 1000 kg/m3 and
// steps of 4 ms. So loads turn with the body,
//   F_i <- Q F_i + m_i / m (sum F - Q sum F),    Q the turn of the body as a whole, or of the piece of it
// Their sum stays what it was, so momentum is kept, and so is angular momentum, since the torque about the centre turns too.
#ifndef ELASTIC_LOAD_H
#define ELASTIC_LOAD_H

#include "elastic/elastic_parts.h"

// What is connected: a body, or what it came apart into.
typedef struct LoadPiece {
    double mass;            // [kg]
    Vec3d centre, velocity; // [m], [m/s]
    Vec3d momentum;         // [kg m2/s] angular
    Mat3 inertia;           // [kg m2]
    Quat turn;              // until loads act
    Vec3d sum, rest;        // [N] of loads; [N/kg] what turning them took away
} LoadPiece;

// body->load from `vertex` (forces [N] on vertices), as it acts over a step of `dt` [s].
void load_take(Body* body, const Vec3d* vertex, double dt);
// Forces on points from those on vertices, as they are.
void load_spread(const Body* body, const Vec3d* vertex, Vec3d* point);

#endif
