// SPDX-License-Identifier: MIT
// Prints a random scene: a tank of 1 mm to 30 m with fluids and a few of all that can be in it, chosen by a seed. Everything is
// measured in particle spacings, times in those of a fall through the tank, so that all sizes are equally hard.
//
//   random_scene SEED            the scene file
//   random_scene --budget SEED   two energies [J]: what lies in the scene's masses, and what may come from outside
//   random_scene --size METRES ...   the same scene, Froude-scaled to a tank of this size
//
// The tank is cut into layers, each layer into slots of SLOT spacings; a solid lives in a slot of its own, so that no two start
// in each other. Whatever a person could mean is allowed, however unwise: bodies of 1 kg/m3 on cloths of a few grams under water.
// Left out is what `check` warns of: light bodies with sesph or another coupling than akinci, what breaks with sesph, soft volumes
// that the fluid crushes.
#include "base/random.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOT 6.0
#define MOST_BODIES 16

typedef struct Body {
    char name[16];
    double x, y, z; // [spacings]
    double density; // [kg/m3]
    double volume;  // [m3] about
    bool rigid, pinned;
} Body;

typedef struct Scene {
    Random random;
    Random kinds; // which method, coupling and model: on their own, so that a new one leaves the scenes of other seeds as they are
    int dimension;
    double d;          // [m] spacing
    double nx, ny, nz; // [spacings] inside of the tank
    double gravity;    // [m/s2]
    double fall;       // [s] through the tank
    double speed;      // [m/s] at the end of it
    const char *method, *coupling;
    bool has_foam;
    double density;  // [kg/m3] of the heavier fluid
    double lightest; // [kg/m3] of solids
    double softest;  // [Pa] bulk modulus of soft volumes
    double duration;
    FILE *fluids, *solids, *joints, *ragdolls, *chains, *events, *drains;
    char* text[7];
    size_t size[7];
    bool used[64]; // slots, layer by layer
    int layers, across, deep;
    Body body[MOST_BODIES];
    int bodies;
    double budget, input; // [J]
    bool is_turned;       // gravity will be: heights are measured along it, and all that has mass may fall again
    double tank;          // [m] asked for; 0: by chance
} Scene;

// --- chance

static double unit(Scene* s)
{
    return random_unit(&s->random);
}

static bool chance(Scene* s, double share)
{
    return unit(s) < share;
}

static double between(Scene* s, double low, double high)
{
    return random_range(&s->random, low, high);
}

static double log_between(Scene* s, double low, double high)
{
    return exp(between(s, log(low), log(high)));
}

// The number that a kind is chosen by.
static double kind(Scene* s)
{
    return random_unit(&s->kinds);
}

static bool is_grid(const Scene* s)
{
    return strcmp(s->method, "flip") == 0;
}

static bool is_akinci(const Scene* s)
{
    return strcmp(s->coupling, "akinci") == 0;
}

// Gauss meets neither joints nor elastic solids (docs/reliability.md).
static bool is_gauss(const Scene* s)
{
    return strcmp(s->coupling, "gauss") == 0;
}

static bool is_rigid(const Scene* s)
{
    return is_grid(s) || is_gauss(s);
}

static int below(Scene* s, int count)
{
    return (int)(unit(s) * count);
}

// --- text

// An object of a list, with a comma before it if it is not the first.
static void put(FILE* list, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (ftell(list) > 0)
        fputs(",\n    ", list);
    vfprintf(list, format, arguments);
    va_end(arguments);
}

// [x, y, z] or, in 2D, [x, y]. Four can be in use at once.
static const char* vec(const Scene* s, double x, double y, double z)
{
    static char text[4][128];
    static int next = 0;
    char* out = text[next = (next + 1) % 4];
    if (s->dimension == 2)
        snprintf(out, 128, "[%.9g, %.9g]", x, y);
    else
        snprintf(out, 128, "[%.9g, %.9g, %.9g]", x, y, z);
    return out;
}

static const char* place(const Scene* s, double x, double y, double z) // from spacings
{
    return vec(s, x * s->d, y * s->d, z * s->d);
}

