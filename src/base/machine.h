// SPDX-License-Identifier: MIT
// What the machine can give.
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

// [bytes] of memory that this process can still take without swapping: what the kernel calls available, or less where a control
// group (a container, a batch system) sets a limit. Infinite where nothing says. `root` is "" but for tests: files are read below
// it.
double machine_memory(const char* root);

#endif
