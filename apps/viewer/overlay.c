// SPDX-License-Identifier: MIT
// Over the picture, at the left: numbers and plots; at the bottom: the timeline; in the middle: help, the list of scenes, failures.
#include "viewer.h"

#include "base/clock.h"
#include <stdio.h>
#include <string.h>

static const Ink curve_ink[3] = {{56, 189, 248, 255}, {163, 230, 53, 255}, {251, 191, 36, 255}};

static int column_width(const Viewer* v)
{
    return 19 * v->font.height + 20;
}

int overlay_width(const Viewer* v)
{
    // in a small window numbers lie over the scene instead of beside it
    int width = column_width(v) + 16;
    return v->info && v->width - panel_width(v) > 3 * width ? width : 0;
}

static void row(Ui* ui, const char* name, const char* value)
{
    ui_label(ui, name, value);
}

static void number_row(Ui* ui, const char* name, const char* format, double value)
{
    char text[64];
    // NOLINTNEXTLINE: formats are literals of this file
    snprintf(text, sizeof text, format, value);
    row(ui, name, text);
}

static const char* grouped(uint64_t count, char buffer[32])
{
    return text_count(count, buffer);
}

// The stages of a step that take most, in percent.
static void timing_rows(const Viewer* v, Ui* ui)
{
    const Shot* s = v->shot;
    double total = 0;
    bool used[SHOT_STAGES] = {0};
    for (size_t k = 0; k < s->stage_count; k++)
        total += s->stage[k].seconds;
    for (int n = 0; n < 4 && total > 0; n++) {
        size_t best = SHOT_STAGES;
        for (size_t k = 0; k < s->stage_count; k++)
            if (!used[k] && (best == SHOT_STAGES || s->stage[k].seconds > s->stage[best].seconds))
                best = k;
        if (best == SHOT_STAGES)
            break;
        used[best] = true;
        char text[48], name[48];
        double ms = 1e3 * s->stage[best].seconds / (double)(s->stage[best].calls ? s->stage[best].calls : 1);
        snprintf(name, sizeof name, "  %s", s->stage[best].name);
        snprintf(text, sizeof text, "%.1f ms  %2.0f %%", ms, 100 * s->stage[best].seconds / total);
        row(ui, name, text);
    }
}

// [pixels] where the numbers end.
static int numbers_bottom(const Ui* ui)
{
    return ui->row / 2 + 4 + 15 * (ui->row - 5) + 4;
}

static void numbers(Viewer* v, int width)
{
    Ui* ui = &v->ui;
    const Shot* s = v->shot;
    char text[64], count[32];
    int top = ui->row / 2 + 4;
    ui_rect(ui, 0, 0, width + 16, numbers_bottom(ui), ink_panel);
    ui_column(ui, 8, top, width);
    ui_clip(ui, 0, 0, width + 10, v->height);
    ui_text(ui, 11, ui->y + ui->font->height - 2, v->setting->scene->name ? v->setting->scene->name : "", ink_accent);
    ui_clip(ui, 0, 0, v->width, v->height);
    ui->y += ui->row - 2;
    static const char* const states[] = {"loading", "", "paused", "stopped"};
    snprintf(text, sizeof text, "%.3f s", s->time);
    row(ui, v->status.state == SIM_RUNNING ? "time" : states[v->status.state], text);
    snprintf(text, sizeof text, "%.3g x real time", s->pace);
    row(ui, "speed", v->status.state == SIM_RUNNING ? text : "-");
    snprintf(text, sizeof text, "%.0f /s, %.0f ms", v->fps, 1e3 * v->draw_seconds);
    row(ui, "pictures", text);
    row(ui, "particles", grouped(s->count, count));
    number_row(ui, "step", "%.2f ms", 1e3 * s->stats.dt);
    snprintf(text, sizeof text, "%d + %d", s->stats.iterations, s->stats.divergence_iterations);
    row(ui, "iterations", text);
    number_row(ui, "compression", "%.3f %%", 100 * s->stats.density_error_mean);
    number_row(ui, "fastest", "%.2f m/s", s->stats.max_speed);
    row(ui, "time of a step", "");
    timing_rows(v, ui);
}

