// SPDX-License-Identifier: MIT
// Froude-scales a scene: lengths by s, times by sqrt(s), so that accelerations and densities stay as they are.
//
//   scale_scene FACTOR < scene.json > scaled.json
//
// Reads a scene as a run folder keeps it, with every default filled in and templates resolved. A number is scaled by its unit,
// which follows from its key; meshes, which have no numbers here, by the "scale" of their solid.
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32, LONGEST = 64 };

typedef struct Unit {
    const char* key; // its end, and that of the keys around it: "a.b"
    double power;    // of s
} Unit;

// The first that fits counts.
static const Unit UNIT[] = {
    {"view", 0},
    {"oscillation.amplitude", 1},
    {"speed.amplitude", 0.5},
    {"foam.kinetic_energy", 1},
    {"particle_radius", 1},
    {"support_radius", 1},
    {"cell_size", 1},
    {"rest_distance", 1},
    {"min", 1},
    {"max", 1},
    {"position", 1},
    {"centre", 1},
    {"point", 1},
    {"radius", 1},
    {"size", 1},
    {"depth", 1},
    {"level", 1},
    {"thickness", 1},
    {"resolution", 1},
    {"young", 1},
    {"yield", 1},
    {"strength", 1},
    {"stiffness", 1},
    {"pressure", 1},
    {"boundary_viscosity", 1.5},
    {"duration", 0.5},
    {"time", 0.5},
    {"start", 0.5},
    {"end", 0.5},
    {"lifetime", 0.5},
    {"time_step", 0.5},
    {"min_time_step", 0.5},
    {"max_time_step", 0.5},
    {"solids.damping", 0.5},
    {"velocity", 0.5},
    {"surface_velocity", 0.5},
    {"speed", 0.5},
    {"mean", 0.5},
    {"speed_of_sound", 0.5},
    {"trapped_air", 0.5},
    {"angular_velocity", -0.5},
    {"frame_rate", -0.5},
    {"frequency", -0.5},
    {"drag", -0.5},
    {"air_drag", -0.5},
    {"creep", -0.5},
    {"trapped_air_rate", -0.5},
    {"wave_crest_rate", -0.5},
    {"sigma", 2},
    {"mass", 3},
    {"force", 3},
    {"break_force", 3},
    {"inertia", 5},
    {"centre_of_mass", 1},
};

typedef struct Reader {
    char key[DEEPEST][LONGEST];
    bool slides[DEEPEST]; // the object is a joint that slides
    bool flows[DEEPEST];  // the object is a fluid whose viscosity has a unit
    bool meshes[DEEPEST]; // the object has a shape that is a mesh
    int depth;
    double factor;
} Reader;

// Whether a path of keys ends like `end`, or begins with it if that is a section.
static bool fits(const Reader* r, const char* end)
{
    const char* dot = strchr(end, '.');
    const char* last = dot ? dot + 1 : end;
    int at = r->depth;
    while (at > 0 && !r->key[at][0])
        at--; // in a list
    if (strcmp(end, "view") == 0)
        return strcmp(r->key[1], end) == 0 && r->depth > 1;
    if (strcmp(r->key[at], last) != 0)
        return false;
    for (int k = at - 1; dot && k >= 0; k--)
        if (r->key[k][0])
            return strlen(r->key[k]) == (size_t)(dot - end) && strncmp(r->key[k], end, (size_t)(dot - end)) == 0;
    return !dot;
}

// What a joint's numbers are depends on whether it turns or slides.
static double power_of(const Reader* r)
{
    bool slides = false, flows = false;
    for (int k = 0; k <= r->depth; k++) {
        slides |= r->slides[k];
        flows |= r->flows[k];
    }
    if (fits(r, "scale"))
        return r->meshes[r->depth - 1] ? 1 : 0; // a list in the object
    for (int k = 1; k < r->depth; k++)
        if (strcmp(r->key[k], "shape") == 0)
            return fits(r, "cells") ? 0 : 1;
    if (fits(r, "viscosity"))
        return flows ? 1.5 : 0;
    if (fits(r, "motor_strength"))
        return slides ? 3 : 4;
    if (fits(r, "joints.damping"))
        return slides ? 2.5 : 4.5;
    if (fits(r, "motor_speed"))
        return slides ? 0.5 : -0.5;
    if (fits(r, "limits") || fits(r, "drive.position"))
        return slides ? 1 : 0;
    for (size_t k = 0; k < sizeof UNIT / sizeof *UNIT; k++)
        if (fits(r, UNIT[k].key))
            return UNIT[k].power;
    return 0;
}

static const char* take_string(Reader* r, const char* at)
{
    const char* end = at + 1;
    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    const char* after = *end ? end + 1 : end;
    fwrite(at, 1, (size_t)(after - at), stdout);
    while (isspace((unsigned char)*after))
        after++;
    int length = (int)(end - at - 1);
    if (*after == ':') {
        snprintf(r->key[r->depth], LONGEST, "%.*s", length, at + 1);
        if (strcmp(r->key[r->depth], "mesh") == 0 && r->depth > 0)
            r->meshes[r->depth - 1] = true;
    } else {
        r->slides[r->depth] |= length == 6 && strncmp(at + 1, "slider", 6) == 0;
        r->flows[r->depth] |= length == 7 && strncmp(at + 1, "laplace", 7) == 0;
    }
    return *end ? end + 1 : end;
}

static const char* take(Reader* r, const char* at)
{
    if (*at == '"')
        return take_string(r, at);
    if (isdigit((unsigned char)*at) || *at == '-') {
        char* end;
        double value = strtod(at, &end), power = power_of(r);
        if (end > at) {
            if (power == 0)
                fwrite(at, 1, (size_t)(end - at), stdout);
            else
                printf("%.17g", value * pow(r->factor, power));
            return end;
        }
    }
    if ((*at == '{' || *at == '[') && r->depth < DEEPEST - 1) {
        r->depth++;
        r->key[r->depth][0] = 0;
        r->slides[r->depth] = r->flows[r->depth] = r->meshes[r->depth] = false;
    }
    if ((*at == '}' || *at == ']') && r->depth > 0)
        r->depth--;
    putchar(*at);
    return at + 1;
}

int main(int count, char** argument)
{
    Reader reader = {.factor = count == 2 ? strtod(argument[1], NULL) : 0};
    char* text = NULL;
    size_t size = 0;
    if (!(reader.factor > 0) || getdelim(&text, &size, 0, stdin) < 0) {
        fprintf(stderr, "usage: scale_scene FACTOR < scene.json\n");
        free(text);
        return 2;
    }
    for (const char* at = text; *at;)
        at = take(&reader, at);
    free(text);
    return 0;
}
