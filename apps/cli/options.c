// SPDX-License-Identifier: MIT
// Command-line options: one table per command drives parsing, messages and --help.
#include "base/error.h"
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_list_free(TextList* list)
{
    free((void*)list->item);
    *list = (TextList){0};
}

static bool text_list_add(TextList* list, const char* text)
{
    const char** item = realloc((void*)list->item, (list->count + 1) * sizeof *item);
    if (!item)
        return false;
    item[list->count++] = text;
    list->item = item;
    return true;
}

static void print_usage(const Syntax* syntax)
{
    printf("usage: meniscus %s%s%s%s\n", syntax->command, syntax->arguments[0] ? " " : "", syntax->arguments,
           syntax->option_count ? " [options]" : "");
    if (syntax->about)
        printf("\n%s\n", syntax->about);
    if (syntax->option_count)
        printf("\noptions:\n");
    for (size_t k = 0; k < syntax->option_count; k++) {
        const Option* option = &syntax->options[k];
        char left[64], letter[8] = "";
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        printf("  %-24s %s\n", left, option->help);
    }
}

static const Option* find_by_name(const Syntax* syntax, const char* name, size_t length)
{
    for (size_t k = 0; k < syntax->option_count; k++)
        if (strlen(syntax->options[k].name) == length && !memcmp(syntax->options[k].name, name, length))
            return &syntax->options[k];
    return NULL;
}

static const Option* find_by_letter(const Syntax* syntax, char letter)
{
    for (size_t k = 0; k < syntax->option_count; k++)
        if (letter && syntax->options[k].letter == letter)
            return &syntax->options[k];
    return NULL;
}

static int complain_unknown(const Syntax* syntax, const char* word)
{
    enum { MOST = 32 };
    const char* names[MOST];
    size_t count = 0;
    for (; count < syntax->option_count && count < MOST; count++)
        names[count] = syntax->options[count].name;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + strspn(word, "-"), "="), word + strspn(word, "-"));
    const char* nearest = nearest_word(name, names, count);
    if (nearest)
        return complain(STATUS_USAGE, "%s: unknown option %s; did you mean --%s?", syntax->command, word, nearest);
    return complain(STATUS_USAGE, "%s: unknown option %s; `meniscus %s --help` lists them", syntax->command, word, syntax->command);
}

static int set_integer(const Syntax* syntax, const Option* option, const char* text)
{
    char* end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < INT_MIN || value > INT_MAX)
        return complain(STATUS_USAGE, "%s: --%s needs a whole number, not \"%s\"", syntax->command, option->name, text);
    *(int*)option->target = (int)value;
    return -1;
}

static int set_number(const Syntax* syntax, const Option* option, const char* text)
{
    char* end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return complain(STATUS_USAGE, "%s: --%s needs a number, not \"%s\"", syntax->command, option->name, text);
    *(double*)option->target = value;
    return -1;
}

static int set_value(const Syntax* syntax, const Option* option, const char* text)
{
    switch (option->type) {
    case OPTION_FLAG:
        *(bool*)option->target = true;
        return -1;
    case OPTION_TEXT:
        if (!text[0])
            return complain(STATUS_USAGE, "%s: --%s needs a %s, not an empty word", syntax->command, option->name, option->value);
        *(const char**)option->target = text;
        return -1;
    case OPTION_NUMBER:
        return set_number(syntax, option, text);
    case OPTION_INTEGER:
        return set_integer(syntax, option, text);
    case OPTION_LIST:
        return text_list_add(option->target, text) ? -1 : complain(STATUS_IO, "no memory");
    }
    return -1;
}

// One option at argv[*k]; moves *k to its last word.
static int parse_option(const Syntax* syntax, int argc, char** argv, int* k)
{
    const char* word = argv[*k];
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
        print_usage(syntax);
        return STATUS_DONE;
    }
    const Option* option = NULL;
    const char* value = NULL;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        option = find_by_name(syntax, word + 2, length);
        value = word[2 + length] == '=' ? word + 3 + length : NULL;
    } else {
        option = find_by_letter(syntax, word[1]);
        value = word[2] ? word + 2 : NULL;
    }
    if (!option)
        return complain_unknown(syntax, word);
    if (option->type == OPTION_FLAG) {
        if (value)
            return complain(STATUS_USAGE, "%s: --%s takes no value", syntax->command, option->name);
        return set_value(syntax, option, "");
    }
    if (!value && *k + 1 >= argc)
        return complain(STATUS_USAGE, "%s: --%s needs a %s", syntax->command, option->name, option->value);
    return set_value(syntax, option, value ? value : argv[++*k]);
}

int options_parse(const Syntax* syntax, int argc, char** argv, const char** arguments, size_t* argument_count)
{
    bool only_words = false;
    *argument_count = 0;
    for (int k = 1; k < argc; k++) {
        if (!only_words && !strcmp(argv[k], "--")) {
            only_words = true;
        } else if (!only_words && argv[k][0] == '-' && argv[k][1]) {
            int status = parse_option(syntax, argc, argv, &k);
            if (status >= 0)
                return status;
        } else if (*argument_count < syntax->arguments_max) {
            arguments[(*argument_count)++] = argv[k];
        } else {
            return complain(STATUS_USAGE, "%s: one word too many: \"%s\"; usage: meniscus %s %s [options]", syntax->command,
                            argv[k], syntax->command, syntax->arguments);
        }
    }
    if (*argument_count < syntax->arguments_min)
        return complain(STATUS_USAGE, "%s: %s is missing; usage: meniscus %s %s [options]", syntax->command, syntax->arguments,
                        syntax->command, syntax->arguments);
    return -1;
}
