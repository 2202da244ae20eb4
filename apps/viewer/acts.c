// SPDX-License-Identifier: MIT
#include "viewer.h"

#include "base/clock.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char* const tool_names[TOOLS] = {"look", "drag", "pour", "push", "throw", "shake"};

const ActInfo act_info[ACTS] = {
    [ACT_PAUSE] = {"space", NULL, "pause and go on"},
    [ACT_STEP] = {"n", ".", "one step"},
    [ACT_RESET] = {"r", NULL, "back to the start"},
    [ACT_BACK] = {"left", NULL, "back in time by a kept state"},
    [ACT_AHEAD] = {"right", NULL, "ahead by a kept state"},
    [ACT_SLOWER] = {"-", "keypad -", "half the speed of time"},
    [ACT_FASTER] = {"=", "keypad +", "twice the speed of time"},
    [ACT_METHOD] = {"f2", NULL, "restart with the next pressure method"},
    [ACT_COUPLING] = {"f3", NULL, "restart with the next coupling"},
    [ACT_LIVE] = {"f4", NULL, "restart with the live solver, or without"},
    [ACT_LOOK] = {"1", NULL, "left button turns the view"},
    [ACT_DRAG] = {"2", NULL, "left button drags solids"},
    [ACT_POUR] = {"3", NULL, "left button pours fluid"},
    [ACT_PUSH] = {"4", NULL, "left button pushes or sucks fluid"},
    [ACT_THROW] = {"5", NULL, "left button throws a ball or box"},
    [ACT_SHAKE] = {"6", NULL, "left button shakes the tank"},
    [ACT_STYLE] = {"v", NULL, "particles, liquid, surface"},
    [ACT_COLOUR] = {"c", NULL, "speed, pressure, density, fluid"},
    [ACT_MAP] = {"m", NULL, "the next map of colours"},
    [ACT_SOLIDS] = {"o", NULL, "solids shaded, wire, cut, hidden"},
    [ACT_BOUNDARY] = {"b", NULL, "boundary particles"},
    [ACT_FINE] = {"q", NULL, "fine pictures instead of drafts"},
    [ACT_FRAME] = {"f", NULL, "the whole scene in view"},
    [ACT_GROUND] = {"g", NULL, "the ground"},
    [ACT_JOINTS] = {"j", NULL, "joints"},
    [ACT_SCREENSHOT] = {"p", "f12", "screenshot"},
    [ACT_RECORD] = {"f9", NULL, "begin or end a film (mp4)"},
    [ACT_SAVE] = {"f5", NULL, "save as scene, with all that was done"},
    [ACT_CHECKPOINT] = {"f6", NULL, "write a checkpoint"},
    [ACT_COPY] = {"k", NULL, "copy the command line"},
    [ACT_SCENES] = {"l", NULL, "list of scenes"},
    [ACT_PANEL] = {"tab", NULL, "panel"},
    [ACT_INFO] = {"i", NULL, "numbers and plots"},
    [ACT_HELP] = {"f1", NULL, "this help"},
    [ACT_QUIT] = {"escape", NULL, "close what is open, or the window"},
};

void viewer_say(Viewer* v, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(v->message, sizeof v->message, format, args);
    va_end(args);
    v->message_until = clock_seconds() + 4;
}

void viewer_wish(Viewer* v)
{
    sim_wish(v->sim, (ShotWish){v->look.colour, v->look.boundary});
}

void viewer_restart(Viewer* v)
{
    viewer_say(v, "restarting ...");
    sim_start(v->sim, &v->plan);
}

void viewer_range(Viewer* v)
{
    if (v->look.own_range || !v->setting)
        return;
    survey_live_range(&v->setting->survey, v->setting->scene, v->look.colour, v->look.range);
}

// --- what acts do

static void pause_or_go(Viewer* v)
{
    sim_pause(v->sim, v->status.state == SIM_RUNNING);
}

static void seek_by(Viewer* v, int states)
{
    if (v->status.kept == 0)
        return;
    double span = v->status.kept_to - v->status.kept_from, step = span / (double)(v->status.kept > 1 ? v->status.kept - 1 : 1);
    v->scrub = (v->shot ? v->shot->time : 0) + states * step + 1e-9;
    sim_seek(v->sim, v->scrub);
}

static void change_scale(Viewer* v, double factor)
{
    v->scale = fmin(fmax(v->scale * factor, 1.0 / 64), 8);
    sim_speed(v->sim, v->scale);
    viewer_say(v, "time runs at most %g times as fast as the clock", v->scale);
}

static void next_look(Viewer* v, Act act)
{
    Look* l = &v->look;
    if (act == ACT_STYLE)
        l->style = l->style == MN_STYLE_PARTICLES ? MN_STYLE_LIQUID
                   : l->style == MN_STYLE_LIQUID  ? MN_STYLE_SURFACE
                                                  : MN_STYLE_PARTICLES;
    if (act == ACT_COLOUR)
        l->colour = l->colour == MN_COLOUR_SPEED      ? MN_COLOUR_PRESSURE
                    : l->colour == MN_COLOUR_PRESSURE ? MN_COLOUR_DENSITY
                    : l->colour == MN_COLOUR_DENSITY  ? MN_COLOUR_FLUID
                                                      : MN_COLOUR_SPEED;
    if (act == ACT_MAP)
        l->map = (ColourMapName)((l->map + 1) % 3);
    if (act == ACT_SOLIDS)
        l->solids = (SolidShow)((l->solids + 1) % SHOW_KINDS);
    if (act == ACT_BOUNDARY)
        l->boundary = !l->boundary;
    if (act == ACT_FINE)
        l->fine = !l->fine;
    if (act == ACT_GROUND)
        l->ground = !l->ground;
    if (act == ACT_JOINTS)
        l->joints = !l->joints;
    viewer_range(v);
    viewer_wish(v);
    v->stale = true;
}

