// SPDX-License-Identifier: MIT
#include "scene/template.h"

#include "base/memory.h"
#include "base/vec.h"
#include "defs/copy.h"
#include "defs/defaults.h"
#include "scene/check.h"
#include "scene/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SOLIDS = 10000, MOST_JOINTS = 10000 };

bool ragdoll_finish(Reader* reader, json_t* node, void* object)
{
    mn_RagdollDef* ragdoll = object;
    if (ragdoll->name)
        return true;
    char text[32];
    snprintf(text, sizeof text, "ragdoll%zu", reader->path.step[reader->path.depth - 1].index + 1);
    ragdoll->name = strdup(text);
    return ragdoll->name || reader_no_memory(reader);
}

bool chain_finish(Reader* reader, json_t* node, void* object)
{
    mn_ChainDef* chain = object;
    if (chain->name)
        return true;
    char text[32];
    snprintf(text, sizeof text, "chain%zu", reader->path.step[reader->path.depth - 1].index + 1);
    chain->name = strdup(text);
    return chain->name || reader_no_memory(reader);
}

// --- appending

// "anna" and "head" to "anna.head"; NULL: out of memory.
static char* joined(const char* stem, const char* part)
{
    size_t size = strlen(stem) + strlen(part) + 2;
    char* name = malloc(size);
    if (name)
        snprintf(name, size, "%s.%s", stem, part);
    return name;
}

static bool is_taken(const mn_Scene* scene, const char* solid, const char* joint)
{
    for (size_t k = 0; solid && k < scene->solid_count; k++)
        if (!strcmp(scene->solids[k].name, solid))
            return true;
    for (size_t k = 0; joint && k < scene->joint_count; k++)
        if (!strcmp(scene->joints[k].name, joint))
            return true;
    return false;
}

// Room for one more; the lists are short, so that growing by one does.
static mn_SolidDef* new_solid(Reader* reader, const char* stem, const char* part)
{
    mn_Scene* scene = reader->scene;
    char* name = joined(stem, part);
    mn_SolidDef* all = name ? realloc(scene->solids, (scene->solid_count + 1) * sizeof *all) : NULL;
    if (all)
        scene->solids = all;
    if (!all || is_taken(scene, name, NULL) || scene->solid_count == MOST_SOLIDS) {
        if (!all)
            reader_no_memory(reader);
        else if (scene->solid_count == MOST_SOLIDS)
            reader_fail(reader, "brings the scene to more than %d solids", MOST_SOLIDS);
        else
            reader_fail_in(reader, "name", "needs a solid \"%s\", which there is already; names must be unique", name);
        free(name);
        return NULL;
    }
    mn_SolidDef* solid = &all[scene->solid_count++];
    solid_defaults(solid);
    solid->name = name;
    solid->type = MN_SOLID_RIGID;
    return solid;
}

// `solid` and `other` are names; `other` may be NULL, the world.
static mn_JointDef* new_joint(Reader* reader, const char* stem, const char* part, const char* solid, const char* other)
{
    mn_Scene* scene = reader->scene;
    mn_JointDef joint;
    joint_defaults(&joint);
    joint.name = joined(stem, part);
    joint.solid = strdup(solid);
    joint.other = other ? strdup(other) : NULL;
    bool memory = joint.name && joint.solid && (!other || joint.other);
    mn_JointDef* all = memory ? realloc(scene->joints, (scene->joint_count + 1) * sizeof *all) : NULL;
    if (all)
        scene->joints = all;
    if (!all || is_taken(scene, NULL, joint.name) || scene->joint_count == MOST_JOINTS) {
        if (!all)
            reader_no_memory(reader);
        else if (scene->joint_count == MOST_JOINTS)
            reader_fail(reader, "brings the scene to more than %d joints", MOST_JOINTS);
        else
            reader_fail_in(reader, "name", "needs a joint \"%s\", which there is already; names must be unique", joint.name);
        memory_free_string(joint.name);
        memory_free_string(joint.solid);
        memory_free_string(joint.other);
        return NULL;
    }
    all[scene->joint_count] = joint;
    return &all[scene->joint_count++];
}

// --- ragdolls

// The figure in units of its height: feet at y = 0, head up to y = 1, arms spread along x, eyes along +z. Knees bend back,
// elbows forward. Parts that no joint ties together keep apart.
typedef struct Part {
    const char* name;
    double x, y;           // of the centre
    double radius, length; // of a capsule; length 0: a sphere
    bool across;           // along x instead of y
} Part;

