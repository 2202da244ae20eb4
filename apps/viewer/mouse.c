// SPDX-License-Identifier: MIT
// The left button does what the tool says, or turns the view beside everything; right turns, middle or right with shift moves, the
// wheel comes nearer.
#include "viewer.h"

#include "base/clock.h"

static LiveInput at_pointer(const Viewer* v, LiveDo what)
{
    LiveInput input = {.what = what, .forward = v->camera.forward};
    camera_ray(&v->camera, v->hand.x, v->hand.y, &input.from, &input.direction);
    return input;
}

static void press_tool(Viewer* v)
{
    Hand* h = &v->hand;
    h->holds = true;
    h->misses = v->status.misses;
    LiveInput input = at_pointer(v, LIVE_NOTHING);
    switch (h->tool) {
    case TOOL_DRAG:
        input.what = LIVE_PULL;
        break;
    case TOOL_POUR:
        input.what = LIVE_POUR;
        input.value = h->rate;
        break;
    case TOOL_PUSH:
        input.what = LIVE_PUSH;
        input.value = h->strength;
        break;
    case TOOL_THROW:
        input.what = LIVE_THROW;
        input.value = h->density;
        input.size = h->size;
        input.index = h->shape;
        break;
    case TOOL_SHAKE:
        input.what = LIVE_SHAKE;
        break;
    default:
        h->holds = false;
        return;
    }
    sim_live(v->sim, &input);
}

static void move_view(Viewer* v, double dx, double dy, bool pan)
{
    if (pan || v->orbit.flat)
        orbit_pan(&v->orbit, &v->camera, dx, dy);
    else
        orbit_turn(&v->orbit, dx / v->height, dy / v->height);
    v->stale = true;
}

// Whether the pointer's ray misses all of the scene: there is nothing to take hold of.
static bool is_beside(const Viewer* v)
{
    Vec3d from, d;
    if (!v->setting)
        return true;
    Box3d box = v->setting->survey.box;
    camera_ray(&v->camera, v->hand.x, v->hand.y, &from, &d);
    const double o[3] = {from.x, from.y, from.z}, along[3] = {d.x, d.y, d.z}, low[3] = {box.min.x, box.min.y, box.min.z},
                 high[3] = {box.max.x, box.max.y, box.max.z};
    double enters = 0, leaves = HUGE_VAL;
    for (int k = 0; k < (v->orbit.flat ? 2 : 3); k++) {
        if (along[k] == 0 && (o[k] < low[k] || o[k] > high[k]))
            return true;
        if (along[k] == 0)
            continue;
        double a = (low[k] - o[k]) / along[k], b = (high[k] - o[k]) / along[k];
        enters = fmax(enters, fmin(a, b));
        leaves = fmin(leaves, fmax(a, b));
    }
    return enters > leaves;
}

static void press(Viewer* v, const WindowEvent* e)
{
    double time;
    v->drag_button = e->button;
    v->last_x = e->x;
    v->last_y = e->y;
    v->ui.taken = e->x >= v->width - panel_width(v) || v->help || v->list;
    v->ui.taken |= e->button == 1 && v->status.state == SIM_FAILED; // the button belongs to the ways out
    if (e->button == 1) {
        v->input.pressed = v->input.down = true;
        if (!v->ui.taken && timeline_hit(v, e->x, e->y, &time)) {
            v->ui.taken = true;
            v->scrubs = true;
            sim_seek(v->sim, time);
        }
    }
    if (v->ui.taken || e->button != 1 || v->hand.tool == TOOL_LOOK || e->shift)
        return;
    if (v->hand.tool == TOOL_DRAG && is_beside(v))
        return; // the button turns the view
    press_tool(v);
}

static void release(Viewer* v, const WindowEvent* e)
{
    if (e->button == 1) {
        v->input.released = true;
        v->input.down = false;
        v->scrubs = false;
    }
    if (v->hand.holds && e->button == 1) {
        LiveInput input = at_pointer(v, LIVE_RELEASE);
        sim_live(v->sim, &input);
        v->hand.holds = false;
    }
    v->drag_button = 0;
}

static void move(Viewer* v, const WindowEvent* e)
{
    double dx = e->x - v->last_x, dy = e->y - v->last_y, time;
    v->last_x = e->x;
    v->last_y = e->y;
    if (!v->drag_button)
        return;
    if (v->scrubs && timeline_hit(v, e->x, (double)v->height - 4, &time))
        sim_seek(v->sim, time);
    if (v->ui.taken)
        return;
    if (v->hand.tool == TOOL_DRAG && v->status.misses != v->hand.misses)
        v->hand.holds = false; // there was nothing to take hold of: the button turns the view
    if (v->hand.holds) {
        LiveInput input = at_pointer(v, LIVE_MOVE);
        sim_live(v->sim, &input);
        return;
    }
    move_view(v, dx, dy, v->drag_button == 2 || (v->drag_button == 3 && e->shift));
}

void viewer_mouse(Viewer* v, const WindowEvent* e)
{
    if (e->kind != WINDOW_WHEEL) {
        v->hand.x = v->input.x = e->x;
        v->hand.y = v->input.y = e->y;
    }
    if (v->input_clock == 0)
        v->input_clock = clock_seconds();
    switch (e->kind) {
    case WINDOW_PRESS:
        press(v, e);
        break;
    case WINDOW_RELEASE:
        release(v, e);
        break;
    case WINDOW_MOVE:
        move(v, e);
        break;
    case WINDOW_WHEEL:
        if (v->input.x >= v->width - panel_width(v) || v->list) {
            v->input.wheel += e->wheel;
        } else {
            orbit_zoom(&v->orbit, e->wheel);
            v->stale = true;
        }
        break;
    default:
        break;
    }
}
