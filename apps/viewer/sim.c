// SPDX-License-Identifier: MIT
#include "sim_parts.h"

#include "base/clock.h"
#include "base/error.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUE = 256, SLOTS = 3 };

typedef struct Order {
    SimDo what;
    bool on;
    double value;
    Plan* plan; // SIM_OPEN: owned
    LiveInput live;
} Order;

struct Sim {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;

    // under the lock
    Order queue[QUEUE];
    size_t queued;
    bool quit;
    bool wants_shot; // the window has drawn the newest one
    ShotWish wish;
    Shot slot[SLOTS];
    const Setting* slot_setting[SLOTS];
    int newest, lent; // -1: none
    SimStatus status;

    // of the thread
    SimWorld world;
    mn_Scene* first; // read by sim_open, not built yet
    bool paused;
    int steps_left; // to take although paused
    double until;   // [s] it hurries there and pauses; 0: nowhere
    double scale;   // simulated seconds per second at most
    double clock_start, time_start;
    double pace_clock, pace_time, pace;
    double stepped_at; // [s] wall clock when the last step ended
    uint64_t shots;
};

// --- telling the window

static void publish(Sim* sim)
{
    pthread_mutex_lock(&sim->lock);
    int at = 0;
    while (at == sim->newest || at == sim->lent)
        at++;
    ShotWish wish = sim->wish;
    sim->wants_shot = false;
    pthread_mutex_unlock(&sim->lock);

    Shot* shot = &sim->slot[at];
    SimWorld* w = &sim->world;
    if (!shot_take(shot, w->world, w->setting, &wish, w->generation))
        return; // no memory for a picture: the older one stays
    live_mark(w, shot);
    shot->number = ++sim->shots;
    shot->taken = clock_seconds();
    shot->pace = sim->pace;
    pthread_mutex_lock(&sim->lock);
    sim->slot_setting[at] = w->setting;
    sim->newest = at;
    pthread_mutex_unlock(&sim->lock);
}

static void tell_state(Sim* sim)
{
    SimWorld* w = &sim->world;
    pthread_mutex_lock(&sim->lock);
    SimStatus* s = &sim->status;
    s->state = !w->world ? SIM_LOADING : w->failed ? SIM_FAILED : sim->paused ? SIM_PAUSED : SIM_RUNNING;
    s->generation = w->generation;
    s->steps = w->steps;
    s->stepped_at = sim->stepped_at;
    s->was_touched = w->was_touched;
    s->misses = w->live.misses;
    history_tell(&w->history, s);
    pthread_mutex_unlock(&sim->lock);
}

static void tell_error(Sim* sim, const mn_Error* error)
{
    pthread_mutex_lock(&sim->lock);
    sim->status.error = *error;
    sim->status.failures++;
    pthread_mutex_unlock(&sim->lock);
}

static void tell_message(Sim* sim, const char* text)
{
    pthread_mutex_lock(&sim->lock);
    snprintf(sim->status.message, sizeof sim->status.message, "%s", text);
    sim->status.messages++;
    pthread_mutex_unlock(&sim->lock);
}

// --- time

static void restart_clock(Sim* sim)
{
    sim->clock_start = sim->pace_clock = clock_seconds();
    sim->time_start = sim->pace_time = sim->world.world ? mn_world_time(sim->world.world) : 0;
}

// [s] of the wall clock until the next step is due; below zero: late.
static double until_due(Sim* sim)
{
    double now = clock_seconds(), ahead = (mn_world_time(sim->world.world) - sim->time_start) / sim->scale;
    double wait = sim->clock_start + ahead - now;
    if (wait < -0.1) { // what was missed is not caught up with
        sim->clock_start = now - ahead;
        wait = 0;
    }
    return wait;
}

static void measure_pace(Sim* sim)
{
    double now = clock_seconds(), passed = now - sim->pace_clock;
    if (passed < 0.4)
        return;
    double time = mn_world_time(sim->world.world);
    sim->pace = (time - sim->pace_time) / passed;
    sim->pace_clock = now;
    sim->pace_time = time;
}

// --- orders

static void start_world(Sim* sim, mn_Scene* scene)
{
    mn_Error error = {0};
    if (!scene || !sim_world_build(&sim->world, scene, &error)) {
        tell_error(sim, &error);
        return;
    }
    sim->pace = 0;
    restart_clock(sim);
    publish(sim);
}