static const Part PARTS[] = {
    {"chest", 0, 0.735, 0.09, 0.07, false},
    {"hips", 0, 0.545, 0.08, 0.03, false},
    {"head", 0, 0.926, 0.074, 0, false},
    {"left_upper_arm", 0.185, 0.79, 0.035, 0.09, true},
    {"left_forearm", 0.35, 0.79, 0.03, 0.11, true},
    {"right_upper_arm", -0.185, 0.79, 0.035, 0.09, true},
    {"right_forearm", -0.35, 0.79, 0.03, 0.11, true},
    {"left_thigh", 0.055, 0.3525, 0.045, 0.145, false},
    {"left_shin", 0.055, 0.1175, 0.035, 0.165, false},
    {"right_thigh", -0.055, 0.3525, 0.045, 0.145, false},
    {"right_shin", -0.055, 0.1175, 0.035, 0.165, false},
};

typedef struct Tie {
    const char *name, *solid, *other;
    double x, y;
    Vec3d axis; // of a hinge; zero: a ball
    double low, high;
} Tie;

static const Tie TIES[] = {
    {"waist", "hips", "chest", 0, 0.63, {1, 0, 0}, -50, 20},
    {"neck", "head", "chest", 0, 0.84, {1, 0, 0}, -30, 40},
    {"left_shoulder", "left_upper_arm", "chest", 0.105, 0.79, {0, 0, 0}, 0, 0},
    {"left_elbow", "left_forearm", "left_upper_arm", 0.265, 0.79, {0, -1, 0}, -2, 130},
    {"right_shoulder", "right_upper_arm", "chest", -0.105, 0.79, {0, 0, 0}, 0, 0},
    {"right_elbow", "right_forearm", "right_upper_arm", -0.265, 0.79, {0, 1, 0}, -2, 130},
    {"left_hip", "left_thigh", "hips", 0.055, 0.475, {0, 0, 0}, 0, 0},
    {"left_knee", "left_shin", "left_thigh", 0.055, 0.2355, {1, 0, 0}, -2, 130},
    {"right_hip", "right_thigh", "hips", -0.055, 0.475, {0, 0, 0}, 0, 0},
    {"right_knee", "right_shin", "right_thigh", -0.055, 0.2355, {1, 0, 0}, -2, 130},
};

static Vec3d on_figure(const mn_RagdollDef* ragdoll, double x, double y)
{
    Vec3d local = vec3d(x * ragdoll->height, (y - 0.5) * ragdoll->height, 0);
    return vec3d_add(ragdoll->pose.position, quat_rotate(ragdoll->pose.rotation, local));
}

static bool add_part(Reader* reader, const mn_RagdollDef* ragdoll, const Part* part)
{
    mn_SolidDef* solid = new_solid(reader, ragdoll->name, part->name);
    if (!solid)
        return false;
    const Quat aside = {sqrt(0.5), 0, 0, sqrt(0.5)}; // turns y to -x
    double h = ragdoll->height;
    solid->shape = (mn_Shape){.type = part->length > 0 ? MN_SHAPE_CAPSULE : MN_SHAPE_SPHERE,
                              .size = {part->radius * h, part->length > 0 ? part->length * h : 1, 1},
                              .cells = {1, 1}};
    solid->pose.position = on_figure(ragdoll, part->x, part->y);
    solid->pose.rotation = part->across ? quat_normalise(quat_mul(ragdoll->pose.rotation, aside)) : ragdoll->pose.rotation;
    solid->density = ragdoll->density;
    solid->friction = ragdoll->friction;
    solid->velocity = ragdoll->velocity;
    solid->colour = ragdoll->colour;
    return true;
}

static bool add_tie(Reader* reader, const mn_RagdollDef* ragdoll, const Tie* tie)
{
    char *solid = joined(ragdoll->name, tie->solid), *other = joined(ragdoll->name, tie->other);
    mn_JointDef* joint = solid && other ? new_joint(reader, ragdoll->name, tie->name, solid, other) : NULL;
    bool memory = solid && other;
    free(solid);
    free(other);
    if (!memory)
        return reader_no_memory(reader);
    if (!joint)
        return false;
    joint->position = on_figure(ragdoll, tie->x, tie->y);
    if (vec3d_length(tie->axis) > 0) {
        joint->type = MN_JOINT_HINGE;
        joint->axis = quat_rotate(ragdoll->pose.rotation, tie->axis);
        joint->limits[0] = tie->low;
        joint->limits[1] = tie->high;
    }
    return true;
}

