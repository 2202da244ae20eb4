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
    [ACT_LIGHTER_THROWN] = {",", NULL, "throw lighter things"},
    [ACT_HEAVIER_THROWN] = {"/", NULL, "throw heavier things"},
    [ACT_STYLE] = {"v", NULL, "particles, liquid, surface"},
    [ACT_COLOUR] = {"c", NULL, "colour by the next field"},
    [ACT_MAP] = {"m", NULL, "the next map of colours"},
    [ACT_LESS_RANGE] = {"e", NULL, "smaller range of colours"},
    [ACT_MORE_RANGE] = {"t", NULL, "larger range of colours"},
    [ACT_LOWER_RANGE] = {"shift e", NULL, "colours from a lower value"},
    [ACT_HIGHER_RANGE] = {"shift t", NULL, "colours from a higher value"},
    [ACT_SOLIDS] = {"o", NULL, "solids: shaded, wire, cut"},
    [ACT_CUT_BACK] = {"a", NULL, "cut less of the solids"},
    [ACT_CUT_ON] = {"d", NULL, "cut more of the solids"},
    [ACT_BOUNDARY] = {"b", NULL, "boundary particles"},
    [ACT_FINE] = {"q", NULL, "fine pictures, or drafts"},
    [ACT_FRAME] = {"f", NULL, "the whole scene in view"},
    [ACT_GROUND] = {"g", NULL, "the ground"},
    [ACT_JOINTS] = {"j", NULL, "joints and pins"},
    [ACT_NEARER] = {"up", NULL, "nearer"},
    [ACT_FARTHER] = {"down", NULL, "farther"},
    [ACT_TURN_LEFT] = {"shift left", NULL, "turn the view to the left"},
    [ACT_TURN_RIGHT] = {"shift right", NULL, "turn the view to the right"},
    [ACT_TURN_UP] = {"shift up", NULL, "look from higher"},
    [ACT_TURN_DOWN] = {"shift down", NULL, "look from lower"},
    [ACT_MOVE_LEFT] = {"ctrl left", NULL, "move the scene to the left"},
    [ACT_MOVE_RIGHT] = {"ctrl right", NULL, "move the scene to the right"},
    [ACT_MOVE_UP] = {"ctrl up", NULL, "move the scene up"},
    [ACT_MOVE_DOWN] = {"ctrl down", NULL, "move the scene down"},
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

// The lower end by a tenth of the scale, not past the upper one.
static void move_range(Viewer* v, bool up)
{
    double *r = v->look.range, span = r[1] - r[0];
    r[0] += (up ? 0.1 : -0.1) * span;
    v->look.own_range = true;
}

