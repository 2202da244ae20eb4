// SPDX-License-Identifier: MIT
#include "view_options.h"

#include "base/parallel.h"
#include <stdio.h>
#include <string.h>

static bool ends_with(const char* text, const char* end)
{
    size_t a = strlen(text), b = strlen(end);
    return a > b && !strcmp(text + a - b, end);
}

int view_solids(const char* name)
{
    static const char* const names[] = {"shaded", "wire", "cut", "hidden"};
    for (int k = 0; k < 4; k++)
        if (!strcmp(name, names[k]))
            return k;
    return -1;
}

static int read_camera(ViewOptions* o)
{
    double *e = o->eye, *t = o->target;
    char rest;
    if (sscanf(o->camera, "%lf,%lf,%lf:%lf,%lf,%lf%c", &e[0], &e[1], &e[2], &t[0], &t[1], &t[2], &rest) != 6)
        return complain(STATUS_USAGE, "view: --camera %s: expected eye:target in metres, as in 2,1,3:0,0.5,0", o->camera);
    double squared = 0;
    for (int k = 0; k < 3; k++)
        squared += (e[k] - t[k]) * (e[k] - t[k]);
    if (!(squared > 0 && squared < 1e30))
        return complain(STATUS_USAGE, "view: --camera %s: eye and target are the same point, or too far away", o->camera);
    return -1;
}

static int check(ViewOptions* o)
{
    char rest;
    if (sscanf(o->size, "%5dx%5d%c", &o->width, &o->height, &rest) != 2 || o->width < 320 || o->height < 240 || o->width > 8192 ||
        o->height > 8192)
        return complain(STATUS_USAGE, "view: --size %s: expected WIDTHxHEIGHT from 320x240 to 8192x8192", o->size);
    if (o->frames < 0)
        return complain(STATUS_USAGE, "view: --frames needs a number above 0, not %d", o->frames);
    if (o->threads < 0 || o->threads > POOL_MOST)
        return complain(STATUS_USAGE, "view: --threads needs a number from 0 to %d, not %d", POOL_MOST, o->threads);
    if (o->scale != 0 && !(o->scale >= 0.5 && o->scale <= 4))
        return complain(STATUS_USAGE, "view: --scale needs a number from 0.5 to 4, not %g", o->scale);
    if (strcmp(o->renderer, "auto") != 0 && strcmp(o->renderer, "own") != 0 && strcmp(o->renderer, "gles3") != 0)
        return complain(STATUS_USAGE, "view: --renderer %s: expected auto, own or gles3", o->renderer);
    if (o->screenshot && !ends_with(o->screenshot, ".png"))
        return complain(STATUS_USAGE, "view: --screenshot %s: expected a name that ends in .png", o->screenshot);
    if (o->record && !ends_with(o->record, ".mp4"))
        return complain(STATUS_USAGE, "view: --record %s: expected a name that ends in .mp4", o->record);
    if (!(o->until >= 0) || o->until > 1e9)
        return complain(STATUS_USAGE, "view: --until needs a time above 0, not %g", o->until);
    if (!(o->cut >= 0 && o->cut <= 1))
        return complain(STATUS_USAGE, "view: --cut needs a number from 0 to 1, not %g", o->cut);
    if (view_solids(o->solids) < 0)
        return complain(STATUS_USAGE, "view: --solids %s: expected shaded, wire, cut or hidden", o->solids);
    return o->camera ? read_camera(o) : -1;
}

int view_options_parse(ViewOptions* o, int argc, char** argv)
{
    *o = (ViewOptions){.size = "960x540", .renderer = "auto", .solids = "shaded", .cut = 0.5};
    const Option options[] = {
        {"size", 0, OPTION_TEXT, &o->size, "WxH", "size of the window in pixels (default 960x540)"},
        {"frames", 0, OPTION_INTEGER, &o->frames, "N", "ends after N pictures and says how fast they came"},
        {"screenshot", 0, OPTION_TEXT, &o->screenshot, "FILE", "writes the last picture: x.png"},
        {"record", 0, OPTION_TEXT, &o->record, "FILE", "records from the first picture on: x.mp4"},
        {"actions", 0, OPTION_TEXT, &o->actions, "FILE", "plays input from a file, a JSON object per line"},
        {"colour", 0, OPTION_TEXT, &o->colour, "FIELD",
         "speed, pressure, density, fluid, velocity_x, velocity_y, velocity_z, height or id"},
        {"map", 0, OPTION_TEXT, &o->map, "NAME", "of the colours: water, depths or ember"},
        {"renderer", 0, OPTION_TEXT, &o->renderer, "NAME",
         "own draws on the processor, gles3 by OpenGL ES 3; auto (default) takes gles3 where there is a GPU"},
        {"camera", 0, OPTION_TEXT, &o->camera, "EYE:TARGET", "two points, as in 2,1,3:0,0.5,0"},
        {"solids", 0, OPTION_TEXT, &o->solids, "HOW", "shaded, wire, cut or hidden"},
        {"cut", 0, OPTION_NUMBER, &o->cut, "X", "where solids are cut, from 0 to 1 (0.5)"},
        {"fine", 0, OPTION_FLAG, &o->fine, NULL, "pictures as render draws them instead of drafts"},
        {"joints", 0, OPTION_FLAG, &o->joints, NULL, "shows joints and pins"},
        {"no-ground", 0, OPTION_FLAG, &o->no_ground, NULL, "no ground below the scene"},
        {"until", 0, OPTION_NUMBER, &o->until, "SECONDS", "simulates up to there as fast as it can, then pauses"},
        {"set", 's', OPTION_LIST, &o->sets, "KEY=VALUE", "change a scene key; repeatable"},
        {"threads", 't', OPTION_INTEGER, &o->threads, "N", "threads of the simulation, 0 = all cores"},
        {"live", 0, OPTION_FLAG, &o->live, NULL, "a looser solver, a few times as fast (docs/live.md)"},
        {"scale", 0, OPTION_NUMBER, &o->scale, "X", "size of letters and panel, 0.5 to 4 (default: by the screen)"},
        {"paused", 0, OPTION_FLAG, &o->paused, NULL, "waits for the space bar before the first step"},
        {"bare", 0, OPTION_FLAG, &o->bare, NULL, "no panel and no numbers over the picture"},
    };
    const Syntax syntax = {.command = "view",
                           .arguments = "SCENE.json",
                           .about =
                               "Opens a window and simulates the scene in it. The mouse turns the view and takes hold of things;\n"
                               "F1 shows the keys.",
                           .options = options,
                           .option_count = sizeof options / sizeof *options,
                           .arguments_min = 1,
                           .arguments_max = 1};
    size_t count;
    int status = options_parse(&syntax, argc, argv, &o->scene, &count);
    return status >= 0 ? status : check(o);
}
