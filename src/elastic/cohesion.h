// SPDX-License-Identifier: MIT
// Cracks that take energy. Where a face opens, each pair of its corners is bound by a spring without length until the crack has
// cost the toughness G per area. A bond of area A (a third of the face, as built) that is w long holds, at most,
//   T(w) = f A w / w0                          w < w0
//   T(w) = f A (wc - w) / (wc - w0)       w0 < w < wc,     wc = 2 G / f,  w0 = wc / 20
// with f the strength (Hillerborg 1976, with a steep rise in place of a rigid one, for the solver): the area below is G A. Within a
// step it is a linear spring, part of the implicit system; after it its stiffness is T(w) / w if it was never longer, and what the
// law says is lost. What a long step has stored beyond G A in a bond that ends comes back as an impulse between the two points. So
// a crack that is open has cost G per area. Steps that are long beside the time in which a bond opens may begin a second crack.
#ifndef ELASTIC_COHESION_H
#define ELASTIC_COHESION_H

#include "elastic/fem.h"

// The body was split: binds the corners of faces that opened. `other` is that of split_find_faces() before; tetrahedra keep their
// numbers. False: out of memory.
bool cohesion_bind(ElasticSet* set, Body* body, const uint32_t* other);

// residual -= b h (what bonds do), at positions x
void cohesion_add_forces(const Body* body, const Vec3d* x, double bh, Vec3d* residual);
// out += scale K in, of the bonds; the diagonal of that
void cohesion_add_product(const Body* body, double scale, const Vec3d* in, Vec3d* out);
void cohesion_add_blocks(const Body* body, double scale, Mat3* block);
// A step led to the positions that the body has. True: velocities jumped.
bool cohesion_damage(Body* body);

double cohesion_energy(const Body* body); // [J] stored
double cohesion_spent(const Body* body);  // [J] lost so far
// (points) 1 where a bond still holds.
void cohesion_mark(const Body* body, uint8_t* mark);

#endif
