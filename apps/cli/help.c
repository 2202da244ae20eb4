// SPDX-License-Identifier: MIT
// meniscus help: commands, their options, and every key of the scene file.
#include "scene/help.h"
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_overview(void)
{
    printf("meniscus %s: fluids and the solids they touch\n\nusage: meniscus COMMAND ...\n\n", mn_version());
    for (size_t k = 0; k < command_count; k++)
        printf("  %-8s %s\n", commands[k].name, commands[k].summary);
    printf("\n"
           "meniscus help COMMAND     the options of a command\n"
           "meniscus help scene       all keys of the scene file; `help solver.method` or `help density` for one of them\n"
           "meniscus help topics      everything there is help for\n"
           "meniscus help status      exit statuses\n"
           "meniscus help schema      JSON schema of scene files\n");
}

static void print_status(void)
{
    printf("exit status of every command:\n"
           "    0  done\n"
           "    1  the simulation became invalid; the message says where and why, the last good checkpoint is kept\n"
           "    2  bad usage or bad input; the message names the place and what is allowed, nothing is written\n"
           "    3  reading or writing failed (disk full, no permission) or memory ran out; what was complete stays readable\n"
           "  130  interrupted by SIGINT or SIGTERM; `meniscus run` has written a checkpoint and says how to resume\n");
}

static int print_topic(const char* topic);

static int print_and_free(char* text)
{
    if (!text)
        return complain(STATUS_IO, "no memory");
    fputs(text, stdout);
    size_t length = strlen(text);
    if (length && text[length - 1] != '\n')
        fputc('\n', stdout);
    free(text);
    return STATUS_DONE;
}

// The manual page, in roff: what help says of every command, as it stands.
static int print_manual(void)
{
    printf(".TH MENISCUS 1 \"\" \"meniscus %s\" \"User Commands\"\n"
           ".SH NAME\nmeniscus \\- fluids and the solids they touch\n"
           ".SH SYNOPSIS\n.B meniscus\n.I COMMAND\n[arguments] [options]\n"
           ".SH DESCRIPTION\nSimulates scenes of fluids and solids, described by JSON files, and makes surfaces, pictures and "
           "films of them.\n"
           ".SH COMMANDS\n",
           mn_version());
    for (size_t k = 0; k < command_count; k++) {
        printf(".SS %s\n%s.\n.PP\n.nf\n", commands[k].name, commands[k].summary);
        int status = print_topic(commands[k].name);
        if (status != STATUS_DONE)
            return status;
        printf(".fi\n");
    }
    printf(".SH EXIT STATUS\n.nf\n");
    print_status();
    printf(".fi\n");
    return STATUS_DONE;
}

static int print_topics(void)
{
    for (size_t k = 0; k < command_count; k++)
        printf("%s\n", commands[k].name);
    printf("status\nschema\nman\n");
    return print_and_free(scene_help_topics());
}

static int unknown_topic(const char* topic)
{
    char* nearest = scene_help_nearest(topic);
    int status = nearest ? complain(STATUS_USAGE, "there is no help for \"%s\"; did you mean %s?", topic, nearest)
                         : complain(STATUS_USAGE, "there is no help for \"%s\"; `meniscus help topics` lists what there is", topic);
    free(nearest);
    return status;
}

static int print_topic(const char* topic)
{
    const Command* command = command_find(topic);
    if (command) {
        char name[32], help[] = "--help";
        snprintf(name, sizeof name, "%s", topic);
        char* words[] = {name, help, NULL};
        return command->run(2, words);
    }
    if (!strcmp(topic, "status"))
        return print_status(), STATUS_DONE;
    if (!strcmp(topic, "man"))
        return print_manual();
    if (!strcmp(topic, "topics"))
        return print_topics();
    if (!strcmp(topic, "schema"))
        return print_and_free(scene_schema_json());
    char* text = scene_help(topic);
    return text ? print_and_free(text) : unknown_topic(topic);
}

int command_help(int argc, char** argv)
{
    const Syntax syntax = {
        .command = "help",
        .arguments = "[TOPIC]",
        .about = "Without a topic: the commands. Topics are commands, scene keys, status, schema, man (the manual page), topics.",
        .arguments_max = 1};
    if (argc < 2) {
        print_overview();
        return STATUS_DONE;
    }
    const char* topic;
    size_t count;
    int status = options_parse(&syntax, argc, argv, &topic, &count);
    if (status >= 0)
        return status;
    return print_topic(topic);
}
