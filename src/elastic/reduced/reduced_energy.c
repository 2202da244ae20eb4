// SPDX-License-Identifier: MIT
// The energy of a deformation gradient, in double and to the end: for totals and tests.
//   mu |F - R|^2 + 3/2 lambda |F - G|^2
// In singular values s of F, R is 1, and G has values g with product 1 for which sum (s - g)^2 is least: g_k - s_k = c / g_k.
#include "elastic/reduced/reduced.h"

double reduced_energy_density(const Reduced* s, const Mat3* f)
{
    Mat3 u, v;
    double value[3], stretch = 0, distance = 0;
    mat3_svd(f, &u, value, &v);
    for (int k = 0; k < 3; k++)
        stretch += (value[k] - 1) * (value[k] - 1);
    if (s->lambda > 0) {
        double g[3] = {value[0], value[1], value[2]};
        for (int turn = 0; turn < 30; turn++) {
            // the foot of the perpendicular to the tangent plane of the surface at g
            double product = g[0] * g[1] * g[2], normal[3] = {g[1] * g[2], g[0] * g[2], g[0] * g[1]}, square = 0.3, along = 0;
            double own = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
            square = fmax(square, own);
            for (int k = 0; k < 3; k++)
                along += normal[k] * (value[k] - g[k]);
            double step = (1 - product - along) / square;
            for (int k = 0; k < 3; k++)
                g[k] = value[k] + step * normal[k];
        }
        for (int k = 0; k < 3; k++)
            distance += (value[k] - g[k]) * (value[k] - g[k]);
    }
    return s->mu * stretch + 1.5 * s->lambda * distance;
}
