// SPDX-License-Identifier: MIT
// What a run's layer says, whatever the format that writes it (usd_layer.h).
#include "io/usd.h"

#include "base/error.h"
#include "base/vec.h"
#include "io/foam_file.h"
#include "io/points.h"
#include "io/run_names.h"
#include "io/solid_file.h"
#include "mesh/shape.h"
#include "solid/solid.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Usd {
    const UsdJob* job;
    const UsdFormat* format;
    void* layer;
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

const UsdFormat* usd_format(const char* name)
{
    static const UsdFormat* const formats[] = {&usd_text, &usd_crate};
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (!strcmp(formats[k]->name, name))
            return formats[k];
    return NULL;
}

static double time_code(const Usd* usd, size_t index)
{
    return usd->job->run->frame_number[index];
}

// --- values

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

static void set(Usd* usd, const char* type, const char* name, const void* data, size_t count)
{
    usd->format->set(usd->layer, &(UsdAttribute){type, name, NULL, false}, &(UsdValue){data, count, USD_EXACT});
}

static void set_uniform(Usd* usd, const char* name, const char* token)
{
    usd->format->set(usd->layer, &(UsdAttribute){"token", name, NULL, true}, &(UsdValue){token, 1, USD_EXACT});
}

// A colour that is left open is the reader's.
static void set_colour(Usd* usd, Vec3d colour)
{
    if (colour.x < 0)
        return;
    const float rgb[3] = {(float)colour.x, (float)colour.y, (float)colour.z};
    set(usd, "color3f[]", "primvars:displayColor", rgb, 1);
}

static void set_width(Usd* usd, double radius)
{
    const float width = (float)(2 * radius);
    const UsdAttribute widths = {"float[]", "widths", "constant", false};
    usd->format->set(usd->layer, &widths, &(UsdValue){&width, 1, USD_EXACT});
}

static void sample(Usd* usd, size_t attribute, double code, const void* data, size_t count, int places)
{
    usd->format->sample(usd->layer, attribute, code, &(UsdValue){data, count, places});
}

static void sample_extent(Usd* usd, size_t attribute, double code, const float* v, size_t count)
{
    float box[6] = {0}; // low, high
    for (size_t k = 0; k < 3 * count; k++) {
        box[k % 3] = k < 3 || v[k] < box[k % 3] ? v[k] : box[k % 3];
        box[3 + k % 3] = k < 3 || v[k] > box[3 + k % 3] ? v[k] : box[3 + k % 3];
    }
    sample(usd, attribute, code, box, 2, USD_EXACT);
}

static mn_Result no_memory(const Usd* usd, mn_Error* error)
{
    return file_error(error, "write", usd->job->run->path, ENOMEM);
}

static mn_Result sample_ids(Usd* usd, size_t attribute, double code, const Frame* frame, mn_Error* error)
{
    int64_t* id = malloc((frame->count + 1) * sizeof *id);
    if (!id)
        return no_memory(usd, error);
    for (size_t k = 0; k < frame->count; k++)
        id[k] = frame->id[k];
    sample(usd, attribute, code, id, frame->count, 0);
    free(id);
    return MN_OK;
}

// How many corners each face has, then which.
static mn_Result sample_faces(Usd* usd, double code, const TriMesh* mesh, mn_Error* error)
{
    int32_t* three = malloc((mesh->triangle_count + 1) * sizeof *three);
    if (!three)
        return no_memory(usd, error);
    for (size_t k = 0; k < mesh->triangle_count; k++)
        three[k] = 3;
    sample(usd, 0, code, three, mesh->triangle_count, 0);
    sample(usd, 1, code, mesh->triangle, 3 * mesh->triangle_count, 0);
    free(three);
    return MN_OK;
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

static mn_Result surface_sample(Usd* usd, const char* path, double code, mn_Error* error)
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
    if (result == MN_OK)
        result = sample_faces(usd, code, &mesh, error);
    if (result == MN_OK) {
        area_normals(&mesh, normal);
        sample(usd, 2, code, frame.position, frame.count, position_places(usd));
        sample(usd, 3, code, frame.velocity, frame.count, velocity_places(usd));
        sample(usd, 4, code, normal, frame.count, 3);
        sample_extent(usd, 5, code, frame.position, frame.count);
    }
    free(normal);
    frame_free(&frame);
    tri_mesh_free(&mesh);
    return result;
}

