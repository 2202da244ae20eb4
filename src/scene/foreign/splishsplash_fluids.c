// SPDX-License-Identifier: MIT
// Fluids of SPlisHSPlasH: blocks, models and emitters, which belong together by their id.
#include "scene/foreign/splishsplash_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 512, MOST_FLUIDS = 8 };

// --- fluids by their id

typedef struct FluidSet {
    json_t* fluid[MOST_FLUIDS];
    char name[MOST_FLUIDS][64];
    SplishObject material[MOST_FLUIDS];
    bool elastic[MOST_FLUIDS]; // a solid in our words
    size_t count;
} FluidSet;

static SplishObject find_material(Splish* s, const char* id)
{
    for (size_t k = 0; k < splish_list(s, "Materials"); k++) {
        SplishObject m = splish_item(s, "Materials", k);
        json_t* own = m.json ? json_object_get(m.json, "id") : NULL;
        const char* name = json_is_string(own) ? json_string_value(own) : "Fluid";
        if (m.json && !strcmp(name, id))
            return m;
    }
    return (SplishObject){.json = NULL, .name = "Materials"};
}

// Number of the fluid that the object belongs to, -1: there are too many.
static int fluid_of(Splish* s, FluidSet* set, const SplishObject* object)
{
    char id[64];
    splish_text(s, object, "id", id, sizeof id);
    if (!id[0])
        strcpy(id, "Fluid");
    for (size_t k = 0; k < set->count; k++)
        if (!strcmp(set->name[k], id))
            return (int)k;
    if (set->count == MOST_FLUIDS) {
        splish_note(s, object, NULL, "more than %d fluids; left out", MOST_FLUIDS);
        return -1;
    }
    size_t k = set->count++;
    memcpy(set->name[k], id, sizeof id);
    set->fluid[k] = json_object();
    set->material[k] = find_material(s, id);
    set->elastic[k] = splish_is_elastic(s, &set->material[k]);
    splish_put(set->fluid[k], "name", json_string(splish_clean_name(id)));
    return (int)k;
}

static void grow_bounds(Splish* s, Vec3d low, Vec3d high)
{
    bool first = s->fluid_min.x > s->fluid_max.x;
    s->fluid_min = first ? low : vec3d(fmin(s->fluid_min.x, low.x), fmin(s->fluid_min.y, low.y), fmin(s->fluid_min.z, low.z));
    s->fluid_max = first ? high : vec3d(fmax(s->fluid_max.x, high.x), fmax(s->fluid_max.y, high.y), fmax(s->fluid_max.z, high.z));
}

static void note_packing(Splish* s, const SplishObject* object)
{
    int mode = (int)splish_number(s, object, "denseMode", 0);
    if (mode != 0)
        splish_note(s, object, "denseMode", "%d packs particles more densely; here they start on a lattice of 2 particle_radius",
                    mode);
    Vec3d turn = splish_vector(s, object, "initialAngularVelocity", vec3d(0, 0, 0));
    if (vec3d_length(turn) > 0)
        splish_note(s, object, "initialAngularVelocity", "has no counterpart; the fluid starts without turning");
    splish_ignore_one(s, object, OF_ITS_METHODS, "resolutionSDF");
}

// --- where fluid starts and enters

