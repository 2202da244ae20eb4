// SPDX-License-Identifier: MIT
#include "rigid/body_mass.h"

#include "base/error.h"
#include "mesh/mass.h"

void inverse_3x3(const double a[3][3], double out[3][3])
{
    double c[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int r0 = (j + 1) % 3, r1 = (j + 2) % 3, c0 = (i + 1) % 3, c1 = (i + 2) % 3;
            c[i][j] = a[r0][c0] * a[r1][c1] - a[r0][c1] * a[r1][c0];
        }
    double determinant = a[0][0] * c[0][0] + a[0][1] * c[1][0] + a[0][2] * c[2][0];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = c[i][j] / determinant;
}

static mn_Result bad(mn_Error* error, const char* key, const char* message)
{
    error_set(error, MN_BAD_INPUT, "%s", message);
    error_key(error, "%s", key);
    return MN_BAD_INPUT;
}

static bool is_positive(Vec3d v)
{
    return v.x > 0 && v.y > 0 && v.z > 0;
}

// No body has a moment larger than the sum of the other two.
static bool is_possible(Vec3d i)
{
    double slack = 1 + 1e-9;
    return i.x <= (i.y + i.z) * slack && i.y <= (i.z + i.x) * slack && i.z <= (i.x + i.y) * slack;
}

// Where the def puts the centre: any place that a body within the mesh's bounds could have it at.
static mn_Result place_centre(const mn_SolidDef* def, const TriMesh* mesh, double thickness, Vec3d* centre, mn_Error* error)
{
    Vec3d wanted = def->centre_of_mass;
    if (isinf(wanted.x) && isinf(wanted.y) && isinf(wanted.z))
        return MN_OK;
    Box3d bounds = tri_mesh_bounds(mesh);
    double slack = 1e-9 * vec3d_distance(bounds.min, bounds.max) + 0.5 * thickness;
    const double at[3] = {wanted.x, wanted.y, wanted.z}, low[3] = {bounds.min.x, bounds.min.y, bounds.min.z};
    const double high[3] = {bounds.max.x, bounds.max.y, bounds.max.z};
    for (int k = 0; k < 3; k++)
        if (!(at[k] >= low[k] - slack && at[k] <= high[k] + slack)) {
            error_set(error, MN_BAD_INPUT, "%c is %g m, outside of the shape, which lies between %g and %g m in its own frame",
                      "xyz"[k], at[k], low[k], high[k]);
            error_key(error, "centre_of_mass");
            return MN_BAD_INPUT;
        }
    *centre = wanted;
    return MN_OK;
}

mn_Result body_mass(const mn_SolidDef* def, const TriMesh* mesh, bool closed, double thickness, double deep, BodyMass* out,
                    mn_Error* error)
{
    MassProperties p;
    if (!closed)
        p = mesh->triangle_count ? mass_of_shell(mesh, thickness) : mass_of_rod(mesh, thickness, deep);
    else if (!mass_of_union(mesh, &p))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for the mass of a body");
    *out = (BodyMass){.volume = p.volume, .centre = p.centre};
    if (!(p.volume > 0) || !vec3d_finite(p.centre))
        return bad(error, "shape", "encloses no volume, so that a rigid body of it has no mass");
    if (!(def->mass > 0) && !(def->density > 0 && isfinite(def->density)))
        return bad(error, "density", "must be a number above 0 [kg/m3]");
    out->mass = def->mass > 0 ? def->mass : def->density * p.volume;
    if (!isfinite(out->mass))
        return bad(error, "mass", "must be finite [kg]");
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out->inertia[i][j] = out->mass / p.volume * p.inertia[i][j];
    if (def->inertia.x != MN_AUTO || def->inertia.y != MN_AUTO || def->inertia.z != MN_AUTO) {
        if (!is_positive(def->inertia) || !vec3d_finite(def->inertia))
            return bad(error, "inertia", "each moment must be a number above 0 [kg m2]");
        if (!is_possible(def->inertia))
            return bad(error, "inertia", "no body has one moment larger than the sum of the other two");
        // far below what any body of this mass and size has, its turns are beyond all numbers
        double largest = fmax(out->inertia[0][0], fmax(out->inertia[1][1], out->inertia[2][2])), least = 1e-9 * largest;
        if (!(fmin(def->inertia.x, fmin(def->inertia.y, def->inertia.z)) >= least)) {
            error_set(error, MN_BAD_INPUT, "each moment of a body of this size and mass must be at least %.3g kg m2", least);
            error_key(error, "inertia");
            return MN_BAD_INPUT;
        }
        const double given[3] = {def->inertia.x, def->inertia.y, def->inertia.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                out->inertia[i][j] = i == j ? given[i] : 0;
    }
    return place_centre(def, mesh, closed ? 0 : thickness, &out->centre, error);
}
