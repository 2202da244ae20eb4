// SPDX-License-Identifier: MIT
// Eight floats at a time. The physics is written once over these functions; AVX-512, AVX2 and the scalar fallback give the same
// bits: every operation is correctly rounded IEEE, fused multiply-adds are explicit, sums across lanes have a fixed order.
// simd_x86.h and simd_scalar.h are the only places that know the instruction set.
#ifndef BASE_SIMD_H
#define BASE_SIMD_H

#include "base/vec.h"
#include <string.h>

enum { LANES = 8, WIDE = 16 };

extern const uint64_t simd_pack_order[256];

// NULL, or the instructions that this build uses and the processor lacks.
const char* simd_missing(void);
// What it was built for, for people.
const char* simd_name(void);

#if defined(MENISCUS_SCALAR)
#include "base/simd_scalar.h"
#else
#include "base/simd_x86.h"
#endif

#endif
