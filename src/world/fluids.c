// SPDX-License-Identifier: MIT
#include "world/fluid_kind.h"

const FluidKind* fluid_kind(mn_Pressure method)
{
    static const FluidKind* const kinds[] = {&fluid_sph, &fluid_flip};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k]->knows(method))
            return kinds[k];
    return kinds[0];
}
