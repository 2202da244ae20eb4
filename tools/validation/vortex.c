// SPDX-License-Identifier: MIT
// One cell of the Taylor-Green vortex in the unit square, whose walls are slippery, dies away as
//   u = U e^(-2 pi^2 nu t) sin(pi x) cos(pi y),  v = -U e^(-2 pi^2 nu t) cos(pi x) sin(pi y).
#include "cases.h"
#include "run.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

typedef struct Velocity {
    double x, y;
} Velocity;

typedef struct Flow {
    double speed, nu, time;
} Flow;

static Velocity vortex_velocity(const Flow* flow, double x, double y)
{
    double amplitude = flow->speed * exp(-2 * pi * pi * flow->nu * flow->time);
    return (Velocity){amplitude * sin(pi * x) * cos(pi * y), -amplitude * cos(pi * x) * sin(pi * y)};
}

// Root mean square over the particles of |v - exact|.
static double velocity_error(const Particles* particles, const Flow* flow)
{
    double sum = 0;
    size_t n = particles->table.rows;
    for (size_t i = 0; i < n; i++) {
        Velocity v =
            vortex_velocity(flow, table_get(&particles->table, i, particles->x), table_get(&particles->table, i, particles->y));
        double ex = table_get(&particles->table, i, particles->vx) - v.x, ey = table_get(&particles->table, i, particles->vy) - v.y;
        sum += ex * ex + ey * ey;
    }
    return sqrt(sum / (double)n);
}

static double particle_energy(const Particles* particles)
{
    double sum = 0;
    size_t n = particles->table.rows;
    for (size_t i = 0; i < n; i++)
        sum += pow(table_get(&particles->table, i, particles->vx), 2) + pow(table_get(&particles->table, i, particles->vy), 2);
    return sum / (double)n;
}

static FILE* curve_open(const char* path, const char* header)
{
    FILE* file = fopen(path, "w");
    if (!file)
        give_up("cannot write %s", path);
    fprintf(file, "%s\n", header);
    return file;
}

// arguments: CASE RUN SPEED NU FROM_TIME CURVE.csv
void compare_vortex(char** arguments)
{
    Flow flow = {.speed = atof(arguments[2]), .nu = atof(arguments[3])};
    double from = atof(arguments[4]), worst = 0;
    FILE* file = curve_open(arguments[5], "t,energy,exact");
    Frames frames = frames_list(arguments[1]);
    Series logarithm = {0};
    for (size_t k = 0; k < frames.count; k++) {
        Particles particles = particles_read(frames.path[k]);
        flow.time = particles.time;
        double scale = flow.speed * exp(-2 * pi * pi * flow.nu * flow.time),
               energy = particle_energy(&particles) / (flow.speed * flow.speed);
        fprintf(file, "%.6g,%.6g,%.6g\n", particles.time, energy, 0.5 * scale * scale / (flow.speed * flow.speed));
        if (particles.time >= from) {
            series_add(&logarithm, particles.time, log(energy));
            worst = fmax(worst, velocity_error(&particles, &flow) / flow.speed);
        }
        particles_free(&particles);
    }
    fclose(file);
    double nu = -series_slope(&logarithm, -INFINITY, INFINITY) / (4 * pi * pi);
    judge_relative(arguments[0], "viscosity from the decay [m2/s]", nu, flow.nu, 0.1);
    judge_below(arguments[0], "largest rms velocity error / U", worst, 0.1);
    series_free(&logarithm);
    frames_free(&frames);
}
