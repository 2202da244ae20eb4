// SPDX-License-Identifier: MIT
// meniscus check: reads and validates a scene, builds it, and says what a run of it would be like. Writes nothing.
#include "base/clock.h"
#include "base/machine.h"
#include "cli.h"
#include "estimate.h"
#include "io/frame.h"
#include "io/points.h"
#include "talk.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Check {
    mn_Scene* scene;
    mn_World* world;
    mn_Stats stats;
    uint64_t* fluid_particles; // per fluid
    uint64_t* solid_particles; // per solid
    double emitted;            // particles that emitters will add, at most
    double limit;              // [bytes] --memory; infinite: not given
    double time_step;          // [s] about what the fastest moments will need
    int warnings;
} Check;

// A line of the report, whatever names are made of.
__attribute__((format(printf, 1, 2))) static void say(const char* format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    puts(text_printable(text));
}

__attribute__((format(printf, 2, 3))) static void warn(Check* check, const char* format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say("warning: %s", text);
    check->warnings++;
}

static void log_line(void* user, mn_LogLevel level, const char* text)
{
    Check* check = user;
    say("%s%s", level == MN_LOG_WARNING ? "warning: " : "", text);
    check->warnings += level == MN_LOG_WARNING;
}

// --- estimates

static bool count_particles(Check* check)
{
    mn_ParticleView fluid = mn_world_particles(check->world);
    mn_BoundaryView boundary = mn_world_boundary(check->world);
    check->fluid_particles = calloc(check->scene->fluid_count + 1, sizeof(uint64_t));
    check->solid_particles = calloc(check->scene->solid_count + 1, sizeof(uint64_t));
    if (!check->fluid_particles || !check->solid_particles)
        return false;
    for (size_t k = 0; k < fluid.count; k++)
        check->fluid_particles[fluid.fluid[k]]++;
    for (size_t k = 0; k < boundary.count; k++)
        check->solid_particles[boundary.solid[k]]++;
    return true;
}

// [bytes] of one particle in a frame file.
static double frame_bytes(mn_ParticleFormat format)
{
    static const double bytes[] = {[MN_PARTICLES_NONE] = 0, [MN_PARTICLES_VTP] = 45,  [MN_PARTICLES_PLY] = 37,
                                   [MN_PARTICLES_VTK] = 45, [MN_PARTICLES_CSV] = 120, [MN_PARTICLES_BGEO] = 45};
    return bytes[format];
}

// --- saying it

static void say_fluids(Check* check)
{
    const mn_Scene* scene = check->scene;
    char count[32];
    for (size_t f = 0; f < scene->fluid_count; f++) {
        const mn_FluidDef* fluid = &scene->fluids[f];
        double filled = (double)check->fluid_particles[f] * pow(2 * scene->world.particle_radius, scene->world.dimension);
        double asked = estimate_volume(scene, fluid) + (fluid->fill.solid ? estimate_fill(check->world, fluid) : 0);
        if (fluid->particle_count > 0)
            asked = 0; // files of particles are taken as they are
        char volume[64] = "";
        if (asked > 0)
            snprintf(volume, sizeof volume, ", %.4g of %.4g %s", filled, asked, scene->world.dimension == 3 ? "m3" : "m2");
        say("  fluid %-16s %12s particles, %g kg/m3%s", fluid->name ? fluid->name : "",
            text_count(check->fluid_particles[f], count), fluid->density, volume);
        if (asked > 0 && check->stats.carved == 0 && check->stats.drained == 0 && fabs(filled - asked) > 0.02 * asked)
            warn(check, "fluid \"%s\" fills %.3g %% of the volume that was asked for; gaps of a few spacings of %g m hold less",
                 fluid->name ? fluid->name : "", 100 * filled / asked, 2 * scene->world.particle_radius);
        for (size_t k = 0; k < fluid->emitter_count; k++)
            check->emitted += estimate_emitted(check->scene, &fluid->emitters[k]);
    }
    if (check->stats.drained > 0)
        say("  drains take %s particles at the start", text_count(check->stats.drained, count));
    if (check->emitted > 0)
        say("  emitters add up to about %s particles", text_count((uint64_t)check->emitted, count));
}

static double without_rounding(double metres)
{
    return fabs(metres) < 1e-12 ? 0 : metres;
}

// In the plane a body turns about z alone.
static void say_mass(const mn_SolidView* solid, bool plane)
{
    mn_Vec3 c = {without_rounding(solid->centre.x), without_rounding(solid->centre.y), without_rounding(solid->centre.z)};
    mn_Vec3 i = solid->inertia;
    if (plane)
        say("        %-16s centre of mass %.4g %.4g m in its frame, inertia %.4g kg m2/m", "", c.x, c.y, i.z);
    else
        say("        %-16s centre of mass %.4g %.4g %.4g m in its frame, inertia %.4g %.4g %.4g kg m2", "", c.x, c.y, c.z, i.x, i.y,
            i.z);
}

static void say_solids(Check* check)
{
    static const char* const types[] = {"static", "kinematic", "rigid", "elastic"};
    char count[32], triangles[32];
    for (size_t s = 0; s < check->scene->solid_count; s++) {
        mn_SolidView solid = mn_world_solid(check->world, (mn_SolidId)(s + 1));
        bool flat = solid.segment_count > solid.triangle_count;
        char mass[64] = "";
        const char* per = check->scene->world.dimension == 2 ? "/m" : "";
        if (solid.mass > 0)
            snprintf(mass, sizeof mass, ", %.4g kg%s", solid.mass, per);
        say("  solid %-16s %12s boundary particles, %s%s, %s %s%s", solid.name, text_count(check->solid_particles[s], count),
            types[solid.type], solid.inside ? " container" : "",
            text_count(flat ? solid.segment_count : solid.triangle_count, triangles), flat ? "segments" : "triangles", mass);
        if (solid.type == MN_SOLID_RIGID)
            say_mass(&solid, check->scene->world.dimension == 2);
    }
}

