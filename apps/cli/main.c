// SPDX-License-Identifier: MIT
// The meniscus command: finds the subcommand and runs it.
#include "base/error.h"
#include "base/simd.h"
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const Command commands[] = {
    {"run", command_run, "simulate a scene; frames, tables and checkpoints go into a run folder"},
    {"check", command_check, "read and validate a scene, and say what it would simulate"},
    {"info", command_info, "what is in a mesh, frame, checkpoint, scene or run folder"},
    {"sample", command_sample, "boundary particles of a triangle mesh"},
    {"surface", command_surface, "triangle meshes of the fluids of a run, for Blender, Houdini and ParaView"},
    {"foam", command_foam, "spray, foam and bubbles from a run"},
    {"render", command_render, "pictures or a video of a run or a scene"},
    {"view", command_view, "a window to play in: simulates a scene and shows it"},
    {"plot", command_plot, "the tables of a run as plots"},
    {"convert", command_convert, "a scene of SPlisHSPlasH as one of ours"},
    {"bench", command_bench, "measured work, as tables"},
    {"help", command_help, "this text, a command's options, or any key of the scene file"},
};
const size_t command_count = sizeof commands / sizeof *commands;

const Command* command_find(const char* name)
{
    for (size_t k = 0; k < command_count; k++)
        if (!strcmp(commands[k].name, name))
            return &commands[k];
    return NULL;
}

static int unknown_command(const char* name)
{
    enum { MOST = 32 };
    const char* names[MOST];
    size_t count = 0;
    for (; count < command_count && count < MOST; count++)
        names[count] = commands[count].name;
    const char* nearest = nearest_word(name, names, count);
    if (nearest)
        return complain(STATUS_USAGE, "there is no command \"%s\"; did you mean %s?", name, nearest);
    return complain(STATUS_USAGE, "there is no command \"%s\"; `meniscus help` lists them", name);
}

// What a report of a problem needs.
static void print_version(void)
{
#if defined(__clang__)
    const char* compiler = "clang " __clang_version__;
#else
    const char* compiler = "gcc " __VERSION__;
#endif
#if defined(__SANITIZE_ADDRESS__)
    const char* kind = ", with sanitizers";
#elif defined(__OPTIMIZE__)
    const char* kind = "";
#else
    const char* kind = ", not optimised";
#endif
    printf("meniscus %s\nbuilt with %s, vectors: %s%s\n", mn_version(), compiler, simd_name(), kind);
}

static int dispatch(int argc, char** argv)
{
    if (argc < 2) {
        command_help(1, argv);
        return STATUS_USAGE;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        print_version();
        return STATUS_DONE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return command_help(argc - 1, argv + 1);
    const Command* command = command_find(argv[1]);
    if (command)
        return command->run(argc - 1, argv + 1);
    if (argv[1][0] == '-')
        return complain(STATUS_USAGE, "unknown option %s; options come after the command, see `meniscus help`", argv[1]);
    return unknown_command(argv[1]);
}

int main(int argc, char** argv)
{
    int status = dispatch(argc, argv);
    // a pipe that was closed early is the reader's choice; a full disk is not
    errno = 0;
    if ((fflush(stdout) || ferror(stdout)) && errno != EPIPE && status == STATUS_DONE)
        return complain(STATUS_IO, "cannot write to standard output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return status;
}
