// SPDX-License-Identifier: MIT
#include "elastic/elastic_system.h"

#include "base/error.h"
#include "elastic/volume.h"
#include <string.h>

// --- from definitions to bodies

static void* elastic_system_create(const SolidSetting* setting)
{
    ElasticSystem* s = memory_take(setting->memory, sizeof *s);
    if (!s)
        return NULL;
    *s = (ElasticSystem){.setting = *setting};
    s->set = elastic_create(setting->memory, setting->pool, setting->gravity, 2 * setting->radius);
    if (!s->set) {
        memory_give(setting->memory, s);
        return NULL;
    }
    return s;
}

static bool is_volume(const Solid* solid, const mn_SolidDef* def)
{
    return def->structure == MN_STRUCTURE_VOLUME || (def->structure == MN_STRUCTURE_AUTO && solid->closed);
}

static mn_Result check_elastic(int dimension, const Solid* solid, const mn_SolidDef* def, mn_Error* error)
{
    if (dimension != 3)
        return error_bad(error, "type", "elastic solids need a scene in 3D");
    if (def->inside)
        return error_bad(error, "inside", "an elastic solid cannot be a container; a closed sheet holds fluid as it is");
    if (def->shape.type == MN_SHAPE_ROD || solid->mesh.triangle_count == 0)
        return error_bad(error, "shape", "an elastic solid needs triangles or tetrahedra");
    if (def->model == MN_ELASTIC_REDUCED && !is_volume(solid, def))
        return error_bad(error, "model", "reduced is for volumes; a sheet needs mass_points, or a closed shape of its thickness");
    if (def->model == MN_ELASTIC_FEM && !is_volume(solid, def))
        return error_bad(error, "model", "fem is for volumes; a sheet needs mass_points, or a closed shape of its thickness");
    return MN_OK;
}

static mn_Result add_body(ElasticSystem* s, Solid* solid, const mn_SolidDef* def, int* out_body, mn_Error* error)
{
    TetMesh tets = {0};
    uint32_t* point_of = NULL;
    bool volume = is_volume(solid, def);
    mn_Result result = volume ? volume_create(&s->setting, solid, def, &tets, &point_of, error) : MN_OK;
    if (result == MN_OK) {
        ElasticBodyDef body = {.model = def->model,
                               .surface = &solid->mesh,
                               .tets = volume ? &tets : NULL,
                               .point_of = point_of,
                               .density = def->density,
                               .thickness = def->thickness > 0 ? def->thickness : 0.1 * (2 * s->setting.radius),
                               .young = def->young,
                               .poisson = def->poisson,
                               .damping = def->damping,
                               .drag = def->drag,
                               .substeps = (int)def->substeps,
                               .integrator = def->integrator,
                               .plane_strain = def->plane_strain,
                               .yield = isfinite(def->yield) ? def->yield : 0,
                               .creep = def->creep,
                               .plastic_most = def->max_plastic_strain,
                               .strength = isfinite(def->strength) ? def->strength : 0,
                               .toughness = def->toughness,
                               // shards that nothing holds would be thrown by each other
                               .clean_cracks = def->toughness > 0,
                               .tear_strain = isfinite(def->tear_strain) ? def->tear_strain : 0,
                               .handles = (int)def->handles,
                               .projections = (int)def->projections,
                               .iterations = (int)def->iterations,
                               .friction = def->contact_friction,
                               .self_contact = def->self_contact,
                               .contact = def->contact != MN_CONTACT_NONE,
                               .velocity = def->velocity,
                               .angular_velocity = def->angular_velocity};
        result = elastic_add_body(s->set, &body, out_body, error);
    }
    tet_mesh_free(&tets);
    memory_give(NULL, point_of);
    return result;
}

