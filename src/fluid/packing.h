// SPDX-License-Identifier: MIT
// What a fluid starts with is its rest state. A lattice holds its rest volume exactly, yet kernel sums beside edges, corners and
// walls whose particles do not line up with it say up to a few per cent more. A solver that takes this for compression undoes it by
// motion, the faster the shorter its steps. So each particle remembers its excess at the start,
//   c_i = min(max(0, s_i - 1), PACKING_MOST),
// and all that is told of its density is s_i - c_i. The memory only fades: wherever s_i - 1 falls below c_i, c_i follows. A
// particle that leaves its wall, or stirred fluid, soon has none; fluid at rest keeps it, and nothing moves. More than PACKING_MOST
// is no matter of sampling: such fluid starts compressed and pushes itself apart.
#ifndef FLUID_PACKING_H
#define FLUID_PACKING_H

#include "fluid/fluid.h"

#define PACKING_MOST 0.07f // [1]

// Densities of the present positions, as just summed, are those at rest.
void packing_begin(Sph* sph);
// After every search: takes the excess from the densities, and forgets what is not there any more.
void packing_apply(Sph* sph);

#endif
