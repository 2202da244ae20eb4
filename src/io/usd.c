// SPDX-License-Identifier: MIT
// The text format groups samples by attribute, frames come one after the other: so each attribute of a prim gathers its samples in
// a temporary file, and these are joined when the last frame is in.
#include "io/usd.h"

#include "base/error.h"
#include "base/vec.h"
#include "io/foam_file.h"
#include "io/points.h"
#include "io/run_names.h"
#include "io/solid_file.h"
#include "mesh/shape.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ATTRIBUTES = 6 };

typedef struct Attribute {
    const char* declaration; // "point3f[] points"
    const char* metadata;    // "interpolation = \"vertex\"", or NULL
    FILE* samples;
} Attribute;

typedef struct Usd {
    const UsdJob* job;
    FileOut file;
    RunNames names;
} Usd;

void usd_name(char* out, size_t size, const char* name)
{
    size_t n = 0;
    if (isdigit((unsigned char)name[0]) && n + 1 < size)
        out[n++] = '_';
    for (; *name && n + 1 < size; name++)
        out[n++] = isalnum((unsigned char)*name) ? *name : '_';
    if (!n && size > 1)
        out[n++] = '_';
    out[n] = 0;
}

static double time_code(const Usd* usd, size_t index)
{
    return usd->job->run->frame_number[index];
}

// --- samples

// A number without what nobody can see: rounded to so many places behind the point, and no zeros at the end.
static void print_rounded(FILE* stream, double value, int places)
{
    char text[64];
    if (!(fabs(value) < 1e9)) {
        fprintf(stream, "%.7g", value);
        return;
    }
    int length = snprintf(text, sizeof text, "%.*f", places, value);
    if (places > 0) {
        while (text[length - 1] == '0')
            length--;
        length -= text[length - 1] == '.';
        text[length] = 0;
    }
    fputs(strcmp(text, "-0") ? text : "0", stream);
}

static void print_vectors(FILE* stream, const float* v, size_t count, int places)
{
    fputc('[', stream);
    for (size_t k = 0; k < 3 * count; k++) {
        fputs(k % 3 ? "," : k ? "),(" : "(", stream);
        print_rounded(stream, (double)v[k], places);
    }
    fputs(count ? ")]" : "]", stream);
}

// Places behind the point that show a thousandth of a length [m], also if it is the way of a frame.
static int places_of(double length)
{
    return (int)fmax(0, fmin(15, ceil(-log10(length * 1e-3) - 1e-9)));
}

static int position_places(const Usd* usd)
{
    return places_of(usd->job->run->scene->world.particle_radius);
}

static int velocity_places(const Usd* usd)
{
    return places_of(usd->job->run->scene->world.particle_radius * usd->job->run->scene->frame_rate);
}

static void print_numbers(FILE* stream, const uint32_t* v, size_t count)
{
    fputc('[', stream);
    for (size_t k = 0; k < count; k++)
        fprintf(stream, "%s%u", k ? "," : "", v[k]);
    fputc(']', stream);
}

static void print_threes(FILE* stream, size_t count)
{
    fputc('[', stream);
    for (size_t k = 0; k < count; k++)
        fputs(k ? ",3" : "3", stream);
    fputc(']', stream);
}

static void print_extent(FILE* stream, const float* v, size_t count)
{
    float low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (size_t k = 0; k < 3 * count; k++) {
        low[k % 3] = k < 3 || v[k] < low[k % 3] ? v[k] : low[k % 3];
        high[k % 3] = k < 3 || v[k] > high[k % 3] ? v[k] : high[k % 3];
    }
    fprintf(stream, "[(%.7g, %.7g, %.7g), (%.7g, %.7g, %.7g)]", (double)low[0], (double)low[1], (double)low[2], (double)high[0],
            (double)high[1], (double)high[2]);
}

static mn_Result open_attributes(Attribute* a, size_t count, const char* path, mn_Error* error)
{
    for (size_t k = 0; k < count; k++) {
        a[k].samples = tmpfile();
        if (!a[k].samples)
            return file_error(error, "write", path, errno);
    }
    return MN_OK;
}

