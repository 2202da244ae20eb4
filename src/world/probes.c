// SPDX-License-Identifier: MIT
// What probes measure, at the end of a step.
#include "world/world_parts.h"

#include "base/error.h"
#include "defs/check.h"
#include "defs/keys.h"
#include <stdlib.h>
#include <string.h>

static Vec3d up_of(const mn_World* world)
{
    Vec3d g = world->def.gravity;
    return vec3d_length(g) > 0 ? vec3d_scale(vec3d_normalise(g), -1) : vec3d(0, 1, 0);
}

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

// A vertical line and the particles within a spacing of it.
typedef struct Gauge {
    Vec3d foot, up;
    double reach; // [m]
} Gauge;

static bool gauge_meets(const Gauge* gauge, Vec4 particle, double* level)
{
    Vec3d x = {(double)particle.x, (double)particle.y, (double)particle.z};
    *level = vec3d_dot(gauge->up, x);
    Vec3d aside = vec3d_mad(vec3d_sub(x, gauge->foot), -(*level - vec3d_dot(gauge->up, gauge->foot)), gauge->up);
    return vec3d_dot(aside, aside) <= gauge->reach * gauge->reach;
}

// The highest solid on the line below `level`, -infinity if there is none.
static double floor_below(const mn_World* world, const Gauge* gauge, double level)
{
    double floor = -INFINITY, at;
    for (size_t k = 0; k < world->boundary.count; k++)
        if (gauge_meets(gauge, world->boundary.position[k], &at) && at < level)
            floor = fmax(floor, at);
    return floor;
}

// Level up to which the vertical line through the point is wet from the floor on, without a gap of two spacings: drops and
// splashes above do not count, as with the wire gauges of experiments.
static double fluid_height(const mn_World* world, const Probe* probe, Vec3d p)
{
    const Vec4* position = *world->particles.position;
    double r = world->def.particle_radius, gap = 4 * r, height = 0;
    Gauge gauge = {p, vec3d_length(probe->up) > 0 ? vec3d_normalise(probe->up) : up_of(world), 2 * r};
    size_t count = 0, capacity = 0;
    double *levels = NULL, level;
    for (size_t i = 0; i < moving_count(&world->particles); i++) {
        if (!gauge_meets(&gauge, position[i], &level))
            continue;
        if (!memory_reserve(NULL, &levels, &capacity, count, count + 1, sizeof *levels))
            break;
        levels[count++] = level;
    }
    if (count)
        qsort(levels, count, sizeof *levels, by_value);
    // boundary particles lie behind the surface that one sees; without a floor the fluid may start anywhere
    double above = count ? levels[0] - floor_below(world, &gauge, levels[0]) : 0;
    if (count && (isinf(above) || above <= gap + world->boundary.layer.offset)) {
        size_t top = 0;
        while (top + 1 < count && levels[top + 1] - levels[top] <= gap)
            top++;
        height = levels[top] + r;
    }
    memory_give(NULL, levels);
    return height;
}

static SolidSurface probe_surface(const mn_World* world, const Probe* probe)
{
    const Solid* solid = &world->solids.solid[probe->solid];
    return solid->kind->surface(solid);
}

bool world_probe_vertex(const mn_World* world, Probe* probe)
{
    if (!world->solids.solid[probe->solid].kind->deforms)
        return false;
    SolidSurface surface = probe_surface(world, probe);
    double nearest = INFINITY;
    for (size_t v = 0; v < surface.vertex_count; v++) {
        double distance = vec3d_distance(surface.position[v], probe->position);
        if (distance < nearest) {
            nearest = distance;
            probe->vertex = v;
        }
    }
    probe->position = surface.position[probe->vertex];
    return true;
}

// Pressure of all fluid within the patch.
static double patch_pressure(const mn_World* world, Vec3d p, double radius)
{
    mn_ParticleView view = world->fluid->view(world);
    double sum = 0, count = 0;
    for (size_t i = 0; view.pressure && i < view.count; i++) {
        const float* x = view.position + 4 * i;
        Vec3d away = period_between(&world->scale.period, p, vec3d((double)x[0], (double)x[1], (double)x[2]));
        if (vec3d_dot(away, away) > radius * radius)
            continue;
        sum += (double)view.pressure[i];
        count++;
    }
    return count > 0 ? sum / count : 0;
}

static Vec3d place_of(const mn_World* world, const Probe* probe)
{
    return probe->rides < 0 ? probe->position : solid_to_world(&world->solids.solid[probe->rides], probe->ride.position);
}

