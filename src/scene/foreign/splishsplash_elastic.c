// SPDX-License-Identifier: MIT
// Fluids with elasticity of SPlisHSPlasH, which are elastic solids here.
#include "scene/foreign/splishsplash_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const SplishMethod elasticities[] = {
    {"Becker et al. 2009", 1}, {"Peer et al. 2018", 2}, {"Kugelstadt et al. 2021", 3}, {"Kee et al. 2023", 4}, {NULL, 0}};

static const char* const parameters[] = {"youngsModulus", "poissonsRatio", "fixedBoxMin",      "fixedBoxMax",
                                         "fixedBox2Min",  "fixedBox2Max",  "elasticityMethod", NULL};
// Of the solvers of these methods.
static const char* const of_solver[] = {"alpha", "maxNeighbors", "elasticityMaxIter", "elasticityMaxError", "massDamping", NULL};

bool splish_is_elastic(Splish* s, const SplishObject* material)
{
    const SplishObject c = {.json = s->configuration, .name = "Configuration"};
    const SplishObject* home = splish_home(material, &c, "elasticityMethod");
    return json_number_value(json_object_get(home->json, "elasticityMethod")) > 0;
}

void splish_elastic_done(Splish* s, const SplishObject* material)
{
    bool elastic = json_number_value(json_object_get(material->json, "elasticityMethod")) > 0;
    for (size_t k = 0; elastic && parameters[k]; k++) // read with each of its solids
        splish_drop(material, parameters[k]);
    for (const SplishMethod* e = elasticities; e->space; e++)
        splish_drop(material, e->space);
    splish_ignore(s, material, OF_OTHER_METHODS, parameters);
    splish_ignore(s, material, elastic ? OF_ITS_METHODS : OF_OTHER_METHODS, of_solver);
}

static bool is_apart(Box3d a, Vec3d low, Vec3d high)
{
    return a.max.x < low.x || a.min.x > high.x || a.max.y < low.y || a.min.y > high.y || a.max.z < low.z || a.min.z > high.z;
}

static void read_pin(Splish* s, const SplishObject* material, const SplishObject* object, json_t* solid, Box3d reach,
                     const char* min_key, const char* max_key)
{
    Vec3d low = splish_vector(s, material, min_key, vec3d(0, 0, 0)), high = splish_vector(s, material, max_key, vec3d(0, 0, 0));
    if (!(vec3d_distance(low, high) > 0))
        return;
    if (is_apart(reach, low, high)) {
        splish_note(s, object, NULL, "the fixed box of its material (%s) holds nothing of it; no pins", min_key);
        return;
    }
    json_t* pin = json_object();
    splish_put(pin, "min", splish_point(s, low));
    splish_put(pin, "max", splish_point(s, high));
    splish_append(solid, "pins", pin);
}

void splish_add_elastic(Splish* s, const SplishObject* material, const char* fluid, const SplishObject* object, json_t* shape,
                        const Placement* at)
{
    // several objects may share a material, so its values stay in it
    json_t* copy = material->json ? json_deep_copy(material->json) : json_object();
    for (size_t k = 0; parameters[k]; k++) // old files have them in Configuration
        if (!json_object_get(copy, parameters[k]))
            json_object_set(copy, parameters[k], json_object_get(s->configuration, parameters[k]));
    SplishObject own = {.json = copy};
    memcpy(own.name, material->name, sizeof own.name);
    SplishObject none = {.json = s->configuration, .name = "Configuration"};
    splish_method(s, &own, &none, "elasticityMethod", elasticities);
    json_t* solid = json_object();
    char name[80];
    snprintf(name, sizeof name, "%.56s%zu", fluid, json_array_size(json_object_get(s->scene, "solids")));
    splish_put(solid, "name", json_string(splish_clean_name(name)));
    splish_put(solid, "type", json_string("elastic"));
    splish_put(solid, "shape", shape);
    splish_put(solid, "position", splish_point(s, at->position));
    splish_put(solid, "rotation", splish_quat(s, at->rotation));
    if (vec3d_distance(at->scale, vec3d(1, 1, 1)) > 0)
        splish_put(solid, "scale", splish_point(s, at->scale));
    splish_put(solid, "model", json_string("fem"));
    splish_put(solid, "density", json_real(splish_number(s, &own, "density0", 1000)));
    splish_put(solid, "young", json_real(splish_number(s, &own, "youngsModulus", 100000)));
    splish_put(solid, "poisson", json_real(fmin(splish_number(s, &own, "poissonsRatio", 0.3), 0.49)));
    Vec3d velocity = splish_vector(s, object, "initialVelocity", vec3d(0, 0, 0));
    splish_put(solid, "velocity", splish_point(s, velocity));
    read_pin(s, &own, object, solid, at->reach, "fixedBoxMin", "fixedBoxMax");
    read_pin(s, &own, object, solid, at->reach, "fixedBox2Min", "fixedBox2Max");
    splish_append(s->scene, "solids", solid);
    splish_note(s, object, NULL, "a fluid with elasticity is the elastic solid \"%s\" here, of finite elements", name);
    json_decref(copy);
}
