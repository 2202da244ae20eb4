// SPDX-License-Identifier: MIT
// Rigid bodies and joints of SPlisHSPlasH.
#include "scene/foreign/splishsplash_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 512 };

// Whether all blocks of fluid start within the body's bounds: then it holds them.
static bool holds_fluid(const Splish* s, json_t* shape, Vec3d position)
{
    json_t* box = json_object_get(shape, "box");
    if (!box || s->fluid_min.x > s->fluid_max.x)
        return false;
    double slack = 2 * s->radius;
    const double at[3] = {position.x, position.y, position.z}, low[3] = {s->fluid_min.x, s->fluid_min.y, s->fluid_min.z};
    const double high[3] = {s->fluid_max.x, s->fluid_max.y, s->fluid_max.z};
    for (size_t k = 0; k < json_array_size(box); k++) {
        double half = 0.5 * json_number_value(json_array_get(box, k)) + slack;
        if (low[k] < at[k] - half || high[k] > at[k] + half)
            return false;
    }
    return true;
}

static void put_colour(Splish* s, const SplishObject* b, bool wall, json_t* solid)
{
    // walls that are not drawn there are seen through here
    if (wall && !s->walls_shown)
        splish_ignore_one(s, b, "of walls that renderWalls does not show", "color");
    if (!splish_has(b, "color"))
        return;
    Vec3d colour = splish_vector(s, b, "color", vec3d(0.6, 0.62, 0.65));
    splish_put(solid, "colour",
               json_pack("[f, f, f]", fmin(fmax(colour.x, 0), 1), fmin(fmax(colour.y, 0), 1), fmin(fmax(colour.z, 0), 1)));
}

static void put_rigid(Splish* s, const SplishObject* b, json_t* solid)
{
    static const char* const contacts[] = {NULL, "sphere", "box", "cylinder"};
    splish_put(solid, "density", json_real(splish_number(s, b, "density", 1000)));
    Vec3d velocity = splish_vector(s, b, "velocity", vec3d(0, 0, 0));
    if (vec3d_length(velocity) > 0)
        splish_put(solid, "velocity", splish_point(s, velocity));
    Vec3d turn = splish_vector(s, b, "angularVelocity", vec3d(0, 0, 0));
    if (vec3d_length(turn) > 0)
        splish_put(solid, "angular_velocity", splish_point(s, turn));
    int contact = (int)splish_number(s, b, "collisionObjectType", 0);
    bool is_mesh = json_object_get(json_object_get(solid, "shape"), "mesh") != NULL;
    if (contact >= 1 && contact <= 3 && is_mesh)
        splish_put(solid, "contact", json_string(contacts[contact]));
    else if (contact == 0)
        splish_note(s, b, "collisionObjectType", "0 or none, which touches no other body; here it touches them with its shape");
    else if (contact > 3)
        splish_note(s, b, "collisionObjectType", "%d; contacts are with the mesh's triangles here", contact);
}

static void read_body(Splish* s, const SplishObject* b, size_t number)
{
    static const char* const methods[] = {"mapThickness",
                                          "mapResolution",
                                          "mapFile",
                                          "samplingMode",
                                          "testMesh",
                                          "invertSDF",
                                          "thicknessSDF",
                                          "resolutionSDF",
                                          "particleFile",
                                          "densityMapFile",
                                          "collisionObjectFileName",
                                          "collisionObjectScale",
                                          NULL};
    static const char* const of_editor[] = {"comment", "tag", "boundingBoxMin", "boundingBoxMax", NULL};
    static const char* const at_rest[] = {"density", "velocity", "angularVelocity", "collisionObjectType", NULL};
    char file[TEXT], name[80];
    splish_text(s, b, "geometryFile", file, sizeof file);
    Placement at = {.position = splish_vector(s, b, "translation", vec3d(0, 0, 0)),
                    .scale = splish_vector(s, b, "scale", vec3d(1, 1, 1)),
                    .rotation = splish_rotation(s, b)};
    bool dynamic = splish_bool(s, b, "isDynamic", false), animated = splish_bool(s, b, "isAnimated", false);
    bool wall = splish_bool(s, b, "isWall", false), said = splish_has(b, "mapInvert"),
         inverted = splish_bool(s, b, "mapInvert", false), closed;
    splish_text(s, b, "id", name, sizeof name); // joints look for it before
    json_t* shape = file[0] ? splish_shape(s, b, file, &at, &closed) : NULL;
    if (!file[0])
        splish_note(s, b, "geometryFile", "is missing; the body is left out");
    json_t* solid = json_object();
    if (shape) {
        snprintf(name, sizeof name, "body%zu", number);
        splish_put(solid, "name", json_string(name));
        splish_put(solid, "type", json_string(dynamic ? "rigid" : animated ? "kinematic" : "static"));
        splish_put(solid, "shape", shape);
        splish_put(solid, "position", splish_point(s, at.position));
        splish_put(solid, "rotation", splish_quat(s, at.rotation));
        if (json_object_get(shape, "mesh") && !s->flat)
            splish_put(solid, "scale", splish_point(s, at.scale));
        bool inside = closed && !dynamic && (inverted || (wall && !said && holds_fluid(s, shape, at.position)));
        if (inside)
            splish_put(solid, "inside", json_true());
        if (dynamic && inverted)
            splish_note(s, b, "mapInvert", "a body that moves cannot be a container here; it is solid");
        if (wall && !inside && closed && !dynamic)
            splish_note(s, b, "isWall", "taken for an obstacle, not for a container: mapInvert is not true");
        put_colour(s, b, wall, solid);
        if (dynamic)
            put_rigid(s, b, solid);
        if (splish_has(b, "restitution"))
            splish_put(solid, "restitution", json_real(fmin(fmax(splish_number(s, b, "restitution", 0.1), 0), 1)));
        if (splish_has(b, "friction"))
            splish_put(solid, "contact_friction", json_real(fmax(splish_number(s, b, "friction", 0.5), 0)));
        if (s->wall_viscosity >= 0)
            splish_put(solid, "wall_viscosity", json_real(s->wall_viscosity));
        if (s->wall_adhesion >= 0)
            splish_put(solid, "adhesion", json_real(s->wall_adhesion));
        if (animated)
            splish_note(s, b, "isAnimated", "it is moved by a script there; here it rests until it gets a motion");
        splish_append(s->scene, "solids", solid);
    } else {
        json_decref(solid);
    }
    splish_drop(b, "color");
    splish_ignore(s, b, OF_ITS_EDITOR, of_editor);
    splish_ignore(s, b, OF_ITS_METHODS, methods);
    splish_ignore(s, b, OF_THINGS_AT_REST, at_rest);
}

