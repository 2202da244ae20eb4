// SPDX-License-Identifier: MIT
// What a world shows: particles, solids, probes, statistics.
#include "world/state.h"
#include "world/world_parts.h"

#include <stdlib.h>

double mn_world_time(const mn_World* world)
{
    return world->state.time;
}

double mn_world_expected_step(const mn_World* world)
{
    return world->fluid->expected_step(world, world->state.expected_speed);
}

const Register* world_state_register(const mn_World* world)
{
    return world->reg;
}

mn_Result world_shown(mn_World* world, mn_Result result)
{
    if (world->prepared && result != MN_OUT_OF_MEMORY) // without memory there may be no lists of neighbours
        world->fluid->show(world);
    return result;
}

mn_ParticleView mn_world_particles(const mn_World* world)
{
    mn_ParticleView view = world->fluid->view(world);
    if (!world->prepared)
        view.count = 0;
    return view;
}

mn_BoundaryView mn_world_boundary(const mn_World* world)
{
    return (mn_BoundaryView){world->boundary.count, (const float*)world->boundary.position, world->boundary.solid};
}

size_t mn_world_solid_count(const mn_World* world)
{
    return world->solid_count;
}

mn_SolidView mn_world_solid(const mn_World* world, mn_SolidId id)
{
    if (id == 0 || id > world->solid_count || world->solid[id - 1].removed)
        return (mn_SolidView){.name = "", .pose = {.rotation = {1, 0, 0, 0}}};
    const Solid* s = &world->solid[id - 1];
    SolidBulk bulk = s->kind->bulk ? s->kind->bulk(s) : (SolidBulk){.velocity = s->velocity};
    return (mn_SolidView){.name = s->name,
                          .vertex_count = s->mesh.vertex_count,
                          .triangle_count = s->mesh.triangle_count,
                          .segment_count = s->mesh.segment_count,
                          .vertex = s->mesh.vertex,
                          .triangle = (const uint32_t(*)[3])s->mesh.triangle,
                          .segment = (const uint32_t(*)[2])s->mesh.segment,
                          .pose = s->pose,
                          .velocity = bulk.velocity,
                          .angular_velocity = s->angular_velocity,
                          .force = s->force,
                          .torque = s->torque,
                          .mass = bulk.mass,
                          .centre = bulk.centre,
                          .type = s->type,
                          .inside = s->inside,
                          .visible = s->visible,
                          .asleep = bulk.asleep,
                          .colour = s->colour};
}

// --- probes

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
static double fluid_height(const mn_World* world, Vec3d p)
{
    const Vec4* position = *world->particles.position;
    double r = world->def.particle_radius, gap = 4 * r, height = 0;
    Gauge gauge = {p, up_of(world), 2 * r};
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
    const Solid* solid = &world->solid[probe->solid];
    return solid->kind->surface(solid);
}

bool world_probe_vertex(const mn_World* world, Probe* probe)
{
    if (!world->solid[probe->solid].kind->deforms)
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

double mn_world_probe(const mn_World* world, mn_ProbeId id, mn_Vec3* out_vector)
{
    if (id == 0 || id > world->probe_count)
        return 0;
    const Probe* probe = &world->probe[id - 1];
    Vec3d vector = {0, 0, 0};
    double value = 0;
    switch (probe->type) {
    case MN_PROBE_PRESSURE: {
        // a probe that is barely wet shows what there is, not an extrapolation
        FluidSample t = world->fluid->sample(world, probe->position);
        value = t.pressure / fmax(t.weight, 0.25);
        break;
    }
    case MN_PROBE_VELOCITY: {
        FluidSample t = world->fluid->sample(world, probe->position);
        vector = t.weight > 1e-6 ? vec3d_scale(t.velocity, 1 / t.weight) : vector;
        value = vec3d_length(vector);
        break;
    }
    case MN_PROBE_HEIGHT:
        value = fluid_height(world, probe->position);
        break;
    case MN_PROBE_FORCE:
        vector = world->solid[probe->solid].force;
        value = vec3d_length(vector);
        break;
    case MN_PROBE_DISPLACEMENT:
        vector = vec3d_sub(probe_surface(world, probe).position[probe->vertex], probe->position);
        value = vec3d_length(vector);
        break;
    }
    if (out_vector)
        *out_vector = vector;
    return value;
}

// --- statistics

static void add_solids(const mn_World* world, mn_Stats* s)
{
    SolidTotals t = {s->kinetic_energy, s->potential_energy, s->momentum, s->angular_momentum, 0};
    world_add_totals_of_systems(world, &t);
    s->kinetic_energy = t.kinetic;
    s->potential_energy = t.potential;
    s->momentum = t.momentum;
    s->angular_momentum = t.angular_momentum;
    s->broken_faces = t.broken_faces;
}

static void add_fluids(const mn_World* world, mn_Stats* s)
{
    const Vec4 *position = *world->particles.position, *velocity = *world->particles.velocity;
    double fastest = 0;
    for (size_t i = 0; i < s->fluid_particles; i++) {
        Vec3d x = {(double)position[i].x, (double)position[i].y, (double)position[i].z};
        Vec3d v = {(double)velocity[i].x, (double)velocity[i].y, (double)velocity[i].z};
        double m = world->particle_volume * world_density(world, (int)velocity[i].w);
        s->kinetic_energy += 0.5 * m * vec3d_dot(v, v);
        s->potential_energy -= m * vec3d_dot(world->def.gravity, x);
        s->momentum = vec3d_mad(s->momentum, m, v);
        s->angular_momentum = vec3d_mad(s->angular_momentum, m, vec3d_cross(x, v));
        fastest = fmax(fastest, vec3d_dot(v, v));
    }
    s->max_speed = sqrt(fastest);
}

mn_Stats mn_world_stats(const mn_World* world)
{
    mn_Stats s = {.time = world->state.time,
                  .dt = world->state.last_dt,
                  .steps = world->state.steps,
                  .fluid_particles = moving_count(&world->particles),
                  .boundary_particles = world->boundary.count,
                  .density_error_mean = world->density_error_mean,
                  .density_error_max = world->density_error_max,
                  .iterations = world->state.iterations,
                  .divergence_iterations = world->state.divergence_iterations,
                  .iterations_total = world->state.iterations_total,
                  .divergence_iterations_total = world->state.divergence_iterations_total,
                  .not_converged = world->state.not_converged,
                  .repeated_steps = world->state.repeated_steps,
                  .emitted = world->state.emitted,
                  .drained = world->state.drained,
                  .carved = world->state.carved,
                  .lost_particles = world->state.lost,
                  .expelled_particles = world->state.expelled,
                  .leaked_particles = guard_count_leaks(&world->guard),
                  .diffuse_particles = mn_world_foam(world).count,
                  .memory_bytes = world->memory.bytes,
                  .allocations = world->memory.allocations};
    add_fluids(world, &s);
    add_solids(world, &s);
    return s;
}

size_t mn_world_timing(const mn_World* world, const mn_StageTime** out_stages)
{
    *out_stages = world->stage;
    return world->stage_count;
}