static bool expand_ragdoll(Reader* reader, const void* item)
{
    const mn_RagdollDef* ragdoll = item;
    for (size_t k = 0; k < sizeof PARTS / sizeof PARTS[0]; k++)
        if (!add_part(reader, ragdoll, &PARTS[k]))
            return false;
    for (size_t k = 0; k < sizeof TIES / sizeof TIES[0]; k++)
        if (!add_tie(reader, ragdoll, &TIES[k]))
            return false;
    return true;
}

// --- chains

// The rotation whose columns are x, y, z, an orthonormal right-handed frame (Shepperd's choice of the largest component).
static Quat from_frame(Vec3d x, Vec3d y, Vec3d z)
{
    double q[4] = {1 + x.x + y.y + z.z, 1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z};
    int most = 0;
    for (int k = 1; k < 4; k++)
        if (q[k] > q[most])
            most = k;
    const double a = y.z - z.y, b = z.x - x.z, c = x.y - y.x, d = x.y + y.x, e = x.z + z.x, f = y.z + z.y;
    const Quat by_most[4] = {{q[0], a, b, c}, {a, q[1], d, e}, {b, d, q[2], f}, {c, e, f, q[3]}};
    return quat_normalise(by_most[most]);
}

// y along the line, z up as far as possible; in 2D only the plane's own turn is possible.
static Quat along(const mn_Scene* scene, Vec3d line)
{
    Vec3d y = vec3d_normalise(line);
    if (scene->world.dimension == 2)
        return from_frame(vec3d(y.y, -y.x, 0), y, vec3d(0, 0, 1));
    Vec3d up = vec3d_length(scene->world.gravity) > 0 ? vec3d_scale(vec3d_normalise(scene->world.gravity), -1) : vec3d(0, 1, 0);
    if (fabs(vec3d_dot(up, y)) > 0.99)
        up = fabs(y.z) < 0.9 ? vec3d(0, 0, 1) : vec3d(1, 0, 0);
    Vec3d x = vec3d_normalise(vec3d_cross(y, up));
    return from_frame(x, y, vec3d_cross(x, y));
}

static bool add_link(Reader* reader, const mn_ChainDef* chain, int k, Quat rotation)
{
    char part[16];
    snprintf(part, sizeof part, "%d", k);
    mn_SolidDef* solid = new_solid(reader, chain->name, part);
    if (!solid)
        return false;
    solid->shape = chain->shape;
    solid->shape.file = NULL;
    if (chain->shape.file && !(solid->shape.file = strdup(chain->shape.file)))
        return reader_no_memory(reader);
    solid->pose = (mn_Pose){vec3d_lerp(chain->from, chain->to, (k + 0.5) / chain->links), rotation};
    solid->density = chain->density;
    solid->friction = chain->friction;
    solid->colour = chain->colour;
    return true;
}

// Joint k ties link k to the one before it; the last one ties the last link to the end.
static bool add_chain_joint(Reader* reader, const mn_ChainDef* chain, int k, Quat rotation)
{
    char part[24], number[16], *neighbour = NULL;
    const char* other = k == 0 ? chain->start : chain->end;
    bool middle = k > 0 && k < chain->links;
    if (!middle && other && !strcmp(other, "none"))
        return true;
    snprintf(part, sizeof part, "joint%d", k);
    snprintf(number, sizeof number, "%d", k < chain->links ? k : chain->links - 1);
    char* solid = joined(chain->name, number);
    if (middle) {
        snprintf(number, sizeof number, "%d", k - 1);
        other = neighbour = joined(chain->name, number);
    }
    bool memory = solid && (!middle || neighbour);
    mn_JointDef* joint = memory ? new_joint(reader, chain->name, part, solid, other) : NULL;
    free(solid);
    free(neighbour);
    if (!memory)
        return reader_no_memory(reader);
    if (!joint)
        return false;
    joint->type = chain->joint;
    joint->position = vec3d_lerp(chain->from, chain->to, (double)k / chain->links);
    bool flat = reader->scene->world.dimension == 2;
    joint->axis = chain->joint == MN_JOINT_SLIDER ? quat_rotate(rotation, vec3d(0, 1, 0))
                  : flat                          ? vec3d(0, 0, 1)
                                                  : quat_rotate(rotation, vec3d(1, 0, 0));
    joint->break_force = chain->break_force;
    return true;
}

