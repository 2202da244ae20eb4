// SPDX-License-Identifier: MIT
// A viscous gravity current in two dimensions (Huppert 1982): fluid of area q on one side of a plane of symmetry spreads over a
// floor as
//   x^5 = 1.411^5 g q^3 t / (3 nu)
// once it is long and thin. How it started only shifts the time, so the slope of x^5 is compared; errors are given in terms of x.
#include "cases.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdlib.h>

// arguments: CASE PROBES.csv AREA KINEMATIC_VISCOSITY FROM LIMIT
void compare_current(char** arguments)
{
    double area = atof(arguments[2]), nu = atof(arguments[3]), from = atof(arguments[4]);
    double ideal = pow(1.411, 5) * 9.81 * area * area * area / (3 * nu);
    Table table = table_read(arguments[1]);
    Series front = series_of(&table, "time", "front");
    for (size_t k = 0; k < front.count; k++)
        front.y[k] = pow(front.y[k], 5);
    double slope = series_slope(&front, pow(from, 5), INFINITY), last = front.y[front.count - 1];
    judge_relative(arguments[0], "spread by the slope of x^5, in terms of x [m/s^0.2]", pow(fmax(slope, 0), 0.2), pow(ideal, 0.2),
                   atof(arguments[5]));
    judge_relative(arguments[0], "front at the end [m]", pow(last, 0.2), pow(ideal * front.x[front.count - 1], 0.2),
                   atof(arguments[5]));
    series_free(&front);
    table_free(&table);
}
