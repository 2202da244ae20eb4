// SPDX-License-Identifier: MIT
// Fluids of SPlisHSPlasH: materials, blocks, models and emitters, which belong together by their id.
#include "scene/foreign/splishsplash_parts.h"

#include "fluid/tension/cohesion.h"
#include "fluid/tension/tension.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 512, MOST_FLUIDS = 8 };

typedef struct Method {
    const char* space; // namespace that holds its parameters
    int number;        // of viscosityMethod, surfaceTensionMethod, ...
} Method;

enum { NO_VISCOSITY, STANDARD, XSPH, BENDER, PEER_2015, PEER_2016, TAKAHASHI, WEILER };
static const Method viscosities[] = {
    {"Standard viscosity", STANDARD},     {"Standard", STANDARD},          {"Bender and Koschier 2017", BENDER},
    {"Peer et al. 2015", PEER_2015},      {"Peer et al. 2016", PEER_2016}, {"Takahashi et al. 2015 (improved)", TAKAHASHI},
    {"Takahashi et al. 2015", TAKAHASHI}, {"Weiler et al. 2018", WEILER},  {NULL, 0}};
enum { NO_TENSION, BECKER, AKINCI, HE, ZORILLA, JESKE };
static const Method tensions[] = {{"Becker & Teschner 2007", BECKER},        {"Akinci et al. 2013", AKINCI}, {"He et al. 2014", HE},
                                  {"Zorilla, Ritter, et al. 2020", ZORILLA}, {"Jeske et al. 2023", JESKE},   {NULL, 0}};
static const Method elasticities[] = {
    {"Becker et al. 2009", 1}, {"Peer et al. 2018", 2}, {"Kugelstadt et al. 2021", 3}, {"Kee et al. 2023", 4}, {NULL, 0}};

// --- materials

// Old files say in Configuration what holds for every fluid.
static const SplishObject* home_of(const SplishObject* material, const SplishObject* configuration, const char* key)
{
    return material->json && splish_has(material, key) ? material : configuration;
}

// Which of several methods a material names. The numbers differ between versions, the namespaces' names do not: where the file has
// exactly one of them, it counts. Its parameters then stand in the material itself.
static int open_method(Splish* s, const SplishObject* material, const SplishObject* configuration, const char* key,
                       const Method* methods)
{
    const SplishObject* home = home_of(material, configuration, key);
    bool said = splish_has(home, key);
    int number = (int)splish_number(s, home, key, 0), found = 0;
    const Method* named = NULL;
    for (const Method* m = methods; m->space; m++)
        if (material->json && json_is_object(json_object_get(material->json, m->space))) {
            named = !named || m->number == number ? m : named;
            found++;
        }
    if (named && (number > 0 || !said)) {
        if (said && found == 1 && named->number != number)
            splish_note(s, material, key, "%d, but there are parameters of \"%s\": that is taken", number, named->space);
        json_object_update_missing(material->json, json_object_get(material->json, named->space));
        number = found == 1 || named->number == number ? named->number : number;
    }
    for (const Method* m = methods; m->space && material->json; m++)
        if (m == named)
            splish_drop(material, m->space);
        else
            splish_ignore_one(s, material, OF_OTHER_METHODS, m->space);
    return number;
}

static void put_viscosity(json_t* fluid, const char* method, double value)
{
    splish_put(fluid, "viscosity_method", json_string(method));
    splish_put(fluid, "viscosity", json_real(value));
}

// The filter of velocities that new versions have beside a viscosity, in a namespace of its own or flat.
static double read_filter(Splish* s, const SplishObject* m, const SplishObject* c)
{
    json_t* space = m->json ? json_object_get(m->json, "XSPH") : NULL;
    if (json_is_object(space)) {
        json_object_update_missing(m->json, space);
        splish_drop(m, "XSPH");
    }
    if (splish_number(s, home_of(m, c, "xsphBoundary"), "xsphBoundary", 0) > 0)
        splish_note(s, m->json ? m : c, "xsphBoundary", "the filter acts between particles of fluid alone");
    return splish_number(s, home_of(m, c, "xsph"), "xsph", 0);
}

