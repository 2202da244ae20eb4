// SPDX-License-Identifier: MIT
// Options of `meniscus view`, which the command checks and the window's program reads again.
#ifndef CLI_VIEW_OPTIONS_H
#define CLI_VIEW_OPTIONS_H

#include "cli.h"

typedef struct ViewOptions {
    const char* scene;
    const char* size; // WxH
    int width, height;
    int frames; // 0: until it is closed
    const char *screenshot, *record, *actions;
    const char *colour, *map; // NULL: as the scene says
    const char* renderer;     // auto, own or gles3
    TextList sets;
    int threads;  // 0: all cores
    double scale; // of letters and panel; 0: by the screen
    bool paused, live, bare, fine, joints, no_ground;
    double until;       // [s] it hurries there and waits; 0: nowhere
    const char* solids; // shaded, wire, cut or hidden
    double cut;         // [share of the scene] where solids are cut
    const char* camera; // EYE:TARGET; NULL: as the scene says
    double eye[3], target[3];
} ViewOptions;

int view_solids(const char* name); // number of a way to show solids, as --solids names it; -1: there is none
// -1: go on; else the status to leave with.
int view_options_parse(ViewOptions* options, int argc, char** argv);

#endif
