// SPDX-License-Identifier: MIT
// Pins of solids: which vertices they hold, what they are tied to, where they go.
#include "elastic/elastic_system.h"

#include "elastic/elastic_parts.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

// --- which vertices

static uint32_t nearest_vertex(const TriMesh* mesh, Vec3d p)
{
    uint32_t best = 0;
    double least = (double)INFINITY;
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        double distance = vec3d_distance(mesh->vertex[k], p);
        if (distance < least) {
            least = distance;
            best = k;
        }
    }
    return best;
}

static void mark_corners(const Solid* solid, const mn_SolidDef* def, uint8_t* marked)
{
    Vec3d half = vec3d_scale(vec3d_mul(def->shape.size, def->scale), 0.5);
    if (def->shape.type != MN_SHAPE_BOX)
        half.y = 0;
    for (int k = 0; k < 8; k++) {
        Vec3d corner = {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
        corner = vec3d_add(quat_rotate(quat_normalise(def->pose.rotation), corner), def->pose.position);
        marked[nearest_vertex(&solid->mesh, corner)] = 1;
    }
}

static int by_pair(const void* a, const void* b)
{
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

// Both ends of every edge that one triangle alone has. False: out of memory.
static bool mark_border(const TriMesh* mesh, uint8_t* marked)
{
    size_t count = 3 * mesh->triangle_count;
    uint32_t(*edge)[2] = memory_take(NULL, count * sizeof *edge);
    if (!edge)
        return false;
    for (size_t k = 0; k < count; k++) {
        uint32_t a = mesh->triangle[k / 3][k % 3], b = mesh->triangle[k / 3][(k + 1) % 3];
        edge[k][0] = a < b ? a : b;
        edge[k][1] = a < b ? b : a;
    }
    qsort(edge, count, sizeof *edge, by_pair);
    for (size_t k = 0; k < count;) {
        size_t end = k + 1;
        while (end < count && !by_pair(edge[k], edge[end]))
            end++;
        if (end == k + 1)
            marked[edge[k][0]] = marked[edge[k][1]] = 1;
        k = end;
    }
    memory_give(NULL, edge);
    return true;
}

static void mark_region(const TriMesh* mesh, const mn_PinDef* def, uint8_t* marked)
{
    for (size_t k = 0; k < mesh->vertex_count; k++) {
        Vec3d p = mesh->vertex[k];
        marked[k] = p.x >= def->min.x && p.y >= def->min.y && p.z >= def->min.z && p.x <= def->max.x && p.y <= def->max.y &&
                    p.z <= def->max.z;
    }
}

static mn_Result mark(const Solid* solid, const mn_SolidDef* def, const SolidPin* pin, uint8_t* marked, mn_Error* error)
{
    memset(marked, 0, solid->mesh.vertex_count);
    mn_ShapeType type = def->shape.type;
    switch (pin->def.select) {
    case MN_PIN_CORNERS:
        if (type != MN_SHAPE_GRID && type != MN_SHAPE_PLANE && type != MN_SHAPE_BOX)
            return error_bad(error, "select", "only grids, planes and boxes have corners; use a region");
        mark_corners(solid, def, marked);
        break;
    case MN_PIN_BORDER:
        if (!mark_border(&solid->mesh, marked))
            return error_set(error, MN_OUT_OF_MEMORY, "no memory for pins");
        break;
    case MN_PIN_REGION:
        mark_region(&solid->mesh, &pin->def, marked);
        break;
    case MN_PIN_VERTEX:
        if (pin->def.vertex < 0 || (size_t)pin->def.vertex >= solid->mesh.vertex_count) {
            error_set(error, MN_BAD_INPUT, "vertex %lld does not exist: the solid has %zu", (long long)pin->def.vertex,
                      solid->mesh.vertex_count);
            error_key(error, "vertex");
            return MN_BAD_INPUT;
        }
        marked[pin->def.vertex] = 1;
        break;
    }
    for (size_t k = 0; k < solid->mesh.vertex_count; k++)
        if (marked[k])
            return MN_OK;
    return error_bad(error, "select", "holds no vertex of the solid");
}

// --- pins

bool pins_keep(ElasticSystem* s, size_t number, const mn_SolidDef* def)
{
    if (!memory_reserve(s->setting.memory, &s->pin, &s->pin_capacity, s->pin_count, s->pin_count + def->pin_count, sizeof *s->pin))
        return false;
    for (size_t k = 0; k < def->pin_count; k++) {
        const mn_PinDef* from = &def->pins[k];
        SolidPin* to = &s->pin[s->pin_count++];
        *to = (SolidPin){.def = *from, .solid = number, .index = k, .other = -1, .pin = -1};
        to->name = from->name ? strdup(from->name) : NULL;
        to->solid_name = from->solid ? strdup(from->solid) : NULL;
        to->def.name = to->def.solid = NULL;
        to->def.motion = from->motion_count ? malloc(from->motion_count * sizeof *from->motion) : NULL;
        if ((from->name && !to->name) || (from->solid && !to->solid_name) || (from->motion_count && !to->def.motion))
            return false;
        if (from->motion_count)
            memcpy(to->def.motion, from->motion, from->motion_count * sizeof *from->motion);
    }
    return true;
}

mn_Pose pin_pose(const SolidPin* pin, double time)
{
    mn_Pose m = motion_pose_at(pin->def.motion, pin->def.motion_count, pin->def.interpolation, time);
    Vec3d turned = quat_rotate(m.rotation, pin->middle);
    return (mn_Pose){vec3d_add(m.position, vec3d_sub(pin->middle, turned)), m.rotation};
}

static mn_Result tie(const SolidList* all, SolidPin* pin, mn_Error* error)
{
    if (!pin->solid_name)
        return MN_OK;
    pin->other = solid_find(all->solid, all->count, pin->solid_name);
    if (pin->other < 0)
        return solid_not_found(all->solid, all->count, "solid", pin->solid_name, error);
    if (all->solid[pin->other].kind->deforms)
        return error_bad(error, "solid", "pins can be tied to static, kinematic and rigid solids");
    return MN_OK;
}

static mn_Result set_pin(ElasticSystem* s, SolidPin* pin, uint8_t* marked, mn_Error* error)
{
    mn_Result result = tie(&s->all, pin, error);
    if (result == MN_OK)
        result = mark(&s->all.solid[pin->solid], &s->all.def[pin->solid], pin, marked, error);
    if (result != MN_OK)
        return result;
    const TriMesh* mesh = &s->all.solid[pin->solid].mesh;
    int body = (int)s->all.solid[pin->solid].index;
    pin->pin = elastic_add_pin(s->set, body);
    if (pin->pin < 0)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for pins");
    size_t count = 0;
    for (size_t k = 0; k < mesh->vertex_count; k++)
        if (marked[k]) {
            pin->middle = vec3d_add(pin->middle, mesh->vertex[k]);
            count++;
        }
    pin->middle = vec3d_scale(pin->middle, 1 / (double)count);
    mn_Pose frame = {.rotation = quat_identity()};
    if (pin->other >= 0)
        frame = s->all.solid[pin->other].pose;
    elastic_move_pin(s->set, body, pin->pin, &frame, &frame);
    for (uint32_t k = 0; k < mesh->vertex_count; k++)
        if (marked[k])
            elastic_pin_vertex(s->set, body, pin->pin, k);
    return MN_OK;
}

// Pins on the same body share its carrier. Not all models know carriers: see pull_bodies() in system_step.c.
static mn_Result set_carrier(ElasticSystem* s, SolidPin* pin, mn_Error* error)
{
    pin->carrier = -1;
    if (pin->other < 0 || s->all.solid[pin->other].kind->is_driven || elastic_model(s->all.def[pin->solid].model)->ignores_carriers)
        return MN_OK;
    for (const SolidPin* p = s->pin; p < pin; p++)
        if (p->other == pin->other && p->carrier >= 0)
            pin->carrier = p->carrier;
    pin->leads = pin->carrier < 0;
    if (pin->leads)
        pin->carrier = elastic_add_carrier(s->set);
    if (pin->carrier < 0)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for pins");
    elastic_tie_pin(s->set, (int)s->all.solid[pin->solid].index, pin->pin, pin->carrier);
    return MN_OK;
}

static void name_pin(size_t solid, size_t pin, mn_Error* error)
{
    char key[sizeof error->key];
    memcpy(key, error->key, sizeof key);
    key[sizeof key - 64] = 0;
    error_key(error, "solids.%zu.pins.%zu.%s", solid, pin, key);
}

// All from the `first` on.
static mn_Result set_from(ElasticSystem* s, size_t first, mn_Error* error)
{
    size_t most = 0;
    for (size_t k = first; k < s->pin_count; k++)
        most = s->all.solid[s->pin[k].solid].mesh.vertex_count > most ? s->all.solid[s->pin[k].solid].mesh.vertex_count : most;
    uint8_t* marked = memory_take(NULL, most + 1);
    if (!marked)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for pins");
    mn_Result result = MN_OK;
    for (size_t k = first; k < s->pin_count && result == MN_OK; k++) {
        SolidPin* pin = &s->pin[k];
        result = set_pin(s, pin, marked, error);
        if (result == MN_OK)
            result = set_carrier(s, pin, error);
        if (result != MN_OK && error)
            name_pin(pin->solid, pin->index, error);
    }
    memory_give(NULL, marked);
    return result;
}

mn_Result pins_set(ElasticSystem* s, mn_Error* error)
{
    return set_from(s, 0, error);
}

mn_Result pins_add(ElasticSystem* s, size_t number, mn_Error* error)
{
    size_t first = s->pin_count;
    while (first > 0 && s->pin[first - 1].solid == number)
        first--;
    return set_from(s, first, error);
}

static void free_pin(SolidPin* pin)
{
    free(pin->name);
    free(pin->solid_name);
    free(pin->def.motion);
}

mn_Result pins_check(ElasticSystem* s, const SolidList* all, size_t first, const Solid* solid, const mn_SolidDef* def,
                     mn_Error* error)
{
    uint8_t* marked = memory_take(NULL, solid->mesh.vertex_count + 1);
    mn_Result result = marked ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for pins");
    for (size_t k = first; k < s->pin_count && result == MN_OK; k++) {
        result = tie(all, &s->pin[k], error);
        if (result == MN_OK)
            result = mark(solid, def, &s->pin[k], marked, error);
        if (result == MN_BAD_INPUT && error)
            error_key(error, "pins.%zu.%.64s", s->pin[k].index, error->key);
    }
    memory_give(NULL, marked);
    return result;
}

void pins_drop(ElasticSystem* s, size_t first)
{
    while (s->pin_count > first)
        free_pin(&s->pin[--s->pin_count]);
}

// Of the pins on a carrier the first leads.
static void find_leaders(ElasticSystem* s)
{
    for (size_t k = 0; k < s->pin_count; k++) {
        s->pin[k].leads = s->pin[k].carrier >= 0;
        for (size_t j = 0; j < k; j++)
            s->pin[k].leads &= s->pin[j].carrier != s->pin[k].carrier;
    }
}

void pins_forget(ElasticSystem* s, size_t number)
{
    size_t kept = 0;
    for (size_t k = 0; k < s->pin_count; k++) {
        SolidPin* pin = &s->pin[k];
        if (pin->solid == number) {
            free_pin(pin);
            continue;
        }
        if (pin->other == (int)number) {
            elastic_untie_pin(s->set, (int)s->all.solid[pin->solid].index, pin->pin);
            pin->other = pin->carrier = -1;
        }
        s->pin[kept++] = *pin;
    }
    s->pin_count = kept;
    find_leaders(s);
}

void pins_release(ElasticSystem* s, const Solid* solid)
{
    for (size_t k = 0; k < s->pin_count; k++)
        if (&s->all.solid[s->pin[k].solid] == solid)
            elastic_release_pin(s->set, (int)solid->index, s->pin[k].pin);
}

void pins_free(ElasticSystem* s)
{
    for (size_t k = 0; k < s->pin_count; k++)
        free_pin(&s->pin[k]);
    memory_give(s->setting.memory, s->pin);
}
