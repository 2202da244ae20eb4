// SPDX-License-Identifier: MIT
#include "shot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FLUIDS_SHOWN = 256 };

static bool take_particles(Shot* shot, const mn_World* world, Vec3d up, Field colour)
{
    double density[MOST_FLUIDS_SHOWN];
    for (mn_FluidId k = 1; k <= MOST_FLUIDS_SHOWN; k++)
        density[k - 1] = mn_world_fluid(world, k).density;
    mn_ParticleView view = mn_world_particles(world);
    size_t n = view.count;
    if (!memory_reserve(NULL, &shot->position, &shot->position_capacity, 0, 3 * n + 3, sizeof(float)) ||
        !memory_reserve(NULL, &shot->scalar, &shot->scalar_capacity, 0, n + 1, sizeof(float)) ||
        !memory_reserve(NULL, &shot->fluid, &shot->fluid_capacity, 0, n + 1, 1))
        return false;
    for (size_t i = 0; i < n; i++) {
        memcpy(shot->position + 3 * i, view.position + 4 * i, 3 * sizeof(float));
        shot->fluid[i] = view.fluid[i];
        shot->scalar[i] = field_value(colour, &view, i, density, up);
    }
    shot->count = n;
    return true;
}

static bool take_boundary(Shot* shot, const mn_World* world, bool wanted)
{
    mn_BoundaryView view = wanted ? mn_world_boundary(world) : (mn_BoundaryView){0};
    if (!memory_reserve(NULL, &shot->boundary, &shot->boundary_capacity, 0, 3 * view.count + 3, sizeof(float)))
        return false;
    for (size_t i = 0; i < view.count; i++)
        memcpy(shot->boundary + 3 * i, view.position + 4 * i, 3 * sizeof(float));
    shot->boundary_count = view.count;
    return true;
}

static bool take_foam(Shot* shot, const mn_World* world)
{
    mn_FoamView view = mn_world_foam(world);
    size_t n = view.count;
    if (!memory_reserve(NULL, &shot->foam, &shot->foam_capacity[0], 0, 3 * n + 3, sizeof(float)) ||
        !memory_reserve(NULL, &shot->foam_life, &shot->foam_capacity[1], 0, n + 1, sizeof(float)) ||
        !memory_reserve(NULL, &shot->foam_id, &shot->foam_capacity[2], 0, n + 1, sizeof(uint32_t)) ||
        !memory_reserve(NULL, &shot->foam_kind, &shot->foam_capacity[3], 0, n + 1, 1))
        return false;
    for (size_t i = 0; i < n; i++) {
        memcpy(shot->foam + 3 * i, view.position + 4 * i, 3 * sizeof(float));
        shot->foam_life[i] = view.position[4 * i + 3];
        shot->foam_id[i] = view.id[i];
        shot->foam_kind[i] = view.kind[i];
    }
    shot->foam_count = n;
    shot->foam_radius = view.radius;
    return true;
}

static void drop_mesh(ShotSolid* solid)
{
    if (solid->has_model)
        model_free(&solid->model);
    tri_mesh_free(&solid->mesh);
    solid->has_model = false;
}

static bool copy_mesh(TriMesh* mesh, const mn_SolidView* view)
{
    bool ok = true;
    for (size_t k = 0; k < view->vertex_count && ok; k++)
        ok = tri_mesh_add_vertex(mesh, view->vertex[k]);
    for (size_t k = 0; k < view->triangle_count && ok; k++)
        ok = tri_mesh_add_triangle(mesh, view->triangle[k][0], view->triangle[k][1], view->triangle[k][2]);
    for (size_t k = 0; k < view->segment_count && ok; k++)
        ok = tri_mesh_add_segment(mesh, view->segment[k][0], view->segment[k][1]);
    mesh->inner_count = view->inner_count;
    return ok;
}

