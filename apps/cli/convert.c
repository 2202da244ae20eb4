// SPDX-License-Identifier: MIT
// meniscus convert: a scene of another simulator as one of ours, or the other way round.
#include "cli.h"
#include "io/file.h"
#include "scene/foreign/foreign.h"
#include <meniscus/scene.h>

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
    complain_error(&error);
    return complain(STATUS_USAGE, "convert: the scene cannot be converted because of that; nothing was written");
}

static int from_splishsplash(const char* path, const char* out)
{
    mn_Error error = {0};
    FileBytes bytes = {0};
    char folder[PATH_SIZE], target[PATH_SIZE];
    folder_of(path, folder);
    folder_of(out, target);
    if (file_read(path, &bytes, &error) != MN_OK)
        return complain_error(&error);
    ForeignScene foreign = {.text = bytes.data, .size = bytes.size, .path = path, .folder = folder, .target = target};
    Conversion made;
    mn_Result result = splishsplash_to_scene(&foreign, &made, &error);
    file_bytes_free(&bytes);
    if (result != MN_OK)
        return complain_error(&error);
    int status = check_made(made.scene, out, target);
    if (status == STATUS_DONE)
        status = write_text(out, made.scene);
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