// Arguments of a call may be evaluated in any order: random numbers are drawn before.
static const char* rotation(Scene* s)
{
    static char text[128];
    double angle = chance(s, 0.3) ? 90.0 * below(s, 4) : between(s, 0, 360);
    double x = between(s, -1, 1), y = between(s, -1, 1), z = between(s, 0.1, 1);
    if (s->dimension == 2)
        snprintf(text, sizeof text, "{\"angle\": %.6g}", angle);
    else
        snprintf(text, sizeof text, "{\"axis\": [%.4f, %.4f, %.4f], \"angle\": %.6g}", x, y, z, angle);
    return text;
}

static const char* random_vec(Scene* s, double most)
{
    double x = between(s, -most, most), y = between(s, -most, most), z = between(s, -most, most);
    return vec(s, x, y, z);
}

// --- slots

static int slot_index(const Scene* s, int x, int y, int z)
{
    return (y * s->deep + z) * s->across + x;
}

static bool find_slot(Scene* s, double* x, double* y, double* z)
{
    for (int tries = 0; tries < 20; tries++) {
        int k[3] = {below(s, s->across), below(s, s->layers), below(s, s->deep)};
        bool* used = &s->used[slot_index(s, k[0], k[1], k[2])];
        if (*used)
            continue;
        *used = true;
        *x = (k[0] + 0.5) * s->nx / s->across;
        *y = (k[1] + 0.5) * SLOT;
        *z = s->dimension == 2 ? 0 : (k[2] + 0.5) * s->nz / s->deep;
        return true;
    }
    return false;
}

// A layer that nothing is in yet, or -1.
static int find_layer(Scene* s)
{
    int y = below(s, s->layers);
    for (int k = 0; k < s->across * s->deep; k++)
        if (s->used[y * s->across * s->deep + k])
            return -1;
    for (int k = 0; k < s->across * s->deep; k++)
        s->used[y * s->across * s->deep + k] = true;
    return y;
}

// --- shapes that fit into a slot; fills in the volume, about, in spacings cubed

static const char* shape(Scene* s, bool closed, double* volume)
{
    static char text[160];
    double least = closed ? 1.6 : 1.2; // tetrahedra have to fit
    double a = between(s, least, 2.4), d = s->d, b = between(s, least, 2.4);
    *volume = 4 * a * a * a;
    switch (below(s, closed ? 6 : 9)) {
    case 0:
        snprintf(text, sizeof text, "{\"sphere\": %.6g}", a * d);
        break;
    case 1:
        snprintf(text, sizeof text, "{\"capsule\": [%.6g, %.6g]}", 0.55 * a * d, 0.8 * a * d);
        break;
    case 2:
        snprintf(text, sizeof text, "{\"cylinder\": [%.6g, %.6g]}", 0.7 * a * d, 1.2 * b * d);
        break;
    case 3:
        snprintf(text, sizeof text, "{\"cone\": [%.6g, %.6g]}", 0.8 * a * d, b * d);
        break;
    case 4:
    case 5: {
        double c = between(s, least, 2.4);
        snprintf(text, sizeof text, "{\"box\": %s}", place(s, a, b, c));
        break;
    }
    case 6:
        if (s->dimension == 2)
            snprintf(text, sizeof text, "{\"torus\": [%.6g, %.6g]}", 1.6 * d, 0.6 * d);
        else
            snprintf(text, sizeof text, "{\"torus\": [%.6g, %.6g]}", 0.65 * a * d, 0.25 * a * d);
        break;
    case 7:
        snprintf(text, sizeof text, s->dimension == 2 ? "{\"plane\": %.6g}" : "{\"plane\": [%.6g, %.6g]}", 1.6 * a * d,
                 1.3 * b * d);
        break;
    default:
        snprintf(text, sizeof text, "{\"rod\": %.6g}", 2 * a * d);
        break;
    }
    return text;
}

// --- what can be in a scene

static Body* new_body(Scene* s, const char* kind, bool rigid, double density, double volume)
{
    Body* body = &s->body[s->bodies];
    *body = (Body){.rigid = rigid, .density = density, .volume = volume * pow(s->d, s->dimension)};
    snprintf(body->name, sizeof body->name, "%s%d", kind, s->bodies++);
    s->budget += body->volume * density * s->gravity * s->ny * s->d;
    return body;
}