static mn_Result write_surface(Usd* usd, size_t fluid, mn_Error* error)
{
    static const UsdAttribute animated[] = {{"int[]", "faceVertexCounts", NULL, false}, {"int[]", "faceVertexIndices", NULL, false},
                                            {"point3f[]", "points", NULL, false},       {"vector3f[]", "velocities", NULL, false},
                                            {"normal3f[]", "normals", "vertex", false}, {"float3[]", "extent", NULL, false}};
    const UsdJob* job = usd->job;
    char fluid_name[SERIES_NAME + 8], name[SERIES_NAME + 24], path[PATH_SIZE];
    usd_name(fluid_name, sizeof fluid_name, usd->names.fluid[fluid]);
    snprintf(name, sizeof name, "%s_surface", fluid_name);
    usd->format->begin_prim(usd->layer, "Mesh", name);
    set_uniform(usd, "subdivisionScheme", "none");
    set_uniform(usd, "orientation", "rightHanded");
    set_colour(usd, vec3d(0.1, 0.35, 0.5));
    usd->format->animate(usd->layer, animated, sizeof animated / sizeof *animated);
    mn_Result result = MN_OK;
    for (size_t k = job->first; k <= job->last && result == MN_OK; k += job->step) {
        result = series_path(path, job->surface_folder, usd->names.fluid[fluid], job->run->frame_number[k], "ply", error);
        if (result == MN_OK)
            result = surface_sample(usd, path, time_code(usd, k), error);
        if (job->progress && result == MN_OK)
            job->progress(job->user, (k - job->first) / job->step + 1, (job->last - job->first) / job->step + 1);
    }
    usd->format->end_prim(usd->layer);
    return result;
}

// --- particles

static const UsdAttribute particle_attributes[] = {
    {"point3f[]", "points", NULL, false},        {"vector3f[]", "velocities", NULL, false},   {"int64[]", "ids", NULL, false},
    {"float3[]", "extent", NULL, false},         {"int[]", "primvars:kind", "vertex", false}, // of diffuse ones
    {"float[]", "primvars:age", "vertex", false}};
enum { FLUID_ATTRIBUTES = 4, FOAM_ATTRIBUTES = 6 };

static mn_Result sample_frame(Usd* usd, double code, const Frame* frame, mn_Error* error)
{
    sample(usd, 0, code, frame->position, frame->count, position_places(usd));
    sample(usd, 1, code, frame->velocity, frame->count, velocity_places(usd));
    sample_extent(usd, 3, code, frame->position, frame->count);
    return sample_ids(usd, 2, code, frame, error);
}

static mn_Result particle_sample(Usd* usd, size_t fluid, size_t index, mn_Error* error)
{
    const RunFolder* run = usd->job->run;
    char folder[PATH_SIZE], path[PATH_SIZE];
    Frame frame = {0};
    mn_Result result = path_join(folder, run->path, RUN_FRAMES, error);
    if (result == MN_OK)
        result = series_path(path, folder, usd->names.fluid[fluid], run->frame_number[index], frame_extension(run->format), error);
    if (result == MN_OK)
        result = frame_read(path, &frame, error);
    if (result == MN_OK)
        result = sample_frame(usd, time_code(usd, index), &frame, error);
    frame_free(&frame);
    return result;
}