// --- joints: bodies are named by their id or, without, by their number

static bool find_body(Splish* s, json_t* wanted, char name[80])
{
    for (size_t k = 0; wanted && k < splish_list(s, "RigidBodies"); k++) {
        json_t* id = json_object_get(json_array_get(json_object_get(s->root, "RigidBodies"), k), "id");
        if (id && json_equal(id, wanted)) {
            snprintf(name, 80, "body%zu", k);
            return true;
        }
    }
    return false;
}

static bool is_dynamic(const Splish* s, const char* name)
{
    size_t number = (size_t)atoi(name + 4);
    json_t* value = json_object_get(json_array_get(json_object_get(s->root, "RigidBodies"), number), "isDynamic");
    return json_is_true(value) || json_number_value(value) != 0;
}

enum { SEQUENCE_STEPS = 20, DRIVE_MAX = 4000 };

// What a motor is told over time: [t0, value0, t1, value1, ...], linear in between, over and over if it repeats.
typedef struct Sequence {
    const json_t* numbers;
    size_t count; // of pairs
    bool repeats;
} Sequence;

static double sequence_number(const Sequence* q, size_t pair, size_t which)
{
    return json_number_value(json_array_get(q->numbers, 2 * pair + which));
}

static double sequence_value(const Sequence* q, double time)
{
    double first = sequence_number(q, 0, 0), length = sequence_number(q, q->count - 1, 0) - first;
    if (q->repeats && length > 0 && time > first + length)
        time -= length * floor((time - first) / length);
    for (size_t k = 1; k < q->count; k++) {
        double from = sequence_number(q, k - 1, 0), to = sequence_number(q, k, 0);
        if (time <= to && to > from) {
            double share = fmax(time - from, 0) / (to - from);
            return (1 - share) * sequence_number(q, k - 1, 1) + share * sequence_number(q, k, 1);
        }
    }
    return sequence_number(q, q->count - 1, 1);
}

static bool read_sequence(Splish* s, const SplishObject* j, Sequence* q)
{
    q->repeats = splish_bool(s, j, "repeatSequence", false);
    q->numbers = json_object_get(j->json, "targetSequence");
    q->count = json_array_size(q->numbers) / 2;
    for (size_t k = 0; k < 2 * q->count; k++)
        if (!json_is_number(json_array_get(q->numbers, k)))
            q->count = 0;
    return q->count > 0;
}

// Places over time: those of the sequence itself, or the way that its velocities make.
static void put_drive(Splish* s, json_t* joint, const Sequence* q, bool is_velocity, double unit)
{
    double duration = json_number_value(json_object_get(s->scene, "duration")), way = 0;
    double shortest = duration;
    for (size_t k = 1; k < q->count; k++) {
        double length = sequence_number(q, k, 0) - sequence_number(q, k - 1, 0);
        shortest = length > 0 ? fmin(shortest, length) : shortest;
    }
    size_t steps = (size_t)fmin(ceil(duration / shortest * SEQUENCE_STEPS), DRIVE_MAX);
    for (size_t k = 0; k <= steps; k++) {
        double t = duration * (double)k / (double)steps, before = duration * ((double)k - 0.5) / (double)steps;
        if (is_velocity && k > 0)
            way += sequence_value(q, before) * duration / (double)steps;
        else if (!is_velocity)
            way = sequence_value(q, t);
        splish_append(joint, "drive", json_pack("{s: f, s: f}", "time", t, "position", way * unit));
    }
}

