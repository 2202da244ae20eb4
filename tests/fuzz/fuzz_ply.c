// SPDX-License-Identifier: MIT
// Feeds arbitrary bytes to the PLY reader and, if they are a mesh, to everything that takes one.
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    return fuzz_mesh(data, size, ply_read);
}