static void read_viscosity(Splish* s, const SplishObject* m, const SplishObject* c, json_t* fluid, double density)
{
    bool said = splish_has(home_of(m, c, "viscosityMethod"), "viscosityMethod");
    int method = open_method(s, m, c, "viscosityMethod", viscosities);
    const SplishObject* home = home_of(m, c, "viscosity");
    double filter = read_filter(s, m, c);
    double nu = splish_number(s, home, "viscosity", 0.01),
           at_walls = splish_number(s, home_of(m, c, "viscosityBoundary"), "viscosityBoundary", 0);
    if (!said && method == NO_VISCOSITY)
        method = STANDARD;
    if (filter > 0 && (method == NO_VISCOSITY || nu == 0)) {
        nu = filter;
        method = XSPH;
    } else if (filter > 0) {
        splish_note(s, m->json ? m : c, "xsph", "%g is left out beside another viscosity: a fluid has one here", filter);
    }
    switch (method) {
    case NO_VISCOSITY:
        put_viscosity(fluid, "laplace", 0);
        break;
    case STANDARD:
    case WEILER:
        // their coefficient is a kinematic viscosity
        put_viscosity(fluid, "laplace", nu * density);
        if (s->wall_viscosity >= 0 && nu > 0 && at_walls / nu != s->wall_viscosity)
            splish_note(s, home, "viscosityBoundary", "%g: fluids drag at walls alike here, as the one with the largest share",
                        at_walls);
        s->wall_viscosity = fmax(s->wall_viscosity, nu > 0 ? at_walls / nu : 0);
        break;
    case XSPH:
        put_viscosity(fluid, "xsph", fmin(fmax(nu, 0), 1));
        break;
    case TAKAHASHI:
        put_viscosity(fluid, "laplace", fmax(nu, 0));
        splish_note(s, home, "viscosity", "read as Takahashi's coefficient in Pa s");
        s->wall_viscosity = fmax(s->wall_viscosity, 1);
        break;
    default:
        put_viscosity(fluid, "laplace", 10);
        splish_note(s, home, "viscosity", "%g is a coefficient without unit; 10 Pa s, like honey, instead", nu);
        s->wall_viscosity = fmax(s->wall_viscosity, 1);
    }
}

// There a_i = -k sum_j m_j / m_i W(|x_ij|) x_ij; here the same with a strength that a flat surface makes comparable (becker.c).
static double becker_gamma(const Splish* s, double k)
{
    const char* name = json_string_value(json_object_get(s->scene, "kernel"));
    mn_Kernel type = MN_KERNEL_CUBIC;
    static const char* const names[] = {"wendland", "poly6", "spiky"};
    static const mn_Kernel types[] = {MN_KERNEL_WENDLAND, MN_KERNEL_POLY6, MN_KERNEL_SPIKY};
    for (int n = 0; n < 3 && name; n++)
        type = strcmp(name, names[n]) ? type : types[n];
    int dimension = s->flat ? 2 : 3;
    double h = 4 * s->radius, share = pow(0.5, dimension); // (2 r / h)^d
    Kernel kernel = kernel_create(type, dimension, h);
    return k * (double)kernel.norm * h / (TENSION_DENSITY * share * cohesion_scale(cohesion8_becker, type, dimension));
}

static void read_tension(Splish* s, const SplishObject* m, const SplishObject* c, json_t* fluid)
{
    int method = open_method(s, m, c, "surfaceTensionMethod", tensions);
    double gamma = splish_number(s, home_of(m, c, "surfaceTension"), "surfaceTension", 0.05);
    double beta = splish_number(s, home_of(m, c, "surfaceTensionBoundary"), "surfaceTensionBoundary", 0.01);
    if (method == NO_TENSION) {
        splish_put(fluid, "surface_tension", json_real(0)); // fluids with emitters would have some here
        return;
    }
    json_t* tension = splish_section(fluid, "surface_tension");
    splish_put(tension, "method", json_string("akinci"));
    if (method == AKINCI) {
        splish_put(tension, "gamma", json_real(fmax(gamma, 0)));
        s->wall_adhesion = fmax(s->wall_adhesion, beta);
        return;
    }
    if (method == BECKER) {
        splish_put(tension, "method", json_string("becker"));
        splish_put(tension, "gamma", json_real(fmax(becker_gamma(s, gamma), 0)));
        return;
    }
    splish_put(tension, "gamma", json_real(1));
    const char* name = "a method that is not known";
    for (const Method* t = tensions; t->space; t++)
        name = t->number == method ? t->space : name;
    splish_note(s, m->json ? m : c, "surfaceTensionMethod", "%d (%s) has no counterpart; akinci with gamma 1 instead of %g", method,
                name, gamma);
}