static void close_attributes(Attribute* a, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (a[k].samples)
            fclose(a[k].samples);
}

static mn_Result join_attributes(Usd* usd, Attribute* a, size_t count, mn_Error* error)
{
    char buffer[1 << 16];
    for (size_t k = 0; k < count; k++) {
        if (a[k].metadata)
            file_out_print(&usd->file, "        %s (\n            %s\n        )\n", a[k].declaration, a[k].metadata);
        file_out_print(&usd->file, "        %s.timeSamples = {\n", a[k].declaration);
        if (fflush(a[k].samples) || ferror(a[k].samples) || fseek(a[k].samples, 0, SEEK_SET))
            return file_error(error, "write", usd->file.path, errno);
        for (size_t n; (n = fread(buffer, 1, sizeof buffer, a[k].samples)) > 0;)
            file_out_write(&usd->file, buffer, n);
        file_out_print(&usd->file, "        }\n");
    }
    return MN_OK;
}

static void begin_samples(Attribute* a, size_t count, double code)
{
    for (size_t k = 0; k < count; k++)
        fprintf(a[k].samples, "            %.9g: ", code);
}

static void end_samples(Attribute* a, size_t count)
{
    for (size_t k = 0; k < count; k++)
        fputs(",\n", a[k].samples);
}

// --- surfaces

static void area_normals(const TriMesh* mesh, float* normal)
{
    memset(normal, 0, 3 * mesh->vertex_count * sizeof *normal);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t* c = mesh->triangle[t];
        Vec3d a = mesh->vertex[c[0]];
        Vec3d n = vec3d_cross(vec3d_sub(mesh->vertex[c[1]], a), vec3d_sub(mesh->vertex[c[2]], a));
        for (int k = 0; k < 3; k++) {
            normal[3 * c[k]] += (float)n.x;
            normal[3 * c[k] + 1] += (float)n.y;
            normal[3 * c[k] + 2] += (float)n.z;
        }
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        float* n = normal + 3 * v;
        float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3 && length > 0; k++)
            n[k] /= length;
    }
}

static mn_Result surface_sample(const Usd* usd, const char* path, double code, Attribute* a, mn_Error* error)
{
    TriMesh mesh = {0};
    Frame frame = {0}; // the vertices again, with their velocities
    mn_Result result = mesh_read(path, &mesh, error);
    if (result == MN_OK)
        result = frame_read(path, &frame, error);
    float* normal = result == MN_OK ? malloc(3 * (mesh.vertex_count + 1) * sizeof *normal) : NULL;
    if (result == MN_OK && !normal)
        result = memory_error(error, path);
    if (result == MN_OK && frame.count != mesh.vertex_count)
        result = format_error(error, path, 0, "this is not a surface that meniscus wrote");
    if (result == MN_OK) {
        area_normals(&mesh, normal);
        begin_samples(a, ATTRIBUTES, code);
        print_threes(a[0].samples, mesh.triangle_count);
        print_numbers(a[1].samples, mesh.triangle ? mesh.triangle[0] : NULL, 3 * mesh.triangle_count);
        print_vectors(a[2].samples, frame.position, frame.count, position_places(usd));
        print_vectors(a[3].samples, frame.velocity, frame.count, velocity_places(usd));
        print_vectors(a[4].samples, normal, frame.count, 3);
        print_extent(a[5].samples, frame.position, frame.count);
        end_samples(a, ATTRIBUTES);
    }
    free(normal);
    frame_free(&frame);
    tri_mesh_free(&mesh);
    return result;
}

