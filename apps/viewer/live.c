// SPDX-License-Identifier: MIT
// Everything goes through the calls of meniscus/live.h, so that it is recorded and can be saved as a scene.
#include "sim_parts.h"

#include "io/run_names.h"
#include "io/run_writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char hand[] = "hand of the window"; // the name of its pull

bool live_replaces(const LiveInput* waiting, const LiveInput* next)
{
    bool once = next->what == LIVE_MOVE || next->what == LIVE_NOTHING || next->what == LIVE_GRAVITY ||
                (next->what >= LIVE_VISCOSITY && next->what <= LIVE_YOUNG);
    return waiting->what == next->what && once;
}

static void say(char* text, size_t size, const mn_Error* error)
{
    mn_error_text(error, text, size);
}

static double scene_size(const SimWorld* w)
{
    Box3d box = w->setting->survey.box;
    return vec3d_distance(box.min, box.max);
}

static Vec3d scene_middle(const SimWorld* w)
{
    Box3d box = w->setting->survey.box;
    return vec3d_scale(vec3d_add(box.min, box.max), 0.5);
}

// Where the ray of the pointer meets the plane through `at` that faces the camera.
static Vec3d on_plane(const Live* l, Vec3d at)
{
    double along = vec3d_dot(l->direction, l->forward);
    double way = along > 1e-6 ? vec3d_dot(vec3d_sub(at, l->from), l->forward) / along : 0;
    Vec3d p = vec3d_mad(l->from, way, l->direction);
    return p;
}

// --- taking hold

static bool pull_solid(SimWorld* w, const mn_Pick* pick, mn_Error* error)
{
    mn_SolidView view = mn_world_solid(w->world, pick->solid);
    if (view.type == MN_SOLID_STATIC) {
        snprintf(error->message, sizeof error->message, "\"%.60s\" does not move", view.name);
        return false;
    }
    w->live.solid = pick->solid;
    w->live.kinematic = view.type == MN_SOLID_KINEMATIC;
    w->live.grip = vec3d_sub(view.pose.position, pick->point);
    if (w->live.kinematic)
        return true;
    mn_PullDef def = mn_default_pull_def();
    def.name = hand;
    def.solid = view.name;
    def.point = def.target = pick->point;
    return mn_world_pull(w->world, &def, error) == MN_OK;
}

static bool pull_fluid(SimWorld* w, Vec3d from, Vec3d to, mn_Error* error)
{
    mn_PullDef def = mn_default_pull_def();
    def.name = hand;
    def.point = from;
    def.target = to;
    def.radius = fmax(6 * w->setting->scene->world.particle_radius, 0.06 * scene_size(w));
    return mn_world_pull(w->world, &def, error) == MN_OK;
}

static void take_hold(SimWorld* w, char* text, size_t size)
{
    Live* l = &w->live;
    mn_Error error = {0};
    mn_Pick pick = mn_world_pick(w->world, l->from, l->direction, MN_PICK_SOLIDS);
    bool ok = false;
    mn_Pick fluid = {0};
    // what moves may be taken through water, what does not may not
    bool moves = pick.what == MN_PICK_SOLID && mn_world_solid(w->world, pick.solid).type != MN_SOLID_STATIC;
    if (!moves)
        fluid = mn_world_pick(w->world, l->from, l->direction, MN_PICK_FLUIDS);
    if (fluid.what == MN_PICK_FLUID && (pick.what != MN_PICK_SOLID || fluid.distance < pick.distance)) {
        pick = fluid;
        ok = pull_fluid(w, pick.point, pick.point, &error);
    } else if (pick.what == MN_PICK_SOLID) {
        ok = pull_solid(w, &pick, &error);
    } else {
        snprintf(error.message, sizeof error.message, "there is nothing to take hold of");
    }
    l->point = l->target = pick.point;
    if (ok)
        return;
    l->does = LIVE_NOTHING;
    l->misses++;
    say(text, size, &error);
}

