// SPDX-License-Identifier: MIT
// The window's loop: events, the newest shot, a picture of it, the panel over it, and again. The scene is drawn only when it
// changed; pictures that only new shots ask for leave the simulation most of the machine.
#include "viewer.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/machine.h"
#include "render/subject_view.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double shortest = 1.0 / 60; // [s] between two pictures
static const double share = 0.4;         // of the time that drawing may take while the simulation runs
// [s] from the beginning of a picture to that of the next at most, however long they take: of few particles, and of many
static const double longest[2] = {0.042, 0.065};
enum { MANY_PARTICLES = 50000 };

Canvas viewer_canvas(const Viewer* v)
{
    return (Canvas){v->width, v->height, overlay_width(v), panel_width(v)};
}

static double longest_pause(const Viewer* v)
{
    return longest[v->shot && v->shot->count >= MANY_PARTICLES];
}

// [s] from the beginning of one picture of the scene to that of the next.
static double drawing_pause(const Viewer* v)
{
    if (v->status.state != SIM_RUNNING)
        return shortest;
    return fmax(fmin(v->draw_seconds / share, longest_pause(v)), shortest);
}

// Pictures that take too long to leave the simulation its share get fewer pixels; of a world that stands still they get all.
static void choose_detail(Viewer* v)
{
    double most = share * longest_pause(v), before = v->look.detail;
    if (v->status.state != SIM_RUNNING || v->look.fine || v->film || v->orbit.flat) {
        v->look.detail = 1;
        v->stale |= before < 1;
        return;
    }
    v->slow = v->draw_seconds > most ? v->slow + 1 : v->draw_seconds < 0.5 * most ? v->slow - 1 : 0;
    if (v->slow > 2 && before > 0.5)
        v->look.detail = before - 0.125;
    if (v->slow < -20 && before < 1)
        v->look.detail = before + 0.125;
    if (v->look.detail != before)
        v->slow = 0;
}

// --- what changes with the world

// What the panel begins with: the first solid that has a density, and the first that is elastic.
static void first_bodies(Viewer* v)
{
    const mn_Scene* scene = v->setting->scene;
    v->body_density = 1000;
    v->young = 1e5;
    for (size_t k = scene->solid_count; k-- > 0;) {
        const mn_SolidDef* def = &scene->solids[k];
        if (def->type == MN_SOLID_RIGID || def->type == MN_SOLID_ELASTIC)
            v->body_density = def->density;
        if (def->type == MN_SOLID_ELASTIC)
            v->young = def->young;
    }
}

// A restart of the same scene keeps the view.
static void frame_setting(Viewer* v, bool first)
{
    const ViewOptions* o = v->options;
    if (!strcmp(v->framed, v->plan.path))
        return;
    snprintf(v->framed, sizeof v->framed, "%s", v->plan.path);
    orbit_frame(&v->orbit, v->setting, viewer_canvas(v));
    if (first && o->camera)
        orbit_look(&v->orbit, vec3d(o->eye[0], o->eye[1], o->eye[2]), vec3d(o->target[0], o->target[1], o->target[2]),
                   viewer_canvas(v));
}