static mn_Result write_surface(Usd* usd, size_t fluid, mn_Error* error)
{
    Attribute a[ATTRIBUTES] = {{"int[] faceVertexCounts", NULL, NULL},
                               {"int[] faceVertexIndices", NULL, NULL},
                               {"point3f[] points", NULL, NULL},
                               {"vector3f[] velocities", NULL, NULL},
                               {"normal3f[] normals", "interpolation = \"vertex\"", NULL},
                               {"float3[] extent", NULL, NULL}};
    const UsdJob* job = usd->job;
    char name[SERIES_NAME + 8], path[PATH_SIZE];
    usd_name(name, sizeof name, usd->names.fluid[fluid]);
    mn_Result result = open_attributes(a, ATTRIBUTES, usd->file.path, error);
    for (size_t k = job->first; k <= job->last && result == MN_OK; k += job->step) {
        result = series_path(path, job->surface_folder, usd->names.fluid[fluid], job->run->frame_number[k], "ply", error);
        if (result == MN_OK)
            result = surface_sample(usd, path, time_code(usd, k), a, error);
        if (job->progress && result == MN_OK)
            job->progress(job->user, (k - job->first) / job->step + 1, (job->last - job->first) / job->step + 1);
    }
    if (result == MN_OK) {
        file_out_print(&usd->file,
                       "\n    def Mesh \"%s_surface\"\n    {\n        uniform token subdivisionScheme = \"none\"\n"
                       "        uniform token orientation = \"rightHanded\"\n"
                       "        color3f[] primvars:displayColor = [(0.1, 0.35, 0.5)]\n",
                       name);
        result = join_attributes(usd, a, ATTRIBUTES, error);
        file_out_print(&usd->file, "    }\n");
    }
    close_attributes(a, ATTRIBUTES);
    return result;
}

// --- particles

static mn_Result particle_sample(const Usd* usd, size_t fluid, size_t index, Attribute* a, mn_Error* error)
{
    const RunFolder* run = usd->job->run;
    char folder[PATH_SIZE], path[PATH_SIZE];
    Frame frame = {0};
    mn_Result result = path_join(folder, run->path, RUN_FRAMES, error);
    if (result == MN_OK)
        result = series_path(path, folder, usd->names.fluid[fluid], run->frame_number[index], frame_extension(run->format), error);
    if (result == MN_OK)
        result = frame_read(path, &frame, error);
    if (result != MN_OK)
        return result;
    begin_samples(a, 4, time_code(usd, index));
    print_vectors(a[0].samples, frame.position, frame.count, position_places(usd));
    print_vectors(a[1].samples, frame.velocity, frame.count, velocity_places(usd));
    print_numbers(a[2].samples, frame.id, frame.count);
    print_extent(a[3].samples, frame.position, frame.count);
    end_samples(a, 4);
    frame_free(&frame);
    return MN_OK;
}

static mn_Result write_particles(Usd* usd, size_t fluid, mn_Error* error)
{
    Attribute a[4] = {{"point3f[] points", NULL, NULL},
                      {"vector3f[] velocities", NULL, NULL},
                      {"int64[] ids", NULL, NULL},
                      {"float3[] extent", NULL, NULL}};
    const UsdJob* job = usd->job;
    char name[SERIES_NAME + 8];
    usd_name(name, sizeof name, usd->names.fluid[fluid]);
    mn_Result result = open_attributes(a, 4, usd->file.path, error);
    for (size_t k = job->first; k <= job->last && result == MN_OK; k += job->step)
        result = particle_sample(usd, fluid, k, a, error);
    if (result == MN_OK) {
        file_out_print(&usd->file,
                       "\n    def Points \"%s_particles\"\n    {\n        float[] widths = [%.7g] (\n"
                       "            interpolation = \"constant\"\n        )\n",
                       name, 2 * job->run->scene->world.particle_radius);
        result = join_attributes(usd, a, 4, error);
        file_out_print(&usd->file, "    }\n");
    }
    close_attributes(a, 4);
    return result;
}

// --- diffuse particles

static void print_values(FILE* stream, const float* v, size_t count)
{
    fputc('[', stream);
    for (size_t k = 0; k < count; k++)
        fprintf(stream, "%s%.4g", k ? "," : "", (double)v[k]);
    fputc(']', stream);
}

