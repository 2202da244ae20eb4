// SPDX-License-Identifier: MIT
// What of the length of steps does not depend on the kind of fluid.
#include "world/world_parts.h"

// Belts do not carry particles through walls but drag them along.
double world_solid_speed(const mn_World* world)
{
    double most = 0;
    for (size_t k = 0; k < world->solids.count; k++) {
        const Solid* s = &world->solids.solid[k];
        double arm = vec3d_length(s->bound_centre) + s->bound_radius;
        most = fmax(most, vec3d_length(s->velocity) + arm * vec3d_length(s->angular_velocity) + vec3d_length(s->surface_velocity));
    }
    return most;
}

// Steps that the scene fixes are not made shorter by what moves: who passes a wall between two of them leaks.
void world_check_time_step(const mn_World* world)
{
    const mn_SolverDef* solver = &world->def.solver;
    bool fixed = solver->time_step > 0;
    double step = fixed ? solver->time_step : solver->min_time_step;
    double allowed = solver->cfl * 2 * world->def.particle_radius / world->state.expected_speed;
    if (world->fluids.count && step > allowed)
        world_log(world, MN_LOG_WARNING,
                  "solver.%s is %g s, but solver.cfl allows %.3g s at the %.3g m/s of a fall through the scene or of its fastest "
                  "source or solid: particles may pass through walls",
                  fixed ? "time_step" : "min_time_step", step, allowed, world->state.expected_speed);
}
