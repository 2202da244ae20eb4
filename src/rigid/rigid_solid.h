// SPDX-License-Identifier: MIT
// Rigid bodies as solids (solid/kind.h), and all bodies of a world as one system that steps together.
#ifndef RIGID_RIGID_SOLID_H
#define RIGID_RIGID_SOLID_H

#include "rigid/rigid.h"
#include "solid/solid.h"

extern const SolidKind solid_rigid;
extern const SolidSystem rigid_system;

// Solids and bodies have the same indices: everything that does not deform is a body to ODE, fixed and driven ones too.
typedef struct RigidSystem {
    Memory* memory;
    Rigid* rigid;
    Solid* solid;
    size_t solid_count;
    Vec3d *linear, *angular; // [m/s2], [1/s2] (solids) by all but the fluid, of the last prediction
} RigidSystem;

// Takes `rigid` over, whose bodies are there already, and makes solids of its free bodies. NULL: out of memory.
RigidSystem* rigid_system_create(Memory* memory, Rigid* rigid, Solid* solid, size_t solid_count);

#endif