static void print_kinds(FILE* stream, const uint8_t* v, size_t count)
{
    fputc('[', stream);
    for (size_t k = 0; k < count; k++)
        fprintf(stream, "%s%u", k ? "," : "", v[k]);
    fputc(']', stream);
}

enum { FOAM_ATTRIBUTES = 6 };

static mn_Result foam_sample(const Usd* usd, size_t index, Attribute* a, float* radius, mn_Error* error)
{
    char path[PATH_SIZE];
    Frame frame = {0};
    if (!foam_find(usd->job->run, usd->job->foam_folder, index, path, sizeof path))
        return MN_OK;
    mn_Result result = frame_read(path, &frame, error);
    if (result != MN_OK)
        return result;
    if (frame.radius > 0)
        *radius = frame.radius;
    begin_samples(a, FOAM_ATTRIBUTES, time_code(usd, index));
    print_vectors(a[0].samples, frame.position, frame.count, position_places(usd));
    print_vectors(a[1].samples, frame.velocity, frame.count, velocity_places(usd));
    print_numbers(a[2].samples, frame.id, frame.count);
    print_extent(a[3].samples, frame.position, frame.count);
    print_kinds(a[4].samples, frame.fluid, frame.count);
    print_values(a[5].samples, frame.density, frame.count);
    end_samples(a, FOAM_ATTRIBUTES);
    frame_free(&frame);
    return MN_OK;
}

static mn_Result write_foam(Usd* usd, mn_Error* error)
{
    Attribute a[FOAM_ATTRIBUTES] = {{"point3f[] points", NULL, NULL},
                                    {"vector3f[] velocities", NULL, NULL},
                                    {"int64[] ids", NULL, NULL},
                                    {"float3[] extent", NULL, NULL},
                                    {"int[] primvars:kind", "interpolation = \"vertex\"", NULL},
                                    {"float[] primvars:age", "interpolation = \"vertex\"", NULL}};
    const UsdJob* job = usd->job;
    char name[SERIES_NAME + 8], path[PATH_SIZE];
    float radius = 0.5f * (float)job->run->scene->world.particle_radius;
    bool any = false;
    for (size_t k = job->first; k <= job->last && !any; k += job->step)
        any = foam_find(job->run, job->foam_folder, k, path, sizeof path);
    if (!any)
        return MN_OK;
    usd_name(name, sizeof name, usd->names.fluid[names_foam(&usd->names)]);
    mn_Result result = open_attributes(a, FOAM_ATTRIBUTES, usd->file.path, error);
    for (size_t k = job->first; k <= job->last && result == MN_OK; k += job->step)
        result = foam_sample(usd, k, a, &radius, error);
    if (result == MN_OK) {
        file_out_print(&usd->file,
                       "\n    def Points \"%s_diffuse\"\n    {\n        float[] widths = [%.7g] (\n"
                       "            interpolation = \"constant\"\n        )\n",
                       name, 2 * (double)radius);
        result = join_attributes(usd, a, FOAM_ATTRIBUTES, error);
        file_out_print(&usd->file, "    }\n");
    }
    close_attributes(a, FOAM_ATTRIBUTES);
    return result;
}

// --- solids

