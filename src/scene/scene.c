// SPDX-License-Identifier: MIT
// Scene files from disk or memory to mn_Scene.
#include <meniscus/scene.h>

#include "base/error.h"
#include "base/memory.h"
#include "defs/copy.h"
#include "scene/json_memory.h"
#include "scene/override.h"
#include "scene/read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// More than any scene needs, and little enough that a wrong file does not fill the memory.
enum { LARGEST_FILE = 64 << 20 };

void mn_scene_free(mn_Scene* scene)
{
    if (!scene)
        return;
    def_free(&scene_section, scene);
    memory_free_string(scene->folder);
    free(scene->document);
    free(scene);
}

json_t* document_json(const Document* document, mn_Error* error)
{
    json_error_t problem;
    json_memory_watch();
    json_t* root = json_loadb(document->text, document->size, JSON_REJECT_DUPLICATES, &problem);
    if (json_memory_failed()) {
        json_decref(root);
        error_set(error, MN_OUT_OF_MEMORY, "no memory while reading the scene");
        return NULL;
    }
    if (root || !error)
        return root;
    error_set(error, MN_BAD_INPUT, "not valid JSON: %s", problem.text);
    make_printable(error->message);
    char key[sizeof error->key];
    size_t offset = problem.position > 0 ? (size_t)problem.position : 0;
    place_key_at(document->text, document->size, offset, key, sizeof key);
    make_printable(key);
    error_key(error, "%s", key);
    error_at(error, document->name, problem.line, problem.column > 0 ? problem.column : 1);
    return NULL;
}

static bool apply_sets(json_t* root, const Document* document, mn_Error* error)
{
    if (document->set_count && !json_is_object(root)) {
        error_set(error, MN_BAD_INPUT, "expected a scene, an object { ... }");
        error_at(error, document->name, 1, 1);
        return false;
    }
    for (size_t k = 0; k < document->set_count; k++) {
        if (override_apply(root, document->sets[k], error) != MN_OK)
            return false;
    }
    return true;
}

// A scene without a name is called like its file.
static char* name_of_file(const char* file)
{
    const char* slash = strrchr(file, '/');
    const char* base = slash ? slash + 1 : file;
    const char* dot = strrchr(base, '.');
    return strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static mn_Scene* read_scene(json_t* root, const Document* document, const char* folder, mn_Error* error)
{
    mn_Scene* scene = malloc(sizeof *scene);
    if (!scene) {
        error_set(error, MN_OUT_OF_MEMORY, "no memory while reading the scene");
        return NULL;
    }
    scene_section.defaults(scene);
    scene->folder = strdup(folder);
    scene->document = document_copy(document);
    Reader reader = {.document = document, .scene = scene, .error = error};
    json_memory_watch();
    bool ok = scene->folder && scene->document ? read_section(&reader, &scene_section, root, scene) : reader_no_memory(&reader);
    if (ok && !scene->name) {
        scene->name = name_of_file(document->name);
        ok = scene->name || reader_no_memory(&reader);
    }
    if (!ok) {
        if (json_memory_failed()) // whatever was complained of came from that
            reader_no_memory(&reader);
        mn_scene_free(scene);
        return NULL;
    }
    return scene;
}

mn_Scene* mn_scene_parse(const char* text, size_t size, const char* name, const char* folder, const char* const* sets,
                         size_t set_count, mn_Error* error)
{
    Document document = {text, size, name ? name : "scene", sets, set_count};
    if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) { // byte order mark of some editors
        document.text += 3;
        document.size -= 3;
    }
    if (size > LARGEST_FILE) {
        error_set(error, MN_BAD_INPUT, "%zu bytes are too many for a scene, at most %d are read", size, LARGEST_FILE);
        error_at(error, document.name, 0, 0);
        return NULL;
    }
    json_t* root = document_json(&document, error);
    if (!root)
        return NULL;
    mn_Scene* scene = apply_sets(root, &document, error) ? read_scene(root, &document, folder ? folder : "", error) : NULL;
    json_decref(root);
    return scene;
}

static char* fail_file(const char* path, mn_Result result, const char* what, mn_Error* error)
{
    error_set(error, result, "cannot read the scene file: %s", what);
    error_at(error, path, 0, 0);
    return NULL;
}

static char* read_stream(FILE* file, const char* path, size_t* size, mn_Error* error)
{
    size_t capacity = 1 << 16;
    char* text = malloc(capacity);
    *size = 0;
    while (text) {
        *size += fread(text + *size, 1, capacity - *size, file);
        if (*size < capacity || *size > LARGEST_FILE)
            break;
        capacity *= 2;
        char* larger = realloc(text, capacity);
        if (!larger)
            free(text);
        text = larger;
    }
    if (!text)
        return fail_file(path, MN_OUT_OF_MEMORY, "no memory", error);
    if (ferror(file)) {
        free(text);
        return fail_file(path, MN_IO_FAILED, strerror(errno), error);
    }
    return text;
}

static char* read_file(const char* path, size_t* size, mn_Error* error)
{
    struct stat status;
    FILE* file = fopen(path, "rb");
    if (!file) // a wrong name is bad input, a disk that does not answer is not
        return fail_file(path,
                         errno == ENOMEM                                                ? MN_OUT_OF_MEMORY
                         : errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG ? MN_BAD_INPUT
                                                                                        : MN_IO_FAILED,
                         errno == ENOMEM ? "no memory" : strerror(errno), error);
    char* text = NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode))
        fail_file(path, MN_BAD_INPUT, "it is a folder", error);
    else
        text = read_stream(file, path, size, error);
    fclose(file);
    return text;
}

mn_Scene* mn_scene_load(const char* path, const char* const* sets, size_t set_count, mn_Error* error)
{
    size_t size;
    char* text = read_file(path, &size, error);
    if (!text)
        return NULL;
    const char* slash = strrchr(path, '/');
    char* folder = !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
    mn_Scene* scene = NULL;
    if (folder)
        scene = mn_scene_parse(text, size, path, folder, sets, set_count, error);
    else
        error_set(error, MN_OUT_OF_MEMORY, "no memory while reading the scene");
    free(folder);
    free(text);
    return scene;
}
