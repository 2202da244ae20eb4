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
    [ACT_BACK] = {"left", NULL, "back by a kept state"},
    [ACT_AHEAD] = {"right", NULL, "ahead by a kept state"},
    [ACT_SLOWER] = {"-", "keypad -", "half the speed of time"},
    [ACT_FASTER] = {"=", "keypad +", "twice the speed of time"},
    [ACT_METHOD] = {"f2", NULL, "next pressure method"},
    [ACT_COUPLING] = {"f3", NULL, "next coupling"},
    [ACT_LIVE] = {"f4", NULL, "live solver, or not"},
    [ACT_LOOK] = {"1", NULL, "hand: turns the view"},
    [ACT_DRAG] = {"2", NULL, "hand: drags solids"},
    [ACT_POUR] = {"3", NULL, "hand: pours fluid"},
    [ACT_PUSH] = {"4", NULL, "hand: pushes, sucks fluid"},
    [ACT_THROW] = {"5", NULL, "hand: throws a ball or box"},
    [ACT_SHAKE] = {"6", NULL, "hand: shakes the tank"},
    [ACT_LIGHTER] = {"pagedown", NULL, "less gravity"},
    [ACT_HEAVIER] = {"pageup", NULL, "more gravity"},
    [ACT_THINNER] = {"[", NULL, "less viscosity"},
    [ACT_THICKER] = {"]", NULL, "more viscosity"},
    [ACT_LESS_TENSION] = {";", NULL, "less surface tension"},
    [ACT_MORE_TENSION] = {"'", NULL, "more surface tension"},
    [ACT_LIGHTER_FLUID] = {"7", NULL, "lighter fluid"},
    [ACT_HEAVIER_FLUID] = {"8", NULL, "heavier fluid"},
    [ACT_LIGHTER_BODIES] = {"9", NULL, "lighter bodies"},
    [ACT_HEAVIER_BODIES] = {"0", NULL, "heavier bodies"},
    [ACT_SOFTER] = {"y", NULL, "softer elastic solids"},
    [ACT_STIFFER] = {"u", NULL, "stiffer elastic solids"},
    [ACT_LESS_HAND] = {"z", NULL, "hand: smaller, weaker"},
    [ACT_MORE_HAND] = {"x", NULL, "hand: larger, stronger"},
    [ACT_SHAPE] = {"h", NULL, "throw a ball or a box"},
    [ACT_STYLE] = {"v", NULL, "particles, liquid, surface"},
    [ACT_COLOUR] = {"c", NULL, "colour by the next field"},
    [ACT_MAP] = {"m", NULL, "the next map of colours"},
    [ACT_LESS_RANGE] = {"e", NULL, "smaller range of colours"},
    [ACT_MORE_RANGE] = {"t", NULL, "larger range of colours"},
    [ACT_SOLIDS] = {"o", NULL, "solids: shaded, wire, cut"},
    [ACT_CUT_BACK] = {"a", NULL, "cut less of the solids"},
    [ACT_CUT_ON] = {"d", NULL, "cut more of the solids"},
    [ACT_BOUNDARY] = {"b", NULL, "boundary particles"},
    [ACT_FINE] = {"q", NULL, "fine pictures, or drafts"},
    [ACT_FRAME] = {"f", NULL, "the whole scene in view"},
    [ACT_GROUND] = {"g", NULL, "the ground"},
    [ACT_JOINTS] = {"j", NULL, "joints and pins"},
    [ACT_SCREENSHOT] = {"p", "f12", "screenshot"},
    [ACT_RECORD] = {"f9", NULL, "begin or end a film (mp4)"},
    [ACT_SAVE] = {"f5", NULL, "save as scene"},
    [ACT_CHECKPOINT] = {"f6", NULL, "write a checkpoint"},
    [ACT_COPY] = {"k", NULL, "copy the command line"},
    [ACT_SCENES] = {"l", NULL, "list of scenes"},
    [ACT_PANEL] = {"tab", NULL, "panel"},
    [ACT_INFO] = {"i", NULL, "numbers and plots"},
    [ACT_HELP] = {"f1", NULL, "this help"},
    [ACT_QUIT] = {"escape", NULL, "close"},
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
    sim_wish(v->sim, (ShotWish){v->look.colour, v->look.boundary, v->look.joints});
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
    field_range(v->look.colour, v->setting, v->look.range);
}

void viewer_gravity(Viewer* v)
{
    if (v->setting)
        sim_live(v->sim, &(LiveInput){.what = LIVE_GRAVITY, .at = vec3d_scale(v->setting->up, -v->gravity)});
}

void viewer_number(Viewer* v, LiveDo what, double value)
{
    sim_live(v->sim, &(LiveInput){.what = what, .value = value});
}

// --- what acts do

// One step of a key: a factor of about 1.6, so that five are ten times as much.
static double stepped(double value, bool up, double low, double high)
{
    return fmin(fmax(fmax(value, low) * (up ? 1.5849 : 1 / 1.5849), low), high);
}

