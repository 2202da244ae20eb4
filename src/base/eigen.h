// SPDX-License-Identifier: MIT
// Eigenvalues of a symmetric 3x3 matrix by Jacobi's rotations: slower than a formula, and exact where eigenvalues are alike.
#ifndef BASE_EIGEN_H
#define BASE_EIGEN_H

#include <math.h>

// Turns rows and columns p and q of `a` so that a[p][q] becomes 0; the columns of `v` collect the rotations.
static inline void eigen_rotate(double a[3][3], double v[3][3], int p, int q)
{
    if (fabs(a[p][q]) < 1e-300)
        return;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        double pk = a[p][k], qk = a[q][k], vp = v[k][p], vq = v[k][q];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
}

// Leaves the eigenvalues on the diagonal of `a`, in no order, and the eigenvectors in the columns of `v`.
static inline void eigen_symmetric(double a[3][3], double v[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            v[i][j] = i == j;
    for (int sweep = 0; sweep < 12; sweep++) {
        eigen_rotate(a, v, 0, 1);
        eigen_rotate(a, v, 0, 2);
        eigen_rotate(a, v, 1, 2);
    }
}

#endif
