// SPDX-License-Identifier: MIT
// meniscus sample: the boundary particles of a triangle mesh as a file of points with normals.
#include "boundary/sample.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli.h"
#include "io/points.h"
#include "mesh/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct SampleJob {
    const char* mesh;
    const char* out;
    double radius; // [m]
    double offset; // [m]
    bool quiet;
} SampleJob;

static bool format_of(const char* path, mn_ParticleFormat* format)
{
    static const mn_ParticleFormat formats[] = {MN_PARTICLES_VTP, MN_PARTICLES_PLY, MN_PARTICLES_VTK, MN_PARTICLES_CSV};
    const char* dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof formats / sizeof *formats; k++)
        if (!strcasecmp(dot + 1, frame_extension(formats[k]))) {
            *format = formats[k];
            return true;
        }
    return false;
}

static mn_Result write_samples(const char* path, mn_ParticleFormat format, const SurfaceSamples* samples, mn_Error* error)
{
    uint32_t* numbers = malloc(2 * (samples->count + 1) * sizeof *numbers);
    if (!numbers)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    uint32_t *id = numbers, *primitive = numbers + samples->count;
    for (size_t k = 0; k < samples->count; k++) {
        id[k] = (uint32_t)k;
        primitive[k] = samples->anchor[k].primitive;
    }
    const PointField fields[] = {{"position", NUMBER_F32, 3, samples->position},
                                 {"id", NUMBER_U32, 1, id},
                                 {"normal", NUMBER_F32, 3, samples->normal},
                                 {"triangle", NUMBER_U32, 1, primitive}};
    PointSet points = {.count = samples->count, .field_count = sizeof fields / sizeof *fields, .field = fields};
    mn_Result result = points_write(path, format, &points, error);
    free(numbers);
    return result;
}

static int report(const SampleJob* job, const TriMesh* mesh, const SurfaceSamples* samples, double elapsed)
{
    char particles[32], triangles[32];
    if (!job->quiet)
        printf("%s: %s particles, spacing %g m, on %s triangles in %.1f ms\n", job->out, text_count(samples->count, particles),
               2 * job->radius, text_count(mesh->triangle_count, triangles), elapsed);
    return STATUS_DONE;
}

static int sample_mesh(const SampleJob* job, mn_ParticleFormat format, const TriMesh* mesh)
{
    SurfaceSamples samples = {0};
    mn_Error error = {0};
    if (mesh->triangle_count + mesh->segment_count == 0)
        return complain(STATUS_USAGE, "%s: there are no triangles in it", job->mesh);
    double start = 1e3 * clock_seconds();
    if (!surface_sample(mesh, 2 * job->radius, job->offset, &samples, NULL))
        return complain(STATUS_USAGE, "--radius %g: too small for %s, more than %d particles or than there is memory for",
                        job->radius, job->mesh, SURFACE_SAMPLE_LIMIT);
    double elapsed = 1e3 * clock_seconds() - start;
    int status = STATUS_DONE;
    if (samples.count == 0)
        status = complain(STATUS_USAGE, "%s: all of its triangles are degenerate", job->mesh);
    else if (write_samples(job->out, format, &samples, &error) != MN_OK)
        status = complain_error(&error);
    else
        status = report(job, mesh, &samples, elapsed);
    surface_samples_free(&samples, NULL);
    return status;
}

int command_sample(int argc, char** argv)
{
    SampleJob job = {0};
    const Option options[] = {
        {"radius", 'r', OPTION_NUMBER, &job.radius, "R", "particle radius [m]; particles are 2 R apart"},
        {"out", 'o', OPTION_TEXT, &job.out, "FILE", "where the particles go: .vtp, .ply, .vtk or .csv"},
        {"offset", 0, OPTION_NUMBER, &job.offset, "D", "sample the surface moved outward by D [m]; negative = inward (default 0)"},
        {"quiet", 'q', OPTION_FLAG, &job.quiet, NULL, "say nothing"},
    };
    const Syntax syntax = {"sample",
                           "MESH",
                           "Covers the surface of a triangle mesh (obj, ply, stl) with boundary particles.",
                           options,
                           sizeof options / sizeof *options,
                           1,
                           1};
    size_t count;
    int status = options_parse(&syntax, argc, argv, &job.mesh, &count);
    if (status >= 0)
        return status;
    mn_ParticleFormat format;
    if (!(job.radius > 0))
        return complain(STATUS_USAGE, "sample: --radius R is needed, the particle radius in metres, above 0");
    if (!job.out)
        return complain(STATUS_USAGE, "sample: -o FILE is needed, ending in .vtp, .ply, .vtk or .csv");
    if (!format_of(job.out, &format))
        return complain(STATUS_USAGE, "sample: -o %s: the name must end in .vtp, .ply, .vtk or .csv", job.out);

    TriMesh mesh = {0};
    mn_Error error = {0};
    if (mesh_read(job.mesh, &mesh, &error) != MN_OK)
        status = complain_error(&error);
    else if (!tri_mesh_weld(&mesh, 0)) // faces that only touch are one surface
        status = complain(STATUS_IO, "no memory");
    else
        status = sample_mesh(&job, format, &mesh);
    tri_mesh_free(&mesh);
    return status;
}
