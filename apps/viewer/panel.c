// SPDX-License-Identifier: MIT
// The panel at the right: everything that keys do, by mouse, and the numbers that only it can change.
#include "viewer.h"

#include <stdio.h>

int panel_width(const Viewer* v)
{
    return v->panel ? 25 * v->font.height : 0;
}

// A button for an act, with its key.
static void act_button(Viewer* v, Act act, const char* text, bool on)
{
    if (ui_button(&v->ui, text, act_info[act].key, on))
        viewer_do(v, act);
}

static void run_section(Viewer* v)
{
    Ui* ui = &v->ui;
    bool runs = v->status.state == SIM_RUNNING;
    act_button(v, ACT_PAUSE, runs ? "pause" : "go on", !runs);
    act_button(v, ACT_STEP, "one step", false);
    act_button(v, ACT_RESET, "back to the start", false);
    if (ui_slider(ui, "time scale", "%.2g x", &v->scale, 1.0 / 64, 8, true))
        sim_speed(v->sim, v->scale);
}

static void hand_section(Viewer* v)
{
    Ui* ui = &v->ui;
    Hand* h = &v->hand;
    for (int row = 0; row < 2; row++) {
        int pressed = ui_buttons(ui, tool_names + 3 * row, 3, (int)h->tool - 3 * row);
        if (pressed >= 0)
            viewer_do(v, (Act)(ACT_LOOK + 3 * row + pressed));
    }
    static const char* const shapes[] = {"ball", "box"};
    if (h->tool == TOOL_THROW) {
        ui_choice(ui, "shape", shapes, 2, &h->shape);
        ui_slider(ui, "density", "%.0f kg/m3", &h->density, 50, 8000, true);
        ui_slider(ui, "size", "%.2f", &h->size, 0.02, 0.3, true);
    }
    if (h->tool == TOOL_PUSH)
        ui_slider(ui, "strength", "%.1f", &h->strength, -1, 1, false);
    if (h->tool == TOOL_POUR)
        ui_slider(ui, "width", "%.1f", &h->rate, 0.5, 3, true);
}

// Both ends of the colour scale, within twice what the scene begins with.
static bool range_rows(Viewer* v)
{
    double own[2], *r = v->look.range;
    field_range(v->look.colour, v->setting, own);
    double span = own[1] - own[0], low = own[0] - span, high = own[1] + span;
    bool changed = ui_slider(&v->ui, "range from", "%.4g", &r[0], low, high, false);
    changed |= ui_slider(&v->ui, "range to", "%.4g", &r[1], low, high, false);
    if (changed && r[1] < r[0] + 1e-3 * span)
        r[1] = r[0] + 1e-3 * span;
    return changed;
}

// Where the camera is, for hands without wheel and middle button.
static void view_rows(Viewer* v)
{
    static const char* const near[] = {"nearer", "farther"};
    static const char* const turn[] = {"turn <", "turn >", "higher", "lower"};
    static const char* const move[] = {"pan <", "pan >", "up", "down"};
    int pressed = ui_buttons(&v->ui, turn, 4, -1);
    if (pressed >= 0)
        viewer_do(v, (Act)(ACT_TURN_LEFT + pressed));
    pressed = ui_buttons(&v->ui, move, 4, -1);
    if (pressed >= 0)
        viewer_do(v, (Act)(ACT_MOVE_LEFT + pressed));
    pressed = ui_buttons(&v->ui, near, 2, -1);
    if (pressed >= 0)
        viewer_do(v, (Act)(ACT_NEARER + pressed));
    act_button(v, ACT_FRAME, "the whole scene", false);
}

