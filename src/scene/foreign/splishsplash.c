// SPDX-License-Identifier: MIT
// Scenes of SPlisHSPlasH: reading values, what is said of the whole, and what was not understood.
#include "scene/foreign/splishsplash_parts.h"

#include "base/error.h"
#include "scene/foreign/pretty.h"
#include "scene/json_memory.h"
#include "scene/read.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- notes

void splish_note(Splish* s, const SplishObject* object, const char* key, const char* format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    make_printable(text);
    page_add(&s->notes, "%s%s%s: %s\n", object->name, key ? "." : "", key ? key : "", text);
    s->note_count++;
}

static void note_value(Splish* s, const SplishObject* object, const char* key, json_t* value, const char* what)
{
    char text[96];
    splish_note(s, object, key, "%s %s", value_text(value, text, sizeof text), what);
}

// --- reading values

bool splish_has(const SplishObject* object, const char* key)
{
    return json_object_get(object->json, key) != NULL;
}

void splish_drop(const SplishObject* object, const char* key)
{
    json_object_del(object->json, key);
}

void splish_ignore_one(Splish* s, const SplishObject* object, const char* why, const char* key)
{
    if (splish_has(object, key))
        splish_put(splish_section(s->idle, why), key, json_true());
    splish_drop(object, key);
}

void splish_ignore(Splish* s, const SplishObject* object, const char* why, const char* const* keys)
{
    for (; *keys; keys++)
        splish_ignore_one(s, object, why, *keys);
}

double splish_number(Splish* s, const SplishObject* object, const char* key, double or_else)
{
    json_t* value = json_object_get(object->json, key);
    double number = or_else;
    if (json_is_number(value))
        number = json_number_value(value);
    else if (json_is_boolean(value))
        number = json_is_true(value);
    else if (value)
        note_value(s, object, key, value, "is not a number; left out");
    splish_drop(object, key);
    return number;
}

bool splish_bool(Splish* s, const SplishObject* object, const char* key, bool or_else)
{
    return splish_number(s, object, key, or_else) != 0;
}

Vec3d splish_vector(Splish* s, const SplishObject* object, const char* key, Vec3d or_else)
{
    json_t* value = json_object_get(object->json, key);
    double number[3];
    bool ok = json_is_array(value) && json_array_size(value) >= 3;
    for (size_t k = 0; ok && k < 3; k++) {
        ok = json_is_number(json_array_get(value, k));
        number[k] = json_number_value(json_array_get(value, k));
    }
    if (value && !ok)
        note_value(s, object, key, value, "is not a vector; left out");
    splish_drop(object, key);
    return ok ? vec3d(number[0], number[1], number[2]) : or_else;
}

