// SPDX-License-Identifier: MIT
// A block of water falls flat onto the floor, close to a wall. Its sides bulge and close the gap from below, as a wedge whose line
// of contact climbs the wall at a speed c. In a frame that moves with that line the flow is steady, so water leaves the corner as
// fast as it comes, and the jet that is squeezed out is at most twice as fast as the line (Birkhoff et al. 1948), whatever its own
// size.
#include "cases.h"
#include "run.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// How far up the left wall water hangs together, by particles within three radii of it.
static double contact_height(const Particles* particles, double radius)
{
    double *height = grow(NULL, (particles->table.rows + 1) * sizeof *height), top = 0;
    size_t count = 0;
    for (size_t i = 0; i < particles->table.rows; i++)
        if (table_get(&particles->table, i, particles->x) < 3 * radius)
            height[count++] = table_get(&particles->table, i, particles->y);
    qsort(height, count, sizeof *height, by_value);
    for (size_t k = 0; k < count && height[k] - top < 6 * radius; k++)
        top = height[k];
    free(height);
    return top;
}

static double fastest(const Particles* particles)
{
    double most = 0;
    for (size_t i = 0; i < particles->table.rows; i++)
        most = fmax(most, hypot(table_get(&particles->table, i, particles->vx), table_get(&particles->table, i, particles->vy)));
    return most;
}

// arguments: CASE RUN RADIUS CURVE.csv
void compare_slam(char** arguments)
{
    double radius = atof(arguments[2]), most = 0;
    Frames frames = frames_list(arguments[1]);
    Series contact = {0};
    for (size_t k = 0; k < frames.count; k++) {
        Particles particles = particles_read(frames.path[k]);
        most = fmax(most, fastest(&particles));
        series_add(&contact, particles.time, contact_height(&particles, radius));
        particles_free(&particles);
    }
    double speed = series_slope(&contact, 0.1, 0.48);
    series_write(&contact, arguments[3], "t,height");
    judge_told(arguments[0], "speed of the line of contact [m/s]", speed);
    judge_told(arguments[0], "fastest particle [m/s]", most);
    judge_below(arguments[0], "fastest particle / speed of the line", most / speed, 2);
    series_free(&contact);
    frames_free(&frames);
}
