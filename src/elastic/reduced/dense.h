// SPDX-License-Identifier: MIT
// Small dense symmetric matrices in double, some hundred rows: factor, solve, multiply. All loops run along rows, so that they
// vectorise without changing the order of a single sum: every build gives the same bits, which a library would not promise.
#ifndef ELASTIC_REDUCED_DENSE_H
#define ELASTIC_REDUCED_DENSE_H

#include <stdbool.h>
#include <stddef.h>

// A = U^T U (Cholesky) of the upper half of a row-major n x n matrix, in place; the lower half becomes U^T. False: not positive.
bool dense_factor(double* a, size_t n);
// The whole of A^-1 from a factor.
void dense_inverse(const double* factor, size_t n, double* inverse);
// A x = b with a factor, for three vectors of length n that follow each other. In place.
void dense_solve3(const double* factor, size_t n, double* b);
// out = A in for a symmetric A and three vectors of length n that follow each other.
void dense_times3(const double* a, size_t n, const double* in, double* out);

#endif