static void rigid_body(Scene* s)
{
    double x, y, z, volume;
    if (s->bodies == MOST_BODIES || !find_slot(s, &x, &y, &z))
        return;
    const char* form = shape(s, false, &volume);
    Body* body = new_body(s, "body", true, log_between(s, s->lightest, 20000), volume);
    body->x = x, body->y = y, body->z = z;
    bool fast = chance(s, 0.3), pushed = chance(s, 0.15);
    double mass = body->volume * body->density;
    put(s->solids, "{\"name\": \"%s\", \"type\": \"rigid\", \"shape\": %s, \"density\": %.6g, \"position\": %s, ", body->name, form,
        body->density, place(s, x, y, z));
    double restitution = chance(s, 0.3) ? unit(s) : 0.1, friction = chance(s, 0.3) ? 2 * unit(s) : 0.5;
    fprintf(s->solids, "\"rotation\": %s, \"restitution\": %.3f, \"contact_friction\": %.3f", rotation(s), restitution, friction);
    if (fast) {
        fprintf(s->solids, ", \"velocity\": %s", random_vec(s, s->speed));
        s->input += 1.5 * mass * s->speed * s->speed;
    }
    if (pushed) {
        double force = mass * s->gravity;
        fprintf(s->solids, ", \"force\": %s", random_vec(s, force));
        s->input += 2 * force * (s->nx + s->ny + s->nz) * s->d;
    }
    if (chance(s, 0.1))
        fputs(", \"sleep\": true", s->solids);
    if (chance(s, 0.1)) {
        fputs(", \"held\": true", s->solids);
        put(s->events, "{\"time\": %.6g, \"release\": \"%s\"}", 0.4 * s->duration, body->name);
    }
    fputc('}', s->solids);
}

static void obstacle(Scene* s)
{
    double x, y, z, volume;
    if (s->bodies == MOST_BODIES || !find_slot(s, &x, &y, &z))
        return;
    bool turns = chance(s, 0.5);
    const char* form = shape(s, false, &volume);
    put(s->solids, "{\"name\": \"thing%d\", \"type\": \"%s\", \"shape\": %s, \"position\": %s, \"rotation\": %s", s->bodies++,
        turns ? "kinematic" : "static", form, place(s, x, y, z), rotation(s));
    if (turns) {
        double rate = between(s, -1, 1) * s->speed / (3 * s->d);
        fprintf(s->solids, ", \"angular_velocity\": %s", s->dimension == 2 ? "" : vec(s, 0, rate, 0));
        if (s->dimension == 2)
            fprintf(s->solids, "[0, 0, %.6g]", rate);
        s->input += 4 * s->density * pow(s->d, s->dimension) * 200 * s->speed * s->speed;
    }
    fputc('}', s->solids);
}

// Young's modulus from jelly to wood, by the pressure at the bottom of the tank.
static double stiffness(Scene* s)
{
    return log_between(s, 2, 2000) * 1000 * s->gravity * s->ny * s->d;
}

// [Pa] that `check` expects of fluid that falls and is poured, at most
static double pressure(const Scene* s)
{
    return 2.5 * s->density * s->gravity * s->ny * s->d;
}

static void elastic_volume(Scene* s)
{
    double x, y, z, volume;
    if (s->dimension == 2 || is_rigid(s) || s->bodies == MOST_BODIES || !find_slot(s, &x, &y, &z))
        return;
    const char* form = shape(s, true, &volume);
    double lightest = fmax(0.03 * s->density, s->lightest);
    Body* body = new_body(s, "soft", false, log_between(s, lightest, 5 * s->density), volume);
    double young = stiffness(s), poisson = between(s, 0, 0.45), bulk = 1 / (3 - 6 * poisson); // [E]
    young = fmax(young, 1.05 * pressure(s) / bulk);
    s->softest = fmin(s->softest, young * bulk);
    const char* model = chance(s, 0.5) ? "fem" : "mass_points";
    double choice = kind(s), share = 0.01 * pow(30, kind(s)); // of Young's modulus, at which it dents or breaks
    bool is_fem = strcmp(model, "fem") == 0;
    model = choice < 0.15 ? "reduced" : model;
    put(s->solids,
        "{\"name\": \"%s\", \"type\": \"elastic\", \"model\": \"%s\", \"shape\": %s, \"density\": %.6g, \"young\": %.6g, ",
        body->name, model, form, body->density, young);
    fprintf(s->solids, "\"resolution\": %.6g, ", between(s, 0.5, 0.9) * s->d);
    bool breaks = is_fem && choice > 0.8 && strncmp(form, "{\"box", 5) == 0; // what is embedded does not break
    if (breaks && strcmp(s->method, "sesph") != 0)
        fprintf(s->solids, "\"strength\": %.6g, ", share * young);
    if (is_fem && choice > 0.6 && choice < 0.85)
        fprintf(s->solids, "\"yield\": %.6g, ", share * young);
    fprintf(s->solids, "\"poisson\": %.3f, \"position\": %s, \"rotation\": %s", poisson, place(s, x, y, z), rotation(s));
    if (chance(s, 0.3))
        fprintf(s->solids, ", \"damping\": %.6g", 0.01 * s->fall);
    if (chance(s, 0.3)) {
        fprintf(s->solids, ", \"velocity\": %s", random_vec(s, 0.5 * s->speed));
        s->input += body->volume * body->density * s->speed * s->speed;
    }
    fputc('}', s->solids);
}

