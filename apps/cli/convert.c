// SPDX-License-Identifier: MIT
// meniscus convert: a scene of another simulator as one of ours, or the other way round.
#include "base/error.h"
#include "cli.h"
#include "io/file.h"
#include "io/frame.h"
#include "scene/foreign/foreign.h"
#include "surface/surface.h"
#include <meniscus/scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The folder of a file, "." for a bare name.
static void folder_of(const char* path, char folder[PATH_SIZE])
{
    snprintf(folder, PATH_SIZE, "%s", path);
    char* slash = strrchr(folder, '/');
    if (!slash)
        strcpy(folder, ".");
    else
        slash[slash == folder] = 0;
}

static int write_text(const char* path, const char* text)
{
    mn_Error error = {0};
    FileOut file;
    if (file_out_open(&file, path, &error) != MN_OK)
        return complain_error(&error);
    file_out_write(&file, text, strlen(text));
    file_out_write(&file, "\n", 1);
    return file_out_commit(&file, false, &error) == MN_OK ? STATUS_DONE : complain_error(&error);
}

// What was made must be a scene that can be read; else the converter is wrong, and says so instead of leaving a broken file.
static int check_made(const char* text, const char* path, const char* folder)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(text, strlen(text), path, folder, NULL, 0, &error);
    mn_scene_free(scene);
    if (scene)
        return STATUS_DONE;
    int status = complain_error(&error);
    if (error.result != MN_BAD_INPUT)
        return status;
    return complain(STATUS_USAGE, "convert: the scene cannot be converted because of that; nothing was written");
}

// --- surfaces around particles

