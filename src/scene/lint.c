// SPDX-License-Identifier: MIT
#include "scene/lint.h"

#include "base/log.h"
#include "mesh/shape.h"
#include <math.h>
#include <stdio.h>

static Log log_of(const mn_Scene* scene)
{
    return (Log){scene->world.log, scene->world.log_user};
}

// --- what would happen only after the end

static void say_late(const mn_Scene* scene, const char* list, size_t index, double time)
{
    log_say(log_of(scene), MN_LOG_WARNING, "%s.%zu is never used: it is for t = %g s, and the run ends at %g s", list, index, time,
            scene->duration);
}

// What would happen only after the end, often by a wrong unit.
void scene_warn_of_late(const mn_Scene* scene)
{
    char list[48];
    for (size_t k = 0; k < scene->event_count; k++)
        if (scene->events[k].time > scene->duration)
            say_late(scene, "events", k, scene->events[k].time);
    for (size_t k = 0; k < scene->drain_count; k++)
        if (scene->drains[k].start > scene->duration)
            say_late(scene, "drains", k, scene->drains[k].start);
    for (size_t f = 0; f < scene->fluid_count; f++)
        for (size_t k = 0; k < scene->fluids[f].emitter_count; k++)
            if (scene->fluids[f].emitters[k].start > scene->duration) {
                snprintf(list, sizeof list, "fluids.%zu.emitters", f);
                say_late(scene, list, k, scene->fluids[f].emitters[k].start);
            }
    for (size_t s = 0; s < scene->solid_count; s++) {
        const mn_SolidDef* solid = &scene->solids[s];
        if (solid->motion_count > 1 && solid->motion[0].time > scene->duration) {
            snprintf(list, sizeof list, "solids.%zu.motion", s);
            say_late(scene, list, 0, solid->motion[0].time);
        }
    }
}

// --- meshes

static double longest_side(Box3d box)
{
    return fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z));
}

static Box3d around(Box3d box, Vec3d low, Vec3d high)
{
    return (Box3d){vec3d_min(box.min, low), vec3d_max(box.max, high)};
}

// [m] of everything whose size is said in the scene itself; 0: there is nothing. Planes and grids reach as far as one likes, so
// they do not count.
static double size_of_rest(const mn_Scene* scene)
{
    Box3d box = {vec3d(INFINITY, INFINITY, INFINITY), vec3d(-INFINITY, -INFINITY, -INFINITY)};
    for (size_t f = 0; f < scene->fluid_count; f++) {
        const mn_FluidDef* fluid = &scene->fluids[f];
        for (size_t k = 0; k < fluid->block_count; k++)
            box = around(box, fluid->blocks[k].min, fluid->blocks[k].max);
        for (size_t k = 0; k < fluid->ball_count; k++) {
            Vec3d r = vec3d(fluid->balls[k].radius, fluid->balls[k].radius, fluid->balls[k].radius);
            box = around(box, vec3d_sub(fluid->balls[k].centre, r), vec3d_add(fluid->balls[k].centre, r));
        }
    }
    double size = isfinite(box.min.x) ? longest_side(box) : 0;
    for (size_t s = 0; s < scene->solid_count; s++) {
        mn_ShapeType type = scene->solids[s].shape.type;
        Vec3d edge = scene->solids[s].shape.size;
        if (type != MN_SHAPE_MESH && type != MN_SHAPE_TETS && type != MN_SHAPE_PLANE && type != MN_SHAPE_GRID)
            size = fmax(size, fmax(edge.x, fmax(edge.y, edge.z)));
    }
    return size;
}

// Files have no units: those of mechanical drawings are in millimetres, those of other programs in centimetres or inches.
static void warn_of_size(const mn_Scene* scene, const mn_SolidDef* solid, double size, double rest)
{
    static const double far = 100;
    double radius = scene->world.particle_radius;
    double meant = rest > 0 ? rest : 200 * radius;
    bool large = size > far * meant && size > 2000 * radius, small = size * far < meant && size < 4 * radius;
    if (!large && !small)
        return;
    double scale = large ? (size > 300 * meant ? 0.001 : 0.01) : 1000;
    log_say(log_of(scene), MN_LOG_WARNING, "solid '%s' is %.3g m long, %s %.3g m: if its file is in %s, give it \"scale\": %g%s",
            solid->name ? solid->name : "", size, rest > 0 ? "the rest of the scene" : "200 particle radii are", meant,
            !large          ? "kilometres"
            : scale < 0.005 ? "millimetres"
                            : "centimetres",
            scale, large && scale > 0.005 ? "; if in millimetres, 0.001" : "");
}

static void warn_of_faults(const mn_Scene* scene, const mn_SolidDef* solid, const TriMesh* mesh)
{
    TopologyReport report;
    if (!tri_mesh_topology(mesh, &report))
        return;
    const char* name = solid->name ? solid->name : "";
    // an open sheet is one thing, a body with a few holes another; a balloon has a neck
    if (solid->type != MN_SOLID_ELASTIC && !report.closed && report.open_edges > 0 && report.open_edges * 50 < report.edges)
        log_say(log_of(scene), MN_LOG_WARNING,
                "the mesh of solid '%s' has holes: %zu of its %zu edges are open, so it is taken for a sheet", name,
                report.open_edges, report.edges);
    if (report.closed && !report.oriented)
        log_say(log_of(scene), MN_LOG_WARNING, "the mesh of solid '%s': %zu edges lie between triangles that face opposite ways",
                name, report.flipped_edges);
    if (report.nonmanifold_edges)
        log_say(log_of(scene), MN_LOG_WARNING, "the mesh of solid '%s': %zu edges belong to more than two triangles", name,
                report.nonmanifold_edges);
}

void scene_warn_of_meshes(const mn_Scene* scene)
{
    double rest = size_of_rest(scene);
    for (size_t s = 0; s < scene->solid_count && scene->world.log; s++) {
        const mn_SolidDef* solid = &scene->solids[s];
        TriMesh mesh = {0};
        if (solid->shape.type != MN_SHAPE_MESH ||
            shape_build(&solid->shape, scene->world.dimension, scene->world.particle_radius, scene->folder, &mesh, NULL) != MN_OK)
            continue; // what cannot be read is said when it is used
        tri_mesh_scale(&mesh, solid->scale);
        warn_of_size(scene, solid, longest_side(tri_mesh_bounds(&mesh)), rest);
        if (scene->world.dimension == 3)
            warn_of_faults(scene, solid, &mesh);
        tri_mesh_free(&mesh);
    }
}