const char* splish_text(Splish* s, const SplishObject* object, const char* key, char* buffer, size_t size)
{
    json_t* value = json_object_get(object->json, key);
    buffer[0] = 0;
    if (json_is_string(value))
        snprintf(buffer, size, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(buffer, size, "%lld", (long long)json_integer_value(value));
    else if (value)
        note_value(s, object, key, value, "is not a text; left out");
    splish_drop(object, key);
    return buffer;
}

Quat splish_rotation(Splish* s, const SplishObject* object)
{
    Vec3d axis = splish_vector(s, object, "rotationAxis", s->flat ? vec3d(0, 0, 1) : vec3d(1, 0, 0));
    double angle = splish_number(s, object, "rotationAngle", 0);
    if (!(vec3d_length(axis) > 0) || angle == 0)
        return quat_identity();
    axis = vec3d_scale(vec3d_normalise(axis), sin(angle / 2));
    return (Quat){cos(angle / 2), axis.x, axis.y, axis.z};
}

size_t splish_list(Splish* s, const char* list)
{
    json_t* array = json_object_get(s->root, list);
    SplishObject self = {s->root, ""};
    snprintf(self.name, sizeof self.name, "%s", list);
    if (array && !json_is_array(array)) {
        splish_note(s, &self, NULL, "is not a list; left out");
        json_object_del(s->root, list);
        return 0;
    }
    return json_array_size(array);
}

SplishObject splish_item(Splish* s, const char* list, size_t index)
{
    json_t* item = json_array_get(json_object_get(s->root, list), index);
    SplishObject object = {.json = item};
    snprintf(object.name, sizeof object.name, "%s.%zu", list, index);
    if (!json_is_object(item)) {
        splish_note(s, &object, NULL, "is not an object; left out");
        object.json = NULL;
    }
    return object;
}

// --- making values

json_t* splish_point(const Splish* s, Vec3d v)
{
    return s->flat ? json_pack("[f, f]", v.x, v.y) : json_pack("[f, f, f]", v.x, v.y, v.z);
}

json_t* splish_quat(const Splish* s, Quat q)
{
    if (s->flat)
        return json_pack("{s: f}", "angle", 2 * atan2(q.z, q.w) * 180 / M_PI);
    return json_pack("[f, f, f, f]", q.w, q.x, q.y, q.z);
}

void splish_put(json_t* object, const char* key, json_t* value)
{
    json_object_set_new(object, key, value);
}

json_t* splish_section(json_t* object, const char* key)
{
    if (!json_object_get(object, key))
        splish_put(object, key, json_object());
    return json_object_get(object, key);
}

void splish_append(json_t* object, const char* key, json_t* value)
{
    if (!json_object_get(object, key))
        splish_put(object, key, json_array());
    json_array_append_new(json_object_get(object, key), value);
}

// --- files

const char* splish_path(const Splish* s, const char* file, char* buffer, size_t size)
{
    if (file[0] == '/' || !s->foreign->folder[0])
        snprintf(buffer, size, "%s", file);
    else
        snprintf(buffer, size, "%s/%s", s->foreign->folder, file);
    return buffer;
}

// From one folder to a file, both absolute and without links.
static void relative_path(const char* folder, const char* file, char* buffer, size_t size)
{
    size_t same = 0; // bytes up to and including the last slash that both have
    for (size_t k = 0; file[k]; k++) {
        bool folder_ends = !folder[k] && file[k] == '/';
        if (folder_ends || (file[k] == '/' && folder[k] == '/'))
            same = k + 1;
        if (folder_ends || file[k] != folder[k])
            break;
    }
    size_t length = 0;
    buffer[0] = 0;
    if (strlen(folder) >= same) // what is left of the folder is left upwards
        for (const char* rest = folder + same; *rest && length + 3 < size; rest += strcspn(rest, "/"), rest += *rest == '/')
            length += (size_t)snprintf(buffer + length, size - length, "../");
    snprintf(buffer + length, size - length, "%s", file + same);
}

const char* splish_file(const Splish* s, const char* file, char* buffer, size_t size)
{
    char path[PATH_MAX], folder[PATH_MAX], real[PATH_MAX];
    if (file[0] != '/' && realpath(splish_path(s, file, path, sizeof path), real) && realpath(s->foreign->target, folder))
        relative_path(folder, real, buffer, size);
    else
        snprintf(buffer, size, "%s", file);
    return buffer;
}

char* splish_clean_name(char* name)
{
    for (char* c = name; *c; c++)
        if (strchr("/\\\",;:*?<>|", *c) || (unsigned char)*c < ' ')
            *c = '_';
    if (name[0] == '.' || name[0] == ' ')
        name[0] = '_';
    if (strlen(name) > 60)
        name[60] = 0;
    return name;
}

// --- what is said of the whole

// Solver's parameters stand in Configuration itself or in a namespace with the method's name. Those of other methods do not count.
static void open_namespaces(Splish* s, int method)
{
    static const char* const spaces[] = {"WCSPH", "PCISPH", "PBF", "IISPH", "DFSPH", "PF", "ICSPH", NULL};
    for (int k = 0; spaces[k]; k++) {
        json_t* space = json_object_get(s->configuration, spaces[k]);
        if (json_is_object(space) && k == method)
            json_object_update(s->configuration, space);
        else if (space)
            splish_put(splish_section(s->idle, OF_OTHER_METHODS), spaces[k], json_true());
        json_object_del(s->configuration, spaces[k]);
    }
}

static void read_solver(Splish* s, const SplishObject* c)
{
    static const char* const names[] = {"WCSPH", "PCISPH", "PBF", "IISPH", "DFSPH", "PF", "ICSPH"};
    static const char* const ours[] = {"sesph", "pcisph", NULL, "iisph", "dfsph", NULL, NULL};
    int method = (int)splish_number(s, c, "simulationMethod", 4);
    bool known = method >= 0 && method < 7 && ours[method];
    if (!known)
        splish_note(s, c, "simulationMethod", "%d (%s) has no counterpart; dfsph instead", method,
                    method >= 0 && method < 7 ? names[method] : "unknown");
    open_namespaces(s, method);
    json_t* solver = splish_section(s->scene, "solver");
    const char* chosen = known ? ours[method] : "dfsph";
    splish_put(solver, "method", json_string(chosen));
    // their errors are percent
    double error = splish_number(s, c, "maxError", 0.01), error_v = splish_number(s, c, "maxErrorV", 0.1);
    double most = splish_number(s, c, "maxIterations", 100), least = splish_number(s, c, "minIterations", 2);
    double exponent = splish_number(s, c, "exponent", 7), stiffness = splish_number(s, c, "stiffness", 50000);
    splish_ignore_one(s, c, OF_ITS_METHODS, "maxIterationsV");
    if (!splish_bool(s, c, "enableDivergenceSolver", true) && method == 4)
        splish_note(s, c, "enableDivergenceSolver", "false has no counterpart: dfsph always removes divergence");
    if (method != 0) {
        splish_put(solver, "max_density_error", json_real(fmin(fmax(error / 100, 1e-6), 0.1)));
        splish_put(solver, "max_iterations", json_integer((json_int_t)fmax(most, 1)));
        splish_put(solver, "min_iterations", json_integer((json_int_t)fmax(fmin(least, most), 1)));
    }
    if (method == 4)
        splish_put(solver, "max_divergence_error", json_real(fmin(fmax(error_v / 100, 1e-6), 0.1)));
    if (method == 0 && stiffness > 0) {
        // p = k ((rho/rho0)^n - 1) is the Tait equation with c^2 = k n / rho0
        exponent = fmin(fmax(exponent, 1), 7);
        splish_put(solver, "gamma", json_real(exponent));
        splish_put(solver, "speed_of_sound", json_real(sqrt(stiffness * exponent / 1000)));
    } else if (method == 0) {
        splish_note(s, c, "stiffness", "0 would be no pressure at all; the speed of sound is derived from the scene");
    }
}

static void read_time_steps(Splish* s, const SplishObject* c)
{
    json_t* solver = splish_section(s->scene, "solver");
    double factor = splish_number(s, c, "cflFactor", 0.5);
    double least = splish_number(s, c, "cflMinTimeStepSize", 0.0001), most = splish_number(s, c, "cflMaxTimeStepSize", 0.005);
    int kind = (int)splish_number(s, c, "cflMethod", 1);
    if (kind == 0) {
        splish_put(solver, "time_step", json_real(splish_number(s, c, "timeStepSize", 0.001)));
        return;
    }
    splish_ignore_one(s, c, OF_ITS_METHODS, "timeStepSize"); // of the first step alone
    splish_put(solver, "cfl", json_real(fmin(0.4 * factor, 1)));
    splish_put(solver, "min_time_step", json_real(fmin(least, most)));
    splish_put(solver, "max_time_step", json_real(most));
    if (kind == 2)
        splish_note(s, c, "cflMethod", "2 also shortens steps with many iterations; here speeds and forces alone decide");
}

static void read_kernel(Splish* s, const SplishObject* c)
{
    static const char* const kernels[] = {"cubic", "wendland", "poly6", "spiky", "cubic"};
    int kernel = (int)splish_number(s, c, "kernel", 4), gradient = (int)splish_number(s, c, "gradKernel", 4);
    if (kernel < 0 || kernel > 4) {
        splish_note(s, c, "kernel", "%d is unknown; cubic instead", kernel);
        kernel = 0;
    }
    if (gradient >= 0 && gradient <= 4 && strcmp(kernels[kernel], kernels[gradient]))
        splish_note(s, c, "gradKernel", "gradients are those of the kernel itself, %s", kernels[kernel]);
    if (strcmp(kernels[kernel], "cubic"))
        splish_put(s->scene, "kernel", json_string(kernels[kernel]));
}

static void read_output(Splish* s, const SplishObject* c)
{
    bool partio = splish_bool(s, c, "enablePartioExport", false), vtk = splish_bool(s, c, "enableVTKExport", false);
    if (partio && vtk)
        splish_note(s, c, "enableVTKExport", "a run has particles in one format, bgeo");
    if (partio || vtk)
        splish_put(splish_section(s->scene, "output"), "particles", json_string(partio ? "bgeo" : "vtk"));
    double rate = splish_number(s, c, "dataExportFPS", 25), stop = splish_number(s, c, "stopAt", -1);
    double pause = splish_number(s, c, "pauseAt", -1);
    splish_put(s->scene, "frame_rate", json_real(rate > 0 ? rate : 25));
    double duration = stop > 0 ? stop : pause > 0 ? pause : 5;
    if (stop > 0 && pause > 0)
        splish_note(s, c, "pauseAt", "runs do not pause; it ends at stopAt");
    if (stop <= 0)
        splish_note(s, c, "stopAt", "the scene does not end by itself; duration is %g s%s", duration,
                    pause > 0 ? ", as pauseAt says" : "");
    splish_put(s->scene, "duration", json_real(duration));
}

static void read_camera(Splish* s, const SplishObject* c)
{
    if (!splish_has(c, "cameraPosition"))
        return;
    Vec3d eye = splish_vector(s, c, "cameraPosition", vec3d(0, 3, 8));
    Vec3d target = splish_vector(s, c, "cameraLookat", vec3d(0, 0, 0));
    if (s->flat || !(vec3d_distance(eye, target) > 0))
        return; // pictures of the plane frame themselves
    json_t* camera = splish_section(splish_section(s->scene, "view"), "camera");
    splish_put(camera, "eye", splish_point(s, eye));
    splish_put(camera, "target", splish_point(s, target));
}

static void read_configuration(Splish* s)
{
    static const char* const window[] = {"pause",
                                         "numberOfStepsPerRenderUpdate",
                                         "cameraLookat",
                                         "renderAngularVelocities",
                                         "renderMaxValue",
                                         "renderMinValue",
                                         "renderMaxVelocity",
                                         NULL};
    static const char* const files[] = {"particleAttributes",       "partioAttributes",  "enableRigidBodyExport",
                                        "enableRigidBodyVTKExport", "enableStateExport", "stateExportFPS",
                                        "enableObjectSplitting",    "enableAsyncExport", NULL};
    static const char* const methods[] = {"enableZSort", "zSortInterval", "velocityUpdateMethod", NULL};
    SplishObject c = {s->configuration, "Configuration"};
    int shown = (int)splish_number(s, &c, "renderWalls", 4);
    s->walls_shown = shown == 1 || shown == 3;
    s->flat = splish_bool(s, &c, "sim2D", false);
    s->radius = splish_number(s, &c, "particleRadius", 0.025);
    splish_put(s->scene, "dimension", json_integer(s->flat ? 2 : 3));
    splish_put(s->scene, "particle_radius", json_real(s->radius));
    splish_put(s->scene, "gravity", splish_point(s, splish_vector(s, &c, "gravitation", vec3d(0, -9.81, 0))));
    read_solver(s, &c);
    read_time_steps(s, &c);
    read_kernel(s, &c);
    read_output(s, &c);
    read_camera(s, &c);
    int walls = (int)splish_number(s, &c, "boundaryHandlingMethod", 2);
    if (walls == 1 || walls == 2)
        splish_note(s, &c, "boundaryHandlingMethod",
                    "%d (maps of density or volume) has no counterpart; walls are boundary particles", walls);
    if (splish_number(s, &c, "sceneScale", 1) != 1)
        splish_note(s, &c, "sceneScale", "is left out");
    splish_ignore(s, &c, OF_ITS_WINDOW, window);
    splish_ignore(s, &c, OF_ITS_FILES, files);
    splish_ignore(s, &c, OF_ITS_METHODS, methods);
}

// --- what was not understood

static void note_rest_of(Splish* s, const SplishObject* object)
{
    const char* key;
    json_t* value;
    json_object_foreach(object->json, key, value)
    {
        note_value(s, object, key, value, "has no counterpart; left out");
    }
}

// In one line, with all its keys.
static void note_whole(Splish* s, const SplishObject* object, const char* what)
{
    char keys[256] = "";
    const char* key;
    json_t* value;
    json_object_foreach(object->json, key, value)
    {
        size_t n = strlen(keys);
        snprintf(keys + n, sizeof keys - n, "%s%s", n ? ", " : "", key);
    }
    splish_note(s, object, NULL, "%s (%s) has no counterpart; left out", what, keys);
}

// Objects of lists that are read have been emptied of what was understood.
static bool is_read(const char* list)
{
    static const char* const lists[] = {"FluidBlocks", "FluidModels", "Emitters", "RigidBodies", "Materials", NULL};
    for (size_t k = 0; lists[k]; k++)
        if (!strcmp(list, lists[k]))
            return true;
    return splish_is_joint_list(list);
}

static void note_rest(Splish* s)
{
    const char* list;
    json_t* value;
    json_object_foreach(s->root, list, value)
    {
        SplishObject object = {.json = value};
        snprintf(object.name, sizeof object.name, "%s", list);
        if (json_is_object(value)) {
            note_rest_of(s, &object);
            continue;
        }
        for (size_t k = 0; k < json_array_size(value); k++) {
            snprintf(object.name, sizeof object.name, "%.40s.%zu", list, k);
            object.json = json_array_get(value, k);
            if (is_read(list))
                note_rest_of(s, &object);
            else
                note_whole(s, &object,
                           strcmp(list, "AnimationFields") ? "what this list is for is not known here; it"
                                                           : "a field that changes particles by a formula");
        }
        if (!json_is_array(value))
            note_value(s, &object, NULL, value, "has no counterpart; left out");
    }
}

// One line for each reason.
static void note_idle(Splish* s)
{
    const char *why, *key;
    json_t *keys, *yes;
    json_object_foreach(s->idle, why, keys)
    {
        const char* comma = "";
        page_add(&s->notes, "without meaning here, %s:", why);
        json_object_foreach(keys, key, yes)
        {
            page_add(&s->notes, "%s %s", comma, key);
            comma = ",";
        }
        page_add(&s->notes, "\n");
    }
}

// What the other program's library of rigid bodies reads for itself.
static void drop_rigid_library(Splish* s)
{
    SplishObject simulation = {json_object_get(s->root, "Simulation"), "Simulation"};
    if (!simulation.json)
        return;
    splish_note(s, &simulation, NULL, "parameters of another solver of rigid bodies; left out, bodies and contacts have their own");
    json_object_del(s->root, "Simulation");
}

// Old files have an object for each fluid, by its name, where newer ones have a list of materials.
static void adopt_old_materials(Splish* s)
{
    static const char* const lists[] = {"FluidBlocks", "FluidModels", "Emitters"};
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t k = 0; k < splish_list(s, lists[l]); k++) {
            json_t* id = json_object_get(json_array_get(json_object_get(s->root, lists[l]), k), "id");
            const char* name = json_is_string(id) ? json_string_value(id) : "Fluid";
            json_t* old = json_object_get(s->root, name);
            if (!json_is_object(old) || old == s->configuration || !strcmp(name, "Simulation"))
                continue;
            json_object_set_new(old, "id", json_string(name));
            splish_append(s->root, "Materials", json_incref(old));
            json_object_del(s->root, name);
        }
}

