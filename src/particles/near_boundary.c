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

int near_solids(const NearBoundary* near, const uint32_t* solid, uint32_t out[NEAR_SOLIDS])
{
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    int count = 0;
    if (near->solid >= 0) {
        out[count++] = (uint32_t)near->solid;
        return count;
    }
    for (size_t n = 0; n < (size_t)LANES * near->slots; n++) {
        uint32_t k = solid[near->index[n]];
        int seen = 0;
        if (!(coefficient[n] & 0x7fff))
            continue; // padding
        while (seen < count && out[seen] != k)
            seen++;
        if (seen == NEAR_SOLIDS)
            return -1;
        if (seen == count)
            out[count++] = k;
    }
    return count;
}
