// SPDX-License-Identifier: MIT
// Takes the grain out of a picture that was made of few samples.
#ifndef TRACE_DENOISE_H
#define TRACE_DENOISE_H

#include "trace/trace.h"

// Light of the film as it would be with many more samples (height x width, linear, mean of a sample). Needs at least two samples.
// The same bits for any number of threads. False: out of memory.
bool trace_denoise(const TraceFilm* film, Pool* pool, Vec3* out);

#endif
