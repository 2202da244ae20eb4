// SPDX-License-Identifier: MIT
// What the files share that write USD as a crate file.
#ifndef IO_USD_CRATE_H
#define IO_USD_CRATE_H

#include "io/file.h"
#include "io/usd_layer.h"

enum {
    SPEC_ATTRIBUTE = 1, // numbers that the format gives to types of specs
    SPEC_PRIM = 6,
    SPEC_ROOT = 7,
    CRATE_HEAD_BYTES = 88
};
#define NOBODY UINT32_MAX

// An array that grows.
typedef struct Grown {
    void* data;
    size_t count, capacity;
} Grown;

typedef struct Node { // the root, a prim, or an attribute; its number is its path's
    uint32_t token, parent, first_child, last_child, next;
    uint32_t type;      // SPEC_...
    uint32_t type_name; // of a prim: a token
    uint32_t fields;    // where its list begins
} Node;

typedef struct Track { // samples of an attribute of the current prim
    UsdAttribute attribute;
    Grown times, values; // double, uint64_t
} Track;

typedef struct Crate {
    FileOut file;
    uint64_t place; // bytes written so far
    bool no_memory;
    Grown tokens, nodes;    // char*, Node
    Grown words, reps, set; // uint32_t, uint64_t: fields; uint32_t: lists of them
    Grown last_times;       // of the samples before: most attributes share theirs
    uint64_t last_times_rep;
    uint32_t documentation; // index of its token
    UsdHead head;
    uint32_t prim; // the current one
    Track track[USD_ANIMATED];
    size_t track_count;
} Crate;

static inline Node* node_at(const Crate* c, uint32_t index)
{
    return (Node*)c->nodes.data + index;
}

void crate_put(Crate* crate, const void* data, size_t bytes);
void crate_put_u64(Crate* crate, uint64_t value);
void crate_put_integers(Crate* crate, const void* values, size_t count, bool wide); // pressed, with their size in front

// Writes the sections, their table, and the head that tells where it is (usd_crate_sections.c).
void crate_put_sections(Crate* crate);

#endif
