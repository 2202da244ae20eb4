// SPDX-License-Identifier: MIT
// How crate files (.usdc) press bytes and whole numbers: blocks of LZ4, and differences of one, two, four or eight bytes.
#ifndef IO_USD_CODING_H
#define IO_USD_CODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Most bytes that LZ4 makes of so many, and most that it takes at once.
size_t lz4_bound(size_t bytes);
#define LZ4_MOST ((size_t)0x7e000000)
// One block of LZ4, with the byte in front that crate files put there; returns its size. `out` has room for lz4_bound().
size_t lz4_pack(const void* data, size_t bytes, uint8_t* out);

// Whole numbers of four bytes (`wide` false) or eight, as differences and then by LZ4: malloc'ed bytes, NULL without memory.
uint8_t* integers_pack(const void* values, size_t count, bool wide, size_t* bytes);

#endif
