// SPDX-License-Identifier: MIT
// Bodies that give way to the pressure while it is found (Batty 2007): a body is a wall whose six velocities are unknowns of their
// own, and pressures on its faces change them as they push, F = sum of p (1 - open) n over faces.
#ifndef FLIP_BODIES_H
#define FLIP_BODIES_H

#include "flip/flip.h"

// Faces of bodies that give way become part of the equation. False: out of memory.
bool flip_add_bodies(Flip* flip);
// Pressures are known: bodies move as they make them, and every solid is told what pushes it (WallSolid.force).
void flip_push_bodies(Flip* flip);

#endif