// Shapes of rigid solids are copied once per world; those of elastic ones each time.
static bool take_solid(ShotSolid* solid, const mn_SolidView* view, uint64_t generation)
{
    snprintf(solid->name, sizeof solid->name, "%s", view->name ? view->name : "");
    solid->pose = view->pose;
    solid->type = view->type;
    solid->inside = view->inside;
    solid->visible = view->visible;
    solid->mass = view->mass;
    solid->centre = vec3d_add(quat_rotate(view->pose.rotation, view->centre), view->pose.position);
    solid->colour = (Vec3){(float)view->colour.x, (float)view->colour.y, (float)view->colour.z};
    bool same = solid->mesh_of == generation && solid->mesh.vertex_count == view->vertex_count &&
                solid->mesh.triangle_count == view->triangle_count;
    if (same && view->type != MN_SOLID_ELASTIC)
        return true;
    if (same) { // the same triangles with other places: normals follow in shot_models()
        memcpy(solid->mesh.vertex, view->vertex, view->vertex_count * sizeof *view->vertex);
        if (solid->has_model)
            model_free(&solid->model);
        solid->has_model = false;
        return true;
    }
    drop_mesh(solid);
    solid->mesh_of = generation;
    return copy_mesh(&solid->mesh, view);
}

static bool take_pins(ShotSolid* solid, const mn_World* world, mn_SolidId id, bool wanted)
{
    size_t most = wanted && solid->type == MN_SOLID_ELASTIC ? solid->mesh.vertex_count : 0;
    if (!memory_reserve(NULL, &solid->pinned, &solid->pinned_capacity, 0, most + 1, sizeof *solid->pinned))
        return false;
    solid->pinned_count = most ? mn_world_pinned(world, id, solid->pinned, most) : 0;
    return true;
}

static bool take_solids(Shot* shot, const mn_World* world, const ShotWish* wish, uint64_t generation)
{
    size_t n = mn_world_solid_count(world), old = shot->solid_capacity;
    if (!memory_reserve(NULL, &shot->solid, &shot->solid_capacity, old, n + 1, sizeof *shot->solid))
        return false;
    if (shot->solid_capacity > old)
        memset(shot->solid + old, 0, (shot->solid_capacity - old) * sizeof *shot->solid);
    for (size_t k = 0; k < n; k++) {
        mn_SolidView view = mn_world_solid(world, (mn_SolidId)(k + 1));
        if (!take_solid(&shot->solid[k], &view, generation) || !take_pins(&shot->solid[k], world, (mn_SolidId)(k + 1), wish->pins))
            return false;
    }
    shot->solid_count = n;
    return true;
}

static void take_numbers(Shot* shot, const mn_World* world, const mn_Scene* scene)
{
    shot->stats = mn_world_stats(world);
    const mn_StageTime* stage;
    size_t stages = mn_world_timing(world, &stage);
    shot->stage_count = stages < SHOT_STAGES ? stages : SHOT_STAGES;
    memcpy(shot->stage, stage, shot->stage_count * sizeof *stage);
    shot->probe_count = scene->probe_count < SHOT_PROBES ? scene->probe_count : SHOT_PROBES;
    for (size_t k = 0; k < shot->probe_count; k++)
        shot->probe[k] = mn_world_probe(world, (mn_ProbeId)(k + 1), NULL);
}

bool shot_take(Shot* shot, const mn_World* world, const Setting* setting, const ShotWish* wish, uint64_t generation)
{
    shot->generation = generation;
    shot->time = mn_world_time(world);
    take_numbers(shot, world, setting->scene);
    return take_particles(shot, world, setting->up, wish->colour) && take_boundary(shot, world, wish->boundary) &&
           take_foam(shot, world) && take_solids(shot, world, wish, generation);
}

bool shot_models(Shot* shot)
{
    for (size_t k = 0; k < shot->solid_count; k++) {
        ShotSolid* solid = &shot->solid[k];
        if (!solid->has_model && !model_build(&solid->model, &solid->mesh))
            return false;
        solid->model.mesh = &solid->mesh; // the array of solids may have moved
        solid->has_model = true;
    }
    return true;
}

void shot_free(Shot* shot)
{
    for (size_t k = 0; k < shot->solid_capacity; k++) {
        drop_mesh(&shot->solid[k]);
        memory_give(NULL, shot->solid[k].pinned);
    }
    memory_give(NULL, shot->position);
    memory_give(NULL, shot->scalar);
    memory_give(NULL, shot->fluid);
    memory_give(NULL, shot->boundary);
    memory_give(NULL, shot->foam);
    memory_give(NULL, shot->foam_life);
    memory_give(NULL, shot->foam_id);
    memory_give(NULL, shot->foam_kind);
    memory_give(NULL, shot->solid);
    *shot = (Shot){0};
}
