// SPDX-License-Identifier: MIT
// Elastic solids of a world: from solid defs to bodies, obstacles that they meet, their step and meshes.
#include "world/world_parts.h"

#include "base/clock.h"

#include "base/error.h"
#include "mesh/tet_mesh.h"
#include <stdlib.h>
#include <string.h>

static mn_Result bad(mn_Error* error, const char* key, const char* message)
{
    error_set(error, MN_BAD_INPUT, "%s", message);
    error_key(error, "%s", key);
    return MN_BAD_INPUT;
}

// --- volumes

static double resolution_of(const mn_World* world, const mn_SolidDef* def)
{
    return def->resolution > 0 ? def->resolution : 2 * world->def.particle_radius;
}

static mn_Result box_cells(Vec3d size, double spacing, int cells[3], mn_Error* error)
{
    double wanted[3] = {size.x / spacing, size.y / spacing, size.z / spacing};
    if (!(fmax(wanted[0], 1) * fmax(wanted[1], 1) * fmax(wanted[2], 1) < 2e7))
        return bad(error, "resolution", "would need more than 1e8 tetrahedra; use a larger one");
    for (int k = 0; k < 3; k++)
        cells[k] = wanted[k] < 1 ? 1 : (int)(wanted[k] + 0.5);
    return MN_OK;
}

static void place_tets(TetMesh* tets, const mn_SolidDef* def, bool scale)
{
    Quat turn = quat_normalise(def->pose.rotation);
    for (size_t k = 0; k < tets->point_count; k++) {
        Vec3d p = scale ? vec3d_mul(tets->point[k], def->scale) : tets->point[k];
        tets->point[k] = vec3d_add(quat_rotate(turn, p), def->pose.position);
    }
    // a mirroring scale turns tetrahedra inside out
    if (scale && def->scale.x * def->scale.y * def->scale.z < 0)
        for (size_t k = 0; k < tets->tet_count; k++) {
            uint32_t t = tets->tet[k][0];
            tets->tet[k][0] = tets->tet[k][1];
            tets->tet[k][1] = t;
        }
}

static mn_Result read_tets(const mn_World* world, const mn_SolidDef* def, TetMesh* tets, mn_Error* error)
{
    char path[4096];
    mn_Result result = shape_file(&def->shape, world->folder, path, sizeof path, error);
    if (result == MN_OK)
        result = tet_mesh_read(path, tets, error);
    if (result == MN_OK && (result = tet_mesh_check(tets, error)) != MN_OK)
        error_at(error, path, 0, 0);
    if (result == MN_OK)
        place_tets(tets, def, true);
    return result;
}

static bool keeps_z(mn_Quat rotation)
{
    Vec3d z = quat_rotate(quat_normalise(rotation), vec3d(0, 0, 1));
    return fabs(z.z) > 1 - 1e-9;
}

static mn_Result fill_box(const mn_World* world, const mn_SolidDef* def, TetMesh* tets, mn_Error* error)
{
    Vec3d scale = def->scale, size = vec3d_mul(def->shape.size, vec3d(fabs(scale.x), fabs(scale.y), fabs(scale.z)));
    int cells[3];
    mn_Result result = box_cells(size, resolution_of(world, def), cells, error);
    if (def->plane_strain && keeps_z(def->pose.rotation))
        cells[2] = 1; // nothing depends on z
    if (result == MN_OK && !tet_mesh_box(size, cells, tets))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for tetrahedra");
    if (result == MN_OK)
        place_tets(tets, def, false);
    return result;
}

// Tetrahedra in the world's frame, and the surface that they have if the shape is theirs; other surfaces hang in them.
static mn_Result make_volume(mn_World* world, Solid* solid, const mn_SolidDef* def, TetMesh* tets, uint32_t** point_of,
                             mn_Error* error)
{
    if (!solid->closed)
        return bad(error, "structure", "a volume needs a closed shape; this one has open edges");
    if (def->shape.type != MN_SHAPE_BOX && def->shape.type != MN_SHAPE_TETS)
        return tet_mesh_fill(&solid->mesh, resolution_of(world, def), tets, error);
    mn_Result result = def->shape.type == MN_SHAPE_TETS ? read_tets(world, def, tets, error) : fill_box(world, def, tets, error);
    if (result != MN_OK)
        return result;
    TriMesh surface = {0};
    if (!tet_mesh_surface(tets, &surface, point_of) || !solid_set_mesh(solid, &surface, &world->memory))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for the surface of tetrahedra");
    return MN_OK;
}