static void cloth(Scene* s)
{
    int layer = s->dimension == 2 || is_rigid(s) || s->bodies == MOST_BODIES ? -1 : find_layer(s);
    if (layer < 0)
        return;
    double wide = between(s, 0.5, 0.9) * s->nx, deep = between(s, 0.5, 0.9) * s->nz, cell = between(s, 0.8, 2.5);
    double thick = log_between(s, 0.01, 0.2) * s->d;
    Body* body = new_body(s, "cloth", false, log_between(s, fmax(100, s->lightest), 3000), wide * deep * thick / s->d);
    put(s->solids, "{\"name\": \"%s\", \"type\": \"elastic\", \"shape\": {\"grid\": [%.6g, %.6g], \"cells\": [%d, %d]}, ",
        body->name, wide * s->d, deep * s->d, (int)(wide / cell) + 1, (int)(deep / cell) + 1);
    fprintf(s->solids, "\"position\": %s, \"density\": %.6g, \"thickness\": %.6g, \"young\": %.6g",
            place(s, s->nx / 2, (layer + 0.5) * SLOT, s->nz / 2), body->density, thick,
            log_between(s, 5, 500) * 1000 * s->gravity * s->ny * s->d * s->d / thick);
    static const char* const PINS[] = {"\"corners\"", "\"border\"", "{\"select\": \"vertex\", \"vertex\": 0}"};
    if ((body->pinned = chance(s, 0.6)))
        fprintf(s->solids, ", \"pins\": [%s]", PINS[below(s, 3)]);
    if (body->pinned && chance(s, 0.4))
        put(s->events, "{\"time\": %.6g, \"release\": \"%s\"}", between(s, 0.2, 0.8) * s->duration, body->name);
    if (chance(s, 0.3))
        fprintf(s->solids, ", \"drag\": %.6g", 0.5 / s->fall);
    fputc('}', s->solids);
}

static void chain(Scene* s)
{
    static const char* const JOINTS[] = {"ball", "hinge", "fixed", "ball"};
    int layer = is_gauss(s) ? -1 : find_layer(s);
    if (layer < 0)
        return;
    double y = (layer + 0.5) * SLOT, z = s->nz / 2, span = between(s, 0.5, 0.9) * s->nx, from = (s->nx - span) / 2;
    int links = 3 + below(s, 6);
    double link = span / links, radius = fmin(0.25 * link, 0.8), density = log_between(s, fmax(100, s->lightest), 8000);
    put(s->chains,
        "{\"from\": %s, \"to\": %s, \"links\": %d, \"shape\": {\"capsule\": [%.6g, %.6g]}, \"joint\": \"%s\", \"density\": %.6g",
        place(s, from, y, z), place(s, from + span, y, z), links, radius * s->d, (link - 2.4 * radius) * s->d, JOINTS[below(s, 4)],
        density);
    fprintf(s->chains, ", \"end\": \"%s\"", chance(s, 0.5) ? "none" : "world");
    double mass = span * 3 * radius * radius * pow(s->d, s->dimension) * density;
    s->budget += mass * s->gravity * s->ny * s->d;
    if (chance(s, 0.2))
        fprintf(s->chains, ", \"break_force\": %.6g", 2 * mass * s->gravity);
    fputc('}', s->chains);
}