static void read_emitter_limits(Splish* s, const SplishObject* m, const SplishObject* c, json_t* fluid)
{
    bool limited = splish_has(home_of(m, c, "maxEmitterParticles"), "maxEmitterParticles");
    double most = splish_number(s, home_of(m, c, "maxEmitterParticles"), "maxEmitterParticles", 10000);
    bool reuse = splish_bool(s, home_of(m, c, "emitterReuseParticles"), "emitterReuseParticles", false);
    size_t count = json_array_size(json_object_get(fluid, "emitters"));
    static const char* const box[] = {"emitterBoxMin", "emitterBoxMax", NULL};
    if (!reuse || !count)
        splish_ignore(s, m->json ? m : c, "of emitters that do not take particles back", box);
    Vec3d low = splish_vector(s, home_of(m, c, "emitterBoxMin"), "emitterBoxMin", vec3d(-1, -1, -1));
    Vec3d high = splish_vector(s, home_of(m, c, "emitterBoxMax"), "emitterBoxMax", vec3d(1, 1, 1));
    if (!count)
        return;
    if (!reuse) {
        double share = floor(most / (double)count);
        for (size_t k = 0; k < count; k++)
            splish_put(json_array_get(json_object_get(fluid, "emitters"), k), "limit", json_integer((json_int_t)fmin(share, 2e9)));
        return;
    }
    if (limited)
        splish_note(s, m->json ? m : c, "maxEmitterParticles",
                    "%g at a time there; here the emitters go on, and drains take what leaves the box", most);
    // particles that leave the box go back to the emitters: six drains around it
    const double far = 1e6;
    for (int axis = 0; axis < (s->flat ? 2 : 3); axis++)
        for (int side = 0; side < 2; side++) {
            double a[3] = {-far, -far, -far}, b[3] = {far, far, far};
            const double lo[3] = {low.x, low.y, low.z}, hi[3] = {high.x, high.y, high.z};
            *(side ? &a[axis] : &b[axis]) = side ? hi[axis] : lo[axis];
            json_t* drain = json_object();
            splish_put(drain, "min", splish_point(s, vec3d(a[0], a[1], a[2])));
            splish_put(drain, "max", splish_point(s, vec3d(b[0], b[1], b[2])));
            splish_append(s->scene, "drains", drain);
        }
}

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
    json_t* method = set->material[k].json ? json_object_get(set->material[k].json, "elasticityMethod") : NULL;
    set->elastic[k] = json_number_value(method) > 0;
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

// --- elastic materials are solids here

// Whether a box around `position` and another one have nothing in common; not known of meshes.
static bool is_apart(const json_t* shape, Vec3d position, Vec3d low, Vec3d high)
{
    const json_t* box = json_object_get(shape, "box");
    double half[3] = {0};
    for (size_t a = 0; a < 3; a++)
        half[a] = box ? 0.5 * json_number_value(json_array_get(box, a)) : (double)INFINITY;
    return position.x + half[0] < low.x || position.x - half[0] > high.x || position.y + half[1] < low.y ||
           position.y - half[1] > high.y || position.z + half[2] < low.z || position.z - half[2] > high.z;
}