static void plots(Viewer* v, int width)
{
    Ui* ui = &v->ui;
    const Curves* c = &v->curves;
    int one = 2 * ui->row, room = (v->height - 40 - numbers_bottom(ui)) / one; // energies, then as many probes as fit
    int probes = (int)v->shot->probe_count, shown = probes < room - 2 ? probes : room - 2;
    if (room < 2)
        return;
    ui_column(ui, 8, v->height - (2 + shown) * one - 40, width);
    ui_plot(ui, "kinetic", "%.3g J", c->value[0], c->count, 2, curve_ink[0]);
    ui_plot(ui, "potential", "%.3g J", c->value[1], c->count, 2, curve_ink[1]);
    for (int k = 0; k < shown; k++) {
        const mn_ProbeDef* p = &v->setting->scene->probes[k];
        ui_plot(ui, p->name ? p->name : "probe", "%.4g", c->value[3 + k], c->count, 2, curve_ink[2]);
    }
}

// --- colour bar

static void colour_bar(Viewer* v)
{
    Ui* ui = &v->ui;
    bool shows = v->look.style != MN_STYLE_LIQUID && v->look.colour != FIELD_FLUID;
    if (!shows || v->shot->count == 0)
        return;
    int width = 20 * ui->font->height, right = v->width - panel_width(v) - 14, y = 12, height = ui->font->height;
    const ColourMap* map = drawing_map(v->drawing);
    ui_rect(ui, right - width - 10, 4, right + 10, y + height + 2 * ui->font->height + 6, ink_panel);
    for (int x = 0; x < width; x++) {
        Vec3 c = map->srgb[x * (COLOUR_MAP_SIZE - 1) / (width - 1)];
        Ink ink = {(uint8_t)(c.x * 255), (uint8_t)(c.y * 255), (uint8_t)(c.z * 255), 255};
        ui_rect(ui, right - width + x, y, right - width + x + 1, y + height, ink);
    }
    char text[32], name[64];
    double base = y + height + ui->font->height + 5;
    snprintf(text, sizeof text, "%.4g", v->look.range[0]);
    ui_text(ui, right - width, base, text, ink_text);
    snprintf(text, sizeof text, "%.4g", v->look.range[1]);
    ui_text_right(ui, right, base, text, ink_text);
    snprintf(name, sizeof name, "%s %s", field_info[v->look.colour].name, field_info[v->look.colour].unit);
    ui_text(ui, right - width / 2.0 - font_width(ui->font, name) / 2, base, name, ink_dim);
}

// --- timeline

static void timeline_place(const Viewer* v, int* x0, int* x1, int* y)
{
    *x0 = 12;
    *x1 = v->width - panel_width(v) - 12;
    *y = v->height - 12;
}

bool timeline_hit(const Viewer* v, double x, double y, double* time)
{
    int x0, x1, middle;
    timeline_place(v, &x0, &x1, &middle);
    if (!v->info || v->status.kept < 2 || y < middle - 12 || x1 <= x0)
        return false;
    double share = fmin(fmax((x - x0) / (x1 - x0), 0), 1);
    *time = v->status.kept_from + share * (v->status.kept_to - v->status.kept_from) + 1e-9;
    return true;
}

static void timeline(Viewer* v)
{
    Ui* ui = &v->ui;
    int x0, x1, y;
    timeline_place(v, &x0, &x1, &y);
    if (v->status.kept < 2)
        return;
    double from = v->status.kept_from, to = fmax(v->status.kept_to, from + 1e-9);
    double share = fmin(fmax((v->shot->time - from) / (to - from), 0), 1);
    char text[64];
    ui_rect(ui, 0, y - ui->font->height - 14, v->width - panel_width(v), v->height, ink_panel);
    ui_rect(ui, x0, y - 2, x1, y + 2, ink_field);
    ui_rect(ui, x0, y - 2, x0 + (int)(share * (x1 - x0)), y + 2, ink_on);
    ui_disc(ui, x0 + share * (x1 - x0), y, 6, ink_accent);
    snprintf(text, sizeof text, "%.2f s", from);
    ui_text(ui, x0, y - 8, text, ink_dim);
    snprintf(text, sizeof text, "%.2f s", to);
    ui_text_right(ui, x1, y - 8, text, ink_dim);
}

// --- boxes in the middle

// In the middle of the uppermost `room` pixels; over the panel too, since help needs the width.
static void box(Viewer* v, int width, int room, int height, int* x, int* y)
{
    *x = (v->width - width) / 2;
    *y = (room - height) / 2;
    *x = *x < 4 ? 4 : *x;
    *y = *y < 4 ? 4 : *y;
    ui_rect(&v->ui, *x, *y, *x + width, *y + height, (Ink){13, 18, 27, 244});
    ui_frame(&v->ui, *x, *y, *x + width, *y + height, ink_field);
}

