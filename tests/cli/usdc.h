// SPDX-License-Identifier: MIT
// A small reader of USD crate files (.usdc, 0.8.0), for what is written here; into the same structure as the one of text.
#ifndef TESTS_CLI_USDC_H
#define TESTS_CLI_USDC_H

#include "cli/usda.h"
#include <stdint.h>

// What is wrong is in layer->trouble.
void usdc_read(UsdaLayer* layer, const uint8_t* bytes, size_t size);

// Bytes that LZ4 gives back of one block with the byte in front, at most `room`; SIZE_MAX: it is broken.
size_t lz4_unpack(const uint8_t* in, size_t bytes, uint8_t* out, size_t room);
bool integers_unpack(const uint8_t* in, size_t bytes, size_t count, bool wide, int64_t* out);

#endif
