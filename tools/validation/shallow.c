// SPDX-License-Identifier: MIT
// The shallow-water equations in a tank that rolls, with the roll that its water allows: an independent answer to the case
// "damper". Depth h and discharge q of a 300th of the tank each, in the tank's frame; fluxes after Harten, Lax and van Leer with
// limited slopes, so that bores lose the energy that a hydraulic jump loses.
#include "cases.h"
#include "series.h"

#include <math.h>

enum { CELLS = 300 };

// Bulian et al. (2010), but the friction of the bearing (docs/validation.md)
static const double length = 0.9, width = 0.062, depth = 0.092, floor_height = -0.47, density = 998, gravity = 9.81;
static const double inertia = 26.9, moment_of_mass = -29.2, mass = 4.978, dry_friction = 0.66, damping = 0.24;

typedef struct Tank {
    double h[CELLS + 2], q[CELLS + 2], weight[CELLS + 2]; // a mirrored cell at each end; weight: pressure per depth / density
    double roll, rate, acceleration;
} Tank;

static double limited(double a, double b)
{
    return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b;
}

static void mirror(Tank* tank)
{
    for (int side = 0; side < 2; side++) {
        int ghost = side ? CELLS + 1 : 0, inner = side ? CELLS : 1;
        tank->h[ghost] = tank->h[inner];
        tank->q[ghost] = -tank->q[inner];
        tank->weight[ghost] = tank->weight[inner];
    }
}

// Of the water on the tank, about its axis: pressure on the floor and on both ends.
static double moment_of_water(const Tank* tank)
{
    double cell = length / CELLS, moment = 0;
    for (int k = 1; k <= CELLS; k++)
        moment -= ((k - 0.5) * cell - length / 2) * tank->weight[k] * tank->h[k] * cell;
    for (int side = 0; side < 2; side++) {
        int k = side ? CELLS : 1;
        double force = (side ? 0.5 : -0.5) * tank->weight[k] * tank->h[k] * tank->h[k];
        moment -= (floor_height + tank->h[k] / 3) * force;
    }
    return moment * density * width;
}

static void turn(Tank* tank, double position, double velocity, double step)
{
    double moment = moment_of_water(tank) - 2 * mass * position * velocity * tank->rate - damping * tank->rate +
                    gravity * moment_of_mass * sin(tank->roll) - mass * gravity * position * cos(tank->roll);
    double whole = inertia + mass * position * position, old = tank->rate;
    double free = old + step * moment / whole, hold = step * dry_friction / whole;
    tank->rate = fabs(free) <= hold ? 0 : free - copysign(hold, free);
    tank->acceleration = (tank->rate - old) / step;
    tank->roll += step * tank->rate;
}

static void fluxes(const Tank* tank, double* of_h, double* of_q) // through the left side of cells 1 .. CELLS + 1
{
    for (int k = 1; k <= CELLS + 1; k++) {
        double h[2], q[2], c = 0.5 * (tank->weight[k - 1] + tank->weight[k]), u[2], slow = 0, fast = 0;
        for (int side = 0; side < 2; side++) {
            int i = k - 1 + side;
            double to = side ? -0.5 : 0.5, steep_h = 0, steep_q = 0;
            if (i > 0 && i <= CELLS) {
                steep_h = limited(tank->h[i] - tank->h[i - 1], tank->h[i + 1] - tank->h[i]);
                steep_q = limited(tank->q[i] - tank->q[i - 1], tank->q[i + 1] - tank->q[i]);
            }
            h[side] = fmax(tank->h[i] + to * steep_h, 1e-5);
            q[side] = tank->q[i] + to * steep_q;
            u[side] = q[side] / h[side];
            slow = fmin(slow, u[side] - sqrt(c * h[side]));
            fast = fmax(fast, u[side] + sqrt(c * h[side]));
        }
        of_h[k] = (fast * q[0] - slow * q[1] + slow * fast * (h[1] - h[0])) / (fast - slow);
        double left = q[0] * u[0] + 0.5 * c * h[0] * h[0], right = q[1] * u[1] + 0.5 * c * h[1] * h[1];
        of_q[k] = (fast * left - slow * right + slow * fast * (q[1] - q[0])) / (fast - slow);
    }
}

static void flow(Tank* tank, double step)
{
    static double of_h[CELLS + 2], of_q[CELLS + 2];
    fluxes(tank, of_h, of_q);
    double cell = length / CELLS;
    for (int k = 1; k <= CELLS; k++) {
        double x = (k - 0.5) * cell - length / 2, y = floor_height + tank->h[k] / 2;
        double along = -gravity * sin(tank->roll) + tank->acceleration * y + tank->rate * tank->rate * x;
        tank->q[k] += step * (tank->h[k] * along - (of_q[k + 1] - of_q[k]) / cell);
        tank->h[k] = fmax(tank->h[k] - step * (of_h[k + 1] - of_h[k]) / cell, 1e-5);
        double across = gravity * cos(tank->roll) + tank->acceleration * x - tank->rate * tank->rate * floor_height +
                        2 * tank->rate * tank->q[k] / tank->h[k];
        tank->weight[k] = fmax(across, 0.1 * gravity);
    }
    mirror(tank);
}

// arguments: DRIVE.csv (t, mass_m) CURVE.csv
void shallow_water(char** arguments)
{
    Table table = table_read(arguments[0]);
    Series drive = series_of(&table, "t", "mass_m");
    Series roll = {0};
    Tank tank = {0};
    for (int k = 1; k <= CELLS; k++)
        tank.h[k] = depth, tank.weight[k] = gravity;
    mirror(&tank);
    const double step = 2e-4; // 0.4 of a cell for the fastest wave that was seen
    for (long k = 0; k * step < drive.x[drive.count - 1]; k++) {
        double t = k * step, position = series_at(&drive, t);
        turn(&tank, position, (series_at(&drive, t + 0.005) - series_at(&drive, t - 0.005)) / 0.01, step);
        flow(&tank, step);
        if (k % 100 == 0)
            series_add(&roll, t, tank.roll * 180 / M_PI);
    }
    series_write(&roll, arguments[1], "t,roll");
    series_free(&roll);
    series_free(&drive);
    table_free(&table);
}