static void help(Viewer* v)
{
    Ui* ui = &v->ui;
    enum { COLUMNS = 3 };
    int x, y, pitch = ui->font->height + 7, half = (ACTS + COLUMNS - 1) / COLUMNS, width = 104 * ui->font->height;
    box(v, width, v->height, (half + 7) * pitch, &x, &y);
    ui_text(ui, x + 16, y + 1.4 * pitch, "Meniscus: keys and mouse", ink_accent);
    for (int a = 0; a < ACTS; a++) {
        double cx = x + 16 + a / half * (width / (double)COLUMNS), cy = y + (a % half + 2.8) * pitch;
        ui_text(ui, cx, cy, act_info[a].key, ink_text);
        ui_text(ui, cx + 8.6 * ui->font->height, cy, act_info[a].text, ink_dim);
    }
    static const char* const mouse[] = {
        "left button: what the hand is set to, or turns the view",
        "right: turns   middle, or right with shift: moves   wheel: nearer, or scrolls panel and list",
        "bottom line: drag it to go back in time; space goes on from there"};
    for (int k = 0; k < 3; k++)
        ui_text(ui, x + 16, y + (half + 3.6 + k) * pitch, mouse[k], ink_dim);
}

// The name of a file without its folders and ending.
static void short_name(const char* path, char* out, size_t size)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const char *folder = slash, *name = slash ? slash + 1 : path;
    while (folder && folder > path && folder[-1] != '/')
        folder--;
    bool within = folder && strncmp(folder, "scenes/", 7) != 0 && folder > path;
    snprintf(out, size, "%.*s", (int)((dot ? dot : path + strlen(path)) - (within ? folder : name)), within ? folder : name);
}

// How many letters of a text are not wider; if that is not all of them, up to the end of a word.
static size_t fitting(const Font* font, const char* text, double width)
{
    char line[64];
    size_t n = strlen(text);
    n = n < sizeof line ? n : sizeof line - 1;
    do {
        snprintf(line, sizeof line, "%.*s", (int)n, text);
    } while (font_width(font, line) > width && --n > 1);
    size_t end = n;
    while (text[n] && end > 1 && !strchr("_/-", text[end - 1]))
        end--;
    return text[n] && end > 1 ? end : n;
}

// A scene of the list: its picture, and its name below.
static void scene_cell(Viewer* v, size_t k, int x, int y, int width, int height)
{
    Ui* ui = &v->ui;
    const char* path = v->scenes[k];
    bool hot, held, shown = y + height > ui->clip_y0 && y < ui->clip_y1;
    if (ui_hit(ui, x, y, x + width - 4, y + height - 4, &hot, &held))
        viewer_open(v, k);
    if (!shown)
        return;
    const Picture* picture = v->thumbs ? thumbs_get(v->thumbs, path) : NULL;
    bool on = k == v->scene_at;
    ui_rect(ui, x, y, x + width - 4, y + height - 4, on ? ink_on : hot ? ink_hot : ink_field);
    ui_rect(ui, x + 6, y + 6, x + 6 + THUMB_WIDTH, y + 6 + THUMB_HEIGHT, (Ink){30, 38, 52, 255});
    if (picture)
        ui_picture(ui, x + 6, y + 6, picture);
    char name[64], line[64];
    short_name(path, name, sizeof name);
    const char* rest = name;
    for (int row = 0; row < 2 && *rest; row++) { // long names take two lines
        size_t n = fitting(ui->font, rest, width - 16);
        snprintf(line, sizeof line, "%.*s", (int)n, rest);
        ui_text(ui, x + 6, y + THUMB_HEIGHT + (1.0 + 0.75 * row) * ui->row, line, ink_text);
        rest += n;
    }
}

static void scene_list(Viewer* v)
{
    Ui* ui = &v->ui;
    int x, y, height = v->height - 40, cell = THUMB_WIDTH + 16, high = THUMB_HEIGHT + 2 * ui->row;
    int columns = (v->width - 60) / cell > 6 ? 6 : (v->width - 60) / cell, width = columns * cell + 24;
    box(v, width, v->height, height, &x, &y);
    ui_text(ui, x + 14, y + ui->row, "Scenes", ink_accent);
    ui_text_right(ui, x + width - 14, y + ui->row, "arrows and return, or a click", ink_dim);
    int rows = ((int)v->scene_count + columns - 1) / columns, top = y + (int)(1.5 * ui->row), room = y + height - 6 - top;
    v->scene_columns = columns;
    double before = v->list_scroll;
    v->list_scroll = fmax(before - high * ui->in.wheel, 0);
    double at = (double)((int)v->scene_at / columns) * high; // of the row that keys are in
    if (v->list_follows)
        v->list_scroll = fmin(fmax(v->list_scroll, at + high - room), at);
    v->list_follows = false;
    v->list_scroll = fmin(v->list_scroll, fmax((double)rows * high - room, 0));
    if (v->list_scroll != before) // what came into view comes first
        thumbs_forget_wishes(v->thumbs);
    ui_clip(ui, x, top, x + width, y + height - 6);
    for (size_t k = 0; k < v->scene_count; k++)
        scene_cell(v, k, x + 12 + (int)k % columns * cell, top + (int)k / columns * high - (int)v->list_scroll, cell, high);
    ui_clip(ui, 0, 0, v->width, v->height);
}