static void new_setting(Viewer* v)
{
    const mn_Scene* scene = v->setting->scene;
    const mn_ViewDef* view = &scene->view;
    bool first = v->frames == 0;
    Vec3d g = scene->world.gravity;
    if (first) {
        v->look = (Look){.style = view->style == MN_STYLE_AUTO ? MN_STYLE_PARTICLES : view->style,
                         .ground = view->has_ground && !v->options->no_ground,
                         .cut = v->options->cut,
                         .joints = v->options->joints,
                         .fine = v->options->fine,
                         .solids = (SolidShow)view_solids(v->options->solids)};
        v->look.detail = 1;
        v->look.colour = v->options->colour ? (Field)field_find(v->options->colour) : (Field)view->colour;
        v->look.boundary = view->boundary;
        if (view->range[0] < view->range[1]) {
            v->look.own_range = true;
            memcpy(v->look.range, view->range, sizeof v->look.range);
        }
        v->look.map = v->options->map                 ? (ColourMapName)map_find(v->options->map)
                      : v->look.colour <= FIELD_FLUID ? colour_map_of((mn_ColourBy)v->look.colour)
                                                      : COLOUR_MAP_WATER;
    }
    v->gravity = -vec3d_dot(g, v->setting->up);
    v->viscosity = scene->fluid_count ? scene->fluids[0].viscosity : 0.01;
    v->tension = scene->fluid_count
                     ? fmax(scene->fluids[0].tension.sigma > 0 ? scene->fluids[0].tension.sigma : scene->fluids[0].tension.gamma, 0)
                     : 0;
    v->fluid_density = scene->fluid_count ? scene->fluids[0].density : 1000;
    first_bodies(v);
    frame_setting(v, first);
    viewer_range(v);
    if (v->look.boundary || v->look.joints || v->options->colour)
        viewer_wish(v);
}

static void add_to_curves(Viewer* v)
{
    Curves* c = &v->curves;
    const Shot* s = v->shot;
    while (c->count && c->time[c->count - 1] >= s->time)
        c->count--;
    if (c->count == CURVE) {
        memmove(c->time, c->time + 1, (CURVE - 1) * sizeof *c->time);
        for (int k = 0; k < CURVES; k++)
            memmove(c->value[k], c->value[k] + 1, (CURVE - 1) * sizeof **c->value);
        c->count--;
    }
    size_t at = c->count++;
    c->time[at] = s->time;
    c->value[0][at] = (float)s->stats.kinetic_energy;
    c->value[1][at] = (float)s->stats.potential_energy;
    c->value[2][at] = (float)v->fps;
    for (size_t k = 0; k < s->probe_count; k++)
        c->value[3 + k][at] = (float)s->probe[k];
}

// The newest shot, and what follows from it.
static void look_at_newest(Viewer* v)
{
    const Setting* setting = NULL;
    v->shot = sim_newest(v->sim, &setting);
    v->status = sim_status(v->sim);
    if (!v->shot)
        return;
    if (setting != v->setting) {
        v->setting = setting;
        v->curves.count = 0;
        new_setting(v);
        v->stale = true;
    }
    if (v->shot->number != v->shown_number)
        add_to_curves(v);
    if (v->status.failures != v->seen_failures) {
        v->seen_failures = v->status.failures;
        if (v->status.state != SIM_FAILED)
            viewer_say(v, "%.240s", v->status.error.message);
    }
    if (v->status.messages != v->seen_messages) {
        v->seen_messages = v->status.messages;
        viewer_say(v, "%s", v->status.message);
    }
}

// --- pictures

// Letters of a size that fits the screen, which may be another one than before. False: out of memory.
static bool fit_font(Viewer* v)
{
    double scale = v->options->scale > 0 ? v->options->scale : window_scale(v->window);
    int height = (int)(9 * scale + 0.5);
    if (v->font.height == height)
        return true;
    font_free(&v->font);
    return font_make(&v->font, height);
}

static mn_Result fit_pictures(Viewer* v, mn_Error* error)
{
    int width, height;
    window_size(v->window, &width, &height);
    if (!fit_font(v))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for letters");
    int seen = width - panel_width(v) > 1 ? width - panel_width(v) : 1;
    if (v->width == width && v->height == height && v->scene_width == seen)
        return MN_OK;
    if ((v->width != width || v->height != height) && v->film)
        files_end(v); // a film has one size
    v->width = width;
    v->height = height;
    v->scene_width = seen;
    v->stale = true;
    if (!v->back->resize(v->back, width, height, seen))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %d x %d pixels", width, height);
    return MN_OK;
}

static mn_Result draw_scene(Viewer* v, mn_Error* error)
{
    double start = clock_seconds();
    v->camera = orbit_camera(&v->orbit, viewer_canvas(v));
    mn_Result result = drawing_draw(v->drawing, v->back, v->shot, v->setting, &v->look, &v->camera, error);
    double taken = clock_seconds() - start;
    v->draw_seconds = v->drawn ? 0.5 * (v->draw_seconds + taken) : taken;
    v->drawn_seconds += taken;
    v->drawn++;
    v->shown_number = v->shot->number;
    v->stale = false;
    v->drawn_at = start;
    return result;
}