// The view, by a little: what the right and the middle button and the wheel do.
static void change_view(Viewer* v, Act act)
{
    static const double way[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    if (act == ACT_NEARER || act == ACT_FARTHER) {
        orbit_zoom(&v->orbit, act == ACT_NEARER ? 1 : -1);
    } else if (act >= ACT_MOVE_LEFT) {
        const double* w = way[act - ACT_MOVE_LEFT];
        orbit_pan(&v->orbit, &v->camera, 0.05 * v->height * w[0], 0.05 * v->height * w[1]);
    } else {
        const double* w = way[act - ACT_TURN_LEFT];
        orbit_turn(&v->orbit, 0.05 * w[0], -0.05 * w[1]);
    }
    v->stale = true;
}

static void pause_or_go(Viewer* v)
{
    sim_pause(v->sim, v->status.state == SIM_RUNNING);
}

static void seek_by(Viewer* v, int states)
{
    if (v->status.kept == 0)
        return;
    if (v->status.state == SIM_FAILED && states < 0) { // to the last good state
        sim_seek(v->sim, HUGE_VAL);
        return;
    }
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
    if (act == ACT_LOWER_RANGE || act == ACT_HIGHER_RANGE)
        move_range(v, act == ACT_HIGHER_RANGE);
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
    char line[4096], saved[256] = "";
    if (v->status.was_touched)
        files_save(v, saved, sizeof saved);
    command_line(v, saved[0] ? saved : NULL, line, sizeof line);
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
    if (act >= ACT_NEARER && act <= ACT_MOVE_DOWN) {
        change_view(v, act);
        return;
    }
    if (act >= ACT_THINNER && act <= ACT_STIFFER) {
        change_number(v, act);
        return;
    }
    char path[256];
    switch (act) {
    case ACT_LESS_HAND:
    case ACT_MORE_HAND:
        change_hand(v, act == ACT_MORE_HAND);
        break;
    case ACT_SHAPE:
        v->hand.shape = !v->hand.shape;
        viewer_say(v, "throws a %s", v->hand.shape ? "box" : "ball");
        break;
    case ACT_LIGHTER_THROWN:
    case ACT_HEAVIER_THROWN:
        v->hand.density = stepped(v->hand.density, act == ACT_HEAVIER_THROWN, 50, 8000);
        viewer_say(v, "throws %.0f kg/m3", v->hand.density);
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
        files_save(v, path, sizeof path);
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

void viewer_open(Viewer* v, size_t scene)
{
    snprintf(v->plan.path, sizeof v->plan.path, "%s", v->scenes[scene]);
    v->list = false;
    viewer_restart(v);
}

// In the list of scenes arrows choose and return opens. False: the key means what it always means.
static bool list_key(Viewer* v, const char* key)
{
    int step = !strcmp(key, "left")    ? -1
               : !strcmp(key, "right") ? 1
               : !strcmp(key, "up")    ? -v->scene_columns
               : !strcmp(key, "down")  ? v->scene_columns
                                       : 0;
    if (!v->list || v->scene_count == 0)
        return false;
    if (!strcmp(key, "return") || !strcmp(key, "keypad enter")) {
        viewer_open(v, v->scene_at);
        return true;
    }
    int64_t at = (int64_t)v->scene_at + step;
    if (step && at >= 0 && at < (int64_t)v->scene_count)
        v->scene_at = (size_t)at;
    v->list_follows |= step != 0;
    return step != 0;
}

static bool act_of(const char* key, Act* out)
{
    for (int a = 0; a < ACTS; a++)
        if (!strcmp(key, act_info[a].key) || (act_info[a].other_key && !strcmp(key, act_info[a].other_key))) {
            *out = (Act)a;
            return true;
        }
    return false;
}

void viewer_key(Viewer* v, const WindowEvent* event)
{
    char name[40];
    Act act;
    if (list_key(v, event->key))
        return;
    snprintf(name, sizeof name, "%s%s", event->shift ? "shift " : event->ctrl ? "ctrl " : "", event->key);
    if (act_of(name, &act) || act_of(event->key, &act))
        viewer_do(v, act);
}

// --- the command line that shows the same

typedef struct Words {
    char* out;
    size_t size, length;
} Words;

__attribute__((format(printf, 2, 3))) static void add_words(Words* w, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    int n = w->length < w->size ? vsnprintf(w->out + w->length, w->size - w->length, format, args) : 0;
    va_end(args);
    w->length += n > 0 ? (size_t)n : 0;
}

// Between quotation marks that a shell takes away.
static void add_quoted(Words* w, const char* text)
{
    add_words(w, "'");
    for (; *text; text++)
        add_words(w, *text == '\'' ? "'\\''" : "%c", *text);
    add_words(w, "'");
}

static void add_look(const Viewer* v, Words* w)
{
    static const char* const styles[] = {
        [MN_STYLE_PARTICLES] = "particles", [MN_STYLE_LIQUID] = "liquid", [MN_STYLE_SURFACE] = "surface"};
    static const char* const shows[] = {"shaded", "wire", "cut", "hidden"};
    const Look* l = &v->look;
    add_words(w, " --set view.style=%s --colour %s --map %s", styles[l->style], field_info[l->colour].name, map_names[l->map]);
    if (l->boundary != v->setting->scene->view.boundary)
        add_words(w, " --set view.boundary=%s", l->boundary ? "true" : "false");
    if (l->own_range)
        add_words(w, " --set 'view.range=[%.9g,%.9g]'", l->range[0], l->range[1]);
    if (l->solids != SHOW_SHADED)
        add_words(w, " --solids %s", shows[l->solids]);
    if (l->solids == SHOW_CUT)
        add_words(w, " --cut %.9g", l->cut);
    add_words(w, "%s%s", l->fine ? " --fine" : "", l->joints ? " --joints" : "");
    if (!l->ground && v->setting->scene->view.has_ground)
        add_words(w, " --no-ground");
}

void command_line(const Viewer* v, const char* saved, char* out, size_t size)
{
    Words w = {out, size, 0};
    add_words(&w, "meniscus view ");
    add_quoted(&w, saved ? saved : v->plan.path);
    add_words(&w, " --size %dx%d", v->width, v->height);
    for (size_t k = 0; k < v->plan.set_count && !saved; k++) { // a saved scene has them
        add_words(&w, " --set ");
        add_quoted(&w, v->plan.set[k]);
    }
    if (!v->setting)
        return;
    add_look(v, &w);
    if (!v->panel && !v->info)
        add_words(&w, " --bare");
    Vec3d e, t;
    orbit_eye(&v->orbit, viewer_canvas(v), &e, &t);
    add_words(&w, " --camera %.9g,%.9g,%.9g:%.9g,%.9g,%.9g", e.x, e.y, e.z, t.x, t.y, t.z);
    if (v->shot->time > 0)
        add_words(&w, " --until %.17g", v->shot->time);
    else
        add_words(&w, " --paused");
}