// Stands on top of all layers: the tank grows by its height.
static void ragdoll(Scene* s)
{
    double height = between(s, 0.6, 0.8) * s->nx;
    if (s->dimension == 2 || is_gauss(s))
        return;
    double density = log_between(s, fmax(100, s->lightest), 3000);
    put(s->ragdolls, "{\"position\": %s, \"height\": %.6g, \"density\": %.6g, \"velocity\": %s}",
        place(s, s->nx / 2, s->ny + height / 2 + 1, s->nz / 2), height * s->d, density, random_vec(s, 0.2 * s->speed));
    s->budget += 0.1 * pow(height * s->d, 3) * 1000 * s->gravity * (s->ny + height) * s->d;
    s->ny += height + 2;
}

static void joints(Scene* s)
{
    static const char* const TYPES[] = {"ball", "hinge", "slider", "fixed"};
    for (int k = 0; k < s->bodies && !is_gauss(s); k++) {
        const Body* body = &s->body[k];
        if (!body->rigid || !chance(s, 0.35))
            continue;
        int other = below(s, s->bodies), type = below(s, 4);
        bool tied = other != k && s->body[other].rigid && chance(s, 0.6);
        double x = body->x + between(s, -3, 3), y = body->y + between(s, -3, 3), z = body->z + between(s, -3, 3);
        put(s->joints, "{\"name\": \"tie%d\", \"type\": \"%s\", \"solid\": \"%s\", \"position\": %s", k, TYPES[type], body->name,
            place(s, x, y, z));
        if (tied)
            fprintf(s->joints, ", \"other\": \"%s\"", s->body[other].name);
        if (type == 1 && s->dimension == 2)
            fputs(", \"axis\": [0, 0, 1]", s->joints);
        else if (type == 1 || type == 2) {
            double ax = between(s, -1, 1), ay = between(s, 0.1, 1), az = between(s, -1, 1);
            fprintf(s->joints, ", \"axis\": [%.4f, %.4f, %.4f]", ax, ay, s->dimension == 2 ? 0 : az);
        }
        if ((type == 1 || type == 2) && chance(s, 0.3)) {
            double strength = body->volume * body->density * s->gravity * (type == 1 ? s->d : 1);
            fprintf(s->joints, ", \"motor_speed\": %.6g, \"motor_strength\": %.6g", type == 1 ? 90 / s->fall : 0.3 * s->speed,
                    strength);
            s->input += 10 * strength * (type == 1 ? 10 : s->ny * s->d);
        }
        if ((type == 1 || type == 2) && chance(s, 0.3))
            fprintf(s->joints, ", \"limits\": [%.6g, %.6g]", type == 1 ? -40 : -2 * s->d, type == 1 ? 60 : 2 * s->d);
        if (chance(s, 0.2))
            fprintf(s->joints, ", \"break_force\": %.6g", 5 * body->volume * body->density * s->gravity);
        fputc('}', s->joints);
        if (chance(s, 0.2))
            put(s->events, "{\"time\": %.6g, \"release\": \"tie%d\"}", unit(s) * s->duration, k);
    }
}

static void events(Scene* s)
{
    for (int k = 0; k < s->bodies; k++) {
        const Body* body = &s->body[k];
        if (!body->rigid || !chance(s, 0.15))
            continue;
        double density = log_between(s, s->lightest, 20000);
        double mass = body->volume * fmax(density, body->density), time = unit(s) * s->duration;
        if (chance(s, 0.5)) {
            put(s->events, "{\"time\": %.6g, \"solid\": \"%s\", \"density\": %.6g}", time, body->name, density);
            s->input += 2 * mass * s->gravity * s->ny * s->d;
        } else
            put(s->events, "{\"time\": %.6g, \"solid\": \"%s\", \"velocity\": %s}", time, body->name, random_vec(s, s->speed));
        s->input += 2 * mass * s->speed * s->speed;
    }
    if (chance(s, 0.1)) {
        double time = unit(s) * s->duration;
        put(s->events, "{\"time\": %.6g, \"gravity\": %s}", time, random_vec(s, s->gravity));
        s->is_turned = true;
    }
}

// --- fluids