static void draw_panels(Viewer* v)
{
    double start = clock_seconds();
    v->back->begin(v->back, v->shot != NULL);
    ui_begin(&v->ui, v->back->painter, v->back, v->width, v->height, &v->font, &v->input);
    overlay_draw(v);
    panel_draw(v);
    overlay_boxes(v);
    if (!v->shot)
        ui_text(&v->ui, v->width / 2.0 - 60, v->height / 2.0, "building the scene ...", (Ink){60, 70, 90, 255});
    ui_end(&v->ui);
    v->input.pressed = v->input.released = false;
    v->input.wheel = 0;
    v->panel_seconds = clock_seconds() - start;
}

static void count_picture(Viewer* v)
{
    double now = clock_seconds(), passed = now - v->last_shown;
    if (v->last_shown > 0 && passed > 0)
        v->fps = v->fps > 0 ? 0.9 * v->fps + 0.1 / passed : 1 / passed;
    v->last_shown = now;
    if (v->input_clock > 0) {
        v->worst_latency = fmax(v->worst_latency, now - v->input_clock);
        v->latencies += now - v->input_clock;
        v->inputs++;
    }
    v->input_clock = 0;
    if (v->opened == 0)
        v->opened = now - v->begun;
    if (!v->shot)
        return;
    if (v->frames++ == 0) {
        v->first_clock = now;
        v->first_time = v->shot->time;
        v->first_step = v->status.steps;
        v->first_stepped_at = v->status.stepped_at;
        v->drawn = 0;
        v->first_seen = now - v->begun;
        v->drawn_seconds = v->worst_latency = v->latencies = 0;
        v->inputs = 0;
    }
}

// --- scripted input

static void print_status(const Viewer* v)
{
    static const char* const states[] = {"loading", "running", "paused", "failed"};
    const Shot* s = v->shot;
    printf("status frame %lld state %s time %.9g particles %zu solids %zu kinetic %.4g kept %zu tool %s\n", (long long)v->frames,
           states[v->status.state], s->time, s->count, s->solid_count, s->stats.kinetic_energy, v->status.kept,
           tool_names[v->hand.tool]);
    for (size_t k = 0; k < s->solid_count; k++) {
        const mn_Vec3 p = s->solid[k].centre;
        printf("solid %s %.9g %.9g %.9g\n", s->solid[k].name, p.x, p.y, p.z);
    }
    double x, y;
    if (v->status.state == SIM_FAILED)
        printf("failure %s\n", v->status.error.message);
    if (failure_place(v, &x, &y))
        printf("place %.0f %.0f\n", x, y);
    fflush(stdout);
}

static void play_script(Viewer* v)
{
    const ScriptLine* line;
    while (v->shot && (line = script_due(&v->script, v->frames, v->shot->time)))
        if (line->what == SCRIPT_EVENT)
            window_post(v->window, &line->event);
        else if (line->what == SCRIPT_SCREENSHOT)
            files_screenshot(v, line->file);
        else
            print_status(v);
}

static void take_events(Viewer* v)
{
    WindowEvent event;
    while (window_event(v->window, &event))
        switch (event.kind) {
        case WINDOW_QUIT:
            v->quit = true;
            break;
        case WINDOW_KEY:
            viewer_key(v, &event);
            v->touched = true;
            break;
        case WINDOW_CHANGED:
            v->touched = true;
            break;
        default:
            viewer_mouse(v, &event);
            v->touched = true;
            // a press and its release in one picture would be lost
            if (event.kind == WINDOW_PRESS || event.kind == WINDOW_RELEASE)
                return;
        }
}

// --- the loop

