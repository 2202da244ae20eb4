// SPDX-License-Identifier: MIT
// Methods that a restart can choose, and the solver that keeps up with the clock.
#include "viewer.h"

#include <string.h>

const char* const method_names[METHODS] = {"scene's", "dfsph", "iisph", "pcisph", "sesph", "flip"};
const char* const coupling_names[COUPLINGS] = {"scene's", "akinci", "direct_forcing", "gauss"};

// See docs/live.md for what these cost and bring.
static const char* const live_keys[][2] = {
    {"solver.max_density_error", "0.01"},
    {"solver.max_divergence_error", "0.002"},
    {"solver.max_pressure_error", "1"},
    {"solver.cfl", "0.8"},
};

void plan_methods(Viewer* v)
{
    const ViewOptions* o = v->options;
    Plan* p = &v->plan;
    p->set_count = 0;
    if (v->live)
        for (size_t k = 0; k < sizeof live_keys / sizeof *live_keys; k++)
            plan_set(p, live_keys[k][0], live_keys[k][1]);
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
