// SPDX-License-Identifier: MIT
#include "talk.h"

#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE = 1024 };

Talk talk_begin(bool quiet)
{
    return (Talk){.quiet = quiet, .terminal = isatty(STDOUT_FILENO)};
}

static void keep_early(Talk* talk, const char* text)
{
    size_t length = strlen(text);
    char* grown = realloc(talk->early, talk->early_size + length + 2);
    if (!grown)
        return;
    memcpy(grown + talk->early_size, text, length);
    talk->early = grown;
    talk->early_size += length;
    talk->early[talk->early_size++] = '\n';
    talk->early[talk->early_size] = 0;
}

static void to_log(Talk* talk, const char* text)
{
    if (talk->writer)
        run_writer_log(talk->writer, text);
    else
        keep_early(talk, text);
}

void talk_open_log(Talk* talk, RunWriter* writer)
{
    talk->writer = writer;
    if (writer && talk->early) {
        talk->early[talk->early_size - 1] = 0;
        for (char *line = talk->early, *next; line; line = next) {
            next = strchr(line, '\n');
            if (next)
                *next++ = 0;
            run_writer_log(writer, line);
        }
    }
    free(talk->early);
    talk->early = NULL;
    talk->early_size = 0;
}

static void wipe_bar(Talk* talk)
{
    if (talk->bar_shown)
        fputs("\r\033[K", stdout);
    talk->bar_shown = false;
}

void talk_end(Talk* talk)
{
    wipe_bar(talk);
    fflush(stdout);
    free(talk->early);
    talk->early = NULL;
}

void talk_say(Talk* talk, const char* format, ...)
{
    char text[LINE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_printable(text);
    to_log(talk, text);
    if (talk->quiet)
        return;
    wipe_bar(talk);
    errno = 0;
    if ((puts(text) < 0 || fflush(stdout)) && errno == EPIPE) {
        // the reader went away (as `| head` does): simulate on in silence
        talk->quiet = true;
        clearerr(stdout);
    }
}

void talk_warn(Talk* talk, const char* format, ...)
{
    char text[LINE] = "warning: ";
    size_t start = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + start, sizeof text - start, format, args);
    va_end(args);
    text_printable(text);
    to_log(talk, text);
    wipe_bar(talk);
    fflush(stdout);
    fprintf(stderr, "%s\n", text);
}

void talk_log(void* user, mn_LogLevel level, const char* text)
{
    if (level == MN_LOG_WARNING)
        talk_warn(user, "%s", text);
    else
        talk_say(user, "%s", text);
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

void talk_bar(Talk* talk, double share, const char* text)
{
    enum { WIDEST = 40, NARROWEST = 8 };
    if (talk->quiet || !talk->terminal)
        return;
    int room = terminal_width() - (int)strlen(text) - 4;
    int width = room > WIDEST ? WIDEST : room;
    fputs("\r", stdout);
    if (width >= NARROWEST) {
        int full = (int)(share * width);
        char bar[WIDEST + 1];
        for (int k = 0; k < width; k++)
            bar[k] = k < full ? '#' : '.';
        bar[width] = 0;
        printf("[%s] ", bar);
    }
    // a line longer than the window would leave a trail of itself
    printf("%.*s\033[K", terminal_width() - 1, text);
    fflush(stdout);
    talk->bar_shown = true;
}