static mn_Result write_particles(Usd* usd, size_t fluid, mn_Error* error)
{
    const UsdJob* job = usd->job;
    char fluid_name[SERIES_NAME + 8], name[SERIES_NAME + 24];
    usd_name(fluid_name, sizeof fluid_name, usd->names.fluid[fluid]);
    snprintf(name, sizeof name, "%s_particles", fluid_name);
    usd->format->begin_prim(usd->layer, "Points", name);
    set_width(usd, job->run->scene->world.particle_radius);
    usd->format->animate(usd->layer, particle_attributes, FLUID_ATTRIBUTES);
    mn_Result result = MN_OK;
    for (size_t k = job->first; k <= job->last && result == MN_OK; k += job->step)
        result = particle_sample(usd, fluid, k, error);
    usd->format->end_prim(usd->layer);
    return result;
}

// --- diffuse particles

static mn_Result sample_kinds(Usd* usd, double code, const Frame* frame, mn_Error* error)
{
    int32_t* kind = malloc((frame->count + 1) * sizeof *kind);
    if (!kind)
        return no_memory(usd, error);
    for (size_t k = 0; k < frame->count; k++)
        kind[k] = frame->fluid[k];
    sample(usd, 4, code, kind, frame->count, 0);
    free(kind);
    return MN_OK;
}

static mn_Result foam_sample(Usd* usd, size_t index, double* radius, mn_Error* error)
{
    char path[PATH_SIZE];
    Frame frame = {0};
    double code = time_code(usd, index);
    if (!foam_find(usd->job->run, usd->job->foam_folder, index, path, sizeof path))
        return MN_OK;
    mn_Result result = frame_read(path, &frame, error);
    if (result == MN_OK)
        result = sample_frame(usd, code, &frame, error);
    if (result == MN_OK)
        result = sample_kinds(usd, code, &frame, error);
    if (result == MN_OK)
        sample(usd, 5, code, frame.density, frame.count, 4);
    if (result == MN_OK && frame.radius > 0)
        *radius = (double)frame.radius;
    frame_free(&frame);
    return result;
}

static mn_Result write_foam(Usd* usd, mn_Error* error)
{
    const UsdJob* job = usd->job;
    char foam_name[SERIES_NAME + 8], name[SERIES_NAME + 24], path[PATH_SIZE];
    double radius = 0.5 * job->run->scene->world.particle_radius;
    bool any = false;
    for (size_t k = job->first; k <= job->last && !any; k += job->step)
        any = foam_find(job->run, job->foam_folder, k, path, sizeof path);
    if (!any)
        return MN_OK;
    usd_name(foam_name, sizeof foam_name, usd->names.fluid[names_foam(&usd->names)]);
    snprintf(name, sizeof name, "%s_diffuse", foam_name);
    usd->format->begin_prim(usd->layer, "Points", name);
    usd->format->animate(usd->layer, particle_attributes, FOAM_ATTRIBUTES);
    mn_Result result = MN_OK;
    for (size_t k = job->first; k <= job->last && result == MN_OK; k += job->step)
        result = foam_sample(usd, k, &radius, error);
    set_width(usd, radius);
    usd->format->end_prim(usd->layer);
    return result;
}

// --- solids

static const UsdAttribute solid_attributes[] = {{"int[]", "faceVertexCounts", NULL, false},
                                                {"int[]", "faceVertexIndices", NULL, false},
                                                {"point3f[]", "points", NULL, false},
                                                {"float3[]", "extent", NULL, false},
                                                {"color3f[]", "primvars:displayColor", "uniform", false}};

static float* points_of(const TriMesh* mesh)
{
    float* point = malloc(3 * (mesh->vertex_count + 1) * sizeof *point);
    for (size_t v = 0; point && v < mesh->vertex_count; v++) {
        point[3 * v] = (float)mesh->vertex[v].x;
        point[3 * v + 1] = (float)mesh->vertex[v].y;
        point[3 * v + 2] = (float)mesh->vertex[v].z;
    }
    return point;
}

