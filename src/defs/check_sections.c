// SPDX-License-Identifier: MIT
// What concerns several keys of a definition: orders, contradictions, and how many particles it would need.
#include "base/vec.h"
#include "defs/check.h"
#include "defs/defaults.h"
#include "defs/shapes.h"

#include <stdio.h>

static const double MOST_FRAMES = 1e8;

// --- fluids

mn_Result tension_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_TensionDef* tension = object;
    if (tension->sigma != MN_AUTO && tension->gamma != MN_AUTO)
        return def_bad(error, "sigma", "\"sigma\" and \"gamma\" say the same thing: give one of them");
    if (tension->sigma != MN_AUTO && tension->method != MN_TENSION_AKINCI && tension->method != MN_TENSION_CURVATURE)
        return def_bad(error, "sigma",
                       "\"sigma\" is only for akinci and curvature: other methods have no tension that could be calibrated");
    return MN_OK;
}

mn_Result fluid_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_FluidDef* fluid = object;
    if (fluid->viscosity_method == MN_VISCOSITY_XSPH && fluid->viscosity > 1)
        return def_bad(error, "viscosity", "got %g, expected a number from 0 to 1 with xsph", fluid->viscosity);
    return MN_OK;
}

double def_particles_in(double volume, const DefContext* context)
{
    return volume / pow(2 * context->particle_radius, context->dimension);
}

static double block_volume(const mn_Block* block, int dimension)
{
    mn_Vec3 size = vec3d_sub(block->max, block->min);
    return size.x * size.y * (dimension == 3 ? size.z : 1);
}

static double ball_volume(const mn_Ball* ball, int dimension)
{
    double r = ball->radius;
    return dimension == 3 ? 4.0 / 3.0 * M_PI * r * r * r : M_PI * r * r;
}

double def_particles(const mn_FluidDef* fluid, const DefContext* context)
{
    double volume = 0;
    for (size_t k = 0; k < fluid->block_count; k++)
        volume += block_volume(&fluid->blocks[k], context->dimension);
    for (size_t k = 0; k < fluid->ball_count; k++)
        volume += ball_volume(&fluid->balls[k], context->dimension);
    return def_particles_in(volume, context);
}

static mn_Result few_enough(const DefContext* context, double volume, mn_Error* error)
{
    double count = def_particles_in(volume, context);
    if (count <= MOST_PARTICLES)
        return MN_OK;
    return def_bad(error, "", "would hold %.3g particles of radius %g m, more than the %.0f allowed; use a larger particle_radius",
                   count, context->particle_radius, MOST_PARTICLES);
}

static mn_Result corners_in_order(const DefContext* context, mn_Vec3 min, mn_Vec3 max, mn_Error* error)
{
    const double low[] = {min.x, min.y, min.z}, high[] = {max.x, max.y, max.z};
    for (int k = 0; k < context->dimension; k++) {
        if (!(low[k] < high[k]))
            return def_bad(error, "max", "%c is %g, but must be above that of min, %g", "xyz"[k], high[k], low[k]);
    }
    return MN_OK;
}

mn_Result block_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_Block* block = object;
    mn_Result result = corners_in_order(context, block->min, block->max, error);
    return result == MN_OK ? few_enough(context, block_volume(block, context->dimension), error) : result;
}

mn_Result ball_check(const DefContext* context, const void* object, mn_Error* error)
{
    return few_enough(context, ball_volume(object, context->dimension), error);
}

mn_Result fluid_shape_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_FluidShape* fluid = object;
    const ShapeKind* kind = &shape_kinds[fluid->shape.type];
    if (!kind->closed)
        return def_bad(error, "shape", "a %s is open and cannot be filled", kind->name);
    return MN_OK;
}

static mn_Result times_in_order(double start, double end, mn_Error* error)
{
    return start < end ? MN_OK : def_bad(error, "end", "got %g, but it must be after start, %g s", end, start);
}

