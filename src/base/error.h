// SPDX-License-Identifier: MIT
// Filling an mn_Error. Every function returns `result`, so that callers can `return error_set(...)`.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <meniscus/base.h>

// `error` may be NULL. Clears file, key and place.
__attribute__((format(printf, 3, 4))) mn_Result error_set(mn_Error* error, mn_Result result, const char* format, ...);
// Adds the place to an error that was just set.
void error_at(mn_Error* error, const char* file, int line, int column);
// Sets or, with `prefix` true, puts in front of the dotted key ("fluids.0" + "density").
__attribute__((format(printf, 2, 3))) void error_key(mn_Error* error, const char* format, ...);

// Bad input at a key, in one call.
mn_Result error_bad(mn_Error* error, const char* key, const char* message);

// The candidate nearest to `word` by edit distance, or NULL if none is near enough to be meant.
const char* nearest_word(const char* word, const char* const* candidates, size_t count);

#endif