static void read_block(Splish* s, FluidSet* set, const SplishObject* b)
{
    int f = fluid_of(s, set, b);
    Vec3d start = splish_vector(s, b, "start", vec3d(0, 0, 0)), end = splish_vector(s, b, "end", vec3d(0, 0, 0));
    Vec3d shift = splish_vector(s, b, "translation", vec3d(0, 0, 0)), scale = splish_vector(s, b, "scale", vec3d(1, 1, 1));
    note_packing(s, b);
    static const char* const shown[] = {"visMesh", "ColorField", "ColorMapType", "RenderMinValue", "RenderMaxValue", NULL};
    splish_ignore(s, b, OF_ITS_WINDOW, shown);
    Vec3d p = vec3d(start.x * scale.x + shift.x, start.y * scale.y + shift.y, start.z * scale.z + shift.z);
    Vec3d q = vec3d(end.x * scale.x + shift.x, end.y * scale.y + shift.y, end.z * scale.z + shift.z);
    Vec3d low = vec3d(fmin(p.x, q.x), fmin(p.y, q.y), fmin(p.z, q.z)), high = vec3d(fmax(p.x, q.x), fmax(p.y, q.y), fmax(p.z, q.z));
    bool empty = !(low.x < high.x && low.y < high.y && (s->flat || low.z < high.z));
    if (empty)
        splish_note(s, b, NULL, "has no volume; left out");
    if (f < 0 || empty)
        return;
    grow_bounds(s, low, high);
    if (set->elastic[f] && !s->flat) {
        Vec3d size = vec3d_sub(high, low);
        Placement at = {vec3d_scale(vec3d_add(low, high), 0.5), vec3d(1, 1, 1), quat_identity(), {low, high}};
        splish_add_elastic(s, &set->material[f], set->name[f], b, json_pack("{s: [f, f, f]}", "box", size.x, size.y, size.z), &at);
        return;
    }
    if (set->elastic[f])
        splish_note(s, b, NULL, "elastic solids are in 3D only; here it is a fluid");
    json_t* block = json_object();
    splish_put(block, "min", splish_point(s, low));
    splish_put(block, "max", splish_point(s, high));
    Vec3d velocity = splish_vector(s, b, "initialVelocity", vec3d(0, 0, 0));
    if (vec3d_length(velocity) > 0)
        splish_put(block, "velocity", splish_point(s, velocity));
    splish_append(set->fluid[f], "blocks", block);
}

static bool ends_with(const char* text, const char* end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && !strcmp(text + a - b, end);
}

static void read_model(Splish* s, FluidSet* set, const SplishObject* b)
{
    char file[TEXT], written[TEXT], vis[TEXT];
    int f = fluid_of(s, set, b);
    splish_text(s, b, "particleFile", file, sizeof file);
    splish_text(s, b, "visMesh", vis, sizeof vis);
    Vec3d position = splish_vector(s, b, "translation", vec3d(0, 0, 0)), scale = splish_vector(s, b, "scale", vec3d(1, 1, 1));
    Quat rotation = splish_rotation(s, b);
    note_packing(s, b);
    if (splish_bool(s, b, "invert", false))
        splish_note(s, b, "invert", "the outside of a mesh cannot be filled; its inside is");
    bool is_mesh = !ends_with(file, ".bgeo");
    if (f >= 0 && set->elastic[f] && !s->flat) {
        Placement at = {.position = position, .scale = scale, .rotation = rotation};
        bool closed;
        json_t* shape = is_mesh ? splish_shape(s, b, file, &at, &closed) : splish_wrapped(s, b, file, &at);
        if (shape) {
            grow_bounds(s, at.reach.min, at.reach.max);
            splish_add_elastic(s, &set->material[f], set->name[f], b, shape, &at);
        }
        if (vis[0])
            splish_note(s, b, "visMesh", "%s: the solid is shown as it is simulated", vis);
        return;
    }
    if (f >= 0 && set->elastic[f])
        splish_note(s, b, NULL, "elastic solids are in 3D only; here it is a fluid");
    if (f < 0 || (is_mesh && s->flat)) {
        if (f >= 0)
            splish_note(s, b, "particleFile", "%s: meshes are filled in 3D only; left out", file);
        return;
    }
    grow_bounds(s, position, position); // somewhere about it
    json_t* mesh = json_object();
    splish_put(mesh, "file", json_string(splish_file(s, file, written, sizeof written)));
    splish_put(mesh, "position", splish_point(s, position));
    splish_put(mesh, "rotation", splish_quat(s, rotation));
    splish_put(mesh, "scale", splish_point(s, scale));
    splish_put(mesh, "velocity", splish_point(s, splish_vector(s, b, "initialVelocity", vec3d(0, 0, 0))));
    splish_append(set->fluid[f], is_mesh ? "meshes" : "particles", mesh);
}