static void add_elastic(Splish* s, FluidSet* set, int f, const SplishObject* object, json_t* shape, Vec3d position, Quat rotation)
{
    const SplishObject* m = &set->material[f];
    // several objects may share a material, so its values stay in it
    json_t* copy = json_deep_copy(m->json);
    SplishObject own = {.json = copy};
    memcpy(own.name, m->name, sizeof own.name);
    SplishObject none = {.json = s->configuration, .name = "Configuration"};
    open_method(s, &own, &none, "elasticityMethod", elasticities);
    json_t* solid = json_object();
    char name[80];
    snprintf(name, sizeof name, "%.56s%zu", set->name[f], json_array_size(json_object_get(s->scene, "solids")));
    splish_put(solid, "name", json_string(splish_clean_name(name)));
    splish_put(solid, "type", json_string("elastic"));
    splish_put(solid, "shape", shape);
    splish_put(solid, "position", splish_point(s, position));
    splish_put(solid, "rotation", splish_quat(s, rotation));
    splish_put(solid, "model", json_string("fem"));
    splish_put(solid, "density", json_real(splish_number(s, &own, "density0", 1000)));
    splish_put(solid, "young", json_real(splish_number(s, &own, "youngsModulus", 100000)));
    splish_put(solid, "poisson", json_real(fmin(splish_number(s, &own, "poissonsRatio", 0.3), 0.49)));
    Vec3d velocity = splish_vector(s, object, "initialVelocity", vec3d(0, 0, 0));
    splish_put(solid, "velocity", splish_point(s, velocity));
    Vec3d low = splish_vector(s, &own, "fixedBoxMin", vec3d(0, 0, 0)), high = splish_vector(s, &own, "fixedBoxMax", vec3d(0, 0, 0));
    if (vec3d_distance(low, high) > 0 && is_apart(shape, position, low, high))
        splish_note(s, object, NULL, "the fixed box of its material holds nothing of it; no pins");
    else if (vec3d_distance(low, high) > 0) {
        json_t* pin = json_object();
        splish_put(pin, "min", splish_point(s, low));
        splish_put(pin, "max", splish_point(s, high));
        splish_append(solid, "pins", pin);
    }
    splish_append(s->scene, "solids", solid);
    splish_note(s, object, NULL, "a fluid with elasticity is the elastic solid \"%s\" here, of finite elements", name);
    json_decref(copy);
}

// --- where fluid starts and enters