static mn_Result motion_in_order(const mn_Keyframe* motion, size_t count, mn_Error* error)
{
    for (size_t k = 1; k < count; k++) {
        char key[64];
        snprintf(key, sizeof key, "motion.%zu.time", k);
        if (!(motion[k].time > motion[k - 1].time))
            return def_bad(error, key, "got %g, but times must ascend: the key frame before is at %g s", motion[k].time,
                           motion[k - 1].time);
    }
    return MN_OK;
}

static mn_Result speeds_in_order(const mn_Emitter* emitter, mn_Error* error)
{
    for (size_t k = 1; k < emitter->speed_count; k++) {
        char key[64];
        snprintf(key, sizeof key, "speed.keys.%zu.time", k);
        if (!(emitter->speeds[k].time > emitter->speeds[k - 1].time))
            return def_bad(error, key, "got %g, but times must ascend: the key frame before is at %g s", emitter->speeds[k].time,
                           emitter->speeds[k - 1].time);
    }
    if (emitter->speed_count == 0 && !(emitter->speed + emitter->speed_amplitude > 0))
        return def_bad(error, "speed", "got 0, expected a number above 0 [m/s]");
    return MN_OK;
}

mn_Result emitter_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_Emitter* emitter = object;
    double spacing = 2 * context->particle_radius, depth = emitter->size[emitter->type == MN_EMITTER_BOX];
    double across = emitter->size[0] * (context->dimension == 3 ? depth / spacing : 1) / spacing;
    if (emitter->type == MN_EMITTER_SHAPE && emitter->profile != MN_PROFILE_UNIFORM)
        return def_bad(error, "profile", "only boxes and discs have a parabolic one; shapes are uniform");
    if (across > 1e8 && emitter->type != MN_EMITTER_SHAPE) // that of a shape is found when it is read
        return def_bad(error, "", "would emit %.3g particles at once, more than the 1e8 allowed", across);
    if (speeds_in_order(emitter, error) != MN_OK || motion_in_order(emitter->motion, emitter->motion_count, error) != MN_OK)
        return MN_BAD_INPUT;
    return times_in_order(emitter->start, emitter->end, error);
}

mn_Result drain_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_Drain* drain = object;
    if (drain->type == MN_DRAIN_BOX && corners_in_order(context, drain->min, drain->max, error) != MN_OK)
        return MN_BAD_INPUT;
    return times_in_order(drain->start, drain->end, error);
}

// --- solids

static mn_Result count_boundary(const DefContext* context, const mn_SolidDef* solid, mn_Error* error)
{
    int dimension = context->dimension;
    double spacing = 2 * context->particle_radius;
    double stretch = fmax(fabs(solid->scale.x), fmax(fabs(solid->scale.y), dimension == 3 ? fabs(solid->scale.z) : 0));
    double count = shape_extent(&solid->shape, dimension) * pow(stretch / spacing, dimension - 1);
    return count <= MOST_PARTICLES
               ? MN_OK
               : def_bad(error, "shape",
                         "would need about %.3g boundary particles, more than the %.0f allowed; use a larger particle_radius",
                         count, MOST_PARTICLES);
}

mn_Result solid_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_SolidDef* solid = object;
    const ShapeKind* kind = &shape_kinds[solid->shape.type];
    if (solid->inside && !kind->closed)
        return def_bad(error, "inside", "a %s is open and cannot hold fluid inside", kind->name);
    if (solid->contact_angle != MN_AUTO && solid->adhesion != MN_AUTO)
        return def_bad(error, "contact_angle", "\"contact_angle\" and \"adhesion\" say the same thing: give one of them");
    mn_Result result = motion_in_order(solid->motion, solid->motion_count, error);
    return result == MN_OK ? count_boundary(context, solid, error) : result;
}

mn_Result pin_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_PinDef* pin = object;
    if (pin->solid && pin->motion_count)
        return def_bad(error, "motion", "a pin that is tied to a solid moves with it: give \"solid\" or \"motion\"");
    mn_Result result = pin->select == MN_PIN_REGION ? corners_in_order(context, pin->min, pin->max, error) : MN_OK;
    return result == MN_OK ? motion_in_order(pin->motion, pin->motion_count, error) : result;
}

// --- joints and events