// Whether particles 2 r apart fill the box around them, which then has twelve triangles.
static bool add_full_box(const Frame* frame, double radius, TriMesh* mesh)
{
    Vec3d low = vec3d(INFINITY, INFINITY, INFINITY), high = vec3d(-INFINITY, -INFINITY, -INFINITY);
    for (size_t k = 0; k < frame->count; k++) {
        const float* p = frame->position + 3 * k;
        double x = (double)p[0], y = (double)p[1], z = (double)p[2];
        low = vec3d(fmin(low.x, x), fmin(low.y, y), fmin(low.z, z));
        high = vec3d(fmax(high.x, x), fmax(high.y, y), fmax(high.z, z));
    }
    Vec3d size = vec3d(high.x - low.x + 2 * radius, high.y - low.y + 2 * radius, high.z - low.z + 2 * radius);
    double places = size.x * size.y * size.z / (8 * radius * radius * radius);
    if (fabs((double)frame->count / places - 1) > 0.03)
        return false;
    const double grain = 1e-5 * radius; // of numbers in the file
    low = vec3d(low.x - radius, low.y - radius, low.z - radius);
    low = vec3d(rint(low.x / grain) * grain, rint(low.y / grain) * grain, rint(low.z / grain) * grain);
    size = vec3d(rint(size.x / grain) * grain, rint(size.y / grain) * grain, rint(size.z / grain) * grain);
    static const uint32_t side[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    bool ok = true;
    for (int k = 0; k < 8; k++)
        ok = ok &&
             tri_mesh_add_vertex(mesh, vec3d(low.x + (k & 1) * size.x, low.y + (k >> 1 & 1) * size.y, low.z + (k >> 2) * size.z));
    for (int k = 0; k < 12; k++)
        ok = ok && tri_mesh_add_triangle(mesh, side[k][0], side[k][1], side[k][2]);
    return ok;
}

static bool add_surface(const Frame* frame, double radius, TriMesh* mesh, mn_Error* error)
{
    SurfaceDef def = surface_default_def(radius);
    def.spacing = 1.5; // what finite elements can use
    SurfaceInput input = {.count = frame->count, .position = frame->position, .stride = 3};
    SurfaceMesh surface = {0};
    if (surface_build(&def, &input, NULL, NULL, &surface, error) != MN_OK)
        return false;
    bool ok = true;
    for (size_t k = 0; k < surface.vertex_count; k++) {
        Vec3 p = surface.position[k];
        ok = ok && tri_mesh_add_vertex(mesh, vec3d((double)p.x, (double)p.y, (double)p.z));
    }
    for (size_t k = 0; k < surface.triangle_count; k++)
        ok = ok && tri_mesh_add_triangle(mesh, surface.triangle[k][0], surface.triangle[k][1], surface.triangle[k][2]);
    surface_free(&surface);
    if (!ok)
        error_set(error, MN_OUT_OF_MEMORY, "no memory for their surface");
    return ok;
}

static bool wrap_particles(const char* path, Vec3d scale, double radius, TriMesh* mesh, mn_Error* error)
{
    Frame frame = {0};
    if (frame_read(path, &frame, error) != MN_OK)
        return false;
    for (size_t k = 0; k < frame.count; k++) {
        frame.position[3 * k] *= (float)scale.x;
        frame.position[3 * k + 1] *= (float)scale.y;
        frame.position[3 * k + 2] *= (float)scale.z;
    }
    bool ok = frame.count > 0 && (add_full_box(&frame, radius, mesh) || add_surface(&frame, radius, mesh, error));
    frame_free(&frame);
    return ok;
}

// --- the two ways

enum { BESIDE_SIZE = PATH_SIZE + 100 };

static const char* path_beside(const ConversionFile* file, const char* folder, char path[BESIDE_SIZE])
{
    snprintf(path, BESIDE_SIZE, "%s/%s", folder, file->name);
    return path;
}

static int write_files(const Conversion* made, const char* folder)
{
    char path[BESIDE_SIZE];
    int status = STATUS_DONE;
    for (size_t k = 0; k < made->file_count && status == STATUS_DONE; k++)
        status = write_text(path_beside(&made->files[k], folder, path), made->files[k].text);
    return status;
}

static void remove_files(const Conversion* made, const char* folder)
{
    char path[BESIDE_SIZE];
    for (size_t k = 0; k < made->file_count; k++)
        remove(path_beside(&made->files[k], folder, path));
}

// The name of a file without its folder and ending.
static void stem_of(const char* path, char stem[PATH_SIZE])
{
    const char* slash = strrchr(path, '/');
    snprintf(stem, PATH_SIZE, "%s", slash ? slash + 1 : path);
    char* dot = strrchr(stem, '.');
    if (dot && dot != stem)
        *dot = 0;
}

static int from_splishsplash(const char* path, const char* out)
{
    mn_Error error = {0};
    FileBytes bytes = {0};
    char folder[PATH_SIZE], target[PATH_SIZE], stem[PATH_SIZE];
    folder_of(path, folder);
    folder_of(out, target);
    stem_of(out, stem);
    if (file_read(path, &bytes, &error) != MN_OK)
        return complain_error(&error);
    ForeignScene foreign = {.text = bytes.data,
                            .size = bytes.size,
                            .path = path,
                            .folder = folder,
                            .target = target,
                            .stem = stem,
                            .wrap = wrap_particles};
    Conversion made;
    mn_Result result = splishsplash_to_scene(&foreign, &made, &error);
    file_bytes_free(&bytes);
    if (result != MN_OK)
        return complain_error(&error);
    int status = write_files(&made, target); // before the check, which reads them
    if (status == STATUS_DONE)
        status = check_made(made.scene, out, target);
    if (status == STATUS_DONE)
        status = write_text(out, made.scene);
    if (status != STATUS_DONE)
        remove_files(&made, target);
    if (status == STATUS_DONE) {
        fputs(made.notes, stdout);
        if (made.note_count)
            printf("%s: written; %zu thing%s above differ%s from the original\n", out, made.note_count,
                   made.note_count > 1 ? "s" : "", made.note_count > 1 ? "" : "s");
        else
            printf("%s: written; everything was converted\n", out);
    }
    conversion_free(&made);
    return status;
}

static int to_splishsplash(const char* path, const char* out)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_load(path, NULL, 0, &error);
    char* text = scene ? scene_to_splishsplash(scene, &error) : NULL;
    mn_scene_free(scene);
    if (!text)
        return complain_error(&error);
    char folder[PATH_SIZE], box[PATH_SIZE + 16];
    folder_of(out, folder);
    snprintf(box, sizeof box, "%s/unit_box.obj", folder);
    int status = write_text(box, splishsplash_unit_box);
    if (status == STATUS_DONE)
        status = write_text(out, text);
    free(text);
    if (status == STATUS_DONE)
        printf("%s: written\n", out);
    return status;
}

int command_convert(int argc, char** argv)
{
    const char *out = NULL, *to = NULL, *path;
    size_t count;
    const Option options[] = {
        {"out", 'o', OPTION_TEXT, &out, "FILE.json", "the scene to write"},
        {"to", 0, OPTION_TEXT, &to, "NAME", "write a scene of ours for another simulator: splishsplash"},
    };
    const Syntax syntax = {.command = "convert",
                           .arguments = "FOREIGN.json",
                           .about =
                               "Makes a scene of one by SPlisHSPlasH, and lists what has no counterpart and what happens instead.\n"
                               "With --to the other way round: blocks of one fluid and boxes.",
                           .options = options,
                           .option_count = sizeof options / sizeof *options,
                           .arguments_min = 1,
                           .arguments_max = 1};
    int status = options_parse(&syntax, argc, argv, &path, &count);
    if (status >= 0)
        return status;
    if (!out)
        return complain(STATUS_USAGE, "convert: --out FILE.json is missing");
    if (to && strcmp(to, "splishsplash"))
        return complain(STATUS_USAGE, "convert: --to knows splishsplash, not \"%s\"", to);
    return to ? to_splishsplash(path, out) : from_splishsplash(path, out);
}
