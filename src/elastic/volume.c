// SPDX-License-Identifier: MIT
#include "elastic/volume.h"

#include "base/error.h"

static double resolution_of(const SolidSetting* setting, const mn_SolidDef* def)
{
    return def->resolution > 0 ? def->resolution : 2 * setting->radius;
}

static mn_Result box_cells(Vec3d size, double spacing, int cells[3], mn_Error* error)
{
    double wanted[3] = {size.x / spacing, size.y / spacing, size.z / spacing};
    if (!(fmax(wanted[0], 1) * fmax(wanted[1], 1) * fmax(wanted[2], 1) < 2e7))
        return error_bad(error, "resolution", "would need more than 1e8 tetrahedra; use a larger one");
    for (int k = 0; k < 3; k++)
        cells[k] = wanted[k] < 1 ? 1 : (int)(wanted[k] + 0.5);
    return MN_OK;
}

static void place_tets(TetMesh* tets, const mn_SolidDef* def, bool scale)
{
    Quat turn = quat_normalise(def->pose.rotation);
    for (size_t k = 0; k < tets->point_count; k++) {
        Vec3d p = scale ? vec3d_mul(tets->point[k], def->scale) : tets->point[k];
        tets->point[k] = vec3d_add(quat_rotate(turn, p), def->pose.position);
    }
    // a mirroring scale turns tetrahedra inside out
    if (scale && def->scale.x * def->scale.y * def->scale.z < 0)
        for (size_t k = 0; k < tets->tet_count; k++) {
            uint32_t t = tets->tet[k][0];
            tets->tet[k][0] = tets->tet[k][1];
            tets->tet[k][1] = t;
        }
}

static mn_Result read_tets(const SolidSetting* setting, const mn_SolidDef* def, TetMesh* tets, mn_Error* error)
{
    char path[4096];
    mn_Result result = shape_file(&def->shape, setting->folder, path, sizeof path, error);
    if (result == MN_OK)
        result = tet_mesh_read(path, tets, error);
    if (result == MN_OK && (result = tet_mesh_check(tets, error)) != MN_OK)
        error_at(error, path, 0, 0);
    if (result == MN_OK)
        place_tets(tets, def, true);
    return result;
}

static bool keeps_z(mn_Quat rotation)
{
    Vec3d z = quat_rotate(quat_normalise(rotation), vec3d(0, 0, 1));
    return fabs(z.z) > 1 - 1e-9;
}

static mn_Result fill_box(const SolidSetting* setting, const mn_SolidDef* def, TetMesh* tets, mn_Error* error)
{
    Vec3d scale = def->scale, size = vec3d_mul(def->shape.size, vec3d(fabs(scale.x), fabs(scale.y), fabs(scale.z)));
    int cells[3];
    mn_Result result = box_cells(size, resolution_of(setting, def), cells, error);
    if (def->plane_strain && keeps_z(def->pose.rotation))
        cells[2] = 1; // nothing depends on z
    if (result == MN_OK && !tet_mesh_box(size, cells, tets))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for tetrahedra");
    if (result == MN_OK)
        place_tets(tets, def, false);
    return result;
}

mn_Result volume_create(const SolidSetting* setting, Solid* solid, const mn_SolidDef* def, TetMesh* tets, uint32_t** point_of,
                        mn_Error* error)
{
    if (!solid->closed)
        return error_bad(error, "structure", "a volume needs a closed shape; this one has open edges");
    if (def->shape.type != MN_SHAPE_BOX && def->shape.type != MN_SHAPE_TETS)
        return tet_mesh_fill(&solid->mesh, resolution_of(setting, def), tets, error);
    mn_Result result =
        def->shape.type == MN_SHAPE_TETS ? read_tets(setting, def, tets, error) : fill_box(setting, def, tets, error);
    if (result != MN_OK)
        return result;
    TriMesh surface = {0};
    if (!tet_mesh_surface(tets, &surface, point_of) || !solid_set_mesh(solid, &surface, setting->memory))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for the surface of tetrahedra");
    return MN_OK;
}