static void write_solid_mesh(Usd* usd, const TriMesh* mesh, Vec3d colour)
{
    FileOut* f = &usd->file;
    file_out_print(f, "\n        def Mesh \"mesh\"\n        {\n            uniform token subdivisionScheme = \"none\"\n");
    file_out_print(f, "            color3f[] primvars:displayColor = [(%.6g, %.6g, %.6g)]\n", colour.x, colour.y, colour.z);
    file_out_print(f, "            int[] faceVertexCounts = [");
    for (size_t t = 0; t < mesh->triangle_count; t++)
        file_out_print(f, t ? ", 3" : "3");
    file_out_print(f, "]\n            int[] faceVertexIndices = [");
    for (size_t t = 0; t < mesh->triangle_count; t++)
        file_out_print(f, "%s%u, %u, %u", t ? ", " : "", mesh->triangle[t][0], mesh->triangle[t][1], mesh->triangle[t][2]);
    file_out_print(f, "]\n            point3f[] points = [");
    for (size_t v = 0; v < mesh->vertex_count; v++)
        file_out_print(f, "%s(%.7g, %.7g, %.7g)", v ? ", " : "", mesh->vertex[v].x, mesh->vertex[v].y, mesh->vertex[v].z);
    Box3d box = tri_mesh_bounds(mesh);
    file_out_print(f, "]\n            float3[] extent = [(%.7g, %.7g, %.7g), (%.7g, %.7g, %.7g)]\n        }\n", box.min.x,
                   box.min.y, box.min.z, box.max.x, box.max.y, box.max.z);
}

static mn_Pose pose_of(const UsdJob* job, size_t frame, size_t solid)
{
    const RunFolder* run = job->run;
    return run->solid_pose ? run->solid_pose[frame * run->scene->solid_count + solid] : run->scene->solids[solid].pose;
}

static void write_motion(Usd* usd, size_t solid)
{
    const UsdJob* job = usd->job;
    FileOut* f = &usd->file;
    file_out_print(f, "        double3 xformOp:translate.timeSamples = {\n");
    for (size_t k = job->first; k <= job->last; k += job->step) {
        Vec3d x = pose_of(job, k, solid).position;
        file_out_print(f, "            %.9g: (%.9g, %.9g, %.9g),\n", time_code(usd, k), x.x, x.y, x.z);
    }
    file_out_print(f, "        }\n        quatd xformOp:orient.timeSamples = {\n");
    for (size_t k = job->first; k <= job->last; k += job->step) {
        Quat q = pose_of(job, k, solid).rotation;
        file_out_print(f, "            %.9g: (%.9g, %.9g, %.9g, %.9g),\n", time_code(usd, k), q.w, q.x, q.y, q.z);
    }
    file_out_print(f, "        }\n        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n");
}

// One frame of a solid that deforms: it may have other triangles in every one.
static mn_Result solid_sample(const Usd* usd, size_t solid, size_t index, Attribute* a, mn_Error* error)
{
    TriMesh mesh = {0};
    mn_Result result = run_folder_read_solid(usd->job->run, index, solid, &mesh, error);
    if (result != MN_OK)
        return result;
    float* point = malloc(3 * (mesh.vertex_count + 1) * sizeof *point);
    for (size_t v = 0; point && v < mesh.vertex_count; v++) {
        point[3 * v] = (float)mesh.vertex[v].x;
        point[3 * v + 1] = (float)mesh.vertex[v].y;
        point[3 * v + 2] = (float)mesh.vertex[v].z;
    }
    if (point) {
        begin_samples(a, 4, time_code(usd, index));
        print_threes(a[0].samples, mesh.triangle_count);
        print_numbers(a[1].samples, mesh.triangle ? mesh.triangle[0] : NULL, 3 * mesh.triangle_count);
        print_vectors(a[2].samples, point, mesh.vertex_count, position_places(usd));
        print_extent(a[3].samples, point, mesh.vertex_count);
        end_samples(a, 4);
    }
    result = point ? MN_OK : memory_error(error, usd->file.path);
    free(point);
    tri_mesh_free(&mesh);
    return result;
}