static mn_Result write_solid_mesh(Usd* usd, const TriMesh* mesh, Vec3d colour, mn_Error* error)
{
    float* point = points_of(mesh);
    int32_t* three = malloc((mesh->triangle_count + 1) * sizeof *three);
    bool room = point && three;
    if (room) {
        Box3d box = tri_mesh_bounds(mesh);
        const float extent[6] = {(float)box.min.x, (float)box.min.y, (float)box.min.z,
                                 (float)box.max.x, (float)box.max.y, (float)box.max.z};
        for (size_t k = 0; k < mesh->triangle_count; k++)
            three[k] = 3;
        usd->format->begin_prim(usd->layer, "Mesh", "mesh");
        set_uniform(usd, "subdivisionScheme", "none");
        set_colour(usd, colour);
        set(usd, "int[]", "faceVertexCounts", three, mesh->triangle_count);
        set(usd, "int[]", "faceVertexIndices", mesh->triangle, 3 * mesh->triangle_count);
        set(usd, "point3f[]", "points", point, mesh->vertex_count);
        set(usd, "float3[]", "extent", extent, 2);
        usd->format->end_prim(usd->layer);
    }
    free(point);
    free(three);
    return room ? MN_OK : no_memory(usd, error);
}

static mn_Pose pose_of(const UsdJob* job, size_t frame, size_t solid)
{
    const RunFolder* run = job->run;
    return run->solid_pose ? run->solid_pose[frame * run->scene->solid_count + solid] : run->scene->solids[solid].pose;
}

static void write_motion(Usd* usd, size_t solid)
{
    static const UsdAttribute animated[] = {{"double3", "xformOp:translate", NULL, false},
                                            {"quatd", "xformOp:orient", NULL, false}};
    static const char* const order[] = {"xformOp:translate", "xformOp:orient"};
    const UsdJob* job = usd->job;
    usd->format->set(usd->layer, &(UsdAttribute){"token[]", "xformOpOrder", NULL, true}, &(UsdValue){order, 2, USD_EXACT});
    usd->format->animate(usd->layer, animated, 2);
    for (size_t k = job->first; k <= job->last; k += job->step) {
        mn_Pose pose = pose_of(job, k, solid);
        sample(usd, 0, time_code(usd, k), (double[]){pose.position.x, pose.position.y, pose.position.z}, 1, USD_EXACT);
        sample(usd, 1, time_code(usd, k), (double[]){pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z}, 1,
               USD_EXACT);
    }
}

// Faces at which a solid broke have a colour of their own.
static mn_Result sample_colours(Usd* usd, double code, const TriMesh* mesh, const mn_SolidDef* def, mn_Error* error)
{
    Vec3d outer = solid_def_colour(def);
    float* rgb = malloc(3 * (mesh->triangle_count + 1) * sizeof *rgb);
    if (!rgb)
        return no_memory(usd, error);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Vec3d c = t < mesh->triangle_count - mesh->inner_count ? outer : def->inner_colour;
        rgb[3 * t] = (float)c.x;
        rgb[3 * t + 1] = (float)c.y;
        rgb[3 * t + 2] = (float)c.z;
    }
    sample(usd, 4, code, rgb, mesh->triangle_count, 3);
    free(rgb);
    return MN_OK;
}

// One frame of a solid that deforms: it may have other triangles in every one.
static mn_Result solid_sample(Usd* usd, size_t solid, size_t index, mn_Error* error)
{
    TriMesh mesh = {0};
    double code = time_code(usd, index);
    mn_Result result = run_folder_read_solid(usd->job->run, index, solid, &mesh, error);
    if (result != MN_OK)
        return result;
    float* point = points_of(&mesh);
    result = point ? sample_faces(usd, code, &mesh, error) : no_memory(usd, error);
    if (result == MN_OK) {
        sample(usd, 2, code, point, mesh.vertex_count, position_places(usd));
        sample_extent(usd, 3, code, point, mesh.vertex_count);
    }
    const mn_SolidDef* def = &usd->job->run->scene->solids[solid];
    if (result == MN_OK && def->inner_colour.x >= 0)
        result = sample_colours(usd, code, &mesh, def, error);
    free(point);
    tri_mesh_free(&mesh);
    return result;
}

