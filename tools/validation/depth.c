// SPDX-License-Identifier: MIT
// A body that floats in a cell of 0.4 x 0.8 m with four others (scenes/rigid/buoyancy.json, buoyancy_boxes.json): its depth against
// that of Archimedes, both in units of its height. The water's level follows from volumes.
#include "cases.h"
#include "table.h"
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979, BALL = 0.08, BOX = 0.12; // [m] radius, height

static double ball_below(double depth)
{
    return PI * depth * depth * (BALL - depth / 3);
}

static double depth_of_ball(double share)
{
    double low = 0, high = 2 * BALL;
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        if (ball_below(middle) < share * ball_below(2 * BALL))
            low = middle;
        else
            high = middle;
    }
    return low;
}

// arguments: CASE BODY.csv STATS.csv RADIUS ball|box DENSITY
void compare_depth(char** arguments)
{
    static const double densities[5] = {100, 250, 500, 750, 900};
    Table body = table_read(arguments[1]), stats = table_read(arguments[2]);
    double d = 2 * atof(arguments[3]), share = atof(arguments[5]) / 1000;
    bool ball = arguments[4][1] == 'a';
    double height = ball ? 2 * BALL : BOX, volume = ball ? ball_below(2 * BALL) : 0.2 * 0.2 * BOX, mean = 0, count = 0;
    size_t time = table_column(&body, "time"), y = table_column(&body, "y");
    for (size_t k = 0; k < body.rows; k++)
        if (table_get(&body, k, time) > 1.5) {
            mean += table_get(&body, k, y);
            count++;
        }
    double filled = table_get(&stats, stats.rows - 1, table_column(&stats, "fluid_particles")) * d * d * d;
    for (int k = 0; k < 5; k++)
        filled += volume * densities[k] / 1000;
    double depth = filled / (2 * 0.4) - (mean / count - height / 2), wanted = ball ? depth_of_ball(share) : share * height;
    char quantity[64];
    snprintf(quantity, sizeof quantity, "depth of %s kg/m3 / height", arguments[5]);
    judge_absolute(arguments[0], quantity, depth / height, wanted / height, 0.03);
    table_free(&body);
    table_free(&stats);
}