// A line of at most `most` letters that ends with a word; returns what is left.
static const char* cut_line(const char* text, char* line, size_t most)
{
    size_t n = strlen(text);
    if (n > most) {
        n = most;
        while (n > 1 && text[n] != ' ')
            n--;
    }
    memcpy(line, text, n);
    line[n] = 0;
    while (text[n] == ' ')
        n++;
    return text + n;
}

// A failure: what happened, and the ways out; above the scene, so that its place can be seen.
static void failure(Viewer* v)
{
    enum { LETTERS = 72 };
    Ui* ui = &v->ui;
    int x, y, width = 56 * ui->font->height, height = 6 * ui->row + 8;
    char text[512], line[LETTERS + 1];
    box(v, width, height + 24, height, &x, &y);
    mn_error_text(&v->status.error, text, sizeof text);
    ui_text(ui, x + 14, y + 1.1 * ui->row, "The simulation cannot go on from here", ink_warn);
    const char* rest = text;
    for (int k = 0; k < 3 && *rest; k++) {
        rest = cut_line(rest, line, LETTERS);
        ui_text(ui, x + 14, y + (2.0 + 0.8 * k) * ui->row, line, ink_dim);
    }
    static const char* const ways[] = {"last good state (left)", "back to the start (r)"};
    ui_column(ui, x + 14, y + (int)(4.6 * ui->row), width - 28);
    int pressed = ui_buttons(ui, ways, 2, 0);
    if (pressed == 0)
        sim_seek(v->sim, HUGE_VAL);
    if (pressed == 1)
        sim_reset(v->sim);
}

// --- marks in the scene

static Vec3d placed(const ShotSolid* s, Vec3d p)
{
    return s->type == MN_SOLID_ELASTIC ? p : vec3d_add(quat_rotate(s->pose.rotation, p), s->pose.position);
}

static void line_in_scene(Viewer* v, Vec3d a, Vec3d b, Ink ink)
{
    double x0, y0, x1, y1, depth;
    if (camera_project(&v->camera, a, &x0, &y0, &depth) && camera_project(&v->camera, b, &x1, &y1, &depth))
        ui_line(&v->ui, x0, y0, x1, y1, ink);
}

// All edges of solids that are no containers; what has too many would only be a dark spot.
static void wires(Viewer* v)
{
    enum { MOST_EDGES = 30000 };
    const Ink ink = {51, 65, 85, 150};
    for (size_t k = 0; k < v->shot->solid_count; k++) {
        const ShotSolid* s = &v->shot->solid[k];
        if (!s->visible || s->inside || !s->has_model || s->model.edge_count > MOST_EDGES)
            continue;
        for (size_t e = 0; e < s->model.edge_count; e++)
            line_in_scene(v, placed(s, s->mesh.vertex[s->model.edge[e].a]), placed(s, s->mesh.vertex[s->model.edge[e].b]), ink);
    }
}

// A joint is where it was on its first solid when the scene began.
static void joints(Viewer* v)
{
    const mn_Scene* scene = v->setting->scene;
    double x, y, depth;
    for (size_t j = 0; j < scene->joint_count; j++)
        for (size_t k = 0; k < scene->solid_count && k < v->shot->solid_count; k++) {
            const mn_JointDef* joint = &scene->joints[j];
            const mn_Pose* start = &scene->solids[k].pose;
            if (!joint->solid || !scene->solids[k].name || strcmp(joint->solid, scene->solids[k].name) != 0)
                continue;
            Vec3d p = placed(&v->shot->solid[k], quat_unrotate(start->rotation, vec3d_sub(joint->position, start->position)));
            if (camera_project(&v->camera, p, &x, &y, &depth)) {
                ui_disc(&v->ui, x, y, 4.5, (Ink){255, 255, 255, 255});
                ui_disc(&v->ui, x, y, 3, (Ink){217, 70, 239, 255});
            }
        }
}