static mn_Result drive_in_order(const mn_JointDef* joint, mn_Error* error)
{
    for (size_t k = 1; k < joint->drive_count; k++) {
        char key[64];
        snprintf(key, sizeof key, "drive.%zu.time", k);
        if (!(joint->drive[k].time > joint->drive[k - 1].time))
            return def_bad(error, key, "got %g, but times must ascend: the one before is at %g s", joint->drive[k].time,
                           joint->drive[k - 1].time);
    }
    return MN_OK;
}

mn_Result joint_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_JointDef* joint = object;
    if (joint->type != MN_JOINT_HINGE && joint->type != MN_JOINT_SLIDER)
        return MN_OK;
    double low = joint->limits[0], high = joint->limits[1];
    if (!(low < high))
        return def_bad(error, "limits", "got [%g, %g], but the first must be below the second", low, high);
    if (joint->type == MN_JOINT_HINGE && isfinite(high - low) && (low < -180 || high > 180))
        return def_bad(error, "limits", "of a hinge must be between -180 and 180 degrees");
    if (low > 0 || high < 0)
        return def_bad(error, "limits", "must include 0, which is where the joint starts");
    if (!(vec3d_length(joint->axis) > 0))
        return def_bad(error, "axis", "must not be zero");
    return drive_in_order(joint, error);
}

bool def_event_builds(const mn_EventDef* e)
{
    return e->remove || e->solid_count || e->joint_count;
}

bool def_event_is_live(const mn_EventDef* e)
{
    return def_event_builds(e) || e->scoop_count || e->pour_count || e->push_count || e->force_count || e->move_count ||
           e->nozzle_count || e->pull_count || e->fluid_change_count || e->solid_change_count;
}

bool def_event_does(const mn_EventDef* e)
{
    return e->release || e->solid || e->has_gravity || e->cut || def_event_is_live(e);
}

mn_Result event_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_EventDef* event = object;
    const char* const key[] = {"velocity", "angular_velocity", "gravity"};
    const bool has[] = {event->has_velocity, event->has_angular_velocity, event->has_gravity};
    const mn_Vec3 vector[] = {event->velocity, event->angular_velocity, event->gravity};
    for (int k = 0; k < 3; k++)
        if (has[k] && !vec3d_finite(vector[k]))
            return def_bad(error, key[k], "must be finite");
    if (event->cut && !(vec3d_length(event->normal) > 0))
        return def_bad(error, "normal", "must not be zero");
    return MN_OK;
}

// --- templates

mn_Result ragdoll_check(const DefContext* context, const void* object, mn_Error* error)
{
    return context->dimension == 3 ? MN_OK : def_bad(error, "", "ragdolls need a scene of dimension 3");
}

mn_Result chain_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_ChainDef* chain = object;
    return vec3d_distance(chain->from, chain->to) > 0 ? MN_OK : def_bad(error, "to", "must not be where from is");
}

// --- pictures

mn_Result camera_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_ViewDef* view = object;
    return vec3d_distance(view->eye, view->target) > 0 ? MN_OK : def_bad(error, "target", "must not be where the eye is");
}

mn_Result light_check(const DefContext* context, const void* object, mn_Error* error)
{
    return vec3d_length(((const mn_LightDef*)object)->direction) > 0 ? MN_OK : def_bad(error, "direction", "must not be zero");
}

mn_Result view_check(const DefContext* context, const void* object, mn_Error* error)
{
    const double* range = ((const mn_ViewDef*)object)->range;
    if (range[0] == MN_AUTO && range[1] == MN_AUTO)
        return MN_OK;
    return range[0] < range[1]
               ? MN_OK
               : def_bad(error, "range", "got [%g, %g], but the first must be below the second", range[0], range[1]);
}

mn_Result foam_look_check(const DefContext* context, const void* object, mn_Error* error)
{
    const int* samples = ((const mn_FoamLook*)object)->occlusion_samples;
    return samples[0] <= samples[1] ? MN_OK
                                    : def_bad(error, "occlusion_samples",
                                              "got [%d, %d], but the first must not be above the second", samples[0], samples[1]);
}

