// SPDX-License-Identifier: MIT
// Own seeded random numbers (splitmix64): the same on every machine, stateless if wanted.
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline uint64_t random_mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint64_t random_next(Random* random)
{
    uint64_t value = random_mix(random->state);
    random->state += 0x9e3779b97f4a7c15u;
    return value;
}

// Uniform in [0, 1).
static inline double random_unit(Random* random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

// Uniform in [low, high).
static inline double random_range(Random* random, double low, double high)
{
    return low + (high - low) * random_unit(random);
}

#endif
