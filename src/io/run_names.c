// SPDX-License-Identifier: MIT
#include "io/run_names.h"

#include "io/points.h"
#include <stdlib.h>

mn_Result run_names_make(RunNames* names, const mn_Scene* scene, mn_Error* error)
{
    *names = (RunNames){.fluid_count = scene->fluid_count, .solid_count = scene->solid_count};
    names->fluid = calloc(scene->fluid_count + 3, sizeof *names->fluid);
    names->solid = calloc(scene->solid_count + 1, sizeof *names->solid);
    if (!names->fluid || !names->solid) {
        run_names_free(names);
        return memory_error(error, NULL);
    }
    for (size_t k = 0; k < scene->fluid_count; k++)
        series_name(names->fluid[k], scene->fluids[k].name, "fluid", (const char(*)[SERIES_NAME])names->fluid, k);
    series_name(names->fluid[names_boundary(names)], "boundary", "", (const char(*)[SERIES_NAME])names->fluid,
                names_boundary(names));
    series_name(names->fluid[names_moving(names)], "moving", "", (const char(*)[SERIES_NAME])names->fluid, names_moving(names));
    series_name(names->fluid[names_foam(names)], "foam", "", (const char(*)[SERIES_NAME])names->fluid, names_foam(names));
    for (size_t k = 0; k < scene->solid_count; k++)
        series_name(names->solid[k], scene->solids[k].name, "solid", (const char(*)[SERIES_NAME])names->solid, k);
    return MN_OK;
}

void run_names_free(RunNames* names)
{
    free(names->fluid);
    free(names->solid);
    *names = (RunNames){0};
}