// --- solver and scene

mn_Result solver_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_SolverDef* solver = object;
    if (solver->min_iterations > solver->max_iterations)
        return def_bad(error, "max_iterations", "min_iterations is %d, but must not be above max_iterations, %d",
                       solver->min_iterations, solver->max_iterations);
    if (solver->min_time_step > 0 && solver->max_time_step > 0 && solver->min_time_step > solver->max_time_step)
        return def_bad(error, "max_time_step", "got %g, but it must not be below min_time_step, %g s", solver->max_time_step,
                       solver->min_time_step);
    if (solver->gamma != 1 && solver->gamma != 7)
        return def_bad(error, "gamma", "got %g, expected 1 or 7", solver->gamma);
    return MN_OK;
}

static mn_Result thresholds_check(const char* key, const double pair[2], mn_Error* error)
{
    if ((pair[0] == MN_AUTO && pair[1] == MN_AUTO) || (pair[0] >= 0 && pair[0] < pair[1]))
        return MN_OK;
    return def_bad(error, key, "got [%g, %g], expected two numbers from 0 on, the first below the second", pair[0], pair[1]);
}

mn_Result foam_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_FoamDef* foam = object;
    mn_Result result = thresholds_check("trapped_air", foam->trapped_air, error);
    if (result == MN_OK)
        result = thresholds_check("wave_crest", foam->wave_crest, error);
    if (result == MN_OK)
        result = thresholds_check("kinetic_energy", foam->kinetic_energy, error);
    if (result == MN_OK && foam->spray_below != MN_AUTO && foam->bubbles_above != MN_AUTO &&
        foam->bubbles_above < foam->spray_below)
        return def_bad(error, "bubbles_above", "got %g, but it must not be below spray_below, %g", foam->bubbles_above,
                       foam->spray_below);
    return result;
}

mn_Result sponge_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_Sponge* sponge = object;
    const double low[3] = {sponge->min.x, sponge->min.y, sponge->min.z}, high[3] = {sponge->max.x, sponge->max.y, sponge->max.z};
    for (int k = 0; k < context->dimension; k++)
        if (!(high[k] > low[k]))
            return def_bad(error, "max", "%c is %g, expected above that of min, %g", "xyz"[k], high[k], low[k]);
    return MN_OK;
}

mn_Result probe_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_ProbeDef* probe = object;
    bool force = probe->type == MN_PROBE_FORCE || probe->type == MN_PROBE_IMPULSE || probe->type == MN_PROBE_TORQUE;
    const double low[3] = {probe->min.x, probe->min.y, probe->min.z}, high[3] = {probe->max.x, probe->max.y, probe->max.z};
    static const char* const axis[] = {"x", "y", "z"};
    if ((force || probe->type == MN_PROBE_DISPLACEMENT) && !probe->solid)
        return def_bad(error, "", "\"solid\" is missing: what is measured belongs to one");
    bool part = force && (isfinite(probe->min.x) || isfinite(probe->max.x));
    if (part && !isfinite(probe->min.x))
        return def_bad(error, "min", "is missing, but there is a max");
    for (int k = 0; part && k < context->dimension; k++)
        if (!(low[k] < high[k]))
            return def_bad(error, "max", "%s: got %g, expected more than that of min, %g", axis[k], high[k], low[k]);
    if (force && (probe->count > 1 || probe->rows > 1))
        return def_bad(error, probe->count > 1 ? "count" : "rows",
                       "lines of probes are for pressure, height, velocity and displacement");
    if (probe->count > 1 && !isfinite(probe->to.x))
        return def_bad(error, "to", "is missing: a line of %lld probes needs its last point", (long long)probe->count);
    if (probe->rows > 1 && probe->count > 1 && !isfinite(probe->across.x))
        return def_bad(error, "across", "is missing: %lld rows need the way from the first to the last", (long long)probe->rows);
    if (probe->rows > 1 && probe->count < 2)
        return def_bad(error, "rows", "got %lld, but that is for lines, and count is %lld", (long long)probe->rows,
                       (long long)probe->count);
    if ((double)probe->rows * (double)probe->count > 10000)
        return def_bad(error, "rows", "gives %.0f probes, more than the 10000 allowed", (double)probe->rows * (double)probe->count);
    if (probe->average > 0 && probe->every != MN_AUTO && probe->average / probe->every > 1e5)
        return def_bad(error, "average", "got %g, expected at most 100000 times every, %g s", probe->average, 1e5 * probe->every);
    return MN_OK;
}