static mn_Result elastic_system_add(void* system, size_t number, Solid* solid, const mn_SolidDef* def, mn_Error* error)
{
    ElasticSystem* s = system;
    int body = -1;
    size_t pins = s->pin_count;
    mn_Result result = check_elastic(s->setting.dimension, solid, def, error);
    if (result == MN_OK)
        result = add_body(s, solid, def, &body, error);
    if (result == MN_OK && !pins_keep(s, number, def))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for pins");
    if (result == MN_OK)
        elastic_bind_solid(s, body, solid);
    if (result == MN_OK && isfinite(def->strength) && !solid->is_divisible)
        result = error_bad(error, "strength",
                           "only boxes and tetrahedral meshes can break: here the surface is embedded in tetrahedra of its own");
    if (result == MN_OK && def->toughness > 0 && !isfinite(def->strength))
        result = error_bad(error, "toughness", "a crack needs a strength [Pa] beside it, at which it opens");
    if (result == MN_OK && isfinite(def->tear_strain) && is_volume(solid, def))
        result = error_bad(error, "tear_strain", "only sheets tear; a volume of fem breaks by its strength");
    solid->releasable = def->pin_count > 0;
    if (result != MN_OK && body >= 0) {
        pins_drop(s, pins);
        elastic_remove_body(s->set, body);
    }
    return result;
}

// Adds it, finds out whether its pins have something to hold and to be tied to, and takes it away again.
static mn_Result elastic_system_try(void* system, const SolidList* all, Solid* solid, const mn_SolidDef* def, mn_Error* error)
{
    ElasticSystem* s = system;
    size_t pins = s->pin_count;
    mn_Result result = elastic_system_add(s, all->count, solid, def, error);
    if (result != MN_OK)
        return result;
    result = pins_check(s, all, pins, solid, def, error);
    pins_drop(s, pins);
    elastic_remove_body(s->set, (int)solid->index);
    return result;
}

// --- all solids are known

static bool is_obstacle(const ElasticSystem* s, const Solid* solid, const mn_SolidDef* def)
{
    if (elastic_is_immersed(s->set) && solid_is_body(solid))
        return false; // the grid lets them push each other
    return !solid->kind->deforms && def->contact != MN_CONTACT_NONE && solid->mesh.triangle_count > 0;
}

// Its number, or -1: out of memory.
static int add_obstacle(ElasticSystem* s, const Solid* solid, const mn_SolidDef* def)
{
    double sheet = def->thickness > 0 ? def->thickness : 2 * s->setting.radius;
    ElasticObstacleDef obstacle = {.mesh = &solid->mesh,
                                   .test = solid->test,
                                   .closed = solid->closed,
                                   .container = solid->inside,
                                   .thickness = solid->closed || solid->kind->is_driven ? 0 : 0.5 * sheet,
                                   .friction = def->contact_friction,
                                   .bound_centre = solid->bound_centre,
                                   .bound_radius = solid->bound_radius,
                                   .pose = solid->pose};
    return elastic_add_obstacle(s->set, &obstacle);
}

// All solids that do not deform and want to be touched.
static mn_Result set_obstacles(ElasticSystem* s, mn_Error* error)
{
    s->obstacle_of = memory_take(s->setting.memory, (s->all.count + 1) * sizeof *s->obstacle_of);
    if (!s->obstacle_of)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for solids");
    for (size_t k = 0; k < s->all.count; k++) {
        const Solid* solid = &s->all.solid[k];
        s->obstacle_of[k] = -1;
        if (is_obstacle(s, solid, &s->all.def[k]) && (s->obstacle_of[k] = add_obstacle(s, solid, &s->all.def[k])) < 0)
            return error_set(error, MN_OUT_OF_MEMORY, "no memory for solids");
    }
    return MN_OK;
}

