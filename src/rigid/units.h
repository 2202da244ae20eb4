// SPDX-License-Identifier: MIT
// What ODE's numbers mean. ODE has limits in absolute numbers (a vector below 1e-8 or so has no direction for it), so it is handed
// lengths, times and masses in units of the scene: the size and mass of its smallest free body, and the time in which that falls
// its own size. They are powers of two, so that nothing is rounded on the way and results do not depend on them. All else is SI.
#ifndef RIGID_UNITS_H
#define RIGID_UNITS_H

#include <math.h>

// [SI] of one unit
typedef struct Units {
    double length, time, mass;
    double velocity, acceleration, force, torque, inertia;
} Units;

static inline double power_of_two(double x)
{
    return exp2(round(log2(x)));
}

static inline Units units_for(double size, double gravity, double mass) // [m], [m/s2], [kg]
{
    Units u = {.length = power_of_two(size), .mass = power_of_two(mass)};
    u.time = power_of_two(sqrt(size / (gravity > 0 ? gravity : 10)));
    u.velocity = u.length / u.time;
    u.acceleration = u.velocity / u.time;
    u.force = u.mass * u.acceleration;
    u.torque = u.force * u.length;
    u.inertia = u.mass * u.length * u.length;
    return u;
}

#endif
