// SPDX-License-Identifier: MIT
// A scene of ours for SPlisHSPlasH, as far as its format goes: one fluid of blocks in boxes that rest or float, with the same
// spacing, tolerances and limits of the step, so that both programs can be timed at the same work.
#include "base/error.h"
#include "base/vec.h"
#include "scene/foreign/foreign.h"
#include "scene/foreign/pretty.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static json_t* point(Vec3d v)
{
    return json_pack("[f, f, f]", v.x, v.y, v.z);
}

static mn_Result refuse(mn_Error* error, const char* key, size_t index, const char* what)
{
    error_set(error, MN_BAD_INPUT, "%s cannot be written for SPlisHSPlasH", what);
    error_key(error, "%s.%zu", key, index);
    return MN_BAD_INPUT;
}

static json_t* configuration(const mn_Scene* scene)
{
    static const int methods[] = {0, 1, 3, 4}; // in the order of mn_Pressure
    const mn_SolverDef* solver = &scene->world.solver;
    bool fixed = solver->time_step > 0;
    json_t* own = json_pack("{s: f, s: f, s: i, s: i}", "maxError", 100 * solver->max_density_error, "maxErrorV",
                            100 * solver->max_divergence_error, "minIterations", solver->min_iterations, "maxIterations",
                            solver->max_iterations);
    json_t* c = json_pack("{s: f, s: o, s: b, s: i, s: i, s: i, s: f, s: f, s: f}", "particleRadius", scene->world.particle_radius,
                          "gravitation", point(scene->world.gravity), "sim2D", scene->world.dimension == 2, "simulationMethod",
                          methods[solver->method], "boundaryHandlingMethod", 0, "cflMethod", fixed ? 0 : 1, "cflFactor",
                          solver->cfl / 0.4, "stopAt", scene->duration, "dataExportFPS", scene->frame_rate);
    json_object_set_new(c, "timeStepSize", json_real(fixed ? solver->time_step : 0.001));
    if (solver->max_time_step > 0)
        json_object_set_new(c, "cflMaxTimeStepSize", json_real(solver->max_time_step));
    if (solver->min_time_step > 0)
        json_object_set_new(c, "cflMinTimeStepSize", json_real(solver->min_time_step));
    json_object_update(c, own); // flat, as all versions but the newest read it...
    static const char* const spaces[] = {"WCSPH", "PCISPH", "IISPH", "DFSPH"};
    json_object_set_new(c, spaces[solver->method], own); // ...and as the newest does
    return c;
}

static mn_Result write_fluid(const mn_Scene* scene, json_t* root, mn_Error* error)
{
    const mn_FluidDef* fluid = scene->fluids;
    if (scene->fluid_count != 1 || fluid->ball_count || fluid->fill_count || fluid->emitter_count)
        return refuse(error, "fluids", 0, "anything but one fluid of blocks");
    json_t* blocks = json_array();
    for (size_t k = 0; k < fluid->block_count; k++) {
        const mn_Block* block = &fluid->blocks[k];
        json_array_append_new(blocks,
                              json_pack("{s: s, s: i, s: o, s: o, s: o}", "id", "Fluid", "denseMode", 0, "start", point(block->min),
                                        "end", point(block->max), "initialVelocity", point(block->velocity)));
    }
    json_object_set_new(root, "FluidBlocks", blocks);
    bool laplace = fluid->viscosity_method == MN_VISCOSITY_LAPLACE || fluid->viscosity_method == MN_VISCOSITY_IMPLICIT;
    double nu = laplace ? fluid->viscosity / fluid->density : 0.01;
    json_object_set_new(root, "Materials",
                        json_pack("[{s: s, s: f, s: i, s: f, s: {s: f}}]", "id", "Fluid", "density0", fluid->density,
                                  "viscosityMethod", 1, "viscosity", nu, "Standard viscosity", "viscosity", nu));
    return MN_OK;
}

static mn_Result write_solid(const mn_SolidDef* solid, size_t number, json_t* bodies, mn_Error* error)
{
    if (solid->shape.type != MN_SHAPE_BOX || solid->type == MN_SOLID_KINEMATIC || solid->type == MN_SOLID_ELASTIC)
        return refuse(error, "solids", number, "anything but static and rigid boxes");
    Vec3d size = solid->shape.size, scale = solid->scale,
          axis = {solid->pose.rotation.x, solid->pose.rotation.y, solid->pose.rotation.z};
    double half = atan2(vec3d_length(axis), solid->pose.rotation.w);
    json_t* body = json_pack("{s: i, s: s, s: o, s: o, s: o, s: f, s: b, s: b, s: b, s: o}", "id", (int)number + 1, "geometryFile",
                             "unit_box.obj", "translation", point(solid->pose.position), "scale",
                             point(vec3d(size.x * scale.x, size.y * scale.y, size.z * scale.z)), "rotationAxis",
                             point(half > 0 ? vec3d_normalise(axis) : vec3d(1, 0, 0)), "rotationAngle", 2 * half, "isDynamic",
                             solid->type == MN_SOLID_RIGID, "isWall", solid->inside, "mapInvert", solid->inside, "color",
                             json_pack("[f, f, f, f]", solid->colour.x, solid->colour.y, solid->colour.z, 1.0));
    if (solid->type == MN_SOLID_RIGID)
        json_object_set_new(body, "density", json_real(solid->density));
    json_array_append_new(bodies, body);
    return MN_OK;
}

char* scene_to_splishsplash(const mn_Scene* scene, mn_Error* error)
{
    json_t *root = json_object(), *bodies = json_array();
    json_object_set_new(root, "Configuration", configuration(scene));
    mn_Result result = write_fluid(scene, root, error);
    for (size_t k = 0; k < scene->solid_count && result == MN_OK; k++)
        result = write_solid(&scene->solids[k], k, bodies, error);
    json_object_set_new(root, "RigidBodies", bodies);
    Page page = {0};
    if (result == MN_OK)
        pretty_json(&page, root, 0);
    char* text = result == MN_OK ? page_take(&page) : NULL;
    json_decref(root);
    if (result == MN_OK && !text)
        error_set(error, MN_OUT_OF_MEMORY, "no memory while converting the scene");
    return text;
}

const char splishsplash_unit_box[] = "# a cube of edge 1 around the origin\n"
                                     "v -0.5 -0.5 -0.5\nv 0.5 -0.5 -0.5\nv 0.5 0.5 -0.5\nv -0.5 0.5 -0.5\n"
                                     "v -0.5 -0.5 0.5\nv 0.5 -0.5 0.5\nv 0.5 0.5 0.5\nv -0.5 0.5 0.5\n"
                                     "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\n"
                                     "f 3 4 8\nf 3 8 7\nf 2 3 7\nf 2 7 6\nf 1 5 8\nf 1 8 4\n";