// Elastic solids are in 3D only, so a plane where all is elastic is converted with the depth of its blocks.
static void leave_plane(Splish* s)
{
    bool all = true, any = false;
    SplishObject c = {s->configuration, "Configuration"};
    for (size_t k = 0; k < splish_list(s, "Materials"); k++) {
        SplishObject m = {.json = json_array_get(json_object_get(s->root, "Materials"), k)};
        bool elastic = json_is_object(m.json) && splish_is_elastic(s, &m);
        all = all && elastic;
        any = any || elastic;
    }
    if (!any || !all || !json_is_true(json_object_get(c.json, "sim2D")) || splish_list(s, "Emitters") > 0)
        return;
    splish_note(s, &c, "sim2D", "elastic solids are in 3D only; the scene is converted in 3D, with the depth that it has");
    splish_drop(&c, "sim2D");
}

static void convert(Splish* s)
{
    adopt_old_materials(s);
    leave_plane(s);
    read_configuration(s);
    splish_fluids(s);
    splish_solids(s);
    drop_rigid_library(s);
    note_rest(s);
    note_idle(s);
}

static bool looks_right(Splish* s, mn_Error* error)
{
    static const char* const marks[] = {"Configuration", "FluidBlocks", "FluidModels", "RigidBodies",
                                        "Emitters",      "Materials",   NULL};
    for (size_t k = 0; marks[k]; k++)
        if (json_object_get(s->root, marks[k]))
            return true;
    error_set(error, MN_BAD_INPUT,
              "not a scene of SPlisHSPlasH: none of Configuration, FluidBlocks, FluidModels, RigidBodies, Emitters");
    error_at(error, s->foreign->path, 0, 0);
    return false;
}