// A solid came to a running world. All of them may be elsewhere in memory now.
static bool elastic_system_extend(void* system, const SolidList* all, size_t number)
{
    ElasticSystem* s = system;
    int* larger = memory_take(s->setting.memory, (all->count + 1) * sizeof *larger);
    if (!larger)
        return false;
    s->all = *all;
    memcpy(larger, s->obstacle_of, number * sizeof *larger);
    memory_give(s->setting.memory, s->obstacle_of);
    s->obstacle_of = larger;
    for (size_t k = 0; k < number; k++)
        if (larger[k] >= 0)
            elastic_place_mesh(s->set, larger[k], &all->solid[k].mesh);
    larger[number] = -1;
    if (all->solid[number].system == s)
        return pins_add(s, number, NULL) == MN_OK;
    return !is_obstacle(s, &all->solid[number], &all->def[number]) ||
           (larger[number] = add_obstacle(s, &all->solid[number], &all->def[number])) >= 0;
}

static void remove_obstacle(ElasticSystem* s, size_t number)
{
    int gone = s->obstacle_of[number];
    elastic_remove_obstacle(s->set, gone);
    s->obstacle_of[number] = -1;
    for (size_t k = 0; k < s->all.count; k++)
        s->obstacle_of[k] -= s->obstacle_of[k] > gone;
}

static void elastic_system_remove(void* system, size_t number)
{
    ElasticSystem* s = system;
    Solid* solid = &s->all.solid[number];
    pins_forget(s, number);
    if (s->obstacle_of[number] >= 0)
        remove_obstacle(s, number);
    if (solid->system != s)
        return;
    elastic_remove_body(s->set, (int)solid->index);
    for (size_t k = 0; k < s->all.count; k++)
        if (s->all.solid[k].system == s && s->all.solid[k].index > solid->index)
            s->all.solid[k].index--;
}

static void elastic_system_change_contact(void* system, size_t number, const mn_SolidDef* def)
{
    ElasticSystem* s = system;
    const Solid* solid = &s->all.solid[number];
    if (solid->system == s)
        elastic_set_friction(s->set, (int)solid->index, def->contact_friction);
    else if (s->obstacle_of[number] >= 0)
        elastic_set_obstacle_friction(s->set, s->obstacle_of[number], def->contact_friction);
}

static bool elastic_system_change_material(void* system, size_t number, const mn_SolidDef* def)
{
    ElasticSystem* s = system;
    const Solid* solid = &s->all.solid[number];
    return solid->system != s || elastic_change_body(s->set, (int)solid->index, def->density, def->young, def->poisson);
}

static mn_Result elastic_system_prepare(void* system, const SolidList* all, mn_Error* error)
{
    ElasticSystem* s = system;
    s->all = *all;
    mn_Result result = pins_set(s, error);
    if (result == MN_OK)
        result = set_obstacles(s, error);
    if (result == MN_OK)
        elastic_warn_of_places(s);
    return result;
}

static void elastic_system_destroy(void* system)
{
    ElasticSystem* s = system;
    Memory* memory = s->setting.memory;
    pins_free(s);
    elastic_destroy(s->set);
    memory_give(memory, s->obstacle_of);
    memory_give(memory, s);
}

// --- state

void elastic_system_place(void* system)
{
    ElasticSystem* s = system;
    for (size_t k = 0; k < s->all.count; k++) {
        Solid* solid = &s->all.solid[k];
        if (solid->system != s)
            continue;
        ElasticSurface surface = elastic_surface(s->set, (int)solid->index);
        memcpy(solid->mesh.vertex, surface.position, surface.vertex_count * sizeof(Vec3d));
        solid_find_bounds(solid);
    }
}

static size_t state_bytes(const void* system)
{
    return elastic_state_bytes(((const ElasticSystem*)system)->set);
}

static void state_save(const void* system, void* out)
{
    elastic_save(((const ElasticSystem*)system)->set, out);
}

static bool state_load(void* system, const void* in, size_t bytes)
{
    ElasticSystem* s = system;
    if (!elastic_load(s->set, in, bytes))
        return false;
    for (size_t k = 0; k < s->all.count; k++)
        if (s->all.solid[k].system == s && !elastic_follow_surface(&s->all.solid[k]))
            return false;
    elastic_system_place(s);
    return true;
}

