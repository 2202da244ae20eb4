// SPDX-License-Identifier: MIT
// Particles as VTK XML polydata (.vtp): each particle is a point with a vertex cell of its own, so that ParaView shows,
// selects and thresholds single particles.
#include "io/vtp.h"

#include <string.h>

void points_write_vtp(FileOut* file, const PointSet* points)
{
    VtpWriter vtp;
    const PointField* position = &points->field[0];
    vtp_begin(&vtp, file, points->time, (VtpCounts){.points = points->count, .verts = points->count});
    vtp_section(&vtp, "Points", true);
    vtp_declare(&vtp, position->type, position->name, position->components, points->count);
    vtp_section(&vtp, "Points", false);
    vtp_section(&vtp, "PointData", true);
    for (size_t k = 1; k < points->field_count; k++)
        vtp_declare(&vtp, points->field[k].type, points->field[k].name, points->field[k].components, points->count);
    vtp_section(&vtp, "PointData", false);
    vtp_section(&vtp, "Verts", true);
    vtp_declare(&vtp, NUMBER_I32, "connectivity", 1, points->count);
    vtp_declare(&vtp, NUMBER_I32, "offsets", 1, points->count);
    vtp_section(&vtp, "Verts", false);

    vtp_begin_data(&vtp);
    for (size_t k = 0; k < points->field_count; k++) {
        const PointField* field = &points->field[k];
        vtp_array(&vtp, field->data, points->count * (uint64_t)field->components * number_size(field->type));
    }
    vtp_range(&vtp, 0, 1, points->count);
    vtp_range(&vtp, 1, 1, points->count);
    vtp_end(&vtp);
}

static mn_Result store_array(const VtpFile* vtp, const VtpArray* array, int field, const char* path, Frame* frame, mn_Error* error)
{
    int components = frame_field_components(field);
    if (array->components != components || array->count != frame->count * (size_t)components)
        return format_error(error, path, 0, "data array \"%s\" does not fit %zu points", array->name, frame->count);
    size_t size = number_size(array->type);
    for (size_t k = 0; k < array->count; k++)
        frame_store(frame, field, (int)(k % (size_t)components), k / (size_t)components,
                    number_get(array->type, array->data + k * size, vtp->swap));
    return MN_OK;
}

mn_Result frame_read_vtp(const FileBytes* bytes, const char* path, Frame* frame, mn_Error* error)
{
    VtpFile vtp;
    mn_Result result = vtp_parse(bytes, path, &vtp, error);
    if (result != MN_OK)
        return result;
    const VtpArray* position = vtp_find(&vtp, "Points", NULL);
    if (!position)
        return format_error(error, path, 0, "the file has no points");
    if (position->components != 3 || position->count / 3 != vtp.counts.points)
        return format_error(error, path, 0, "the points do not fit the count in the header");
    frame->time = vtp.time;
    if (!frame_allocate(frame, position->count / 3))
        return memory_error(error, path);
    result = store_array(&vtp, position, 0, path, frame, error);
    for (size_t k = 0; k < vtp.array_count && result == MN_OK; k++) {
        int field = strcmp(vtp.array[k].section, "PointData") ? -1 : frame_field_of(vtp.array[k].name, strlen(vtp.array[k].name));
        if (field > 0)
            result = store_array(&vtp, &vtp.array[k], field, path, frame, error);
    }
    return result;
}