static void move_held(SimWorld* w, char* text, size_t size)
{
    Live* l = &w->live;
    mn_Error error = {0};
    l->target = on_plane(l, l->point);
    mn_Result result;
    if (l->kinematic) {
        mn_Pose pose = mn_world_solid(w->world, l->solid).pose;
        pose.position = vec3d_add(l->target, l->grip);
        result = mn_world_move(w->world, l->solid, &pose, 0.1, &error);
    } else {
        result = mn_world_pull_to(w->world, hand, l->target, &error);
    }
    if (result != MN_OK)
        say(text, size, &error);
}

// --- pushing and sucking: fluid at the pointer is taken hold of and carried away from the camera, or towards it, again and again

static double push_length(const SimWorld* w)
{
    return 0.25 * w->live.value * scene_size(w);
}

static void push_at_pointer(SimWorld* w, char* text, size_t size)
{
    Live* l = &w->live;
    mn_Error error = {0};
    mn_Pick pick = mn_world_pick(w->world, l->from, l->direction, MN_PICK_FLUIDS);
    if (pick.what != MN_PICK_FLUID)
        return;
    l->point = pick.point;
    l->target = vec3d_mad(pick.point, push_length(w), l->direction);
    mn_world_pull_end(w->world, hand, &error); // the pull of before, if there is one
    if (!pull_fluid(w, l->point, l->point, &error) || mn_world_pull_to(w->world, hand, l->target, &error) != MN_OK)
        say(text, size, &error);
}

static const mn_PullView* pull_of_hand(const SimWorld* w, mn_PullView* pull)
{
    for (size_t k = 0; k < mn_world_pull_count(w->world); k++) {
        *pull = mn_world_pull_view(w->world, k);
        if (pull->name && !strcmp(pull->name, hand))
            return pull;
    }
    return NULL;
}

// Takes hold anew where the pointer is, once what was held has been carried far enough.
static void push_on(SimWorld* w, char* text, size_t size)
{
    mn_PullView pull;
    double way = fmin(fabs(push_length(w)), 0.1 * scene_size(w));
    if (!pull_of_hand(w, &pull) || vec3d_distance(pull.point, w->live.point) >= 0.999 * way)
        push_at_pointer(w, text, size);
}

// --- pouring: a jet from the pointer, layer after layer, each when the one before has made room

enum { LAYERS = 8, LAYER = 1024 }; // at most for one step, particles of one layer

// A disc of particles across the jet, or a line of them in a plane; returns how many.
static size_t fill_layer(Vec3d centre, Vec3d velocity, double radius, double spacing, bool flat, mn_FluidParticle* out)
{
    Vec3d down = vec3d_normalise(velocity), other = flat ? vec3d(0, 0, 1) : fabs(down.x) < 0.7 ? vec3d(1, 0, 0) : vec3d(0, 0, 1);
    Vec3d side = vec3d_normalise(vec3d_cross(down, other)), across = vec3d_cross(down, side);
    int most = (int)(radius / spacing), deep = flat ? 0 : most;
    size_t count = 0;
    for (int a = -most; a <= most; a++)
        for (int b = -deep; b <= deep; b++)
            if (a * a + b * b <= most * most && count < LAYER)
                out[count++] = (mn_FluidParticle){
                    vec3d_mad(vec3d_mad(centre, a * spacing, side), b * spacing, across),
                    velocity,
                };
    return count;
}