// Whether the next picture is due: where the scene must be drawn, not before the simulation had its share.
static bool is_due(const Viewer* v, double now)
{
    bool fresh = v->shot && v->shot->number != v->shown_number;
    if (now - v->last_shown < shortest)
        return false;
    if (v->stale || fresh)
        return now - v->drawn_at >= drawing_pause(v);
    bool scripted = v->options->frames || v->script.next < v->script.count;
    if (v->list && now - v->last_shown > 0.2) // pictures of scenes come
        return true;
    return v->touched || scripted || now < v->message_until || !v->shot;
}

// [ms] to sleep before looking again; not past the moment at which the next picture of the scene is due.
static int nap(const Viewer* v)
{
    bool fresh = v->shot && v->shot->number != v->shown_number;
    double left = v->stale || fresh ? v->drawn_at + drawing_pause(v) - clock_seconds() : 1;
    return left < 0.001 ? 1 : left < 0.004 ? (int)(1e3 * left) : 4;
}

static mn_Result show(Viewer* v, mn_Error* error)
{
    mn_Result result = MN_OK;
    bool fresh = v->shot && v->shot->number != v->shown_number;
    if (v->shot && (v->stale || v->frames == 0 || fresh))
        result = draw_scene(v, error);
    if (result != MN_OK)
        return result;
    draw_panels(v);
    v->back->show(v->back, v->window);
    v->touched = false;
    count_picture(v);
    if (v->frames == 1 && v->options->record && !v->film)
        files_record(v, v->options->record);
    files_film(v);
    return MN_OK;
}

static bool is_over(const Viewer* v)
{
    if (v->quit)
        return true;
    return v->options->frames && v->frames >= v->options->frames;
}

// After each picture of the scene, and when the simulation stops or goes on.
static void choose_detail_once(Viewer* v)
{
    if (v->detail_for == v->drawn && v->detail_state == v->status.state)
        return;
    v->detail_for = v->drawn;
    v->detail_state = v->status.state;
    choose_detail(v);
}

static mn_Result loop(Viewer* v, mn_Error* error)
{
    mn_Result result = MN_OK;
    while (!is_over(v) && result == MN_OK) {
        play_script(v);
        take_events(v);
        result = fit_pictures(v, error);
        look_at_newest(v);
        if (!v->shot && v->status.failures) {
            *error = v->status.error;
            return error->result != MN_OK ? error->result : MN_BAD_INPUT;
        }
        if (v->shot)
            choose_detail_once(v);
        if (result == MN_OK && is_due(v, clock_seconds()))
            result = show(v, error);
        else
            window_wait(v->window, nap(v));
    }
    return result;
}

// From the end of a step to that of another, so that a bench can take the same ones alone.
static double steps_per_second(const Viewer* v)
{
    double from = v->first_step ? v->first_stepped_at : v->first_clock, seconds = v->status.stepped_at - from;
    return seconds > 0 ? (double)(v->status.steps - v->first_step) / seconds : 0;
}

static void report(Viewer* v)
{
    double seconds = v->last_shown - v->first_clock;
    if (!v->options->frames || v->frames < 2 || !(seconds > 0))
        return;
    printf("%lld frames, %.1f frames per second, %.3f simulated seconds per second, %.1f steps per second\n", (long long)v->frames,
           (double)(v->frames - 1) / seconds, (v->shot->time - v->first_time) / seconds, steps_per_second(v));
    printf("steps %llu to %llu\n", (unsigned long long)v->first_step, (unsigned long long)v->status.steps);
    printf("drawn by %s\n", v->back->name);
    printf("%lld times the scene was drawn anew, %.1f per second, %.1f ms each with %.0f %% of the pixels; %.1f ms the panel\n",
           (long long)v->drawn, (double)v->drawn / seconds, 1e3 * v->drawn_seconds / (double)(v->drawn ? v->drawn : 1),
           100 * v->look.detail * v->look.detail, 1e3 * v->panel_seconds);
    printf("%.0f ms from input to picture, at most %.0f ms; the window was there after %.2f s, the scene after %.2f s\n",
           1e3 * v->latencies / (double)(v->inputs ? v->inputs : 1), 1e3 * v->worst_latency, v->opened, v->first_seen);
}