static void look_section(Viewer* v)
{
    Ui* ui = &v->ui;
    Look* l = &v->look;
    static const char* const styles[] = {"particles", "liquid", "surface"};
    static const mn_Style style[] = {MN_STYLE_PARTICLES, MN_STYLE_LIQUID, MN_STYLE_SURFACE};
    static const char* const shows[] = {"shaded", "wire", "cut", "hidden"};
    const char* fields[FIELDS];
    int s = 0, c = (int)l->colour, map = (int)l->map, show = (int)l->solids;
    for (int k = 0; k < FIELDS; k++)
        fields[k] = field_info[k].name;
    while (s < 2 && style[s] != l->style)
        s++;
    bool changed = ui_choice(ui, "style", styles, 3, &s);
    if (ui_choice(ui, "colour", fields, FIELDS, &c)) {
        l->own_range = false;
        changed = true;
    }
    changed |= ui_choice(ui, "map", map_names, 3, &map);
    l->style = style[s];
    l->colour = (Field)c;
    l->map = (ColourMapName)map;
    if (l->colour != FIELD_FLUID && v->setting && range_rows(v))
        l->own_range = changed = true;
    changed |= ui_choice(ui, "solids", shows, SHOW_KINDS, &show);
    l->solids = (SolidShow)show;
    if (l->solids == SHOW_CUT)
        changed |= ui_slider(ui, "cut at", "%.2f", &l->cut, 0, 1, false);
    changed |= ui_check(ui, "boundary particles", act_info[ACT_BOUNDARY].key, &l->boundary);
    changed |= ui_check(ui, "joints and pins", act_info[ACT_JOINTS].key, &l->joints);
    changed |= ui_check(ui, "ground", act_info[ACT_GROUND].key, &l->ground);
    changed |= ui_check(ui, "fine", act_info[ACT_FINE].key, &l->fine);
    if (ui_check(ui, "numbers and plots", act_info[ACT_INFO].key, &v->info))
        v->stale = true;
    view_rows(v);
    if (!changed)
        return;
    viewer_range(v);
    viewer_wish(v);
    v->stale = true;
}

static void world_section(Viewer* v)
{
    Ui* ui = &v->ui;
    if (ui_slider(ui, "gravity", "%.2f m/s2", &v->gravity, -20, 20, false))
        viewer_gravity(v);
    if (ui_slider(ui, "viscosity", "%.2g", &v->viscosity, 1e-4, 10, true))
        viewer_number(v, LIVE_VISCOSITY, v->viscosity);
    if (ui_slider(ui, "tension", "%.2g", &v->tension, 1e-3, 10, true))
        viewer_number(v, LIVE_TENSION, v->tension);
    if (ui_slider(ui, "fluid", "%.0f kg/m3", &v->fluid_density, 100, 10000, true))
        viewer_number(v, LIVE_FLUID_DENSITY, v->fluid_density);
    if (ui_slider(ui, "bodies", "%.0f kg/m3", &v->body_density, 50, 8000, true))
        viewer_number(v, LIVE_DENSITY, v->body_density);
    if (ui_slider(ui, "stiffness", "%.2g Pa", &v->young, 1e3, 1e8, true))
        viewer_number(v, LIVE_YOUNG, v->young);
}

static void solver_section(Viewer* v)
{
    Ui* ui = &v->ui;
    bool changed = ui_choice(ui, "method", method_names, METHODS, &v->method);
    changed |= ui_choice(ui, "coupling", coupling_names, COUPLINGS, &v->coupling);
    changed |= ui_check(ui, "live solver", act_info[ACT_LIVE].key, &v->live);
    if (!changed)
        return;
    plan_methods(v);
    viewer_restart(v);
}

static void files_section(Viewer* v)
{
    act_button(v, ACT_SCENES, "scenes", v->list);
    act_button(v, ACT_SCREENSHOT, "screenshot", false);
    act_button(v, ACT_RECORD, v->film ? "end the film" : "record a film", v->film != NULL);
    act_button(v, ACT_SAVE, "save as scene", false);
    act_button(v, ACT_CHECKPOINT, "checkpoint", false);
    act_button(v, ACT_COPY, "copy command line", false);
}

void panel_draw(Viewer* v)
{
    static const struct {
        const char* title;
        void (*draw)(Viewer* v);
    } sections[] = {{"Run", run_section},     {"Hand", hand_section},     {"Look", look_section},
                    {"World", world_section}, {"Solver", solver_section}, {"Files", files_section}};
    Ui* ui = &v->ui;
    int width = panel_width(v), left = v->width - width, height = v->height;
    if (!width)
        return;
    ui_rect(ui, left, 0, v->width, height, (Ink){ink_panel.r, ink_panel.g, ink_panel.b, 255});
    if (ui->in.x >= left && !v->list)
        v->scroll -= 2 * ui->row * ui->in.wheel;
    v->scroll = fmax(fmin(v->scroll, v->panel_height - height + 8), 0);
    ui_column(ui, left + 10, 4 - (int)v->scroll, width - 20);
    int top = ui->y;
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
        if (ui_section(ui, sections[k].title, &v->open[k]))
            sections[k].draw(v);
    ui->y += ui->row / 3;
    act_button(v, ACT_HELP, "help", v->help);
    v->panel_height = ui->y - top + 4;
}
