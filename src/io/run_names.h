// SPDX-License-Identifier: MIT
// The names of the files in a run folder, the same for writing and for reading.
#ifndef IO_RUN_NAMES_H
#define IO_RUN_NAMES_H

#include "io/series.h"

#define RUN_SCENE "scene.json"
#define RUN_STATS "stats.csv"
#define RUN_BODIES "bodies.csv"
#define RUN_PROBES "probes.csv"
#define RUN_PROBES_EVERY "probes_every_" // of probes with a rate of their own, see probe_tables.h
#define RUN_UNITS "units.csv"
#define RUN_FRAMES "frames"
#define RUN_SOLIDS "solids"
#define RUN_SURFACE "surface"
#define RUN_CHECKPOINT "checkpoint.mnc"
#define RUN_LOG "run.log"
#define RUN_FOAM "foam.csv" // of `meniscus foam`
#define RUN_START "start_"  // particles of a fluid that a run from a checkpoint begins with: start_water.vtp

// Columns of stats.csv and bodies.csv; probes.csv has frame, time and a column per probe.
#define RUN_STATS_COLUMNS                                                                                                          \
    "frame,time,steps,dt,fluid_particles,boundary_particles,density_error_mean,density_error_max,"                                 \
    "iterations,kinetic_energy,potential_energy,momentum_x,momentum_y,momentum_z,lost_particles,leaked_particles,seconds,"         \
    "diffuse_particles,broken_faces,residual_divergence\n"
#define RUN_BODIES_COLUMNS "frame,time,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,fx,fy,fz,tx,ty,tz\n"

typedef struct RunNames {
    size_t fluid_count, solid_count;
    char (*fluid)[SERIES_NAME]; // series of each fluid's particles, of the boundary's, of solids that move, of foam
    char (*solid)[SERIES_NAME];
} RunNames;

// Series behind those of the fluids.
static inline size_t names_boundary(const RunNames* names)
{
    return names->fluid_count;
}
static inline size_t names_moving(const RunNames* names)
{
    return names->fluid_count + 1;
}

static inline size_t names_foam(const RunNames* names)
{
    return names->fluid_count + 2;
}

mn_Result run_names_make(RunNames* names, const mn_Scene* scene, mn_Error* error);
void run_names_free(RunNames* names);

#endif