static void pour(SimWorld* w, char* text, size_t size)
{
    Live* l = &w->live;
    mn_Error error = {0};
    mn_FluidParticle layer[LAYER];
    double spacing = 2 * w->setting->scene->world.particle_radius, time = mn_world_time(w->world);
    double radius = fmax(1.5 * spacing, 0.02 * scene_size(w)) * l->value;
    double speed = fmax(2 * sqrt(9.81 * radius), 1.0 * scene_size(w)), pause = spacing / speed;
    l->target = on_plane(l, scene_middle(w));
    Vec3d g = mn_world_gravity(w->world);
    Vec3d down = vec3d_length(g) > 0 ? vec3d_normalise(g) : vec3d_scale(w->setting->up, -1);
    l->last = fmax(l->last, time - LAYERS * pause);
    for (; l->last + pause <= time; l->last += pause) {
        Vec3d at = vec3d_mad(l->target, speed * (time - l->last - pause), down);
        bool flat = w->setting->scene->world.dimension == 2;
        size_t count = fill_layer(at, vec3d_scale(down, speed), radius, spacing, flat, layer);
        if (mn_world_pour_particles(w->world, 1, count, layer, &error) != MN_OK)
            say(text, size, &error);
    }
}

// --- throwing: from where the pointer's ray enters the scene

static Vec3d entry_of_ray(const Live* l, Box3d box, double inset)
{
    double from[3] = {l->from.x, l->from.y, l->from.z}, to[3] = {l->direction.x, l->direction.y, l->direction.z};
    double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z}, enter = 0;
    for (int k = 0; k < 3; k++)
        if (fabs(to[k]) > 1e-9)
            enter = fmax(enter, fmin((low[k] - from[k]) / to[k], (high[k] - from[k]) / to[k]));
    Vec3d p = vec3d_mad(l->from, enter + inset, l->direction);
    Vec3d room = vec3d(inset, inset, inset);
    p = vec3d_max(p, vec3d_add(box.min, room));
    return vec3d_min(p, vec3d_sub(box.max, room));
}

static void throw_solid(SimWorld* w, const LiveInput* in, char* text, size_t size)
{
    Live* l = &w->live;
    mn_Error error = {0};
    char name[48];
    double half = 0.5 * in->size * scene_size(w);
    bool flat = w->setting->scene->world.dimension == 2;
    do
        snprintf(name, sizeof name, "thrown %llu", (unsigned long long)++l->thrown);
    while (mn_world_find_solid(w->world, name));
    mn_SolidDef def = mn_default_solid_def();
    def.name = name;
    def.type = MN_SOLID_RIGID;
    def.density = in->value;
    def.shape.type = in->index == 0 ? MN_SHAPE_SPHERE : MN_SHAPE_BOX;
    def.shape.size = in->index == 0 ? vec3d(half, half, half) : vec3d(2 * half, 2 * half, 2 * half);
    def.pose.position = flat ? on_plane(l, scene_middle(w)) : entry_of_ray(l, w->setting->survey.box, 1.3 * half);
    double speed = 0.8 * sqrt(2 * 9.81 * scene_size(w));
    def.velocity = flat ? vec3d(0, 0, 0) : vec3d_scale(l->direction, speed);
    def.colour = l->thrown % 3 == 0   ? vec3d(0.85, 0.33, 0.24)
                 : l->thrown % 3 == 1 ? vec3d(0.95, 0.68, 0.21)
                                      : vec3d(0.45, 0.62, 0.30);
    mn_EventDef event = mn_default_event_def();
    event.solids = &def;
    event.solid_count = 1;
    if (mn_world_do(w->world, &event, &error) != MN_OK)
        say(text, size, &error);
}

// --- shaking: who sits in a tank that is accelerated feels another gravity

static void shake(SimWorld* w, char* text, size_t size)
{
    Live* l = &w->live;
    mn_Error error = {0};
    l->target = on_plane(l, l->point);
    double g = fmax(vec3d_length(l->gravity), 1);
    Vec3d push = vec3d_scale(vec3d_sub(l->target, l->point), 8 * g / scene_size(w));
    double most = 2.5 * g, length = vec3d_length(push);
    if (length > most)
        push = vec3d_scale(push, most / length);
    if (mn_world_set_gravity(w->world, vec3d_add(l->gravity, push), &error) != MN_OK)
        say(text, size, &error);
}

// --- numbers

