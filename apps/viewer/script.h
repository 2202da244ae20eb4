// SPDX-License-Identifier: MIT
// Scripted input (--actions): a JSON object per line, in the order in which they happen. "frame" says at which shown picture,
// "time" at which simulated time:
//   { "frame": 30, "do": "press", "x": 200, "y": 120, "button": 1 }    move, release, wheel ("y": notches), key ("key": "space")
//   { "time": 0.5, "do": "screenshot", "file": "half.png" }            quit
#ifndef VIEWER_SCRIPT_H
#define VIEWER_SCRIPT_H

#include "window.h"

typedef enum ScriptDo { SCRIPT_EVENT, SCRIPT_SCREENSHOT, SCRIPT_STATUS } ScriptDo;

typedef struct ScriptLine {
    int64_t frame; // -1: by time
    int64_t after; // -1: not after another one
    double time;   // [s]
    ScriptDo what;
    WindowEvent event;
    char file[256];
} ScriptLine;

typedef struct Script {
    ScriptLine* line;
    size_t count, next;
    int64_t last; // picture of the line before
} Script;

mn_Result script_read(Script* script, const char* path, mn_Error* error);
void script_free(Script* script);
// The next line if it is due; NULL: not yet, or there is none.
const ScriptLine* script_due(Script* script, int64_t frame, double time);

#endif