static bool elastic_system_register(void* system, Register* reg)
{
    const StateGrowing record = {"elastic", PER_VERTEX, system, state_bytes, state_save, state_load};
    return register_growing(reg, &record);
}

// --- what others ask and change

static const char* elastic_system_message(const void* system)
{
    return elastic_message(((const ElasticSystem*)system)->set);
}

static bool elastic_system_no_memory(const void* system)
{
    return elastic_no_memory(((const ElasticSystem*)system)->set);
}

static double elastic_system_longest_step(const void* system)
{
    const ElasticSystem* s = system;
    double dt = INFINITY;
    for (size_t k = 0; k < elastic_count(s->set); k++)
        dt = fmin(dt, elastic_carrying_step(s->set, (int)k, true));
    return dt;
}

static void elastic_system_add_totals(const void* system, SolidTotals* totals)
{
    ElasticTotals t = elastic_totals(((const ElasticSystem*)system)->set);
    totals->kinetic += t.kinetic;
    totals->potential += t.gravitational + t.strain;
    totals->momentum = vec3d_add(totals->momentum, t.momentum);
    totals->angular_momentum = vec3d_add(totals->angular_momentum, t.angular_momentum);
    totals->broken_faces += elastic_opened(((const ElasticSystem*)system)->set);
}

static bool elastic_system_fracture(void* system, double time)
{
    ElasticSystem* s = system;
    size_t opened, before = elastic_opened(s->set);
    if (!elastic_break(s->set, &opened))
        return false;
    for (size_t k = 0; opened && k < s->all.count; k++)
        if (s->all.solid[k].system == s && !elastic_follow_surface(&s->all.solid[k]))
            return false;
    if (opened && before == 0) // once: it goes on for many steps
        log_say(s->setting.log, MN_LOG_INFO, "elastic solids begin to break at t = %.6g s", time);
    return true;
}

static void elastic_system_set_gravity(void* system, Vec3d gravity)
{
    elastic_set_gravity(((ElasticSystem*)system)->set, gravity);
}

static int elastic_system_find_pin(const void* system, const char* name)
{
    const ElasticSystem* s = system;
    for (size_t k = 0; k < s->pin_count; k++)
        if (s->pin[k].name && !strcmp(s->pin[k].name, name))
            return (int)k;
    return -1;
}

static void elastic_system_release_pin(void* system, int hold, double time)
{
    ElasticSystem* s = system;
    const SolidPin* pin = &s->pin[hold];
    log_say(s->setting.log, MN_LOG_INFO, "pin '%s' is released at t = %.6g s", pin->name, time);
    elastic_release_pin(s->set, (int)s->all.solid[pin->solid].index, pin->pin);
}

static bool elastic_system_can_immerse(const mn_SolidDef* def)
{
    return def->model == MN_ELASTIC_REDUCED;
}

const SolidSystem elastic_system = {.name = "elastic solids",
                                    .type = MN_SOLID_ELASTIC,
                                    .create = elastic_system_create,
                                    .add = elastic_system_add,
                                    .prepare = elastic_system_prepare,
                                    .register_state = elastic_system_register,
                                    .warn = elastic_warn,
                                    .destroy = elastic_system_destroy,
                                    .predict = elastic_system_predict,
                                    .step = elastic_system_step,
                                    .place = elastic_system_place,
                                    .message = elastic_system_message,
                                    .no_memory = elastic_system_no_memory,
                                    .longest_step = elastic_system_longest_step,
                                    .fracture = elastic_system_fracture,
                                    .extend = elastic_system_extend,
                                    .try_add = elastic_system_try,
                                    .can_immerse = elastic_system_can_immerse,
                                    .remove = elastic_system_remove,
                                    .change_contact = elastic_system_change_contact,
                                    .change_material = elastic_system_change_material,
                                    .add_totals = elastic_system_add_totals,
                                    .set_gravity = elastic_system_set_gravity,
                                    .find_hold = elastic_system_find_pin,
                                    .release_hold = elastic_system_release_pin};
