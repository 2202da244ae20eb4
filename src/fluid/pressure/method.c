// SPDX-License-Identifier: MIT
#include "fluid/pressure/method.h"

const PressureMethod* pressure_method(mn_Pressure type)
{
    static const PressureMethod* const methods[] = {&pressure_sesph, &pressure_pcisph, &pressure_iisph, &pressure_dfsph};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        if (methods[k]->type == type)
            return methods[k];
    return &pressure_dfsph;
}
