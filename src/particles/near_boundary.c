// SPDX-License-Identifier: MIT
#include "particles/neighbours.h"

void near_note_solid(NearBoundary* near, const uint32_t* solid)
{
    const uint32_t* index = near->index;
    const uint16_t* coefficient = list_coefficients(index, near->slots);
    uint32_t hit[LANES] = {0}, other = 0, only = 0;
    for (size_t k = 0; k < (size_t)LANES * near->slots; k++)
        if (coefficient[k] & 0x7fff) { // padding has c = 0
            only = solid[index[k]];
            break;
        }
    for (uint32_t s = 0; s < near->slots; s++, index += LANES, coefficient += LANES)
        for (int k = 0; k < LANES; k++) {
            uint32_t pair = coefficient[k] & 0x7fff ? UINT32_MAX : 0;
            other |= (solid[index[k]] ^ only) & pair;
            hit[k] |= pair;
        }
    for (int k = 0; k < LANES; k++)
        near->lanes |= (uint8_t)(hit[k] & 1u << k);
    near->solid = other || !near->lanes ? -1 : (int32_t)only;
}