// Vertices that pins hold.
static void pins(Viewer* v)
{
    double x, y, depth;
    for (size_t k = 0; k < v->shot->solid_count; k++) {
        const ShotSolid* s = &v->shot->solid[k];
        for (size_t p = 0; p < s->pinned_count; p++)
            if (camera_project(&v->camera, s->mesh.vertex[s->pinned[p]], &x, &y, &depth))
                ui_disc(&v->ui, x, y, 2.5, (Ink){217, 70, 239, 255});
    }
}

bool failure_place(const Viewer* v, double* x, double* y)
{
    const char* at = strstr(v->status.error.message, " at (");
    Vec3d p;
    double depth;
    return v->status.state == SIM_FAILED && at && sscanf(at, " at (%lf, %lf, %lf)", &p.x, &p.y, &p.z) == 3 &&
           camera_project(&v->camera, p, x, y, &depth);
}

// A ring around it.
static void failed_place(Viewer* v)
{
    double x, y;
    if (!failure_place(v, &x, &y))
        return;
    for (int k = 0; k < 48; k++) {
        double a = k * 6.2831853 / 48, b = (k + 1) * 6.2831853 / 48;
        ui_line(&v->ui, x + 16 * cos(a), y + 16 * sin(a), x + 16 * cos(b), y + 16 * sin(b), ink_warn);
        ui_line(&v->ui, x + 17 * cos(a), y + 17 * sin(a), x + 17 * cos(b), y + 17 * sin(b), ink_warn);
    }
}

// The spring of a pull, and where the pointer acts.
static void hand_marks(Viewer* v)
{
    const Shot* s = v->shot;
    double x0, y0, x1, y1, depth;
    if (s->hand == HAND_NONE || !camera_project(&v->camera, s->hand_target, &x1, &y1, &depth))
        return;
    if (v->hand.holds) { // the pointer does not wait for the step
        x1 = v->hand.x;
        y1 = v->hand.y;
    }
    if (s->hand == HAND_PULL && camera_project(&v->camera, s->hand_point, &x0, &y0, &depth)) {
        double dx = x1 - x0, dy = y1 - y0, length = sqrt(dx * dx + dy * dy), px = x0, py = y0;
        int turns = 14;
        for (int k = 1; k <= turns && length > 1; k++) {
            double t = (double)k / turns, side = k == turns ? 0 : (k % 2 ? 5 : -5);
            double nx = x0 + t * dx - side * dy / length, ny = y0 + t * dy + side * dx / length;
            ui_line(&v->ui, px, py, nx, ny, (Ink){220, 38, 38, 255});
            ui_line(&v->ui, px, py + 1, nx, ny + 1, (Ink){220, 38, 38, 255});
            px = nx, py = ny;
        }
        ui_disc(&v->ui, x0, y0, 4, (Ink){220, 38, 38, 255});
    }
    ui_disc(&v->ui, x1, y1, 5, (Ink){255, 255, 255, 255});
    ui_disc(&v->ui, x1, y1, 3.5, (Ink){220, 38, 38, 255});
}

void overlay_draw(Viewer* v)
{
    Ui* ui = &v->ui;
    int width = column_width(v);
    if (v->shot && v->setting) {
        if (v->look.solids == SHOW_WIRE)
            wires(v);
        if (v->look.joints) {
            joints(v);
            pins(v);
        }
        failed_place(v);
        hand_marks(v);
        if (v->info) {
            numbers(v, width);
            plots(v, width);
            colour_bar(v);
            timeline(v);
        }
    }
    if (v->film && v->info) {
        double x = v->width - panel_width(v) - 24, y = 64;
        ui_disc(ui, x, y, 7, (Ink){220, 38, 38, 255});
        ui_text_right(ui, x - 12, y + 4, "recording", (Ink){220, 38, 38, 255});
    }
    if (v->message[0] && clock_seconds() < v->message_until && !v->options->bare) {
        double wide = font_width(ui->font, v->message), x = (v->width - panel_width(v) - wide) / 2;
        int y = v->height - 50;
        ui_rect(ui, (int)x - 10, y - ui->font->height - 6, (int)(x + wide) + 10, y + 8, ink_panel);
        ui_text(ui, x, y, v->message, ink_text);
    }
    if (v->status.state == SIM_FAILED)
        failure(v);
}

void overlay_boxes(Viewer* v)
{
    if (v->list)
        scene_list(v);
    if (v->help)
        help(v);
}