static void open_plan(Sim* sim, Plan* plan)
{
    mn_Error error = {0};
    mn_Scene* scene = plan_load(plan, &error);
    free(plan);
    if (scene)
        start_world(sim, scene);
    else
        tell_error(sim, &error);
}

static void reset(Sim* sim)
{
    mn_Error error = {0};
    if (!sim_world_reset(&sim->world, &error)) {
        tell_error(sim, &error);
        return;
    }
    sim->steps_left = 0;
    restart_clock(sim);
    publish(sim);
}

static void go_back(Sim* sim, double time)
{
    mn_Error error = {0};
    if (!sim->world.world)
        return;
    if (!sim_world_seek(&sim->world, time, &error)) {
        tell_error(sim, &error);
        return;
    }
    sim->paused = true;
    restart_clock(sim);
    publish(sim);
}

static void change_live(Sim* sim, const LiveInput* input)
{
    char text[200] = "";
    if (!sim->world.world)
        return;
    live_apply(&sim->world, input, text, sizeof text);
    if (text[0])
        tell_message(sim, text);
    publish(sim);
}

static void obey(Sim* sim, const Order* order)
{
    switch (order->what) {
    case SIM_PAUSE:
        sim->paused = order->on;
        sim->steps_left = 0;
        if (sim->world.world)
            restart_clock(sim);
        if (sim->world.world && sim->paused)
            publish(sim); // what is seen is what there is
        break;
    case SIM_STEP:
        sim->paused = true;
        sim->steps_left++;
        break;
    case SIM_RESET:
        reset(sim);
        break;
    case SIM_OPEN:
        open_plan(sim, order->plan);
        break;
    case SIM_SPEED:
        sim->scale = order->value;
        if (sim->world.world)
            restart_clock(sim);
        break;
    case SIM_SEEK:
        go_back(sim, order->value);
        break;
    case SIM_LIVE:
        change_live(sim, &order->live);
        break;
    }
}

// Waits at most `seconds`; returns at once if there is an order, the end, or a shot is wanted that could be made.
static void rest(Sim* sim, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    long long nanos = until.tv_nsec + (long long)(fmin(seconds, 0.5) * 1e9);
    until.tv_sec += nanos / 1000000000;
    until.tv_nsec = nanos % 1000000000;
    pthread_mutex_lock(&sim->lock);
    if (!sim->queued && !sim->quit)
        pthread_cond_timedwait(&sim->wake, &sim->lock, &until);
    pthread_mutex_unlock(&sim->lock);
}

// False: the end.
static bool take_orders(Sim* sim, bool* shot_wanted)
{
    Order orders[QUEUE];
    pthread_mutex_lock(&sim->lock);
    bool quit = sim->quit;
    size_t count = sim->queued;
    memcpy(orders, sim->queue, count * sizeof *orders);
    sim->queued = 0;
    *shot_wanted = sim->wants_shot;
    pthread_mutex_unlock(&sim->lock);
    for (size_t k = 0; k < count; k++)
        if (quit)
            free(orders[k].plan);
        else
            obey(sim, &orders[k]);
    return !quit;
}

static void step_once(Sim* sim)
{
    mn_Error error = {0};
    if (!sim_world_step(&sim->world, &error)) {
        tell_error(sim, &error);
        publish(sim);
    }
    sim->stepped_at = clock_seconds();
    measure_pace(sim);
    if (sim->until > 0 && (sim->world.failed || mn_world_time(sim->world.world) >= sim->until)) {
        sim->until = 0;
        sim->paused = true;
        publish(sim);
    }
}

static void* run(void* user)
{
    Sim* sim = user;
    start_world(sim, sim->first);
    sim->first = NULL;
    bool shot_wanted;
    tell_state(sim);
    while (take_orders(sim, &shot_wanted)) {
        SimWorld* w = &sim->world;
        bool goes = w->world && !w->failed && (!sim->paused || sim->steps_left > 0);
        double wait = goes && !sim->paused && sim->until == 0 ? until_due(sim) : goes ? 0 : 0.5;
        if (goes && wait <= 0.001) {
            step_once(sim);
            if (sim->steps_left > 0 && --sim->steps_left == 0)
                publish(sim);
            else if (shot_wanted)
                publish(sim);
        }
        tell_state(sim);
        if (wait > 0.001)
            rest(sim, wait);
    }
    return NULL;
}

