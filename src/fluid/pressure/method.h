// SPDX-License-Identifier: MIT
// Pressure methods: same inputs (lists, densities, velocities after all other forces), same outputs (fluid.acceleration and
// P in position.w). Chosen by name at run time, compared on the same scene.
#ifndef FLUID_PRESSURE_METHOD_H
#define FLUID_PRESSURE_METHOD_H

#include "fluid/operators.h"

#define PRESSURE_OMEGA 0.4f // [1] step of a solve's descent, see jacobi.c

typedef struct PressureReport {
    int iterations, divergence_iterations;
    bool converged;       // within tolerance before max_iterations
    double density_error; // [1] mean compression that the solve leaves, predicted
} PressureReport;

typedef struct PressureMethod {
    const char* name;
    mn_Pressure type;
    bool iterates;          // pressures are found by iterations, in which solids can give way
    bool resolves_sound;    // steps must be short enough for the speed of sound
    bool reserve_predicted; // needs Sph.predicted
    // Corrects velocities before other forces, given their divergence in fluid.divergence; may be NULL. Returns whether there was
    // anything to correct: velocities and fluid.acceleration are others then.
    bool (*prepare)(Sph* sph, float dt, PressureReport* report);
    void (*solve)(Sph* sph, float dt, PressureReport* report);
} PressureMethod;

extern const PressureMethod pressure_sesph, pressure_pcisph, pressure_iisph, pressure_dfsph;

const PressureMethod* pressure_find(mn_Pressure type);   // NULL: it is none of SPH
const PressureMethod* pressure_method(mn_Pressure type); // that one, or the usual one
// What solves remember from step to step besides the pressures (Sph.control). False: out of memory.
bool pressure_register(Sph* sph, Register* reg);

// When a solve may stop: the mean error, compression plus `excess` times what pressures are too high, is at most `tolerance` and at
// most `relative` times the mean compression that there would be without pressure. A mean alone does not see that a whole column
// accelerates, because only its lowest layer is compressed by that. For the second wish a solve spends at most `extra` iterations;
// the next step goes on from there.
typedef struct PressureGoal {
    double tolerance, excess, relative;
    int least, most, extra; // iterations
    float lowest;           // [Pa] pressures are at least this: 0, or what Sph.lowest_pressure says
} PressureGoal;

// Whether more than a predicted density within tolerance is asked for (max_pressure_error below 1).
bool pressure_is_checked(const Sph* sph);

PressureGoal pressure_goal(const Sph* sph); // of a density solve, as the scene wants it

// Pressures P >= 0 for: e_i = source_i + dt^2 div a(P)_i = 0 where P > 0 and <= 0 where P = 0, starting from P in position.w;
// source in fluid.source [1]. Leaves a(P) in fluid.acceleration. Returns the iterations; *error the mean |e| reached.
int pressure_jacobi(Sph* sph, float dt, const PressureGoal* goal, double* error);

// The same for e_i = s*_i - 1 with densities s* that `predict` leaves in fluid.source; `prototype` is the least diagonal.
// fluid.source must hold the compression without pressure at the start.
typedef void PredictFn(Sph* sph, float dt);
int pressure_correct(Sph* sph, float dt, float prototype, PredictFn* predict, const PressureGoal* goal, double* error);

// A density solve: predicts compression, solves, and, if the prediction is to be checked, computes densities at the predicted
// positions, adds what the linear prediction missed to the source and solves on, until the true mean is within tolerance.
void pressure_solve_density(Sph* sph, float dt, PressureReport* report);

// Before the first step.
void pressure_begin(Sph* sph);
// After a step: `compression` [1] is the mean at the positions that the last solve led to.
void pressure_compare(Sph* sph, double compression);

// fluid.source = s_i + dt ds/dt(velocity) - 1
void pressure_predict_compression(Sph* sph, float dt);

// P *= factor
void pressure_scale(Sph* sph, float factor);

#endif