// An end may be tied to a solid of the scene, of a ragdoll or of a chain before this one.
static bool end_exists(Reader* reader, const char* key, const char* name)
{
    return !name || !strcmp(name, "none") || solid_exists(reader, key, name);
}

static bool expand_chain(Reader* reader, const void* item)
{
    const mn_ChainDef* chain = item;
    if (!end_exists(reader, "start", chain->start) || !end_exists(reader, "end", chain->end))
        return false;
    Quat rotation = along(reader->scene, vec3d_sub(chain->to, chain->from));
    for (int k = 0; k < chain->links; k++)
        if (!add_link(reader, chain, k, rotation))
            return false;
    for (int k = 0; k <= chain->links; k++)
        if (!add_chain_joint(reader, chain, k, rotation))
            return false;
    return true;
}

// --- all of them

// Expands the items of a list and leaves it empty.
static bool expand(Reader* reader, const char* list, bool (*one)(Reader*, const void*))
{
    const Key* key = section_find(&scene_section, list);
    char* items;
    memcpy(&items, key_at(key, reader->scene), sizeof items);
    size_t* count = (size_t*)((char*)reader->scene + key->count_offset);
    for (size_t k = 0; k < *count; k++) {
        path_push_key(&reader->path, list);
        path_push_index(&reader->path, k);
        if (!one(reader, items + k * key->section->size))
            return false;
        path_pop(&reader->path);
        path_pop(&reader->path);
    }
    for (size_t k = 0; k < *count; k++)
        def_free(key->section, items + k * key->section->size);
    free(items);
    memset(key_at(key, reader->scene), 0, sizeof items);
    *count = 0;
    return true;
}

// --- lines and arrays of probes

static bool name_probe(Reader* reader, mn_ProbeDef* probe, const mn_ProbeDef* line, int64_t row, int64_t k)
{
    char number[48];
    if (line->rows > 1)
        snprintf(number, sizeof number, "%lld.%lld", (long long)row, (long long)k);
    else
        snprintf(number, sizeof number, "%lld", (long long)k);
    probe->name = joined(line->name, number);
    probe->solid = line->solid ? strdup(line->solid) : NULL;
    return (probe->name && (probe->solid || !line->solid)) || reader_no_memory(reader);
}

// One that stands for many becomes many, in its place.
static bool expand_probes(Reader* reader)
{
    mn_Scene* scene = reader->scene;
    size_t total = 0, count = 0;
    for (size_t k = 0; k < scene->probe_count; k++)
        total += (size_t)(scene->probes[k].count * scene->probes[k].rows);
    if (total == scene->probe_count)
        return true;
    if (total > 10000)
        return reader_fail(reader, "probes: lines and arrays give %zu probes, more than the 10000 allowed", total);
    mn_ProbeDef* all = calloc(total + 1, sizeof *all);
    if (!all)
        return reader_no_memory(reader);
    bool ok = true;
    for (size_t k = 0; k < scene->probe_count; k++) {
        mn_ProbeDef line = scene->probes[k];
        bool one = line.count * line.rows == 1;
        for (int64_t row = 0; row < line.rows && ok; row++)
            for (int64_t n = 0; n < line.count && ok; n++) {
                mn_ProbeDef* probe = &all[count++];
                *probe = line;
                if (one)
                    continue;
                double along_line = (double)n / (double)(line.count - 1),
                       share = line.rows > 1 ? (double)row / (double)(line.rows - 1) : 0;
                probe->position = vec3d_lerp(line.position, line.to, along_line);
                if (line.rows > 1)
                    probe->position = vec3d_mad(probe->position, share, line.across);
                probe->count = probe->rows = 1;
                probe->to = probe->across = mn_default_probe_def().to;
                ok = name_probe(reader, probe, &line, row, n);
            }
        if (!one) {
            free((char*)line.name);
            free((char*)line.solid);
        }
    }
    free(scene->probes);
    scene->probes = all;
    scene->probe_count = count;
    return ok;
}

bool expand_templates(Reader* reader)
{
    return expand(reader, "ragdolls", expand_ragdoll) && expand(reader, "chains", expand_chain) && expand_probes(reader);
}
