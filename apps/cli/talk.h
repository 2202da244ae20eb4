// SPDX-License-Identifier: MIT
// What `run` says: to the terminal or a pipe, and into run.log. Lines said before the log is open are kept for it.
#ifndef CLI_TALK_H
#define CLI_TALK_H

#include "io/run_writer.h"

typedef struct Talk {
    bool quiet;        // only warnings and errors are shown
    bool terminal;     // standard output is one: progress is a bar that is drawn over
    bool bar_shown;    // the cursor is behind a bar
    RunWriter* writer; // NULL: no log yet
    char* early;       // lines for the log to come, newline after each
    size_t early_size;
} Talk;

Talk talk_begin(bool quiet);
void talk_open_log(Talk* talk, RunWriter* writer); // NULL closes it
void talk_end(Talk* talk);

__attribute__((format(printf, 2, 3))) void talk_say(Talk* talk, const char* format, ...);
__attribute__((format(printf, 2, 3))) void talk_warn(Talk* talk, const char* format, ...);
mn_LogFn talk_log; // for mn_WorldDef; user is the Talk

// Draws over the last bar. Does nothing unless on a terminal and not quiet.
void talk_bar(Talk* talk, double share, const char* text);

#endif
