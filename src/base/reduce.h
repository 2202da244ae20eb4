// SPDX-License-Identifier: MIT
// Sums, maxima and counts over many items, in one place: each block of items leaves its values, and those of the blocks are put
// together in the order of the blocks. The borders of blocks do not depend on the number of threads, so neither do the bits.
#ifndef BASE_REDUCE_H
#define BASE_REDUCE_H

#include "base/parallel.h"

enum { REDUCE_MOST = 4, REDUCE_BLOCKS = 1024 };

typedef enum ReduceOp { REDUCE_SUM, REDUCE_MAX } ReduceOp; // a maximum starts from 0

// What `width` values of a block are: they start at 0 in `out`.
typedef void ReduceFn(void* context, size_t begin, size_t end, double out[]);

// Over [0, count) in blocks of `grain` items, or larger ones where that would be more than REDUCE_BLOCKS.
void reduce(Pool* pool, size_t count, size_t grain, ReduceFn* work, void* context, int width, const ReduceOp op[], double out[]);

// The same for one value.
double reduce_sum(Pool* pool, size_t count, size_t grain, ReduceFn* work, void* context);
double reduce_max(Pool* pool, size_t count, size_t grain, ReduceFn* work, void* context);

// Puts values together that a loop of one's own has left, `width` per block.
void reduce_blocks(const double* value, size_t blocks, int width, const ReduceOp op[], double out[]);

#endif