static void fluid_looks(Scene* s, double density, double scale)
{
    put(s->fluids, "{\"density\": %.6g", density);
    double sort = unit(s);
    if (sort < 0.15) // from water to honey, by the Reynolds number of a fall
        fprintf(s->fluids, ", \"viscosity_method\": \"laplace\", \"viscosity\": %.6g",
                density * s->speed * scale / log_between(s, 10, 10000));
    else if (sort < 0.3)
        fprintf(s->fluids, ", \"viscosity_method\": \"xsph\", \"viscosity\": %.3f", between(s, 0, 0.2));
    else if (sort < 0.6)
        fprintf(s->fluids, ", \"viscosity\": %.4g", between(s, 0.001, 0.1));
    if (chance(s, 0.2)) { // a capillary length of half a spacing to four
        double sigma = density * s->gravity * pow(s->d * between(s, 0.5, 4), 2);
        sigma = fmin(sigma, 0.5 * s->d * (s->softest - pressure(s))); // or it would crush them
        fprintf(s->fluids, ", \"surface_tension\": {\"sigma\": %.6g}", sigma);
        s->input += 4 * sigma * (s->nx * s->ny + s->ny * s->nz + s->nz * s->nx) * pow(s->d, s->dimension - 1); // surfaces shrink
    }
}

static void fluid(Scene* s)
{
    double wide = chance(s, 0.5) ? 1 : between(s, 0.3, 0.7), high = between(s, 0.25, 0.7);
    double scale = s->ny * s->d, mass = s->density * wide * high * s->nx * s->ny * s->nz * pow(s->d, s->dimension);
    bool two = chance(s, 0.2);
    s->budget += mass * s->gravity * s->ny * s->d;
    fluid_looks(s, s->density, scale);
    fprintf(s->fluids, ", \"blocks\": [{\"min\": %s, \"max\": %s}]", place(s, 0, 0, 0),
            place(s, wide * s->nx, high * s->ny, s->nz));
    if (!two && chance(s, 0.2))
        fprintf(s->fluids, ", \"spheres\": [{\"centre\": %s, \"radius\": %.6g}]", place(s, s->nx / 2, s->ny - 4, s->nz / 2),
                3 * s->d);
    if (chance(s, 0.3)) {
        double rate = between(s, 0.3, 1) * s->speed, size = between(s, 2, 3) * s->d;
        fprintf(s->fluids, ", \"emitters\": [{\"position\": %s, \"direction\": %s, \"speed\": %.6g, ",
                place(s, s->nx / 2, s->ny - 1, s->nz / 2), vec(s, 0.3 * unit(s), -1, 0), rate);
        if (s->dimension == 3 && chance(s, 0.5))
            fprintf(s->fluids, "\"type\": \"disc\", \"radius\": %.6g}]", size / 2);
        else
            fprintf(s->fluids, s->dimension == 2 ? "\"size\": [%.6g]}]" : "\"size\": [%.6g, %.6g]}]", size, size);
        double poured = s->density * pow(size, s->dimension - 1) * rate * s->duration;
        s->input += 2 * poured * (rate * rate + s->gravity * s->ny * s->d);
    }
    fputc('}', s->fluids);
    if (two) {
        double density = s->density / log_between(s, 1, 20), top = fmin(0.9, high + 0.2);
        fluid_looks(s, density, scale);
        fprintf(s->fluids, ", \"blocks\": [{\"min\": %s, \"max\": %s}]}", place(s, 0, high * s->ny, 0),
                place(s, wide * s->nx, top * s->ny, s->nz));
        s->budget += s->density * 0.2 * s->nx * s->ny * s->nz * pow(s->d, s->dimension) * s->gravity * s->ny * s->d;
    }
    if (chance(s, 0.2))
        put(s->drains, "{\"min\": %s, \"max\": %s}", place(s, 0.8 * s->nx, 0, 0), place(s, s->nx, 2, s->nz));
}

// --- the whole

static void choose_size(Scene* s)
{
    s->dimension = chance(s, 0.15) ? 2 : 3;
    s->across = 2 + below(s, s->dimension == 2 ? 3 : 2);
    s->layers = 2 + below(s, 2);
    s->deep = s->dimension == 2 ? 1 : 1 + below(s, 2);
    s->nx = s->across * SLOT * between(s, 1, 1.3);
    s->nz = s->dimension == 2 ? 1 : s->deep * SLOT * between(s, 1, 1.3);
    s->ny = s->layers * SLOT + between(s, 0.5, 3);
    double size = log_between(s, 1e-3, 30);
    size = s->tank > 0 ? s->tank : size;
    s->d = size / fmax(s->nx, s->ny);
    s->gravity = chance(s, 0.1) ? 0.1 * 9.81 : 9.81;
    s->fall = sqrt(2 * s->ny * s->d / s->gravity);
    s->speed = s->gravity * s->fall;
    static const char* const METHODS[] = {"dfsph", "dfsph", "dfsph", "dfsph", "iisph", "iisph", "pcisph", "sesph"};
    int method = below(s, 8);
    s->method = METHODS[method];
    s->density = chance(s, 0.6) ? 1000 : log_between(s, 500, 5000);
    s->lightest = method == 7 ? 0.3 * s->density : 1;
    s->duration = between(s, 0.8, 1.6) * s->fall;
    s->softest = INFINITY;
}

