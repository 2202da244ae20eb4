// SPDX-License-Identifier: MIT
// What a fluid starts with is its rest state. A lattice holds its rest volume exactly, yet kernel sums beside edges, corners and
// walls whose particles do not line up with it say up to a few per cent more. A solver that takes this for compression undoes it by
// motion, the faster the shorter its steps. So each particle remembers its excess at the start,
//   c_i = min(max(0, s_i - 1), most),
// and all that is told of its density is s_i - c_i. The memory only fades: wherever s_i - 1 falls below c_i, c_i follows. A
// particle that leaves its wall, or stirred fluid, soon has none; fluid at rest keeps it, and nothing moves. (Fluid then lies
// nearer to solids than their boundary particles are made for, and bodies float a hundredth of their height too deep. A memory
// that fades with time cures that, but water at rest is not as calm with it.) More than
// `most` is no matter of sampling: such fluid starts compressed and pushes itself apart. What fills a solid has the volume that it
// should have by geometry (fluid/hollow.h); if walls thinner than two spacings are felt twice there, that is sampling, too.
//
// The other way round, sums within a support radius of a free surface lack what would be beyond it. A solver that takes this for
// room lets the surface fall into it and catches it there, and a wave loses its energy by that. An accurate solver keeps c_i < 0
// there: what s_i lacks at the start, bounded from then on by what a surface explains. With g = h |V0 sum_j grad W_ij + walls|, a
// flat surface lacks about 0.18 g^1.5 at any depth, in 2D and 3D, for cubic and Wendland kernels alike:
//   c_i >= -0.35 g^1.5
// One layer of wall particles does not make up for all that is missing behind it, and where gravity presses fluid against its walls
// it falls into that, too: there the same holds. Without gravity fluid may fill its box, what sums lack at the walls is the room
// that it moves in, and only the part of the gradient along the walls counts (a full box jams otherwise). Inside and in spray g is
// small, and what counts there is the sum. Since ds/dt is what the solver's divergence says, a constant c_i is a density that
// evolves by the equation of continuity. Only what is missing beyond c_i at a surface is forgotten, slowly, so that particles that
// come to the surface are at rest there.
#ifndef FLUID_PACKING_H
#define FLUID_PACKING_H

#include "fluid/fluid.h"

#define PACKING_MOST 0.07f  // [1]
#define PACKING_FILLED 0.6f // [1] of fluids that fill a solid

// Densities of the present positions, as just summed, are those at rest, but for an excess above `most` [1].
void packing_begin(Sph* sph, float most);
// After every search: takes the excess from the densities, and forgets what is not there any more. `dt` [s] is the time since the
// last search, 0 if nothing has moved.
void packing_apply(Sph* sph, double dt);
// Where the search is to leave gradients for it; NULL: not wanted.
float* packing_gradient(Sph* sph);

#endif