static mn_Result write_deforming(Usd* usd, size_t solid, const char* name, mn_Error* error)
{
    const UsdJob* job = usd->job;
    const mn_SolidDef* def = &job->run->scene->solids[solid];
    usd->format->begin_prim(usd->layer, "Mesh", name);
    set_uniform(usd, "subdivisionScheme", "none");
    if (!def->visible)
        set(usd, "token", "visibility", "invisible", 1);
    bool by_face = def->inner_colour.x >= 0;
    if (!by_face)
        set_colour(usd, def->colour);
    usd->format->animate(usd->layer, solid_attributes, sizeof solid_attributes / sizeof *solid_attributes - !by_face);
    mn_Result result = MN_OK;
    for (size_t k = job->first; k <= job->last && result == MN_OK; k += job->step)
        result = solid_sample(usd, solid, k, error);
    usd->format->end_prim(usd->layer);
    return result;
}

static mn_Result write_solid(Usd* usd, size_t solid, mn_Error* error)
{
    const mn_Scene* scene = usd->job->run->scene;
    const mn_SolidDef* def = &scene->solids[solid];
    char solid_name[SERIES_NAME + 8], name[SERIES_NAME + 24];
    usd_name(solid_name, sizeof solid_name, usd->names.solid[solid]);
    snprintf(name, sizeof name, "%s_solid", solid_name);
    if (def->type == MN_SOLID_ELASTIC && scene->output.solids != MN_SOLIDS_NONE)
        return write_deforming(usd, solid, name, error);
    TriMesh mesh = {0};
    mn_Result result = shape_build(&def->shape, 3, 0.1 * scene->world.particle_radius, scene->folder, &mesh, error);
    if (result != MN_OK)
        return result;
    tri_mesh_scale(&mesh, def->scale);
    usd->format->begin_prim(usd->layer, "Xform", name);
    if (!def->visible)
        set(usd, "token", "visibility", "invisible", 1);
    write_motion(usd, solid);
    if (mesh.triangle_count)
        result = write_solid_mesh(usd, &mesh, def->colour, error);
    usd->format->end_prim(usd->layer);
    tri_mesh_free(&mesh);
    return result;
}

// --- the file

static mn_Result open_layer(Usd* usd, const char* path, mn_Error* error)
{
    const UsdJob* job = usd->job;
    const mn_Scene* scene = job->run->scene;
    char documentation[64];
    snprintf(documentation, sizeof documentation, "meniscus %s", mn_version());
    const UsdHead head = {.root = "World",
                          .documentation = documentation,
                          .up_axis = fabs(scene->world.gravity.z) > fabs(scene->world.gravity.y) ? "Z" : "Y",
                          .first = time_code(usd, job->first),
                          .last = time_code(usd, job->last),
                          .frame_rate = scene->frame_rate};
    return usd->format->open(&usd->layer, path, &head, error);
}

static mn_Result write_prims(Usd* usd, mn_Error* error)
{
    const UsdJob* job = usd->job;
    mn_Result result = MN_OK;
    usd->format->begin_prim(usd->layer, "Xform", "World");
    for (size_t s = 0; s < usd->names.solid_count && result == MN_OK; s++)
        result = write_solid(usd, s, error);
    for (size_t f = 0; f < usd->names.fluid_count && result == MN_OK; f++) {
        if (job->surface_folder)
            result = write_surface(usd, f, error);
        if (result == MN_OK && job->particles)
            result = write_particles(usd, f, error);
    }
    if (result == MN_OK)
        result = write_foam(usd, error);
    usd->format->end_prim(usd->layer);
    return result;
}

mn_Result usd_write(const char* path, const UsdJob* job, mn_Error* error)
{
    Usd usd = {.job = job, .format = job->format ? job->format : &usd_text};
    mn_Result result = run_names_make(&usd.names, job->run->scene, error);
    if (result != MN_OK)
        return result;
    result = open_layer(&usd, path, error);
    if (result == MN_OK) {
        result = write_prims(&usd, error);
        mn_Result closed = usd.format->close(usd.layer, result == MN_OK, result == MN_OK ? error : NULL);
        result = result == MN_OK ? closed : result;
    }
    run_names_free(&usd.names);
    return result;
}