// [s] that a step takes, from a few at the start; negative: they failed. The world is not looked at after that.
static double measure_step(Check* check)
{
    enum { STEPS = 6 };
    static const double patience = 3; // [s]
    double begin = clock_seconds(), last = 0;
    for (int k = 0; k < STEPS && clock_seconds() - begin < patience; k++) {
        double start = clock_seconds();
        if (mn_world_step(check->world, INFINITY, NULL) != MN_OK)
            return -1;
        last = clock_seconds() - start;
    }
    return last;
}

static void say_run_time(Check* check, double steps)
{
    char text[32];
    double start = (double)check->stats.fluid_particles, all = start + check->emitted, seconds = measure_step(check);
    // emitters fill the scene bit by bit
    double growth = start > 0 ? 0.5 * (start + all) / start : 1;
    if (seconds < 0)
        warn(check, "the first steps fail");
    else if (steps > 0 && (start > 0 || check->emitted <= 0))
        say("  run time    about %s here, by the first steps", text_seconds(seconds * steps * growth, text));
}

// What the other accuracy would give and cost, as measured (docs/validation.md).
static void say_accuracy(const mn_Scene* scene)
{
    mn_Vec3 g = scene->world.gravity;
    if (scene->world.solver.method != MN_PRESSURE_FLIP && scene->world.solver.accuracy == MN_ACCURACY_FAST &&
        (g.x != 0 || g.y != 0 || g.z != 0))
        say("  accuracy    fast; accurate keeps waves in a resting box about ten times as long, for about %s times the time of a "
            "step",
            scene->world.dimension == 3 ? "8" : "3");
}

static void say_effort(Check* check)
{
    const mn_Scene* scene = check->scene;
    double particles = (double)check->stats.fluid_particles + check->emitted;
    double boundary = (double)check->stats.boundary_particles;
    double frames = floor(scene->duration * scene->frame_rate + 1e-6) + 1;
    double step = check->time_step, steps = step > 0 ? scene->duration / step : 0;
    // what the world holds already is the lower bound
    double memory = fmax((double)check->stats.memory_bytes, estimate_memory(particles, boundary)) + 53 * particles;
    double output = frames * (particles * frame_bytes(scene->output.particles) + 400);
    if (scene->output.boundary)
        output += frames * boundary * 28;
    char memory_text[32], output_text[32], count[32];
    say("  time        %g s, %g frames at %g per second", scene->duration, frames, scene->frame_rate);
    say("  time step   about %.2g s%s: about %s steps", step, scene->world.solver.time_step > 0 ? " (fixed)" : " when fastest",
        text_count((uint64_t)steps, count));
    say("  memory      about %s", text_bytes(memory, memory_text));
    double has = isfinite(check->limit) ? check->limit : machine_memory("") + (double)check->stats.memory_bytes;
    if (memory > has)
        warn(check, "that is more than the %s that %s, once all emitters have delivered", text_bytes(has, count),
             isfinite(check->limit) ? "--memory allows" : "this machine has");
    say("  output      about %s", text_bytes(output, output_text));
    say_accuracy(scene);
    say_run_time(check, steps);
    if (scene->duration <= 0)
        warn(check, "the duration is 0: only the first frame would be written");
}

static int say_all(Check* check, const char* path)
{
    if (!count_particles(check))
        return complain(STATUS_IO, "no memory");
    check->stats = mn_world_stats(check->world);
    check->time_step = fmin(mn_world_expected_step(check->world), 1 / check->scene->frame_rate);
    say("%s: %s (%dD, particle radius %g m)", path, check->scene->name ? check->scene->name : "no name",
        check->scene->world.dimension, check->scene->world.particle_radius);
    say_fluids(check);
    say_solids(check);
    say_effort(check);
    if (check->warnings)
        say("valid, with %d warning%s", check->warnings, check->warnings > 1 ? "s" : "");
    else
        say("valid");
    return STATUS_DONE;
}

int command_check(int argc, char** argv)
{
    TextList sets = {0};
    const char* path;
    size_t count;
    const char* memory = NULL;
    const Option options[] = {
        {"set", 's', OPTION_LIST, &sets, "KEY=VALUE", "change a scene key first; repeatable"},
        {"memory", 0, OPTION_TEXT, &memory, "BYTES", "memory that a run may take, as 4G (default: what the machine has)"},
    };
    const Syntax syntax = {.command = "check",
                           .arguments = "SCENE.json",
                           .about = "Reads and validates a scene and says what it would simulate. Writes nothing.",
                           .options = options,
                           .option_count = sizeof options / sizeof *options,
                           .arguments_min = 1,
                           .arguments_max = 1};
    int status = options_parse(&syntax, argc, argv, &path, &count);
    Check check = {0};
    if (status < 0)
        status = estimate_limit("check", memory, &check.limit);
    if (status < 0) {
        mn_Error error = {0};
        check.scene = mn_scene_load(path, sets.item, sets.count, &error);
        if (check.scene)
            status = estimate_refuse(check.scene, check.limit);
        if (check.scene && status < 0) {
            check.scene->world.log = log_line;
            check.scene->world.log_user = &check;
            check.scene->world.read_particles = frame_read_particles;
            check.world = mn_scene_build(check.scene, &error);
        }
        if (status < 0)
            status = check.world ? say_all(&check, path) : complain_error(&error);
        free(check.fluid_particles);
        free(check.solid_particles);
        mn_world_destroy(check.world);
        mn_scene_free(check.scene);
    }
    text_list_free(&sets);
    return status;
}
