// SPDX-License-Identifier: MIT
// What pairs.c keeps.
#ifndef ELASTIC_PAIRS_PARTS_H
#define ELASTIC_PAIRS_PARTS_H

#include "elastic/cells.h"
#include "elastic/pairs.h"

enum { PAIR_GRAIN = 256, MOST_CELLS_OF_A_BOX = 4096 };

// A point and a face, of two bodies or of one.
typedef struct Pair {
    uint32_t body, item, other, against;
    double side;   // +1 or -1: of the face's normal
    double gap;    // [m] that it should have
    double target; // [m] that it gets in this step, at most the gap
} Pair;

typedef struct PairList { // of one worker
    Pair* pair;
    size_t count, capacity;
    bool failed; // out of memory
} PairList;

typedef struct BlockRange { // pairs of a block
    int worker;
    size_t first, count;
} BlockRange;

struct Pairs {
    Cells points;
    PairList* list; // per worker
    int lists;
    BlockRange* range; // per block of faces
    size_t range_count, range_capacity;
    double* way; // [m2] scratch (blocks of points)
    size_t way_capacity;
    double width;    // [m] of cells
    double farthest; // [m] that a point moved in the step
};

// Two sides that push each other: points with weights, those of the first side positive, of the other negative; sums 1 and -1.
typedef struct Touching {
    Body* body[4];
    uint32_t point[4];
    double weight[4];
} Touching;

bool pairs_take_part(const ElasticSet* set, size_t body);
void pairs_note(ElasticSet* set, int worker, Pair pair);
// Room for the ranges of `blocks` more blocks. False: out of memory.
bool pairs_reserve_ranges(ElasticSet* set, size_t blocks);

#endif