typedef enum MotorKind { NO_MOTOR, MOTOR_SPEED, MOTOR_PLACE } MotorKind;

typedef struct JointKind {
    const char *list, *type;
    MotorKind motor;
} JointKind;

static const JointKind joint_kinds[] = {
    {"BallJoints", "ball", NO_MOTOR},
    {"HingeJoints", "hinge", NO_MOTOR},
    {"TargetAngleMotorHingeJoints", "hinge", MOTOR_PLACE},
    {"TargetVelocityMotorHingeJoints", "hinge", MOTOR_SPEED},
    {"SliderJoints", "slider", NO_MOTOR},
    {"TargetPositionMotorSliderJoints", "slider", MOTOR_PLACE},
    {"TargetVelocityMotorSliderJoints", "slider", MOTOR_SPEED},
};
enum { JOINT_KINDS = sizeof joint_kinds / sizeof *joint_kinds };

bool splish_is_joint_list(const char* list)
{
    for (size_t k = 0; k < JOINT_KINDS; k++)
        if (!strcmp(list, joint_kinds[k].list))
            return true;
    return false;
}

static void put_motor(Splish* s, const SplishObject* j, json_t* joint, const JointKind* kind, double sign)
{
    Sequence sequence;
    double target = splish_number(s, j, "target", 0), unit = sign * (strcmp(kind->type, "hinge") ? 1 : 180 / M_PI);
    bool told = read_sequence(s, j, &sequence);
    if (kind->motor == MOTOR_PLACE && !told) {
        json_t* from_start = json_pack("[f, f, f, f]", 0.0, 0.0, 0.25, target);
        put_drive(s, joint, &(Sequence){from_start, 2, false}, false, unit);
        splish_note(s, j, "target", "%g is reached within 0.25 s", target);
        json_decref(from_start);
    } else if (told) {
        put_drive(s, joint, &sequence, kind->motor == MOTOR_SPEED, unit);
        splish_note(s, j, "targetSequence", "is a drive, a place at each time%s",
                    kind->motor == MOTOR_SPEED ? ": the way that these speeds make" : "");
    } else {
        splish_put(joint, "motor_speed", json_real(target * unit));
        splish_put(joint, "motor_strength", json_real(1e6));
    }
    splish_drop(j, "targetSequence");
}

static void read_joint(Splish* s, const SplishObject* j, const JointKind* kind)
{
    char a[80], b[80];
    bool ok = find_body(s, json_object_get(j->json, "bodyID1"), a) && find_body(s, json_object_get(j->json, "bodyID2"), b);
    bool first = ok && is_dynamic(s, a);
    if (!ok || (!first && !is_dynamic(s, b))) {
        splish_note(s, j, NULL, "%s; left out", ok ? "neither body moves" : "bodyID1 or bodyID2 names no body");
        json_object_clear(j->json);
        return;
    }
    json_t* joint = json_object();
    splish_put(joint, "type", json_string(kind->type));
    splish_put(joint, "solid", json_string(first ? a : b));
    splish_put(joint, "other", json_string(first ? b : a));
    splish_put(joint, "position", splish_point(s, splish_vector(s, j, "position", vec3d(0, 0, 0))));
    Vec3d axis = splish_vector(s, j, "axis", vec3d(0, 1, 0));
    if (strcmp(kind->type, "ball") && !s->flat)
        splish_put(joint, "axis", splish_point(s, axis));
    if (kind->motor != NO_MOTOR)
        put_motor(s, j, joint, kind, first ? 1 : -1);
    splish_append(s->scene, "joints", joint);
    static const char* const read[] = {"bodyID1", "bodyID2", "id", "comment", NULL};
    for (size_t k = 0; read[k]; k++)
        splish_drop(j, read[k]);
}

static void read_joints(Splish* s)
{
    for (size_t k = 0; k < JOINT_KINDS; k++)
        for (size_t i = 0; i < splish_list(s, joint_kinds[k].list); i++) {
            SplishObject joint = splish_item(s, joint_kinds[k].list, i);
            if (joint.json)
                read_joint(s, &joint, &joint_kinds[k]);
        }
}

void splish_solids(Splish* s)
{
    read_joints(s);
    for (size_t k = 0; k < splish_list(s, "RigidBodies"); k++) {
        SplishObject body = splish_item(s, "RigidBodies", k);
        if (body.json)
            read_body(s, &body, k);
    }
}