static void next_method(Viewer* v, Act act)
{
    if (act == ACT_METHOD)
        v->method = (v->method + 1) % METHODS;
    if (act == ACT_COUPLING)
        v->coupling = (v->coupling + 1) % COUPLINGS;
    if (act == ACT_LIVE)
        v->live = !v->live;
    plan_methods(v);
    viewer_restart(v);
}

static void copy_command(Viewer* v)
{
    char line[2048];
    command_line(v, line, sizeof line);
    window_copy(line);
    printf("%s\n", line);
    viewer_say(v, "copied: %.200s", line);
}

static void close_something(Viewer* v)
{
    if (v->help || v->list)
        v->help = v->list = false;
    else
        v->quit = true;
}

void viewer_do(Viewer* v, Act act)
{
    if (act >= ACT_LOOK && act <= ACT_SHAKE) {
        v->hand.tool = (Tool)(act - ACT_LOOK);
        return;
    }
    if (act >= ACT_STYLE && act <= ACT_JOINTS && act != ACT_FRAME) {
        next_look(v, act);
        return;
    }
    switch (act) {
    case ACT_PAUSE:
        pause_or_go(v);
        break;
    case ACT_STEP:
        sim_step(v->sim);
        break;
    case ACT_RESET:
        sim_reset(v->sim);
        break;
    case ACT_BACK:
        seek_by(v, -1);
        break;
    case ACT_AHEAD:
        seek_by(v, 1);
        break;
    case ACT_SLOWER:
        change_scale(v, 0.5);
        break;
    case ACT_FASTER:
        change_scale(v, 2);
        break;
    case ACT_METHOD:
    case ACT_COUPLING:
    case ACT_LIVE:
        next_method(v, act);
        break;
    case ACT_FRAME:
        if (v->setting)
            orbit_frame(&v->orbit, v->setting, viewer_canvas(v));
        v->stale = true;
        break;
    case ACT_SCREENSHOT:
        files_screenshot(v, NULL);
        break;
    case ACT_RECORD:
        files_record(v, NULL);
        break;
    case ACT_SAVE:
        files_save(v);
        break;
    case ACT_CHECKPOINT:
        files_checkpoint(v);
        break;
    case ACT_COPY:
        copy_command(v);
        break;
    case ACT_SCENES:
        v->list = !v->list;
        if (v->list)
            files_list(v);
        break;
    case ACT_PANEL:
        v->panel = !v->panel;
        v->stale = true;
        break;
    case ACT_INFO:
        v->info = !v->info;
        v->stale = true;
        break;
    case ACT_HELP:
        v->help = !v->help;
        break;
    case ACT_QUIT:
        close_something(v);
        break;
    default:
        break;
    }
}

void viewer_key(Viewer* v, const WindowEvent* event)
{
    for (int a = 0; a < ACTS; a++)
        if (!strcmp(event->key, act_info[a].key) || (act_info[a].other_key && !strcmp(event->key, act_info[a].other_key))) {
            viewer_do(v, (Act)a);
            return;
        }
}

// --- the command line that shows the same

void command_line(const Viewer* v, char* out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "meniscus view '%s' --size %dx%d", v->plan.path, v->picture.width, v->picture.height);
    for (size_t k = 0; k < v->plan.set_count && n < size; k++)
        n += (size_t)snprintf(out + n, size - n, " --set '%s'", v->plan.set[k]);
    static const char* const styles[] = {
        [MN_STYLE_PARTICLES] = "particles", [MN_STYLE_LIQUID] = "liquid", [MN_STYLE_SURFACE] = "surface"};
    static const char* const colours[] = {[MN_COLOUR_SPEED] = "speed",
                                          [MN_COLOUR_PRESSURE] = "pressure",
                                          [MN_COLOUR_DENSITY] = "density",
                                          [MN_COLOUR_FLUID] = "fluid"};
    const Look* l = &v->look;
    if (n < size)
        n += (size_t)snprintf(out + n, size - n, " --set view.style=%s --set view.colour=%s", styles[l->style], colours[l->colour]);
    if (n < size && l->own_range)
        n += (size_t)snprintf(out + n, size - n, " --set 'view.range=[%g,%g]'", l->range[0], l->range[1]);
    Vec3d e = v->camera.eye, t = v->orbit.target;
    if (n < size && !v->orbit.flat)
        snprintf(out + n, size - n, " --set 'view.camera={\"eye\":[%.4g,%.4g,%.4g],\"target\":[%.4g,%.4g,%.4g]}'", e.x, e.y, e.z,
                 t.x, t.y, t.z);
}
