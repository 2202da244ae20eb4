// SPDX-License-Identifier: MIT
#include "base/reduce.h"

#include <math.h>
#include <string.h>

typedef struct Job {
    ReduceFn* work;
    void* context;
    int width;
    double* value; // (blocks x width)
} Job;

static void reduce_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    job->work(job->context, begin, end, job->value + block * (size_t)job->width);
}

void reduce_blocks(const double* value, size_t blocks, int width, const ReduceOp op[], double out[])
{
    memset(out, 0, (size_t)width * sizeof *out);
    for (size_t b = 0; b < blocks; b++)
        for (int k = 0; k < width; k++) {
            double v = value[b * (size_t)width + (size_t)k];
            out[k] = op[k] == REDUCE_SUM ? out[k] + v : fmax(out[k], v);
        }
}

void reduce(Pool* pool, size_t count, size_t grain, ReduceFn* work, void* context, int width, const ReduceOp op[], double out[])
{
    double value[REDUCE_BLOCKS * REDUCE_MOST];
    size_t times = block_count(block_count(count, grain), REDUCE_BLOCKS); // blocks of the grain in one of ours
    size_t own = grain * (times > 1 ? times : 1), blocks = block_count(count, own);
    memset(value, 0, blocks * (size_t)width * sizeof *value);
    Job job = {work, context, width, value};
    parallel_for(pool, count, own, reduce_block, &job);
    reduce_blocks(value, blocks, width, op, out);
}

double reduce_sum(Pool* pool, size_t count, size_t grain, ReduceFn* work, void* context)
{
    double out;
    reduce(pool, count, grain, work, context, 1, (const ReduceOp[]){REDUCE_SUM}, &out);
    return out;
}

double reduce_max(Pool* pool, size_t count, size_t grain, ReduceFn* work, void* context)
{
    double out;
    reduce(pool, count, grain, work, context, 1, (const ReduceOp[]){REDUCE_MAX}, &out);
    return out;
}
