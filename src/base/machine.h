// SPDX-License-Identifier: MIT
// What the machine can give.
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

// [bytes] of memory that this process can still take without swapping: what the kernel calls available, or less where a control
// group (a container, a batch system) sets a limit. Infinite where nothing says. `root` is "" but for tests: files are read below
// it.
double machine_memory(const char* root);

// Whether there is a device that a driver of a GPU works through; true where the system is another one than Linux. `root` as above.
bool machine_has_gpu(const char* root);

// The path of a file in the folder of the program that runs. False: that is not known, or it is too long.
bool machine_beside_program(const char* name, char* out, size_t size);

#endif