static mn_Result write_deforming(Usd* usd, size_t solid, mn_Error* error)
{
    Attribute a[4] = {{"int[] faceVertexCounts", NULL, NULL},
                      {"int[] faceVertexIndices", NULL, NULL},
                      {"point3f[] points", NULL, NULL},
                      {"float3[] extent", NULL, NULL}};
    const UsdJob* job = usd->job;
    const mn_SolidDef* def = &job->run->scene->solids[solid];
    char name[SERIES_NAME + 8];
    usd_name(name, sizeof name, usd->names.solid[solid]);
    mn_Result result = open_attributes(a, 4, usd->file.path, error);
    for (size_t k = job->first; k <= job->last && result == MN_OK; k += job->step)
        result = solid_sample(usd, solid, k, a, error);
    if (result == MN_OK) {
        file_out_print(&usd->file,
                       "\n    def Mesh \"%s_solid\"\n    {\n        uniform token subdivisionScheme = \"none\"\n%s"
                       "        color3f[] primvars:displayColor = [(%.6g, %.6g, %.6g)]\n",
                       name, def->visible ? "" : "        token visibility = \"invisible\"\n", def->colour.x, def->colour.y,
                       def->colour.z);
        result = join_attributes(usd, a, 4, error);
        file_out_print(&usd->file, "    }\n");
    }
    close_attributes(a, 4);
    return result;
}

static mn_Result write_solid(Usd* usd, size_t solid, mn_Error* error)
{
    const mn_Scene* scene = usd->job->run->scene;
    const mn_SolidDef* def = &scene->solids[solid];
    if (def->type == MN_SOLID_ELASTIC && scene->output.solids != MN_SOLIDS_NONE)
        return write_deforming(usd, solid, error);
    char name[SERIES_NAME + 8];
    TriMesh mesh = {0};
    mn_Result result = shape_build(&def->shape, 3, 0.1 * scene->world.particle_radius, scene->folder, &mesh, error);
    if (result != MN_OK)
        return result;
    tri_mesh_scale(&mesh, def->scale);
    usd_name(name, sizeof name, usd->names.solid[solid]);
    file_out_print(&usd->file, "\n    def Xform \"%s_solid\"\n    {\n", name);
    if (!def->visible)
        file_out_print(&usd->file, "        token visibility = \"invisible\"\n");
    write_motion(usd, solid);
    if (mesh.triangle_count)
        write_solid_mesh(usd, &mesh, def->colour);
    file_out_print(&usd->file, "    }\n");
    tri_mesh_free(&mesh);
    return MN_OK;
}

// --- the file

static void write_head(Usd* usd)
{
    const UsdJob* job = usd->job;
    const mn_Scene* scene = job->run->scene;
    bool z_up = fabs(scene->world.gravity.z) > fabs(scene->world.gravity.y);
    file_out_print(&usd->file,
                   "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"meniscus %s\"\n    endTimeCode = %.9g\n"
                   "    framesPerSecond = %.9g\n    metersPerUnit = 1\n    startTimeCode = %.9g\n    timeCodesPerSecond = %.9g\n"
                   "    upAxis = \"%s\"\n)\n\ndef Xform \"World\"\n{\n",
                   mn_version(), time_code(usd, job->last), scene->frame_rate, time_code(usd, job->first), scene->frame_rate,
                   z_up ? "Z" : "Y");
}

static mn_Result write_prims(Usd* usd, mn_Error* error)
{
    const UsdJob* job = usd->job;
    mn_Result result = MN_OK;
    for (size_t s = 0; s < usd->names.solid_count && result == MN_OK; s++)
        result = write_solid(usd, s, error);
    for (size_t f = 0; f < usd->names.fluid_count && result == MN_OK; f++) {
        if (job->surface_folder)
            result = write_surface(usd, f, error);
        if (result == MN_OK && job->particles)
            result = write_particles(usd, f, error);
    }
    return result == MN_OK ? write_foam(usd, error) : result;
}

mn_Result usd_write(const char* path, const UsdJob* job, mn_Error* error)
{
    Usd usd = {.job = job};
    mn_Result result = run_names_make(&usd.names, job->run->scene, error);
    if (result != MN_OK)
        return result;
    result = file_out_open(&usd.file, path, error);
    if (result == MN_OK) {
        write_head(&usd);
        result = write_prims(&usd, error);
        file_out_print(&usd.file, "}\n");
        if (result == MN_OK)
            result = file_out_commit(&usd.file, false, error);
        else
            file_out_discard(&usd.file);
    }
    run_names_free(&usd.names);
    return result;
}