// --- the window's side

Sim* sim_open(const Plan* plan, bool paused, double until, mn_Error* error)
{
    mn_Scene* scene = plan_load(plan, error);
    if (!scene)
        return NULL;
    Sim* sim = calloc(1, sizeof *sim);
    if (!sim) {
        mn_scene_free(scene);
        error_set(error, MN_OUT_OF_MEMORY, "no memory");
        return NULL;
    }
    sim->first = scene;
    sim->paused = paused;
    sim->until = until;
    sim->scale = 1;
    sim->newest = sim->lent = -1;
    sim->wish.colour = (Field)scene->view.colour;
    sim->wants_shot = true;
    pthread_mutex_init(&sim->lock, NULL);
    pthread_cond_init(&sim->wake, NULL);
    if (pthread_create(&sim->thread, NULL, run, sim)) {
        mn_scene_free(scene);
        free(sim);
        error_set(error, MN_OUT_OF_MEMORY, "no thread for the simulation");
        return NULL;
    }
    return sim;
}

bool sim_close(Sim* sim)
{
    enum { PATIENCE = 3 }; // [s]
    if (!sim)
        return true;
    pthread_mutex_lock(&sim->lock);
    sim->quit = true;
    pthread_cond_signal(&sim->wake);
    pthread_mutex_unlock(&sim->lock);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    if (pthread_timedjoin_np(sim->thread, NULL, &until) != 0)
        return false;
    sim_world_free(&sim->world);
    for (int k = 0; k < SLOTS; k++)
        shot_free(&sim->slot[k]);
    pthread_cond_destroy(&sim->wake);
    pthread_mutex_destroy(&sim->lock);
    free(sim);
    return true;
}

static void post(Sim* sim, Order order)
{
    pthread_mutex_lock(&sim->lock);
    // a target that moves replaces where it was to move before
    Order* last = sim->queued ? &sim->queue[sim->queued - 1] : NULL;
    bool replaces = last && last->what == SIM_LIVE && order.what == SIM_LIVE && live_replaces(&last->live, &order.live);
    replaces |= last && last->what == SIM_SEEK && order.what == SIM_SEEK;
    if (replaces)
        *last = order;
    else if (sim->queued < QUEUE)
        sim->queue[sim->queued++] = order;
    else
        free(order.plan);
    pthread_cond_signal(&sim->wake);
    pthread_mutex_unlock(&sim->lock);
}

void sim_pause(Sim* sim, bool on)
{
    post(sim, (Order){.what = SIM_PAUSE, .on = on});
}

void sim_step(Sim* sim)
{
    post(sim, (Order){.what = SIM_STEP});
}

void sim_reset(Sim* sim)
{
    post(sim, (Order){.what = SIM_RESET});
}

void sim_start(Sim* sim, const Plan* plan)
{
    Plan* copy = malloc(sizeof *copy);
    if (!copy)
        return;
    *copy = *plan;
    post(sim, (Order){.what = SIM_OPEN, .plan = copy});
}

void sim_speed(Sim* sim, double scale)
{
    post(sim, (Order){.what = SIM_SPEED, .value = scale});
}

void sim_seek(Sim* sim, double time)
{
    post(sim, (Order){.what = SIM_SEEK, .value = time});
}

void sim_live(Sim* sim, const LiveInput* input)
{
    post(sim, (Order){.what = SIM_LIVE, .live = *input});
}

void sim_wish(Sim* sim, ShotWish wish)
{
    pthread_mutex_lock(&sim->lock);
    sim->wish = wish;
    pthread_mutex_unlock(&sim->lock);
    sim_live(sim, &(LiveInput){.what = LIVE_NOTHING}); // a paused world is looked at again
}

SimStatus sim_status(Sim* sim)
{
    pthread_mutex_lock(&sim->lock);
    SimStatus status = sim->status;
    pthread_mutex_unlock(&sim->lock);
    return status;
}

Shot* sim_newest(Sim* sim, const Setting** setting)
{
    pthread_mutex_lock(&sim->lock);
    if (sim->newest >= 0 && sim->lent != sim->newest) {
        sim->lent = sim->newest;
        sim->wants_shot = true;
    }
    int at = sim->lent;
    if (at >= 0)
        *setting = sim->slot_setting[at];
    pthread_mutex_unlock(&sim->lock);
    return at >= 0 ? &sim->slot[at] : NULL;
}