mn_Result splishsplash_to_scene(const ForeignScene* foreign, Conversion* out, mn_Error* error)
{
    Document document = {foreign->text, foreign->size, foreign->path, NULL, 0};
    Splish s = {.foreign = foreign, .wall_viscosity = -1, .wall_adhesion = -1, .fluid_min = {1, 1, 1}, .fluid_max = {-1, -1, -1}};
    *out = (Conversion){0};
    s.root = document_json(&document, error);
    if (!s.root)
        return error ? error->result : MN_BAD_INPUT;
    if (!looks_right(&s, error)) {
        json_decref(s.root);
        return MN_BAD_INPUT;
    }
    json_memory_watch();
    if (!json_is_object(json_object_get(s.root, "Configuration")))
        splish_put(s.root, "Configuration", json_object());
    s.configuration = json_object_get(s.root, "Configuration");
    s.scene = json_object();
    s.idle = json_object();
    convert(&s);
    Page page = {0};
    pretty_json(&page, s.scene, 0);
    char* text = page_take(&page);
    *out = (Conversion){.scene = text,
                        .note_count = s.note_count,
                        .notes = s.note_count || json_object_size(s.idle) ? page_take(&s.notes) : strdup("")};
    bool ok = text && out->notes && !json_memory_failed();
    json_decref(s.scene);
    json_decref(s.root);
    json_decref(s.idle);
    page_free(&s.notes);
    out->files = s.files;
    out->file_count = s.file_count;
    if (ok && !s.no_memory)
        return MN_OK;
    conversion_free(out);
    return error_set(error, MN_OUT_OF_MEMORY, "no memory while converting the scene");
}

void conversion_free(Conversion* conversion)
{
    free(conversion->scene);
    free(conversion->notes);
    for (size_t k = 0; k < conversion->file_count; k++)
        free(conversion->files[k].text);
    free(conversion->files);
    *conversion = (Conversion){0};
}
