// SPDX-License-Identifier: MIT
#include "fluid/emitter.h"

// Whether a particle of the last sort is closer than `distance` to `p`. Positions have moved by less than a support since.
static bool is_occupied(const EmitterTarget* to, size_t known, Vec3d p, double distance)
{
    const CellGrid* grid = to->grid;
    const Vec4* position = *to->particles->position;
    if (grid->segment_count == 0)
        return false;
    SegmentKey key = {grid_column(grid, p.x) >> 6, grid_row(grid, (float)p.y), grid_row(grid, (float)p.z)};
    uint32_t around[27];
    if (!grid_around(grid, key, around))
        return false;
    int32_t low = grid_column(grid, p.x - grid->cell), high = grid_column(grid, p.x + grid->cell);
    for (int row = 0; row < 9; row++) {
        uint32_t begin, end;
        grid_run(grid, key, around, row, low, high, &begin, &end);
        for (uint32_t j = begin; j < end && j < known; j++) {
            Vec4 q = position[j];
            Vec3d d = vec3d_sub(vec3d((double)q.x, (double)q.y, (double)q.z), p);
            if (vec3d_dot(d, d) < distance * distance)
                return true;
        }
    }
    return false;
}

static bool in_nozzle(const mn_Emitter* def, double x, double z, double slack)
{
    return def->type == MN_EMITTER_BOX ? true : x * x + z * z <= def->size[0] * def->size[0] * (1 + slack);
}

static bool release_layer(Emitter* e, const EmitterTarget* to, double ahead, size_t known, uint64_t* next_id, uint64_t* out_emitted)
{
    const mn_Emitter* def = &e->def;
    double d = 2 * to->radius;
    double width = def->type == MN_EMITTER_BOX ? def->size[0] : 2 * def->size[0];
    double depth = def->type == MN_EMITTER_BOX ? def->size[1] : 2 * def->size[0];
    int nx = (int)fmax(1, floor(width / d + 0.01)), nz = to->dimension == 3 ? (int)fmax(1, floor(depth / d + 0.01)) : 1;
    Vec3d jet = quat_rotate(def->rotation, vec3d(0, 1, 0));
    for (int k = 0; k < nz; k++)
        for (int i = 0; i < nx; i++) {
            if (def->limit >= 0 && e->emitted >= def->limit)
                return true;
            double x = d * (i - 0.5 * (nx - 1)), z = d * (k - 0.5 * (nz - 1));
            if (!in_nozzle(def, x, z, 1e-6))
                continue;
            Vec3d p = vec3d_add(def->position, quat_rotate(def->rotation, vec3d(x, ahead, z)));
            if (is_occupied(to, known, p, 0.7 * d))
                continue;
            if (!moving_append(to->particles, p, vec3d_scale(jet, def->speed), e->kind, (uint32_t)*next_id))
                return false;
            (*next_id)++;
            (*out_emitted)++;
            e->emitted++;
        }
    return true;
}

bool emitter_release(Emitter* e, const EmitterTarget* to, double time, uint64_t* next_id, uint64_t* out_emitted)
{
    const mn_Emitter* def = &e->def;
    double period = 2 * to->radius / def->speed;
    size_t known = moving_count(to->particles);
    for (;;) {
        double due = def->start + (double)e->layers * period;
        if (due > time || due >= def->end || (def->limit >= 0 && e->emitted >= def->limit))
            return true;
        if (!release_layer(e, to, (time - due) * def->speed, known, next_id, out_emitted))
            return false;
        e->layers++;
    }
}