static void change_fluids(SimWorld* w, LiveDo what, double value, char* text, size_t size)
{
    mn_Error error = {0};
    mn_FluidChange change = mn_default_fluid_change();
    double* number = what == LIVE_VISCOSITY ? &change.viscosity : what == LIVE_TENSION ? &change.surface_tension : &change.density;
    *number = value;
    for (size_t k = 1; k <= mn_world_fluid_count(w->world); k++)
        if (mn_world_change_fluid(w->world, (mn_FluidId)k, &change, &error) != MN_OK)
            say(text, size, &error);
}

// All that give way, or with stiffness all elastic ones.
static void change_bodies(SimWorld* w, LiveDo what, double value, char* text, size_t size)
{
    mn_Error error = {0};
    mn_SolidChange stiffness = mn_default_solid_change();
    stiffness.young = value;
    for (mn_SolidId k = 1; k <= mn_world_solid_count(w->world); k++) {
        mn_SolidType type = mn_world_has_solid(w->world, k) ? mn_world_solid(w->world, k).type : MN_SOLID_STATIC;
        mn_Result result = MN_OK;
        if (what == LIVE_YOUNG && type == MN_SOLID_ELASTIC)
            result = mn_world_change_solid(w->world, k, &stiffness, &error);
        if (what == LIVE_DENSITY && (type == MN_SOLID_ELASTIC || type == MN_SOLID_RIGID))
            result = mn_world_set_density(w->world, k, value, &error);
        if (result != MN_OK)
            say(text, size, &error);
    }
}

// --- files

static void save_scene(SimWorld* w, const char* path, char* text, size_t size)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_world_scene(w->world, &error);
    char* json = scene ? mn_scene_to_json(scene) : NULL;
    FILE* file = json ? fopen(path, "w") : NULL;
    bool ok = file && fputs(json, file) >= 0;
    ok = file && fclose(file) == 0 && ok;
    if (ok)
        snprintf(text, size, "wrote %.150s, %zu events", path, scene->event_count);
    else if (!scene)
        say(text, size, &error);
    else
        snprintf(text, size, "cannot write %.150s", path);
    free(json);
    if (scene)
        mn_scene_free(scene);
}

// A run folder that holds the scene with what was done to it and the state: `meniscus run FOLDER --resume` goes on.
static void write_checkpoint(SimWorld* w, const char* path, char* text, size_t size)
{
    mn_Error error = {0};
    RunWriter writer;
    mn_Scene* scene = mn_world_scene(w->world, &error);
    mn_Result result = scene ? run_writer_create(&writer, path, scene, w->world, false, &error) : error.result;
    if (result == MN_OK) {
        // frames up to now were shown, not written
        writer.progress.frame = writer.synced_frame = (int64_t)floor(mn_world_time(w->world) * scene->frame_rate + 1e-6);
        result = run_writer_checkpoint(&writer, w->world, 0, &error);
        mn_Result closed = run_writer_close(&writer, result == MN_OK ? &error : NULL);
        result = result == MN_OK ? closed : result;
        // without the rows of the frames so far a run that goes on begins its tables anew
        static const char* const tables[] = {RUN_STATS, RUN_BODIES, RUN_PROBES};
        for (int k = 0; k < 3; k++) {
            char table[400];
            snprintf(table, sizeof table, "%.300s/%s", path, tables[k]);
            remove(table);
        }
    }
    if (result == MN_OK)
        snprintf(text, size, "wrote %.100s; meniscus run %.60s --resume goes on", path, path);
    else
        say(text, size, &error);
    if (scene)
        mn_scene_free(scene);
}

// --- orders

static void let_go(SimWorld* w)
{
    Live* l = &w->live;
    mn_Error error;
    if ((l->does == LIVE_PULL && !l->kinematic) || l->does == LIVE_PUSH)
        mn_world_pull_end(w->world, hand, &error);
    if (l->does == LIVE_SHAKE)
        mn_world_set_gravity(w->world, l->gravity, &error);
    l->does = LIVE_NOTHING;
}