// By OpenGL ES if that is wanted and there: where nobody asked for it, only on a GPU. False: `error` says why not.
static bool open_gles(Viewer* v, const char* title, bool wants_hardware, mn_Error* error)
{
    v->window = window_open(title, v->options->width, v->options->height, true, error);
    v->back = v->window ? backend_gles(0, wants_hardware, error) : NULL;
    if (v->back) {
        window_reveal(v->window);
        return true;
    }
    window_close(v->window);
    v->window = NULL;
    return false;
}

static mn_Result open_screen(Viewer* v, const char* title, mn_Error* error)
{
    const ViewOptions* o = v->options;
    bool demanded = !strcmp(o->renderer, "gles3");
    bool tried = demanded || (!strcmp(o->renderer, "auto") && machine_has_gpu(""));
    if (tried && open_gles(v, title, !demanded, error))
        return MN_OK;
    if (demanded)
        return error->result;
    *error = (mn_Error){0};
    v->window = window_open(title, o->width, o->height, false, error);
    if (!v->window)
        return error->result;
    v->back = backend_own(0);
    return v->back ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory");
}

static mn_Result open_all(Viewer* v, mn_Error* error)
{
    const ViewOptions* o = v->options;
    char title[PLAN_PATH + 16];
    if (snprintf(v->plan.path, sizeof v->plan.path, "%s", o->scene) >= (int)sizeof v->plan.path)
        return error_set(error, MN_BAD_INPUT, "%.60s...: the path is too long", o->scene);
    if (o->colour && field_find(o->colour) < 0)
        return error_set(
            error, MN_BAD_INPUT,
            "--colour %.40s: expected speed, pressure, density, fluid, velocity_x, velocity_y, velocity_z, height or id",
            o->colour);
    if (o->map && map_find(o->map) < 0)
        return error_set(error, MN_BAD_INPUT, "--map %.40s: expected water, depths or ember", o->map);
    v->live = o->live;
    v->plan.threads = o->threads;
    plan_methods(v);
    mn_Result result = o->actions ? script_read(&v->script, o->actions, error) : MN_OK;
    if (result != MN_OK)
        return result;
    v->sim = sim_open(&v->plan, o->paused, o->until, error);
    if (!v->sim)
        return error->result;
    snprintf(title, sizeof title, "Meniscus: %s", o->scene);
    result = open_screen(v, title, error);
    if (result != MN_OK)
        return result;
    v->drawing = drawing_create();
    if (!v->drawing || !fit_font(v))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    return MN_OK;
}

// The window goes first: a scene may be half built. False: some thread goes on.
static bool close_all(Viewer* v)
{
    files_end(v);
    drawing_free(v->drawing);
    font_free(&v->font);
    if (v->back)
        v->back->destroy(v->back);
    window_close(v->window);
    window_leave();
    bool ended = sim_close(v->sim);
    ended &= thumbs_close(v->thumbs);
    script_free(&v->script);
    free(v->scenes);
    return ended;
}

int viewer_run(const ViewOptions* options)
{
    Viewer* v = calloc(1, sizeof *v);
    if (!v)
        return complain(STATUS_IO, "no memory");
    mn_Error error = {0};
    v->options = options;
    v->begun = clock_seconds();
    v->panel = v->info = !options->bare;
    for (int k = 0; k < 3; k++)
        v->open[k] = true;
    v->scale = 1;
    v->hand = (Hand){.tool = TOOL_DRAG, .density = 500, .size = 0.08, .strength = 0.5, .rate = 1};
    mn_Result result = open_all(v, &error);
    if (result == MN_OK)
        result = loop(v, &error);
    if (result == MN_OK && options->screenshot && v->shot)
        files_screenshot(v, options->screenshot);
    if (result == MN_OK)
        report(v);
    bool ended = close_all(v);
    int status = result == MN_OK ? v->exit_status : complain_error(&error);
    free(v);
    if (!ended) { // nobody waits for a scene that is still being built
        fflush(NULL);
        _exit(status);
    }
    return status;
}