// Along periodic axes only the nearest image of a particle may be within reach.
static mn_Result periodic_check(const mn_WorldDef* world, mn_Error* error)
{
    const mn_Domain* d = &world->domain;
    const double size[3] = {d->max.x - d->min.x, d->max.y - d->min.y, d->max.z - d->min.z}, least = 4 * def_support_radius(world);
    bool any = false;
    for (int k = 0; k < 3; k++) {
        any |= world->periodic[k];
        if (world->periodic[k] && world->dimension == 2 && k == 2)
            return def_bad(error, "periodic", "z is periodic, but the scene has dimension 2: expected [x, y]");
        if (world->periodic[k] && !(size[k] >= least))
            return def_bad(error, "domain",
                           "max - min is %g m along %c, which is periodic; expected at least four support radii, %g m", size[k],
                           "xyz"[k], least);
    }
    const char* other = world->solver.method == MN_PRESSURE_FLIP               ? "solver.method flip"
                        : world->coupling.method == MN_COUPLING_DIRECT_FORCING ? "coupling.method direct_forcing"
                                                                               : NULL;
    return any && other ? def_bad(error, "periodic",
                                  "an axis is periodic, which %s does not know; expected no periodic axis, or SPH "
                                  "with coupling.method akinci or gauss",
                                  other)
                        : MN_OK;
}

static mn_Result world_check(const mn_WorldDef* world, mn_Error* error)
{
    if (periodic_check(world, error) != MN_OK)
        return MN_BAD_INPUT;
    double r = world->particle_radius, ratio = def_support_radius(world) / r;
    if (!(ratio > 2.5 - 1e-9 && ratio < 12 + 1e-9))
        return def_bad(error, "support_radius", "got %g, expected from 2.5 to 12 times particle_radius: from %g to %g m",
                       world->support_radius, 2.5 * r, 12 * r);
    // the traction of a surface ends at the support radius
    double rest = world->coupling.rest_distance, most = 0.9 * ratio * r;
    return rest == MN_AUTO || rest <= most ? MN_OK
                                           : def_bad(error, "coupling.rest_distance",
                                                     "got %g, expected at most 0.9 times the support radius, %g m", rest, most);
}

// A time that goes on at all: a step must be seen in a time as large as the duration, and somebody waits for the end.
static mn_Result step_check(const mn_Scene* scene, double step, const char* key, mn_Error* error)
{
    static const double most_steps = 1e12;
    return step == MN_AUTO || scene->duration <= most_steps * step
               ? MN_OK
               : def_bad(error, key,
                         "got %g, but the duration of %g s would take %.3g steps, more than the %g allowed; at least %.3g s", step,
                         scene->duration, scene->duration / step, most_steps, scene->duration / most_steps);
}

mn_Result scene_check(const DefContext* context, const void* object, mn_Error* error)
{
    const mn_Scene* scene = object;
    double frames = scene->duration * scene->frame_rate;
    if (frames > MOST_FRAMES)
        return def_bad(error, "frame_rate", "duration times frame_rate gives %.3g frames, more than the %.0g allowed", frames,
                       MOST_FRAMES);
    mn_Result result = step_check(scene, scene->world.solver.time_step, "solver.time_step", error);
    if (result == MN_OK)
        result = step_check(scene, scene->world.solver.max_time_step, "solver.max_time_step", error);
    if (result != MN_OK)
        return result;
    if (scene->world.dimension == 2 && scene->output.surface != MN_SURFACE_NONE)
        return def_bad(error, "output", "surface: a scene of dimension 2 has no surface; expected none");
    return world_check(&scene->world, error);
}
