// SPDX-License-Identifier: MIT
// Polar decomposition. Where f is far from flat, Newton's iteration (Higham 1986)
//   R <- (R + R^-T) / 2
// converges quadratically. Elsewhere the singular value decomposition f = U diag(s) V^T by Jacobi rotations of f^T f, with the
// third column of U from the first two, so that U V^T is a rotation (Irving 2004, section 5).
#include "elastic/mat3.h"

#include "base/eigen.h"

static bool newton_rotation(const Mat3* f, Mat3* out)
{
    Mat3 r = *f;
    for (int k = 0; k < 16; k++) {
        double det = mat3_determinant(&r);
        if (!(det > 1e-3))
            return false;
        Mat3 adjugate = mat3_adjugate(&r);
        double change = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double next = 0.5 * (r.m[i][j] + adjugate.m[j][i] / det);
                change += (next - r.m[i][j]) * (next - r.m[i][j]);
                adjugate.m[j][i] = next;
            }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                r.m[i][j] = adjugate.m[j][i];
        if (change < 1e-26) {
            *out = r;
            return true;
        }
    }
    return false;
}

static Vec3d column(const Mat3* a, int k)
{
    return vec3d(a->m[0][k], a->m[1][k], a->m[2][k]);
}

static Vec3d any_perpendicular(Vec3d n)
{
    Vec3d axis = fabs(n.x) < 0.6 ? vec3d(1, 0, 0) : vec3d(0, 1, 0);
    return vec3d_normalise(vec3d_cross(n, axis));
}

static void set_columns(Mat3* a, Vec3d c0, Vec3d c1, Vec3d c2)
{
    *a = (Mat3){{{c0.x, c1.x, c2.x}, {c0.y, c1.y, c2.y}, {c0.z, c1.z, c2.z}}};
}

void mat3_svd(const Mat3* f, Mat3* u, double s[3], Mat3* v)
{
    Mat3 a = mat3_mul_left_transposed(f, f), e;
    eigen_symmetric(a.m, e.m);
    // largest stretch first
    int order[3] = {0, 1, 2};
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2 - k; j++)
            if (a.m[order[j]][order[j]] < a.m[order[j + 1]][order[j + 1]]) {
                int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
    Vec3d v0 = column(&e, order[0]), v1 = column(&e, order[1]), v2 = vec3d_cross(v0, v1);
    Vec3d u0 = mat3_times(f, v0), u1 = mat3_times(f, v1);
    u0 = vec3d_length(u0) > 1e-12 ? vec3d_normalise(u0) : v0;
    u1 = vec3d_mad(u1, -vec3d_dot(u0, u1), u0);
    u1 = vec3d_length(u1) > 1e-12 ? vec3d_normalise(u1) : any_perpendicular(u0);
    Vec3d u2 = vec3d_cross(u0, u1);
    set_columns(u, u0, u1, u2);
    set_columns(v, v0, v1, v2);
    s[0] = vec3d_dot(u0, mat3_times(f, v0));
    s[1] = vec3d_dot(u1, mat3_times(f, v1));
    s[2] = vec3d_dot(u2, mat3_times(f, v2));
}

Mat3 mat3_rotation(const Mat3* f)
{
    Mat3 r, u, v;
    double s[3];
    if (newton_rotation(f, &r))
        return r;
    mat3_svd(f, &u, s, &v);
    return mat3_mul_right_transposed(&u, &v);
}