// Jets go along the emitter's local x here as a direction or, in old files, as a vector; ours go along local y. Width lies along
// its local z and height along y, both counted in particles.
static void read_emitter(Splish* s, FluidSet* set, const SplishObject* b)
{
    int f = fluid_of(s, set, b);
    json_t* emitter = json_object();
    bool disc = splish_number(s, b, "type", 0) == 1 && !s->flat;
    double width = splish_number(s, b, "width", 5), height = splish_number(s, b, "height", 5), speed;
    Vec3d direction = splish_vector(s, b, "direction", vec3d(0, 0, 0));
    if (json_is_array(json_object_get(b->json, "velocity"))) {
        Vec3d velocity = splish_vector(s, b, "velocity", vec3d(1, 0, 0));
        speed = vec3d_length(velocity);
        direction = vec3d_length(direction) > 0 ? direction : velocity;
    } else {
        speed = splish_number(s, b, "velocity", 1);
    }
    if (!splish_has(b, "rotationAxis"))
        splish_put(b->json, "rotationAxis", json_pack("[i, i, i]", 0, 0, 1)); // not x as elsewhere
    if (s->flat)                                                              // whatever axis it says
        splish_put(b->json, "rotationAxis", json_pack("[i, i, i]", 0, 0, 1));
    Quat rotation = splish_rotation(s, b);
    splish_put(emitter, "type", json_string(disc ? "disc" : "box"));
    Vec3d position = splish_vector(s, b, "translation", vec3d(0, 0, 0));
    splish_put(emitter, "position", splish_point(s, position));
    if (s->fluid_min.x > s->fluid_max.x)
        grow_bounds(s, position, position);
    const double c = sqrt(0.5);
    if (vec3d_length(direction) > 0)
        splish_put(emitter, "direction", splish_point(s, direction));
    else
        splish_put(emitter, "rotation", splish_quat(s, quat_mul(rotation, (Quat){c, 0, 0, -c})));
    double spacing = 2 * s->radius;
    if (disc)
        splish_put(emitter, "radius", json_real(0.5 * width * spacing));
    else
        splish_put(emitter, "size",
                   s->flat ? json_pack("[f]", height * spacing) : json_pack("[f, f]", height * spacing, width * spacing));
    splish_put(emitter, "speed", json_real(fabs(speed) > 0 ? fabs(speed) : 1));
    double start = splish_number(s, b, "emitStartTime", 0), end = splish_number(s, b, "emitEndTime", INFINITY);
    if (start > 0)
        splish_put(emitter, "start", json_real(start));
    if (end < 1e9)
        splish_put(emitter, "end", json_real(fmax(end, start)));
    if (splish_has(b, "emitsPerSecond"))
        splish_note(s, b, "emitsPerSecond", "particles follow each other at a spacing of 2 particle_radius");
    splish_drop(b, "emitsPerSecond");
    static const char* const ignored[] = {"comment", "tag", "boundingBoxMin", "boundingBoxMax", NULL};
    splish_ignore(s, b, OF_ITS_EDITOR, ignored);
    if (f >= 0)
        splish_append(set->fluid[f], "emitters", emitter);
    else
        json_decref(emitter);
}

static void each(Splish* s, FluidSet* set, const char* list, void (*read)(Splish*, FluidSet*, const SplishObject*))
{
    for (size_t k = 0; k < splish_list(s, list); k++) {
        SplishObject object = splish_item(s, list, k);
        if (object.json)
            read(s, set, &object);
    }
}

void splish_fluids(Splish* s)
{
    FluidSet set = {.count = 0};
    each(s, &set, "FluidBlocks", read_block);
    each(s, &set, "FluidModels", read_model);
    each(s, &set, "Emitters", read_emitter);
    json_t* configuration = json_deep_copy(s->configuration); // what it says holds for every fluid
    for (size_t f = 0; f < set.count; f++) {
        json_t* fluid = set.fluid[f];
        if (json_object_get(fluid, "blocks") || json_object_get(fluid, "meshes") || json_object_get(fluid, "particles") ||
            json_object_get(fluid, "emitters")) {
            splish_material(s, &set.material[f], configuration, fluid);
            splish_append(s->scene, "fluids", fluid);
        } else {
            json_decref(fluid);
        }
    }
    json_decref(configuration);
    splish_materials_done(s);
}
