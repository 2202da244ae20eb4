// SPDX-License-Identifier: MIT
// Methods that a restart can choose, and the solver that keeps up with the clock.
#include "viewer.h"

#include <stdio.h>
#include <string.h>

const char* const method_names[METHODS] = {"scene's", "dfsph", "iisph", "pcisph", "sesph", "flip"};
const char* const coupling_names[COUPLINGS] = {"scene's", "akinci", "direct_forcing", "gauss", "immersed"};

// What solver.accuracy live stands for, also where the scene says something else.
static void plan_live(Plan* p)
{
    mn_SolverDef live = mn_live_solver_def();
    const struct {
        const char* key;
        double value;
    } keys[] = {{"solver.max_density_error", live.max_density_error},
                {"solver.max_divergence_error", live.max_divergence_error},
                {"solver.max_pressure_error", live.max_pressure_error},
                {"solver.cfl", live.cfl}};
    plan_set(p, "solver.accuracy", "live");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        char text[32];
        snprintf(text, sizeof text, "%g", keys[k].value);
        plan_set(p, keys[k].key, text);
    }
}

void plan_methods(Viewer* v)
{
    const ViewOptions* o = v->options;
    Plan* p = &v->plan;
    p->set_count = 0;
    if (v->live)
        plan_live(p);
    for (size_t k = 0; k < o->sets.count; k++) {
        char key[PLAN_TEXT] = "";
        const char* equals = strchr(o->sets.item[k], '=');
        size_t length = equals ? (size_t)(equals - o->sets.item[k]) : strlen(o->sets.item[k]);
        if (length >= sizeof key)
            continue;
        memcpy(key, o->sets.item[k], length);
        plan_set(p, key, equals ? equals + 1 : "");
    }
    if (v->method > 0)
        plan_set(p, "solver.method", method_names[v->method]);
    if (v->coupling > 0)
        plan_set(p, "coupling.method", coupling_names[v->coupling]);
}