static void begin(SimWorld* w, const LiveInput* in, char* text, size_t size)
{
    Live* l = &w->live;
    let_go(w);
    l->does = in->what;
    l->value = in->value;
    l->last = mn_world_time(w->world);
    l->solid = 0;
    l->kinematic = false;
    l->point = l->target = on_plane(l, scene_middle(w));
    l->gravity = mn_world_gravity(w->world);
    if (in->what == LIVE_PULL)
        take_hold(w, text, size);
    if (in->what == LIVE_PUSH)
        push_at_pointer(w, text, size);
    if (in->what == LIVE_POUR && mn_world_fluid_count(w->world) == 0) {
        snprintf(text, size, "the scene has no fluid to pour");
        l->does = LIVE_NOTHING;
    }
    if (in->what == LIVE_THROW) {
        throw_solid(w, in, text, size);
        l->does = LIVE_NOTHING;
    }
    w->was_touched |= in->what != LIVE_PULL || l->does == LIVE_PULL;
}

static void go_on(SimWorld* w, char* text, size_t size)
{
    LiveDo does = w->live.does;
    if (does == LIVE_PULL)
        move_held(w, text, size);
    if (does == LIVE_SHAKE)
        shake(w, text, size);
}

void live_apply(SimWorld* w, const LiveInput* in, char* text, size_t size)
{
    mn_Error error = {0};
    Live* l = &w->live;
    if (in->what >= LIVE_PULL && in->what <= LIVE_RELEASE) {
        l->from = in->from;
        l->direction = in->direction;
        l->forward = in->forward;
    }
    switch (in->what) {
    case LIVE_PULL:
    case LIVE_POUR:
    case LIVE_PUSH:
    case LIVE_THROW:
    case LIVE_SHAKE:
        begin(w, in, text, size);
        break;
    case LIVE_MOVE:
        go_on(w, text, size);
        break;
    case LIVE_RELEASE:
        let_go(w);
        break;
    case LIVE_GRAVITY:
        w->was_touched = true;
        l->gravity = in->at;
        if (mn_world_set_gravity(w->world, in->at, &error) != MN_OK)
            say(text, size, &error);
        break;
    case LIVE_VISCOSITY:
    case LIVE_TENSION:
    case LIVE_FLUID_DENSITY:
        w->was_touched = true;
        change_fluids(w, in->what, in->value, text, size);
        break;
    case LIVE_DENSITY:
    case LIVE_YOUNG:
        w->was_touched = true;
        change_bodies(w, in->what, in->value, text, size);
        break;
    case LIVE_SAVE:
        save_scene(w, in->path, text, size);
        break;
    case LIVE_CHECKPOINT:
        write_checkpoint(w, in->path, text, size);
        break;
    case LIVE_NOTHING:
        break;
    }
}

void live_before_step(SimWorld* w)
{
    char text[200];
    if (w->live.does == LIVE_POUR)
        pour(w, text, sizeof text);
    if (w->live.does == LIVE_PUSH)
        push_on(w, text, sizeof text);
}

void live_mark(const SimWorld* w, Shot* shot)
{
    const Live* l = &w->live;
    shot->hand = HAND_NONE;
    if (l->does == LIVE_NOTHING)
        return;
    shot->hand = l->does == LIVE_PULL || l->does == LIVE_PUSH || l->does == LIVE_SHAKE ? HAND_PULL : HAND_POINT;
    shot->hand_point = l->point;
    shot->hand_target = l->target;
    // the point of a pull moves with what it holds
    mn_PullView pull;
    if (l->does == LIVE_PULL && pull_of_hand(w, &pull))
        shot->hand_point = pull.point;
    if (l->kinematic)
        shot->hand_point = vec3d_sub(mn_world_solid(w->world, l->solid).pose.position, l->grip);
}

void live_forget(SimWorld* w)
{
    w->live = (Live){.thrown = w->live.thrown, .misses = w->live.misses};
}