// --- bodies

static bool is_volume(const Solid* solid, const mn_SolidDef* def)
{
    return def->structure == MN_STRUCTURE_VOLUME || (def->structure == MN_STRUCTURE_AUTO && solid->closed);
}

static mn_Result check_elastic(const mn_World* world, const Solid* solid, const mn_SolidDef* def, mn_Error* error)
{
    if (world->def.dimension != 3)
        return bad(error, "type", "elastic solids need a scene in 3D");
    if (def->inside)
        return bad(error, "inside", "an elastic solid cannot be a container; a closed sheet holds fluid as it is");
    if (def->shape.type == MN_SHAPE_ROD || solid->mesh.triangle_count == 0)
        return bad(error, "shape", "an elastic solid needs triangles or tetrahedra");
    if (def->model == MN_ELASTIC_FEM && !is_volume(solid, def))
        return bad(error, "model", "fem is for volumes; a sheet needs mass_points, or a closed shape of its thickness");
    return MN_OK;
}

static bool keep_pins(mn_World* world, size_t solid, const mn_SolidDef* def)
{
    if (!memory_reserve(&world->memory, &world->pin, &world->pin_capacity, world->pin_count, world->pin_count + def->pin_count,
                        sizeof *world->pin))
        return false;
    for (size_t k = 0; k < def->pin_count; k++) {
        const mn_PinDef* from = &def->pins[k];
        WorldPin* to = &world->pin[world->pin_count++];
        *to = (WorldPin){.def = *from, .solid = solid, .index = k, .other = -1, .pin = -1};
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

mn_Result world_add_elastic(mn_World* world, size_t solid, const mn_SolidDef* def, mn_Error* error)
{
    Solid* s = &world->solid[solid];
    if (!memory_reserve(&world->memory, &world->elastic_of, &world->elastic_of_capacity, solid, solid + 1,
                        sizeof *world->elastic_of))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a solid");
    world->elastic_of[solid] = -1;
    if (def->type != MN_SOLID_ELASTIC)
        return MN_OK;
    mn_Result result = check_elastic(world, s, def, error);
    if (result != MN_OK)
        return result;
    double spacing = 2 * world->def.particle_radius;
    if (!world->elastic && !(world->elastic = elastic_create(&world->memory, world->pool, world->def.gravity, spacing)))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for elastic solids");
    TetMesh tets = {0};
    uint32_t* point_of = NULL;
    bool volume = is_volume(s, def);
    if (volume)
        result = make_volume(world, s, def, &tets, &point_of, error);
    if (result == MN_OK) {
        ElasticBodyDef body = {.model = def->model,
                               .surface = &s->mesh,
                               .tets = volume ? &tets : NULL,
                               .point_of = point_of,
                               .density = def->density,
                               .thickness = def->thickness > 0 ? def->thickness : 0.1 * spacing,
                               .young = def->young,
                               .poisson = def->poisson,
                               .damping = def->damping,
                               .drag = def->drag,
                               .substeps = (int)def->substeps,
                               .integrator = def->integrator,
                               .plane_strain = def->plane_strain,
                               .friction = def->contact_friction,
                               .self_contact = def->self_contact,
                               .contact = def->contact != MN_CONTACT_NONE,
                               .velocity = def->velocity,
                               .angular_velocity = def->angular_velocity};
        result = elastic_add_body(world->elastic, &body, &world->elastic_of[solid], error);
    }
    tet_mesh_free(&tets);
    memory_give(NULL, point_of);
    if (result == MN_OK && !keep_pins(world, solid, def))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for pins");
    return result;
}

void world_free_elastics(mn_World* world)
{
    for (size_t k = 0; k < world->pin_count; k++) {
        free(world->pin[k].name);
        free(world->pin[k].solid_name);
        free(world->pin[k].def.motion);
    }
    elastic_destroy(world->elastic);
    memory_give(&world->memory, world->elastic_of);
    memory_give(&world->memory, world->obstacle_of);
    memory_give(&world->memory, world->pin);
}

// --- obstacles

// All solids that do not deform and want to be touched.
static mn_Result set_obstacles(mn_World* world, mn_Error* error)
{
    world->obstacle_of = memory_take(&world->memory, (world->solid_count + 1) * sizeof *world->obstacle_of);
    if (!world->obstacle_of)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for solids");
    for (size_t k = 0; k < world->solid_count; k++) {
        const Solid* s = &world->solid[k];
        const mn_SolidDef* def = &world->solid_def[k];
        world->obstacle_of[k] = -1;
        if (s->type == MN_SOLID_ELASTIC || def->contact == MN_CONTACT_NONE || s->mesh.triangle_count == 0)
            continue;
        double sheet = def->thickness > 0 ? def->thickness : 2 * world->def.particle_radius;
        ElasticObstacleDef obstacle = {.mesh = &s->mesh,
                                       .test = s->test,
                                       .closed = s->closed,
                                       .container = s->inside,
                                       .thickness = s->closed || s->type != MN_SOLID_RIGID ? 0 : 0.5 * sheet,
                                       .friction = def->contact_friction,
                                       .bound_centre = s->bound_centre,
                                       .bound_radius = s->bound_radius,
                                       .pose = s->pose};
        world->obstacle_of[k] = elastic_add_obstacle(world->elastic, &obstacle);
        if (world->obstacle_of[k] < 0)
            return error_set(error, MN_OUT_OF_MEMORY, "no memory for solids");
    }
    return MN_OK;
}

static bool is_tied_to(const mn_World* world, size_t elastic, size_t other)
{
    for (size_t k = 0; k < world->pin_count; k++)
        if (world->pin[k].solid == elastic && world->pin[k].other == (int)other)
            return true;
    return false;
}

static size_t count_within(const Solid* elastic, const Solid* other, double depth)
{
    size_t count = 0;
    for (size_t v = 0; v < elastic->mesh.vertex_count; v++) {
        Vec3d p = solid_to_local(other, elastic->mesh.vertex[v]);
        count += inside_contains(other->test, p) && inside_distance(other->test, p, depth, NULL, NULL) >= depth;
    }
    return count;
}

// Where an elastic solid starts: in a hard one, or in no container although there are some, is hardly ever meant.
static void warn_of_places(const mn_World* world)
{
    double depth = 0.25 * world->def.particle_radius;
    for (size_t k = 0; k < world->solid_count; k++) {
        const Solid* elastic = &world->solid[k];
        if (world->elastic_of[k] < 0 || world->solid_def[k].contact == MN_CONTACT_NONE)
            continue;
        size_t contained = 0;
        for (size_t j = 0; j < world->solid_count; j++) {
            const Solid* other = &world->solid[j];
            if (world->obstacle_of[j] < 0 || !other->closed || is_tied_to(world, k, j))
                continue;
            size_t within = count_within(elastic, other, depth);
            if (other->inside)
                contained += within;
            else if (within)
                world_log(world, MN_LOG_WARNING, "solids '%s' and '%s' start overlapping; they will be pushed apart", elastic->name,
                          other->name);
        }
        if (world->contained && contained == 0)
            world_log(world, MN_LOG_WARNING, "solid '%s' starts outside of all containers", elastic->name);
    }
}

static bool boxes_meet(Box3d a, Box3d b)
{
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y && a.min.z <= b.max.z &&
           b.min.z <= a.max.z;
}

// One elastic solid in another: a vertex or the middle deep within, or, for sheets and copies, surfaces that coincide.
static bool is_in_elastic(const Solid* solid, const InsideTest* test, bool closed, double radius)
{
    double depth = 0.25 * radius, same = 1e-3 * radius;
    size_t within = 0, on = 0, count = solid->mesh.vertex_count;
    Vec3d middle = {0};
    for (size_t v = 0; v < count; v++) {
        Vec3d p = solid->mesh.vertex[v];
        double distance = inside_distance(test, p, depth, NULL, NULL);
        on += distance < same;
        within += closed && distance >= depth && inside_contains(test, p);
        middle = vec3d_add(middle, vec3d_scale(p, 1 / (double)count));
    }
    bool around = closed && inside_contains(test, middle) && inside_distance(test, middle, depth, NULL, NULL) >= depth;
    return within || 2 * on > count || (around && solid->closed);
}

static bool touches_others(const mn_World* world, size_t solid)
{
    return world->elastic_of[solid] >= 0 && world->solid_def[solid].contact != MN_CONTACT_NONE &&
           world->solid[solid].mesh.vertex_count > 0;
}

static void warn_of_elastics_in_elastics(const mn_World* world)
{
    double radius = world->def.particle_radius;
    for (size_t j = 0; j < world->solid_count; j++) {
        const Solid* one = &world->solid[j];
        Box3d box = tri_mesh_bounds(&one->mesh);
        InsideTest* test = NULL;
        for (size_t k = j + 1; touches_others(world, j) && k < world->solid_count; k++) {
            const Solid* other = &world->solid[k];
            if (!touches_others(world, k) || !boxes_meet(box, tri_mesh_bounds(&other->mesh)))
                continue;
            test = test ? test : inside_create(&one->mesh, NULL);
            InsideTest* reverse = inside_create(&other->mesh, NULL);
            // without memory for a warning the run will say so soon enough
            if ((test && is_in_elastic(other, test, one->closed, radius)) ||
                (reverse && is_in_elastic(one, reverse, other->closed, radius)))
                world_log(world, MN_LOG_WARNING, "solids '%s' and '%s' start overlapping; they will be pushed apart", one->name,
                          other->name);
            inside_destroy(reverse);
        }
        inside_destroy(test);
    }
}

mn_Result world_place_elastics(mn_World* world, mn_Error* error)
{
    if (!world->elastic)
        return MN_OK;
    for (size_t k = 0; k < world->solid_count; k++)
        if (world->elastic_of[k] >= 0)
            elastic_bind_solid(world->elastic, world->elastic_of[k], &world->solid[k]);
    mn_Result result = world_set_pins(world, error);
    if (result == MN_OK)
        result = set_obstacles(world, error);
    if (result == MN_OK)
        warn_of_places(world);
    if (result == MN_OK)
        warn_of_elastics_in_elastics(world);
    return result;
}

void world_check_stiffness(const mn_World* world)
{
    double dt = world->sph.solver.time_step > 0 ? world->sph.solver.time_step : world->most_dt;
    for (size_t k = 0; world->elastic && k < world->solid_count; k++) {
        if (world->elastic_of[k] < 0)
            continue;
        double longest = elastic_longest_step(world->elastic, world->elastic_of[k]);
        double wet = elastic_carrying_step(world->elastic, world->elastic_of[k], false);
        if (dt > 4 * wet && !(world->sph.solver.time_step > 0))
            world_log(world, MN_LOG_INFO, "solid '%s' is stiff: steps are at most %.3g s while it is wet; fem has no such limit",
                      world->solid[k].name, wet);
        if (dt > longest)
            world_log(world, MN_LOG_WARNING,
                      "solid '%s' is too stiff for steps of %.3g s: it will stretch more than its modulus says where steps are "
                      "longer than "
                      "%.3g s; lower young or thickness, give it fewer vertices, set solver.max_time_step or substeps",
                      world->solid[k].name, dt, longest);
    }
}

// [Pa] of a column of the heaviest fluid as high as what the scene lets it fall
static double expected_pressure(const mn_World* world)
{
    double density = 0;
    for (int k = 0; k < world->sph.material_count; k++)
        density = fmax(density, world->sph.material[k].unused ? 0 : (double)world->sph.material[k].density);
    return 0.5 * density * world->expected_speed * world->expected_speed;
}

void world_check_softness(const mn_World* world)
{
    double pressure = expected_pressure(world);
    for (size_t k = 0; world->elastic && k < world->solid_count; k++) {
        double bulk = world->elastic_of[k] < 0 ? (double)INFINITY : elastic_bulk_modulus(world->elastic, world->elastic_of[k]);
        if (bulk < pressure)
            world_log(
                world, MN_LOG_WARNING,
                "solid '%s' resists compression with %.3g Pa, but the fluid may press with %.3g Pa: it will be crushed; raise "
                "young, or poisson towards 0.5 as for jelly or rubber",
                world->solid[k].name, bulk, pressure);
    }
}

// --- the step

// Where a solid's frame is at the end of the step that is being made.
static mn_Pose pose_after(const mn_World* world, size_t k)
{
    const Solid* s = &world->solid[k];
    if (s->type == MN_SOLID_KINEMATIC)
        return solid_pose_at(&world->solid[k], world->state.time);
    if (s->type != MN_SOLID_RIGID)
        return s->pose;
    BodyState state = rigid_state(world->rigid, (int)k);
    Vec3d arm = quat_rotate(state.rotation, rigid_mass(world->rigid, (int)k).centre);
    return (mn_Pose){vec3d_sub(state.position, arm), state.rotation};
}

static void move_pins(mn_World* world, double dt)
{
    mn_Pose still = {.rotation = quat_identity()};
    for (size_t k = 0; k < world->pin_count; k++) {
        const WorldPin* pin = &world->pin[k];
        mn_Pose from = still, to = still;
        if (pin->other >= 0) {
            from = world->solid[pin->other].pose;
            to = pose_after(world, (size_t)pin->other);
        } else if (pin->def.motion_count) {
            from = world_pin_pose(pin, world->state.time - dt);
            to = world_pin_pose(pin, world->state.time);
        }
        elastic_move_pin(world->elastic, world->elastic_of[pin->solid], pin->pin, &from, &to);
    }
}

// Held bodies do not give way.
static void move_carriers(mn_World* world)
{
    for (size_t k = 0; k < world->pin_count; k++) {
        const WorldPin* pin = &world->pin[k];
        if (!pin->leads)
            continue;
        BodyState state = rigid_state(world->rigid, pin->other);
        BodyMass mass = rigid_mass(world->rigid, pin->other);
        ElasticCarrier motion = {.from = world->solid[pin->other].pose,
                                 .to = pose_after(world, (size_t)pin->other),
                                 .velocity = state.velocity,
                                 .spin = state.angular_velocity,
                                 .centre = mass.centre,
                                 .bound = rigid_is_bound(world->rigid, pin->other),
                                 .mass = rigid_is_free(world->rigid, pin->other) ? mass.mass : 0};
        memcpy(motion.inertia, mass.inertia, sizeof motion.inertia);
        elastic_move_carrier(world->elastic, pin->carrier, &motion);
    }
}

// Rigid bodies go where the pins on them let them go.
static void take_carriers(mn_World* world)
{
    for (size_t k = 0; k < world->pin_count; k++) {
        const WorldPin* pin = &world->pin[k];
        if (pin->leads)
            rigid_wake(world->rigid, pin->other);
        if (!pin->leads || !rigid_is_free(world->rigid, pin->other))
            continue;
        ElasticCarrier motion = elastic_carrier(world->elastic, pin->carrier);
        Vec3d arm = quat_rotate(motion.to.rotation, motion.centre);
        BodyState state = {vec3d_add(motion.to.position, arm), motion.to.rotation, motion.velocity, motion.spin};
        rigid_set_state(world->rigid, pin->other, &state);
    }
}

// An impulse [N s] and its moment about the centre of mass [N m s] change a rigid body's velocities.
static void kick_body(mn_World* world, int body, Vec3d impulse, Vec3d moment)
{
    if (!world->rigid || world->solid[body].type != MN_SOLID_RIGID)
        return;
    if (vec3d_length(impulse) > 0)
        rigid_wake(world->rigid, body);
    if (!rigid_is_free(world->rigid, body))
        return;
    BodyState s = rigid_state(world->rigid, body);
    double i[3][3];
    rigid_inverse_inertia(world->rigid, body, i);
    s.velocity = vec3d_mad(s.velocity, 1 / rigid_mass(world->rigid, body).mass, impulse);
    Vec3d turn = {i[0][0] * moment.x + i[0][1] * moment.y + i[0][2] * moment.z,
                  i[1][0] * moment.x + i[1][1] * moment.y + i[1][2] * moment.z,
                  i[2][0] * moment.x + i[2][1] * moment.y + i[2][2] * moment.z};
    s.angular_velocity = vec3d_add(s.angular_velocity, turn);
    rigid_set_state(world->rigid, body, &s);
}

// Pins of models without carriers: the pull acts in the step after.
static void pull_bodies(mn_World* world, double dt)
{
    for (size_t k = 0; k < world->pin_count; k++) {
        const WorldPin* pin = &world->pin[k];
        if (pin->other < 0 || pin->carrier >= 0 || world->solid[pin->other].type != MN_SOLID_RIGID)
            continue;
        Vec3d force, torque;
        elastic_pin_force(world->elastic, world->elastic_of[pin->solid], pin->pin, &force, &torque);
        Vec3d centre = rigid_state(world->rigid, pin->other).position;
        torque = vec3d_sub(torque, vec3d_cross(centre, force));
        kick_body(world, pin->other, vec3d_scale(force, dt), vec3d_scale(torque, dt));
    }
}

// Bodies that are held do not give way within a step, nor do those that joints or contacts may hold.
static void weigh_obstacle(mn_World* world, int solid)
{
    BodyMass mass = rigid_mass(world->rigid, solid);
    ElasticWeight weight = {.inverse_mass = 1 / mass.mass, .centre = mass.centre};
    rigid_inverse_inertia(world->rigid, solid, weight.inverse_inertia);
    elastic_weigh_obstacle(world->elastic, world->obstacle_of[solid], &weight);
}

static void move_obstacles(mn_World* world)
{
    for (size_t k = 0; k < world->solid_count; k++) {
        mn_Pose to = pose_after(world, k);
        if (world->obstacle_of[k] < 0)
            continue;
        elastic_move_obstacle(world->elastic, world->obstacle_of[k], &world->solid[k].pose, &to);
        if (world->solid[k].type == MN_SOLID_RIGID && rigid_is_free(world->rigid, (int)k) && !rigid_is_bound(world->rigid, (int)k))
            weigh_obstacle(world, (int)k);
    }
}

// Where elastic solids took it within the step.
static void shift_body(mn_World* world, int solid)
{
    Vec3d shift;
    Quat turn;
    elastic_obstacle_shift(world->elastic, world->obstacle_of[solid], &shift, &turn);
    if (!(vec3d_length(shift) > 0))
        return;
    BodyState s = rigid_state(world->rigid, solid);
    s.position = vec3d_add(s.position, shift);
    s.rotation = quat_normalise(quat_mul(turn, s.rotation));
    rigid_set_state(world->rigid, solid, &s);
}

static void kick_obstacles(mn_World* world)
{
    for (size_t k = 0; k < world->solid_count; k++) {
        if (world->obstacle_of[k] < 0 || world->solid[k].type != MN_SOLID_RIGID)
            continue;
        shift_body(world, (int)k);
        Vec3d impulse, moment;
        elastic_obstacle_impulse(world->elastic, world->obstacle_of[k], &impulse, &moment);
        Vec3d centre = rigid_state(world->rigid, (int)k).position;
        kick_body(world, (int)k, impulse, vec3d_sub(moment, vec3d_cross(centre, impulse)));
    }
}

void world_show_elastics(mn_World* world)
{
    for (size_t k = 0; world->elastic && k < world->solid_count; k++) {
        if (world->elastic_of[k] < 0)
            continue;
        Solid* solid = &world->solid[k];
        ElasticSurface surface = elastic_surface(world->elastic, world->elastic_of[k]);
        memcpy(solid->mesh.vertex, surface.position, surface.vertex_count * sizeof(Vec3d));
        solid_find_bounds(solid);
    }
}

bool world_move_elastics(mn_World* world, double dt)
{
    move_pins(world, dt);
    move_carriers(world);
    move_obstacles(world);
    double start = clock_seconds();
    bool ok = elastic_step(world->elastic, dt);
    world->elastic_seconds += clock_seconds() - start;
    if (!ok)
        return false;
    take_carriers(world);
    pull_bodies(world, dt);
    kick_obstacles(world);
    world_show_elastics(world);
    return true;
}
