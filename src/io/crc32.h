// SPDX-License-Identifier: MIT
// CRC-32 (the polynomial of Ethernet and zip, reflected 0xEDB88320), eight bytes at a time.
#ifndef IO_CRC32_H
#define IO_CRC32_H

#include <stddef.h>
#include <stdint.h>

// Start with crc 0; feed the result back in to go on. crc32("123456789") = 0xcbf43926.
uint32_t crc32_update(uint32_t crc, const void* data, size_t bytes);

#endif
