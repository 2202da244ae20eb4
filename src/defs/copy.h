// SPDX-License-Identifier: MIT
// Definitions that own what they point to, by the table of keys: strings and lists are copied and freed with them.
#ifndef DEFS_COPY_H
#define DEFS_COPY_H

#include "defs/keys.h"

// `to` becomes a copy of `from`. False: out of memory, and `to` owns nothing.
bool def_copy(const Section* section, void* to, const void* from);
// Frees what the keys of a section own, not the object itself.
void def_free(const Section* section, void* object);

// One more item at the end of a list of a def: a copy. False: out of memory.
bool def_append(const Section* section, void* list, size_t* count, const void* item);

#endif
