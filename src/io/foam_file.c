// SPDX-License-Identifier: MIT
#include "io/foam_file.h"

#include "io/frame_gather.h"
#include "io/points.h"
#include "io/run_names.h"
#include <stdlib.h>
#include <unistd.h>

mn_Result foam_write(const char* path, mn_ParticleFormat format, const mn_FoamView* foam, double time, mn_Error* error)
{
    Frame frame = {0};
    mn_Result result = frame_gather_foam(foam, time, &frame, error);
    float* radius = result == MN_OK ? malloc((frame.count + 1) * sizeof *radius) : NULL;
    if (result == MN_OK && !radius)
        result = memory_error(error, path);
    if (result == MN_OK) {
        for (size_t k = 0; k < frame.count; k++)
            radius[k] = frame.radius;
        const PointField field[] = {{"position", NUMBER_F32, 3, frame.position}, {"velocity", NUMBER_F32, 3, frame.velocity},
                                    {"age", NUMBER_F32, 1, frame.density},       {"life", NUMBER_F32, 1, frame.pressure},
                                    {"radius", NUMBER_F32, 1, radius},           {"id", NUMBER_U32, 1, frame.id},
                                    {"kind", NUMBER_U8, 1, frame.fluid}};
        PointSet points = {.time = time, .count = frame.count, .field_count = sizeof field / sizeof *field, .field = field};
        result = points_write(path, format, &points, error);
    }
    free(radius);
    frame_free(&frame);
    return result;
}

bool foam_find(const RunFolder* run, const char* folder, size_t index, char* path, size_t size)
{
    const mn_ParticleFormat formats[] = {run->format,      MN_PARTICLES_VTP, MN_PARTICLES_PLY,
                                         MN_PARTICLES_VTK, MN_PARTICLES_CSV, MN_PARTICLES_BGEO};
    char own[PATH_SIZE], found[PATH_SIZE];
    RunNames names;
    if (path_join(own, run->path, RUN_FRAMES, NULL) != MN_OK || run_names_make(&names, run->scene, NULL) != MN_OK)
        return false;
    bool is_there = false;
    for (size_t k = 0; k < sizeof formats / sizeof *formats && !is_there; k++)
        is_there = formats[k] != MN_PARTICLES_NONE &&
                   series_path(found, folder ? folder : own, names.fluid[names_foam(&names)], run->frame_number[index],
                               frame_extension(formats[k]), NULL) == MN_OK &&
                   !access(found, R_OK);
    run_names_free(&names);
    return is_there && snprintf(path, size, "%s", found) < (int)size;
}
