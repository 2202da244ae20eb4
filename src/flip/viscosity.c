// SPDX-License-Identifier: MIT
// Viscosity, implicit: each velocity component diffuses on its own lattice of faces,
//   u - dt nu laplace u = u_before,
// with walls that let it slip and air that does not drag. Gauss-Seidel on colours, from what there is on: the equation is dominated
// by its diagonal unless the fluid is very thick, and then a few sweeps more are cheap next to what SPH pays. Different fluids have
// the viscosity of the face's own mix only if there is one: the largest is taken, which is right for one fluid.
#include "flip/cell.h"
#include <string.h>

enum { SWEEPS_MOST = 60 };

typedef struct Diffuse {
    Flip* flip;
    int axis, colour;
    float share; // dt nu / dx2
} Diffuse;

static bool is_known(const Flip* flip, size_t c, int axis)
{
    return flip->mass[axis][c] > 1e-6f && cell_open(flip, c, axis) > 0;
}

static void diffuse_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Diffuse* job = context;
    Flip* flip = job->flip;
    float* u = flip->velocity[job->axis];
    for (size_t k = begin; k < end; k++)
        for (int i = 0; i < CELLS && k; i++) {
            size_t c = k * CELLS + (size_t)i;
            if ((((i & 7) + (i >> 3 & 7) + (i >> 6)) & 1) != job->colour || !is_known(flip, c, job->axis))
                continue;
            float sum = 0, count = 0;
            for (int a = 0; a < flip->def.dimension; a++) {
                size_t beside[2] = {cell_previous(&flip->blocks, k, i, a), cell_next(&flip->blocks, k, i, a)};
                for (int n = 0; n < 2; n++)
                    if (is_known(flip, beside[n], job->axis)) {
                        sum += u[beside[n]];
                        count++;
                    }
            }
            u[c] = (flip->wanted[c] + job->share * sum) / (1 + job->share * count);
        }
}

// Sweeps so that what is left of a change across a cell is below a hundredth.
static int sweeps_for(float share)
{
    double left = 6 * (double)share / (1 + 6 * (double)share), n = log(0.01) / log(left * left);
    return n < 2 ? 2 : n > SWEEPS_MOST ? SWEEPS_MOST : (int)n + 1;
}

void flip_viscosity(Flip* flip)
{
    double nu = 0;
    for (int k = 0; k < flip->def.fluid_count; k++)
        nu = fmax(nu, (double)(flip->def.viscosity[k] / flip->def.density[k]));
    float share = (float)(flip->dt * nu / (flip->dx * flip->dx));
    if (!(share > 1e-5f))
        return;
    size_t n = flip->blocks.count;
    for (int axis = 0; axis < flip->def.dimension; axis++) {
        memcpy(flip->wanted, flip->velocity[axis], n * CELLS * sizeof *flip->wanted);
        for (int sweep = 0; sweep < 2 * sweeps_for(share); sweep++) {
            Diffuse job = {flip, axis, sweep & 1, share};
            parallel_for(flip->def.pool, n, BLOCKS_GRAIN, diffuse_blocks, &job);
        }
    }
}