ProbeValue world_probe_now(const mn_World* world, const Probe* probe)
{
    Vec3d vector = {0, 0, 0}, at = place_of(world, probe);
    double value = 0;
    switch (probe->type) {
    case MN_PROBE_PRESSURE: {
        // a probe that is barely wet shows what there is, not an extrapolation
        FluidSample t = world->fluid->sample(world, at);
        value = probe->radius > 0 ? patch_pressure(world, at, probe->radius) : t.pressure / fmax(t.weight, 0.25);
        break;
    }
    case MN_PROBE_VELOCITY: {
        FluidSample t = world->fluid->sample(world, at);
        vector = t.weight > 1e-6 ? vec3d_scale(t.velocity, 1 / t.weight) : vector;
        value = vec3d_length(vector);
        break;
    }
    case MN_PROBE_HEIGHT:
        value = fluid_height(world, probe, at);
        break;
    case MN_PROBE_FORCE:
    case MN_PROBE_IMPULSE: // what it is the sum of
        vector = probe->is_part ? probe->part.force : world->solids.solid[probe->solid].force;
        value = vec3d_length(vector);
        break;
    case MN_PROBE_TORQUE:
        vector = probe->is_part ? probe->part.torque : world->solids.solid[probe->solid].torque;
        value = vec3d_length(vector);
        break;
    case MN_PROBE_DISPLACEMENT:
        vector = vec3d_sub(probe_surface(world, probe).position[probe->vertex], probe->position);
        value = vec3d_length(vector);
        break;
    }
    return (ProbeValue){value, vector};
}

double mn_world_probe(const mn_World* world, mn_ProbeId id, mn_Vec3* out_vector)
{
    ProbeValue v = {0};
    if (id > 0 && id <= world->probes.count)
        v = world_probe_shown(world, &world->probes.probe[id - 1]);
    if (out_vector)
        *out_vector = v.vector;
    return v.value;
}

// --- adding

static mn_Result probe_bad(mn_Error* error, const char* key, const char* text, const char* solid)
{
    error_set(error, MN_BAD_INPUT, "solid '%s' %s", solid, text);
    error_key(error, "%s", key);
    return MN_BAD_INPUT;
}

// The solid that a probe is about.
static mn_Result find_solid(const mn_World* world, const mn_ProbeDef* def, Probe* probe, mn_Error* error)
{
    while (probe->solid < world->solids.count && (!def->solid || strcmp(world->solids.solid[probe->solid].name, def->solid) != 0))
        probe->solid++;
    if (probe->solid == world->solids.count) {
        solid_not_found(world->solids.solid, world->solids.count, "solid", def->solid, error);
        return MN_BAD_INPUT;
    }
    const Solid* solid = &world->solids.solid[probe->solid];
    if (def->type == MN_PROBE_DISPLACEMENT)
        return world_probe_vertex(world, probe) ? MN_OK : probe_bad(error, "solid", "is not elastic", def->solid);
    if (!isfinite(def->min.x))
        return MN_OK;
    if (!coupling_method(world->def.coupling.method)->part_force || !world->fluid->traits(world->def.solver.method).has_pairs)
        return probe_bad(error, "min", "has no parts here: expected no min and max, or an SPH method with coupling.method akinci",
                         def->solid);
    if (solid->kind->deforms)
        return probe_bad(error, "min", "deforms: the force on a part of it is not known, expected no min and max", def->solid);
    probe->is_part = true;
    probe->part = (WallPart){.solid = probe->solid, .box = {def->min, def->max}, .start = solid->pose};
    if (world->def.dimension == 2) {
        probe->part.box.min.z = -INFINITY;
        probe->part.box.max.z = INFINITY;
    }
    return MN_OK;
}

mn_ProbeId mn_world_add_probe(mn_World* world, const mn_ProbeDef* def, mn_Error* error)
{
    Probe probe = {.type = def->type, .position = def->position, .rides = -1, .radius = def->radius, .up = def->direction};
    if (world_check_def(world, &probe_section, world->probes.count, def, error) != MN_OK)
        return 0;
    bool of_solid = def->type == MN_PROBE_FORCE || def->type == MN_PROBE_DISPLACEMENT || def->type == MN_PROBE_IMPULSE ||
                    def->type == MN_PROBE_TORQUE;
    mn_Pose pose = {def->position, quat_identity()};
    if (!of_solid && world_ride(world, def->solid, &pose, &probe.rides, &probe.ride, error) != MN_OK)
        return 0;
    if (of_solid && find_solid(world, def, &probe, error) != MN_OK)
        return 0;
    probe.name = strdup(def->name ? def->name : "");
    if (!probe.name || !world_keep_def(world, &probe_section, def) || !probe_series_init(&probe.series, def, world->state.time) ||
        !memory_reserve(&world->memory, &world->probes.probe, &world->probes.capacity, world->probes.count, world->probes.count + 1,
                        sizeof *world->probes.probe)) {
        free(probe.name);
        probe_series_free(&probe.series);
        error_set(error, MN_OUT_OF_MEMORY, "no memory for a probe");
        return 0;
    }
    world->probes.probe[world->probes.count++] = probe;
    return (mn_ProbeId)world->probes.count;
}

void world_free_probes(mn_World* world)
{
    for (size_t k = 0; k < world->probes.count; k++) {
        free(world->probes.probe[k].name);
        probe_series_free(&world->probes.probe[k].series);
    }
    memory_give(&world->memory, world->probes.probe);
}