static void read_block(Splish* s, FluidSet* set, const SplishObject* b)
{
    int f = fluid_of(s, set, b);
    Vec3d start = splish_vector(s, b, "start", vec3d(0, 0, 0)), end = splish_vector(s, b, "end", vec3d(0, 0, 0));
    Vec3d shift = splish_vector(s, b, "translation", vec3d(0, 0, 0)), scale = splish_vector(s, b, "scale", vec3d(1, 1, 1));
    note_packing(s, b);
    splish_ignore_one(s, b, OF_ITS_WINDOW, "visMesh");
    Vec3d p = vec3d(start.x * scale.x + shift.x, start.y * scale.y + shift.y, start.z * scale.z + shift.z);
    Vec3d q = vec3d(end.x * scale.x + shift.x, end.y * scale.y + shift.y, end.z * scale.z + shift.z);
    Vec3d low = vec3d(fmin(p.x, q.x), fmin(p.y, q.y), fmin(p.z, q.z)), high = vec3d(fmax(p.x, q.x), fmax(p.y, q.y), fmax(p.z, q.z));
    bool empty = !(low.x < high.x && low.y < high.y && (s->flat || low.z < high.z));
    if (empty)
        splish_note(s, b, NULL, "has no volume; left out");
    if (f < 0 || empty)
        return;
    if (set->elastic[f] && !s->flat) {
        Vec3d size = vec3d_sub(high, low);
        add_elastic(s, set, f, b, json_pack("{s: [f, f, f]}", "box", size.x, size.y, size.z),
                    vec3d_scale(vec3d_add(low, high), 0.5), quat_identity());
        return;
    }
    grow_bounds(s, low, high);
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
    if (f >= 0 && set->elastic[f] && (is_mesh || vis[0]) && !s->flat) {
        Vec3d middle;
        bool closed;
        json_t* shape = splish_shape(s, b, is_mesh ? file : vis, scale, &middle, &closed);
        if (shape)
            add_elastic(s, set, f, b, shape, vec3d_add(position, quat_rotate(rotation, middle)), rotation);
        return;
    }
    if (f < 0 || (is_mesh && s->flat)) {
        if (f >= 0)
            splish_note(s, b, "particleFile", "%s: meshes are filled in 3D only; left out", file);
        return;
    }
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
    Quat rotation = splish_rotation(s, b);
    splish_put(emitter, "type", json_string(disc ? "disc" : "box"));
    splish_put(emitter, "position", splish_point(s, splish_vector(s, b, "translation", vec3d(0, 0, 0))));
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
    splish_ignore(s, b, OF_ITS_METHODS, ignored);
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

static const char* const material_ignored[] = {"colorField", "colorMapType", "renderMinValue", "renderMaxValue", "visible", NULL};
// Parameters of methods that are not chosen, or of solvers that have others here.
static const char* const method_parameters[] = {"viscoMaxIter",
                                                "viscoMaxError",
                                                "viscoMaxIterOmega",
                                                "viscoMaxErrorOmega",
                                                "elasticityMaxIter",
                                                "elasticityMaxError",
                                                "surfaceTensionMaxIter",
                                                "surfaceTensionMaxError",
                                                "surfaceTensionMode",
                                                "surfaceTensionViscosity",
                                                "surfaceTensionViscosityBoundary",
                                                "vorticity",
                                                "viscosityOmega",
                                                "inertiaInverse",
                                                "drag",
                                                "alpha",
                                                "youngsModulus",
                                                "poissonsRatio",
                                                "fixedBoxMin",
                                                "fixedBoxMax",
                                                "elasticityMethod",
                                                NULL};

static const char* const elastic_parameters[] = {"youngsModulus", "poissonsRatio",    "fixedBoxMin",
                                                 "fixedBoxMax",   "elasticityMethod", NULL};

static void note_left_out_forces(Splish* s, const SplishObject* m)
{
    static const char* const keys[] = {"vorticityMethod", "dragMethod"};
    for (size_t k = 0; k < 2; k++) {
        const char* key = keys[k];
        int method = (int)splish_number(s, m, key, 0);
        if (method > 0)
            splish_note(s, m, key, "%d has no counterpart; left out", method);
    }
    for (const Method* e = elasticities; e->space; e++)
        splish_drop(m, e->space);
    splish_drop(m, "id");
}

static void read_material(Splish* s, FluidSet* set, size_t f)
{
    const SplishObject c = {.json = s->configuration, .name = "Configuration"};
    SplishObject* m = &set->material[f];
    json_t* fluid = set->fluid[f];
    double density = splish_number(s, home_of(m, &c, "density0"), "density0", 1000);
    splish_put(fluid, "density", json_real(density));
    read_viscosity(s, m, &c, fluid, density);
    read_tension(s, m, &c, fluid);
    read_emitter_limits(s, m, &c, fluid);
}

void splish_fluids(Splish* s)
{
    FluidSet set = {.count = 0};
    each(s, &set, "FluidBlocks", read_block);
    each(s, &set, "FluidModels", read_model);
    each(s, &set, "Emitters", read_emitter);
    for (size_t f = 0; f < set.count; f++) {
        read_material(s, &set, f);
        json_t* fluid = set.fluid[f];
        if (json_object_get(fluid, "blocks") || json_object_get(fluid, "meshes") || json_object_get(fluid, "particles") ||
            json_object_get(fluid, "emitters"))
            splish_append(s->scene, "fluids", fluid);
        else
            json_decref(fluid);
    }
    const SplishObject c = {.json = s->configuration, .name = "Configuration"};
    for (size_t k = 0; k < splish_list(s, "Materials"); k++) {
        SplishObject m = splish_item(s, "Materials", k);
        if (!m.json)
            continue;
        if (json_number_value(json_object_get(m.json, "elasticityMethod")) > 0) // read with each of its solids
            for (size_t e = 0; elastic_parameters[e]; e++)
                splish_drop(&m, elastic_parameters[e]);
        note_left_out_forces(s, &m);
        splish_ignore(s, &m, OF_ITS_WINDOW, material_ignored);
        splish_ignore(s, &m, OF_OTHER_METHODS, method_parameters);
    }
    static const char* const read_for_fluids[] = {"density0",
                                                  "viscosity",
                                                  "viscosityMethod",
                                                  "viscosityBoundary",
                                                  "surfaceTension",
                                                  "surfaceTensionMethod",
                                                  "surfaceTensionBoundary",
                                                  "maxEmitterParticles",
                                                  "emitterReuseParticles",
                                                  "emitterBoxMin",
                                                  "emitterBoxMax",
                                                  "colorMapType",
                                                  NULL};
    splish_ignore(s, &c, "of fluids that are not there", read_for_fluids); // those with a fluid were read
    splish_ignore(s, &c, OF_OTHER_METHODS, method_parameters);
}