static void change_number(Viewer* v, Act act)
{
    const struct {
        Act less;
        double *value, low, high;
        LiveDo what;
        const char* format;
    } numbers[] = {{ACT_THINNER, &v->viscosity, 1e-4, 10, LIVE_VISCOSITY, "viscosity %.3g"},
                   {ACT_LESS_TENSION, &v->tension, 1e-3, 10, LIVE_TENSION, "surface tension %.3g"},
                   {ACT_LIGHTER_FLUID, &v->fluid_density, 100, 10000, LIVE_FLUID_DENSITY, "fluid %.0f kg/m3"},
                   {ACT_LIGHTER_BODIES, &v->body_density, 50, 8000, LIVE_DENSITY, "bodies %.0f kg/m3"},
                   {ACT_SOFTER, &v->young, 1e3, 1e8, LIVE_YOUNG, "stiffness %.3g Pa"}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (act == numbers[k].less || act == numbers[k].less + 1) {
            *numbers[k].value = stepped(*numbers[k].value, act != numbers[k].less, numbers[k].low, numbers[k].high);
            viewer_number(v, numbers[k].what, *numbers[k].value);
            // NOLINTNEXTLINE: formats are literals of this table
            viewer_say(v, numbers[k].format, *numbers[k].value);
        }
}

// The number of the tool that the hand is set to.
static void change_hand(Viewer* v, bool up)
{
    Hand* h = &v->hand;
    if (h->tool == TOOL_THROW)
        h->size = stepped(h->size, up, 0.02, 0.3);
    else if (h->tool == TOOL_POUR)
        h->rate = stepped(h->rate, up, 0.5, 3);
    else
        h->strength = fmin(fmax(h->strength + (up ? 0.25 : -0.25), -1), 1);
    viewer_say(v, "hand: %s %.2f",
               h->tool == TOOL_THROW  ? "size"
               : h->tool == TOOL_POUR ? "width"
                                      : "strength",
               h->tool == TOOL_THROW  ? h->size
               : h->tool == TOOL_POUR ? h->rate
                                      : h->strength);
}

// About its middle where that is zero, else from its lower end.
static void change_range(Viewer* v, bool up)
{
    double* r = v->look.range;
    double factor = up ? 1.5849 : 1 / 1.5849;
    bool centred = r[0] == -r[1];
    r[1] = centred ? r[1] * factor : r[0] + (r[1] - r[0]) * factor;
    if (centred)
        r[0] = -r[1];
    v->look.own_range = true;
}

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
        l->colour = (Field)((l->colour + 1) % FIELDS);
    if (act == ACT_COLOUR)
        l->own_range = false;
    if (act == ACT_LESS_RANGE || act == ACT_MORE_RANGE)
        change_range(v, act == ACT_MORE_RANGE);
    if (act == ACT_CUT_BACK || act == ACT_CUT_ON)
        l->cut = fmin(fmax(l->cut + (act == ACT_CUT_ON ? 0.05 : -0.05), 0), 1);
    if (act == ACT_COLOUR)
        viewer_say(v, "colours: %s", field_info[l->colour].name);
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
    if (act >= ACT_THINNER && act <= ACT_STIFFER) {
        change_number(v, act);
        return;
    }
    switch (act) {
    case ACT_LESS_HAND:
    case ACT_MORE_HAND:
        change_hand(v, act == ACT_MORE_HAND);
        break;
    case ACT_SHAPE:
        v->hand.shape = !v->hand.shape;
        viewer_say(v, "throws a %s", v->hand.shape ? "box" : "ball");
        break;
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
    case ACT_LIGHTER:
    case ACT_HEAVIER:
        v->gravity += act == ACT_HEAVIER ? 1 : -1;
        viewer_gravity(v);
        viewer_say(v, "gravity %.2f m/s2", v->gravity);
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
        if (v->list && !v->thumbs)
            v->thumbs = thumbs_open();
        if (!v->list)
            thumbs_forget_wishes(v->thumbs);
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
    size_t n = (size_t)snprintf(out, size, "meniscus view '%s' --size %dx%d", v->plan.path, v->width, v->height);
    for (size_t k = 0; k < v->plan.set_count && n < size; k++)
        n += (size_t)snprintf(out + n, size - n, " --set '%s'", v->plan.set[k]);
    static const char* const styles[] = {
        [MN_STYLE_PARTICLES] = "particles", [MN_STYLE_LIQUID] = "liquid", [MN_STYLE_SURFACE] = "surface"};
    const Look* l = &v->look;
    if (n < size)
        n += (size_t)snprintf(out + n, size - n, " --set view.style=%s --colour %s --map %s", styles[l->style],
                              field_info[l->colour].name, map_names[l->map]);
    if (n < size && l->boundary)
        n += (size_t)snprintf(out + n, size - n, " --set view.boundary=true");
    if (n < size && l->own_range)
        n += (size_t)snprintf(out + n, size - n, " --set 'view.range=[%g,%g]'", l->range[0], l->range[1]);
    Vec3d e = v->camera.eye, t = v->orbit.target;
    if (n < size && !v->orbit.flat)
        snprintf(out + n, size - n, " --set 'view.camera={\"eye\":[%.4g,%.4g,%.4g],\"target\":[%.4g,%.4g,%.4g]}'", e.x, e.y, e.z,
                 t.x, t.y, t.z);
}
