// SPDX-License-Identifier: MIT
// Cohesion by a cosine (Tartakovsky and Meakin 2005, with the displacement as in Akinci 2014, section 5.2.1.1):
//   F_ij = s cos(3/2 pi r / h) x_ij
// repulsion below h / 3, attraction beyond. s is expressed by gamma such that a flat surface is pulled as by akinci's cohesion
// (cohesion.h).
#include "fluid/tension/central.h"

static void tartakovsky_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    for (size_t c = begin; c < end; c++)
        central_chunk(context, c, cohesion8_tartakovsky);
}

static bool tartakovsky_add(Sph* sph, const float gamma[FLUIDS_MOST])
{
    CentralJob job = central_job(sph, gamma, cohesion8_tartakovsky);
    parallel_for(sph->pool, block_count(sph->fluid.set.count, LANES), CHUNK_GRAIN, tartakovsky_block, &job);
    return true;
}

const TensionMethod tension_tartakovsky = {.name = "tartakovsky", .add = tartakovsky_add};
