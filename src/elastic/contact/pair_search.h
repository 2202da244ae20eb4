// SPDX-License-Identifier: MIT
// Finds pairs of features of deformable bodies whose paths, from body->from to body->swept, come near each other.
#ifndef ELASTIC_CONTACT_PAIR_SEARCH_H
#define ELASTIC_CONTACT_PAIR_SEARCH_H

#include "elastic/contact/pair.h"

// A pair of features of two bodies, or of one.
typedef struct ContactPair {
    ContactKind kind;
    uint32_t body[2];  // of the first and of the second feature
    uint32_t point[4]; // a point and the corners of a face, or the ends of two edges
    bool passed;       // they went through each other
    bool met;          // within substeps: they are too near, or may be
    uint16_t wait;     // within substeps: they cannot meet in so many of them
    float side;        // +1 or -1: of the normal of pair_place(); 0: not known yet
    double gap;        // [m] that it should have
    double had;        // [m] that it had when its side was found, at most the gap
} ContactPair;

typedef struct PairList { // of one worker
    ContactPair* pair;
    size_t count, capacity;
    bool failed; // out of memory
} PairList;

typedef struct BlockRange { // pairs of a block
    int worker;
    size_t first, count;
} BlockRange;

struct PairSearch {
    PairList* list; // per worker
    int lists;
    BlockRange* range; // per block of leaves
    size_t range_count, range_capacity;
};
typedef struct PairSearch PairSearch;

// Whether a pair counts; may fill in the rest of it.
typedef bool PairTest(const ElasticSet* set, ContactPair* pair, double dt);

PairSearch* pair_search_create(ElasticSet* set); // NULL: out of memory
void pair_search_destroy(ElasticSet* set, PairSearch* search);
// Of bodies that are active; their tree, from, swept and reach must be there. Points that stay beside a face, by a share `beside`
// of its size, are left out; INFINITY: none is, nor what is one flat piece. False: out of memory. Pairs come in the same order for
// any number of threads: range by range.
bool pair_search_run(ElasticSet* set, PairSearch* search, PairTest* test, double beside, double dt);
void pair_search_empty(PairSearch* search);
size_t pair_search_count(const PairSearch* search);

#endif
