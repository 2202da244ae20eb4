// SPDX-License-Identifier: MIT
// Cohesion by the smoothing kernel (Becker and Teschner 2007):
//   a_i = -kappa / m_i sum_j m_j W(|x_ij|) x_ij
// Nothing keeps particles apart but pressure, which is wrong at a surface: they cluster there. kappa is expressed by gamma such
// that a flat surface is pulled as by akinci's cohesion (cohesion.h).
#include "fluid/tension/central.h"

static void becker_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    for (size_t c = begin; c < end; c++)
        central_chunk(context, c, cohesion8_becker);
}

static bool becker_add(Sph* sph, const float gamma[FLUIDS_MOST])
{
    CentralJob job = central_job(sph, gamma, cohesion8_becker);
    parallel_for(sph->pool, block_count(sph->fluid.set.count, LANES), CHUNK_GRAIN, becker_block, &job);
    return true;
}

const TensionMethod tension_becker = {.name = "becker", .add = becker_add};
