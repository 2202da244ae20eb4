// SPDX-License-Identifier: MIT
#include "estimate.h"

#include "base/machine.h"
#include "cli.h"
#include "defs/shapes.h"
#include "fluid/emitter.h"
#include "fluid/hollow.h"
#include "mesh/mass.h"
#include "mesh/shape.h"
#include "mesh/tri_mesh.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Particles that leave a nozzle while the fluid moves on by a spacing. 0 for shapes that cannot be read, which is said when they
// are used.
static double nozzle_layer(const mn_Scene* scene, const mn_Emitter* emitter)
{
    Nozzle nozzle;
    double spacing = 2 * scene->world.particle_radius;
    if (nozzle_init(&nozzle, emitter, spacing, scene->world.dimension, scene->folder, NULL) != MN_OK)
        return 0;
    double layer = nozzle.area / pow(spacing, scene->world.dimension - 1);
    nozzle_free(&nozzle);
    return layer;
}

double estimate_emitted(const mn_Scene* scene, const mn_Emitter* emitter)
{
    double spacing = 2 * scene->world.particle_radius;
    double layer = nozzle_layer(scene, emitter);
    enum { CUTS = 1000 };
    double end = emitter->end < scene->duration ? emitter->end : scene->duration, path = 0;
    double active = end > emitter->start ? end - emitter->start : 0;
    for (int k = 0; k < CUTS; k++)
        path += active / CUTS * emitter_speed(emitter, emitter->start + (k + 0.5) * active / CUTS);
    double count = layer * path / spacing;
    return emitter->limit >= 0 ? fmin(count, (double)emitter->limit) : count;
}

double estimate_memory(double particles, double boundary)
{
    return 350 * particles + 60 * boundary; // measured
}

// [m3] (2D: [m2]) of a mesh to be filled; 0 if it cannot be read, which is said when it is used.
static double shape_volume(const mn_Scene* scene, const mn_Shape* shape, mn_Vec3 scale)
{
    TriMesh mesh = {0};
    double spacing = 2 * scene->world.particle_radius;
    if (shape_build(shape, scene->world.dimension, spacing, scene->folder, &mesh, NULL) != MN_OK)
        return 0;
    tri_mesh_scale(&mesh, scale);
    MassProperties mass;
    double volume = mass_of_union(&mesh, &mass) ? mass.volume : 0;
    tri_mesh_free(&mesh);
    return volume;
}

double estimate_fill(const mn_World* world, const mn_FluidDef* fluid)
{
    int number = solid_find(world->solids.solid, world->solids.count, fluid->fill.solid);
    double d = 2 * world->def.particle_radius, g = vec3d_length(world->def.gravity), wanted = 0;
    Vec3d up = g > 0 ? vec3d_scale(world->def.gravity, -1 / g) : vec3d(0, 1, 0);
    Hollow hollow = {0};
    if (number < 0 || !hollow_fill(&world->solids.solid[number], up, d, world->def.dimension, fluid->fill.level, &hollow, &wanted))
        return 0;
    hollow_free(&hollow);
    return wanted * pow(d, world->def.dimension);
}

double estimate_volume(const mn_Scene* scene, const mn_FluidDef* fluid)
{
    bool flat = scene->world.dimension == 2;
    double volume = 0;
    for (size_t k = 0; k < fluid->block_count; k++) {
        mn_Vec3 min = fluid->blocks[k].min, max = fluid->blocks[k].max;
        volume += (max.x - min.x) * (max.y - min.y) * (flat ? 1 : max.z - min.z);
    }
    for (size_t k = 0; k < fluid->ball_count; k++) {
        double r = fluid->balls[k].radius;
        volume += flat ? M_PI * r * r : 4.0 / 3 * M_PI * r * r * r;
    }
    for (size_t k = 0; k < fluid->fill_count; k++)
        volume += shape_volume(scene, &(mn_Shape){.type = MN_SHAPE_MESH, .file = fluid->fills[k].file}, fluid->fills[k].scale);
    for (size_t k = 0; k < fluid->shape_count; k++)
        volume += shape_volume(scene, &fluid->shapes[k].shape, fluid->shapes[k].scale);
    return volume;
}

static double start_particles(const mn_Scene* scene)
{
    double volume = 0;
    for (size_t f = 0; f < scene->fluid_count; f++)
        volume += estimate_volume(scene, &scene->fluids[f]);
    return volume / pow(2 * scene->world.particle_radius, scene->world.dimension);
}

static double boundary_particles(const mn_Scene* scene)
{
    double count = 0, spacing = 2 * scene->world.particle_radius;
    int dimension = scene->world.dimension;
    for (size_t s = 0; s < scene->solid_count; s++) {
        mn_Vec3 scale = scene->solids[s].scale;
        double stretch = fmax(fabs(scale.x), fmax(fabs(scale.y), dimension == 3 ? fabs(scale.z) : 0));
        count += shape_extent(&scene->solids[s].shape, dimension) * pow(stretch / spacing, dimension - 1);
    }
    return count;
}

int estimate_limit(const char* command, const char* text, double* out)
{
    *out = (double)INFINITY;
    if (!text)
        return -1;
    static const char units[] = "kMGT";
    char* end;
    double value = strtod(text, &end);
    const char* unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
    if (end > text && unit) {
        value *= pow(1000, (double)(unit - units) + 1);
        end++;
    }
    if (end == text || *end || !(value > 0) || !isfinite(value))
        return complain(STATUS_USAGE, "%s: --memory needs a number of bytes above 0 such as 4e9 or 4G, not \"%s\"", command, text);
    *out = value;
    return -1;
}

int estimate_refuse(const mn_Scene* scene, double limit)
{
    double particles = start_particles(scene), boundary = boundary_particles(scene);
    double needs = estimate_memory(particles, boundary);
    bool told = isfinite(limit);
    double has = told ? limit : machine_memory("");
    if (!(needs > has))
        return -1;
    char need_text[32], has_text[32], count[32];
    return complain(STATUS_USAGE, "the scene needs about %s of memory for %s particles, and %s %s; use a larger particle_radius%s",
                    text_bytes(needs, need_text), text_count((uint64_t)(particles + boundary), count),
                    told ? "--memory allows" : "this machine has", text_bytes(has, has_text),
                    told ? "" : ", or --memory BYTES to try all the same");
}
