// SPDX-License-Identifier: MIT
#include "io/run_identity.h"

#include "base/memory.h"
#include "io/crc32.h"
#include "io/file.h"
#include "mesh/mesh_file.h"
#include <stdlib.h>
#include <string.h>

static void locate(char path[PATH_SIZE], const char* folder, const char* file)
{
    if (file[0] == '/' || !folder || !folder[0])
        snprintf(path, PATH_SIZE, "%s", file);
    else
        snprintf(path, PATH_SIZE, "%s/%s", folder, file);
}

// What stands for a mesh file, to be freed; NULL: out of memory.
static char* name_and_checksum(const char* folder, const char* file)
{
    char path[PATH_SIZE], text[PATH_SIZE];
    locate(path, folder, file);
    FileBytes bytes;
    uint32_t crc = 0;
    if (file_read(path, &bytes, NULL) == MN_OK) {
        crc = crc32_update(0, bytes.data, bytes.size);
        file_bytes_free(&bytes);
    }
    if (mesh_text_of(file))
        crc = crc32_update(0, file, strlen(file));
    const char* slash = strrchr(file, '/');
    snprintf(text, sizeof text, "%.900s crc32 %08x", slash ? slash + 1 : file, crc);
    return strdup(text);
}

// A copy that shares everything with `scene` but the arrays that lead to mesh files.
typedef struct SceneCopy {
    mn_Scene scene;
    bool good;
} SceneCopy;

static void* copy_array(const void* array, size_t count, size_t size, bool* good)
{
    void* copy = malloc(count * size + 1);
    if (!copy)
        *good = false;
    else if (count)
        memcpy(copy, array, count * size);
    return copy;
}

static char* rename_file(const char* folder, const char* file, bool* good)
{
    if (!file)
        return NULL;
    char* renamed = name_and_checksum(folder, file);
    if (!renamed)
        *good = false;
    return renamed;
}

static SceneCopy copy_scene(const mn_Scene* scene)
{
    SceneCopy copy = {.scene = *scene, .good = true};
    copy.scene.solids = copy_array(scene->solids, scene->solid_count, sizeof *scene->solids, &copy.good);
    copy.scene.fluids = copy_array(scene->fluids, scene->fluid_count, sizeof *scene->fluids, &copy.good);
    if (!copy.good)
        return copy;
    for (size_t s = 0; s < scene->solid_count; s++)
        copy.scene.solids[s].shape.file = rename_file(scene->folder, scene->solids[s].shape.file, &copy.good);
    for (size_t f = 0; f < scene->fluid_count; f++) {
        mn_FluidDef* fluid = &copy.scene.fluids[f];
        fluid->fills = copy_array(fluid->fills, fluid->fill_count, sizeof *fluid->fills, &copy.good);
        for (size_t k = 0; fluid->fills && k < fluid->fill_count; k++)
            fluid->fills[k].file = rename_file(scene->folder, fluid->fills[k].file, &copy.good);
        fluid->shapes = copy_array(fluid->shapes, fluid->shape_count, sizeof *fluid->shapes, &copy.good);
        for (size_t k = 0; fluid->shapes && k < fluid->shape_count; k++)
            fluid->shapes[k].shape.file = rename_file(scene->folder, fluid->shapes[k].shape.file, &copy.good);
    }
    return copy;
}

static void free_copy(SceneCopy* copy)
{
    for (size_t s = 0; copy->scene.solids && copy->scene.fluids && s < copy->scene.solid_count; s++)
        memory_free_string(copy->scene.solids[s].shape.file);
    for (size_t f = 0; copy->scene.solids && copy->scene.fluids && f < copy->scene.fluid_count; f++) {
        mn_FluidDef* fluid = &copy->scene.fluids[f];
        for (size_t k = 0; fluid->fills && k < fluid->fill_count; k++)
            memory_free_string(fluid->fills[k].file);
        free(fluid->fills);
        for (size_t k = 0; fluid->shapes && k < fluid->shape_count; k++)
            memory_free_string(fluid->shapes[k].shape.file);
        free(fluid->shapes);
    }
    free(copy->scene.solids);
    free(copy->scene.fluids);
}

char* run_identity(const mn_Scene* scene)
{
    SceneCopy copy = copy_scene(scene);
    copy.scene.name = "scene";
    copy.scene.folder = NULL; // or the writer would put it in front of the files again
    copy.scene.duration = 1;
    copy.scene.world.threads = MN_AUTO;
    copy.scene.output.checkpoint_every = 0;
    copy.scene.view = (mn_ViewDef){.range = {MN_AUTO, MN_AUTO}};
    char* json = copy.good ? mn_scene_to_json(&copy.scene) : NULL;
    free_copy(&copy);
    return json;
}

// The line that starts at `line`, without the spaces and the comma around it.
static void trimmed(const char* line, char* out, size_t size)
{
    line += strspn(line, " \t");
    size_t length = strcspn(line, "\n");
    while (length && (line[length - 1] == ',' || line[length - 1] == ' '))
        length--;
    snprintf(out, size, "%.*s", (int)(length < 100 ? length : 100), line);
}

const char* run_identity_difference(const char* was, const char* is, char* buffer, size_t size)
{
    buffer[0] = 0;
    size_t line = 0, k = 0;
    for (; was[k] && was[k] == is[k]; k++)
        if (was[k] == '\n')
            line = k + 1;
    if (was[k] == is[k])
        return buffer;
    char old_line[128], new_line[128];
    trimmed(was + line, old_line, sizeof old_line);
    trimmed(is + line, new_line, sizeof new_line);
    snprintf(buffer, size, "%s became %s", old_line, new_line);
    return buffer;
}