// Another kind of fluid or of coupling than the one that is the default.
static void choose_kinds(Scene* s)
{
    double fluid = kind(s), coupling = kind(s);
    if (fluid < 0.08) {
        s->method = "flip";
        s->lightest = 1;
    }
    s->coupling = is_grid(s) || coupling > 0.2 ? "akinci" : coupling > 0.1 ? "direct_forcing" : "gauss";
    if (!is_akinci(s))
        s->lightest = 0.3 * s->density;
    s->has_foam = kind(s) < 0.1;
}

static void tank(Scene* s)
{
    put(s->solids, "{\"name\": \"tank\", \"shape\": {\"box\": %s}, \"position\": %s, \"inside\": true}",
        place(s, s->nx, s->ny, s->nz), place(s, s->nx / 2, s->ny / 2, s->nz / 2));
}

static void fill(Scene* s)
{
    if (chance(s, 0.35))
        cloth(s);
    if (chance(s, 0.25))
        chain(s);
    int bodies = below(s, 6), soft = chance(s, 0.4) ? 1 + below(s, 2) : 0;
    for (int k = 0; k < soft; k++)
        elastic_volume(s);
    for (int k = 0; k < bodies; k++)
        rigid_body(s);
    if (chance(s, 0.3))
        obstacle(s);
    joints(s);
    events(s);
    fluid(s);
    if (chance(s, 0.12))
        ragdoll(s);
    tank(s);
    if (s->is_turned)
        s->input += 4 * s->budget;
}

static void print_scene(Scene* s, long seed)
{
    static const char* const NAMES[] = {"fluids", "solids", "joints", "ragdolls", "chains", "events", "drains"};
    printf("{\n  \"name\": \"random scene %ld\",\n  \"dimension\": %d,\n  \"gravity\": %s,\n  \"particle_radius\": %.9g,\n", seed,
           s->dimension, vec(s, 0, -s->gravity, 0), s->d / 2);
    printf("  \"duration\": %.9g,\n  \"frame_rate\": %.9g,\n  \"solver\": {\"method\": \"%s\"},\n", s->duration, 8 / s->duration,
           s->method);
    if (!is_akinci(s))
        printf("  \"coupling\": {\"method\": \"%s\"},\n", s->coupling);
    if (s->has_foam)
        printf("  \"foam\": {\"amount\": 1},\n");
    for (int k = 0; k < 7; k++)
        if (s->size[k])
            printf("  \"%s\": [\n    %s\n  ],\n", NAMES[k], s->text[k]);
    printf("  \"output\": {\"particles\": \"none\", \"solids\": \"none\", \"checkpoint_every\": 1}\n}\n");
}

int main(int count, char** argument)
{
    bool budget = false;
    double tank = 0;
    int at = 1;
    for (; at < count - 1; at++) {
        if (strcmp(argument[at], "--budget") == 0)
            budget = true;
        else if (strcmp(argument[at], "--size") == 0)
            tank = strtod(argument[++at], NULL);
        else
            break;
    }
    if (at != count - 1) {
        fprintf(stderr, "usage: random_scene [--budget] [--size METRES] SEED\n");
        return 2;
    }
    long seed = strtol(argument[at], NULL, 10);
    Scene scene = {.random = {random_mix((uint64_t)seed)}, .kinds = {random_mix((uint64_t)seed + 1000)}, .tank = tank}, *s = &scene;
    FILE** const list[] = {&s->fluids, &s->solids, &s->joints, &s->ragdolls, &s->chains, &s->events, &s->drains};
    for (int k = 0; k < 7; k++)
        *list[k] = open_memstream(&s->text[k], &s->size[k]);
    choose_size(s);
    choose_kinds(s);
    fill(s);
    for (int k = 0; k < 7; k++)
        fclose(*list[k]);
    if (budget)
        printf("%.9g %.9g\n", s->budget, s->input);
    else
        print_scene(s, seed);
    for (int k = 0; k < 7; k++)
        free(s->text[k]);
    return 0;
}
