// SPDX-License-Identifier: MIT
// The comparisons of tools/validate: prints rows of the result table, or says how it is called. Status 0 whatever the verdicts
// are (tools/validate counts them), 2 if there is nothing to compare.
#include "cases.h"
#include "table.h"

#include <stdio.h>
#include <string.h>

typedef struct Comparison {
    const char* name;
    int arguments; // at least
    const char* usage;
    void (*compare)(char** arguments);
} Comparison;

static const Comparison comparisons[] = {
    {"front", 5, "CASE RUN RADIUS WIDTH CURVE.csv [EXPERIMENT.csv LABEL]...", compare_front},
    {"box", 4, "CASE RUN EXPERIMENT.csv CURVES.csv", compare_box},
    {"cavity", 8, "CASE RUN RADIUS FROM_TIME REYNOLDS U.csv V.csv PROFILES.csv", compare_cavity},
    {"vortex", 6, "CASE RUN SPEED NU FROM_TIME CURVE.csv", compare_vortex},
    {"rest", 6, "CASE RUN RADIUS LEVEL DEPTH_OF_A DEPTH_OF_B", compare_rest},
    {"sphere", 7, "CASE BODY.csv RELEASE_TIME PEAK LIMIT EXPERIMENT.csv CURVE.csv", compare_sphere},
    {"depth", 6, "CASE BODY.csv STATS.csv RADIUS ball|box DENSITY", compare_depth},
    {"damper", 5, "CASE ROLL.csv EXPERIMENT.csv COLUMN LIMIT", compare_damper},
    {"shallow", 2, "DRIVE.csv CURVE.csv", shallow_water},
    {"plate", 5, "CASE RUN FROM_TIME DEFLECTION LIMIT", compare_plate},
    {"gate", 7, "CASE RUN RELEASED LIMIT X.csv Y.csv CURVE.csv", compare_gate},
    {"current", 6, "CASE PROBES.csv AREA KINEMATIC_VISCOSITY FROM LIMIT", compare_current},
    {"wave", 6, "CASE STATS.csv LENGTH DEPTH MOST_LOSS MOST_PERIOD_ERROR", compare_wave},
    {"slam", 4, "CASE RUN RADIUS CURVE.csv", compare_slam},
    {"order", 7, "CASE QUANTITY LEAST_ORDER [SPACING ERROR]...", compare_order},
};

enum { COMPARISONS = sizeof comparisons / sizeof comparisons[0] };

int main(int argc, char** argv)
{
    for (int k = 0; argc > 1 && k < COMPARISONS; k++) {
        const Comparison* c = &comparisons[k];
        if (strcmp(argv[1], c->name) != 0)
            continue;
        if (argc - 2 < c->arguments)
            give_up("usage: %s %s", c->name, c->usage);
        c->compare(argv + 2); // ends with a null pointer
        return 0;
    }
    for (int k = 0; k < COMPARISONS; k++)
        fprintf(stderr, "%s %s %s\n", k ? "      " : "usage:", comparisons[k].name, comparisons[k].usage);
    return 2;
}
